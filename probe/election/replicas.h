/*
 * replicas.h - one election's own znode at each server: whether their data is the same.
 *
 * Servers are never read at the same moment, and an election changes all the time: different data at
 * two of them proves nothing. Order does. Each read of a round sees at least everything that
 * any server showed in the round before it (observation.h says how this is ensured), and of one
 * znode czxid never gets smaller, and pzxid only where czxid gets larger. So, over three rounds in
 * sequence, in each of which both servers were read, server S *contradicts* server T where S shows the very
 * same in the last two of them, and
 *
 *   - it is older (czxid, else pzxid) than T in all three: in the first of them, before either
 *     read of S began, so S has missed a change twice; in the last two, so T has not been set back; or
 *   - the znode is absent, and T shows it with one and the same czxid in all three: it existed before and
 *     after at least one of these reads, and meanwhile, so S must have shown it; or
 *   - czxid and pzxid are those of T, which also shows the very same in the last two, and the counts differ:
 *     the last change was the same, and its result was not.
 *
 * After two such rounds a difference is suspected: S shows the very same twice, and T showed more before.
 *
 * A change between two reads cannot do any of this, however many there are. Under uninterrupted change a
 * server that is behind and follows at a distance is not found: better silent than wrong.
 *
 * If most of the servers read contradict none of each other, and all the others contradict all of them,
 * these others are the ones that differ. Without such a majority, all of those are named that
 * contradict another one.
 *
 * One case could still deceive: sessions that the ensemble does not agree on (localSessionsEnabled) with a
 * former leader of ZooKeeper that has no followers any more and has not noticed yet. It notices within its
 * syncLimit (10 s in the usual configuration), and the source takes longer than that for three rounds.
 */
#ifndef ELECTOP_PROBE_ELECTION_REPLICAS_H
#define ELECTOP_PROBE_ELECTION_REPLICAS_H

#include "probe/election/cluster.h"

struct election;
struct update;

/* The maximum number of servers compared. */
#define REPLICAS_MOST 32
#define REPLICA_ROUNDS 3

struct replica_read {
    uint32_t round; /* 0: none */
    bool absent;
    int64_t czxid, pzxid;
    int32_t cversion, children;
};

struct replica {
    size_t server;                             /* index into the cluster's */
    struct replica_read reads[REPLICA_ROUNDS]; /* the latest first */
};

enum replicas_verdict {
    VERDICT_NONE,   /* never proved */
    VERDICT_SEEMS,  /* never proved; the latest two rounds show a difference */
    VERDICT_DIFFER, /* the latest round proves a difference */
    VERDICT_OPEN,   /* proved earlier; the latest round is inconclusive */
    VERDICT_AGREE   /* proved earlier, and over */
};

struct replicas {
    struct replica list[REPLICAS_MOST];
    size_t count;
    enum replicas_verdict verdict;
    uint32_t apart;    /* of the proof: the servers that differ, a bit for each of list */
    uint32_t compared; /* all servers that were compared */
    bool majority;     /* the others are the majority */
    struct moment judged;
};

void replicas_free(struct replicas *replicas);
/* Takes one read. */
void replicas_note(struct election *election, size_t server, const struct observed_replica *seen);
/* The server has left the ensemble: later indexes move up by one. */
void replicas_server_left(struct election *election, size_t server);
/* Judges a completed round. */
enum replicas_next replicas_judge(const struct update *update, uint32_t round);

#endif

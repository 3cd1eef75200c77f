/*
 * chain.h - the watch chain of one election: the actual watches, compared with the recipe.
 *
 * Each candidate's link, and its watchers, are brought up to date with every diagnosis. The
 * present line counts: the predecessor by the layout's own order.
 */
#ifndef ELECTOP_PROBE_ELECTION_CHAIN_H
#define ELECTOP_PROBE_ELECTION_CHAIN_H

#include "probe/election/client.h"
#include "probe/election/election.h"

/*
 * Read-write locks: which members hold the lock together, and which member each of the others
 * waits for.
 *
 * kazoo's ReadLock and WriteLock and Curator's InterProcessReadWriteLock put readers and writers into one
 * line. The readers at its head hold the lock together; a writer holds it alone. A writer waits for the
 * member before it, of either kind. A reader waits for a writer before it: kazoo's for the nearest, Curator's
 * for the first. A reader with no writer before it holds the lock and watches nothing.
 *
 * An election is treated as one as soon as a reader is in its line (election->reader_count).
 */

bool shared_lock(const struct election *election);

/* The number of members, from the first on, that hold it now. If the election is not a shared lock: the
 * leader. */
size_t shared_lock_holders(const struct election *election);
bool shared_lock_holds(const struct election *election, const struct candidate *candidate);

struct client;
struct cluster;
struct server;
struct diagnosis; /* findings.h */

/* The session of its owner; NULL: nothing is known of it, or the znode has no session. */
const struct client_session *candidate_client(const struct candidate *candidate);

/* The candidate that the recipe wants it to watch; NULL: none, or the layout's watches are not visible. */
const struct candidate *chain_expected(const struct election *election, const struct candidate *candidate);

/* The candidate with this znode path; NULL: it is not in this election. */
const struct candidate *chain_candidate_at(const struct election *election, const char *path);

/* The sessions known to watch this candidate's znode, without copies of this program. Writes at most room of
 * them; returns their full number. */
size_t chain_watched_by(const struct election *election, const struct candidate *candidate,
                        uint64_t *sessions, size_t room);

/* That session is one of them. */
bool chain_is_watched(const struct election *election, const struct candidate *candidate, uint64_t session);

/*
 * Polls of a session prove something only if they are far enough apart and its connection has answered after
 * the last. chain_poll_due_us: when (monotonic) the next poll may prove the suspicion of a candidate;
 * INT64_MAX: no poll would. watches: set to true if that takes a list of watches. chain_certain_after_us: the longest
 * time from the first poll to the proof; 0: time would not settle a suspicion of this candidate.
 */
int64_t chain_poll_due_us(const struct election *election, int64_t now_us, bool *watches);
int64_t chain_certain_after_us(const struct candidate *candidate);

/* Why the watches of its sessions are unknown: the server hides its watches, or its connections, without
 * which a list of watches proves nothing. NULL: neither. */
const char *chain_watches_problem(const struct server *server);

/* Every server shows its watches: a session not listed by chain_watched_by() does not watch. */
/* Such a watch, or none, cannot notify a candidate that it is first. */
bool chain_is_deaf(enum finding_code code);
/* Nothing shows any more that the candidate does not know that it is first. */
void chain_hears(struct candidate *candidate);
bool chain_watches_complete(const struct cluster *cluster);

/* ---- for the diagnoses ---- */

/*
 * The polls of its series count, and what it watches for was the same before the first and after the last: a list
 * showed it at since_us, before the series, and a list after a sync came after it, which is asked for if nothing
 * else is missing. (The list before the series need not follow a sync: a directory whose pzxid has not moved by the
 * second list was not changed in between, and nobody can come between two numbered members.)
 */
bool chain_series_counts(struct election *election, const struct client *client, int64_t since_us);

/* One session as seen from one election. */
struct viewer {
    struct client *client;
    uint32_t owned;                   /* its candidates in this election */
    uint32_t targets;                 /* the candidates that it watches, except its own */
    uint32_t lowest;                  /* the first of them */
    const struct candidate *other;    /* a watched candidate that precedes none of its candidates */
    const char *deleted;              /* the path of a watched candidate that does not exist */
    const struct candidate *outsider; /* a watched, numbered child of another layout */
    bool children;                    /* a watch of it notifies of every child that comes and goes */
    bool above; /* it watches the directory or an ancestor: such a watch may be recursive */
};

/* Brings links and watchers up to date. */
void chain_update(struct diagnosis *diagnosis);
/* Restores from a recording into a snapshot: these sessions watch it, in this order. */
void chain_restore(struct election *election, struct candidate *candidate, const uint64_t *sessions,
                   size_t count);

#endif

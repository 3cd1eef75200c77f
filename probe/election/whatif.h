/*
 * whatif.h - predicts the effect of the next failure from the actual watches.
 *
 * It follows the chain candidate by candidate. If one fails, each session with a watch on its znode is
 * notified, reads the list, and either leads or watches the next. Without a notification, the chain is broken
 * there.
 */
#ifndef ELECTOP_PROBE_ELECTION_WHATIF_H
#define ELECTOP_PROBE_ELECTION_WHATIF_H

#include "probe/election/election.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Whether this candidate is notified if its predecessor fails. why: static text if not, or if unknown. */
enum answer whatif_notified(const struct candidate *candidate, const char **why);

/* No session owns it: it ends only if a client deletes it. (A znode with a time to live ends by itself.) */
bool candidate_stays(const struct candidate *candidate);

struct departure {
    const struct candidate *goes;
    bool stays;                        /* no session owns it: it ends only if a client deletes it */
    const struct candidate *successor; /* then first, or with another predecessor; NULL: none */
    const struct candidate *held_by;   /* of a read-write lock: another reader that still holds it; or NULL */
    bool leads;                        /* the successor would be first */
    bool successor_stays;              /* no session owns the successor, either: once first, it stays first */
    enum answer notified;              /* is the successor notified? */
    const struct candidate *others[8]; /* other candidates that are notified (a herd, a wrong predecessor) */
    size_t other_count;                /* all of them */
    bool others_unknown; /* some watches of later candidates are unknown: they may be notified, too */
    const char *why;     /* static text for ANSWER_UNKNOWN and ANSWER_NO */
};

/* The effect of this candidate's failure. */
struct departure whatif_goes(const struct election *election, const struct candidate *goes);

/*
 * A lock has no queue: when its holder ends, the first client to create it holds it. Returns the number of
 * sessions known to watch it, except its holder's: those will be notified.
 */
size_t whatif_lock_notified(const struct election *election);

/* Whether this member holds the lock, and whether a visible watch would notify it when the lock is released.
 * NO only if every server shows its watches and none may be hidden. */
enum answer member_leads(const struct election *election, const struct member *member);
enum answer member_watches(const struct election *election, const struct member *member);

enum chain_state { CHAIN_UNKNOWN, CHAIN_COMPLETE, CHAIN_BROKEN };

/* The contract's next_failover. */
struct next_failover {
    const struct candidate *successor; /* NULL: there is no candidate behind the leader */
    enum answer by_itself;             /* whether the leader may end by itself: not if no session owns it */
    enum answer notified;              /* the successor; for a lock, which has none: any session. A session
                                          that watches only its directory is notified as well, invisibly */
    enum chain_state chain;            /* of all candidates */
    const struct candidate *broken_at; /* the first that is not notified when its predecessor fails, even if
                                          another watch notifies it later */
};
struct next_failover whatif_next(const struct election *election);
/* The first behind the leader, or behind the holders of a read-write lock, that is left when the leader's session
 * ends; NULL: none is. */
const struct candidate *whatif_heir(const struct election *election);

#endif

/*
 * whatif.h - the effect of the next failure, before it happens, from the actual watches.
 *
 * It follows the chain candidate by candidate: when one goes, each session with a watch on its znode is
 * notified, looks, and either leads or watches on; without a notification, the line stops there.
 */
#ifndef ELECTOP_PROBE_ELECTION_WHATIF_H
#define ELECTOP_PROBE_ELECTION_WHATIF_H

#include "probe/election/election.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Is this one notified when its predecessor goes? why: static text if not, or if unknown. */
enum answer whatif_notified(const struct candidate *candidate, const char **why);

/* No session owns it: it goes only when a client deletes it. (A znode with a time to live goes one day.) */
bool candidate_stays(const struct candidate *candidate);

struct departure {
    const struct candidate *goes;
    bool stays;                   /* no session owns it: it goes only when a client deletes it */
    const struct candidate *heir; /* the one that is first (or whose predecessor changes) then; NULL: none */
    const struct candidate *held_by; /* of a read-write lock: another reader that still holds it; or NULL */
    bool leads;                      /* the heir would be first */
    bool heir_stays;                 /* no session owns the heir, either: once first, it stays so */
    enum answer notified;            /* is the heir notified? */
    const struct candidate
        *others[8];      /* further candidates that are notified (a herd, a wrong predecessor) */
    size_t other_count;  /* all of them */
    bool others_unknown; /* the watches of some behind it are not known: they may be notified, too */
    const char *why;     /* static text for ANSWER_UNKNOWN and ANSWER_NO */
};

/* What happens when this candidate goes. */
struct departure whatif_goes(const struct election *election, const struct candidate *goes);

/*
 * A lock has no line: when its holder goes, the first to create it holds it. The number of sessions
 * known to watch it, except its holder's: those that are notified.
 */
size_t whatif_lock_notified(const struct election *election);

/* Does this member hold the lock; would it be notified when the lock goes, by a watch on it that a server
   shows? NO only where every server shows its watches and none may be hidden. */
enum answer member_leads(const struct election *election, const struct member *member);
enum answer member_watches(const struct election *election, const struct member *member);

enum chain_state { CHAIN_UNKNOWN, CHAIN_COMPLETE, CHAIN_BROKEN };

/* Contract: next_failover. */
struct next_failover {
    const struct candidate *heir; /* NULL: there is no candidate behind the leader */
    enum answer by_itself;        /* may the leader go by itself? Not where no session owns it */
    enum answer notified;         /* the heir; of a lock, which has none: any session. One that watches its
                                 directory alone is notified, too, invisibly */
    enum chain_state chain;       /* over the whole line */
    const struct candidate *broken_at; /* the first that is not notified when its predecessor goes, even if
                                          another watch notifies it later */
};
struct next_failover whatif_next(const struct election *election);

#endif

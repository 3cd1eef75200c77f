/*
 * whatif.h - what the next failure does, before it happens, from the watches that really exist.
 *
 * It follows the chain candidate by candidate: when one goes, whoever has a watch on its znode is told,
 * looks, and either leads or watches on; where nobody is told, the line stops there.
 */
#ifndef ELECTOP_PROBE_ELECTION_WHATIF_H
#define ELECTOP_PROBE_ELECTION_WHATIF_H

#include "probe/election/election.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Is this one told when the one right before it goes? why: static text where it is not, or is not known. */
enum answer whatif_told(const struct candidate *, const char **why);

/* No session owns it: it goes only when somebody deletes it. (What has a time to live goes one day.) */
bool candidate_stays(const struct candidate *);

struct departure {
    const struct candidate *goes;
    bool stays;                   /* no session owns it: it goes only when somebody deletes it */
    const struct candidate *heir; /* who is first (or whose predecessor changes) then; NULL: nobody */
    bool leads;                   /* the heir would be first */
    bool heir_stays;              /* no session owns the heir, either: once first, it stays so */
    enum answer told;             /* is the heir notified? */
    const struct candidate
        *others[8];      /* further candidates that are notified (a herd, a wrong predecessor) */
    size_t other_count;  /* all of them */
    bool others_unknown; /* the watches of some behind it are not known: they may be told, too */
    const char *why;     /* static text for ANSWER_UNKNOWN and ANSWER_NO */
};

/* What happens when this candidate goes. */
struct departure whatif_goes(const struct election *, const struct candidate *);

/*
 * A lock is nobody's line: when its holder goes, whoever creates it first holds it. The sessions that are
 * known to watch it, its holder's own left out: those that are told.
 */
size_t whatif_lock_told(const struct election *);

enum chain_state { CHAIN_UNKNOWN, CHAIN_COMPLETE, CHAIN_BROKEN };

/* Contract: next_failover. */
struct next_failover {
    const struct candidate *heir;      /* NULL: nobody stands behind the leader */
    enum answer by_itself;             /* may the leader go by itself? Not where no session owns it */
    enum answer told;                  /* the heir; of a lock, which has none: anybody. Who watches its
                                          directory alone is told, too, and seen by nobody */
    enum chain_state chain;            /* over the whole line */
    const struct candidate *broken_at; /* the first that is not told when the one before it goes, whatever
                                          else will tell it later */
};
struct next_failover whatif_next(const struct election *);

#endif

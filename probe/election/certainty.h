/*
 * certainty.h - when a finding is certain: one rule for all findings.
 *
 * A finding follows from the facts of the servers and from presumptions: that the directory is an election,
 * that it must have a leader, that its members watch their predecessors, that no hidden watch serves one of
 * them, that the facts are fresh. One table lists the presumptions of each finding. If a presumption is not
 * known to hold, the finding is at most suspected and names the presumption, or it is not raised.
 * diagnosis_raise() (findings.h) applies this to every finding; the manual describes it in
 * electop-findings(7), "When a finding is certain".
 */
#ifndef ELECTOP_PROBE_ELECTION_CERTAINTY_H
#define ELECTOP_PROBE_ELECTION_CERTAINTY_H

#include <stdbool.h>

#include "probe/election/election.h"

enum presumption {
    PRESUMES_ELECTION, /* a signature, a watch on a predecessor, or the user's word: not a name alone */
    PRESUMES_LEADER,   /* there must be a leader: configured, or the layout has no other use */
    PRESUMES_LAYOUT,   /* which znode its members watch: configured, a distinctive signature, or seen */
    PRESUMES_ORDER, /* sequence numbers order its members: no equal ones around the candidate, no other member
                          watches against that order, no priority in the data explains what it watches */
    PRESUMES_WATCHES, /* every watch that could serve the member is shown or excluded */
    PRESUMES_LINE, /* not all members watch one and the same znode, nor this one the first; they are no pairs */
    PRESUMES_MARK,  /* the member watches no znode that another member may have made */
    PRESUMES_ALONE, /* no session without a candidate watches its predecessor, none of its address anything */
    PRESUMES_PASSIVE, /* its client does not poll (watch_proof.h) */
    PRESUMES_ACK,     /* the acknowledgement: configured, or seen with a member's session as its owner */
    PRESUMES_LASTING, /* the directory is permanent: not created for a single election */
    PRESUMES_FRESH,   /* the servers' lists behind it are recent */
    PRESUMPTIONS
};

/* The result for a finding. */
enum certainty_verdict {
    VERDICT_CERTAIN,   /* all presumptions hold */
    VERDICT_SUSPECTED, /* suspected at most */
    VERDICT_KEPT,      /* cannot be judged now: the earlier finding stays, unconfirmed */
    VERDICT_NOTHING    /* not raised */
};

struct presumption_kind {
    const char *word; /* "leader" */
    const char
        *assumed; /* the assumption of a suspected finding, for the user: "that there must be a leader" */
    const char *settles; /* what resolves it: a setting, or a look elsewhere; NULL: nothing */
};
const struct presumption_kind *presumption_kind(enum presumption presumption);

/* Whether findings of this code presume it, and the result if it does not hold. */
bool certainty_presumes(enum finding_code code, enum presumption presumption,
                        enum certainty_verdict *without);

/* holds: a bit for each presumption that is known to hold (1u << PRESUMES_...). missing: the first one that
 * decides the verdict; PRESUMPTIONS for VERDICT_CERTAIN. */
enum certainty_verdict certainty_judge(enum finding_code code, unsigned holds, enum presumption *missing);

/*
 * The rule for a missing or a wrong watch: that no server lists the watch is a fact, that the member will not
 * be notified is a conclusion. Returns the presumptions that this conclusion needs and that hold for this member now,
 * a bit each: LAYOUT, ORDER, WATCHES, LINE, MARK, ALONE, PASSIVE.
 */
unsigned certainty_of_member(const struct election *election, const struct candidate *candidate);
/* Its server's lists, and those of all others, leave no session unseen that may watch for it. */
bool certainty_may_be_alone(const struct election *election, const struct candidate *c);
/* A proof lasts although a hidden watch, or a server that hides its watches, came later: the member's client
 * has requested nothing since. */
bool certainty_lasts(const struct candidate *candidate, unsigned holds);
#define CERTAINTY_OF_MEMBER                                                                                  \
    (1u << PRESUMES_LAYOUT | 1u << PRESUMES_ORDER | 1u << PRESUMES_WATCHES | 1u << PRESUMES_LINE |           \
     1u << PRESUMES_MARK | 1u << PRESUMES_ALONE | 1u << PRESUMES_PASSIVE)

/* The subject of a finding, if it has one: a candidate, or a session (0: none). */
struct about {
    const struct candidate *candidate;
    uint64_t session;
};
/* The presumptions known to hold now, for a finding of this code about this subject. again_us: when time
 * alone may change them; INT64_MAX: never. */
unsigned certainty_holds(const struct election *election, enum finding_code code, struct about about,
                         struct moment now, int64_t *again_us);

/* A finding begins when it is first seen. It cannot be older than its candidates. Returns when the youngest
 * of them was created, by its server's clock, in us; 0: unknown. */
int64_t certainty_possible_since_us(const struct election *election, const struct finding *finding);

/* Decides the election's kind: as configured, else by the use of its layout, else by its behaviour, else
 * assumed. */
void certainty_settle_kind(struct election *election);
/* Learns an assumed kind. An election is a lock if it is free again and again after short holds, if its
 * holders release it again and again after short holds, or if it has readers. */
void certainty_see_kind(struct election *election);

/* ---- single presumptions, for the watch chain ---- */

/* Most waiting members watch the one before them, and all have one role: the present watches show which znode
 * members watch. Or their names do. */
bool certainty_shows_layout(const struct election *election);
/* In a layout that is not known, names that differ in words or a number that several members share may be several
 * lines, each with a leader of its own. Nor is it known who leads where others than the first are waited for, or
 * where members chose their numbers. */
bool certainty_mixed(const struct election *election);
/* The names are numbered, and their layout is neither known nor configured. */
bool certainty_is_unknown_line(const struct election *election);
/* Members chose their numbers, which order none of them: one is higher than all that the server has given. */
bool certainty_own_numbers(const struct election *election);
/* Whether 32 hexadecimal digits come before the number, perhaps with dashes. */
bool certainty_holds_guid(const char *name);
/* By the watches, another one leads. */
bool certainty_first_waits(const struct election *election);
/* Equal for names that differ only in numbers and ids. Readers and writers of one lock watch differently, and
 * their names contain different words. */
uint64_t certainty_role(const char *name);
/* Its place in line is defined: neither it nor the one before it shares its number. */
bool certainty_order(const struct election *election, const struct candidate *candidate);

/* Hidden watches could notify a client of a change in this election: a server counts child watches
   that are not an observer's, or does not show them; or a session watches an ancestor. */
bool certainty_hidden_watches(const struct election *election);

#endif

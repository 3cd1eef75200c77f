/*
 * run_live.h - the rules that hold while test candidates are in a live election.
 *
 * They queue behind at least two real candidates. When a real one goes, all of them withdraw; while two
 * are left (or once there are two again) they rejoin, after a pause. Withdrawing with fewer than two left
 * makes the pause longer, and the third time is the last. That none of them ever leads cannot be guaranteed:
 * one that finds itself first deletes its znode at once, acknowledges nothing (candidate.h, never_leads), and
 * the report says for how long it was first; or an upper bound, where it left before it knew (struct
 * leads_check).
 *
 * Nothing else is ever written: no directory, no acknowledgement, no data; the guard enforces that, too.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_LIVE_H
#define ELECTOP_PROBE_INJECT_RUN_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many candidates precede ours in a live election, and whether one of ours was ever
 * first, from lists of it. Pure.
 *
 * Numbers only grow: a candidate before ours has been there since ours came. So a list with a foreign
 * candidate before ours proves that none of ours was first until it was requested, even if ours have left
 * since; and a list without one leaves open all the time since the previous list. And a list may show a znode
 * of ours before the answer to its create: until then it counts as foreign, and its later recognition is no
 * departure. Times are microseconds of one monotonic clock.
 */

struct leads_check {
    int64_t ours;          /* the smallest number of ours in line, or in the latest list; else INT64_MAX */
    uint64_t behind_us;    /* until then a foreign candidate preceded ours, or none of ours was in line */
    uint64_t first_may_us; /* upper bound of the time one of ours was first; 0: none ever was */
    int64_t before_least;  /* the fewest that ever preceded ours; -1: ours were never seen */
    size_t real;           /* before ours in the latest list: an upper bound of the foreign ones */
    bool blind;            /* a list was denied: what happened then is not known */
    bool left;             /* a candidate that preceded ours in the previous list is not in the latest */
    int64_t bound;         /* all real ones of the latest list have smaller numbers */
};

/* None of ours is in line yet. */
void leads_check_begin(struct leads_check *check, uint64_t now_us);

/* A list, with the times of request and answer. ours: the smallest number of ours in it; INT64_MAX: none. */
void leads_check_look(struct leads_check *check, char *const *names, size_t count, int64_t ours,
                      uint64_t asked_us, uint64_t answered_us);

/* The latest list had ours in it: their present state is not known. */
bool leads_check_is_open(const struct leads_check *check);

struct leads_check;
struct run;
struct live_rules;

#define LIVE_WITHDRAWALS_MOST 3

/* The crowd has begun to join. over: it withdrew for the last time. */
struct live_rules *live_rules_keep(struct run *run, void (*over)(struct run *, const char *problem));
/* After the session's last answer only while none is owed; see live_rules_clear(). NULL is fine. */
void live_rules_free(struct live_rules *rules);

/* Every so often; and when a watch of the run's session has fired, or its session is back. */
void live_rules_tick(struct live_rules *rules);
void live_rules_noticed(struct live_rules *rules);

/* Whether one of ours was ever first, as far as is known. */
const struct leads_check *live_rules_leads(const struct live_rules *rules);

/*
 * At the end: deletes znodes of ours that still exist; done is called once, with seen false where the
 * connection was lost before all answers came: then it may be tried again. False: no connection.
 */
bool live_rules_clear(struct live_rules *rules, void (*done)(struct run *, bool seen));

#endif

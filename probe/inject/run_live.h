/*
 * run_live.h - the rules for test candidates in a live election, and leads_check_*.
 *
 * They queue behind at least two real candidates. When a real one leaves, all of them withdraw. While two
 * real ones are left (or once there are two again) they rejoin after a pause. A withdrawal with fewer than
 * two left makes the pause longer, and the third time is final. It cannot be guaranteed that a test candidate
 * never becomes first. One that finds itself first deletes its znode at once and acknowledges nothing
 * (candidate.h, never_leads). The report gives the time that it was first, or an upper bound if it left
 * before it knew (struct leads_check).
 *
 * Nothing else is ever written: no directory, no acknowledgement, no data. The guard enforces this, too.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_LIVE_H
#define ELECTOP_PROBE_INJECT_RUN_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Derives from lists of a live election how many candidates precede ours, and whether we were ever first. Pure.
 *
 * Numbers only grow: a candidate before ours has existed since ours came. So a list with a foreign candidate
 * before ours proves that we were not first until that list was requested, even if ours have left since. A list
 * without one leaves the whole time since the previous list open. A list may also show our znode before the
 * answer to its create: until then it counts as foreign, and its later recognition does not count as a
 * departure. Times are microseconds of one monotonic clock.
 */

struct leads_check {
    int64_t ours;          /* our smallest number, now or in the latest list; else INT64_MAX */
    uint64_t behind_us;    /* until then a foreign candidate preceded ours, or ours had none */
    uint64_t first_may_us; /* upper bound of the time that we were first; 0: never */
    int64_t before_least;  /* the fewest that ever preceded ours; -1: ours were never listed */
    size_t real;           /* before ours in the latest list: an upper bound of the real ones */
    bool blind;            /* a list was denied: the events of that time are unknown */
    bool left;             /* a candidate that preceded ours in the previous list is missing in the latest */
    int64_t bound;         /* all real candidates of the latest list have smaller numbers */
};

/* Begins, without test candidates. */
void leads_check_begin(struct leads_check *check, uint64_t now_us);

/* Takes a list, with the times of request and answer. ours: our smallest number in it; INT64_MAX: none. */
void leads_check_list(struct leads_check *check, char *const *names, size_t count, int64_t ours,
                      uint64_t asked_us, uint64_t answered_us);

/* The latest list contained ours: their present state is unknown. */
bool leads_check_is_open(const struct leads_check *check);

struct leads_check;
struct run;
struct live_rules;

#define LIVE_WITHDRAWALS_MOST 3

/* Starts when the crowd has begun to join. over: it withdrew for the last time. */
struct live_rules *live_rules_keep(struct run *run, void (*over)(struct run *, const char *problem));
/* Call this after the session's last answer only if none is pending; see live_rules_clear(). NULL is
 * allowed. */
void live_rules_free(struct live_rules *rules);

/* Call this at intervals, and when a watch of the run's session has fired, or its session has returned. */
void live_rules_tick(struct live_rules *rules);
void live_rules_noticed(struct live_rules *rules);

/* Whether we were ever first, as far as known. */
const struct leads_check *live_rules_leads(const struct live_rules *rules);

/*
 * Call this at the end: deletes our remaining znodes. done is called once; seen false: the connection was
 * lost before all answers arrived, and a retry is allowed. False: no connection.
 */
bool live_rules_clear(struct live_rules *rules, void (*done)(struct run *, bool seen));

#endif

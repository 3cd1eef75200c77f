/*
 * leads_check.h - how many candidates precede ours in a live election, and whether one of ours was ever
 * first, from lists of it. Pure.
 *
 * Numbers only grow: a candidate before ours has been there since ours came. So a list with a foreign
 * candidate before ours proves that none of ours was first until it was requested, even if ours have left
 * since; and a list without one leaves open all the time since the previous list. And a list may show a znode
 * of ours before the answer to its create: until then it counts as foreign, and its later recognition is no
 * departure. Times are microseconds of one monotonic clock.
 */
#ifndef ELECTOP_PROBE_INJECT_LEADS_CHECK_H
#define ELECTOP_PROBE_INJECT_LEADS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct leads_check {
    int64_t ours;          /* the smallest number of ours in line, or in the latest list; else INT64_MAX */
    uint64_t behind_us;    /* until then a foreign candidate preceded ours, or none of ours was in line */
    uint64_t first_may_us; /* upper bound of the time one of ours was first; 0: none ever was */
    int64_t before_least;  /* the fewest that ever preceded ours; -1: ours were never seen */
    size_t real;           /* before ours in the latest list: an upper bound of the foreign ones */
    bool left;             /* a candidate that preceded ours in the previous list is not in the latest */
    int64_t bound;         /* all real ones of the latest list have smaller numbers */
};

/* None of ours is in line yet. */
void leads_check_begin(struct leads_check *, uint64_t now_us);

/* A list, with the times of request and answer. ours: the smallest number of ours in it; INT64_MAX: none. */
void leads_check_look(struct leads_check *, char *const *names, size_t count, int64_t ours, uint64_t asked_us,
                      uint64_t answered_us);

/* The latest list had ours in it: their present state is not known. */
bool leads_check_is_open(const struct leads_check *);

#endif

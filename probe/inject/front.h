/*
 * front.h - who stands before ours in somebody's election, and whether one of ours was ever first, from lists
 * of it. Pure.
 *
 * Numbers only grow: whoever stands before ours has stood there since ours came. So a list with somebody
 * before ours proves that until it was asked for none of ours was first, also when ours have left since; and
 * one without leaves open all the time since the list before it. And a list may show what we created before
 * the answer to that create: until then it counts as somebody's, and afterwards nobody has left for that.
 * Times are microseconds of one monotonic clock.
 */
#ifndef ELECTOP_PROBE_INJECT_FRONT_H
#define ELECTOP_PROBE_INJECT_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct front {
    int64_t ours; /* the smallest number of ours that stand, or stood at the latest list; else INT64_MAX */
    uint64_t behind_us;    /* until then somebody stood before ours, or none of ours stood */
    uint64_t first_may_us; /* for so long at most one of ours was first; 0: none ever was */
    int64_t before_least;  /* so few stood before ours; -1: ours were never seen */
    size_t real;           /* before ours in the latest list: the most that can be somebody's */
    bool left;             /* one that stood before ours in the list before is not in the latest */
    int64_t bound;         /* all real ones of the latest list have smaller numbers */
};

/* None of ours stands yet. */
void front_begin(struct front *, uint64_t now_us);

/* A list, asked for and answered then. ours: the smallest number of ours in it; INT64_MAX: none stands. */
void front_look(struct front *, char *const *names, size_t count, int64_t ours, uint64_t asked_us,
                uint64_t answered_us);

/* The latest list had ours in it: what has become of them is not known. */
bool front_is_open(const struct front *);

#endif

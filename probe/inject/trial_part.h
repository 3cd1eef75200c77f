/*
 * trial_part.h - what one agent of a run hands in, as text, and what the parts of all come to.
 *
 *   electop run                   the mark of all that lasts in a run
 *   end done
 *   counts 1000 1000 1000 0 ...   as enum part_count has them
 *   stand 900 4100 61000 12:3 13:40    of a histogram: least, most, sum (microseconds), and of the buckets
 *                                      that hold any, in their order, how many; so for each of enum part_time
 *
 * Parts come from a znode: they are checked like anybody else's bytes.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_PART_H
#define ELECTOP_PROBE_INJECT_TRIAL_PART_H

#include "probe/inject/trial_report.h"

struct trial;

/* malloc'd; NULL: out of memory. */
char *trial_part_write(const struct trial_report *);

enum part_count {
    PART_WANTED, /* candidates */
    PART_STANDING,
    PART_SESSIONS,
    PART_ERRORS,
    PART_REQUESTS, /* as in struct crowd_figures, and so on */
    PART_LISTS,
    PART_CREATES,
    PART_DELETES,
    PART_NOTICES,
    PART_CONNECTS,
    PART_REFUSED,
    PART_LOST,
    PART_EXPIRED,
    PART_UNPLANNED,
    PART_DEATHS,
    PART_LEFT_OUT,                              /* of each obstacle */
    PART_FAILOVERS = PART_LEFT_OUT + OBSTACLES, /* those whose cost was counted, and what they cost */
    PART_FAILOVER_NOTICES,
    PART_FAILOVER_REQUESTS,
    PART_NEVER_LED, /* of each way to go: deaths that nobody followed */
    PART_COUNTS = PART_NEVER_LED + DEPART_COUNT
};

enum part_time {
    PART_STAND,
    PART_FAILOVER,
    PART_DETECTION,
    PART_VACANCY,
    PART_TAKEOVER,
    PART_CAUSE, /* failovers by each way to go */
    PART_TIMES = PART_CAUSE + DEPART_COUNT
};

/* Large: not for the stack. */
struct trial_part {
    char end[24]; /* "done"; nothing was handed in: "died", "running"; "unreadable" */
    bool told;    /* false: only the end is known */
    uint64_t counts[PART_COUNTS];
    struct histogram times[PART_TIMES];
};

void trial_part_read(const struct agent_part *, struct trial_part *);

/* All agents of the run have handed in theirs: they come to one, and who did not come to its end is noted. */
void trial_gather(struct trial *);

#endif

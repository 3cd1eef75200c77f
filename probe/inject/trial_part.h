/*
 * trial_part.h - what one agent of a run hands in, as text, and what the parts of all come to.
 *
 *   electop run                   the mark of all that lasts in a run
 *   end done
 *   candidates 1000 1000 0        wanted, standing, errors
 *   stand 900 4100 61000 12:3 13:40    of a histogram: least, most, sum (microseconds), and of the buckets
 *                                      that hold any, in their order, how many; so for failover, detection,
 *                                      vacancy and takeover
 *
 * Parts come from a znode: they are checked like anybody else's bytes.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_PART_H
#define ELECTOP_PROBE_INJECT_TRIAL_PART_H

#include "probe/inject/trial_report.h"

struct trial;

/* malloc'd; NULL: out of memory. */
char *trial_part_write(const struct trial_report *);

struct trial_part {
    char end[24]; /* "done"; "died": nothing was handed in; "unreadable" */
    bool told;    /* false: only the end is known */
    uint64_t wanted, standing, errors;
    struct histogram stand, failover, detection, vacancy, takeover;
};

/* text NULL: it died. */
void trial_part_read(const char *text, struct trial_part *);

/* All agents of the run have handed in theirs: they come to one. */
void trial_gather(struct trial *);

#endif

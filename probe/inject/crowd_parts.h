/*
 * crowd_parts.h - who plays what in a crowd: its options kept, a casting for each part of the mixture, and
 * how they are mixed.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_PARTS_H
#define ELECTOP_PROBE_INJECT_CROWD_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/candidate/candidate_options.h"
#include "probe/inject/crowd_options.h"

struct crowd_parts {
    char *texts[9]; /* of the options */
    size_t text_count;
    struct crowd_part *list;
    struct candidate_options *castings; /* the recipe's, and one for each part */
};

/* Copies given into options, which is valid until crowd_parts_end(). False: out of memory; end it all the
 * same. */
bool crowd_parts_begin(struct crowd_parts *, struct crowd_options *options,
                       const struct crowd_options *given);
void crowd_parts_end(struct crowd_parts *);

/* The part of the i-th candidate. Evenly mixed: among any few that follow each other every part has its
 * share. */
const struct candidate_options *crowd_parts_casting(const struct crowd_parts *, const struct crowd_options *,
                                                    size_t i);

/* So many candidates can share a session: as many as are wanted, and no more than a packet holds the watches
 * of. */
size_t crowd_parts_per_session(const struct crowd_options *);

#endif

/*
 * thawing.h - the inside of thaw.h: a model that is being made of a picture.
 *
 *   thaw.c           the whole, and its clusters
 *   thaw_election.c  what lies below an election
 *   thawing.c        what both need
 *
 * Bytes may be damaged, or a stranger's: what does not fit turns `bad`, and the model is thrown away.
 */
#ifndef ELECTOP_PROBE_HISTORY_THAWING_H
#define ELECTOP_PROBE_HISTORY_THAWING_H

#include "probe/election/model.h"
#include "probe/history/items.h"

/* Texts and more that live as long as the model. */
struct kept_block {
    struct kept_block *next;
    max_align_t room[];
};

struct thawed {
    struct model *model;
    struct kept_block *keeps;
};

struct thawing {
    struct thawed *thawed;
    const struct picture *picture;
    int64_t base_us;
    /* By slot; only one of both is set. */
    struct cluster **clusters;
    struct election **elections;
    struct candidate **candidates;
    struct finding **findings;
    bool bad;
};

/* Zeroed, and freed with the model. NULL: out of memory, which is bad. */
void *thaw_keep(struct thawing *, size_t size);
/* Where nobody frees it. */
char *thaw_text(struct thawing *, struct scan *);
static inline struct moment thaw_moment(const struct thawing *t, struct scan *scan)
{
    return scan_moment(scan, t->base_us);
}

#endif

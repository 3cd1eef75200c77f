/*
 * snapshot_read_state.h - the state of snapshot_read.h: a model that is being made from a picture. Private to
 * this folder.
 *
 *   snapshot_read.c           the whole, and its clusters
 *   snapshot_read_election.c  the items below an election
 *   snapshot_read_state.c     functions that both use
 *
 * Bytes may be damaged or forged: an item that does not fit sets `bad`, and the model is discarded.
 */
#ifndef ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_STATE_H
#define ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_STATE_H

#include "probe/election/model.h"
#include "probe/history/items.h"

/* Texts and more that live as long as the model. */
struct kept_block {
    struct kept_block *next;
    max_align_t room[];
};

struct snapshot_model {
    struct model *model;
    struct kept_block *keeps;
};

struct snapshot_reader {
    struct snapshot_model *restored;
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
void *snapshot_read_keep(struct snapshot_reader *, size_t size);
/* Where it is not freed. */
char *snapshot_read_text(struct snapshot_reader *, struct scan *);
static inline struct moment snapshot_read_moment(const struct snapshot_reader *t, struct scan *scan)
{
    return scan_moment(scan, t->base_us);
}

#endif

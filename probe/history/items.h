/*
 * items.h - the slots of a snapshot, and how one item is written into it. Private to this folder.
 *
 * An item's bytes are its kind, the slot of its parent (from 1; 0: none), a key that is unique among
 * its siblings, and its contents. Slots are numbered densely, and those of removed items are used
 * again: numbers stay small in patches.
 */
#ifndef ELECTOP_PROBE_HISTORY_ITEMS_H
#define ELECTOP_PROBE_HISTORY_ITEMS_H

#include "probe/election/cluster.h"
#include "probe/case/codec.h"

#define SLOT_NONE UINT32_MAX

enum item_kind {
    ITEM_CLOCK, /* what moments are written against */
    ITEM_CLUSTER,
    ITEM_SERVER,    /* below a cluster */
    ITEM_ELECTION,  /* below a cluster: what hardly ever changes of it */
    ITEM_STATE,     /* below an election: the rest of it */
    ITEM_CANDIDATE, /* below an election, as all that follow */
    ITEM_OUTSIDER,
    ITEM_SESSION, /* owner of a candidate */
    ITEM_FINDING,
    ITEM_TENURE,
    ITEM_LINE,     /* the order of candidates */
    ITEM_FOREIGN,  /* ... of outsiders */
    ITEM_WORST,    /* ... of findings */
    ITEM_DEPARTED, /* candidates that left lately */
    ITEM_MEMBER,   /* in the directory of members */
    ITEM_KINDS
};

/* Of a history that only grows: an item that was written, and cannot change any more if it is settled. */
struct kept_item {
    uint64_t serial;
    uint32_t slot, same;
    bool settled;
};
struct kept_list {
    struct kept_item *items;
    size_t count, room;
};

struct slot {
    unsigned char *bytes; /* NULL: free */
    uint32_t length, key_length;
    uint32_t hash, next;             /* of its key, and the next one in its bucket */
    uint32_t parent, child, sibling; /* the first below it; the next one beside it */
    uint32_t round;                  /* of the update that saw it last */
    struct kept_list *tenures;       /* of an election; or NULL */
};

/* What moves all the time of a server, as it was written last. */
struct last_figures {
    size_t cluster, server;
    uint32_t whose; /* its address: when a server leaves, the next one takes its place */
    int64_t noted_us;
    struct server noted; /* its texts are gone */
};

struct snapshot {
    struct slot *slots;
    size_t count, room;
    uint32_t *vacant; /* free slots below count */
    size_t vacant_count, vacant_room;
    uint32_t *buckets;
    size_t bucket_count, used;
    uint32_t top; /* the first item below nothing */
    uint32_t round;
    uint64_t turn; /* of the model, at the latest update: an item not touched since is the same */

    int64_t base_us; /* the distance of the clocks that moments are written against */
    bool has_base;
    struct last_figures *figures;
    size_t figure_count;
    struct kept_item *elections; /* in the order of the update before */
    size_t election_count, election_room;
    struct buffer item; /* being written */
    size_t key_length;
    uint32_t parent;
    struct buffer order; /* slots of the written items, for an order */
};

/* Begins an item; its key is written into snapshot->item, then item_key() is called, then its contents. */
void item_begin(struct snapshot *snapshot, enum item_kind kind, uint32_t parent);
void item_key(struct snapshot *snapshot);
/* Into the snapshot and, where it differs, the patch. Its slot. */
uint32_t item_end(struct snapshot *snapshot, struct buffer *patch);
/* The item of this key, if it is there, stays as it is. Its slot, or SLOT_NONE. */
uint32_t item_keep(struct snapshot *snapshot);
/* The same, if the caller knows the item's slot. */
void item_stays(struct snapshot *snapshot, uint32_t slot);
/* The tenures of this slot's election; freed with it. */
struct kept_list *item_tenures(struct snapshot *snapshot, uint32_t slot);
/* Removes children of parent (SLOT_NONE: items without a parent) that were not written in this round. */
void items_sweep(struct snapshot *snapshot, uint32_t parent, struct buffer *patch);

#endif

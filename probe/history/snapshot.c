#include "probe/history/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "probe/history/items.h"

/* The operations of a patch's records on their slots. */
enum record { RECORD_GONE, RECORD_WHOLE, RECORD_MIDDLE, RECORDS };

/* The maximum size of a snapshot: a damaged file that claims more is refused. */
#define SLOTS_MOST (1u << 22)
#define ITEM_LONGEST (1u << 24)

struct snapshot *snapshot_new(void)
{
    struct snapshot *snapshot = xcalloc(1, sizeof *snapshot);
    snapshot->top = SLOT_NONE;
    return snapshot;
}

static void snapshot_free_tenures(struct slot *slot)
{
    if (!slot->tenures)
        return;
    free(slot->tenures->items);
    free(slot->tenures);
    slot->tenures = NULL;
}

void snapshot_clear(struct snapshot *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->slots[i].bytes);
        snapshot_free_tenures(&p->slots[i]);
    }
    for (size_t i = 0; i < p->bucket_count; i++)
        p->buckets[i] = SLOT_NONE;
    p->count = p->vacant_count = p->used = 0;
    p->top = SLOT_NONE;
    p->has_base = false;
    p->turn = 0;
    p->figure_count = p->election_count = 0;
}

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    snapshot_clear(snapshot);
    free(snapshot->slots);
    free(snapshot->vacant);
    free(snapshot->buckets);
    free(snapshot->figures);
    free(snapshot->elections);
    buffer_free(&snapshot->item);
    buffer_free(&snapshot->order);
    free(snapshot);
}

const unsigned char *snapshot_item(const struct snapshot *snapshot, size_t i, size_t *length)
{
    *length = snapshot->slots[i].length;
    return snapshot->slots[i].bytes;
}

/* ---- slots ---- */

static void grow_slots(struct snapshot *p, size_t count)
{
    if (count <= p->room)
        return;
    size_t room = p->room ? p->room * 2 : 64;
    while (room < count)
        room *= 2;
    struct slot *slots = xreallocarray(p->slots, room, sizeof *slots);
    p->slots = slots;
    p->room = room;
}

static void snapshot_grow_buckets(struct snapshot *p)
{
    if (p->used < p->bucket_count)
        return;
    size_t count = p->bucket_count ? p->bucket_count * 2 : 256;
    uint32_t *buckets = xmalloc(count * sizeof *buckets);
    for (size_t i = 0; i < count; i++)
        buckets[i] = SLOT_NONE;
    for (size_t i = 0; i < p->count; i++) {
        struct slot *slot = &p->slots[i];
        if (!slot->bytes)
            continue;
        slot->next = buckets[slot->hash & (count - 1)];
        buckets[slot->hash & (count - 1)] = (uint32_t)i;
    }
    free(p->buckets);
    p->buckets = buckets;
    p->bucket_count = count;
}

static uint32_t snapshot_find(const struct snapshot *p, uint32_t hash)
{
    const unsigned char *key = (const unsigned char *)p->item.bytes;
    uint32_t at = p->bucket_count ? p->buckets[hash & (p->bucket_count - 1)] : SLOT_NONE;
    while (at != SLOT_NONE) {
        const struct slot *slot = &p->slots[at];
        if (slot->hash == hash && slot->key_length == p->key_length &&
            memcmp(slot->bytes, key, p->key_length) == 0)
            return at;
        at = slot->next;
    }
    return SLOT_NONE;
}

static uint32_t *children_of(struct snapshot *p, uint32_t parent)
{
    return parent == SLOT_NONE ? &p->top : &p->slots[parent].child;
}

static uint32_t snapshot_add(struct snapshot *p, uint32_t hash)
{
    snapshot_grow_buckets(p);
    grow_slots(p, p->count + 1);
    uint32_t at = p->vacant_count ? p->vacant[--p->vacant_count] : (uint32_t)p->count++;
    uint32_t *bucket = &p->buckets[hash & (p->bucket_count - 1)], *children = children_of(p, p->parent);
    p->slots[at] = (struct slot){.hash = hash,
                                 .next = *bucket,
                                 .key_length = (uint32_t)p->key_length,
                                 .parent = p->parent,
                                 .child = SLOT_NONE,
                                 .sibling = *children};
    *bucket = *children = at;
    p->used++;
    return at;
}

/* It is in no list of children any more. */
static void snapshot_take(struct snapshot *p, uint32_t at, struct buffer *patch)
{
    struct slot *slot = &p->slots[at];
    while (slot->child != SLOT_NONE) {
        uint32_t child = slot->child;
        slot->child = p->slots[child].sibling;
        snapshot_take(p, child, patch);
    }
    uint32_t *link = &p->buckets[slot->hash & (p->bucket_count - 1)];
    while (*link != at)
        link = &p->slots[*link].next;
    *link = slot->next;
    free(slot->bytes);
    slot->bytes = NULL;
    snapshot_free_tenures(slot);
    p->used--;
    put_number(patch, (uint64_t)at * RECORDS + RECORD_GONE);
    room_for_one(&p->vacant, p->vacant_count, &p->vacant_room, sizeof *p->vacant);
    p->vacant[p->vacant_count++] = at;
}

/* ---- writing ---- */

void item_begin(struct snapshot *p, enum item_kind kind, uint32_t parent)
{
    buffer_clear(&p->item);
    buffer_put_char(&p->item, (char)kind);
    put_number(&p->item, parent == SLOT_NONE ? 0 : (uint64_t)parent + 1);
    p->parent = parent;
}

void item_key(struct snapshot *p)
{
    p->key_length = p->item.length;
}

static void put_whole(struct buffer *patch, uint32_t at, const void *bytes, size_t length)
{
    put_number(patch, (uint64_t)at * RECORDS + RECORD_WHOLE);
    put_number(patch, length);
    buffer_put(patch, bytes, length);
}

/* Equal bytes at both ends are not written again. */
static void put_middle(struct buffer *patch, uint32_t at, const struct slot *slot, const struct buffer *item)
{
    const unsigned char *old = slot->bytes, *new = (const unsigned char *)item->bytes;
    size_t most = slot->length < item->length ? slot->length : item->length;
    size_t first = 0, last = 0;
    while (first < most && old[first] == new[first])
        first++;
    while (last < most - first && old[slot->length - 1 - last] == new[item->length - 1 - last])
        last++;
    put_number(patch, (uint64_t)at * RECORDS + RECORD_MIDDLE);
    put_number(patch, first);
    put_number(patch, slot->length - first - last);
    put_number(patch, item->length - first - last);
    buffer_put(patch, new + first, item->length - first - last);
}

uint32_t item_end(struct snapshot *p, struct buffer *patch)
{
    const struct buffer *item = &p->item;
    uint32_t hash = hash_bytes(item->bytes, p->key_length, 0);
    uint32_t at = snapshot_find(p, hash);
    bool fresh = at == SLOT_NONE;
    if (fresh)
        at = snapshot_add(p, hash);
    struct slot *slot = &p->slots[at];
    slot->round = p->round;
    if (!fresh && slot->length == item->length && memcmp(slot->bytes, item->bytes, item->length) == 0)
        return at;
    if (fresh)
        put_whole(patch, at, item->bytes, item->length);
    else
        put_middle(patch, at, slot, item);
    if (slot->length != item->length)
        slot->bytes = xreallocarray(slot->bytes, item->length, 1);
    memcpy(slot->bytes, item->bytes, item->length);
    slot->length = (uint32_t)item->length;
    return at;
}

uint32_t item_keep(struct snapshot *p)
{
    uint32_t at = snapshot_find(p, hash_bytes(p->item.bytes, p->key_length, 0));
    if (at != SLOT_NONE)
        p->slots[at].round = p->round;
    return at;
}

void item_stays(struct snapshot *p, uint32_t at)
{
    p->slots[at].round = p->round;
}

struct kept_list *item_tenures(struct snapshot *p, uint32_t at)
{
    struct slot *slot = &p->slots[at];
    if (!slot->tenures)
        slot->tenures = xcalloc(1, sizeof *slot->tenures);
    return slot->tenures;
}

void items_sweep(struct snapshot *p, uint32_t parent, struct buffer *patch)
{
    uint32_t *link = children_of(p, parent);
    while (*link != SLOT_NONE) {
        uint32_t at = *link;
        if (p->slots[at].round == p->round) {
            link = &p->slots[at].sibling;
            continue;
        }
        *link = p->slots[at].sibling;
        snapshot_take(p, at, patch);
    }
}

void snapshot_keyframe(const struct snapshot *p, struct buffer *patch)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->slots[i].bytes)
            put_whole(patch, (uint32_t)i, p->slots[i].bytes, p->slots[i].length);
}

/* ---- reading ---- */

static bool reach(struct snapshot *p, size_t at)
{
    if (at >= SLOTS_MOST)
        return false;
    grow_slots(p, at + 1);
    while (p->count <= at)
        p->slots[p->count++] = (struct slot){0};
    return true;
}

static bool replace(struct slot *slot, struct scan *scan, bool whole)
{
    uint64_t first = whole ? 0 : scan_number(scan), cut = whole ? slot->length : scan_number(scan);
    uint64_t added = scan_number(scan);
    if (scan->bad || added > (uint64_t)(scan->end - scan->at) || first > slot->length ||
        cut > slot->length - first)
        return false;
    uint64_t rest = slot->length - first - cut, length = first + added + rest;
    if (length == 0 || length > ITEM_LONGEST)
        return false;
    unsigned char *bytes = slot->bytes;
    if (length > slot->length || !bytes)
        bytes = xreallocarray(bytes, length, 1);
    slot->bytes = bytes;
    memmove(bytes + first + added, bytes + first + cut, rest);
    memcpy(bytes + first, scan->at, added);
    scan->at += added;
    slot->length = (uint32_t)length;
    return true;
}

bool snapshot_apply(struct snapshot *p, const void *patch, size_t length)
{
    struct scan scan = {patch, (const unsigned char *)patch + length, false};
    while (scan.at < scan.end) {
        uint64_t number = scan_number(&scan), at = number / RECORDS;
        if (scan.bad || !reach(p, at))
            return false;
        struct slot *slot = &p->slots[at];
        enum record record = (enum record)(number % RECORDS);
        if (record != RECORD_WHOLE && !slot->bytes)
            return false;
        if (record == RECORD_GONE) {
            free(slot->bytes);
            *slot = (struct slot){0};
        } else if (!replace(slot, &scan, record == RECORD_WHOLE)) {
            return false;
        }
    }
    return true;
}

#include "probe/case/observation_codec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "config/text.h"
#include "probe/election/cluster.h"

/* A forged stretch may refer to a long list or text again and again. */
#define READ_MEMORY_MOST ((size_t)256 << 20)
#define KEPT_MEMORY_MOST ((size_t)64 << 20)
#define ARENA_BYTES ((size_t)64 << 10)
/* Servers list sessions in an order that hardly changes. */
#define MATCH_NEAR 64
#define KINDS (OBSERVED_CAPTURED + 1)
/*
 * Equal fields of equal observations lie beside each other, in a lane: they compress far better than observations
 * beside each other. The first lane holds the texts, then each kind has so many, and before them those that are
 * the same for all kinds. A field has the same lane whatever the fields before it hold. So the lanes of kinds and
 * fields that a later version adds are not read.
 */
#define LANES_EACH 32
#define LANES (1 + (KINDS + 1) * LANES_EACH)
#define UNKNOWN_KIND ((enum observation_kind)KINDS)

struct arena_block {
    struct arena_block *next;
    max_align_t room[];
};

struct kept_settings {
    struct kept_settings *next;
    struct election_settings settings;
    size_t size; /* of all from here on */
};

/* The latest facts of one kind about a server. */
struct latest_facts {
    struct hash_link link;
    unsigned about[2];   /* kind, cluster */
    const char *address; /* of the stretch's texts, each of which is there once */
    int64_t clock_ms;    /* between the server's clock and the observer's */
    const void *list;
    int64_t *steps; /* by which the time of each item of the list grew when it grew last */
    size_t count;
};

struct lane {
    struct buffer out;
    struct scan in;
};

struct coding {
    struct buffer *out; /* NULL: reading */
    struct lane lanes[LANES];
    size_t group, field; /* of lanes; of the next field in it */
    size_t bytes;        /* in the lanes */
    bool bad;
    struct arena_block *arena;
    char *free_at;
    size_t free_room, memory;
    const char **texts; /* from 0; bucket: number + 1 by hash, when writing */
    size_t text_count, text_room;
    uint32_t *buckets;
    size_t bucket_count;
    struct moment at; /* of the latest observation */
    int64_t zxid;     /* ... and its latest transaction */
    struct hash_table latest;
    const void **before; /* see struct list_coding */
    size_t before_room;
    struct kept_settings **kept;
    uint64_t skipped;
    struct pseudonyms *pseudonyms; /* writing; NULL: every text is written as it is */
};

/* ---- memory ---- */

/* Zeroed; NULL: too much for a stretch, which is bad then. */
static void *coding_take(struct coding *c, size_t count, size_t size)
{
    size_t most = c->out ? SIZE_MAX / 2 : READ_MEMORY_MOST - c->memory;
    c->bad = c->bad || count > most / size;
    size_t length = (count * size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    if (c->bad || length > most) {
        c->bad = true;
        return NULL;
    }
    c->memory += length;
    if (length > c->free_room) {
        size_t room = length > ARENA_BYTES ? length : ARENA_BYTES;
        struct arena_block *block = xcalloc(1, sizeof *block + room);
        block->next = c->arena;
        c->arena = block;
        if (length >= ARENA_BYTES)
            return block->room;
        c->free_at = (char *)block->room;
        c->free_room = room;
    }
    void *taken = c->free_at;
    c->free_at += length;
    c->free_room -= length;
    return taken;
}

/* ---- one field ---- */

static struct lane *lane_next(struct coding *c)
{
    return &c->lanes[1 + c->group * LANES_EACH + c->field++ % LANES_EACH];
}

void coding_number(struct coding *c, uint64_t *number)
{
    struct lane *lane = lane_next(c);
    size_t before = lane->out.length;
    if (c->out) {
        put_number(&lane->out, *number);
        c->bytes += lane->out.length - before;
        return;
    }
    *number = scan_number(&lane->in);
    c->bad |= lane->in.bad;
}

static void coding_signed(struct coding *c, int64_t *number)
{
    uint64_t bits = (uint64_t)*number << 1 ^ (*number < 0 ? UINT64_MAX : 0);
    coding_number(c, &bits);
    *number = (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

static void coding_int(struct coding *c, int *number)
{
    int64_t wide = *number;
    coding_signed(c, &wide);
    c->bad |= wide < INT32_MIN || wide > INT32_MAX;
    *number = c->bad ? 0 : (int)wide;
}

/* Unsigned: a stranger's numbers may overflow, and come back the same. */
static void coding_distance(struct coding *c, int64_t *number, int64_t from)
{
    int64_t distance = (int64_t)((uint64_t)*number - (uint64_t)from);
    coding_signed(c, &distance);
    *number = (int64_t)((uint64_t)from + (uint64_t)distance);
}

static void coding_enum(struct coding *c, unsigned *number, unsigned last)
{
    uint64_t wide = *number;
    coding_number(c, &wide);
    c->bad |= wide > last && !c->out;
    *number = c->bad ? 0 : (unsigned)wide;
}

void coding_flag(struct coding *c, bool *flag)
{
    unsigned number = *flag;
    coding_enum(c, &number, 1);
    *flag = number != 0;
}

static void coding_uint32(struct coding *c, uint32_t *number)
{
    uint64_t wide = *number;
    coding_number(c, &wide);
    *number = (uint32_t)wide;
}

static void coding_bytes(struct coding *c, const void **bytes, size_t *length)
{
    struct lane *lane = lane_next(c);
    size_t before = lane->out.length;
    if (c->out) {
        put_bytes(&lane->out, *bytes, *length);
        c->bytes += lane->out.length - before;
        return;
    }
    *bytes = scan_piece(&lane->in, length);
    c->bad |= lane->in.bad;
}

/* How many follow, each of them a byte at least of the next lane. */
static size_t coding_count(struct coding *c, size_t count)
{
    uint64_t number = count;
    coding_number(c, &number);
    const struct scan *next = &c->lanes[1 + c->group * LANES_EACH + c->field % LANES_EACH].in;
    c->bad |= !c->out && number > (uint64_t)(next->end - next->at);
    return c->bad ? 0 : (size_t)number;
}

/* ---- texts ---- */

static void texts_add(struct coding *c, const char *text)
{
    room_for_one(&c->texts, c->text_count, &c->text_room, sizeof *c->texts);
    c->texts[c->text_count++] = text;
}

static uint32_t *texts_bucket(const struct coding *c, const char *text, size_t length)
{
    size_t i = hash_bytes(text, length, 0) & (c->bucket_count - 1);
    while (c->buckets[i] && strcmp(c->texts[c->buckets[i] - 1], text) != 0)
        i = (i + 1) & (c->bucket_count - 1);
    return &c->buckets[i];
}

static void texts_grow(struct coding *c)
{
    free(c->buckets);
    c->bucket_count = c->bucket_count ? c->bucket_count * 4 : 256;
    c->buckets = xcalloc(c->bucket_count, sizeof *c->buckets);
    for (size_t i = 0; i < c->text_count; i++)
        *texts_bucket(c, c->texts[i], strlen(c->texts[i])) = (uint32_t)i + 1;
}

/* Its number from 1. */
static uint32_t texts_number(struct coding *c, const char *text)
{
    size_t length = strlen(text);
    if (c->text_count * 2 >= c->bucket_count)
        texts_grow(c);
    uint32_t *bucket = texts_bucket(c, text, length);
    if (*bucket == 0) {
        char *copy = coding_take(c, length + 1, 1);
        memcpy(copy, text, length);
        texts_add(c, copy);
        *bucket = (uint32_t)c->text_count;
        put_bytes(&c->lanes[0].out, text, length);
        c->bytes += length + 1;
    }
    return *bucket;
}

static void texts_read(struct coding *c)
{
    struct scan *in = &c->lanes[0].in;
    while (!c->bad && in->at < in->end) {
        size_t length;
        const char *piece = scan_piece(in, &length);
        char *copy = piece ? coding_take(c, length + 1, 1) : NULL;
        if (!copy || memchr(piece, '\0', length)) {
            c->bad = true;
            return;
        }
        memcpy(copy, piece, length);
        texts_add(c, copy);
    }
}

void coding_plain(struct coding *c, const char **text, bool needed)
{
    uint64_t number = c->out && *text ? texts_number(c, *text) : 0;
    coding_number(c, &number);
    c->bad |= number > c->text_count || (needed && !number && !c->out);
    *text = number && !c->bad ? c->texts[number - 1] : NULL;
}

void coding_text(struct coding *c, const char **text, bool needed)
{
    if (c->pseudonyms && *text)
        *text = pseudonyms_text(c->pseudonyms, *text);
    coding_plain(c, text, needed);
}

/* In this program's words, or NULL. */
static void coding_sentence(struct coding *c, const char **text)
{
    if (c->pseudonyms && *text)
        *text = pseudonyms_sentence(c->pseudonyms, *text);
    coding_plain(c, text, false);
}

static void coding_strings(struct coding *c, const char *const **list, size_t *count)
{
    *count = coding_count(c, *count);
    const char **texts = coding_take(c, *count, sizeof *texts);
    size_t lane = c->field;
    for (size_t i = 0; texts && i < *count; i++) {
        c->field = lane;
        texts[i] = c->out ? (*list)[i] : NULL;
        coding_text(c, &texts[i], true);
    }
    c->field = lane + 1;
    *list = texts;
}

/* ---- a znode ---- */

#define STAT_LANES 11

static void stat_coding(struct coding *c, struct znode_stat *stat)
{
    coding_distance(c, &stat->czxid, c->zxid);
    coding_distance(c, &stat->mzxid, stat->czxid);
    coding_distance(c, &stat->pzxid, stat->czxid);
    coding_signed(c, &stat->ctime_ms);
    coding_distance(c, &stat->mtime_ms, stat->ctime_ms);
    coding_int(c, &stat->version);
    coding_int(c, &stat->cversion);
    coding_int(c, &stat->aversion);
    coding_int(c, &stat->data_length);
    coding_int(c, &stat->children);
    coding_number(c, &stat->owner);
    c->zxid = stat->czxid;
}

/* NULL where it may be. */
static void stat_there(struct coding *c, const struct znode_stat **stat, bool needed)
{
    bool there = c->out && *stat;
    coding_flag(c, &there);
    size_t lane = c->field;
    struct znode_stat *copy = there ? coding_take(c, 1, sizeof *copy) : NULL;
    if (copy && c->out)
        *copy = **stat;
    if (copy)
        stat_coding(c, copy);
    c->field = lane + STAT_LANES;
    *stat = copy;
    c->bad |= needed && !copy;
}

static void children_coding(struct coding *c, struct observed_children *o)
{
    const char *const *names = (const char *const *)o->names;
    stat_there(c, &o->stat, true);
    coding_strings(c, &names, &o->count);
    coding_distance(c, &o->synced_us, c->at.mono_us);
    o->names = (char *const *)(uintptr_t)names;
}

static void node_coding(struct coding *c, struct observed_node *o)
{
    stat_there(c, &o->stat, true);
    coding_flag(c, &o->has_data);
    size_t lane = c->field;
    if (o->has_data && c->pseudonyms)
        o->data = pseudonyms_data(c->pseudonyms, o->data, &o->data_length);
    if (o->has_data)
        coding_bytes(c, &o->data, &o->data_length);
    c->field = lane + 1;
}

/* ---- lists of a server, as differences to the latest ---- */

struct list_coding {
    size_t count, size;
    char *items; /* of size bytes each */
    int64_t *steps;
    struct latest_facts
        *latest; /* its list is to be replaced; c->before: each item's in it; NULL: it is new */
};

static uint32_t latest_hash(const struct hash_link *link)
{
    const struct latest_facts *l = HASH_ENTRY(link, struct latest_facts, link);
    return hash_bytes(l->about, sizeof l->about, (uintptr_t)l->address);
}

static struct latest_facts *latest_of(struct coding *c, const struct observation *o, const char *address)
{
    struct latest_facts key = {.about = {o->kind, o->cluster}, .address = address}, *l;
    struct hash_link *link = hash_table_first(&c->latest, latest_hash(&key.link));
    for (; link; link = link->next) {
        l = HASH_ENTRY(link, struct latest_facts, link);
        if (l->address == address && memcmp(l->about, key.about, sizeof key.about) == 0)
            return l;
    }
    if ((l = coding_take(c, 1, sizeof *l))) {
        *l = key;
        hash_table_add(&c->latest, &l->link);
    }
    return l;
}

/* A time of the server's clock, -1 if it is unknown, by the observer's at the same time. */
static void coding_clock(struct coding *c, const struct observation *o, const char *address, int64_t *ms)
{
    struct latest_facts *l = address ? latest_of(c, o, address) : NULL;
    bool known = *ms != -1;
    int64_t at_ms = o->at.mono_us / 1000;
    coding_flag(c, &known);
    *ms = known ? *ms : -1;
    size_t lane = c->field;
    if (known && l) {
        coding_distance(c, ms, (int64_t)((uint64_t)l->clock_ms + (uint64_t)at_ms));
        l->clock_ms = (int64_t)((uint64_t)*ms - (uint64_t)at_ms);
    }
    c->field = lane + 1;
}

/* The first member of an item is its session. */
static uint64_t session_at(const char *items, size_t size, size_t i)
{
    uint64_t session;
    memcpy(&session, items + i * size, sizeof session);
    return session;
}

/* Where the latest list has it, near the expected place; its count: nowhere. */
static size_t list_find(const struct list_coding *l, uint64_t session, size_t expected)
{
    size_t from = expected > MATCH_NEAR ? expected - MATCH_NEAR : 0;
    size_t until = expected + MATCH_NEAR < l->latest->count ? expected + MATCH_NEAR : l->latest->count;
    for (size_t i = expected; i < until; i++)
        if (session_at(l->latest->list, l->size, i) == session)
            return i;
    for (size_t i = from; i < expected && i < until; i++)
        if (session_at(l->latest->list, l->size, i) == session)
            return i;
    return l->latest->count;
}

/* The item's place in the latest list, as a distance from the expected one, or its session. False: bad. */
static bool item_match(struct coding *c, struct list_coding *l, size_t i, size_t *expected)
{
    uint64_t session = session_at(l->items, l->size, i), number = 0;
    size_t at = c->out ? list_find(l, session, *expected) : 0;
    if (c->out && at < l->latest->count)
        number = at >= *expected ? (at - *expected) * 2 + 1 : (*expected - at) * 2;
    coding_number(c, &number);
    if (!c->out)
        at = number & 1 ? *expected + (size_t)(number / 2) : *expected - (size_t)(number / 2);
    c->bad |= number != 0 && at >= l->latest->count;
    c->before[i] = NULL;
    if (number == 0)
        coding_number(c, &session);
    if (number == 0 || c->bad) {
        memcpy(l->items + i * l->size, &session, sizeof session);
        return !c->bad;
    }
    c->before[i] = (const char *)l->latest->list + at * l->size;
    session = session_at(l->latest->list, l->size, at);
    memcpy(l->items + i * l->size, &session, sizeof session);
    l->steps[i] = l->latest->steps[at];
    *expected = at + 1;
    return true;
}

static bool same_sessions(const struct list_coding *l, const char *items, size_t count)
{
    bool same = count == l->latest->count;
    for (size_t i = 0; same && i < count; i++)
        same = session_at(items, l->size, i) == session_at(l->latest->list, l->size, i);
    return same;
}

/* False: bad. list: when writing. */
static bool list_begin(struct coding *c, struct list_coding *l, const struct observation *o,
                       const char *address, const void *list, size_t count, size_t size)
{
    size_t expected = 0;
    l->size = size;
    l->latest = address ? latest_of(c, o, address) : NULL;
    if (!l->latest)
        return false;
    bool same = c->out && same_sessions(l, list, count);
    coding_flag(c, &same);
    size_t lane = c->field;
    l->count = same ? l->latest->count : coding_count(c, count);
    l->items = coding_take(c, l->count, size);
    l->steps = coding_take(c, l->count, sizeof *l->steps);
    if (c->bad)
        return false;
    if (l->count > c->before_room) {
        c->before_room = l->count * 2;
        c->before = xreallocarray(c->before, c->before_room, sizeof *c->before);
    }
    if (c->out && l->count)
        memcpy(l->items, list, l->count * size);
    for (size_t i = 0; i < l->count && !c->bad; i++) {
        c->field = lane + 1;
        if (!same) {
            item_match(c, l, i, &expected);
            continue;
        }
        c->before[i] = (const char *)l->latest->list + i * size;
        l->steps[i] = l->latest->steps[i];
        memcpy(l->items + i * size, c->before[i], sizeof(uint64_t));
    }
    c->field = lane + 3;
    return !c->bad;
}

static void list_end(struct list_coding *l)
{
    l->latest->list = l->items;
    l->latest->steps = l->steps;
    l->latest->count = l->count;
}

/* The members of an item that may differ from the latest list's. */
struct list_column {
    size_t offset;
    enum { COLUMN_TIME, COLUMN_NUMBER, COLUMN_INT, COLUMN_TEXT } kind;
};

static const struct list_column connection_columns[] = {
    {offsetof(struct seen_connection, last_response_ms), COLUMN_TIME},
    {offsetof(struct seen_connection, last_zxid), COLUMN_NUMBER},
    {offsetof(struct seen_connection, last_cxid), COLUMN_NUMBER},
    {offsetof(struct seen_connection, last_operation), COLUMN_TEXT},
    {offsetof(struct seen_connection, client), COLUMN_TEXT},
    {offsetof(struct seen_connection, established_ms), COLUMN_NUMBER},
    {offsetof(struct seen_connection, timeout_ms), COLUMN_INT},
    {offsetof(struct seen_connection, outstanding), COLUMN_INT}};
static const struct list_column session_columns[] = {{offsetof(struct seen_session, ends_ms), COLUMN_TIME}};

#define COLUMNS_MOST 8

struct column_value {
    int64_t number;
    const char *text;
};

static struct column_value column_get(const struct list_column *column, const char *item)
{
    struct column_value value = {0};
    int number;
    if (column->kind == COLUMN_INT)
        memcpy(&number, item + column->offset, sizeof number);
    else if (column->kind == COLUMN_TEXT)
        memcpy(&value.text, item + column->offset, sizeof value.text);
    else
        memcpy(&value.number, item + column->offset, sizeof value.number);
    value.number = column->kind == COLUMN_INT ? number : value.number;
    return value;
}

static void column_set(struct coding *c, const struct list_column *column, char *item,
                       struct column_value value)
{
    int number = (int)value.number;
    if (column->kind == COLUMN_INT)
        memcpy(item + column->offset, &number, sizeof number);
    else if (column->kind == COLUMN_TEXT)
        memcpy(item + column->offset, &value.text, sizeof value.text);
    else
        memcpy(item + column->offset, &value.number, sizeof value.number);
    c->bad |= column->kind == COLUMN_INT && number != value.number;
}

/* Bits of the members that differ, and their values. */
static uint64_t item_compare(struct coding *c, const struct list_column *columns, size_t count,
                             const char *item, const char *before, struct column_value *values)
{
    uint64_t differ = 0;
    for (size_t k = 0; k < count; k++) {
        struct column_value was = before ? column_get(&columns[k], before) : (struct column_value){0};
        values[k] = column_get(&columns[k], item);
        if (c->pseudonyms && values[k].text) {
            uint32_t number = texts_number(c, pseudonyms_text(c->pseudonyms, values[k].text));
            values[k].text = c->texts[number - 1];
        }
        bool same =
            values[k].text && was.text ? strcmp(values[k].text, was.text) == 0 : values[k].text == was.text;
        differ |= (uint64_t)(!same || values[k].number != was.number) << k;
    }
    return differ;
}

/* A time grows by about as much as it grew before. */
static void item_member(struct coding *c, const struct list_column *column, char *item,
                        struct column_value value, int64_t *step)
{
    int64_t was = column_get(column, item).number, grown = column->kind == COLUMN_TIME ? *step : 0;
    if (column->kind == COLUMN_TEXT)
        coding_plain(c, &value.text, false);
    else
        coding_distance(c, &value.number, (int64_t)((uint64_t)was + (uint64_t)grown));
    if (column->kind == COLUMN_TIME && was != 0)
        *step = (int64_t)((uint64_t)value.number - (uint64_t)was);
    column_set(c, column, item, value);
}

/* Of each item the members that differ from the latest list's. */
static void list_columns(struct coding *c, struct list_coding *l, const struct list_column *columns,
                         size_t count)
{
    struct column_value values[COLUMNS_MOST] = {{0}};
    size_t lane = c->field;
    for (size_t i = 0; i < l->count && !c->bad; i++) {
        char *item = l->items + i * l->size;
        const char *before = c->before[i];
        uint64_t differ = c->out ? item_compare(c, columns, count, item, before, values) : 0;
        c->field = lane;
        coding_number(c, &differ);
        if (before)
            memcpy(item, before, l->size);
        else
            memset(item + sizeof(uint64_t), 0, l->size - sizeof(uint64_t));
        for (size_t k = 0; differ && k < count; k++) {
            c->field = lane + 1 + k;
            if (differ >> k & 1)
                item_member(c, &columns[k], item, values[k], &l->steps[i]);
        }
    }
    c->field = lane + 1 + count;
}

static void connections_list(struct coding *c, const struct observation *o, struct observed_connections *list)
{
    struct list_coding l;
    if (!list_begin(c, &l, o, list->address, list->list, list->count, sizeof *list->list))
        return;
    list_columns(c, &l, connection_columns, sizeof connection_columns / sizeof *connection_columns);
    list_end(&l);
    list->list = (const struct seen_connection *)(void *)l.items;
    list->count = l.count;
    for (size_t i = 0; i < l.count; i++)
        c->bad |= !list->list[i].client;
}

static void connections_coding(struct coding *c, struct observation *o)
{
    struct observed_connections *list = &o->connections;
    coding_text(c, &list->address, true);
    coding_clock(c, o, list->address, &list->now_ms);
    coding_signed(c, &list->now_age_us);
    coding_signed(c, &list->took_us);
    coding_signed(c, &list->own_children);
    coding_uint32(c, &list->source);
    coding_signed(c, &list->own_zxid);
    list->own_session_count = coding_count(c, list->own_session_count);
    uint64_t *own = coding_take(c, list->own_session_count, sizeof *own);
    size_t lane = c->field;
    for (size_t i = 0; own && i < list->own_session_count; i++) {
        c->field = lane;
        own[i] = c->out ? list->own_sessions[i] : 0;
        coding_number(c, &own[i]);
    }
    c->field = lane + 1;
    list->own_sessions = own;
    connections_list(c, o, list);
}

static bool same_paths(const struct seen_watches *a, const struct seen_watches *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->paths[i], b->paths[i]) == 0;
    return same;
}

static void watches_list(struct coding *c, const struct observation *o, struct observed_watches *list)
{
    struct list_coding l;
    if (!list_begin(c, &l, o, list->address, list->list, list->count, sizeof *list->list))
        return;
    struct seen_watches *items = (struct seen_watches *)(void *)l.items;
    size_t lane = c->field;
    for (size_t i = 0; i < l.count && !c->bad; i++) {
        const struct seen_watches *before = c->before[i];
        c->field = lane;
        bool same = before && c->out && same_paths(&items[i], before);
        if (before)
            coding_flag(c, &same);
        c->field = lane + 1;
        if (before && same)
            items[i] = *before;
        else
            coding_strings(c, &items[i].paths, &items[i].count);
    }
    c->field = lane + 3;
    list_end(&l);
    list->list = items;
    list->count = l.count;
}

static void watches_coding(struct coding *c, struct observation *o)
{
    static const char *const from[] = {"adminserver", "four-letter"};
    struct observed_watches *list = &o->watches;
    unsigned which = c->out && strcmp(list->from, from[0]) != 0;
    coding_text(c, &list->address, true);
    coding_enum(c, &which, 1);
    list->from = from[which];
    coding_uint32(c, &list->source);
    coding_signed(c, &list->child_watches);
    coding_distance(c, &list->counted_us, c->at.mono_us);
    watches_list(c, o, list);
}

static void sessions_coding(struct coding *c, struct observation *o)
{
    struct observed_sessions *list = &o->sessions;
    struct list_coding l;
    coding_text(c, &list->address, true);
    if (!list_begin(c, &l, o, list->address, list->list, list->count, sizeof *list->list))
        return;
    list_columns(c, &l, session_columns, sizeof session_columns / sizeof *session_columns);
    list_end(&l);
    list->list = (const struct seen_session *)(void *)l.items;
    list->count = l.count;
}

/* ---- an election's settings ---- */

#define SETTINGS_LANES 16

static void settings_text(struct coding *c, char **text, bool needed)
{
    const char *words = *text;
    coding_text(c, &words, needed);
    *text = (char *)(uintptr_t)words;
}

static void settings_coding(struct coding *c, struct election_settings *s)
{
    settings_text(c, &s->path, true);
    settings_text(c, &s->name, false);
    coding_enum(c, &s->kind, KIND_AUTO);
    settings_text(c, &s->recipe, true);
    settings_text(c, &s->acknowledgement, false);
    settings_text(c, &s->identity, false);
    coding_enum(c, &s->inject, INJECT_LIVE);
    settings_text(c, &s->owner, false);
    settings_text(c, &s->runbook, false);
    coding_signed(c, &s->allow.vacancy_ms);
    coding_signed(c, &s->allow.failover_ms);
    coding_int(c, &s->allow.silent_percent);
    coding_int(c, &s->allow.leader_changes);
    coding_signed(c, &s->allow.leader_changes_ms);
    coding_signed(c, &s->allow.timeout_least_ms);
    coding_signed(c, &s->allow.timeout_most_ms);
}

#define SETTINGS_TEXTS 7

static size_t settings_texts(struct election_settings *s, char **texts[SETTINGS_TEXTS])
{
    char **all[SETTINGS_TEXTS] = {&s->path,     &s->name,  &s->recipe, &s->acknowledgement,
                                  &s->identity, &s->owner, &s->runbook};
    size_t size = sizeof(struct kept_settings);
    memcpy(texts, all, sizeof all);
    for (size_t i = 0; i < SETTINGS_TEXTS; i++)
        size += *all[i] ? strlen(*all[i]) + 1 : 0;
    return size;
}

static bool same_settings(struct election_settings *a, struct election_settings *b)
{
    char **texts[SETTINGS_TEXTS], **others[SETTINGS_TEXTS];
    bool same =
        a->kind == b->kind && a->inject == b->inject && memcmp(&a->allow, &b->allow, sizeof a->allow) == 0;
    settings_texts(a, texts);
    settings_texts(b, others);
    for (size_t i = 0; same && i < SETTINGS_TEXTS; i++)
        same = *texts[i] && *others[i] ? strcmp(*texts[i], *others[i]) == 0 : *texts[i] == *others[i];
    return same;
}

/* The same settings are kept once: each election may name them again and again. */
static const struct election_settings *settings_keep(struct coding *c, struct election_settings *s)
{
    char **texts[SETTINGS_TEXTS];
    struct kept_settings *k = *c->kept;
    while (k && !same_settings(&k->settings, s))
        k = k->next;
    if (k)
        return &k->settings;
    size_t size = settings_texts(s, texts) + (*c->kept ? (*c->kept)->size : 0);
    if (size > KEPT_MEMORY_MOST) {
        c->bad = true;
        return NULL;
    }
    k = xcalloc(1, sizeof *k);
    *k = (struct kept_settings){*c->kept, *s, size};
    settings_texts(&k->settings, texts);
    for (size_t i = 0; i < SETTINGS_TEXTS; i++)
        *texts[i] = text_copy(*texts[i]);
    *c->kept = k;
    return &k->settings;
}

void kept_settings_free(struct kept_settings *kept)
{
    while (kept) {
        struct kept_settings *next = kept->next;
        char **texts[SETTINGS_TEXTS];
        settings_texts(&kept->settings, texts);
        for (size_t i = 0; i < SETTINGS_TEXTS; i++)
            free(*texts[i]);
        free(kept);
        kept = next;
    }
}

static void election_coding(struct coding *c, struct observed_election *o)
{
    struct election_settings s = {.path = NULL};
    bool there = c->out && o->settings;
    if (there)
        s = *o->settings;
    coding_enum(c, &o->origin, ORIGIN_ORPHANED);
    coding_flag(c, &there);
    size_t lane = c->field;
    if (there)
        settings_coding(c, &s);
    c->field = lane + SETTINGS_LANES;
    if (!c->out)
        o->settings = there && !c->bad ? settings_keep(c, &s) : NULL;
}

/* ---- the other kinds ---- */

static void connection_coding(struct coding *c, struct observed_connection *o)
{
    coding_enum(c, &o->state, CONNECTION_REFUSED);
    coding_number(c, &o->session);
    coding_int(c, &o->timeout_ms);
    coding_text(c, &o->server, false);
    coding_signed(c, &o->silent_us);
    coding_sentence(c, &o->problem);
    coding_flag(c, &o->sees_all);
    coding_flag(c, &o->no_chroot);
}

static void server_coding(struct coding *c, struct observed_server *o)
{
    coding_text(c, &o->address, true);
    coding_flag(c, &o->unasked);
    coding_flag(c, &o->reachable);
    coding_enum(c, &o->mode, SERVER_READ_ONLY);
    coding_signed(c, &o->answer_us);
    coding_signed(c, &o->zxid);
    coding_int(c, &o->connections);
    coding_int(c, &o->tick_ms);
    coding_text(c, &o->version, false);
    coding_sentence(c, &o->problem);
}

static void load_coding(struct coding *c, const struct observation *o, struct observed_load *seen)
{
    struct server_load *load = &seen->load;
    coding_text(c, &seen->address, true);
    coding_flag(c, &seen->part);
    coding_signed(c, &load->id);
    coding_clock(c, o, seen->address, &load->uptime_ms);
    coding_signed(c, &load->latency_min_us);
    coding_signed(c, &load->latency_avg_us);
    coding_signed(c, &load->latency_max_us);
    coding_signed(c, &load->outstanding);
    coding_signed(c, &load->znodes);
    coding_signed(c, &load->ephemerals);
    coding_signed(c, &load->watches);
    coding_signed(c, &load->address_connections_most);
    coding_signed(c, &load->slow_fsyncs);
}

static void replica_coding(struct coding *c, struct observed_replica *o)
{
    coding_uint32(c, &o->round);
    coding_text(c, &o->address, false);
    stat_there(c, &o->stat, false);
}

static void transaction_coding(struct coding *c, struct observed_transaction *o)
{
    coding_signed(c, &o->zxid);
    coding_flag(c, &o->unproven);
    coding_enum(c, &o->deed, DEED_EXPIRED);
    coding_number(c, &o->session);
    coding_signed(c, &o->czxid);
    coding_int(c, &o->timeout_ms);
    coding_flag(c, &o->stalled);
    coding_distance(c, &o->active_us, c->at.mono_us);
    coding_flag(c, &o->captured);
    coding_distance(c, &o->heard_us, c->at.mono_us);
    coding_distance(c, &o->gone_us, c->at.mono_us);
}

static void captured_coding(struct coding *c, struct observed_captured *o)
{
    coding_enum(c, &o->step, CAPTURED_OVER);
    coding_text(c, &o->address, true);
    coding_number(c, &o->session);
    coding_text(c, &o->client, o->session != 0); /* 0: of a server */
    coding_int(c, &o->timeout_ms);
    coding_flag(c, &o->connected);
    coding_flag(c, &o->watches_known);
    coding_distance(c, &o->heard_us, c->at.mono_us);
    coding_distance(c, &o->asked_us, c->at.mono_us);
    o->count = coding_count(c, o->count);
    struct captured_watch *watches = coding_take(c, o->count, sizeof *watches);
    if (!watches)
        o->count = 0;
    size_t lane = c->field;
    for (size_t i = 0; i < o->count; i++) {
        c->field = lane;
        if (c->out)
            watches[i] = o->watches[i];
        const char *path = watches[i].path;
        coding_text(c, &path, true);
        coding_enum(c, &watches[i].kind, WATCH_RECURSIVE);
        coding_distance(c, &watches[i].since_us, c->at.mono_us);
        watches[i].path = (char *)(uintptr_t)path;
    }
    c->field = lane + 3;
    o->watches = watches;
}

static void payload_coding(struct coding *c, struct observation *o)
{
    switch (o->kind) {
    case OBSERVED_CONNECTION:
        connection_coding(c, &o->connection);
        break;
    case OBSERVED_SERVER:
        server_coding(c, &o->server);
        break;
    case OBSERVED_ELECTION:
        election_coding(c, &o->subject);
        break;
    case OBSERVED_CHILDREN:
        children_coding(c, &o->children);
        break;
    case OBSERVED_NODE:
        node_coding(c, &o->node);
        break;
    case OBSERVED_UNREAD:
        coding_flag(c, &o->unread.ack);
        break;
    case OBSERVED_GAP:
        coding_signed(c, &o->gap_us);
        break;
    case OBSERVED_CONNECTIONS:
        connections_coding(c, o);
        break;
    case OBSERVED_WATCHES:
        watches_coding(c, o);
        break;
    case OBSERVED_SESSIONS:
        sessions_coding(c, o);
        break;
    case OBSERVED_HIDDEN:
        coding_text(c, &o->hidden.address, true);
        coding_enum(c, &o->hidden.part, HIDDEN_SESSIONS);
        coding_sentence(c, &o->hidden.problem);
        break;
    case OBSERVED_REPLICA:
        replica_coding(c, &o->replica);
        break;
    case OBSERVED_SILENCE:
        coding_signed(c, &o->silent_since.mono_us);
        coding_signed(c, &o->silent_since.wall_us);
        break;
    case OBSERVED_ENSEMBLE:
        coding_strings(c, &o->ensemble.addresses, &o->ensemble.count);
        coding_enum(c, &o->ensemble.known, ENSEMBLE_PART);
        break;
    case OBSERVED_LOAD:
        load_coding(c, o, &o->load);
        break;
    case OBSERVED_BAD_REPLY:
        coding_text(c, &o->bad_reply.address, true);
        coding_sentence(c, &o->bad_reply.what);
        c->bad |= !o->bad_reply.what;
        break;
    case OBSERVED_TRANSACTION:
        transaction_coding(c, &o->transaction);
        break;
    case OBSERVED_CAPTURED:
        captured_coding(c, &o->captured);
        break;
    case OBSERVED_DROPPED:
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
    case OBSERVED_TICK:
    case OBSERVED_CLEARED:
    case OBSERVED_READ:
        break;
    }
}

/* The same for all kinds, known or not. The first field is the kind. */
static void observation_coding(struct coding *c, struct observation *o)
{
    uint64_t kind = o->kind;
    c->group = c->field = 0;
    coding_number(c, &kind);
    int64_t wall_us = (int64_t)((uint64_t)c->at.wall_us - (uint64_t)c->at.mono_us);
    uint64_t cluster = o->cluster;
    coding_distance(c, &o->at.mono_us, c->at.mono_us);
    coding_distance(c, &o->at.wall_us, (int64_t)((uint64_t)wall_us + (uint64_t)o->at.mono_us));
    coding_number(c, &cluster);
    coding_text(c, &o->election, false);
    coding_text(c, &o->path, false);
    o->cluster = (unsigned)cluster;
    o->kind = kind < KINDS ? (enum observation_kind)kind : UNKNOWN_KIND;
    c->at = o->at;
    c->group = (size_t)o->kind + 1;
    c->field = 0;
}

/* ---- a stretch ---- */

struct coding *coding_write(struct buffer *out)
{
    struct coding *c = xcalloc(1, sizeof *c);
    c->latest.hash_of = latest_hash;
    c->out = out;
    return c;
}

void coding_rename(struct coding *c, struct pseudonyms *pseudonyms)
{
    c->pseudonyms = pseudonyms;
}

/* The lanes that are not empty, each after its distance from the one before. */
struct coding *coding_read(const void *bytes, size_t length, struct kept_settings **kept)
{
    struct coding *c = xcalloc(1, sizeof *c);
    c->latest.hash_of = latest_hash;
    struct scan in = {bytes, (const unsigned char *)bytes + length, false};
    uint64_t lane = 0;
    c->kept = kept;
    while (in.at < in.end && !in.bad) {
        lane += scan_below(&in, UINT32_MAX);
        size_t size;
        const unsigned char *piece = (const unsigned char *)scan_piece(&in, &size);
        if (piece && lane < LANES)
            c->lanes[lane].in = (struct scan){piece, piece + size, false};
    }
    c->bad = in.bad;
    texts_read(c);
    return c;
}

void coding_finish(struct coding *c)
{
    size_t before = 0;
    for (size_t i = 0; i < LANES; i++) {
        if (c->lanes[i].out.length == 0)
            continue;
        put_number(c->out, i - before);
        put_bytes(c->out, c->lanes[i].out.bytes, c->lanes[i].out.length);
        before = i;
    }
}

void coding_free(struct coding *c)
{
    if (!c)
        return;
    while (c->arena) {
        struct arena_block *next = c->arena->next;
        free(c->arena);
        c->arena = next;
    }
    for (size_t i = 0; i < LANES; i++)
        buffer_free(&c->lanes[i].out);
    hash_table_clear(&c->latest);
    free(c->texts);
    free(c->buckets);
    free(c->before);
    free(c);
}

void coding_put(struct coding *c, const struct observation *observation)
{
    struct observation o = *observation;
    observation_coding(c, &o);
    payload_coding(c, &o);
}

bool coding_get(struct coding *c, struct observation *o)
{
    while (!c->bad && c->lanes[1].in.at < c->lanes[1].in.end) {
        *o = (struct observation){.kind = OBSERVED_TICK};
        observation_coding(c, o);
        c->skipped += o->kind == UNKNOWN_KIND;
        if (o->kind == UNKNOWN_KIND)
            continue;
        payload_coding(c, o);
        if (!c->bad)
            return true;
    }
    return false;
}

bool coding_writes(const struct coding *c)
{
    return c->out != NULL;
}

bool coding_is_bad(const struct coding *c)
{
    return c->bad;
}

size_t coding_length(const struct coding *c)
{
    return c->bytes;
}

size_t coding_memory(const struct coding *c)
{
    return c->memory;
}

uint64_t coding_skipped(const struct coding *c)
{
    return c->skipped;
}

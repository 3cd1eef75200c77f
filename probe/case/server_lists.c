#include "probe/case/server_lists.h"

#include <stddef.h>
#include <string.h>

#include "config/memory.h"
#include "probe/case/coding.h"

/* Servers list sessions in an order that hardly changes. */
#define MATCH_NEAR 64

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
    c->latest.hash_of = latest_hash;
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

void server_lists_clock(struct coding *c, const struct observation *o, const char *address, int64_t *ms)
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
        if (c->pseudonyms && values[k].text)
            values[k].text = coding_kept_text(c, pseudonyms_text(c->pseudonyms, values[k].text));
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

void server_lists_connections(struct coding *c, struct observation *o)
{
    struct observed_connections *list = &o->connections;
    coding_text(c, &list->address, true);
    server_lists_clock(c, o, list->address, &list->now_ms);
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
    if (a->count == 0 || !a->kinds != !b->kinds)
        return same && a->count == 0;
    return same && (!a->kinds || memcmp(a->kinds, b->kinds, a->count) == 0);
}

/* ... of each path. */
static void kinds_coding(struct coding *c, struct seen_watches *seen)
{
    size_t lane = c->field;
    uint8_t *kinds = coding_take(c, seen->count, sizeof *kinds);
    for (size_t i = 0; kinds && i < seen->count; i++) {
        unsigned kind = c->out ? seen->kinds[i] : 0;
        c->field = lane;
        coding_enum(c, &kind, WATCH_RECURSIVE);
        kinds[i] = (uint8_t)kind;
    }
    seen->kinds = kinds;
}

static void watches_list(struct coding *c, const struct observation *o, struct observed_watches *list,
                         bool kinds)
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
        if (before && same) {
            items[i] = *before;
            continue;
        }
        coding_strings(c, &items[i].paths, &items[i].count);
        c->field = lane + 3;
        if (kinds)
            kinds_coding(c, &items[i]);
    }
    c->field = lane + 4;
    list_end(&l);
    list->list = items;
    list->count = l.count;
}

void server_lists_watches(struct coding *c, struct observation *o)
{
    static const char *const from[] = {"adminserver", "four-letter",
                                       "adminserver"}; /* the last: with kinds */
    struct observed_watches *list = &o->watches;
    unsigned which = !c->out                                ? 0
                     : strcmp(list->from, from[0]) != 0     ? 1
                     : list->count > 0 && list->list->kinds ? 2
                                                            : 0;
    coding_text(c, &list->address, true);
    coding_enum(c, &which, 2);
    list->from = from[which];
    coding_uint32(c, &list->source);
    coding_signed(c, &list->child_watches);
    coding_distance(c, &list->counted_us, c->at.mono_us);
    watches_list(c, o, list, which == 2);
}

void server_lists_sessions(struct coding *c, struct observation *o)
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

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
/* A record is the next text, the head, or an observation. */
enum { RECORD_TEXT, RECORD_HEAD, RECORD_OBSERVATION };
#define KINDS (OBSERVED_CAPTURED + 1)

struct arena_block {
    struct arena_block *next;
    max_align_t room[];
};

struct kept_settings {
    struct kept_settings *next;
    struct election_settings settings;
    size_t size; /* of all from here on */
};

/* The latest list of a server. */
struct latest_list {
    struct latest_list *next;
    unsigned kind, cluster;
    const char *address;
    const void *list;
    size_t count;
};

struct coding {
    struct buffer *out, item; /* writing: item becomes a record of out; out NULL: reading */
    struct scan in;
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
    struct latest_list *lists;
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

void coding_number(struct coding *c, uint64_t *number)
{
    if (c->out)
        put_number(&c->item, *number);
    else
        *number = scan_number(&c->in);
}

static void coding_signed(struct coding *c, int64_t *number)
{
    if (c->out)
        put_signed(&c->item, *number);
    else
        *number = scan_signed(&c->in);
}

static void coding_int(struct coding *c, int *number)
{
    if (c->out)
        put_signed(&c->item, *number);
    else
        *number = scan_int32(&c->in);
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
    if (c->out)
        put_number(&c->item, *number);
    else
        *number = (unsigned)scan_below(&c->in, (uint64_t)last + 1);
}

void coding_flag(struct coding *c, bool *flag)
{
    unsigned number = *flag;
    coding_enum(c, &number, 1);
    *flag = number != 0;
}

/* How many follow, each of them a byte at least. */
static size_t coding_count(struct coding *c, size_t count)
{
    uint64_t number = count;
    coding_number(c, &number);
    if (!c->out && (c->in.bad || number > (uint64_t)(c->in.end - c->in.at))) {
        c->in.bad = true;
        return 0;
    }
    return (size_t)number;
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

/* Its number from 1; a new one is written before the record that needs it. */
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
        put_number(c->out, RECORD_TEXT);
        put_bytes(c->out, text, length);
    }
    return *bucket;
}

static void texts_read(struct coding *c)
{
    size_t length;
    const char *piece = scan_piece(&c->in, &length);
    char *copy = piece ? coding_take(c, length + 1, 1) : NULL;
    if (!copy || memchr(piece, '\0', length)) {
        c->bad = true;
        return;
    }
    memcpy(copy, piece, length);
    texts_add(c, copy);
}

void coding_plain(struct coding *c, const char **text, bool needed)
{
    uint64_t number = c->out && *text ? texts_number(c, *text) : 0;
    if (c->out)
        put_number(&c->item, number);
    else
        number = scan_below(&c->in, c->text_count + 1);
    *text = number ? c->texts[number - 1] : NULL;
    c->in.bad = c->in.bad || (needed && !number && !c->out);
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
    if (!texts) {
        *count = 0;
        return;
    }
    for (size_t i = 0; i < *count; i++) {
        texts[i] = c->out ? (*list)[i] : NULL;
        coding_text(c, &texts[i], true);
    }
    *list = texts;
}

/* ---- a znode ---- */

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
    struct znode_stat *copy = there ? coding_take(c, 1, sizeof *copy) : NULL;
    if (copy && c->out)
        *copy = **stat;
    if (copy)
        stat_coding(c, copy);
    *stat = copy;
    c->in.bad = c->in.bad || (needed && !copy && !c->out);
}

static void children_coding(struct coding *c, struct observed_children *o)
{
    const char *const *names = (const char *const *)o->names;
    stat_there(c, &o->stat, true);
    coding_strings(c, &names, &o->count);
    coding_signed(c, &o->synced_us);
    o->names = (char *const *)(uintptr_t)names;
}

static void node_coding(struct coding *c, struct observed_node *o)
{
    stat_there(c, &o->stat, true);
    coding_flag(c, &o->has_data);
    if (!o->has_data)
        return;
    if (c->pseudonyms)
        o->data = pseudonyms_data(c->pseudonyms, o->data, &o->data_length);
    if (c->out)
        put_bytes(&c->item, o->data, o->data_length);
    else
        o->data = scan_piece(&c->in, &o->data_length);
}

/* ---- lists of a server, as differences to the latest ---- */

struct list_coding {
    size_t count, size;
    char *items;                /* of size bytes each */
    const void **before;        /* each one's in the latest list; NULL: it is new */
    struct latest_list *latest; /* to be replaced */
};

static struct latest_list *latest_of(struct coding *c, const struct observation *o, const char *address)
{
    struct latest_list *l = c->lists;
    while (l && (l->kind != o->kind || l->cluster != o->cluster || strcmp(l->address, address) != 0))
        l = l->next;
    if (l || !(l = coding_take(c, 1, sizeof *l)))
        return l;
    *l = (struct latest_list){.next = c->lists, .kind = o->kind, .cluster = o->cluster, .address = address};
    c->lists = l;
    return l;
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

/* Each item's place in the latest list, as a distance from the expected one, and the sessions of new items. */
static void list_match(struct coding *c, struct list_coding *l)
{
    size_t expected = 0;
    for (size_t i = 0; i < l->count; i++) {
        uint64_t session = session_at(l->items, l->size, i), number = 0;
        size_t at = c->out ? list_find(l, session, expected) : 0;
        if (c->out && at < l->latest->count)
            number = at >= expected ? (at - expected) * 2 + 1 : (expected - at) * 2;
        coding_number(c, &number);
        if (!c->out)
            at = number & 1 ? expected + (size_t)(number / 2) : expected - (size_t)(number / 2);
        if (number == 0) {
            coding_number(c, &session);
        } else if (at >= l->latest->count) {
            c->in.bad = true;
            return;
        } else {
            l->before[i] = (const char *)l->latest->list + at * l->size;
            session = session_at(l->latest->list, l->size, at);
            expected = at + 1;
        }
        memcpy(l->items + i * l->size, &session, sizeof session);
    }
}

/* False: bad. list: when writing. */
static bool list_begin(struct coding *c, struct list_coding *l, const struct observation *o,
                       const char *address, const void *list, size_t count, size_t size)
{
    l->size = size;
    l->latest = address ? latest_of(c, o, address) : NULL;
    l->count = coding_count(c, count);
    l->items = coding_take(c, l->count, size);
    l->before = coding_take(c, l->count, sizeof *l->before);
    if (c->in.bad || c->bad || !l->latest)
        return false;
    if (c->out && l->count)
        memcpy(l->items, list, l->count * size);
    list_match(c, l);
    return !c->in.bad;
}

static void list_end(struct list_coding *l)
{
    l->latest->list = l->items;
    l->latest->count = l->count;
}

/* One member of all items, beside each other: equal changes compress well. */
static void list_column64(struct coding *c, struct list_coding *l, size_t offset)
{
    for (size_t i = 0; i < l->count; i++) {
        int64_t number, before = 0;
        memcpy(&number, l->items + i * l->size + offset, sizeof number);
        if (l->before[i])
            memcpy(&before, (const char *)l->before[i] + offset, sizeof before);
        coding_distance(c, &number, before);
        memcpy(l->items + i * l->size + offset, &number, sizeof number);
    }
}

static void list_column_int(struct coding *c, struct list_coding *l, size_t offset)
{
    for (size_t i = 0; i < l->count; i++) {
        int number;
        memcpy(&number, l->items + i * l->size + offset, sizeof number);
        coding_int(c, &number);
        memcpy(l->items + i * l->size + offset, &number, sizeof number);
    }
}

static void list_column_text(struct coding *c, struct list_coding *l, size_t offset, bool needed)
{
    for (size_t i = 0; i < l->count; i++) {
        const char *text;
        memcpy(&text, l->items + i * l->size + offset, sizeof text);
        coding_text(c, &text, needed);
        memcpy(l->items + i * l->size + offset, &text, sizeof text);
    }
}

static void connections_list(struct coding *c, const struct observation *o, struct observed_connections *list)
{
    struct list_coding l;
    if (!list_begin(c, &l, o, list->address, list->list, list->count, sizeof *list->list))
        return;
    list_column_text(c, &l, offsetof(struct seen_connection, client), true);
    list_column64(c, &l, offsetof(struct seen_connection, established_ms));
    list_column64(c, &l, offsetof(struct seen_connection, last_response_ms));
    list_column64(c, &l, offsetof(struct seen_connection, last_cxid));
    list_column64(c, &l, offsetof(struct seen_connection, last_zxid));
    list_column_int(c, &l, offsetof(struct seen_connection, timeout_ms));
    list_column_int(c, &l, offsetof(struct seen_connection, outstanding));
    list_column_text(c, &l, offsetof(struct seen_connection, last_operation), false);
    list_end(&l);
    list->list = (const struct seen_connection *)(void *)l.items;
    list->count = l.count;
}

static void connections_coding(struct coding *c, struct observation *o)
{
    struct observed_connections *list = &o->connections;
    coding_text(c, &list->address, true);
    coding_signed(c, &list->now_ms);
    coding_signed(c, &list->now_age_us);
    coding_signed(c, &list->took_us);
    coding_signed(c, &list->own_children);
    uint64_t source = list->source;
    coding_number(c, &source);
    list->source = (uint32_t)source;
    coding_signed(c, &list->own_zxid);
    list->own_session_count = coding_count(c, list->own_session_count);
    uint64_t *own = coding_take(c, list->own_session_count, sizeof *own);
    for (size_t i = 0; own && i < list->own_session_count; i++) {
        own[i] = c->out ? list->own_sessions[i] : 0;
        coding_number(c, &own[i]);
    }
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
    for (size_t i = 0; i < l.count && !c->bad; i++) {
        const struct seen_watches *before = l.before[i];
        bool same = before && c->out && same_paths(&items[i], before);
        if (before)
            coding_flag(c, &same);
        if (before && same)
            items[i] = *before;
        else
            coding_strings(c, &items[i].paths, &items[i].count);
    }
    list_end(&l);
    list->list = items;
    list->count = l.count;
}

static void watches_coding(struct coding *c, struct observation *o)
{
    static const char *const from[] = {"adminserver", "four-letter"};
    struct observed_watches *list = &o->watches;
    unsigned which = c->out && strcmp(list->from, from[0]) != 0;
    uint64_t source = list->source;
    coding_text(c, &list->address, true);
    coding_enum(c, &which, 1);
    list->from = from[which];
    coding_number(c, &source);
    list->source = (uint32_t)source;
    coding_signed(c, &list->child_watches);
    coding_signed(c, &list->counted_us);
    watches_list(c, o, list);
}

static void sessions_coding(struct coding *c, struct observation *o)
{
    struct observed_sessions *list = &o->sessions;
    struct list_coding l;
    coding_text(c, &list->address, true);
    if (!list_begin(c, &l, o, list->address, list->list, list->count, sizeof *list->list))
        return;
    list_column64(c, &l, offsetof(struct seen_session, ends_ms));
    list_end(&l);
    list->list = (const struct seen_session *)(void *)l.items;
    list->count = l.count;
}

/* ---- an election's settings ---- */

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
    if (there)
        settings_coding(c, &s);
    if (!c->out)
        o->settings = there && !c->in.bad ? settings_keep(c, &s) : NULL;
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
    if (coding_left(c))
        coding_flag(c, &o->sees_all);
    if (coding_left(c))
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

static void load_coding(struct coding *c, struct observed_load *o)
{
    struct server_load *load = &o->load;
    coding_text(c, &o->address, true);
    coding_flag(c, &o->part);
    coding_signed(c, &load->id);
    coding_signed(c, &load->uptime_ms);
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
    uint64_t round = o->round;
    coding_number(c, &round);
    o->round = (uint32_t)round;
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
    coding_signed(c, &o->active_us);
    if (!c->out && c->in.at == c->in.end) /* from a version that read no captures */
        return;
    coding_flag(c, &o->captured);
    coding_signed(c, &o->heard_us);
    coding_signed(c, &o->gone_us);
}

static void captured_coding(struct coding *c, struct observed_captured *o)
{
    coding_enum(c, &o->step, CAPTURED_OVER);
    coding_text(c, &o->address, true);
    coding_number(c, &o->session);
    coding_text(c, &o->client, true);
    coding_int(c, &o->timeout_ms);
    coding_flag(c, &o->connected);
    coding_flag(c, &o->watches_known);
    coding_signed(c, &o->heard_us);
    o->count = coding_count(c, o->count);
    struct captured_watch *watches = coding_take(c, o->count, sizeof *watches);
    if (!watches)
        o->count = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (c->out)
            watches[i] = o->watches[i];
        const char *path = watches[i].path;
        coding_text(c, &path, true);
        coding_enum(c, &watches[i].kind, WATCH_RECURSIVE);
        coding_signed(c, &watches[i].since_us);
        watches[i].path = (char *)(uintptr_t)path;
    }
    o->watches = watches;
    if (!c->out && c->in.at == c->in.end) /* from a version that read packets alone */
        return;
    coding_signed(c, &o->asked_us);
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
        load_coding(c, &o->load);
        break;
    case OBSERVED_BAD_REPLY:
        coding_text(c, &o->bad_reply.address, true);
        coding_sentence(c, &o->bad_reply.what);
        c->in.bad = c->in.bad || (!c->out && !o->bad_reply.what);
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

/* The same for all kinds, known or not. */
static void observation_coding(struct coding *c, struct observation *o)
{
    int64_t wall_us = (int64_t)((uint64_t)c->at.wall_us - (uint64_t)c->at.mono_us);
    uint64_t cluster = o->cluster;
    coding_distance(c, &o->at.mono_us, c->at.mono_us);
    coding_distance(c, &o->at.wall_us, (int64_t)((uint64_t)wall_us + (uint64_t)o->at.mono_us));
    coding_number(c, &cluster);
    coding_text(c, &o->election, false);
    coding_text(c, &o->path, false);
    o->cluster = (unsigned)cluster;
    c->at = o->at;
}

/* ---- a stretch ---- */

struct coding *coding_write(struct buffer *out)
{
    struct coding *c = xcalloc(1, sizeof *c);
    c->out = out;
    return c;
}

void coding_rename(struct coding *c, struct pseudonyms *pseudonyms)
{
    c->pseudonyms = pseudonyms;
}

struct coding *coding_read(const void *bytes, size_t length, struct kept_settings **kept)
{
    struct coding *c = xcalloc(1, sizeof *c);
    c->in.at = bytes;
    c->in.end = c->in.at + length;
    c->kept = kept;
    return c;
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
    free(c->texts);
    free(c->buckets);
    buffer_free(&c->item);
    free(c);
}

static void record_put(struct coding *c, uint64_t record)
{
    put_number(c->out, record);
    put_bytes(c->out, c->item.bytes, c->item.length);
    buffer_clear(&c->item);
}

void coding_put(struct coding *c, const struct observation *observation)
{
    struct observation o = *observation;
    observation_coding(c, &o);
    payload_coding(c, &o);
    record_put(c, (uint64_t)o.kind + RECORD_OBSERVATION);
}

/* Reading is confined to the next record. False: there is none. */
static bool record_open(struct coding *c, struct scan *whole)
{
    size_t length;
    const char *piece = scan_piece(&c->in, &length);
    *whole = c->in;
    if (!piece) {
        c->bad = true;
        return false;
    }
    c->in.at = (const unsigned char *)piece;
    c->in.end = c->in.at + length;
    return true;
}

static void record_close(struct coding *c, const struct scan *whole)
{
    c->bad = c->bad || c->in.bad;
    c->in = *whole;
}

static bool record_read(struct coding *c, uint64_t record, struct observation *o)
{
    struct scan whole;
    if (!record_open(c, &whole))
        return false;
    observation_coding(c, o);
    bool known = record < RECORD_OBSERVATION + KINDS;
    c->skipped += !known;
    if (known) {
        o->kind = (enum observation_kind)(record - RECORD_OBSERVATION);
        payload_coding(c, o);
    }
    record_close(c, &whole);
    return known;
}

void coding_head(struct coding *c, void (*fields)(struct coding *, void *context), void *context)
{
    struct scan whole;
    uint64_t record = RECORD_HEAD;
    if (c->out) {
        fields(c, context);
        record_put(c, record);
        return;
    }
    while (!c->bad && !c->in.bad && (record = scan_number(&c->in)) == RECORD_TEXT)
        texts_read(c);
    c->bad = c->bad || record != RECORD_HEAD;
    if (c->bad || !record_open(c, &whole))
        return;
    fields(c, context);
    record_close(c, &whole);
}

bool coding_get(struct coding *c, struct observation *o)
{
    while (!c->bad && c->in.at < c->in.end) {
        uint64_t record = scan_number(&c->in);
        *o = (struct observation){.kind = OBSERVED_TICK};
        c->bad = c->bad || c->in.bad || record == RECORD_HEAD;
        if (record == RECORD_TEXT)
            texts_read(c);
        else if (record_read(c, record, o) && !c->bad)
            return true;
    }
    return false;
}

bool coding_writes(const struct coding *c)
{
    return c->out != NULL;
}

bool coding_left(const struct coding *c)
{
    return c->out || (!c->in.bad && c->in.at < c->in.end);
}

bool coding_is_bad(const struct coding *c)
{
    return c->bad || c->in.bad;
}

size_t coding_memory(const struct coding *c)
{
    return c->memory;
}

uint64_t coding_skipped(const struct coding *c)
{
    return c->skipped;
}

#include "probe/transactions/znode_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdeflate.h>

#include "config/memory.h"
#include "probe/election/election.h"
#include "probe/election/observation.h"
#include "probe/election/session_table.h"
#include "probe/transactions/record.h"

/*
 * One snapshot file of a server: its sessions, and its znodes in the order of the tree.
 *
 * The server goes on changing its tree while it writes it down, so a snapshot is "fuzzy": it holds all
 * transactions up to the zxid in its name, and of the later ones any number. The log puts that right.
 * A snapshot may be larger than memory: nothing is kept here but the znode that is being read.
 */

struct tree_snapshot_reader {
    void *context;
    void (*session)(void *context, uint64_t session, int timeout_ms);
    /*
     * In the stat, cversion counts creations, as the server keeps it, and children is 0: the reader counts
     * them as they come. The root's path is "/". Parents come before their children.
     */
    void (*znode)(void *context, const char *path, size_t path_length, const struct znode_stat *,
                  const unsigned char *data, size_t data_length);
};

#define WINDOW_BYTES (256u << 10)
/* Of one path or one znode's data: more is damage. */
#define LENGTH_MOST (64u << 20)
#define STAT_BYTES 60

struct stream {
    int fd;
    unsigned char *window;
    size_t room, length, at;
    off_t offset;
    uint32_t checksum; /* of all bytes before `at` that were taken */
    const char *problem;
};

static bool stream_fail(struct stream *s, const char *problem)
{
    if (!s->problem)
        s->problem = problem;
    return false;
}

static bool stream_need(struct stream *s, size_t wanted)
{
    if (s->problem)
        return false;
    if (s->length - s->at >= wanted)
        return true;
    memmove(s->window, s->window + s->at, s->length - s->at);
    s->length -= s->at;
    s->at = 0;
    if (wanted > s->room) {
        size_t room = s->room * 2 > wanted ? s->room * 2 : wanted;
        unsigned char *window = realloc(s->window, room);
        if (!window)
            return stream_fail(s, "is larger than memory");
        s->window = window;
        s->room = room;
    }
    while (s->length < wanted) {
        ssize_t got = pread(s->fd, s->window + s->length, s->room - s->length, s->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return stream_fail(s, got == 0 ? "ends too early" : "cannot be read");
        s->length += (size_t)got;
        s->offset += got;
    }
    return true;
}

/* The next bytes, valid until more are taken; NULL: there are fewer. */
static const unsigned char *stream_take(struct stream *s, size_t length)
{
    if (!stream_need(s, length))
        return NULL;
    const unsigned char *at = s->window + s->at;
    s->checksum = libdeflate_adler32(s->checksum, at, length);
    s->at += length;
    return at;
}

static int32_t stream_int(struct stream *s)
{
    const unsigned char *at = stream_take(s, 4);
    return at ? (int32_t)read_u32(at) : 0;
}

static size_t stream_length(struct stream *s)
{
    int32_t length = stream_int(s);
    if (length > (int32_t)LENGTH_MOST)
        stream_fail(s, "is damaged: a length is impossible");
    return length > 0 && !s->problem ? (size_t)length : 0;
}

static void skip_acls(struct stream *s)
{
    int32_t lists = stream_int(s);
    for (int32_t i = 0; i < lists && !s->problem; i++) {
        stream_take(s, 8);
        int32_t entries = stream_int(s);
        for (int32_t k = 0; k < entries && !s->problem; k++) {
            stream_take(s, 4);
            stream_take(s, stream_length(s));
            stream_take(s, stream_length(s));
        }
    }
}

static void read_stat(const unsigned char *at, struct znode_stat *stat)
{
    *stat = (struct znode_stat){.czxid = (int64_t)read_u64(at),
                                .mzxid = (int64_t)read_u64(at + 8),
                                .ctime_ms = znode_time_ms((int64_t)read_u64(at + 16)),
                                .mtime_ms = znode_time_ms((int64_t)read_u64(at + 24)),
                                .version = (int32_t)read_u32(at + 32),
                                .cversion = (int32_t)read_u32(at + 36),
                                .aversion = (int32_t)read_u32(at + 40),
                                .owner = read_u64(at + 44),
                                .pzxid = (int64_t)read_u64(at + 52)};
}

/* One znode behind its path; the path and all that follows it are looked at as one piece, since it moves. */
static void read_znode(struct stream *s, size_t path_length, const struct tree_snapshot_reader *reader)
{
    if (!stream_need(s, path_length + 4))
        return;
    uint32_t size = read_u32(s->window + s->at + path_length);
    size_t data_length = (int32_t)size > 0 ? size : 0;
    if (data_length > LENGTH_MOST) {
        stream_fail(s, "is damaged: a length is impossible");
        return;
    }
    const unsigned char *at = stream_take(s, path_length + 4 + data_length + 8 + STAT_BYTES);
    if (!at)
        return;
    struct znode_stat stat;
    read_stat(at + path_length + 4 + data_length + 8, &stat);
    stat.data_length = (int32_t)data_length;
    const char *path = path_length ? (const char *)at : "/";
    if (path[0] != '/' || memchr(path, '\0', path_length)) {
        stream_fail(s, "is damaged: a path is not valid");
        return;
    }
    reader->znode(reader->context, path, path_length ? path_length : 1, &stat,
                  data_length ? at + path_length + 4 : NULL, data_length);
}

static void read_tree(struct stream *s, const struct tree_snapshot_reader *reader)
{
    while (!s->problem) {
        size_t length = stream_length(s);
        /* "/" ends the tree: the root itself is written as "". */
        if (length == 1 && stream_need(s, 1) && s->window[s->at] == '/') {
            stream_take(s, 1);
            return;
        }
        read_znode(s, length, reader);
    }
}

static void tree_snapshot_read_all(struct stream *s, const struct tree_snapshot_reader *reader)
{
    const unsigned char *header = stream_take(s, 16);
    if (!header || memcmp(header, "ZKSN", 4) != 0 || read_u32(header + 4) != 2) {
        s->problem = NULL;
        stream_fail(s, "is not a snapshot of ZooKeeper");
        return;
    }
    int32_t sessions = stream_int(s);
    for (int32_t i = 0; i < sessions && !s->problem; i++) {
        const unsigned char *at = stream_take(s, 12);
        if (at)
            reader->session(reader->context, read_u64(at), (int)read_u32(at + 8));
    }
    skip_acls(s);
    read_tree(s, reader);
    uint32_t checksum = s->checksum;
    const unsigned char *seal = stream_take(s, 8);
    if (seal && read_u64(seal) != checksum)
        stream_fail(s, "is damaged: its checksum is wrong");
}

/*
 * Reads all of it, from the beginning, and verifies its checksum. False, and a text in *problem (static):
 * discard everything that the reader was given. The descriptor stays the caller's.
 */
static bool tree_snapshot_read(int fd, const struct tree_snapshot_reader *reader, const char **problem)
{
    struct stream s = {.fd = fd, .room = WINDOW_BYTES, .checksum = 1};
    s.window = malloc(s.room);
    if (!s.window) {
        *problem = "is larger than memory";
        return false;
    }
    tree_snapshot_read_all(&s, reader);
    free(s.window);
    *problem = s.problem;
    return !s.problem;
}

/* Persistent znodes in which nothing ephemeral lies: kept in case something will. */
#define PLAIN_MOST 100000
#define PLAIN_BYTES_MOST ((size_t)48 << 20)
/* Ephemeral ones are kept whatever they take together, but not those with paths longer than any program's. */
#define LONG_PATH 1000
#define LONG_BYTES_MOST ((size_t)16 << 20)
/* Of the data of such a one. */
#define PLAIN_DATA_KEPT 256
#define BUCKETS_FIRST 4096
#define SESSION_BUCKETS 4096
/* Of a session in a tree with a limit. */
#define SESSION_BYTES 400

struct znode_tree {
    struct znode **buckets;
    size_t bucket_count, count, plain;
    size_t bytes, bytes_most; /* of all znodes; bytes_most 0: ephemeral ones are kept whatever they take */
    struct logged_session *sessions[SESSION_BUCKETS];
    uint64_t seed;
    int64_t settled; /* of the snapshot that was read; 0: none was */
};

bool znode_tree_is_full(const struct znode_tree *tree)
{
    return tree->bytes_most != 0 && tree->bytes >= tree->bytes_most;
}

void znode_tree_weigh(struct znode_tree *tree, struct znode *node, size_t bytes)
{
    if (tree->bytes_most == 0)
        return;
    tree->bytes += bytes - node->weight;
    node->weight = bytes;
}

/* ---- by path ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * UINT64_C(0x9fb21c651e98df25);
    return x ^ (x >> 32);
}

/* Eight bytes at a time: each transaction's path is hashed, and its parent's. */
static uint32_t znode_tree_path_hash(const struct znode_tree *tree, const char *path, size_t length)
{
    uint64_t hash = tree->seed ^ length, word;
    for (; length >= 8; path += 8, length -= 8) {
        memcpy(&word, path, 8);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, path, length);
    return (uint32_t)mix(hash, word);
}

static struct znode **znode_link(const struct znode_tree *tree, const char *path, size_t length,
                                 uint32_t hash)
{
    struct znode **link = &tree->buckets[hash & (tree->bucket_count - 1)];
    while (*link && ((*link)->hash != hash || (*link)->path_length != length ||
                     memcmp((*link)->path, path, length) != 0))
        link = &(*link)->next;
    return link;
}

struct znode *znode_tree_find(const struct znode_tree *tree, const char *path, size_t length)
{
    return *znode_link(tree, path, length, znode_tree_path_hash(tree, path, length));
}

static void tree_grow(struct znode_tree *tree)
{
    size_t count = tree->bucket_count * 2;
    struct znode **buckets = calloc(count, sizeof(struct znode *));
    if (!buckets)
        return; /* it only becomes slower */
    for (size_t i = 0; i < tree->bucket_count; i++)
        for (struct znode *node = tree->buckets[i], *next; node; node = next) {
            next = node->next;
            node->next = buckets[node->hash & (count - 1)];
            buckets[node->hash & (count - 1)] = node;
        }
    free(tree->buckets);
    tree->buckets = buckets;
    tree->bucket_count = count;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : length;
}

static struct znode *znode_tree_parent(const struct znode_tree *tree, const char *path, size_t length)
{
    return length > 1 ? znode_tree_find(tree, path, parent_length(path, length)) : NULL;
}

/* Among the kept children of its parent, where that is kept. */
static void znode_join(struct znode *node, struct znode *parent)
{
    if (!parent || node->parent)
        return;
    node->parent = parent;
    node->sibling = parent->children;
    node->sibling_link = &parent->children;
    if (node->sibling)
        node->sibling->sibling_link = &node->sibling;
    parent->children = node;
}

static void znode_part(struct znode *node)
{
    if (!node->parent)
        return;
    *node->sibling_link = node->sibling;
    if (node->sibling)
        node->sibling->sibling_link = node->sibling_link;
    node->parent = node->sibling = NULL;
    node->sibling_link = NULL;
}

struct znode *znode_tree_place(struct znode_tree *tree, const char *path, size_t length)
{
    uint32_t hash = znode_tree_path_hash(tree, path, length);
    struct znode *node = *znode_link(tree, path, length, hash);
    if (node)
        return node;
    if (tree->count >= tree->bucket_count)
        tree_grow(tree);
    node = calloc(1, sizeof *node + length + 1);
    if (!node)
        return NULL;
    memcpy(node->path, path, length);
    node->path_length = (uint32_t)length;
    node->hash = hash;
    struct znode **bucket = &tree->buckets[hash & (tree->bucket_count - 1)];
    node->next = *bucket;
    *bucket = node;
    tree->count++;
    tree->bytes += sizeof *node + length;
    return node;
}

const char *znode_name(const struct znode *node)
{
    const char *slash = strrchr(node->path, '/');
    return slash && slash[1] ? slash + 1 : node->path;
}

/* Where only the Stat was read, a candidate has no data, but an acknowledgement is unknown. */
bool znode_has_data(const struct znode *node)
{
    return node->data_kept > 0 || node->stat.data_length == 0 || !(node->short_of_data || node->interests);
}

struct znode_stat znode_stat_of(const struct znode *node)
{
    struct znode_stat stat = node->stat;
    stat.cversion = (int32_t)((uint32_t)node->creations * 2 - (uint32_t)stat.children);
    return stat;
}

/* ---- sessions ---- */

static struct logged_session **znode_tree_session_link(const struct znode_tree *tree, uint64_t id)
{
    /* The links of a constant tree may be followed, not changed. */
    struct logged_session **link =
        &((struct znode_tree *)(uintptr_t)tree)->sessions[mix(id, tree->seed) % SESSION_BUCKETS];
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

struct logged_session *znode_tree_session(const struct znode_tree *tree, uint64_t id)
{
    return *znode_tree_session_link(tree, id);
}

struct logged_session *znode_tree_session_made(struct znode_tree *tree, uint64_t id)
{
    struct logged_session **link = znode_tree_session_link(tree, id);
    if (*link || znode_tree_is_full(tree))
        return *link;
    *link = xcalloc(1, sizeof **link);
    (*link)->id = id;
    tree->bytes += tree->bytes_most ? SESSION_BYTES : 0;
    return *link;
}

void znode_tree_session_ended(struct znode_tree *tree, uint64_t id)
{
    struct logged_session **link = znode_tree_session_link(tree, id), *session = *link;
    if (!session || session->owned)
        return;
    *link = session->next;
    free(session);
    tree->bytes -= tree->bytes_most ? SESSION_BYTES : 0;
}

void znode_tree_each_session(struct znode_tree *tree, void (*fn)(void *context, struct logged_session *),
                             void *context)
{
    for (size_t i = 0; i < SESSION_BUCKETS; i++)
        for (struct logged_session *session = tree->sessions[i], *next; session; session = next) {
            next = session->next;
            fn(context, session);
        }
}

static void znode_own(struct znode_tree *tree, struct znode *node, uint64_t owner)
{
    struct logged_session *session = znode_tree_session_made(tree, owner);
    if (!session)
        return;
    node->session = session;
    node->owned = session->owned;
    node->owned_link = &session->owned;
    if (node->owned)
        node->owned->owned_link = &node->owned;
    session->owned = node;
}

static void znode_disown(struct znode *node)
{
    if (!node->session)
        return;
    *node->owned_link = node->owned;
    if (node->owned)
        node->owned->owned_link = node->owned_link;
    node->session = NULL;
    node->owned = NULL;
    node->owned_link = NULL;
}

/* ---- coming and going ---- */

static void znode_free(struct znode_tree *tree, struct znode *node)
{
    struct znode **link = znode_link(tree, node->path, node->path_length, node->hash);
    *link = node->next;
    tree->count--;
    tree->bytes -= sizeof *node + node->path_length + node->data_kept + node->weight;
    free(node->data);
    free(node);
}

static void znode_vanish(struct znode_tree *tree, struct znode *node)
{
    tree->plain -= node->exists && node->stat.owner == 0;
    znode_disown(node);
    znode_part(node);
    for (struct znode *child = node->children, *next; child; child = next) {
        next = child->sibling; /* a server deletes no parent before its children: here some were missed */
        znode_part(child);
    }
    tree->bytes -= node->data_kept;
    free(node->data);
    node->data = NULL;
    node->data_kept = 0;
    node->exists = node->known = node->short_of_children = node->short_of_data = false;
    node->listed = true;
    node->stat = (struct znode_stat){0};
    node->creations = 0;
    node->examined = 0;
    if (!node->interests)
        znode_free(tree, node);
}

static void znode_tree_drop_data(struct znode_tree *tree, struct znode *node, int32_t length)
{
    free(node->data);
    tree->bytes -= node->data_kept;
    node->data = NULL;
    node->data_kept = 0;
    node->stat.data_length = length;
    node->short_of_data = length > 0;
}

static void znode_tree_keep_data(struct znode_tree *tree, struct znode *node, const unsigned char *data,
                                 size_t length)
{
    size_t most = znode_tree_is_full(tree)           ? 0
                  : node->session || node->interests ? CANDIDATE_DATA_KEPT
                                                     : PLAIN_DATA_KEPT;
    size_t kept = length < most ? length : most;
    unsigned char *copy = kept > 0 ? malloc(kept) : NULL;
    if (copy)
        memcpy(copy, data, kept);
    znode_tree_drop_data(tree, node, (int32_t)length);
    node->data = copy;
    node->data_kept = copy ? kept : 0;
    node->short_of_data = length > 0 && !copy;
    tree->bytes += node->data_kept;
}

static uint64_t znode_tree_owner_of(const struct transaction *t, const struct znode_change *change)
{
    /* The server marks these in the place of the owner. */
    if (change->sort == ZNODE_CONTAINER)
        return UINT64_C(1) << 63;
    if (change->sort == ZNODE_TTL)
        return UINT64_C(0xff) << 56 | ((uint64_t)change->ttl_ms & UINT64_C(0xffffffffff));
    return change->sort == ZNODE_EPHEMERAL ? t->session : 0;
}

/* The sequence number at the end of its path, which has no NUL; negative: there is none. */
static int64_t number_of(const struct znode_change *change)
{
    char end[SEQUENCE_DIGITS + 1] = "";
    if (change->path_length <= SEQUENCE_DIGITS)
        return SEQUENCE_NONE;
    memcpy(end, change->path + change->path_length - SEQUENCE_DIGITS, SEQUENCE_DIGITS);
    return recipe_sequence_of(end);
}

static void parent_counts(struct znode_tree *tree, struct znode *parent, const struct znode_change *change,
                          int64_t zxid, bool fresh)
{
    if (!parent->exists) {
        parent->exists = true; /* since it has a child; but its own creation was not seen */
        tree->plain++;
    }
    parent->stat.children += fresh;
    if (change->creations < 0) {
        int64_t number = number_of(change);
        bool found = zxid == 0; /* its own creation was not seen, nor were those before its number */
        parent->listed &= !fresh || (!found && number <= parent->creations);
        parent->creations += fresh && !(found && number >= 0 && number < parent->creations);
        if (number >= parent->creations && number < INT32_MAX)
            parent->creations = (int32_t)number + 1;
    }
    if (change->creations > parent->creations) /* a fuzzy snapshot is ahead of the log */
        parent->creations = change->creations;
    if (zxid > parent->stat.pzxid)
        parent->stat.pzxid = zxid;
}

/* Is there reason, or room, to keep it? */
static bool znode_tree_is_wanted(const struct znode_tree *tree, const struct znode *parent, size_t length,
                                 bool ephemeral)
{
    if (ephemeral || (parent && parent->interests))
        return !znode_tree_is_full(tree) && (length <= LONG_PATH || tree->bytes < LONG_BYTES_MOST);
    return tree->plain < PLAIN_MOST && tree->bytes < (tree->bytes_most ? tree->bytes_most : PLAIN_BYTES_MOST);
}

/* One that is not kept: its directory's list lacks it. */
static void znode_left_out(const struct znode_tree *tree, struct znode *parent, bool ephemeral)
{
    if (parent && (ephemeral || parent->interests || znode_tree_is_full(tree)))
        parent->short_of_children = true;
}

int32_t znode_tree_unseen(const struct znode_tree *tree, const struct znode_change *change)
{
    const struct znode *parent = znode_tree_parent(tree, change->path, change->path_length);
    bool counted =
        parent && (parent->known || parent->creations > 0) && change->creations > parent->creations;
    return counted ? change->creations - parent->creations - 1 : 0;
}

struct znode *znode_tree_created(struct znode_tree *tree, const struct transaction *t,
                                 const struct znode_change *change)
{
    struct znode *node = znode_tree_find(tree, change->path, change->path_length);
    struct znode *parent = znode_tree_parent(tree, change->path, change->path_length);
    bool again = node && node->exists && node->stat.czxid >= t->zxid;
    bool ephemeral = change->sort == ZNODE_EPHEMERAL;
    bool wanted = node || znode_tree_is_wanted(tree, parent, change->path_length, ephemeral);
    if (!parent && ephemeral && wanted)
        parent = znode_tree_place(tree, change->path, parent_length(change->path, change->path_length));
    if (parent)
        parent_counts(tree, parent, change, t->zxid, !(node && node->exists));
    if (!wanted)
        znode_left_out(tree, parent, ephemeral);
    if (again || !wanted)
        return again ? node : NULL;
    if (!node)
        node = znode_tree_place(tree, change->path, change->path_length);
    if (!node)
        return NULL;
    znode_disown(node); /* its end is in no log */
    tree->plain -= node->exists && node->stat.owner == 0;
    node->exists = node->known = node->listed = true;
    node->creations = 0;
    node->stat = (struct znode_stat){.czxid = t->zxid,
                                     .mzxid = t->zxid,
                                     .pzxid = t->zxid,
                                     .ctime_ms = t->time_ms,
                                     .mtime_ms = t->time_ms,
                                     .owner = znode_tree_owner_of(t, change)};
    tree->plain += node->stat.owner == 0;
    if (ephemeral)
        znode_own(tree, node, t->session);
    znode_join(node, parent);
    znode_tree_keep_data(tree, node, change->data, change->data_length);
    return node;
}

void znode_tree_deleted(struct znode_tree *tree, const char *path, size_t length, int64_t zxid)
{
    struct znode *node = znode_tree_find(tree, path, length);
    struct znode *parent = znode_tree_parent(tree, path, length);
    /* A fuzzy snapshot may lack it already, or show a later one of this name. */
    bool kept = node && node->exists && node->stat.czxid <= zxid;
    bool went = kept || (!(node && node->exists) && zxid > tree->settled);
    if (parent && parent->exists) {
        parent->stat.children -= went && parent->stat.children > 0;
        if (zxid > parent->stat.pzxid)
            parent->stat.pzxid = zxid;
    }
    if (kept)
        znode_vanish(tree, node);
}

struct znode *znode_tree_data(struct znode_tree *tree, const struct transaction *t,
                              const struct znode_change *change)
{
    struct znode *node = znode_tree_find(tree, change->path, change->path_length);
    if (!node || !node->exists || node->stat.mzxid >= t->zxid)
        return NULL;
    node->stat.mzxid = t->zxid;
    node->stat.mtime_ms = t->time_ms;
    node->stat.version = change->version;
    znode_tree_keep_data(tree, node, change->data, change->data_length);
    return node;
}

/* ---- answers to clients ---- */

/* It exists from now on, with its directory. */
static struct znode *znode_appear(struct znode_tree *tree, const char *path, bool ephemeral)
{
    size_t length = strlen(path);
    struct znode *node = znode_tree_find(tree, path, length);
    struct znode *parent = znode_tree_parent(tree, path, length);
    if (!node && !znode_tree_is_wanted(tree, parent, length, ephemeral)) {
        znode_left_out(tree, parent, ephemeral);
        return NULL;
    }
    if (!parent && length > 1 && ephemeral)
        parent = znode_tree_place(tree, path, parent_length(path, length));
    node = node ? node : znode_tree_place(tree, path, length);
    if (!node || node->exists)
        return node;
    node->exists = true;
    tree->plain++;
    if (parent)
        parent_counts(tree, parent,
                      &(struct znode_change){.path = path, .path_length = length, .creations = -1}, 0, true);
    znode_join(node, parent);
    return node;
}

struct znode *znode_tree_named(struct znode_tree *tree, const char *path)
{
    return znode_appear(tree, path, false);
}

struct znode *znode_tree_read(struct znode_tree *tree, const char *path, const struct znode_stat *stat,
                              const unsigned char *data, size_t data_length)
{
    bool ephemeral = owner_is_session(stat->owner);
    struct znode *node = znode_appear(tree, path, ephemeral);
    if (!node || (node->known && node->stat.mzxid > stat->mzxid))
        return NULL;
    if (!node->known) {
        struct znode_stat was = node->stat;
        tree->plain -= stat->owner != 0;
        node->known = true;
        node->stat = *stat;
        node->stat.children = was.children; /* as the tree counts them */
        if (!ephemeral && node->interests)
            node->stat.czxid = was.czxid; /* it is the one that was shown before */
        if (ephemeral)
            znode_own(tree, node, stat->owner);
    } else {
        if (node->stat.mzxid != stat->mzxid && !data)
            znode_tree_drop_data(tree, node, stat->data_length);
        node->stat.mzxid = stat->mzxid;
        node->stat.mtime_ms = stat->mtime_ms;
        node->stat.version = stat->version;
    }
    if (data)
        znode_tree_keep_data(tree, node, data, data_length);
    return node;
}

/* ---- the whole ---- */

struct znode_tree *znode_tree_new(size_t bytes_most)
{
    struct znode_tree *tree = xcalloc(1, sizeof *tree);
    tree->bytes_most = bytes_most;
    tree->bucket_count = BUCKETS_FIRST;
    tree->buckets = xcalloc(tree->bucket_count, sizeof(struct znode *));
    tree->seed = (uint64_t)(uintptr_t)tree->buckets;
    return tree;
}

void znode_tree_each(struct znode_tree *tree, znode_fn fn, void *context)
{
    for (size_t i = 0; i < tree->bucket_count; i++)
        for (struct znode *node = tree->buckets[i], *next; node; node = next) {
            next = node->next;
            if (node->exists)
                fn(context, node);
        }
}

static void sessions_free(struct znode_tree *tree)
{
    for (size_t i = 0; i < SESSION_BUCKETS; i++)
        while (tree->sessions[i]) {
            struct logged_session *session = tree->sessions[i];
            tree->sessions[i] = session->next;
            free(session);
            tree->bytes -= tree->bytes_most ? SESSION_BYTES : 0;
        }
}

static void vanish_one(void *context, struct znode *node)
{
    /* Children are parted here, so none is left with a parent that is gone. */
    znode_vanish(context, node);
}

void znode_tree_clear(struct znode_tree *tree)
{
    znode_tree_each(tree, vanish_one, tree);
    sessions_free(tree);
    tree->plain = 0;
    tree->settled = 0;
}

void znode_tree_free(struct znode_tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->bucket_count; i++)
        while (tree->buckets[i]) {
            struct znode *node = tree->buckets[i];
            tree->buckets[i] = node->next;
            free(node->data);
            free(node);
        }
    sessions_free(tree);
    free(tree->buckets);
    free(tree);
}

/* ---- snapshots ---- */

/* A directory on the way from the root to the znode that is being read. */
struct ancestor {
    char *path;
    size_t length;
    struct znode_stat stat;
    struct znode *node; /* where it is kept; else its children are counted in stat */
};

struct loading {
    struct znode_tree *tree;
    int64_t zxid, settled;
    struct ancestor *ancestors;
    size_t depth, room;
    bool failed;
};

static bool is_below(const struct ancestor *ancestor, const char *path, size_t length)
{
    size_t own = ancestor->length == 1 ? 0 : ancestor->length;
    return length > own + 1 && memcmp(path, ancestor->path, own) == 0 && path[own] == '/';
}

static struct znode *loaded_node(struct loading *loading, const char *path, size_t length,
                                 const struct znode_stat *stat, struct znode *parent)
{
    struct znode_tree *tree = loading->tree;
    struct znode *node = znode_tree_place(tree, path, length);
    if (!node || node->exists)
        return node;
    node->exists = node->known = true;
    node->stat = *stat;
    node->creations = stat->cversion;
    tree->plain += stat->owner == 0;
    znode_join(node, parent);
    return node;
}

/* The directory of a kept znode is kept, too. */
static struct znode *kept_ancestor(struct loading *loading)
{
    struct ancestor *last = loading->depth ? &loading->ancestors[loading->depth - 1] : NULL;
    if (last && !last->node)
        last->node = loaded_node(loading, last->path, last->length, &last->stat, NULL);
    return last ? last->node : NULL;
}

static void descend(struct loading *loading, const char *path, size_t length, const struct znode_stat *stat,
                    struct znode *node)
{
    room_for_one(&loading->ancestors, loading->depth, &loading->room, sizeof *loading->ancestors);
    struct ancestor *ancestor = &loading->ancestors[loading->depth];
    *ancestor = (struct ancestor){.path = malloc(length), .length = length, .stat = *stat, .node = node};
    if (!ancestor->path) {
        loading->failed = true;
        return;
    }
    memcpy(ancestor->path, path, length);
    loading->depth++;
}

static void load_session(void *context, uint64_t id, int timeout_ms)
{
    struct loading *loading = context;
    struct logged_session *session = znode_tree_session_made(loading->tree, id);
    if (session)
        session->timeout_ms = timeout_ms > 0 ? timeout_ms : 0;
    loading->failed |= !session;
}

static void note_settled(struct loading *loading, const struct znode_stat *stat)
{
    const int64_t zxids[] = {stat->czxid, stat->mzxid, stat->pzxid};
    for (size_t i = 0; i < sizeof zxids / sizeof zxids[0]; i++)
        if (zxids[i] > loading->settled)
            loading->settled = zxids[i];
}

static void load_znode(void *context, const char *path, size_t length, const struct znode_stat *stat,
                       const unsigned char *data, size_t data_length)
{
    struct loading *loading = context;
    while (loading->depth > 0 && !is_below(&loading->ancestors[loading->depth - 1], path, length))
        free(loading->ancestors[--loading->depth].path);
    note_settled(loading, stat);
    if (stat->czxid > loading->zxid || loading->failed)
        return; /* the log makes it again */
    struct ancestor *last = loading->depth ? &loading->ancestors[loading->depth - 1] : NULL;
    if (last && last->node)
        last->node->stat.children++;
    else if (last)
        last->stat.children++;
    bool ephemeral = owner_is_session(stat->owner);
    struct znode *place = znode_tree_find(loading->tree, path, length), *node = NULL;
    if (place || znode_tree_is_wanted(loading->tree, NULL, length, ephemeral)) {
        struct znode *parent = ephemeral ? kept_ancestor(loading) : last ? last->node : NULL;
        node = loaded_node(loading, path, length, stat, parent);
        loading->failed |= !node;
    }
    /* A damaged file may have a path twice: only its first entry puts it into its session's list. */
    if (node && ephemeral && node->stat.owner == stat->owner && !node->session)
        znode_own(loading->tree, node, stat->owner);
    if (node)
        znode_tree_keep_data(loading->tree, node, data, data_length);
    if (!ephemeral)
        descend(loading, path, length, stat, node);
}

bool znode_tree_load(struct znode_tree *tree, int fd, int64_t zxid, int64_t *settled, const char **problem)
{
    struct loading loading = {.tree = tree, .zxid = zxid, .settled = zxid};
    struct tree_snapshot_reader reader = {&loading, load_session, load_znode};
    bool fine = tree_snapshot_read(fd, &reader, problem);
    while (loading.depth > 0)
        free(loading.ancestors[--loading.depth].path);
    free(loading.ancestors);
    if (fine && loading.failed)
        *problem = "is larger than memory";
    *settled = tree->settled = loading.settled;
    return fine && !loading.failed;
}

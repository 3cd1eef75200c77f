#include "probe/transactions/record.h"

#include <string.h>

/* Entries of one ACL, and parts of one multi: more are no transaction that a server accepts. */
#define VECTOR_MOST 1000000

/* The bytes that are left of a record. */
struct cursor {
    const unsigned char *at, *end;
    bool bad; /* it was asked for more than there is, or for what cannot be */
};

static size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

static int32_t cursor_int(struct cursor *c)
{
    if (c->bad || cursor_left(c) < 4) {
        c->bad = true;
        return 0;
    }
    int32_t value = (int32_t)read_u32(c->at);
    c->at += 4;
    return value;
}

static int64_t cursor_long(struct cursor *c)
{
    if (c->bad || cursor_left(c) < 8) {
        c->bad = true;
        return 0;
    }
    int64_t value = (int64_t)read_u64(c->at);
    c->at += 8;
    return value;
}

static bool cursor_bool(struct cursor *c)
{
    if (c->bad || cursor_left(c) < 1) {
        c->bad = true;
        return false;
    }
    return *c->at++ != 0;
}

/* A buffer or a string: its length, then its bytes; a negative length means none. */
static const unsigned char *cursor_buffer(struct cursor *c, size_t *length)
{
    int32_t size = cursor_int(c);
    *length = 0;
    if (c->bad || size <= 0)
        return NULL;
    if ((size_t)size > cursor_left(c)) {
        c->bad = true;
        return NULL;
    }
    const unsigned char *at = c->at;
    c->at += size;
    *length = (size_t)size;
    return at;
}

static void cursor_path(struct cursor *c, struct znode_change *change)
{
    change->path = (const char *)cursor_buffer(c, &change->path_length);
    /* A path with a NUL in it is none, and must not be taken for a shorter one. */
    if (!change->path || change->path[0] != '/' || memchr(change->path, '\0', change->path_length))
        c->bad = true;
}

static void cursor_skip_acl(struct cursor *c)
{
    int32_t count = cursor_int(c);
    if (count > VECTOR_MOST)
        c->bad = true;
    for (int32_t i = 0; i < count && !c->bad; i++) {
        size_t length;
        cursor_int(c);
        cursor_buffer(c, &length);
        cursor_buffer(c, &length);
    }
}

struct changes {
    const struct transaction *transaction;
    znode_change_fn fn;
    void *context;
};

static void changes_report(const struct changes *changes, const struct cursor *c,
                           const struct znode_change *change)
{
    if (!c->bad)
        changes->fn(changes->context, changes->transaction, change);
}

static void read_create(const struct changes *changes, struct cursor *c, int32_t type)
{
    struct znode_change change = {.kind = CHANGE_CREATED, .creations = -1};
    cursor_path(c, &change);
    change.data = cursor_buffer(c, &change.data_length);
    cursor_skip_acl(c);
    if (type == TRANSACTION_CREATE || type == TRANSACTION_CREATE2)
        change.sort = cursor_bool(c) ? ZNODE_EPHEMERAL : ZNODE_PERSISTENT;
    else
        change.sort = type == TRANSACTION_CREATE_TTL ? ZNODE_TTL : ZNODE_CONTAINER;
    /* The oldest records end here. */
    if (c->bad || cursor_left(c) >= 4)
        change.creations = cursor_int(c);
    if (type == TRANSACTION_CREATE_TTL)
        change.ttl_ms = cursor_long(c);
    changes_report(changes, c, &change);
}

static void read_delete(const struct changes *changes, struct cursor *c)
{
    struct znode_change change = {.kind = CHANGE_DELETED};
    cursor_path(c, &change);
    changes_report(changes, c, &change);
}

static void read_data(const struct changes *changes, struct cursor *c)
{
    struct znode_change change = {.kind = CHANGE_DATA};
    cursor_path(c, &change);
    change.data = cursor_buffer(c, &change.data_length);
    change.version = cursor_int(c);
    changes_report(changes, c, &change);
}

/* Is this a list of paths, with nothing behind it but perhaps a digest? */
static bool is_path_list(struct cursor c)
{
    int32_t count = cursor_int(&c);
    struct znode_change change;
    for (int32_t i = 0; i < count && !c.bad; i++)
        cursor_path(&c, &change);
    return !c.bad && (cursor_left(&c) == 0 || cursor_left(&c) == TRANSACTION_DIGEST_BYTES);
}

/* Servers before 3.6, and later ones so configured, write no paths; a digest may follow all the same. */
static void read_session_end(const struct changes *changes, struct cursor *c)
{
    if (is_path_list(*c)) {
        int32_t count = cursor_int(c);
        for (int32_t i = 0; i < count && !c->bad; i++) {
            struct znode_change change = {.kind = CHANGE_CLOSED};
            cursor_path(c, &change);
            changes_report(changes, c, &change);
        }
    } else if (cursor_left(c) != 0 && cursor_left(c) != TRANSACTION_DIGEST_BYTES) {
        c->bad = true;
    }
    /* That the session ended is certain from the header alone. */
    changes->fn(changes->context, changes->transaction, &(struct znode_change){.kind = CHANGE_SESSION_ENDED});
}

static void read_part(const struct changes *changes, struct cursor *c, int32_t type)
{
    switch (type) {
    case TRANSACTION_CREATE:
    case TRANSACTION_CREATE2:
    case TRANSACTION_CREATE_CONTAINER:
    case TRANSACTION_CREATE_TTL:
        read_create(changes, c, type);
        break;
    case TRANSACTION_DELETE:
    case TRANSACTION_DELETE_CONTAINER:
        read_delete(changes, c);
        break;
    case TRANSACTION_SET_DATA:
    case TRANSACTION_RECONFIG:
        read_data(changes, c);
        break;
    default:
        break;
    }
}

/* A multi was refused as a whole where one part failed: those before it keep the type that they had. */
static bool multi_failed(struct cursor c, int32_t count)
{
    size_t length;
    for (int32_t i = 0; i < count && !c.bad; i++) {
        if (cursor_int(&c) == TRANSACTION_ERROR)
            return true;
        cursor_buffer(&c, &length);
    }
    return false;
}

static void read_multi(const struct changes *changes, struct cursor *c)
{
    int32_t count = cursor_int(c);
    if (count > VECTOR_MOST)
        c->bad = true;
    if (multi_failed(*c, count))
        return;
    for (int32_t i = 0; i < count && !c->bad; i++) {
        size_t length;
        int32_t type = cursor_int(c);
        const unsigned char *bytes = cursor_buffer(c, &length);
        struct cursor part = {bytes ? bytes : c->at, bytes ? bytes + length : c->at, c->bad};
        read_part(changes, &part, type);
        c->bad |= part.bad;
    }
}

bool transaction_read(const void *bytes, size_t length, struct transaction *t)
{
    const unsigned char *at = bytes;
    if (length < TRANSACTION_HEADER_BYTES)
        return false;
    *t = (struct transaction){.session = read_u64(at),
                              .cxid = (int32_t)read_u32(at + 8),
                              .zxid = (int64_t)read_u64(at + 12),
                              .time_ms = (int64_t)read_u64(at + 20),
                              .type = (int32_t)read_u32(at + 28),
                              .body = at + TRANSACTION_HEADER_BYTES,
                              .body_length = length - TRANSACTION_HEADER_BYTES};
    return true;
}

bool transaction_changes(const struct transaction *t, znode_change_fn fn, void *context)
{
    struct cursor c = {t->body, t->body + t->body_length, false};
    struct changes changes = {t, fn, context};
    if (t->type == TRANSACTION_MULTI) {
        read_multi(&changes, &c);
    } else if (t->type == TRANSACTION_CREATE_SESSION) {
        struct znode_change change = {.kind = CHANGE_SESSION_BEGAN, .timeout_ms = cursor_int(&c)};
        changes_report(&changes, &c, &change);
    } else if (t->type == TRANSACTION_CLOSE_SESSION) {
        read_session_end(&changes, &c);
    } else {
        read_part(&changes, &c, t->type);
    }
    return !c.bad;
}

const char *transaction_data_path(const struct transaction *t, size_t *length)
{
    if (t->type != TRANSACTION_SET_DATA || t->body_length < 4)
        return NULL;
    *length = read_u32(t->body);
    return *length <= t->body_length - 4 ? (const char *)t->body + 4 : NULL;
}

bool transaction_same(const struct transaction *a, const struct transaction *b)
{
    const struct transaction *shorter = a->body_length < b->body_length ? a : b;
    size_t more = a->body_length + b->body_length - 2 * shorter->body_length;
    return a->session == b->session && a->cxid == b->cxid && a->zxid == b->zxid && a->time_ms == b->time_ms &&
           a->type == b->type && (more == 0 || more == TRANSACTION_DIGEST_BYTES) &&
           (shorter->body_length == 0 || memcmp(a->body, b->body, shorter->body_length) == 0);
}

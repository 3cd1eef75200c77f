#include "probe/capture/wire.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/election.h"
#include "probe/transport/frame.h"

/* Of a request that changes something, so much is kept until its reply comes. */
#define REQUEST_KEPT (64u << 10)
#define OWED_MOST 4096
#define NAMES_MOST 200000

/* Of a greeting: version, transaction, timeout, session, and the length of a password. */
#define GREETING_LEAST 28
#define GREETING_MOST 1024
#define GREETING_SESSION_AT 16
#define REPLY_LEAST 16
#define REQUEST_LEAST 8
#define NO_NODE (-101)
#define REFUSED_PART (-1)
#define EPHEMERAL_FLAG 1
/* A request to create a znode has at least these: lengths, a path, data, one ACL, flags. */
#define CREATION_LEAST 48

/* A request that was not answered yet. */
struct owed_reply {
    int64_t at_us;
    int32_t number, kind;
    uint32_t length; /* of the body that is kept; 0: it is not */
    uint8_t *body;
};

/* The frames of one direction. */
struct frame_stream {
    uint8_t *frame; /* the begun frame, its prefix included */
    uint32_t have, room;
    uint64_t skip; /* bytes of a frame that is passed over */
    bool synced;   /* the next byte begins a frame, or continues the begun one */
};

struct wire_connection {
    struct wire_client shown; /* first */
    struct wire *wire;
    struct frame_stream streams[2]; /* of the client, of the server */
    int client_side;                /* which of TCP's two sides is the client; -1: not known */
    bool greeted, answered;
    uint64_t asked_session;
    struct owed_reply *owed; /* a ring */
    uint32_t owed_first, owed_count, owed_room;
    uint32_t alone;   /* replies to requests that are missing, since the latest one to one that is not */
    bool server_lost; /* ... and bytes of the server are missing since */
    int64_t waits_us; /* the server's bytes wait for others since, or came in order then */
};

struct wire {
    struct tcp_table *table;
    struct wire_listener listener;
    size_t kept;    /* bytes of begun frames and requests */
    size_t watched; /* ... and of watches */
};

static void wire_tell(struct wire_connection *c, struct wire_fact fact)
{
    c->wire->listener.fact(c->wire->listener.context, &c->shown, &fact);
}

/* ---- requests without a reply ---- */

static void owed_drop(struct wire_connection *c)
{
    struct owed_reply *owed = &c->owed[c->owed_first];
    c->wire->kept -= owed->length;
    free(owed->body);
    c->owed_first = (c->owed_first + 1) % c->owed_room;
    c->owed_count--;
}

static void owed_add(struct wire_connection *c, int64_t at_us, int32_t number, int32_t kind,
                     const uint8_t *body, size_t length)
{
    if (c->owed_count == OWED_MOST)
        owed_drop(c);
    if (c->owed_count == c->owed_room) {
        uint32_t room = c->owed_room ? c->owed_room * 2 : 8;
        struct owed_reply *ring = xcalloc(room, sizeof *ring);
        for (uint32_t i = 0; i < c->owed_count; i++)
            ring[i] = c->owed[(c->owed_first + i) % c->owed_room];
        free(c->owed);
        c->owed = ring;
        c->owed_room = room;
        c->owed_first = 0;
    }
    struct owed_reply *owed = &c->owed[(c->owed_first + c->owed_count++) % c->owed_room];
    *owed = (struct owed_reply){.at_us = at_us, .number = number, .kind = kind};
    if (length == 0 || length > REQUEST_KEPT || c->wire->kept + length > WIRE_FRAMES_MOST_ALL)
        return;
    owed->body = xmalloc(length);
    memcpy(owed->body, body, length);
    owed->length = (uint32_t)length;
    c->wire->kept += length;
}

/* ---- watches ---- */

static void watch_free(struct wire_connection *c, struct captured_watch *watch)
{
    c->wire->watched -= sizeof *watch + strlen(watch->path);
    free(watch->path);
}

static void watches_free(struct wire_connection *c)
{
    for (size_t i = 0; i < c->shown.watch_count; i++)
        watch_free(c, &c->shown.watches[i]);
    free(c->shown.watches);
    c->shown.watches = NULL;
    c->shown.watch_count = c->shown.watch_room = 0;
}

static void watches_lost(struct wire_connection *c, int64_t at_us)
{
    watches_free(c);
    if (!c->shown.watches_known)
        return;
    c->shown.watches_known = false;
    wire_tell(c, (struct wire_fact){.kind = WIRE_WATCHES, .at_us = at_us});
}

static void watch_add(struct wire_connection *c, const char *path, enum watch_kind kind, int64_t at_us)
{
    struct wire_client *shown = &c->shown;
    for (size_t i = 0; i < shown->watch_count; i++)
        if (shown->watches[i].kind == kind && strcmp(shown->watches[i].path, path) == 0)
            return;
    size_t bytes = sizeof *shown->watches + strlen(path);
    if (shown->watch_count >= WIRE_WATCHES_MOST || c->wire->watched + bytes > WIRE_WATCHES_BYTES_ALL) {
        watches_lost(c, at_us);
        return;
    }
    if (!shown->watches_known)
        return;
    room_for_one(&shown->watches, shown->watch_count, &shown->watch_room, sizeof *shown->watches);
    shown->watches[shown->watch_count++] =
        (struct captured_watch){.path = text_copy(path), .kind = kind, .since_us = at_us};
    c->wire->watched += bytes;
    wire_tell(c, (struct wire_fact){.kind = WIRE_WATCHES, .at_us = at_us});
}

static void watches_remove(struct wire_connection *c, const char *path, unsigned kinds, int64_t at_us)
{
    struct wire_client *shown = &c->shown;
    size_t kept = 0;
    for (size_t i = 0; i < shown->watch_count; i++) {
        struct captured_watch *watch = &shown->watches[i];
        if (kinds >> watch->kind & 1u && strcmp(watch->path, path) == 0)
            watch_free(c, watch);
        else
            shown->watches[kept++] = *watch;
    }
    bool any = kept != shown->watch_count;
    shown->watch_count = kept;
    if (any)
        wire_tell(c, (struct wire_fact){.kind = WIRE_WATCHES, .at_us = at_us});
}

#define DATA_WATCHES (1u << WATCH_DATA)
#define CHILD_WATCHES (1u << WATCH_CHILDREN)
#define LASTING_WATCHES (1u << WATCH_PERSISTENT | 1u << WATCH_RECURSIVE)

static void watch_fires(struct wire_connection *c, const char *path, enum wire_event event, int64_t at_us)
{
    unsigned kinds = event == WIRE_NODE_CHILDREN  ? CHILD_WATCHES
                     : event == WIRE_NODE_DELETED ? DATA_WATCHES | CHILD_WATCHES
                                                  : DATA_WATCHES;
    watches_remove(c, path, kinds, at_us);
}

/* ---- reading records ---- */

static int64_t read_long(struct frame_reader *r)
{
    uint32_t high = (uint32_t)frame_read_int(r, "a number"), low = (uint32_t)frame_read_int(r, "a number");
    return (int64_t)((uint64_t)high << 32 | low);
}

/* A copy, which the caller frees; NULL: there is no valid path. */
static char *wire_read_path(struct frame_reader *r)
{
    uint32_t length;
    const uint8_t *path = frame_read_bytes(r, 1, "a path", &length);
    if (!path || path[0] != '/' || memchr(path, '\0', length))
        return NULL;
    char *copy = xmalloc((size_t)length + 1);
    memcpy(copy, path, length);
    copy[length] = '\0';
    return copy;
}

static bool read_flag(struct frame_reader *r)
{
    frame_read_skip(r, 1, "a flag");
    return !r->failed && r->at[-1] != 0;
}

static bool read_znode_stat(struct frame_reader *r, struct znode_stat *stat)
{
    *stat = (struct znode_stat){.czxid = read_long(r), .mzxid = read_long(r)};
    stat->ctime_ms = read_long(r);
    stat->mtime_ms = read_long(r);
    stat->version = frame_read_int(r, "a Stat");
    stat->cversion = frame_read_int(r, "a Stat");
    stat->aversion = frame_read_int(r, "a Stat");
    stat->owner = (uint64_t)read_long(r);
    stat->data_length = frame_read_int(r, "a Stat");
    stat->children = frame_read_int(r, "a Stat");
    stat->pzxid = read_long(r);
    return !r->failed && stat->children >= 0 && stat->data_length >= 0;
}

static void skip_acl(struct frame_reader *r)
{
    uint32_t count, length;
    frame_read_count(r, 12, "ACL", &count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        frame_read_skip(r, 4, "ACL");
        frame_read_bytes(r, 0, "ACL", &length);
        frame_read_bytes(r, 0, "ACL", &length);
    }
}

/* ---- requests ---- */

static bool is_creation(int32_t kind)
{
    return kind == REQUEST_CREATE || kind == REQUEST_CREATE_STAT || kind == REQUEST_CREATE_CONTAINER ||
           kind == REQUEST_CREATE_TTL;
}

static bool is_multi(int32_t kind)
{
    return kind == REQUEST_MULTI || kind == REQUEST_MULTI_READ;
}

static bool is_read(int32_t kind)
{
    return kind == REQUEST_EXISTS || kind == REQUEST_GET || kind == REQUEST_CHILDREN ||
           kind == REQUEST_CHILDREN_STAT;
}

/* The parts of one change, alone or in a multi. */
struct asked_change {
    char *path;
    const uint8_t *data;
    uint32_t data_length;
    bool ephemeral;
};

static void asked_change_read(struct frame_reader *r, int32_t kind, struct asked_change *change)
{
    *change = (struct asked_change){.path = wire_read_path(r)};
    if (is_creation(kind)) {
        change->data = frame_read_bytes(r, -1, "data", &change->data_length);
        skip_acl(r);
        change->ephemeral = (frame_read_int(r, "flags") & EPHEMERAL_FLAG) != 0 &&
                            (kind == REQUEST_CREATE || kind == REQUEST_CREATE_STAT);
        if (kind == REQUEST_CREATE_TTL)
            frame_read_skip(r, 8, "a TTL");
    } else if (kind == REQUEST_SET) {
        change->data = frame_read_bytes(r, -1, "data", &change->data_length);
        frame_read_skip(r, 4, "a version");
    } else if (kind == REQUEST_DELETE || kind == REQUEST_CHECK) {
        frame_read_skip(r, 4, "a version");
    } else if (kind == REQUEST_GET || kind == REQUEST_CHILDREN) { /* of a multi */
        frame_read_skip(r, 1, "a flag");
    } else {
        frame_read_fail(r, "a change of kind", kind);
    }
}

/* Tells of deletions (DELETING), or of creations (UNSEEN). */
static void tell_asked(struct wire_connection *c, enum wire_fact_kind fact, int32_t kind, const char *path,
                       int64_t at_us)
{
    if (path && (fact == WIRE_DELETING ? kind == REQUEST_DELETE : is_creation(kind)))
        wire_tell(c, (struct wire_fact){.kind = fact, .at_us = at_us, .path = path});
}

/* The kind of the next part of a multi; false: no further one. */
static bool next_of_multi(struct frame_reader *r, int32_t *kind)
{
    *kind = frame_read_int(r, "a multi");
    bool over = read_flag(r);
    frame_read_skip(r, 4, "a multi");
    return !r->failed && !over;
}

static void tell_all_asked(struct wire_connection *c, enum wire_fact_kind fact, int32_t kind,
                           struct frame_reader r, int64_t at_us)
{
    int32_t part = kind;
    while (is_multi(kind) ? next_of_multi(&r, &part) : !r.failed) {
        struct asked_change change;
        asked_change_read(&r, part, &change);
        if (!r.failed)
            tell_asked(c, fact, part, change.path, at_us);
        free(change.path);
        if (!is_multi(kind))
            return;
    }
}

/* A client that reconnects sets its watches again; those that have fired meanwhile do so at once. */
static void renew_watches(struct wire_connection *c, int32_t kind, struct frame_reader r, int64_t at_us)
{
    static const enum watch_kind kinds[] = {WATCH_DATA, WATCH_DATA, WATCH_CHILDREN, WATCH_PERSISTENT,
                                            WATCH_RECURSIVE};
    frame_read_skip(&r, 8, "a transaction");
    for (int list = 0; list < (kind == REQUEST_WATCHES_ALL ? 5 : 3); list++) {
        uint32_t count;
        frame_read_count(&r, 4, "paths", &count);
        for (uint32_t i = 0; i < count && !r.failed; i++) {
            char *path = wire_read_path(&r);
            if (path)
                watch_add(c, path, kinds[list], at_us);
            free(path);
        }
    }
    if (r.failed)
        watches_lost(c, at_us);
}

static void wire_request(struct wire_connection *c, int64_t at_us, const uint8_t *frame, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT];
    struct frame_reader r = {.at = frame, .end = frame + length, .length = length, .fault = fault};
    int32_t number = frame_read_int(&r, "a number"), kind = frame_read_int(&r, "a kind");
    if (kind == REQUEST_PING || kind == REQUEST_CREDENTIAL || number == NUMBER_PING ||
        number == NUMBER_CREDENTIAL)
        return;
    c->shown.asked_us = at_us;
    if (c->shown.asked_first_us < c->waits_us)
        c->shown.asked_first_us = at_us;
    wire_tell(c, (struct wire_fact){.kind = WIRE_ASKED, .at_us = at_us});
    if (kind == REQUEST_WATCHES || kind == REQUEST_WATCHES_ALL) {
        renew_watches(c, kind, r, at_us);
        return;
    }
    if (kind == REQUEST_CLOSE)
        wire_tell(c, (struct wire_fact){.kind = WIRE_CLOSING, .at_us = at_us});
    if (kind == REQUEST_DELETE || is_multi(kind))
        tell_all_asked(c, WIRE_DELETING, kind, r, at_us);
    bool kept = is_creation(kind) || is_multi(kind) || is_read(kind) || kind == REQUEST_DELETE ||
                kind == REQUEST_SET || kind == REQUEST_ADD_WATCH || kind == REQUEST_REMOVE_WATCHES;
    owed_add(c, at_us, number, kind, frame + 8, kept ? length - 8 : 0);
}

/* ---- replies ---- */

/* Whether this was done is not known: its reply is missing. */
static void owed_lost(struct wire_connection *c, const struct owed_reply *owed, int64_t at_us)
{
    char fault[FRAME_FAULT_TEXT], *path = NULL;
    if (owed->body) {
        struct frame_reader asked = {
            .at = owed->body, .end = owed->body + owed->length, .length = owed->length, .fault = fault};
        if (is_creation(owed->kind) || owed->kind == REQUEST_MULTI)
            tell_all_asked(c, WIRE_UNSEEN, owed->kind, asked, at_us);
        if (owed->kind == REQUEST_DELETE)
            path = wire_read_path(&asked);
    }
    if (path || owed->kind == REQUEST_MULTI)
        wire_tell(c, (struct wire_fact){.kind = WIRE_KEPT, .at_us = at_us, .path = path});
    free(path);
}

/* A reply and the request that it answers. */
struct wire_answer {
    struct wire_connection *c;
    int64_t at_us, asked_us, zxid;
    int32_t error;
    struct frame_reader asked, said;
};

static void answer_tell(const struct wire_answer *a, struct wire_fact fact)
{
    fact.at_us = a->at_us;
    fact.asked_us = a->asked_us;
    fact.zxid = a->zxid;
    wire_tell(a->c, fact);
}

/* One change that was made; a->said is at its result. */
static void tell_change(struct wire_answer *a, int32_t kind, const struct asked_change *change)
{
    struct znode_stat stat;
    struct wire_fact fact = {.path = change->path,
                             .ephemeral = change->ephemeral,
                             .has_data = true,
                             .data = change->data,
                             .data_length = change->data_length};
    if (is_creation(kind)) {
        char *path = wire_read_path(&a->said); /* with the number that the server appended */
        if (kind != REQUEST_CREATE)
            read_znode_stat(&a->said, &stat);
        fact.kind = WIRE_CREATED;
        fact.path = path;
        if (path && !a->said.failed)
            answer_tell(a, fact);
        free(path);
    } else if (kind == REQUEST_DELETE && change->path) {
        fact.kind = WIRE_DELETED;
        answer_tell(a, fact);
    } else if (kind == REQUEST_SET && read_znode_stat(&a->said, &stat) && change->path) {
        fact.kind = WIRE_SET;
        fact.stat = &stat;
        answer_tell(a, fact);
    }
}

static void answer_change(struct wire_answer *a, int32_t kind)
{
    struct asked_change change;
    asked_change_read(&a->asked, kind, &change);
    if (!a->asked.failed)
        tell_change(a, kind, &change);
    free(change.path);
}

static void answer_multi(struct wire_answer *a)
{
    int32_t kind, done = 0;
    bool more = false;
    while (next_of_multi(&a->asked, &kind) && (more = next_of_multi(&a->said, &done)) && done == kind)
        answer_change(a, kind);
    /* The reply of a multi that was refused has no error: each of its parts has. */
    if (more && done == REFUSED_PART)
        answer_tell(a, (struct wire_fact){.kind = WIRE_KEPT});
}

static void answer_list(struct wire_answer *a, int32_t kind, const char *path)
{
    uint32_t count, length, read = 0;
    struct znode_stat stat;
    frame_read_count(&a->said, 5, "children", &count);
    if (count > NAMES_MOST)
        return;
    char **names = xmalloc((count + 1) * sizeof *names);
    for (; read < count && !a->said.failed; read++) {
        const uint8_t *name = frame_read_bytes(&a->said, 1, "a child", &length);
        if (!name || memchr(name, '/', length) || memchr(name, '\0', length))
            break;
        names[read] = text_format("%.*s", (int)length, (const char *)name);
    }
    bool whole = read == count && (kind == REQUEST_CHILDREN || read_znode_stat(&a->said, &stat));
    if (whole)
        answer_tell(a, (struct wire_fact){.kind = WIRE_LISTED,
                                          .path = path,
                                          .names = names,
                                          .name_count = count,
                                          .stat = kind == REQUEST_CHILDREN ? NULL : &stat});
    while (read > 0)
        free(names[--read]);
    free(names);
}

static void answer_read(struct wire_answer *a, int32_t kind)
{
    char *path = wire_read_path(&a->asked);
    bool watches = read_flag(&a->asked);
    struct znode_stat stat;
    struct wire_fact fact = {.kind = WIRE_READ, .path = path, .stat = &stat};
    bool there = a->error == 0, fits = path && !a->asked.failed;
    if (fits && there && (kind == REQUEST_CHILDREN || kind == REQUEST_CHILDREN_STAT)) {
        answer_list(a, kind, path);
    } else if (fits && there) {
        uint32_t length = 0;
        fact.has_data = kind == REQUEST_GET;
        fact.data = fact.has_data ? frame_read_bytes(&a->said, -1, "data", &length) : NULL;
        fact.data_length = length;
        if (read_znode_stat(&a->said, &stat))
            answer_tell(a, fact);
    } else if (fits && a->error == NO_NODE) {
        answer_tell(a, (struct wire_fact){.kind = WIRE_ABSENT, .path = path});
    }
    bool lists = kind == REQUEST_CHILDREN || kind == REQUEST_CHILDREN_STAT;
    if (fits && watches && (there || (kind == REQUEST_EXISTS && a->error == NO_NODE)))
        watch_add(a->c, path, lists ? WATCH_CHILDREN : WATCH_DATA, a->at_us);
    free(path);
}

static void answer_watching(struct wire_answer *a, int32_t kind)
{
    /* As removeWatches numbers them: children, data, any; persistent and recursive ones since 3.9. */
    static const unsigned removed[] = {0,
                                       CHILD_WATCHES,
                                       DATA_WATCHES,
                                       CHILD_WATCHES | DATA_WATCHES | LASTING_WATCHES,
                                       1u << WATCH_PERSISTENT,
                                       1u << WATCH_RECURSIVE};
    char *path = wire_read_path(&a->asked);
    int32_t mode = frame_read_int(&a->asked, "a mode");
    bool fits = path && !a->asked.failed;
    if (fits && kind == REQUEST_ADD_WATCH && (mode == 0 || mode == 1)) {
        watches_remove(a->c, path, LASTING_WATCHES, a->at_us);
        watch_add(a->c, path, mode == 0 ? WATCH_PERSISTENT : WATCH_RECURSIVE, a->at_us);
    } else if (fits && kind == REQUEST_REMOVE_WATCHES && mode > 0 && mode <= 5) {
        watches_remove(a->c, path, removed[mode], a->at_us);
    } else {
        watches_lost(a->c, a->at_us);
    }
    free(path);
}

static void answer_failure(struct wire_answer *a, int32_t kind)
{
    char *path = kind == REQUEST_DELETE || kind == REQUEST_SET ? wire_read_path(&a->asked) : NULL;
    if ((path && kind == REQUEST_DELETE) || kind == REQUEST_MULTI)
        answer_tell(a, (struct wire_fact){.kind = WIRE_KEPT, .path = path});
    if (path && a->error == NO_NODE)
        answer_tell(a, (struct wire_fact){.kind = WIRE_ABSENT, .path = path});
    free(path);
}

static void answer_settle(struct wire_answer *a, const struct owed_reply *owed)
{
    a->asked.at = owed->body;
    a->asked.end = owed->body ? owed->body + owed->length : NULL;
    a->asked.length = owed->length;
    if (owed->kind == REQUEST_CLOSE && a->error == 0)
        answer_tell(a, (struct wire_fact){.kind = WIRE_CLOSED});
    if (!owed->body) {
        /* Too long to be kept, or of no interest. */
        if (is_read(owed->kind) || owed->kind == REQUEST_ADD_WATCH)
            watches_lost(a->c, a->at_us);
        return;
    }
    if (is_read(owed->kind))
        answer_read(a, owed->kind);
    else if (a->error != 0)
        answer_failure(a, owed->kind);
    else if (owed->kind == REQUEST_MULTI)
        answer_multi(a);
    else if (owed->kind == REQUEST_ADD_WATCH || owed->kind == REQUEST_REMOVE_WATCHES)
        answer_watching(a, owed->kind);
    else if (is_creation(owed->kind) || owed->kind == REQUEST_DELETE || owed->kind == REQUEST_SET)
        answer_change(a, owed->kind);
}

static void wire_notice(struct wire_connection *c, struct frame_reader *r, int64_t at_us, int64_t zxid)
{
    int32_t event = frame_read_int(r, "an event");
    frame_read_skip(r, 4, "a state");
    char *path = wire_read_path(r);
    if (path && event >= WIRE_NODE_CREATED && event <= WIRE_NODE_CHILDREN) {
        wire_tell(c, (struct wire_fact){.kind = WIRE_NOTIFIED,
                                        .at_us = at_us,
                                        .zxid = zxid,
                                        .path = path,
                                        .event = (enum wire_event)event});
        watch_fires(c, path, (enum wire_event)event, at_us);
    }
    free(path);
}

/* The request is missing: it may have been one to create what the reply names. */
static void reply_alone(struct wire_answer *a)
{
    char *path = a->error == 0 ? wire_read_path(&a->said) : NULL;
    a->c->alone++;
    if (path)
        answer_tell(a, (struct wire_fact){.kind = WIRE_UNSEEN, .path = path});
    free(path);
}

static void wire_reply(struct wire_connection *c, int64_t at_us, const uint8_t *frame, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT];
    struct wire_answer a = {.c = c, .at_us = at_us, .asked = {.fault = fault}};
    a.said = (struct frame_reader){.at = frame, .end = frame + length, .length = length, .fault = fault};
    int32_t number = frame_read_int(&a.said, "a number");
    a.zxid = read_long(&a.said);
    a.error = frame_read_int(&a.said, "an error");
    if (number == NUMBER_NOTICE) {
        wire_notice(c, &a.said, at_us, a.zxid);
        return;
    }
    c->shown.answered_us = at_us;
    c->shown.answered_zxid = a.zxid > c->shown.answered_zxid ? a.zxid : c->shown.answered_zxid;
    if (number < 0)
        return;
    /* Replies come in order: requests before the answered one were lost with theirs. */
    uint32_t at = 0;
    while (at < c->owed_count && c->owed[(c->owed_first + at) % c->owed_room].number != number)
        at++;
    if (at == c->owed_count) {
        reply_alone(&a);
        return;
    }
    for (; at > 0; at--) {
        owed_lost(c, &c->owed[c->owed_first], at_us);
        owed_drop(c);
    }
    a.asked_us = c->owed[c->owed_first].at_us;
    c->alone = 0;
    c->server_lost = false;
    answer_settle(&a, &c->owed[c->owed_first]);
    if (c->shown.timed)
        answer_tell(&a, (struct wire_fact){.kind = WIRE_ANSWERED});
    owed_drop(c);
}

/* ---- greetings ---- */

static void wire_greeting(struct wire_connection *c, const uint8_t *frame, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT];
    struct frame_reader r = {.at = frame, .end = frame + length, .length = length, .fault = fault};
    frame_read_skip(&r, GREETING_SESSION_AT, "a greeting");
    c->asked_session = (uint64_t)read_long(&r);
    c->greeted = true;
}

static void wire_greeting_answer(struct wire_connection *c, int64_t at_us, const uint8_t *frame,
                                 uint32_t length)
{
    char fault[FRAME_FAULT_TEXT];
    struct frame_reader r = {.at = frame, .end = frame + length, .length = length, .fault = fault};
    frame_read_skip(&r, 4, "a version");
    int32_t timeout_ms = frame_read_int(&r, "a timeout");
    uint64_t session = (uint64_t)read_long(&r);
    c->answered = true;
    if (r.failed)
        return;
    if (timeout_ms <= 0 || session == 0) {
        wire_tell(c, (struct wire_fact){.kind = WIRE_REFUSED, .at_us = at_us, .session = c->asked_session});
        return;
    }
    c->shown.session = session;
    c->shown.timeout_ms = timeout_ms;
    c->shown.watches_known = c->greeted;
    wire_tell(c, (struct wire_fact){.kind = WIRE_OPENED, .at_us = at_us});
}

/* ---- frames ---- */

static void wire_frame(struct wire_connection *c, bool of_server, int64_t at_us, const uint8_t *frame,
                       uint32_t length)
{
    if (of_server && !c->answered)
        wire_greeting_answer(c, at_us, frame, length);
    else if (of_server && length >= REPLY_LEAST)
        wire_reply(c, at_us, frame, length);
    else if (!of_server && !c->greeted)
        wire_greeting(c, frame, length);
    else if (!of_server && length >= REQUEST_LEAST)
        wire_request(c, at_us, frame, length);
}

static uint32_t frame_prefix(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void frame_stream_clear(struct wire *wire, struct frame_stream *stream)
{
    if (stream->frame)
        memset(stream->frame, 0, stream->have); /* it may hold a password */
    free(stream->frame);
    wire->kept -= stream->room;
    *stream = (struct frame_stream){.synced = stream->synced};
}

/* So many bytes are missing, or may be. If the client asked for anything there, its reply says what that was; else any
 * znode may have been created. */
static void wire_lose(struct wire_connection *c, bool of_server, int64_t at_us, uint32_t length)
{
    struct frame_stream *stream = &c->streams[of_server];
    bool small = length < CREATION_LEAST && stream->have == 0 && stream->skip == 0;
    bool hidden = !of_server && !small && (c->alone == 0 || c->server_lost);
    c->server_lost |= of_server;
    frame_stream_clear(c->wire, stream);
    stream->synced = false;
    /* A greeting that is lost names no session. */
    c->greeted = c->answered = true;
    watches_lost(c, at_us);
    wire_tell(c, (struct wire_fact){.kind = WIRE_LOST, .at_us = at_us, .of_server = of_server});
    if (hidden)
        wire_tell(c, (struct wire_fact){.kind = WIRE_UNSEEN, .at_us = at_us});
}

/* Whether a frame of this length may come next. */
static bool length_is_valid(const struct wire_connection *c, bool of_server, uint32_t length)
{
    if (of_server)
        return c->answered ? length >= REPLY_LEAST && length <= FRAME_SKIPPED_MOST
                           : length >= 36 && length <= GREETING_MOST;
    return c->greeted ? length >= REQUEST_LEAST && length <= FRAME_SKIPPED_MOST
                      : length >= GREETING_LEAST && length <= GREETING_MOST;
}

static bool kind_is_plausible(int32_t number, int32_t kind, uint32_t length)
{
    if (kind == REQUEST_PING)
        return length == REQUEST_LEAST;
    if (number == NUMBER_WATCHES)
        return kind == REQUEST_WATCHES || kind == REQUEST_WATCHES_ALL;
    if (number == NUMBER_CREDENTIAL)
        return kind == REQUEST_CREDENTIAL;
    return number >= 0 && (kind == REQUEST_CLOSE || (kind > 0 && kind <= REQUEST_ADD_WATCH));
}

/* Do these bytes begin a frame? A segment nearly always does. */
static bool begins_frame(bool of_server, const uint8_t *bytes, size_t length)
{
    if (length < (of_server ? 20 : 12))
        return false;
    uint32_t said = frame_prefix(bytes);
    int32_t number = (int32_t)frame_prefix(bytes + 4), kind = (int32_t)frame_prefix(bytes + 8);
    if (!of_server)
        return said >= REQUEST_LEAST && said <= FRAME_LENGTH_MOST && kind_is_plausible(number, kind, said);
    int32_t error = (int32_t)frame_prefix(bytes + 16);
    return said >= REPLY_LEAST && said <= FRAME_SKIPPED_MOST && number >= NUMBER_WATCHES && error <= 0 &&
           error > -1000 && (number != NUMBER_PING || said == REPLY_LEAST);
}

/* The bytes of a begun frame are kept, unless it is too large. */
static void frame_stream_keep(struct wire_connection *c, struct frame_stream *stream, const uint8_t *bytes,
                              size_t length, uint32_t whole)
{
    if (stream->have + length > stream->room) {
        uint32_t room = whole > 256 ? whole : 256;
        stream->frame = xreallocarray(stream->frame, room, 1);
        c->wire->kept += room - stream->room;
        stream->room = room;
    }
    memcpy(stream->frame + stream->have, bytes, length);
    stream->have += (uint32_t)length;
}

/* A frame that will not be kept: its number still settles its request. */
static void frame_pass_over(struct wire_connection *c, bool of_server, int64_t at_us, uint32_t whole)
{
    struct frame_stream *stream = &c->streams[of_server];
    frame_stream_clear(c->wire, stream);
    stream->skip = whole;
    watches_lost(c, at_us);
}

static size_t frame_continue(struct wire_connection *c, bool of_server, int64_t at_us, const uint8_t *bytes,
                             size_t length)
{
    struct frame_stream *stream = &c->streams[of_server];
    size_t part = stream->have < FRAME_PREFIX ? FRAME_PREFIX - stream->have : 0;
    if (part > 0) {
        part = part < length ? part : length;
        frame_stream_keep(c, stream, bytes, part, FRAME_PREFIX);
        return part;
    }
    uint32_t whole = frame_prefix(stream->frame) + FRAME_PREFIX;
    part = whole - stream->have < length ? whole - stream->have : length;
    frame_stream_keep(c, stream, bytes, part, whole);
    if (stream->have == whole) {
        wire_frame(c, of_server, at_us, stream->frame + FRAME_PREFIX, whole - FRAME_PREFIX);
        frame_stream_clear(c->wire, stream);
    }
    return part;
}

/* Takes some of the bytes; returns how many. */
static size_t frame_take(struct wire_connection *c, bool of_server, int64_t at_us, const uint8_t *bytes,
                         size_t length)
{
    struct frame_stream *stream = &c->streams[of_server];
    if (stream->skip > 0) {
        size_t part = stream->skip < length ? (size_t)stream->skip : length;
        stream->skip -= part;
        return part;
    }
    bool begun = stream->have >= FRAME_PREFIX;
    if (stream->have > 0 && !begun)
        return frame_continue(c, of_server, at_us, bytes, length);
    if (!begun && length < FRAME_PREFIX)
        return frame_continue(c, of_server, at_us, bytes, length);
    uint32_t said = frame_prefix(begun ? stream->frame : bytes);
    if (!length_is_valid(c, of_server, said)) {
        wire_lose(c, of_server, at_us, UINT32_MAX);
        return length;
    }
    uint32_t whole = said + FRAME_PREFIX;
    if (!begun && whole <= length) {
        wire_frame(c, of_server, at_us, bytes + FRAME_PREFIX, said);
        return whole;
    }
    if (stream->room < whole && (said > WIRE_FRAME_MOST || c->wire->kept + whole > WIRE_FRAMES_MOST_ALL)) {
        frame_pass_over(c, of_server, at_us, whole - stream->have);
        return 0;
    }
    return frame_continue(c, of_server, at_us, bytes, length);
}

/* ---- connections ---- */

static void wire_sides(struct wire_connection *c, const struct tcp_connection *tcp, int client_side)
{
    c->client_side = client_side;
    tcp_end_text(&tcp->ends[client_side], c->shown.address);
    tcp_end_text(&tcp->ends[!client_side], c->shown.server);
}

static struct wire_connection *wire_connection_of(struct wire *wire, struct tcp_connection *tcp,
                                                  int64_t at_us)
{
    if (tcp->user)
        return tcp->user;
    struct wire_connection *c = xcalloc(1, sizeof *c);
    c->wire = wire;
    c->client_side = -1;
    c->shown.opened_us = at_us;
    c->greeted = c->answered = !tcp->opened;
    c->streams[0].synced = c->streams[1].synced = tcp->opened;
    if (tcp->opened)
        wire_sides(c, tcp, 0);
    tcp->user = c;
    return c;
}

/* One request for a path: of an answer, this would be a failure that no server knows. */
static bool asks_for_path(const uint8_t *bytes, size_t length)
{
    if (length <= 16 || frame_prefix(bytes) != length - FRAME_PREFIX || bytes[16] != '/')
        return false;
    int32_t number = (int32_t)frame_prefix(bytes + 4), kind = (int32_t)frame_prefix(bytes + 8);
    uint32_t path = frame_prefix(bytes + 12);
    return number >= 0 && kind_is_plausible(number, kind, (uint32_t)length) && path > 0 &&
           path <= length - 16;
}

/* Which side of a connection that was open before the capture is the client: pings tell, and what clients ask that are
 * too busy to ping. */
static bool find_sides(struct wire_connection *c, const struct tcp_connection *tcp, int side,
                       const uint8_t *bytes, size_t length)
{
    static const uint8_t ping[] = {0, 0, 0, 8, 255, 255, 255, 254, 0, 0, 0, 11};
    static const uint8_t pong[] = {0, 0, 0, 16, 255, 255, 255, 254};
    if ((length == sizeof ping && memcmp(bytes, ping, sizeof ping) == 0) || asks_for_path(bytes, length))
        wire_sides(c, tcp, side);
    else if (length == 20 && memcmp(bytes, pong, sizeof pong) == 0)
        wire_sides(c, tcp, !side);
    return c->client_side >= 0;
}

/* The first bytes of a client say whether it speaks ZooKeeper's protocol in plain text. */
static enum wire_problem first_bytes(const uint8_t *bytes, size_t length)
{
    if (length >= 3 && bytes[0] == 0x16 && bytes[1] == 3)
        return WIRE_TLS;
    if (length < 12)
        return length >= 4 && bytes[0] != 0 ? WIRE_FOREIGN : WIRE_PLAIN;
    uint32_t said = frame_prefix(bytes), version = frame_prefix(bytes + 4);
    return said >= GREETING_LEAST && said <= GREETING_MOST && version == 0 ? WIRE_PLAIN : WIRE_FOREIGN;
}

/* Its client is heard, though what it says may have to wait for the bytes before it. */
static void wire_on_came(void *context, struct tcp_connection *tcp, int side, int64_t at_us)
{
    struct wire_connection *c = tcp->user;
    (void)context;
    if (!c || c->shown.problem != WIRE_PLAIN)
        return;
    if (side != c->client_side && !tcp->streams[side].waiting)
        c->waits_us = at_us;
    if (c->shown.heard_us == 0 || side != c->client_side)
        return;
    c->shown.heard_us = at_us;
    c->shown.heard_about = false;
}

static void wire_on_acknowledged(void *context, struct tcp_connection *tcp, int side, int64_t at_us)
{
    struct wire_connection *c = tcp->user;
    (void)context;
    if (!c || c->shown.problem != WIRE_PLAIN || c->shown.heard_us == 0 || side != c->client_side)
        return;
    c->shown.heard_us = at_us;
    c->shown.heard_about = true;
}

static void wire_on_bytes(void *context, struct tcp_connection *tcp, int side, int64_t at_us,
                          const uint8_t *bytes, size_t length)
{
    struct wire_connection *c = wire_connection_of(context, tcp, at_us);
    bool late = c->client_side < 0;
    if (c->shown.problem != WIRE_PLAIN || (late && !find_sides(c, tcp, side, bytes, length)))
        return;
    if (late)
        wire_tell(c, (struct wire_fact){.kind = WIRE_LATE, .at_us = at_us});
    bool of_server = side != c->client_side;
    struct frame_stream *stream = &c->streams[of_server];
    if (!of_server && !c->greeted && stream->have == 0)
        c->shown.problem = first_bytes(bytes, length);
    if (c->shown.problem == WIRE_TLS)
        wire_tell(c, (struct wire_fact){.kind = WIRE_OPAQUE, .at_us = at_us});
    if (c->shown.problem != WIRE_PLAIN)
        return;
    if (!of_server && at_us > c->shown.heard_us) {
        c->shown.heard_us = at_us;
        c->shown.heard_about = false;
    }
    stream->synced = stream->synced || begins_frame(of_server, bytes, length);
    while (length > 0 && stream->synced) {
        size_t taken = frame_take(c, of_server, at_us, bytes, length);
        bytes += taken;
        length -= taken;
    }
}

static void wire_on_hole(void *context, struct tcp_connection *tcp, int side, int64_t at_us, uint32_t length)
{
    struct wire_connection *c = wire_connection_of(context, tcp, at_us);
    if (c->shown.problem == WIRE_PLAIN && c->client_side >= 0)
        wire_lose(c, side != c->client_side, at_us, length);
}

static void wire_on_ended(void *context, struct tcp_connection *tcp, int side, int64_t at_us)
{
    struct wire_connection *c = wire_connection_of(context, tcp, at_us);
    if (c->shown.problem != WIRE_PLAIN || c->client_side < 0)
        return;
    c->shown.ended_us = at_us;
    c->shown.ended_by_server = side != c->client_side;
    for (uint32_t i = 0; i < c->owed_count; i++)
        owed_lost(c, &c->owed[(c->owed_first + i) % c->owed_room], at_us);
    wire_tell(c, (struct wire_fact){.kind = WIRE_ENDED, .at_us = at_us});
}

static void wire_on_gone(void *context, struct tcp_connection *tcp)
{
    struct wire *wire = context;
    struct wire_connection *c = tcp->user;
    if (!c)
        return;
    wire->listener.gone(wire->listener.context, &c->shown);
    frame_stream_clear(wire, &c->streams[0]);
    frame_stream_clear(wire, &c->streams[1]);
    while (c->owed_count > 0)
        owed_drop(c);
    watches_free(c);
    free(c->owed);
    free(c);
}

struct wire *wire_new(const struct wire_listener *listener)
{
    struct wire *wire = xcalloc(1, sizeof *wire);
    wire->listener = *listener;
    wire->table = tcp_table_new(&(struct tcp_listener){
        wire, wire_on_came, wire_on_acknowledged, wire_on_bytes, wire_on_hole, wire_on_ended, wire_on_gone});
    return wire;
}

void wire_free(struct wire *wire)
{
    if (!wire)
        return;
    tcp_table_free(wire->table);
    free(wire);
}

void wire_take(struct wire *wire, int64_t at_us, const struct tcp_segment *segment)
{
    tcp_table_take(wire->table, at_us, segment);
}

void wire_pass(struct wire *wire, int64_t at_us)
{
    tcp_table_pass(wire->table, at_us);
}

#include "probe/zookeeper/session_state.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/znode_path.h"
#include "probe/clock.h"
#include "probe/zookeeper/session.h"
#include "probe/zookeeper/session_attempt.h"
#include "probe/zookeeper/session_io.h"
#include "probe/zookeeper/read_account.h"
#include "probe/zookeeper/read_retry.h"

/* Creates a request; path: of a read, else NULL. */
static struct request *request_new(struct requests *all, const char *path, session_answer_fn fn,
                                   void *context)
{
    size_t size = path ? strlen(path) + 1 : 0;
    struct request *r = xmalloc(sizeof *r + size);
    *r = (struct request){.all = all, .fn = fn, .context = context};
    if (path)
        memcpy(r->path, path, size);
    request_attach(r);
    return r;
}

void request_attach(struct request *r)
{
    struct requests *all = r->all;
    r->previous = NULL;
    r->next = all->latest;
    if (all->latest)
        all->latest->previous = r;
    all->latest = r;
    all->open++;
}

void request_detach(struct request *r)
{
    r->all->open--;
    if (r->previous)
        r->previous->next = r->next;
    else
        r->all->latest = r->next;
    if (r->next)
        r->next->previous = r->previous;
    r->previous = r->next = NULL;
}

/* Frees a request that could not be sent. */
static void request_free(struct request *r)
{
    request_detach(r);
    free(r);
}

void request_answer(struct request *r, const struct session_answer *answer)
{
    struct request copy = *r;
    r->all->answered++;
    request_free(r);
    if (copy.fn)
        copy.fn(copy.context, answer);
}

void requests_give_up(struct requests *all)
{
    static const struct session_answer lost = {.result = SESSION_LOST};
    struct request *oldest = NULL;
    for (struct request *r = all->latest; r; r = r->next)
        oldest = r;
    for (struct request *r = oldest; r; r = r->previous) {
        session_answer_fn fn = r->fn;
        r->fn = NULL;
        if (fn)
            fn(r->context, &lost);
    }
}

static struct child_watch *child_watch_of(const struct hash_link *link)
{
    return link ? HASH_ENTRY(link, struct child_watch, link) : NULL;
}

static uint32_t child_watch_hash(const struct hash_link *link)
{
    return (uint32_t)child_watch_of(link)->hash;
}

static uint64_t child_path_hash(const char *path)
{
    size_t length = strlen(path);
    return (uint64_t)hash_bytes(path, length, 1) << 32 | hash_bytes(path, length, 0);
}

/* NULL: there is none. */
static struct child_watch *child_watch_find(const struct child_watches *w, const char *path)
{
    uint64_t hash = child_path_hash(path);
    struct child_watch *watch = child_watch_of(hash_table_first(&w->table, (uint32_t)hash));
    while (watch && watch->hash != hash)
        watch = child_watch_of(watch->link.next);
    return watch;
}

bool child_watches_add(struct child_watches *w, const char *path, int64_t since_us)
{
    if (child_watch_find(w, path))
        return false;
    struct child_watch *watch = xmalloc(sizeof *watch);
    *watch = (struct child_watch){.hash = child_path_hash(path), .since_us = since_us};
    w->table.hash_of = child_watch_hash;
    hash_table_add(&w->table, &watch->link);
    w->changed_us = since_us;
    return true;
}

/* The list of that path has been read. True: for the first time since its watch was set, or set again. */
static bool child_watches_listed(struct child_watches *w, const char *path)
{
    struct child_watch *watch = child_watch_find(w, path);
    if (!watch || watch->listed)
        return false;
    watch->listed = true;
    return true;
}

bool child_watches_remove(struct child_watches *w, const char *path, int64_t now_us)
{
    struct child_watch *watch = child_watch_find(w, path);
    if (!watch)
        return false;
    hash_table_remove(&w->table, &watch->link);
    free(watch);
    w->changed_us = now_us;
    return true;
}

static struct child_watch *child_watches_walk(const struct child_watches *w, const struct child_watch *before)
{
    return child_watch_of(hash_table_walk(&w->table, before ? &before->link : NULL));
}

size_t child_watches_since(const struct child_watches *w, int64_t by_us)
{
    size_t count = 0;
    for (struct child_watch *watch = NULL; (watch = child_watches_walk(w, watch));)
        count += watch->since_us <= by_us;
    return count;
}

void child_watches_restart(struct child_watches *w, int64_t now_us)
{
    for (struct child_watch *watch = NULL; (watch = child_watches_walk(w, watch));) {
        watch->since_us = now_us;
        watch->listed = false;
    }
    w->changed_us = now_us;
}

void child_watches_clear(struct child_watches *w)
{
    for (struct child_watch *watch = child_watches_walk(w, NULL), *next; watch; watch = next) {
        next = child_watches_walk(w, watch);
        free(watch);
    }
    hash_table_clear(&w->table);
    w->changed_us = 0;
}

/*
 * session_calls.c - the requests of session.h, and their answers. See session.c for the connection.
 */

static enum session_result result_of(int rc)
{
    switch (rc) {
    case ZOK:
        return SESSION_OK;
    case ZNONODE:
        return SESSION_NO_NODE;
    case ZNOAUTH:
        return SESSION_DENIED;
    case ZNODEEXISTS:
        return SESSION_NODE_EXISTS;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
    case ZCLOSING:
    case ZSESSIONMOVED:
        return SESSION_LOST;
    case ZTHROTTLEDOP:
        return SESSION_BUSY;
    case ZMARSHALLINGERROR:
        return SESSION_TOO_LARGE;
    default:
        return SESSION_FAILED;
    }
}

static struct znode_stat stat_of(const struct Stat *stat)
{
    return (struct znode_stat){
        .czxid = stat->czxid,
        .mzxid = stat->mzxid,
        .pzxid = stat->pzxid,
        .ctime_ms = znode_time_ms(stat->ctime),
        .mtime_ms = znode_time_ms(stat->mtime),
        .version = stat->version,
        .cversion = stat->cversion,
        .aversion = stat->aversion,
        .data_length = stat->dataLength,
        .children = stat->numChildren,
        .owner = (uint64_t)stat->ephemeralOwner,
    };
}

/* path: of a read, else NULL. NULL: it is not possible now. */
static struct request *request_begin(struct session *s, const char *path, session_answer_fn fn, void *context)
{
    bool possible = s->state == CONNECTION_CONNECTED && !s->closing && !s->paused && s->zh;
    return possible ? request_new(&s->requests, path, fn, context) : NULL;
}

static bool request_sent(struct request *r, bool sent)
{
    struct session *s = r->all->session;
    if (sent) {
        if (session_attempt_broke(s))
            session_io_let_go(s->io); /* answered in this turn */
        session_io_this_turn(s->io);
        return true;
    }
    request_free(r);
    return false;
}

/* The library returns as const a pointer that we own. */
static struct request *request_of(const void *data)
{
    return (struct request *)(uintptr_t)data;
}

/* Where memory ends, the library leaves out a part of an answer, and goes on. */
static void part_given(const void *part)
{
    if (!part)
        memory_exhausted();
}

static void on_data(int rc, const char *value, int length, const struct Stat *stat, const void *data)
{
    struct znode_stat s = rc == ZOK ? stat_of(stat) : (struct znode_stat){0};
    struct session_answer a = {.result = result_of(rc), .stat = rc == ZOK ? &s : NULL, .data = value};
    a.length = rc == ZOK && length > 0 ? (size_t)length : 0;
    if (a.length > 0)
        part_given(value);
    read_retry_answer(request_of(data), rc, &a);
}

static void on_node(int rc, const struct Stat *stat, const void *data)
{
    on_data(rc, NULL, 0, stat, data);
}

static void child_watch_set(const struct request *r, size_t entries)
{
    struct session *s = r->all->session;
    if (!r->watch || !s->counts_children)
        return;
    bool set = child_watches_add(&s->child_watches, r->path, clock_now().mono_us);
    if (s->account && !r->may_be_too_large && child_watches_listed(&s->child_watches, r->path))
        read_account_listed(s->account, entries);
    if (set && s->listener.child_watches && !s->closing)
        s->listener.child_watches(s->context);
}

/* Takes the children that can be read, in an array for the caller to free; NULL: all can. */
static char **without_misnamed(const struct request *r, struct session_answer *a)
{
    const struct session *s = r->all->session;
    char **taken = NULL;
    size_t first = 0, count = 0;
    while (first < a->count && znode_name_is_valid(a->names[first]))
        first++;
    if (s->listener.misnamed && !s->closing)
        s->listener.misnamed(s->context, r->path, first < a->count ? a->names[first] : NULL);
    if (first == a->count)
        return NULL;
    taken = xmalloc(a->count * sizeof *taken);
    for (size_t i = 0; i < a->count; i++)
        if (i < first || znode_name_is_valid(a->names[i]))
            taken[count++] = a->names[i];
    a->names = taken;
    a->count = count;
    return taken;
}

static void session_calls_on_children(int rc, const struct String_vector *names, const struct Stat *stat,
                                      const void *data)
{
    struct session_answer a = {.result = result_of(rc)};
    struct znode_stat s;
    char **taken = NULL;
    if (rc == ZOK) {
        s = stat_of(stat);
        a.stat = &s;
        a.names = names->data;
        a.count = (size_t)names->count;
        for (size_t i = 0; i < a.count; i++)
            part_given(a.names[i]);
        child_watch_set(request_of(data), a.count);
    }
    if (rc == ZOK || rc == ZNONODE)
        taken = without_misnamed(request_of(data), &a);
    read_retry_answer(request_of(data), rc, &a);
    free(taken);
}

static bool send_exists(struct request *r)
{
    struct session *s = r->all->session;
    return zoo_awexists(s->zh, r->path, r->watch ? session_on_watch : NULL, s, on_node, r) == ZOK;
}

static bool send_get(struct request *r)
{
    struct session *s = r->all->session;
    return zoo_awget(s->zh, r->path, r->watch ? session_on_watch : NULL, s, on_data, r) == ZOK;
}

static bool send_children(struct request *r)
{
    struct session *s = r->all->session;
    return zoo_awget_children2(s->zh, r->path, r->watch ? session_on_watch : NULL, s,
                               session_calls_on_children, r) == ZOK;
}

static void on_text(int rc, const char *value, const void *data)
{
    struct session_answer a = {.result = result_of(rc), .path = rc == ZOK ? value : NULL};
    request_answer(request_of(data), &a);
}

static void on_void(int rc, const void *data)
{
    on_text(rc, NULL, data);
}

static bool send_sync(struct request *r)
{
    return zoo_async(r->all->session->zh, r->path, on_text, r) == ZOK;
}

static bool read_send(struct request *r, bool (*send)(struct request *), bool watch)
{
    struct read_account *account = r->all->session->account;
    r->send = send;
    r->watch = watch;
    /* A sync and the lists that follow it belong to a server's poll, which has a separate budget. */
    bool polls = send == send_sync || (r->lists && !watch);
    if (account && polls)
        read_account_count(account);
    else if (account && !r->may_be_too_large && !read_account_take(account, !r->confirms)) {
        read_account_keep(account, r);
        return true;
    }
    return request_sent(r, send(r));
}

bool session_exists(struct session *s, const char *path, bool watch, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, path, fn, context);
    return r && read_send(r, send_exists, watch);
}

bool session_get(struct session *s, const char *path, bool watch, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, path, fn, context);
    return r && read_send(r, send_get, watch);
}

bool session_get_again(struct session *s, const char *path, bool urgent, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, path, fn, context);
    if (r) {
        r->confirms = true;
        r->urgent = urgent;
    }
    return r && read_send(r, send_get, false);
}

static bool children_ask(struct session *s, const char *path, bool watch, bool may_be_too_large,
                         session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, path, fn, context);
    if (!r)
        return false;
    r->lists = true;
    r->may_be_too_large = may_be_too_large;
    return read_send(r, send_children, watch);
}

bool session_children(struct session *s, const char *path, bool watch, session_answer_fn fn, void *context)
{
    return children_ask(s, path, watch, false, fn, context);
}

bool session_list(struct session *s, const char *path, bool watch, session_answer_fn fn, void *context)
{
    return children_ask(s, path, watch, true, fn, context);
}

bool session_probe(struct session *s, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, "/", fn, context);
    if (r && s->account)
        read_account_count(s->account);
    if (r)
        r->send = send_exists;
    return r && request_sent(r, send_exists(r));
}

bool session_sync(struct session *s, const char *path, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, path, fn, context);
    return r && read_send(r, send_sync, false);
}

/* Instead of removing a single watcher, the library only asks the server whether there is a watch. It
 * declares a pointer to the function's type, and calls its argument as the function itself. */
bool session_unwatch(struct session *s, const char *path, session_answer_fn fn, void *context)
{
    void_completion_t *completion = (void_completion_t *)(uintptr_t)on_void;
    struct request *r = request_begin(s, NULL, fn, context);
    return r &&
           request_sent(r, zoo_aremove_all_watches(s->zh, path, ZWATCHTYPE_DATA, 0, completion, r) == ZOK);
}

static void session_calls_on_acl(int rc, struct ACL_vector *vector, struct Stat *stat, const void *data)
{
    (void)stat;
    struct acl_entry entries[ACL_ENTRIES_MOST];
    struct acl acl = {.entries = entries};
    struct session_answer a = {.result = result_of(rc)};
    if (rc == ZOK && vector->count > ACL_ENTRIES_MOST)
        a.result = SESSION_FAILED;
    for (int32_t i = 0; a.result == SESSION_OK && i < vector->count; i++)
        entries[acl.count++] =
            (struct acl_entry){vector->data[i].perms, vector->data[i].id.scheme, vector->data[i].id.id};
    if (a.result == SESSION_OK)
        a.acl = &acl;
    request_answer(request_of(data), &a);
}

bool session_acl(struct session *s, const char *path, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, NULL, fn, context);
    return r && request_sent(r, zoo_aget_acl(s->zh, path, session_calls_on_acl, r) == ZOK);
}

/* The library only reads the text, although its type is not const. */
static char *unconst(const char *text)
{
    return (char *)(uintptr_t)text;
}

bool session_create(struct session *s, const char *path, const void *data, size_t length,
                    enum create_mode mode, const struct acl *acl, session_answer_fn fn, void *context)
{
    int flags = mode == CREATE_PERSISTENT              ? ZOO_PERSISTENT
                : mode == CREATE_PERSISTENT_SEQUENTIAL ? ZOO_PERSISTENT_SEQUENTIAL
                : mode == CREATE_EPHEMERAL             ? ZOO_EPHEMERAL
                                                       : ZOO_EPHEMERAL_SEQUENTIAL;
    struct ACL entries[ACL_ENTRIES_MOST];
    struct ACL_vector vector = ZOO_OPEN_ACL_UNSAFE;
    if (acl && acl->count > ACL_ENTRIES_MOST)
        return false;
    if (acl)
        vector = (struct ACL_vector){.count = (int32_t)acl->count, .data = entries};
    for (size_t i = 0; acl && i < acl->count; i++) {
        const struct acl_entry *entry = &acl->entries[i];
        entries[i] = (struct ACL){entry->permissions, {unconst(entry->scheme), unconst(entry->id)}};
    }
    struct request *r = request_begin(s, NULL, fn, context);
    return r &&
           request_sent(r, zoo_acreate(s->zh, path, data, (int)length, &vector, flags, on_text, r) == ZOK);
}

bool session_delete(struct session *s, const char *path, int32_t version, session_answer_fn fn, void *context)
{
    struct request *r = request_begin(s, NULL, fn, context);
    return r && request_sent(r, zoo_adelete(s->zh, path, version, on_void, r) == ZOK);
}

#include "probe/watch/log_follower.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/baseline.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/identity.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/transactions/log_stream.h"
#include "probe/watch/ensemble_watch.h"
#include "probe/watch/live_cluster.h"

#define FOLLOW_MS 200
/* A turn that is so late reads of the past: this process stood still, or the file. */
#define LATE_MS 3000
/* New files, and after a failure the directory itself, are looked up every this many turns. */
#define REFRESH_TURNS 5
/* Changes that the loop has not taken yet: at this number, or so many bytes of paths, the thread waits. */
#define WAITING_MOST 100000
#define WAITING_BYTES ((size_t)8 << 20)
/* How long a snapshot waits for the log up to its begin. */
#define BEFORE_MS 2000
/* So many of the newest logs are read at the begin: a server begins one when it starts, too. */
#define LOGS_BEFORE 4
/* The first so many living ephemeral znodes of these logs are remembered, for whose they were, and so much data. */
#define LIVING_MOST 20000
#define LIVING_DATA 512
#define LIVING_BYTES ((size_t)8 << 20)
/* How long log_follower_free() waits for the thread. */
#define END_NS UINT64_C(100000000)

/* A change that the thread found in the log. */
struct followed_change {
    enum transaction_deed deed; /* DEED_NONE: the log was read up to this transaction */
    int64_t zxid;
    /* By the clock of ZooKeeper's leader, if it was logged before the log was followed, or is read late; else 0. */
    int64_t time_ms;
    bool late;
    uint64_t session;
    int64_t czxid; /* of the removed znode, and its own session, if its creation was read; else 0 */
    uint64_t owner;
    char *path;      /* of a removed znode; NULL: all those of the session, or DEED_NONE */
    char *identity;  /* of its client, if its creation was read; else NULL */
    char *complaint; /* the directory cannot be read; NULL: it can */
};

/* The latest end of a candidate before the log was followed. */
struct logged_before {
    struct hash_link link;
    size_t length; /* of the election's path, with which that of the znode begins */
    struct followed_change change;
    struct followed_change removed; /* its directory since, without a path; zxid 0: it was not */
};

/* An ephemeral znode that was created before the log was followed. */
struct living_node {
    struct hash_link link;
    char *path;
    size_t length; /* of the data behind the path's end */
    int64_t czxid;
    uint64_t owner;
};

struct log_follower {
    struct live_cluster *live; /* the loop's alone */
    /* The loop's alone: ends in elections whose state is not known yet. */
    struct hash_table before;
    uint64_t begun_ms;
    bool taken;       /* the loop's alone: the log up to its begin is known, or cannot be read */
    uv_async_t *wake; /* of the loop; NULL: it was closed */
    pthread_t thread;
    uv_mutex_t mutex; /* of all that follows up to the thread's own */
    uv_cond_t moved;
    bool over, ended; /* it is to end; it has ended */
    bool left;        /* log_follower_free() did not wait for it: the thread frees this struct */
    struct followed_change *found;
    size_t count, room, bytes; /* bytes of their paths */
    /* The thread's own. */
    char *directory;
    int64_t unpack_most;
    struct log_set *set;
    struct log_stream *stream;
    struct hash_table living;
    size_t living_bytes;
    unsigned turns;
    bool current;     /* the initial content has been read, and nothing that was written since is read late */
    uint64_t read_ms; /* it was read until then; 0: the initial content was not */
    bool complained;
};

static void followed_free(struct followed_change *followed)
{
    free(followed->path);
    free(followed->identity);
    free(followed->complaint);
}

static uint32_t before_hash(const struct hash_link *link)
{
    const struct logged_before *before = HASH_ENTRY(link, const struct logged_before, link);
    return cluster_path_hash(before->change.path, before->length);
}

static void before_free(struct log_follower *f, struct logged_before *before)
{
    hash_table_remove(&f->before, &before->link);
    followed_free(&before->change);
    free(before);
}

/* ---- on the thread ---- */

static uint32_t living_hash(const struct hash_link *link)
{
    const char *path = HASH_ENTRY(link, const struct living_node, link)->path;
    return cluster_path_hash(path, strlen(path));
}

static size_t living_size(const struct living_node *node)
{
    return sizeof *node + strlen(node->path) + 1 + node->length;
}

static void living_free(struct log_follower *f, struct living_node *node)
{
    f->living_bytes -= living_size(node);
    hash_table_remove(&f->living, &node->link);
    free(node->path);
    free(node);
}

static void living_clear(struct log_follower *f)
{
    struct hash_link *link;
    while ((link = hash_table_walk(&f->living, NULL)))
        living_free(f, HASH_ENTRY(link, struct living_node, link));
    hash_table_clear(&f->living);
}

static struct living_node *living_find(struct log_follower *f, const char *path)
{
    struct hash_link *link = hash_table_first(&f->living, cluster_path_hash(path, strlen(path)));
    while (link && strcmp(HASH_ENTRY(link, struct living_node, link)->path, path) != 0)
        link = link->next;
    return link ? HASH_ENTRY(link, struct living_node, link) : NULL;
}

static void living_add(struct log_follower *f, const struct transaction *t, const struct znode_change *change)
{
    if (change->sort != ZNODE_EPHEMERAL || f->current || change->data_length > LIVING_DATA ||
        f->living.count >= LIVING_MOST || f->living_bytes >= LIVING_BYTES)
        return;
    struct living_node *node = xmalloc(sizeof *node);
    node->path = xmalloc(change->path_length + 1 + change->data_length);
    node->length = change->data_length;
    node->czxid = t->zxid;
    node->owner = t->session;
    memcpy(node->path, change->path, change->path_length);
    node->path[change->path_length] = '\0';
    /* Old servers do not log which znodes end with a session. */
    struct living_node *former = living_find(f, node->path);
    if (former)
        living_free(f, former);
    if (change->data_length > 0)
        memcpy(node->path + change->path_length + 1, change->data, change->data_length);
    hash_table_add(&f->living, &node->link);
    f->living_bytes += living_size(node);
}

/* It has ended: whose it was, and since when. */
static void living_take(struct log_follower *f, struct followed_change *followed)
{
    struct living_node *node = living_find(f, followed->path);
    if (!node)
        return;
    followed->czxid = node->czxid;
    followed->owner = node->owner;
    followed->identity = identity_from_data(node->path + strlen(node->path) + 1, node->length);
    living_free(f, node);
}

/* Takes the texts over. False: it is to end. */
static bool follower_hand_on(struct log_follower *f, struct followed_change followed)
{
    uv_mutex_lock(&f->mutex);
    while ((f->count >= WAITING_MOST || f->bytes >= WAITING_BYTES) && !f->over) {
        uv_async_send(f->wake);
        uv_cond_wait(&f->moved, &f->mutex);
    }
    bool more = !f->over;
    if (more) {
        room_for_one(&f->found, f->count, &f->room, sizeof *f->found);
        f->found[f->count++] = followed;
        f->bytes += followed.path ? strlen(followed.path) : 0;
    } else {
        followed_free(&followed);
    }
    uv_mutex_unlock(&f->mutex);
    return more;
}

static void follower_change(void *context, const struct transaction *t, const struct znode_change *change)
{
    struct log_follower *f = context;
    enum transaction_deed ended = t->cxid == 0 ? DEED_EXPIRED : DEED_CLOSED;
    struct followed_change followed = {.deed = ended,
                                       .zxid = t->zxid,
                                       .late = f->read_ms > 0,
                                       .time_ms = f->current ? 0 : t->time_ms,
                                       .session = t->session};
    if (change->kind == CHANGE_CREATED)
        living_add(f, t, change);
    if (change->kind == CHANGE_DELETED)
        followed.deed = DEED_DELETED;
    else if (change->kind != CHANGE_CLOSED && (change->kind != CHANGE_SESSION_ENDED || f->read_ms == 0))
        return;
    if (change->kind != CHANGE_SESSION_ENDED) {
        followed.path = text_format("%.*s", (int)change->path_length, change->path);
        living_take(f, &followed);
    }
    follower_hand_on(f, followed);
}

static bool follower_open(struct log_follower *f)
{
    char *error = NULL;
    int64_t first = 0;
    f->set = log_set_open(&f->directory, 1, f->unpack_most, &error);
    for (size_t i = 0; f->set && i < f->set->server_count; i++) {
        const struct log_server *server = &f->set->servers[i];
        size_t before = server->log_count < LOGS_BEFORE ? server->log_count : LOGS_BEFORE;
        if (before > 0 && server->logs[server->log_count - before].zxid > first)
            first = server->logs[server->log_count - before].zxid;
    }
    f->stream = f->set ? log_stream_open(f->set, first > 0 ? first - 1 : 0, NULL, NULL) : NULL;
    if (!f->stream && !f->complained)
        follower_hand_on(f, (struct followed_change){.complaint = xstrdup(error)});
    f->complained = !f->stream;
    free(error);
    return f->stream != NULL;
}

static bool follower_is_over(struct log_follower *f)
{
    uv_mutex_lock(&f->mutex);
    bool over = f->over;
    uv_mutex_unlock(&f->mutex);
    return over;
}

static void follower_turn(struct log_follower *f)
{
    struct transaction t, last = {0};
    bool missing, more = true, refresh = f->turns++ % REFRESH_TURNS == 0;
    if (!f->stream && !(refresh && follower_open(f)))
        return;
    if (refresh)
        log_set_refresh(f->set);
    uint64_t now_ms = uv_hrtime() / 1000000;
    f->current = f->current && now_ms - f->read_ms < LATE_MS;
    while (!follower_is_over(f) && (more = log_stream_next(f->stream, &t, &missing))) {
        last = t;
        transaction_changes(&t, follower_change, f);
    }
    f->current = f->current || !more;
    if (!f->current)
        return;
    living_clear(f);
    f->read_ms = uv_hrtime() / 1000000;
    /* Done even without transactions: it shows that the log is being followed. */
    follower_hand_on(f, (struct followed_change){.zxid = last.zxid, .session = last.session});
}

static void follower_free(struct log_follower *f)
{
    struct hash_link *link;
    while ((link = hash_table_walk(&f->before, NULL)))
        before_free(f, HASH_ENTRY(link, struct logged_before, link));
    hash_table_clear(&f->before);
    living_clear(f);
    for (size_t i = 0; i < f->count; i++)
        followed_free(&f->found[i]);
    free(f->found);
    log_stream_close(f->stream);
    log_set_free(f->set);
    free(f->directory);
    uv_cond_destroy(&f->moved);
    uv_mutex_destroy(&f->mutex);
    free(f);
}

static void *log_follower_run(void *context)
{
    struct log_follower *f = context;
    uv_mutex_lock(&f->mutex);
    while (!f->over) {
        uv_mutex_unlock(&f->mutex);
        follower_turn(f);
        uv_mutex_lock(&f->mutex);
        if (f->wake)
            uv_async_send(f->wake);
        if (!f->over)
            uv_cond_timedwait(&f->moved, &f->mutex, FOLLOW_MS * UINT64_C(1000000));
    }
    f->ended = true;
    bool left = f->left;
    uv_cond_signal(&f->moved);
    uv_mutex_unlock(&f->mutex);
    if (left)
        follower_free(f);
    return NULL;
}

/* ---- on the loop ---- */

static void follower_observe(const struct log_follower *f, const struct followed_change *found,
                             const char *path)
{
    struct observation o = live_observation(f->live, OBSERVED_TRANSACTION, NULL, path);
    o.transaction = (struct observed_transaction){
        .zxid = found->zxid, .deed = found->deed, .session = found->session, .czxid = found->czxid};
    o.transaction.identity = found->identity;
    o.transaction.owner = found->owner;
    if (found->time_ms) {
        int64_t gone_us =
            cluster_stat_us(&f->live->model->clusters[f->live->index], found->zxid, found->time_ms);
        o.transaction.gone_us = o.at.mono_us - (o.at.wall_us - gone_us);
    }
    live_observe(f->live, &o);
}

/* That path is a watched election, or lies in one; length: that of the election's path. NULL: neither. */
static const struct election *election_of(const struct log_follower *f, const char *path, size_t *length)
{
    return cluster_election_around(&f->live->model->clusters[f->live->index], path, length);
}

/* Takes the texts over. Of several that ended in one transaction, the first in line is kept. */
static void follower_keep_before(struct log_follower *f, struct followed_change *found)
{
    size_t length;
    if (!election_of(f, found->path, &length))
        return;
    struct hash_link *link = hash_table_first(&f->before, cluster_path_hash(found->path, length));
    struct logged_before *before = NULL;
    for (; link && !before; link = link->next) {
        struct logged_before *one = HASH_ENTRY(link, struct logged_before, link);
        if (one->length == length && memcmp(one->change.path, found->path, length) == 0)
            before = one;
    }
    bool own = found->path[length] == '\0'; /* the directory, after its last candidate; or a lock's holder */
    if (!own && recipe_sequence_of(found->path) == SEQUENCE_NONE)
        return; /* no candidate: a mark of its leader, perhaps */
    bool stood = before && before->length < strlen(before->change.path);
    if (stood && own) {
        before->removed = *found;
        before->removed.path = before->removed.identity = NULL;
        return;
    }
    if (stood && before->change.zxid == found->zxid &&
        recipe_sequence_of(before->change.path) < recipe_sequence_of(found->path))
        return;
    if (before)
        before_free(f, before);
    before = xmalloc(sizeof *before);
    *before = (struct logged_before){.length = length, .change = *found};
    found->path = found->identity = NULL;
    hash_table_add(&f->before, &before->link);
}

/* Reports the last end in each election, at last those without a leader, as the latest are kept. Only the servers
 * tell how far their clock, which is the log's, is ahead: without their first answers the end would be told by
 * another clock. */
static void follower_show_before(struct log_follower *f)
{
    const struct ensemble_watch *servers = f->live->servers;
    if (servers && ensemble_watch_rounds(servers) == 0 && uv_now(f->live->loop) - f->begun_ms < BEFORE_MS)
        return;
    for (int vacant = 0; vacant < 2; vacant++) {
        struct hash_link *link = hash_table_walk(&f->before, NULL);
        while (link) {
            struct logged_before *before = HASH_ENTRY(link, struct logged_before, link);
            size_t length;
            const struct election *election = election_of(f, before->change.path, &length);
            link = hash_table_walk(&f->before, link);
            if (election && (election->state == ELECTION_UNKNOWN || (!election->leader && !vacant)))
                continue;
            if (election && !election->leader && before->removed.zxid)
                follower_observe(f, &before->removed, election->path);
            if (election && election_may_have_led(election, before->change.path))
                follower_observe(f, &before->change, before->change.path);
            before_free(f, before);
        }
    }
}

/* Old servers do not log which znodes end with a session; the session's candidates do. */
static void follower_observe_owned(const struct log_follower *f, const struct followed_change *found)
{
    const struct cluster *cluster = &f->live->model->clusters[f->live->index];
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        const struct candidate *leader = election->leader;
        if (!leader || !leader->known || leader->stat.owner != found->session)
            continue;
        bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
        char *path =
            lock ? xstrdup(election->path)
                 : text_format("%s/%s", strcmp(election->path, "/") == 0 ? "" : election->path, leader->name);
        follower_observe(f, found, path);
        free(path);
    }
}

/* Takes the texts over. The end of the leader that the recording knew is the loss in the gap since, whether or not
 * another leads now. */
static void follower_take_before(struct log_follower *f, struct followed_change *found)
{
    const struct model *model = f->live->model;
    if (baseline_led(model, &model->clusters[f->live->index], found->path))
        follower_observe(f, found, found->path);
    follower_keep_before(f, found);
}

static void follower_take(struct log_follower *f, struct followed_change *found)
{
    size_t length;
    f->taken |= found->complaint || found->deed == DEED_NONE;
    if (found->complaint)
        log_line(LOG_LEVEL_WARNING, "%s", found->complaint);
    else if (found->time_ms && !found->late)
        follower_take_before(f, found);
    else if (found->deed == DEED_NONE)
        follower_observe(f, found, NULL);
    else if (!found->path)
        follower_observe_owned(f, found);
    else if (election_of(f, found->path, &length))
        follower_observe(f, found, found->path);
    if (found->deed == DEED_NONE)
        follower_show_before(f);
}

static void log_follower_on_wake(uv_async_t *wake)
{
    struct log_follower *f = wake->data;
    uv_mutex_lock(&f->mutex);
    struct followed_change *found = f->found;
    size_t count = f->count;
    f->found = NULL;
    bool full = count >= WAITING_MOST || f->bytes >= WAITING_BYTES;
    f->count = f->room = f->bytes = 0;
    if (full) /* else the thread waits for its next turn */
        uv_cond_signal(&f->moved);
    uv_mutex_unlock(&f->mutex);
    for (size_t i = 0; i < count; i++) {
        follower_take(f, &found[i]);
        followed_free(&found[i]);
    }
    free(found);
}

/* The next turn reports an earlier end in an election whose state is known by now. */
static bool shows_soon(const struct log_follower *f)
{
    size_t length;
    for (struct hash_link *link = hash_table_walk(&f->before, NULL); link;
         link = hash_table_walk(&f->before, link)) {
        const struct election *election =
            election_of(f, HASH_ENTRY(link, struct logged_before, link)->change.path, &length);
        if (election && election->state != ELECTION_UNKNOWN)
            return true;
    }
    return false;
}

bool log_follower_complete(const struct log_follower *f)
{
    if (!f || f->ended)
        return true;
    return f->taken ? !shows_soon(f) : uv_now(f->live->loop) - f->begun_ms >= BEFORE_MS;
}

struct log_follower *log_follower_new(struct live_cluster *live)
{
    const char *directory = live->cluster->servers.transactions;
    if (!directory)
        return NULL;
    struct log_follower *f = xcalloc(1, sizeof *f);
    f->live = live;
    f->begun_ms = uv_now(live->loop);
    f->before.hash_of = before_hash;
    f->living.hash_of = living_hash;
    f->directory = xstrdup(directory);
    f->unpack_most = live->settings->history.unpack_bytes;
    uv_mutex_init(&f->mutex);
    uv_cond_init(&f->moved);
    f->wake = xcalloc(1, sizeof *f->wake);
    f->wake->data = f;
    uv_async_init(live->loop, f->wake, log_follower_on_wake);
    f->ended = pthread_create(&f->thread, NULL, log_follower_run, f) != 0;
    f->over = f->ended;
    if (f->over)
        log_line(LOG_LEVEL_WARNING, "%s cannot be followed: no thread can be started", directory);
    else /* a loss that is found before the log is read waits for it */
        follower_observe(f, &(struct followed_change){.deed = DEED_NONE}, NULL);
    return f;
}

void log_follower_free(struct log_follower *f)
{
    if (!f)
        return;
    uv_mutex_lock(&f->mutex);
    bool begun = !f->over;
    f->over = true;
    uv_close((uv_handle_t *)f->wake, loop_timer_free_handle);
    f->wake = NULL;
    uv_cond_signal(&f->moved);
    if (!f->ended)
        uv_cond_timedwait(&f->moved, &f->mutex, END_NS);
    f->left = !f->ended;
    bool left = f->left;
    uv_mutex_unlock(&f->mutex);
    if (left) {
        pthread_detach(f->thread);
        return;
    }
    if (begun)
        pthread_join(f->thread, NULL);
    follower_free(f);
}

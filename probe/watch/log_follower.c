#include "probe/watch/log_follower.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/transactions/log_stream.h"

#define FOLLOW_MS 200
/* New files and, after a failure, the directory itself are looked for at every so many turns. */
#define REFRESH_TURNS 5
/* What is there already is read in pieces: the loop has more to do. */
#define TURN_MOST 20000

struct log_follower {
    struct live_cluster *live;
    uv_timer_t *timer;
    char *paths[2];
    struct log_set *set;
    struct log_stream *stream;
    unsigned turns;
    bool current; /* what was there at the beginning has been read */
    bool complained;
};

static bool follower_open(struct log_follower *f)
{
    char *error = NULL;
    int64_t newest = 0;
    f->set = log_set_open(f->paths, 1, &error);
    for (size_t i = 0; f->set && i < f->set->server_count; i++) {
        const struct log_server *server = &f->set->servers[i];
        if (server->log_count > 0 && server->logs[server->log_count - 1].zxid > newest)
            newest = server->logs[server->log_count - 1].zxid;
    }
    f->stream = f->set ? log_stream_open(f->set, newest > 0 ? newest - 1 : 0, NULL, NULL) : NULL;
    if (!f->stream && !f->complained)
        log_line(LOG_LEVEL_WARNING, "%s",
                 error ? error : "out of memory; the transaction log is not followed");
    f->complained = !f->stream;
    free(error);
    return f->stream != NULL;
}

/* ---- what a transaction tells ---- */

static void follower_tell(const struct log_follower *f, const struct transaction *t, const char *path,
                          enum transaction_deed deed)
{
    struct observation o = live_observation(f->live, OBSERVED_TRANSACTION, NULL, path);
    o.transaction = (struct observed_transaction){.zxid = t->zxid, .deed = deed, .session = t->session};
    model_observe(f->live->model, &o);
}

/* Does it lie in an election that is watched, or is it one? */
static bool is_of_election(const struct log_follower *f, const char *path, size_t length)
{
    const struct cluster *cluster = &f->live->model->clusters[f->live->index];
    size_t above = length;
    while (above > 0 && path[above - 1] != '/')
        above--;
    return cluster_election(cluster, path, length) ||
           cluster_election(cluster, path, above > 1 ? above - 1 : above);
}

/* Old servers do not write down which znodes go with a session: its candidates do. */
static void tell_owned(const struct log_follower *f, const struct transaction *t, enum transaction_deed deed)
{
    const struct cluster *cluster = &f->live->model->clusters[f->live->index];
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        const struct candidate *leader = election->leader;
        if (!leader || !leader->known || leader->stat.owner != t->session)
            continue;
        bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
        char *path =
            lock ? text_copy(election->path)
                 : text_format("%s/%s", strcmp(election->path, "/") == 0 ? "" : election->path, leader->name);
        if (path)
            follower_tell(f, t, path, deed);
        free(path);
    }
}

static void follower_change(void *context, const struct transaction *t, const struct znode_change *change)
{
    const struct log_follower *f = context;
    enum transaction_deed ended = t->cxid == 0 ? DEED_EXPIRED : DEED_CLOSED;
    if (change->kind == CHANGE_SESSION_ENDED) {
        tell_owned(f, t, ended);
        return;
    }
    if ((change->kind != CHANGE_DELETED && change->kind != CHANGE_CLOSED) ||
        !is_of_election(f, change->path, change->path_length))
        return;
    char *path = text_format("%.*s", (int)change->path_length, change->path);
    if (path)
        follower_tell(f, t, path, change->kind == CHANGE_DELETED ? DEED_DELETED : ended);
    free(path);
}

static void on_follow(uv_timer_t *timer)
{
    struct log_follower *f = timer->data;
    struct transaction t, last = {0};
    bool missing, more = true;
    bool refresh = f->turns++ % REFRESH_TURNS == 0;
    if (!f->stream && !(refresh && follower_open(f)))
        return;
    if (refresh)
        log_set_refresh(f->set);
    for (int i = 0; i < TURN_MOST && (more = log_stream_next(f->stream, &t, &missing)); i++) {
        last = t;
        if (f->current)
            transaction_changes(&t, follower_change, f);
    }
    f->current = f->current || !more;
    /* Also where nothing happened: the log is being followed. */
    if (f->current)
        follower_tell(f, &last, NULL, DEED_NONE);
}

struct log_follower *log_follower_new(struct live_cluster *live)
{
    const char *directory = live->cluster->servers.transactions;
    struct log_follower *f = directory ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->live = live;
    f->paths[0] = (char *)(uintptr_t)directory;
    f->timer = loop_timer_new(live->loop, f);
    if (!f->timer) {
        free(f);
        return NULL;
    }
    uv_timer_start(f->timer, on_follow, 0, FOLLOW_MS);
    return f;
}

void log_follower_free(struct log_follower *f)
{
    if (!f)
        return;
    loop_timer_free(f->timer);
    log_stream_close(f->stream);
    log_set_free(f->set);
    free(f);
}

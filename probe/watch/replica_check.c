#include "probe/watch/observer_watch.h"
#include "probe/watch/replica_check.h"

#include <stdlib.h>

#include "config/memory.h"
#include "config/settings.h"
#include "probe/loop_timer.h"
#include "probe/watch/ensemble_watch.h"
#include "probe/watch/election_watch.h"

/* The retry interval until the first complete snapshot. */
#define FIRST_MS 2000
#define ROUND_MS 60000
/* The second round suggests a difference. The third proves it: by then a former ZooKeeper leader must have
 * noticed that it has no followers. */
#define SECOND_MS 1000
#define THIRD_MS 13000
#define AGAIN_MOST 2
/* A server that has not answered everything by then is left out. */
#define DEADLINE_MS 5000
/* The limit of simultaneous reads at each server. */
#define READS_MOST 64
#define SERVERS_MOST 32

/* One server in one round. */
struct visit {
    struct replica_check *rounds;
    char *address;
    struct session *session; /* NULL: the visit has ended */
    size_t next, reads;      /* the next path to read; reads under way */
    bool synced;
};

struct replica_check {
    struct live_cluster *live;
    uv_timer_t *timer;
    uint32_t round;
    unsigned again;  /* consecutive early rounds */
    uint64_t due_ms; /* of the next round */
    bool visiting;
    struct visit visits[SERVERS_MOST];
    size_t visit_count;
    char **paths; /* of the elections at the beginning of the round */
    size_t path_count;
};

struct read {
    struct visit *visit;
    size_t path;
};

static void replica_check_on_timer(uv_timer_t *timer);

static void round_forget(struct replica_check *r)
{
    for (size_t i = 0; i < r->visit_count; i++)
        free(r->visits[i].address);
    for (size_t i = 0; i < r->path_count; i++)
        free(r->paths[i]);
    free(r->paths);
    r->paths = NULL;
    r->visit_count = r->path_count = 0;
    r->visiting = false;
}

static void replica_check_round_end(struct replica_check *r)
{
    struct live_cluster *live = r->live;
    struct observation o = live_observation(live, OBSERVED_REPLICA, NULL, NULL);
    o.replica.round = r->round;
    round_forget(r);
    live_observe(live, &o);
    enum replicas_next next = live->model->clusters[live->index].replicas_next;
    bool again = next == REPLICAS_BEHIND || (next == REPLICAS_DIFFER && r->again == 0);
    r->again = again && r->again < AGAIN_MOST ? r->again + 1 : 0;
    static const uint64_t after_ms[] = {ROUND_MS, SECOND_MS, THIRD_MS};
    r->due_ms = uv_now(live->loop) + after_ms[r->again];
    uv_timer_start(r->timer, replica_check_on_timer, after_ms[r->again], 0);
}

/* gracefully: close with a request to the server. A hanging server would delay that. */
static void visit_end(struct visit *v, bool gracefully)
{
    struct session *session = v->session;
    if (!session)
        return;
    v->session = NULL;
    v->next = v->rounds->path_count;
    if (gracefully)
        session_close(session);
    else
        session_drop(session);
}

static void visit_done(struct visit *v, bool gracefully)
{
    struct replica_check *r = v->rounds;
    if (!v->session)
        return;
    visit_end(v, gracefully);
    for (size_t i = 0; i < r->visit_count; i++)
        if (r->visits[i].session)
            return;
    replica_check_round_end(r);
}

static void visit_read(struct visit *v);

static void on_stat(void *context, const struct session_answer *answer)
{
    struct read *read = context;
    struct visit *v = read->visit;
    size_t path = read->path;
    free(read);
    v->reads--;
    if (!v->session || answer->result == SESSION_LOST)
        return;
    /* A server that left the ensemble meanwhile is not reported again. */
    bool asked = ensemble_watch_polls(v->rounds->live->servers, v->address);
    if (asked && (answer->result == SESSION_OK || answer->result == SESSION_NO_NODE)) {
        const char *election = v->rounds->paths[path];
        struct observation o = live_observation(v->rounds->live, OBSERVED_REPLICA, election, election);
        o.replica = (struct observed_replica){.round = v->rounds->round,
                                              .address = v->address,
                                              .stat = answer->result == SESSION_OK ? answer->stat : NULL};
        model_observe(v->rounds->live->model, &o);
    }
    visit_read(v);
}

static void visit_read(struct visit *v)
{
    struct replica_check *r = v->rounds;
    while (v->next < r->path_count && v->reads < READS_MOST) {
        struct read *read = xmalloc(sizeof *read);
        *read = (struct read){v, v->next};
        if (!session_exists(v->session, r->paths[v->next], false, on_stat, read)) {
            free(read);
            v->next = r->path_count;
            break;
        }
        v->next++;
        v->reads++;
    }
    if (v->reads == 0)
        visit_done(v, true);
}

static void on_sync(void *context, const struct session_answer *answer)
{
    struct visit *v = context;
    if (!v->session || answer->result == SESSION_LOST)
        return;
    if (answer->result == SESSION_OK)
        visit_read(v);
    else
        visit_done(v, true);
}

static void replica_check_on_state(void *context, enum connection_state state, bool renewed,
                                   const char *problem)
{
    (void)renewed, (void)problem;
    struct visit *v = context;
    if (!v->session)
        return;
    if (state == CONNECTION_CONNECTED && !v->synced) {
        v->synced = true;
        observer_watch_plainly(v->rounds->live, v->session);
        if (!session_sync(v->session, "/", on_sync, v))
            visit_done(v, false);
    } else if (v->synced || state == CONNECTION_REFUSED) {
        /* Not worth a retry: earlier answers count, the rest is left out. */
        visit_done(v, false);
    }
}

static void replica_check_on_bad_reply(void *context, const char *server, const char *what)
{
    const struct visit *v = context;
    (void)server;
    live_bad_reply(v->rounds->live, v->address, what);
}

static void visit_begin(struct replica_check *r, const char *address)
{
    static const struct session_listener listener = {.state = replica_check_on_state,
                                                     .bad_reply = replica_check_on_bad_reply};
    struct visit *v = &r->visits[r->visit_count];
    const struct cluster_settings *cluster = r->live->cluster;
    *v = (struct visit){.rounds = r, .address = xstrdup(address)};
    struct session_options options = {.hosts = address,
                                      .timeout_ms = (int)cluster->session_timeout_ms,
                                      .auth_scheme = cluster->auth_scheme,
                                      .auth_credential = cluster->auth_credential,
                                      .security = &cluster->security};
    v->session = session_open(r->live->loop, &options, &listener, v);
    if (v->session)
        r->visit_count++;
    else
        free(v->address);
}

static void replica_check_round_begin(struct replica_check *r)
{
    const struct live_cluster *live = r->live;
    r->paths = xcalloc(live->election_count + 1, sizeof *r->paths);
    for (size_t i = 0; i < live->election_count; i++) {
        r->paths[r->path_count] = xstrdup(election_watch_path(live->elections[i]));
        r->path_count++;
    }
    r->round++;
    r->visiting = true;
    for (size_t i = 0; i < ensemble_watch_count(live->servers) && r->visit_count < SERVERS_MOST; i++)
        if (ensemble_watch_address(live->servers, i))
            visit_begin(r, ensemble_watch_address(live->servers, i));
    if (r->visit_count > 0)
        uv_timer_start(r->timer, replica_check_on_timer, DEADLINE_MS, 0);
    else
        replica_check_round_end(r);
}

static bool can_begin(const struct live_cluster *live)
{
    size_t reachable = 0;
    for (size_t i = 0; i < ensemble_watch_count(live->servers); i++)
        reachable += ensemble_watch_address(live->servers, i) != NULL;
    return reachable > 1 && live->election_count > 0 && session_state(live->session) == CONNECTION_CONNECTED;
}

static void replica_check_on_timer(uv_timer_t *timer)
{
    struct replica_check *r = timer->data;
    struct live_cluster *live = r->live;
    if (r->visiting) {
        /* The last one ends the round. */
        for (size_t i = 0; r->visiting && i < r->visit_count; i++)
            visit_done(&r->visits[i], false);
    } else if ((r->round > 0 || live_complete(live)) && can_begin(live)) {
        replica_check_round_begin(r);
    } else {
        uv_timer_start(r->timer, replica_check_on_timer, FIRST_MS, 0);
    }
}

struct replica_check *replica_check_begin(struct live_cluster *live)
{
    if (!live->servers || live->cluster->servers.every_ms == 0)
        return NULL;
    struct replica_check *r = xcalloc(1, sizeof *r);
    r->live = live;
    r->timer = loop_timer_new(live->loop, r);
    uv_timer_start(r->timer, replica_check_on_timer, FIRST_MS, 0);
    return r;
}

uint64_t replica_check_due_ms(struct replica_check *r)
{
    if (!r || (r->round == 0 && !can_begin(r->live)))
        return UINT64_MAX;
    if (r->round == 0)
        replica_check_round_begin(r);
    return r->visiting ? 0 : r->again ? r->due_ms : UINT64_MAX;
}

void replica_check_end(struct replica_check *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->visit_count; i++)
        if (r->visits[i].session)
            visit_end(&r->visits[i], session_state(r->visits[i].session) == CONNECTION_CONNECTED);
    round_forget(r);
    loop_timer_free(r->timer);
    free(r);
}

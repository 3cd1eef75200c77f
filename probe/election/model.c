#include "probe/election/model.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/baseline.h"
#include "probe/election/candidate_node.h"
#include "probe/election/candidates.h"
#include "probe/election/chain.h"
#include "probe/election/captured.h"
#include "probe/election/cluster.h"
#include "probe/election/diagnose.h"
#include "probe/election/election.h"
#include "probe/election/election_life.h"
#include "probe/election/election_private.h"
#include "probe/election/failover_case.h"
#include "probe/election/logged_ends.h"
#include "probe/election/findings.h"
#include "probe/election/recipe.h"
#include "probe/election/registry.h"
#include "probe/election/replicas.h"
#include "probe/election/session_table.h"
#include "probe/election/tenure.h"
#include "probe/election/known_transactions.h"
#include "probe/election/update.h"

/* ---- clusters ---- */

static void cluster_begin(struct cluster *cluster, const struct cluster_settings *settings)
{
    const char *hosts = settings->hosts ? settings->hosts : "";
    const char *slash = strchr(hosts, '/');
    size_t length = slash ? strlen(slash) : 0;
    while (length > 0 && slash[length - 1] == '/')
        length--;
    cluster->name = text_copy(settings->name ? settings->name : "");
    cluster->hosts = text_copy(hosts);
    cluster->chroot = text_copy(slash ? slash : "");
    cluster->chroot[length] = '\0';
}

static void cluster_end(struct cluster *cluster)
{
    while (cluster->cases)
        failover_case_forget(cluster->cases->election);
    for (size_t i = 0; i < cluster->election_count; i++)
        election_free(cluster->elections[i]);
    session_table_free(cluster->clients);
    known_transactions_free(cluster->transactions);
    logged_ends_free(cluster->logged);
    captured_free(cluster->captured);
    for (size_t i = 0; i < cluster->server_count; i++)
        server_end(&cluster->servers[i]);
    free(cluster->elections);
    hash_table_clear(&cluster->by_path);
    free(cluster->servers);
    free(cluster->name);
    free(cluster->hosts);
    free(cluster->chroot);
    free(cluster->connected_to);
    free(cluster->problem);
}

struct model *model_new(const struct settings *settings, char **error)
{
    struct recipe_book *recipes = recipes_of(settings, error);
    if (!recipes)
        return NULL;
    struct model *model = xcalloc(1, sizeof *model);
    model->recipes = recipes;
    model->clusters = xcalloc(settings->cluster_count + 1, sizeof *model->clusters);
    for (size_t i = 0; i < settings->cluster_count; i++) {
        model->cluster_count++;
        cluster_begin(&model->clusters[i], &settings->clusters[i]);
    }
    return model;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->cluster_count; i++)
        cluster_end(&model->clusters[i]);
    free(model->clusters);
    recipe_book_free(model->recipes);
    free(model);
}

struct election *model_election(const struct model *model, unsigned index, const char *path)
{
    return index < model->cluster_count ? cluster_election(&model->clusters[index], path, strlen(path))
                                        : NULL;
}

const struct election *model_find(const struct model *model, const char *cluster, const char *path)
{
    const struct election *found = NULL;
    for (unsigned i = 0; i < model->cluster_count && !found; i++)
        if (strcmp(model->clusters[i].name, cluster) == 0)
            found = model_election(model, i, path);
    return found;
}

static void observe_election(struct model *model, struct cluster *cluster, const struct observation *o)
{
    const char *path = o->election ? o->election : o->path;
    struct election *election = path ? model_election(model, o->cluster, path) : NULL;
    if (!path)
        return;
    if (!election) {
        election = election_new(cluster, path, cluster_path_hash(path, strlen(path)));
        election->origin = o->subject.origin;
        cluster_add(cluster, election);
        election->state_since = o->at;
        election->stale_since = o->at;
        /* Bound to this run, and the same in its replay. */
        election->own->hash_seed = (uint64_t)o->at.mono_us * 0x9e3779b97f4a7c15u ^ (uint64_t)o->at.wall_us;
    }
    election_configure(election, model->recipes, &o->subject);
    baseline_bind(model, election);
    struct update f = {model, election, o->at};
    acknowledge_update(&f);
    if (election->origin == ORIGIN_ORPHANED && election->state == ELECTION_VACANT)
        update_path_absent(&f); /* as a lock's znode, it was vacant while its directory was there */
    election->turn = model->turn;
    model->generation++;
    if (election->own->diagnosed_us != 0 ||
        servers_sent_bad_replies(cluster)) /* as another than it was taken for */
        diagnose_soon(election);
}

static void observe_dropped(struct model *model, struct cluster *cluster, struct election *election,
                            struct moment at)
{
    if (election->state == ELECTION_ABSENT) /* it has ended; else only our watching ends */
        failover_case_end(model, election, at);
    else
        failover_case_forget(election);
    diagnose_forget(election);
    cluster_remove(cluster, election);
    election_free(election);
    model->generation++;
}

/*
 * A connection lost just after the program was stalled was lost while it was stalled: there is a gap from
 * its beginning on. Both orders occur, since either may be noticed first.
 */
#define STILL_US INT64_C(5000000)

/* Facts after the time at, when the servers were last heard, are unknown. */
static void elections_stale(struct cluster *cluster, struct moment at)
{
    bool stood_still =
        cluster->stood_still_from.mono_us != 0 && at.mono_us - cluster->stood_still_to.mono_us <= STILL_US;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *election = cluster->elections[i];
        if (election->state == ELECTION_DENIED && !election->own->lapsed)
            election->stale_since = at;
        if (!election->fresh)
            continue;
        bool read_since = election->listed.mono_us > cluster->stood_still_to.mono_us;
        struct moment known = moment_later(at, election->listed);
        if (stood_still && !read_since && cluster->stood_still_from.mono_us < known.mono_us)
            known = cluster->stood_still_from;
        election_lapse(election, known);
        diagnose_soon(election);
    }
}

static void observe_gap(struct model *model, struct cluster *cluster, const struct observation *o)
{
    struct moment from = {o->at.mono_us - o->gap_us, o->at.wall_us - o->gap_us};
    cluster->stood_still_from = from;
    cluster->stood_still_to = o->at;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *election = cluster->elections[i];
        election_lapsed_before(election, from);
        if (!election->fresh || cluster->connection != CONNECTION_CONNECTED)
            continue;
        /* Changes found from here on happened since then. */
        election_lapse(election, moment_later(from, election->listed));
        diagnose_soon(election);
    }
    model_emit(model, &(struct event){.kind = EVENT_CONNECTION,
                                      .at = o->at,
                                      .cluster = cluster,
                                      .connection = "gap",
                                      .detail = "electop was busy or stopped, or the machine was suspended",
                                      .gap_us = o->gap_us,
                                      .after_us = -1});
}

/* A session also ends when the servers' data was wiped: their transactions may start again from the
   beginning, and facts about earlier ones would be taken for these. */
static void forget_transactions(struct cluster *cluster)
{
    known_transactions_free(cluster->transactions);
    cluster->transactions = NULL;
    memset(cluster->caught_up, 0, sizeof cluster->caught_up);
    cluster->epoch = 0;
}

static bool is_away(enum connection_state state)
{
    return state == CONNECTION_CONNECTING || state == CONNECTION_EXPIRED;
}

static void model_observe_connection(struct model *model, struct cluster *cluster,
                                     const struct observation *o)
{
    static const char *const words[] = {"disconnected", "connected", "expired", "disconnected"};
    const struct observed_connection *seen = &o->connection;
    enum connection_state before = cluster->connection, now = seen->state;
    bool was_known = cluster->connection_since.mono_us != 0 || cluster->connection_since.wall_us != 0;
    bool changed = text_replace(&cluster->connected_to, seen->server);
    bool other_problem = text_replace(&cluster->problem, seen->problem);
    changed |= other_problem;
    cluster->sees_all = seen->sees_all;
    cluster->no_chroot = seen->no_chroot;
    changed |= cluster->session != seen->session || cluster->timeout_ms != seen->timeout_ms ||
               before != now || !was_known;
    if (cluster->session != 0 && cluster->session != seen->session)
        forget_transactions(cluster);
    cluster->session = seen->session;
    cluster->timeout_ms = seen->timeout_ms;
    /* An attempt that failed, or a session that was given up, does not begin its absence anew. */
    if (!was_known || (before != now && !(is_away(before) && is_away(now))))
        cluster->connection_since = o->at;
    cluster->connection = now;
    if (now != CONNECTION_CONNECTED)
        cluster->silent_since = (struct moment){0, 0}; /* that it is away says more */
    if (changed)
        model->generation++;
    bool lost = before == CONNECTION_CONNECTED && now != CONNECTION_CONNECTED;
    bool stalled = before == CONNECTION_CONNECTED && now == before && seen->silent_us > 0;
    if (lost || stalled)
        elections_stale(cluster,
                        (struct moment){o->at.mono_us - seen->silent_us, o->at.wall_us - seen->silent_us});
    if (now == CONNECTION_CONNECTED)
        cluster->ever_connected = true;
    /* Reported are losing and regaining the connection, not each attempt in between. */
    bool reported = now != before && (now != CONNECTION_CONNECTING || before == CONNECTION_CONNECTED);
    /* ... and why nothing will be seen although it is there, or that this is over. */
    reported |= now == CONNECTION_CONNECTED && other_problem;
    if (reported)
        model_emit(model,
                   &(struct event){.kind = EVENT_CONNECTION,
                                   .at = o->at,
                                   .cluster = cluster,
                                   .connection = words[now],
                                   .identity = now == CONNECTION_CONNECTED ? cluster->connected_to : NULL,
                                   .detail = cluster->problem,
                                   .gap_us = lost ? seen->silent_us : 0,
                                   .after_us = -1});
}

/* The name of a direct child of the election, or NULL. */
static const char *child_name(const struct election *election, const char *path)
{
    size_t length = strlen(election->path);
    if (length == 1)
        length = 0; /* the root */
    if (strncmp(election->path, path, length) != 0 || path[length] != '/' || path[length + 1] == '\0' ||
        strchr(path + length + 1, '/'))
        return NULL;
    return path + length + 1;
}

static void observe_znode(struct model *model, struct election *election, const struct observation *o)
{
    struct update f = {model, election, o->at};
    if (o->kind == OBSERVED_UNREAD) {
        if (o->unread.part == UNREAD_ACK)
            update_ack_unread(&f);
        else
            update_path_unread(&f, o->unread.part);
        return;
    }
    if (strcmp(o->path, election->path) == 0) {
        if (o->kind == OBSERVED_CHILDREN)
            update_children(&f, &o->children);
        else if (o->kind == OBSERVED_NODE)
            update_own_node(&f, o->node.stat, &o->node);
        else if (o->kind == OBSERVED_ABSENT)
            update_path_absent(&f);
        else
            update_path_denied(&f);
        return;
    }
    if (update_ack(&f, o))
        return;
    const char *name = child_name(election, o->path);
    if (!name)
        return;
    if (o->kind == OBSERVED_NODE)
        update_candidate_node(&f, name, &o->node);
    else if (o->kind == OBSERVED_ABSENT)
        update_candidate_absent(&f, name);
    else if (o->kind == OBSERVED_DENIED)
        update_candidate_denied(&f, name);
}

static void observe_cleared(struct election *election, const struct observation *o)
{
    const char *name = child_name(election, o->path);
    struct candidate *c = name ? candidates_find(election, name, candidates_hash(election, name)) : NULL;
    if (!c || c != election->leader)
        return;
    chain_hears(c);
    c->own->believed = true;
    diagnose_soon(election);
}

static void observe_replica(struct model *model, struct cluster *cluster, struct election *election,
                            const struct observation *o)
{
    if (o->replica.address) {
        if (election)
            replicas_note(election, (size_t)(servers_get(cluster, o->replica.address) - cluster->servers),
                          &o->replica);
        return;
    }
    cluster->replicas_next = REPLICAS_AGREE;
    for (size_t i = 0; i < cluster->election_count; i++) {
        enum replicas_next next =
            replicas_judge(&(struct update){model, cluster->elections[i], o->at}, o->replica.round);
        if (next > cluster->replicas_next)
            cluster->replicas_next = next;
    }
}

/* Where time alone may have changed something. */
static void wake_up(struct cluster *cluster, struct moment now)
{
    if (now.mono_us < cluster->wake_us)
        return; /* asked at every observation, of thousands of elections */
    cluster->wake_us = INT64_MAX;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *election = cluster->elections[i];
        int64_t at_us = election->own->diagnose_at_us;
        if (at_us != 0 && at_us <= now.mono_us)
            diagnose_soon(election);
        else if (at_us != 0 && at_us < cluster->wake_us)
            cluster->wake_us = at_us;
    }
}

/* What a server shows: the elections that it says something new about are to be diagnosed, and the others are
   as they were. */
static bool is_of_servers(enum observation_kind kind)
{
    return kind == OBSERVED_SERVER || kind == OBSERVED_CONNECTIONS || kind == OBSERVED_WATCHES ||
           kind == OBSERVED_SESSIONS || kind == OBSERVED_HIDDEN || kind == OBSERVED_LOAD ||
           kind == OBSERVED_CLOCK;
}

void model_observe(struct model *model, const struct observation *o)
{
    if (o->kind == OBSERVED_READ) {
        model_catch_up(model);
        return;
    }
    if (model->on_observation)
        model->on_observation(model->observer, o);
    if (o->at.mono_us > model->now.mono_us || model->now.mono_us == 0)
        model->now = o->at; /* a server's list carries when it was asked for */
    if (o->cluster >= model->cluster_count)
        return;
    struct cluster *cluster = &model->clusters[o->cluster];
    struct election *election = o->election ? model_election(model, o->cluster, o->election) : NULL;
    model->turn++;
    if (election)
        election->turn = model->turn;
    if ((!election || o->kind == OBSERVED_DROPPED) && o->kind != OBSERVED_TICK && !is_of_servers(o->kind))
        cluster->turn = model->turn;
    switch (o->kind) {
    case OBSERVED_CONNECTION:
        model_observe_connection(model, cluster, o);
        break;
    case OBSERVED_SILENCE:
        cluster->silent_since = o->silent_since;
        model->generation++;
        break;
    case OBSERVED_SERVER:
        if (o->server.address)
            servers_stated(model, cluster, o);
        break;
    case OBSERVED_LOAD:
        if (o->load.address)
            servers_load(model, cluster, o);
        break;
    case OBSERVED_CLOCK:
        if (o->clock.address)
            servers_clock(model, cluster, o);
        break;
    case OBSERVED_ELECTION:
        observe_election(model, cluster, o);
        break;
    case OBSERVED_DROPPED:
        if (election)
            observe_dropped(model, cluster, election, o->at);
        break;
    case OBSERVED_CHILDREN:
    case OBSERVED_NODE:
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
    case OBSERVED_UNREAD:
        if (election && o->path) {
            observe_znode(model, election, o);
            baseline_take(&(struct update){model, election, o->at});
        }
        break;
    case OBSERVED_GAP:
        observe_gap(model, cluster, o);
        break;
    case OBSERVED_CONNECTIONS:
    case OBSERVED_WATCHES:
    case OBSERVED_SESSIONS:
    case OBSERVED_HIDDEN:
        servers_lists(model, cluster, o);
        break;
    case OBSERVED_REPLICA:
        observe_replica(model, cluster, election, o);
        break;
    case OBSERVED_CLEARED:
        if (election && o->path)
            observe_cleared(election, o);
        break;
    case OBSERVED_ENSEMBLE:
        servers_ensemble(model, cluster, o);
        break;
    case OBSERVED_BAD_REPLY:
        servers_bad_reply(model, cluster, o);
        break;
    case OBSERVED_TRANSACTION:
        failover_cases_logged(model, cluster, o->at, o->path, &o->transaction);
        break;
    case OBSERVED_CAPTURED:
        captured_observe(cluster, o);
        model->generation += o->captured.session == 0;
        break;
    case OBSERVED_TICK:
    case OBSERVED_READ:
        break;
    }
    wake_up(cluster, model->now);
    failover_cases_settle(model, cluster, model->now);
    diagnose_cluster(model, cluster, model->now, false);
}

/* ---- open work ---- */

bool model_catch_up(struct model *model)
{
    bool any = false;
    if (model->on_observation)
        model->on_observation(model->observer,
                              &(struct observation){.kind = OBSERVED_READ, .at = model->now});
    for (size_t i = 0; i < model->cluster_count; i++) {
        any = any || model->clusters[i].dirty;
        diagnose_cluster(model, &model->clusters[i], model->now, true);
    }
    return any;
}

void model_finish(struct model *model)
{
    model->finished = true;
    model->generation++;
    model->turn++;
    for (size_t i = 0; i < model->cluster_count; i++) {
        failover_cases_finish(model, &model->clusters[i], model->now);
        model->clusters[i].turn = model->turn;
    }
}

bool model_wants_second_poll(const struct model *model, unsigned cluster)
{
    const struct cluster *in = &model->clusters[cluster];
    for (size_t i = 0; !model->one_poll && i < in->election_count; i++)
        if (in->elections[i]->suspected || in->elections[i]->overdue_us)
            return true;
    return false;
}

int64_t model_poll_due_us(const struct model *model, unsigned cluster, int64_t now_us, bool *watches)
{
    const struct cluster *in = &model->clusters[cluster];
    int64_t earliest_us = INT64_MAX;
    *watches = false;
    for (size_t i = 0; i < in->election_count; i++) {
        const struct election *election = in->elections[i];
        int64_t due_us = election->suspected ? chain_poll_due_us(election, now_us, watches) : INT64_MAX;
        if (election->overdue_us && election->overdue_us < earliest_us)
            earliest_us = election->overdue_us;
        if (election->suspected && (due_us == INT64_MAX || election->own->lists_settle)) {
            *watches = true;
            return 0; /* another list settles it, whenever it comes */
        }
        if (due_us < earliest_us)
            earliest_us = due_us;
    }
    return earliest_us;
}

/* Lists that come later settle it, or never will. */
#define MISSED_US INT64_C(5000000)

static bool misses_leader(const struct election *election, int64_t now_us)
{
    const struct client *client = election->leader ? election->leader->own->client : NULL;
    if (!client || client->shown.connected || client->shown.seen.mono_us == 0 ||
        now_us - client->parted_us > MISSED_US)
        return false;
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i]->code == FINDING_OWNER_DISCONNECTED)
            return false;
    return true;
}

bool model_misses_leader(const struct model *model, unsigned index)
{
    const struct cluster *cluster = index < model->cluster_count ? &model->clusters[index] : NULL;
    for (size_t i = 0; cluster && i < cluster->election_count; i++)
        if (misses_leader(cluster->elections[i], model->now.mono_us))
            return true;
    return false;
}

bool model_wants_evidence(const struct model *model, unsigned index)
{
    return index < model->cluster_count && failover_cases_want_evidence(&model->clusters[index], model->now);
}

#include "tui/commands/first_snapshot.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/election/summary.h"
#include "probe/loop_timer.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/words/labels.h"

#define CHECK_MS 250
/* Time for the first attempts; of many silent servers some are not tried yet. */
#define UNREACHED_AFTER_MS 2000
/* Later answers are not waited for. */
#define ANSWERED_MS 10000

/* So far, of one cluster. */
enum complained { COMPLAINED_NOT, COMPLAINED_UNREACHED, COMPLAINED_ALL };

struct first_snapshot {
    struct monitor *monitor;
    const struct settings *settings;
    uv_timer_t *timer;
    enum complained *clusters;
    uint64_t begun_ms;
};

static void first_snapshot_unreached(const struct cluster *cluster)
{
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    complain("%s is not reached yet: %s%s", label_cluster(cluster), problem,
             snapshot_exit_next_step(cluster));
}

/* Its elections and its servers have answered, as far as they do. */
static bool has_answered(const struct first_snapshot *snapshot, size_t index)
{
    const struct cluster *cluster = &monitor_model(snapshot->monitor)->clusters[index];
    struct discovery found;
    bool all = !monitor_discovery(snapshot->monitor, index, &found) || found.complete || cluster->problem;
    for (size_t i = 0; all && i < cluster->election_count; i++)
        all = cluster->elections[i]->state != ELECTION_UNKNOWN;
    for (size_t i = 0; all && i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        all = server->unasked || server->watches_from || server->hidden[HIDDEN_WATCHES];
    }
    return all;
}

/* The first election in that state, with the number of the others; NULL: none is. */
static const struct election *first_in(const struct cluster *cluster, enum election_state state,
                                       size_t *others)
{
    const struct election *first = NULL;
    *others = 0;
    for (size_t i = 0; i < cluster->election_count; i++) {
        if (cluster->elections[i]->state != state)
            continue;
        *others += first != NULL;
        first = first ? first : cluster->elections[i];
    }
    return first;
}

static void complain_state(const struct cluster *cluster, enum election_state state, const char *words)
{
    size_t others;
    const struct election *first = first_in(cluster, state, &others);
    if (first && others)
        complain("%s: %s and %zu other%s: %s", label_cluster(cluster), summary_path(first), others,
                 others == 1 ? "" : "s", words);
    else if (first)
        complain("%s: %s: %s", label_cluster(cluster), summary_path(first), words);
}

static void complain_missing(const struct cluster *cluster, const struct cluster_settings *wanted)
{
    if (cluster->problem)
        complain("%s: %s", label_cluster(cluster), cluster->problem);
    else if (!wanted->election_count && !cluster->election_count)
        complain("%s: no election was found so far; if there is one, name its path", label_cluster(cluster));
    complain_state(
        cluster, ELECTION_DENIED,
        "not readable with these credentials; give others (--auth-file), or allow READ in its ACL");
    complain_state(cluster, ELECTION_ABSENT,
                   "this path does not exist yet; electop discover lists the elections");
    for (size_t i = 0; i < wanted->election_count; i++)
        if (!snapshot_exit_is_matched(cluster, wanted->elections[i].path))
            complain("%s: no path matches %s so far", label_cluster(cluster), wanted->elections[i].path);
}

static void complain_hidden(const struct cluster *cluster)
{
    const struct server *first = NULL;
    size_t others = 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        if (!cluster->servers[i].reachable || !cluster->servers[i].hidden[HIDDEN_WATCHES])
            continue;
        others += first != NULL;
        first = first ? first : &cluster->servers[i];
    }
    if (first && others)
        complain(
            "%s: %s and %zu other%s show no watches, so it is not known whether the next failover works: %s",
            label_cluster(cluster), first->address, others, others == 1 ? "" : "s",
            first->hidden[HIDDEN_WATCHES]);
    else if (first)
        complain("%s: %s shows no watches, so it is not known whether the next failover works: %s",
                 label_cluster(cluster), first->address, first->hidden[HIDDEN_WATCHES]);
}

void first_snapshot_complain(const struct monitor *monitor, const struct settings *settings)
{
    const struct model *model = monitor_model(monitor);
    for (size_t i = 0; i < model->cluster_count; i++) {
        if (model->clusters[i].connection != CONNECTION_CONNECTED)
            continue;
        complain_missing(&model->clusters[i], &settings->clusters[i]);
        complain_hidden(&model->clusters[i]);
    }
}

static void first_snapshot_judge(struct first_snapshot *snapshot, size_t index, uint64_t passed_ms)
{
    const struct cluster *cluster = &monitor_model(snapshot->monitor)->clusters[index];
    enum complained *complained = &snapshot->clusters[index];
    if (cluster->connection == CONNECTION_CONNECTED) {
        if (!has_answered(snapshot, index) && passed_ms < ANSWERED_MS)
            return;
        if (*complained == COMPLAINED_UNREACHED)
            complain("%s is reached now", label_cluster(cluster));
        complain_missing(cluster, &snapshot->settings->clusters[index]);
        complain_hidden(cluster);
        *complained = COMPLAINED_ALL;
    } else if (*complained == COMPLAINED_NOT && !cluster->ever_connected && cluster->problem &&
               passed_ms >= UNREACHED_AFTER_MS) {
        first_snapshot_unreached(cluster);
        *complained = COMPLAINED_UNREACHED;
    }
}

static void first_snapshot_on_timer(uv_timer_t *timer)
{
    struct first_snapshot *snapshot = timer->data;
    size_t count = monitor_model(snapshot->monitor)->cluster_count, done = 0;
    for (size_t i = 0; i < count; i++) {
        if (snapshot->clusters[i] != COMPLAINED_ALL)
            first_snapshot_judge(snapshot, i, uv_now(timer->loop) - snapshot->begun_ms);
        done += snapshot->clusters[i] == COMPLAINED_ALL;
    }
    if (done == count)
        uv_timer_stop(timer);
}

struct first_snapshot *first_snapshot_begin(uv_loop_t *loop, struct monitor *monitor,
                                            const struct settings *settings)
{
    struct first_snapshot *snapshot = xcalloc(1, sizeof *snapshot);
    snapshot->monitor = monitor;
    snapshot->settings = settings;
    snapshot->clusters = xcalloc(monitor_model(monitor)->cluster_count + 1, sizeof *snapshot->clusters);
    snapshot->begun_ms = uv_now(loop);
    snapshot->timer = loop_timer_new(loop, snapshot);
    uv_timer_start(snapshot->timer, first_snapshot_on_timer, CHECK_MS, CHECK_MS);
    return snapshot;
}

bool first_snapshot_answered(const struct first_snapshot *snapshot)
{
    size_t count = monitor_model(snapshot->monitor)->cluster_count;
    for (size_t i = 0; i < count; i++)
        if (!has_answered(snapshot, i))
            return false;
    return true;
}

void first_snapshot_end(struct first_snapshot *snapshot)
{
    if (!snapshot)
        return;
    loop_timer_free(snapshot->timer);
    free(snapshot->clusters);
    free(snapshot);
}

#include "probe/inject/live_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/client.h"
#include "probe/election/identity.h"
#include "probe/inject/layout.h"
#include "probe/loop_timer.h"
#include "probe/monitor.h"

#define TICK_MS 100
#define CHECKS_MS 10000
/* The counter sticks at 2147483647: far from it. */
#define NUMBER_MOST (INT64_C(2147483647) - 1000000)

struct live_checks {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct monitor *monitor;
    /* The settings of this one election: no other is observed. */
    struct settings settings;
    struct cluster_settings cluster;
    struct election_settings election;
    uint64_t since_ms;
    char *path, *pattern; /* path: below the chroot */
    live_checks_fn fn;
    void *context;
    int timeout_ms;
    char text[300];
};

static const struct client_session *session_of(const struct election *election, size_t i)
{
    const struct client_session *client =
        cluster_client(election->cluster, election->candidates[i]->stat.owner);
    return client && client->timeout_ms > 0 ? client : NULL;
}

/* Why this one cannot be copied; NULL: it can. */
static const char *sibling_judge(struct live_checks *s, const struct election *election, size_t i)
{
    const struct candidate *candidate = election->candidates[i];
    if (!candidate->known) {
        snprintf(s->text, sizeof s->text,
                 "permission denied for %.60s, so it cannot be copied; give credentials with --auth-file",
                 candidate->name);
        return s->text;
    }
    if (candidate->identity && strcmp(candidate->identity, IDENTITY_TEST_CANDIDATE) == 0)
        return "another run has test candidates there, with no real candidate after them; wait for that "
               "run to end";
    char *pattern = layout_pattern(candidate->name, candidate->stat.owner);
    bool same = pattern && strcmp(pattern, s->pattern) == 0;
    free(pattern);
    if (candidate->stat.owner == 0)
        return "a candidate is not ephemeral, so its client may no longer exist";
    if (!same) {
        snprintf(s->text, sizeof s->text,
                 "the candidates' names differ in kind (%.60s), so electop cannot copy them",
                 candidate->name);
        return s->text;
    }
    const struct client_session *client = session_of(election, i);
    if (!client) {
        snprintf(s->text, sizeof s->text,
                 "the session timeout of %.60s is not known: its server does not show its connections (let "
                 "AdminServer or the word cons answer)",
                 candidate->name);
        return s->text;
    }
    if (s->timeout_ms == 0 || client->timeout_ms < s->timeout_ms)
        s->timeout_ms = client->timeout_ms;
    return NULL;
}

static const char *election_judge(struct live_checks *s, const struct election *election)
{
    if (!election || !election_complete(election))
        return "the election could not be read completely; nothing was started";
    if (election->candidate_count < LIVE_CHECKS_LEAST) {
        snprintf(s->text, sizeof s->text, "%zu real %s there; test candidates need at least %d before them",
                 election->candidate_count,
                 election->candidate_count == 1 ? "candidate is" : "candidates are", LIVE_CHECKS_LEAST);
        return s->text;
    }
    if (election->recipe && election->recipe->family == FAMILY_LOCK)
        return "it is a lock without a line: any waiting candidate may get it";
    if (election->foreign_count > 0)
        return "some children have names of another kind, so the clients may not understand the names of "
               "test candidates";
    if (election->next_sequence < 0 || election->next_sequence > NUMBER_MOST)
        return "its sequence numbers are nearly used up";
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *candidate = election->candidates[i];
        if (candidate->sequence >= election->next_sequence) {
            snprintf(s->text, sizeof s->text,
                     "the servers' next number, %lld, is not after %.60s: a new candidate would be placed "
                     "before it",
                     (long long)election->next_sequence, candidate->name);
            return s->text;
        }
        const char *problem = sibling_judge(s, election, i);
        if (problem)
            return problem;
    }
    return NULL;
}

static bool live_checks_is_known(const struct election *election)
{
    for (size_t i = 0; election && i < election->candidate_count; i++)
        if (!session_of(election, i))
            return false;
    return election && election_complete(election);
}

static void live_checks_on_tick(uv_timer_t *timer)
{
    struct live_checks *s = timer->data;
    const struct cluster *cluster = &monitor_model(s->monitor)->clusters[0];
    const struct election *election =
        cluster->election_count > 0 ? cluster->elections[0] : NULL; /* the only one */
    bool late = uv_now(s->loop) > s->since_ms + CHECKS_MS;
    if (!late && (!monitor_complete(s->monitor) || !live_checks_is_known(election)))
        return;
    const char *problem = election_judge(s, election);
    char text[sizeof s->text];
    snprintf(text, sizeof text, "%s", problem ? problem : "");
    uv_timer_stop(timer);
    s->fn(s->context, problem ? text : NULL, s->timeout_ms);
}

static void narrow(struct live_checks *s, const struct settings *settings,
                   const struct cluster_settings *cluster)
{
    const struct election_settings *election = settings_of_election(cluster, s->path);
    s->election = election ? *election : settings->discovered;
    s->election.path = s->path;
    s->cluster = *cluster;
    s->cluster.elections = &s->election;
    s->cluster.election_count = 1;
    s->settings = *settings;
    s->settings.clusters = &s->cluster;
    s->settings.cluster_count = 1;
    s->settings.observe = NULL; /* it has another writer */
}

struct live_checks *live_checks_begin(uv_loop_t *loop, const struct settings *settings,
                                      const struct cluster_settings *cluster, const char *path,
                                      const char *pattern, live_checks_fn fn, void *context)
{
    struct live_checks *s = xcalloc(1, sizeof *s);
    char *error = NULL;
    s->loop = loop;
    s->since_ms = uv_now(loop);
    s->path = xstrdup(path);
    s->pattern = xstrdup(pattern);
    s->fn = fn;
    s->context = context;
    narrow(s, settings, cluster);
    s->monitor = monitor_start(loop, &s->settings, &error);
    free(error);
    if (!s->monitor) {
        live_checks_free(s);
        return NULL;
    }
    s->timer = loop_timer_new(loop, s);
    monitor_ask(s->monitor);
    uv_timer_start(s->timer, live_checks_on_tick, TICK_MS, TICK_MS);
    return s;
}

void live_checks_free(struct live_checks *s)
{
    if (!s)
        return;
    loop_timer_free(s->timer);
    monitor_stop(s->monitor);
    free(s->path);
    free(s->pattern);
    free(s);
}

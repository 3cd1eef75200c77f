/*
 * diagnose - what it costs to find out what is wrong with a thousand elections, after one round at the
 * servers.
 *
 *     diagnose ROUNDS
 *
 * Builds a model of 1000 elections of 10 candidates each, healthy but for one deaf candidate in each tenth,
 * and gives it rounds of one server (connections, watches, connections) in which a session of each election
 * has changed, so that each is diagnosed, three times over. What a round takes has the folding of its 10,000
 * sessions in it, so it is more than the diagnoses alone. Prints milliseconds, the median of ROUNDS and the
 * longest:
 *   {"round_ms": 3.5, "longest_ms": 4.1, "floor_ms": 0.9}
 * floor: each session of the three lists is found, and compared with what the list before said of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/model.h"
#include "tests/bench/gauge.h"

#define ELECTIONS 1000
#define MEMBERS 10
#define SESSIONS (ELECTIONS * MEMBERS)
#define SERVER "zk1:2181"
#define BEGAN_MS INT64_C(1763600000000)
#define TEXT 64

struct world {
    struct model *model;
    struct election_settings elections[ELECTIONS];
    char paths[ELECTIONS][TEXT], watched[SESSIONS][2 * TEXT], clients[SESSIONS][TEXT];
    const char *watch[SESSIONS];
    struct seen_connection connections[SESSIONS];
    struct seen_watches watches[SESSIONS];
    int64_t now_us;
};

static void observe(struct world *w, struct observation o)
{
    w->now_us += 10;
    o.at = (struct moment){.mono_us = w->now_us, .wall_us = BEGAN_MS * 1000 + w->now_us};
    model_observe(w->model, &o);
}

static uint64_t session_of(size_t election, size_t member)
{
    return UINT64_C(0x100002a4d0a0000) + election * MEMBERS + member;
}

static void name_of(uint64_t session, size_t member, char *name)
{
    snprintf(name, TEXT, "%032llx__lock__%010zu", (unsigned long long)session, member);
}

static void build_election(struct world *w, size_t e)
{
    static char automatic[] = "auto";
    char names[MEMBERS][TEXT], *list[MEMBERS], path[1024];
    snprintf(w->paths[e], TEXT, "/bench/%04zu/leader", e);
    w->elections[e] = (struct election_settings){.path = w->paths[e],
                                                 .recipe = automatic,
                                                 .allow = {.vacancy_ms = 5000,
                                                           .failover_ms = 10000,
                                                           .silent_percent = 66,
                                                           .leader_changes = 3,
                                                           .leader_changes_ms = 600000,
                                                           .timeout_least_ms = 1000,
                                                           .timeout_most_ms = 60000}};
    observe(w, (struct observation){.kind = OBSERVED_ELECTION,
                                    .election = w->paths[e],
                                    .path = w->paths[e],
                                    .subject = {.origin = ORIGIN_CONFIGURED, .settings = &w->elections[e]}});
    for (size_t m = 0; m < MEMBERS; m++) {
        size_t i = e * MEMBERS + m;
        name_of(session_of(e, m), m, names[m]);
        list[m] = names[m];
        snprintf(w->clients[i], TEXT, "10.%zu.%zu.%zu:40000", i >> 16 & 255, i >> 8 & 255, i & 255);
        w->connections[i] = (struct seen_connection){.session = session_of(e, m),
                                                     .client = w->clients[i],
                                                     .established_ms = BEGAN_MS,
                                                     .last_cxid = 7,
                                                     .timeout_ms = 10000};
        if (m > 0)
            snprintf(w->watched[i], sizeof w->watched[i], "%s/%s", w->paths[e], names[m - 1]);
        w->watch[i] = w->watched[i];
        bool deaf = e % 10 == 0 && m == 5;
        w->watches[i] = (struct seen_watches){session_of(e, m), &w->watch[i], m > 0 && !deaf, NULL};
    }
    struct znode_stat stat = {
        .czxid = 1, .pzxid = 100, .ctime_ms = BEGAN_MS, .cversion = MEMBERS, .children = MEMBERS};
    observe(w, (struct observation){.kind = OBSERVED_CHILDREN,
                                    .election = w->paths[e],
                                    .path = w->paths[e],
                                    .children = {.stat = &stat, .names = list, .count = MEMBERS}});
    for (size_t m = 0; m < MEMBERS; m++) {
        struct znode_stat node = {.czxid = 100 + (int64_t)m,
                                  .mzxid = 100 + (int64_t)m,
                                  .ctime_ms = BEGAN_MS,
                                  .owner = session_of(e, m)};
        snprintf(path, sizeof path, "%s/%s", w->paths[e], names[m]);
        observe(
            w, (struct observation){.kind = OBSERVED_NODE,
                                    .election = w->paths[e],
                                    .path = path,
                                    .node = {.stat = &node, .has_data = true, .data = "", .data_length = 0}});
    }
}

static void list_connections(struct world *w)
{
    int64_t now_ms = w->now_us / 1000;
    for (size_t i = 0; i < SESSIONS; i++)
        w->connections[i].last_response_ms = now_ms;
    observe(w, (struct observation){
                   .kind = OBSERVED_CONNECTIONS,
                   .connections = {
                       .address = SERVER, .list = w->connections, .count = SESSIONS, .now_ms = now_ms}});
}

/* Six seconds later; each election's last session has come back in between. */
static double take_round(struct world *w)
{
    w->now_us += 6000000;
    for (size_t e = 0; e < ELECTIONS; e++)
        w->connections[e * MEMBERS + MEMBERS - 1].established_ms++;
    int64_t began_ns = gauge_ns(CLOCK_MONOTONIC);
    list_connections(w);
    observe(
        w, (struct observation){
               .kind = OBSERVED_WATCHES,
               .watches = {.address = SERVER, .from = "adminserver", .list = w->watches, .count = SESSIONS}});
    list_connections(w);
    return (double)(gauge_ns(CLOCK_MONOTONIC) - began_ns) / 1e6;
}

/* The lists are in the same order each time, so a session is found at its place. */
static double floor_round(struct world *w, struct seen_connection *before, char (*watched)[2 * TEXT])
{
    size_t changed = 0;
    int64_t began_ns = gauge_ns(CLOCK_MONOTONIC);
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; i < SESSIONS; i++) {
            changed += before[i].session != w->connections[i].session ||
                       before[i].established_ms != w->connections[i].established_ms ||
                       before[i].timeout_ms != w->connections[i].timeout_ms ||
                       strcmp(before[i].client, w->connections[i].client) != 0;
            before[i] = w->connections[i];
        }
    for (size_t i = 0; i < SESSIONS; i++)
        if (strcmp(watched[i], w->watched[i]) != 0) {
            memcpy(watched[i], w->watched[i], sizeof watched[i]);
            changed++;
        }
    double took_ms = (double)(gauge_ns(CLOCK_MONOTONIC) - began_ns) / 1e6;
    return changed > 0 ? took_ms : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t deaf_ones(const struct world *w)
{
    size_t found = 0;
    for (size_t e = 0; e < ELECTIONS; e++)
        for (size_t i = 0; i < w->model->clusters[0].elections[e]->finding_count; i++)
            found += w->model->clusters[0].elections[e]->findings[i]->code == FINDING_NO_WATCH;
    return found;
}

int main(int argc, char **argv)
{
    char name[] = "", hosts[] = SERVER, *end = NULL, *error = NULL;
    struct cluster_settings cluster = {.name = name, .hosts = hosts, .session_timeout_ms = 10000};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    long rounds = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (rounds < 1 || rounds > 1000 || *end != '\0') {
        fputs("usage: diagnose ROUNDS\n", stderr);
        return 2;
    }
    struct world *w = calloc(1, sizeof *w);
    double *took = calloc((size_t)rounds, sizeof *took), *floors = calloc((size_t)rounds, sizeof *floors);
    struct seen_connection *before = calloc(SESSIONS, sizeof *before);
    char(*watched)[2 * TEXT] = calloc(SESSIONS, sizeof *watched);
    if (!w || !took || !floors || !before || !watched || !(w->model = model_new(&settings, &error))) {
        fprintf(stderr, "diagnose: %s\n", error ? error : "out of memory");
        return 1;
    }
    w->now_us = 1000000000;
    observe(w, (struct observation){
                   .kind = OBSERVED_CONNECTION,
                   .connection = {.state = CONNECTION_CONNECTED, .session = 1, .timeout_ms = 10000}});
    observe(
        w, (struct observation){.kind = OBSERVED_SERVER,
                                .server = {.address = SERVER, .reachable = true, .mode = SERVER_STANDALONE}});
    for (size_t e = 0; e < ELECTIONS; e++)
        build_election(w, e);
    for (int i = 0; i < 3; i++)
        take_round(w);
    if (deaf_ones(w) != ELECTIONS / 10) {
        fprintf(stderr, "diagnose: %zu deaf candidates were found, not %d\n", deaf_ones(w), ELECTIONS / 10);
        return 1;
    }
    for (size_t i = 0; i < SESSIONS; i++)
        before[i].client = "";
    floor_round(w, before, watched);
    for (long i = 0; i < rounds; i++) {
        took[i] = take_round(w);
        floors[i] = floor_round(w, before, watched);
    }
    qsort(floors, (size_t)rounds, sizeof *floors, by_value);
    qsort(took, (size_t)rounds, sizeof *took, by_value);
    printf("{\"round_ms\": %.2f, \"longest_ms\": %.2f, \"floor_ms\": %.3f}\n", took[rounds / 2],
           took[rounds - 1], floors[rounds / 2]);
    model_free(w->model);
    free(took);
    free(floors);
    free(before);
    free(watched);
    free(w);
    return 0;
}

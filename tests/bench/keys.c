/*
 * keys - from a key to the snapshot that follows it, with 5,000 elections of two candidates each.
 *
 *     keys ROUNDS
 *
 * Builds a model through its one way in, and types into the dashboard what a person types there: moves,
 * sorting, a filter, every screen, and back. Before each key the model changes, so that nothing may be kept
 * from the snapshot before. Each is drawn into cells of 200x60. Prints milliseconds:
 * {"keys": 640, "p50": 1.2, "p99": 6.3, "worst": 8.1, "by": "f", "floor": 0.1}
 * floor: the median of putting the same text into cells, line by line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "config/text.h"
#include "probe/election/model.h"
#include "tests/bench/gauge.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/cells.h"
#include "tui/screen/key_bindings.h"
#include "tui/views/event_log.h"

#define ELECTIONS 5000
#define CANDIDATES 2
#define WIDTH 200
#define HEIGHT 60
#define CREATED_MS INT64_C(1763600000000)
#define TYPED                                                                                                \
    "jjjjGkkgsssssssrr/team-17\n\x1b"                                                                        \
    "fjjjsss\x1bvjj\x1b\x65\x1b!!:sv4217\n\x1bjj\njjj\n\x1b\x1b"

struct world {
    struct settings *settings;
    struct model *model;
    struct event_log *events;
    int64_t now_us;
};

static void *must(void *memory)
{
    if (!memory) {
        fputs("keys: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static struct moment now_of(void *context)
{
    const struct world *world = context;
    return (struct moment){.mono_us = world->now_us, .wall_us = CREATED_MS * 1000 + world->now_us};
}

static void observe(struct world *world, const char *election, struct observation *observation)
{
    world->now_us += 100;
    observation->at = now_of(world);
    observation->election = election;
    model_observe(world->model, observation);
}

static void observe_candidate(struct world *world, size_t i, size_t k, int32_t version)
{
    char election[64], path[96], data[48];
    snprintf(election, sizeof election, "/svc/team-%02zu/service-%zu", i % 60, i);
    snprintf(path, sizeof path, "%s/n_%010zu", election, k);
    int length = snprintf(data, sizeof data, "host-%zu-%zu.example:7071", i, k);
    struct znode_stat stat = {.czxid = (int64_t)(10 + k),
                              .mzxid = (int64_t)(10 + k) + version,
                              .pzxid = (int64_t)(10 + k),
                              .ctime_ms = CREATED_MS,
                              .mtime_ms = CREATED_MS + version,
                              .version = version,
                              .data_length = length,
                              .owner = 0x100002a4d0a0000u + i * CANDIDATES + k};
    struct observation seen = {
        .kind = OBSERVED_NODE,
        .path = path,
        .node = {.stat = &stat, .has_data = true, .data = data, .data_length = (size_t)length}};
    observe(world, election, &seen);
}

static void observe_election(struct world *world, size_t i)
{
    char path[64], first[] = "n_0000000000", second[] = "n_0000000001";
    char *names[CANDIDATES] = {first, second};
    snprintf(path, sizeof path, "/svc/team-%02zu/service-%zu", i % 60, i);
    struct observation subject = {
        .kind = OBSERVED_ELECTION,
        .path = path,
        .subject = {.origin = ORIGIN_CONFIGURED, .settings = world->settings->clusters[0].elections}};
    observe(world, path, &subject);
    struct znode_stat stat = {
        .czxid = 1, .ctime_ms = CREATED_MS, .cversion = CANDIDATES, .children = CANDIDATES};
    struct observation children = {.kind = OBSERVED_CHILDREN,
                                   .path = path,
                                   .children = {.stat = &stat, .names = names, .count = CANDIDATES}};
    observe(world, path, &children);
    for (size_t k = 0; k < CANDIDATES; k++)
        observe_candidate(world, i, k, 0);
}

static void world_begin(struct world *world, struct settings *settings)
{
    char *error = NULL;
    *world = (struct world){.settings = settings};
    world->model = model_new(settings, &error);
    if (!world->model) {
        fprintf(stderr, "keys: %s\n", error ? error : "out of memory");
        exit(1);
    }
    world->events = must(event_log_new());
    world->model->on_event = event_log_add;
    world->model->context = world->events;
    struct observation connected = {
        .kind = OBSERVED_CONNECTION,
        .connection = {
            .state = CONNECTION_CONNECTED, .session = 1, .timeout_ms = 10000, .server = "127.0.0.1:2181"}};
    observe(world, NULL, &connected);
    for (size_t i = 0; i < ELECTIONS; i++)
        observe_election(world, i);
}

struct sample {
    double ms;
    int key;
};

static int by_time(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

static int by_ms(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double floor_ms(const struct cells *drawn, struct cells *empty)
{
    struct text text = {0};
    cells_text(drawn, &text);
    int64_t began_ns = gauge_ns(CLOCK_PROCESS_CPUTIME_ID);
    cells_clear(empty);
    int y = 0;
    for (const char *line = text.at, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        cells_put_bytes(empty, 0, y++, WIDTH, 0, line, (size_t)(end - line));
    double took_ms = (double)(gauge_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns) / 1e6;
    text_free(&text);
    return took_ms;
}

int main(int argc, char **argv)
{
    long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (rounds < 1 || rounds > 1000) {
        fputs("usage: keys ROUNDS\n", stderr);
        return 2;
    }
    char path[] = "/svc/*/*", recipe[] = "auto", name[] = "prod", hosts[] = "127.0.0.1:2181", file[] = "off";
    struct election_settings election = {.path = path,
                                         .recipe = recipe,
                                         .inject = INJECT_SANDBOX,
                                         .allow = {.vacancy_ms = 5000,
                                                   .failover_ms = 10000,
                                                   .silent_percent = 66,
                                                   .leader_changes = 3,
                                                   .leader_changes_ms = 600000}};
    struct cluster_settings cluster = {.name = name,
                                       .hosts = hosts,
                                       .session_timeout_ms = 10000,
                                       .elections = &election,
                                       .election_count = 1};
    struct settings settings = {
        .clusters = &cluster, .cluster_count = 1, .history = {.file = file}, .screen = {.refresh_ms = 250}};
    struct world world;
    world_begin(&world, &settings);
    struct dashboard *dashboard =
        must(dashboard_new(world.settings, world.model, world.events, now_of, &world));
    struct cells *cells = must(cells_new(WIDTH, HEIGHT)), *empty = must(cells_new(WIDTH, HEIGHT));
    size_t length = strlen(TYPED), count = 0;
    struct sample *samples = must(calloc(length * (size_t)rounds, sizeof *samples));
    double *floors = must(calloc(length * (size_t)rounds, sizeof *floors));
    dashboard_draw(dashboard, cells);
    for (long round = 0; round < rounds; round++)
        for (const char *c = TYPED; *c; c++) {
            int key = *c == '\x1b' ? KEY_CODE_ESCAPE : *c == '\n' ? KEY_CODE_ENTER : *c;
            observe_candidate(&world, count % ELECTIONS, 0, (int32_t)(1 + count / ELECTIONS + (size_t)round));
            int64_t began_ns = gauge_ns(CLOCK_PROCESS_CPUTIME_ID);
            dashboard_key(dashboard, key, -1, -1);
            dashboard_draw(dashboard, cells);
            samples[count++] =
                (struct sample){(double)(gauge_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns) / 1e6, *c};
            floors[count - 1] = floor_ms(cells, empty);
        }
    qsort(floors, count, sizeof *floors, by_ms);
    qsort(samples, count, sizeof *samples, by_time);
    const struct sample *worst = &samples[count - 1];
    printf("{\"keys\": %zu, \"p50\": %.2f, \"p99\": %.2f, \"worst\": %.2f, \"by\": %d, \"floor\": %.3f}\n",
           count, samples[count / 2].ms, samples[count * 99 / 100].ms, worst->ms, worst->key,
           floors[count / 2]);
    free(samples);
    free(floors);
    cells_free(cells);
    cells_free(empty);
    dashboard_free(dashboard);
    model_free(world.model);
    event_log_free(world.events);
    return 0;
}

/*
 * history.c - what a recording costs, and how fast it is read.
 *
 *   history record FILE RATE SECONDS     records RATE events a second in real time; prints the cost
 *   history go FILE RATE                 the same until it is killed; prints how many microseconds are recorded
 *   history make FILE ELECTIONS DAYS EVERY_S
 *                                        a recording of DAYS in which every election changes its leader each
 *                                        EVERY_S, made as fast as possible
 *   history read FILE                    opens it, jumps about in it, and asks for percentiles
 *
 * Each prints one JSON object. The model is fed by hand: no server is asked, and nobody else is measured.
 */
#include <inttypes.h>
#include <libdeflate.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "probe/election/failover.h"
#include "probe/history/history.h"
#include "probe/history/recorder.h"
#include "tests/bench/gauge.h"

#define CANDIDATES 3
#define DAY_US (INT64_C(86400) * 1000000)
#define HOUR_US (INT64_C(3600) * 1000000)
#define QUEUE_HIGH (8u << 20)

static void die(const char *what)
{
    fprintf(stderr, "history: %s\n", what);
    exit(2);
}

/* ---- elections that change ---- */

struct election_line {
    char path[64];
    int32_t first, last; /* numbers of those who stand */
};

struct world {
    struct model *model;
    struct election_line *lines;
    size_t count;
    struct moment now;
    int64_t zxid;
    uint64_t events;
    struct recorder *recorder; /* NULL: nothing is recorded */
};

static char evidence[] =
    "last heard 8.2 s before its end at zk2:2181, of a timeout of 10 s; its session was in "
    "no list of zk1:2181 0.4 s after the deletion";

static void on_event(void *context, const struct event *event)
{
    struct world *world = context;
    world->events++;
    if (!world->recorder)
        return;
    struct event whole = *event;
    struct failover failover;
    if (event->failover) {
        /* As the servers' lists would have shown it. */
        int64_t low_us = 2000000 + (int64_t)(world->events * 7919 % 4000000);
        failover = *event->failover;
        failover.cause = CAUSE_EXPIRED;
        failover.cause_certainty = CERTAINTY_SUSPECTED;
        failover.detection = (struct span){low_us, low_us + 3333333};
        failover.evidence = evidence;
        whole.failover = &failover;
    }
    recorder_event(world->recorder, &whole);
}

/* As Curator's LeaderLatch names them. */
static void name_of(const struct election_line *line, int32_t number, char *buffer, size_t size)
{
    uint32_t mix = (uint32_t)number * 2654435761u ^ (uint32_t)(uintptr_t)line;
    snprintf(buffer, size, "_c_%08x-%04x-4%03x-8%03x-%08x%04x-latch-%010d", mix, mix >> 16, mix & 0xfff,
             mix >> 4 & 0xfff, mix * 31, mix * 7 & 0xffff, number);
}

static void read_one(struct world *world, const struct election_line *line, int32_t number)
{
    char path[192], data[32];
    struct znode_stat stat = {.czxid = world->zxid,
                              .mzxid = world->zxid,
                              .pzxid = world->zxid,
                              .ctime_ms = world->now.wall_us / 1000,
                              .mtime_ms = world->now.wall_us / 1000,
                              .owner = 0x100002a4d000000 + (uint64_t)number % 4096};
    int length = snprintf(path, sizeof path, "%s/", line->path);
    name_of(line, number, path + length, sizeof path - (size_t)length);
    stat.data_length = snprintf(data, sizeof data, "10.0.%d.%d:8080", number % 7, number % 250);
    struct observation o = {.kind = OBSERVED_NODE, .at = world->now, .election = line->path, .path = path};
    o.node = (struct observed_node){&stat, true, data, (size_t)stat.data_length};
    model_observe(world->model, &o);
}

static void list_all(struct world *world, const struct election_line *line)
{
    char names[CANDIDATES + 1][96], *pointers[CANDIDATES + 1];
    size_t count = 0;
    for (int32_t i = line->first; i <= line->last; i++) {
        name_of(line, i, names[count], sizeof names[count]);
        pointers[count] = names[count];
        count++;
    }
    struct znode_stat stat = {.czxid = 1,
                              .pzxid = world->zxid,
                              .cversion = line->last + 1 + line->first,
                              .children = (int32_t)count};
    struct observation o = {
        .kind = OBSERVED_CHILDREN, .at = world->now, .election = line->path, .path = line->path};
    o.children = (struct observed_children){.stat = &stat, .names = pointers, .count = count};
    model_observe(world->model, &o);
}

/* Its leader goes, and one more comes: what a watching tool is told of that. */
static void change(struct world *world, struct election_line *line)
{
    char path[192];
    int length = snprintf(path, sizeof path, "%s/", line->path);
    name_of(line, line->first, path + length, sizeof path - (size_t)length);
    world->zxid += 2;
    line->first++;
    model_observe(world->model,
                  &(struct observation){
                      .kind = OBSERVED_ABSENT, .at = world->now, .election = line->path, .path = path});
    line->last++;
    list_all(world, line);
    read_one(world, line, line->last);
}

static struct world *world_new(size_t count)
{
    static char hosts[] = "zk1:2181,zk2:2181,zk3:2181", name[] = "bench";
    static struct cluster_settings cluster = {.name = name, .hosts = hosts};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error;
    struct world *world = calloc(1, sizeof *world);
    world->lines = calloc(count, sizeof *world->lines);
    world->model = model_new(&settings, &error);
    if (!world->model)
        die(error);
    world->count = count;
    world->now = (struct moment){1000000000, INT64_C(1760000000) * 1000000};
    world->zxid = INT64_C(0x100000000);
    world->model->on_event = on_event;
    world->model->context = world;
    return world;
}

static void begin(struct world *world)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection =
        (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 7, .timeout_ms = 10000};
    model_observe(world->model, &o);
    for (size_t i = 0; i < world->count; i++) {
        struct election_line *line = &world->lines[i];
        snprintf(line->path, sizeof line->path, "/services/team-%03zu/leader", i);
        model_observe(world->model, &(struct observation){.kind = OBSERVED_ELECTION,
                                                          .at = world->now,
                                                          .election = line->path,
                                                          .path = line->path});
        line->last = CANDIDATES - 1;
        list_all(world, line);
        for (int32_t k = 0; k < CANDIDATES; k++)
            read_one(world, line, k);
    }
}

static void start_recorder(struct world *world, const char *file)
{
    char *error;
    world->recorder = recorder_new(world->model, file, 400 * DAY_US / 1000, &error);
    if (!world->recorder)
        die(error);
}

static void stop(struct world *world)
{
    char *problem = NULL;
    if (world->recorder && !recorder_stop(world->recorder, &problem))
        die(problem ? problem : "not everything was written");
    world->model->on_event = NULL;
    model_free(world->model);
    free(world->lines);
    free(world);
}

/* ---- recording in real time ---- */

#define FOR_EVER (-1)

/* A line a tenth of a second. */
static void say_elapsed(int64_t elapsed_us)
{
    static int64_t said_us = -100000;
    if (elapsed_us - said_us < 100000)
        return;
    said_us = elapsed_us;
    printf("%" PRId64 "\n", elapsed_us);
    fflush(stdout);
}

/* A second of so many events; what the thread and the loop used. hold: the longest turn of the recorder. */
static double run_rate(const char *file, int rate, int seconds, int64_t *hold_us, uint64_t *events)
{
    struct world *world = world_new(100);
    if (file)
        start_recorder(world, file);
    begin(world);
    const int64_t tick_us = 5000;
    double begun_cpu_ms = gauge_cpu_ms();
    int64_t start_us = gauge_us(), next_us = start_us, wall_us = world->now.wall_us,
            mono_us = world->now.mono_us;
    uint64_t due = 0, before = world->events;
    size_t at = 0;
    *hold_us = 0;
    while (seconds == FOR_EVER || next_us < start_us + (int64_t)seconds * 1000000) {
        next_us += tick_us;
        due = (uint64_t)((next_us - start_us) * rate / 1000000);
        int64_t elapsed_us = gauge_us() - start_us;
        world->now = (struct moment){mono_us + elapsed_us, wall_us + elapsed_us};
        while (world->events - before < due)
            change(world, &world->lines[at++ % world->count]);
        if (world->recorder) {
            int64_t turn_us = gauge_us();
            recorder_turn(world->recorder);
            turn_us = gauge_us() - turn_us;
            *hold_us = turn_us > *hold_us ? turn_us : *hold_us;
        }
        if (seconds == FOR_EVER)
            say_elapsed(elapsed_us);
        int64_t rest_us = next_us - gauge_us();
        if (rest_us > 0)
            nanosleep(
                &(struct timespec){.tv_nsec = (long)(rest_us % 1000000) * 1000, .tv_sec = rest_us / 1000000},
                NULL);
    }
    *events = world->events - before;
    double used = (gauge_cpu_ms() - begun_cpu_ms) * 1e3 / (double)(gauge_us() - start_us);
    if (world->recorder && recorder_lost(world->recorder))
        die("events were lost");
    stop(world);
    return used;
}

static int record_rate(const char *file, int rate, int seconds)
{
    int64_t hold_us, none_us;
    uint64_t events, same;
    double without = seconds == FOR_EVER ? 0 : run_rate(NULL, rate, seconds, &none_us, &same);
    double with = run_rate(file, rate, seconds, &hold_us, &events);
    printf("{\"events\": %" PRIu64 ", \"cpu_without\": %.4f, \"cpu_with\": %.4f, \"hold_ms\": %.3f}\n",
           events, without, with, (double)hold_us / 1000);
    return 0;
}

/* ---- a month ---- */

static int64_t size_of(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 ? (int64_t)status.st_size : 0;
}

static int make_days(const char *file, size_t elections, double days, int every_s)
{
    struct world *world = world_new(elections);
    start_recorder(world, file);
    begin(world);
    recorder_flush(world->recorder);
    int64_t began_us = gauge_us(), end_us = world->now.wall_us + (int64_t)(days * (double)DAY_US);
    const int64_t step_us = INT64_C(1000000) * every_s / (int64_t)elections;
    uint64_t changes = 0;
    while (world->now.wall_us < end_us) {
        world->now.mono_us += step_us;
        world->now.wall_us += step_us;
        change(world, &world->lines[changes++ % world->count]);
        recorder_flush(world->recorder);
        while (recorder_waiting(world->recorder) > QUEUE_HIGH)
            uv_sleep(5);
    }
    uint64_t events = world->events;
    if (recorder_lost(world->recorder))
        die("events were lost");
    stop(world);
    double took_s = (double)(gauge_us() - began_us) / 1e6;
    printf("{\"changes\": %" PRIu64 ", \"events\": %" PRIu64 ", \"bytes\": %" PRId64
           ", \"bytes_an_event\": %.1f, \"seconds\": %.1f}\n",
           changes, events, size_of(file), (double)size_of(file) / (double)events, took_s);
    return 0;
}

/* ---- reading ---- */

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t percentiles(struct history *history, const char *election, int64_t from_us, int64_t to_us,
                           size_t *count)
{
    struct failover_stats stats;
    struct history_filter filter = {.election = election};
    char *error;
    int64_t began_us = gauge_us();
    if (!history_statistics(history, &filter, from_us, to_us, &stats, &error))
        die(error);
    *count = stats.all.count;
    return gauge_us() - began_us;
}

static bool count_event(void *context, const struct event *event)
{
    (void)event;
    ++*(size_t *)context;
    return true;
}

/* What happened in one election in the hour before that. */
static int64_t events_of_one(struct history *history, int64_t to_us, size_t *count)
{
    const struct history_filter filter = {.election = "/services/team-000/leader"};
    char *error;
    int64_t began_us = gauge_us();
    *count = 0;
    if (!history_events(history, &filter, to_us - HOUR_US, to_us, count_event, count, &error))
        die(error);
    return gauge_us() - began_us;
}

#define JUMPS 60

/* As deflate packed them; at most as much as a recording of this program holds. */
static void unpack(struct libdeflate_decompressor *decompressor, sqlite3_stmt *statement, int column)
{
    static char room[64 << 20];
    size_t size;
    const void *packed = sqlite3_column_blob(statement, column);
    if (packed &&
        libdeflate_zlib_decompress(decompressor, packed, (size_t)sqlite3_column_bytes(statement, column),
                                   room, sizeof room, &size) != LIBDEFLATE_SUCCESS)
        die("a chunk cannot be unpacked");
}

/* The rows themselves, read and unpacked and thrown away: of one moment, and of one election's failovers. */
static int64_t raw_rows(sqlite3 *db, struct libdeflate_decompressor *decompressor, const char *sql,
                        int64_t at_us)
{
    sqlite3_stmt *statement;
    int64_t began_us = gauge_us(), bytes = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db));
    sqlite3_bind_int64(statement, 1, at_us);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            bytes += sqlite3_column_bytes(statement, i);
            if (sqlite3_column_type(statement, i) == SQLITE_BLOB)
                unpack(decompressor, statement, i);
        }
    sqlite3_finalize(statement);
    return bytes > 0 ? gauge_us() - began_us : 0;
}

static void print_floor(const char *file, int64_t from_us, int64_t to_us)
{
    sqlite3 *db;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    int64_t took[JUMPS], percentiles_us = 0;
    if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        die("cannot be read");
    srand(1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < JUMPS; i++)
            took[i] =
                raw_rows(db, decompressor,
                         "SELECT picture, patches FROM chunk WHERE id = (SELECT id FROM chunk WHERE from_us"
                         " <= ? ORDER BY id DESC LIMIT 1)",
                         from_us + (int64_t)((double)rand() / RAND_MAX * (double)(to_us - from_us)));
        percentiles_us = raw_rows(db, decompressor,
                                  "SELECT cause, detection_low_us, detection_high_us, vacancy_low_us,"
                                  " vacancy_high_us, takeover_low_us, takeover_high_us, total_low_us,"
                                  " total_high_us, gap_us FROM failover WHERE election = ?",
                                  1);
    }
    sqlite3_close(db);
    libdeflate_free_decompressor(decompressor);
    qsort(took, JUMPS, sizeof *took, by_size);
    printf("{\"floor_jump_ms\": %.3f, \"floor_percentiles_ms\": %.3f, ", (double)took[JUMPS / 2] / 1000,
           (double)percentiles_us / 1000);
}

static int read_back(const char *file)
{
    char *error;
    int64_t from_us, to_us, took[JUMPS], began_us;
    struct history *history = history_open(file, &error);
    if (!history)
        die(error);
    history_bounds(history, &from_us, &to_us, NULL);
    history_close(history);
    began_us = gauge_us();
    history = history_open(file, &error);
    if (!history || !history_bounds(history, &from_us, &to_us, NULL))
        die("cannot be opened again");
    int64_t open_us = gauge_us() - began_us;
    srand(1);
    for (int round = 0; round < 2; round++) /* the first one warms the cache */
        for (int i = 0; i < JUMPS; i++) {
            int64_t at_us = from_us + (int64_t)((double)rand() / RAND_MAX * (double)(to_us - from_us));
            began_us = gauge_us();
            if (!history_at(history, at_us, &error))
                die(error);
            took[i] = gauge_us() - began_us;
        }
    qsort(took, JUMPS, sizeof *took, by_size);
    size_t one, events;
    percentiles(history, "/services/team-000/leader", from_us, to_us + 1, &one);
    int64_t one_us = percentiles(history, "/services/team-000/leader", from_us, to_us + 1, &one);
    events_of_one(history, to_us, &events);
    int64_t events_us = events_of_one(history, to_us, &events);
    struct history_filter filter = {.events = UINT64_C(1) << EVENT_LEADER_ELECTED};
    int64_t at_us = from_us + (to_us - from_us) / 2;
    began_us = gauge_us();
    history_step(history, &filter, at_us, true, &at_us);
    int64_t step_us = gauge_us() - began_us;
    history_close(history);
    print_floor(file, from_us, to_us);
    printf("\"open_ms\": %.2f, \"jump_ms\": %.2f, \"jump_worst_ms\": %.2f, \"step_ms\": %.2f, ",
           (double)open_us / 1000, (double)took[JUMPS / 2] / 1000, (double)took[JUMPS - 1] / 1000,
           (double)step_us / 1000);
    printf("\"events\": %zu, \"events_ms\": %.2f, \"failovers\": %zu, \"percentiles_ms\": %.2f}\n", events,
           (double)events_us / 1000, one, (double)one_us / 1000);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "record") == 0)
        return record_rate(argv[2], atoi(argv[3]), atoi(argv[4]));
    if (argc == 4 && strcmp(argv[1], "go") == 0)
        return record_rate(argv[2], atoi(argv[3]), FOR_EVER);
    if (argc == 6 && strcmp(argv[1], "make") == 0)
        return make_days(argv[2], (size_t)atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return read_back(argv[2]);
    fputs("usage: history record FILE RATE SECONDS | go FILE RATE | make FILE ELECTIONS DAYS EVERY_S | read "
          "FILE\n",
          stderr);
    return 2;
}

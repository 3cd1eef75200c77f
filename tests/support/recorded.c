#include "tests/support/recorded.h"

#include <inttypes.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "probe/election/election.h"
#include "probe/json/json_event.h"
#include "probe/json/json_snapshot.h"
#include "tests/support/folder.h"
#include "tests/support/scripted.h"
#include "tui/words/event_text.h"

/* For programs, and in words. */
static bool append_line(void *context, const struct event *event)
{
    struct event_words words;
    event_text(event, &words);
    json_event_write(context, event);
    buffer_printf(context, "%s: %s %s\n", words.label, words.subject, words.detail);
    return true;
}

static void on_event(void *context, const struct event *event)
{
    struct recorded *world = context;
    append_line(&world->reported, event);
    world->events++;
    world->failovers += event->kind == EVENT_FAILOVER;
    recorder_event(world->recorder, event);
}

static void blank(char *json, const char *key)
{
    while ((json = strstr(json, key))) {
        json += strlen(key);
        char *end = json + strcspn(json, *json == '{' ? "}" : *json == '[' ? "\n" : ",}");
        memmove(json, end, strlen(end) + 1);
    }
}

/* What `once` says nothing of, and other screens do. */
static void put_failovers(struct buffer *json, const struct election *election)
{
    buffer_printf(json, "%" PRIu64 " missed\n", election->counters.missed_changes);
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = election_failover_at(election, i);
        struct json_writer writer = json_writer_to(json, false);
        json_failover_write(&writer, failover);
        buffer_printf(json, " %s %s %" PRId64 " %" PRId64 " %" PRId64 "\n",
                      failover->from_identity ? failover->from_identity : "-",
                      failover->to_identity ? failover->to_identity : "-", failover->lost_at.wall_us,
                      failover->elected_at.mono_us - failover->lost_at.mono_us, failover->gap_us);
    }
}

static char *look(const struct model *model, struct moment at)
{
    struct buffer json = {0};
    json_snapshot_write(&json, model, at, NULL, NULL);
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            put_failovers(&json, model->clusters[i].elections[k]);
    buffer_put_char(&json, '\0');
    blank(json.bytes, "\"silent_ms\": ");
    blank(json.bytes, "\"expires_at_latest\": ");
    blank(json.bytes, "\"answer_ms\": ");
    blank(json.bytes, "\"load\": ");
    blank(json.bytes, "\"load\": }, \"findings\": "); /* what follows from them */
    return json.bytes;
}

/* What is said now, kept beside the time. */
static void remember(struct recorded *world)
{
    recorder_flush(world->recorder);
    assert_true(world->moments < MOMENTS_MOST);
    world->looks[world->moments] = look(world->model, world->now);
    world->times[world->moments++] = world->now.wall_us;
}

void recorded_pass(struct recorded *world, int64_t ms)
{
    world->now.mono_us += ms * 1000;
    world->now.wall_us += ms * 1000;
    fake_tree_clock(world->tree, world->now.wall_us / 1000);
    model_observe(world->model, &(struct observation){.kind = OBSERVED_TICK, .at = world->now});
}

static void see(struct recorded *world)
{
    fake_tree_list(world->tree, world->model, world->now, "/election", "/election");
    const struct candidate *unread;
    struct election *election = model_election(world->model, 0, "/election");
    while ((unread = election_take_unread(election))) {
        char path[128];
        snprintf(path, sizeof path, "/election/%s", unread->name);
        fake_tree_read(world->tree, world->model, world->now, "/election", path);
    }
}

static void join(struct recorded *world)
{
    char path[64], data[32];
    snprintf(path, sizeof path, "/election/n_%010d", (int)++world->last);
    snprintf(data, sizeof data, "10.0.3.%d:5000", (int)(world->last % 200));
    fake_tree_create(world->tree, path, 0x100000000 + (uint64_t)world->last, data);
}

static void leave(struct recorded *world)
{
    char path[64];
    snprintf(path, sizeof path, "/election/n_%010d", (int)world->first++);
    fake_tree_delete(world->tree, path);
    fake_tree_read(world->tree, world->model, world->now, "/election", path); /* its end is seen */
}

void recorded_start(struct recorded *world, int64_t keep_ms)
{
    char *error;
    world->recorder = recorder_new(world->model, world->file, keep_ms, &error);
    if (!world->recorder)
        fail_msg("%s", error);
    world->model->on_event = on_event;
    world->model->context = world;
}

void recorded_stop(struct recorded *world)
{
    char *problem;
    bool fine = recorder_stop(world->recorder, &problem);
    if (!fine)
        fail_msg("%s", problem);
    world->model->on_event = NULL;
    world->recorder = NULL;
}

static void begin_model(struct recorded *world)
{
    static char path[] = "/election", hosts[] = "zk1:2181", name[] = "prod", automatic[] = "auto";
    static struct election_settings election = {
        .path = path, .recipe = automatic, .allow = {5000, 10000, 66, 3, 600000, 0, 0}};
    static struct cluster_settings cluster = {
        .name = name, .hosts = hosts, .elections = &election, .election_count = 1};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error;
    world->model = model_new(&settings, &error);
    assert_non_null(world->model);
}

void recorded_connect(struct recorded *world)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection =
        (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 7, .timeout_ms = 10000};
    model_observe(world->model, &o);
    o = (struct observation){
        .kind = OBSERVED_ELECTION, .at = world->now, .election = "/election", .path = "/election"};
    model_observe(world->model, &o);
    see(world);
    remember(world);
}

void recorded_lose(struct recorded *world)
{
    struct observation lost = {.kind = OBSERVED_CONNECTION, .at = world->now};
    lost.connection.state = CONNECTION_CONNECTING;
    model_observe(world->model, &lost);
    recorder_flush(world->recorder);
}

struct recorded *recorded_new(void)
{
    struct recorded *world = calloc(1, sizeof *world);
    assert_non_null(world);
    snprintf(world->folder, sizeof world->folder, "/tmp/electop-history-XXXXXX");
    folder_make(world->folder);
    snprintf(world->file, sizeof world->file, "%s/history.db", world->folder);
    world->tree = fake_tree_new();
    world->now = scripted_now();
    fake_tree_clock(world->tree, world->now.wall_us / 1000);
    fake_tree_create(world->tree, "/election", 0, "");
    world->first = 1;
    for (int i = 0; i < 3; i++)
        join(world);
    begin_model(world);
    return world;
}

void recorded_free(struct recorded *world)
{
    folder_remove(world->folder);
    fake_tree_free(world->tree);
    model_free(world->model);
    buffer_free(&world->reported);
    for (size_t i = 0; i < world->moments; i++)
        free(world->looks[i]);
    free(world);
}

void recorded_rush(struct recorded *world, int times)
{
    for (int i = 0; i < times; i++) {
        recorded_pass(world, 1000);
        leave(world);
        join(world);
        see(world);
        recorder_flush(world->recorder);
    }
}

void recorded_changes(struct recorded *world, int times)
{
    for (int i = 0; i < times; i++) {
        recorded_pass(world, 7000);
        leave(world);
        remember(world);
        recorded_pass(world, 20);
        join(world);
        see(world);
        remember(world);
        recorded_pass(world, 15000);
        remember(world);
    }
}

void recorded_same_look(const struct recorded *world, struct history *history, size_t moment)
{
    char *error;
    const struct model *model = history_at(history, world->times[moment], &error);
    if (!model)
        fail_msg("%s", error);
    assert_int_equal(model->now.wall_us, world->times[moment]);
    char *shown = look(model, model->now);
    assert_string_equal(shown, world->looks[moment]);
    free(shown);
}

/* Backwards too: no moment may depend on what was looked at before. */
void recorded_same_looks(const struct recorded *world, struct history *history, int64_t from_us,
                         int64_t to_us)
{
    for (size_t i = 0; i < world->moments * 2; i++) {
        size_t moment = i < world->moments ? i : world->moments * 2 - 1 - i;
        if (world->times[moment] >= from_us && world->times[moment] <= to_us)
            recorded_same_look(world, history, moment);
    }
}

char *recorded_watched(struct history *history, int64_t from_us, int64_t to_us, size_t count)
{
    bool *watched = calloc(count, sizeof *watched);
    char *drawn = calloc(count + 1, 1);
    assert_true(watched && drawn && history_watched(history, from_us, to_us, count, watched));
    for (size_t i = 0; i < count; i++)
        drawn[i] = watched[i] ? '#' : '.';
    free(watched);
    return drawn;
}

int64_t recorded_ask(const struct recorded *world, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(world->file, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

struct history *recorded_open(const struct recorded *world)
{
    char *error;
    struct history *history = history_open(world->file, &error);
    if (!history)
        fail_msg("%s", error);
    return history;
}

void recorded_same_events(const struct recorded *world, struct history *history)
{
    char *error;
    struct buffer reported = {0};
    assert_true(history_events(history, NULL, 0, INT64_MAX, append_line, &reported, &error));
    buffer_put_char(&reported, '\0');
    struct buffer expected = {0};
    buffer_put(&expected, world->reported.bytes, world->reported.length);
    buffer_put_char(&expected, '\0');
    assert_string_equal(reported.bytes, expected.bytes);
    buffer_free(&expected);
    buffer_free(&reported);
}

struct recorded *recorded_begin(void)
{
    struct recorded *world = recorded_new();
    recorded_start(world, KEEP_LONG_MS);
    recorded_connect(world);
    return world;
}

void recorded_same(const struct recorded *world)
{
    struct history *history = recorded_open(world);
    recorded_same_events(world, history);
    recorded_same_looks(world, history, 0, INT64_MAX);
    history_close(history);
}

void recorded_change(const struct recorded *world, const char *sql)
{
    sqlite3 *db;
    char *problem = NULL;
    assert_int_equal(sqlite3_open(world->file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &problem) != SQLITE_OK)
        fail_msg("%s", problem);
    sqlite3_close(db);
}

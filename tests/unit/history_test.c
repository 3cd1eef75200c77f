/* Proves that a recording tells afterwards what was told, and shows what was shown, at every moment. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "probe/history/history.h"
#include "probe/history/recorder.h"
#include "probe/sink/json_event.h"
#include "probe/sink/json_look.h"
#include "tests/support/fake_tree.h"
#include "tests/support/scripted.h"

#define MOMENTS_MOST 256
#define KEEP_MS (INT64_C(30) * 24 * 3600 * 1000)

/* Three candidates of whom one leaves at each step, while one more joins: and all that was said of it. */
struct world {
    char folder[64], file[80];
    struct fake_tree *tree;
    struct model *model;
    struct recorder *recorder;
    struct moment now;
    struct buffer told; /* every event, a line each */
    size_t events, failovers;
    char *looks[MOMENTS_MOST];
    int64_t times[MOMENTS_MOST];
    size_t moments;
    int64_t first, last; /* numbers of the candidates */
};

static void on_event(void *context, const struct event *event)
{
    struct world *world = context;
    json_event_write(&world->told, event);
    world->events++;
    world->failovers += event->kind == EVENT_FAILOVER;
    recorder_event(world->recorder, event);
}

static void blank(char *json, const char *key)
{
    while ((json = strstr(json, key))) {
        json += strlen(key);
        char *end = json + strcspn(json, ",}");
        memmove(json, end, strlen(end) + 1);
    }
}

static char *look(const struct model *model, struct moment at)
{
    struct buffer json = {0};
    json_look_write(&json, model, at);
    buffer_put_char(&json, '\0');
    assert_false(buffer_failed(&json));
    blank(json.bytes, "\"silent_ms\": ");
    blank(json.bytes, "\"expires_at_latest\": ");
    blank(json.bytes, "\"answer_ms\": ");
    return json.bytes;
}

static void turn(struct world *world)
{
    uint64_t again_ms;
    while ((again_ms = recorder_turn(world->recorder)) > 0)
        usleep((useconds_t)again_ms * 1000);
}

/* What is said now, kept beside the time. */
static void remember(struct world *world)
{
    turn(world);
    assert_true(world->moments < MOMENTS_MOST);
    world->looks[world->moments] = look(world->model, world->now);
    world->times[world->moments++] = world->now.wall_us;
}

static void pass(struct world *world, int64_t ms)
{
    world->now.mono_us += ms * 1000;
    world->now.wall_us += ms * 1000;
    fake_tree_clock(world->tree, world->now.wall_us / 1000);
    model_observe(world->model, &(struct observation){.kind = OBSERVED_TICK, .at = world->now});
}

static void see(struct world *world)
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

static void join(struct world *world)
{
    char path[64], data[32];
    snprintf(path, sizeof path, "/election/n_%010d", (int)++world->last);
    snprintf(data, sizeof data, "10.0.3.%d:5000", (int)(world->last % 200));
    fake_tree_create(world->tree, path, 0x100000000 + (uint64_t)world->last, data);
}

static void leave(struct world *world)
{
    char path[64];
    snprintf(path, sizeof path, "/election/n_%010d", (int)world->first++);
    fake_tree_delete(world->tree, path);
    fake_tree_read(world->tree, world->model, world->now, "/election", path); /* its end is seen */
}

static void record(struct world *world)
{
    char *error;
    world->recorder = recorder_new(world->model, world->file, KEEP_MS, &error);
    if (!world->recorder)
        fail_msg("%s", error);
    world->model->on_event = on_event;
    world->model->context = world;
}

static void stop(struct world *world)
{
    char *problem;
    bool fine = recorder_stop(world->recorder, &problem);
    if (!fine)
        fail_msg("%s", problem);
    world->model->on_event = NULL;
    world->recorder = NULL;
}

static void begin_model(struct world *world)
{
    static char path[] = "/election", hosts[] = "zk1:2181", name[] = "prod", automatic[] = "auto";
    static struct election_settings election = {
        .path = path, .recipe = automatic, .allow = {5000, 10000, 66, 3, 600000}};
    static struct cluster_settings cluster = {
        .name = name, .hosts = hosts, .elections = &election, .election_count = 1};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error;
    world->model = model_new(&settings, &error);
    assert_non_null(world->model);
}

static void connect_model(struct world *world)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection =
        (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 7, .timeout_ms = 10000};
    model_observe(world->model, &o);
    o = (struct observation){
        .kind = OBSERVED_ELECTION, .at = world->now, .election = "/election", .path = "/election"};
    model_observe(world->model, &o);
}

static struct world *world_new(void)
{
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    snprintf(world->folder, sizeof world->folder, "/tmp/electop-history-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
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

static void remove_files(const struct world *world)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
    char name[128];
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", world->file, suffixes[i]);
        unlink(name);
    }
    rmdir(world->folder);
}

static void world_free(struct world *world)
{
    remove_files(world);
    fake_tree_free(world->tree);
    model_free(world->model);
    buffer_free(&world->told);
    for (size_t i = 0; i < world->moments; i++)
        free(world->looks[i]);
    free(world);
}

static void change_leaders(struct world *world, int times)
{
    for (int i = 0; i < times; i++) {
        pass(world, 7000);
        leave(world);
        remember(world);
        pass(world, 20);
        join(world);
        see(world);
        remember(world);
        pass(world, 15000);
        remember(world);
    }
}

static void same_looks(struct world *world, struct history *history)
{
    char *error;
    int64_t from_us = 0, to_us = 0;
    assert_true(history_bounds(history, &from_us, &to_us));
    /* Backwards too: no moment may depend on what was looked at before. */
    for (size_t i = 0; i < world->moments * 2; i++) {
        size_t at = i < world->moments ? i : world->moments * 2 - 1 - i;
        if (world->times[at] > to_us && world->recorder)
            continue; /* nothing has happened since, and its end is not written at every moment */
        const struct model *model = history_at(history, world->times[at], &error);
        if (!model)
            fail_msg("%s", error);
        assert_int_equal(model->now.wall_us, world->times[at]);
        char *shown = look(model, model->now);
        assert_string_equal(shown, world->looks[at]);
        free(shown);
    }
}

static bool append_line(void *context, const struct event *event)
{
    json_event_write(context, event);
    return true;
}

static struct history *open_history(const struct world *world)
{
    char *error;
    struct history *history = history_open(world->file, &error);
    if (!history)
        fail_msg("%s", error);
    return history;
}

static void same_events(const struct world *world, struct history *history)
{
    char *error;
    struct buffer told = {0};
    assert_true(history_events(history, NULL, 0, INT64_MAX, append_line, &told, &error));
    buffer_put_char(&told, '\0');
    struct buffer expected = {0};
    buffer_put(&expected, world->told.bytes, world->told.length);
    buffer_put_char(&expected, '\0');
    assert_string_equal(told.bytes, expected.bytes);
    buffer_free(&expected);
    buffer_free(&told);
}

/* What a recording tells is what was told, word for word, and every moment looks as it did. */
static void tells_the_same(void **state)
{
    (void)state;
    struct world *world = world_new();
    record(world);
    connect_model(world);
    see(world);
    remember(world);
    change_leaders(world, 40);
    stop(world);
    assert_true(world->events > 120);

    struct history *history = open_history(world);
    int64_t from_us = 0, to_us = 0;
    assert_true(history_bounds(history, &from_us, &to_us));
    assert_true(from_us <= world->times[0] && to_us >= world->times[world->moments - 1]);
    same_looks(world, history);
    same_events(world, history);
    history_close(history);
    world_free(world);
}

static bool count_failover(void *context, const struct election *election, const struct failover *failover)
{
    size_t *count = context;
    assert_string_equal(election->path, "/election");
    assert_true(failover->from && failover->to && failover->lost_at.wall_us > 0);
    ++*count;
    return true;
}

struct stretches {
    size_t led, vacant, gap;
    int64_t end_us;
};

static bool add_stretch(void *context, const struct history_stretch *stretch)
{
    struct stretches *stretches = context;
    assert_true(stretch->from_us < stretch->to_us);
    if (stretches->end_us)
        assert_int_equal(stretch->from_us, stretches->end_us); /* one after the other, without holes */
    stretches->end_us = stretch->to_us;
    stretches->led += stretch->kind == STRETCH_LED;
    stretches->vacant += stretch->kind == STRETCH_VACANT;
    stretches->gap += stretch->kind == STRETCH_GAP;
    return true;
}

/* Failovers, steps and stretches of the time line are all of them, and those that were asked for. */
static void finds_what_is_asked_for(void **state)
{
    (void)state;
    struct world *world = world_new();
    char *error;
    record(world);
    connect_model(world);
    see(world);
    change_leaders(world, 10);
    stop(world);

    struct history *history = open_history(world);
    size_t count = 0;
    assert_true(history_failovers(history, NULL, 0, INT64_MAX, count_failover, &count, &error));
    assert_int_equal(count, world->failovers);
    struct history_filter filter = {.cluster = "prod", .election = "/election"};
    count = 0;
    assert_true(history_failovers(history, &filter, 0, INT64_MAX, count_failover, &count, &error));
    assert_int_equal(count, world->failovers);

    filter.events = UINT64_C(1) << EVENT_LEADER_ELECTED;
    int64_t at_us = 0;
    for (count = 0; history_step(history, &filter, at_us, true, &at_us); count++)
        ;
    assert_int_equal(count, 10);
    for (count = 1; history_step(history, &filter, at_us, false, &at_us); count++)
        ;
    assert_int_equal(count, 10);
    filter.cluster = "test";
    assert_false(history_step(history, &filter, 0, true, &at_us));

    struct stretches stretches = {0};
    assert_true(
        history_stretches(history, "prod", "/election", 0, INT64_MAX, add_stretch, &stretches, &error));
    assert_int_equal(stretches.led, 11);
    assert_int_equal(stretches.gap, 0);
    history_close(history);
    world_free(world);
}

/* While it is being written, others read it; what they see grows. */
static void reads_while_it_is_written(void **state)
{
    (void)state;
    struct world *world = world_new();
    record(world);
    connect_model(world);
    see(world);
    remember(world);
    usleep(600000);
    struct history *history = open_history(world);
    same_looks(world, history);
    change_leaders(world, 3);
    usleep(600000);
    same_looks(world, history);
    same_events(world, history);
    stop(world);
    same_looks(world, history);
    history_close(history);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_the_same),
                                       cmocka_unit_test(finds_what_is_asked_for),
                                       cmocka_unit_test(reads_while_it_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Proves what is known of a server's work: how far it is behind the others, which client address holds most
 * of its connections, that figures that were not asked for stay, and that a recording brings all of it back.
 */
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/zookeeper/server_lists.h"
#include "tests/support/test.h"

struct world {
    struct settings settings;
    struct cluster_settings cluster;
    struct model *model;
};

static int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    char *error = NULL;
    world->cluster.hosts = strdup("zk1:2181");
    world->settings.clusters = &world->cluster;
    world->settings.cluster_count = 1;
    world->model = model_new(&world->settings, &error);
    assert_non_null(world->model);
    *state = world;
    return 0;
}

static int world_end(void **state)
{
    struct world *world = *state;
    model_free(world->model);
    free(world->cluster.hosts);
    free(world);
    return 0;
}

static const struct server *server_of(const struct world *world, const char *address)
{
    const struct cluster *cluster = &world->model->clusters[0];
    for (size_t i = 0; i < cluster->server_count; i++)
        if (strcmp(cluster->servers[i].address, address) == 0)
            return &cluster->servers[i];
    fail_msg("%s is not known", address);
    return NULL;
}

/* The server answered at that time, after 10 ms, with this transaction. */
static const struct server *reports(struct world *world, const char *address, int64_t ms, int64_t zxid)
{
    struct observation o = {.kind = OBSERVED_SERVER, .at = {ms * 1000, ms * 1000}};
    o.server = (struct observed_server){
        .address = address, .reachable = true, .answer_us = 10000, .zxid = zxid, .connections = -1};
    model_observe(world->model, &o);
    return server_of(world, address);
}

TEST_BETWEEN(knows_who_is_behind, world_begin, world_end)
{
    struct world *world = *state;
    assert_int_equal(reports(world, "a", 1000, 0x100000005)->lag, 0);
    /* b was asked before a had told: it may have had the rest a moment later. */
    assert_int_equal(reports(world, "b", 1005, 0x100000003)->lag, 0);
    assert_int_equal(reports(world, "b", 1500, 0x100000003)->lag, 2);
    assert_int_equal(server_of(world, "b")->lag_us, 490000);
    reports(world, "a", 2000, 0x100000009);
    assert_int_equal(reports(world, "b", 3000, 0x100000003)->lag, 6);
    assert_int_equal(server_of(world, "b")->lag_us, 1990000); /* since the oldest that it lacks */
    assert_int_equal(reports(world, "b", 4000, 0x100000009)->lag, 0);
    assert_int_equal(server_of(world, "b")->lag_us, 0);
    /* In another epoch at least as many as that one has had. */
    reports(world, "a", 5000, 0x200000002);
    assert_int_equal(reports(world, "b", 6000, 0x100000009)->lag, 3);
    assert_int_equal(server_epoch(server_of(world, "a")), 2);
}

/* It may have been restarted, or be gone: what it said is not so any more. */
TEST_BETWEEN(forgets_the_figures_of_one_that_does_not_answer, world_begin, world_end)
{
    struct world *world = *state;
    reports(world, "a", 1000, 0x100000005);
    reports(world, "b", 1500, 0x100000003);
    struct observation load = {.kind = OBSERVED_LOAD, .at = {1500000, 1500000}};
    load.load = (struct observed_load){.address = "b", .load = SERVER_LOAD_UNKNOWN};
    load.load.load.uptime_ms = 180000;
    load.load.load.outstanding = 0;
    model_observe(world->model, &load);
    struct observation silent = {.kind = OBSERVED_SERVER, .at = {2000000, 2000000}};
    silent.server = (struct observed_server){.address = "b", .answer_us = -1, .zxid = -1, .connections = -1};
    model_observe(world->model, &silent);
    const struct server *server = server_of(world, "b");
    assert_int_equal(server->lag, -1);
    assert_int_equal(server->load.uptime_ms, -1);
    assert_int_equal(server->load.outstanding, -1);
}

/* Its data was wiped: what others had told before says nothing of it. */
TEST_BETWEEN(begins_anew_with_other_data, world_begin, world_end)
{
    struct world *world = *state;
    reports(world, "a", 1000, 0x100000500);
    assert_int_equal(reports(world, "a", 2000, 0x2)->lag, 0);
    assert_int_equal(reports(world, "a", 3000, 0x3)->lag, 0);
}

TEST_BETWEEN(finds_the_busiest_address, world_begin, world_end)
{
    struct world *world = *state;
    static const char *const clients[] = {"10.0.0.1:5", "10.0.0.12:5", "10.0.0.1:6",
                                          "[::1]:7",    "10.0.0.12:9", "10.0.0.1:7"};
    struct seen_connection list[6] = {{0}};
    for (size_t i = 0; i < 6; i++)
        list[i] = (struct seen_connection){.session = i + 1, .client = clients[i], .timeout_ms = 4000};
    struct observation o = {.kind = OBSERVED_CONNECTIONS, .at = {1000, 1000}};
    o.connections = (struct observed_connections){.address = "a", .list = list, .count = 6, .now_ms = -1};
    model_observe(world->model, &o);
    assert_int_equal(server_of(world, "a")->busiest_connections, 3);
    assert_string_equal(server_of(world, "a")->busiest_address, "10.0.0.1");
    o.kind = OBSERVED_HIDDEN;
    o.hidden = (struct observed_hidden){.address = "a", .part = HIDDEN_CONNECTIONS, .problem = "off"};
    model_observe(world->model, &o);
    assert_int_equal(server_of(world, "a")->busiest_connections, -1);
}

/* Where one server's clock is another, only what ZooKeeper's present leader dated is known to have it. */
TEST_BETWEEN(knows_whose_clock_dates_a_znode, world_begin, world_end)
{
    struct world *world = *state;
    const struct cluster *cluster = &world->model->clusters[0];
    static const char *const servers[] = {"a", "b"};
    const int64_t hour_us = INT64_C(3600000000), now = 0x200000003, earlier = 0x100000009;
    struct observation o = {.at = {hour_us, hour_us}};
    for (size_t i = 0; i < 2; i++) {
        o.kind = OBSERVED_SERVER;
        o.server = (struct observed_server){.address = servers[i],
                                            .reachable = true,
                                            .mode = i == 0 ? SERVER_LEADER : SERVER_FOLLOWER,
                                            .zxid = now};
        model_observe(world->model, &o);
    }
    for (size_t i = 0; i < 2; i++) {
        o.kind = OBSERVED_CLOCK;
        o.clock = (struct observed_clock){servers[i], hour_us};
        model_observe(world->model, &o);
        assert_int_equal(cluster_stat_us(cluster, now, 4000000), 400000000);
        assert_int_equal(cluster_stat_us(cluster, earlier, 4000000), i == 0 ? 4000000000 : 400000000);
    }
}

TEST_BETWEEN(keeps_what_was_not_asked_for, world_begin, world_end)
{
    struct world *world = *state;
    struct observation o = {.kind = OBSERVED_LOAD, .at = {1000, 1000}};
    o.load = (struct observed_load){.address = "a", .load = SERVER_LOAD_UNKNOWN};
    o.load.load.ephemerals = 7;
    o.load.load.outstanding = 3;
    model_observe(world->model, &o);
    o.load = (struct observed_load){.address = "a", .part = true, .load = SERVER_LOAD_UNKNOWN};
    o.load.load.outstanding = 4;
    model_observe(world->model, &o);
    assert_int_equal(server_of(world, "a")->load.ephemerals, 7);
    assert_int_equal(server_of(world, "a")->load.outstanding, 4);
    o.load.part = false;
    model_observe(world->model, &o);
    assert_int_equal(server_of(world, "a")->load.ephemerals, -1);
}

/* The count of slow fsyncs comes with some answers only, and begins anew with the server. */
TEST_BETWEEN(notices_slow_fsyncs, world_begin, world_end)
{
    struct world *world = *state;
    static const struct {
        int64_t at_s, count; /* -1: an answer without it */
        bool slow;
        int64_t known;
    } looks[] = {{1, -1, false, -1}, {2, 4, false, 4}, /* some time since it started */
                 {3, -1, false, 4},  {4, 4, false, 4},   {5, 6, true, 6},     {6, -1, true, 6},
                 {604, 6, true, 6},  {605, 6, false, 6}, {606, 0, false, 0}, /* it was started again */
                 {607, 2, true, 2},  {608, 1, true, 1},  {2000, 1, false, 1}, {2001, 0, false, 0}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct observation o = {.kind = OBSERVED_LOAD,
                                .at = {looks[i].at_s * 1000000, looks[i].at_s * 1000000}};
        o.load =
            (struct observed_load){.address = "a", .part = looks[i].count >= 0, .load = SERVER_LOAD_UNKNOWN};
        o.load.load.slow_fsyncs = looks[i].count;
        model_observe(world->model, &o);
        assert_int_equal(server_of(world, "a")->load.slow_fsyncs, looks[i].known);
        assert_int_equal(server_of(world, "a")->slow_fsync.mono_us != 0, looks[i].slow);
    }
}

TEST(reads_decimal_milliseconds)
{
    static const struct {
        const char *text;
        int64_t us;
    } cases[] = {{"0", 0},
                 {"0.0", 0},
                 {"5.0909", 5090},
                 {"12", 12000},
                 {"0.125", 125},
                 {"1.", -1},
                 {".5", -1},
                 {"-1", -1},
                 {"1.2.3", -1},
                 {"", -1},
                 {"x", -1},
                 {"7.123456789", 7123},
                 {"9999999999999999999", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (milliseconds_parse(cases[i].text, strlen(cases[i].text)) != cases[i].us)
            fail_msg("%s", cases[i].text);
}

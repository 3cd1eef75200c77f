/*
 * Proves when watches on children are known to belong to observers, and when they may be a stranger's: what
 * an observer announces counts only where it is known to have held when the server counted. And what a
 * session counts itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "probe/election/announced.h"
#include "probe/election/model.h"
#include "probe/zookeeper/session_state.h"
#include "tests/support/test.h"

#define OBSERVER 0x10
#define OTHER 0x20
#define US 0x30

struct world {
    struct cluster_settings cluster;
    struct settings settings;
    struct model *model;
    int64_t now_ms;
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
    world->now_ms = 100000;
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

static struct moment at(const struct world *world)
{
    return (struct moment){world->now_ms * 1000, world->now_ms * 1000};
}

/* A round of its lists: the observer has this watch, and the server counts so many watches on children, own
   of which are ours. */
static int64_t round_shows(struct world *world, const char *announcement, int64_t children, int64_t own)
{
    static const uint64_t ours[] = {US};
    struct seen_connection list[] = {
        {.session = OBSERVER, .client = "10.0.0.1:1", .established_ms = 1, .timeout_ms = 10000},
        {.session = OTHER, .client = "10.0.0.2:1", .established_ms = 1, .timeout_ms = 10000},
        {.session = US, .client = "10.0.0.3:1", .established_ms = 1, .timeout_ms = 10000}};
    for (size_t i = 0; i < 3; i++)
        list[i].last_response_ms = world->now_ms;
    struct seen_watches watches[] = {{.session = OBSERVER, .paths = &announcement, .count = 1}};
    struct observation connections = {.kind = OBSERVED_CONNECTIONS, .at = at(world)};
    connections.connections = (struct observed_connections){.address = "a",
                                                            .list = list,
                                                            .count = 3,
                                                            .now_ms = world->now_ms,
                                                            .own_children = own,
                                                            .own_sessions = ours,
                                                            .own_session_count = 1};
    struct observation seen = {.kind = OBSERVED_WATCHES, .at = at(world)};
    seen.watches = (struct observed_watches){.address = "a",
                                             .from = "adminserver",
                                             .list = watches,
                                             .count = announcement ? 1 : 0,
                                             .child_watches = children,
                                             .counted_us = (world->now_ms - 10) * 1000};
    model_observe(world->model, &seen);
    world->now_ms += 10;
    connections.at = at(world);
    model_observe(world->model, &connections);
    return world->model->clusters[0].servers[0].foreign_children;
}

/* Nobody's watches are known before a list of connections has said who is there. */
static void first_list(struct world *world)
{
    round_shows(world, NULL, -1, 0);
    world->now_ms += 1000;
}

static int64_t after(struct world *world, int64_t ms, const char *announcement, int64_t children, int64_t own)
{
    world->now_ms += ms;
    return round_shows(world, announcement, children, own);
}

#define ONE "/electop-3-child-watches-1/electop-observer"
#define TWO "/app/electop-3-child-watches-2/electop-observer"
#define PLAIN "/electop-observer"

TEST_BETWEEN(subtracts_what_held, world_begin, world_end)
{
    struct world *world = *state;
    first_list(world);
    assert_int_equal(after(world, 0, ONE, 5, 2), -1); /* it may be about to be replaced */
    assert_int_equal(after(world, 1000, ONE, 5, 2), -1);
    assert_int_equal(after(world, 1500, ONE, 5, 2), -1); /* this look counts with the next list */
    assert_int_equal(after(world, 1000, ONE, 5, 2), 0);
    assert_int_equal(after(world, 1000, ONE, 6, 2), -1); /* one more: whose is open */
    after(world, 1000, ONE, 6, 2);
    after(world, 1500, ONE, 6, 2);
    assert_int_equal(after(world, 1000, ONE, 6, 2), 1); /* a stranger's */
}

TEST_BETWEEN(an_old_count_shows_nothing_of_now, world_begin, world_end)
{
    struct world *world = *state;
    first_list(world);
    const struct server *server = world->model->clusters[0].servers;
    for (int i = 0; i < 4; i++)
        after(world, 1500, ONE, 5, 2);
    assert_true(announced_none(server));
    after(world, 20000, ONE, -1, 0);
    assert_true(server->foreign_children == 0 && announced_none(server));
    after(world, 20000, ONE, -1, 0);
    assert_true(server->foreign_children == 0 && !announced_none(server));
}

TEST_BETWEEN(believes_none_that_changed, world_begin, world_end)
{
    struct world *world = *state;
    first_list(world);
    const char *announcements[] = {ONE, TWO};
    for (int i = 0; i < 12; i++)
        assert_int_equal(after(world, 1500, announcements[i / 2 % 2], 5, 2), -1);
}

TEST_BETWEEN(a_plain_announcement_hides_strangers, world_begin, world_end)
{
    struct world *world = *state;
    first_list(world);
    for (int i = 0; i < 6; i++)
        assert_int_equal(after(world, 1500, PLAIN, 5, 2), 3);
    /* Too few may have been counted, once: all latest ones have to agree. */
    for (int i = 0; i < CHILD_COUNTS_KEPT - 1; i++)
        assert_int_equal(after(world, 1500, PLAIN, 2, 2), -1);
    assert_int_equal(after(world, 1500, PLAIN, 2, 2), 0);
    assert_int_equal(after(world, 1500, PLAIN, 3, 2), 1);
}

/* More than the server counts is nothing that could be true. */
TEST_BETWEEN(announces_too_much, world_begin, world_end)
{
    struct world *world = *state;
    first_list(world);
    for (int i = 0; i < 6; i++)
        assert_int_equal(after(world, 1500, ONE, 4, 2), -1);
}

TEST(reads_announcements)
{
    static const struct {
        const char *path;
        bool observer;
        int32_t count;
    } cases[] = {{"/electop-observer", true, -1},
                 {"/app/electop-observer", true, -1},
                 {ONE, true, 3},
                 {TWO, true, 3},
                 {"/electop-0-child-watches-9/electop-observer", true, 0},
                 {"/electop--1-child-watches-9/electop-observer", true, -1},
                 {"/electop-99999999999-child-watches-9/electop-observer", true, -1},
                 {"/electop-3-child-watches-/electop-observer", true, -1},
                 {"/electop-3-child-watches-1x/electop-observer", true, -1},
                 {"/electop-3-child-watches-1/x/electop-observer", true, -1},
                 {"electop-3-child-watches-1/electop-observer", true, -1},
                 {"/electop-3-child-watches-1", false, -1},
                 {"/electop-observers", false, -1},
                 {"", false, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t count;
        if (announced_in(cases[i].path, &count) != cases[i].observer || count != cases[i].count)
            fail_msg("%s: %d", cases[i].path, count);
    }
}

/* Against a plain list, over many additions and removals. */
TEST(counts_its_own)
{
    struct child_watches set = {0};
    bool is_set[200] = {false};
    unsigned seed = 1;
    size_t count = 0;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1103515245u + 12345u;
        unsigned i = (seed >> 16) % 200;
        char path[32];
        snprintf(path, sizeof path, "/election/%u", i);
        bool add = (seed >> 8) % 2;
        bool changed = add ? child_watches_add(&set, path, i) : child_watches_remove(&set, path, i);
        assert_int_equal(changed, is_set[i] != add);
        if (changed)
            assert_int_equal(set.changed_us, i);
        count += add && !is_set[i];
        count -= !add && is_set[i];
        is_set[i] = add;
        assert_int_equal(set.table.count, count);
    }
    size_t early = 0;
    for (size_t i = 0; i < 100; i++)
        early += is_set[i];
    assert_int_equal(child_watches_since(&set, 99), early);
    child_watches_restart(&set, 500);
    assert_int_equal(set.changed_us, 500);
    assert_int_equal(child_watches_since(&set, 499), 0);
    assert_int_equal(child_watches_since(&set, 500), count);
    child_watches_clear(&set);
    assert_int_equal(child_watches_since(&set, INT64_MAX), 0);
}

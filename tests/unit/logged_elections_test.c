/* Proves that a tree in which there is no room tells nothing of what it left out. */

#include <stdio.h>
#include <string.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/election/vacancy.h"
#include "probe/transactions/logged_elections.h"
#include "probe/transactions/znode_tree.h"
#include "tests/support/test.h"

#define MOST ((size_t)1 << 20)
#define DIRECTORY "/services/election"

struct world {
    struct settings settings;
    struct cluster_settings cluster;
    struct election_settings election;
    struct model *model;
    struct znode_tree *tree;
    struct logged_elections *elections;
    int64_t zxid, us;
};

static void world_begin(struct world *w, char *acknowledgement)
{
    char *error = NULL;
    *w = (struct world){.us = 1000000000};
    w->election = (struct election_settings){.path = (char *)(uintptr_t)DIRECTORY,
                                             .recipe = (char *)(uintptr_t) "curator-latch",
                                             .kind = KIND_LEADER,
                                             .acknowledgement = acknowledgement,
                                             .allow = {.vacancy_ms = 5000, .failover_ms = 10000}};
    w->cluster = (struct cluster_settings){.name = (char *)(uintptr_t) "",
                                           .hosts = (char *)(uintptr_t) "h",
                                           .elections = &w->election,
                                           .election_count = 1};
    w->settings = (struct settings){.clusters = &w->cluster, .cluster_count = 1};
    w->model = model_new(&w->settings, &error);
    assert_non_null(w->model);
    w->tree = znode_tree_new(MOST);
    w->elections = logged_elections_new(w->tree, w->model, &w->settings, NULL, false);
    assert_non_null(w->elections);
    struct moment at = {w->us, w->us};
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = at, .connection.state = CONNECTION_CONNECTED};
    model_observe(w->model, &o);
    logged_elections_show(w->elections, at);
}

static void world_end(struct world *w)
{
    logged_elections_free(w->elections);
    znode_tree_free(w->tree);
    model_free(w->model);
}

static const struct election *world_settle(struct world *w)
{
    w->us += 1000;
    logged_elections_settle(w->elections, (struct moment){w->us, w->us});
    w->us += 20000000;
    struct observation o = {.kind = OBSERVED_TICK, .at = {w->us, w->us}};
    model_observe(w->model, &o);
    const struct election *election = model_election(w->model, 0, DIRECTORY);
    assert_non_null(election);
    return election;
}

static struct transaction next_of(struct world *w, uint64_t session)
{
    return (struct transaction){.session = session, .zxid = ++w->zxid, .time_ms = w->us / 1000 + w->zxid};
}

static struct znode *create(struct world *w, const char *path, uint64_t session, const char *data)
{
    struct transaction t = next_of(w, session);
    struct znode_change change = {.path = path,
                                  .path_length = strlen(path),
                                  .data = (const unsigned char *)data,
                                  .data_length = strlen(data),
                                  .sort = session ? ZNODE_EPHEMERAL : ZNODE_PERSISTENT,
                                  .creations = -1};
    struct znode *node = znode_tree_created(w->tree, &t, &change);
    if (node)
        logged_elections_changed(w->elections, node, true);
    else
        logged_elections_left_out(w->elections, path);
    return node;
}

static void end(struct world *w, const char *path)
{
    static const struct observed_transaction deed = {.deed = DEED_CLOSED};
    struct znode *node = znode_tree_find(w->tree, path, strlen(path));
    assert_non_null(node);
    logged_elections_deleted(w->elections, node, &deed, (struct moment){w->us, w->us});
    znode_tree_deleted(w->tree, path, strlen(path), ++w->zxid);
}

static void fill(struct world *w)
{
    struct znode *node = create(w, "/filler", 99, "");
    assert_non_null(node);
    znode_tree_weigh(w->tree, node, MOST);
    assert_true(znode_tree_is_full(w->tree));
}

#define FIRST DIRECTORY "/_c_0d3ae41c-2c25-4463-a372-c27e6eb3db1a-latch-0000000000"
#define SECOND DIRECTORY "/_c_1d3ae41c-2c25-4463-a372-c27e6eb3db1a-latch-0000000001"

/* The leader goes, and its successor was left out: who leads is not known, and that nobody does is not told. */
TEST(a_candidate_is_left_out)
{
    struct world w;
    world_begin(&w, NULL);
    create(&w, DIRECTORY, 0, "");
    create(&w, FIRST, 1, "a");
    assert_int_equal(world_settle(&w)->state, ELECTION_LED);
    fill(&w);
    assert_null(create(&w, SECOND, 2, "b"));
    assert_false(world_settle(&w)->fresh);
    assert_non_null(strstr(world_settle(&w)->problem, "for want of memory"));
    end(&w, FIRST);
    const struct election *election = world_settle(&w);
    assert_false(election->fresh);
    assert_int_equal(election->state, ELECTION_ELECTING);
    assert_int_equal(election->finding_count, 0);
    /* A list that is whole again shows them all. */
    znode_tree_weigh(w.tree, znode_tree_find(w.tree, "/filler", 7), 0);
    struct znode *own = znode_tree_find(w.tree, DIRECTORY, strlen(DIRECTORY));
    own->short_of_children = false;
    logged_elections_changed(w.elections, znode_tree_named(w.tree, SECOND), true);
    logged_elections_changed(w.elections, own, false);
    election = world_settle(&w);
    assert_true(election->fresh);
    assert_int_equal(election->state, ELECTION_LED);
    assert_null(election->problem);
    world_end(&w);
}

/* What an acknowledgement says now is not known; a candidate is who it was. */
TEST(data_is_left_out)
{
    struct world w;
    world_begin(&w, (char *)(uintptr_t) "/services/leader");
    create(&w, DIRECTORY, 0, "");
    create(&w, "/services/leader", 0, "host-1:80");
    create(&w, FIRST, 1, "host-1:80");
    const struct election *election = world_settle(&w);
    assert_int_equal(election->acknowledged, ACK_YES);
    assert_string_equal(election->leader->identity, "host-1:80");
    fill(&w);
    for (size_t i = 0; i < 2; i++) {
        const char *path = i == 0 ? FIRST : "/services/leader";
        struct transaction t = next_of(&w, 1);
        struct znode_change change = {.path = path,
                                      .path_length = strlen(path),
                                      .data = (const unsigned char *)"host-1:81",
                                      .data_length = 9,
                                      .version = 1};
        struct znode *node = znode_tree_data(w.tree, &t, &change);
        assert_non_null(node);
        assert_int_equal(node->data_kept, 0);
        logged_elections_changed(w.elections, node, false);
    }
    election = world_settle(&w);
    assert_string_equal(election->leader->identity, "host-1:80");
    assert_int_equal(election->acknowledged, ACK_UNKNOWN);
    assert_int_equal(election->finding_count, 0);
    world_end(&w);
}

/* Packets show no counter of a directory: it is as high as the numbers of its children, at least. */
TEST(numbers_count)
{
    struct znode_tree *tree = znode_tree_new(MOST);
    struct znode *directory = znode_tree_named(tree, DIRECTORY);
    assert_non_null(znode_tree_named(tree, DIRECTORY "/n-0000000017"));
    assert_non_null(znode_tree_named(tree, DIRECTORY "/n-0000000018"));
    struct znode_stat stat = znode_stat_of(directory);
    assert_int_equal(stat.children, 2);
    assert_int_equal((stat.cversion + stat.children) / 2, 19);
    /* One that was found later, and that was counted by then. */
    assert_non_null(znode_tree_named(tree, DIRECTORY "/n-0000000016"));
    stat = znode_stat_of(directory);
    assert_int_equal(stat.children, 3);
    assert_int_equal((stat.cversion + stat.children) / 2, 19);
    znode_tree_free(tree);
}

/* Logs show each change: what has no owner is not read again, and grows older all the same. */
TEST(a_leftover_grows_old)
{
    struct world w;
    world_begin(&w, NULL);
    create(&w, DIRECTORY, 0, "");
    create(&w, FIRST, 0, "a");
    create(&w, SECOND, 7, "b");
    const struct election *election = world_settle(&w);
    assert_string_equal(election->leader->name, strrchr(FIRST, '/') + 1);
    assert_false(vacancy_is_denied(election));
    election = world_settle(&w);
    assert_true(vacancy_is_denied(election));
    const struct finding *finding = election->findings[0];
    assert_int_equal(finding->code, FINDING_PERSISTENT_CANDIDATE);
    assert_int_equal(finding->certainty, CERTAINTY_CERTAIN);
    assert_non_null(strstr(finding->evidence, "no session owns it: it is persistent; "));
    assert_null(election_tenure_at(election, election->tenure_count - 1)->name);
    world_end(&w);
}

/* A log may have many paths of a megabyte: they are kept as far as there is room, and others all the same. */
TEST(long_paths_are_bounded)
{
    static char path[100001];
    struct znode_tree *tree = znode_tree_new(0);
    struct transaction t = {.session = 7};
    struct znode_change change = {.path = path, .path_length = 100000, .sort = ZNODE_EPHEMERAL};
    memset(path, 'y', 100000);
    size_t kept = 0;
    for (t.zxid = 1; t.zxid <= 2000; t.zxid++) {
        path[snprintf(path, 32, "/directory%d", (int)t.zxid)] = '/';
        kept += znode_tree_created(tree, &t, &change) != NULL;
    }
    assert_in_range(kept, 50, 200);
    change.path_length = 1000;
    assert_non_null(znode_tree_created(tree, &t, &change));
    znode_tree_free(tree);
}

#include "tests/support/scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/case/case_file.h"

#define NOW_WALL_US INT64_C(1795183402104000)
#define NOW_MONO_US INT64_C(1000000000)

struct moment scripted_now(void)
{
    return scripted_at(0);
}

struct moment scripted_at(double seconds)
{
    int64_t us = (int64_t)(seconds * 1e6);
    return (struct moment){.mono_us = NOW_MONO_US + us, .wall_us = NOW_WALL_US + us};
}

void scripted_run(const struct settings *settings, struct buffer *blocks)
{
    char *error;
    struct observation o = {.kind = OBSERVED_TICK, .at = scripted_now()};
    struct model *model = model_new(scripted_settings(), &error);
    struct case_writer *writer = case_writer_new(settings, model);
    case_writer_observe(writer, &o);
    case_writer_take(writer, blocks);
    case_writer_close(writer, &error);
    model_free(model);
}

#define ALLOW                                                                                                \
    {                                                                                                        \
        .vacancy_ms = 5000, .failover_ms = 10000, .silent_percent = 66, .leader_changes = 3,                 \
        .leader_changes_ms = 600000                                                                          \
    }

const struct settings *scripted_settings(void)
{
    static char prod[] = "prod", hosts[] = "zk1:2181,zk2:2181", test[] = "test", test_hosts[] = "zk9:2181";
    static char automatic[] = "auto", path[] = "/election", orders[] = "orders", hostile[] = "/hostile",
                vacant[] = "/vacant", nowhere[] = "/nowhere", closed[] = "/closed", lock[] = "/free/lock",
                unread[] = "/unread";
    static struct election_settings elections[] = {
        {.path = path, .name = orders, .recipe = automatic, .allow = ALLOW},
        {.path = vacant, .recipe = automatic, .allow = ALLOW},
        {.path = lock, .kind = KIND_LOCK, .recipe = automatic, .allow = ALLOW},
        {.path = nowhere, .recipe = automatic, .allow = ALLOW},
        {.path = closed, .recipe = automatic, .allow = ALLOW},
        {.path = hostile, .recipe = automatic, .allow = ALLOW},
    };
    static struct election_settings away[] = {{.path = unread, .recipe = automatic, .allow = ALLOW}};
    static struct cluster_settings clusters[] = {
        {.name = prod,
         .hosts = hosts,
         .session_timeout_ms = 10000,
         .elections = elections,
         .election_count = 6},
        {.name = test,
         .hosts = test_hosts,
         .session_timeout_ms = 10000,
         .elections = away,
         .election_count = 1},
    };
    static const struct settings settings = {.clusters = clusters, .cluster_count = 2};
    return &settings;
}

void scripted_connect(struct model *model, unsigned cluster, double at, enum connection_state state,
                      const char *problem)
{
    model_observe(model, &(struct observation){
                             .kind = OBSERVED_CONNECTION,
                             .at = scripted_at(at),
                             .cluster = cluster,
                             .connection = {.state = state,
                                            .session = state == CONNECTION_CONNECTED ? 0x100002a4d0a00ff : 0,
                                            .timeout_ms = 10000,
                                            .server = state == CONNECTION_CONNECTED ? "zk1:2181" : NULL,
                                            .problem = problem},
                         });
}

void scripted_server(struct model *model, unsigned cluster, const char *address, enum server_mode mode,
                     int64_t answer_us, const char *problem)
{
    model_observe(model, &(struct observation){
                             .kind = OBSERVED_SERVER,
                             .at = scripted_at(-1),
                             .cluster = cluster,
                             .server = {.address = address,
                                        .reachable = !problem,
                                        .mode = mode,
                                        .answer_us = answer_us,
                                        .zxid = -1,
                                        .connections = -1,
                                        .version = problem ? NULL : "3.8.0",
                                        .problem = problem},
                         });
}

void scripted_watch(struct model *model, unsigned cluster, const char *path, double at)
{
    const struct cluster_settings *settings = &scripted_settings()->clusters[cluster];
    const struct election_settings *election = &settings->elections[0];
    for (size_t i = 0; i < settings->election_count; i++)
        if (strcmp(settings->elections[i].path, path) == 0)
            election = &settings->elections[i];
    model_observe(model, &(struct observation){
                             .kind = OBSERVED_ELECTION,
                             .at = scripted_at(at),
                             .cluster = cluster,
                             .election = path,
                             .path = path,
                             .subject = {.origin = ORIGIN_CONFIGURED, .settings = election},
                         });
}

static struct znode_stat stat_of(const struct scripted_node *node, int64_t zxid)
{
    return (struct znode_stat){.czxid = zxid,
                               .mzxid = zxid,
                               .pzxid = zxid,
                               .ctime_ms = scripted_at(node->created).wall_us / 1000,
                               .mtime_ms = scripted_at(node->created).wall_us / 1000,
                               .data_length = node->data ? (int32_t)strlen(node->data) : 0,
                               .owner = node->owner};
}

void scripted_list(struct model *model, unsigned cluster, const char *path, double at, int32_t cversion,
                   const struct scripted_node *nodes, size_t count)
{
    char names[16][256], *pointers[16], full[512];
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s", nodes[i].name);
        pointers[i] = names[i];
    }
    struct znode_stat directory = {.czxid = 1,
                                   .mzxid = 1,
                                   .pzxid = cversion + 1,
                                   .ctime_ms = scripted_at(-1e6).wall_us / 1000,
                                   .cversion = cversion,
                                   .children = (int32_t)count};
    model_observe(model, &(struct observation){
                             .kind = OBSERVED_CHILDREN,
                             .at = scripted_at(at),
                             .cluster = cluster,
                             .election = path,
                             .path = path,
                             .children = {.stat = &directory, .names = pointers, .count = count},
                         });
    for (size_t i = 0; i < count; i++) {
        struct znode_stat stat = stat_of(&nodes[i], (int64_t)i + 2);
        snprintf(full, sizeof full, "%s/%s", path, nodes[i].name);
        model_observe(model, &(struct observation){
                                 .kind = OBSERVED_NODE,
                                 .at = scripted_at(at),
                                 .cluster = cluster,
                                 .election = path,
                                 .path = full,
                                 .node = {.stat = &stat,
                                          .has_data = true,
                                          .data = nodes[i].data ? nodes[i].data : "",
                                          .data_length = nodes[i].data ? strlen(nodes[i].data) : 0},
                             });
    }
}

void scripted_absent(struct model *model, unsigned cluster, const char *path, const char *node, double at)
{
    model_observe(model, &(struct observation){.kind = OBSERVED_ABSENT,
                                               .at = scripted_at(at),
                                               .cluster = cluster,
                                               .election = path,
                                               .path = node});
}

void scripted_denied(struct model *model, unsigned cluster, const char *path, double at)
{
    model_observe(model, &(struct observation){.kind = OBSERVED_DENIED,
                                               .at = scripted_at(at),
                                               .cluster = cluster,
                                               .election = path,
                                               .path = path});
}

struct model *scripted_world(void)
{
    static const struct scripted_node standing[] = {
        {"n_0000000045", 0x200002a4d0a0001, -7860, "10.0.3.19:39920"},
        {"n_0000000042", 0x100002a4d0a0001, -275538, "10.0.3.17:51234"},
        {"n_0000000043", 0x100002a4d0a0003, -275530, "10.0.3.18:40112"},
        {"config", 0, -275600, NULL},
        {"n_0000000050", 0xf00002a4d0a0011, -3, NULL},
    };
    static const struct scripted_node hostile[] = {
        {"\x1b[2J\xffz-0000000007", 0x100002a4d0a0007, -60, "bidi \xe2\x80\xae live"},
        {"\"quoted\\\"z-0000000008", 0x100002a4d0a0008, -59, "\xe4\xb8\xad\xe6\x96\x87:2181"},
    };
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    assert_non_null(model);
    scripted_connect(model, 0, -10, CONNECTION_CONNECTED, NULL);
    scripted_connect(model, 1, -10, CONNECTION_CONNECTING, "connection refused");
    scripted_server(model, 0, "zk1:2181", SERVER_LEADER, 600, NULL);
    scripted_server(model, 0, "zk2:2181", SERVER_UNKNOWN, -1, "no answer within 1s");
    const struct settings *settings = scripted_settings();
    for (unsigned cluster = 0; cluster < 2; cluster++)
        for (size_t i = 0; i < settings->clusters[cluster].election_count; i++)
            scripted_watch(model, cluster, settings->clusters[cluster].elections[i].path, -9);
    scripted_list(model, 0, "/election", -8, 97, standing, 5);
    scripted_list(model, 0, "/vacant", -7.2, 14, NULL, 0);
    scripted_list(model, 0, "/free/lock", -7, 4, NULL, 0);
    scripted_absent(model, 0, "/nowhere", "/nowhere", -6);
    scripted_denied(model, 0, "/closed", -5);
    scripted_list(model, 0, "/hostile", -4, 16, hostile, 2);
    return model;
}

/* What a server does that endangers elections, and that a healthy one is not accused of it. */

#include <string.h>

#include "probe/election/dangers.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"

/* A server that answers, in a cluster with sessions of ten seconds. */
static struct server healthy(void)
{
    return (struct server){.address = (char *)(uintptr_t) "zk1:2181",
                           .reachable = true,
                           .mode = SERVER_FOLLOWER,
                           .answer_us = 500,
                           .zxid = 0x500000001,
                           .answers_us = {500, 600, 700},
                           .answer_count = 3,
                           .load = {.latency_avg_us = 400, .address_connections_most = 60},
                           .busiest_connections = 12,
                           .lag = 0};
}

static size_t count_of(const struct server *server, const char *code)
{
    struct stage *stage = scene_chain();
    const struct cluster *cluster = &stage_model(stage)->clusters[0];
    struct server_danger dangers[SERVER_DANGERS_MOST];
    size_t count = server_dangers(cluster, server, dangers), found = 0;
    assert_int_equal(cluster_shortest_timeout_ms(cluster), 10000);
    for (size_t i = 0; i < count; i++) {
        assert_true(dangers[i].evidence[0] != '\0' && dangers[i].advice[0] != '\0');
        found += code == NULL || strcmp(dangers[i].code, code) == 0;
    }
    stage_free(stage);
    return found;
}

TEST(accuses_no_healthy_server)
{
    struct server server = healthy();
    assert_int_equal(count_of(&server, NULL), 0);
}

TEST(finds_each)
{
    struct server server = healthy();
    server.mode = SERVER_READ_ONLY;
    assert_int_equal(count_of(&server, "server-read-only"), 1);

    server = healthy();
    server.lag = 40;
    server.lag_us = 2500000;
    assert_int_equal(count_of(&server, "server-lagging"), 1);
    server.lag_us = 100000; /* everybody is behind for a moment */
    assert_int_equal(count_of(&server, NULL), 0);

    server = healthy();
    server.busiest_connections = 54;
    strcpy(server.busiest_address, "10.0.0.7");
    assert_int_equal(count_of(&server, "server-connections"), 1);
    server.load.address_connections_most = 0; /* no limit */
    assert_int_equal(count_of(&server, NULL), 0);

    server = healthy();
    for (int i = 0; i < 3; i++)
        server.answers_us[i] = 3400000;
    assert_int_equal(count_of(&server, "server-slow"), 1);
    server.answers_us[1] = 500; /* two slow ones of three may be a pause of ours */
    assert_int_equal(count_of(&server, NULL), 0);

    server = healthy();
    server.load.slow_fsyncs = 12; /* some time since it started */
    assert_int_equal(count_of(&server, NULL), 0);
    server.slow_fsync = (struct moment){1000000, 1000000};
    assert_int_equal(count_of(&server, "server-slow-disk"), 1);

    server = healthy();
    server.hidden[HIDDEN_WATCHES] = (char *)(uintptr_t) "AdminServer does not answer";
    assert_int_equal(count_of(&server, "server-hides-watches"), 1);
}

/* Of one that does not answer nothing is known now. */
TEST(says_nothing_of_the_silent)
{
    struct server server = healthy();
    server.mode = SERVER_READ_ONLY;
    server.reachable = false;
    assert_int_equal(count_of(&server, NULL), 0);
}

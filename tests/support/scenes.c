#include "tests/support/scenes.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const one[] = {"prod", NULL};

static const struct stand election[] = {
    {"n_0000000042", 0x100002a4d0a0001, "10.0.3.17:51234", 3 * 86400 + 4 * 3600},
    {"n_0000000043", 0x100002a4d0a0003, "10.0.3.18:40112", 3 * 86400 + 4 * 3600 - 20},
    {"n_0000000045", 0x200002a4d0a0001, "10.0.3.19:39920", 7860},
    {"n_0000000047", 0x200002a4d0a0004, "10.0.3.20:58122", 720},
    {"n_0000000048", 0x200002a4d0a0005,
     "{\"host\":\"10.0.3.21\",\"port\":40100,\"tags\":[\"a\",\"b\"],"
     "\"build\":{\"version\":\"2.4.1\",\"time\":1795176000}}",
     719},
    {"n_0000000049", 0x300002a4d0a0009, NULL, 660},
    {"n_0000000050", 0x100002a4d0a0011, "test candidate", 3},
};

#define LATCH "_c_6f1b2c3d-9a1e-4b5f-8c7d-0123456789a"
static const struct stand druid_before[] = {
    {LATCH "0-latch-0000000116", 0x100002a4d0a0021, "host-a:8081", 90000},
    {LATCH "1-latch-0000000117", 0x100002a4d0a0022, "host-b:8081", 80000},
    {LATCH "2-latch-0000000118", 0x100002a4d0a0023, "host-c:8081", 70000},
};
static const struct stand druid_after[] = {
    {LATCH "1-latch-0000000117", 0x100002a4d0a0022, "host-b:8081", 80000},
    {LATCH "2-latch-0000000118", 0x100002a4d0a0023, "host-c:8081", 70000},
    {LATCH "3-latch-0000000119", 0x100002a4d0a0024, "host-a:8081", 0},
};
static const struct stand orders[] = {
    {"n_0000000007", 0x100002a4d0a0031, "10.0.3.9:4711", 5000},
};
static const struct stand ballots[] = {
    {"ballot0000000003", 0x100002a4d0a0041, "app-1", 4000},
    {"ballot0000000004", 0x100002a4d0a0042, "app-2", 3000},
    {"config", 0, "no candidate", 9000},
};

static void druid_changes(struct stage *stage)
{
    static const char path[] = "/druid/coordinator/_COORDINATOR";

    stage_until(stage, 13, 20, 0, 0);
    stage_absent(stage, 0, path, "/druid/coordinator/_COORDINATOR/" LATCH "0-latch-0000000116");
    stage_pass(stage, 1800);
    stage_children(stage, 0, path, druid_after, 2, 0, 0);
    stage_until(stage, 13, 20, 3, 500);
    stage_children(stage, 0, path, druid_after, 3, 0, 0);
    stage_until(stage, 13, 44, 30, 0);
    stage_children(stage, 0, path, druid_after + 1, 2, 0, 1);
}

struct stage *scene_usual(void)
{
    struct stage *stage = stage_new(one);
    const struct stand kafka = {"controller", 0x100002a4d0a0051, "{\"version\":1,\"brokerid\":2}", 3900};
    const struct stand ack = {"leader_ack", 0x100002a4d0a0041, "app-1", 3900};

    stage_until(stage, 13, 0, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_server(stage, 0, "zk1:2181", SERVER_LEADER, 410, NULL);
    stage_server(stage, 0, "zk2:2181", SERVER_FOLLOWER, 620, NULL);
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, "/druid/coordinator/_COORDINATOR", "druid/coordinator", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/orders/election", "orders", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/kafka/controller", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, "/_zkelection/app", "app", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/locks/nightly-job", "nightly-job", KIND_LOCK, NULL);
    stage_watch(stage, 0, "/teams/blue/leader", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, "/secret/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", election, COUNT(election), 51, 0);
    stage_children(stage, 0, "/druid/coordinator/_COORDINATOR", druid_before, COUNT(druid_before), 119, 0);
    stage_children(stage, 0, "/orders/election", orders, COUNT(orders), 8, 0);
    stage_node(stage, 0, "/kafka/controller", "/kafka/controller", &kafka);
    stage_children(stage, 0, "/_zkelection/app", ballots, COUNT(ballots), 5, 0);
    stage_node(stage, 0, "/_zkelection/app", "/_zkelection/app/leader_ack", &ack);
    stage_children(stage, 0, "/locks/nightly-job", NULL, 0, 12, 0);
    stage_absent(stage, 0, "/teams/blue/leader", "/teams/blue/leader");
    stage_denied(stage, 0, "/secret/election");
    druid_changes(stage);
    stage_until(stage, 14, 1, 2, 500);
    stage_absent(stage, 0, "/_zkelection/app", "/_zkelection/app/ballot0000000003");
    stage_absent(stage, 0, "/_zkelection/app", "/_zkelection/app/leader_ack");
    stage_pass(stage, 900);
    stage_children(stage, 0, "/_zkelection/app", ballots + 1, 2, 0, 0);
    stage_until(stage, 14, 3, 15, 200);
    stage_absent(stage, 0, "/orders/election", "/orders/election/n_0000000007");
    stage_pass(stage, 1100);
    stage_children(stage, 0, "/orders/election", NULL, 0, 0, 0);
    stage_server(stage, 0, "zk3:2181", SERVER_UNKNOWN, -1, "no answer");
    stage_whole(stage, 0);
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

static const struct stand in_line[] = {
    {"n_0000000042", 0x100002a4d0a0001, "10.0.3.17:51234", 3 * 86400 + 4 * 3600},
    {"n_0000000043", 0x100002a4d0a0003, "10.0.3.18:40112", 3 * 86400 + 4 * 3600 - 20},
    {"n_0000000045", 0x200002a4d0a0001, "10.0.3.19:39920", 7860},
    {"n_0000000047", 0x200002a4d0a0004, NULL, 720},
    {"n_0000000048", 0x200002a4d0a0005, "10.0.3.21:40100", 719},
    {"n_0000000049", 0x300002a4d0a0009, "10.0.3.22:40771", 660},
    {"n_0000000050", 0x100002a4d0a0011, "test candidate", 300},
};
#define DRUID "/druid/coordinator/_COORDINATOR"
static const char kafka_path[] = "/kafka/controller";

static const struct shown on_zk1[] = {
    {0x100002a4d0a0001, "10.0.3.17:51234", 812, {NULL}},
    {0x100002a4d0a0003, "10.0.3.18:40112", 1140, {"/election/n_0000000042"}},
    {0x100002a4d0a0011, "10.0.3.23:33001", 120, {"/election/n_0000000042"}},
    {0x100002a4d0a0021, "10.0.4.1:50001", 7300, {NULL}},
    {0x100002a4d0a0022, "10.0.4.2:50002", 300, {DRUID "/" LATCH "0-latch-0000000116"}},
    {0x100002a4d0a0051, "10.0.5.1:9092", 400, {NULL}},
    {0x100002a4d0a0052, "10.0.5.2:9092", 500, {"/kafka/controller", "/brokers/ids"}},
};
static const struct shown on_zk2[] = {
    {0x200002a4d0a0001, "10.0.3.19:39920", 210, {"/election/n_0000000043"}},
    {0x200002a4d0a0004, "10.0.3.20:58122", 910, {NULL}},
    {0x200002a4d0a0005, "10.0.3.21:40100", 430, {"/election/n_0000000047", "/jobs/n_0000000007"}},
    {0x100002a4d0a0023, "10.0.4.3:50003", 250, {DRUID "/" LATCH "1-latch-0000000117"}},
};

static const struct shown on_zk3[] = {
    {0x300002a4d0a0009, "10.0.3.22:40771", 600, {"/election/n_0000000048"}},
};

static struct stage *chain_begin(void)
{
    struct stage *stage = stage_new(one);
    const struct stand kafka = {"controller", 0x100002a4d0a0051, "{\"version\":1,\"brokerid\":2}", 3900};

    stage_until(stage, 13, 57, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_server(stage, 0, "zk1:2181", SERVER_LEADER, 410, NULL);
    stage_server(stage, 0, "zk2:2181", SERVER_FOLLOWER, 620, NULL);
    stage_server(stage, 0, "zk3:2181", SERVER_FOLLOWER, 580, NULL);
    stage_whole(stage, 0);
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, DRUID, "druid/coordinator", KIND_LEADER, NULL);
    stage_watch(stage, 0, kafka_path, NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", in_line, COUNT(in_line), 51, 0);
    stage_children(stage, 0, DRUID, druid_before, COUNT(druid_before), 119, 0);
    stage_node(stage, 0, kafka_path, kafka_path, &kafka);
    return stage;
}

struct stage *scene_chain(void)
{
    static const char silent[] = "no answer";
    struct stage *stage = chain_begin();

    for (int round = 0; round < 4; round++) {
        stage_until(stage, 13, 57, 40 + 10 * round, 0);
        stage_round(stage, 0, "zk1:2181", on_zk1, COUNT(on_zk1));
        stage_round(stage, 0, "zk2:2181", on_zk2, COUNT(on_zk2));
        stage_round(stage, 0, "zk3:2181", on_zk3, COUNT(on_zk3));
    }
    stage_synced(stage, 0, "/election");
    stage_synced(stage, 0, DRUID);
    stage_until(stage, 14, 3, 10, 0);
    stage_server(stage, 0, "zk3:2181", SERVER_UNKNOWN, -1, silent);
    for (int part = HIDDEN_CONNECTIONS; part <= HIDDEN_SESSIONS; part++)
        stage_hidden(stage, 0, "zk3:2181", (enum hidden_part)part, silent);
    stage_until(stage, 14, 3, 20, 0);
    stage_round(stage, 0, "zk1:2181", on_zk1, COUNT(on_zk1));
    stage_round(stage, 0, "zk2:2181", on_zk2, COUNT(on_zk2));
    stage_synced(stage, 0, "/election");
    stage_synced(stage, 0, DRUID);
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_hidden(void)
{
    static const char off[] =
        "AdminServer does not answer on port 8080, and \"wchc\" is not in the whitelist; "
        "switch AdminServer on (admin.enableServer=true), or name its port with --admin";
    struct stage *stage = chain_begin();

    stage_until(stage, 13, 58, 0, 0);
    for (int part = HIDDEN_CONNECTIONS; part <= HIDDEN_SESSIONS; part++) {
        stage_hidden(stage, 0, "zk1:2181", (enum hidden_part)part, off);
        stage_hidden(stage, 0, "zk2:2181", (enum hidden_part)part, off);
        stage_hidden(stage, 0, "zk3:2181", (enum hidden_part)part, off);
    }
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_unasked(void)
{
    static const char off[] =
        "neither AdminServer nor four-letter words are used; set admin: 8080 or four_letter: auto";
    static const char *const servers[] = {"zk1:2181", "zk2:2181", "zk3:2181"};
    struct stage *stage = chain_begin();

    for (size_t i = 0; i < COUNT(servers); i++) {
        stage_unasked(stage, 0, servers[i], i == 0);
        for (int part = HIDDEN_CONNECTIONS; part <= HIDDEN_SESSIONS; part++)
            stage_hidden(stage, 0, servers[i], (enum hidden_part)part, off);
    }
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_clusters(void)
{
    static const char *const three[] = {"prod", "staging", "lab", NULL};
    struct stage *stage = stage_new(three);

    stage_until(stage, 13, 30, 0, 0);
    stage_disconnected(stage, 2, "connection refused");
    stage_connected(stage, 0, "prod-zk1:2181");
    stage_connected(stage, 1, "staging-zk2:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, "/orders/election", "orders", KIND_LEADER, NULL);
    stage_watch(stage, 1, "/election", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 2, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", election, COUNT(election), 51, 0);
    stage_children(stage, 0, "/orders/election", orders, COUNT(orders), 8, 0);
    stage_children(stage, 1, "/election", election + 1, 3, 48, 0);
    stage_until(stage, 14, 3, 10, 0);
    stage_disconnected(stage, 1, "no quorum");
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_hostile(void)
{
    static const struct stand stands[] = {
        {"n_\x1b[31mred\x1b[0m\x07_0000000001", 0x1, "\x1b]0;owned\x07\x1b[2J", 100},
        {"n_\xff\xfe_0000000002", 0x2,
         "\xe2\x80\xae"
         "txet\xc3",
         90},
        {"n_\xe9\x81\xb8\xe6\x8c\x99_0000000003", 0x3,
         "\xe6\x9d\xb1\xe4\xba\xac\xe3\x83\x9b\xe3\x82\xb9\xe3\x83\x88:8080", 80},
        {"n_e\xcc\x81\xcc\x82\xcc\x83_0000000004", 0x4, "cafe\xcc\x81:80", 70},
        {"n_\xd7\x90\xd7\x91\xd7\x92_0000000005", 0x5, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d:1", 60},
        {"n_line\nbreak\t_0000000006", 0x6, "two\nlines\r\n\tof it", 50},
        {"n_\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb_0000000007", 0x7, "%s%n%x", 40},
    };
    static const struct stand long_name[] = {
        {"n_"
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjj"
         "j"
         "kkkkkkkkkkllllllllllmmmmmmmmmmnnnnnnnnnnooooooooooppppppppppqqqqqqqqqqrrrrrrrrrr_0000000009",
         0x9, "a-host-with-a-very-long-name.in-a-deep-zone.of-some-data-centre.example.com:12345", 10},
    };
    struct stage *stage = stage_new(one);

    stage_until(stage, 14, 0, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/hostile/election", "\x1b[5mblink\x1b]52;c;eA==\x07", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/long/election",
                "a name that goes on and on, as somebody thought that it had to be like this", KIND_LEADER,
                NULL);
    stage_children(stage, 0, "/hostile/election", stands, COUNT(stands), 8, 0);
    stage_children(stage, 0, "/long/election", long_name, 1, 10, 0);
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

#define POD "payments-scheduler-7d9f8b6c54-"
static const struct stand pods[] = {
    {"n_0000000118", 0x100002a4d0a0101, POD "x2x7q", 86400},
    {"n_0000000119", 0x100002a4d0a0102, POD "k8s2p", 80000},
    {"n_0000000120", 0x100002a4d0a0103, POD "m4n9z", 70000},
    {"n_0000000121", 0x100002a4d0a0104, POD "2lq9w", 60000},
    {"n_0000000122", 0x100002a4d0a0105, POD "tt8xz", 50000},
};

struct stage *scene_pods(void)
{
    static const char *const overseers[] = {"/solr-eu-west/overseer_elect/election",
                                            "/solr-eu-north/overseer_elect/election",
                                            "/solr-us-east/overseer_elect/election"};
    static const struct shown on_zk1_pods[] = {
        {0x100002a4d0a0101, "10.42.0.17:51234", 812, {NULL}},
        {0x100002a4d0a0102, "10.42.0.18:40112", 1140, {"/payments/leader/n_0000000118"}},
        {0x100002a4d0a0103, "10.42.0.19:33001", 120, {"/payments/leader/n_0000000119"}},
        {0x100002a4d0a0104, "10.42.0.20:33001", 120, {NULL}},
        {0x100002a4d0a0105, "10.42.0.21:33001", 120, {"/payments/leader/n_0000000121"}},
    };
    struct stage *stage = stage_new(one);

    stage_until(stage, 13, 20, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_server(stage, 0, "zk1:2181", SERVER_STANDALONE, 410, NULL);
    stage_watch(stage, 0, "/payments/leader", NULL, KIND_LEADER, NULL);
    stage_watch(stage, 0, "/billing/1", "billing leader of the tenant, blue stage1", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/billing/2", "billing leader of the client, blue stage1", KIND_LEADER, NULL);
    stage_children(stage, 0, "/payments/leader", pods, COUNT(pods), 123, 0);
    stage_children(stage, 0, "/billing/1", election, 1, 51, 0);
    stage_children(stage, 0, "/billing/2", election + 2, 1, 51, 0);
    for (size_t i = 0; i < COUNT(overseers); i++) {
        stage_watch(stage, 0, overseers[i], NULL, KIND_LEADER, NULL);
        stage_children(stage, 0, overseers[i], pods + i, 1, 123, 0);
    }
    for (int round = 0; round < 4; round++) {
        stage_pass(stage, INT64_C(10000000));
        stage_round(stage, 0, "zk1:2181", on_zk1_pods, COUNT(on_zk1_pods));
    }
    stage_until(stage, 13, 58, 0, 0);
    stage_absent(stage, 0, "/payments/leader", "/payments/leader/n_0000000118");
    stage_pass(stage, 1800);
    stage_children(stage, 0, "/payments/leader", pods + 1, 4, 0, 0);
    stage_until(stage, 14, 1, 0, 0);
    stage_absent(stage, 0, "/payments/leader", "/payments/leader/n_0000000119");
    stage_pass(stage, 1800);
    stage_children(stage, 0, "/payments/leader", pods + 2, 3, 0, 0);
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_tenants(void)
{
    static const char *const services[] = {"payments-api", "payments-api-canary", "ledger",
                                           "billing-leader-election", "notification-dispatcher-eu"};
    struct stage *stage = stage_new(one);

    stage_until(stage, 14, 0, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_server(stage, 0, "zk1:2181", SERVER_STANDALONE, 410, NULL);
    for (int i = 0; i < 60; i++) {
        const char *service = services[(size_t)i % COUNT(services)];
        int tenant = i / 5 * 7919 % 100000;
        char path[128], ids[2][64];
        struct stand stands[2];

        snprintf(path, sizeof path, "/namespaces/tenant-%05d-%s/services/%s/leader", tenant,
                 i / 5 % 2 ? "stage" : "prod", service);
        for (int j = 0; j < 2; j++) {
            snprintf(ids[j], sizeof ids[j], "%s-5c7d8f9b6d-x%02dq%d", service, i, j);
            stands[j] = (struct stand){j ? "n_0000000118" : "n_0000000117",
                                       0x100002a4d000000 + (uint64_t)((i + j) % 8), ids[j], 600};
        }
        stage_watch(stage, 0, path, NULL, KIND_LEADER, NULL);
        stage_children(stage, 0, path, stands, 2, 119, 0);
    }
    stage_until(stage, 14, 3, 22, 400);
    return stage;
}

struct stage *scene_crowd(size_t candidates)
{
    struct stage *stage = stage_new(one);
    struct stand *stands = calloc(candidates, sizeof *stands);
    char(*names)[48] = calloc(candidates, sizeof *names);
    char(*data)[32] = calloc(candidates, sizeof *data);

    if (stands == NULL || names == NULL || data == NULL)
        exit(99);
    for (size_t i = 0; i < candidates; i++) {
        snprintf(names[i], sizeof names[i], "n_%010zu", i + 100);
        snprintf(data[i], sizeof data[i], "10.%zu.%zu.%zu:7000", i / 65536 % 256, i / 256 % 256, i % 256);
        stands[i] = (struct stand){names[i], 0x100002a4d000000 + i, data[i], (int64_t)(candidates - i)};
    }
    stage_until(stage, 14, 0, 0, 0);
    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", stands, candidates, (int64_t)candidates + 100, 0);
    stage_until(stage, 14, 3, 22, 400);
    free(stands);
    free(names);
    free(data);
    return stage;
}

struct stage *scene_nothing(void)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});

    stage_connected(stage, 0, "zk1:2181");
    stage_pass(stage, 10 * 1000000);
    return stage;
}

struct stage *scene_unreachable(void)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});

    stage_disconnected(stage, 0, "connection refused");
    stage_pass(stage, 10 * 1000000);
    return stage;
}

/* Proves that every known layout is recognised by real-looking names, and that numbers are read rightly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/recipe.h"
#include "tests/support/test.h"

#define GUID36 "9f1c2d3e-4b5a-6978-8796-a5b4c3d2e1f0"
#define GUID32 "9f1c2d3e4b5a69788796a5b4c3d2e1f0"

static struct recipe_book *book;

static int open_book(void **state)
{
    (void)state;
    char *error = NULL;
    book = recipe_book_new(NULL, 0, &error);
    if (!book)
        print_error("%s\n", error);
    free(error);
    return book ? 0 : -1;
}

static int close_book(void **state)
{
    (void)state;
    recipe_book_free(book);
    return 0;
}

/* Which row a path and one child name lead to, with the number that is read from it. */
static const struct {
    const char *path, *child, *recipe;
    int64_t sequence;
} layouts[] = {
    {"/controller", NULL, "kafka-controller", 0},
    {"/kafka/controller", NULL, "kafka-controller", 0},
    {"/hadoop-ha/ns1/ActiveStandbyElectorLock", NULL, "hdfs-zkfc", 0},
    {"/yarn-leader-election/rm/ActiveStandbyElectorLock", NULL, "yarn", 0},
    {"/yarn-leader-election/rm", "_c_" GUID36 "-latch-0000000004", "curator-latch", 4},
    {"/hbase/master", NULL, "hbase-master", 0},
    {"/hbase-secure/master", NULL, "hbase-master", 0},
    {"/service/batman/leader", NULL, "patroni", 0},
    {"/loadbalance/leader", NULL, "pulsar", 0},
    {"/prod/CONTROLLER/LEADER", NULL, "helix", 0},
    {"/ha/rm1/ActiveStandbyElectorLock", NULL, "hdfs-zkfc", 0},
    {"/otter/canal/destinations/example/running", NULL, "canal", 0},
    {"/canal/destinations/example/1001/running", NULL, "canal-client", 0},
    {"/asab/lmio/election/scheduler", NULL, "asab", 0},
    {"/overseer_elect/election", "72057594037927936-10.0.0.1:8983_solr-n_0000000002", "solr-overseer", 2},
    {"/solr/overseer_elect/election", "-8574853690513424384-h:8983_solr-n_0000000002", "solr-overseer", 2},
    {"/collections/c/leader_elect/shard1/election", "72057594037927936-core_node3-n_0000000000", "solr-shard",
     0},
    {"/job/leader/election/instance", NULL, "elastic-job", 0},
    /* A named path is looked at, also where discovery leaves it out. */
    {"/job/leader/election/latch", "_c_" GUID36 "-latch-0000000001", "curator-latch", 1},
    {"/flink/default/leader/rest/latch", "_c_" GUID36 "-latch-0000000001", "flink-old", 1},
    {"/flink/default/leader/latch", "_c_" GUID36 "-latch-0000000001", "flink", 1},
    {"/spark/leader_election", "_c_" GUID36 "-latch-0000000001", "spark", 1},
    {"/spark/leader_election", "master_0000000001", "spark-old", 1},
    {"/hs2ActivePassiveHA-unsecure/_LEADER", "_c_" GUID36 "-latch-0000000001", "hive", 1},
    {"/hs2ActivePassiveHA-unsecure/instances", "instance-0000000001", NULL, 0},
    {"/dolphinscheduler/lock/master-failover/10.0.0.9:5678", "_c_" GUID36 "-lock-0000000001",
     "dolphinscheduler", 1},
    {"/dolphinscheduler/lock/masters", "_c_" GUID36 "-lock-0000000001", "dolphinscheduler", 1},
    {"/app-wiki-1/wiki-coordinationData/processors", "0000000003", "samza", 3},
    {"/app-wiki-1/wiki-coordinationData/processors", "processor-0000000003", "samza", 3},
    {"/io.vertx/locks/__vertx.l/leases", "_c_" GUID36 "-lease-0000000003", "curator-semaphore-mutex", 3},
    {"/apacheIgnite/n", GUID36 ":" GUID36 ":81|0000000002", "ignite", 2},
    {"/openmldb_cluster/leader", "lock_request0000000002", "openmldb", 2},
    {"/_zklocking/jobs", "ex0000000002", "zk-ruby-lock", 2},
    {"/_zklocking/jobs", "sh0000000002", "zk-ruby-lock", 2},
    {"/dubbo/com.x.MasterService/providers",
     "dubbo%3A%2F%2F10.0.0.1%3A20880%2Fcom.x.MasterService%3Ftimestamp%3D1700000000000", NULL, 0},
    {"/storm/leader-lock", "_c_" GUID36 "-latch-0000000001", "storm", 1},
    {"/nifi/leaders/Cluster Coordinator", "_c_" GUID36 "-lock-0000000001", "nifi", 1},
    {"/druid/coordinator/_COORDINATOR", "_c_" GUID36 "-latch-0000000001", "druid", 1},
    {"/druid/overlord/_OVERLORD", "_c_" GUID36 "-latch-0000000001", "druid", 1},
    {"/marathon/leader-curator", "_c_" GUID36 "-latch-0000000001", "marathon", 1},
    {"/mesos", "json.info_0000000012", "mesos", 12},
    {"/prod/mesos-2", "info_0000000012", "mesos", 12},
    {"/prod/masters", "json.info_0000000012", "mesos-json", 12},
    {"/mesos/log_replicas", "0000000003", "mesos-replicas", 3},
    {"/ledgers/underreplication/auditorelection", "V_0000000000", "bookkeeper-auditor", 0},
    {"/clickhouse/tables/t/leader_election", "leader_election-0000000001", "clickhouse", 1},
    {"/election", "c_0000000000", "course-search", 0},
    {"/app/election", "c_0000000000", "course-search", 0},
    {"/any", "_c_" GUID36 "-latch-0000000007", "curator-latch", 7},
    {"/any", "_c_" GUID36 "-lock-0000000007", "curator-lock", 7},
    {"/any", "_c_" GUID36 "-__READ__0000000007", "curator-rwlock", 7},
    {"/any", "_c_" GUID36 "-__WRIT__0000000007", "curator-rwlock", 7},
    {"/any", "read-" GUID32 "-0000000007", "zookeeper-shared-lock", 7},
    {"/any", "write-0000000007", "zookeeper-shared-lock", 7},
    {"/any", GUID36 "-read-0000000007", "zookeeper-shared-lock", 7},
    {"/any", GUID32 "__lock__0000000007", "kazoo", 7},
    {"/any", GUID32 "__rlock__0000000007", "kazoo", 7},
    {"/any", "_c_" GUID32 "-lock-0000000007", "go-zk-lock", 7},
    {"/election", "_c_" GUID32 "-p_0000000007", "zk-election-go", 7},
    {"/any", "x-72057594037927936-0000000007", "zookeeper-write-lock", 7},
    {"/any", "x--4035225216055574528-0000000007", "zookeeper-write-lock", 7},
    {"/any", "x-0100002a4d0a0001-0000000007", "zookeeper-c-lock", 7},
    {"/_election_", "candidate-72057594037927936_0000000001", "zookeeper-session", 1},
    {"/_election_", "candidate-0x100002a4d0a0001_0000000001", "zookeeper-session", 1},
    {"/accumulo/x/managers/lock", "zlock#" GUID36 "#0000000001", "accumulo", 1},
    {"/accumulo/x/tables/lock", "zlock#" GUID36 "#0000000001", "accumulo-lock", 1},
    {"/_zkelection/jobs", "ballot0000000001", "zk-ruby", 1},
    {"/election", "n_0000000001", "zookeeper", 1},
    {"/ELECTION", "n_0000000001", "zookeeper", 1},
    {"/orders/leader-election", "n_0000000001", "zookeeper", 1},
    {"/orders/masters", "n_0000000001", "zookeeper-support", 1},
    {"/LeaderElection", "n_0000000001", "zookeeper", 1},
    {"/leaderelection", "n_0000000001", "zookeeper", 1},
    /* Short words with a number, and words that contain another one, prove nothing. */
    {"/feature-selection", "n_0000000001", "zookeeper-support", 1},
    {"/selectors", "n_0000000001", "zookeeper-support", 1},
    {"/services/prices", "info_0000000001", "sequence", 1},
    {"/exporters", "ex0000000001", "sequence", 1},
    {"/shards", "sh0000000001", "sequence", 1},
    {"/queue", "qn-0000000001", "sequence", 1},
    {"/queue", "0000000001", "sequence", 1},
    /* Registries, fixed paths without a znode of the kind, and plain directories. */
    {"/workers_service_registry", "n_0000000001", NULL, 0},
    {"/coordinators_service_registry", "n_0000000001", NULL, 0},
    {"/plain", "config", NULL, 0},
    {"/plain", NULL, NULL, 0},
    {"/clickhouse/tables/t/leader_election", "leader_election-0", NULL, 0},
};

/* A hundred times: a pattern that is used often becomes machine code, which must say the same. */
TEST(layouts_are_recognised)
{
    enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };
    for (size_t n = 0; n < 100 * (size_t)LAYOUTS; n++) {
        size_t i = n % LAYOUTS;
        char child[200] = "";
        if (layouts[i].child)
            snprintf(child, sizeof child, "%s", layouts[i].child);
        char *names[] = {child};
        const struct recipe *recipe =
            recipe_recognise(book, layouts[i].path, names, layouts[i].child ? 1 : 0);
        if (!layouts[i].recipe) {
            if (recipe)
                fail_msg("%s %s is taken for %s", layouts[i].path, child, recipe->name);
            continue;
        }
        if (!recipe || strcmp(recipe->name, layouts[i].recipe) != 0)
            fail_msg("%s %s: %s instead of %s", layouts[i].path, child, recipe ? recipe->name : "nothing",
                     layouts[i].recipe);
        struct candidate_name parsed;
        if (layouts[i].child) {
            assert_true(recipe_parse_name(book, recipe, child, &parsed));
            assert_int_equal(parsed.sequence, layouts[i].sequence);
        } else {
            assert_int_equal(recipe->family, FAMILY_LOCK);
        }
    }
}

/* Every row of the table is reached by the cases above, so that a row that can never match is noticed. */
TEST(every_row_is_reached)
{
    for (size_t i = 0; i < recipe_book_count(book); i++) {
        const char *name = recipe_book_at(book, i)->name;
        bool reached = recipe_book_at(book, i) == recipe_any_lock(book);
        for (size_t k = 0; k < sizeof layouts / sizeof layouts[0]; k++)
            reached = reached || (layouts[k].recipe && strcmp(layouts[k].recipe, name) == 0);
        if (!reached)
            fail_msg("no case reaches %s", name);
        assert_ptr_equal(recipe_book_find(book, name), recipe_book_at(book, i));
    }
    assert_null(recipe_book_find(book, "no-such-recipe"));
}

/* The pieces of a name: sessions in both spellings, GUIDs, and who. */
TEST(names_report_more)
{
    struct candidate_name name;
    assert_true(recipe_parse_name(book, recipe_book_find(book, "zookeeper-c-lock"),
                                  "x-0100002a4d0a0001-0000000007", &name));
    assert_true(name.session == 0x100002a4d0a0001u);
    assert_true(recipe_parse_name(book, recipe_book_find(book, "zookeeper-write-lock"),
                                  "x--4035225216055574528-0000000007", &name));
    assert_true(name.session == 0xc800000ba84f0000u);
    assert_true(recipe_parse_name(book, recipe_book_find(book, "zookeeper-session"),
                                  "candidate-0x100002a4d0a0001_0000000001", &name));
    assert_true(name.session == 0x100002a4d0a0001u);
    assert_true(recipe_parse_name(book, recipe_book_find(book, "solr-overseer"),
                                  "72057594037927936-10.0.0.1:8983_solr-n_0000000002", &name));
    assert_int_equal(name.who_length, strlen("10.0.0.1:8983_solr"));
    assert_memory_equal(name.who, "10.0.0.1:8983_solr", name.who_length);
    assert_true(recipe_parse_name(book, recipe_book_find(book, "curator-latch"),
                                  "_c_" GUID36 "-latch-0000000007", &name));
    assert_int_equal(name.guid_length, 36);
    assert_memory_equal(name.guid, GUID36, 36);
    assert_int_equal(name.session, 0);
}

/* The sign trap, overflow, and names that only look as if they ended in a number. */
TEST(sequence_numbers)
{
    static const struct {
        const char *name;
        int64_t sequence;
    } cases[] = {
        {"n_0000000000", 0},
        {"n_2147483647", 2147483647},
        {"latch-0000000007", 7},
        {"_c_" GUID36 "-latch-0000000007", 7},
        {"x-72057594037927936-0000000007", 7},
        {"0000000007", 7},
        {"latch--2147483648", -2147483648},
        {"n_-2147483648", -2147483648},
        {"n_-2147483647", -2147483647},
        {"n_-1000000000", -1000000000},
        {"n_-999999999", -999999999},
        {"n_-214748364", -214748364},
        {"latch--999999999", -999999999},
        {"latch-999999999", -999999999},
        {"-2147483648", -2147483648},
        {"latch-2147483648", -2147483648},
        {"n_-000000001", -1},
        /* A padded number has no sign, whatever stands before the dash. */
        {"\xc3\xa9\xc3\xbc-0000000005", 5},
        {"}-0000000007", 7},
        {"n_-0000000007", 7},
        {"n_2147483648", SEQUENCE_NONE},
        {"n_9999999999", SEQUENCE_NONE},
        {"n_-2147483649", SEQUENCE_NONE},
        {"n_000000001", SEQUENCE_NONE},
        {"999999999", SEQUENCE_NONE},
        {"", SEQUENCE_NONE},
        {"leader_election-0", SEQUENCE_NONE},
        {"n_0000000001x", SEQUENCE_NONE},
        {"17000000000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (recipe_sequence_of(cases[i].name) != cases[i].sequence)
            fail_msg("%s: %lld", cases[i].name, (long long)recipe_sequence_of(cases[i].name));

    /* Whatever stands in the place of a digit, it is none. */
    for (int place = 0; place < 10; place++)
        for (int byte = 1; byte < 256; byte++) {
            char text[] = "n_0123456789";
            text[2 + place] = (char)byte;
            bool all = byte >= '0' && byte <= '9';
            int64_t value = all ? strtoll(text + 2, NULL, 10) : SEQUENCE_NONE;
            if (place == 0 && byte == '-')
                value = -123456789;
            if (recipe_sequence_of(text) != (value > INT32_MAX ? SEQUENCE_NONE : value))
                fail_msg("%s: %lld", text, (long long)recipe_sequence_of(text));
        }

    struct candidate_name name;
    const struct recipe *latch = recipe_book_find(book, "curator-latch");
    assert_true(recipe_parse_name(book, latch, "_c_" GUID36 "-latch--2147483648", &name));
    assert_int_equal(name.sequence, INT32_MIN);
    assert_true(recipe_parse_name(book, latch, "_c_" GUID36 "-latch--999999999", &name));
    assert_int_equal(name.sequence, -999999999);
    assert_false(recipe_parse_name(book, latch, "_c_" GUID36 "-latch-2147483648", &name));
    assert_false(recipe_parse_name(book, latch, "_c_" GUID36 "-latch-0000000007\n", &name));
}

/* The majority of sequential names decides, others do not count. */
TEST(majority)
{
    char a[] = GUID32 "__lock__0000000001", b[] = GUID32 "__lock__0000000002", odd[] = "x-0000000003",
         readme[] = "readme", notes[] = "notes", todo[] = "todo";
    char *mostly[] = {readme, odd, a, notes, b, todo};
    assert_string_equal(recipe_recognise(book, "/any", mostly, 6)->name, "kazoo");
    char *half[] = {odd, a};
    assert_string_equal(recipe_recognise(book, "/any", half, 2)->name, "sequence");
}

/* Where the acknowledgement of an election is. */
TEST(ack_paths)
{
    static const struct {
        const char *recipe, *election, *ack;
    } cases[] = {
        {"solr-overseer", "/overseer_elect/election", "/overseer_elect/leader"},
        {"solr-shard", "/collections/c/leader_elect/shard1/election", "/collections/c/leaders/shard1/leader"},
        {"flink-old", "/flink/x/latch", "/flink/x/connection_info"},
        {"flink", "/flink/x/leader/latch", "/flink/x/leader/dispatcher/connection_info"},
        {"storm", "/storm/leader-lock", "/storm/storm/leader-info"},
        {"elastic-job", "/j/leader/election/instance", NULL},
        {"zk-ruby", "/_zkelection/x", "/_zkelection/x/leader_ack"},
        {"course-search", "/app/election", "/app/coordinators_service_registry"},
        {"course-search", "/election", "/coordinators_service_registry"},
        {"bookkeeper-auditor", "/l/auditorelection", "/l/auditorelection"},
        {"hdfs-zkfc", "/hadoop-ha/n/ActiveStandbyElectorLock", "/hadoop-ha/n/ActiveBreadCrumb"},
        {"solr-overseer", "/", "/leader"},
        {"zookeeper", "/election", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *ack = recipe_ack_path(recipe_book_find(book, cases[i].recipe), cases[i].election);
        if (cases[i].ack)
            assert_string_equal(ack, cases[i].ack);
        else
            assert_null(ack);
        free(ack);
    }
}

TEST(members_paths)
{
    static const struct {
        const char *recipe, *election, *members;
    } cases[] = {
        {"kafka-controller", "/kafka/controller", "/kafka/brokers/ids"},
        {"hbase-master", "/hbase/master", "/hbase/backup-masters"},
        {"patroni", "/service/main/leader", "/service/main/members"},
        {"elastic-job", "/ns/job/leader/election/instance", "/ns/job/instances"},
        {"solr-shard", "/collections/c/leader_elect/shard1/election", "/live_nodes"},
        {"helix", "/c/CONTROLLER/LEADER", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = recipe_members_path(recipe_book_find(book, cases[i].recipe), cases[i].election);
        if (cases[i].members)
            assert_string_equal(path, cases[i].members);
        else
            assert_null(path);
        free(path);
    }
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* The user's rows come first; bad ones are refused with a reason that names them. */
TEST(own_recipes)
{
    struct recipe_settings ours = {.name = word("ours"),
                                   .family = word("sequence"),
                                   .candidate = word("^member-(\\d{10})$"),
                                   .watches = word("predecessor")};
    char *error = NULL;
    struct recipe_book *own = recipe_book_new(&ours, 1, &error);
    assert_non_null(own);
    char name[] = "member-0000000042";
    char *names[] = {name};
    const struct recipe *recipe = recipe_recognise(own, "/any", names, 1);
    assert_string_equal(recipe->name, "ours");
    assert_true(recipe_is_own(recipe) && !recipe_is_own(recipe_table));
    assert_true(recipe->signature);
    assert_int_equal(recipe->watches, WATCHES_PREDECESSOR);
    struct candidate_name parsed;
    assert_true(recipe_parse_name(own, recipe, name, &parsed));
    assert_int_equal(parsed.sequence, 42);
    recipe_book_free(own);

    static const struct {
        const char *family, *candidate, *watches, *problem;
    } bad[] = {
        {"sequence", "^member-(\\d{10}$", "predecessor",
         "recipe ours: bad regular expression: missing closing parenthesis (at character 17); see "
         "pcre2pattern(3)"},
        {"sequence", "^member-\\d{10}$", "predecessor",
         "recipe ours: its pattern has no group for the sequence number; put ten digits in parentheses: "
         "(\\d{10})"},
        {"chain", "(\\d{10})$", "predecessor", "recipe ours: family is sequence, lock or hybrid, not chain"},
        {"sequence", "(\\d{10})$", "me",
         "recipe ours: watches is predecessor, leader, children, nothing or unknown, not me"},
        {"sequence", NULL, "leader", "recipe ours: it needs a pattern for its candidates"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct recipe_settings row = {.name = word("ours"),
                                      .family = word(bad[i].family),
                                      .candidate = word(bad[i].candidate),
                                      .watches = word(bad[i].watches)};
        assert_null(recipe_book_new(&row, 1, &error));
        assert_string_equal(error, bad[i].problem);
        free(error);
    }
}

/* A pattern that explodes gives up instead of stalling. */
/* A case may name thousands of short patterns, each of which takes 29 KB. */
TEST(large_patterns_are_refused)
{
    enum { MANY = 2000 };
    struct recipe_settings *many = xcalloc(MANY, sizeof *many);
    char longest[1100], *error = NULL;
    for (size_t i = 0; i < MANY; i++)
        many[i] = (struct recipe_settings){.name = word("large"),
                                           .candidate = word("^(?:abcd){1,900}(?:xbcd){1,600}-(\\d{10})$")};
    assert_null(recipe_book_new(many, MANY, &error));
    assert_string_equal(error,
                        "recipe large: its regular expression and those before it take more than 16 MB; "
                        "write fewer repetitions, or one recipe for several elections");
    free(error);
    struct recipe_book *few = recipe_book_new(many, 100, &error);
    assert_non_null(few);
    recipe_book_free(few);
    for (size_t i = 0; i < MANY; i++)
        many[i].candidate = word("^member-(\\d{10})$");
    few = recipe_book_new(many, MANY, &error);
    assert_non_null(few);
    recipe_book_free(few);
    memset(longest, 'a', sizeof longest);
    snprintf(longest + sizeof longest - 9, 9, "(\\d{10})");
    many[0].candidate = longest;
    assert_null(recipe_book_new(many, 1, &error));
    assert_string_equal(error,
                        "recipe large: its regular expression is too long; 1024 characters are the maximum");
    free(error);
    free(many);
}

TEST(evil_patterns_end)
{
    struct recipe_settings evil = {.name = word("evil"),
                                   .family = word("sequence"),
                                   .candidate = word("^(?:(a+)+)+b(\\d{10})$"),
                                   .watches = word("unknown")};
    char *error = NULL;
    struct recipe_book *own = recipe_book_new(&evil, 1, &error);
    assert_non_null(own);
    char name[4096];
    memset(name, 'a', sizeof name);
    memcpy(name + 2000, "0000000001", 11);
    struct candidate_name parsed;
    assert_false(recipe_parse_name(own, recipe_book_at(own, 0), name, &parsed));
    recipe_book_free(own);
    /* Steps back with few groups, and with so many that they would take 5 MB. */
    memset(name, 'a', 4000);
    memcpy(name + 4000, "0000000001", 11);
    for (int groups = 1; groups <= 30; groups += 29) {
        char pattern[128] = "^(?:a|.)*(?<seq>\\d{10})";
        for (int i = 1; i < groups; i++)
            strcat(pattern, "()");
        evil.candidate = pattern;
        own = recipe_book_new(&evil, 1, &error);
        assert_non_null(own);
        assert_int_equal(recipe_parse_name(own, recipe_book_at(own, 0), name, &parsed), groups == 1);
        recipe_book_free(own);
    }
}

/* As many as a pattern has room for: the number may be in the last one. */
TEST(many_groups)
{
    char pattern[1025] = "", *error = NULL, *end = pattern;
    for (int i = 0; i < 505; i++)
        end = stpcpy(end, "()");
    strcpy(end, "(?<seq>\\d+)$");
    struct recipe_settings many = {.name = word("many"), .candidate = pattern};
    struct recipe_book *own = recipe_book_new(&many, 1, &error);
    assert_non_null(own);
    struct candidate_name parsed;
    assert_true(recipe_parse_name(own, recipe_book_at(own, 0), "n-0000000007", &parsed));
    assert_int_equal(parsed.sequence, 7);
    recipe_book_free(own);
}

/* Whose elections are at a path, though nobody stands there. */
TEST(paths_of_layouts)
{
    static const struct {
        const char *path, *recipe;
    } paths[] = {{"/solr/overseer_elect/election", "solr-overseer"},
                 {"/flink/default/leader/latch", "flink"},
                 {"/_zkelection/manager", "zk-ruby"},
                 {"/app/_zkelection/manager", "zk-ruby"},
                 {"/_zkelection/manager/ballot", NULL},
                 {"/apacheIgnite/n", "ignite"},
                 {"/apacheIgnite/jd", NULL},
                 {"/controller", NULL},
                 {"/app/latch", NULL}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const struct recipe *recipe = recipe_of_path(book, paths[i].path);
        if (paths[i].recipe ? !recipe || strcmp(recipe->name, paths[i].recipe) != 0 : recipe != NULL)
            fail_msg("%s: %s", paths[i].path, recipe ? recipe->name : "none");
    }
}

/* Where the leader's own znode is or would be, by what lies beside it, or by the directory's name. */
TEST(places_of_leaders)
{
    static const struct {
        const char *directory, *names, *place; /* '!' missing, '?' by its path alone, and what proves it */
    } rows[] = {{"/kafka", "brokers", "!/kafka/controller of /kafka/brokers/ids"},
                {"/", "brokers controller", "/controller of /brokers/ids"},
                {"/service/batman", "members leader", "/service/batman/leader"},
                {"/service/batman", "members", "!/service/batman/leader"},
                {"/service/batman", "config", ""},
                {"/hadoop-ha/ns", "ActiveBreadCrumb ActiveStandbyElectorLock",
                 "/hadoop-ha/ns/ActiveStandbyElectorLock"},
                {"/hadoop-ha/ns", "other", ""},
                {"/hbase", "backup-masters master", "/hbase/master"},
                {"/CL/CONTROLLER", "HISTORY", "?!/CL/CONTROLLER/LEADER"},
                {"/CL/CONTROLLER", "LEADER", "?/CL/CONTROLLER/LEADER"},
                {"/job/j/leader/election", "instance", "?/job/j/leader/election/instance"},
                {"/loadbalance", "brokers",
                 "!/loadbalance/controller of /loadbalance/brokers/ids ?!/loadbalance/leader"},
                {"/asab/x/election", "a", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[64], *listed[4], told[256] = "";
        size_t count = 0, row = 0;
        struct leader_place place;
        snprintf(names, sizeof names, "%s", rows[i].names);
        for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
            listed[count++] = name;
        while (recipe_leader_place(book, rows[i].directory, listed, count, &row, &place)) {
            size_t length = strlen(told);
            if (!strstr(told, place.path))
                snprintf(told + length, sizeof told - length, "%s%s%s%s%s%s", length ? " " : "",
                         place.by_path ? "?" : "", place.missing ? "!" : "", place.path,
                         place.proof ? " of " : "", place.proof ? place.proof : "");
            free(place.path);
            free(place.proof);
        }
        assert_string_equal(told, rows[i].place);
    }
}

ALL_BETWEEN(open_book, close_book)

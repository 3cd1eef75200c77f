/* What the story of a failover says of the servers' state before it: each sentence has its fact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/report/story.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"
#include "tui/words/story_lines.h"

/* A while later, a server with its own figures; the leader's client is connected to it. */
static void observe_server(struct recorded *world, enum server_mode mode, struct server_load load)
{
    recorded_pass(world, 100);
    static const char address[] = "zk1:2181";
    const struct seen_connection leader = {.session = UINT64_C(0x100000000) + (uint64_t)world->first,
                                           .client = "10.0.3.1:5000",
                                           .established_ms = 1,
                                           .last_response_ms = 1000,
                                           .last_cxid = -1,
                                           .last_zxid = -1,
                                           .timeout_ms = 9000,
                                           .outstanding = -1};
    struct observation o = {.kind = OBSERVED_SERVER, .at = world->now};
    o.server = (struct observed_server){
        .address = address, .reachable = true, .mode = mode, .answer_us = 500, .zxid = -1, .connections = 1};
    model_observe(world->model, &o);
    o = (struct observation){.kind = OBSERVED_LOAD, .at = world->now};
    o.load = (struct observed_load){.address = address, .load = load};
    model_observe(world->model, &o);
    o = (struct observation){.kind = OBSERVED_CONNECTIONS, .at = world->now};
    o.connections =
        (struct observed_connections){.address = address, .list = &leader, .count = 1, .now_ms = 1000};
    model_observe(world->model, &o);
    recorder_flush(world->recorder);
}

/* The sentences of the latest failover. */
static struct sentences report(struct recorded *world, struct story **story)
{
    char *error = NULL;
    recorded_stop(world);
    struct history *history = recorded_open(world);
    *story = story_make(history, &(struct story_query){.at_us = world->now.wall_us}, &error);
    assert_non_null(*story);
    history_close(history);
    return story_sentences(*story, true);
}

static struct sentences report_change(struct recorded *world, struct story **story)
{
    recorded_changes(world, 1);
    return report(world, story);
}

static const struct sentence *said(const struct sentences *sentences, const char *part)
{
    for (size_t i = 0; i < sentences->count; i++)
        if (strstr(sentences->list[i].text, part))
            return &sentences->list[i];
    return NULL;
}

static void end(struct recorded *world, struct story *story, struct sentences *sentences)
{
    sentences_free(sentences);
    story_free(story);
    recorded_free(world);
}

TEST(reports_of_slow_and_loaded_servers)
{
    struct recorded *world = recorded_begin();
    struct server_load load = SERVER_LOAD_UNKNOWN;
    load.latency_avg_us = 3500000; /* more than a third of 9 s */
    load.latency_max_us = 8000000;
    load.outstanding = 71;
    observe_server(world, SERVER_FOLLOWER, load);
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    const struct sentence *slow = said(&sentences, "zk1:2181 was slow"),
                          *queue = said(&sentences, "71 requests");
    assert_non_null(slow);
    assert_int_equal(slow->kind, SENTENCE_CERTAIN);
    assert_non_null(strstr(slow->evidence, "3500 ms"));
    assert_non_null(strstr(slow->evidence, "9000 ms"));
    assert_non_null(queue);
    assert_non_null(strstr(queue->evidence, "2026-"));
    assert_int_equal(story->danger_count, 1);
    assert_int_equal(story->loads[0].waiting, 71);
    const struct sentence *inferred = said(&sentences, "Check that server first");
    /* Only of a session that expired. */
    assert_true(!inferred == (story->failover.cause != CAUSE_EXPIRED));
    end(world, story, &sentences);
}

TEST(reports_of_a_slow_disk)
{
    struct recorded *world = recorded_begin();
    struct server_load load = SERVER_LOAD_UNKNOWN;
    load.slow_fsyncs = 3;
    observe_server(world, SERVER_FOLLOWER, load);
    load.slow_fsyncs = 5;
    observe_server(world, SERVER_FOLLOWER, load);
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    const struct sentence *slow = said(&sentences, "zk1:2181 had been slow to write to its disk");
    assert_non_null(slow);
    assert_non_null(strstr(slow->evidence, "5 times since it started"));
    end(world, story, &sentences);
}

TEST(reports_of_a_server_without_a_quorum)
{
    struct recorded *world = recorded_begin();
    observe_server(world, SERVER_READ_ONLY, SERVER_LOAD_UNKNOWN);
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    assert_non_null(said(&sentences, "zk1:2181 had lost the quorum"));
    assert_null(said(&sentences, "requests"));
    end(world, story, &sentences);
}

/* What is usual is no part of a story. */
TEST(says_nothing_of_healthy_servers)
{
    struct recorded *world = recorded_begin();
    struct server_load load = SERVER_LOAD_UNKNOWN;
    load.latency_avg_us = 400;
    load.latency_max_us = 90000;
    load.outstanding = 3;
    observe_server(world, SERVER_FOLLOWER, load);
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    assert_int_equal(story->server_count, 1);
    assert_int_equal(story->danger_count, 0);
    assert_int_equal(story->load_count, 0);
    assert_null(said(&sentences, "The server zk1:2181"));
    end(world, story, &sentences);
}

/* Sessions of one host expire within milliseconds of each other, and are recorded as one change. */
TEST(knows_the_leader_where_much_happens_at_once)
{
    struct recorded *world = recorded_begin();
    struct logged_fact other = {
        .kind = FACT_SESSION_EXPIRED, .at = world->now, .zxid = 5, .session = 99, .timeout_ms = 9000};
    other.at.mono_us += 6995000; /* 5 ms before the leader */
    other.at.wall_us += 6995000;
    recorder_fact(world->recorder, "prod", &other);
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    assert_true(story->failover.lost_at.wall_us - other.at.wall_us == 5000);
    assert_true(story->snapshot);
    assert_int_equal(story->session, 0x100000001);
    assert_int_equal(story->expired_beside, 1);
    assert_non_null(said(&sentences, "was next in line"));
    end(world, story, &sentences);
}

/* An operator deletes the line from its end: the next one is gone before the leader is. */
TEST(does_not_notify_who_left)
{
    struct recorded *world = recorded_begin();
    fake_tree_delete(world->tree, "/election/n_0000000002");
    struct story *story;
    struct sentences sentences = report_change(world, &story);
    assert_non_null(said(&sentences, "was next in line, and its znode went about then, too"));
    assert_null(said(&sentences, "it was notified"));
    end(world, story, &sentences);
}

/* One leader of two elections left both for one cause, unless they are known to differ. */
TEST(compares_causes_of_one_leader)
{
    static const struct {
        const char *cause;
        size_t same;
    } others[] = {{"ended", 1}, {"closed", 1}, {"unknown", 1}, {"evicted", 0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct recorded *world = recorded_begin();
        char sql[1200];
        recorded_changes(world, 1);
        recorded_stop(world);
        snprintf(
            sql, sizeof sql,
            "INSERT INTO election SELECT id + 100, cluster, '/other', '/other', kind, recipe FROM election;"
            "UPDATE event SET other_identity = other WHERE id IN (SELECT event FROM failover);"
            "INSERT INTO event SELECT id + 1000, at_us - 1, kind, cluster, election + 100, candidate, "
            "identity, other,"
            " other_identity, position, gap_us, after_us, joined, gone, state, detail, source FROM event"
            " WHERE id IN (SELECT event FROM failover);"
            "UPDATE failover SET cause = 'ended';"
            "INSERT INTO failover SELECT election + 100, lost_us - 1, event + 1000, elected_us, '%s', "
            "'certain', NULL, NULL, NULL,"
            " NULL, NULL, NULL, NULL, NULL, NULL, mono_us, NULL, NULL, NULL FROM failover",
            others[i].cause);
        recorded_change(world, sql);
        struct story *story;
        struct sentences sentences = report(world, &story);
        assert_int_equal(story->near_count, 1);
        assert_int_equal(story->near_same_session, others[i].same);
        assert_true(!said(&sentences, "so both have the same cause") == !others[i].same);
        end(world, story, &sentences);
    }
}

/* The leader of server 2, with two sessions beside it that had begun there as well. */
static struct sentences report_together(size_t lived, uint64_t restarted)
{
    static char name[] = "/orders", leader[] = "app-1";
    struct story story = {.name = name,
                          .session = UINT64_C(2) << 56 | 7,
                          .logged = true,
                          .together_us = 2000000,
                          .expired_beside = 2,
                          .expired_same_server = 2,
                          .lived_same_server = lived};
    story.failover =
        (struct failover){.from = leader, .cause = CAUSE_EXPIRED, .cause_certainty = CERTAINTY_CERTAIN};
    if (restarted)
        story.starts[story.start_count++] = (struct story_start){.number = restarted, .zxid = 5};
    return story_sentences(&story, true);
}

/* A server is suspected only where nothing speaks for it. */
TEST(suspects_a_server_with_reason)
{
    static const struct {
        size_t lived;
        uint64_t restarted;
        bool server;
    } cases[] = {{0, 0, true}, {3, 0, false}, {3, 1, false}, {3, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sentences sentences = report_together(cases[i].lived, cases[i].restarted);
        const struct sentence *server = said(&sentences, "at server 2: that server"),
                              *host = said(&sentences, "such as a host");
        assert_true(!server == !cases[i].server);
        assert_true(!host == cases[i].server);
        assert_true(!host || strstr(host->evidence, "3 candidates"));
        sentences_free(&sentences);
    }
}

/* Several restarts are one sentence; the leader's own server is suspected while nobody else is known to have
   found another one. */
TEST(reports_of_restarts_at_once)
{
    static char name[] = "/orders", leader[] = "app-1", directory[] = "/var/zk2";
    for (size_t lived = 0; lived < 2; lived++) {
        struct story story = {
            .name = name,
            .session = UINT64_C(2) << 56 | 7,
            .logged = true,
            .lived_same_server = lived,
            .epoch_us = 30000000,
            .epoch_zxid = 0x200000001,
            .starts = {{.number = 1, .zxid = 0x200000001, .from_us = 10000000, .to_us = 30000000},
                       {.server = directory, .zxid = 5, .from_us = 20000000, .to_us = 40000000},
                       {.number = 2, .zxid = 6, .from_us = 20000000, .to_us = 50000000}},
            .start_count = 3};
        story.failover = (struct failover){.from = leader,
                                           .lost_at = {60000000, 60000000},
                                           .cause = CAUSE_EXPIRED,
                                           .cause_certainty = CERTAINTY_CERTAIN};
        struct sentences sentences = story_sentences(&story, true);
        const struct sentence *restarts = said(&sentences, " restarted");
        assert_non_null(restarts);
        assert_string_equal(restarts->text,
                            "Servers were restarted, or cut off while one led: server 1 was lost between "
                            "00:00:10.000 and 00:00:30.000, "
                            "the server of /var/zk2 between 00:00:20.000 and 00:00:40.000, server 2 between "
                            "00:00:20.000 and 00:00:50.000; ZooKeeper's own leader changed then.");
        assert_non_null(strstr(restarts->evidence, "0x200000001"));
        assert_non_null(strstr(restarts->evidence, "(/var/zk2)"));
        assert_true(!said(&sentences, "had begun at server 2") == (lived > 0));
        sentences_free(&sentences);
    }
}

/* Each inference needs its facts: with them it is made, without one of them it is not. */
TEST(infers_from_facts_alone)
{
    static char name[] = "/orders", from[] = "10.0.0.1:5001", directory[] = "/orders";
    static const struct failover lost = {
        .from_identity = from, .lost_at = {60000000, 60000000}, .cause = CAUSE_EXPIRED};
    static char next[] = "10.0.0.2:5001";
    struct failover evicted = lost, closed = lost, seen = lost, found = lost, open = lost;
    evicted.cause = CAUSE_EVICTED;
    closed.cause = CAUSE_CLOSED;
    open.vacancy = open.total = (struct span){1000000, SPAN_OPEN};
    /* A gap of 4 s, until the next one led: it began after the loss, or before it. */
    seen.to = found.to = next;
    seen.gap_us = found.gap_us = 4000000;
    seen.elected_at = (struct moment){66000000, 66000000};
    found.elected_at = (struct moment){61000000, 61000000};
    const struct story base = {.name = name,
                               .election = directory,
                               .failover = lost,
                               .timeout_ms = 9000,
                               .together_us = 3000000,
                               .expired_beside = 2,
                               .logged = true};
    const struct {
        struct story story;
        const char *says;
        bool said;
    } cases[] = {
        {{.expired_same_name = 2}, "By their names, 2 of them", true},
        {{.expired_same_name = 0}, "By their names", false},
        {{.epoch_us = 50000000}, "one timeout after ZooKeeper's own leader", true},
        {{.epoch_us = 58000000}, "one timeout after ZooKeeper's own leader", false},
        {{.epoch_us = 30000000}, "one timeout after ZooKeeper's own leader", false},
        {{.in_line_us = 57000000}, "had probably been restarted before", true},
        {{.in_line_us = 57000000, .failover = closed}, "had probably been restarted before", false},
        {{.deleter = 7, .deleter_is_next = true, .failover = evicted},
         "That is the next session of 10.0.0.1",
         true},
        {{.deleter = 7, .deleter_is_next = true, .failover = evicted}, "look for an operator", false},
        {{.deleter = 7, .failover = evicted}, "look for an operator", true},
        {{.deleter = 7, .failover = evicted, .deleted_us = 60000000}, "look for an operator", false},
        {{.deleted_us = 60000000}, "deleted with all its candidates.", true},
        {{.deleted_us = 60000000, .remade_us = 61000000}, "and created again after 1.00s.", true},
        {{.deleted_us = 0}, "deleted with all its candidates", false},
        {{.failover = open}, "nobody has led since", true},
        {{.failover = open, .led_unseen = true}, "nobody is known to have led since", true},
        {{.failover = open, .ends_us = 60000000},
         "nobody led until 00:01:00.000, when the recording ends",
         true},
        {{.failover = open, .ends_us = 60000000}, "nobody has led since", false},
        {{.failover = found}, "between ", true},
        {{.failover = found}, "when in that time it happened is not known", true},
        {{.failover = seen}, "between ", false},
        {{.failover = seen}, "who else led in that time is not known", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct story story = base;
        const struct story *given = &cases[i].story;
        story.expired_same_name = given->expired_same_name;
        story.epoch_us = given->epoch_us;
        story.in_line_us = given->in_line_us;
        story.deleter = given->deleter;
        story.deleter_is_next = given->deleter_is_next;
        story.deleted_us = given->deleted_us;
        story.remade_us = given->remade_us;
        story.led_unseen = given->led_unseen;
        story.ends_us = given->ends_us;
        if (given->failover.from_identity)
            story.failover = given->failover;
        struct sentences sentences = story_sentences(&story, true);
        if (!said(&sentences, cases[i].says) == cases[i].said)
            fail_msg("%zu: %s", i, cases[i].says);
        sentences_free(&sentences);
    }
}

static void observe_other(struct recorded *world, const char *read)
{
    fake_tree_list(world->tree, world->model, world->now, "/other", "/other");
    fake_tree_read(world->tree, world->model, world->now, "/other", read);
    recorder_flush(world->recorder);
}

/* That nobody leads is only suspected there: asked without a path, it comes before what is over, with its cause. */
TEST(a_suspected_outage_comes_first)
{
    struct recorded *world = recorded_begin();
    struct observation o = {
        .kind = OBSERVED_ELECTION, .at = world->now, .election = "/other", .path = "/other"};
    fake_tree_create(world->tree, "/other", 0, "");
    fake_tree_create(world->tree, "/other/n_0000000001", 0x100000077, "10.0.9.1:5000");
    fake_tree_create(world->tree, "/other/n_0000000002", 0, "10.0.9.2:5000");
    model_observe(world->model, &o);
    observe_other(world, "/other/n_0000000001");
    fake_tree_read(world->tree, world->model, world->now, "/other", "/other/n_0000000002");
    recorded_pass(world, 5000);
    fake_tree_delete(world->tree, "/other/n_0000000001");
    observe_other(world, "/other/n_0000000001");
    recorded_pass(world, 2000);
    recorder_flush(world->recorder);
    int64_t later_us = world->now.wall_us;
    recorded_changes(world, 1);
    recorded_pass(world, 2000);
    recorder_flush(world->recorder);
    recorded_stop(world);
    struct history *history = recorded_open(world);
    for (int open_first = 0; open_first < 2; open_first++) {
        char *error = NULL;
        const struct story_query query = {.at_us = world->now.wall_us, .open_first = open_first};
        struct story *story = story_make(history, &query, &error);
        assert_non_null(story);
        assert_string_equal(story->election, open_first ? "/other" : "/election");
        assert_int_equal(story->failover.lost_at.wall_us < later_us, open_first);
        if (open_first) {
            assert_string_equal(story->failover.from, "n_0000000001");
            assert_int_equal(story->after[0].certainty, CERTAINTY_SUSPECTED);
        }
        story_free(story);
    }
    history_close(history);
    recorded_free(world);
}

/* Another observer saw each loss a little earlier or later than the recorder, or saw one that the recorder missed. */
TEST(the_failover_that_another_observer_saw)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    recorder_flush(world->recorder);
    recorded_stop(world);
    struct history *history = recorded_open(world);
    char *error = NULL;
    struct story *latest = story_make(history, &(struct story_query){.at_us = world->now.wall_us}, &error);
    assert_non_null(latest);
    const int64_t lost_us = latest->failover.lost_at.wall_us;
    for (int64_t off_us = -900; off_us <= 900; off_us += 900)
        for (int open = 0; open < 2; open++) {
            struct failover seen = latest->failover;
            seen.lost_at.wall_us = lost_us + off_us;
            seen.to = open ? NULL : seen.to;
            const struct story_query query = {
                .election = "/election", .at_us = lost_us + 60000000, .from_us = 0, .like = &seen};
            struct story *story = story_make(history, &query, &error);
            assert_non_null(story);
            assert_int_equal(story->failover.lost_at.wall_us, lost_us);
            assert_string_equal(story->failover.to, latest->failover.to);
            story_free(story);
            seen.from = (char *)(uintptr_t) "n_0000000999";
            story = story_make(history, &query, &error);
            assert_non_null(story);
            assert_int_equal(story->failover.lost_at.wall_us, seen.lost_at.wall_us);
            assert_string_equal(story->failover.from, "n_0000000999");
            story_free(story);
        }
    story_free(latest);
    history_close(history);
    recorded_free(world);
}

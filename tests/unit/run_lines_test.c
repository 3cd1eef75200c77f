/*
 * The report of a run of test candidates in words: what is one reads as one, what is not known is never made
 * up, and two runs stand side by side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/inject/agent_results.h"
#include "tests/support/test.h"
#include "tui/output/run_lines.h"

struct fixture {
    struct run_options options;
    struct histogram stand, failover;
    struct run_report report;
};

/* A run of so many candidates with as many failovers of so many milliseconds, and their cost. */
static struct fixture *fixture_new(size_t count, int64_t ms, uint64_t notices, uint64_t requests)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->options = (struct run_options){.path = "/electop-sandbox",
                                      .candidates = count,
                                      .victim = VICTIM_LEADER,
                                      .every_ms = 1000,
                                      .for_ms = 30000};
    for (size_t i = 0; i < count; i++) {
        histogram_add(&f->stand, 1000);
        histogram_add(&f->failover, ms * 1000);
    }
    f->report = (struct run_report){.phase = RUN_OVER,
                                    .options = &f->options,
                                    .wanted = count,
                                    .notes = "",
                                    .election = "/electop-sandbox/run-1/election",
                                    .crowd = {.sessions = count, .begun_us = 1, .stood_us = 2001},
                                    .times = {.stand = &f->stand, .failover = &f->failover},
                                    .by_how = {[KILL_CLOSE] = {count, 0}},
                                    .counted = count,
                                    .notices = notices,
                                    .requests = requests,
                                    .run_us = 30000000,
                                    .cpu_us = 1000};
    return f;
}

static char *reported(const struct run_report *report)
{
    struct buffer out = {0};
    static const struct print_style how = {.ascii = true, .theme.depth = DEPTH_MONO};
    run_print(&out, DOCUMENT_TEXT, report, &(struct run_options_text){0}, &how);
    buffer_put_char(&out, '\0');
    return out.bytes;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void hasnt(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}

TEST(one_reads_as_one)
{
    struct fixture *f = fixture_new(1, 2, 1, 1);
    f->report.by_how[KILL_CLOSE][1] = 1;
    f->report.crowd.unplanned = 1;
    char *text = reported(&f->report);
    has(text, "1 more leader left without being killed by this run");
    has(text, "1 test candidate on 1 session in /electop-sandbox/run-1/election: all follow the recipe.");
    has(text, "1 failover: it took 2.00ms and cost 1 notification and 1 request.");
    has(text, "After 1 kill of a leader, no other leader followed.");
    free(text);
    free(f);
}

/* Who was killed by hand is not told as nobody. */
TEST(deaths_by_hand_are_reported)
{
    struct fixture *f = fixture_new(5, 2, 5, 5);
    f->report.by_hand = 1;
    char *text = reported(&f->report);
    has(text, "Every 1s the leader closed its session. 1 was stopped manually. It ran");
    free(text);
    f->options.victim = VICTIM_NOBODY;
    f->report.by_hand = 2;
    text = reported(&f->report);
    has(text, "joined within 2.00ms. 2 were stopped manually. It ran");
    hasnt(text, "None was killed");
    free(text);
    f->report.by_hand = 0;
    text = reported(&f->report);
    has(text, "None was killed. It ran");
    free(text);
    free(f);
}

/* One that was stopped while they came on tells how many stood by then. */
TEST(who_stood_before_the_end_is_reported)
{
    struct fixture *f = fixture_new(4, 2, 4, 10);
    f->options.candidates = f->report.wanted = 300;
    f->report.crowd.stood_us = 0;
    f->report.end = RUN_STOPPED;
    char *text = reported(&f->report);
    has(text, "all follow the recipe. 4 of them joined. It ran 30.0s, was stopped before all had joined");
    free(text);
    f->report.problem = "electop's own session expired";
    f->report.end = RUN_LOST;
    text = reported(&f->report);
    has(text, "(lost): electop's own session expired. 4 of them joined. It ran 30.0s, and took");
    free(text);
    free(f);
}

TEST(many_read_as_many)
{
    struct fixture *f = fixture_new(4, 2, 4, 10);
    f->report.by_how[KILL_CLOSE][1] = 2;
    f->report.crowd.deaths = 6;
    f->report.crowd.left_out[OBSTACLE_FAILOVER] = 20;
    f->report.crowd.left_out[OBSTACLE_NOBODY] = 4;
    char *text = reported(&f->report);
    has(text, "4 test candidates on 4 sessions");
    has(text, "All joined within 2.00ms. Every 1s the leader closed its session.");
    has(text, "4 failovers: p50 2.00ms, p99 2.00ms, the longest 2.00ms; each cost 1 notification and 2.5 "
              "requests.");
    has(text,
        "Of 30 kills that were due, 24 were left out: 20 while the previous failover was not over, 4 while "
        "no leader, or no server answered.");
    has(text, "After 2 kills of a leader, no other leader followed.");
    free(text);
    f->report.crowd.left_out[OBSTACLE_FAILOVER] = 0;
    f->report.crowd.left_out[OBSTACLE_NOBODY] = 1;
    text = reported(&f->report);
    has(text, "Of 7 kills that were due, 1 was left out while no leader, or no server answered.");
    free(text);
    free(f);
}

/* Two agents of one run, of whom one died: what is told is of those that handed in, each has its line, and so
 * has what they come to. */
TEST(agents_are_reported_together)
{
    struct fixture *f = fixture_new(4, 2, 4, 10);
    int stood = 0, stood_together = 0;
    f->report.crowd.by_state[CANDIDATE_WAITING] = 3; /* of the four that stood, at the end */
    char *part = agent_results_write(&f->report), *text;
    struct agent_part parts[] = {
        {"web1-11", part, false}, {"web2-22", part, false}, {"web3-33", NULL, false}};
    f->report.agents = parts;
    f->report.agent_count = 2;
    f->report.crowd.to_stand = &f->stand;
    f->report.wanted = f->report.crowd.sessions = 8;
    histogram_merge(&f->failover, &f->failover);
    f->report.counted = 8;
    f->report.notices = 8;
    f->report.requests = 20;
    text = reported(&f->report);
    has(text, "2 agents together: 8 test candidates on 8 sessions, each agent's in a separate election, this "
              "one in "
              "/electop-sandbox/run-1/election: those of this run follow the recipe. All of this run joined "
              "within 2.00ms. Every 1s "
              "its leader closed its session.");
    has(text, "8 failovers: p50 2.00ms, p99 2.00ms, the longest 2.00ms; each cost 1 notification and 2.5 "
              "requests.");
    has(text, "web1-11");
    has(text, "all together");
    assert_int_equal(sscanf(strstr(text, "web1-11"), "%*s %d", &stood), 1);
    assert_int_equal(sscanf(strstr(text, "all together"), "%*s %*s %d", &stood_together), 1);
    assert_int_equal(stood, 4);
    assert_int_equal(stood_together, 4);
    hasnt(text, "that were due");
    free(text);
    f->report.agent_count = 3;
    text = reported(&f->report);
    has(text, "2 of 3 agents reported: 8 test candidates");
    has(text, "died");
    free(text);
    free(part);
    free(f);
}

/* Where the servers took fewer than were asked for, it is not said that all stood. */
TEST(fewer_than_asked_for_are_not_all)
{
    struct fixture *f = fixture_new(4, 2, 4, 10);
    f->options.candidates = 9;
    char *text = reported(&f->report);
    has(text, "4 of them joined; the wait ended after 2.00ms.");
    hasnt(text, "All joined");
    free(text);
    free(f);
}

/* In a live election: what was not seen is no number. */
TEST(a_live_run_that_never_stood)
{
    struct fixture *f = fixture_new(1, 2, 1, 1);
    f->options.live = true;
    f->report.real_least = -1;
    char *text = reported(&f->report);
    has(text, "None of them was seen to join.");
    hasnt(text, "real candidate");
    free(text);
    f->report.real_least = 0;
    text = reported(&f->report);
    has(text, "At least 0 real candidates before them");
    has(text, "none of them was ever first");
    free(text);
    f->report.first_may_us = 3000;
    text = reported(&f->report);
    has(text, "one of them may have been first, for at most 3.00ms");
    free(text);
    f->report.first_may_us = -1;
    text = reported(&f->report);
    has(text, "it is not known whether one of them was ever first");
    free(text);
    f->report.first_may_us = 3000;
    f->report.crowd.first_most_us = 2000;
    text = reported(&f->report);
    has(text, "one of them was first: it knew this for 2.00ms, and was first for at most 3.00ms");
    free(text);
    f->report.first_may_us = -1;
    text = reported(&f->report);
    has(text, "one of them was first: it knew this for 2.00ms, but it is not known how long it was first");
    free(text);
    free(f);
}

/* An end before anybody stood is not told as one after. */
TEST(an_early_end_is_no_other)
{
    struct fixture *f = fixture_new(2, 2, 0, 0);
    f->report.crowd.stood_us = 0;
    f->report.end = RUN_STOPPED;
    char *text = reported(&f->report);
    has(text, "It ran 30.0s, was stopped before all had joined, and took 1.00ms of CPU here.");
    hasnt(text, "All joined");
    hasnt(text, "that were due");
    free(text);
    free(f);
}

static void counter(struct server_counter *counter, int64_t zxid, int64_t connections, int64_t slowest_ms,
                    int64_t received)
{
    server_counter_clear(counter);
    strcpy(counter->address, "zk1:2181");
    counter->zxid = zxid;
    counter->connections = connections;
    counter->slowest_ms = slowest_ms;
    counter->received = received;
}

/* Before, the highest of some looks, after; growth; and a slowest answer that may be from before the run. */
TEST(servers_figures_are_reported)
{
    struct fixture *f = fixture_new(2, 2, 2, 4);
    counter(&f->report.before[0], 0x100000005, 3, 20, 100);
    counter(&f->report.highest[0], 0x100000020, 12, 20, 150);
    counter(&f->report.after[0], 0x100000045, 4, 20, 190);
    f->report.server_count = 1;
    f->report.polls[0] = 1;
    char *text = reported(&f->report);
    has(text, "zk1:2181, 1 poll\n");
    has(text, "    connections            3      12      4\n");
    has(text, "    slowest answer      20ms  <=20ms   20ms\n");
    has(text, "    transactions                 +64\n");
    has(text, "    packets received             +90\n");
    hasnt(text, "watches");
    free(text);
    f->report.after[0].slowest_ms = 31;
    text = reported(&f->report);
    has(text, "    slowest answer      20ms    31ms   31ms\n");
    free(text);
    free(f);
}

/* Another ZooKeeper leader numbers anew; a server that began anew counts anew; nobody looked; it says
 * nothing. */
TEST(unknown_stays_unknown)
{
    struct fixture *f = fixture_new(2, 2, 2, 4);
    counter(&f->report.before[0], 0x100000005, 3, 20, 100);
    counter(&f->report.after[0], 0x200000001, 4, 5, 7);
    server_counter_clear(&f->report.highest[0]);
    for (int i = 0; i < 3; i++)
        server_counter_clear(i == 0   ? &f->report.before[1]
                             : i == 1 ? &f->report.highest[1]
                                      : &f->report.after[1]);
    f->report.server_count = 2;
    char *text = reported(&f->report);
    has(text, "zk1:2181, 0 polls\n");
    has(text, "    connections            3       ?      4\n");
    has(text, "    slowest answer      20ms       ?    5ms\n");
    has(text, "    transactions                   ?\n");
    has(text, "    packets received               ?\n");
    has(text, "answers neither srvr and mntr nor AdminServer\n");
    free(text);
    free(f);
}

TEST(higher_figures_are_kept)
{
    struct server_counter highest, look;
    server_counter_clear(&highest);
    server_counter_clear(&look);
    assert_false(server_counter_raise(&highest, &look));
    counter(&look, 5, 12, 3, 9);
    assert_true(server_counter_raise(&highest, &look));
    counter(&look, 7, 2, -1, 10);
    assert_true(server_counter_raise(&highest, &look));
    assert_true(highest.connections == 12 && highest.slowest_ms == 3 && highest.received == 10);
    assert_true(highest.watches == -1);
}

TEST(the_page_has_the_figures)
{
    struct fixture *herd = fixture_new(10, 9, 290, 600);
    struct buffer out = {0};
    run_print(&out, DOCUMENT_PAGE, &herd->report, &(struct run_options_text){0}, NULL);
    buffer_put_char(&out, '\0');
    has(out.bytes, "<title>Test candidates in /electop-sandbox, ");
    has(out.bytes, "</footer>\n</body>\n</html>\n");
    buffer_free(&out);
    free(herd);
}

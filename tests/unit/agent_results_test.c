/*
 * The part that an agent hands in: what was written is read again, and what cannot have been written by one
 * of us is told as unreadable, whatever it says.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/inject/agent_results.h"
#include "tests/support/test.h"

static void read_part(const char *text, struct agent_results *part)
{
    const struct agent_part agent = {.text = (char *)(uintptr_t)text};
    agent_results_read(&agent, part);
}

TEST(what_was_written_is_read)
{
    static struct histogram stand, failover;
    static struct run_report report;
    static struct agent_results part;
    const struct run_options options = {.candidates = 7};
    for (int64_t us = 1; us < 10000000; us = us * 3 + 1)
        histogram_add(&stand, us);
    histogram_add(&report.times.takeover, 4711);
    report.end = RUN_STOPPED;
    report.options = &options;
    report.wanted = 7;
    report.times.stand = &stand;
    report.times.failover = &failover;
    report.crowd.by_state[CANDIDATE_WAITING] = 5;
    report.crowd.by_state[CANDIDATE_LEADING] = 1;
    report.crowd.errors = 1;
    report.crowd.expired = 2;
    report.crowd.deaths = 9;
    report.crowd.left_out[OBSTACLE_NOBODY] = 4;
    report.requests = 12345;
    report.by_how[KILL_PAUSE][1] = 3;
    histogram_add(&report.by_cause[KILL_PAUSE], 47);
    char *text = agent_results_write(&report);
    read_part(text, &part);
    free(text);
    assert_string_equal(part.end, "stopped");
    assert_true(part.counts[RESULT_WANTED] == 7 && part.counts[RESULT_STANDING] == 6 &&
                part.counts[RESULT_ERRORS] == 1 && part.counts[RESULT_EXPIRED] == 2 &&
                part.counts[RESULT_FAILOVER_REQUESTS] == 12345);
    assert_true(part.counts[RESULT_DEATHS] == 9 && part.counts[RESULT_LEFT_OUT + OBSTACLE_FAILOVER] == 0 &&
                part.counts[RESULT_LEFT_OUT + OBSTACLE_NOBODY] == 4);
    assert_memory_equal(&part.times[RESULT_STAND], &stand, sizeof stand);
    assert_memory_equal(&part.times[RESULT_TAKEOVER], &report.times.takeover, sizeof stand);
    assert_int_equal(part.times[RESULT_FAILOVER].count, 0);
    assert_int_equal(part.times[RESULT_CAUSE + KILL_PAUSE].most_us, 47);
    assert_true(part.counts[RESULT_NEVER_LED + KILL_PAUSE] == 3);
}

TEST(strangers_bytes_are_unreadable)
{
#define COUNTS "end done\ncounts 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
#define REST                                                                                                 \
    "failover 0 0 0\ndetection 0 0 0\nvacancy 0 0 0\ntakeover 0 0 0\nclose 0 0 0\nresign 0 0 0\ndrop 0 0 "   \
    "0\n"                                                                                                    \
    "pause 0 0 0\n"
    static struct agent_results part;
    static const char *const bad[] = {
        "",
        "end done\n",
        "end done\ncounts 1 1\nstand 0 0 0\n" REST,
        "end done\ncounts 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1\nstand 0 0 0\n" REST,
        "end done\ncounts 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nstand 0 0 0\n" REST,
        COUNTS "stand 0 0 9223372036854775807\n" REST, /* a sum of such overflows */
        COUNTS "stand 0 99999999999999999999 0\n" REST,
        COUNTS "stand 1 1 2 1:1 1:1\n" REST,
        COUNTS "stand 1 2 3 2:1 1:1\n" REST,
        COUNTS "stand 1 1 1 999999:1\n" REST,
        COUNTS "stand 1 1 1 1:4294967296\n" REST,
        COUNTS "stand 1 1 1 1:1 \n" REST,
        COUNTS "stand 1 1 1 1:1\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read_part(bad[i], &part);
        assert_string_equal(part.end, "unreadable");
        assert_int_equal(part.times[RESULT_STAND].count, 0);
    }
    read_part(COUNTS "stand 1 1 1 1:1\n" REST, &part);
    assert_string_equal(part.end, "done");
    read_part(NULL, &part);
    assert_string_equal(part.end, "died");
    agent_results_read(&(const struct agent_part){.alive = true}, &part);
    assert_string_equal(part.end, "running");
    assert_false(part.reported);
}

#include "tests/support/fake_bench.h"

#include <stdio.h>
#include <string.h>

static int begun = -1, acts;

int fake_bench_begun(void)
{
    return begun;
}

int fake_bench_acts(void)
{
    return acts;
}

static bool begin(void *context, const struct run_options *form, char *problem, size_t size)
{
    (void)context;
    begun = form->live;
    snprintf(problem, size, "the fake one begins nothing");
    return false;
}

static bool allows(void *context, const struct run_options *form, char *problem, size_t size)
{
    (void)context, (void)form, (void)problem, (void)size;
    return true;
}

static bool refuses(void *context, const struct run_options *form, char *problem, size_t size)
{
    (void)context;
    snprintf(problem, size, "Its configuration does not say inject: live, so no test candidate may join it.");
    return !form->live;
}

static bool is_busy(void *context)
{
    return context && *(const enum run_phase *)context != RUN_OVER;
}

static void end(void *context)
{
    (void)context;
}

static const struct run_report *report(void *context)
{
    static struct run_report reported;
    static struct run_options options;
    static struct histogram stand, failover;
    static struct crowd_failover failovers[5];
    enum run_phase phase = context ? *(const enum run_phase *)context : RUN_OVER;
    if (!context)
        return NULL;
    memset(&reported, 0, sizeof reported);
    memset(&stand, 0, sizeof stand);
    memset(&failover, 0, sizeof failover);
    options = (struct run_options){.path = "/electop-sandbox",
                                   .candidates = 5,
                                   .for_ms = 30000,
                                   .victim = VICTIM_LEADER,
                                   .every_ms = 2000};
    reported.phase = phase;
    reported.options = &options;
    reported.notes = "1 run was over and had left znodes behind: removed\n";
    reported.election = "/electop-sandbox/run-6f1c9e0a/election";
    reported.wanted = reported.crowd.sessions = reported.crowd.candidates = 5;
    reported.crowd.by_state[CANDIDATE_WAITING] = 3;
    reported.crowd.by_state[CANDIDATE_LEADING] = 1;
    reported.crowd.paused = 1;
    reported.crowd.requests = 46;
    reported.crowd.begun_us = 1;
    reported.crowd.stood_us = 5201;
    for (int i = 1; i <= 5; i++) {
        histogram_add(&stand, 1000 * i);
        histogram_add(&failover, 700 * i);
        histogram_add(&reported.ping, 90 * i);
        histogram_add(&reported.by_cause[KILL_CLOSE], 700 * i);
        histogram_add(&reported.times.detection, 500 * i);
        histogram_add(&reported.times.vacancy, 200 * i);
        histogram_add(&reported.times.takeover, 0);
        failovers[i - 1] = (struct crowd_failover){.due_us = 1000000, .led_us = 1000000 + 700 * (uint64_t)i};
    }
    reported.crowd.failovers = failovers;
    reported.crowd.failover_count = 5;
    reported.by_how[KILL_CLOSE][0] = reported.counted = 5;
    reported.notices = 5;
    reported.requests = 10;
    reported.run_us = 12000000;
    reported.cpu_us = 26100;
    reported.times.stand = &stand;
    reported.times.failover = &failover;
    reported.server_count = 1;
    reported.before[0] = (struct server_counter){"zk1:2181", 100, 2, 0, 1, 1, 0, 20, 4100, 4180};
    reported.highest[0] = (struct server_counter){"zk1:2181", 180, 7, 5, 6, 6, 1, 20, 4400, 4500};
    reported.after[0] = (struct server_counter){"zk1:2181", 184, 2, -1, 1, 1, 0, 20, 4460, 4571};
    reported.polls[0] = 11;
    return &reported;
}

static size_t count(void *context)
{
    return context && *(const enum run_phase *)context == RUN_RUNNING ? 5 : 0;
}

static struct run_candidate candidate(void *context, size_t i)
{
    static const struct run_candidate all[] = {
        {"_c_6f1c9e0a-1111-4222-8333-000000000001-latch-0000000009", CANDIDATE_WAITING, false},
        {"_c_6f1c9e0a-1111-4222-8333-000000000002-latch-0000000005", CANDIDATE_LEADING, false},
        {"_c_6f1c9e0a-1111-4222-8333-000000000003-latch-0000000006", CANDIDATE_WAITING, true},
        {NULL, CANDIDATE_GONE, false},
        {NULL, CANDIDATE_RESIGNED, false}};
    (void)context;
    return all[i];
}

static bool act(void *context, enum run_act what, size_t i, char *problem, size_t size)
{
    (void)context;
    acts++;
    if (what == RUN_RESUME && i == 0)
        snprintf(problem, size, "it is a candidate already");
    return what != RUN_RESUME || i != 0;
}

static enum run_phase running = RUN_RUNNING, over = RUN_OVER;
#define FAKE(state, may)                                                                                     \
    {                                                                                                        \
        .context = (state), .allows = (may), .begin = begin, .end = end, .is_busy = is_busy,                 \
        .report = report, .count = count, .candidate = candidate, .act = act                                 \
    }
const struct run_control_interface fake_bench_idle = FAKE(NULL, allows),
                                   fake_bench_refusing = FAKE(NULL, refuses),
                                   fake_bench_running = FAKE(&running, allows),
                                   fake_bench_over = FAKE(&over, allows);

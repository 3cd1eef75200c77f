/*
 * crowd - a crowd of test candidates, for measuring it against crowd_floor and kazoo's Election.
 *
 *     crowd HOSTS PATH CANDIDATES PER_SESSION own|shared TIMEOUT_MS [FALLS [BEHAVIOUR [NAME]]]
 *
 * Prints a line of JSON once all stand, with what that took; then lets the leader close FALLS times, one
 * death after the other, and prints what the failovers took. Goes on until the end of its input; each line of
 * input prints the figures as they are then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "probe/inject/crowd.h"
#include "probe/zookeeper/descriptor_poll.h"
#include "tests/bench/gauge.h"

/* A failover comes to rest before the next death: as often as crowd_floor.c's, which keeps this pace. */
#define FALL_EVERY_MS 25

struct run_control {
    uv_loop_t loop;
    struct crowd *crowd;
    size_t falls, fallen;
    long empty_kb; /* resident before anybody stood */
};

static void say(const struct run_control *bench, const char *what)
{
    struct crowd_figures f;
    crowd_figures(bench->crowd, &f);
    uint64_t notices = 0, requests = 0;
    static struct histogram taken; /* from the death itself: the floor's time has no plan */
    memset(&taken, 0, sizeof taken);
    for (size_t i = 0; i < f.failover_count; i++) {
        notices += f.failovers[i].notices;
        requests += f.failovers[i].requests;
        histogram_add(&taken, (int64_t)(f.failovers[i].led_us - f.failovers[i].dead_us));
    }
    double each = f.failover_count ? (double)f.failover_count : 1;
    printf(
        "{\"what\":\"%s\",\"stood_ms\":%.1f,\"cpu_ms\":%.1f,\"kb\":%ld,\"sessions\":%zu,\"connected\":%zu,"
        "\"waiting\":%zu,\"leading\":%zu,\"lists\":%llu,\"requests\":%llu,\"connects\":%llu,\"refused\":%llu,"
        "\"lost\":%llu,\"expired\":%llu,\"errors\":%llu,\"p50_us\":%lld,\"p99_us\":%lld,\"falls\":%zu,"
        "\"notices_each\":%.1f,\"requests_each\":%.1f,\"fall_p50_us\":%lld,\"fall_p99_us\":%lld,\"dead_p50_"
        "us\":%lld,\"problem\":"
        "\"%s\"}\n",
        what, f.stood_us ? (double)(f.stood_us - f.begun_us) / 1e3 : 0, gauge_cpu_ms(),
        gauge_resident_kb() - bench->empty_kb, f.sessions, f.connected, f.by_state[CANDIDATE_WAITING],
        f.by_state[CANDIDATE_LEADING], (unsigned long long)f.lists, (unsigned long long)f.requests,
        (unsigned long long)f.connects, (unsigned long long)f.refused, (unsigned long long)f.lost,
        (unsigned long long)f.expired, (unsigned long long)f.errors,
        (long long)histogram_percentile(f.to_stand, 0.5), (long long)histogram_percentile(f.to_stand, 0.99),
        f.failover_count, (double)notices / each, (double)requests / each,
        (long long)histogram_percentile(f.to_fail_over, 0.5),
        (long long)histogram_percentile(f.to_fail_over, 0.99), (long long)histogram_percentile(&taken, 0.5),
        f.problem ? f.problem : "");
    fflush(stdout);
}

static void on_stood(void *context)
{
    say(context, "stood");
}

static void on_failed_over(void *context, const struct crowd_failover *failover)
{
    (void)failover;
    struct run_control *bench = context;
    if (++bench->fallen == bench->falls) {
        crowd_hold(bench->crowd, true);
        say(bench, "fallen");
    }
}

static void on_ended(void *context, size_t left_to_expire)
{
    struct run_control *bench = context;
    printf("{\"what\":\"ended\",\"left\":%zu}\n", left_to_expire);
    uv_stop(&bench->loop);
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct run_control *bench = poll->data;
    char bytes[64];
    if (status >= 0 && read(0, bytes, sizeof bytes) > 0) {
        say(bench, "now");
        return;
    }
    uv_poll_stop(poll);
    crowd_end(bench->crowd, on_ended);
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc > 10) {
        fprintf(stderr,
                "usage: crowd HOSTS PATH CANDIDATES PER_SESSION own|shared TIMEOUT_MS [FALLS [BEHAVIOUR "
                "[NAME]]]\n");
        return 2;
    }
    struct run_control bench = {.falls = argc > 7 ? strtoul(argv[7], NULL, 10) : 0};
    const struct session_options session = {.hosts = argv[1], .timeout_ms = (int)strtol(argv[6], NULL, 10)};
    const struct candidate_options candidate = {
        .guard = guard_new_private(), /* its servers are the benchmark's own; it goes with the process */
        .election = argv[2],
        .name = argc > 9 ? argv[9] : "n_",
        .data = "",
    };
    const struct run_options options = {
        .candidates = strtoul(argv[3], NULL, 10),
        .per_session = strtoul(argv[4], NULL, 10),
        .look = strcmp(argv[5], "shared") == 0 ? LOOK_SHARED : LOOK_OWN,
        .shares = {{.behaviour = argc > 8 ? behaviour_find(argv[8]) : BEHAVIOUR_RECIPE, .percent = 100}},
        .share_count = 1,
        .victim = bench.falls ? VICTIM_LEADER : VICTIM_NOBODY,
        .every_ms = FALL_EVERY_MS,
        .how = KILL_CLOSE,
    };
    static const struct crowd_listener listener = {.stood = on_stood, .failed_over = on_failed_over};
    char *error = NULL;
    if (options.shares[0].behaviour == BEHAVIOUR_COUNT ||
        !descriptors_make_room(crowd_sessions(&options, &candidate), &error)) {
        fprintf(stderr, "crowd: %s\n", error ? error : "no such behaviour");
        return 2;
    }
    uv_poll_t input;
    if (uv_loop_init(&bench.loop) || uv_poll_init(&bench.loop, &input, 0))
        return 2;
    input.data = &bench;
    uv_poll_start(&input, UV_READABLE, on_input);
    bench.empty_kb = gauge_resident_kb();
    bench.crowd = crowd_new(&bench.loop, &options, &session, &candidate, &listener, &bench);
    if (!bench.crowd)
        return 2;
    uv_run(&bench.loop, UV_RUN_DEFAULT);
    crowd_free(bench.crowd);
    return 0;
}

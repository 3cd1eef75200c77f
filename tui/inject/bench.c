#include "tui/inject/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "probe/inject/test_candidate.h"

#define END_MS 10000
#define WAIT_MS 10000

struct bench {
    uv_loop_t *loop;
    const struct settings *settings;
    bool own;
    struct workbench workbench;
    char *chroot;
    char *path; /* of the run */
    struct trial *trial;
    struct trial_report *report;
    bool over;
};

static void on_over(void *context)
{
    struct bench *bench = context;
    bench->over = true;
}

/* Where the run stands: the same path below the chroot. */
static const struct election_settings *settled(const struct cluster_settings *cluster, const char *path)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        if (strcmp(cluster->elections[i].path, path) == 0)
            return &cluster->elections[i];
    return NULL;
}

static const char *refusal(const struct bench *bench, const struct run_form *form, const char *path)
{
    const struct cluster_settings *cluster = &bench->settings->clusters[0];
    const struct election_settings *election = settled(cluster, path);
    enum inject_leave leave = election ? election->inject : bench->settings->discovered.inject;
    if (bench->trial && !bench->over)
        return "a run is going on: end it first (X)";
    if (bench->settings->cluster_count != 1)
        return "there are several clusters: start electop with --cluster NAME to choose one";
    if (form->place == RUN_LIVE && leave != INJECT_LIVE)
        return "its configuration does not say inject: live, so nobody may stand in it";
    if (form->place == RUN_LIVE && (cluster->election_count != 1 || !election))
        return "for a run in a live election name it alone: electop inject PATH --live";
    if (form->place == RUN_COPY && leave == INJECT_NEVER)
        return "its configuration says inject: never";
    if (!bench->own && form->candidates > (size_t)bench->settings->inject.sessions)
        return "that is more than inject: {sessions: ...} allows; raise it, or use electop inject --load";
    return NULL;
}

static void clear(struct bench *bench)
{
    trial_free(bench->trial);
    bench->trial = NULL;
    free(bench->path);
    bench->path = NULL;
    bench->over = false;
}

static bool begin(void *context, const struct run_form *form, char *problem, size_t size)
{
    static const struct trial_listener listener = {.over = on_over};
    struct bench *bench = context;
    const char *path = form->place == RUN_SANDBOX ? bench->settings->inject.sandbox : form->path;
    size_t chroot = strlen(bench->chroot);
    if (form->place != RUN_SANDBOX && chroot && strncmp(path, bench->chroot, chroot) == 0)
        path += chroot;
    const char *why = refusal(bench, form, path);
    if (why) {
        snprintf(problem, size, "%s", why);
        return false;
    }
    clear(bench);
    bench->path = strdup(path);
    struct trial_options options = {
        .settings = bench->settings,
        .cluster = &bench->settings->clusters[0],
        .path = bench->path,
        .candidates = form->candidates,
        .rate_per_s = form->rate_per_s,
        .part_count = form->behaviour != BEHAVIOUR_RECIPE,
        .parts = {{.behaviour = form->behaviour, .percent = 100, .slow_ms = 500}},
        .victim = form->victim,
        .how = form->how,
        .every_ms = form->every_ms,
        .per_session = 1,
        .for_ms = form->for_ms,
        .wait_ms = WAIT_MS,
        .load = bench->own,
        .own = bench->own,
        .live = form->place == RUN_LIVE,
    };
    if (options.live) { /* candidates there are as their siblings are, and nobody is made to die */
        options.victim = VICTIM_NOBODY;
        options.part_count = 0;
    }
    bench->trial = bench->path ? trial_new(bench->loop, &options, &listener, bench) : NULL;
    if (!bench->trial)
        snprintf(problem, size, "out of memory");
    return bench->trial != NULL;
}

static void end(void *context)
{
    struct bench *bench = context;
    if (bench->trial && !bench->over)
        trial_stop(bench->trial);
}

static const struct trial_report *report(void *context)
{
    struct bench *bench = context;
    if (!bench->trial)
        return NULL;
    trial_report(bench->trial, bench->report);
    return bench->report;
}

static struct crowd *crowd_of(const struct bench *bench)
{
    return bench->trial && !bench->over ? trial_crowd(bench->trial) : NULL;
}

static size_t count(void *context)
{
    struct crowd_figures figures;
    const struct crowd *crowd = crowd_of(context);
    if (!crowd)
        return 0;
    crowd_figures(crowd, &figures);
    return figures.candidates;
}

static struct run_candidate candidate(void *context, size_t i)
{
    const struct test_candidate *one = crowd_candidate(crowd_of(context), i);
    return (struct run_candidate){test_candidate_name(one), test_candidate_state(one),
                                  test_candidate_is_paused(one)};
}

static bool act(void *context, enum run_act what, size_t i)
{
    struct bench *bench = context;
    struct crowd *crowd = crowd_of(bench);
    /* In a live election the rules alone say who stands. */
    if (!crowd || (bench->report->options && bench->report->options->live && what != RUN_KILL))
        return false;
    switch (what) {
    case RUN_ADD:
        return (bench->own || count(bench) < (size_t)bench->settings->inject.sessions) && crowd_add(crowd, 1);
    case RUN_KILL:
        return crowd_kill(crowd, i, DEPART_CLOSE);
    case RUN_PAUSE:
        return crowd_kill(crowd, i, DEPART_PAUSE);
    case RUN_RESUME:
        return crowd_resume(crowd, i) || crowd_volunteer(crowd, i);
    case RUN_RESIGN:
        return crowd_kill(crowd, i, DEPART_RESIGN);
    }
    return false;
}

struct bench *bench_new(uv_loop_t *loop, const struct settings *settings, bool own)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct connect_string string;
    char *error = NULL;
    if (!bench)
        return NULL;
    bench->loop = loop;
    bench->settings = settings;
    bench->own = own;
    bench->workbench = (struct workbench){bench, begin, end, report, count, candidate, act};
    bench->report = calloc(1, sizeof *bench->report);
    if (connect_string_parse(settings->clusters[0].hosts, &string, &error)) {
        bench->chroot = strdup(string.chroot);
        connect_string_free(&string);
    }
    free(error);
    if (bench->report && bench->chroot)
        return bench;
    bench_free(bench);
    return NULL;
}

const struct workbench *bench_workbench(const struct bench *bench)
{
    return &bench->workbench;
}

void bench_free(struct bench *bench)
{
    if (!bench)
        return;
    if (bench->trial && !bench->over) {
        uint64_t until_ms = uv_now(bench->loop) + END_MS; /* the run has a timer of its own: the loop turns */
        trial_stop(bench->trial);
        while (!bench->over && uv_now(bench->loop) < until_ms)
            uv_run(bench->loop, UV_RUN_ONCE);
    }
    clear(bench);
    free(bench->report);
    free(bench->chroot);
    free(bench);
}

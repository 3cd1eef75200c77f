#include "tui/inject/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "probe/inject/ceiling.h"
#include "probe/inject/crowd_deaths.h"
#include "probe/inject/test_candidate.h"

#define END_MS 10000
#define WAIT_MS 10000
/* As the form says of it. */
#define SLOW_MS 500

struct bench {
    uv_loop_t *loop;
    const struct settings *settings;
    bool own;
    struct workbench workbench;
    char *chroot;
    char *path; /* of the run */
    struct trial *trial;
    struct trial_report *report;
    size_t by_hand, earlier_by_hand; /* deaths that were ordered one by one */
    bool over;
    /* The run before this one, where both differ in their behaviour alone: to be held against it. */
    struct trial *earlier;
    struct trial_report *earlier_report;
    char *earlier_path;
};

static void on_over(void *context)
{
    struct bench *bench = context;
    bench->over = true;
}

static bool is_going_on(void *context)
{
    const struct bench *bench = context;
    return bench->trial && !bench->over;
}

/* More than the ceiling; in text. */
static const char *excess(const struct bench *bench, const struct run_form *form, char *text, size_t size)
{
    const struct demand demand = {
        .sessions = form->candidates,
        .rate_per_s = form->rate_per_s,
        .every_ms = form->place == RUN_LIVE || form->victim == VICTIM_NOBODY ? 0 : form->every_ms};
    char passed[CEILING_TEXT];
    if (bench->own || !ceiling_passed(&bench->settings->inject, &demand, passed))
        return NULL;
    snprintf(text, size, "%s: raise it in the configuration, or use electop inject --load.", passed);
    return text;
}

static const char *refusal(const struct bench *bench, const struct run_form *form, const char *path,
                           char *text, size_t size)
{
    const struct cluster_settings *cluster = &bench->settings->clusters[0];
    const struct election_settings *election = settings_of_election(cluster, path);
    enum inject_leave leave = election ? election->inject : bench->settings->discovered.inject;
    if (bench->trial && !bench->over)
        return "A run is going on: end it first (X).";
    if (bench->settings->cluster_count != 1)
        return "There are several clusters: start electop with --cluster NAME to choose one.";
    if (form->place == RUN_LIVE && leave != INJECT_LIVE)
        return "Its configuration does not say inject: live, so no test candidate may stand in it.";
    if (form->place == RUN_COPY && leave == INJECT_NEVER)
        return "Its configuration says inject: never.";
    return excess(bench, form, text, size);
}

/* Where the run stands: the same path below the chroot. */
static const char *place_of(const struct bench *bench, const struct run_form *form)
{
    size_t chroot = strlen(bench->chroot);
    if (form->place == RUN_SANDBOX)
        return bench->settings->inject.sandbox;
    return chroot && strncmp(form->path, bench->chroot, chroot) == 0 ? form->path + chroot : form->path;
}

static bool allows(void *context, const struct run_form *form, char *problem, size_t size)
{
    const struct bench *bench = context;
    char text[300];
    const char *why = refusal(bench, form, place_of(bench, form), text, sizeof text);
    snprintf(problem, size, "%s", why ? why : "");
    return !why;
}

static void earlier_clear(struct bench *bench)
{
    trial_free(bench->earlier);
    bench->earlier = NULL;
    free(bench->earlier_path);
    bench->earlier_path = NULL;
}

/* The same was asked of both runs, but for how their candidates behave. */
static bool is_comparable(const struct trial_options *a, const struct trial_options *b)
{
    bool same_behaviour = a->part_count == b->part_count &&
                          (a->part_count == 0 || a->parts[0].behaviour == b->parts[0].behaviour);
    return !same_behaviour && !a->live && !b->live && strcmp(a->path, b->path) == 0 &&
           a->candidates == b->candidates && a->rate_per_s == b->rate_per_s && a->victim == b->victim &&
           a->every_ms == b->every_ms && a->how == b->how;
}

/* The run that is over makes room for one with these options, and is kept where it can be held against it. */
static void make_room(struct bench *bench, const struct trial_options *next)
{
    bool kept = false;
    if (bench->trial) {
        trial_report(bench->trial, bench->earlier_report);
        kept = bench->earlier_report->times.failover->count > 0 &&
               is_comparable(bench->earlier_report->options, next);
    }
    earlier_clear(bench);
    if (kept) {
        bench->earlier = bench->trial;
        bench->earlier_path = bench->path;
    } else {
        trial_free(bench->trial);
        free(bench->path);
    }
    bench->trial = NULL;
    bench->path = NULL;
    bench->earlier_by_hand = bench->by_hand;
    bench->by_hand = 0;
    bench->over = false;
}

static bool begin(void *context, const struct run_form *form, char *problem, size_t size)
{
    static const struct trial_listener listener = {.over = on_over};
    struct bench *bench = context;
    if (!allows(context, form, problem, size))
        return false;
    struct trial_options options = {
        .settings = bench->settings,
        .cluster = &bench->settings->clusters[0],
        .path = place_of(bench, form),
        .candidates = form->candidates,
        .rate_per_s = form->rate_per_s,
        .part_count = form->behaviour != BEHAVIOUR_RECIPE,
        .parts = {{.behaviour = form->behaviour,
                   .percent = 100,
                   .slow_ms = form->behaviour == BEHAVIOUR_SLOW ? SLOW_MS : 0}},
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
    make_room(bench, &options);
    options.path = bench->path = strdup(place_of(bench, form));
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
    bench->report->by_hand = bench->by_hand;
    if (bench->earlier) {
        trial_report(bench->earlier, bench->earlier_report);
        bench->earlier_report->by_hand = bench->earlier_by_hand;
        bench->report->earlier = bench->earlier_report;
    }
    return bench->report;
}

static struct crowd *crowd_of(const struct bench *bench)
{
    return bench->trial && !bench->over ? trial_crowd(bench->trial) : NULL;
}

static struct crowd_figures figures_of(const struct crowd *crowd)
{
    struct crowd_figures figures = {0};
    if (crowd)
        crowd_figures(crowd, &figures);
    return figures;
}

static size_t count(void *context)
{
    return figures_of(crowd_of(context)).candidates;
}

static struct run_candidate candidate(void *context, size_t i)
{
    const struct test_candidate *one = crowd_candidate(crowd_of(context), i);
    return (struct run_candidate){test_candidate_name(one), test_candidate_state(one),
                                  test_candidate_is_paused(one)};
}

static bool kill_one(struct bench *bench, struct crowd *crowd, size_t i, enum departure how)
{
    bool done = crowd_kill(crowd, i, how);
    bench->by_hand += done;
    return done;
}

/* NULL: it is done. */
static const char *do_act(struct bench *bench, struct crowd *crowd, enum run_act what, size_t i)
{
    switch (what) {
    case RUN_ADD:
        if (!bench->own && figures_of(crowd).wanted >= (size_t)bench->settings->inject.sessions)
            return "more sessions than inject: {sessions: ...} allows";
        return crowd_add(crowd, 1) ? NULL : "out of memory: no more of them";
    case RUN_KILL:
        return kill_one(bench, crowd, i, DEPART_CLOSE) ? NULL : "it has no session that could be closed";
    case RUN_PAUSE:
        return kill_one(bench, crowd, i, DEPART_PAUSE) ? NULL : "it has no session that could hang";
    case RUN_RESUME:
        return crowd_resume(crowd, i) || crowd_volunteer(crowd, i) ? NULL : "it stands already";
    case RUN_RESIGN:
        return kill_one(bench, crowd, i, DEPART_RESIGN) ? NULL : "it does not stand";
    }
    return NULL;
}

static bool act(void *context, enum run_act what, size_t i, char *problem, size_t size)
{
    struct bench *bench = context;
    struct crowd *crowd = crowd_of(bench);
    const struct trial_report *told = report(bench);
    const char *why = !crowd ? "they have not begun to stand, or are ending"
                      /* There the rules alone say who stands. */
                      : told->options->live && what != RUN_KILL
                          ? "in a live election they only come and go by its rules: K and X end them"
                          : do_act(bench, crowd, what, i);
    snprintf(problem, size, "%s", why ? why : "");
    return !why;
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
    bench->workbench = (struct workbench){.context = bench,
                                          .own = own,
                                          .allows = allows,
                                          .begin = begin,
                                          .end = end,
                                          .is_busy = is_going_on,
                                          .report = report,
                                          .count = count,
                                          .candidate = candidate,
                                          .act = act};
    bench->report = calloc(1, sizeof *bench->report);
    bench->earlier_report = calloc(1, sizeof *bench->earlier_report);
    if (connect_string_parse(settings->clusters[0].hosts, &string, &error)) {
        bench->chroot = strdup(string.chroot);
        connect_string_free(&string);
    }
    free(error);
    if (bench->report && bench->earlier_report && bench->chroot)
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
    trial_free(bench->trial);
    free(bench->path);
    earlier_clear(bench);
    free(bench->earlier_report);
    free(bench->report);
    free(bench->chroot);
    free(bench);
}

#include "tui/dashboard/run_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "probe/candidate/test_candidate.h"
#include "probe/inject/crowd.h"
#include "probe/inject/run_options.h"
#include "tui/screen/key_bindings.h"
#include "tui/screen/tty.h"

#define END_MS 10000
#define WAIT_MS 10000

struct run_control {
    uv_loop_t *loop;
    const struct settings *settings;
    bool own;
    struct run_control_interface interface;
    char *chroot;
    struct run *run;
    struct run_report *report;
    size_t by_hand; /* deaths that were ordered one by one */
    bool over;
};

static void run_control_on_over(void *context)
{
    struct run_control *control = context;
    control->over = true;
}

static bool is_going_on(void *context)
{
    const struct run_control *control = context;
    return control->run && !control->over;
}

/* More than the limits allow; in text. */
static const char *excess(const struct run_control *control, const struct run_options *form, char *text,
                          size_t size)
{
    char passed[LIMITS_TEXT];
    if (control->own || !limits_passed(&control->settings->inject, form, passed))
        return NULL;
    snprintf(text, size, "%s: raise it in the configuration, or use electop inject --load.", passed);
    return text;
}

static const char *run_control_active(char *text, size_t size)
{
    snprintf(text, size, "A run is active: end it first (%s).", key_first(ACTION_STOP));
    return text;
}

static const char *refusal(const struct run_control *control, const struct run_options *form,
                           const char *path, char *text, size_t size)
{
    const struct cluster_settings *cluster = &control->settings->clusters[0];
    const struct election_settings *election = settings_of_election(cluster, path);
    enum inject_leave leave = election ? election->inject : control->settings->discovered.inject;
    if (control->run && !control->over)
        return run_control_active(text, size);
    if (control->settings->cluster_count != 1)
        return "There are several clusters: start electop with --cluster NAME to choose one.";
    if (form->live && leave != INJECT_LIVE)
        return "Its configuration does not say inject: live, so no test candidate may join it.";
    if (form->path && !form->live && leave == INJECT_NEVER)
        return "Its configuration says inject: never.";
    return excess(control, form, text, size);
}

/* The run's path: the same below the chroot. */
static const char *run_control_path(const struct run_control *control, const struct run_options *form)
{
    size_t chroot = strlen(control->chroot);
    if (!form->path)
        return control->settings->inject.sandbox;
    return chroot && strncmp(form->path, control->chroot, chroot) == 0 ? form->path + chroot : form->path;
}

static bool allows(void *context, const struct run_options *form, char *problem, size_t size)
{
    const struct run_control *control = context;
    char text[300];
    const char *why = refusal(control, form, run_control_path(control, form), text, sizeof text);
    snprintf(problem, size, "%s", why ? why : "");
    return !why;
}

/* The run that is over makes room for the next one. */
static void run_control_make_room(struct run_control *control)
{
    run_free(control->run);
    control->run = NULL;
    control->by_hand = 0;
    control->over = false;
}

static bool run_control_begin(void *context, const struct run_options *form, char *problem, size_t size)
{
    static const struct run_listener listener = {.over = run_control_on_over};
    struct run_control *control = context;
    if (!allows(context, form, problem, size))
        return false;
    struct run_options options = *form;
    options.settings = control->settings;
    options.cluster = &control->settings->clusters[0];
    options.path = run_control_path(control, form);
    options.wait_ms = WAIT_MS;
    options.load = options.own = control->own;
    run_control_make_room(control);
    control->run = run_new(control->loop, &options, &listener, control);
    if (!control->run)
        snprintf(problem, size, "no file descriptor is left; raise the limit of open files (ulimit -n)");
    return control->run != NULL;
}

static void run_control_end(void *context)
{
    struct run_control *control = context;
    if (control->run && !control->over)
        run_stop(control->run);
}

static const struct run_report *report(void *context)
{
    struct run_control *control = context;
    if (!control->run)
        return NULL;
    run_report(control->run, control->report);
    control->report->by_hand = control->by_hand;
    return control->report;
}

static struct crowd *crowd_of(const struct run_control *control)
{
    return control->run && !control->over ? run_crowd(control->run) : NULL;
}

static struct crowd_figures run_control_figures_of(const struct crowd *crowd)
{
    struct crowd_figures figures = {0};
    if (crowd)
        crowd_figures(crowd, &figures);
    return figures;
}

static size_t count(void *context)
{
    return run_control_figures_of(crowd_of(context)).candidates;
}

static struct run_candidate candidate(void *context, size_t i)
{
    const struct test_candidate *one = crowd_candidate(crowd_of(context), i);
    return (struct run_candidate){test_candidate_name(one), test_candidate_candidacy(one)->state,
                                  candidate_session_paused(candidate_session_of(one))};
}

static bool kill_one(struct run_control *control, struct crowd *crowd, size_t i, enum kill_mode how)
{
    bool done = crowd_kill(crowd, i, how);
    control->by_hand += done;
    return done;
}

/* NULL: it is done. */
static const char *do_act(struct run_control *control, struct crowd *crowd, enum run_act what, size_t i)
{
    switch (what) {
    case RUN_ADD:
        if (!control->own &&
            run_control_figures_of(crowd).wanted >= (size_t)control->settings->inject.sessions)
            return "more sessions than inject: {sessions: ...} allows";
        return crowd_add(crowd, 1) ? NULL : "no more candidates can join";
    case RUN_KILL:
        return kill_one(control, crowd, i, KILL_CLOSE) ? NULL : "it has no session that could be closed";
    case RUN_PAUSE:
        return kill_one(control, crowd, i, KILL_PAUSE) ? NULL : "it has no session that could hang";
    case RUN_RESUME:
        return crowd_resume(crowd, i) || crowd_volunteer(crowd, i) ? NULL : "it is a candidate already";
    case RUN_RESIGN:
        return kill_one(control, crowd, i, KILL_RESIGN) ? NULL : "it is not a candidate";
    }
    return NULL;
}

static bool run_control_act(void *context, enum run_act what, size_t i, char *problem, size_t size)
{
    struct run_control *control = context;
    struct crowd *crowd = crowd_of(control);
    const struct run_report *reported = report(control);
    const char *why = !crowd ? "the candidates have not begun to join, or the run is ending"
                      /* In a live election the rules alone decide. */
                      : reported->options->live && what != RUN_KILL
                          ? "in a live election only K (kill) and X (end) work"
                          : do_act(control, crowd, what, i);
    snprintf(problem, size, "%s", why ? why : "");
    return !why;
}

struct run_control *run_control_new(uv_loop_t *loop, const struct settings *settings, bool own)
{
    struct run_control *control = xcalloc(1, sizeof *control);
    struct connect_string string;
    char *error = NULL;
    control->loop = loop;
    control->settings = settings;
    control->own = own;
    control->interface = (struct run_control_interface){.context = control,
                                                        .own = own,
                                                        .allows = allows,
                                                        .begin = run_control_begin,
                                                        .end = run_control_end,
                                                        .is_busy = is_going_on,
                                                        .report = report,
                                                        .count = count,
                                                        .candidate = candidate,
                                                        .act = run_control_act};
    control->report = xcalloc(1, sizeof *control->report);
    if (connect_string_parse(settings->clusters[0].hosts, &string, &error)) {
        control->chroot = xstrdup(string.chroot);
        connect_string_free(&string);
    }
    free(error);
    if (control->chroot)
        return control;
    run_control_free(control);
    return NULL;
}

const struct run_control_interface *run_control_interface_of(const struct run_control *control)
{
    return &control->interface;
}

void run_control_free(struct run_control *control)
{
    if (!control)
        return;
    if (control->run && !control->over) {
        uint64_t until_ms = uv_now(control->loop) + END_MS; /* the run has a timer: the loop turns */
        tty_deadline_lift();                                /* the run removes what it made */
        run_stop(control->run);
        while (!control->over && uv_now(control->loop) < until_ms)
            uv_run(control->loop, UV_RUN_ONCE);
    }
    run_free(control->run);
    free(control->report);
    free(control->chroot);
    free(control);
}

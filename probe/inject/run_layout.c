#include "probe/inject/run_layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/text.h"
#include "probe/candidate/guard.h"
#include "probe/inject/live_acls.h"
#include "probe/inject/live_checks.h"
#include "probe/inject/run_state.h"
#include "probe/zookeeper/descriptor_poll.h"

static void may_go_on(struct run *t)
{
    t->layout_read(t, RUN_DONE, NULL);
}

static void run_layout_refuse(struct run *t, const char *problem)
{
    t->layout_read(t, RUN_REFUSED, problem);
}

/* ---- live: may test candidates join? ---- */

static void refuse_acls(struct run *t, const char *problem)
{
    char text[sizeof t->problem];
    snprintf(text, sizeof text, "%.450s; without --live their layout is tested in %.100s", problem,
             t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

/* In that directory alone: in a new one the first candidate leads. */
static void join_as_seen(struct run *t)
{
    guard_see_directory(t->guard, &t->layout.directory);
    may_go_on(t);
}

static void on_acls(void *context, const char *problem, bool lost)
{
    struct run *t = context;
    if (lost)
        t->layout_read(t, RUN_LOST, "the connection was lost while electop read the candidates; try again");
    else if (problem)
        refuse_acls(t, problem);
    else if (t->finishing)
        may_go_on(t);
    else {
        t->guard = guard_new_live(t->path, run_name(t));
        join_as_seen(t);
    }
}

static void on_live_checked(void *context, const char *problem, int timeout_ms)
{
    struct run *t = context;
    t->live_timeout_ms = timeout_ms;
    if (problem)
        run_layout_refuse(t, problem);
    else if (t->finishing || !live_acls_read(t->session, t->path, &t->layout.acl, on_acls, t))
        on_acls(t, NULL, true);
}

static void begin_live_checks(struct run *t)
{
    const struct layout *layout = &t->layout;
    const char *problem =
        layout->lock         ? "it is a lock without a line: any waiting candidate may get it"
        : !layout->name      ? "it has no candidate with a name to copy"
        : layout->acl_masked ? "the servers do not show all of the candidates' ACL, so it cannot be copied; "
                               "give credentials with the admin right (--auth-file)"
        : layout->acl.count == 0 ? "permission denied for the candidates' ACL, so it cannot be copied"
                                 : NULL;
    if (problem) {
        run_layout_refuse(t, problem);
        return;
    }
    t->live_checks = live_checks_begin(t->loop, t->options.settings, t->options.cluster, t->options.path,
                                       layout->name, on_live_checked, t);
    if (!t->live_checks)
        t->layout_read(t, RUN_FAILED,
                       "the candidates cannot be read; raise the limit of open files (ulimit -n)");
}

/* ---- in the sandbox: the layout to copy ---- */

/* A requested option that a lock does not have; NULL: none. All of its candidates want one znode. */
static const char *lock_problem(const struct run *t)
{
    bool watches = false;
    for (size_t i = 0; i < t->options.share_count; i++) {
        const struct behaviour_rules *behaviour = behaviour_rules_of(t->options.shares[i].behaviour);
        watches |= behaviour->watches != WHOM_PREDECESSOR || behaviour->watches_once;
    }
    return !t->layout.lock   ? NULL
           : t->options.name ? "it is a lock, and its candidates have no names of their own; leave out --name"
           : watches
               ? "it is a lock: all of its candidates watch it; only the behaviours predecessor, slow and "
                 "hold apply"
               : NULL;
}

static void note_copy(struct run *t, const char *shown)
{
    const struct layout *layout = &t->layout;
    bool names = layout->name || layout->lock, acl = layout->acl.count > 0;
    run_note(t, "%.200s is not changed: its layout is copied into %s and tested there%s%s%s%s", shown,
             t->options.settings->inject.sandbox,
             names && acl ? "" : "; not known there: ", names ? "" : "the candidates' names",
             names || acl ? "" : ", ", acl ? "" : "their ACL");
}

/* ---- both ---- */

static void refuse_absent(struct run *t, const char *shown)
{
    char text[500];
    if (t->options.live)
        snprintf(text, sizeof text, "%.200s does not exist; name an existing election for them", shown);
    else
        snprintf(text, sizeof text,
                 "%.200s does not exist, so it cannot be copied; name an existing path, or one below %s",
                 shown, t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

static void on_layout(void *context, bool lost)
{
    struct run *t = context;
    char text[500];
    char *quoted = text_quoted(t->path);
    const char *shown = quoted, *problem;
    if (t->finishing || lost) {
        t->layout_read(t, RUN_LOST, "the connection was lost while electop read the path; try again");
    } else if (t->layout.denied) {
        snprintf(text, sizeof text, "permission denied for %.200s; give credentials with --auth-file", shown);
        run_layout_refuse(t, text);
    } else if (!t->layout.exists) {
        refuse_absent(t, shown);
    } else if (t->options.live) {
        begin_live_checks(t);
    } else if ((problem = lock_problem(t))) {
        run_layout_refuse(t, problem);
    } else {
        note_copy(t, shown);
        may_go_on(t);
    }
    free(quoted);
}

void run_layout(struct run *t, run_layout_fn fn)
{
    char *error = NULL;
    t->layout_read = fn;
    if (!run_paths_choose(t))
        run_layout_refuse(
            t, t->options.live
                   ? "--live is for a real election, and this path is in the sandbox; leave it out"
                   : "the first name below the sandbox is the run's, without . { }; choose another");
    else if (!descriptors_make_room(run_options_session_count(&t->options), &error))
        run_layout_refuse(t, error);
    else if (run_is_inside(t))
        may_go_on(t);
    else if (!layout_read(t->session, t->path, &t->layout, on_layout, t))
        t->layout_read(t, RUN_LOST, "the connection was lost; try again");
    free(error);
}

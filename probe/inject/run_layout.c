#include "probe/inject/run_layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/text.h"
#include "probe/inject/descriptors.h"
#include "probe/candidate/guard.h"
#include "probe/inject/live_acls.h"
#include "probe/inject/live_checks.h"
#include "probe/inject/run_place.h"
#include "probe/inject/run_state.h"

#define NO_MEMORY "out of memory; nothing was begun"

static void may_go_on(struct run *t)
{
    t->looked(t, RUN_DONE, NULL);
}

static void run_layout_refuse(struct run *t, const char *problem)
{
    t->looked(t, RUN_REFUSED, problem);
}

/* ---- live: may test candidates join? ---- */

static void refuse_acls(struct run *t, const char *problem)
{
    char text[sizeof t->problem];
    snprintf(text, sizeof text, "%.450s; without --live their layout is exercised in %.100s", problem,
             t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

static void on_acls(void *context, const char *problem, bool lost)
{
    struct run *t = context;
    if (lost)
        t->looked(t, RUN_LOST,
                  "the connection was lost while the candidates were being looked at; try again");
    else if (problem)
        refuse_acls(t, problem);
    else if (!t->finishing && !(t->guard = guard_new_live(t->path, run_name(t))))
        t->looked(t, RUN_FAILED, NO_MEMORY);
    else
        may_go_on(t);
}

static void on_siblings(void *context, const char *problem, int timeout_ms)
{
    struct run *t = context;
    t->siblings_timeout_ms = timeout_ms;
    if (problem)
        run_layout_refuse(t, problem);
    else if (t->finishing || !live_acls_read(t->session, t->path, &t->layout.acl, on_acls, t))
        on_acls(t, NULL, true);
}

static void look_at_siblings(struct run *t)
{
    const struct layout *layout = &t->layout;
    const char *problem =
        layout->lock             ? "it is a lock: there is no line to stand in, so whoever waits may lead"
        : !layout->name          ? "nobody stands there whose name could be copied"
        : layout->acl_masked     ? "the servers do not show us all of the candidates' ACL, so it cannot be "
                                   "copied; give credentials "
                                   "that may administer them with --auth-file"
        : layout->acl.count == 0 ? "the candidates' ACL may not be read, so it cannot be copied"
                                 : NULL;
    if (problem) {
        run_layout_refuse(t, problem);
        return;
    }
    t->siblings = live_checks_look(t->loop, t->options.settings, t->options.cluster, t->options.path,
                                   layout->name, on_siblings, t);
    if (!t->siblings)
        t->looked(t, RUN_FAILED, NO_MEMORY);
}

/* ---- in the sandbox: the layout to copy ---- */

/* A requested option that a lock does not have; NULL: none. All of its candidates want one znode. */
static const char *lock_problem(const struct run *t)
{
    bool watches = false;
    for (size_t i = 0; i < t->options.part_count; i++) {
        const struct manner *manner = behaviour_manner(t->options.parts[i].behaviour);
        watches |= manner->watches != WHOM_PREDECESSOR || manner->watches_once;
    }
    return !t->layout.lock   ? NULL
           : t->options.name ? "it is a lock, and its candidates have no names of their own; leave out --name"
           : watches
               ? "it is a lock: all of its candidates watch it, so none can be told whom to watch; of the "
                 "behaviours predecessor, slow and hold are left"
               : NULL;
}

static void note_copy(struct run *t, const char *shown)
{
    const struct layout *layout = &t->layout;
    bool names = layout->name || layout->lock, acl = layout->acl.count > 0;
    run_note(t, "%.200s is left alone: its layout is copied into %s and exercised there%s%s%s%s", shown,
             t->options.settings->inject.sandbox,
             names && acl ? "" : "; not known there: ", names ? "" : "the candidates' names",
             names || acl ? "" : ", ", acl ? "" : "their ACL");
}

/* ---- both ---- */

static void refuse_absent(struct run *t, const char *shown)
{
    char text[500];
    if (t->options.live)
        snprintf(text, sizeof text, "there is no %.200s; name the election in which they shall stand", shown);
    else
        snprintf(text, sizeof text, "there is no %.200s to copy; name a path that is there, or one below %s",
                 shown, t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

static void on_layout(void *context, bool lost)
{
    struct run *t = context;
    char text[500];
    char *quoted = text_quoted(t->path);
    const char *shown = quoted ? quoted : "the path", *problem;
    if (t->finishing || lost) {
        t->looked(t, RUN_LOST, "the connection was lost while the path was being read; try again");
    } else if (t->layout.denied) {
        snprintf(text, sizeof text, "%.200s may not be read; give credentials with --auth-file", shown);
        run_layout_refuse(t, text);
    } else if (!t->layout.exists) {
        refuse_absent(t, shown);
    } else if (t->options.live) {
        look_at_siblings(t);
    } else if ((problem = lock_problem(t))) {
        run_layout_refuse(t, problem);
    } else {
        note_copy(t, shown);
        may_go_on(t);
    }
    free(quoted);
}

/* At least: where a session's watches are too many for a packet, more are taken. */
static size_t sessions_wanted(const struct run_options *options)
{
    size_t each = options->per_session ? options->per_session : 1;
    return (options->candidates + each - 1) / each;
}

void run_layout(struct run *t, run_layout_fn fn)
{
    char *error = NULL;
    t->looked = fn;
    if (!run_places_choose(t))
        run_layout_refuse(
            t, t->options.live
                   ? "--live is for an election of others, and this path is in the sandbox; leave it out"
                   : "the first name below the sandbox is the run's, without . { }; choose another");
    else if (!descriptors_make_room(sessions_wanted(&t->options), &error))
        run_layout_refuse(t, error ? error : "out of memory");
    else if (run_is_inside(t))
        may_go_on(t);
    else if (!layout_read(t->session, t->path, &t->layout, on_layout, t))
        t->looked(t, RUN_LOST, "the connection was lost; try again");
    free(error);
}

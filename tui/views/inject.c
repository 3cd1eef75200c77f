#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tui/output/run_lines.h"
#include "tui/screen/columns.h"
#include "tui/views/list.h"
#include "tui/views/run_control_interface.h"
#include "tui/views/run_form.h"
#include "tui/views/run_picture.h"
#include "tui/views/screens.h"
#include "tui/words/labels.h"

/*
 * inject.c - test candidates from the dashboard: a form, the picture of the run, its report.
 *
 * Enter changes the selected field, and writes nothing. A run starts with R, after a question that names the
 * cluster and the path; on the program's own cluster (the demo) it starts at once. What would touch a live
 * election is red, and starts only once the name of the election was typed.
 */

enum stage { STAGE_FORM, STAGE_RUN, STAGE_REPORT };

struct inject_view {
    struct view view;
    struct run_form form;
    bool starts;       /* the question in the last line is whether to start; else it is for a field */
    char cluster[128]; /* that the run would write to */
    bool chooses;      /* the form is shown though there is a report */
    char said[200];    /* the result of the last key; "": none */
    struct list candidates;
    struct list report; /* only scrolls */
};

static const struct run_report *inject_view_report_of(const struct scene *scene)
{
    const struct run_control_interface *control = scene->control;
    return control ? control->report(control->context) : NULL;
}

static enum stage stage_of(const struct inject_view *view, const struct scene *scene)
{
    const struct run_control_interface *control = scene->control;
    if (control && control->is_busy(control->context))
        return STAGE_RUN;
    return view->chooses || !inject_view_report_of(scene) ? STAGE_FORM : STAGE_REPORT;
}

/* ---- the form ---- */

static void inject_view_begin(struct inject_view *view, const struct scene *scene)
{
    const struct run_options options = run_form_options(&view->form);
    const struct run_control_interface *control = scene->control;
    view->chooses =
        !control->begin(control->context, &options, view->form.problem, sizeof view->form.problem);
    view->said[0] = '\0';
    view->report.top = 0;
    list_home(&view->candidates);
}

static bool is_allowed(const struct inject_view *view, const struct scene *scene)
{
    const struct run_options options = run_form_options(&view->form);
    char why[300];
    return scene->control->allows(scene->control->context, &options, why, sizeof why);
}

static void name_cluster(struct inject_view *view, const struct scene *scene)
{
    const struct cluster *cluster = scene->model->cluster_count > 0 ? &scene->model->clusters[0] : NULL;
    snprintf(view->cluster, sizeof view->cluster, "%s", cluster ? label_cluster(cluster) : "this cluster");
}

static enum view_result form_action(struct inject_view *view, const struct scene *scene, enum action action)
{
    if (run_form_move(&view->form, action))
        return VIEW_DONE;
    if (action == ACTION_OPEN) {
        view->starts = false;
        if (run_form_question(&view->form))
            return VIEW_ASK;
        run_form_move(&view->form, ACTION_RIGHT);
        return VIEW_DONE;
    }
    if (action != ACTION_RUN || !is_allowed(view, scene))
        return VIEW_IGNORED;
    view->starts = true;
    name_cluster(view, scene);
    if (run_form_is_live(&view->form) || !scene->control->own)
        return VIEW_ASK;
    inject_view_begin(view, scene);
    return VIEW_DONE;
}

static void inject_question(const struct view *self, char *buffer, size_t size)
{
    const struct inject_view *view = (const struct inject_view *)self;
    const struct run_options said = run_form_options(&view->form);
    if (!view->starts)
        snprintf(buffer, size, "%s", run_form_question(&view->form));
    else if (run_form_is_live(&view->form))
        snprintf(buffer, size, "writes to cluster %s; type %s to start: ", view->cluster, view->form.name);
    else
        snprintf(buffer, size, "start %zu test candidates %s%s on cluster %s? y or n: ", said.candidates,
                 said.path ? "in a copy of " : "in the sandbox", said.path ? view->form.name : "",
                 view->cluster);
}

static enum view_result inject_answer(struct view *self, const struct scene *scene, const char *text)
{
    struct inject_view *view = (struct inject_view *)self;
    if (!scene->control || stage_of(view, scene) != STAGE_FORM)
        return VIEW_IGNORED;
    bool live = run_form_is_live(&view->form);
    if (!view->starts)
        run_form_type(&view->form, text);
    else if (live ? strcmp(text, view->form.name) == 0 : strcmp(text, "y") == 0 || strcmp(text, "yes") == 0)
        inject_view_begin(view, scene);
    else
        snprintf(view->form.problem, sizeof view->form.problem, "%s",
                 live ? "The name does not match: nothing was started." : "Nothing was started.");
    return VIEW_DONE;
}

/* ---- the run ---- */

static enum view_result run_action(struct inject_view *view, const struct scene *scene, enum action action)
{
    static const struct {
        enum action action;
        enum run_act act;
    } acts[] = {{ACTION_ADD, RUN_ADD},
                {ACTION_KILL, RUN_KILL},
                {ACTION_HANG, RUN_PAUSE},
                {ACTION_RESUME, RUN_RESUME},
                {ACTION_RESIGN, RUN_RESIGN}};
    const struct run_control_interface *control = scene->control;
    view->said[0] = '\0';
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].action == action) {
            control->act(control->context, acts[i].act, run_picture_chosen(control, &view->candidates),
                         view->said, sizeof view->said);
            return VIEW_DONE;
        }
    if (action == ACTION_STOP) {
        control->end(control->context);
        return VIEW_DONE;
    }
    return run_picture_move(control, &view->candidates, action) ? VIEW_DONE : VIEW_IGNORED;
}

/* ---- the report ---- */

/* Nothing was begun: only why. */
static void refusal_draw(const struct run_report *r, struct cells *cells)
{
    int width = cells->width - 4, y = 1;
    cells_put(cells, 1, y, 1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL));
    cells_put(cells, 3, y, -1, ROLE_CRITICAL | STYLE_BOLD, "Nothing was started.");
    y += 2;
    y += columns_wrap_put(cells, 3, y, width, cells->height - y, ROLE_WARNING,
                          r->problem ? r->problem : "The run was ended before it started.");
    cells_printf(cells, 3, y + 1, -1, ROLE_DIM, "%s goes back to the form.", key_first(ACTION_OPEN));
}

static void report_draw(struct inject_view *view, const struct run_report *r, struct cells *cells)
{
    const struct print_style how = {
        .ascii = cells->ascii, .theme.depth = DEPTH_MONO, .width = cells->width - 2};
    struct buffer text = {0};
    size_t lines = 0, line = 0;
    if (r->crowd.sessions == 0) {
        refusal_draw(r, cells);
        return;
    }
    int airy = cells->height >= 18, y = airy;
    if (r->problem) { /* always in sight */
        cells_put(cells, 1, y, 1, ROLE_WARNING, cells_sign(cells, SIGN_WARNING));
        y += columns_wrap_put(cells, 3, y, cells->width - 4, cells->height / 3, ROLE_WARNING, r->problem) + 1;
    }
    run_print(&text, DOCUMENT_TEXT, r, &(struct run_options_text){0}, &how);
    for (size_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    list_begin_scrolled(&view->report, lines, cells->height > y ? (size_t)(cells->height - y) : 0);
    bool blank = false;
    for (size_t at = 0; at < text.length; line++) {
        const char *bytes = text.bytes + at, *end = memchr(bytes, '\n', text.length - at);
        size_t length = end ? (size_t)(end - bytes) : text.length - at;
        style role = blank ? ROLE_HEADING : ROLE_TEXT;
        if (line >= view->report.top && line < view->report.top + view->report.rows)
            cells_put_bytes(cells, 1, y + (int)(line - view->report.top), cells->width - 2, role, bytes,
                            length);
        blank = length == 0;
        at += length + 1;
    }
    list_put_more(&view->report, cells, airy ? 0 : cells->height - 1);
    buffer_free(&text);
}

static enum view_result report_action(struct inject_view *view, enum action action)
{
    if (action == ACTION_OPEN) {
        view->chooses = true;
        return VIEW_DONE;
    }
    return list_scroll(&view->report, action) ? VIEW_DONE : VIEW_IGNORED;
}

/* ---- the view ---- */

static void inject_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct inject_view *view = (struct inject_view *)self;
    if (!scene->control) {
        cells_put(cells, 3, 1, -1, ROLE_WARNING,
                  scene->past ? "This is a replay: no test candidate can run."
                              : "No live cluster is shown, so no test candidate can run.");
        return;
    }
    switch (stage_of(view, scene)) {
    case STAGE_FORM:
        run_form_draw(&view->form, scene, cells);
        break;
    case STAGE_RUN:
        view->chooses = false; /* when it is over, its report is what one wants to see */
        run_picture_draw(cells, scene->control, inject_view_report_of(scene), &view->candidates, view->said);
        break;
    case STAGE_REPORT:
        report_draw(view, inject_view_report_of(scene), cells);
        break;
    }
}

static enum view_result inject_action(struct view *self, const struct scene *scene, enum action action,
                                      struct view **next)
{
    struct inject_view *view = (struct inject_view *)self;
    (void)next;
    if (!scene->control)
        return VIEW_IGNORED;
    switch (stage_of(view, scene)) {
    case STAGE_FORM:
        return form_action(view, scene, action);
    case STAGE_RUN:
        return run_action(view, scene, action);
    case STAGE_REPORT:
        return report_action(view, action);
    }
    return VIEW_IGNORED;
}

static void inject_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    static const char *const words[] = {"a new run", "", "report"};
    struct inject_view *view = (struct inject_view *)self;
    enum stage stage = stage_of(view, scene);
    const struct run_report *report = stage == STAGE_FORM ? NULL : inject_view_report_of(scene);
    const char *more = report && report->election ? report->election : words[stage];
    label_put_title(cells, x, room, "test candidates", more);
}

#define RUN_KEYS                                                                                             \
    (ACTION_BIT(ACTION_ADD) | ACTION_BIT(ACTION_KILL) | ACTION_BIT(ACTION_HANG) |                            \
     ACTION_BIT(ACTION_RESUME) | ACTION_BIT(ACTION_RESIGN) | ACTION_BIT(ACTION_STOP))

static bool inject_heeds(const struct view *self, const struct scene *scene, enum action action)
{
    const struct inject_view *view = (const struct inject_view *)self;
    const struct run_control_interface *control = scene->control;
    if (!control)
        return false;
    bool moves = action == ACTION_UP || action == ACTION_DOWN;
    switch (stage_of(view, scene)) {
    case STAGE_FORM:
        return moves || action == ACTION_LEFT || action == ACTION_RIGHT || action == ACTION_OPEN ||
               (action == ACTION_RUN && is_allowed(view, scene));
    case STAGE_RUN:
        if (action == ACTION_STOP)
            return true;
        return control->count(control->context) > 0 && (ACTION_BIT(action) & (RUN_KEYS | VIEW_MOVES)) &&
               (!inject_view_report_of(scene)->options->live || !(ACTION_BIT(action) & RUN_KEYS) ||
                action == ACTION_KILL);
    case STAGE_REPORT:
        return action == ACTION_OPEN || (ACTION_BIT(action) & VIEW_MOVES);
    }
    return false;
}

static const char *inject_word(const struct view *self, const struct scene *scene, enum action action)
{
    enum stage stage = stage_of((const struct inject_view *)self, scene);
    if (action == ACTION_OPEN)
        return stage == STAGE_FORM ? "change" : "new run";
    return action == ACTION_RIGHT && stage == STAGE_FORM ? "choose" : NULL;
}

static void inject_release(struct view *self)
{
    struct inject_view *view = (struct inject_view *)self;
    list_release(&view->candidates);
    list_release(&view->report);
    run_form_release(&view->form);
}

static const struct view_ops ops = {
    .name = "inject",
    .draw = inject_draw,
    .action = inject_action,
    .title = inject_title,
    .question = inject_question,
    .answer = inject_answer,
    .release = inject_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) |
               ACTION_BIT(ACTION_RUN) | RUN_KEYS,
    .heeds = inject_heeds,
    .word = inject_word,
    .opened_by = ACTION_INJECT,
};

struct view *inject_view_new(const char *path, const char *name)
{
    struct inject_view *view = view_new(&ops, sizeof *view, NULL, NULL);
    run_form_init(&view->form, path, name);
    return &view->view;
}

/*
 * inject_view.c - test candidates from the dashboard: a form, the picture of the run, its report.
 *
 * The form has no field to type into: each has a handful of sensible values. What would touch a live election
 * is red, names it, and begins only once its name was typed.
 */
#include "tui/inject/inject_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/inject/trial_lines.h"
#include "tui/inject/workbench.h"
#include "tui/text/format.h"
#include "tui/views/list.h"

enum field {
    FIELD_PLACE,
    FIELD_COUNT,
    FIELD_RATE,
    FIELD_BEHAVIOUR,
    FIELD_VICTIM,
    FIELD_HOW,
    FIELD_EVERY,
    FIELD_FOR,
    FIELDS
};

/* What each field may say. */
static const int counts[] = {2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
static const int rates[] = {0, 1, 5, 10, 20, 50, 100, 500, 1000};
static const enum behaviour behaviours[] = {BEHAVIOUR_RECIPE, BEHAVIOUR_HERD, BEHAVIOUR_CHILDREN,
                                            BEHAVIOUR_DEAF,   BEHAVIOUR_ONCE, BEHAVIOUR_SLOW,
                                            BEHAVIOUR_MUTE};
static const char *const behaviour_help[] = {
    "each watches the one before it",  "all watch the leader",      "all watch the directory",
    "nobody watches: nobody wakes",    "watch once, and not again", "acknowledge half a second late",
    "hold the lead, never acknowledge"};
static const int everies_ms[] = {100, 250, 500, 1000, 2000, 5000, 10000, 30000};
static const int fors_s[] = {10, 30, 60, 300, 1800};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const labels[FIELDS] = {"where",    "how many", "how fast",  "behaviour",
                                           "who dies", "how",      "how often", "for how long"};
static const char *const how_words[DEPART_COUNT] = {"closes its session", "resigns: deletes its znode",
                                                    "crashes: the session expires",
                                                    "hangs: the session expires"};

struct inject_view {
    struct view view;
    char *path, *name; /* of the election that was selected; NULL: none */
    int at[FIELDS];
    int field;
    char typed[160];
    char problem[300];
    bool begun; /* the run on the screen is this view's, or one that went on when it was opened */
    struct list list;
    int report_top;
};

static struct inject_view *inject_view_of(struct view *self)
{
    return (struct inject_view *)(void *)self;
}

static int values_of(const struct inject_view *view, enum field field)
{
    switch (field) {
    case FIELD_PLACE:
        return view->path ? 3 : 1;
    case FIELD_COUNT:
        return LENGTH(counts);
    case FIELD_RATE:
        return LENGTH(rates);
    case FIELD_BEHAVIOUR:
        return LENGTH(behaviours);
    case FIELD_VICTIM:
        return 3;
    case FIELD_HOW:
        return DEPART_COUNT;
    case FIELD_EVERY:
        return LENGTH(everies_ms);
    case FIELD_FOR:
        return LENGTH(fors_s);
    case FIELDS:
        break;
    }
    return 1;
}

static bool is_live(const struct inject_view *view)
{
    return view->at[FIELD_PLACE] == RUN_LIVE;
}

/* In a live election these have no say. */
static bool is_idle(const struct inject_view *view, enum field field)
{
    bool dies = field == FIELD_HOW || field == FIELD_EVERY;
    return (is_live(view) && (dies || field == FIELD_VICTIM || field == FIELD_BEHAVIOUR)) ||
           (dies && view->at[FIELD_VICTIM] == VICTIM_NOBODY);
}

static void value_text(const struct inject_view *view, const struct scene *scene, enum field field, char *out,
                       size_t size)
{
    static const char *const victims[] = {"nobody", "the leader, again and again",
                                          "anybody, again and again"};
    int at = view->at[field];
    switch (field) {
    case FIELD_PLACE:
        if (at == RUN_SANDBOX)
            snprintf(out, size, "an election of its own, in %s", scene->settings->inject.sandbox);
        else
            snprintf(out, size, at == RUN_COPY ? "a copy of %s, in the sandbox" : "LIVE, in %s itself",
                     view->name);
        break;
    case FIELD_COUNT:
        snprintf(out, size, "%d test candidates", counts[at]);
        break;
    case FIELD_RATE:
        if (rates[at])
            snprintf(out, size, "%d a second", rates[at]);
        else
            snprintf(out, size, "as fast as is allowed");
        break;
    case FIELD_BEHAVIOUR:
        snprintf(out, size, "%s: %s", behaviour_manner(behaviours[at])->word, behaviour_help[at]);
        break;
    case FIELD_VICTIM:
        snprintf(out, size, "%s", victims[at]);
        break;
    case FIELD_HOW:
        snprintf(out, size, "%s", how_words[at]);
        break;
    case FIELD_EVERY:
        snprintf(out, size, "every %g s", everies_ms[at] / 1000.0);
        break;
    case FIELD_FOR:
        snprintf(out, size, "%d s after all stand", fors_s[at]);
        break;
    case FIELDS:
        break;
    }
}

/* ---- the form ---- */

static void form_draw(const struct inject_view *view, const struct scene *scene, struct cells *cells)
{
    char text[600];
    int y = 1;
    for (int field = 0; field < FIELDS && y < cells->height; field++, y++) {
        bool selected = field == view->field, idle = is_idle(view, (enum field)field);
        style role = idle ? ROLE_DIM : field == FIELD_PLACE && is_live(view) ? ROLE_CRITICAL : ROLE_TEXT;
        value_text(view, scene, (enum field)field, text, sizeof text);
        cells_put(cells, 1, y, 2, ROLE_ACCENT, selected ? cells_sign(cells, SIGN_SELECTED) : " ");
        cells_put(cells, 3, y, 14, ROLE_DIM, labels[field]);
        cells_put(cells, 18, y, -1, role, idle ? "-" : text);
        if (selected)
            cells_select_row(cells, y, 0, cells->width);
    }
    y++;
    if (view->problem[0]) {
        cells_put(cells, 3, y++, -1, ROLE_WARNING, view->problem);
    } else if (is_live(view)) {
        snprintf(text, sizeof text, "%s  This writes into the live election %s.",
                 cells_sign(cells, SIGN_CRITICAL), view->name);
        cells_put(cells, 1, y++, -1, ROLE_CRITICAL | STYLE_BOLD, text);
        cells_put(cells, 3, y++, -1, ROLE_CRITICAL,
                  "They stand behind two real candidates at least, and give way when one goes.");
        snprintf(text, sizeof text, "Press / and type its name, %s, then Enter twice.", view->name);
        cells_put(cells, 3, y++, -1, ROLE_TEXT, text);
        if (view->typed[0])
            cells_put(cells, 3, y++, -1, strcmp(view->typed, view->name) == 0 ? ROLE_GOOD : ROLE_WARNING,
                      strcmp(view->typed, view->name) == 0 ? "That is its name: Enter begins."
                                                           : "That is not its name.");
    } else {
        cells_put(cells, 3, y++, -1, ROLE_DIM, "Left and Right choose, Enter begins. Nothing of it stays.");
    }
}

static void form_begin(struct inject_view *view, const struct scene *scene)
{
    view->problem[0] = '\0';
    if (is_live(view) && strcmp(view->typed, view->name) != 0)
        return; /* what is to be done stands there in red */
    const struct run_form form = {
        .place = (enum run_place)view->at[FIELD_PLACE],
        .path = view->path,
        .candidates = (size_t)counts[view->at[FIELD_COUNT]],
        .rate_per_s = rates[view->at[FIELD_RATE]],
        .behaviour = behaviours[view->at[FIELD_BEHAVIOUR]],
        .victim = (enum crowd_victim)view->at[FIELD_VICTIM],
        .how = (enum departure)view->at[FIELD_HOW],
        .every_ms = (uint64_t)everies_ms[view->at[FIELD_EVERY]],
        .for_ms = (int64_t)fors_s[view->at[FIELD_FOR]] * 1000,
    };
    const struct workbench *bench = scene->workbench;
    view->begun = bench->begin(bench->context, &form, view->problem, sizeof view->problem);
    view->typed[0] = '\0';
    view->report_top = 0;
    list_home(&view->list);
}

static enum view_result form_action(struct inject_view *view, const struct scene *scene, enum action action)
{
    int *at = &view->at[view->field], values = values_of(view, (enum field)view->field);
    switch (action) {
    case ACTION_UP:
        view->field = (view->field + FIELDS - 1) % FIELDS;
        return VIEW_DONE;
    case ACTION_DOWN:
        view->field = (view->field + 1) % FIELDS;
        return VIEW_DONE;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        *at = (*at + (action == ACTION_LEFT ? values - 1 : 1)) % values;
        view->problem[0] = '\0';
        return VIEW_DONE;
    case ACTION_OPEN:
        form_begin(view, scene);
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

/* ---- the run ---- */

static void times_draw(struct cells *cells, int y, const char *label, const struct histogram *h)
{
    char p50[24], p99[24], most[24];
    cells_put(cells, 1, y, 14, ROLE_DIM, label);
    if (h->count == 0) {
        cells_put(cells, 16, y, -1, ROLE_DIM, "none yet");
        return;
    }
    cells_printf(cells, 16, y, -1, ROLE_TEXT, "%6llu   p50 %-8s p99 %-8s max %s",
                 (unsigned long long)h->count, format_span(histogram_percentile(h, 0.5), p50, sizeof p50),
                 format_span(histogram_percentile(h, 0.99), p99, sizeof p99),
                 format_span(h->most_us, most, sizeof most));
}

static void candidate_draw(struct cells *cells, int y, const struct run_candidate *one, size_t i)
{
    static const char *const states[CANDIDATE_STATES] = {"on its way", "waits", "leads", "has resigned",
                                                         "is gone"};
    style role = one->paused                       ? ROLE_WARNING
                 : one->state == CANDIDATE_LEADING ? ROLE_GOOD
                 : one->state == CANDIDATE_WAITING ? ROLE_TEXT
                                                   : ROLE_DIM;
    char short_name[64];
    cells_put(cells, 1, y, 2, ROLE_GOOD,
              one->state == CANDIDATE_LEADING ? cells_sign(cells, SIGN_LEADER) : " ");
    cells_printf(cells, 3, y, 6, ROLE_DIM, "%5zu", i + 1);
    cells_put(cells, 11, y, 14, role, one->paused ? "hangs" : states[one->state]);
    cells_put(cells, 26, y, -1, role,
              one->name ? format_candidate(one->name, cells->width - 28, cells_sign(cells, SIGN_ELLIPSIS),
                                           short_name, sizeof short_name)
                        : "");
}

static void run_draw(struct inject_view *view, const struct scene *scene, const struct trial_report *r,
                     struct cells *cells)
{
    const struct workbench *bench = scene->workbench;
    struct buffer line = {0};
    trial_progress_print(&line, r, cells->ascii);
    cells_put_bytes(cells, 1, 0, -1, r->options->live ? ROLE_CRITICAL : ROLE_STRONG,
                    line.bytes ? line.bytes : "", line.length);
    buffer_free(&line);
    times_draw(cells, 2, "to stand", r->times.stand);
    times_draw(cells, 3, "failover", r->times.failover);
    times_draw(cells, 4, "ping", &r->ping);
    cells_put(cells, 1, 5, 14, ROLE_DIM, "a failover");
    if (r->counted)
        cells_printf(cells, 16, 5, -1, ROLE_TEXT, "%llu notifications and %llu requests each",
                     (unsigned long long)((r->notices + r->counted / 2) / r->counted),
                     (unsigned long long)((r->requests + r->counted / 2) / r->counted));
    else
        cells_put(cells, 16, 5, -1, ROLE_DIM, "none yet");
    cells_rule(cells, 0, 6, cells->width, "test candidates");
    size_t count = bench->count(bench->context), rows = cells->height > 7 ? (size_t)(cells->height - 7) : 0;
    list_begin(&view->list, count, rows);
    list_show(&view->list);
    for (size_t row = 0; row < rows && view->list.top + row < count; row++) {
        size_t i = view->list.top + row;
        struct run_candidate one = bench->candidate(bench->context, i);
        candidate_draw(cells, 7 + (int)row, &one, i);
        if (i == view->list.at)
            cells_select_row(cells, 7 + (int)row, 0, cells->width);
    }
    if (rows)
        list_put_more(&view->list, cells, cells->height - 1);
}

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
    const struct workbench *bench = scene->workbench;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].action == action) {
            bench->act(bench->context, acts[i].act, view->list.at);
            return VIEW_DONE;
        }
    if (action == ACTION_STOP) {
        bench->end(bench->context);
        return VIEW_DONE;
    }
    return list_move(&view->list, action) ? VIEW_DONE : VIEW_IGNORED;
}

/* ---- the report ---- */

static void report_draw(struct inject_view *view, const struct trial_report *r, struct cells *cells)
{
    struct buffer text = {0};
    const struct print_style how = {
        .ascii = cells->ascii, .theme.depth = DEPTH_MONO, .width = cells->width - 1};
    trial_text_print(&text, &how, r, &(struct trial_wishes){0});
    if (r->problem && r->crowd.sessions == 0)
        cells_put(cells, 1, cells->height - 1, -1, ROLE_WARNING, r->problem);
    int line = 0, lines = 0;
    for (size_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    int most = lines > cells->height ? lines - cells->height : 0;
    view->report_top = view->report_top > most ? most : view->report_top;
    for (size_t at = 0; at < text.length; line++) {
        const char *end = memchr(text.bytes + at, '\n', text.length - at);
        size_t length = end ? (size_t)(end - text.bytes) - at : text.length - at;
        bool heads = length > 0 && text.bytes[at] != ' ' && line > 0 && at > 1 && text.bytes[at - 2] == '\n';
        if (line >= view->report_top)
            cells_put_bytes(cells, 1, line - view->report_top, -1, heads ? ROLE_HEADING : ROLE_TEXT,
                            text.bytes + at, length);
        at += length + 1;
    }
    buffer_free(&text);
}

static enum view_result report_action(struct inject_view *view, enum action action)
{
    switch (action) {
    case ACTION_UP:
        view->report_top -= view->report_top > 0;
        return VIEW_DONE;
    case ACTION_DOWN:
        view->report_top++;
        return VIEW_DONE;
    case ACTION_BACK:
        view->begun = false; /* back to the form */
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

/* ---- the view ---- */

static const struct trial_report *report_of(const struct inject_view *view, const struct scene *scene)
{
    const struct workbench *bench = scene->workbench;
    return view->begun && bench ? bench->report(bench->context) : NULL;
}

static void inject_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct inject_view *view = inject_view_of(self);
    const struct trial_report *report = report_of(view, scene);
    if (!scene->workbench)
        cells_put(cells, 1, 1, -1, ROLE_WARNING,
                  "nothing is live here: test candidates have nowhere to stand");
    else if (!report)
        form_draw(view, scene, cells);
    else if (report->phase == TRIAL_OVER)
        report_draw(view, report, cells);
    else
        run_draw(view, scene, report, cells);
}

static enum view_result inject_action(struct view *self, const struct scene *scene, enum action action,
                                      struct view **next)
{
    struct inject_view *view = inject_view_of(self);
    const struct trial_report *report = report_of(view, scene);
    (void)next;
    if (!scene->workbench)
        return VIEW_IGNORED;
    if (!report)
        return form_action(view, scene, action);
    return report->phase == TRIAL_OVER ? report_action(view, action) : run_action(view, scene, action);
}

static void inject_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    struct inject_view *view = inject_view_of(self);
    const struct trial_report *report = report_of(view, scene);
    int used = cells_put(cells, x, 0, room, ROLE_TITLE, "test candidates");
    if (room > used + 2 && report && report->election)
        cells_put(cells, x + used + 2, 0, room - used - 2, ROLE_TITLE_DIM, report->election);
}

/* The name of a live election, typed; nothing is filtered here. */
static void inject_filter(struct view *self, const char *text)
{
    struct inject_view *view = inject_view_of(self);
    snprintf(view->typed, sizeof view->typed, "%s", text);
}

static void inject_free(struct view *self)
{
    struct inject_view *view = inject_view_of(self);
    list_release(&view->list);
    free(view->path);
    free(view->name);
    free(view);
}

static const struct view_ops ops = {
    .name = "inject",
    .draw = inject_draw,
    .action = inject_action,
    .title = inject_title,
    .filter = inject_filter,
    .free = inject_free,
    .answers = ACTION_BIT(ACTION_UP) | ACTION_BIT(ACTION_DOWN) | ACTION_BIT(ACTION_LEFT) |
               ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_BACK) |
               ACTION_BIT(ACTION_ADD) | ACTION_BIT(ACTION_KILL) | ACTION_BIT(ACTION_HANG) |
               ACTION_BIT(ACTION_RESUME) | ACTION_BIT(ACTION_RESIGN) | ACTION_BIT(ACTION_STOP),
};

struct view *inject_view_new(const char *path, const char *name, const struct workbench *bench)
{
    struct inject_view *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->view.ops = &ops;
    view->path = path ? strdup(path) : NULL;
    view->name = path ? strdup(name ? name : path) : NULL;
    view->at[FIELD_PLACE] = view->path ? RUN_COPY : RUN_SANDBOX;
    view->at[FIELD_COUNT] = 3;
    view->at[FIELD_VICTIM] = VICTIM_LEADER;
    view->at[FIELD_EVERY] = 3;
    view->at[FIELD_FOR] = 1;
    const struct trial_report *report = bench ? bench->report(bench->context) : NULL;
    view->begun = report && report->phase != TRIAL_OVER;
    if (path && (!view->path || !view->name)) {
        inject_free(&view->view);
        return NULL;
    }
    return &view->view;
}

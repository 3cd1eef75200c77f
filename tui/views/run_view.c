#include "tui/views/run_control_interface.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/units.h"
#include "tui/output/run_lines.h"
#include "probe/election/recipe.h"
#include "tui/screen/columns.h"
#include "tui/screen/safe.h"
#include "tui/views/list.h"
#include "tui/views/view.h"
#include "tui/words/format.h"

/*
 * What a run of test candidates shall be, chosen field by field.
 *
 * Left and Right choose among a few sensible values of a field, and a number may be typed. The form says in
 * words what they come to.
 */

enum form_field {
    FIELD_PLACE,
    FIELD_COUNT,
    FIELD_RATE,
    FIELD_BEHAVIOUR,
    FIELD_VICTIM,
    FIELD_HOW,
    FIELD_EVERY,
    FIELD_FOR,
    FORM_FIELDS
};

struct form {
    char *path, *name;          /* of the election that was selected; NULL: none */
    int at[FORM_FIELDS];        /* the value of each, among those that it has */
    int64_t typed[FORM_FIELDS]; /* a number that was typed in its place (of a time in ms); 0: none */
    int field;                  /* the one that is selected */
    char problem[300];          /* why it did not begin; "" */
};

#define FORM_LABEL_X 3
#define VALUE_X 18
/* Lines longer than this are hard to read. */
#define TEXT_COLUMNS 100

/* What each field may say. */
static const int counts[] = {2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
static const int rates[] = {0, 1, 5, 10, 20, 50, 100, 500, 1000};
/* The values of FIELD_PLACE. */
enum form_place {
    PLACE_SANDBOX, /* a separate election */
    PLACE_COPY,    /* in the sandbox, made like the one at the path */
    PLACE_LIVE     /* in the one at the path */
};

/* "half a second late" */
#define SLOW_MS 500

static const enum behaviour behaviours[] = {BEHAVIOUR_RECIPE, BEHAVIOUR_HERD, BEHAVIOUR_CHILDREN,
                                            BEHAVIOUR_DEAF,   BEHAVIOUR_ONCE, BEHAVIOUR_SLOW,
                                            BEHAVIOUR_MUTE};
static const char *const behaviour_help[] = {
    "each watches its predecessor",   "all watch the leader", "all watch the directory",
    "none watches: none is notified", "watch only once",      "acknowledge 0.5 s late",
    "lead, but never acknowledge"};
static const int everies_ms[] = {100, 250, 500, 1000, 2000, 5000, 10000, 30000};
static const int fors_s[] = {10, 30, 60, 300, 1800};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const labels[FORM_FIELDS] = {"where", "how many", "how fast",  "behaviour",
                                                "kill",  "how",      "how often", "for how long"};
static const char *const how_words[KILL_COUNT] = {"closes its session", "resigns: deletes its znode",
                                                  "crashes: the session expires",
                                                  "hangs: the session expires"};

/* path (full) and name, copied, or NULL. */
static void form_init(struct form *form, const char *path, const char *name)
{
    form->path = text_copy(path);
    form->name = path ? xstrdup(name ? name : path) : NULL;
    form->at[FIELD_PLACE] = path ? PLACE_COPY : PLACE_SANDBOX;
    form->at[FIELD_COUNT] = 3;
    form->at[FIELD_VICTIM] = VICTIM_LEADER;
    form->at[FIELD_EVERY] = 3;
    form->at[FIELD_FOR] = 1;
}

static void form_release(struct form *form)
{
    free(form->path);
    free(form->name);
}

static bool form_is_live(const struct form *form)
{
    return form->at[FIELD_PLACE] == PLACE_LIVE;
}

/* Of a field with numbers: as typed, or as chosen; times in ms. */
static int64_t run_view_number_of(const struct form *form, enum form_field field)
{
    int at = form->at[field];
    if (form->typed[field] > 0)
        return form->typed[field];
    return field == FIELD_COUNT   ? counts[at]
           : field == FIELD_RATE  ? rates[at]
           : field == FIELD_EVERY ? everies_ms[at]
                                  : (int64_t)fors_s[at] * 1000;
}

/* Its options; the path is the form's. Test candidates in a live election are as the others are, and are not
   killed. */
static struct run_options form_options(const struct form *form)
{
    enum behaviour behaviour = behaviours[form->at[FIELD_BEHAVIOUR]];
    bool live = form_is_live(form);
    return (struct run_options){
        .path = form->at[FIELD_PLACE] == PLACE_SANDBOX ? NULL : form->path,
        .live = live,
        .candidates = (size_t)run_view_number_of(form, FIELD_COUNT),
        .rate_per_s = (int)run_view_number_of(form, FIELD_RATE),
        .shares = {{behaviour, 100, behaviour == BEHAVIOUR_SLOW ? SLOW_MS : 0}},
        .share_count = !live && behaviour != BEHAVIOUR_RECIPE,
        .victim = live ? VICTIM_NOBODY : (enum kill_victim)form->at[FIELD_VICTIM],
        .how = (enum kill_mode)form->at[FIELD_HOW],
        .every_ms = (uint64_t)run_view_number_of(form, FIELD_EVERY),
        .for_ms = run_view_number_of(form, FIELD_FOR),
    };
}

static int values_of(const struct form *form, enum form_field field)
{
    switch (field) {
    case FIELD_PLACE:
        return form->path ? 3 : 1;
    case FIELD_COUNT:
        return LENGTH(counts);
    case FIELD_RATE:
        return LENGTH(rates);
    case FIELD_BEHAVIOUR:
        return LENGTH(behaviours);
    case FIELD_VICTIM:
        return 3;
    case FIELD_HOW:
        return KILL_COUNT;
    case FIELD_EVERY:
        return LENGTH(everies_ms);
    case FIELD_FOR:
        return LENGTH(fors_s);
    case FORM_FIELDS:
        break;
    }
    return 1;
}

/* It has no effect: in a live election test candidates copy their siblings, and are not killed. */
static bool is_idle(const struct form *form, enum form_field field)
{
    bool dies = field == FIELD_HOW || field == FIELD_EVERY;
    return (form_is_live(form) && (dies || field == FIELD_VICTIM || field == FIELD_BEHAVIOUR)) ||
           (dies && form->at[FIELD_VICTIM] == VICTIM_NOBODY);
}

/* Up and down, left and right; false: it was none of these. */
static bool form_move(struct form *form, enum action action)
{
    int *at = &form->at[form->field], values = values_of(form, (enum form_field)form->field);
    switch (action) {
    case ACTION_UP:
    case ACTION_DOWN:
        do
            form->field = (form->field + (action == ACTION_UP ? FORM_FIELDS - 1 : 1)) % FORM_FIELDS;
        while (is_idle(form, (enum form_field)form->field));
        return true;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        *at = (*at + (action == ACTION_LEFT ? values - 1 : 1)) % values;
        form->typed[form->field] = 0;
        form->problem[0] = '\0';
        return true;
    default:
        return false;
    }
}

/* The selected field takes a number: what to ask for ("how many, 1 to 10000: "); NULL: Enter chooses its next
 * value. */
static const char *form_question(const struct form *form)
{
    switch (form->field) {
    case FIELD_COUNT:
        return "how many test candidates (1 to 10000): ";
    case FIELD_RATE:
        return "how many a second (1 to 100000): ";
    case FIELD_EVERY:
        return "interval of the kills (100ms to 1h): ";
    case FIELD_FOR:
        return "for how long (1s to 1d): ";
    default:
        return NULL;
    }
}

/* Takes the text typed for the selected field. False: it is not a valid number, and form->problem says so. */
static bool form_type(struct form *form, const char *text)
{
    bool is_time = form->field == FIELD_EVERY || form->field == FIELD_FOR;
    int64_t least = form->field == FIELD_EVERY ? 100 : form->field == FIELD_FOR ? 1000 : 1;
    int64_t most = form->field == FIELD_COUNT   ? 10000
                   : form->field == FIELD_RATE  ? 100000
                   : form->field == FIELD_EVERY ? 3600000
                                                : 86400000;
    int64_t value;
    const char *problem = is_time ? duration_parse(text, &value) : number_parse(text, &value);
    form->problem[0] = '\0';
    if (!problem && (value < least || value > most))
        problem = "is out of range";
    if (problem) {
        snprintf(form->problem, sizeof form->problem, "\"%.40s\" %s.", text, problem);
        return false;
    }
    form->typed[form->field] = value;
    return true;
}

static void run_form_value_text(const struct form *form, const struct scene *scene, enum form_field field,
                                char *out, size_t size)
{
    static const char *const victims[] = {"none", "the leader, repeatedly", "any of them, repeatedly"};
    int at = form->at[field];
    switch (field) {
    case FIELD_PLACE:
        if (at == PLACE_SANDBOX)
            snprintf(out, size, "a new election, in %s", scene->settings->inject.sandbox);
        else
            snprintf(out, size, at == PLACE_COPY ? "a copy of %s, in the sandbox" : "LIVE, in %s itself",
                     form->name);
        break;
    case FIELD_COUNT:
        snprintf(out, size, "%" PRId64 " test candidates", run_view_number_of(form, field));
        break;
    case FIELD_RATE:
        if (run_view_number_of(form, field))
            snprintf(out, size, "%" PRId64 " a second", run_view_number_of(form, field));
        else if (scene->control->own)
            snprintf(out, size, "as fast as they can");
        else
            snprintf(out, size, "as fast as allowed: %d a second", scene->settings->inject.creates_per_s);
        break;
    case FIELD_BEHAVIOUR:
        snprintf(out, size, "%s: %s", behaviour_rules_of(behaviours[at])->word, behaviour_help[at]);
        break;
    case FIELD_VICTIM:
        snprintf(out, size, "%s", victims[at]);
        break;
    case FIELD_HOW:
        snprintf(out, size, "%s", how_words[at]);
        break;
    case FIELD_EVERY:
        snprintf(out, size, "every %g s", (double)run_view_number_of(form, field) / 1000.0);
        break;
    case FIELD_FOR:
        snprintf(out, size, "%g s after all have joined", (double)run_view_number_of(form, field) / 1000.0);
        break;
    case FORM_FIELDS:
        break;
    }
}

/* The selected one between arrows, where there is anything else to choose. */
static void field_draw(const struct form *form, const struct scene *scene, struct cells *cells, int y,
                       enum form_field field)
{
    char text[600];
    bool selected = (int)field == form->field, idle = is_idle(form, field);
    bool arrows = selected && !idle && values_of(form, field) > 1;
    style role = idle ? ROLE_DIM : field == FIELD_PLACE && form_is_live(form) ? ROLE_CRITICAL : ROLE_TEXT;
    int x = VALUE_X, end = cells->width - 1;

    run_form_value_text(form, scene, field, text, sizeof text);
    if (idle) {
        snprintf(text, sizeof text, "%s %s", cells_sign(cells, SIGN_DASH),
                 field == FIELD_BEHAVIOUR ? "each watches its predecessor" : "none is killed");
        x -= 2; /* the dash replaces the arrow */
    }
    cells_put(cells, 1, y, 1, ROLE_ACCENT, selected ? cells_sign(cells, SIGN_SELECTED) : " ");
    cells_put(cells, FORM_LABEL_X, y, VALUE_X - FORM_LABEL_X - 2, selected ? ROLE_STRONG : ROLE_DIM,
              labels[field]);
    x += cells_put(cells, x, y, end - x - 2, (style)(selected ? role | STYLE_BOLD : role), text);
    if (arrows) {
        cells_put(cells, VALUE_X - 2, y, 1, ROLE_KEY, cells->ascii ? "<" : "‹");
        cells_put(cells, x + 1, y, 1, ROLE_KEY, cells->ascii ? ">" : "›");
    }
    if (selected)
        cells_select_row(cells, y, 0, cells->width);
}

/* In words: what will happen, and when it ends. */
static void plan_text(const struct form *form, const struct scene *scene, char *out, size_t size)
{
    static const char *const deaths[KILL_COUNT] = {"closes its session", "deletes its znode and stays",
                                                   "crashes: its session must expire",
                                                   "hangs: its session must expire"};
    const struct run_options said = form_options(form);
    size_t used = 0;
    if (form_is_live(form))
        used += (size_t)snprintf(out, size, "%zu test candidates join %s, after at least two real ones.",
                                 said.candidates, form->name);
    else if (said.path)
        used += (size_t)snprintf(out, size,
                                 "%zu test candidates, one session each, join a separate election in %s, "
                                 "with the names, data and ACL of %s, which is not changed.",
                                 said.candidates, scene->settings->inject.sandbox, form->name);
    else
        used += (size_t)snprintf(out, size,
                                 "%zu test candidates, one session each, join a separate election in %s.",
                                 said.candidates, scene->settings->inject.sandbox);
    if (used >= size)
        return;
    if (said.victim != VICTIM_NOBODY)
        used +=
            (size_t)snprintf(out + used, size - used, " Once all have joined, every %g s %s %s.",
                             (double)said.every_ms / 1000.0,
                             said.victim == VICTIM_LEADER ? "the leader" : "one of them", deaths[said.how]);
    if (used < size)
        snprintf(out + used, size - used, " %d s later the run ends and removes all that it created.",
                 (int)(said.for_ms / 1000));
}

static void limits_text(const struct scene *scene, char *out, size_t size)
{
    const struct inject_settings *limits = &scene->settings->inject;
    char ping[32];
    format_span(limits->stop_above_ping_ms * 1000, ping, sizeof ping);
    snprintf(out, size,
             "The run ends when the ensemble's ping exceeds %s, or when electop ends. The servers' "
             "maxClientCnxns counts its connections and those of this host's real clients together.",
             ping);
}

/* The resulting run, below the fields; or why it is impossible. */
static void outlook_draw(const struct form *form, const struct scene *scene, struct cells *cells, int y)
{
    const struct run_control_interface *bench = scene->control;
    const struct run_options said = form_options(form);
    char text[1200], why[300] = "";
    int width = (cells->width < TEXT_COLUMNS ? cells->width : TEXT_COLUMNS) - FORM_LABEL_X - 1;
    bool allowed = bench->allows(bench->context, &said, why, sizeof why);
    if (!allowed || form->problem[0]) {
        cells_put(cells, 1, y, 1, ROLE_WARNING, cells_sign(cells, SIGN_WARNING));
        y += wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_WARNING,
                      allowed ? form->problem : why);
        y++;
    }
    if (!allowed)
        return;
    plan_text(form, scene, text, sizeof text);
    if (form_is_live(form)) {
        cells_put(cells, 1, y, 1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL));
        cells_printf(cells, FORM_LABEL_X, y++, -1, ROLE_CRITICAL | STYLE_BOLD,
                     "This writes into the live election %s.", form->name);
        y += wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT, text);
        y += wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT,
                      "They withdraw whenever a real candidate ahead of them leaves. If one becomes first "
                      "anyway, it leaves at once, and the report says how long it was first.");
        y += wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_STRONG,
                      "Enter asks you to type its name.");
    } else {
        y += wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT, text);
    }
    limits_text(scene, text, sizeof text);
    wrap_put(cells, FORM_LABEL_X, y + 1, width, cells->height - y - 1, ROLE_DIM, text);
}

static void form_draw(const struct form *form, const struct scene *scene, struct cells *cells)
{
    int airy = cells->height >= 18, y = airy;
    for (int field = 0; field < FORM_FIELDS && y < cells->height; field++, y++)
        field_draw(form, scene, cells, y, (enum form_field)field);
    y += airy;
    cells_rule(cells, 0, y, cells->width, "what will happen");
    outlook_draw(form, scene, cells, y + 1 + airy);
}

#define LABEL_X 1
#define COUNT_RIGHT 18
#define FIGURE_COLUMNS 9
#define SPARKS_X (COUNT_RIGHT + 3 * FIGURE_COLUMNS + 3)
#define SPARKS_MOST 60
#define NAME_X 24

static size_t standing(const struct run_report *r)
{
    return r->crowd.by_state[CANDIDATE_WAITING] + r->crowd.by_state[CANDIDATE_LEADING];
}

/* From 0 to 1: of the candidates wanted, then of the time; less than 0: neither applies. */
static double progress(const struct run_report *r)
{
    double part = -1;
    if (r->phase == RUN_JOINING && r->options->candidates)
        part = (double)standing(r) / (double)r->options->candidates;
    else if (r->phase == RUN_RUNNING && r->options->for_ms)
        part = (double)r->run_us / 1000.0 / (double)r->options->for_ms;
    return part > 1 ? 1 : part;
}

static void bar_draw(struct cells *cells, int y, double part)
{
    int width = cells->width - 2, eighths = (int)(part * width * CELL_EIGHTHS);
    for (int i = 0; i < width; i++, eighths -= CELL_EIGHTHS)
        if (eighths >= CELL_EIGHTHS)
            cells_put(cells, 1 + i, y, 1, ROLE_BAR_A, cells_sign(cells, SIGN_BAR));
        else if (eighths > 0)
            cells_put(cells, 1 + i, y, 1, ROLE_BAR_A, cells_bar(cells, (1U << eighths) - 1));
        else
            cells_put(cells, 1 + i, y, 1, ROLE_RULE, cells_sign(cells, SIGN_RULE));
}

static void head_draw(struct cells *cells, int y, const struct run_report *r)
{
    char left[24];
    int x = 1, end = cells->width - 1;
    if (r->phase == RUN_RUNNING && r->options->for_ms) {
        format_age(r->options->for_ms * 1000 - (int64_t)r->run_us, left, sizeof left);
        end -= cells_put_right(cells, end, y, -1, ROLE_DIM, "left") + 1;
        end -= cells_put_right(cells, end, y, -1, ROLE_STRONG, left) + 2;
    }
    if (r->options->live) {
        x += cells_put(cells, x, y, -1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL)) + 1;
        x += cells_put(cells, x, y, -1, ROLE_CRITICAL | STYLE_BOLD, "LIVE") + 2;
    }
    x += cells_put(cells, x, y, end - x, ROLE_STRONG, run_phase_word(r->phase)) + 3;
    if (r->phase < RUN_JOINING || r->crowd.candidates == 0)
        return;
    x += cells_printf(cells, x, y, end - x, standing(r) > 0 ? ROLE_GOOD : ROLE_WARNING, "%zu", standing(r)) +
         1;
    x += cells_printf(cells, x, y, end - x, ROLE_TEXT, "of %zu in line", r->crowd.candidates) + 3;
    /* In a live election a real candidate leads, as it should. */
    if (r->crowd.by_state[CANDIDATE_LEADING] == 0 && x < end && r->phase == RUN_RUNNING && !r->options->live)
        x += cells_put(cells, x, y, end - x, ROLE_WARNING, "no leader") + 3;
    if (r->crowd.paused > 0 && x < end)
        x += cells_printf(cells, x, y, end - x, ROLE_WARNING, "%zu %s", r->crowd.paused,
                          r->crowd.paused == 1 ? "hangs" : "hang") +
             3;
    if (r->crowd.errors > 0 && x < end)
        cells_printf(cells, x, y, end - x, ROLE_CRITICAL, "%" PRIu64 " %s", r->crowd.errors,
                     r->crowd.errors == 1 ? "error" : "errors");
}

static void times_head(struct cells *cells, int y)
{
    static const char *const heads[] = {"COUNT", "P50", "P99", "MAX"};
    for (int i = 0; i < 4; i++)
        cells_put_right(cells, COUNT_RIGHT + i * FIGURE_COLUMNS, y, -1, ROLE_HEADING, heads[i]);
}

static void times_draw(struct cells *cells, int y, const char *label, const struct histogram *h)
{
    const int64_t figures[] = {histogram_percentile(h, 0.5), histogram_percentile(h, 0.99), h->most_us};
    char text[24];
    cells_put(cells, LABEL_X, y, COUNT_RIGHT - 6, ROLE_DIM, label);
    snprintf(text, sizeof text, "%" PRIu64, h->count);
    cells_put_right(cells, COUNT_RIGHT, y, -1, h->count ? ROLE_TEXT : ROLE_DIM, text);
    for (int i = 0; i < 3; i++)
        cells_put_right(cells, COUNT_RIGHT + (i + 1) * FIGURE_COLUMNS, y, -1,
                        !h->count ? ROLE_DIM
                        : i == 1  ? ROLE_STRONG
                                  : ROLE_TEXT,
                        h->count ? format_span(figures[i], text, sizeof text) : cells_sign(cells, SIGN_DASH));
}

/* A column for each of the latest failovers, the newest at the right, over a common scale from 0. */
static void sparks_draw(struct cells *cells, int y, const struct run_report *r)
{
    int64_t lengths[SPARKS_MOST], longest = 1;
    int count = 0, room = cells->width - 1 - SPARKS_X;
    for (size_t i = r->crowd.failover_count; i-- > 0 && count < SPARKS_MOST && count < room;) {
        const struct crowd_failover *f = &r->crowd.failovers[i];
        if (f->led_us <= f->due_us)
            continue;
        lengths[count] = (int64_t)(f->led_us - f->due_us);
        longest = lengths[count] > longest ? lengths[count] : longest;
        count++;
    }
    for (int i = 0; i < count; i++) {
        int64_t eighths = (lengths[i] * CELL_EIGHTHS + longest / 2) / longest;
        cells_put(cells, SPARKS_X + count - 1 - i, y, 1, lengths[i] == longest ? ROLE_WARNING : ROLE_BAR_A,
                  cells_level(cells, eighths < 1 ? 1 : (unsigned)eighths));
    }
}

static void cost_draw(struct cells *cells, int y, const struct run_report *r)
{
    uint64_t notices, requests;
    if (r->counted == 0)
        return;
    notices = (r->notices + r->counted / 2) / r->counted;
    requests = (r->requests + r->counted / 2) / r->counted;
    cells_put(cells, LABEL_X, y, -1, ROLE_DIM, "a failover");
    cells_printf(cells, COUNT_RIGHT - 5, y, -1, ROLE_TEXT,
                 "costs %" PRIu64 " notification%s and %" PRIu64 " request%s", notices,
                 notices == 1 ? "" : "s", requests, requests == 1 ? "" : "s");
}

static void run_picture_candidate_draw(struct cells *cells, int y, const struct run_candidate *one, size_t i)
{
    static const char *const states[CANDIDATE_STATES] = {"joining", "waits", "leads", "resigned", "gone"};
    bool leads = one->state == CANDIDATE_LEADING;
    style role = one->paused                       ? ROLE_WARNING
                 : leads                           ? ROLE_GOOD
                 : one->state == CANDIDATE_WAITING ? ROLE_TEXT
                                                   : ROLE_DIM;
    char text[24], name[160];
    snprintf(text, sizeof text, "%zu", i + 1);
    cells_put(cells, 2, y, 1, ROLE_WARNING, leads ? cells_sign(cells, SIGN_LEADER) : " ");
    cells_put_right(cells, 9, y, -1, ROLE_DIM, text);
    cells_put(cells, 11, y, NAME_X - 12, role, one->paused ? "hangs" : states[one->state]);
    cells_put(cells, NAME_X, y, -1, one->name ? role : (style)ROLE_DIM,
              one->name ? format_candidate(one->name, cells->width - 1 - NAME_X,
                                           cells_sign(cells, SIGN_ELLIPSIS), name, sizeof name)
                        : cells_sign(cells, SIGN_DASH));
}

/* The order of succession, for a line of so many at most: a crowd is shown as it was created. */
#define ORDERED_MOST 2000

struct in_line {
    int64_t sequence;
    size_t i;
};

static int compare_in_line(const void *a, const void *b)
{
    const struct in_line *x = a, *y = b;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Those without a znode come last. NULL: as they were created. */
static struct in_line *in_succession(const struct run_control_interface *bench, size_t count)
{
    if (count == 0 || count > ORDERED_MOST)
        return NULL;
    struct in_line *line = xmalloc(count * sizeof *line);
    for (size_t i = 0; i < count; i++) {
        struct run_candidate one = bench->candidate(bench->context, i);
        int64_t sequence = one.name ? recipe_sequence_of(one.name) : SEQUENCE_NONE;
        line[i] = (struct in_line){sequence == SEQUENCE_NONE ? INT64_MAX : sequence, i};
    }
    qsort(line, count, sizeof *line, compare_in_line);
    return line;
}

/* The selection belongs to the candidate: the list's key is its number of the run. */
static void select_in_line(struct list *list, const struct in_line *line)
{
    char key[24];
    snprintf(key, sizeof key, "%zu", line ? line[list->at].i : list->at);
    list_select(list, key);
}

static struct in_line *follow_line(const struct run_control_interface *bench, struct list *list, size_t rows)
{
    size_t count = bench->count(bench->context), chosen;
    struct in_line *line = in_succession(bench, count);
    list_begin(list, count, rows);
    if (list->key && sscanf(list->key, "%zu", &chosen) == 1)
        for (size_t at = 0; at < count; at++)
            if ((line ? line[at].i : at) == chosen) {
                list_found(list, at);
                break;
            }
    list_show(list);
    if (count > 0)
        select_in_line(list, line);
    return line;
}

static size_t chosen_candidate(const struct list *list)
{
    size_t chosen;
    return list->key && sscanf(list->key, "%zu", &chosen) == 1 ? chosen : 0;
}

static void candidates_draw(struct cells *cells, int y, const struct run_control_interface *bench,
                            struct list *list)
{
    size_t count = bench->count(bench->context),
           rows = cells->height > y + 2 ? (size_t)(cells->height - y - 2) : 0;
    cells_rule(cells, 0, y, cells->width, "test candidates");
    cells_put_right(cells, 9, y + 1, -1, ROLE_HEADING, "#");
    cells_put(cells, 11, y + 1, -1, ROLE_HEADING, "STATE");
    cells_put(cells, NAME_X, y + 1, -1, ROLE_HEADING, "CANDIDATE");
    struct in_line *line = follow_line(bench, list, rows);
    for (size_t row = 0; row < rows && list->top + row < count; row++) {
        size_t i = line ? line[list->top + row].i : list->top + row;
        struct run_candidate one = bench->candidate(bench->context, i);
        int at = y + 2 + (int)row;
        run_picture_candidate_draw(cells, at, &one, i);
        if (list->top + row != list->at)
            continue;
        cells_put(cells, 0, at, 1, ROLE_ACCENT, cells_sign(cells, SIGN_SELECTED));
        cells_select_row(cells, at, 0, cells->width);
    }
    free(line);
    if (rows)
        list_put_more(list, cells, y);
}

void run_picture_draw(struct cells *cells, const struct run_control_interface *bench,
                      const struct run_report *r, struct list *list, const char *said)
{
    int airy = cells->height >= 18, y = airy;
    double part = progress(r);
    head_draw(cells, y++, r);
    if (part >= 0)
        bar_draw(cells, y, part);
    y += 1 + airy;
    times_head(cells, y);
    times_draw(cells, y + 1, "to join", r->times.stand);
    times_draw(cells, y + 2, "failover", r->times.failover);
    sparks_draw(cells, y + 2, r);
    times_draw(cells, y + 3, "ping", &r->ping);
    y += 4;
    if (said[0])
        cells_put(cells, LABEL_X, y, -1, ROLE_WARNING, said);
    else if (r->crowd.problem)
        cells_put(cells, LABEL_X, y, -1, ROLE_WARNING, r->crowd.problem);
    else
        cost_draw(cells, y, r);
    candidates_draw(cells, y + 1 + airy, bench, list);
}

/*
 * run_view.c - test candidates from the dashboard: a form, the picture of the run, its report.
 *
 * Enter changes the selected field, and writes nothing. A run starts with R, after a question that names the
 * cluster and the path; on the program's own cluster (the demo) it starts at once. What would touch a live
 * election is red, and starts only once the name of the election was typed.
 */

enum stage { STAGE_FORM, STAGE_RUN, STAGE_REPORT };

struct inject_view {
    struct view view;
    struct form form;
    bool starts;       /* the question in the last line is whether to start; else it is for a field */
    char cluster[128]; /* that the run would write to */
    bool chooses;      /* the form is shown though there is a report */
    char said[200];    /* what the last key came to; "": nothing */
    struct list candidates;
    struct list report; /* only scrolls */
};

static struct inject_view *inject_view_of(const struct view *self)
{
    return (struct inject_view *)(uintptr_t)self;
}

static const struct run_report *run_view_report_of(const struct scene *scene)
{
    const struct run_control_interface *bench = scene->control;
    return bench ? bench->report(bench->context) : NULL;
}

static enum stage stage_of(const struct inject_view *view, const struct scene *scene)
{
    const struct run_control_interface *bench = scene->control;
    if (bench && bench->is_busy(bench->context))
        return STAGE_RUN;
    return view->chooses || !run_view_report_of(scene) ? STAGE_FORM : STAGE_REPORT;
}

/* ---- the form ---- */

static void run_view_begin(struct inject_view *view, const struct scene *scene)
{
    const struct run_options options = form_options(&view->form);
    const struct run_control_interface *bench = scene->control;
    view->chooses = !bench->begin(bench->context, &options, view->form.problem, sizeof view->form.problem);
    view->said[0] = '\0';
    view->report.top = 0;
    list_home(&view->candidates);
}

static bool is_allowed(const struct inject_view *view, const struct scene *scene)
{
    const struct run_options options = form_options(&view->form);
    char why[300];
    return scene->control->allows(scene->control->context, &options, why, sizeof why);
}

static void name_cluster(struct inject_view *view, const struct scene *scene)
{
    const struct cluster *cluster = scene->model->cluster_count > 0 ? &scene->model->clusters[0] : NULL;
    if (!cluster)
        snprintf(view->cluster, sizeof view->cluster, "this cluster");
    else if (*cluster->name)
        snprintf(view->cluster, sizeof view->cluster, "%s", cluster->name);
    else
        snprintf(view->cluster, sizeof view->cluster, "%.120s", cluster->hosts);
}

static enum view_result form_action(struct inject_view *view, const struct scene *scene, enum action action)
{
    if (form_move(&view->form, action))
        return VIEW_DONE;
    if (action == ACTION_OPEN) {
        view->starts = false;
        if (form_question(&view->form))
            return VIEW_ASK;
        form_move(&view->form, ACTION_RIGHT);
        return VIEW_DONE;
    }
    if (action != ACTION_RUN || !is_allowed(view, scene))
        return VIEW_IGNORED;
    view->starts = true;
    name_cluster(view, scene);
    if (form_is_live(&view->form) || !scene->control->own)
        return VIEW_ASK;
    run_view_begin(view, scene);
    return VIEW_DONE;
}

static void inject_question(const struct view *self, char *buffer, size_t size)
{
    const struct inject_view *view = inject_view_of(self);
    const struct run_options said = form_options(&view->form);
    if (!view->starts)
        snprintf(buffer, size, "%s", form_question(&view->form));
    else if (form_is_live(&view->form))
        snprintf(buffer, size, "writes to cluster %s; type %s to start: ", view->cluster, view->form.name);
    else
        snprintf(buffer, size, "start %zu test candidates on cluster %s, %s%s? y or n: ", said.candidates,
                 view->cluster, said.path ? "in a copy of " : "in the sandbox",
                 said.path ? view->form.name : "");
}

static enum view_result inject_answer(struct view *self, const struct scene *scene, const char *text)
{
    struct inject_view *view = inject_view_of(self);
    if (!scene->control || stage_of(view, scene) != STAGE_FORM)
        return VIEW_IGNORED;
    bool live = form_is_live(&view->form);
    if (!view->starts)
        form_type(&view->form, text);
    else if (live ? strcmp(text, view->form.name) == 0 : strcmp(text, "y") == 0 || strcmp(text, "yes") == 0)
        run_view_begin(view, scene);
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
    const struct run_control_interface *bench = scene->control;
    view->said[0] = '\0';
    free(follow_line(bench, &view->candidates, view->candidates.rows));
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].action == action) {
            bench->act(bench->context, acts[i].act, chosen_candidate(&view->candidates), view->said,
                       sizeof view->said);
            return VIEW_DONE;
        }
    if (action == ACTION_STOP) {
        bench->end(bench->context);
        return VIEW_DONE;
    }
    struct in_line *line = follow_line(bench, &view->candidates, view->candidates.rows);
    bool moved = list_move(&view->candidates, action);
    if (moved && view->candidates.count > 0)
        select_in_line(&view->candidates, line);
    free(line);
    return moved ? VIEW_DONE : VIEW_IGNORED;
}

/* ---- the report ---- */

/* Nothing was begun: only why. */
static void refusal_draw(const struct run_report *r, struct cells *cells)
{
    int width = cells->width - 4, y = 1;
    cells_put(cells, 1, y, 1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL));
    cells_put(cells, 3, y, -1, ROLE_CRITICAL | STYLE_BOLD, "Nothing was started.");
    y += 2;
    y += wrap_put(cells, 3, y, width, cells->height - y, ROLE_WARNING,
                  r->problem ? r->problem : "The run was ended before it started.");
    cells_put(cells, 3, y + 1, -1, ROLE_DIM, "Enter goes back to the form.");
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
        y += wrap_put(cells, 3, y, cells->width - 4, cells->height / 3, ROLE_WARNING, r->problem) + 1;
    }
    run_print(&text, DOCUMENT_TEXT, r, &(struct run_options_text){0}, READS_FROM_TOP, &how);
    for (size_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    list_begin(&view->report, lines, cells->height > y ? (size_t)(cells->height - y) : 0);
    if (view->report.top + view->report.rows > lines)
        view->report.top = lines > view->report.rows ? lines - view->report.rows : 0;
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
    struct inject_view *view = inject_view_of(self);
    if (!scene->control) {
        cells_put(cells, 3, 1, -1, ROLE_WARNING,
                  scene->past ? "This is a replay: no test candidate can run."
                              : "No live cluster is shown, so no test candidate can run.");
        return;
    }
    switch (stage_of(view, scene)) {
    case STAGE_FORM:
        form_draw(&view->form, scene, cells);
        break;
    case STAGE_RUN:
        view->chooses = false; /* when it is over, its report is what one wants to see */
        run_picture_draw(cells, scene->control, run_view_report_of(scene), &view->candidates, view->said);
        break;
    case STAGE_REPORT:
        report_draw(view, run_view_report_of(scene), cells);
        break;
    }
}

static enum view_result inject_action(struct view *self, const struct scene *scene, enum action action,
                                      struct view **next)
{
    struct inject_view *view = inject_view_of(self);
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
    struct inject_view *view = inject_view_of(self);
    enum stage stage = stage_of(view, scene);
    const struct run_report *report = stage == STAGE_FORM ? NULL : run_view_report_of(scene);
    const char *more = report && report->election ? report->election : words[stage];
    int used = cells_put(cells, x, 0, room, ROLE_TITLE, "test candidates");
    if (room > used + 2)
        cells_put(cells, x + used + 2, 0, room - used - 2, ROLE_TITLE_DIM, more);
}

#define RUN_KEYS                                                                                             \
    (ACTION_BIT(ACTION_ADD) | ACTION_BIT(ACTION_KILL) | ACTION_BIT(ACTION_HANG) |                            \
     ACTION_BIT(ACTION_RESUME) | ACTION_BIT(ACTION_RESIGN) | ACTION_BIT(ACTION_STOP))

static bool inject_heeds(const struct view *self, const struct scene *scene, enum action action)
{
    struct inject_view *view = inject_view_of(self);
    const struct run_control_interface *bench = scene->control;
    if (!bench)
        return false;
    bool moves = action == ACTION_UP || action == ACTION_DOWN;
    switch (stage_of(view, scene)) {
    case STAGE_FORM:
        return moves || action == ACTION_LEFT || action == ACTION_RIGHT || action == ACTION_OPEN ||
               (action == ACTION_RUN && is_allowed(view, scene));
    case STAGE_RUN:
        if (action == ACTION_STOP)
            return true;
        return bench->count(bench->context) > 0 && (ACTION_BIT(action) & (RUN_KEYS | VIEW_MOVES)) &&
               (!run_view_report_of(scene)->options->live || !(ACTION_BIT(action) & RUN_KEYS) ||
                action == ACTION_KILL);
    case STAGE_REPORT:
        return action == ACTION_OPEN || (ACTION_BIT(action) & VIEW_MOVES);
    }
    return false;
}

static const char *inject_word(const struct view *self, const struct scene *scene, enum action action)
{
    enum stage stage = stage_of(inject_view_of(self), scene);
    if (action == ACTION_OPEN)
        return stage == STAGE_FORM ? "change" : "new run";
    return action == ACTION_RIGHT && stage == STAGE_FORM ? "choose" : NULL;
}

static void inject_free(struct view *self)
{
    struct inject_view *view = inject_view_of(self);
    list_release(&view->candidates);
    list_release(&view->report);
    form_release(&view->form);
    free(view);
}

static const struct view_ops ops = {
    .name = "inject",
    .draw = inject_draw,
    .action = inject_action,
    .title = inject_title,
    .question = inject_question,
    .answer = inject_answer,
    .free = inject_free,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) |
               ACTION_BIT(ACTION_RUN) | RUN_KEYS,
    .heeds = inject_heeds,
    .word = inject_word,
    .opened_by = ACTION_INJECT,
};

struct view *inject_view_new(const char *path, const char *name)
{
    struct inject_view *view = xcalloc(1, sizeof *view);
    view->view.ops = &ops;
    form_init(&view->form, path, name);
    return &view->view;
}

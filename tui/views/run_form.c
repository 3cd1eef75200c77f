#include "tui/views/run_form.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/units.h"
#include "tui/screen/columns.h"
#include "tui/views/run_control_interface.h"
#include "tui/words/format.h"

#define FORM_LABEL_X 3
#define VALUE_X 18
/* Lines longer than this are hard to read. */
#define TEXT_COLUMNS 100

/* The values of each field; times in ms. */
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
static const int fors_ms[] = {10000, 30000, 60000, 300000, 1800000};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const how_words[KILL_COUNT] = {"closes its session", "resigns: deletes its znode",
                                                  "crashes: the session expires",
                                                  "hangs: the session expires"};

/* What follows its values is NULL where none of them is a number, which could be typed too. */
static const struct form_row {
    const char *label;
    int values;
    const int *numbers;
    const char *question;
    int64_t least, most;
    const char *(*parse)(const char *text, int64_t *value);
} rows[FORM_FIELDS] = {
    [FIELD_PLACE] = {.label = "where", .values = 3},
    [FIELD_COUNT] = {"how many", LENGTH(counts), counts, "how many test candidates (1 to 10000): ", 1, 10000,
                     number_parse},
    [FIELD_RATE] = {"how fast", LENGTH(rates), rates, "how many a second (1 to 100000): ", 1, 100000,
                    number_parse},
    [FIELD_BEHAVIOUR] = {.label = "behaviour", .values = LENGTH(behaviours)},
    [FIELD_VICTIM] = {.label = "kill", .values = 3},
    [FIELD_HOW] = {.label = "how", .values = KILL_COUNT},
    [FIELD_EVERY] = {"how often", LENGTH(everies_ms), everies_ms,
                     "interval of the kills (100ms to 1h): ", 100, 3600000, duration_parse},
    [FIELD_FOR] = {"for how long", LENGTH(fors_ms), fors_ms, "for how long (1s to 1d): ", 1000, 86400000,
                   duration_parse},
};

/* path (full) and name, copied, or NULL. */
void run_form_init(struct run_form *form, const char *path, const char *name)
{
    form->path = text_copy(path);
    form->name = path ? xstrdup(name ? name : path) : NULL;
    form->at[FIELD_PLACE] = path ? PLACE_COPY : PLACE_SANDBOX;
    form->at[FIELD_COUNT] = 3;
    form->at[FIELD_VICTIM] = VICTIM_LEADER;
    form->at[FIELD_EVERY] = 3;
    form->at[FIELD_FOR] = 1;
}

void run_form_release(struct run_form *form)
{
    free(form->path);
    free(form->name);
}

bool run_form_is_live(const struct run_form *form)
{
    return form->at[FIELD_PLACE] == PLACE_LIVE;
}

/* Of a field with numbers: as typed, or as chosen; times in ms. */
static int64_t run_form_number(const struct run_form *form, enum form_field field)
{
    return form->typed[field] > 0 ? form->typed[field] : rows[field].numbers[form->at[field]];
}

/* Its options; the path is the form's. Test candidates in a live election are as the others are, and are not
   killed. */
struct run_options run_form_options(const struct run_form *form)
{
    enum behaviour behaviour = behaviours[form->at[FIELD_BEHAVIOUR]];
    bool live = run_form_is_live(form);
    return (struct run_options){
        .path = form->at[FIELD_PLACE] == PLACE_SANDBOX ? NULL : form->path,
        .live = live,
        .candidates = (size_t)run_form_number(form, FIELD_COUNT),
        .rate_per_s = (int)run_form_number(form, FIELD_RATE),
        .shares = {{behaviour, 100, behaviour == BEHAVIOUR_SLOW ? SLOW_MS : 0}},
        .share_count = !live && behaviour != BEHAVIOUR_RECIPE,
        .victim = live ? VICTIM_NOBODY : (enum kill_victim)form->at[FIELD_VICTIM],
        .how = (enum kill_mode)form->at[FIELD_HOW],
        .every_ms = (uint64_t)run_form_number(form, FIELD_EVERY),
        .for_ms = run_form_number(form, FIELD_FOR),
    };
}

static int values_of(const struct run_form *form, enum form_field field)
{
    return field == FIELD_PLACE && !form->path ? 1 : rows[field].values;
}

/* It has no effect: in a live election test candidates copy their siblings, and are not killed. */
static bool is_idle(const struct run_form *form, enum form_field field)
{
    bool dies = field == FIELD_HOW || field == FIELD_EVERY;
    return (run_form_is_live(form) && (dies || field == FIELD_VICTIM || field == FIELD_BEHAVIOUR)) ||
           (dies && form->at[FIELD_VICTIM] == VICTIM_NOBODY);
}

/* Up and down, left and right; false: it was none of these. */
bool run_form_move(struct run_form *form, enum action action)
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
const char *run_form_question(const struct run_form *form)
{
    return rows[form->field].question;
}

/* Takes the text typed for the selected field. If it is not a valid number, form->problem says so. */
void run_form_type(struct run_form *form, const char *text)
{
    const struct form_row *row = &rows[form->field];
    int64_t value;
    const char *problem = row->parse(text, &value);
    form->problem[0] = '\0';
    if (!problem && (value < row->least || value > row->most))
        problem = "is out of range";
    if (problem)
        snprintf(form->problem, sizeof form->problem, "\"%.40s\" %s.", text, problem);
    else
        form->typed[form->field] = value;
}

static void run_form_value_text(const struct run_form *form, const struct scene *scene, enum form_field field,
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
        snprintf(out, size, "%" PRId64 " test candidates", run_form_number(form, field));
        break;
    case FIELD_RATE:
        if (run_form_number(form, field))
            snprintf(out, size, "%" PRId64 " a second", run_form_number(form, field));
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
        snprintf(out, size, "every %g s", (double)run_form_number(form, field) / 1000.0);
        break;
    case FIELD_FOR:
        snprintf(out, size, "%g s after all have joined", (double)run_form_number(form, field) / 1000.0);
        break;
    case FORM_FIELDS:
        break;
    }
}

/* The selected one between arrows, where there is anything else to choose. */
static void field_draw(const struct run_form *form, const struct scene *scene, struct cells *cells, int y,
                       enum form_field field)
{
    char text[600];
    bool selected = (int)field == form->field, idle = is_idle(form, field);
    bool arrows = selected && !idle && values_of(form, field) > 1;
    style role = idle ? ROLE_DIM : field == FIELD_PLACE && run_form_is_live(form) ? ROLE_CRITICAL : ROLE_TEXT;
    int x = VALUE_X, end = cells->width - 1;

    run_form_value_text(form, scene, field, text, sizeof text);
    if (idle) {
        snprintf(text, sizeof text, "%s %s", cells_sign(cells, SIGN_DASH),
                 field == FIELD_BEHAVIOUR ? "each watches its predecessor" : "none is killed");
        x -= 2; /* the dash replaces the arrow */
    }
    cells_put(cells, 1, y, 1, ROLE_ACCENT, selected ? cells_sign(cells, SIGN_SELECTED) : " ");
    cells_put(cells, FORM_LABEL_X, y, VALUE_X - FORM_LABEL_X - 2, selected ? ROLE_STRONG : ROLE_DIM,
              rows[field].label);
    x += cells_put(cells, x, y, end - x - 2, (style)(selected ? role | STYLE_BOLD : role), text);
    if (arrows) {
        cells_put(cells, VALUE_X - 2, y, 1, ROLE_KEY, cells->ascii ? "<" : "‹");
        cells_put(cells, x + 1, y, 1, ROLE_KEY, cells->ascii ? ">" : "›");
    }
    if (selected)
        cells_select_row(cells, y, 0, cells->width);
}

/* In words: what will happen, and when it ends. */
static void plan_text(const struct run_form *form, const struct scene *scene, char *out, size_t size)
{
    static const char *const deaths[KILL_COUNT] = {"closes its session", "deletes its znode and stays",
                                                   "crashes: its session must expire",
                                                   "hangs: its session must expire"};
    const struct run_options said = run_form_options(form);
    size_t used = 0;
    if (run_form_is_live(form))
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
static void outlook_draw(const struct run_form *form, const struct scene *scene, struct cells *cells, int y)
{
    const struct run_control_interface *control = scene->control;
    const struct run_options said = run_form_options(form);
    char text[1200], why[300] = "";
    int width = (cells->width < TEXT_COLUMNS ? cells->width : TEXT_COLUMNS) - FORM_LABEL_X - 1;
    bool allowed = control->allows(control->context, &said, why, sizeof why);
    if (!allowed || form->problem[0]) {
        cells_put(cells, 1, y, 1, ROLE_WARNING, cells_sign(cells, SIGN_WARNING));
        y += columns_wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_WARNING,
                              allowed ? form->problem : why);
        y++;
    }
    if (!allowed)
        return;
    plan_text(form, scene, text, sizeof text);
    if (run_form_is_live(form)) {
        cells_put(cells, 1, y, 1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL));
        cells_printf(cells, FORM_LABEL_X, y++, -1, ROLE_CRITICAL | STYLE_BOLD,
                     "This writes into the live election %s.", form->name);
        y += columns_wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT, text);
        y += columns_wrap_put(
            cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT,
            "They withdraw whenever a real candidate ahead of them leaves. If one becomes first "
            "anyway, it leaves at once, and the report says how long it was first.");
        snprintf(text, sizeof text, "%s asks you to type its name.", key_first(ACTION_RUN));
        y += columns_wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_STRONG, text);
    } else {
        y += columns_wrap_put(cells, FORM_LABEL_X, y, width, cells->height - y, ROLE_TEXT, text);
    }
    limits_text(scene, text, sizeof text);
    columns_wrap_put(cells, FORM_LABEL_X, y + 1, width, cells->height - y - 1, ROLE_DIM, text);
}

void run_form_draw(const struct run_form *form, const struct scene *scene, struct cells *cells)
{
    int airy = cells->height >= 18, y = airy;
    for (int field = 0; field < FORM_FIELDS && y < cells->height; field++, y++)
        field_draw(form, scene, cells, y, (enum form_field)field);
    y += airy;
    cells_rule(cells, 0, y, cells->width, "what will happen");
    outlook_draw(form, scene, cells, y + 1 + airy);
}

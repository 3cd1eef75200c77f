#include "tui/views/run_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/election/recipe.h"
#include "tui/views/run_control_interface.h"
#include "tui/words/format.h"
#include "tui/words/names.h"

#define LABEL_X 1
#define COUNT_RIGHT 18
#define FIGURE_COLUMNS 9
#define SPARKS_X (COUNT_RIGHT + 3 * FIGURE_COLUMNS + 3)
#define SPARKS_MOST 60
#define NAME_X 24

static size_t standing(const struct run_report *report)
{
    return report->crowd.by_state[CANDIDATE_WAITING] + report->crowd.by_state[CANDIDATE_LEADING];
}

/* From 0 to 1: of the candidates wanted, then of the time; less than 0: neither applies. */
static double progress(const struct run_report *report)
{
    double part = -1;
    if (report->phase == RUN_JOINING && report->options->candidates)
        part = (double)standing(report) / (double)report->options->candidates;
    else if (report->phase == RUN_RUNNING && report->options->for_ms)
        part = (double)report->run_us / 1000.0 / (double)report->options->for_ms;
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

static void head_draw(struct cells *cells, int y, const struct run_report *report)
{
    char left[24];
    int x = 1, end = cells->width - 1;
    if (report->phase == RUN_RUNNING && report->options->for_ms) {
        format_age(report->options->for_ms * 1000 - (int64_t)report->run_us, left, sizeof left);
        end -= cells_put_right(cells, end, y, -1, ROLE_DIM, "left") + 1;
        end -= cells_put_right(cells, end, y, -1, ROLE_STRONG, left) + 2;
    }
    if (report->options->live) {
        x += cells_put(cells, x, y, -1, ROLE_CRITICAL, cells_sign(cells, SIGN_CRITICAL)) + 1;
        x += cells_put(cells, x, y, -1, ROLE_CRITICAL | STYLE_BOLD, "LIVE") + 2;
    }
    x += cells_put(cells, x, y, end - x, ROLE_STRONG, run_phase_word(report->phase)) + 3;
    if (report->phase < RUN_JOINING || report->crowd.candidates == 0)
        return;
    x += cells_printf(cells, x, y, end - x, standing(report) > 0 ? ROLE_GOOD : ROLE_WARNING, "%zu",
                      standing(report)) +
         1;
    x += cells_printf(cells, x, y, end - x, ROLE_TEXT, "of %zu in line", report->crowd.candidates) + 3;
    /* In a live election a real candidate leads, as it should. */
    if (report->crowd.by_state[CANDIDATE_LEADING] == 0 && x < end && report->phase == RUN_RUNNING &&
        !report->options->live)
        x += cells_put(cells, x, y, end - x, ROLE_WARNING, "no leader") + 3;
    if (report->crowd.paused > 0 && x < end)
        x += cells_printf(cells, x, y, end - x, ROLE_WARNING, "%zu %s", report->crowd.paused,
                          report->crowd.paused == 1 ? "hangs" : "hang") +
             3;
    if (report->crowd.errors > 0 && x < end)
        cells_printf(cells, x, y, end - x, ROLE_CRITICAL, "%" PRIu64 " %s", report->crowd.errors,
                     report->crowd.errors == 1 ? "error" : "errors");
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
static void sparks_draw(struct cells *cells, int y, const struct run_report *report)
{
    int64_t lengths[SPARKS_MOST], longest = 1;
    int count = 0, room = cells->width - 1 - SPARKS_X;
    for (size_t i = report->crowd.failover_count; i-- > 0 && count < SPARKS_MOST && count < room;) {
        const struct crowd_failover *f = &report->crowd.failovers[i];
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

static void cost_draw(struct cells *cells, int y, const struct run_report *report)
{
    uint64_t notices, requests;
    if (report->counted == 0)
        return;
    notices = (report->notices + report->counted / 2) / report->counted;
    requests = (report->requests + report->counted / 2) / report->counted;
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
              one->name ? name_fit_candidate(cells, one->name, cells->width - 1 - NAME_X, name, sizeof name)
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
static struct in_line *in_succession(const struct run_control_interface *control, size_t count)
{
    if (count == 0 || count > ORDERED_MOST)
        return NULL;
    struct in_line *line = xmalloc(count * sizeof *line);
    for (size_t i = 0; i < count; i++) {
        struct run_candidate one = control->candidate(control->context, i);
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

static struct in_line *follow_line(const struct run_control_interface *control, struct list *list,
                                   size_t rows)
{
    size_t count = control->count(control->context), chosen;
    struct in_line *line = in_succession(control, count);
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

size_t run_picture_chosen(const struct run_control_interface *control, struct list *list)
{
    size_t chosen;
    free(follow_line(control, list, list->rows));
    return list->key && sscanf(list->key, "%zu", &chosen) == 1 ? chosen : 0;
}

bool run_picture_move(const struct run_control_interface *control, struct list *list, enum action action)
{
    struct in_line *line = follow_line(control, list, list->rows);
    bool moved = list_move(list, action);
    if (moved && list->count > 0)
        select_in_line(list, line);
    free(line);
    return moved;
}

static void candidates_draw(struct cells *cells, int y, const struct run_control_interface *control,
                            struct list *list)
{
    size_t count = control->count(control->context),
           rows = cells->height > y + 2 ? (size_t)(cells->height - y - 2) : 0;
    cells_rule(cells, 0, y, cells->width, "test candidates");
    cells_put_right(cells, 9, y + 1, -1, ROLE_HEADING, "#");
    cells_put(cells, 11, y + 1, -1, ROLE_HEADING, "STATE");
    cells_put(cells, NAME_X, y + 1, -1, ROLE_HEADING, "CANDIDATE");
    struct in_line *line = follow_line(control, list, rows);
    for (size_t row = 0; row < rows && list->top + row < count; row++) {
        size_t i = line ? line[list->top + row].i : list->top + row;
        struct run_candidate one = control->candidate(control->context, i);
        int at = y + 2 + (int)row;
        run_picture_candidate_draw(cells, at, &one, i);
        if (list->top + row != list->at)
            continue;
        list_mark_row(cells, at, cells->width);
    }
    free(line);
    if (rows)
        list_put_more(list, cells, y);
}

void run_picture_draw(struct cells *cells, const struct run_control_interface *control,
                      const struct run_report *report, struct list *list, const char *said)
{
    int airy = cells->height >= 18, y = airy;
    double part = progress(report);
    head_draw(cells, y++, report);
    if (part >= 0)
        bar_draw(cells, y, part);
    y += 1 + airy;
    times_head(cells, y);
    times_draw(cells, y + 1, "to join", report->times.stand);
    times_draw(cells, y + 2, "failover", report->times.failover);
    sparks_draw(cells, y + 2, report);
    times_draw(cells, y + 3, "ping", &report->ping);
    y += 4;
    if (said[0])
        cells_put(cells, LABEL_X, y, -1, ROLE_WARNING, said);
    else if (report->crowd.problem)
        cells_put(cells, LABEL_X, y, -1, ROLE_WARNING, report->crowd.problem);
    else
        cost_draw(cells, y, report);
    candidates_draw(cells, y + 1 + airy, control, list);
}

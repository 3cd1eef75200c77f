#include "tui/output/timeline_svg.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config/memory.h"
#include "probe/json/buffer.h"
#include "tui/output/document.h"
#include "tui/output/report_sentences.h"
#include "tui/words/failover_facts.h"
#include "tui/words/format.h"
#include "tui/words/names.h"

/*
 * Time from left to right in a drawing: the position of a moment, and lines with the time of
 * day.
 *
 * The times are UTC; if the local clock shows another time, it is below.
 */

struct axis_scale {
    int64_t from_us, to_us;
    double left, right;
};

#define MS INT64_C(1000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* Room for a label; the first and the last must not leave the drawing. */
#define LABEL_ROOM 92.0
#define LABEL_EDGE 22.0
#define LINE 14.0

static int64_t choose_step(const struct axis_scale *scale)
{
    static const int64_t steps[] = {MS,          2 * MS,      5 * MS,      10 * MS, 20 * MS,    50 * MS,
                                    100 * MS,    200 * MS,    500 * MS,    SECOND,  2 * SECOND, 5 * SECOND,
                                    10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE,  2 * MINUTE, 5 * MINUTE,
                                    10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,    2 * HOUR,   3 * HOUR,
                                    6 * HOUR,    12 * HOUR,   DAY,         2 * DAY, 7 * DAY,    14 * DAY,
                                    28 * DAY,    91 * DAY,    364 * DAY};
    const size_t count = sizeof steps / sizeof *steps;
    double most = (scale->right - scale->left) / LABEL_ROOM;
    for (size_t i = 0; i < count; i++)
        if ((double)(scale->to_us - scale->from_us) / (double)steps[i] <= most)
            return steps[i];
    return steps[count - 1] * 10;
}

/* Never outside of left and right. */
static double axis_x(const struct axis_scale *scale, int64_t at_us)
{
    if (at_us <= scale->from_us || scale->to_us <= scale->from_us)
        return scale->left;
    if (at_us >= scale->to_us)
        return scale->right;
    return scale->left + (scale->right - scale->left) * (double)(at_us - scale->from_us) /
                             (double)(scale->to_us - scale->from_us);
}

static bool shows_local(const struct axis_scale *scale)
{
    return sentence_zones_differ(scale->from_us) || sentence_zones_differ(scale->to_us);
}

/* The room for labels below the drawing. */
static double axis_height(const struct axis_scale *scale)
{
    return shows_local(scale) ? 8 + 3 * LINE : 8 + 2 * LINE;
}

/* As finely as the step needs it. */
static void axis_svg_put_time(struct buffer *out, int64_t at_us, int64_t step_us, enum sentence_zone zone)
{
    char time[SENTENCE_TIME];
    sentence_time(at_us, zone, time);
    if (step_us >= MINUTE)
        time[5] = '\0';
    else if (step_us >= SECOND)
        time[8] = '\0';
    buffer_put_text(out, time);
}

static void put_day(struct buffer *out, int64_t at_us)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t s = (time_t)(at_us / SECOND);
    struct tm tm;
    if (gmtime_r(&s, &tm))
        buffer_printf(out, "%d %s", tm.tm_mday, months[tm.tm_mon % 12]);
}

static void axis_svg_put_label(struct buffer *out, const char *look, double x, double y)
{
    buffer_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", look, x, y);
}

/* Lines from top to bottom, and their labels below. */
static void axis_svg_print(struct buffer *out, const struct axis_scale *scale, double top, double bottom)
{
    int64_t step_us = choose_step(scale);
    int64_t first_us = (scale->from_us + step_us - 1) / step_us * step_us;
    bool local = shows_local(scale), day_reported = false;
    char zone[SENTENCE_TIME];
    axis_svg_put_label(out, "zone", scale->left - 10, bottom + LINE + 3);
    buffer_put_text(out, "UTC</text>\n");
    if (local) {
        axis_svg_put_label(out, "zone", scale->left - 10, bottom + 2 * LINE + 3);
        page_markup_text(out, sentence_zone(scale->to_us, SENTENCE_LOCAL, zone));
        buffer_put_text(out, "</text>\n");
    }
    for (int64_t at_us = first_us; at_us <= scale->to_us; at_us += step_us) {
        double x = axis_x(scale, at_us);
        bool midnight = at_us % DAY == 0;
        buffer_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", midnight ? "day" : "tick", x, top,
                      bottom + 4);
        if (x < scale->left + LABEL_EDGE || x > scale->right - LABEL_EDGE + 20)
            continue;
        axis_svg_put_label(out, "time", x, bottom + LINE + 3);
        if (step_us >= DAY)
            put_day(out, at_us);
        else
            axis_svg_put_time(out, at_us, step_us, SENTENCE_UTC);
        buffer_put_text(out, "</text>");
        if (local && step_us < DAY) {
            axis_svg_put_label(out, "time local", x, bottom + 2 * LINE + 3);
            axis_svg_put_time(out, at_us, step_us, SENTENCE_LOCAL);
            buffer_put_text(out, "</text>");
        }
        /* The day is shown once, and again at the beginning of another one. */
        if (step_us < DAY && (!day_reported || midnight)) {
            axis_svg_put_label(out, "time date", x, bottom + (local ? 3 : 2) * LINE + 3);
            put_day(out, at_us);
            buffer_put_text(out, "</text>");
            day_reported = true;
        }
        buffer_put_char(out, '\n');
    }
}

#define PHASES_WIDTH 200.0
#define PHASES_HEIGHT 14.0
#define PHASES_EDGE 8.0 /* to both sides, where open bounds run out */
#define PHASES_LEAST 1.5

static int64_t most_of(const struct span *span)
{
    return span->high_us > span->low_us ? span->high_us : span->low_us > 0 ? span->low_us : 0;
}

static bool phases_svg_is_known(const struct span *span)
{
    return span->low_us >= 0 || span->high_us >= 0;
}

struct phases_scale phases_scale_of(const struct report_election *election)
{
    struct phases_scale scale = {0, 0};
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = &election->failovers[i];
        int64_t before = most_of(&failover->detection);
        int64_t after = most_of(&failover->vacancy) + most_of(&failover->takeover);
        if (failover->gap_us > 0)
            continue;
        scale.before_us = before > scale.before_us ? before : scale.before_us;
        scale.after_us = after > scale.after_us ? after : scale.after_us;
    }
    return scale;
}

struct svg_pen {
    struct buffer *out;
    double x, per_us;
    int way; /* 1: to the right, -1: to the left */
};

static void phases_svg_put_part(struct svg_pen *pen, const char *look, const char *more, double length,
                                const char *what, const char *span)
{
    double x = pen->way > 0 ? pen->x : pen->x - length;
    buffer_printf(pen->out, "<rect class=\"%s%s\" x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"%.0f\"><title>",
                  look, more, x, length, PHASES_HEIGHT - 4);
    page_markup_printf(pen->out, "%s: %s", what, span);
    buffer_put_text(pen->out, "</title></rect>");
    pen->x += pen->way * length;
}

static void phases_svg_put(struct svg_pen *pen, const struct span *span, const char *look, const char *what)
{
    char text[FORMAT_INTERVAL];
    int64_t low_us = span->low_us > 0 ? span->low_us : 0;
    double low = (double)low_us * pen->per_us, more = (double)(most_of(span) - low_us) * pen->per_us;
    if (!phases_svg_is_known(span))
        return;
    format_interval(span->low_us, span->high_us, false, text);
    if (low_us > 0)
        phases_svg_put_part(pen, look, "", low < PHASES_LEAST ? PHASES_LEAST : low, what, text);
    if (span->high_us > low_us)
        phases_svg_put_part(pen, look, " pale", more < PHASES_LEAST ? PHASES_LEAST : more, what, text);
    if (span->high_us < 0)
        phases_svg_put_part(pen, look, " pale open", PHASES_EDGE, what, text);
}

void phases_svg_print(struct buffer *out, const struct phases_scale *scale, const struct failover *failover)
{
    int64_t all_us = scale->before_us + scale->after_us;
    if (failover->gap_us > 0 ||
        (!phases_svg_is_known(&failover->detection) && !phases_svg_is_known(&failover->vacancy) &&
         !phases_svg_is_known(&failover->takeover)))
        return;
    double per_us = all_us ? (PHASES_WIDTH - 2 * PHASES_EDGE) / (double)all_us : 0;
    double gone = PHASES_EDGE + (double)scale->before_us * per_us;
    struct svg_pen left = {out, gone, per_us, -1}, right = {out, gone, per_us, 1};
    buffer_printf(out, "<svg class=\"phases\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", PHASES_WIDTH,
                  PHASES_HEIGHT);
    page_markup_text(out, "The phases of this failover");
    buffer_put_text(out, "</title>");
    phases_svg_put(&left, &failover->detection, "detection", "detection");
    phases_svg_put(&right, &failover->vacancy, "vacancy", "no candidate");
    phases_svg_put(&right, &failover->takeover, "takeover", "takeover");
    buffer_printf(out, "<path class=\"gone\" d=\"M%.1f 0V%.0f\"/></svg>", gone, PHASES_HEIGHT);
}

/* In units of the drawing, which is scaled to the page's width. */
#define WIDTH 1080.0
#define LEFT 200.0 /* where time begins; names are left of it */
#define RIGHT 1068.0
#define TOP 30.0 /* where rows begin; changes are above */
#define ROW 26.0
#define BAR 16.0
#define LABEL_COLUMNS 27
#define LINE_WIDTH 320.0
#define LINE_HEIGHT 14.0

/* Narrower things are drawn so wide: they happened, and must be seen. */
#define LEAST_BAR 1.5
#define LEAST_VACANCY 2.0
/* Bars with less room between are one; so are changes whose numbers would touch. */
#define MERGE 0.75
#define MARK_ROOM 24.0
/* A bar with at least this room shows its length. */
#define SPAN_ROOM 58.0
#define GAP_WORD_ROOM 84.0

/* More leaders share the last row. */
#define ROWS_MOST 24

struct drawing {
    struct buffer *out;
    const struct report *report;
    const struct report_election *election;
    struct axis_scale scale;
    double top, row, bar; /* of rows */
    bool low;             /* one line for all */
    size_t *row_of;       /* by leader */
    size_t row_count;
    size_t others; /* leaders that share the last row */
    bool numbered; /* changes: the latest number is at numbered_x */
    double numbered_x;
};

static double x_of(const struct drawing *drawing, int64_t at_us)
{
    return axis_x(&drawing->scale, at_us);
}

static double bottom_of(const struct drawing *drawing)
{
    return drawing->top + drawing->row * (double)drawing->row_count;
}

static void timeline_svg_put_times(const struct drawing *drawing, int64_t from_us, int64_t to_us)
{
    char from[SENTENCE_TIME], to[SENTENCE_TIME], day[SENTENCE_TIME], span[16];
    page_markup_printf(drawing->out, ", %s %s – %s UTC (%s)", sentence_day(from_us, SENTENCE_UTC, day),
                       sentence_time(from_us, SENTENCE_UTC, from), sentence_time(to_us, SENTENCE_UTC, to),
                       format_span(to_us - from_us, span, sizeof span));
}

/* Stretches drawn as one. */
struct led_run {
    double from, to;
    int64_t from_us, to_us;
    const struct report_stretch *stretch; /* the first */
    size_t count;
};

static void put_rect(const struct drawing *drawing, const char *look, double x, double y, double width,
                     double height)
{
    buffer_printf(drawing->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                  look, x, y, width, height);
}

static void put_led(const struct drawing *drawing, const struct led_run *run, size_t row)
{
    struct buffer *out = drawing->out;
    double y = drawing->top + drawing->row * (double)row + (drawing->row - drawing->bar) / 2;
    double width = run->to - run->from < LEAST_BAR ? LEAST_BAR : run->to - run->from;
    const struct report_leader *leader = &drawing->election->leaders[run->stretch->leader];
    bool shade = drawing->low && run->stretch->leader % 2;
    char span[16];
    put_rect(drawing, shade ? "led shade" : "led", run->from, y, width, drawing->bar);
    buffer_put_text(out, drawing->low ? "><title>" : " rx=\"2\"><title>");
    if (run->count > 1) {
        page_markup_printf(out, "%s%s led %zu times", sentence_leader(leader),
                           row == drawing->row_count - 1 && drawing->others ? " and others" : "", run->count);
    } else {
        page_markup_text(out, sentence_leader(leader));
        if (leader->identity && run->stretch->name)
            page_markup_printf(out, " (%s)", run->stretch->name);
        page_markup_text(out, " led");
    }
    timeline_svg_put_times(drawing, run->from_us, run->to_us);
    if (!run->stretch->from_exact && run->from_us > drawing->report->from_us)
        page_markup_text(out, "; its beginning was not seen");
    buffer_put_text(out, "</title></rect>");
    if (!drawing->low && run->count == 1 && width >= SPAN_ROOM)
        buffer_printf(out, "<text class=\"span\" x=\"%.1f\" y=\"%.1f\">%s</text>", run->from + 6, y + 12,
                      format_span(run->to_us - run->from_us, span, sizeof span));
    buffer_put_char(out, '\n');
}

static void put_nobody(const struct drawing *drawing, const struct led_run *run, enum stretch_kind kind)
{
    struct buffer *out = drawing->out;
    bool free_lock = kind == STRETCH_VACANT && drawing->election->kind == KIND_LOCK;
    const char *look = kind == STRETCH_GAP ? "gap" : free_lock ? "free" : "vacant";
    const char *word = kind == STRETCH_GAP ? "Gap" : free_lock ? "Free" : "No leader";
    double least = kind == STRETCH_GAP && !report_has_gap(drawing->election) ? 0 : LEAST_VACANCY;
    double width = run->to - run->from < least ? least : run->to - run->from;
    double height = bottom_of(drawing) - drawing->top;
    put_rect(drawing, look, run->from, drawing->top, width, height);
    if (kind == STRETCH_GAP)
        buffer_put_text(out, " fill=\"url(#unwatched)\"");
    buffer_put_text(out, "><title>");
    if (run->count > 1)
        page_markup_printf(out, "%s, %zu times", word, run->count);
    else
        page_markup_text(out, word);
    timeline_svg_put_times(drawing, run->from_us, run->to_us);
    buffer_put_text(out, "</title></rect>");
    if (kind == STRETCH_GAP && !drawing->low && width >= GAP_WORD_ROOM)
        buffer_printf(out, "<text class=\"unwatched\" x=\"%.1f\" y=\"%.1f\">not watched</text>",
                      run->from + width / 2, drawing->top + height / 2 + 4);
    buffer_put_char(out, '\n');
}

/* Draws the stretches of one kind (and row), joining those too close to be distinguished. */
static void draw_stretches(const struct drawing *drawing, enum stretch_kind kind, size_t row)
{
    struct led_run run = {0};
    for (size_t i = 0; i <= drawing->election->stretch_count; i++) {
        const struct report_stretch *stretch =
            i < drawing->election->stretch_count ? &drawing->election->stretches[i] : NULL;
        if (stretch &&
            (stretch->kind != kind || (kind == STRETCH_GAP && !report_is_gap(drawing->election, i)) ||
             (kind == STRETCH_LED &&
              (stretch->leader == REPORT_NO_LEADER || drawing->row_of[stretch->leader] != row))))
            continue;
        double from = stretch ? x_of(drawing, stretch->from_us) : 0;
        double to = stretch ? x_of(drawing, stretch->to_us) : 0;
        /* On the low line a change of leader must stay visible. */
        bool joins = stretch && run.count && from - run.to < MERGE &&
                     (!drawing->low || kind != STRETCH_LED || to - from < MERGE ||
                      stretch->leader == run.stretch->leader);
        /* Only small ones join: two long bars in a row are two. */
        joins = joins && (to - from < LEAST_BAR * 2 || run.to - run.from < LEAST_BAR * 2 || run.count > 1);
        if (joins) {
            run.to = to;
            run.to_us = stretch->to_us;
            run.count++;
            continue;
        }
        if (run.count && kind == STRETCH_LED)
            put_led(drawing, &run, row);
        else if (run.count)
            put_nobody(drawing, &run, kind);
        if (stretch)
            run = (struct led_run){.from = from,
                                   .to = to,
                                   .from_us = stretch->from_us,
                                   .to_us = stretch->to_us,
                                   .stretch = stretch,
                                   .count = 1};
    }
}

/* "7", "5–6", or if that is too long, their number. */
static void put_numbers(struct drawing *drawing, double x, size_t first, size_t last)
{
    char text[48];
    if (first == last)
        snprintf(text, sizeof text, "%zu", first + 1);
    else if (last < 1000)
        snprintf(text, sizeof text, "%zu–%zu", first + 1, last + 1);
    else
        snprintf(text, sizeof text, "×%zu", last - first + 1);
    if (drawing->numbered && x - drawing->numbered_x < MARK_ROOM)
        return;
    drawing->numbered = true;
    drawing->numbered_x = x;
    buffer_printf(drawing->out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", x, drawing->top - 14, text);
}

/* A change of leader, or several that are too close together: first and last, from 0. */
static void timeline_svg_put_mark(struct drawing *drawing, size_t first, size_t last)
{
    struct buffer *out = drawing->out;
    const struct failover *failover = &drawing->election->failovers[first];
    double x = x_of(drawing, failover->lost_at.wall_us);
    double end = x_of(drawing, drawing->election->failovers[last].lost_at.wall_us);
    double middle = (x + end) / 2;
    char time[SENTENCE_TIME], total[FORMAT_INTERVAL];
    bool missed = first == last && failover->gap_us > 0;
    buffer_printf(out, "<g class=\"%s\"><title>", missed ? "change missed" : "change");
    if (first == last) {
        page_markup_printf(out, "%zu. %s → %s, %s UTC, ", first + 1, sentence_from(failover),
                           sentence_to(failover),
                           sentence_time(failover->lost_at.wall_us, SENTENCE_UTC, time));
        struct span length = failover_facts_length(failover);
        if (missed)
            page_markup_text(out, "found after a gap");
        else
            page_markup_printf(out, "%s, total %s", failover_cause_word(failover->cause),
                               format_interval(length.low_us, length.high_us, false, total));
    } else {
        char until[SENTENCE_TIME];
        page_markup_printf(
            out, "%zu changes of leader, %s – %s UTC", last - first + 1,
            sentence_time(failover->lost_at.wall_us, SENTENCE_UTC, time),
            sentence_time(drawing->election->failovers[last].lost_at.wall_us, SENTENCE_UTC, until));
    }
    buffer_put_text(out, "</title>");
    if (end - x > 1)
        buffer_printf(out, "<path class=\"several\" d=\"M%.1f %.1fH%.1f\"/>", x, drawing->top - 8, end);
    buffer_printf(out, "<path d=\"M%.1f %.1fl-4.5 -8h9z\"/>", x, drawing->top - 2);
    if (last > first)
        buffer_printf(out, "<path d=\"M%.1f %.1fl-4.5 -8h9z\"/>", end, drawing->top - 2);
    if (first == last)
        buffer_printf(out, "<path class=\"thread\" d=\"M%.1f %.1fV%.1f\"/>", x, drawing->top,
                      bottom_of(drawing));
    put_numbers(drawing, middle, first, last);
    buffer_put_text(out, "</g>\n");
}

static void draw_change_marks(struct drawing *drawing)
{
    const struct report_election *election = drawing->election;
    for (size_t first = 0, last; first < election->failover_count; first = last + 1) {
        double x = x_of(drawing, election->failovers[first].lost_at.wall_us);
        for (last = first; last + 1 < election->failover_count; last++) {
            double next = x_of(drawing, election->failovers[last + 1].lost_at.wall_us);
            /* A cluster reaches no further than twice its room, or it would say nothing of when. */
            double before = x_of(drawing, election->failovers[last].lost_at.wall_us);
            if (next - before >= MARK_ROOM || next - x >= 3 * MARK_ROOM)
                break;
        }
        timeline_svg_put_mark(drawing, first, last);
    }
}

static void draw_names(const struct drawing *drawing)
{
    struct names names = {.keep_shared = true};

    for (size_t i = 0; i < drawing->election->leader_count; i++)
        names_add(&names, sentence_leader(&drawing->election->leaders[i]));
    names_fit(&names, &(struct cells){.ascii = false}, LABEL_COLUMNS);
    for (size_t row = 0; row < drawing->row_count; row++) {
        double y = drawing->top + drawing->row * (double)row;
        buffer_printf(drawing->out, "<path class=\"rule\" d=\"M%.1f %.1fH%.1f\"/>", LEFT,
                      y + drawing->row / 2, RIGHT);
        buffer_printf(drawing->out, "<text class=\"who\" x=\"%.1f\" y=\"%.1f\">", LEFT - 10,
                      y + drawing->row / 2 + 4);
        if (drawing->others && row == drawing->row_count - 1) {
            buffer_printf(drawing->out, "%zu other%s</text>\n", drawing->others,
                          drawing->others == 1 ? "" : "s");
            continue;
        }
        for (size_t i = 0; i < drawing->election->leader_count; i++) {
            if (drawing->row_of[i] != row)
                continue;
            const char *who = sentence_leader(&drawing->election->leaders[i]);
            buffer_put_text(drawing->out, "<title>");
            page_markup_text(drawing->out, who);
            buffer_put_text(drawing->out, "</title>");
            page_markup_label(drawing->out, names_shown(&names, who), LABEL_COLUMNS);
            break;
        }
        buffer_put_text(drawing->out, "</text>\n");
    }
    names_free(&names);
}

/* The leaders with the longest time have separate rows, in order of their first tenure. */
static void choose_rows(struct drawing *drawing)
{
    const struct report_election *election = drawing->election;
    size_t count = election->leader_count;
    drawing->row_of = xcalloc(count, sizeof *drawing->row_of);
    drawing->row_count = drawing->low || !count ? 1 : count;
    if (drawing->low || count <= ROWS_MOST) {
        for (size_t i = 0; i < count; i++)
            drawing->row_of[i] = drawing->low ? 0 : i;
        return;
    }
    drawing->row_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t longer = 0;
        for (size_t j = 0; j < count && longer < ROWS_MOST; j++)
            longer += election->leaders[j].led_us > election->leaders[i].led_us ||
                      (election->leaders[j].led_us == election->leaders[i].led_us && j < i);
        bool own = longer < ROWS_MOST - 1;
        drawing->row_of[i] = own ? drawing->row_count++ : ROWS_MOST - 1;
        drawing->others += !own;
    }
    drawing->row_count = ROWS_MOST;
}

static void draw_rows(const struct drawing *drawing)
{
    draw_stretches(drawing, STRETCH_GAP, 0);
    for (size_t row = 0; row < drawing->row_count; row++)
        draw_stretches(drawing, STRETCH_LED, row);
    draw_stretches(drawing, STRETCH_VACANT, 0);
}

bool timeline_svg_has_epochs(const struct report *report)
{
    for (size_t i = 0; i < report->fact_count; i++)
        if (report->facts[i].kind == FACT_EPOCH)
            return true;
    return false;
}

/* ZooKeeper's own leader changed: later changes may be its effect. */
static void draw_epochs(const struct drawing *drawing)
{
    double last = -MERGE;
    for (size_t i = 0; i < drawing->report->fact_count; i++) {
        const struct logged_fact *fact = &drawing->report->facts[i];
        double x = x_of(drawing, fact->at.wall_us);
        if (fact->kind != FACT_EPOCH || x - last < MERGE)
            continue;
        last = x;
        struct text text = {0};
        sentence_fact(&text, fact);
        buffer_printf(drawing->out, "<path class=\"epoch\" d=\"M%.1f %.1fV%.1f\"><title>", x, drawing->top,
                      bottom_of(drawing));
        page_markup_text(drawing->out, text.at ? text.at : "");
        buffer_put_text(drawing->out, "</title></path>\n");
        text_free(&text);
    }
}

void timeline_svg_print(struct buffer *out, const struct report *report,
                        const struct report_election *election, size_t number)
{
    struct drawing drawing = {.out = out,
                              .report = report,
                              .election = election,
                              .scale = {report->from_us, report->to_us, LEFT, RIGHT},
                              .top = TOP,
                              .row = ROW,
                              .bar = BAR};
    choose_rows(&drawing);
    double height = bottom_of(&drawing) + axis_height(&drawing.scale);
    buffer_printf(out,
                  "<svg class=\"timeline\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"t%zu "
                  "d%zu\">\n<title id=\"t%zu\">",
                  WIDTH, height, number, number, number);
    page_markup_printf(out, "Who led %s, and when", election->name);
    buffer_printf(out, "</title>\n<desc id=\"d%zu\">", number);
    struct sentence_verdict verdict;
    sentence_verdict(election, &verdict);
    for (size_t i = 0; i < verdict.count; i++)
        page_markup_printf(out, "%s%s", i ? " " : "", verdict.sentences[i]);
    sentence_verdict_free(&verdict);
    buffer_put_text(out, "</desc>\n");
    axis_svg_print(out, &drawing.scale, TOP, bottom_of(&drawing));
    draw_names(&drawing);
    draw_rows(&drawing);
    draw_epochs(&drawing);
    draw_change_marks(&drawing);
    buffer_put_text(out, "</svg>\n");
    free(drawing.row_of);
}

void timeline_svg_print_line(struct buffer *out, const struct report *report,
                             const struct report_election *election)
{
    struct drawing drawing = {.out = out,
                              .report = report,
                              .election = election,
                              .scale = {report->from_us, report->to_us, 0, LINE_WIDTH},
                              .row = LINE_HEIGHT,
                              .bar = LINE_HEIGHT,
                              .low = true};
    choose_rows(&drawing);
    buffer_printf(out, "<svg class=\"line\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", LINE_WIDTH,
                  LINE_HEIGHT);
    page_markup_printf(out, "Who led %s, and when", election->name);
    buffer_put_text(out, "</title>\n");
    draw_rows(&drawing);
    buffer_put_text(out, "</svg>");
    free(drawing.row_of);
}

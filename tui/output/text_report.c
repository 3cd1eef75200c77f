#include "tui/output/report_forms.h"

#include <stdio.h>
#include <string.h>

#include "tui/output/line_printer.h"
#include "tui/screen/safe.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

#define BAR_LEAST 30
#define BAR_MOST 120
#define NAME_MOST 28
/* More are not read; the JSON has all. */
#define LEADERS_MOST 24
#define ROWS_MOST 500

static void line(struct printer *printer, int x, style look, const char *text)
{
    printer_put(printer, x, look, text);
    printer_line(printer);
}

/* A date where the window has several. */
static const char *moment(const struct report *report, int64_t wall_us, char *buffer, size_t size)
{
    char first[SENTENCE_TIME], last[SENTENCE_TIME], time[SENTENCE_TIME];
    bool days = strcmp(sentence_day(report->from_us, SENTENCE_LOCAL, first),
                       sentence_day(report->to_us, SENTENCE_LOCAL, last)) != 0;
    sentence_time(wall_us, SENTENCE_LOCAL, time);
    if (days)
        snprintf(buffer, size, "%.10s %.12s", sentence_day(wall_us, SENTENCE_LOCAL, first), time);
    else
        snprintf(buffer, size, "%.12s", time);
    return buffer;
}

/* What one cell of a row shows; the larger wins. */
enum slot { SLOT_NOTHING, SLOT_GAP, SLOT_LED, SLOT_VACANT };

/* leader: REPORT_NOBODY: the row of the time without a leader. */
static void put_bar(struct printer *printer, int x, int width, const struct report *report,
                    const struct report_election *election, size_t leader)
{
    static const struct {
        style look;
        enum sign sign;
    } looks[] = {[SLOT_GAP] = {ROLE_BAR_GAP, SIGN_BAR_GAP},
                 [SLOT_LED] = {ROLE_BAR_A, SIGN_BAR},
                 [SLOT_VACANT] = {ROLE_BAR_VACANT, SIGN_BAR_VACANT}};
    unsigned char slots[BAR_MOST] = {0};
    double per_us = (double)width / (double)(report->to_us - report->from_us);
    for (size_t i = 0; i < election->stretch_count; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        bool mine = stretch->leader == leader && stretch->kind != STRETCH_GAP;
        enum slot slot = report_is_gap(election, i)        ? SLOT_GAP
                         : mine && leader == REPORT_NOBODY ? SLOT_VACANT
                         : mine                            ? SLOT_LED
                                                           : SLOT_NOTHING;
        int from = (int)((double)(stretch->from_us - report->from_us) * per_us);
        int to = (int)((double)(stretch->to_us - report->from_us) * per_us);
        /* A stretch narrower than a cell happened, and must be visible: except the time until the first
           snapshot, whose cell would claim half a minute without observation. */
        if (slot == SLOT_GAP && to == from && !report_has_gap(election))
            continue;
        for (int cell = from; cell < width && (cell < to || cell == from); cell++)
            if (slots[cell] < slot)
                slots[cell] = (unsigned char)slot;
    }
    for (int cell = 0; cell < width; cell++)
        if (slots[cell])
            printer_put(printer, x + cell, looks[slots[cell]].look,
                        cells_sign(printer->row, looks[slots[cell]].sign));
}

static void put_axis(struct printer *printer, int x, int width, const struct report *report)
{
    char clock[48], zone[16];
    for (int part = 0; part <= 2; part++) {
        int64_t at_us = report->from_us + (report->to_us - report->from_us) / 2 * part;
        format_clock(at_us, clock, sizeof clock);
        if (part == 2)
            snprintf(clock + strlen(clock), sizeof clock - strlen(clock), " %s",
                     format_zone(at_us, zone, sizeof zone));
        int length = (int)strlen(clock), at = part == 0   ? 0
                                              : part == 1 ? width / 2 - length / 2
                                                          : width - length;
        printer_put(printer, x + at, ROLE_DIM, clock);
    }
    printer_line(printer);
}

static void print_timeline(struct printer *printer, const struct report *report,
                           const struct report_election *election)
{
    bool vacant = election->vacant_us && election->kind == KIND_LEADER;
    size_t shown = election->leader_count < LEADERS_MOST ? election->leader_count : LEADERS_MOST;
    int label = vacant ? 6 : 0;
    if (report->to_us <= report->from_us)
        return;
    for (size_t i = 0; i < shown; i++) {
        const char *who = sentence_leader(&election->leaders[i]);
        int width = safe_width(who, strlen(who), printer->row->ascii);
        label = width > label ? width : label;
    }
    label = label > NAME_MOST ? NAME_MOST : label;
    int x = 2 + label + TABLE_GAP, width = (printer->style.width ? printer->style.width : 100) - x;
    width = width < BAR_LEAST ? BAR_LEAST : width > BAR_MOST ? BAR_MOST : width;
    for (size_t i = 0; i < shown; i++) {
        label_put_fit(printer->row, 2, 0, label, ROLE_TEXT, sentence_leader(&election->leaders[i]));
        put_bar(printer, x, width, report, election, i);
        printer_line(printer);
    }
    if (vacant) {
        printer_put(printer, 2, ROLE_CRITICAL, "nobody");
        put_bar(printer, x, width, report, election, REPORT_NOBODY);
        printer_line(printer);
    }
    if (shown || vacant)
        put_axis(printer, x, width, report);
    if (shown < election->leader_count) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "and %zu other%s; --json has them all",
                     election->leader_count - shown, election->leader_count - shown == 1 ? "" : "s");
        printer_line(printer);
    }
}

enum {
    FAIL_NUMBER,
    FAIL_WHEN,
    FAIL_CHANGE,
    FAIL_CAUSE,
    FAIL_DETECTED,
    FAIL_VACANT,
    FAIL_TAKEOVER,
    FAIL_TOTAL,
    FAIL_COLUMNS
};

static void failover_texts(const struct printer *printer, const struct report *report,
                           const struct failover *failover, size_t number, char texts[FAIL_COLUMNS][512])
{
    char buffer[SENTENCE_TIME];
    bool ascii = printer->row->ascii, missed = failover->gap_us > 0;
    const struct span spans[] = {failover->detection, failover->vacancy, failover->takeover, failover->total};
    snprintf(texts[FAIL_NUMBER], 512, "%zu", number);
    moment(report, failover->lost_at.wall_us, texts[FAIL_WHEN], 512);
    snprintf(texts[FAIL_CHANGE], 512, "%.200s %s %.200s", sentence_from(failover),
             cells_sign(printer->row, SIGN_ARROW), sentence_to(failover));
    snprintf(texts[FAIL_CAUSE], 512, "%s%s", missed ? "after a gap" : failover_cause_word(failover->cause),
             !missed && failover->cause != CAUSE_UNKNOWN && failover->cause_certainty == CERTAINTY_SUSPECTED
                 ? ", suspected"
                 : "");
    for (int i = 0; i < 4; i++) {
        bool applies = missed || i > 0 || failover_has_detection(failover->cause);
        snprintf(texts[FAIL_DETECTED + i], 512, "%s",
                 sentence_span(missed ? SPAN_UNKNOWN : spans[i], applies, ascii, buffer));
    }
}

static void print_failovers(struct printer *printer, const struct report *report,
                            const struct report_election *election)
{
    struct column columns[FAIL_COLUMNS] = {
        [FAIL_NUMBER] = {.heading = "#", .least = 1, .most = 8, .importance = 2, .right = true},
        [FAIL_WHEN] = {.heading = "WHEN", .least = 12, .most = 24, .importance = 9},
        [FAIL_CHANGE] = {.heading = printer->row->ascii ? "FROM -> TO" : "FROM → TO",
                         .least = 15,
                         .most = 400,
                         .importance = 7},
        [FAIL_CAUSE] = {.heading = "CAUSE", .least = 8, .most = 24, .importance = 8},
        [FAIL_DETECTED] = {.heading = "DETECTED IN", .least = 11, .most = 24, .importance = 4, .right = true},
        [FAIL_VACANT] = {.heading = "VACANT", .least = 6, .most = 24, .importance = 5, .right = true},
        [FAIL_TAKEOVER] = {.heading = "TAKEOVER", .least = 8, .most = 24, .importance = 3, .right = true},
        [FAIL_TOTAL] = {.heading = "TOTAL", .least = 6, .most = 24, .importance = 6, .right = true},
    };
    size_t count = election->failover_count, first = count > ROWS_MOST ? count - ROWS_MOST : 0;
    char texts[FAIL_COLUMNS][512], zone[16], when[24];
    if (!count)
        return;
    snprintf(when, sizeof when, "WHEN (%s)", format_zone(report->to_us, zone, sizeof zone));
    columns[FAIL_WHEN].heading = when;
    for (size_t i = first; i < count; i++) {
        failover_texts(printer, report, &election->failovers[i], i + 1, texts);
        for (int j = 0; j < FAIL_COLUMNS; j++)
            columns_want(&columns[j], safe_width(texts[j], strlen(texts[j]), printer->row->ascii));
    }
    table_want_headings(printer, columns, FAIL_COLUMNS);
    /* A figure that is cut says something else: those keep their width, and who led goes below. */
    for (int i = FAIL_DETECTED; i < FAIL_COLUMNS; i++)
        columns[i].least = columns[i].want;
    bool below = printer->style.width && table_wants(columns, FAIL_COLUMNS) > printer->style.width;
    columns[FAIL_CHANGE].hidden = below;
    printer_line(printer);
    table_begin(printer, columns, FAIL_COLUMNS, 2);
    for (size_t i = first; i < count; i++) {
        failover_texts(printer, report, &election->failovers[i], i + 1, texts);
        for (int j = 0; j < FAIL_COLUMNS; j++)
            columns_put(printer->row, &columns[j], 0,
                        j == FAIL_NUMBER || j == FAIL_WHEN ? ROLE_DIM : ROLE_TEXT, texts[j]);
        printer_line(printer);
        if (below)
            line(printer, columns[FAIL_WHEN].x, ROLE_TEXT, texts[FAIL_CHANGE]);
    }
    printer_width(printer, PRINTER_WIDTH);
    if (first) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "the last %zu of %zu; --json has them all",
                     count - first, count);
        printer_line(printer);
    }
}

enum { STAT_CAUSE, STAT_KNOWN, STAT_P50, STAT_P90, STAT_P99, STAT_LONGEST, STAT_COLUMNS };

static void figure_texts(const struct printer *printer, const struct failover_figures *figures,
                         const char *what, char texts[STAT_COLUMNS][FORMAT_INTERVAL])
{
    const struct span spans[] = {figures->p50, figures->p90, figures->p99, figures->max};
    char buffer[SENTENCE_TIME];
    snprintf(texts[STAT_CAUSE], FORMAT_INTERVAL, "%s", what);
    snprintf(texts[STAT_KNOWN], FORMAT_INTERVAL, "%zu", figures->count);
    for (int i = 0; i < 4; i++)
        snprintf(texts[STAT_P50 + i], FORMAT_INTERVAL, "%s",
                 sentence_span(spans[i], true, printer->row->ascii, buffer));
}

/* The row of everything, then one a cause; NULL: there is none. */
static const struct failover_figures *figures_at(const struct report_election *election, int row,
                                                 const char **what)
{
    const struct failover_stats *stats = &election->stats;
    *what = row ? failover_cause_word((enum failover_cause)(row - 1)) : "all";
    const struct failover_figures *figures = row ? &stats->by_cause[row - 1] : &stats->all;
    return figures->count && (!row || figures->count < stats->all.count) ? figures : NULL;
}

static void print_statistics(struct printer *printer, const struct report_election *election)
{
    struct column columns[STAT_COLUMNS] = {
        [STAT_CAUSE] = {.heading = "FAILOVERS", .least = 9, .most = 12, .importance = 6},
        [STAT_KNOWN] = {.heading = "KNOWN", .least = 5, .most = 8, .importance = 3, .right = true},
        [STAT_P50] = {.heading = "P50", .least = 6, .most = 24, .importance = 5, .right = true},
        [STAT_P90] = {.heading = "P90", .least = 6, .most = 24, .importance = 1, .right = true},
        [STAT_P99] = {.heading = "P99", .least = 6, .most = 24, .importance = 2, .right = true},
        [STAT_LONGEST] = {.heading = "LONGEST", .least = 7, .most = 24, .importance = 4, .right = true},
    };
    char texts[STAT_COLUMNS][FORMAT_INTERVAL];
    const char *what;
    if (!election->stats.all.count)
        return;
    for (int row = 0; row <= CAUSE_COUNT; row++) {
        const struct failover_figures *figures = figures_at(election, row, &what);
        if (!figures)
            continue;
        figure_texts(printer, figures, what, texts);
        for (int i = 0; i < STAT_COLUMNS; i++)
            columns_want(&columns[i], safe_width(texts[i], strlen(texts[i]), false));
    }
    table_want_headings(printer, columns, STAT_COLUMNS);
    for (int i = STAT_P50; i < STAT_COLUMNS; i++)
        columns[i].least = columns[i].want;
    printer_line(printer);
    table_begin(printer, columns, STAT_COLUMNS, 2);
    for (int row = 0; row <= CAUSE_COUNT; row++) {
        const struct failover_figures *figures = figures_at(election, row, &what);
        if (!figures)
            continue;
        figure_texts(printer, figures, what, texts);
        for (int i = 0; i < STAT_COLUMNS; i++)
            columns_put(printer->row, &columns[i], 0, ROLE_TEXT, texts[i]);
        printer_line(printer);
    }
    printer_width(printer, PRINTER_WIDTH);
}

void text_report_print_story(struct printer *printer, const struct sentences *sentences, int x)
{
    for (size_t i = 0; i < sentences->count; i++) {
        const struct sentence *sentence = &sentences->list[i];
        int at = x;
        if (sentence->kind != SENTENCE_CERTAIN) {
            at = printer_put(printer, at, ROLE_DIM, sentence_kind_word(sentence->kind));
            at = printer_put(printer, at, ROLE_DIM, ": ");
        }
        printer_put(printer, at, i == 0 ? ROLE_STRONG : ROLE_TEXT, sentence->text);
        printer_prose(printer);
        printer_put(printer, x + 4, ROLE_DIM, sentence->evidence);
        printer_prose(printer);
    }
}

static void print_stories(struct printer *printer, const struct report_election *election)
{
    if (election->story_count > 0) {
        printer_line(printer);
        line(printer, 2, ROLE_DIM,
             election->story_count < election->change_count
                 ? "WHY: the longest and the latest; electop why explains any other"
                 : "WHY");
    }
    for (size_t i = 0; i < election->story_count; i++) {
        struct sentences sentences = story_sentences(election->stories[i], false);
        if (i > 0)
            printer_line(printer);
        text_report_print_story(printer, &sentences, 2);
        sentences_free(&sentences);
    }
}

static void text_report_print_findings(struct printer *printer, const struct report *report,
                                       const struct report_election *election)
{
    if (election->finding_count)
        printer_line(printer);
    for (size_t i = 0; i < election->finding_count && i < ROWS_MOST; i++) {
        const struct report_finding *reported = &election->findings[i];
        char from[32], to[32], evidence[FINDING_EVIDENCE];
        style look = severity_look(reported->finding.severity);
        int x = printer_put(printer, 2, look,
                            cells_sign(printer->row, severity_sign(reported->finding.severity)));
        x = printer_put(printer, x + 1, look, severity_word(reported->finding.severity));
        x = printer_put(printer, x + 1, ROLE_STRONG, finding_kind(reported->finding.code)->word) + TABLE_GAP;
        for (size_t j = 0; j < reported->finding.candidate_count; j++)
            x = printer_put(printer, x, ROLE_TEXT, reported->finding.candidates[j]) + TABLE_GAP;
        x += cells_printf(printer->row, x, 0, -1, ROLE_DIM, "%s, %s ",
                          certainty_word(reported->finding.certainty),
                          moment(report, reported->raised_us, from, sizeof from));
        x = printer_put(printer, x, ROLE_DIM, cells_sign(printer->row, SIGN_DASH));
        printer_put(printer, x + 1, ROLE_DIM,
                    reported->cleared_us ? moment(report, reported->cleared_us, to, sizeof to)
                                         : "still there");
        printer_line(printer);
        if (reported->finding.evidence)
            line(printer, 4, ROLE_DIM, finding_evidence(&reported->finding, evidence, sizeof evidence));
    }
    if (election->finding_count > ROWS_MOST) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "the first %d of %zu; --json has them all", ROWS_MOST,
                     election->finding_count);
        printer_line(printer);
    }
}

static void print_gaps(struct printer *printer, const struct report *report,
                       const struct report_election *election)
{
    size_t shown = 0;
    bool gap = report_has_gap(election);
    if (gap || election->unseen_joined || election->unseen_left)
        printer_line(printer);
    for (size_t i = 0; gap && i < election->stretch_count && shown < ROWS_MOST; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        char from[32], to[32], span[16];
        if (!report_is_gap(election, i))
            continue;
        cells_printf(printer->row, 2, 0, -1, ROLE_WARNING, "not watched %s %s %s (%s)",
                     moment(report, stretch->from_us, from, sizeof from), cells_sign(printer->row, SIGN_DASH),
                     moment(report, stretch->to_us, to, sizeof to),
                     format_span(stretch->to_us - stretch->from_us, span, sizeof span));
        printer_line(printer);
        shown++;
    }
    if (gap && shown < report_gap_count(election)) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "the first %zu of %zu; --json has them all", shown,
                     report_gap_count(election));
        printer_line(printer);
    }
    if (election->unseen_joined || election->unseen_left) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM,
                     "unseen: %llu joined, %llu left, as ZooKeeper's counters prove",
                     (unsigned long long)election->unseen_joined, (unsigned long long)election->unseen_left);
        printer_line(printer);
    }
}

static void print_election(struct printer *printer, const struct report *report,
                           const struct report_election *election)
{
    struct sentence_verdict verdict;
    int x;
    printer_line(printer);
    x = printer_put(printer, 0, ROLE_STRONG, election->name);
    if (strcmp(election->name, election->path) != 0)
        x = printer_put(printer, x + TABLE_GAP, ROLE_DIM, election->path);
    if (election->cluster)
        printer_put(printer, x + TABLE_GAP, ROLE_DIM, election->cluster);
    printer_line(printer);
    sentence_verdict(election, &verdict);
    for (size_t i = 0; i < verdict.count; i++)
        line(printer, 2, ROLE_TEXT, verdict.sentences[i]);
    sentence_verdict_free(&verdict);
    print_timeline(printer, report, election);
    print_failovers(printer, report, election);
    print_statistics(printer, election);
    print_stories(printer, election);
    text_report_print_findings(printer, report, election);
    print_gaps(printer, report, election);
}

static void print_head(struct printer *printer, const struct report *report, const struct report_note *note)
{
    struct text window = {0}, held = {0};
    char span[16];
    sentence_window(&window, report->from_us, report->to_us, SENTENCE_LOCAL, printer->row->ascii);
    int x = printer_put(printer, 0, ROLE_TITLE, window.at ? window.at : "");
    cells_printf(printer->row, x, 0, -1, ROLE_DIM, "  (%s)",
                 format_span(report->to_us - report->from_us, span, sizeof span));
    printer_line(printer);
    x = printer_put(printer, 0, ROLE_DIM, "from ");
    x = printer_put(printer, x, ROLE_DIM, note->recording);
    if (report->recorded_to_us) {
        sentence_window(&held, report->recorded_from_us, report->recorded_to_us, SENTENCE_LOCAL,
                        printer->row->ascii);
        x = printer_put(printer, x, ROLE_DIM, ", which holds ");
        printer_put(printer, x, ROLE_DIM, held.at ? held.at : "");
    } else {
        printer_put(printer, x, ROLE_DIM, ", which is empty");
    }
    printer_line(printer);
    text_free(&window);
    text_free(&held);
}

static void print_clocks(struct printer *printer, const struct report *report)
{
    for (size_t i = 0; i < report->clock_count; i++) {
        struct text text = {0};
        sentence_clock(&text, &report->clocks[i], SENTENCE_LOCAL);
        printer_put(printer, 0, ROLE_WARNING, text.at ? text.at : "");
        printer_prose(printer);
        text_free(&text);
    }
}

static void print_facts(struct printer *printer, const struct report *report)
{
    if (!report->fact_count)
        return;
    printer_line(printer);
    line(printer, 0, ROLE_STRONG, "ZooKeeper itself");
    for (size_t i = 0; i < report->fact_count && i < ROWS_MOST; i++) {
        struct text text = {0};
        char time[32];
        sentence_fact(&text, &report->facts[i]);
        int x =
            printer_put(printer, 2, ROLE_DIM, moment(report, report->facts[i].at.wall_us, time, sizeof time));
        printer_put(printer, x + TABLE_GAP, ROLE_TEXT, text.at ? text.at : "");
        printer_prose(printer);
        text_free(&text);
    }
    if (report->fact_count > ROWS_MOST) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "the first %d of %zu; --json has them all", ROWS_MOST,
                     report->fact_count);
        printer_line(printer);
    }
}

void text_report_print(struct buffer *out, const struct report *report, const struct report_note *note,
                       const struct print_style *how)
{
    struct printer printer;
    printer_begin(&printer, out, how);
    print_head(&printer, report, note);
    print_clocks(&printer, report);
    if (report_is_empty(report))
        line(&printer, 0, ROLE_WARNING,
             "nothing was recorded in this time; what happened then is not known here");
    else if (!report->election_count)
        line(&printer, 0, ROLE_WARNING, "none of the elections asked for was recorded in this time");
    for (size_t i = 0; i < report->election_count; i++)
        print_election(&printer, report, &report->elections[i]);
    print_facts(&printer, report);
    printer_end(&printer);
}

#include "tui/output/run_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/inject/run.h"
#include "probe/inject/run_part.h"
#include "probe/json/buffer.h"
#include "tui/output/line_printer.h"
#include "tui/output/page_style.h"
#include "tui/screen/safe.h"
#include "tui/words/format.h"

/*
 * One content in two forms: lines of text, or parts of a page.
 *
 * Labels and prose may hold strangers' bytes (paths, server addresses): both forms make them safe. Cells are
 * our own figures.
 */

#define FORM_CELL 32
/* Where the first column of a text begins to be filled, and how wide each is. */
#define FORM_LABEL 30
#define FORM_COLUMN 9

struct run_figures {
    struct buffer *out;
    struct printer *printer; /* NULL: a page */
    int column;              /* of the table that is being written */
    bool paired;             /* its first two columns are held against each other: with bars, on a page */
};

#define TITLE_RULE 76

static void put_element(struct run_figures *form, const char *element, const char *text)
{
    buffer_printf(form->out, "<%s>", element);
    markup_text(form->out, text);
    buffer_printf(form->out, "</%s>\n", element);
}

/* of a part with separate headings */
static void run_figures_title(struct run_figures *form, const char *text)
{
    if (!form->printer) {
        put_element(form, "h2", text);
        return;
    }
    printer_line(form->printer);
    cells_rule(form->printer->row, 0, 0, TITLE_RULE, text);
    printer_line(form->printer);
}

static void run_figures_heading(struct run_figures *form, const char *text)
{
    if (!form->printer) {
        put_element(form, "h3", text);
        return;
    }
    printer_line(form->printer);
    printer_put(form->printer, 0, ROLE_HEADING, text);
    printer_line(form->printer);
}

static const char *class_of(style look)
{
    return look == ROLE_STRONG                     ? "verdict"
           : look == ROLE_CRITICAL                 ? "critical"
           : look == ROLE_GOOD                     ? "held"
           : look == ROLE_WARNING                  ? "warning"
           : look == ROLE_DIM || look == ROLE_INFO ? "note"
                                                   : "said";
}

/* A paragraph; look: of the text form. */
__attribute__((format(printf, 3, 4))) static void run_figures_prose(struct run_figures *form, style look,
                                                                    const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    const char *said = text.at ? text.at : "";
    if (form->printer) {
        printer_put(form->printer, 0, look, said);
        printer_prose(form->printer);
    } else {
        buffer_printf(form->out, "<p class=\"%s\">", class_of(look));
        markup_text(form->out, said);
        buffer_put_text(form->out, "</p>\n");
    }
    text_free(&text);
}

/* Cells are right-aligned, each in its column. */
static void run_figures_put_cells(struct run_figures *form, style look, const char *cell, size_t i)
{
    int width = (int)strlen(cell), end = FORM_LABEL + form->column * (int)(i + 1); /* all of them ASCII */
    printer_put(form->printer, end - width, look, cell);
}

/* A table with so many columns to the right of its labels. */
static void run_figures_table(struct run_figures *form, int column, const char *const *heads, size_t count)
{
    form->column = column;
    if (form->printer) {
        for (size_t i = 0; i < count; i++)
            run_figures_put_cells(form, ROLE_DIM, heads[i], i);
        if (count > 0)
            printer_line(form->printer);
        return;
    }
    buffer_printf(form->out, "<div class=\"table\"><table class=\"figures%s\">\n",
                  form->paired ? " pairs" : "");
    if (count > 0)
        buffer_put_text(form->out, "<thead><tr><td></td>");
    for (size_t i = 0; i < count; i++) {
        buffer_put_text(form->out, "<th scope=\"col\" class=\"n\">");
        markup_text(form->out, heads[i]);
        buffer_put_text(form->out, "</th>");
    }
    if (form->paired)
        buffer_put_text(form->out, "<td></td>");
    buffer_put_text(form->out, count > 0 ? "</tr></thead>\n<tbody>\n" : "<tbody>\n");
}

/* Both to one scale: the longer one fills the drawing. */
static void put_bars(struct buffer *out, const double values[2])
{
    double most = values[0] > values[1] ? values[0] : values[1];
    buffer_put_text(out, "<td><svg class=\"bars\" viewBox=\"0 0 200 14\" aria-hidden=\"true\">");
    for (size_t i = 0; i < 2; i++)
        if (most > 0 && values[i] >= 0)
            buffer_printf(out, "<rect class=\"%s\" x=\"0\" y=\"%d\" width=\"%.1f\" height=\"6\"/>",
                          i ? "second" : "led", i ? 8 : 0, values[i] / most * 198 + 2);
    buffer_put_text(out, "</svg></td>");
}

static void run_figures_put_row(struct run_figures *form, const char *label, char (*cells)[FORM_CELL],
                                size_t count, const double *bars)
{
    if (form->printer) {
        printer_put(form->printer, 2, ROLE_TEXT, label);
        if (safe_width(label, strlen(label), form->printer->style.ascii) > FORM_LABEL - 2)
            printer_line(form->printer); /* its figures are below it */
        for (size_t i = 0; i < count; i++)
            run_figures_put_cells(form, ROLE_TEXT, cells[i], i);
        printer_line(form->printer);
        return;
    }
    size_t inner = strspn(label, " ");
    buffer_printf(form->out, "<tr><th scope=\"row\"%s>", inner ? " class=\"inner\"" : "");
    markup_text(form->out, label + inner);
    buffer_put_text(form->out, "</th>");
    for (size_t i = 0; i < count; i++) {
        buffer_put_text(form->out, "<td class=\"n\">");
        markup_text(form->out, cells[i]);
        buffer_put_text(form->out, "</td>");
    }
    if (bars)
        put_bars(form->out, bars);
    buffer_put_text(form->out, "</tr>\n");
}

static void run_figures_row(struct run_figures *form, const char *label, char (*cells)[FORM_CELL],
                            size_t count)
{
    run_figures_put_row(form, label, cells, count, NULL);
}

/* The same in a table of pairs, with a bar for each of both values; below 0: not known. */
static void run_figures_pair(struct run_figures *form, const char *label, char (*cells)[FORM_CELL],
                             size_t count, const double values[2])
{
    run_figures_put_row(form, label, cells, count, values);
}

/* A row that names what the rows below it belong to. */
static void run_figures_group(struct run_figures *form, const char *label, size_t count)
{
    if (form->printer) {
        printer_put(form->printer, 2, ROLE_STRONG, label);
        printer_line(form->printer);
        return;
    }
    buffer_printf(form->out, "<tr class=\"group\"><th scope=\"row\" colspan=\"%zu\">", count + 1);
    markup_text(form->out, label);
    buffer_put_text(form->out, "</th></tr>\n");
}

static void run_figures_table_end(struct run_figures *form)
{
    if (!form->printer)
        buffer_put_text(form->out, "</tbody></table></div>\n");
}

/* Figures as cells. -1: not known ("?"); a time of -1: there was none ("-"). */
static void form_number(char out[FORM_CELL], int64_t value)
{
    if (value < 0)
        snprintf(out, FORM_CELL, "?");
    else
        snprintf(out, FORM_CELL, "%" PRId64, value);
}

static void form_time(char out[FORM_CELL], int64_t us)
{
    if (us < 0)
        snprintf(out, FORM_CELL, "-");
    else
        format_span(us, out, FORM_CELL);
}

/* Of so many together, what each has: "2", "2.5". "-": there are none. */
static void form_mean(char out[FORM_CELL], uint64_t sum, uint64_t count)
{
    double each = count ? (double)sum / (double)count : 0;
    bool whole = each >= 100 || sum == count * (count ? sum / count : 0);
    if (count == 0)
        snprintf(out, FORM_CELL, "-");
    else
        snprintf(out, FORM_CELL, "%.*f", whole ? 0 : 1, each);
}

/* ---- two runs held against each other: what does a herd cost, where the recipe's chain does not? ---- */

#define COLUMN 12

enum unit { UNIT_TIME, UNIT_NUMBER };

/* A figure of either run; below 0: not known. */
struct versus_row {
    const char *label;
    enum unit unit;
    double values[2];
};

/* What each is called: by its behaviour ("recipe", "herd"), or where that is a mixture by its turn. */
static void run_comparison_names(const struct run_report *first, const struct run_report *second,
                                 char names[2][FORM_CELL])
{
    static const char *const turns[] = {"first", "second"};
    const struct run_report *runs[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        const struct run_options *options = runs[i]->options;
        bool plain = options->share_count == 1 && options->shares[0].percent >= 100;
        snprintf(names[i], FORM_CELL, "%s",
                 options->share_count == 0 ? "recipe"
                 : plain                   ? behaviour_rules_of(options->shares[0].behaviour)->word
                                           : turns[i]);
    }
    if (strcmp(names[0], names[1]) == 0) /* as slow by two different times */
        for (size_t i = 0; i < 2; i++)
            snprintf(names[i], FORM_CELL, "%s", turns[i]);
}

static double percentile(const struct histogram *h, double part)
{
    return h->count == 0 ? -1 : part >= 1 ? (double)h->most_us : (double)histogram_percentile(h, part);
}

static double mean(uint64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : -1;
}

/* Of all servers together; -1 where one of them does not tell. */
static double packets_sent(const struct run_report *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->server_count; i++) {
        if (r->before[i].sent < 0 || r->after[i].sent < r->before[i].sent)
            return -1;
        sum += r->after[i].sent - r->before[i].sent;
    }
    return r->server_count ? (double)sum : -1;
}

static void print_value(const struct versus_row *row, double value, char out[FORM_CELL])
{
    if (value < 0)
        snprintf(out, FORM_CELL, "-");
    else if (row->unit == UNIT_TIME)
        format_span((int64_t)value, out, FORM_CELL);
    else
        snprintf(out, FORM_CELL, "%.*f", value >= 100 || value == (double)(int64_t)value ? 0 : 1, value);
}

static void print_ratio(double first, double second, char out[FORM_CELL])
{
    char rate[FORM_CELL];
    if (first <= 0 || second < 0)
        snprintf(out, FORM_CELL, "-");
    else
        snprintf(out, FORM_CELL, "x%.20s", format_rate(second / first, rate, sizeof rate));
}

static void run_comparison_put_row(struct run_figures *form, const struct versus_row *row)
{
    char cells[3][FORM_CELL];
    print_value(row, row->values[0], cells[0]);
    print_value(row, row->values[1], cells[1]);
    print_ratio(row->values[0], row->values[1], cells[2]);
    run_figures_pair(form, row->label, cells, 3, row->values);
}

/* The three figures that say most, in words. */
static void put_sentence(struct run_figures *form, const struct versus_row *notices,
                         const struct versus_row *requests, const struct versus_row *p50,
                         char names[2][FORM_CELL])
{
    char values[3][2][FORM_CELL];
    const struct versus_row *rows[] = {notices, requests, p50};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            print_value(rows[i], rows[i]->values[j], values[i][j]);
    if (p50->values[0] < 0 || p50->values[1] < 0 || notices->values[0] < 0 || notices->values[1] < 0)
        run_figures_prose(
            form, ROLE_WARNING,
            "There was no failover in %s, so there is none to compare; with --kill leader there "
            "are some.",
            p50->values[0] < 0 && p50->values[1] < 0 ? "either run" : "one of the runs");
    else
        run_figures_prose(
            form, ROLE_STRONG,
            "Behaviour %s against %s: a failover took %s notifications instead of %s, %s requests instead "
            "of %s, and %s (p50) instead of %s.",
            names[1], names[0], values[0][1], values[0][0], values[1][1], values[1][0], values[2][1],
            values[2][0]);
}

/* One sentence that says it, and one table. */
static void run_comparison_put(struct run_figures *form, const struct run_report *first,
                               const struct run_report *second)
{
    char names[2][FORM_CELL];
    const struct run_report *const runs[] = {first, second};
    enum { STAND, FAILOVERS, P50, P90, P99, MOST, NOTICES, REQUESTS, LISTS, SENT, ERRORS, PING, CPU, COUNT };
    struct versus_row rows[COUNT] = {
        [STAND] = {"to stand, p99", UNIT_TIME, {0}},
        [FAILOVERS] = {"failovers", UNIT_NUMBER, {0}},
        [P50] = {"  p50", UNIT_TIME, {0}},
        [P90] = {"  p90", UNIT_TIME, {0}},
        [P99] = {"  p99", UNIT_TIME, {0}},
        [MOST] = {"  the longest", UNIT_TIME, {0}},
        [NOTICES] = {"  notifications each", UNIT_NUMBER, {0}},
        [REQUESTS] = {"  requests each", UNIT_NUMBER, {0}},
        [LISTS] = {"lists read", UNIT_NUMBER, {0}},
        [SENT] = {"packets the servers sent", UNIT_NUMBER, {0}},
        [ERRORS] = {"errors", UNIT_NUMBER, {0}},
        [PING] = {"the ensemble's ping, p99", UNIT_TIME, {0}},
        [CPU] = {"CPU of this process", UNIT_TIME, {0}},
    };
    for (size_t i = 0; i < 2; i++) {
        const struct run_report *r = runs[i];
        const struct histogram *h = r->times.failover;
        rows[STAND].values[i] = percentile(r->times.stand, 0.99);
        rows[FAILOVERS].values[i] = (double)h->count;
        rows[P50].values[i] = percentile(h, 0.5);
        rows[P90].values[i] = percentile(h, 0.9);
        rows[P99].values[i] = percentile(h, 0.99);
        rows[MOST].values[i] = percentile(h, 1);
        rows[NOTICES].values[i] = mean(r->notices, r->counted);
        rows[REQUESTS].values[i] = mean(r->requests, r->counted);
        rows[LISTS].values[i] = (double)r->crowd.lists;
        rows[SENT].values[i] = packets_sent(r);
        rows[ERRORS].values[i] = (double)r->crowd.errors;
        rows[PING].values[i] = percentile(&r->ping, 0.99);
        rows[CPU].values[i] = (double)r->cpu_us;
    }
    run_comparison_names(first, second, names);
    put_sentence(form, &rows[NOTICES], &rows[REQUESTS], &rows[P50], names);
    const char *heads[] = {names[0], names[1], "ratio"};
    run_figures_heading(form, "Side by side");
    form->paired = true;
    run_figures_table(form, COLUMN, heads, 3);
    for (size_t i = 0; i < COUNT; i++)
        run_comparison_put_row(form, &rows[i]);
    run_figures_table_end(form);
    form->paired = false;
    run_figures_prose(
        form, ROLE_DIM,
        "The first of two runs meets a server that is less warm: a small difference says little.");
}

/* ---- the run: text and Markdown are made of the same rows, so that neither says less ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static size_t agents_reported(const struct run_report *r)
{
    struct run_part *part = xmalloc(sizeof *part);
    size_t reported = 0;
    for (size_t i = 0; i < r->agent_count; i++) {
        run_part_read(&r->agents[i], part);
        reported += part->reported;
    }
    free(part);
    return reported;
}

static void put_behaviour(struct text *text, const struct run_options *options, bool ours)
{
    double left = 100;
    if (options->share_count == 0)
        text_add(text, ours ? "ours follow the recipe" : "all follow the recipe");
    else
        text_add(text, ours ? "behaviour of ours " : "behaviour ");
    for (size_t i = 0; i < options->share_count; i++) {
        const struct behaviour_share *share = &options->shares[i];
        left -= share->percent;
        text_add(text, i ? ", " : "");
        if (share->percent < 100)
            text_printf(text, "%.0f %% ", share->percent);
        text_add(text, behaviour_rules_of(share->behaviour)->word);
        if (share->slow_ms)
            text_printf(text, " by %d ms", share->slow_ms);
    }
    if (options->share_count > 0 && left > 0.5)
        text_add(text, ", the rest as the recipe says");
}

/* Who was to die, how, and how often. */
static void put_schedule(struct text *text, const struct run_report *r)
{
    const struct run_options *options = r->options;
    bool ours = r->agents != NULL;
    static const char *const how[KILL_COUNT] = {[KILL_CLOSE] = "closed its session",
                                                [KILL_RESIGN] = "resigned",
                                                [KILL_DROP] = "lost its connection for good",
                                                [KILL_PAUSE] = "stood still until it had expired"};
    bool seconds = options->every_ms % 1000 == 0;
    if (options->victim == VICTIM_NOBODY && r->by_hand == 0)
        text_add(text, ours ? " Of ours nobody was made to die." : " Nobody was made to die.");
    else if (options->victim != VICTIM_NOBODY)
        text_printf(text, " Every %" PRIu64 "%s %s %s.",
                    seconds ? options->every_ms / 1000 : options->every_ms, seconds ? "s" : "ms",
                    options->victim != VICTIM_LEADER ? "one at random"
                    : ours                           ? "our leader"
                                                     : "the leader",
                    how[options->how]);
    if (r->by_hand > 0)
        text_printf(text, " %zu %s made to go by hand.", r->by_hand, r->by_hand == 1 ? "was" : "were");
}

static void put_course(struct text *text, const struct run_report *r)
{
    char span[FORM_CELL], cpu[FORM_CELL];
    const struct histogram *stood = r->crowd.to_stand ? r->crowd.to_stand : r->times.stand;
    bool all = stood->count >= r->options->candidates;
    uint64_t stood_us = r->crowd.stood_us > r->crowd.begun_us ? r->crowd.stood_us - r->crowd.begun_us : 0;
    bool early = !r->options->for_ms || r->run_us < (uint64_t)r->options->for_ms * 1000;
    if (r->problem)
        text_printf(text, "It %s (%s): %s.", early ? "ended early" : "did not end well", run_end_word(r->end),
                    r->problem);
    if (r->problem)
        text_add(text, " ");
    if (stood_us && all)
        text_printf(text, "All%s stood within %s.", r->agents ? " of ours" : "",
                    format_span((int64_t)stood_us, span, sizeof span));
    else if (stood_us)
        text_printf(text, "%" PRIu64 " of %s stood, and after %s no more were waited for.", stood->count,
                    r->agents ? "ours" : "them", format_span((int64_t)stood_us, span, sizeof span));
    if (stood_us)
        put_schedule(text, r);
    else
        text_printf(text, "%" PRIu64 " of %s stood.", stood->count, r->agents ? "ours" : "them");
    text_printf(text, " It ran %s%s, and took %s of CPU here.",
                format_span((int64_t)r->run_us, span, sizeof span),
                r->end == RUN_STOPPED ? stood_us ? ", until it was stopped" : ", was stopped before all stood"
                : r->end == RUN_DONE  ? ", to its end"
                                      : "",
                format_span((int64_t)r->cpu_us, cpu, sizeof cpu));
}

/* "; each cost 1 notification and 2.5 requests", as far as that is known */
static void put_each(struct text *text, const char *words, const struct run_report *r)
{
    char notices[FORM_CELL], requests[FORM_CELL];
    form_mean(notices, r->notices, r->counted);
    form_mean(requests, r->requests, r->counted);
    if (r->counted > 0)
        text_printf(text, "%s %s notification%s and %s request%s", words, notices,
                    strcmp(notices, "1") == 0 ? "" : "s", requests, strcmp(requests, "1") == 0 ? "" : "s");
}

/* What most people run it for, in one sentence. */
static void put_answer(struct run_figures *form, const struct run_report *r)
{
    const struct histogram *h = r->times.failover;
    char p50[FORM_CELL], p99[FORM_CELL], most[FORM_CELL];
    struct text text = {0};
    format_span(h->most_us, most, sizeof most);
    if (h->count == 1) {
        text_printf(&text, "1 failover: it took %s", most);
        put_each(&text, " and cost", r);
    } else if (h->count > 1) {
        text_printf(&text, "%" PRIu64 " failovers: p50 %s, p99 %s, the longest %s", h->count,
                    format_span(histogram_percentile(h, 0.5), p50, sizeof p50),
                    format_span(histogram_percentile(h, 0.99), p99, sizeof p99), most);
        put_each(&text, "; each cost", r);
    }
    if (text.at)
        run_figures_prose(form, ROLE_STRONG, "%s.", text.at);
    text_free(&text);
}

/* Deaths that were due, and that the ensemble did not let happen: no figure holds them. */
static void put_left_out(struct run_figures *form, const struct crowd_figures *c, enum kill_victim victim)
{
    uint64_t under_way = c->left_out[OBSTACLE_FAILOVER], nobody = c->left_out[OBSTACLE_NOBODY],
             all = under_way + nobody;
    const char *absent =
        victim == VICTIM_LEADER ? "nobody led, or no server answered" : "nobody stood, or no server answered";
    const char *busy = "the failover before was not over";
    struct text text = {0};
    if (all == 0)
        return;
    text_printf(&text, "Of %" PRIu64 " deaths that were due %" PRIu64 " %s left out", c->deaths + all, all,
                all == 1 ? "was" : "were");
    if (under_way > 0 && nobody > 0)
        text_printf(&text, ": %" PRIu64 " while %s, %" PRIu64 " while %s", under_way, busy, nobody, absent);
    else
        text_printf(&text, " while %s", nobody > 0 ? absent : busy);
    run_figures_prose(form, ROLE_WARNING, "%s.", text.at ? text.at : "?");
    text_free(&text);
}

/* Deaths that led nowhere, and those that could not be. */
static void put_unanswered(struct run_figures *form, const struct run_report *r)
{
    uint64_t open = 0;
    for (int how = 0; how < KILL_COUNT; how++)
        open += r->by_how[how][1];
    if (open > 0)
        run_figures_prose(form, ROLE_WARNING,
                          "%" PRIu64 " death%s of a leader %s followed by nobody who led.", open,
                          plural(open), open == 1 ? "was" : "were");
    if (r->crowd.unplanned > 0)
        run_figures_prose(
            form, ROLE_WARNING,
            "%" PRIu64 " leader%s more went by no death of this run (somebody deleted a znode, or a "
            "session expired): since when is not known, so no figure holds %s.",
            r->crowd.unplanned, plural(r->crowd.unplanned), r->crowd.unplanned == 1 ? "it" : "them");
    put_left_out(form, &r->crowd, r->options->victim);
}

static void run_lines_put_first(struct text *text, const struct run_report *r)
{
    char span[FORM_CELL], most[FORM_CELL];
    uint64_t known_us = r->crowd.first_most_us;
    if (known_us && r->first_may_us > 0)
        text_printf(text, "one of them was first: it knew so for %s, and was so for at most %s",
                    format_span((int64_t)known_us, span, sizeof span),
                    format_span(r->first_may_us, most, sizeof most));
    else if (known_us)
        text_printf(text, "one of them was first: it knew so for %s, and for how long it was is not known",
                    format_span((int64_t)known_us, span, sizeof span));
    else if (r->first_may_us > 0)
        text_printf(text, "one of them may have been first, for at most %s",
                    format_span(r->first_may_us, span, sizeof span));
    else
        text_add(text, r->first_may_us < 0 ? "whether one of them was ever first is not known"
                                           : "none of them was ever first");
}

static void put_live(struct run_figures *form, const struct run_report *r)
{
    struct text text = {0};
    bool seen = r->real_least >= 0;
    if (!seen && r->first_may_us == 0) {
        run_figures_prose(form, ROLE_TEXT, "None of them was seen to stand.");
        return;
    }
    if (seen)
        text_printf(&text, "At least %" PRId64 " real candidate%s stood before them", r->real_least,
                    plural((uint64_t)r->real_least));
    else
        text_add(&text, "How many real candidates stood before them nobody saw");
    text_printf(&text, "; they withdrew %zu time%s for want of two; ", r->withdrawals,
                plural(r->withdrawals));
    run_lines_put_first(&text, r);
    run_figures_prose(form, r->first_may_us ? ROLE_WARNING : ROLE_TEXT, "%s.", text.at ? text.at : "?");
    text_free(&text);
}

/* How many candidates on how many sessions, and where. */
static void run_lines_put_crowd(struct text *text, const struct run_report *r)
{
    size_t reported = r->agents ? agents_reported(r) : 0, sessions = r->crowd.sessions;
    const char *where = r->election ? r->election : r->options->path;
    if (r->agents && reported < r->agent_count)
        text_printf(text, "%zu of %zu agents told their part: ", reported, r->agent_count);
    else if (r->agents)
        text_printf(text, "%zu agent%s together: ", reported, plural(reported));
    text_printf(text, "%zu test candidate%s on %zu session%s%s %s: ", r->wanted, plural(r->wanted), sessions,
                plural(sessions), reported > 1 ? ", each agent's in an election of its own, ours in" : " in",
                where);
}

static void put_summary(struct run_figures *form, const struct run_report *r)
{
    struct text text = {0};
    run_lines_put_crowd(&text, r);
    put_behaviour(&text, r->options, r->agents != NULL);
    text_add(&text, ". ");
    put_course(&text, r);
    run_figures_prose(form, ROLE_TEXT, "%s", text.at ? text.at : "");
    text_free(&text);
    put_answer(form, r);
    put_unanswered(form, r);
    if (r->options->live)
        put_live(form, r);
    for (const char *at = r->notes; *at;) {
        size_t length = strcspn(at, "\n");
        run_figures_prose(form, ROLE_INFO, "Note: %.*s", (int)(length < 600 ? length : 600), at);
        at += length + (at[length] == '\n');
    }
}

static const char *const times_heads[] = {"count", "p50", "p90", "p99", "max"};

static void times_row(struct run_figures *form, const char *label, const struct histogram *h)
{
    char cells[5][FORM_CELL];
    form_number(cells[0], (int64_t)h->count);
    static const double parts[] = {0.5, 0.9, 0.99};
    for (size_t i = 0; i < 3; i++)
        form_time(cells[i + 1], h->count ? histogram_percentile(h, parts[i]) : -1);
    form_time(cells[4], h->count ? h->most_us : -1);
    run_figures_row(form, label, cells, 5);
}

static void run_lines_put_times(struct run_figures *form, const struct run_report *r)
{
    static const char *const causes[KILL_COUNT] = {[KILL_CLOSE] = "  closed",
                                                   [KILL_RESIGN] = "  resigned",
                                                   [KILL_DROP] = "  dropped",
                                                   [KILL_PAUSE] = "  paused"};
    run_figures_heading(form, "Times, each from when it was due");
    run_figures_table(form, FORM_COLUMN, times_heads, 5);
    times_row(form, "to stand", r->times.stand);
    times_row(form, "failover", r->times.failover);
    for (int how = 0; how < KILL_COUNT; how++)
        if (r->by_how[how][0] + r->by_how[how][1] > 0)
            times_row(form, causes[how], &r->by_cause[how]);
    if (r->times.vacancy.count > 0) {
        times_row(form, "  detection: until told", &r->times.detection);
        times_row(form, "  vacancy: until first", &r->times.vacancy);
        times_row(form, "  takeover: until leading", &r->times.takeover);
    }
    times_row(form, "the ensemble's ping", &r->ping);
    run_figures_table_end(form);
}

static void put_cost(struct run_figures *form, const struct run_report *r)
{
    const struct crowd_figures *c = &r->crowd;
    char cells[1][FORM_CELL];
    const struct {
        const char *label;
        uint64_t value;
    } rows[] = {
        {"requests", c->requests},        {"  lists read", c->lists},
        {"  znodes created", c->creates}, {"  znodes deleted", c->deletes},
        {"notifications", c->notices},    {"connections made", c->connects},
        {"  refused", c->refused},        {"  lost", c->lost},
        {"sessions expired", c->expired}, {"errors", c->errors},
    };
    run_figures_heading(form, "What it cost");
    run_figures_table(form, FORM_COLUMN, NULL, 0);
    form_mean(cells[0], r->notices, r->counted);
    run_figures_row(form, "notifications a failover", cells, 1);
    form_mean(cells[0], r->requests, r->counted);
    run_figures_row(form, "requests a failover", cells, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        form_number(cells[0], (int64_t)rows[i].value);
        run_figures_row(form, rows[i].label, cells, 1);
    }
    run_figures_table_end(form);
    if (c->problem)
        run_figures_prose(form, ROLE_WARNING, "The last error: %s", c->problem);
}

/* ---- the servers ---- */

/* A figure that goes up and down: the highest that was seen. False: nothing is known of it. */
static bool put_gauge(struct run_figures *form, const char *label, int64_t before, int64_t highest,
                      int64_t after)
{
    char cells[3][FORM_CELL];
    if (before < 0 && highest < 0 && after < 0)
        return false;
    form_number(cells[0], before);
    form_number(cells[1], highest);
    form_number(cells[2], after);
    run_figures_row(form, label, cells, 3);
    return true;
}

static int64_t growth_of(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1; /* a smaller one: the server began anew */
}

/* A figure that only grows. told: known at one of both moments. */
static bool put_growth(struct run_figures *form, const char *label, bool reported, int64_t growth)
{
    char cells[2][FORM_CELL] = {"", "?"};
    if (!reported)
        return false;
    if (growth >= 0)
        snprintf(cells[1], FORM_CELL, "+%" PRId64, growth);
    run_figures_row(form, label, cells, 2);
    return true;
}

/* The slowest since the server began to count. One from before the run hides faster ones in it. */
static bool put_slowest(struct run_figures *form, int64_t before, int64_t after)
{
    char cells[3][FORM_CELL] = {"?", "?", "?"};
    if (before < 0 && after < 0)
        return false;
    if (before >= 0)
        snprintf(cells[0], FORM_CELL, "%" PRId64 "ms", before);
    if (after >= 0)
        snprintf(cells[2], FORM_CELL, "%" PRId64 "ms", after);
    if (before >= 0 && after > before)
        snprintf(cells[1], FORM_CELL, "%" PRId64 "ms", after);
    else if (before >= 0 && after == before)
        snprintf(cells[1], FORM_CELL, "<=%" PRId64 "ms", after);
    run_figures_row(form, "  slowest answer", cells, 3);
    return true;
}

static void run_lines_put_server(struct run_figures *form, const struct run_report *r, size_t i)
{
    const struct server_counter *before = &r->before[i], *highest = &r->highest[i], *after = &r->after[i];
    struct text label = {0};
    text_printf(&label, "%s, %zu look%s", before->address, r->looks[i], plural(r->looks[i]));
    run_figures_group(form, label.at ? label.at : "", 3);
    text_free(&label);
    bool known =
        put_gauge(form, "  connections", before->connections, highest->connections, after->connections);
    known |= put_gauge(form, "  sessions", before->sessions, highest->sessions, after->sessions);
    known |=
        put_gauge(form, "  ephemeral znodes", before->ephemerals, highest->ephemerals, after->ephemerals);
    known |= put_gauge(form, "  watches", before->watches, highest->watches, after->watches);
    known |=
        put_gauge(form, "  requests waiting", before->outstanding, highest->outstanding, after->outstanding);
    known |= put_slowest(form, before->slowest_ms, after->slowest_ms);
    known |= put_growth(form, "  transactions", before->zxid >= 0 || after->zxid >= 0,
                        server_counter_transactions(before, after));
    known |= put_growth(form, "  packets received", before->received >= 0 || after->received >= 0,
                        growth_of(before->received, after->received));
    known |= put_growth(form, "  packets sent", before->sent >= 0 || after->sent >= 0,
                        growth_of(before->sent, after->sent));
    if (!known)
        run_figures_group(form, "  answers neither srvr and mntr nor AdminServer", 3);
}

static void put_servers(struct run_figures *form, const struct run_report *r)
{
    static const char *const heads[] = {"before", "during", "after"};
    if (r->server_count == 0 && r->crowd.sessions == 0)
        return; /* it did not come to that */
    run_figures_heading(form, "What the servers say of themselves");
    if (r->server_count == 0) {
        run_figures_prose(form, ROLE_DIM,
                          "The servers were not asked: neither four-letter words nor AdminServer are on.");
        return;
    }
    run_figures_table(form, FORM_COLUMN + 1, heads, 3);
    for (size_t i = 0; i < r->server_count; i++)
        run_lines_put_server(form, r, i);
    run_figures_table_end(form);
    run_figures_prose(form, ROLE_DIM,
                      "During: the highest that a look found while it went on, or what was added. "
                      "What happened between two looks nobody knows; ? is not told.");
}

/* All that were in line, and not only those at the end: one killed a moment before the end counts. */
static void agent_row(struct run_figures *form, const char *label, const char *end,
                      const struct histogram *stand, const struct histogram *failover)
{
    char cells[5][FORM_CELL];
    form_number(cells[0], (int64_t)stand->count);
    form_time(cells[1], stand->count ? histogram_percentile(stand, 0.99) : -1);
    form_number(cells[2], (int64_t)failover->count);
    form_time(cells[3], failover->count ? histogram_percentile(failover, 0.99) : -1);
    snprintf(cells[4], FORM_CELL, "%.20s", end);
    run_figures_row(form, label, cells, 5);
}

/* Of one that handed in nothing only its end is known. */
static void silent_row(struct run_figures *form, const char *label, const char *end)
{
    char cells[5][FORM_CELL] = {"?", "-", "?", "-"};
    snprintf(cells[4], FORM_CELL, "%.20s", end);
    run_figures_row(form, label, cells, 5);
}

static void run_lines_put_agents(struct run_figures *form, const struct run_report *r)
{
    static const char *const heads[] = {"stood", "p99", "failovers", "p99", "end"};
    if (!r->agents)
        return;
    struct run_part *part = xmalloc(sizeof *part);
    run_figures_heading(form, "Every agent's part");
    run_figures_table(form, FORM_COLUMN + 1, heads, 5);
    for (size_t i = 0; i < r->agent_count; i++) {
        run_part_read(&r->agents[i], part);
        char *end = safe_text(part->end, strlen(part->end), true);
        if (part->reported)
            agent_row(form, r->agents[i].name, end, &part->times[PART_STAND], &part->times[PART_FAILOVER]);
        else
            silent_row(form, r->agents[i].name, end);
        free(end);
    }
    agent_row(form, "all together", "", r->times.stand, r->times.failover);
    run_figures_table_end(form);
    run_figures_prose(
        form, ROLE_DIM,
        "The times and costs above are of all agents together; the ping, the CPU, the servers' figures "
        "and how long it ran are this agent's.");
    free(part);
}

static void run_lines_put_expectations(struct run_figures *form, const struct run_report *r,
                                       const struct run_options_text *wanted)
{
    if (wanted->count == 0)
        return;
    run_figures_heading(form, "Expected");
    for (size_t i = 0; i < wanted->count; i++) {
        const struct expectation *e = &wanted->read[i];
        int64_t value = run_figure(r, e->figure, e->of);
        bool holds = expectation_holds(e, value);
        char found[FORM_CELL];
        if (e->of == OF_COUNT || value < 0)
            form_number(found, value);
        else
            format_span(value, found, sizeof found);
        run_figures_prose(form, holds ? ROLE_GOOD : ROLE_CRITICAL, "  %s %s: it was %s",
                          holds ? "held  " : "FAILED", wanted->texts[i],
                          value < 0 ? "never measured" : found);
    }
}

static void run_lines_put_run(struct run_figures *form, const struct run_report *r,
                              const struct run_options_text *wanted)
{
    put_summary(form, r);
    run_lines_put_expectations(form, r, wanted);
    if (r->crowd.sessions > 0) {
        run_lines_put_times(form, r);
        put_cost(form, r);
    }
    put_servers(form, r);
    run_lines_put_agents(form, r);
}

/* ---- the two forms ---- */

static void run_lines_put_title(struct run_figures *form, int run, const char *name)
{
    char title[FORM_CELL + 16];
    snprintf(title, sizeof title, "Run %d: %s", run, name);
    run_figures_title(form, title);
}

static void put_all(struct run_figures *form, const struct run_report *r,
                    const struct run_options_text *wanted, enum run_reader reader)
{
    char name[2][FORM_CELL];
    if (!r->earlier) {
        run_lines_put_run(form, r, wanted);
        return;
    }
    run_comparison_names(r->earlier, r, name);
    if (reader == READS_FROM_TOP)
        run_comparison_put(form, r->earlier, r);
    run_lines_put_title(form, 1, name[0]);
    run_lines_put_run(form, r->earlier, wanted);
    run_lines_put_title(form, 2, name[1]);
    run_lines_put_run(form, r, &(struct run_options_text){0});
    if (reader == READS_FROM_END) {
        run_figures_title(form, "Both");
        run_comparison_put(form, r->earlier, r);
    }
}

void run_text_print(struct buffer *out, const struct print_style *how, const struct run_report *r,
                    const struct run_options_text *wanted, enum run_reader reader)
{
    struct printer printer;
    printer_begin(&printer, out, how);
    put_all(&(struct run_figures){.out = out, .printer = &printer}, r, wanted, reader);
    printer_end(&printer);
}

void run_page_print(struct buffer *out, const struct run_report *r, const struct run_options_text *wanted)
{
    char time[64];
    page_head_begin(out);
    markup_printf(out, "Test candidates in %s", r->options->path);
    page_head_end(out);
    buffer_put_text(
        out, "<body>\n<header>\n<p class=\"brand\"><b>electop</b> inject</p>\n<h1>Test candidates in ");
    markup_name(out, r->options->path);
    buffer_printf(out, "</h1>\n<p class=\"when\"><b>%s</b></p>\n</header>\n<main>\n",
                  format_time((r->earlier ? r->earlier : r)->wall_ms * 1000, time, sizeof time));
    put_all(&(struct run_figures){.out = out}, r, wanted, READS_FROM_TOP);
    buffer_put_text(out, "</main>\n</body>\n</html>\n");
}

void run_progress_print(struct buffer *out, const struct run_report *r, bool ascii)
{
    const struct crowd_figures *c = &r->crowd;
    char left[FORM_CELL], p50[FORM_CELL], p99[FORM_CELL];
    const char *dot = ascii ? "-" : "·";
    buffer_printf(out, "%s", run_phase_word(r->phase));
    if (r->phase == RUN_JOINING || r->phase == RUN_RUNNING)
        buffer_printf(out, " %s %zu of %zu stand", dot,
                      c->by_state[CANDIDATE_WAITING] + c->by_state[CANDIDATE_LEADING], r->wanted);
    if (r->phase == RUN_RUNNING && r->options->for_ms)
        buffer_printf(out, " %s %s left", dot,
                      format_age(r->options->for_ms * 1000 - (int64_t)r->run_us, left, sizeof left));
    if (r->times.failover->count > 0)
        buffer_printf(out, " %s %" PRIu64 " failover%s, p50 %s p99 %s", dot, r->times.failover->count,
                      plural(r->times.failover->count),
                      format_span(histogram_percentile(r->times.failover, 0.5), p50, sizeof p50),
                      format_span(histogram_percentile(r->times.failover, 0.99), p99, sizeof p99));
    if (c->errors > 0)
        buffer_printf(out, " %s %" PRIu64 " error%s", dot, c->errors, plural(c->errors));
}

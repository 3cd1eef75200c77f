/*
 * trial_lines.c - see trial_lines.h. Both forms are made of the same rows, so that neither says less.
 */
#include "tui/inject/trial_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/inject/trial_part.h"
#include "tui/report/markup.h"
#include "tui/report/page_style.h"
#include "tui/text/format.h"
#include "tui/text/safe.h"

#define CELL 32
#define LABEL_COLUMNS 22

struct paper_form {
    struct buffer *out;
    bool page, ascii;
};

/* ---- the two forms ---- */

static void put_safe(const struct paper_form *form, const char *text)
{
    if (form->page) {
        markup_text(form->out, text);
        return;
    }
    char *safe = safe_text(text, strlen(text), form->ascii);
    form->out->failed |= !safe;
    buffer_put_text(form->out, safe ? safe : "");
    free(safe);
}

static void heading(const struct paper_form *form, const char *text)
{
    if (form->page) {
        buffer_put_text(form->out, "<h2>");
        markup_text(form->out, text);
        buffer_put_text(form->out, "</h2>\n");
    } else {
        buffer_printf(form->out, "\n%s\n", text);
    }
}

static void paragraph(const struct paper_form *form, const char *text)
{
    buffer_put_text(form->out, form->page ? "<p>" : "");
    put_safe(form, text);
    buffer_put_text(form->out, form->page ? "</p>\n" : "\n");
}

static void table_begin(const struct paper_form *form)
{
    if (form->page)
        buffer_put_text(form->out, "<table>\n");
}

static void table_end(const struct paper_form *form)
{
    if (form->page)
        buffer_put_text(form->out, "</table>\n");
}

/* A row: its name, and cells to the right of each other. */
static void row(const struct paper_form *form, bool head, const char *label, char (*cells)[CELL],
                size_t count)
{
    if (form->page) {
        buffer_put_text(form->out, "<tr><th scope=\"row\">");
        markup_text(form->out, label);
        buffer_put_text(form->out, "</th>");
        for (size_t i = 0; i < count; i++) {
            buffer_put_text(form->out, head ? "<th>" : "<td>");
            markup_text(form->out, cells[i]);
            buffer_put_text(form->out, head ? "</th>" : "</td>");
        }
        buffer_put_text(form->out, "</tr>\n");
        return;
    }
    buffer_put_text(form->out, "  ");
    put_safe(form, label);
    int used = safe_width(label, strlen(label), form->ascii);
    for (size_t i = 0; i < count; i++) {
        int width = (int)strlen(cells[i]); /* all of them ASCII */
        int space = (i == 0 ? LABEL_COLUMNS - used : 0) + 9 - width;
        buffer_printf(form->out, "%*s%s", space > 1 ? space : 1, "", cells[i]);
    }
    buffer_put_char(form->out, '\n');
}

static void cell(char out[CELL], int64_t value)
{
    if (value < 0)
        snprintf(out, CELL, "?");
    else
        snprintf(out, CELL, "%" PRId64, value);
}

static void cell_time(char out[CELL], int64_t us)
{
    if (us < 0)
        snprintf(out, CELL, "-");
    else
        format_span(us, out, CELL);
}

static void times_head(const struct paper_form *form, const char *label)
{
    char cells[5][CELL] = {"count", "p50", "p90", "p99", "max"};
    row(form, true, label, cells, 5);
}

static void times_row(const struct paper_form *form, const char *label, const struct histogram *h)
{
    char cells[5][CELL];
    cell(cells[0], (int64_t)h->count);
    static const double parts[] = {0.5, 0.9, 0.99};
    for (size_t i = 0; i < 3; i++)
        cell_time(cells[i + 1], h->count ? histogram_percentile(h, parts[i]) : -1);
    cell_time(cells[4], h->count ? h->most_us : -1);
    row(form, false, label, cells, 5);
}

/* ---- content ---- */

static char *behaviour_text(const struct trial_options *options)
{
    struct text text = {0};
    double left = 100;
    for (size_t i = 0; i < options->part_count; i++) {
        const struct crowd_part *part = &options->parts[i];
        text_printf(&text, "%s%.0f %% %s", i ? ", " : "", part->percent,
                    behaviour_manner(part->behaviour)->word);
        if (part->slow_ms)
            text_printf(&text, " by %d ms", part->slow_ms);
        left -= part->percent;
    }
    if (left > 0.5)
        text_printf(&text, "%s%s", options->part_count ? ", the rest " : "", "as the recipe says");
    return text_take(&text);
}

static void put_summary(const struct paper_form *form, const struct trial_report *r)
{
    char span[CELL], line[700];
    char *behaviour = behaviour_text(r->options);
    const struct crowd_figures *c = &r->crowd;
    snprintf(line, sizeof line, "%zu test candidates on %zu sessions in %.300s: %.200s",
             r->options->candidates, c->sessions, r->election ? r->election : r->options->path,
             behaviour ? behaviour : "?");
    free(behaviour);
    paragraph(form, line);
    if (r->problem) {
        snprintf(line, sizeof line, "Ended early (%s): %.600s", trial_end_word(r->end), r->problem);
        paragraph(form, line);
    } else {
        char cpu[CELL];
        format_span((int64_t)r->run_us, span, sizeof span);
        snprintf(line, sizeof line, "%s %s after all stood; it took %s of CPU here.",
                 r->end == TRIAL_STOPPED ? "Stopped by hand," : "Its time was over,", span,
                 format_span((int64_t)r->cpu_us, cpu, sizeof cpu));
        paragraph(form, line);
    }
    if (r->options->live) {
        char first[CELL];
        snprintf(
            line, sizeof line,
            "At least %zu real candidates stood before them; they withdrew %zu times for want of two; %s%s.",
            r->real_least, r->withdrawals,
            c->first_most_us ? "one of them was first for " : "none of them was ever first",
            c->first_most_us ? format_span((int64_t)c->first_most_us, first, sizeof first) : "");
        paragraph(form, line);
    }
    for (const char *at = r->notes; *at;) {
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "Note: %.*s", (int)(length < 600 ? length : 600), at);
        paragraph(form, line);
        at += length + (at[length] == '\n');
    }
}

static void put_times(const struct paper_form *form, const struct trial_report *r)
{
    static const char *const causes[DEPART_COUNT] = {"  closed", "  resigned", "  dropped", "  paused"};
    heading(form, "Times, measured from when each was due");
    table_begin(form);
    times_head(form, "");
    times_row(form, "to stand", r->times.stand);
    times_row(form, "failover", r->times.failover);
    for (int how = 0; how < DEPART_COUNT; how++)
        if (r->by_how[how][0] + r->by_how[how][1] > 0)
            times_row(form, causes[how], &r->by_cause[how]);
    if (r->counted > 0) {
        times_row(form, "  until it was told", &r->times.detection);
        times_row(form, "  until one was first", &r->times.vacancy);
        times_row(form, "  until it led", &r->times.takeover);
    }
    times_row(form, "ensemble's ping", &r->ping);
    table_end(form);
    uint64_t open = 0;
    for (int how = 0; how < DEPART_COUNT; how++)
        open += r->by_how[how][1];
    char line[200];
    if (open > 0) {
        snprintf(line, sizeof line, "%" PRIu64 " deaths of a leader were followed by nobody who led.", open);
        paragraph(form, line);
    }
}

static void put_cost(const struct paper_form *form, const struct trial_report *r)
{
    const struct crowd_figures *c = &r->crowd;
    char cells[1][CELL];
    heading(form, "What it cost");
    table_begin(form);
    const struct {
        const char *label;
        int64_t value;
    } rows[] = {
        {"notifications a failover", r->counted ? (int64_t)((r->notices + r->counted / 2) / r->counted) : -1},
        {"requests a failover", r->counted ? (int64_t)((r->requests + r->counted / 2) / r->counted) : -1},
        {"requests in all", (int64_t)c->requests},
        {"lists read", (int64_t)c->lists},
        {"znodes created", (int64_t)c->creates},
        {"connections refused", (int64_t)c->refused},
        {"connections lost", (int64_t)c->lost},
        {"sessions expired", (int64_t)c->expired},
        {"errors", (int64_t)c->errors},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value < 0)
            snprintf(cells[0], CELL, "-");
        else
            cell(cells[0], rows[i].value);
        row(form, false, rows[i].label, cells, 1);
    }
    table_end(form);
    if (c->problem) {
        char line[400];
        snprintf(line, sizeof line, "The last error: %.300s", c->problem);
        paragraph(form, line);
    }
}

static void put_servers(const struct paper_form *form, const struct trial_report *r)
{
    if (r->server_count == 0)
        return;
    heading(form, "What the servers say, before and after");
    table_begin(form);
    char head[5][CELL] = {"changes", "conns", "watches", "sessions", "ephem."};
    row(form, true, "", head, 5);
    for (size_t i = 0; i < r->server_count; i++)
        for (int late = 0; late < 2; late++) {
            const struct server_mark *mark = late ? &r->after[i] : &r->before[i];
            char cells[5][CELL], label[160];
            int64_t changes =
                late && mark->zxid >= 0 && r->before[i].zxid >= 0 ? mark->zxid - r->before[i].zxid : -1;
            snprintf(label, sizeof label, "%s %s", r->before[i].address, late ? "after" : "before");
            cell(cells[0], changes);
            if (!late)
                snprintf(cells[0], CELL, "%s", "");
            cell(cells[1], mark->connections);
            cell(cells[2], mark->watches);
            cell(cells[3], mark->sessions);
            cell(cells[4], mark->ephemerals);
            row(form, false, label, cells, 5);
        }
    table_end(form);
}

static void put_agents(const struct paper_form *form, const struct trial_report *r)
{
    struct trial_part *part = r->agents ? malloc(sizeof *part) : NULL;
    if (!part)
        return;
    char head[5][CELL] = {"stood", "p99", "failov.", "p99", "end"};
    heading(form, "Every agent's part (the times above are of all together)");
    table_begin(form);
    row(form, true, "", head, 5);
    for (size_t i = 0; i < r->agent_count; i++) {
        char cells[5][CELL];
        trial_part_read(r->agents[i].text, part);
        bool told = r->agents[i].text != NULL;
        cell(cells[0], told ? (int64_t)part->standing : -1);
        cell_time(cells[1], part->stand.count ? histogram_percentile(&part->stand, 0.99) : -1);
        cell(cells[2], told ? (int64_t)part->failover.count : -1);
        cell_time(cells[3], part->failover.count ? histogram_percentile(&part->failover, 0.99) : -1);
        char *safe = safe_text(part->end, strlen(part->end), true);
        snprintf(cells[4], CELL, "%.20s", safe ? safe : "?");
        free(safe);
        row(form, false, r->agents[i].name, cells, 5);
    }
    table_end(form);
    free(part);
}

static void put_expectations(const struct paper_form *form, const struct trial_report *r,
                             const struct trial_wishes *wishes)
{
    if (wishes->count == 0)
        return;
    heading(form, "Expected");
    for (size_t i = 0; i < wishes->count; i++) {
        const struct expectation *e = &wishes->read[i];
        int64_t value = trial_figure(r, e->figure, e->of);
        char found[CELL], line[300];
        if (e->of == OF_COUNT || value < 0)
            cell(found, value);
        else
            format_span(value, found, sizeof found);
        snprintf(line, sizeof line, "%s %.120s: it was %s", expectation_holds(e, value) ? "held  " : "FAILED",
                 wishes->texts[i], found);
        paragraph(form, line);
    }
}

static void put_all(const struct paper_form *form, const struct trial_report *r,
                    const struct trial_wishes *wishes)
{
    put_summary(form, r);
    if (r->crowd.sessions > 0) {
        put_times(form, r);
        put_cost(form, r);
    }
    put_servers(form, r);
    put_agents(form, r);
    put_expectations(form, r, wishes);
}

void trial_text_print(struct buffer *out, const struct trial_report *r, const struct trial_wishes *wishes,
                      bool ascii)
{
    put_all(&(struct paper_form){.out = out, .ascii = ascii}, r, wishes);
}

void trial_page_print(struct buffer *out, const struct trial_report *r, const struct trial_wishes *wishes)
{
    const struct paper_form form = {.out = out, .page = true};
    char time[64];
    page_head_begin(out);
    markup_printf(out, "Test candidates in %s", r->options->path);
    page_head_end(out);
    buffer_put_text(
        out, "<body>\n<header>\n<p class=\"brand\"><b>electop</b> inject</p>\n<h1>Test candidates in ");
    markup_name(out, r->options->path);
    buffer_printf(out, "</h1>\n<p class=\"when\"><b>%s</b></p>\n</header>\n<main>\n<section>\n",
                  format_time(r->wall_ms * 1000, time, sizeof time));
    put_all(&form, r, wishes);
    buffer_put_text(out, "</section>\n</main>\n</body>\n</html>\n");
}

void trial_progress_print(struct buffer *out, const struct trial_report *r, bool ascii)
{
    const struct crowd_figures *c = &r->crowd;
    char left[CELL], p50[CELL], p99[CELL];
    const char *dot = ascii ? "-" : "·";
    buffer_printf(out, "%s", trial_phase_word(r->phase));
    if (r->phase == TRIAL_STANDING || r->phase == TRIAL_RUNNING)
        buffer_printf(out, " %s %zu of %zu stand", dot,
                      c->by_state[CANDIDATE_WAITING] + c->by_state[CANDIDATE_LEADING],
                      r->options->candidates);
    if (r->phase == TRIAL_RUNNING && r->options->for_ms)
        buffer_printf(out, " %s %s left", dot,
                      format_age(r->options->for_ms * 1000 - (int64_t)r->run_us, left, sizeof left));
    if (r->times.failover->count > 0)
        buffer_printf(out, " %s %" PRIu64 " failovers, p50 %s p99 %s", dot, r->times.failover->count,
                      format_span(histogram_percentile(r->times.failover, 0.5), p50, sizeof p50),
                      format_span(histogram_percentile(r->times.failover, 0.99), p99, sizeof p99));
    if (c->errors > 0)
        buffer_printf(out, " %s %" PRIu64 " errors", dot, c->errors);
}

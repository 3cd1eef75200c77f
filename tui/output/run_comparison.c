#include "tui/output/run_comparison.h"

#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "tui/words/format.h"

#define COLUMN 12

enum unit { UNIT_TIME, UNIT_NUMBER };

/* A figure of either run; below 0: not known. */
struct versus_row {
    const char *label;
    enum unit unit;
    double values[2];
};

void run_comparison_names(const struct run_report *first, const struct run_report *second,
                          char names[2][FORM_CELL])
{
    static const char *const turns[] = {"first", "second"};
    const struct run_report *runs[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        const struct run_options *options = runs[i]->options;
        bool plain = options->part_count == 1 && options->parts[0].percent >= 100;
        snprintf(names[i], FORM_CELL, "%s",
                 options->part_count == 0 ? "recipe"
                 : plain                  ? behaviour_manner(options->parts[0].behaviour)->word
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

void run_comparison_put(struct run_figures *form, const struct run_report *first,
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

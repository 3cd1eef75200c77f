#include "tui/output/run_lines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/inject/run.h"
#include "probe/inject/agent_results.h"
#include "probe/json/buffer.h"
#include "tui/output/document.h"
#include "tui/words/format.h"

#define FORM_CELL 32

/* Begins a row of figures. A label that begins with blanks belongs to the row above. */
static void put_label(struct document *doc, const char *label)
{
    size_t inner = strspn(label, " ");
    document_row(doc, inner > 0);
    document_cell(doc, ROLE_TEXT, "%s", label + inner);
}

/* -1: not known. */
static void put_number(struct document *doc, int64_t value)
{
    if (value < 0)
        document_cell(doc, ROLE_TEXT, "?");
    else
        document_cell(doc, ROLE_TEXT, "%" PRId64, value);
}

/* Of what there is none, a time is "-". 1: the longest. */
static void put_percentile(struct document *doc, const struct histogram *h, double part)
{
    char span[FORM_CELL];
    int64_t us = part < 1 ? histogram_percentile(h, part) : (int64_t)h->most_us;
    document_cell(doc, ROLE_TEXT, "%s", h->count ? format_span(us, span, sizeof span) : "-");
}

/* The average per item: "2", "2.5". "-": there are no items. */
static const char *form_mean(char out[FORM_CELL], uint64_t sum, uint64_t count)
{
    double each = count ? (double)sum / (double)count : 0;
    bool whole = each >= 100 || sum == count * (count ? sum / count : 0);
    if (count == 0)
        snprintf(out, FORM_CELL, "-");
    else
        snprintf(out, FORM_CELL, "%.*f", whole ? 0 : 1, each);
    return out;
}

/* ---- the run: text and Markdown are made of the same rows, so that neither says less ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static size_t agents_reported(const struct run_report *r)
{
    struct agent_results *part = xmalloc(sizeof *part);
    size_t reported = 0;
    for (size_t i = 0; i < r->agent_count; i++) {
        agent_results_read(&r->agents[i], part);
        reported += part->reported;
    }
    free(part);
    return reported;
}

static void put_behaviour(struct text *text, const struct run_options *options, bool ours)
{
    double left = 100;
    if (options->share_count == 0)
        text_add(text, ours ? "those of this run follow the recipe" : "all follow the recipe");
    else
        text_add(text, ours ? "behaviour of this run " : "behaviour ");
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
                                                [KILL_DROP] = "lost its connection permanently",
                                                [KILL_PAUSE] = "was paused until it had expired"};
    bool seconds = options->every_ms % 1000 == 0;
    if (options->victim == VICTIM_NOBODY && r->by_hand == 0)
        text_add(text, ours ? " This run killed none." : " None was killed.");
    else if (options->victim != VICTIM_NOBODY)
        text_printf(text, " Every %" PRIu64 "%s %s %s.",
                    seconds ? options->every_ms / 1000 : options->every_ms, seconds ? "s" : "ms",
                    options->victim != VICTIM_LEADER ? "one at random"
                    : ours                           ? "its leader"
                                                     : "the leader",
                    how[options->how]);
    if (r->by_hand > 0)
        text_printf(text, " %zu %s stopped manually.", r->by_hand, r->by_hand == 1 ? "was" : "were");
}

static void run_lines_put_course(struct text *text, const struct run_report *r)
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
        text_printf(text, "All%s joined within %s.", r->agents ? " of this run" : "",
                    format_span((int64_t)stood_us, span, sizeof span));
    else if (stood_us)
        text_printf(text, "%" PRIu64 " of %s joined; the wait ended after %s.", stood->count,
                    r->agents ? "this run" : "them", format_span((int64_t)stood_us, span, sizeof span));
    if (stood_us)
        put_schedule(text, r);
    else
        text_printf(text, "%" PRIu64 " of %s joined.", stood->count, r->agents ? "this run" : "them");
    text_printf(
        text, " It ran %s%s, and took %s of CPU here.", format_span((int64_t)r->run_us, span, sizeof span),
        r->end == RUN_STOPPED ? stood_us ? ", until it was stopped" : ", was stopped before all had joined"
        : r->end == RUN_DONE  ? ", to its end"
                              : "",
        format_span((int64_t)r->cpu_us, cpu, sizeof cpu));
}

/* "; each cost 1 notification and 2.5 requests", as far as that is known */
static void run_lines_put_each(struct text *text, const char *words, const struct run_report *r)
{
    char notices[FORM_CELL], requests[FORM_CELL];
    form_mean(notices, r->notices, r->counted);
    form_mean(requests, r->requests, r->counted);
    if (r->counted > 0)
        text_printf(text, "%s %s notification%s and %s request%s", words, notices,
                    strcmp(notices, "1") == 0 ? "" : "s", requests, strcmp(requests, "1") == 0 ? "" : "s");
}

/* What most people run it for, in one sentence. */
static void put_answer(struct document *doc, const struct run_report *r)
{
    const struct histogram *h = r->times.failover;
    char p50[FORM_CELL], p99[FORM_CELL], most[FORM_CELL];
    struct text text = {0};
    format_span(h->most_us, most, sizeof most);
    if (h->count == 1) {
        text_printf(&text, "1 failover: it took %s", most);
        run_lines_put_each(&text, " and cost", r);
    } else if (h->count > 1) {
        text_printf(&text, "%" PRIu64 " failovers: p50 %s, p99 %s, the longest %s", h->count,
                    format_span(histogram_percentile(h, 0.5), p50, sizeof p50),
                    format_span(histogram_percentile(h, 0.99), p99, sizeof p99), most);
        run_lines_put_each(&text, "; each cost", r);
    }
    if (text.at)
        document_paragraph(doc, ROLE_STRONG, "%s.", text.at);
    text_free(&text);
}

/* Deaths that were due, and that the ensemble did not let happen: no figure holds them. */
static void put_left_out(struct document *doc, const struct crowd_figures *c, enum kill_victim victim)
{
    uint64_t under_way = c->left_out[OBSTACLE_FAILOVER], nobody = c->left_out[OBSTACLE_NOBODY],
             all = under_way + nobody;
    const char *absent =
        victim == VICTIM_LEADER ? "no leader, or no server answered" : "no candidate, or no server answered";
    const char *busy = "the previous failover was not over";
    struct text text = {0};
    if (all == 0)
        return;
    text_printf(&text, "Of %" PRIu64 " kills that were due, %" PRIu64 " %s left out", c->deaths + all, all,
                all == 1 ? "was" : "were");
    if (under_way > 0 && nobody > 0)
        text_printf(&text, ": %" PRIu64 " while %s, %" PRIu64 " while %s", under_way, busy, nobody, absent);
    else
        text_printf(&text, " while %s", nobody > 0 ? absent : busy);
    document_paragraph(doc, ROLE_WARNING, "%s.", text.at ? text.at : "?");
    text_free(&text);
}

/* Deaths that led nowhere, and those that could not be. */
static void put_unanswered(struct document *doc, const struct run_report *r)
{
    uint64_t open = 0;
    for (int how = 0; how < KILL_COUNT; how++)
        open += r->by_how[how][1];
    if (open > 0)
        document_paragraph(doc, ROLE_WARNING,
                           "After %" PRIu64 " kill%s of a leader, no other leader followed.", open,
                           plural(open));
    if (r->crowd.unplanned > 0)
        document_paragraph(
            doc, ROLE_WARNING,
            "%" PRIu64 " more leader%s left without being killed by this run (a znode was deleted, or a "
            "session expired): the time is not known, so no figure includes %s.",
            r->crowd.unplanned, plural(r->crowd.unplanned), r->crowd.unplanned == 1 ? "it" : "them");
    put_left_out(doc, &r->crowd, r->options->victim);
}

static void run_lines_put_first(struct text *text, const struct run_report *r)
{
    char span[FORM_CELL], most[FORM_CELL];
    uint64_t known_us = r->crowd.first_most_us;
    if (known_us && r->first_may_us > 0)
        text_printf(text, "one of them was first: it knew this for %s, and was first for at most %s",
                    format_span((int64_t)known_us, span, sizeof span),
                    format_span(r->first_may_us, most, sizeof most));
    else if (known_us)
        text_printf(text,
                    "one of them was first: it knew this for %s, but it is not known how long it was first",
                    format_span((int64_t)known_us, span, sizeof span));
    else if (r->first_may_us > 0)
        text_printf(text, "one of them may have been first, for at most %s",
                    format_span(r->first_may_us, span, sizeof span));
    else
        text_add(text, r->first_may_us < 0 ? "it is not known whether one of them was ever first"
                                           : "none of them was ever first");
}

static void put_live(struct document *doc, const struct run_report *r)
{
    struct text text = {0};
    bool seen = r->real_least >= 0;
    if (!seen && r->first_may_us == 0) {
        document_paragraph(doc, ROLE_TEXT, "None of them was seen to join.");
        return;
    }
    if (seen)
        text_printf(&text, "At least %" PRId64 " real candidate%s before them", r->real_least,
                    plural((uint64_t)r->real_least));
    else
        text_add(&text, "The number of real candidates before them is not known");
    text_printf(&text, "; they withdrew %zu time%s as there were fewer than two; ", r->withdrawals,
                plural(r->withdrawals));
    run_lines_put_first(&text, r);
    document_paragraph(doc, r->first_may_us ? ROLE_WARNING : ROLE_TEXT, "%s.", text.at ? text.at : "?");
    text_free(&text);
}

/* How many candidates on how many sessions, and where. */
static void run_lines_put_crowd(struct text *text, const struct run_report *r)
{
    size_t reported = r->agents ? agents_reported(r) : 0, sessions = r->crowd.sessions;
    const char *where = r->election ? r->election : r->options->path;
    if (r->agents && reported < r->agent_count)
        text_printf(text, "%zu of %zu agents reported: ", reported, r->agent_count);
    else if (r->agents)
        text_printf(text, "%zu agent%s together: ", reported, plural(reported));
    text_printf(text, "%zu test candidate%s on %zu session%s%s %s: ", r->wanted, plural(r->wanted), sessions,
                plural(sessions), reported > 1 ? ", each agent's in a separate election, this one in" : " in",
                where);
}

static void put_summary(struct document *doc, const struct run_report *r)
{
    struct text text = {0};
    run_lines_put_crowd(&text, r);
    put_behaviour(&text, r->options, r->agents != NULL);
    text_add(&text, ". ");
    run_lines_put_course(&text, r);
    document_paragraph(doc, ROLE_TEXT, "%s", text.at ? text.at : "");
    text_free(&text);
    put_answer(doc, r);
    put_unanswered(doc, r);
    if (r->options->live)
        put_live(doc, r);
    for (const char *at = r->notes; *at;) {
        size_t length = strcspn(at, "\n");
        document_paragraph(doc, ROLE_INFO, "Note: %.*s", (int)(length < 600 ? length : 600), at);
        at += length + (at[length] == '\n');
    }
}

static void times_row(struct document *doc, const char *label, const struct histogram *h)
{
    static const double parts[] = {0.5, 0.9, 0.99, 1};
    put_label(doc, label);
    put_number(doc, (int64_t)h->count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put_percentile(doc, h, parts[i]);
}

static void run_lines_put_times(struct document *doc, const struct run_report *r)
{
    static const char *const causes[KILL_COUNT] = {[KILL_CLOSE] = "  closed",
                                                   [KILL_RESIGN] = "  resigned",
                                                   [KILL_DROP] = "  dropped",
                                                   [KILL_PAUSE] = "  paused"};
    static const struct document_column columns[] = {{"", COLUMN_TEXT, 9},      {"count", COLUMN_NUMBER, 3},
                                                     {"p50", COLUMN_NUMBER, 5}, {"p90", COLUMN_NUMBER, 2},
                                                     {"p99", COLUMN_NUMBER, 4}, {"max", COLUMN_NUMBER, 6}};
    document_heading(doc, 3, "Times, each measured from when it was due");
    document_table(doc, columns, 6);
    times_row(doc, "to join", r->times.stand);
    times_row(doc, "failover", r->times.failover);
    for (int how = 0; how < KILL_COUNT; how++)
        if (r->by_how[how][0] + r->by_how[how][1] > 0)
            times_row(doc, causes[how], &r->by_cause[how]);
    if (r->times.vacancy.count > 0) {
        times_row(doc, "  detection: until notified", &r->times.detection);
        times_row(doc, "  vacancy: until first", &r->times.vacancy);
        times_row(doc, "  takeover: until leading", &r->times.takeover);
    }
    times_row(doc, "the ensemble's ping", &r->ping);
}

static void put_cost(struct document *doc, const struct run_report *r)
{
    const struct crowd_figures *c = &r->crowd;
    char mean[FORM_CELL];
    const struct {
        const char *label;
        uint64_t value;
    } rows[] = {
        {"requests", c->requests},         {"  lists read", c->lists},
        {"  creating znodes", c->creates}, {"  deleting znodes", c->deletes},
        {"notifications", c->notices},     {"connections made", c->connects},
        {"  refused", c->refused},         {"  lost", c->lost},
        {"sessions expired", c->expired},  {"errors", c->errors},
    };
    static const struct document_column columns[] = {{"", COLUMN_TEXT, 1}, {"", COLUMN_NUMBER, 2}};
    document_heading(doc, 3, "What it cost");
    document_table(doc, columns, 2);
    put_label(doc, "notifications a failover");
    document_cell(doc, ROLE_TEXT, "%s", form_mean(mean, r->notices, r->counted));
    put_label(doc, "requests a failover");
    document_cell(doc, ROLE_TEXT, "%s", form_mean(mean, r->requests, r->counted));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_label(doc, rows[i].label);
        put_number(doc, (int64_t)rows[i].value);
    }
    if (c->problem)
        document_paragraph(doc, ROLE_WARNING, "The last error: %s", c->problem);
}

/* ---- the servers ---- */

/* A figure that goes up and down: the highest that was seen. False: nothing is known of it. */
static bool put_gauge(struct document *doc, const char *label, int64_t before, int64_t highest, int64_t after)
{
    if (before < 0 && highest < 0 && after < 0)
        return false;
    put_label(doc, label);
    put_number(doc, before);
    put_number(doc, highest);
    put_number(doc, after);
    return true;
}

static int64_t growth_of(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1; /* a smaller one: the server began anew */
}

/* A figure that only grows. reported: known at one of both moments. */
static bool put_growth(struct document *doc, const char *label, bool reported, int64_t growth)
{
    if (!reported)
        return false;
    put_label(doc, label);
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    if (growth >= 0)
        document_cell(doc, ROLE_TEXT, "+%" PRId64, growth);
    else
        document_cell(doc, ROLE_TEXT, "?");
    return true;
}

/* The slowest since the server began to count. One from before the run hides faster ones in it. */
static bool put_slowest(struct document *doc, int64_t before, int64_t after)
{
    const int64_t values[] = {before, before >= 0 && after >= before ? after : -1, after};
    if (before < 0 && after < 0)
        return false;
    put_label(doc, "  slowest answer");
    for (size_t i = 0; i < 3; i++)
        if (values[i] < 0)
            document_cell(doc, ROLE_TEXT, "?");
        else
            document_cell(doc, ROLE_TEXT, "%s%" PRId64 "ms", i == 1 && after == before ? "<=" : "",
                          values[i]);
    return true;
}

static void run_lines_put_server(struct document *doc, const struct run_report *r, size_t i)
{
    const struct server_counter *before = &r->before[i], *highest = &r->highest[i], *after = &r->after[i];
    document_block(doc, BLOCK_GROUP, ROLE_STRONG);
    document_words(doc, ROLE_STRONG, "%s, %zu poll%s", before->address, r->polls[i], plural(r->polls[i]));
    bool known =
        put_gauge(doc, "  connections", before->connections, highest->connections, after->connections);
    known |= put_gauge(doc, "  sessions", before->sessions, highest->sessions, after->sessions);
    known |= put_gauge(doc, "  ephemeral znodes", before->ephemerals, highest->ephemerals, after->ephemerals);
    known |= put_gauge(doc, "  watches", before->watches, highest->watches, after->watches);
    known |=
        put_gauge(doc, "  requests waiting", before->outstanding, highest->outstanding, after->outstanding);
    known |= put_slowest(doc, before->slowest_ms, after->slowest_ms);
    known |= put_growth(doc, "  transactions", before->zxid >= 0 || after->zxid >= 0,
                        server_counter_transactions(before, after));
    known |= put_growth(doc, "  packets received", before->received >= 0 || after->received >= 0,
                        growth_of(before->received, after->received));
    known |= put_growth(doc, "  packets sent", before->sent >= 0 || after->sent >= 0,
                        growth_of(before->sent, after->sent));
    if (!known) {
        document_block(doc, BLOCK_GROUP, ROLE_TEXT)->level = 1;
        document_words(doc, ROLE_TEXT, "answers neither srvr and mntr nor AdminServer");
    }
}

static void put_servers(struct document *doc, const struct run_report *r)
{
    static const struct document_column columns[] = {{"", COLUMN_TEXT, 9},
                                                     {"before", COLUMN_NUMBER, 1},
                                                     {"during", COLUMN_NUMBER, 3},
                                                     {"after", COLUMN_NUMBER, 2}};
    if (r->server_count == 0 && r->crowd.sessions == 0)
        return; /* it did not come to that */
    document_heading(doc, 3, "What the servers report");
    if (r->server_count == 0) {
        document_paragraph(doc, ROLE_DIM,
                           "The servers were not polled: neither four-letter words nor AdminServer are on.");
        return;
    }
    document_table(doc, columns, 4);
    for (size_t i = 0; i < r->server_count; i++)
        run_lines_put_server(doc, r, i);
    document_paragraph(doc, ROLE_DIM,
                       "During: the highest value of any poll during the run, or the increase. Values "
                       "between two polls are not known; ? is unknown.");
}

/* All that were in line, and not only those at the end: one killed a moment before the end counts. NULL: it
   handed in nothing. */
static void agent_row(struct document *doc, const char *label, const char *end, const struct histogram *stand,
                      const struct histogram *failover)
{
    static const struct histogram none = {0};
    put_label(doc, label);
    put_number(doc, stand ? (int64_t)stand->count : -1);
    put_percentile(doc, stand ? stand : &none, 0.99);
    put_number(doc, failover ? (int64_t)failover->count : -1);
    put_percentile(doc, failover ? failover : &none, 0.99);
    document_cell(doc, ROLE_TEXT, "%s", end);
}

static void run_lines_put_agents(struct document *doc, const struct run_report *r)
{
    static const struct document_column columns[] = {
        {"", COLUMN_NAME, 9},      {"joined", COLUMN_NUMBER, 3},
        {"p99", COLUMN_NUMBER, 2}, {"failovers", COLUMN_NUMBER, 5},
        {"p99", COLUMN_NUMBER, 4}, {"end", COLUMN_NUMBER, 6}};
    if (!r->agents)
        return;
    struct agent_results *part = xmalloc(sizeof *part);
    document_heading(doc, 3, "Figures of each agent");
    document_table(doc, columns, 6);
    for (size_t i = 0; i < r->agent_count; i++) {
        agent_results_read(&r->agents[i], part);
        agent_row(doc, r->agents[i].name, part->end, part->reported ? &part->times[RESULT_STAND] : NULL,
                  part->reported ? &part->times[RESULT_FAILOVER] : NULL);
    }
    agent_row(doc, "all together", "", r->times.stand, r->times.failover);
    document_paragraph(
        doc, ROLE_DIM,
        "The times and costs above are of all agents together; the ping, the CPU, the servers' figures "
        "and the length of the run are this agent's.");
    free(part);
}

static void run_lines_put_expectations(struct document *doc, const struct run_report *r,
                                       const struct run_options_text *wanted)
{
    if (wanted->count == 0)
        return;
    document_heading(doc, 3, "Expected");
    for (size_t i = 0; i < wanted->count; i++) {
        const struct expectation *e = &wanted->read[i];
        int64_t value = run_figure(r, e->figure, e->of);
        bool holds = expectation_holds(e, value);
        char found[FORM_CELL] = "never measured";
        if (value >= 0 && e->of == OF_COUNT)
            snprintf(found, sizeof found, "%" PRId64, value);
        else if (value >= 0)
            format_span(value, found, sizeof found);
        document_paragraph(doc, holds ? ROLE_GOOD : ROLE_CRITICAL, "  %s %s: it was %s",
                           holds ? "held  " : "FAILED", wanted->texts[i], found);
    }
}

static void run_lines_put_run(struct document *doc, const struct run_report *r,
                              const struct run_options_text *wanted)
{
    put_summary(doc, r);
    run_lines_put_expectations(doc, r, wanted);
    if (r->crowd.sessions > 0) {
        run_lines_put_times(doc, r);
        put_cost(doc, r);
    }
    put_servers(doc, r);
    run_lines_put_agents(doc, r);
}

/* ---- the whole report ---- */

void run_print(struct buffer *out, enum document_form form, const struct run_report *r,
               const struct run_options_text *wanted, const struct print_style *how)
{
    struct document doc = {.form = form, .brand = "inject"};
    char time[64];
    if (form != DOCUMENT_TEXT) {
        document_heading(&doc, 1, "Test candidates in ");
        document_name(&doc, ROLE_TEXT, r->options->path);
        document_block(&doc, BLOCK_PARAGRAPH, ROLE_DIM);
        document_words(&doc, ROLE_STRONG, "%s", format_time(r->wall_ms * 1000, time, sizeof time));
    }
    document_block(&doc, BLOCK_BODY, ROLE_TEXT);
    run_lines_put_run(&doc, r, wanted);
    document_block(&doc, BLOCK_FOOTER, ROLE_TEXT);
    if (form != DOCUMENT_TEXT)
        document_paragraph(&doc, ROLE_DIM, "Made by electop " ELECTOP_VERSION ".");
    document_print(&doc, out, how);
    document_free(&doc);
}

void run_progress_print(struct buffer *out, const struct run_report *r, bool ascii)
{
    const struct crowd_figures *c = &r->crowd;
    char left[FORM_CELL], p50[FORM_CELL], p99[FORM_CELL];
    const char *dot = ascii ? "-" : "·";
    buffer_printf(out, "%s", run_phase_word(r->phase));
    if (r->phase == RUN_JOINING || r->phase == RUN_RUNNING)
        buffer_printf(out, " %s %zu of %zu in line", dot,
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

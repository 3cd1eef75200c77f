/*
 * Proves, for each case of tests/cases (a history that was observed on real servers), that the model tells of it
 * what is written beside it; and that it is certain of nothing else where the same history is observed otherwise:
 * lists that come later, are missing or come twice, a clock that is set, a connection that is lost and found; and
 * that it tells the same of it with pseudonyms.
 *
 * UPDATE_GOLDEN=1 writes what is told now: read the difference. ELECTOP_CASES=DIR folds the cases of DIR instead,
 * and compares nothing with files: try it with what a night of chaos left.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/case/case_file.h"
#include "probe/election/event.h"
#include "probe/election/summary.h"
#include "probe/history/joined_cases.h"
#include "tests/support/dice.h"
#include "tests/support/golden.h"
#include "tests/support/test.h"

#define MUTANTS 20
#define OTHERWISE "otherwise certain:"
#define LATER_MOST 6

/* ---- what is told ---- */

/* Names are left out: what is told with pseudonyms is the same otherwise. */
static bool nameless;

static const char *called(const char *name)
{
    return nameless ? "*" : name;
}

struct told {
    struct buffer lines, end;
    int64_t begin_us;
    char **certain; /* findings and causes, a text each */
    size_t certain_count, certain_room;
};

static void told_free(struct told *told)
{
    for (size_t i = 0; i < told->certain_count; i++)
        free(told->certain[i]);
    free(told->certain);
    buffer_free(&told->lines);
    buffer_free(&told->end);
}

static bool told_has(const struct told *told, const char *certain)
{
    for (size_t i = 0; i < told->certain_count; i++)
        if (strcmp(told->certain[i], certain) == 0)
            return true;
    return false;
}

static void told_keep(struct told *told, char *certain)
{
    if (told_has(told, certain)) {
        free(certain);
        return;
    }
    room_for_one(&told->certain, told->certain_count, &told->certain_room, sizeof *told->certain);
    told->certain[told->certain_count++] = certain;
}

static void put_finding(struct buffer *out, const struct finding *finding)
{
    buffer_printf(out, "%s %s %s", finding_kind(finding->code)->word, severity_word(finding->severity),
                  certainty_word(finding->certainty));
    for (size_t i = 0; i < finding->candidate_count; i++)
        buffer_printf(out, " %s", called(finding->candidates[i]));
}

static void put_span(struct buffer *out, const char *name, struct span span)
{
    char low[32] = "?", high[32] = "?";
    if (span.low_us < 0 && span.high_us < 0)
        return;
    if (span.low_us >= 0)
        snprintf(low, sizeof low, "%.3f", (double)span.low_us / 1e6);
    if (span.high_us >= 0)
        snprintf(high, sizeof high, "%.3f", (double)span.high_us / 1e6);
    if (strcmp(low, high) == 0)
        buffer_printf(out, " %s %s s", name, low);
    else
        buffer_printf(out, " %s %s to %s s", name, low, high);
}

static void put_failover(struct buffer *out, const struct failover *f)
{
    buffer_printf(out, "%s -> %s %s %s", f->from ? called(f->from) : "nobody",
                  f->to ? called(f->to) : "nobody", failover_cause_word(f->cause),
                  certainty_word(f->cause_certainty));
    put_span(out, "detection", f->detection);
    put_span(out, "vacancy", f->vacancy);
    put_span(out, "takeover", f->takeover);
    if (f->gap_us > 0)
        buffer_put_text(out, " in a gap");
}

static void put_event(struct buffer *out, const struct event *event)
{
    switch (event->kind) {
    case EVENT_CANDIDATE_JOINED:
    case EVENT_CANDIDATE_LEFT:
        buffer_printf(out, "%s at %zu", called(event->candidate), event->position);
        break;
    case EVENT_LEADER_LOST:
    case EVENT_LEADER_ACKNOWLEDGED:
        buffer_put_text(out, called(event->candidate));
        break;
    case EVENT_LEADER_ELECTED:
        buffer_printf(out, "%s -> %s", event->from ? called(event->from) : "nobody",
                      called(event->candidate));
        break;
    case EVENT_FAILOVER:
        put_failover(out, event->failover);
        break;
    case EVENT_CONNECTION:
        buffer_put_text(out, event->connection);
        break;
    case EVENT_UNSEEN:
        buffer_printf(out, "%" PRIu64 " joined, %" PRIu64 " left", event->unseen_joined, event->unseen_left);
        break;
    case EVENT_ELECTION_SEEN:
    case EVENT_ELECTION_GONE:
        buffer_printf(out, "%s", event->election->recipe ? event->election->recipe->name : "unknown layout");
        break;
    case EVENT_FINDING_RAISED:
    case EVENT_FINDING_CLEARED:
        put_finding(out, event->finding);
        break;
    case EVENT_FINDING_MUTED:
        break;
    }
}

/* Causes are certain of a change of leader, findings of candidates. */
static void keep_certain(struct told *told, const struct event *event)
{
    struct buffer text = {0};
    bool certain = event->kind == EVENT_FINDING_RAISED && event->finding->certainty == CERTAINTY_CERTAIN;
    if (certain) {
        buffer_printf(&text, "%s: %s", event->election ? event->election->path : "",
                      finding_kind(event->finding->code)->word);
        if (event->finding->candidate_count)
            buffer_printf(&text, " %s", event->finding->candidates[0]);
    }
    buffer_put_char(&text, '\0');
    if (certain)
        told_keep(told, xstrdup(text.bytes));
    buffer_free(&text);
}

static void cases_on_event(void *context, const struct event *event)
{
    struct told *told = context;
    keep_certain(told, event);
    buffer_printf(&told->lines, "%+.3f %s %s ", (double)(event->at.mono_us - told->begin_us) / 1e6,
                  event->election ? called(event->election->path) : "-", event_word(event->kind));
    put_event(&told->lines, event);
    buffer_put_char(&told->lines, '\n');
}

/* Without findings: who leads. */
static void put_end(struct buffer *out, const struct model *model, bool findings)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++) {
            const struct election *e = model->clusters[i].elections[k];
            buffer_printf(out, "end %s %s", called(e->path), election_state_word(e->state));
            if (e->leader)
                buffer_printf(out, " by %s", called(e->leader->name));
            buffer_printf(out, ", %zu candidates\n", e->candidate_count);
            for (size_t n = 0; findings && n < e->finding_count; n++) {
                buffer_printf(out, "end %s ", called(e->path));
                put_finding(out, e->findings[n]);
                buffer_put_char(out, '\n');
            }
        }
}

/* ---- the same history, observed otherwise ---- */

enum mutation { AS_IT_WAS, LATER, MISSING, TWICE, CLOCK_SET, RECONNECTED };

struct mutant {
    uint64_t dice; /* 0: as it was */
    int64_t set_us;
    struct case_reader *held; /* one observation that comes later; NULL: none */
    int after;                /* so many others */
    struct model *model;
};

/* Its effect on the model does not depend on what lies between. */
static bool is_list(const struct observation *o)
{
    return o->kind == OBSERVED_CONNECTIONS || o->kind == OBSERVED_WATCHES || o->kind == OBSERVED_SESSIONS;
}

static void mutant_release(struct mutant *m)
{
    struct observation o;
    if (!m->held)
        return;
    if (case_next(m->held, &o) == CASE_RUN && case_next(m->held, &o) == CASE_OBSERVATION)
        model_observe(m->model, &o);
    case_close(m->held);
    m->held = NULL;
}

static void mutant_hold(struct mutant *m, const struct settings *settings, const struct observation *o)
{
    struct buffer block = {0};
    char *problem;
    struct case_writer *writer = case_writer_new(settings, m->model);
    case_writer_observe(writer, o);
    case_writer_take(writer, &block);
    case_writer_close(writer, &problem);
    m->held = case_read(block.bytes, block.length);
    m->after = (int)dice_draw(&m->dice, LATER_MOST);
}

static enum mutation draw_mutation(struct mutant *m, const struct observation *o)
{
    if (!m->dice || dice_draw(&m->dice, 10))
        return AS_IT_WAS;
    if (is_list(o))
        return (enum mutation)(LATER + dice_draw(&m->dice, 3));
    if (o->kind == OBSERVED_TICK && dice_draw(&m->dice, 8) == 0)
        return dice_draw(&m->dice, 2) ? CLOCK_SET : RECONNECTED;
    return o->kind == OBSERVED_CHILDREN || o->kind == OBSERVED_NODE ? TWICE : AS_IT_WAS;
}

static void mutant_reconnect(struct mutant *m, const struct observation *at)
{
    const struct cluster *cluster = &m->model->clusters[at->cluster];
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = at->at, .cluster = at->cluster};
    char *server = text_copy(cluster->connected_to);
    if (cluster->connection == CONNECTION_CONNECTED) {
        o.connection = (struct observed_connection){
            .state = CONNECTION_CONNECTING, .session = cluster->session, .timeout_ms = cluster->timeout_ms};
        model_observe(m->model, &o);
        o.connection.state = CONNECTION_CONNECTED;
        o.connection.server = server;
        model_observe(m->model, &o);
    }
    free(server);
}

static void mutant_observe(struct mutant *m, const struct settings *settings, struct observation *o)
{
    enum mutation mutation = draw_mutation(m, o);
    /* Lists keep their order, and a reader that wants the complete state has it. */
    if (m->held && (m->after-- <= 0 || is_list(o) || o->kind == OBSERVED_READ))
        mutant_release(m);
    if (mutation == CLOCK_SET)
        m->set_us = ((int64_t)dice_draw(&m->dice, 7200) - 3600) * 1000000;
    if (mutation == RECONNECTED)
        mutant_reconnect(m, o);
    if (o->at.wall_us)
        o->at.wall_us += m->set_us;
    if (mutation == MISSING)
        return;
    if (mutation == LATER) {
        mutant_hold(m, settings, o);
        return;
    }
    model_observe(m->model, o);
    if (mutation == TWICE)
        model_observe(m->model, o);
}

/* ---- a case ---- */

static struct case_reader *open_case(const char *file)
{
    char *error;
    struct case_reader *reader = case_open(file, &error);
    if (!reader)
        fail_msg("%s", error);
    return reader;
}

/* To its end; closes it. */
static size_t fold(struct case_reader *reader, uint64_t seed, struct told *told)
{
    char *error;
    struct mutant m = {.dice = seed};
    struct observation o;
    enum case_next next;
    size_t count = 0;
    while ((next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_OBSERVATION) {
            told->begin_us = told->begin_us ? told->begin_us : o.at.mono_us;
            mutant_observe(&m, case_settings(reader), &o);
            count++;
            continue;
        }
        mutant_release(&m);
        model_free(m.model);
        m.model = case_model(reader, &error);
        assert_non_null(m.model);
        m.model->on_event = cases_on_event;
        m.model->context = told;
        m.set_us = 0;
        told->begin_us = 0;
    }
    mutant_release(&m);
    if (m.model) {
        put_end(&told->lines, m.model, true);
        put_end(&told->end, m.model, false);
    }
    assert_int_equal(case_losses(reader)->blocks, 0);
    assert_int_equal(case_losses(reader)->skipped, 0);
    model_free(m.model);
    case_close(reader);
    return count;
}

/* The latest run of a case. */
static void last_run(struct case_reader *reader, int64_t *from_us, int64_t *to_us)
{
    struct observation o;
    enum case_next next;
    *from_us = *to_us = 0;
    while ((next = case_next(reader, &o)) != CASE_END) {
        *from_us = next == CASE_RUN ? 0 : *from_us ? *from_us : o.at.wall_us;
        *to_us = next == CASE_OBSERVATION && o.at.wall_us > *to_us ? o.at.wall_us : *to_us;
    }
    case_rewind(reader);
}

/* Of that time; its clock on the wall is set wrong by so much. */
static void observe_part(const char *file, int64_t from_us, int64_t to_us, int64_t wrong_us,
                         struct buffer *out)
{
    const struct case_part part = {.from_us = from_us, .to_us = to_us};
    struct buffer blocks = {0};
    struct observation o;
    char *problem;
    struct case_reader *reader = open_case(file);
    bool any = case_cut(reader, &part, &blocks, &problem);
    case_close(reader);
    if (!any)
        return;
    reader = case_read(blocks.bytes, blocks.length);
    assert_int_equal(case_next(reader, &o), CASE_RUN);
    struct model *model = case_model(reader, &problem);
    struct case_writer *writer = case_writer_new(case_settings(reader), model);
    while (case_next(reader, &o) == CASE_OBSERVATION) {
        o.at.wall_us += wrong_us;
        case_writer_observe(writer, &o);
    }
    case_writer_take(writer, out);
    case_writer_close(writer, &problem);
    model_free(model);
    case_close(reader);
}

/* One observer was not there for the middle third of the time, another one only from the first sixth to the last,
 * and its clock is wrong. */
static void run_joined(const char *file, int64_t wrong_us, struct told *told)
{
    struct buffer parts[2] = {{0}, {0}};
    struct case_reader *readers[2], *reader = open_case(file);
    static const char *const names[] = {"one", "other"};
    int64_t from_us, to_us;
    char *error;
    last_run(reader, &from_us, &to_us);
    case_close(reader);
    int64_t sixth_us = (to_us - from_us) / 6;
    observe_part(file, from_us, from_us + 2 * sixth_us, 0, &parts[0]);
    observe_part(file, to_us - 2 * sixth_us, to_us, 0, &parts[0]);
    observe_part(file, from_us + sixth_us, to_us - sixth_us, wrong_us, &parts[1]);
    for (size_t i = 0; i < 2; i++)
        readers[i] = case_read(parts[i].bytes, parts[i].length);
    reader = joined_cases(readers, names, 2, &error);
    for (size_t i = 0; i < 2; i++)
        case_close(readers[i]);
    if (reader)
        fold(reader, 0, told);
    free(error);
}

/* What the mutants alone are certain of: a line each, for a person to judge. */
static void run_mutants(const char *file, struct told *whole)
{
    static const int64_t wrong_us[] = {0, 700000, -700000};
    size_t known = whole->certain_count;
    struct told joined = {.begin_us = 0};
    run_joined(file, wrong_us[strlen(file) % 3], &joined);
    for (size_t k = 0; k < joined.certain_count; k++)
        if (!told_has(whole, joined.certain[k]))
            told_keep(whole, xstrdup(joined.certain[k]));
    told_free(&joined);
    for (uint64_t seed = 1; seed <= MUTANTS; seed++) {
        struct told mutant = {.begin_us = 0};
        fold(open_case(file), seed, &mutant);
        for (size_t i = 0; i < mutant.certain_count; i++)
            if (!told_has(whole, mutant.certain[i]))
                told_keep(whole, xstrdup(mutant.certain[i]));
        told_free(&mutant);
    }
    for (size_t i = known; i < whole->certain_count; i++)
        buffer_printf(&whole->lines, OTHERWISE " %s\n", whole->certain[i]);
}

/* The second half of a case begins with what a newcomer would be told, and so ends with the same leaders. */
static void check_second_half(const char *file, struct told *whole)
{
    struct told half = {.begin_us = 0};
    struct buffer blocks = {0};
    char *error;
    int64_t from_us, to_us;
    struct case_reader *reader = open_case(file);
    last_run(reader, &from_us, &to_us);
    const struct case_part half_of_it = {.from_us = from_us + (to_us - from_us) / 2, .to_us = to_us};
    assert_true(case_cut(reader, &half_of_it, &blocks, &error));
    case_close(reader);
    fold(case_read(blocks.bytes, blocks.length), 0, &half);
    buffer_put_char(&half.end, '\0');
    buffer_put_char(&whole->end, '\0');
    if (strcmp(half.end.bytes, whole->end.bytes) != 0)
        fail_msg("%s ends with\n%sits second half with\n%s", file, whole->end.bytes, half.end.bytes);
    told_free(&half);
}

/* What is told of one moment comes in the order of names. malloc'd. */
static char *sorted_lines(const struct buffer *text)
{
    char **lines = NULL, *copy = xstrndup(text->bytes ? text->bytes : "", text->length), *rest = copy;
    size_t count = 0, room = 0;
    struct buffer sorted = {0};
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        room_for_one(&lines, count, &room, sizeof *lines);
        lines[count++] = line;
    }
    if (count)
        qsort(lines, count, sizeof *lines, text_compare);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&sorted, "%s\n", lines[i]);
    buffer_put_char(&sorted, '\0');
    free(lines);
    free(copy);
    return sorted.bytes;
}

/* With pseudonyms the same is told of the same history. */
static void check_pseudonyms(const char *file)
{
    struct told whole = {.begin_us = 0}, renamed = {.begin_us = 0};
    struct buffer blocks = {0};
    char *error;
    const struct case_part all = {.from_us = INT64_MIN, .to_us = INT64_MAX, .pseudonyms = true};
    struct case_reader *reader = open_case(file);
    bool any = case_cut(reader, &all, &blocks, &error);
    case_close(reader);
    nameless = true;
    if (any) {
        fold(open_case(file), 0, &whole);
        fold(case_read(blocks.bytes, blocks.length), 0, &renamed);
        char *a = sorted_lines(&whole.lines), *b = sorted_lines(&renamed.lines);
        size_t line = 0;
        for (size_t i = 0; a[i] && a[i] == b[i]; i++)
            line = a[i] == '\n' ? i + 1 : line;
        if (strcmp(a, b) != 0)
            fail_msg("%s tells\n%.*s\nand with pseudonyms\n%.*s", file, (int)strcspn(a + line, "\n"),
                     a + line, (int)strcspn(b + line, "\n"), b + line);
        free(a);
        free(b);
    }
    nameless = false;
    told_free(&whole);
    told_free(&renamed);
}

static int is_case(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".case") == 0;
}

TEST(test_cases)
{
    const char *kept = getenv("ELECTOP_CASES"), *folder = kept ? kept : "tests/cases";
    struct dirent **entries;
    int count = scandir(folder, &entries, is_case, alphasort);
    size_t observations = 0;
    bool others = false;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *file = text_format("%s/%s", folder, entries[i]->d_name);
        char *expected = text_format("%.*s.expected", (int)strlen(file) - 5, file);
        struct told told = {.begin_us = 0};
        if (!kept)
            assert_true(case_is(file));
        else if (!case_is(file))
            continue;
        observations += fold(open_case(file), 0, &told);
        run_mutants(file, &told);
        check_second_half(file, &told);
        check_pseudonyms(file);
        buffer_put_char(&told.lines, '\0');
        if (!kept)
            golden_compare(expected, told.lines.bytes);
        else if (strstr(told.lines.bytes, OTHERWISE)) {
            print_error("%s\n%s", file, strstr(told.lines.bytes, OTHERWISE));
            others = true;
        }
        told_free(&told);
        free(expected);
        free(file);
        free(entries[i]);
    }
    free(entries);
    print_message("%d cases, %zu observations, %d mutants each\n", count, observations, MUTANTS);
    assert_false(others);
}

/* Events as JSON Lines and as text: every kind, with all that is known and with nothing known. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/json/json_event.h"
#include "tests/support/golden.h"
#include "tests/support/json_back.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/output/line_printer.h"

/* Hands every kind of event to a sink, about the elections of the scripted world. */
static void report_all(const struct model *model, void (*sink)(void *, const struct event *), void *context)
{
    const struct cluster *cluster = &model->clusters[0];
    const struct election *election = model_election(model, 0, "/election"),
                          *vacant = model_election(model, 0, "/vacant");
    const struct cluster nameless = {.name = (char[]){""}};
    /* What is at least is rounded down, and what is at most is rounded up. */
    const struct failover failover = {.from = (char[]){"n_0000000042"},
                                      .to = (char[]){"n_0000000043"},
                                      .detection = {2168700, 3318200},
                                      .vacancy = {0, 9300},
                                      .takeover = {12700, 12700},
                                      .total = {2181400, 3340200}};
    const struct event events[] = {
        {.kind = EVENT_CONNECTION, .connection = "connected", .identity = cluster->connected_to},
        {.kind = EVENT_CONNECTION, .connection = "disconnected", .detail = "no \x1b[31mquorum\xff"},
        {.kind = EVENT_CONNECTION, .cluster = &nameless, .connection = "gap", .gap_us = 13000000},
        {.kind = EVENT_ELECTION_SEEN, .election = election},
        {.kind = EVENT_ELECTION_GONE, .election = vacant},
        {.kind = EVENT_CANDIDATE_JOINED,
         .election = election,
         .candidate = "n_0000000051",
         .identity = "10.0.3.23:1",
         .position = 5},
        {.kind = EVENT_CANDIDATE_LEFT,
         .election = election,
         .candidate = "\x1b]0;x\x07-0000000043",
         .position = 2},
        {.kind = EVENT_LEADER_LOST,
         .election = election,
         .candidate = "n_0000000042",
         .identity = "10.0.3.17:51234",
         .gap_us = 9000000},
        {.kind = EVENT_LEADER_ELECTED,
         .election = election,
         .candidate = "n_0000000043",
         .identity = "10.0.3.18:40112",
         .from = "n_0000000042",
         .from_identity = "10.0.3.17:51234",
         .after_us = 1730},
        {.kind = EVENT_LEADER_ELECTED, .election = vacant, .candidate = "n_0000000007", .after_us = -1},
        {.kind = EVENT_LEADER_ACKNOWLEDGED,
         .election = election,
         .candidate = "n_0000000043",
         .after_us = 412300},
        {.kind = EVENT_UNSEEN, .election = election, .unseen_joined = 3, .unseen_left = 2},
        {.kind = EVENT_FAILOVER, .election = election, .failover = &failover},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct event event = events[i];
        event.at = scripted_at((double)i * 0.25);
        event.cluster = event.cluster ? event.cluster : cluster;
        sink(context, &event);
    }
}

static void as_json(void *context, const struct event *event)
{
    json_event_write(context, event);
}

/* Each line is one object; its first keys come in the promised order; the lines are the golden ones. */
TEST(json_lines)
{
    static const char *const first[] = {"schema", "time", "cluster", "election", "event"};
    struct model *model = scripted_world();
    struct buffer out = {0};
    report_all(model, as_json, &out);
    json_event_write_dropped(&out, scripted_at(4), 17);
    golden_check("tests/unit/data/events.jsonl", &out);
    size_t lines = 0;
    for (char *line = out.bytes; line < out.bytes + out.length; lines++) {
        char *end = memchr(line, '\n', (size_t)(out.bytes + out.length - line));
        assert_non_null(end);
        json_t *object = json_back(line, (size_t)(end - line));
        void *key = json_object_iter(object);
        for (size_t i = 0; i < sizeof first / sizeof *first; i++, key = json_object_iter_next(object, key))
            assert_string_equal(json_object_iter_key(key), first[i]);
        json_decref(object);
        line = end + 1;
    }
    assert_int_equal(lines, 14);
    buffer_free(&out);
    model_free(model);
}

static void as_text(void *context, const struct event *event)
{
    event_line_print(context, event, false);
}

static void as_text_of_several(void *context, const struct event *event)
{
    event_line_print(context, event, true);
}

/* One line each, in the words of the dashboard, without a byte that a terminal would obey. */
TEST(text_lines)
{
    struct model *model = scripted_world();
    struct buffer out = {0};
    struct printer printer;
    printer_begin(&printer, &out, &(struct print_style){.theme = {.depth = DEPTH_MONO}});
    report_all(model, as_text, &printer);
    report_all(model, as_text_of_several, &printer);
    event_line_print_dropped(&printer, scripted_at(4), 17);
    for (size_t i = 0; i < out.length; i++)
        assert_true((unsigned char)out.bytes[i] >= 0x20 || out.bytes[i] == '\n');
    golden_check("tests/unit/data/events.txt", &out);
    printer_end(&printer);
    buffer_free(&out);
    model_free(model);
}

/* The names' column is as wide as the longest of them, within bounds that leave room for the rest. */
TEST(names_have_room)
{
    struct model *model = scripted_world();
    struct election *election = model_election(model, 0, "/election");
    struct printer printer;
    printer_begin(&printer, NULL, &(struct print_style){.theme = {.depth = DEPTH_MONO}});
    event_line_fit(&printer, model);
    assert_int_equal(printer.where_width, 20);
    free(election->name);
    election->name = strdup("/apps/payments/eu-west-1/election");
    printer.where_elections = 0;
    event_line_fit(&printer, model);
    assert_int_equal(printer.where_width, 33);
    free(election->name);
    election->name = strdup("/apps/payments/eu-west-1/reconciliation/election");
    printer.where_elections = 0;
    event_line_fit(&printer, model);
    assert_int_equal(printer.where_width, 40);
    printer_end(&printer);
    model_free(model);
}

static void count_cost(void *context, const struct event *event)
{
    struct buffer *out = context;
    buffer_clear(out);
    json_event_write(out, event);
}

/* A line lies on the way between a leader's end and its reader: it may not cost more than 20 us (sanitizers
   and a busy machine allowed for: the best of several rounds counts). */
TEST(a_line_is_cheap)
{
    enum { ROUNDS = 20, TIMES = 20 };
    struct model *model = scripted_world();
    struct buffer out = {0};
    double best_us = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int i = 0; i < TIMES; i++)
            report_all(model, count_cost, &out);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double us = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / 1e3;
        best_us = us / TIMES / 12 < best_us ? us / TIMES / 12 : best_us;
    }
    print_message("%.2f us a line\n", best_us);
    assert_true(best_us < 20);
    buffer_free(&out);
    model_free(model);
}

/* The metrics of a scripted world: every family in both formats, hostile labels, histograms, the bound. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/metrics/metrics.h"
#include "tests/support/golden.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"

static const struct metrics_process process = {.cpu_s = 1.25,
                                               .start_time_s = 1790000000.5,
                                               .resident_bytes = 8000000,
                                               .open_files = 12,
                                               .recording = 1,
                                               .lost_events = 3,
                                               .rendered_s = 0.0021};

static void fail_over(struct metrics *metrics, const struct model *model, enum failover_cause cause,
                      struct failover failover)
{
    failover.cause = cause;
    metrics_take(metrics, &(struct event){.kind = EVENT_FAILOVER,
                                          .cluster = &model->clusters[0],
                                          .election = model->clusters[0].elections[0],
                                          .failover = &failover});
}

static struct metrics *counted(const struct model *model, size_t series)
{
    struct metrics *metrics = metrics_new(series);
    struct span none = SPAN_UNKNOWN, instant = {0, 0};
    assert_non_null(metrics);
    fail_over(
        metrics, model, CAUSE_RESIGNED,
        (struct failover){
            .detection = none, .vacancy = instant, .takeover = {412000, 412000}, .total = {412000, 412000}});
    fail_over(metrics, model, CAUSE_EXPIRED,
              (struct failover){.detection = {9600000, 12900000},
                                .vacancy = instant,
                                .takeover = none,
                                .total = {9600000, SPAN_OPEN},
                                .notified_us = 900,
                                .reacted_us = 41000000});
    fail_over(metrics, model, CAUSE_EXPIRED,
              (struct failover){
                  .detection = {1, 200000000}, .vacancy = {100000, 100000}, .takeover = none, .total = none});
    /* Found after a gap: in no statistics. */
    fail_over(metrics, model, CAUSE_CLOSED, (struct failover){.gap_us = 5, .vacancy = instant});
    return metrics;
}

static void check_format(bool openmetrics, const char *golden)
{
    struct model *model = scripted_world();
    struct metrics *metrics = counted(model, 1000);
    struct buffer out = {0};
    metrics_write(metrics, model, scripted_now(), &process, openmetrics, &out);
    golden_check(golden, &out);
    buffer_free(&out);
    metrics_free(metrics);
    model_free(model);
}

TEST(text_is_as_promised)
{
    check_format(false, "tests/unit/data/metrics.txt");
}

TEST(openmetrics_is_as_promised)
{
    check_format(true, "tests/unit/data/metrics.openmetrics");
}

static size_t count(const struct buffer *out, const char *word)
{
    size_t found = 0;
    char *text = calloc(1, out->length + 1);
    assert_non_null(text);
    memcpy(text, out->bytes, out->length);
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    free(text);
    return found;
}

/* A server whose answers were not timed, as its connection alone shows it, has no such sample. */
TEST(an_unknown_time_is_left_out)
{
    struct model *model = scripted_world();
    struct metrics *metrics = metrics_new(30);
    struct buffer out = {0};
    scripted_server(model, 0, "zk1:2181", SERVER_LEADER, -1, NULL);
    metrics_write(metrics, model, scripted_now(), &process, false, &out);
    assert_int_equal(count(&out, "\nelectop_server_up{cluster=\"prod\",server=\"zk1:2181\""), 1);
    assert_int_equal(count(&out, "\nelectop_server_answer_seconds{cluster=\"prod\",server=\"zk1:2181\""), 0);
    buffer_free(&out);
    metrics_free(metrics);
    model_free(model);
}

/* Elections beyond the bound have no series at all, and their number is said. */
TEST(bound_applies_and_is_said)
{
    struct model *model = scripted_world();
    struct metrics *metrics = metrics_new(30);
    struct buffer out = {0};
    metrics_write(metrics, model, scripted_now(), &process, false, &out);
    assert_int_equal(count(&out, "\nelectop_election_info{"), 2);
    assert_int_equal(count(&out, "elections_omitted{cluster=\"prod\"} 4\n"), 1);
    assert_int_equal(count(&out, "# electop: the bound on series leaves out 4 of 6 elections"), 1);
    assert_int_equal(count(&out, "\nelectop_series_limit 30\n"), 1);
    buffer_free(&out);
    metrics_free(metrics);
    model_free(model);
}

/* Units and base names as Prometheus wants them; a counter has no suffix of its own in the table. */
TEST(names_follow_the_conventions)
{
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric_kind *kind = &metric_table[i];
        char name[METRIC_NAME], unit[METRIC_NAME];
        assert_true(strncmp(kind->name, "electop_", 8) == 0 || strncmp(kind->name, "process_", 8) == 0);
        assert_non_null(kind->help);
        assert_int_equal(kind->help[strlen(kind->help) - 1], '.');
        assert_null(strstr(kind->name, "_total"));
        snprintf(unit, sizeof unit, "_%s", kind->unit ? kind->unit : "");
        size_t length = strlen(kind->name);
        if (kind->unit)
            assert_string_equal(kind->name + length - strlen(unit), unit);
        metric_sample_name(kind, name);
        assert_int_equal(kind->type == METRIC_COUNTER, strcmp(name + strlen(name) - 6, "_total") == 0);
    }
}

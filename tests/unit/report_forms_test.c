/* The forms of a report that are read as text: JSON for programs, Markdown for tickets,
   and the terminal's. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/report/report.h"
#include "tests/support/golden.h"
#include "tests/support/json_back.h"
#include "tests/support/report_scene.h"
#include "tests/support/test.h"
#include "tui/output/report_document.h"

static const struct report_note note = {.recording = "/var/lib/electop/history.db",
                                        .made_us = INT64_C(1795183402104000)};

static struct buffer json_of(struct report *report)
{
    struct buffer out = {0};
    json_report_write(&out, report, note.recording);
    report_free(report);
    return out;
}

/* Key by key, as scripts rely on it. */
TEST(json_is_as_promised)
{
    struct buffer out = json_of(report_scene_usual());
    json_decref(json_back_of(&out));
    golden_check("tests/unit/data/report.json", &out);
    buffer_free(&out);
}

/* Durations are intervals, an open bound is null, and what is not known at all is null and no interval. */
TEST(json_keeps_intervals)
{
    struct buffer out = json_of(report_scene_one());
    json_t *document = json_back_of(&out);
    json_t *election = json_array_get(json_object_get(document, "elections"), 0);
    json_t *failovers = json_object_get(election, "failovers"), *list = json_object_get(failovers, "list");
    assert_int_equal(json_array_size(list), 7);
    assert_int_equal(json_integer_value(json_object_get(election, "leader_changes")), 6);
    assert_int_equal(json_integer_value(json_object_get(election, "leader_changes_missed")), 1);
    json_t *expired = json_object_get(json_array_get(list, 3), "total_ms");
    assert_int_equal(json_integer_value(json_array_get(expired, 0)), 10840);
    assert_int_equal(json_integer_value(json_array_get(expired, 1)), 14140);
    json_t *open = json_object_get(json_array_get(list, 4), "total_ms");
    assert_int_equal(json_integer_value(json_array_get(open, 0)), 7840);
    assert_true(json_is_null(json_array_get(open, 1)));
    assert_true(json_is_null(json_object_get(json_array_get(list, 5), "total_ms")));
    assert_true(json_is_null(json_object_get(json_array_get(list, 2), "cause_certainty")));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 2), "gap_ms")), 401000);
    json_decref(document);
    buffer_free(&out);
}

/* Strangers' bytes come back as they were, and the document stays a document. */
TEST(json_stands_hostile_names)
{
    struct buffer out = json_of(report_scene_hostile());
    json_t *document = json_back_of(&out);
    json_t *election = json_array_get(json_object_get(document, "elections"), 0);
    assert_string_equal(json_string_value(json_object_get(election, "name")),
                        "safe\u202egnp.exe\u2066\n# head");
    assert_null(memchr(out.bytes, '\x1b', out.length));
    json_decref(document);
    buffer_free(&out);
}

TEST(markdown_is_as_written)
{
    static const struct {
        struct report *(*scene)(void);
        const char *golden;
    } rows[] = {{report_scene_usual, "tests/unit/data/report-usual.md"},
                {report_scene_hostile, "tests/unit/data/report-hostile.md"},
                {report_scene_empty, "tests/unit/data/report-empty.md"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buffer out = {0};
        struct report *report = rows[i].scene();
        report_print(&out, DOCUMENT_MARKDOWN, report, &note, NULL);
        golden_check(rows[i].golden, &out);
        buffer_free(&out);
        report_free(report);
    }
}

static void print(struct report *report, const struct print_style *how, const char *golden)
{
    struct buffer out = {0};
    report_print(&out, DOCUMENT_TEXT, report, &note, how);
    golden_check(golden, &out);
    buffer_free(&out);
    report_free(report);
}

/* Into a pipe whole; on a narrow terminal within its width; without any sign beyond ASCII where asked. */
TEST(text_is_as_printed)
{
    const struct print_style pipe = {.theme = {.depth = DEPTH_MONO}};
    const struct print_style narrow = {.theme = {.depth = DEPTH_MONO}, .width = 80};
    const struct print_style ascii = {.theme = {.depth = DEPTH_MONO}, .width = 100, .ascii = true};
    print(report_scene_usual(), &pipe, "tests/unit/data/report-usual.txt");
    print(report_scene_one(), &narrow, "tests/unit/data/report-one-80.txt");
    print(report_scene_one(), &ascii, "tests/unit/data/report-one-ascii.txt");
    print(report_scene_hostile(), &pipe, "tests/unit/data/report-hostile.txt");
    print(report_scene_empty(), &pipe, "tests/unit/data/report-empty.txt");
}

#define GAPS 600

/* A watch that came and went. */
static struct report *broken_watch(void)
{
    struct report *report = report_scene_one();
    struct report_election *election = &report->elections[0];
    int64_t each_us = (report->to_us - report->from_us) / (2 * GAPS);
    for (size_t i = 0; i < election->stretch_count; i++)
        free(election->stretches[i].name);
    free(election->stretches);
    election->stretch_count = 2 * GAPS;
    election->stretches = calloc(election->stretch_count, sizeof *election->stretches);
    assert_non_null(election->stretches);
    for (size_t i = 0; i < election->stretch_count; i++)
        election->stretches[i] =
            (struct report_stretch){.kind = i % 2 ? STRETCH_GAP : STRETCH_VACANT,
                                    .leader = REPORT_NO_LEADER,
                                    .from_us = report->from_us + (int64_t)i * each_us,
                                    .to_us = report->from_us + (int64_t)(i + 1) * each_us};
    report_sum_up(election);
    return report;
}

/* Where a list is cut, it says so: also that of the times of which nothing is known. */
TEST(owns_up_to_gaps_that_it_leaves_out)
{
    struct report *report = broken_watch();
    struct buffer text = {0}, markdown = {0}, page = {0};
    const struct print_style how = {.width = 80};
    report_print(&text, DOCUMENT_TEXT, report, &note, &how);
    report_print(&markdown, DOCUMENT_MARKDOWN, report, &note, NULL);
    report_print(&page, DOCUMENT_PAGE, report, &note, NULL);
    struct buffer *forms[] = {&text, &markdown, &page};
    for (size_t i = 0; i < 3; i++) {
        buffer_put_char(forms[i], '\0');
        assert_non_null(strstr(forms[i]->bytes, "the first 500 of 600"));
        buffer_free(forms[i]);
    }
    report_free(report);
}

TEST(no_exact_time_where_its_failover_has_bounds)
{
    struct report *report = report_scene_one();
    struct buffer text = {0};
    report->elections[0].failovers[0].vacancy = (struct span){0, 213000};
    report_print(&text, DOCUMENT_MARKDOWN, report, &note, NULL);
    buffer_put_char(&text, '\0');
    assert_non_null(strstr(text.bytes, "There was no leader for about 7.28s in all"));
    buffer_free(&text);
    report_free(report);
}

/* The page of a report: whole, well formed, without anything from elsewhere, and safe from what strangers
   wrote. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/memory.h"
#include "tests/support/golden.h"
#include "tests/support/report_scene.h"
#include "tests/support/test.h"
#include "tui/output/report_document.h"

static const struct report_note note = {.recording = "/var/lib/electop/history.db",
                                        .made_us = INT64_C(1795183402104000)};

static struct buffer page_of(struct report *report)
{
    struct buffer out = {0};
    report_print(&out, DOCUMENT_PAGE, report, &note, NULL);
    report_free(report);
    return out;
}

/* The usual pages, byte by byte. */
TEST(pages_are_as_drawn)
{
    static const struct {
        struct report *(*scene)(void);
        const char *golden;
    } rows[] = {
        {report_scene_usual, "tests/unit/data/report-usual.html"},
        {report_scene_one, "tests/unit/data/report-one.html"},
        {report_scene_hostile, "tests/unit/data/report-hostile.html"},
        {report_scene_empty, "tests/unit/data/report-empty.html"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buffer page = page_of(rows[i].scene());
        golden_check(rows[i].golden, &page);
        buffer_free(&page);
    }
}

static size_t count(const struct buffer *page, const char *what)
{
    size_t found = 0, length = strlen(what);
    for (size_t i = 0; i + length <= page->length; i++)
        found += memcmp(page->bytes + i, what, length) == 0;
    return found;
}

/* Of several elections the one in which nothing happened is a paragraph; what happened in the others is not.
 */
TEST(quiet_elections_are_short)
{
    struct report *report = report_scene_usual();
    size_t quiet = 0;
    for (size_t i = 0; i < report->election_count; i++)
        quiet += report_election_is_quiet(&report->elections[i]);
    assert_true(quiet > 0 && quiet < report->election_count);
    struct buffer page = page_of(report);
    assert_int_equal(count(&page, "<p class=\"said\" id="), quiet);
    assert_int_equal(count(&page, ">Quiet: 1 election</h2>"), 1);
    buffer_free(&page);
    page = page_of(report_scene_one());
    assert_int_equal(count(&page, "Quiet"), 0);
    buffer_free(&page);
}

/* A month's worth of changes in a day gives a page that a browser opens, and that says what it leaves out. */
TEST(crowds_stay_small)
{
    struct buffer page = page_of(report_scene_crowd(43200, 500));
    assert_true(page.length < 2500000);
    assert_true(count(&page, "<rect class=\"led\"") < 24 * 900);
    assert_int_equal(count(&page, "<tbody class=\"pair\">"), 500);
    assert_int_equal(count(&page, "These are the last 500 of 43200"), 1);
    assert_int_equal(count(&page, ">83 others</text>"), 1);
    buffer_free(&page);
}

/* Every change has its mark while there is room, numbered as in the table; whoever led has a bar. */
TEST(every_change_is_drawn)
{
    struct buffer page = page_of(report_scene_crowd(20, 5));
    assert_int_equal(count(&page, "<g class=\"change\"><title>"), 20);
    assert_int_equal(count(&page, "<rect class=\"led\" x"), 21);
    assert_int_equal(count(&page, "<tbody class=\"pair\">"), 20);
    buffer_free(&page);
}

/* Names that differ at their end, or in the middle, have labels that differ. */
TEST(labels_differ)
{
    static const char *const labels[] = {"aaaaa</text>", "bbbbb</text>"};
    struct report *report = report_scene_one();

    for (size_t i = 0; i < sizeof labels / sizeof *labels && i < report->elections[0].leader_count; i++) {
        char **identity = &report->elections[0].leaders[i].identity;
        free(*identity);
        *identity = xstrdup(i ? "10.0.98.17:8983_solr-node-in-rack-0001-bbbbb"
                              : "10.0.98.17:8983_solr-node-in-rack-0001-aaaaa");
    }
    struct buffer page = page_of(report);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_int_equal(count(&page, labels[i]), 1);
    buffer_free(&page);
}

/* Where the local clock shows another time, both are there, and each says which it is. */
TEST(both_zones_are_named)
{
    setenv("TZ", "Asia/Kolkata", 1);
    tzset();
    struct buffer page = page_of(report_scene_one());
    setenv("TZ", "UTC", 1);
    tzset();
    assert_int_equal(count(&page, "2026-11-20 12:00:00 – 14:03:22.104 UTC</b>"), 1);
    assert_int_equal(count(&page, "2026-11-20 17:30:00 – 19:33:22.104 IST"), 1);
    assert_int_equal(count(&page, "12:39:02.522<br/><small>18:09:02.522 IST</small>"), 1);
    assert_true(count(&page, "class=\"time local\"") > 4);
    buffer_free(&page);
}

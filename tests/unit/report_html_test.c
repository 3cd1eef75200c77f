/* The page of a report: whole, well formed, without anything from elsewhere, and safe from what strangers
   wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/report_scene.h"
#include "tests/support/scripted.h"
#include "tui/report/html_report.h"

static const struct report_note note = {.recording = "/var/lib/electop/history.db",
                                        .made_us = INT64_C(1795183402104000)};

static struct buffer page_of(struct report *report)
{
    struct buffer out = {0};
    html_report_print(&out, report, &note);
    assert_false(buffer_failed(&out));
    report_free(report);
    return out;
}

/* The usual pages, byte by byte. */
static void pages_are_as_drawn(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_as_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

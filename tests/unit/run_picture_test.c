/*
 * The picture of a run that goes on: what it warns of, and what it does not.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/drawn.h"
#include "tests/support/fake_bench.h"
#include "tests/support/test.h"
#include "tui/views/run_control_interface.h"
#include "tui/views/run_picture.h"
#include "tui/views/list.h"

static bool shows(const struct run_report *report, const char *text)
{
    struct cells *cells = cells_new(100, 24);
    struct list list = {0};
    run_picture_draw(cells, &fake_bench_running, report, &list, "");
    bool found = drawn_has(cells, text);
    cells_free(cells);
    list_release(&list);
    return found;
}

/* That nobody of ours leads is a warning in an election of our own; in somebody's live one it is as it should
   be. */
TEST(nobody_leads_only_where_ours_should)
{
    struct run_report *report = malloc(sizeof *report);
    *report = *fake_bench_running.report(fake_bench_running.context);
    struct run_options options = *report->options;
    report->options = &options;
    assert_false(shows(report, "no leader"));
    report->crowd.by_state[CANDIDATE_LEADING] = 0;
    assert_true(shows(report, "no leader"));
    options.live = true;
    assert_true(shows(report, "LIVE"));
    assert_false(shows(report, "no leader"));
    free(report);
}

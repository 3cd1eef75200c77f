/* Clicks: on a key, on a row, on a heading. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/driven.h"
#include "tests/support/drawn.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"

/* Clicks the beginning of a text in a row; -1: the row does not have it. */
static int click(struct driven *driven, int y, const char *text)
{
    dashboard_draw(driven->dashboard, driven->cells);
    for (int x = 0; x < driven->cells->width; x++) {
        const struct cell *at = &driven->cells->at[(size_t)y * (size_t)driven->cells->width + (size_t)x];
        size_t same = 0;
        while (text[same] && x + (int)same < driven->cells->width && at[same].text[0] == text[same])
            same++;
        if (!text[same])
            return (int)dashboard_key(driven->dashboard, KEY_CODE_CLICK, x, y);
    }
    return -1;
}

/* A click on a key in the last line, or on its word, presses it. One beside the keys does nothing, nor does
   one where a key stood before a line was typed there. */
TEST_BETWEEN(presses_the_key_that_is_clicked, driven_begin, driven_end)
{
    struct driven *driven = *state;
    int last = driven->cells->height - 1;
    assert_int_equal(click(driven, last, "help"), DASHBOARD_NOTHING);
    assert_true(driven_shows(driven, "KEYS HERE"));
    click(driven, last, "Esc");
    assert_false(driven_shows(driven, "KEYS HERE"));
    click(driven, last, "sort");
    assert_true(driven_shows(driven, "by name"));
    assert_int_equal(dashboard_key(driven->dashboard, KEY_CODE_CLICK, driven->cells->width - 1, last),
                     DASHBOARD_NOTHING);
    assert_int_equal(dashboard_key(driven->dashboard, KEY_CODE_CLICK, 4, last - 1), DASHBOARD_NOTHING);
    click(driven, last, "/ filter");
    dashboard_draw(driven->dashboard, driven->cells);
    dashboard_key(driven->dashboard, KEY_CODE_CLICK, 20, last);
    assert_true(driven_shows(driven, "by name"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_int_equal(click(driven, last, "quit"), DASHBOARD_QUIT);
}

static int row_of(const struct driven *driven, const char *text)
{
    char *all = drawn_text(driven->cells), *at = strstr(all, text);
    int y = 0;
    assert_non_null(at);
    for (const char *c = all; c < at; c++)
        y += *c == '\n';
    free(all);
    return y;
}

/* A line that appears above just before a click does not make it hit another row; later it is where it is. */
TEST_BETWEEN(hits_what_was_there_just_before, driven_begin, driven_end)
{
    struct driven *driven = *state;
    char path[64];
    driven_key(driven, KEY_CODE_HOME);
    stage_until(driven->stage, 15, 0, 0, 0);
    dashboard_draw(driven->dashboard, driven->cells);
    int y = row_of(driven, "nightly-job");
    stage_watch(driven->stage, 0, "/aaa", NULL, KIND_LEADER, NULL);
    stage_children(driven->stage, 0, "/aaa", NULL, 0, 0, 0); /* vacant: it is the first */
    dashboard_draw(driven->dashboard, driven->cells);
    assert_true(row_of(driven, "nightly-job") != y);
    dashboard_key(driven->dashboard, KEY_CODE_CLICK, 10, y);
    driven_key(driven, 'y');
    snprintf(path, sizeof path, "%s", dashboard_copied(driven->dashboard));
    assert_non_null(strstr(path, "nightly-job"));
    stage_until(driven->stage, 15, 0, 0, 400);
    dashboard_draw(driven->dashboard, driven->cells);
    dashboard_key(driven->dashboard, KEY_CODE_CLICK, 10, y);
    driven_key(driven, 'y');
    assert_string_not_equal(dashboard_copied(driven->dashboard), path);
}

/* A click on a heading of the overview sorts by its column, a second one turns that round. */
TEST_BETWEEN(sorts_by_the_heading_that_is_clicked, driven_begin, driven_end)
{
    struct driven *driven = *state;
    int heading = 0;
    dashboard_draw(driven->dashboard, driven->cells);
    while (click(driven, heading, "CAND") < 0)
        heading++;
    assert_true(driven_shows(driven, "most candidates first"));
    assert_true(driven_shows(driven, "CAND▾"));
    click(driven, heading, "CAND");
    assert_true(driven_shows(driven, "CAND▴"));
    assert_true(driven_shows(driven, "fewest candidates first"));
    click(driven, heading, "ELECTION");
    assert_true(driven_shows(driven, "by name"));
    assert_false(driven_shows(driven, "descending"));
    click(driven, heading, "NEXT");
    assert_true(driven_shows(driven, "worst next failover first"));
    click(driven, heading, "FINDING");
    assert_true(driven_shows(driven, "worst finding first"));
}

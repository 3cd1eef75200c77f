/* What is typed behind / and : chooses rows, goes to places and names actions; F2 chooses columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/driven.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"

/* While a filter is typed letters are letters; Backspace takes a whole character; Ctrl-U all;
   it is bounded. */
TEST_BETWEEN(edits_the_filter, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "/qq");
    assert_int_equal(driven_key(driven, 'q'), DASHBOARD_NOTHING);
    assert_true(driven_shows(driven, "/qqq"));
    driven_key(driven, 0x6f22);
    assert_true(driven_shows(driven, "/qqq漢"));
    driven_key(driven, KEY_CODE_BACKSPACE);
    driven_key(driven, KEY_CODE_BACKSPACE);
    assert_true(driven_shows(driven, "/qq "));
    driven_key(driven, 21);
    assert_true(driven_shows(driven, "/ "));
    driven_key(driven, KEY_CODE_BACKSPACE); /* nothing left to take */
    for (int i = 0; i < 500; i++)
        driven_key(driven, 0x6f22);
    dashboard_draw(driven->dashboard, driven->cells);
    assert_true(driven->cells->cursor_x > 0 && driven->cells->cursor_x < 120);
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "nightly-job"));
    assert_int_equal(driven->cells->cursor_x, -1);
}

/* A screen that opens over a line that is being typed ends it:
   what is typed next is not for the one below. */
TEST_BETWEEN(ends_typing_with_a_new_screen, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "/ni");
    driven_key(driven, KEY_CODE_F1);
    driven_type(driven, "x");
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "filter ni"));
    assert_int_equal(driven_key(driven, 'q'), DASHBOARD_QUIT);
}

/* ! shows what has a problem; fields of a filter are those of the screen. */
TEST_BETWEEN(filters_by_fields, driven_begin, driven_end)
{
    struct driven *driven = *state;
    static const struct {
        const char *filter, *shown, *hidden;
    } rows[] = {
        {"state:vacant", "orders", "● nightly"},
        {"state:free", "nightly-job", "▸ ✖ orders"},
        {"leader:host-c", "druid/coord", "● nightly"},
        {"recipe:kafka state:led", "/kafka", "● nightly"},
        {"severity>=critical", "app", "● nightly"},
        {"finding:never-ack", "app", "● nightly"},
        {"10.0.3.19", "/election", "● nightly"},
        {"0x200002a4d0a0001", "/election", "● nightly"},
        {"n_0000000045", "/election", "● nightly"},
        {"state:led", "/kafka", "✖ app"},
        {"state:unacknowledged", "app", "● /kafka"},
        {"STATE:VACANT", "orders", "● nightly"},
        {"severity>=awful", "severity is note, warning, error or critical", "● nightly"},
        {"nothing has this", "Nothing matches", "● nightly"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        driven_type(driven, "/");
        driven_type(driven, rows[i].filter);
        driven_key(driven, KEY_CODE_ENTER);
        assert_true(driven_shows(driven, rows[i].shown));
        if (driven_shows(driven, rows[i].hidden))
            fail_msg("%s: %s", rows[i].filter, rows[i].hidden);
        driven_key(driven, KEY_CODE_ESCAPE);
    }
    driven_key(driven, '!');
    assert_true(driven_shows(driven, "problems only"));
    assert_false(driven_shows(driven, "● druid"));
    driven_key(driven, '!');
    assert_true(driven_shows(driven, "● druid"));
}

/* Behind a / where nothing is filtered, no letter is a key: q would end the program. */
TEST_BETWEEN(letters_behind_a_slash_are_no_keys, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "?/qfe");
    assert_true(driven_shows(driven, "this screen has no filter"));
    assert_true(driven_shows(driven, "KEYS"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "KEYS"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_false(driven_shows(driven, "KEYS"));
}

/* The elections of one host: its filter is one like any other, the order and the columns are those of the first
   screen, and a choice of columns holds in both. */
TEST(lists_a_host)
{
    struct driven driven = driven_of(scene_pods(), 120, 36);
    dashboard_arrange(driven.dashboard, "candidates", "election,leader,cand");
    driven_type(&driven, "/payments");
    driven_key(&driven, KEY_CODE_ENTER);
    driven_key(&driven, KEY_CODE_HOME);
    for (int i = 0; i < 3; i++)
        driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "elections of host 10.42.0.19"));
    assert_true(driven_shows(&driven, "filter client:10.42.0.19"));
    assert_true(driven_shows(&driven, "CAND▾"));
    assert_false(driven_shows(&driven, "STATE"));
    driven_key(&driven, KEY_CODE_F2);
    driven_key(&driven, KEY_CODE_DOWN);
    driven_key(&driven, KEY_CODE_DOWN);
    dashboard_draw(driven.dashboard, driven.cells);
    assert_int_equal(dashboard_key(driven.dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_KEEP_COLUMNS);
    assert_string_equal(dashboard_columns(driven.dashboard), "election,state,leader,cand");
    driven_key(&driven, KEY_CODE_F2);
    driven_key(&driven, '/');
    assert_true(driven_shows(&driven, "/client:10.42.0.19"));
    driven_key(&driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(&driven, "all elections"));
    assert_false(driven_shows(&driven, "elections of host"));
    for (int i = 0; i < 4; i++)
        driven_key(&driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(&driven, "STATE"));
    driven_release(&driven);
}

/* Whom the filter has found is selected in the election that is opened: not the leader. */
TEST(opens_what_was_found)
{
    struct driven driven = driven_of(scene_pods(), 120, 36);
    driven_type(&driven, "/10.42.0.20");
    for (int i = 0; i < 3; i++) /* the filter, its election, its candidate */
        driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "client     10.42.0.20:33001"));
    for (int i = 0; i < 3; i++)
        driven_key(&driven, KEY_CODE_ESCAPE);
    driven_type(&driven, "/client:10.42.0.20");
    for (int i = 0; i < 3; i++)
        driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "client     10.42.0.20:33001"));
    for (int i = 0; i < 3; i++)
        driven_key(&driven, KEY_CODE_ESCAPE);
    driven_type(&driven, "/payments 10.42.0.20"); /* each of them has the one word, one the other */
    for (int i = 0; i < 3; i++)
        driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "client     10.42.0.20:33001"));
    driven_release(&driven);
}

/* F2: a column goes and comes again, the rest keeps its order, and each choice is said for the next time. */
TEST_BETWEEN(chooses_columns, driven_begin, driven_end)
{
    struct driven *driven = *state;
    assert_true(driven_shows(driven, "LEADER"));
    driven_key(driven, KEY_CODE_F2);
    assert_true(driven_shows(driven, "[x] leader"));
    for (int i = 0; i < 3; i++) /* cluster, election, state, leader */
        driven_key(driven, KEY_CODE_DOWN);
    dashboard_draw(driven->dashboard, driven->cells);
    assert_int_equal(dashboard_key(driven->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_KEEP_COLUMNS);
    assert_string_equal(dashboard_columns(driven->dashboard),
                        "cluster,election,state,cand,since,strip,changes,last,p50,next,finding");
    assert_true(driven_shows(driven, "[ ] leader"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_false(driven_shows(driven, "[ ]"));
    assert_false(driven_shows(driven, "LEADER"));
    driven_key(driven, KEY_CODE_F2);
    dashboard_key(driven->dashboard, KEY_CODE_ENTER, -1, -1);
    driven_key(driven, KEY_CODE_F2);
    assert_true(driven_shows(driven, "LEADER"));
    driven_key(driven, KEY_CODE_F2); /* the election's own cannot go */
    driven_key(driven, KEY_CODE_HOME);
    driven_key(driven, KEY_CODE_DOWN);
    assert_int_equal(dashboard_key(driven->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_NOTHING);
    assert_true(driven_shows(driven, "[x] election"));
}

/* : goes to an election by a few letters or a host, to a screen by its name; what leads nowhere stays to be corrected.
 */
TEST_BETWEEN(jumps, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, ":coor");
    driven_key(driven, '\t');
    assert_true(driven_shows(driven, "jump to druid/coordinator"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "/druid/coordinator"));
    driven_type(driven, ":findings");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "CERTAINTY") && driven_shows(driven, "Esc back to election"));
    driven_type(driven, ":zzzz");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "no such election, host, action or time"));
    assert_true(driven_shows(driven, "jump to zzzz") && !driven_shows(driven, "an election"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, ":overview");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "worst first"));
    assert_true(driven_shows(driven, "▸ ● druid/coordinator")); /* where one was */
    driven_type(driven, ":10.0.3.17");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "1 of 8 with \"10.0.3.17\"") && driven_shows(driven, "▸ ● /election"));
    driven_type(driven, ":now");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "on this screen, \"now\" does nothing")); /* it is now */
}

/* The beginning of a screen's name is enough; Tab goes on to the next match; where several match as well, the
   first one says so. */
TEST_BETWEEN(jumps_by_a_beginning, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, ":ev");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "latest first"));
    driven_type(driven, ":fin\t");
    assert_true(driven_shows(driven, "jump to findings"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, ":/election\t");
    assert_true(driven_shows(driven, "jump to /election"));
    driven_type(driven, "\t");
    assert_true(driven_shows(driven, "jump to /secret/election"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, ":ders");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "orders") && !driven_shows(driven, "the first of"));
    assert_true(driven_shows(driven, "Esc back to events"));
    driven_type(driven, ":or");
    driven_key(driven, KEY_CODE_ENTER);
    driven_type(driven, ":e");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "the first of 2 with \"e\"; after : Tab shows the next"));
}

/* A minute in the list of events: / shows what happened in it, : goes to what happened first from it on. */
TEST_BETWEEN(finds_a_minute, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "v/14:01");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "3 events") && driven_shows(driven, "14:01:02.500  app") &&
                !driven_shows(driven, "14:03:15"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, ":13:20");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "▸ 13:20:00.000  druid/coordinator"));
    assert_true(driven_shows(driven, "held"));
}

/* Every action of the key table can be named: it does what its key does, and where it does nothing, that is said.
   Of a description the letters are only completed. */
TEST_BETWEEN(names_actions, driven_begin, driven_end)
{
    struct driven *driven = *state;
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        driven_type(driven, ":");
        driven_type(driven, bindings[i].name);
        driven_key(driven, '\t');
        char line[80];
        snprintf(line, sizeof line, "jump to %s", bindings[i].name);
        if (!driven_shows(driven, line))
            fail_msg("Tab does not offer \"%s\"", bindings[i].name);
        driven_key(driven, KEY_CODE_ESCAPE);
    }
    driven_type(driven, ":sort by na");
    assert_true(driven_shows(driven, "sort by name"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "by name"));
    driven_type(driven, ":kil");
    assert_true(driven_shows(driven, "does nothing on this screen"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "on this screen, \"kill\" does nothing"));
    driven_type(driven, ":filt");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "Enter keeps"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, ":freeze");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "jump to pause") && !driven_shows(driven, "PAUSED"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "PAUSED"));
    driven_type(driven, ":quit");
    assert_int_equal(dashboard_key(driven->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_QUIT);
}

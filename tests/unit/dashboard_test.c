/* The dashboard without a terminal: its stack of screens, pause, drawing, and what the title says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/driven.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"

/* Enter opens, Esc goes back level by level and no further than the first; q quits from anywhere. */
TEST_BETWEEN(goes_in_and_back, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "/10.0.3.17");
    driven_key(driven, KEY_CODE_ENTER);
    driven_key(driven, KEY_CODE_HOME);
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "0x200002a4d0a0004"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "czxid"));
    assert_int_equal(driven_key(driven, KEY_CODE_ESCAPE), DASHBOARD_NOTHING);
    assert_false(driven_shows(driven, "czxid"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "filter 10.0.3.17"));
    driven_key(driven, KEY_CODE_ESCAPE); /* the filter goes first */
    assert_true(driven_shows(driven, "nightly-job"));
    assert_int_equal(driven_key(driven, KEY_CODE_ESCAPE), DASHBOARD_NOTHING);
    assert_true(driven_shows(driven, "nightly-job"));
    assert_int_equal(driven_key(driven, 'q'), DASHBOARD_QUIT);
}

/* Help and events lie on top of any view, once each, and leave as they came. */
TEST_BETWEEN(opens_help_and_events, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_key(driven, '?');
    assert_true(driven_shows(driven, "Ctrl-L"));
    driven_key(driven, '?');
    assert_false(driven_shows(driven, "Ctrl-L"));
    driven_key(driven, KEY_CODE_F1);
    assert_true(driven_shows(driven, "Ctrl-L"));
    driven_key(driven, KEY_CODE_ESCAPE);
    for (int i = 0; i < 100; i++)
        driven_key(driven, 'v');
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "nightly-job") && driven_shows(driven, "worst first"));
}

/* Paused, the picture stands still while the model goes on; the title says so and for how long. */
TEST_BETWEEN(holds_the_snapshot, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_key(driven, ' ');
    stage_pass(driven->stage, 65 * 1000000);
    stage_disconnected(driven->stage, 0, "no quorum");
    assert_true(driven_shows(driven, "PAUSED 1m05s"));
    assert_false(driven_shows(driven, "no quorum"));
    assert_true(driven_shows(driven, "14:04:27")); /* the clock goes on */
    driven_key(driven, ' ');
    assert_false(driven_shows(driven, "PAUSED"));
    assert_true(driven_shows(driven, "no quorum"));
}

/* What was drawn is stale when the model, the second or a key changed something, and else it is not. */
TEST_BETWEEN(knows_when_to_draw, driven_begin, driven_end)
{
    struct driven *driven = *state;
    assert_true(dashboard_is_stale(driven->dashboard));
    dashboard_draw(driven->dashboard, driven->cells);
    assert_false(dashboard_is_stale(driven->dashboard));
    stage_pass(driven->stage, 1000);
    assert_false(dashboard_is_stale(driven->dashboard));
    stage_disconnected(driven->stage, 0, "no quorum");
    assert_true(dashboard_is_stale(driven->dashboard));
    dashboard_draw(driven->dashboard, driven->cells);
    driven_key(driven, KEY_CODE_DOWN);
    assert_true(dashboard_is_stale(driven->dashboard));
    dashboard_draw(driven->dashboard, driven->cells);
    stage_pass(driven->stage, 1000000);
    assert_true(dashboard_is_stale(driven->dashboard));
}

/* y gives the path of what is selected; D and Ctrl-L ask their host; a message stays for a while. */
TEST_BETWEEN(asks_its_host, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_key(driven, KEY_CODE_HOME);
    assert_int_equal(driven_key(driven, 'y'), DASHBOARD_COPY);
    assert_string_equal(dashboard_copied(driven->dashboard), "/orders/election");
    assert_int_equal(driven_key(driven, 'D'), DASHBOARD_DUMP);
    assert_int_equal(driven_key(driven, 'L' & 0x1f), DASHBOARD_REDRAW);
    dashboard_say(driven->dashboard, ROLE_GOOD, "it is \x1b[31mdone");
    assert_true(driven_shows(driven, "it is \\x1b[31mdone"));
    stage_pass(driven->stage, 6 * 1000000);
    assert_false(driven_shows(driven, "done"));
}

/* Keys beyond any table, clicks anywhere, and random ones for a long time: nothing breaks. */
TEST_BETWEEN(survives_any_key, driven_begin, driven_end)
{
    struct driven *driven = *state;
    static const int codes[] = {KEY_CODE_UP,
                                KEY_CODE_DOWN,
                                KEY_CODE_ENTER,
                                KEY_CODE_ESCAPE,
                                KEY_CODE_CLICK,
                                KEY_CODE_DOUBLE_CLICK,
                                KEY_CODE_WHEEL_UP,
                                KEY_CODE_WHEEL_DOWN,
                                KEY_CODE_PAGE_DOWN,
                                KEY_CODE_END,
                                KEY_CODE_NONE,
                                '/',
                                's',
                                'r',
                                'e',
                                '?',
                                ' ',
                                'F',
                                'n',
                                'N',
                                'y',
                                'D',
                                'g',
                                'G',
                                'x',
                                -1,
                                0,
                                INT32_MAX,
                                KEY_CODE_BACKSPACE,
                                'o'};
    uint32_t random = 1;
    for (int i = 0; i < 4000; i++) {
        random = random * 1664525 + 1013904223;
        int code = codes[(random >> 16) % (sizeof(codes) / sizeof(*codes))];
        dashboard_key(driven->dashboard, code, (int)(random >> 8 & 127) - 2, (int)(random >> 20 & 63) - 2);
        if (i % 16 == 0)
            cells_resize(driven->cells, (int)(random >> 10 & 127), (int)(random >> 20 & 31));
        dashboard_draw(driven->dashboard, driven->cells);
    }
}

/* Below the least size one clear line; of no size nothing at all. */
TEST_BETWEEN(says_when_it_is_too_small, driven_begin, driven_end)
{
    struct driven *driven = *state;
    cells_resize(driven->cells, 39, 24);
    assert_true(driven_shows(driven, "electop needs 40x8, this is 39x24"));
    cells_resize(driven->cells, 120, 7);
    assert_true(driven_shows(driven, "electop needs 40x8, this is 120x7"));
    cells_resize(driven->cells, 12, 7);
    assert_true(driven_shows(driven, "needs 40x8"));
    cells_resize(driven->cells, 1, 1);
    dashboard_draw(driven->dashboard, driven->cells);
    cells_resize(driven->cells, 0, 0);
    dashboard_draw(driven->dashboard, driven->cells);
    cells_resize(driven->cells, 40, 8);
    assert_true(driven_shows(driven, "electop"));
}

/* Servers of two clusters on one host are told apart in the title. */
TEST(names_servers_of_one_host_apart)
{
    struct driven driven = driven_of(stage_new((const char *const[]){"blue", "green", NULL}), 120, 24);

    stage_connected(driven.stage, 0, "127.0.0.1:2181");
    stage_connected(driven.stage, 1, "127.0.0.1:2182");
    stage_server(driven.stage, 0, "127.0.0.1:2181", SERVER_STANDALONE, 500, NULL);
    stage_server(driven.stage, 1, "127.0.0.1:2182", SERVER_STANDALONE, 500, NULL);
    assert_true(driven_shows(&driven, "127.0.0.1:2181"));
    assert_true(driven_shows(&driven, "127.0.0.1:2182"));
    driven_release(&driven);
}

/* Where nobody takes our credentials the title says so, at length or in a word: no server is said to be ill.
 */
TEST(reports_a_refusal_from_an_illness)
{
    static const int widths[] = {120, 40};
    static const char *const words[] = {"authentication failed", "auth"};

    for (int i = 0; i < 2; i++) {
        struct driven driven =
            driven_of(stage_new((const char *const[]){"blue", "green", NULL}), widths[i], 24);
        stage_connected(driven.stage, 0, "zk1:2181");
        stage_server(driven.stage, 0, "zk1:2181", SERVER_STANDALONE, 500, NULL);
        stage_refused(driven.stage, 1, "authentication failed (scheme foo)");
        stage_server(driven.stage, 1, "zk2.example.com:2181", SERVER_STANDALONE, 500, NULL);
        assert_true(driven_shows(&driven, words[i]));
        assert_false(driven_shows(&driven, "0/1"));
        driven_release(&driven);
    }
}

/* A server that went with our own connection is silent for as long as that: one time is enough. One that went
   long before has its own. */
TEST(reports_one_silence_once)
{
    struct driven driven = driven_of(stage_new((const char *const[]){"", NULL}), 120, 24);

    stage_connected(driven.stage, 0, "zk1:2181");
    stage_server(driven.stage, 0, "zk2:2181", SERVER_FOLLOWER, 500, NULL);
    stage_pass(driven.stage, 60 * 1000000);
    stage_server(driven.stage, 0, "zk1:2181", SERVER_LEADER, 500, NULL);
    stage_server(driven.stage, 0, "zk2:2181", SERVER_UNKNOWN, -1, "connection refused");
    stage_pass(driven.stage, 1000000);
    stage_disconnected(driven.stage, 0, "connection lost");
    stage_server(driven.stage, 0, "zk1:2181", SERVER_UNKNOWN, -1, "no answer");
    stage_pass(driven.stage, 20 * 1000000);
    assert_true(driven_shows(&driven, "not connected 20s"));
    assert_true(driven_shows(&driven, "zk1 no answer   "));
    assert_true(driven_shows(&driven, "zk2 connection refused 1m21s"));
    driven_release(&driven);
}

/* C shows one cluster after the other, and then all again; findings and events know the same fields. */
TEST(shows_one_cluster)
{
    struct driven driven = driven_of(scene_clusters(), 120, 36);
    driven_key(&driven, 'C');
    assert_true(driven_shows(&driven, "filter cluster:prod"));
    assert_true(driven_shows(&driven, "2 of 4"));
    driven_key(&driven, 'C');
    assert_true(driven_shows(&driven, "filter cluster:staging"));
    assert_true(driven_shows(&driven, "1 of 4"));
    dashboard_tell(driven.dashboard, &driven.tells);
    driven_key(&driven, 'A'); /* prod has this path, too */
    assert_string_equal(driven.tells.all[0].cluster, "staging");
    tell_release(&driven.tells);
    driven_key(&driven, 'C');
    driven_key(&driven, 'C');
    assert_false(driven_shows(&driven, "filter cluster"));
    driven_type(&driven, "v/cluster:staging");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_false(driven_shows(&driven, "orders  "));
    assert_true(driven_shows(&driven, "staging"));
    driven_release(&driven);
}

/* A server that is connected and does not answer is shown as such, on every screen, and what it told as old.
 */
TEST(shows_silence)
{
    static const struct stand one = {"n_0000000001", 0x1, "host-a:1", 10};
    struct driven driven = driven_of(stage_of("/election", KIND_LEADER), 100, 30);
    stage_server(driven.stage, 0, "zk1:2181", SERVER_STANDALONE, 600, NULL);
    stage_children(driven.stage, 0, "/election", &one, 1, 2, 0);
    stage_pass(driven.stage, 5000000);
    assert_false(driven_shows(&driven, "no answer"));
    assert_true(driven_shows(&driven, "600us") || driven_shows(&driven, "0.60ms"));
    stage_silent(driven.stage, 0, 1200000);
    assert_true(driven_shows(&driven, "no answer 1.2s"));
    assert_false(driven_shows(&driven, "0.60ms"));
    assert_true(driven_shows(&driven, "stale"));
    assert_false(driven_shows(&driven, cells_sign(driven.cells, SIGN_OK)));
    driven_key(&driven, 'e');
    assert_true(driven_shows(&driven, "no answer 1.2s"));
    stage_connected(driven.stage, 0, "zk1:2181");
    stage_disconnected(driven.stage, 0, "connection refused");
    assert_false(driven_shows(&driven, "no answer 1.2s"));
    driven_release(&driven);
}

/* A path of others is copied as it is shown. */
TEST(copies_no_control_characters)
{
    struct driven driven = driven_of(scene_hostile(), 120, 36);
    driven_type(&driven, "/hostile");
    driven_key(&driven, KEY_CODE_ENTER);
    driven_key(&driven, KEY_CODE_HOME);
    driven_key(&driven, KEY_CODE_ENTER);
    for (int i = 0; i < 5; i++) {
        driven_key(&driven, KEY_CODE_DOWN);
        assert_int_equal(driven_key(&driven, 'y'), DASHBOARD_COPY);
        const char *text = dashboard_copied(driven.dashboard);
        for (const char *c = text; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
        assert_null(strstr(text, "\u202e"));
    }
    driven_release(&driven);
}

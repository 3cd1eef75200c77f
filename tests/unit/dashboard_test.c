/* The dashboard without a terminal: what keys do to the stack of views, the filter line, pause,
   and drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/drawn.h"
#include "tests/support/fake_bench.h"
#include "tests/support/scenes.h"
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/tell.h"
#include "tui/screen/key_bindings.h"
#include "tui/views/event_lines.h"
#include "tui/views/view.h"
#include "tui/words/mutes.h"

struct fixture {
    struct stage *stage;
    struct dashboard *dashboard;
    struct cells *cells;
    struct tells tells;
};

static int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    fixture->stage = scene_usual();
    fixture->dashboard = dashboard_new(stage_settings(fixture->stage), stage_model(fixture->stage),
                                       stage_events(fixture->stage), stage_clock, fixture->stage);
    fixture->cells = cells_new(120, 60);
    dashboard_tell(fixture->dashboard, &fixture->tells);
    *state = fixture;
    return fixture->dashboard && fixture->cells ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    dashboard_free(fixture->dashboard);
    tell_release(&fixture->tells);
    cells_free(fixture->cells);
    stage_free(fixture->stage);
    free(fixture);
    return 0;
}

static enum dashboard_wish key(struct fixture *fixture, int code)
{
    dashboard_draw(fixture->dashboard, fixture->cells);
    return dashboard_key(fixture->dashboard, code, -1, -1);
}

static void type(struct fixture *fixture, const char *text)
{
    for (; *text; text++)
        key(fixture, (unsigned char)*text);
}

static bool shows(struct fixture *fixture, const char *text)
{
    dashboard_draw(fixture->dashboard, fixture->cells);
    return drawn_has(fixture->cells, text);
}

/* Enter opens, Esc goes back level by level and no further than the first; q quits from anywhere. */
static void goes_in_and_back(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "/10.0.3.17");
    key(fixture, KEY_CODE_ENTER);
    key(fixture, KEY_CODE_HOME);
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "0x200002a4d0a0004"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "czxid"));
    assert_int_equal(key(fixture, KEY_CODE_ESCAPE), DASHBOARD_NOTHING);
    assert_false(shows(fixture, "czxid"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "filter 10.0.3.17"));
    key(fixture, KEY_CODE_ESCAPE); /* the filter goes first */
    assert_true(shows(fixture, "nightly-job"));
    assert_int_equal(key(fixture, KEY_CODE_ESCAPE), DASHBOARD_NOTHING);
    assert_true(shows(fixture, "nightly-job"));
    assert_int_equal(key(fixture, 'q'), DASHBOARD_QUIT);
}

/* Help and events lie on top of any view, once each, and leave as they came. */
static void opens_help_and_events(void **state)
{
    struct fixture *fixture = *state;
    key(fixture, '?');
    assert_true(shows(fixture, "Ctrl-L"));
    key(fixture, '?');
    assert_false(shows(fixture, "Ctrl-L"));
    key(fixture, KEY_CODE_F1);
    assert_true(shows(fixture, "Ctrl-L"));
    key(fixture, KEY_CODE_ESCAPE);
    for (int i = 0; i < 100; i++)
        key(fixture, 'v');
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "nightly-job") && shows(fixture, "worst first"));
}

/* While a filter is typed letters are letters; Backspace takes a whole character; Ctrl-U all;
   it is bounded. */
static void edits_the_filter(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "/qq");
    assert_int_equal(key(fixture, 'q'), DASHBOARD_NOTHING);
    assert_true(shows(fixture, "/qqq"));
    key(fixture, 0x6f22);
    assert_true(shows(fixture, "/qqq漢"));
    key(fixture, KEY_CODE_BACKSPACE);
    key(fixture, KEY_CODE_BACKSPACE);
    assert_true(shows(fixture, "/qq "));
    key(fixture, 21);
    assert_true(shows(fixture, "/ "));
    key(fixture, KEY_CODE_BACKSPACE); /* nothing left to take */
    for (int i = 0; i < 500; i++)
        key(fixture, 0x6f22);
    dashboard_draw(fixture->dashboard, fixture->cells);
    assert_true(fixture->cells->cursor_x > 0 && fixture->cells->cursor_x < 120);
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "nightly-job"));
    assert_int_equal(fixture->cells->cursor_x, -1);
}

/* A screen that opens over a line that is being typed ends it:
   what is typed next is not for the one below. */
static void ends_typing_with_a_new_screen(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "/ni");
    key(fixture, KEY_CODE_F1);
    type(fixture, "x");
    key(fixture, KEY_CODE_ESCAPE);
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "filter ni"));
    assert_int_equal(key(fixture, 'q'), DASHBOARD_QUIT);
}

/* Paused, the picture stands still while the model goes on; the title says so and for how long. */
static void holds_the_snapshot(void **state)
{
    struct fixture *fixture = *state;
    key(fixture, ' ');
    stage_pass(fixture->stage, 65 * 1000000);
    stage_disconnected(fixture->stage, 0, "no quorum");
    assert_true(shows(fixture, "PAUSED 1m05s"));
    assert_false(shows(fixture, "no quorum"));
    assert_true(shows(fixture, "14:04:27")); /* the clock goes on */
    key(fixture, ' ');
    assert_false(shows(fixture, "PAUSED"));
    assert_true(shows(fixture, "no quorum"));
}

/* What was drawn is stale when the model, the second or a key changed something, and else it is not. */
static void knows_when_to_draw(void **state)
{
    struct fixture *fixture = *state;
    assert_true(dashboard_is_stale(fixture->dashboard));
    dashboard_draw(fixture->dashboard, fixture->cells);
    assert_false(dashboard_is_stale(fixture->dashboard));
    stage_pass(fixture->stage, 1000);
    assert_false(dashboard_is_stale(fixture->dashboard));
    stage_disconnected(fixture->stage, 0, "no quorum");
    assert_true(dashboard_is_stale(fixture->dashboard));
    dashboard_draw(fixture->dashboard, fixture->cells);
    key(fixture, KEY_CODE_DOWN);
    assert_true(dashboard_is_stale(fixture->dashboard));
    dashboard_draw(fixture->dashboard, fixture->cells);
    stage_pass(fixture->stage, 1000000);
    assert_true(dashboard_is_stale(fixture->dashboard));
}

/* y gives the path of what is selected; D and Ctrl-L ask their host; a message stays for a while. */
static void asks_its_host(void **state)
{
    struct fixture *fixture = *state;
    key(fixture, KEY_CODE_HOME);
    assert_int_equal(key(fixture, 'y'), DASHBOARD_COPY);
    assert_string_equal(dashboard_copied(fixture->dashboard), "/orders/election");
    assert_int_equal(key(fixture, 'D'), DASHBOARD_DUMP);
    assert_int_equal(key(fixture, 'L' & 0x1f), DASHBOARD_REDRAW);
    dashboard_say(fixture->dashboard, ROLE_GOOD, "it is \x1b[31mdone");
    assert_true(shows(fixture, "it is \\x1b[31mdone"));
    stage_pass(fixture->stage, 6 * 1000000);
    assert_false(shows(fixture, "done"));
}

/* Keys beyond any table, clicks anywhere, and random ones for a long time: nothing breaks. */
static void survives_any_key(void **state)
{
    struct fixture *fixture = *state;
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
        dashboard_key(fixture->dashboard, code, (int)(random >> 8 & 127) - 2, (int)(random >> 20 & 63) - 2);
        if (i % 16 == 0)
            cells_resize(fixture->cells, (int)(random >> 10 & 127), (int)(random >> 20 & 31));
        dashboard_draw(fixture->dashboard, fixture->cells);
    }
}

/* Clicks the beginning of a text in a row; -1: the row does not have it. */
static int click(struct fixture *fixture, int y, const char *text)
{
    dashboard_draw(fixture->dashboard, fixture->cells);
    for (int x = 0; x < fixture->cells->width; x++) {
        const struct cell *at = &fixture->cells->at[(size_t)y * (size_t)fixture->cells->width + (size_t)x];
        size_t same = 0;
        while (text[same] && x + (int)same < fixture->cells->width && at[same].text[0] == text[same])
            same++;
        if (!text[same])
            return (int)dashboard_key(fixture->dashboard, KEY_CODE_CLICK, x, y);
    }
    return -1;
}

/* A click on a key in the last line, or on its word, presses it. One beside the keys does nothing, nor does
   one where a key stood before a line was typed there. */
static void presses_the_key_that_is_clicked(void **state)
{
    struct fixture *fixture = *state;
    int last = fixture->cells->height - 1;
    assert_int_equal(click(fixture, last, "help"), DASHBOARD_NOTHING);
    assert_true(shows(fixture, "KEYS HERE"));
    click(fixture, last, "Esc");
    assert_false(shows(fixture, "KEYS HERE"));
    click(fixture, last, "sort");
    assert_true(shows(fixture, "by name"));
    assert_int_equal(dashboard_key(fixture->dashboard, KEY_CODE_CLICK, fixture->cells->width - 1, last),
                     DASHBOARD_NOTHING);
    assert_int_equal(dashboard_key(fixture->dashboard, KEY_CODE_CLICK, 4, last - 1), DASHBOARD_NOTHING);
    click(fixture, last, "/ filter");
    dashboard_draw(fixture->dashboard, fixture->cells);
    dashboard_key(fixture->dashboard, KEY_CODE_CLICK, 20, last);
    assert_true(shows(fixture, "by name"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_int_equal(click(fixture, last, "quit"), DASHBOARD_QUIT);
}

static int row_of(const struct fixture *fixture, const char *text)
{
    char *all = drawn_text(fixture->cells), *at = strstr(all, text);
    int y = 0;
    assert_non_null(at);
    for (const char *c = all; c < at; c++)
        y += *c == '\n';
    free(all);
    return y;
}

/* A line that appears above just before a click does not make it hit another row; later it is where it is. */
static void hits_what_was_there_just_before(void **state)
{
    struct fixture *fixture = *state;
    char path[64];
    key(fixture, KEY_CODE_HOME);
    stage_until(fixture->stage, 15, 0, 0, 0);
    dashboard_draw(fixture->dashboard, fixture->cells);
    int y = row_of(fixture, "nightly-job");
    stage_watch(fixture->stage, 0, "/aaa", NULL, KIND_LEADER, NULL);
    stage_children(fixture->stage, 0, "/aaa", NULL, 0, 0, 0); /* vacant: it is the first */
    dashboard_draw(fixture->dashboard, fixture->cells);
    assert_true(row_of(fixture, "nightly-job") != y);
    dashboard_key(fixture->dashboard, KEY_CODE_CLICK, 10, y);
    key(fixture, 'y');
    snprintf(path, sizeof path, "%s", dashboard_copied(fixture->dashboard));
    assert_non_null(strstr(path, "nightly-job"));
    stage_until(fixture->stage, 15, 0, 0, 400);
    dashboard_draw(fixture->dashboard, fixture->cells);
    dashboard_key(fixture->dashboard, KEY_CODE_CLICK, 10, y);
    key(fixture, 'y');
    assert_string_not_equal(dashboard_copied(fixture->dashboard), path);
}

/* A click on a heading of the overview sorts by its column, a second one turns that round. */
static void sorts_by_the_heading_that_is_clicked(void **state)
{
    struct fixture *fixture = *state;
    int heading = 0;
    dashboard_draw(fixture->dashboard, fixture->cells);
    while (click(fixture, heading, "CAND") < 0)
        heading++;
    assert_true(shows(fixture, "most candidates first"));
    assert_true(shows(fixture, "CAND▾"));
    click(fixture, heading, "CAND");
    assert_true(shows(fixture, "CAND▴"));
    assert_true(shows(fixture, "fewest candidates first"));
    click(fixture, heading, "ELECTION");
    assert_true(shows(fixture, "by name"));
    assert_false(shows(fixture, "descending"));
    click(fixture, heading, "NEXT");
    assert_true(shows(fixture, "worst next failover first"));
    click(fixture, heading, "FINDING");
    assert_true(shows(fixture, "worst finding first"));
}

/* Below the least size one clear line; of no size nothing at all. */
static void says_when_it_is_too_small(void **state)
{
    struct fixture *fixture = *state;
    cells_resize(fixture->cells, 39, 24);
    assert_true(shows(fixture, "electop needs 40x8, this is 39x24"));
    cells_resize(fixture->cells, 120, 7);
    assert_true(shows(fixture, "electop needs 40x8, this is 120x7"));
    cells_resize(fixture->cells, 12, 7);
    assert_true(shows(fixture, "needs 40x8"));
    cells_resize(fixture->cells, 1, 1);
    dashboard_draw(fixture->dashboard, fixture->cells);
    cells_resize(fixture->cells, 0, 0);
    dashboard_draw(fixture->dashboard, fixture->cells);
    cells_resize(fixture->cells, 40, 8);
    assert_true(shows(fixture, "electop"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Servers of two clusters on one host are told apart in the title. */
static void names_servers_of_one_host_apart(void **state)
{
    struct fixture fixture = {.stage = stage_new((const char *const[]){"blue", "green", NULL}),
                              .cells = cells_new(120, 24)};

    (void)state;
    stage_connected(fixture.stage, 0, "127.0.0.1:2181");
    stage_connected(fixture.stage, 1, "127.0.0.1:2182");
    stage_server(fixture.stage, 0, "127.0.0.1:2181", SERVER_STANDALONE, 500, NULL);
    stage_server(fixture.stage, 1, "127.0.0.1:2182", SERVER_STANDALONE, 500, NULL);
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    assert_true(shows(&fixture, "127.0.0.1:2181"));
    assert_true(shows(&fixture, "127.0.0.1:2182"));
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* Where nobody takes our credentials the title says so, at length or in a word: no server is said to be ill.
 */
static void reports_a_refusal_from_an_illness(void **state)
{
    static const int widths[] = {120, 40};
    static const char *const words[] = {"authentication failed", "auth"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture fixture = {.stage = stage_new((const char *const[]){"blue", "green", NULL}),
                                  .cells = cells_new(widths[i], 24)};
        stage_connected(fixture.stage, 0, "zk1:2181");
        stage_server(fixture.stage, 0, "zk1:2181", SERVER_STANDALONE, 500, NULL);
        stage_refused(fixture.stage, 1, "authentication failed (scheme foo)");
        stage_server(fixture.stage, 1, "zk2.example.com:2181", SERVER_STANDALONE, 500, NULL);
        fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                          stage_events(fixture.stage), stage_clock, fixture.stage);
        assert_true(shows(&fixture, words[i]));
        assert_false(shows(&fixture, "0/1"));
        dashboard_free(fixture.dashboard);
        cells_free(fixture.cells);
        stage_free(fixture.stage);
    }
}

/* A server that went with our own connection is silent for as long as that: one time is enough. One that went
   long before has its own. */
static void reports_one_silence_once(void **state)
{
    struct fixture fixture = {.stage = stage_new((const char *const[]){"", NULL}),
                              .cells = cells_new(120, 24)};

    (void)state;
    stage_connected(fixture.stage, 0, "zk1:2181");
    stage_server(fixture.stage, 0, "zk2:2181", SERVER_FOLLOWER, 500, NULL);
    stage_pass(fixture.stage, 60 * 1000000);
    stage_server(fixture.stage, 0, "zk1:2181", SERVER_LEADER, 500, NULL);
    stage_server(fixture.stage, 0, "zk2:2181", SERVER_UNKNOWN, -1, "connection refused");
    stage_pass(fixture.stage, 1000000);
    stage_disconnected(fixture.stage, 0, "connection lost");
    stage_server(fixture.stage, 0, "zk1:2181", SERVER_UNKNOWN, -1, "no answer");
    stage_pass(fixture.stage, 20 * 1000000);
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    assert_true(shows(&fixture, "not connected 20s"));
    assert_true(shows(&fixture, "zk1 no answer   "));
    assert_true(shows(&fixture, "zk2 connection refused 1m21s"));
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* What is only believed is cleared by c, pressed twice on it; on anything else c says why it does not. */
static void clears_a_finding(void **state)
{
    static const struct stand left[] = {{"n_0000000047", 0x200002a4d0a0004, "10.0.3.20:58122", 0},
                                        {"n_0000000048", 0x200002a4d0a0005, "10.0.3.21:40100", 0}};
    struct fixture fixture = {.stage = scene_chain(), .cells = cells_new(120, 60)};

    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_NOTHING);
    assert_false(shows(&fixture, "never-wakes"));
    key(&fixture, 'f');
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_NOTHING);
    assert_true(shows(&fixture, "only never-wakes can be cleared here"));
    stage_children(fixture.stage, 0, "/election", left, 2, 0, 0);
    key(&fixture, KEY_CODE_HOME);
    assert_true(shows(&fixture, "clear this"));
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_NOTHING);
    assert_true(shows(&fixture, "press c again"));
    stage_pass(fixture.stage, 6000000);
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_NOTHING); /* too late: asked anew */
    key(&fixture, KEY_CODE_DOWN);
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_NOTHING); /* another one is selected now */
    key(&fixture, KEY_CODE_UP);
    assert_int_equal(key(&fixture, 'c'), DASHBOARD_CLEAR);
    assert_string_equal(dashboard_cleared(fixture.dashboard)->cluster, "prod");
    assert_string_equal(dashboard_cleared(fixture.dashboard)->election, "/election");
    assert_string_equal(dashboard_cleared(fixture.dashboard)->candidate, "n_0000000047");
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* Three keys from "something is wrong" to a ticket: the finding, its evidence and advice, with nothing in it
   that a terminal would act on. */
static void copies_a_finding(void **state)
{
    struct fixture fixture = {.stage = scene_chain(), .cells = cells_new(120, 36)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    dashboard_draw(fixture.dashboard, fixture.cells);
    assert_int_equal(key(&fixture, 'Y'), DASHBOARD_COPY);
    const char *text = dashboard_copied(fixture.dashboard);
    assert_memory_equal(text, "no-watch: error", strlen("no-watch: error"));
    assert_non_null(strstr(text, "\nelection: /election\n"));
    assert_non_null(strstr(text, "\nevidence: session 0x200002a4d0a0004"));
    assert_non_null(strstr(text, "\nadvice: "));
    assert_string_equal(dashboard_copied_what(fixture.dashboard), "no-watch with its evidence and advice");
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

static struct event muted;
static char muted_note[64];

static void on_mute(void *context, const struct event *event)
{
    (void)context;
    muted = *event;
    snprintf(muted_note, sizeof muted_note, "%s", event->detail);
}

/* A person mutes a finding for a time, with a note; what is worse than what was muted is shown all the same,
   and the mute ends by itself, or by hand. */
static void mutes_a_finding(void **state)
{
    struct fixture fixture = {.stage = scene_chain(), .cells = cells_new(120, 36)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    key(&fixture, 'm');
    assert_true(shows(&fixture, "this is a replay"));
    dashboard_record_mutes(fixture.dashboard, "ann", on_mute, NULL);
    type(&fixture, "fm");
    assert_true(shows(&fixture, "mute for"));
    type(&fixture, "soon");
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "enter 30m, 2h, 08:00"));
    for (int i = 0; i < 4; i++)
        key(&fixture, KEY_CODE_BACKSPACE);
    type(&fixture, "2h known, OPS-12");
    key(&fixture, KEY_CODE_ENTER);
    assert_int_equal(muted.kind, EVENT_FINDING_MUTED);
    assert_int_equal(muted.after_us, INT64_C(7200000000));
    assert_string_equal(muted.identity, "ann");
    assert_string_equal(muted_note, "known, OPS-12");
    assert_true(shows(&fixture, "1 muted"));
    /* It moved to the end, and is still selected. */
    assert_true(shows(&fixture, "by ann: known, OPS-12"));
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "  muted"));
    key(&fixture, KEY_CODE_ESCAPE);
    /* Never a worse one. */
    const struct election *election = model_election(stage_model(fixture.stage), 0, "/election");
    struct finding worse = *election->findings[0];
    assert_non_null(mutes_of(election, &worse, stage_now(fixture.stage)));
    worse.severity = SEVERITY_CRITICAL;
    assert_null(mutes_of(election, &worse, stage_now(fixture.stage)));
    /* By hand. */
    type(&fixture, "m0");
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "is no longer muted"));
    assert_false(shows(&fixture, "1 muted"));
    /* By itself. */
    type(&fixture, "m2h");
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "1 muted"));
    stage_pass(fixture.stage, INT64_C(7200000000));
    assert_false(shows(&fixture, "1 muted"));
    /* Until a time of the day: it is 16:03 by now. */
    type(&fixture, "m18:30 release");
    key(&fixture, KEY_CODE_ENTER);
    assert_in_range(muted.after_us, INT64_C(8700000000), INT64_C(8820000000));
    assert_string_equal(muted_note, "release");
    assert_true(shows(&fixture, "until 18:30"));
    type(&fixture, "m08:00");
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "until Nov 21 08:00"));
    type(&fixture, "mtomorrow 18:30 release");
    key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "until Nov 21 18:30"));
    assert_string_equal(muted_note, "release");
    mutes_forget();
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* C shows one cluster after the other, and then all again; findings and events know the same fields. */
static void shows_one_cluster(void **state)
{
    struct fixture fixture = {.stage = scene_clusters(), .cells = cells_new(120, 36)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    key(&fixture, 'C');
    assert_true(shows(&fixture, "filter cluster:prod"));
    assert_true(shows(&fixture, "2 of 4"));
    key(&fixture, 'C');
    assert_true(shows(&fixture, "filter cluster:staging"));
    assert_true(shows(&fixture, "1 of 4"));
    dashboard_tell(fixture.dashboard, &fixture.tells);
    key(&fixture, 'A'); /* prod has this path, too */
    assert_string_equal(fixture.tells.all[0].cluster, "staging");
    tell_release(&fixture.tells);
    key(&fixture, 'C');
    key(&fixture, 'C');
    assert_false(shows(&fixture, "filter cluster"));
    type(&fixture, "v/cluster:staging");
    key(&fixture, KEY_CODE_ENTER);
    assert_false(shows(&fixture, "orders  "));
    assert_true(shows(&fixture, "staging"));
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* A server that is connected and does not answer is shown as such, on every screen, and what it told as old.
 */
static void shows_silence(void **state)
{
    static const struct stand one = {"n_0000000001", 0x1, "host-a:1", 10};
    struct fixture fixture = {.stage = stage_of("/election", KIND_LEADER), .cells = cells_new(100, 30)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    stage_server(fixture.stage, 0, "zk1:2181", SERVER_STANDALONE, 600, NULL);
    stage_children(fixture.stage, 0, "/election", &one, 1, 2, 0);
    stage_pass(fixture.stage, 5000000);
    assert_false(shows(&fixture, "no answer"));
    assert_true(shows(&fixture, "600us") || shows(&fixture, "0.60ms"));
    stage_silent(fixture.stage, 0, 1200000);
    assert_true(shows(&fixture, "no answer 1.2s"));
    assert_false(shows(&fixture, "0.60ms"));
    assert_true(shows(&fixture, "stale"));
    assert_false(shows(&fixture, cells_sign(fixture.cells, SIGN_OK)));
    key(&fixture, 'e');
    assert_true(shows(&fixture, "no answer 1.2s"));
    stage_connected(fixture.stage, 0, "zk1:2181");
    stage_disconnected(fixture.stage, 0, "connection refused");
    assert_false(shows(&fixture, "no answer 1.2s"));
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* A path of others is copied as it is shown. */
static void copies_no_control_characters(void **state)
{
    struct fixture fixture = {.stage = scene_hostile(), .cells = cells_new(120, 36)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    type(&fixture, "/hostile");
    key(&fixture, KEY_CODE_ENTER);
    key(&fixture, KEY_CODE_HOME);
    key(&fixture, KEY_CODE_ENTER);
    for (int i = 0; i < 5; i++) {
        key(&fixture, KEY_CODE_DOWN);
        assert_int_equal(key(&fixture, 'y'), DASHBOARD_COPY);
        const char *text = dashboard_copied(fixture.dashboard);
        for (const char *c = text; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
        assert_null(strstr(text, "\u202e"));
    }
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* : goes to an election by a few letters, to a screen by its name; what leads nowhere stays to be corrected.
 */
static void jumps(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, ":coor");
    key(fixture, '\t');
    assert_true(shows(fixture, "jump to druid/coordinator"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "/druid/coordinator"));
    type(fixture, ":findings");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "CERTAINTY") && shows(fixture, "Esc back to election"));
    type(fixture, ":zzzz");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "no such election, action or time"));
    assert_true(shows(fixture, "jump to zzzz"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, ":overview");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "worst first"));
    assert_true(shows(fixture, "▸ ● druid/coordinator")); /* where one was */
}

/* Every action of the key table can be named: it does what its key does, and where it does nothing, that is said.
   Of a description the letters are only completed. */
static void names_actions(void **state)
{
    struct fixture *fixture = *state;
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        type(fixture, ":");
        type(fixture, bindings[i].name);
        key(fixture, '\t');
        char line[80];
        snprintf(line, sizeof line, "jump to %s", bindings[i].name);
        if (!shows(fixture, line))
            fail_msg("Tab does not offer \"%s\"", bindings[i].name);
        key(fixture, KEY_CODE_ESCAPE);
    }
    type(fixture, ":sort by na");
    assert_true(shows(fixture, "sort by name"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "by name"));
    type(fixture, ":kil");
    assert_true(shows(fixture, "does nothing on this screen"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "on this screen, \"kill\" does nothing"));
    type(fixture, ":filt");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "Enter keeps"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, ":freeze");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "jump to pause") && !shows(fixture, "PAUSED"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "PAUSED"));
    type(fixture, ":quit");
    assert_int_equal(dashboard_key(fixture->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_QUIT);
}

/* A key of the configuration does what it is for, the default one nothing more; help, the footer and sentences show
   it. */
static void has_other_keys(void **state)
{
    struct fixture *fixture = *state;
    static char words[][10] = {"findings", "F9 z", "quit", "Z", "hang", "q", "back", "J"};
    char *pairs[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], NULL};
    struct settings settings = *stage_settings(fixture->stage);
    settings.keys = pairs;
    dashboard_free(fixture->dashboard);
    fixture->dashboard = dashboard_new(&settings, stage_model(fixture->stage), stage_events(fixture->stage),
                                       stage_clock, fixture->stage);
    assert_true(shows(fixture, "F9 findings") && shows(fixture, "Z quit"));
    key(fixture, 'f');
    assert_false(shows(fixture, "CERTAINTY"));
    key(fixture, 'z');
    assert_true(shows(fixture, "CERTAINTY"));
    type(fixture, "/zzz");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "J shows all again"));
    type(fixture, "J");
    assert_int_equal(key(fixture, 'q'), DASHBOARD_NOTHING);
    cells_resize(fixture->cells, 120, 150);
    key(fixture, '?');
    assert_true(shows(fixture, "F9 z "));
    assert_int_equal(key(fixture, 'Z'), DASHBOARD_QUIT);
    key_bindings_configure(NULL);
}

/* One election's next change is told, once, in plain ASCII; a change of another is not; asked for again, none is. */
static void tells_a_change(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "/druid");
    key(fixture, KEY_CODE_ENTER);
    key(fixture, KEY_CODE_HOME);
    type(fixture, "A");
    assert_true(shows(fixture, "you will be told once about the next change of druid/coordinator"));
    assert_null(dashboard_told(fixture->dashboard));
    stage_children(fixture->stage, 0, "/election", NULL, 0, 0, 0);
    assert_null(dashboard_told(fixture->dashboard));
    stage_children(fixture->stage, 0, "/druid/coordinator/_COORDINATOR", NULL, 0, 0, 0);
    const char *told = dashboard_told(fixture->dashboard);
    assert_non_null(told);
    assert_string_equal(told, "druid/coordinator: vacant");
    assert_true(shows(fixture, "druid/coordinator: vacant"));
    assert_null(dashboard_told(fixture->dashboard));
    type(fixture, "AA");
    assert_true(shows(fixture, "no longer waiting for a change of druid/coordinator"));
}

/* A marked moment is compared with the one that is shown, which goes on; the screen is about nothing else. */
static void compares_two_moments(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "M");
    assert_true(shows(fixture, "this moment is marked: at another one, M lists what differs"));
    type(fixture, "M");
    assert_true(shows(fixture, "Nothing differs"));
    const struct stand again = {"controller", 0x77, "{\"version\":1,\"brokerid\":2}", 0};
    stage_node(fixture->stage, 0, "/kafka/controller", "/kafka/controller", &again); /* the same broker */
    assert_true(shows(fixture, "~ leader         "));
    assert_true(shows(fixture, "session 0x100002a4d0a0051"));
    assert_true(shows(fixture, "session 0x77"));
    assert_true(shows(fixture, "- candidate      controller"));
    stage_children(fixture->stage, 0, "/druid/coordinator/_COORDINATOR", NULL, 0, 0, 0);
    assert_true(shows(fixture, "what changed from"));
    assert_true(shows(fixture, "druid/coordinator"));
    assert_true(shows(fixture, "~ state          led → vacant"));
    assert_true(shows(fixture, "- candidate      "));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "vacant"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "what changed from"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, "M");
    assert_true(shows(fixture, "this moment is marked"));
}

/* The beginning of a screen's name is enough; Tab goes on to the next match; where several match as well, the
   first one says so. */
static void jumps_by_a_beginning(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, ":ev");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "latest first"));
    type(fixture, ":fin\t");
    assert_true(shows(fixture, "jump to findings"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, ":/election\t");
    assert_true(shows(fixture, "jump to /election"));
    type(fixture, "\t");
    assert_true(shows(fixture, "jump to /secret/election"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, ":ders");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "orders") && !shows(fixture, "the first of"));
    assert_true(shows(fixture, "Esc back to events"));
    type(fixture, ":or");
    key(fixture, KEY_CODE_ENTER);
    type(fixture, ":e");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "the first of 2 with \"e\"; after : Tab shows the next"));
}

/* A minute in the list of events: / shows what happened in it, : goes to what happened first from it on. */
static void finds_a_minute(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "v/14:01");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "3 events") && shows(fixture, "14:01:02.500  app") &&
                !shows(fixture, "14:03:15"));
    key(fixture, KEY_CODE_ESCAPE);
    type(fixture, ":13:20");
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "▸ 13:20:00.000  druid/coordinator"));
    assert_true(shows(fixture, "held"));
}

static void draw_election(struct fixture *fixture, int width, const char *from, const char *to)
{
    char cluster[] = "prod", path[] = "/e", none[] = "", detail[] = "expired, 2.3 – 3.7s";
    char old[80], new[80];
    struct scene scene = {.model = stage_model(fixture->stage), .now = stage_now(fixture->stage)};
    struct event_line line = {.at = scene.now,
                              .kind = EVENT_LEADER_ELECTED,
                              .label = "leader elected",
                              .cluster = cluster,
                              .path = path,
                              .where = path,
                              .from = old,
                              .subject = new,
                              .within = none,
                              .detail = detail};
    snprintf(old, sizeof old, "%s", from);
    snprintf(new, sizeof new, "%s", to);
    cells_clear(fixture->cells);
    event_line_draw(fixture->cells, 0, 0, width, &scene, &line, 0, NULL);
}

/* A narrow event still names both leaders, and a candidate by what its name says of who that is. */
static void names_both_leaders(void **state)
{
    struct fixture *fixture = *state;
    draw_election(fixture, 80, "broker 2", "broker 1");
    assert_true(drawn_has(fixture->cells, "broker 2 → broker 1  expired, 2.3 – 3.7s"));
    draw_election(fixture, 70, "coordinator-b.example:8081", "coordinator-c.example:8081");
    assert_true(drawn_has(fixture->cells, "coordinator-b…8081 → coordinator-c…8081"));
    draw_election(fixture, 80, "_c_2f293951-e907-42f0-b21b-7a3a1bd0b1f0-latch-0000000000",
                  "_c_3c89c750-f6bf-4387-acc4-ea79ed971681-latch-0000000001");
    assert_true(drawn_has(fixture->cells, "latch-…0 → latch-…1"));
    fixture->cells->ascii = true;
    draw_election(fixture, 80, "broker 2", "broker 1");
    assert_true(drawn_has(fixture->cells, "broker 2 -> broker 1  expired, 2.3 - 3.7s"));
}

/* A screen without findings is copied as its text, all of it, however few rows the terminal has. */
static void copies_the_text_of_a_screen(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "?");
    dashboard_draw(fixture->dashboard, fixture->cells);
    assert_int_equal(dashboard_key(fixture->dashboard, 'Y', -1, -1), DASHBOARD_COPY);
    assert_string_equal(dashboard_copied_what(fixture->dashboard), "the text of this screen");
    assert_non_null(strstr(dashboard_copied(fixture->dashboard), "KEYS HERE"));
    assert_non_null(strstr(dashboard_copied(fixture->dashboard), "MOUSE"));
    type(fixture, "?/zzz");
    key(fixture, KEY_CODE_ENTER);
    assert_int_equal(key(fixture, 'Y'), DASHBOARD_COPY); /* no finding is selected */
    assert_non_null(strstr(dashboard_copied(fixture->dashboard), "Nothing matches \"zzz\""));
}

/* Behind a / where nothing is filtered, no letter is a key: q would end the program. */
static void letters_behind_a_slash_are_no_keys(void **state)
{
    struct fixture *fixture = *state;
    type(fixture, "?/qfe");
    assert_true(shows(fixture, "this screen has no filter"));
    assert_true(shows(fixture, "KEYS"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "KEYS"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_false(shows(fixture, "KEYS"));
}

/* ! shows what has a problem; fields of a filter are those of the screen. */
static void filters_by_fields(void **state)
{
    struct fixture *fixture = *state;
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
        type(fixture, "/");
        type(fixture, rows[i].filter);
        key(fixture, KEY_CODE_ENTER);
        assert_true(shows(fixture, rows[i].shown));
        if (shows(fixture, rows[i].hidden))
            fail_msg("%s: %s", rows[i].filter, rows[i].hidden);
        key(fixture, KEY_CODE_ESCAPE);
    }
    key(fixture, '!');
    assert_true(shows(fixture, "problems only"));
    assert_false(shows(fixture, "● druid"));
    key(fixture, '!');
    assert_true(shows(fixture, "● druid"));
}

/* F2: a column goes and comes again, the rest keeps its order, and each choice is said for the next time. */
static void chooses_columns(void **state)
{
    struct fixture *fixture = *state;
    assert_true(shows(fixture, "LEADER"));
    key(fixture, KEY_CODE_F2);
    assert_true(shows(fixture, "[x] leader"));
    for (int i = 0; i < 3; i++) /* cluster, election, state, leader */
        key(fixture, KEY_CODE_DOWN);
    dashboard_draw(fixture->dashboard, fixture->cells);
    assert_int_equal(dashboard_key(fixture->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_KEEP_COLUMNS);
    assert_string_equal(dashboard_columns(fixture->dashboard),
                        "cluster,election,state,cand,since,strip,changes,last,p50,next,finding");
    assert_true(shows(fixture, "[ ] leader"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_false(shows(fixture, "[ ]"));
    assert_false(shows(fixture, "LEADER"));
    key(fixture, KEY_CODE_F2);
    dashboard_key(fixture->dashboard, KEY_CODE_ENTER, -1, -1);
    key(fixture, KEY_CODE_F2);
    assert_true(shows(fixture, "LEADER"));
    key(fixture, KEY_CODE_F2); /* the election's own cannot go */
    key(fixture, KEY_CODE_HOME);
    key(fixture, KEY_CODE_DOWN);
    assert_int_equal(dashboard_key(fixture->dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_NOTHING);
    assert_true(shows(fixture, "[x] election"));
}

/* The elections of one host: its filter is one like any other, the order and the columns are those of the first
   screen, and a choice of columns holds in both. */
static void lists_a_host(void **state)
{
    struct fixture fixture = {.stage = scene_pods(), .cells = cells_new(120, 36)};
    (void)state;
    fixture.dashboard = dashboard_new(stage_settings(fixture.stage), stage_model(fixture.stage),
                                      stage_events(fixture.stage), stage_clock, fixture.stage);
    dashboard_arrange(fixture.dashboard, "candidates", "election,leader,cand");
    type(&fixture, "/payments");
    key(&fixture, KEY_CODE_ENTER);
    key(&fixture, KEY_CODE_HOME);
    for (int i = 0; i < 3; i++)
        key(&fixture, KEY_CODE_ENTER);
    assert_true(shows(&fixture, "elections of host 10.42.0.19"));
    assert_true(shows(&fixture, "filter client:10.42.0.19"));
    assert_true(shows(&fixture, "CAND▾"));
    assert_false(shows(&fixture, "STATE"));
    key(&fixture, KEY_CODE_F2);
    key(&fixture, KEY_CODE_DOWN);
    key(&fixture, KEY_CODE_DOWN);
    dashboard_draw(fixture.dashboard, fixture.cells);
    assert_int_equal(dashboard_key(fixture.dashboard, KEY_CODE_ENTER, -1, -1), DASHBOARD_KEEP_COLUMNS);
    assert_string_equal(dashboard_columns(fixture.dashboard), "election,state,leader,cand");
    key(&fixture, KEY_CODE_F2);
    key(&fixture, '/');
    assert_true(shows(&fixture, "/client:10.42.0.19"));
    key(&fixture, KEY_CODE_ESCAPE);
    assert_true(shows(&fixture, "all elections"));
    assert_false(shows(&fixture, "elections of host"));
    for (int i = 0; i < 4; i++)
        key(&fixture, KEY_CODE_ESCAPE);
    assert_true(shows(&fixture, "STATE"));
    dashboard_free(fixture.dashboard);
    cells_free(fixture.cells);
    stage_free(fixture.stage);
}

/* i opens the form; what would touch a live election begins only once its very name was typed, and the keys
   of a run do nothing anywhere else. */
static void asks_before_it_writes(void **state)
{
    struct fixture *fixture = *state;
    key(fixture, 'i');
    assert_true(shows(fixture, "no test candidate can run"));
    dashboard_equip(fixture->dashboard, &fake_bench_idle);
    key(fixture, 'K');
    assert_int_equal(fake_bench_acts(), 0);
    type(fixture, "/10.0.3.17");
    key(fixture, KEY_CODE_ENTER);
    key(fixture, KEY_CODE_HOME);
    key(fixture, 'i');
    assert_true(shows(fixture, "a copy of"));
    key(fixture, 'l');
    assert_true(shows(fixture, "writes into the live election"));
    key(fixture, KEY_CODE_ENTER); /* changes the field, and writes nothing */
    assert_int_equal(fake_bench_begun(), -1);
    key(fixture, KEY_CODE_LEFT);
    assert_true(shows(fixture, "writes into the live election"));
    key(fixture, 'R');
    assert_true(shows(fixture, "type /election to start"));
    type(fixture, "/electio");
    key(fixture, KEY_CODE_LEFT); /* nothing may change under the answer */
    key(fixture, KEY_CODE_ENTER);
    assert_int_equal(fake_bench_begun(), -1);
    assert_true(shows(fixture, "does not match"));
    key(fixture, 'R');
    type(fixture, "/election");
    key(fixture, KEY_CODE_ESCAPE);
    assert_int_equal(fake_bench_begun(), -1);
    dashboard_equip(fixture->dashboard, &fake_bench_refusing);
    assert_true(shows(fixture, "does not say inject: live"));
    key(fixture, 'R');
    assert_false(shows(fixture, "to start:"));
    dashboard_equip(fixture->dashboard, &fake_bench_idle);
    key(fixture, 'R');
    type(fixture, "/election");
    key(fixture, KEY_CODE_ENTER);
    assert_int_equal(fake_bench_begun(), true);
    assert_true(shows(fixture, "the fake one begins nothing"));
    dashboard_equip(fixture->dashboard, &fake_bench_running);
    key(fixture, KEY_CODE_ESCAPE);
    key(fixture, KEY_CODE_ESCAPE);
    key(fixture, 'i');
    key(fixture, 'K');
    assert_int_equal(fake_bench_acts(), 1);
    assert_true(shows(fixture, "hangs"));
    key(fixture, KEY_CODE_DOWN); /* in the order of succession the one that was created first is the third */
    key(fixture, KEY_CODE_DOWN);
    key(fixture, 'u');
    assert_true(shows(fixture, "it is a candidate already"));
    key(fixture, KEY_CODE_ESCAPE);
    assert_true(shows(fixture, "INJECTING"));
    dashboard_equip(fixture->dashboard, &fake_bench_over);
    assert_true(shows(fixture, "i shows its report"));
    key(fixture, 'i');
    assert_true(shows(fixture, "What it cost"));
    key(fixture, KEY_CODE_ENTER);
    assert_true(shows(fixture, "what will happen"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clears_a_finding),
        cmocka_unit_test(names_servers_of_one_host_apart),
        cmocka_unit_test(reports_a_refusal_from_an_illness),
        cmocka_unit_test(reports_one_silence_once),
        TEST(goes_in_and_back),
        TEST(opens_help_and_events),
        TEST(edits_the_filter),
        TEST(ends_typing_with_a_new_screen),
        TEST(holds_the_snapshot),
        TEST(knows_when_to_draw),
        TEST(asks_its_host),
        TEST(chooses_columns),
        TEST(asks_before_it_writes),
        TEST(jumps),
        TEST(names_actions),
        TEST(has_other_keys),
        TEST(tells_a_change),
        TEST(compares_two_moments),
        TEST(filters_by_fields),
        TEST(letters_behind_a_slash_are_no_keys),
        TEST(copies_the_text_of_a_screen),
        TEST(jumps_by_a_beginning),
        TEST(finds_a_minute),
        TEST(names_both_leaders),
        cmocka_unit_test(copies_a_finding),
        cmocka_unit_test(mutes_a_finding),
        cmocka_unit_test(shows_one_cluster),
        cmocka_unit_test(lists_a_host),
        cmocka_unit_test(shows_silence),
        cmocka_unit_test(copies_no_control_characters),
        TEST(survives_any_key),
        TEST(presses_the_key_that_is_clicked),
        TEST(sorts_by_the_heading_that_is_clicked),
        TEST(hits_what_was_there_just_before),
        TEST(says_when_it_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a key does to what is selected: clear, copy, mute, tell, compare, inject. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/driven.h"
#include "tests/support/drawn.h"
#include "tests/support/fake_bench.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"
#include "tui/views/event_lines.h"
#include "tui/views/view.h"
#include "tui/words/mutes.h"

/* What is only believed is cleared by c, pressed twice on it; on anything else c says why it does not. */
TEST(clears_a_finding)
{
    static const struct stand left[] = {{"n_0000000047", 0x200002a4d0a0004, "10.0.3.20:58122", 0},
                                        {"n_0000000048", 0x200002a4d0a0005, "10.0.3.21:40100", 0}};
    struct driven driven = driven_of(scene_chain(), 120, 60);

    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_NOTHING);
    assert_false(driven_shows(&driven, "never-wakes"));
    driven_key(&driven, 'f');
    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_NOTHING);
    assert_true(driven_shows(&driven, "only never-wakes can be cleared here"));
    stage_children(driven.stage, 0, "/election", left, 2, 0, 0);
    driven_key(&driven, KEY_CODE_HOME);
    assert_true(driven_shows(&driven, "clear this"));
    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_NOTHING);
    assert_true(driven_shows(&driven, "press c again"));
    stage_pass(driven.stage, 6000000);
    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_NOTHING); /* too late: asked anew */
    driven_key(&driven, KEY_CODE_DOWN);
    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_NOTHING); /* another one is selected now */
    driven_key(&driven, KEY_CODE_UP);
    assert_int_equal(driven_key(&driven, 'c'), DASHBOARD_CLEAR);
    assert_string_equal(dashboard_cleared(driven.dashboard)->cluster, "prod");
    assert_string_equal(dashboard_cleared(driven.dashboard)->election, "/election");
    assert_string_equal(dashboard_cleared(driven.dashboard)->candidate, "n_0000000047");
    driven_release(&driven);
}

/* Three keys from "something is wrong" to a ticket: the finding, its evidence and advice, with nothing in it
   that a terminal would act on. */
TEST(copies_a_finding)
{
    struct driven driven = driven_of(scene_chain(), 120, 36);
    dashboard_draw(driven.dashboard, driven.cells);
    assert_int_equal(driven_key(&driven, 'Y'), DASHBOARD_COPY);
    const char *text = dashboard_copied(driven.dashboard);
    assert_memory_equal(text, "no-watch: error", strlen("no-watch: error"));
    assert_non_null(strstr(text, "\nelection: /election\n"));
    assert_non_null(strstr(text, "\nevidence: session 0x200002a4d0a0004"));
    assert_non_null(strstr(text, "\nadvice: "));
    assert_string_equal(dashboard_copied_what(driven.dashboard), "no-watch with its evidence and advice");
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    driven_release(&driven);
}

static struct event muted;
static char muted_note[64];

static bool on_mute(void *context, const struct event *event)
{
    muted = *event;
    snprintf(muted_note, sizeof muted_note, "%s", event->detail);
    return context != NULL;
}

/* A person mutes a finding for a time, with a note; what is worse than what was muted is shown all the same,
   and the mute ends by itself, or by hand. */
TEST(mutes_a_finding)
{
    struct driven driven = driven_of(scene_chain(), 120, 36);
    driven_key(&driven, 'm');
    assert_true(driven_shows(&driven, "this is a replay"));
    dashboard_record_mutes(driven.dashboard, "ann", on_mute, NULL);
    driven_type(&driven, "fm");
    assert_true(driven_shows(&driven, "mute for"));
    driven_type(&driven, "soon");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "enter 30m, 2h, 08:00"));
    cells_resize(driven.cells, 80, 24); /* above the line, where it has no room beside what is typed */
    assert_true(driven_shows(&driven, "enter 30m, 2h, 08:00 or \"tomorrow 08:00\", then a note"));
    assert_true(driven_shows(&driven, "mute for soon"));
    cells_resize(driven.cells, 120, 36);
    for (int i = 0; i < 4; i++)
        driven_key(&driven, KEY_CODE_BACKSPACE);
    driven_type(&driven, "2h known, OPS-12");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_int_equal(muted.kind, EVENT_FINDING_MUTED);
    assert_int_equal(muted.after_us, INT64_C(7200000000));
    assert_string_equal(muted.identity, "ann");
    assert_string_equal(muted_note, "known, OPS-12");
    assert_true(driven_shows(&driven, "unless it gets worse or electop ends; alerts are still sent"));
    assert_true(driven_shows(&driven, "1 muted"));
    /* It moved to the end, and is still selected. */
    assert_true(driven_shows(&driven, "by ann: known, OPS-12"));
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "  muted"));
    assert_true(driven_shows(&driven, "it should watch")); /* where there is room, all of it is there */
    driven_key(&driven, KEY_CODE_ESCAPE);
    /* Never a worse one. */
    const struct election *election = model_election(stage_model(driven.stage), 0, "/election");
    struct finding worse = *election->findings[0];
    assert_non_null(mutes_of(election, &worse, stage_now(driven.stage)));
    worse.severity = SEVERITY_CRITICAL;
    assert_null(mutes_of(election, &worse, stage_now(driven.stage)));
    /* By hand. */
    driven_type(&driven, "m0");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "is no longer muted"));
    assert_false(driven_shows(&driven, "1 muted"));
    /* By itself. */
    driven_type(&driven, "m2h");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "1 muted"));
    stage_pass(driven.stage, INT64_C(7200000000));
    assert_false(driven_shows(&driven, "1 muted"));
    /* Until a time of the day: it is 16:03 by now. */
    dashboard_record_mutes(driven.dashboard, "ann", on_mute, &driven); /* which are kept */
    driven_type(&driven, "m18:30 release");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_in_range(muted.after_us, INT64_C(8700000000), INT64_C(8820000000));
    assert_string_equal(muted_note, "release");
    assert_true(driven_shows(&driven, "until 18:30") &&
                driven_shows(&driven, "unless it gets worse; alerts are still sent"));
    driven_type(&driven, "m08:00");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "until Nov 21 08:00"));
    driven_type(&driven, "mtomorrow 18:30 release");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "until Nov 21 18:30"));
    assert_string_equal(muted_note, "release");
    driven_type(&driven, "mtomorrow 08:00, OPS-7");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_true(driven_shows(&driven, "until Nov 21 08:00"));
    assert_string_equal(muted_note, "OPS-7");
    driven_type(&driven, "m2h, OPS-8");
    driven_key(&driven, KEY_CODE_ENTER);
    assert_string_equal(muted_note, "OPS-8");
    mutes_forget();
    driven_release(&driven);
}

/* A screen without findings is copied as its text, all of it, however few rows the terminal has. */
TEST_BETWEEN(copies_the_text_of_a_screen, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "?");
    dashboard_draw(driven->dashboard, driven->cells);
    assert_int_equal(dashboard_key(driven->dashboard, 'Y', -1, -1), DASHBOARD_COPY);
    assert_string_equal(dashboard_copied_what(driven->dashboard), "the text of this screen");
    assert_non_null(strstr(dashboard_copied(driven->dashboard), "KEYS HERE"));
    assert_non_null(strstr(dashboard_copied(driven->dashboard), "MOUSE"));
    driven_type(driven, "?/zzz");
    driven_key(driven, KEY_CODE_ENTER);
    assert_int_equal(driven_key(driven, 'Y'), DASHBOARD_COPY); /* no finding is selected */
    assert_non_null(strstr(dashboard_copied(driven->dashboard), "Nothing matches \"zzz\""));
}

static void draw_election(struct driven *driven, int width, const char *from, const char *to)
{
    char cluster[] = "prod", path[] = "/e", none[] = "", detail[] = "expired, 2.3 – 3.7s";
    char old[80], new[80];
    struct scene scene = {.model = stage_model(driven->stage), .now = stage_now(driven->stage)};
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
    cells_clear(driven->cells);
    event_line_draw(driven->cells, 0, 0, width, &scene, &line, NULL);
}

/* A narrow event still names both leaders, and a candidate by what its name says of who that is. */
TEST_BETWEEN(names_both_leaders, driven_begin, driven_end)
{
    struct driven *driven = *state;
    draw_election(driven, 80, "broker 2", "broker 1");
    assert_true(drawn_has(driven->cells, "broker 2 → broker 1  expired, 2.3 – 3.7s"));
    draw_election(driven, 70, "coordinator-b.example:8081", "coordinator-c.example:8081");
    assert_true(drawn_has(driven->cells, "coordinator-b…8081 → coordinator-c…8081"));
    draw_election(driven, 80, "_c_2f293951-e907-42f0-b21b-7a3a1bd0b1f0-latch-0000000000",
                  "_c_3c89c750-f6bf-4387-acc4-ea79ed971681-latch-0000000001");
    assert_true(drawn_has(driven->cells, "latch-…0 → latch-…1"));
    driven->cells->ascii = true;
    draw_election(driven, 80, "broker 2", "broker 1");
    assert_true(drawn_has(driven->cells, "broker 2 -> broker 1  expired, 2.3 - 3.7s"));
}

/* A key of the configuration does what it is for, the default one nothing more; help, the footer and sentences show
   it. */
TEST_BETWEEN(has_other_keys, driven_begin, driven_end)
{
    struct driven *driven = *state;
    static char words[][10] = {"findings", "F9 z", "quit", "Z", "hang", "q", "back", "J"};
    char *pairs[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], NULL};
    struct settings settings = *stage_settings(driven->stage);
    settings.keys = pairs;
    dashboard_free(driven->dashboard);
    driven->dashboard = dashboard_new(&settings, stage_model(driven->stage), stage_events(driven->stage),
                                      stage_clock, driven->stage);
    assert_true(driven_shows(driven, "F9 findings") && driven_shows(driven, "Z quit"));
    driven_key(driven, 'f');
    assert_false(driven_shows(driven, "CERTAINTY"));
    driven_key(driven, 'z');
    assert_true(driven_shows(driven, "CERTAINTY"));
    driven_type(driven, "/zzz");
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "J shows all again"));
    driven_type(driven, "J");
    assert_int_equal(driven_key(driven, 'q'), DASHBOARD_NOTHING);
    cells_resize(driven->cells, 120, 150);
    driven_key(driven, '?');
    assert_true(driven_shows(driven, "F9 z "));
    assert_int_equal(driven_key(driven, 'Z'), DASHBOARD_QUIT);
    key_bindings_configure(NULL);
}

/* One election's next change is told, once, in plain ASCII; a change of another is not; asked for again, none is. */
TEST_BETWEEN(tells_a_change, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "/druid");
    driven_key(driven, KEY_CODE_ENTER);
    driven_key(driven, KEY_CODE_HOME);
    driven_type(driven, "A");
    assert_true(driven_shows(driven, "you will be told once about the next change of druid/coordinator"));
    assert_null(dashboard_told(driven->dashboard));
    stage_children(driven->stage, 0, "/election", NULL, 0, 0, 0);
    assert_null(dashboard_told(driven->dashboard));
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", NULL, 0, 0, 0);
    assert_null(dashboard_told(driven->dashboard)); /* the next one may come at once, and is what to tell */
    stage_pass(driven->stage, 3000000);
    const char *told = dashboard_told(driven->dashboard);
    assert_non_null(told);
    assert_string_equal(told, "druid/coordinator: vacant");
    stage_pass(driven->stage, 3600000000); /* until a key shows that somebody has looked */
    assert_true(driven_shows(driven, "druid/coordinator: vacant"));
    dashboard_say(driven->dashboard, ROLE_CRITICAL, "the disk is full");
    assert_true(driven_shows(driven, "the disk is full"));
    stage_pass(driven->stage, 60000000); /* a message only hides it for a while */
    assert_true(driven_shows(driven, "druid/coordinator: vacant"));
    assert_null(dashboard_told(driven->dashboard));
    /* What is waited for where nobody leads is a leader, whatever is found meanwhile. */
    driven_type(driven, "A");
    stage_pass(driven->stage, 60000000);
    assert_false(driven_shows(driven, "druid/coordinator: vacant"));
    assert_null(dashboard_told(driven->dashboard));
    const struct stand heir = {"n_0000000199", 0x99, NULL, 10};
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", &heir, 1, 199, 0);
    struct candidate *unread =
        (struct candidate *)model_election(stage_model(driven->stage), 0, "/druid/coordinator/_COORDINATOR")
            ->leader;
    unread->known = false; /* not before its name is known */
    assert_null(dashboard_told(driven->dashboard));
    unread->known = true;
    told = dashboard_told(driven->dashboard);
    assert_non_null(told);
    assert_non_null(strstr(told, "druid/coordinator: led by"));
    /* ... which may never be: it is not waited for for ever. */
    driven_type(driven, "A");
    const struct stand next = {"n_0000000200", 0x100, NULL, 10};
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", &next, 1, 200, 0);
    unread =
        (struct candidate *)model_election(stage_model(driven->stage), 0, "/druid/coordinator/_COORDINATOR")
            ->leader;
    unread->known = false;
    assert_null(dashboard_told(driven->dashboard));
    stage_pass(driven->stage, 2000000);
    assert_null(dashboard_told(driven->dashboard));
    stage_pass(driven->stage, 2000000);
    told = dashboard_told(driven->dashboard);
    assert_non_null(told);
    assert_non_null(strstr(told, "druid/coordinator: led by"));
    unread->known = true;
    /* Between two leaders nobody is told; the next one is, even if it is the same again. */
    dashboard_told(driven->dashboard);
    driven_type(driven, "A");
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", NULL, 0, 0, 0);
    assert_null(dashboard_told(driven->dashboard));
    stage_pass(driven->stage, 3000);
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", &next, 1, 201, 0);
    unread =
        (struct candidate *)model_election(stage_model(driven->stage), 0, "/druid/coordinator/_COORDINATOR")
            ->leader;
    unread->known = true;
    told = dashboard_told(driven->dashboard);
    assert_non_null(told);
    assert_non_null(strstr(told, "druid/coordinator: led by"));
    /* Who watches is read a moment later. */
    driven_type(driven, "A");
    const struct stand pair[] = {{"n_0000000201", 0x101, "host-x", 10},
                                 {"n_0000000202", 0x102, "host-y", 10}};
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", pair, 2, 202, 0);
    assert_null(dashboard_told(driven->dashboard));
    stage_pass(driven->stage, 3000000);
    told = dashboard_told(driven->dashboard);
    assert_non_null(told);
    assert_non_null(strstr(told, "druid/coordinator: led by host-x; next failover: unknown"));
    driven_type(driven, "AA");
    assert_true(driven_shows(driven, "no longer waiting for a change of druid/coordinator"));
}

/* A marked moment is compared with the one that is shown, which goes on; the screen is about nothing else. */
TEST_BETWEEN(compares_two_moments, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_type(driven, "M");
    assert_true(driven_shows(driven, "this moment is marked: at another one, M lists what differs"));
    driven_type(driven, "M");
    assert_true(driven_shows(driven, "Nothing differs"));
    const struct stand again = {"controller", 0x77, "{\"version\":1,\"brokerid\":2}", 0};
    stage_node(driven->stage, 0, "/kafka/controller", "/kafka/controller", &again); /* the same broker */
    assert_true(driven_shows(driven, "~ leader         "));
    assert_true(driven_shows(driven, "session 0x100002a4d0a0051"));
    assert_true(driven_shows(driven, "session 0x77"));
    assert_true(driven_shows(driven, "- candidate      controller"));
    stage_children(driven->stage, 0, "/druid/coordinator/_COORDINATOR", NULL, 0, 0, 0);
    assert_true(driven_shows(driven, "what changed from"));
    assert_true(driven_shows(driven, "druid/coordinator"));
    assert_true(driven_shows(driven, "~ state          led → vacant"));
    assert_true(driven_shows(driven, "- candidate      "));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "vacant"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "what changed from"));
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_type(driven, "M");
    assert_true(driven_shows(driven, "this moment is marked"));
}

/* Who leads again in another znode is told apart by that. */
TEST(compares_one_who_came_again)
{
    static const struct stand was = {"n_0000000001", 0x1, "host-a:1", 10},
                              is = {"n_0000000007", 0x1, "host-a:1", 20};
    struct driven driven = driven_of(stage_of("/election", KIND_LEADER), 100, 30);
    stage_children(driven.stage, 0, "/election", &was, 1, 2, 0);
    driven_type(&driven, "M");
    stage_children(driven.stage, 0, "/election", &is, 1, 8, 0);
    driven_type(&driven, "M");
    assert_true(driven_shows(&driven, "n_…1 host-a:1 → n_…7 host-a:1"));
    driven_release(&driven);
}

/* i opens the form; what would touch a live election begins only once its very name was typed, and the keys
   of a run do nothing anywhere else. */
TEST_BETWEEN(asks_before_it_writes, driven_begin, driven_end)
{
    struct driven *driven = *state;
    driven_key(driven, 'i');
    assert_true(driven_shows(driven, "no test candidate can run"));
    dashboard_equip(driven->dashboard, &fake_bench_idle);
    driven_key(driven, 'K');
    assert_int_equal(fake_bench_acts(), 0);
    driven_type(driven, "/10.0.3.17");
    driven_key(driven, KEY_CODE_ENTER);
    driven_key(driven, KEY_CODE_HOME);
    driven_key(driven, 'i');
    assert_true(driven_shows(driven, "a copy of"));
    driven_key(driven, 'l');
    assert_true(driven_shows(driven, "writes into the live election"));
    driven_key(driven, KEY_CODE_ENTER); /* changes the field, and writes nothing */
    assert_int_equal(fake_bench_begun(), -1);
    driven_key(driven, KEY_CODE_LEFT);
    assert_true(driven_shows(driven, "writes into the live election"));
    driven_key(driven, 'R');
    assert_true(driven_shows(driven, "type /election to start"));
    driven_type(driven, "/electio");
    driven_key(driven, KEY_CODE_LEFT); /* nothing may change under the answer */
    driven_key(driven, KEY_CODE_ENTER);
    assert_int_equal(fake_bench_begun(), -1);
    assert_true(driven_shows(driven, "does not match"));
    driven_key(driven, 'R');
    driven_type(driven, "/election");
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_int_equal(fake_bench_begun(), -1);
    dashboard_equip(driven->dashboard, &fake_bench_refusing);
    assert_true(driven_shows(driven, "does not say inject: live"));
    driven_key(driven, 'R');
    assert_false(driven_shows(driven, "to start:"));
    dashboard_equip(driven->dashboard, &fake_bench_idle);
    driven_key(driven, 'R');
    driven_type(driven, "/election");
    driven_key(driven, KEY_CODE_ENTER);
    assert_int_equal(fake_bench_begun(), true);
    assert_true(driven_shows(driven, "the fake one begins nothing"));
    dashboard_equip(driven->dashboard, &fake_bench_running);
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_key(driven, KEY_CODE_ESCAPE);
    driven_key(driven, 'i');
    driven_key(driven, 'K');
    assert_int_equal(fake_bench_acts(), 1);
    assert_true(driven_shows(driven, "hangs"));
    driven_key(driven,
               KEY_CODE_DOWN); /* in the order of succession the one that was created first is the third */
    driven_key(driven, KEY_CODE_DOWN);
    driven_key(driven, 'u');
    assert_true(driven_shows(driven, "it is a candidate already"));
    driven_key(driven, KEY_CODE_ESCAPE);
    assert_true(driven_shows(driven, "INJECTING"));
    dashboard_equip(driven->dashboard, &fake_bench_over);
    assert_true(driven_shows(driven, "i shows its report"));
    driven_key(driven, 'i');
    assert_true(driven_shows(driven, "What it cost"));
    driven_key(driven, KEY_CODE_ENTER);
    assert_true(driven_shows(driven, "what will happen"));
}

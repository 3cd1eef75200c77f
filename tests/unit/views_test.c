/* What the views do when the model changes under them, seen as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/support/scenes.h"
#include "tui/views/view.h"

#define WIDTH 120
#define HEIGHT 40

struct show {
    struct stage *stage;
    struct view *view;
    struct cells *cells;
    char *text; /* of the latest picture */
};

static struct scene scene_of(const struct show *show)
{
    return (struct scene){.model = stage_model(show->stage),
                          .events = stage_events(show->stage),
                          .settings = stage_settings(show->stage),
                          .now = stage_now(show->stage)};
}

static const char *draw(struct show *show)
{
    struct scene scene = scene_of(show);
    size_t size;
    FILE *file;

    free(show->text);
    cells_clear(show->cells);
    show->view->ops->draw(show->view, &scene, show->cells);
    file = open_memstream(&show->text, &size);
    cells_write(show->cells, file);
    fclose(file);
    return show->text;
}

static struct show show_new(struct stage *stage, struct view *view)
{
    struct show show = {.stage = stage, .view = view, .cells = cells_new(WIDTH, HEIGHT)};

    assert_non_null(view);
    assert_non_null(show.cells);
    show.cells->ascii = true;
    draw(&show);
    return show;
}

static void show_end(struct show *show)
{
    show->view->ops->free(show->view);
    cells_free(show->cells);
    stage_free(show->stage);
    free(show->text);
}

static enum view_result press(struct show *show, enum action action, struct view **next)
{
    struct scene scene = scene_of(show);
    struct view *ignored = NULL;

    return show->view->ops->action(show->view, &scene, action, next != NULL ? next : &ignored);
}

/* The line of the picture that is selected. */
static const char *selected(struct show *show)
{
    static char line[WIDTH * CELL_BYTES];
    const char *text = draw(show), *end;

    for (; *text != '\0'; text = end + 1) {
        end = strchr(text, '\n');
        if (*text == '>') {
            snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
            return line;
        }
    }
    return "";
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" in:\n%s", part, text);
}

static const struct stand line[] = {
    {"n_0000000001", 0x11, "host-a", 60}, {"n_0000000002", 0x12, "host-b", 50},
    {"n_0000000003", 0x13, "host-c", 40}, {"n_0000000004", 0x14, "host-d", 30},
    {"n_0000000005", 0x15, "host-e", 20},
};

static struct stage *two_elections(void)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/a/election", "alpha", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/b/election", "beta", KIND_LEADER, NULL);
    stage_children(stage, 0, "/a/election", line, 4, 5, 0);
    stage_children(stage, 0, "/b/election", line, 4, 5, 0);
    stage_pass(stage, 5000000);
    return stage;
}

static void beta_becomes_vacant(struct stage *stage)
{
    stage_children(stage, 0, "/b/election", NULL, 0, 0, 0);
    stage_pass(stage, 2000000);
}

/* Until somebody moves, the worst is selected: an election that goes bad is never below the fold. */
static void overview_selects_the_worst_at_first(void **state)
{
    struct show show = show_new(two_elections(), overview_view_new());

    (void)state;
    assert_has(selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_has(selected(&show), "beta");
    assert_has(selected(&show), "vacant");
    assert_has(selected(&show), "nobody for 2.0s");
    show_end(&show);
}

/* Once chosen, the selection stays with its election when the order changes. */
static void overview_selection_stays_with_its_election(void **state)
{
    struct show show = show_new(two_elections(), overview_view_new());
    char path[256];
    struct scene scene;

    (void)state;
    press(&show, ACTION_DOWN, NULL);
    press(&show, ACTION_UP, NULL);
    assert_has(selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_has(selected(&show), "alpha");
    scene = scene_of(&show);
    assert_true(show.view->ops->path(show.view, &scene, path, sizeof path));
    assert_string_equal(path, "/a/election");
    show_end(&show);
}

/* A key pressed after the order has changed, and before it was drawn, acts on what the person saw. */
static void overview_opens_what_was_seen(void **state)
{
    struct show show = show_new(two_elections(), overview_view_new());
    struct show opened = {0};
    struct view *next = NULL;

    (void)state;
    assert_has(selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_int_equal(press(&show, ACTION_OPEN, &next), VIEW_OPEN);
    opened = show_new(show.stage, next);
    assert_has(opened.text, "host-a");
    assert_has_not(opened.text, "nobody stands here");
    opened.view->ops->free(opened.view);
    cells_free(opened.cells);
    free(opened.text);
    show_end(&show);
}

/* A filter narrows the table and says so; without a match it says what to do. */
static void overview_filter_narrows(void **state)
{
    struct show show = show_new(two_elections(), overview_view_new());

    (void)state;
    show.view->ops->filter(show.view, "BET");
    assert_has(selected(&show), "beta");
    assert_has_not(draw(&show), "alpha     led");
    assert_has(draw(&show), "1 of 2 with \"BET\"");
    show.view->ops->filter(show.view, "gamma");
    assert_has(draw(&show), "Esc shows all again");
    show.view->ops->filter(show.view, "");
    assert_has(draw(&show), "alpha");
    show_end(&show);
}

/* Every order of the overview shows every election, each once, forwards and backwards. */
static void overview_sorts_keep_everything(void **state)
{
    struct show show = show_new(scene_usual(), overview_view_new());

    (void)state;
    for (int i = 0; i < 14; i++) {
        const char *text = draw(&show);

        assert_has(text, "orders              vacant");
        assert_has(text, "druid/coordinator   led");
        assert_has(text, "nightly-job         free");
        assert_has(text, "/secret/election    denied");
        press(&show, i % 2 == 0 ? ACTION_REVERSE : ACTION_SORT, NULL);
    }
    show_end(&show);
}

/* Of clusters that are not connected it is said since when and why, and their rows say that they are old. */
static void overview_says_what_is_not_connected(void **state)
{
    struct show show = show_new(scene_clusters(), overview_view_new());

    (void)state;
    assert_has(show.text, "CLUSTER");
    assert_has(show.text, "staging not connected for 12s: no quorum");
    assert_has(show.text, "lab not connected for 33m22s: connection refused");
    assert_has(show.text, "stale 12s");
    show_end(&show);
}

/* Without any election it says what it does about it, or what is wrong. */
static void overview_is_never_just_empty(void **state)
{
    struct show show = show_new(scene_nothing(), overview_view_new());

    (void)state;
    assert_has(show.text, "Looking for elections");
    assert_has(show.text, "None found so far");
    show_end(&show);
    show = show_new(scene_unreachable(), overview_view_new());
    assert_has(show.text, "connection refused");
    assert_has(show.text, "electop -s HOST:PORT");
    show_end(&show);
}

static struct show show_election(struct stage *stage)
{
    return show_new(stage, election_view_new("", "/a/election"));
}

/* The selection stays with its candidate when those before it leave. */
static void election_selection_stays_with_its_candidate(void **state)
{
    struct show show = show_election(two_elections());

    (void)state;
    press(&show, ACTION_DOWN, NULL);
    press(&show, ACTION_DOWN, NULL);
    assert_has(selected(&show), "n_0000000003");
    stage_children(show.stage, 0, "/a/election", line + 1, 4, 0, 0);
    assert_has(selected(&show), "n_0000000003");
    show_end(&show);
}

/* When the selected candidate leaves, it is said, and the place is kept, until somebody moves. */
static void election_says_that_the_selected_left(void **state)
{
    static const struct stand rest[] = {{"n_0000000001", 0x11, "host-a", 60},
                                        {"n_0000000003", 0x13, "host-c", 40},
                                        {"n_0000000004", 0x14, "host-d", 30}};
    struct show show = show_election(two_elections());

    (void)state;
    press(&show, ACTION_DOWN, NULL);
    assert_has(selected(&show), "n_0000000002");
    stage_children(show.stage, 0, "/a/election", rest, 3, 0, 0);
    assert_has(selected(&show), "n_0000000003");
    assert_has(draw(&show), "n_0000000002 has left");
    press(&show, ACTION_DOWN, NULL);
    assert_has_not(draw(&show), "has left");
    show_end(&show);
}

/* Following the leader, the selection goes to whoever leads, until somebody moves. */
static void election_follows_the_leader(void **state)
{
    struct show show = show_election(two_elections());

    (void)state;
    press(&show, ACTION_LAST, NULL);
    assert_has(selected(&show), "n_0000000004");
    press(&show, ACTION_FOLLOW, NULL);
    assert_has(selected(&show), "n_0000000001");
    stage_children(show.stage, 0, "/a/election", line + 1, 3, 0, 0);
    assert_has(selected(&show), "n_0000000002");
    assert_has(selected(&show), "leads");
    assert_has(draw(&show), "following the leader");
    press(&show, ACTION_DOWN, NULL);
    stage_children(show.stage, 0, "/a/election", line + 2, 2, 0, 0);
    assert_has(selected(&show), "n_0000000003");
    assert_has_not(draw(&show), "following");
    show_end(&show);
}

/* What is not known says so: nobody has asked the servers who watches whom. */
static void election_does_not_claim_watches(void **state)
{
    struct show show = show_election(two_elections());

    (void)state;
    assert_has(show.text, "? not asked yet");
    assert_has(show.text, "leads, if it is told: the servers have not been asked yet");
    assert_has_not(show.text, "wakes and leads");
    show_end(&show);
}

/* A chain that the servers show is drawn as it is: right, cut, wrong, and not known, each in words too. */
static void election_shows_the_real_chain(void **state)
{
    struct show show = show_new(scene_chain(), election_view_new("prod", "/election"));
    const char *text = draw(&show);

    (void)state;
    assert_has(text, "+ If the leader goes now   n_..43 10.0.3.18:40112 wakes and leads; also told: n_..50");
    /* One of those behind it is on a server that does not answer: it may be told. */
    assert_has(
        text,
        "X If n_..45 goes           n_..47 is not told: it watches nothing here, and the line stops there");
    assert_has(text, "; others may be told");
    assert_has(text, " |   2  n_0000000043");
    assert_has(text, " X   4  n_0000000047");
    assert_has(text, "nothing: will never wake");
    assert_has(text, " :   6  n_0000000049");
    assert_has(text, "? zk3 does not answer");
    assert_has(text, " \\   7  n_0000000050");
    assert_has(text, "~ n_..42, not its predecessor");
    assert_has(text, "restart the client at 10.0.3.20:58122");
    show_end(&show);
}

/* A first candidate without a session never goes by itself; and where another is told, nobody says "nobody".
 */
static void departures_that_are_not_ordinary(void **state)
{
    static const struct stand stands[] = {{"n_0000000042", 0, "10.0.3.17:7000", 3600},
                                          {"n_0000000043", 0x2, "10.0.3.18:7000", 3500},
                                          {"n_0000000045", 0x3, "10.0.3.19:7000", 3400},
                                          {"n_0000000047", 0x4, "10.0.3.20:7000", 3300}};
    static const struct shown sessions[] = {
        {.session = 0x2, .client = "10.0.3.18:40112", .watches = {"/election/n_0000000042"}},
        {.session = 0x3, .client = "10.0.3.19:40112"},
        {.session = 0x4, .client = "10.0.3.20:40112", .watches = {"/election/n_0000000043"}}};
    struct stage *stage = stage_new((const char *const[]){"prod", NULL});
    struct show show;
    const char *text;

    (void)state;
    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", stands, 4, 48, 0);
    for (int round = 0; round < 3; round++) {
        stage_pass(stage, 6000000);
        stage_round(stage, 0, "zk1:2181", sessions, 3);
        stage_synced(stage, 0, "/election");
    }
    stage_pass(stage, 1000000);
    show = show_new(stage, election_view_new("prod", "/election"));
    text = draw(&show);
    assert_has(text, "X If the leader goes now   it never goes by itself (no session owns it): "
                     "only deleting it lets n_..43 lead");
    assert_has(text,
               "X If n_..43 goes           n_..45 is not told: it watches nothing here, and the line stops "
               "there; told instead: n_..47");
    assert_has_not(text, "nobody is told");
    show_end(&show);
}

/* What if plays the selected candidate's departure through, up to where nobody is told; Esc ends it first. */
static void what_if_follows_the_line_to_its_end(void **state)
{
    struct show show = show_new(scene_chain(), election_view_new("prod", "/election"));
    const char *text;

    (void)state;
    draw(&show);
    press(&show, ACTION_WHAT_IF, NULL);
    text = draw(&show);
    assert_has(text, "+ When n_..42 goes");
    assert_has(text, "+ then n_..43 goes         n_..45 10.0.3.19:39920 wakes and leads");
    assert_has(
        text,
        "X then n_..45 goes         n_..47 is not told: it watches nothing here, and does not lead then");
    assert_has_not(text, "then n_..47 goes");
    press(&show, ACTION_LAST, NULL);
    text = draw(&show);
    assert_has(text, "When n_..50 goes");
    assert_has(text, "nobody stands behind it");
    assert_int_equal(press(&show, ACTION_BACK, NULL), VIEW_DONE);
    assert_has_not(draw(&show), "When n_..50 goes");
    assert_int_equal(press(&show, ACTION_BACK, NULL), VIEW_CLOSE);
    show_end(&show);
}

/* Of a whole line it says so, and of one that nobody shows only what is not known. */
static void election_says_whether_the_line_is_whole(void **state)
{
    struct show whole = show_new(scene_chain(), election_view_new("prod", "/druid/coordinator/_COORDINATOR"));
    struct show hidden = show_new(scene_hidden(), election_view_new("prod", "/election"));

    (void)state;
    assert_has(draw(&whole), "is whole: whoever is next is told");
    assert_has(draw(&hidden), "may stop at n_..43: ");
    assert_has(hidden.text, "? no server shows it");
    assert_has_not(hidden.text, "is whole");
    show_end(&whole);
    show_end(&hidden);
}

/* All findings, the worst first; Enter opens the election, x the page of the code. */
static void findings_lead_to_elections_and_pages(void **state)
{
    struct show show = show_new(scene_chain(), findings_view_new());
    struct view *next = NULL;

    (void)state;
    assert_has(selected(&show), "no-watch");
    assert_int_equal(press(&show, ACTION_OPEN, &next), VIEW_OPEN);
    assert_string_equal(next->ops->name, "election");
    next->ops->free(next);
    press(&show, ACTION_DOWN, NULL);
    assert_has(selected(&show), "wrong-predecessor");
    assert_int_equal(press(&show, ACTION_EXPLAIN, &next), VIEW_OPEN);
    assert_string_equal(next->ops->name, "explanations");
    next->ops->free(next);
    press(&show, ACTION_LAST, NULL);
    assert_has(selected(&show), "no-guid");
    show.view->ops->filter(show.view, "silent");
    assert_has(selected(&show), "leader-silent");
    assert_has(show.text, "1 of 4 with");
    show_end(&show);
}

/* Findings of one code about one candidate are told apart: the selection gets past them. */
static void findings_that_are_alike_are_two(void **state)
{
    static const struct shown strangers[] = {
        {0x300002a4d0a0071, "10.0.9.1:1", 100, {"/election/n_0000000045"}},
        {0x300002a4d0a0072, "10.0.9.2:2", 100, {"/election/n_0000000045"}},
    };
    struct stage *stage = scene_chain();
    char first[WIDTH * CELL_BYTES];

    (void)state;
    for (int round = 0; round < 3; round++) {
        stage_pass(stage, 6000000);
        stage_round(stage, 0, "zk3:2181", strangers, 2);
    }
    struct show show = show_new(stage, findings_view_new());
    show.view->ops->filter(show.view, "watcher-without");
    assert_has(draw(&show), "2 of 6 with");
    press(&show, ACTION_FIRST, NULL);
    snprintf(first, sizeof first, "%s", selected(&show));
    assert_has(first, "n_0000000045");
    press(&show, ACTION_DOWN, NULL);
    assert_has(selected(&show), "n_0000000045");
    assert_string_not_equal(selected(&show), first);
    show_end(&show);
}

/* Every code has its page, with all that the table says of it. */
static void every_code_has_its_page(void **state)
{
    (void)state;
    for (enum finding_code code = 0; code < FINDING_COUNT; code++) {
        struct show show = show_new(scene_nothing(), explanations_view_new(code));

        assert_has(selected(&show), finding_kind(code)->word);
        assert_has(show.text, "WHAT IT MEANS");
        assert_has(show.text, "HOW IT LOOKS IN ZOOKEEPER");
        assert_has(show.text, "WHAT TO DO");
        show_end(&show);
    }
}

/* What a server does not show is told with the reason and what to switch on. */
static void ensemble_says_what_is_hidden(void **state)
{
    struct show show = show_new(scene_hidden(), ensemble_view_new());

    (void)state;
    assert_has(selected(&show), "zk1:2181");
    assert_has(show.text, "watches seen on 0 of 3");
    assert_has(show.text, "admin.enableServer=true");
    press(&show, ACTION_LAST, NULL);
    assert_has(selected(&show), "zk3:2181");
    show_end(&show);
}

/* A critical finding comes before what is merely denied, and a note moves nothing. */
static void overview_weighs_findings(void **state)
{
    struct show show = show_new(scene_usual(), overview_view_new());
    const char *text = draw(&show);

    (void)state;
    assert_true(strstr(text, "never-acknowledged") < strstr(text, "/secret/election"));
    assert_true(strstr(text, "orders") < strstr(text, "never-acknowledged"));
    assert_has(text, "findings  X 1 critical");
    show_end(&show);
}

/* Among ten thousand, a filter finds one by name, identity or session, and its place in line stays. */
static void election_filter_finds_one_in_a_crowd(void **state)
{
    struct show show = show_new(scene_crowd(10000), election_view_new("prod", "/election"));

    (void)state;
    show.view->ops->filter(show.view, "n_0000004321");
    assert_has(selected(&show), " 4222  n_0000004321");
    show.view->ops->filter(show.view, "10.0.39.15:");
    assert_has(selected(&show), "10000  n_0000010099");
    show.view->ops->filter(show.view, "0x100002a4d000064");
    assert_has(selected(&show), "  101  n_0000000200");
    show.view->ops->filter(show.view, "");
    assert_has(selected(&show), "n_0000000200");
    press(&show, ACTION_LAST, NULL);
    assert_has(selected(&show), "n_0000010099");
    press(&show, ACTION_NEXT_MATCH, NULL);
    assert_has(selected(&show), "n_0000000100");
    show_end(&show);
}

/* An election that is not watched any more says so, and Esc goes back. */
static void election_that_is_gone_says_so(void **state)
{
    struct show show = show_new(two_elections(), election_view_new("", "/c/election"));

    (void)state;
    assert_has(show.text, "/c/election is not watched any more");
    assert_int_equal(press(&show, ACTION_OPEN, NULL), VIEW_IGNORED);
    assert_int_equal(press(&show, ACTION_BACK, NULL), VIEW_CLOSE);
    show_end(&show);
}

/* All of a candidate's Stat is there, in ZooKeeper's words, and its place among the others. */
static void candidate_shows_all_of_its_stat(void **state)
{
    static const char *const fields[] = {"czxid",          "ctime",      "mzxid",      "mtime",
                                         "pzxid",          "version",    "cversion",   "aversion",
                                         "ephemeralOwner", "dataLength", "numChildren"};
    struct show show = show_new(scene_usual(), candidate_view_new("prod", "/election", "n_0000000048"));

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_has(show.text, fields[i]);
    assert_has(show.text, "0x200002a4d0a0005");
    assert_has(show.text, "5 of 7");
    assert_has(show.text, "n_..47 10.0.3.20:58122");
    assert_has(show.text, "\"host\": \"10.0.3.21\"");
    show_end(&show);
}

/* Its data can be read in each form that fits, and none is lost on the way round. */
static void candidate_data_has_forms(void **state)
{
    struct show show = show_new(scene_usual(), candidate_view_new("prod", "/election", "n_0000000048"));

    (void)state;
    assert_has(draw(&show), "data as JSON,");
    press(&show, ACTION_RIGHT, NULL);
    assert_has(draw(&show), "data as JSON folded,");
    press(&show, ACTION_RIGHT, NULL);
    assert_has(draw(&show), "data as text,");
    press(&show, ACTION_RIGHT, NULL);
    assert_has(draw(&show), "data as hex,");
    assert_has(draw(&show), "00000000  7b 22 68");
    press(&show, ACTION_RIGHT, NULL);
    assert_has(draw(&show), "data as JSON,");
    show_end(&show);
}

/* A candidate that has left says so, with what happened. */
static void candidate_that_left_says_so(void **state)
{
    struct show show = show_new(two_elections(), candidate_view_new("", "/a/election", "n_0000000001"));

    (void)state;
    assert_has(show.text, "leads for");
    stage_children(show.stage, 0, "/a/election", line + 1, 3, 0, 0);
    assert_has(draw(&show), "n_0000000001 does not stand here any more");
    assert_has(draw(&show), "leader lost");
    show_end(&show);
}

/* The same session's other candidacies are named. */
static void candidate_names_its_sessions_others(void **state)
{
    struct show show = show_new(two_elections(), candidate_view_new("", "/a/election", "n_0000000001"));

    (void)state;
    assert_has(show.text, "elsewhere   beta, leads");
    show_end(&show);
}

/* Held, the events on the screen stay where they are while new ones come; followed, the latest is selected.
 */
static void events_hold_still_unless_followed(void **state)
{
    struct show show = show_new(two_elections(), events_view_new());
    char held[WIDTH * CELL_BYTES];

    (void)state;
    press(&show, ACTION_DOWN, NULL);
    snprintf(held, sizeof held, "%s", selected(&show));
    stage_children(show.stage, 0, "/a/election", line + 1, 4, 0, 0);
    assert_string_equal(selected(&show), held);
    press(&show, ACTION_FOLLOW, NULL);
    assert_string_not_equal(selected(&show), held);
    stage_children(show.stage, 0, "/a/election", line + 2, 3, 0, 0);
    assert_has(selected(&show), "leader elected");
    show_end(&show);
}

/* Every key of the table is in the help, and every sign of the legend has its word. */
static void help_has_every_key(void **state)
{
    struct show show = show_new(two_elections(),
                                help_view_new("overview", ACTION_BIT(ACTION_SORT) | ACTION_BIT(ACTION_HELP)));
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);

    (void)state;
    cells_resize(show.cells, WIDTH, 100);
    draw(&show);
    for (size_t i = 0; i < count; i++)
        assert_has(show.text, bindings[i].keys);
    /* What does something here stands above what does not. */
    const char *elsewhere = strstr(show.text, "KEYS ELSEWHERE");
    assert_true(strstr(show.text, "sort by the next column") < elsewhere);
    assert_true(strstr(show.text, "turn the order round") > elsewhere);
    assert_has(show.text, "STATES");
    assert_has(show.text, "nobody led");
    show_end(&show);
}

/* Names that attack the terminal are shown, and nothing of them reaches it. */
static void hostile_names_stay_text(void **state)
{
    struct show show = show_new(scene_hostile(), election_view_new("prod", "/hostile/election"));

    (void)state;
    assert_has(show.text, "n_\\x1b[31mred");
    for (const char *c = show.text; *c != '\0'; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
    show.cells->ascii = false;
    draw(&show);
    for (const char *c = show.text; *c != '\0'; c++)
        assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    show_end(&show);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overview_selects_the_worst_at_first),
        cmocka_unit_test(overview_selection_stays_with_its_election),
        cmocka_unit_test(overview_opens_what_was_seen),
        cmocka_unit_test(overview_filter_narrows),
        cmocka_unit_test(overview_sorts_keep_everything),
        cmocka_unit_test(overview_says_what_is_not_connected),
        cmocka_unit_test(overview_is_never_just_empty),
        cmocka_unit_test(election_selection_stays_with_its_candidate),
        cmocka_unit_test(election_says_that_the_selected_left),
        cmocka_unit_test(election_follows_the_leader),
        cmocka_unit_test(election_does_not_claim_watches),
        cmocka_unit_test(election_shows_the_real_chain),
        cmocka_unit_test(departures_that_are_not_ordinary),
        cmocka_unit_test(what_if_follows_the_line_to_its_end),
        cmocka_unit_test(election_says_whether_the_line_is_whole),
        cmocka_unit_test(findings_lead_to_elections_and_pages),
        cmocka_unit_test(findings_that_are_alike_are_two),
        cmocka_unit_test(every_code_has_its_page),
        cmocka_unit_test(ensemble_says_what_is_hidden),
        cmocka_unit_test(overview_weighs_findings),
        cmocka_unit_test(election_filter_finds_one_in_a_crowd),
        cmocka_unit_test(election_that_is_gone_says_so),
        cmocka_unit_test(candidate_shows_all_of_its_stat),
        cmocka_unit_test(candidate_data_has_forms),
        cmocka_unit_test(candidate_that_left_says_so),
        cmocka_unit_test(candidate_names_its_sessions_others),
        cmocka_unit_test(events_hold_still_unless_followed),
        cmocka_unit_test(help_has_every_key),
        cmocka_unit_test(hostile_names_stay_text),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}

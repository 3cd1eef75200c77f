/* What the views do when the model changes under them, seen as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/drawn.h"
#include "tests/support/framed.h"
#include "tests/support/test.h"
#include "tui/views/event_lines.h"
#include "tui/views/event_log.h"
#include "tui/views/screens.h"

static void beta_becomes_vacant(struct stage *stage)
{
    stage_children(stage, 0, "/b/election", NULL, 0, 0, 0);
    stage_pass(stage, 2000000);
}

/* Until somebody moves, the worst is selected: an election that goes bad is never below the fold. */
TEST(overview_selects_the_worst_at_first)
{
    struct framed show = framed_new(framed_two_elections(), overview_view_new());

    assert_has(framed_selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_has(framed_selected(&show), "beta");
    assert_has(framed_selected(&show), "vacant");
    assert_has(framed_selected(&show), "none for 2.0s");
    framed_end(&show);
}

/* A column of --columns is there beside a name that wants all the room. */
TEST(named_columns_are_shown)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});
    char path[300] = "/";

    memset(path + 1, 'a', sizeof path - 2);
    stage_watch(stage, 0, path, NULL, KIND_LEADER, NULL);
    struct framed show = framed_new(stage, overview_view_new());
    cells_resize(show.cells, 80, 24);
    overview_view_arrange(show.view, NULL, "election,changes");
    assert_has(framed_draw(&show), "CHANGES");
    framed_end(&show);
}

/* Pods of one deployment differ in their last letters: a leader looks like none of those who may follow it. */
TEST(pods_that_lead_in_turn_differ)
{
    static const char *const deployments[] = {"payments-api", "payments-worker"}, *const tails[] = {"x2k9q",
                                                                                                    "7hmzd"};
    struct framed show = framed_new(stage_new((const char *const[]){"", NULL}), overview_view_new());
    char path[60], pods[2][60], names[2][40], before[512];

    cells_resize(show.cells, 120, 36);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 2; i++) {
            struct stand stand[2];
            for (int k = 0; k < 2; k++) {
                snprintf(pods[k], sizeof pods[k], "%s-7d9f8b6c54-%s", deployments[i], tails[k]);
                snprintf(names[k], sizeof names[k], "latch-%010d", k);
                stand[k] = (struct stand){names[k], (uint64_t)(2 * i + k + 1), pods[k], 60};
            }
            snprintf(path, sizeof path, "/k8s/prod-eu-west-1/%s/leader", deployments[i]);
            if (turn == 0)
                stage_watch(show.stage, 0, path, NULL, KIND_LEADER, NULL);
            stage_children(show.stage, 0, path, stand + turn, 2 - (size_t)turn, 2, 0);
        }
        framed_draw(&show);
        if (turn == 0)
            snprintf(before, sizeof before, "%s", framed_selected(&show));
    }
    assert_has(before, "2k9q ");
    assert_has(framed_selected(&show), "hmzd ");
    cells_resize(show.cells, 80, 24);
    assert_has(framed_draw(&show), "LEADER  payme..");
    assert_has(framed_selected(&show), "..api-"); /* the heading has no room for it */
    framed_end(&show);
}

/* Where names have little room, they take that of the rest rather than to look the same. */
TEST(events_of_one_family_differ)
{
    static const char *const regions[] = {"eu-central-1", "eu-west-1", "us-east-1", "ap-south-1"},
                             *const services[] = {"checkout", "checkout-api", "cart", "search-index",
                                                  "inventory-sync-worker"};
    struct framed show = framed_new(stage_new((const char *const[]){"", NULL}), overview_view_new());
    struct scene scene;
    static char names[40][100], recipe[] = "Curator LeaderLatch";

    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "/platform/%s/services/%s/%s/leader-election", regions[i % 4],
                 services[i / 4 % 5], i / 20 ? "blue" : "green");
        stage_watch(show.stage, 0, names[i], NULL, KIND_LEADER, NULL);
    }
    scene = framed_scene(&show);
    for (int width = 50; width < 130; width += 3) {
        struct event_lines lines = {0};
        for (int i = 0; i < 40; i++)
            event_lines_add(
                &lines, show.cells,
                &(struct event_line){
                    .kind = EVENT_ELECTION_SEEN, .subject = recipe, .where = names[i], .path = names[i]});
        event_lines_fit(&lines, show.cells, width - 2, &scene);
        assert_int_equal(lines.names.alike, 0);
        event_lines_free(&lines);
    }
    framed_end(&show);
}

/* Once chosen, the selection stays with its election when the order changes. */
TEST(overview_selection_stays_with_its_election)
{
    struct framed show = framed_new(framed_two_elections(), overview_view_new());
    char path[256];
    struct scene scene;

    framed_press(&show, ACTION_DOWN, NULL);
    framed_press(&show, ACTION_UP, NULL);
    assert_has(framed_selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_has(framed_selected(&show), "alpha");
    scene = framed_scene(&show);
    assert_true(view_path(show.view, &scene, path, sizeof path));
    assert_string_equal(path, "/a/election");
    framed_end(&show);
}

/* A key pressed after the order has changed, and before it was drawn, acts on what the person saw. */
TEST(overview_opens_what_was_seen)
{
    struct framed show = framed_new(framed_two_elections(), overview_view_new());
    struct framed opened = {0};
    struct view *next = NULL;

    assert_has(framed_selected(&show), "alpha");
    beta_becomes_vacant(show.stage);
    assert_int_equal(framed_press(&show, ACTION_OPEN, &next), VIEW_OPEN);
    opened = framed_new(show.stage, next);
    assert_has(opened.text, "host-a");
    assert_has_not(opened.text, "no candidates");
    view_free(opened.view);
    cells_free(opened.cells);
    free(opened.text);
    framed_end(&show);
}

/* A filter narrows the table and says so; without a match it says what to do. */
TEST(overview_filter_narrows)
{
    struct framed show = framed_new(framed_two_elections(), overview_view_new());

    show.view->ops->filter(show.view, "BET");
    assert_has(framed_selected(&show), "beta");
    assert_has_not(framed_draw(&show), "alpha     led");
    assert_has(framed_draw(&show), "1 of 2 with \"BET\"");
    show.view->ops->filter(show.view, "gamma");
    assert_has(framed_draw(&show), "Esc shows all elections again");
    show.view->ops->filter(show.view, "");
    assert_has(framed_draw(&show), "alpha");
    framed_end(&show);
}

/* What all paths share is in the heading of the column; sorted by name, a directory is in a heading of its
 * own. */
TEST(overview_folds_common_paths)
{
    static const char *const paths[] = {"/svc/blue/api", "/svc/blue/deep/x", "/svc/blue/web",
                                        "/svc/green/api", "/svc/lonely/x"};
    struct stage *stage = stage_new((const char *const[]){"", NULL});
    struct framed show;

    stage_connected(stage, 0, "zk1:2181");
    for (size_t i = 0; i < 5; i++) {
        stage_watch(stage, 0, paths[i], paths[i], KIND_LEADER, NULL);
        stage_children(stage, 0, paths[i], framed_line, 4, 5, 0);
    }
    stage_pass(stage, 5000000);
    show = framed_new(stage, overview_view_new());
    assert_has(framed_draw(&show), "ELECTION  /svc/");
    assert_has(framed_draw(&show), "o blue/api");
    framed_press(&show, ACTION_SORT, NULL);
    assert_has(framed_draw(&show), "\n    blue/\n");
    assert_has(framed_draw(&show), "o   api");
    assert_has(framed_draw(&show), "o   web"); /* below the same heading, although deep/ is between them */
    assert_has(framed_draw(&show), "o green/api");
    assert_has(framed_selected(&show), "api"); /* never the heading */
    framed_press(&show, ACTION_LAST, NULL);
    assert_has(framed_selected(&show), "lonely/x");
    framed_press(&show, ACTION_FIRST, NULL);
    assert_has(framed_selected(&show), "api");
    framed_end(&show);
}

/* The verdict on the next failover has its own column. */
TEST(overview_says_what_comes_next)
{
    struct framed show = framed_new(scene_chain(), overview_view_new());

    assert_has(framed_draw(&show), "NEXT");
    assert_has(framed_draw(&show), "+ works       no-watch");
    assert_has(framed_draw(&show), "o /kafka/controller");
    assert_has(framed_draw(&show), ". waiters     -");
    framed_end(&show);
}

/* A long note of the filter takes the outlook's room, part by part: neither is written over the other. */
TEST(overview_outlook_gives_way)
{
    struct framed show = framed_new(scene_usual(), overview_view_new());

    cells_resize(show.cells, 70, 24);
    assert_has(framed_draw(&show), " alone");
    show.view->ops->filter(show.view, "a rather long filter, of more than forty letters");
    assert_has(framed_draw(&show), "0 of 8 match");
    assert_has(show.text, " alone");
    cells_resize(show.cells, 100, 24);
    assert_has(framed_draw(&show), "0 of 8 with \"a rather long filter, of");
    assert_has(show.text, "next failover");
    assert_has_not(show.text, " alone");
    show.view->ops->filter(show.view,
                           "a filter of which nobody reads the end, since it is much too long for that");
    assert_has_not(framed_draw(&show), "next failover");
    framed_end(&show);
}

static int row_of(struct framed *show, const char *needle)
{
    const char *text = framed_draw(show), *at = strstr(text, needle);
    int row = 0;

    assert_non_null(at);
    for (; text < at; text++)
        row += *text == '\n';
    return row;
}

/* Whatever is counted above it, the table stays where it is: no line moves under the eye when a number comes
   up. */
TEST(overview_stays_where_it_is)
{
    static const int widths[] = {60, 80, 120, 200};

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct framed calm = framed_new(framed_two_elections(), overview_view_new());
        struct framed busy = framed_new(scene_usual(), overview_view_new());

        cells_resize(calm.cells, widths[i], 36);
        cells_resize(busy.cells, widths[i], 36);
        assert_int_equal(row_of(&calm, "ELECTION "), row_of(&busy, "ELECTION "));
        assert_has(framed_draw(&calm), "next failover");
        framed_end(&calm);
        framed_end(&busy);
    }
}

/* Every order of the overview shows every election, each once, forwards and backwards. */
TEST(overview_sorts_keep_everything)
{
    struct framed show = framed_new(scene_usual(), overview_view_new());

    for (int i = 0; i < 14; i++) {
        const char *text = framed_draw(&show);

        assert_has(text, "orders              vacant");
        assert_has(text, "druid/coordinator   led");
        assert_has(text, "nightly-job         free");
        assert_has(text, "/secret/election    denied");
        framed_press(&show, i % 2 == 0 ? ACTION_REVERSE : ACTION_SORT, NULL);
    }
    framed_end(&show);
}

/* Of clusters that are not connected it is said since when and why, and their rows say that they are old. */
TEST(overview_says_what_is_not_connected)
{
    struct framed show = framed_new(scene_clusters(), overview_view_new());

    assert_has(show.text, "CLUSTER");
    assert_has(show.text, "staging not connected for 12s: no quorum");
    assert_has(show.text, "lab not connected for 33m22s: connection refused");
    assert_has(show.text, "stale 12s");
    framed_end(&show);
}

/* ... also of one in which no election has been found yet, where others have some: its row would be nowhere.
 */
TEST(overview_names_a_cluster_without_elections)
{
    struct stage *stage = stage_new((const char *const[]){"prod", "lab", NULL});
    const struct stand leader = {"n_0000000000", 0x1, "host-a:80", 60};
    struct framed show;

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", &leader, 1, 1, 0);
    stage_refused(stage, 1, "authentication failed (scheme foo)");
    show = framed_new(stage, overview_view_new());
    assert_has(show.text, "X lab authentication failed (scheme foo); correct the auth file and restart");
    framed_end(&show);
}

/* For how long a row is stale is said in whole or not at all, and so is how many stand. */
TEST(overview_cuts_no_number)
{
    struct framed show = framed_new(scene_chain(), overview_view_new());
    struct framed crowd;

    stage_disconnected(show.stage, 0, "the connection was lost");
    stage_pass(show.stage, 1800000);
    for (int width = 60; width <= 120; width++) {
        cells_resize(show.cells, width, 24);
        assert_has(framed_draw(&show), " stale ");
        assert_has_not(show.text, "stale 1.8..");
        assert_has_not(show.text, "stale 1..");
    }
    framed_end(&show);
    crowd = framed_new(scene_crowd(12345), overview_view_new());
    cells_resize(crowd.cells, 80, 24);
    assert_has(framed_draw(&crowd), " 12345 ");
    framed_end(&crowd);
}

/* A long name, as a connect string of three servers is, leaves the reason its room. */
TEST(overview_cuts_the_name_and_not_the_reason)
{
    static const char name[] = "zk1.storage.eu-west.example.com:2181,zk2.storage.eu-west.example.com:2181,"
                               "zk3.storage.eu-west.example.com:2181";
    struct stage *stage = stage_new((const char *const[]){name, "lab", NULL});
    const struct stand leader = {"n_0000000000", 0x1, "host-a:80", 60};
    struct framed show;

    stage_connected(stage, 1, "zk1:2181");
    stage_watch(stage, 1, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 1, "/election", &leader, 1, 1, 0);
    stage_disconnected(stage, 0, "zk2.storage.eu-west.example.com:2181 gives no session: no quorum");
    stage_pass(stage, 10 * 1000000);
    show = framed_new(stage, overview_view_new());
    assert_has(show.text, "X zk1.storage");
    assert_has(show.text,
               "not connected for 10s: zk2.storage.eu-west.example.com:2181 gives no session: no quorum");
    framed_end(&show);
}

/* In ASCII "at most" takes two columns: the age behind it is whole all the same. From a minute on it has
   no seconds, and is rounded up. */
TEST(overview_shows_an_age_whole)
{
    struct stage *stage = stage_of("/election", KIND_LEADER);
    const struct stand leader = {"n_0000000000", 0x1, "host-a:80", 9 * 60 + 3};
    struct framed show;

    stage_children(stage, 0, "/election", &leader, 1, 1, 0);
    show = framed_new(stage, overview_view_new());
    assert_has(show.text, "<=10m ");
    stage_pass(stage, 3 * 60 * 1000000);
    assert_has(framed_draw(&show), "<=13m ");
    framed_end(&show);
}

/* Without any election it says what it does about it, or what is wrong. */
TEST(overview_is_never_just_empty)
{
    struct framed show = framed_new(scene_nothing(), overview_view_new());

    assert_has(show.text, "Searching for elections");
    assert_has(show.text, "None found so far");
    framed_end(&show);
    show = framed_new(scene_unreachable(), overview_view_new());
    assert_has(show.text, "connection refused");
    assert_has(show.text, "electop -s HOST:PORT");
    framed_end(&show);
}

/* All findings, the worst first; Enter opens the election, x the page of the code. */
TEST(findings_lead_to_elections_and_pages)
{
    struct framed show = framed_new(scene_chain(), findings_view_new());
    struct view *next = NULL;

    assert_has(framed_selected(&show), "no-watch");
    assert_int_equal(framed_press(&show, ACTION_OPEN, &next), VIEW_OPEN);
    assert_string_equal(next->ops->name, "election");
    view_free(next);
    framed_press(&show, ACTION_DOWN, NULL);
    assert_has(framed_selected(&show), "wrong-predecessor");
    assert_int_equal(framed_press(&show, ACTION_EXPLAIN, &next), VIEW_OPEN);
    assert_string_equal(next->ops->name, "explanations");
    view_free(next);
    framed_press(&show, ACTION_LAST, NULL);
    assert_has(framed_selected(&show), "no-guid");
    show.view->ops->filter(show.view, "silent");
    assert_has(framed_selected(&show), "leader-silent");
    assert_has(show.text, "1 of 4 with");
    framed_end(&show);
}

/* Advice of a kind that is the finding's own is not told twice. */
TEST(general_advice_is_told_once)
{
    struct framed show = framed_new(framed_two_elections(), findings_view_new());
    const char *advice;

    cells_resize(show.cells, 500, 60);
    assert_has(framed_draw(&show), "HOW IT LOOKS IN ZOOKEEPER");
    advice = strstr(show.text, "use a pr");
    assert_non_null(advice);
    assert_null(strstr(advice + 1, "use a pr"));
    framed_end(&show);
}

/* The same finding in many elections is a line with their number, which Enter unfolds. */
TEST(findings_of_many_elections_are_one_line)
{
    static const char *const paths[] = {"/svc/a", "/svc/b", "/svc/c", "/svc/d"};
    struct stage *stage = stage_new((const char *const[]){"", NULL});
    struct framed show;
    struct view *next = NULL;

    stage_connected(stage, 0, "zk1:2181");
    for (size_t i = 0; i < 4; i++) {
        stage_watch(stage, 0, paths[i], NULL, KIND_LEADER, NULL);
        stage_children(stage, 0, paths[i], NULL, 0, 5, 0);
    }
    stage_pass(stage, 60000000);
    stage_children(stage, 0, paths[0], NULL, 0, 0, 0);
    show = framed_new(stage, findings_view_new());
    assert_has(framed_selected(&show), "no-leader");
    assert_has(framed_selected(&show), "in 4 elections");
    assert_has_not(framed_draw(&show), "/svc/c");
    framed_press(&show, ACTION_OPEN, &next);
    assert_has(framed_draw(&show), "/svc/c");
    framed_press(&show, ACTION_OPEN, &next);
    assert_has_not(framed_draw(&show), "/svc/c");
    framed_press(&show, ACTION_SORT, NULL); /* by time there are no groups */
    assert_has(framed_draw(&show), "newest first");
    assert_has(framed_draw(&show), "/svc/c");
    framed_end(&show);
}

/* Findings of one code about one candidate are told apart: the selection gets past them. */
TEST(findings_that_are_alike_are_two)
{
    static const struct shown strangers[] = {
        {0x300002a4d0a0071, "10.0.9.1:1", 100, {"/election/n_0000000045"}},
        {0x300002a4d0a0072, "10.0.9.2:2", 100, {"/election/n_0000000045"}},
    };
    struct stage *stage = scene_chain();
    char first[FRAMED_WIDTH * CELL_BYTES];

    for (int round = 0; round < 3; round++) {
        stage_pass(stage, 6000000);
        stage_round(stage, 0, "zk3:2181", strangers, 2);
    }
    struct framed show = framed_new(stage, findings_view_new());
    show.view->ops->filter(show.view, "watcher-without");
    assert_has(framed_draw(&show), "2 of 6 with");
    framed_press(&show, ACTION_FIRST, NULL);
    snprintf(first, sizeof first, "%s", framed_selected(&show));
    assert_has(first, "n_0000000045");
    framed_press(&show, ACTION_DOWN, NULL);
    assert_has(framed_selected(&show), "n_0000000045");
    assert_string_not_equal(framed_selected(&show), first);
    cells_resize(show.cells, 60, 20);
    assert_has_not(framed_draw(&show), "CAND..");
    assert_has(show.text, "CAND");
    framed_end(&show);
}

/* Every code has its page, with all that the table says of it. */
TEST(every_code_has_its_page)
{
    for (enum finding_code code = 0; code < FINDING_COUNT; code++) {
        /* One that is as severe as hardly any is: the page says so, and what is usual. */
        enum severity usual = finding_kind(code)->severity;
        struct finding finding = {.code = code,
                                  .severity = usual == SEVERITY_WARNING ? SEVERITY_ERROR : SEVERITY_WARNING};
        struct framed show = framed_new(scene_nothing(), explanations_view_new(&finding));
        char here[32];

        assert_has(framed_selected(&show), finding_kind(code)->word);
        snprintf(here, sizeof here, "%s here", severity_word(finding.severity));
        assert_has(show.text, here);
        assert_has(show.text, "usually");
        assert_has(show.text, "WHAT IT MEANS");
        assert_has(show.text, "HOW IT LOOKS IN ZOOKEEPER");
        assert_has(show.text, "WHAT TO DO");
        framed_end(&show);
    }
}

/* What a server does not show is told with the reason and what to switch on. */
TEST(ensemble_says_what_is_hidden)
{
    struct framed show = framed_new(scene_hidden(), ensemble_view_new());

    assert_has(framed_selected(&show), "zk1:2181");
    assert_has(show.text, "watches seen on 0 of 3");
    assert_has(show.text, "admin.enableServer=true");
    framed_press(&show, ACTION_LAST, NULL);
    assert_has(framed_selected(&show), "zk3:2181");
    framed_end(&show);
}

/* Of the leaders at a server the first are named, without holes, and the others counted. */
TEST(ensemble_counts_the_leaders_it_does_not_name)
{
    struct framed show = framed_new(framed_two_elections(), ensemble_view_new());
    const struct stand stand = {"latch-0000000001", 7, "pod", 60};
    const struct shown shown = {.session = 7, .client = "10.0.0.1:5", .silent_ms = 100};

    stage_server(show.stage, 0, "zk1:2181", SERVER_STANDALONE, 410, NULL);
    for (int i = 10; i < 20; i++) {
        char path[80];

        snprintf(path, sizeof path, i == 18 ? "/%d" : "/k8s/prod-eu-west-1/%d-payments-worker/leader", i);
        stage_watch(show.stage, 0, path, NULL, KIND_LEADER, NULL);
        stage_children(show.stage, 0, path, &stand, 1, 2, 0);
    }
    stage_round(show.stage, 0, "zk1:2181", &shown, 1);
    cells_resize(show.cells, 500, 36);
    assert_has(framed_draw(&show), "10 leaders are connected here and must reconnect within 10.0s: /k8s/");
    assert_has(show.text, "15-payments-worker/leader, and 4 more");
    framed_end(&show);
}

/* Whether a majority remains is said where all members and their modes are known, or where it does not matter. */
TEST(ensemble_makes_up_no_majority)
{
    enum { L = SERVER_LEADER, F = SERVER_FOLLOWER, O = SERVER_OBSERVER, R = SERVER_READ_ONLY };
    enum { HIDDEN = SERVER_UNKNOWN, SILENT = 100 };
    static const struct {
        int modes[6];
        size_t count;
        bool whole;
        const char *says;
    } cases[] = {
        {{L, F, F}, 3, true, "a majority remains: 2 of 3 servers serve and must elect a new"},
        {{F, L, SILENT}, 3, true, "no majority remains: 1 of 3 servers serves"},
        {{F, L, R}, 3, true, "no majority remains: 1 of 3 servers serves"},
        {{F, L, O}, 3, true, "no majority remains: 1 of 2 servers serves"},
        {{O, L, F}, 3, true, "a majority remains: 2 of 2 servers serve"},
        {{F, L, HIDDEN},
         3,
         true,
         "it is not known whether a majority remains: 1 of 3 servers serves, and the mode"},
        {{F, L, F, SILENT},
         4,
         true,
         "it is not known whether a majority remains: 2 of 4 servers serve, and the mode"},
        {{F, L, F, F, SILENT}, 5, true, "a majority remains: 3 of 5 servers serve"},
        {{F, L, F, SILENT, SILENT},
         5,
         true,
         "it is not known whether a majority remains: 2 of 5 servers serve, and"},
        {{F}, 1, false, "it is not known whether a majority remains: 0 of 1 servers serve, and there may"},
        {{L, F, F}, 3, false, "it is not known whether a majority remains: 2 of 3 servers serve, and there"},
        {{SERVER_STANDALONE}, 1, false, "no other server has its data"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct framed show = framed_new(framed_two_elections(), ensemble_view_new());
        char address[] = "zk1:2181";

        for (size_t k = 0; k < cases[i].count; k++, address[2]++) {
            bool answers = cases[i].modes[k] != SILENT;
            stage_server(show.stage, 0, address,
                         answers ? (enum server_mode)cases[i].modes[k] : SERVER_UNKNOWN, 500,
                         answers ? NULL : "no answer");
        }
        if (cases[i].whole)
            stage_whole(show.stage, 0);
        framed_draw(&show);
        assert_has(show.text, cases[i].says);
        framed_end(&show);
    }
}

/* A critical finding comes before what is merely denied, and a note moves nothing. */
TEST(overview_weighs_findings)
{
    struct framed show = framed_new(scene_usual(), overview_view_new());
    const char *text = framed_draw(&show);

    assert_true(strstr(text, "never-acknowledged") < strstr(text, "/secret/election"));
    assert_true(strstr(text, "orders") < strstr(text, "never-acknowledged"));
    assert_has(text, "findings       X 2 critical");
    framed_end(&show);
}

/* Held, the events on the screen stay where they are while new ones come; followed,
   the latest is selected. */
TEST(events_hold_still_unless_followed)
{
    struct framed show = framed_new(framed_two_elections(), events_view_new());
    char held[FRAMED_WIDTH * CELL_BYTES];

    framed_press(&show, ACTION_DOWN, NULL);
    snprintf(held, sizeof held, "%s", framed_selected(&show));
    stage_children(show.stage, 0, "/a/election", framed_line + 1, 4, 0, 0);
    assert_string_equal(framed_selected(&show), held);
    framed_press(&show, ACTION_FOLLOW, NULL);
    assert_string_not_equal(framed_selected(&show), held);
    stage_children(show.stage, 0, "/a/election", framed_line + 2, 3, 0, 0);
    assert_has(framed_selected(&show), "leader elected");
    framed_end(&show);
}

/* Every key of the table is in the help, and every sign of the legend has its word. */
TEST(help_has_every_key)
{
    struct framed show = framed_new(
        framed_two_elections(), help_view_new("overview", ACTION_BIT(ACTION_SORT) | ACTION_BIT(ACTION_HELP)));
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);

    cells_resize(show.cells, FRAMED_WIDTH, 120);
    framed_draw(&show);
    for (size_t i = 0; i < count; i++)
        assert_has(show.text, bindings[i].keys);
    /* What does something here stands above what does not. */
    const char *elsewhere = strstr(show.text, "KEYS ELSEWHERE");
    assert_true(strstr(show.text, "sort by the next column") < elsewhere);
    assert_true(strstr(show.text, "reverse sort order") > elsewhere);
    assert_has(show.text, "STATES");
    assert_has(show.text, "no one led");
    framed_end(&show);
}

/* What is to be read is not cut above empty lines: only findings that share the pane have three lines each. */
TEST(a_finding_alone_is_told_whole)
{
    static const char long_text[] =
        "word word word word word word word word word word word word word word word word word word word word "
        "word word word word word word word word word word word word word word word word word word word word "
        "word word word word word word word word word word word word word word word word word word word word "
        "end.";
    struct stage *stage = stage_new((const char *const[]){"", NULL});
    struct framed show;

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/svc/a", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/svc/a", NULL, 0, 5, 0);
    stage_pass(stage, 60000000);
    stage_children(stage, 0, "/svc/a", NULL, 0, 0, 0);
    const struct election *election = model_election(stage_model(stage), 0, "/svc/a");
    assert_int_equal(election->finding_count, 1);
    free(election->findings[0]->evidence);
    election->findings[0]->evidence = strdup(long_text);
    show = framed_new(stage, election_view_new(election->cluster->name, "/svc/a"));
    cells_resize(show.cells, 80, 40);
    assert_has(framed_draw(&show), "end.");
    framed_end(&show);
}

/* Names that attack the terminal are shown, and nothing of them reaches it. */
TEST(hostile_names_stay_text)
{
    struct framed show = framed_new(scene_hostile(), election_view_new("prod", "/hostile/election"));

    assert_has(show.text, "n_\\x1");
    for (const char *c = show.text; *c != '\0'; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
    show.cells->ascii = false;
    framed_draw(&show);
    for (const char *c = show.text; *c != '\0'; c++)
        assert_true(*c == '\n' || (unsigned char)*c >= ' ');
    framed_end(&show);
}

/* A name that says who it is and is shortened says so all the same. */
TEST(events_report_who_it_is)
{
    static const struct stand both[] = {{"72057594037927936-10.0.3.17:8983_solr-n_0000000001", 1, "", 60},
                                        {"72057594037927937-10.0.3.18:8983_solr-n_0000000002", 2, "", 0}};
    struct stage *stage = stage_of("/overseer_elect/election", KIND_LEADER);
    stage_children(stage, 0, "/overseer_elect/election", both, 1, 2, 0);
    stage_pass(stage, 2000000);
    stage_children(stage, 0, "/overseer_elect/election", both, 2, 0, 0);
    stage_pass(stage, 2000000);
    stage_children(stage, 0, "/overseer_elect/election", both + 1, 1, 0, 0);
    struct framed show = framed_new(stage, events_view_new());
    const char *text = framed_draw(&show);
    assert_has(text, "joined           n_..2 10.0.3.18:8983_solr");
    assert_has(text, "leader lost      n_..1 10.0.3.17:8983_solr");
    cells_resize(show.cells, 40, 12);
    text = framed_draw(&show);
    assert_has(text, "joined ..2 10.0");
    assert_has(text, "leader lost ..1");
    framed_end(&show);
}

/* So many of these events, from this one on. */
static struct event_log *log_of(const struct scene *scene, int first, int count)
{
    struct event_log *log = event_log_new();
    for (int i = first; i < first + count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n_%d", i);
        event_log_add(log, &(struct event){.kind = EVENT_CANDIDATE_JOINED,
                                           .at = {1, 1000000 * (i + 1)},
                                           .cluster = &scene->model->clusters[0],
                                           .candidate = name});
    }
    return log;
}

/* Its data is read after it joined, and is gone once it has left: the line of that keeps who it was. */
TEST(a_line_keeps_who_joined)
{
    struct framed show = framed_new(framed_two_elections(), events_view_new());
    struct scene scene = framed_scene(&show);
    struct event_log *log = event_log_new();
    const struct cluster *cluster = &scene.model->clusters[0];
    struct event event = {.kind = EVENT_CANDIDATE_JOINED,
                          .cluster = cluster,
                          .election = cluster->elections[0],
                          .candidate = "n_0000000077"};
    event_log_add(log, &event);
    event.kind = EVENT_LEADER_LOST;
    event.identity = "host-a";
    event_log_add(log, &event);
    assert_string_equal(event_log_at(log, 1)->label, "joined");
    assert_string_equal(event_log_at(log, 1)->subject, "n_0000000077 host-a");
    event_log_free(log);
    framed_end(&show);
}

/* The events of a moment of the past are gathered anew as one moves; the one that was chosen stays chosen. */
TEST(events_selection_stays_with_its_event)
{
    struct framed show = framed_new(framed_two_elections(), events_view_new());
    struct scene scene = framed_scene(&show);
    struct event_log *all = log_of(&scene, 1, 6), *fewer = log_of(&scene, 3, 2);
    struct view *next = NULL;

    scene.events = all;
    show.view->ops->draw(show.view, &scene, show.cells);
    for (int i = 0; i < 3; i++)
        show.view->ops->action(show.view, &scene, ACTION_DOWN, &next); /* to the third */
    scene.events = fewer;
    cells_clear(show.cells);
    show.view->ops->draw(show.view, &scene, show.cells);
    char *text = drawn_text(show.cells);
    const char *selected = strstr(text, "\n>");
    assert_non_null(selected);
    assert_memory_equal(strstr(selected, "n_"), "n_3", 3);
    free(text);
    event_log_free(all);
    event_log_free(fewer);
    framed_end(&show);
}

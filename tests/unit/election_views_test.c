/* What the views of one election and of one candidate do when the model changes under them, seen as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/framed.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/words/election_filter.h"
#include "tui/views/screens.h"

static struct framed show_election(struct stage *stage)
{
    return framed_new(stage, election_view_new("", "/a/election"));
}

/* Of several findings each text is told in full, where rows are left. */
TEST(findings_have_the_rows_that_are_left)
{
    struct framed show = framed_new(scene_chain(), election_view_new("prod", "/election"));

    cells_resize(show.cells, 46, 67);
    assert_has(framed_draw(&show), "what it waits for)\n    check how");
    framed_end(&show);
}

/* How long it has been first is one figure. */
TEST(unacknowledged_is_as_old_as_led)
{
    struct stage *stage = scene_usual();
    struct election *election = (struct election *)model_election(stage_model(stage), 0, "/_zkelection/app");
    struct framed show = framed_new(stage, election_view_new("prod", "/_zkelection/app"));

    assert_has(framed_draw(&show), " for 2m19s");
    assert_has(framed_draw(&show), "not acknowledged for 2m19s at ");
    election->leader_since_exact = false;
    assert_has(framed_draw(&show), " for <=2m20s");
    assert_has(framed_draw(&show), "not acknowledged for <=2m20s at ");
    election->change.takeover_us = 412000; /* it was, until just now */
    free(election->change.to);
    election->change.to = strdup(election->leader->name);
    election->unacknowledged_since = election->leader_since;
    assert_has(framed_draw(&show), "no longer acknowledged for 2m19s");
    framed_end(&show);
}

/* The selection stays with its candidate when those before it leave. */
TEST(election_selection_stays_with_its_candidate)
{
    struct framed show = show_election(framed_two_elections());

    framed_press(&show, ACTION_DOWN, NULL);
    framed_press(&show, ACTION_DOWN, NULL);
    assert_has(framed_selected(&show), "n_0000000003");
    stage_children(show.stage, 0, "/a/election", framed_line + 1, 4, 0, 0);
    assert_has(framed_selected(&show), "n_0000000003");
    framed_end(&show);
}

/* When the selected candidate leaves, it is said, and the place is kept, until somebody moves. */
TEST(election_says_that_the_selected_left)
{
    static const struct stand rest[] = {{"n_0000000001", 0x11, "host-a", 60},
                                        {"n_0000000003", 0x13, "host-c", 40},
                                        {"n_0000000004", 0x14, "host-d", 30}};
    struct framed show = show_election(framed_two_elections());

    framed_press(&show, ACTION_DOWN, NULL);
    assert_has(framed_selected(&show), "n_0000000002");
    stage_children(show.stage, 0, "/a/election", rest, 3, 0, 0);
    assert_has(framed_selected(&show), "n_0000000003");
    assert_has(framed_draw(&show), "n_0000000002 has left");
    framed_press(&show, ACTION_DOWN, NULL);
    assert_has_not(framed_draw(&show), "has left");
    framed_end(&show);
}

/* Following the leader, the selection goes to whoever leads, until somebody moves. */
TEST(election_follows_the_leader)
{
    struct framed show = show_election(framed_two_elections());

    framed_press(&show, ACTION_LAST, NULL);
    assert_has(framed_selected(&show), "n_0000000004");
    framed_press(&show, ACTION_FOLLOW, NULL);
    assert_has(framed_selected(&show), "n_0000000001");
    stage_children(show.stage, 0, "/a/election", framed_line + 1, 3, 0, 0);
    assert_has(framed_selected(&show), "n_0000000002");
    assert_has(framed_selected(&show), "leads");
    assert_has(framed_draw(&show), "following the leader");
    framed_press(&show, ACTION_DOWN, NULL);
    stage_children(show.stage, 0, "/a/election", framed_line + 2, 2, 0, 0);
    assert_has(framed_selected(&show), "n_0000000003");
    assert_has_not(framed_draw(&show), "following");
    framed_end(&show);
}

/* What is not known says so: nobody has asked the servers who watches whom. */
TEST(election_does_not_claim_watches)
{
    struct framed show = show_election(framed_two_elections());

    assert_has(show.text, "? not polled yet");
    assert_has(show.text, "leads, if notified: the servers have not been polled yet");
    assert_has_not(show.text, "notified, leads");
    framed_end(&show);
}

/* A chain that the servers show is drawn as it is: right, cut, wrong, and not known, each in words too. */
TEST(election_shows_the_real_chain)
{
    struct framed show = framed_new(scene_chain(), election_view_new("prod", "/election"));
    const char *text = framed_draw(&show);

    assert_has(text, "+ If the leader leaves now n_..43 10.0.3.18:40112 notified, leads; also: n_..50");
    /* One of those behind it is on a server that does not answer: it may be told. */
    assert_has(
        text,
        "X If n_..45 leaves         n_..47 not notified: it watches nothing here, and the chain ends there");
    assert_has(text, "; others: unknown");
    assert_has(text, " |   2  n_0000000043");
    assert_has(text, " X   4  n_0000000047");
    assert_has(text, "nothing: never notified");
    assert_has(text, " :   6  n_0000000049");
    assert_has(text, "? zk3 does not answer");
    assert_has(text, " \\   7  n_0000000050");
    assert_has(text, "~ n_..42, not its predecessor");
    assert_has(text, "restart the client at 10.0.3.20:58122");
    framed_end(&show);
}

/* A first candidate without a session never goes by itself; and where another is told,
   nobody says "nobody". */
TEST(departures_that_are_not_ordinary)
{
    static const struct stand stands[] = {{"n_0000000042", 0, "10.0.3.17:7000", 3600},
                                          {"n_0000000043", 0x2, "10.0.3.18:7000", 3500},
                                          {"n_0000000045", 0x3, "10.0.3.19:7000", 3400},
                                          {"n_0000000047", 0x4, "10.0.3.20:7000", 3300}};
    static const struct shown sessions[] = {
        {.session = 0x2, .client = "10.0.3.18:40112", .watches = {"/election/n_0000000042"}},
        {.session = 0x3, .client = "10.0.3.19:40112"},
        {.session = 0x4,
         .client = "10.0.3.20:40112",
         .watches = {"/election/n_0000000043", "/election/n_0000000045"}}};
    struct stage *stage = stage_new((const char *const[]){"prod", NULL});
    struct framed show;
    const char *text;

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
    stage_children(stage, 0, "/election", stands, 4, 48, 0);
    for (int round = 0; round < 6; round++) {
        stage_pass(stage, 6000000);
        stage_round(stage, 0, "zk1:2181", sessions, 3);
        stage_synced(stage, 0, "/election");
    }
    stage_pass(stage, 1000000);
    show = framed_new(stage, election_view_new("prod", "/election"));
    text = framed_draw(&show);
    assert_has(text, "X If the first leaves now  it stays forever (no session owns it): "
                     "only a deletion lets n_..43 lead");
    assert_has(text,
               "X If n_..43 leaves         n_..45 not notified: it watches nothing here, and the chain ends "
               "there; instead: n_..47");
    assert_has_not(text, "no one is notified");
    framed_end(&show);
}

/* What if plays the selected candidate's departure through, up to where nobody is told; Esc ends it first. */
TEST(what_if_follows_the_line_to_its_end)
{
    struct framed show = framed_new(scene_chain(), election_view_new("prod", "/election"));
    const char *text;

    framed_draw(&show);
    framed_press(&show, ACTION_WHAT_IF, NULL);
    text = framed_draw(&show);
    assert_has(text, "+ When n_..42 leaves");
    assert_has(text, "+ then n_..43 leaves       n_..45 10.0.3.19:39920 notified, leads");
    assert_has(text,
               "X then n_..45 leaves       n_..47 not notified: it watches nothing here, and does not lead");
    assert_has_not(text, "then n_..47 leaves");
    framed_press(&show, ACTION_LAST, NULL);
    text = framed_draw(&show);
    assert_has(text, "When n_..50 leaves");
    assert_has(text, "no candidate is after it");
    assert_int_equal(framed_press(&show, ACTION_BACK, NULL), VIEW_DONE);
    assert_has_not(framed_draw(&show), "When n_..50 leaves");
    assert_int_equal(framed_press(&show, ACTION_BACK, NULL), VIEW_IGNORED);
    framed_end(&show);
}

/* Of a whole line it says so, and of one that nobody shows only what is not known. */
TEST(election_says_whether_the_line_is_whole)
{
    struct framed whole =
        framed_new(scene_chain(), election_view_new("prod", "/druid/coordinator/_COORDINATOR"));
    struct framed hidden = framed_new(scene_hidden(), election_view_new("prod", "/election"));

    assert_has(framed_draw(&whole), "is intact: each successor is notified");
    assert_has(framed_draw(&hidden), "may stop at n_..43: ");
    assert_has(hidden.text, "? no server shows it");
    assert_has_not(hidden.text, "is intact");
    framed_end(&whole);
    framed_end(&hidden);
}

/* What is about a cluster and no election passes where elections of that cluster may. */
TEST(filter_of_a_cluster)
{
    char name[] = "prod-eu";
    const struct cluster prod = {.name = name};
    assert_true(election_filter_match_cluster("cluster:prod vacant", &prod));
    assert_true(election_filter_match_cluster("state:vacant", &prod));
    assert_false(election_filter_match_cluster("cluster:stage", &prod));
}

/* Among ten thousand, a filter finds one by name, identity or session, and its place in line stays. */
TEST(election_filter_finds_one_in_a_crowd)
{
    struct framed show = framed_new(scene_crowd(10000), election_view_new("prod", "/election"));

    show.view->ops->filter(show.view, "n_0000004321");
    assert_has(framed_selected(&show), " 4222  n_0000004321");
    show.view->ops->filter(show.view, "10.0.39.15:");
    assert_has(framed_selected(&show), "10000  n_0000010099");
    show.view->ops->filter(show.view, "0x100002a4d000064");
    assert_has(framed_selected(&show), "  101  n_0000000200");
    show.view->ops->filter(show.view, "");
    assert_has(framed_selected(&show), "n_0000000200");
    framed_press(&show, ACTION_LAST, NULL);
    assert_has(framed_selected(&show), "n_0000010099");
    framed_press(&show, ACTION_NEXT_MATCH, NULL);
    assert_has(framed_selected(&show), "n_0000000100");
    framed_end(&show);
}

/* An election that is no longer watched says so, and Esc goes back. */
TEST(election_that_is_gone_says_so)
{
    struct framed show = framed_new(framed_two_elections(), election_view_new("", "/c/election"));

    assert_has(show.text, "/c/election is no longer watched");
    assert_int_equal(framed_press(&show, ACTION_OPEN, NULL), VIEW_IGNORED);
    assert_int_equal(framed_press(&show, ACTION_BACK, NULL), VIEW_IGNORED);
    framed_end(&show);
}

/* The head says who is responsible and what to do, as configured. */
TEST(election_names_its_owner)
{
    static char path[] = "/a/election", owner[] = "team-a", runbook[] = "https://example.org/a";
    struct election_settings said = {.path = path, .owner = owner, .runbook = runbook};
    struct framed show = show_election(framed_two_elections());
    struct cluster_settings *cluster = stage_settings(show.stage)->clusters;

    assert_has_not(show.text, "owner:");
    cluster->elections = &said;
    cluster->election_count = 1;
    assert_has(framed_draw(&show), "owner: team-a   runbook: https://example.org/a");
    static char longer[] =
        "https://example.org/teams/payments/runbooks/elections/what-to-do-where-nobody-leads-and-who-else"
        "-to-call/at-night";
    said.runbook = longer; /* on a line of its own, and whole */
    assert_has(framed_draw(&show), longer);
    cluster->elections = NULL;
    cluster->election_count = 0;
    framed_end(&show);
}

/* All of a candidate's Stat is there, in ZooKeeper's words, and its place among the others. */
TEST(candidate_shows_all_of_its_stat)
{
    static const char *const fields[] = {"czxid",          "ctime",      "mzxid",      "mtime",
                                         "pzxid",          "version",    "cversion",   "aversion",
                                         "ephemeralOwner", "dataLength", "numChildren"};
    struct framed show = framed_new(scene_usual(), candidate_view_new("prod", "/election", "n_0000000048"));

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_has(show.text, fields[i]);
    assert_has(show.text, "0x200002a4d0a0005");
    assert_has(show.text, "5 of 7");
    assert_has(show.text, "n_..47 10.0.3.20:58122");
    assert_has(show.text, "\"host\": \"10.0.3.21\"");
    framed_end(&show);
}

/* Its data can be read in each form that fits, and none is lost on the way round. */
TEST(candidate_data_has_forms)
{
    struct framed show = framed_new(scene_usual(), candidate_view_new("prod", "/election", "n_0000000048"));

    assert_has(framed_draw(&show), "data as JSON,");
    framed_press(&show, ACTION_RIGHT, NULL);
    assert_has(framed_draw(&show), "data as JSON folded,");
    framed_press(&show, ACTION_RIGHT, NULL);
    assert_has(framed_draw(&show), "data as text,");
    framed_press(&show, ACTION_RIGHT, NULL);
    assert_has(framed_draw(&show), "data as hex,");
    assert_has(framed_draw(&show), "00000000  7b 22 68");
    framed_press(&show, ACTION_RIGHT, NULL);
    assert_has(framed_draw(&show), "data as JSON,");
    framed_end(&show);
}

/* A candidate that has left says so, with what happened. */
TEST(candidate_that_left_says_so)
{
    struct framed show =
        framed_new(framed_two_elections(), candidate_view_new("", "/a/election", "n_0000000001"));

    assert_has(show.text, "leads for");
    stage_children(show.stage, 0, "/a/election", framed_line + 1, 3, 0, 0);
    assert_has(framed_draw(&show), "n_0000000001 is no longer a candidate here");
    assert_has(framed_draw(&show), "leader lost");
    framed_end(&show);
}

/* The same session's other candidacies are named. */
TEST(candidate_names_its_sessions_others)
{
    struct framed show =
        framed_new(framed_two_elections(), candidate_view_new("", "/a/election", "n_0000000001"));

    assert_has(show.text, "elsewhere   beta, leads");
    framed_end(&show);
}

/* What was seen before the connection was lost may not hold any more: nothing is promised of the next
   failover, while it still can be read what it was. */
TEST(election_promises_nothing_that_is_old)
{
    struct framed show = framed_new(scene_chain(), election_view_new("prod", "/election"));

    assert_has(framed_draw(&show), "+ If the leader leaves now");
    stage_disconnected(show.stage, 0, "the connection was lost");
    assert_has(framed_draw(&show), "? If the leader leaves now");
    assert_has(show.text, "notified, leads");
    framed_end(&show);
}

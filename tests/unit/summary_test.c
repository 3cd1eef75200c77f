/* One snapshot, as JSON and as text, over a scripted model: what is said, what is admitted not to be known, and
   what the exit status makes of it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/json/json_snapshot.h"
#include "probe/election/summary.h"
#include "tests/support/golden.h"
#include "tests/support/json_back.h"
#include "tests/support/scenes.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/output/snapshot_text.h"

/* The whole document, key by key, as scripts rely on it. */
TEST(json_is_as_promised)
{
    struct model *model = scripted_world();
    struct buffer out = {0};
    json_snapshot_write(&out, model, scripted_now(), NULL, NULL);
    json_decref(json_back_of(&out));
    golden_check("tests/unit/data/once.json", &out);
    buffer_free(&out);
    model_free(model);
}

/* Every key of the contract's example is there, in every election and every candidate, known or not. */
TEST(json_has_every_key)
{
    static const char *const of_cluster[] = {
        "name", "hosts", "state", "session", "servers", "watches_complete", "elections"};
    static const char *const of_election[] = {
        "path",   "name",       "kind",          "recipe",    "family",        "recognised", "state",
        "leader", "candidates", "next_sequence", "failovers", "next_failover", "findings"};
    static const char *const of_candidate[] = {"position",
                                               "name",
                                               "sequence",
                                               "session",
                                               "identity",
                                               "client",
                                               "server",
                                               "created",
                                               "session_timeout_ms",
                                               "silent_ms",
                                               "expires_at_latest",
                                               "predecessor",
                                               "watches",
                                               "watched_by",
                                               "state"};
    struct model *model = scripted_world();
    struct buffer out = {0};
    json_snapshot_write(&out, model, scripted_now(), NULL, NULL);
    json_t *document = json_back_of(&out), *cluster, *election, *candidate;
    size_t i, j, k, seen = 0;
    json_array_foreach(json_object_get(document, "clusters"), i, cluster)
    {
        for (k = 0; k < sizeof of_cluster / sizeof *of_cluster; k++)
            assert_non_null(json_object_get(cluster, of_cluster[k]));
        json_array_foreach(json_object_get(cluster, "elections"), j, election)
        {
            for (k = 0; k < sizeof of_election / sizeof *of_election; k++)
                assert_non_null(json_object_get(election, of_election[k]));
            size_t at;
            json_array_foreach(json_object_get(election, "candidates"), at, candidate)
            {
                for (k = 0; k < sizeof of_candidate / sizeof *of_candidate; k++)
                    assert_non_null(json_object_get(candidate, of_candidate[k]));
                seen++;
            }
        }
    }
    assert_int_equal(seen, 6);
    json_decref(document);
    buffer_free(&out);
    model_free(model);
}

static json_t *candidate_of(json_t *election, size_t i)
{
    return json_array_get(json_object_get(election, "candidates"), i);
}

static void is_text(json_t *object, const char *key, const char *wanted)
{
    json_t *value = json_object_get(object, key);
    if (!wanted)
        assert_true(json_is_null(value));
    else
        assert_string_equal(json_string_value(value), wanted);
}

/* What the servers show stands in the document: connections, watches, what the next failover does,
   findings. */
TEST(json_reports_the_real_chain)
{
    static const char *const states[] = {"leader",  "waiting", "waiting", "stuck",
                                         "waiting", "unknown", "wrong"};
    struct stage *stage = scene_chain();
    struct buffer out = {0};
    json_snapshot_write(&out, stage_model(stage), stage_now(stage), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *election = json_array_get(json_object_get(cluster, "elections"), 0);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        is_text(candidate_of(election, i), "state", states[i]);
    json_t *second = candidate_of(election, 1);
    is_text(second, "client", "10.0.3.18:40112");
    is_text(second, "server", "zk1:2181");
    assert_int_equal(json_integer_value(json_object_get(second, "session_timeout_ms")), 10000);
    assert_int_equal(json_integer_value(json_object_get(second, "silent_ms")), 1140);
    assert_true(json_is_string(json_object_get(second, "expires_at_latest")));
    json_t *watches = json_object_get(second, "watches");
    assert_int_equal(json_array_size(watches), 1);
    assert_string_equal(json_string_value(json_array_get(watches, 0)), "n_0000000042");
    watches =
        json_object_get(candidate_of(election, 4), "watches"); /* outside of the election: its full path */
    assert_string_equal(json_string_value(json_array_get(watches, 1)), "/jobs/n_0000000007");
    assert_int_equal(json_array_size(json_object_get(candidate_of(election, 0), "watched_by")), 2);
    assert_int_equal(json_array_size(json_object_get(candidate_of(election, 0), "watches")), 0);
    /* One server of three does not answer: that nobody watches the last one is not known. */
    assert_true(json_is_null(json_object_get(candidate_of(election, 6), "watched_by")));
    assert_true(json_is_false(json_object_get(cluster, "watches_complete")));
    json_t *servers = json_object_get(cluster, "servers");
    is_text(json_array_get(servers, 0), "watches_from", "adminserver");
    is_text(json_array_get(servers, 2), "watches_from", NULL);
    json_t *next = json_object_get(election, "next_failover");
    is_text(next, "heir", "n_0000000043");
    assert_true(json_is_true(json_object_get(next, "told")));
    is_text(next, "chain", "broken");
    is_text(next, "broken_at", "n_0000000047");
    assert_true(json_is_true(json_object_get(next, "by_itself")));
    json_t *finding = json_array_get(json_object_get(election, "findings"), 0);
    is_text(finding, "code", "no-watch");
    is_text(finding, "severity", "error");
    is_text(finding, "certainty", "certain");
    is_text(finding, "unconfirmed_since", NULL);
    assert_false(summary_is_sound(stage_model(stage)));
    json_decref(document);
    buffer_free(&out);
    stage_free(stage);
}

#define HERD 3000

/* A herd is told to its last one. */
TEST(json_reports_a_whole_herd)
{
    struct stage *stage = scene_crowd(HERD);
    struct shown *sessions = calloc(HERD, sizeof *sessions);
    assert_non_null(sessions);
    for (size_t i = 0; i < HERD; i++)
        sessions[i] = (struct shown){.session = 0x100002a4d000000 + i, .client = "10.0.3.17:40112"};
    for (size_t i = 1; i < HERD; i++)
        sessions[i].watches[0] = "/election/n_0000000100";
    stage_server(stage, 0, "zk1:2181", SERVER_STANDALONE, 600, NULL);
    for (int round = 0; round < 2; round++) {
        stage_round(stage, 0, "zk1:2181", sessions, HERD);
        stage_pass(stage, 6 * 1000000);
    }
    struct buffer out = {0};
    json_snapshot_write(&out, stage_model(stage), stage_now(stage), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *election = json_array_get(json_object_get(cluster, "elections"), 0);
    assert_int_equal(json_array_size(json_object_get(candidate_of(election, 0), "watched_by")), HERD - 1);
    json_decref(document);
    buffer_free(&out);
    free(sessions);
    stage_free(stage);
}

/* Servers that show nothing leave all of it null: nothing is claimed, and no finding comes of it. */
TEST(json_of_hidden_watches_is_null)
{
    static const char *const keys[] = {
        "client", "server", "session_timeout_ms", "silent_ms", "expires_at_latest", "watches", "watched_by"};
    struct stage *stage = scene_hidden();
    struct buffer out = {0};
    json_snapshot_write(&out, stage_model(stage), stage_now(stage), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *election = json_array_get(json_object_get(cluster, "elections"), 0);
    is_text(json_array_get(json_object_get(cluster, "servers"), 0), "watches_problem",
            stage_model(stage)->clusters[0].servers[0].hidden[HIDDEN_WATCHES]);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_true(json_is_null(json_object_get(candidate_of(election, 1), keys[i])));
    is_text(candidate_of(election, 1), "state", "unknown");
    json_t *next = json_object_get(election, "next_failover");
    assert_true(json_is_null(json_object_get(next, "told")));
    is_text(next, "chain", "unknown");
    assert_true(summary_is_sound(stage_model(stage)));
    json_decref(document);
    buffer_free(&out);
    stage_free(stage);
}

/* After a lost connection nothing is claimed to hold: the state is unknown, and since when it is told. */
TEST(lost_connection_is_unknown)
{
    struct model *model = scripted_world();
    assert_int_equal(summary_state(model_election(model, 0, "/election")), ELECTION_LED);
    assert_int_equal(summary_state(model_election(model, 0, "/closed")), ELECTION_DENIED);
    scripted_connect(model, 0, -1, CONNECTION_CONNECTING, "connection lost");
    assert_int_equal(summary_state(model_election(model, 0, "/election")), ELECTION_UNKNOWN);
    assert_int_equal(summary_state(model_election(model, 0, "/closed")), ELECTION_UNKNOWN);
    struct buffer out = {0};
    json_snapshot_write(&out, model, scripted_now(), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *election = json_array_get(json_object_get(cluster, "elections"), 0);
    assert_string_equal(json_string_value(json_object_get(election, "state")), "unknown");
    assert_string_equal(json_string_value(json_object_get(election, "stale_since")),
                        "2026-11-20T14:03:21.104Z");
    assert_true(json_is_object(json_object_get(election, "leader")));
    json_decref(document);
    buffer_free(&out);
    model_free(model);
}

/* Paths are told as their users give them: below the chroot, and never only a part of a name. */
TEST(paths_below_the_chroot)
{
    const struct {
        char chroot[8], path[16];
        const char *shown;
    } table[] = {
        {"", "/a", "/a"},      {"/app", "/app/a", "/a"},
        {"/app", "/app", "/"}, {"/app", "/apple/a", "/apple/a"},
        {"/app", "/b", "/b"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char chroot[8], path[16];
        memcpy(chroot, table[i].chroot, sizeof chroot);
        memcpy(path, table[i].path, sizeof path);
        struct cluster cluster = {.chroot = chroot};
        struct election *election = calloc(1, sizeof *election);
        assert_non_null(election);
        election->cluster = &cluster;
        election->path = path;
        assert_string_equal(summary_path(election), table[i].shown);
        free(election);
    }
}

static void check_text(const char *golden, const struct print_style *how)
{
    struct model *model = scripted_world();
    struct buffer out = {0};
    snapshot_text_print(&out, model, scripted_now(), how);
    for (size_t i = 0; i < out.length; i++) {
        unsigned char c = (unsigned char)out.bytes[i];
        assert_true(c >= 0x20 || c == '\n' || (c == 0x1b && how->theme.depth != DEPTH_MONO));
        assert_true(!how->ascii || c < 0x80);
    }
    golden_check(golden, &out);
    buffer_free(&out);
    model_free(model);
}

/* Into a pipe nothing is cut and nothing coloured; strangers' bytes are shown, never sent. */
TEST(text_into_a_pipe)
{
    check_text("tests/unit/data/once.txt", &(struct print_style){.theme = {.depth = DEPTH_MONO}});
}

/* With --ascii not one byte is beyond ASCII. */
TEST(text_in_ascii)
{
    check_text("tests/unit/data/once_ascii.txt",
               &(struct print_style){.ascii = true, .theme = {.depth = DEPTH_MONO}});
}

/* On a narrow terminal the tables give way, and a candidate's number is never cut. */
TEST(text_on_a_terminal)
{
    check_text("tests/unit/data/once_60.txt",
               &(struct print_style){.theme = {.depth = DEPTH_MONO}, .width = 60});
    check_text("tests/unit/data/once_color.txt",
               &(struct print_style){.theme = {.palette = PALETTE_DARK, .depth = DEPTH_8}, .width = 80});
}

static size_t lines_with(const struct model *model, const struct print_style *how, const char *text)
{
    struct buffer out = {0};
    size_t found = 0;
    snapshot_text_print(&out, model, scripted_now(), how);
    buffer_put_char(&out, '\0');
    for (const char *at = out.bytes; (at = strstr(at, text)) != NULL; at++)
        found++;
    buffer_free(&out);
    return found;
}

/* For how long nobody has stood is told where it was seen to begin, however short that is; a first look knows
   nothing of it. */
TEST(a_vacancy_that_was_seen_is_reported)
{
    struct model *model = scripted_world();
    struct election *election = model_election(model, 0, "/vacant");
    const struct print_style pipe = {.theme = {.depth = DEPTH_MONO}};
    election->state_since = scripted_now();
    election->state_since.mono_us -= 400000;
    election->state_since.wall_us -= 400000;
    election->state_since_exact = true;
    assert_int_equal(lines_with(model, &pipe, "no candidate for 0.4s"), 1);
    election->state_since_exact = false;
    assert_int_equal(lines_with(model, &pipe, "no candidate; it is not known since when"), 1);
    model_free(model);
}

/* Of one that certainly keeps everybody waiting it is not said that it leads. */
TEST(a_leftover_is_first)
{
    static const struct scripted_node nodes[] = {{"n_0000000001", 0, -60, NULL},
                                                 {"n_0000000002", 0x100000000000002, -50, NULL}};
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    assert_non_null(model);
    scripted_connect(model, 0, -10, CONNECTION_CONNECTED, NULL);
    scripted_watch(model, 0, "/election", -9);
    scripted_list(model, 0, "/election", -8, 2, nodes, 2);
    struct print_style how = {.theme = {.depth = DEPTH_MONO}};
    assert_int_equal(lines_with(model, &how, " has been first for at most "), 1);
    assert_int_equal(lines_with(model, &how, " led for"), 0);
    model_free(model);
}

/* A table shows the first of a crowd and says how many more there are; who names the path gets all. */
static void show_first_of_many(struct model *model, size_t many)
{
    struct print_style how = {.theme = {.depth = DEPTH_MONO}};
    assert_int_equal(lines_with(model, &how, "\n╎"), 19); /* and the leader */
    assert_int_equal(lines_with(model, &how, "9980 more (name the path to see all)"), 1);
    how.named = true;
    assert_int_equal(lines_with(model, &how, "\n╎"), many - 1);
    assert_int_equal(lines_with(model, &how, "more (name"), 0);
}

/* A pattern that nothing matches is named: it is not for want of a path that nothing is shown. */
TEST(nothing_matches)
{
    char *error = NULL, pattern[] = "/*/nothere", none[] = "", hosts[] = "zk1:2181";
    struct election_settings election = {.path = pattern};
    struct cluster_settings cluster = {.name = none, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct model *model = model_new(&settings, &error);
    assert_non_null(model);
    scripted_connect(model, 0, -10, CONNECTION_CONNECTED, NULL);
    struct print_style how = {.theme = {.depth = DEPTH_MONO}, .settings = &settings};
    assert_int_equal(lines_with(model, &how, "name its path"), 1);
    cluster.elections = &election;
    cluster.election_count = 1;
    assert_int_equal(lines_with(model, &how, "name its path"), 0);
    assert_int_equal(lines_with(model, &how, "nothing matches /*/nothere yet"), 1);
    model_free(model);
}

/* Between the end of a leader and the answer of who follows, nobody is said to be missing: some stand. */
TEST(a_look_between_two_leaders)
{
    struct model *model = scripted_world();
    const struct election *election = model_election(model, 0, "/election");
    assert_true(election->candidate_count > 1);
    char leader[256];
    snprintf(leader, sizeof leader, "/election/%s", election->leader->name);
    model_observe(
        model, &(struct observation){
                   .kind = OBSERVED_ABSENT, .at = scripted_at(-1), .election = "/election", .path = leader});
    assert_int_equal(election->state, ELECTION_ELECTING);
    struct buffer out = {0};
    json_snapshot_write(&out, model, scripted_now(), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *shown = json_array_get(json_object_get(cluster, "elections"), 0);
    is_text(shown, "path", "/election");
    is_text(shown, "state", "unknown");
    is_text(shown, "problem", "its leader has left, and its successor is not confirmed yet");
    assert_true(json_array_size(json_object_get(shown, "candidates")) > 0);
    json_decref(document);
    buffer_free(&out);
    model_free(model);
}

/* Of a leader that may not be read the sentence says so, instead of asking three times. */
TEST(an_unreadable_leader)
{
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    assert_non_null(model);
    scripted_connect(model, 0, -10, CONNECTION_CONNECTED, NULL);
    scripted_watch(model, 0, "/election", -9);
    char *names[] = {(char[]){"n_0000000001"}};
    struct znode_stat directory = {.czxid = 1, .pzxid = 2, .cversion = 1, .children = 1};
    model_observe(model, &(struct observation){.kind = OBSERVED_CHILDREN,
                                               .at = scripted_at(-8),
                                               .election = "/election",
                                               .path = "/election",
                                               .children = {.stat = &directory, .names = names, .count = 1}});
    model_observe(model, &(struct observation){.kind = OBSERVED_DENIED,
                                               .at = scripted_at(-8),
                                               .election = "/election",
                                               .path = "/election/n_0000000001"});
    struct print_style how = {.theme = {.depth = DEPTH_MONO}};
    assert_int_equal(
        lines_with(model, &how, "  n_0000000001 leads; who and since when: permission denied (ACL)"), 1);
    model_free(model);
}

/* A crowd costs its lines: ten thousand candidates are written without a tree, and read back in order. */
TEST(ten_thousand)
{
    enum { MANY = 10000 };
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    char **names = calloc(MANY, sizeof *names);
    assert_non_null(names);
    for (int i = 0; i < MANY; i++) {
        names[i] = malloc(32);
        assert_non_null(names[i]);
        snprintf(names[i], 32, "n_%010d", MANY - 1 - i);
    }
    scripted_connect(model, 0, -10, CONNECTION_CONNECTED, NULL);
    scripted_watch(model, 0, "/election", -9);
    struct znode_stat directory = {.czxid = 1, .pzxid = 2, .cversion = MANY, .children = MANY};
    model_observe(model,
                  &(struct observation){.kind = OBSERVED_CHILDREN,
                                        .at = scripted_at(-8),
                                        .election = "/election",
                                        .path = "/election",
                                        .children = {.stat = &directory, .names = names, .count = MANY}});
    struct buffer out = {0};
    json_snapshot_write(&out, model, scripted_now(), NULL, NULL);
    json_t *document = json_back_of(&out);
    json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
    json_t *candidates =
        json_object_get(json_array_get(json_object_get(cluster, "elections"), 0), "candidates");
    assert_int_equal(json_array_size(candidates), MANY);
    json_t *last = json_array_get(candidates, MANY - 1);
    assert_string_equal(json_string_value(json_object_get(last, "name")), "n_0000009999");
    assert_string_equal(json_string_value(json_object_get(last, "predecessor")), "n_0000009998");
    assert_true(json_is_null(json_object_get(last, "session"))); /* its znode was not read */
    json_decref(document);
    show_first_of_many(model, MANY);
    for (int i = 0; i < MANY; i++)
        free(names[i]);
    free(names);
    buffer_free(&out);
    model_free(model);
}

/* A server that is not asked is neither up nor down; that our own session is connected to it proves it up,
   for as long as it is. */
TEST(unasked_is_unknown)
{
    struct stage *stage = scene_unasked();
    for (int connected = 1; connected >= 0; connected--) {
        struct buffer out = {0};
        if (!connected)
            stage_disconnected(stage, 0, "connection refused");
        json_snapshot_write(&out, stage_model(stage), stage_now(stage), NULL, NULL);
        json_t *document = json_back_of(&out);
        json_t *cluster = json_array_get(json_object_get(document, "clusters"), 0);
        json_t *servers = json_object_get(cluster, "servers");
        for (size_t i = 0; i < 3; i++) {
            json_t *server = json_array_get(servers, i), *reachable = json_object_get(server, "reachable");
            assert_true(connected && i == 0 ? json_is_true(reachable) : json_is_null(reachable));
            assert_true(json_is_null(json_object_get(server, "mode")));
            assert_true(json_is_null(json_object_get(server, "problem")));
            assert_non_null(
                strstr(json_string_value(json_object_get(server, "watches_problem")), "admin: 8080"));
        }
        json_decref(document);
        buffer_free(&out);
    }
    stage_free(stage);
}

/* What the servers say of a quorum goes before how an attempt to connect ended; nothing else does. */
TEST(no_quorum_is_counted)
{
    static const char waiting[] = "not serving: no quorum, or still starting",
                      read_only[] = "read-only: alone";
    static const struct {
        enum connection_state connection;
        const char *problems[3]; /* NULL: it serves; "": no answer; or what it says */
        const char *wanted;
    } table[] = {
        {CONNECTION_CONNECTING, {waiting, "", ""}, "no quorum: 1 of 3 servers answers"},
        {CONNECTION_CONNECTING, {waiting, "", waiting}, "no quorum: 2 of 3 servers answer"},
        {CONNECTION_CONNECTING, {waiting, NULL, ""}, "refused"},
        {CONNECTION_CONNECTING, {"", "", ""}, "refused"},
        {CONNECTION_EXPIRED, {waiting, "", ""}, "no quorum: 1 of 3 servers answers"},
        {CONNECTION_REFUSED, {waiting, "", ""}, "refused"},
        {CONNECTION_CONNECTING, {read_only, "", waiting}, "no quorum: 2 of 3 servers answer"},
        {CONNECTION_CONNECTING, {read_only, "", NULL}, "refused"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct server servers[3] = {{0}};
        char refused[] = "refused", texts[3][64], buffer[SUMMARY_QUORUM_SIZE];
        struct cluster cluster = {
            .connection = table[i].connection, .problem = refused, .servers = servers, .server_count = 3};
        for (size_t j = 0; j < 3; j++) {
            const char *problem = table[i].problems[j];
            servers[j].reachable = !problem || *problem;
            servers[j].mode = problem == read_only ? SERVER_READ_ONLY : SERVER_UNKNOWN;
            servers[j].problem = problem ? strcpy(texts[j], problem) : NULL;
        }
        assert_string_equal(summary_problem(&cluster, buffer), table[i].wanted);
    }
}

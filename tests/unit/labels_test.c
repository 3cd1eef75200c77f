#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/text.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/words/chain_lines.h"
#include "tui/words/finding_lines.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"

/* A column has few cells: what tells the servers apart, and never half an address. */
TEST(servers_are_reported_apart_in_few_columns)
{
    static const struct {
        const char *addresses[3], *shown;
    } cases[] = {
        {{"zk1.prod.example.com:2181", "zk2.prod.example.com:2181", "zk3.prod.example.com:2181"}, "zk1"},
        {{"127.0.0.1:11001", "127.0.0.1:11002", "127.0.0.1:11003"}, ":11001"},
        {{"127.0.0.1:11001", NULL, NULL}, ":11001"},
        {{"zk1:2181", NULL, NULL}, "zk1"},
        {{"10.0.3.17:2181", "10.0.3.18:2181", "10.0.3.19:2181"}, ".17"},
        {{"10.0.3.17:2181", "10.0.4.17:2181", "10.0.5.17:2181"}, "10.0.3.17"},
        {{"10.0.3.17:2181", "10.0.3.17:2182", "10.0.3.19:2181"}, "10.0.3.17:2181"},
    };
    static const struct stand one = {"n_0000000001", 0x1, "", 10};
    const struct shown session = {.session = 0x1, .client = "10.0.9.9:1"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage *stage = stage_new((const char *const[]){"prod", NULL});
        struct cells *cells = cells_new(80, 24);
        const struct election *election;
        char text[64];

        stage_connected(stage, 0, cases[i].addresses[0]);
        stage_watch(stage, 0, "/election", NULL, KIND_LEADER, NULL);
        stage_children(stage, 0, "/election", &one, 1, 2, 0);
        for (size_t k = 0; k < 3 && cases[i].addresses[k] != NULL; k++) {
            stage_server(stage, 0, cases[i].addresses[k], SERVER_FOLLOWER, 500, NULL);
            stage_round(stage, 0, cases[i].addresses[k], &session, k == 0);
        }
        election = model_election(stage_model(stage), 0, "/election");
        chain_server_text(cells, election, election->candidates[0], text, sizeof text);
        assert_string_equal(text, cases[i].shown);
        cells_free(cells);
        stage_free(stage);
    }
}

/* Where the code has no room, it gives way, and not the sign that it is suspected. */
TEST(what_is_suspected_is_never_shown_as_certain)
{
    static const struct {
        int room;
        const char *shown;
    } cases[] = {{40, "acknowledgement-mismatch suspected"},
                 {26, "acknowledgement-mismatch ?"},
                 {24, "acknowledgement-misma… ?"}};
    struct finding finding = {.code = FINDING_ACKNOWLEDGEMENT_MISMATCH, .certainty = CERTAINTY_SUSPECTED};
    struct finding *findings[] = {&finding};
    struct election election = {.findings = findings, .finding_count = 1};

    finding.severity = SEVERITY_ERROR;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cells *cells = cells_new(80, 1);
        struct text text = {0};

        finding_put_worst(cells, 0, 0, cases[i].room, &election, (struct moment){0});
        cells_text(cells, &text);
        assert_int_equal(strncmp(text.at, cases[i].shown, strlen(cases[i].shown)), 0);
        free(text.at);
        cells_free(cells);
    }
}

/* What is copied can be given to another tool: also in the root, where there is one slash, not two. */
TEST(candidates_have_paths)
{
    char path[32];

    assert_true(label_candidate_path(NULL, "/a/b", "n_1", path, sizeof path));
    assert_string_equal(path, "/a/b/n_1");
    assert_true(label_candidate_path(NULL, "/", "n_1", path, sizeof path));
    assert_string_equal(path, "/n_1");
    assert_true(label_candidate_path(NULL, "/a", NULL, path, sizeof path));
    assert_string_equal(path, "/a");
    assert_false(label_candidate_path(NULL, "/a/b", "n_1", path, 8));
}

static struct badge badge(const struct stage *stage, unsigned cluster, const char *path)
{
    return label_badge(model_election(stage_model(stage), cluster, path), stage_now(stage));
}

/* What nobody has seen yet is of no age, and not as old as the machine has been running: the first moments of
 * a recording, before anything was heard of a connection. */
TEST(what_was_not_seen_has_no_age)
{
    const struct moment now = {INT64_C(18300000000), INT64_C(1800000000000000)};

    assert_int_equal(label_age_us((struct moment){0}, now), 0);
    assert_int_equal(label_age_us((struct moment){now.mono_us - 5000000, now.wall_us - 5000000}, now),
                     5000000);
}

/* Each state has its word and sign, and the sick rank before the healthy. */
TEST(every_state_has_its_word)
{
    struct stage *stage = scene_usual();

    assert_string_equal(badge(stage, 0, "/orders/election").word, "vacant");
    assert_int_equal(badge(stage, 0, "/orders/election").sign, SIGN_CRITICAL);
    assert_string_equal(badge(stage, 0, "/election").word, "led");
    assert_string_equal(badge(stage, 0, "/_zkelection/app").word, "no ack");
    assert_string_equal(badge(stage, 0, "/teams/blue/leader").word, "absent");
    assert_string_equal(badge(stage, 0, "/secret/election").word, "denied");
    assert_true(badge(stage, 0, "/orders/election").rank < badge(stage, 0, "/_zkelection/app").rank);
    assert_true(badge(stage, 0, "/_zkelection/app").rank < badge(stage, 0, "/election").rank);
    stage_free(stage);
}

/* That it has not acknowledged may end; that it has no session does not. */
TEST(a_leftover_is_first_and_takes_nothing_over)
{
    static const struct stand line[] = {{"n_0000000001", 0, "a:80", 100}, {"n_0000000002", 2, "b:80", 90}};
    struct stage *stage = stage_new((const char *const[]){"prod", NULL});

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/election", NULL, KIND_LEADER, "/active");
    stage_children(stage, 0, "/election", line, 2, 3, 0);
    stage_absent(stage, 0, "/election", "/active");
    assert_string_equal(badge(stage, 0, "/election").word, "stalled");
    assert_int_equal(badge(stage, 0, "/election").look, ROLE_CRITICAL);
    /* Muted, it is quiet, and true all the same. */
    struct election *election = (struct election *)model_election(stage_model(stage), 0, "/election");
    struct moment now = stage_now(stage);
    mutes_take(&(struct event){.kind = EVENT_FINDING_MUTED,
                               .election = election,
                               .finding = election->findings[0],
                               .at = now,
                               .after_us = INT64_C(3600000000)});
    assert_non_null(mutes_of(election, election->findings[0], now));
    assert_string_equal(badge(stage, 0, "/election").word, "stalled");
    assert_int_equal(badge(stage, 0, "/election").look, ROLE_DIM);
    mutes_forget();
    stage_free(stage);
}

/* A free lock is as healthy as a led election; nobody leading is not. */
TEST(a_free_lock_is_healthy)
{
    struct stage *stage = scene_usual();

    assert_string_equal(badge(stage, 0, "/locks/nightly-job").word, "free");
    assert_int_equal(badge(stage, 0, "/locks/nightly-job").rank, RANK_HEALTHY);
    stage_free(stage);
}

/* What was read before the connection was lost says so, with its age; what never was read is unknown. */
TEST(what_is_old_says_how_old)
{
    struct stage *stage = scene_clusters();

    assert_string_equal(badge(stage, 1, "/election").word, "stale 12s");
    assert_string_equal(badge(stage, 2, "/election").word, "unknown");
    assert_string_equal(badge(stage, 0, "/election").word, "led");
    stage_free(stage);
}

/* Only a leader whose beginning was seen has led "for" so long; of others it is said at most. */
TEST(since_says_at_most_where_not_seen)
{
    struct stage *stage = scene_usual();
    struct cells *cells = cells_new(10, 1);
    char buffer[64];

    label_since(cells, model_election(stage_model(stage), 0, "/election"), stage_now(stage), 0, buffer,
                sizeof buffer);
    assert_memory_equal(buffer, cells_sign(cells, SIGN_AT_MOST), strlen(cells_sign(cells, SIGN_AT_MOST)));
    label_since(cells, model_election(stage_model(stage), 0, "/_zkelection/app"), stage_now(stage), 0, buffer,
                sizeof buffer);
    assert_string_equal(buffer, "2m19s");
    cells_free(cells);
    stage_free(stage);
}

static char *leader_text(const struct election *election, struct moment now, char *buffer, size_t size)
{
    struct cells *cells = cells_new(60, 1);

    cells->ascii = true;
    label_put_leader(cells, 0, 0, 60, election, now, NULL);
    buffer[0] = '\0';
    for (int i = 0; i < 60 && strlen(buffer) + 1 < size; i++)
        strncat(buffer, cells->at[i].text, size - strlen(buffer) - 1);
    for (size_t end = strlen(buffer); end > 0 && buffer[end - 1] == ' ';)
        buffer[--end] = '\0';
    cells_free(cells);
    return buffer;
}

static const char *since_text(const struct election *election, struct moment now, char *buffer, size_t size)
{
    struct cells *cells = cells_new(10, 1);

    cells->ascii = true;
    label_since(cells, election, now, 0, buffer, size);
    cells_free(cells);
    return buffer;
}

/* Without a connection nothing is shown as known, whatever it was,
   and no time goes on that nobody observes. */
TEST(nothing_goes_on_unseen)
{
    static const struct {
        const char *path, *leader, *since;
    } rows[] = {
        {"/election", "10.0.3.17:51234 n_..42", "<=3d06h"},
        {"/_zkelection/app", "app-2 ballot..4", "2m19s"},
        {"/orders/election", "? none then", "7.2s"},
        {"/teams/blue/leader", "? absent then", ">=1h03m"},
        {"/secret/election", "? denied then", "-"},
        {"/locks/nightly-job", "? none then", ">=1h03m"},
    };
    struct stage *stage = scene_usual();
    char text[128];

    stage_disconnected(stage, 0, "no quorum");
    stage_pass(stage, INT64_C(600000000));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct election *election = model_election(stage_model(stage), 0, rows[i].path);

        assert_string_equal(badge(stage, 0, rows[i].path).word, "stale 10m00s");
        assert_string_equal(leader_text(election, stage_now(stage), text, sizeof text), rows[i].leader);
        assert_string_equal(since_text(election, stage_now(stage), text, sizeof text), rows[i].since);
    }
    stage_free(stage);
}

/* A vacancy that was found lasts at least so long; one that was seen to begin, exactly so long. */
TEST(a_vacancy_found_is_a_bound)
{
    static const struct stand one[] = {{"n_0000000001", 1, "a", 60}};
    struct stage *stage = stage_of("/election", KIND_LEADER);
    const struct election *election;
    char text[128];

    stage_children(stage, 0, "/election", one, 1, 2, 0);
    election = model_election(stage_model(stage), 0, "/election");
    stage_disconnected(stage, 0, "the session is gone");
    stage_pass(stage, 9000000);
    stage_connected(stage, 0, "zk1:2181");
    stage_children(stage, 0, "/election", NULL, 0, 0, 0);
    stage_pass(stage, 1500000);
    assert_string_equal(leader_text(election, stage_now(stage), text, sizeof text), "none for >=1.5s");
    assert_string_equal(since_text(election, stage_now(stage), text, sizeof text), ">=1.5s");
    assert_non_null(strstr(event_log_at(stage_events(stage), 1)->detail, "found after a gap of 9.00s"));
    stage_free(stage);
}

/* What only a pattern matched and is gone has come to its end: no vacancy, and nobody's emergency. */
TEST(what_vanished_is_no_emergency)
{
    struct stage *stage = scene_usual();
    struct election *election = model_election(stage_model(stage), 0, "/teams/blue/leader");
    char text[128];

    assert_int_equal(badge(stage, 0, "/teams/blue/leader").sign, SIGN_CRITICAL);
    election->origin = ORIGIN_PATTERN;
    assert_string_equal(badge(stage, 0, "/teams/blue/leader").word, "vanished");
    assert_true(badge(stage, 0, "/teams/blue/leader").rank > badge(stage, 0, "/orders/election").rank);
    assert_true(badge(stage, 0, "/teams/blue/leader").rank < RANK_HEALTHY);
    assert_string_equal(leader_text(election, stage_now(stage), text, sizeof text), "vanished >=1h03m ago");
    stage_free(stage);
}

/* Any directory is vacant, as the contract has it, but the words say what it is. */
TEST(a_mere_directory_says_so)
{
    static const struct stand stands[] = {{"bin", 0, NULL, 9}, {"etc", 0, NULL, 9}, {"usr", 0, NULL, 9}};
    struct stage *stage = stage_of("/somewhere", KIND_LEADER);
    const struct election *election;
    char text[128];

    stage_children(stage, 0, "/somewhere", stands, 3, 3, 0);
    election = model_election(stage_model(stage), 0, "/somewhere");
    assert_int_equal(election->state, ELECTION_VACANT);
    assert_string_equal(leader_text(election, stage_now(stage), text, sizeof text),
                        "3 children, none of them a candidate");
    stage_free(stage);
}

/* A clock alone means today: a moment of another day has its date, be it only minutes away. */
TEST(another_day_has_its_date)
{
    static const struct {
        int64_t after_s;
        const char *text;
    } cases[] = {
        {-2 * 86400, "Nov 23 23:58"},
        {-82800, "00:58:00"},
        {-86390, "Nov 24 23:58"},
        {30, "23:58:30"},
        {180, "Nov 26 00:01"},
        {72 * 3600, "Nov 28 23:58"},
        {365 * 86400, "Nov 25 2027 23:58"},
    };
    struct moment now = {.wall_us = INT64_C(1795651080) * 1000000}; /* 2026-11-25 23:58:00 UTC */
    char text[32];

    setenv("TZ", "UTC", 1);
    tzset();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(label_moment(now.wall_us + cases[i].after_s * 1000000, now, text, sizeof text),
                            cases[i].text);
}

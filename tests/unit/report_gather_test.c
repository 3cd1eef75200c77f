/* A report says what the recording holds: a model is recorded while its candidates come and go, and what the
   report makes of it is held against what was done. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/history/recorder.h"
#include "probe/report/report.h"
#include "tests/support/fake_tree.h"
#include "tests/support/folder.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/output/report_sentences.h"

#define SECOND INT64_C(1000000)
#define KEEP_MS (INT64_C(30) * 24 * 3600 * 1000)

struct world {
    char folder[64], file[80];
    struct fake_tree *tree;
    struct model *model;
    struct recorder *recorder;
    struct moment now;
    int64_t began_us;
};

static void on_event(void *context, const struct event *event)
{
    recorder_event(((struct world *)context)->recorder, event);
}

static void turn(struct world *world)
{
    uint64_t again_ms;
    while ((again_ms = recorder_turn(world->recorder)) > 0)
        nanosleep(&(struct timespec){.tv_sec = (time_t)(again_ms / 1000),
                                     .tv_nsec = (long)(again_ms % 1000) * 1000000},
                  NULL);
}

static void connection(struct world *world, enum connection_state state)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection = (struct observed_connection){.state = state, .session = 7, .timeout_ms = 10000};
    model_observe(world->model, &o);
    turn(world);
}

static void pass(struct world *world, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        world->now.mono_us += SECOND;
        world->now.wall_us += SECOND;
        fake_tree_clock(world->tree, world->now.wall_us / 1000);
        model_observe(world->model, &(struct observation){.kind = OBSERVED_TICK, .at = world->now});
        turn(world);
    }
}

static void see(struct world *world)
{
    fake_tree_list(world->tree, world->model, world->now, "/app/election", "/app/election");
    const struct candidate *unread;
    while ((unread = election_take_unread(model_election(world->model, 0, "/app/election")))) {
        char path[128];
        snprintf(path, sizeof path, "/app/election/%s", unread->name);
        fake_tree_read(world->tree, world->model, world->now, "/app/election", path);
    }
    turn(world);
}

static void join(struct world *world, int number)
{
    char path[64], data[32];
    snprintf(path, sizeof path, "/app/election/n_%010d", number);
    snprintf(data, sizeof data, "10.0.3.%d:5000", number);
    fake_tree_create(world->tree, path, 0x100000000 + (uint64_t)number, data);
}

/* seen: by the watch on it, as a leader's end is. */
static void leave(struct world *world, int number, bool seen)
{
    char path[64];
    snprintf(path, sizeof path, "/app/election/n_%010d", number);
    fake_tree_delete(world->tree, path);
    if (seen)
        fake_tree_read(world->tree, world->model, world->now, "/app/election", path);
    turn(world);
}

static struct world *begin(void)
{
    static char path[] = "/election", name[] = "orders", hosts[] = "zk1:2181/app", cluster_name[] = "prod",
                automatic[] = "auto";
    static struct election_settings election = {.path = path,
                                                .name = name,
                                                .recipe = automatic,
                                                .allow = {.vacancy_ms = 5000,
                                                          .failover_ms = 10000,
                                                          .silent_percent = 66,
                                                          .leader_changes = 5,
                                                          .leader_changes_ms = 600000,
                                                          .timeout_most_ms = 60000}};
    static struct cluster_settings cluster = {
        .name = cluster_name, .hosts = hosts, .elections = &election, .election_count = 1};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct world *world = calloc(1, sizeof *world);
    char *error;
    assert_non_null(world);
    snprintf(world->folder, sizeof world->folder, "/tmp/electop-report-XXXXXX");
    folder_make(world->folder);
    snprintf(world->file, sizeof world->file, "%s/history.db", world->folder);
    world->tree = fake_tree_new();
    world->now = scripted_now();
    world->began_us = world->now.wall_us;
    fake_tree_clock(world->tree, world->now.wall_us / 1000);
    fake_tree_create(world->tree, "/app", 0, "");
    fake_tree_create(world->tree, "/app/election", 0, "");
    world->model = model_new(&settings, &error);
    assert_non_null(world->model);
    world->recorder = recorder_new(world->model, world->file, KEEP_MS, &error);
    if (!world->recorder)
        fail_msg("%s", error);
    world->model->on_event = on_event;
    world->model->context = world;
    connection(world, CONNECTION_CONNECTED);
    model_observe(world->model, &(struct observation){.kind = OBSERVED_ELECTION,
                                                      .at = world->now,
                                                      .election = "/app/election",
                                                      .path = "/app/election",
                                                      .subject = {.settings = &election}});
    return world;
}

static void end(struct world *world)
{
    folder_remove(world->folder);
    fake_tree_free(world->tree);
    free(world);
}

/* Writes all and lets the model go: what follows knows the file alone. */
static void stop(struct world *world)
{
    char *problem;
    if (!recorder_stop(world->recorder, &problem))
        fail_msg("%s", problem);
    world->model->on_event = NULL;
    model_free(world->model);
}

/* 60 s of 1, a change to 2, 30 s unwatched in which 3 takes over, a change into 20 s of nobody, 4 leads. */
static struct world *eventful(void)
{
    struct world *world = begin();
    for (int i = 1; i <= 3; i++)
        join(world, i);
    see(world);
    pass(world, 60);
    leave(world, 1, true);
    see(world);
    pass(world, 60);
    connection(world, CONNECTION_CONNECTING);
    pass(world, 15);
    leave(world, 2, false);
    pass(world, 15);
    connection(world, CONNECTION_CONNECTED);
    see(world);
    pass(world, 60);
    leave(world, 3, true);
    see(world);
    pass(world, 20);
    join(world, 4);
    see(world);
    pass(world, 30);
    stop(world);
    return world;
}

static struct report *ask(const struct world *world, struct report_query query)
{
    char *error;
    struct history *history = history_open(world->file, &error);
    if (!history)
        fail_msg("%s", error);
    struct report *report = report_make(history, &query, &error);
    if (!report)
        fail_msg("%s", error);
    history_close(history);
    return report;
}

static struct report *ask_seconds(const struct world *world, int from_s, int to_s, const char *election)
{
    return ask(world, (struct report_query){.from_us = world->began_us + from_s * SECOND,
                                            .to_us = world->began_us + to_s * SECOND,
                                            .election = election});
}

static void near_seconds(int64_t us, int seconds)
{
    if (us < seconds * SECOND - SECOND / 2 || us > seconds * SECOND + SECOND / 2)
        fail_msg("%lld us are not %d s", (long long)us, seconds);
}

/* The stretches add up to the window, led, vacant and unwatched apart; seen and missed changes are apart. */
TEST(reports_what_was_done)
{
    struct world *world = eventful();
    struct report *report = ask_seconds(world, 0, 260, NULL);
    assert_int_equal(report->election_count, 1);
    const struct report_election *election = &report->elections[0];
    assert_string_equal(election->cluster, "prod");
    assert_string_equal(election->path, "/election");
    assert_string_equal(election->full_path, "/app/election");
    assert_string_equal(election->name, "orders");
    near_seconds(election->led_us, 210);
    near_seconds(election->gap_us, 30);
    near_seconds(election->vacant_us, 20);
    assert_int_equal(election->led_us + election->gap_us + election->vacant_us, 260 * SECOND);
    assert_int_equal(election->leader_count, 4);
    assert_string_equal(election->leaders[3].identity, "10.0.3.4:5000");
    near_seconds(election->leaders[0].led_us, 60);
    assert_int_equal(election->change_count, 2);
    assert_int_equal(election->failover_count, 3);
    assert_int_equal(election->missed_count, 1);
    near_seconds(election->failovers[0].lost_at.wall_us - world->began_us, 60);
    assert_true(election->failovers[1].gap_us > 0);
    assert_string_equal(election->failovers[2].from, "n_0000000003");
    assert_string_equal(election->failovers[2].to_identity, "10.0.3.4:5000");
    near_seconds(election->failovers[2].vacancy.low_us, 20);
    bool vacant = false;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct report_finding *reported = &election->findings[i];
        vacant |= reported->finding.code == FINDING_NO_LEADER && reported->cleared_us > reported->raised_us;
    }
    assert_true(vacant);
    report_free(report);
    end(world);
}

/* That the clock was set is told where the window has what it showed before, or then. */
TEST(reports_that_the_clock_was_set)
{
    struct world *world = begin();
    join(world, 1);
    see(world);
    pass(world, 600);
    see(world);
    world->now.wall_us -= 300 * SECOND;
    pass(world, 1);
    see(world);
    pass(world, 60);
    stop(world);
    const int windows[][2] = {{0, 700}, {550, 700}, {250, 350}, {0, 200}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct report *report = ask_seconds(world, windows[i][0], windows[i][1], NULL);
        assert_int_equal(report->clock_count, i < 3);
        assert_int_equal(report->elections[0].set_back, i < 2);
        if (report->clock_count) {
            near_seconds(report->clocks[0].before_us - world->began_us, 600);
            near_seconds(report->clocks[0].after_us - world->began_us, 301);
        }
        report_free(report);
    }
    end(world);
}

/* A clock that is set forward by an hour skips it: nobody failed to watch, and nobody led so much longer. */
TEST(a_skipped_hour_is_no_gap)
{
    struct world *world = begin();
    join(world, 1);
    see(world);
    pass(world, 60);
    world->now.wall_us += 3600 * SECOND; /* before the next second, which is lost in it */
    pass(world, 40);
    stop(world);
    struct report *report = ask_seconds(world, 0, 3700, NULL);
    const struct report_election *election = &report->elections[0];
    assert_int_equal(report->clock_count, 1);
    near_seconds(election->led_us, 99);
    near_seconds(election->gap_us, 3601);
    near_seconds(election->skipped_us, 3601);
    near_seconds(report_gap_us(election), 0);
    assert_int_equal(report_gap_count(election), 0);
    assert_false(report_has_gap(election));
    near_seconds(election->leaders[0].longest_us, 99);
    assert_int_equal(election->leaders[0].tenures, 1);
    report_free(report);
    end(world);
}

/* The same before the election was first seen: that time is left out once. */
TEST(an_hour_is_skipped_before_the_first_sight)
{
    struct world *world = begin();
    pass(world, 10);
    world->now.wall_us += 3600 * SECOND;
    pass(world, 10);
    join(world, 1);
    see(world);
    pass(world, 60);
    stop(world);
    struct report *report = ask_seconds(world, 0, 3680, NULL);
    const struct report_election *election = &report->elections[0];
    near_seconds(election->led_us, 60);
    near_seconds(election->before_us, 19);
    near_seconds(report_gap_us(election), 0);
    report_free(report);
    end(world);
}

/* What stands and names others as it goes on is one finding, and is over when it is cleared. */
TEST(a_finding_that_names_others_is_one)
{
    struct world *world = begin();
    for (int i = 1; i <= 9; i++)
        join(world, i);
    see(world);
    for (int i = 1; i <= 7; i++) {
        pass(world, 20);
        leave(world, i, true);
        see(world);
    }
    pass(world, 700);
    see(world);
    stop(world);
    struct report *report = ask_seconds(world, 0, 840, NULL);
    const struct report_election *election = &report->elections[0];
    size_t flapping = 0;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct report_finding *reported = &election->findings[i];
        if (reported->finding.code != FINDING_FLAPPING)
            continue;
        flapping++;
        near_seconds(reported->raised_us - world->began_us, 121);
        assert_true(reported->cleared_us > reported->raised_us);
    }
    assert_int_equal(flapping, 1);
    report_free(report);
    report = ask_seconds(world, 0, 141, NULL); /* 7 changes, of which an event told the fourth to the sixth */
    for (size_t i = 0; i < report->elections[0].finding_count; i++)
        if (report->elections[0].findings[i].finding.code == FINDING_FLAPPING)
            assert_memory_equal(report->elections[0].findings[i].finding.evidence, "7 changes", 9);
    report_free(report);
    end(world);
}

/* Where the same znode leads after what nobody watched, it led all the while: once, for as long as it did.
   What was not watched is told as that, and counts as nobody's. */
TEST(leads_through_what_nobody_watched)
{
    struct world *world = begin();
    join(world, 1);
    see(world);
    for (int i = 0; i < 2; i++) {
        pass(world, 60);
        connection(world, CONNECTION_CONNECTING);
        pass(world, 30);
        connection(world, CONNECTION_CONNECTED);
        see(world);
    }
    pass(world, 20);
    stop(world);
    struct report *report = ask_seconds(world, 0, 200, NULL);
    const struct report_election *election = &report->elections[0];
    near_seconds(election->gap_us, 60);
    near_seconds(election->led_us, 140);
    assert_int_equal(election->stretch_count, 5);
    assert_int_equal(election->leader_count, 1);
    assert_int_equal(election->leaders[0].tenures, 1);
    near_seconds(election->leaders[0].longest_us, 200);
    assert_int_equal(election->change_count, 0);
    report_free(report);
    end(world);
}

/* A window that reaches beyond the recording shows what is not in it as unwatched, and makes nothing up. */
TEST(what_was_not_recorded_is_a_gap)
{
    struct world *world = eventful();
    struct report *report = ask_seconds(world, -100, 360, NULL);
    const struct report_election *election = &report->elections[0];
    near_seconds(election->gap_us, 230);
    near_seconds(election->led_us, 210);
    assert_int_equal(election->stretches[0].kind, STRETCH_GAP);
    assert_int_equal(election->stretches[election->stretch_count - 1].kind, STRETCH_GAP);
    assert_int_equal(election->led_us + election->gap_us + election->vacant_us, 460 * SECOND);
    report_free(report);
    report = ask_seconds(world, 1000, 2000, NULL);
    assert_true(report_is_empty(report));
    assert_int_equal(report->election_count, 0);
    report_free(report);
    end(world);
}

/* Only what was asked for: a part of the time, an election by path, pattern or name. */
TEST(reports_only_what_was_asked_for)
{
    struct world *world = eventful();
    static const char *const names[] = {"/election", "/app/election", "orders", "/elec*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct report *report = ask_seconds(world, 30, 90, names[i]);
        assert_int_equal(report->election_count, 1);
        const struct report_election *election = &report->elections[0];
        near_seconds(election->leaders[0].led_us, 30);
        near_seconds(election->leaders[1].led_us, 30);
        assert_int_equal(election->vacant_us + election->gap_us, 0);
        assert_false(election->stretches[0].from_exact);
        report_free(report);
    }
    struct report *report = ask_seconds(world, 30, 90, "/other");
    assert_int_equal(report->election_count, 0);
    assert_false(report_is_empty(report));
    report_free(report);
    report =
        ask(world, (struct report_query){
                       .from_us = world->began_us, .to_us = world->began_us + SECOND, .cluster = "test"});
    assert_int_equal(report->election_count, 0);
    report_free(report);
    end(world);
}

/* A log tells of a loss 30 s before the recording: what was not recorded of its outage is no gap in it. */
TEST(an_outage_from_before_the_recording)
{
    struct world *world = begin();
    join(world, 1);
    leave(world, 1, false);
    see(world);
    model_observe(world->model,
                  &(struct observation){.kind = OBSERVED_TRANSACTION,
                                        .at = world->now,
                                        .path = "/app/election/n_0000000001",
                                        .transaction = {.zxid = fake_tree_zxid(world->tree),
                                                        .deed = DEED_DELETED,
                                                        .session = 0x100000001,
                                                        .owner = 0x100000001,
                                                        .gone_us = world->now.mono_us - 30 * SECOND}});
    pass(world, 40);
    stop(world);
    struct report *report = ask_seconds(world, -10, 40, NULL);
    assert_int_equal(report->elections[0].stretches[0].kind, STRETCH_GAP);
    assert_int_equal(report->elections[0].failover_count, 1);
    near_seconds(report->elections[0].failovers[0].vacancy.low_us, 70);
    report_free(report);
    end(world);
}

/* The same client with the same name takes over after a vacancy: a change. A loss that nobody followed is none, and its
   vacancy is that of the time line. */
TEST(who_leads_again_is_a_change_and_nobody_is_none)
{
    struct world *world = begin();
    size_t changes;
    char *error;
    join(world, 1);
    see(world);
    pass(world, 60);
    leave(world, 1, true);
    see(world);
    pass(world, 20);
    join(world, 1);
    see(world);
    pass(world, 60);
    leave(world, 1, true);
    see(world);
    pass(world, 40);
    stop(world);
    struct report *report = ask_seconds(world, 0, 180, NULL);
    const struct report_election *election = &report->elections[0];
    assert_int_equal(election->change_count, 1);
    assert_int_equal(election->failover_count, 2);
    assert_true(failover_is_open(&election->failovers[1]));
    near_seconds(election->failovers[1].vacancy.low_us, 40);
    report_free(report);
    /* A time that begins in an outage has its loss; one that begins after it was over has not. */
    report = ask_seconds(world, 150, 180, NULL);
    assert_int_equal(report->elections[0].failover_count, 1);
    assert_true(failover_is_open(&report->elections[0].failovers[0]));
    report_free(report);
    report = ask_seconds(world, 70, 100, NULL);
    assert_int_equal(report->elections[0].failover_count, 1);
    assert_non_null(report->elections[0].failovers[0].to);
    assert_int_equal(report->elections[0].change_count, 1);
    report_free(report);
    report = ask_seconds(world, 100, 130, NULL);
    assert_int_equal(report->elections[0].failover_count, 0);
    report_free(report);
    struct history *history = history_open(world->file, &error);
    assert_non_null(history);
    const struct history_filter filter = {.cluster = "prod", .election = "/app/election"};
    assert_true(
        history_changes(history, &filter, world->began_us, world->began_us + 180 * SECOND, &changes, &error));
    assert_int_equal(changes, 1);
    history_close(history);
    end(world);
}

/* The first in line of the last moment may not lead: one session owns it and the next, which say the same. */
TEST(who_is_first_may_not_lead)
{
    struct world *world = begin();
    struct sentence_verdict verdict;
    join(world, 1);
    join(world, 2);
    fake_tree_create(world->tree, "/app/election/n_0000000003", 0x100000002, "10.0.3.2:5000");
    see(world);
    pass(world, 60);
    leave(world, 1, true);
    see(world);
    pass(world, 20);
    stop(world);
    struct report *report = ask_seconds(world, 0, 80, NULL);
    sentence_verdict(&report->elections[0], &verdict);
    const char *last = verdict.sentences[verdict.count - 1];
    assert_string_equal(
        last, "At the end 10.0.3.2:5000 was first, and perhaps did not lead: the first, 10.0.3.2:5000, is "
              "an orphan of its client, which stands again behind it and waits for itself.");
    sentence_verdict_free(&verdict);
    report_free(report);
    end(world);
}

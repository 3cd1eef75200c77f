/* Proves that a recording tells afterwards what was told, and shows what was shown, at every moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "probe/election/election.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"

/* What a recording tells is what was told, word for word, and every moment looks as it did. */
TEST(reports_the_same)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 40);
    recorded_stop(world);
    assert_true(world->events > 120);

    struct history *history = recorded_open(world);
    int64_t from_us = 0, to_us = 0;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    assert_true(from_us <= world->times[0] && to_us >= world->times[world->moments - 1]);
    recorded_same_looks(world, history, from_us, to_us);
    recorded_same_events(world, history);
    history_close(history);
    recorded_free(world);
}

static bool count_failover(void *context, const struct election *election, const struct failover *failover)
{
    size_t *count = context;
    assert_string_equal(election->path, "/election");
    assert_true(failover->from && failover->to && failover->lost_at.wall_us > 0);
    ++*count;
    return true;
}

struct stretches {
    size_t led, vacant, gap;
    int64_t end_us;
};

static bool add_stretch(void *context, const struct history_stretch *stretch)
{
    struct stretches *stretches = context;
    assert_true(stretch->from_us < stretch->to_us);
    if (stretches->end_us)
        assert_int_equal(stretch->from_us, stretches->end_us); /* one after the other, without holes */
    stretches->end_us = stretch->to_us;
    stretches->led += stretch->kind == STRETCH_LED;
    stretches->vacant += stretch->kind == STRETCH_VACANT;
    stretches->gap += stretch->kind == STRETCH_GAP;
    return true;
}

/* Failovers, steps and stretches of the time line are all of them, and those that were asked for. */
TEST(finds_what_is_asked_for)
{
    struct recorded *world = recorded_begin();
    char *error;
    recorded_changes(world, 10);
    recorded_stop(world);

    struct history *history = recorded_open(world);
    size_t count = 0;
    assert_true(history_failovers(history, NULL, 0, INT64_MAX, count_failover, &count, &error));
    assert_int_equal(count, world->failovers);
    struct history_filter filter = {.cluster = "prod", .election = "/election"};
    count = 0;
    assert_true(history_failovers(history, &filter, 0, INT64_MAX, count_failover, &count, &error));
    assert_int_equal(count, world->failovers);

    filter.events = UINT64_C(1) << EVENT_LEADER_ELECTED;
    int64_t at_us = 0;
    for (count = 0; history_step(history, &filter, at_us, true, &at_us); count++)
        ;
    assert_int_equal(count, 10);
    for (count = 1; history_step(history, &filter, at_us, false, &at_us); count++)
        ;
    assert_int_equal(count, 10);
    filter.cluster = "test";
    assert_false(history_step(history, &filter, 0, true, &at_us));

    struct stretches stretches = {0};
    assert_true(
        history_stretches(history, "prod", "/election", 0, INT64_MAX, add_stretch, &stretches, &error));
    assert_int_equal(stretches.led, 11);
    assert_int_equal(stretches.gap, 0);
    history_close(history);
    recorded_free(world);
}

#define NAMES 100

static bool is_the_finding(void *context, const struct event *event)
{
    const struct finding *finding = event->finding;
    if (finding->code != FINDING_NO_WATCH)
        return true; /* what the changes of leader came to */
    ++*(size_t *)context;
    assert_int_equal(finding->candidate_count, NAMES + 1);
    assert_string_equal(finding->candidates[0],
                        "a\"b\\c\t\x01\xc2\x85\xe2\x80\xae\xf3\xa0\x81\x81\xf0\x9f\x98\x80");
    assert_string_equal(finding->candidates[NAMES], "n_99");
    return true;
}

/* However many candidates a finding is about, and whatever they call themselves; one of a newer program is
   left out. */
TEST(reports_findings_whole)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 1);
    recorded_stop(world);
    struct buffer sql = {0};
    buffer_put_text(&sql, "INSERT OR IGNORE INTO kind (word) VALUES ('finding-raised');"
                          "INSERT INTO event (id, at_us, kind, election) SELECT max(id) + n, max(at_us),"
                          " (SELECT id FROM kind WHERE word = 'finding-raised'), 1 FROM event,"
                          " (SELECT 1 AS n UNION SELECT 2) GROUP BY n;"
                          "INSERT INTO finding (event, code, severity, certainty, candidates) SELECT max(id),"
                          " 'of-tomorrow', 'error', 'certain', '[]' FROM event;"
                          "INSERT INTO finding (event, code, severity, certainty, candidates) SELECT"
                          " max(id) - 1, 'no-watch', 'error', 'certain',"
                          " '[\"a\\\"b\\\\c\\u0009\\u0001\\u0085\\u202e\\udb40\\udc41\xf0\x9f\x98\x80\"");
    for (int i = 0; i < NAMES; i++)
        buffer_printf(&sql, ",\"n_%d\"", i);
    buffer_put_text(&sql, "]' FROM event");
    buffer_put_char(&sql, '\0');
    recorded_change(world, sql.bytes);
    buffer_free(&sql);

    struct history *history = recorded_open(world);
    const struct history_filter filter = {.events = UINT64_C(1) << EVENT_FINDING_RAISED};
    size_t count = 0;
    char *error;
    assert_true(history_events(history, &filter, 0, INT64_MAX, is_the_finding, &count, &error));
    assert_int_equal(count, 1);
    history_close(history);
    recorded_free(world);
}

struct known {
    const char *name;
    size_t times, unknown;
};

static bool count_known(void *context, const struct history_stretch *stretch)
{
    struct known *known = context;
    if (stretch->kind != STRETCH_LED || strcmp(stretch->name, known->name) != 0)
        return true;
    known->times++;
    known->unknown += stretch->identity == NULL;
    return true;
}

static struct known known_of(const struct recorded *world)
{
    struct history *history = recorded_open(world);
    struct known known = {.name = "n_0000000002"};
    char *error;
    assert_true(history_stretches(history, "prod", "/election", 0, INT64_MAX, count_known, &known, &error));
    history_close(history);
    return known;
}

/* Who leads on while recorders change is one leader, whichever of them read who that is: else a report has
   two lanes of it. Whoever begins anew under the same name may be another. */
TEST(knows_a_leader_again)
{
    static const char *const forgets[] = {"min", "max"};
    for (size_t i = 0; i < 2; i++) {
        struct recorded *world = recorded_begin();
        char sql[200];
        recorded_changes(world, 1);
        recorded_stop(world);
        recorded_pass(world, 60000);
        recorded_start(world, KEEP_LONG_MS);
        recorder_flush(world->recorder);
        recorded_changes(world, 1);
        recorded_stop(world);
        snprintf(sql, sizeof sql,
                 "UPDATE tenure SET identity = NULL WHERE id = (SELECT %s(t.id) FROM tenure t"
                 " JOIN name n ON n.id = t.candidate WHERE n.text = 'n_0000000002')",
                 forgets[i]);
        recorded_change(world, sql);
        struct known known = known_of(world);
        assert_int_equal(known.times, 2);
        assert_int_equal(known.unknown, 0);

        /* A lock's names come again: this one was seen to begin, where another one's ended. */
        recorded_change(world,
                        "UPDATE tenure SET from_exact = 1, from_us = (SELECT max(from_us) FROM stretch)"
                        " WHERE stretch = 2 AND id = (SELECT max(t.id) FROM tenure t"
                        " JOIN name n ON n.id = t.candidate WHERE n.text = 'n_0000000002')");
        known = known_of(world);
        assert_int_equal(known.times, 2);
        assert_int_equal(known.unknown, 1);
        recorded_free(world);
    }
}

/* While it is being written, others read it; what they see grows. */
TEST(reads_while_it_is_written)
{
    struct recorded *world = recorded_begin();
    uv_sleep(600);
    struct history *history = recorded_open(world);
    int64_t from_us = 0, to_us = 0;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    recorded_same_looks(world, history, from_us, to_us);
    recorded_changes(world, 3);
    uv_sleep(600);
    /* What nothing followed yet may lie behind its end. */
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    recorded_same_looks(world, history, from_us, to_us);
    recorded_same_events(world, history);
    recorded_stop(world);
    recorded_same_looks(world, history, 0, INT64_MAX);
    history_close(history);
    recorded_free(world);
}

static void expect_watched(struct history *history, int64_t from_us, int64_t to_us, const char *wanted)
{
    char *drawn = recorded_watched(history, from_us, to_us, strlen(wanted));
    assert_string_equal(drawn, wanted);
    free(drawn);
}

struct shutdown {
    enum stretch_kind kind;
    int64_t from_us, to_us;
};

static bool keep_stretch(void *context, const struct history_stretch *stretch)
{
    *(struct shutdown *)context = (struct shutdown){stretch->kind, stretch->from_us, stretch->to_us};
    return true;
}

/* The last stretch of the time line. */
static struct shutdown ending_of(struct history *history)
{
    struct shutdown last = {0};
    int64_t from_us, to_us;
    char *error;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    assert_true(history_stretches(history, "prod", "/election", from_us, to_us, keep_stretch, &last, &error));
    assert_int_equal(last.to_us, to_us);
    return last;
}

/* A connection that is still lost is a gap since it was, for whoever looks meanwhile, at the end of a
   recording, and after somebody else has gone on recording. */
TEST(draws_a_gap_that_lasts)
{
    struct recorded *world = recorded_begin();
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    int64_t from_us = world->times[0], lost_us = world->now.wall_us;
    recorded_lose(world);
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    /* It is written once a second. */
    for (int i = 0; i < 200 && recorded_ask(world, "SELECT max(to_us) FROM stretch") < world->now.wall_us;
         i++)
        uv_sleep(50);
    struct history *history = recorded_open(world);
    for (int i = 0; i < 2; i++) {
        expect_watched(history, from_us - 3000000, from_us + 117000000, "#######.....");
        struct shutdown last = ending_of(history);
        assert_int_equal(last.kind, STRETCH_GAP);
        assert_int_equal(last.from_us, lost_us);
        assert_int_equal(recorded_ask(world, "SELECT until IS NULL AND seconds = 60 FROM gaps"), 1);
        if (i == 0)
            recorded_stop(world);
    }
    history_close(history);

    /* It is connected a while after it began to record. */
    recorded_pass(world, 60000);
    recorded_start(world, KEEP_LONG_MS);
    recorder_flush(world->recorder);
    recorded_pass(world, 30000);
    recorded_connect(world);
    recorded_pass(world, 30000);
    recorder_flush(world->recorder);
    recorded_stop(world);
    history = recorded_open(world);
    expect_watched(history, from_us - 3000000, from_us + 237000000, "#######..............###");
    history_close(history);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gaps WHERE until IS NULL"), 0);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gaps WHERE why = 'not connected'"), 2);
    assert_int_equal(recorded_ask(world, "SELECT seconds FROM gaps WHERE why = 'not connected' LIMIT 1"), 60);
    assert_int_equal(recorded_ask(world, "SELECT sum(seconds) FROM gaps"), 150);
    recorded_free(world);
}

/* To connect takes a moment, which is no gap. */
TEST(begins_without_a_gap)
{
    struct recorded *world = recorded_new();
    recorded_start(world, KEEP_LONG_MS);
    recorded_pass(world, 100);
    recorder_flush(world->recorder);
    recorded_pass(world, 100);
    recorded_connect(world);
    recorded_pass(world, 60000);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap"), 0);
    recorded_free(world);
}

/* A minute, a lost connection for one, a minute, nobody records for one, and a minute. */
TEST(knows_when_nobody_watched)
{
    struct recorded *world = recorded_begin();
    int64_t from_us = world->now.wall_us;
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    recorded_lose(world);
    recorded_pass(world, 60000);
    recorded_connect(world);
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    recorded_stop(world);
    recorded_pass(world, 60000);
    recorded_start(world, KEEP_LONG_MS);
    recorder_flush(world->recorder);
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    recorded_stop(world);
    struct history *history = recorded_open(world);
    bool watched[3];
    /* Three seconds earlier: at both ends of a minute a part of ten seconds was watched in part. */
    expect_watched(history, from_us - 3000000, from_us + 307000000, "#######.....#######.....#######");
    expect_watched(history, from_us - 600000000, from_us - 300000000, "...");
    assert_false(history_watched(history, from_us, from_us, 3, watched));
    history_close(history);
    recorded_free(world);
}

/* What became unreadable while it is open is not taken for one in which nothing was recorded. */
TEST(says_why_it_cannot_be_read)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 1);
    recorded_stop(world);
    struct history *history = recorded_open(world);
    int64_t from_us, to_us;
    char *error;
    assert_true(history_bounds(history, &from_us, &to_us, &error));
    assert_null(error);
    recorded_change(world, "DROP TABLE chunk");
    assert_false(history_bounds(history, &from_us, &to_us, &error));
    if (!error || !strstr(error, world->file))
        fail_msg("%s", error ? error : "no word of it");
    free(error);
    history_close(history);
    recorded_free(world);
}

/* A failover has one row, which every reader reads back: an event, a list, and each moment since. */
TEST(a_failover_is_one_row)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    recorded_stop(world);
    recorded_change(world, "UPDATE failover SET cause = 'closed', certainty = 'certain', evidence = 'proof 7'"
                           " WHERE lost_us = (SELECT min(lost_us) FROM failover)");
    struct history *history = recorded_open(world);
    int64_t from_us, to_us;
    char *error = NULL;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    const struct model *model = history_at(history, to_us, &error);
    assert_non_null(model);
    const struct election *e = model->clusters[0].elections[0];
    assert_int_equal(e->failover_count, 3);
    const struct failover *first = election_failover_at(e, 0);
    assert_int_equal(first->cause, CAUSE_CLOSED);
    assert_string_equal(first->evidence, "proof 7");
    assert_non_null(first->to);
    assert_string_equal(first->to, election_failover_at(e, 1)->from);
    assert_int_equal(election_last_failover(e)->lost_at.mono_us, e->change.lost_at.mono_us);
    /* Before it was reported, it is not there. */
    int64_t told_us =
        recorded_ask(world, "SELECT at_us FROM event WHERE id = (SELECT min(event) FROM failover)");
    model = history_at(history, told_us - 1, &error);
    assert_non_null(model);
    assert_int_equal(model->clusters[0].elections[0]->failover_count, 0);
    history_close(history);
    recorded_free(world);
}

struct taken {
    struct failover_sample samples[64];
    size_t count;
};

static bool take_sample(void *context, const struct election *election, const struct failover *failover)
{
    struct taken *taken = context;
    (void)election;
    assert_true(taken->count < 64);
    taken->count += failover_sample_of(failover, &taken->samples[taken->count]);
    return true;
}

/* The percentiles of an election are those of its failovers in that time, one by one. */
TEST(percentiles_are_of_the_failovers)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 20);
    recorded_stop(world);
    recorded_change(world,
                    "UPDATE failover SET cause = CASE event % 3 WHEN 0 THEN 'closed' ELSE 'expired' END,"
                    " detection_low_us = 1000000 + event * 7919 % 4000000,"
                    " detection_high_us = nullif(1000000 + event * 7919 % 4000000 + event * 104729 % 900000,"
                    " 1000000)");
    struct history *history = recorded_open(world);
    struct history_filter filter = {.cluster = "prod", .election = "/election"};
    int64_t first_us = recorded_ask(world, "SELECT min(lost_us) FROM failover"),
            last_us = recorded_ask(world, "SELECT max(lost_us) FROM failover");
    for (int i = 0; i < 4; i++) {
        int64_t from_us = i & 1 ? first_us + 1 : INT64_MIN, to_us = i & 2 ? last_us : INT64_MAX;
        struct taken taken = {.count = 0};
        struct failover_stats wanted, found;
        char *error = NULL;
        assert_true(history_failovers(history, NULL, from_us, to_us, take_sample, &taken, &error));
        assert_true(taken.count > 10);
        failover_stats_make(taken.samples, taken.count, &wanted);
        assert_true(history_statistics(history, &filter, from_us, to_us, &found, &error));
        assert_memory_equal(&found, &wanted, sizeof found);
    }
    struct failover_stats none;
    char *error = NULL;
    filter.cluster = "another";
    assert_true(history_statistics(history, &filter, INT64_MIN, INT64_MAX, &none, &error));
    assert_int_equal(none.all.count, 0);
    history_close(history);
    recorded_free(world);
}

/* Proves that the recording of an older program can be read, and is brought up to date with nothing lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "probe/history/schema.h"
#include "probe/json/json_event.h"
#include "probe/json/json_snapshot.h"
#include "tests/support/recorded.h"

/* What the program of schema 1 wrote, as `sqlite3 FILE .dump` prints it. */
#define OLDEST "tests/unit/data/recording_1.sql"

static char *whole_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    struct buffer text = {0};
    char bytes[4096];
    size_t length;
    while ((length = fread(bytes, 1, sizeof bytes, file)) > 0)
        buffer_put(&text, bytes, length);
    fclose(file);
    buffer_put_char(&text, '\0');
    return text.bytes;
}

static struct recorded *oldest(void)
{
    struct recorded *world = recorded_new();
    char *sql = whole_text(OLDEST);
    recorded_change(world, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL");
    recorded_change(world, sql);
    recorded_change(world, "PRAGMA application_id=0x656c6563; PRAGMA user_version=1");
    free(sql);
    return world;
}

static int64_t version(const struct recorded *world)
{
    return recorded_ask(world, "SELECT user_version FROM pragma_user_version");
}

static bool add_event(void *context, const struct event *event)
{
    return json_event_write(context, event), true;
}

static bool add_failover(void *context, const struct election *election, const struct failover *failover)
{
    struct json_writer writer = json_writer_to(context, false);
    buffer_put_text(context, election->path);
    json_failover_write(&writer, failover);
    return true;
}

static bool add_stretch(void *context, const struct history_stretch *stretch)
{
    buffer_printf(context, "%d %s %s %lld %lld\n", (int)stretch->kind, stretch->name ? stretch->name : "-",
                  stretch->identity ? stretch->identity : "-", (long long)stretch->from_us,
                  (long long)stretch->to_us);
    return true;
}

/* All that can be read of the time until then, in words. */
static char *all_of(const struct recorded *world, int64_t *from_us, int64_t *to_us)
{
    struct history *history = recorded_open(world);
    struct buffer text = {0};
    struct failover_stats stats;
    char *error;
    if (*to_us == 0)
        assert_true(history_bounds(history, from_us, to_us, NULL));
    assert_true(history_events(history, NULL, 0, *to_us + 1, add_event, &text, &error));
    assert_true(history_failovers(history, NULL, 0, *to_us + 1, add_failover, &text, &error));
    assert_true(history_statistics(history, NULL, 0, *to_us + 1, &stats, &error));
    buffer_printf(&text, "%zu of %lld to %lld\n", stats.all.count, (long long)stats.all.p50.low_us,
                  (long long)stats.all.p50.high_us);
    for (int i = 0; i <= 20; i++) {
        const struct model *model = history_at(history, *from_us + (*to_us - *from_us) * i / 20, &error);
        assert_non_null(model);
        json_snapshot_write(&text, model, model->now);
    }
    const struct history_filter one = {.election = "/services/team-001/leader"};
    buffer_put_text(&text, "one alone\n");
    assert_true(history_events(history, &one, 0, *to_us + 1, add_event, &text, &error));
    assert_true(history_stretches(history, NULL, one.election, *from_us, *to_us, add_stretch, &text, &error));
    buffer_put_char(&text, '\0');
    history_close(history);
    return text.bytes;
}

/* What a query yields: its rows' texts, a line a row. */
static char *lines_of(const struct recorded *world, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct buffer text = {0};
    assert_int_equal(sqlite3_open(world->file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0, count = sqlite3_column_count(statement); i < count; i++)
            buffer_printf(&text, "%s%c", (const char *)sqlite3_column_text(statement, i),
                          i + 1 < count ? ' ' : '\n');
    sqlite3_finalize(statement);
    sqlite3_close(db);
    buffer_put_char(&text, '\0');
    return text.bytes;
}

/* Its tables, views, indexes and triggers. */
static char *structure(const struct recorded *world)
{
    return lines_of(world, "SELECT type, name, replace(sql, '  ', ' ') FROM sqlite_schema"
                           " WHERE sql IS NOT NULL ORDER BY type, name");
}

/* Read as it is; after a recorder was there it has everything that a new one has, says the same of the time
 * before, and went on. */
static void an_old_recording_is_brought_up_to_date(void **state)
{
    (void)state;
    struct recorded *world = oldest();
    int64_t from_us = 0, to_us = 0, events = recorded_ask(world, "SELECT count(*) FROM event");
    assert_true(events > 40);
    char *before = all_of(world, &from_us, &to_us);
    assert_int_equal(version(world), 1); /* who reads writes nothing */

    world->now.wall_us = to_us + 60000000;
    recorded_start(world, KEEP_LONG_MS);
    recorded_connect(world);
    recorded_changes(world, 5);
    recorded_stop(world);
    assert_int_equal(version(world), SCHEMA_VERSION);
    char *after = all_of(world, &from_us, &to_us);
    assert_string_equal(before, after);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM pragma_integrity_check"), 1);
    assert_true(recorded_ask(world, "SELECT count(*) FROM event") > events + 20);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap WHERE why = 'not recording'"), 1);
    struct history *history = recorded_open(world);
    recorded_same_looks(world, history, 0, INT64_MAX);
    history_close(history);

    struct recorded *fresh = recorded_new();
    recorded_start(fresh, KEEP_LONG_MS);
    recorded_stop(fresh);
    char *wanted = structure(fresh), *made = structure(world);
    assert_string_equal(made, wanted);
    free(wanted);
    free(made);
    recorded_free(fresh);
    free(before);
    free(after);
    recorded_free(world);
}

/* A recording keeps a word for how certain a cause is with every failover; who asks for that of an unknown
 * cause gets NULL. */
static void an_unknown_cause_has_no_certainty(void **state)
{
    (void)state;
    struct recorded *world = oldest();
    recorded_change(world, "UPDATE failover SET cause = 'unknown', certainty = 'certain'"
                           " WHERE lost_us = (SELECT min(lost_us) FROM failover)");
    recorded_start(world, KEEP_LONG_MS);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM failovers WHERE cause = 'unknown'"), 1);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM failovers WHERE certainty IS NULL"), 1);
    recorded_free(world);
}

/* Where there is no room for that, the old one stays what it was. */
static void half_of_it_is_none_of_it(void **state)
{
    (void)state;
    struct recorded *world = oldest();
    struct rlimit limit;
    int64_t from_us = 0, to_us = 0, refused = 0;
    char *before = all_of(world, &from_us, &to_us), *error;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    for (rlim_t room = 1000; room < 60000; room += 5000) {
        limit.rlim_cur = room;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        struct recorder *recorder = recorder_new(world->model, world->file, KEEP_LONG_MS, &error);
        limit.rlim_cur = RLIM_INFINITY;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        if (recorder) { /* it fitted */
            assert_true(room > 1000);
            recorder_stop(recorder, NULL);
            break;
        }
        assert_non_null(strstr(error, world->file));
        assert_non_null(strchr(error, ';'));
        free(error);
        refused += version(world) == 1;
        assert_true(version(world) == 1 || version(world) == SCHEMA_VERSION);
        char *then = all_of(world, &from_us, &to_us);
        assert_string_equal(before, then);
        free(then);
    }
    assert_true(refused > 2);
    free(before);
    recorded_free(world);
}

/* Every query of one election's events goes by their index. */
static void one_election_is_found_by_its_index(void **state)
{
    (void)state;
    struct recorded *world = recorded_new();
    recorded_start(world, KEEP_LONG_MS);
    recorded_connect(world);
    recorded_stop(world);
    char *plan = lines_of(world, "EXPLAIN QUERY PLAN SELECT time, event, candidate FROM events"
                                 " WHERE election = '/election' AND id >= 5 ORDER BY id");
    if (!strstr(plan, "event_election"))
        fail_msg("%s", plan);
    free(plan);
    recorded_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_recording_is_brought_up_to_date),
        cmocka_unit_test(an_unknown_cause_has_no_certainty),
        cmocka_unit_test(half_of_it_is_none_of_it),
        cmocka_unit_test(one_election_is_found_by_its_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

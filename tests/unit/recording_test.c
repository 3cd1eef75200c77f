/* Proves that a recording survives what clocks, versions and other people do to it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "probe/history/history.h"
#include "probe/history/schema.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"

#define HOUR_MS (INT64_C(3600) * 1000)

/* ---- time ---- */

/* What is older than keep goes, in every table; what is younger can be looked at as before. */
TEST(forgets_what_is_old)
{
    struct recorded *world = recorded_begin();
    /* Each as large as it takes to begin a chunk of its own. */
    for (int hour = 0; hour < 6; hour++) {
        recorded_rush(world, 500);
        recorded_changes(world, 50);
        recorded_pass(world, HOUR_MS);
    }
    recorded_stop(world);
    int64_t before = recorded_ask(world, "SELECT count(*) FROM event");
    assert_true(recorded_ask(world, "SELECT count(*) FROM chunk") > 3);

    recorded_start(world, 7 * HOUR_MS);
    recorded_changes(world, 10);
    int64_t cutoff_us = world->now.wall_us - 7 * HOUR_MS * 1000;
    /* The thread does it by itself, a part at a time. */
    for (int i = 0; i < 200 && recorded_ask(world, "SELECT count(*) FROM event") > before - 400; i++)
        uv_sleep(50);
    recorded_stop(world);
    assert_true(recorded_ask(world, "SELECT count(*) FROM event") < before - 400);
    assert_true(recorded_ask(
                    world, "SELECT count(*) FROM event WHERE at_us < (SELECT min(from_us) FROM chunk)") <= 4);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM events e WHERE candidate IS NULL AND event IN"
                                         " ('leader-lost', 'candidate-left', 'leader-elected')"),
                     0); /* whoever is still spoken of has a name */
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM tenures WHERE kind = 'led' AND candidate IS NULL"), 0);

    struct history *history = recorded_open(world);
    int64_t from_us = 0, to_us = 0;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    assert_true(from_us <= cutoff_us);
    recorded_same_looks(world, history, from_us, to_us);
    char *error;
    const struct model *shown = history_at(history, to_us, &error);
    assert_non_null(shown);
    assert_null(history_at(history, from_us - 1, &error));
    assert_non_null(strstr(error, "nothing was recorded yet"));
    free(error);
    assert_null(history_at(history, to_us + 1, &error));
    assert_non_null(strstr(error, "after the recording's end"));
    free(error);
    assert_int_equal(shown->now.wall_us, to_us); /* it stands until another takes its place */
    assert_non_null(shown->clusters[0].elections[0]->path);
    history_close(history);
    recorded_free(world);
}

/* Nothing more is written or removed: the thread looks for work every half second. */
static void settle(struct recorded *world)
{
    int64_t before, rows = -1;
    do {
        before = rows;
        uv_sleep(700);
        rows = recorded_ask(world, "SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM tenure)"
                                   " + (SELECT count(*) FROM name)");
    } while (rows != before);
}

/* It forgets as it goes on, several times within the time that it keeps. */
TEST(forgets_while_it_records)
{
    struct recorded *world = recorded_new();
    recorded_start(world, 1000);
    recorded_connect(world);
    int64_t first = 1;
    for (int round = 0; round < 3; round++) {
        int64_t before = first;
        settle(world);
        for (int i = 0; i < 40 && first <= before; i++) {
            recorded_rush(world, 200);
            uv_sleep(50);
            first = recorded_ask(world, "SELECT coalesce(min(id), 0) FROM event");
        }
        assert_true(first > before);
    }
    recorded_stop(world);
    recorded_free(world);
}

struct line_reported {
    int64_t led_us, gap_us, until_us, doubt_us; /* doubt: a time at which nobody was watching */
    size_t led;
    bool apart, doubt_led;
};

static bool add_reported(void *context, const struct history_stretch *stretch)
{
    struct line_reported *reported = context;
    int64_t us = stretch->to_us - stretch->from_us;
    reported->apart = reported->apart && stretch->from_us >= reported->until_us;
    reported->until_us = stretch->to_us;
    if (stretch->kind == STRETCH_GAP)
        reported->gap_us += us;
    if (stretch->kind != STRETCH_LED)
        return true;
    reported->led_us += us;
    reported->led++;
    reported->doubt_led |= stretch->from_us <= reported->doubt_us && reported->doubt_us < stretch->to_us;
    return true;
}

/* How long somebody led between the recording's ends, and that the line runs along the clock. */
static struct line_reported line_of(struct history *history, int64_t doubt_us)
{
    struct line_reported reported = {.apart = true, .doubt_us = doubt_us};
    int64_t from_us = 0, to_us = 0;
    char *error = NULL;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    assert_true(
        history_stretches(history, "prod", "/election", from_us, to_us, add_reported, &reported, &error));
    assert_true(reported.apart);
    return reported;
}

/* Whoever leads while the clock is set back led before it, and leads on after it; the line tells what the
 * moments show, and owns up to the time that no clock showed. */
TEST(reports_who_led_when_the_clock_is_set_back)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    recorded_pass(world, 10000);
    recorder_flush(world->recorder);
    int64_t begin_us = world->times[0], before_us = world->now.wall_us;
    world->now.wall_us -= HOUR_MS * 1000;
    recorded_pass(world, 1000);
    recorder_flush(world->recorder);
    int64_t after_us = world->now.wall_us;
    recorded_changes(world, 5);
    recorded_pass(world, 10000);
    recorded_stop(world);

    struct history *history = recorded_open(world);
    int64_t watched_us = before_us - begin_us + world->now.wall_us - after_us;
    struct line_reported reported = line_of(history, begin_us - HOUR_MS / 2 * 1000);
    assert_in_range(reported.led_us, watched_us - 3000000, watched_us);
    assert_int_equal(reported.led, 12); /* eleven, one of them in two parts */
    assert_false(reported.doubt_led);
    assert_true(reported.gap_us > HOUR_MS * 900);
    history_close(history);
    recorded_free(world);
}

/* Set back by less than was recorded: no time is told twice, and none is missing. */
TEST(reports_who_led_when_the_clock_is_set_back_a_little)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    int64_t begin_us = world->times[0];
    world->now.wall_us -= 20000000;
    recorded_pass(world, 1000);
    recorded_changes(world, 5);
    recorded_pass(world, 60000);
    recorded_stop(world);

    struct history *history = recorded_open(world);
    struct line_reported reported = line_of(history, 0);
    assert_in_range(reported.led_us, world->now.wall_us - begin_us - 3000000, world->now.wall_us - begin_us);
    assert_int_equal(reported.led, 11);
    assert_int_equal(reported.gap_us, 0);
    history_close(history);
    recorded_free(world);
}

/* A clock that is set back an hour: order decides, nothing is lost, and every event can be stepped to. */
TEST(goes_on_when_the_clock_is_set_back)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    recorded_pass(world, HOUR_MS / 2);
    recorded_changes(world, 5);
    size_t first = world->moments;
    world->now.wall_us -= HOUR_MS * 1000;
    recorded_pass(world, 1000);
    recorded_changes(world, 20);
    recorded_stop(world);

    struct history *history = recorded_open(world);
    recorded_same_events(world, history);
    /* A time that the clock showed twice means the second one. */
    recorded_same_look(world, history, world->moments - 1);
    recorded_same_look(world, history, first + 10);
    /* Step by step, though, all of it passes by, in the order in which it happened. */
    int64_t from_us = 0, to_us = 0, at_us, last_us = 0;
    size_t stepped = 0;
    struct history_filter filter = {.events = UINT64_C(1) << EVENT_LEADER_ELECTED};
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    char *error;
    assert_non_null(history_at(history, world->times[0], &error));
    at_us = world->times[0];
    bool back = false;
    while (history_step(history, &filter, at_us, true, &at_us)) {
        back = back || at_us < last_us;
        last_us = at_us;
        stepped++;
    }
    assert_true(back);
    assert_int_equal(stepped, 30);
    history_close(history);
    recorded_free(world);
}

/*
 * Ten minutes, a lost connection for ten, a nap of ten, ten minutes; then the clock is set back to the
 * beginning, and all of that time is watched: what was not watched of it before is of no moment.
 */
TEST(a_gap_is_of_its_own_clock)
{
    const int64_t ten_ms = 600000;
    struct recorded *world = recorded_begin();
    int64_t begin_us = world->now.wall_us;
    recorded_pass(world, ten_ms);
    recorded_lose(world);
    recorded_pass(world, ten_ms);
    recorded_connect(world);
    recorded_pass(world, ten_ms);
    struct observation nap = {.kind = OBSERVED_GAP, .at = world->now, .gap_us = ten_ms * 1000};
    model_observe(world->model, &nap);
    recorded_changes(world, 1);
    recorded_pass(world, ten_ms);
    recorder_flush(world->recorder);
    world->now.wall_us = begin_us;
    recorded_pass(world, 1000);
    for (int i = 0; i < 10; i++)
        recorded_changes(world, 10);
    recorded_pass(world, ten_ms);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap"), 2);

    struct history *history = recorded_open(world);
    char *drawn = recorded_watched(history, begin_us, begin_us + 4 * ten_ms * 1000, 40), *error;
    assert_string_equal(drawn, "########################################");
    free(drawn);
    struct line_reported reported = line_of(history, 0);
    assert_int_equal(reported.gap_us, 0);
    for (int i = 1; i < 8; i++) {
        const struct model *model = history_at(history, begin_us + i * ten_ms / 2 * 1000, &error);
        assert_true(model && model->clusters[0].elections[0]->fresh);
    }
    recorded_same_events(world, history);
    history_close(history);
    recorded_free(world);
}

/* The clock is set while there is no connection: nobody watched before that, nor after it, by either clock.
 */
TEST(a_gap_goes_on_by_the_other_clock)
{
    struct recorded *world = recorded_begin();
    int64_t begin_us = world->now.wall_us;
    recorded_pass(world, 60000);
    recorded_lose(world);
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    world->now.wall_us -= HOUR_MS * 1000;
    recorded_pass(world, 60000);
    recorder_flush(world->recorder);
    recorded_pass(world, 60000);
    recorded_connect(world);
    recorded_pass(world, 60000);
    recorded_stop(world);
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM gaps WHERE until IS NOT NULL AND seconds = 60"), 2);

    struct history *history = recorded_open(world);
    /* Three seconds earlier: at both ends of a minute a part of ten seconds was watched in part. */
    char *drawn = recorded_watched(history, begin_us - 3000000, begin_us + 117000000, 12);
    assert_string_equal(drawn, "#######.....");
    free(drawn);
    int64_t set_us = begin_us + 180000000 - HOUR_MS * 1000;
    drawn = recorded_watched(history, set_us - 3000000, set_us + 117000000, 12);
    assert_string_equal(drawn, "......######");
    free(drawn);
    struct line_reported reported = line_of(history, begin_us + 90000000);
    assert_false(reported.doubt_led);
    history_close(history);
    recorded_free(world);
}

/* A quiet cluster is watched, too: the recording's end goes on with the clock. */
TEST(goes_on_while_nothing_happens)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 2);
    while (recorder_waiting(world->recorder))
        uv_sleep(20);
    int64_t from_us = 0, to_us = 0;
    recorded_pass(world, 1000);
    recorder_turn(world->recorder);
    struct history *history = recorded_open(world);
    for (int i = 0; i < 200 && to_us != world->now.wall_us; i++) {
        uv_sleep(50);
        assert_true(history_bounds(history, &from_us, &to_us, NULL));
    }
    assert_int_equal(to_us, world->now.wall_us);
    history_close(history);
    recorded_stop(world);
    recorded_free(world);
}

/* ---- what else happens to it ---- */

/* Who backs up the file alone, while it is being recorded into, has a recording. */
TEST(can_be_copied)
{
    struct recorded *world = recorded_begin();
    char command[256], copy[128], *error;
    struct history *history = NULL;
    snprintf(copy, sizeof copy, "%s/copy.db", world->folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", world->file, copy);
    for (int i = 0; i < 200 && !history; i++) {
        uv_sleep(50);
        assert_int_equal(system(command), 0);
        history = history_open(copy, &error);
        free(error);
    }
    assert_non_null(history);
    recorded_same_look(world, history, 0);
    history_close(history);
    unlink(copy);
    recorded_stop(world);
    recorded_free(world);
}

/* ... and lacks nothing once nobody records into it any more, whoever reads it meanwhile. */
TEST(is_whole_in_itself_at_its_end)
{
    struct recorded *world = recorded_begin();
    recorded_stop(world);
    struct history *reader = recorded_open(world);
    int64_t before = recorded_ask(world, "SELECT count(*) FROM event");
    recorded_start(world, KEEP_LONG_MS);
    recorded_changes(world, 5);
    for (int i = 0; i < 400 && recorded_ask(world, "SELECT count(*) FROM event") == before; i++)
        uv_sleep(50);
    recorded_changes(world, 20); /* what was first was taken over at once, this within a minute */
    recorded_stop(world);
    struct recorded alone;
    char command[256];
    snprintf(alone.file, sizeof alone.file, "%s/copy.db", world->folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", world->file, alone.file);
    assert_int_equal(system(command), 0);
    int64_t all = recorded_ask(world, "SELECT count(*) FROM event");
    assert_int_equal(recorded_ask(&alone, "SELECT count(*) FROM event"), all);
    unlink(alone.file);
    history_close(reader);
    recorded_free(world);
}

/* Whoever leads after a gap as before led all the while; each moment has one row that says so. */
TEST(reports_each_moment_once)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    for (int i = 0; i < 2; i++) {
        recorder_flush(world->recorder);
        struct observation lost = {.kind = OBSERVED_CONNECTION, .at = world->now};
        lost.connection.state = CONNECTION_CONNECTING;
        model_observe(world->model, &lost);
        recorder_flush(world->recorder);
        recorded_pass(world, 5000);
        recorded_connect(world);
        recorded_pass(world, 5000);
    }
    recorded_changes(world, 2);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap"), 2);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM tenure a JOIN tenure b ON b.id = a.id + 1"
                                         " WHERE a.to_us IS NULL OR b.from_us != a.to_us"),
                     0);
    recorded_free(world);
}

/* A recorder that stood still saw nothing meanwhile,
   and what it had seen before is not shown as if it had. */
TEST(claims_nothing_while_it_stood_still)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    int64_t from_us = world->now.wall_us;
    recorded_pass(world, 20000);
    struct observation gap = {.kind = OBSERVED_GAP, .at = world->now, .gap_us = 20000000};
    model_observe(world->model, &gap);
    int64_t to_us = world->now.wall_us;
    recorded_changes(world, 5);
    int64_t read_us = world->now.wall_us;
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT from_us FROM gap"), from_us);

    struct history *history = recorded_open(world);
    char *error;
    const struct model *model = history_at(history, from_us, &error);
    assert_true(model && model->clusters[0].elections[0]->fresh);
    model = history_at(history, to_us - 1000, &error);
    assert_true(model && !model->clusters[0].elections[0]->fresh);
    assert_string_equal(model->clusters[0].problem, "the recorder was paused then");
    assert_int_equal(model->clusters[0].connection_since.wall_us, from_us);
    model = history_at(history, read_us, &error);
    assert_true(model && model->clusters[0].elections[0]->fresh);
    history_close(history);
    recorded_free(world);
}

/* Nor what came after the servers were heard last, although the connection was only given up later. */
TEST(claims_nothing_while_nothing_was_heard)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    int64_t heard_us = world->now.wall_us;
    recorded_pass(world, 6000);
    int64_t reported_us = world->now.wall_us;
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection = (struct observed_connection){
        .state = CONNECTION_CONNECTING, .session = 0x100, .silent_us = 6000000, .problem = "no answer"};
    model_observe(world->model, &o);
    recorded_pass(world, 1000);
    o.at = world->now;
    o.connection =
        (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 0x100, .timeout_ms = 10000};
    model_observe(world->model, &o);
    recorded_changes(world, 5);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT from_us FROM gap"), heard_us);
    assert_int_equal(recorded_ask(world, "SELECT to_us - from_us FROM gap"), 7000000);

    struct history *history = recorded_open(world);
    char *error;
    const struct model *model = history_at(history, heard_us, &error);
    assert_true(model && model->clusters[0].elections[0]->fresh);
    model = history_at(history, reported_us - 1000, &error);
    assert_true(model && !model->clusters[0].elections[0]->fresh);
    assert_string_equal(model->clusters[0].problem, "the servers were not heard then");
    assert_int_equal(model->clusters[0].connection_since.wall_us, heard_us);
    assert_int_equal(model->clusters[0].elections[0]->stale_since.wall_us, heard_us);
    history_close(history);
    recorded_free(world);
}

static void expect_refusal(const struct recorded *world, const char *wanted)
{
    char *error;
    struct history *history = history_open(world->file, &error);
    assert_null(history);
    if (!strstr(error, wanted) || !strstr(error, world->file) || !strchr(error, ';'))
        fail_msg("%s", error);
    free(error);
}

static void expect_no_recorder(struct recorded *world, const char *file, const char *wanted)
{
    char *error;
    struct recorder *recorder = recorder_new(world->model, file, KEEP_LONG_MS, &error);
    assert_null(recorder);
    if (!strstr(error, wanted) || !strchr(error, ';'))
        fail_msg("%s", error);
    free(error);
}

/* A file that was cut is told, and not made worse by recording into it. */
TEST(reports_of_a_cut_file)
{
    struct recorded *world = recorded_begin();
    struct stat status;
    recorded_changes(world, 60);
    recorded_stop(world);
    assert_int_equal(stat(world->file, &status), 0);
    off_t cut = status.st_size - 1; /* within its last page */
    assert_int_equal(truncate(world->file, cut), 0);
    expect_refusal(world, "damaged");
    expect_no_recorder(world, world->file, "move it away");
    assert_int_equal(stat(world->file, &status), 0);
    assert_int_equal(status.st_size, cut);
    assert_int_equal(truncate(world->file, status.st_size / 2 / 4096 * 4096), 0);
    expect_refusal(world, "damaged");
    expect_no_recorder(world, world->file, "damaged");
    assert_int_equal(truncate(world->file, 10), 0);
    expect_refusal(world, "not a recording of electop");
    recorded_free(world);
}

/* Where there is nothing, and where nobody may write. */
TEST(reports_of_wrong_places)
{
    struct recorded *world = recorded_new();
    char path[160];
    expect_refusal(world, "there is no recording");
    snprintf(path, sizeof path, "%s/link", world->folder);
    assert_int_equal(symlink(world->file, path), 0);
    expect_no_recorder(world, path, "is a link");
    unlink(path);
    fclose(fopen(world->file, "w"));
    assert_int_equal(link(world->file, path), 0);
    expect_no_recorder(world, path, "has another name, too");
    expect_no_recorder(world, world->file, "has another name, too");
    unlink(path);
    unlink(world->file);
    snprintf(path, sizeof path, "%s/open", world->folder);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chmod(path, 0777), 0);
    snprintf(path, sizeof path, "%s/open/history.db", world->folder);
    expect_no_recorder(world, path, "other users can change");
    expect_no_recorder(world, "/proc/nowhere/history.db", "cannot be created");
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "%s/theirs.db", world->folder);
        FILE *file = fopen(path, "w");
        fclose(file);
        assert_int_equal(chown(path, 65534, 65534), 0);
        expect_no_recorder(world, path, "belongs to another user");
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/open", world->folder);
    rmdir(path);
    recorded_free(world);
}

/* ---- versions ---- */

static struct buffer whole_file(const char *path)
{
    struct buffer bytes = {0};
    char part[4096];
    size_t length;
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while ((length = fread(part, 1, sizeof part, file)) > 0)
        buffer_put(&bytes, part, length);
    fclose(file);
    return bytes;
}

/* A recording of another schema is refused by name, by whoever reads and whoever records, and nothing is
   written into it; so is what is no recording at all. */
TEST(refuses_what_it_does_not_know)
{
    struct recorded *world = recorded_begin();
    recorded_stop(world);
    static const int others[] = {SCHEMA_VERSION - 1, 1, SCHEMA_VERSION + 1, 999, 0, -3};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char sql[64], words[64];
        snprintf(sql, sizeof sql, "PRAGMA user_version=%d; PRAGMA wal_checkpoint(TRUNCATE)", others[i]);
        recorded_change(world, sql);
        struct buffer before = whole_file(world->file), after;
        snprintf(words, sizeof words, "(schema %d, this one reads %d)", others[i], SCHEMA_VERSION);
        expect_refusal(world, words);
        expect_no_recorder(world, world->file, words);
        expect_refusal(world, world->file);
        after = whole_file(world->file);
        assert_int_equal(before.length, after.length);
        assert_memory_equal(before.bytes, after.bytes, before.length);
        buffer_free(&before);
        buffer_free(&after);
    }
    recorded_change(world, "PRAGMA application_id=-2");
    expect_refusal(world, "not a recording of electop");
    unlink(world->file);
    recorded_change(world, "CREATE TABLE accounts (id)");
    expect_refusal(world, "not a recording of electop");
    expect_no_recorder(world, world->file, "not a recording of electop");
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM sqlite_schema"), 1);
    recorded_free(world);
}

/* Else a recording from before the change is said to be none. */
TEST(a_change_of_the_schema_takes_a_new_number)
{
    struct recorded *world = recorded_begin();
    recorded_stop(world);
    int64_t length = recorded_ask(world, "SELECT sum(length(sql)) FROM sqlite_schema");
    if (SCHEMA_VERSION != 9 || length != 7231)
        fail_msg("schema %d has %d characters: raise SCHEMA_VERSION, and both here", SCHEMA_VERSION,
                 (int)length);
    recorded_free(world);
}

/* What SQLite asks when it closes a recording, before it removes what is written beside it. */
static bool another_would_be_the_last(const char *file)
{
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(file, O_RDWR | O_CLOEXEC);
        _exit(fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}

/* Whatever is read of it in the same process, nobody takes away from a recorder what it writes into. */
TEST(keeps_its_locks)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    assert_false(another_would_be_the_last(world->file));
    history_close(recorded_open(world));
    assert_false(another_would_be_the_last(world->file));

    struct history *history = recorded_open(world);
    recorded_stop(world);
    recorded_start(world, 24 * HOUR_MS);
    recorded_changes(world, 5);
    assert_false(another_would_be_the_last(world->file));
    history_close(history);
    assert_false(another_would_be_the_last(world->file));
    recorded_stop(world);
    recorded_free(world);
}

/* Proves that a recorder notices within a second what others do to its files, says so, and loses nothing that
 * can be saved: a new file has a gap, and the present state of every election. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "config/text.h"
#include "probe/history/history.h"
#include "tests/support/folder.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"

/* The writer looks every half second; a busy machine lets it run later. */
#define NOTICED_MS 20000

static void wait_until_written(const struct recorded *world)
{
    while (recorder_waiting(world->recorder))
        uv_sleep(20);
}

static char *beside(const struct recorded *world, const char *suffix)
{
    return text_format("%s%s", world->file, suffix);
}

static bool is_there(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0;
}

/* What is said of it, which must come in time. */
static void expect_notice(const struct recorded *world, const char *wanted)
{
    char *notice = NULL;
    int64_t until_ms = (int64_t)(uv_hrtime() / 1000000) + NOTICED_MS;
    while (!(notice = recorder_take_notice(world->recorder)) && (int64_t)(uv_hrtime() / 1000000) < until_ms)
        uv_sleep(10);
    assert_non_null(notice);
    if (!strstr(notice, wanted) || !strstr(notice, world->file))
        fail_msg("%s", notice);
    free(notice);
}

/* The election goes on: who leads now, and who has come to lead since, is in the file. */
static void expect_present(struct recorded *world, const char *leader)
{
    char *sql = text_format("SELECT count(*) FROM tenures WHERE candidate = '%s' AND kind = 'led'", leader);
    assert_int_equal(recorded_ask(world, sql), 1);
    free(sql);
    struct history *history = recorded_open(world);
    recorded_same_look(world, history, world->moments - 1);
    history_close(history);
}

static const char *leader_of(const struct recorded *world)
{
    return model_election(world->model, 0, "/election")->leader->name;
}

static void expect_new_file(struct recorded *world, const char *leader_then)
{
    recorded_pass(world, 1000);
    recorder_flush(world->recorder);
    wait_until_written(world);
    char *sql =
        text_format("SELECT count(*) FROM tenures WHERE candidate = '%s' AND until IS NULL", leader_then);
    assert_int_equal(recorded_ask(world, sql), 1);
    free(sql);
    /* Failovers of before, too, but not their events. */
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM failover"), world->failovers);
    int64_t events = recorded_ask(world, "SELECT count(*) FROM events WHERE event = 'failover'");
    recorded_changes(world, 3);
    char *leader = text_copy(leader_of(world));
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM failover"), world->failovers);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM events WHERE event = 'failover'"), events + 3);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap WHERE why = 'not recording'"), 1);
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM stretch WHERE why = 'went on in another file'"), 1);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM tenure WHERE to_us IS NULL"), 1);
    expect_present(world, leader);
    free(leader);
}

/* Removed with all that lay beside it, as by a clean-up job. */
TEST(begins_a_new_file_where_it_was_removed)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    wait_until_written(world);
    char *leader = text_copy(leader_of(world));
    /* All at once: the writer would begin a new file between one removal and the next. */
    char *gone = text_format("%s.gone", world->folder);
    assert_int_equal(rename(world->folder, gone), 0);
    assert_int_equal(mkdir(world->folder, 0700), 0);
    folder_remove(gone);
    free(gone);
    expect_notice(world, "removed or moved");
    static const char *const suffixes[] = {"", ".lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = beside(world, suffixes[i]);
        assert_true(is_there(name));
        free(name);
    }
    expect_new_file(world, leader);
    free(leader);
    recorded_free(world);
}

/* Moved as by a rotation of logs: the moved file alone has all until then, and the new one what follows. */
TEST(leaves_a_moved_file_whole)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    wait_until_written(world);
    int64_t events = recorded_ask(world, "SELECT count(*) FROM event");
    char *leader = text_copy(leader_of(world)), *moved = beside(world, ".1");
    assert_int_equal(rename(world->file, moved), 0);
    expect_notice(world, "removed or moved");
    struct recorded then = {0};
    snprintf(then.file, sizeof then.file, "%s", moved);
    assert_true(events > 0);
    assert_int_equal(recorded_ask(&then, "SELECT count(*) FROM event"), events);
    assert_int_equal(
        recorded_ask(&then, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    expect_new_file(world, leader);
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = text_format("%s%s", moved, suffixes[i]);
        unlink(name);
        free(name);
    }
    free(moved);
    free(leader);
    recorded_free(world);
}

/* Whoever puts an older copy in its place takes away what happened since that: a gap from its end on says so.
 */
TEST(tells_what_an_older_copy_lacks)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    wait_until_written(world);
    char *older = beside(world, ".1");
    assert_int_equal(rename(world->file, older), 0);
    expect_notice(world, "removed or moved");
    recorded_changes(world, 5);
    recorded_pass(world, 1000);
    recorder_flush(world->recorder);
    wait_until_written(world);
    assert_int_equal(rename(older, world->file), 0);
    expect_notice(world, "replaced");
    recorded_changes(world, 1);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM stretch"), 2);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap g, stretch s, stretch n WHERE s.id = 1 AND"
                                         " n.id = 2 AND g.from_us = s.to_us AND g.to_us = n.from_us"),
                     1);
    free(older);
    recorded_free(world);
}

/* Without its log, its index or its lock the file itself goes on, and nothing is missing. */
TEST(goes_on_without_what_lay_beside_it)
{
    static const char *const suffixes[] = {"-wal", "-shm", ".lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct recorded *world = recorded_begin();
        recorded_changes(world, 5);
        wait_until_written(world);
        uv_sleep(600); /* it has looked at them once */
        char *name = beside(world, suffixes[i]);
        assert_int_equal(unlink(name), 0);
        expect_notice(world, suffixes[i]);
        if (strcmp(suffixes[i], "-wal") == 0) {
            char *copy = beside(world, ".copy"); /* as a kill would leave it */
            char *command = text_format("cp '%s' '%s'", world->file, copy);
            assert_int_equal(system(command), 0);
            struct recorded then = {0};
            snprintf(then.file, sizeof then.file, "%s", copy);
            assert_int_equal(recorded_ask(&then, "SELECT count(*) FROM failover"), (int64_t)world->failovers);
            unlink(copy);
            free(command);
            free(copy);
        }
        recorded_changes(world, 5);
        recorded_stop(world);
        assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap"), 0);
        recorded_same(world);
        free(name);
        recorded_free(world);
    }
}

/* Emptied, as by a rotation of logs that copies and truncates: what follows is in a file that is whole. */
TEST(begins_anew_in_an_emptied_file)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    wait_until_written(world);
    /* The first rows are taken over into the file at once; until then, all of it lies beside it. */
    struct stat status = {0};
    for (int i = 0; i < NOTICED_MS / 20 && status.st_size <= 4096; i++) {
        uv_sleep(20);
        assert_int_equal(stat(world->file, &status), 0);
    }
    assert_true(status.st_size > 4096);
    char *leader = text_copy(leader_of(world));
    assert_int_equal(truncate(world->file, 0), 0);
    expect_notice(world, "overwritten; recording continues in a new file");
    expect_new_file(world, leader);
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    free(leader);
    recorded_free(world);
}

/* The log beside it is emptied, before it is taken over: what it held is lost, and nothing else. */
TEST(goes_on_after_an_emptied_log)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    wait_until_written(world);
    char *leader = text_copy(leader_of(world)), *log = beside(world, "-wal");
    struct stat status;
    assert_int_equal(stat(log, &status), 0);
    assert_true(status.st_size > 0);
    recorded_changes(world, 1);
    wait_until_written(world);
    free(leader);
    leader = text_copy(leader_of(world));
    assert_int_equal(truncate(log, 0), 0);
    expect_notice(world, "cut short; it continues after a gap");
    expect_new_file(world, leader);
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    free(log);
    free(leader);
    recorded_free(world);
}

/* What is in the file's place now is no recording: it is left alone, and that is reported until it is gone.
 */
TEST(leaves_a_foreign_file_alone)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 3);
    wait_until_written(world);
    char *leader = text_copy(leader_of(world));
    char *other = beside(world, ".other");
    FILE *stream = fopen(other, "w");
    assert_non_null(stream);
    for (int i = 0; i < 1000; i++)
        fputs("no database\n", stream);
    fclose(stream);
    assert_int_equal(rename(other, world->file), 0);
    expect_notice(world, "replaced");
    char *problem;
    while (!(problem = recorder_problem(world->recorder)))
        uv_sleep(20);
    assert_non_null(strstr(problem, "this is not a recording of electop"));
    free(problem);
    struct stat status;
    assert_int_equal(stat(world->file, &status), 0);
    assert_int_equal(status.st_size, 12000);
    assert_int_equal(unlink(world->file), 0);
    while ((problem = recorder_problem(world->recorder))) {
        free(problem);
        uv_sleep(20);
    }
    expect_new_file(world, leader);
    free(other);
    free(leader);
    recorded_free(world);
}

/* Proves that a recording survives a disk on which there is no room, and owns up to what it lost there. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "probe/history/history.h"
#include "probe/history/store.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Where nothing more can be written, that is said; once there is room again, all of it is there. */
TEST(waits_for_room)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    uv_sleep(600);
    limit_files(100000);
    recorded_changes(world, 200);
    char *problem = NULL;
    for (int i = 0; i < 100 && !problem; i++) {
        uv_sleep(50);
        problem = recorder_problem(world->recorder);
    }
    limit_files(RLIM_INFINITY);
    assert_non_null(problem);
    assert_non_null(strstr(problem, world->file));
    free(problem);
    recorded_changes(world, 5);
    recorded_stop(world);

    recorded_same(world);
    recorded_free(world);
}

/* With what stands beside it. */
static int64_t whole_size(const struct recorded *world)
{
    return recorded_ask(world, "SELECT page_count FROM pragma_page_count") * 4096;
}

/* Where the disk is full at the end, what was written stays beside the file, whose first page may tell of
 * more than the file holds: nothing is damaged, and nothing is missing. */
TEST(reads_what_did_not_fit_into_the_file)
{
    struct recorded *world = recorded_begin();
    /* The first of it is taken over at once; what follows would be in a minute. */
    struct stat status = {0};
    while (recorder_waiting(world->recorder))
        uv_sleep(20);
    for (int i = 0; i < 200 && status.st_size < whole_size(world); i++) {
        uv_sleep(50);
        assert_int_equal(stat(world->file, &status), 0);
    }
    assert_int_equal(status.st_size, whole_size(world));
    rlim_t most = (rlim_t)status.st_size;
    recorded_changes(world, 120);
    while (recorder_waiting(world->recorder))
        uv_sleep(20);
    limit_files(most);
    char *problem;
    recorder_stop(world->recorder, &problem);
    world->recorder = NULL;
    limit_files(RLIM_INFINITY);
    free(problem);
    assert_int_equal(stat(world->file, &status), 0);
    assert_true((rlim_t)status.st_size <= most);
    assert_true(whole_size(world) > status.st_size);

    recorded_same(world);
    recorded_free(world);
}

/* The recorder was given more than could be kept while nothing could be written; now it can be again. */
static void lose_some(struct recorded *world, int at_once, struct recorder_loss *loss)
{
    uv_sleep(600);
    limit_files(100000);
    for (int i = 0; i < 100000 && !recorder_lost(world->recorder); i += at_once)
        recorded_rush(world, at_once);
    assert_true(recorder_lost(world->recorder) > 0);
    assert_true(recorder_last_loss(world->recorder, loss));
    assert_int_equal(loss->events, recorder_lost(world->recorder));
    assert_int_equal(loss->to_us, 0);
    limit_files(RLIM_INFINITY);
    char *problem;
    while ((problem = recorder_problem(world->recorder))) {
        free(problem);
        uv_sleep(50);
    }
    uv_sleep(1100); /* it does not try at every turn */
}

static void wait_for_problem(const struct recorded *world, bool wanted)
{
    char *problem;
    while (((problem = recorder_problem(world->recorder)) != NULL) != wanted) {
        free(problem);
        uv_sleep(20);
    }
    free(problem);
}

/* A cluster was lost before the disk was full, and came back while it was: the time between is a gap. */
TEST(keeps_the_absence_of_a_cluster_over_a_full_disk)
{
    struct recorded *world = recorded_begin();
    recorded_pass(world, 10000);
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = world->now};
    o.connection = (struct observed_connection){.state = CONNECTION_CONNECTING, .session = 7};
    model_observe(world->model, &o);
    recorder_flush(world->recorder);
    for (int i = 0; i < 200 && recorded_ask(world, "SELECT count(*) FROM event WHERE state IS NOT NULL") < 2;
         i++)
        uv_sleep(50);
    limit_files(0);
    recorded_pass(world, 30000);
    recorded_connect(world);
    wait_for_problem(world, true);
    limit_files(RLIM_INFINITY);
    wait_for_problem(world, false);
    recorded_stop(world);
    assert_int_equal(
        recorded_ask(world, "SELECT count(*) FROM gaps WHERE why = 'not connected' AND seconds = 30"), 1);
    recorded_free(world);
}

#define LEADER_SIZE 64

static bool take_leader(void *context, const struct history_stretch *stretch)
{
    assert_int_equal(stretch->kind, STRETCH_LED);
    snprintf(context, LEADER_SIZE, "%s", stretch->name);
    return true;
}

/* Whoever came to lead while nothing could be kept leads afterwards, and nobody from before does: however
   many there were in between, and though nothing changes any more. */
TEST(knows_who_leads_after_a_loss)
{
    for (int at_once = 1; at_once <= 500; at_once += 499) {
        struct recorded *world = recorded_begin();
        recorded_changes(world, 5);
        struct recorder_loss loss;
        lose_some(world, at_once, &loss);
        for (int i = 0; i < 2; i++) {
            recorded_pass(world, 15000);
            recorder_flush(world->recorder);
        }
        recorded_stop(world);
        struct history *history = recorded_open(world);
        int64_t from_us, to_us;
        char leader[LEADER_SIZE] = "nobody", *error;
        assert_true(history_bounds(history, &from_us, &to_us, NULL));
        assert_true(history_stretches(history, "prod", "/election", to_us - 1000, to_us, take_leader, leader,
                                      &error));
        assert_string_equal(leader, model_election(world->model, 0, "/election")->leader->name);
        history_close(history);
        assert_int_equal(recorded_ask(world, "SELECT count(*) FROM tenure WHERE to_us IS NULL"), 1);
        recorded_free(world);
    }
}

/* What is too much to be kept until there is room again is lost, and that is in the recording: a gap. */
TEST(owns_up_to_what_it_lost)
{
    struct recorded *world = recorded_begin();
    struct recorder_loss loss;
    recorded_changes(world, 5);
    lose_some(world, 500, &loss);
    while (recorder_last_loss(world->recorder, &loss) && loss.to_us == 0) {
        recorded_changes(world, 1);
        uv_sleep(50);
    }
    size_t first = world->moments;
    recorded_changes(world, 20);
    uint64_t lost = recorder_lost(world->recorder);
    assert_true(recorder_last_loss(world->recorder, &loss));
    recorded_stop(world);

    /* What is said of it is what stands in it. */
    assert_int_equal(loss.events, lost);
    assert_int_equal(recorded_ask(world, "SELECT from_us FROM gap"), loss.from_us);
    assert_int_equal(recorded_ask(world, "SELECT to_us FROM gap"), loss.to_us);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM stretch WHERE why = 'went on after a loss'"),
                     1);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM gap WHERE why = 'not recording'"), 1);
    assert_int_equal(recorded_ask(world, "SELECT count(*) - count(DISTINCT lost_us) FROM failover"), 0);
    struct history *history = recorded_open(world);
    recorded_same_look(world, history, first);
    recorded_same_looks(world, history, world->times[first + 1], INT64_MAX);
    /* In between nothing is claimed. */
    char *error;
    int64_t gap_us = recorded_ask(world, "SELECT (from_us + to_us) / 2 FROM gap");
    const struct model *model = history_at(history, gap_us, &error);
    assert_non_null(model);
    assert_false(model->clusters[0].elections[0]->fresh);
    assert_string_equal(model->clusters[0].problem, "nothing was recorded then");
    const struct election *then = model->clusters[0].elections[0];
    const struct tenure *last = election_tenure_at(then, then->tenure_count - 1);
    assert_true(last->gap && last->to.mono_us == 0);
    assert_int_equal(last->from.wall_us, loss.from_us);
    history_close(history);
    recorded_free(world);
}

/* Where there is still no room at the end, whoever ends it is told from when on things are missing, and the
 * next recording has that time as a gap. */
TEST(says_what_is_missing_at_the_end)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 5);
    while (recorder_waiting(world->recorder))
        uv_sleep(20);
    int64_t written_us = recorded_ask(world, "SELECT max(to_us) FROM stretch");
    limit_files(1000);
    recorded_changes(world, 20);
    char *problem, *wanted;
    assert_false(recorder_stop(world->recorder, &problem));
    limit_files(RLIM_INFINITY);
    world->model->on_event = NULL;
    wanted = store_loss("", written_us);
    if (!strstr(problem, world->file) || !strstr(problem, wanted))
        fail_msg("%s", problem);
    free(wanted);
    free(problem);

    recorded_pass(world, 60000);
    recorded_start(world, KEEP_LONG_MS);
    recorded_changes(world, 5);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT from_us FROM gap WHERE why = 'not recording'"), written_us);
    recorded_free(world);
}

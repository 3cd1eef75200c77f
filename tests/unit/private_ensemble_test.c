/* sandbox: real servers start, are killed, stopped and wiped one by one, and nothing outlives its owner. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "probe/demo/private_ensemble.h"
#include "probe/demo/supervisor.h"
#include "tests/support/test.h"

#define WITHIN_MS 40000

/* What became of a start. */
struct outcome {
    bool reported;
    char problem[2000];
};

static void on_ready(void *context, const char *problem)
{
    struct outcome *outcome = context;
    assert_false(outcome->reported);
    outcome->reported = true;
    snprintf(outcome->problem, sizeof outcome->problem, "%s", problem ? problem : "");
}

static void on_alarm(uv_timer_t *timer)
{
    (void)timer;
}

static void run_until_reported(uv_loop_t *loop, const struct outcome *outcome)
{
    uv_timer_t alarm;
    uv_timer_init(loop, &alarm);
    uv_timer_start(&alarm, on_alarm, 10, 10);
    uint64_t from = uv_now(loop);
    while (!outcome->reported && uv_now(loop) - from < WITHIN_MS)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&alarm, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
    assert_true(outcome->reported);
}

static struct private_ensemble *start(uv_loop_t *loop, const struct private_ensemble_options *options)
{
    struct outcome outcome = {0};
    char *error = NULL;
    struct private_ensemble *sandbox = private_ensemble_start(loop, options, on_ready, &outcome, &error);
    if (!sandbox)
        fail_msg("%s", error);
    run_until_reported(loop, &outcome);
    assert_string_equal(outcome.problem, "");
    return sandbox;
}

static void stop(uv_loop_t *loop, struct private_ensemble *sandbox)
{
    private_ensemble_stop(sandbox);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

static bool process_exists(int pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* The letter of /proc/PID/stat: T is stopped. */
static char process_state(int pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = '?';
        fclose(file);
    }
    return state;
}

static bool directory_exists(const char *path)
{
    struct stat stat_buffer;
    return stat(path, &stat_buffer) == 0;
}

/* One server serves, and after the end neither it nor its supervisor nor the directory is there. */
TEST(one_server_leaves_nothing)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct private_ensemble *sandbox =
        start(&loop, &(struct private_ensemble_options){.servers = 1, .tick_ms = 500});
    int pid = private_ensemble_server_pid(sandbox, 0), supervisor = private_ensemble_supervisor_pid(sandbox);
    char directory[256];
    snprintf(directory, sizeof directory, "%s", private_ensemble_directory(sandbox));
    assert_true(pid > 0 && process_exists(pid));
    assert_true(directory_exists(directory));
    assert_memory_equal(private_ensemble_hosts(sandbox), "127.0.0.1:", 10);
    assert_null(strchr(private_ensemble_hosts(sandbox), ','));
    stop(&loop, sandbox);
    assert_false(process_exists(pid));
    assert_false(process_exists(supervisor));
    assert_false(directory_exists(directory));
}

/* Of three, one can be killed, wiped, started again, stopped and continued, on the ports it had. */
TEST(three_servers_one_by_one)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct private_ensemble *sandbox =
        start(&loop, &(struct private_ensemble_options){.servers = 3, .tick_ms = 500});
    char hosts[128];
    snprintf(hosts, sizeof hosts, "%s", private_ensemble_hosts(sandbox));
    int first = private_ensemble_server_pid(sandbox, 1);
    assert_true(private_ensemble_server_kill(sandbox, 1));
    assert_false(process_exists(first));
    assert_int_equal(private_ensemble_server_pid(sandbox, 1), 0);
    assert_false(private_ensemble_server_kill(sandbox, 1));
    assert_false(private_ensemble_server_stop(sandbox, 1));

    char data[300];
    snprintf(data, sizeof data, "%s/2/data", private_ensemble_directory(sandbox));
    assert_true(private_ensemble_server_wipe(sandbox, 1));
    assert_false(directory_exists(data));

    struct outcome outcome = {0};
    assert_true(private_ensemble_server_start(sandbox, 1, on_ready, &outcome));
    assert_false(private_ensemble_server_start(sandbox, 1, NULL, NULL));
    run_until_reported(&loop, &outcome);
    assert_string_equal(outcome.problem, "");
    assert_string_equal(private_ensemble_hosts(sandbox), hosts);
    int second = private_ensemble_server_pid(sandbox, 1);
    assert_true(second > 0 && second != first);

    assert_true(private_ensemble_server_stop(sandbox, 1));
    for (int i = 0; i < 100 && process_state(second) != 'T'; i++)
        uv_sleep(10);
    assert_int_equal(process_state(second), 'T');
    assert_true(private_ensemble_server_cont(sandbox, 1));
    for (int i = 0; i < 100 && process_state(second) == 'T'; i++)
        uv_sleep(10);
    assert_int_not_equal(process_state(second), 'T');
    assert_true(private_ensemble_server_stop(sandbox, 1)); /* the end has to reach a stopped one too */

    assert_false(private_ensemble_server_start(sandbox, 3, NULL, NULL));
    assert_false(private_ensemble_server_kill(sandbox, -1));
    stop(&loop, sandbox);
    assert_false(process_exists(second));
}

/* What a sandbox's owner tells the test before it is killed. */
struct owned {
    int server, supervisor;
    char directory[256];
};

static void own_and_wait(int report, bool until_ready)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct outcome outcome = {0};
    char *error = NULL;
    struct private_ensemble *sandbox = private_ensemble_start(
        &loop, &(struct private_ensemble_options){.servers = 1, .tick_ms = 500}, on_ready, &outcome, &error);
    if (!sandbox)
        _exit(1);
    if (until_ready)
        run_until_reported(&loop, &outcome);
    struct owned owned = {.server = private_ensemble_server_pid(sandbox, 0),
                          .supervisor = private_ensemble_supervisor_pid(sandbox)};
    snprintf(owned.directory, sizeof owned.directory, "%s", private_ensemble_directory(sandbox));
    if (write(report, &owned, sizeof owned) != (ssize_t)sizeof owned)
        _exit(1);
    for (;;)
        pause();
}

/* kill -9 of the owner, while the server starts and when it serves: all of it goes within a moment. */
TEST(nothing_outlives_a_killed_owner)
{
    for (int ready = 0; ready < 2; ready++) {
        int report[2];
        assert_int_equal(pipe(report), 0);
        pid_t owner = fork();
        assert_true(owner >= 0);
        if (owner == 0) {
            close(report[0]);
            own_and_wait(report[1], ready == 1);
        }
        close(report[1]);
        struct owned owned = {0};
        assert_int_equal(read(report[0], &owned, sizeof owned), (ssize_t)sizeof owned);
        assert_true(process_exists(owned.server));
        kill(owner, SIGKILL);
        waitpid(owner, NULL, 0);
        /* Nobody but the owner held the pipe's other end: the supervisor does not keep what it inherits. */
        char more;
        assert_int_equal(read(report[0], &more, 1), 0);
        close(report[0]);
        for (int i = 0; i < 500 && (directory_exists(owned.directory) || process_exists(owned.supervisor));
             i++)
            uv_sleep(10);
        assert_false(process_exists(owned.server));
        assert_false(directory_exists(owned.directory));
        assert_false(process_exists(owned.supervisor));
    }
}

/* kill -9 of the supervisor: the kernel ends the servers, and private_ensemble_stop() removes the directory.
 */
TEST(servers_end_with_their_supervisor)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct private_ensemble *sandbox =
        start(&loop, &(struct private_ensemble_options){.servers = 1, .tick_ms = 500});
    int pid = private_ensemble_server_pid(sandbox, 0);
    char directory[256];
    snprintf(directory, sizeof directory, "%s", private_ensemble_directory(sandbox));
    kill(private_ensemble_supervisor_pid(sandbox), SIGKILL);
    for (int i = 0; i < 500 && process_exists(pid) && process_state(pid) != 'Z'; i++)
        uv_sleep(10);
    assert_true(!process_exists(pid) || process_state(pid) == 'Z'); /* init may be slow to reap it */
    assert_false(private_ensemble_server_stop(sandbox, 0));
    stop(&loop, sandbox);
    assert_false(directory_exists(directory));
}

/* A server that does not start is quoted, and soon; its options reach it. */
TEST(a_failed_start_says_why)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct outcome outcome = {0};
    char *error = NULL;
    struct private_ensemble_options options = {.servers = 1, .tick_ms = 500, .config = "initLimit=many\n"};
    struct private_ensemble *sandbox = private_ensemble_start(&loop, &options, on_ready, &outcome, &error);
    assert_non_null(sandbox);
    run_until_reported(&loop, &outcome);
    assert_non_null(strstr(outcome.problem, "ended by itself"));
    assert_non_null(strstr(outcome.problem, "many"));
    stop(&loop, sandbox);
}

/* Without java the error names the packages; what makes no sense is refused; nothing is left of either. */
TEST(what_cannot_be_tried_is_refused)
{
    uv_loop_t loop;
    uv_loop_init(&loop);
    char *path = strdup(getenv("PATH")), *error = NULL;
    setenv("PATH", "/nonexistent", 1);
    assert_null(private_ensemble_start(
        &loop, &(struct private_ensemble_options){.servers = 1, .tick_ms = 500}, on_ready, NULL, &error));
    setenv("PATH", path, 1);
    free(path);
    assert_non_null(strstr(error, "no java"));
    assert_non_null(strstr(error, "apt-get install"));
    free(error);
    assert_null(private_ensemble_start(
        &loop, &(struct private_ensemble_options){.servers = 2, .tick_ms = 500}, on_ready, NULL, &error));
    assert_non_null(error);
    free(error);

    char *temporary = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nonexistent", 1);
    assert_null(private_ensemble_start(
        &loop, &(struct private_ensemble_options){.servers = 1, .tick_ms = 500}, on_ready, NULL, &error));
    unsetenv("TMPDIR");
    if (temporary)
        setenv("TMPDIR", temporary, 1);
    free(temporary);
    assert_non_null(strstr(error, "TMPDIR"));
    free(error);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* The supervisor says what exec said, never removes outside of its directory, and can be asked after a
 * process. */
TEST(a_supervisor_answers)
{
    char *error = NULL;
    struct supervisor *supervisor = supervisor_new("electop-test-", &error);
    if (!supervisor)
        fail_msg("%s", error);
    char missing[] = "/nonexistent/program", sleeper[] = "sleep", time[] = "60";
    assert_int_equal(supervisor_start(supervisor, 0, "log", (char *[]){missing, NULL}), -ENOENT);
    assert_false(supervisor_running(supervisor, 0));
    pid_t pid = supervisor_start(supervisor, 0, "log", (char *[]){sleeper, time, NULL});
    assert_true(pid > 0);
    assert_true(supervisor_running(supervisor, 0));
    assert_int_equal(supervisor_start(supervisor, 0, "log", (char *[]){sleeper, time, NULL}), -EBUSY);
    assert_int_equal(supervisor_start(supervisor, SUPERVISOR_SLOTS, "log", (char *[]){sleeper, NULL}),
                     -EINVAL);
    assert_int_equal(supervisor_kill(supervisor, 0), 0);
    assert_false(process_exists(pid));
    assert_int_equal(supervisor_signal(supervisor, 0, SIGSTOP), -ESRCH);
    assert_int_equal(supervisor_wipe(supervisor, "../x"), -EINVAL);
    assert_int_equal(supervisor_wipe(supervisor, "/tmp"), -EINVAL);

    /* A link in the directory is removed, and what it points at stays. */
    char elsewhere[] = "/tmp/electop-test-XXXXXX", kept[64], link[300];
    assert_non_null(mkdtemp(elsewhere));
    snprintf(kept, sizeof kept, "%s/kept", elsewhere);
    fclose(fopen(kept, "w"));
    snprintf(link, sizeof link, "%s/link", supervisor_directory(supervisor));
    assert_int_equal(symlink(elsewhere, link), 0);
    char directory[256];
    snprintf(directory, sizeof directory, "%s", supervisor_directory(supervisor));
    supervisor_end(supervisor);
    assert_false(directory_exists(directory));
    assert_int_equal(unlink(kept), 0);
    assert_int_equal(rmdir(elsewhere), 0);
}

/* Proves that what a killed run left behind goes with the next one, and nothing that anybody still needs. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "tui/commands/private_directory.h"

static char base[] = "/tmp/electop-place-test-XXXXXX";

static char *below(const char *name, const char *file)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s%s%s", base, name, *file ? "/" : "", file);
    return path;
}

static void touch(const char *name, const char *file)
{
    int fd = open(below(name, file), O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* A run's directory, with what it records, that was made so long ago. */
static void leave(const char *name, mode_t mode, time_t ago_s)
{
    assert_int_equal(mkdir(below(name, ""), mode), 0);
    touch(name, "history.db");
    touch(name, "history.db-wal");
    touch(name, "history.db.lock");
    struct timespec times[2] = {{.tv_sec = time(NULL) - ago_s}, {.tv_sec = time(NULL) - ago_s}};
    assert_int_equal(utimensat(AT_FDCWD, below(name, ""), times, 0), 0);
}

static bool is_there(const char *name)
{
    return access(below(name, ""), F_OK) == 0;
}

static void make_and_remove(void)
{
    char *error, *place = private_directory_make(&error);
    assert_non_null(place);
    struct stat status;
    assert_int_equal(stat(place, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    char copy[256];
    snprintf(copy, sizeof copy, "%s", place);
    touch(strrchr(copy, '/') + 1, "history.db");
    private_directory_remove(place);
    assert_int_not_equal(access(copy, F_OK), 0);
}

static void empties(const char *name)
{
    static const char *const files[] = {"history.db", "history.db-wal", "history.db.lock", "notes"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(below(name, files[i]));
    assert_int_equal(rmdir(below(name, "")), 0);
}

TEST(sweeps_what_a_killed_run_left)
{
    leave("electop-abc123", 0700, 3600);
    make_and_remove();
    assert_false(is_there("electop-abc123"));
}

TEST(keeps_what_is_not_known_to_be_left)
{
    leave("electop-young1", 0700, 5);     /* it may not have been locked yet */
    leave("electop-open01", 0755, 3600);  /* not made by us */
    leave("electop-longer1", 0700, 3600); /* another name */
    leave("electop-notes1", 0700, 3600);  /* with something of somebody else */
    touch("electop-notes1", "notes");
    struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    assert_int_equal(utimensat(AT_FDCWD, below("electop-notes1", ""), old, 0), 0);
    assert_int_equal(symlink("electop-notes1", below("electop-link01", "")), 0);
    make_and_remove();
    assert_true(is_there("electop-young1") && is_there("electop-open01") && is_there("electop-longer1"));
    assert_int_equal(access(below("electop-notes1", "notes"), F_OK), 0);
    assert_int_equal(access(below("electop-notes1", "history.db"), F_OK), 0);
    unlink(below("electop-link01", ""));
    empties("electop-young1");
    empties("electop-open01");
    empties("electop-longer1");
    empties("electop-notes1");
}

/* Another process records there still, however long ago it began; when it is killed, that is over. */
TEST(keeps_what_is_recorded_into)
{
    int reported[2];
    char word;
    leave("electop-inuse1", 0700, 3600);
    assert_int_equal(pipe(reported), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(below("electop-inuse1", "history.db.lock"), O_RDWR);
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        word = fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 ? 'y' : 'n';
        if (write(reported[1], &word, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(reported[0], &word, 1), 1);
    assert_int_equal(word, 'y');
    make_and_remove();
    assert_true(is_there("electop-inuse1"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    make_and_remove();
    assert_false(is_there("electop-inuse1"));
    close(reported[0]);
    close(reported[1]);
}

TEST(a_signal_leaves_nothing)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            char *error;
            signal(signals[i], SIG_DFL); /* tests in the background have some ignored */
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            if (private_directory_make(&error))
                raise(signals[i]);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(rmdir(base), 0); /* it is empty */
        assert_int_equal(mkdir(base, 0700), 0);
    }
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(base) && setenv("TMPDIR", base, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    return rmdir(base);
}

ALL_BETWEEN(begin, end)

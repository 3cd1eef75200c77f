#include "tui/commands/private_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/text.h"
#include "tui/screen/tty.h"

#define PREFIX "electop-"
#define SUFFIX "XXXXXX"
/* One that is younger may not have been locked yet. */
#define YOUNG_S 60

static const char *const files[] = {"history.db", "history.db-wal", "history.db-shm", "history.db-journal",
                                    "history.db.lock"};
#define LOCK "history.db.lock"

static bool private_directory_is_ours(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* It holds only files that a run records for itself. */
static bool holds_only_ours(int directory)
{
    int again = dup(directory);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    struct dirent *entry;
    bool only = entries != NULL;
    while (entries && (entry = readdir(entries)))
        only = only && private_directory_is_ours(entry->d_name);
    if (entries)
        closedir(entries);
    else if (again >= 0)
        close(again);
    return only;
}

/* A recorder there holds the lock until it ends, in any way. */
static bool is_in_use(int directory)
{
    int fd = openat(directory, LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool used = fd < 0 ? errno != ENOENT : fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return used;
}

static bool is_left(int directory)
{
    struct stat status;
    return fstat(directory, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 07777) == 0700 &&
           time(NULL) - status.st_mtime >= YOUNG_S && holds_only_ours(directory) && !is_in_use(directory);
}

/* Files of a run that was killed. */
static void private_directory_sweep(const char *base)
{
    DIR *entries = opendir(base);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            strlen(entry->d_name) != strlen(PREFIX SUFFIX))
            continue;
        int directory =
            openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (directory < 0)
            continue;
        if (is_left(directory)) {
            for (size_t i = 0; i < sizeof files / sizeof *files; i++)
                unlinkat(directory, files[i], 0);
            unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
        }
        close(directory);
    }
    if (entries)
        closedir(entries);
}

static void directory_clear(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    for (size_t i = 0; fd >= 0 && i < sizeof files / sizeof *files; i++)
        unlinkat(fd, files[i], 0);
    if (fd >= 0)
        close(fd);
    rmdir(directory);
}

/* Of this run: for a signal that ends it. */
static const char *volatile made;

static void made_clear(void)
{
    if (made)
        directory_clear(made);
}

static void private_directory_on_signal(int number)
{
    made_clear();
    raise(number); /* which is not caught again */
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void signals_catch(void)
{
    struct sigaction catching = {.sa_handler = private_directory_on_signal, .sa_flags = (int)SA_RESETHAND},
                     now;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(ending[i], &catching, NULL);
}

char *private_directory_make(char **error)
{
    const char *base = getenv("TMPDIR");
    *error = NULL;
    if (!base || *base != '/')
        base = "/tmp";
    private_directory_sweep(base);
    char *directory = text_format("%s/" PREFIX SUFFIX, base);
    signals_catch();
    tty_deadline_overdue(made_clear);
    /* A signal between the directory and its name would leave it. */
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&held, ending[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    made = mkdtemp(directory);
    int problem = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made)
        return directory;
    *error = text_format("cannot create a directory in %s (%s); set TMPDIR to one in which you may write",
                         base, strerror(problem));
    free(directory);
    return NULL;
}

void private_directory_remove(char *directory)
{
    if (directory)
        directory_clear(directory);
    made = made == directory ? NULL : made;
    free(directory);
}

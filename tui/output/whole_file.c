#include "tui/output/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "tui/output/output.h"

static int write_through(const char *path, const char *bytes, size_t length)
{
    /* O_NONBLOCK: open() of a named pipe without a reader would block for ever, despite signals. */
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = output_write(fd, bytes, length);
    if (close(fd) != 0 && !error)
        error = errno;
    return error;
}

static mode_t new_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Into a new file beside path, whose name is in beside, and from there into its place. */
static int write_beside(const char *path, char *beside, mode_t mode, const char *bytes, size_t length)
{
    int fd = mkstemp(beside);
    if (fd < 0)
        return errno;
    int error = output_write(fd, bytes, length);
    /* Data that is not on the disk may be lost in a crash, together with the old content. */
    if (!error && (fchmod(fd, mode) != 0 || fsync(fd) != 0))
        error = errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(beside, path) != 0)
        error = errno;
    if (error)
        unlink(beside);
    return error;
}

int whole_file_check(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return EISDIR;
        return access(path, W_OK) == 0 ? 0 : errno;
    }
    struct stat link;
    if (errno != ENOENT)
        return errno;
    if (lstat(path, &link) == 0)
        return ENOENT; /* a link to nothing */
    const char *end = strrchr(path, '/');
    char *directory = !end ? xstrdup(".") : end == path ? xstrdup("/") : xstrndup(path, (size_t)(end - path));
    int error = access(directory, W_OK | X_OK) != 0 ? errno : 0;
    free(directory);
    return error;
}

int whole_file_write(const char *path, const void *bytes, size_t length)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (!there && lstat(path, &status) == 0)
        return ENOENT; /* a link without a target stays: it was not made for this file */
    if (there && S_ISDIR(status.st_mode))
        return EISDIR;
    if (there && !S_ISREG(status.st_mode))
        return write_through(path, bytes, length);
    if (there && access(path, W_OK) != 0)
        return errno; /* moving a new file there would get around its permissions */
    char *real = there ? realpath(path, NULL) : xstrdup(path);
    if (!real)
        return errno;
    char *beside = text_format("%s.XXXXXX", real);
    /* A signal in between would leave half a file behind. */
    sigset_t ending, before;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, &before);
    int error = write_beside(real, beside, there ? status.st_mode & 07777 : new_mode(), bytes, length);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(beside);
    free(real);
    return error;
}

int whole_file_save(const char *what, const char *suffix, int64_t now_us, const void *bytes, size_t length,
                    char name[WHOLE_FILE_NAME])
{
    time_t now = (time_t)(now_us / 1000000);
    struct tm tm;
    if (!localtime_r(&now, &tm))
        memset(&tm, 0, sizeof(tm));
    int file = -1;
    for (int i = 1; i < 100 && file < 0; i++) {
        size_t used = (size_t)snprintf(name, WHOLE_FILE_NAME, "electop%s", what);
        used += strftime(name + used, WHOLE_FILE_NAME - used, "-%Y%m%d-%H%M%S", &tm);
        i == 1 ? snprintf(name + used, WHOLE_FILE_NAME - used, "%s", suffix)
               : snprintf(name + used, WHOLE_FILE_NAME - used, "-%d%s", i, suffix);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0)
        return errno;
    int error = output_write(file, bytes, length);
    if (close(file) != 0 && !error)
        error = errno;
    if (error)
        unlink(name);
    return error;
}

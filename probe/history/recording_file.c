#include "probe/history/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"

#define SERVICE_FILE "/var/lib/electop/history.db"
#define FILE_MODE 0640
#define DIRECTORY_MODE 0750

static const char *recording_file_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value == '/' ? value : NULL;
}

char *recording_file_choose(const struct history_settings *settings, bool reading, char **error)
{
    *error = NULL;
    if (settings->file && strcmp(settings->file, "off") == 0) {
        *error = strdup("the configuration says history: {file: off}; name a file there");
        return NULL;
    }
    if (settings->file && strcmp(settings->file, "auto") != 0)
        return strdup(settings->file);
    const char *service = recording_file_environment("STATE_DIRECTORY"),
               *state = recording_file_environment("XDG_STATE_HOME"),
               *home = recording_file_environment("HOME");
    char *file = NULL;
    if (service)
        file = text_format("%.*s/history.db", (int)strcspn(service, ":"), service);
    else if (state)
        file = text_format("%s/electop/history.db", state);
    else if (home)
        file = text_format("%s/.local/state/electop/history.db", home);
    if (reading && (!file || access(file, F_OK) != 0) && access(SERVICE_FILE, F_OK) == 0) {
        free(file);
        file = strdup(SERVICE_FILE);
    }
    if (!file && !service && !state && !home)
        *error = strdup("no place for a recording: $HOME is not set; name one with history: {file: ...}");
    return file;
}

static bool recording_file_refuse(char **error, const char *file, const char *what)
{
    *error = text_format("%s: %s", file, what);
    return false;
}

/* Like mkdir -p. */
static bool make_directories(const char *directory, char **error)
{
    char *path = strdup(directory);
    bool fine = path != NULL;
    for (char *at = path ? path + 1 : NULL; fine && at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        char *slash = strchr(at, '/');
        if (slash)
            *slash = '\0';
        struct stat status;
        if (stat(path, &status) != 0 && mkdir(path, DIRECTORY_MODE) != 0 && errno != EEXIST) {
            *error = text_format("%s: cannot be made (%s); make it, or name another file with "
                                 "history: {file: ...}",
                                 path, strerror(errno));
            fine = false;
        }
        if (slash)
            *slash = '/';
    }
    free(path);
    return fine;
}

/* In a directory where others may rename files, they could replace the recording. */
static bool check_directory(const char *directory, char **error)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return recording_file_refuse(error, directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return recording_file_refuse(error, directory,
                                     "is no directory; name another file with history: {file: ...}");
    bool others = (status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX);
    if (others || (status.st_uid != geteuid() && status.st_uid != 0))
        return recording_file_refuse(
            error, directory,
            "others may change what lies there; choose a directory of your own for the recording");
    return true;
}

/* Missing is fine. */
static bool check_ours(const char *file, char **error)
{
    struct stat status;
    if (lstat(file, &status) != 0)
        return errno == ENOENT || recording_file_refuse(error, file, strerror(errno));
    if (S_ISLNK(status.st_mode))
        return recording_file_refuse(error, file,
                                     "is a link; name the file itself with history: {file: ...}");
    if (!S_ISREG(status.st_mode))
        return recording_file_refuse(error, file,
                                     "is no regular file; name another one with history: {file: ...}");
    if (status.st_uid != geteuid())
        return recording_file_refuse(
            error, file, "belongs to another user; record as that user, or into a file of your own");
    return true;
}

static bool check_all(const char *file, char **error)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = text_format("%s%s", file, suffixes[i]);
        bool fine = name && check_ours(name, error);
        free(name);
        if (!fine)
            return false;
    }
    return true;
}

static char *real_path(const char *file, char **error)
{
    const char *slash = strrchr(file, '/');
    char *directory = !slash          ? strdup(".")
                      : slash == file ? strdup("/")
                                      : strndup(file, (size_t)(slash - file));
    char *real = NULL, *resolved = NULL;
    if (directory && make_directories(directory, error)) {
        resolved = realpath(directory, NULL);
        if (!resolved)
            *error = text_format("%s: %s", directory, strerror(errno));
    }
    if (resolved && check_directory(resolved, error))
        real = text_format("%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, slash ? slash + 1 : file);
    free(resolved);
    free(directory);
    return real;
}

static int take_lock(const char *file, char **error)
{
    char *name = text_format("%s.lock", file);
    int fd = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE) : -1;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fd < 0) {
        *error = text_format("%s: cannot be written (%s); check who owns the directory, or name another file "
                             "with history: {file: ...}",
                             name ? name : file, strerror(errno));
    } else if (fcntl(fd, F_SETLK, &lock) != 0) {
        bool told = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
        *error =
            told ? text_format("%s: process %ld is recording into it already; one at a time can", file,
                               (long)lock.l_pid)
                 : text_format("%s: another process is recording into it already; one at a time can", file);
        close(fd);
        fd = -1;
    }
    free(name);
    return fd;
}

/*
 * SQLite would make it with its own mode. An existing one is not even opened: this process may be reading it,
 * and closing a descriptor releases all locks that it has on that file, SQLite's among them. Without those,
 * the next reader to leave takes itself for the last one, and removes the files beside it.
 */
static bool make_file(const char *file, char **error)
{
    int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd >= 0)
        close(fd);
    else if (errno != EEXIST || faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0)
        *error = text_format("%s: cannot be written (%s); check who owns it, or name another file with "
                             "history: {file: ...}",
                             file, strerror(errno));
    return !*error;
}

int recording_file_take(const char *file, char **real, char **error)
{
    *error = NULL;
    *real = real_path(file, error);
    int lock = -1;
    if (*real && check_all(*real, error))
        lock = take_lock(*real, error);
    if (lock >= 0 && make_file(*real, error))
        return lock;
    if (lock >= 0)
        close(lock);
    free(*real);
    *real = NULL;
    return -1;
}

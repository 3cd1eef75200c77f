#include "config/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/utf8.h"

/* How long a pipe may be without a writer, and its writer without anything to write. */
#define WRITER_WITHIN_MS 1000
#define WRITES_WITHIN_MS 60000
#define WAIT_STEP_MS 20
#define SYSTEM_FILE "/etc/electop/config.yaml"

static bool exists(const char *file)
{
    /* Any file that is not clearly absent counts: an unreadable one must be reported, not skipped. */
    struct stat status;
    return stat(file, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static const char *config_file_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

char *config_file_find(const char *named)
{
    if (!named)
        named = config_file_environment("ELECTOP_CONFIG");
    if (named)
        return xstrdup(named);
    const char *xdg = config_file_environment("XDG_CONFIG_HOME");
    const char *home = config_file_environment("HOME");
    char *candidates[3] = {xdg ? text_format("%s/electop/config.yaml", xdg) : NULL,
                           home ? text_format("%s/.config/electop/config.yaml", home) : NULL,
                           xstrdup(SYSTEM_FILE)};
    char *file = NULL;
    for (size_t i = 0; i < 3; i++) {
        if (!file && candidates[i] && exists(candidates[i]))
            file = candidates[i];
        else
            free(candidates[i]);
    }
    return file;
}

static char *config_file_refuse(char **error, const char *what)
{
    *error = xstrdup(what);
    return NULL;
}

static int open_file(const char *file, bool may_wait, bool *is_pipe, char **error)
{
    /* O_NONBLOCK: a named pipe without a writer would block open(), and read() for ever. */
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    if (descriptor < 0) {
        *error = text_format("cannot be read (%s); check its name and its permissions", strerror(errno));
        return -1;
    }
    if (fstat(descriptor, &status) != 0)
        *error = text_format("cannot be read (%s); check the file", strerror(errno));
    else if (S_ISDIR(status.st_mode))
        config_file_refuse(error, "is a directory; name a file");
    else if (S_ISREG(status.st_mode) && status.st_size > CONFIG_FILE_MAX)
        config_file_refuse(error, "is larger than 16 MB, too large for a configuration");
    else if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode))
        config_file_refuse(error, "is not a file; name a file");
    else if (S_ISFIFO(status.st_mode) && !may_wait)
        config_file_refuse(error, "is a pipe, which is read at the start only; name a file");
    else if (isatty(descriptor))
        config_file_refuse(error, "is a terminal; name a file");
    else {
        *is_pipe = S_ISFIFO(status.st_mode);
        return descriptor;
    }
    close(descriptor);
    return -1;
}

/* Bytes read; 0: the end; -1 and *error: it cannot be read. begun: there were bytes before. */
static ssize_t read_more(int descriptor, bool is_pipe, bool begun, char *at, size_t room, char **error)
{
    bool has_writer = begun;
    for (int waited_ms = 0;; waited_ms += WAIT_STEP_MS) {
        ssize_t now = read(descriptor, at, room);
        if (now > 0 || (now == 0 && (begun || !is_pipe)))
            return now;
        if (now < 0 && errno != EAGAIN && errno != EINTR) {
            *error = text_format("cannot be read (%s); check the file", strerror(errno));
            return -1;
        }
        /* A pipe without a writer so far reads like one that has ended. */
        has_writer |= now < 0;
        if (waited_ms > (has_writer ? WRITES_WITHIN_MS : WRITER_WITHIN_MS) || (now == 0 && has_writer)) {
            config_file_refuse(error, "is a pipe without data; name a file");
            return -1;
        }
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        poll(&ready, 1, WAIT_STEP_MS);
    }
}

char *config_file_read(const char *file, bool may_wait, size_t *length, char **error, size_t *line,
                       size_t *column)
{
    *error = NULL;
    *line = *column = *length = 0;
    bool is_pipe = false;
    int descriptor = open_file(file, may_wait, &is_pipe, error);
    if (descriptor < 0)
        return NULL;
    char *bytes = xmalloc(CONFIG_FILE_MAX + 2);
    size_t got = 0;
    for (ssize_t now = 1; now > 0 && got <= CONFIG_FILE_MAX;) {
        now = read_more(descriptor, is_pipe, got > 0, bytes + got, CONFIG_FILE_MAX + 1 - got, error);
        got += now > 0 ? (size_t)now : 0;
    }
    close(descriptor);
    if (got > CONFIG_FILE_MAX)
        config_file_refuse(error, "is larger than 16 MB, too large for a configuration");
    if (*error) {
        free(bytes);
        return NULL;
    }
    size_t valid = utf8_valid_length(bytes, got);
    if (valid < got) {
        utf8_locate(bytes, valid, line, column);
        *error =
            text_format("the byte 0x%02x is not UTF-8; save the file as UTF-8", (unsigned char)bytes[valid]);
        free(bytes);
        return NULL;
    }
    bytes[got] = '\0';
    *length = got;
    return bytes;
}

char *config_file_resolve(const char *file, const char *path)
{
    const char *home = config_file_environment("HOME");
    if (path[0] == '~' && path[1] == '/' && home)
        return text_format("%s%s", home, path + 1);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (path[0] == '/' || !slash)
        return xstrdup(path);
    return text_format("%.*s/%s", (int)(slash - file), file, path);
}

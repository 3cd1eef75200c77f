#include "probe/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "config/text.h"
#include "config/utf8.h"

#define JOURNAL "journal"
#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define JOURNAL_MOST 16384 /* bytes of an entry */
#define FIELD_MOST 1000    /* bytes of a field's value */

static int log_descriptor = -1;
static bool log_to_journal;
static const char *log_file; /* the caller's */
/* Lines that could not be written, and why the first of them could not. */
static unsigned long log_missing;
static int log_error;

static const char *const level_words[] = {
    [LOG_LEVEL_ERROR] = "error",
    [LOG_LEVEL_WARNING] = "warning",
    [LOG_LEVEL_INFO] = "info",
    [LOG_LEVEL_DEBUG] = "debug",
};

/* journald's own protocol: one datagram an entry. -1: errno says why. */
static int journal_connect(const char *socket_path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor >= 0 && connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    int failed = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = failed;
    return -1;
}

static bool journal_open(const char *name, char **error)
{
    const char *path = name[strlen(JOURNAL)] ? name + strlen(JOURNAL ":") : JOURNAL_SOCKET;
    int descriptor = journal_connect(path);
    if (descriptor < 0) {
        *error = text_format("the journal at %s cannot be written (%s); name a file with --log", path,
                             strerror(errno));
        return false;
    }
    log_descriptor = descriptor;
    log_to_journal = true;
    log_file = name;
    log_missing = 0;
    return true;
}

/* The system's own links to this process's descriptors. */
static bool is_own_descriptor(const char *file)
{
    const char *number = file + strlen("/dev/fd/");
    return strcmp(file, "/dev/stdout") == 0 || strcmp(file, "/dev/stderr") == 0 ||
           (strncmp(file, "/dev/fd/", strlen("/dev/fd/")) == 0 && *number &&
            number[strspn(number, "0123456789")] == '\0');
}

bool log_open(const char *file, char **error)
{
    *error = NULL;
    log_close();
    if (strcmp(file, JOURNAL) == 0 || strncmp(file, JOURNAL ":", strlen(JOURNAL ":")) == 0)
        return journal_open(file, error);
    /* O_NONBLOCK: a named pipe without a reader must not hang the start, nor a slow one the loop. O_NOFOLLOW,
     * as for a recording: who may make links in its directory must not choose the file that is written. */
    int link = is_own_descriptor(file) ? 0 : O_NOFOLLOW;
    int descriptor =
        open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | link, 0600);
    if (descriptor < 0) {
        struct text text = {0};
        text_add(&text, "the log ");
        text_quote(&text, file, strlen(file));
        text_printf(&text, " cannot be written (%s); name another file with --log",
                    errno == ELOOP ? "it is a symbolic link" : strerror(errno));
        *error = text_take(&text);
        return false;
    }
    log_descriptor = descriptor;
    log_file = file;
    log_missing = 0;
    return true;
}

void log_close(void)
{
    if (log_descriptor >= 0)
        close(log_descriptor);
    log_descriptor = -1;
    log_to_journal = false;
}

static size_t log_stamp(char *line, size_t size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t length = strftime(line, size, "%Y-%m-%dT%H:%M:%S", &utc);
    int more = snprintf(line + length, size - length, ".%03dZ ", (int)(now.tv_nsec / 1000000));
    return more > 0 ? length + (size_t)more : length;
}

/* Copies text made safe behind at; at most four bytes a byte. */
static size_t log_escape(char *at, const char *text, size_t length)
{
    char *start = at;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t eaten = utf8_decode(text + i, length - i, &code);
        if (eaten && !utf8_deceives(code)) {
            memcpy(at, text + i, eaten);
            at += eaten;
            i += eaten;
            continue;
        }
        for (size_t end = i + (eaten ? eaten : 1); i < end; i++)
            at += sprintf(at, "\\x%02x", (unsigned char)text[i]);
    }
    return (size_t)(at - start);
}

/* In one call, so that two programs on one log do not mix theirs. */
static void log_write(const char *bytes, size_t length)
{
    ssize_t written = write(log_descriptor, bytes, length);
    if (written == (ssize_t)length)
        return;
    if (written < 0 || !log_missing)
        log_error = written < 0 ? errno : ENOSPC;
    log_missing++;
}

static void log_message_to_file(enum log_level level, const char *message, bool cut)
{
    char line[64 + 4 * LOG_LINE_MAX + 8];
    size_t length = log_stamp(line, 40);
    length += (size_t)sprintf(line + length, "%s ", level_words[level]);
    length += log_escape(line + length, message, strlen(message));
    length += (size_t)sprintf(line + length, "%s\n", cut ? "..." : "");
    log_write(line, length);
}

/* Values are made safe as in a file: none has a line break, which would begin another field. */
static void log_message_to_journal(enum log_level level, const char *const *fields, const char *message,
                                   bool cut)
{
    static const int priorities[] = {3, 4, 6, 7};
    char entry[JOURNAL_MOST];
    size_t length =
        (size_t)sprintf(entry, "PRIORITY=%d\nSYSLOG_IDENTIFIER=electop\nMESSAGE=", priorities[level]);
    length += log_escape(entry + length, message, strlen(message));
    length += (size_t)sprintf(entry + length, "%s\n", cut ? "..." : "");
    for (; fields && fields[0]; fields += 2) {
        size_t value = fields[1] ? strlen(fields[1]) : 0;
        value = value < FIELD_MOST ? value : FIELD_MOST;
        if (!value || length + strlen(fields[0]) + 4 * value + 2 > sizeof entry)
            continue;
        length += (size_t)sprintf(entry + length, "%s=", fields[0]);
        length += log_escape(entry + length, fields[1], value);
        entry[length++] = '\n';
    }
    log_write(entry, length);
}

static void log_message(enum log_level level, const char *const *fields, const char *format,
                        va_list arguments) __attribute__((format(printf, 3, 0)));
static void log_message(enum log_level level, const char *const *fields, const char *format,
                        va_list arguments)
{
    char message[LOG_LINE_MAX + 1];
    int wanted = vsnprintf(message, sizeof message, format, arguments);
    bool cut = (size_t)wanted >= sizeof message;
    if (wanted >= 0 && log_to_journal)
        log_message_to_journal(level, fields, message, cut);
    else if (wanted >= 0)
        log_message_to_file(level, message, cut);
}

void log_line(enum log_level level, const char *format, ...)
{
    va_list arguments;
    if (log_descriptor < 0)
        return;
    va_start(arguments, format);
    log_message(level, NULL, format, arguments);
    va_end(arguments);
}

void log_fields(enum log_level level, const char *const *fields, const char *format, ...)
{
    va_list arguments;
    if (log_descriptor < 0)
        return;
    va_start(arguments, format);
    log_message(level, fields, format, arguments);
    va_end(arguments);
}

char *log_take_problem(void)
{
    if (!log_missing)
        return NULL;
    struct text text = {0};
    text_add(&text, "the log ");
    text_quote(&text, log_file, strlen(log_file));
    text_printf(&text, " lacks %lu line%s (%s); make room, or name another file with --log", log_missing,
                log_missing == 1 ? "" : "s", strerror(log_error));
    log_missing = 0;
    return text_take(&text);
}

#include "probe/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/text.h"
#include "config/utf8.h"

static int log_descriptor = -1;
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

bool log_open(const char *file, char **error)
{
    *error = NULL;
    log_close();
    /* O_NONBLOCK: a named pipe without a reader must not hang the start, nor a slow one the loop. */
    int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (descriptor < 0) {
        struct text text = {0};
        text_add(&text, "the log ");
        text_quote(&text, file, strlen(file));
        text_printf(&text, " cannot be written (%s); name another file with --log", strerror(errno));
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

void log_line(enum log_level level, const char *format, ...)
{
    if (log_descriptor < 0)
        return;
    char message[LOG_LINE_MAX + 1];
    char line[64 + 4 * LOG_LINE_MAX + 8];
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    bool cut = (size_t)wanted >= sizeof message;
    size_t length = log_stamp(line, 40);
    length += (size_t)sprintf(line + length, "%s ", level_words[level]);
    length += log_escape(line + length, message, strlen(message));
    length += (size_t)sprintf(line + length, "%s\n", cut ? "..." : "");
    /* One write a line, so that two programs on one log do not mix theirs. */
    ssize_t written = write(log_descriptor, line, length);
    if (written == (ssize_t)length)
        return;
    if (written < 0 || !log_missing)
        log_error = written < 0 ? errno : ENOSPC;
    log_missing++;
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

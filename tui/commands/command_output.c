#include "tui/commands/command_output.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/log.h"
#include "tui/output/output.h"
#include "tui/output/whole_file.h"
#include "tui/screen/safe.h"

/* How long the last messages of a stream may take to be read, at the end. */
#define FLUSH_MS 200

static uv_loop_t *messages_loop; /* NULL: none runs, and a message may wait */
static unsigned messages_depth;
static struct output *messages[STDERR_FILENO + 1];

static void message_on_dropped(void *context, struct buffer *line, uint64_t count)
{
    (void)context;
    buffer_printf(line, "electop: %llu message%s lost: nobody read them\n", (unsigned long long)count,
                  count == 1 ? " was" : "s were");
}

void command_output_begin(uv_loop_t *loop)
{
    messages_loop = loop;
    messages_depth++;
}

void command_output_end(void)
{
    if (messages_depth == 0 || --messages_depth > 0)
        return;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (messages[fd])
            output_flush(messages[fd], FLUSH_MS);
        output_close(messages[fd]);
        messages[fd] = NULL;
    }
    messages_loop = NULL;
}

static void message_write(int fd, const char *text)
{
    if (!messages_loop) {
        output_write(fd, text, strlen(text));
        return;
    }
    if (!messages[fd])
        messages[fd] = output_open(messages_loop, fd, message_on_dropped, NULL);
    output_line(messages[fd], text, strlen(text));
}

void command_output_message(int fd, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    message_write(fd, text.at);
    text_free(&text);
}

void command_output_progress(const char *format, ...)
{
    static bool shown;
    struct text text = {0};
    va_list arguments;
    if (!format && !shown)
        return;
    shown = format != NULL;
    text_add(&text, "\r\033[K");
    va_start(arguments, format);
    if (format)
        text_vprintf(&text, format, arguments);
    va_end(arguments);
    message_write(STDERR_FILENO, text.at);
    text_free(&text);
}

void complain(const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *all = text_take(&text);
    bool ascii = !safe_locale_is_utf8();
    /* All errors of a configuration come as one text, a line each. */
    for (char *line = all; line;) {
        char *end = strchr(line, '\n');
        char *safe = safe_text(line, end ? (size_t)(end - line) : strlen(line), ascii);
        command_output_message(STDERR_FILENO, "electop: %s\n", safe);
        free(safe);
        line = end ? end + 1 : NULL;
    }
    free(all);
}

bool complain_problem(char *problem)
{
    bool there = problem != NULL;
    if (there)
        complain("%s", problem);
    free(problem);
    return there;
}

void complain_and_log(enum log_level level, const char *lines)
{
    complain("%s", lines);
    for (const char *line = lines; *line;) {
        size_t length = strcspn(line, "\n");
        log_line(level, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

int command_output_ended(int error, int status)
{
    if (!error)
        return status;
    if (output_is_gone(error))
        return EXIT_DONE;
    complain("cannot write to standard output: %s; make room, or write elsewhere", strerror(error));
    return EXIT_USAGE;
}

int command_output_text(const char *text)
{
    return command_output_ended(output_write(STDOUT_FILENO, text, strlen(text)), EXIT_DONE);
}

int command_output_buffer(struct buffer *out, int status)
{
    int error = output_write(STDOUT_FILENO, out->bytes, out->length);
    buffer_free(out);
    return command_output_ended(error, status);
}

int command_output_page(struct buffer *out, const char *file)
{
    if (strcmp(file, "-") == 0)
        return command_output_buffer(out, EXIT_DONE);
    int error = whole_file_write(file, out->bytes, out->length);
    buffer_free(out);
    if (error)
        complain("%s: cannot be written: %s; nothing was changed there", file, strerror(error));
    return error ? EXIT_USAGE : EXIT_DONE;
}

#include "tui/commands/command.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "tui/print/output.h"
#include "tui/text/safe.h"

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
        fprintf(stderr, "electop: %s\n", safe ? safe : "out of memory");
        free(safe);
        line = end ? end + 1 : NULL;
    }
    if (!all)
        fputs("electop: out of memory\n", stderr);
    free(all);
}

int output_refused(int error)
{
    complain("cannot write to standard output: %s; make room, or write elsewhere", strerror(error));
    return EXIT_USAGE;
}

int say_text(const char *text)
{
    int error = output_write(STDOUT_FILENO, text, strlen(text));
    return !error || output_is_gone(error) ? EXIT_DONE : output_refused(error);
}

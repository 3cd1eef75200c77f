#include "config/problems.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

void problems_add(struct problems *problems, size_t line, size_t column, const char *format, ...)
{
    struct text text = {0};
    if (++problems->count > PROBLEMS_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *what = text_take(&text);
    problems->out_of_memory |= !what;
    /* In the file's order, after earlier problems at the same place. */
    size_t at = problems->count - 1;
    while (at > 0) {
        const struct problem *before = &problems->list[at - 1];
        if (before->line < line || (before->line == line && before->column <= column))
            break;
        problems->list[at] = *before;
        at--;
    }
    problems->list[at] = (struct problem){.line = line, .column = column, .what = what};
}

bool problems_full(const struct problems *problems)
{
    return problems->count > PROBLEMS_MAX || problems->out_of_memory;
}

/* A file's name may hold anything, and a message must stay one line: quoted where it has to be. */
static void problems_add_file(struct text *out, const char *file)
{
    if (strpbrk(file, "\n\r"))
        text_quote(out, file, strlen(file));
    else
        text_add(out, file);
}

char *problems_take(struct problems *problems)
{
    struct text out = {0};
    out.failed = problems->out_of_memory;
    for (size_t i = 0; i < problems->count && i < PROBLEMS_MAX; i++) {
        const struct problem *problem = &problems->list[i];
        if (i)
            text_add(&out, "\n");
        if (problems->file) {
            problems_add_file(&out, problems->file);
            if (problem->line)
                text_printf(&out, ":%zu:%zu", problem->line, problem->column);
            text_add(&out, ": ");
        }
        text_add(&out, problem->what ? problem->what : "");
    }
    if (problems->count > PROBLEMS_MAX)
        text_printf(&out, "\nthere are more than %d errors; mend these first", PROBLEMS_MAX);
    problems_free(problems);
    return text_take(&out);
}

void problems_free(struct problems *problems)
{
    for (size_t i = 0; i < problems->count && i < PROBLEMS_MAX; i++)
        free(problems->list[i].what);
    problems->count = 0;
}

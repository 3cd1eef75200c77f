#include "probe/inject/run_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "config/text.h"

#define NAME_DEFAULT "{hex}-n_"

void run_note(struct run *t, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *notes = t->notes ? text_format("%s%s\n", t->notes, line) : text_format("%s\n", line);
    if (notes) {
        free(t->notes);
        t->notes = notes;
    }
}

const char *run_name(const struct run *t)
{
    return t->options.name ? t->options.name : t->layout.name ? t->layout.name : NAME_DEFAULT;
}

uint64_t run_cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

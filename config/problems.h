/*
 * problems.h - everything that is wrong with one file, collected, so that a person mends it in one go.
 *
 * One line a problem, in the file's order: "file:line:column: what; what to do". After PROBLEMS_MAX the
 * rest is only said to exist. Start from {0}, and a file.
 */
#ifndef ELECTOP_CONFIG_PROBLEMS_H
#define ELECTOP_CONFIG_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#define PROBLEMS_MAX 50

struct problem {
    size_t line, column; /* 0: the whole file's */
    char *what;
};

struct problems {
    const char *file; /* in front of every line; borrowed; NULL: nothing in front */
    struct problem list[PROBLEMS_MAX];
    size_t count;       /* may pass PROBLEMS_MAX */
    bool out_of_memory; /* something could not be read, or said */
};

/* Lines and columns count from 1; line 0: the problem is the whole file's. */
void problems_add(struct problems *, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* No use in looking further. */
bool problems_full(const struct problems *);

/* The lines, malloc'd and without a newline at the end; NULL: out of memory. Empties the collection. */
char *problems_take(struct problems *);
void problems_free(struct problems *);

#endif

/*
 * exit_status.h - how the program ends, for scripts; by signal n it ends with 128+n.
 */
#ifndef ELECTOP_TUI_EXIT_STATUS_H
#define ELECTOP_TUI_EXIT_STATUS_H

#include <stddef.h>

/* 1: --strict found something, an expectation failed; 2: wrong usage, or refused; 3: no snapshot possible. */
enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2, EXIT_NO_SNAPSHOT = 3 };

/* The same for the manual: a row a code, with the commands that end with it. */
struct exit_status_row {
    const char *code;
    const char *meaning;
};
extern const struct exit_status_row exit_status_table[];
extern const size_t exit_status_count;

#endif

/*
 * exit_status.h - how the program ends, for scripts; by signal n it ends with 128+n.
 */
#ifndef ELECTOP_TUI_EXIT_STATUS_H
#define ELECTOP_TUI_EXIT_STATUS_H

/* 1: --strict found something, an expectation failed; 2: wrong usage, or refused; 3: no look could be had. */
enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2, EXIT_NO_LOOK = 3 };

#endif

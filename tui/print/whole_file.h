/*
 * whole_file.h - a file that is there as a whole or not at all: written beside its place and then moved
 * there.
 */
#ifndef ELECTOP_TUI_PRINT_WHOLE_FILE_H
#define ELECTOP_TUI_PRINT_WHOLE_FILE_H

#include <stddef.h>

/*
 * Puts these bytes into the file. What was there before stays whole until it is replaced, keeps its
 * permissions, and stays where anything fails; a link keeps pointing where it pointed. What is no plain file
 * (a pipe, /dev/stdout) is written as it is. 0, or an errno.
 */
int whole_file_write(const char *path, const void *bytes, size_t length);

/* What would keep whole_file_write() from it now, as far as can be seen without writing: 0, or an errno. */
int whole_file_check(const char *path);

#endif

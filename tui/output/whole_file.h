/*
 * whole_file.h - a file that is there as a whole or not at all: written beside its place and then moved
 * there.
 */
#ifndef ELECTOP_TUI_OUTPUT_WHOLE_FILE_H
#define ELECTOP_TUI_OUTPUT_WHOLE_FILE_H

#include <stddef.h>

/*
 * Writes these bytes into the file. Its old contents stay whole until they are replaced, keep their
 * permissions, and stay if anything fails; a link keeps its target, and one to
 * nothing is refused with ENOENT. A special file (a pipe, /dev/stdout) is written directly; a named pipe that
 * nobody reads is refused with ENXIO. 0, or an errno.
 */
int whole_file_write(const char *path, const void *bytes, size_t length);

/* What would keep whole_file_write() from it now, as far as can be seen without writing: 0, or an errno. */
int whole_file_check(const char *path);

#endif

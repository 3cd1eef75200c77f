/*
 * whole_file.h - writes a file completely or not at all: into a temporary file beside it, which is then
 * renamed.
 */
#ifndef ELECTOP_TUI_OUTPUT_WHOLE_FILE_H
#define ELECTOP_TUI_OUTPUT_WHOLE_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes these bytes into the file. Its old contents stay complete until they are replaced, and stay if
 * anything fails; permissions are kept. A link keeps its target, and one without a target is refused with
 * ENOENT. A special file (a pipe, /dev/stdout) is written directly; a named pipe without a reader is refused
 * with ENXIO. 0, or an errno.
 */
int whole_file_write(const char *path, const void *bytes, size_t length);

/* Writes them into a new file in the current directory, named after what and the time: never over a file that
 * exists, nor through a link, for the directory may be anybody's. Its user alone can read it. 0, or an errno. */
#define WHOLE_FILE_NAME 64
int whole_file_save(const char *what, const char *suffix, int64_t now_us, const void *bytes, size_t length,
                    char name[WHOLE_FILE_NAME]);

/* Why whole_file_write() would fail now, as far as this shows without writing: 0, or an errno. */
int whole_file_check(const char *path);

#endif

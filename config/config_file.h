/*
 * config_file.h - finds the configuration and reads its bytes, within limits.
 */
#ifndef ELECTOP_CONFIG_CONFIG_FILE_H
#define ELECTOP_CONFIG_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_FILE_MAX (16 * 1024 * 1024)

/*
 * Finds the configuration: named (--config), else $ELECTOP_CONFIG, else $XDG_CONFIG_HOME/electop/config.yaml,
 * else ~/.config/electop/config.yaml, else /etc/electop/config.yaml. A file that was named must exist; of the
 * others the first that does counts. malloc'd; NULL: there is none.
 */
char *config_file_find(const char *named);

/*
 * Reads at most CONFIG_FILE_MAX bytes of UTF-8 from a file or, where it may wait for its writer, a pipe; a larger
 * file is refused unread.
 * malloc'd, with a NUL behind *length bytes. NULL and *error (what, and what to do; the caller puts the
 * file's name in front and frees it) on failure; *line and *column then say where, or 0.
 */
char *config_file_read(const char *file, bool may_wait, size_t *length, char **error, size_t *line,
                       size_t *column);

/*
 * Resolves a path written in a configuration: "~/x" is below $HOME, "x" is beside the file that contains it
 * (file NULL: in the working directory). malloc'd.
 */
char *config_file_resolve(const char *file, const char *path);

#endif

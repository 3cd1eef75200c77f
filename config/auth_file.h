/*
 * auth_file.h - a credential in a file of its own: one line, "scheme:credential" ("digest:user:password").
 *
 * The file is refused when its group or others have any access to it, or when it belongs to somebody
 * other than this user or root. The credential appears in no message; wipe it with auth_wipe().
 */
#ifndef ELECTOP_CONFIG_AUTH_FILE_H
#define ELECTOP_CONFIG_AUTH_FILE_H

#include <stdbool.h>

#define AUTH_FILE_MAX 4096

/* Both texts are malloc'd. False and *error ("what; what to do", caller frees; NULL: out of memory). */
bool auth_file_read(const char *file, char **scheme, char **credential, char **error);

/* Overwrites a text and frees it; NULL is fine. */
void auth_wipe(char *secret);

#endif

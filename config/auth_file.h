/*
 * auth_file.h - reads a credential from a file with one line, "scheme:credential" ("digest:user:password").
 *
 * The file is refused if its group or others have any permission, or if it belongs to a user other than this
 * one or root. No message contains the credential; wipe it with auth_wipe().
 */
#ifndef ELECTOP_CONFIG_AUTH_FILE_H
#define ELECTOP_CONFIG_AUTH_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define AUTH_FILE_MAX 4096

/* Both texts are malloc'd. False and *error ("what; what to do", caller frees; NULL: out of memory). */
bool auth_file_read(const char *file, char **scheme, char **credential, char **error);

/*
 * The one line of a file with a secret, by the same rules; malloc'd, for auth_wipe(). kind: "credentials
 * file", for the errors. NULL and *error as above.
 */
char *private_line_read(const char *file, const char *kind, char **error);

/* Overwrites bytes, so that no copy of a secret stays behind. */
void auth_wipe_bytes(char *at, size_t length);

/* Overwrites a text and frees it; NULL is fine. */
void auth_wipe(char *secret);

#endif

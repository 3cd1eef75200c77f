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

/* The scheme is malloc'd, the credential a secret. False and *error ("what; what to do", caller frees). */
bool auth_file_read(const char *file, char **scheme, char **credential, char **error);

/*
 * The one line of a file with a secret, by the same rules; a secret, for auth_wipe(). kind: "credentials
 * file", for the errors. NULL and *error as above.
 */
char *auth_file_read_line(const char *file, const char *kind, char **error);

/*
 * A secret is stored once, in memory that is neither swapped nor dumped, if the limits permit that. From the
 * first secret on the process leaves no core file, other processes of its user cannot inspect it, and freed
 * memory is overwritten, including the copies of libraries. Single-threaded.
 */

/* Adds an owner of the same secret; a plain text becomes a secret. Each owner calls auth_wipe(). */
char *auth_share(const char *secret);

/* The process has a secret that is not stored here, such as a key in a library. */
void auth_protect_process(void);

/* Overwrites bytes, so that no copy of a secret remains. */
void auth_wipe_bytes(char *at, size_t length);

/* Its owner no longer needs a secret: the last owner's call overwrites and frees it. Also frees any other
 * text; NULL is allowed. */
void auth_wipe(char *secret);

#endif

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
char *private_line_read(const char *file, const char *kind, char **error);

/*
 * A secret is kept once, in memory that is neither swapped nor dumped where the limits permit that. From the
 * first one on the process leaves no core file, other processes of its user cannot look into it, and what is
 * freed is overwritten, libraries' copies too. Single-threaded.
 */

/* The same secret for one more owner; a text that is none yet becomes one. auth_wipe() ends each. */
char *auth_share(const char *secret);

/* The process holds a secret that is not kept here, such as a key in a library. */
void auth_protect_process(void);

/* Overwrites bytes, so that no copy of a secret stays behind. */
void auth_wipe_bytes(char *at, size_t length);

/* Its owner needs a secret no more: the last one's is overwritten and freed. So is any other text; NULL is
   fine. */
void auth_wipe(char *secret);

#endif

/*
 * secret.h - files with secrets, and secrets in memory. One rule for all of them: credentials, passwords, tokens,
 * keys and keytabs.
 *
 * A file with a secret is a plain file of this user or root, and its group and others have no permission. What
 * is read of it is stored once, in memory that is neither swapped, if the limit permits that, nor dumped, and
 * is overwritten at its end. From the first secret on the process leaves no core file, and other processes of
 * its user cannot inspect it. No message contains a secret. Single-threaded but for secret_open().
 */
#ifndef ELECTOP_CONFIG_SECRET_H
#define ELECTOP_CONFIG_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* The maximum size of a file with one line; files of keys and certificates may be larger. */
#define SECRET_LINE_MAX 4096
#define SECRET_FILE_MAX 65536

/* A file that follows the rule: its descriptor, also for a library that reads it by the descriptor's name. kind:
 * "keytab", for the error. -1 and *error ("the KIND "FILE" ...; what to do", caller frees). On any thread. */
int secret_open(const char *file, const char *kind, char **error);

/* The content of such a file, without NUL bytes; for secret_end(). NULL and *error as above. */
char *secret_read(const char *file, const char *kind, char **error);

/* The same of a file with a single line, without its end. */
char *secret_read_line(const char *file, const char *kind, char **error);

/* Makes the error of a file with a secret. Always false, so that a caller returns it. */
bool secret_refuse(char **error, const char *kind, const char *file, const char *what);

/* Room for a secret: size bytes, zeroed. */
void *secret_new(size_t size);
/* A text that holds a secret. */
char *secret_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Adds an owner of the same secret; a plain text becomes a secret. Each owner calls secret_end(). */
char *secret_share(const char *secret);
/* The last owner's call overwrites and frees it. NULL is allowed. */
void secret_end(void *secret);

/* The process has a secret that is not stored here, such as tickets in a library. */
void secret_protect_process(void);

/* free() and realloc() that overwrite the memory that they release, for libraries that copy secrets: libcurl, and
 * the ZooKeeper C client (see the Makefile). */
void secret_library_free(void *memory);
void *secret_library_realloc(void *memory, size_t size);

#endif

/*
 * naming.h - creates names of new candidates from a pattern.
 *
 * In a pattern {uuid} and {hex} become a GUID of 36 characters or 32 digits, {session} and {session_hex} the
 * session's number: "n_", "_c_{uuid}-latch-", "{hex}__lock__", "{session}-node1-n_". The server adds the
 * number.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_NAMING_H
#define ELECTOP_PROBE_CANDIDATE_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Random identifiers, as clients put them before a candidate's name.
 *
 * A client whose connection breaks while it creates its znode cannot know whether the create succeeded. With
 * a GUID in the name it finds its own znode again.
 */

#define GUID_UUID_SIZE 37
#define GUID_HEX_SIZE 33

/* "6f1c9e0a-...": 36 characters, as Curator writes it (a random UUID, version 4). False: no randomness
 * available. */
bool guid_uuid36(char out[GUID_UUID_SIZE]);
/* The same as 32 hexadecimal digits without dashes, as kazoo and go-zk write it. */
bool guid_hex32(char out[GUID_HEX_SIZE]);

/*
 * Whether the pattern is plausible: every brace belongs to a word. False: *problem has the error and the
 * remedy, to follow the pattern in a message, malloc'd. Copied names may contain braces.
 */
bool name_pattern_check(const char *pattern, char **problem);

/* A new name (without its number), malloc'd. NULL: no randomness available. */
char *name_make(const char *pattern, uint64_t session);
/* The maximum length of a name from the pattern. */
size_t name_longest(const char *pattern);

/* The name, without its number, could come from the pattern: only the replaced parts may vary. */
bool name_fits(const char *pattern, const char *name);

/* No two names from the pattern begin alike; one_a_session: no two candidates share a session. */
bool name_is_unique(const char *pattern, bool one_a_session);

/* "directory/name", malloc'd. */
char *path_join(const char *directory, const char *name);

#endif

/*
 * keys.h - the one table of the configuration's keys.
 *
 * It drives reading and the effective configuration (settings_load.c), the list of keys in
 * `electop config --help`, defaults, and releasing. A key that is not in the table does not exist.
 */
#ifndef ELECTOP_CONFIG_KEYS_H
#define ELECTOP_CONFIG_KEYS_H

#include "config/key.h"

#define KEYS_MOST 96 /* rows */
extern const struct key keys[];
extern const size_t key_count;

/* The range of --session-timeout and of the key, which are the same. */
#define SESSION_TIMEOUT_MIN_MS 1000
#define SESSION_TIMEOUT_MAX_MS (5 * 60 * 1000)

/* NULL: there is none. A list of mappings is found with and without its "[]". */
const struct key *key_find(const char *path);

/* Gives all fields of a zeroed struct their defaults. */
void keys_initialise(const char *scope, void *base);
/* Releases all that the fields of a struct own, items of lists included, and zeroes the fields. */
void keys_clear(const char *scope, void *base);

#endif

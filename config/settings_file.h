/*
 * settings_file.h - a configuration's bytes into a struct settings. (settings_load() is for everybody; this
 * is its part that tests and the fuzzer call.)
 */
#ifndef ELECTOP_CONFIG_SETTINGS_FILE_H
#define ELECTOP_CONFIG_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/problems.h"
#include "config/settings.h"

/* All defaults, no cluster. NULL: out of memory. */
struct settings *settings_new(void);

/* One more cluster or election at the end of its list, with defaults; NULL: out of memory. */
struct cluster_settings *settings_add_cluster(struct settings *);
struct election_settings *cluster_add_election(struct cluster_settings *);
void cluster_clear(struct cluster_settings *);
void election_clear(struct election_settings *);

/* Reads a configuration (UTF-8) into new settings. Errors are added to problems. recipes: the names of the
   built-in ones, NULL-terminated; NULL: every name is accepted. */
void settings_read(struct settings *, const char *const *recipes, const char *bytes, size_t length,
                   struct problems *);

#endif

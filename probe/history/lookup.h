/*
 * lookup.h - a hash table from text to number. It copies the texts.
 */
#ifndef ELECTOP_PROBE_HISTORY_LOOKUP_H
#define ELECTOP_PROBE_HISTORY_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup_entry;
struct name_lookup {
    struct lookup_entry *entries;
    size_t count, room;
};

/* False: it is not there. */
bool lookup_find(const struct name_lookup *lookup, const char *text, size_t length, int64_t *number);
/* Replaces an earlier number. */
void lookup_set(struct name_lookup *lookup, const char *text, size_t length, int64_t number);
/* All that is in from, and nothing else. */
void lookup_copy(struct name_lookup *lookup, const struct name_lookup *from);
void lookup_clear(struct name_lookup *lookup);
void lookup_free(struct name_lookup *lookup);

#endif

/*
 * name_lookup.h - a hash table from text to number. It copies the texts.
 */
#ifndef ELECTOP_PROBE_HISTORY_NAME_LOOKUP_H
#define ELECTOP_PROBE_HISTORY_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_lookup_entry;
struct name_lookup {
    struct name_lookup_entry *entries;
    size_t count, room;
};

/* False: it is not there. */
bool name_lookup_find(const struct name_lookup *lookup, const char *text, size_t length, int64_t *number);
/* Replaces an earlier number. */
void name_lookup_set(struct name_lookup *lookup, const char *text, size_t length, int64_t number);
/* All that is in from, and nothing else. */
void name_lookup_copy(struct name_lookup *lookup, const struct name_lookup *from);
void name_lookup_clear(struct name_lookup *lookup);
void name_lookup_free(struct name_lookup *lookup);

#endif

/*
 * name_lookup.h - a hash table from text to number. It copies the texts.
 */
#ifndef ELECTOP_PROBE_HISTORY_NAME_LOOKUP_H
#define ELECTOP_PROBE_HISTORY_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/hash_table.h"

struct name_lookup {
    struct hash_table by_text;
};

/* False: it is not there. */
bool name_lookup_find(const struct name_lookup *lookup, const char *text, size_t length, int64_t *number);
/* Replaces an earlier number. */
void name_lookup_set(struct name_lookup *lookup, const char *text, size_t length, int64_t number);
/* All that is in from, and nothing else. */
void name_lookup_copy(struct name_lookup *lookup, const struct name_lookup *from);
/* It is empty afterwards, and of use again. */
void name_lookup_free(struct name_lookup *lookup);

#endif

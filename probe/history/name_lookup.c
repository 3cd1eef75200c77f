#include "probe/history/name_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

struct name_lookup_entry {
    char *text; /* NULL: free */
    size_t length;
    uint64_t hash;
    int64_t number;
};

static uint64_t lookup_hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static struct name_lookup_entry *lookup_place_of(const struct name_lookup *lookup, const char *text,
                                                 size_t length, uint64_t hash)
{
    size_t at = hash & (lookup->room - 1);
    while (lookup->entries[at].text &&
           (lookup->entries[at].hash != hash || lookup->entries[at].length != length ||
            memcmp(lookup->entries[at].text, text, length) != 0))
        at = (at + 1) & (lookup->room - 1);
    return &lookup->entries[at];
}

bool name_lookup_find(const struct name_lookup *lookup, const char *text, size_t length, int64_t *number)
{
    if (lookup->room == 0)
        return false;
    const struct name_lookup_entry *entry =
        lookup_place_of(lookup, text, length, lookup_hash_of(text, length));
    if (entry->text)
        *number = entry->number;
    return entry->text != NULL;
}

static void lookup_grow(struct name_lookup *lookup)
{
    if (lookup->count * 2 < lookup->room)
        return;
    struct name_lookup larger = {.count = lookup->count, .room = lookup->room ? lookup->room * 2 : 256};
    larger.entries = xcalloc(larger.room, sizeof *larger.entries);
    for (size_t i = 0; i < lookup->room; i++) {
        const struct name_lookup_entry *entry = &lookup->entries[i];
        if (entry->text)
            *lookup_place_of(&larger, entry->text, entry->length, entry->hash) = *entry;
    }
    free(lookup->entries);
    *lookup = larger;
}

void name_lookup_set(struct name_lookup *lookup, const char *text, size_t length, int64_t number)
{
    lookup_grow(lookup);
    uint64_t hash = lookup_hash_of(text, length);
    struct name_lookup_entry *entry = lookup_place_of(lookup, text, length, hash);
    if (entry->text) {
        entry->number = number;
        return;
    }
    char *copy = xmalloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    *entry = (struct name_lookup_entry){copy, length, hash, number};
    lookup->count++;
}

void name_lookup_clear(struct name_lookup *lookup)
{
    for (size_t i = 0; i < lookup->room; i++) {
        free(lookup->entries[i].text);
        lookup->entries[i].text = NULL;
    }
    lookup->count = 0;
}

void name_lookup_copy(struct name_lookup *lookup, const struct name_lookup *from)
{
    name_lookup_clear(lookup);
    for (size_t i = 0; i < from->room; i++)
        if (from->entries[i].text)
            name_lookup_set(lookup, from->entries[i].text, from->entries[i].length, from->entries[i].number);
}

void name_lookup_free(struct name_lookup *lookup)
{
    name_lookup_clear(lookup);
    free(lookup->entries);
    *lookup = (struct name_lookup){0};
}

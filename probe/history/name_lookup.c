#include "probe/history/name_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"

struct name_lookup_entry {
    struct hash_link by_text;
    uint32_t hash;
    int64_t number;
    size_t length;
    char text[];
};

static struct name_lookup_entry *name_entry_of(const struct hash_link *link)
{
    return link ? HASH_ENTRY(link, struct name_lookup_entry, by_text) : NULL;
}

static uint32_t name_lookup_hash(const struct hash_link *link)
{
    return name_entry_of(link)->hash;
}

static struct name_lookup_entry *name_lookup_entry(const struct name_lookup *lookup, const char *text,
                                                   size_t length, uint32_t hash)
{
    struct name_lookup_entry *entry = name_entry_of(hash_table_first(&lookup->by_text, hash));
    while (entry &&
           (entry->hash != hash || entry->length != length || memcmp(entry->text, text, length) != 0))
        entry = name_entry_of(entry->by_text.next);
    return entry;
}

bool name_lookup_find(const struct name_lookup *lookup, const char *text, size_t length, int64_t *number)
{
    const struct name_lookup_entry *entry =
        name_lookup_entry(lookup, text, length, hash_bytes(text, length, 0));
    if (entry)
        *number = entry->number;
    return entry != NULL;
}

void name_lookup_set(struct name_lookup *lookup, const char *text, size_t length, int64_t number)
{
    uint32_t hash = hash_bytes(text, length, 0);
    struct name_lookup_entry *entry = name_lookup_entry(lookup, text, length, hash);
    if (!entry) {
        entry = xmalloc(sizeof *entry + length);
        entry->hash = hash;
        entry->length = length;
        memcpy(entry->text, text, length);
        lookup->by_text.hash_of = name_lookup_hash;
        hash_table_add(&lookup->by_text, &entry->by_text);
    }
    entry->number = number;
}

void name_lookup_copy(struct name_lookup *lookup, const struct name_lookup *from)
{
    name_lookup_free(lookup);
    for (struct hash_link *link = hash_table_walk(&from->by_text, NULL); link;
         link = hash_table_walk(&from->by_text, link))
        name_lookup_set(lookup, name_entry_of(link)->text, name_entry_of(link)->length,
                        name_entry_of(link)->number);
}

void name_lookup_free(struct name_lookup *lookup)
{
    for (struct hash_link *link = hash_table_walk(&lookup->by_text, NULL), *next; link; link = next) {
        next = hash_table_walk(&lookup->by_text, link);
        free(name_entry_of(link));
    }
    hash_table_clear(&lookup->by_text);
}

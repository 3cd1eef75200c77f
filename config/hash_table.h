/*
 * hash_table.h - a hash table of structs that contain its link.
 *
 * It owns none of them and copies no keys. Its owner compares keys and frees the structs:
 *
 *     struct word { struct hash_link link; char *text; };
 *
 *     struct hash_link *link = hash_table_first(&words, hash);
 *     while (link && strcmp(HASH_ENTRY(link, struct word, link)->text, text) != 0)
 *         link = link->next;
 */
#ifndef ELECTOP_CONFIG_HASH_TABLE_H
#define ELECTOP_CONFIG_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_link {
    struct hash_link *next; /* in its bucket; the hash may be another */
};

/* hash_of is called for each link when the table grows; a table without links may be all zero but for it. */
struct hash_table {
    uint32_t (*hash_of)(const struct hash_link *link);
    struct hash_link **buckets;
    size_t bucket_count, count;
};

/* The struct that contains the link, as its field. */
#define HASH_ENTRY(link, type, field) ((type *)((char *)(link)-offsetof(type, field)))

/* Deterministic. The seed prevents others from choosing keys that share a bucket. */
uint32_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

/* The first link whose bucket is that hash's, in which the caller compares keys; NULL: none. */
struct hash_link *hash_table_first(const struct hash_table *table, uint32_t hash);
/* Whether its key is in the table already is the caller's business. */
void hash_table_add(struct hash_table *table, struct hash_link *link);
/* It must be in the table. */
void hash_table_remove(struct hash_table *table, struct hash_link *link);
/* The next link makes it larger. */
bool hash_table_is_full(const struct hash_table *table);
/* Makes room for this many links in total. */
void hash_table_reserve(struct hash_table *table, size_t count);

/*
 * All links, in no order: link NULL returns the first, and NULL follows the last. Before removing or freeing a
 * link, ask for the next one. Add nothing during a walk.
 */
struct hash_link *hash_table_walk(const struct hash_table *table, const struct hash_link *link);

/* Without links afterwards; it frees none. */
void hash_table_clear(struct hash_table *table);

#endif

#include "config/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

#define BUCKETS_FIRST 8
/* Links, at most on average: a bucket costs memory for every link, a second step only a comparison. */
#define PER_BUCKET 2

uint32_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ (length * odd), word;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, at, length);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(hash >> 32);
}

static struct hash_link **bucket_of(const struct hash_table *table, uint32_t hash)
{
    return &table->buckets[hash & (table->bucket_count - 1)];
}

struct hash_link *hash_table_first(const struct hash_table *table, uint32_t hash)
{
    return table->bucket_count ? *bucket_of(table, hash) : NULL;
}

static void put_first(struct hash_table *table, struct hash_link *link)
{
    struct hash_link **bucket = bucket_of(table, table->hash_of(link));
    link->next = *bucket;
    *bucket = link;
}

void hash_table_reserve(struct hash_table *table, size_t count)
{
    if (count <= PER_BUCKET * table->bucket_count)
        return;
    struct hash_table old = *table;
    size_t larger = old.bucket_count ? old.bucket_count : BUCKETS_FIRST;
    while (PER_BUCKET * larger < count)
        larger *= 2;
    table->buckets = xcalloc(larger, sizeof *table->buckets);
    table->bucket_count = larger;
    for (size_t i = 0; i < old.bucket_count; i++)
        for (struct hash_link *link = old.buckets[i], *next; link; link = next) {
            next = link->next;
            put_first(table, link);
        }
    free(old.buckets);
}

bool hash_table_is_full(const struct hash_table *table)
{
    return table->count >= PER_BUCKET * table->bucket_count;
}

void hash_table_add(struct hash_table *table, struct hash_link *link)
{
    hash_table_reserve(table, ++table->count);
    put_first(table, link);
}

void hash_table_remove(struct hash_table *table, struct hash_link *link)
{
    struct hash_link **at = bucket_of(table, table->hash_of(link));
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    link->next = NULL;
    table->count--;
}

struct hash_link *hash_table_walk(const struct hash_table *table, const struct hash_link *link)
{
    if (link && link->next)
        return link->next;
    size_t bucket = link ? (size_t)(bucket_of(table, table->hash_of(link)) - table->buckets) + 1 : 0;
    while (bucket < table->bucket_count && !table->buckets[bucket])
        bucket++;
    return bucket < table->bucket_count ? table->buckets[bucket] : NULL;
}

void hash_table_clear(struct hash_table *table)
{
    free(table->buckets);
    table->buckets = NULL;
    table->bucket_count = table->count = 0;
}

/* The hash table: every link is found, walked over once, and can be removed while walking. */

#include <stdlib.h>

#include "config/hash_table.h"
#include "tests/support/test.h"

#define MANY 1000

struct number {
    struct hash_link link;
    uint32_t value;
    unsigned walked;
};

/* Four values share each hash. */
static uint32_t number_hash(const struct hash_link *link)
{
    return HASH_ENTRY(link, struct number, link)->value / 4;
}

static struct number *number_find(const struct hash_table *table, uint32_t value)
{
    struct hash_link *link = hash_table_first(table, value / 4);
    while (link && HASH_ENTRY(link, struct number, link)->value != value)
        link = link->next;
    return link ? HASH_ENTRY(link, struct number, link) : NULL;
}

TEST(links_are_found_walked_and_removed)
{
    struct hash_table table = {.hash_of = number_hash};
    struct number *all = calloc(MANY, sizeof *all);
    assert_null(hash_table_first(&table, 1));
    assert_null(hash_table_walk(&table, NULL));
    assert_true(hash_table_is_full(&table));
    for (uint32_t i = 0; i < MANY; i++) {
        all[i].value = i;
        hash_table_add(&table, &all[i].link);
    }
    assert_int_equal(table.count, MANY);
    for (struct hash_link *link = hash_table_walk(&table, NULL), *next; link; link = next) {
        next = hash_table_walk(&table, link);
        struct number *number = HASH_ENTRY(link, struct number, link);
        number->walked++;
        if (number->value % 3 == 0)
            hash_table_remove(&table, link);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(all[i].walked, 1);
        assert_ptr_equal(number_find(&table, i), i % 3 ? &all[i] : NULL);
    }
    assert_null(number_find(&table, MANY));
    assert_int_equal(table.count, MANY - (MANY + 2) / 3);
    hash_table_clear(&table);
    assert_null(number_find(&table, 1));
    free(all);
}

TEST(a_hash_depends_on_every_byte_and_the_seed)
{
    char text[] = "a path of a candidate";
    uint32_t before = hash_bytes(text, sizeof text - 1, 1);
    assert_int_equal(hash_bytes(text, sizeof text - 1, 1), before);
    assert_int_not_equal(hash_bytes(text, sizeof text - 1, 2), before);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        text[i] ^= 1;
        assert_int_not_equal(hash_bytes(text, sizeof text - 1, 1), before);
        text[i] ^= 1;
        assert_int_not_equal(hash_bytes(text, i, 1), before);
    }
}

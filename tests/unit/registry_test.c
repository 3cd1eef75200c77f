/* Proves that of a registry only what is new is asked for, and everything where anything may have changed
 * unseen. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe/election/election.h"
#include "probe/election/registry.h"

/* A registry that is listed as a server would list it, and the entries that are read then. */
struct world {
    struct election election;
    struct znode_stat stat;
};

static void list(struct world *world, const char *const *names, size_t count)
{
    const struct observed_children children = {
        .stat = &world->stat, .names = (char *const *)(uintptr_t)names, .count = count};
    assert_true(registry_list(registry_of(&world->election, false), &children, world->election.hash_seed));
}

static void read_entry(struct world *world, const char *name, uint64_t session)
{
    const struct znode_stat stat = {.owner = session};
    const struct observed_node node = {.stat = &stat, .has_data = true, .data = "host:1", .data_length = 6};
    assert_true(
        registry_entry(world->election.registry, name, world->election.hash_seed, session ? &node : NULL));
}

static struct world two_entries(void)
{
    static const char *const names[] = {"a", "b"};
    struct world world = {.election = {.hash_seed = 7}, .stat = {.czxid = 5, .cversion = 2}};
    assert_false(registry_wants(&world.election, false, "a"));
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a") && registry_wants(&world.election, false, "b"));
    assert_false(registry_wants(&world.election, false, "c"));
    read_entry(&world, "a", 11);
    read_entry(&world, "b", 0); /* it may not be read */
    assert_false(registry_wants(&world.election, false, "a") || registry_wants(&world.election, false, "b"));
    return world;
}

/* One came, one went, and the directory counted two: whoever stood stands still. */
static void asks_for_the_new_one(void **state)
{
    (void)state;
    static const char *const later[] = {"a", "c"};
    struct world world = two_entries();
    world.stat.cversion += 2;
    list(&world, later, 2);
    assert_false(registry_wants(&world.election, false, "a"));
    assert_true(registry_wants(&world.election, false, "c"));
    assert_int_equal(registry_unread(world.election.registry), 1);
    list(&world, later, 2);
    assert_true(registry_wants(&world.election, false, "c")); /* it was never read: the connection was lost */
    registry_free(world.election.registry);
}

/* The same names, but somebody went and came again in between: it may be another session's now. */
static void asks_for_all_where_names_may_have_come_again(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    struct world world = two_entries();
    world.stat.cversion += 2;
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a") && registry_wants(&world.election, false, "b"));
    assert_true(registry_holds(world.election.registry, 11)); /* until it is known better */
    read_entry(&world, "a", 12);
    assert_false(registry_wants(&world.election, false, "a") || registry_holds(world.election.registry, 11));
    assert_true(registry_holds(world.election.registry, 12));
    registry_free(world.election.registry);
}

/* The directory was made anew, and counts from the start. */
static void asks_for_all_of_another_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    struct world world = two_entries();
    world.stat.czxid = 9;
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a"));
    read_entry(&world, "a", 11);
    registry_lose(world.election.registry);
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a"));
    registry_free(world.election.registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_the_new_one),
        cmocka_unit_test(asks_for_all_where_names_may_have_come_again),
        cmocka_unit_test(asks_for_all_of_another_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

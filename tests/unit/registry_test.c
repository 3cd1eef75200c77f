/* Proves that of a registry only what is new is asked for, and everything where anything may have changed
 * unseen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/registry.h"
#include "tests/support/test.h"

/* A registry that is listed as a server would list it, and the entries that are read then. */
struct world {
    struct election election;
    struct election_private own;
    struct znode_stat stat;
};

static void list(struct world *world, const char *const *names, size_t count)
{
    const struct observed_children children = {
        .stat = &world->stat, .names = (char *const *)(uintptr_t)names, .count = count};
    registry_list(registry_of(&world->election, false), &children, world->own.hash_seed);
}

static void read_entry(struct world *world, const char *name, uint64_t session)
{
    const struct znode_stat stat = {.owner = session};
    const struct observed_node node = {.stat = &stat, .has_data = true, .data = "host:1", .data_length = 6};
    assert_true(registry_entry(world->own.registry, name, world->own.hash_seed, session ? &node : NULL));
}

static void two_entries(struct world *world)
{
    static const char *const names[] = {"a", "b"};
    *world = (struct world){.own = {.hash_seed = 7}, .stat = {.czxid = 5, .cversion = 2}};
    world->election.own = &world->own;
    assert_false(registry_wants(&world->election, false, "a"));
    list(world, names, 2);
    assert_true(registry_wants(&world->election, false, "a") && registry_wants(&world->election, false, "b"));
    assert_false(registry_wants(&world->election, false, "c"));
    read_entry(world, "a", 11);
    read_entry(world, "b", 0); /* it may not be read */
    assert_false(registry_wants(&world->election, false, "a") ||
                 registry_wants(&world->election, false, "b"));
}

/* One came, one went, and the directory counted two: whoever stood stands still. */
TEST(asks_for_the_new_one)
{
    static const char *const later[] = {"a", "c"};
    struct world world;
    two_entries(&world);
    world.stat.cversion += 2;
    list(&world, later, 2);
    assert_false(registry_wants(&world.election, false, "a"));
    assert_true(registry_wants(&world.election, false, "c"));
    assert_int_equal(registry_unread(world.own.registry), 1);
    list(&world, later, 2);
    assert_true(registry_wants(&world.election, false, "c")); /* it was never read: the connection was lost */
    registry_free(world.own.registry);
}

/* The same names, but somebody went and came again in between: it may be another session's now. */
TEST(asks_for_all_where_names_may_have_come_again)
{
    static const char *const names[] = {"a", "b"};
    struct world world;
    two_entries(&world);
    world.stat.cversion += 2;
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a") && registry_wants(&world.election, false, "b"));
    assert_true(registry_holds(world.own.registry, 11)); /* until it is known better */
    read_entry(&world, "a", 12);
    assert_false(registry_wants(&world.election, false, "a") || registry_holds(world.own.registry, 11));
    assert_true(registry_holds(world.own.registry, 12));
    registry_free(world.own.registry);
}

/* The directory was made anew, and counts from the start. */
TEST(asks_for_all_of_another_directory)
{
    static const char *const names[] = {"a", "b"};
    struct world world;
    two_entries(&world);
    world.stat.czxid = 9;
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a"));
    read_entry(&world, "a", 11);
    registry_lose(world.own.registry);
    list(&world, names, 2);
    assert_true(registry_wants(&world.election, false, "a"));
    registry_free(world.own.registry);
}

/* The members of a lock, once all are read: brokers by number, and only of a lock. */
TEST(lists_the_members_of_a_lock)
{
    static const char *const names[] = {"10", "9", "b"};
    static const char broker[] = "{\"host\":\"kafka-1\",\"port\":9092,\"role\":\"broker\"}";
    const struct recipe lock = {.family = FAMILY_LOCK}, line = {.family = FAMILY_SEQUENCE};
    struct election_private own = {.hash_seed = 7};
    struct election election = {.own = &own, .recipe = &lock};
    const struct znode_stat stat = {.czxid = 5, .cversion = 3}, owned = {.owner = 11};
    const struct observed_children children = {
        .stat = &stat, .names = (char *const *)(uintptr_t)names, .count = 3};
    const struct observed_node node = {
        .stat = &owned, .has_data = true, .data = broker, .data_length = sizeof broker - 1};
    struct registry *members = registry_of(&election, true);
    registry_list(members, &children, 7);
    registry_list_members(&election);
    assert_false(election.members_listed); /* none is read yet */
    for (size_t i = 0; i < 3; i++)
        assert_true(registry_entry(members, names[i], 7, i < 2 ? &node : NULL));
    registry_list_members(&election);
    assert_true(election.members_listed);
    assert_int_equal(election.listed_member_count, 3);
    assert_string_equal(election.listed_members[0].name, "9");
    assert_string_equal(election.listed_members[1].name, "10");
    assert_string_equal(election.listed_members[1].identity, "kafka-1:9092");
    assert_string_equal(election.listed_members[1].about, "broker");
    assert_int_equal(election.listed_members[1].session, 11);
    assert_string_equal(election.listed_members[2].name, "b"); /* it may not be read */
    assert_null(election.listed_members[2].identity);
    election.recipe = &line;
    registry_list_members(&election);
    assert_int_equal(election.listed_member_count, 0);
    members_free(&election);
    registry_free(members);
}

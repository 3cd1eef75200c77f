/*
 * What a guard lets through and what it refuses, without a server: a session that never connects takes no
 * request, so what is allowed shows in that nothing was counted as refused.
 */

#include "probe/candidate/guard.h"
#include "tests/support/test.h"

struct world {
    uv_loop_t loop;
    struct session *session;
};

static int world_begin(void **state)
{
    static struct world world;
    uv_loop_init(&world.loop);
    const struct session_options options = {.hosts = "127.0.0.1:1", .timeout_ms = 4000};
    world.session = session_open(&world.loop, &options, &(struct session_listener){0}, NULL);
    *state = &world;
    return world.session ? 0 : -1;
}

static int world_end(void **state)
{
    struct world *world = *state;
    session_drop(world->session);
    uv_run(&world->loop, UV_RUN_DEFAULT);
    return uv_loop_close(&world->loop);
}

static void on_text(void *context, const struct session_answer *answer)
{
    (void)context, (void)answer;
}

static bool creates(struct world *world, struct guard *guard, const char *path, const char *data,
                    enum create_mode mode)
{
    uint64_t before = guard_refused(guard);
    guard_create(guard, world->session, path, data, 0, mode, NULL, on_text, NULL);
    return guard_refused(guard) == before;
}

static bool deletes(struct world *world, struct guard *guard, const char *path)
{
    uint64_t before = guard_refused(guard);
    guard_delete(guard, world->session, path, -1, on_text, NULL);
    return guard_refused(guard) == before;
}

/* A run may touch the sandbox itself, its own znode, what is below it, and its own signs beside it. */
TEST_BETWEEN(a_run_keeps_to_itself, world_begin, world_end)
{
    struct guard *guard =
        guard_new_sandbox("/electop-sandbox", "run-1", "/electop-sandbox/run-1/election", "n_");
    static const char *const allowed[] = {"/electop-sandbox", "/electop-sandbox/run-1",
                                          "/electop-sandbox/run-1/election/n_",
                                          "/electop-sandbox/run-1.alive-a"};
    static const char *const refused[] = {"/",
                                          "/election",
                                          "/electop-sandbox-2/run-1",
                                          "/electop-sandboxx",
                                          "/electop-sandbox/run-2",
                                          "/electop-sandbox/run-11",
                                          "/electop-sandbox/run-1.",
                                          "/electop-sandbox/run-1.old",
                                          "/electop-sandbox/run-1.alive/below",
                                          "/electop-sandbox/other/run-1",
                                          "/zookeeper/quota"};
    /* Somebody's znode may have the run's name: nothing is deleted there before it is known to
       be the run's. */
    assert_false(deletes(*state, guard, "/electop-sandbox/run-1"));
    assert_false(deletes(*state, guard, "/electop-sandbox/run-1/election"));
    assert_true(guard_adopt(guard, "run-1"));
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        assert_true(creates(*state, guard, allowed[i], "", CREATE_PERSISTENT));
        assert_true(deletes(*state, guard, allowed[i]));
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_false(creates(*state, guard, refused[i], "", CREATE_PERSISTENT));
        assert_false(deletes(*state, guard, refused[i]));
    }
    /* What a run that is over has left may be deleted, never added to. */
    assert_true(guard_adopt(guard, "run-2"));
    assert_true(deletes(*state, guard, "/electop-sandbox/run-2/election"));
    assert_false(creates(*state, guard, "/electop-sandbox/run-2/election", "", CREATE_PERSISTENT));
    assert_false(guard_adopt(guard, "a/b"));
    guard_free(guard);
    assert_null(guard_new_sandbox("/", "run", "/run", NULL));
    assert_null(guard_new_sandbox("/electop-sandbox", "..", "/electop-sandbox/..", NULL));
}

/* A run's znode, and what it stands in, is made once: its candidates never make it again. Once it is lost
   nothing more is created in it; the signs beside it say that it ends. */
TEST_BETWEEN(a_lost_run_is_left_alone, world_begin, world_end)
{
    struct guard *guard = guard_new_sandbox("/a/sandbox", "run-1", "/a/sandbox/run-1/election", "n_");
    static const char *const kept[] = {"/a", "/a/sandbox", "/a/sandbox/run-1"};
    static const char *const made[] = {"/b", "/a/sandbox/run-11", "/a/sandbox/run-1/election"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_true(guard_keeps(guard, kept[i]));
        assert_false(guard_keeps(guard, made[i]));
    }
    assert_false(guard_is_lost(guard));
    guard_lose(guard);
    assert_true(guard_is_lost(guard));
    struct world *world = *state;
    assert_false(guard_create(guard, world->session, "/a/sandbox/run-1/election/n_", "x", 1,
                              CREATE_EPHEMERAL_SEQUENTIAL, NULL, on_text, NULL));
    assert_int_equal(guard_refused(guard), 0);
    assert_true(creates(world, guard, "/a/sandbox/run-1.over-a", "", CREATE_EPHEMERAL));
    assert_false(guard_is_our_session(guard, 0));
    guard_free(guard);
}

/* Bare numbers begin again in a directory that is made anew, and whoever comes first leads there. */
TEST_BETWEEN(another_directory_is_lost, world_begin, world_end)
{
    struct guard *guard = guard_new_live("/app/election", "n_");
    guard_see_directory(guard, &(struct znode_stat){.czxid = 7});
    guard_see_directory(guard, NULL);
    guard_see_directory(guard, &(struct znode_stat){.czxid = 7, .pzxid = 9});
    assert_false(guard_is_lost(guard));
    guard_see_directory(guard, &(struct znode_stat){.czxid = 8});
    assert_true(guard_is_lost(guard));
    assert_false(guard_name_is_unique(guard));
    guard_free(guard);
}

/* In a live election: one kind of create, while the rules hold, and nobody else's znode is ever deleted. */
TEST_BETWEEN(a_live_election_takes_candidates_only, world_begin, world_end)
{
    struct guard *guard = guard_new_live("/app/election", "_c_{uuid}-latch-");
    const char *name = "/app/election/_c_6f1c9e0a-0000-4000-8000-000000000001-latch-";
    assert_false(creates(*state, guard, name, "x", CREATE_EPHEMERAL_SEQUENTIAL)); /* not open yet */
    guard_open(guard, true);
    assert_true(creates(*state, guard, name, "x", CREATE_EPHEMERAL_SEQUENTIAL));
    assert_false(creates(*state, guard, name, NULL, CREATE_EPHEMERAL_SEQUENTIAL)); /* null data */
    assert_false(creates(*state, guard, name, "x", CREATE_PERSISTENT_SEQUENTIAL));
    assert_false(creates(*state, guard, name, "x", CREATE_EPHEMERAL));
    assert_false(creates(*state, guard, "/app/election/n_", "x", CREATE_EPHEMERAL_SEQUENTIAL));
    assert_false(creates(*state, guard, "/app/election", "x", CREATE_PERSISTENT));
    assert_false(creates(*state, guard, "/app/leader", "x", CREATE_EPHEMERAL)); /* no acknowledgement */
    assert_true(
        deletes(*state, guard, "/app/election/_c_6f1c9e0a-0000-4000-8000-000000000001-latch-0000000007"));
    assert_false(
        deletes(*state, guard, "/app/election/_c_6f1c9e0a-0000-4000-8000-000000000002-latch-0000000006"));
    assert_false(deletes(*state, guard, "/app/election"));
    guard_open(guard, false);
    assert_false(creates(*state, guard, name, "x", CREATE_EPHEMERAL_SEQUENTIAL));
    assert_true(
        deletes(*state, guard, "/app/election/_c_6f1c9e0a-0000-4000-8000-000000000001-latch-0000000007"));
    guard_free(guard);
    /* Without anything of its own in the name, only what the server said that it created is known
       to be ours. */
    guard = guard_new_live("/election", "n_");
    guard_open(guard, true);
    assert_true(creates(*state, guard, "/election/n_", "x", CREATE_EPHEMERAL_SEQUENTIAL));
    assert_false(deletes(*state, guard, "/election/n_0000000001"));
    guard_free(guard);
}

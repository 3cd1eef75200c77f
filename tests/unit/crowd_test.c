/*
 * crowd: crowds on a real server: they stand, die in every way on a schedule, are measured, survive a
 * restart, and leave nothing behind. One server for all tests; each has an election of its own.
 */

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "probe/election/recipe.h"
#include "probe/inject/crowd.h"
#include "probe/zookeeper/descriptor_poll.h"
#include "probe/zookeeper/fourletter.h"
#include "tests/support/playground.h"
#include "tests/support/test.h"

#define TIMEOUT_MS 1500
#define CALM_MS PLAYGROUND_TIMEOUT_MOST_MS

struct world {
    struct playground ground;
    struct session *reader;
    bool ended, answered;
    size_t left_to_expire, failed_over, children;
    long server_sessions; /* -1: not told */
};

static int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    *state = world;
    playground_begin(&world->ground);
    const struct session_options options = {.hosts = private_ensemble_hosts(world->ground.sandbox),
                                            .timeout_ms = CALM_MS};
    world->reader = session_open(&world->ground.loop, &options, &(struct session_listener){0}, NULL);
    playground_run_until(&world->ground, session_state(world->reader) == CONNECTION_CONNECTED);
    return 0;
}

static int world_end(void **state)
{
    struct world *world = *state;
    session_drop(world->reader);
    bool clean = playground_end(&world->ground);
    free(world);
    return clean ? 0 : -1;
}

static void on_children(void *context, const struct session_answer *answer)
{
    struct world *world = context;
    world->children = answer->result == SESSION_OK ? answer->count : 0;
    world->answered = true;
}

static size_t children_of(struct world *world, const char *path)
{
    world->answered = false;
    assert_true(session_children(world->reader, path, false, on_children, world));
    playground_run_until(&world->ground, world->answered);
    return world->children;
}

static void on_failed_over(void *context, const struct crowd_failover *failover)
{
    (void)failover;
    struct world *world = context;
    world->failed_over++;
}

static void on_ended(void *context, size_t left_to_expire)
{
    struct world *world = context;
    world->left_to_expire = left_to_expire;
    world->ended = true;
}

static struct crowd *crowd_begin_with(struct world *world, const struct candidate_options *candidate,
                                      int timeout_ms, const struct run_options *options)
{
    static const struct crowd_listener listener = {.failed_over = on_failed_over};
    const struct session_options session = {.hosts = private_ensemble_hosts(world->ground.sandbox),
                                            .timeout_ms = timeout_ms};
    world->failed_over = 0;
    struct crowd *crowd = crowd_new(&world->ground.loop, options, &session, candidate, &listener, world);
    assert_non_null(crowd);
    return crowd;
}

static struct crowd *crowd_begin(struct world *world, const char *election, int timeout_ms,
                                 const struct run_options *options)
{
    const struct candidate_options candidate = {
        .guard = world->ground.guard, .election = election, .name = "{hex}-n_", .data = "test"};
    return crowd_begin_with(world, &candidate, timeout_ms, options);
}

static struct crowd_figures figures_of(const struct crowd *crowd)
{
    struct crowd_figures figures;
    crowd_figures(crowd, &figures);
    return figures;
}

static void stands(struct world *world, struct crowd *crowd)
{
    playground_run_until(&world->ground, figures_of(crowd).stood_us != 0);
}

/* Where each that comes wakes all, those who stand may still be looking again, with no watch set. */
static void rests(struct world *world, struct crowd *crowd)
{
    uint64_t before;
    do {
        before = figures_of(crowd).requests + figures_of(crowd).notices;
        playground_run_for(&world->ground, 300);
    } while (figures_of(crowd).requests + figures_of(crowd).notices != before);
}

/* Ends it, and nothing of it is left. While it goes nothing is counted: who leads then, and that nobody does,
 * is no failover, and who has the figures of its end may read on in them. */
static void crowd_finish(struct world *world, struct crowd *crowd, const char *election)
{
    world->ended = false;
    struct crowd_figures before = figures_of(crowd);
    crowd_end(crowd, on_ended);
    playground_run_until(&world->ground, world->ended);
    struct crowd_figures after = figures_of(crowd);
    assert_int_equal(after.failover_count, before.failover_count);
    assert_ptr_equal(after.failovers, before.failovers);
    assert_ptr_equal(after.problem, before.problem);
    crowd_free(crowd);
    playground_run_until(&world->ground, children_of(world, election) == 0);
}

/* Whoever stands, there is one leader, and its order is that of the line. */
static void one_leads(const struct crowd *crowd)
{
    struct crowd_figures f = figures_of(crowd);
    assert_int_equal(f.by_state[CANDIDATE_LEADING], 1);
    int64_t first = INT64_MAX,
            leads = recipe_sequence_of(test_candidate_name(crowd_candidate(crowd, crowd_leader(crowd))));
    for (size_t i = 0; i < f.candidates; i++) {
        const char *name = test_candidate_name(crowd_candidate(crowd, i));
        int64_t number = name ? recipe_sequence_of(name) : INT64_MAX;
        first = number < first ? number : first;
    }
    assert_int_equal(leads, first);
}

/*
 * Each way to die, on a schedule: the next one leads each time, whoever died returns, and the phases are in
 * their order. One that closes or resigns is missed at once; one that vanishes or stands still, when its
 * session expires.
 */
TEST(leaders_die_in_every_way)
{
    struct world *world = *state;
    static const char *const elections[KILL_COUNT] = {"/die/close", "/die/resign", "/die/drop", "/die/pause"};
    for (int how = 0; how < KILL_COUNT; how++) {
        bool expires = how == KILL_DROP || how == KILL_PAUSE;
        int timeout_ms = expires ? TIMEOUT_MS : CALM_MS;
        struct crowd *crowd = crowd_begin(world, elections[how], timeout_ms,
                                          &(struct run_options){.candidates = 8,
                                                                .victim = VICTIM_LEADER,
                                                                .every_ms = 30,
                                                                .how = (enum kill_mode)how,
                                                                .away_ms = how == KILL_PAUSE ? 4000 : 50});
        playground_run_until(&world->ground, world->failed_over >= 3);
        crowd_hold(crowd, true);
        playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_WAITING] == 7 &&
                                                 figures_of(crowd).by_state[CANDIDATE_LEADING] == 1);
        one_leads(crowd);
        struct crowd_figures f = figures_of(crowd);
        for (size_t i = 0; i < 3; i++) {
            const struct crowd_failover *one = &f.failovers[i];
            assert_true(one->planned && one->how == (enum kill_mode)how && one->to > one->from);
            assert_true(one->due_us <= one->dead_us && one->dead_us <= one->reported_us);
            assert_true(one->reported_us <= one->first_us && one->first_us <= one->led_us);
            uint64_t until_reported_us = one->reported_us - one->dead_us;
            assert_true((until_reported_us > (uint64_t)timeout_ms * 1000 / 2) == expires);
            assert_true(one->notices >= 1 && one->requests >= 1);
        }
        assert_int_equal(f.errors, 0);
        assert_true(f.to_fail_over->count >= 3 && f.to_stand->count == 8);
        crowd_finish(world, crowd, elections[how]);
    }
}

/* The next leader dies while the herd has yet to settle down: that is a failover of its own, and planned. */
TEST(no_death_of_ours_is_unplanned)
{
    struct world *world = *state;
    const struct behaviour_share herd = {.behaviour = BEHAVIOUR_HERD, .percent = 100};
    struct crowd *crowd =
        crowd_begin(world, "/hasty", CALM_MS,
                    &(struct run_options){.candidates = 60, .shares = {herd}, .share_count = 1});
    stands(world, crowd);
    assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_CLOSE));
    while (figures_of(crowd).failovers[0].led_us == 0)
        uv_run(&world->ground.loop, UV_RUN_ONCE);
    assert_int_equal(world->failed_over, 0);
    assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_CLOSE));
    assert_int_equal(world->failed_over, 1);
    playground_run_until(&world->ground, world->failed_over == 2);
    struct crowd_figures f = figures_of(crowd);
    assert_int_equal(f.unplanned, 0);
    assert_true(f.failovers[1].planned && f.failovers[1].from == f.failovers[0].to);
    crowd_finish(world, crowd, "/hasty");
}

/* A pause that is over before the session expires is no failover, and the next death comes all the same. */
TEST(a_short_pause_is_no_death)
{
    struct world *world = *state;
    struct crowd *crowd = crowd_begin(world, "/short", TIMEOUT_MS, &(struct run_options){.candidates = 3});
    stands(world, crowd);
    size_t leader = crowd_leader(crowd);
    assert_true(crowd_kill(crowd, leader, KILL_PAUSE));
    assert_false(crowd_kill(crowd, leader, KILL_CLOSE));
    assert_int_equal(figures_of(crowd).paused, 1);
    assert_true(crowd_resume(crowd, leader));
    playground_run_until(&world->ground, figures_of(crowd).survived == 1);
    assert_int_equal(crowd_leader(crowd), leader);
    assert_int_equal(figures_of(crowd).failover_count, 0);
    assert_true(crowd_kill(crowd, leader, KILL_CLOSE));
    playground_run_until(&world->ground, world->failed_over == 1);
    crowd_finish(world, crowd, "/short");
}

/* A death in a chain wakes one, in a herd everybody; the figures tell them apart. */
TEST(a_herd_costs_more_than_a_chain)
{
    struct world *world = *state;
    enum { CROWD = 40 };
    static const enum behaviour behaviours[] = {BEHAVIOUR_RECIPE, BEHAVIOUR_HERD, BEHAVIOUR_CHILDREN};
    static const char *const elections[] = {"/cost/chain", "/cost/herd", "/cost/children"};
    for (int i = 0; i < 3; i++) {
        const struct behaviour_share part = {.behaviour = behaviours[i], .percent = 100};
        struct crowd *crowd =
            crowd_begin(world, elections[i], CALM_MS,
                        &(struct run_options){.candidates = CROWD, .shares = {part}, .share_count = 1});
        stands(world, crowd);
        rests(world, crowd);
        assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_CLOSE));
        playground_run_until(&world->ground, world->failed_over == 1);
        const struct crowd_failover *one = &figures_of(crowd).failovers[0];
        if (i == 0)
            assert_true(one->notices == 1 && one->requests == 1);
        else {
            assert_int_equal(one->notices, CROWD - 1);
            assert_true(one->requests >= CROWD - 1);
        }
        crowd_finish(world, crowd, elections[i]);
    }
}

/* A failover that is under way when the end comes is told as that, once; where none is, nothing is told. */
TEST(an_end_breaks_a_failover_off)
{
    struct world *world = *state;
    struct crowd *crowd = crowd_begin(world, "/broken", TIMEOUT_MS, &(struct run_options){.candidates = 4});
    stands(world, crowd);
    crowd_break_off(crowd);
    assert_int_equal(world->failed_over, 0);
    assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_DROP)); /* its session lives on for a while */
    crowd_break_off(crowd);
    crowd_break_off(crowd);
    assert_int_equal(world->failed_over, 1);
    const struct crowd_figures figures = figures_of(crowd);
    const struct crowd_failover *failover = &figures.failovers[figures.failover_count - 1];
    assert_true(failover->broken_off && failover->planned && failover->led_us == 0);
    assert_int_equal(figures.to_fail_over->count, 0);
    crowd_finish(world, crowd, "/broken");
}

static void on_word(void *context, const char *problem, const char *text, size_t length, int64_t took_us)
{
    (void)problem, (void)length, (void)took_us;
    struct world *world = context;
    const char *at = text ? strstr(text, "zk_global_sessions") : NULL;
    world->server_sessions = at ? atol(at + strlen("zk_global_sessions")) : -1;
    world->answered = true;
}

/* By the server's own word. */
static long sessions_there(struct world *world)
{
    const char *port = strrchr(private_ensemble_hosts(world->ground.sandbox), ':') + 1;
    world->answered = false;
    assert_non_null(
        fourletter_ask(&world->ground.loop, NULL, "127.0.0.1", port, "mntr", 5000, 65536, on_word, world));
    playground_run_until(&world->ground, world->answered);
    return world->server_sessions;
}

/* Ended while its sessions are being asked for, none of them is left to the servers. */
TEST(an_early_end_leaves_no_session)
{
    struct world *world = *state;
    long before = sessions_there(world);
    assert_true(before > 0);
    for (int round = 0; round < 8; round++) {
        struct crowd *crowd = crowd_begin(world, "/early", CALM_MS, &(struct run_options){.candidates = 40});
        for (int turns = 0; turns < 2 + round; turns++)
            uv_run(&world->ground.loop, UV_RUN_NOWAIT);
        crowd_finish(world, crowd, "/early");
        assert_int_equal(world->left_to_expire, 0);
    }
    playground_run_until(&world->ground, sessions_there(world) == before);
}

/* Half of them deaf: as many as were asked for, evenly; a deaf second keeps the line from moving on. */
TEST(a_mixture_is_as_asked_for)
{
    struct world *world = *state;
    const struct behaviour_share part = {.behaviour = BEHAVIOUR_DEAF, .percent = 50};
    struct crowd *crowd =
        crowd_begin(world, "/mixed", TIMEOUT_MS,
                    &(struct run_options){.candidates = 20, .shares = {part}, .share_count = 1});
    stands(world, crowd);
    uint64_t before = figures_of(crowd).notices;
    for (int i = 0; i < 20 && crowd_leader(crowd) != SIZE_MAX; i++) {
        crowd_kill(crowd, crowd_leader(crowd), KILL_CLOSE);
        uint64_t from = uv_hrtime();
        while (uv_hrtime() - from < 300000000 && crowd_leader(crowd) == SIZE_MAX)
            uv_run(&world->ground.loop, UV_RUN_ONCE);
    }
    struct crowd_figures f = figures_of(crowd);
    assert_int_equal(crowd_leader(crowd), SIZE_MAX);
    assert_true(f.by_state[CANDIDATE_WAITING] > 0 && f.by_state[CANDIDATE_LEADING] == 0);
    assert_true(f.notices - before < 12);
    crowd_finish(world, crowd, "/mixed");
}

/*
 * Forty on four sessions, with one reading for all: few sessions, few lists, and the same order. What befalls
 * a session befalls the ten on it.
 */
TEST(many_on_one_session)
{
    struct world *world = *state;
    struct crowd *crowd =
        crowd_begin(world, "/shared", TIMEOUT_MS,
                    &(struct run_options){.candidates = 40, .per_session = 10, .look = LOOK_SHARED});
    stands(world, crowd);
    struct crowd_figures f = figures_of(crowd);
    assert_true(f.sessions == 4 && f.lists < 40);
    one_leads(crowd);
    assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_RESIGN));
    playground_run_until(&world->ground, world->failed_over == 1);
    assert_int_equal(figures_of(crowd).by_state[CANDIDATE_RESIGNED], 1);
    assert_true(crowd_kill(crowd, crowd_leader(crowd), KILL_CLOSE));
    playground_run_until(&world->ground, world->failed_over == 2);
    f = figures_of(crowd);
    assert_true(f.by_state[CANDIDATE_GONE] >= 10 && f.by_state[CANDIDATE_LEADING] == 1);
    for (size_t i = 0; i < 40; i++)
        crowd_volunteer(crowd, i);
    playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_WAITING] == 39);
    one_leads(crowd);
    assert_int_equal(children_of(world, "/shared"), 40);
    crowd_finish(world, crowd, "/shared");
}

/* A session that hangs for less than its timeout: who was to look meanwhile, and who comes on it meanwhile,
 * stands once it goes on. */
TEST(a_hanging_session_loses_nobody)
{
    struct world *world = *state;
    struct crowd *crowd =
        crowd_begin(world, "/hang", CALM_MS,
                    &(struct run_options){.candidates = 15, .per_session = 10, .look = LOOK_SHARED});
    stands(world, crowd);
    size_t leader = crowd_leader(crowd), other = leader < 10 ? 10 : 0;
    assert_true(crowd_kill(crowd, other, KILL_RESIGN));
    playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_RESIGNED] == 1);
    assert_true(crowd_volunteer(crowd, other));
    assert_true(crowd_kill(crowd, 10, KILL_PAUSE)); /* the second session, which has room */
    assert_true(crowd_add(crowd, 5));
    playground_run_for(&world->ground, 500);
    assert_true(crowd_resume(crowd, 10));
    playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_WAITING] == 19);
    one_leads(crowd);
    crowd_finish(world, crowd, "/hang");
}

static void on_restarted(void *context, const char *problem)
{
    assert_null(problem);
    *(bool *)context = true;
}

/*
 * The server is killed and comes back: while it is away hardly anybody asks after it, then all are back, with
 * the same sessions and znodes; and those on shared sessions have their watches again.
 */
TEST(a_restart_brings_all_back)
{
    struct world *world = *state;
    struct crowd *own = crowd_begin(world, "/back/own", CALM_MS, &(struct run_options){.candidates = 200});
    struct crowd *shared =
        crowd_begin(world, "/back/shared", CALM_MS,
                    &(struct run_options){.candidates = 200, .per_session = 100, .look = LOOK_SHARED});
    stands(world, own);
    stands(world, shared);
    uint64_t before = figures_of(own).connects;
    assert_true(private_ensemble_server_kill(world->ground.sandbox, 0));
    playground_run_until(&world->ground, figures_of(own).connected == 0 && figures_of(shared).connected == 0);
    uint64_t until = uv_hrtime() + 2000000000;
    while (uv_hrtime() < until)
        uv_run(&world->ground.loop, UV_RUN_ONCE);
    assert_true(figures_of(own).connects - before <= 100);
    bool restarted = false;
    assert_true(private_ensemble_server_start(world->ground.sandbox, 0, on_restarted, &restarted));
    playground_run_until(&world->ground, restarted && figures_of(own).by_state[CANDIDATE_WAITING] == 199 &&
                                             figures_of(shared).by_state[CANDIDATE_WAITING] == 199);
    assert_int_equal(figures_of(own).expired + figures_of(shared).expired, 0);
    assert_int_equal(figures_of(own).lost, 200);
    one_leads(own);
    one_leads(shared);
    playground_run_until(&world->ground, session_state(world->reader) == CONNECTION_CONNECTED);
    assert_int_equal(children_of(world, "/back/own"), 200);
    for (int i = 0; i < 3; i++) { /* who is woken now was told by a watch that was set again */
        size_t leader = crowd_leader(shared);
        assert_true(crowd_kill(shared, leader, KILL_RESIGN));
        playground_run_until(&world->ground,
                             crowd_leader(shared) != SIZE_MAX && crowd_leader(shared) != leader);
    }
    crowd_finish(world, own, "/back/own");
    crowd_finish(world, shared, "/back/shared");
}

/* One that must not lead stands behind others; first, it deletes itself at once, and how long it was first is
 * told. */
TEST(who_must_not_lead_goes)
{
    struct world *world = *state;
    struct crowd *real = crowd_begin(world, "/modest", TIMEOUT_MS, &(struct run_options){.candidates = 1});
    stands(world, real);
    const struct candidate_options candidate = {.guard = world->ground.guard,
                                                .election = "/modest",
                                                .name = "{hex}-n_",
                                                .data = "test",
                                                .never_leads = true};
    struct crowd *guests =
        crowd_begin_with(world, &candidate, TIMEOUT_MS, &(struct run_options){.candidates = 3});
    stands(world, guests);
    assert_int_equal(figures_of(guests).by_state[CANDIDATE_WAITING], 3);
    assert_int_equal(figures_of(guests).first_most_us, 0);
    crowd_kill(real, 0, KILL_CLOSE);
    playground_run_until(&world->ground, figures_of(guests).by_state[CANDIDATE_RESIGNED] == 3);
    struct crowd_figures f = figures_of(guests);
    assert_true(f.first_most_us > 0 && f.first_most_us < 5000000);
    assert_int_equal(crowd_leader(guests), SIZE_MAX);
    assert_int_equal(children_of(world, "/modest"), 0);
    crowd_finish(world, guests, "/modest");
    crowd_finish(world, real, "/modest");
}

/* Brought on at a rate they stand when they are due, and not before; more come on later. */
TEST(a_rate_is_kept)
{
    struct world *world = *state;
    struct crowd *crowd =
        crowd_begin(world, "/rate", TIMEOUT_MS, &(struct run_options){.candidates = 20, .rate_per_s = 40});
    stands(world, crowd);
    struct crowd_figures f = figures_of(crowd);
    assert_true(f.stood_us - f.begun_us >= 19 * 25000 - 5000);
    assert_true(crowd_add(crowd, 5));
    playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_WAITING] == 24);
    assert_true(figures_of(crowd).begun_us == f.begun_us && figures_of(crowd).stood_us == f.stood_us);
    crowd_finish(world, crowd, "/rate");
}

/* Each new problem, with the figures of its moment, stays in the log of a test that fails. */
static bool full_is_named(const struct crowd *crowd)
{
    static char seen[200];
    struct crowd_figures f = figures_of(crowd);
    if (f.problem && strcmp(f.problem, seen) != 0) {
        snprintf(seen, sizeof seen, "%s", f.problem);
        print_message("%zu connected, %zu connects, %zu refused, %zu lost, %zu expired: %s\n",
                      (size_t)f.connected, (size_t)f.connects, (size_t)f.refused, (size_t)f.lost,
                      (size_t)f.expired, f.problem);
    }
    return f.problem && strstr(f.problem, "maxClientCnxns");
}

/* A server that takes no more connections: those that are in stand, few knock, and the setting is named. */
TEST(a_full_server_is_named)
{
    struct world *world = *state;
    struct private_ensemble *common = world->ground.sandbox;
    world->ground.sandbox = playground_server(&world->ground, 10);
    struct crowd *crowd = crowd_begin(world, "/full", TIMEOUT_MS, &(struct run_options){.candidates = 30});
    playground_run_until(&world->ground, full_is_named(crowd));
    playground_run_until(&world->ground, figures_of(crowd).by_state[CANDIDATE_LEADING] == 1 &&
                                             figures_of(crowd).by_state[CANDIDATE_WAITING] ==
                                                 figures_of(crowd).connected - 1);
    assert_true(figures_of(crowd).connected < 30 && figures_of(crowd).stood_us == 0);
    world->ended = false;
    crowd_end(crowd, on_ended);
    playground_run_until(&world->ground, world->ended);
    crowd_free(crowd);
    private_ensemble_stop(world->ground.sandbox);
    world->ground.sandbox = common;
}

/* So many on a session that their watches would not fit one packet: more sessions are taken. */
TEST(watches_fit_a_packet)
{
    struct run_options options = {.candidates = 50000, .per_session = 25000};
    struct candidate_options candidate = {.election = "/election", .name = "n_"};
    size_t most = 700000 / strlen("/election/n_-0000000000____");
    assert_int_equal(crowd_sessions(&options, &candidate), 2);
    options.per_session = 50000;
    assert_true(crowd_sessions(&options, &candidate) >= 50000 / most);
    candidate.name = "_c_{uuid}-latch-";
    assert_true(crowd_sessions(&options, &candidate) >= 5);
    options.per_session = 1;
    assert_int_equal(crowd_sessions(&options, &candidate), 50000);
}

/* A few fit; a hundred million do not, and the text says what to do. */
TEST(descriptors_are_counted)
{
    char *error = NULL;
    assert_true(descriptors_make_room(100, &error));
    assert_null(error);
    assert_false(descriptors_make_room((size_t)1 << 40, &error));
    assert_non_null(strstr(error, "ulimit -n"));
    free(error);
}

ALL_BETWEEN(world_begin, world_end)

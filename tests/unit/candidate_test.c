/*
 * candidate: the recipe against a real server: the line, its ways to lose a leader, lost connections at the
 * worst moment, locks and acknowledgements. One server for all tests; each has an election of its own.
 */

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

#include "probe/candidate/naming.h"
#include "probe/candidate/test_candidate.h"
#include "probe/demo/demo_elections.h"
#include "probe/election/recipe.h"
#include "tests/support/playground.h"
#include "tests/support/test.h"

#define TIMEOUT_MS 1500
#define CALM_MS PLAYGROUND_TIMEOUT_MOST_MS
#define LINE 5
#define DESCRIPTORS_MOST 1024

static int world_begin(void **state)
{
    struct playground *world = calloc(1, sizeof *world);
    *state = world;
    playground_begin(world);
    return 0;
}

static int world_end(void **state)
{
    struct playground *world = *state;
    bool clean = playground_end(world);
    free(world);
    return clean ? 0 : -1;
}

/* With the world's servers and guard. */
static struct test_candidate *stand_for(struct playground *world, int timeout_ms,
                                        const struct candidate_options *given)
{
    struct candidate_options options = *given;
    const struct session_options session = {.hosts = private_ensemble_hosts(world->sandbox),
                                            .timeout_ms = timeout_ms};
    options.guard = world->guard;
    if (!options.data)
        options.data = "someone";
    struct test_candidate *candidate = test_candidate_new(&world->loop, &session, &options);
    assert_non_null(candidate);
    return candidate;
}

static struct test_candidate *stand(struct playground *world, const struct candidate_options *given)
{
    return stand_for(world, TIMEOUT_MS, given);
}

static uint64_t session_of(const struct test_candidate *candidate)
{
    const struct session *session = candidate_session_session(candidate_session_of(candidate));
    return session ? session_id(session) : 0;
}

static bool is(const struct test_candidate *candidate, enum candidate_state state)
{
    return test_candidate_candidacy(candidate)->state == state;
}

static int64_t number_of(const struct test_candidate *candidate)
{
    const char *name = test_candidate_name(candidate);
    return name ? recipe_sequence_of(name) : INT64_MAX;
}

static int by_number(const void *a, const void *b)
{
    int64_t one = number_of(*(struct test_candidate *const *)a),
            other = number_of(*(struct test_candidate *const *)b);
    return one < other ? -1 : one > other;
}

/* Five of them, once all know where they stand; in the order of their numbers. */
static void line_up(struct playground *world, const char *election, const char *name, int timeout_ms,
                    struct test_candidate *line[LINE])
{
    for (int i = 0; i < LINE; i++)
        line[i] =
            stand_for(world, timeout_ms, &(struct candidate_options){.election = election, .name = name});
    for (int i = 0; i < LINE; i++)
        playground_run_until(world, is(line[i], CANDIDATE_WAITING) || is(line[i], CANDIDATE_LEADING));
    qsort(line, LINE, sizeof *line, by_number);
}

static void line_end(struct test_candidate *line[], int count)
{
    for (int i = 0; i < count; i++) {
        test_candidate_kill(line[i], KILL_CLOSE);
        test_candidate_free(line[i]);
    }
}

/* What a session of the test's own reads. */
struct reader {
    struct session *session;
    bool done;
    size_t children;
    enum session_result result;
    char data[64];
};

static void on_children(void *context, const struct session_answer *answer)
{
    struct reader *reader = context;
    reader->result = answer->result;
    reader->children = answer->count;
    reader->done = true;
}

static void on_node(void *context, const struct session_answer *answer)
{
    struct reader *reader = context;
    reader->result = answer->result;
    snprintf(reader->data, sizeof reader->data, "%.*s", (int)answer->length,
             answer->data ? (const char *)answer->data : "");
    reader->done = true;
}

static void reader_begin(struct playground *world, struct reader *reader)
{
    *reader = (struct reader){0};
    const struct session_options options = {.hosts = private_ensemble_hosts(world->sandbox),
                                            .timeout_ms = 10000};
    reader->session = session_open(&world->loop, &options, &(struct session_listener){0}, NULL);
    assert_non_null(reader->session);
    playground_run_until(world, session_state(reader->session) == CONNECTION_CONNECTED);
}

static size_t count_children(struct playground *world, const char *path)
{
    struct reader reader;
    reader_begin(world, &reader);
    assert_true(session_children(reader.session, path, false, on_children, &reader));
    playground_run_until(world, reader.done);
    session_close(reader.session);
    return reader.children;
}

static bool ack_says(struct playground *world, const char *path, const char *data)
{
    struct reader reader;
    reader_begin(world, &reader);
    assert_true(session_get(reader.session, path, false, on_node, &reader));
    playground_run_until(world, reader.done);
    session_close(reader.session);
    return data ? reader.result == SESSION_OK && strcmp(reader.data, data) == 0
                : reader.result == SESSION_NO_NODE;
}

/*
 * Five stand in the order of their numbers, although GUIDs make the order of their names random: only the
 * first leads, and each takes over when the one before it goes; one that goes in the middle wakes nobody
 * to lead, and the line closes behind it.
 */
TEST(five_stand_in_order)
{
    struct playground *world = *state;
    struct test_candidate *line[LINE];
    line_up(world, "/order/a/b", "_c_{uuid}-latch-", CALM_MS, line);
    assert_true(is(line[0], CANDIDATE_LEADING));
    for (int i = 1; i < LINE; i++) {
        assert_true(is(line[i], CANDIDATE_WAITING));
        assert_int_equal(number_of(line[i]), number_of(line[i - 1]) + 1);
    }
    test_candidate_kill(line[2], KILL_CLOSE);
    assert_true(is(line[2], CANDIDATE_GONE));
    playground_run_for(world, 200);
    assert_true(is(line[3], CANDIDATE_WAITING));
    test_candidate_kill(line[0], KILL_CLOSE);
    playground_run_until(world, is(line[1], CANDIDATE_LEADING));
    assert_true(is(line[3], CANDIDATE_WAITING) && is(line[4], CANDIDATE_WAITING));
    test_candidate_kill(line[1], KILL_CLOSE);
    playground_run_until(
        world, is(line[3], CANDIDATE_LEADING)); /* woken by the one before the one that left the middle */
    assert_true(is(line[4], CANDIDATE_WAITING));
    line_end(line, LINE);
}

/* A leader that resigns keeps its session and wakes the next; when it volunteers again it stands last. */
TEST(a_leader_resigns_and_returns)
{
    struct playground *world = *state;
    struct test_candidate *line[LINE];
    line_up(world, "/resign", "n_", CALM_MS, line);
    uint64_t session = session_of(line[0]);
    int64_t last = number_of(line[LINE - 1]);
    test_candidate_kill(line[0], KILL_RESIGN);
    playground_run_until(world, is(line[0], CANDIDATE_RESIGNED) && is(line[1], CANDIDATE_LEADING));
    assert_null(test_candidate_name(line[0]));
    test_candidate_volunteer(line[0]);
    playground_run_until(world, is(line[0], CANDIDATE_WAITING));
    assert_true(number_of(line[0]) > last);
    assert_true(session != 0 && session_of(line[0]) == session);
    /* Having changed its mind twice before the first answer, it stands exactly once. */
    test_candidate_kill(line[0], KILL_RESIGN);
    test_candidate_volunteer(line[0]);
    playground_run_until(world, is(line[0], CANDIDATE_WAITING) && number_of(line[0]) > last + 1);
    playground_run_for(world, 100);
    assert_int_equal(count_children(world, "/resign"), LINE);
    line_end(line, LINE);
}

/* A leader that vanishes without a word is replaced when its session expires, not before; then it may come
 * back. */
TEST(a_dropped_leader_expires)
{
    struct playground *world = *state;
    struct test_candidate *line[LINE];
    line_up(world, "/drop", "{hex}__lock__", TIMEOUT_MS, line);
    playground_run_for(world, 300); /* so that no ping is so recent that the limit below would not hold */
    uint64_t from = uv_hrtime();
    test_candidate_kill(line[0], KILL_DROP);
    assert_true(is(line[0], CANDIDATE_GONE));
    playground_run_until(world, is(line[1], CANDIDATE_LEADING));
    int64_t took_ms = (int64_t)((uv_hrtime() - from) / 1000000);
    assert_true(took_ms >= TIMEOUT_MS / 2); /* how much later a busy machine notices is its own affair */
    test_candidate_volunteer(line[0]);
    playground_run_until(world, is(line[0], CANDIDATE_WAITING));
    assert_int_equal(count_children(world, "/drop"), LINE);
    line_end(line, LINE);
}

/* Every connection to the server breaks, and what was on its way to us is lost with it. */
static void connections_break(const struct playground *world)
{
    int port = atoi(strrchr(private_ensemble_hosts(world->sandbox), ':') + 1);
    for (int fd = 0; fd < DESCRIPTORS_MOST; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t size = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0 || ntohs(peer.sin_port) != port)
            continue;
        char waste[4096];
        while (recv(fd, waste, sizeof waste, MSG_DONTWAIT) > 0)
            continue;
        assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
    }
}

/*
 * The server hangs while it is asked for the znode, the connection breaks, and the create is carried out
 * all the same: the candidate finds itself by its GUID, on the same session, and does not stand twice. A
 * bare name cannot be found: there the session ends, and with it the orphan.
 *
 * They stand still until the create has been carried out, so that none of this depends on who is faster.
 */
TEST(a_lost_create_is_found_again)
{
    struct playground *world = *state;
    static const char *const names[] = {"{hex}-n_", "n_"};
    static const char *const elections[] = {"/lost", "/bare"};
    struct test_candidate *lost[2];
    uint64_t sessions[2];
    for (int i = 0; i < 2; i++) {
        lost[i] = stand_for(world, 20 * PLAYGROUND_TICK_MS,
                            &(struct candidate_options){.election = elections[i], .name = names[i]});
        playground_run_until(world, is(lost[i], CANDIDATE_LEADING));
        assert_int_equal(number_of(lost[i]), 0);
        test_candidate_kill(lost[i], KILL_RESIGN);
        playground_run_until(world, is(lost[i], CANDIDATE_RESIGNED));
        sessions[i] = session_of(lost[i]);
    }
    assert_true(private_ensemble_server_stop(world->sandbox, 0));
    for (int i = 0; i < 2; i++) {
        test_candidate_volunteer(lost[i]);
        test_candidate_kill(lost[i], KILL_PAUSE);
    }
    connections_break(world);
    assert_true(private_ensemble_server_cont(world->sandbox, 0));
    for (int i = 0; i < 2; i++)
        playground_run_until(world, count_children(world, elections[i]) == 1);
    for (int i = 0; i < 2; i++)
        candidate_session_resume(candidate_session_of(lost[i]));
    for (int i = 0; i < 2; i++)
        playground_run_until(world, is(lost[i], CANDIDATE_LEADING));
    assert_int_equal(number_of(lost[0]), 1);
    assert_true(session_of(lost[0]) == sessions[0]);
    assert_int_equal(number_of(lost[1]), 2);
    assert_true(session_of(lost[1]) != sessions[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(count_children(world, elections[i]), 1);
    line_end(lost, 2);
}

static void on_failure(void *context, const char *problem)
{
    (void)problem;
    ++*(int *)context;
}

/*
 * Our own stall is not the server's silence: what it said meanwhile is read before anybody asks how long it
 * has been silent, and the connection holds. (Longer than two thirds of the timeout, and shorter than it.)
 */
TEST(a_stall_of_ours_loses_no_connection)
{
    struct playground *world = *state;
    struct reader reader = {0};
    int failures = 0;
    const struct session_options options = {.hosts = private_ensemble_hosts(world->sandbox),
                                            .timeout_ms = 6000};
    struct session *session =
        session_open(&world->loop, &options, &(struct session_listener){.failed = on_failure}, &failures);
    playground_run_until(world, session_state(session) == CONNECTION_CONNECTED);
    assert_true(session_exists(session, "/", false, on_node, &reader));
    uv_sleep(4200);
    playground_run_until(world, reader.done);
    assert_int_equal(reader.result, SESSION_OK);
    assert_int_equal(failures, 0);
    session_close(session);
}

static void on_restarted(void *context, const char *problem)
{
    assert_null(problem);
    *(bool *)context = true;
}

/* While the server is away nobody leads; it comes back, and the same one leads with the same znode. */
TEST(a_restart_changes_nothing)
{
    struct playground *world = *state;
    struct test_candidate *line[LINE];
    line_up(world, "/restart", "_c_{hex}-lock-", CALM_MS, line);
    char path[200];
    snprintf(path, sizeof path, "%s", test_candidate_name(line[0]));
    bool restarted = false;
    assert_true(private_ensemble_server_kill(world->sandbox, 0));
    playground_run_until(world, is(line[0], CANDIDATE_JOINING));
    assert_non_null(candidate_session_problem(candidate_session_of(line[0])));
    assert_true(private_ensemble_server_start(world->sandbox, 0, on_restarted, &restarted));
    playground_run_until(world, restarted && is(line[0], CANDIDATE_LEADING));
    assert_string_equal(test_candidate_name(line[0]), path);
    assert_null(candidate_session_problem(candidate_session_of(line[0])));
    for (int i = 1; i < LINE; i++)
        playground_run_until(world, is(line[i], CANDIDATE_WAITING));
    line_end(line, LINE);
}

/* Of so many, whoever leads; NULL: nobody. */
static struct test_candidate *leader_of(struct test_candidate *all[], int count)
{
    for (int i = 0; i < count; i++)
        if (is(all[i], CANDIDATE_LEADING))
            return all[i];
    return NULL;
}

/* Of three that want a lock one has it; it goes to another when the first resigns, and when one closes. */
TEST(a_lock_has_one_owner)
{
    struct playground *world = *state;
    struct test_candidate *three[3];
    for (int i = 0; i < 3; i++)
        three[i] = stand_for(world, CALM_MS,
                             &(struct candidate_options){.election = "/kafka/controller", .lock = true});
    struct test_candidate *first = NULL;
    for (int i = 0; i < 3; i++) {
        playground_run_until(world, is(three[i], CANDIDATE_WAITING) || is(three[i], CANDIDATE_LEADING));
        if (is(three[i], CANDIDATE_LEADING)) {
            assert_null(first);
            first = three[i];
        }
    }
    assert_non_null(first);
    test_candidate_kill(first, KILL_RESIGN);
    playground_run_until(world, is(first, CANDIDATE_RESIGNED) && leader_of(three, 3));
    struct test_candidate *second = leader_of(three, 3);
    assert_ptr_not_equal(second, first);
    test_candidate_volunteer(first);
    playground_run_until(world, is(first, CANDIDATE_WAITING));
    test_candidate_kill(second, KILL_CLOSE);
    playground_run_until(world, leader_of(three, 3));
    playground_run_for(world, 300);
    int leaders = 0;
    for (int i = 0; i < 3; i++)
        leaders += is(three[i], CANDIDATE_LEADING);
    assert_int_equal(leaders, 1);
    line_end(three, 3);
}

/* A leader writes its acknowledgement once it leads; it takes it away when it resigns,
   and the next one writes its own. */
TEST(a_leader_acknowledges)
{
    struct playground *world = *state;
    struct test_candidate *two[2];
    static const char *const acks[] = {"one", "two"};
    for (int i = 0; i < 2; i++) {
        two[i] = stand(world, &(struct candidate_options){.election = "/solr/election",
                                                          .name = "{session}-node-n_",
                                                          .ack = "/solr/state/leader",
                                                          .ack_data = acks[i]});
        playground_run_until(world, is(two[i], i == 0 ? CANDIDATE_LEADING : CANDIDATE_WAITING));
    }
    playground_run_until(world, test_candidate_candidacy(two[0])->acknowledged);
    assert_true(ack_says(world, "/solr/state/leader", "one"));
    assert_false(test_candidate_candidacy(two[1])->acknowledged);
    char expected[64];
    snprintf(expected, sizeof expected, "%lld-node-n_", (long long)session_of(two[0]));
    assert_memory_equal(test_candidate_name(two[0]), expected, strlen(expected));

    test_candidate_kill(two[0], KILL_RESIGN);
    playground_run_until(world, test_candidate_candidacy(two[1])->acknowledged);
    assert_true(ack_says(world, "/solr/state/leader", "two"));
    test_candidate_kill(two[1], KILL_RESIGN);
    playground_run_until(world, is(two[1], CANDIDATE_RESIGNED));
    assert_true(ack_says(world, "/solr/state/leader", NULL));
    line_end(two, 2);
}

/* One that is slow hangs before it has acknowledged, and longer than it is slow; then it does. */
TEST(a_slow_one_hangs_and_goes_on)
{
    struct playground *world = *state;
    struct test_candidate *slow = stand_for(world, CALM_MS,
                                            &(struct candidate_options){.election = "/slow",
                                                                        .name = "n_",
                                                                        .ack = "/slow-mark",
                                                                        .behaviour = BEHAVIOUR_SLOW,
                                                                        .slow_ms = 200});
    playground_run_until(world, is(slow, CANDIDATE_LEADING));
    uint64_t session = session_of(slow);
    test_candidate_kill(slow, KILL_PAUSE);
    playground_run_for(world, 400);
    assert_true(is(slow, CANDIDATE_LEADING) && !test_candidate_candidacy(slow)->acknowledged);
    candidate_session_resume(candidate_session_of(slow));
    playground_run_until(world, test_candidate_candidacy(slow)->acknowledged);
    assert_true(session_of(slow) == session);
    line_end(&slow, 1);
}

/* Two stand: one that behaves as told, and then one by the recipe. */
static void stand_ill(struct playground *world, const struct candidate_options *given,
                      enum behaviour behaviour, struct test_candidate *two[2])
{
    struct candidate_options options = *given;
    options.behaviour = behaviour;
    two[0] = stand(world, &options);
    playground_run_until(world, !is(two[0], CANDIDATE_JOINING));
    options.behaviour = BEHAVIOUR_RECIPE;
    two[1] = stand(world, &options);
    playground_run_until(world, !is(two[1], CANDIDATE_JOINING));
}

/* One that never watches, and one that watches itself, wait on when the leader has gone. */
TEST(who_is_not_reported_waits_for_ever)
{
    struct playground *world = *state;
    static const enum behaviour behaviours[] = {BEHAVIOUR_DEAF, BEHAVIOUR_SELF};
    for (int i = 0; i < 2; i++) {
        const struct candidate_options options = {.election = i ? "/ill/self" : "/ill/deaf", .name = "n_"};
        struct test_candidate *leader = stand(world, &options), *two[2];
        playground_run_until(world, is(leader, CANDIDATE_LEADING));
        stand_ill(world, &options, behaviours[i], two);
        test_candidate_kill(leader, KILL_CLOSE);
        playground_run_for(world, 300);
        assert_true(is(two[0], CANDIDATE_WAITING) && is(two[1], CANDIDATE_WAITING));
        test_candidate_kill(two[0], KILL_CLOSE);
        playground_run_until(world, is(two[1], CANDIDATE_LEADING));
        line_end(two, 2);
        test_candidate_free(leader);
    }
}

/* Two znodes of one session; and one that outlives its session: nobody leads behind either. */
TEST(an_orphan_blocks_the_line)
{
    struct playground *world = *state;
    struct test_candidate *two[2];
    stand_ill(world, &(struct candidate_options){.election = "/ill/twice", .name = "_c_{uuid}-latch-"},
              BEHAVIOUR_TWICE, two);
    assert_int_equal(count_children(world, "/ill/twice"), 3);
    assert_int_equal(number_of(two[0]), 1);
    assert_true(is(two[0], CANDIDATE_WAITING) && is(two[1], CANDIDATE_WAITING));
    test_candidate_kill(two[0], KILL_CLOSE);
    playground_run_until(world, is(two[1], CANDIDATE_LEADING));
    line_end(two, 2);

    stand_ill(world, &(struct candidate_options){.election = "/ill/persistent", .name = "n_"},
              BEHAVIOUR_PERSISTENT, two);
    assert_true(is(two[0], CANDIDATE_GONE) && is(two[1], CANDIDATE_WAITING));
    assert_int_equal(count_children(world, "/ill/persistent"), 2);
    line_end(two, 2);
    assert_int_equal(count_children(world, "/ill/persistent"), 1);
}

/* One that leads and never says so; one that has gone and whose acknowledgement still says that it leads. */
TEST(acks_that_are_wrong)
{
    struct playground *world = *state;
    struct test_candidate *two[2];
    stand_ill(world,
              &(struct candidate_options){
                  .election = "/ill/mute", .name = "n_", .ack = "/ill/mute-mark", .ack_data = "x"},
              BEHAVIOUR_MUTE, two);
    playground_run_for(world, 100);
    assert_true(is(two[0], CANDIDATE_LEADING) && !test_candidate_candidacy(two[0])->acknowledged);
    assert_true(ack_says(world, "/ill/mute-mark", NULL));
    test_candidate_kill(two[0], KILL_CLOSE);
    playground_run_until(world, test_candidate_candidacy(two[1])->acknowledged);
    line_end(two, 2);

    stand_ill(world,
              &(struct candidate_options){
                  .election = "/ill/stale", .name = "n_", .ack = "/ill/stale-mark", .ack_data = "x"},
              BEHAVIOUR_FORGETFUL, two);
    playground_run_until(world, is(two[0], CANDIDATE_RESIGNED) && is(two[1], CANDIDATE_LEADING));
    assert_int_equal(count_children(world, "/ill/stale"), 1);
    assert_true(ack_says(world, "/ill/stale-mark", "x"));
    assert_false(test_candidate_candidacy(two[1])->acknowledged);
    test_candidate_kill(
        two[0],
        KILL_CLOSE); /* the acknowledgement goes with its session, and the real leader writes its own */
    playground_run_until(world, test_candidate_candidacy(two[1])->acknowledged);
    line_end(two, 2);
}

/* The demo's cast comes on, and leaders come and go within seconds. */
TEST(the_cast_plays)
{
    struct playground *world = *state;
    static const struct play plays[] = {
        {.election = "/cast/line",
         .name = "n_",
         .data = "member-%d",
         .members = 4,
         .first_ms = 500,
         .every_ms = 600,
         .away_ms = 300},
        {.election = "/cast/lock", .data = "%c", .members = 2},
    };
    struct demo_elections *cast =
        demo_elections_new(&world->loop, private_ensemble_hosts(world->sandbox), NULL, TIMEOUT_MS, plays, 2);
    assert_non_null(cast);
    playground_run_until(world, demo_elections_complete(cast) && demo_elections_leader(cast, 0) &&
                                    demo_elections_leader(cast, 1));
    struct test_candidate *calm = demo_elections_leader(cast, 1), *seen[3] = {demo_elections_leader(cast, 0)};
    for (int i = 1; i < 3; i++) {
        playground_run_until(world,
                             demo_elections_leader(cast, 0) && demo_elections_leader(cast, 0) != seen[i - 1]);
        seen[i] = demo_elections_leader(cast, 0);
    }
    assert_ptr_equal(demo_elections_leader(cast, 1), calm);
    demo_elections_free(cast);
    size_t count;
    const struct play *demo = demo_elections_demo(&count);
    for (size_t i = 0; i < count; i++)
        assert_true(demo[i].election[0] == '/' && demo[i].data && demo[i].members > 0);
}

/* Two GUIDs differ, and look as Curator and Python write a random UUID. */
TEST(guids_look_right)
{
    char uuid[GUID_UUID_SIZE], other[GUID_UUID_SIZE], hex[GUID_HEX_SIZE];
    assert_true(guid_uuid36(uuid) && guid_uuid36(other) && guid_hex32(hex));
    assert_string_not_equal(uuid, other);
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(strlen(hex), 32);
    assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
    assert_true(uuid[8] == '-' && uuid[13] == '-' && uuid[18] == '-' && uuid[23] == '-');
    assert_int_equal(uuid[14], '4');
    assert_non_null(strchr("89ab", uuid[19]));
    assert_int_equal(hex[12], '4');
}

ALL_BETWEEN(world_begin, world_end)

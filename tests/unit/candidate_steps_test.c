/*
 * candidate: single steps that the model (candidate_model_test.c) does not play: a lock, an acknowledgement,
 * and what the servers refuse.
 */

#include "probe/election/recipe.h"
#include "probe/candidate/candidate.h"
#include "tests/support/test.h"

static void asks(struct candidate_asks all, unsigned count, enum candidate_ask first)
{
    assert_int_equal(all.count, count);
    if (count > 0)
        assert_int_equal(all.list[0].what, first);
}

/* An overloaded server did not delete a lock: it may be another's by the time that it is tried again. */
TEST(a_lock_is_looked_at_before_it_is_deleted_again)
{
    const struct candidate_options lock = {.lock = true};
    for (int still_mine = 0; still_mine < 2; still_mine++) {
        struct candidacy c;
        candidate_init(&c);
        asks(candidate_connected(&c, &lock, true), 1, ASK_CONTEND);
        asks(candidate_contended(&c, &lock, SESSION_OK), 1, ASK_LOCK);
        asks(candidate_lock_seen(&c, &lock, SESSION_OK, true), 0, ASK_LEAVE);
        assert_int_equal(c.state, CANDIDATE_LEADING);
        asks(candidate_resign(&c, &lock), 1, ASK_DELETE);
        asks(candidate_deleted(&c, &lock, SESSION_BUSY), 1, ASK_LOCK);
        asks(candidate_lock_seen(&c, &lock, SESSION_OK, still_mine), (unsigned)still_mine, ASK_DELETE);
        if (still_mine)
            asks(candidate_deleted(&c, &lock, SESSION_OK), 0, ASK_LEAVE);
        assert_int_equal(c.state, CANDIDATE_RESIGNED);
    }
}

/* ... or an acknowledgement, which would tell of a leader that there is none any more. */
TEST(a_ack_is_not_left_behind)
{
    const struct candidate_options options = {.ack = "/leader", .findable = true};
    const struct line_position first = {.in_line = true};
    struct candidacy c;
    candidate_init(&c);
    asks(candidate_connected(&c, &options, true), 1, ASK_CREATE);
    asks(candidate_created(&c, &options, SESSION_OK, 7), 1, ASK_LOOK);
    asks(candidate_looked(&c, &options, SESSION_OK, &first), 1, ASK_ACK);
    asks(candidate_ack_written(&c, &options, SESSION_BUSY), 1, ASK_REST); /* nor is it forgotten */
    asks(candidate_rested(&c, &options), 1, ASK_LOOK);
    asks(candidate_looked(&c, &options, SESSION_OK, &first), 1, ASK_ACK);
    asks(candidate_ack_written(&c, &options, SESSION_OK), 1, ASK_ACK_SEEN);
    asks(candidate_ack_seen(&c, &options, SESSION_OK, true), 0, ASK_LEAVE);
    assert_true(c.acknowledged);
    asks(candidate_resign(&c, &options), 2, ASK_ACK_GONE);
    asks(candidate_ack_gone(&c, &options, SESSION_BUSY), 1, ASK_ACK_SEEN);
    asks(candidate_deleted(&c, &options, SESSION_OK), 0, ASK_LEAVE);
    asks(candidate_ack_seen(&c, &options, SESSION_OK, true), 1, ASK_ACK_GONE);
    asks(candidate_ack_gone(&c, &options, SESSION_OK), 0, ASK_LEAVE);
    assert_int_equal(c.state, CANDIDATE_RESIGNED);
}

/* What no second try would change: it leaves, and says what it could not do and how that was answered. */
TEST(a_refusal_is_for_good)
{
    const struct candidate_options options = {.behaviour = BEHAVIOUR_RECIPE, .findable = true};
    static const enum session_result why[] = {SESSION_DENIED, SESSION_FAILED};
    for (int i = 0; i < 2; i++) {
        struct candidacy c;
        candidate_init(&c);
        asks(candidate_connected(&c, &options, true), 1, ASK_CREATE);
        struct candidate_asks all = candidate_created(&c, &options, why[i], SEQUENCE_NONE);
        asks(all, 1, ASK_LEAVE);
        assert_int_equal(all.why, why[i]);
        assert_string_equal(all.problem, "create a znode in");
        assert_int_equal(c.state, CANDIDATE_GONE);
    }
}

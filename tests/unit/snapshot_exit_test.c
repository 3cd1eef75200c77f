/* The exit status of a look, for everything a look may have found. */

#include <stdlib.h>

#include "probe/election/summary.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/commands/snapshot_exit.h"

/* What each of the clusters shows; SHOWN_NOTHING: not connected. */
enum shown {
    SHOWN_NOTHING,
    SHOWN_UNREAD,
    SHOWN_LED,
    SHOWN_VACANT,
    SHOWN_FREE,
    SHOWN_ABSENT,
    SHOWN_DENIED,
    SHOWN_NONE
};

static void show(struct model *model, unsigned cluster, enum shown shown)
{
    static const struct scripted_node leader = {"n_0000000001", 0x100002a4d0a0001, -60, "host:1"};
    const char *path = shown == SHOWN_FREE ? "/free/lock" : cluster ? "/unread" : "/election";
    if (shown == SHOWN_NOTHING)
        scripted_connect(model, cluster, -5, CONNECTION_CONNECTING, "connection refused");
    else
        scripted_connect(model, cluster, -5, CONNECTION_CONNECTED, NULL);
    if (shown == SHOWN_NONE)
        return;
    scripted_watch(model, cluster, path, -5);
    if (shown == SHOWN_LED)
        scripted_list(model, cluster, path, -4, 1, &leader, 1);
    else if (shown == SHOWN_VACANT || shown == SHOWN_FREE)
        scripted_list(model, cluster, path, -4, 2, NULL, 0);
    else if (shown == SHOWN_ABSENT)
        scripted_absent(model, cluster, path, path, -4);
    else if (shown == SHOWN_DENIED)
        scripted_denied(model, cluster, path, -4);
}

/* 3 where nothing answered or all is closed; with --strict 1 where anything is wrong; else 0. */
TEST(follows_the_contract)
{
    static const struct {
        enum shown first, second;
        int status, strict;
    } table[] = {
        {SHOWN_NOTHING, SHOWN_NOTHING, 3, 3}, {SHOWN_UNREAD, SHOWN_UNREAD, 3, 3},
        {SHOWN_DENIED, SHOWN_DENIED, 3, 3},   {SHOWN_DENIED, SHOWN_NOTHING, 3, 3},
        {SHOWN_LED, SHOWN_LED, 0, 0},         {SHOWN_LED, SHOWN_NOTHING, 0, 1},
        {SHOWN_LED, SHOWN_UNREAD, 0, 1},      {SHOWN_LED, SHOWN_DENIED, 0, 1},
        {SHOWN_LED, SHOWN_VACANT, 0, 1},      {SHOWN_LED, SHOWN_ABSENT, 0, 1},
        {SHOWN_FREE, SHOWN_LED, 0, 0},        {SHOWN_VACANT, SHOWN_LED, 0, 1},
        {SHOWN_ABSENT, SHOWN_NOTHING, 0, 1},  {SHOWN_NONE, SHOWN_NONE, 0, 0},
        {SHOWN_NONE, SHOWN_NOTHING, 0, 1},    {SHOWN_NONE, SHOWN_LED, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *error = NULL;
        struct model *model = model_new(scripted_settings(), &error);
        assert_non_null(model);
        show(model, 0, table[i].first);
        show(model, 1, table[i].second);
        int status = snapshot_exit_status(model, false), strict = snapshot_exit_status(model, true);
        if (status != table[i].status || strict != table[i].strict)
            fail_msg("row %zu: %d and %d", i, status, strict);
        model_free(model);
    }
}

/* Of one that was lost before anything was read it is not said that it is connected. */
TEST(a_connection_that_went_is_none)
{
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    assert_non_null(model);
    show(model, 0, SHOWN_UNREAD);
    show(model, 1, SHOWN_NOTHING);
    assert_int_equal(summary_result(model), SUMMARY_UNFINISHED);
    scripted_connect(model, 0, -1, CONNECTION_CONNECTING, "connection lost");
    assert_int_equal(summary_result(model), SUMMARY_UNREACHED);
    model_free(model);
}

/* What was seen before the connection went is a look; it does not satisfy --strict. */
TEST(a_lost_connection_was_a_look)
{
    char *error = NULL;
    struct model *model = model_new(scripted_settings(), &error);
    assert_non_null(model);
    show(model, 0, SHOWN_LED);
    show(model, 1, SHOWN_LED);
    scripted_connect(model, 1, -1, CONNECTION_CONNECTING, "connection lost");
    assert_int_equal(snapshot_exit_status(model, false), 0);
    assert_int_equal(snapshot_exit_status(model, true), 1);
    model_free(model);
}

/*
 * By what a znode in the sandbox is taken for this program's own, and by what it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/candidate/guard.h"
#include "tests/support/test.h"

static bool is_marker(const char *data, int32_t version, uint64_t owner)
{
    const struct znode_stat stat = {.version = version, .owner = owner};
    return run_marker_is(&(struct session_answer){.stat = &stat, .data = data, .length = strlen(data)});
}

/* The whole word, in a znode that lasts and that nobody has written to: what begins alike is somebody's. */
TEST(only_what_is_as_it_was_made_is_ours)
{
    char *with = run_marker_make("{hex}-n_"), *without = run_marker_make(NULL);
    assert_true(is_marker(with, 0, 0) && is_marker(without, 0, 0));
    assert_false(is_marker(with, 1, 0));
    assert_false(is_marker(with, 0, 0x1000));
    assert_false(is_marker("electop runbook", 0, 0) || is_marker("electop ru", 0, 0) || is_marker("", 0, 0));
    assert_false(run_marker_is(&(struct session_answer){.stat = &(struct znode_stat){0}}));
    char *names = run_marker_names(with, strlen(with));
    assert_string_equal(names, "{hex}-n_");
    assert_null(run_marker_names(without, strlen(without)));
    assert_null(run_marker_names(NULL, 0));
    free(names);
    free(with);
    free(without);
}

/* A candidate by the run's pattern and a number, a lock by its one name. */
TEST(candidates_are_known_by_their_names)
{
    assert_true(run_marker_fits("n_", "n_0000000007"));
    assert_true(run_marker_fits("{hex}-n_", "0123456789abcdef0123456789abcdef-n_0000000007"));
    assert_false(run_marker_fits("{hex}-n_", "n_0000000007"));
    assert_false(run_marker_fits("n_", "m_0000000007") || run_marker_fits("n_", "n_") ||
                 run_marker_fits("n_", "n_7"));
    assert_false(run_marker_fits(NULL, "n_0000000007"));
    assert_true(run_marker_fits("=lock", "lock"));
    assert_false(run_marker_fits("=lock", "lock0000000007") || run_marker_fits("=lock", "other"));
}

/* What a run may ask of a cluster of others without leave: each limit is held to its very number. */
#include <string.h>

#include "probe/inject/run_options.h"
#include "tests/support/test.h"

static const struct inject_settings limits = {.sessions = 100, .creates_per_s = 10};

static void expect(struct run_options options, const char *word)
{
    char text[LIMITS_TEXT];
    const char *passed = limits_passed(&limits, &options, text);
    if (!word)
        assert_null(passed);
    else
        assert_non_null(strstr(passed, word));
}

/* At the limit it is within, one more passes it and is told with its setting; deaths count as creates. */
TEST(holds_every_limit)
{
    const enum kill_victim leader = VICTIM_LEADER;
    expect((struct run_options){.candidates = 100, .rate_per_s = 10, .victim = leader, .every_ms = 100},
           NULL);
    expect((struct run_options){.candidates = 101}, "101 sessions are more than the 100");
    expect((struct run_options){.candidates = 201, .per_session = 2}, "101 sessions are more than the 100");
    expect((struct run_options){.candidates = 200, .per_session = 2}, NULL);
    expect((struct run_options){.candidates = 1, .rate_per_s = 11}, "inject: {creates: ...}");
    expect((struct run_options){.candidates = 1, .victim = leader, .every_ms = 99}, "a death every 99 ms");
    expect((struct run_options){.candidates = 1, .every_ms = 99}, NULL);
    expect((struct run_options){.candidates = 1}, NULL);
}

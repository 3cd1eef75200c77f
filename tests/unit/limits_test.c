/* What a run may ask of a cluster of others without leave: each limit is held to its very number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/inject/run_options.h"

static const struct inject_settings limits = {.sessions = 100, .creates_per_s = 10};

static void expect(struct demand demand, const char *word)
{
    char text[LIMITS_TEXT];
    const char *passed = limits_passed(&limits, &demand, text);
    if (!word)
        assert_null(passed);
    else
        assert_non_null(strstr(passed, word));
}

/* At the limit it is within, one more passes it and is told with its setting; deaths count as creates. */
static void holds_every_limit(void **state)
{
    (void)state;
    expect((struct demand){100, 10, 100}, NULL);
    expect((struct demand){101, 0, 0}, "101 sessions are more than the 100");
    expect((struct demand){1, 11, 0}, "inject: {creates: ...}");
    expect((struct demand){1, 0, 99}, "a death every 99 ms");
    expect((struct demand){1, 0, 0}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_every_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

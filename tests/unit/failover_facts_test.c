/* Proves that the causes of changes of leader are named as people ask for them: the most frequent first. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/words/failover_facts.h"

static void the_most_frequent_cause_is_first(void **state)
{
    static const struct cells plain = {.ascii = true};
    struct leader_changes changes = {.count = 127, .more = true};
    char text[160];
    (void)state;
    changes.by_cause[CAUSE_RESIGNED] = 2;
    changes.by_cause[CAUSE_DELETED] = 62;
    changes.older = 63;
    assert_string_equal(failover_facts_split(&plain, &changes, text, sizeof text),
                        ">=127: 62 deleted, 2 resigned, 63 older");
    changes = (struct leader_changes){.count = 3, .by_cause = {[CAUSE_EXPIRED] = 3}};
    assert_string_equal(failover_facts_split(&plain, &changes, text, sizeof text), "3 expired");
    changes = (struct leader_changes){0};
    assert_string_equal(failover_facts_split(&plain, &changes, text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_most_frequent_cause_is_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

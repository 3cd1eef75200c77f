/* behaviour: where one stands, by number and not by name, and whom each behaviour watches from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/inject/behaviour.h"

#define MINE "_c_b-latch-0000000012"

#define LINE 6

static char names[LINE][32] = {"_c_z-latch-0000000011", "_c_y-latch-0000000002", MINE, "lost+found",
                               "_c_a-latch-0000000013", "_c_x-latch-0000000007"};
static char *const line[LINE] = {names[0], names[1], names[2], names[3], names[4], names[5]};

/* Behind two and more: the order is that of the numbers; who stands behind, and what is no candidate, is left
 * out. */
static void the_order_is_that_of_the_numbers(void **state)
{
    (void)state;
    struct place place = place_in_line(MINE, line, LINE);
    assert_true(place.stands);
    assert_string_equal(place.predecessor, line[0]);
    assert_string_equal(place.skipped, line[5]);
    assert_string_equal(place.leader, line[1]);
}

/* The first has nobody before it; one that is not in the list does not stand. */
static void the_ends_of_the_line(void **state)
{
    (void)state;
    struct place first = place_in_line(line[1], line, LINE),
                 gone = place_in_line("_c_c-latch-0000000009", line, LINE);
    assert_true(first.stands && !first.predecessor && !first.leader && !first.skipped);
    assert_false(gone.stands);
    struct place second = place_in_line(line[5], line, LINE);
    assert_string_equal(second.predecessor, line[1]);
    assert_null(second.skipped);
    assert_string_equal(place_watched(&second, WHOM_SKIPPED, line[5]), line[1]);
}

/* Every behaviour watches whom its name says. */
static void each_behaviour_watches_its_own(void **state)
{
    (void)state;
    struct place place = place_in_line(MINE, line, LINE);
    static const struct {
        enum behaviour behaviour;
        const char *watched;
    } all[] = {{BEHAVIOUR_RECIPE, "_c_z-latch-0000000011"},
               {BEHAVIOUR_HERD, "_c_y-latch-0000000002"},
               {BEHAVIOUR_SKIP, "_c_x-latch-0000000007"},
               {BEHAVIOUR_SELF, MINE},
               {BEHAVIOUR_DEAF, NULL},
               {BEHAVIOUR_MUTE, "_c_z-latch-0000000011"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *watched = place_watched(&place, behaviour_manner(all[i].behaviour)->watches, MINE);
        if (all[i].watched)
            assert_string_equal(watched, all[i].watched);
        else
            assert_null(watched);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_that_of_the_numbers),
        cmocka_unit_test(the_ends_of_the_line),
        cmocka_unit_test(each_behaviour_watches_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

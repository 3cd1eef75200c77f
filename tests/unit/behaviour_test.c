/* behaviour: where one stands, by number and not by name, and whom each behaviour watches from there. */

#include <stdio.h>
#include <stdlib.h>

#include "probe/election/recipe.h"
#include "probe/candidate/behaviour.h"
#include "tests/support/test.h"

#define LINE 6

static char names[LINE][32] = {"_c_z-latch-0000000011", "_c_y-latch-0000000002",
                               "_c_b-latch-0000000012", "lost+found",
                               "_c_a-latch-0000000013", "_c_x-latch-0000000007"};
static char *const line[LINE] = {names[0], names[1], names[2], names[3], names[4], names[5]};

/* Behind two and more: the order is that of the numbers; who stands behind, and what is no candidate, is left
 * out. */
TEST(the_order_is_that_of_the_numbers)
{
    struct line_position position = position_in_line(12, line, LINE);
    assert_true(position.in_line);
    assert_string_equal(position.predecessor.name, line[0]);
    assert_string_equal(position.skipped.name, line[5]);
    assert_string_equal(position.leader.name, line[1]);
}

/* The first has nobody before it; one that is not in the list does not stand. */
TEST(the_ends_of_the_line)
{
    struct line_position first = position_in_line(2, line, LINE), gone = position_in_line(9, line, LINE);
    assert_true(first.in_line && !first.predecessor.name && !first.leader.name && !first.skipped.name);
    assert_false(gone.in_line);
    struct line_position second = position_in_line(7, line, LINE);
    assert_string_equal(second.predecessor.name, line[1]);
    assert_null(second.skipped.name);
    assert_string_equal(position_watched(&second, WHOM_SKIPPED)->name, line[1]);
}

/* In lines of every order, also with numbers that have gone past the last and begun again below zero. */
TEST(every_order_is_put_right)
{
    enum { MOST = 40 };
    static char texts[MOST][24];
    char *all[MOST];
    srand(7);
    for (int round = 0; round < 20000; round++) {
        int count = 1 + rand() % MOST, kind = rand() % 3;
        for (int i = 0; i < count; i++) {
            int64_t number = rand() % (kind == 0 ? 60 : 2147483647);
            if (kind == 2 && rand() % 3 == 0)
                number = -1147483648 - rand() % 1000;
            snprintf(texts[i], sizeof texts[i], rand() % 9 ? "n_%010d" : "0x%09d", (int)number);
            all[i] = texts[i];
        }
        int64_t mine = recipe_sequence_of(all[0]);
        if (mine == SEQUENCE_NONE)
            continue;
        struct line_position position = position_in_line(mine, all, (size_t)count);
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (int i = 0; i < count; i++) {
            int64_t number = recipe_sequence_of(all[i]);
            if (number == SEQUENCE_NONE || number >= mine)
                continue;
            first = number < first ? number : first;
            last = number > last ? number : last;
        }
        assert_true(position.in_line);
        assert_int_equal(position.leader.name ? position.leader.number : INT64_MAX, first);
        assert_int_equal(position.predecessor.name ? position.predecessor.number : INT64_MIN, last);
    }
}

/* Every behaviour watches whom its name says, and has the word that the command line knows it by. */
TEST(each_behaviour_watches_its_own)
{
    struct line_position position = position_in_line(12, line, LINE);
    static const struct {
        enum behaviour behaviour;
        const char *watched, *word;
    } all[] = {{BEHAVIOUR_RECIPE, "_c_z-latch-0000000011", "predecessor"},
               {BEHAVIOUR_HERD, "_c_y-latch-0000000002", "herd"},
               {BEHAVIOUR_SKIP, "_c_x-latch-0000000007", NULL},
               {BEHAVIOUR_SELF, "_c_b-latch-0000000012", NULL},
               {BEHAVIOUR_DEAF, NULL, "deaf"},
               {BEHAVIOUR_CHILDREN, NULL, "children"},
               {BEHAVIOUR_ONCE, "_c_z-latch-0000000011", "once"},
               {BEHAVIOUR_MUTE, "_c_z-latch-0000000011", "hold"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct line_member *watched =
            position_watched(&position, behaviour_rules_of(all[i].behaviour)->watches);
        if (all[i].watched)
            assert_string_equal(watched->name, all[i].watched);
        else
            assert_null(watched);
        if (all[i].word)
            assert_int_equal(behaviour_find(all[i].word), all[i].behaviour);
    }
    assert_int_equal(behaviour_find("skip"), BEHAVIOUR_COUNT);
}

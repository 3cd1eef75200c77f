#include <string.h>

#include "tests/support/test.h"
#include "tui/views/gantt.h"

#define SECOND INT64_C(1000000)
#define BEGUN (INT64_C(1000) * SECOND)

/* One leader's lane over 20 s, a cell a second: # led, ? not known, blank: nothing to say. */
static void draw(char text[21], struct leadership_history_stretch *stretches, size_t count, int64_t fresh_us)
{
    char who[] = "a";
    struct leadership_history_leader leader = {.who = who};
    struct leadership_history leadership = {.leaders = &leader,
                                            .leader_count = 1,
                                            .stretches = stretches,
                                            .stretch_count = count,
                                            .from_us = BEGUN,
                                            .to_us = BEGUN + 20 * SECOND};
    struct gantt lanes = {
        .x = 4, .width = 20, .from_us = BEGUN, .to_us = BEGUN + 20 * SECOND, .fresh_us = fresh_us};
    struct cells *cells = cells_new(24, 1);
    cells->ascii = true;
    gantt_draw(cells, 0, 1, &lanes, &leadership);
    for (int i = 0; i < 20; i++) {
        const struct cell *cell = &cells->at[4 + i];
        text[i] = strcmp(cell->text, " ") == 0 ? ' ' : STYLE_ROLE(cell->style) == ROLE_BAR_GAP ? '?' : '#';
    }
    text[20] = '\0';
    cells_free(cells);
}

/* The last moments are not recorded yet: that is no gap. What is older and unknown is one. */
TEST(the_newest_is_no_gap)
{
    struct leadership_history_stretch stretches[] = {{0, BEGUN + 5 * SECOND, BEGUN + 17 * SECOND, false}};
    char text[21];
    draw(text, stretches, 1, 4 * SECOND);
    assert_string_equal(text, "?????############   ");
    draw(text, stretches, 1, 2 * SECOND);
    assert_string_equal(text, "?????############???");
    draw(text, stretches, 1, 0);
    assert_string_equal(text, "?????############???");
}

/* A stretch that nobody watched stays one, even where it ends a moment ago;
   nothing known is nothing drawn. */
TEST(what_was_not_watched_stays_dashed)
{
    struct leadership_history_stretch stretches[] = {
        {0, BEGUN, BEGUN + 10 * SECOND, false},
        {LANE_UNKNOWN, BEGUN + 10 * SECOND, BEGUN + 18 * SECOND, false},
        {0, BEGUN + 18 * SECOND, BEGUN + 19 * SECOND, true}};
    char text[21];
    draw(text, stretches, 3, 4 * SECOND);
    assert_string_equal(text, "##########????????# ");
    /* ... and from its beginning on, while it lasts. */
    stretches[0].to_us = stretches[1].from_us = BEGUN + 17 * SECOND;
    stretches[1].to_us = BEGUN + 19 * SECOND;
    draw(text, stretches, 2, 4 * SECOND);
    assert_string_equal(text, "#################?? ");
    draw(text, stretches, 0, 4 * SECOND);
    assert_string_equal(text, "????????????????????");
}

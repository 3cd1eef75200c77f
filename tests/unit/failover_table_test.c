/* The phases of a failover as a picture, and failovers by the hour of the day. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/election/election.h"
#include "tests/support/test.h"
#include "tui/views/failover_table.h"

#define SECOND INT64_C(1000000)
#define BEGUN (INT64_C(1763650800) * SECOND) /* 2025-11-20T15:00:00Z */

static void row_text(const struct cells *cells, int y, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int x = 0; x < cells->width; x++) {
        const char *cell = cells->at[(size_t)y * (size_t)cells->width + (size_t)x].text;
        assert_true(used + strlen(cell) < size);
        strcpy(text + used, cell);
        used += strlen(cell);
    }
}

static char first[] = "n_1", second[] = "n_2", third[] = "n_3";

static struct failover expired(void)
{
    return (struct failover){.from = first,
                             .to = second,
                             .lost_at = {100 * SECOND, BEGUN},
                             .elected_at = {102 * SECOND, BEGUN + 2 * SECOND},
                             .cause = CAUSE_EXPIRED,
                             .cause_certainty = CERTAINTY_CERTAIN,
                             .detection = {2 * SECOND, 4 * SECOND},
                             .vacancy = {2 * SECOND, 2 * SECOND},
                             .takeover = {4 * SECOND, 4 * SECOND},
                             .total = {8 * SECOND, 10 * SECOND}};
}

/* Ten seconds over fifty columns: four of detection, of which two are certain, two vacant, four of takeover.
 */
TEST(phases_follow_each_other)
{
    struct failover failover = expired();
    struct cells *cells = cells_new(2 + 12 + 50 + 2 + 18 + 1, 6);
    char text[512];
    cells->ascii = true;
    assert_int_equal(failover_picture_draw(cells, 0, 6, &failover, (struct moment){100 * SECOND, BEGUN}),
                     FAILOVER_PICTURE_ROWS);
    row_text(cells, 1, text, sizeof text);
    assert_memory_equal(text + 14,
                        "__________##########"
                        "                              ",
                        50);
    assert_non_null(strstr(text, "2.00-4.00s"));
    row_text(cells, 2, text, sizeof text);
    assert_memory_equal(text + 14,
                        "                    ##########"
                        "                    ",
                        50);
    row_text(cells, 3, text, sizeof text);
    assert_memory_equal(text + 14, "                              ####################", 50);
    row_text(cells, 4, text, sizeof text);
    assert_non_null(strstr(text, "8.00-10.0s"));
    cells_free(cells);
}

/* Nothing is drawn of a phase that nobody saw, and nothing of any in too few rows. */
TEST(unknown_phases_have_no_bar)
{
    struct failover failover = expired();
    struct cells *cells = cells_new(90, 6);
    char text[512];
    cells->ascii = true;
    failover.detection = failover.takeover = failover.total = SPAN_UNKNOWN;
    assert_int_equal(failover_picture_draw(cells, 0, 4, &failover, failover.lost_at), 0);
    failover_picture_draw(cells, 0, 6, &failover, failover.lost_at);
    row_text(cells, 1, text, sizeof text);
    assert_null(strchr(text, '#'));
    assert_non_null(strchr(text, '?'));
    row_text(cells, 3, text, sizeof text);
    assert_non_null(strstr(text, "no acknowledgement was seen"));
    cells_free(cells);
}

/* Long identities that differ in the middle only: another leader is not "again" the same. */
TEST(long_names_are_told_apart)
{
    static char identities[2][1001];
    struct failover failover = expired();
    struct leadership_history leadership = {.failovers = &failover, .failover_count = 1};

    for (int i = 0; i < 2; i++) {
        memset(identities[i], 'n', 1000);
        identities[i][480] = (char)('x' + i);
    }
    failover.from_identity = identities[0];
    failover.to_identity = identities[1];
    for (int width = 60; width <= 200; width += 20) {
        struct cells *cells = cells_new(width, 1);
        struct failover_table table = {.width = 0};
        char text[512];

        cells->ascii = true;
        failover_table_lay(&table, cells, 1, &leadership, 0, 1, false);
        failover_table_row(cells, &table, 0, &failover, false);
        row_text(cells, 0, text, sizeof text);
        assert_null(strstr(text, "again"));
        assert_non_null(strchr(text, 'x'));
        assert_non_null(strchr(text, 'y'));
        failover_table_free(&table);
        cells_free(cells);
    }
}

/* Two at three in the afternoon, one at four: the one column is half of the other. */
TEST(hours_of_the_day)
{
    struct failover failovers[] = {expired(), expired(), expired()};
    struct leadership_history leadership = {.failovers = failovers, .failover_count = 3};
    struct cells *cells = cells_new(60, 6);
    char text[512];
    cells->ascii = true;
    failovers[1].lost_at.wall_us += 86400 * SECOND;
    failovers[2].lost_at.wall_us += 90000 * SECOND;
    assert_int_equal(failover_hours_draw(cells, 0, 6, &leadership), 6);
    row_text(cells, 1, text, sizeof text); /* two columns an hour, from 8 on */
    assert_int_equal(text[8 + 15 * 2], '#');
    assert_int_equal(text[8 + 16 * 2], ' ');
    row_text(cells, 4, text, sizeof text);
    assert_int_equal(text[8 + 15 * 2], '#');
    assert_int_equal(text[8 + 16 * 2], '#');
    assert_int_equal(text[8 + 14 * 2], ' ');
    leadership.failover_count = 0;
    assert_int_equal(failover_hours_draw(cells, 0, 6, &leadership), 0);
    cells_free(cells);
}

/* Who usually takes longest comes first, and who is not known to be slow last; by packets if they show all. */
TEST(ranks_who_is_slow)
{
    struct failover failovers[] = {expired(), expired(), expired(), expired()};
    struct leadership_history leadership = {.failovers = failovers, .failover_count = 4};
    struct cells *cells = cells_new(110, 3);
    char text[512];
    cells->ascii = true;
    failovers[0].takeover = SPAN_UNKNOWN;
    failovers[1].to = first;
    failovers[1].takeover = (struct span){SECOND / 4, SECOND / 2};
    failovers[3].to = third;
    failovers[3].takeover = SPAN_UNKNOWN;
    leadership_history_prefer(&leadership, &(struct election){0});
    assert_int_equal(failover_stats_draw(cells, 0, 3, &leadership), 3);
    row_text(cells, 2, text, sizeof text);
    assert_non_null(strstr(text, "slowest takeover, p50  n_2 4.00s   n_1 250-500ms   n_3 ?"));
    assert_false(leadership.reacted);
    for (size_t i = 0; i < 4; i++)
        failovers[i].reacted_us = (i == 1 ? 3 : i == 3 ? 2 : 1) * SECOND;
    leadership_history_prefer(&leadership, &(struct election){0});
    cells_clear(cells);
    failover_stats_draw(cells, 0, 3, &leadership);
    row_text(cells, 2, text, sizeof text);
    assert_non_null(strstr(text, "slowest to react, p50  n_1 3.00s   n_3 2.00s   n_2 1.00s"));
    for (size_t i = 0; i < 4; i++) {
        failovers[i].reacted_us = 0;
        failovers[i].takeover = SPAN_UNKNOWN;
    }
    leadership_history_prefer(&leadership, &(struct election){0});
    assert_int_equal(failover_stats_draw(cells, 0, 3, &leadership), 2);
    free(leadership.successors);
    cells_free(cells);
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/views/strip.h"

#define MINUTE INT64_C(60000000)

/* The strip's signs as one text: # bar A, % bar B, | change, . vacant, ? not watched, - free. */
static void draw(char *text, int width, const struct stage *stage, const char *path, int64_t window_us,
                 const char *who)
{
    struct cells *cells = cells_new(width, 1);

    cells->ascii = true;
    strip_draw(cells, 0, 0, width, model_election(stage_model(stage), 0, path), stage_now(stage), window_us,
               who);
    for (int i = 0; i < width; i++)
        text[i] = STYLE_ROLE(cells->at[i].style) == ROLE_BAR_B ? '%' : cells->at[i].text[0];
    text[width] = '\0';
    cells_free(cells);
}

/* One who leads for ten minutes, then another for ten, each its share; before the first look,
   nobody knows. */
TEST(tenures_have_their_share)
{
    static const struct stand both[] = {{"n_0000000001", 1, "a", 60}, {"n_0000000002", 2, "b", 50}};
    struct stage *stage = stage_of("/election", KIND_LEADER);
    char text[64];

    stage_children(stage, 0, "/election", both, 2, 3, 0);
    stage_pass(stage, 10 * MINUTE);
    stage_absent(stage, 0, "/election", "/election/n_0000000001");
    stage_children(stage, 0, "/election", both + 1, 1, 0, 0);
    stage_pass(stage, 10 * MINUTE);
    draw(text, 30, stage, "/election", 30 * MINUTE, STRIP_ALL);
    assert_string_equal(text, "..........##########|%%%%%%%%%");
    draw(text, 30, stage, "/election", 30 * MINUTE, "a");
    assert_string_equal(text, "..........###########         ");
    draw(text, 30, stage, "/election", 30 * MINUTE, "b");
    assert_string_equal(text, "..........          %%%%%%%%%%");
    stage_free(stage);
}

/* Nobody watched for ten minutes, and the same one leads afterwards: the gap is drawn, and its shade stays.
 */
TEST(what_nobody_watched_is_a_gap)
{
    static const struct stand one = {"n_0000000001", 1, "a", 60};
    struct stage *stage = stage_of("/election", KIND_LEADER);
    char text[64];

    stage_children(stage, 0, "/election", &one, 1, 2, 0);
    stage_pass(stage, 10 * MINUTE);
    stage_disconnected(stage, 0, "the connection was lost");
    stage_pass(stage, 10 * MINUTE);
    stage_connected(stage, 0, "zk1:2181");
    stage_children(stage, 0, "/election", &one, 1, 2, 0);
    stage_pass(stage, 10 * MINUTE);
    draw(text, 30, stage, "/election", 30 * MINUTE, STRIP_ALL);
    assert_string_equal(text, "###########.........##########");
    draw(text, 30, stage, "/election", 30 * MINUTE, "a");
    assert_string_equal(text, "###########.........##########");
    stage_free(stage);
}

/* A program that led, went and came back has one line, whatever its znodes are called; one that nobody can
   name has its znode's. */
TEST(one_program_has_one_line)
{
    static const struct stand first = {"n_0000000001", 1, "a", 60}, second = {"n_0000000002", 2, "a", 10},
                              third = {"n_0000000003", 3, "", 5};
    struct stage *stage = stage_of("/election", KIND_LEADER);
    char text[64];

    stage_children(stage, 0, "/election", &first, 1, 2, 0);
    stage_pass(stage, 10 * MINUTE);
    stage_children(stage, 0, "/election", &second, 1, 3, 0);
    stage_pass(stage, 10 * MINUTE);
    stage_children(stage, 0, "/election", &third, 1, 4, 0);
    stage_pass(stage, 10 * MINUTE);
    draw(text, 30, stage, "/election", 30 * MINUTE, "a");
    assert_string_equal(text, "##########%%%%%%%%%%%         ");
    draw(text, 30, stage, "/election", 30 * MINUTE, "n_0000000003");
    assert_string_equal(text, "                    ##########");
    stage_free(stage);
}

/* Who holds a lock is told by who it is: the znode's name is the same for all, and claims nothing. */
TEST(holders_of_a_lock_are_reported_apart)
{
    static const struct stand one = {"controller", 1, "{\"version\":1,\"brokerid\":1}", 60},
                              two = {"controller", 2, "{\"version\":1,\"brokerid\":2}", 0};
    static const char path[] = "/kafka/controller";
    struct stage *stage = stage_of(path, KIND_LEADER);
    char text[64];

    stage_node(stage, 0, path, path, &one);
    stage_pass(stage, 10 * MINUTE);
    stage_absent(stage, 0, path, path);
    stage_node(stage, 0, path, path, &two);
    stage_pass(stage, 10 * MINUTE);
    draw(text, 20, stage, path, 20 * MINUTE, "broker 1");
    assert_string_equal(text, "###########         ");
    draw(text, 20, stage, path, 20 * MINUTE, "broker 2");
    assert_string_equal(text, "          %%%%%%%%%%");
    stage_free(stage);
}

/* A vacancy of a moment is still seen in an hour; a free lock is none. */
TEST(a_short_vacancy_is_seen)
{
    struct stage *stage = scene_usual();
    char text[64];

    draw(text, 20, stage, "/orders/election", 60 * MINUTE, STRIP_ALL);
    assert_string_equal(text, "###################_");
    draw(text, 20, stage, "/locks/nightly-job", 60 * MINUTE, STRIP_ALL);
    assert_string_equal(text, "--------------------");
    stage_free(stage);
}

/* A few seconds without a leader do not paint a whole minute; most of a minute does. */
TEST(a_cell_is_vacant_where_most_of_it_was)
{
    static const struct stand stands[] = {
        {"n_0000000001", 1, "a", 60}, {"n_0000000002", 2, "b", 0}, {"n_0000000003", 3, "c", 0}};
    struct stage *stage = stage_of("/election", KIND_LEADER);
    char text[64];

    stage_children(stage, 0, "/election", stands, 1, 2, 0);
    stage_pass(stage, 5 * MINUTE);
    for (int i = 0; i < 2; i++) {
        stage_children(stage, 0, "/election", NULL, 0, 3, 0);
        stage_pass(stage, i == 0 ? MINUTE / 10 : 9 * MINUTE / 10);
        stage_children(stage, 0, "/election", stands + 1 + i, 1, 4, 0);
        stage_pass(stage, i == 0 ? 49 * MINUTE / 10 : 41 * MINUTE / 10);
    }
    draw(text, 15, stage, "/election", 15 * MINUTE, STRIP_ALL);
    assert_string_equal(text, "#####|%%%%_####");
    draw(text, 15, stage, "/election", 15 * MINUTE, STRIP_NO_LEADER);
    assert_string_equal(text, "     |    _    ");
    stage_free(stage);
}

/* The shade of a tenure stays when the oldest fall out of the ring. */
TEST(shades_do_not_flip)
{
    struct stage *stage = stage_of("/election", KIND_LEADER);
    char names[300][24], before[64], after[64];
    struct stand stands[300];

    for (int i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "n_%010d", i);
        stands[i] = (struct stand){names[i], (uint64_t)i + 1, NULL, 0};
    }
    for (int i = 0; i < 200; i++) {
        stage_children(stage, 0, "/election", stands + i, 2, 2, 0);
        stage_pass(stage, MINUTE);
    }
    draw(before, 40, stage, "/election", 10 * MINUTE, STRIP_ALL);
    stage_children(stage, 0, "/election", stands + 200, 2, 2, 0);
    stage_pass(stage, MINUTE);
    draw(after, 40, stage, "/election", 10 * MINUTE, STRIP_ALL);
    /* A minute is four cells. */
    assert_memory_equal(before + 8, after + 4, 30);
    stage_free(stage);
}

/* Until somebody chooses, the window grows with what is known, to an hour; then it is theirs. */
TEST(the_window_grows_until_chosen)
{
    struct strip_zoom zoom = {0};

    strip_zoom_follow(&zoom, MINUTE / 2);
    assert_string_equal(strip_window_word(zoom.window), "minute");
    strip_zoom_follow(&zoom, 4 * MINUTE);
    assert_string_equal(strip_window_word(zoom.window), "5 min");
    strip_zoom_follow(&zoom, 100000 * MINUTE);
    assert_string_equal(strip_window_word(zoom.window), "hour");
    strip_zoom_turn(&zoom, true);
    strip_zoom_follow(&zoom, MINUTE);
    assert_string_equal(strip_window_word(zoom.window), "6 hours");
    for (int i = 0; i < 20; i++)
        strip_zoom_turn(&zoom, i < 10);
    assert_string_equal(strip_window_word(zoom.window), "minute");
}

#include "tests/support/framed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/drawn.h"

const struct stand framed_line[5] = {
    {"n_0000000001", 0x11, "host-a", 60}, {"n_0000000002", 0x12, "host-b", 50},
    {"n_0000000003", 0x13, "host-c", 40}, {"n_0000000004", 0x14, "host-d", 30},
    {"n_0000000005", 0x15, "host-e", 20},
};

struct scene framed_scene(const struct framed *show)
{
    return (struct scene){.model = stage_model(show->stage),
                          .events = stage_events(show->stage),
                          .settings = stage_settings(show->stage),
                          .now = stage_now(show->stage)};
}

const char *framed_draw(struct framed *show)
{
    struct scene scene = framed_scene(show);

    free(show->text);
    cells_clear(show->cells);
    show->view->ops->draw(show->view, &scene, show->cells);
    show->text = drawn_text(show->cells);
    return show->text;
}

struct framed framed_new(struct stage *stage, struct view *view)
{
    struct framed show = {.stage = stage, .view = view, .cells = cells_new(FRAMED_WIDTH, FRAMED_HEIGHT)};

    assert_non_null(view);
    assert_non_null(show.cells);
    show.cells->ascii = true;
    framed_draw(&show);
    return show;
}

void framed_end(struct framed *show)
{
    view_free(show->view);
    cells_free(show->cells);
    stage_free(show->stage);
    free(show->text);
}

enum view_result framed_press(struct framed *show, enum action action, struct view **next)
{
    struct scene scene = framed_scene(show);
    struct view *ignored = NULL;

    return show->view->ops->action(show->view, &scene, action, next != NULL ? next : &ignored);
}

/* The line of the snapshot that is selected. */
const char *framed_selected(struct framed *show)
{
    static char line[FRAMED_WIDTH * CELL_BYTES];
    const char *text = framed_draw(show), *end;

    for (; *text != '\0'; text = end + 1) {
        end = strchr(text, '\n');
        if (*text == '>') {
            snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
            return line;
        }
    }
    return "";
}

void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, text);
}

void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" in:\n%s", part, text);
}

struct stage *framed_two_elections(void)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});

    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, "/a/election", "alpha", KIND_LEADER, NULL);
    stage_watch(stage, 0, "/b/election", "beta", KIND_LEADER, NULL);
    stage_children(stage, 0, "/a/election", framed_line, 4, 5, 0);
    stage_children(stage, 0, "/b/election", framed_line, 4, 5, 0);
    stage_pass(stage, 5000000);
    return stage;
}

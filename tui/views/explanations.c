#include <stdio.h>

#include "tui/screen/columns.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/finding_lines.h"
#include "tui/words/labels.h"

#define LEFT 2
#define INDEX_WIDTH 30 /* of the list of codes */
#define TEXT_MOST 90   /* longer lines are hard to read */

/* The meaning of each finding's code: a list, and the page of the selected one. */
struct explanations_view {
    struct view view;
    struct list list;
    int first_y;
    bool indexed; /* the list is drawn: on a small screen it gives way to a long page */
    bool opened;  /* from a finding of this code, which may be worse or better than usual */
    enum finding_code code;
    enum severity severity;
};

static enum severity severity_here(const struct explanations_view *view, enum finding_code code)
{
    return view->opened && view->code == code ? view->severity : finding_kind(code)->severity;
}

static void draw_index(const struct explanations_view *view, struct cells *cells, int y)
{
    for (size_t i = 0; i < view->list.rows && view->list.top + i < view->list.count; i++) {
        const struct finding_kind *kind = finding_kind((enum finding_code)(view->list.top + i));
        int row = y + (int)i;

        enum severity severity = severity_here(view, (enum finding_code)(view->list.top + i));

        cells_put(cells, LEFT, row, 1, severity_look(severity), cells_sign(cells, severity_sign(severity)));
        cells_put(cells, LEFT + 2, row, INDEX_WIDTH - 3, ROLE_TEXT, kind->word);
        if (view->list.top + i == view->list.at)
            list_mark_row(cells, row, LEFT + INDEX_WIDTH);
    }
}

static int put_section(struct cells *cells, int x, int y, int width, const char *heading, style look,
                       const char *text)
{
    int airy = cells->height >= 24;

    if (text == NULL || y + 1 >= cells->height)
        return y;
    cells_put(cells, x, y, width, ROLE_HEADING, heading);
    return y + 1 + airy + columns_wrap_put(cells, x, y + 1, width, cells->height - y - 1, look, text);
}

static int section_height(const struct cells *cells, int width, const char *text)
{
    return text ? 1 + (cells->height >= 24) + columns_wrap_lines(cells, width, text) : 0;
}

static bool page_fits(const struct cells *cells, int width, const struct finding_kind *kind)
{
    int airy = cells->height >= 18, last = cells->height >= 24; /* no blank line follows the last section */
    return 1 + 2 * airy - last + section_height(cells, width, kind->meaning) +
               section_height(cells, width, kind->looks) + section_height(cells, width, kind->advice) +
               section_height(cells, width, kind->source) <=
           cells->height;
}

static void draw_page(const struct explanations_view *view, struct cells *cells, int x, int y, int width)
{
    enum finding_code code = (enum finding_code)view->list.at;
    const struct finding_kind *kind = finding_kind(code);
    enum severity severity = severity_here(view, code);
    style look = severity_look(severity);
    int at = x;

    at += cells_put(cells, at, y, width, look, cells_sign(cells, severity_sign(severity))) + 1;
    at += cells_put(cells, at, y, cells->width - at, look | STYLE_BOLD, kind->word) + 2;
    if (view->opened && view->code == code && at < cells->width)
        at += cells_printf(cells, at, y, cells->width - at, look, "%s here", severity_word(severity)) + 2;
    if (severity != kind->severity || !view->opened || view->code != code)
        cells_printf(cells, at, y, label_room(at, cells->width), ROLE_DIM, "usually %s%s",
                     kind->severity == SEVERITY_ERROR     ? "an "
                     : kind->severity == SEVERITY_WARNING ? "a "
                                                          : "",
                     severity_word(kind->severity));
    y += 1 + (cells->height >= 18);
    y = put_section(cells, x, y, width, "WHAT IT MEANS", ROLE_TEXT, kind->meaning);
    y = put_section(cells, x, y, width, "HOW IT LOOKS IN ZOOKEEPER", ROLE_TEXT, kind->looks);
    y = put_section(cells, x, y, width, "WHAT TO DO", ROLE_ACCENT, kind->advice);
    put_section(cells, x, y, width, "SEEN IN", ROLE_DIM, kind->source);
}

static void explanations_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct explanations_view *view = (struct explanations_view *)self;
    int airy = cells->height >= 18, x = LEFT + INDEX_WIDTH + 2, width = cells->width - x - 2;
    int beside = width < TEXT_MOST ? width : TEXT_MOST;

    (void)scene;
    view->first_y = airy;
    list_begin(&view->list, FINDING_COUNT, cells->height > airy ? (size_t)(cells->height - airy) : 0);
    list_show(&view->list);
    view->indexed = beside > 8 && page_fits(cells, beside, finding_kind((enum finding_code)view->list.at));
    if (view->indexed) {
        draw_index(view, cells, airy);
        draw_page(view, cells, x, airy, beside);
    } else {
        width = label_room(LEFT + 2, cells->width);
        draw_page(view, cells, LEFT, airy, width < TEXT_MOST ? width : TEXT_MOST);
    }
}

static enum view_result explanations_action(struct view *self, const struct scene *scene, enum action action,
                                            struct view **next)
{
    struct explanations_view *view = (struct explanations_view *)self;

    (void)scene, (void)next;
    action = action == ACTION_RIGHT ? ACTION_DOWN : action == ACTION_LEFT ? ACTION_UP : action;
    return list_move(&view->list, action) ? VIEW_DONE : VIEW_IGNORED;
}

static enum view_result explanations_click(struct view *self, const struct scene *scene, int x, int y,
                                           bool twice, struct view **next)
{
    struct explanations_view *view = (struct explanations_view *)self;
    size_t line = list_line_at(&view->list, view->first_y, y);

    (void)scene;
    (void)twice;
    (void)next;
    if (!view->indexed || x >= LEFT + INDEX_WIDTH || line == SIZE_MAX)
        return VIEW_IGNORED;
    view->list.at = line;
    return VIEW_DONE;
}

static void explanations_title(struct view *self, const struct scene *scene, struct cells *cells, int x,
                               int room)
{
    (void)scene;
    label_put_title(cells, x, room, "findings explained",
                    ((const struct explanations_view *)self)->opened ? "all possible findings"
                                                                     : "none is selected: all of them");
}

static void explanations_release(struct view *self)
{
    struct explanations_view *view = (struct explanations_view *)self;

    list_release(&view->list);
}

static const struct view_ops ops = {
    .name = "explanations",
    .draw = explanations_draw,
    .action = explanations_action,
    .click = explanations_click,
    .title = explanations_title,
    .release = explanations_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_BACK),
    .opened_by = ACTION_EXPLAIN,
};

struct view *explanations_view_new(const struct finding *finding)
{
    struct explanations_view *view = view_new(&ops, sizeof *view, NULL, NULL);
    if (finding != NULL) {
        view->opened = true;
        view->code = finding->code;
        view->severity = finding->severity;
        view->list.at = (size_t)finding->code;
    }
    return &view->view;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "tui/words/labels.h"
#include "tui/screen/columns.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"

#define MARGIN 2
#define KEYS_WIDTH 14
#define TERM_WIDTH 14
#define TWO_COLUMNS 100 /* from this width on the legend is beside the keys */
#define LINES_MOST 300  /* of the whole page */

struct help_view {
    struct view view;
    char *about;       /* the view from which help was asked, for the title */
    action_set keys;   /* that do something there */
    struct list lines; /* only scrolls */
};

/* The legend: a sign and its text, or a word and its meaning; a heading has no text. */
struct help_entry {
    enum sign sign;
    style look;
    const char *word; /* NULL: only the sign */
    const char *text;
};
#define NO_SIGN SIGN_COUNT

static const struct help_entry legend[] = {
    {NO_SIGN, ROLE_HEADING, "SIGNS", NULL},
    {SIGN_OK, ROLE_GOOD, NULL, "all is well: led, connected; a free lock"},
    {SIGN_WARNING, ROLE_WARNING, NULL, "attention: denied, electing for long, a warning"},
    {SIGN_CRITICAL, ROLE_CRITICAL, NULL, "action needed: no leader, no such path, an error found"},
    {SIGN_INFO, ROLE_DIM, NULL, "worth knowing: a note, nothing is wrong"},
    {SIGN_UNKNOWN, ROLE_WARNING, NULL, "unknown, or no longer known; the reason is next to it"},
    {SIGN_DASH, ROLE_DIM, NULL, "none: it is known that there is none"},
    {SIGN_LEADER, ROLE_WARNING, NULL, "the leader"},
    {SIGN_CHAIN, ROLE_GOOD, NULL, "the chain is intact here: it watches the right znode"},
    {SIGN_CHAIN_CUT, ROLE_CRITICAL, NULL,
     "the chain is broken here: it watches nothing and is never notified"},
    {SIGN_CHAIN_WRONG, ROLE_WARNING, NULL, "the chain is wrong here: it watches another znode"},
    {SIGN_CHAIN_UNKNOWN, ROLE_DIM, NULL, "what it watches is not known; WATCHES says why"},
    {SIGN_UP, ROLE_DIM, NULL, "what it actually watches, according to its server"},
    {SIGN_UP_WRONG, ROLE_WARNING, NULL, "the same, but it is the wrong znode"},
    {SIGN_CHECK, ROLE_GOOD, NULL, "the successor is notified, and leads"},
    {SIGN_GAUGE_ON, ROLE_GOOD, NULL, "in HEARD: share of the session timeout since it was last heard"},
    {SIGN_AT_LEAST, ROLE_TEXT, NULL, "at least this long: only a bound is known"},
    {SIGN_AT_MOST, ROLE_TEXT, NULL, "at most this long, or by that time: the beginning was not seen"},
    {SIGN_BAR, ROLE_BAR_A, NULL, "in a strip: one leader; the shade changes with the leader"},
    {SIGN_BAR_CHANGE, ROLE_BAR_CHANGE, NULL, "a change of leader"},
    {SIGN_BAR_VACANT, ROLE_BAR_VACANT, NULL,
     "no one led; for a short part of the cell: a change in this colour"},
    {SIGN_RULE, ROLE_RULE, NULL, "no one held the lock"},
    {SIGN_BAR_GAP, ROLE_BAR_GAP, NULL, "a gap: nothing was observed"},
    {NO_SIGN, ROLE_TEXT, "", NULL},
    {NO_SIGN, ROLE_HEADING, "STATES", NULL},
    {NO_SIGN, ROLE_GOOD, "led", "the first in line is confirmed; as far as the tree shows, it leads"},
    {NO_SIGN, ROLE_WARNING, "electing", "the leader has left, its successor is not confirmed yet"},
    {NO_SIGN, ROLE_WARNING, "taking over", "first in line, but has not acknowledged yet"},
    {NO_SIGN, ROLE_WARNING, "no ack", "first in line for long, but still not acknowledged"},
    {NO_SIGN, ROLE_CRITICAL, "stalled", "a finding shows that the first in line does not lead; ?: perhaps"},
    {NO_SIGN, ROLE_CRITICAL, "vacant", "the path exists, without a candidate"},
    {NO_SIGN, ROLE_DIM, "free", "no one holds the lock, which is normal"},
    {NO_SIGN, ROLE_CRITICAL, "absent", "no such path"},
    {NO_SIGN, ROLE_DIM, "vanished", "no such path any more; it was found, not configured"},
    {NO_SIGN, ROLE_DIM, "unproven", "nothing proves that it is an election, or who leads it"},
    {NO_SIGN, ROLE_WARNING, "denied", "not readable with these credentials"},
    {NO_SIGN, ROLE_WARNING, "stale", "last seen that long ago; unknown since then"},
    {NO_SIGN, ROLE_WARNING, "unknown", "not read yet, or never connected"},
    {NO_SIGN, ROLE_TEXT, "", NULL},
    {NO_SIGN, ROLE_HEADING, "WORDS", NULL},
    {NO_SIGN, ROLE_TEXT, "candidate", "an ephemeral znode that competes for leadership"},
    {NO_SIGN, ROLE_TEXT, "leader", "the candidate with the smallest sequence number"},
    {NO_SIGN, ROLE_TEXT, "finding", "a diagnosis with its evidence, which has a page of its own"},
    {NO_SIGN, ROLE_TEXT, "certain", "proved by several polls; nothing changed between them"},
    {NO_SIGN, ROLE_TEXT, "suspected", "one poll shows it, or it cannot be proved from outside"},
    {NO_SIGN, ROLE_TEXT, "unconfirmed", "found before; its evidence cannot be seen now"},
    {NO_SIGN, ROLE_TEXT, "predecessor", "the candidate just ahead: most recipes watch it"},
    {NO_SIGN, ROLE_TEXT, "recipe", "how one kind of client arranges its election"},
    {NO_SIGN, ROLE_TEXT, "looks like", "the recipe is guessed from names alone"},
    {NO_SIGN, ROLE_TEXT, "acknowledged", "the leader has written what its recipe requires"},
    {NO_SIGN, ROLE_TEXT, "vacancy", "from the leader's end until the next one is first"},
    {NO_SIGN, ROLE_TEXT, "takeover", "from being first to the acknowledgement"},
    {NO_SIGN, ROLE_TEXT, "notified", "from the leader's end until its successor was; in a capture"},
    {NO_SIGN, ROLE_TEXT, "reacted", "from the leader's end until its successor's next request"},
    {NO_SIGN, ROLE_TEXT, "unseen", "joined and left between two reads; the directory's Stat proves it"},
    {NO_SIGN, ROLE_TEXT, "", NULL},
    {NO_SIGN, ROLE_HEADING, "MOUSE", NULL},
    {NO_SIGN, ROLE_TEXT, "click", "selects; on a heading of the overview: sorts by it"},
    {NO_SIGN, ROLE_TEXT, "twice", "opens"},
    {NO_SIGN, ROLE_TEXT, "wheel", "moves"},
    {NO_SIGN, ROLE_TEXT, "on a key", "a click in the last line: presses it"},
};
#define LEGEND_LINES (sizeof legend / sizeof *legend)

/* Those that do something where help was asked from, and the others, each under a heading. Returns the row
   below them. */
static int help_draw_keys(const struct help_view *view, struct cells *cells, int y, bool here)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    int width = cells->width - KEYS_WIDTH;

    cells_put(cells, 0, y++, -1, ROLE_HEADING, here ? "KEYS HERE" : "KEYS ELSEWHERE");
    for (size_t i = 0; i < count; i++) {
        if (((view->keys & ACTION_BIT(bindings[i].action)) != 0) != here)
            continue;
        cells_put(cells, 0, y, KEYS_WIDTH - 1, here ? ROLE_KEY : ROLE_DIM, bindings[i].keys);
        y += columns_wrap_put(cells, KEYS_WIDTH, y, width, LINES_MOST, here ? ROLE_TEXT : ROLE_DIM,
                              bindings[i].help);
    }
    return y + 1;
}

static int draw_legend(struct cells *cells, int y)
{
    for (size_t i = 0; i < LEGEND_LINES; i++) {
        const struct help_entry *entry = &legend[i];

        cells_put(cells, 0, y, -1, entry->look,
                  entry->sign != NO_SIGN ? cells_sign(cells, entry->sign) : entry->word);
        if (entry->text == NULL)
            y++;
        else
            y += columns_wrap_put(cells, TERM_WIDTH, y, cells->width - TERM_WIDTH, LINES_MOST, ROLE_TEXT,
                                  entry->text);
    }
    return y;
}

/* All of it is drawn on a long page, of which the screen shows a part. */
static void help_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct help_view *view = (struct help_view *)self;
    bool beside = cells->width >= TWO_COLUMNS;
    int airy = cells->height >= 18, half = beside ? cells->width / 2 : cells->width;
    struct cells *keys = cells_part(cells, half - 2 * MARGIN, LINES_MOST);
    struct cells *signs = beside ? cells_part(cells, cells->width - half - MARGIN, LINES_MOST) : NULL;
    size_t total = 0, rows = cells->height > airy ? (size_t)(cells->height - airy) : 0;

    (void)scene;
    if (keys != NULL) {
        int y = help_draw_keys(view, keys, help_draw_keys(view, keys, 0, true), false), other = 0;

        if (!beside)
            y = draw_legend(keys, y);
        else if (signs != NULL)
            other = draw_legend(signs, 0);
        total = (size_t)(y > other ? y : other);
    }
    list_begin_scrolled(&view->lines, total, rows);
    cells_paste(cells, MARGIN, airy - (int)view->lines.top, keys);
    cells_paste(cells, half, airy - (int)view->lines.top, signs);
    if (airy)
        cells_fill(cells, 0, 0, -1, ROLE_TEXT);
    if (total > rows && rows > 0)
        cells_printf(cells, cells->width - 20, 0, 19, ROLE_DIM, "lines %zu-%zu of %zu", view->lines.top + 1,
                     view->lines.top + rows, total);
}

static enum view_result help_action(struct view *self, const struct scene *scene, enum action action,
                                    struct view **next)
{
    struct help_view *view = (struct help_view *)self;

    (void)scene, (void)next;
    return list_scroll(&view->lines, action) ? VIEW_DONE : VIEW_IGNORED;
}

static void help_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    const struct help_view *view = (const struct help_view *)self;
    char more[80] = "";

    (void)scene;
    if (view->about != NULL)
        snprintf(more, sizeof more, "%s goes back to the %s%s", key_first(ACTION_BACK), view->about,
                 strcmp(view->about, "overview") == 0 ? "" : " screen");
    label_put_title(cells, x, room, "help", more);
}

static void help_release(struct view *self)
{
    struct help_view *view = (struct help_view *)self;

    list_release(&view->lines);
    free(view->about);
}

static const struct view_ops ops = {
    .name = "help",
    .draw = help_draw,
    .action = help_action,
    .title = help_title,
    .release = help_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_BACK),
    .opened_by = ACTION_HELP,
};

struct view *help_view_new(const char *about, action_set keys)
{
    struct help_view *view = view_new(&ops, sizeof *view, NULL, NULL);
    view->about = xstrdup(about);
    view->keys = keys;
    return &view->view;
}

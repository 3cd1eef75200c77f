#include <stdlib.h>

#include "tui/screen/columns.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/labels.h"
#include "tui/words/story_lines.h"

#define LEFT 2
#define KIND_WIDTH 11 /* "suspected" and a space */
#define TEXT_MOST 100 /* longer lines are hard to read */

/* Why the leader of one election changed: the story of a failover, and the evidence for each sentence. */
struct story_view {
    struct view view;
    struct failover failover;
    struct sentences sentences;
    char *problem; /* why there is none */
    bool read;
    struct list list; /* its lines are sentences, of which none is selected */
};

static void story_view_read(struct story_view *view, const struct scene *scene)
{
    const struct story_query query = {.election = view->view.path,
                                      .cluster = *view->view.cluster ? view->view.cluster : NULL,
                                      .at_us = view->failover.lost_at.wall_us + STORY_AROUND_US,
                                      .from_us = view->failover.lost_at.wall_us - STORY_AROUND_US,
                                      .like = &view->failover};
    /* Its moments are others than the one that is shown. */
    struct history *history = scene->history ? history_again(scene->history, &view->problem) : NULL;
    struct story *story = history ? story_make(history, &query, &view->problem) : NULL;
    if (story)
        view->sentences = story_sentences(story, false);
    story_free(story);
    history_close(history);
    view->read = true;
}

static int story_view_width(const struct cells *cells)
{
    int width = cells->width - LEFT - KIND_WIDTH - 1;
    return width < TEXT_MOST ? width : TEXT_MOST;
}

static int sentence_height(const struct cells *cells, const struct sentence *sentence)
{
    int width = story_view_width(cells), airy = cells->height >= 18;
    return columns_wrap_lines(cells, width, sentence->text) +
           columns_wrap_lines(cells, width, sentence->evidence) + airy;
}

/* The number of the latest ones that fills the screen. */
static size_t story_view_rows(const struct story_view *view, const struct cells *cells, int top)
{
    int room = cells->height - top;
    size_t rows = 0;
    while (rows < view->sentences.count) {
        room -= sentence_height(cells, &view->sentences.list[view->sentences.count - 1 - rows]);
        if (room < 0)
            break;
        rows++;
    }
    return rows > 0 ? rows : 1;
}

static int history_story_put_sentence(struct cells *cells, int y, const struct sentence *sentence, bool first)
{
    int x = LEFT + KIND_WIDTH, width = story_view_width(cells), airy = cells->height >= 18;
    style look = sentence->kind == SENTENCE_CERTAIN   ? ROLE_DIM
                 : sentence->kind == SENTENCE_UNKNOWN ? ROLE_WARNING
                                                      : ROLE_ACCENT;
    cells_put(cells, LEFT, y, KIND_WIDTH - 1, look, sentence_kind_word(sentence->kind));
    y += columns_wrap_put(cells, x, y, width, cells->height - y, first ? ROLE_STRONG : ROLE_TEXT,
                          sentence->text);
    if (y < cells->height)
        y += columns_wrap_put(cells, x, y, width, cells->height - y, ROLE_DIM, sentence->evidence);
    return y + airy;
}

static void story_view_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct story_view *view = (struct story_view *)self;
    int airy = cells->height >= 18, y = airy;
    if (!view->read)
        story_view_read(view, scene);
    for (size_t i = 0; i < view->sentences.count; i++) {
        cells_plain(cells, view->sentences.list[i].text);
        cells_plain(cells, view->sentences.list[i].evidence);
    }
    if (view->sentences.count == 0) {
        columns_wrap_printf(cells, LEFT, y, ROLE_WARNING, "%s",
                            view->problem ? view->problem : "This failover is no longer in the recording.");
        return;
    }
    list_begin(&view->list, view->sentences.count, story_view_rows(view, cells, y));
    struct list whole = view->list; /* of its sentences, those that are seen to their end */
    whole.rows = 0;
    for (size_t i = view->list.top; i < view->sentences.count && y < cells->height; i++) {
        whole.rows += y + sentence_height(cells, &view->sentences.list[i]) - airy <= cells->height;
        y = history_story_put_sentence(cells, y, &view->sentences.list[i], i == 0);
    }
    list_put_more(&whole, cells, airy ? 0 : cells->height - 1);
}

static enum view_result story_view_action(struct view *self, const struct scene *scene, enum action action,
                                          struct view **next)
{
    struct story_view *view = (struct story_view *)self;
    (void)scene, (void)next;
    if (action == ACTION_EXPLAIN)
        return VIEW_CLOSE;
    return list_scroll(&view->list, action) ? VIEW_DONE : VIEW_IGNORED;
}

static void story_view_title(struct view *self, const struct scene *scene, struct cells *cells, int x,
                             int room)
{
    label_put_page(cells, x, room, scene->model, self->cluster, view_name(self, scene), "why it changed");
}

static void story_release(struct view *self)
{
    struct story_view *view = (struct story_view *)self;
    sentences_free(&view->sentences);
    failover_release(&view->failover);
    list_release(&view->list);
    free(view->problem);
}

static const struct view_ops ops = {
    .name = "why",
    .draw = story_view_draw,
    .action = story_view_action,
    .title = story_view_title,
    .release = story_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_BACK),
    .opened_by = ACTION_EXPLAIN,
};

struct view *story_view_new(const char *cluster, const char *path, const struct failover *failover)
{
    struct story_view *view = view_new(&ops, sizeof *view, cluster, path);
    failover_copy(&view->failover, failover);
    return &view->view;
}

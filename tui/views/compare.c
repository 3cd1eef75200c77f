#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/findings.h"
#include "probe/history/snapshot.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/finding_lines.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define WORD_X 6
#define TEXT_X 21

struct compare_line {
    char sign; /* '+', '-', '~': changed; ' ': the election that the lines below it are about */
    style look;
    const char *word;
    char *from, *to; /* to NULL: from alone */
    char *cluster, *path;
};

/* What differs between a moment that was marked and the one that is shown, the earlier one first. */
struct compare_view {
    struct view view;
    struct snapshot_model *marked;
    struct moment marked_at;
    struct compare_line *lines;
    size_t count, room;
    const struct model *model; /* the other one at the last draw, its generation and its second */
    uint64_t generation;
    int64_t second;
    struct list list;
    int first_y;
};

static void compare_clear(struct compare_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        free(view->lines[i].from);
        free(view->lines[i].to);
        free(view->lines[i].cluster);
        free(view->lines[i].path);
    }
    view->count = 0;
}

static void compare_put(struct compare_view *view, const struct election *election, char sign, style look,
                        const char *word, const char *from, const char *to)
{
    if (view->count == view->room) {
        view->room = view->room ? 2 * view->room : 64;
        view->lines = xreallocarray(view->lines, view->room, sizeof *view->lines);
    }
    view->lines[view->count++] = (struct compare_line){.sign = sign,
                                                       .look = look,
                                                       .word = word,
                                                       .from = xstrdup(from),
                                                       .to = to ? xstrdup(to) : NULL,
                                                       .cluster = xstrdup(election->cluster->name),
                                                       .path = xstrdup(election->path)};
}

static void compare_add(struct compare_view *view, const struct election *election, char sign, style look,
                        const char *word, const char *from, const char *to)
{
    const struct compare_line *last = view->count ? &view->lines[view->count - 1] : NULL;
    if (to && strcmp(from, to) == 0)
        return;
    if (!last || strcmp(last->path, election->path) != 0 ||
        strcmp(last->cluster, election->cluster->name) != 0)
        compare_put(view, election, ' ', ROLE_STRONG, "", election->name, NULL);
    compare_put(view, election, sign, look, word, from, to);
}

/* A fixed znode has the same name for every owner. */
static bool compare_same_znode(const struct candidate *one, const struct candidate *other)
{
    return strcmp(one->name, other->name) == 0 &&
           (!one->known || !other->known ||
            (one->stat.czxid == other->stat.czxid && one->stat.owner == other->stat.owner));
}

/* Where the other moment has another candidate that is called the same, their difference, too. */
static void compare_who(const struct cells *cells, const struct candidate *candidate,
                        const struct candidate *other, char *buffer, size_t size)
{
    char session[64], others[64], name[256];
    const char *who = label_who(candidate, session, sizeof session);
    bool apart = candidate->known && other && !compare_same_znode(candidate, other) &&
                 strcmp(who, label_who(other, others, sizeof others)) == 0;
    if (apart && strcmp(candidate->name, other->name) != 0)
        snprintf(buffer, size, "%.80s %.160s", name_of_candidate(cells, candidate->name, name, sizeof name),
                 who);
    else if (apart)
        snprintf(buffer, size, "%.160s, session 0x%" PRIx64 ", czxid 0x%" PRIx64, who, candidate->stat.owner,
                 (uint64_t)candidate->stat.czxid);
    else
        snprintf(buffer, size, "%s", who);
}

/* Candidates of one that the other has not. */
static void compare_candidate_lines(struct compare_view *view, const struct cells *cells,
                                    const struct election *one, const struct election *other, char sign)
{
    char name[256], who[256], text[520];
    for (size_t i = 0; i < one->candidate_count; i++) {
        const struct candidate *candidate = one->candidates[i];
        const struct candidate *there = election_find(other, candidate->name);
        if (there && compare_same_znode(candidate, there))
            continue;
        compare_who(cells, candidate, there, who, sizeof who);
        snprintf(text, sizeof text, "%s  %s", name_of_candidate(cells, candidate->name, name, sizeof name),
                 who);
        compare_add(view, one, sign, ROLE_TEXT, "candidate", text, NULL);
    }
}

static const char *finding_subject(const struct finding *finding)
{
    return finding->candidate_count ? finding->candidates[0] : "";
}

/* What is said of the election names its leader of that moment, and stays the same finding. */
static const struct finding *compare_same(const struct election *election, const struct finding *as)
{
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        bool of_election = finding->subject == NO_SUBJECT && as->subject == NO_SUBJECT;
        if (finding->code == as->code &&
            (of_election || strcmp(finding_subject(finding), finding_subject(as)) == 0))
            return finding;
    }
    return NULL;
}

static void compare_finding_lines(struct compare_view *view, const struct cells *cells,
                                  const struct election *one, const struct election *other, char sign)
{
    char name[256], text[512], now[64];
    for (size_t i = 0; i < one->finding_count; i++) {
        const struct finding *finding = one->findings[i], *same = compare_same(other, finding);
        const char *subject = finding_subject(finding);
        int used = snprintf(text, sizeof text, "%s %s%s", finding_kind(finding->code)->word,
                            name_of_candidate(cells, subject, name, sizeof name), *subject ? " " : "");
        snprintf(text + used, sizeof text - (size_t)used, "%s, %s", severity_word(finding->severity),
                 certainty_word(finding->certainty));
        if (!same) {
            compare_add(view, one, sign, sign == '+' ? severity_look(finding->severity) : ROLE_DIM, "finding",
                        text, NULL);
        } else if (sign == '-' &&
                   (same->severity != finding->severity || same->certainty != finding->certainty)) {
            snprintf(now, sizeof now, "%s, %s", severity_word(same->severity),
                     certainty_word(same->certainty));
            compare_add(view, one, '~', severity_look(same->severity), "finding", text, now);
        }
    }
}

static void compare_pair(struct compare_view *view, const struct cells *cells, const struct election *before,
                         struct moment before_at, const struct election *after, struct moment after_at)
{
    struct badge was = label_badge_ageless(before, before_at), is = label_badge_ageless(after, after_at);
    struct verdict could = label_verdict(cells, before), can = label_verdict(cells, after);
    char from[256] = "none", to[256] = "none";
    if (before->leader)
        compare_who(cells, before->leader, after->leader, from, sizeof from);
    if (after->leader)
        compare_who(cells, after->leader, before->leader, to, sizeof to);
    compare_add(view, after, '~', is.look, "state", was.word, is.word);
    compare_add(view, after, '~', ROLE_STRONG, "leader", from, to);
    compare_candidate_lines(view, cells, before, after, '-');
    compare_candidate_lines(view, cells, after, before, '+');
    compare_add(view, after, '~', can.look, "next failover", could.outlook ? could.text : "none",
                can.outlook ? can.text : "none");
    compare_finding_lines(view, cells, before, after, '-');
    compare_finding_lines(view, cells, after, before, '+');
}

static const struct election *compare_find(const struct model *model, const struct election *election)
{
    return model_find(model, election->cluster->name, election->path);
}

static void compare_models(struct compare_view *view, const struct cells *cells, const struct model *before,
                           struct moment before_at, const struct model *after, struct moment after_at)
{
    for (size_t i = 0; i < before->cluster_count; i++)
        for (size_t k = 0; k < before->clusters[i].election_count; k++) {
            const struct election *election = before->clusters[i].elections[k];
            const struct election *same = compare_find(after, election);
            if (same)
                compare_pair(view, cells, election, before_at, same, after_at);
            else
                compare_add(view, election, '-', ROLE_DIM, "election", election->path, NULL);
        }
    for (size_t i = 0; i < after->cluster_count; i++)
        for (size_t k = 0; k < after->clusters[i].election_count; k++)
            if (!compare_find(before, after->clusters[i].elections[k]))
                compare_add(view, after->clusters[i].elections[k], '+', ROLE_TEXT, "election",
                            after->clusters[i].elections[k]->path, NULL);
}

static bool marked_is_later(const struct compare_view *view, const struct scene *scene)
{
    return view->marked_at.wall_us > scene->now.wall_us;
}

static void compare_gather(struct compare_view *view, const struct scene *scene, const struct cells *cells)
{
    const struct model *marked = snapshot_model_model(view->marked);
    int64_t second = scene->now.wall_us / 1000000;
    if (view->model == scene->model && view->generation == scene->model->generation && view->second == second)
        return;
    view->model = scene->model;
    view->generation = scene->model->generation;
    view->second = second;
    compare_clear(view);
    if (marked_is_later(view, scene))
        compare_models(view, cells, scene->model, scene->now, marked, view->marked_at);
    else
        compare_models(view, cells, marked, view->marked_at, scene->model, scene->now);
}

static bool compare_key_of(const void *context, size_t line, char key[LIST_KEY_BYTES])
{
    const struct compare_view *view = context;
    const struct compare_line *at = &view->lines[line];
    if (line >= view->count)
        return false;
    snprintf(key, LIST_KEY_BYTES, "%s %s %c%s %s", at->cluster, at->path, at->sign, at->word, at->from);
    return true;
}

static void compare_draw_line(const struct compare_line *line, const struct scene *scene, struct cells *cells,
                              int y)
{
    const char sign[] = {line->sign, '\0'};
    int room = cells->width - TEXT_X - 1;
    if (line->sign == ' ') {
        int used = name_put(cells, 2, y, cells->width - 3, ROLE_STRONG, line->from);
        if (scene->model->cluster_count > 1)
            cells_put(cells, used + 4, y, label_room(used + 4, cells->width - 1), ROLE_DIM, line->cluster);
        return;
    }
    cells_put(cells, WORD_X - 2, y, 1, line->look, sign);
    cells_put(cells, WORD_X, y, TEXT_X - WORD_X - 1, ROLE_DIM, line->word);
    if (line->to)
        names_put_pair(cells, NULL, TEXT_X, y, room, line->from, line->to);
    else
        cells_put(cells, TEXT_X, y, room, line->look, line->from);
}

static void compare_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct compare_view *view = (struct compare_view *)self;
    struct list *list = &view->list;
    compare_gather(view, scene, cells);
    view->first_y = cells->height >= 18;
    list_begin(list, view->count, (size_t)(cells->height - view->first_y));
    list_follow(list, false, compare_key_of, view);
    if (view->count == 0)
        columns_wrap_printf(cells, 2, view->first_y, ROLE_DIM,
                            "Nothing differs: the same leaders, candidates, next failovers and findings.");
    for (size_t i = 0; i < list->rows && list->top + i < view->count; i++) {
        int y = view->first_y + (int)i;
        compare_draw_line(&view->lines[list->top + i], scene, cells, y);
        if (list->top + i == list->at)
            list_mark_row(cells, y, cells->width);
    }
}

static enum view_result compare_open(struct compare_view *view, struct view **next)
{
    if (view->list.at >= view->count)
        return VIEW_DONE;
    return view_open(next,
                     election_view_new(view->lines[view->list.at].cluster, view->lines[view->list.at].path));
}

static enum view_result compare_action(struct view *self, const struct scene *scene, enum action action,
                                       struct view **next)
{
    struct compare_view *view = (struct compare_view *)self;
    (void)scene;
    if (list_move(&view->list, action)) {
        list_select_line(&view->list, compare_key_of, view);
        return VIEW_DONE;
    }
    return action == ACTION_OPEN ? compare_open(view, next) : VIEW_IGNORED;
}

static enum view_result compare_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                      struct view **next)
{
    struct compare_view *view = (struct compare_view *)self;
    (void)scene;
    (void)x;
    if (!list_click(&view->list, view->first_y, y, twice, compare_key_of, view))
        return VIEW_IGNORED;
    return twice ? compare_open(view, next) : VIEW_DONE;
}

static void compare_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    struct compare_view *view = (struct compare_view *)self;
    char marked[48], shown[48], text[128];
    bool later = marked_is_later(view, scene);
    label_moment(view->marked_at.wall_us, scene->now, marked, sizeof marked);
    label_moment(scene->now.wall_us, scene->now, shown, sizeof shown);
    snprintf(text, sizeof text, "what changed from %s to %s", later ? shown : marked, later ? marked : shown);
    cells_put(cells, x, 0, room, ROLE_TITLE, text);
}

static const char *compare_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    struct compare_view *view = (struct compare_view *)self;
    const struct compare_line *line = view->list.at < view->count ? &view->lines[view->list.at] : NULL;
    (void)scene;
    return line && snprintf(buffer, size, "%s", line->path) < (int)size ? line->cluster : NULL;
}

static void compare_release(struct view *self)
{
    struct compare_view *view = (struct compare_view *)self;
    compare_clear(view);
    free(view->lines);
    snapshot_model_free(view->marked);
    list_release(&view->list);
}

static const struct view_ops ops = {
    .name = "compare",
    .draw = compare_draw,
    .action = compare_action,
    .click = compare_click,
    .title = compare_title,
    .path = compare_path,
    .release = compare_release,
    .list = offsetof(struct compare_view, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_BACK),
    .opened_by = ACTION_COMPARE,
};

struct view *compare_view_new(struct snapshot_model *marked, struct moment at)
{
    struct compare_view *view = view_new(&ops, sizeof *view, NULL, NULL);
    view->marked = marked;
    view->marked_at = at;
    return &view->view;
}

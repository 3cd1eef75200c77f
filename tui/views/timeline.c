#include "tui/views/timeline.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/election.h"
#include "tui/views/gantt.h"
#include "tui/views/strip.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define LEADERS_MOST 16
#define FRAME 2 /* the rule and the axis */

struct leaders {
    const struct tenure *of[LEADERS_MOST]; /* the latest tenure of each, newest first */
    size_t count;
    bool vacancy;
};

/* Who led within the window. A ring of tenures is short, so looking back for each is cheap. */
static void timeline_gather(const struct election *election, struct moment now, int64_t window_us,
                            struct leaders *leaders)
{
    *leaders = (struct leaders){0};
    for (size_t i = election->tenure_count; i-- > 0;) {
        const struct tenure *tenure = election_tenure_at(election, i);
        bool known = false;

        if (tenure->to.mono_us != 0 && tenure->to.mono_us < now.mono_us - window_us)
            break;
        if (tenure->gap)
            continue;
        if (tenure->name == NULL) {
            leaders->vacancy |= election->kind == KIND_LEADER;
            continue;
        }
        for (size_t j = 0; j < leaders->count && !known; j++)
            known = strcmp(strip_who(leaders->of[j]), strip_who(tenure)) == 0;
        if (!known && leaders->count < LEADERS_MOST)
            leaders->of[leaders->count++] = tenure;
    }
}

int timeline_rows(const struct election *election, struct moment now, unsigned window, int most)
{
    struct leaders leaders;
    int rows;

    timeline_gather(election, now, strip_window_us(window), &leaders);
    rows = (int)leaders.count + leaders.vacancy;
    if (rows == 0)
        rows = 1;
    rows += FRAME;
    return most < FRAME + 1 ? 0 : rows < most ? rows : most;
}

static const char *timeline_who(const struct tenure *tenure)
{
    return tenure->identity != NULL ? tenure->identity : tenure->name;
}

static int label_least(const struct cells *cells)
{
    return cells->width >= 120 ? 24 : 16;
}

/* As wide as its name, within what leaves the strips most of the row: so they move only where a longer name
   comes. */
static int timeline_label_width(const struct cells *cells, const struct leaders *leaders)
{
    int width = label_least(cells), most = cells->width / 3;

    for (size_t i = 0; i < leaders->count; i++) {
        int wanted = cells_width(cells, timeline_who(leaders->of[i]));

        if (wanted > width)
            width = wanted < most ? wanted : most;
    }
    return width;
}

/* Round times, as in a history. */
static void draw_axis(struct cells *cells, int x, int y, int width, const struct scene *scene,
                      int64_t window_us)
{
    static const char now[] = "now";
    struct gantt axis = {.x = x,
                         .width = width,
                         .from_us = scene->now.wall_us - window_us,
                         .to_us = scene->now.wall_us,
                         .kept = scene->past ? 0 : (int)sizeof now + 1};

    gantt_draw_axis(cells, y, &axis);
    if (!scene->past)
        cells_put_right(cells, x + width, y, -1, ROLE_DIM, now);
}

void timeline_draw(struct cells *cells, int y, int rows, const struct election *election,
                   const struct scene *scene, unsigned window)
{
    struct moment now = scene->now;
    int64_t window_us = strip_window_us(window);
    int bottom = y + rows - 1; /* the axis */
    struct names names = {.candidates = true};
    struct leaders leaders;
    char caption[256], shared[128];

    if (rows < FRAME + 1)
        return;
    timeline_gather(election, now, window_us, &leaders);
    int label = timeline_label_width(cells, &leaders);
    for (size_t i = 0; i < leaders.count; i++)
        names_add(&names, timeline_who(leaders.of[i]));
    names_fit(&names, cells, label);
    int shown = names_width(&names, cells);
    if (leaders.count > 0) /* shortened, they may leave more to the strips */
        label = shown > label_least(cells) ? shown : label_least(cells);
    int x = 2 + label + 2, width = cells->width - x - 1;
    names_shared(&names, cells, shared, sizeof shared);
    snprintf(caption, sizeof caption, "%s, last %s%s%s",
             election->kind == KIND_LOCK ? "who held it" : "leadership", strip_window_word(window),
             shared[0] != '\0' ? ": " : "", shared);
    cells_rule(cells, 0, y++, cells->width, caption);
    if (leaders.count == 0 && !leaders.vacancy) {
        cells_put(cells, 2, y, label, ROLE_DIM,
                  election->kind == KIND_LOCK && election->fresh ? "no leader" : "? not known");
        strip_draw(cells, x, y, width, election, now, window_us, STRIP_ALL);
        y++;
    }
    if (leaders.vacancy && y + (leaders.count > 0) < bottom) { /* of two rows, the leader's is kept */
        cells_put(cells, 2, y, label, ROLE_CRITICAL, "no leader");
        strip_draw(cells, x, y++, width, election, now, window_us, STRIP_NO_LEADER);
    }
    for (size_t i = 0; i < leaders.count && y < bottom; i++) {
        cells_put(cells, 2, y, label, leaders.of[i]->to.mono_us == 0 ? ROLE_TEXT : ROLE_DIM,
                  names_shown(&names, timeline_who(leaders.of[i])));
        strip_draw(cells, x, y++, width, election, now, window_us, strip_who(leaders.of[i]));
    }
    draw_axis(cells, x, bottom, width, scene, window_us);
    names_free(&names);
}

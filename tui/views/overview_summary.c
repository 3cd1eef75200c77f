#include "tui/views/overview_summary.h"

#include <stdio.h>
#include <string.h>

#include "tui/views/strip.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define TABLE_X 4
#define NOTE_BYTES 256

static const char outlook_heading[] = "next failover";

/* A count and its word, or neither: half a word says the wrong thing. */
static int put_count(struct cells *cells, int x, int y, size_t count, style look, const char *word)
{
    char text[48];

    if (x + snprintf(text, sizeof text, "%zu", count) + 1 + (int)strlen(word) > cells->width)
        return x;
    x += cells_put(cells, x, y, -1, (style)(look | STYLE_BOLD), text) + 1;
    return x + cells_put(cells, x, y, -1, look, word) + (cells->width < 100 ? 2 : 3);
}

static int put_if_any(struct cells *cells, int x, int y, size_t count, style look, const char *word)
{
    return count > 0 ? put_count(cells, x, y, count, look, word) : x;
}

struct counted_state {
    enum badge_state state;
    style look;
    bool always; /* also where there is none */
};

static void draw_counts(struct cells *cells, int y, const struct overview_totals *totals)
{
    static const struct counted_state states[] = {{BADGE_LED, ROLE_GOOD, true},
                                                  {BADGE_VACANT, ROLE_CRITICAL, true},
                                                  {BADGE_ABSENT, ROLE_CRITICAL, false},
                                                  {BADGE_STALLED, ROLE_CRITICAL, false},
                                                  {BADGE_PERHAPS_STALLED, ROLE_WARNING, false},
                                                  {BADGE_DENIED, ROLE_WARNING, false},
                                                  {BADGE_UNKNOWN, ROLE_WARNING, false},
                                                  {BADGE_STALE, ROLE_WARNING, false},
                                                  {BADGE_ELECTING, ROLE_WARNING, false},
                                                  {BADGE_TAKING_OVER, ROLE_WARNING, false},
                                                  {BADGE_NO_ACK, ROLE_WARNING, false},
                                                  {BADGE_FREE, ROLE_TEXT, false},
                                                  {BADGE_VANISHED, ROLE_DIM, false},
                                                  {BADGE_UNPROVEN, ROLE_DIM, false}};
    int x = 1;

    x = put_count(cells, x, y, totals->elections, ROLE_TEXT,
                  totals->elections == 1 ? "election" : "elections");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t elections = totals->states[states[i].state];
        if (elections > 0 || states[i].always)
            x = put_count(cells, x, y, elections, elections > 0 ? states[i].look : ROLE_DIM,
                          badge_words[states[i].state]);
    }
    x = put_if_any(cells, x, y, totals->unseen, ROLE_WARNING, "unseen changes");
    put_count(cells, x, y, totals->candidates, ROLE_TEXT,
              totals->candidates == 1 ? "candidate" : "candidates");
}

/* The findings, and how many watches are visible at all. */
static void draw_findings(struct cells *cells, int y, const struct overview_totals *totals)
{
    int x = 1;
    char text[64];

    if (totals->elections > 0 && totals->states[BADGE_UNKNOWN] == totals->elections) {
        cells_put(cells, x, y, -1, ROLE_DIM, "findings  ? nothing is known");
        return;
    }
    x += finding_counts_put(cells, x, y, cells->width < 100 ? 0 : (int)strlen(outlook_heading),
                            &totals->findings,
                            totals->states[BADGE_STALE] + totals->states[BADGE_UNKNOWN] == 0) +
         4;
    if (totals->servers == 0)
        return;
    /* Half a count would be another one. */
    int width = snprintf(text, sizeof text, "watches seen on %zu of %zu server%s", totals->showing,
                         totals->servers, totals->servers == 1 ? "" : "s");
    if (x + width >= cells->width)
        width = snprintf(text, sizeof text, "watches seen: %zu/%zu", totals->showing, totals->servers);
    if (x + width < cells->width)
        cells_put(cells, x, y, -1, totals->showing == totals->servers ? ROLE_DIM : ROLE_WARNING, text);
}

/* Whether the next failovers would work, as far as anybody can know, part by part before column end. */
static void draw_outlook(struct cells *cells, int y, int end, const struct overview_totals *totals)
{
    const struct {
        size_t count;
        enum sign sign;
        style look;
        const char *word, *brief;
    } parts[] = {
        {totals->next_works, SIGN_CHECK, ROLE_GOOD, "would work", totals->next_works == 1 ? "works" : "work"},
        {totals->next_stops, SIGN_CRITICAL, ROLE_CRITICAL, "would stop",
         totals->next_stops == 1 ? "stops" : "stop"},
        {totals->next_unknown, SIGN_UNKNOWN, ROLE_DIM, "unknown", "unknown"},
        {totals->next_alone, SIGN_DASH, ROLE_DIM, "without successor", "alone"},
        {totals->next_lock, SIGN_INFO, ROLE_DIM, totals->next_lock == 1 ? "lock" : "locks",
         totals->next_lock == 1 ? "lock" : "locks"}};
    static const size_t worst_first[] = {1, 2, 3, 0, 4};
    const size_t count = sizeof parts / sizeof *parts;
    const int begin = 1 + (int)strlen(outlook_heading) + 2;
    bool brief = cells->width < 100, any;
    int x = begin, widths[sizeof parts / sizeof *parts], wanted;

    for (;; brief = true) {
        any = false;
        wanted = begin;
        for (size_t i = 0; i < count; i++) {
            widths[i] = cells_width(cells, cells_sign(cells, parts[i].sign)) + 1 +
                        snprintf(NULL, 0, "%zu %s", parts[i].count, brief ? parts[i].brief : parts[i].word);
            if (parts[i].count > 0)
                wanted += (any ? cells->width < 100 ? 2 : 3 : 0) + widths[i];
            any |= parts[i].count > 0;
        }
        if (brief || wanted <= end)
            break;
    }
    bool whole = wanted <= end, begun = false;
    for (size_t k = 0; k < count; k++) {
        size_t i = whole ? k : worst_first[k];

        if (parts[i].count == 0)
            continue;
        if (x + widths[i] > end) /* a better one alone would hide it */
            return;
        if (!begun)
            cells_put(cells, 1, y, -1, ROLE_DIM, outlook_heading);
        begun = true;
        x += cells_put(cells, x, y, -1, parts[i].look, cells_sign(cells, parts[i].sign)) + 1;
        x = put_count(cells, x, y, parts[i].count, parts[i].look, brief ? parts[i].brief : parts[i].word);
    }
    if (any || x + 1 >= end)
        return;
    cells_put(cells, 1, y, -1, ROLE_DIM, outlook_heading);
    /* There is no leader with a successor; or the facts are too old to tell. */
    bool old = totals->states[BADGE_STALE] + totals->states[BADGE_UNKNOWN] + totals->states[BADGE_DENIED] > 0;
    x += cells_put(cells, x, y, end - x, ROLE_DIM, cells_sign(cells, old ? SIGN_UNKNOWN : SIGN_DASH)) + 1;
    if (old && x < end)
        cells_put(cells, x, y, end - x, ROLE_DIM, "unknown");
}

/* The order or the filter, at the end of the row. Returns where it begins. */
static int overview_summary_draw_note(struct cells *cells, int y, const struct overview_order *order,
                                      const struct list *list)
{
    const char *path = list->gone != NULL ? strchr(list->gone, '\n') : NULL;
    char note[NOTE_BYTES], name[NOTE_BYTES / 2];
    int width;
    bool changes = order->sort == SORT_CHANGES;
    size_t used, below = list->count > list->top + list->rows ? list->count - list->top - list->rows : 0;

    if (path != NULL)
        snprintf(note, sizeof note, "%s is no longer watched",
                 name_fit(cells, path + 1, cells->width / 3, name, sizeof name));
    else if (order->filter[0] == '\0' && order->problems)
        snprintf(note, sizeof note, "problems only: %zu of %zu", order->matches, order->totals.elections);
    else if (order->filter[0] != '\0' && cells->width < 100) /* the footer shows it */
        snprintf(note, sizeof note, "%zu of %zu match", order->matches, order->totals.elections);
    else if (order->filter[0] != '\0')
        snprintf(note, sizeof note, "%zu of %zu with \"%s\"", order->matches, order->totals.elections,
                 order->filter);
    else
        snprintf(
            note, sizeof note, "%s%s%s",
            /* the heading of what has a column at each width is marked, and the outlook needs the room */
            below > 0 && cells->width < 100 && (changes || order->sort == SORT_WORST)
                ? ""
                : overview_sort_word(order->sort, order->reverse),
            changes ? ", last " : "", changes ? strip_window_word(order->window) : "");
    used = strlen(note);
    if (list->rows > 0 && below > 0)
        snprintf(note + used, sizeof note - used, ", %zu more below", below);
    else if (list->rows > 0 && list->top > 0)
        snprintf(note + used, sizeof note - used, ", %zu more above", list->top);
    if (note[0] == ',')
        memmove(note, note + 2, strlen(note + 2) + 1);
    width = cells_width(cells, note);
    cells_put_right(cells, cells->width - 1, y, width,
                    path != NULL                                  ? (style)ROLE_WARNING
                    : order->filter[0] != '\0' || order->problems ? (style)ROLE_ACCENT
                                                                  : (style)ROLE_DIM,
                    note);
    return cells->width - 1 - width;
}

int overview_summary_rows(bool outlook)
{
    return 2 + outlook;
}

void overview_summary_draw(struct cells *cells, int y, const struct overview_order *order,
                           const struct list *list, bool outlook)
{
    int end;

    draw_counts(cells, y++, &order->totals);
    if (outlook) {
        end = overview_summary_draw_note(cells, y, order, list) - 1;
        draw_outlook(cells, y++, end, &order->totals);
    }
    draw_findings(cells, y, &order->totals);
}

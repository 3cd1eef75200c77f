#include "tui/views/failover_table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/words/failover_facts.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define STATS_X 2
#define SPARKS_MOST 120
#define WHO_BYTES 160
#define PAIR_LEAST 20 /* columns of two names */
#define PAIR_MOST 32  /* beyond these, times come first */

enum { WHEN, WHO, CAUSE, DETECTED, VACANT, NOTIFIED, REACTED, TAKEOVER, TOTAL };

static const struct column columns_of_failovers[FAILOVER_COLUMNS] = {
    [WHEN] = {.heading = "WHEN", .least = 12, .most = 16, .importance = 100},
    [WHO] = {.heading = "FROM -> TO", .least = 20, .most = 120, .importance = 95},
    [CAUSE] = {.heading = "CAUSE", .least = 9, .most = 10, .importance = 90},
    [DETECTED] = {.heading = "DETECTED IN", .least = 11, .most = 18, .importance = 70, .right = true},
    [VACANT] = {.heading = "VACANT", .least = 6, .most = 16, .importance = 80, .right = true},
    [NOTIFIED] = {.heading = "NOTIFIED", .least = 8, .most = 12, .importance = 50, .right = true},
    [REACTED] = {.heading = "REACTED", .least = 8, .most = 12, .importance = 65, .right = true},
    [TAKEOVER] = {.heading = "TAKEOVER", .least = 8, .most = 16, .importance = 60, .right = true},
    [TOTAL] = {.heading = "TOTAL", .least = 8, .most = 18, .importance = 85, .right = true},
};

/* A name as short as people speak of it; an identity in full, which may not be in the buffer. */
static const char *failover_lines_who(const struct cells *cells, const char *identity, const char *name,
                                      char *buffer, size_t size)
{
    if (identity)
        return identity;
    if (name && recipe_sequence_of(name) != SEQUENCE_NONE)
        name_of_candidate(cells, name, buffer, size);
    else if (name)
        snprintf(buffer, size, "%s", name);
    else
        snprintf(buffer, size, "none");
    return buffer;
}

static const char *when(const struct failover *failover, const struct cells *cells, bool days, char *buffer,
                        size_t size)
{
    time_t second = (time_t)(failover->lost_at.wall_us / 1000000);
    const char *latest = failover_lost_within_us(failover) > 0 ? cells_sign(cells, SIGN_AT_MOST) : "";
    char text[32] = "?";
    struct tm tm;
    if (!days)
        format_clock_ms(failover->lost_at.wall_us, text, sizeof text);
    else if (!localtime_r(&second, &tm) || strftime(text, sizeof text, "%b %e %H:%M:%S", &tm) == 0)
        snprintf(text, sizeof text, "?");
    snprintf(buffer, size, "%s%s", latest, text);
    return buffer;
}

static bool failover_lines_is_known(struct span span)
{
    return span.low_us != SPAN_OPEN || span.high_us != SPAN_OPEN;
}

static const char *span_text(const struct cells *cells, struct span span, char buffer[FORMAT_INTERVAL])
{
    return format_interval(span.low_us, span.high_us, cells->ascii, buffer);
}

void failover_table_lay(struct failover_table *table, const struct cells *cells, int x,
                        const struct leadership_history *leadership, size_t first, size_t count, bool days)
{
    char text[WHO_BYTES], second[WHO_BYTES], span[FORMAT_INTERVAL];
    if (table->width != cells->width) {
        memcpy(table->columns, columns_of_failovers, sizeof columns_of_failovers);
        table->width = cells->width;
    }
    table->columns[WHEN].least = days ? 15 : 12;
    table->columns[TAKEOVER].hidden = table->columns[TOTAL].hidden = true;
    table->columns[NOTIFIED].hidden = table->columns[REACTED].hidden = true;
    names_free(&table->names);
    int arrow = cells_width(cells, cells_sign(cells, SIGN_ARROW)) + 2, pair = 0;
    for (size_t i = first; i < first + count && i < leadership->failover_count; i++) {
        const struct failover *failover = &leadership->failovers[leadership->failover_count - 1 - i];
        const struct span spans[] = {failover->detection,
                                     failover->vacancy,
                                     failover_point(failover->notified_us),
                                     failover_point(failover->reacted_us),
                                     failover->takeover,
                                     failover_facts_length(failover)};
        int wide = arrow;
        const char *const pairs[] = {
            failover_lines_who(cells, failover->from_identity, failover->from, text, sizeof text),
            failover_lines_who(cells, failover->to_identity, failover->to, second, sizeof second)};
        for (int k = 0; k < 2; k++) {
            wide += cells_width(cells, pairs[k]);
            names_add(&table->names, pairs[k]);
        }
        pair = wide > pair ? wide : pair;
        columns_want(&table->columns[WHO], wide);
        columns_want(&table->columns[WHEN],
                     cells_width(cells, when(failover, cells, days, text, sizeof text)));
        columns_want(&table->columns[CAUSE], (int)strlen(failover_cause_word(failover->cause)) + 1);
        if (failover_lines_is_known(failover->takeover)) /* a layout with an acknowledgement */
            table->columns[TAKEOVER].hidden = false;
        if (failover_lines_is_known(spans[TOTAL - DETECTED]))
            table->columns[TOTAL].hidden = false;
        if (failover->notified_us) /* its packets were captured */
            table->columns[NOTIFIED].hidden = table->columns[REACTED].hidden = false;
        for (int k = 0; k <= TOTAL - DETECTED; k++)
            columns_want(&table->columns[DETECTED + k], cells_width(cells, span_text(cells, spans[k], span)));
    }
    /* Names give way to times, but keep their differences. */
    table->names.heading_room = cells->width;
    names_fit(&table->names, cells, (PAIR_MOST - arrow) / 2);
    int least = 2 * names_width(&table->names, cells) + arrow;
    least = least < pair ? least : pair;
    table->columns[WHO].least = least > PAIR_MOST ? PAIR_MOST : least < PAIR_LEAST ? PAIR_LEAST : least;
    for (int k = DETECTED; k <= TOTAL; k++) {
        struct column *column = &table->columns[k];
        int heading = (int)strlen(column->heading);
        column->least = column->want > heading ? column->want : heading;
    }
    columns_lay(table->columns, FAILOVER_COLUMNS, x, cells->width - x - 1, cells->width >= 100 ? 3 : 2);
    int room = table->columns[WHO].width;
    table->names.heading_room = label_room((int)strlen(table->columns[WHO].heading) + 2, room);
    /* Where they have no room, both have half of it. */
    names_fit(&table->names, cells, pair > room ? (room - arrow) / 2 : pair);
}

void failover_table_free(struct failover_table *table)
{
    names_free(&table->names);
}

void failover_table_head(struct cells *cells, const struct failover_table *table, int y)
{
    const struct column *pair = &table->columns[WHO];
    char text[WHO_BYTES * 2];
    columns_head(cells, table->columns, FAILOVER_COLUMNS, y, -1, false);
    if (pair->width > 0) {
        cells_fill(cells, pair->x, y, pair->width, ROLE_HEADING);
        cells_printf(cells, pair->x, y, pair->width, ROLE_HEADING, "FROM %s TO",
                     cells_sign(cells, SIGN_ARROW));
        if (failover_table_caption(table, cells, "", text, sizeof text)[0] == '\0')
            names_put_shared(cells, &table->names, pair, y);
    }
}

char *failover_table_caption(const struct failover_table *table, const struct cells *cells,
                             const char *caption, char *buffer, size_t size)
{
    const struct column *pair = &table->columns[WHO];
    char shared[WHO_BYTES * 2];
    int room = pair->width - (int)strlen(pair->heading) - 2;

    names_shared(&table->names, cells, shared, sizeof shared);
    bool whole = shared[0] == '\0' || pair->width == 0 || cells_width(cells, shared) <= room;
    snprintf(buffer, size, "%s%s%s", caption, whole || caption[0] == '\0' ? "" : ": ", whole ? "" : shared);
    return buffer;
}

static void put_pair(struct cells *cells, const struct names *names, int x, int y, int width,
                     const struct failover *failover)
{
    char first[WHO_BYTES], second[WHO_BYTES];
    const char *from =
        failover_lines_who(cells, failover->from_identity, failover->from, first, sizeof first);
    const char *to = failover_lines_who(cells, failover->to_identity, failover->to, second, sizeof second);
    if (width < 1)
        return;
    if (failover->from_identity != NULL && strcmp(from, to) == 0) {
        cells_printf(cells, x, y, width, ROLE_TEXT, "%s, again", names ? names_shown(names, to) : to);
        return;
    }
    names_put_pair(cells, names, x, y, width, from, to);
}

static style look_of(enum failover_cause cause)
{
    switch (cause) {
    case CAUSE_EXPIRED:
        return ROLE_WARNING; /* unintended */
    case CAUSE_RESIGNED:
        return ROLE_GOOD;
    case CAUSE_UNKNOWN:
        return ROLE_DIM;
    default:
        return ROLE_TEXT;
    }
}

static void failover_lines_put_span(struct cells *cells, const struct column *column, int y, struct span span,
                                    bool applies, style look)
{
    char text[FORMAT_INTERVAL];
    if (!applies && !failover_lines_is_known(span))
        columns_put(cells, column, y, ROLE_DIM, cells_sign(cells, SIGN_DASH));
    else
        columns_put(cells, column, y, failover_lines_is_known(span) ? look : (style)ROLE_DIM,
                    span_text(cells, span, text));
}

void failover_table_row(struct cells *cells, const struct failover_table *table, int y,
                        const struct failover *failover, bool days)
{
    const struct column *columns = table->columns;
    struct span total = failover_facts_length(failover);
    char text[64];
    columns_put(cells, &columns[WHEN], y, ROLE_TEXT, when(failover, cells, days, text, sizeof text));
    put_pair(cells, &table->names, columns[WHO].x, y, columns[WHO].width, failover);
    snprintf(text, sizeof text, "%s%s", failover_cause_word(failover->cause),
             failover->cause != CAUSE_UNKNOWN && failover->cause_certainty != CERTAINTY_CERTAIN ? "?" : "");
    columns_put(cells, &columns[CAUSE], y, look_of(failover->cause), text);
    failover_lines_put_span(cells, &columns[DETECTED], y, failover->detection,
                            failover_has_detection(failover->cause), ROLE_TEXT);
    failover_lines_put_span(cells, &columns[VACANT], y, failover->vacancy, true,
                            failover->vacancy.high_us == 0 ? ROLE_DIM : ROLE_WARNING);
    failover_lines_put_span(cells, &columns[NOTIFIED], y, failover_point(failover->notified_us), true,
                            ROLE_TEXT);
    failover_lines_put_span(cells, &columns[REACTED], y, failover_point(failover->reacted_us), true,
                            ROLE_TEXT);
    failover_lines_put_span(cells, &columns[TAKEOVER], y, failover->takeover, true, ROLE_TEXT);
    failover_lines_put_span(cells, &columns[TOTAL], y, total, true, ROLE_TEXT | STYLE_BOLD);
}

/* Figures. */

/* Where there is room for all of it. */
static int failover_lines_put_figure(struct cells *cells, int x, int y, const char *word, struct span span)
{
    char text[FORMAT_INTERVAL];
    int begun = x;
    span_text(cells, span, text);
    if (x + (int)strlen(word) + 1 + cells_width(cells, text) >= cells->width)
        return 0;
    x += cells_put(cells, x, y, -1, ROLE_DIM, word) + 1;
    x += cells_put(cells, x, y, -1, ROLE_STRONG, text);
    return x - begun + 3;
}

/* How long one took, as far as that is known: the most that it can have been. */
static int64_t length_of(const struct failover *failover)
{
    struct failover_sample sample;
    if (!failover_sample_of(failover, &sample))
        return -1;
    return sample.length.high_us != SPAN_OPEN ? sample.length.high_us : sample.length.low_us;
}

/* A column for each of the latest, the newest at the right, over a common scale from 0. */
static void put_sparks(struct cells *cells, int x, int y, int end,
                       const struct leadership_history *leadership)
{
    int64_t lengths[SPARKS_MOST], longest = 0;
    int count = 0, most = label_room(x, end) < SPARKS_MOST ? label_room(x, end) : SPARKS_MOST;
    for (size_t i = leadership->failover_count; i-- > 0 && count < most;) {
        int64_t length = length_of(&leadership->failovers[i]);
        if (length < 0)
            continue;
        lengths[count++] = length;
        longest = length > longest ? length : longest;
    }
    for (int i = 0; i < count; i++) {
        int64_t eighths = longest > 0 ? (lengths[i] * CELL_EIGHTHS + longest / 2) / longest : 1;
        cells_put(cells, x + count - 1 - i, y, 1, lengths[i] == longest ? ROLE_WARNING : ROLE_BAR_A,
                  cells_level(cells, eighths < 1 ? 1 : (unsigned)eighths));
    }
}

/* The causes with their figures, each whole, in at most rows rows: without the figures where these have no room.
   Returns the rows used; draws: else they are only counted. */
static int put_causes(struct cells *cells, int y, int rows, const struct leadership_history *leadership,
                      bool figures, bool draws)
{
    static const enum failover_cause order[] = {CAUSE_EXPIRED, CAUSE_CLOSED,  CAUSE_ENDED,  CAUSE_RESIGNED,
                                                CAUSE_EVICTED, CAUSE_DELETED, CAUSE_UNKNOWN};
    size_t counts[CAUSE_COUNT] = {0}, after_gap = 0;
    int x = STATS_X, used = 1;
    for (size_t i = 0; i < leadership->failover_count; i++) {
        counts[leadership->failovers[i].cause]++;
        after_gap += leadership->failovers[i].gap_us > 0;
    }
    for (size_t i = 0; i <= sizeof order / sizeof *order; i++) {
        bool gap = i == sizeof order / sizeof *order;
        char word[64], count[32] = "", text[FORMAT_INTERVAL], figure[FORMAT_INTERVAL + 4] = "";
        if (gap ? after_gap == 0 : counts[order[i]] == 0)
            continue;
        if (gap) {
            snprintf(word, sizeof word, "%zu found after a gap, not counted", after_gap);
        } else {
            struct span p50 = leadership->stats.by_cause[order[i]].p50;
            snprintf(word, sizeof word, "%s", failover_cause_word(order[i]));
            snprintf(count, sizeof count, " %zu", counts[order[i]]);
            if (figures && failover_lines_is_known(p50))
                snprintf(figure, sizeof figure, " (%s)", span_text(cells, p50, text));
        }
        int width = (int)strlen(word) + (int)strlen(count) + cells_width(cells, figure);
        if (x > STATS_X && x + width >= cells->width) {
            x = STATS_X;
            used++;
        }
        if (draws && used <= rows) {
            int at = x + cells_put(cells, x, y + used - 1, -1, gap ? ROLE_DIM : look_of(order[i]), word);
            at += cells_put(cells, at, y + used - 1, -1, ROLE_TEXT, count);
            cells_put(cells, at, y + used - 1, -1, ROLE_DIM, figure);
        }
        x += width + 3;
    }
    return used;
}

#define SUCCESSOR_LEAST 9 /* columns of a name */
#define SUCCESSOR_SPAN 16 /* "4.11 - 4.41s" and its distances */

/* Who is slow to take over, the slowest first. */
static void put_successors(struct cells *cells, int y, const struct leadership_history *leadership)
{
    const char *word = leadership->reacted ? "slowest to react, p50" : "slowest takeover, p50";
    char who[WHO_BYTES], text[FORMAT_INTERVAL];
    struct names names = {.keep_shared = true};
    size_t count = leadership->successor_count;
    int x = STATS_X + cells_put(cells, STATS_X, y, -1, ROLE_DIM, word) + 2, room = cells->width - x - 1;
    while (count > 1 && room / (int)count < SUCCESSOR_LEAST + SUCCESSOR_SPAN)
        count--;
    for (size_t i = 0; i < count; i++)
        names_add(&names, failover_lines_who(cells, leadership->successors[i].identity,
                                             leadership->successors[i].name, who, sizeof who));
    names_fit(&names, cells, room / (int)count - SUCCESSOR_SPAN);
    for (size_t i = 0; i < count; i++) {
        const struct leadership_history_successor *successor = &leadership->successors[i];
        bool known = failover_lines_is_known(successor->p50);
        x += cells_put(cells, x, y, -1, ROLE_TEXT,
                       names_shown(&names, failover_lines_who(cells, successor->identity, successor->name,
                                                              who, sizeof who))) +
             1;
        x += cells_put(cells, x, y, -1, known ? ROLE_STRONG : ROLE_DIM,
                       known ? span_text(cells, successor->p50, text) : cells_sign(cells, SIGN_UNKNOWN)) +
             3;
    }
    names_free(&names);
}

int failover_stats_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership)
{
    const struct failover_figures *all = &leadership->stats.all;
    int x = STATS_X;
    if (rows < 1 || leadership->failover_count == 0)
        return 0;
    if (all->count == 0) {
        struct change_counts changes = {0};
        for (size_t i = 0; i < leadership->failover_count; i++)
            changes_failover(&changes, &leadership->failovers[i]);
        if (changes.told > 0)
            x += cells_printf(cells, x, y, -1, ROLE_DIM, "%zu %s; ", changes.told,
                              changes.told == 1 ? "failover" : "failovers");
        cells_put(cells, x, y, -1, ROLE_DIM, "none has a known length");
    } else {
        x += cells_put(cells, x, y, -1, ROLE_DIM, "total") + 2;
        x += failover_lines_put_figure(cells, x, y, "p50", all->p50);
        x += failover_lines_put_figure(cells, x, y, "max", all->max);
        x += cells_printf(cells, x, y, -1, ROLE_DIM, "of %zu", all->count) + 3;
        if (all->count >= 10) /* of fewer it is the longest, as is p99 of fewer than 100 */
            x += failover_lines_put_figure(cells, x, y, "p90", all->p90);
        if (all->count >= 100)
            x += failover_lines_put_figure(cells, x, y, "p99", all->p99);
        put_sparks(cells, x, y, cells->width - 1, leadership);
    }
    if (rows < 2)
        return 1;
    bool successors = rows >= 3 && leadership->successor_count > 0;
    int room = rows - 1 - successors;
    bool figures = put_causes(cells, y + 1, room, leadership, true, false) <= room;
    int used = 1 + put_causes(cells, y + 1, room, leadership, figures, true);
    used = used < 1 + room ? used : 1 + room;
    if (successors)
        put_successors(cells, y + used++, leadership);
    return used;
}

int failover_stats_rows(struct cells *cells, const struct leadership_history *leadership)
{
    if (leadership->failover_count == 0)
        return 0;
    return 1 + put_causes(cells, 0, 0, leadership, true, false) + (leadership->successor_count > 0);
}

/* ---- the latest one as a picture ---- */

#define PHASE_LABEL 12
#define PHASE_VALUE 18
#define PHASE_BAR_LEAST 16

/* A part of the bar's time; a phase between two bounds has a sure part and one that may belong to it. */
static void failover_table_put_phase(struct cells *cells, int x, int y, int width, int64_t from_us,
                                     int64_t to_us, int64_t whole_us, style look, const char *sign)
{
    int first = (int)(from_us * width / whole_us), last = (int)((to_us * width + whole_us - 1) / whole_us);

    if (last <= first)
        last = first + 1;
    for (int i = first < width ? first : width - 1; i < last && i < width; i++)
        cells_put(cells, x + i, y, 1, look, sign);
}

static int64_t span_most(struct span span)
{
    return span.high_us > 0 ? span.high_us : span.low_us > 0 ? span.low_us : 0;
}

static void put_phase_row(struct cells *cells, int y, int bar, const char *label, struct span span,
                          int64_t begun_us, bool backwards, int64_t whole_us, style look)
{
    int x = STATS_X;
    char text[FORMAT_INTERVAL];

    cells_put(cells, x, y, PHASE_LABEL - 1, ROLE_DIM, label);
    x += PHASE_LABEL;
    if (failover_lines_is_known(span)) {
        int64_t sure_us = span.low_us > 0 ? span.low_us : 0, most_us = span_most(span);
        const char *full = cells_sign(cells, SIGN_BAR), *may = cells_sign(cells, SIGN_BAR_VACANT);

        if (most_us > sure_us)
            failover_table_put_phase(cells, x, y, bar, backwards ? begun_us - most_us : begun_us,
                                     backwards ? begun_us : begun_us + most_us, whole_us, look, may);
        if (sure_us > 0 || most_us == 0)
            failover_table_put_phase(cells, x, y, bar, backwards ? begun_us - sure_us : begun_us,
                                     backwards ? begun_us : begun_us + sure_us, whole_us, look,
                                     most_us > 0 ? full : cells_sign(cells, SIGN_BAR_CHANGE));
    }
    cells_put(cells, x + bar + 2, y, PHASE_VALUE, failover_lines_is_known(span) ? ROLE_TEXT : ROLE_DIM,
              failover_lines_is_known(span) ? span_text(cells, span, text) : cells_sign(cells, SIGN_UNKNOWN));
}

int failover_picture_draw(struct cells *cells, int y, int rows, const struct failover *failover,
                          struct moment now)
{
    int bar = cells->width - STATS_X - PHASE_LABEL - 2 - PHASE_VALUE - 1;
    bool detects = failover_has_detection(failover->cause);
    char caption[128], clock[32], total[FORMAT_INTERVAL];
    int64_t before_us = detects ? span_most(failover->detection) : 0;
    int64_t elected_us = failover->elected_at.mono_us > failover->lost_at.mono_us
                             ? failover->elected_at.mono_us - failover->lost_at.mono_us
                             : 0;
    int64_t whole_us = before_us + elected_us + span_most(failover->takeover);

    if (rows < FAILOVER_PICTURE_ROWS || bar < PHASE_BAR_LEAST)
        return 0;
    if (whole_us < before_us + span_most(failover->vacancy))
        whole_us = before_us + span_most(failover->vacancy);
    if (whole_us < before_us + failover->reacted_us)
        whole_us = before_us + failover->reacted_us;
    snprintf(caption, sizeof caption, "last failover, %s: %s%s",
             label_when(failover->lost_at.wall_us, now, clock, sizeof clock),
             failover_cause_word(failover->cause),
             failover->cause != CAUSE_UNKNOWN && failover->cause_certainty != CERTAINTY_CERTAIN ? "?" : "");
    cells_rule(cells, 0, y++, cells->width, caption);
    if (whole_us < 1)
        whole_us = 1;
    if (detects)
        put_phase_row(cells, y, bar, "detected in", failover->detection, before_us, true, whole_us,
                      ROLE_BAR_CHANGE);
    else {
        cells_put(cells, STATS_X, y, PHASE_LABEL - 1, ROLE_DIM, "detected in");
        cells_printf(cells, STATS_X + PHASE_LABEL, y, label_room(STATS_X + PHASE_LABEL, cells->width),
                     ROLE_DIM, "%s nothing to detect: its znode was deleted at once",
                     cells_sign(cells, SIGN_DASH));
    }
    put_phase_row(cells, y + 1, bar, "vacant", failover->vacancy, before_us, false, whole_us,
                  ROLE_BAR_VACANT);
    bool reacts = failover->notified_us > 0 && !failover_lines_is_known(failover->takeover);
    if (reacts)
        put_phase_row(cells, y + 2, bar, "reacted in",
                      failover->reacted_us ? failover_point(failover->reacted_us)
                                           : (struct span){failover->notified_us, SPAN_OPEN},
                      before_us, false, whole_us, ROLE_BAR_A);
    else
        put_phase_row(cells, y + 2, bar, "takeover", failover->takeover, before_us + elected_us, false,
                      whole_us, ROLE_BAR_A);
    if (!reacts && !failover_lines_is_known(failover->takeover))
        cells_put(cells, STATS_X + PHASE_LABEL, y + 2, bar, ROLE_DIM, "no acknowledgement was seen");
    cells_put(cells, STATS_X, y + 3, PHASE_LABEL - 1, ROLE_DIM, "total");
    put_pair(cells, NULL, STATS_X + PHASE_LABEL, y + 3, bar, failover);
    cells_put(cells, STATS_X + PHASE_LABEL + bar + 2, y + 3, PHASE_VALUE, ROLE_STRONG,
              span_text(cells, failover_facts_length(failover), total));
    return FAILOVER_PICTURE_ROWS;
}

/* ---- when in the day ---- */

#define HOURS 24
#define HOURS_LABEL 6

int failover_hours_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership)
{
    size_t counts[HOURS] = {0}, most = 0, counted = 0;
    int cell = (cells->width - STATS_X - HOURS_LABEL - 1) / HOURS, levels = rows - 2;
    int x = STATS_X + HOURS_LABEL;

    if (levels < 2 || cell < 1)
        return 0;
    cell = cell > 3 ? 3 : cell;
    for (size_t i = 0; i < leadership->failover_count; i++) {
        time_t second = (time_t)(leadership->failovers[i].lost_at.wall_us / 1000000);
        struct tm tm;
        if (!localtime_r(&second, &tm))
            continue;
        counts[tm.tm_hour]++;
        counted++;
        most = counts[tm.tm_hour] > most ? counts[tm.tm_hour] : most;
    }
    if (counted == 0)
        return 0;
    levels = levels > FAILOVER_HOURS_ROWS - 2 ? FAILOVER_HOURS_ROWS - 2 : levels;
    cells_rule(cells, 0, y, cells->width, "failovers by hour of day");
    char text[24];
    snprintf(text, sizeof text, "%zu", most);
    cells_put_right(cells, x - 1, y + 1, HOURS_LABEL, ROLE_DIM, text);
    cells_put_right(cells, x - 1, y + levels, HOURS_LABEL, ROLE_DIM, "0");
    for (int hour = 0; hour < HOURS; hour++) {
        /* Any failover is visible. */
        size_t eighths = (counts[hour] * (size_t)levels * CELL_EIGHTHS + most / 2) / most;
        eighths = counts[hour] > 0 && eighths == 0 ? 1 : eighths;
        for (int level = 0; level < levels; level++) {
            size_t below = (size_t)level * CELL_EIGHTHS;
            unsigned part = eighths <= below                  ? 0
                            : eighths - below >= CELL_EIGHTHS ? CELL_EIGHTHS
                                                              : (unsigned)(eighths - below);
            for (int i = 0; i < (cell > 1 ? cell - 1 : 1); i++)
                cells_put(cells, x + hour * cell + i, y + levels - level, 1,
                          counts[hour] == most ? ROLE_WARNING : ROLE_BAR_A, cells_level(cells, part));
        }
        if (hour % 6 == 0) {
            snprintf(text, sizeof text, "%02d", hour);
            cells_put(cells, x + hour * cell, y + levels + 1, -1, ROLE_DIM, text);
        }
    }
    return levels + 2;
}

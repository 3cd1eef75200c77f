#include "tui/views/gantt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/words/labels.h"

#define SECOND_US INT64_C(1000000)
#define DAY_S 86400
#define WIDEST 1024
#define FULL ((1u << CELL_EIGHTHS) - 1)

size_t gantt_count(const struct leadership_history *leadership)
{
    size_t count = leadership->leader_count + leadership->vacant;
    return count == 0 ? 1 : count;
}

static int gantt_width_of(const struct gantt *gantt)
{
    return gantt->width < WIDEST ? gantt->width : WIDEST;
}

/* The eighth of a cell in which a time falls, within the window. */
static int64_t eighth_of(const struct gantt *gantt, int64_t us)
{
    int64_t window = gantt->to_us - gantt->from_us, all = (int64_t)gantt_width_of(gantt) * CELL_EIGHTHS;
    if (window <= 0 || us <= gantt->from_us)
        return 0;
    if (us >= gantt->to_us)
        return all;
    /* A window of years times the eighths of a wide screen is still far from overflowing. */
    return (us - gantt->from_us) * all / window;
}

/* Sets the eighths of a stretch, at least one. */
static void fill(unsigned char *masks, const struct gantt *gantt, int64_t from_us, int64_t to_us)
{
    int64_t from = eighth_of(gantt, from_us), to = eighth_of(gantt, to_us);
    int64_t all = (int64_t)gantt_width_of(gantt) * CELL_EIGHTHS;
    if (to_us < gantt->from_us || from_us > gantt->to_us)
        return;
    from = from >= all ? all - 1 : from;
    to = to <= from ? from + 1 : to;
    for (int64_t i = from; i < to;) {
        if (i % CELL_EIGHTHS == 0 && to - i >= CELL_EIGHTHS) {
            masks[i / CELL_EIGHTHS] = FULL;
            i += CELL_EIGHTHS;
        } else {
            masks[i / CELL_EIGHTHS] |= (unsigned char)(1u << i % CELL_EIGHTHS);
            i++;
        }
    }
}

static void fill_lane(unsigned char *masks, const struct gantt *gantt,
                      const struct leadership_history *leadership, uint32_t lane)
{
    memset(masks, 0, (size_t)gantt_width_of(gantt));
    for (size_t i = 0; i < leadership->stretch_count; i++)
        if (leadership->stretches[i].lane == lane)
            fill(masks, gantt, leadership->stretches[i].from_us, leadership->stretches[i].to_us);
}

/* Unknown eighths: in gaps, and outside the recording. */
static void fill_unknown(unsigned char *masks, const struct gantt *gantt,
                         const struct leadership_history *leadership)
{
    int width = gantt_width_of(gantt);
    unsigned char known[WIDEST] = {0};
    int64_t last_us = gantt->from_us;
    fill_lane(masks, gantt, leadership, LANE_UNKNOWN);
    for (size_t i = 0; i < leadership->stretch_count; i++) {
        const struct leadership_history_stretch *stretch = &leadership->stretches[i];
        if (stretch->to_us > last_us) /* that it was not watched is recorded, too */
            last_us = stretch->to_us;
        if (stretch->lane != LANE_UNKNOWN)
            fill(known, gantt, stretch->from_us, stretch->to_us);
    }
    for (int i = 0; i < width; i++)
        masks[i] |= (unsigned char)(~known[i] & FULL);
    if (last_us > gantt->from_us && last_us < gantt->to_us && gantt->to_us - last_us <= gantt->fresh_us)
        for (int64_t i = eighth_of(gantt, last_us); i < (int64_t)width * CELL_EIGHTHS; i++)
            masks[i / CELL_EIGHTHS] &= (unsigned char)~(1u << i % CELL_EIGHTHS);
}

static void draw_label(struct cells *cells, int y, const struct gantt *gantt,
                       const struct leadership_history *leadership, uint32_t lane)
{
    int room = gantt->x - gantt->label_x - 2;
    if (lane == LANE_NO_LEADER) {
        cells_put(cells, gantt->label_x, y, room, ROLE_CRITICAL, "no leader");
        return;
    }
    const struct leadership_history_leader *leader = &leadership->leaders[lane];
    bool leads =
        leadership->stretch_count > 0 && leadership->stretches[leadership->stretch_count - 1].lane == lane;
    style look = leads ? ROLE_TEXT | STYLE_BOLD : ROLE_DIM;
    cells_put(cells, gantt->label_x, y, room, look, names_shown(gantt->names, leader->who));
}

static void draw_lane(struct cells *cells, int y, const struct gantt *gantt, const unsigned char *masks,
                      const unsigned char *unknown, style look)
{
    int width = gantt_width_of(gantt);
    for (int i = 0; i < width; i++) {
        unsigned mask = masks[i];
        if (mask != 0) /* a gap cuts a bar, however short it was */
            mask = (mask & ~unknown[i] & FULL) != 0 ? mask & ~unknown[i] & FULL : mask;
        if (mask != 0)
            cells_put(cells, gantt->x + i, y, 1, look, cells_bar(cells, mask));
        else if (unknown[i] != 0)
            cells_put(cells, gantt->x + i, y, 1, ROLE_BAR_GAP, cells_sign(cells, SIGN_BAR_GAP));
    }
}

/* The position of a moment, drawn only in empty cells. */
static void draw_moment(struct cells *cells, int y, int rows, const struct gantt *gantt)
{
    if (gantt->moment_us < gantt->from_us || gantt->moment_us > gantt->to_us)
        return;
    int x = gantt->x + (int)(eighth_of(gantt, gantt->moment_us) / CELL_EIGHTHS);
    if (x >= gantt->x + gantt_width_of(gantt))
        x = gantt->x + gantt_width_of(gantt) - 1;
    for (int i = y; i < y + rows && i < cells->height; i++) {
        const struct cell *cell = &cells->at[(size_t)i * (size_t)cells->width + (size_t)x];
        if (strcmp(cell->text, " ") == 0 || STYLE_ROLE(cell->style) == ROLE_BAR_GAP)
            cells_put(cells, x, i, 1, ROLE_ACCENT, cells_sign(cells, SIGN_CHAIN));
    }
}

void gantt_draw(struct cells *cells, int y, int rows, const struct gantt *gantt,
                const struct leadership_history *leadership)
{
    unsigned char unknown[WIDEST], masks[WIDEST];
    size_t count = gantt_count(leadership);
    int first = y;
    if (gantt_width_of(gantt) < 1)
        return;
    fill_unknown(unknown, gantt, leadership);
    if (leadership->leader_count == 0 && !leadership->vacant) {
        memset(masks, 0, sizeof masks);
        cells_put(cells, gantt->label_x, y, gantt->x - gantt->label_x - 2, ROLE_DIM, "? not known");
        draw_lane(cells, y, gantt, masks, unknown, ROLE_BAR_GAP);
        return;
    }
    for (size_t i = gantt->top; i < count && y < first + rows; i++, y++) {
        bool nobody = leadership->vacant && i == 0;
        uint32_t lane = nobody ? LANE_NO_LEADER : (uint32_t)(i - leadership->vacant);
        fill_lane(masks, gantt, leadership, lane);
        draw_label(cells, y, gantt, leadership, lane);
        draw_lane(cells, y, gantt, masks, unknown,
                  nobody          ? ROLE_BAR_VACANT
                  : lane % 2 == 0 ? ROLE_BAR_A
                                  : ROLE_BAR_B);
    }
    draw_moment(cells, first, y - first, gantt);
}

static int cell_of(const struct gantt *gantt, int64_t us)
{
    int cell = (int)(eighth_of(gantt, us) / CELL_EIGHTHS);
    return cell < gantt_width_of(gantt) ? cell : gantt_width_of(gantt) - 1;
}

void gantt_draw_marks(struct cells *cells, int y, const struct gantt *gantt,
                      const struct leadership_history *leadership)
{
    if (gantt_width_of(gantt) < 1)
        return;
    for (size_t i = 0; i < leadership->failover_count; i++) {
        int64_t us = leadership->failovers[i].lost_at.wall_us;
        if (us >= gantt->from_us && us <= gantt->to_us)
            cells_put(cells, gantt->x + cell_of(gantt, us), y, 1, ROLE_BAR_CHANGE,
                      cells_sign(cells, SIGN_TICK));
    }
    if (gantt->moment_us >= gantt->from_us && gantt->moment_us <= gantt->to_us)
        cells_put(cells, gantt->x + cell_of(gantt, gantt->moment_us), y, 1, ROLE_ACCENT | STYLE_BOLD,
                  cells_sign(cells, SIGN_MOMENT));
    if (gantt->chosen_us >= gantt->from_us && gantt->chosen_us <= gantt->to_us && gantt->chosen_us != 0)
        cells_put(cells, gantt->x + cell_of(gantt, gantt->chosen_us), y, 1, ROLE_KEY,
                  cells_sign(cells, SIGN_POINTER));
}

int64_t gantt_time_at(const struct gantt *gantt, int x)
{
    int width = gantt_width_of(gantt);
    if (x < gantt->x || x >= gantt->x + width)
        return -1;
    return gantt->from_us + (gantt->to_us - gantt->from_us) * (2 * (x - gantt->x) + 1) / (2 * width);
}

/* The axis. */

/* Round steps, and how a time is written where they are so long. */
static const int64_t steps_s[] = {1,     5,     10,        30,        60,        120,   300,
                                  600,   900,   1800,      3600,      7200,      10800, 21600,
                                  43200, DAY_S, 2 * DAY_S, 7 * DAY_S, 30 * DAY_S};

static void label_of(const struct tm *tm, int64_t step_s, char *buffer, size_t size)
{
    bool midnight = tm->tm_hour == 0 && tm->tm_min == 0 && tm->tm_sec == 0;
    size_t used = step_s >= DAY_S || (midnight && step_s >= 1800) ? strftime(buffer, size, "%b %e", tm)
                  : step_s >= 60                                  ? strftime(buffer, size, "%H:%M", tm)
                                                                  : strftime(buffer, size, "%H:%M:%S", tm);
    if (used == 0)
        buffer[0] = '\0';
}

/* The first moment from second on whose local time is a multiple of the step (of days: a midnight). */
static int64_t round_up(int64_t second, int64_t step_s)
{
    time_t at = (time_t)second;
    struct tm tm;
    if (!localtime_r(&at, &tm))
        return second + step_s;
    int64_t into = tm.tm_hour * INT64_C(3600) + tm.tm_min * 60 + tm.tm_sec;
    if (step_s < DAY_S)
        return into % step_s == 0 ? second : second + step_s - into % step_s;
    if (into == 0)
        return second;
    tm.tm_mday++;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    time_t midnight = mktime(&tm);
    return midnight > at ? (int64_t)midnight : second + step_s;
}

void gantt_draw_axis(struct cells *cells, int y, const struct gantt *gantt)
{
    int width = gantt_width_of(gantt), free_x = gantt->x;
    int64_t window_s = (gantt->to_us - gantt->from_us) / SECOND_US, step_s = 0;
    if (width < 1 || window_s < 1)
        return;
    for (size_t i = 0; i < sizeof steps_s / sizeof *steps_s; i++) {
        step_s = steps_s[i];
        if (step_s * width >= window_s * (step_s < 60 ? 14 : 11))
            break;
    }
    int64_t second = round_up((gantt->from_us + SECOND_US - 1) / SECOND_US, step_s);
    for (int i = 0; i < width && second * SECOND_US <= gantt->to_us; i++) {
        char label[24];
        time_t at = (time_t)second;
        struct tm tm;
        int x = gantt->x + cell_of(gantt, second * SECOND_US);
        if (!localtime_r(&at, &tm))
            break;
        label_of(&tm, step_s, label, sizeof label);
        int length = cells_width(cells, label);
        if (x >= free_x && x + 1 + length <= gantt->x + width - gantt->kept) {
            cells_put(cells, x, y, 1, ROLE_RULE, cells_sign(cells, SIGN_CHAIN));
            cells_put(cells, x + 1, y, length, ROLE_DIM, label);
            free_x = x + length + 3;
        }
        second = round_up(second + (step_s < DAY_S ? step_s : step_s - DAY_S / 2), step_s);
    }
}

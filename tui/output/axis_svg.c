#include "tui/output/axis_svg.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/output/markup.h"
#include "tui/output/report_sentences.h"

#define MS INT64_C(1000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* Room for a label; the first and the last must not leave the drawing. */
#define LABEL_ROOM 92.0
#define EDGE 22.0
#define LINE 14.0

static int64_t choose_step(const struct axis_scale *scale)
{
    static const int64_t steps[] = {MS,          2 * MS,      5 * MS,      10 * MS, 20 * MS,    50 * MS,
                                    100 * MS,    200 * MS,    500 * MS,    SECOND,  2 * SECOND, 5 * SECOND,
                                    10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE,  2 * MINUTE, 5 * MINUTE,
                                    10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,    2 * HOUR,   3 * HOUR,
                                    6 * HOUR,    12 * HOUR,   DAY,         2 * DAY, 7 * DAY,    14 * DAY,
                                    28 * DAY,    91 * DAY,    364 * DAY};
    const size_t count = sizeof steps / sizeof *steps;
    double most = (scale->right - scale->left) / LABEL_ROOM;
    for (size_t i = 0; i < count; i++)
        if ((double)(scale->to_us - scale->from_us) / (double)steps[i] <= most)
            return steps[i];
    return steps[count - 1] * 10;
}

double axis_x(const struct axis_scale *scale, int64_t at_us)
{
    if (at_us <= scale->from_us || scale->to_us <= scale->from_us)
        return scale->left;
    if (at_us >= scale->to_us)
        return scale->right;
    return scale->left + (scale->right - scale->left) * (double)(at_us - scale->from_us) /
                             (double)(scale->to_us - scale->from_us);
}

static bool shows_local(const struct axis_scale *scale)
{
    return sentence_zones_differ(scale->from_us) || sentence_zones_differ(scale->to_us);
}

double axis_height(const struct axis_scale *scale)
{
    return shows_local(scale) ? 8 + 3 * LINE : 8 + 2 * LINE;
}

/* As finely as the step needs it. */
static void axis_svg_put_time(struct buffer *out, int64_t at_us, int64_t step_us, enum sentence_zone zone)
{
    char time[SENTENCE_TIME];
    sentence_time(at_us, zone, time);
    if (step_us >= MINUTE)
        time[5] = '\0';
    else if (step_us >= SECOND)
        time[8] = '\0';
    buffer_put_text(out, time);
}

static void put_day(struct buffer *out, int64_t at_us, enum sentence_zone zone)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t s = (time_t)(at_us / SECOND);
    struct tm tm;
    if (zone == SENTENCE_UTC ? gmtime_r(&s, &tm) : localtime_r(&s, &tm))
        buffer_printf(out, "%d %s", tm.tm_mday, months[tm.tm_mon % 12]);
}

static void axis_svg_put_label(struct buffer *out, const char *look, double x, double y)
{
    buffer_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", look, x, y);
}

void axis_svg_print(struct buffer *out, const struct axis_scale *scale, double top, double bottom)
{
    int64_t step_us = choose_step(scale);
    int64_t first_us = (scale->from_us + step_us - 1) / step_us * step_us;
    bool local = shows_local(scale), day_told = false;
    char zone[SENTENCE_TIME];
    axis_svg_put_label(out, "zone", scale->left - 10, bottom + LINE + 3);
    buffer_put_text(out, "UTC</text>\n");
    if (local) {
        axis_svg_put_label(out, "zone", scale->left - 10, bottom + 2 * LINE + 3);
        markup_text(out, sentence_zone(scale->to_us, SENTENCE_LOCAL, zone));
        buffer_put_text(out, "</text>\n");
    }
    for (int64_t at_us = first_us; at_us <= scale->to_us; at_us += step_us) {
        double x = axis_x(scale, at_us);
        bool midnight = at_us % DAY == 0;
        buffer_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", midnight ? "day" : "tick", x, top,
                      bottom + 4);
        if (x < scale->left + EDGE || x > scale->right - EDGE + 20)
            continue;
        axis_svg_put_label(out, "time", x, bottom + LINE + 3);
        if (step_us >= DAY)
            put_day(out, at_us, SENTENCE_UTC);
        else
            axis_svg_put_time(out, at_us, step_us, SENTENCE_UTC);
        buffer_put_text(out, "</text>");
        if (local && step_us < DAY) {
            axis_svg_put_label(out, "time local", x, bottom + 2 * LINE + 3);
            axis_svg_put_time(out, at_us, step_us, SENTENCE_LOCAL);
            buffer_put_text(out, "</text>");
        }
        /* The day is shown once, and again at the beginning of another one. */
        if (step_us < DAY && (!day_told || midnight)) {
            axis_svg_put_label(out, "time date", x, bottom + (local ? 3 : 2) * LINE + 3);
            put_day(out, at_us, SENTENCE_UTC);
            buffer_put_text(out, "</text>");
            day_told = true;
        }
        buffer_put_char(out, '\n');
    }
}

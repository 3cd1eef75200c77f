#include "tui/output/phases_svg.h"

#include <stdbool.h>

#include "tui/output/markup.h"
#include "tui/words/format.h"

#define WIDTH 200.0
#define HEIGHT 14.0
#define EDGE 8.0 /* to both sides, where open bounds run out */
#define LEAST 1.5

static int64_t most_of(const struct span *span)
{
    return span->high_us > span->low_us ? span->high_us : span->low_us > 0 ? span->low_us : 0;
}

static bool phases_svg_is_known(const struct span *span)
{
    return span->low_us >= 0 || span->high_us >= 0;
}

struct phases_scale phases_scale_of(const struct report_election *election)
{
    struct phases_scale scale = {0, 0};
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = &election->failovers[i];
        int64_t before = most_of(&failover->detection);
        int64_t after = most_of(&failover->vacancy) + most_of(&failover->takeover);
        if (failover->gap_us > 0)
            continue;
        scale.before_us = before > scale.before_us ? before : scale.before_us;
        scale.after_us = after > scale.after_us ? after : scale.after_us;
    }
    return scale;
}

struct svg_pen {
    struct buffer *out;
    double x, per_us;
    int way; /* 1: to the right, -1: to the left */
};

static void phases_svg_put_part(struct svg_pen *pen, const char *look, const char *more, double length,
                                const char *what, const char *span)
{
    double x = pen->way > 0 ? pen->x : pen->x - length;
    buffer_printf(pen->out, "<rect class=\"%s%s\" x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"%.0f\"><title>",
                  look, more, x, length, HEIGHT - 4);
    markup_printf(pen->out, "%s: %s", what, span);
    buffer_put_text(pen->out, "</title></rect>");
    pen->x += pen->way * length;
}

static void put_phase(struct svg_pen *pen, const struct span *span, const char *look, const char *what)
{
    char text[FORMAT_INTERVAL];
    int64_t low_us = span->low_us > 0 ? span->low_us : 0;
    double low = (double)low_us * pen->per_us, more = (double)(most_of(span) - low_us) * pen->per_us;
    if (!phases_svg_is_known(span))
        return;
    format_interval(span->low_us, span->high_us, false, text);
    if (low_us > 0)
        phases_svg_put_part(pen, look, "", low < LEAST ? LEAST : low, what, text);
    if (span->high_us > low_us)
        phases_svg_put_part(pen, look, " pale", more < LEAST ? LEAST : more, what, text);
    if (span->high_us < 0)
        phases_svg_put_part(pen, look, " pale open", EDGE, what, text);
}

void phases_svg_print(struct buffer *out, const struct phases_scale *scale, const struct failover *failover)
{
    int64_t all_us = scale->before_us + scale->after_us;
    if (failover->gap_us > 0 ||
        (!phases_svg_is_known(&failover->detection) && !phases_svg_is_known(&failover->vacancy) &&
         !phases_svg_is_known(&failover->takeover)))
        return;
    double per_us = all_us ? (WIDTH - 2 * EDGE) / (double)all_us : 0;
    double gone = EDGE + (double)scale->before_us * per_us;
    struct svg_pen left = {out, gone, per_us, -1}, right = {out, gone, per_us, 1};
    buffer_printf(out, "<svg class=\"phases\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", WIDTH, HEIGHT);
    markup_text(out, "The phases of this failover");
    buffer_put_text(out, "</title>");
    put_phase(&left, &failover->detection, "detection", "detection");
    put_phase(&right, &failover->vacancy, "vacancy", "nobody stood");
    put_phase(&right, &failover->takeover, "takeover", "takeover");
    buffer_printf(out, "<path class=\"gone\" d=\"M%.1f 0V%.0f\"/></svg>", gone, HEIGHT);
}

/*
 * axis_svg.h - time from left to right in a drawing: the position of a moment, and lines with the time of
 * day.
 *
 * The times are UTC; if the local clock shows another time, it is below.
 */
#ifndef ELECTOP_TUI_OUTPUT_AXIS_SVG_H
#define ELECTOP_TUI_OUTPUT_AXIS_SVG_H

#include <stdint.h>

#include "probe/json/buffer.h"

struct axis_scale {
    int64_t from_us, to_us;
    double left, right;
};

/* Never outside of left and right. */
double axis_x(const struct axis_scale *, int64_t at_us);

/* What the labels need below the drawing. */
double axis_height(const struct axis_scale *);

/* Lines from top to bottom, and their labels below. */
void axis_svg_print(struct buffer *, const struct axis_scale *, double top, double bottom);

#endif

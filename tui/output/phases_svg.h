/*
 * phases_svg.h - one failover as a small bar: its phases around the moment at which the leader's znode went.
 *
 * To the left of that moment is detection (the leader was already gone, unnoticed), to the right the
 * vacancy and the takeover. A duration known within bounds is full up to the lower and pale up to the upper
 * one; an open bound runs out to the edge. All bars of an election have the same scale, so they can be
 * compared.
 */
#ifndef ELECTOP_TUI_OUTPUT_PHASES_SVG_H
#define ELECTOP_TUI_OUTPUT_PHASES_SVG_H

#include "probe/json/buffer.h"
#include "probe/report/report.h"

struct phases_scale {
    int64_t before_us, after_us; /* the most that any of them needs */
};
struct phases_scale phases_scale_of(const struct report_election *);

/* Nothing where no phase is known. */
void phases_svg_print(struct buffer *, const struct phases_scale *, const struct failover *);

#endif

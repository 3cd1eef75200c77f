/*
 * threshold.h - a figure and the range in which it is normal, as the monitoring plug-ins write it.
 *
 *   candidates=3:          alert below 3
 *   vacancy=10             alert below 0 and above 10 (seconds)
 *   failover.p99=~:2s      alert above 2 seconds
 *   changes=@5:10          alert from 5 to 10
 *
 * The syntax of the range is that of the Monitoring Plugins Development Guidelines ("[@][START:][END]"), with
 * durations where the figure is one.
 */
#ifndef ELECTOP_CONFIG_THRESHOLD_H
#define ELECTOP_CONFIG_THRESHOLD_H

#include <stdbool.h>

#define THRESHOLD_FIGURE 32
struct threshold {
    char figure[THRESHOLD_FIGURE];
    double low, high; /* -INFINITY, INFINITY: no bound; durations in seconds */
    bool inside;      /* alert inside the range, not outside of it */
};

/* Returns NULL on success, else a static error text in the form of units.h ("has no range; write it as in
 * ..."). */
const char *threshold_parse(const char *text, struct threshold *threshold);

/* Does this value call for an alert? */
bool threshold_alerts(const struct threshold *threshold, double value);

/* The range for performance data: plain numbers. Returns buffer. */
#define THRESHOLD_TEXT 64
char *threshold_print(const struct threshold *threshold, char buffer[THRESHOLD_TEXT]);

#endif

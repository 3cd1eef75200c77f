/*
 * event_log.h - the latest events, as shown by the dashboard's event pane and the events view.
 *
 * A ring of the latest EVENTS_KEPT. Everything is copied when an event arrives, so a line outlives its
 * election. The strings are untrusted bytes: only cells_put() may show them.
 */
#ifndef ELECTOP_TUI_VIEWS_EVENT_LOG_H
#define ELECTOP_TUI_VIEWS_EVENT_LOG_H

#include <stddef.h>

#include "tui/words/event_text.h"

#define EVENTS_KEPT 1000

struct event_line {
    struct moment at;
    enum event_kind kind;
    style role;                      /* of the label */
    const char *label;               /* "leader elected"; static */
    char *cluster, *path;            /* of the election; path NULL for the connection's own */
    char *where;                     /* the election's display name, or the cluster's */
    char *from;                      /* "" or the previous leader: an arrow follows it */
    char *subject, *within, *detail; /* as in event_text.h */
};

struct event_log;

struct event_log *event_log_new(void);
void event_log_free(struct event_log *log);

/*
 * For monitor_subscribe() and model->on_event: context is the log. The departure of a leader whose loss was
 * just added is left out.
 */
void event_log_add(void *context, const struct event *event);

size_t event_log_count(const struct event_log *log);
/* i = 0 is the latest; NULL beyond the last. Valid until the next event_log_add(). */
const struct event_line *event_log_at(const struct event_log *log, size_t i);

/* A copy that does not grow, for a frozen display. */
struct event_log *event_log_copy(const struct event_log *log);

#endif

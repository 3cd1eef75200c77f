/*
 * alert_book.h - the open alerts: turns events into raised, repeated and resolved alerts.
 *
 * Pure: time is an argument. A finding is one alert for each rule that wants it: raised, repeated while it
 * lasts, and resolved. Any other event is sent once.
 */
#ifndef ELECTOP_PROBE_ALERT_ALERT_BOOK_H
#define ELECTOP_PROBE_ALERT_ALERT_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/event.h"

#define ALERTS_MOST 10000 /* the limit of open alerts; more are dropped, and counted */

enum alert_state {
    ALERT_RAISED,
    ALERT_AGAIN,
    ALERT_RESOLVED,
    ALERT_EVENT /* a single event: it has no end */
};
const char *alert_state_word(enum alert_state state);

struct alert {
    uint64_t id;
    size_t rule; /* of settings.alerts */
    uint64_t
        key; /* the same from every observer of the finding (raised, again and resolved), or of the event */
    /* Untrusted bytes; NULL: unknown. code: a finding's code, or an event's word. */
    char *cluster, *code, *election, *name, *candidate, *evidence, *advice, *owner, *runbook;
    enum severity severity;
    enum certainty certainty;
    int64_t since_wall_us;
    uint64_t subject; /* of the finding; NO_SUBJECT: none, or not known since a reload or a restart */
    int64_t due_us;   /* when it is to be sent next; INT64_MAX: never */
    bool once;        /* an event */
    bool sent;
    bool unconfirmed; /* from before a reload or a restart, and not raised since */
};

/* The key of the event's alert. A finding needs its cluster, its election and itself only. */
uint64_t alert_book_key(const struct event *event);

/* The alert belongs to the book, and is valid during the call. */
typedef void (*alert_send_fn)(void *context, const struct alert *, enum alert_state);

/* The alert's finding as the model has it by now; NULL: not found. */
typedef const struct finding *(*alert_finding_fn)(void *context, const struct alert *);

struct alert_book;

/* The settings must outlive it, or be replaced. now may be NULL: repeated alerts are then sent as the latest
 * event had them. */
struct alert_book *alert_book_new(const struct settings *settings, alert_send_fn send, alert_finding_fn now,
                                  void *context);
void alert_book_free(struct alert_book *book);

void alert_book_take(struct alert_book *book, const struct event *event, int64_t now_us);
/* Sends the alerts that are due; returns when (monotonic) to call it next, INT64_MAX: after the next
 * event. */
int64_t alert_book_turn(struct alert_book *book, int64_t now_us);

/*
 * Takes new settings: alerts of a removed rule are forgotten. Open alerts must be raised again by the new
 * model, or are checked: see alert_book_confirm().
 */
void alert_book_replace(struct alert_book *book, const struct settings *settings);
/* Checks alerts that were not raised again: still there (1), gone (0), unknown (-1: checked again later). */
typedef int (*alert_there_fn)(void *context, const struct alert *alert);
void alert_book_confirm(struct alert_book *book, alert_there_fn there, void *context);

/* The open alerts that were sent, as text for another process to restore; malloc'd. */
char *alert_book_print(const struct alert_book *book);
/* Restores the alerts whose rules are still configured. The model must raise them again; else
 * alert_book_confirm() checks whether they still hold. Damaged lines are left out. */
void alert_book_restore(struct alert_book *book, const char *text, int64_t now_us);
/* Changes whenever that text may have changed. */
uint64_t alert_book_revision(const struct alert_book *book);

uint64_t alert_book_dropped(const struct alert_book *book);

/* The words allowed in a rule's on: besides severities: findings and events. NULL-terminated; the list is
 * malloc'd. */
const char **alert_conditions(void);

#endif

/*
 * alert_book.h - the open alerts: turns events into raised, repeated and resolved alerts.
 *
 * Pure: time is an argument. One alert has one cause (a rule, a cluster and a finding's code) and contains
 * all its elections: findings raised within ALERT_COLLECT_US are sent as one alert, and those within
 * ALERT_GROUP_US join it silently. Later ones are a separate alert. An alert is resolved when the last of its
 * elections is.
 */
#ifndef ELECTOP_PROBE_ALERT_ALERT_BOOK_H
#define ELECTOP_PROBE_ALERT_ALERT_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/event.h"

#define ALERT_COLLECT_US 20000
#define ALERT_GROUP_US 5000000
#define ALERTS_MOST 1000        /* the limit of open alerts; more are dropped, and counted */
#define ALERT_MEMBERS_MOST 5000 /* elections of one alert */
#define ALERT_KEY_SIZE 17
#define ALERT_TEXT_MOST 65536 /* bytes of alert_print() */

enum alert_state {
    ALERT_RAISED,
    ALERT_AGAIN,
    ALERT_RESOLVED,
    ALERT_EVENT /* a single event: it has no end */
};
const char *alert_state_word(enum alert_state state);

/* One election of the alert. Texts are untrusted bytes; NULL: unknown. */
struct alert_member {
    char *election, *name, *candidate, *evidence, *advice, *owner, *runbook;
    char *subject; /* of an event: the text that is equal for all observers; NULL: its evidence */
    enum severity severity;
    enum certainty certainty;
    int64_t since_wall_us;
    bool open;
    bool unconfirmed; /* from before a reload or a restart, and not raised since */
};

struct alert {
    uint64_t id;
    size_t rule;                  /* of settings.alerts */
    char *cluster, *code;         /* a finding's code, or an event's word */
    bool once;                    /* an event */
    struct alert_member *members; /* the first is its subject */
    size_t member_count;
    int64_t opened_us, due_us; /* when it is to be sent next; INT64_MAX: never */
    bool sent;
    char key[ALERT_KEY_SIZE]; /* the same for every observer of the same cause */
};

/* The alert belongs to the book, and is valid during the call. */
typedef void (*alert_send_fn)(void *context, const struct alert *, enum alert_state);

struct alert_book;

/* The settings must outlive it, or be replaced. */
struct alert_book *alert_book_new(const struct settings *settings, alert_send_fn send, void *context);
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
/* Checks members that were not raised again: still there (1), gone (0), unknown (-1: checked again later). */
typedef int (*alert_there_fn)(void *context, const char *cluster, const char *election, const char *code);
void alert_book_confirm(struct alert_book *book, alert_there_fn there, void *context, int64_t now_us);

/*
 * An alert as text, for another process to restore: its rule, its cause, and as many elections as fit;
 * malloc'd.
 */
char *alert_print(const struct alert_book *book, const struct alert *alert);
/*
 * Restores a sent alert from its text: it is open, counts as sent, and is repeated when it is due. The model
 * must raise it again, else alert_book_confirm() checks whether it still holds. wall_us: the same moment as
 * now_us. NULL: the configuration has no such rule, it is open already, or the text is damaged. Else borrowed
 * until the next call.
 */
const struct alert *alert_book_restore(struct alert_book *book, const char *key, const char *text,
                                       int64_t now_us, int64_t wall_us);
/* Forgets alerts without sending anything: one, or all (NULL). */
void alert_book_forget(struct alert_book *book, const struct alert *alert);
/* Changes whenever the open alerts that were sent may have changed. */
uint64_t alert_book_revision(const struct alert_book *book);
const struct alert *alert_book_at(const struct alert_book *book, size_t i);

size_t alert_book_open(const struct alert_book *book); /* alerts */
uint64_t alert_book_dropped(const struct alert_book *book);

/* The words allowed in a rule's on: besides severities: findings and events. NULL-terminated; the list is
 * malloc'd. */
const char **alert_conditions(void);

#endif

/*
 * alert_book.h - which alerts are open: turns events into raised, repeated and resolved alerts.
 *
 * Pure: time is an argument. One alert is one cause (a rule, a cluster and a finding's code), with all
 * elections that it shows in at once: findings raised within ALERT_COLLECT_US go out as one, what joins
 * within ALERT_GROUP_US joins it silently. Later it is a separate alert. An alert is resolved when the
 * last of its elections is.
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
#define ALERTS_MOST 1000        /* open at once; more are dropped, and counted */
#define ALERT_MEMBERS_MOST 5000 /* elections of one */
#define ALERT_KEY_SIZE 17
#define ALERT_TEXT_MOST 65536 /* bytes of alert_print() */

enum alert_state {
    ALERT_RAISED,
    ALERT_AGAIN,
    ALERT_RESOLVED,
    ALERT_EVENT /* happened once: no end will follow */
};
const char *alert_state_word(enum alert_state state);

/* One election in which it shows. Texts are strangers' bytes; NULL: not said. */
struct alert_member {
    char *election, *name, *candidate, *evidence, *advice, *owner, *runbook;
    char *subject; /* of an event: what every observer says of it; NULL: its evidence */
    enum severity severity;
    enum certainty certainty;
    int64_t since_wall_us;
    bool open;
    bool unconfirmed; /* of before a reload or a restart, and not raised since */
};

struct alert {
    uint64_t id;
    size_t rule;                  /* of settings.alerts */
    char *cluster, *code;         /* a finding's code, or an event's word */
    bool once;                    /* an event */
    struct alert_member *members; /* the first is its subject */
    size_t member_count;
    int64_t opened_us, due_us; /* when it is to go out next; INT64_MAX: never */
    bool sent;
    char key[ALERT_KEY_SIZE]; /* the same for every observer of the same cause */
};

/* The alert is the book's, and only for the call. */
typedef void (*alert_send_fn)(void *context, const struct alert *, enum alert_state);

struct alert_book;

/* The settings outlive it, or are replaced. */
struct alert_book *alert_book_new(const struct settings *settings, alert_send_fn send, void *context);
void alert_book_free(struct alert_book *book);

void alert_book_take(struct alert_book *book, const struct event *event, int64_t now_us);
/* Sends those that are due; when (monotonic) it is to be called next, INT64_MAX: after the next event. */
int64_t alert_book_turn(struct alert_book *book, int64_t now_us);

/*
 * Other settings: alerts of a rule that there is no more are forgotten. What is open has to be raised again
 * by the new model, or is asked for: see alert_book_confirm().
 */
void alert_book_replace(struct alert_book *book, const struct settings *settings);
/* Members that were not raised again are asked for: still there (1), gone (0), not known (-1: asked again).
 */
typedef int (*alert_there_fn)(void *context, const char *cluster, const char *election, const char *code);
void alert_book_confirm(struct alert_book *book, alert_there_fn there, void *context, int64_t now_us);

/*
 * An alert as text, to be restored by another process: its rule, its cause, its elections as far as they fit;
 * malloc'd.
 */
char *alert_print(const struct alert_book *book, const struct alert *alert);
/*
 * An alert that was sent, from its text: it is open, has to be raised again or is asked for (see
 * alert_book_confirm()), and repeated. wall_us: of the same moment as now_us. NULL: the configuration has no
 * such rule, it is open already, or the text is damaged. Else borrowed until the next call.
 */
const struct alert *alert_book_restore(struct alert_book *book, const char *key, const char *text,
                                       int64_t now_us, int64_t wall_us);
/* Forgets alerts without sending anything: one, or all (NULL). */
void alert_book_forget(struct alert_book *book, const struct alert *alert);
/* Changes whenever the open alerts that were sent may have changed. */
uint64_t alert_book_revision(const struct alert_book *book);
const struct alert *alert_book_at(const struct alert_book *book, size_t i);
/* A member's own key, for an event. */
void alert_member_key(const struct alert_book *book, const struct alert *alert, size_t member,
                      char key[ALERT_KEY_SIZE]);

size_t alert_book_open(const struct alert_book *book); /* alerts */
uint64_t alert_book_dropped(const struct alert_book *book);

/* The words that a rule's on: may have, besides severities: findings and events. NULL-terminated; the list is
   malloc'd. */
const char **alert_conditions(void);

#endif

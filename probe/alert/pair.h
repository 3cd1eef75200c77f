/*
 * pair.h - decides which of several recorders sends the alerts: their election, and the ledger of sent
 * alerts.
 *
 *   SANDBOX/pair-NAME/recorders   the election. Each recorder is a candidate of candidate.h, with the layout
 *                                 of Curator's LeaderLatch; the leader sends the alerts
 *   SANDBOX/pair-NAME/sent        the ledger. Only the leader writes its entries, each before it sends the
 *                                 message, and each names its writer:
 *       a-KEY          an alert that was raised, with its facts; removed once it is resolved
 *       a-KEY.posted   its post was accepted
 *       a-KEY.over     its end is being sent
 *       e-KEY          an event; removed after ten minutes
 *
 * A leader that was frozen or disconnected cannot write once its session has expired: its successor sends the
 * alerts without an entry. While the servers cannot be reached there is no leader, and alerts wait.
 *
 * All callbacks come from the loop.
 */
#ifndef ELECTOP_PROBE_ALERT_PAIR_H
#define ELECTOP_PROBE_ALERT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "config/settings.h"

struct pair;

struct pair_listener {
    /* Called before leads(true), once for each open alert, with its KEY and facts. posted, over: whether it
     * has the entry .posted, .over. */
    void (*entry)(void *context, const char *key, const char *text, bool posted, bool over);
    void (*leads)(void *context, bool leads);
    void (*problem)(void *context, const char *problem);
};

/* Joins the election in this cluster, which must stay. name: valid by pair_name_is_fine(). NULL: no
 * descriptor is left, or the sandbox is not a valid path. */
struct pair *pair_start(uv_loop_t *loop, const struct cluster_settings *cluster, const char *sandbox,
                        const char *name, const struct pair_listener *listener, void *context);
/* Leaves the election; pending claims are answered first. NULL is allowed. */
void pair_stop(struct pair *pair);

/* It leads, as far as it knows: it may have lost its connection since. */
bool pair_leads(const struct pair *pair);
/* It leads and is connected: it may claim alerts and send them. */
bool pair_is_ready(const struct pair *pair);

enum pair_answer {
    PAIR_GRANTED,
    PAIR_TAKEN, /* another recorder has sent it */
    PAIR_LOST   /* unknown; may be repeated once it is ready */
};
typedef void (*pair_answer_fn)(void *context, enum pair_answer);

/* Writes entries with this text. Granted if this recorder created at least one of them, now or in an earlier
 * call whose answer was lost. False: nothing was sent, and fn is not called. */
bool pair_claim(struct pair *pair, char *const *names, size_t count, const char *text, pair_answer_fn fn,
                void *context);
/* Granted while that entry exists and the session lives. */
bool pair_check(struct pair *pair, const char *name, pair_answer_fn fn, void *context);
/* No answer is reported. */
void pair_note_posted(struct pair *pair, const char *key);
void pair_forget(struct pair *pair, const char *key); /* the alert is over, and its end was sent */

#endif

/*
 * pair.h - which of several recorders sends the alerts: their election, and the ledger of sent alerts.
 *
 *   SANDBOX/pair-NAME/recorders   the election. Each recorder is a candidate of candidate.h, with the layout
 * of Curator's LeaderLatch; the leader sends the alerts SANDBOX/pair-NAME/sent        the ledger. Its entries
 * are written by the leader alone, each before what it is about is sent, and contain who wrote it: a-KEY an
 * alert that was raised, with its facts; removed once it is resolved a-KEY.posted   ... and its post was
 * accepted a-KEY.over     its end is being sent e-KEY          an event; removed after ten minutes
 *
 * A leader that was frozen or cut off cannot write once its session has expired: what it had not claimed by
 * then, its successor sends. While the servers are out of reach there is no leader, and alerts wait.
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
    /* Before leads(true), once for each open alert: KEY, its facts, and which of the signs above it has. */
    void (*entry)(void *context, const char *key, const char *text, bool posted, bool over);
    void (*leads)(void *context, bool leads);
    void (*problem)(void *context, const char *problem);
};

/* Joins the election in this cluster, which must stay. name: as pair_name_is_fine(). NULL: no
   descriptor is left, or the sandbox is no path. */
struct pair *pair_start(uv_loop_t *loop, const struct cluster_settings *cluster, const char *sandbox,
                        const char *name, const struct pair_listener *listener, void *context);
/* Leaves the election; claims that are under way are answered before. NULL is fine. */
void pair_stop(struct pair *pair);

/* It leads, as far as it knows: it may have lost its connection since. */
bool pair_leads(const struct pair *pair);
/* It leads, and has a connection: it may claim alerts and send them. */
bool pair_is_ready(const struct pair *pair);

enum pair_answer {
    PAIR_GRANTED,
    PAIR_TAKEN, /* another recorder has sent it */
    PAIR_LOST   /* not known; may be asked again when it is ready */
};
typedef void (*pair_answer_fn)(void *context, enum pair_answer);

/* Writes entries with this text; granted where at least one is new, or its own. False: nothing was sent, and
   fn is not called. */
bool pair_claim(struct pair *pair, char *const *names, size_t count, const char *text, pair_answer_fn fn,
                void *context);
/* Granted while that entry exists and the session lives. */
bool pair_check(struct pair *pair, const char *name, pair_answer_fn fn, void *context);
/* Without an answer. */
void pair_note_posted(struct pair *pair, const char *key);
void pair_forget(struct pair *pair, const char *key); /* the alert is over, and that was sent */

#endif

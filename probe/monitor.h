/*
 * monitor.h - the one small interface between probe/ and its users.
 *
 * A monitor is a model fed by a source for each cluster of the settings, on one event loop. Commands and
 * the dashboard subscribe to its events and read its model.
 */
#ifndef ELECTOP_PROBE_MONITOR_H
#define ELECTOP_PROBE_MONITOR_H

#include <uv.h>

#include "config/settings.h"
#include "probe/election/directory_kind.h"
#include "probe/election/model.h"

struct monitor;

typedef void (*monitor_event_fn)(void *context, const struct event *);

/* Starts watching. The settings must outlive it. NULL and a text in *error (caller frees) on failure. */
struct monitor *monitor_start(uv_loop_t *loop, const struct settings *settings, char **error);

/* Calls fn for every event from now on; any number may subscribe. */
void monitor_subscribe(struct monitor *monitor, monitor_event_fn fn, void *context);
/* Not from within a call of it. Without one that is subscribed: does nothing. */
void monitor_unsubscribe(struct monitor *monitor, monitor_event_fn fn, void *context);

const struct model *monitor_model(const struct monitor *monitor);
/* Before it stops: what waits for more facts is reported with those that are known. */
void monitor_finish(struct monitor *monitor);

/* Before anything is observed: no second poll will follow. False, later: others will, after all. */
void monitor_one_poll(struct monitor *monitor, bool only);

/*
 * For one complete snapshot: the servers' data has been compared, as far as that is possible before until_ms
 * (of uv_now()). A server that hangs is not waited for.
 */
bool monitor_compared(struct monitor *monitor, uint64_t until_ms);

/* Every cluster has been read completely, or has refused us for good. One that cannot be reached may be
   reached yet: waiting for this needs a deadline. */
bool monitor_complete(const struct monitor *monitor);
/* Ends the first snapshot, complete or not. True: elections were still being searched for; the model says
 * where. */
bool monitor_cut(struct monitor *monitor);

/* How far the search for elections in that cluster is, until the loop runs on. False: its elections are
 * named. */
bool monitor_discovery(const struct monitor *monitor, size_t cluster, struct discovery *state);

/* The reads of that cluster since the start, and those of them that had to wait. */
void monitor_reads(const struct monitor *monitor, size_t cluster, uint64_t *sent, uint64_t *delayed);

/* Ask all servers now whatever can be asked, also where the settings say: on demand only. */
void monitor_ask(struct monitor *monitor);

/* Some servers have not answered yet. */
bool monitor_is_asking(const struct monitor *monitor);

/* A person looks on: a silent server is noticed within a second, by three empty reads a second. */
void monitor_attend(struct monitor *);

/* A person says of this candidate that it wakes after all (OBSERVED_CLEARED). Nothing is written anywhere. */
void monitor_clear(struct monitor *monitor, const char *cluster, const char *election, const char *candidate);

/*
 * The recorded state until that wall-clock time: see probe/election/baseline.h. then: borrowed until the next
 * call; NULL: no more will come, and it may be freed. Where elections are discovered, those that were
 * recorded until now (grows) are watched from the beginning; of one that is gone, another recorder that is
 * there still (taken) sees the end.
 */
void monitor_take_baseline(struct monitor *monitor, const struct model *then, int64_t until_us, bool grows,
                           bool taken);
/* A later recording would tell how something that is seen came to be. */
bool monitor_awaits_baseline(const struct monitor *monitor);

/* Before the model is read for the last time: see model_catch_up(). */
void monitor_catch_up(struct monitor *monitor);

/*
 * True when every cluster has been read and no suspicion can be settled before until_ms (of uv_now()). While it
 * is called, it requests further polls by itself.
 */
bool monitor_settled(struct monitor *monitor, uint64_t until_ms);

/* One more observer, beside settings.observe: it receives the elections that are watched already, then all
 * further observations. fn NULL: ends this. */
void monitor_observe(struct monitor *monitor, void (*fn)(void *context, const struct observation *),
                     void *context);
const struct settings *monitor_settings(const struct monitor *monitor);

/* Stops all sources and frees it. */
void monitor_stop(struct monitor *monitor);

/* Once: why the observations of monitors that were stopped are not all in their case (settings.observe). NULL:
 * they are. The caller frees it. */
char *monitor_take_problem(void);

#endif

/*
 * recorder.h - records a monitor: every event, and the model whenever it changes.
 *
 * At the end of each turn of the loop in which something changed, the differences are written down and
 * handed to the store's thread; the loop never waits for a disk. Where that takes long (thousands of
 * candidates), it is done less often, so that it costs at most a fiftieth of a core; events keep their times.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDER_H
#define ELECTOP_PROBE_HISTORY_RECORDER_H

#include "probe/monitor.h"
#include "probe/transactions/logged_fact.h"

struct recorder;

/*
 * Begins to record the monitor's events and model into the file (recording_file.h). Stop it before the monitor,
 * which goes on without it. NULL and a text in *error (caller frees): the problem, and the remedy.
 */
struct recorder *recorder_start(uv_loop_t *loop, struct monitor *monitor, const char *file, int64_t keep_ms,
                                char **error);

/* Writes the rest, and ends. False and a text in *problem (caller frees; may be NULL): not all could be
   written, why, and since when it is missing. Its handles close with the loop's next turns. NULL is fine.
 */
bool recorder_stop(struct recorder *recorder, char **problem);

/* Observations are in the file after so many minutes at most, those around a change of leader sooner. */
#define RECORDER_OBSERVED_MIN 5

/* Writes all observations until now into the file at once (begin), even if their block is not full. True: all
 * are written. */
bool recorder_settle(struct recorder *recorder, bool begin);

/* The file, without links. */
const char *recorder_file(const struct recorder *recorder);

/* Why nothing can be written at present (malloc'd; the caller frees), or NULL: no problem. The recorder
 * continues to try. */
char *recorder_problem(const struct recorder *recorder);

/* A change of the file from outside, and the recorder's response, once (malloc'd; the caller frees); NULL:
 * none. */
char *recorder_take_notice(struct recorder *recorder);

/* The number of events lost so far, because there were too many at once or the disk was too slow or full. */
uint64_t recorder_lost(const struct recorder *recorder);

/* The latest time without a recording for that reason: a gap, once recording continues. */
struct recorder_loss {
    int64_t from_us, to_us; /* to_us 0: it goes on */
    uint64_t events;
};
/* False: nothing was lost. */
bool recorder_last_loss(const struct recorder *recorder, struct recorder_loss *loss);

/* ---- without a loop, for tests and measurements ---- */

struct recorder *recorder_new(const struct model *model, const char *file, int64_t keep_ms, char **error);
/* A monitor_event_fn, or a model's on_event. */
void recorder_event(void *recorder, const struct event *event);
/* A fact from a transaction log beyond the elections. */
void recorder_fact(struct recorder *recorder, const char *cluster, const struct logged_fact *fact);
/* From now on its rows come from transaction logs, not from observation. */
void recorder_from_log(struct recorder *recorder);
/* To be called when something may have changed; in how many ms again (0: when something else changes). */
uint64_t recorder_turn(struct recorder *recorder);
/* The same, however much it costs. */
void recorder_flush(struct recorder *recorder);
/* The same for a source that may be faster than the disk: waits while too many bytes are not written yet. */
void recorder_pace(struct recorder *recorder);
/* Keeps the recording of a past source, however old it is. */
#define RECORDER_KEEP_ALL_MS (INT64_C(100) * 365 * 24 * 3600 * 1000)
/* Bytes that are not written yet. */
size_t recorder_waiting(const struct recorder *recorder);

#endif

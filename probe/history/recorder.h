/*
 * recorder.h - records what a monitor sees: every event, and the model as it stands whenever that changes.
 *
 * At the end of each turn of the loop in which something changed, what is different is written down and
 * handed to the store's thread; the loop never waits for a disk. Where that takes long (thousands of
 * candidates), it is done less often, so that it costs at most a fiftieth of a core; events keep their times.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDER_H
#define ELECTOP_PROBE_HISTORY_RECORDER_H

#include "probe/monitor.h"

struct recorder;

/*
 * Begins to record into the file (place.h) what the monitor sees from now on. Stop it before the monitor,
 * which goes on without it. NULL and a text in *error (caller frees): why that cannot be, and what to do.
 */
struct recorder *recorder_start(uv_loop_t *, struct monitor *, const char *file, int64_t keep_ms,
                                char **error);

/* Writes what is left, and ends. False and a text in *problem (caller frees; may be NULL): not all could be
   written, why, and from when on it is missing. Its handles close with the loop's next turns. NULL is fine.
 */
bool recorder_stop(struct recorder *, char **problem);

/* The file, without links. */
const char *recorder_file(const struct recorder *);

/* Why nothing can be written at present (malloc'd; the caller frees), or NULL: it is well.
   It goes on trying. */
char *recorder_problem(const struct recorder *);

/* Events that could not be recorded so far, for it was too much at once or the disk too slow or full. */
uint64_t recorder_lost(const struct recorder *);

/* The latest time of which nothing is recorded for that reason: a gap in the recording, once that goes on. */
struct recorder_loss {
    int64_t from_us, to_us; /* to_us 0: it goes on */
    uint64_t events;
};
/* False: nothing was lost. */
bool recorder_last_loss(const struct recorder *, struct recorder_loss *);

/* ---- without a loop, for tests and measurements ---- */

struct recorder *recorder_new(const struct model *, const char *file, int64_t keep_ms, char **error);
/* A monitor_event_fn, or a model's on_event. */
void recorder_event(void *recorder, const struct event *);
/* To be called when something may have changed; in how many ms again (0: when something else changes). */
uint64_t recorder_turn(struct recorder *);
/* The same, however much it costs. */
void recorder_flush(struct recorder *);
/* Bytes that are not written yet. */
size_t recorder_waiting(const struct recorder *);

#endif

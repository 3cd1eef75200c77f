/*
 * log_recorder.h - a recording from transaction logs, from captures, or from both: runs an autopsy and records what the
 * model then shows.
 *
 * The recording is like any other; its rows say that they come from logs. Times are those of the logs, so that
 * a whole year may be recorded in seconds. The clock of a capture is tied to theirs by the writes that it shows.
 */
#ifndef ELECTOP_PROBE_HISTORY_LOG_RECORDER_H
#define ELECTOP_PROBE_HISTORY_LOG_RECORDER_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/capture/capture.h"
#include "probe/transactions/autopsy.h"

struct log_recorder;

struct log_recorder_options {
    char *const *paths; /* directories, files, archives */
    size_t path_count;
    char *const *captures; /* see capture_file.h */
    size_t capture_count;
    struct autopsy_query query;
    const char *file; /* the recording */
    stream_note_fn note;
    void *context;
};

/* All must outlive it. NULL and a text in *error (caller frees): why not, and what to do. */
struct log_recorder *log_recorder_new(const struct settings *settings,
                                      const struct log_recorder_options *options, char **error);

/* Takes at most this many transactions or packets. False: there are no more at present. */
bool log_recorder_step(struct log_recorder *log_recorder, size_t most);
/* Looks for files that the servers have begun since. */
void log_recorder_refresh(struct log_recorder *log_recorder);
/* Nothing else has happened until this moment (wall clock). */
void log_recorder_pass(struct log_recorder *log_recorder, int64_t wall_us);
/* The same of the packets of pipes, at this time of our own: as late as they have come, further ones may. */
void log_recorder_pass_packets(struct log_recorder *log_recorder, int64_t mono_us);
/* The captures are over: what waits for more packets is reported as it is. */
void log_recorder_finish(struct log_recorder *log_recorder);

/* NULL where captures alone are read. */
const struct autopsy *log_recorder_autopsy(const struct log_recorder *log_recorder);
const struct log_set *log_recorder_set(const struct log_recorder *log_recorder);
/* NULL where logs alone are read. */
const struct capture *log_recorder_capture(const struct log_recorder *log_recorder);
/* False: no transaction of the logs is in this one, so their clocks are assumed to be equal. */
bool log_recorder_is_tied(const struct log_recorder *log_recorder, size_t capture);
/* Why the last packets were left out; NULL: none were. */
const char *log_recorder_left_out(const struct log_recorder *log_recorder);
/* See capture_files_note(). */
const char *log_recorder_note_of_capture(struct log_recorder *log_recorder);
/* All before the query's end was read, and no pipe may bring more. */
bool log_recorder_is_over(const struct log_recorder *log_recorder);
/* The time of the latest transaction, or packet; 0: none. */
int64_t log_recorder_latest_us(const struct log_recorder *log_recorder);
/* Its events, from now on, beside being recorded. */
void log_recorder_listen(struct log_recorder *log_recorder, void (*fn)(void *context, const struct event *),
                         void *context);
const struct model *log_recorder_model(const struct log_recorder *log_recorder);

/* Writes the rest and frees it. False: not all could be written; *problem as of recorder_stop(). NULL is fine. */
bool log_recorder_end(struct log_recorder *log_recorder, char **problem);

#endif

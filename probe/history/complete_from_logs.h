/*
 * complete_from_logs.h - completes a recording from another one, which was made from the servers' transaction logs.
 *
 * A recorder far from the servers misses what happens while it does not run or is not connected, and often
 * cannot tell why a leader went. The logs can. What was observed stays; its causes become certain, failovers
 * that nobody observed are added, and times that nobody watched are filled. Each row says where it comes
 * from (schema.h: source).
 */
#ifndef ELECTOP_PROBE_HISTORY_COMPLETE_FROM_LOGS_H
#define ELECTOP_PROBE_HISTORY_COMPLETE_FROM_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct completion {
    size_t certain;        /* failovers that were observed, whose cause is certain now */
    size_t added;          /* failovers that nobody observed */
    size_t absent;         /* failovers that were observed in the logs' time and are in no log */
    size_t filled, shared; /* times that nobody watched: filled; left, because another cluster was watched */
    int64_t filled_us;
    int64_t ahead_us; /* how far the recorder's clock is ahead of the servers' */
};

/* How far the recorder's clock was ahead of the servers': of failovers that both have; 0: they share none. */
bool recording_ahead(const char *file, const char *logs, const char *cluster, int64_t *ahead_us,
                     char **error);

/*
 * file: the recording, in which nobody records at present; logs: the other one, of that cluster alone, with
 * its times by the recorder's clock. All of it or nothing. False and a text in *error (caller frees).
 */
bool recording_complete(const char *file, const char *logs, const char *cluster, struct completion *done,
                        char **error);

#endif

/*
 * autopsy.h - the history of elections from transaction logs and snapshots, as observations for the model.
 *
 * This is the third source beside a live cluster and a recording. The znodes are rebuilt transaction by
 * transaction. Changes of elections are observed at the time given in the log. Elections are those of the
 * settings, else those found by their candidates. Facts that are not in transactions (watches, connections,
 * reads) stay unknown.
 *
 * Times are the wall clock of ZooKeeper's leader, in milliseconds; the order is that of the zxids. The
 * monotonic clock of the observations follows the wall clock, but never goes back.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_AUTOPSY_H
#define ELECTOP_PROBE_TRANSACTIONS_AUTOPSY_H

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/transactions/log_stream.h"
#include "probe/transactions/logged_fact.h"

struct autopsy_sink {
    void *context;
    void (*changed)(void *context); /* the model may have changed */
    void (*fact)(void *context, const struct logged_fact *);
    stream_note_fn note;
};

struct autopsy_query {
    int64_t from_us, to_us; /* wall clock; 0: from the beginning; INT64_MAX: to the end */
    const char *election;   /* only those with this path, or that match this pattern; NULL: all */
};

struct autopsy;

/*
 * Finds where to begin and reads the state of that time. All arguments must outlive it. NULL and a text in
 * *error (the caller frees it): the unreadable files, and the remedy.
 */
struct autopsy *autopsy_open(struct log_set *set, struct model *model, const struct settings *settings,
                             const struct autopsy_query *query, const struct autopsy_sink *sink,
                             char **error);
void autopsy_close(struct autopsy *autopsy); /* NULL is fine */

/* Reads up to this many transactions. False: there are no more at present, or the end of the query is
 * reached. */
bool autopsy_step(struct autopsy *autopsy, size_t most);
/* Reads the transactions up to this time (wall clock), which another source has reached. False: nothing is shown
 * yet. */
bool autopsy_go_on(struct autopsy *autopsy, int64_t wall_us);
/* Transactions are left to be read. */
bool autopsy_has_more(struct autopsy *autopsy);
/* All before the query's end was read. */
bool autopsy_is_over(const struct autopsy *autopsy);
/* Snapshots without logs: shows the latest one, as of the latest time in it. (It was taken then or later: a
 * deletion leaves no time.) False: there were transactions, or there is none in the query's time. */
bool autopsy_show_snapshot(struct autopsy *autopsy);
/* Advances the model's time, at most to the query's end: nothing else has happened until then. */
void autopsy_pass(struct autopsy *autopsy, int64_t wall_us);

/* Transactions that were read, and bytes of logs. */
uint64_t autopsy_transactions(const struct autopsy *autopsy);
int64_t autopsy_bytes(const struct autopsy *autopsy);
/* The time of the latest transaction; 0: none. */
int64_t autopsy_latest_us(const struct autopsy *autopsy);
/* Its zxid. */
int64_t autopsy_latest_zxid(const struct autopsy *autopsy);
/* From the monotonic clock of the observations to the wall clock: it changes where the wall clock goes back. */
int64_t autopsy_base_us(const struct autopsy *autopsy);
/* The znodes before the first transaction are unknown: no snapshot contains them. */
bool autopsy_begins_blind(const struct autopsy *autopsy);

#endif

/*
 * log_stream.h - the transactions of an ensemble in the order of their zxids, from the logs of all its
 * servers.
 *
 * Zxids count without a gap within an epoch (their upper half; it changes with ZooKeeper's own leader).
 * Transactions missing in one server's log are taken from another's. Those in no log are a gap, which is
 * reported before the next transaction. A server may have logged the last proposals of an epoch without a
 * quorum. If the others' logs continue without them, they are left out. If no other log decides, and the
 * server's own log continues without the beginning of the next epoch, those of its last seconds are marked as
 * unproven. Two servers with different transactions of one zxid have diverged.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOG_STREAM_H
#define ELECTOP_PROBE_TRANSACTIONS_LOG_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/transactions/log_set.h"
#include "probe/transactions/record.h"

enum stream_note_kind {
    STREAM_DAMAGED,  /* bytes of a file are no valid record */
    STREAM_UNREAD,   /* a file cannot be read, or is no log */
    STREAM_MISSING,  /* the transactions from zxid to zxid_to are in no log */
    STREAM_DIVERGED, /* two servers have different transactions of this zxid */
    STREAM_DROPPED   /* a server alone wrote this one, and the others went on without it, or a snapshot of a
                        later epoch shows that it never took effect */
};

struct stream_note {
    enum stream_note_kind kind;
    const char *where, *other; /* file, or servers; or NULL */
    const char *why;           /* of STREAM_UNREAD; of STREAM_DAMAGED if the bytes themselves are whole */
    int64_t from, to;          /* bytes of a damaged file */
    int64_t zxid, zxid_to;
};
typedef void (*stream_note_fn)(void *context, const struct stream_note *);

struct log_stream;

/*
 * From the first transaction after this zxid on (0: from the first there is). The set must outlive it.
 */
struct log_stream *log_stream_open(struct log_set *set, int64_t after, stream_note_fn note, void *context);
void log_stream_close(struct log_stream *log_stream); /* NULL is fine */

/*
 * The next one, valid until the next call; *missing: some before it are in no log. False: there is none yet;
 * asking again finds what the servers have written since.
 */
bool log_stream_next(struct log_stream *log_stream, struct transaction *transaction, bool *missing);

/* Bytes of log files that were read. */
int64_t log_stream_bytes(const struct log_stream *log_stream);

#endif

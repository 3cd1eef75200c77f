/*
 * read_ahead.h - reads a long log on a thread beside its reader, and verifies its checksums there.
 *
 * Handed over are pieces of whole records, one behind the other, each with a right checksum. The first byte
 * that begins no such record ends it: what that means is for the reader to say.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_READ_AHEAD_H
#define ELECTOP_PROBE_TRANSACTIONS_READ_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for some thousand records, and small enough to stay in the processor's cache. */
#define READ_AHEAD_PIECE (256u << 10)

#define FRAME_BYTES 12 /* in front of a record: checksum and length */
/* A server refuses requests above jute.maxbuffer (1 MB unless it is raised); a longer record is damage. */
#define LOG_RECORD_MOST (64u << 20)

/* Has the record of this length behind this frame the checksum that the frame says? */
bool frame_is_checked(const unsigned char *frame, size_t length);

struct read_ahead;

/* From this byte of the file on. The descriptor stays the caller's. NULL: there is no memory or thread. */
struct read_ahead *read_ahead_begin(int fd, int64_t offset);
void read_ahead_end(struct read_ahead *read_ahead); /* NULL is fine */

/* The next piece, valid until the next call. False: there is none. */
bool read_ahead_next(struct read_ahead *read_ahead, const unsigned char **piece, size_t *length);

#endif

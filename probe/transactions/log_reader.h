/*
 * log_reader.h - the records of one log file, in order, each with its checksum verified.
 *
 * A file is a header of 16 bytes (magic, version, database id), then records: Adler-32, length, the record,
 * 'B'. The server preallocates the file with zeros, so a length of 0 ends it. Nothing is written, nothing is
 * locked: the server may append while the file is read, and may cut it short or delete it. A long file is
 * read ahead on a thread.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOG_READER_H
#define ELECTOP_PROBE_TRANSACTIONS_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_BYTES 12 /* in front of a record: checksum and length */
/* A server refuses requests above jute.maxbuffer (1 MB unless it is raised); a longer record is damage. */
#define LOG_RECORD_MOST (64u << 20)

enum log_next {
    LOG_RECORD,  /* a record */
    LOG_END,     /* no further record yet; a later call finds records appended since */
    LOG_DAMAGED, /* the bytes from damaged_from to damaged_to are not a valid record; reading continues after
                    them */
    LOG_FAILED   /* the file cannot be read: errno */
};

struct log_reader {
    int fd;
    unsigned char *window;
    size_t room, length; /* of the window; bytes in it */
    size_t at;           /* the next record, in the window or the piece */
    int64_t base;        /* where the window, or the piece, begins in the file */
    int64_t alone_from;  /* from here on without reading ahead */
    struct read_ahead *ahead;
    const unsigned char *piece; /* of whole, verified records; NULL: the window contains the next record */
    size_t piece_length;
    bool begun;   /* the header was checked */
    bool foreign; /* LOG_FAILED, because it is no transaction log */
    int64_t damaged_from, damaged_to;
};

/* Takes the descriptor over. */
void log_reader_begin(struct log_reader *log_reader, int fd);
void log_reader_end(struct log_reader *log_reader);

/* The record is valid until the next call. */
enum log_next log_reader_next(struct log_reader *log_reader, const unsigned char **record, size_t *length);

/* The record behind the current one, if it is in memory already; else NULL. It is not verified. */
const unsigned char *log_reader_peek(const struct log_reader *log_reader);

/* Where the next record begins in the file. */
int64_t log_reader_offset(const struct log_reader *log_reader);

/* The time of a file's first transaction. False: it has none, or cannot be read. Both take the descriptor over;
 * -1 is fine. */
bool log_first_time(int fd, int64_t *time_ms);

/* Its last transaction, as its end alone shows; 0: none is found there, or it cannot be read. */
int64_t log_last_zxid(int fd);

#endif

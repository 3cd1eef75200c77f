/*
 * capture_file.h - the packets of some captures, in the order of their times: files and pipes that libpcap
 * reads, pcap and pcapng.
 *
 * Nothing is captured here, and no privilege is needed. A pipe is read on a thread, so that it may stall
 * without stopping the program.
 */
#ifndef ELECTOP_PROBE_CAPTURE_CAPTURE_FILE_H
#define ELECTOP_PROBE_CAPTURE_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct captured_packet {
    int64_t at_us; /* wall clock of the capturing host */
    int64_t
        arrived_us; /* of a pipe: when it was read, monotonic; of what a file held before: when it was written */
    int link;
    const uint8_t *bytes;
    size_t captured, length; /* length: on the wire */
    const char *server;      /* that the capture was named after; or NULL */
    bool current;            /* of a file or pipe that is followed: it came after all that was there */
    size_t source;           /* which of the captures, from 0 */
};

enum capture_next {
    CAPTURE_PACKET, /* valid until the next call */
    CAPTURE_WAITS,  /* a pipe has no packet now */
    CAPTURE_END
};

struct capture_files;

/*
 * follow: a file is read as a pipe, for ever, as it grows; nothing is waited for, so that a bad pipe is reported by
 * capture_files_note(). Each: a file, "-" for standard input, or NAME=FILE, where NAME is that of the server. They
 * must outlive it. NULL and a text in *error (caller frees): which cannot be read, and the remedy.
 */
struct capture_files *capture_files_open(char *const *paths, size_t count, bool follow, char **error);
void capture_files_close(struct capture_files *files); /* NULL is fine */
enum capture_next capture_files_next(struct capture_files *files, struct captured_packet *packet);

/* Makes the clock of this one that of the others: their packets come in the order of these times. */
void capture_files_shift(struct capture_files *files, size_t source, int64_t shift_us);
bool capture_files_over(const struct capture_files *files, size_t source); /* it has ended */

/* Why one of them ended early or was left out, for the user; NULL: no more. Valid until it is closed. */
const char *capture_files_note(struct capture_files *files);

/* "-" is the descriptor that standard input has now: it may become that of the terminal. */
void capture_file_take_input(void);
int capture_file_input(void);

/* Whether this file begins as a capture does. */
bool capture_file_is(const char *path);

#endif

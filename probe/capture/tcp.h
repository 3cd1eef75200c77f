/*
 * tcp.h - connections of TCP, put together again from captured segments. Pure: no I/O, no clock.
 *
 * Segments may come twice, in the wrong order, overlapping, cut off, or not at all; sequence numbers wrap
 * around. Bytes are passed on in order. Bytes that were not captured are a hole: it is reported once the other
 * end has acknowledged it, or too much waits behind it, and the stream goes on after it.
 */
#ifndef ELECTOP_PROBE_CAPTURE_TCP_H
#define ELECTOP_PROBE_CAPTURE_TCP_H

#include "config/hash_table.h"
#include "probe/capture/packet.h"

/* Bytes that wait behind holes: of one direction, and of all. */
#define TCP_WAITING_MOST (1u << 20)
#define TCP_WAITING_MOST_ALL (4u << 20)
#define TCP_CONNECTIONS_MOST 20000
/* Of those that have ended: a late segment is not the beginning of another one. */
#define TCP_OVER_MOST 2000

struct tcp_piece;

struct tcp_stream {
    uint32_t next; /* the sequence number of the next byte; valid if begun */
    uint32_t acknowledged;
    int64_t acknowledged_us; /* bytes that were not captured were acknowledged then; 0: none were */
    struct tcp_piece *waiting;
    uint32_t waiting_bytes;
    bool begun, ended;
};

struct tcp_connection {
    struct hash_link by_ends;
    struct tcp_connection *older, *newer;
    struct tcp_end ends[2];       /* the opener first, where the opening was captured */
    struct tcp_stream streams[2]; /* by sender */
    bool opened;                  /* its opening was captured */
    bool over;                    /* reported as ended */
    void *user;                   /* the listener's */
};

/* side: the sender, an index into ends. The time is that of the packet: of bytes, of the one that brought them. */
struct tcp_listener {
    void *context;
    /* New bytes came, perhaps behind others that are missing so far. */
    void (*came)(void *context, struct tcp_connection *, int side, int64_t at_us);
    /* ... or must have come, as the other end has acknowledged them. */
    void (*acknowledged)(void *context, struct tcp_connection *, int side, int64_t at_us);
    void (*bytes)(void *context, struct tcp_connection *, int side, int64_t at_us, const uint8_t *bytes,
                  size_t length);
    void (*hole)(void *context, struct tcp_connection *, int side, int64_t at_us, uint32_t length);
    /* One end ended it. No more bytes follow; bytes of the other side may. */
    void (*ended)(void *context, struct tcp_connection *, int side, int64_t at_us);
    /* Its memory goes: free user. */
    void (*gone)(void *context, struct tcp_connection *);
};

struct tcp_table;

struct tcp_table *tcp_table_new(const struct tcp_listener *listener);
void tcp_table_free(struct tcp_table *table); /* NULL is fine */
void tcp_table_take(struct tcp_table *table, int64_t at_us, const struct tcp_segment *segment);
/* Time goes on: bytes that were acknowledged and do not come are holes. */
void tcp_table_pass(struct tcp_table *table, int64_t at_us);

#endif

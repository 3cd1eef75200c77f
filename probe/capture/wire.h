/*
 * wire.h - ZooKeeper's protocol, as captured connections show it: each client's requests, answers,
 * notifications and watches. Pure: no I/O, no clock.
 *
 * Formats: see frame.h. A connection whose beginning was not captured has no session, and its watches are not
 * known; nor are they after a hole, because it may have hidden one. The client's next connection shows them
 * anew. Passwords, credentials and SASL tokens are never kept; data only of znodes that are created or read.
 */
#ifndef ELECTOP_PROBE_CAPTURE_WIRE_H
#define ELECTOP_PROBE_CAPTURE_WIRE_H

#include "probe/capture/tcp.h"
#include "probe/election/observation.h"

/* Frames are kept up to this size; larger ones are passed over. */
#define WIRE_FRAME_MOST (4u << 20)
#define WIRE_FRAMES_MOST_ALL (5u << 20)
/* Watches of one connection; and what those of all take. */
#define WIRE_WATCHES_MOST 8192
#define WIRE_WATCHES_BYTES_ALL (6u << 20)

enum wire_problem {
    WIRE_PLAIN,
    WIRE_TLS,    /* encrypted */
    WIRE_FOREIGN /* another protocol, or a four-letter word */
};

/* One connection, as the listener may read it. */
struct wire_client {
    char server[TCP_END_TEXT], address[TCP_END_TEXT]; /* of the server; of the client */
    uint64_t session;                                 /* 0: not known */
    int timeout_ms;                                   /* negotiated; 0: not known */
    int64_t heard_us;                                 /* its latest bytes; 0: none were captured */
    bool heard_about;       /* ... at the latest: they are missing, and were acknowledged then */
    int64_t answered_us;    /* its server's latest answer, to a ping, too */
    int64_t answered_zxid;  /* ... the latest transaction that its answers know of */
    int64_t asked_us;       /* its latest request that was no ping; 0: none was */
    int64_t asked_first_us; /* ... and its first one after bytes of the server began to wait for others */
    int64_t opened_us, ended_us; /* ended_us 0: it is open */
    bool ended_by_server;
    bool watches_known; /* they are all of this connection */
    bool timed;         /* the listener's: it gets its answers, too */
    enum wire_problem problem;
    struct captured_watch *watches;
    size_t watch_count, watch_room;
    void *user; /* the listener's */
};

enum wire_fact_kind {
    WIRE_LATE,     /* it was open before the capture began */
    WIRE_OPENED,   /* its greeting was answered: session, timeout */
    WIRE_REFUSED,  /* its greeting was answered: the session that it asked for is over */
    WIRE_ASKED,    /* a request that is no ping */
    WIRE_ANSWERED, /* one of a client that is timed */
    WIRE_DELETING, /* a request to delete this path was sent */
    WIRE_KEPT,     /* ... and failed; without a path: all those of a multi */
    WIRE_CLOSING,  /* a request to close the session was sent */
    WIRE_CREATED,  /* path, data, owner where it is ephemeral */
    WIRE_UNSEEN,   /* this znode, or a numbered one of that name, may have been created; NULL: any */
    WIRE_DELETED,
    WIRE_SET,      /* data and stat */
    WIRE_READ,     /* stat, and data where has_data */
    WIRE_ABSENT,   /* no such path */
    WIRE_LISTED,   /* names, and stat where there is one */
    WIRE_CLOSED,   /* the server closed the session on request */
    WIRE_NOTIFIED, /* of this path; event as the protocol numbers it */
    WIRE_WATCHES,  /* its watches changed, or are no longer known */
    WIRE_LOST,     /* bytes were not captured */
    WIRE_ENDED,    /* one end closed it */
    WIRE_OPAQUE    /* it is encrypted */
};

enum wire_event { WIRE_NODE_CREATED = 1, WIRE_NODE_DELETED, WIRE_NODE_DATA, WIRE_NODE_CHILDREN };

struct wire_fact {
    enum wire_fact_kind kind;
    int64_t at_us;
    int64_t zxid;     /* of the reply or notification; <= 0: not known */
    uint64_t session; /* REFUSED: the one that is over */
    int64_t asked_us; /* of an answer: when its request was sent; 0: not known */
    const char *path;
    bool ephemeral, has_data;
    bool of_server; /* LOST: bytes of the server, else of the client */
    enum wire_event event;
    const struct znode_stat *stat; /* or NULL */
    const uint8_t *data;
    size_t data_length;
    char *const *names;
    size_t name_count;
};

struct wire_listener {
    void *context;
    void (*fact)(void *context, struct wire_client *client, const struct wire_fact *fact);
    void (*gone)(void *context, struct wire_client *client); /* its memory goes */
};

struct wire;

struct wire *wire_new(const struct wire_listener *listener);
void wire_free(struct wire *wire); /* NULL is fine */
void wire_take(struct wire *wire, int64_t at_us, const struct tcp_segment *segment);
void wire_pass(struct wire *wire, int64_t at_us); /* as tcp_table_pass() */

#endif

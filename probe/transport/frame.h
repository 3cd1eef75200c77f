/*
 * frame.h - checks the frames of a ZooKeeper server before the C client reads them.
 *
 * The C client trusts every byte: it allocates the counts that it reads, and calls back with structures that
 * a short reply has filled in half. So each frame is checked here as a whole: the answer to the greeting, the
 * header of a reply, and the body that the request in question expects. A connection has one ledger, which
 * notes the requests that the client sends.
 *
 * Source of the formats: ZooKeeper's zookeeper.jute, and jute's binary archive (big-endian, lengths in
 * front). Pure: no I/O, no clock.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_FRAME_H
#define ELECTOP_PROBE_TRANSPORT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in front of each frame. */
#define FRAME_PREFIX 4u
/*
 * Larger replies are right, but would take more memory and time than this program gives to one answer: they
 * are skipped, and the client gets an error in their place.
 */
#define FRAME_LENGTH_MOST (8u << 20)
#define FRAME_CHILDREN_MOST 200000u
/* The C client's maximum allocation for one reply: it copies each name to the heap. */
#define FRAME_DECODED_MOST (24u << 20)
/* No server sends more. */
#define FRAME_SKIPPED_MOST (1u << 28)
/* ZMARSHALLINGERROR of the C client: no server sends it. */
#define FRAME_ERROR_TOO_LARGE (-5)
/* Number, transaction, error. */
#define FRAME_HEADER_LENGTH 16u

#define FRAME_FAULT_TEXT 160

/* Requests and replies with these numbers are notifications, pings, credentials, renewals of watches. */
enum fixed_number { NUMBER_NOTICE = -1, NUMBER_PING = -2, NUMBER_CREDENTIAL = -4, NUMBER_WATCHES = -8 };

enum request_kind {
    REQUEST_CREATE = 1,
    REQUEST_DELETE = 2,
    REQUEST_EXISTS = 3,
    REQUEST_GET = 4,
    REQUEST_SET = 5,
    REQUEST_GET_ACL = 6,
    REQUEST_SET_ACL = 7,
    REQUEST_CHILDREN = 8,
    REQUEST_SYNC = 9,
    REQUEST_PING = 11,
    REQUEST_CHILDREN_STAT = 12,
    REQUEST_CHECK = 13,
    REQUEST_MULTI = 14,
    REQUEST_CREATE_STAT = 15,
    REQUEST_CHECK_WATCHES = 17,
    REQUEST_REMOVE_WATCHES = 18,
    REQUEST_CREATE_CONTAINER = 19,
    REQUEST_CREATE_TTL = 21,
    REQUEST_MULTI_READ = 22,
    REQUEST_CREDENTIAL = 100,
    REQUEST_WATCHES = 101,
    REQUEST_SASL = 102,
    REQUEST_WATCHES_ALL = 105,
    REQUEST_ADD_WATCH = 106,
    REQUEST_CLOSE = -11
};

/* The rest of a frame. A read past its end sets the fault and returns 0. */
struct frame_reader {
    const uint8_t *at, *end;
    uint32_t length; /* of the whole frame, for the faults */
    uint32_t decoded;
    char *fault; /* of FRAME_FAULT_TEXT bytes */
    bool failed, too_large;
};

void frame_read_fail(struct frame_reader *reader, const char *what, int64_t value);
int32_t frame_read_int(struct frame_reader *reader, const char *what);
void frame_read_skip(struct frame_reader *reader, uint32_t bytes, const char *what);
/* A length and that many bytes. least -1: there may be none at all, as in a znode without data. */
const uint8_t *frame_read_bytes(struct frame_reader *reader, int32_t least, const char *what,
                                uint32_t *length);
/* The length of a list whose entries have at least this many bytes each. */
void frame_read_count(struct frame_reader *reader, uint32_t least_each, const char *what, uint32_t *count);

/* One request that is not answered yet. */
struct frame_owed {
    int32_t number, kind;
};

/* Zeroed: the greeting is next in both directions. */
struct frame_ledger {
    struct frame_owed *owed; /* a ring: replies come in the order of the requests */
    uint32_t room, first, count;
    uint32_t pings, credentials, watch_lists; /* these carry fixed numbers, and are counted only */
    uint32_t watches; /* that were requested and have not fired: the most notifications to come */
    bool greeted, answered;
    bool too_large; /* the list that was checked last */
};

void frame_ledger_free(struct frame_ledger *ledger);

/*
 * Notes a frame that the client is about to send (whole, without its length prefix). False: it is none whose
 * reply can be checked, or memory is out; it must not be sent.
 */
bool frame_note_request(struct frame_ledger *ledger, const uint8_t *frame, size_t length);

/*
 * Whether a frame of this length may follow, as soon as its prefix is read. fault: at least FRAME_FAULT_TEXT
 * bytes, "a frame of 369295616 bytes".
 */
bool frame_check_length(const struct frame_ledger *ledger, uint32_t length, char *fault);

/*
 * Checks a whole frame without its prefix, and settles the request that it answers. False: fault gives the
 * reason, "children count 2147483647 in 96 bytes".
 */
bool frame_check(struct frame_ledger *ledger, const uint8_t *frame, uint32_t length, char *fault);

/*
 * Checks the header of a reply that is longer than FRAME_LENGTH_MOST, and settles the request that it
 * answers. False: it answers none that may be so large.
 */
bool frame_skip(struct frame_ledger *ledger, const uint8_t *header, uint32_t length, char *fault);
/* A list of more children than FRAME_CHILDREN_MOST: the frame that frame_check() has just accepted. */
bool frame_is_too_large(const struct frame_ledger *ledger);
/* Makes a header that of a refusal. */
void frame_refuse(uint8_t *header);

/* The result in the header of a reply that was checked: 0, or ZooKeeper's error. */
int32_t frame_error(const uint8_t *frame);

/* The answer to a greeting says that the session is over: no further frame follows. */
bool frame_is_expiry(const uint8_t *greeting, uint32_t length);

/* The answer to a SASL token. False: fault gives the reason. *token points into the frame; *error: the
 * server's result (0: none). */
bool frame_read_sasl(const uint8_t *frame, uint32_t length, const uint8_t **token, size_t *token_length,
                     int32_t *error, char *fault);

#endif

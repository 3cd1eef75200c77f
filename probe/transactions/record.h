/*
 * record.h - one transaction as ZooKeeper's log holds it, and the changes that it made.
 *
 * A record of the log is a header (session, cxid, zxid, time, type), the transaction itself, and since 3.6 a
 * digest that may be absent. The layouts are those of zookeeper.jute of 3.4 to 3.9. Pure: no I/O. Every
 * length is checked against the bytes that are there.
 *
 * In the header of a transaction that ends a session, a cxid of 0 says that the servers gave the session up
 * (it expired); any other cxid is the request with which its client closed it.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_RECORD_H
#define ELECTOP_PROBE_TRANSACTIONS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types that change something; the server's own numbers. */
enum transaction_type {
    TRANSACTION_ERROR = -1,
    TRANSACTION_CREATE = 1,
    TRANSACTION_DELETE = 2,
    TRANSACTION_SET_DATA = 5,
    TRANSACTION_SET_ACL = 7,
    TRANSACTION_CHECK = 13,
    TRANSACTION_MULTI = 14,
    TRANSACTION_CREATE2 = 15,
    TRANSACTION_RECONFIG = 16,
    TRANSACTION_CREATE_CONTAINER = 19,
    TRANSACTION_DELETE_CONTAINER = 20,
    TRANSACTION_CREATE_TTL = 21,
    TRANSACTION_CREATE_SESSION = -10,
    TRANSACTION_CLOSE_SESSION = -11
};

#define TRANSACTION_HEADER_BYTES 32
/* A digest after the transaction: its version and the tree's digest. */
#define TRANSACTION_DIGEST_BYTES 12

struct transaction {
    uint64_t session;
    int32_t cxid;
    int64_t zxid;
    int64_t time_ms; /* the wall clock of ZooKeeper's leader */
    int32_t type;
    const unsigned char *body;
    size_t body_length; /* a digest included */
    bool unproven;      /* perhaps no other server agreed: see log_stream.h */
};

enum znode_change_kind {
    CHANGE_CREATED,
    CHANGE_DELETED,
    CHANGE_CLOSED, /* deleted by the end of its session */
    CHANGE_DATA,
    CHANGE_SESSION_BEGAN,
    CHANGE_SESSION_ENDED /* after its CHANGE_CLOSED; of old servers they are missing */
};

enum znode_sort { ZNODE_PERSISTENT, ZNODE_EPHEMERAL, ZNODE_CONTAINER, ZNODE_TTL };

/* Its pointers borrow from the record. */
struct znode_change {
    enum znode_change_kind kind;
    const char *path; /* not NUL-terminated; begins with '/'; NULL: of a session */
    size_t path_length;
    const unsigned char *data; /* CREATED and DATA; may be NULL where data_length is 0 */
    size_t data_length;
    enum znode_sort sort; /* CREATED */
    int64_t ttl_ms;       /* of ZNODE_TTL */
    int32_t creations;    /* CREATED: of the parent, this one included; -1: the record does not say */
    int32_t version;      /* DATA: the new one */
    int32_t timeout_ms;   /* SESSION_BEGAN */
};

/* False: too short to be a record. The transaction borrows the bytes. */
bool transaction_read(const void *bytes, size_t length, struct transaction *transaction);

/*
 * Calls fn for each change in the order in which the server makes them. False: the record is malformed; the
 * changes before the malformed part were passed on. A type that is not known changes nothing here.
 */
typedef void (*znode_change_fn)(void *context, const struct transaction *, const struct znode_change *);
bool transaction_changes(const struct transaction *transaction, znode_change_fn fn, void *context);

/* Of a transaction that sets one znode's data, as most do: its path, which belongs to the record. NULL: of
 * any other, or malformed. */
const char *transaction_data_path(const struct transaction *transaction, size_t *length);

/* Do two records with one zxid hold the same transaction? A digest may be absent from either. */
bool transaction_same(const struct transaction *a, const struct transaction *b);

/* A zxid is the epoch of ZooKeeper's leader, and a count within it. */
static inline int64_t zxid_epoch(int64_t zxid)
{
    return zxid >> 32;
}
static inline int64_t zxid_count(int64_t zxid)
{
    return zxid & INT64_C(0xffffffff);
}

/* Big-endian numbers, as the server writes them. */
static inline uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline uint64_t read_u64(const unsigned char *at)
{
    return (uint64_t)read_u32(at) << 32 | read_u32(at + 4);
}

#endif

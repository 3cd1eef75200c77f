/*
 * znode_tree.h - the part of ZooKeeper's tree that matters to elections, rebuilt from snapshots and
 * transactions.
 *
 * It keeps all ephemeral znodes, their directories, znodes that a caller asks for (interests), and as many of
 * the others as fit, so that memory stays bounded whatever the length of the logs. Of a znode that was never
 * kept only the name is known.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_ZNODE_TREE_H
#define ELECTOP_PROBE_TRANSACTIONS_ZNODE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"
#include "probe/transactions/record.h"

struct logged_session {
    uint64_t id;
    int timeout_ms;              /* 0: its beginning was not seen */
    int64_t began_ms;            /* 0: not seen */
    int64_t active_us;           /* the caller's: the same on its own clock */
    int64_t closing_us, left_us; /* the caller's, of a capture: its client asked to close it; its server ended
                                    its connection after it had been silent for its timeout; 0: neither */
    size_t left_source;          /* the caller's: the capture that shows it */
    size_t active_source;        /* ... and the one that shows active_us */
    void *connection;            /* the caller's: the open one; NULL: none, or not known */
    bool shown, heard_about;     /* the caller's; of a capture: active_us is about right, bytes are missing */
    struct znode *owned;
    struct logged_session *next;
};

struct znode {
    struct znode *next;                                        /* in its bucket */
    struct znode *parent, *children, *sibling, **sibling_link; /* those that are kept */
    struct znode *owned, **owned_link;                         /* of its session */
    struct logged_session *session;                            /* of an ephemeral one; else NULL */
    void *interests; /* the caller's; not NULL: it is kept for ever */
    uint32_t hash, path_length;
    size_t weight;          /* bytes that others hold because of it: znode_tree_weigh() */
    bool exists;            /* false: kept for its interests only */
    bool known;             /* its creation was seen, so its stat is whole */
    bool short_of_children; /* some were left out for want of memory */
    bool listed;        /* where answers to clients make the tree: it has no children that were not seen */
    bool short_of_data; /* ... or its present data was */
    uint16_t examined;
    int32_t creations;      /* of children, as the server counts them */
    struct znode_stat stat; /* cversion as clients see it is made by znode_stat_of() */
    unsigned char *data; /* up to CANDIDATE_DATA_KEPT bytes of an ephemeral or interesting one, else less */
    size_t data_kept;
    char path[];
};

struct znode_tree;

/* bytes_most: full, it keeps no further znode; 0: ephemeral ones are kept whatever they take. */
struct znode_tree *znode_tree_new(size_t bytes_most);
bool znode_tree_is_full(const struct znode_tree *tree);
/* Counts the bytes that others hold because of this znode, where there is a limit, until the znode goes. */
void znode_tree_weigh(struct znode_tree *tree, struct znode *node, size_t bytes);
void znode_tree_free(struct znode_tree *tree);
/* Forgets all but the znodes with interests, which do not exist from then on, and sessions. */
void znode_tree_clear(struct znode_tree *tree);

/* NULL: it is not kept. */
struct znode *znode_tree_find(const struct znode_tree *tree, const char *path, size_t length);
/* Keeps a place for this path, whether or not it exists. NULL: out of memory. */
struct znode *znode_tree_place(struct znode_tree *tree, const char *path, size_t length);
/* Its last part; and the stat that a client is shown. */
const char *znode_name(const struct znode *node);
struct znode_stat znode_stat_of(const struct znode *node);

/* Applies a transaction's change. It is idempotent, as replaying the log on a fuzzy snapshot requires. */
struct znode *znode_tree_created(struct znode_tree *tree, const struct transaction *transaction,
                                 const struct znode_change *change);
/* Call it before that: how many children of its directory were created unseen by the tree; 0: none, or the
 * directory is not known. */
int32_t znode_tree_unseen(const struct znode_tree *tree, const struct znode_change *change);
void znode_tree_deleted(struct znode_tree *tree, const char *path, size_t length, int64_t zxid);
struct znode *znode_tree_data(struct znode_tree *tree, const struct transaction *transaction,
                              const struct znode_change *change);

/*
 * An answer to a client: a znode's Stat, and its data if data is not NULL; or only its name in a list. NULL:
 * the znode is not kept, or its known state is newer.
 */
struct znode *znode_tree_read(struct znode_tree *tree, const char *path, const struct znode_stat *stat,
                              const unsigned char *data, size_t data_length);
struct znode *znode_tree_named(struct znode_tree *tree, const char *path);
/* Whether the data that is kept is the present data, or its beginning. */
bool znode_has_data(const struct znode *node);

/* NULL: not known; or the tree is full. */
struct logged_session *znode_tree_session(const struct znode_tree *tree, uint64_t id);
struct logged_session *znode_tree_session_made(struct znode_tree *tree, uint64_t id);
void znode_tree_each_session(struct znode_tree *tree, void (*fn)(void *context, struct logged_session *),
                             void *context);
/* Its znodes must be deleted before. */
void znode_tree_session_ended(struct znode_tree *tree, uint64_t id);

/*
 * Reads a snapshot into a new or cleared tree. Changes after its zxid are left to the log. *settled: the latest
 * transaction that shows in it. False, and a static text in *problem: the tree is to be cleared.
 */
bool znode_tree_load(struct znode_tree *tree, int fd, int64_t zxid, int64_t *settled, const char **problem);

/* Each that exists. */
typedef void (*znode_fn)(void *context, struct znode *);
void znode_tree_each(struct znode_tree *tree, znode_fn fn, void *context);

#endif

/*
 * directory_kind.h - classifies a directory: an election, or a layout that looks like one.
 *
 * Locks, read-write locks, registries, semaphores and queues have sequential or ephemeral children, as
 * elections have. Each verdict names its proof, its certainty and its evidence.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIRECTORY_KIND_H
#define ELECTOP_PROBE_ELECTION_DIRECTORY_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/election.h"

enum directory_kind {
    DIRECTORY_ELECTION,
    DIRECTORY_LOCK,
    DIRECTORY_READ_WRITE_LOCK,
    DIRECTORY_REGISTRY,  /* members without an order */
    DIRECTORY_SEMAPHORE, /* several holders at once */
    DIRECTORY_QUEUE,     /* persistent entries in an order */
    DIRECTORY_EMPTIED,   /* without candidates now; it may have been an election */
    DIRECTORY_KINDS,
    DIRECTORY_OTHER = DIRECTORY_KINDS /* none of these, by its children's names */
};

struct directory_verdict {
    enum directory_kind kind;
    const char *proof; /* one word: signature, watch, configured, behaviour, name; static */
    bool certain;
    const char *evidence; /* a clause for the user, static */
    bool leftover;        /* where EMPTIED: a znode without an owner is in the place of a leader's */
};

/* A directory that is none of the model's elections. */
struct found_directory {
    char *path; /* full, chroot included */
    struct directory_verdict verdict;
    size_t members;
};

/* The progress of discovery, and directories found that are not elections. */
struct cluster;

struct discovery {
    const struct found_directory *directories;
    size_t directory_count;
    bool answered;          /* a list of a directory was answered or refused at any time */
    size_t walked, waiting; /* directories listed so far, and directories still to be listed */
    int rate_per_s;         /* reads at most; 0: unbounded */
    bool complete;          /* the tree has been walked once */
    const char *left_out;   /* the directories left out, and why; NULL: none */
    char *const *denied;    /* unreadable directories, below the chroot; the list is limited */
    size_t denied_count;
    bool emptied_more; /* there are more paths that may have been elections than are in directories */
};

/* One line of a report: an election of the model, or another directory. */
struct discovery_row {
    const char *path;                /* below the chroot; borrowed */
    const struct election *election; /* NULL: none */
    struct directory_verdict verdict;
    size_t members;
};

/* Everything found in a cluster, by path, without vanished directories. The caller frees the array. */
struct discovery_row *discovery_rows(const struct cluster *cluster, const struct discovery *found,
                                     size_t *count);

/* "election", "lock", "read-write lock", ...; of DIRECTORY_OTHER "other". */
const char *directory_kind_word(enum directory_kind kind);

/*
 * Classifies by the path and the children's names alone: registries, semaphores and queues of known
 * libraries, else DIRECTORY_OTHER. A queue's verdict holds only for persistent children.
 */
struct directory_verdict directory_kind_named(const char *path, char *const *names, size_t count);

/* A child that looks like a lock or an election but is part of a semaphore or a queue. */
bool directory_kind_is_part(enum directory_kind parent, const char *name);

/*
 * A directory without children that may have been an election: children came and went (cversion), and its path
 * or its name is that of one. A lock is often free, and none. False: it is ordinary.
 */
bool directory_kind_is_emptied(const struct recipe_book *book, const char *path, int32_t cversion);
enum emptied_how {
    EMPTIED_DIRECTORY, /* without children */
    EMPTIED_BESIDE,    /* so, and it lies beside an election */
    EMPTIED_MISSING,   /* a leader's znode is missing while its siblings exist */
    EMPTIED_LEFTOVER   /* a znode without an owner, and without children, is in its place */
};
struct directory_verdict directory_kind_emptied(enum emptied_how how);
/* The predicate of "PATH ...". */
const char *directory_kind_emptied_clause(bool leftover);

/* It exists only while a leader is being elected, as ElasticJob's latch: discovery leaves it out. */
bool directory_kind_is_momentary(const char *path);

/* Classifies by the observed children if their names are inconclusive: sequential and persistent. */
struct directory_verdict directory_kind_persistent_sequence(void);
/* Only ephemeral children, not sequential. */
struct directory_verdict directory_kind_ephemeral_members(void);
/* One ephemeral znode among others, by its name: a lock, or DIRECTORY_OTHER. */
struct directory_verdict directory_kind_ephemeral(const char *path);

#endif

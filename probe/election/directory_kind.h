/*
 * directory_kind.h - what a directory of a foreign tree is: an election, or one of the layouts that look like
 * one.
 *
 * Locks, read-write locks, registries, semaphores and queues have the same sequential or ephemeral children
 * as elections. Each answer names its proof, says whether that is certain, and gives its evidence.
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
    DIRECTORY_REGISTRY,  /* members, without an order among them */
    DIRECTORY_SEMAPHORE, /* several hold it at once */
    DIRECTORY_QUEUE,     /* persistent entries in their order */
    DIRECTORY_KINDS,
    DIRECTORY_OTHER = DIRECTORY_KINDS /* none of these, as far as its children's names show */
};

struct directory_verdict {
    enum directory_kind kind;
    const char *proof; /* one word: signature, watch, configured, behaviour, name; static */
    bool certain;
    const char *evidence; /* a clause for people, static */
};

/* A directory that is none of the model's elections. */
struct found_directory {
    char *path; /* full, chroot included */
    struct directory_verdict verdict;
    size_t members;
};

/* What discovery has done so far, and what it found beside the elections of the model. */
struct cluster;

struct discovery {
    const struct found_directory *directories;
    size_t directory_count;
    bool answered;          /* a directory was listed, or refused to be, at any time */
    size_t walked, waiting; /* directories listed, and known to be listed yet */
    int rate_per_s;         /* reads at most; 0: unbounded */
    bool complete;          /* the tree has been walked once */
    const char *left_out;   /* what was not searched, and why; NULL: nothing */
    char *const *denied;    /* directories that may not be read, below the chroot; not all of very many */
    size_t denied_count;
};

/* One line of a report: an election of the model, or a directory beside them. */
struct discovery_row {
    const char *path;                /* below the chroot; borrowed */
    const struct election *election; /* NULL: none */
    struct directory_verdict verdict;
    size_t members;
};

/* All that was found in a cluster, by path; those that have gone are left out. The array is the caller's to
   free. */
struct discovery_row *discovery_rows(const struct cluster *cluster, const struct discovery *found,
                                     size_t *count);

/* "election", "lock", "read-write lock", ...; of DIRECTORY_OTHER "other". */
const char *directory_kind_word(enum directory_kind kind);

/*
 * By the path and the children's names alone: registries, semaphores and queues of known libraries, else
 * DIRECTORY_OTHER. A queue's verdict holds only for persistent children.
 */
struct directory_verdict directory_kind_named(const char *path, char *const *names, size_t count);

/* A child that looks like a lock or an election, and is part of a semaphore or a queue. */
bool directory_kind_is_part(enum directory_kind parent, const char *name);

/* By what its children were seen to be, where their names say nothing: sequential and persistent. */
struct directory_verdict directory_kind_persistent_sequence(void);
/* ... only ephemeral ones, not sequential. */
struct directory_verdict directory_kind_ephemeral_members(void);
/* ... one ephemeral znode among others, by its name: a lock, or DIRECTORY_OTHER. */
struct directory_verdict directory_kind_ephemeral(const char *path);

#endif

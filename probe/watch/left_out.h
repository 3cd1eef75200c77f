/*
 * left_out.h - the parts of a tree that a walk did not see, and paths that may have been elections: one
 * message.
 *
 * Private to discover.c. Paths are full; messages have them without the chroot.
 */
#ifndef ELECTOP_PROBE_WATCH_LEFT_OUT_H
#define ELECTOP_PROBE_WATCH_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/directory_kind.h"
#include "probe/watch/live_cluster.h"

/* The maximum number of names kept. */
#define DENIED_KEPT 1000
#define EMPTIED_KEPT 100

/* A path without a candidate that may have been an election. */
struct emptied {
    char *path;
    enum emptied_how how;
};

struct left_out {
    const struct live_cluster *live;
    const char *no_root;          /* a root that does not exist; NULL: all exist */
    bool cut;                     /* because of the walk's limits */
    char *crowded_at;             /* a directory with more children than the limit; NULL: none */
    size_t denied;                /* unreadable directories, without the roots */
    char *denied_at[DENIED_KEPT]; /* the first of them, below the chroot */
    struct emptied emptied[EMPTIED_KEPT];
    size_t emptied_count;
    bool emptied_more;
};

/* A new walk begins. */
void left_out_forget(struct left_out *left);

void left_out_add_denied(struct left_out *left, const char *path);
void left_out_forget_denied(struct left_out *left);
void left_out_add_crowded(struct left_out *left, const char *path);
/* False: it is known, or watched, or there are too many. */
bool left_out_add_emptied(struct left_out *left, const char *path, enum emptied_how how);
/* The directory was listed again: forgets that it and its children may have been elections. */
void left_out_listed(struct left_out *left, const char *directory, char *const *names, size_t count);

/* Sorts denied_at, and returns the number of names in it. */
size_t left_out_sort_denied(struct left_out *left);
/* Nothing: only paths that may have been elections are named. */
bool left_out_is_nothing(const struct left_out *left);
/* The message, malloc'd; NULL: there is none. */
char *left_out_describe(struct left_out *left);

#endif

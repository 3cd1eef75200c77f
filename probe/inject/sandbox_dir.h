/*
 * sandbox_dir.h - one run's place in the sandbox directory: made for it, marked while it lives, and
 * removed after it.
 *
 *   SANDBOX           made if missing, and removed with the last run, if this program made it
 *   SANDBOX/RUN       the run's own znode; its data says that it is one (guard.h)
 *   SANDBOX/RUN.alive-ID   ephemeral: this run lives. It is created before the run's own znode, so that a
 *                     run without one is over, at any moment
 *   SANDBOX/RUN.x     other znodes of the run: see guard.h
 *
 * A znode is known again by its czxid: what has taken its place since it was read or listed is not touched.
 *
 * A new run removes finished runs: those with the data of a run and without a marker, and of these only
 * znodes that a run makes; foreign znodes stay. A run may have several agents: each has its own marker.
 */
#ifndef ELECTOP_PROBE_INJECT_SANDBOX_DIR_H
#define ELECTOP_PROBE_INJECT_SANDBOX_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/candidate/guard.h"

struct sandbox_dir;

struct sandbox_dir_options {
    const char *sandbox; /* full path */
    const char *run;     /* one name */
    const char *agent;   /* one name: whose sign of life it is */
    const char *within;  /* directories to be made below the run, "a/b"; NULL: none */
    bool joins;          /* others may be in this run already */
    /* Somebody has removed the run's znode or its sign while the run went on; called once, from the loop. */
    void (*lost)(void *context);
    void *context;
};

/* problem NULL: done; else the error and the remedy, valid during the call. */
typedef void (*sandbox_dir_fn)(void *context, const char *problem);

/* Copies the options; guard (of this sandbox and run) and session must outlive it. */
struct sandbox_dir *sandbox_dir_new(struct guard *guard, struct session *session,
                                    const struct sandbox_dir_options *options);
/* Never while it is being made or removed, but after the session's end. NULL is fine. */
void sandbox_dir_free(struct sandbox_dir *sandbox_dir);

/* Removes finished runs, and makes this run's place; not in a directory with foreign candidates. fn
 * is called once, also when the session is lost. */
void sandbox_dir_make(struct sandbox_dir *sandbox_dir, sandbox_dir_fn fn, void *context);

/* Removes all of this run; last: the run's own znode and, unless another run needs it, the sandbox. */
void sandbox_dir_remove(struct sandbox_dir *sandbox_dir, sandbox_dir_fn fn, void *context);

/* A watch of the session has fired. */
void sandbox_dir_noticed(struct sandbox_dir *sandbox_dir, const char *path);

/* Runs that were over and have been removed. */
size_t sandbox_dir_swept(const struct sandbox_dir *sandbox_dir);

/* The first znode, in a run that was to be removed, that is not ours and stays; NULL: none was found. */
const char *sandbox_dir_kept(const struct sandbox_dir *sandbox_dir);

#endif

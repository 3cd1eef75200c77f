/*
 * sandbox_dir.h - one run's directory in the sandbox: created for it, marked while it lives, and removed
 * afterwards.
 *
 *   SANDBOX           created if missing; removed with the last run, if this program created it
 *   SANDBOX/RUN       the run's own znode; its data marks it as a run (guard.h)
 *   SANDBOX/RUN.alive-ID   ephemeral: this run lives. It is created before the run's own znode, so a
 *                     run without it has always ended
 *   SANDBOX/RUN.x     other znodes of the run: see guard.h
 *
 * A znode is recognised by its czxid: one that was replaced since it was read or listed is not touched.
 *
 * A new run removes finished runs, which have a run's data and no marker. It removes only znodes that a run
 * creates; foreign znodes stay. A run may have several agents: each has its own marker.
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
    const char *agent;   /* one name, for its marker */
    const char *within;  /* directories to create below the run, "a/b"; NULL: none */
    bool joins;          /* the run may already have other agents */
    /* Another client removed the run's znode or its marker during the run. Called once, from the loop. */
    void (*lost)(void *context);
    void *context;
};

/* problem NULL: done; else the error and the remedy, valid during the call. */
typedef void (*sandbox_dir_fn)(void *context, const char *problem);

/* Copies the options; guard (of this sandbox and run) and session must outlive it. */
struct sandbox_dir *sandbox_dir_new(struct guard *guard, struct session *session,
                                    const struct sandbox_dir_options *options);
/* Allowed after the session has ended, but not while the directory is being created or removed. NULL is
 * allowed. */
void sandbox_dir_free(struct sandbox_dir *sandbox_dir);

/* Removes finished runs, and creates this run's directory, but not in a directory with foreign candidates. fn
 * is called once, even if the session is lost. */
void sandbox_dir_make(struct sandbox_dir *sandbox_dir, sandbox_dir_fn fn, void *context);

/* Removes everything of this run; last the run's own znode and, unless another run needs it, the sandbox. */
void sandbox_dir_remove(struct sandbox_dir *sandbox_dir, sandbox_dir_fn fn, void *context);

/* A watch of the session has fired. */
void sandbox_dir_noticed(struct sandbox_dir *sandbox_dir, const char *path);

/* The number of finished runs removed. */
size_t sandbox_dir_swept(const struct sandbox_dir *sandbox_dir);

/* The first foreign znode that remains in a run to be removed; NULL: none was found. */
const char *sandbox_dir_kept(const struct sandbox_dir *sandbox_dir);

#endif

/*
 * precinct.h - one run's place in the sandbox directory: made for it, marked as long as it lives, and removed
 * after it.
 *
 *   SANDBOX           made if missing, and removed again with the last run, where it was we who made it
 *   SANDBOX/RUN       the run's own znode; its data says that it is one (run_mark.h)
 *   SANDBOX/RUN.alive-ID   ephemeral: this run lives. It stands before the run's own znode does, so that a
 *                     run without one is over, whenever one looks
 *   SANDBOX/RUN.x     what else belongs to the run: see guard.h
 *
 * Whoever begins removes the runs that are over: those with the data of a run and without a sign of life, and
 * of these what a run makes; what somebody else has put there stays. There may be several agents in one run:
 * each has its own sign of life.
 */
#ifndef ELECTOP_PROBE_INJECT_PRECINCT_H
#define ELECTOP_PROBE_INJECT_PRECINCT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/guard.h"

struct precinct;

struct precinct_options {
    const char *sandbox; /* full path */
    const char *run;     /* one name */
    const char *agent;   /* one name: whose sign of life it is */
    const char *within;  /* directories to be made below the run, "a/b"; NULL: none */
    bool joins;          /* others may be in this run already */
};

/* problem NULL: done; else what is wrong and what to do, valid during the call. */
typedef void (*precinct_fn)(void *context, const char *problem);

/* Copies the options; guard (of this sandbox and run) and session must outlive it. NULL: out of memory. */
struct precinct *precinct_new(struct guard *, struct session *, const struct precinct_options *);
/* Never while it is being made or removed, but after the session's end. NULL is fine. */
void precinct_free(struct precinct *);

/* Removes what is over, and makes this run's place; not in a directory where somebody's candidates stand. fn
 * is called once, also when the session is lost. */
void precinct_make(struct precinct *, precinct_fn, void *context);

/* Removes all of this run; last: the run's own znode and, where nobody else needs it, the sandbox. */
void precinct_remove(struct precinct *, precinct_fn, void *context);

/* Runs that were over and have been removed. */
size_t precinct_swept(const struct precinct *);

/* The first znode, in a run that was to be removed, that is not ours and stays; NULL: none was found. */
const char *precinct_kept(const struct precinct *);

#endif

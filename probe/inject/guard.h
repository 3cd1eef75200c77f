/*
 * guard.h - the one place through which every write of the program goes.
 *
 * A guard stands for one purpose and lets through only what that purpose needs; whatever else is asked of it
 * is not sent, is counted, and stands in the log: a refusal is a defect of ours, never of the cluster's.
 * There is no setData here at all: one on somebody's candidate would eat the one-shot watch of its successor.
 *
 *   private   an ensemble that this program has started for itself: anything
 *   sandbox   the sandbox directory, and in it one run: SANDBOX/RUN and below, and its signs beside it
 *             (SANDBOX/RUN.alive-..., RUN.leader, and those of agents.h). At a run's znode nothing is deleted
 *             before it was proved to be a run's (guard_adopt()), be it our own or one that is over. What is
 *             made to last and has no data of its own gets the mark by which it is known again (run_mark.h)
 *   live      somebody's election: one more candidate, ephemeral, sequential, with data and the
 *             siblings' name, while the live rules hold (guard_open()); and deleting what was created so
 *
 * Whoever holds a guard frees it after every session that writes through it.
 */
#ifndef ELECTOP_PROBE_INJECT_GUARD_H
#define ELECTOP_PROBE_INJECT_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/zookeeper/session.h"

struct guard;

/* Full paths, copied; run is one name. name_pattern: see naming.h; names: see run_mark_make(). NULL: out of
   memory. */
struct guard *guard_new_private(void);
struct guard *guard_new_sandbox(const char *sandbox, const char *run, const char *names);
struct guard *guard_new_live(const char *election, const char *name_pattern);
void guard_free(struct guard *);

/* Live: candidates may stand from now on, or no more (as in the beginning). Deleting is always possible. */
void guard_open(struct guard *, bool open);

/* Live: the znode at this path was created through it (or may have been: its name has our GUID). */
bool guard_owns(const struct guard *, const char *path);

/* Sandbox: the znode of this name is a run's, and this one's own or over: it may be deleted with all below.
   False: out of memory, or no such name. */
bool guard_adopt(struct guard *, const char *run);

/* A name beside a run: one of the signs above. */
bool guard_is_sign(const char *name, const char *run);

/* As session_create() and session_delete(). False also for what is refused. */
bool guard_create(struct guard *, struct session *, const char *path, const void *data, size_t length,
                  enum create_mode, const struct acl *, session_text_fn, void *context);
bool guard_delete(struct guard *, struct session *, const char *path, int32_t version, session_text_fn,
                  void *context);

/* What was not let through: how often, and the latest path; 0 and "". */
uint64_t guard_refused(const struct guard *);
const char *guard_refused_path(const struct guard *);

#endif

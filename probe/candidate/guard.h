/*
 * guard.h - the single door for all writes of the program.
 *
 * A guard has one purpose and permits only the writes of that purpose. Any other write is not sent, but
 * counted and logged: a refusal is a defect of the program, never of the cluster. There is no setData at all:
 * on a foreign candidate it would use up the one-shot watch of its successor.
 *
 *   private   an ensemble that this program has started for itself: anything
 *   sandbox   the sandbox directory, and in it one run: SANDBOX/RUN and below, and its markers beside it
 *             (SANDBOX/RUN.alive-..., RUN.leader, and those of agents.h). Nothing below a run's znode is
 *             deleted until guard_adopt() has confirmed that the znode belongs to this run or to a
 *             finished one. A persistent znode that needs no data contains the marker below
 *   live      a foreign election: one more candidate, ephemeral, sequential, with the real candidates' data
 *             and names, while the live rules hold (guard_open()); and deleting the znodes created so
 *
 * Free a guard after every session that writes through it.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_GUARD_H
#define ELECTOP_PROBE_CANDIDATE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"
#include "probe/zookeeper/session.h"

/*
 * How a znode in the sandbox is recognised as created by this program. Any other znode stays.
 *
 * A persistent znode contains a marker: its data names the run and the pattern of its candidates' names, and
 * its version shows that it was not written since. Candidates and markers are ephemeral, and contain the data
 * of the layout: they are recognised by their names.
 */

/* The data of the sandbox itself, if this program created it. */
#define SANDBOX_MARKER "electop sandbox"

/* The first line of the data of a run's persistent znodes; often the only line. */
#define RUN_MARKER "electop run"

/* The data of a run's directory, malloc'd. names: see naming.h, or the one name of a lock with a leading "=";
 * NULL: unknown. */
char *run_marker_make(const char *names);

/* A run created the persistent znode that was read, and it is unchanged. */
bool run_marker_is(const struct session_answer *answer);

/* The names given to run_marker_make(), malloc'd; NULL: none. */
char *run_marker_names(const void *data, size_t length);

/* An ephemeral znode of this name could be a candidate of the run; names NULL: no. */
bool run_marker_fits(const char *names, const char *name);

struct guard;

/* sandbox: a full path. run: one name. candidates: the only directory for candidates. names: as
 * for run_marker_make(). name_pattern: see naming.h. All are copied. NULL: a name is invalid. */
struct guard *guard_new_private(void);
struct guard *guard_new_sandbox(const char *sandbox, const char *run, const char *candidates,
                                const char *names);
struct guard *guard_new_live(const char *election, const char *name_pattern);
void guard_free(struct guard *guard);

/* Live: permits or forbids new candidates (initially forbidden). Deleting is always permitted. */
void guard_open(struct guard *guard, bool open);

/* Live: the znode at this path was created through this guard (or may have been: its name has our GUID). */
bool guard_owns(const struct guard *guard, const char *path);

/* Sandbox: the znode of this name belongs to this run or to a finished one: it may be deleted with everything
 * below. False: not a valid name. */
bool guard_adopt(struct guard *guard, const char *run);

/* Whether this is the name of one of the run's markers (RUN.alive-..., RUN.leader). */
bool guard_is_marker(const char *name, const char *run);

/*
 * A name identifies a znode's creator only if no other client can have made the same name: if it contains a
 * GUID or a session. A lock, a marker, or a bare name with a number (numbers restart in a directory that is
 * created again) may be deleted only if its owner is a session that created through this guard.
 */
bool guard_name_is_unique(const struct guard *guard); /* live */
bool guard_is_our_session(const struct guard *guard, uint64_t session);

/*
 * The directory now belongs to another: nothing more is created in the run (sandbox), or in the election
 * (live). Such a create is not sent, and does not count as refused.
 */
void guard_lose(struct guard *guard);
bool guard_is_lost(const struct guard *guard);
/* Live: this Stat of the election's directory was read. A directory that was created again is lost: the first
 * candidate there would lead. */
void guard_see_directory(struct guard *guard, const struct znode_stat *stat);
/* Sandbox: whether this path is the run's own znode or one of its ancestors. It is created once, before the
 * candidates. */
bool guard_keeps(const struct guard *guard, const char *path);

/* Like session_create() and session_delete(). Also false for a refused write. */
bool guard_create(struct guard *guard, struct session *session, const char *path, const void *data,
                  size_t length, enum create_mode mode, const struct acl *acl, session_answer_fn fn,
                  void *context);
bool guard_delete(struct guard *guard, struct session *session, const char *path, int32_t version,
                  session_answer_fn fn, void *context);

/* A write was asked for: the first of each run is an ephemeral, its sign of life. */
bool guard_is_used(const struct guard *guard);
/* The number of znodes that were created. */
uint64_t guard_created(const struct guard *guard);
/* The number of refused writes. */
uint64_t guard_refused(const struct guard *guard);

#endif

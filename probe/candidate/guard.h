/*
 * guard.h - the one place through which every write of the program goes.
 *
 * A guard has one purpose and permits only the writes of that purpose. Any other write is not sent, is
 * counted, and is logged: a refusal is a defect of the program, never of the cluster. There is no setData
 * here at all: on a foreign candidate it would consume the one-shot watch of its successor.
 *
 *   private   an ensemble that this program has started for itself: anything
 *   sandbox   the sandbox directory, and in it one run: SANDBOX/RUN and below, and its markers beside it
 *             (SANDBOX/RUN.alive-..., RUN.leader, and those of agents.h). Nothing below a run's znode is
 * deleted before it was proved to be a run's (guard_adopt()), whether this run's or a finished one. A
 *             persistent znode without data of its own is marked as this program's (below)
 *   pair      a pair of recorders: in the sandbox directory PAIR/recorders, with ephemeral candidates, and
 *             PAIR/sent, with the ledger of alerts (probe/alert/pair.h); entries of the ledger may be deleted
 *   live      a foreign election: one more candidate, ephemeral, sequential, with data and the
 *             siblings' name, while the live rules hold (guard_open()); and deleting the znodes created so
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
 * How a znode in the sandbox is recognised as this program's own. Any other znode stays.
 *
 * A persistent znode contains a marker: its data names the run and the pattern of its candidates' names, and
 * its version shows that it was not written since. Candidates and markers are ephemeral, and contain the data
 * of the layout: they are recognised by their names.
 */

/* The data of the sandbox itself, where it was we who made it. */
#define SANDBOX_MARKER "electop sandbox"

/* The data of a pair's directories: a run leaves them alone. */
#define PAIR_MARKER "electop pair"
#define PAIR_RECORDERS "recorders"
#define PAIR_LEDGER "sent"

/* What the data of whatever lasts in a run begins with: it ends there, or the line does. */
#define RUN_MARKER "electop run"

/* The data of a directory of a run, malloc'd. names: see naming.h, or the one name of a lock with "=" in
   front; NULL: none is known. */
char *run_marker_make(const char *names);

/* A znode with this Stat and data was made to last by a run, and is as it was made. */
bool run_marker_is(const struct znode_stat *stat, const void *data, size_t length);

/* As given to run_marker_make(), malloc'd; NULL: none. */
char *run_marker_names(const void *data, size_t length);

/* An ephemeral of this name could be a candidate of the run; names NULL: no. */
bool run_marker_fits(const char *names, const char *name);

struct guard;

/* Full paths, copied; run is one name. name_pattern: see naming.h. candidates: the only directory in which
   the run's candidates stand; names: theirs, see run_marker_make(). NULL: the sandbox, the run or
   the pair is no such name. */
struct guard *guard_new_private(void);
struct guard *guard_new_sandbox(const char *sandbox, const char *run, const char *candidates,
                                const char *names);
struct guard *guard_new_pair(const char *sandbox, const char *pair);
struct guard *guard_new_live(const char *election, const char *name_pattern);
void guard_free(struct guard *guard);

/* Live: permits or forbids new candidates (initially forbidden). Deleting is always permitted. */
void guard_open(struct guard *guard, bool open);

/* Live: the znode at this path was created through it (or may have been: its name has our GUID). */
bool guard_owns(const struct guard *guard, const char *path);

/* Sandbox: the znode of this name is a run's, and this one's own or over: it may be deleted with all below.
   False: no such name. */
bool guard_adopt(struct guard *guard, const char *run);

/* A name beside a run: one of the signs above. */
bool guard_is_sign(const char *name, const char *run);

/*
 * A name says whose a znode is only where no stranger can have made the same: one with a GUID or a session in
 * it. A lock, a marker, or a bare name with a number (numbers begin again in a directory that is made anew)
 * may be deleted only where its owner is a session that created through this guard.
 */
bool guard_name_is_unique(const struct guard *guard); /* live */
bool guard_is_our_session(const struct guard *guard, uint64_t session);

/*
 * The place is not ours any more: nothing more is created in the run (sandbox), or in the election (live).
 * Such a create is not sent, and is no refusal.
 */
void guard_lose(struct guard *guard);
bool guard_is_lost(const struct guard *guard);
/* Live: this Stat of the election's directory was read. One that was made anew is lost: whoever comes first
   there leads. */
void guard_see_directory(struct guard *guard, const struct znode_stat *stat);
/* Sandbox: the run's own znode, and those above it. It is made once, before the candidates come. */
bool guard_keeps(const struct guard *guard, const char *path);

/* As session_create() and session_delete(). False also for a refused write. */
bool guard_create(struct guard *guard, struct session *session, const char *path, const void *data,
                  size_t length, enum create_mode mode, const struct acl *acl, session_text_fn fn,
                  void *context);
bool guard_delete(struct guard *guard, struct session *session, const char *path, int32_t version,
                  session_text_fn fn, void *context);

/* Refused writes: their number, and the latest path; 0 and "". */
uint64_t guard_refused(const struct guard *guard);
const char *guard_refused_path(const struct guard *guard);

#endif

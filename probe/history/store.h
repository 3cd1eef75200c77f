/*
 * store.h - writes batches into a recording, in its own thread.
 *
 * A caller never waits for the disk: batches that cannot be written stay in a bounded queue and are tried
 * again; one that no longer fits into it is refused, and the caller begins a new stretch later (batch.h). All
 * batches are committed within half a second, so a process that is killed loses no more.
 */
#ifndef ELECTOP_PROBE_HISTORY_STORE_H
#define ELECTOP_PROBE_HISTORY_STORE_H

#include "probe/history/batch.h"

struct store;

/* keep_ms: older rows are removed, from time to time. NULL and a text in *error (caller frees). */
struct store *store_open(const char *file, int64_t keep_ms, char **error);

/* Takes the batch in any case. False: there was no room for it, and it is lost. */
bool store_push(struct store *store, struct batch *batch);

/* Bytes that wait to be written. */
size_t store_waiting(struct store *store);

/* Nothing has happened until now, but it was being watched. */
void store_alive(struct store *store, int64_t now_us);

/* Why it cannot write at present (malloc'd; the caller frees), or NULL: it is well. */
char *store_problem(struct store *store);

/* The problem, and since when events are missing (0: all are). malloc'd. */
char *store_loss(const char *problem, int64_t since_us);

/*
 * A change of the file from outside is noticed within half a second. If it was removed, moved or replaced, the
 * store goes on in the file that now has its name, or in a new one; if SQLite's log beside it was removed, in
 * the same file, and nothing is lost. The notice says which, once (malloc'd; the caller frees; NULL: nothing
 * happened).
 */
char *store_take_notice(struct store *store);

/*
 * True once after the store went over to another file. It refuses batches before; the next one must begin a
 * new stretch. *from_us: until then all is in the file of before; *events: were waiting, and are lost.
 */
bool store_take_renewal(struct store *store, int64_t *from_us, uint64_t *events);

/* The file, without links. */
const char *store_file(const struct store *store);

/* Writes the rest, and ends. False: it could not be written; *problem as above, and since when it is
   missing. NULL is fine. */
bool store_close(struct store *store, char **problem);

#endif

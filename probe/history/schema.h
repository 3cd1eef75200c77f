/*
 * schema.h - the content of a recording: one SQLite file, for the program and for people with `sqlite3`.
 *
 * For people there are views: electop-history(1), SQL VIEWS, has their columns, and queries.
 *
 * The tables beneath have times as microseconds since 1970 (at_us, from_us ...):
 *
 *   event, failover, finding, tenure, gap   the rows of the views
 *   cluster, election   the ids in them
 *   name        candidates and identities, by number; the same text may have several
 *   kind        the words of events, by number
 *   stretch     a time of recording without a break and without a step of the clock; why it began, and its
 *               recorder. Ids count in the order of recording, which decides where clocks jumped
 *   chunk       a whole snapshot of everything (snapshot.h, deflated), and the patches that follow it;
 *               first_event, first_name: the first ones after it
 *   patch       the patches of the latest chunk, as they came
 *
 * PRAGMA user_version is the schema's number, PRAGMA application_id says that it is a recording at all. A
 * recording of another schema is refused. The format of snapshots belongs to the schema: a change of
 * either gives it a new number.
 */
#ifndef ELECTOP_PROBE_HISTORY_SCHEMA_H
#define ELECTOP_PROBE_HISTORY_SCHEMA_H

#include <stdbool.h>
#include <sqlite3.h>

#define SCHEMA_VERSION 9

/* Why a stretch began when the clock was set: the reason begins with this. */
#define CLOCK_SET "the clock was set"
/* Why there is a gap: the recorder found that it had not been running. */
#define GAP_STILL "the program stood still"
/* ... or that a cluster could not be watched. */
#define GAP_AWAY "not connected"

/*
 * Makes it (writing, and the file is empty), or checks that it can be read and, writing, written. False and a text in
 * *error (caller frees): the error of the file, and the remedy.
 */
bool schema_prepare(sqlite3 *db, const char *file, bool writing, char **error);

/* SQLite's last error there, in words for people: "no space left on its disk; ...". malloc'd. */
char *schema_error(sqlite3 *db, const char *file);

/* The same of one that is damaged and was to be written. */
char *schema_damaged(const char *file);

#endif

/*
 * schema.h - what is in a recording: one SQLite file, for the program and for people with `sqlite3`.
 *
 * For people there are views, in words and with times as text (UTC):
 *
 *   events      time, cluster, election, event, candidate, identity, from_candidate, position, gap_ms, ...
 *   failovers   lost, cluster, election, from_candidate, to_candidate, cause, certainty, evidence, and the
 * phases in milliseconds: detection, vacancy, takeover, total, each with its lower and upper bound (NULL:
 * that bound is not known; gap_ms: found after nobody had watched for so long) findings    time, cluster,
 * election, code, severity, certainty, raised or cleared, evidence, advice tenures     who led (led), or that
 * nobody did (vacant), or that nobody watched (gap), from when to when gaps        when this was not being
 * recorded, or a cluster could not be watched
 *
 * The tables beneath have times as microseconds since 1970 (at_us, from_us ...), and:
 *
 *   name        texts that stand in many rows, by number
 *   stretch     from when to when was recorded without a break, with the clock going forwards; ids count in
 * the order of recording, which decides where clocks jumped chunk       a whole picture of everything
 * (picture.h, deflated), and the patches that follow it patch       the patches of the latest chunk, as they
 * came
 *
 * PRAGMA user_version is the schema's number. An older one is brought up to date by whoever records next, in
 * one transaction; a newer one is refused. PRAGMA application_id says that it is a recording at all.
 */
#ifndef ELECTOP_PROBE_HISTORY_SCHEMA_H
#define ELECTOP_PROBE_HISTORY_SCHEMA_H

#include <stdbool.h>
#include <sqlite3.h>

#define SCHEMA_VERSION 1

/*
 * Makes or migrates it (writing), or checks that it can be read. False and a text in *error (caller frees):
 * what is wrong with the file, and what to do.
 */
bool schema_prepare(sqlite3 *, const char *file, bool writing, char **error);

/* What SQLite says of its last error there, in words for people: "no space left on its disk; ...". malloc'd.
 */
char *schema_error(sqlite3 *, const char *file);

#endif

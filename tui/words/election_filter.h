/*
 * election_filter.h - which elections a filter shows, the same on every screen and command line.
 *
 * A filter is a list of terms, separated by blanks; all must hold. A term is a piece of text, to be found in
 * the name, path or cluster of the election, its leader, the identity of a candidate, or the code of a
 * finding; or a field:
 *
 *   state:vacant      led, vacant, absent, free, denied, electing, stale, unknown, unacknowledged
 *   next:stops        works, stops, alone, unknown
 *   severity>=error   also = ; note, warning, error, critical
 *   finding:no-watch  leader:host-a  recipe:curator  cluster:prod  name:orders  client:10.0.0.7
 *
 * Upper and lower case are the same. A word with a colon whose field is not known is a piece of text.
 */
#ifndef ELECTOP_TUI_WORDS_ELECTION_FILTER_H
#define ELECTOP_TUI_WORDS_ELECTION_FILTER_H

#include <stdbool.h>

#include "probe/election/model.h"

bool election_filter_match(const char *filter, const struct election *election, struct moment now);

/*
 * The same for a part of an election, such as a finding or an event: fields are the election's, and pieces of
 * text are searched in the part. election NULL: unknown, so no field matches.
 */
bool election_filter_match_text(const char *filter, const struct election *election, struct moment now,
                                bool (*has)(const void *thing, const char *text), const void *thing);

/* Whether it may show an election of this cluster. */
bool election_filter_match_cluster(const char *filter, const struct cluster *cluster);

/* How many of its terms are about this candidate: pieces of text in it, or its host; 0 if that is another. */
size_t election_filter_finds(const char *filter, const struct candidate *candidate);

/* The error in a filter's known fields ("severity knows note, warning, error and critical"); NULL: none. */
const char *election_filter_problem(const char *filter);

/* An election with a vacancy, a warning or worse, or a next failover that would stop. */
bool election_has_problem(const struct election *election, struct moment now);

#endif

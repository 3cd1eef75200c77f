/*
 * failover_facts.h - how long an election's failovers took, as this run saw them, in as few characters as
 * there is room for.
 */
#ifndef ELECTOP_TUI_WORDS_FAILOVER_FACTS_H
#define ELECTOP_TUI_WORDS_FAILOVER_FACTS_H

#include "probe/election/model.h"
#include "tui/screen/cells.h"
#include "tui/words/format.h"

/*
 * The latest: "412ms", "9.60 – 12.9s", if that has no room "≤ 12.9s"; "open" while there is no leader, "?" if
 * it is unknown. While its evidence is incomplete, as far as our own watches show. "" where none was seen.
 */
char *failover_facts_last(const struct cells *, const struct election *, int room,
                          char buffer[FORMAT_INTERVAL]);

/* The median of those that this run saw; false: there are none. */
bool failover_facts_usual(const struct cells *, const struct election *, int room,
                          char buffer[FORMAT_INTERVAL]);

#endif

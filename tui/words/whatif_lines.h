/*
 * whatif_lines.h - departures in sentences: which candidate is notified when one goes, which leads then, and
 * where the chain stops.
 */
#ifndef ELECTOP_TUI_WORDS_WHATIF_LINES_H
#define ELECTOP_TUI_WORDS_WHATIF_LINES_H

#include "probe/election/model.h"
#include "probe/election/whatif.h"
#include "tui/screen/cells.h"
#include "tui/words/format.h"

/*
 * How long an election's failovers took, as this run saw them, in as few characters as
 * there is room for.
 */

/*
 * The latest: "412ms", "9.60 – 12.9s", if that has no room "≤ 12.9s"; "open" while there is no leader, "?" if
 * it is unknown. While its evidence is incomplete, as far as our own watches show. "" where none was seen.
 */
char *failover_facts_last(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* The median of those that this run saw; false: there are none. */
bool failover_facts_usual(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* How the next failover will go; false: there is no candidate, so there is none. */
bool whatif_put_leader(struct cells *cells, int x, int y, const struct election *election);
/* The same of a lock without a line of contenders. */
void whatif_put_holder(struct cells *cells, int x, int y, const struct election *election);
/* Where the line behind it stops, or that it does not; false: there is nothing more to say. */
bool whatif_put_line(struct cells *cells, int x, int y, const struct election *election);

/* The departure of one candidate played through, one after the other, until the line stops. */
void whatif_pane_draw(struct cells *cells, int y, int rows, const struct election *election,
                      const struct candidate *goes);

#endif

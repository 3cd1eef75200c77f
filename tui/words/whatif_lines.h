/*
 * whatif_lines.h - predicted failures in sentences: which candidate is notified when one fails, who leads
 * next, and where the chain is broken; and the durations of past failovers (failover_facts_*).
 */
#ifndef ELECTOP_TUI_WORDS_WHATIF_LINES_H
#define ELECTOP_TUI_WORDS_WHATIF_LINES_H

#include "probe/election/model.h"
#include "probe/election/whatif.h"
#include "tui/screen/cells.h"
#include "tui/words/format.h"

/*
 * The durations of an election's failovers seen by this run, as short as the room requires.
 */

/*
 * The latest: "412ms", "9.60 – 12.9s", or "≤ 12.9s" if there is no room; "open" while there is no leader, "?"
 * if unknown. Until EVENT_FAILOVER is complete, from electop's own watches. "" if none was seen.
 */
char *failover_facts_last(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* The median of those seen by this run; false: there are none. */
bool failover_facts_usual(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL]);

/* The prediction of the next failover. False: there is no candidate. */
bool whatif_put_leader(struct cells *cells, int x, int y, const struct election *election);
/* The same for a lock without an order of contenders. */
void whatif_put_holder(struct cells *cells, int x, int y, const struct election *election);
/* Where the chain behind it is broken, or that it is not; false: there is nothing more to say. */
bool whatif_put_line(struct cells *cells, int x, int y, const struct election *election);

/* Simulates the failure of one candidate after the other until the chain is broken. */
void whatif_pane_draw(struct cells *cells, int y, int rows, const struct election *election,
                      const struct candidate *goes);

#endif

/*
 * whatif_lines.h - predicted failures in sentences: which candidate is notified when one fails, who leads
 * next, and where the chain is broken.
 */
#ifndef ELECTOP_TUI_WORDS_WHATIF_LINES_H
#define ELECTOP_TUI_WORDS_WHATIF_LINES_H

#include "probe/election/model.h"
#include "probe/election/whatif.h"
#include "tui/screen/cells.h"

/* The prediction of the next failover, in at most rows rows. Returns the rows used; 0: there is no candidate. */
int whatif_put_leader(struct cells *cells, int x, int y, int rows, const struct election *election);
/* The same for a lock without an order of contenders. */
void whatif_put_holder(struct cells *cells, int x, int y, const struct election *election);
/* Where the chain behind it is broken, or that it is not; 0: there is nothing more to say. */
int whatif_put_line(struct cells *cells, int x, int y, int rows, const struct election *election);

/* Simulates the failure of one candidate after the other until the chain is broken. */
void whatif_pane_draw(struct cells *cells, int y, int rows, const struct election *election,
                      const struct candidate *goes);

#endif

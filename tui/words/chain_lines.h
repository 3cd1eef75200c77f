/*
 * chain_lines.h - a candidate's place in the watch chain, in signs, words and a gauge: its identity, its
 * server, when it was last heard, its actual watches.
 */
#ifndef ELECTOP_TUI_WORDS_CHAIN_LINES_H
#define ELECTOP_TUI_WORDS_CHAIN_LINES_H

#include "probe/election/chain.h"
#include "probe/election/model.h"
#include "tui/screen/cells.h"

/* Columns of a gauge with its figure and with what the whole gauge is; without that; and of the figure alone.
 */
#define HEARD_WHOLE 22
#define HEARD_WIDTH 13
#define HEARD_LEAST 6

/* The gutter's one column: a chain that is unbroken, cut, hooked elsewhere, or not known. */
void chain_put_gutter(struct cells *cells, int x, int y, const struct election *election,
                      const struct candidate *candidate);

/* Its watches, in words: "^ n_...42", "nothing: will never wake". Foreign bytes. Returns its style. */
style chain_watch_text(const struct cells *cells, const struct election *election,
                       const struct candidate *candidate, char *buffer, size_t size);

/* Its identity, else its client's address, else why both are unknown. */
char *chain_who(const struct candidate *candidate, char *buffer, size_t size);

/* The server that holds its connection, shortly; "none", or "?" where that is not known.
   Returns its style. */
style chain_server_text(const struct cells *cells, const struct election *election,
                        const struct candidate *candidate, char *buffer, size_t size);

/* For how long its session was unheard: -1 where that is not known; *ratio of its timeout, in percent. */
int64_t chain_silent_ms(const struct election *election, const struct candidate *candidate, bool *is_bound,
                        int *percent);

/* The same as a figure, and where there is room for one as a gauge, too: "##---- 3.1s of 10s". */
void chain_put_heard(struct cells *cells, int x, int y, int room, const struct election *election,
                     const struct candidate *candidate);

#endif

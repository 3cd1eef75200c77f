/*
 * chain_lines.h - a candidate's place in the watch chain, in signs, words and a gauge: its identity, its
 * server, the time of its last contact, its actual watches.
 */
#ifndef ELECTOP_TUI_WORDS_CHAIN_LINES_H
#define ELECTOP_TUI_WORDS_CHAIN_LINES_H

#include "probe/election/chain.h"
#include "probe/election/model.h"
#include "tui/screen/cells.h"

/* The columns of a gauge with its figure and the meaning of the full gauge; without that meaning; and of the
 * figure alone. */
#define HEARD_WHOLE 22
#define HEARD_WIDTH 13
#define HEARD_LEAST 6

/* The chain's column: unbroken, broken, watching another candidate, or unknown. */
void chain_put_gutter(struct cells *cells, int x, int y, const struct election *election,
                      const struct candidate *candidate);

/* Its watches, in words: "^ n_...42", "nothing: never notified". Untrusted bytes. Returns its style. */
style chain_watch_text(const struct cells *cells, const struct election *election,
                       const struct candidate *candidate, char *buffer, size_t size);

/* Its identity, else its client's address, else why both are unknown. */
const char *chain_who(const struct candidate *candidate, char *buffer, size_t size);

/* The server of its connection, shortened; "none", or "?" if unknown. Returns its style. */
style chain_server_text(const struct cells *cells, const struct election *election,
                        const struct candidate *candidate, char *buffer, size_t size);

/* How long its session has been silent: -1 if unknown; *ratio of its timeout, in percent. */
int64_t chain_silent_ms(const struct election *election, const struct candidate *candidate, bool *is_bound,
                        int *percent);

/* The same as a figure and, if there is room, as a gauge: "##---- 3.1s of 10s". */
void chain_put_heard(struct cells *cells, int x, int y, int room, const struct election *election,
                     const struct candidate *candidate);

#endif

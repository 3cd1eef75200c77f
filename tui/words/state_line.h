/*
 * state_line.h - the state of an election as one plain sentence: for a notification, and for who cannot see a
 * screen.
 */
#ifndef ELECTOP_TUI_WORDS_STATE_LINE_H
#define ELECTOP_TUI_WORDS_STATE_LINE_H

#include "probe/election/model.h"

/*
 * The election's name, with its cluster in front where the model has several: "prod orders". Escaped, malloc'd.
 */
char *state_line_name(const struct model *model, const struct election *election);

/*
 * "orders: led by 10.0.3.17:51234; next failover stops at n_47; critical no-watch, certain". It has no ages, so
 * it changes only with the facts. Printable ASCII only: foreign bytes are shown as escapes. malloc'd.
 */
char *state_line(const struct model *model, const struct election *election, struct moment now);

#endif

/*
 * look_election.h - one election of a look as text: who leads, what is wrong and what comes next in
 * sentences, and its candidates as a table.
 *
 * Of a crowd that nobody named on the command line the first ones.
 */
#ifndef ELECTOP_TUI_REPORT_LOOK_ELECTION_H
#define ELECTOP_TUI_REPORT_LOOK_ELECTION_H

#include "probe/election/model.h"
#include "tui/print/paper.h"

/* False: out of memory. */
bool look_election_print(struct paper *, const struct election *, struct moment now);

#endif

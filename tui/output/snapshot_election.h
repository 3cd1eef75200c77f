/*
 * snapshot_election.h - one election of a snapshot as text: its leader, problems and next failover in
 * sentences, and its candidates as a table.
 *
 * Of a crowd that was not named on the command line only the first ones.
 */
#ifndef ELECTOP_TUI_OUTPUT_SNAPSHOT_ELECTION_H
#define ELECTOP_TUI_OUTPUT_SNAPSHOT_ELECTION_H

#include "probe/election/model.h"
#include "tui/output/line_printer.h"

/* False: out of memory. */
bool snapshot_election_print(struct printer *, const struct election *, struct moment now);

#endif

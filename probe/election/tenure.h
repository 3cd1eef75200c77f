/*
 * tenure.h - who led when, as far as it was seen: the stretches of one election's time, the newest last.
 */
#ifndef ELECTOP_PROBE_ELECTION_TENURE_H
#define ELECTOP_PROBE_ELECTION_TENURE_H

#include "probe/election/election.h"

/* i = 0 is the oldest kept. */
struct tenure *tenure_at(struct election *election, size_t i);
struct tenure *tenure_last(struct election *election); /* NULL: none */
/* Ends the one before and begins one; who NULL: vacant, and with gap: not observed. */
void tenure_begin(struct election *election, const struct candidate *who, struct moment from, bool exact,
                  bool gap);
void tenure_drop_last(struct election *election);
/* After the last, a copy of another one's. */
void tenure_put(struct election *election, const struct tenure *tenure);
void tenures_free(struct election *election);

/* It is not observed any more since then. */
void election_lapse(struct election *election, struct moment since);
/* It lapsed earlier than was thought. */
void election_lapsed_before(struct election *election, struct moment since);

struct moment moment_later(struct moment moment, struct moment b);

#endif

/*
 * tenure.h - the periods of one election's time, as far as observed: leader, vacant, or gap; newest last.
 */
#ifndef ELECTOP_PROBE_ELECTION_TENURE_H
#define ELECTOP_PROBE_ELECTION_TENURE_H

#include "probe/election/election.h"

/* i = 0 is the oldest kept. */
struct tenure *tenure_at(struct election *election, size_t i);
struct tenure *tenure_last(struct election *election); /* NULL: none */
/* Ends the last tenure and begins another; who NULL: vacant, or with gap: not observed. */
void tenure_begin(struct election *election, const struct candidate *who, struct moment from, bool exact,
                  bool gap);
void tenure_drop_last(struct election *election);
/* Its leader never led: it becomes a vacancy. */
void tenure_deny(struct tenure *tenure);
/* Appends a copy of another election's tenure. */
void tenure_put(struct election *election, const struct tenure *tenure);
/* The leader was another client. Every holder of a lock has the same name, and a client may create its candidate
 * again: sessions are compared where they are known, else identities. */
bool tenure_is_other(const struct tenure *before, const struct tenure *now);
/* The session that leads led before, and none between: it created its candidate again. Another candidate of it, which
 * waited, is a next leader. */
bool tenure_goes_on(const struct election *election);
void tenures_free(struct election *election);

/* It has not been observed since then. */
void election_lapse(struct election *election, struct moment since);
/* Observation ended earlier than assumed. */
void election_lapsed_before(struct election *election, struct moment since);

struct moment moment_later(struct moment moment, struct moment b);

#endif

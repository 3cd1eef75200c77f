/*
 * vacancy.h - an election without a leader: the open failover, and why there is no successor. Either there is
 * no candidate, or a finding shows that the first in line does not lead.
 *
 * Pure: reads the model, and costs the departures that it keeps.
 */
#ifndef ELECTOP_PROBE_ELECTION_VACANCY_H
#define ELECTOP_PROBE_ELECTION_VACANCY_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/election.h"
#include "probe/election/failover.h"

/*
 * The open failover; if the first in line perhaps does not lead, the one that made it the first. Its texts are
 * borrowed. from NULL: no leader was seen; lost_at.mono_us 0: the beginning is unknown. False: there is a
 * leader, as far as known, or none is needed, or that is unknown.
 */
bool vacancy_lost(const struct election *election, struct moment now, struct failover *failover);

/* Since that loss another one may have led, unobserved. */
bool vacancy_led_unseen(const struct election *election, const struct failover *lost);

struct vacancy_reason {
    enum certainty certainty;
    char text[240], evidence[480];
};
/* How many of its latest former candidates' clients are reasons. */
#define VACANCY_CLIENTS 3
#define VACANCY_REASONS (5 + VACANCY_CLIENTS)
/* Why there is no leader, the nearest reason first; returns the count. */
size_t vacancy_reasons(const struct election *election, struct vacancy_reason reasons[VACANCY_REASONS]);

/* The surest finding that shows that the first in line does not lead; NULL: there is none, or no leader is
 * needed. */
const struct finding *vacancy_doubt(const struct election *election);
/* There is certainly no leader; else the first may still take over, or believe that it leads. */
bool vacancy_is_sure(const struct finding *doubt);
/* There is a first in line, and certainly no leader. One that has not acknowledged yet is taking over. */
bool vacancy_stalls(const struct election *election);
/* ... and that one never led: not so where it may have led before its session ended. */
bool vacancy_is_denied(const struct election *election);
/* The same, or perhaps so: how long it took to lead, if it does, is not known. Not where it has to acknowledge, and has
 * not: that took so long at least. */
bool vacancy_is_untaken(const struct election *election);
/* The finding that a znode without an owner lies in the place of a lock's; NULL: there is none. */
const struct finding *vacancy_blocking(const struct election *election);
/* A persistent znode lies in the place of a lock's, or never had a child, and was made or written to lately: its writer
 * may lead. */
bool vacancy_is_doubtful(const struct election *election);
/* The first followed a leader that was lost; one that certainly never led is not in that change. There is a first. */
bool vacancy_first_follows(const struct election *election);
/* ... and its client was not heard since: it may not know. */
bool vacancy_heir_is_unheard(const struct election *election);

/* The lost leader, when and how it was lost, and why it has no successor: one sentence without a full stop. If
 * there is a first in line, it begins with "nobody leads" or "perhaps nobody leads". "" if there is a leader. */
#define VACANCY_TEXT 1200
const char *vacancy_describe(const struct election *election, struct moment now, char buffer[VACANCY_TEXT]);

#endif

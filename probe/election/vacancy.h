/*
 * vacancy.h - an election that nobody leads: the open failover, and why nobody follows. Nobody stands; or the
 * first in line does not lead, as a finding about it shows.
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
 * The failover that is open; of a first in line that does not lead, the one that made it the first. Its texts
 * are borrowed. from NULL: nobody was seen to lead; lost_at.mono_us 0: it is not known since when. False:
 * somebody leads, as far as can be known, or that is not known, or nobody has to.
 */
bool vacancy_lost(const struct election *election, struct moment now, struct failover *failover);

struct vacancy_reason {
    enum certainty certainty;
    char text[240], evidence[240];
};
/* Of clients that stood before, the latest ones. */
#define VACANCY_CLIENTS 3
#define VACANCY_REASONS (3 + VACANCY_CLIENTS)
/* Why nobody follows, the nearest reason first; returns the count. */
size_t vacancy_reasons(const struct election *election, struct vacancy_reason reasons[VACANCY_REASONS]);

/* The surest finding that shows that the first in line does not lead; NULL: none does, or nobody has to. */
const struct finding *vacancy_doubt(const struct election *election);
/* Nobody leads; else the first may still take over, or believe that it leads. */
bool vacancy_is_sure(const struct finding *doubt);

/* Who was lost, when and how, and why nobody follows, in one sentence without an end. It begins with "nobody leads", or
 * "perhaps nobody leads", where somebody is first in line. "" if somebody leads. */
#define VACANCY_TEXT 1200
const char *vacancy_describe(const struct election *election, struct moment now, char buffer[VACANCY_TEXT]);

#endif

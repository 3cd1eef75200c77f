/*
 * history_facts.h - what transaction logs told a recording beyond its elections.
 */
#ifndef ELECTOP_PROBE_HISTORY_HISTORY_FACTS_H
#define ELECTOP_PROBE_HISTORY_HISTORY_FACTS_H

#include "probe/history/history.h"
#include "probe/transactions/logged_fact.h"

/* Those with from <= time < to, in order; valid during the call; false from fn ends it. A recording without
   any has none: that is no error. */
typedef bool (*history_fact_fn)(void *context, const struct logged_fact *);
bool history_facts(struct history *, int64_t from_us, int64_t to_us, history_fact_fn, void *context,
                   char **error);

#endif

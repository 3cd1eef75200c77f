/*
 * diagnose.h - finds out what is wrong with elections, from all that is known of them.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIAGNOSE_H
#define ELECTOP_PROBE_ELECTION_DIAGNOSE_H

#include <stdbool.h>

#include "probe/election/moment.h"

struct model;
struct cluster;

/* Diagnoses what has changed, and where time has passed. Large elections are not diagnosed at every change;
   all: these, too. */
void diagnose_cluster(struct model *, struct cluster *, struct moment, bool all);

#endif

/*
 * diagnose.h - finds the problems of elections, from all known facts.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIAGNOSE_H
#define ELECTOP_PROBE_ELECTION_DIAGNOSE_H

#include <stdbool.h>

#include "probe/election/moment.h"

struct model;
struct cluster;

/* Diagnoses elections that have changed, and those for which time has passed. Large ones are not diagnosed at
   every change; all: these, too. */
void diagnose_cluster(struct model *, struct cluster *, struct moment, bool all);

#endif

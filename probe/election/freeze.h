/*
 * freeze.h - a picture that does not move.
 */
#ifndef ELECTOP_PROBE_ELECTION_FREEZE_H
#define ELECTOP_PROBE_ELECTION_FREEZE_H

struct model;

/* A deep copy without events, read by the same functions. NULL: out of memory. */
struct model *model_freeze(const struct model *);

#endif

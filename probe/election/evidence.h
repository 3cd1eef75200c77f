/*
 * evidence.h - how evidence is worded.
 */
#ifndef ELECTOP_PROBE_ELECTION_EVIDENCE_H
#define ELECTOP_PROBE_ELECTION_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "probe/election/moment.h"

struct election;

/* Texts for evidence; each writes into buffer and returns it. */
const char *tell_clock(struct moment, char *buffer, size_t size); /* "14:03:22Z" */
const char *tell_span(int64_t us, char *buffer, size_t size);     /* "12.3 s", "4 min" */
/* "session 0x2000… at 10.0.3.20:58122 on zk2:2181" */
const char *tell_session(const struct election *, uint64_t session, char *buffer, size_t size);

struct candidate;
/* The full path of its znode: of a lock, the lock itself. */
const char *tell_path(const struct candidate *, char *buffer, size_t size);

#endif

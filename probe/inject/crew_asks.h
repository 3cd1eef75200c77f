/*
 * crew_asks.h - what candidates ask of the servers, and the answers: each goes back to the function of
 * candidate.h that the question names. Every write of a candidate goes out here.
 */
#ifndef ELECTOP_PROBE_INJECT_CREW_ASKS_H
#define ELECTOP_PROBE_INJECT_CREW_ASKS_H

#include "probe/inject/candidate.h"
#include "probe/zookeeper/session.h"

struct test_candidate;

/* Carries out what a candidate asks for, and tells its owner how it stands. */
void crew_perform(struct test_candidate *, struct candidate_asks);
/* The answer to a look at the directory: a shared reading's, too (reading.h). */
void crew_looked(struct test_candidate *, enum session_result, const struct place *);
/* Its timers, where it is slow or rests, mean nothing any more. */
void crew_delays_forget(struct test_candidate *);

#endif

/*
 * candidate_io.h - what candidates ask of the servers, and the answers: each goes back to the function of
 * candidate.h that the question names. Every write of a candidate goes out here.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_CANDIDATE_IO_H
#define ELECTOP_PROBE_CANDIDATE_CANDIDATE_IO_H

#include "probe/candidate/candidate.h"
#include "probe/zookeeper/session.h"

struct test_candidate;

/* Carries out the requests of a candidate, and reports its state to its owner. */
void candidate_io_perform(struct test_candidate *test_candidate, struct candidate_asks asks);
/* The answer to a look at the directory: a shared reading's, too (shared_list.h). */
void candidate_io_looked(struct test_candidate *test_candidate, enum session_result result,
                         const struct line_place *place);
/* Its timers, where it is slow or rests, mean nothing any more. */
void candidate_io_forget_delays(struct test_candidate *test_candidate);

#endif

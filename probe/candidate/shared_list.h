/*
 * shared_list.h - one reading of a directory for all the candidates that want to look.
 *
 * Ten thousand who each read a list of ten thousand move gigabytes. Here a list serves all that asked before
 * it was asked for (an older one might not show yet what woke them), and lists follow each other with pauses
 * of several times what one took.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H
#define ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H

#include "probe/candidate/test_candidate.h"

/* For the sessions with these options, which are borrowed: their listener's asked and answered are called for
   the requests that go out here (a sync, and a list). */
struct shared_list *shared_list_new(const struct candidate_session_options *options, const char *election);
/* Answers no more requests, and touches no candidate: they may be freed. After their sessions. NULL is
 * fine. */
void shared_list_free(struct shared_list *shared_list);

/* It is answered once: candidate_io_looked(). */
void shared_list_want(struct shared_list *shared_list, struct test_candidate *test_candidate);

#endif

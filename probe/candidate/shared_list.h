/*
 * shared_list.h - one read of a directory for all the candidates that need its list.
 *
 * Ten thousand candidates that each read a list of ten thousand transfer gigabytes. Here one list serves all
 * that asked before it was requested (an older list might lack the change that woke them), and lists follow
 * each other with pauses of several times the duration of one.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H
#define ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H

#include "probe/candidate/test_candidate.h"

/* For sessions with these options, which are borrowed: their listener's asked and answered are called for the
 * requests sent here (a sync, and a list). */
struct shared_list *shared_list_new(const struct candidate_session_options *options, const char *election);
/* Answers no more requests, and uses no candidate: they may be freed. Call this after freeing their sessions.
 * NULL is allowed. */
void shared_list_free(struct shared_list *shared_list);

/* Requests the list for a candidate. Answered once: candidate_io_looked(). */
void shared_list_want(struct shared_list *shared_list, struct test_candidate *test_candidate);

#endif

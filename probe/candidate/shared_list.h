/*
 * shared_list.h - one reading of a directory for all the candidates that want to look.
 *
 * Ten thousand who each read a list of ten thousand move gigabytes. Here a list serves all that asked before
 * it was asked for (an older one might not show yet what woke them), and lists follow each other with pauses
 * of several times what one took.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H
#define ELECTOP_PROBE_CANDIDATE_SHARED_LIST_H

#include <stdbool.h>
#include <uv.h>

#include "probe/candidate/candidate_options.h"

/* To each candidate that wanted to look. */
typedef void (*shared_list_fn)(struct test_candidate *, enum session_result, const struct line_place *);

/*
 * The listener's asked and answered are called for the requests that go out here: a sync, and a list.
 */
struct shared_list *shared_list_new(uv_loop_t *loop, const char *election, shared_list_fn looked,
                                    const struct candidate_session_listener *listener, void *context);
/* Answers no more requests, and touches no candidate: they may be freed. After their sessions. NULL is
 * fine. */
void shared_list_free(struct shared_list *shared_list);

/* Its function is called, once. */
void shared_list_want(struct shared_list *shared_list, struct test_candidate *test_candidate);

#endif

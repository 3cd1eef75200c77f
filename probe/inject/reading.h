/*
 * reading.h - one reading of a directory for all the candidates that want to look.
 *
 * Ten thousand who each read a list of ten thousand move gigabytes. Here a list serves all that asked before
 * it was asked for (an older one might not show yet what woke them), and lists follow each other with pauses
 * of several times what one took.
 */
#ifndef ELECTOP_PROBE_INJECT_READING_H
#define ELECTOP_PROBE_INJECT_READING_H

#include <stdbool.h>
#include <uv.h>

#include "probe/inject/casting.h"

/* To whoever wanted to look. */
typedef void (*reading_fn)(struct test_candidate *, enum session_result, const struct place *);

/*
 * The listener's asked and answered are called for the requests that go out here: a sync, and a list. NULL:
 * out of memory.
 */
struct reading *reading_new(uv_loop_t *, const char *election, reading_fn, const struct crew_listener *,
                            void *context);
/* Nobody is answered any more, and no candidate is touched: they may be gone. After their sessions. NULL is
 * fine. */
void reading_free(struct reading *);

/* Its function is called, once. False: out of memory. */
bool reading_want(struct reading *, struct test_candidate *);

#endif

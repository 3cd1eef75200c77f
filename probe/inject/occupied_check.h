/*
 * occupied_check.h - whether a directory contains foreign candidates, so that a run must not write there: many
 * clients parse the name of every sibling, and fail on one of another kind.
 */
#ifndef ELECTOP_PROBE_INJECT_OCCUPIED_CHECK_H
#define ELECTOP_PROBE_INJECT_OCCUPIED_CHECK_H

#include <stdbool.h>

#include "probe/zookeeper/session.h"

/* by: the name of a foreign candidate, valid during the call; NULL: none was seen. result: of the list, or
 * SESSION_LOST. */
typedef void (*occupied_fn)(void *context, enum session_result result, const char *by);

/* fn is called once, from the loop; also when the session ends before. False: nothing was asked. */
bool occupied_check(struct session *session, const char *directory, occupied_fn fn, void *context);

#endif

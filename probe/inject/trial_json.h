/*
 * trial_json.h - the report of a run of test candidates as JSON; the README lists its keys.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_JSON_H
#define ELECTOP_PROBE_INJECT_TRIAL_JSON_H

#include "probe/inject/trial.h"
#include "probe/sink/buffer.h"

/* expectations: as they were written, and read; count of them. Where there is an earlier run, it is the one
   that is told, with this one as what it is held against. */
void trial_json_write(struct buffer *, const struct trial_report *, const char *const *texts,
                      const struct expectation *, size_t count);

#endif

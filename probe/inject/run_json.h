/*
 * run_json.h - the report of a run of test candidates as JSON; the README lists its keys.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_JSON_H
#define ELECTOP_PROBE_INJECT_RUN_JSON_H

#include "probe/inject/run.h"
#include "probe/json/buffer.h"

/* expectations: as written, and parsed; count of them. With an earlier run, that one is the subject, and this
   one is the comparison. */
void run_json_write(struct buffer *, const struct run_report *, const char *const *texts,
                    const struct expectation *, size_t count);

#endif

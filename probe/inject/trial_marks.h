/*
 * trial_marks.h - the servers' own figures: before a run, while it goes on, and after it.
 *
 * While it goes on they are asked as politely as a dashboard asks: at most once a second, and at least a
 * hundred times less often than the last answer took. So what is kept is the highest of some looks, and how
 * many looks there were is told with it; what happened in between nobody knows.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_MARKS_H
#define ELECTOP_PROBE_INJECT_TRIAL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct trial;

/* then: when they are known, or at once where nobody may be asked. */
void trial_marks_before(struct trial *, void (*then)(struct trial *));
/* At every tick, with uv_hrtime() as microseconds. */
void trial_marks_during(struct trial *, uint64_t now_us);
/* False: there is nothing to wait for (any more), and then is not called. */
bool trial_marks_after(struct trial *, void (*then)(struct trial *));
/* Nobody is called any more. */
void trial_marks_cancel(struct trial *);

#endif

/*
 * first_look.h - what a command without a screen says of its first look at each cluster: why there is no
 * connection, nothing to follow or nothing to judge by, and what to do about it.
 */
#ifndef ELECTOP_TUI_COMMANDS_FIRST_LOOK_H
#define ELECTOP_TUI_COMMANDS_FIRST_LOOK_H

#include "probe/monitor.h"

struct first_look;

/* Of a look that was taken: complains of each cluster's missing and hidden facts that is connected. */
void first_look_tell(const struct monitor *monitor, const struct settings *settings);

/* Complains on standard error as the loop runs, of each obstacle once. Monitor and settings must outlive it.
 */
struct first_look *first_look_begin(uv_loop_t *loop, struct monitor *monitor,
                                    const struct settings *settings);
/* Frees it; NULL is allowed. The loop must run once more. */
void first_look_end(struct first_look *look);

#endif

/*
 * loop_timer.h - a timer of the loop, in its own block: libuv needs it for longer than its owner does.
 */
#ifndef ELECTOP_PROBE_LOOP_TIMER_H
#define ELECTOP_PROBE_LOOP_TIMER_H

#include <uv.h>

/* Not started yet; its data is the owner. */
uv_timer_t *loop_timer_new(uv_loop_t *loop, void *owner);
/* It does not fire any more, and its owner may go; it goes itself in a later turn of the loop. NULL is fine.
 */
void loop_timer_free(uv_timer_t *timer);
/* For uv_close(): frees any handle that has its own block. */
void loop_timer_free_handle(uv_handle_t *handle);

#endif

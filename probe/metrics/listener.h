/*
 * listener.h - serves pages over HTTP on the event loop: the one door to libmicrohttpd.
 *
 * GET and HEAD only. What a page costs does not grow with the number of those who ask: a page is made at most
 * once in PAGE_AGE_MS, and whoever asks in between gets the same. Slow readers, aborted requests and large
 * requests are dropped; nothing of it blocks the loop.
 */
#ifndef ELECTOP_PROBE_METRICS_LISTENER_H
#define ELECTOP_PROBE_METRICS_LISTENER_H

#include <stdbool.h>
#include <uv.h>

#include "probe/json/buffer.h"

struct listener;

/* Writes the metrics. openmetrics: in that format, else in the text format. */
typedef void (*listener_page_fn)(void *context, bool openmetrics, struct buffer *);

/* address: ADDR:PORT with a numeric ADDR ("127.0.0.1:9151", "[::1]:9151"); ":9151" and "9151" mean 127.0.0.1.
   NULL and a text in *error (caller frees): the address is wrong, or cannot be had. */
struct listener *listener_start(uv_loop_t *, const char *address, listener_page_fn, void *context,
                                char **error);
void listener_stop(struct listener *); /* NULL is fine; its handles close on the loop */

/* The address in use, with the port that was chosen where 0 was asked for. Valid until listener_stop(). */
const char *listener_address(const struct listener *);
/* Others than this host can reach it. */
bool listener_is_open(const struct listener *);

#endif

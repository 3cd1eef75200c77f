/*
 * bundle.h - makes a bundle on a thread: that takes seconds of a processor, in which the loop's sessions would
 * expire.
 *
 * The thread has copies of its order, opens the recording or the case itself, and knows no model.
 */
#ifndef ELECTOP_TUI_DASHBOARD_BUNDLE_H
#define ELECTOP_TUI_DASHBOARD_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"
#include "probe/json/buffer.h"

struct bundle;

struct bundle_order {
    const char *case_file; /* it brings the configuration that it was made with, or none */
    const char *recording; /* else; or NULL */
    const struct settings *settings;
    int64_t at_us; /* the moment that it is about */
    bool pseudonyms;
};

/* On the loop, once. until_us: it lacks later observations. No bytes: the error says why; NULL: nothing was
 * observed around that moment. */
typedef void (*bundle_fn)(void *context, const struct buffer *bytes, int64_t until_us, const char *error);

/* It is over when fn was called, or with bundle_end(). NULL: there is no thread. */
struct bundle *bundle_begin(uv_loop_t *loop, const struct bundle_order *order, bundle_fn fn, void *context);
/* Before it is over: it is not made. Waits no longer than a moment, and needs the loop to turn once more. NULL is fine.
 */
void bundle_end(struct bundle *bundle);

#endif

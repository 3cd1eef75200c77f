#include "tui/dashboard/bundle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/case/case_file.h"
#include "probe/history/history.h"
#include "probe/loop_timer.h"

/* How long bundle_end() waits for the thread. */
#define END_NS UINT64_C(300000000)

struct bundle {
    pthread_t thread;
    char *case_file, *recording, *configuration;
    int64_t at_us;
    bool pseudonyms;
    atomic_bool unwanted;
    struct buffer bytes;
    int64_t until_us;
    char *error;
    bundle_fn fn;
    void *context;
    uv_mutex_t mutex; /* of all that follows */
    uv_cond_t moved;
    uv_async_t *done; /* of the loop; NULL: it was closed */
    bool ended, left; /* left: the thread frees it */
};

static void bundle_free(struct bundle *b)
{
    uv_cond_destroy(&b->moved);
    uv_mutex_destroy(&b->mutex);
    buffer_free(&b->bytes);
    free(b->case_file);
    free(b->recording);
    free(b->configuration);
    free(b->error);
    free(b);
}

/* ---- the thread ---- */

/* The recording's observations of this part. NULL: there are none. */
static struct case_reader *bundle_observed(struct bundle *b, const struct case_part *part)
{
    struct buffer blocks = {0};
    struct history *history = b->recording ? history_open(b->recording, &b->error) : NULL;
    if (history)
        history_observations(history, part->from_us, part->to_us, &blocks, &b->until_us, &b->error);
    history_close(history);
    return case_read(blocks.bytes, blocks.length);
}

static struct case_about bundle_about(struct bundle *b, struct case_reader *reader)
{
    struct observation o;
    while (!atomic_load(&b->unwanted) && case_next(reader, &o) != CASE_END)
        ;
    case_rewind(reader);
    return case_about(reader);
}

static void bundle_make(struct bundle *b)
{
    struct case_part part = {.from_us = b->at_us - CASE_BEFORE_US,
                             .to_us = b->at_us + CASE_AFTER_US,
                             .about = {0, ELECTOP_VERSION, b->configuration},
                             .pseudonyms = b->pseudonyms,
                             .unwanted = &b->unwanted};
    struct case_reader *reader =
        b->case_file ? case_open(b->case_file, &b->error) : bundle_observed(b, &part);
    if (b->case_file && reader)
        part.about = bundle_about(b, reader);
    part.about.at_us = b->at_us;
    if (b->error || !case_cut(reader, &part, &b->bytes, &b->error))
        buffer_free(&b->bytes); /* a part of it may have its real names still */
    case_close(reader);
}

static void *bundle_run(void *context)
{
    struct bundle *b = context;
    bundle_make(b);
    uv_mutex_lock(&b->mutex);
    b->ended = true;
    if (b->done)
        uv_async_send(b->done);
    uv_cond_signal(&b->moved);
    bool left = b->left;
    uv_mutex_unlock(&b->mutex);
    if (left)
        bundle_free(b);
    return NULL;
}

/* ---- the loop ---- */

static void bundle_on_done(uv_async_t *done)
{
    struct bundle *b = done->data;
    uv_close((uv_handle_t *)done, loop_timer_free_handle);
    pthread_join(b->thread, NULL);
    b->fn(b->context, &b->bytes, b->until_us, b->error);
    bundle_free(b);
}

struct bundle *bundle_begin(uv_loop_t *loop, const struct bundle_order *order, bundle_fn fn, void *context)
{
    struct bundle *b = xcalloc(1, sizeof *b);
    b->case_file = text_copy(order->case_file);
    b->recording = text_copy(order->recording);
    b->configuration = settings_print_shared(order->settings);
    b->at_us = b->until_us = order->at_us;
    b->pseudonyms = order->pseudonyms;
    b->fn = fn;
    b->context = context;
    uv_mutex_init(&b->mutex);
    uv_cond_init(&b->moved);
    b->done = xcalloc(1, sizeof *b->done);
    b->done->data = b;
    uv_async_init(loop, b->done, bundle_on_done);
    if (pthread_create(&b->thread, NULL, bundle_run, b) == 0)
        return b;
    uv_close((uv_handle_t *)b->done, loop_timer_free_handle);
    bundle_free(b);
    return NULL;
}

void bundle_end(struct bundle *b)
{
    if (!b)
        return;
    atomic_store(&b->unwanted, true);
    uv_mutex_lock(&b->mutex);
    uv_close((uv_handle_t *)b->done, loop_timer_free_handle);
    b->done = NULL;
    if (!b->ended)
        uv_cond_timedwait(&b->moved, &b->mutex, END_NS);
    b->left = !b->ended;
    bool left = b->left;
    uv_mutex_unlock(&b->mutex);
    if (left) {
        pthread_detach(b->thread);
        return;
    }
    pthread_join(b->thread, NULL);
    bundle_free(b);
}

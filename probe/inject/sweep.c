/*
 * sweep.c - see sweep.h. A leaf, of which there may be ten thousand, costs one request: each is deleted
 * first, and only what will not go is looked into.
 */
#include "probe/inject/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "probe/inject/naming.h"

/* Somebody may still be adding: a crowd's last creates. */
#define TRIES 5
#define DEPTH_MOST 64

struct heap {
    struct guard *guard;
    struct session *session;
    struct heap *above; /* NULL: the first */
    sweep_fn fn;        /* of the first */
    void *context;
    size_t waiting; /* children that are being swept, and the one who sets them off */
    int tries, depth;
    bool failed;
    char path[];
};

static bool heap_begin(struct guard *, struct session *, const char *path, struct heap *above, sweep_fn,
                       void *);
static bool heap_delete(struct heap *);

static void heap_end(struct heap *heap, bool gone);

static void child_ended(struct heap *heap)
{
    if (--heap->waiting > 0)
        return;
    if (heap->failed || ++heap->tries >= TRIES || !heap_delete(heap))
        heap_end(heap, false);
}

static void heap_end(struct heap *heap, bool gone)
{
    struct heap *above = heap->above;
    if (above) {
        above->failed |= !gone;
        free(heap);
        child_ended(above);
        return;
    }
    sweep_fn fn = heap->fn;
    void *context = heap->context;
    free(heap);
    fn(context, gone);
}

static void on_children(void *context, enum session_result result, const struct znode_stat *stat,
                        char *const *names, size_t count)
{
    (void)stat;
    struct heap *heap = context;
    heap->waiting = 1;
    heap->failed = result != SESSION_OK && result != SESSION_NO_NODE;
    for (size_t i = 0; i < count && !heap->failed; i++) {
        char *path = path_join(heap->path, names[i]);
        heap->waiting++;
        if (!path || !heap_begin(heap->guard, heap->session, path, heap, NULL, NULL)) {
            heap->waiting--;
            heap->failed = true;
        }
        free(path);
    }
    child_ended(heap);
}

static void on_deleted(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct heap *heap = context;
    if (result == SESSION_OK || result == SESSION_NO_NODE)
        heap_end(heap, true);
    else if (result != SESSION_FAILED || heap->depth > DEPTH_MOST || /* SESSION_FAILED: it has children */
             !session_children(heap->session, heap->path, false, on_children, heap))
        heap_end(heap, false);
}

static bool heap_delete(struct heap *heap)
{
    return guard_delete(heap->guard, heap->session, heap->path, -1, on_deleted, heap);
}

static bool heap_begin(struct guard *guard, struct session *session, const char *path, struct heap *above,
                       sweep_fn fn, void *context)
{
    size_t size = strlen(path) + 1;
    struct heap *heap = calloc(1, sizeof *heap + size);
    if (!heap)
        return false;
    heap->guard = guard;
    heap->session = session;
    heap->above = above;
    heap->fn = fn;
    heap->context = context;
    heap->depth = above ? above->depth + 1 : 0;
    memcpy(heap->path, path, size);
    if (heap_delete(heap))
        return true;
    free(heap);
    return false;
}

bool sweep(struct guard *guard, struct session *session, const char *path, sweep_fn fn, void *context)
{
    return heap_begin(guard, session, path, NULL, fn, context);
}

/*
 * delete_tree.c - see delete_tree.h. The Stat and data of each znode are read first; it is deleted in that
 * version, so that a znode that is written meanwhile stays.
 */
#include "probe/candidate/delete_tree.h"

#include <stdlib.h>
#include <string.h>

#include "probe/candidate/naming.h"
#include "probe/candidate/run_marker.h"

/* Creates may still arrive: a crowd's last ones. */
#define TRIES 5
#define DEPTH_MOST 64

struct heap {
    struct guard *guard;
    struct session *session;
    struct heap *above; /* NULL: the first */
    delete_tree_fn fn;  /* of the first */
    void *context;
    char *kept;     /* of the first */
    char *names;    /* of the candidates below it */
    size_t waiting; /* children that are being swept, and the one who sets them off */
    int tries, depth;
    int32_t version;
    bool failed;
    char path[];
};

static bool heap_begin(struct guard *, struct session *, const char *path, struct heap *above, delete_tree_fn,
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
    free(heap->names);
    if (above) {
        above->failed |= !gone;
        free(heap);
        child_ended(above);
        return;
    }
    delete_tree_fn fn = heap->fn;
    void *context = heap->context;
    char *kept = heap->kept;
    free(heap);
    fn(context, gone, kept);
    free(kept);
}

/* It is foreign. */
static void heap_keep(struct heap *heap)
{
    struct heap *first = heap;
    while (first->above)
        first = first->above;
    if (!first->kept)
        first->kept = strdup(heap->path);
    heap_end(heap, false);
}

static void delete_tree_on_children(void *context, enum session_result result, const struct znode_stat *stat,
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

static void delete_tree_on_deleted(void *context, enum session_result result, const char *path)
{
    (void)path;
    struct heap *heap = context;
    if (result == SESSION_OK || result == SESSION_NO_NODE)
        heap_end(heap, true);
    else if (result != SESSION_FAILED || heap->depth > DEPTH_MOST || /* SESSION_FAILED: it has children */
             !session_children(heap->session, heap->path, false, delete_tree_on_children, heap))
        heap_end(heap, false);
}

static bool heap_delete(struct heap *heap)
{
    return guard_delete(heap->guard, heap->session, heap->path, heap->version, delete_tree_on_deleted, heap);
}

/* The first is what the guard lets be deleted: where it is ephemeral, a sign. */
static bool delete_tree_is_ours(const struct heap *heap, const struct znode_stat *stat, const void *data,
                                size_t length)
{
    if (stat->owner == 0)
        return run_marker_is(stat, data, length);
    return !heap->above || run_marker_fits(heap->above->names, strrchr(heap->path, '/') + 1);
}

static void on_read(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    struct heap *heap = context;
    if (result == SESSION_NO_NODE) {
        heap_end(heap, true);
        return;
    }
    /* A copied ACL may keep us from reading our own candidate: its Stat is everybody's. */
    if (result == SESSION_DENIED && session_exists(heap->session, heap->path, false, on_read, heap))
        return;
    if (result == SESSION_OK && !delete_tree_is_ours(heap, stat, data, length)) {
        heap_keep(heap);
        return;
    }
    if (result == SESSION_OK) {
        heap->version = stat->version;
        heap->names = stat->owner == 0 ? run_marker_names(data, length) : NULL;
    }
    if (result != SESSION_OK || !heap_delete(heap))
        heap_end(heap, false);
}

static bool heap_begin(struct guard *guard, struct session *session, const char *path, struct heap *above,
                       delete_tree_fn fn, void *context)
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
    if (session_get(session, path, false, on_read, heap))
        return true;
    free(heap);
    return false;
}

bool delete_tree(struct guard *guard, struct session *session, const char *path, delete_tree_fn fn,
                 void *context)
{
    return heap_begin(guard, session, path, NULL, fn, context);
}

#include "probe/zookeeper/child_watches.h"

#include <stdlib.h>

static uint64_t child_watch_hash(const char *path)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        hash = (hash ^ *c) * 1099511628211u;
    return hash ? hash : 1;
}

/* Its place, or the free one where it belongs. */
static size_t child_watch_at(const struct child_watches *w, uint64_t hash)
{
    size_t at = hash & (w->room - 1);
    while (w->list[at].hash != 0 && w->list[at].hash != hash)
        at = (at + 1) & (w->room - 1);
    return at;
}

static bool child_watches_grow(struct child_watches *w)
{
    struct child_watches larger = {.room = w->room ? w->room * 2 : 16, .count = w->count};
    larger.list = calloc(larger.room, sizeof *larger.list);
    if (!larger.list)
        return false;
    for (size_t i = 0; i < w->room; i++)
        if (w->list[i].hash != 0)
            larger.list[child_watch_at(&larger, w->list[i].hash)] = w->list[i];
    free(w->list);
    *w = larger;
    return true;
}

bool child_watches_add(struct child_watches *w, const char *path, int64_t since_us)
{
    if (w->count * 2 >= w->room && !child_watches_grow(w))
        return false;
    uint64_t hash = child_watch_hash(path);
    struct child_watch *watch = &w->list[child_watch_at(w, hash)];
    if (watch->hash != 0)
        return false;
    *watch = (struct child_watch){hash, since_us};
    w->count++;
    return true;
}

bool child_watches_remove(struct child_watches *w, const char *path)
{
    if (w->count == 0)
        return false;
    size_t mask = w->room - 1, hole = child_watch_at(w, child_watch_hash(path));
    if (w->list[hole].hash == 0)
        return false;
    w->count--;
    /* Those behind it move up, so that none is behind a free place. */
    for (size_t at = (hole + 1) & mask; w->list[at].hash != 0; at = (at + 1) & mask) {
        size_t home = w->list[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        w->list[hole] = w->list[at];
        hole = at;
    }
    w->list[hole].hash = 0;
    return true;
}

size_t child_watches_since(const struct child_watches *w, int64_t by_us)
{
    size_t count = 0;
    for (size_t i = 0; i < w->room; i++)
        count += w->list[i].hash != 0 && w->list[i].since_us <= by_us;
    return count;
}

void child_watches_restart(struct child_watches *w, int64_t now_us)
{
    for (size_t i = 0; i < w->room; i++)
        w->list[i].since_us = now_us;
}

void child_watches_clear(struct child_watches *w)
{
    free(w->list);
    *w = (struct child_watches){0};
}

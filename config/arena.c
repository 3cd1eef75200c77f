#include "config/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNED sizeof(max_align_t)

struct arena_block {
    struct arena_block *next;
    max_align_t room[];
};

/* Not aligned. */
static char *arena_bytes(struct arena *arena, size_t size)
{
    if (size > arena->room) {
        bool alone = size >= BLOCK_BYTES / 4;
        size_t room = alone ? size : BLOCK_BYTES;
        struct arena_block *block = xcalloc(1, sizeof *block + room);
        block->next = arena->blocks;
        arena->blocks = block;
        if (alone)
            return (char *)block->room;
        arena->at = (char *)block->room;
        arena->room = room;
    }
    char *bytes = arena->at;
    arena->at += size;
    arena->room -= size;
    return bytes;
}

void *arena_take(struct arena *arena, size_t size)
{
    size_t skipped = arena->room % ALIGNED; /* blocks end where something aligned may begin */
    if (skipped)
        arena->at += skipped;
    arena->room -= skipped;
    return arena_bytes(arena, size);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_bytes(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct arena){0};
}

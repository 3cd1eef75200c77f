/*
 * arena.h - many small pieces of memory that are freed together. Start from {0}.
 */
#ifndef ELECTOP_CONFIG_ARENA_H
#define ELECTOP_CONFIG_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    char *at; /* in the block that is being filled */
    size_t room;
};

/* Zeroed, and aligned for anything. */
void *arena_take(struct arena *arena, size_t size);
/* A NUL-terminated copy. */
char *arena_text(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

#endif

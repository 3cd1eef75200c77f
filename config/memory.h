/*
 * memory.h - allocation that cannot fail.
 *
 * Without memory the program restores the terminal, prints one line and aborts; callers need no checks. So an
 * untrusted length (in a frame, a recording, a log, a configuration, an answer) must be bounded before it is
 * passed here. The memory is malloc's: free() releases it, also inside a library. Any thread may call these
 * functions.
 */
#ifndef ELECTOP_CONFIG_MEMORY_H
#define ELECTOP_CONFIG_MEMORY_H

#include <stddef.h>

#define MEMORY_GIVEN __attribute__((returns_nonnull, warn_unused_result))

void *xmalloc(size_t size) __attribute__((malloc)) MEMORY_GIVEN;
void *xcalloc(size_t count, size_t size) __attribute__((malloc)) MEMORY_GIVEN;
void *xreallocarray(void *memory, size_t count, size_t size) MEMORY_GIVEN;
char *xstrdup(const char *text) __attribute__((malloc)) MEMORY_GIVEN;
char *xstrndup(const char *text, size_t most) __attribute__((malloc)) MEMORY_GIVEN;
/* A copy of length bytes. */
void *xmemdup(const void *bytes, size_t length) __attribute__((malloc)) MEMORY_GIVEN;

/*
 * Makes room for one more in an array that grows. It belongs to the caller, who frees it; an empty one is
 * NULL, with room for 0. array: where the pointer to the elements is kept, of size bytes each; there are
 * count.
 *
 *     room_for_one(&list->items, list->count, &list->room, sizeof *list->items);
 *     list->items[list->count++] = item;
 */
void room_for_one(void *array, size_t count, size_t *room, size_t size);

/* Ends the program as above; also for a length that no memory can hold. */
void memory_exhausted(void) __attribute__((noreturn));

/* Called before the line is printed: restores the terminal. It must not allocate, and may end the program
 * itself. NULL: nothing. */
void memory_on_exhausted(void (*restore)(void));

#endif

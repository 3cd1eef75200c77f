#include "config/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM_FIRST 8

static _Atomic(void (*)(void)) on_exhausted;

void memory_on_exhausted(void (*restore)(void))
{
    atomic_store(&on_exhausted, restore);
}

void memory_exhausted(void)
{
    static const char line[] = "electop: out of memory; ask for less, or raise the limit (ulimit -v)\n";
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending)) /* another thread is about to end the program */
        pause();
    void (*restore)(void) = atomic_load(&on_exhausted);
    if (restore)
        restore();
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written; /* an error cannot be reported here */
    abort();
}

/* Zero bytes are a valid request, for which malloc may give NULL. */
void *xmalloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

void *xcalloc(size_t count, size_t size)
{
    void *memory = count && size ? calloc(count, size) : calloc(1, 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

void *xreallocarray(void *memory, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        memory_exhausted();
    memory = realloc(memory, count && size ? count * size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

char *xstrdup(const char *text)
{
    return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = xmalloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void *xmemdup(const void *bytes, size_t length)
{
    void *copy = xmalloc(length);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

void room_for_one(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return;
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    if (*room > SIZE_MAX / 2)
        memory_exhausted();
    /* Copied, since a pointer to one kind of element is no pointer to void. */
    void *elements;
    memcpy(&elements, array, sizeof elements);
    elements = xreallocarray(elements, wanted, size);
    memcpy(array, &elements, sizeof elements);
    *room = wanted;
}

#include "config/room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 8

bool room_for_one(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    if (*room > SIZE_MAX / 2 || wanted > SIZE_MAX / size)
        return false;
    /* Copied, since a pointer to one kind of element is no pointer to void. */
    void *elements;
    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, wanted * size);
    if (!elements)
        return false;
    memcpy(array, &elements, sizeof elements);
    *room = wanted;
    return true;
}

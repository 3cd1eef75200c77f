/*
 * room.h - room for one more in an array that grows.
 *
 * The array belongs to the caller, who frees it; an empty one is NULL, with room for 0.
 */
#ifndef ELECTOP_CONFIG_ROOM_H
#define ELECTOP_CONFIG_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * array: where the pointer to the elements is kept, of size bytes each; there are count of them. False: out
 * of memory, and all is as it was.
 *
 *     if (!room_for_one(&list->items, list->count, &list->room, sizeof *list->items))
 *         return false;
 *     list->items[list->count++] = item;
 */
bool room_for_one(void *array, size_t count, size_t *room, size_t size);

#endif

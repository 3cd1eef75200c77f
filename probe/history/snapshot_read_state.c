#include "probe/history/snapshot_read_state.h"

#include <stdlib.h>
#include <string.h>

void *snapshot_read_keep(struct snapshot_reader *t, size_t size)
{
    struct kept_block *room = calloc(1, sizeof *room + size);
    if (!room) {
        t->bad = true;
        return NULL;
    }
    room->next = t->restored->keeps;
    t->restored->keeps = room;
    return room->room;
}

char *snapshot_read_text(struct snapshot_reader *t, struct scan *scan)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    char *text = piece ? snapshot_read_keep(t, length + 1) : NULL;
    if (text)
        memcpy(text, piece, length);
    return text;
}

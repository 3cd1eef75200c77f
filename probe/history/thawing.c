#include "probe/history/thawing.h"

#include <stdlib.h>
#include <string.h>

void *thaw_keep(struct thawing *t, size_t size)
{
    struct kept_block *room = calloc(1, sizeof *room + size);
    if (!room) {
        t->bad = true;
        return NULL;
    }
    room->next = t->thawed->keeps;
    t->thawed->keeps = room;
    return room->room;
}

char *thaw_text(struct thawing *t, struct scan *scan)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    char *text = piece ? thaw_keep(t, length + 1) : NULL;
    if (text)
        memcpy(text, piece, length);
    return text;
}

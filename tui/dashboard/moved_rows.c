#include "tui/dashboard/moved_rows.h"

#include <string.h>

#include "config/hash_table.h"

#define JUST_US INT64_C(300000) /* too short to aim again */
#define MARK_COLUMNS 2          /* the selection's sign: it moves without the row */

void moved_rows_see(struct moved_rows *moved, const struct cells *cells, int64_t now_us)
{
    moved->count = cells->height < MOVED_ROWS_MOST ? cells->height : MOVED_ROWS_MOST;
    for (int y = 0; y < moved->count; y++) {
        const struct cell *at = cells->at + (size_t)y * (size_t)cells->width;
        struct moved_row *row = &moved->rows[y];
        uint32_t text = 0;
        for (int x = MARK_COLUMNS; x < cells->width; x++)
            text = hash_bytes(at[x].text, strlen(at[x].text), text);
        if (text != row->text)
            *row = (struct moved_row){.text = text, .before = row->text, .changed_us = now_us};
    }
}

/* Where the text that was in this row is now; the row itself where that is not certain. */
static int moved_rows_now(const struct moved_rows *moved, int y, int64_t now_us)
{
    int found = y, count = 0;
    if (y < 0 || y >= moved->count || now_us - moved->rows[y].changed_us >= JUST_US)
        return y;
    for (int i = 0; i < moved->count; i++)
        if (moved->rows[i].text == moved->rows[y].before) {
            found = i;
            count++;
        }
    return count == 1 ? found : y;
}

int moved_rows_meant(struct moved_rows *moved, int y, bool twice, int64_t now_us)
{
    if (!twice || y != moved->clicked)
        moved->meant = moved_rows_now(moved, y, now_us);
    moved->clicked = y;
    return moved->meant;
}

/*
 * moved_rows.h - what a click means just after rows have moved under the pointer: who clicks saw the row that was
 * there before.
 */
#ifndef ELECTOP_TUI_DASHBOARD_MOVED_ROWS_H
#define ELECTOP_TUI_DASHBOARD_MOVED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/screen/cells.h"

#define MOVED_ROWS_MOST 256

/* Begin with {0}. */
struct moved_rows {
    struct moved_row {
        uint32_t text, before; /* as hashes */
        int64_t changed_us;
    } rows[MOVED_ROWS_MOST];
    int count;
    int clicked, meant; /* the latest click */
};

/* The screen as it is shown now. */
void moved_rows_see(struct moved_rows *moved, const struct cells *cells, int64_t now_us);

/* The row that a click on row y means, by the same clock; the second click of a double one means that of the
 * first. */
int moved_rows_meant(struct moved_rows *moved, int y, bool twice, int64_t now_us);

#endif

#include "tui/output/table.h"

int table_wants(const struct column *columns, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        if (!columns[i].hidden)
            width += (columns[i].want > columns[i].least ? columns[i].want : columns[i].least) + TABLE_GAP;
    return width;
}

void table_want_headings(const struct printer *printer, struct column *columns, int count)
{
    for (int i = 0; i < count; i++)
        columns_want(&columns[i], printer_text_width(printer, columns[i].heading));
}

bool table_begin(struct printer *printer, struct column *columns, int count, int x)
{
    table_want_headings(printer, columns, count);
    int width = printer->style.width ? printer->style.width - x : table_wants(columns, count);
    if (!printer_width(printer, width + x))
        return false;
    columns_lay(columns, count, x, width, TABLE_GAP);
    columns_head(printer->row, columns, count, 0, -1, false);
    printer_line(printer);
    return true;
}

#include "tui/report/table.h"

int table_wants(const struct column *columns, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        if (!columns[i].hidden)
            width += (columns[i].want > columns[i].least ? columns[i].want : columns[i].least) + TABLE_GAP;
    return width;
}

void table_want_headings(const struct paper *paper, struct column *columns, int count)
{
    for (int i = 0; i < count; i++)
        columns_want(&columns[i], paper_text_width(paper, columns[i].heading));
}

bool table_begin(struct paper *paper, struct column *columns, int count, int x)
{
    table_want_headings(paper, columns, count);
    int width = paper->style.width ? paper->style.width - x : table_wants(columns, count);
    if (!paper_width(paper, width + x))
        return false;
    columns_lay(columns, count, x, width, TABLE_GAP);
    columns_head(paper->row, columns, count, 0, -1);
    paper_line(paper);
    return true;
}

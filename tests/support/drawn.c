#include "config/text.h"
#include "tests/support/drawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *drawn_text(const struct cells *cells)
{
    struct text text = {0};
    cells_text(cells, &text);
    return text_take(&text);
}

bool drawn_has(const struct cells *cells, const char *part)
{
    char *text = drawn_text(cells);
    bool found = strstr(text, part) != NULL;
    free(text);
    return found;
}

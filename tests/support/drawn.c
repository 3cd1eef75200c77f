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
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    cells_write(cells, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

bool drawn_has(const struct cells *cells, const char *part)
{
    char *text = drawn_text(cells);
    bool found = strstr(text, part) != NULL;
    free(text);
    return found;
}

/*
 * data_lines.h - a znode's data as lines to read: text, JSON laid out or folded, or hexadecimal.
 */
#ifndef ELECTOP_TUI_VIEWS_DATA_LINES_H
#define ELECTOP_TUI_VIEWS_DATA_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum data_form { DATA_JSON, DATA_FOLDED, DATA_TEXT, DATA_HEX, DATA_FORM_COUNT };
const char *data_form_word(enum data_form form);

/* Which forms make sense; the first of them, in the order above, shows it best. */
bool data_form_fits(enum data_form form, const unsigned char *data, size_t length);

struct data_line {
    char *text; /* strangers' bytes, without a line's end; not NUL-terminated for its reader's purposes */
    size_t length;
};

struct data_lines {
    struct data_line *at;
    size_t count, room;
};

/*
 * Lays data out in lines of at most width columns, replacing the contents of lines. A form that does not fit
 * falls back to text.
 */
void data_lines_make(struct data_lines *lines, enum data_form form, const unsigned char *data, size_t length,
                     int width, bool ascii);
void data_lines_release(struct data_lines *lines);

#endif

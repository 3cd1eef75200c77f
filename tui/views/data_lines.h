/*
 * data_lines.h - a znode's data as readable lines: text, JSON laid out or folded, or hexadecimal.
 */
#ifndef ELECTOP_TUI_VIEWS_DATA_LINES_H
#define ELECTOP_TUI_VIEWS_DATA_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum data_form { DATA_JSON, DATA_FOLDED, DATA_TEXT, DATA_HEX, DATA_FORM_COUNT };
const char *data_form_word(enum data_form form);

/* Whether a form is suitable; the first suitable one in the order above is the best. */
bool data_form_fits(enum data_form form, const unsigned char *data, size_t length);

struct data_line {
    char *text; /* untrusted bytes, without a line end; not to be used as a C string */
    size_t length;
};

struct data_lines {
    struct data_line *at;
    size_t count, room;
};

/*
 * Splits data into lines of at most width columns, replacing the contents of lines. An unsuitable form
 * becomes text.
 */
void data_lines_make(struct data_lines *lines, enum data_form form, const unsigned char *data, size_t length,
                     int width, bool ascii);
void data_lines_release(struct data_lines *lines);

#endif

/*
 * line_printer.h - lines of text with signs and colours, for commands that print instead of drawing a screen.
 *
 * A line is written into one row of cells, as a view writes into its grid: strangers' bytes are made safe
 * and measured there, and signs have their ASCII form. printer_line() turns the row into text.
 */
#ifndef ELECTOP_TUI_OUTPUT_LINE_PRINTER_H
#define ELECTOP_TUI_OUTPUT_LINE_PRINTER_H

#include <stdbool.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/json/buffer.h"
#include "tui/screen/cells.h"
#include "tui/screen/theme.h"

/* How a command prints. */
struct print_style {
    bool ascii;
    struct theme theme; /* DEPTH_MONO: no escape sequence at all */
    int width;          /* columns of the terminal, for tables; 0: not a terminal, nothing need be cut */
    bool named;         /* paths were named on the command line: of those, everything is wanted */
    const struct settings *settings; /* borrowed; NULL: none to speak of */
};

/* As the user said, and as the descriptor is: colours only on a terminal, signs only where the locale has
   them. Reads TERM, COLORTERM, COLORFGBG, NO_COLOR and the locale (setlocale() must have been called). */
struct print_style print_style_choose(const struct options *, const struct settings *, int fd);

struct printer {
    struct buffer *out;
    struct print_style style;
    struct cells *row; /* write into its row 0 */
};

/* A line that is no table may be this long (a terminal wraps it). */
#define PRINTER_WIDTH 2000

/* False: out of memory. printer_end() releases the row, not the buffer. */
bool printer_begin(struct printer *, struct buffer *out, const struct print_style *);
void printer_end(struct printer *);

/* Lines of another width from now on. */
bool printer_width(struct printer *, int width);

/* Writes into the row, as far as it reaches, and returns where it ends. A sign has a blank behind it, a
   bullet one on each side. */
int printer_put(struct printer *, int x, style, const char *text);
int printer_put_sign(struct printer *, int x, style, enum sign);
int printer_put_bullet(struct printer *, int x);
/* The columns that a text takes there. */
int printer_text_width(const struct printer *, const char *text);

/* Appends the row as a line, without blanks at its end, and begins a new one. */
void printer_line(struct printer *);
/* The same for a line that is no table: on a terminal it goes on in the next one, by words, and indented. */
void printer_prose(struct printer *);

#endif

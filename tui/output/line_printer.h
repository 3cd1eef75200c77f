/*
 * line_printer.h - lines of text with signs and colours, for commands that print instead of drawing a screen.
 *
 * A line is written into one row of cells, as a view writes into its grid: this makes untrusted bytes safe,
 * measures them, and gives signs their ASCII form. printer_line() turns the row into text.
 */
#ifndef ELECTOP_TUI_OUTPUT_LINE_PRINTER_H
#define ELECTOP_TUI_OUTPUT_LINE_PRINTER_H

#include <stdbool.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/election/event.h"
#include "probe/json/buffer.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"
#include "tui/screen/theme.h"

/* How a command prints. */
struct print_style {
    bool ascii;
    struct theme theme;              /* DEPTH_MONO: no escape sequence at all */
    int width;                       /* columns of the terminal, for tables; 0: not a terminal, no limit */
    bool named;                      /* paths were named on the command line: these are shown completely */
    bool filtered;                   /* only elections that match --filter are shown */
    const struct settings *settings; /* borrowed; NULL: none */
};

/* Chooses by the user's options and the descriptor: colours only on a terminal, signs only if the locale has
 * them. Reads TERM, COLORTERM, COLORFGBG, NO_COLOR and the locale (setlocale() must have been called). */
struct print_style print_style_choose(const struct options *options, const struct settings *settings, int fd);

struct printer {
    struct buffer *out;
    struct print_style style;
    struct cells *row;      /* write into its row 0 */
    int where_width;        /* of the column of elections' names, before events ... */
    size_t where_elections; /* ... and the number of elections that it was made for; 0: none */
};

/* The maximum length of a line outside tables (a terminal wraps it). */
#define PRINTER_WIDTH 2000

/* printer_end() releases the row, not the buffer. */
void printer_begin(struct printer *printer, struct buffer *out, const struct print_style *how);
void printer_end(struct printer *printer);

/* Sets another line width. */
void printer_width(struct printer *printer, int width);

/* Writes into the row, as far as it reaches, and returns the end. A sign is followed by a blank; a bullet has
 * one on each side. */
int printer_put(struct printer *printer, int x, style look, const char *text);
int printer_put_sign(struct printer *printer, int x, style look, enum sign sign);
int printer_put_bullet(struct printer *printer, int x);
/* The columns that a text takes there. */
int printer_text_width(const struct printer *printer, const char *text);

/* Appends the row as a line, without blanks at its end, and begins a new one. */
void printer_line(struct printer *printer);
/* The same for a line outside tables: on a terminal it is wrapped between words, and indented. */
void printer_prose(struct printer *printer);

/* ---- printed tables: as wide as the terminal; without one, as wide as their contents ---- */

#define TABLE_GAP 2 /* between columns */

/* The wanted width of all columns, with the gaps between them. */
int printer_table_wants(const struct column *columns, int count);

/* Adds the widths of the headings to the wanted widths. */
void printer_table_want_headings(const struct printer *printer, struct column *columns, int count);

/* Places the columns, whose contents were measured before, from x on, and prints the headings if there are
 * any. printer_width(PRINTER_WIDTH) ends the table. */
void printer_table_begin(struct printer *printer, struct column *columns, int count, int x);

/*
 * One event as one line of text: time, election, event, candidate.
 *
 *   14:01:02.522  druid/coordinator     leader elected   host-a:8081 -> host-b:8081   after 412ms
 */

struct model;

/* Widens the column of the elections' names to the longest, 20 to 40, so that lines align: whenever there may be
 * more elections. It never narrows. */
void event_line_fit(struct printer *printer, const struct model *model);

/* with_cluster: there are several, so the line names its cluster, too. */
void event_line_print(struct printer *printer, const struct event *event, bool with_cluster);

/* A notice for a reader that was too slow. */
void event_line_print_dropped(struct printer *printer, struct moment at, uint64_t dropped);

#endif

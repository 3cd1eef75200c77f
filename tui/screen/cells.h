/*
 * cells.h - a grid of character cells: every view draws into it, and every back end shows it.
 *
 * Nothing here knows curses. Colours are roles, which a theme turns into colours and attributes.
 *
 * Safety: every text may be untrusted. cells_put() makes control bytes, escape sequences, invalid UTF-8 and
 * bidirectional overrides visible (tui/screen/safe.h), measures wide and combining characters, and never
 * writes outside its span. There is no other way to write into a cell.
 */
#ifndef ELECTOP_TUI_SCREEN_CELLS_H
#define ELECTOP_TUI_SCREEN_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of a text, not its appearance. */
enum role {
    ROLE_TEXT,
    ROLE_DIM,
    ROLE_STRONG,
    ROLE_TITLE,
    ROLE_TITLE_DIM,
    ROLE_HEADING,
    ROLE_RULE,
    ROLE_GOOD,
    ROLE_WARNING,
    ROLE_CRITICAL,
    ROLE_ACCENT,
    ROLE_KEY,
    ROLE_INFO,
    ROLE_BAR_A,
    ROLE_BAR_B, /* alternating tenures in a leadership strip */
    ROLE_BAR_CHANGE,
    ROLE_BAR_VACANT,
    ROLE_BAR_GAP,
    ROLE_COUNT
};

/* A style is a role with modifiers. */
typedef uint16_t style;
#define STYLE_BOLD 0x0100
#define STYLE_SELECTED 0x0200 /* on the selection's background */
#define STYLE_TITLE 0x0400    /* on the title's ground */
#define STYLE_ROLE(s) ((enum role)((s)&0xff))

#define CELL_BYTES 20 /* a base character and a few combining ones, with its NUL */

struct cell {
    char text[CELL_BYTES]; /* UTF-8; "" in the right half of a wide character */
    uint8_t width;         /* 1 or 2; 0: the right half of the one before */
    style style;
};

struct text; /* config/text.h */

struct cells {
    int width, height;
    struct cell *at;        /* row by row; read it, write with the functions below */
    bool ascii;             /* signs and lines in their ASCII form (cells_sign()) */
    int cursor_x, cursor_y; /* the position of a text cursor (an input line), or -1 */
};

struct cells *cells_new(int width, int height);
void cells_free(struct cells *cells);
void cells_resize(struct cells *cells, int width, int height);
void cells_clear(struct cells *cells);

/*
 * A separate grid for a part of this one: a drawing beside another is drawn as on a screen of that size.
 * NULL: no room. cells_paste() puts it in place and frees it; NULL is allowed.
 */
struct cells *cells_part(const struct cells *cells, int width, int height);
void cells_paste(struct cells *cells, int x, int y, struct cells *part);

/*
 * Writes text at x, y in at most room columns (room < 0: to the right edge); longer text ends in an ellipsis.
 * Coordinates outside are clipped. Returns the columns used.
 */
int cells_put(struct cells *cells, int x, int y, int room, style look, const char *text);
int cells_put_bytes(struct cells *cells, int x, int y, int room, style look, const char *text, size_t length);
int cells_printf(struct cells *cells, int x, int y, int room, style look, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* The columns that a text takes here; NULL: 0. */
int cells_width(const struct cells *cells, const char *text);
/* The same, ending at column right (exclusive): for numbers. */
int cells_put_right(struct cells *cells, int right, int y, int room, style look, const char *text);

/* Gives a whole row the selection's background (keeping each cell's role). */
void cells_select_row(struct cells *cells, int y, int x, int width);
/* Gives a whole row the title's ground. */
void cells_title_row(struct cells *cells, int y);
/* Fills columns with one role's blank. */
void cells_fill(struct cells *cells, int x, int y, int width, style look);

/* Signs and lines with an ASCII form beside each. */
enum sign {
    SIGN_OK,
    SIGN_WARNING,
    SIGN_CRITICAL,
    SIGN_INFO,
    SIGN_UNKNOWN,
    SIGN_LEADER,
    SIGN_SELECTED,
    SIGN_CHAIN,
    SIGN_CHAIN_UNKNOWN,
    SIGN_CHAIN_CUT,
    SIGN_CHAIN_WRONG,
    SIGN_UP,
    SIGN_UP_WRONG,
    SIGN_ARROW,
    SIGN_DASH,
    SIGN_ELLIPSIS,
    SIGN_RULE,
    SIGN_BAR,
    SIGN_BAR_CHANGE,
    SIGN_BAR_VACANT,
    SIGN_BAR_GAP,
    SIGN_GAUGE_ON,
    SIGN_GAUGE_OFF,
    SIGN_ENTER,
    SIGN_CRUMB,
    SIGN_AT_MOST,
    SIGN_AT_LEAST,
    SIGN_TIMES,
    SIGN_CHECK,
    SIGN_BULLET,
    SIGN_TICK,
    SIGN_MOMENT,
    SIGN_POINTER,
    SIGN_PLAY,
    SIGN_STOP,
    SIGN_SORT_DOWN,
    SIGN_SORT_UP,
    SIGN_COUNT
};
const char *cells_sign(const struct cells *cells, enum sign sign);

/* In an ASCII grid, replaces the dashes and bounds of a sentence in place: "2.3 – 3.7s" becomes "2.3 - 3.7s".
 * For sentences made before the screen was known. Returns text. */
char *cells_plain(const struct cells *cells, char *text);

/*
 * Partial cells. A bar: each bit of the mask is an eighth, bit 0 the leftmost; uses the nearest character,
 * and never an empty one for a non-empty mask. A column: this many eighths, from the bottom.
 */
#define CELL_EIGHTHS 8
const char *cells_bar(const struct cells *cells, unsigned mask);
const char *cells_level(const struct cells *cells, unsigned eighths);

/* A rule across a span, with a caption in it ("- events ----") or NULL. */
void cells_rule(struct cells *cells, int x, int y, int width, const char *caption);

/* Adds the grid as plain text, trailing blanks cut: the D key, and tests. */
void cells_text(const struct cells *cells, struct text *out);

#endif

/*
 * theme.h - the appearance of a role: colours and attributes, for any number of colours. Independent of a
 * terminal.
 *
 * The terminal's own background is kept except in the title and under the selection, which also set a text
 * colour. Good and critical differ in brightness and in blue, not only in red and green; and every colour has
 * a sign and a word beside it.
 */
#ifndef ELECTOP_TUI_SCREEN_THEME_H
#define ELECTOP_TUI_SCREEN_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options.h"
#include "config/settings.h"
#include "tui/screen/cells.h"

enum palette {
    PALETTE_DARK,
    PALETTE_LIGHT,
    PALETTE_EITHER, /* the background is unknown: readable on both */
    PALETTE_COUNT
};

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_256, DEPTH_DIRECT };

struct theme {
    enum palette palette;
    enum depth depth;
};

/*
 * Chooses from the options and the terminal's abilities: --color never, theme mono and NO_COLOR (set
 * and not empty; --color always wins over it) give no colours; COLORFGBG, if the terminal sets it, shows
 * the background. colors: how many the terminal has; direct: a colour number is an RGB value.
 */
struct theme theme_choose(enum theme_choice choice, enum color_choice color, int colors, bool direct,
                          const char *no_color, const char *colorfgbg);

#define PAINT_DEFAULT (-1) /* the terminal's own colour */

struct paint {
    int32_t fg, bg; /* PAINT_DEFAULT, an index, or with DEPTH_DIRECT 0xRRGGBB */
    bool bold, dim, reverse, underline;
};

struct paint theme_paint(struct theme theme, style look);

/* Of the 256 colours of xterm (16..255; the first 16 are the user's own), the nearest. */
int theme_nearest_256(uint32_t rgb);

#endif

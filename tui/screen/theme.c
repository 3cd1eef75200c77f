#include "tui/screen/theme.h"

#include <stdlib.h>
#include <string.h>

#define OWN UINT32_MAX /* the terminal's own colour */

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, OWN8 = -1 };

/*
 * One row a role: its colour on dark, on light, on either background; among 8 colours; and its attributes
 * without colours. The colours for either background have a luminance near 0.28, which is at least 3:1 on
 * white and 6:1 on black.
 */
static const struct {
    uint32_t rgb[PALETTE_COUNT];
    int8_t eight;
    bool bold;      /* with colours */
    bool dim;       /* without enough colours to be grey */
    bool mono_bold; /* without colours */
} roles[ROLE_COUNT] = {
    [ROLE_TEXT] = {{OWN, OWN, OWN}, OWN8, false, false, false},
    [ROLE_DIM] = {{0x878787, 0x6c6c6c, 0x878787}, OWN8, false, true, false},
    [ROLE_STRONG] = {{OWN, OWN, OWN}, OWN8, true, false, true},
    [ROLE_TITLE] = {{0xeeeeee, 0x1c1c1c, 0xeeeeee}, OWN8, true, false, true},
    [ROLE_TITLE_DIM] = {{0xa8a8a8, 0x4e4e4e, 0xa8a8a8}, OWN8, false, false, false},
    [ROLE_HEADING] = {{0x878787, 0x6c6c6c, 0x878787}, OWN8, false, true, false},
    [ROLE_RULE] = {{0x4e4e4e, 0xb2b2b2, 0x767676}, OWN8, false, true, false},
    [ROLE_GOOD] = {{0x87d7a7, 0x007a56, 0x22a578}, GREEN, false, false, false},
    [ROLE_WARNING] = {{0xffc65f, 0x8a5a00, 0xc08410}, YELLOW, false, false, false},
    [ROLE_CRITICAL] = {{0xff6b5f, 0xc0200a, 0xf0503c}, RED, true, false, true},
    [ROLE_ACCENT] = {{0x5fd7d7, 0x007080, 0x1a9fab}, CYAN, false, false, false},
    [ROLE_KEY] = {{0x5fd7d7, 0x007080, 0x1a9fab}, CYAN, true, false, true},
    [ROLE_INFO] = {{0x87afff, 0x1f5fb0, 0x4f94dc}, BLUE, false, false, false},
    [ROLE_BAR_A] = {{0x5f8787, 0x5f8787, 0x5f8787}, CYAN, false, false, false},
    [ROLE_BAR_B] = {{0x87afaf, 0x87afaf, 0x87afaf}, BLUE, false, true, false},
    [ROLE_BAR_CHANGE] = {{0xffc65f, 0x8a5a00, 0xc08410}, YELLOW, true, false, true},
    [ROLE_BAR_VACANT] = {{0xff6b5f, 0xc0200a, 0xf0503c}, RED, false, false, false},
    [ROLE_BAR_GAP] = {{0x6c6c6c, 0x9e9e9e, 0x878787}, OWN8, false, true, false},
};

/* The two backgrounds that are not the terminal's, and the text on them where a role has no separate colour.
 */
static const struct {
    uint32_t title, selected, text, grey;
} grounds[PALETTE_COUNT] = {
    [PALETTE_DARK] = {0x303030, 0x444444, 0xeeeeee, 0xb2b2b2},
    [PALETTE_LIGHT] = {0xd7d7d7, 0xc6d7ea, 0x1c1c1c, 0x4e4e4e},
    [PALETTE_EITHER] = {0x303030, 0x444444, 0xeeeeee, 0xb2b2b2},
};

static bool is_light(const char *colorfgbg)
{
    /* "15;0", or "15;default;0": the last number is the background. 7 and 15 are the whites. */
    const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
    return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static bool is_dark(const char *colorfgbg)
{
    const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
    return last && last[1] >= '0' && last[1] <= '9' && !is_light(colorfgbg);
}

struct theme theme_choose(enum theme_choice choice, enum color_choice color, int colors, bool direct,
                          const char *no_color, const char *colorfgbg)
{
    struct theme theme = {PALETTE_EITHER, DEPTH_MONO};
    if (choice == THEME_DARK || (choice == THEME_AUTO && is_dark(colorfgbg)))
        theme.palette = PALETTE_DARK;
    else if (choice == THEME_LIGHT || (choice == THEME_AUTO && is_light(colorfgbg)))
        theme.palette = PALETTE_LIGHT;
    bool unwanted =
        choice == THEME_MONO || color == COLOR_NEVER || (color == COLOR_AUTO && no_color && *no_color);
    if (!unwanted && colors >= 8)
        theme.depth = direct ? DEPTH_DIRECT : colors >= 256 ? DEPTH_256 : DEPTH_8;
    return theme;
}

static int square(int x)
{
    return x * x;
}

static int distance(uint32_t a, uint32_t b)
{
    return square((int)(a >> 16 & 255) - (int)(b >> 16 & 255)) +
           square((int)(a >> 8 & 255) - (int)(b >> 8 & 255)) + square((int)(a & 255) - (int)(b & 255));
}

/* The nearest of the six steps of the colour cube. */
static uint32_t nearest_step(uint32_t channel)
{
    static const uint32_t middles[5] = {47, 115, 155, 195, 235}; /* between 0, 95, 135, 175, 215, 255 */
    uint32_t step = 0;
    while (step < 5 && channel > middles[step])
        step++;
    return step;
}

int theme_nearest_256(uint32_t rgb)
{
    static const uint32_t steps[6] = {0, 95, 135, 175, 215, 255};
    uint32_t r = nearest_step(rgb >> 16 & 0xff), g = nearest_step(rgb >> 8 & 0xff),
             b = nearest_step(rgb & 0xff);
    int best = (int)(16 + r * 36 + g * 6 + b);
    int best_distance = distance(rgb, steps[r] << 16 | steps[g] << 8 | steps[b]);
    for (int i = 0; i < 24; i++) {
        int far = distance(rgb, (uint32_t)(8 + 10 * i) * 0x010101);
        if (far < best_distance) {
            best = 232 + i;
            best_distance = far;
        }
    }
    return best;
}

static int32_t color_at(enum depth depth, uint32_t rgb)
{
    if (rgb == OWN)
        return PAINT_DEFAULT;
    return depth == DEPTH_DIRECT ? (int32_t)rgb : theme_nearest_256(rgb);
}

struct paint theme_paint(struct theme theme, style look)
{
    enum role role = STYLE_ROLE(look) < ROLE_COUNT ? STYLE_ROLE(look) : ROLE_TEXT;
    bool selected = look & STYLE_SELECTED,
         title = look & STYLE_TITLE || role == ROLE_TITLE || role == ROLE_TITLE_DIM;
    struct paint paint = {
        .fg = PAINT_DEFAULT, .bg = PAINT_DEFAULT, .bold = roles[role].bold || (look & STYLE_BOLD)};
    if (theme.depth == DEPTH_MONO) {
        paint.bold = roles[role].mono_bold || (look & STYLE_BOLD);
        paint.reverse = selected || title;
        paint.dim = roles[role].dim && !paint.reverse;
        return paint;
    }
    if (theme.depth == DEPTH_8) {
        paint.fg = roles[role].eight;
        paint.reverse = selected || title;
        paint.dim = roles[role].dim && !paint.reverse;
        /* Reversed, a colour would become the ground of its word alone: the bar stays one colour. */
        if (paint.reverse)
            paint.fg = PAINT_DEFAULT;
        return paint;
    }
    uint32_t fg = roles[role].rgb[theme.palette];
    if (title || selected) {
        paint.bg =
            color_at(theme.depth, title ? grounds[theme.palette].title : grounds[theme.palette].selected);
        if (fg == OWN)
            fg = grounds[theme.palette].text;
        else if (roles[role].dim)
            fg = grounds[theme.palette].grey;
        else if (theme.palette == PALETTE_EITHER)
            fg = roles[role].rgb[PALETTE_DARK]; /* here the ground is known */
    }
    paint.fg = color_at(theme.depth, fg);
    return paint;
}

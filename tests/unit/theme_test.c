/* Colours: who decides about them, and that all of them can be read. */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "tui/screen/theme.h"

/* --color wins over NO_COLOR, both over what the terminal can do; COLORFGBG tells the background. */
TEST(is_chosen_by_whoever_says_most)
{
    static const struct {
        enum theme_choice theme;
        enum color_choice color;
        int colors;
        bool direct;
        const char *no_color, *colorfgbg;
        enum palette palette;
        enum depth depth;
    } rows[] = {
        {THEME_AUTO, COLOR_AUTO, 256, false, NULL, NULL, PALETTE_EITHER, DEPTH_256},
        {THEME_AUTO, COLOR_AUTO, 256, false, "", "15;0", PALETTE_DARK, DEPTH_256},
        {THEME_AUTO, COLOR_AUTO, 256, false, NULL, "0;15", PALETTE_LIGHT, DEPTH_256},
        {THEME_AUTO, COLOR_AUTO, 256, false, NULL, "0;default;7", PALETTE_LIGHT, DEPTH_256},
        {THEME_AUTO, COLOR_AUTO, 256, false, NULL, "12;8", PALETTE_DARK, DEPTH_256},
        {THEME_AUTO, COLOR_AUTO, 256, false, NULL, "junk", PALETTE_EITHER, DEPTH_256},
        {THEME_DARK, COLOR_AUTO, 8, false, NULL, "0;15", PALETTE_DARK, DEPTH_8},
        {THEME_LIGHT, COLOR_AUTO, 1 << 24, true, NULL, NULL, PALETTE_LIGHT, DEPTH_DIRECT},
        {THEME_AUTO, COLOR_AUTO, 256, false, "1", NULL, PALETTE_EITHER, DEPTH_MONO},
        {THEME_AUTO, COLOR_ALWAYS, 256, false, "1", NULL, PALETTE_EITHER, DEPTH_256},
        {THEME_AUTO, COLOR_NEVER, 256, false, NULL, NULL, PALETTE_EITHER, DEPTH_MONO},
        {THEME_MONO, COLOR_ALWAYS, 256, false, NULL, NULL, PALETTE_EITHER, DEPTH_MONO},
        {THEME_AUTO, COLOR_ALWAYS, -1, false, NULL, NULL, PALETTE_EITHER, DEPTH_MONO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct theme theme = theme_choose(rows[i].theme, rows[i].color, rows[i].colors, rows[i].direct,
                                          rows[i].no_color, rows[i].colorfgbg);
        assert_int_equal(theme.palette, rows[i].palette);
        assert_int_equal(theme.depth, rows[i].depth);
    }
}

static double channel(int32_t rgb, int shift)
{
    double c = (double)(rgb >> shift & 255) / 255;
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double contrast(int32_t a, int32_t b)
{
    double la = 0.2126 * channel(a, 16) + 0.7152 * channel(a, 8) + 0.0722 * channel(a, 0) + 0.05;
    double lb = 0.2126 * channel(b, 16) + 0.7152 * channel(b, 8) + 0.0722 * channel(b, 0) + 0.05;
    return la > lb ? la / lb : lb / la;
}

static bool is_text(enum role role)
{
    return role < ROLE_BAR_A && role != ROLE_RULE;
}

/* Every role that carries words keeps a contrast of 3:1 (4.5:1 where the background is known) on every
 * ground. */
TEST(can_be_read)
{
    static const int32_t grounds[PALETTE_COUNT][2] = {
        {0x000000, 0x1e1e1e}, {0xffffff, 0xf5f5f5}, {0x000000, 0xffffff}};
    static const style modifiers[] = {0, STYLE_SELECTED, STYLE_TITLE};
    for (int palette = 0; palette < PALETTE_COUNT; palette++)
        for (int role = 0; role < ROLE_COUNT; role++)
            for (size_t m = 0; is_text((enum role)role) && m < 3; m++) {
                struct paint paint = theme_paint((struct theme){(enum palette)palette, DEPTH_DIRECT},
                                                 (style)(role | modifiers[m]));
                for (int g = 0; g < 2; g++) {
                    int32_t bg = paint.bg == PAINT_DEFAULT ? grounds[palette][g] : paint.bg;
                    if (paint.fg == PAINT_DEFAULT) {
                        assert_int_equal(paint.bg,
                                         PAINT_DEFAULT); /* the user's own text on a ground of ours */
                        continue;
                    }
                    double least = palette == PALETTE_EITHER || paint.bg != PAINT_DEFAULT ? 3.0 : 4.5;
                    if (contrast(paint.fg, bg) < least)
                        fail_msg("palette %d role %d modifier %zu: %06x on %06x is %.2f", palette, role, m,
                                 (unsigned)paint.fg, (unsigned)bg, contrast(paint.fg, bg));
                }
            }
}

/* Without colours nothing asks for one, and what is selected can still be told. */
TEST(mono_has_no_colours)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct paint paint = theme_paint((struct theme){PALETTE_DARK, DEPTH_MONO}, (style)role);
        assert_int_equal(paint.fg, PAINT_DEFAULT);
        assert_int_equal(paint.bg, PAINT_DEFAULT);
        assert_true(
            theme_paint((struct theme){PALETTE_DARK, DEPTH_MONO}, (style)(role | STYLE_SELECTED)).reverse);
    }
}

/* The nearest of the 256 is exact for their own colours. */
TEST(finds_the_nearest)
{
    assert_int_equal(theme_nearest_256(0x000000), 16);
    assert_int_equal(theme_nearest_256(0xffffff), 231);
    assert_int_equal(theme_nearest_256(0x5fd7d7), 16 + 36 * 1 + 6 * 4 + 4);
    assert_int_equal(theme_nearest_256(0x303030), 236);
    assert_int_equal(theme_nearest_256(0xff0101), 196);
}

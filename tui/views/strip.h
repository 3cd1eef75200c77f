/*
 * strip.h - who led when, as a line of cells: tenures alternate in two shades, changes, vacancies and the
 * time in which nobody watched have signs of their own.
 *
 * A cell stands for width-th part of the window. It shows the worst that happened in it: vacant before a
 * change before one leader, so a vacancy of a moment is still seen in an hour.
 */
#ifndef ELECTOP_TUI_VIEWS_STRIP_H
#define ELECTOP_TUI_VIEWS_STRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/election.h"
#include "tui/screen/cells.h"

/* The windows that a strip can show, shortest first. */
#define STRIP_WINDOWS 6
#define STRIP_HOUR 3
int64_t strip_window_us(unsigned window);
/* "5 min", "hour": as in "last hour". */
const char *strip_window_word(unsigned window);

/*
 * Which window is shown. Until somebody chooses, it grows with what is known: a strip that is empty but for
 * its last cell tells a newcomer nothing. By itself it grows to an hour.
 */
struct strip_zoom {
    unsigned window;
    bool chosen;
};
/* known_us: since when anything is known. */
void strip_zoom_follow(struct strip_zoom *, int64_t known_us);
void strip_zoom_turn(struct strip_zoom *, bool wider);
/* For how long the election's tenures are known; 0: not at all. */
int64_t strip_known_us(const struct election *, struct moment now);

/* Who led, over all its turns: its identity where that is known (a program that comes back has another
   znode), else its znode's name. NULL: nobody led. */
const char *strip_who(const struct tenure *);

/*
 * Draws the window that ends now. who: STRIP_ALL; or one line of a timeline: only the tenures of this
 * strip_who(), or only the vacancies (STRIP_NOBODY).
 */
#define STRIP_ALL NULL
#define STRIP_NOBODY ""
void strip_draw(struct cells *, int x, int y, int width, const struct election *, struct moment now,
                int64_t window_us, const char *who);

#endif

/*
 * strip.h - the history of leadership as a line of cells: tenures alternate in two shades; changes, vacancies
 * and gaps have other signs.
 *
 * A cell is a width-th part of the window. It shows the worst state in it: vacant before a
 * change before one leader, so a vacancy of a moment is still visible in an hour.
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
 * The visible window. Until the user chooses one, it grows with the known time: a strip that is empty except
 * for its last cell says nothing to a newcomer. By itself it grows to an hour.
 */
struct strip_zoom {
    unsigned window;
    bool chosen;
};
/* known_us: since when anything is known. */
void strip_zoom_follow(struct strip_zoom *zoom, int64_t known_us);
void strip_zoom_turn(struct strip_zoom *zoom, bool wider);
/* For how long the election's tenures are known; 0: not at all. */
int64_t strip_known_us(const struct election *election, struct moment now);

/* The leader, over all its tenures: its identity where that is known (a program that comes back has another
   znode), else its znode's name. NULL: no leader. */
const char *strip_who(const struct tenure *tenure);

/*
 * Draws the window that ends now. who: STRIP_ALL; or one line of a timeline: only the tenures of this
 * strip_who(), or only the vacancies (STRIP_NOBODY).
 */
#define STRIP_ALL NULL
#define STRIP_NOBODY ""
void strip_draw(struct cells *cells, int x, int y, int width, const struct election *election,
                struct moment now, int64_t window_us, const char *who);

#endif

/*
 * strip.h - the history of leadership as a line of cells: tenures alternate in two shades; changes, vacancies
 * and gaps have other signs.
 *
 * A cell covers an equal part of the window. It shows the worst state in it: a vacancy has precedence over a
 * change, and a change over a single leader, so a vacancy of a moment is still visible in an hour. One that is over
 * and took less than half of its cell has the sign of a change, in a vacancy's colour.
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
 * The visible window. Until the user selects one, it grows with the known time, because a strip with only its
 * last cell filled is of no use. It grows automatically to at most an hour.
 */
struct strip_zoom {
    unsigned window;
    bool chosen;
};
/* known_us: the beginning of known time. */
void strip_zoom_follow(struct strip_zoom *zoom, int64_t known_us);
void strip_zoom_turn(struct strip_zoom *zoom, bool wider);
/* How long the election's tenures have been known; 0: not at all. */
int64_t strip_known_us(const struct election *election, struct moment now);

/* The leader across all its tenures: its identity if known (a program that returns has another znode), else
 * its znode's name. NULL: no leader. */
const char *strip_who(const struct tenure *tenure);

/*
 * Draws the window that ends now. who: STRIP_ALL; or one line of a timeline: only the tenures of this
 * strip_who(), or only the vacancies (STRIP_NO_LEADER).
 */
#define STRIP_ALL NULL
#define STRIP_NO_LEADER ""
void strip_draw(struct cells *cells, int x, int y, int width, const struct election *election,
                struct moment now, int64_t window_us, const char *who);

#endif

/*
 * framed.h - one view on a scripted cluster, seen as text. What does not hold fails the running cmocka test.
 */
#ifndef ELECTOP_TESTS_SUPPORT_FRAMED_H
#define ELECTOP_TESTS_SUPPORT_FRAMED_H

#include "tests/support/scenes.h"
#include "tui/views/view.h"

#define FRAMED_WIDTH 120
#define FRAMED_HEIGHT 40

struct framed {
    struct stage *stage;
    struct view *view;
    struct cells *cells;
    char *text; /* of the latest snapshot */
};

/* Takes both over. */
struct framed framed_new(struct stage *, struct view *);
void framed_end(struct framed *);

struct scene framed_scene(const struct framed *);
/* The snapshot of now; valid until the next one. */
const char *framed_draw(struct framed *);
/* next: the view that it leads to; or NULL. */
enum view_result framed_press(struct framed *, enum action, struct view **next);
/* The line of the snapshot that is selected. */
const char *framed_selected(struct framed *);

void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* Five candidates, and a cluster with two elections, alpha and beta, of the first four of them. */
extern const struct stand framed_line[5];
struct stage *framed_two_elections(void);

#endif

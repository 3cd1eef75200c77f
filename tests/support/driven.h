/*
 * driven.h - a dashboard without a terminal, driven by keys, as a fixture of cmocka tests.
 */
#ifndef ELECTOP_TESTS_SUPPORT_DRIVEN_H
#define ELECTOP_TESTS_SUPPORT_DRIVEN_H

#include "tests/support/stage.h"
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/tell.h"

struct driven {
    struct stage *stage;
    struct dashboard *dashboard;
    struct cells *cells;
    struct tells tells;
};

/* Takes the stage. */
struct driven driven_of(struct stage *, int width, int height);
void driven_release(struct driven *);
/* cmocka's set-up and tear-down: the usual scene on 120 x 60, which listens to `tells`. */
int driven_begin(void **state);
int driven_end(void **state);

/* Both draw first: a key acts on what is seen. */
enum dashboard_wish driven_key(struct driven *, int code);
void driven_type(struct driven *, const char *text);
bool driven_shows(struct driven *, const char *text);

#endif

#include "tests/support/driven.h"

#include <stdlib.h>

#include "tests/support/drawn.h"
#include "tests/support/scenes.h"

struct driven driven_of(struct stage *stage, int width, int height)
{
    return (struct driven){.stage = stage,
                           .dashboard = dashboard_new(stage_settings(stage), stage_model(stage),
                                                      stage_events(stage), stage_clock, stage),
                           .cells = cells_new(width, height)};
}

void driven_release(struct driven *driven)
{
    dashboard_free(driven->dashboard);
    tell_release(&driven->tells);
    cells_free(driven->cells);
    stage_free(driven->stage);
}

int driven_begin(void **state)
{
    struct driven *driven = calloc(1, sizeof(*driven));
    if (!driven)
        return -1;
    *driven = driven_of(scene_usual(), 120, 60);
    dashboard_tell(driven->dashboard, &driven->tells);
    *state = driven;
    return 0;
}

int driven_end(void **state)
{
    driven_release(*state);
    free(*state);
    return 0;
}

enum dashboard_wish driven_key(struct driven *driven, int code)
{
    dashboard_draw(driven->dashboard, driven->cells);
    return dashboard_key(driven->dashboard, code, -1, -1);
}

void driven_type(struct driven *driven, const char *text)
{
    for (; *text; text++)
        driven_key(driven, (unsigned char)*text);
}

bool driven_shows(struct driven *driven, const char *text)
{
    dashboard_draw(driven->dashboard, driven->cells);
    return drawn_has(driven->cells, text);
}

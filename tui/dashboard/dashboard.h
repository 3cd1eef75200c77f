/*
 * dashboard.h - the whole screen: a stack of views between a title and a footer, and the effect of keys.
 *
 * It has no terminal, loop or clock: keys go in, grids of cells come out, so a test can drive it
 * with a fixed model, a fixed clock and a script of keys. main_loop.h puts it on a terminal.
 */
#ifndef ELECTOP_TUI_DASHBOARD_DASHBOARD_H
#define ELECTOP_TUI_DASHBOARD_DASHBOARD_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "tui/views/event_log.h"
#include "tui/dashboard/replay.h"
#include "tui/screen/cells.h"

/* Below this one clear line says so. */
#define DASHBOARD_WIDTH_LEAST 40
#define DASHBOARD_HEIGHT_LEAST 8

struct dashboard;
struct run_control_interface; /* tui/views/run_control_interface.h */
struct belief;                /* tui/views/view.h */

typedef struct moment (*clock_fn)(void *context);

/*
 * All that it is given must outlive it. It begins with the overview. The model and its
 * events may be NULL: then it is given a past before anything else, and that is all there is.
 */
struct dashboard *dashboard_new(const struct settings *settings, const struct model *model,
                                const struct event_log *events, clock_fn clock, void *clock_context);
void dashboard_free(struct dashboard *dashboard);

/*
 * The recording, for moving in time; or why there is none (past NULL; the text must outlive it).
 * Without a live model it goes to at_us; false, and the reason in replay_problem(): that cannot be shown.
 */
bool dashboard_take_baseline(struct dashboard *dashboard, struct replay *past, const char *why_not,
                             int64_t at_us);

/* Where test candidates can be had; it must outlive it. Without this the keys that write say that they
 * cannot. */
void dashboard_equip(struct dashboard *dashboard, const struct run_control_interface *control);

/* Where a mute goes besides the screens: an event that is valid during the call. author: whose name it bears.
   Without this nothing can be muted. Texts must outlive it. */
void dashboard_record_mutes(struct dashboard *dashboard, const char *author,
                            void (*fn)(void *context, const struct event *), void *context);

/* The filter of the overview, as if it had been typed. */
void dashboard_filter(struct dashboard *dashboard, const char *filter);

/* The overview's order and columns: see overview_view_arrange(). */
void dashboard_arrange(struct dashboard *, const char *sort, const char *columns);
/* The columns that DASHBOARD_KEEP_COLUMNS is about, as --columns takes them. */
const char *dashboard_columns(const struct dashboard *dashboard);

/* A recording is being played: dashboard_is_stale() comes true by itself, as time passes. */
bool dashboard_is_playing(const struct dashboard *dashboard);

/* A key's request to the caller. */
enum dashboard_wish {
    DASHBOARD_NOTHING,
    DASHBOARD_QUIT,
    DASHBOARD_REDRAW,      /* everything anew: the terminal shows something else */
    DASHBOARD_RELOAD,      /* the configuration is to be read again */
    DASHBOARD_COPY,        /* dashboard_copied() to the clipboard */
    DASHBOARD_DUMP,        /* the screen, as it is, to a file */
    DASHBOARD_REPORT,      /* a report of dashboard_reported() to a file */
    DASHBOARD_CLEAR,       /* dashboard_cleared() is believed no longer */
    DASHBOARD_KEEP_COLUMNS /* dashboard_columns() for the next time */
};

/* A key of keys.h; x and y for those of the mouse. */
enum dashboard_wish dashboard_key(struct dashboard *dashboard, int key, int x, int y);
/* A character of a paste: it goes into the line that is being typed, and is ignored where none is. */
enum dashboard_wish dashboard_paste(struct dashboard *dashboard, int character);
const char *dashboard_copied(const struct dashboard *dashboard);
/* What a message calls it: a path itself, or "no-watch with its evidence and advice". */
const char *dashboard_copied_what(const struct dashboard *dashboard);

/* The cluster and the election (candidate ""), and the moment until which it is. */
const struct belief *dashboard_reported(const struct dashboard *dashboard, int64_t *until_us);
const char *dashboard_recording(const struct dashboard *dashboard); /* its file; NULL: nothing is recorded */

const struct belief *dashboard_cleared(const struct dashboard *dashboard);

/* A message in the footer, for a few seconds. */
void dashboard_say(struct dashboard *dashboard, style role, const char *text);

/* Draws all of it into the grid. */
void dashboard_draw(struct dashboard *dashboard, struct cells *cells);

/* A key has changed the display, so it should be drawn at once. */
bool dashboard_is_touched(const struct dashboard *dashboard);

/* Something that was drawn has changed since: the model, the second that ages are shown in, or by a key. */
bool dashboard_is_stale(const struct dashboard *dashboard);

#endif

/*
 * dashboard.h - the whole screen: a stack of views between a title and a footer, and the effect of keys.
 *
 * It has no terminal, loop or clock: keys go in, grids of cells come out, so a test can drive it with a fixed
 * model, a fixed clock and a script of keys. main_loop.h runs it on a terminal.
 */
#ifndef ELECTOP_TUI_DASHBOARD_DASHBOARD_H
#define ELECTOP_TUI_DASHBOARD_DASHBOARD_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "tui/views/event_log.h"
#include "tui/dashboard/replay.h"
#include "tui/screen/cells.h"

/* Smaller screens show a single line that says so. */
#define DASHBOARD_WIDTH_LEAST 40
#define DASHBOARD_HEIGHT_LEAST 8

struct dashboard;
struct tells;                 /* tui/dashboard/tell.h */
struct run_control_interface; /* tui/views/run_control_interface.h */
struct finding_place;         /* tui/views/view.h */

typedef struct moment (*clock_fn)(void *context);

/*
 * All arguments must outlive it. It begins with the overview. The model and its events may be NULL: then it
 * shows only a recording, which must be set before anything else.
 */
struct dashboard *dashboard_new(const struct settings *settings, const struct model *model,
                                const struct event_log *events, clock_fn clock, void *clock_context);
void dashboard_free(struct dashboard *dashboard);

/*
 * Gives the dashboard the recording to replay. past NULL: there is none, and why_not, which must outlive the
 * dashboard, says why. Without a live model it goes to at_us; false if that cannot be shown, with the reason in
 * replay_problem().
 */
bool dashboard_set_replay(struct dashboard *dashboard, struct replay *past, const char *why_not,
                          int64_t at_us);

/* Sets the control of test candidates, which must outlive it. Without it the keys that write are refused. */
void dashboard_equip(struct dashboard *dashboard, const struct run_control_interface *control);

/* Sets the receiver of mutes, besides the screens: an event that is valid during the call; whether the
 * next run knows of it, too. author: the user's name. Without this nothing can be muted. Texts must outlive it. */
void dashboard_record_mutes(struct dashboard *dashboard, const char *author,
                            bool (*fn)(void *context, const struct event *), void *context);

/* The changes that the user waits for, which outlive it. Without this none is reported. */
void dashboard_tell(struct dashboard *dashboard, struct tells *tells);

/* The filter of the view on top (at first the overview), as if it had been typed. */
void dashboard_filter(struct dashboard *dashboard, const char *filter);

/* The overview's order and columns: see overview_view_arrange(). */
void dashboard_arrange(struct dashboard *, const char *sort, const char *columns);
/* The columns for DASHBOARD_KEEP_COLUMNS, in the form of --columns. */
const char *dashboard_columns(const struct dashboard *dashboard);

/* A recording is being played: dashboard_is_stale() becomes true by itself, as time passes. */
bool dashboard_is_playing(const struct dashboard *dashboard);

/* A key's request to the caller. */
enum dashboard_wish {
    DASHBOARD_NOTHING,
    DASHBOARD_QUIT,
    DASHBOARD_REDRAW,      /* redraw everything: the terminal shows something else */
    DASHBOARD_RELOAD,      /* read the configuration again */
    DASHBOARD_COPY,        /* dashboard_copied() to the clipboard */
    DASHBOARD_DUMP,        /* write the present screen to a file */
    DASHBOARD_REPORT,      /* write a report of dashboard_reported() to a file */
    DASHBOARD_BUNDLE,      /* write a bundle of that moment to a file */
    DASHBOARD_RUN,         /* run dashboard_command() in the foreground */
    DASHBOARD_CLEAR,       /* clear the finding of dashboard_cleared() */
    DASHBOARD_KEEP_COLUMNS /* store dashboard_columns() for the next start */
};

/* A key of keys.h; x and y for those of the mouse. */
enum dashboard_wish dashboard_key(struct dashboard *dashboard, int key, int x, int y);
/* A pasted character: it is added to the line being typed, and ignored without one. */
enum dashboard_wish dashboard_paste(struct dashboard *dashboard, int character);
const char *dashboard_copied(const struct dashboard *dashboard);
/* Its description for a message: a path itself, or "no-watch with its evidence and advice". */
const char *dashboard_copied_what(const struct dashboard *dashboard);

/* Whether the bundle that is to be written has pseudonyms. */
bool dashboard_pseudonyms(const struct dashboard *dashboard);
/* The cluster and the election (candidate ""), and the end of the report's period. */
const struct finding_place *dashboard_reported(const struct dashboard *dashboard, int64_t *until_us);
const char *dashboard_recording(const struct dashboard *dashboard); /* its file; NULL: no recording */

/* The argument vector, and the name of the command. */
char **dashboard_command(const struct dashboard *dashboard, const char **name);

const struct finding_place *dashboard_cleared(const struct dashboard *dashboard);

/* Shows a message in the footer for a few seconds. */
void dashboard_say(struct dashboard *dashboard, style role, const char *text);

/* A change that the user wanted to be notified of: printable ASCII; NULL: none. The footer shows it, too. Valid
 * until the next call. */
const char *dashboard_told(struct dashboard *dashboard);

/* Draws all of it into the grid. */
void dashboard_draw(struct dashboard *dashboard, struct cells *cells);

/* A key has changed the display, so it should be drawn at once. */
bool dashboard_is_touched(const struct dashboard *dashboard);
/* The screen has no picture yet. Drawing makes its lists, so a key that is meant for them waits for that. */
bool dashboard_is_undrawn(struct dashboard *dashboard);

/* Something on the screen has changed: the model, the second that ages are shown in, or the effect of a
 * key. */
bool dashboard_is_stale(const struct dashboard *dashboard);

#endif

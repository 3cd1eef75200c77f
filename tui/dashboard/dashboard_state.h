/*
 * dashboard_state.h - the state of the dashboard, shared by its screens (dashboard.c), its keys (dashboard_keys.c), and
 * the actions on the selection (dashboard_selection.c). Private to this folder.
 */
#ifndef ELECTOP_TUI_DASHBOARD_DASHBOARD_STATE_H
#define ELECTOP_TUI_DASHBOARD_DASHBOARD_STATE_H

#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/moved_rows.h"
#include "tui/dashboard/replay.h"
#include "tui/dashboard/title_footer.h"
#include "tui/screen/key_bindings.h"
#include "tui/views/screens.h"

#define LEVELS_MOST 16
#define FILTER_BYTES 128
#define MESSAGE_US INT64_C(5000000)
#define PATH_BYTES 4096

struct level {
    struct view *view;
    char filter[FILTER_BYTES]; /* "": none */
    bool jumped;               /* it was opened by a jump: its title does not name the view below */
};

struct dashboard {
    const struct settings *settings;
    const struct model *model;
    const struct event_log *events;
    clock_fn clock;
    void *clock_context;

    struct level levels[LEVELS_MOST]; /* the last one is on the screen */
    size_t level_count;
    struct footer footer;
    char back_to[48];         /* of the key for it, after a jump */
    enum dashboard_wish wish; /* of the action that was named after : */

    struct snapshot_model *frozen; /* while the display is paused: its moment */
    struct event_log *frozen_events;
    struct moment frozen_at;
    struct snapshot_model *marked; /* to be compared with another moment */
    struct moment marked_at;
    const struct run_control_interface *control;
    bool busy;                      /* it had a run going on when last drawn */
    struct replay_keys replay_keys; /* a moment of the past, shown in place of now */

    char copied[16384];     /* for the clipboard ... */
    char copied_what[4096]; /* ... and what the message calls it */
    int64_t quit_until_us;  /* q quits where it is pressed again before then, although a run is going on */
    struct finding_place muted; /* what the line being typed is about, its candidate the finding's code */
    const char *author;
    bool (*mute)(void *context, const struct event *);
    void *mute_context;
    struct tells *tells; /* the caller's; NULL: in a replay */
    char **command;      /* the latest that was to be run; NULL: none */
    const char *command_name;
    struct finding_place reported; /* candidate "": not used */
    bool pseudonyms;               /* of the bundle */
    struct finding_place clearing; /* that c shall clear ... */
    int64_t clearing_until_us;     /* ... where it is pressed again before then; 0: it has not been */

    char columns[128];             /* of the overview, as the user chose them last */
    bool acquainted;               /* a key was pressed: no hints any more */
    bool touched;                  /* by a key, since the last drawing */
    const struct view *drawn_view; /* only to be compared: it may be closed since */
    uint64_t drawn_generation;
    int64_t drawn_second, drawn_us;
    struct moved_rows moved;
};

/* ---- the screens ---- */

struct moment dashboard_now(const struct dashboard *dashboard);
/* Of the moment that is shown. */
struct scene dashboard_scene(const struct dashboard *dashboard);
struct level *dashboard_top(struct dashboard *dashboard);
struct key_help dashboard_key_help(struct dashboard *dashboard, const struct scene *scene);
/* Takes the view, whatever becomes of it. */
void dashboard_push(struct dashboard *dashboard, struct view *view);
void dashboard_pop(struct dashboard *dashboard);
/* The display is paused, or goes on. */
void dashboard_freeze(struct dashboard *dashboard);
void dashboard_resume(struct dashboard *dashboard);
/* A recording is opened when the user wants to see it, and not before. */
void dashboard_open_history(struct dashboard *dashboard);
/* A message with the key of an action. */
void dashboard_say_key(struct dashboard *dashboard, style role, const char *before, enum action action,
                       const char *after);
void dashboard_show_note(struct dashboard *dashboard, const struct replay_keys_note *note);

/* ---- actions on the selection ---- */

/* The election that is selected, or whose candidate is, or that this screen is about; NULL: none. Its row's path
 * is left in path. */
const struct election *dashboard_selected(struct dashboard *dashboard, const struct scene *scene,
                                          char path[PATH_BYTES]);
enum dashboard_wish dashboard_copy_finding(struct dashboard *dashboard);
enum dashboard_wish dashboard_copy_path(struct dashboard *dashboard);
void dashboard_begin_mute(struct dashboard *dashboard);
/* "2h known, OPS-12": how long, and why. False: the line stays open, to be corrected. */
bool dashboard_take_mute(struct dashboard *dashboard, const char *typed);
enum dashboard_wish dashboard_run_command(struct dashboard *dashboard, size_t which);
void dashboard_tell_selected(struct dashboard *dashboard);
enum dashboard_wish dashboard_report_selected(struct dashboard *dashboard);
enum dashboard_wish dashboard_bundle_moment(struct dashboard *dashboard, bool pseudonyms);
enum dashboard_wish dashboard_clear_finding(struct dashboard *dashboard);

#endif

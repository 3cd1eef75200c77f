/*
 * view.h - the interface of every screen: a small table of functions over the model.
 *
 * One view per file. A view keeps its own state (selection, scroll, sort) and reads everything else from the
 * model passed at each call: the live one, a frozen one while the display is frozen, or one rebuilt from a
 * recording. It remembers items by name (this election, this candidate), never by line or pointer.
 */
#ifndef ELECTOP_TUI_VIEWS_VIEW_H
#define ELECTOP_TUI_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "tui/screen/cells.h"
#include "tui/screen/key_bindings.h"

struct run_control_interface; /* tui/views/run_control_interface.h */
struct snapshot_model;        /* probe/history/snapshot.h */
struct event_log;             /* tui/views/event_log.h: the latest events, as lines */

/* Everything that a view may read. */
struct scene {
    const struct model *model;
    const struct event_log *events;
    const struct settings *settings;
    struct moment now;
    bool paused;
    struct history *history;                     /* the recording; NULL: none */
    const char *history_problem;                 /* why not; or NULL: not tried yet */
    bool recorded;                               /* replay is possible, unless it fails */
    const struct run_control_interface *control; /* controls test candidates; NULL: not available */
    bool past;                                   /* now is a time in the recording */
};

enum view_result {
    VIEW_IGNORED,
    VIEW_DONE,
    VIEW_CLOSE, /* go back one level */
    VIEW_OPEN,  /* show *next */
    VIEW_ASK,   /* ask for a line of text: ops->question, ops->answer */
    VIEW_TRAVEL /* replay the time of ops->destination */
};

struct view;

/* A finding that no poll can clear, but a user can: names that last whatever the model does. */
struct finding_place {
    char cluster[128], election[2048], candidate[512];
};

/* A time, and the election to show then; path NULL: the present one. Texts belong to the view. */
struct destination {
    int64_t at_us; /* wall clock */
    const char *cluster, *path;
};

struct view_ops {
    const char *name; /* "overview": the heading of its help */
    void (*draw)(struct view *, const struct scene *,
                 struct cells *); /* between title and footer: all of cells */
    enum view_result (*action)(struct view *, const struct scene *, enum action, struct view **next);
    /* A mouse click (or double click) at a cell of the view's area. May be NULL. */
    enum view_result (*click)(struct view *, const struct scene *, int x, int y, bool twice,
                              struct view **next);
    /* The left part of the title ("prod > /election") of a view opened from another. For the first view, the
     * dashboard shows the clusters and their servers there. */
    void (*title)(struct view *, const struct scene *, struct cells *, int x, int room);
    /* The path that y copies, and the name of its cluster; NULL: none. May be NULL. */
    const char *(*path)(struct view *, const struct scene *, char *buffer, size_t size);
    /* The only election that this screen is about, and the name of its cluster: the keys of failovers stay with it.
     * NULL: it is about several. */
    const char *(*only)(const struct view *, const char **path);
    /* The finding that c clears, or false: the selected finding is cleared automatically. NULL: no findings
     * here. */
    bool (*clearable)(struct view *, const struct scene *, struct finding_place *);
    /* The finding that Y copies, with its election; NULL: none is selected. NULL: no findings here. */
    const struct finding *(*finding)(struct view *, const struct scene *, const struct election **);
    void (*filter)(struct view *, const char *text); /* typed after /; "" ends it. NULL: no filter here */
    /* Selects the first item from that time on (wall clock), for ":" with a time; false: there is none here.
     * NULL: nothing here has a time. */
    bool (*show)(struct view *, const struct scene *, int64_t at_us);
    struct destination (*destination)(const struct view *); /* after VIEW_TRAVEL */
    void (*free)(struct view *);
    /* The prompt in the last line after VIEW_ASK; and the text typed there. */
    void (*question)(const struct view *, char *buffer, size_t size);
    enum view_result (*answer)(struct view *, const struct scene *, const char *text);
    /* The actions that it handles, ACTION_BIT() each; title_footer.h adds the dashboard's own. heeds:
     * whether it handles one now; NULL: always. word: for the footer, instead of the table's. */
    action_set answers;
    action_set first; /* those shown first in the footer */
    bool (*heeds)(const struct view *, const struct scene *, enum action);
    const char *(*word)(const struct view *, const struct scene *, enum action);
    enum action opened_by; /* the key that opens it from all other views, or ACTION_NONE */
};

/* The actions that move in a list. */
#define VIEW_MOVES                                                                                           \
    (ACTION_BIT(ACTION_UP) | ACTION_BIT(ACTION_DOWN) | ACTION_BIT(ACTION_PAGE_UP) |                          \
     ACTION_BIT(ACTION_PAGE_DOWN) | ACTION_BIT(ACTION_HALF_UP) | ACTION_BIT(ACTION_HALF_DOWN) |              \
     ACTION_BIT(ACTION_FIRST) | ACTION_BIT(ACTION_LAST))

struct view {
    const struct view_ops *ops;
};

struct view *overview_view_new(void);
/* The elections that match it, to be opened from another view. The caller sets that filter after showing it. */
struct view *overview_view_filtered(const char *filter);
/* The filter of that view; NULL: it is another view. */
const char *overview_view_filter(const struct view *);
/* For that view: sort: a word of --sort; columns: those of --columns; NULL: the default. */
void overview_view_arrange(struct view *, const char *sort, const char *columns);
/* Arranges a view that was opened as that first one is. */
void overview_view_arrange_as(struct view *, const struct view *first);
/* Selects that election for the return to that view. */
void overview_view_select(struct view *, const struct election *);
/* The columns in the form of --columns, if the user has selected others since the last call; else false. */
bool overview_view_take_choice(struct view *, char *buffer, size_t size);
struct view *election_view_new(const char *cluster, const char *path);
/* Selects the first candidate that a filter of the list before it has found; none: the leader. */
void election_view_find(struct view *view, const struct election *election, const char *filter);
struct view *candidate_view_new(const char *cluster, const char *path, const char *candidate);
struct view *events_view_new(void);
struct view *findings_view_new(void);
/* Its leaders over time, and its failovers. */
struct view *history_view_new(const char *cluster, const char *path);
/* The story of the failover at that time (wall clock). */
struct view *story_view_new(const char *cluster, const char *path, int64_t lost_us);
struct view *ensemble_view_new(void);
/* What differs between that moment and the one that is shown; takes it. */
struct view *compare_view_new(struct snapshot_model *marked, struct moment at);
/* The pages of all codes, beginning with that of this finding, with its severity in this case; NULL: with the
 * first. */
struct view *explanations_view_new(const struct finding *finding);
/* path (full) and name of the selected election; NULL: none. A run in progress, and the report of the last
 * one, are shown before the form. */
struct view *inject_view_new(const char *path, const char *name);
/* keys: those that have an effect on the screen from which help was opened, ACTION_BIT() each. */
struct view *help_view_new(const char *about, action_set keys);

#endif

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
    VIEW_CLOSE, /* go back one level, as the dashboard does after a Back that a view ignores */
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
    /* The left part of the title ("prod > /election") of a view opened from another; NULL: its name. For the
     * first view, the dashboard shows the clusters and their servers there. */
    void (*title)(struct view *, const struct scene *, struct cells *, int x, int room);
    /* The path that y copies, and the name of its cluster; NULL: none. NULL: that of the only election. */
    const char *(*path)(struct view *, const struct scene *, char *buffer, size_t size);
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
    void (*release)(struct view *);                         /* what it owns besides; may be NULL */
    /* The prompt in the last line after VIEW_ASK; and the text typed there. */
    void (*question)(const struct view *, char *buffer, size_t size);
    enum view_result (*answer)(struct view *, const struct scene *, const char *text);
    /* The actions that it handles, ACTION_BIT() each; title_footer.h adds the dashboard's own. heeds:
     * whether it handles one now; NULL: always. word: for the footer, instead of the table's. */
    action_set answers;
    action_set first; /* those shown first in the footer */
    size_t list;      /* where its struct list is, of which Enter opens a line if there is one; 0: no list */
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
    /* The only election that it is about, with which the keys of failovers stay; NULL: it is about several. */
    char *cluster, *path;
};

/* Zeroed, of this size, with a struct view as its first member; cluster and path are copied. */
void *view_new(const struct view_ops *ops, size_t size, const char *cluster, const char *path);
void view_free(struct view *);
/* The result of an action that opens a view; NULL: there is nothing to open. */
enum view_result view_open(struct view **next, struct view *opened);
/* The only election; NULL: it is not watched any more. */
const struct election *view_election(const struct view *, const struct scene *);
/* Its name; its path where it is not watched any more. */
const char *view_name(const struct view *, const struct scene *);
/* What y copies: see view_ops. False: never anything. */
bool view_has_paths(const struct view *);
const char *view_path(struct view *, const struct scene *, char *buffer, size_t size);

#endif

/*
 * view.h - the interface of every screen: a small table of functions over the model.
 *
 * One view a file. A view keeps its own state (selection, scroll, sort) and reads everything else from
 * the model passed at each call: the live one, a frozen one while the display is frozen, or one
 * rebuilt from a recording. It remembers things by name (this election, this candidate), never by line or
 * pointer.
 */
#ifndef ELECTOP_TUI_VIEWS_VIEW_H
#define ELECTOP_TUI_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "tui/screen/cells.h"
#include "tui/screen/keys.h"

struct run_control_interface; /* tui/views/run_control_interface.h */
struct event_log;             /* tui/views/event_log.h: the latest events, as lines */

/* Everything a view may look at. */
struct scene {
    const struct model *model;
    const struct event_log *events;
    const struct settings *settings;
    struct moment now;
    bool paused;
    struct history *history;                     /* the recording; NULL: none */
    const char *history_problem;                 /* why not; or NULL: it has not been looked for yet */
    bool recorded;                               /* one can go back, unless that fails */
    const struct run_control_interface *control; /* where test candidates can be had; NULL: nowhere */
    bool past;                                   /* now is a moment of the recording */
};

enum view_result {
    VIEW_IGNORED,
    VIEW_DONE,
    VIEW_CLOSE, /* go back one level */
    VIEW_OPEN,  /* show *next */
    VIEW_ASK,   /* have a line typed: ops->question, ops->answer */
    VIEW_TRAVEL /* to the moment of ops->destination */
};

struct view;

/* A finding that no look can end, and a person may: names that hold whatever the model does. */
struct belief {
    char cluster[128], election[2048], candidate[512];
};

/* A moment, and the election to show then; path NULL: the present one. Texts are the view's. */
struct destination {
    int64_t at_us; /* wall clock */
    const char *cluster, *path;
};

struct view_ops {
    const char *name; /* "overview": the help's heading */
    void (*draw)(struct view *, const struct scene *,
                 struct cells *); /* between title and footer: all of cells */
    enum view_result (*action)(struct view *, const struct scene *, enum action, struct view **next);
    /* A mouse click (or double click) at a cell of the view's area. May be NULL. */
    enum view_result (*click)(struct view *, const struct scene *, int x, int y, bool twice,
                              struct view **next);
    /* The title line's left part ("prod > /election") of a view that was opened from another; of the first
       view the dashboard itself shows the clusters and their servers there. */
    void (*title)(struct view *, const struct scene *, struct cells *, int x, int room);
    /* The path that y copies, or false. May be NULL. */
    bool (*path)(struct view *, const struct scene *, char *buffer, size_t size);
    /* What c clears, or false: the selected finding goes by itself. NULL: there are no findings here. */
    bool (*belief)(struct view *, const struct scene *, struct belief *);
    /* The finding that Y copies, with its election; NULL: none is selected. NULL: there are no findings here.
     */
    const struct finding *(*finding)(struct view *, const struct scene *, const struct election **);
    void (*filter)(struct view *, const char *text); /* what / typed; "" ends it. NULL: no filter here */
    /* Selects what happened first from that moment on (wall clock), for ":" with a time; false: it is not
       here. NULL: nothing here has a time. */
    bool (*show)(struct view *, const struct scene *, int64_t at_us);
    struct destination (*destination)(const struct view *); /* after VIEW_TRAVEL */
    void (*free)(struct view *);
    /* The prompt in the last line after VIEW_ASK; and the text typed there. */
    void (*question)(const struct view *, char *buffer, size_t size);
    enum view_result (*answer)(struct view *, const struct scene *, const char *text);
    /* The actions that it answers to by itself, ACTION_BIT() each: tui/dashboard/frame.h adds what the
       dashboard does for every view. heeds: does it now? NULL: always. word: for the footer, in place of the
       table's. */
    uint64_t answers;
    uint64_t first; /* those that the footer shows first */
    bool (*heeds)(const struct view *, const struct scene *, enum action);
    const char *(*word)(const struct view *, const struct scene *, enum action);
    enum action opened_by; /* the key that opens it from everywhere else, or ACTION_NONE */
};

/* What moves in a list. */
#define VIEW_MOVES                                                                                           \
    (ACTION_BIT(ACTION_UP) | ACTION_BIT(ACTION_DOWN) | ACTION_BIT(ACTION_PAGE_UP) |                          \
     ACTION_BIT(ACTION_PAGE_DOWN) | ACTION_BIT(ACTION_HALF_UP) | ACTION_BIT(ACTION_HALF_DOWN) |              \
     ACTION_BIT(ACTION_FIRST) | ACTION_BIT(ACTION_LAST))

struct view {
    const struct view_ops *ops;
};

struct view *overview_view_new(void);
/* The same of that view: sort: a word of --sort; columns: those of --columns; NULL: as usual. */
void overview_view_arrange(struct view *, const char *sort, const char *columns);
/* Selects that election: it is selected when one comes back to that view. */
void overview_view_select(struct view *, const struct election *);
/* The columns as --columns takes them, where the user has chosen others since the last call; else false. */
bool overview_view_take_choice(struct view *, char *buffer, size_t size);
struct view *election_view_new(const char *cluster, const char *path);
struct view *candidate_view_new(const char *cluster, const char *path, const char *candidate);
struct view *events_view_new(void);
struct view *findings_view_new(void);
/* Who led it when, and its failovers. */
struct view *history_view_new(const char *cluster, const char *path);
/* Why its leader changed then (wall clock): the story of that failover. */
struct view *story_view_new(const char *cluster, const char *path, int64_t lost_us);
struct view *ensemble_view_new(void);
/* The page of every code, beginning with that of this finding, of which it says how severe it is here; NULL:
   with the first. */
struct view *explanations_view_new(const struct finding *finding);
/* path (full) and name of the election that was selected; NULL: none. A run that goes on, and the report of
   the last one, are shown before the form. */
struct view *inject_view_new(const char *path, const char *name);
/* keys: those that do something on the screen from which help was asked, ACTION_BIT() each. */
struct view *help_view_new(const char *about, uint64_t keys);

#endif

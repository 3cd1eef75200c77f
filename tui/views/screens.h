/*
 * screens.h - every screen: how its view is made. One file a screen.
 */
#ifndef ELECTOP_TUI_VIEWS_SCREENS_H
#define ELECTOP_TUI_VIEWS_SCREENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/views/view.h"

struct snapshot_model; /* probe/history/snapshot.h */

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
/* The story of this failover. */
struct view *story_view_new(const char *cluster, const char *path, const struct failover *failover);
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

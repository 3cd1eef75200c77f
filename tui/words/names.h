/*
 * names.h - names in the columns that there are: the same short form on every screen.
 *
 * Names that are shown together are abbreviated together: what all of them share is dropped, and of each the
 * part is kept in which it differs from the others, so that two names never look the same.
 */
#ifndef ELECTOP_TUI_WORDS_NAMES_H
#define ELECTOP_TUI_WORDS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/cluster.h"
#include "probe/history/name_lookup.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"

/* ---- One name ---- */

/*
 * In at most room columns. Names of a family differ at their end, so a path loses its front
 * ("...team-03/service-web") and any other name its middle ("ill: n...ledged").
 */
char *name_fit(const struct cells *cells, const char *name, int room, char *buffer, size_t size);
/* Writes it so. A text from "? " on says why there is no name, and loses its end. Returns the columns used. */
int name_put(struct cells *cells, int x, int y, int room, style look, const char *name);
/* The same in a table's column; nothing if that was dropped. */
int name_put_in(struct cells *cells, const struct column *column, int y, style look, const char *name);

/*
 * A candidate's name in its usual short form: "n_...42"; if it contains a GUID or a session, the word beside
 * that: "latch-...118". The number is never cut. One without a number is shortened as any other name.
 */
char *name_of_candidate(const struct cells *cells, const char *name, char *buffer, size_t size);
/* Whole in room columns, else so, the word before its number cut as far as need be: "cand...118". */
char *name_fit_candidate(const struct cells *cells, const char *name, int room, char *buffer, size_t size);

/* ---- Names that are shown together ---- */

struct names {
    struct name_lookup places; /* from a name to its place */
    char **all, **shown;       /* shown: in the room of names_fit() */
    size_t count, room_for;
    size_t before, after; /* bytes that all share at their beginning and end, and that are not shown */
    size_t in_heading;    /* of before: what the heading has no room for is in the rows that have */
    /* Set before names_fit(): */
    bool candidates;    /* their numbers stay whole */
    bool keep_shared;   /* no heading has room for their common part */
    int heading_room;   /* columns that the heading has for their common part; 0: as many as it needs */
    bool own_elections; /* candidates, each beside its election: two may have the same number */
    const char *told;   /* before each of them, told by the heading; NULL: nothing */
    /* Of names_fit(): how many may look like another; paths that differ in several components were cut. */
    size_t alike;
    bool by_component;
    /* They are elections: each is distinct from all that are watched, also those that are not shown. */
    const struct model *among;
};

/* Names are copied; the same name twice is one. NULL and a text from "? " on are none. All zero is an empty set. */
void names_add(struct names *names, const char *name);
/* Those of all clusters: they stay the same whichever are shown. */
void names_add_clusters(struct names *names, const struct model *model);
/* Shortens them to this many columns. May be repeated with another number. */
void names_fit(struct names *names, const struct cells *cells, int room);
/* The same to a column, whose heading shows their common part; less: columns of it that they may not use. */
void names_fit_column(struct names *names, const struct cells *cells, const struct column *column, int less);
/* The columns of the widest as they are shown. */
int names_width(const struct names *names, const struct cells *cells);
/* A name as it is shown among the others. One that was not added is returned as it is, as without a set. */
const char *names_shown(const struct names *names, const char *name);
/* Their common part, which they no longer show, for a heading: "payments-7d9f8b6c54-..."; "": none. */
char *names_shared(const struct names *names, const struct cells *cells, char *buffer, size_t size);
void names_free(struct names *names);

/* Writes a name of the set into the column that it was fitted to; nothing if that was dropped. */
int names_put(struct cells *cells, const struct names *names, const struct column *column, int y, style look,
              const char *name);
/* "from -> to", each in half of the room or in what the other leaves; returns the columns used. names: those that
 * they are shown with, fitted to the room of one; NULL: none but these two. */
int names_put_pair(struct cells *cells, const struct names *names, int x, int y, int room, const char *from,
                   const char *to);
/* Writes their common part after the column's heading. */
void names_put_shared(struct cells *cells, const struct names *names, const struct column *column, int y);

#endif

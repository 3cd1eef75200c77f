/*
 * finding_lines.h - findings in signs, words and lines, the same on every screen.
 */
#ifndef ELECTOP_TUI_WORDS_FINDING_LINES_H
#define ELECTOP_TUI_WORDS_FINDING_LINES_H

#include "tui/words/labels.h"

enum sign severity_sign(enum severity severity);
style severity_look(enum severity severity);

/* How many findings there are of each severity. */
struct finding_counts {
    size_t of[SEVERITY_CRITICAL + 1];
    size_t muted; /* counted in none of them */
};
void finding_counts_add(struct finding_counts *counts, const struct election *election, struct moment now);

/* "findings  x 1 critical  ! 2 warnings  . 3 notes", or that there is none. label: columns of the first word,
   at least. current: there are none indeed; else none is known. Returns the columns used. */
int finding_counts_put(struct cells *cells, int x, int y, int label, const struct finding_counts *counts,
                       bool current);

/* The worst finding of an election in a few columns, its count, and whether it is only suspected; a dash if
 * there is none. Returns the columns used. */
int finding_put_worst(struct cells *cells, int x, int y, int room, const struct election *election,
                      struct moment now);
/* The columns that this would take; whole false: that its code needs to be shown in full. */
int finding_worst_width(const struct cells *cells, const struct election *election, struct moment now,
                        bool whole);

/* The evidence with its times in local time; "": there is none. */
#define FINDING_EVIDENCE 2048
char *finding_evidence(const struct finding *finding, char *buffer, size_t size);

/* "certain", "suspected", "unconfirmed for 12s". */
char *finding_certainty(const struct finding *finding, struct moment now, char *buffer, size_t size);

/* The state of an election, with the sign and the colour of the worst of its state, its findings and its next
 * failover. The word is that of the state. */
struct badge finding_badge(const struct election *election, struct moment now);

/* The worst finding that names this candidate; NULL: none. */
const struct finding *finding_of(const struct election *election, const char *candidate);

/* A finding as text for a ticket: time, place, meaning, evidence and advice, a line each; malloc'd. Untrusted
 * texts are unchanged. */
char *finding_ticket(const struct settings *settings, const struct election *election,
                     const struct finding *finding, struct moment now);

/* The number of lines of a pane with all of them, including a rule; 0: there are none. only: those that name
 * this candidate; NULL: all. */
int finding_pane_rows(const struct cells *cells, const struct election *election, const char *only);
/* With one line for each note, as it is drawn in fewer rows. */
int finding_pane_brief_rows(const struct cells *cells, const struct election *election, const char *only);
/* Its rows where so many more are empty: as many as its texts need that have three lines each without them. */
int finding_pane_grow(const struct cells *cells, const struct election *election, const char *only, int rows,
                      int spare);
/* Draws it on rows y .. y + rows. */
void finding_pane_draw(struct cells *cells, int y, int rows, struct moment now,
                       const struct election *election, const char *only);

#endif

/*
 * line_filter.h - the candidates that a filter lets through, as places in the line.
 *
 * Ten thousand names are searched once for each change of the model or the filter, never for a frame.
 */
#ifndef ELECTOP_TUI_VIEWS_LINE_FILTER_H
#define ELECTOP_TUI_VIEWS_LINE_FILTER_H

#include "tui/views/view.h"

struct line_filter {
    char text[128]; /* "": everything passes, and nothing is searched */
    size_t *places; /* ascending */
    size_t count, room;

    const struct model *model;
    uint64_t generation;
    bool made;
};

void line_filter_set(struct line_filter *, const char *text);

/* Brings it up to date; returns how many pass. */
size_t line_filter_make(struct line_filter *, const struct scene *, const struct election *);

/* The place in line of the i-th that passes; and the other way: its i, or the count where it does not. */
size_t line_filter_place(const struct line_filter *, size_t i);
size_t line_filter_index(const struct line_filter *, const struct election *, size_t place);

void line_filter_release(struct line_filter *);

#endif

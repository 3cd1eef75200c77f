/*
 * candidate_filter.h - the candidates that a filter lets through, as places in the line.
 *
 * Ten thousand names are searched once for each change of the model or the filter, never for a frame.
 */
#ifndef ELECTOP_TUI_VIEWS_CANDIDATE_FILTER_H
#define ELECTOP_TUI_VIEWS_CANDIDATE_FILTER_H

#include "tui/views/view.h"

struct candidate_filter {
    char text[128]; /* "": everything passes, and nothing is searched */
    size_t *places; /* ascending */
    size_t count, room;

    const struct model *model;
    uint64_t generation;
    bool made;
};

void candidate_filter_set(struct candidate_filter *filter, const char *text);

/* Brings it up to date; returns how many pass. */
size_t candidate_filter_make(struct candidate_filter *filter, const struct scene *scene,
                             const struct election *election);

/* The place in line of the i-th that passes; and the other way: its i, or the count where it does not. */
size_t candidate_filter_place(const struct candidate_filter *filter, size_t i);
size_t candidate_filter_index(const struct candidate_filter *filter, const struct election *election,
                              size_t place);

void candidate_filter_release(struct candidate_filter *filter);

#endif

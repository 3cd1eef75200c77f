#include "tui/views/candidate_filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/election/election.h"
#include "tui/words/labels.h"

void candidate_filter_set(struct candidate_filter *filter, const char *text)
{
    snprintf(filter->text, sizeof filter->text, "%s", text);
    filter->made = false;
}

size_t candidate_filter_make(struct candidate_filter *filter, const struct scene *scene,
                             const struct election *election)
{
    if (filter->text[0] == '\0')
        return election->candidate_count;
    if (filter->made && filter->model == scene->model && filter->generation == scene->model->generation)
        return filter->count;
    filter->made = true;
    filter->model = scene->model;
    filter->generation = scene->model->generation;
    filter->count = 0;
    if (filter->room < election->candidate_count) {
        size_t *places = xreallocarray(filter->places, election->candidate_count, sizeof *places);

        filter->places = places;
        filter->room = election->candidate_count;
    }
    for (size_t i = 0; i < election->candidate_count; i++)
        if (label_candidate_match(election->candidates[i], filter->text))
            filter->places[filter->count++] = i;
    return filter->count;
}

size_t candidate_filter_place(const struct candidate_filter *filter, size_t i)
{
    return filter->text[0] == '\0' ? i : filter->places[i];
}

size_t candidate_filter_index(const struct candidate_filter *filter, const struct election *election,
                              size_t place)
{
    size_t low = 0, high = filter->count;

    if (filter->text[0] == '\0')
        return place < election->candidate_count ? place : election->candidate_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (filter->places[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < filter->count && filter->places[low] == place ? low : filter->count;
}

void candidate_filter_release(struct candidate_filter *filter)
{
    free(filter->places);
    *filter = (struct candidate_filter){0};
}

/*
 * nearest.h - the known word that is nearest to a misspelt one.
 */
#ifndef ELECTOP_CONFIG_NEAREST_H
#define ELECTOP_CONFIG_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *best; /* NULL: nothing is near enough */
    size_t distance;
};

/*
 * Offers one candidate for word; start from {0}. Kept is the one with the fewest insertions, deletions,
 * replacements and swaps of neighbours, if they are at most a third of the word's length (at least one),
 * or if the word is a beginning of it of three letters or more.
 */
void nearest_offer(struct nearest *, const char *word, const char *candidate);

#endif

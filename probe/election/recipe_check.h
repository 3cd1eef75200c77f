/*
 * recipe_check.h - what the configuration says of recipes, checked against the recipes that there are.
 *
 * The configuration cannot know the built-in names: this is the part of its checks that needs the book.
 */
#ifndef ELECTOP_PROBE_ELECTION_RECIPE_CHECK_H
#define ELECTOP_PROBE_ELECTION_RECIPE_CHECK_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/recipe.h"

/*
 * Are all recipes of the user's own usable, and is every recipe that an election names known? False with
 * all that is wrong in *error, a line each ("what; what to do", caller frees; NULL: out of memory).
 */
bool recipes_check(const struct settings *, char **error);

/* All recipes that the settings speak of: built in, the user's own, and patterns that elections name in place
   of a recipe. NULL and *error as above. */
struct recipe_book *recipes_of(const struct settings *, char **error);

#endif

/*
 * recipe_check.h - between the configuration, which names recipes, and the recipes that there are.
 */
#ifndef ELECTOP_PROBE_ELECTION_RECIPE_CHECK_H
#define ELECTOP_PROBE_ELECTION_RECIPE_CHECK_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/recipe.h"

/* The names of the built-in ones, for the configuration's own checks: NULL-terminated, and the array (not
   its strings) the caller's to free. NULL: out of memory. */
const char **recipes_names(void);

/* Can all recipes of the user be compiled? False with the error in *error ("error; remedy",
   caller frees; NULL: out of memory). */
bool recipes_check(const struct settings *, char **error);

/* All recipes that the settings speak of: built in, the user's own, and patterns that elections name in place
   of a recipe. NULL and *error as above. */
struct recipe_book *recipes_of(const struct settings *, char **error);

#endif

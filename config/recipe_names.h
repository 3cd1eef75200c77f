/*
 * recipe_names.h - do the recipes of a configuration exist, and are those of its own whole?
 *
 * For a file as a whole, once it has been read: an election may name a recipe that stands further down. The
 * built-in ones are probe/'s, so their names are handed in.
 */
#ifndef ELECTOP_CONFIG_RECIPE_NAMES_H
#define ELECTOP_CONFIG_RECIPE_NAMES_H

#include "config/problems.h"
#include "config/yaml.h"

/* Adds what is wrong, with its place. known: NULL-terminated; NULL: whatever is named is taken. */
void recipe_names_check(const struct yaml_node *root, const char *const *known, struct problems *);

/* A pattern stands in place of a name: "^member-(\\d{10})$". */
bool recipe_is_pattern(const char *recipe);

#endif

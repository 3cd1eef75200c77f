/*
 * recipe_names.h - checks that the recipes of a configuration exist, and that its own recipes are complete.
 *
 * This needs the whole file, because an election may name a recipe that follows it. The built-in recipes
 * belong to probe/, so the caller passes their names.
 */
#ifndef ELECTOP_CONFIG_RECIPE_NAMES_H
#define ELECTOP_CONFIG_RECIPE_NAMES_H

#include "config/yaml.h"

/* Adds each error with its place. known: NULL-terminated; NULL: every name is accepted. */
void recipe_names_check(const struct yaml_node *root, const char *const *known, struct problems *problems);

/* A pattern in place of a name: "^member-(\\d{10})$". */
bool recipe_is_pattern(const char *recipe);

#endif

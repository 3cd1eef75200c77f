/*
 * key_rules.h - the rules for keys of the dashboard that a configuration changes: each names an action and keys
 * that exist, and no key does two things.
 */
#ifndef ELECTOP_CONFIG_KEY_RULES_H
#define ELECTOP_CONFIG_KEY_RULES_H

#include "config/settings.h"

/* Checks keys and actions; known->actions must be there. Adds each error with its place. */
void key_rules_check(const struct yaml_node *root, const struct known_words *known,
                     struct problems *problems);

#endif

/*
 * alert_rules.h - checks the alerts of a configuration before the first of them is needed: their conditions,
 * placeholders, programs and secrets. Each error has its place in the file.
 *
 * Findings, events and facts belong to probe/, so the caller passes their words.
 */
#ifndef ELECTOP_CONFIG_ALERT_RULES_H
#define ELECTOP_CONFIG_ALERT_RULES_H

#include "config/settings.h"
#include "config/yaml.h"

/* Adds each error. root: the whole configuration; file: relative names are resolved beside it. */
void alert_rules_check(const struct yaml_node *root, const struct known_words *known, const char *file,
                       struct problems *problems);

/* Its token crosses a network as plain text: it is posted to http://, and not to this machine. */
bool alert_rules_expose(const struct alert_settings *rule);

/* Refuses words between braces that are misspelt: none of facts. */
void alert_rules_placeholders(const struct yaml_node *argument, const char *const *facts,
                              struct problems *problems);

#endif

/*
 * yaml.h - a YAML text as a small tree with places, bounded in every direction. Only yaml.c knows libyaml.
 *
 * (libyaml itself exports yaml_free() and its like, hence the names.)
 *
 * Features that a configuration does not need are refused, with their place: aliases and anchors (a few lines
 * of them can expand to gigabytes), tags, several documents, keys that are not text, duplicate keys.
 */
#ifndef ELECTOP_CONFIG_YAML_H
#define ELECTOP_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "config/problems.h"

#define YAML_DEPTH_MAX 16
#define YAML_NODES_MAX 200000
#define YAML_KEYS_MAX 200 /* in one mapping */

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct yaml_node {
    enum node_kind kind;
    size_t line, column;     /* from 1; 0: not from a file */
    char *text;              /* NODE_TEXT: UTF-8 without NUL; else NULL */
    bool plain;              /* NODE_TEXT: written without quotes */
    struct yaml_node *items; /* NODE_LIST: its items; NODE_MAP: key, value, key, value ... */
    size_t count;            /* of items */
};

/*
 * Parses bytes (which must be UTF-8). Errors are added to problems. A refused feature (an alias, a duplicate
 * key) still leaves a tree, so that the rest can be checked as well. NULL: an empty document, or one that
 * cannot be read to its end. Free with yaml_tree_free().
 */
struct yaml_node *yaml_tree_parse(const char *bytes, size_t length, struct problems *);
void yaml_tree_free(struct yaml_node *);

/* The value of a key in a mapping, or NULL. */
const struct yaml_node *yaml_node_value(const struct yaml_node *map, const char *key);

/* Nothing was written: an empty plain value, ~ or null. */
bool yaml_node_is_null(const struct yaml_node *);

/* "a text", "a list", "a mapping": for messages. */
const char *yaml_node_word(const struct yaml_node *);

#endif

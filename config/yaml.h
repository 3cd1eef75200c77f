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

/*
 * Everything that is wrong with one file, collected, so that a person mends it in one go.
 *
 * One line a problem, in the file's order: "file:line:column: what; what to do". After PROBLEMS_MAX the
 * rest is only said to exist. Start from {0}, and a file.
 */

#define PROBLEMS_MAX 50

struct problem {
    size_t line, column; /* 0: the whole file's */
    char *what;
};

struct problems {
    const char *file; /* in front of every line; borrowed; NULL: nothing in front */
    struct problem list[PROBLEMS_MAX];
    size_t count; /* may pass PROBLEMS_MAX */
};

/* Lines and columns count from 1; line 0: the problem is the whole file's. */
void problems_add(struct problems *problems, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* No use in looking further. */
bool problems_full(const struct problems *problems);

/* The lines, malloc'd and without a newline at the end. Empties the collection. */
char *problems_take(struct problems *problems);
void problems_free(struct problems *problems);

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
struct yaml_node *yaml_tree_parse(const char *bytes, size_t length, struct problems *problems);
void yaml_tree_free(struct yaml_node *root);

/* The value of a key in a mapping, or NULL. */
const struct yaml_node *yaml_node_value(const struct yaml_node *map, const char *key);

/* Nothing was written: an empty plain value, ~ or null. */
bool yaml_node_is_null(const struct yaml_node *node);

/* "a text", "a list", "a mapping": for messages. */
const char *yaml_node_word(const struct yaml_node *node);

/* KEY: "its text" WHAT; the kind in place of the text, of a list or a mapping. */
void problems_refuse(struct problems *problems, const struct yaml_node *node, const char *key,
                     const char *what);

#endif

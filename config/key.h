/*
 * key.h - one key of the configuration: its kind of value, its field, and its path.
 *
 * Paths: "screen.theme"; "clusters[]" is a list of mappings and "clusters[].name" a key of each of them.
 * A key's scope is its path up to its last "[]" ("" for the whole file): it names the struct that contains
 * the field, and offset is counted in it.
 */
#ifndef ELECTOP_CONFIG_KEY_H
#define ELECTOP_CONFIG_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/text.h"
#include "config/yaml.h"

struct key;

/* The place that a value is read from. */
struct key_reading {
    struct problems *problems;
    const char *file; /* relative paths are resolved beside it; NULL: from the command line */
};

/* How a number is written, and the field that holds it. */
struct number_form {
    const char *(*parse)(const char *text, int64_t *number); /* NULL, or the problem */
    char *(*print)(int64_t number, char *buffer, size_t size);
    bool is_wide; /* int64_t; else int */
};

/* The type of a key's value: how it is read, printed and released. */
struct key_type {
    const char *expects; /* "a duration such as 10s": for help and for an error message */
    /* Checks the node and writes the field (releasing its old value), or reports the error. */
    void (*read)(const struct key *, const struct yaml_node *, void *field, struct key_reading *);
    /* Writes the value as YAML; nothing where it is not set. */
    void (*print)(const struct key *, const void *field, struct text *);
    void (*clear)(void *field);       /* NULL: owns nothing */
    const struct number_form *number; /* NULL: it is none */
};

enum {
    KEY_REQUIRED = 1,  /* required */
    KEY_UNIQUE = 2,    /* no two items of a list may have the same */
    KEY_NAMES = 4,     /* needed in a list of several items, to tell them apart */
    KEY_TELLS = 16,    /* a section: its field is a bool that is true if the section is written */
    KEY_OPTIONAL = 32, /* a section that is printed only if it is written */
};

struct key {
    const char *path;
    const struct key_type *type; /* NULL: a mapping, or a list of mappings ("...[]") */
    const char *fallback;        /* the default, as a user would write it; NULL: not set */
    size_t offset;
    int64_t minimum, maximum; /* of numbers and times; of a list: the most items (maximum) */
    const char *const *words; /* of a choice, NULL-terminated, in the order of its enum */
    unsigned flags;
    const char *help;               /* one line */
    size_t item_size, count_offset; /* of a list of mappings */
};

#define KEY_PATH_MAX 96

/* Its last component, without "[]"; in buffer, which is returned. */
const char *key_word(const struct key *key, char *buffer, size_t size);
bool key_is_list(const struct key *key);                      /* of mappings */
bool key_is_child(const struct key *key, const char *parent); /* directly below; parent "" is the top */
bool key_is_in_scope(const struct key *key, const char *scope);
/* The path says so; with and without the "[]" of a list. */
bool key_is_at(const struct key *key, const char *path);

/* The kinds of values of one field. */
extern const struct key_type type_text, type_choice, type_word, type_switch, type_tri_state, type_integer,
    type_duration, type_interval, type_percent, type_rate, type_path, type_pattern, type_connect_string,
    type_file, type_history, type_identity, type_size;

/* Patterns of names, compiled while they are read, so that an error is reported with its place in the file.
 */
extern const struct key_type type_expression, type_recipe;

/* Lists, and values of more than one field. */
/* A text as YAML, quoted where it needs it (in a list in brackets, commas do). */
void key_print_text(const char *value, bool in_list, struct text *out);

extern const struct key_type type_path_list, type_command, type_conditions, type_addresses, type_admin,
    type_count_in, type_timeouts, type_key_map;

#endif

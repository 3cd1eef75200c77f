/*
 * option_table.h - the one table of commands and options, for options_parse.c and options_help.c.
 */
#ifndef ELECTOP_CONFIG_OPTION_TABLE_H
#define ELECTOP_CONFIG_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/options.h"

#define COMMAND_BIT(command) (1u << (command))

/* How a value is stored. */
enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_WORD,     /* const char *, one of the words */
    OPTION_CHOICE,   /* an enum: the index of the word */
    OPTION_DURATION, /* int64_t */
    OPTION_NUMBER,   /* long */
    OPTION_OWN,      /* by its check */
    OPTION_ENDS      /* not at all: it ends the reading of the command line */
};

struct option_row {
    const char *name;     /* "server": --server */
    char letter;          /* 's': -s; 0: none */
    const char *argument; /* "HOSTS"; NULL: it is a flag */
    unsigned commands;    /* COMMAND_BIT() of each that takes it */
    enum option_kind kind;
    size_t offset;       /* of its member in struct options */
    const char *key;     /* path of the key with the same meaning, whose bounds, words and default hold */
    int64_t least, most; /* of numbers and durations (ms) */
    const char *const *words; /* the allowed ones, NULL-terminated */
    const char *empty;        /* of a text: the remedy for an empty one; NULL: it may be empty */
    /* After the value is stored, or in place of that; NULL: none. It returns NULL, or a static text: the
     * error; the remedy. */
    const char *(*check)(struct options *, const char *value);
    const char *help; /* @: the default of its key */
};

struct command_row {
    enum command command;
    const char *word;
    const char *arguments; /* "[PATH...]", "[FILE]", or "" */
    const char *help;      /* one line */
    const char *more;      /* a paragraph for its own help, or NULL */
};

#define OPTIONS_MOST 96 /* rows */
extern const struct option_row option_table[];
extern const size_t option_count;
extern const struct command_row command_table[];
extern const size_t command_count;

extern const char *const option_sort_words[];   /* in the order of enum overview_sort */
extern const char *const option_column_words[]; /* in the order of the overview's columns */

/* Stores a value (flags: NULL). NULL on success, else malloc'd: the error; the remedy. */
char *option_set(const struct option_row *row, struct options *options, const char *value);
/* Of the row or its key; NULL: any text. */
const char *const *option_words(const struct option_row *row);
/* One line, with the default; malloc'd. */
char *option_help(const struct option_row *row);

/* Which option a letter means for that command; NULL: none. (-c is --critical for check, else --config.) */
const struct option_row *option_of_letter(char letter, enum command command);

/* Its word is a recording and not an election's path, and it asks no cluster anything. */
bool command_on_recording(enum command command);

#endif

/*
 * option_table.h - the one table of commands and options, for options_parse.c and options_help.c.
 */
#ifndef ELECTOP_CONFIG_OPTION_TABLE_H
#define ELECTOP_CONFIG_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/options.h"

#define COMMAND_BIT(command) (1u << (command))

struct option_row {
    const char *name;     /* "server": --server */
    char letter;          /* 's': -s; 0: none */
    const char *argument; /* "HOSTS"; NULL: it is a flag */
    unsigned commands;    /* COMMAND_BIT() of each that takes it */
    /* Stores the value (flags: NULL). NULL on success, else a static text: the error; the remedy. */
    const char *(*set)(struct options *, const char *value);
    const char *help;
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

/* Which option a letter means for that command; NULL: none. (-c is --critical for check, else --config.) */
const struct option_row *option_of_letter(char letter, enum command command);

/* Its word is a recording and not an election's path, and it asks no cluster anything. */
bool command_on_recording(enum command command);

#endif

#include "config/options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/removed_words.h"
#include "config/option_table.h"
#include "config/text.h"
#include "config/times.h"
#include "config/units.h"
#include "config/znode_path.h"

/* What getopt_long() returns: one of these, a letter, or LONG_CODE and a row of the table. */
#define WORD_CODE 1 /* no option: words come in their place, as the letters begin with '-' */
#define LONG_CODE 256

struct parse {
    int argc;
    char *const *argv;
    int at; /* the argument that is being read */
    struct option names[OPTIONS_MOST + 1];
    char letters[2 * OPTIONS_MOST + 3];
    struct options *options;
    bool command_named;
    bool given[OPTIONS_MOST]; /* by row of the table */
    char **error;
};

static bool options_parse_refuse(struct parse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool options_parse_refuse(struct parse *parse, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    *parse->error = text_take(&text);
    return false;
}

/* As options_parse_refuse(), with a foreign word quoted between two texts. */
static bool refuse_word(struct parse *parse, const char *before, const char *word, const char *after)
{
    struct text text = {0};
    text_add(&text, before);
    text_quote(&text, word, strlen(word));
    text_add(&text, after);
    *parse->error = text_take(&text);
    return false;
}

static const struct command_row *find_command(const char *word)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(command_table[i].word, word) == 0)
            return &command_table[i];
    return NULL;
}

const char *command_word(enum command command)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_table[i].command == command)
            return command_table[i].word;
    return "electop";
}

/* The error for a server in place of a command or a path. */
#define SERVER_HINT "-s names a server: electop -s HOST:PORT [PATH...]"

static bool refuse_command(struct parse *parse, const char *word)
{
    struct nearest nearest = {0};
    struct text text = {0};
    for (size_t i = 0; i < command_count; i++)
        nearest_offer(&nearest, word, command_table[i].word);
    text_add(&text, "unknown command ");
    text_quote(&text, word, strlen(word));
    if (strchr(word, ':')) {
        text_add(&text, "; " SERVER_HINT);
    } else if (nearest.best) {
        text_printf(&text, "; did you mean %s?", nearest.best);
    } else {
        text_add(&text, "; the commands are ");
        for (size_t i = 0; i < command_count; i++)
            text_printf(&text, "%s%s", i ? ", " : "", command_table[i].word);
        text_add(&text, ", and a path begins with a slash");
    }
    *parse->error = text_take(&text);
    return false;
}

/* The row of "--name" (length bytes of name), or NULL. */
static const struct option_row *find_long(const char *name, size_t length)
{
    for (size_t i = 0; i < option_count; i++)
        if (strlen(option_table[i].name) == length && strncmp(option_table[i].name, name, length) == 0)
            return &option_table[i];
    return NULL;
}

/* The letters depend on the command. */
static void begin_reading(struct parse *parse, enum command command)
{
    char *letter = parse->letters;
    *letter++ = '-';
    *letter++ = ':';
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        parse->names[i] = (struct option){.name = row->name,
                                          .has_arg = row->argument ? required_argument : no_argument,
                                          .val = LONG_CODE + (int)i};
        if (!row->letter || option_of_letter(row->letter, command) != row)
            continue;
        *letter++ = row->letter;
        if (row->argument)
            *letter++ = ':';
    }
    *letter = '\0';
    parse->names[option_count] = (struct option){0};
    optind = 0; /* from the beginning */
    opterr = 0;
}

static int options_parse_read_next(struct parse *parse)
{
    parse->at = optind > 0 ? optind : 1;
    return getopt_long(parse->argc, parse->argv, parse->letters, parse->names, NULL);
}

/*
 * Finds the command first, so that an option before it is checked against it. *word gets the index of the
 * argument that names it, or 0.
 */
static bool choose_command(struct parse *parse, int *word)
{
    *word = 0;
    begin_reading(parse, COMMAND_WATCH);
    for (int code; (code = options_parse_read_next(parse)) != -1;) {
        if (code == '?')
            return true; /* read_arguments() refuses it */
        if (code != WORD_CODE)
            continue;
        if (optarg[0] == '/')
            return true;
        const struct command_row *row = find_command(optarg);
        if (!row)
            return refuse_command(parse, optarg);
        parse->options->command = row->command;
        parse->command_named = true;
        *word = parse->at;
        return true;
    }
    return true;
}

static void list_commands(struct text *text, unsigned commands)
{
    const char *separator = "";
    for (size_t i = 0; i < command_count; i++) {
        if (!(commands & COMMAND_BIT(command_table[i].command)))
            continue;
        text_printf(text, "%selectop %s", separator, command_table[i].word);
        separator = ", ";
    }
}

static bool refuse_foreign(struct parse *parse, const struct option_row *row)
{
    struct text text = {0};
    text_printf(&text, "electop %s has no option --%s; it belongs to ", command_word(parse->options->command),
                row->name);
    list_commands(&text, row->commands);
    *parse->error = text_take(&text);
    return false;
}

static bool refuse_unknown(struct parse *parse, const char *argument)
{
    struct nearest nearest = {0};
    struct text text = {0};
    size_t length = strcspn(argument, "=");
    char *name = length > 2 ? xstrndup(argument + 2, length - 2) : NULL;
    /* Those of this command first, then those of others. */
    unsigned here = COMMAND_BIT(parse->options->command);
    for (int other = 0; other < 2 && !nearest.best; other++)
        for (size_t i = 0; name && i < option_count; i++)
            if (other || (option_table[i].commands & here))
                nearest_offer(&nearest, name, option_table[i].name);
    const char *instead = name ? removed_words_instead(name) : NULL;
    free(name);
    const struct option_row *row = nearest.best ? find_long(nearest.best, strlen(nearest.best)) : NULL;
    text_add(&text, "unknown option ");
    text_quote(&text, argument, length);
    if (instead) {
        text_printf(&text, ", which is gone; %s", instead);
    } else if (row) {
        text_printf(&text, "; did you mean --%s", row->name);
        if (!(row->commands & here)) {
            text_add(&text, " of ");
            list_commands(&text, row->commands);
        }
        text_add(&text, "?");
    } else {
        text_printf(&text, "; electop %s --help lists the options", command_word(parse->options->command));
    }
    *parse->error = text_take(&text);
    return false;
}

/* What cannot be judged by a static text: connect strings and addresses. NULL: fine; else malloc'd. */
static char *check_hosts(const struct option_row *row, const char *value)
{
    char *error = NULL;
    if (strcmp(row->name, "server") == 0) {
        struct connect_string string;
        if (connect_string_parse(value, &string, &error))
            connect_string_free(&string);
    } else if (strcmp(row->name, "admin") == 0 && strcmp(value, "off") != 0) {
        int port;
        if (!strchr(value, ':')) {
            if (port_parse(value, &port))
                error = xstrdup("is neither a port, nor host:port,..., nor off; ports are 1 to 65535");
        } else {
            host_list_free(host_list_parse(value, &error));
        }
    }
    return error;
}

static bool take_repeats(const struct option_row *row)
{
    static const char *const names[] = {"expect", "warning", "critical", "capture", "client-log", "replay"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(row->name, names[i]) == 0;
    return found;
}

static bool options_parse_take_option(struct parse *parse, const struct option_row *row, const char *value)
{
    bool *given = &parse->given[row - option_table];
    if (!(row->commands & COMMAND_BIT(parse->options->command)))
        return refuse_foreign(parse, row);
    if (*given && row->argument && !take_repeats(row))
        return options_parse_refuse(parse, "--%s is given twice; give it once", row->name);
    *given = true;
    char *error = row->argument ? check_hosts(row, value) : NULL;
    bool quotes_itself = error && error[0] == '"', of_a_part = error && strncmp(error, "the ", 4) == 0;
    if (!error)
        error = option_set(row, parse->options, value);
    if (!error)
        return true;
    char *option = text_format("%s--%s%s", of_a_part ? "in " : "", row->name, quotes_itself ? ": " : " ");
    char *after = text_format("%s %s", of_a_part ? "," : "", error);
    if (quotes_itself)
        options_parse_refuse(parse, "%s%s", option, error);
    else
        refuse_word(parse, option, value, after);
    free(option);
    free(after);
    free(error);
    return false;
}

/* --help and --version: nothing behind them matters. */
static bool ends_parsing(struct parse *parse, const struct option_row *row)
{
    struct options *options = parse->options;
    if (row->letter == 'h') {
        options->about = parse->command_named ? options->command : COMMAND_HELP;
        options->command = COMMAND_HELP;
        return true;
    }
    if (row->letter == 'V') {
        options->command = COMMAND_VERSION;
        return true;
    }
    return false;
}

/* Option names cannot be abbreviated: a later option could change the meaning of an abbreviation. */
static bool read_option(struct parse *parse, int code, bool *ended)
{
    const char *argument = parse->argv[parse->at];
    int option = code == '?' || code == ':' ? optopt : code;
    const struct option_row *row = option >= LONG_CODE
                                       ? &option_table[option - LONG_CODE]
                                       : option_of_letter((char)option, parse->options->command);
    if (!row || (option >= LONG_CODE && strcspn(argument + 2, "=") != strlen(row->name)))
        return refuse_unknown(parse, argument);
    if (code == '?')
        return options_parse_refuse(parse, "--%s takes no value; write it alone", row->name);
    if (code == ':')
        return options_parse_refuse(parse, "--%s needs a value; write --%s %s", row->name, row->name,
                                    row->argument);
    *ended = ends_parsing(parse, row);
    return *ended || options_parse_take_option(parse, row, optarg);
}

/* An election and a moment, in any order: an argument that is neither a path nor a time is a name. */
static bool read_why(struct parse *parse, char *word)
{
    struct options *options = parse->options;
    int64_t at_us;
    bool time = strcmp(word, "last") == 0 || (*word != '/' && !time_parse(word, 0, &at_us));
    if (time && !options->when)
        options->when = word;
    else if (!time && !options->election && *word)
        options->election = word;
    else
        return refuse_word(parse, "", word,
                           time ? " is a second time; name one" : " is a second election; name one");
    return true;
}

static bool options_parse_read_word(struct parse *parse, char *word)
{
    struct options *options = parse->options;
    if (options->command == COMMAND_HELP) {
        const struct command_row *row = find_command(word);
        if (!row)
            return refuse_command(parse, word);
        options->about = row->command;
        return true;
    }
    if (options->command == COMMAND_VERSION) {
        char after[80];
        snprintf(after, sizeof after, " is one argument too many; electop %s takes options only",
                 command_word(options->command));
        return refuse_word(parse, "", word, after);
    }
    if (options->command == COMMAND_WHY)
        return read_why(parse, word);
    if (options->command == COMMAND_COMPLETION) {
        static const char *const known[] = {"bash", "zsh", "fish", "paths", "clusters", "figures"};
        for (size_t i = 0; i < sizeof known / sizeof *known && !options->completion; i++)
            if (strcmp(word, known[i]) == 0) {
                options->completion = known[i];
                return true;
            }
        return refuse_word(parse, "", word, " is not a shell; name one of bash, zsh and fish");
    }
    if (command_on_recording(options->command)) {
        if (options->recording)
            return refuse_word(parse, "", word, " is a second file; name one recording");
        options->recording = word;
        return *word ||
               options_parse_refuse(
                   parse, "the file has no name; name a recording, or leave it out for the usual one");
    }
    const char *problem = options->command == COMMAND_AUTOPSY ? NULL : znode_path_problem(word);
    if (!problem && options->command == COMMAND_DISCOVER && znode_is_pattern(word))
        problem = "is a pattern; name a path where the search begins";
    if (problem) {
        char after[200];
        snprintf(after, sizeof after, " %s%s", problem,
                 *word != '/' && strchr(word, ':') ? "; " SERVER_HINT : "");
        return refuse_word(parse, "the path ", word, after);
    }
    char **paths = xreallocarray(options->paths, options->path_count + 2, sizeof *paths);
    options->paths = paths;
    options->paths[options->path_count++] = word;
    options->paths[options->path_count] = NULL;
    return true;
}

static bool read_arguments(struct parse *parse, int command_at)
{
    bool fine = true, ended = false;
    begin_reading(parse, parse->options->command);
    for (int code; fine && !ended && (code = options_parse_read_next(parse)) != -1;)
        if (code != WORD_CODE)
            fine = read_option(parse, code, &ended);
        else if (parse->at != command_at)
            fine = options_parse_read_word(parse, parse->argv[parse->at]);
    /* Behind "--" there are words alone. */
    for (int i = optind; fine && !ended && i < parse->argc; i++)
        fine = options_parse_read_word(parse, parse->argv[i]);
    return fine;
}

bool options_beside(const struct options *options)
{
    bool live = options->command == COMMAND_WATCH || options->command == COMMAND_ONCE ||
                options->command == COMMAND_EVENTS || options->command == COMMAND_RECORD;
    return live && options->capture_count > 0 && (options->server || options->cluster);
}

static bool was_given(const struct parse *parse, const char *name)
{
    return parse->given[find_long(name, strlen(name)) - option_table];
}

/* A recording has no cluster that could be asked, and a cluster no past. */
static bool check_replay(struct parse *parse)
{
    const bool captured = parse->options->capture_count > 0 && !options_beside(parse->options);
    static const char *const of_clusters[] = {
        "server",       "cluster", "session-timeout", "auth-file", "admin", "four-letter",
        "transactions", "wait",    "quick",           "watch",     "for",   "observe"};
    static const char *const of_recordings[] = {"at", "from", "to"};
    const struct options *options = parse->options;
    if (options->capture_count > 0 && (options->replay || options->recording))
        return options_parse_refuse(parse, "--capture and a recording are two sources; name one");
    if (options->capture_count > 0 && options->follow && options->path_count > 0)
        return options_parse_refuse(parse, "--follow follows logs or captures; name one of them");
    if (options->command != COMMAND_ONCE && options->command != COMMAND_EVENTS &&
        options->command != COMMAND_WATCH && options->command != COMMAND_CONFIG &&
        !(captured && options->command == COMMAND_RECORD))
        return true;
    if (options->replay && options->command == COMMAND_WATCH && options->path_count > 0)
        return options_parse_refuse(parse, "watch --replay shows all elections; leave the path out");
    if (!options->replay && !captured) {
        for (size_t i = 0; i < sizeof of_recordings / sizeof *of_recordings; i++)
            if (was_given(parse, of_recordings[i]))
                return options_parse_refuse(parse,
                                            "--%s is a time in a recording; name the recording with "
                                            "--replay FILE",
                                            of_recordings[i]);
        return true;
    }
    for (size_t i = 0; i < sizeof of_clusters / sizeof *of_clusters; i++)
        if (was_given(parse, of_clusters[i]) &&
            !(captured && strcmp(of_clusters[i], "observe") == 0)) /* packets make a case, too */
            return options_parse_refuse(parse, "--%s has no meaning with --%s, which uses no cluster; %s",
                                        of_clusters[i], captured ? "capture" : "replay",
                                        captured ? "name one with --server, or leave it out"
                                                 : "leave one of them out");
    return true;
}

/* --watch continues where once would end. */
static bool check_once(struct parse *parse)
{
    const struct options *options = parse->options;
    if (options->command != COMMAND_ONCE)
        return true;
    if (options->for_ms && !options->watch)
        return options_parse_refuse(parse, "--for needs --watch; add --watch, or use --wait DURATION");
    if (options->watch && options->form && strcmp(options->form, "csv") == 0)
        return options_parse_refuse(parse, "-o csv cannot be used with --watch; use -o json");
    return true;
}

/* Lines have no columns and no screen, and follow a cluster. */
static bool check_linear(struct parse *parse)
{
    static const char *const of_screens[] = {"replay", "capture", "sort", "columns", "theme", "refresh"};
    for (size_t i = 0; parse->options->linear && i < sizeof of_screens / sizeof *of_screens; i++)
        if (was_given(parse, of_screens[i]) && !(i == 1 && options_beside(parse->options)))
            return options_parse_refuse(parse, "--%s has no meaning with --linear%s; leave one of them out",
                                        of_screens[i],
                                        i < 2 ? ", which follows a cluster" : ", which has no screen");
    return true;
}

/* What cannot be had at once. */
static bool check_together(struct parse *parse)
{
    const struct options *options = parse->options;
    bool report = options->command == COMMAND_REPORT, autopsy = options->command == COMMAND_AUTOPSY;
    bool page = options->html && strcmp(options->html, "-") == 0;
    bool bundle = options->command == COMMAND_CONFIG && options->replay;
    const struct {
        bool wrong;
        const char *what;
    } rules[] = {
        {report && options->replay && options->recording,
         "--replay FILE and FILE are two recordings; name one of them"},
        {autopsy && options->path_count == 0 && options->capture_count == 0,
         "autopsy needs logs to read; name a server's data directory, or a capture with --capture FILE"},
        {options->events && (options->screen || (options->at && autopsy)),
         "--events, --at and --screen exclude each other; give one of them"},
        {options->follow && (options->html || options->markdown || options->to),
         "--follow never ends, so it takes no --to and writes no report; leave one of them out"},
        {report && options->json && options->client_log_count > 0,
         "--client-log adds to stories, which report --json has not; leave one of them out, or use why "
         "--json"},
        {options->against && !options->replay,
         "--against compares a case with a recording; name the case with --replay"},
        {options->against && options->count, "--against compares everything; leave out --count"},
        {options->markdown && options->json, "--json and --markdown exclude each other; give one of them"},
        {page && options->json, "--html - and --json would both go to standard output; give --html a file"},
        {page && options->markdown,
         "--html - and --markdown would both go to standard output; give --html a file"},
        {options->yaml + options->list_recipes + (options->command == COMMAND_DISCOVER && options->json) > 1,
         "--json, --yaml and --recipes exclude each other; give one of them"},
        {options->example + options->diff + options->schema + bundle > 1,
         "--example, --diff, --schema and --replay exclude each other; give one of them"},
        {bundle && options->path_count > 0, "config --replay prints the bundle's; leave the path out"},
        {options->command == COMMAND_COMPLETION && !options->completion,
         "completion needs a shell; name bash, zsh or fish"},
        {options->once && options->listen,
         "--once prints the metrics, and --listen serves them; leave one of them out"},
        {options->command == COMMAND_EXPORT && options->wait_given && !options->once,
         "--wait belongs to --once: a service waits forever; leave it out"},
        {options->command == COMMAND_RECORD && was_given(parse, "series") && !options->listen,
         "--series bounds the metrics; serve them with --listen ADDR:PORT"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return options_parse_refuse(parse, "%s", rules[i].what);
    return true;
}

bool options_parse(int argc, char *const *argv, struct options *options, char **error)
{
    struct parse parse = {.argc = argc, .argv = argv, .options = options, .error = error};
    int command_at;
    *options = (struct options){.command = COMMAND_WATCH,
                                .about = COMMAND_HELP,
                                .wait_ms = 10000,
                                .servers = 3,
                                .check.window_ms = 24 * 3600 * 1000,
                                .series = 50000,
                                .inject.candidates = 10};
    *error = NULL;
    if (choose_command(&parse, &command_at) && read_arguments(&parse, command_at) && check_together(&parse) &&
        check_linear(&parse) && check_replay(&parse) && check_once(&parse))
        return true;
    options_free(options);
    return false;
}

void options_free(struct options *options)
{
    free(options->paths);
    options->paths = NULL;
    options->path_count = 0;
}

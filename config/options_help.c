#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "config/option_table.h"
#include "config/options.h"
#include "config/text.h"

#define OPTION_COLUMN 34
#define LINE_MAX_COLUMNS 90

static void print_option(const struct option_row *row, bool lettered, struct text *out)
{
    struct text left = {0};
    text_printf(&left, lettered ? "  -%c, " : "      ", row->letter);
    text_printf(&left, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    char *help = option_help(row);
    text_printf(out, "%-*s  %s\n", OPTION_COLUMN, left.at ? left.at : "", help);
    free(help);
    text_free(&left);
}

static void print_options(enum command command, struct text *out)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].commands & COMMAND_BIT(command))
            print_option(&option_table[i],
                         option_of_letter(option_table[i].letter, command) == &option_table[i], out);
}

static void print_keys(struct text *out)
{
    text_add(out, "\nKeys of the configuration, with their defaults:\n");
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        char word[KEY_PATH_MAX];
        size_t depth = 1;
        for (const char *at = key->path; *at; at++)
            depth += *at == '.';
        struct text left = {0};
        text_printf(&left, "%*s%s:", (int)(2 * depth), "", key_word(key, word, sizeof word));
        if (key->fallback)
            text_printf(&left, " %s", key->fallback);
        text_printf(out, "%-*s  %s\n", OPTION_COLUMN, left.at ? left.at : "", key->help);
        text_free(&left);
    }
}

static void help_print_recipes(const char *const *recipes, struct text *out)
{
    size_t column = LINE_MAX_COLUMNS;
    text_add(out, "\nRecipes that are built in, for an election's recipe:");
    for (size_t i = 0; recipes && recipes[i]; i++) {
        size_t length = strlen(recipes[i]) + 2; /* and a space before, and a comma behind */
        bool fits = column + length <= LINE_MAX_COLUMNS;
        text_printf(out, "%s%s%s", fits ? " " : "\n  ", recipes[i], recipes[i + 1] ? "," : "");
        column = fits ? column + length : 1 + length;
    }
    text_add(out, "\n");
}

/* Two examples for each command, as typed. */
static const char *const examples[][2] = {
    [COMMAND_WATCH] = {"electop -s zk1:2181,zk2:2181", "electop watch --filter next:stops '/teams/*/leader'"},
    [COMMAND_ONCE] = {"electop once --strict -s zk1:2181 /election",
                      "electop once --watch --filter state:vacant"},
    [COMMAND_EVENTS] = {"electop events --json /election", "electop events --filter cluster:prod --for 1h"},
    [COMMAND_CHECK] = {"electop check -s zk1:2181 /election",
                       "electop check --critical vacancy=10s /election"},
    [COMMAND_EXPORT] = {"electop export -s zk1:2181", "electop export --once /election"},
    [COMMAND_RECORD] = {"electop record -s zk1:2181 /election", "electop record -c /etc/electop/config.yaml"},
    [COMMAND_REPORT] = {"electop report --from 03:00 --to 03:30",
                        "electop report --html incident.html --election /election"},
    [COMMAND_REPLAY] = {"electop replay --at 03:12", "electop replay incident.db"},
    [COMMAND_CASE] = {"electop case --from 03:10 --to 03:15 -o night.case",
                      "electop case --election /election -o one.case all.case"},
    [COMMAND_BUNDLE] = {"electop bundle", "electop bundle --at 03:12 --election /election"},
    [COMMAND_AUTOPSY] = {"electop autopsy /var/lib/zookeeper",
                         "electop autopsy --into past.db zk1.tar.gz zk2.tar.gz"},
    [COMMAND_WHY] = {"electop why", "electop why /election 03:12"},
    [COMMAND_DISCOVER] = {"electop discover -s zk1:2181", "electop discover --yaml /teams"},
    [COMMAND_INJECT] = {"electop inject /electop-sandbox -n 100 --for 30s",
                        "electop inject /electop-sandbox --kill leader:every=1s --expect 'failover.p99<2s'"},
    [COMMAND_CONFIG] = {"electop config", "electop config -c new.yaml"},
    [COMMAND_DEMO] = {"electop demo", "electop demo --servers 3"},
};

static void print_examples(enum command command, struct text *out)
{
    if ((size_t)command >= sizeof examples / sizeof *examples || !examples[command][0])
        return;
    text_add(out, "\nExamples:\n");
    for (size_t i = 0; i < 2; i++)
        text_printf(out, "  %s\n", examples[command][i]);
}

static void print_program(struct text *out)
{
    text_add(out, "electop shows leader elections on ZooKeeper as they happen.\n\n"
                  "Usage: electop [watch] [OPTION...] [PATH...]\n"
                  "       electop COMMAND [OPTION...] [PATH...]\n\n"
                  "Commands:\n");
    for (size_t i = 0; i < command_count; i++)
        text_printf(out, "  %-10s %s\n", command_table[i].word, command_table[i].help);
    text_add(out, "\nOptions of the dashboard (electop COMMAND --help lists those of a command):\n");
    print_options(COMMAND_WATCH, out);
    text_add(out, "\nA PATH is a znode whose children are candidates, a lock, or a pattern such as\n"
                  "/teams/*/leader. PATHs replace the configured elections, and keep their settings.\n"
                  "Without PATHs and configured elections, electop discovers them.\n\n"
                  "Examples:\n"
                  "  electop demo                                see it at work\n"
                  "  electop -s zk1:2181,zk2:2181 /election      the dashboard on one election\n"
                  "  electop once --json -s zk1:2181 /election   one snapshot, for a script\n");
}

char *options_help(enum command about, const char *const *recipes)
{
    struct text out = {0};
    if (about == COMMAND_HELP) {
        print_program(&out);
        return text_take(&out);
    }
    for (size_t i = 0; i < command_count; i++) {
        const struct command_row *row = &command_table[i];
        if (row->command != about)
            continue;
        text_printf(&out, "electop %s: %s.\n\nUsage: electop %s [OPTION...]%s%s\n", row->word, row->help,
                    row->word, *row->arguments ? " " : "", row->arguments);
        if (row->more)
            text_printf(&out, "\n%s", row->more);
        text_add(&out, "\nOptions:\n");
        print_options(about, &out);
        print_examples(about, &out);
    }
    if (about == COMMAND_CONFIG) {
        print_keys(&out);
        help_print_recipes(recipes, &out);
    }
    return text_take(&out);
}

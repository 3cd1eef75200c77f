#include "config/completion.h"

#include <stdlib.h>
#include <string.h>

#include "config/option_table.h"
#include "config/text.h"

/* The kind of an argument, as far as a shell can complete it. */
enum value {
    VALUE_NONE,
    VALUE_FILE,
    VALUE_DIRECTORY,
    VALUE_PATH,
    VALUE_CLUSTER,
    VALUE_FIGURE,
    VALUE_WORDS,
    VALUE_OTHER
};

static enum value completion_value_of(const struct option_row *row)
{
    const char *argument = row->argument;
    if (!argument)
        return VALUE_NONE;
    if (strcmp(argument, "FILE") == 0)
        return VALUE_FILE;
    if (strcmp(argument, "DIR") == 0)
        return VALUE_DIRECTORY;
    if (strcmp(argument, "PATH") == 0)
        return VALUE_PATH;
    if (strcmp(argument, "NAME") == 0)
        return VALUE_CLUSTER;
    if (strcmp(argument, "FIGURE=RANGE") == 0)
        return VALUE_FIGURE;
    bool words = strchr(argument, '|') && !strpbrk(argument, "[%,");
    return words || option_words(row) ? VALUE_WORDS : VALUE_OTHER;
}

/* The words of an argument such as "auto|off", separated by blanks; placeholders such as FILE are left out. */
static void put_choice(struct text *out, const struct option_row *row)
{
    const char *const *known = option_words(row), *words = known ? "" : row->argument;
    bool more = false;
    for (size_t i = 0; known && known[i]; i++)
        text_printf(out, "%s%s", i ? " " : "", known[i]);
    while (*words) {
        size_t length = strcspn(words, "|"), name = strcspn(words, "|:");
        bool plain = strspn(words, "abcdefghijklmnopqrstuvwxyz-0123456789") >= name;
        if (plain) {
            text_add(out, more ? " " : "");
            text_add_bytes(out, words, name);
            text_add(out, name < length ? ":" : "");
            more = true;
        }
        words += length + (words[length] == '|');
    }
}

#define BASH_LIST(what) "COMPREPLY=($(compgen -W \"$(electop completion " what " 2>/dev/null)\" -- \"$cur\"))"
#define FISH_LIST(what) " -x -a '(electop completion " what " 2>/dev/null)'"

/* How each shell completes a value; @: its words. */
static const struct {
    const char *bash, *zsh, *fish;
} replies[] = {
    [VALUE_NONE] = {"", "", ""},
    [VALUE_FILE] = {"COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames", ":file:_files", " -r -F"},
    [VALUE_DIRECTORY] = {"COMPREPLY=($(compgen -d -- \"$cur\")); compopt -o filenames",
                         ":directory:_files -/", " -x -a '(__fish_complete_directories)'"},
    [VALUE_PATH] = {BASH_LIST("paths"), ":election:_electop_paths", FISH_LIST("paths")},
    [VALUE_CLUSTER] = {BASH_LIST("clusters"), ":cluster:_electop_clusters", FISH_LIST("clusters")},
    [VALUE_FIGURE] = {BASH_LIST("figures") "; compopt -o nospace", ":figure:_electop_figures",
                      FISH_LIST("figures")},
    [VALUE_WORDS] = {"COMPREPLY=($(compgen -W '@' -- \"$cur\"))", ":value:(@)", " -x -a '@'"},
    [VALUE_OTHER] = {"COMPREPLY=()", ":value:", " -x"},
};

static void put_reply(struct text *out, const char *reply, const struct option_row *row)
{
    size_t length = strcspn(reply, "@");
    text_add_bytes(out, reply, length);
    if (reply[length]) {
        put_choice(out, row);
        text_add(out, reply + length + 1);
    }
}

static bool takes(const struct option_row *row, enum command command)
{
    return row->commands & COMMAND_BIT(command);
}

/* ---- bash ---- */

static void bash_options(struct text *out)
{
    text_add(out, "    case $command in\n");
    for (size_t c = 0; c < command_count; c++) {
        text_printf(out, "    %s) options='", command_table[c].word);
        for (size_t i = 0; i < option_count; i++)
            if (takes(&option_table[i], command_table[c].command))
                text_printf(out, "--%s ", option_table[i].name);
        text_add(out, "' ;;\n");
    }
    text_add(out, "    esac\n");
}

static void bash_values(struct text *out)
{
    text_add(out, "    case $prev in\n");
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        enum value value = completion_value_of(row);
        if (value == VALUE_NONE)
            continue;
        /* -c and -t are other options of check */
        text_printf(out, "    --%s", row->name);
        if (row->letter && row->letter != 'c' && row->letter != 't')
            text_printf(out, "|-%c", row->letter);
        text_add(out, ") ");
        put_reply(out, replies[value].bash, row);
        text_add(out, "; return ;;\n");
    }
    text_add(out, "    -c) if [[ $command == check ]]; then ");
    text_add(out, replies[VALUE_FIGURE].bash);
    text_add(out, "; else COMPREPLY=($(compgen -f -- \"$cur\")); fi; return ;;\n"
                  "    -t) return ;;\n    esac\n");
}

static void put_commands(struct text *out, const char *between)
{
    for (size_t c = 0; c < command_count; c++)
        text_printf(out, "%s%s", c ? between : "", command_table[c].word);
}

static void bash_script(struct text *out)
{
    text_add(out,
             "# bash completion for electop, written by electop completion bash\n"
             "_electop() {\n"
             "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= options= i\n"
             "    COMPREPLY=()\n"
             "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
             "        case ${COMP_WORDS[i]} in\n        ");
    put_commands(out, "|");
    text_add(out, ") command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n"
                  "    local commands=''\n"
                  "    [[ $command ]] || { commands='");
    put_commands(out, " ");
    text_add(out, "'; command=watch; }\n");
    bash_values(out);
    bash_options(out);
    text_add(out,
             "    if [[ $cur == -* ]]; then\n"
             "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
             "        return\n"
             "    fi\n"
             "    case $command in\n"
             "    autopsy|replay|report) COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames ;;\n"
             "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\")) ;;\n"
             "    help) COMPREPLY=($(compgen -W '");
    put_commands(out, " ");
    text_add(out, "' -- \"$cur\")) ;;\n"
                  "    *) COMPREPLY=($(compgen -W \"$commands $(electop completion paths 2>/dev/null)\" -- "
                  "\"$cur\")) ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -F _electop electop\n");
}

/* ---- zsh ---- */

/* The first line of a help, without what _arguments takes for itself. */
static void zsh_help(struct text *out, const char *help)
{
    for (; *help && *help != '\n'; help++) {
        if (strchr("[]:\\", *help))
            text_add(out, "\\");
        if (*help == '\'')
            text_add(out, "'\\'");
        text_add_bytes(out, help, 1);
    }
}

static void zsh_option(struct text *out, const struct option_row *row)
{
    text_printf(out, "        '--%s%s[", row->name, row->argument ? "=" : "");
    char *help = option_help(row);
    zsh_help(out, help);
    free(help);
    text_add(out, "]");
    put_reply(out, replies[completion_value_of(row)].zsh, row);
    text_add(out, "' \\\n");
}

static const char *zsh_words(enum command command)
{
    if (command == COMMAND_AUTOPSY || command_on_recording(command))
        return "'*:file:_files'";
    if (command == COMMAND_COMPLETION)
        return "'1:shell:(bash zsh fish)'";
    return command == COMMAND_HELP ? "'1:command:_electop_commands'" : "'*:election:_electop_paths'";
}

static void zsh_script(struct text *out)
{
    text_add(out, "#compdef electop\n# written by electop completion zsh\n"
                  "_electop_paths() { local -a found; found=(${(f)\"$(electop completion paths "
                  "2>/dev/null)\"}); compadd -a found }\n"
                  "_electop_clusters() { local -a found; found=(${(f)\"$(electop completion clusters "
                  "2>/dev/null)\"}); compadd -a found }\n"
                  "_electop_figures() { local -a found; found=(${(f)\"$(electop completion figures "
                  "2>/dev/null)\"}); compadd -S '' -a found }\n"
                  "_electop_commands() {\n    local -a commands\n    commands=(\n");
    for (size_t c = 0; c < command_count; c++) {
        text_printf(out, "        '%s:", command_table[c].word);
        zsh_help(out, command_table[c].help);
        text_add(out, "'\n");
    }
    text_add(out, "    )\n    _describe command commands\n}\n"
                  "_electop() {\n"
                  "    local command=watch\n"
                  "    if (( CURRENT == 2 )) && [[ $words[2] != -* && $words[2] != /* ]]; then\n"
                  "        _electop_commands\n        _electop_paths\n        return\n    fi\n"
                  "    case $words[2] in\n    ");
    put_commands(out, "|");
    text_add(out, ") command=$words[2]; shift words; (( CURRENT-- )) ;;\n    esac\n    case $command in\n");
    for (size_t c = 0; c < command_count; c++) {
        text_printf(out, "    %s) _arguments \\\n", command_table[c].word);
        for (size_t i = 0; i < option_count; i++)
            if (takes(&option_table[i], command_table[c].command))
                zsh_option(out, &option_table[i]);
        text_printf(out, "        %s ;;\n", zsh_words(command_table[c].command));
    }
    text_add(out, "    esac\n}\n_electop \"$@\"\n");
}

/* ---- fish ---- */

static void fish_quoted(struct text *out, const char *text)
{
    text_add(out, "'");
    for (; *text && *text != '\n'; text++) {
        if (*text == '\'' || *text == '\\')
            text_add(out, "\\");
        text_add_bytes(out, text, 1);
    }
    text_add(out, "'");
}

/* The commands that take an option, as a condition; without a command it is the dashboard. */
static void fish_condition(struct text *out, unsigned commands)
{
    text_add(out, " -n '__electop_in");
    for (size_t c = 0; c < command_count; c++)
        if (commands & COMMAND_BIT(command_table[c].command))
            text_printf(out, " %s", command_table[c].word);
    text_add(out, "'");
}

static void fish_option(struct text *out, const struct option_row *row)
{
    text_add(out, "complete -c electop");
    fish_condition(out, row->commands);
    text_printf(out, " -l %s", row->name);
    if (row->letter)
        text_printf(out, " -s %c", row->letter);
    put_reply(out, replies[completion_value_of(row)].fish, row);
    text_add(out, " -d ");
    char *help = option_help(row);
    fish_quoted(out, help);
    free(help);
    text_add(out, "\n");
}

static void fish_script(struct text *out)
{
    text_add(out, "# fish completion for electop, written by electop completion fish\n"
                  "function __electop_command\n"
                  "    for word in (commandline -opc)[2..-1]\n"
                  "        contains -- $word ");
    put_commands(out, " ");
    text_add(out, "; and echo $word; and return\n    end\nend\n"
                  "function __electop_in\n"
                  "    set -l command (__electop_command)\n"
                  "    test -n \"$command\"; or set command watch\n"
                  "    contains -- $command $argv\nend\n"
                  "complete -c electop -f\n");
    for (size_t c = 0; c < command_count; c++) {
        text_printf(out, "complete -c electop -n 'test -z (__electop_command)' -a %s -d ",
                    command_table[c].word);
        fish_quoted(out, command_table[c].help);
        text_add(out, "\n");
    }
    text_add(out,
             "complete -c electop -n '__electop_in autopsy replay report' -F\n"
             "complete -c electop -n '__electop_in completion' -a 'bash zsh fish'\n"
             "complete -c electop -n 'not __electop_in autopsy replay report completion help version demo' "
             "-a '(electop completion paths 2>/dev/null)'\n");
    for (size_t i = 0; i < option_count; i++)
        fish_option(out, &option_table[i]);
}

char *completion_script(const char *shell)
{
    struct text out = {0};
    if (strcmp(shell, "bash") == 0)
        bash_script(&out);
    else if (strcmp(shell, "zsh") == 0)
        zsh_script(&out);
    else if (strcmp(shell, "fish") == 0)
        fish_script(&out);
    else
        return NULL;
    return text_take(&out);
}

/*
 * manual - fills the markers of a manual page's template from the program's tables, and prints the page.
 *
 *     manual PAGE.in > PAGE
 *
 * A template is mdoc(7). A line that holds only a marker is replaced by a list from a table:
 *
 *     @commands@         the commands
 *     @usage COMMAND@    the command's synopsis, for the SYNOPSIS section
 *     @options COMMAND@  its options
 *     @about COMMAND@    the paragraph of its --help
 *     @config-keys@      the keys of the configuration; @config-keys PREFIX@: those below PREFIX
 *     @keys@             the keys of the dashboard
 *     @findings@         the findings with their meaning, evidence and advice
 *     @alert-events@     the events that alerts may name
 *     @recipes@          the built-in recipes
 *     @exit-codes@       the exit codes
 *     @figures@          the figures of electop check
 *     @metrics@          the metrics of electop export
 *     @version@          the version; also within a line
 *
 *     manual --completion bash|zsh|fish    prints that shell's completion script instead
 *     manual --example                     prints the example configuration
 *
 * An unknown marker is an error: no page is shipped with a hole in it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/completion.h"
#include "config/keys.h"
#include "config/memory.h"
#include "config/option_table.h"
#include "config/settings.h"
#include "config/text.h"
#include "probe/alert/alert_book.h"
#include "probe/election/event.h"
#include "probe/election/finding.h"
#include "probe/election/recipe.h"
#include "probe/metrics/figures.h"
#include "probe/metrics/metrics.h"
#include "tui/exit_status.h"
#include "tui/screen/key_bindings.h"

struct page {
    const char *file;
    size_t line;
    struct text out;
    bool failed;
};

static void page_refuse(struct page *page, const char *what, const char *word)
{
    fprintf(stderr, "%s:%zu: %s %s\n", page->file, page->line, what, word);
    page->failed = true;
}

#define LINE_COLUMNS 76

/* A word of prose: signs that mean something to roff are shown as themselves. */
static void page_add_word(struct text *out, const char *word, size_t length)
{
    static const struct {
        char sign;
        const char *roff;
    } signs[] = {{'\\', "\\e"}, {'-', "\\-"}, {'"', "\\(dq"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
    for (size_t i = 0; i < length; i++) {
        size_t k = 0;
        while (k < sizeof signs / sizeof *signs && signs[k].sign != word[i])
            k++;
        if (k < sizeof signs / sizeof *signs)
            text_add(out, signs[k].roff);
        else
            text_add_bytes(out, word + i, 1);
        /* A long word, as a regular expression is, may be broken behind a bracket. */
        if (length > 40 && i + 1 < length && strchr(")]}/", word[i]))
            text_add(out, "\\:");
    }
}

static bool page_ends_sentence(const char *word, size_t length)
{
    while (length && (word[length - 1] == ')' || word[length - 1] == '"'))
        length--;
    return length && strchr(".?!", word[length - 1]);
}

/* White space is folded. wrap: lines of usual length, and a new one for each sentence, as mdoc(7) wants. */
static void page_add_prose(struct text *out, const char *words, bool wrap)
{
    const char *blank = " \t\n";
    size_t column = 0;
    bool sentence = false;
    for (const char *at = words + strspn(words, blank); *at; at += strspn(at, blank)) {
        size_t length = strcspn(at, blank);
        bool fresh = column == 0 || (wrap && (sentence || column + length >= LINE_COLUMNS));
        if (column)
            text_add(out, fresh ? "\n" : " ");
        if (fresh && (*at == '.' || *at == '\''))
            text_add(out, "\\&");
        page_add_word(out, at, length);
        column = fresh ? length : column + length + 1;
        sentence = page_ends_sentence(at, length);
        at += length;
    }
}

/* An argument of a macro: one word, whatever is in it. */
static void page_add_argument(struct text *out, const char *word)
{
    text_add(out, " \"");
    if (strlen(word) < 4) /* a word such as . , ( or Fl means something to mdoc */
        text_add(out, "\\&");
    page_add_prose(out, word, false);
    text_add(out, "\"");
}

static void page_add_line(struct text *out, const char *words)
{
    page_add_prose(out, words, true);
    text_add(out, "\n");
}

static const struct command_row *page_command(struct page *page, const char *word)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(command_table[i].word, word) == 0)
            return &command_table[i];
    page_refuse(page, "no such command:", word);
    return NULL;
}

static void fill_commands(struct page *page, const char *unused)
{
    (void)unused;
    text_add(&page->out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < command_count; i++) {
        text_add(&page->out, ".It Cm");
        page_add_argument(&page->out, command_table[i].word);
        if (*command_table[i].arguments) {
            text_add(&page->out, " Ar");
            page_add_argument(&page->out, command_table[i].arguments);
        }
        text_add(&page->out, "\n");
        page_add_line(&page->out, command_table[i].help);
    }
    text_add(&page->out, ".El\n");
}

static void fill_usage(struct page *page, const char *word)
{
    const struct command_row *row = page_command(page, word);
    if (!row)
        return;
    text_add(&page->out, ".Nm electop\n.Cm");
    page_add_argument(&page->out, row->word);
    text_add(&page->out, "\n.Op Ar OPTION ...\n");
    if (*row->arguments) {
        text_add(&page->out, ".Ar");
        page_add_argument(&page->out, row->arguments);
        text_add(&page->out, "\n");
    }
}

static void fill_options(struct page *page, const char *word)
{
    const struct command_row *row = page_command(page, word);
    if (!row)
        return;
    text_add(&page->out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *option = &option_table[i];
        if (!(option->commands & COMMAND_BIT(row->command)))
            continue;
        text_add(&page->out, ".It");
        if (option->letter && option_of_letter(option->letter, row->command) == option)
            text_printf(&page->out, " Fl %c , Fl", option->letter);
        else
            text_add(&page->out, " Fl");
        text_add(&page->out, " Fl ");
        page_add_prose(&page->out, option->name, false);
        if (option->argument) {
            text_add(&page->out, " Ar");
            page_add_argument(&page->out, option->argument);
        }
        text_add(&page->out, "\n");
        char *help = option_help(option);
        page_add_line(&page->out, help);
        free(help);
    }
    text_add(&page->out, ".El\n");
}

/* The text of --help is laid out for a terminal: a blank line ends a paragraph. */
static void fill_about(struct page *page, const char *word)
{
    const struct command_row *row = page_command(page, word);
    for (const char *at = row ? row->more : NULL; at && *at;) {
        const char *end = strstr(at, "\n\n");
        char *paragraph = xstrndup(at, end ? (size_t)(end - at) : strlen(at));
        text_add(&page->out, ".Pp\n");
        page_add_line(&page->out, paragraph);
        free(paragraph);
        at = end ? end + 2 : NULL;
    }
}

static void fill_config_keys(struct page *page, const char *prefix)
{
    size_t length = strlen(prefix), found = 0;
    text_add(&page->out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        if (strncmp(key->path, prefix, length) != 0)
            continue;
        found++;
        text_add(&page->out, ".It Cm");
        page_add_argument(&page->out, key->path);
        text_add(&page->out, "\n");
        page_add_line(&page->out, key->help);
        if (key->type) {
            text_add(&page->out, ".br\nValue: ");
            page_add_prose(&page->out, key->type->expects, false);
            text_add(&page->out, key->flags & KEY_REQUIRED ? "; required" : "");
            if (key->fallback) {
                text_add(&page->out, "; default ");
                page_add_prose(&page->out, key->fallback, false);
            }
            text_add(&page->out, ".\n");
        }
    }
    text_add(&page->out, ".El\n");
    if (!found)
        page_refuse(page, "no key of the configuration begins with", prefix);
}

static void fill_keys(struct page *page, const char *unused)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    (void)unused;
    text_add(&page->out, ".Bl -tag -width \"PgUp Ctrl-B\"\n");
    for (size_t i = 0; i < count; i++) {
        text_add(&page->out, ".It Ic");
        page_add_argument(&page->out, bindings[i].keys);
        text_printf(&page->out, " Pq %s\n", bindings[i].name);
        page_add_line(&page->out, bindings[i].help);
    }
    text_add(&page->out, ".El\n");
}

static void fill_findings(struct page *page, const char *unused)
{
    (void)unused;
    for (int code = 0; code < FINDING_COUNT; code++) {
        const struct finding_kind *kind = finding_kind((enum finding_code)code);
        text_add(&page->out, ".Ss ");
        page_add_prose(&page->out, kind->word, false);
        text_printf(&page->out, " (%s)\n", severity_word(kind->severity));
        page_add_line(&page->out, kind->meaning);
        text_add(&page->out, ".Bl -tag -width Ds\n.It Em Evidence\n");
        page_add_line(&page->out, kind->looks);
        text_add(&page->out, ".It Em \"What to do\"\n");
        page_add_line(&page->out, kind->advice);
        if (kind->source) {
            text_add(&page->out, ".It Em \"Seen in\"\n");
            page_add_line(&page->out, kind->source);
        }
        text_add(&page->out, ".El\n");
    }
}

static void fill_alert_events(struct page *page, const char *unused)
{
    const char **words = alert_conditions();
    (void)unused;
    text_add(&page->out, ".Bl -tag -width Ds\n");
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const char *word = event_word((enum event_kind)kind);
        size_t i = 0;
        while (words[i] && strcmp(words[i], word) != 0)
            i++;
        if (!words[i])
            continue;
        text_add(&page->out, ".It Cm");
        page_add_argument(&page->out, word);
        text_add(&page->out, "\n");
        page_add_line(&page->out, event_meaning((enum event_kind)kind));
    }
    text_add(&page->out, ".El\n");
    free(words);
}

static const char *watches_sentence(enum recipe_watches watches)
{
    switch (watches) {
    case WATCHES_PREDECESSOR:
        return "Each candidate watches its predecessor.";
    case WATCHES_LEADER:
        return "Every candidate watches the leader.";
    case WATCHES_CHILDREN:
        return "Candidates watch the directory.";
    case WATCHES_MEMBER:
        return "Each candidate watches the first znode of the member before it.";
    case WATCHES_NOTHING:
        return "Candidates watch nothing.";
    case WATCHES_UNKNOWN:
        break;
    }
    return "Which watches candidates set is not known.";
}

static void fill_recipes(struct page *page, const char *unused)
{
    (void)unused;
    for (size_t i = 0; i < recipe_table_count; i++) {
        const struct recipe *recipe = &recipe_table[i];
        static const char *const families[] = {[FAMILY_SEQUENCE] = "sequence",
                                               [FAMILY_LOCK] = "lock",
                                               [FAMILY_HYBRID] = "sequence with an acknowledgement"};
        text_add(&page->out, ".Ss ");
        page_add_prose(&page->out, recipe->name, false);
        text_add(&page->out, "\n");
        page_add_prose(&page->out, recipe->title, false);
        text_printf(&page->out, ".\nFamily: %s.\n", families[recipe->family]);
        page_add_line(&page->out, watches_sentence(recipe->watches));
        text_add(&page->out, ".Bl -tag -width Ds\n");
        if (recipe->candidate) {
            text_add(&page->out, ".It Em Candidates\n.Li");
            page_add_argument(&page->out, recipe->candidate);
            text_add(&page->out, "\n");
        }
        if (recipe->path) {
            text_add(&page->out, ".It Em Path\n.Li");
            page_add_argument(&page->out, recipe->path);
            text_add(&page->out, "\n");
        }
        if (recipe->ack) {
            text_add(&page->out, ".It Em Acknowledgement\n.Pa");
            page_add_argument(&page->out, recipe->ack);
            text_add(&page->out, "\n");
        }
        if (recipe->source) {
            text_add(&page->out, ".It Em Source\n");
            page_add_line(&page->out, recipe->source);
        }
        text_add(&page->out, ".El\n");
    }
}

static void fill_exit_codes(struct page *page, const char *unused)
{
    (void)unused;
    text_add(&page->out, ".Bl -tag -width \"128 + n\"\n");
    for (size_t i = 0; i < exit_status_count; i++) {
        text_add(&page->out, ".It Li");
        page_add_argument(&page->out, exit_status_table[i].code);
        text_add(&page->out, "\n");
        page_add_line(&page->out, exit_status_table[i].meaning);
    }
    text_add(&page->out, ".El\n");
}

static void fill_figures(struct page *page, const char *unused)
{
    (void)unused;
    text_add(&page->out, ".Bl -tag -width \"findings.critical\"\n");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct figure_kind *kind = figure_kind((enum figure)i);
        text_add(&page->out, ".It Cm");
        page_add_argument(&page->out, kind->word);
        text_add(&page->out, "\n");
        page_add_prose(&page->out, kind->help, true);
        text_printf(&page->out, "%s%s\n", *kind->unit ? "; in seconds" : "",
                    kind->recorded ? "; from a recording" : "");
    }
    text_add(&page->out, ".El\n");
}

static void fill_metrics(struct page *page, const char *unused)
{
    (void)unused;
    text_add(&page->out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < metric_count; i++) {
        char name[METRIC_NAME];
        text_add(&page->out, ".It Cm");
        page_add_argument(&page->out, metric_sample_name(&metric_table[i], name));
        if (*metric_table[i].labels) {
            text_add(&page->out, " Bro Ar");
            page_add_argument(&page->out, metric_table[i].labels);
            text_add(&page->out, " Brc");
        }
        text_add(&page->out, "\n");
        page_add_line(&page->out, metric_table[i].help);
    }
    text_add(&page->out, ".El\n");
}

static const struct marker {
    const char *word;
    bool takes_argument;
    void (*fill)(struct page *, const char *argument);
} markers[] = {
    {"commands", false, fill_commands},       {"usage", true, fill_usage},
    {"options", true, fill_options},          {"about", true, fill_about},
    {"config-keys", false, fill_config_keys}, {"keys", false, fill_keys},
    {"findings", false, fill_findings},       {"recipes", false, fill_recipes},
    {"exit-codes", false, fill_exit_codes},   {"figures", false, fill_figures},
    {"metrics", false, fill_metrics},         {"alert-events", false, fill_alert_events},
};

/* marker: without its signs, "options watch". */
static void page_fill(struct page *page, char *marker)
{
    char *argument = strchr(marker, ' ');
    if (argument)
        *argument++ = '\0';
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        if (strcmp(markers[i].word, marker) != 0)
            continue;
        if (markers[i].takes_argument && !argument)
            page_refuse(page, "a command belongs behind", marker);
        else
            markers[i].fill(page, argument ? argument : "");
        return;
    }
    page_refuse(page, "unknown marker", marker);
}

static void page_add_template_line(struct page *page, char *line)
{
    size_t length = strlen(line);
    if (length > 2 && line[0] == '@' && line[length - 1] == '@') {
        line[length - 1] = '\0';
        page_fill(page, line + 1);
        return;
    }
    for (char *found; (found = strstr(line, "@version@"));) {
        text_add_bytes(&page->out, line, (size_t)(found - line));
        text_add(&page->out, ELECTOP_VERSION);
        line = found + strlen("@version@");
    }
    text_printf(&page->out, "%s\n", line);
}

static int print_whole(char *text)
{
    bool fine = text && fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(text);
    return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--completion") == 0)
        return print_whole(completion_script(argv[2]));
    if (argc == 2 && strcmp(argv[1], "--example") == 0)
        return print_whole(settings_example());
    struct page page = {.file = argc == 2 ? argv[1] : ""};
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    if (!in) {
        fprintf(stderr, argc == 2 ? "%s: cannot be read\n" : "usage: manual PAGE.in > PAGE%s\n", page.file);
        return 2;
    }
    for (ssize_t length; (length = getline(&line, &room, in)) >= 0;) {
        page.line++;
        if (length && line[length - 1] == '\n')
            line[length - 1] = '\0';
        page_add_template_line(&page, line);
    }
    free(line);
    fclose(in);
    char *all = text_take(&page.out);
    bool fine = !page.failed && fputs(all, stdout) >= 0 && fflush(stdout) == 0;
    free(all);
    return fine ? 0 : 1;
}

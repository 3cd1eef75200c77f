#include "config/key.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_file.h"
#include "config/connect_string.h"
#include "config/memory.h"
#include "config/recipe_names.h"
#include "config/settings.h"
#include "config/text.h"
#include "config/units.h"
#include "config/utf8.h"
#include "config/znode_path.h"

/*
 * The kinds of values that a key of the configuration can have: each is read with its checks, printed so
 * that it can be read again, and released. Lists, and values of several fields come last.
 */

static void value_refuse(const struct key *key, const struct yaml_node *node, struct key_reading *reading,
                         const char *what)
{
    char word[KEY_PATH_MAX];
    problems_refuse(reading->problems, node, key_word(key, word, sizeof word), what);
}

/* Is it a text? If not, reports the expected value. */
static bool value_text(const struct key *key, const struct yaml_node *node, struct key_reading *reading)
{
    if (node->kind == NODE_TEXT)
        return true;
    struct text what = {0};
    text_printf(&what, "is not valid here; write %s", key->type->expects);
    value_refuse(key, node, reading, what.at ? what.at : "");
    text_free(&what);
    return false;
}

/* Is the text neither empty, nor too long, nor has it control characters? If not, says so. */
static bool value_is_clean(const struct key *key, const struct yaml_node *node, size_t longest,
                           struct key_reading *reading)
{
    const char *text = node->text;
    size_t length = strlen(text);
    if (!length) {
        value_refuse(key, node, reading, "is empty; write something, or leave the key out");
        return false;
    }
    if (length > longest) {
        char what[64];
        snprintf(what, sizeof what, "is too long; write at most %zu bytes", longest);
        value_refuse(key, node, reading, what);
        return false;
    }
    for (size_t at = 0; at < length;) {
        uint32_t code;
        size_t eaten = utf8_decode(text + at, length - at, &code);
        if (!eaten || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            value_refuse(key, node, reading, "contains a control character; leave it out");
            return false;
        }
        at += eaten;
    }
    return true;
}

static void value_set_text(char **field, const char *text)
{
    char *copy = xstrdup(text);
    free(*field);
    *field = copy;
}

void key_print_text(const char *value, bool in_list, struct text *out)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:% ,";
    size_t length = strlen(value);
    bool plain = length && strspn(value, harmless) == length && !strstr(value, ": ") &&
                 !strchr(" -.:,%", value[0]) && !strchr(" :", value[length - 1]) &&
                 strcmp(value, "null") != 0;
    if (plain && !(in_list && strchr(value, ','))) {
        text_add(out, value);
        return;
    }
    text_add(out, "'");
    for (const char *at = value; *at; at++) {
        text_add_bytes(out, at, 1);
        if (*at == '\'')
            text_add(out, "'");
    }
    text_add(out, "'");
}

/* Values of one field. */

static void clear_text(void *field)
{
    char **text = field;
    free(*text);
    *text = NULL;
}

static void print_text(const struct key *key, const void *field, struct text *out)
{
    char *const *text = field;
    if (*text && **text)
        key_print_text(*text, false, out);
    else if (!*text && key->fallback)
        text_add(out, key->fallback);
}

static void read_text(const struct key *key, const struct yaml_node *node, void *field,
                      struct key_reading *reading)
{
    size_t longest = key->maximum ? (size_t)key->maximum : 1024;
    if (value_text(key, node, reading) && value_is_clean(key, node, longest, reading))
        value_set_text(field, node->text);
}
const struct key_type type_text = {"a text", .read = read_text, .print = print_text, .clear = clear_text};

/* Patterns of names are compiled once, while they are read, so that an error is reported with its place in the
 * file, together with all others. */

static void read_expression(const struct key *key, const struct yaml_node *node, void *field,
                            struct key_reading *reading)
{
    size_t longest = (size_t)key->maximum;
    if (!value_text(key, node, reading) || !value_is_clean(key, node, longest, reading))
        return;
    int code;
    PCRE2_SIZE at;
    uint32_t groups = 0;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)node->text, PCRE2_ZERO_TERMINATED,
                                         PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF, &code, &at, NULL);
    if (!compiled && code == PCRE2_ERROR_HEAP_FAILED)
        memory_exhausted();
    if (!compiled) {
        PCRE2_UCHAR text[160];
        char what[256];
        if (pcre2_get_error_message(code, text, sizeof text) < 0)
            text[0] = '\0';
        snprintf(what, sizeof what, "is not a regular expression: %s, at character %zu; see pcre2pattern(3)",
                 (const char *)text, (size_t)at + 1);
        value_refuse(key, node, reading, what);
        return;
    }
    pcre2_pattern_info(compiled, PCRE2_INFO_CAPTURECOUNT, &groups);
    pcre2_code_free(compiled);
    if (groups == 0)
        value_refuse(key, node, reading,
                     "has no group for the sequence number; put ten digits in parentheses: (\\d{10})");
    else
        value_set_text(field, node->text);
}

/* A recipe is a name, which is looked for once the whole file is read, or a pattern. */
static void read_recipe(const struct key *key, const struct yaml_node *node, void *field,
                        struct key_reading *reading)
{
    bool is_pattern = node->kind == NODE_TEXT && recipe_is_pattern(node->text);
    (is_pattern ? read_expression : read_text)(key, node, field, reading);
}

const struct key_type type_expression = {"a regular expression", .read = read_expression, .print = print_text,
                                         .clear = clear_text};
const struct key_type type_recipe = {"auto, a recipe's name, or a pattern", .read = read_recipe,
                                     .print = print_text, .clear = clear_text};

/* The index of a word among the key's, or -1 after saying which there are. */
static int read_word_index(const struct key *key, const struct yaml_node *node, struct key_reading *reading)
{
    struct nearest nearest = {0};
    if (!value_text(key, node, reading))
        return -1;
    for (int i = 0; key->words[i]; i++) {
        if (strcmp(node->text, key->words[i]) == 0)
            return i;
        nearest_offer(&nearest, node->text, key->words[i]);
    }
    struct text what = {0};
    if (nearest.best)
        text_printf(&what, "is not known; did you mean %s? write ", nearest.best);
    else
        text_add(&what, "is not known; write ");
    for (int i = 0; key->words[i]; i++)
        text_printf(&what, "%s%s", i == 0 ? "" : key->words[i + 1] ? ", " : " or ", key->words[i]);
    value_refuse(key, node, reading, what.at ? what.at : "");
    text_free(&what);
    return -1;
}

/* A choice lands in an enum, whose type gcc and clang make unsigned int where no value is negative. */
static void read_choice(const struct key *key, const struct yaml_node *node, void *field,
                        struct key_reading *reading)
{
    _Static_assert(sizeof(enum theme_choice) == sizeof(unsigned) &&
                       sizeof(enum tri_state) == sizeof(unsigned),
                   "an enum is as wide as an unsigned int");
    int index = read_word_index(key, node, reading);
    if (index >= 0)
        *(unsigned *)field = (unsigned)index;
}

static void print_choice(const struct key *key, const void *field, struct text *out)
{
    text_add(out, key->words[*(const unsigned *)field]);
}
const struct key_type type_choice = {"one of a few words", .read = read_choice, .print = print_choice};

static void key_types_read_word(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    int index = read_word_index(key, node, reading);
    if (index >= 0)
        value_set_text(field, key->words[index]);
}
const struct key_type type_word = {"one of a few words", .read = key_types_read_word, .print = print_text,
                                   .clear = clear_text};

static const char *const switch_words[] = {"false", "true", "no", "yes", "off", "on", NULL};

static int switch_index(const char *text)
{
    for (int i = 0; switch_words[i]; i++)
        if (strcmp(text, switch_words[i]) == 0)
            return i % 2;
    return -1;
}

static void read_switch(const struct key *key, const struct yaml_node *node, void *field,
                        struct key_reading *reading)
{
    if (!value_text(key, node, reading))
        return;
    int index = switch_index(node->text);
    if (index < 0)
        value_refuse(key, node, reading, "is not known; write true or false");
    else
        *(bool *)field = index == 1;
}

static void print_switch(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    text_add(out, *(const bool *)field ? "true" : "false");
}
const struct key_type type_switch = {"true or false", .read = read_switch, .print = print_switch};

static void read_tri_state(const struct key *key, const struct yaml_node *node, void *field,
                           struct key_reading *reading)
{
    if (!value_text(key, node, reading))
        return;
    int index = switch_index(node->text);
    bool is_auto = strcmp(node->text, "auto") == 0;
    if (index < 0 && !is_auto)
        value_refuse(key, node, reading, "is not known; write auto, true or false");
    else
        *(enum tri_state *)field = is_auto ? TRI_AUTO : index ? TRI_YES : TRI_NO;
}

static void print_tri_state(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    enum tri_state state = *(const enum tri_state *)field;
    text_add(out, state == TRI_AUTO ? "auto" : state == TRI_YES ? "true" : "false");
}
const struct key_type type_tri_state = {"auto, true or false", .read = read_tri_state,
                                        .print = print_tri_state};

static void key_read_number(const struct key *key, const struct yaml_node *node, void *field,
                            struct key_reading *reading)
{
    const struct number_form *form = key->type->number;
    char low[UNITS_TEXT], high[UNITS_TEXT], range[3 * UNITS_TEXT];
    int64_t value = 0;
    if (!value_text(key, node, reading))
        return;
    const char *problem = form->parse(node->text, &value);
    if (!problem && (value < key->minimum || value > key->maximum)) {
        snprintf(range, sizeof range, "is out of range; write %s to %s",
                 form->print(key->minimum, low, sizeof low), form->print(key->maximum, high, sizeof high));
        problem = range;
    }
    if (problem)
        value_refuse(key, node, reading, problem);
    else if (form->is_wide)
        *(int64_t *)field = value;
    else
        *(int *)field = (int)value;
}

static void print_number(const struct key *key, const void *field, struct text *out)
{
    const struct number_form *form = key->type->number;
    char buffer[UNITS_TEXT];
    text_add(out, form->print(form->is_wide ? *(const int64_t *)field : *(const int *)field, buffer,
                              sizeof buffer));
}

static const struct number_form plain_numbers = {number_parse, number_print, false};
static const struct number_form durations = {duration_parse, duration_print, true};
static const struct number_form sizes = {size_parse, size_print, true};
static const struct number_form percents = {percent_parse, percent_print, false};
static const struct number_form rates = {rate_parse, rate_print, false};

const struct key_type type_integer = {"a whole number", .read = key_read_number, .print = print_number,
                                      .number = &plain_numbers};
const struct key_type type_duration = {"a duration such as 250ms, 10s, 5m, 2h or 30d",
                                       .read = key_read_number, .print = print_number, .number = &durations};
const struct key_type type_size = {"a size such as 256MB or 4GB", .read = key_read_number,
                                   .print = print_number, .number = &sizes};
const struct key_type type_percent = {"a percentage such as 66%", .read = key_read_number,
                                      .print = print_number, .number = &percents};
const struct key_type type_rate = {"a rate such as 100/s", .read = key_read_number, .print = print_number,
                                   .number = &rates};

static void read_interval(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    if (node->kind == NODE_TEXT && strcmp(node->text, "off") == 0)
        *(int64_t *)field = 0;
    else
        key_read_number(key, node, field, reading);
}

static void print_interval(const struct key *key, const void *field, struct text *out)
{
    if (*(const int64_t *)field)
        print_number(key, field, out);
    else
        text_add(out, "off");
}
const struct key_type type_interval = {"a duration such as 5s, or off", .read = read_interval,
                                       .print = print_interval, .number = &durations};

static void read_path(const struct key *key, const struct yaml_node *node, void *field,
                      struct key_reading *reading)
{
    if (!value_text(key, node, reading))
        return;
    const char *problem = znode_path_problem(node->text);
    if (!problem && key->type == &type_path && znode_is_pattern(node->text))
        problem = "is a pattern; write one path here, without * and ?";
    if (!problem && key->type == &type_path && strcmp(node->text, "/") == 0)
        problem = "is the root; write a path below it";
    if (!problem && key->type == &type_path &&
        (strcmp(node->text, "/zookeeper") == 0 || strncmp(node->text, "/zookeeper/", 11) == 0))
        problem = "is ZooKeeper's own; write another path";
    if (problem)
        value_refuse(key, node, reading, problem);
    else
        value_set_text(field, node->text);
}
const struct key_type type_path = {"a path such as /election", .read = read_path, .print = print_text,
                                   .clear = clear_text};
const struct key_type type_pattern = {"a path such as /election or /teams/*/leader", .read = read_path,
                                      .print = print_text, .clear = clear_text};

static void read_connect_string(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    struct connect_string string;
    char *error, word[KEY_PATH_MAX];
    if (!value_text(key, node, reading))
        return;
    if (connect_string_parse(node->text, &string, &error)) {
        connect_string_free(&string);
        value_set_text(field, node->text);
        return;
    }
    if (error)
        problems_add(reading->problems, node->line, node->column, "%s: %s", key_word(key, word, sizeof word),
                     error);
    free(error);
}
const struct key_type type_connect_string = {"a connect string such as zk1:2181,zk2:2181/chroot",
                                             .read = read_connect_string, .print = print_text,
                                             .clear = clear_text};

static void key_types_read_file(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    if (!value_text(key, node, reading) || !value_is_clean(key, node, 4000, reading))
        return;
    char *resolved = config_file_resolve(reading->file, node->text);
    value_set_text(field, resolved);
    free(resolved);
}
const struct key_type type_file = {"the name of a file", .read = key_types_read_file, .print = print_text,
                                   .clear = clear_text};

static bool is_word(const struct yaml_node *node, const char *word);
static void read_history(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    bool is_word =
        node->kind == NODE_TEXT && (strcmp(node->text, "auto") == 0 || strcmp(node->text, "off") == 0);
    if (is_word)
        value_set_text(field, node->text);
    else
        key_types_read_file(key, node, field, reading);
}
const struct key_type type_history = {"auto, off, or the name of a file", .read = read_history,
                                      .print = print_text, .clear = clear_text};

static void read_identity(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    static const char *const words[] = {"data", "name", "client", "session", NULL};
    if (!value_text(key, node, reading))
        return;
    if (strcmp(node->text, "auto") == 0) {
        clear_text(field);
        return;
    }
    bool known = false;
    for (size_t i = 0; words[i]; i++)
        known |= strcmp(node->text, words[i]) == 0;
    bool is_registry = strncmp(node->text, "registry:", 9) == 0;
    const char *problem = is_registry ? znode_path_problem(node->text + 9) : NULL;
    if (problem)
        value_refuse(key, node, reading, problem);
    else if (!known && !is_registry)
        value_refuse(key, node, reading,
                     "is not known; write auto, registry:/path, data, name, client or session");
    else
        value_set_text(field, node->text);
}

const struct key_type type_identity = {"auto, registry:/path, data, name, client or session",
                                       .read = read_identity, .print = print_text, .clear = clear_text};

/* Is this item of the list fine? Reports it if not. */
typedef bool (*item_check)(const struct key *, const struct yaml_node *, struct key_reading *);

static void clear_list(void *field)
{
    char ***list = field;
    host_list_free(*list);
    *list = NULL;
}

/* Reads a list of texts, or one text as a list of one. */
static void read_list(const struct key *key, const struct yaml_node *node, char ***field,
                      struct key_reading *reading, item_check check)
{
    size_t count = node->kind == NODE_LIST ? node->count : 1;
    if (node->kind == NODE_MAP || !count || count > (size_t)key->maximum) {
        char what[160];
        if (node->kind != NODE_MAP && count)
            snprintf(what, sizeof what, "has too many items; write at most %d", (int)key->maximum);
        else
            snprintf(what, sizeof what, "%s; write %s", count ? "is not valid here" : "is empty",
                     key->type->expects);
        value_refuse(key, node, reading, what);
        return;
    }
    char **list = xcalloc(count + 1, sizeof *list);
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *item = node->kind == NODE_LIST ? &node->items[i] : node;
        bool good = value_text(key, item, reading) && check(key, item, reading);
        fine &= good;
        if (fine)
            list[i] = xstrdup(item->text);
    }
    if (!fine) {
        host_list_free(list);
        return;
    }
    clear_list(field);
    *field = list;
}

static void print_list(char *const *list, struct text *out)
{
    text_add(out, "[");
    for (size_t i = 0; list && list[i]; i++) {
        if (i)
            text_add(out, ", ");
        key_print_text(list[i], true, out);
    }
    text_add(out, "]");
}

static void print_texts(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    print_list(*(char **const *)field, out);
}

static bool check_path(const struct key *key, const struct yaml_node *item, struct key_reading *reading)
{
    const char *problem = znode_path_problem(item->text);
    if (problem)
        value_refuse(key, item, reading, problem);
    return !problem;
}

static void read_path_list(const struct key *key, const struct yaml_node *node, void *field,
                           struct key_reading *reading)
{
    read_list(key, node, field, reading, check_path);
}
const struct key_type type_path_list = {"a list of paths such as [/a, /b]", .read = read_path_list,
                                        .print = print_texts, .clear = clear_list};

static bool check_argument(const struct key *key, const struct yaml_node *item, struct key_reading *reading)
{
    /* An empty argument is an argument; only the program needs a name. */
    return !*item->text || value_is_clean(key, item, 4000, reading);
}

static void read_command(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    const struct yaml_node *program = node->kind == NODE_LIST && node->count ? &node->items[0] : node;
    if (program->kind == NODE_TEXT && !*program->text)
        value_refuse(key, program, reading,
                     "contains no program; write a list such as [/usr/bin/logger, \"{code}\"]");
    else
        read_list(key, node, field, reading, check_argument);
}
const struct key_type type_command = {"a list such as [/usr/bin/logger, \"{code}\"]", .read = read_command,
                                      .print = print_texts, .clear = clear_list};

/* Only the form: which codes there are is the diagnoses' business. */
static bool key_check_condition(const struct key *key, const struct yaml_node *item,
                                struct key_reading *reading)
{
    static const char *const severities[] = {"info", "warning", "error", "critical", NULL};
    const char *text = item->text;
    bool fine = false;
    if (strncmp(text, "severity", 8) == 0) {
        const char *level = strncmp(text + 8, ">=", 2) == 0 ? text + 10 : text + 8 + strspn(text + 8, "=");
        for (size_t i = 0; severities[i]; i++)
            fine |= strcmp(level, severities[i]) == 0;
    } else {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
        fine = length && !text[length] && length <= 64;
    }
    if (!fine)
        value_refuse(key, item, reading,
                     "is not a condition; write a finding's code, an event, or severity>=info, warning, "
                     "error or critical");
    return fine;
}

static void read_conditions(const struct key *key, const struct yaml_node *node, void *field,
                            struct key_reading *reading)
{
    read_list(key, node, field, reading, key_check_condition);
}
const struct key_type type_conditions = {"a list such as [no-leader, severity>=error]",
                                         .read = read_conditions, .print = print_texts, .clear = clear_list};

/* A mapping of texts to texts, as a list of both in turn. */
static void read_key_map(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    if (node->kind != NODE_MAP) {
        value_refuse(key, node, reading, "is not valid here; write a mapping such as {mute: z, explain: F5}");
        return;
    }
    char **list = xcalloc(node->count + 1, sizeof *list);
    bool fine = true;
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = &node->items[i];
        fine &= value_text(key, item, reading) && value_is_clean(key, item, 80, reading);
        if (fine)
            list[i] = xstrdup(item->text);
    }
    clear_list(field);
    if (fine)
        *(char ***)field = list;
    else
        host_list_free(list);
}

static void print_key_map(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    char *const *list = *(char **const *)field;
    if (list)
        text_add(out, "{");
    for (size_t i = 0; list && list[i]; i++) {
        text_add(out, i == 0 ? "" : i % 2 ? ": " : ", ");
        key_print_text(list[i], true, out);
    }
    if (list)
        text_add(out, "}");
}
const struct key_type type_key_map = {"a mapping such as {mute: z, explain: F5}", .read = read_key_map,
                                      .print = print_key_map, .clear = clear_list};

/* The hosts and ports of a text ("a:1,b:2") or a list of them, in normal form; NULL after reporting. */
static char **read_hosts(const struct key *key, const struct yaml_node *node, struct key_reading *reading)
{
    struct text joined = {0};
    char word[KEY_PATH_MAX], *error = NULL;
    if (node->kind != NODE_LIST || !node->count) {
        if (!value_text(key, node, reading))
            return NULL;
        text_add(&joined, node->text);
    }
    for (size_t i = 0; node->kind == NODE_LIST && i < node->count; i++) {
        if (!value_text(key, &node->items[i], reading)) {
            text_free(&joined);
            return NULL;
        }
        text_printf(&joined, "%s%s", i ? "," : "", node->items[i].text);
    }
    char **list = host_list_parse(joined.at, &error);
    text_free(&joined);
    if (!list && error)
        problems_add(reading->problems, node->line, node->column, "%s: %s", key_word(key, word, sizeof word),
                     error);
    free(error);
    return list;
}

static bool is_word(const struct yaml_node *node, const char *word)
{
    return node->kind == NODE_TEXT && strcmp(node->text, word) == 0;
}

static void read_addresses(const struct key *key, const struct yaml_node *node, void *field,
                           struct key_reading *reading)
{
    bool is_auto = is_word(node, "auto");
    char **list = is_auto ? NULL : read_hosts(key, node, reading);
    if (!list && !is_auto)
        return;
    clear_list(field);
    *(char ***)field = list;
}

static void print_addresses(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    char **list = *(char **const *)field;
    if (list)
        print_list(list, out);
    else
        text_add(out, "auto");
}
const struct key_type type_addresses = {"auto, or a list of host:clientport", .read = read_addresses,
                                        .print = print_addresses, .clear = clear_list};

/* admin fills three fields of struct servers_settings. */
static void clear_admin(void *field)
{
    struct servers_settings *servers = field;
    clear_list(&servers->admin_addresses);
    servers->admin_off = false;
    servers->admin_port = 0;
}

static void read_admin(const struct key *key, const struct yaml_node *node, void *field,
                       struct key_reading *reading)
{
    struct servers_settings *servers = field;
    int port = 0;
    char **list = NULL;
    bool off = is_word(node, "off");
    if (!off && node->kind == NODE_TEXT && !strchr(node->text, ':')) {
        if (port_parse(node->text, &port)) {
            value_refuse(key, node, reading,
                         "is neither a port, nor host:port,..., nor off; ports are 1 to 65535");
            return;
        }
    } else if (!off) {
        list = read_hosts(key, node, reading);
        if (!list)
            return;
    }
    clear_admin(field);
    servers->admin_off = off;
    servers->admin_port = port;
    servers->admin_addresses = list;
}

static void print_admin(const struct key *key, const void *field, struct text *out)
{
    const struct servers_settings *servers = field;
    (void)key;
    if (servers->admin_off)
        text_add(out, "off");
    else if (servers->admin_addresses)
        print_list(servers->admin_addresses, out);
    else
        text_printf(out, "%d", servers->admin_port);
}
const struct key_type type_admin = {"a port, a list of host:port, or off", .read = read_admin,
                                    .print = print_admin, .clear = clear_admin};

/* "3 in 10m" fills two fields of struct allowance; the range is the count's. */
static void read_count_in(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    struct allowance *allow = field;
    int count;
    int64_t within_ms;
    if (!value_text(key, node, reading))
        return;
    const char *problem = count_in_parse(node->text, &count, &within_ms);
    if (!problem && (count < key->minimum || count > key->maximum || within_ms < 1000 ||
                     within_ms > INT64_C(30) * 24 * 3600 * 1000))
        problem = "is out of range; write 1 to 1000 in 1s to 30d";
    if (problem) {
        value_refuse(key, node, reading, problem);
        return;
    }
    allow->leader_changes = count;
    allow->leader_changes_ms = within_ms;
}

static void print_count_in(const struct key *key, const void *field, struct text *out)
{
    const struct allowance *allow = field;
    char buffer[UNITS_TEXT];
    (void)key;
    text_add(out, count_in_print(allow->leader_changes, allow->leader_changes_ms, buffer, sizeof buffer));
}
const struct key_type type_count_in = {"a count within a time, such as 3 in 10m", .read = read_count_in,
                                       .print = print_count_in};

/* "1s to 60s" fills two fields of struct allowance; the range is that of each. */
static void read_timeouts(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    struct allowance *allow = field;
    int64_t least_ms, most_ms;
    if (!value_text(key, node, reading))
        return;
    const char *problem = range_parse(node->text, &least_ms, &most_ms);
    if (!problem && (least_ms < key->minimum || most_ms > key->maximum || most_ms == 0))
        problem = "is out of range; write it within 0 to 1d";
    if (problem) {
        value_refuse(key, node, reading, problem);
        return;
    }
    allow->timeout_least_ms = least_ms;
    allow->timeout_most_ms = most_ms;
}

static void print_timeouts(const struct key *key, const void *field, struct text *out)
{
    const struct allowance *allow = field;
    char buffer[2 * UNITS_TEXT];
    (void)key;
    text_add(out, range_print(allow->timeout_least_ms, allow->timeout_most_ms, buffer, sizeof buffer));
}
const struct key_type type_timeouts = {"a range of durations, such as 1s to 60s", .read = read_timeouts,
                                       .print = print_timeouts};

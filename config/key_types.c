/*
 * The kinds of values that a key of the configuration can have: each is read with its checks, printed so
 * that it can be read again, and released. Lists, and values of several fields, are in key_lists.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/auth_file.h"
#include "config/config_file.h"
#include "config/connect_string.h"
#include "config/key_values.h"
#include "config/key_types.h"
#include "config/nearest.h"
#include "config/settings.h"
#include "config/units.h"
#include "config/utf8.h"
#include "config/znode_path.h"

/* Was it a number, and is it within its key's range? If not, says so; print makes the bounds readable. */
static bool is_good_number(const struct key *key, const struct yaml_node *node, struct key_reading *reading,
                           const char *problem, int64_t value, char *(*print)(int64_t, char *, size_t))
{
    char low[UNITS_TEXT], high[UNITS_TEXT], what[3 * UNITS_TEXT];
    if (!problem && value >= key->minimum && value <= key->maximum)
        return true;
    snprintf(what, sizeof what, "is out of range; write %s to %s", print(key->minimum, low, sizeof low),
             print(key->maximum, high, sizeof high));
    value_refuse(key, node, reading, problem ? problem : what);
    return false;
}

static void clear_text(void *field)
{
    char **text = field;
    free(*text);
    *text = NULL;
}

static void print_text(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    char *const *text = field;
    if (*text && **text)
        value_print_text(*text, false, out);
}

static void read_text(const struct key *key, const struct yaml_node *node, void *field,
                      struct key_reading *reading)
{
    size_t longest = key->maximum ? (size_t)key->maximum : 1024;
    if (value_text(key, node, reading) && value_is_clean(key, node, longest, reading))
        value_set_text(field, node->text, reading);
}
const struct key_type type_text = {"a text", read_text, print_text, clear_text};

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
const struct key_type type_choice = {"one of a few words", read_choice, print_choice, NULL};

static void key_types_read_word(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    int index = read_word_index(key, node, reading);
    if (index >= 0)
        value_set_text(field, key->words[index], reading);
}
const struct key_type type_word = {"one of a few words", key_types_read_word, print_text, clear_text};

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
        value_refuse(key, node, reading, "is neither; write true or false");
    else
        *(bool *)field = index == 1;
}

static void print_switch(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    text_add(out, *(const bool *)field ? "true" : "false");
}
const struct key_type type_switch = {"true or false", read_switch, print_switch, NULL};

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
const struct key_type type_tri_state = {"auto, true or false", read_tri_state, print_tri_state, NULL};

static char *print_number(int64_t number, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64, number);
    return buffer;
}

static void read_integer(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    int64_t value = 0;
    if (!value_text(key, node, reading))
        return;
    const char *problem = number_parse(node->text, &value);
    if (is_good_number(key, node, reading, problem, value, print_number))
        *(int *)field = (int)value;
}

static void print_integer(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    text_printf(out, "%d", *(const int *)field);
}
const struct key_type type_integer = {"a whole number", read_integer, print_integer, NULL};

static void read_duration(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    int64_t value = 0;
    if (!value_text(key, node, reading))
        return;
    const char *problem = duration_parse(node->text, &value);
    if (is_good_number(key, node, reading, problem, value, duration_print))
        *(int64_t *)field = value;
}

static void print_duration(const struct key *key, const void *field, struct text *out)
{
    char buffer[UNITS_TEXT];
    (void)key;
    text_add(out, duration_print(*(const int64_t *)field, buffer, sizeof buffer));
}
const struct key_type type_duration = {"a duration such as 250ms, 10s, 5m, 2h or 30d", read_duration,
                                       print_duration, NULL};

static void read_interval(const struct key *key, const struct yaml_node *node, void *field,
                          struct key_reading *reading)
{
    if (node->kind == NODE_TEXT && strcmp(node->text, "off") == 0)
        *(int64_t *)field = 0;
    else
        read_duration(key, node, field, reading);
}

static void print_interval(const struct key *key, const void *field, struct text *out)
{
    if (*(const int64_t *)field)
        print_duration(key, field, out);
    else
        text_add(out, "off");
}
const struct key_type type_interval = {"a duration such as 5s, or off", read_interval, print_interval, NULL};

static char *print_percent_number(int64_t percent, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 "%%", percent);
    return buffer;
}

static void read_percent(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    int value = 0;
    if (!value_text(key, node, reading))
        return;
    const char *problem = percent_parse(node->text, &value);
    if (is_good_number(key, node, reading, problem, value, print_percent_number))
        *(int *)field = value;
}

static void print_percent(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    text_printf(out, "%d%%", *(const int *)field);
}
const struct key_type type_percent = {"a percentage such as 66%", read_percent, print_percent, NULL};

static char *print_rate_number(int64_t rate, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 "/s", rate);
    return buffer;
}

static void read_rate(const struct key *key, const struct yaml_node *node, void *field,
                      struct key_reading *reading)
{
    int value = 0;
    if (!value_text(key, node, reading))
        return;
    const char *problem = rate_parse(node->text, &value);
    if (is_good_number(key, node, reading, problem, value, print_rate_number))
        *(int *)field = value;
}

static void print_rate(const struct key *key, const void *field, struct text *out)
{
    (void)key;
    text_printf(out, "%d/s", *(const int *)field);
}
const struct key_type type_rate = {"a rate such as 100/s", read_rate, print_rate, NULL};

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
        value_set_text(field, node->text, reading);
}
const struct key_type type_path = {"a path such as /election", read_path, print_text, clear_text};
const struct key_type type_pattern = {"a path such as /election or /teams/*/leader", read_path, print_text,
                                      clear_text};

static void read_connect_string(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    struct connect_string string;
    char *error, word[KEY_PATH_MAX];
    if (!value_text(key, node, reading))
        return;
    if (connect_string_parse(node->text, &string, &error)) {
        connect_string_free(&string);
        value_set_text(field, node->text, reading);
        return;
    }
    if (error)
        problems_add(reading->problems, node->line, node->column, "%s: %s", key_word(key, word, sizeof word),
                     error);
    reading->problems->out_of_memory |= !error;
    free(error);
}
const struct key_type type_connect_string = {"a connect string such as zk1:2181,zk2:2181/chroot",
                                             read_connect_string, print_text, clear_text};

static void key_types_read_file(const struct key *key, const struct yaml_node *node, void *field,
                                struct key_reading *reading)
{
    if (!value_text(key, node, reading) || !value_is_clean(key, node, 4000, reading))
        return;
    char *resolved = config_file_resolve(reading->file, node->text);
    if (resolved)
        value_set_text(field, resolved, reading);
    reading->problems->out_of_memory |= !resolved;
    free(resolved);
}
const struct key_type type_file = {"the name of a file", key_types_read_file, print_text, clear_text};

static void read_history(const struct key *key, const struct yaml_node *node, void *field,
                         struct key_reading *reading)
{
    bool is_word =
        node->kind == NODE_TEXT && (strcmp(node->text, "auto") == 0 || strcmp(node->text, "off") == 0);
    if (is_word)
        value_set_text(field, node->text, reading);
    else
        key_types_read_file(key, node, field, reading);
}
const struct key_type type_history = {"auto, off, or the name of a file", read_history, print_text,
                                      clear_text};

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
        value_set_text(field, node->text, reading);
}

static void print_identity(const struct key *key, const void *field, struct text *out)
{
    char *const *text = field;
    if (*text)
        print_text(key, field, out);
    else
        text_add(out, "auto");
}
const struct key_type type_identity = {"auto, registry:/path, data, name, client or session", read_identity,
                                       print_identity, clear_text};

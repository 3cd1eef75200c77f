#include "config/key_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/key_values.h"
#include "config/settings.h"
#include "config/units.h"
#include "config/znode_path.h"

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
            snprintf(what, sizeof what, "%s; write %s", count ? "is not what belongs here" : "is empty",
                     key->type->expects);
        value_refuse(key, node, reading, what);
        return;
    }
    char **list = calloc(count + 1, sizeof *list);
    bool fine = list != NULL;
    reading->problems->out_of_memory |= !list;
    for (size_t i = 0; list && i < count; i++) {
        const struct yaml_node *item = node->kind == NODE_LIST ? &node->items[i] : node;
        bool good = value_text(key, item, reading) && check(key, item, reading);
        fine &= good;
        if (!fine)
            continue;
        list[i] = strdup(item->text);
        fine = list[i] != NULL;
        reading->problems->out_of_memory |= !fine;
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
        value_print_text(list[i], true, out);
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
const struct key_type type_path_list = {"a list of paths such as [/a, /b]", read_path_list, print_texts,
                                        clear_list};

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
                     "names no program; write a list such as [/usr/bin/logger, \"{code}\"]");
    else
        read_list(key, node, field, reading, check_argument);
}
const struct key_type type_command = {"a list such as [/usr/bin/logger, \"{code}\"]", read_command,
                                      print_texts, clear_list};

/* Only the form: which codes there are is the diagnoses' business. */
static bool check_condition(const struct key *key, const struct yaml_node *item, struct key_reading *reading)
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
                     "is no condition; write a finding's code, an event, or severity>=info, warning, error "
                     "or critical");
    return fine;
}

static void read_conditions(const struct key *key, const struct yaml_node *node, void *field,
                            struct key_reading *reading)
{
    read_list(key, node, field, reading, check_condition);
}
const struct key_type type_conditions = {"a list such as [no-leader, severity>=error]", read_conditions,
                                         print_texts, clear_list};

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
    char **list = joined.failed ? NULL : host_list_parse(joined.at, &error);
    text_free(&joined);
    if (!list && error)
        problems_add(reading->problems, node->line, node->column, "%s: %s", key_word(key, word, sizeof word),
                     error);
    reading->problems->out_of_memory |= !list && !error;
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
const struct key_type type_addresses = {"auto, or a list of host:clientport", read_addresses, print_addresses,
                                        clear_list};

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
const struct key_type type_admin = {"a port, a list of host:port, or off", read_admin, print_admin,
                                    clear_admin};

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
const struct key_type type_count_in = {"a count within a time, such as 3 in 10m", read_count_in,
                                       print_count_in, NULL};

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
const struct key_type type_timeouts = {"a range of durations, such as 1s to 60s", read_timeouts,
                                       print_timeouts, NULL};

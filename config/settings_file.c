#include "config/settings_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/auth_file.h"
#include "config/keys.h"
#include "config/nearest.h"
#include "config/recipe_names.h"
#include "config/yaml.h"
#include "config/znode_path.h"

#define CLUSTERS "clusters[]"
#define ELECTIONS "clusters[].elections[]"

struct settings *settings_new(void)
{
    struct settings *settings = calloc(1, sizeof *settings);
    if (!settings)
        return NULL;
    bool fine = keys_initialise("", settings) && keys_initialise(ELECTIONS, &settings->discovered);
    settings->discovered.path = strdup("");
    if (fine && settings->discovered.path)
        return settings;
    settings_free(settings);
    return NULL;
}

/* Room for one more zeroed item of size at the end of *items; the count is raised. NULL: out of memory. */
static void *settings_file_grow(void *items, size_t *count, size_t size)
{
    char *grown = realloc(items, (*count + 1) * size);
    if (grown)
        memset(grown + (*count)++ * size, 0, size);
    return grown;
}

struct cluster_settings *settings_add_cluster(struct settings *settings)
{
    struct cluster_settings *grown =
        settings_file_grow(settings->clusters, &settings->cluster_count, sizeof settings->clusters[0]);
    if (!grown)
        return NULL;
    settings->clusters = grown;
    return keys_initialise(CLUSTERS, &grown[settings->cluster_count - 1])
               ? &grown[settings->cluster_count - 1]
               : NULL;
}

struct election_settings *cluster_add_election(struct cluster_settings *cluster)
{
    struct election_settings *grown =
        settings_file_grow(cluster->elections, &cluster->election_count, sizeof cluster->elections[0]);
    if (!grown)
        return NULL;
    cluster->elections = grown;
    return keys_initialise(ELECTIONS, &grown[cluster->election_count - 1])
               ? &grown[cluster->election_count - 1]
               : NULL;
}

void cluster_clear(struct cluster_settings *cluster)
{
    keys_clear(CLUSTERS, cluster);
    auth_wipe(cluster->auth_scheme);
    auth_wipe(cluster->auth_credential);
    free(cluster->security.sasl.user);
    auth_wipe(cluster->security.sasl.password);
    *cluster = (struct cluster_settings){0};
}

void election_clear(struct election_settings *election)
{
    keys_clear(ELECTIONS, election);
    *election = (struct election_settings){0};
}

void settings_free(struct settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; i < settings->cluster_count; i++)
        cluster_clear(&settings->clusters[i]);
    election_clear(&settings->discovered);
    keys_clear("", settings);
    free(settings->file);
    free(settings->notes);
    free(settings);
}

/* Says that a key is unknown, and which one was probably meant: here, or elsewhere. */
static void refuse_key(const struct yaml_node *node, const char *parent, struct key_reading *reading)
{
    struct nearest here = {0};
    char words[KEYS_MOST][KEY_PATH_MAX];
    const struct key *elsewhere = NULL;
    struct text text = {0};
    for (size_t i = 0; i < key_count; i++) {
        key_word(&keys[i], words[i], sizeof words[i]);
        if (key_is_child(&keys[i], parent))
            nearest_offer(&here, node->text, words[i]);
        else if (!elsewhere && strcmp(words[i], node->text) == 0)
            elsewhere = &keys[i];
    }
    text_add(&text, "unknown key ");
    text_quote(&text, node->text, strlen(node->text));
    if (*parent)
        text_printf(&text, " in %s", parent);
    if (elsewhere) {
        text_printf(&text, "; it belongs elsewhere, as %s", elsewhere->path);
    } else if (here.best) {
        text_printf(&text, "; did you mean \"%s\"?", here.best);
    } else {
        const char *separator = "; the keys here are ";
        for (size_t i = 0; i < key_count; i++) {
            if (!key_is_child(&keys[i], parent))
                continue;
            text_printf(&text, "%s%s", separator, words[i]);
            separator = ", ";
        }
    }
    char *message = text_take(&text);
    if (message)
        problems_add(reading->problems, node->line, node->column, "%s", message);
    reading->problems->out_of_memory |= !message;
    free(message);
}

static void note_unused(const struct key *key, const struct yaml_node *node, struct key_reading *reading)
{
    text_printf(&reading->notes, "%s%s:%zu:%zu: %s is checked, but not used by this version yet",
                reading->notes.length ? "\n" : "", reading->file ? reading->file : "configuration",
                node->line, node->column, key->path);
}

static void read_map(const char *parent, const struct yaml_node *, void *base, struct key_reading *);

/* No two items may share a unique key; several items need their names. */
static void check_items(const struct key *list, const struct yaml_node *node, struct key_reading *reading)
{
    for (size_t k = 0; k < key_count; k++) {
        const struct key *key = &keys[k];
        char word[KEY_PATH_MAX];
        if (!(key->flags & (KEY_UNIQUE | KEY_NAMES)) || !key_is_child(key, list->path))
            continue;
        key_word(key, word, sizeof word);
        for (size_t i = 0; i < node->count && !problems_full(reading->problems); i++) {
            const struct yaml_node *value = yaml_node_value(&node->items[i], word);
            if (value && yaml_node_is_null(value))
                value = NULL;
            if (!value && node->count > 1 && (key->flags & KEY_NAMES) && node->items[i].kind == NODE_MAP)
                problems_add(reading->problems, node->items[i].line, node->items[i].column,
                             "one of several items has no %s; give each its own", word);
            for (size_t j = 0; value && value->kind == NODE_TEXT && j < i; j++) {
                const struct yaml_node *other = yaml_node_value(&node->items[j], word);
                if (!other || other->kind != NODE_TEXT || strcmp(other->text, value->text) != 0)
                    continue;
                char *quoted = text_quoted(value->text);
                problems_add(reading->problems, value->line, value->column,
                             "%s: %s is already there, on line %zu; keep one of them", word,
                             quoted ? quoted : "", other->line);
                free(quoted);
                break;
            }
        }
    }
}

/* Each match of a pattern is known by its path: one name for all of them would identify none. */
static void check_pattern_names(const struct yaml_node *elections, struct key_reading *reading)
{
    for (size_t i = 0; i < elections->count && !problems_full(reading->problems); i++) {
        const struct yaml_node *path = yaml_node_value(&elections->items[i], "path");
        const struct yaml_node *name = yaml_node_value(&elections->items[i], "name");
        if (path && path->kind == NODE_TEXT && znode_is_pattern(path->text) && name &&
            !yaml_node_is_null(name))
            problems_add(reading->problems, name->line, name->column,
                         "name: what a pattern finds is called by its path; leave it out");
    }
}

/* Somebody must be told, and by a protocol that there is. */
static void check_alerts(const struct yaml_node *alerts, struct key_reading *reading)
{
    for (size_t i = 0; i < alerts->count && !problems_full(reading->problems); i++) {
        const struct yaml_node *alert = &alerts->items[i];
        if (alert->kind != NODE_MAP)
            continue;
        const struct yaml_node *run = yaml_node_value(alert, "run"), *post = yaml_node_value(alert, "post");
        bool runs = run && !yaml_node_is_null(run), posts = post && !yaml_node_is_null(post);
        if (!runs && !posts)
            problems_add(reading->problems, alert->line, alert->column,
                         "alerts[] has neither run nor post; add one (run: [/usr/bin/logger, \"{code}\"])");
        if (posts && post->kind == NODE_TEXT && strncmp(post->text, "http://", 7) != 0 &&
            strncmp(post->text, "https://", 8) != 0)
            problems_add(reading->problems, post->line, post->column,
                         "post: is no URL; write it as in http://alertmanager:9093/api/v2/alerts");
    }
}

static void read_items(const struct key *list, const struct yaml_node *node, void *base,
                       struct key_reading *reading)
{
    char word[KEY_PATH_MAX], *items = NULL;
    key_word(list, word, sizeof word);
    if (node->kind != NODE_LIST) {
        problems_add(reading->problems, node->line, node->column,
                     "%s: %s is not what belongs here; write a list, each "
                     "item behind a dash",
                     word, yaml_node_word(node));
        return;
    }
    if (node->count > (size_t)list->maximum) {
        problems_add(reading->problems, node->line, node->column,
                     "%s: %zu items are too many; write at most %d", word, node->count, (int)list->maximum);
        return;
    }
    if (!node->count)
        return;
    items = calloc(node->count, list->item_size);
    if (!items) {
        reading->problems->out_of_memory = true;
        return;
    }
    /* Stored before the items are read: whatever happens, their owner releases them. */
    memcpy((char *)base + list->offset, &items, sizeof items);
    size_t count = node->count;
    memcpy((char *)base + list->count_offset, &count, sizeof count);
    for (size_t i = 0; i < count && !problems_full(reading->problems); i++) {
        reading->problems->out_of_memory |= !keys_initialise(list->path, items + i * list->item_size);
        read_map(list->path, &node->items[i], items + i * list->item_size, reading);
    }
    check_items(list, node, reading);
    if (key_is_at(list, "clusters[].elections"))
        check_pattern_names(node, reading);
    if (key_is_at(list, "alerts"))
        check_alerts(node, reading);
}

static void read_value(const struct key *key, const struct yaml_node *word, const struct yaml_node *value,
                       void *base, struct key_reading *reading)
{
    /* An empty "tls:" still means TLS: nothing falls back to plain text. */
    if (key->flags & KEY_TELLS && (key->flags & KEY_OPTIONAL || !yaml_node_is_null(value)))
        *(bool *)((char *)base + key->offset) = true;
    if (yaml_node_is_null(value))
        return;
    if (key->flags & KEY_NOT_USED_YET)
        note_unused(key, word, reading);
    if (key_is_list(key))
        read_items(key, value, base, reading);
    else if (!key->type)
        read_map(key->path, value, base, reading);
    else
        key->type->read(key, value, (char *)base + key->offset, reading);
}

static void read_map(const char *parent, const struct yaml_node *node, void *base,
                     struct key_reading *reading)
{
    char path[2 * KEY_PATH_MAX], word[KEY_PATH_MAX];
    if (node->kind != NODE_MAP) {
        problems_add(reading->problems, node->line, node->column,
                     "%s: %s is not what belongs here; write keys and values",
                     *parent ? parent : "the configuration", yaml_node_word(node));
        return;
    }
    for (size_t i = 0; i + 1 < node->count && !problems_full(reading->problems); i += 2) {
        const struct yaml_node *name = &node->items[i];
        const struct key *key = NULL;
        if (strlen(name->text) < KEY_PATH_MAX && !strpbrk(name->text, ".[]")) {
            snprintf(path, sizeof path, "%s%s%s", parent, *parent ? "." : "", name->text);
            key = key_find(path);
        }
        if (key)
            read_value(key, name, &node->items[i + 1], base, reading);
        else
            refuse_key(name, parent, reading);
    }
    for (size_t k = 0; k < key_count && !problems_full(reading->problems); k++) {
        if (!(keys[k].flags & KEY_REQUIRED) || !key_is_child(&keys[k], parent))
            continue;
        const struct yaml_node *value = yaml_node_value(node, key_word(&keys[k], word, sizeof word));
        if (!value || yaml_node_is_null(value))
            problems_add(reading->problems, node->line, node->column, "%s has no %s; add it (%s)", parent,
                         word, keys[k].type->expects);
    }
}

void settings_read(struct settings *settings, const char *const *recipes, const char *bytes, size_t length,
                   struct problems *problems)
{
    struct key_reading reading = {.problems = problems, .file = problems->file};
    struct yaml_node *root = yaml_tree_parse(bytes, length, problems);
    if (root && !problems_full(problems))
        read_map("", root, settings, &reading);
    if (root)
        recipe_names_check(root, recipes, problems);
    yaml_tree_free(root);
    problems->out_of_memory |= reading.notes.failed;
    free(settings->notes);
    settings->notes = reading.notes.length ? text_take(&reading.notes) : NULL;
    text_free(&reading.notes);
}

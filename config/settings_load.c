#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/alert_rules.h"
#include "config/secret.h"
#include "config/config_file.h"
#include "config/key_rules.h"
#include "config/keys.h"
#include "config/memory.h"
#include "config/removed_words.h"
#include "config/option_table.h"
#include "config/options.h"
#include "config/recipe_names.h"
#include "config/text.h"
#include "config/yaml.h"
#include "config/znode_path.h"

#define CLUSTERS "clusters[]"
#define ELECTIONS "clusters[].elections[]"

struct settings *settings_new(void)
{
    struct settings *settings = xcalloc(1, sizeof *settings);
    keys_initialise("", settings);
    keys_initialise(ELECTIONS, &settings->discovered);
    settings->discovered.path = xstrdup("");
    return settings;
}

/* Room for one more zeroed item of size at the end of *items; the count is raised. */
static void *settings_file_grow(void *items, size_t *count, size_t size)
{
    char *grown = xreallocarray(items, *count + 1, size);
    memset(grown + (*count)++ * size, 0, size);
    return grown;
}

struct cluster_settings *settings_add_cluster(struct settings *settings)
{
    struct cluster_settings *grown =
        settings_file_grow(settings->clusters, &settings->cluster_count, sizeof settings->clusters[0]);
    settings->clusters = grown;
    keys_initialise(CLUSTERS, &grown[settings->cluster_count - 1]);
    return &grown[settings->cluster_count - 1];
}

struct election_settings *cluster_add_election(struct cluster_settings *cluster)
{
    struct election_settings *grown =
        settings_file_grow(cluster->elections, &cluster->election_count, sizeof cluster->elections[0]);
    cluster->elections = grown;
    keys_initialise(ELECTIONS, &grown[cluster->election_count - 1]);
    return &grown[cluster->election_count - 1];
}

static void cluster_clear(struct cluster_settings *cluster)
{
    keys_clear(CLUSTERS, cluster);
    free(cluster->auth_scheme);
    secret_end(cluster->auth_credential);
    free(cluster->security.sasl.user);
    secret_end(cluster->security.sasl.password);
    *cluster = (struct cluster_settings){0};
}

static void election_clear(struct election_settings *election)
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
    for (size_t i = 0; i < settings->recorded_count; i++)
        cluster_clear(&settings->recorded[i]);
    free(settings->recorded);
    election_clear(&settings->discovered);
    keys_clear("", settings);
    free(settings->file);
    free(settings->observe);
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
    const char *instead = removed_words_instead(node->text);
    if (instead) {
        text_printf(&text, ", which is gone; %s", instead);
    } else if (elsewhere) {
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
    problems_add(reading->problems, node->line, node->column, "%s", message);
    free(message);
}

static void read_map(const char *parent, const struct yaml_node *, void *base, struct key_reading *);

struct item_value {
    const struct yaml_node *value; /* a text; or NULL: it has none */
    size_t index;
};

static int item_values_by_text(const void *a, const void *b)
{
    const struct item_value *left = a, *right = b;
    if (!left->value || !right->value)
        return (left->value != NULL) - (right->value != NULL);
    int order = strcmp(left->value->text, right->value->text);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* By item: the first one before it with the same text for that key, or NULL. A configuration may list ten
   thousand elections: they are not compared one by one. The array is the caller's. */
static const struct yaml_node **find_repeated(const struct yaml_node *node, const char *word)
{
    const struct yaml_node **repeated = xcalloc(node->count + 1, sizeof *repeated);
    struct item_value *values = xcalloc(node->count + 1, sizeof *values);
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *value = yaml_node_value(&node->items[i], word);
        bool is_text = value && !yaml_node_is_null(value) && value->kind == NODE_TEXT;
        values[i] = (struct item_value){is_text ? value : NULL, i};
    }
    qsort(values, node->count, sizeof *values, item_values_by_text);
    const struct yaml_node *first = NULL;
    for (size_t i = 0; i < node->count; i++) {
        if (first && strcmp(first->text, values[i].value->text) == 0)
            repeated[values[i].index] = first;
        else
            first = values[i].value;
    }
    free(values);
    return repeated;
}

/* No two items may share a unique key; several items need their names. */
static void check_items(const struct key *list, const struct yaml_node *node, struct key_reading *reading)
{
    for (size_t k = 0; k < key_count; k++) {
        const struct key *key = &keys[k];
        char word[KEY_PATH_MAX];
        if (!(key->flags & (KEY_UNIQUE | KEY_NAMES)) || !key_is_child(key, list->path))
            continue;
        key_word(key, word, sizeof word);
        const struct yaml_node **repeated = find_repeated(node, word);
        for (size_t i = 0; i < node->count && !problems_full(reading->problems); i++) {
            const struct yaml_node *value = yaml_node_value(&node->items[i], word);
            if (value && yaml_node_is_null(value))
                value = NULL;
            if (!value && node->count > 1 && (key->flags & KEY_NAMES) && node->items[i].kind == NODE_MAP)
                problems_add(reading->problems, node->items[i].line, node->items[i].column,
                             "one of several items has no %s; give each its own", word);
            if (!repeated[i])
                continue;
            char *quoted = text_quoted(value->text);
            problems_add(reading->problems, value->line, value->column,
                         "%s: %s is already there, on line %zu; keep one of them", word, quoted,
                         repeated[i]->line);
            free(quoted);
        }
        free(repeated);
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
                         "name: the matches of a pattern have their paths as names; leave it out");
    }
}

static void read_items(const struct key *list, const struct yaml_node *node, void *base,
                       struct key_reading *reading)
{
    char word[KEY_PATH_MAX], *items = NULL;
    key_word(list, word, sizeof word);
    if (node->kind != NODE_LIST) {
        problems_add(reading->problems, node->line, node->column,
                     "%s: %s is not valid here; write a list, each item after a dash", word,
                     yaml_node_word(node));
        return;
    }
    if (node->count > (size_t)list->maximum) {
        problems_add(reading->problems, node->line, node->column,
                     "%s: %zu items are too many; write at most %d", word, node->count, (int)list->maximum);
        return;
    }
    if (!node->count)
        return;
    items = xcalloc(node->count, list->item_size);
    /* Stored before the items are read, so that their owner releases them after an error, too. */
    memcpy((char *)base + list->offset, &items, sizeof items);
    size_t count = node->count;
    memcpy((char *)base + list->count_offset, &count, sizeof count);
    for (size_t i = 0; i < count && !problems_full(reading->problems); i++) {
        keys_initialise(list->path, items + i * list->item_size);
        read_map(list->path, &node->items[i], items + i * list->item_size, reading);
    }
    check_items(list, node, reading);
    if (key_is_at(list, "clusters[].elections"))
        check_pattern_names(node, reading);
}

static void read_value(const struct key *key, const struct yaml_node *value, void *base,
                       struct key_reading *reading)
{
    /* An empty "tls:" still means TLS: nothing falls back to plain text. */
    if (key->flags & KEY_TELLS && (key->flags & KEY_OPTIONAL || !yaml_node_is_null(value)))
        *(bool *)((char *)base + key->offset) = true;
    if (yaml_node_is_null(value))
        return;
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
                     "%s: %s is not valid here; write keys and values",
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
            read_value(key, &node->items[i + 1], base, reading);
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

void settings_read(struct settings *settings, const struct known_words *known, const char *bytes,
                   size_t length, struct problems *problems)
{
    static const struct known_words every;
    known = known ? known : &every;
    struct key_reading reading = {.problems = problems, .file = problems->file};
    struct yaml_node *root = yaml_tree_parse(bytes, length, problems);
    if (root && !problems_full(problems))
        read_map("", root, settings, &reading);
    if (root)
        recipe_names_check(root, known->recipes, problems);
    if (root)
        alert_rules_check(root, known, problems->file, problems);
    if (root && known->actions)
        key_rules_check(root, known, problems);
    yaml_tree_free(root);
}

#define DEFAULT_HOSTS "127.0.0.1:2181"
/* Shown by an autopsy in place of servers, as it polls none. */
#define LOGS_AS_HOSTS "transaction logs"
#define CAPTURES_AS_HOSTS "captures"

/* Replaces *field with a copy of text. */
static void set_text(char **field, const char *text)
{
    char *copy = text_copy(text);
    free(*field);
    *field = copy;
}

static void settings_load_read_file(struct settings *settings, const struct options *options,
                                    struct problems *problems)
{
    char *error;
    size_t length, line, column;
    settings->file = config_file_find(options->config_file);
    if (!settings->file)
        return;
    problems->file = settings->file;
    char *bytes = config_file_read(settings->file, !options->reads_again, &length, &error, &line, &column);
    if (bytes) {
        struct known_words known = options->known ? *options->known : (struct known_words){0};
        known.alerts_are_sent = options->command == COMMAND_RECORD || options->command == COMMAND_CONFIG;
        settings_read(settings, &known, bytes, length, problems);
        free(bytes);
        return;
    }
    problems_add(problems, line, column, "%s", error);
    free(error);
}

/* Keeps only the cluster at index. */
static void keep_cluster(struct settings *settings, size_t index)
{
    for (size_t i = 0; i < settings->cluster_count; i++)
        if (i != index)
            cluster_clear(&settings->clusters[i]);
    if (index < settings->cluster_count)
        settings->clusters[0] = settings->clusters[index];
    settings->cluster_count = index < settings->cluster_count;
}

static void choose_by_name(struct settings *settings, const char *name, struct problems *problems)
{
    struct nearest nearest = {0};
    struct text text = {0};
    for (size_t i = 0; i < settings->cluster_count; i++) {
        const char *known = settings->clusters[i].name;
        if (known && strcmp(known, name) == 0) {
            keep_cluster(settings, i);
            return;
        }
        if (known)
            nearest_offer(&nearest, name, known);
    }
    text_quote(&text, name, strlen(name));
    if (nearest.best)
        text_printf(&text, "; did you mean \"%s\"?", nearest.best);
    else if (!settings->cluster_count)
        text_add(&text, "; no configuration names a cluster, use --server HOSTS or --config FILE");
    else
        text_add(&text, "; the configuration names ");
    for (size_t i = 0; !nearest.best && i < settings->cluster_count && i < 10; i++)
        text_printf(&text, "%s%s", i ? ", " : "",
                    settings->clusters[i].name ? settings->clusters[i].name : "none");
    char *what = text_take(&text);
    problems_add(problems, 0, 0, "unknown cluster %s", what);
    free(what);
}

/* --server and --cluster: which clusters remain, and where they are reached. */
static void choose_clusters(struct settings *settings, const struct options *options,
                            struct problems *problems)
{
    if (options->cluster)
        choose_by_name(settings, options->cluster, problems);
    if (problems->count)
        return;
    if (options->server && !options->cluster) {
        size_t same = 0;
        while (same < settings->cluster_count && strcmp(settings->clusters[same].hosts, options->server) != 0)
            same++;
        keep_cluster(settings, same);
    }
    if (!settings->cluster_count)
        settings_add_cluster(settings);
    if (options->server || !settings->clusters[0].hosts)
        set_text(&settings->clusters[0].hosts, options->server                       ? options->server
                                               : options->capture_count > 0          ? CAPTURES_AS_HOSTS
                                               : options->command == COMMAND_AUTOPSY ? LOGS_AS_HOSTS
                                                                                     : DEFAULT_HOSTS);
}

static void copy_election(struct election_settings *to, const struct election_settings *from, bool pattern)
{
    to->kind = from->kind;
    to->inject = from->inject;
    to->allow = from->allow;
    /* A pattern's own name would be the same for each match. */
    set_text(&to->name, pattern ? NULL : from->name);
    set_text(&to->recipe, from->recipe);
    set_text(&to->acknowledgement, from->acknowledgement);
    set_text(&to->identity, from->identity);
}

const struct election_settings *settings_of_election(const struct cluster_settings *cluster, const char *path)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        if (strcmp(cluster->elections[i].path, path) == 0)
            return &cluster->elections[i];
    for (size_t i = 0; i < cluster->election_count; i++)
        if (znode_is_pattern(cluster->elections[i].path) &&
            znode_pattern_match(cluster->elections[i].path, path))
            return &cluster->elections[i];
    return NULL;
}

const struct election_settings *settings_of_path(const struct settings *settings, const char *cluster,
                                                 const char *full_path)
{
    bool on_recording = settings && settings->recorded_count > 0;
    size_t count = !settings ? 0 : on_recording ? settings->recorded_count : settings->cluster_count;
    for (size_t i = 0; i < count; i++) {
        const struct cluster_settings *named = on_recording ? &settings->recorded[i] : &settings->clusters[i];
        const char *chroot = named->hosts ? strchr(named->hosts, '/') : NULL;
        size_t length = chroot && chroot[1] ? strlen(chroot) : 0;
        if (!named->name || strcmp(named->name, cluster) != 0 || strlen(full_path) < length)
            continue;
        return settings_of_election(named, full_path + length);
    }
    return NULL;
}

static struct election_settings *take_path(struct cluster_settings *to,
                                           const struct cluster_settings *configured, const char *path)
{
    for (size_t i = 0; i < to->election_count; i++)
        if (strcmp(to->elections[i].path, path) == 0)
            return &to->elections[i];
    struct election_settings *election = cluster_add_election(to);
    set_text(&election->path, path);
    const struct election_settings *known = settings_of_election(configured, path);
    if (known)
        copy_election(election, known, strcmp(known->path, path) != 0);
    return election;
}

/* The paths of the command line in place of the configured elections. */
static void take_paths(struct cluster_settings *cluster, const struct options *options)
{
    if (!options->path_count)
        return;
    struct cluster_settings chosen = {0};
    for (size_t i = 0; i < options->path_count; i++) {
        struct election_settings *election = take_path(&chosen, cluster, options->paths[i]);
        if (options->kind)
            election->kind = strcmp(options->kind, "lock") == 0 ? KIND_LOCK : KIND_LEADER;
    }
    for (size_t i = 0; i < cluster->election_count; i++)
        election_clear(&cluster->elections[i]);
    free(cluster->elections);
    cluster->elections = chosen.elections;
    cluster->election_count = chosen.election_count;
}

/* A value of the command line, read as the key's value in a file would be. */
static void settings_load_take_option(const char *path, const char *value, void *base,
                                      struct problems *problems)
{
    const struct key *key = key_find(path);
    struct key_reading reading = {.problems = problems};
    struct yaml_node node = {.kind = NODE_TEXT, .plain = true, .text = xstrdup(value)};
    key->type->read(key, &node, (char *)base + key->offset, &reading);
    free(node.text);
}

/* An option that names a file; it turns TLS on. */
static void take_tls(struct tls_settings *tls, const struct options *options)
{
    tls->on |= options->tls || options->tls_ca || options->tls_cert || options->tls_key;
    if (options->tls_ca)
        set_text(&tls->ca, options->tls_ca);
    if (options->tls_cert)
        set_text(&tls->cert, options->tls_cert);
    if (options->tls_key)
        set_text(&tls->key, options->tls_key);
}

/* Credentials, keys and passwords, from their files. */
static void read_secrets(struct cluster_settings *cluster, struct problems *problems)
{
    char *auth = NULL, *security = NULL;
    if (cluster->auth_file)
        security_read_auth(cluster->auth_file, &cluster->auth_scheme, &cluster->auth_credential, &auth);
    security_load(&cluster->security, &security);
    if (auth)
        problems_add(problems, 0, 0, "%s", auth);
    if (security)
        problems_add(problems, 0, 0, "%s", security);
    free(auth);
    free(security);
}

static void override_cluster(struct cluster_settings *cluster, const struct options *options,
                             struct problems *problems)
{
    if (!cluster->name)
        set_text(&cluster->name, "");
    if (options->session_timeout_ms)
        cluster->session_timeout_ms = options->session_timeout_ms;
    if (options->auth_file)
        set_text(&cluster->auth_file, options->auth_file);
    if (options->admin)
        settings_load_take_option("clusters[].servers.admin", options->admin, cluster, problems);
    if (options->transactions)
        set_text(&cluster->servers.transactions, options->transactions);
    if (options->four_letter)
        settings_load_take_option("clusters[].servers.four_letter", options->four_letter, cluster, problems);
    take_paths(cluster, options);
    take_tls(&cluster->security.tls, options);
    read_secrets(cluster, problems);
}

/* What reads files asks no cluster anything. */
static void forget_credential(struct cluster_settings *cluster)
{
    free(cluster->auth_file);
    cluster->auth_file = NULL;
}

static void set_aside(struct settings *settings)
{
    if (!settings->cluster_count)
        return;
    settings->recorded = xmemdup(settings->clusters, settings->cluster_count * sizeof *settings->recorded);
    settings->recorded_count = settings->cluster_count;
    settings->cluster_count = 0;
}

/* What cannot mean several clusters at once. */
static void check_single(const struct settings *settings, const struct options *options,
                         struct problems *problems)
{
    if (settings->cluster_count < 2)
        return;
    const struct {
        bool given;
        const char *what;
    } single[] = {{options->transactions, "--transactions with"},
                  {options->capture_count > 0, "--capture with"},
                  {options->auth_file, "--auth-file with"},
                  {options->tls_cert || options->tls_key, "--tls-cert with"},
                  {options->admin && strchr(options->admin, ':'), "--admin with addresses and"}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].given)
            problems_add(problems, 0, 0, "%s %zu clusters; choose one with --cluster", single[i].what,
                         settings->cluster_count);
}

/* What runs on follows the changes of the tree; discover searches it also where elections are named. */
static void choose_search(struct discover_settings *discover, const struct options *options)
{
    static const enum command lasting[] = {COMMAND_WATCH, COMMAND_EVENTS, COMMAND_RECORD, COMMAND_EXPORT,
                                           COMMAND_DEMO};
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        discover->follows |= options->command == lasting[i] && !options->once;
    discover->always = options->command == COMMAND_DISCOVER;
    if (options->command == COMMAND_DISCOVER && options->rate_per_s)
        discover->rate_per_s = options->rate_per_s;
    if (options->command != COMMAND_DISCOVER || options->path_count == 0)
        return;
    char **roots = xcalloc(options->path_count + 1, sizeof *roots);
    for (size_t i = 0; i < options->path_count; i++)
        roots[i] = xstrdup(options->paths[i]);
    for (size_t i = 0; discover->roots && discover->roots[i]; i++)
        free(discover->roots[i]);
    free(discover->roots);
    discover->roots = roots;
}

static void settings_fill(struct settings *settings, const struct options *options, struct problems *problems)
{
    settings_load_read_file(settings, options, problems);
    if (problems->count)
        return;
    problems->file = NULL;
    /* The demo has its own cluster and needs no credential. A command that reads a recording talks to no
       cluster: the file's clusters may have been renamed since, and their credentials are not needed. */
    bool on_recording = command_on_recording(options->command) || options->replay;
    bool on_logs = options->command == COMMAND_AUTOPSY;
    if (on_recording)
        set_aside(settings);
    if (options->command == COMMAND_DEMO || (on_logs && !options->cluster))
        keep_cluster(settings, settings->cluster_count);
    struct options others = *options;
    if (on_recording) {
        others.cluster = NULL; /* one that was recorded */
        options = &others;
    }
    choose_search(&settings->discover, options);
    if (on_logs || options->command == COMMAND_DISCOVER) {
        others.path_count = 0; /* directories, and where the search begins */
        options = &others;
    }
    choose_clusters(settings, options, problems);
    if (on_logs && settings->cluster_count > 0)
        forget_credential(&settings->clusters[0]);
    if (!problems->count)
        check_single(settings, options, problems);
    if (problems->count)
        return;
    for (size_t i = 0; i < settings->cluster_count; i++)
        override_cluster(&settings->clusters[i], options, problems);
    if (options_beside(options)) {
        settings->captures = options->captures;
        settings->capture_count = options->capture_count;
    }
    if (options->observe)
        set_text(&settings->observe, options->observe);
    if (options->ascii)
        settings->screen.ascii = TRI_YES;
    settings->screen.utc |= options->utc;
    if (options->refresh_ms)
        settings->screen.refresh_ms = options->refresh_ms;
    if (options->theme)
        settings_load_take_option("screen.theme", options->theme, settings, problems);
}

struct settings *settings_load(const struct options *options, char **error)
{
    struct problems problems = {0};
    struct settings *settings = settings_new();
    *error = NULL;
    settings_fill(settings, options, &problems);
    if (!problems.count)
        return settings;
    *error = problems_take(&problems);
    problems_free(&problems);
    settings_free(settings);
    return NULL;
}

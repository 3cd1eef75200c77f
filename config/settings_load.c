#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

#include "config/auth_file.h"
#include "config/config_file.h"
#include "config/connect_string.h"
#include "config/keys.h"
#include "config/nearest.h"
#include "config/option_table.h"
#include "config/options.h"
#include "config/settings_file.h"
#include "config/text.h"
#include "config/znode_path.h"

#define DEFAULT_HOSTS "127.0.0.1:2181"

/* Replaces *field with a copy of text. False: out of memory. */
static bool set_text(char **field, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return false;
    free(*field);
    *field = copy;
    return true;
}

static bool settings_load_read_file(struct settings *settings, const struct options *options,
                                    struct problems *problems)
{
    char *error;
    size_t length, line, column;
    if (!config_file_find(options->config_file, &settings->file))
        return false;
    if (!settings->file)
        return true;
    problems->file = settings->file;
    char *bytes = config_file_read(settings->file, &length, &error, &line, &column);
    if (bytes) {
        settings_read(settings, options->recipes, bytes, length, problems);
        free(bytes);
        return true;
    }
    if (error)
        problems_add(problems, line, column, "%s", error);
    free(error);
    return problems->count > 0;
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

static bool choose_by_name(struct settings *settings, const char *name, struct problems *problems)
{
    struct nearest nearest = {0};
    struct text text = {0};
    for (size_t i = 0; i < settings->cluster_count; i++) {
        const char *known = settings->clusters[i].name;
        if (known && strcmp(known, name) == 0) {
            keep_cluster(settings, i);
            return true;
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
    if (!what)
        return false;
    problems_add(problems, 0, 0, "unknown cluster %s", what);
    free(what);
    return true;
}

/* --server and --cluster: which clusters remain, and where they are reached. */
static bool choose_clusters(struct settings *settings, const struct options *options,
                            struct problems *problems)
{
    if (options->cluster && !choose_by_name(settings, options->cluster, problems))
        return false;
    if (problems->count)
        return true;
    if (options->server && !options->cluster) {
        size_t same = 0;
        while (same < settings->cluster_count && strcmp(settings->clusters[same].hosts, options->server) != 0)
            same++;
        keep_cluster(settings, same);
    }
    if (!settings->cluster_count && !settings_add_cluster(settings))
        return false;
    if (options->server || !settings->clusters[0].hosts)
        return set_text(&settings->clusters[0].hosts, options->server ? options->server : DEFAULT_HOSTS);
    return true;
}

static bool copy_election(struct election_settings *to, const struct election_settings *from, bool pattern)
{
    to->kind = from->kind;
    to->inject = from->inject;
    to->allow = from->allow;
    /* A pattern's own name would be the same for each match. */
    return set_text(&to->name, pattern ? NULL : from->name) && set_text(&to->recipe, from->recipe) &&
           set_text(&to->acknowledgement, from->acknowledgement) && set_text(&to->identity, from->identity);
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

static bool take_path(struct cluster_settings *to, const struct cluster_settings *configured,
                      const char *path)
{
    for (size_t i = 0; i < to->election_count; i++)
        if (strcmp(to->elections[i].path, path) == 0)
            return true;
    struct election_settings *election = cluster_add_election(to);
    if (!election || !set_text(&election->path, path))
        return false;
    const struct election_settings *known = settings_of_election(configured, path);
    return !known || copy_election(election, known, strcmp(known->path, path) != 0);
}

/* The paths of the command line in place of the configured elections. */
static bool take_paths(struct cluster_settings *cluster, const struct options *options)
{
    if (!options->path_count)
        return true;
    struct cluster_settings chosen = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < options->path_count; i++)
        fine = take_path(&chosen, cluster, options->paths[i]);
    for (size_t i = 0; i < cluster->election_count; i++)
        election_clear(&cluster->elections[i]);
    free(cluster->elections);
    cluster->elections = chosen.elections;
    cluster->election_count = chosen.election_count;
    return fine;
}

/* A value of the command line, read as the key's value in a file would be. */
static bool settings_load_take_option(const char *path, const char *value, void *base)
{
    const struct key *key = key_find(path);
    struct problems none = {0};
    struct key_reading reading = {.problems = &none};
    struct yaml_node node = {.kind = NODE_TEXT, .plain = true, .text = strdup(value)};
    if (!node.text)
        return false;
    key->type->read(key, &node, (char *)base + key->offset, &reading);
    free(node.text);
    bool fine = !none.count && !none.out_of_memory;
    problems_free(&none);
    return fine;
}

static bool read_credential(struct cluster_settings *cluster, struct problems *problems)
{
    char *error;
    if (!cluster->auth_file ||
        auth_file_read(cluster->auth_file, &cluster->auth_scheme, &cluster->auth_credential, &error))
        return true;
    if (error)
        problems_add(problems, 0, 0, "%s", error);
    free(error);
    return problems->count > 0;
}

/* An option that names a file; it turns TLS on. */
static bool take_tls(struct tls_settings *tls, const struct options *options)
{
    tls->on |= options->tls || options->tls_ca || options->tls_cert || options->tls_key;
    return (!options->tls_ca || set_text(&tls->ca, options->tls_ca)) &&
           (!options->tls_cert || set_text(&tls->cert, options->tls_cert)) &&
           (!options->tls_key || set_text(&tls->key, options->tls_key));
}

static bool read_security(struct cluster_settings *cluster, struct problems *problems)
{
    char *error;
    if (security_load(&cluster->security, &error))
        return true;
    if (error)
        problems_add(problems, 0, 0, "%s", error);
    free(error);
    return problems->count > 0;
}

static bool override_cluster(struct cluster_settings *cluster, const struct options *options,
                             struct problems *problems)
{
    if (!cluster->name && !set_text(&cluster->name, ""))
        return false;
    if (options->session_timeout_ms)
        cluster->session_timeout_ms = options->session_timeout_ms;
    if (options->auth_file && !set_text(&cluster->auth_file, options->auth_file))
        return false;
    if (options->admin && !settings_load_take_option("clusters[].servers.admin", options->admin, cluster))
        return false;
    if (options->transactions && !set_text(&cluster->servers.transactions, options->transactions))
        return false;
    if (options->four_letter != TRI_YES)
        cluster->servers.four_letter = options->four_letter == TRI_NO ? CHOICE_OFF : CHOICE_AUTO;
    return take_paths(cluster, options) && take_tls(&cluster->security.tls, options) &&
           read_credential(cluster, problems) && read_security(cluster, problems);
}

/* What reads files asks no cluster anything. */
static void forget_credential(struct cluster_settings *cluster)
{
    free(cluster->auth_file);
    cluster->auth_file = NULL;
}

/* What cannot mean several clusters at once. */
static void check_single(const struct settings *settings, const struct options *options,
                         struct problems *problems)
{
    if (settings->cluster_count < 2)
        return;
    if (options->transactions)
        problems_add(problems, 0, 0, "--transactions with %zu clusters; choose one with --cluster",
                     settings->cluster_count);
    if (options->auth_file)
        problems_add(problems, 0, 0, "--auth-file with %zu clusters; choose one with --cluster",
                     settings->cluster_count);
    if (options->tls_cert || options->tls_key)
        problems_add(problems, 0, 0, "--tls-cert with %zu clusters; choose one with --cluster",
                     settings->cluster_count);
    if (options->admin && strchr(options->admin, ':'))
        problems_add(problems, 0, 0, "--admin with addresses and %zu clusters; choose one with --cluster",
                     settings->cluster_count);
}

static bool settings_fill(struct settings *settings, const struct options *options, struct problems *problems)
{
    if (!settings_load_read_file(settings, options, problems))
        return false;
    if (problems->count)
        return true;
    problems->file = NULL;
    /* The demo has its own cluster and needs no credential. A command that reads a recording talks to no
       cluster: the file's clusters may have been renamed since, and their credentials are not needed. */
    bool on_recording = command_on_recording(options->command) || options->replay;
    bool on_logs = options->command == COMMAND_AUTOPSY;
    if (options->command == COMMAND_DEMO || on_recording || (on_logs && !options->cluster))
        keep_cluster(settings, settings->cluster_count);
    struct options others = *options;
    if (on_recording) {
        others.cluster = NULL; /* one that was recorded */
        options = &others;
    }
    if (on_logs) {
        others.path_count = 0; /* directories */
        options = &others;
    }
    if (!choose_clusters(settings, options, problems))
        return false;
    if (on_logs && settings->cluster_count > 0)
        forget_credential(&settings->clusters[0]);
    if (!problems->count)
        check_single(settings, options, problems);
    if (problems->count)
        return true;
    for (size_t i = 0; i < settings->cluster_count; i++)
        if (!override_cluster(&settings->clusters[i], options, problems))
            return false;
    if (options->ascii)
        settings->screen.ascii = TRI_YES;
    settings->screen.utc |= options->utc;
    if (options->refresh_ms)
        settings->screen.refresh_ms = options->refresh_ms;
    if (options->theme)
        settings->screen.theme = *options->theme == 'd'   ? THEME_DARK
                                 : *options->theme == 'l' ? THEME_LIGHT
                                 : *options->theme == 'm' ? THEME_MONO
                                                          : THEME_AUTO;
    return true;
}

struct settings *settings_load(const struct options *options, char **error)
{
    struct problems problems = {0};
    struct settings *settings = settings_new();
    *error = NULL;
    bool fine = settings && settings_fill(settings, options, &problems) && !problems.out_of_memory;
    if (fine && !problems.count)
        return settings;
    if (fine)
        *error = problems_take(&problems);
    problems_free(&problems);
    settings_free(settings);
    return NULL;
}

/*
 * Proves that the command line overrides the configuration, without sending a credential where it was not
 * meant to go.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/options.h"
#include "config/settings.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

static char directory[] = "/tmp/electop-settings-XXXXXX";

/* Nobody's real configuration may leak into the tests. */
static int begin(void **state)
{
    (void)state;
    setenv("ELECTOP_CONFIG", "", 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    setenv("HOME", "/nonexistent", 1);
    folder_make(directory);
    return 0;
}

static const char *name_in(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *content, mode_t mode)
{
    FILE *stream = fopen(name_in(name), "w");
    assert_non_null(stream);
    assert_int_equal(fputs(content, stream) < 0, 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(chmod(name_in(name), mode), 0);
}

static struct settings *load(struct options options)
{
    char *error = NULL;
    struct settings *settings = settings_load(&options, &error);
    if (!settings)
        fail_msg("%s", error);
    return settings;
}

static void expect_refusal(struct options options, const char *wanted)
{
    char *error = NULL;
    assert_null(settings_load(&options, &error));
    assert_non_null(error);
    assert_string_equal(error, wanted);
    free(error);
}

#define OPTIONS(...) ((struct options){__VA_ARGS__})

/* Without a file, and without options, there is ZooKeeper's usual place and discovery. */
TEST(defaults_without_a_file)
{
    struct settings *s = load(OPTIONS(.command = COMMAND_WATCH));
    assert_null(s->file);
    assert_int_equal(s->cluster_count, 1);
    assert_string_equal(s->clusters[0].hosts, "127.0.0.1:2181");
    assert_string_equal(s->clusters[0].name, "");
    assert_int_equal(s->clusters[0].session_timeout_ms, 10000);
    assert_int_equal(s->clusters[0].election_count, 0);
    assert_int_equal(s->discover.depth, 8);
    assert_string_equal(s->discovered.recipe, "auto");
    assert_string_equal(s->discovered.path, "");
    assert_int_equal(s->discovered.allow.vacancy_ms, 5000);
    settings_free(s);
}

static const char clusters[] =
    "clusters:\n"
    "  - {name: prod, hosts: 'p:1', auth_file: auth, session_timeout: 20s, elections: [\n"
    "      {path: /a, name: alpha, kind: lock}, {path: /t/*, recipe: kazoo}]}\n"
    "  - {name: test, hosts: 't:1'}\n"
    "screen: {mouse: false}\n";

static char *config(void)
{
    static char file[256];
    write_file("c.yaml", clusters, 0644);
    write_file("auth", "digest:user:secret-word\n", 0600);
    snprintf(file, sizeof file, "%s/c.yaml", directory);
    return file;
}

/* All clusters by default; --cluster takes one of them; an unknown one is refused with the nearest. */
TEST(clusters_are_chosen)
{
    char *file = config();
    struct settings *s = load(OPTIONS(.config_file = file));
    assert_int_equal(s->cluster_count, 2);
    assert_string_equal(s->clusters[0].auth_scheme, "digest");
    assert_string_equal(s->clusters[0].auth_credential, "user:secret-word");
    char *printed = settings_print(s);
    assert_null(strstr(printed, "secret-word"));
    free(printed);
    settings_free(s);

    s = load(OPTIONS(.config_file = file, .cluster = "test", .session_timeout_ms = 4000));
    assert_int_equal(s->cluster_count, 1);
    assert_string_equal(s->clusters[0].name, "test");
    assert_int_equal(s->clusters[0].session_timeout_ms, 4000);
    settings_free(s);

    expect_refusal(OPTIONS(.config_file = file, .cluster = "prd"),
                   "unknown cluster \"prd\"; did you mean \"prod\"?");
    expect_refusal(OPTIONS(.config_file = file, .cluster = "x"),
                   "unknown cluster \"x\"; the configuration names prod, test");
    expect_refusal(OPTIONS(.cluster = "x"),
                   "unknown cluster \"x\"; no configuration names a cluster, use --server "
                   "HOSTS or --config FILE");
}

/* A server of the command line gets no credential that was written for another one. */
TEST(servers_replace_clusters)
{
    char *file = config();
    struct settings *s = load(OPTIONS(.config_file = file, .server = "other:1"));
    assert_int_equal(s->cluster_count, 1);
    assert_string_equal(s->clusters[0].hosts, "other:1");
    assert_string_equal(s->clusters[0].name, "");
    assert_null(s->clusters[0].auth_credential);
    assert_int_equal(s->clusters[0].election_count, 0);
    assert_false(s->screen.mouse);
    settings_free(s);

    s = load(OPTIONS(.config_file = file, .server = "p:1"));
    assert_int_equal(s->cluster_count, 1);
    assert_string_equal(s->clusters[0].name, "prod");
    assert_non_null(s->clusters[0].auth_credential);
    settings_free(s);

    s = load(OPTIONS(.config_file = file, .server = "tunnel:1", .cluster = "prod"));
    assert_string_equal(s->clusters[0].hosts, "tunnel:1");
    assert_string_equal(s->clusters[0].name, "prod");
    assert_int_equal(s->clusters[0].election_count, 2);
    settings_free(s);

    s = load(OPTIONS(.command = COMMAND_DEMO, .config_file = file, .server = "p:1"));
    assert_null(s->clusters[0].auth_credential);
    assert_int_equal(s->clusters[0].election_count, 0);
    assert_false(s->screen.mouse);
    settings_free(s);
}

/* Paths of the command line keep the settings that are configured for them. */
TEST(paths_replace_elections)
{
    char one[] = "/a", two[] = "/t/x", three[] = "/new";
    char *paths[] = {one, two, three, one, NULL};
    struct settings *s = load(OPTIONS(.config_file = config(), .paths = paths, .path_count = 4));
    for (size_t i = 0; i < 2; i++) {
        const struct election_settings *elections = s->clusters[i].elections;
        assert_int_equal(s->clusters[i].election_count, 3);
        assert_string_equal(elections[0].path, "/a");
        assert_string_equal(elections[1].path, "/t/x");
        assert_string_equal(elections[2].path, "/new");
        assert_int_equal(elections[0].kind, i == 0 ? KIND_LOCK : KIND_AUTO);
        assert_string_equal(elections[1].recipe, i == 0 ? "kazoo" : "auto");
        assert_null(elections[1].name);
        assert_string_equal(elections[2].recipe, "auto");
    }
    assert_string_equal(s->clusters[0].elections[0].name, "alpha");
    settings_free(s);
}

/* The other options override every cluster, or are refused where they can mean only one. */
TEST(options_override)
{
    char *file = config();
    struct options options =
        OPTIONS(.config_file = file, .admin = "9", .ascii = true, .session_timeout_ms = 4000);
    options.four_letter = "off";
    struct settings *s = load(options);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s->clusters[i].servers.four_letter, CHOICE_OFF);
        assert_int_equal(s->clusters[i].servers.admin_port, 9);
        assert_int_equal(s->clusters[i].session_timeout_ms, 4000);
    }
    assert_int_equal(s->screen.ascii, TRI_YES);
    settings_free(s);
    expect_refusal(OPTIONS(.config_file = file, .auth_file = name_in("auth")),
                   "--auth-file with 2 clusters; choose one with --cluster");
    expect_refusal(OPTIONS(.config_file = file, .admin = "a:1"),
                   "--admin with addresses and 2 clusters; choose one with --cluster");
}

ALL_BETWEEN(begin, NULL)

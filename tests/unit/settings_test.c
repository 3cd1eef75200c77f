/* Proves that the configuration is read, refused and printed as the table of keys says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "config/settings.h"
#include "tests/support/test.h"

/* The example of the documentation, every key of it. */
static const char example[] =
    "clusters:\n"
    "  - name: prod\n"
    "    hosts: zk1:2181,zk2:2181,zk3:2181/chroot\n"
    "    session_timeout: 10s\n"
    "    servers:                 # where watches, connections and sessions are asked for\n"
    "      addresses: auto\n"
    "      admin: 8080\n"
    "      four_letter: auto\n"
    "      every: 5s\n"
    "    elections:\n"
    "      - path: /election\n"
    "        name: orders\n"
    "        kind: leader\n"
    "        recipe: auto\n"
    "        acknowledgement: /election-leader\n"
    "        identity: registry:/coordinators_service_registry\n"
    "        inject: sandbox\n"
    "        allow: {vacancy: 5s, failover: 10s, silent: 66%, leader_changes: 3 in 10m,\n"
    "                session_timeout: 1s to 60s}\n"
    "      - path: /teams/*/leader\n"
    "recipes:\n"
    "  - {name: ours, family: sequence, candidate: '^member-(\\d{10})$', watches: predecessor}\n"
    "discover: {roots: [/], depth: 8, every: 60s}\n"
    "inject: {sandbox: /electop-sandbox, sessions: 100, creates: 100/s, stop_above_ping: 250ms}\n"
    "history: {file: auto, keep: 30d}\n"
    "screen: {theme: auto, mouse: true, ascii: auto, refresh: 250ms}\n"
    "alerts:\n"
    "  - on: [no-leader, leader-elected, severity>=error]\n"
    "    run: [/usr/local/bin/page, \"{election}\", \"{code}\"]\n"
    "    again_after: 10m\n";

static const char *const known_recipes[] = {"curator-latch", "kazoo", "zookeeper", NULL};
static const char *const known_actions[] = {"mute", "m", "explain", "x", "open", "Enter o", NULL};

static const char *const known_facts[] = {"path", NULL};

static int known_key(const char *name, size_t length)
{
    return length == 1 ? (unsigned char)*name : strncmp(name, "Enter", length) == 0 ? 1000 : 0;
}

static const struct known_words known = {
    .recipes = known_recipes, .actions = known_actions, .row_facts = known_facts, .key_code = known_key};

static char *errors_of(const char *yaml)
{
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    assert_non_null(settings);
    settings_read(settings, &known, yaml, strlen(yaml), &problems);
    settings_free(settings);
    char *errors = problems_take(&problems);
    assert_non_null(errors);
    return errors;
}

static void expect_errors(const char *yaml, const char *wanted)
{
    char *errors = errors_of(yaml);
    assert_string_equal(errors, wanted);
    free(errors);
}

static struct settings *read_good(const char *yaml)
{
    struct problems problems = {.file = "f"};
    struct settings *settings = settings_new();
    settings_read(settings, &known, yaml, strlen(yaml), &problems);
    char *errors = problems_take(&problems);
    assert_string_equal(errors, "");
    free(errors);
    return settings;
}

/* Every key of the example lands in its field. */
TEST(the_example_is_read)
{
    struct settings *s = read_good(example);
    assert_int_equal(s->cluster_count, 1);
    const struct cluster_settings *cluster = &s->clusters[0];
    assert_string_equal(cluster->name, "prod");
    assert_string_equal(cluster->hosts, "zk1:2181,zk2:2181,zk3:2181/chroot");
    assert_int_equal(cluster->session_timeout_ms, 10000);
    assert_null(cluster->servers.addresses);
    assert_int_equal(cluster->servers.admin_port, 8080);
    assert_int_equal(cluster->servers.every_ms, 5000);
    assert_int_equal(cluster->election_count, 2);
    const struct election_settings *election = &cluster->elections[0];
    assert_string_equal(election->path, "/election");
    assert_string_equal(election->name, "orders");
    assert_int_equal(election->kind, KIND_LEADER);
    assert_string_equal(election->recipe, "auto");
    assert_string_equal(election->acknowledgement, "/election-leader");
    assert_string_equal(election->identity, "registry:/coordinators_service_registry");
    assert_int_equal(election->inject, INJECT_SANDBOX);
    assert_int_equal(election->allow.vacancy_ms, 5000);
    assert_int_equal(election->allow.failover_ms, 10000);
    assert_int_equal(election->allow.silent_percent, 66);
    assert_int_equal(election->allow.leader_changes, 3);
    assert_int_equal(election->allow.leader_changes_ms, 600000);
    assert_int_equal(election->allow.timeout_least_ms, 1000);
    assert_int_equal(election->allow.timeout_most_ms, 60000);
    assert_string_equal(s->recipes[0].candidate, "^member-(\\d{10})$");
    assert_string_equal(s->recipes[0].watches, "predecessor");
    assert_string_equal(s->discover.roots[0], "/");
    assert_null(s->discover.roots[1]);
    assert_int_equal(s->inject.creates_per_s, 100);
    assert_int_equal(s->history.keep_ms, INT64_C(2592000000));
    assert_true(s->screen.mouse);
    assert_string_equal(s->alerts[0].on[2], "severity>=error");
    assert_string_equal(s->alerts[0].run[1], "{election}");
    assert_int_equal(s->alerts[0].again_after_ms, 600000);
    settings_free(s);
}

/* Keys of the dashboard name actions and keys that exist, and no key does two things. */
TEST(keys_are_checked)
{
    struct settings *s = read_good("keys: {mute: 'x M', explain: m}");
    assert_string_equal(s->keys[0], "mute");
    assert_string_equal(s->keys[1], "x M");
    assert_string_equal(s->keys[3], "m");
    assert_null(s->keys[4]);
    char *printed = settings_print_different(s, NULL);
    assert_string_equal(printed, "keys: {mute: x M, explain: m}\n");
    free(printed);
    settings_free(s);
    expect_errors("keys:\n"
                  "  mutee: a\n"
                  "  explain: o\n"
                  "  mute: x Strg\n",
                  "f:2:3: \"mutee\" does not name an action; did you mean \"mute\"?\n"
                  "f:3:12: \"o\" is the key of explain and of open; give one of them another key, such as z\n"
                  "f:4:9: \"x Strg\" of mute has no key Strg; write a character, Ctrl-A, F1, Up, PgUp, Home, "
                  "Space, Tab, Enter or Esc");
    expect_errors("keys: {mute: Q W E R Y}", "f:1:14: \"Q W E R Y\" of mute are more than 4 keys");
    expect_errors(
        "actions:\n"
        "  - {name: mute, key: z, run: [x, \"{pth}\"]}\n"
        "  - {name: get, key: m, run: [x]}\n"
        "  - {name: put, run: [x]}\n"
        "  - {name: see, key: y, run: [x]}\n"
        "  - {name: say, key: o, run: [x]}\n",
        "f:2:12: \"mute\" is what a key does already; write another name\n"
        "f:2:35: run: \"{pth}\" contains {pth}, which is not a fact; did you mean {path}? Or write { pth }\n"
        "f:3:22: \"m\" is the key of mute and of get; give one of them another key, such as w\n"
        "f:4:5: actions[] has no key; add it (a text)\n"
        "f:6:22: \"o\" is the key of open and of say; give one of them another key, such as v");
    expect_errors("keys: m",
                  "f:1:7: keys: \"m\" is not valid here; write a mapping such as {mute: z, explain: F5}");
}

/* Other forms that keys may take. */
TEST(other_forms)
{
    struct settings *s =
        read_good("clusters:\n"
                  "  - hosts: a\n"
                  "    servers: {addresses: ['a:1', '[::1]:2'], admin: off, every: off, four_letter: off}\n"
                  "    elections: [{path: /l, kind: lock, identity: data, acknowledgement: }]\n"
                  "screen: {theme: mono, mouse: no, ascii: on, refresh: 1s}\n"
                  "discover: {roots: /only}\n"
                  "history: {file: ~}\n");
    const struct servers_settings *servers = &s->clusters[0].servers;
    assert_string_equal(servers->addresses[1], "[::1]:2");
    assert_true(servers->admin_off);
    assert_int_equal(servers->admin_port, 0);
    assert_int_equal(servers->every_ms, 0);
    assert_int_equal(servers->four_letter, CHOICE_OFF);
    assert_int_equal(s->clusters[0].elections[0].kind, KIND_LOCK);
    assert_string_equal(s->clusters[0].elections[0].identity, "data");
    assert_null(s->clusters[0].elections[0].acknowledgement);
    assert_int_equal(s->screen.theme, THEME_MONO);
    assert_false(s->screen.mouse);
    assert_int_equal(s->screen.ascii, TRI_YES);
    assert_string_equal(s->discover.roots[0], "/only");
    assert_string_equal(s->history.file, "auto");
    settings_free(s);
    s = read_good("clusters: [{hosts: a, servers: {admin: 'x:1,y:2'}}]");
    assert_string_equal(s->clusters[0].servers.admin_addresses[1], "y:2");
    assert_int_equal(s->clusters[0].servers.admin_port, 0);
    settings_free(s);
}

/* Nothing at all is a configuration too. */
TEST(empty_files)
{
    static const char *const empty[] = {"", "\n", "# only a remark\n", "---\n", "~\n", "{}\n"};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
        settings_free(read_good(empty[i]));
}

/* What is printed is read back to what prints the same: no key is lost, no quoting is wrong. */
TEST(printing_round_trips)
{
    static const char odd[] =
        "clusters:\n"
        "  - {name: \"it's: #1\", hosts: '[::1]:1/x', auth_file: \"/a b/'c'\", servers: {admin: ['a:1', "
        "'b:2'], every: off}}\n"
        "  - {name: 'null', hosts: b, elections: [{path: '/- x', name: ' y', identity: session}]}\n"
        "alerts: [{on: severity>=info, run: ['/x', '', 'a,b', '{c}', \"\\\"q\\\"\", '-n']}]\n";
    const char *const texts[] = {example, odd, "{}"};
    for (size_t i = 0; i < 3; i++) {
        struct settings *first = read_good(texts[i]);
        char *printed = settings_print(first);
        struct settings *second = read_good(printed);
        char *again = settings_print(second);
        assert_string_equal(printed, again);
        free(printed);
        free(again);
        settings_free(first);
        settings_free(second);
    }
}

/* All that is wrong is said at once, in the file's order, with its place and what to do. */
TEST(all_errors_at_once)
{
    expect_errors(
        "clusters:\n"
        "  - nam: prod\n"
        "    hosts: zk1:99999\n"
        "    session_timeout: 10\n"
        "    session_timeout: 1h\n"
        "    servers: {evry: 5, admin: maybe}\n"
        "    elections: [{path: /a/}, {path: b}, {kind: leadr, path: /x}, {path: /x}, foo]\n"
        "recips: []\n"
        "screen: {refresh: 1ms, theme: darkk, mouse: perhaps, path: /x}\n"
        "history: 5\n",
        "f:2:5: unknown key \"nam\" in clusters[]; did you mean \"name\"?\n"
        "f:3:12: hosts: \"zk1:99999\" has no valid port; ports are 1 to 65535\n"
        "f:4:22: session_timeout: \"10\" has no unit; write it as in 250ms, 10s, 5m, 2h or 30d\n"
        "f:5:5: the key \"session_timeout\" is already there, on line 4; keep one of them\n"
        "f:6:15: unknown key \"evry\" in clusters[].servers; did you mean \"every\"?\n"
        "f:6:31: admin: \"maybe\" is neither a port, nor host:port,..., nor off; ports are 1 to 65535\n"
        "f:7:24: path: \"/a/\" ends in a slash; leave it out\n"
        "f:7:37: path: \"b\" does not begin with a slash; write the full path, such as /election\n"
        "f:7:48: kind: \"leadr\" is not known; did you mean leader? write leader, lock or auto\n"
        "f:7:73: path: \"/x\" is already there, on line 7; keep one of them\n"
        "f:7:78: clusters[].elections[]: a text is not valid here; write keys and values\n"
        "f:8:1: unknown key \"recips\"; did you mean \"recipes\"?\n"
        "f:9:19: refresh: \"1ms\" is out of range; write 20ms to 10s\n"
        "f:9:31: theme: \"darkk\" is not known; did you mean dark? write auto, dark, light or mono\n"
        "f:9:45: mouse: \"perhaps\" is not known; write true or false\n"
        "f:9:54: unknown key \"path\" in screen; it belongs elsewhere, as clusters[].elections[].path\n"
        "f:10:10: history: a text is not valid here; write keys and values");
}

/* Each kind of value has its own refusal. */
TEST(bad_values)
{
    static const char *const table[][2] = {
        {"- a", "f:1:1: the configuration: a list is not valid here; write keys and values"},
        {"text", "f:1:1: the configuration: a text is not valid here; write keys and values"},
        {"xyzzy: 1",
         "f:1:1: unknown key \"xyzzy\"; the keys here are clusters, recipes, discover, inject, history, "
         "screen, keys, actions, alerts"},
        {"pair: ops",
         "f:1:1: unknown key \"pair\", which is gone; several recorders may send the same alert: "
         "have the pager remove duplicates by {key}, as Alertmanager does"},
        {"alerts: [{on: no-leader, run: x, cool_down: 1m}]",
         "f:1:34: unknown key \"cool_down\" in alerts[], which is gone; each finding is one alert, raised "
         "and "
         "resolved with the same {key}: have the pager or Alertmanager wait"},
        {"Screen: {}", "f:1:1: unknown key \"Screen\"; did you mean \"screen\"?"},
        {"\"a\\eb\": 1",
         "f:1:1: unknown key \"a\\x1bb\"; the keys here are clusters, recipes, discover, inject, "
         "history, screen, keys, actions, alerts"},
        {"clusters: {}",
         "f:1:11: clusters: a mapping is not valid here; write a list, each item after a dash"},
        {"clusters: [{}]", "f:1:12: clusters[] has no hosts; add it (a connect string such as "
                           "zk1:2181,zk2:2181/chroot)"},
        {"clusters: [{hosts: }]", "f:1:12: clusters[] has no hosts; add it (a connect string such as "
                                  "zk1:2181,zk2:2181/chroot)"},
        {"clusters: [{hosts: ''}]", "f:1:20: hosts: is empty; write host:port,host:port/chroot"},
        {"clusters: [{hosts: [a]}]",
         "f:1:20: hosts: a list is not valid here; write a connect string such as "
         "zk1:2181,zk2:2181/chroot"},
        {"clusters: [{hosts: a}, {hosts: b, name: b}]",
         "f:1:12: one of several items has no name; give each its own"},
        {"clusters: [{hosts: a, name: b}, {hosts: b, name: b}]",
         "f:1:50: name: \"b\" is already there, on line 1; keep one of them"},
        {"clusters: [{hosts: a, name: \"\\x01\"}]",
         "f:1:29: name: \"\\x01\" contains a control character; leave it out"},
        {"clusters: [{hosts: a, name: ''}]",
         "f:1:29: name: \"\" is empty; write something, or leave the key out"},
        {"clusters: [{hosts: a, session_timeout: 500ms}]",
         "f:1:40: session_timeout: \"500ms\" is out of range; write 1s to 5m"},
        {"clusters: [{hosts: a, servers: {admin: 0}}]",
         "f:1:40: admin: \"0\" is neither a port, nor host:port,..., nor off; ports are 1 to 65535"},
        {"clusters: [{hosts: a, servers: {addresses: [b]}}]",
         "f:1:44: addresses: \"b\" has no port; write it as host:port"},
        {"clusters: [{hosts: a, elections: [{name: x}]}]",
         "f:1:35: clusters[].elections[] has no path; add it (a path such as /election or /teams/*/leader)"},
        {"clusters: [{hosts: a, elections: [{path: /a/../b}]}]",
         "f:1:42: path: \"/a/../b\" contains a component . or .., which ZooKeeper refuses; write the path "
         "without it"},
        {"clusters: [{hosts: a, elections: [{path: /a, acknowledgement: /b/*}]}]",
         "f:1:63: acknowledgement: \"/b/*\" is a pattern; write one path here, without * and ?"},
        {"clusters: [{hosts: a, elections: [{path: /a, identity: nobody}]}]",
         "f:1:56: identity: \"nobody\" is not known; write auto, registry:/path, data, name, client or "
         "session"},
        {"clusters: [{hosts: a, elections: [{path: /a, identity: 'registry:x'}]}]",
         "f:1:56: identity: \"registry:x\" does not begin with a slash; write the full path, such as "
         "/election"},
        {"clusters: [{hosts: a, elections: [{path: /a, allow: {silent: 101%}}]}]",
         "f:1:62: silent: \"101%\" is out of range; write 1% to 100%"},
        {"clusters: [{hosts: a, elections: [{path: /a, allow: {leader_changes: 3}}]}]",
         "f:1:70: leader_changes: \"3\" is not a count within a time; write it as in 3 in 10m"},
        {"clusters: [{hosts: a, elections: [{path: /a, allow: {session_timeout: 10s}}]}]",
         "f:1:71: session_timeout: \"10s\" is not a range of durations; write it as in 1s to 60s"},
        {"clusters: [{hosts: a, elections: [{path: /a, allow: {session_timeout: 1s to 2d}}]}]",
         "f:1:71: session_timeout: \"1s to 2d\" is out of range; write it within 0 to 1d"},
        {"discover: {depth: 0}", "f:1:19: depth: \"0\" is out of range; write 1 to 64"},
        {"discover: {depth: deep}", "f:1:19: depth: \"deep\" is not a whole number; write digits only"},
        {"discover: {roots: []}", "f:1:19: roots: a list is empty; write a list of paths such as [/a, /b]"},
        {"inject: {creates: 100}", "f:1:19: creates: \"100\" is not a rate; write it as in 100/s"},
        {"inject: {creates: 0/s}", "f:1:19: creates: \"0/s\" is out of range; write 1/s to 100000/s"},
        {"history: {keep: forever}",
         "f:1:17: keep: \"forever\" is not a duration; write it as in 250ms, 10s, 5m, 2h or 30d"},
        {"alerts: [{on: [severity>=bad], run: x}]", "f:1:16: on: \"severity>=bad\" is not a condition; write "
                                                    "a finding's code, an event, or severity>=info, warning, "
                                                    "error or critical"},
        {"alerts: [{on: x, run: []}]",
         "f:1:23: run: a list is empty; write a list such as [/usr/bin/logger, \"{code}\"]"},
        {"alerts: [{on: x}]",
         "f:1:10: alerts[] has neither run nor post; add one (run: [/usr/bin/logger, \"{code}\"])"},
        {"alerts: [{on: x, post: 'ftp://x'}]",
         "f:1:24: post: is not a URL; write it as in http://alertmanager:9093/api/v2/alerts"},
        {"recipes: [{name: x, candidate: '(', family: hybrid}]",
         "f:1:32: candidate: \"(\" is not a regular expression: missing closing parenthesis, at character 2; "
         "see "
         "pcre2pattern(3)"},
        {"recipes: [{name: x, candidate: 'n_[0-9]+'}]",
         "f:1:32: candidate: \"n_[0-9]+\" has no group for the sequence number; put ten digits in "
         "parentheses: (\\d{10})"},
        {"recipes: [{name: x, candidate: (y), family: tribe}]",
         "f:1:45: family: \"tribe\" is not known; write sequence, lock or hybrid"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        expect_errors(table[i][0], table[i][1]);
}

/* A recipe's name is looked for in the whole file and among those built in, and reported where it stands. */
TEST(recipes_are_known)
{
    settings_free(
        read_good("clusters: [{hosts: a, elections: [{path: /a, recipe: ours}, {path: /b, recipe: kazoo},\n"
                  "  {path: /c, recipe: auto}, {path: /d, recipe: '^member-(\\d{10})$'}]}]\n"
                  "recipes: [{name: ours, candidate: (x)}, {name: l, family: lock}]"));
    expect_errors(
        "clusters:\n"
        "  - hosts: a\n"
        "    elections:\n"
        "      - {path: /x, recipe: curator-lach}\n"
        "      - {path: b, recipe: xyzzy}\n"
        "      - {path: /z, recipe: 'ourz'}\n"
        "      - {path: /p, recipe: '^member-(\\d{10}$'}\n"
        "recipes:\n"
        "  - {name: ours}\n"
        "  - {name: b, family: lock, candidate: (x)}\n",
        "f:4:28: recipe: \"curator-lach\" is not a known recipe; did you mean \"curator-latch\"?\n"
        "f:5:16: path: \"b\" does not begin with a slash; write the full path, such as /election\n"
        "f:5:27: recipe: \"xyzzy\" is not a known recipe; write auto, a name that electop config --help "
        "lists, one of your own below recipes, or a pattern such as '^member-(\\d{10})$'\n"
        "f:6:28: recipe: \"ourz\" is not a known recipe; did you mean \"ours\"?\n"
        "f:7:28: recipe: \"^member-(\\d{10}$\" is not a regular expression: missing closing parenthesis, at "
        "character 17; see pcre2pattern(3)\n"
        "f:9:12: name: \"ours\" has no candidate; add the regular expression of its candidates' names\n"
        "f:10:12: name: \"b\" is a lock, so its candidates have no names; leave its candidate out");
}

/* What could never be said of anything, or would be said of nothing, is refused. */
TEST(names_that_name_nothing)
{
    expect_errors(
        "recipes:\n"
        "  - {name: two words, candidate: 'a(\\d{10})'}\n"
        "  - {name: auto, candidate: 'a(\\d{10})'}\n"
        "clusters:\n"
        "  - hosts: a\n"
        "    elections: [{path: /a, name: one}, {path: /t/*/leader, name: teams}, {path: '/?', name: ~}]\n",

        "f:2:12: name: \"two words\" is more than one word; write one, for an election's recipe\n"
        "f:3:12: name: \"auto\" means any recipe; write another word\n"
        "f:6:66: name: the matches of a pattern have their paths as names; leave it out");
}

/* A file that is wrong everywhere does not flood the terminal. */
TEST(errors_are_bounded)
{
    char yaml[8000] = "clusters:\n";
    for (int i = 0; i < 200; i++)
        strcat(yaml, "  - {hosts: 'a:0'}\n");
    char *errors = errors_of(yaml);
    size_t lines = 1;
    for (const char *at = errors; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, PROBLEMS_MAX + 1);
    assert_non_null(strstr(errors, "there are more than 50 errors; correct these first"));
    free(errors);
}

/* The dashboard records where the configuration speaks of a history, and not because of the defaults. */
TEST(history_is_reported_from_its_defaults)
{
    struct settings *s = read_good("history: {keep: 1d}\n");
    assert_true(s->history.given);
    assert_string_equal(s->history.file, "auto");
    assert_int_equal(s->history.keep_ms, 24 * 3600 * 1000);
    settings_free(s);
    s = read_good("screen: {mouse: no}\n");
    assert_false(s->history.given);
    settings_free(s);
}

/* The table itself: defaults that read well, parents that exist, a help for each. */
TEST(the_table_is_sound)
{
    struct settings *s = settings_new();
    assert_non_null(s);
    assert_non_null(settings_add_cluster(s));
    assert_non_null(cluster_add_election(&s->clusters[0]));
    settings_free(s);
    for (size_t i = 0; i < key_count; i++) {
        char parent[KEY_PATH_MAX];
        assert_non_null(keys[i].help);
        assert_true(strlen(keys[i].path) < KEY_PATH_MAX);
        snprintf(parent, sizeof parent, "%s", keys[i].path);
        char *dot = strrchr(parent, '.');
        if (!dot)
            continue;
        *dot = '\0';
        const struct key *above = key_find(parent);
        assert_non_null(above);
        assert_true(above < &keys[i]);
        assert_null(above->type);
        assert_true(key_is_child(&keys[i], parent));
    }
}

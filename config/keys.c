#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

#include "config/key.h"
#include "config/memory.h"
#include "config/settings.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static const char *const kinds[] = {"leader", "lock", "auto", NULL};
static const char *const leaves[] = {"never", "sandbox", "live", NULL};
static const char *const auto_off_words[] = {"auto", "off", NULL};
static const char *const themes[] = {"auto", "dark", "light", "mono", NULL};
static const char *const verifies[] = {"full", "ca", "none", NULL};
static const char *const tls_versions[] = {"1.2", "1.3", NULL};
static const char *const admin_words[] = {"auto", "https", NULL};
static const char *const mechanisms[] = {"auto", "gssapi", "digest-md5", NULL};
static const char *const families[] = {"sequence", "lock", "hybrid", NULL};
static const char *const watches[] = {"predecessor", "leader", "children", "nothing", "unknown", NULL};

#define TOP(member) .offset = offsetof(struct settings, member)
#define CLUSTER(member) .offset = offsetof(struct cluster_settings, member)
#define ELECTION(member) .offset = offsetof(struct election_settings, member)
#define RECIPE(member) .offset = offsetof(struct recipe_settings, member)
#define ALERT(member) .offset = offsetof(struct alert_settings, member)
#define ACTION(member) .offset = offsetof(struct action_settings, member)
#define ITEMS(in, list, of, number)                                                                          \
    .offset = offsetof(struct in, list), .count_offset = offsetof(struct in, number),                        \
    .item_size = sizeof(struct of)

/* clang-format off: a table, one row for each key. Parents precede their children. */
const struct key keys[] = {
    {"clusters[]", .maximum = 1000, ITEMS(settings, clusters, cluster_settings, cluster_count),
     .help = "the ZooKeeper ensembles to watch"},
    {"clusters[].name", &type_text, CLUSTER(name), .maximum = 64, .flags = KEY_UNIQUE | KEY_NAMES,
     .help = "its name, on screens and for --cluster"},
    {"clusters[].hosts", &type_connect_string, CLUSTER(hosts), .flags = KEY_REQUIRED,
     .help = "connect string: host:port,host:port/chroot"},
    {"clusters[].session_timeout", &type_duration, "10s", CLUSTER(session_timeout_ms), SESSION_TIMEOUT_MIN_MS,
     SESSION_TIMEOUT_MAX_MS, .help = "timeout of electop's own sessions; the servers may raise it"},
    {"clusters[].auth_file", &type_file, CLUSTER(auth_file),
     .help = "file with one line, scheme:credential; only its owner may read it"},
    {"clusters[].tls", .flags = KEY_TELLS | KEY_OPTIONAL, CLUSTER(security.tls.on),
     .help = "if present, all connections use TLS"},
    {"clusters[].tls.ca", &type_file, CLUSTER(security.tls.ca),
     .help = "PEM file of the authorities that sign the servers' certificates; none: the system's"},
    {"clusters[].tls.cert", &type_file, CLUSTER(security.tls.cert),
     .help = "PEM file with the client certificate, if the servers ask for one"},
    {"clusters[].tls.key", &type_file, CLUSTER(security.tls.key),
     .help = "PEM file with its key; only its owner may read it; default: cert"},
    {"clusters[].tls.key_password_file", &type_file, CLUSTER(security.tls.key_password_file),
     .help = "file with one line, the key's password; only its owner may read it"},
    {"clusters[].tls.verify", &type_choice, "full", CLUSTER(security.tls.verify), .words = verifies,
     .help = "check of a server's certificate: full (authority and name), ca (authority) or none"},
    {"clusters[].tls.server_name", &type_text, CLUSTER(security.tls.server_name), .maximum = 253,
     .help = "name in every server's certificate, if it is not the host"},
    {"clusters[].tls.min_version", &type_choice, "1.2", CLUSTER(security.tls.min_version),
     .words = tls_versions, .help = "the oldest TLS: 1.2 or 1.3"},
    {"clusters[].tls.admin", &type_choice, "auto", CLUSTER(security.tls.admin), .words = admin_words,
     .help = "AdminServer: auto (without TLS if it has none) or https (always with TLS)"},
    {"clusters[].sasl", .flags = KEY_TELLS | KEY_OPTIONAL, CLUSTER(security.sasl.given),
     .help = "if present, each connection logs in first"},
    {"clusters[].sasl.mechanism", &type_choice, "auto", CLUSTER(security.sasl.mechanism), .words = mechanisms,
     .help = "gssapi (Kerberos), digest-md5, or auto: by the keys below"},
    {"clusters[].sasl.keytab", &type_file, CLUSTER(security.sasl.keytab),
     .help = "gssapi: keytab for tickets; only its owner may read it"},
    {"clusters[].sasl.ticket_cache", &type_text, CLUSTER(security.sasl.ticket_cache), .maximum = 1024,
     .help = "gssapi: ticket cache of kinit; default: KRB5CCNAME"},
    {"clusters[].sasl.principal", &type_text, CLUSTER(security.sasl.principal), .maximum = 256,
     .help = "gssapi: client principal; default: the first of the keytab or cache"},
    {"clusters[].sasl.credentials_file", &type_file, CLUSTER(security.sasl.credentials_file),
     .help = "digest-md5: file with one line, user:password; only its owner may read it"},
    {"clusters[].sasl.service", &type_text, "zookeeper", CLUSTER(security.sasl.service), .maximum = 64,
     .help = "first part of the servers' principal"},
    {"clusters[].sasl.host", &type_text, CLUSTER(security.sasl.host), .maximum = 253,
     .help = "its second part; default: the host connected to"},
    {"clusters[].servers", .help = "how servers are polled for watches, connections and sessions"},
    {"clusters[].servers.addresses", &type_addresses, "auto", CLUSTER(servers.addresses),
     .help = "auto: from the ensemble; or a list of host:clientport"},
    {"clusters[].servers.admin", &type_admin, "8080", CLUSTER(servers),
     .help = "AdminServer's port on every server, a list of host:port (in any order), or off"},
    {"clusters[].servers.four_letter", &type_choice, "auto", CLUSTER(servers.four_letter),
     .words = auto_off_words, .help = "four-letter words: auto or off"},
    {"clusters[].servers.transactions", &type_file, CLUSTER(servers.transactions),
     .help = "data directory of a server on this machine: its transaction log proves causes"},
    {"clusters[].servers.every", &type_interval, "5s", CLUSTER(servers.every_ms), 100, HOUR,
     .help = "shortest interval between polls; off: only on demand"},
    {"clusters[].elections[]", .maximum = 50000,
     ITEMS(cluster_settings, elections, election_settings, election_count),
     .help = "default: they are discovered"},
    {"clusters[].elections[].path", &type_pattern, ELECTION(path), .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "below the chroot; * and ? match inside a component"},
    {"clusters[].elections[].name", &type_text, ELECTION(name), .maximum = 64,
     .help = "its name on screens; matches of a pattern have their paths as names"},
    {"clusters[].elections[].kind", &type_choice, "auto", ELECTION(kind), .words = kinds,
     .help = "leader: there must be a leader; lock: it may be free; auto: as the layout says"},
    {"clusters[].elections[].recipe", &type_recipe, "auto", ELECTION(recipe), .maximum = 64,
     .help = "the layout: auto, a recipe's name, or a pattern"},
    {"clusters[].elections[].acknowledgement", &type_path, ELECTION(acknowledgement),
     .help = "znode that a leader writes once it leads"},
    {"clusters[].elections[].identity", &type_identity, "auto", ELECTION(identity),
     .help = "what identifies a candidate: auto, registry:/path, data, name, client or session"},
    {"clusters[].elections[].inject", &type_choice, "sandbox", ELECTION(inject), .words = leaves,
     .help = "where test candidates may run: never, sandbox (a copy) or live"},
    {"clusters[].elections[].owner", &type_text, ELECTION(owner), .maximum = 200,
     .help = "who is responsible: on screens, in reports and alerts"},
    {"clusters[].elections[].runbook", &type_text, ELECTION(runbook), .maximum = 2000,
     .help = "where the instructions are: on screens, in reports and alerts"},
    {"clusters[].elections[].allow", .help = "normal limits; beyond them a finding is raised"},
    {"clusters[].elections[].allow.vacancy", &type_duration, "5s", ELECTION(allow.vacancy_ms), 0, DAY,
     .help = "time without a candidate"},
    {"clusters[].elections[].allow.failover", &type_duration, "10s", ELECTION(allow.failover_ms), 0, DAY,
     .help = "from a leader's end to the next one's acknowledgement"},
    {"clusters[].elections[].allow.silent", &type_percent, "66%", ELECTION(allow.silent_percent), 1, 100,
     .help = "share of its session timeout that a leader may be silent"},
    {"clusters[].elections[].allow.leader_changes", &type_count_in, "3 in 10m", ELECTION(allow), 1, 1000,
     .help = "number of leader changes within a period"},
    {"clusters[].elections[].allow.session_timeout", &type_timeouts, "1s to 60s", ELECTION(allow), 0, DAY,
     .help = "of candidates: shorter ones expire in a pause, longer ones delay detection"},

    {"recipes[]", .maximum = 200, ITEMS(settings, recipes, recipe_settings, recipe_count),
     .help = "your own layouts, in addition to the built-in ones"},
    {"recipes[].name", &type_text, RECIPE(name), .maximum = 64, .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "one word, for an election's recipe"},
    {"recipes[].family", &type_word, "sequence", RECIPE(family), .words = families,
     .help = "sequence, lock or hybrid"},
    {"recipes[].candidate", &type_expression, RECIPE(candidate), .maximum = 1024,
     .help = "regular expression of a candidate's name; its first group is the number"},
    {"recipes[].watches", &type_word, "predecessor", RECIPE(watches), .words = watches,
     .help = "what a candidate watches: predecessor, leader, children, nothing or unknown"},

    {"discover", .help = "search for elections, if none are named"},
    {"discover.roots", &type_path_list, "/", TOP(discover.roots), .maximum = 100,
     .help = "znodes where the search begins"},
    {"discover.depth", &type_integer, "8", TOP(discover.depth), 1, 64, .help = "number of levels to search"},
    {"discover.every", &type_duration, "60s", TOP(discover.every_ms), SECOND, DAY,
     .help = "interval between searches, if changes cannot be watched"},
    {"discover.rate", &type_rate, "10000/s", TOP(discover.rate_per_s), 1, 1000000,
     .help = "maximum reads per second while it searches"},

    {"inject", .help = "limits for test candidates"},
    {"inject.sandbox", &type_path, "/electop-sandbox", TOP(inject.sandbox),
     .help = "directory of test elections"},
    {"inject.sessions", &type_integer, "100", TOP(inject.sessions), 1, 100000,
     .help = "maximum sessions of test candidates without --load"},
    {"inject.creates", &type_rate, "100/s", TOP(inject.creates_per_s), 1, 100000,
     .help = "maximum creates of test candidates without --load"},
    {"inject.stop_above_ping", &type_duration, "250ms", TOP(inject.stop_above_ping_ms), 1, MINUTE,
     .help = "the ensemble's ping p99 that ends a run without --load"},

    {"history", .flags = KEY_TELLS, TOP(history.given),
     .help = "the recording of electop record; if present, the dashboard records, too"},
    {"history.file", &type_history, "auto", TOP(history.file), .help = "auto, off, or a file"},
    {"history.keep", &type_duration, "30d", TOP(history.keep_ms), MINUTE, 3650 * DAY,
     .help = "older events are removed"},
    {"history.unpack", &type_size, "8GB", TOP(history.unpack_bytes), 1000, INT64_C(1000000000000),
     .help = "how much of packed transaction logs and snapshots is unpacked, in $TMPDIR"},
    {"history.observations", &type_duration, "24h", TOP(history.observations_ms), 0, 30 * DAY,
     .help = "older observations are removed, and the oldest beyond 256 MB; 0s: none is kept"},

    {"screen", .help = "the dashboard"},
    {"screen.theme", &type_choice, "auto", TOP(screen.theme), .words = themes,
     .help = "auto, dark, light or mono"},
    {"screen.mouse", &type_switch, "true", TOP(screen.mouse), .help = "mouse clicks and the wheel"},
    {"screen.ascii", &type_tri_state, "auto", TOP(screen.ascii),
     .help = "signs and lines in ASCII: auto, true or false"},
    {"screen.utc", &type_switch, "false", TOP(screen.utc), .help = "show times in UTC, not in local time"},
    {"screen.hints", &type_choice, "auto", TOP(screen.hints), .words = auto_off_words,
     .help = "a legend of the signs until the first key: auto or off"},
    {"screen.bell", &type_switch, "false", TOP(screen.bell),
     .help = "ring the terminal's bell when a finding of severity error or worse is certain"},
    {"screen.refresh", &type_duration, "250ms", TOP(screen.refresh_ms), 20, 10 * SECOND,
     .help = "shortest interval between two screen updates"},

    {"keys", &type_key_map, TOP(keys), .maximum = YAML_KEYS_MAX,
     .help = "other keys of the dashboard, by what they do, as after ':'"},

    {"actions[]", .maximum = ACTIONS_MOST, ITEMS(settings, actions, action_settings, action_count),
     .help = "your own commands on the selected row of the dashboard"},
    {"actions[].name", &type_text, ACTION(name), .maximum = 40, .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "what it does: in the help, and after ':'"},
    {"actions[].key", &type_text, ACTION(key), .maximum = 16, .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "its key, which nothing else has"},
    {"actions[].run", &type_command, ACTION(run), .maximum = 100, .flags = KEY_REQUIRED,
     .help = "program and arguments, no shell: {path}, {identity}, {client} ... are the row's"},

    {"alerts[]", .maximum = 200, ITEMS(settings, alerts, alert_settings, alert_count),
     .help = "what electop record does on a finding or an event"},
    {"alerts[].on", &type_conditions, ALERT(on), .maximum = 100, .flags = KEY_REQUIRED,
     .help = "finding codes, events, severity>=error"},
    {"alerts[].run", &type_command, ALERT(run), .maximum = 100,
     .help = "program and arguments, no shell; facts are in the environment, ELECTOP_*"},
    {"alerts[].post", &type_text, ALERT(post), .maximum = 2000,
     .help = "URL to which the alert is posted, as JSON for Alertmanager's /api/v2/alerts"},
    {"alerts[].secret_file", &type_file, ALERT(secret_file),
     .help = "file with the bearer token or the Authorization header; only its owner may read it"},
    {"alerts[].timeout", &type_duration, "10s", ALERT(timeout_ms), 100, 10 * MINUTE,
     .help = "time limit of a command, which is then killed, and of a post"},
    {"alerts[].again_after", &type_duration, "10m", ALERT(again_after_ms), 0, 30 * DAY,
     .help = "repeat interval while the finding lasts; 0: no repeats"},
    {"alerts[].suspected", &type_switch, "false", ALERT(suspected),
     .help = "also alert on findings that are not certain"},
};
/* clang-format on */
const size_t key_count = sizeof keys / sizeof keys[0];
_Static_assert(sizeof keys / sizeof keys[0] <= KEYS_MOST, "their reader has no more room");

const struct key *key_find(const char *path)
{
    for (size_t i = 0; i < key_count; i++)
        if (key_is_at(&keys[i], path))
            return &keys[i];
    return NULL;
}

void keys_initialise(const char *scope, void *base)
{
    struct problems problems = {0};
    struct key_reading reading = {.problems = &problems};
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        if (!key->fallback || !key_is_in_scope(key, scope))
            continue;
        struct yaml_node node = {.kind = NODE_TEXT, .plain = true, .text = xstrdup(key->fallback)};
        key->type->read(key, &node, (char *)base + key->offset, &reading);
        free(node.text);
    }
    if (problems.count) /* a fallback in this table that cannot be read: each test sees it */
        abort();
    problems_free(&problems);
}

void keys_clear(const char *scope, void *base)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        if (!key_is_in_scope(key, scope))
            continue;
        void *field = (char *)base + key->offset;
        if (key->type && key->type->clear)
            key->type->clear(field);
        if (!key_is_list(key))
            continue;
        char *items;
        size_t *count = (size_t *)(void *)((char *)base + key->count_offset);
        memcpy(&items, field, sizeof items);
        for (size_t item = 0; item < *count; item++)
            keys_clear(key->path, items + item * key->item_size);
        free(items);
        memset(field, 0, sizeof items);
        *count = 0;
    }
}

#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

#include "config/key_expression.h"
#include "config/key_lists.h"
#include "config/key_types.h"
#include "config/settings.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static const char *const kinds[] = {"leader", "lock", NULL};
static const char *const leaves[] = {"never", "sandbox", "live", NULL};
static const char *const auto_off_words[] = {"auto", "off", NULL};
static const char *const themes[] = {"auto", "dark", "light", "mono", NULL};
static const char *const families[] = {"sequence", "lock", "hybrid", NULL};
static const char *const watches[] = {"predecessor", "leader", "children", "nothing", "unknown", NULL};

#define TOP(member) .offset = offsetof(struct settings, member)
#define CLUSTER(member) .offset = offsetof(struct cluster_settings, member)
#define ELECTION(member) .offset = offsetof(struct election_settings, member)
#define RECIPE(member) .offset = offsetof(struct recipe_settings, member)
#define ALERT(member) .offset = offsetof(struct alert_settings, member)
#define ITEMS(in, list, of, number)                                                                          \
    .offset = offsetof(struct in, list), .count_offset = offsetof(struct in, number),                        \
    .item_size = sizeof(struct of)

/* clang-format off: a table, a row a key. Parents stand before their children. */
const struct key keys[] = {
    {"clusters[]", .maximum = 1000, ITEMS(settings, clusters, cluster_settings, cluster_count),
     .help = "the ZooKeeper ensembles to look at"},
    {"clusters[].name", &type_text, CLUSTER(name), .maximum = 64, .flags = KEY_UNIQUE | KEY_NAMES,
     .help = "what people and --cluster call it"},
    {"clusters[].hosts", &type_connect_string, CLUSTER(hosts), .flags = KEY_REQUIRED,
     .help = "connect string: host:port,host:port/chroot"},
    {"clusters[].session_timeout", &type_duration, "10s", CLUSTER(session_timeout_ms), SESSION_TIMEOUT_MIN_MS,
     SESSION_TIMEOUT_MAX_MS, .help = "of the tool's own sessions; the servers may raise it"},
    {"clusters[].auth_file", &type_file, CLUSTER(auth_file),
     .help = "file with one line, scheme:credential, for its owner only"},
    {"clusters[].servers", .help = "where watches, connections and sessions are asked for"},
    {"clusters[].servers.addresses", &type_addresses, "auto", CLUSTER(servers.addresses),
     .help = "auto: found; or a list of host:clientport"},
    {"clusters[].servers.admin", &type_admin, "8080", CLUSTER(servers),
     .help = "AdminServer's port on every server, a list of host:port (in any order), or off"},
    {"clusters[].servers.four_letter", &type_choice, "auto", CLUSTER(servers.four_letter),
     .words = auto_off_words, .help = "four-letter words: auto or off"},
    {"clusters[].servers.every", &type_interval, "5s", CLUSTER(servers.every_ms), 100, HOUR,
     .help = "how often at most they are asked; off: only on demand"},
    {"clusters[].elections[]", .maximum = 5000,
     ITEMS(cluster_settings, elections, election_settings, election_count),
     .help = "none: they are discovered"},
    {"clusters[].elections[].path", &type_pattern, ELECTION(path), .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "below the chroot; * and ? match inside a component"},
    {"clusters[].elections[].name", &type_text, ELECTION(name), .maximum = 64,
     .help = "what people call it; what a pattern finds is called by its path"},
    {"clusters[].elections[].kind", &type_choice, "leader", ELECTION(kind), .words = kinds,
     .help = "leader: somebody must lead; lock: it may be free"},
    {"clusters[].elections[].recipe", &type_recipe, "auto", ELECTION(recipe), .maximum = 64,
     .help = "the layout: auto, a recipe's name, or a pattern"},
    {"clusters[].elections[].acknowledgement", &type_path, ELECTION(acknowledgement),
     .help = "znode that a leader writes once it really leads"},
    {"clusters[].elections[].identity", &type_identity, "auto", ELECTION(identity),
     .help = "who a candidate is: auto, registry:/path, data, name, client or session"},
    {"clusters[].elections[].inject", &type_choice, "sandbox", ELECTION(inject), .words = leaves,
     .help = "where test candidates may stand: never, sandbox (a copy) or live"},
    {"clusters[].elections[].allow", .help = "what is normal here; beyond it a finding is raised"},
    {"clusters[].elections[].allow.vacancy", &type_duration, "5s", ELECTION(allow.vacancy_ms), 0, DAY,
     .help = "nobody stands for this long"},
    {"clusters[].elections[].allow.failover", &type_duration, "10s", ELECTION(allow.failover_ms), 0, DAY,
     .help = "from a leader's end to the next one's acknowledgement"},
    {"clusters[].elections[].allow.silent", &type_percent, "66%", ELECTION(allow.silent_percent), 1, 100,
     .help = "of its session timeout a leader may stay unheard"},
    {"clusters[].elections[].allow.leader_changes", &type_count_in, "3 in 10m", ELECTION(allow), 1, 1000,
     .help = "so many changes within that time"},
    {"clusters[].elections[].allow.session_timeout", &type_timeouts, "1s to 60s", ELECTION(allow), 0, DAY,
     .help = "of candidates: below, a pause costs the place; above, a dead leader is noticed late"},

    {"recipes[]", .maximum = 200, ITEMS(settings, recipes, recipe_settings, recipe_count),
     .help = "layouts of your own, beside the built-in ones"},
    {"recipes[].name", &type_text, RECIPE(name), .maximum = 64, .flags = KEY_REQUIRED | KEY_UNIQUE,
     .help = "one word, for an election's recipe"},
    {"recipes[].family", &type_word, "sequence", RECIPE(family), .words = families,
     .help = "sequence, lock or hybrid"},
    {"recipes[].candidate", &type_expression, RECIPE(candidate), .maximum = 1024,
     .help = "regular expression of a candidate's name; its first group is the number"},
    {"recipes[].watches", &type_word, "predecessor", RECIPE(watches), .words = watches,
     .help = "whom a candidate watches: predecessor, leader, children, nothing or unknown"},

    {"discover", .help = "finding elections where none are named"},
    {"discover.roots", &type_path_list, "/", TOP(discover.roots), .maximum = 100,
     .help = "where the walk begins"},
    {"discover.depth", &type_integer, "8", TOP(discover.depth), 1, 64, .help = "how many levels down"},
    {"discover.every", &type_duration, "60s", TOP(discover.every_ms), SECOND, DAY,
     .help = "how often it walks again"},

    {"inject", .help = "limits for test candidates"},
    {"inject.sandbox", &type_path, "/electop-sandbox", TOP(inject.sandbox),
     .help = "directory of test elections"},
    {"inject.sessions", &type_integer, "100", TOP(inject.sessions), 1, 100000,
     .help = "of test candidates, without --load at most"},
    {"inject.creates", &type_rate, "100/s", TOP(inject.creates_per_s), 1, 100000,
     .help = "of test candidates, without --load at most"},
    {"inject.stop_above_ping", &type_duration, "250ms", TOP(inject.stop_above_ping_ms), 1, MINUTE,
     .help = "the ensemble's ping p99 that ends a run without --load"},

    {"history", .flags = KEY_TELLS, TOP(history.given),
     .help = "what has happened, kept by electop record; where this is written, by the dashboard, too"},
    {"history.file", &type_history, "auto", TOP(history.file), .help = "auto, off, or a file"},
    {"history.keep", &type_duration, "30d", TOP(history.keep_ms), HOUR, 3650 * DAY,
     .help = "older events are forgotten"},

    {"screen", .help = "the dashboard"},
    {"screen.theme", &type_choice, "auto", TOP(screen.theme), .words = themes,
     .help = "auto, dark, light or mono"},
    {"screen.mouse", &type_switch, "true", TOP(screen.mouse), .help = "clicks and the wheel"},
    {"screen.ascii", &type_tri_state, "auto", TOP(screen.ascii),
     .help = "signs and lines in ASCII: auto, true or false"},
    {"screen.refresh", &type_duration, "250ms", TOP(screen.refresh_ms), 20, 10 * SECOND,
     .help = "a picture at most this often"},

    {"alerts[]", .maximum = 200, ITEMS(settings, alerts, alert_settings, alert_count),
     .flags = KEY_NOT_USED_YET, .help = "programs to run when something happens"},
    {"alerts[].on", &type_conditions, ALERT(on), .maximum = 100, .flags = KEY_REQUIRED,
     .help = "finding codes, events, severity>=error"},
    {"alerts[].run", &type_command, ALERT(run), .maximum = 100, .flags = KEY_REQUIRED,
     .help = "program and arguments, no shell"},
    {"alerts[].again_after", &type_duration, "10m", ALERT(again_after_ms), 0, 30 * DAY,
     .help = "while it goes on"},
};
/* clang-format on */
const size_t key_count = sizeof keys / sizeof keys[0];
_Static_assert(sizeof keys / sizeof keys[0] <= KEYS_MOST, "who reads them has no more room");

const struct key *key_find(const char *path)
{
    for (size_t i = 0; i < key_count; i++)
        if (key_is_at(&keys[i], path))
            return &keys[i];
    return NULL;
}

bool keys_initialise(const char *scope, void *base)
{
    struct problems problems = {0};
    struct reading reading = {.problems = &problems};
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        if (!key->fallback || !key_is_in_scope(key, scope))
            continue;
        struct yaml_node node = {.kind = NODE_TEXT, .plain = true, .text = strdup(key->fallback)};
        if (node.text)
            key->type->read(key, &node, (char *)base + key->offset, &reading);
        problems.out_of_memory |= !node.text;
        free(node.text);
    }
    bool fine = problems.count == 0 && !problems.out_of_memory;
    problems_free(&problems);
    return fine;
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

/*
 * settings.h - everything a user can set, checked, in one plain struct.
 *
 * Filled from defaults, then the configuration file, then the command line (later ones override). A reader
 * need not check anything again: every number is inside its range, every path is well formed.
 *
 * Ownership: a struct settings owns everything it points to; settings_free() releases it. It does not change
 * while the program runs, so the rest of the program keeps plain pointers into it. Units are in the names:
 * _ms milliseconds, _s seconds. Text is UTF-8, never NULL unless noted.
 */
#ifndef ELECTOP_CONFIG_SETTINGS_H
#define ELECTOP_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/security.h"
#include "config/yaml.h"

struct options; /* options.h */

/* leader: there must always be a leader. lock: a free lock is normal. auto (only in settings): the model
   derives one of the two, and how it knows (election.h). */
enum election_kind { KIND_LEADER, KIND_LOCK, KIND_AUTO };

/* How far test candidates may go in an election: not at all, only in a copy of it, or in the election
 * itself. */
enum inject_leave { INJECT_NEVER, INJECT_SANDBOX, INJECT_LIVE };

/* The limits of an election, beyond which a finding is raised. */
struct allowance {
    int64_t vacancy_ms;        /* without a candidate for this long */
    int64_t failover_ms;       /* from the leader's end to the next acknowledgement */
    int silent_percent;        /* percentage of the session timeout that a leader may stay silent */
    int leader_changes;        /* this many changes of leader */
    int64_t leader_changes_ms; /* within this time */
    int64_t timeout_least_ms;  /* the range of allowed session timeouts of candidates: minimum */
    int64_t timeout_most_ms;   /* maximum; 0: no limit */
};

struct election_settings {
    char *path; /* absolute, below the cluster's chroot; may contain * and ? in its components */
    char *name; /* display name; NULL: its path */
    enum election_kind kind;
    char *recipe;          /* "auto" or the name of a recipe */
    char *acknowledgement; /* path; NULL: as the recipe says */
    char *identity;        /* NULL: automatic; else "registry:/path", "data", "name", "client", "session" */
    enum inject_leave inject;
    char *owner, *runbook; /* the responsible team; the URL of its runbook; NULL: not given */
    struct allowance allow;
};

enum auto_off { CHOICE_AUTO, CHOICE_OFF };

/* Which servers are polled, where and how often. */
struct servers_settings {
    char **addresses; /* host:clientport, NULL-terminated; NULL: found */
    bool admin_off;
    int admin_port;         /* that port on every server; 0 where admin_addresses is set */
    char **admin_addresses; /* host:port, NULL-terminated, or NULL */
    enum auto_off four_letter;
    char *transactions; /* directory with the transaction log of a server on this machine; NULL: none */
    int64_t every_ms;   /* how often at most; 0: only on demand */
};

struct cluster_settings {
    char *name;  /* unique; "" for a cluster given by --server alone */
    char *hosts; /* the connect string as given: host:port,...[/chroot] */
    int64_t session_timeout_ms;
    char *auth_file;   /* NULL: none */
    char *auth_scheme; /* read from auth_file, and never printed; NULL: none */
    char *auth_credential;
    struct security_settings security;
    struct servers_settings servers;
    struct election_settings *elections;
    size_t election_count; /* 0: discover */
};

/* A user-defined layout; see probe/election/recipe.h for the built-in ones. */
struct recipe_settings {
    char *name;
    char *family;    /* "sequence", "lock" or "hybrid" */
    char *candidate; /* regular expression (PCRE2); its first group is the sequence number; NULL for locks */
    char *watches;   /* "predecessor", "leader", "children", "nothing" or "unknown" */
};

struct discover_settings {
    char **roots; /* NULL-terminated */
    int depth;
    int64_t every_ms;
    int rate_per_s; /* reads at most */
    bool always;    /* not a key: also beside elections that are named */
    bool follows;   /* not a key: changes of the tree are followed, by watches */
};

struct inject_settings {
    char *sandbox; /* directory of test elections */
    int sessions;
    int creates_per_s;
    int64_t stop_above_ping_ms;
};

struct history_settings {
    bool given; /* the configuration has such a section */
    char *file; /* "auto", "off" or a path */
    int64_t keep_ms;
    int64_t unpack_bytes;    /* of packed logs and snapshots, at most */
    int64_t observations_ms; /* how long observations are kept beside; 0: they are not */
};

enum theme_choice { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_MONO };
enum tri_state { TRI_AUTO, TRI_YES, TRI_NO };

struct screen_settings {
    enum theme_choice theme;
    bool mouse;
    enum tri_state ascii;
    bool utc;            /* times are shown and read in UTC, not in local time */
    enum auto_off hints; /* the legend of the first minute */
    bool bell;           /* rings for each new certain error */
    int64_t refresh_ms;  /* a picture at most this often */
};

/* A command of the user on the selected row. */
struct action_settings {
    char *name, *key;
    char **run; /* argument vector; NULL-terminated */
};
#define ACTIONS_MOST 32

struct alert_settings {
    char **on;  /* finding codes, event names, "severity>=error"; NULL-terminated */
    char **run; /* argument vector; NULL-terminated; NULL: no command */
    char *post; /* URL; NULL: none. One of run and post is there */
    char *secret_file;
    int64_t timeout_ms, again_after_ms;
    bool suspected;
};

/* Words that belong to probe/ and that a configuration may name; lists end with NULL, and NULL instead of a
   list accepts every word. */
struct known_words {
    const char *const *recipes;    /* the built-in ones */
    const char *const *conditions; /* of alerts, besides severities: findings and events */
    const char *const *facts;      /* words that an alert's arguments may have between braces */
    const char *const *actions;    /* of the dashboard: name, default keys, name, default keys ... */
    const char *const *row_facts;  /* words that an action's arguments may have between braces */
    int (*key_code)(const char *name, size_t length); /* 0: no key has this name */
    bool alerts_are_sent; /* their programs and secrets are needed: they must be there */
};

/* Captures that are read at once. */
#define CAPTURES_MOST 16

struct settings {
    char *file; /* the configuration file that was read, or NULL */
    struct cluster_settings *clusters;
    size_t cluster_count; /* at least 1 */
    /* For a command on a recording, without a connection: the clusters of the file, for their settings of
     * elections. */
    struct cluster_settings *recorded;
    size_t recorded_count;
    struct recipe_settings *recipes;
    size_t recipe_count;
    struct discover_settings discover;
    struct election_settings discovered; /* the settings of every election that discovery finds; path "" */
    struct inject_settings inject;
    struct history_settings history;
    struct screen_settings screen;
#define ACTION_KEYS_MOST 4
    char **keys; /* of the dashboard's actions: name, keys, name, keys ..., NULL-terminated; or NULL */
    struct action_settings *actions;
    size_t action_count;
    struct alert_settings *alerts;
    size_t alert_count;
    char *const
        *captures; /* not a key: packets to read beside the cluster; of the options, which outlive this */
    size_t capture_count;
    char *observe; /* not a key: the case that observations are written to (probe/case/); NULL: none */
};

/*
 * Defaults, then the configuration file, then the command line, checked together. All errors of a file
 * are in *error, one a line (file:line:column: the error; the remedy). NULL on failure;
 * settings_free().
 *
 * - --server alone replaces the file's clusters: a credential goes to no host that it was not written for.
 *   A cluster of the file with the same connect string is used as it is. With --cluster it replaces that
 *   cluster's hosts (for a tunnel, say).
 * - Paths replace the elections of every chosen cluster. A path that is configured, or that a configured
 *   pattern matches, keeps those settings.
 * - The demo takes everything but the clusters from the file: it has its own cluster.
 */
struct settings *settings_load(const struct options *options, char **error);
void settings_free(struct settings *settings);

/*
 * The settings of the election at this path below the chroot: of that path first, then of the first pattern
 * that matches. NULL: none; with discovery, settings.discovered applies.
 */
const struct election_settings *settings_of_election(const struct cluster_settings *cluster,
                                                     const char *path);
/*
 * The same for the election at this full path, as recorded, in the cluster of this name. NULL: none.
 */
const struct election_settings *settings_of_path(const struct settings *settings, const char *cluster,
                                                 const char *full_path);

/* The effective settings as a configuration file (secrets are never in it); malloc'd. */
char *settings_print(const struct settings *settings);
/* The same to be handed to others: without alerts, whose commands and addresses may contain secrets; with the
 * clusters that a command on a recording set aside. malloc'd. */
char *settings_print_shared(const struct settings *settings);
/* Of them, what differs from the defaults; without the list at this path (NULL: with all). malloc'd. */
char *settings_print_different(const struct settings *settings, const char *without);
/* One item of clusters: what differs from the defaults, without its elections; malloc'd. */
char *settings_print_cluster(const struct cluster_settings *cluster);

/* A configuration with every key: its default, commented out, and its meaning. It can be read. malloc'd. */
char *settings_example(void);
/* A JSON schema of the configuration, for editors; malloc'd. */
char *settings_schema(void);

/*
 * A configuration's bytes into a struct settings. (settings_load() is for everybody; this
 * is its part that tests and the fuzzer call.)
 */

/* All defaults, no cluster. */
struct settings *settings_new(void);

/* One more cluster or election at the end of its list, with defaults. */
struct cluster_settings *settings_add_cluster(struct settings *settings);
struct election_settings *cluster_add_election(struct cluster_settings *cluster);

/* Reads a configuration (UTF-8) into new settings. Errors are added to problems. known NULL: every word. */
void settings_read(struct settings *settings, const struct known_words *known, const char *bytes,
                   size_t length, struct problems *problems);

#endif

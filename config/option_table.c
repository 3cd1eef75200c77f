#include "config/option_table.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/keys.h"
#include "config/times.h"
#include "config/units.h"
#include "config/znode_path.h"

#define MINUTE_MS INT64_C(60000)
#define JOIN_MAX 64 /* bytes of the name of a run */

static const char *set_server(struct options *options, const char *value)
{
    options->server = value;
    return NULL;
}

static const char *set_config(struct options *options, const char *value)
{
    options->config_file = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_cluster(struct options *options, const char *value)
{
    options->cluster = value;
    return *value ? NULL : "is empty; name a cluster of the configuration";
}

static const char *set_duration(const char *value, int64_t least, int64_t most, int64_t *ms,
                                const char *range)
{
    int64_t parsed;
    const char *problem = duration_parse(value, &parsed);
    if (problem)
        return problem;
    if (parsed < least || parsed > most)
        return range;
    *ms = parsed;
    return NULL;
}

static const char *set_session_timeout(struct options *options, const char *value)
{
    return set_duration(value, SESSION_TIMEOUT_MIN_MS, SESSION_TIMEOUT_MAX_MS, &options->session_timeout_ms,
                        "is out of range; write 1s to 5m");
}

static const char *set_auth_file(struct options *options, const char *value)
{
    options->auth_file = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_admin(struct options *options, const char *value)
{
    options->admin = value;
    return NULL;
}

static const char *set_four_letter(struct options *options, const char *value)
{
    if (strcmp(value, "auto") != 0 && strcmp(value, "off") != 0)
        return "is not known; write auto or off";
    options->four_letter = *value == 'a' ? TRI_AUTO : TRI_NO;
    return NULL;
}

static const char *set_wait(struct options *options, const char *value)
{
    options->wait_given = true;
    return set_duration(value, 10, 60 * MINUTE_MS, &options->wait_ms, "is out of range; write 10ms to 1h");
}

static const char *set_color(struct options *options, const char *value)
{
    static const char *const words[] = {"auto", "always", "never"};
    static const enum color_choice choices[] = {COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER};
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            options->color = choices[i];
            return NULL;
        }
    }
    return "is not known; write auto, always or never";
}

static const char *set_ascii(struct options *options, const char *value)
{
    (void)value;
    options->ascii = true;
    return NULL;
}

static const char *set_log(struct options *options, const char *value)
{
    options->log = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_json(struct options *options, const char *value)
{
    (void)value;
    options->json = true;
    return NULL;
}

static const char *set_strict(struct options *options, const char *value)
{
    (void)value;
    options->strict = true;
    return NULL;
}

static const char *set_quick(struct options *options, const char *value)
{
    (void)value;
    options->quick = true;
    return NULL;
}

static const char *set_for(struct options *options, const char *value)
{
    return set_duration(value, 1, 3650 * 24 * 60 * MINUTE_MS, &options->for_ms,
                        "is out of range; write 1ms to 3650d");
}

static const char *set_count(struct options *options, const char *value)
{
    int64_t count;
    const char *problem = number_parse(value, &count);
    if (problem)
        return problem;
    if (count < 1 || count > INT_MAX)
        return "is out of range; write 1 to 2147483647";
    options->count = (long)count;
    return NULL;
}

static const char *set_replay(struct options *options, const char *value)
{
    options->replay = value;
    return *value ? NULL : "is empty; name a recording";
}

/* What -10m and 14:03 mean depends on the recording: here they are only read. */
static const char *check_time(const char *value)
{
    int64_t at_us;
    return time_parse(value, (int64_t)time(NULL) * 1000000, &at_us);
}

static const char *set_at(struct options *options, const char *value)
{
    options->at = value;
    return check_time(value);
}

static const char *set_from(struct options *options, const char *value)
{
    options->from = value;
    return check_time(value);
}

static const char *set_to(struct options *options, const char *value)
{
    options->to = value;
    return check_time(value);
}

static const char *set_election(struct options *options, const char *value)
{
    options->election = value;
    return *value ? NULL : "is empty; name an election by its path, as in /election";
}

static const char *set_html(struct options *options, const char *value)
{
    options->html = value;
    return *value ? NULL : "is empty; name a file, or - for standard output";
}

static const char *set_markdown(struct options *options, const char *value)
{
    (void)value;
    options->markdown = true;
    return NULL;
}

static const char *set_servers(struct options *options, const char *value)
{
    if (strcmp(value, "1") != 0 && strcmp(value, "3") != 0)
        return "is no size of the demo's ensemble; write 1 or 3";
    options->servers = *value - '0';
    return NULL;
}

static const char *set_no_screen(struct options *options, const char *value)
{
    (void)value;
    options->no_screen = true;
    return NULL;
}

static const char *set_candidates(struct options *options, const char *value)
{
    int64_t count;
    const char *problem = number_parse(value, &count);
    if (problem)
        return problem;
    if (count < 1 || count > 1000000)
        return "is out of range; write 1 to 1000000";
    options->inject.candidates = (long)count;
    return NULL;
}

static const char *set_rate(struct options *options, const char *value)
{
    int rate;
    const char *problem = rate_parse(value, &rate);
    if (problem)
        return problem;
    if (rate < 1 || rate > 100000)
        return "is out of range; write 1/s to 100000/s";
    options->inject.rate_per_s = rate;
    return NULL;
}

static const char *set_behaviour(struct options *options, const char *value)
{
    options->inject.behaviour = value;
    return *value ? NULL : "is empty; write as in herd:30%,deaf:10%";
}

static const char *set_against(struct options *options, const char *value)
{
    options->inject.against = value;
    return *value ? NULL : "is empty; write as in herd";
}

static const char *set_kill(struct options *options, const char *value)
{
    options->inject.kill = value;
    return *value ? NULL : "is empty; write as in leader:every=2s";
}

static const char *set_how(struct options *options, const char *value)
{
    options->inject.how = value;
    return *value ? NULL : "is empty; write close, drop, pause or resign";
}

static const char *set_sessions(struct options *options, const char *value)
{
    options->inject.sessions = value;
    return *value ? NULL : "is empty; write own or shared:100";
}

static const char *set_look(struct options *options, const char *value)
{
    options->inject.look = value;
    return strcmp(value, "own") == 0 || strcmp(value, "shared") == 0 ? NULL
                                                                     : "is not known; write own or shared";
}

static const char *set_name(struct options *options, const char *value)
{
    options->inject.name = value;
    return *value && !strchr(value, '/') ? NULL : "is no name; write as in _c_{uuid}-latch-, or auto";
}

static const char *set_expect(struct options *options, const char *value)
{
    if (options->inject.expect_count == INJECT_EXPECTATIONS)
        return "is one too many; 16 may be given";
    options->inject.expect[options->inject.expect_count++] = value;
    return *value ? NULL : "is empty; write as in failover.p99<2s";
}

static const char *set_join(struct options *options, const char *value)
{
    options->inject.join = value;
    char path[1 + JOIN_MAX + 1];
    if (!*value || strlen(value) > JOIN_MAX || strpbrk(value, "/.{}"))
        return "is no name of a run; write 1 to 64 characters without / . { }";
    snprintf(path, sizeof path, "/%s", value);
    return znode_path_problem(path);
}

static const char *set_load(struct options *options, const char *value)
{
    (void)value;
    options->inject.load = true;
    return NULL;
}

static const char *set_live(struct options *options, const char *value)
{
    (void)value;
    options->inject.live = true;
    return NULL;
}

static const char *set_may_lead(struct options *options, const char *value)
{
    (void)value;
    options->inject.may_lead = true;
    return NULL;
}

/* Help and version end the reading of the command line, so they store nothing. */
static const char *set_nothing(struct options *options, const char *value)
{
    (void)options;
    (void)value;
    return NULL;
}

#define WATCH COMMAND_BIT(COMMAND_WATCH)
#define ONCE COMMAND_BIT(COMMAND_ONCE)
#define EVENTS COMMAND_BIT(COMMAND_EVENTS)
#define REPORT COMMAND_BIT(COMMAND_REPORT)
#define CONFIG COMMAND_BIT(COMMAND_CONFIG)
#define DEMO COMMAND_BIT(COMMAND_DEMO)
#define RECORD COMMAND_BIT(COMMAND_RECORD)
#define REPLAY COMMAND_BIT(COMMAND_REPLAY)
#define INJECT COMMAND_BIT(COMMAND_INJECT)
#define LOOKING (WATCH | ONCE | EVENTS)
#define SETTLING (LOOKING | CONFIG | RECORD | INJECT)
#define EVERY (SETTLING | REPORT | DEMO | REPLAY | COMMAND_BIT(COMMAND_HELP) | COMMAND_BIT(COMMAND_VERSION))

/* clang-format off: a table, a row an option */
const struct option_row option_table[] = {
    {"json", 0, NULL, ONCE | EVENTS | INJECT | REPORT, set_json, "print JSON"},
    {"markdown", 0, NULL, REPORT, set_markdown, "print Markdown"},
    {"html", 0, "FILE", REPORT | INJECT, set_html,
     "write one self-contained page to FILE (-: standard output)"},
    {"replay", 0, "FILE", ONCE | EVENTS | REPORT, set_replay, "this recording in place of a cluster"},
    {"at", 0, "TIME", ONCE | REPLAY, set_at, "that moment of the recording (its end)"},
    {"from", 0, "TIME", REPORT | EVENTS, set_from,
     "of a recording: from then on (events: its beginning, report: a day before its end)"},
    {"to", 0, "TIME", REPORT | EVENTS, set_to, "of a recording: until then (its end)"},
    {"election", 0, "PATH", REPORT, set_election, "only this election, or those that a pattern matches"},
    {"strict", 0, NULL, ONCE, set_strict,
     "exit 1 where nobody leads, where that is not known, or where an error is found"},
    {"quick", 0, NULL, ONCE, set_quick, "never take a second look"},
    {"for", 0, "DURATION", EVENTS | INJECT, set_for, "end after this time"},
    {"count", 0, "N", EVENTS, set_count, "end after N events"},
    {"candidates", 'n', "N", INJECT, set_candidates, "how many stand (10)"},
    {"rate", 0, "N/s", INJECT, set_rate, "so many a second (as fast as the servers take them)"},
    {"behaviour", 0, "KIND[:SHARE%],...", INJECT, set_behaviour,
     "predecessor, herd, children, deaf, once, slow:TIME, hold"},
    {"against", 0, "KIND[:SHARE%],...", INJECT, set_against, "the same again so, and both side by side"},
    {"kill", 0, "WHOM[:every=TIME]", INJECT, set_kill, "leader or random, again and again (every=2s)"},
    {"how", 0, "WAY", INJECT, set_how, "close, drop, pause or resign (close)"},
    {"sessions", 0, "own|shared:N", INJECT, set_sessions, "N candidates on one session (own)"},
    {"look", 0, "own|shared", INJECT, set_look, "each reads the list, or one reading serves all (own)"},
    {"name", 0, "auto|PATTERN", INJECT, set_name, "names in front of the number; {uuid} {hex} {session}"},
    {"expect", 0, "FIGURE<VALUE", INJECT, set_expect, "else exit 1: 'failover.p99<2s'; may be repeated"},
    {"join", 0, "RUN", INJECT, set_join, "one run of several agents; the longest --for is everybody's"},
    {"load", 0, NULL, INJECT, set_load, "this ensemble may be loaded: no ceiling, ten times the ping"},
    {"live", 0, NULL, INJECT, set_live, "stand in PATH itself (its inject: live must allow it)"},
    {"may-lead", 0, NULL, INJECT, set_may_lead, "in a copy or the sandbox; never with --live"},
    {"servers", 0, "1|3", DEMO, set_servers, "size of the demo's ensemble (1)"},
    {"no-screen", 0, NULL, DEMO, set_no_screen, "print the connect string and go on until interrupted"},
    {"server", 's', "HOSTS", SETTLING, set_server,
     "ZooKeeper connect string, host:port,.../chroot (127.0.0.1:2181)"},
    {"config", 'c', "FILE", SETTLING | REPORT | DEMO | REPLAY, set_config, "read this configuration"},
    {"cluster", 'C', "NAME", SETTLING | REPORT, set_cluster, "only this cluster of the configuration"},
    {"session-timeout", 't', "DURATION", SETTLING, set_session_timeout,
     "of the tool's own sessions, 1s to 5m (10s)"},
    {"auth-file", 0, "FILE", SETTLING, set_auth_file, "file with scheme:credential, for its owner only"},
    {"admin", 0, "WHERE", SETTLING, set_admin,
     "AdminServer: PORT, HOST:PORT,... or off (8080); those of a list are matched to\n"
     "                                    servers by host, else by what each proves of itself"},
    {"four-letter", 0, "auto|off", SETTLING, set_four_letter, "four-letter words (auto)"},
    {"wait", 0, "DURATION", ONCE | EVENTS | DEMO | INJECT, set_wait, "how long a look may take (10s)"},
    {"color", 0, "WHEN", EVERY, set_color, "auto, always or never (auto)"},
    {"ascii", 0, NULL, EVERY, set_ascii, "signs and lines in ASCII"},
    {"log", 0, "FILE", EVERY, set_log, "append what the tool itself does to FILE"},
    {"help", 'h', NULL, EVERY, set_nothing, "this help"},
    {"version", 'V', NULL, EVERY, set_nothing, "the version"},
};
/* clang-format on */
const size_t option_count = sizeof option_table / sizeof option_table[0];
_Static_assert(sizeof option_table / sizeof option_table[0] <= OPTIONS_MOST,
               "who parses them has no more room");

#define TIMES                                                                                                \
    "A TIME is 2026-11-20T14:03:22Z, 2026-11-20 (where that day begins, local time), 14:03 (local\n"         \
    "time), or -10m; the latter two are seen from the end of the recording.\n"

/* clang-format off */
const struct command_row command_table[] = {
    {COMMAND_WATCH, "watch", "[PATH...]", "the dashboard (the default command)",
     "Without PATH and without configured elections, elections are discovered. ? in the\n"
     "dashboard lists its keys.\n"},
    {COMMAND_ONCE, "once", "[PATH...]", "one complete look, as a table or JSON",
     "For --strict name the PATHs, here or in the configuration: discovery finds only elections\n"
     "in which somebody stands, so one that everybody has left is none to it. A directory that it\n"
     "may not read may hold one that nobody leads: with --strict that is exit code 1.\n\n"
     "That servers hold different data (replica-divergence) takes three comparisons, a quarter of\n"
     "a minute together. One look never waits for that: the dashboard and events find it.\n"
     "What else a second look may settle is waited for, within --wait; where --wait is too short\n"
     "to be certain (a session timeout above some 10 s), the table says how long it takes.\n\n" TIMES},
    {COMMAND_EVENTS, "events", "[PATH...]", "what happens, a line an event",
     "It goes on until Ctrl-C, --for or --count ends it. With --json each line is an object.\n\n" TIMES},
    {COMMAND_RECORD, "record", "[PATH...]", "keep what happens, without a screen",
     "The recording is history: {file: ...} of the configuration, else history.db in\n"
     "$STATE_DIRECTORY (a service's), else in $XDG_STATE_HOME/electop or ~/.local/state/electop.\n"
     "It is an SQLite database: sqlite3 FILE 'SELECT * FROM failovers'. SIGHUP reads the\n"
     "configuration again.\n"},
    {COMMAND_REPORT, "report", "[FILE]", "what happened, from a recording, to attach to an incident",
     "FILE is a recording (the configured one). It is told as text, or with --json, --markdown\n"
     "or --html.\n\n" TIMES "\n"
     "Exit codes: 0 done; 2 wrong usage, or a file that cannot be read or written; 3 nothing\n"
     "was recorded in that time, or not that election.\n"},
    {COMMAND_REPLAY, "replay", "[FILE]", "the dashboard on what was recorded",
     "Without FILE it is what the dashboard and electop record keep: history.file of the\n"
     "configuration, else $XDG_STATE_HOME/electop/history.db, else\n"
     "~/.local/state/electop/history.db. ? lists the keys.\n\n" TIMES},
    {COMMAND_INJECT, "inject", "PATH", "run test candidates, and report how the election does",
     "PATH inside the sandbox (/electop-sandbox, or inject: {sandbox: ...}) is made for the run.\n"
     "PATH elsewhere is copied there (names, data, ACL) and exercised in the copy, unless --live\n"
     "is given and the election's configuration says inject: live. Then candidates stand behind\n"
     "at least two real ones, and withdraw before they could lead. Nothing of it stays.\n"
     "Without --load at most 100 sessions and 100 creates a second, or what inject: says.\n"
     "The run ends where the ensemble's ping p99 passes inject: {stop_above_ping: ...} (250ms),\n"
     "with --load ten times that.\n"
     "Figures for --expect: stand, failover, detection, vacancy, takeover, each .p50 .p90 .p99\n"
     ".max or .count; errors, expired. Keys of --json: README.\n"},
    {COMMAND_CONFIG, "config", "[PATH...]", "check the configuration and print the effective one",
     "The configuration is --config, else $ELECTOP_CONFIG, else\n"
     "$XDG_CONFIG_HOME/electop/config.yaml, else ~/.config/electop/config.yaml, else\n"
     "/etc/electop/config.yaml. Options and paths override it.\n"},
    {COMMAND_DEMO, "demo", "[PATH...]", "the dashboard on a private ZooKeeper with living elections",
     "It listens on loopback only, lives in a temporary directory, and is removed at the end.\n"
     "Without a terminal it prints one look (--wait is for that) and a few seconds of events.\n"
     "--no-screen ends with exit code 3 when its last server has ended.\n"},
    {COMMAND_HELP, "help", "[COMMAND]", "this help, or that of a command", NULL},
    {COMMAND_VERSION, "version", "", "print the version", NULL},
};
/* clang-format on */
const size_t command_count = sizeof command_table / sizeof command_table[0];

bool command_on_recording(enum command command)
{
    return command == COMMAND_REPORT || command == COMMAND_REPLAY;
}

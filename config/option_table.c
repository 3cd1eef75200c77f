#include "config/option_table.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "config/keys.h"
#include "config/threshold.h"
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

static const char *set_tls(struct options *options, const char *value)
{
    (void)value;
    options->tls = true;
    return NULL;
}

static const char *set_tls_ca(struct options *options, const char *value)
{
    options->tls_ca = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_tls_cert(struct options *options, const char *value)
{
    options->tls_cert = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_tls_key(struct options *options, const char *value)
{
    options->tls_key = value;
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

static const char *set_transactions(struct options *options, const char *value)
{
    struct stat status;
    options->transactions = value;
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode))
        return "is not a directory; name the data directory of a server on this machine";
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

static const char *set_utc(struct options *options, const char *value)
{
    (void)value;
    options->utc = true;
    return NULL;
}

static const char *set_theme(struct options *options, const char *value)
{
    static const char *const words[] = {"auto", "dark", "light", "mono"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            options->theme = words[i];
            return NULL;
        }
    return "is not known; write auto, dark, light or mono";
}

static const char *set_refresh(struct options *options, const char *value)
{
    return set_duration(value, 20, 10000, &options->refresh_ms, "is out of range; write 20ms to 10s");
}

static const char *option_table_set_filter(struct options *options, const char *value)
{
    options->filter = value;
    return *value ? NULL : "is empty; write text, state:vacant, next:stops, severity>=error ...";
}

static const char *set_sort(struct options *options, const char *value)
{
    static const char *const words[] = {"worst", "name",    "leader", "candidates",
                                        "since", "changed", "next",   "finding"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            options->sort = words[i];
            return NULL;
        }
    return "is not known; write worst, name, leader, candidates, since, changed, next or finding";
}

/* Also in tui/views/overview.c (column_words). */
static const char *set_columns(struct options *options, const char *value)
{
    static const char *const words[] = {"cluster", "election", "state", "leader", "cand",   "since",
                                        "strip",   "last",     "p50",   "next",   "finding"};
    options->columns = value;
    for (const char *at = value; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        size_t length = strcspn(at, ","), known = 0;
        while (known < sizeof words / sizeof *words &&
               (strlen(words[known]) != length || strncmp(words[known], at, length) != 0))
            known++;
        if (known == sizeof words / sizeof *words)
            return "contains an unknown column; write some of cluster, election, state, leader, cand, "
                   "since, strip, last, p50, next, finding";
    }
    return *value ? NULL : "is empty; write names of columns, as in election,state,leader,next";
}

static const char *set_form(struct options *options, const char *value)
{
    static const char *const words[] = {"json", "wide", "csv"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            options->form = words[i];
            options->json |= i == 0;
            return NULL;
        }
    return "is not known; write json, wide or csv";
}

static const char *set_log(struct options *options, const char *value)
{
    options->log = value;
    return *value ? NULL : "is empty; name a file";
}

static const char *set_observe(struct options *options, const char *value)
{
    options->observe = value;
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

static const char *set_watch(struct options *options, const char *value)
{
    (void)value;
    options->watch = true;
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

static const char *set_into(struct options *options, const char *value)
{
    options->into = value;
    return *value ? NULL : "is empty; name a recording";
}

static const char *set_follow(struct options *options, const char *value)
{
    (void)value;
    options->follow = true;
    return NULL;
}

static const char *set_capture(struct options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!*value || equals == value || (equals && !equals[1]))
        return "names no file; write FILE, SERVER=FILE, or - for standard input";
    if (options->capture_count == CAPTURES_MOST)
        return "is one too many; merge some captures with mergecap";
    options->captures[options->capture_count++] = (char *)(uintptr_t)value;
    return NULL;
}

static const char *set_screen(struct options *options, const char *value)
{
    (void)value;
    options->screen = true;
    return NULL;
}

static const char *set_events(struct options *options, const char *value)
{
    (void)value;
    options->events = true;
    return NULL;
}

static const char *set_servers(struct options *options, const char *value)
{
    if (strcmp(value, "1") != 0 && strcmp(value, "3") != 0)
        return "is not a size of the demo's ensemble; write 1 or 3";
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
    options->rate_per_s = rate;
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
    return *value && !strchr(value, '/') ? NULL : "is not a name; write as in _c_{uuid}-latch-, or auto";
}

static const char *set_expect(struct options *options, const char *value)
{
    if (options->inject.expect_count == INJECT_EXPECTATIONS)
        return "is one too many; at most 16 are allowed";
    options->inject.expect[options->inject.expect_count++] = value;
    return *value ? NULL : "is empty; write as in failover.p99<2s";
}

static const char *set_join(struct options *options, const char *value)
{
    options->inject.join = value;
    char path[1 + JOIN_MAX + 1];
    if (!*value || strlen(value) > JOIN_MAX || strpbrk(value, "/.{}"))
        return "is not a name for a run; write 1 to 64 characters without / . { }";
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

static const char *add_threshold(const char *value, struct threshold *list, size_t *count)
{
    if (*count == CHECK_THRESHOLDS)
        return "is one too many; at most 32 are allowed";
    const char *problem = threshold_parse(value, &list[*count]);
    for (size_t i = 0; !problem && i < *count; i++)
        if (strcmp(list[i].figure, list[*count].figure) == 0)
            return "names a figure that already has a range; give each figure one range";
    *count += !problem;
    return problem;
}

static const char *set_verbose(struct options *options, const char *value)
{
    (void)value;
    options->check.verbose = true;
    return NULL;
}

static const char *set_warning(struct options *options, const char *value)
{
    return add_threshold(value, options->check.warning, &options->check.warning_count);
}

static const char *set_critical(struct options *options, const char *value)
{
    return add_threshold(value, options->check.critical, &options->check.critical_count);
}

/* As plug-ins have it: a plain number is seconds. */
static const char *set_timeout(struct options *options, const char *value)
{
    int64_t seconds;
    if (number_parse(value, &seconds))
        return set_wait(options, value);
    if (seconds < 1 || seconds > 3600)
        return "is out of range; write 1 to 3600";
    options->wait_given = true;
    options->wait_ms = seconds * 1000;
    return NULL;
}

static const char *set_window(struct options *options, const char *value)
{
    return set_duration(value, 1000, 3650 * 24 * 60 * MINUTE_MS, &options->check.window_ms,
                        "is out of range; write 1s to 3650d");
}

static const char *set_listen(struct options *options, const char *value)
{
    options->listen = value;
    return *value ? NULL : "is empty; write as in 127.0.0.1:9151";
}

static const char *set_pair(struct options *options, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(value);
    options->pair = value;
    return length && length <= 40 && strspn(value, letters) == length
               ? NULL
               : "is not a name of 1 to 40 letters, digits, - and _; write as in --pair ops";
}

static const char *set_yaml(struct options *options, const char *value)
{
    (void)value;
    options->yaml = true;
    return NULL;
}

static const char *set_recipes(struct options *options, const char *value)
{
    (void)value;
    options->list_recipes = true;
    return NULL;
}

static const char *set_example(struct options *options, const char *value)
{
    (void)value;
    options->example = true;
    return NULL;
}

static const char *set_diff(struct options *options, const char *value)
{
    (void)value;
    options->diff = true;
    return NULL;
}

static const char *set_schema(struct options *options, const char *value)
{
    (void)value;
    options->schema = true;
    return NULL;
}

static const char *set_once(struct options *options, const char *value)
{
    (void)value;
    options->once = true;
    return NULL;
}

static const char *set_series(struct options *options, const char *value)
{
    int64_t count;
    const char *problem = number_parse(value, &count);
    if (problem)
        return problem;
    if (count < 100 || count > 10000000)
        return "is out of range; write 100 to 10000000";
    options->series = (long)count;
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
#define AUTOPSY COMMAND_BIT(COMMAND_AUTOPSY)
#define WHY COMMAND_BIT(COMMAND_WHY)
#define CHECK COMMAND_BIT(COMMAND_CHECK)
#define EXPORT COMMAND_BIT(COMMAND_EXPORT)
#define DISCOVER COMMAND_BIT(COMMAND_DISCOVER)
#define COMPLETION COMMAND_BIT(COMMAND_COMPLETION)
#define LOOKING (WATCH | ONCE | EVENTS | CHECK | EXPORT)
#define SETTLING (LOOKING | CONFIG | RECORD | INJECT | DISCOVER)
#define EVERY                                                                                                \
    (SETTLING | REPORT | DEMO | REPLAY | AUTOPSY | WHY | COMPLETION | COMMAND_BIT(COMMAND_HELP) |            \
     COMMAND_BIT(COMMAND_VERSION))

/* clang-format off: a table, a row an option */
const struct option_row option_table[] = {
    {"warning", 'w', "FIGURE=RANGE", CHECK, set_warning,
     "WARNING outside RANGE: candidates=3: or vacancy=10s; once for each figure"},
    {"critical", 'c', "FIGURE=RANGE", CHECK, set_critical, "CRITICAL outside RANGE; once for each figure"},
    {"verbose", 'v', NULL, CHECK, set_verbose,
     "more lines after the first: every problem, and every election"},
    {"timeout", 't', "SECONDS", CHECK, set_timeout, "deadline of the whole check (10)"},
    {"window", 0, "DURATION", CHECK, set_window, "period of figures from a recording (24h)"},
    {"listen", 0, "ADDR:PORT", EXPORT | RECORD, set_listen,
     "serve metrics at this address (export: 127.0.0.1:9151; record: off)"},
    {"pair", 0, "NAME", RECORD, set_pair, "recorders of this NAME elect the one that sends the alerts"},
    {"once", 0, NULL, EXPORT, set_once, "print the metrics of one snapshot, for a textfile collector"},
    {"series", 0, "N", EXPORT | RECORD, set_series, "maximum number of series (50000)"},
    {"json", 0, NULL, ONCE | EVENTS | INJECT | REPORT | AUTOPSY | WHY | DISCOVER, set_json, "print JSON"},
    {"yaml", 0, NULL, DISCOVER, set_yaml,
     "print a configuration with the elections, and reasons as comments"},
    {"recipes", 0, NULL, DISCOVER, set_recipes,
     "list the known layouts, those of the configuration included"},
    {"example", 0, NULL, CONFIG, set_example, "print an example with every key, its default and its meaning"},
    {"diff", 0, NULL, CONFIG, set_diff, "print only what differs from the defaults"},
    {"schema", 0, NULL, CONFIG, set_schema, "print a JSON schema, for editors"},
    {"markdown", 0, NULL, REPORT | AUTOPSY, set_markdown, "print Markdown"},
    {"html", 0, "FILE", REPORT | INJECT | AUTOPSY, set_html,
     "write one self-contained page to FILE (-: standard output)"},
    {"replay", 0, "FILE", WATCH | ONCE | EVENTS | REPORT | WHY, set_replay,
     "read this recording, case or transaction logs, instead of a cluster"},
    {"observe", 0, "FILE", LOOKING | RECORD | DISCOVER, set_observe,
     "append all observations to FILE, a case for --replay"},
    {"capture", 0, "FILE", WATCH | ONCE | EVENTS | RECORD | REPORT | WHY | AUTOPSY, set_capture,
     "read packets of tcpdump instead of a cluster; - for standard input; repeatable;\n"
     "                                    SERVER=FILE names the server"},
    {"screen", 0, NULL, AUTOPSY, set_screen, "open the dashboard on it"},
    {"events", 0, NULL, AUTOPSY, set_events, "print one line per event"},
    {"at", 0, "TIME", WATCH | ONCE | REPLAY | AUTOPSY, set_at, "moment of the recording (its end)"},
    {"from", 0, "TIME", REPORT | EVENTS | AUTOPSY, set_from,
     "start of the period (report: a day before the end, else the beginning)"},
    {"to", 0, "TIME", REPORT | EVENTS | AUTOPSY, set_to, "end of the period (the end of the recording)"},
    {"into", 0, "FILE", AUTOPSY, set_into, "write it into this recording; an existing one is completed"},
    {"follow", 0, NULL, AUTOPSY, set_follow, "continue as the servers append transactions"},
    {"election", 0, "PATH", REPORT | AUTOPSY, set_election,
     "only this election, or the matches of a pattern"},
    {"strict", 0, NULL, ONCE, set_strict,
     "exit 1 without a leader, if it is unknown, or with a finding of severity error"},
    {"quick", 0, NULL, ONCE, set_quick, "take one snapshot only, never a second"},
    {"watch", 0, NULL, ONCE, set_watch, "print it again after each change, until Ctrl-C or --for"},
    {"for", 0, "DURATION", ONCE | EVENTS | INJECT, set_for, "end after this time"},
    {"count", 0, "N", EVENTS, set_count, "end after N events"},
    {"candidates", 'n', "N", INJECT, set_candidates, "number of candidates (10)"},
    {"rate", 0, "N/s", INJECT | DISCOVER, set_rate,
     "candidates per second (as fast as the servers accept); discover: reads (10000/s)"},
    {"behaviour", 0, "KIND[:SHARE%],...", INJECT, set_behaviour,
     "predecessor, herd, children, deaf, once, slow:TIME, hold"},
    {"against", 0, "KIND[:SHARE%],...", INJECT, set_against,
     "repeat with this behaviour; report both side by side"},
    {"kill", 0, "WHOM[:every=TIME]", INJECT, set_kill,
     "kill the leader or a random one, repeatedly (every=2s)"},
    {"how", 0, "WAY", INJECT, set_how, "how they are killed: close, drop, pause or resign (close)"},
    {"sessions", 0, "own|shared:N", INJECT, set_sessions, "N candidates on one session (own)"},
    {"look", 0, "own|shared", INJECT, set_look, "each candidate reads the list, or all share one read (own)"},
    {"name", 0, "auto|PATTERN", INJECT, set_name, "name before the sequence number; {uuid} {hex} {session}"},
    {"expect", 0, "FIGURE<VALUE", INJECT, set_expect, "exit 1 unless true: 'failover.p99<2s'; repeatable"},
    {"join", 0, "RUN", INJECT, set_join, "join a run of several agents; the longest --for applies to all"},
    {"load", 0, NULL, INJECT, set_load, "allow load on this ensemble: no limits, ten times the ping"},
    {"live", 0, NULL, INJECT, set_live, "join the election at PATH itself (needs inject: live)"},
    {"may-lead", 0, NULL, INJECT, set_may_lead, "in a copy or the sandbox; never with --live"},
    {"servers", 0, "1|3", DEMO, set_servers, "size of the demo's ensemble (3)"},
    {"no-screen", 0, NULL, DEMO, set_no_screen, "print the connect string, and run until interrupted"},
    {"server", 's', "HOSTS", SETTLING, set_server,
     "ZooKeeper connect string, host:port,.../chroot (127.0.0.1:2181)"},
    {"config", 'c', "FILE", SETTLING | REPORT | DEMO | REPLAY | AUTOPSY | WHY | COMPLETION, set_config,
     "read this configuration"},
    {"cluster", 'C', "NAME", SETTLING | REPORT | AUTOPSY | WHY, set_cluster,
     "only this cluster of the configuration"},
    {"session-timeout", 't', "DURATION", SETTLING, set_session_timeout,
     "timeout of electop's own sessions, 1s to 5m (10s)"},
    {"auth-file", 0, "FILE", SETTLING, set_auth_file,
     "file with scheme:credential; only its owner may read it"},
    {"tls", 0, NULL, SETTLING | DEMO, set_tls, "use TLS for all connections"},
    {"tls-ca", 0, "FILE", SETTLING, set_tls_ca, "PEM file of the servers' authorities (the system's)"},
    {"tls-cert", 0, "FILE", SETTLING, set_tls_cert, "PEM file with the client certificate"},
    {"tls-key", 0, "FILE", SETTLING, set_tls_key,
     "PEM file with its key; only its owner may read it (--tls-cert)"},
    {"admin", 0, "WHERE", SETTLING, set_admin,
     "AdminServer: PORT, HOST:PORT,... or off (8080); a list is matched to the servers\n"
     "                                    by host, else by the port and id that each reports"},
    {"four-letter", 0, "auto|off", SETTLING, set_four_letter, "four-letter words (auto)"},
    {"transactions", 0, "DIR", SETTLING, set_transactions,
     "follow the transaction log of a server on this machine"},
    {"wait", 0, "DURATION", ONCE | EVENTS | DEMO | INJECT | CHECK | EXPORT | DISCOVER, set_wait,
     "how long a snapshot may take (10s; discover: until it has searched everything)"},
    {"color", 0, "WHEN", EVERY, set_color, "auto, always or never (auto)"},
    {"ascii", 0, NULL, EVERY, set_ascii, "signs and lines in ASCII"},
    {"utc", 0, NULL, EVERY, set_utc, "times in UTC, not in local time"},
    {"theme", 0, "THEME", WATCH | DEMO | REPLAY, set_theme, "auto, dark, light or mono (auto)"},
    {"refresh", 0, "DURATION", WATCH | DEMO | REPLAY, set_refresh, "draw at most this often (250ms)"},
    {"sort", 0, "COLUMN", WATCH | DEMO | REPLAY, set_sort,
     "worst, name, leader, candidates, since, changed, next or finding (worst)"},
    {"columns", 0, "LIST", WATCH | DEMO | REPLAY, set_columns,
     "only these: election,state,leader,cand,since,strip,last,p50,next,finding"},
    {"output", 'o', "FORM", ONCE, set_form, "json; wide: nothing is cut; csv: one line per election"},
    {"filter", 0, "FILTER", WATCH | DEMO | REPLAY | ONCE | EVENTS, option_table_set_filter,
     "only elections that match: text, state:vacant, next:stops, severity>=error ..."},
    {"log", 0, "FILE", EVERY, set_log,
     "append a log of electop itself to FILE, or to the journal (--log journal)"},
    {"help", 'h', NULL, EVERY, set_nothing, "this help"},
    {"version", 'V', NULL, EVERY, set_nothing, "the version"},
};
/* clang-format on */
const size_t option_count = sizeof option_table / sizeof option_table[0];
_Static_assert(sizeof option_table / sizeof option_table[0] <= OPTIONS_MOST, "their parser has no more room");

#define TIMES                                                                                                \
    "A TIME is 2026-11-20T14:03:22Z, 2026-11-20 (the beginning of that day, local time), 14:03 (local\n"     \
    "time), or -10m; the latter two count from the end of the recording.\n"

/* clang-format off */
const struct command_row command_table[] = {
    {COMMAND_WATCH, "watch", "[PATH...]", "the dashboard (the default command)",
     "Without PATH and without configured elections, it searches the tree for elections. In the\n"
     "dashboard ? lists the keys.\n"},
    {COMMAND_ONCE, "once", "[PATH...]", "one complete snapshot, as a table or JSON",
     "Name the PATHs for --strict, here or in the configuration: discovery finds only elections\n"
     "that have candidates. A directory that it has no permission to read may contain an election\n"
     "without a leader: with --strict that is exit code 1.\n\n"
     "If a second snapshot may turn a suspicion into certainty, once takes it, within --wait; if\n"
     "--wait is too short (a session timeout above about 10 s), the table says how long it takes.\n"
     "Servers with different data (replica-divergence) need three comparisons, about 15 s in all:\n"
     "commands that keep running find them, such as the dashboard, events and record.\n\n" TIMES},
    {COMMAND_CHECK, "check", "[PATH...]", "one line and an exit code, as a monitoring plug-in",
     "Exit codes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (wrong usage, too).\n\n"
     "Figures: candidates, vacancy, tenure, next_failover (1: a successor is notified), findings,\n"
     "findings.critical, .error, .warning, .info (certain ones), suspected; from a recording\n"
     "(history: of the configuration) also changes, failover.p50, .p99, .max within --window.\n"
     "A RANGE follows the plug-in guidelines, [@][START:][END]; times are seconds, or 10s, 5m.\n\n"
     "Without a threshold for them: CRITICAL is a leader election without a leader and a certain\n"
     "finding that is critical; WARNING is a certain error, and a leader without a successor or\n"
     "whose successor would not be notified, and a server that is read-only.\n"},
    {COMMAND_EXPORT, "export", "[PATH...]", "metrics for Prometheus",
     "They are served on /metrics, as text or, on request, as OpenMetrics. --once prints them.\n"
     "127.0.0.1 is reachable from this host only; any other address from the whole network.\n"},
    {COMMAND_DISCOVER, "discover", "[ROOT...]", "find the elections of a cluster, and write their configuration",
     "It walks the tree from each ROOT (/, or discover: {roots: ...}) with at most --rate reads a\n"
     "second, and shows what it finds, with the proof:\n"
     "  signature   names, or the path, that only this layout has\n"
     "  watch       a member was seen to watch its predecessor\n"
     "  behaviour   how the children came and went, or what they are\n"
     "  configured  the configuration says so\n"
     "  name        it only looks like one\n"
     "Kinds: election, lock, read-write lock, registry, semaphore, queue. --yaml prints a\n"
     "configuration: electop discover --yaml >electop.yaml; what only looks like an election is\n"
     "commented out in it.\n"},
    {COMMAND_EVENTS, "events", "[PATH...]", "events as they happen, one line each",
     "It runs until Ctrl-C, --for or --count ends it. With --json each line is an object.\n\n" TIMES},
    {COMMAND_RECORD, "record", "[PATH...]", "record without a screen",
     "The recording is history: {file: ...} of the configuration, else history.db in\n"
     "$STATE_DIRECTORY (a service's), else in $XDG_STATE_HOME/electop or ~/.local/state/electop.\n"
     "It is an SQLite database: sqlite3 FILE 'SELECT * FROM failovers'. SIGHUP reads the\n"
     "configuration again. With --pair two recorders on two machines record, and one sends the\n"
     "alerts; they write in the sandbox directory (/electop-sandbox, or inject: {sandbox: ...}).\n"},
    {COMMAND_REPORT, "report", "[RECORDING]", "a report from a recording, to attach to an incident",
     "RECORDING is a file of electop record, the configured one where none is named. The report is\n"
     "text, or with --json, --markdown or --html another format.\n\n" TIMES "\n"
     "Exit codes: 0 done; 2 wrong usage, or a file that cannot be read or written; 3 nothing\n"
     "was recorded in that time, or not that election.\n"},
    {COMMAND_REPLAY, "replay", "[FILE]", "the dashboard on a recording",
     "Without FILE it opens the recording of the dashboard and of electop record: history.file of the\n"
     "configuration, else $XDG_STATE_HOME/electop/history.db, else\n"
     "~/.local/state/electop/history.db. ? lists the keys.\n\n" TIMES},
    {COMMAND_AUTOPSY, "autopsy", "DIR|FILE...", "the past, from servers' transaction logs",
     "DIR is a server's data directory (dataDir or dataLogDir of zoo.cfg), or contains those of\n"
     "several servers; FILE is a log, a snapshot, or an archive of such a directory (tar, gz, zst\n"
     "...). Name all servers that you have: one fills the gaps of another. Nothing is\nwritten there, and a running server is not disturbed.\n\n"
     "It prints a report as text, or with --json, --markdown or --html; with --events its events,\n"
     "with --at one snapshot, with --screen the dashboard. --into writes a recording, or\n"
     "completes one: what was observed stays, causes become certain, gaps are filled. Elections are\n"
     "found by their candidates, or are those of --cluster; --election selects some.\n\n" TIMES "\n"
     "Exit codes: 0 done; 2 wrong usage, or a file that cannot be read or written; 3 no election\n"
     "is in these logs.\n"},
    {COMMAND_WHY, "why", "[ELECTION] [TIME|last]", "the story of a failover, with its evidence",
     "ELECTION is a path or a name (default: the latest change of leader). TIME is at or after\n"
     "the failover; last is the latest (the default).\n\n" TIMES "\n"
     "Exit codes: 0 done; 2 wrong usage, or a file that cannot be read; 3 no such failover was\n"
     "recorded.\n"},
    {COMMAND_INJECT, "inject", "PATH", "run test candidates and report the result",
     "PATH inside the sandbox (/electop-sandbox, or inject: {sandbox: ...}) is created for the run.\nPATH elsewhere is copied there (names, data, ACL) and tested in the copy, unless --live\n"
     "is given and the election's configuration says inject: live. Then candidates join after\nat least two real ones, and withdraw before they could lead. The run removes everything.\n"
     "Without --load at most 100 sessions and 100 creates a second, or the limits of inject:.\n"
     "The run ends when the ensemble's ping p99 exceeds inject: {stop_above_ping: ...} (250ms),\n"
     "with --load ten times that.\n"
     "Figures for --expect: stand, failover, detection, vacancy, takeover, each .p50 .p90 .p99\n"
     ".max or .count; errors, expired. electop-inject(1) lists the keys of --json.\n"},
    {COMMAND_CONFIG, "config", "[PATH...]", "check the configuration and print the effective one",
     "The configuration is --config, else $ELECTOP_CONFIG, else\n"
     "$XDG_CONFIG_HOME/electop/config.yaml, else ~/.config/electop/config.yaml, else\n"
     "/etc/electop/config.yaml. Options and paths override it.\n"},
    {COMMAND_COMPLETION, "completion", "bash|zsh|fish|paths|clusters|figures", "print a completion script for a shell",
     "paths, clusters and figures print what the scripts complete: the elections of the last\n"
     "recording, the clusters of the configuration, and the figures of check.\n"},
    {COMMAND_DEMO, "demo", "[PATH...]", "the dashboard on a private ZooKeeper with test elections",
     "It listens on loopback only, lives in a temporary directory, and is removed at the end.\n"
     "Without a terminal it prints one snapshot (within --wait) and a few seconds of events.\n"
     "--no-screen ends with exit code 3 when its last server has ended.\n"},
    {COMMAND_HELP, "help", "[COMMAND]", "this help, or that of a command", NULL},
    {COMMAND_VERSION, "version", "", "print the version", NULL},
};
/* clang-format on */
const size_t command_count = sizeof command_table / sizeof command_table[0];

const struct option_row *option_of_letter(char letter, enum command command)
{
    const struct option_row *other = NULL;
    for (size_t i = 0; letter && i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if (row->letter == letter && (row->commands & COMMAND_BIT(command)))
            return row;
        if (row->letter == letter)
            other = row;
    }
    return other;
}

bool command_on_recording(enum command command)
{
    return command == COMMAND_REPORT || command == COMMAND_REPLAY || command == COMMAND_WHY;
}

#include "config/option_table.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/key.h"
#include "config/keys.h"
#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "config/threshold.h"
#include "config/times.h"
#include "config/units.h"
#include "config/znode_path.h"

#define MINUTE_MS INT64_C(60000)
#define LONGEST_MS (3650 * 24 * 60 * MINUTE_MS)
#define JOIN_MAX 64 /* bytes of the name of a run */

const char *const option_sort_words[] = {"worst",   "name", "leader",  "candidates", "since",
                                         "changed", "next", "finding", "changes",    NULL};
const char *const option_column_words[] = {"cluster", "election", "state",   "leader", "cand",
                                           "since",   "strip",    "changes", "last",   "p50",
                                           "next",    "finding",  NULL};
static const char *const colors[] = {"auto", "always", "never", NULL}; /* enum color_choice */
static const char *const kind_words[] = {"leader", "lock", NULL};
static const char *const forms[] = {"json", "wide", "csv", NULL};
static const char *const looks[] = {"own", "shared", NULL};

/* Checks that the option's kind cannot make, after the value is stored. */

static const char *check_directory(struct options *options, const char *value)
{
    struct stat status;
    (void)options;
    if (stat(value, &status) == 0 && !S_ISDIR(status.st_mode))
        return "is not a directory; name the data directory of a server on this machine";
    if (access(value, R_OK | X_OK) == 0)
        return NULL;
    return errno == EACCES ? "cannot be read: " PLAIN_FILE_DENIED
                           : "cannot be opened; name the data directory of a server on this machine";
}

static const char *note_wait(struct options *options, const char *value)
{
    (void)value;
    options->wait_given = true;
    return NULL;
}

static const char *check_columns(struct options *options, const char *value)
{
    (void)options;
    for (const char *at = value; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        size_t length = strcspn(at, ","), known = 0;
        while (option_column_words[known] && (strlen(option_column_words[known]) != length ||
                                              strncmp(option_column_words[known], at, length) != 0))
            known++;
        if (!option_column_words[known])
            return "contains an unknown column; write some of cluster, election, state, leader, cand, "
                   "since, strip, changes, last, p50, next, finding";
    }
    return NULL;
}

static const char *note_json(struct options *options, const char *value)
{
    options->json |= strcmp(value, "json") == 0;
    return NULL;
}

/* What -10m and 14:03 mean depends on the recording: here they are only read. */
static const char *check_time(struct options *options, const char *value)
{
    int64_t at_us;
    (void)options;
    return time_parse(value, (int64_t)time(NULL) * 1000000, &at_us);
}

static const char *check_znode_name(struct options *options, const char *value)
{
    (void)options;
    return *value && !strchr(value, '/') ? NULL : "is not a name; write as in _c_{uuid}-latch-, or auto";
}

static const char *check_run_name(struct options *options, const char *value)
{
    char path[1 + JOIN_MAX + 1];
    (void)options;
    if (!*value || strlen(value) > JOIN_MAX || strpbrk(value, "/.{}"))
        return "is not a name for a run; write 1 to 64 characters without / . { }";
    snprintf(path, sizeof path, "/%s", value);
    return znode_path_problem(path);
}

/* Options that are kept in their own way. */

static const char *set_servers(struct options *options, const char *value)
{
    if (strcmp(value, "1") != 0 && strcmp(value, "3") != 0)
        return "is not a size of the demo's ensemble; write 1 or 3";
    options->servers = *value - '0';
    return NULL;
}

static const char *set_rate(struct options *options, const char *value)
{
    int64_t rate;
    const char *problem = rate_parse(value, &rate);
    if (problem)
        return problem;
    if (rate < 1 || rate > 100000)
        return "is out of range; write 1/s to 100000/s";
    options->rate_per_s = (int)rate;
    return NULL;
}

static const char *add_capture(struct options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!*value || equals == value || (equals && !equals[1]))
        return "names no file; write FILE, SERVER=FILE, or - for standard input";
    if (options->capture_count == CAPTURES_MOST)
        return "is one too many; merge some captures with mergecap";
    bool input = strcmp(equals ? equals + 1 : value, "-") == 0;
    for (size_t i = 0; input && i < options->capture_count; i++) {
        const char *other = strrchr(options->captures[i], '-');
        if (other && !other[1] && (other == options->captures[i] || other[-1] == '='))
            return "is standard input once more; write a named pipe";
    }
    options->captures[options->capture_count++] = (char *)(uintptr_t)value;
    return NULL;
}

static const char *add_replay(struct options *options, const char *value)
{
    if (!*value)
        return "is empty; name a recording";
    if (options->replay_count == REPLAYS_MOST ||
        (options->replay_count && options->command == COMMAND_CONFIG))
        return "is one too many; name fewer cases";
    options->replay = options->replay ? options->replay : value;
    options->replays[options->replay_count++] = value;
    return NULL;
}

static const char *add_client_log(struct options *options, const char *value)
{
    if (!*value)
        return "is empty; name a GC log, or a log of the kernel";
    if (options->client_log_count == CAPTURES_MOST)
        return "is one too many; give fewer files";
    options->client_logs[options->client_log_count++] = (char *)(uintptr_t)value;
    return NULL;
}

static const char *add_expectation(struct options *options, const char *value)
{
    if (options->inject.expect_count == INJECT_EXPECTATIONS)
        return "is one too many; at most 16 are allowed";
    options->inject.expect[options->inject.expect_count++] = value;
    return *value ? NULL : "is empty; write as in failover.p99<2s";
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

static const char *add_warning(struct options *options, const char *value)
{
    return add_threshold(value, options->check.warning, &options->check.warning_count);
}

static const char *add_critical(struct options *options, const char *value)
{
    return add_threshold(value, options->check.critical, &options->check.critical_count);
}

/* As plug-ins have it: a plain number is seconds. */
static const char *set_timeout(struct options *options, const char *value)
{
    int64_t seconds, ms;
    bool is_plain = !number_parse(value, &seconds);
    const char *problem = is_plain ? NULL : duration_parse(value, &ms);
    if (problem)
        return problem;
    if (is_plain ? seconds < 1 || seconds > 3600 : ms < 10 || ms > 60 * MINUTE_MS)
        return is_plain ? "is out of range; write 1 to 3600" : "is out of range; write 10ms to 1h";
    options->check.timeout_ms = is_plain ? seconds * 1000 : ms;
    return NULL;
}

#define AT(member) .offset = offsetof(struct options, member)
#define FLAG(member) .kind = OPTION_FLAG, AT(member)
#define TEXT(member, remedy) .kind = OPTION_TEXT, AT(member), .empty = (remedy)
#define WORD(member, list) .kind = OPTION_WORD, AT(member), .words = (list)
#define CHOICE(member, list) .kind = OPTION_CHOICE, AT(member), .words = (list)
#define DURATION(member, minimum, maximum)                                                                   \
    .kind = OPTION_DURATION, AT(member), .least = (minimum), .most = (maximum)
#define NUMBER(member, minimum, maximum)                                                                     \
    .kind = OPTION_NUMBER, AT(member), .least = (minimum), .most = (maximum)
#define OWN(function) .kind = OPTION_OWN, .check = function

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
#define CASE COMMAND_BIT(COMMAND_CASE)
#define BUNDLE COMMAND_BIT(COMMAND_BUNDLE)
#define WHY COMMAND_BIT(COMMAND_WHY)
#define CHECK COMMAND_BIT(COMMAND_CHECK)
#define EXPORT COMMAND_BIT(COMMAND_EXPORT)
#define DISCOVER COMMAND_BIT(COMMAND_DISCOVER)
#define COMPLETION COMMAND_BIT(COMMAND_COMPLETION)
#define LOOKING (WATCH | ONCE | EVENTS | CHECK | EXPORT)
#define SETTLING (LOOKING | CONFIG | RECORD | INJECT | DISCOVER)
#define EVERY                                                                                                \
    (SETTLING | REPORT | DEMO | REPLAY | AUTOPSY | WHY | CASE | BUNDLE | COMPLETION |                        \
     COMMAND_BIT(COMMAND_HELP) | COMMAND_BIT(COMMAND_VERSION))

/* clang-format off: a table, a row an option */
const struct option_row option_table[] = {
    {"warning", 'w', "FIGURE=RANGE", CHECK, OWN(add_warning),
     .help = "WARNING outside RANGE: candidates=3: or vacancy=10s; once for each figure"},
    {"critical", 'c', "FIGURE=RANGE", CHECK, OWN(add_critical),
     .help = "CRITICAL outside RANGE; once for each figure"},
    {"verbose", 'v', NULL, CHECK, FLAG(check.verbose),
     .help = "more lines after the first: every problem, every election; their figures"},
    {"timeout", 't', "SECONDS", CHECK, OWN(set_timeout), .help = "deadline of the whole check (10)"},
    {"window", 0, "DURATION", CHECK, DURATION(check.window_ms, 1000, LONGEST_MS),
     .help = "period of figures from a recording (24h)"},
    {"listen", 0, "ADDR:PORT", EXPORT | RECORD, TEXT(listen, "write as in 127.0.0.1:9151"),
     .help = "serve metrics at this address (export: 127.0.0.1:9151; record: off)"},
    {"once", 0, NULL, EXPORT, FLAG(once),
     .help = "print the metrics of one snapshot, for a textfile collector"},
    {"series", 0, "N", EXPORT | RECORD, NUMBER(series, 100, 10000000),
     .help = "maximum number of series (50000)"},
    {"json", 0, NULL, ONCE | EVENTS | INJECT | REPORT | AUTOPSY | WHY | DISCOVER, FLAG(json),
     .help = "print JSON"},
    {"yaml", 0, NULL, DISCOVER, FLAG(yaml),
     .help = "print a configuration with the elections, and reasons as comments"},
    {"recipes", 0, NULL, DISCOVER, FLAG(list_recipes),
     .help = "list the known layouts, those of the configuration included"},
    {"example", 0, NULL, CONFIG, FLAG(example),
     .help = "print an example with every key, its default and its meaning"},
    {"diff", 0, NULL, CONFIG, FLAG(diff), .help = "print only what differs from the defaults"},
    {"schema", 0, NULL, CONFIG, FLAG(schema), .help = "print a JSON schema, for editors"},
    {"markdown", 0, NULL, REPORT | AUTOPSY, FLAG(markdown), .help = "print Markdown"},
    {"html", 0, "FILE", REPORT | INJECT | AUTOPSY, TEXT(html, "name a file, or - for standard output"),
     .help = "write one self-contained page to FILE (-: standard output)"},
    {"replay", 0, "FILE", WATCH | ONCE | EVENTS | REPORT | WHY | CONFIG, OWN(add_replay),
     .help = "read this recording, case or transaction logs, instead of a cluster; repeatable for cases of\n"
             "                                    one cluster; config: a bundle"},
    {"against", 0, "RECORDING", EVENTS, TEXT(against, "name a recording"),
     .help = "with --replay CASE: only what is told now and was not then (+), or then and not now (-)"},
    {"observe", 0, "FILE", LOOKING | RECORD | DISCOVER | INJECT | DEMO | AUTOPSY,
     TEXT(observe, "name a file"), .help = "append all observations to FILE, a case for --replay"},
    {"capture", 0, "FILE", WATCH | ONCE | EVENTS | RECORD | REPORT | WHY | AUTOPSY, OWN(add_capture),
     .help = "read packets of tcpdump (-U -s0 -w -): beside the cluster of --server or\n"
             "                                    --cluster, else instead of one; - for standard input; "
             "repeatable;\n"
             "                                    SERVER=FILE names the server"},
    {"client-log", 0, "FILE", WHY | REPORT, OWN(add_client_log),
     .help = "GC log or kernel log of the lost leader's host; repeatable"},
    {"screen", 0, NULL, AUTOPSY, FLAG(screen), .help = "open the dashboard on it"},
    {"events", 0, NULL, AUTOPSY, FLAG(events), .help = "print one line per event"},
    {"at", 0, "TIME", WATCH | ONCE | REPLAY | AUTOPSY | BUNDLE, TEXT(at, NULL), .check = check_time,
     .help = "moment of the recording (its end; of a bundle: the one it is about)"},
    {"from", 0, "TIME", REPORT | EVENTS | AUTOPSY | CASE | BUNDLE, TEXT(from, NULL), .check = check_time,
     .help = "start of the period (report: a day before the end; bundle: an hour before --at;\n"
             "                                    else the beginning)"},
    {"to", 0, "TIME", REPORT | EVENTS | AUTOPSY | CASE | BUNDLE, TEXT(to, NULL), .check = check_time,
     .help = "end of the period (the end of the recording; bundle: at most ten minutes after --at)"},
    {"into", 'o', "FILE", AUTOPSY | CASE | BUNDLE, TEXT(into, "name a file"),
     .help = "case, bundle: write it here; autopsy: into this recording, behind what it has"},
    {"pseudonyms", 0, NULL, CASE | BUNDLE, FLAG(pseudonyms),
     .help = "replace names, hosts, addresses, paths, identities and data, consistently"},
    {"follow", 0, NULL, AUTOPSY, FLAG(follow), .help = "continue as the servers append transactions"},
    {"election", 0, "PATH", REPORT | AUTOPSY | CASE | BUNDLE,
     TEXT(election, "name an election by its path, as in /election"),
     .help = "only this election, or the matches of a pattern"},
    {"kind", 0, "leader|lock", ONCE | CHECK, WORD(kind, kind_words),
     .help = "what the paths are: leader (somebody must lead, the default) or lock (it may be free)"},
    {"strict", 0, NULL, ONCE, FLAG(strict),
     .help = "exit 1 without a leader, if it is unknown, or with a finding of severity error"},
    {"quick", 0, NULL, ONCE, FLAG(quick), .help = "take one snapshot only, never a second"},
    {"watch", 0, NULL, ONCE, FLAG(watch), .help = "print it again after each change, until Ctrl-C or --for"},
    {"for", 0, "DURATION", ONCE | EVENTS | INJECT, DURATION(for_ms, 1, LONGEST_MS),
     .help = "end after this time"},
    {"count", 0, "N", EVENTS, NUMBER(count, 1, INT_MAX), .help = "end after N events"},
    {"candidates", 'n', "N", INJECT, NUMBER(inject.candidates, 1, 1000000),
     .help = "number of candidates (10)"},
    {"rate", 0, "N/s", INJECT | DISCOVER, OWN(set_rate), .key = "discover.rate",
     .help = "candidates per second (as fast as the servers accept); discover: reads (@)"},
    {"behaviour", 0, "KIND[:SHARE%],...", INJECT, TEXT(inject.behaviour, "write as in herd:30%,deaf:10%"),
     .help = "predecessor, herd, children, deaf, once, slow:TIME, hold"},
    {"kill", 0, "WHOM[:every=TIME]", INJECT, TEXT(inject.kill, "write as in leader:every=2s"),
     .help = "kill the leader or a random one, repeatedly (every=2s)"},
    {"how", 0, "WAY", INJECT, TEXT(inject.how, "write close, drop, pause or resign"),
     .help = "how they are killed: close, drop, pause or resign (close)"},
    {"sessions", 0, "own|shared:N", INJECT, TEXT(inject.sessions, "write own or shared:100"),
     .help = "N candidates on one session (own)"},
    {"look", 0, "own|shared", INJECT, WORD(inject.look, looks),
     .help = "each candidate reads the list, or all share one read (own)"},
    {"name", 0, "auto|PATTERN", INJECT, TEXT(inject.name, NULL), .check = check_znode_name,
     .help = "name before the sequence number; {uuid} {hex} {session}"},
    {"expect", 0, "FIGURE<VALUE", INJECT, OWN(add_expectation),
     .help = "exit 1 unless true: 'failover.p99<2s'; repeatable"},
    {"join", 0, "RUN", INJECT, TEXT(inject.join, NULL), .check = check_run_name,
     .help = "join a run of several agents; the longest --for applies to all"},
    {"load", 0, NULL, INJECT, FLAG(inject.load),
     .help = "allow load on this ensemble: no limits, ten times the ping"},
    {"live", 0, NULL, INJECT, FLAG(inject.live),
     .help = "join the election at PATH itself (needs inject: live)"},
    {"may-lead", 0, NULL, INJECT, FLAG(inject.may_lead),
     .help = "in a copy or the sandbox; never with --live"},
    {"servers", 0, "1|3", DEMO, OWN(set_servers), .help = "size of the demo's ensemble (3)"},
    {"no-screen", 0, NULL, DEMO, FLAG(no_screen),
     .help = "print the connect string, and run until interrupted"},
    {"server", 's', "HOSTS", SETTLING, TEXT(server, NULL),
     .help = "ZooKeeper connect string, host:port,.../chroot (127.0.0.1:2181)"},
    {"config", 'c', "FILE", SETTLING | REPORT | DEMO | REPLAY | AUTOPSY | WHY | CASE | BUNDLE | COMPLETION,
     TEXT(config_file, "name a file"), .help = "read this configuration"},
    {"cluster", 'C', "NAME", SETTLING | REPORT | AUTOPSY | WHY,
     TEXT(cluster, "name a cluster of the configuration"), .help = "only this cluster of the configuration"},
    {"session-timeout", 't', "DURATION", SETTLING, DURATION(session_timeout_ms, 0, 0),
     .key = "clusters[].session_timeout", .help = "timeout of electop's own sessions, 1s to 5m (@)"},
    {"auth-file", 0, "FILE", SETTLING, TEXT(auth_file, "name a file"),
     .help = "file with scheme:credential; only its owner may read it"},
    {"tls", 0, NULL, SETTLING | DEMO, FLAG(tls), .help = "use TLS for all connections"},
    {"tls-ca", 0, "FILE", SETTLING, TEXT(tls_ca, "name a file"),
     .help = "PEM file of the servers' authorities (the system's)"},
    {"tls-cert", 0, "FILE", SETTLING, TEXT(tls_cert, "name a file"),
     .help = "PEM file with the client certificate"},
    {"tls-key", 0, "FILE", SETTLING, TEXT(tls_key, "name a file"),
     .help = "PEM file with its key; only its owner may read it (--tls-cert)"},
    {"admin", 0, "WHERE", SETTLING, TEXT(admin, NULL), .key = "clusters[].servers.admin",
     .help = "AdminServer: PORT, HOST:PORT,... or off (@); a list is matched to the servers\n"
             "                                    by host, else by the port and id that each reports"},
    {"four-letter", 0, "auto|off", SETTLING, WORD(four_letter, NULL), .key = "clusters[].servers.four_letter",
     .help = "four-letter words (@)"},
    {"transactions", 0, "DIR", SETTLING, TEXT(transactions, NULL), .check = check_directory,
     .help = "read the newest transaction logs of a server on this machine, and follow them"},
    {"wait", 0, "DURATION", ONCE | EVENTS | DEMO | INJECT | CHECK | EXPORT | DISCOVER,
     DURATION(wait_ms, 10, 60 * MINUTE_MS), .check = note_wait,
     .help = "how long a snapshot may take (10s; discover: until it has searched everything);\n"
             "                                    check: waits until suspicions are settled"},
    {"color", 0, "WHEN", EVERY, CHOICE(color, colors), .help = "auto, always or never (auto)"},
    {"ascii", 0, NULL, EVERY, FLAG(ascii), .help = "signs and lines in ASCII"},
    {"utc", 0, NULL, EVERY, FLAG(utc), .help = "times in UTC, not in local time"},
    {"theme", 0, "THEME", WATCH | DEMO | REPLAY, WORD(theme, NULL), .key = "screen.theme",
     .help = "auto, dark, light or mono (@)"},
    {"refresh", 0, "DURATION", WATCH | DEMO | REPLAY, DURATION(refresh_ms, 0, 0), .key = "screen.refresh",
     .help = "draw at most this often (@)"},
    {"sort", 0, "COLUMN", WATCH | DEMO | REPLAY, WORD(sort, option_sort_words),
     .help = "worst, name, leader, candidates, since, changed, next, finding or changes (worst)"},
    {"columns", 0, "LIST", WATCH | DEMO | REPLAY,
     TEXT(columns, "write names of columns, as in election,state,leader,next"), .check = check_columns,
     .help = "only these: cluster,election,state,leader,cand,since,strip,changes,last,p50,next,finding"},
    {"output", 'o', "FORM", ONCE, WORD(form, forms), .check = note_json,
     .help = "json; wide: nothing is cut; csv: one line per election"},
    {"filter", 0, "FILTER", WATCH | DEMO | REPLAY | ONCE | EVENTS,
     TEXT(filter, "write text, state:vacant, next:stops, severity>=error ..."),
     .help = "only elections that match: text, state:vacant, next:stops, severity>=error ..."},
    {"linear", 0, NULL, WATCH, FLAG(linear),
     .help = "no screen: a sentence for each change, for a screen reader or a serial console"},
    {"log", 0, "FILE", EVERY, TEXT(log, "name a file"),
     .help = "append a log of electop itself to FILE, or to the journal (--log journal)"},
    {"help", 'h', NULL, EVERY, .kind = OPTION_ENDS, .help = "this help"},
    {"version", 'V', NULL, EVERY, .kind = OPTION_ENDS, .help = "the version"},
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
     "whose successor would not be notified, and a server that is read-only.\n\n"
     "One look cannot prove that a watch is missing, or that a first in line knows that it leads:\n"
     "that is only suspected, and no alarm. --wait 60s waits until suspicions are settled, for\n"
     "--timeout at most.\n"},
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
     "It runs until Ctrl-C, --for or --count ends it. With --json each line is an object.\n"
     "With --against the exit code is 1 where something is told differently.\n\n" TIMES},
    {COMMAND_RECORD, "record", "[PATH...]", "record without a screen",
     "The recording is history: {file: ...} of the configuration, else history.db in\n"
     "$STATE_DIRECTORY (a service's), else in $XDG_STATE_HOME/electop or ~/.local/state/electop.\n"
     "It is an SQLite database: sqlite3 FILE 'SELECT * FROM failovers'. SIGHUP reads the\n"
     "configuration again.\n"},
    {COMMAND_REPORT, "report", "[RECORDING]", "a report from a recording, to attach to an incident",
     "RECORDING is a file of electop record, the configured one where none is named. The report is\n"
     "text, or with --json, --markdown or --html another format.\n\n" TIMES "\n"
     "Exit codes: 0 done; 2 wrong usage, or a file that cannot be read or written; 3 nothing\n"
     "was recorded in that time, or not that election.\n"},
    {COMMAND_REPLAY, "replay", "[FILE]", "the dashboard on a recording",
     "Without FILE it opens the recording of the dashboard and of electop record: history.file of the\n"
     "configuration, else $XDG_STATE_HOME/electop/history.db, else\n"
     "~/.local/state/electop/history.db. ? lists the keys.\n\n" TIMES},
    {COMMAND_CASE, "case", "[FILE]", "cut a case out of a recording, or out of another case",
     "A case holds what was observed, and --replay FILE folds it again. A recording keeps the\n"
     "observations of the last day (history: {observations: 24h}). The part begins with what was\n"
     "known then, and is written to standard output unless -o names a file. With --election it\n"
     "holds that election and the servers.\n\n" TIMES},
    {COMMAND_BUNDLE, "bundle", "[FILE]", "a moment to hand over, in one file that electop replay opens",
     "A bundle is a case with the moment that it is about, the effective configuration (without\n"
     "alerts, which may contain secrets) and the version. electop replay FILE opens it at that\n"
     "moment; electop config --replay FILE prints the configuration. Without -o it is a new file in\n"
     "the current directory. It holds addresses, names, and the data of znodes.\n\n" TIMES},
    {COMMAND_AUTOPSY, "autopsy", "DIR|FILE...", "the past, from servers' transaction logs",
     "DIR is a server's data directory (dataDir or dataLogDir of zoo.cfg), or contains those of\n"
     "several servers; FILE is a log, a snapshot, or an archive of such a directory (tar, zip;\n"
     "gz, bz2, xz, zst). Name all servers that you have: one fills the gaps of another. Nothing is\nwritten there, and a running server is not disturbed.\n\n"
     "It prints a report as text, or with --json, --markdown or --html; with --events its events,\n"
     "with --at one snapshot, with --screen the dashboard. --into writes a recording: a new one, or\n"
     "the time behind the end of an existing one. Elections are found by their candidates, or are\n"
     "those of --cluster; --election selects some.\n\n" TIMES "\n"
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
    return command == COMMAND_REPORT || command == COMMAND_REPLAY || command == COMMAND_CASE ||
           command == COMMAND_BUNDLE || command == COMMAND_WHY;
}

static const struct key *key_of(const struct option_row *row)
{
    return row->key ? key_find(row->key) : NULL;
}

const char *const *option_words(const struct option_row *row)
{
    const struct key *key = key_of(row);
    return row->words || !key ? row->words : key->words;
}

char *option_help(const struct option_row *row)
{
    const char *at = strchr(row->help, '@');
    return row->key ? text_format("%.*s%s%s", (int)(at - row->help), row->help, key_of(row)->fallback, at + 1)
                    : xstrdup(row->help);
}

static char *set_word(const struct option_row *row, const char *value, void *field)
{
    const char *const *words = option_words(row);
    struct text problem = {0};
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(words[i], value) != 0)
            continue;
        if (row->kind == OPTION_CHOICE)
            *(unsigned *)field = i;
        else
            *(const char **)field = words[i];
        return NULL;
    }
    text_add(&problem, "is not known; write ");
    for (size_t i = 0; words[i]; i++)
        text_printf(&problem, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    return text_take(&problem);
}

static char *set_number(const struct option_row *row, const char *value, void *field)
{
    const struct key *key = key_of(row);
    int64_t least = key ? key->minimum : row->least, most = key ? key->maximum : row->most, number;
    bool is_time = row->kind == OPTION_DURATION;
    const char *problem = is_time ? duration_parse(value, &number) : number_parse(value, &number);
    char low[UNITS_TEXT], high[UNITS_TEXT];
    if (problem)
        return xstrdup(problem);
    if (number >= least && number <= most) {
        if (is_time)
            *(int64_t *)field = number;
        else
            *(long *)field = (long)number;
        return NULL;
    }
    if (!is_time)
        return text_format("is out of range; write %" PRId64 " to %" PRId64, least, most);
    return text_format("is out of range; write %s to %s", duration_print(least, low, sizeof low),
                       duration_print(most, high, sizeof high));
}

char *option_set(const struct option_row *row, struct options *options, const char *value)
{
    void *field = (char *)options + row->offset;
    char *error = NULL;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = value;
        if (row->empty && !*value)
            error = text_format("is empty; %s", row->empty);
        break;
    case OPTION_WORD:
    case OPTION_CHOICE:
        error = set_word(row, value, field);
        break;
    case OPTION_DURATION:
    case OPTION_NUMBER:
        error = set_number(row, value, field);
        break;
    case OPTION_OWN:
    case OPTION_ENDS:
        break;
    }
    const char *problem = !error && row->check ? row->check(options, value) : NULL;
    return problem ? xstrdup(problem) : error;
}

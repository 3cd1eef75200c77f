/*
 * check.c - one line with performance data and an exit code, as the Monitoring Plugins Development Guidelines
 * require: ELECTION OK - the state | figures.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/threshold.h"
#include "config/units.h"
#include "config/znode_path.h"
#include "probe/clock.h"
#include "probe/election/dangers.h"
#include "probe/history/history.h"
#include "probe/history/preload.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "probe/election/whatif.h"
#include "probe/metrics/figures.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/shutdown.h"
#include "tui/screen/safe.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

/* In the order of the guidelines; their severity has another order: see worse(). */
enum check_status { CHECK_OK, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };
static const char *const status_words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

/* Monitoring daemons cut longer texts; problems come first. */
#define TEXT_MOST 1500
/* With several elections the line has at most so many characters, and its figures are sums: the rest is for
 * --verbose. */
#define LINE_MOST 200
#define PERFORMANCE_MOST 6000
#define LINES_MOST 32000
/* Of the deadline, for the end: handles that do not close are waited for half a second. No more than half
   of it. */
#define END_MS 600

struct check {
    const struct check_options *options;
    const struct monitor *monitor;
    const struct model *model; /* its */
    struct history *history;   /* NULL: there is none */
    struct moment now;
    bool waited; /* until suspicions were settled, or could not be */
    bool late;   /* some requests were not answered: that is said at the end */
    enum check_status status;
    struct text problems[CHECK_UNKNOWN + 1], fine, performance;
    struct text lines; /* of --verbose */
    char *name;        /* of the election that was named last */
    const struct election *named;
    size_t problem_count;
    size_t elections, left_out;
    size_t emptied;      /* paths that may have been elections, beside others that are */
    bool emptied_more;   /* and more of them */
    struct text perhaps; /* the message about them */
};

static enum check_status worse(enum check_status a, enum check_status b)
{
    static const int rank[] = {
        [CHECK_OK] = 0, [CHECK_UNKNOWN] = 1, [CHECK_WARNING] = 2, [CHECK_CRITICAL] = 3};
    return rank[a] >= rank[b] ? a : b;
}

static void check_add(struct text *to, const char *words)
{
    if (to->length < TEXT_MOST)
        text_printf(to, "%s%s", to->length ? "; " : "", words);
}

/* --verbose: each of them on a separate line, after the first. */
static void check_add_line(struct check *check, const char *words)
{
    if (!check->options->verbose || check->lines.length > LINES_MOST)
        return;
    char *safe = safe_text(words, strlen(words), true);
    for (char *bar = safe; (bar = strchr(bar, '|'));) /* more figures would follow it */
        *bar = '!';
    text_printf(&check->lines, "%s\n", safe);
    free(safe);
}

/* Its configured name, or its path; with its cluster if there are several. Valid until the next call. */
static const char *check_name(struct check *check, const struct election *election)
{
    const struct cluster *cluster = election->cluster;
    const char *called =
        strcmp(election->name, election->path) != 0 ? election->name : summary_path(election);
    if (check->named == election)
        return check->name;
    check->named = election;
    free(check->name);
    check->name = check->model->cluster_count > 1 ? text_format("%s %s", label_cluster(cluster), called)
                                                  : xstrdup(called);
    return check->name;
}

/* One more problem, in the words of format, or a note, which is none. */
static void check_raise(struct check *check, enum check_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void check_raise(struct check *check, enum check_status status, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    check->status = worse(check->status, status);
    check->problem_count += status != CHECK_OK;
    check_add(&check->problems[status], text.at);
    char *line = text_format("%s: %s", status_words[status], text.at);
    check_add_line(check, line);
    free(line);
    text_free(&text);
}

/*
 * The line's signs that mean something to the daemon's reader, and strangers' bytes, are shown as others.
 * False: the daemon does not get it.
 */
static bool check_print(const char *status, const char *words, const char *performance, const char *lines)
{
    char *safe = safe_text(words, strlen(words), true);
    for (char *bar = safe; (bar = strchr(bar, '|'));)
        *bar = '!';
    struct text all = {0};
    text_printf(&all, "ELECTION %s - %s%s%s\n%s", status, safe, *performance ? " |" : "", performance,
                lines ? lines : "");
    bool said = command_output_text(all.at) == EXIT_DONE;
    text_free(&all);
    free(safe);
    return said;
}

int check_refuse(const char *problem)
{
    char *line = xstrdup(problem);
    for (char *end = line; (end = strchr(end, '\n'));)
        *end = ' ';
    check_print(status_words[CHECK_UNKNOWN], line, "", NULL);
    free(line);
    return CHECK_UNKNOWN;
}

/* A monitoring daemon would read SIGABRT as it likes. */
void check_on_exhausted(void)
{
    static const char line[] = "ELECTION UNKNOWN - out of memory\n";
    ssize_t written = write(STDOUT_FILENO, line, sizeof line - 1);
    (void)written;
    _exit(CHECK_UNKNOWN);
}

/* ---- performance data ---- */

static const struct threshold *check_find(const struct threshold *list, size_t count, const char *figure)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].figure, figure) == 0)
            return &list[i];
    return NULL;
}

static void check_label(struct text *out, const char *name, const char *word)
{
    struct text label = {0};
    text_printf(&label, "%s%s%s", name, *name ? " " : "", word);
    char *safe = safe_text(label.at ? label.at : "", label.length, true);
    for (char *sign = safe; (sign = strpbrk(sign, "'=|"));)
        *sign = '_';
    text_printf(out, " '%s'=", safe);
    free(safe);
    text_free(&label);
}

/* Of many elections in one line. */
static bool check_is_main(enum figure figure)
{
    return figure <= FIGURE_NEXT_FAILOVER || figure == FIGURE_CRITICAL || figure == FIGURE_ERROR;
}

static void check_performance(struct check *check, const struct election *election, bool named,
                              const double figures[FIGURE_COUNT])
{
    if (check->performance.length > PERFORMANCE_MOST) {
        check->left_out++;
        return;
    }
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct figure_kind *kind = figure_kind((enum figure)i);
        const struct check_options *options = check->options;
        const struct threshold *warning = check_find(options->warning, options->warning_count, kind->word);
        const struct threshold *critical = check_find(options->critical, options->critical_count, kind->word);
        char value[32] = "U", warn[THRESHOLD_TEXT] = "", crit[THRESHOLD_TEXT] = "";
        bool usual = kind->recorded ? check->history != NULL : !named || check_is_main((enum figure)i);
        if (!usual && !warning && !critical)
            continue;
        if (!isnan(figures[i]))
            snprintf(value, sizeof value, "%.10g%s", round(figures[i] * 1000) / 1000, kind->unit);
        check_label(&check->performance, named ? check_name(check, election) : "", kind->word);
        text_printf(&check->performance, "%s;%s;%s;0;", value, warning ? threshold_print(warning, warn) : "",
                    critical ? threshold_print(critical, crit) : "");
    }
}

/* In place of the figures that are left out. */
static void check_sums(struct check *check)
{
    if (check->elections > 0 && (check->left_out || !check->performance.length))
        text_printf(&check->performance, " 'elections'=%zu;;;0; 'problems'=%zu;;;0;", check->elections,
                    check->problem_count);
}

/* ---- judging ---- */

static bool check_judges(const struct check *check, enum figure figure)
{
    const char *word = figure_kind(figure)->word;
    const struct check_options *options = check->options;
    return check_find(options->warning, options->warning_count, word) ||
           check_find(options->critical, options->critical_count, word);
}

#define VALUE_TEXT 32

/* A figure for people: seconds as a time. exact: as it was written; else with three figures. */
static char *check_value(const struct figure_kind *kind, double value, bool exact, char buffer[VALUE_TEXT])
{
    bool whole = value >= 0 && value < 1e9 && floor(value * 1000) == value * 1000;
    if (!*kind->unit || value < 0 || value >= 1e9 || (exact && !whole))
        snprintf(buffer, VALUE_TEXT, "%.6g%s", value, kind->unit);
    else if (exact)
        duration_print((int64_t)(value * 1000), buffer, VALUE_TEXT);
    else
        format_span((int64_t)(value * 1e6), buffer, VALUE_TEXT);
    return buffer;
}

/* "1m22s is outside 1h:" */
static void check_raise_range(struct check *check, const struct election *election,
                              const struct threshold *threshold, enum check_status status, double value)
{
    bool bounded = figure_of(threshold->figure) == FIGURE_TENURE && !election->leader_since_exact;
    const struct figure_kind *kind = figure_kind(figure_of(threshold->figure));
    char now[VALUE_TEXT], bound[VALUE_TEXT];
    struct text range = {0};
    if (threshold->low == -INFINITY)
        text_add(&range, "~:");
    else if (threshold->low != 0 || threshold->high == INFINITY)
        text_printf(&range, "%s:", check_value(kind, threshold->low, true, bound));
    if (threshold->high != INFINITY)
        text_add(&range, check_value(kind, threshold->high, true, bound));
    check_raise(check, status, "%s: %s %s%s is %s %s", check_name(check, election), kind->word,
                bounded ? "of at most " : "",
                bounded ? format_age_as((int64_t)(value * 1e6), AGE_AT_MOST, now, sizeof now)
                        : check_value(kind, value, false, now),
                threshold->inside ? "inside" : "outside", range.at);
    text_free(&range);
}

static void check_threshold(struct check *check, const struct election *election,
                            const struct threshold *threshold, enum check_status status,
                            const double figures[FIGURE_COUNT])
{
    enum figure figure = figure_of(threshold->figure);
    const struct figure_kind *kind = figure_kind(figure);
    const char *path = check_name(check, election);
    char least[VALUE_TEXT];
    if (isnan(figures[figure])) {
        if (figure == FIGURE_VACANCY && summary_state(election) == ELECTION_ABSENT)
            ; /* said by check_defaults() */
        else if (figure == FIGURE_VACANCY)
            check_raise(check, status, "%s: vacant; it is not known since when", path);
        else if (figure == FIGURE_NEXT_FAILOVER && figures_needs_nobody(election))
            ; /* nothing is wrong */
        else if (figure == FIGURE_TENURE)
            check_raise(check, CHECK_UNKNOWN, "%s: no tenure, because there is no leader", path);
        else if (kind->recorded && !check->history)
            check_raise(check, CHECK_UNKNOWN,
                        "%s: %s is known from a recording only: configure history: and run electop record",
                        path, kind->word);
        else if (!kind->recorded || figure == FIGURE_CHANGES)
            check_raise(check, CHECK_UNKNOWN, "%s: %s is not known", path, kind->word);
        return; /* no failover was recorded: none was too slow */
    }
    bool bounded = figure == FIGURE_VACANCY && figures[figure] > 0 && !election->state_since_exact;
    if (threshold_alerts(threshold, figures[figure]))
        check_raise_range(check, election, threshold, status, figures[figure]);
    else if (bounded)
        check_raise(check, status, "%s: vacant for at least %s", path,
                    check_value(kind, figures[figure], false, least));
}

/* Since when there is no leader, and why. */
static void check_vacancy(struct check *check, const struct election *election, double vacancy_s)
{
    char age[24], why[VACANCY_TEXT], local[VACANCY_TEXT];
    double allowed_s = (double)election->settings->allow.vacancy_ms / 1000;
    bool named = election->origin == ORIGIN_CONFIGURED || election_is_matched(election);
    struct failover lost;
    bool since = vacancy_lost(election, check->now, &lost) && lost.from; /* as the description says */
    vacancy_describe(election, check->now, why);
    format_local_times(why, check->now.wall_us, local, sizeof local);
    bool assumed = !named && election->kind_proof == KIND_ASSUMED, exact = election->state_since_exact;
    if (assumed && exact && vacancy_s < allowed_s)
        return; /* a busy lock is free between two holders */
    if (assumed)
        check_raise(check, CHECK_WARNING,
                    "%s: no leader%s%s, if it is an election: that is assumed; configure its kind, leader or "
                    "lock%s%s",
                    check_name(check, election), isnan(vacancy_s) ? "" : " for ",
                    isnan(vacancy_s) ? "" : format_age((int64_t)(vacancy_s * 1e6), age, sizeof age),
                    since ? "; " : "", since ? local : "");
    else if (isnan(vacancy_s) || (!exact && since && vacancy_s < 1)) /* by this look: the loss says more */
        check_raise(check, vacancy_is_doubtful(election) ? CHECK_WARNING : CHECK_CRITICAL,
                    "%s: no leader%s%s%s", check_name(check, election),
                    since ? "" : "; it is not known since when", local[0] ? "; " : "", local);
    else
        check_raise(check,
                    (named || !exact || vacancy_s >= allowed_s) && !vacancy_is_doubtful(election)
                        ? CHECK_CRITICAL
                        : CHECK_WARNING,
                    "%s: no leader for %s%s%s%s", check_name(check, election), exact ? "" : "at least ",
                    format_age((int64_t)(vacancy_s * 1e6), age, sizeof age), local[0] ? "; " : "", local);
}

/* The first in line does not lead, as its worst finding shows; a certain error is reported as such. */
static void check_doubt(struct check *check, const struct election *election)
{
    char why[VACANCY_TEXT], local[VACANCY_TEXT];
    const struct finding *doubt = vacancy_doubt(election);
    if (!doubt || doubt->severity < SEVERITY_CRITICAL ||
        check_judges(check, doubt->certainty == CERTAINTY_CERTAIN ? FIGURE_CRITICAL : FIGURE_SUSPECTED) ||
        check_judges(check, FIGURE_FINDINGS))
        return;
    vacancy_describe(election, check->now, why);
    check_raise(check, vacancy_is_sure(doubt) ? CHECK_CRITICAL : CHECK_WARNING, "%s: %s (%s)",
                check_name(check, election), format_local_times(why, check->now.wall_us, local, sizeof local),
                finding_kind(doubt->code)->word);
}

static bool check_left_on_purpose(const struct election *election)
{
    const struct failover *last = election_last_failover(election);
    return last && (last->cause == CAUSE_RESIGNED || last->cause == CAUSE_CLOSED ||
                    last->cause == CAUSE_DELETED || (last->cause == CAUSE_ENDED && last->gap_us == 0));
}

/* With its candidates, by another hand, after a short time: as the dashboard says, its job may be over. */
static bool check_was_removed(const struct election *election)
{
    const struct failover *last = election_last_failover(election);
    return last && last->cause == CAUSE_EVICTED && election_may_be_over(election);
}

/* A path alone may be a typing error: its kind or layout must be configured, more of its layout than the path
 * must exist, or a leader must have been seen. */
static bool check_belongs(const struct election *election)
{
    bool led = election->change.from && !election->change.to && election->kind_proof != KIND_ASSUMED &&
               !check_left_on_purpose(election);
    return led || election->kind_proof == KIND_CONFIGURED || election->recognised == RECOGNISED_CONFIGURED ||
           election->listed_member_count > 0 || (election->ack_known && election->ack_present);
}

/* The recorder saw it go a moment ago, and has not judged yet whether it still needs a leader. */
static bool check_just_lost(const struct check *check, const struct election *election)
{
    int64_t lost_us = election->change.to ? 0 : election->change.lost_at.mono_us;
    return lost_us > 0 && lost_us < election->own_since.mono_us &&
           check->now.mono_us - lost_us < election->settings->allow.vacancy_ms * 1000;
}

/* No server lists a connection of the leader: it may be gone, which further lists prove in seconds, or these lists
 * never. */
static bool check_misses(const struct election *election)
{
    const struct client_session *client = election->leader ? candidate_client(election->leader) : NULL;
    bool misses = election->suspected;
    for (size_t i = 0; i < election->finding_count; i++)
        misses |= election->findings[i]->code == FINDING_OWNER_DISCONNECTED &&
                  election->findings[i]->certainty == CERTAINTY_SUSPECTED &&
                  election->findings[i]->severity >= SEVERITY_ERROR; /* of the leader */
    return misses && client && !client->connected;
}

/* The checks without any option. */
static void check_defaults(struct check *check, const struct election *election,
                           const double figures[FIGURE_COUNT])
{
    enum election_state state = summary_state(election);
    bool leader = summary_must_lead(election),
         lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    const char *path = check_name(check, election);
    /* A lock is its holder, unless another znode is in its place. */
    bool missing =
        state == ELECTION_ABSENT || (lock && state == ELECTION_VACANT && !vacancy_blocking(election));
    bool named = election->origin == ORIGIN_CONFIGURED || election->origin == ORIGIN_EXPECTED;
    char why[VACANCY_TEXT] = "", local[VACANCY_TEXT];
    struct failover lost;
    bool known = missing && vacancy_lost(election, check->now, &lost) && lost.from;
    if (missing)
        vacancy_describe(election, check->now, why);
    format_local_times(why, check->now.wall_us, local, sizeof local);
    if (leader && missing && !named && !check_belongs(election)) {
        check_raise(check, CHECK_WARNING,
                    "%s: this path does not exist; %s%sif an election belongs there, configure its kind",
                    path, known ? local : "", known ? "; " : "");
    } else if (leader && missing && (!lock || !check_belongs(election))) {
        const struct change *change = &election->change;
        const char *led = change->from_identity ? change->from_identity : change->from;
        if (!led && known)
            led = lost.from_identity ? lost.from_identity : lost.from;
        /* With the directory of a pattern's match, and a leader that left on purpose, its purpose may have ended. */
        bool over =
            election_vanished(election) ? check_left_on_purpose(election) : check_was_removed(election);
        bool doubtful = !named && (over || check_just_lost(check, election));
        check_raise(check, doubtful ? CHECK_WARNING : CHECK_CRITICAL,
                    "%s: nobody leads, the path does not exist; %s%s", path,
                    !led && election->cluster->no_chroot ? election->cluster->problem
                    : !led                               ? "if none has to, call it a lock (--kind lock)"
                    : local[0]                           ? local
                                                         : "the last leader that is known was ",
                    led && !local[0] ? led : "");
    } else if (leader && state != ELECTION_LED && !check_judges(check, FIGURE_VACANCY))
        check_vacancy(check, election, figures[FIGURE_VACANCY]);
    check_doubt(check, election);
    if (leader && state == ELECTION_LED && check_misses(election) && !check->late &&
        !check_judges(check, FIGURE_SUSPECTED) && !check_judges(check, FIGURE_FINDINGS))
        check_raise(
            check, CHECK_UNKNOWN, "%s: no server shows a connection of the leader's session; %s", path,
            election->suspected ? "a proof takes longer: raise --timeout"
                                : "it may be gone, and these lists do not prove it: allow AdminServer");
    bool successor = lock || whatif_heir(election) != NULL;
    /* One that was found, and may be a lock, needs no client that waits. */
    bool wanted = successor || named || election->kind_proof != KIND_ASSUMED;
    if (leader && state == ELECTION_LED && figures[FIGURE_NEXT_FAILOVER] == 0 && wanted &&
        !check_judges(check, FIGURE_NEXT_FAILOVER))
        check_raise(check, CHECK_WARNING, "%s: %s", path,
                    successor                       ? "the next failover would stop, no candidate is notified"
                    : election->candidate_count > 1 ? "no candidate of another session after the leader"
                                                    : "no candidate after the leader");
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        enum figure figure = (enum figure)(FIGURE_INFO - (int)finding->severity);
        if (finding->certainty != CERTAINTY_CERTAIN || finding->one_poll ||
            finding->severity < SEVERITY_ERROR || check_judges(check, figure) ||
            check_judges(check, FIGURE_FINDINGS) || finding->code == FINDING_NO_LEADER ||
            (finding == vacancy_doubt(election) && finding->severity == SEVERITY_CRITICAL)) /* judged above */
            continue;
        check_raise(check, finding->severity == SEVERITY_CRITICAL ? CHECK_CRITICAL : CHECK_WARNING,
                    "%s: %s (%s)", path, finding_kind(finding->code)->word,
                    finding->evidence ? finding->evidence : "");
    }
}

/* ", 2 suspected findings (no-watch, herd)" */
static void put_suspected(struct text *text, const struct election *election, double count, bool waited)
{
    uint64_t put = 0;
    _Static_assert(FINDING_COUNT <= 64, "a bit for each kind");
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        uint64_t bit = UINT64_C(1) << finding->code;
        if (finding->certainty == CERTAINTY_CERTAIN || put & bit)
            continue;
        if (!put)
            text_printf(text, ", %.0f%s finding%s%s (", count, waited ? "" : " suspected",
                        count == 1 ? "" : "s", waited ? " still suspected" : "");
        text_printf(text, "%s%s", put ? ", " : "", finding_kind(finding->code)->word);
        put |= bit;
    }
    text_add(text, put ? ")" : "");
}

/* What one look cannot tell of a leader; NULL: nothing, or a finding says more. */
static const char *check_unknown(const struct election *election)
{
    if (summary_state(election) != ELECTION_LED || vacancy_doubt(election))
        return NULL;
    return election->acknowledged == ACK_NO ? "not acknowledged yet" : label_takeover_unseen(election);
}

static void check_describe(struct check *check, const struct election *election,
                           const double figures[FIGURE_COUNT])
{
    const struct candidate *leader = election->leader;
    struct text text = {0};
    char age[24];
    text_printf(&text, "%s ", check_name(check, election));
    if (summary_state(election) == ELECTION_LED && leader) {
        text_printf(&text, "%s %s",
                    vacancy_stalls(election)     ? "led by nobody, the first is"
                    : label_only_first(election) ? "perhaps led by nobody, the first is"
                                                 : "led by",
                    leader->identity ? leader->identity : leader->name);
        if (!isnan(figures[FIGURE_TENURE]))
            text_printf(&text, " for %s%s", election->leader_since_exact ? "" : "at most ",
                        format_age_as((int64_t)(figures[FIGURE_TENURE] * 1e6),
                                      election->leader_since_exact ? 0 : AGE_AT_MOST, age, sizeof age));
        text_printf(&text, ", %zu candidate%s", election->candidate_count,
                    election->candidate_count == 1 ? "" : "s");
        if (figures[FIGURE_NEXT_FAILOVER] == 1)
            text_add(&text, ", next failover works");
        if (check_unknown(election))
            text_printf(&text, ", %s", check_unknown(election));
    } else {
        text_add(&text,
                 election->led_elsewhere          ? "another system leads: Kafka's controller in KRaft"
                 : election_has_no_line(election) ? "nobody stands: every replica leads"
                 : summary_state(election) == ELECTION_VACANT || summary_state(election) == ELECTION_ABSENT
                     ? "free"
                     : election_state_word(summary_state(election)));
    }
    put_suspected(&text, election, figures[FIGURE_SUSPECTED], check->waited);
    check_add(&check->fine, text.at ? text.at : "");
    check_add_line(check, text.at ? text.at : "");
    text_free(&text);
}

/* ---- figures of a recording ---- */

static void check_recorded(const struct check *check, const struct election *election,
                           double figures[FIGURE_COUNT])
{
    const struct history_filter filter = {.cluster = election->cluster->name, .election = election->path};
    int64_t to_us = check->now.wall_us + 1, from_us = to_us - check->options->window_ms * 1000;
    struct failover_stats stats;
    size_t changes = 0;
    char *error = NULL;
    if (check->history && history_statistics(check->history, &filter, from_us, to_us, &stats, &error) &&
        history_changes(check->history, &filter, from_us, to_us, &changes, &error))
        figures_of_recording(changes, &stats.all, figures);
    free(error);
}

static void check_election(struct check *check, const struct election *election, bool named)
{
    double figures[FIGURE_COUNT];
    enum election_state state = summary_state(election);
    char buffer[64];
    figures_of_election(election, check->now, figures);
    check->elections++;
    if (state == ELECTION_UNKNOWN && election->fresh && !election_is_proven(election)) {
        if (election_has_one_owner(election)) {
            check->elections--;
            return;
        }
        check_raise(
            check, CHECK_UNKNOWN,
            election->mixed || election->first_waits
                ? "%s: its names, numbers or watches leave open who leads; set recipe: in the configuration"
                : "%s: nothing proves that it is an election; name its path, or configure its kind",
            check_name(check, election));
        return;
    }
    if (state == ELECTION_UNKNOWN || state == ELECTION_DENIED) {
        const char *problem = election->cluster->problem, *path = election->path;
        /* Why the servers refuse to list it; else its own. */
        if (!problem || strncmp(problem, path, strlen(path)) != 0)
            problem = election_problem(election, buffer, sizeof buffer);
        check_raise(check, CHECK_UNKNOWN, "%s: %s%s%s%s", check_name(check, election),
                    election_state_word(state), problem ? ", " : "", problem ? problem : "",
                    state == ELECTION_DENIED ? " (--auth-file)" : "");
        return;
    }
    check_recorded(check, election, figures);
    size_t before = check->problem_count;
    const struct check_options *options = check->options;
    for (size_t i = 0; i < options->critical_count; i++)
        check_threshold(check, election, &options->critical[i], CHECK_CRITICAL, figures);
    for (size_t i = 0; i < options->warning_count; i++) {
        const struct threshold *critical =
            check_find(options->critical, options->critical_count, options->warning[i].figure);
        double value = figures[figure_of(options->warning[i].figure)];
        if (!critical || isnan(value) || !threshold_alerts(critical, value))
            check_threshold(check, election, &options->warning[i], CHECK_WARNING, figures);
    }
    check_defaults(check, election, figures);
    if (check->problem_count == before) {
        check_describe(check, election, figures);
    } else if (check_unknown(election)) {
        char *words = text_format("%s: %s", check_name(check, election), check_unknown(election));
        check_add(&check->fine, words);
        check_add_line(check, words);
        free(words);
    }
    check_performance(check, election, named, figures);
}

/* ---- clusters ---- */

static void check_servers(struct check *check, const struct cluster *cluster, const char *name)
{
    bool named = check->model->cluster_count > 1;
    for (size_t i = 0; i < cluster->server_count; i++) {
        struct server_danger dangers[SERVER_DANGERS_MOST];
        size_t count = server_dangers(cluster, &cluster->servers[i], dangers);
        for (size_t k = 0; k < count; k++)
            if (dangers[k].severity >= SEVERITY_ERROR)
                check_raise(check, CHECK_WARNING, "%s%s%s: %s (%s)", named ? name : "", named ? " " : "",
                            cluster->servers[i].address, dangers[k].code, dangers[k].evidence);
    }
}

/* Whether the next failover works can be said only where servers show their watches. */
static void check_hidden(struct check *check, const struct cluster *cluster)
{
    bool unknown = false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        double figures[FIGURE_COUNT];
        figures_of_election(cluster->elections[i], check->now, figures);
        unknown |= isnan(figures[FIGURE_NEXT_FAILOVER]) && cluster->elections[i]->candidate_count > 1;
    }
    for (size_t i = 0; unknown && i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (!server->reachable || !server->hidden[HIDDEN_WATCHES])
            continue;
        char *words = text_format("it is not known whether the next failover works: %s shows no watches: %s",
                                  server->address, server->hidden[HIDDEN_WATCHES]);
        check_add(&check->fine, words);
        free(words);
        return;
    }
}

/* Paths that may have been elections: none of them alone is an alarm. */
static void check_emptied(struct check *check, const struct cluster *cluster, const struct discovery *found,
                          const char *message)
{
    size_t count;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    bool named = check->model->cluster_count > 1;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].verdict.kind != DIRECTORY_EMPTIED)
            continue;
        char *line = text_format("%s%s%s %s; if it is one, name it", named ? label_cluster(cluster) : "",
                                 named ? " " : "", rows[i].path,
                                 directory_kind_emptied_clause(rows[i].verdict.leftover));
        check_add_line(check, line);
        free(line);
        check->emptied++;
    }
    free(rows);
    check->emptied_more |= found->emptied_more;
    check_add(&check->perhaps, message);
}

/* Many elections leave room for their number only. */
static void check_say_emptied(struct check *check, struct text *words)
{
    const char *before = words->length ? "; " : "";
    if (check->emptied == 1 && check->elections > 1)
        text_printf(words, "%s1 path is empty, and may have been an election", before);
    else if (check->emptied && check->elections > 1)
        text_printf(words, "%s%s%zu paths are empty, and may have been elections", before,
                    check->emptied_more ? "more than " : "", check->emptied);
    else if (check->perhaps.length)
        check_add(&check->fine, check->perhaps.at);
}

static void check_cluster(struct check *check, const struct cluster *cluster,
                          const struct cluster_settings *wanted, bool named)
{
    const char *name = label_cluster(cluster);
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    if (cluster->connection != CONNECTION_CONNECTED) {
        check_raise(check, CHECK_UNKNOWN, "%s: not connected, %s%s", name, problem ? problem : "no answer",
                    snapshot_exit_next_step(cluster));
        return;
    }
    check_servers(check, cluster, name);
    for (size_t i = 0; i < cluster->election_count; i++)
        check_election(check, cluster->elections[i], named);
    check_hidden(check, cluster);
    for (size_t i = 0; i < wanted->election_count; i++) {
        const char *pattern = wanted->elections[i].path;
        if (!snapshot_exit_is_matched(cluster, pattern))
            check_raise(check, CHECK_UNKNOWN, "%s: no path matches %s; check the pattern", name, pattern);
    }
    struct discovery found;
    if (!wanted->election_count && problem && cluster->sees_all && cluster->election_count &&
        monitor_discovery(check->monitor, (size_t)(cluster - check->model->clusters), &found))
        check_emptied(check, cluster, &found, problem);
    else if (!wanted->election_count && problem)
        check_raise(check, CHECK_UNKNOWN, "%s: %s", name, problem);
    else if (!wanted->election_count && !cluster->election_count)
        check_raise(check, CHECK_UNKNOWN, "%s: no election was found; name its path", name);
}

/* One election that is named by its path alone keeps its labels short; what may become several never does. */
static bool check_names(const struct settings *settings)
{
    return settings->cluster_count != 1 || settings->clusters[0].election_count != 1 ||
           znode_is_pattern(settings->clusters[0].elections[0].path);
}

/* Whole sentences as far as they fit, and what says more: the first and worst is cut if need be. */
static void check_shorten(struct text *words, size_t most)
{
    static const char after[] = "; ... (-v shows all)";
    size_t cut = 0;
    most -= sizeof after - 1;
    for (char *at = words->at; (at = strstr(at, "; ")) && (size_t)(at - words->at) <= most; at++)
        cut = (size_t)(at - words->at);
    for (size_t i = most; cut < most / 2 && i > most / 4 * 3; i--) /* else its last whole clause */
        if (words->at[i] == ' ' && strchr(",:", words->at[i - 1]))
            cut = i - 1;
    if (cut < most / 2) {
        for (cut = most; cut > most / 2 && words->at[cut] != ' '; cut--)
            ;
        while (cut > 0 && ((unsigned char)words->at[cut] & 0xc0) == 0x80)
            cut--;
    }
    words->at[words->length = cut] = '\0';
    text_add(words, after);
}

/* ---- its time ---- */

static int64_t check_end_ms(int64_t wait_ms)
{
    return wait_ms / 2 < END_MS ? wait_ms / 2 : END_MS;
}

/* Of the whole check. */
static int64_t check_deadline_ms(const struct options *options)
{
    return options->check.timeout_ms ? options->check.timeout_ms : options->wait_ms;
}

/* Of its snapshot. */
static int64_t check_wait_ms(const struct options *options)
{
    int64_t deadline_ms = check_deadline_ms(options), most_ms = deadline_ms - check_end_ms(deadline_ms);
    return options->wait_given && options->wait_ms < most_ms ? options->wait_ms : most_ms;
}

/* ---- the line ---- */

static int check_judge(const struct monitor *monitor, const struct invocation *invocation, bool late)
{
    const struct settings *settings = invocation->settings;
    const struct options *options = invocation->options;
    const struct model *model = monitor_model(monitor);
    bool short_wait =
        options->wait_given && (!options->check.timeout_ms || check_wait_ms(options) == options->wait_ms);
    struct check check = {.options = &invocation->options->check,
                          .monitor = monitor,
                          .model = model,
                          .waited = options->wait_given,
                          .late = late &&
                                  summary_result(model) != SUMMARY_UNREACHED, /* else said with what to do */
                          .history = command_recording_configured(&settings->history),
                          .now = clock_now()};
    char wait[32];
    for (size_t i = 0; i < model->cluster_count; i++)
        check_cluster(&check, &model->clusters[i], &settings->clusters[i], check_names(settings));
    if (check.late)
        check_raise(&check, CHECK_UNKNOWN, "some requests were not answered within %s; raise --%s",
                    format_span((short_wait ? options->wait_ms : check_deadline_ms(options)) * 1000, wait,
                                sizeof wait),
                    short_wait ? "wait" : "timeout");
    if (check.left_out)
        check_raise(&check, CHECK_OK, "performance data of %zu of %zu elections left out", check.left_out,
                    check.elections);
    history_close(check.history);
    static const enum check_status order[] = {CHECK_CRITICAL, CHECK_WARNING, CHECK_UNKNOWN, CHECK_OK};
    struct text words = {0};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (check.problems[order[i]].length)
            check_add(&words, check.problems[order[i]].at);
    if (check.elections > 1)
        text_printf(&words, "%s%zu elections", words.length ? "; " : "", check.elections);
    check_say_emptied(&check, &words);
    if (check.fine.length && words.length < TEXT_MOST / 2)
        text_printf(&words, "%s%s", words.length ? "; " : "", check.fine.at);
    char *safe = safe_text(words.at ? words.at : "", words.length, true); /* its length is shown */
    text_free(&words);
    text_add(&words, safe);
    free(safe);
    if (check.elections > 1 && !check.options->verbose)
        text_free(&check.performance);
    check_sums(&check);
    size_t rest = strlen("ELECTION CRITICAL -  |\n") + check.performance.length;
    size_t most = check.options->verbose ? LINE_MOST : LINE_MOST - rest;
    if (check.elections > 1 && words.length > most)
        check_shorten(&words, most);
    bool said = check_print(status_words[check.status], words.length ? words.at : "nothing was seen",
                            check.performance.at ? check.performance.at : "", check.lines.at);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        text_free(&check.problems[i]);
    text_free(&words);
    text_free(&check.fine);
    text_free(&check.perhaps);
    text_free(&check.performance);
    text_free(&check.lines);
    free(check.name);
    return said ? (int)check.status : CHECK_UNKNOWN;
}

/* ---- the run ---- */

static volatile sig_atomic_t check_said = -1; /* the exit code, once the line is written */

static void check_on_guard(int number)
{
    static const char line[] = "ELECTION UNKNOWN - the check itself did not end by its deadline\n";
    (void)number;
    if (check_said >= 0)
        _exit(check_said);
    ssize_t written = write(STDOUT_FILENO, line, sizeof line - 1);
    (void)written;
    _exit(CHECK_UNKNOWN);
}

/* The loop may hang where none of its deadlines is checked (a file system that does not answer). */
static void check_guard(int64_t ms)
{
    struct itimerval timer = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
    signal(SIGALRM, check_on_guard);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static bool check_misses_leader(const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            if (check_misses(model->clusters[i].elections[k]))
                return true;
    return false;
}

/* One look; --wait: until no suspicion can be settled any more. */
static void check_look(uv_loop_t *loop, struct monitor *monitor, const struct invocation *invocation,
                       const struct shutdown *ending)
{
    struct preload *earlier = preload_begin(loop, monitor, &invocation->settings->history);
    uint64_t until_ms = uv_now(loop) + (uint64_t)check_wait_ms(invocation->options);
    bool waits = invocation->options->wait_given;
    monitor_ask(monitor);
    monitor_one_poll(monitor, true);
    while (!ending->signal && !ending->passed[0] &&
           !(monitor_complete(monitor) && monitor_compared(monitor, until_ms)))
        uv_run(loop, UV_RUN_ONCE);
    if (waits || check_misses_leader(monitor_model(monitor))) {
        monitor_one_poll(monitor, false);
        while (!ending->signal && !ending->passed[0] && !monitor_settled(monitor, until_ms))
            uv_run(loop, UV_RUN_ONCE);
    }
    preload_end(earlier);
}

static int command_check_on(uv_loop_t *loop, const struct invocation *invocation)
{
    char *error = NULL;
    struct shutdown ending;
    int64_t deadline_ms = check_deadline_ms(invocation->options);
    check_guard(deadline_ms - check_end_ms(deadline_ms) / 3);
    bool caught = shutdown_begin(&ending, loop, check_wait_ms(invocation->options), 0);
    struct monitor *monitor = caught ? monitor_start(loop, invocation->settings, &error) : NULL;
    int status = CHECK_UNKNOWN;
    if (monitor) {
        check_look(loop, monitor, invocation, &ending);
        if (!ending.signal) {
            bool late = monitor_cut(monitor) || !monitor_complete(monitor);
            monitor_catch_up(monitor);
            status = check_judge(monitor, invocation, late);
            check_said = status;
        }
    } else {
        check_refuse(error ? error : "too many open files; raise the limit of open files (ulimit -n)");
    }
    monitor_stop(monitor);
    shutdown_finish(&ending, loop);
    free(error);
    return ending.signal ? 128 + ending.signal : status;
}

static char *check_figures(const struct threshold *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct nearest nearest = {0};
        if (figure_of(list[i].figure) != FIGURE_COUNT)
            continue;
        for (int figure = 0; figure < FIGURE_COUNT; figure++)
            nearest_offer(&nearest, list[i].figure, figure_kind((enum figure)figure)->word);
        return nearest.best
                   ? text_format("unknown figure %s; did you mean %s?", list[i].figure, nearest.best)
                   : text_format("unknown figure %s; electop check --help lists them", list[i].figure);
    }
    return NULL;
}

int command_check(const struct invocation *invocation)
{
    const struct check_options *options = &invocation->options->check;
    char *problem = check_figures(options->critical, options->critical_count);
    if (!problem)
        problem = check_figures(options->warning, options->warning_count);
    int status = problem ? check_refuse(problem) : shutdown_run_loop(command_check_on, invocation);
    free(problem);
    return status;
}

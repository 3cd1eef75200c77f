#include "probe/metrics/figures.h"

#include <math.h>
#include <string.h>

#include "probe/election/whatif.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"

static const struct figure_kind kinds[FIGURE_COUNT] = {
    [FIGURE_CANDIDATES] = {"candidates", "", false, "number of candidates"},
    [FIGURE_VACANCY] = {"vacancy", "s", false, "time without a leader until now; 0 while there is one"},
    [FIGURE_TENURE] = {"tenure", "s", false, "upper bound of how long the leader has led"},
    [FIGURE_NEXT_FAILOVER] = {"next_failover", "", false, "1: a successor exists and is notified; 0: not"},
    [FIGURE_FINDINGS] = {"findings", "", false, "certain findings"},
    [FIGURE_CRITICAL] = {"findings.critical", "", false, "certain findings of severity critical"},
    [FIGURE_ERROR] = {"findings.error", "", false, "certain findings of severity error"},
    [FIGURE_WARNING] = {"findings.warning", "", false, "certain findings of severity warning"},
    [FIGURE_INFO] = {"findings.info", "", false, "certain findings of severity info"},
    [FIGURE_SUSPECTED] = {"suspected", "", false, "findings that are not certain"},
    [FIGURE_CHANGES] = {"changes", "", true, "changes of leader within --window"},
    [FIGURE_FAILOVER_P50] = {"failover.p50", "s", true, "half of the failovers took no longer"},
    [FIGURE_FAILOVER_P99] = {"failover.p99", "s", true, "99 % of the failovers took no longer"},
    [FIGURE_FAILOVER_MAX] = {"failover.max", "s", true, "the longest failover"},
};

const struct figure_kind *figure_kind(enum figure figure)
{
    return &kinds[figure];
}

enum figure figure_of(const char *word)
{
    int figure = 0;
    while (figure < FIGURE_COUNT && strcmp(kinds[figure].word, word) != 0)
        figure++;
    return (enum figure)figure;
}

/* Its certain findings that are to be acted on, by severity; and those that are only suspected. */
struct severity_counts {
    size_t certain[SEVERITY_CRITICAL + 1], suspected;
};
static struct severity_counts figures_count_findings(const struct election *election)
{
    struct severity_counts counts = {0};
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        if (finding->certainty == CERTAINTY_CERTAIN && !finding->one_poll)
            counts.certain[finding->severity]++;
        else
            counts.suspected++;
    }
    return counts;
}

bool figures_needs_nobody(const struct election *election)
{
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    bool may_be_alone =
        election->kind == KIND_LOCK || election_has_one_owner(election) || election_is_tried(election);
    return !lock && may_be_alone && !whatif_heir(election);
}

/* A lock in one znode has no successor: there it is whether anybody is notified. */
static double figures_next_failover(const struct election *election)
{
    if (summary_state(election) != ELECTION_LED)
        return NAN;
    struct next_failover next = whatif_next(election);
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (next.by_itself ==
        ANSWER_NO) /* no failover begins, though the successor watches, unless its client ends it */
        return vacancy_stalls(election) ? 0 : NAN;
    if (!lock && !next.successor)
        return figures_needs_nobody(election) ? NAN : 0;
    return next.notified == ANSWER_YES ? 1 : next.notified == ANSWER_NO ? 0 : NAN;
}

static double seconds_since(struct moment then, struct moment now)
{
    return then.mono_us && now.mono_us >= then.mono_us ? (double)(now.mono_us - then.mono_us) / 1e6 : NAN;
}

bool figures_is_led(const struct election *election)
{
    return summary_state(election) == ELECTION_LED && !vacancy_stalls(election) &&
           !vacancy_is_denied(election);
}

/* A recording may know since when an election that was found vacant is so. stalls: there is a first in line, which
 * does not lead. */
static double figures_vacancy(const struct election *election, bool stalls, struct moment now)
{
    struct failover lost;
    if (figures_is_led(election))
        return 0;
    if (election->state_since_exact && !stalls)
        return seconds_since(election->state_since, now);
    bool known = vacancy_lost(election, now, &lost) && lost.vacancy.low_us >= 0;
    if (stalls)
        return known ? (double)lost.vacancy.low_us / 1e6 : seconds_since(vacancy_doubt(election)->since, now);
    double found_s = seconds_since(election->state_since, now);
    if (known)
        return fmax((double)lost.vacancy.low_us / 1e6, found_s);
    return vacancy_led_unseen(election, &lost) ? found_s : NAN; /* that one may be over */
}

void figures_of_election(const struct election *election, struct moment now, double figures[FIGURE_COUNT])
{
    enum election_state state = summary_state(election);
    bool listed = state == ELECTION_LED || state == ELECTION_VACANT || state == ELECTION_ELECTING;
    for (int i = 0; i < FIGURE_COUNT; i++)
        figures[i] = NAN;
    if (state == ELECTION_UNKNOWN || state == ELECTION_DENIED)
        return;
    figures[FIGURE_CANDIDATES] = listed ? (double)election->candidate_count : 0;
    figures[FIGURE_VACANCY] = figures_vacancy(election, state == ELECTION_LED, now);
    if (figures_is_led(election))
        figures[FIGURE_TENURE] = seconds_since(election->leader_since, now);
    figures[FIGURE_NEXT_FAILOVER] = figures_next_failover(election);
    struct severity_counts counts = figures_count_findings(election);
    figures[FIGURE_FINDINGS] = 0;
    for (int severity = SEVERITY_INFO; severity <= SEVERITY_CRITICAL; severity++) {
        figures[FIGURE_INFO - severity] = (double)counts.certain[severity];
        figures[FIGURE_FINDINGS] += (double)counts.certain[severity];
    }
    figures[FIGURE_SUSPECTED] = (double)counts.suspected;
}
_Static_assert(FIGURE_INFO - SEVERITY_CRITICAL == FIGURE_CRITICAL &&
                   FIGURE_INFO - SEVERITY_WARNING == FIGURE_WARNING,
               "the figures of findings stand in the order of severity, the worst first");

/* The upper bound; if it is open, the lower bound. */
static double span_seconds(struct span span)
{
    int64_t us = span.high_us >= 0 ? span.high_us : span.low_us;
    return us >= 0 ? (double)us / 1e6 : NAN;
}

void figures_of_recording(size_t changes, const struct failover_figures *failovers,
                          double figures[FIGURE_COUNT])
{
    figures[FIGURE_CHANGES] = (double)changes;
    figures[FIGURE_FAILOVER_P50] = span_seconds(failovers->p50);
    figures[FIGURE_FAILOVER_P99] = span_seconds(failovers->p99);
    figures[FIGURE_FAILOVER_MAX] = span_seconds(failovers->max);
}

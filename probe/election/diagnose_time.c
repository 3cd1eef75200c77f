#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/certainty.h"
#include "probe/election/diagnoses.h"
#include "probe/election/evidence.h"
#include "probe/election/failovers.h"
#include "probe/election/findings.h"

#define SPAN_TEXT 40
/* How long a single event is worth showing, without a setting. */
#define SHOWN_US INT64_C(600000000)

/* A single event is shown as long as leader changes are counted. */
static int64_t diagnose_time_window_us(const struct election *election)
{
    int64_t us = election->settings->allow.leader_changes_ms * 1000;
    return us > 0 ? us : SHOWN_US;
}

static void no_leader(struct diagnosis *d)
{
    const struct election *election = d->election;
    if (election->state != ELECTION_VACANT || election->kind != KIND_LEADER)
        return;
    int64_t due_us = election->state_since.mono_us + election->settings->allow.vacancy_ms * 1000;
    diagnosis_again(d, due_us);
    if (d->f->at.mono_us < due_us)
        return;
    char when[SPAN_TEXT], allowed[SPAN_TEXT], last[160] = "";
    const struct change *change = &election->change;
    if (change->from && !change->to)
        snprintf(last, sizeof last, "; the last was %.120s",
                 change->from_identity ? change->from_identity : change->from);
    diagnosis_raise(d, FINDING_NO_LEADER, SEVERITY_CRITICAL, CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "nobody stands under %s since %s, longer than the %s allowed%s", election->path,
                    tell_clock(election->state_since, when, sizeof when),
                    tell_span(election->settings->allow.vacancy_ms * 1000, allowed, sizeof allowed), last);
}

static void flapping(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct allowance *allow = &election->settings->allow;
    int64_t span_us = allow->leader_changes_ms * 1000, now_us = d->f->at.mono_us, oldest_us = 0;
    if (span_us <= 0 || election->kind != KIND_LEADER)
        return;
    int changes = 0;
    const char *before = NULL;
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *tenure = election_tenure_at(election, i);
        if (!tenure->name)
            continue;
        if (before && strcmp(before, tenure->name) != 0 && tenure->from.mono_us > now_us - span_us) {
            if (changes++ == 0)
                oldest_us = tenure->from.mono_us;
        }
        before = tenure->name;
    }
    if (changes <= allow->leader_changes)
        return;
    diagnosis_again(d, oldest_us + span_us);
    char window[SPAN_TEXT];
    diagnosis_raise(d, FINDING_FLAPPING, SEVERITY_ERROR, CERTAINTY_CERTAIN, NO_SUBJECT, &election->leader,
                    election->leader != NULL, NULL, "%d changes of leader in the last %s; %d are allowed",
                    changes, tell_span(span_us, window, sizeof window), allow->leader_changes);
}

static void slow_failover(struct diagnosis *d)
{
    const struct election *election = d->election;
    const struct change *change = &election->change;
    int64_t allowed_us = election->settings->allow.failover_ms * 1000;
    int64_t shown_us = diagnose_time_window_us(election);
    if (allowed_us <= 0 || election->kind != KIND_LEADER || !change->from || !change->to ||
        change->vacancy_us < 0)
        return;
    int64_t took_us = change->vacancy_us + (change->takeover_us > 0 ? change->takeover_us : 0);
    if (took_us <= allowed_us || d->f->at.mono_us - change->lost_at.mono_us > shown_us + took_us)
        return;
    diagnosis_again(d, change->lost_at.mono_us + shown_us + took_us + 1);
    char took[SPAN_TEXT], vacant[SPAN_TEXT], takeover[SPAN_TEXT], when[SPAN_TEXT], phases[96] = "";
    if (change->takeover_us >= 0)
        snprintf(phases, sizeof phases, " (nobody stood for %s, taking over took %s)",
                 tell_span(change->vacancy_us, vacant, sizeof vacant),
                 tell_span(change->takeover_us, takeover, sizeof takeover));
    /* The time before its znode went is reported, and does not count against the allowance: the session
       timeout limits it. */
    const struct failover *told = election_last_failover(election);
    char dead[SPAN_TEXT], why[96] = "";
    if (told && told->cause != CAUSE_UNKNOWN)
        snprintf(why, sizeof why, "; the one before was %s%s", failover_cause_word(told->cause),
                 told->cause_certainty == CERTAINTY_SUSPECTED ? " (suspected)" : "");
    size_t length = strlen(why);
    if (told && told->detection.low_us > 0)
        snprintf(why + length, sizeof why - length, ", and had been dead for at least %s by then",
                 tell_span(told->detection.low_us, dead, sizeof dead));
    const struct candidate *to = election->leader;
    diagnosis_raise(d, FINDING_SLOW_FAILOVER, SEVERITY_WARNING, CERTAINTY_CERTAIN, NO_SUBJECT, &to,
                    to != NULL, NULL, "from %s to %s at %s it took %s%s%s", change->from, change->to,
                    tell_clock(change->lost_at, when, sizeof when), tell_span(took_us, took, sizeof took),
                    phases, why);
}

static void unseen_changes(struct diagnosis *d)
{
    const struct election *election = d->election;
    int64_t end_us = election->unseen_at.mono_us + diagnose_time_window_us(election);
    if (election->unseen_at.mono_us == 0 || d->f->at.mono_us > end_us)
        return;
    diagnosis_again(d, end_us + 1);
    char when[SPAN_TEXT];
    diagnosis_raise(d, FINDING_UNSEEN_CHANGES, SEVERITY_INFO, CERTAINTY_CERTAIN, NO_SUBJECT, NULL, 0, NULL,
                    "%" PRIu64 " joined and %" PRIu64 " left without being seen, the latest before %s",
                    election->counters.unseen_joined, election->counters.unseen_left,
                    tell_clock(election->unseen_at, when, sizeof when));
}

void diagnose_time(struct diagnosis *d)
{
    certainty_see_kind(d->election);
    no_leader(d);
    flapping(d);
    slow_failover(d);
    unseen_changes(d);
}

#include "probe/report/report.h"

#include <stdlib.h>
#include <string.h>

#define GAP_LEAST_US INT64_C(1000000)

static bool report_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool report_recorded_part(const struct report *report, int64_t *from_us, int64_t *to_us)
{
    *from_us = report->from_us > report->recorded_from_us ? report->from_us : report->recorded_from_us;
    *to_us = report->to_us < report->recorded_to_us ? report->to_us : report->recorded_to_us;
    return report->recorded_to_us && *from_us <= *to_us;
}

bool report_is_empty(const struct report *report)
{
    int64_t from_us, to_us;
    return !report_recorded_part(report, &from_us, &to_us);
}

/* Leading goes on through a gap where the same znode leads behind it. */
static bool report_goes_on(const struct report_election *election, size_t at)
{
    const struct report_stretch *stretch = &election->stretches[at];
    if (at < 2 || election->stretches[at - 1].kind != STRETCH_GAP)
        return false;
    const struct report_stretch *before = &election->stretches[at - 2];
    return before->kind == STRETCH_LED && before->leader == stretch->leader &&
           report_same(before->name, stretch->name);
}

/* since_us: of the tenure that it is a part of, for the next one. */
static void sum_up_stretch(struct report_election *election, size_t at, int64_t *since_us)
{
    const struct report_stretch *stretch = &election->stretches[at];
    int64_t us = stretch->to_us - stretch->from_us;
    if (stretch->kind == STRETCH_GAP) {
        election->gap_us += us;
    } else if (stretch->kind == STRETCH_VACANT) {
        election->vacant_us += us;
        if (us > election->longest_vacant_us)
            election->longest_vacant_us = us;
    } else if (stretch->leader != REPORT_NOBODY) {
        struct report_leader *leader = &election->leaders[stretch->leader];
        election->led_us += us;
        leader->led_us += us;
        leader->tenures += !report_goes_on(election, at);
        if (!report_goes_on(election, at))
            *since_us = stretch->from_us;
        if (stretch->to_us - *since_us > leader->longest_us)
            leader->longest_us = stretch->to_us - *since_us;
    }
}

/* Changes of leader that the time line shows without a gap between. */
static size_t changes_seen(const struct report_election *election)
{
    const struct report_stretch *before = NULL; /* the latest that led, with no gap since */
    size_t changes = 0;
    for (size_t i = 0; i < election->stretch_count; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        if (stretch->kind == STRETCH_GAP)
            before = NULL;
        if (stretch->kind != STRETCH_LED)
            continue;
        changes += before && (before->leader != stretch->leader || !report_same(before->name, stretch->name));
        before = stretch;
    }
    return changes;
}

static bool report_make_stats(struct report_election *election)
{
    size_t count = 0;
    struct failover_sample *samples = calloc(election->failover_count + 1, sizeof *samples);
    for (size_t i = 0; samples && i < election->failover_count; i++)
        count += failover_sample_of(&election->failovers[i], &samples[count]);
    bool made = samples && failover_stats_make(samples, count, &election->stats);
    free(samples);
    return made;
}

bool report_sum_up(struct report_election *election)
{
    election->led_us = election->vacant_us = election->gap_us = election->longest_vacant_us = 0;
    election->missed_count = 0;
    for (size_t i = 0; i < election->leader_count; i++) {
        struct report_leader *leader = &election->leaders[i];
        leader->tenures = 0;
        leader->led_us = leader->longest_us = 0;
    }
    int64_t since_us = 0;
    for (size_t i = 0; i < election->stretch_count; i++)
        sum_up_stretch(election, i, &since_us);
    for (size_t i = 0; i < election->failover_count; i++)
        election->missed_count += election->failovers[i].gap_us > 0;
    size_t seen = changes_seen(election), told = election->failover_count - election->missed_count;
    election->change_count = seen > told ? seen : told;
    return report_make_stats(election);
}

static void election_release(struct report_election *election)
{
    for (size_t i = 0; i < election->stretch_count; i++)
        free(election->stretches[i].name);
    for (size_t i = 0; i < election->leader_count; i++) {
        free(election->leaders[i].name);
        free(election->leaders[i].identity);
    }
    for (size_t i = 0; i < election->failover_count; i++)
        failover_release(&election->failovers[i]);
    for (size_t i = 0; i < election->finding_count; i++)
        finding_release(&election->findings[i].finding);
    free(election->stretches);
    free(election->leaders);
    free(election->failovers);
    free(election->findings);
    free(election->cluster);
    free(election->path);
    free(election->name);
    free(election->full_path);
    free(election->recipe);
}

void report_free(struct report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->election_count; i++)
        election_release(&report->elections[i]);
    free(report->elections);
    free(report->clocks);
    free(report);
}

bool report_has_gap(const struct report_election *election)
{
    return election->gap_us >= GAP_LEAST_US || election->missed_count;
}

size_t report_gap_count(const struct report_election *election)
{
    size_t count = 0;
    for (size_t i = 0; i < election->stretch_count; i++)
        count += election->stretches[i].kind == STRETCH_GAP;
    return count;
}

double report_changes_per_hour(const struct report_election *election)
{
    return failover_rate(election->change_count, election->led_us + election->vacant_us);
}

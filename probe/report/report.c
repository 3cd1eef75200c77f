#include "probe/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/changes.h"
#include "probe/election/recipe.h"
#include "probe/history/name_lookup.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "probe/json/json_event.h"
#include "probe/json/json_writer.h"

#define GAP_LEAST_US INT64_C(1000000)

/* The part of the window of which anything is recorded; false: there is none. */
static bool report_recorded_part(const struct report *report, int64_t *from_us, int64_t *to_us)
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

/* A tenure continues through a gap if the same znode leads after it. */
static bool report_goes_on(const struct report_election *election, size_t at)
{
    const struct report_stretch *stretch = &election->stretches[at];
    if (at < 2 || election->stretches[at - 1].kind != STRETCH_GAP)
        return false;
    const struct report_stretch *before = &election->stretches[at - 2];
    return before->kind == STRETCH_LED && before->leader == stretch->leader &&
           text_same(before->name, stretch->name);
}

/* since_us: of the tenure that it is a part of, for the next one; later by what a clock skipped. */
static void sum_up_stretch(struct report_election *election, size_t at, int64_t *since_us)
{
    const struct report_stretch *stretch = &election->stretches[at];
    int64_t us = stretch->to_us - stretch->from_us;
    if (stretch->kind == STRETCH_GAP) {
        election->gap_us += us;
        election->skipped_us += stretch->skipped_us;
        *since_us += stretch->skipped_us;
    } else if (stretch->kind == STRETCH_VACANT) {
        election->vacant_us += us;
        if (us > election->longest_vacant_us)
            election->longest_vacant_us = us;
    } else if (stretch->leader != REPORT_NO_LEADER) {
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

static struct change_counts report_count_changes(const struct report_election *election)
{
    struct change_counts changes = {0};
    for (size_t i = 0; i < election->stretch_count; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        if (stretch->kind == STRETCH_GAP)
            changes_gap(&changes);
        else if (stretch->kind == STRETCH_VACANT)
            changes_vacant(&changes);
        else if (stretch->leader != REPORT_NO_LEADER)
            changes_led(&changes, stretch->name, election->leaders[stretch->leader].identity,
                        stretch->session);
    }
    for (size_t i = 0; i < election->failover_count; i++)
        changes_failover(&changes, &election->failovers[i]);
    return changes;
}

static void make_reactions(const struct report_election *election, struct failover_sample *samples,
                           bool reacted, struct failover_figures *figures)
{
    struct failover_stats stats;
    size_t count = 0;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = &election->failovers[i];
        int64_t at_us = reacted ? failover->reacted_us : failover->notified_us;
        if (at_us > 0)
            samples[count++] = (struct failover_sample){CAUSE_UNKNOWN, failover_point(at_us)};
    }
    failover_stats_make(samples, count, &stats);
    *figures = stats.all;
}

static void report_make_stats(struct report_election *election)
{
    size_t count = 0;
    struct failover_sample *samples = xcalloc(election->failover_count + 1, sizeof *samples);
    make_reactions(election, samples, false, &election->notified);
    make_reactions(election, samples, true, &election->reacted);
    for (size_t i = 0; i < election->failover_count; i++)
        count += failover_sample_of(&election->failovers[i], &samples[count]);
    failover_stats_make(samples, count, &election->stats);
    free(samples);
}

void report_sum_up(struct report_election *election)
{
    election->led_us = election->vacant_us = election->gap_us = election->longest_vacant_us = 0;
    election->skipped_us = 0;
    for (size_t i = 0; i < election->leader_count; i++) {
        struct report_leader *leader = &election->leaders[i];
        leader->tenures = 0;
        leader->led_us = leader->longest_us = 0;
    }
    int64_t since_us = 0;
    for (size_t i = 0; i < election->stretch_count; i++)
        sum_up_stretch(election, i, &since_us);
    const struct change_counts changes = report_count_changes(election);
    election->change_count = changes_count(&changes);
    election->missed_count = changes.missed;
    report_make_stats(election);
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
    for (size_t i = 0; i < election->story_count; i++)
        story_free(election->stories[i]);
    free(election->stories);
    free(election->stretches);
    free(election->leaders);
    free(election->failovers);
    free(election->findings);
    free(election->cluster);
    free(election->path);
    free(election->name);
    free(election->full_path);
    free(election->recipe);
    free(election->owner);
    free(election->runbook);
    free(election->doubt);
}

void report_free(struct report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->election_count; i++)
        election_release(&report->elections[i]);
    for (size_t i = 0; i < report->fact_count; i++)
        free((char *)report->facts[i].path);
    free(report->facts);
    free(report->elections);
    free(report->clocks);
    free(report);
}

bool report_has_gap(const struct report_election *election)
{
    return report_gap_us(election) >= GAP_LEAST_US || election->missed_count;
}

int64_t report_gap_us(const struct report_election *election)
{
    return election->gap_us - election->before_us - election->skipped_us;
}

bool report_is_gap(const struct report_election *election, size_t stretch)
{
    const struct report_stretch *it = &election->stretches[stretch];
    if (it->kind != STRETCH_GAP || (stretch == 0 && election->before_us > 0))
        return false;
    return it->skipped_us == 0 || it->to_us - it->from_us - it->skipped_us >= GAP_LEAST_US;
}

size_t report_gap_count(const struct report_election *election)
{
    size_t count = 0;
    for (size_t i = 0; i < election->stretch_count; i++)
        count += report_is_gap(election, i);
    return count;
}

double report_changes_per_hour(const struct report_election *election)
{
    return failover_rate(election->change_count, election->led_us + election->vacant_us);
}

/* ---- filled from a recording ---- */

struct gathering {
    const struct report_query *query;
    struct report *report;
    struct report_election *election; /* that is being gathered */
    size_t room;                      /* of elections */
    size_t stretch_room, leader_room, failover_room, clock_room, fact_room;
    struct name_lookup by_identity, by_name; /* its leaders: those without an identity by name */
};

/* One more element at the end of an array, zeroed. */
static void *report_gather_append(void **array, size_t *count, size_t *room, size_t size)
{
    room_for_one(array, *count, room, size);
    void *element = (char *)*array + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

static const char *report_gather_cluster_name(const struct election *election)
{
    const char *name = election->cluster->name;
    return name && *name ? name : NULL;
}

static bool report_gather_is_wanted(const struct report_query *query, const struct election *election)
{
    const char *path = summary_path(election), *wanted = query->election;
    if (query->cluster && !text_same(query->cluster, report_gather_cluster_name(election)))
        return false;
    return !wanted || strcmp(wanted, path) == 0 || strcmp(wanted, election->path) == 0 ||
           text_same(wanted, election->name) || znode_pattern_match(wanted, path);
}

static struct report_election *find_election(struct gathering *gathering, const struct election *election)
{
    struct report *report = gathering->report;
    for (size_t i = 0; i < report->election_count; i++) {
        struct report_election *known = &report->elections[i];
        if (strcmp(known->full_path, election->path) == 0 &&
            text_same(known->cluster, report_gather_cluster_name(election)))
            return known;
    }
    if (!report_gather_is_wanted(gathering->query, election))
        return NULL;
    struct report_election *found = report_gather_append((void **)&report->elections, &report->election_count,
                                                         &gathering->room, sizeof *report->elections);
    found->cluster = text_copy(report_gather_cluster_name(election));
    found->full_path = text_copy(election->path);
    found->path = text_copy(summary_path(election));
    found->name = text_copy(election->name ? election->name : summary_path(election));
    const struct election_settings *said =
        settings_of_path(gathering->query->settings, election->cluster->name, election->path);
    found->owner = said ? text_copy(said->owner) : NULL;
    found->runbook = said ? text_copy(said->runbook) : NULL;
    return found;
}

/* The facts that may change, or become known, later. */
static void describe(struct report_election *found, const struct election *election)
{
    found->kind = election->kind;
    found->state = summary_state(election);
    if (election->recipe && !text_same(found->recipe, election->recipe->name)) {
        free(found->recipe);
        found->recipe = text_copy(election->recipe->name);
    }
}

static void finding_assign(struct finding *to, const struct finding *from)
{
    finding_release(to);
    finding_copy(to, from);
}

/*
 * A finding is identified by its subject, not by the candidates it names: those that flap, and their number,
 * change while it lasts. Only a candidate's subject is made anew in each run of the recorder, except for its
 * number in line (diagnosis_subject()).
 */
static bool same_subject(const struct finding *a, const struct finding *b)
{
    const uint64_t of_candidate = UINT64_C(1) << 63;
    if (a->subject == b->subject)
        return true;
    return (a->subject & b->subject & of_candidate) && (uint32_t)a->subject == (uint32_t)b->subject &&
           a->candidate_count && b->candidate_count && text_same(a->candidates[0], b->candidates[0]);
}

/* The present finding that this event repeats. */
static struct report_finding *find_standing(struct report_election *election, const struct finding *finding)
{
    for (size_t i = election->finding_count; i > 0; i--) {
        struct report_finding *known = &election->findings[i - 1];
        if (!known->cleared_us && known->finding.code == finding->code &&
            same_subject(&known->finding, finding))
            return known;
    }
    return NULL;
}

static void raise_finding(struct report_election *election, const struct finding *finding, int64_t at_us)
{
    struct report_finding *reported = find_standing(election, finding);
    if (!reported) {
        /* Findings are few: an array that grows by one is good enough. */
        size_t room = election->finding_count;
        reported = report_gather_append((void **)&election->findings, &election->finding_count, &room,
                                        sizeof *election->findings);
        reported->raised_us = finding->since.wall_us ? finding->since.wall_us : at_us;
    }
    finding_assign(&reported->finding, finding);
}

/* At the end the first in line may not lead. */
static void take_doubt(struct report_election *found, const struct election *election)
{
    struct vacancy_reason reasons[VACANCY_REASONS];
    const struct finding *doubt = vacancy_doubt(election);
    if (!doubt || doubt->severity < SEVERITY_CRITICAL || vacancy_reasons(election, reasons) == 0)
        return;
    found->doubt = xstrdup(reasons[0].text);
    found->doubt_certainty = reasons[0].certainty;
}

/* The state at the beginning: which elections were observed, and their findings; or at the end: what these say then,
   and who may not lead. */
static void take_moment(struct gathering *gathering, const struct model *model, bool at_begin)
{
    for (size_t i = 0; model && i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        for (size_t j = 0; j < cluster->election_count; j++) {
            const struct election *election = cluster->elections[j];
            struct report_election *found = find_election(gathering, election);
            if (!found)
                continue;
            describe(found, election);
            for (size_t k = 0; k < election->finding_count; k++) /* its evidence changes without an event */
                if (at_begin || find_standing(found, election->findings[k]))
                    raise_finding(found, election->findings[k], gathering->report->from_us);
            if (!at_begin)
                take_doubt(found, election);
        }
    }
}

static bool take_event(void *context, const struct event *event)
{
    struct gathering *gathering = context;
    struct report_election *found = event->election ? find_election(gathering, event->election) : NULL;
    if (found)
        describe(found, event->election);
    if (found && event->kind == EVENT_UNSEEN) {
        found->unseen_joined += event->unseen_joined;
        found->unseen_left += event->unseen_left;
    } else if (found && event->kind == EVENT_FINDING_RAISED && event->finding) {
        raise_finding(found, event->finding, event->at.wall_us);
    } else if (found && event->kind == EVENT_FINDING_CLEARED && event->finding) {
        struct report_finding *reported = find_standing(found, event->finding);
        if (reported)
            reported->cleared_us = event->at.wall_us;
    }
    return true;
}

/* The row of the time line that belongs to this leader. */
static size_t report_gather_leader_of(struct gathering *gathering, const char *name, const char *identity)
{
    struct report_election *election = gathering->election;
    struct name_lookup *known = identity ? &gathering->by_identity : &gathering->by_name;
    const char *who = identity ? identity : name ? name : "";
    int64_t at;
    if (name_lookup_find(known, who, strlen(who), &at))
        return (size_t)at;
    name_lookup_set(known, who, strlen(who), (int64_t)election->leader_count);
    struct report_leader *leader = report_gather_append((void **)&election->leaders, &election->leader_count,
                                                        &gathering->leader_room, sizeof *election->leaders);
    leader->name = text_copy(name ? name : "");
    leader->identity = text_copy(identity);
    return election->leader_count - 1;
}

static struct report_stretch *add_stretch(struct gathering *gathering, enum stretch_kind kind,
                                          int64_t from_us, int64_t to_us)
{
    struct report_election *election = gathering->election;
    struct report_stretch *stretch =
        report_gather_append((void **)&election->stretches, &election->stretch_count,
                             &gathering->stretch_room, sizeof *election->stretches);
    *stretch =
        (struct report_stretch){.kind = kind, .leader = REPORT_NO_LEADER, .from_us = from_us, .to_us = to_us};
    return stretch;
}

/* The time line is complete until then. */
static int64_t reported_until(const struct gathering *gathering)
{
    const struct report_election *election = gathering->election;
    return election->stretch_count ? election->stretches[election->stretch_count - 1].to_us
                                   : gathering->report->from_us;
}

static bool take_stretch(void *context, const struct history_stretch *reported)
{
    struct gathering *gathering = context;
    /* A clock that went back causes stretches that overlap: each moment is reported once. */
    int64_t until_us = reported_until(gathering), end_us = gathering->report->to_us;
    int64_t from_us = reported->from_us > until_us ? reported->from_us : until_us;
    int64_t to_us = reported->to_us < end_us ? reported->to_us : end_us;
    if (to_us <= from_us)
        return true;
    if (from_us > until_us)
        add_stretch(gathering, STRETCH_GAP, until_us, from_us);
    struct report_stretch *stretch = add_stretch(gathering, reported->kind, from_us, to_us);
    stretch->from_exact = reported->from_exact;
    if (reported->kind == STRETCH_LED) {
        stretch->name = text_copy(reported->name);
        stretch->session = reported->session;
        stretch->leader = report_gather_leader_of(gathering, reported->name, reported->identity);
    }
    return true;
}

static bool take_failover(void *context, const struct election *election, const struct failover *failover)
{
    struct gathering *gathering = context;
    struct report_election *mine = gathering->election;
    (void)election;
    struct failover *own = report_gather_append((void **)&mine->failovers, &mine->failover_count,
                                                &gathering->failover_room, sizeof *mine->failovers);
    failover_copy(own, failover);
    return true;
}

static bool take_only(void *context, const struct election *election, const struct failover *failover)
{
    (void)election;
    failover_release(context);
    failover_copy(context, failover);
    return true;
}

/* An outage that lasts from before the time is part of it: a recording may begin in one whose loss a log tells. */
static bool take_earlier_outage(struct gathering *gathering, struct history *history,
                                const struct history_filter *only, char **error)
{
    const struct report_election *election = gathering->election;
    int64_t from_us = gathering->report->from_us;
    struct failover last = {0};
    bool led = false;
    size_t first = 0;
    while (first < election->stretch_count && election->stretches[first].kind == STRETCH_GAP)
        first++;
    if (first == election->stretch_count || election->stretches[first].kind != STRETCH_VACANT)
        return true;
    for (size_t i = first; i < election->stretch_count; i++)
        led |= election->stretches[i].kind == STRETCH_LED;
    bool fine = history_failovers(history, only, 0, from_us, take_only, &last, error);
    if (fine && last.from && (failover_is_open(&last) ? !led : last.elected_at.wall_us >= from_us))
        take_failover(gathering, NULL, &last);
    failover_release(&last);
    return fine;
}

/* Who led as this znode around that moment; NULL: not known. */
static const char *identity_of(const struct report_election *election, const char *name, int64_t at_us)
{
    size_t low = 0, high = election->stretch_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (election->stretches[middle].to_us <= at_us)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low > 2 ? low - 2 : 0; i < election->stretch_count && i <= low + 2; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        if (stretch->leader != REPORT_NO_LEADER && text_same(stretch->name, name))
            return election->leaders[stretch->leader].identity;
    }
    return NULL;
}

/* The failover to a leader that had just joined may precede the read of its znode. */
static void complete_identities(struct gathering *gathering)
{
    struct report_election *election = gathering->election;
    for (size_t i = 0; i < election->failover_count; i++) {
        struct failover *failover = &election->failovers[i];
        if (!failover->to_identity)
            failover->to_identity =
                text_copy(identity_of(election, failover->to, failover->elected_at.wall_us));
        if (!failover->from_identity)
            failover->from_identity =
                text_copy(identity_of(election, failover->from, failover->lost_at.wall_us));
    }
}

/* A window is open at its end, but for the recording's last moment, which no later one would tell. */
static int64_t end_of_events(const struct report *report)
{
    return report->to_us + (report->to_us == report->recorded_to_us);
}

/* Time that a clock skipped when it was set forward: it is in the time line, and never passed. */
static void leave_out_skipped(const struct report *report, struct report_election *election)
{
    for (size_t i = 0; i < election->stretch_count; i++) {
        struct report_stretch *stretch = &election->stretches[i];
        if (stretch->kind != STRETCH_GAP)
            continue;
        for (size_t j = 0; j < report->clock_count; j++) {
            const struct history_clock *clock = &report->clocks[j];
            int64_t from_us = clock->before_us > stretch->from_us ? clock->before_us : stretch->from_us;
            int64_t to_us = clock->after_us < stretch->to_us ? clock->after_us : stretch->to_us;
            if (to_us > from_us)
                stretch->skipped_us += to_us - from_us;
        }
        /* Set forward, back and forward again, it skipped some of it twice. */
        if (stretch->skipped_us > stretch->to_us - stretch->from_us)
            stretch->skipped_us = stretch->to_us - stretch->from_us;
    }
}

/* An outage lasts as long as the time line shows it, unless something in it was not observed or the clock set. A log
 * may tell of the time before a recording. */
static void report_extend_vacancy(const struct report *report, struct report_election *election)
{
    size_t failovers = election->failover_count, stretches = election->stretch_count;
    struct failover *last = failovers ? &election->failovers[failovers - 1] : NULL;
    const struct report_stretch *now = stretches ? &election->stretches[stretches - 1] : NULL;
    if (!last || !now || !failover_is_open(last) || now->kind != STRETCH_VACANT)
        return;
    int64_t since_us = last->lost_at.wall_us;
    for (size_t i = stretches; i-- > 0 && election->stretches[i].to_us > since_us;)
        if (election->stretches[i].kind == STRETCH_GAP &&
            election->stretches[i].to_us > since_us + last->vacancy.low_us)
            return;
    for (size_t i = 0; i < report->clock_count; i++)
        if (report->clocks[i].before_us > since_us || report->clocks[i].after_us > since_us)
            return;
    if (now->to_us - since_us > last->vacancy.low_us)
        last->vacancy.low_us = now->to_us - since_us;
}

/* The end of the time line along the clock on the wall is where that clock was set back, and not the latest moment. */
static bool was_set_back(const struct report *report)
{
    bool back = false;
    for (size_t i = 0; i < report->clock_count; i++)
        back |= report->clocks[i].after_us < report->clocks[i].before_us &&
                report->clocks[i].before_us >= report->recorded_to_us &&
                report->clocks[i].before_us <= report->to_us;
    return back;
}

static bool gather_election(struct gathering *gathering, struct history *history,
                            struct report_election *election, char **error)
{
    const struct report *report = gathering->report;
    const char *cluster = election->cluster ? election->cluster : "";
    struct history_filter only = {.cluster = cluster, .election = election->full_path};
    gathering->election = election;
    gathering->stretch_room = gathering->leader_room = gathering->failover_room = 0;
    name_lookup_free(&gathering->by_identity);
    name_lookup_free(&gathering->by_name);
    if (!history_stretches(history, cluster, election->full_path, report->from_us, report->to_us,
                           take_stretch, gathering, error) ||
        !take_earlier_outage(gathering, history, &only, error) ||
        !history_failovers(history, &only, report->from_us, end_of_events(report), take_failover, gathering,
                           error))
        return false;
    if (reported_until(gathering) < report->to_us)
        add_stretch(gathering, STRETCH_GAP, reported_until(gathering), report->to_us);
    complete_identities(gathering);
    leave_out_skipped(report, election);
    report_extend_vacancy(report, election);
    election->set_back = was_set_back(report);
    report_sum_up(election);
    if (report->from_us == report->recorded_from_us && election->stretch_count > 1 &&
        election->stretches[0].kind == STRETCH_GAP)
        election->before_us =
            election->stretches[0].to_us - election->stretches[0].from_us - election->stretches[0].skipped_us;
    return true;
}

static enum severity worst_of(const struct report_election *election)
{
    enum severity worst = SEVERITY_INFO;
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i].finding.severity > worst)
            worst = election->findings[i].finding.severity;
    return worst;
}

/* The worst first, as on every screen: findings, time without a leader, number of changes. */
static int compare_elections(const void *a, const void *b)
{
    const struct report_election *x = a, *y = b;
    enum severity of_x = worst_of(x), of_y = worst_of(y);
    int64_t vacant_x = x->kind == KIND_LEADER ? x->vacant_us : 0;
    int64_t vacant_y = y->kind == KIND_LEADER ? y->vacant_us : 0;
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    if (vacant_x != vacant_y)
        return vacant_x > vacant_y ? -1 : 1;
    if (x->change_count != y->change_count)
        return x->change_count > y->change_count ? -1 : 1;
    return strcmp(x->full_path, y->full_path);
}

static bool report_gather_take_clock(void *context, const struct history_clock *clock)
{
    struct gathering *gathering = context;
    struct report *report = gathering->report;
    bool before = clock->before_us >= report->from_us && clock->before_us < report->to_us;
    bool after = clock->after_us >= report->from_us && clock->after_us < report->to_us;
    if (!before && !after)
        return true;
    struct history_clock *taken = report_gather_append((void **)&report->clocks, &report->clock_count,
                                                       &gathering->clock_room, sizeof *report->clocks);
    *taken = *clock;
    return true;
}

/* Events of sessions are reported with the change of leader. */
static bool report_gather_take_fact(void *context, const struct logged_fact *fact)
{
    struct gathering *gathering = context;
    struct report *report = gathering->report;
    if (fact->kind == FACT_SESSION_EXPIRED || fact->kind == FACT_SESSION_CLOSED ||
        fact->kind == FACT_SESSION_BACK || fact->kind == FACT_DELETED)
        return true;
    struct logged_fact *own = report_gather_append((void **)&report->facts, &report->fact_count,
                                                   &gathering->fact_room, sizeof *report->facts);
    *own = *fact;
    own->path = text_copy(fact->path);
    return true;
}

static bool report_gather_gather(struct gathering *gathering, struct history *history, char **error)
{
    struct report *report = gathering->report;
    int64_t from_us, to_us;
    if (!history_bounds(history, &report->recorded_from_us, &report->recorded_to_us, error)) {
        if (*error)
            return false;
        report->recorded_from_us = report->recorded_to_us = 0;
    }
    if (!report_recorded_part(report, &from_us, &to_us))
        return true;
    /* The acts of each leader and candidate are left out: the time line and the failovers show them. */
    struct history_filter filter = {.cluster = gathering->query->cluster,
                                    .events = 1u << EVENT_ELECTION_SEEN | 1u << EVENT_ELECTION_GONE |
                                              1u << EVENT_UNSEEN | 1u << EVENT_FINDING_RAISED |
                                              1u << EVENT_FINDING_CLEARED};
    const struct model *model = history_at(history, from_us, error);
    if (!model)
        return false;
    take_moment(gathering, model, true);
    if (!history_clocks(history, report_gather_take_clock, gathering, error) ||
        !history_facts(history, from_us, end_of_events(report), report_gather_take_fact, gathering, error) ||
        !history_events(history, &filter, from_us, end_of_events(report), take_event, gathering, error))
        return false;
    model = history_at(history, to_us, error);
    if (!model)
        return false;
    take_moment(gathering, model, false);
    for (size_t i = 0; i < report->election_count; i++) {
        if (!gather_election(gathering, history, &report->elections[i], error))
            return false;
        report->several_clusters |= !text_same(report->elections[i].cluster, report->elections[0].cluster);
    }
    if (report->election_count)
        qsort(report->elections, report->election_count, sizeof *report->elections, compare_elections);
    return true;
}

/* ---- stories ---- */

/* In one report: each takes some states of the recording. */
#define STORIES_MOST 6

/* As far as it is known to have taken. */
static int64_t failover_least_us(const struct failover *failover)
{
    struct failover_sample sample;
    return failover_sample_of(failover, &sample) ? sample.length.low_us : -1;
}

/* The longest and, where none is longer than the others, the latest. */
static const struct failover *longest_failover(const struct report_election *election)
{
    const struct failover *longest = NULL;
    for (size_t i = 0; i < election->failover_count; i++)
        if (election->failovers[i].gap_us <= 0 &&
            (!longest || failover_least_us(&election->failovers[i]) >= failover_least_us(longest)))
            longest = &election->failovers[i];
    return longest;
}

static bool gather_story(struct history *history, const struct report_query *asked,
                         struct report_election *election, const struct failover *failover, char **error)
{
    const struct story_query query = {.election = election->full_path,
                                      .cluster = election->cluster,
                                      .at_us = failover->lost_at.wall_us,
                                      .from_us = failover->lost_at.wall_us,
                                      .client_logs = asked->client_logs};
    struct story *story = story_make(history, &query, error);
    if (story)
        election->stories[election->story_count++] = story;
    return story || !*error;
}

/* The longest, and as many of the latest as there is room for. */
static bool gather_stories(struct history *history, const struct report_query *asked,
                           struct report_election *election, size_t most, char **error)
{
    const struct failover *longest = longest_failover(election);
    size_t left = most, first = election->failover_count;
    if (!longest || most == 0)
        return true;
    election->stories = xcalloc(most, sizeof(struct story *));
    for (left--; first > 0 && left > 0; first--)
        left -= election->failovers[first - 1].gap_us <= 0 && &election->failovers[first - 1] != longest;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = &election->failovers[i];
        if ((failover == longest || (i >= first && failover->gap_us <= 0)) &&
            !gather_story(history, asked, election, failover, error))
            return false;
    }
    return true;
}

/* Each election that changed its leader gets its share. */
static bool report_gather_stories(struct report *report, struct history *history,
                                  const struct report_query *asked, char **error)
{
    size_t most = asked->stories;
    size_t changed = 0, left = STORIES_MOST;
    for (size_t i = 0; i < report->election_count; i++)
        changed += report->elections[i].change_count > 0;
    size_t share = changed > 0 && changed < STORIES_MOST ? STORIES_MOST / changed : 1;
    for (size_t i = 0; i < report->election_count && left > 0; i++) {
        if (!gather_stories(history, asked, &report->elections[i], share < most ? share : most, error))
            return false;
        left -= report->elections[i].story_count;
    }
    return true;
}

struct report *report_make(struct history *history, const struct report_query *query, char **error)
{
    struct report *report = xcalloc(1, sizeof *report);
    struct gathering gathering = {.query = query, .report = report};
    *error = NULL;
    report->from_us = query->from_us;
    report->to_us = query->to_us;
    bool gathered = report_gather_gather(&gathering, history, error) &&
                    report_gather_stories(report, history, query, error);
    name_lookup_free(&gathering.by_identity);
    name_lookup_free(&gathering.by_name);
    if (gathered)
        return report;
    if (!*error)
        *error = xstrdup("out of memory; ask for a shorter time, or for one election");
    report_free(report);
    return NULL;
}

#define INDENT 2

/* With two decimals, put together from integers: no locale may turn the point into a comma. */
static void write_rate(struct json_writer *writer, const char *key, double rate)
{
    json_member_ms(writer, key, rate < 0 ? -1 : (int64_t)(rate * 100 + 0.5) * 10);
}

static void end_list(struct json_writer *writer, size_t count, int indent)
{
    if (count)
        json_write_line(writer, indent);
    json_write_end(writer, ']');
}

static void write_figures(struct json_writer *writer, const struct failover_figures *figures)
{
    json_member_uint(writer, "count", figures->count);
    json_failover_write_span(writer, "p50_ms", figures->p50);
    json_failover_write_span(writer, "p90_ms", figures->p90);
    json_failover_write_span(writer, "p99_ms", figures->p99);
    json_failover_write_span(writer, "max_ms", figures->max);
}

static void write_reactions(struct json_writer *writer, const char *key,
                            const struct failover_figures *figures)
{
    if (!figures->count)
        return;
    json_member_begin(writer, key, '{');
    write_figures(writer, figures);
    json_write_end(writer, '}');
}

static void json_report_write_failover(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    json_member_time(writer, "time", failover->lost_at.wall_us);
    json_member_time(writer, "elected", failover->elected_at.wall_us);
    json_member_ms(writer, "gap_ms", failover->gap_us > 0 ? failover->gap_us : -1);
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}

static void json_report_write_failovers(struct json_writer *writer, const struct report *report,
                                        const struct report_election *election)
{
    json_member_begin(writer, "failovers", '{');
    json_member_ms(writer, "window_ms", report->to_us - report->from_us);
    write_figures(writer, &election->stats.all);
    json_member_begin(writer, "by_cause", '{');
    for (int cause = 0; cause < CAUSE_COUNT; cause++) {
        if (!election->stats.by_cause[cause].count)
            continue;
        json_member_begin(writer, failover_cause_word((enum failover_cause)cause), '{');
        write_figures(writer, &election->stats.by_cause[cause]);
        json_write_end(writer, '}');
    }
    json_write_end(writer, '}');
    write_reactions(writer, "notified", &election->notified);
    write_reactions(writer, "reacted", &election->reacted);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "list", '[');
    for (size_t i = 0; i < election->failover_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_failover(writer, &election->failovers[i]);
    }
    end_list(writer, election->failover_count, 3 * INDENT);
    json_write_end(writer, '}');
}

static void write_stretch(struct json_writer *writer, const struct report_election *election,
                          const struct report_stretch *stretch)
{
    static const char *const words[] = {
        [STRETCH_LED] = "led", [STRETCH_VACANT] = "vacant", [STRETCH_GAP] = "gap"};
    bool led = stretch->leader != REPORT_NO_LEADER;
    json_write_begin(writer, '{');
    json_member_text(writer, "state", words[stretch->kind]);
    json_member_text(writer, "leader", stretch->name);
    json_member_text(writer, "identity", led ? election->leaders[stretch->leader].identity : NULL);
    json_member_time(writer, "from", stretch->from_us);
    json_member_time(writer, "to", stretch->to_us);
    json_member_bool(writer, "from_exact", stretch->from_exact);
    json_write_end(writer, '}');
}

static void json_report_write_leader(struct json_writer *writer, const struct report_leader *leader)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "name", leader->name);
    json_member_text(writer, "identity", leader->identity);
    json_member_uint(writer, "tenures", leader->tenures);
    json_member_ms(writer, "led_ms", leader->led_us);
    json_member_ms(writer, "longest_ms", leader->longest_us);
    json_write_end(writer, '}');
}

static void json_report_write_finding(struct json_writer *writer, const struct report_finding *reported)
{
    json_write_begin(writer, '{');
    json_member_time(writer, "raised", reported->raised_us);
    json_member_time(writer, "cleared", reported->cleared_us);
    json_write_key(writer, "finding");
    json_finding_write(writer, &reported->finding, NULL);
    json_write_end(writer, '}');
}

static void write_sums(struct json_writer *writer, const struct report_election *election)
{
    json_write_line(writer, 3 * INDENT);
    json_member_ms(writer, "led_ms", election->led_us);
    json_member_ms(writer, "vacant_ms", election->vacant_us);
    json_member_ms(writer, "gap_ms", election->gap_us);
    json_member_ms(writer, "skipped_ms", election->skipped_us);
    json_member_ms(writer, "longest_vacant_ms", election->longest_vacant_us);
    json_write_line(writer, 3 * INDENT);
    json_member_uint(writer, "leader_changes", election->change_count);
    json_member_uint(writer, "leader_changes_missed", election->missed_count);
    write_rate(writer, "leader_changes_per_hour", report_changes_per_hour(election));
    json_write_line(writer, 3 * INDENT);
}

static void json_report_write_election(struct json_writer *writer, const struct report *report,
                                       const struct report_election *election)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "cluster", election->cluster);
    json_member_text(writer, "path", election->path);
    json_member_text(writer, "name", election->name);
    json_member_text(writer, "kind", election_kind_word(election->kind));
    json_member_text(writer, "recipe", election->recipe);
    json_member_text(writer, "owner", election->owner);
    json_member_text(writer, "runbook", election->runbook);
    write_sums(writer, election);
    json_report_write_failovers(writer, report, election);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "timeline", '[');
    for (size_t i = 0; i < election->stretch_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_stretch(writer, election, &election->stretches[i]);
    }
    end_list(writer, election->stretch_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "leaders", '[');
    for (size_t i = 0; i < election->leader_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_leader(writer, &election->leaders[i]);
    }
    end_list(writer, election->leader_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "findings", '[');
    for (size_t i = 0; i < election->finding_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_finding(writer, &election->findings[i]);
    }
    end_list(writer, election->finding_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "unseen", '{');
    json_member_uint(writer, "joined", election->unseen_joined);
    json_member_uint(writer, "left", election->unseen_left);
    json_write_end(writer, '}');
    json_write_line(writer, 2 * INDENT);
    json_write_end(writer, '}');
}

static void write_facts(struct json_writer *writer, const struct report *report)
{
    json_member_begin(writer, "ensemble", '[');
    for (size_t i = 0; i < report->fact_count; i++) {
        const struct logged_fact *fact = &report->facts[i];
        char zxid[24];
        snprintf(zxid, sizeof zxid, "0x%" PRIx64, (uint64_t)fact->zxid);
        json_write_line(writer, 2 * INDENT);
        json_write_begin(writer, '{');
        json_member_text(writer, "event", logged_fact_word(fact->kind));
        json_member_time(writer, "time", fact->at.wall_us);
        json_member_time(writer, "since", fact->began_us);
        json_member_text(writer, "zxid", zxid);
        json_member_text(writer, "server", fact->path);
        json_write_end(writer, '}');
    }
    end_list(writer, report->fact_count, INDENT);
}

void json_report_write(struct buffer *out, const struct report *report, const char *recording)
{
    struct json_writer writer = json_writer_to(out, true);
    json_write_begin(&writer, '{');
    json_write_line(&writer, INDENT);
    json_member_int(&writer, "schema", JSON_SCHEMA);
    json_member_time(&writer, "from", report->from_us);
    json_member_time(&writer, "to", report->to_us);
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "recording", '{');
    json_member_text(&writer, "file", recording);
    json_member_time(&writer, "from", report->recorded_from_us);
    json_member_time(&writer, "to", report->recorded_to_us);
    json_write_end(&writer, '}');
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "clock_set", '[');
    for (size_t i = 0; i < report->clock_count; i++) {
        json_write_begin(&writer, '{');
        json_member_time(&writer, "before", report->clocks[i].before_us);
        json_member_time(&writer, "after", report->clocks[i].after_us);
        json_write_end(&writer, '}');
    }
    json_write_end(&writer, ']');
    json_write_line(&writer, INDENT);
    write_facts(&writer, report);
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "elections", '[');
    for (size_t i = 0; i < report->election_count; i++) {
        json_write_line(&writer, 2 * INDENT);
        json_report_write_election(&writer, report, &report->elections[i]);
    }
    end_list(&writer, report->election_count, INDENT);
    json_write_line(&writer, 0);
    json_write_end(&writer, '}');
    buffer_put_char(out, '\n');
}

#include "probe/inject/run_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe/inject/leads_check.h"
#include "probe/inject/run_live.h"
#include "probe/inject/run_part.h"
#include "probe/inject/run_state.h"

#define PATIENCE_US UINT64_C(1000000)

static void add_phase(struct histogram *histogram, uint64_t from_us, uint64_t to_us)
{
    if (from_us && to_us)
        histogram_add(histogram, (int64_t)(to_us - from_us));
}

/* The run ended so long after it that no successor was to come: all notifications had arrived. */
static bool nobody_follows(const struct run *t, const struct crowd_failover *failover)
{
    bool expires = failover->how == KILL_DROP || failover->how == KILL_PAUSE;
    uint64_t timeout_us = (uint64_t)t->options.cluster->session_timeout_ms * 1000;
    return !failover->led_us &&
           uv_hrtime() / 1000 - failover->due_us > PATIENCE_US + (expires ? 2 * timeout_us : 0);
}

/* Where nothing else shows what a failover costs here, or the run ended for what this one did. */
static void note_broken_off(struct run *t, const struct crowd_failover *failover)
{
    bool led = failover->led_us != 0, in_time = t->end == RUN_DONE || t->end == RUN_STOPPED;
    bool just_died = !led && !nobody_follows(t, failover), costs = failover->notices + failover->requests > 0;
    if (in_time && (t->counted > 0 || just_died || !costs))
        return;
    run_note(t,
             "a leader's death was %" PRIu64 " ms ago when the run ended, %s; it had cost %" PRIu64
             " notifications and %" PRIu64 " requests by then, and was not over",
             (uv_hrtime() / 1000 - failover->due_us) / 1000, led ? "and another led" : "and nobody led yet",
             failover->notices, failover->requests);
}

void run_count_failover(struct run *t, const struct crowd_failover *failover)
{
    bool ended = failover->led_us != 0;
    if (t->phase != RUN_RUNNING || !failover->planned)
        return;
    if (failover->broken_off)
        note_broken_off(t, failover);
    if (ended || !failover->broken_off || nobody_follows(t, failover))
        t->by_how[failover->how][!ended]++;
    if (!ended)
        return;
    histogram_add(&t->by_cause[failover->how], (int64_t)(failover->led_us - failover->due_us));
    add_phase(&t->times.detection, failover->due_us, failover->told_us);
    add_phase(&t->times.vacancy, failover->told_us, failover->first_us);
    add_phase(&t->times.takeover, failover->first_us, failover->led_us);
    if (failover->broken_off)
        return; /* its cost is not all known */
    t->notices += failover->notices;
    t->requests += failover->requests;
    t->counted++;
}

/* What a candidate knew of itself is never more than what the lists leave open. */
static void report_front(const struct run *t, struct run_report *report)
{
    const struct leads_check *front = live_rules_front(t->rules);
    uint64_t known_us = report->crowd.first_most_us;
    report->real_least = front->before_least;
    report->first_may_us = (int64_t)(front->first_may_us > known_us ? front->first_may_us : known_us);
    if (t->phase == RUN_OVER && leads_check_is_open(front))
        report->first_may_us = -1;
}

/* Replaces this agent's figures with the sum of all agents', where they can be added up. */
static void report_all(const struct run_part *all, struct run_report *r)
{
    const uint64_t *n = all->counts;
    struct crowd_figures *c = &r->crowd;
    r->wanted = (size_t)n[PART_WANTED];
    memset(c->by_state, 0, sizeof c->by_state);
    c->by_state[CANDIDATE_WAITING] = (size_t)n[PART_STANDING];
    c->sessions = (size_t)n[PART_SESSIONS];
    c->errors = n[PART_ERRORS];
    c->requests = n[PART_REQUESTS];
    c->lists = n[PART_LISTS];
    c->creates = n[PART_CREATES];
    c->deletes = n[PART_DELETES];
    c->notices = n[PART_NOTICES];
    c->connects = n[PART_CONNECTS];
    c->refused = n[PART_REFUSED];
    c->lost = n[PART_LOST];
    c->expired = n[PART_EXPIRED];
    c->unplanned = n[PART_UNPLANNED];
    c->deaths = n[PART_DEATHS];
    for (size_t i = 0; i < OBSTACLES; i++)
        c->left_out[i] = n[PART_LEFT_OUT + i];
    r->counted = n[PART_FAILOVERS];
    r->notices = n[PART_FAILOVER_NOTICES];
    r->requests = n[PART_FAILOVER_REQUESTS];
    r->times = (struct run_times){.stand = &all->times[PART_STAND],
                                  .failover = &all->times[PART_FAILOVER],
                                  .detection = all->times[PART_DETECTION],
                                  .vacancy = all->times[PART_VACANCY],
                                  .takeover = all->times[PART_TAKEOVER]};
    for (size_t how = 0; how < KILL_COUNT; how++) {
        r->by_cause[how] = all->times[PART_CAUSE + how];
        r->by_how[how][0] = r->by_cause[how].count;
        r->by_how[how][1] = n[PART_NEVER_LED + how];
    }
}

void run_report(const struct run *t, struct run_report *report)
{
    static const struct histogram none = {0};
    *report = (struct run_report){
        .phase = t->phase,
        .end = t->end,
        .problem = t->problem[0] ? t->problem : NULL,
        .notes = t->notes ? t->notes : "",
        .election = t->guard ? t->election : NULL,
        .copied = t->layout.exists && !t->options.live ? t->path : NULL,
        .name = run_name(t),
        .lock = t->layout.lock,
        .options = &t->options,
        .wanted = t->options.candidates,
        .times = t->times,
        .notices = t->notices,
        .requests = t->requests,
        .counted = t->counted,
        .wall_ms = t->wall_ms,
        .ping = t->ping,
        .cpu_us = t->ended_us ? t->cpu_us
                  : t->crowd  ? run_cpu_us() - t->cpu_us
                              : 0,
        .server_count = t->mark_count,
        .swept = t->swept,
        .left_to_expire = t->left_to_expire,
        .withdrawals = t->withdrawals,
        .real_least = -1,
        .refused = t->guard ? guard_refused(t->guard) : 0,
    };
    if (t->ended_us)
        report->crowd = t->last_figures;
    else if (t->crowd)
        crowd_figures(t->crowd, &report->crowd);
    if (t->rules)
        report_front(t, report);
    if (report->crowd.wanted > report->wanted)
        report->wanted = report->crowd.wanted; /* more were added */
    report->run_us = t->ended_us ? t->ran_us : uv_hrtime() / 1000 - t->phase_us;
    report->times.stand = report->crowd.to_stand ? report->crowd.to_stand : &none;
    report->times.failover = report->crowd.to_fail_over ? report->crowd.to_fail_over : &none;
    memcpy(report->by_how, t->by_how, sizeof report->by_how);
    memcpy(report->by_cause, t->by_cause, sizeof report->by_cause);
    memcpy(report->before, t->before, sizeof report->before);
    memcpy(report->highest, t->highest, sizeof report->highest);
    memcpy(report->after, t->after, sizeof report->after);
    memcpy(report->looks, t->looks, sizeof report->looks);
    report->agents_short = t->agents && t->phase == RUN_OVER && (!t->all || t->agents_short > 0);
    if (t->all) {
        report->agents = agents_parts(t->agents, &report->agent_count);
        report_all(t->all, report);
    }
}

int64_t run_figure(const struct run_report *report, enum expectation_figure figure, enum expectation_of of)
{
    const struct histogram *histogram = NULL;
    switch (figure) {
    case FIGURE_STAND:
        histogram = report->times.stand;
        break;
    case FIGURE_FAILOVER:
        histogram = report->times.failover;
        break;
    case FIGURE_DETECTION:
        histogram = &report->times.detection;
        break;
    case FIGURE_VACANCY:
        histogram = &report->times.vacancy;
        break;
    case FIGURE_TAKEOVER:
        histogram = &report->times.takeover;
        break;
    case FIGURE_ERRORS:
        return (int64_t)report->crowd.errors;
    case FIGURE_EXPIRED:
        return (int64_t)report->crowd.expired;
    case FIGURE_COUNT:
        return -1;
    }
    static const double parts[] = {[OF_P50] = 0.5, [OF_P90] = 0.9, [OF_P99] = 0.99};
    if (of == OF_COUNT)
        return (int64_t)histogram->count;
    if (histogram->count == 0)
        return -1;
    return of == OF_MAX ? histogram->most_us : histogram_percentile(histogram, parts[of]);
}

#include "probe/inject/run_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/inject/run_live.h"
#include "probe/inject/agent_results.h"
#include "probe/inject/run_state.h"
#include "probe/json/json_writer.h"

const char *run_end_word(enum run_end end)
{
    static const char *const words[] = {"done", "stopped",  "refused", "unreached",
                                        "lost", "too-slow", "failed"};
    return words[end];
}

const char *run_phase_word(enum run_phase phase)
{
    static const char *const words[] = {"connecting",       "reading the path",
                                        "creating the run", "waiting for the other agents",
                                        "joining",          "running",
                                        "ending",           "collecting results",
                                        "removing",         "over"};
    return words[phase];
}

#define PATIENCE_US UINT64_C(1000000)

static void run_report_add_phase(struct histogram *histogram, uint64_t from_us, uint64_t to_us)
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
             (uv_hrtime() / 1000 - failover->due_us) / 1000,
             led ? "and another led" : "and there was no leader yet", failover->notices, failover->requests);
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
    run_report_add_phase(&t->times.detection, failover->due_us, failover->reported_us);
    run_report_add_phase(&t->times.vacancy, failover->reported_us, failover->first_us);
    run_report_add_phase(&t->times.takeover, failover->first_us, failover->led_us);
    if (failover->broken_off)
        return; /* its cost is not all known */
    t->notices += failover->notices;
    t->requests += failover->requests;
    t->counted++;
}

/* A candidate learns late that it is first, and soon that it is not, so it knows only a part of that time. The
 * upper bound comes from lists before and after; without them there is none. */
static void report_leads(const struct run *t, struct run_report *report)
{
    const struct leads_check *leads = live_rules_leads(t->rules);
    uint64_t known_us = report->crowd.first_most_us;
    report->real_least = leads->before_least;
    report->first_may_us = (int64_t)leads->first_may_us;
    if (leads->blind || leads->first_may_us < known_us ||
        (t->phase == RUN_OVER && leads_check_is_open(leads)))
        report->first_may_us = -1;
}

/* Replaces this agent's figures with the sum of all agents', where they can be added up. */
static void run_report_all(const struct agent_results *all, struct run_report *r)
{
    const uint64_t *n = all->counts;
    struct crowd_figures *c = &r->crowd;
    r->wanted = (size_t)n[RESULT_WANTED];
    memset(c->by_state, 0, sizeof c->by_state);
    c->by_state[CANDIDATE_WAITING] = (size_t)n[RESULT_STANDING];
    c->sessions = (size_t)n[RESULT_SESSIONS];
    c->errors = n[RESULT_ERRORS];
    c->requests = n[RESULT_REQUESTS];
    c->lists = n[RESULT_LISTS];
    c->creates = n[RESULT_CREATES];
    c->deletes = n[RESULT_DELETES];
    c->notices = n[RESULT_WATCH_EVENTS];
    c->connects = n[RESULT_CONNECTS];
    c->refused = n[RESULT_REFUSED];
    c->lost = n[RESULT_LOST];
    c->expired = n[RESULT_EXPIRED];
    c->unplanned = n[RESULT_UNPLANNED];
    c->deaths = n[RESULT_DEATHS];
    for (size_t i = 0; i < OBSTACLES; i++)
        c->left_out[i] = n[RESULT_LEFT_OUT + i];
    r->counted = n[RESULT_FAILOVERS];
    r->notices = n[RESULT_FAILOVER_WATCH_EVENTS];
    r->requests = n[RESULT_FAILOVER_REQUESTS];
    r->times = (struct run_times){.stand = &all->times[RESULT_STAND],
                                  .failover = &all->times[RESULT_FAILOVER],
                                  .detection = all->times[RESULT_DETECTION],
                                  .vacancy = all->times[RESULT_VACANCY],
                                  .takeover = all->times[RESULT_TAKEOVER]};
    for (size_t how = 0; how < KILL_COUNT; how++) {
        r->by_cause[how] = all->times[RESULT_CAUSE + how];
        r->by_how[how][0] = r->by_cause[how].count;
        r->by_how[how][1] = n[RESULT_NEVER_LED + how];
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
        .server_count = t->counter_count,
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
        report_leads(t, report);
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
    memcpy(report->polls, t->polls, sizeof report->polls);
    report->agents_short = t->agents && t->phase == RUN_OVER && (!t->all || t->agents_short > 0);
    if (t->all) {
        report->agents = agents_parts(t->agents, &report->agent_count);
        run_report_all(t->all, report);
    }
}

int64_t run_figure(const struct run_report *report, enum expectation_figure figure, enum expectation_of of)
{
    const struct histogram *histogram = NULL;
    switch (figure) {
    case EXPECTED_STAND:
        histogram = report->times.stand;
        break;
    case EXPECTED_FAILOVER:
        histogram = report->times.failover;
        break;
    case EXPECTED_DETECTION:
        histogram = &report->times.detection;
        break;
    case EXPECTED_VACANCY:
        histogram = &report->times.vacancy;
        break;
    case EXPECTED_TAKEOVER:
        histogram = &report->times.takeover;
        break;
    case EXPECTED_ERRORS:
        return (int64_t)report->crowd.errors;
    case EXPECTED_EXPIRED:
        return (int64_t)report->crowd.expired;
    case EXPECTED_COUNT:
        return -1;
    }
    static const double parts[] = {[OF_P50] = 0.5, [OF_P90] = 0.9, [OF_P99] = 0.99};
    if (of == OF_COUNT)
        return (int64_t)histogram->count;
    if (histogram->count == 0)
        return -1;
    return of == OF_MAX ? histogram->most_us : histogram_percentile(histogram, parts[of]);
}

static void run_json_put_times(struct json_writer *w, const struct histogram *h)
{
    static const struct {
        const char *key;
        double part;
    } parts[] = {{"p50_ms", 0.5}, {"p90_ms", 0.9}, {"p99_ms", 0.99}};
    json_write_begin(w, '{');
    json_member_uint(w, "count", h->count);
    for (size_t i = 0; i < 3; i++) {
        json_member_ms(w, parts[i].key, h->count ? histogram_percentile(h, parts[i].part) : -1);
    }
    json_member_ms(w, "max_ms", h->count ? h->most_us : -1);
    json_write_end(w, '}');
}

static void key_times(struct json_writer *w, int indent, const char *key, const struct histogram *h)
{
    json_write_line(w, indent);
    json_write_key(w, key);
    run_json_put_times(w, h);
}

static void put_mean(struct json_writer *w, const char *key, uint64_t sum, uint64_t count)
{
    json_member_known(w, key, count ? (int64_t)((sum + count / 2) / count) : -1);
}

static void put_deaths(struct json_writer *w, const struct crowd_figures *c)
{
    uint64_t under_way = c->left_out[OBSTACLE_FAILOVER], nobody = c->left_out[OBSTACLE_NOBODY];
    json_member_begin(w, "deaths", '{');
    json_member_uint(w, "due", c->deaths + under_way + nobody);
    json_member_uint(w, "done", c->deaths);
    json_member_uint(w, "under_way", under_way);
    json_member_uint(w, "nobody", nobody);
    json_write_end(w, '}');
}

static void run_json_put_failovers(struct json_writer *w, const struct run_report *r)
{
    json_write_line(w, 2);
    json_member_begin(w, "failover", '{');
    key_times(w, 4, "total", r->times.failover);
    key_times(w, 4, "detection", &r->times.detection);
    key_times(w, 4, "vacancy", &r->times.vacancy);
    key_times(w, 4, "takeover", &r->times.takeover);
    json_write_line(w, 4);
    json_member_begin(w, "by_cause", '{');
    for (int how = 0; how < KILL_COUNT; how++) {
        if (r->by_how[how][0] + r->by_how[how][1] == 0)
            continue;
        json_write_key(w, kill_mode_word((enum kill_mode)how));
        run_json_put_times(w, &r->by_cause[how]);
    }
    json_write_end(w, '}');
    uint64_t open = 0;
    for (int how = 0; how < KILL_COUNT; how++)
        open += r->by_how[how][1];
    json_member_uint(w, "never_led", open);
    json_member_uint(w, "unplanned", r->crowd.unplanned);
    put_deaths(w, &r->crowd);
    put_mean(w, "notifications_each", r->notices, r->counted);
    put_mean(w, "requests_each", r->requests, r->counted);
    json_write_line(w, 2);
    json_write_end(w, '}');
}

static void run_json_put_counter(struct json_writer *w, const char *key, const struct server_counter *counter)
{
    json_member_begin(w, key, '{');
    if (counter->zxid < 0)
        json_member_null(w, "zxid");
    else
        json_member_session(w, "zxid", (uint64_t)counter->zxid);
    json_member_known(w, "connections", counter->connections);
    json_member_known(w, "watches", counter->watches);
    json_member_known(w, "sessions", counter->sessions);
    json_member_known(w, "ephemerals", counter->ephemerals);
    json_member_known(w, "outstanding", counter->outstanding);
    json_member_known(w, "slowest_ms", counter->slowest_ms);
    json_member_known(w, "packets_received", counter->received);
    json_member_known(w, "packets_sent", counter->sent);
    json_write_end(w, '}');
}

static void put_notes(struct json_writer *w, const char *notes)
{
    json_member_begin(w, "notes", '[');
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        char line[512];
        size_t cut = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, notes, cut);
        line[cut] = '\0';
        json_write_string(w, line);
        notes += length + (notes[length] == '\n');
    }
    json_write_end(w, ']');
}

static void run_json_put_expectations(struct json_writer *w, const struct run_report *r,
                                      const char *const *texts, const struct expectation *expectations,
                                      size_t count)
{
    json_write_line(w, 2);
    json_member_begin(w, "expectations", '[');
    for (size_t i = 0; i < count; i++) {
        const struct expectation *e = &expectations[i];
        int64_t value = run_figure(r, e->figure, e->of);
        json_write_begin(w, '{');
        json_member_text(w, "expected", texts[i]);
        if (e->of == OF_COUNT) {
            json_member_known(w, "value", value);
        } else {
            json_member_ms(w, "value_ms", value);
        }
        json_member_bool(w, "held", expectation_holds(e, value));
        json_write_end(w, '}');
    }
    json_write_end(w, ']');
}

static void run_json_put_crowd(struct json_writer *w, const struct run_report *r)
{
    const struct crowd_figures *c = &r->crowd;
    static const char *const looks[] = {"own", "shared"};
    json_write_line(w, 2);
    json_member_uint(w, "candidates", r->wanted);
    json_member_uint(w, "standing", c->by_state[CANDIDATE_WAITING] + c->by_state[CANDIDATE_LEADING]);
    json_member_uint(w, "sessions", c->sessions);
    json_member_uint(w, "per_session", c->per_session);
    json_member_text(w, "look", looks[r->options->look == LOOK_SHARED]);
    json_member_text(w, "names", r->lock ? NULL : r->name);
    json_member_begin(w, "behaviour", '[');
    for (size_t i = 0; i < r->options->share_count; i++) {
        const struct behaviour_share *share = &r->options->shares[i];
        json_write_begin(w, '{');
        json_member_text(w, "kind", behaviour_rules_of(share->behaviour)->word);
        json_member_uint(w, "percent", (uint64_t)share->percent);
        if (share->slow_ms)
            json_member_uint(w, "slow_ms", (uint64_t)share->slow_ms);
        json_write_end(w, '}');
    }
    json_write_end(w, ']');
    json_write_line(w, 2);
    json_member_uint(w, "requests", c->requests);
    json_member_uint(w, "lists", c->lists);
    json_member_uint(w, "creates", c->creates);
    json_member_uint(w, "deletes", c->deletes);
    json_member_uint(w, "notifications", c->notices);
    json_write_line(w, 2);
    json_member_uint(w, "connects", c->connects);
    json_member_uint(w, "refused", c->refused);
    json_member_uint(w, "lost", c->lost);
    json_member_uint(w, "expired", c->expired);
    json_member_uint(w, "errors", c->errors);
    json_member_text(w, "last_error", c->problem);
    json_write_line(w, 2);
    json_write_key(w, "live");
    if (r->options->live) {
        json_write_begin(w, '{');
        /* Left before it knew: how long is not known, but at most how long. */
        bool first_known = c->first_most_us > 0 || r->first_may_us == 0;
        json_member_ms(w, "first_ms", first_known ? (int64_t)c->first_most_us : -1);
        json_member_ms(w, "first_at_most_ms", r->first_may_us);
        json_member_uint(w, "withdrawals", r->withdrawals);
        json_member_known(w, "real_least", r->real_least);
        json_write_end(w, '}');
    } else {
        json_write_null(w);
    }
}

/* Of one that handed in nothing only its end is known. */
static void run_json_put_part(struct json_writer *w, const struct agent_results *part)
{
    static const struct {
        const char *key;
        enum result_count count;
    } counts[] = {{"candidates", RESULT_WANTED}, {"standing", RESULT_STANDING},
                  {"sessions", RESULT_SESSIONS}, {"requests", RESULT_REQUESTS},
                  {"lists", RESULT_LISTS},       {"creates", RESULT_CREATES},
                  {"deletes", RESULT_DELETES},   {"connects", RESULT_CONNECTS},
                  {"refused", RESULT_REFUSED},   {"notifications", RESULT_WATCH_EVENTS},
                  {"lost", RESULT_LOST},         {"expired", RESULT_EXPIRED},
                  {"errors", RESULT_ERRORS}};
    static const struct {
        const char *key;
        enum result_time time;
    } times[] = {{"stand", RESULT_STAND}, {"failover", RESULT_FAILOVER}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_member_known(w, counts[i].key, part->reported ? (int64_t)part->counts[counts[i].count] : -1);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        json_write_line(w, 6);
        json_write_key(w, times[i].key);
        if (part->reported)
            run_json_put_times(w, &part->times[times[i].time]);
        else
            json_write_null(w);
    }
}

static void run_json_put_agents(struct json_writer *w, const struct run_report *r)
{
    struct agent_results *part = xmalloc(sizeof *part);
    json_write_line(w, 2);
    json_write_key(w, "agents");
    if (!r->agents) {
        json_write_null(w);
        free(part);
        return;
    }
    json_write_begin(w, '[');
    for (size_t i = 0; i < r->agent_count; i++) {
        agent_results_read(&r->agents[i], part);
        json_write_line(w, 4);
        json_write_begin(w, '{');
        json_member_text(w, "agent", r->agents[i].name);
        json_member_text(w, "end", part->end);
        run_json_put_part(w, part);
        json_write_end(w, '}');
    }
    json_write_end(w, ']');
    free(part);
}

/* The members of a run, in an object that is begun. */
static void run_json_put_run(struct json_writer *w, const struct run_report *r)
{
    bool all_stood =
        r->crowd.stood_us && r->crowd.to_stand && r->crowd.to_stand->count >= r->options->candidates;
    json_member_time(w, "time", r->wall_ms * 1000);
    json_member_text(w, "path", r->options->path);
    json_member_text(w, "election", r->election);
    json_member_text(w, "copied", r->copied);
    json_write_line(w, 2);
    json_member_text(w, "end", run_end_word(r->end));
    json_member_text(w, "problem", r->problem);
    put_notes(w, r->notes);
    json_write_line(w, 2);
    json_member_ms(w, "ran_ms", (int64_t)r->run_us);
    json_member_ms(w, "all_stood_ms", all_stood ? (int64_t)(r->crowd.stood_us - r->crowd.begun_us) : -1);
    json_member_ms(w, "cpu_ms", (int64_t)r->cpu_us);
    run_json_put_crowd(w, r);
    key_times(w, 2, "stand", r->times.stand);
    run_json_put_failovers(w, r);
    key_times(w, 2, "ping", &r->ping);
    json_write_line(w, 2);
    json_member_begin(w, "servers", '[');
    for (size_t i = 0; i < r->server_count; i++) {
        json_write_line(w, 4);
        json_write_begin(w, '{');
        json_member_text(w, "address", r->before[i].address);
        run_json_put_counter(w, "before", &r->before[i]);
        if (r->polls[i]) {
            run_json_put_counter(w, "highest", &r->highest[i]);
        } else {
            json_member_null(w, "highest");
        }
        run_json_put_counter(w, "after", &r->after[i]);
        json_member_uint(w, "looks", r->polls[i]);
        json_member_known(w, "transactions", server_counter_transactions(&r->before[i], &r->after[i]));
        json_write_end(w, '}');
    }
    json_write_end(w, ']');
    run_json_put_agents(w, r);
    json_write_line(w, 2);
    json_member_uint(w, "left_to_expire", r->left_to_expire);
    json_member_uint(w, "runs_removed", r->swept);
}

void run_json_write(struct buffer *out, const struct run_report *r, const char *const *texts,
                    const struct expectation *expectations, size_t count)
{
    struct json_writer w = json_writer_to(out, true);
    json_write_begin(&w, '{');
    json_write_line(&w, 2);
    json_member_uint(&w, "schema", JSON_SCHEMA);
    run_json_put_run(&w, r);
    run_json_put_expectations(&w, r, texts, expectations, count);
    json_write_line(&w, 0);
    json_write_end(&w, '}');
    buffer_put_char(out, '\n');
}

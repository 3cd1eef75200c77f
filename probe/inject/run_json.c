#include "probe/inject/run_json.h"

#include <stdlib.h>
#include <string.h>

#include "probe/inject/run_part.h"
#include "probe/json/json_member.h"

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

static void run_json_put_mark(struct json_writer *w, const char *key, const struct server_counter *mark)
{
    json_member_begin(w, key, '{');
    if (mark->zxid < 0)
        json_member_null(w, "zxid");
    else
        json_member_session(w, "zxid", (uint64_t)mark->zxid);
    json_member_known(w, "connections", mark->connections);
    json_member_known(w, "watches", mark->watches);
    json_member_known(w, "sessions", mark->sessions);
    json_member_known(w, "ephemerals", mark->ephemerals);
    json_member_known(w, "outstanding", mark->outstanding);
    json_member_known(w, "slowest_ms", mark->slowest_ms);
    json_member_known(w, "packets_received", mark->received);
    json_member_known(w, "packets_sent", mark->sent);
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
    for (size_t i = 0; i < r->options->part_count; i++) {
        const struct crowd_part *part = &r->options->parts[i];
        json_write_begin(w, '{');
        json_member_text(w, "kind", behaviour_manner(part->behaviour)->word);
        json_member_uint(w, "percent", (uint64_t)part->percent);
        if (part->slow_ms)
            json_member_uint(w, "slow_ms", (uint64_t)part->slow_ms);
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
static void run_json_put_part(struct json_writer *w, const struct run_part *part)
{
    static const struct {
        const char *key;
        enum part_count count;
    } counts[] = {{"candidates", PART_WANTED},     {"standing", PART_STANDING}, {"sessions", PART_SESSIONS},
                  {"requests", PART_REQUESTS},     {"lists", PART_LISTS},       {"creates", PART_CREATES},
                  {"deletes", PART_DELETES},       {"connects", PART_CONNECTS}, {"refused", PART_REFUSED},
                  {"notifications", PART_NOTICES}, {"lost", PART_LOST},         {"expired", PART_EXPIRED},
                  {"errors", PART_ERRORS}};
    static const struct {
        const char *key;
        enum part_time time;
    } times[] = {{"stand", PART_STAND}, {"failover", PART_FAILOVER}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_member_known(w, counts[i].key, part->told ? (int64_t)part->counts[counts[i].count] : -1);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        json_write_line(w, 6);
        json_write_key(w, times[i].key);
        if (part->told)
            run_json_put_times(w, &part->times[times[i].time]);
        else
            json_write_null(w);
    }
}

static void run_json_put_agents(struct json_writer *w, const struct run_report *r)
{
    struct run_part *part = malloc(sizeof *part);
    json_write_line(w, 2);
    json_write_key(w, "agents");
    if (!part || !r->agents) {
        json_write_null(w);
        free(part);
        return;
    }
    json_write_begin(w, '[');
    for (size_t i = 0; i < r->agent_count; i++) {
        run_part_read(&r->agents[i], part);
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
        run_json_put_mark(w, "before", &r->before[i]);
        if (r->looks[i]) {
            run_json_put_mark(w, "highest", &r->highest[i]);
        } else {
            json_member_null(w, "highest");
        }
        run_json_put_mark(w, "after", &r->after[i]);
        json_member_uint(w, "looks", r->looks[i]);
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
    const struct run_report *first = r->earlier ? r->earlier : r;
    json_write_begin(&w, '{');
    json_write_line(&w, 2);
    json_member_uint(&w, "schema", JSON_SCHEMA);
    run_json_put_run(&w, first);
    run_json_put_expectations(&w, first, texts, expectations, count);
    json_write_line(&w, 2);
    json_write_key(&w, "against");
    if (r->earlier) {
        json_write_begin(&w, '{');
        json_write_line(&w, 2);
        run_json_put_run(&w, r);
        json_write_end(&w, '}');
    } else {
        json_write_null(&w);
    }
    json_write_line(&w, 0);
    json_write_end(&w, '}');
    buffer_put_char(out, '\n');
}

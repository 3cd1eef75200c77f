#include "probe/inject/agent_results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/guard.h"
#include "probe/inject/run_state.h"

static const char *const time_words[RESULT_TIMES] = {"stand",
                                                     "failover",
                                                     "detection",
                                                     "vacancy",
                                                     "takeover",
                                                     [RESULT_CAUSE + KILL_CLOSE] = "close",
                                                     [RESULT_CAUSE + KILL_RESIGN] = "resign",
                                                     [RESULT_CAUSE + KILL_DROP] = "drop",
                                                     [RESULT_CAUSE + KILL_PAUSE] = "pause"};

static void put_histogram(struct text *text, const char *word, const struct histogram *h)
{
    text_printf(text, "%s %" PRId64 " %" PRId64 " %" PRId64, word, h->least_us, h->most_us, h->sum_us);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->buckets[i])
            text_printf(text, " %zu:%" PRIu32, i, h->buckets[i]);
    text_add(text, "\n");
}

static const struct histogram *time_of(const struct run_report *r, size_t i)
{
    const struct histogram *const times[] = {r->times.stand, r->times.failover, &r->times.detection,
                                             &r->times.vacancy, &r->times.takeover};
    return i < RESULT_CAUSE ? times[i] : &r->by_cause[i - RESULT_CAUSE];
}

char *agent_results_write(const struct run_report *r)
{
    const struct crowd_figures *c = &r->crowd;
    const uint64_t counts[RESULT_NEVER_LED] = {
        [RESULT_WANTED] = r->wanted,
        [RESULT_STANDING] = c->by_state[CANDIDATE_WAITING] + c->by_state[CANDIDATE_LEADING],
        [RESULT_SESSIONS] = c->sessions,
        [RESULT_ERRORS] = c->errors,
        [RESULT_REQUESTS] = c->requests,
        [RESULT_LISTS] = c->lists,
        [RESULT_CREATES] = c->creates,
        [RESULT_DELETES] = c->deletes,
        [RESULT_WATCH_EVENTS] = c->notices,
        [RESULT_CONNECTS] = c->connects,
        [RESULT_REFUSED] = c->refused,
        [RESULT_LOST] = c->lost,
        [RESULT_EXPIRED] = c->expired,
        [RESULT_UNPLANNED] = c->unplanned,
        [RESULT_DEATHS] = c->deaths,
        [RESULT_LEFT_OUT + OBSTACLE_FAILOVER] = c->left_out[OBSTACLE_FAILOVER],
        [RESULT_LEFT_OUT + OBSTACLE_NOBODY] = c->left_out[OBSTACLE_NOBODY],
        [RESULT_FAILOVERS] = r->counted,
        [RESULT_FAILOVER_WATCH_EVENTS] = r->notices,
        [RESULT_FAILOVER_REQUESTS] = r->requests,
    };
    struct text text = {0};
    text_printf(&text, RUN_MARKER "\nend %s\ncounts", run_end_word(r->end));
    for (size_t i = 0; i < RESULT_NEVER_LED; i++)
        text_printf(&text, " %" PRIu64, counts[i]);
    for (size_t how = 0; how < KILL_COUNT; how++)
        text_printf(&text, " %" PRIu64, r->by_how[how][1]);
    text_add(&text, "\n");
    for (size_t i = 0; i < RESULT_TIMES; i++)
        put_histogram(&text, time_words[i], time_of(r, i));
    return text_take(&text);
}

/* A number at *at, which moves behind it. Sums of as many as there may be agents fit their type. */
static bool number(const char **at, char before, int64_t *value)
{
    char *end;
    if (**at != before || ((*at)[1] < '0' || (*at)[1] > '9'))
        return false;
    long long read = strtoll(*at + 1, &end, 10);
    *at = end;
    *value = read;
    return read <= INT64_MAX / AGENTS_MOST;
}

static bool take_histogram(const char *at, struct histogram *h)
{
    int64_t bucket, count, next = 0;
    if (!number(&at, ' ', &h->least_us) || !number(&at, ' ', &h->most_us) || !number(&at, ' ', &h->sum_us))
        return false;
    while (number(&at, ' ', &bucket)) {
        if (bucket < next || bucket >= HISTOGRAM_BUCKETS || !number(&at, ':', &count) || count > UINT32_MAX)
            return false; /* each once, in their order */
        next = bucket + 1;
        h->buckets[bucket] = (uint32_t)count;
        h->count += (uint64_t)count;
    }
    return *at == '\n' || *at == '\0';
}

/* The rest of the line after the word, from the space on; NULL: there is no such line. */
static const char *line_of(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return at + length;
    return NULL;
}

static bool take_counts(const char *at, uint64_t counts[RESULT_COUNTS])
{
    int64_t value = 0;
    for (size_t i = 0; i < RESULT_COUNTS; i++) {
        if (!number(&at, ' ', &value))
            return false;
        counts[i] = (uint64_t)value;
    }
    return *at == '\n';
}

void agent_results_read(const struct agent_part *agent, struct agent_results *part)
{
    const char *text = agent->text;
    *part = (struct agent_results){.end = "died"};
    if (!text && agent->alive)
        snprintf(part->end, sizeof part->end, "running");
    if (!text)
        return;
    const char *end = line_of(text, "end"), *counts = line_of(text, "counts");
    bool fine = end && counts && take_counts(counts, part->counts);
    for (size_t i = 0; fine && i < RESULT_TIMES; i++) {
        const char *at = line_of(text, time_words[i]);
        fine = at && take_histogram(at, &part->times[i]);
    }
    if (!fine) {
        *part = (struct agent_results){.end = "unreadable"};
        return;
    }
    snprintf(part->end, sizeof part->end, "%.*s", (int)strcspn(end + 1, "\n"), end + 1);
    part->reported = true;
}

static void add_up(struct agent_results *all, const struct agent_results *part)
{
    for (size_t i = 0; i < RESULT_COUNTS; i++)
        all->counts[i] += part->counts[i];
    for (size_t i = 0; i < RESULT_TIMES; i++)
        histogram_merge(&all->times[i], &part->times[i]);
    all->reported |= part->reported;
}

/* It did not do its part, and so the run did not. */
static void note_end(struct run *t, const char *name, const char *end)
{
    static const struct {
        const char *end, *words;
    } all[] = {{"died", "died, and no figure includes its part"},
               {"running", "was still running when this agent ended, and no figure includes its part"},
               {"unreadable", "sent unreadable results, and no figure includes its part"},
               {"stopped", "was stopped before the end"}};
    size_t i = 0;
    while (i < sizeof all / sizeof *all && strcmp(all[i].end, end) != 0)
        i++;
    run_note(t, "the agent %.90s %s", name, i < sizeof all / sizeof *all ? all[i].words : "did not finish");
}

void run_gather(struct run *t)
{
    size_t count;
    const struct agent_part *parts = agents_parts(t->agents, &count);
    struct agent_results *part = xmalloc(sizeof *part);
    t->all = xcalloc(1, sizeof *t->all);
    for (size_t i = 0; i < count; i++) {
        agent_results_read(&parts[i], part);
        add_up(t->all, part);
        bool done = strcmp(part->end, "done") == 0, is_us = strcmp(parts[i].name, t->agent) == 0;
        t->agents_short += !done;
        if (!done && !is_us)
            note_end(t, parts[i].name, part->end);
    }
    free(part);
}

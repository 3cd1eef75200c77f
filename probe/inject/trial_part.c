#include "probe/inject/trial_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/inject/run_mark.h"
#include "probe/inject/trial_state.h"

static void put_histogram(struct text *text, const char *word, const struct histogram *h)
{
    text_printf(text, "%s %" PRId64 " %" PRId64 " %" PRId64, word, h->least_us, h->most_us, h->sum_us);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->buckets[i])
            text_printf(text, " %zu:%" PRIu32, i, h->buckets[i]);
    text_add(text, "\n");
}

char *trial_part_write(const struct trial_report *r)
{
    struct text text = {0};
    text_printf(&text, RUN_MARK "\nend %s\ncandidates %zu %zu %" PRIu64 "\n", trial_end_word(r->end),
                r->options->candidates,
                r->crowd.by_state[CANDIDATE_WAITING] + r->crowd.by_state[CANDIDATE_LEADING], r->crowd.errors);
    put_histogram(&text, "stand", r->times.stand);
    put_histogram(&text, "failover", r->times.failover);
    put_histogram(&text, "detection", &r->times.detection);
    put_histogram(&text, "vacancy", &r->times.vacancy);
    put_histogram(&text, "takeover", &r->times.takeover);
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

/* What follows the word on its line, with the space before it; NULL: there is no such line. */
static const char *line_of(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return at + length;
    return NULL;
}

void trial_part_read(const char *text, struct trial_part *part)
{
    *part = (struct trial_part){.end = "died"};
    if (!text)
        return;
    struct {
        const char *word;
        struct histogram *histogram;
    } const all[] = {{"stand", &part->stand},
                     {"failover", &part->failover},
                     {"detection", &part->detection},
                     {"vacancy", &part->vacancy},
                     {"takeover", &part->takeover}};
    const char *end = line_of(text, "end"), *counts = line_of(text, "candidates");
    int64_t wanted = 0, standing = 0, errors = 0;
    bool fine = end && counts && number(&counts, ' ', &wanted) && number(&counts, ' ', &standing) &&
                number(&counts, ' ', &errors);
    for (size_t i = 0; fine && i < sizeof all / sizeof *all; i++) {
        const char *at = line_of(text, all[i].word);
        fine = at && take_histogram(at, all[i].histogram);
    }
    if (!fine) {
        *part = (struct trial_part){.end = "unreadable"};
        return;
    }
    snprintf(part->end, sizeof part->end, "%.*s", (int)strcspn(end + 1, "\n"), end + 1);
    part->told = true;
    part->wanted = (uint64_t)wanted;
    part->standing = (uint64_t)standing;
    part->errors = (uint64_t)errors;
}

void trial_gather(struct trial *t)
{
    size_t count;
    const struct agent_part *parts = agents_parts(t->agents, &count);
    struct trial_part *part = malloc(sizeof *part);
    t->times = (struct trial_times){0};
    for (size_t i = 0; part && i < count; i++) {
        trial_part_read(parts[i].text, part);
        histogram_merge(&t->all_stand, &part->stand);
        histogram_merge(&t->all_failover, &part->failover);
        histogram_merge(&t->times.detection, &part->detection);
        histogram_merge(&t->times.vacancy, &part->vacancy);
        histogram_merge(&t->times.takeover, &part->takeover);
        if (strcmp(part->end, "done") != 0 && strcmp(part->end, "stopped") != 0)
            trial_note(t, "the agent %.90s %s", parts[i].name,
                       strcmp(part->end, "died") == 0 ? "died" : "did not come to its end");
    }
    free(part);
    t->gathered = true;
}

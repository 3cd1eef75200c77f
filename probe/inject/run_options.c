#include "probe/inject/run_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"

const char *limits_passed(const struct inject_settings *limits, const struct demand *demand,
                          char text[LIMITS_TEXT])
{
    uint64_t deaths = demand->every_ms ? (1000 + demand->every_ms - 1) / demand->every_ms : 0;
    if (demand->sessions > (size_t)limits->sessions)
        snprintf(text, LIMITS_TEXT, "%zu sessions are more than the %d of inject: {sessions: ...}",
                 demand->sessions, limits->sessions);
    else if (demand->rate_per_s > limits->creates_per_s)
        snprintf(text, LIMITS_TEXT, "%d creates a second are more than the %d of inject: {creates: ...}",
                 demand->rate_per_s, limits->creates_per_s);
    else if (deaths > (uint64_t)limits->creates_per_s)
        snprintf(text, LIMITS_TEXT,
                 "a death every %" PRIu64
                 " ms brings more than the %d creates a second of inject: {creates: ...}",
                 demand->every_ms, limits->creates_per_s);
    else
        return NULL;
    return text;
}

#define WORD_SIZE 64
#define EVERY_DEFAULT_MS 2000
#define EVERY_LEAST_MS 10
#define EVERY_MOST_MS (INT64_C(24) * 3600 * 1000)
#define SLOW_MOST_MS (10 * 60 * 1000)
#define PER_SESSION_MOST 100000

/* Copies up to one of the ends, and returns where it stopped; NULL: too long, or empty. */
static const char *run_options_take(const char *text, const char *ends, char word[WORD_SIZE])
{
    size_t length = strcspn(text, ends);
    if (length == 0 || length >= WORD_SIZE)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length;
}

static const char *part_parse(const char **at, struct crowd_part *part)
{
    char word[WORD_SIZE];
    *at = run_options_take(*at, ":,", word);
    if (!*at)
        return "has an empty part; write as in herd:30%,deaf:10%";
    part->behaviour = behaviour_find(word);
    part->percent = 100;
    if (part->behaviour == BEHAVIOUR_COUNT)
        return "names no behaviour; there are predecessor, herd, children, deaf, once, slow:TIME and hold";
    if (part->behaviour == BEHAVIOUR_SLOW) {
        int64_t slow_ms;
        if (**at != ':' || !(*at = run_options_take(*at + 1, ":,", word)) || duration_parse(word, &slow_ms))
            return "says not how slow; write as in slow:200ms, or slow:200ms:30%";
        if (slow_ms < 1 || slow_ms > SLOW_MOST_MS)
            return "is slow out of range; write 1ms to 10m";
        part->slow_ms = (int)slow_ms;
    }
    if (**at != ':')
        return NULL;
    int percent;
    *at = run_options_take(*at + 1, ":,", word);
    if (!*at || percent_parse(word, &percent))
        return "has no share behind its colon; write as in herd:30%";
    if (percent < 1 || percent > 100)
        return "has a share out of range; write 1% to 100%";
    part->percent = percent;
    return NULL;
}

const char *run_options_behaviour(const char *text, struct crowd_part parts[RUN_OPTIONS_PARTS], size_t *count)
{
    double sum = 0;
    *count = 0;
    for (const char *at = text; at && *at;) {
        if (*count == RUN_OPTIONS_PARTS)
            return "has too many parts; 8 may be given";
        struct crowd_part *part = &parts[(*count)++];
        *part = (struct crowd_part){0};
        const char *problem = part_parse(&at, part);
        if (problem)
            return problem;
        sum += part->percent;
        if (*at == ':' || (*at == ',' && !at[1]))
            return "goes on where it should end; write as in herd:30%,deaf:10%";
        at += *at == ',';
    }
    return sum > 100 ? "comes to more than 100 %; give less to some" : NULL;
}

const char *run_options_kill(const char *text, enum crowd_victim *victim, uint64_t *every_ms)
{
    size_t length = strcspn(text, ":");
    if (length == 6 && strncmp(text, "leader", length) == 0)
        *victim = VICTIM_LEADER;
    else if (length == 6 && strncmp(text, "random", length) == 0)
        *victim = VICTIM_RANDOM;
    else
        return "names nobody to kill; write leader or random, as in leader:every=2s";
    *every_ms = EVERY_DEFAULT_MS;
    if (!text[length])
        return NULL;
    int64_t every;
    if (strncmp(text + length, ":every=", 7) != 0 || duration_parse(text + length + 7, &every))
        return "says not how often; write as in leader:every=2s";
    if (every < EVERY_LEAST_MS || every > EVERY_MOST_MS)
        return "is too often or too seldom; write every=10ms to every=24h";
    *every_ms = (uint64_t)every;
    return NULL;
}

const char *run_options_how(const char *text, enum kill_mode *how)
{
    for (int i = 0; i < KILL_COUNT; i++)
        if (strcmp(text, kill_mode_word((enum kill_mode)i)) == 0) {
            *how = (enum kill_mode)i;
            return NULL;
        }
    return "is no way to go; write close, drop, pause or resign";
}

const char *run_options_sessions(const char *text, size_t *per_session)
{
    int64_t each;
    *per_session = 1;
    if (strcmp(text, "own") == 0)
        return NULL;
    if (strncmp(text, "shared:", 7) != 0 || number_parse(text + 7, &each))
        return "is not known; write own, or shared:100 for a hundred candidates on each session";
    if (each < 1 || each > PER_SESSION_MOST)
        return "is out of range; write shared:1 to shared:100000";
    *per_session = (size_t)each;
    return NULL;
}

static const char *const figures[FIGURE_COUNT] = {"stand",    "failover", "detection", "vacancy",
                                                  "takeover", "errors",   "expired"};
static const char *const ofs[] = {"p50", "p90", "p99", "max", "count"};

#define EXPECT_FORM "; write as in 'failover.p99<2s', 'failover.count>=10' or 'errors=0'"

/* As people write it: 'failover.p99 < 2s'. */
static const char *past_spaces(const char *at)
{
    return at ? at + strspn(at, " ") : NULL;
}

const char *run_options_expect(const char *text, struct expectation *expectation)
{
    char word[WORD_SIZE];
    const char *at = past_spaces(run_options_take(text, " .<>=", word));
    int figure = 0, of = OF_COUNT;
    while (at && figure < FIGURE_COUNT && strcmp(word, figures[figure]) != 0)
        figure++;
    if (!at || figure == FIGURE_COUNT)
        return "names no figure" EXPECT_FORM;
    bool is_number = figure == FIGURE_ERRORS || figure == FIGURE_EXPIRED;
    if (*at == '.') {
        at = past_spaces(run_options_take(at + 1, " <>=", word));
        for (of = 0; at && of <= OF_COUNT && strcmp(word, ofs[of]) != 0;)
            of++;
        if (!at || of > OF_COUNT || (is_number && of != OF_COUNT))
            return "names no p50, p90, p99, max or count of that" EXPECT_FORM;
    } else if (!is_number) {
        return "says not whether p50, p90, p99, max or count" EXPECT_FORM;
    }
    bool is_equal = *at && at[1] == '=';
    if (*at == '<')
        expectation->relation = is_equal ? EXPECT_AT_MOST : EXPECT_LESS;
    else if (*at == '>')
        expectation->relation = is_equal ? EXPECT_AT_LEAST : EXPECT_MORE;
    else if (*at == '=')
        expectation->relation = EXPECT_EQUAL;
    else
        return "compares with nothing" EXPECT_FORM;
    at = past_spaces(at + 1 + is_equal);
    expectation->figure = (enum expectation_figure)figure;
    expectation->of = (enum expectation_of)of;
    const char *problem =
        of == OF_COUNT ? number_parse(at, &expectation->value) : duration_parse(at, &expectation->value);
    if (problem || expectation->value < 0)
        return of == OF_COUNT ? "compares with no number" EXPECT_FORM : "compares with no time" EXPECT_FORM;
    if (of != OF_COUNT)
        expectation->value *= 1000;
    return NULL;
}

bool expectation_holds(const struct expectation *expectation, int64_t value)
{
    if (value < 0)
        return false;
    switch (expectation->relation) {
    case EXPECT_LESS:
        return value < expectation->value;
    case EXPECT_AT_MOST:
        return value <= expectation->value;
    case EXPECT_MORE:
        return value > expectation->value;
    case EXPECT_AT_LEAST:
        return value >= expectation->value;
    case EXPECT_EQUAL:
        break;
    }
    return value == expectation->value;
}

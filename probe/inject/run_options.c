#include "probe/inject/run_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"

size_t run_options_session_count(const struct run_options *options)
{
    size_t each = options->per_session ? options->per_session : 1;
    return (options->candidates + each - 1) / each;
}

const char *limits_passed(const struct inject_settings *limits, const struct run_options *options,
                          char text[LIMITS_TEXT])
{
    size_t sessions = run_options_session_count(options);
    bool kills = options->victim != VICTIM_NOBODY && options->every_ms > 0;
    uint64_t kills_per_s = kills ? (1000 + options->every_ms - 1) / options->every_ms : 0;
    if (sessions > (size_t)limits->sessions)
        snprintf(text, LIMITS_TEXT, "%zu sessions are more than the %d of inject: {sessions: ...}", sessions,
                 limits->sessions);
    else if (options->rate_per_s > limits->creates_per_s)
        snprintf(text, LIMITS_TEXT, "%d creates a second are more than the %d of inject: {creates: ...}",
                 options->rate_per_s, limits->creates_per_s);
    else if (kills_per_s > (uint64_t)limits->creates_per_s) /* each causes a create */
        snprintf(text, LIMITS_TEXT,
                 "a death every %" PRIu64
                 " ms brings more than the %d creates a second of inject: {creates: ...}",
                 options->every_ms, limits->creates_per_s);
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

static const char *share_parse(const char **at, struct behaviour_share *share)
{
    char word[WORD_SIZE];
    *at = run_options_take(*at, ":,", word);
    if (!*at)
        return "has an empty part; write as in herd:30%,deaf:10%";
    share->behaviour = behaviour_find(word);
    share->percent = 100;
    if (share->behaviour == BEHAVIOUR_COUNT)
        return "is not a behaviour; the behaviours are predecessor, herd, children, deaf, once, slow:TIME "
               "and hold";
    if (share->behaviour == BEHAVIOUR_SLOW) {
        int64_t slow_ms;
        if (**at != ':' || !(*at = run_options_take(*at + 1, ":,", word)) || duration_parse(word, &slow_ms))
            return "does not say how slow; write as in slow:200ms, or slow:200ms:30%";
        if (slow_ms < 1 || slow_ms > SLOW_MOST_MS)
            return "is slow out of range; write 1ms to 10m";
        share->slow_ms = (int)slow_ms;
    }
    if (**at != ':')
        return NULL;
    int64_t percent;
    *at = run_options_take(*at + 1, ":,", word);
    if (!*at || percent_parse(word, &percent))
        return "has no share after its colon; write as in herd:30%";
    if (percent < 1 || percent > 100)
        return "has a share out of range; write 1% to 100%";
    share->percent = (int)percent;
    return NULL;
}

const char *run_options_behaviour(const char *text, struct run_options *options)
{
    double sum = 0;
    options->share_count = 0;
    for (const char *at = text; at && *at;) {
        if (options->share_count == BEHAVIOUR_SHARES_MOST)
            return "has too many parts; at most 8 are allowed";
        struct behaviour_share *share = &options->shares[options->share_count++];
        *share = (struct behaviour_share){0};
        const char *problem = share_parse(&at, share);
        if (problem)
            return problem;
        sum += share->percent;
        if (*at == ':' || (*at == ',' && !at[1]))
            return "has text after its end; write as in herd:30%,deaf:10%";
        at += *at == ',';
    }
    return sum > 100 ? "adds up to more than 100 %; lower some shares" : NULL;
}

const char *run_options_kill(const char *text, struct run_options *options)
{
    size_t length = strcspn(text, ":");
    if (length == 6 && strncmp(text, "leader", length) == 0)
        options->victim = VICTIM_LEADER;
    else if (length == 6 && strncmp(text, "random", length) == 0)
        options->victim = VICTIM_RANDOM;
    else
        return "does not say which candidates to kill; write leader or random, as in leader:every=2s";
    options->every_ms = EVERY_DEFAULT_MS;
    if (!text[length])
        return NULL;
    int64_t every;
    if (strncmp(text + length, ":every=", 7) != 0 || duration_parse(text + length + 7, &every))
        return "does not say how often; write as in leader:every=2s";
    if (every < EVERY_LEAST_MS || every > EVERY_MOST_MS)
        return "is too often or too seldom; write every=10ms to every=24h";
    options->every_ms = (uint64_t)every;
    return NULL;
}

const char *run_options_how(const char *text, struct run_options *options)
{
    for (int i = 0; i < KILL_COUNT; i++)
        if (strcmp(text, kill_mode_word((enum kill_mode)i)) == 0) {
            options->how = (enum kill_mode)i;
            return NULL;
        }
    return "is not known; write close, drop, pause or resign";
}

const char *run_options_sessions(const char *text, struct run_options *options)
{
    int64_t each;
    options->per_session = 1;
    if (strcmp(text, "own") == 0)
        return NULL;
    if (strncmp(text, "shared:", 7) != 0 || number_parse(text + 7, &each))
        return "is not known; write own, or shared:100 for a hundred candidates on each session";
    if (each < 1 || each > PER_SESSION_MOST)
        return "is out of range; write shared:1 to shared:100000";
    options->per_session = (size_t)each;
    return NULL;
}

static const char *const figures[EXPECTED_COUNT] = {"stand",    "failover", "detection", "vacancy",
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
    while (at && figure < EXPECTED_COUNT && strcmp(word, figures[figure]) != 0)
        figure++;
    if (!at || figure == EXPECTED_COUNT)
        return "names no figure" EXPECT_FORM;
    bool is_number = figure == EXPECTED_ERRORS || figure == EXPECTED_EXPIRED;
    if (*at == '.') {
        at = past_spaces(run_options_take(at + 1, " <>=", word));
        for (of = 0; at && of <= OF_COUNT && strcmp(word, ofs[of]) != 0;)
            of++;
        if (!at || of > OF_COUNT || (is_number && of != OF_COUNT))
            return "names no p50, p90, p99, max or count of that" EXPECT_FORM;
    } else if (!is_number) {
        return "does not say p50, p90, p99, max or count" EXPECT_FORM;
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

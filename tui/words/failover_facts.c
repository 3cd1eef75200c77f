#include "tui/words/failover_facts.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/election.h"
#include "probe/election/failover.h"
#include "probe/election/tenure.h"

static char *failover_facts_put_span(const struct cells *cells, struct span span, int room,
                                     char buffer[FORMAT_INTERVAL])
{
    if (span.low_us == 0 && span.high_us < 0) /* "at least nothing" is not known at all */
        span.low_us = SPAN_OPEN;
    format_interval(span.low_us, span.high_us, cells->ascii, buffer);
    bool bounded = span.low_us >= 0 && span.high_us >= 0;
    /* Of two bounds the one that promises less: it cannot have taken longer. */
    if (bounded && cells_width(cells, buffer) > room)
        format_interval(SPAN_OPEN, span.high_us, cells->ascii, buffer);
    return buffer;
}

struct span failover_facts_length(const struct failover *failover)
{
    struct failover_sample sample;

    return failover_sample_of(failover, &sample) ? sample.length : failover->total;
}

char *failover_facts_last(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL])
{
    const struct change *change = &election->change;
    const struct failover *last = election_last_failover(election);
    struct failover_sample sample;

    buffer[0] = '\0';
    if (change->lost_at.mono_us == 0)
        return buffer;
    if (change->to == NULL)
        snprintf(buffer, FORMAT_INTERVAL, "open");
    else if (last != NULL && failover_sample_of(last, &sample))
        failover_facts_put_span(cells, sample.length, room, buffer);
    else if (last == NULL && change->vacancy_us >= 0)
        failover_facts_put_span(
            cells,
            (struct span){change->vacancy_us + (change->takeover_us > 0 ? change->takeover_us : 0),
                          SPAN_OPEN},
            room, buffer);
    else
        snprintf(buffer, FORMAT_INTERVAL, "?");
    return buffer;
}

bool failover_facts_usual(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL])
{
    struct failover_sample samples[FAILOVERS_KEPT];
    struct failover_stats stats;
    const struct failover *failover;
    size_t count = 0;

    for (size_t i = 0; (failover = election_failover_at(election, i)) != NULL; i++)
        count += failover_sample_of(failover, &samples[count]);
    if (count == 0)
        return false;
    failover_stats_make(samples, count, &stats);
    failover_facts_put_span(cells, stats.all.p50, room, buffer);
    return true;
}

void failover_facts_changes(const struct election *election, struct moment now, int64_t window_us,
                            struct leader_changes *changes)
{
    int64_t from_us = now.mono_us - window_us;
    const struct tenure *tenure, *before = NULL;
    const struct failover *failover;
    size_t known = 0;

    *changes = (struct leader_changes){0};
    for (size_t i = 0; (tenure = election_tenure_at(election, i)) != NULL; i++) {
        if (i == 0)
            changes->more = election->tenure_count == TENURES_KEPT && tenure->from.mono_us > from_us;
        if (tenure->gap || tenure->name == NULL)
            continue;
        changes->count += before != NULL && tenure->from.mono_us > from_us && tenure_is_other(before, tenure);
        before = tenure;
    }
    for (size_t i = 0; (failover = election_failover_at(election, i)) != NULL; i++)
        if (!failover_is_open(failover) && failover->elected_at.mono_us > from_us && known < changes->count) {
            changes->by_cause[failover->cause]++;
            known++;
        }
    if (election->failover_count == FAILOVERS_KEPT)
        changes->older = changes->count - known;
    else
        changes->by_cause[CAUSE_UNKNOWN] += changes->count - known;
}

/* CAUSE_UNKNOWN comes last, whatever its number; -1: none is left. */
static int most_frequent(const size_t left[CAUSE_COUNT])
{
    int most = CAUSE_UNKNOWN;
    for (int cause = CAUSE_COUNT; cause-- > 0;)
        if (cause != CAUSE_UNKNOWN && left[cause] > (most == CAUSE_UNKNOWN ? 0 : left[most]))
            most = cause;
    return left[most] > 0 ? most : -1;
}

char *failover_facts_split(const struct cells *cells, const struct leader_changes *changes, char *buffer,
                           size_t size)
{
    size_t used;

    buffer[0] = '\0';
    if (changes->count == 0)
        return buffer;
    used = (size_t)snprintf(buffer, size, "%s%zu", changes->more ? cells_sign(cells, SIGN_AT_LEAST) : "",
                            changes->count);
    size_t left[CAUSE_COUNT];
    memcpy(left, changes->by_cause, sizeof left);
    for (int cause; (cause = most_frequent(left)) >= 0; left[cause] = 0) {
        const char *word = failover_cause_word((enum failover_cause)cause);
        if (changes->by_cause[cause] == changes->count)
            used += (size_t)snprintf(buffer + used, size - used, " %s", word);
        else if (changes->by_cause[cause] > 0 && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%zu %s",
                                     strchr(buffer, ':') ? ", " : ": ", changes->by_cause[cause], word);
    }
    if (changes->older > 0 && used < size)
        snprintf(buffer + used, size - used, ", %zu older", changes->older);
    return buffer;
}

#include "tui/words/failover_facts.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/changes.h"
#include "probe/election/election.h"
#include "probe/election/failover.h"
#include "probe/election/tenure.h"
#include "probe/election/vacancy.h"

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

/* A session that created its candidate again was not lost: the failover before it is the last one. */
static const struct failover *last_of(const struct election *election)
{
    if (!tenure_goes_on(election) || election->failover_count == 0)
        return election_last_failover(election);
    return election_failover_at(election, election->failover_count - 1);
}

struct moment failover_facts_lost(const struct election *election)
{
    const struct failover *last = last_of(election);

    if (!tenure_goes_on(election))
        return election->change.lost_at;
    return last != NULL ? last->lost_at : (struct moment){0};
}

char *failover_facts_last(const struct cells *cells, const struct election *election, int room,
                          char buffer[FORMAT_INTERVAL])
{
    const struct change *change = &election->change;
    const struct failover *last = last_of(election);
    struct failover_sample sample;

    buffer[0] = '\0';
    if (failover_facts_lost(election).mono_us == 0)
        return buffer;
    if (change->to == NULL)
        snprintf(buffer, FORMAT_INTERVAL, "open");
    else if (vacancy_is_untaken(election))
        snprintf(buffer, FORMAT_INTERVAL, "?");
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
    const struct failover *failover,
        *untaken = vacancy_is_untaken(election) ? election_last_failover(election) : NULL;
    size_t count = 0;

    for (size_t i = 0; (failover = election_failover_at(election, i)) != NULL && failover != untaken; i++)
        count += failover_sample_of(failover, &samples[count]);
    if (count == 0)
        return false;
    failover_stats_make(samples, count, &stats);
    failover_facts_put_span(cells, stats.all.p50, room, buffer);
    return true;
}

/* Its changes lost their leaders after that moment. Returns when the oldest of them did; 0: there are none. */
static int64_t count_tenures(const struct election *election, int64_t from_us, struct change_counts *changes)
{
    const struct tenure *tenure;
    int64_t lost_us = 0, oldest_us = 0;

    for (size_t i = 0; (tenure = election_tenure_at(election, i)) != NULL; i++) {
        if (!changes->vacant)
            lost_us = tenure->from.mono_us;
        if (tenure->gap)
            changes_gap(changes);
        else if (tenure->name == NULL)
            changes_vacant(changes);
        else
            changes_led(changes, tenure->name, tenure->identity, tenure->session);
        if (lost_us <= from_us)
            changes->seen = 0;
        else if (changes->seen > 0 && oldest_us == 0)
            oldest_us = lost_us;
    }
    return oldest_us;
}

void failover_facts_changes(const struct election *election, struct moment now, int64_t window_us,
                            struct leader_changes *changes)
{
    int64_t from_us = now.mono_us - window_us, oldest_us;
    const struct tenure *first = election_tenure_at(election, 0);
    const struct failover *failover = election_failover_at(election, 0);
    struct change_counts counted = {0};
    bool full = election->failover_count == FAILOVERS_KEPT && failover->lost_at.mono_us > from_us;

    *changes = (struct leader_changes){0};
    changes->more = election->tenure_count == TENURES_KEPT && first->from.mono_us > from_us;
    oldest_us = count_tenures(election, from_us, &counted);
    for (size_t i = 0; (failover = election_failover_at(election, i)) != NULL; i++) {
        if (failover->lost_at.mono_us <= from_us || !failover_is_change(failover))
            continue;
        changes_failover(&counted, failover);
        changes->by_cause[failover->cause]++;
        if (oldest_us == 0 || failover->lost_at.mono_us < oldest_us)
            oldest_us = failover->lost_at.mono_us;
    }
    changes->count = changes_count(&counted);
    changes->more |= full && counted.told > counted.seen;
    changes->span_us = oldest_us != 0 ? now.mono_us - oldest_us : 0;
    if (full)
        changes->older = changes->count - counted.told;
    else
        changes->by_cause[CAUSE_UNKNOWN] += changes->count - counted.told;
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

char *failover_facts_split(const struct cells *cells, const struct leader_changes *changes, int room,
                           char *buffer, size_t size)
{
    char of[32] = ": ", part[64], more[8];
    size_t left[CAUSE_COUNT], used;

    buffer[0] = '\0';
    if (changes->count == 0)
        return buffer;
    used = (size_t)snprintf(buffer, size, "%s%zu", changes->more ? cells_sign(cells, SIGN_AT_LEAST) : "",
                            changes->count);
    if (changes->older > 0)
        snprintf(of, sizeof of, ", last %zu: ", changes->count - changes->older);
    snprintf(more, sizeof more, ", %s", cells_sign(cells, SIGN_ELLIPSIS));
    memcpy(left, changes->by_cause, sizeof left);
    for (int cause = most_frequent(left), next; cause >= 0; cause = next) {
        const char *word = failover_cause_word((enum failover_cause)cause);
        if (left[cause] == changes->count)
            snprintf(part, sizeof part, " %s", word);
        else
            snprintf(part, sizeof part, "%s%zu %s", of, left[cause], word);
        left[cause] = 0;
        next = most_frequent(left);
        int width = cells_width(cells, buffer) + cells_width(cells, part);
        if (width + (next >= 0 ? cells_width(cells, more) : 0) > room ||
            used + strlen(part) + sizeof more >= size) {
            if (strcmp(of, ", ") == 0) /* the others alone would look like a wrong sum */
                snprintf(buffer + used, size - used, "%s", more);
            break;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s", part);
        snprintf(of, sizeof of, ", ");
    }
    return buffer;
}

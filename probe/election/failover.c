#include "probe/election/failover.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"

#define SAME_US INT64_C(5000000) /* between two observers of one loss */

const char *failover_cause_word(enum failover_cause cause)
{
    static const char *const words[CAUSE_COUNT] = {
        [CAUSE_UNKNOWN] = "unknown", [CAUSE_DELETED] = "deleted", [CAUSE_RESIGNED] = "resigned",
        [CAUSE_EVICTED] = "evicted", [CAUSE_ENDED] = "ended",     [CAUSE_CLOSED] = "closed",
        [CAUSE_EXPIRED] = "expired",
    };
    return words[cause < CAUSE_COUNT ? cause : CAUSE_UNKNOWN];
}

bool failover_has_detection(enum failover_cause cause)
{
    return cause == CAUSE_EXPIRED || cause == CAUSE_ENDED || cause == CAUSE_UNKNOWN;
}

bool failover_is_open(const struct failover *failover)
{
    return !failover->to && failover->vacancy.high_us < 0;
}

/* So the evidence from a log begins. */
static bool is_logged(const struct failover *failover)
{
    static const char logged[] = "transaction 0x";
    return failover->evidence && strncmp(failover->evidence, logged, sizeof logged - 1) == 0;
}

int64_t failover_lost_within_us(const struct failover *failover)
{
    int64_t later_us =
        failover->elected_at.mono_us ? failover->elected_at.mono_us - failover->lost_at.mono_us : 0;
    int64_t before_us = failover->gap_us - (later_us > 0 ? later_us : 0);
    return before_us > 0 && !is_logged(failover) ? before_us : 0;
}

struct moment failover_lost_after(const struct failover *failover)
{
    int64_t within_us = failover_lost_within_us(failover);
    return (struct moment){failover->lost_at.mono_us - within_us, failover->lost_at.wall_us - within_us};
}

bool failover_is_same(const struct failover *one, const struct failover *other)
{
    int64_t apart_us = one->lost_at.wall_us - other->lost_at.wall_us;
    return text_same(one->from, other->from) && (!one->to || !other->to || text_same(one->to, other->to)) &&
           apart_us < SAME_US && apart_us > -SAME_US;
}

void failover_copy(struct failover *to, const struct failover *from)
{
    *to = *from;
    to->from = text_copy(from->from);
    to->from_identity = text_copy(from->from_identity);
    to->to = text_copy(from->to);
    to->to_identity = text_copy(from->to_identity);
    to->evidence = text_copy(from->evidence);
}

void failover_release(struct failover *failover)
{
    free(failover->from);
    free(failover->from_identity);
    free(failover->to);
    free(failover->to_identity);
    free(failover->evidence);
    *failover = (struct failover){0};
}

/* An open upper bound is longer than any other. */
#define UNBOUNDED INT64_MAX
/* Fewer watched seconds say nothing of an hour. */
#define RATE_LEAST_US INT64_C(60000000)

bool failover_sample_of(const struct failover *failover, struct failover_sample *sample)
{
    struct span length = failover->total;
    if (length.low_us < 0 && failover->takeover.low_us < 0 && failover->takeover.high_us < 0 &&
        failover->vacancy.low_us >= 0) {
        bool detected = failover->detection.low_us >= 0 || failover->detection.high_us >= 0;
        bool open = failover->vacancy.high_us < 0 || (failover->detection.high_us < 0 &&
                                                      (detected || failover_has_detection(failover->cause)));
        int64_t low_us = detected && failover->detection.low_us > 0 ? failover->detection.low_us : 0;
        length.low_us = low_us + failover->vacancy.low_us;
        length.high_us =
            open ? SPAN_OPEN : failover->vacancy.high_us + (detected ? failover->detection.high_us : 0);
    }
    bool nothing = length.low_us < 0 || (length.low_us == 0 && length.high_us < 0);
    bool open = failover_is_open(failover) && failover->total.high_us < 0;
    if (open || failover->gap_us > 0 || nothing || failover->cause >= CAUSE_COUNT)
        return false;
    *sample = (struct failover_sample){.cause = failover->cause, .length = length};
    return true;
}

static int failover_stats_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static struct span rank(const int64_t *lows, const int64_t *highs, size_t count, unsigned percent)
{
    size_t at = (count * percent + 99) / 100 - 1; /* the nearest rank; count > 0 */
    return (struct span){lows[at], highs[at] == UNBOUNDED ? SPAN_OPEN : highs[at]};
}

/* cause: CAUSE_COUNT: all. lows and highs have room for count. */
static void make_figures(const struct failover_sample *samples, size_t count, int cause, int64_t *lows,
                         int64_t *highs, struct failover_figures *figures)
{
    size_t mine = 0;
    for (size_t i = 0; i < count; i++) {
        if (cause != CAUSE_COUNT && (int)samples[i].cause != cause)
            continue;
        lows[mine] = samples[i].length.low_us;
        highs[mine++] = samples[i].length.high_us < 0 ? UNBOUNDED : samples[i].length.high_us;
    }
    if (!mine)
        return;
    qsort(lows, mine, sizeof *lows, failover_stats_compare);
    qsort(highs, mine, sizeof *highs, failover_stats_compare);
    *figures = (struct failover_figures){.count = mine,
                                         .p50 = rank(lows, highs, mine, 50),
                                         .p90 = rank(lows, highs, mine, 90),
                                         .p99 = rank(lows, highs, mine, 99),
                                         .max = rank(lows, highs, mine, 100)};
}

struct span failover_point(int64_t us)
{
    return us > 0 ? (struct span){us, us} : SPAN_UNKNOWN;
}

void failover_stats_make(const struct failover_sample *samples, size_t count, struct failover_stats *stats)
{
    const struct failover_figures none = {0, SPAN_UNKNOWN, SPAN_UNKNOWN, SPAN_UNKNOWN, SPAN_UNKNOWN};
    stats->all = none;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        stats->by_cause[cause] = none;
    if (!count)
        return;
    int64_t *room = xcalloc(count, 2 * sizeof *room);
    make_figures(samples, count, CAUSE_COUNT, room, room + count, &stats->all);
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        make_figures(samples, count, cause, room, room + count, &stats->by_cause[cause]);
    free(room);
}

double failover_rate(size_t changes, int64_t watched_us)
{
    return watched_us < RATE_LEAST_US ? -1 : (double)changes * 3600e6 / (double)watched_us;
}

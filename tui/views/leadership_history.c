#include "tui/views/leadership_history.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/name_lookup.h"

struct history_read {
    struct leadership_history *leadership;
    size_t stretch_room, failover_room, leader_room;
    struct name_lookup leaders; /* by who */
    char *led;                  /* the znode of the latest leader; NULL: none, or a vacancy came since */
};

/* The leader's index, a new one if need be. */
static uint32_t leadership_history_leader_of(struct history_read *reading, const char *identity,
                                             const char *name)
{
    struct leadership_history *leadership = reading->leadership;
    const char *who = identity ? identity : name;
    int64_t at;
    if (name_lookup_find(&reading->leaders, who, strlen(who), &at))
        return (uint32_t)at;
    room_for_one(&leadership->leaders, leadership->leader_count, &reading->leader_room,
                 sizeof *leadership->leaders);
    leadership->leaders[leadership->leader_count] =
        (struct leadership_history_leader){.who = xstrdup(who), .by_name = !identity};
    name_lookup_set(&reading->leaders, who, strlen(who), (int64_t)leadership->leader_count);
    return (uint32_t)leadership->leader_count++;
}

/* A gap, and the same znode still leads: it led all the while. */
static bool leadership_history_goes_on(struct history_read *reading, const struct history_stretch *stretch)
{
    const struct leadership_history *leadership = reading->leadership;
    size_t count = leadership->stretch_count;
    bool after_gap = count > 1 && leadership->stretches[count - 1].lane == LANE_UNKNOWN;
    bool same = after_gap && stretch->kind == STRETCH_LED && reading->led && stretch->name &&
                strcmp(reading->led, stretch->name) == 0;
    if (stretch->kind != STRETCH_GAP && !same) {
        free(reading->led);
        reading->led = text_copy(stretch->name);
    }
    return same;
}

static bool on_stretch(void *context, const struct history_stretch *stretch)
{
    struct history_read *reading = context;
    struct leadership_history *leadership = reading->leadership;
    if (leadership->stretch_count == LEADERSHIP_HISTORY_MOST) {
        leadership->cut = true;
        return false;
    }
    uint32_t lane = stretch->kind == STRETCH_VACANT ? LANE_NO_LEADER : LANE_UNKNOWN;
    if (stretch->kind == STRETCH_LED && (stretch->identity || stretch->name))
        lane = leadership_history_leader_of(reading, stretch->identity, stretch->name);
    history_stretch_count(&leadership->changes, stretch);
    room_for_one(&leadership->stretches, leadership->stretch_count, &reading->stretch_room,
                 sizeof *leadership->stretches);
    leadership->gaps |= lane == LANE_UNKNOWN || /* perhaps before the recording's first */
                        (leadership->stretch_count == 0 && stretch->from_us > leadership->from_us);
    bool leads_on = leadership_history_goes_on(reading, stretch);
    leadership->stretches[leadership->stretch_count++] =
        (struct leadership_history_stretch){lane, stretch->from_us, stretch->to_us, leads_on};
    leadership->vacant |= lane == LANE_NO_LEADER;
    if (lane < LANE_UNKNOWN) {
        struct leadership_history_leader *leader = &leadership->leaders[lane];
        leader->last_us = stretch->to_us > leader->last_us ? stretch->to_us : leader->last_us;
    }
    return true;
}

static bool on_failover(void *context, const struct election *election, const struct failover *failover)
{
    struct history_read *reading = context;
    struct leadership_history *leadership = reading->leadership;
    (void)election;
    if (leadership->failover_count == LEADERSHIP_HISTORY_MOST) {
        leadership->cut = true;
        return false;
    }
    room_for_one(&leadership->failovers, leadership->failover_count, &reading->failover_room,
                 sizeof *leadership->failovers);
    failover_copy(&leadership->failovers[leadership->failover_count++], failover);
    changes_failover(&leadership->changes, failover);
    return true;
}

static bool on_clock(void *context, const struct history_clock *clock)
{
    struct leadership_history *leadership = context;
    bool before = clock->before_us >= leadership->from_us && clock->before_us < leadership->to_us;
    if (before || (clock->after_us >= leadership->from_us && clock->after_us < leadership->to_us))
        leadership->clock = *clock;
    return true;
}

struct rank {
    int64_t last_us;
    uint32_t index;
};

/* The latest leader first; else in order of appearance. */
static int by_rank(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->last_us != right->last_us)
        return left->last_us > right->last_us ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void sort_leaders(struct leadership_history *leadership)
{
    size_t count = leadership->leader_count;
    struct rank *ranks = xcalloc(count + 1, sizeof *ranks);
    struct leadership_history_leader *leaders = xcalloc(count + 1, sizeof *leaders);
    uint32_t *lanes = xcalloc(count + 1, sizeof *lanes);
    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct rank){leadership->leaders[i].last_us, (uint32_t)i};
    qsort(ranks, count, sizeof *ranks, by_rank);
    for (size_t i = 0; i < count; i++) {
        leaders[i] = leadership->leaders[ranks[i].index];
        lanes[ranks[i].index] = (uint32_t)i;
    }
    for (size_t i = 0; i < leadership->stretch_count; i++)
        if (leadership->stretches[i].lane < LANE_UNKNOWN)
            leadership->stretches[i].lane = lanes[leadership->stretches[i].lane];
    free(leadership->leaders);
    leadership->leaders = leaders;
    free(ranks);
    free(lanes);
}

static const char *who_led_next(const struct failover *failover)
{
    return failover->to_identity ? failover->to_identity : failover->to;
}

static int by_successor(const void *a, const void *b)
{
    return strcmp(who_led_next(*(const struct failover *const *)a),
                  who_led_next(*(const struct failover *const *)b));
}

/* How long it took at least; -1: not known. */
static int64_t slowness(const struct leadership_history_successor *successor)
{
    int64_t low_us = successor->p50.low_us, high_us = successor->p50.high_us;
    return low_us != SPAN_OPEN ? low_us : high_us != SPAN_OPEN ? 0 : -1;
}

static int by_slowness(const void *a, const void *b)
{
    int64_t left = slowness(a), right = slowness(b);
    return (left < right) - (left > right);
}

static void rank_successors(struct leadership_history *leadership)
{
    const struct failover **sorted = xcalloc(leadership->failover_count + 1, sizeof *sorted);
    struct failover_sample *samples = xcalloc(leadership->failover_count + 1, sizeof *samples);
    size_t count = 0;
    free(leadership->successors);
    leadership->successors = xcalloc(leadership->failover_count + 1, sizeof *leadership->successors);
    leadership->successor_count = 0;
    for (size_t i = 0; i < leadership->failover_count; i++) {
        if (leadership->failovers[i].to && leadership->failovers[i].gap_us == 0)
            sorted[count++] = &leadership->failovers[i];
    }
    leadership->reacted = count > 0;
    for (size_t i = 0; i < count; i++)
        leadership->reacted &= sorted[i]->reacted_us != 0;
    qsort(sorted, count, sizeof *sorted, by_successor);
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t known = 0;
        struct failover_stats stats;
        for (end = begin; end < count && by_successor(&sorted[begin], &sorted[end]) == 0; end++) {
            struct span length =
                leadership->reacted ? failover_point(sorted[end]->reacted_us) : sorted[end]->takeover;
            if (length.low_us != SPAN_OPEN || length.high_us != SPAN_OPEN)
                samples[known++].length = length;
        }
        failover_stats_make(samples, known, &stats);
        leadership->successors[leadership->successor_count++] = (struct leadership_history_successor){
            sorted[begin]->to_identity, sorted[begin]->to, stats.all.p50};
    }
    qsort(leadership->successors, leadership->successor_count, sizeof *leadership->successors, by_slowness);
    if (leadership->successor_count && slowness(&leadership->successors[0]) < 0)
        leadership->successor_count = 0;
    free(sorted);
    free(samples);
}

static void leadership_history_make_stats(struct leadership_history *leadership)
{
    struct failover_sample *samples = xcalloc(leadership->failover_count + 1, sizeof *samples);
    size_t count = 0;
    for (size_t i = 0; i < leadership->failover_count; i++)
        count += failover_sample_of(&leadership->failovers[i], &samples[count]);
    failover_stats_make(samples, count, &leadership->stats);
    free(samples);
    rank_successors(leadership);
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool leadership_is_known(const struct leadership_history *leadership, size_t stretch)
{
    return stretch < leadership->stretch_count && leadership->stretches[stretch].lane != LANE_UNKNOWN;
}

/* How long each led whose beginning and end were both seen in the window, and how often that changed. One of which a
 * part was seen led at least so long. */
static void measure_tenures(struct leadership_history *leadership)
{
    int64_t *lengths = xcalloc(leadership->stretch_count + 1, sizeof *lengths), watched_us = 0, since_us = 0;
    size_t count = 0;
    bool begun = false;
    for (size_t i = 0; i < leadership->stretch_count; i++) {
        const struct leadership_history_stretch *stretch = &leadership->stretches[i];
        int64_t from_us = stretch->from_us > leadership->from_us ? stretch->from_us : leadership->from_us;
        int64_t to_us = stretch->to_us < leadership->to_us ? stretch->to_us : leadership->to_us;
        if (stretch->lane == LANE_UNKNOWN || to_us <= from_us)
            continue;
        watched_us += to_us - from_us;
        if (stretch->lane == LANE_NO_LEADER) {
            leadership->vacant_us += to_us - from_us;
            continue;
        }
        if (!stretch->goes_on || since_us == 0) {
            since_us = from_us;
            begun = i > 0 && leadership_is_known(leadership, i - 1);
        }
        bool whole = begun && leadership_is_known(leadership, i + 1);
        if (whole)
            lengths[count++] = to_us - since_us;
        if (to_us - since_us > leadership->tenure_max_us) {
            leadership->tenure_max_us = to_us - since_us;
            leadership->tenure_max_whole = whole;
        }
    }
    qsort(lengths, count, sizeof *lengths, by_length);
    leadership->tenure_count = count;
    leadership->tenure_p50_us = count ? lengths[(count - 1) / 2] : 0;
    leadership->changes_per_hour = failover_rate(changes_count(&leadership->changes), watched_us);
    free(lengths);
}

/* Another may have led since, unseen, or the clock was set, so that the time since is not a difference of times. */
static bool vacancy_is_broken(const struct leadership_history *leadership, int64_t since_us)
{
    for (size_t i = leadership->stretch_count; i-- > 0 && leadership->stretches[i].to_us > since_us;)
        if (leadership->stretches[i].lane == LANE_UNKNOWN)
            return true;
    return leadership->clock.before_us > since_us || leadership->clock.after_us > since_us;
}

/* The vacancy of an open failover lasts as long as the last stretch has none. */
static void extend_vacancy(struct leadership_history *leadership)
{
    size_t failovers = leadership->failover_count, stretches = leadership->stretch_count;
    struct failover *last = failovers > 0 ? &leadership->failovers[failovers - 1] : NULL;
    const struct leadership_history_stretch *now =
        stretches > 0 ? &leadership->stretches[stretches - 1] : NULL;
    if (last && now && failover_is_open(last) && now->lane == LANE_NO_LEADER &&
        now->to_us - last->lost_at.wall_us > last->vacancy.low_us &&
        !vacancy_is_broken(leadership, last->lost_at.wall_us))
        last->vacancy.low_us = now->to_us - last->lost_at.wall_us;
}

bool leadership_history_read(struct leadership_history *leadership, struct history *history,
                             const char *cluster, const char *election, int64_t from_us, int64_t to_us,
                             char **error)
{
    struct history_read reading = {.leadership = leadership};
    int64_t end_us = to_us + 1; /* a failover at the very end of a recording is part of it */
    const struct history_filter filter = {.cluster = cluster, .election = election};
    *leadership = (struct leadership_history){.from_us = from_us, .to_us = to_us};
    *error = NULL;
    bool ok = history_stretches(history, cluster, election, from_us, to_us, on_stretch, &reading, error) &&
              history_failovers(history, &filter, from_us, end_us, on_failover, &reading, error) &&
              history_clocks(history, on_clock, leadership, error);
    if (ok) {
        sort_leaders(leadership);
        extend_vacancy(leadership);
        measure_tenures(leadership);
        /* Failovers beyond the limit still count. */
        if (leadership->failover_count == LEADERSHIP_HISTORY_MOST)
            ok = history_statistics(history, &filter, from_us, end_us, &leadership->stats, error);
        else
            leadership_history_make_stats(leadership);
    }
    changes_gap(&leadership->changes);
    name_lookup_free(&reading.leaders);
    free(reading.led);
    if (!ok)
        leadership_history_clear(leadership);
    return ok;
}

void leadership_history_prefer(struct leadership_history *leadership, const struct election *election)
{
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *seen = election_failover_at(election, i);
        for (size_t k = leadership->failover_count; k-- > 0;)
            if (leadership->failovers[k].gap_us == 0 && seen->gap_us == 0 &&
                (seen->to || !leadership->failovers[k].to) &&
                failover_is_same(&leadership->failovers[k], seen)) {
                failover_release(&leadership->failovers[k]);
                failover_copy(&leadership->failovers[k], seen);
                break;
            }
    }
    extend_vacancy(leadership);
    if (leadership->failover_count < LEADERSHIP_HISTORY_MOST)
        leadership_history_make_stats(leadership);
}

void leadership_history_clear(struct leadership_history *leadership)
{
    for (size_t i = 0; i < leadership->leader_count; i++)
        free(leadership->leaders[i].who);
    for (size_t i = 0; i < leadership->failover_count; i++)
        failover_release(&leadership->failovers[i]);
    free(leadership->leaders);
    free(leadership->stretches);
    free(leadership->failovers);
    free(leadership->successors);
    *leadership = (struct leadership_history){0};
}

uint32_t leadership_history_lane(const struct leadership_history *leadership, const char *identity,
                                 const char *name)
{
    const char *who = identity ? identity : name;
    for (size_t i = 0; who && i < leadership->leader_count; i++)
        if (strcmp(leadership->leaders[i].who, who) == 0)
            return (uint32_t)i;
    return LANE_UNKNOWN;
}

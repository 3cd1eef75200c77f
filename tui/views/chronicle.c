#include "tui/views/chronicle.h"

#include <stdlib.h>
#include <string.h>

#include "probe/history/lookup.h"

struct reading {
    struct chronicle *chronicle;
    size_t stretch_room, failover_room, leader_room;
    struct lookup leaders; /* by who */
    char *led;             /* the znode of the latest that led; NULL: nobody, or a vacancy came since */
    bool failed;           /* out of memory */
};

/* The items with room for one more of size: grown by half where there is none. NULL: out of memory, and the
   items are as they were. */
static void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room < 16 ? 16 : *room + *room / 2;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    return grown;
}

/* The leader's index, a new one if need be; LANE_UNKNOWN: out of memory. */
static uint32_t leader_of(struct reading *reading, const char *identity, const char *name)
{
    struct chronicle *chronicle = reading->chronicle;
    const char *who = identity ? identity : name;
    int64_t at;
    if (lookup_find(&reading->leaders, who, strlen(who), &at))
        return (uint32_t)at;
    struct chronicle_leader *leaders =
        grow(chronicle->leaders, chronicle->leader_count, &reading->leader_room, sizeof *leaders);
    if (!leaders)
        return LANE_UNKNOWN;
    chronicle->leaders = leaders;
    char *copy = strdup(who);
    if (!copy)
        return LANE_UNKNOWN;
    chronicle->leaders[chronicle->leader_count] =
        (struct chronicle_leader){.who = copy, .by_name = !identity};
    lookup_set(&reading->leaders, who, strlen(who), (int64_t)chronicle->leader_count);
    return (uint32_t)chronicle->leader_count++;
}

/* Nobody watched in between, and the same znode leads still: it led all the while. */
static bool goes_on(struct reading *reading, const struct history_stretch *stretch)
{
    const struct chronicle *chronicle = reading->chronicle;
    size_t count = chronicle->stretch_count;
    bool after_gap = count > 1 && chronicle->stretches[count - 1].lane == LANE_UNKNOWN;
    bool same = after_gap && stretch->kind == STRETCH_LED && reading->led && stretch->name &&
                strcmp(reading->led, stretch->name) == 0;
    if (stretch->kind != STRETCH_GAP && !same) {
        free(reading->led);
        reading->led = stretch->name ? strdup(stretch->name) : NULL;
        reading->failed |= stretch->name && !reading->led;
    }
    return same;
}

static bool on_stretch(void *context, const struct history_stretch *stretch)
{
    struct reading *reading = context;
    struct chronicle *chronicle = reading->chronicle;
    if (chronicle->stretch_count == CHRONICLE_MOST) {
        chronicle->cut = true;
        return false;
    }
    uint32_t lane = stretch->kind == STRETCH_VACANT ? LANE_NOBODY : LANE_UNKNOWN;
    if (stretch->kind == STRETCH_LED && (stretch->identity || stretch->name)) {
        lane = leader_of(reading, stretch->identity, stretch->name);
        reading->failed |= lane == LANE_UNKNOWN;
    }
    if (reading->failed)
        return false;
    struct chronicle_stretch *stretches =
        grow(chronicle->stretches, chronicle->stretch_count, &reading->stretch_room, sizeof *stretches);
    if (!stretches) {
        reading->failed = true;
        return false;
    }
    chronicle->stretches = stretches;
    bool leads_on = goes_on(reading, stretch);
    stretches[chronicle->stretch_count++] =
        (struct chronicle_stretch){lane, stretch->from_us, stretch->to_us, leads_on};
    chronicle->vacant |= lane == LANE_NOBODY;
    if (lane < LANE_UNKNOWN) {
        struct chronicle_leader *leader = &chronicle->leaders[lane];
        leader->last_us = stretch->to_us > leader->last_us ? stretch->to_us : leader->last_us;
    }
    return true;
}

static bool on_failover(void *context, const struct election *election, const struct failover *failover)
{
    struct reading *reading = context;
    struct chronicle *chronicle = reading->chronicle;
    (void)election;
    if (chronicle->failover_count == CHRONICLE_MOST) {
        chronicle->cut = true;
        return false;
    }
    struct failover *failovers =
        grow(chronicle->failovers, chronicle->failover_count, &reading->failover_room, sizeof *failovers);
    if (!failovers) {
        reading->failed = true;
        return false;
    }
    chronicle->failovers = failovers;
    reading->failed = !failover_copy(&failovers[chronicle->failover_count++], failover);
    return !reading->failed;
}

static bool on_clock(void *context, const struct history_clock *clock)
{
    struct chronicle *chronicle = context;
    bool before = clock->before_us >= chronicle->from_us && clock->before_us < chronicle->to_us;
    if (before || (clock->after_us >= chronicle->from_us && clock->after_us < chronicle->to_us))
        chronicle->clock = *clock;
    return true;
}

struct rank {
    int64_t last_us;
    uint32_t index;
};

/* Whoever led last is the first; else in the order of their coming. */
static int by_rank(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->last_us != right->last_us)
        return left->last_us > right->last_us ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static bool sort_leaders(struct chronicle *chronicle)
{
    size_t count = chronicle->leader_count;
    struct rank *ranks = calloc(count + 1, sizeof *ranks);
    struct chronicle_leader *leaders = calloc(count + 1, sizeof *leaders);
    uint32_t *lanes = calloc(count + 1, sizeof *lanes);
    bool ok = ranks && leaders && lanes;
    for (size_t i = 0; ok && i < count; i++)
        ranks[i] = (struct rank){chronicle->leaders[i].last_us, (uint32_t)i};
    if (ok) {
        qsort(ranks, count, sizeof *ranks, by_rank);
        for (size_t i = 0; i < count; i++) {
            leaders[i] = chronicle->leaders[ranks[i].index];
            lanes[ranks[i].index] = (uint32_t)i;
        }
        for (size_t i = 0; i < chronicle->stretch_count; i++)
            if (chronicle->stretches[i].lane < LANE_UNKNOWN)
                chronicle->stretches[i].lane = lanes[chronicle->stretches[i].lane];
        free(chronicle->leaders);
        chronicle->leaders = leaders;
        leaders = NULL;
    }
    free(ranks);
    free(leaders);
    free(lanes);
    return ok;
}

static bool make_stats(struct chronicle *chronicle)
{
    struct failover_sample *samples = calloc(chronicle->failover_count + 1, sizeof *samples);
    size_t count = 0;
    if (!samples)
        return false;
    for (size_t i = 0; i < chronicle->failover_count; i++)
        count += failover_sample_of(&chronicle->failovers[i], &samples[count]);
    bool ok = failover_stats_make(samples, count, &chronicle->stats);
    free(samples);
    return ok;
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How long each led, as far as the window goes, and how often that changed. */
static bool measure_tenures(struct chronicle *chronicle)
{
    int64_t *lengths = calloc(chronicle->stretch_count + 1, sizeof *lengths), watched_us = 0, since_us = 0;
    size_t count = 0, changes = 0;
    if (!lengths)
        return false;
    for (size_t i = 0; i < chronicle->stretch_count; i++) {
        const struct chronicle_stretch *stretch = &chronicle->stretches[i];
        int64_t from_us = stretch->from_us > chronicle->from_us ? stretch->from_us : chronicle->from_us;
        int64_t to_us = stretch->to_us < chronicle->to_us ? stretch->to_us : chronicle->to_us;
        if (stretch->lane == LANE_UNKNOWN || to_us <= from_us)
            continue;
        watched_us += to_us - from_us;
        if (stretch->lane == LANE_NOBODY)
            continue;
        if (!stretch->goes_on || count == 0) {
            since_us = from_us;
            count++;
        }
        lengths[count - 1] = to_us - since_us;
    }
    for (size_t i = 0; i < chronicle->failover_count; i++)
        changes += chronicle->failovers[i].gap_us == 0;
    qsort(lengths, count, sizeof *lengths, by_length);
    chronicle->tenure_count = count;
    chronicle->tenure_p50_us = count ? lengths[(count - 1) / 2] : 0;
    chronicle->tenure_max_us = count ? lengths[count - 1] : 0;
    chronicle->changes_per_hour = failover_rate(changes, watched_us);
    free(lengths);
    return true;
}

bool chronicle_read(struct chronicle *chronicle, struct history *history, const char *cluster,
                    const char *election, int64_t from_us, int64_t to_us, char **error)
{
    struct reading reading = {.chronicle = chronicle};
    const struct history_filter filter = {.cluster = cluster, .election = election};
    *chronicle = (struct chronicle){.from_us = from_us, .to_us = to_us};
    *error = NULL;
    bool ok = history_stretches(history, cluster, election, from_us, to_us, on_stretch, &reading, error) &&
              history_failovers(history, &filter, from_us, to_us, on_failover, &reading, error) &&
              history_clocks(history, on_clock, chronicle, error) && !reading.failed &&
              sort_leaders(chronicle) && measure_tenures(chronicle);
    /* What is not gathered counts all the same. */
    ok = ok && (chronicle->failover_count == CHRONICLE_MOST
                    ? history_statistics(history, &filter, from_us, to_us, &chronicle->stats, error)
                    : make_stats(chronicle));
    lookup_free(&reading.leaders);
    free(reading.led);
    if (!ok) {
        chronicle_clear(chronicle);
        if (!*error)
            *error = strdup("out of memory");
    }
    return ok;
}

void chronicle_clear(struct chronicle *chronicle)
{
    for (size_t i = 0; i < chronicle->leader_count; i++)
        free(chronicle->leaders[i].who);
    for (size_t i = 0; i < chronicle->failover_count; i++)
        failover_release(&chronicle->failovers[i]);
    free(chronicle->leaders);
    free(chronicle->stretches);
    free(chronicle->failovers);
    *chronicle = (struct chronicle){0};
}

uint32_t chronicle_lane(const struct chronicle *chronicle, const char *identity, const char *name)
{
    const char *who = identity ? identity : name;
    for (size_t i = 0; who && i < chronicle->leader_count; i++)
        if (strcmp(chronicle->leaders[i].who, who) == 0)
            return (uint32_t)i;
    return LANE_UNKNOWN;
}

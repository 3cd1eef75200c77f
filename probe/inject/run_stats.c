#include "probe/inject/run_stats.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/election/recipe.h"

#define FINE (1 << HISTOGRAM_FINE_BITS)

static size_t histogram_bucket_of(int64_t us)
{
    uint64_t value = us < 0 ? 0 : (uint64_t)us;
    if (value >> 40)
        return HISTOGRAM_BUCKETS - 1;
    unsigned doublings = 0;
    while (value >> doublings >= 2 * FINE)
        doublings++;
    return ((size_t)doublings << HISTOGRAM_FINE_BITS) + (size_t)(value >> doublings);
}

void histogram_bucket(size_t i, int64_t *low_us, int64_t *high_us)
{
    unsigned doublings = i < 2 * FINE ? 0 : (unsigned)(i >> HISTOGRAM_FINE_BITS) - 1;
    int64_t step = (int64_t)(i - ((size_t)doublings << HISTOGRAM_FINE_BITS));
    *low_us = step << doublings;
    *high_us = ((step + 1) << doublings) - 1;
}

void histogram_add(struct histogram *h, int64_t us)
{
    us = us < 0 ? 0 : us;
    h->least_us = h->count == 0 || us < h->least_us ? us : h->least_us;
    h->most_us = us > h->most_us ? us : h->most_us;
    h->sum_us += us;
    h->count++;
    h->buckets[histogram_bucket_of(us)]++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
    if (other->count == 0)
        return;
    h->least_us = h->count == 0 || other->least_us < h->least_us ? other->least_us : h->least_us;
    h->most_us = other->most_us > h->most_us ? other->most_us : h->most_us;
    h->sum_us += other->sum_us;
    h->count += other->count;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        h->buckets[i] += other->buckets[i];
}

int64_t histogram_percentile(const struct histogram *h, double fraction)
{
    if (h->count == 0)
        return 0;
    double exact = fraction * (double)h->count;
    uint64_t rank = (uint64_t)exact, seen = 0;
    rank += (double)rank < exact || rank == 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen >= rank) {
            int64_t low_us, high_us;
            histogram_bucket(i, &low_us, &high_us);
            return high_us < h->most_us ? high_us : h->most_us;
        }
    }
    return h->most_us;
}

void run_stats_init(struct run_stats *t)
{
    *t = (struct run_stats){.leader = RUN_STATS_NOBODY, .number = SEQUENCE_NONE};
}

void run_stats_free(struct run_stats *t)
{
    free(t->all);
    free(t->failovers);
}

void run_stats_enter(struct run_stats *t, uint64_t due_us)
{
    room_for_one(&t->all, t->count, &t->room, sizeof *t->all);
    t->all[t->count++] = (struct candidate_stats){.due_us = due_us, .state = CANDIDATE_JOINING};
    t->by_state[CANDIDATE_JOINING]++;
    t->yet_to_stand++;
}

void run_stats_leave(struct run_stats *t)
{
    t->by_state[t->all[--t->count].state]--;
    t->yet_to_stand--;
}

/* ---- failovers ---- */

static struct crowd_failover *open_one(const struct run_stats *t)
{
    return t->open ? &t->failovers[t->failover_count - 1] : NULL;
}

static void run_stats_begin(struct run_stats *t, const struct crowd_failover *failover)
{
    room_for_one(&t->failovers, t->failover_count, &t->failover_room, sizeof *t->failovers);
    t->failovers[t->failover_count++] = *failover;
    t->open = true;
    t->death_notices = t->notices;
    t->death_requests = t->requests;
}

void run_stats_death(struct run_stats *t, enum kill_mode how, uint64_t due_us, uint64_t now_us)
{
    run_stats_begin(t, &(struct crowd_failover){.from = t->number,
                                                .to = SEQUENCE_NONE,
                                                .how = how,
                                                .planned = true,
                                                .due_us = due_us,
                                                .dead_us = now_us});
}

void run_stats_survived(struct run_stats *t)
{
    t->failover_count -= t->open;
    t->open = false;
    t->survived++;
}

bool run_stats_has_led(const struct run_stats *t)
{
    const struct crowd_failover *f = open_one(t);
    return f && f->led_us;
}

bool run_stats_settle(struct run_stats *t, bool anyway)
{
    struct crowd_failover *f = open_one(t);
    if (!f || (!anyway && (f->led_us == 0 || t->under_way > 0)))
        return false;
    f->notices = t->notices - t->death_notices;
    f->requests = t->requests - t->death_requests;
    if (f->led_us && f->planned)
        histogram_add(&t->to_fail_over, (int64_t)(f->led_us - f->due_us));
    t->unplanned += !f->planned;
    t->open = false;
    return true;
}

/* A candidate leads by its own knowledge. */
static void leads(struct run_stats *t, size_t i, const struct candidacy *c, uint64_t now_us)
{
    if (!t->open && t->number != SEQUENCE_NONE && c->own != t->number)
        run_stats_begin(t, &(struct crowd_failover){.from = t->number,
                                                    .to = SEQUENCE_NONE,
                                                    .due_us = t->lost_us ? t->lost_us : now_us,
                                                    .dead_us = t->lost_us ? t->lost_us : now_us});
    struct crowd_failover *f = open_one(t);
    if (f && c->own != f->from) {
        f->to = c->own;
        f->first_us = f->first_us ? f->first_us : now_us;
        f->reported_us = f->reported_us ? f->reported_us : now_us;
        if (c->acknowledged && !f->led_us)
            f->led_us = now_us;
    }
    t->leader = i;
    t->number = c->own;
    t->acknowledged = c->acknowledged;
    t->lost_us = 0;
}

void run_stats_changed(struct run_stats *t, size_t i, const struct candidacy *c, uint64_t now_us)
{
    struct candidate_stats *s = &t->all[i];
    t->by_state[s->state]--;
    t->by_state[c->state]++;
    s->state = (uint8_t)c->state;
    if (s->due_us && (c->state == CANDIDATE_WAITING || c->state == CANDIDATE_LEADING)) {
        histogram_add(&t->to_stand, (int64_t)(now_us - s->due_us));
        s->due_us = 0;
        t->yet_to_stand--;
    }
    if (s->first_us && c->own == SEQUENCE_NONE) {
        uint64_t us = now_us - s->first_us;
        t->first_most_us = us > t->first_most_us ? us : t->first_most_us;
        s->first_us = 0;
    }
    if (c->state == CANDIDATE_LEADING) {
        leads(t, i, c, now_us);
    } else if (t->leader == i) {
        t->leader = RUN_STATS_NOBODY;
        t->lost_us = now_us;
    }
}

void run_stats_positioned(struct run_stats *t, size_t i, bool first, uint64_t now_us)
{
    if (first && t->all[i].first_us == 0)
        t->all[i].first_us = now_us;
}

/* ---- counters ---- */

void run_stats_asked(struct run_stats *t, enum candidate_ask what)
{
    t->requests++;
    t->under_way++;
    t->lists += what == ASK_LOOK || what == ASK_LOOK_AND_WATCH;
    t->creates += what == ASK_CREATE || what == ASK_ORPHAN || what == ASK_CONTEND || what == ASK_ACK ||
                  what == ASK_DIRECTORY || what == ASK_ACK_DIRECTORY;
    t->deletes += what == ASK_DELETE || what == ASK_ACK_GONE;
}

void run_stats_answered(struct run_stats *t)
{
    t->under_way -= t->under_way > 0;
}

void run_stats_noticed(struct run_stats *t, int64_t number, uint64_t now_us)
{
    t->notices++;
    struct crowd_failover *f = open_one(t);
    /* A child watch names no znode: the first one after the death belongs to it. */
    if (f && !f->reported_us && (number == f->from || number == SEQUENCE_NONE))
        f->reported_us = now_us;
}

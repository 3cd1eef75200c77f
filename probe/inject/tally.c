#include "probe/inject/tally.h"

#include <stdlib.h>

#include "config/room.h"
#include "probe/election/recipe.h"

void tally_init(struct tally *t)
{
    *t = (struct tally){.leader = TALLY_NOBODY, .number = SEQUENCE_NONE};
}

void tally_free(struct tally *t)
{
    free(t->all);
    free(t->failovers);
}

bool tally_enter(struct tally *t, uint64_t due_us)
{
    if (!room_for_one(&t->all, t->count, &t->room, sizeof *t->all))
        return false;
    t->all[t->count++] = (struct standing){.due_us = due_us, .state = CANDIDATE_JOINING};
    t->by_state[CANDIDATE_JOINING]++;
    t->yet_to_stand++;
    return true;
}

void tally_leave(struct tally *t)
{
    t->by_state[t->all[--t->count].state]--;
    t->yet_to_stand--;
}

/* ---- failovers ---- */

static struct crowd_failover *open_one(const struct tally *t)
{
    return t->open ? &t->failovers[t->failover_count - 1] : NULL;
}

static void begin(struct tally *t, const struct crowd_failover *failover)
{
    if (!room_for_one(&t->failovers, t->failover_count, &t->failover_room, sizeof *t->failovers))
        return; /* one that is not counted */
    t->failovers[t->failover_count++] = *failover;
    t->open = true;
    t->death_notices = t->notices;
    t->death_requests = t->requests;
}

void tally_death(struct tally *t, enum departure how, uint64_t due_us, uint64_t now_us)
{
    begin(t, &(struct crowd_failover){.from = t->number,
                                      .to = SEQUENCE_NONE,
                                      .how = how,
                                      .planned = true,
                                      .due_us = due_us,
                                      .dead_us = now_us});
}

void tally_survived(struct tally *t)
{
    t->failover_count -= t->open;
    t->open = false;
    t->survived++;
}

bool tally_has_led(const struct tally *t)
{
    const struct crowd_failover *f = open_one(t);
    return f && f->led_us;
}

bool tally_settle(struct tally *t, bool anyway)
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

/* Somebody leads by its own knowledge. */
static void leads(struct tally *t, size_t i, const struct candidacy *c, uint64_t now_us)
{
    if (!t->open && t->number != SEQUENCE_NONE && c->own != t->number)
        begin(t, &(struct crowd_failover){.from = t->number,
                                          .to = SEQUENCE_NONE,
                                          .due_us = t->lost_us ? t->lost_us : now_us,
                                          .dead_us = t->lost_us ? t->lost_us : now_us});
    struct crowd_failover *f = open_one(t);
    if (f && c->own != f->from) {
        f->to = c->own;
        f->first_us = f->first_us ? f->first_us : now_us;
        f->told_us = f->told_us ? f->told_us : now_us;
        if (c->acknowledged && !f->led_us)
            f->led_us = now_us;
    }
    t->leader = i;
    t->number = c->own;
    t->acknowledged = c->acknowledged;
    t->lost_us = 0;
}

void tally_changed(struct tally *t, size_t i, const struct candidacy *c, uint64_t now_us)
{
    struct standing *s = &t->all[i];
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
        t->leader = TALLY_NOBODY;
        t->lost_us = now_us;
    }
}

void tally_placed(struct tally *t, size_t i, bool first, uint64_t now_us)
{
    if (first && t->all[i].first_us == 0)
        t->all[i].first_us = now_us;
}

/* ---- counters ---- */

void tally_asked(struct tally *t, enum candidate_ask what)
{
    t->requests++;
    t->under_way++;
    t->lists += what == ASK_LOOK || what == ASK_LOOK_AND_WATCH;
    t->creates += what == ASK_CREATE || what == ASK_ORPHAN || what == ASK_CONTEND || what == ASK_MARK ||
                  what == ASK_DIRECTORY || what == ASK_MARK_DIRECTORY;
    t->deletes += what == ASK_DELETE || what == ASK_MARK_GONE;
}

void tally_answered(struct tally *t)
{
    t->under_way -= t->under_way > 0;
}

void tally_noticed(struct tally *t, int64_t number, uint64_t now_us)
{
    t->notices++;
    struct crowd_failover *f = open_one(t);
    /* A child watch names nobody: the first one after the death is its. */
    if (f && !f->told_us && (number == f->from || number == SEQUENCE_NONE))
        f->told_us = now_us;
}

#include "probe/inject/crowd_deaths.h"

#include "probe/inject/crew.h"
#include "probe/inject/crowd_state.h"

/*
 * After this long without coming to rest a failover that has led is told all the same. Where none but leaders
 * die all that is under way is of their deaths, and a herd of thousands takes its time.
 */
#define SETTLE_US 1000000
#define SETTLE_LEADER_US 30000000
/*
 * All is at rest once nothing was asked or told for so long, over so many ticks: the next one may lead before
 * the others of a herd have even been told, and a program that was held up sees the time pass before what has
 * come in.
 */
#define REST_US 10000
#define REST_TICKS 3
/* ... where all are told at once: a server may be held up for longer before it has told them all. */
#define HERD_REST_US 200000
/* Who returns waits at most so long for a failover to be over. */
#define RETURN_WAITS_US 1000000
/* Whoever still leads so long after a pause was not missed. */
#define SURVIVED_US 200000

static uint64_t now_us(void)
{
    return uv_hrtime() / 1000;
}

/* ---- single candidates ---- */

static void failover_over(struct crowd *crowd)
{
    const struct tally *tally = &crowd->tally;
    if (crowd->listener.failed_over)
        crowd->listener.failed_over(crowd->context, &tally->failovers[tally->failover_count - 1]);
}

static bool depart(struct crowd *crowd, size_t i, enum departure how, uint64_t due)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i),
                          *leader = crowd_candidate_at(crowd, crowd->tally.leader);
    if (!t || crew_machine(t)->state == CANDIDATE_GONE || crew_paused(crew_of(t)) ||
        (how == DEPART_RESIGN && !crew_machine(t)->standing))
        return false;
    bool leads = leader && (leader == t || (how != DEPART_RESIGN && crew_of(leader) == crew_of(t)));
    /* Another one leads already, though not all have settled down: its death is one of its own. */
    if (leads && tally_has_led(&crowd->tally) && tally_settle(&crowd->tally, true))
        failover_over(crowd);
    if (leads && !crowd->tally.open)
        tally_death(&crowd->tally, how, due, now_us());
    if (leads)
        crowd->resumed_us = 0;
    test_candidate_depart(t, how);
    return true;
}

bool crowd_kill(struct crowd *crowd, size_t i, enum departure how)
{
    return !crowd->ending && depart(crowd, i, how, now_us());
}

bool crowd_resume(struct crowd *crowd, size_t i)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i);
    if (!t || crowd->ending || !crew_paused(crew_of(t)))
        return false;
    crew_resume(crew_of(t));
    crowd->resumed_us = now_us();
    return true;
}

bool crowd_volunteer(struct crowd *crowd, size_t i)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i);
    if (!t || crowd->ending || crew_machine(t)->standing)
        return false;
    bool alone = crew_session(crew_of(t)) != NULL;
    size_t first = alone ? i : i / crowd->per_session * crowd->per_session;
    /* Whose session has ended comes back with all that were on it. */
    for (size_t j = first; j < (alone ? i + 1 : first + crew_count(crew_of(t))); j++)
        crew_volunteer(crowd_candidate_at(crowd, j));
    return true;
}

/* ---- by the schedule ---- */

static uint64_t random_next(struct crowd *crowd)
{
    uint64_t z = crowd->random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t victim(struct crowd *crowd)
{
    if (crowd->options.victim == VICTIM_LEADER) {
        const struct test_candidate *leader = crowd_candidate_at(crowd, crowd->tally.leader);
        bool mute = leader && crowd_casting_at(crowd, crowd->tally.leader)->rules.manner->is_mute;
        return leader && (crowd->tally.acknowledged || mute) && !crew_paused(crew_of(leader))
                   ? crowd->tally.leader
                   : SIZE_MAX;
    }
    for (int tries = 0; tries < 64 && crowd->entered > 0; tries++) {
        size_t i = (size_t)(random_next(crowd) % crowd->entered);
        enum candidate_state state = crew_machine(crowd_candidate_at(crowd, i))->state;
        if ((state == CANDIDATE_WAITING || state == CANDIDATE_LEADING) &&
            !crew_paused(crew_of(crowd_candidate_at(crowd, i))))
            return i;
    }
    return SIZE_MAX;
}

void crowd_let_die(struct crowd *crowd, uint64_t time_us)
{
    if (crowd->options.victim == VICTIM_NOBODY ||
        !death_schedule_is_due(&crowd->deaths, crowd->stood_us, time_us))
        return;
    bool waits = crowd->tally.open && crowd->tally.failovers[crowd->tally.failover_count - 1].planned &&
                 crowd->options.victim == VICTIM_LEADER;
    size_t i = waits ? SIZE_MAX : victim(crowd);
    enum death_obstacle obstacle = waits ? OBSTACLE_FAILOVER : i == SIZE_MAX ? OBSTACLE_NOBODY : OBSTACLES;
    uint64_t due_us = death_schedule_take(&crowd->deaths, obstacle, time_us);
    if (i != SIZE_MAX && depart(crowd, i, crowd->options.how, due_us))
        death_schedule_died(&crowd->deaths, i, crowd->options.how, due_us, time_us);
}

/* What one asks that stands again would be taken for a part of the failover that is under way: it waits a
 * little. */
void crowd_let_return(struct crowd *crowd, uint64_t time_us)
{
    size_t i;
    enum departure how;
    const struct tally *tally = &crowd->tally;
    bool waits = tally->open && crowd->options.how != DEPART_PAUSE && tally->by_state[CANDIDATE_WAITING] > 0;
    uint64_t until_us = waits ? time_us - RETURN_WAITS_US : time_us;
    while (death_schedule_returns(&crowd->deaths, until_us, &i, &how))
        if (how == DEPART_PAUSE)
            crowd_resume(crowd, i);
        else
            crowd_volunteer(crowd, i);
}

void crowd_hold(struct crowd *crowd, bool hold)
{
    death_schedule_hold(&crowd->deaths, hold);
}

/* ---- when a failover is over ---- */

/* A death is told to more than one. */
static bool is_herd(const struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->options.part_count; i++) {
        enum whom watched = behaviour_manner(crowd->options.parts[i].behaviour)->watches;
        if (watched == WHOM_LEADER || watched == WHOM_CHILDREN)
            return true;
    }
    return false;
}

static bool is_at_rest(struct crowd *crowd, uint64_t time_us)
{
    const struct tally *tally = &crowd->tally;
    uint64_t count = tally->requests + tally->notices;
    if (tally->under_way > 0 || count != crowd->rest_count) {
        crowd->rest_count = count;
        crowd->rest_us = time_us;
        crowd->rest_ticks = 0;
        return false;
    }
    return ++crowd->rest_ticks >= REST_TICKS &&
           time_us >= crowd->rest_us + (is_herd(crowd) ? HERD_REST_US : REST_US);
}

void crowd_settle_failover(struct crowd *crowd, uint64_t time_us)
{
    struct tally *tally = &crowd->tally;
    if (!tally->open)
        return;
    const struct crowd_failover *failover = &tally->failovers[tally->failover_count - 1];
    if (crowd->resumed_us && time_us > crowd->resumed_us + SURVIVED_US && tally->number == failover->from &&
        tally->leader != TALLY_NOBODY && !crew_paused(crew_of(crowd_candidate_at(crowd, tally->leader)))) {
        tally_survived(tally);
        return;
    }
    uint64_t patience_us = crowd->options.victim == VICTIM_LEADER ? SETTLE_LEADER_US : SETTLE_US;
    bool late = failover->led_us && time_us > failover->led_us + patience_us;
    /* One that never acknowledges would keep the next from dying for ever. */
    bool mute = failover->first_us && tally->leader != TALLY_NOBODY &&
                crowd_casting_at(crowd, tally->leader)->rules.manner->is_mute;
    bool rests = is_at_rest(crowd, time_us);
    if ((!rests && !late && !mute) || !tally_settle(tally, late || mute))
        return;
    death_schedule_not_before(&crowd->deaths, time_us);
    failover_over(crowd);
}

void crowd_break_off(struct crowd *crowd)
{
    struct tally *tally = &crowd->tally;
    struct crowd_failover *failover = tally->open ? &tally->failovers[tally->failover_count - 1] : NULL;
    death_schedule_end(&crowd->deaths);
    if (!failover || !failover->planned)
        return;
    failover->broken_off = tally->under_way > 0 || failover->led_us == 0;
    tally_settle(tally, true);
    failover_over(crowd);
}

#include "probe/inject/crowd_kills.h"

#include "probe/candidate/candidate_session.h"
#include "probe/inject/crowd_state.h"

/*
 * A failover that has a leader but has not come to rest after this long is reported anyway. Where only
 * leaders die, all requests under way belong to their deaths, and a herd of thousands takes its time.
 */
#define SETTLE_US 1000000
#define SETTLE_LEADER_US 30000000
/*
 * All is at rest once nothing was requested or notified for so long, over so many ticks: the next leader may
 * lead before the others of a herd have been notified, and a stalled program sees time pass before it sees
 * its input.
 */
#define REST_US 10000
#define REST_TICKS 3
/* ... where all are notified at once: a server may pause for longer before it has notified them all. */
#define HERD_REST_US 200000
/* Who returns waits at most so long for a failover to be over. */
#define RETURN_WAITS_US 1000000
/* A leader that still leads so long after a pause was not missed. */
#define SURVIVED_US 200000

static uint64_t crowd_kills_now_us(void)
{
    return uv_hrtime() / 1000;
}

/* ---- single candidates ---- */

static void failover_over(struct crowd *crowd)
{
    const struct run_stats *stats = &crowd->stats;
    if (crowd->listener.failed_over)
        crowd->listener.failed_over(crowd->context, &stats->failovers[stats->failover_count - 1]);
}

static bool depart(struct crowd *crowd, size_t i, enum kill_mode how, uint64_t due)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i),
                          *leader = crowd_candidate_at(crowd, crowd->stats.leader);
    if (!t || candidate_session_machine(t)->state == CANDIDATE_GONE ||
        candidate_session_paused(candidate_session_of(t)) ||
        (how == KILL_RESIGN && !candidate_session_machine(t)->standing))
        return false;
    bool leads = leader && (leader == t ||
                            (how != KILL_RESIGN && candidate_session_of(leader) == candidate_session_of(t)));
    /* Another one leads already, though not all are at rest: its death is one of its own. */
    if (leads && run_stats_has_led(&crowd->stats) && run_stats_settle(&crowd->stats, true))
        failover_over(crowd);
    if (leads && !crowd->stats.open)
        run_stats_death(&crowd->stats, how, due, crowd_kills_now_us());
    if (leads)
        crowd->resumed_us = 0;
    test_candidate_depart(t, how);
    return true;
}

bool crowd_kill(struct crowd *crowd, size_t i, enum kill_mode how)
{
    return !crowd->ending && depart(crowd, i, how, crowd_kills_now_us());
}

bool crowd_resume(struct crowd *crowd, size_t i)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i);
    if (!t || crowd->ending || !candidate_session_paused(candidate_session_of(t)))
        return false;
    candidate_session_resume(candidate_session_of(t));
    crowd->resumed_us = crowd_kills_now_us();
    return true;
}

bool crowd_volunteer(struct crowd *crowd, size_t i)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i);
    if (!t || crowd->ending || candidate_session_machine(t)->standing)
        return false;
    bool alone = candidate_session_session(candidate_session_of(t)) != NULL;
    size_t first = alone ? i : i / crowd->per_session * crowd->per_session;
    /* Whose session has ended comes back with all that were on it. */
    for (size_t j = first; j < (alone ? i + 1 : first + candidate_session_count(candidate_session_of(t)));
         j++)
        candidate_session_volunteer(crowd_candidate_at(crowd, j));
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
        const struct test_candidate *leader = crowd_candidate_at(crowd, crowd->stats.leader);
        bool mute = leader && crowd_casting_at(crowd, crowd->stats.leader)->rules.manner->is_mute;
        return leader && (crowd->stats.acknowledged || mute) &&
                       !candidate_session_paused(candidate_session_of(leader))
                   ? crowd->stats.leader
                   : SIZE_MAX;
    }
    for (int tries = 0; tries < 64 && crowd->entered > 0; tries++) {
        size_t i = (size_t)(random_next(crowd) % crowd->entered);
        enum candidate_state state = candidate_session_machine(crowd_candidate_at(crowd, i))->state;
        if ((state == CANDIDATE_WAITING || state == CANDIDATE_LEADING) &&
            !candidate_session_paused(candidate_session_of(crowd_candidate_at(crowd, i))))
            return i;
    }
    return SIZE_MAX;
}

void crowd_let_die(struct crowd *crowd, uint64_t time_us)
{
    if (crowd->options.victim == VICTIM_NOBODY ||
        !kill_schedule_is_due(&crowd->deaths, crowd->stood_us, time_us))
        return;
    bool waits = crowd->stats.open && crowd->stats.failovers[crowd->stats.failover_count - 1].planned &&
                 crowd->options.victim == VICTIM_LEADER;
    size_t i = waits ? SIZE_MAX : victim(crowd);
    enum death_obstacle obstacle = waits ? OBSTACLE_FAILOVER : i == SIZE_MAX ? OBSTACLE_NOBODY : OBSTACLES;
    uint64_t due_us = kill_schedule_take(&crowd->deaths, obstacle, time_us);
    if (i != SIZE_MAX && depart(crowd, i, crowd->options.how, due_us))
        kill_schedule_died(&crowd->deaths, i, crowd->options.how, due_us, time_us);
}

/* Requests of a returning candidate would be taken for a part of the failover under way: it waits a
 * little. */
void crowd_let_return(struct crowd *crowd, uint64_t time_us)
{
    size_t i;
    enum kill_mode how;
    const struct run_stats *stats = &crowd->stats;
    bool waits = stats->open && crowd->options.how != KILL_PAUSE && stats->by_state[CANDIDATE_WAITING] > 0;
    uint64_t until_us = waits ? time_us - RETURN_WAITS_US : time_us;
    while (kill_schedule_returns(&crowd->deaths, until_us, &i, &how))
        if (how == KILL_PAUSE)
            crowd_resume(crowd, i);
        else
            crowd_volunteer(crowd, i);
}

void crowd_hold(struct crowd *crowd, bool hold)
{
    kill_schedule_hold(&crowd->deaths, hold);
}

/* ---- when a failover is over ---- */

/* A death notifies more than one. */
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
    const struct run_stats *stats = &crowd->stats;
    uint64_t count = stats->requests + stats->notices;
    if (stats->under_way > 0 || count != crowd->rest_count) {
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
    struct run_stats *stats = &crowd->stats;
    if (!stats->open)
        return;
    const struct crowd_failover *failover = &stats->failovers[stats->failover_count - 1];
    if (crowd->resumed_us && time_us > crowd->resumed_us + SURVIVED_US && stats->number == failover->from &&
        stats->leader != RUN_STATS_NOBODY &&
        !candidate_session_paused(candidate_session_of(crowd_candidate_at(crowd, stats->leader)))) {
        run_stats_survived(stats);
        return;
    }
    uint64_t patience_us = crowd->options.victim == VICTIM_LEADER ? SETTLE_LEADER_US : SETTLE_US;
    bool late = failover->led_us && time_us > failover->led_us + patience_us;
    /* One that never acknowledges would keep the next from dying for ever. */
    bool mute = failover->first_us && stats->leader != RUN_STATS_NOBODY &&
                crowd_casting_at(crowd, stats->leader)->rules.manner->is_mute;
    bool rests = is_at_rest(crowd, time_us);
    if ((!rests && !late && !mute) || !run_stats_settle(stats, late || mute))
        return;
    kill_schedule_not_before(&crowd->deaths, time_us);
    failover_over(crowd);
}

void crowd_break_off(struct crowd *crowd)
{
    struct run_stats *stats = &crowd->stats;
    struct crowd_failover *failover = stats->open ? &stats->failovers[stats->failover_count - 1] : NULL;
    kill_schedule_end(&crowd->deaths);
    if (!failover || !failover->planned)
        return;
    failover->broken_off = stats->under_way > 0 || failover->led_us == 0;
    run_stats_settle(stats, true);
    failover_over(crowd);
}

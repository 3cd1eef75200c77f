#include "probe/inject/crowd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/naming.h"
#include "probe/candidate/shared_list.h"
#include "probe/candidate/test_candidate.h"
#include "probe/inject/kill_schedule.h"
#include "probe/inject/run_stats.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/descriptor_poll.h"

struct crowd {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct run_options options;
    struct candidate_options candidates[1 + BEHAVIOUR_SHARES_MOST]; /* the recipe's, and of each share */
    struct crowd_listener listener;
    void *context;
    struct candidate_session_options candidate_session_options;
    struct connect_limiter *limiter;
    struct descriptor_poll *poller;
    struct shared_list *shared_list; /* NULL: everybody reads for itself */
    struct run_stats stats;

    size_t per_session, wanted, entered;
    struct candidate_session **sessions;
    size_t candidate_session_count, session_room;
    size_t connecting, connected; /* sessions */
    uint64_t begun_us, stood_us, lost, expired;
    uint64_t paced_us; /* since when the rate brings them on: the beginning, until more are added */
    uint64_t random;
    char *problem;

    bool content;        /* with the candidates in line */
    bool closed;         /* no more are added for now */
    bool doubted;        /* one leads while another believes that it does, too */
    uint64_t resumed_us; /* when the last pause ended; 0: none since the last death */
    uint64_t rest_us,
        rest_count; /* time of the latest request or notification, and their number until then */
    int rest_ticks;
    struct kill_schedule deaths;

    void (*ended)(void *context, size_t left_to_expire);
    bool ending;
    uint64_t ending_us;
    size_t ended_count, left_to_expire;
};

/* NULL: there is none yet. */
static struct test_candidate *crowd_candidate_at(const struct crowd *crowd, size_t i)
{
    return i < crowd->entered
               ? candidate_session_candidate(crowd->sessions[i / crowd->per_session], i % crowd->per_session)
               : NULL;
}

/* By the behaviour's share. Evenly mixed: among any few that follow each other every behaviour has its
 * share. */
static const struct candidate_options *crowd_candidate_options(const struct crowd *crowd, size_t i)
{
    uint64_t turn = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + crowd->options.seed; /* the golden ratio */
    double at = (double)(turn >> 11) / 9007199254740992.0 * 100;
    for (size_t share = 0; share < crowd->options.share_count; share++) {
        at -= crowd->options.shares[share].percent;
        if (at < 0)
            return &crowd->candidates[share + 1];
    }
    return &crowd->candidates[0];
}

static bool crowd_candidate_is_mute(const struct crowd *crowd, size_t i)
{
    return behaviour_rules_of(crowd_candidate_options(crowd, i)->behaviour)->is_mute;
}

/*
 * A failover that has a leader but has not come to rest after this long is reported anyway. Where only
 * leaders die, all requests under way belong to their deaths, and a herd of thousands takes its time.
 */
#define SETTLE_US 1000000
#define SETTLE_LEADER_US 30000000
/*
 * The crowd is at rest after this time and this number of ticks without a request or notification: the next
 * leader may lead before the others of a herd have been notified, and a stalled program sees time pass before
 * it sees its input.
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

static bool kill_now(struct crowd *crowd, size_t i, enum kill_mode how, uint64_t due)
{
    struct test_candidate *t = crowd_candidate_at(crowd, i),
                          *leader = crowd_candidate_at(crowd, crowd->stats.leader);
    if (!t || test_candidate_candidacy(t)->state == CANDIDATE_GONE ||
        candidate_session_paused(candidate_session_of(t)) ||
        (how == KILL_RESIGN && !test_candidate_candidacy(t)->volunteers))
        return false;
    bool leads = leader && (leader == t ||
                            (how != KILL_RESIGN && candidate_session_of(leader) == candidate_session_of(t)));
    /* Another one leads already, though not all are at rest: its kill counts separately. */
    if (leads && run_stats_has_led(&crowd->stats) && run_stats_settle(&crowd->stats, true))
        failover_over(crowd);
    if (leads && !crowd->stats.open)
        run_stats_death(&crowd->stats, how, due, crowd_kills_now_us());
    if (leads)
        crowd->resumed_us = 0;
    test_candidate_kill(t, how);
    return true;
}

bool crowd_kill(struct crowd *crowd, size_t i, enum kill_mode how)
{
    return !crowd->ending && kill_now(crowd, i, how, crowd_kills_now_us());
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
    if (!t || crowd->ending || test_candidate_candidacy(t)->volunteers)
        return false;
    bool alone = candidate_session_session(candidate_session_of(t)) != NULL;
    size_t first = alone ? i : i / crowd->per_session * crowd->per_session;
    /* Whose session has ended comes back with all that were on it. */
    for (size_t j = first; j < (alone ? i + 1 : first + candidate_session_count(candidate_session_of(t)));
         j++)
        test_candidate_volunteer(crowd_candidate_at(crowd, j));
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
        bool mute = leader && crowd_candidate_is_mute(crowd, crowd->stats.leader);
        return leader && (crowd->stats.acknowledged || mute) &&
                       !candidate_session_paused(candidate_session_of(leader))
                   ? crowd->stats.leader
                   : SIZE_MAX;
    }
    for (int tries = 0; tries < 64 && crowd->entered > 0; tries++) {
        size_t i = (size_t)(random_next(crowd) % crowd->entered);
        enum candidate_state state = test_candidate_candidacy(crowd_candidate_at(crowd, i))->state;
        if ((state == CANDIDATE_WAITING || state == CANDIDATE_LEADING) &&
            !candidate_session_paused(candidate_session_of(crowd_candidate_at(crowd, i))))
            return i;
    }
    return SIZE_MAX;
}

static uint64_t due_us(const struct crowd *crowd);
/* ... second: kills those whose time has come. */
static void crowd_let_die(struct crowd *crowd, uint64_t time_us)
{
    if (crowd->options.victim == VICTIM_NOBODY ||
        !kill_schedule_is_due(&crowd->deaths, crowd->stood_us, time_us))
        return;
    bool waits = crowd->stats.open && crowd->stats.failovers[crowd->stats.failover_count - 1].planned &&
                 crowd->options.victim == VICTIM_LEADER;
    size_t i = waits ? SIZE_MAX : victim(crowd);
    enum death_obstacle obstacle = waits ? OBSTACLE_FAILOVER : i == SIZE_MAX ? OBSTACLE_NOBODY : OBSTACLES;
    uint64_t due_us = kill_schedule_take(&crowd->deaths, obstacle, time_us);
    if (i != SIZE_MAX && kill_now(crowd, i, crowd->options.how, due_us))
        kill_schedule_died(&crowd->deaths, i, crowd->options.how, due_us, time_us);
}

/* Requests of a returning candidate would be taken for a part of the failover under way: it waits a
 * little. */
/* ... third: brings back those whose absence is over. */
static void crowd_let_return(struct crowd *crowd, uint64_t time_us)
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
    for (size_t i = 0; i < crowd->options.share_count; i++) {
        enum whom watched = behaviour_rules_of(crowd->options.shares[i].behaviour)->watches;
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

/* At each tick, first: ends the failover under way if it is over. */
static void crowd_settle_failover(struct crowd *crowd, uint64_t time_us)
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
                crowd_candidate_is_mute(crowd, stats->leader);
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

/*
 * crowd.c - see crowd.h. A tick of a few milliseconds adds candidates, kills them and brings them back
 * (crowd_kill() and those below it), and ends them; the statistics record all of it.
 */

#define TICK_MS 5
/* Sessions that may be connecting at once: those that the limiter admits, and enough waiting for a long turn. */
#define CONNECTING_MOST 120
/* Requests under way above which no candidate is added: the servers are busy enough. */
#define UNDER_WAY_MOST 4000
/* Of one tick, so that the loop gets its turn: candidates brought on, sessions ended. */
#define ENTRIES_A_TICK 500
#define ENDS_A_TICK 100
/* So long may those who are just beginning hold off the end. */
#define AWAIT_US 1000000
/* This many failures in a row, while others are connected, mean a limit. */
#define TURNED_AWAY 5

static uint64_t crowd_now_us(void)
{
    return uv_hrtime() / 1000;
}

static void crowd_on_tick(uv_timer_t *);

static void tick_at_once(struct crowd *crowd)
{
    if (!uv_is_active((uv_handle_t *)crowd->timer) || uv_timer_get_due_in(crowd->timer) > 0)
        uv_timer_start(crowd->timer, crowd_on_tick, 0, 0);
}

/* ---- callbacks of the sessions ---- */

static void crowd_on_changed(void *context, struct test_candidate *t)
{
    struct crowd *crowd = context;
    size_t i = test_candidate_tag(t);
    if (i >= crowd->entered || crowd->ending)
        return; /* about to be: it is counted once it is; or on its way out, which is not counted */
    size_t before = crowd->stats.leader;
    run_stats_changed(&crowd->stats, i, test_candidate_candidacy(t), crowd_now_us());
    if (crowd->stats.leader == i && before != i && before != RUN_STATS_NOBODY) {
        crowd->doubted = true;
        tick_at_once(crowd);
    }
    if (crowd->stats.yet_to_stand == 0 && crowd->stood_us == 0)
        tick_at_once(crowd); /* all of the first ones may be in line now */
    if (crowd->listener.changed)
        crowd->listener.changed(crowd->context, i, test_candidate_candidacy(t)->state);
}

static void on_positioned(void *context, struct test_candidate *t, const struct line_position *position)
{
    struct crowd *crowd = context;
    if (crowd->candidates[0].never_leads && test_candidate_tag(t) < crowd->entered)
        run_stats_positioned(&crowd->stats, test_candidate_tag(t),
                             position->in_line && !position->predecessor.name, crowd_now_us());
}

static void on_asked(void *context, enum candidate_ask what)
{
    struct crowd *crowd = context;
    run_stats_asked(&crowd->stats, what);
}

static void on_answered(void *context, enum session_result result)
{
    (void)result;
    struct crowd *crowd = context;
    run_stats_answered(&crowd->stats);
    if (crowd->stats.open && crowd->stats.under_way == 0 && !crowd->ending)
        tick_at_once(crowd); /* it may be over */
}

static void on_noticed(void *context, int64_t number)
{
    struct crowd *crowd = context;
    run_stats_noticed(&crowd->stats, number, crowd_now_us());
}

static void crowd_set_problem(struct crowd *crowd, const char *text)
{
    if (!text || (crowd->problem && strcmp(crowd->problem, text) == 0))
        return;
    free(crowd->problem);
    crowd->problem = xstrdup(text);
}

/* Some are in, and the next ones are turned away again and again, without a word of why. */
static void name_limit(struct crowd *crowd)
{
    if (crowd->connected == 0 || connect_limiter_figures(crowd->limiter).failures_in_a_row < TURNED_AWAY)
        return;
    char text[160];
    snprintf(text, sizeof text,
             "at most %zu connections are accepted: the servers' maxClientCnxns, which all clients of this "
             "host share",
             crowd->connected);
    crowd_set_problem(crowd, text);
}

static void on_gave_up(void *context, const char *problem)
{
    struct crowd *crowd = context;
    if (crowd->ending)
        return;
    crowd->stats.errors++;
    crowd_set_problem(crowd, problem);
}

static void on_connection(void *context, struct candidate_session *candidate_session, bool was_connected,
                          enum connection_state state)
{
    struct crowd *crowd = context;
    bool is_connected = state == CONNECTION_CONNECTED;
    crowd->connected += is_connected;
    crowd->connected -= was_connected;
    crowd->connecting -= is_connected && !was_connected && crowd->connecting > 0;
    crowd->lost += was_connected && !is_connected &&
                   candidate_session_session(candidate_session); /* not by our own will */
    crowd->expired += state == CONNECTION_EXPIRED;
    if (!is_connected && !crowd->ending)
        crowd_set_problem(crowd, candidate_session_problem(candidate_session));
    if (crowd->entered < crowd->wanted && !crowd->ending)
        tick_at_once(crowd);
}

/* ---- bringing on ---- */

/* The session that the next candidate belongs to. */
static struct candidate_session *session_with_room(struct crowd *crowd, size_t at)
{
    if (at < crowd->candidate_session_count)
        return crowd->sessions[at];
    room_for_one(&crowd->sessions, crowd->candidate_session_count, &crowd->session_room,
                 sizeof(struct candidate_session *));
    struct candidate_session *candidate_session =
        candidate_session_new(&crowd->candidate_session_options, crowd->per_session);
    crowd->sessions[crowd->candidate_session_count++] = candidate_session;
    crowd->connecting++;
    return candidate_session;
}

/* When the next one is due by the rate asked for. */
static uint64_t due_us(const struct crowd *crowd)
{
    double rate = crowd->options.rate_per_s;
    return rate > 0 ? crowd->paced_us + (uint64_t)((double)crowd->entered * 1e6 / rate) : 0;
}

static void bring_on(struct crowd *crowd, uint64_t time_us)
{
    for (int entries = 0; !crowd->closed && crowd->entered < crowd->wanted && entries < ENTRIES_A_TICK;
         entries++) {
        size_t at = crowd->entered / crowd->per_session;
        uint64_t due = due_us(crowd);
        if (due > time_us || crowd->stats.under_way > UNDER_WAY_MOST ||
            (at == crowd->candidate_session_count && crowd->connecting >= CONNECTING_MOST))
            return;
        struct candidate_session *candidate_session = session_with_room(crowd, at);
        run_stats_enter(&crowd->stats, due ? due : time_us);
        size_t i = crowd->entered++; /* first: its requests are counted */
        if (!candidate_session_enter(candidate_session, crowd_candidate_options(crowd, i), (uint32_t)i)) {
            crowd->entered--;
            run_stats_leave(&crowd->stats);
            return;
        }
    }
}

/* ---- while they are in line ---- */

/*
 * In the recipe a leader is not notified when another client deletes its znode: it would be counted as a
 * candidate, and never return. A later leader shows that it must have gone.
 */
static void look_again(struct crowd *crowd)
{
    if (!crowd->doubted)
        return;
    crowd->doubted = false;
    for (size_t i = 0; i < crowd->entered; i++)
        if (i != crowd->stats.leader &&
            test_candidate_candidacy(crowd_candidate_at(crowd, i))->state == CANDIDATE_LEADING)
            test_candidate_look(crowd_candidate_at(crowd, i));
}

/* ---- ending ---- */

static void end_some(struct crowd *crowd)
{
    for (int ends = 0; ends < ENDS_A_TICK && crowd->ended_count < crowd->candidate_session_count; ends++) {
        struct candidate_session *candidate_session = crowd->sessions[crowd->ended_count];
        const struct session *session = candidate_session_session(candidate_session);
        bool awaited = session && session_is_awaited(session);
        if (awaited && !candidate_session_paused(candidate_session) &&
            crowd_now_us() < crowd->ending_us + AWAIT_US)
            break; /* once it has begun it can be ended */
        bool had = session && (awaited || session_id(session) != 0);
        crowd->left_to_expire += !candidate_session_close(candidate_session) && had;
        crowd->ended_count++;
    }
    if (crowd->ended_count < crowd->candidate_session_count) {
        uv_timer_start(crowd->timer, crowd_on_tick, 1, 0);
        return;
    }
    if (crowd->ended)
        crowd->ended(crowd->context, crowd->left_to_expire);
}

static void crowd_on_tick(uv_timer_t *timer)
{
    struct crowd *crowd = timer->data;
    uint64_t time_us = crowd_now_us();
    if (crowd->ending) {
        end_some(crowd);
        return;
    }
    bring_on(crowd, time_us);
    name_limit(crowd);
    look_again(crowd);
    if (crowd->stood_us == 0 && crowd->entered == crowd->wanted &&
        (crowd->stats.yet_to_stand == 0 || crowd->content)) {
        crowd->stood_us = time_us;
        if (crowd->listener.stood)
            crowd->listener.stood(crowd->context);
    }
    crowd_settle_failover(crowd, time_us);
    crowd_let_die(crowd, time_us);
    crowd_let_return(crowd, time_us);
    /* While nothing is to come a slower tick will do. */
    bool busy = crowd->entered < crowd->wanted || crowd->stood_us == 0 || crowd->stats.open ||
                crowd->options.victim != VICTIM_NOBODY || crowd->deaths.return_count > 0;
    uint64_t tick_ms = busy ? TICK_MS : 20 * TICK_MS, death_us = crowd->deaths.next_us;
    bool is_next = death_us > time_us && !crowd->deaths.held && death_us - time_us < tick_ms * 1000;
    /* The loop sleeps whole milliseconds from its own idea of now: brought up to date, it is not late. */
    uv_update_time(crowd->loop);
    uv_timer_start(timer, crowd_on_tick, is_next ? (death_us - time_us + 999) / 1000 : tick_ms, 0);
}

/* ---- beginning ---- */

/* The number of candidates that share a session: as many as are wanted, at most as many as one packet holds the
 * watches of. */
static size_t crowd_per_session(const struct run_options *options, const struct candidate_options *candidate)
{
    size_t name = name_longest(candidate->name ? candidate->name : ""),
           path = strlen(candidate->election) + 1 + name + 11 + 4,
           most = CANDIDATE_SESSION_WATCHED_MOST / path,
           wanted = options->per_session ? options->per_session : 1;
    return wanted < most ? wanted : most ? most : 1;
}

size_t crowd_sessions(const struct run_options *options, const struct candidate_options *candidate)
{
    size_t each = crowd_per_session(options, candidate);
    return (options->candidates + each - 1) / each;
}

static void crowd_set_candidates(struct crowd *crowd, const struct candidate_options *candidate)
{
    const struct run_options *options = &crowd->options;
    for (size_t i = 0; i <= options->share_count; i++) {
        struct candidate_options *one = &crowd->candidates[i];
        *one = *candidate;
        one->findable = name_is_unique(candidate->name ? candidate->name : "", crowd->per_session == 1);
        one->behaviour = i ? options->shares[i - 1].behaviour : BEHAVIOUR_RECIPE;
        one->slow_ms = i ? options->shares[i - 1].slow_ms : 0;
    }
}

static void crowd_set_session(struct crowd *crowd, const struct session_options *session)
{
    crowd->candidate_session_options = (struct candidate_session_options){
        .loop = crowd->loop,
        .session = *session,
        .listener = {.changed = crowd_on_changed,
                     .positioned = on_positioned,
                     .asked = on_asked,
                     .answered = on_answered,
                     .noticed = on_noticed,
                     .gave_up = on_gave_up,
                     .connection = on_connection},
        .context = crowd,
    };
    crowd->candidate_session_options.session.limiter = crowd->limiter;
    crowd->candidate_session_options.session.poller = crowd->poller;
    if (crowd->options.look == LOOK_SHARED && !crowd->candidates[0].lock)
        crowd->shared_list =
            shared_list_new(&crowd->candidate_session_options, crowd->candidates[0].election);
    crowd->candidate_session_options.shared_list = crowd->shared_list;
}

struct crowd *crowd_new(uv_loop_t *loop, const struct run_options *options,
                        const struct session_options *session, const struct candidate_options *candidate,
                        const struct crowd_listener *listener, void *context)
{
    struct crowd *crowd = xcalloc(1, sizeof *crowd);
    run_stats_init(&crowd->stats);
    crowd->loop = loop;
    crowd->options = *options;
    crowd->listener = *listener;
    crowd->context = context;
    crowd->random = options->seed;
    crowd->per_session = crowd_per_session(options, candidate);
    crowd->wanted = options->candidates;
    crowd->deaths.every_us = options->every_ms * 1000;
    crowd->deaths.away_us = options->away_ms * 1000;
    crowd->limiter = connect_limiter_new(loop);
    crowd->poller = descriptor_poll_new(loop);
    if (!crowd->poller) {
        crowd_free(crowd);
        return NULL;
    }
    crowd_set_candidates(crowd, candidate);
    crowd_set_session(crowd, session);
    crowd->timer = loop_timer_new(loop, crowd);
    crowd->begun_us = crowd->paced_us = crowd_now_us();
    uv_timer_start(crowd->timer, crowd_on_tick, 0, 0);
    return crowd;
}

void crowd_free(struct crowd *crowd)
{
    if (!crowd)
        return;
    crowd->ending = true;
    loop_timer_free(crowd->timer);
    for (size_t i = 0; i < crowd->candidate_session_count; i++)
        candidate_session_free(crowd->sessions[i]);
    shared_list_free(crowd->shared_list);
    connect_limiter_free(crowd->limiter);
    descriptor_poll_free(crowd->poller);
    run_stats_free(&crowd->stats);
    free(crowd->sessions);
    kill_schedule_free(&crowd->deaths);
    free(crowd->problem);
    free(crowd);
}

void crowd_end(struct crowd *crowd, void (*ended)(void *context, size_t left_to_expire))
{
    if (crowd->ending)
        return;
    crowd->ending = true;
    crowd->ending_us = crowd_now_us();
    crowd->ended = ended;
    tick_at_once(crowd);
}

/* ---- for its owner ---- */

void crowd_figures(const struct crowd *crowd, struct crowd_figures *figures)
{
    const struct run_stats *stats = &crowd->stats;
    struct connect_limiter_figures limiter = connect_limiter_figures(crowd->limiter);
    *figures = (struct crowd_figures){
        .candidates = crowd->entered,
        .sessions = crowd->candidate_session_count,
        .wanted = crowd->wanted,
        .connected = crowd->connected,
        .per_session = crowd->per_session,
        .begun_us = crowd->begun_us,
        .stood_us = crowd->stood_us,
        .to_stand = &stats->to_stand,
        .to_fail_over = &stats->to_fail_over,
        .failovers = stats->failovers,
        .failover_count = stats->failover_count,
        .requests = stats->requests,
        .lists = stats->lists,
        .creates = stats->creates,
        .deletes = stats->deletes,
        .notices = stats->notices,
        .connects = limiter.attempts,
        .refused = limiter.failures,
        .lost = crowd->lost,
        .expired = crowd->expired,
        .first_most_us = stats->first_most_us,
        .survived = stats->survived,
        .unplanned = stats->unplanned,
        .deaths = crowd->deaths.done,
        .errors = stats->errors,
        .problem = stats->errors > 0 || limiter.failures_in_a_row > 0 ? crowd->problem : NULL,
    };
    memcpy(figures->by_state, stats->by_state, sizeof figures->by_state);
    memcpy(figures->left_out, crowd->deaths.left_out, sizeof figures->left_out);
    for (size_t i = 0; i < crowd->candidate_session_count; i++)
        figures->paused += candidate_session_paused(crowd->sessions[i]);
}

const struct test_candidate *crowd_candidate(const struct crowd *crowd, size_t i)
{
    return crowd_candidate_at(crowd, i);
}

size_t crowd_leader(const struct crowd *crowd)
{
    return crowd->stats.leader;
}

bool crowd_add(struct crowd *crowd, size_t count)
{
    if (crowd->ending || count > UINT32_MAX - crowd->wanted)
        return false;
    if (crowd->options.rate_per_s > 0 &&
        crowd->entered == crowd->wanted) /* due from now on, not from long ago */
        crowd->paced_us =
            crowd_now_us() - (uint64_t)((double)crowd->entered * 1e6 / crowd->options.rate_per_s);
    crowd->wanted += count;
    return true;
}

static void turn_back(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->entered; i++) {
        struct test_candidate *t = crowd_candidate_at(crowd, i);
        const struct session *session = candidate_session_session(candidate_session_of(t));
        if (session && session_state(session) != CONNECTION_CONNECTED)
            candidate_session_drop(candidate_session_of(t));
    }
    crowd->connecting = 0;
}

void crowd_settle_for(struct crowd *crowd)
{
    crowd->wanted = crowd->entered;
    crowd->content = true;
    turn_back(crowd);
}

void crowd_close(struct crowd *crowd, bool closed)
{
    if (closed && !crowd->closed)
        turn_back(crowd);
    crowd->closed = closed;
}

size_t crowd_give_back(struct crowd *crowd, size_t sessions)
{
    const struct test_candidate *leader = crowd_candidate_at(crowd, crowd->stats.leader);
    size_t given = 0;
    for (size_t i = crowd->candidate_session_count; i-- > 0 && given < sessions;) {
        struct candidate_session *candidate_session = crowd->sessions[i];
        if (!candidate_session_paused(candidate_session) &&
            !(leader && candidate_session_of(leader) == candidate_session))
            given += candidate_session_close(candidate_session);
    }
    return given;
}

/*
 * crowd.c - see crowd.h. A tick of a few milliseconds adds candidates, kills them and brings them back
 * (crowd_kills.h), and ends them; the statistics record all of it.
 */
#include "probe/inject/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/room.h"
#include "probe/election/recipe.h"
#include "probe/candidate/candidate_session.h"
#include "probe/candidate/candidate_io.h"
#include "probe/inject/crowd_kills.h"
#include "probe/inject/crowd_parts.h"
#include "probe/inject/crowd_state.h"
#include "probe/candidate/shared_list.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/descriptor_poll.h"

#define TICK_MS 5
/* Sessions that may be on their way at once: what the gate lets in, and enough before it for a long turn. */
#define CONNECTING_MOST 120
/* Requests under way above which no candidate is added: the servers are busy enough. */
#define UNDER_WAY_MOST 4000
/* Of one tick, so that the loop gets its turn: candidates brought on, sessions ended. */
#define ENTRIES_A_TICK 500
#define ENDS_A_TICK 100
/* So long may those who are just beginning hold off the end. */
#define AWAIT_US 1000000
/* So many failures in a row, while others are connected, mean a limit. */
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
    size_t i = candidate_session_tag(t);
    if (i >= crowd->entered || crowd->ending)
        return; /* about to be: it is counted once it is; or on its way out, which is not counted */
    size_t before = crowd->stats.leader;
    run_stats_changed(&crowd->stats, i, candidate_session_machine(t), crowd_now_us());
    if (crowd->stats.leader == i && before != i && before != RUN_STATS_NOBODY) {
        crowd->doubted = true;
        tick_at_once(crowd);
    }
    if (crowd->stats.yet_to_stand == 0 && crowd->stood_us == 0)
        tick_at_once(crowd); /* all of the first ones may be in line now */
    if (crowd->listener.changed)
        crowd->listener.changed(crowd->context, i, candidate_session_machine(t)->state);
}

static void on_placed(void *context, struct test_candidate *t, const struct line_place *place)
{
    struct crowd *crowd = context;
    if (crowd->options.never_leads && candidate_session_tag(t) < crowd->entered)
        run_stats_placed(&crowd->stats, candidate_session_tag(t), place->stands && !place->predecessor.name,
                         crowd_now_us());
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
    crowd->problem = strdup(text);
}

/* Some are in, and the next ones are turned away again and again, without a word of why. */
static void name_limit(struct crowd *crowd)
{
    if (crowd->connected == 0 || connect_limiter_figures(crowd->gate).failures_in_a_row < TURNED_AWAY)
        return;
    char text[160];
    snprintf(text, sizeof text,
             "no more than %zu connections are taken: the servers' maxClientCnxns, which all clients of this "
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

/* The session that the next candidate belongs to; NULL: out of memory. */
static struct candidate_session *crew_at(struct crowd *crowd, size_t at)
{
    if (at < crowd->candidate_session_count)
        return crowd->crews[at];
    if (!room_for_one(&crowd->crews, crowd->candidate_session_count, &crowd->crew_room,
                      sizeof(struct candidate_session *)))
        return NULL;
    struct candidate_session *candidate_session =
        candidate_session_new(&crowd->candidate_session_options, crowd->per_session);
    if (candidate_session) {
        crowd->crews[crowd->candidate_session_count++] = candidate_session;
        crowd->connecting++;
    }
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
        struct candidate_session *candidate_session = crew_at(crowd, at);
        if (!candidate_session || !run_stats_enter(&crowd->stats, due ? due : time_us))
            return;                  /* out of memory: the next tick tries again */
        size_t i = crowd->entered++; /* first: its requests are counted */
        if (!candidate_session_enter(candidate_session, crowd_casting_at(crowd, i), (uint32_t)i)) {
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
            candidate_session_machine(crowd_candidate_at(crowd, i))->state == CANDIDATE_LEADING)
            candidate_session_look(crowd_candidate_at(crowd, i));
}

/* ---- ending ---- */

static void end_some(struct crowd *crowd)
{
    for (int ends = 0; ends < ENDS_A_TICK && crowd->ended_count < crowd->candidate_session_count; ends++) {
        struct candidate_session *candidate_session = crowd->crews[crowd->ended_count];
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

size_t crowd_sessions(const struct crowd_options *options)
{
    size_t each = crowd_parts_per_session(options);
    return (options->count + each - 1) / each;
}

struct crowd *crowd_new(uv_loop_t *loop, const struct crowd_options *options,
                        const struct crowd_listener *listener, void *context)
{
    struct crowd *crowd = calloc(1, sizeof *crowd);
    if (!crowd)
        return NULL;
    run_stats_init(&crowd->stats);
    crowd->loop = loop;
    crowd->listener = *listener;
    crowd->context = context;
    crowd->random = options->seed;
    crowd->per_session = crowd_parts_per_session(options);
    crowd->wanted = options->count;
    crowd->deaths.every_us = options->every_ms * 1000;
    crowd->deaths.away_us = options->away_ms * 1000;
    crowd->candidate_session_options.listener =
        (struct candidate_session_listener){.changed = crowd_on_changed,
                                            .placed = on_placed,
                                            .asked = on_asked,
                                            .answered = on_answered,
                                            .noticed = on_noticed,
                                            .gave_up = on_gave_up,
                                            .connection = on_connection};
    crowd->gate = connect_limiter_new(loop);
    crowd->poller = descriptor_poll_new(loop);
    bool good = crowd->gate && crowd->poller && crowd_parts_begin(&crowd->parts, &crowd->options, options);
    if (good && options->look == LOOK_SHARED && !options->lock) {
        crowd->reading = shared_list_new(loop, options->election, candidate_io_looked,
                                         &crowd->candidate_session_options.listener, crowd);
        good = crowd->reading != NULL;
    }
    crowd->timer = good ? loop_timer_new(loop, crowd) : NULL;
    if (!crowd->timer) {
        crowd_free(crowd);
        return NULL;
    }
    crowd->options.session.gate = crowd->gate;
    crowd->options.session.poller = crowd->poller;
    crowd->candidate_session_options.loop = loop;
    crowd->candidate_session_options.session = crowd->options.session;
    crowd->candidate_session_options.reading = crowd->reading;
    crowd->candidate_session_options.context = crowd;
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
        candidate_session_free(crowd->crews[i]);
    shared_list_free(crowd->reading);
    connect_limiter_free(crowd->gate);
    descriptor_poll_free(crowd->poller);
    run_stats_free(&crowd->stats);
    crowd_parts_end(&crowd->parts);
    free(crowd->crews);
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
    struct connect_limiter_figures gate = connect_limiter_figures(crowd->gate);
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
        .connects = gate.attempts,
        .refused = gate.failures,
        .lost = crowd->lost,
        .expired = crowd->expired,
        .first_most_us = stats->first_most_us,
        .survived = stats->survived,
        .unplanned = stats->unplanned,
        .deaths = crowd->deaths.done,
        .errors = stats->errors,
        .problem = stats->errors > 0 || gate.failures_in_a_row > 0 ? crowd->problem : NULL,
    };
    memcpy(figures->by_state, stats->by_state, sizeof figures->by_state);
    memcpy(figures->left_out, crowd->deaths.left_out, sizeof figures->left_out);
    for (size_t i = 0; i < crowd->candidate_session_count; i++)
        figures->paused += candidate_session_paused(crowd->crews[i]);
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
        struct candidate_session *candidate_session = crowd->crews[i];
        if (!candidate_session_paused(candidate_session) &&
            !(leader && candidate_session_of(leader) == candidate_session))
            given += candidate_session_close(candidate_session);
    }
    return given;
}

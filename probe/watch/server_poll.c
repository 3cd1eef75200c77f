#include "probe/watch/server_poll.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "config/text.h"
#include "probe/clock.h"
#include "probe/loop_timer.h"
#include "probe/watch/election_watch.h"
#include "probe/watch/server_facts.h"

/* The zoo.cfg lines that would show hidden facts. The words are all that are ever used, and replace the
 * existing list. */
#define ADMIN_LINE "set admin.enableServer=true in its zoo.cfg, or name AdminServer's port (--admin)"
#define WORDS_LINE "set 4lw.commands.whitelist=srvr,cons,mntr,dump,wchs,wchc there"

/* Measured: 134 ms for 10,000 connections, 35 ms for 10,000 watches, 48 ms for 10,000 sessions with a znode
   each, 18 ms for the figures of a server that has them. */
static const int64_t usual_each_ns[POLL_ANSWERS] = {
    [POLL_CONNECTIONS] = 14000, [POLL_WATCHES] = 4000, [POLL_SESSIONS] = 5000};
/* The minimum cost, for any length. */
static const int64_t usual_least_us[POLL_ANSWERS] = {
    [POLL_CONNECTIONS] = 1000, [POLL_WATCHES] = 1000, [POLL_SESSIONS] = 1000, [POLL_FIGURES] = 3000};
/* Learned costs stay within this factor of the usual ones, both ways, and one round changes them by only one
 * part of this many: one odd round means little. */
#define LEARNED_TIMES 4
/* Shorter answers say nothing about the cost of an entry. */
#define LEARNED_FROM ((size_t)100)

int64_t poll_cost_us(const struct poll_costs *costs, enum poll_answer answer, size_t entries)
{
    int64_t each_ns = costs->each_ns[answer] ? costs->each_ns[answer] : usual_each_ns[answer];
    return usual_least_us[answer] + (int64_t)entries * each_ns / 1000;
}

static void poll_cost_learn(struct poll_costs *costs, enum poll_answer answer, size_t entries,
                            int64_t took_us)
{
    int64_t usual_ns = usual_each_ns[answer], was_ns = costs->each_ns[answer];
    int64_t over_us = took_us > usual_least_us[answer] ? took_us - usual_least_us[answer] : 0;
    int64_t each_ns = over_us * 1000 / (int64_t)entries;
    if (each_ns > usual_ns * LEARNED_TIMES)
        each_ns = usual_ns * LEARNED_TIMES;
    if (each_ns < usual_ns / LEARNED_TIMES)
        each_ns = usual_ns / LEARNED_TIMES;
    costs->each_ns[answer] = ((was_ns ? was_ns : usual_ns) * 3 + each_ns) / 4;
}

int64_t poll_cost_of(struct poll_costs *costs, enum poll_answer answer, size_t entries, int64_t took_us,
                     bool calm)
{
    if (calm && usual_each_ns[answer] && entries >= LEARNED_FROM)
        poll_cost_learn(costs, answer, entries, took_us);
    int64_t cost_us = poll_cost_us(costs, answer, entries);
    return took_us < cost_us ? took_us : cost_us;
}

static int64_t budget_at_most(int64_t value_us)
{
    return value_us < POLL_BUDGET_MOST_US ? value_us : POLL_BUDGET_MOST_US;
}

void poll_budget_spend(struct poll_budget *a, int64_t took_us, uint64_t now_ms)
{
    /* Before the first round there was no poll, which counts as a pause. */
    int64_t left_us = POLL_BUDGET_MOST_US;
    if (a->as_of_ms != 0)
        left_us = budget_at_most(a->left_us + (int64_t)(now_ms - a->as_of_ms) * 1000 / POLL_BUDGET_PAUSE);
    *a = (struct poll_budget){.left_us = left_us - took_us, .latest_us = took_us, .as_of_ms = now_ms};
}

int64_t poll_budget_pause_ms(const struct poll_budget *a)
{
    return a->latest_us * POLL_BUDGET_PAUSE / 1000;
}

bool poll_budget_has_plenty(const struct poll_budget *a)
{
    return a->left_us - a->latest_us >= POLL_BUDGET_MOST_US / 2;
}

uint64_t poll_budget_due_ms(const struct poll_budget *a)
{
    int64_t lacking_us = budget_at_most(a->latest_us) - a->left_us;
    return a->as_of_ms + (uint64_t)(lacking_us > 0 ? lacking_us * POLL_BUDGET_PAUSE / 1000 : 0);
}

bool poll_is_disturbed(int64_t counted_us, int64_t ours_changed_us, int64_t watches, int64_t listed)
{
    return ours_changed_us >= counted_us || (watches >= 0 && watches != listed);
}

static int64_t turn_ms(unsigned servers)
{
    int64_t ms = (int64_t)servers * 1000 / ROUNDS_A_SECOND;
    return ms < TURN_MOST_MS ? ms : TURN_MOST_MS;
}

int64_t poll_turn_ms(unsigned servers, int64_t usual_ms, int64_t leader_timeout_ms)
{
    int64_t ms = turn_ms(servers), seen_ms = leader_timeout_ms * 2 / 3 - leader_timeout_ms / PING_PART;
    if (leader_timeout_ms && ms > seen_ms)
        ms = seen_ms;
    return ms > usual_ms ? ms : usual_ms;
}

int64_t poll_moved_ms(const struct poll_costs *costs, size_t connections)
{
    int64_t ms =
        MOVED_BUDGET_PART * poll_cost_us(costs, POLL_CONNECTIONS, connections) * POLL_BUDGET_PAUSE / 1000;
    return ms > MOVED_LEAST_MS ? ms : MOVED_LEAST_MS;
}

int64_t poll_figures_ms(unsigned servers, int64_t every_ms)
{
    int64_t ms = FIGURES_TURNS * turn_ms(servers);
    return ms > every_ms ? ms : every_ms;
}

const struct server_poll_way server_poll_ways[STEPS] = {
    [STEP_STATE] = {ADMIN_SERVER_STATS, FOURLETTER_WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_LENGTHS] = {ADMIN_MONITOR, FOURLETTER_WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_ENDED] = {ADMIN_DUMP, FOURLETTER_WORD_DUMP, LISTS_WITHIN_MS},
    [STEP_AFTER] = {ADMIN_SERVER_STATS, FOURLETTER_WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_SUMMARY] = {ADMIN_WATCH_SUMMARY, FOURLETTER_WORD_WCHS, FIGURES_WITHIN_MS},
    [STEP_DISK] = {ADMIN_SERVER_STATS, FOURLETTER_WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_FIGURES] = {ADMIN_MONITOR, FOURLETTER_WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_BEFORE] = {ADMIN_CONNECTIONS, FOURLETTER_WORD_CONS, LISTS_WITHIN_MS},
    [STEP_WATCHES] = {ADMIN_WATCHES, FOURLETTER_WORD_WCHC, LISTS_WITHIN_MS},
    [STEP_CONNECTIONS] = {ADMIN_CONNECTIONS, FOURLETTER_WORD_CONS, LISTS_WITHIN_MS},
    [STEP_SESSIONS] = {ADMIN_DUMP, FOURLETTER_WORD_DUMP, LISTS_WITHIN_MS},
};

void server_poll_step_succeeded(struct server_poll *q, int64_t took_us)
{
    q->ended(q, NULL, took_us);
}

void server_poll_way_failed(struct server_poll *q, const char *problem)
{
    q->ended(q, problem, 0);
}

bool server_poll_asks_figures(enum step step)
{
    return step == STEP_STATE || step == STEP_SUMMARY || step == STEP_AFTER || step == STEP_DISK;
}

static enum poll_answer poll_answer_of(enum step step)
{
    if (step == STEP_BEFORE || step == STEP_CONNECTIONS)
        return POLL_CONNECTIONS;
    if (step == STEP_WATCHES)
        return POLL_WATCHES;
    return step == STEP_ENDED || step == STEP_SESSIONS ? POLL_SESSIONS : POLL_FIGURES;
}

void server_poll_count_cost(struct server_poll *q, const struct server_answer *given, int64_t took_us,
                            bool answered)
{
    enum poll_answer answer = given == &q->identity ? POLL_CONNECTIONS : poll_answer_of(q->step);
    if (given != &q->identity && server_poll_asks_figures(q->step)) {
        q->calm = answered && took_us <= CALM_US;
        return; /* they cost almost nothing */
    }
    if (answered)
        q->entries[answer] = answer == POLL_CONNECTIONS ? given->connections.count
                             : answer == POLL_WATCHES   ? given->watches.count + given->watches.path_count
                                                        : given->sessions.count;
    int64_t latest_us = poll_cost_us(&q->costs, answer, q->entries[answer]);
    int64_t most_us = latest_us > UNANSWERED_US ? latest_us : UNANSWERED_US;
    q->took_us += answered ? poll_cost_of(&q->costs, answer, q->entries[answer], took_us, q->calm)
                           : (took_us < most_us ? took_us : most_us);
}

void server_poll_expect_ours(struct server_poll *q)
{
    q->ours_expected = server_addresses_have_ours(q->places, q->host, atoi(q->port));
}

/* Some entries come and go between two answers, but a list much shorter than the count is incomplete. */
static bool too_few(int64_t listed, int64_t counted)
{
    return counted > 0 && listed + 2 + counted / 4 < counted;
}

/* Why the list of this step must be incomplete or another server's; NULL: no reason. */
const char *server_poll_doubt(const struct server_poll *q, char *reason, size_t size)
{
    const struct server_figures *f = &q->answer.figures;
    size_t connections = q->answer.connections.count, watches = q->answer.watches.path_count;
    reason[0] = '\0';
    switch (q->step) {
    case STEP_BEFORE:
    case STEP_CONNECTIONS:
        if (q->ours_expected && server_addresses_have_ours(q->places, q->host, atoi(q->port)) &&
            !server_facts_show_ours(q->live, &q->answer.connections))
            snprintf(reason, size, "electop's own session is connected there, but not in its list");
        else if (q->quiet && connections != q->listed)
            snprintf(reason, size, "lists %zu connections, and %zu before", connections, q->listed);
        else if (q->quiet && server_facts_show_moved(q->live, &q->answer.connections))
            snprintf(reason, size, "lists another connection of a candidate");
        else if (too_few((int64_t)connections, f->connections))
            snprintf(reason, size, "lists %zu connections, but counts %lld", connections,
                     (long long)f->connections);
        break;
    case STEP_WATCHES:
        if ((watches == 0 && f->watches > 0) || too_few((int64_t)watches, f->watches))
            snprintf(reason, size, "lists %zu watches, but counts %lld", watches, (long long)f->watches);
        break;
    case STEP_ENDED:
    case STEP_SESSIONS:
        if (q->answer.sessions.count && session_id(q->live->session) &&
            session_state(q->live->session) == CONNECTION_CONNECTED &&
            !server_facts_sessions_show_ours(q->live, &q->answer.sessions))
            snprintf(reason, size, "electop's own session is alive, but not in its list");
        break;
    default:
        break;
    }
    return reason[0] ? reason : NULL;
}

void server_poll_lists_free(struct server_poll *q)
{
    connection_list_free(&q->answer.connections);
    watch_list_free(&q->answer.watches);
    session_list_free(&q->answer.sessions);
}

static void step_begin(struct server_poll *q);
static void server_poll_ask(struct server_poll *q);

/* The number of servers that this process polls, in all clusters. */
static unsigned polled;

bool server_poll_is_demanded(const struct server_poll *q)
{
    return q->demanded || (q->asking && q->on_demand);
}

unsigned server_poll_rounds(const struct server_poll *q)
{
    return q->rounds;
}

/* The next round, and why not sooner. */

static void server_poll_on_timer(uv_timer_t *timer);

/* The interval in urgent cases: shorter than usual, but within the budget. */
static int64_t wanted_ms(const struct server_poll *q, int64_t usual_ms)
{
    const struct live_cluster *live = q->live;
    int64_t ms = usual_ms;
    int64_t changed_ms = q->newcomers_first ? CHANGED_LEAST_MS : CHANGED_AFTER_MS;
    if (q->changed && ms > changed_ms)
        ms = changed_ms;
    if (live->leader_missed && ms > MISSED_LEAST_MS)
        ms = MISSED_LEAST_MS;
    if (model_wants_second_poll(live->model, live->index)) {
        bool watches;
        int64_t now_us = clock_now().mono_us;
        int64_t due_us = model_poll_due_us(live->model, live->index, now_us, &watches) - now_us;
        int64_t due_ms = due_us > 0 ? due_us / 1000 + 1 : SUSPECTED_LEAST_MS;
        ms = due_ms < ms ? due_ms : ms;
    }
    return ms;
}

/* Lists are requested by word only once their length is predicted. */
static bool asks_by_word(const struct server_poll *q)
{
    return !q->admin_host || q->admin_failed || q->proof == PROOF_FOREIGN;
}

static int64_t pause_ms(const struct server_poll *q)
{
    int64_t every_ms = q->live->cluster->servers.every_ms, ms = every_ms, third_ms = q->leader_timeout_ms / 3;
    third_ms -= third_ms / PING_PART;
    if (third_ms && third_ms < LEADER_LEAST_MS)
        third_ms = LEADER_LEAST_MS;
    /* A setting longer than the usual pauses is deliberate. */
    if (third_ms && third_ms < ms && every_ms <= LEADER_MOST_MS)
        ms = third_ms;
    /* Not by words: a server logs each of them. */
    int64_t moved_ms = poll_moved_ms(&q->costs, q->entries[POLL_CONNECTIONS]);
    if (moved_ms < ms && every_ms <= LEADER_MOST_MS && !asks_by_word(q))
        ms = moved_ms;
    ms = poll_turn_ms(polled, ms, q->leader_timeout_ms);
    int64_t least_ms = poll_budget_pause_ms(&q->budget),
            soon_ms = every_ms <= LEADER_MOST_MS ? wanted_ms(q, ms) : ms;
    if (soon_ms < ms && poll_budget_has_plenty(&q->budget))
        least_ms = 0;
    return soon_ms > least_ms ? soon_ms : least_ms;
}

/* The budget and the clock belonged to another process. */
static void server_restarted(struct server_poll *q)
{
    q->budget = (struct poll_budget){0};
    q->same_polls = 0;
    q->admin_failures = 0;
    q->admin_retry_ms = q->words_retry_ms = 0;
    q->proof = PROOF_OPEN;
    q->no_details = false;
}

/* If all lists together cost more than the interval between two checks of a leader's connection allows,
 * rounds of connections alone come in between. */
static bool full_can_wait(const struct server_poll *q, uint64_t now_ms)
{
    int64_t third_ms = q->leader_timeout_ms / 3, cost_us = 0;
    for (enum poll_answer answer = 0; answer < POLL_ANSWERS; answer++)
        cost_us += poll_cost_us(&q->costs, answer, q->entries[answer]);
    int64_t apart_ms = cost_us * POLL_BUDGET_PAUSE / 1000;
    return third_ms > 0 && apart_ms > third_ms && now_ms - q->watches_ms < (uint64_t)apart_ms;
}

/* A new connection is in no list yet, and a list of watches counts only between two lists of connections.
 * Without a list before the watches, the first valid one would come in the next round. If lists are long,
 * this would delay the round itself. */
static bool newcomers_are_listed_first(const struct server_poll *q)
{
    int64_t cost_us = poll_cost_us(&q->costs, POLL_CONNECTIONS, q->entries[POLL_CONNECTIONS]);
    return cost_us * POLL_BUDGET_PAUSE <= CHANGED_LEAST_MS * INT64_C(1000);
}

/* Connections alone cost little, so they may be listed often. */
static bool only_connections_wanted(const struct server_poll *q, uint64_t now_ms)
{
    const struct model *model = q->live->model;
    bool watches;
    model_poll_due_us(model, q->live->index, clock_now().mono_us, &watches);
    return model_wants_second_poll(model, q->live->index) && !watches && !q->demanded && !q->changed &&
           now_ms - q->watches_ms < WATCHES_AGAIN_MS;
}

/* Lists of thousands are temporary, but the library would keep their memory. */
static void give_memory_back(const struct server_poll *q)
{
#ifdef __GLIBC__
    if (q->full && q->answer.figures.connections > MANY)
        malloc_trim(0);
#else
    (void)q;
#endif
}

/* The answered part of its load, unless all of it was. */
static void report_part_of_load(struct server_poll *q)
{
    if (q->load_due)
        server_facts_report_load(q->live, q->address, &q->answer.figures, true);
    q->load_due = false;
}

static void server_poll_round_end(struct server_poll *q)
{
    report_part_of_load(q);
    give_memory_back(q);
    q->asking = false;
    q->ended_ms = uv_now(q->live->loop);
    poll_budget_spend(&q->budget, q->took_us, q->ended_ms);
    q->live->leader_missed = model_misses_leader(q->live->model, q->live->index);
    if (q->full || !q->evidence) /* rounds after a leader's end are frequent, and lists may be long */
        election_watches_confirm(q->live);
    election_watches_read_again(q->live); /* what the lists make doubtful; the next tick may be far */
    if (!q->cheap || !q->demanded)
        q->rounds++;
    if (q->demanded) {
        q->cheap = false;
        uv_timer_start(q->timer, server_poll_on_timer, 0, 0);
    } else if (q->live->cluster->servers.every_ms > 0)
        uv_timer_start(q->timer, server_poll_on_timer, (uint64_t)pause_ms(q), 0);
}

static void server_poll_round_begin(struct server_poll *q)
{
    uv_timer_stop(q->timer); /* an early poll on demand */
    server_answer_free(&q->answer);
    server_answer_clear(&q->answer);
    q->asking = true;
    uint64_t now_ms = uv_now(q->live->loop);
    q->full = q->demanded || model_wants_second_poll(q->live->model, q->live->index) ||
              q->same_polls < SAME_POLLS_LEAST || now_ms - q->moved_ms <= SETTLED_AFTER_MS ||
              now_ms - q->watches_ms >= SETTLED_EVERY_MS;
    q->full = (q->full && !full_can_wait(q, now_ms) && !only_connections_wanted(q, now_ms)) || q->demanded ||
              q->changed;
    q->on_demand = q->demanded;
    q->evidence = model_wants_evidence(q->live->model, q->live->index);
    /* Watches can wait, but not indefinitely if leaders end one after the other. */
    if (q->evidence && !q->demanded && now_ms - q->watches_ms < SETTLED_AFTER_MS)
        q->full = false;
    q->quiet = !q->full && !q->evidence && !q->cheap && !q->changed && !q->down && !asks_by_word(q) &&
               q->connections_known &&
               now_ms - q->stated_ms < (uint64_t)poll_figures_ms(polled, q->live->cluster->servers.every_ms);
    q->newcomers_first = q->changed && newcomers_are_listed_first(q);
    q->demanded = q->hastened = q->changed = false;
    q->calm = false;
    q->took_us = q->counted_us = 0;
    q->words_hang = false;
    memset(q->unpredicted, 0, sizeof q->unpredicted);
    q->step = STEP_STATE;
    if (q->proof == PROOF_FOREIGN || now_ms - q->proved_ms >= PROOF_MS)
        q->proof = PROOF_OPEN;
    if (now_ms >= q->words_retry_ms) {
        memset(q->word_off, 0, sizeof q->word_off);
        q->words_retry_ms = now_ms + RETRY_MS;
    }
    step_begin(q);
}

static void step_next(struct server_poll *q)
{
    q->step++;
    step_begin(q);
}

/* Whether the results of a step have changed. */

static bool moved(const struct server_poll *q)
{
    const struct server_figures *a = &q->before, *b = &q->summed;
    return a->mode != b->mode || a->zxid != b->zxid || a->connections != b->connections ||
           a->watches != b->watches || a->watched_paths != b->watched_paths || a->watching != b->watching ||
           b->watches < 0;
}

/* The port that answered. Equal numbers mean the same port. */
static uint32_t answering_port(const struct server_poll *q)
{
    return q->way == BY_WORD ? 0 : hash_bytes(q->admin_host, strlen(q->admin_host), (uint32_t)q->admin_port);
}

static void server_poll_connections_came(struct server_poll *q)
{
    bool moved = q->step == STEP_CONNECTIONS && server_facts_show_moved(q->live, &q->answer.connections);
    q->changed = q->changed || (moved && newcomers_are_listed_first(q));
    server_facts_report_connections(q->live, q->address, q->asked_at, q->pinged_us, q->counted_us,
                                    answering_port(q), &q->answer.connections);
    q->leader_timeout_ms = server_facts_leader_timeout_ms(q->live, &q->answer.connections);
    q->connections_known = true;
    if (q->way == BY_ADMINSERVER &&
        server_addresses_prove(q->places, q->host, atoi(q->port), &q->answer.connections))
        q->proved_ms = uv_now(q->live->loop);
    q->listed = q->answer.connections.count;
    connection_list_free(&q->answer.connections);
}

/* All watches, with child watches, which are not listed: their number is the rest of the total. The total was
 * counted before the list, so watches set in between would hide as many child watches. */
static int64_t all_watches(const struct server_poll *q)
{
    const struct server_figures *f = &q->answer.figures;
    int64_t listed = (int64_t)q->answer.watches.path_count;
    bool more = f->all_watches >= 0 && f->watches >= 0 && listed > f->watches;
    return f->all_watches + (more ? listed - f->watches : 0);
}

static bool watches_disturbed(const struct server_poll *q)
{
    int64_t changed_us = 0, changes_us, before = q->details ? -1 : q->answer.figures.watches;
    bool ours = server_addresses_have_ours(q->places, q->host, atoi(q->port));
    for (size_t i = 0; ours && i < q->live->shard_count; i++)
        if ((changes_us = session_child_watches_changed_us(q->live->shards[i].session)) > changed_us)
            changed_us = changes_us;
    return poll_is_disturbed(q->counted_us, changed_us, before, (int64_t)q->answer.watches.path_count);
}

static void watches_came(struct server_poll *q)
{
    if (watches_disturbed(q))
        q->counted_us = 0;
    server_facts_report_watches(
        q->live, q->address, q->asked_at, q->way == BY_WORD ? "four-letter" : "adminserver",
        answering_port(q), &q->answer.watches,
        q->details ? (int64_t)q->answer.watches.path_count : all_watches(q), q->counted_us);
    if (q->way == BY_WORD) {
        q->wchc_watches = q->answer.watches.path_count;
        q->wchc_sessions = q->answer.watches.count;
    }
    watch_list_free(&q->answer.watches);
    q->watches_ms = uv_now(q->live->loop);
    if (moved(q)) {
        q->same_polls = 0;
        q->moved_ms = q->watches_ms;
    }
    q->same_polls++;
    q->before = q->summed;
}

static void step_succeeded(struct server_poll *q, int64_t took_us)
{
    switch (q->step) {
    case STEP_STATE:
    case STEP_AFTER:
        if (q->down)
            server_restarted(q);
        q->down = false;
        q->stated_ms = uv_now(q->live->loop);
        q->answer.figures.tick_ms = q->tick_ms;
        server_facts_report_server(q->live, q->address, &q->answer.figures, true, took_us, NULL);
        q->load_due = true;
        break;
    case STEP_DISK:
        q->load_due = true;
        break;
    case STEP_SUMMARY:
        q->summed = q->answer.figures;
        q->full = q->full || moved(q);
        break;
    case STEP_BEFORE:
    case STEP_CONNECTIONS:
        server_poll_connections_came(q);
        break;
    case STEP_WATCHES:
        watches_came(q);
        break;
    case STEP_ENDED:
    case STEP_SESSIONS:
        server_facts_report_sessions(q->live, q->address, q->asked_at, &q->answer.sessions);
        session_list_free(&q->answer.sessions);
        break;
    case STEP_FIGURES:
        q->counted_us = q->asked_at.mono_us;
        if (q->answer.figures.uptime_ms >= 0 && q->answer.figures.uptime_ms < q->uptime_ms)
            server_restarted(q);
        q->uptime_ms = q->answer.figures.uptime_ms;
        q->answer.figures.server_id = q->server_id;
        q->answer.figures.address_connections_most = q->address_connections_most;
        server_facts_report_load(q->live, q->address, &q->answer.figures, false);
        q->load_due = false;
        break;
    case STEP_LENGTHS:
    case STEPS:
        break;
    }
    step_next(q);
}

/* The server does not answer the cheapest request, or must not be polled. */
static void state_failed(struct server_poll *q)
{
    const struct servers_settings *settings = &q->live->cluster->servers;
    bool by_word = settings->four_letter != CHOICE_OFF;
    char problem[600];
    bool asked = by_word || !settings->admin_off;
    if (by_word)
        snprintf(problem, sizeof problem, "%s", q->problems[BY_WORD]);
    else if (asked)
        snprintf(problem, sizeof problem,
                 "%s; %s; " ADMIN_LINE "; or use four-letter words (four_letter: auto)",
                 q->problems[BY_ADMINSERVER], q->problems[BY_WORD]);
    else
        snprintf(problem, sizeof problem,
                 "neither AdminServer nor four-letter words are used; set admin: 8080 or four_letter: auto");
    q->connections_known = false;
    q->same_polls = 0;
    q->down = true;
    if (!asked) {
        bool ours = server_addresses_have_ours(q->places, q->host, atoi(q->port));
        server_facts_report_unasked(q->live, q->address, ours, NULL);
    } else {
        server_facts_report_server(q->live, q->address, &q->answer.figures, q->answered, -1,
                                   q->problems[by_word ? BY_WORD : BY_ADMINSERVER]);
        q->places->missed = true;
    }
    server_facts_report_nothing(q->live, q->address, problem);
    server_poll_round_end(q);
}

/* If no word is off, the whitelist is not the cause; perhaps an answer would be too long. */
static bool is_any_word_off(const struct server_poll *q)
{
    for (size_t i = 0; i < sizeof q->word_off / sizeof *q->word_off; i++)
        if (q->word_off[i])
            return true;
    return false;
}

/* Neither way gave an answer. */
static void step_failed(struct server_poll *q)
{
    static const enum hidden_part lack[STEPS] = {[STEP_ENDED] = HIDDEN_SESSIONS,
                                                 [STEP_BEFORE] = HIDDEN_CONNECTIONS,
                                                 [STEP_WATCHES] = HIDDEN_WATCHES,
                                                 [STEP_CONNECTIONS] = HIDDEN_CONNECTIONS,
                                                 [STEP_SESSIONS] = HIDDEN_SESSIONS};
    const struct servers_settings *settings = &q->live->cluster->servers;
    char problem[600];
    if (q->step == STEP_STATE) {
        state_failed(q);
        return;
    } else if (q->step == STEP_ENDED || q->step == STEP_BEFORE || q->step >= STEP_WATCHES) {
        /* Names all words that will be needed, whichever is missed first: one restart of the server must
         * suffice. */
        snprintf(problem, sizeof problem, "%s; %s; %s%s; or read its packets (--capture)",
                 q->problems[BY_ADMINSERVER], q->problems[BY_WORD],
                 settings->admin_off ? "use AdminServer (admin: 8080)" : ADMIN_LINE,
                 settings->four_letter == CHOICE_OFF ? "; or use four-letter words (four_letter: auto)"
                 : is_any_word_off(q)                ? "; or " WORDS_LINE
                                                     : "");
        server_facts_report_hidden(q->live, q->address, lack[q->step], problem);
        if (q->step == STEP_WATCHES)
            q->same_polls = 0;
        else if (q->step == STEP_BEFORE || q->step == STEP_CONNECTIONS)
            q->connections_known = false;
    } else if (q->step != STEP_AFTER) {
        snprintf(q->unpredicted[q->step], sizeof q->unpredicted[0], " (%.100s)", q->problems[BY_WORD]);
        if (q->step == STEP_SUMMARY) {
            q->summed = q->answer.figures;
            q->full = true;
        }
    }
    step_next(q);
}

/* One way failed: tries the other, unless it failed as well. */
static void way_failed(struct server_poll *q, const char *problem)
{
    char *kept = q->problems[q->way];
    report_part_of_load(q);
    if (q->quiet) { /* a full round shows the problem or the change */
        q->quiet = false;
        q->full = q->newcomers_first = newcomers_are_listed_first(q);
        q->step = STEP_STATE;
        step_begin(q);
        return;
    }
    if (q->way == BY_ADMINSERVER && q->admin_host && strcmp(q->admin_host, q->host) == 0)
        snprintf(kept, sizeof q->problems[0], "AdminServer on port %d: %s", q->admin_port, problem);
    else if (q->way == BY_ADMINSERVER && q->admin_host)
        snprintf(kept, sizeof q->problems[0], "AdminServer at %.80s:%d: %s", q->admin_host, q->admin_port,
                 problem);
    else
        snprintf(kept, sizeof q->problems[0], "%s", problem);
    server_poll_ask(q);
}

/* ---- how a request ended (server_poll.h) ---- */
static void server_poll_on_ended(struct server_poll *q, const char *problem, int64_t took_us)
{
    if (problem)
        way_failed(q, problem);
    else
        step_succeeded(q, took_us);
}

/* Figures of "srvr" are requested by that word first, all others from AdminServer first. */
static void server_poll_ask(struct server_poll *q)
{
    enum way first = q->step == STEP_STATE || q->step == STEP_AFTER ? BY_WORD : BY_ADMINSERVER;
    enum way second = first == BY_WORD ? BY_ADMINSERVER : BY_WORD;
    if (q->tried & 1U << first && q->tried & 1U << second) {
        step_failed(q);
        return;
    }
    q->way = q->tried & 1U << first ? second : first;
    q->tried |= 1U << q->way;
    if (q->way == BY_WORD)
        server_poll_ask_by_word(q);
    else
        server_poll_ask_adminserver(q);
}

/* The last request of our own session shows that server's "now", so one is sent just before. */

static void server_poll_on_ping(void *context, const struct session_answer *answer)
{
    struct server_poll *q = context;
    q->owed--;
    if (answer->result == SESSION_LOST)
        q->pinged_us = 0; /* the server did not answer, so its "now" is unknown */
    if (q->freed) {
        if (!q->owed)
            free(q);
    } else if (q->pings && --q->pings == 0) {
        uv_timer_stop(q->timer);
        server_poll_ask(q);
    }
}

static void on_ping_late(uv_timer_t *timer)
{
    struct server_poll *q = timer->data;
    q->pings = 0;
    q->pinged_us = 0;
    server_poll_ask(q);
}

static void ask_after_ping(struct server_poll *q)
{
    const struct live_cluster *live = q->live;
    int64_t before_us =
        clock_now().mono_us; /* on a busy machine time passes between the request and this line */
    for (size_t i = 0; q->owed == 0 && i < live->shard_count; i++)
        q->pings += session_probe(live->shards[i].session, server_poll_on_ping, q);
    q->pinged_us = q->pings ? before_us : 0;
    q->owed += q->pings;
    if (q->pings)
        uv_timer_start(q->timer, on_ping_late, PING_WITHIN_MS, 0);
    else
        server_poll_ask(q);
}

static void step_begin(struct server_poll *q)
{
    bool leads = q->answer.figures.mode == SERVER_LEADER || q->answer.figures.mode == SERVER_STANDALONE;
    bool words = asks_by_word(q);
    bool wanted[STEPS + 1] = {
        [STEP_STATE] = !q->quiet,
        [STEP_LENGTHS] = q->evidence && words && leads && !q->cheap,
        [STEP_ENDED] = q->evidence && leads && !q->cheap,
        [STEP_AFTER] = q->evidence && leads && !q->cheap,
        [STEP_BEFORE] =
            (q->evidence || (q->full && (!q->connections_known || q->newcomers_first))) && !q->cheap,
        [STEP_SUMMARY] = (q->full || !q->evidence) && !q->cheap && !q->quiet,
        [STEP_DISK] = q->full && !q->cheap && !words,
        [STEP_FIGURES] = q->full && !q->cheap,
        [STEP_WATCHES] = q->full && !q->cheap,
        [STEP_CONNECTIONS] = (q->full || !q->evidence) && !q->cheap,
        [STEP_SESSIONS] = q->full && !q->evidence && !q->cheap && leads,
        [STEPS] = true};
    while (!wanted[q->step])
        q->step++;
    q->tried = 0;
    q->answered = false;
    q->problems[BY_ADMINSERVER][0] = q->problems[BY_WORD][0] = '\0';
    if (q->step == STEPS)
        server_poll_round_end(q);
    else if (q->step == STEP_BEFORE || q->step == STEP_CONNECTIONS)
        ask_after_ping(q);
    else
        server_poll_ask(q);
}

static void server_poll_on_timer(uv_timer_t *timer)
{
    server_poll_round_begin(timer->data);
}

void server_poll_begin(struct server_poll *q)
{
    if (!q->host || q->asking)
        return;
    q->cheap = q->live->cluster->servers.every_ms == 0;
    if (q->cheap)
        server_facts_report_nothing(q->live, q->address, "not polled (every: off)");
    server_poll_round_begin(q);
}

void server_poll_demand(struct server_poll *q)
{
    if (!q->host)
        return;
    if (q->asking && !q->cheap && q->rounds == 0) {
        q->on_demand = true; /* the first round requests everything anyway */
        return;
    }
    q->demanded = true;
    q->cheap = q->cheap && q->asking;
    if (!q->asking)
        server_poll_round_begin(q);
}

void server_poll_hasten(struct server_poll *q)
{
    if (!q->host || q->asking || q->hastened || q->cheap || q->live->cluster->servers.every_ms == 0)
        return;
    uint64_t now_ms = uv_now(q->live->loop), due_ms = poll_budget_due_ms(&q->budget);
    if (due_ms < q->ended_ms + EVIDENCE_LEAST_MS)
        due_ms = q->ended_ms + EVIDENCE_LEAST_MS;
    if (due_ms < now_ms + EVIDENCE_AFTER_MS)
        due_ms = now_ms + EVIDENCE_AFTER_MS;
    q->hastened = true;
    uint64_t usual_ms = uv_timer_get_due_in(q->timer), wait_ms = due_ms - now_ms;
    if (!uv_is_active((const uv_handle_t *)q->timer) || wait_ms < usual_ms)
        uv_timer_start(q->timer, server_poll_on_timer, wait_ms, 0);
}

static void server_poll_soon(struct server_poll *q, unsigned least_ms)
{
    if (!q->host || q->cheap || q->live->cluster->servers.every_ms == 0 ||
        q->live->cluster->servers.every_ms > LEADER_MOST_MS)
        return;
    q->changed = q->changed || least_ms == CHANGED_LEAST_MS;
    if (q->asking)
        return; /* at its end */
    uint64_t now_ms = uv_now(q->live->loop), due_ms = poll_budget_due_ms(&q->budget);
    if (due_ms < q->ended_ms + least_ms)
        due_ms = q->ended_ms + least_ms;
    if (due_ms < now_ms + (q->changed ? CHANGED_AFTER_MS : 0))
        due_ms = now_ms + (q->changed ? CHANGED_AFTER_MS : 0);
    uint64_t wait_ms = due_ms - now_ms;
    if (!uv_is_active((const uv_handle_t *)q->timer) || wait_ms < uv_timer_get_due_in(q->timer))
        uv_timer_start(q->timer, server_poll_on_timer, wait_ms, 0);
}

void server_poll_changed(struct server_poll *q)
{
    server_poll_soon(q, CHANGED_LEAST_MS);
}

void server_poll_missed(struct server_poll *q)
{
    server_poll_soon(q, MISSED_LEAST_MS);
}

struct server_poll *server_poll_new(struct live_cluster *live, struct server_addresses *places,
                                    struct http *http, const struct server_address *place)
{
    struct server_poll *q = xcalloc(1, sizeof *q);
    q->live = live;
    q->places = places;
    q->http = http;
    q->ended = server_poll_on_ended;
    q->address = text_copy(place->address);
    q->host = text_copy(place->port ? place->host : NULL);
    q->timer = loop_timer_new(live->loop, q);
    snprintf(q->port, sizeof q->port, "%d", place->port);
    server_answer_clear(&q->answer);
    server_figures_clear(&q->before);
    q->server_id = q->address_connections_most = q->uptime_ms = -1;
    server_facts_report_unasked(q->live, q->address, false, place->port ? NULL : place->problem);
    if (!q->host) {
        server_facts_report_nothing(q->live, q->address, place->problem);
        q->rounds = 1;
    } else
        polled++;
    return q;
}

void server_poll_free(struct server_poll *q)
{
    if (!q)
        return;
    if (q->admin_ask)
        adminserver_cancel(q->admin_ask);
    if (q->word_ask)
        fourletter_cancel(q->word_ask);
    server_answer_free(&q->answer);
    server_answer_free(&q->identity);
    loop_timer_free(q->timer);
    polled -= q->host != NULL;
    free(q->address);
    free(q->host);
    free(q->admin_host);
    q->freed = true;
    if (!q->owed)
        free(q);
}

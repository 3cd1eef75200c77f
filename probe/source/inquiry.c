#include "probe/source/inquiry.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clock.h"
#include "probe/loop_timer.h"
#include "probe/source/inquiry_admin.h"
#include "probe/source/inquiry_round.h"
#include "probe/source/inquiry_word.h"
#include "probe/source/server_facts.h"
#include "probe/source/subject.h"

static void step_begin(struct inquiry *q);
static void ask(struct inquiry *q);

bool inquiry_is_demanded(const struct inquiry *q)
{
    return q->demanded || (q->asking && q->on_demand);
}

unsigned inquiry_rounds(const struct inquiry *q)
{
    return q->rounds;
}

/* The next round, and why not sooner. */

static void on_timer(uv_timer_t *timer);

static int64_t pause_ms(const struct inquiry *q)
{
    int64_t every_ms = q->live->cluster->servers.every_ms, ms = every_ms, third_ms = q->leader_timeout_ms / 3;
    if (third_ms && third_ms < LEADER_LEAST_MS)
        third_ms = LEADER_LEAST_MS;
    /* Whoever asks for longer pauses than the usual ones means it. */
    if (third_ms && third_ms < ms && every_ms <= LEADER_MOST_MS)
        ms = third_ms;
    int64_t least_ms = budget_pause_ms(&q->budget);
    return ms > least_ms ? ms : least_ms;
}

/* Lists of thousands come and go: the library would keep their room for the next ones. */
static void give_memory_back(const struct inquiry *q)
{
#ifdef __GLIBC__
    if (q->full && q->answer.figures.connections > MANY)
        malloc_trim(0);
#else
    (void)q;
#endif
}

static void round_end(struct inquiry *q)
{
    give_memory_back(q);
    q->asking = false;
    q->ended_ms = uv_now(q->live->loop);
    budget_spend(&q->budget, q->took_us, q->ended_ms);
    if (q->full || !q->evidence) /* those of a leader's end come in quick succession, and lists may be long */
        subjects_confirm(q->live);
    if (!q->cheap || !q->demanded)
        q->rounds++;
    if (q->demanded) {
        q->cheap = false;
        uv_timer_start(q->timer, on_timer, 0, 0);
    } else if (q->live->cluster->servers.every_ms > 0)
        uv_timer_start(q->timer, on_timer, (uint64_t)pause_ms(q), 0);
}

static void round_begin(struct inquiry *q)
{
    uv_timer_stop(q->timer); /* one on demand comes before its time */
    server_answer_free(&q->answer);
    server_answer_clear(&q->answer);
    q->asking = true;
    uint64_t now_ms = uv_now(q->live->loop);
    q->full = q->demanded || model_wants_second_look(q->live->model) || q->looks < LOOKS ||
              now_ms - q->moved_ms <= SETTLED_AFTER_MS || now_ms - q->looked_ms >= SETTLED_EVERY_MS;
    q->on_demand = q->demanded;
    q->evidence = model_wants_evidence(q->live->model, q->live->index);
    /* Watches can wait, but not for ever where leaders go one after the other. */
    if (q->evidence && !q->demanded && now_ms - q->looked_ms < SETTLED_AFTER_MS)
        q->full = false;
    q->demanded = q->hastened = false;
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

static void step_next(struct inquiry *q)
{
    q->step++;
    step_begin(q);
}

/* What a step brought. */

static bool moved(const struct inquiry *q)
{
    const struct server_figures *a = &q->before, *b = &q->answer.figures;
    return a->mode != b->mode || a->zxid != b->zxid || a->connections != b->connections ||
           a->watches != b->watches || a->watched_paths != b->watched_paths || a->watching != b->watching ||
           b->watches < 0;
}

static void connections_came(struct inquiry *q)
{
    facts_tell_connections(q->live, q->address, q->asked_at, q->pinged_us, q->counted_us,
                           &q->answer.connections);
    q->leader_timeout_ms = facts_leader_timeout_ms(q->live, &q->answer.connections);
    q->connections_known = true;
    connection_list_free(&q->answer.connections);
}

/* With those on children, which nobody lists: their number is what is left of all. All were counted before
 * these were listed, so those that were set since would hide as many. */
static int64_t all_watches(const struct inquiry *q)
{
    const struct server_figures *f = &q->answer.figures;
    int64_t listed = (int64_t)q->answer.watches.path_count;
    bool more = f->all_watches >= 0 && f->watches >= 0 && listed > f->watches;
    return f->all_watches + (more ? listed - f->watches : 0);
}

static void watches_came(struct inquiry *q)
{
    const struct server_figures *f = &q->answer.figures;
    facts_tell_watches(q->live, q->address, q->asked_at, q->way == BY_WORD ? "four-letter" : "adminserver",
                       &q->answer.watches, all_watches(q));
    if (q->way == BY_WORD) {
        q->wchc_watches = q->answer.watches.path_count;
        q->wchc_sessions = q->answer.watches.count;
    }
    watch_list_free(&q->answer.watches);
    q->looked_ms = uv_now(q->live->loop);
    if (moved(q)) {
        q->looks = 0;
        q->moved_ms = q->looked_ms;
    }
    q->looks++;
    q->before = *f;
}

static void step_succeeded(struct inquiry *q, int64_t took_us)
{
    switch (q->step) {
    case STEP_STATE:
    case STEP_AFTER:
        q->answer.figures.tick_ms = q->tick_ms;
        facts_tell_server(q->live, q->address, &q->answer.figures, true, took_us, NULL);
        break;
    case STEP_SUMMARY:
        q->full = q->full || moved(q);
        break;
    case STEP_BEFORE:
    case STEP_CONNECTIONS:
        connections_came(q);
        break;
    case STEP_WATCHES:
        watches_came(q);
        break;
    case STEP_ENDED:
    case STEP_SESSIONS:
        facts_tell_sessions(q->live, q->address, q->asked_at, &q->answer.sessions);
        session_list_free(&q->answer.sessions);
        break;
    case STEP_FIGURES:
        q->counted_us = q->asked_at.mono_us;
        break;
    case STEP_LENGTHS:
    case STEPS:
        break;
    }
    step_next(q);
}

/* It does not even say how it is, or nobody may ask it. */
static void state_failed(struct inquiry *q)
{
    const struct servers_settings *settings = &q->live->cluster->servers;
    bool by_word = settings->four_letter != CHOICE_OFF;
    char problem[600];
    bool asked = by_word || !settings->admin_off;
    if (by_word)
        snprintf(problem, sizeof problem, "%s", q->problems[BY_WORD]);
    else if (asked)
        snprintf(
            problem, sizeof problem,
            "%s; %s; switch on AdminServer (admin.enableServer), or four-letter words (four_letter: auto)",
            q->problems[BY_ADMINSERVER], q->problems[BY_WORD]);
    else
        snprintf(problem, sizeof problem,
                 "neither AdminServer nor four-letter words are asked; set admin: 8080 or four_letter: auto");
    q->connections_known = false;
    q->looks = 0;
    if (!asked) {
        bool ours = places_have_ours(q->places, q->host, atoi(q->port));
        facts_tell_unasked(q->live, q->address, ours, NULL);
    } else {
        facts_tell_server(q->live, q->address, &q->answer.figures, q->answered, -1,
                          q->problems[by_word ? BY_WORD : BY_ADMINSERVER]);
        q->places->missed = true;
    }
    facts_tell_nothing(q->live, q->address, problem);
    round_end(q);
}

/* Neither way led to an answer. */
static void step_failed(struct inquiry *q)
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
        /* All the words that will be needed, whichever is missed first: nobody restarts a server twice. */
        snprintf(problem, sizeof problem, "%s; %s; %s, or %s", q->problems[BY_ADMINSERVER],
                 q->problems[BY_WORD],
                 settings->admin_off ? "ask AdminServer (admin: 8080)"
                                     : "switch on AdminServer (admin.enableServer)",
                 settings->four_letter == CHOICE_OFF
                     ? "ask by four-letter words (four_letter: auto)"
                     : "allow cons, mntr, dump, wchs and wchc in 4lw.commands.whitelist");
        facts_tell_hidden(q->live, q->address, lack[q->step], problem);
        if (q->step == STEP_WATCHES)
            q->looks = 0;
        else if (q->step == STEP_BEFORE || q->step == STEP_CONNECTIONS)
            q->connections_known = false;
    } else if (q->step != STEP_AFTER) {
        snprintf(q->unpredicted[q->step], sizeof q->unpredicted[0], " (%.100s)", q->problems[BY_WORD]);
        q->full |= q->step == STEP_SUMMARY;
    }
    step_next(q);
}

/* One way did not lead to an answer: the other, if it was not tried yet. */
static void way_failed(struct inquiry *q, const char *problem)
{
    char *kept = q->problems[q->way];
    if (q->way == BY_ADMINSERVER && q->admin_host && strcmp(q->admin_host, q->host) == 0)
        snprintf(kept, sizeof q->problems[0], "AdminServer on port %d: %s", q->admin_port, problem);
    else if (q->way == BY_ADMINSERVER && q->admin_host)
        snprintf(kept, sizeof q->problems[0], "AdminServer at %.80s:%d: %s", q->admin_host, q->admin_port,
                 problem);
    else
        snprintf(kept, sizeof q->problems[0], "%s", problem);
    ask(q);
}

/* How an asking ended: in inquiry_round.h. */
static void on_ended(struct inquiry *q, const char *problem, int64_t took_us)
{
    if (problem)
        way_failed(q, problem);
    else
        step_succeeded(q, took_us);
}

/* The figures that every server tells by "srvr" first that way, all else first by AdminServer. */
static void ask(struct inquiry *q)
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
        inquiry_ask_by_word(q);
    else
        inquiry_ask_adminserver(q);
}

/* Our own session's last request tells that server's "now": so one is made just before. */

static void on_ping(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct inquiry *q = context;
    q->owed--;
    if (result == SESSION_LOST)
        q->pinged_us = 0; /* no server answered anything: it does not tell its "now" */
    if (q->freed) {
        if (!q->owed)
            free(q);
    } else if (q->pings && --q->pings == 0) {
        uv_timer_stop(q->timer);
        ask(q);
    }
}

static void on_ping_late(uv_timer_t *timer)
{
    struct inquiry *q = timer->data;
    q->pings = 0;
    q->pinged_us = 0;
    ask(q);
}

static void ask_after_ping(struct inquiry *q)
{
    const struct live *live = q->live;
    const char *path = *live->chroot ? live->chroot : "/";
    for (size_t i = 0; q->owed == 0 && i < live->lane_count; i++)
        q->pings += session_exists(live->lanes[i].session, path, false, on_ping, q);
    q->pinged_us = q->pings ? clock_now().mono_us : 0;
    q->owed += q->pings;
    if (q->pings)
        uv_timer_start(q->timer, on_ping_late, PING_WITHIN_MS, 0);
    else
        ask(q);
}

static void step_begin(struct inquiry *q)
{
    bool leads = q->answer.figures.mode == SERVER_LEADER || q->answer.figures.mode == SERVER_STANDALONE;
    bool words =
        !q->admin_host || q->admin_failed || q->proof == PROOF_FOREIGN; /* their length is predicted */
    bool wanted[STEPS + 1] = {[STEP_STATE] = true,
                              [STEP_LENGTHS] = q->evidence && words && leads && !q->cheap,
                              [STEP_ENDED] = q->evidence && leads && !q->cheap,
                              [STEP_AFTER] = q->evidence && leads && !q->cheap,
                              [STEP_BEFORE] =
                                  (q->evidence || (q->full && !q->connections_known)) && !q->cheap,
                              [STEP_SUMMARY] = (q->full || !q->evidence) && !q->cheap,
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
        round_end(q);
    else if (q->step == STEP_BEFORE || q->step == STEP_CONNECTIONS)
        ask_after_ping(q);
    else
        ask(q);
}

static void on_timer(uv_timer_t *timer)
{
    round_begin(timer->data);
}

void inquiry_begin(struct inquiry *q)
{
    if (!q->host || q->asking)
        return;
    q->cheap = q->live->cluster->servers.every_ms == 0;
    if (q->cheap)
        facts_tell_nothing(q->live, q->address, "not asked (every: off)");
    round_begin(q);
}

void inquiry_demand(struct inquiry *q)
{
    if (!q->host)
        return;
    if (q->asking && !q->cheap && q->rounds == 0) {
        q->on_demand = true; /* the first round asks everything anyway */
        return;
    }
    q->demanded = true;
    q->cheap = q->cheap && q->asking;
    if (!q->asking)
        round_begin(q);
}

void inquiry_hasten(struct inquiry *q)
{
    if (!q->host || q->asking || q->hastened || q->cheap || q->live->cluster->servers.every_ms == 0)
        return;
    uint64_t now_ms = uv_now(q->live->loop), due_ms = budget_due_ms(&q->budget);
    if (due_ms < q->ended_ms + EVIDENCE_LEAST_MS)
        due_ms = q->ended_ms + EVIDENCE_LEAST_MS;
    if (due_ms < now_ms + EVIDENCE_AFTER_MS)
        due_ms = now_ms + EVIDENCE_AFTER_MS;
    q->hastened = true;
    uint64_t usual_ms = uv_timer_get_due_in(q->timer), wait_ms = due_ms - now_ms;
    if (!uv_is_active((const uv_handle_t *)q->timer) || wait_ms < usual_ms)
        uv_timer_start(q->timer, on_timer, wait_ms, 0);
}

static char *copy(const char *text, bool *good)
{
    char *copied = text ? strdup(text) : NULL;
    *good = *good && (copied || !text);
    return copied;
}

struct inquiry *inquiry_new(struct live *live, struct places *places, struct http *http,
                            const struct server_place *place)
{
    struct inquiry *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    bool good = true;
    q->live = live;
    q->places = places;
    q->http = http;
    q->ended = on_ended;
    q->address = copy(place->address, &good);
    q->host = copy(place->port ? place->host : NULL, &good);
    q->timer = loop_timer_new(live->loop, q);
    snprintf(q->port, sizeof q->port, "%d", place->port);
    server_answer_clear(&q->answer);
    server_figures_clear(&q->before);
    if (!good || !q->timer) {
        free(q->address);
        free(q->host);
        loop_timer_free(q->timer);
        free(q);
        return NULL;
    }
    facts_tell_unasked(q->live, q->address, false, place->port ? NULL : place->problem);
    if (!q->host) {
        facts_tell_nothing(q->live, q->address, place->problem);
        q->rounds = 1;
    }
    return q;
}

void inquiry_free(struct inquiry *q)
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
    free(q->address);
    free(q->host);
    free(q->admin_host);
    q->freed = true;
    if (!q->owed)
        free(q);
}

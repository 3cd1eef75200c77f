#include "probe/source/inquiry.h"
#include "probe/source/subject.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/source/inquiry_round.h"
#include "probe/source/server_facts.h"
#include "probe/source/servers.h"

const struct inquiry_way inquiry_ways[STEPS] = {
    [STEP_STATE] = {ADMIN_SERVER_STATS, WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_SUMMARY] = {ADMIN_WATCH_SUMMARY, WORD_WCHS, FIGURES_WITHIN_MS},
    [STEP_FIGURES] = {ADMIN_MONITOR, WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_BEFORE] = {ADMIN_CONNECTIONS, WORD_CONS, LISTS_WITHIN_MS},
    [STEP_WATCHES] = {ADMIN_WATCHES, WORD_WCHC, LISTS_WITHIN_MS},
    [STEP_CONNECTIONS] = {ADMIN_CONNECTIONS, WORD_CONS, LISTS_WITHIN_MS},
    [STEP_SESSIONS] = {ADMIN_DUMP, WORD_DUMP, LISTS_WITHIN_MS},
};

static void step_begin(struct inquiry *q);
static void ask(struct inquiry *q);
static void ask_adminserver(struct inquiry *q);

const char *inquiry_address(const struct inquiry *q)
{
    return q->address;
}

bool inquiry_is_demanded(const struct inquiry *q)
{
    return q->demanded || (q->asking && q->on_demand);
}

bool inquiry_is_placed(const struct inquiry *q)
{
    return strcmp(q->port, "0") != 0;
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
    int64_t least_ms = q->took_us * PAUSE_FACTOR / 1000;
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
    q->demanded = q->hastened = false;
    q->took_us = 0;
    q->words_hang = false;
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
    facts_tell_connections(q->live, q->address, q->asked_at, q->pinged_us, &q->answer.connections);
    q->leader_timeout_ms = facts_leader_timeout_ms(q->live, &q->answer.connections);
    q->connections_known = true;
    connection_list_free(&q->answer.connections);
}

static void watches_came(struct inquiry *q)
{
    const struct server_figures *f = &q->answer.figures;
    facts_tell_watches(q->live, q->address, q->asked_at, q->way == BY_WORD ? "four-letter" : "adminserver",
                       &q->answer.watches, f->all_watches);
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

void inquiry_step_succeeded(struct inquiry *q, int64_t took_us)
{
    switch (q->step) {
    case STEP_STATE:
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
    case STEP_SESSIONS:
        facts_tell_sessions(q->live, q->address, q->asked_at, &q->answer.sessions);
        session_list_free(&q->answer.sessions);
        break;
    case STEP_FIGURES:
    case STEPS:
        break;
    }
    step_next(q);
}

/* Neither way led to an answer. */
static void step_failed(struct inquiry *q)
{
    static const struct {
        const char *what, *words;
        enum hidden_part part;
    } lack[STEPS] = {[STEP_BEFORE] = {"connections", "cons", HIDDEN_CONNECTIONS},
                     [STEP_WATCHES] = {"watches", "wchs and wchc", HIDDEN_WATCHES},
                     [STEP_CONNECTIONS] = {"connections", "cons", HIDDEN_CONNECTIONS},
                     [STEP_SESSIONS] = {"sessions", "mntr and dump", HIDDEN_SESSIONS}};
    char problem[600];
    if (q->step == STEP_STATE) {
        bool by_word = q->live->cluster->servers.four_letter != CHOICE_OFF;
        const char *why = q->problems[by_word ? BY_WORD : BY_ADMINSERVER];
        facts_tell_server(q->live, q->address, &q->answer.figures, q->answered, -1, why);
        q->connections_known = false;
        q->looks = 0;
        snprintf(problem, sizeof problem, "%s%s", why,
                 by_word ? "" : "; four-letter words are not asked (four_letter: off)");
        facts_tell_nothing(q->live, q->address, problem);
        round_end(q);
        return;
    } else if (lack[q->step].what) {
        snprintf(problem, sizeof problem,
                 "%s; %s; switch on AdminServer (admin.enableServer), or allow %s in 4lw.commands.whitelist",
                 q->problems[BY_ADMINSERVER], q->problems[BY_WORD], lack[q->step].words);
        facts_tell_hidden(q->live, q->address, lack[q->step].part, problem);
        if (q->step == STEP_WATCHES)
            q->looks = 0;
        else if (q->step != STEP_SESSIONS)
            q->connections_known = false;
    } else if (q->step == STEP_SUMMARY) {
        q->full = true;
    }
    step_next(q);
}

/* One way did not lead to an answer: the other, if it was not tried yet. */
void inquiry_way_failed(struct inquiry *q, const char *problem)
{
    char *kept = q->problems[q->way];
    if (q->way == BY_ADMINSERVER && q->admin_host)
        snprintf(kept, sizeof q->problems[0], "AdminServer on port %d: %s", q->admin_port, problem);
    else
        snprintf(kept, sizeof q->problems[0], "%s", problem);
    ask(q);
}

/* What a question cost the server, by how long it took. */
void inquiry_count_cost(struct inquiry *q, int64_t took_us, bool answered)
{
    int64_t within_us = inquiry_ways[q->step].within_ms * 1000;
    if (q->step == STEP_STATE || q->step == STEP_SUMMARY)
        return; /* next to nothing, but a server's very first answer takes long */
    if (took_us > within_us)
        took_us = within_us; /* this program was stopped meanwhile */
    if (answered)
        q->took_us += took_us;
    else if (inquiry_ways[q->step].within_ms == LISTS_WITHIN_MS)
        q->took_us += took_us < UNANSWERED_MS * 1000 ? took_us : UNANSWERED_MS * 1000;
}

/* What an answer must show to be believed. */

void inquiry_expect_ours(struct inquiry *q)
{
    q->ours_expected = facts_connected_to(q->live, q->address);
}

/* Some come and go between two answers; but a list of far fewer than there are is not all of it. */
static bool too_few(int64_t listed, int64_t counted)
{
    return counted > 0 && listed + 2 + counted / 4 < counted;
}

/* Why the list of this step cannot be all of it, or this server's; NULL: it can. */
const char *inquiry_doubt(const struct inquiry *q, char *reason, size_t size)
{
    const struct server_figures *f = &q->answer.figures;
    size_t connections = q->answer.connections.count, watches = q->answer.watches.path_count;
    reason[0] = '\0';
    switch (q->step) {
    case STEP_BEFORE:
    case STEP_CONNECTIONS:
        if (q->ours_expected && facts_connected_to(q->live, q->address) &&
            !facts_show_ours(q->live, &q->answer.connections))
            snprintf(reason, size, "our own session is connected there, but not in its list");
        else if (too_few((int64_t)connections, f->connections))
            snprintf(reason, size, "lists %zu connections, but counts %lld", connections,
                     (long long)f->connections);
        break;
    case STEP_WATCHES:
        if ((watches == 0 && f->watches > 0) || too_few((int64_t)watches, f->watches))
            snprintf(reason, size, "lists %zu watches, but counts %lld", watches, (long long)f->watches);
        break;
    case STEP_SESSIONS:
        if (q->answer.sessions.count && session_id(q->live->session) &&
            session_state(q->live->session) == CONNECTION_CONNECTED &&
            !facts_sessions_show_ours(q->live, &q->answer.sessions))
            snprintf(reason, size, "our own session lives, but is not in its list");
        break;
    default:
        break;
    }
    return reason[0] ? reason : NULL;
}

void inquiry_lists_free(struct inquiry *q)
{
    connection_list_free(&q->answer.connections);
    watch_list_free(&q->answer.watches);
    session_list_free(&q->answer.sessions);
}

/* Asking AdminServer. */

/* It failed: for how long it is not asked. */
static void leave_alone(struct inquiry *q, int64_t took_us, const char *problem)
{
    q->admin_failed = true;
    uint64_t pause_ms = (uint64_t)RETRY_FIRST_MS << (q->admin_failures < 4 ? q->admin_failures++ : 4);
    pause_ms = took_us < 100000 ? 0 : pause_ms < RETRY_MS ? pause_ms : RETRY_MS;
    q->admin_retry_ms = uv_now(q->live->loop) + pause_ms;
    snprintf(q->admin_failure, sizeof q->admin_failure, "%s", problem);
}

static void on_admin(void *context, const char *problem, int64_t took_us)
{
    struct inquiry *q = context;
    q->admin_ask = NULL;
    q->answered |= !problem;
    inquiry_count_cost(q, took_us, !problem);
    char doubtful[160];
    const char *doubted = problem ? NULL : inquiry_doubt(q, doubtful, sizeof doubtful);
    if (doubted) {
        inquiry_lists_free(q);
        inquiry_way_failed(q, doubted);
        return;
    }
    if (!problem) {
        q->admin_failed = false;
        q->admin_failures = 0;
        inquiry_step_succeeded(q, took_us);
        return;
    }
    q->proof = PROOF_OPEN; /* another may come in its place */
    /* Where it does not even tell its figures, or nothing in time, the rest need not be tried. */
    if (q->step <= STEP_SUMMARY || took_us >= inquiry_ways[q->step].within_ms * 1000)
        leave_alone(q, took_us, problem);
    inquiry_way_failed(q, problem);
}

/* Whose AdminServer it is. */

static void prove(struct inquiry *q, enum admin_command command);

static void proved(struct inquiry *q, const char *foreign)
{
    q->proof = foreign ? PROOF_FOREIGN : PROOF_OWN;
    q->proved_ms = uv_now(q->live->loop);
    server_answer_free(&q->identity);
    if (foreign) {
        snprintf(q->foreign, sizeof q->foreign, "%s", foreign);
        inquiry_way_failed(q, q->foreign);
    } else {
        ask_adminserver(q);
    }
}

/* Behind a forwarded port only what nobody else can know proves it: that our session is connected there. */
static void identity_came(struct inquiry *q)
{
    const struct server_figures *a = &q->identity.figures, *f = &q->answer.figures;
    char foreign[sizeof q->foreign];
    int port = atoi(q->port);
    bool elsewhere = a->client_port > 0 && a->client_port != port;
    if (elsewhere)
        snprintf(foreign, sizeof foreign, "it belongs to another server (its client port is %lld, not %d)",
                 (long long)a->client_port, port);
    else
        snprintf(foreign, sizeof foreign, "it does not tell whose it is (it names no client port)");
    if (q->proving == ADMIN_CONFIGURATION) {
        if (a->client_port == port)
            q->tick_ms = a->tick_ms;
        if (a->client_port == port)
            prove(q, ADMIN_SERVER_STATS);
        else if (elsewhere && servers_have_port(q->live->servers, (int)a->client_port))
            proved(q, foreign);
        else
            prove(q, ADMIN_CONNECTIONS);
    } else if (q->proving == ADMIN_CONNECTIONS) {
        proved(q, facts_show_ours(q->live, &q->identity.connections) ? NULL : foreign);
    } else if (f->version[0] && a->version[0] && strcmp(f->version, a->version) != 0) {
        snprintf(foreign, sizeof foreign, "it belongs to another server (its version is %s, not %s)",
                 a->version, f->version);
        proved(q, foreign);
    } else if (f->mode != SERVER_UNKNOWN && a->mode != SERVER_UNKNOWN && f->mode != a->mode) {
        proved(q, "it belongs to another server (it has another role)");
    } else if (f->zxid >= 0 && a->zxid >= 0 && (a->zxid < f->zxid || a->zxid >> 32 != f->zxid >> 32)) {
        proved(q, "it belongs to another server (its last transaction is another)");
    } else {
        proved(q, NULL);
    }
}

static void on_identity(void *context, const char *problem, int64_t took_us)
{
    struct inquiry *q = context;
    q->admin_ask = NULL;
    inquiry_count_cost(q, took_us, !problem);
    if (!problem || (q->proving == ADMIN_CONFIGURATION && took_us < FIGURES_WITHIN_MS * 1000 &&
                     strstr(problem, "not an answer"))) {
        identity_came(q);
        return;
    }
    server_answer_free(&q->identity);
    leave_alone(q, took_us, problem);
    inquiry_way_failed(q, problem);
}

static void prove(struct inquiry *q, enum admin_command command)
{
    if (command == ADMIN_CONFIGURATION)
        server_answer_clear(&q->identity);
    q->proving = command;
    q->admin_ask = adminserver_ask(q->http, q->admin_host, q->admin_port, command,
                                   command == ADMIN_CONNECTIONS ? LISTS_WITHIN_MS : FIGURES_WITHIN_MS,
                                   &q->identity, on_identity, q);
    if (!q->admin_ask)
        inquiry_way_failed(q, "out of memory");
}

static void ask_adminserver(struct inquiry *q)
{
    bool retry = q->step <= STEP_SUMMARY && uv_now(q->live->loop) >= q->admin_retry_ms;
    char failure[sizeof q->admin_failure];
    if (!q->admin_host) {
        inquiry_way_failed(q, "AdminServer is not asked (admin: off)");
    } else if (q->admin_failed && !retry) {
        memcpy(failure, q->admin_failure, sizeof failure);
        inquiry_way_failed(q, failure);
    } else if (q->proof == PROOF_FOREIGN) {
        memcpy(failure, q->foreign, sizeof q->foreign);
        inquiry_way_failed(q, failure);
    } else if (q->proof == PROOF_OPEN) {
        prove(q, ADMIN_CONFIGURATION);
    } else {
        inquiry_expect_ours(q);
        q->asked_at = live_now();
        q->admin_ask = adminserver_ask(q->http, q->admin_host, q->admin_port, inquiry_ways[q->step].command,
                                       inquiry_ways[q->step].within_ms, &q->answer, on_admin, q);
        if (!q->admin_ask)
            inquiry_way_failed(q, "out of memory");
    }
}

/* The figures that every server tells by "srvr" first that way, all else first by AdminServer. */
static void ask(struct inquiry *q)
{
    enum way first = q->step == STEP_STATE ? BY_WORD : BY_ADMINSERVER;
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
        ask_adminserver(q);
}

/* Our own session's last request tells that server's "now": so one is made just before. */

static void on_ping(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    (void)result, (void)stat, (void)data, (void)length;
    struct inquiry *q = context;
    q->owed--;
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
    q->pinged_us = q->pings ? live_now().mono_us : 0;
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
                              [STEP_SUMMARY] = !q->cheap,
                              [STEP_FIGURES] = (q->full || (q->evidence && words)) && !q->cheap,
                              [STEP_BEFORE] = q->full && !q->cheap && !q->connections_known,
                              [STEP_WATCHES] = q->full && !q->cheap,
                              [STEP_CONNECTIONS] = !q->cheap,
                              [STEP_SESSIONS] = (q->full || q->evidence) && !q->cheap && leads,
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
    uint64_t now_ms = uv_now(q->live->loop);
    int64_t least_ms = q->took_us * PAUSE_FACTOR / 1000;
    uint64_t due_ms = q->ended_ms + (uint64_t)(least_ms > EVIDENCE_LEAST_MS ? least_ms : EVIDENCE_LEAST_MS);
    q->hastened = true;
    uint64_t usual_ms = uv_timer_get_due_in(q->timer), wait_ms = due_ms > now_ms ? due_ms - now_ms : 0;
    if (!uv_is_active((const uv_handle_t *)q->timer) || wait_ms < usual_ms)
        uv_timer_start(q->timer, on_timer, wait_ms, 0);
}

static char *copy(const char *text, bool *good)
{
    char *copied = text ? strdup(text) : NULL;
    *good = *good && (copied || !text);
    return copied;
}

struct inquiry *inquiry_new(struct live *live, struct http *http, const struct inquiry_place *place)
{
    struct inquiry *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    bool good = true;
    q->live = live;
    q->http = http;
    q->address = copy(place->address, &good);
    q->host = copy(place->port ? place->host : NULL, &good);
    q->admin_host = copy(place->admin_host, &good);
    q->admin_port = place->admin_port;
    q->timer = calloc(1, sizeof *q->timer);
    snprintf(q->port, sizeof q->port, "%d", place->port);
    server_answer_clear(&q->answer);
    server_figures_clear(&q->before);
    if (!good || !q->timer) {
        free(q->address);
        free(q->host);
        free(q->admin_host);
        free(q->timer);
        free(q);
        return NULL;
    }
    uv_timer_init(live->loop, q->timer);
    q->timer->data = q;
    facts_tell_server(q->live, q->address, &q->answer.figures, false, -1, "not asked yet");
    if (!q->host) {
        facts_tell_server(q->live, q->address, &q->answer.figures, false, -1, PLACE_UNKNOWN);
        facts_tell_nothing(q->live, q->address, PLACE_UNKNOWN);
        q->rounds = 1;
    }
    return q;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle);
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
    uv_timer_stop(q->timer);
    uv_close((uv_handle_t *)q->timer, on_timer_closed);
    free(q->address);
    free(q->host);
    free(q->admin_host);
    q->freed = true;
    if (!q->owed)
        free(q);
}

#include "probe/watch/server_poll_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "probe/watch/server_facts.h"

const struct server_poll_way inquiry_ways[STEPS] = {
    [STEP_STATE] = {ADMIN_SERVER_STATS, FOURLETTER_WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_LENGTHS] = {ADMIN_MONITOR, FOURLETTER_WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_ENDED] = {ADMIN_DUMP, FOURLETTER_WORD_DUMP, LISTS_WITHIN_MS},
    [STEP_AFTER] = {ADMIN_SERVER_STATS, FOURLETTER_WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_SUMMARY] = {ADMIN_WATCH_SUMMARY, FOURLETTER_WORD_WCHS, FIGURES_WITHIN_MS},
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
    return step == STEP_STATE || step == STEP_SUMMARY || step == STEP_AFTER;
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
        return; /* they cost next to nothing */
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

/* Some come and go between two answers; but a list of far fewer than there are is not all of it. */
static bool too_few(int64_t listed, int64_t counted)
{
    return counted > 0 && listed + 2 + counted / 4 < counted;
}

/* Why the list of this step cannot be all of it, or this server's; NULL: it can. */
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
            snprintf(reason, size, "our own session is connected there, but not in its list");
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
            snprintf(reason, size, "our own session lives, but is not in its list");
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

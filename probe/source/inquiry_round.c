#include "probe/source/inquiry_round.h"

#include <stdio.h>
#include <stdlib.h>

#include "probe/source/server_facts.h"

const struct inquiry_way inquiry_ways[STEPS] = {
    [STEP_STATE] = {ADMIN_SERVER_STATS, WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_LENGTHS] = {ADMIN_MONITOR, WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_ENDED] = {ADMIN_DUMP, WORD_DUMP, LISTS_WITHIN_MS},
    [STEP_AFTER] = {ADMIN_SERVER_STATS, WORD_SRVR, FIGURES_WITHIN_MS},
    [STEP_SUMMARY] = {ADMIN_WATCH_SUMMARY, WORD_WCHS, FIGURES_WITHIN_MS},
    [STEP_FIGURES] = {ADMIN_MONITOR, WORD_MNTR, FIGURES_WITHIN_MS},
    [STEP_BEFORE] = {ADMIN_CONNECTIONS, WORD_CONS, LISTS_WITHIN_MS},
    [STEP_WATCHES] = {ADMIN_WATCHES, WORD_WCHC, LISTS_WITHIN_MS},
    [STEP_CONNECTIONS] = {ADMIN_CONNECTIONS, WORD_CONS, LISTS_WITHIN_MS},
    [STEP_SESSIONS] = {ADMIN_DUMP, WORD_DUMP, LISTS_WITHIN_MS},
};

void inquiry_step_succeeded(struct inquiry *q, int64_t took_us)
{
    q->ended(q, NULL, took_us);
}

void inquiry_way_failed(struct inquiry *q, const char *problem)
{
    q->ended(q, problem, 0);
}

bool inquiry_asks_figures(enum step step)
{
    return step == STEP_STATE || step == STEP_SUMMARY || step == STEP_AFTER;
}

void inquiry_count_cost(struct inquiry *q, int64_t took_us, bool answered)
{
    int64_t within_us = inquiry_ways[q->step].within_ms * 1000;
    if (inquiry_asks_figures(q->step))
        return; /* a server's very first answer takes long all the same */
    if (took_us > within_us)
        took_us = within_us; /* this program was stopped meanwhile */
    if (answered)
        q->took_us += took_us;
    else if (inquiry_ways[q->step].within_ms == LISTS_WITHIN_MS)
        q->took_us += took_us < UNANSWERED_MS * 1000 ? took_us : UNANSWERED_MS * 1000;
}

void inquiry_expect_ours(struct inquiry *q)
{
    q->ours_expected = places_have_ours(q->places, q->host, atoi(q->port));
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
        if (q->ours_expected && places_have_ours(q->places, q->host, atoi(q->port)) &&
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
    case STEP_ENDED:
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

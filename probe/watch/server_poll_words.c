#include "probe/watch/server_poll.h"

#include <stdio.h>
#include <string.h>

#include "probe/clock.h"

/* The longest path to expect in a watch here: twice that of our elections' candidates. */
static size_t path_guess(const struct server_poll *q)
{
    const struct cluster *cluster = &q->live->model->clusters[q->live->index];
    size_t longest = 64;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *e = cluster->elections[i];
        size_t length = strlen(e->path) + (e->candidate_count ? strlen(e->candidates[0]->name) + 1 : 0);
        if (length > longest)
            longest = length;
    }
    return 2 * longest;
}

/* Limits an implausible figure before it is multiplied. */
static int64_t bounded(int64_t figure)
{
    return figure < 0 ? -1 : figure < FIGURE_MOST ? figure : FIGURE_MOST;
}

/* An upper bound of the length of this step's answer; -1: unknown. */
static int64_t predicted_bytes(const struct server_poll *q)
{
    const struct server_figures *f = &q->answer.figures;
    int64_t path = (int64_t)path_guess(q), connections = bounded(f->connections),
            watches = bounded(f->watches), watching = bounded(f->watching), sessions = bounded(f->sessions),
            ephemerals = bounded(f->ephemerals);
    switch (q->step) {
    case STEP_BEFORE:
    case STEP_CONNECTIONS:
        return connections < 0 ? -1 : (connections + 1) * 260;
    case STEP_WATCHES:
        if (watches < 0 || watching < 0)
            return -1;
        if (q->wchc_bytes && watches <= 2 * (int64_t)q->wchc_watches &&
            watching <= 2 * (int64_t)q->wchc_sessions)
            return (int64_t)q->wchc_bytes * 2;
        return watching * 20 + watches * (path + 2);
    case STEP_ENDED:
    case STEP_SESSIONS:
        if (sessions < 0 || ephemerals < 0 || connections < 0)
            return -1;
        return sessions * 42 + ephemerals * (path + 2) + connections * 70 + 1000;
    default:
        return 0;
    }
}

/* The prediction comes from an earlier answer. */
static bool is_predicted(enum step step)
{
    return step == STEP_WATCHES || step == STEP_ENDED || step == STEP_CONNECTIONS || step == STEP_SESSIONS;
}

static void server_poll_words_on_word(void *context, const char *problem, const char *text, size_t length,
                                      int64_t took_us)
{
    struct server_poll *q = context;
    enum fourletter_word word = server_poll_ways[q->step].word;
    char reason[200];
    q->word_ask = NULL;
    q->answered |= text != NULL;
    if (text)
        problem = fourletter_word_read(word, text, &q->answer);
    server_poll_count_cost(q, &q->answer, took_us, text != NULL);
    char doubtful[160];
    if (!problem && (problem = server_poll_doubt(q, doubtful, sizeof doubtful)))
        server_poll_lists_free(q);
    if (!problem) {
        if (q->step == STEP_WATCHES)
            q->wchc_bytes = length;
        server_poll_step_succeeded(q, took_us);
        return;
    }
    q->word_off[word] |= fourletter_word_is_switched_off(problem);
    q->words_hang |= !text && took_us >= server_poll_ways[q->step].within_ms * 1000;
    /* A server that hangs, or reports that it does not serve, is not asked the other way. */
    if (q->step == STEP_STATE &&
        (text ? !fourletter_word_is_switched_off(problem) : took_us >= FIGURES_WITHIN_MS * 1000))
        q->tried |= 1U << BY_ADMINSERVER;
    if (q->step == STEP_STATE && !fourletter_word_is_switched_off(problem)) {
        server_poll_way_failed(q, problem);
    } else {
        snprintf(reason, sizeof reason, "%s: %s", fourletter_word_text(word), problem);
        server_poll_way_failed(q, reason);
    }
}

void server_poll_ask_by_word(struct server_poll *q)
{
    enum fourletter_word word = server_poll_ways[q->step].word;
    char reason[200];
    int64_t bytes = predicted_bytes(q);
    enum step reported = q->step == STEP_WATCHES ? STEP_SUMMARY /* reports the size */
                         : q->step == STEP_ENDED ? STEP_LENGTHS
                                                 : STEP_FIGURES;
    bool unreported = bytes < 0 && is_predicted(q->step);
    if (q->live->cluster->servers.four_letter == CHOICE_OFF) {
        server_poll_way_failed(q, "four-letter words are not used (four_letter: off)");
    } else if (q->word_off[word] || (unreported && q->word_off[server_poll_ways[reported].word])) {
        snprintf(reason, sizeof reason, "%s: switched off (4lw.commands.whitelist)",
                 fourletter_word_text(q->word_off[word] ? word : server_poll_ways[reported].word));
        server_poll_way_failed(q, reason);
    } else if (q->words_hang) {
        snprintf(reason, sizeof reason, "%s is not sent: the server did not answer another word in time",
                 fourletter_word_text(word));
        server_poll_way_failed(q, reason);
    } else if (bytes < 0) {
        snprintf(reason, sizeof reason, "%s is not sent: the length of its answer is not known%s",
                 fourletter_word_text(word), unreported ? q->unpredicted[reported] : "");
        server_poll_way_failed(q, reason);
    } else if (bytes > WORD_MOST_BYTES) {
        snprintf(reason, sizeof reason,
                 "%s is not sent: its answer may be %lld KB, and answers above %d KB can stall a server",
                 fourletter_word_text(word), (long long)(bytes >> 10), WORD_MOST_BYTES >> 10);
        server_poll_way_failed(q, reason);
    } else {
        server_poll_expect_ours(q);
        q->asked_at = clock_now();
        q->word_ask = fourletter_ask(
            q->live->loop, &q->live->cluster->security, q->host, q->port, fourletter_word_text(word),
            (uint64_t)server_poll_ways[q->step].within_ms, WORD_LIMIT_BYTES, server_poll_words_on_word, q);
    }
}

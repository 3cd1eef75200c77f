#include "probe/zookeeper/read_account.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/session_attempt.h"
#include "probe/zookeeper/session_io.h"
#include "probe/zookeeper/session_state.h"

/* What news pays for is limited: nothing lists more entries than this and reads each of them twice. */
#define CREDIT_MOST 4000000u
/* Beside each entry of a list: the watches and acknowledgements that the list leads to. */
#define LIST_MORE 8
#define REPORT_EVERY_MS 60000u
/* Credit that is unused for so long expires. A server that takes longer to answer is lost. */
#define NEWS_MOST_MS 10000u

struct read_account {
    uv_loop_t *loop;
    uv_timer_t *timer;
    size_t credit;    /* of news */
    double tokens;    /* of the time passed */
    uint64_t news_ms; /* when there was news, or news paid, the latest time */
    uint64_t refilled_ms, reported_ms;
    struct request *first, *last; /* waiting, linked by next */
    struct request *last_urgent;  /* the last of those that go before the others; NULL: there is none */
    bool was_urgent;              /* the latest that was paid was one of them: now it is the others' turn */
    struct read_figures figures;
    void (*delays)(void *context, const char *path);
    void *context;
};

struct read_account *read_account_new(uv_loop_t *loop, void (*delays)(void *context, const char *path),
                                      void *context)
{
    struct read_account *a = xcalloc(1, sizeof *a);
    *a = (struct read_account){.loop = loop,
                               .timer = loop_timer_new(loop, a),
                               .tokens = 1,
                               .refilled_ms = uv_now(loop),
                               .delays = delays,
                               .context = context};
    return a;
}

void read_account_free(struct read_account *a)
{
    if (!a)
        return;
    loop_timer_free(a->timer);
    free(a);
}

struct read_figures read_account_figures(const struct read_account *a)
{
    return a->figures;
}

static size_t account_credit(struct read_account *a)
{
    if (uv_now(a->loop) - a->news_ms > NEWS_MOST_MS)
        a->credit = 0;
    return a->credit;
}

void read_account_grant(struct read_account *a, size_t reads)
{
    size_t room = CREDIT_MOST - account_credit(a);
    a->credit += reads < room ? reads : room;
    a->news_ms = uv_now(a->loop);
}

void read_account_listed(struct read_account *a, size_t entries)
{
    read_account_grant(a, 2 * entries + LIST_MORE);
}

static void account_refill(struct read_account *a)
{
    uint64_t now = uv_now(a->loop);
    a->tokens += (double)(now - a->refilled_ms) * READS_PER_S / 1000;
    if (a->tokens > 1)
        a->tokens = 1;
    a->refilled_ms = now;
}

/* Takes a read from the time passed. */
static bool account_take_token(struct read_account *a)
{
    account_refill(a);
    if (a->tokens < 1)
        return false;
    a->tokens -= 1;
    a->figures.sent++;
    return true;
}

bool read_account_take(struct read_account *a, bool may_be_news)
{
    if (!may_be_news || account_credit(a) == 0)
        return !a->first && account_take_token(a);
    a->credit--;
    a->news_ms = uv_now(a->loop);
    a->figures.sent++;
    return true;
}

void read_account_count(struct read_account *a)
{
    a->figures.sent++;
}

/* before: the one that waits before it; NULL: none does. */
static struct request *account_remove(struct read_account *a, struct request *before)
{
    struct request *r = before ? before->next : a->first;
    if (before)
        before->next = r->next;
    else
        a->first = r->next;
    a->last = a->last == r ? before : a->last;
    a->last_urgent = a->last_urgent == r ? before : a->last_urgent;
    a->figures.waiting--;
    request_attach(r);
    return r;
}

/* Waiting requests are paid by time alone: the credit of news is for the reads that follow it. */
static void account_on_timer(uv_timer_t *timer)
{
    struct read_account *a = timer->data;
    static const struct session_answer lost = {.result = SESSION_LOST};
    while (a->first && account_take_token(a)) {
        bool others = a->was_urgent && a->last_urgent && a->last_urgent->next;
        a->was_urgent = a->last_urgent && !others;
        struct request *r = account_remove(a, others ? a->last_urgent : NULL);
        struct session *s = r->all->session;
        if (s->state != CONNECTION_CONNECTED || s->paused || session_attempt_broke(s) || !r->send(r)) {
            request_answer(r, &lost);
            continue;
        }
        if (session_attempt_broke(s))
            session_io_let_go(s->io); /* answered in this turn */
        session_io_this_turn(s->io);
    }
    if (!a->first)
        uv_timer_stop(timer);
}

static void account_add(struct read_account *a, struct request *r)
{
    request_detach(r);
    struct request *before = r->urgent ? a->last_urgent : a->last;
    r->next = before ? before->next : a->first;
    if (before)
        before->next = r;
    else
        a->first = r;
    if (!r->next)
        a->last = r;
    if (r->urgent)
        a->last_urgent = r;
    a->figures.waiting++;
}

void read_account_keep(struct read_account *a, struct request *r)
{
    account_add(a, r);
    a->figures.delayed++;
    if (!uv_is_active((uv_handle_t *)a->timer))
        uv_timer_start(a->timer, account_on_timer, 1000 / READS_PER_S, 1000 / READS_PER_S);
    if (a->delays && (!a->reported_ms || uv_now(a->loop) - a->reported_ms >= REPORT_EVERY_MS)) {
        a->reported_ms = uv_now(a->loop) ? uv_now(a->loop) : 1;
        a->delays(a->context, r->path);
    }
}

void read_account_lost(struct read_account *a, const struct session *session)
{
    static const struct session_answer lost = {.result = SESSION_LOST};
    struct request *before = NULL, *r;
    while ((r = before ? before->next : a->first)) {
        if (r->all->session != session) {
            before = r;
            continue;
        }
        request_answer(account_remove(a, before), &lost);
        before = NULL; /* the answer may have let others wait */
    }
}

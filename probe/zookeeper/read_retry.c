#include "probe/zookeeper/read_retry.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/loop_timer.h"
#include "probe/transport/frame.h"
#include "probe/zookeeper/session_io.h"
#include "probe/zookeeper/session_attempt.h"
#include "probe/zookeeper/session_state.h"

#define PAUSE_FIRST_MS 500u
#define PAUSE_MOST_MS 10000u
/* The limit of simultaneous retries: enough to progress once the servers answer, too few to overload them. */
#define AT_A_TIME 64

struct again {
    struct request *first, *last; /* the waiting requests, linked by next */
    unsigned under_way;           /* the number of requests sent again */
    bool refused;                 /* one was refused since they were last sent */
    bool reported;                /* the listener was notified of refusals */
    unsigned pause_ms;            /* the latest; 0: none yet */
    uv_timer_t *timer;
};

/* The connection is lost; read_retry_lost() will be called in a moment. */
static bool is_gone(const struct session *s)
{
    return s->closing || s->state != CONNECTION_CONNECTED || session_attempt_broke(s);
}

static void again_send(struct session *s);

static void read_retry_on_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;
    if (s->paused)
        uv_timer_start(timer, read_retry_on_timer, s->again->pause_ms, 0);
    else
        again_send(s);
}

static void again_begin(struct session *s)
{
    if (s->again)
        return;
    s->again = xcalloc(1, sizeof *s->again);
    s->again->timer = loop_timer_new(s->loop, s);
}

static void read_retry_report(struct session *s, const struct request *r, int rc)
{
    char problem[200];
    if (!s->listener.refused)
        return;
    if (rc == ZMARSHALLINGERROR)
        snprintf(problem, sizeof problem,
                 "%.100s is not read: it has more than %u children, or an answer of more than %u MB", r->path,
                 FRAME_CHILDREN_MOST, FRAME_LENGTH_MOST >> 20);
    else if (rc == ZTHROTTLEDOP)
        snprintf(problem, sizeof problem,
                 "the server is overloaded and drops requests; electop sends them again");
    else
        snprintf(problem, sizeof problem, "the server refuses requests (%s); electop sends them again",
                 zerror(rc));
    s->again->reported = true;
    s->listener.refused(s->context, r->path, r->lists, problem);
}

/* All repeated requests have been answered, with success or not. */
static void again_settle(struct session *s)
{
    struct again *a = s->again;
    if (a->under_way > 0 || uv_is_active((uv_handle_t *)a->timer) || is_gone(s))
        return;
    if (a->first && a->refused) {
        a->pause_ms = a->pause_ms ? a->pause_ms * 2 : PAUSE_FIRST_MS;
        if (a->pause_ms > PAUSE_MOST_MS)
            a->pause_ms = PAUSE_MOST_MS;
        uv_timer_start(a->timer, read_retry_on_timer, a->pause_ms, 0);
        return;
    }
    a->pause_ms = 0;
    if (a->first) {
        again_send(s);
    } else if (a->reported) {
        a->reported = false;
        s->listener.refused(s->context, NULL, false, NULL);
    }
}

static struct request *take_first(struct again *a)
{
    struct request *r = a->first;
    a->first = r->next;
    if (!a->first)
        a->last = NULL;
    return r;
}

static void again_send(struct session *s)
{
    struct again *a = s->again;
    a->refused = false;
    for (unsigned n = 0; n < AT_A_TIME && a->first && !is_gone(s); n++) {
        struct request *r = take_first(a);
        request_attach(r);
        if (!r->send(r)) {
            request_detach(r);
            r->next = a->first;
            a->first = r;
            a->last = a->last ? a->last : r;
            break;
        }
        a->under_way++;
    }
    if (session_attempt_broke(s))
        session_io_let_go(s->io); /* answered in this turn */
    session_io_this_turn(s->io);
}

static void read_retry_keep(struct again *a, struct request *r)
{
    request_detach(r);
    r->all->answered++;
    if (a->last)
        a->last->next = r;
    else
        a->first = r;
    a->last = r;
}

/* The result says nothing about the znode, permissions or the connection: those have other codes. */
static bool says_nothing(const struct request *r, int rc, const struct session_answer *answer)
{
    return rc != ZOK && (answer->result == SESSION_FAILED || answer->result == SESSION_BUSY ||
                         (answer->result == SESSION_TOO_LARGE && !r->may_be_too_large &&
                          r->all->session->listener.refused)); /* else its error would be lost */
}

void read_retry_answer(struct request *r, int rc, const struct session_answer *answer)
{
    struct session *s = r->all->session;
    bool was_refused = r->refusals > 0;
    /* A cancelled request needs no answer. */
    bool refused = r->send && says_nothing(r, rc, answer) && r->fn && !s->closing;
    if (was_refused && s->again)
        s->again->under_way--;
    if (refused) {
        again_begin(s);
        s->again->refused = true;
        r->refusals++;
        read_retry_keep(s->again, r);
        if (r->refusals == 2) /* a single refusal ends before anyone could read about it */
            read_retry_report(s, r, rc);
    }
    if (!refused)
        request_answer(r, answer);
    if (refused || was_refused)
        again_settle(s);
}

void read_retry_lost(struct session *s)
{
    static const struct session_answer lost = {.result = SESSION_LOST};
    struct again *a = s->again;
    if (!a)
        return;
    uv_timer_stop(a->timer);
    a->pause_ms = 0;
    a->reported = a->refused = false;
    while (a->first) {
        struct request *r = take_first(a);
        request_attach(r);
        request_answer(r, &lost);
    }
}

void read_retry_free(struct session *s)
{
    if (!s->again)
        return;
    loop_timer_free(s->again->timer);
    free(s->again);
    s->again = NULL;
}

/*
 * connect_limiter.h - lets many sessions connect a few at a time, and keeps their turns of the loop short.
 *
 * A server's backlog holds 50 connects; each further connect delays its client by a second. Thousands of
 * sessions that lost the same server would retry thousands of times a second, even if each backs off. So
 * sessions ask the limiter first. A small window connects at once. While attempts fail, sessions connect one
 * at a time, at growing intervals.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_CONNECT_LIMITER_H
#define ELECTOP_PROBE_ZOOKEEPER_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct connect_limiter;

/* A session's pass. Zeroed except for go and context; must stay until it is neither held nor waiting. */
struct connect_limiter_pass {
    /* The session's turn has come, and it holds the pass. Called from the loop, or from
     * connect_limiter_turn(). */
    void (*go)(void *context);
    void *context;
    bool held, waiting;
    struct connect_limiter_pass *next, *previous;
};

struct connect_limiter *connect_limiter_new(uv_loop_t *loop);
/* No pass may be held or waiting. NULL is allowed. */
void connect_limiter_free(struct connect_limiter *connect_limiter);

/* True: the pass is held, go ahead. False: go() is called later. */
bool connect_limiter_enter(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass);
/* The attempt has ended, successfully or not, or the session ended first. A waiting pass just leaves the
 * queue. */
void connect_limiter_leave(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass,
                           bool failed);
void connect_limiter_cancel(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass);

/*
 * Admits the next sessions, at a point where no session is in the middle of an operation. The loop's next
 * turn does this anyway, but a turn with thousands of busy sessions is long, and the window would be half
 * empty until then.
 */
void connect_limiter_turn(struct connect_limiter *connect_limiter);

/*
 * Adds a session's working time, and returns whether the sessions have used their time in this turn of the
 * loop, so that the others should wait for the next one. libuv continues a turn as long as input arrives: ten
 * thousand sessions that all read a long list delay its timers, and with them every ping, until the servers
 * count as dead.
 */
void connect_limiter_spend(struct connect_limiter *connect_limiter, uint64_t ns);
bool connect_limiter_is_spent(const struct connect_limiter *connect_limiter);

struct connect_limiter_figures {
    uint64_t attempts, failures;
    unsigned under_way;
    unsigned failures_in_a_row;
};
struct connect_limiter_figures connect_limiter_figures(const struct connect_limiter *connect_limiter);

#endif

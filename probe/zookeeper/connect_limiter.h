/*
 * connect_limiter.h - lets many sessions connect a few at a time, and keeps their turns of the loop short.
 *
 * A server's backlog holds 50 connects; each one over it costs its client a second. And thousands of sessions
 * that have lost the same server would ask after it thousands of times a second, each with a back-off of its
 * own. So they ask here first: a small window goes in at once, and while attempts fail, one at a time, ever
 * more seldom.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_CONNECT_LIMITER_H
#define ELECTOP_PROBE_ZOOKEEPER_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct connect_limiter;

/* A session's place at the limiter. Zeroed but for go and context; must stay until it is neither held nor
 * waiting. */
struct connect_limiter_pass {
    /* Its turn has come: it holds the pass. Called from the loop, or from connect_limiter_turn(). */
    void (*go)(void *context);
    void *context;
    bool held, waiting;
    struct connect_limiter_pass *next, *previous;
};

struct connect_limiter *connect_limiter_new(uv_loop_t *loop);
/* No pass may be held or waiting. NULL is fine. */
void connect_limiter_free(struct connect_limiter *connect_limiter);

/* True: go ahead, the pass is held. False: go() is called later. */
bool connect_limiter_enter(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass);
/* The attempt has ended, successfully or not; or the session has, before it could say. A pass that is not
   held just leaves the queue. */
void connect_limiter_leave(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass,
                           bool failed);
void connect_limiter_cancel(struct connect_limiter *connect_limiter, struct connect_limiter_pass *pass);

/*
 * Lets in the next sessions, at a point where no session is in the middle of something. It happens by itself
 * in the loop's next turn; but a turn with thousands of busy sessions is long, and the window would be half
 * empty until then.
 */
void connect_limiter_turn(struct connect_limiter *connect_limiter);

/*
 * How long each has worked, and whether all have worked so long in this turn of the loop that the others
 * should wait for the next one. libuv goes on in one turn for as long as more comes in: ten thousand who all
 * read a long list hold off its timers, and with them every ping, until the servers take them for dead.
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

/*
 * gate.h - lets many sessions connect a few at a time, and keeps their turns of the loop, and their ends,
 * short.
 *
 * A server's backlog holds 50 connects; each one over it costs its client a second. And thousands of sessions
 * that have lost the same server would ask after it thousands of times a second, each with a back-off of its
 * own. So they ask here first: a small window goes in at once, and while attempts fail, one at a time, ever
 * more seldom.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_GATE_H
#define ELECTOP_PROBE_ZOOKEEPER_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct gate;

/* A session's place at the gate. Zeroed but for go and context; must stay until it is neither held nor
 * waiting. */
struct gate_pass {
    /* Its turn has come: it holds the pass. Called from the loop, or from gate_turn(). */
    void (*go)(void *context);
    void *context;
    bool held, waiting;
    struct gate_pass *next, *previous;
};

/* NULL: out of memory. */
struct gate *gate_new(uv_loop_t *);
/* No pass may be held or waiting. NULL is fine. */
void gate_free(struct gate *);

/* True: go ahead, the pass is held. False: go() is called later. */
bool gate_enter(struct gate *, struct gate_pass *);
/* The attempt has ended, well or not; or the session has, before it could say. What is not held just leaves
   the queue. */
void gate_leave(struct gate *, struct gate_pass *, bool failed);
void gate_cancel(struct gate *, struct gate_pass *);

/*
 * Lets in who may go in by now, from wherever no session is in the middle of something. It happens by itself
 * in the loop's next turn; but a turn in which thousands have something to do is long, and the window would
 * stand half empty until then.
 */
void gate_turn(struct gate *);

/*
 * How long each has worked, and whether all have worked so long in this turn of the loop that the others
 * should wait for the next one. libuv goes on in one turn for as long as more comes in: ten thousand who all
 * read a long list hold off its timers, and with them every ping, until the servers take them for dead.
 */
void gate_spend(struct gate *, uint64_t ns);
bool gate_is_spent(const struct gate *);

/*
 * How long one of them took to take leave of its server, which blocks (session_close()); and whether the
 * others should not wait for that: for ten seconds after one that waited in vain. A hundred sessions with a
 * server that hangs would hold up the loop for minutes, and with it every key and signal.
 */
void gate_took_leave(struct gate *, uint64_t ns);
bool gate_hurries(const struct gate *);

struct gate_figures {
    uint64_t attempts, failures;
    unsigned under_way;
    unsigned failures_in_a_row;
};
struct gate_figures gate_figures(const struct gate *);

#endif

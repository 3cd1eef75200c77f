/*
 * playground.h - a loop with a private ZooKeeper on it, for tests of test candidates against a real server.
 *
 * One for all the tests of a program: each takes an election of its own. Whatever goes wrong fails the test.
 */
#ifndef ELECTOP_TESTS_SUPPORT_PLAYGROUND_H
#define ELECTOP_TESTS_SUPPORT_PLAYGROUND_H

#include <stdbool.h>
#include <uv.h>

#include "probe/candidate/guard.h"
#include "probe/demo/private_ensemble.h"

#define PLAYGROUND_TICK_MS 200
/* The longest session timeout that the servers grant: where nothing is to expire,
   however busy the machine. */
#define PLAYGROUND_TIMEOUT_MOST_MS 60000

struct playground {
    uv_loop_t loop;
    uv_timer_t alarm; /* the loop turns every few milliseconds, whatever happens */
    struct private_ensemble *sandbox;
    struct guard *guard; /* lets everything through: the servers are the test's own */
    bool ready;
};

void playground_begin(struct playground *);
/*
 * Ends the server and the loop. False: something is still on the loop after a few seconds. After a test that
 * failed its candidates are, and go on for ever: waiting for them would turn the failure into a hang.
 */
bool playground_end(struct playground *);

/* One server that serves, with so many connections for each client (0: any number). */
struct private_ensemble *playground_server(struct playground *, int connections);

void playground_run_for(struct playground *, int ms);

/* How long a test waits before it fails: longer on a busy machine. */
uint64_t playground_patience_ns(void);

/* Runs the loop until a condition holds; fails where it does not in time. */
#define playground_run_until(playground, condition)                                                          \
    do {                                                                                                     \
        uint64_t from_ = uv_hrtime();                                                                        \
        while (!(condition) && uv_hrtime() - from_ < playground_patience_ns())                               \
            uv_run(&(playground)->loop, UV_RUN_ONCE);                                                        \
        assert_true(condition);                                                                              \
    } while (0)

#endif

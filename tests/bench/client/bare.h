/*
 * bare.h - the C client driven as directly as it can be: what the benchmark measures electop against.
 *
 * One poll loop over a few handles of the single-threaded libzookeeper, nothing else. The client's traps
 * are handled here as the program itself must handle them, since a slow floor flatters: names are resolved
 * once, every frame that has arrived is processed before the next poll, a descriptor that the library
 * closed is not polled again.
 *
 * Whatever goes wrong ends the process with a text on standard error and exit code 1: a benchmark has no use
 * for half an answer.
 * Times are CLOCK_MONOTONIC in microseconds, so that those of several processes can be compared.
 */
#ifndef ELECTOP_TESTS_BENCH_CLIENT_BARE_H
#define ELECTOP_TESTS_BENCH_CLIENT_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#define BARE_MOST 64 /* handles in one loop */

struct bare {
    zhandle_t *zh;
    bool connected;
    int64_t connected_us;
};

int64_t now_us(void);

/* Says what went wrong and ends the process. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Begins to connect; bare_connect() turns the loop until all of them are, for at most ten seconds. */
void bare_open(struct bare *, const char *hosts, int timeout_ms);
void bare_connect(struct bare *all, size_t count);
void bare_close(struct bare *);

/*
 * One turn of the loop: waits for the servers, for until_us, or for extra_fd (-1: none) to become readable,
 * and processes all that came. Returns true when extra_fd is readable.
 */
bool bare_turn(struct bare *all, size_t count, int extra_fd, int64_t until_us);

/* The process was asked to end (SIGTERM, SIGINT); bare_turn() returns early then. */
bool bare_ended(void);
/* Has SIGTERM and SIGINT end the loop instead of the process. */
void bare_end_on_signals(void);

/* The ten digits at the end of a sequential name; dies where there are none. */
int32_t bare_sequence(const char *name);

#endif

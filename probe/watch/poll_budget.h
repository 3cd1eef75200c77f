/*
 * poll_budget.h - how much of one server's time may be asked for: a hundredth of it.
 *
 * Cost is what an answer of that length costs the server, and not the time until it came: a server that has
 * just started, or that waits for its processor, needs seconds for what costs it milliseconds, and that is
 * the hour in which its answers matter. So the cost of an entry is learned from calm rounds, in which the
 * server's cheapest answer came at once, and starts from what was measured with ZooKeeper 3.8.
 *
 * A round is paid for by the pause that follows. What the pauses left is kept, up to POLL_BUDGET_MOST_US of
 * the server's time, and may be spent at once when something cannot wait: over any stretch a server gives a
 * hundredth of it, and that much more at the most.
 *
 * Pure: the loop's time is an argument.
 */
#ifndef ELECTOP_PROBE_WATCH_POLL_BUDGET_H
#define ELECTOP_PROBE_WATCH_POLL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pause is this many times as long as the cost it pays for. */
#define POLL_BUDGET_PAUSE 100
#define POLL_BUDGET_MOST_US INT64_C(200000)

/* The lists that a round asks for, and the long table of figures. */
enum poll_answer { POLL_CONNECTIONS, POLL_WATCHES, POLL_SESSIONS, POLL_FIGURES, POLL_ANSWERS };

/* The cost of each entry as it was learned; 0: not yet. */
struct poll_costs {
    int64_t each_ns[POLL_ANSWERS];
};

/* What an answer with so many entries costs a server, in its microseconds. */
int64_t poll_cost_us(const struct poll_costs *, enum poll_answer, size_t entries);
/* ... and what one is counted as that took so long. calm: the server had nothing to wait for; it is learned
 * from. */
int64_t poll_cost_of(struct poll_costs *, enum poll_answer, size_t entries, int64_t took_us, bool calm);

/* All zero before the first round: nothing has been asked of the server yet. */
struct poll_budget {
    int64_t left_us;   /* as of then; less than nothing: it is owed */
    int64_t latest_us; /* what the latest round took */
    uint64_t as_of_ms; /* when that ended; 0: there was none */
};

/* A round that took so much of the server's time has ended now. */
void poll_budget_spend(struct poll_budget *, int64_t took_us, uint64_t now_ms);

/* The pause that pays for the latest round. */
int64_t poll_budget_pause_ms(const struct poll_budget *);

/* From when on as much is left as the latest round took: then another may begin out of turn. */
uint64_t poll_budget_due_ms(const struct poll_budget *);

#endif

/*
 * budget.h - how much of one server's time may be asked for: a hundredth of it.
 *
 * What a round costs is known only after it, so it is paid for then, by the pause that follows. What the
 * pauses left is kept, up to BUDGET_MOST_US of the server's time, and may be spent at once when something
 * cannot wait: over any stretch a server gives a hundredth of it, and that much more at the most.
 *
 * Pure: the loop's time is an argument.
 */
#ifndef ELECTOP_PROBE_SOURCE_BUDGET_H
#define ELECTOP_PROBE_SOURCE_BUDGET_H

#include <stdint.h>

/* A pause is this many times as long as what it pays for. */
#define BUDGET_PAUSE 100
#define BUDGET_MOST_US INT64_C(200000)

/* All zero before the first round: nothing has been asked of the server yet. */
struct budget {
    int64_t left_us;   /* as of then; less than nothing: it is owed */
    int64_t latest_us; /* what the latest round took */
    uint64_t as_of_ms; /* when that ended; 0: there was none */
};

/* A round that took so much of the server's time has ended now. */
void budget_spend(struct budget *, int64_t took_us, uint64_t now_ms);

/* The pause that pays for the latest round. */
int64_t budget_pause_ms(const struct budget *);

/* From when on as much is left as the latest round took: then another may begin out of turn. */
uint64_t budget_due_ms(const struct budget *);

#endif

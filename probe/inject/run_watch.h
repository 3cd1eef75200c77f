/*
 * run_watch.h - checks while a run goes on: whether candidates still join, and whether the ensemble bears the
 * load.
 *
 * Called at every tick, with uv_hrtime() as microseconds. False: the run must end, and problem says why.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_WATCH_H
#define ELECTOP_PROBE_INJECT_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct run;

#define RUN_WATCH_TEXT 400

/* The ensemble's pulse: a request every so often, and how long the slowest of them take. */
bool run_watch_pulse(struct run *, uint64_t now_us, char problem[RUN_WATCH_TEXT]);
/* Where some joined and no more come, the run goes on with these; where none joined, it cannot. */
bool run_watch_standing(struct run *, uint64_t now_us, char problem[RUN_WATCH_TEXT]);

/* Whether we ourselves keep up with the clock. Before the pulse. */
void run_watch_own_pace(struct run *, uint64_t now_us);
/* Whether our own session is connected, at each change. */
void run_watch_connection(struct run *, bool connected);
/* At the end: for how long it was not, and for how long we did not keep up. */
void run_watch_note_absence(struct run *);

#endif

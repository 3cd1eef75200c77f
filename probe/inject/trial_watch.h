/*
 * trial_watch.h - what is watched while a run goes on: whether anybody still comes to stand, and whether the
 * ensemble bears it.
 *
 * Asked at every tick, with uv_hrtime() as microseconds. False: the run must end, and problem says why.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_WATCH_H
#define ELECTOP_PROBE_INJECT_TRIAL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct trial;

#define TRIAL_WATCH_TEXT 400

/* The ensemble's pulse: a request every so often, and how long the slowest of them take. */
bool trial_watch_pulse(struct trial *, uint64_t now_us, char problem[TRIAL_WATCH_TEXT]);
/* Where some stand and no more come, the run goes on with these; where nobody came, it cannot. */
bool trial_watch_standing(struct trial *, uint64_t now_us, char problem[TRIAL_WATCH_TEXT]);

/* Whether we ourselves keep up with the clock. Before the pulse. */
void trial_watch_own_pace(struct trial *, uint64_t now_us);
/* Whether our own session is connected, at each change. */
void trial_watch_connection(struct trial *, bool connected);
/* At the end: for how long it was not, and for how long we did not keep up. */
void trial_watch_note_absence(struct trial *);

#endif

/*
 * run_place.h - a run's paths: its name, its election's path, and the directories between.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_PLACE_H
#define ELECTOP_PROBE_INJECT_RUN_PLACE_H

#include <stdbool.h>

struct run;

/* The path that was asked for is the sandbox, or in it. */
bool run_is_inside(const struct run *);

/*
 * Chooses run, within and election, which the trial owns; with --join its agent's name, too. False: out of
 * memory, or there can be none (a name in the sandbox that a run may not have; --live inside the sandbox).
 */
bool run_places_choose(struct run *);

#endif

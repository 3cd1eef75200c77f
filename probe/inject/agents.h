/*
 * agents.h - several agents in one run, on any number of machines: they begin together, and each learns the
 * results of the others.
 *
 *   SANDBOX/RUN.ready-ID   ephemeral: this agent is ready; its data is the duration that it was given
 *   SANDBOX/RUN.go         created by the first agent when no new one has come for some seconds: then all
 *                          begin, and run for the longest of their durations. A later agent is refused;
 *                          one that left before takes no part in the run
 *   SANDBOX/RUN.over-ID    ephemeral: its time is over. It continues until this holds for all
 *   SANDBOX/RUN.part-ID    an agent's results; an agent without them and without a marker died
 *
 * An agent's name identifies its process (host and number), so that a dead agent can be named.
 */
#ifndef ELECTOP_PROBE_INJECT_AGENTS_H
#define ELECTOP_PROBE_INJECT_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/guard.h"

#define AGENTS_MOST 256
#define AGENT_NAME_SIZE 96

struct agents;

/* This process as an agent: "web1-4711". */
void agent_name(char name[AGENT_NAME_SIZE]);

/* The outcome of an agent. */
struct agent_part {
    char name[AGENT_NAME_SIZE];
    char *text; /* its results, unchanged; "": above the size limit. NULL: none */
    bool alive; /* it has delivered no results yet; false: it died */
};

/* Copies texts. for_ms: the duration of this agent's own run. */
struct agents *agents_new(struct guard *guard, struct session *session, const char *sandbox, const char *run,
                          const char *name, int64_t for_ms);
/* Call this after the session's end. NULL is allowed. */
void agents_free(struct agents *agents);

/* Call this at each tick until it returns AGENTS_READY. A problem is valid until the next call. */
enum agents_state { AGENTS_WAIT, AGENTS_READY, AGENTS_FAILED };
enum agents_state agents_meet(struct agents *agents, const char **problem);
size_t agents_count(const struct agents *agents);
int64_t agents_for_ms(const struct agents *agents); /* once ready: the common duration */

/* Call this at each tick once this agent's time is over. AGENTS_READY: it is over for all live agents. */
enum agents_state agents_over(struct agents *agents);

/*
 * Call this at each tick at the end, with this agent's results (at most 512 KB). Returns the results of all
 * agents, including its own. Waits a limited time for live agents.
 */
enum agents_state agents_part(struct agents *agents, const char *text, uint64_t patience_ms,
                              const char **problem);
const struct agent_part *agents_parts(const struct agents *agents, size_t *count);

#endif

/*
 * agents.h - several agents in one run, on any number of machines: they begin together, and each learns how
 * the others ended.
 *
 *   SANDBOX/RUN.ready-ID   ephemeral: this agent is ready; its data says for how long it would run
 *   SANDBOX/RUN.go         made by the first agent when no new one has come for some seconds: then all
 *                          begin, and run for as long as the longest of them would. A later agent is
 *                          refused; one that left before has no part in the run
 *   SANDBOX/RUN.over-ID    ephemeral: its time is over. It goes on until all are
 *   SANDBOX/RUN.part-ID    an agent's results; an agent without them and without a marker died
 *
 * An agent's name says which process it is (host and number), so that one that died is named.
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

/* What became of an agent. */
struct agent_part {
    char name[AGENT_NAME_SIZE];
    char *text; /* its results, verbatim; "": more than permitted. NULL: none */
    bool alive; /* it handed in nothing yet; else it died */
};

/* Texts are copied. for_ms: how long this one would run. */
struct agents *agents_new(struct guard *guard, struct session *session, const char *sandbox, const char *run,
                          const char *name, int64_t for_ms);
/* After the session's end. NULL is fine. */
void agents_free(struct agents *agents);

/* Called each tick until they say so: AGENTS_READY. A problem is valid until the next call. */
enum agents_state { AGENTS_WAIT, AGENTS_READY, AGENTS_FAILED };
enum agents_state agents_meet(struct agents *agents, const char **problem);
size_t agents_count(const struct agents *agents);
int64_t agents_for_ms(const struct agents *agents); /* then: how long all of them run */

/* Called each tick once one's time is over: AGENTS_READY when everybody's is, who still lives. */
enum agents_state agents_over(struct agents *agents);

/*
 * The same at the end, with one's own part (at most 512 KB); then the parts of all, one's own among them. Of
 * those who still live they are waited for so long.
 */
enum agents_state agents_part(struct agents *agents, const char *text, uint64_t patience_ms,
                              const char **problem);
const struct agent_part *agents_parts(const struct agents *agents, size_t *count);

#endif

/*
 * agents.h - several agents in one run, on any number of machines: they begin together, and each gets to know
 * what became of the others.
 *
 *   SANDBOX/RUN.ready-ID   ephemeral: this agent is ready. When nobody new has come for some seconds, the
 *   SANDBOX/RUN.go         first of them makes this: then all begin. Whoever comes later is refused
 *   SANDBOX/RUN.part-ID    what an agent hands in at its end; who has neither this nor a sign of life died
 *
 * An agent's name says which process it is (host and number), so that one that died is named.
 */
#ifndef ELECTOP_PROBE_INJECT_AGENTS_H
#define ELECTOP_PROBE_INJECT_AGENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/guard.h"

#define AGENTS_MOST 256
#define AGENT_NAME_SIZE 96

struct agents;

/* This process as an agent: "web1-4711". */
void agent_name(char name[AGENT_NAME_SIZE]);

/* What became of an agent. */
struct agent_part {
    char name[AGENT_NAME_SIZE];
    char *text; /* what it handed in, as it is; "": more than it may be. NULL: it died */
};

/* Texts are copied. NULL: out of memory. */
struct agents *agents_new(struct guard *, struct session *, const char *sandbox, const char *run,
                          const char *name);
/* After the session's end. NULL is fine. */
void agents_free(struct agents *);

/* Called each tick until they say so: AGENTS_READY. A problem is valid until the next call. */
enum agents_state { AGENTS_WAIT, AGENTS_READY, AGENTS_FAILED };
enum agents_state agents_meet(struct agents *, const char **problem);
size_t agents_count(const struct agents *);

/* The same at the end, with one's own part (at most 512 KB); then the parts of all, one's own among them. */
enum agents_state agents_part(struct agents *, const char *text, const char **problem);
const struct agent_part *agents_parts(const struct agents *, size_t *count);

#endif

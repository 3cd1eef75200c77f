/*
 * registry.h - a directory whose ephemeral entries name sessions: who wrote one acknowledges, or says who
 * it is.
 *
 * Registries look like elections and are none: their members watch the children, and nobody leads.
 */
#ifndef ELECTOP_PROBE_ELECTION_REGISTRY_H
#define ELECTOP_PROBE_ELECTION_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"

struct election;
struct registry;

/* The election's own, begun where it has none; NULL: out of memory. */
struct registry *registry_of(struct election *);
void registry_free(struct registry *); /* NULL is fine */

/* Its complete list of children. False: out of memory. seed: of the hashes, the same at every call. */
bool registry_list(struct registry *, const struct observed_children *, uint64_t seed);
/* It does not exist. */
void registry_lose(struct registry *);
/* One entry was read; node NULL: it is gone, or may not be read. False: there is no such entry. */
bool registry_entry(struct registry *, const char *name, uint64_t seed, const struct observed_node *node);

/* Should that entry be read? Not where it was, and has certainly stood since. */
bool registry_wants(const struct election *, const char *name);

bool registry_is_listed(const struct registry *); /* false for NULL */
bool registry_is_absent(const struct registry *);
size_t registry_unread(const struct registry *);
bool registry_holds(const struct registry *, uint64_t session);

/* What is to be known of the election's registry is known. */
bool registry_complete(const struct election *);
/* What that session's entry says of itself; NULL: nothing. */
const char *registry_identity(const struct election *, uint64_t session);
/* The session of the entry that says the same of itself; 0: there is none. */
uint64_t registry_session(const struct election *, const char *identity);

#endif

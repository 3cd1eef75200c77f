/*
 * registry.h - a directory whose ephemeral entries name sessions: the owner of an entry acknowledges, or
 * gives its identity.
 *
 * Registries look like elections and are none: their members watch the children, and there is no leader.
 */
#ifndef ELECTOP_PROBE_ELECTION_REGISTRY_H
#define ELECTOP_PROBE_ELECTION_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"

struct election;
struct member;
struct registry;

/* The election's own, or that of its members, begun where it has none. */
struct registry *registry_of(struct election *election, bool members);
/* Do the names of its entries say who the members are, or their data? */
void registry_names_members(struct registry *registry, bool by_name);
void registry_free(struct registry *registry); /* NULL is fine */

/* Its complete list of children. seed: of the hashes, the same at every call. */
void registry_list(struct registry *registry, const struct observed_children *list, uint64_t seed);
/* It does not exist. */
void registry_lose(struct registry *registry);
/* One entry was read; node NULL: it is gone, or may not be read. False: there is no such entry. */
bool registry_entry(struct registry *registry, const char *name, uint64_t seed,
                    const struct observed_node *node);

/* Should that entry be read? members: of the members' directory, else of the acknowledgement's. Not if it
 * was read, and has certainly existed since. */
bool registry_wants(const struct election *election, bool members, const char *name);

bool registry_is_listed(const struct registry *registry); /* false for NULL */
bool registry_is_absent(const struct registry *registry);
size_t registry_unread(const struct registry *registry);
bool registry_holds(const struct registry *registry, uint64_t session);

/* All facts of the election's registry are known. */
bool registry_complete(const struct election *election);
/* What that session's entry says of itself; NULL: nothing. */
const char *registry_identity(const struct election *election, uint64_t session);
/* ... and in the members' directory alone. */
const char *registry_member(const struct election *election, uint64_t session);
/* election->listed_members from the members' directory, once all its entries are read. */
void registry_list_members(struct election *election);
/* Into a copy of the election, whose list is not made yet. */
void members_copy(const struct election *from, struct election *to);
/* One more member of the list, which takes the texts. */
void members_add(struct election *election, const struct member *member);
void members_sort(struct election *election);
void members_free(struct election *election);

/* The session of the entry that says the same of itself; 0: there is none. */
uint64_t registry_session(const struct election *election, const char *identity);

#endif

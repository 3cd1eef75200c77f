/*
 * registry.h - a directory whose ephemeral entries name sessions: the owner of an entry acknowledges, or is
 * identified by it.
 *
 * Registries look like elections but have no leader: their members watch the list of children.
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

/* The election's acknowledgement registry, or its members' registry; created if missing. */
struct registry *registry_of(struct election *election, bool members);
/* Whether the names of its entries identify the members, or their data. */
void registry_names_members(struct registry *registry, bool by_name);
void registry_free(struct registry *registry); /* NULL is fine */

/* Takes its complete list of children. seed: of the hashes, the same at every call. */
void registry_list(struct registry *registry, const struct observed_children *list, uint64_t seed);
/* It does not exist. */
void registry_lose(struct registry *registry);
/* Takes one entry; node NULL: it is gone or unreadable. False: there is no such entry. */
bool registry_entry(struct registry *registry, const char *name, uint64_t seed,
                    const struct observed_node *node);

/* Whether that entry should be read. members: it is in the members' directory, else in the acknowledgement's.
 * False if it was read, and has certainly existed since. */
bool registry_wants(const struct election *election, bool members, const char *name);

bool registry_is_listed(const struct registry *registry); /* false for NULL */
bool registry_is_absent(const struct registry *registry);
size_t registry_unread(const struct registry *registry);
/* Of the directory of members; 0: it has none. */
size_t members_unread(const struct election *election);
bool registry_holds(const struct registry *registry, uint64_t session);

/* All facts of the election's registry are known. */
bool registry_complete(const struct election *election);
/* The identity that the session's entry gives; NULL: none. */
const char *registry_identity(const struct election *election, uint64_t session);
/* The same, in the members' directory only. */
const char *registry_member(const struct election *election, uint64_t session);
/* Builds election->listed_members from the members' directory, once all its entries are read. */
void registry_list_members(struct election *election);
/* Adds a member to the list, and takes ownership of the texts. */
void members_add(struct election *election, const struct member *member);
void members_sort(struct election *election);
void members_free(struct election *election);

/* An entry that a session without a candidate here made since then (microseconds of the wall clock), perhaps for
 * another. NULL: none. */
const char *registry_entry_since(const struct election *election, int64_t since_us);

/* The session whose entry gives the same identity; 0: none. */
uint64_t registry_session(const struct election *election, const char *identity);

#endif

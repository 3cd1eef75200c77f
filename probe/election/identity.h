/*
 * identity.h - who is behind a znode, for a person: read from the bytes that a stranger wrote into it.
 */
#ifndef ELECTOP_PROBE_ELECTION_IDENTITY_H
#define ELECTOP_PROBE_ELECTION_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

/* The longest identity made, in bytes. */
#define IDENTITY_MAX 200

/*
 * The most telling short text in data: host:port from a URL, the host, address or id of a JSON object, the
 * host or id of a text protobuf, or the text itself if all of it is readable (one line of UTF-8 without
 * control characters). malloc'd, never empty; NULL: nothing readable. Bytes above ASCII stay as found.
 */
char *identity_from_data(const void *data, size_t length);

/*
 * What a member of a JSON registry says of itself beside its name: "replica, streaming" of Patroni's role and
 * state. malloc'd, never empty; NULL: it says nothing of the kind.
 */
char *identity_about_from_data(const void *data, size_t length);

/* What a test candidate of probe/inject writes where it has no data to copy: all of them the same. */
#define IDENTITY_TEST_CANDIDATE "electop test candidate"

/*
 * Whether two candidates with this identity are probably one client. An address alone names a machine:
 * Curator's locks write it as a default id, and many clients may run there.
 */
bool identity_is_personal(const char *identity);

#endif

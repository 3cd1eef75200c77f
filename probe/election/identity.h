/*
 * identity.h - identifies the client behind a znode for the user, from untrusted bytes in the znode.
 */
#ifndef ELECTOP_PROBE_ELECTION_IDENTITY_H
#define ELECTOP_PROBE_ELECTION_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest identity made, in bytes. */
#define IDENTITY_MAX 200

/*
 * The most informative short text in data: host:port from a URL, the host, address or id of a JSON object,
 * the host or id of a text protobuf, or the text itself if it is readable (one line of UTF-8 without control
 * characters). malloc'd, never empty; NULL: nothing readable. Bytes above ASCII are unchanged.
 */
char *identity_from_data(const void *data, size_t length);

/*
 * What else a member of a JSON registry states: "replica, streaming" from Patroni's role and state. malloc'd,
 * never empty; NULL: nothing.
 */
char *identity_about_from_data(const void *data, size_t length);

/* The session in a lock's data, as Helix writes it: "SESSION_ID": "100002a4d0a0001". 0: none. */
uint64_t identity_session(const void *data, size_t length);

/* An object that Java serialised. */
bool identity_is_java(const void *data, size_t length);
/* Whether it holds that host, or that "host:port", whatever follows. */
bool identity_in_java(const void *data, size_t length, const char *identity);

/* Kafka's controller that leads in KRaft, as it says beside ZooKeeper's clients: "kraftControllerEpoch": 4. */
bool identity_is_kraft(const void *data, size_t length);

/* Written by all test candidates of probe/inject that have no data to copy. */
#define IDENTITY_TEST_CANDIDATE "electop test candidate"

/*
 * Whether two candidates with this identity are probably one client. An address alone identifies a machine:
 * Curator's locks write it as a default id, and many clients may run there.
 */
bool identity_is_personal(const char *identity);

/*
 * "1", "lock", "2026-11-25": no name of a host or of a process, though one may be called so. Nor is "1@app": each copy
 * of a container has the same process number and host name, and a restart elsewhere has another number.
 */
bool identity_is_word(const char *identity);

/*
 * A GUID, or a host and a port, perhaps with more behind them ("host:8983_solr", "host,16000,1764236400"). A host alone,
 * a version, an image, a zone, or a time is shared by processes.
 */
bool identity_is_process(const char *identity);

#endif

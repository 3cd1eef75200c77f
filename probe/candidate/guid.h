/*
 * guid.h - random identifiers as clients put them in front of a candidate's name.
 *
 * A client whose connection breaks while it creates its znode cannot know whether the create was carried
 * out. With a random mark in the name it finds its own znode again among all the others.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_GUID_H
#define ELECTOP_PROBE_CANDIDATE_GUID_H

#include <stdbool.h>

#define GUID_UUID_SIZE 37
#define GUID_HEX_SIZE 33

/* "6f1c9e0a-...": 36 characters, as Curator writes it (a random UUID, version 4). False: no randomness to be
 * had. */
bool guid_uuid36(char out[GUID_UUID_SIZE]);
/* The same as 32 hexadecimal digits without dashes, as kazoo and go-zk write it. */
bool guid_hex32(char out[GUID_HEX_SIZE]);

#endif

/*
 * name_hash.h - how names and paths are spread over the buckets of tables.
 */
#ifndef ELECTOP_PROBE_ELECTION_NAME_HASH_H
#define ELECTOP_PROBE_ELECTION_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Deterministic; the seed only keeps strangers from choosing names that share a bucket. */
uint32_t name_hash(const char *text, size_t length, uint64_t seed);

#endif

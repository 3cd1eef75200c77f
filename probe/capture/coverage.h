/*
 * coverage.h - which time of which server some captures hold: the files of one server that was captured in parts hold
 * it together.
 *
 * A file holds the time from its first packet to its last; a pipe, that between two of its packets only once the second
 * has come.
 */
#ifndef ELECTOP_PROBE_CAPTURE_COVERAGE_H
#define ELECTOP_PROBE_CAPTURE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

/* So far the clocks of two hosts may differ. */
#define COVERAGE_SKEW_US INT64_C(1000000)

/* When a transaction was first seen, by the reply to its own request: that to a read names one of any age. */
struct transaction_seen {
    int64_t zxid, at_us, asked_us;
};

struct covered {
    int64_t from_us, until_us; /* the first and the latest packet; from_us 0: none is known */
    bool file, over;           /* it is a file; its latest packet is its last */
    char **servers;            /* whose packets it has: addresses, or the name that was given */
    size_t server_count, server_room;
    struct transaction_seen *seen; /* those that its beginning shows, in their order */
    size_t seen_count, seen_room;
};

struct coverage {
    struct covered sources[CAPTURES_MOST];
    size_t count;
    bool standalone; /* transactions have no epoch: ZooKeeper's server is the only one */
};

/* Looks into the beginnings of these captures, as of capture_files_open(). */
void coverage_read(struct coverage *coverage, char *const *paths, size_t count);
void coverage_free(struct coverage *coverage);
/* Two whose clocks differ, or which are of two ensembles: a change that was asked for after another was answered has
 * the lower number. False: there are none. */
bool coverage_contradicts(const struct coverage *coverage, size_t *one, size_t *other);

/* Corrects the clock of packets that were read ahead. */
void coverage_shift(struct coverage *coverage, size_t source, int64_t shift_us);
void coverage_packet(struct coverage *coverage, size_t source, int64_t at_us);
/* False: it has too many, and this is none of those that are known. */
bool coverage_server(struct coverage *coverage, size_t source, const char *server);
/* Whether each known server was captured all this time, except for gaps of this total length. */
bool coverage_holds(const struct coverage *coverage, int64_t from_us, int64_t to_us, int64_t gaps_us);
/* The same for the servers of one capture, except for gaps that are each no longer than this. */
bool coverage_servers_held(const struct coverage *coverage, size_t source, int64_t from_us, int64_t to_us,
                           int64_t gap_us);

#endif

/*
 * log_starts.h - which servers were started when, as far as the names of their log files tell.
 *
 * A server begins a new log when it starts, and after some ten thousand transactions (snapCount, 100,000 by
 * default). So where a log holds few, the next one is that of a server that was started: what the ensemble
 * agreed upon while it was away is the first that it writes there. A server with a very small snapCount looks
 * the same, so this is a conclusion and no proof.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOG_STARTS_H
#define ELECTOP_PROBE_TRANSACTIONS_LOG_STARTS_H

#include <stddef.h>
#include <stdint.h>

#include "probe/transactions/log_set.h"

struct log_start {
    int64_t zxid;       /* the first transaction of its log */
    const char *server; /* its directory, of the set */
    uint64_t number;    /* as its file myid says; 0: there is none */
};

/* The starts that the files of a set show, by zxid. They point into the set; free(list). */
struct log_starts {
    struct log_start *list;
    size_t count, room;
};
void log_starts_find(struct log_starts *, const struct log_set *);

#endif

/*
 * host_aliases.h - which host names of a cluster's servers are the same machine.
 *
 * The connect string, /zookeeper/config, the configuration and the client library each name servers in their
 * own way: by a short name, a full one, an address. Two of them are the same where they are spelt the same,
 * or where each has one address (of a kind: IPv4, IPv6) and the two share one. A name of
 * several machines together is none of them.
 *
 * Names are looked up off the loop. Until an answer arrives, and without one, only the spelling counts.
 */
#ifndef ELECTOP_PROBE_WATCH_HOST_ALIASES_H
#define ELECTOP_PROBE_WATCH_HOST_ALIASES_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct host_aliases;

/* changed is called, from the loop, whenever the last look-up under way has ended. NULL: out of memory. */
struct host_aliases *host_aliases_new(uv_loop_t *, void (*changed)(void *context), void *context);
void host_aliases_free(struct host_aliases *);

/* Looks the host up, where it is not in the book. What there is no memory for is left out. */
void host_aliases_add(struct host_aliases *, const char *host);
/* Looks those up again of which no address is known. */
void host_aliases_retry(struct host_aliases *);
bool host_aliases_is_busy(const struct host_aliases *);

bool host_aliases_knows(const struct host_aliases *, const char *host); /* an address of it */
bool host_aliases_same(const struct host_aliases *, const char *one, const char *other);

#endif

/*
 * host_book.h - which of the hosts that a cluster's servers are called by are the same machine.
 *
 * The connect string, /zookeeper/config, the configuration and the client library each name servers in their
 * own way: by a short name, a full one, an address. Two of them are the same where they are written the same,
 * or where each stands for one address (of a kind: IPv4, IPv6) and the two share one. A name that stands for
 * several machines together is none of them.
 *
 * Names are looked up off the loop. Until an answer is in, and where there is none, only the spelling counts.
 */
#ifndef ELECTOP_PROBE_SOURCE_HOST_BOOK_H
#define ELECTOP_PROBE_SOURCE_HOST_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct host_book;

/* changed is called, from the loop, whenever the last look-up under way has ended. NULL: out of memory. */
struct host_book *host_book_new(uv_loop_t *, void (*changed)(void *context), void *context);
void host_book_free(struct host_book *);

/* Looks the host up, where it is not in the book. What there is no memory for is left out. */
void host_book_add(struct host_book *, const char *host);
/* Looks those up again of which no address is known. */
void host_book_retry(struct host_book *);
bool host_book_is_busy(const struct host_book *);

bool host_book_knows(const struct host_book *, const char *host); /* an address of it */
bool host_book_same(const struct host_book *, const char *one, const char *other);

#endif

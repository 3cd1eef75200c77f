/*
 * resolver.h - the addresses of a list of servers, looked up off the loop.
 *
 * All names are asked for at once; the answer comes when the last is in: at once where there is no name to be
 * asked for. A name that cannot be resolved leaves its server out and is named in problem.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_RESOLVER_H
#define ELECTOP_PROBE_ZOOKEEPER_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "config/connect_string.h"

/* Of one server: a name may have an IPv4 and an IPv6 address, and the server listen on one only. */
#define ADDRESSES_A_SERVER 4
#define ADDRESS_SIZE 64

struct address {
    char text[ADDRESS_SIZE]; /* "10.0.0.1:2181" or "[::1]:2181" */
    size_t server;           /* index into the list asked for */
};

/* The addresses, in the order of the servers, are valid during the call. problem: NULL,
   or the last failure. */
typedef void (*resolver_fn)(void *context, const struct address *addresses, size_t count,
                            const char *problem);

/* Into any order, so that many sessions spread over the servers. */
void address_shuffle(struct address *addresses, size_t count);

/* The list as the client library parses it: it prints [::1]:2181, and accepts ::1:2181. Returns its
 * length. */
size_t address_list(const struct address *addresses, size_t count, char *buffer, size_t size);

/* An address as struct address has it, into ADDRESS_SIZE bytes. */
void address_print(const struct sockaddr *address, char *text);

/* The one address of a server that was given as one; false: it is a name, and must be looked up. */
bool address_literal(const struct host_port *server, struct sockaddr_storage *out);

struct resolver;

/* servers must stay until fn was called or resolver_cancel(). fn is called once: from the loop, or from in
   here, and then this returns NULL (they are all addresses, or none can be looked up, which is the problem).
 */
struct resolver *resolver_start(uv_loop_t *loop, const struct host_port *servers, size_t count,
                                resolver_fn fn, void *context);

/* fn is not called any more. Only before it was called. */
void resolver_cancel(struct resolver *resolver);

#endif

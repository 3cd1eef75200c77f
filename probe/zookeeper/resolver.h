/*
 * resolver.h - resolves the addresses of a list of servers, outside the loop.
 *
 * All names are looked up at once, each of them once for all who ask meanwhile: on one thread. The answer comes with
 * the last result, or immediately if there is no name to look up. A server whose name cannot be resolved is left out
 * and named in problem.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_RESOLVER_H
#define ELECTOP_PROBE_ZOOKEEPER_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "config/connect_string.h"

/* The maximum for one server: a name may have an IPv4 and an IPv6 address, and the server may listen on only
 * one. */
#define ADDRESSES_A_SERVER 4
#define ADDRESS_SIZE 64

struct address {
    char text[ADDRESS_SIZE]; /* "10.0.0.1:2181" or "[::1]:2181" */
    size_t server;           /* index into the list of servers */
};

/* The addresses, in the order of the servers, are valid during the call. problem: the last failure, or
 * NULL. */
typedef void (*resolver_fn)(void *context, const struct address *addresses, size_t count,
                            const char *problem);

/* Shuffles the addresses, so that many sessions spread over the servers. */
void address_shuffle(struct address *addresses, size_t count);

/* Prints the list as the client library parses it: the library prints [::1]:2181, and accepts ::1:2181.
 * Returns its length. */
size_t address_list(const struct address *addresses, size_t count, char *buffer, size_t size);

/* Prints an address as in struct address, into ADDRESS_SIZE bytes. */
void address_print(const struct sockaddr *address, char *text);

/* The address of a server that was given as an address; false: it is a name, and must be looked up. */
bool address_literal(const struct host_port *server, struct sockaddr_storage *out);

/* Who asks for the addresses of a name; all who ask while its look-up is under way share it: one that no name
 * server answers holds one thread, not one for each of them and for each attempt. */
struct name_asker {
    void (*fn)(struct name_asker *asker, int status, const struct addrinfo *found); /* without ports */
    struct name *name; /* NULL: it does not wait */
    struct name_asker *next;
};
/* False: no look-up is possible. fn is called from the loop, once. */
bool name_ask(struct name_asker *asker, uv_loop_t *loop, const char *host);
/* Prevents the call of fn. */
void name_forget(struct name_asker *asker);

struct resolver;

/* servers must stay until fn was called or resolver_cancel(). fn is called once: from the loop, or from this
 * function, which then returns NULL (all are addresses, or no look-up is possible, as problem says). */
struct resolver *resolver_start(uv_loop_t *loop, const struct host_port *servers, size_t count,
                                resolver_fn fn, void *context);

/* With the name. */
#define RESOLVER_SILENT "no name server has answered about %.80s"

/* A name whose look-up is under way. */
const char *resolver_waits_for(const struct resolver *resolver);
/* Calls fn with the addresses found so far, without waiting for the rest. False: there are none. */
bool resolver_settle(struct resolver *resolver);

/* Prevents the call of fn. Only allowed before fn was called. */
void resolver_cancel(struct resolver *resolver);

#endif

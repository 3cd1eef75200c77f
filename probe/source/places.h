/*
 * places.h - where the servers of a cluster are, and what one of them must be told from the others by: which
 * AdminServers may be its own, and on which of them our own session is.
 *
 * servers.c keeps it; whoever asks a server (inquiry.h) reads it. A server is known by its address, as
 * observations call it; no two have the same.
 */
#ifndef ELECTOP_PROBE_SOURCE_PLACES_H
#define ELECTOP_PROBE_SOURCE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/connect_string.h"
#include "probe/source/host_book.h"
#include "probe/source/live.h"
#include "probe/zookeeper/ensemble.h"

#define PLACES_MOST (CONNECT_STRING_SERVERS + ENSEMBLE_MEMBERS)

/* A server that is to be asked: a copy of what names it. */
struct server_place {
    char *address;       /* host:port, as observations call the server */
    char *host;          /* without brackets */
    int port;            /* 0: not known, so it cannot be asked */
    const char *problem; /* ... and why not; static text */
    size_t index;        /* in the list that it comes from */
    size_t member;       /* in /zookeeper/config; ENSEMBLE_MEMBERS: it is not known as any */
    int64_t id;          /* its id there; -1: not known */
};

struct places {
    const struct live *live;
    struct host_book *book;
    struct connect_string named; /* the connect string's, or the configured ones */
    struct host_port *admins;    /* NULL: none are listed */
    size_t admin_count;
    struct server_place list[PLACES_MOST];
    size_t count;
    bool missed; /* one of them did not answer: it may have left */
};

/* Frees what it owns, list and book included. */
void places_release(struct places *);
void server_place_free(struct server_place *);

/* This is where that host and port are. */
bool places_same(const struct places *, const struct host_port *, const char *host, int port);

/*
 * The AdminServers that may be that server's own, the likeliest first. Of a list of them: those on its host,
 * by spelling or address; else those on nobody's host. Among equals the order of the list decides who is
 * tried first, never who is believed. sure: no other is on this host, and no other server.
 */
struct admin_choice {
    const char *host;
    int port;
    bool sure;
};
size_t places_admins(const struct places *, const char *address);
bool places_admin(const struct places *, const char *address, size_t i, struct admin_choice *);

/* The id by which /zookeeper/config calls it; -1: unknown. */
int64_t places_id(const struct places *, const char *address);
/* So many of them are known to answer their clients on this port. */
size_t places_with_port(const struct places *, int port);
/* Our own session is connected to it, as far as that can be told. */
bool places_have_ours(const struct places *, const char *host, int port);

#endif

/*
 * connection.h - one connection of the C client: its bytes in both directions, checked, secured and logged
 * in. For transport.c, which finds it by its descriptor.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_CONNECTION_H
#define ELECTOP_PROBE_TRANSPORT_CONNECTION_H

#include "probe/transport/frame.h"
#include "probe/transport/transport.h"

struct sasl;
struct sasl_context;
struct tls;
struct tls_context;

struct connection {
    int fd;
    struct transport_link *link;
    struct tls_context *tls_context;   /* NULL: plain */
    struct sasl_context *sasl_context; /* NULL: no login */
    struct tls *tls;                   /* from the greeting on */
    struct sasl *sasl;                 /* while it goes on */
    struct frame_ledger ledger;

    /* What was received: bytes at..have; whole of them are checked, and the client's. While logging in the
       answer to the greeting stays at the front. */
    uint8_t *in;
    uint32_t at, have, room, whole, greeting;
    uint32_t skip; /* of a reply that is too large: so many bytes behind whole are thrown away */

    /* What the client sends: the prefix of a frame waits for its body. */
    uint8_t prefix[FRAME_PREFIX];
    uint32_t prefix_have, prefix_sent, frame_left;
    bool noted;
    bool sasl_waits; /* the login waits for the KDC, and for no answer */

    uint8_t *out; /* what could not be sent yet: a greeting, a SASL token */
    uint32_t out_have, out_sent;

    bool failed;
    bool closing;      /* the client only waits for the server's goodbye */
    int close_wait_ms; /* ... for so long */
};

extern struct transport_figures connection_figures;

struct connection *connection_new(int fd, struct transport_link *, struct tls_context *,
                                  struct sasl_context *);
void connection_free(struct connection *);

ssize_t connection_send(struct connection *, const void *bytes, size_t length);
ssize_t connection_recv(struct connection *, void *bytes, size_t length);
/* Sends what waits. False: it failed. */
bool connection_flush(struct connection *);
bool connection_has_input(const struct connection *);
int connection_wants(const struct connection *, int uv_events);

#endif

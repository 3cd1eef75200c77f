/*
 * transport.h - carries every byte between the ZooKeeper C client and its servers.
 *
 * The C client's static library is linked with its calls of connect(), send(), recv(), poll() and close()
 * bound to the functions at the end of this header. The descriptor stays the same: the session above polls
 * it, for the events of transport_wants(). Input is read ahead, checked frame by frame (frame.h), and passed
 * on only as whole, valid frames. Below that is TLS (tls.h). Between the answer to the greeting and the
 * client's first request comes the SASL exchange (sasl.h), which is invisible to the client: the answer is
 * held back until it is over.
 *
 * The choice was measured. CPU until all sessions are connected, and descriptors:
 *
 *     sessions   C client alone   this            a socket pair for each, pumped by the loop
 *     1,000      0.13 s, 1,010    0.10 s, 1,010   0.14 s, 3,010
 *     10,000     1.48 s           1.19 s          more descriptors than the system gave
 *
 * This takes 0.3 KB more per session than the client alone, and less CPU: the client sends the length of a
 * request separately from the request, and reads replies in the same way. `make bench` measures it
 * (tests/bench/transport.c).
 *
 * Threads: everything on one thread.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_TRANSPORT_H
#define ELECTOP_PROBE_TRANSPORT_TRANSPORT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

#include "config/security.h"

enum transport_stage {
    TRANSPORT_CONNECTING,
    TRANSPORT_TLS,        /* the handshake is under way */
    TRANSPORT_GREETING,   /* the server has not answered the greeting */
    TRANSPORT_LOGGING_IN, /* SASL is under way */
    TRANSPORT_OPEN
};

/* Why the transport ended a connection. */
enum transport_fault {
    TRANSPORT_FAULT_NONE,
    TRANSPORT_FAULT_OWN,   /* out of memory, or a request of an unknown kind */
    TRANSPORT_FAULT_ALIEN, /* the answer to the greeting is not ZooKeeper's */
    TRANSPORT_FAULT_FRAME, /* an invalid ZooKeeper reply */
    TRANSPORT_FAULT_TLS,
    TRANSPORT_FAULT_SASL
};

/* A session's side of it. Zeroed but for the first members; must stay while its client has a handle. */
struct transport_link {
    const struct security_settings *security; /* NULL: plain. They must stay until transport_forget() */
    uv_loop_t *loop;
    /* The host name, as the user wrote it, for the address that the client connects to; valid during the
     * call. */
    const char *(*host)(void *context, const struct sockaddr *);
    /* More can be read now, though the descriptor may not show it. Called from the loop, never from a call
     * below. */
    void (*ready)(void *context);
    void *context;

    enum transport_fault fault; /* of the latest connection */
    enum transport_stage stage;
    /* Freed by transport_link_free(); NULL: none. */
    char *problem;   /* a sentence that names the server */
    char *bad_reply; /* a frame's defect: "children count -1 in 88 bytes" */
};

/* Call this before each call of the C client that may connect: whose connection that is. */
void transport_use(struct transport_link *link);
/* Call this after the client's handle was closed. */
void transport_link_free(struct transport_link *link);

/* The events of poll() to wait for, if the client wants these. */
int transport_wants(int fd, int uv_events);
/* Sends pending output. Call it before the client learns that the descriptor is ready. */
void transport_flush(int fd);
/* The client has a whole frame to read, or more input than the socket shows. */
bool transport_has_input(int fd);
/* Requests the end of a session that the server may have begun without our knowing its number. */
void transport_ask_end(int fd);
/* The client is about to close its handle, and waits for the server to close: limits the total wait, and
 * avoids it within ten seconds after a server that stayed silent. */
void transport_limit_close(int fd, int wait_ms);

/* A thread is contacting a KDC, even if the login was abandoned: the process cannot end properly
 * meanwhile. */
bool transport_is_asking(void);

/* Forgets contexts, resumable sessions and tickets of these settings; NULL: of all. */
void transport_forget(const struct security_settings *settings);

/* Whether the certificates, keys and keytabs of all clusters are usable. *error, which the caller frees,
 * names each unusable file and the remedy, a line per cluster; NULL: all are usable. */
struct settings;
bool transport_check_files(const struct settings *settings, char **error);

/* For other requests to the same servers (four-letter words). NULL: plain, or out of memory. */
struct tls_context;
struct tls_context *transport_tls(const struct security_settings *settings);

/* For the C client only (see the Makefile). */
int transport_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t transport_send(int fd, const void *bytes, size_t length, int flags);
ssize_t transport_recv(int fd, void *bytes, size_t length, int flags);
int transport_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int transport_close(int fd);

#endif

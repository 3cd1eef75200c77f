#include "probe/transport/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "probe/transport/connection.h"
#include "probe/transport/sasl.h"
#include "probe/transport/tls.h"

/* After a server took longer than it was given for its goodbye, the next ones are not waited for. */
#define HURRY_MS 10000

/* The contexts of one cluster's settings, made for its first connection. */
struct cluster_security {
    const struct security_settings *settings;
    struct tls_context *tls;
    struct sasl_context *sasl;
    struct cluster_security *next;
};

static struct cluster_security *clusters;
static struct connection **connections; /* by descriptor */
static int connection_room;
static struct transport_link *in_use;
static int64_t hurried_until_ms;

static int64_t transport_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct connection *transport_connection_of(int fd)
{
    return fd >= 0 && fd < connection_room ? connections[fd] : NULL;
}

static bool table_reaches(int fd)
{
    if (fd < connection_room)
        return true;
    int room = connection_room ? connection_room : 64;
    while (room <= fd)
        room *= 2;
    struct connection **more = realloc(connections, (size_t)room * sizeof *more);
    if (!more)
        return false;
    for (int i = connection_room; i < room; i++)
        more[i] = NULL;
    connections = more;
    connection_room = room;
    return true;
}

/* NULL: out of memory. */
static struct cluster_security *security_of(const struct security_settings *settings)
{
    struct cluster_security *c = clusters;
    while (c && c->settings != settings)
        c = c->next;
    if (c)
        return c;
    c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct cluster_security){.settings = settings, .next = clusters};
    if (settings->tls.on)
        c->tls = tls_context_new(&settings->tls);
    if (settings->sasl.mechanism != SASL_MECHANISM_NONE)
        c->sasl = sasl_context_new(&settings->sasl);
    if ((settings->tls.on && !c->tls) || (settings->sasl.mechanism != SASL_MECHANISM_NONE && !c->sasl)) {
        tls_context_free(c->tls);
        sasl_context_free(c->sasl);
        free(c);
        return NULL;
    }
    clusters = c;
    return c;
}

struct tls_context *transport_tls(const struct security_settings *settings)
{
    struct cluster_security *c = settings && settings->tls.on ? security_of(settings) : NULL;
    return c ? c->tls : NULL;
}

void transport_use(struct transport_link *link)
{
    in_use = link;
}

void transport_link_free(struct transport_link *link)
{
    if (in_use == link)
        in_use = NULL;
    free(link->problem);
    free(link->bad_reply);
    link->problem = link->bad_reply = NULL;
}

int transport_wants(int fd, int uv_events)
{
    const struct connection *c = transport_connection_of(fd);
    return c ? connection_wants(c, uv_events) : uv_events;
}

void transport_flush(int fd)
{
    struct connection *c = transport_connection_of(fd);
    if (c)
        (void)connection_flush(c);
}

bool transport_has_input(int fd)
{
    const struct connection *c = transport_connection_of(fd);
    return c && connection_has_input(c);
}

void transport_ask_end(int fd)
{
    /* The request's number, and its kind: closeSession. */
    static const uint8_t prefix[] = {0, 0, 0, 8}, request[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf5};
    struct connection *c = transport_connection_of(fd);
    if (c && connection_send(c, prefix, sizeof prefix) == sizeof prefix)
        (void)connection_send(c, request, sizeof request); /* in vain: the session expires */
}

void transport_limit_close(int fd, int wait_ms)
{
    struct connection *c = transport_connection_of(fd);
    if (!c)
        return;
    c->closing = true;
    c->close_wait_ms = transport_now_ms() < hurried_until_ms ? 0 : wait_ms;
}

void transport_forget(const struct security_settings *settings)
{
    struct cluster_security **at = &clusters;
    while (*at) {
        struct cluster_security *c = *at;
        if (settings && c->settings != settings) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        tls_context_free(c->tls);
        sasl_context_free(c->sasl);
        free(c);
    }
    if (!clusters && !settings) {
        free(connections);
        connections = NULL;
        connection_room = 0;
    }
}

struct transport_figures transport_figures(void)
{
    return connection_figures;
}

/* ---- the C client's calls ---- */

int transport_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    const struct security_settings *settings = in_use ? in_use->security : NULL;
    bool secured = settings && (settings->tls.on || settings->sasl.mechanism != SASL_MECHANISM_NONE);
    struct cluster_security *security = secured ? security_of(settings) : NULL;
    if (!in_use || (secured && !security) || !table_reaches(fd)) {
        errno = ENOMEM;
        return -1;
    }
    connections[fd] =
        connection_new(fd, in_use, security ? security->tls : NULL, security ? security->sasl : NULL);
    if (!connections[fd]) {
        errno = ENOMEM;
        return -1;
    }
    return connect(fd, address, length);
}

ssize_t transport_send(int fd, const void *bytes, size_t length, int flags)
{
    struct connection *c = transport_connection_of(fd);
    return c ? connection_send(c, bytes, length) : send(fd, bytes, length, flags);
}

ssize_t transport_recv(int fd, void *bytes, size_t length, int flags)
{
    struct connection *c = transport_connection_of(fd);
    return c ? connection_recv(c, bytes, length) : recv(fd, bytes, length, flags);
}

int transport_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    struct connection *c = count == 1 ? transport_connection_of(fds->fd) : NULL;
    if (!c)
        return poll(fds, count, timeout_ms);
    if (fds->events & POLLIN && connection_has_input(c)) {
        fds->revents = POLLIN;
        return 1;
    }
    if (!c->closing)
        return poll(fds, count, timeout_ms);
    int64_t from_ms = transport_now_ms();
    int ready = poll(fds, count, timeout_ms < c->close_wait_ms ? timeout_ms : c->close_wait_ms);
    int64_t took_ms = transport_now_ms() - from_ms;
    if (ready == 0 && c->close_wait_ms > 0)
        hurried_until_ms = transport_now_ms() + HURRY_MS;
    c->close_wait_ms -= took_ms < c->close_wait_ms ? (int)took_ms : c->close_wait_ms;
    return ready;
}

int transport_close(int fd)
{
    struct connection *c = transport_connection_of(fd);
    if (c) {
        connections[fd] = NULL;
        connection_free(c);
    }
    return close(fd);
}

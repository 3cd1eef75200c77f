/*
 * transport - what the transport costs: sessions and requests through it, and done as directly as it can be.
 *
 *     transport HOST:PORT ours|floor SESSIONS REQUESTS [CA]
 *
 * SESSIONS connect, up to 30 at a time; then one of them asks REQUESTS times, one after the other, whether /
 * exists. With CA over TLS. "ours" goes through session.h; its link without the transport is transport_bare.
 * "floor" writes the few frames itself, on blocking sockets (OpenSSL's own with CA), a thread for each of the
 * 30. Prints {"connected_ms": 812.1, "cpu_ms": 402.3, "kb_each": 5.1, "request_p50_us": 61.2}.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

#include "config/security.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/descriptor_poll.h"
#include "probe/zookeeper/session.h"
#include "tests/bench/gauge.h"

#define AT_A_TIME 30
#define TIMEOUT_MS 30000
#define WARM_REQUESTS 500

struct plan {
    const char *hosts, *ca;
    char host[64];
    int port;
    size_t sessions, requests;
    int64_t *took_ns;
    long empty_kb;
    int64_t began_us;
    double cpu_before_ms;
};

static void fail(const char *what)
{
    fprintf(stderr, "transport: %s\n", what);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void say_connected(const struct plan *p)
{
    printf("{\"connected_ms\": %.1f, \"cpu_ms\": %.1f, \"kb_each\": %.2f",
           (double)(gauge_us() - p->began_us) / 1e3, gauge_cpu_ms() - p->cpu_before_ms,
           (double)(gauge_resident_kb() - p->empty_kb) / (double)p->sessions);
}

static void say_requests(const struct plan *p)
{
    qsort(p->took_ns, p->requests, sizeof *p->took_ns, compare);
    printf(", \"request_p50_us\": %.1f}\n", (double)p->took_ns[p->requests / 2] / 1e3);
}

/* ---- ours ---- */

struct ours {
    struct plan *plan;
    uv_loop_t loop;
    struct session **sessions;
    size_t connected, asked;
    int64_t asked_ns;
};

static void ours_ask(struct ours *o);

static void ours_on_answer(void *context, const struct session_answer *answer)
{
    struct ours *o = context;
    if (answer->result != SESSION_OK)
        fail("a request failed");
    if (o->asked++ >= WARM_REQUESTS)
        o->plan->took_ns[o->asked - WARM_REQUESTS - 1] = gauge_ns(CLOCK_MONOTONIC) - o->asked_ns;
    if (o->asked < WARM_REQUESTS + o->plan->requests)
        ours_ask(o);
    else
        uv_stop(&o->loop);
}

static void ours_ask(struct ours *o)
{
    o->asked_ns = gauge_ns(CLOCK_MONOTONIC);
    if (!session_exists(o->sessions[0], "/", false, ours_on_answer, o))
        fail("a request was not sent");
}

static void ours_on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct ours *o = context;
    (void)renewed;
    if (state != CONNECTION_CONNECTED)
        fail(problem ? problem : "a connection was lost");
    if (++o->connected < o->plan->sessions)
        return;
    say_connected(o->plan);
    ours_ask(o);
}

static void run_ours(struct plan *p)
{
    static const struct session_listener listener = {.state = ours_on_state};
    static struct security_settings security;
    struct ours o = {.plan = p};
    char *error = NULL;
    security.tls = (struct tls_settings){.on = p->ca != NULL, .ca = (char *)(uintptr_t)p->ca};
    uv_loop_init(&o.loop);
    struct connect_limiter *limiter = connect_limiter_new(&o.loop);
    struct descriptor_poll *poller = descriptor_poll_new(&o.loop);
    o.sessions = calloc(p->sessions, sizeof(struct session *));
    if (!limiter || !poller || !o.sessions || !descriptors_make_room(p->sessions, &error))
        fail(error ? error : "out of memory");
    struct session_options options = {.hosts = p->hosts,
                                      .timeout_ms = TIMEOUT_MS,
                                      .security = &security,
                                      .limiter = limiter,
                                      .poller = poller};
    for (size_t i = 0; i < p->sessions; i++)
        if (!(o.sessions[i] = session_open(&o.loop, &options, &listener, &o)))
            fail("out of memory");
    uv_run(&o.loop, UV_RUN_DEFAULT);
    say_requests(p);
    for (size_t i = 0; i < p->sessions; i++)
        session_close(o.sessions[i]);
}

/* ---- the floor ---- */

struct wire {
    int fd;
    SSL *ssl;
};

static struct plan *floor_plan;
static SSL_CTX *floor_context;
static struct wire *wires;
static size_t next_wire;
static pthread_mutex_t floor_lock = PTHREAD_MUTEX_INITIALIZER;

static void wire_write(struct wire *w, const void *bytes, size_t length)
{
    bool good = w->ssl ? SSL_write(w->ssl, bytes, (int)length) == (int)length
                       : send(w->fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
    if (!good)
        fail("the floor cannot write");
}

static void wire_read(struct wire *w, uint8_t *bytes, size_t length)
{
    for (size_t have = 0; have < length;) {
        ssize_t got = w->ssl ? SSL_read(w->ssl, bytes + have, (int)(length - have))
                             : recv(w->fd, bytes + have, length - have, 0);
        if (got <= 0)
            fail("the floor cannot read");
        have += (size_t)got;
    }
}

/* A frame goes, and one comes. */
static void wire_exchange(struct wire *w, const void *frame, size_t length)
{
    uint8_t answer[512], prefix[4];
    uint32_t comes;
    wire_write(w, frame, length);
    wire_read(w, prefix, sizeof prefix);
    memcpy(&comes, prefix, sizeof comes);
    if (ntohl(comes) > sizeof answer)
        fail("the floor got a long answer");
    wire_read(w, answer, ntohl(comes));
}

static void wire_open(struct wire *w)
{
    /* Length 44; version, zxid, timeout 30000, session, a password of 16 bytes. */
    static const uint8_t greeting[48] = {[3] = 44, [18] = 0x75, [19] = 0x30, [31] = 16};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)floor_plan->port)};
    inet_pton(AF_INET, floor_plan->host, &to.sin_addr);
    w->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(w->fd, (struct sockaddr *)&to, sizeof to) != 0)
        fail("the floor cannot connect");
    setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (floor_context) {
        w->ssl = SSL_new(floor_context);
        SSL_set_fd(w->ssl, w->fd);
        if (SSL_connect(w->ssl) != 1)
            fail("the floor has no handshake");
    }
    wire_exchange(w, greeting, sizeof greeting);
}

static void *floor_work(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&floor_lock);
        size_t i = next_wire++;
        pthread_mutex_unlock(&floor_lock);
        if (i >= floor_plan->sessions)
            return NULL;
        wire_open(&wires[i]);
    }
}

static void run_floor(struct plan *p)
{
    /* Length 14; number 1, exists, "/", no watch. */
    static const uint8_t exists[] = {0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, '/', 0};
    /* Length 8; number 1, closeSession. */
    static const uint8_t closing[] = {0, 0, 0, 8, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf5};
    pthread_t threads[AT_A_TIME];
    char *error = NULL;
    floor_plan = p;
    wires = calloc(p->sessions, sizeof *wires);
    if (!wires || !descriptors_make_room(p->sessions, &error))
        fail(error ? error : "out of memory");
    if (p->ca) {
        floor_context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_verify(floor_context, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_mode(floor_context, SSL_MODE_RELEASE_BUFFERS);
        if (SSL_CTX_load_verify_file(floor_context, p->ca) != 1)
            fail("the floor cannot read the authority");
    }
    for (size_t i = 0; i < AT_A_TIME; i++)
        pthread_create(&threads[i], NULL, floor_work, NULL);
    for (size_t i = 0; i < AT_A_TIME; i++)
        pthread_join(threads[i], NULL);
    say_connected(p);
    for (size_t i = 0; i < WARM_REQUESTS + p->requests; i++) {
        int64_t from_ns = gauge_ns(CLOCK_MONOTONIC);
        wire_exchange(&wires[0], exists, sizeof exists);
        if (i >= WARM_REQUESTS)
            p->took_ns[i - WARM_REQUESTS] = gauge_ns(CLOCK_MONOTONIC) - from_ns;
    }
    say_requests(p);
    for (size_t i = 0; i < p->sessions; i++)
        wire_write(&wires[i], closing, sizeof closing);
}

int main(int count, char **words)
{
    if (count < 5)
        fail("HOST:PORT ours|floor SESSIONS REQUESTS [CA]");
    struct plan p = {.hosts = words[1],
                     .ca = count > 5 ? words[5] : NULL,
                     .sessions = strtoul(words[3], NULL, 10),
                     .requests = strtoul(words[4], NULL, 10)};
    if (sscanf(words[1], "%63[^:]:%d", p.host, &p.port) != 2 || p.sessions == 0 || p.requests == 0)
        fail("HOST:PORT, and numbers above 0");
    p.took_ns = calloc(p.requests, sizeof *p.took_ns);
    if (!p.took_ns)
        fail("out of memory");
    p.empty_kb = gauge_resident_kb();
    p.cpu_before_ms = gauge_cpu_ms();
    p.began_us = gauge_us();
    if (strcmp(words[2], "floor") == 0)
        run_floor(&p);
    else
        run_ours(&p);
    return 0;
}

#include "probe/transport/transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/settings.h"
#include "config/text.h"
#include "probe/transport/frame.h"
#include "probe/transport/sasl.h"
#include "probe/transport/tls.h"

/*
 * One connection of the C client: its bytes in both directions, checked, secured and logged
 * in. For transport.c, which finds it by its descriptor.
 */

struct connection {
    int fd;
    struct transport_link *link;
    struct tls_context *tls_context;   /* NULL: plain */
    struct sasl_context *sasl_context; /* NULL: no login */
    struct tls *tls;                   /* from the greeting on */
    struct sasl *sasl;                 /* while it goes on */
    struct frame_ledger ledger;

    /* Received bytes: at..have. The first ones, whole in number, are checked and are for the client. During
     * login the answer to the greeting stays at the front. */
    uint8_t *in;
    uint32_t at, have, room, whole, greeting;
    uint32_t skip; /* bytes behind whole that are discarded, of a reply that is too large */

    /* The client's output: the prefix of a frame waits for its body. */
    uint8_t prefix[FRAME_PREFIX];
    uint32_t prefix_have, prefix_sent, frame_left;
    bool noted;
    bool sasl_waits; /* the login waits for the KDC, and for no answer */

    uint8_t *out; /* not sent yet: a greeting, a SASL token */
    uint32_t out_have, out_sent;

    bool failed;
    bool closing;      /* the client only waits for the server's goodbye */
    int close_wait_ms; /* ... for so long */
};

/* Read at a time: many small replies in one call. */
#define READ_AHEAD 65536u
/* A TLS record. */
#define RECORD_MOST 16384u
/* Session closed: it requires SASL. */
#define ERROR_REQUIRES_SASL (-124)
#define SASL_REQUEST 102
#define SERVER_TEXT 160

/* ---- words ---- */

/* "": it is not known. */
static const char *connection_host(const struct connection *c, struct sockaddr_storage *peer)
{
    socklen_t length = sizeof *peer;
    const char *host = NULL;
    if (getpeername(c->fd, (struct sockaddr *)peer, &length) == 0 && c->link->host)
        host = c->link->host(c->link->context, (const struct sockaddr *)peer);
    return host ? host : "";
}

static void connection_name(const struct connection *c, char *text, size_t size)
{
    struct sockaddr_storage peer = {0};
    const char *host = connection_host(c, &peer);
    int port =
        ntohs(peer.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)(const void *)&peer)->sin6_port
                                         : ((const struct sockaddr_in *)(const void *)&peer)->sin_port);
    if (*host)
        snprintf(text, size, strchr(host, ':') ? "[%.120s]:%d" : "%.120s:%d", host, port);
    else
        snprintf(text, size, "the server");
}

/* The connection is of no more use: the client's next call fails. Returns -1. */
__attribute__((format(printf, 3, 4))) static int
connection_fail(struct connection *c, enum transport_fault fault, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->failed = true;
    if (c->link->fault == TRANSPORT_FAULT_NONE) {
        c->link->fault = fault;
        free(c->link->problem);
        c->link->problem = strdup(text);
    }
    shutdown(c->fd, SHUT_RDWR);
    errno = EPROTO;
    return -1;
}

static int connection_fail_tls(struct connection *c)
{
    return connection_fail(c, TRANSPORT_FAULT_TLS, "%s", tls_problem(c->tls));
}

/* The first thing that came is an alert of TLS, which a plain greeting earns there. */
static bool connection_met_tls(const struct connection *c)
{
    const uint8_t *first = c->in + c->at;
    return !c->ledger.answered && !c->tls && c->have >= c->at + FRAME_PREFIX && first[0] == 0x15 &&
           first[1] == 3;
}

static int connection_fail_frame(struct connection *c, const char *fault)
{
    char server[SERVER_TEXT];
    connection_name(c, server, sizeof server);
    if (connection_met_tls(c))
        return connection_fail(c, TRANSPORT_FAULT_ALIEN,
                               "%s is a port for TLS; connect with --tls or tls:", server);
    if (c->link->fault == TRANSPORT_FAULT_NONE && !c->link->bad_reply)
        c->link->bad_reply = strdup(fault);
    if (c->ledger.answered)
        return connection_fail(c, TRANSPORT_FAULT_FRAME, "%s sent a bad reply: %s", server, fault);
    return connection_fail(c, TRANSPORT_FAULT_ALIEN, "%s is not a ZooKeeper server", server);
}

/* ---- bytes ---- */

/* As send(); the two pieces are sent as one. */
static ssize_t connection_write(struct connection *c, const uint8_t *head, size_t head_length,
                                const uint8_t *body, size_t length)
{
    if (!c->tls) {
        struct iovec pieces[] = {{(void *)(uintptr_t)head, head_length}, {(void *)(uintptr_t)body, length}};
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
        return sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    static uint8_t record[RECORD_MOST];
    size_t take = length < sizeof record - head_length ? length : sizeof record - head_length;
    if (head_length) /* memcpy() takes no NULL, even for nothing */
        memcpy(record, head, head_length);
    if (take)
        memcpy(record + head_length, body, take);
    ssize_t sent = tls_send(c->tls, record, head_length + take);
    if (sent < 0 && errno == EPROTO)
        return connection_fail_tls(c);
    return sent;
}

static bool connection_flush(struct connection *c);
static ssize_t connection_read(struct connection *c, uint8_t *bytes, size_t room)
{
    if (!c->tls)
        return recv(c->fd, bytes, room, MSG_DONTWAIT);
    bool was_open = tls_is_open(c->tls);
    ssize_t got = tls_recv(c->tls, bytes, room);
    int error = errno;
    if (!was_open && tls_is_open(c->tls)) {
        c->link->stage = TRANSPORT_GREETING;
        if (!connection_flush(c))
            return -1;
    }
    if (got < 0 && error == EPROTO)
        return connection_fail_tls(c);
    errno = error;
    return got;
}

/* Sends what waits. False: it failed. */
static bool connection_flush(struct connection *c)
{
    while (c->out && !c->failed) {
        ssize_t sent = connection_write(c, NULL, 0, c->out + c->out_sent, c->out_have - c->out_sent);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        c->out_sent += (uint32_t)sent;
        if (c->out_sent < c->out_have)
            continue;
        free(c->out);
        c->out = NULL;
        c->out_have = c->out_sent = 0;
    }
    return !c->failed;
}

static bool connection_keep_out(struct connection *c, const void *bytes, size_t length)
{
    uint8_t *out = realloc(c->out, c->out_have + length);
    if (!out)
        return connection_fail(c, TRANSPORT_FAULT_OWN, "out of memory") == 0;
    memcpy(out + c->out_have, bytes, length);
    c->out = out;
    c->out_have += (uint32_t)length;
    return true;
}

/* Room for more, up to the end of the frame that is under way. */
static bool connection_make_room(struct connection *c, uint32_t frame_end)
{
    if (c->at > 0) {
        memmove(c->in, c->in + c->at, c->have - c->at);
        c->have -= c->at;
        frame_end -= c->at;
        c->at = 0;
    }
    if (c->room > c->have && c->room >= frame_end)
        return true;
    uint32_t room = c->room * 2 > READ_AHEAD ? c->room * 2 : READ_AHEAD;
    room = room > frame_end && frame_end > c->have ? frame_end : room;
    if (room <= c->room)
        return c->room > c->have;
    uint8_t *in = realloc(c->in, room);
    if (!in)
        return false;
    c->in = in;
    c->room = room;
    return true;
}

/* As recv(), into the buffer. An idle connection keeps none. */
static ssize_t connection_fill(struct connection *c, uint32_t frame_end)
{
    static uint8_t ahead[READ_AHEAD];
    ssize_t got;
    if (c->in) {
        if (!connection_make_room(c, frame_end))
            return connection_fail(c, TRANSPORT_FAULT_OWN, "out of memory");
        got = connection_read(c, c->in + c->have, c->room - c->have);
        c->have += got > 0 ? (uint32_t)got : 0;
        return got;
    }
    got = connection_read(c, ahead, sizeof ahead);
    if (got <= 0)
        return got;
    c->in = malloc((size_t)got);
    if (!c->in)
        return connection_fail(c, TRANSPORT_FAULT_OWN, "out of memory");
    memcpy(c->in, ahead, (size_t)got);
    c->room = c->have = (uint32_t)got;
    c->at = 0;
    return got;
}

static void connection_consumed(struct connection *c)
{
    if (c->at < c->have || !c->in)
        return;
    free(c->in);
    c->in = NULL;
    c->at = c->have = c->room = 0;
}

/* ---- logging in ---- */

static bool connection_send_token(struct connection *c, const uint8_t *token, size_t length)
{
    uint8_t head[16];
    uint32_t words[] = {htonl((uint32_t)length + 12), 0, htonl(SASL_REQUEST), htonl((uint32_t)length)};
    memcpy(head, words, sizeof head);
    return connection_keep_out(c, head, sizeof head) &&
           (length == 0 || connection_keep_out(c, token, length)) && connection_flush(c);
}

/* 1: over, the client's turn; 0: under way; -1: failed. */
static int connection_follow(struct connection *c, enum sasl_turn turn, const uint8_t *token, size_t length)
{
    if (turn == SASL_TURN_FAILED)
        return connection_fail(c, TRANSPORT_FAULT_SASL, "%s", sasl_problem(c->sasl));
    if (turn == SASL_TURN_SEND) {
        c->sasl_waits = false;
        return connection_send_token(c, token, length) ? 0 : -1;
    }
    c->sasl_waits = turn == SASL_TURN_WAIT;
    if (c->sasl_waits)
        return 0;
    sasl_free(c->sasl);
    c->sasl = NULL;
    c->whole = c->greeting;
    c->greeting = 0;
    c->link->stage = TRANSPORT_OPEN;
    return 1;
}

static void connection_on_login(void *context)
{
    struct connection *c = context;
    const uint8_t *token = NULL;
    size_t length = 0;
    enum sasl_turn turn = sasl_continue(c->sasl, &token, &length);
    (void)connection_follow(c, turn, token, length);
    if (turn != SASL_TURN_SEND)
        c->link->ready(c->link->context);
}

static int connection_login(struct connection *c)
{
    char server[SERVER_TEXT];
    const uint8_t *token = NULL;
    size_t length = 0;
    connection_name(c, server, sizeof server);
    c->sasl = sasl_new(c->sasl_context, c->link->loop, server,
                       connection_host(c, &(struct sockaddr_storage){0}), connection_on_login, c);
    if (!c->sasl)
        return connection_fail(c, TRANSPORT_FAULT_OWN, "out of memory");
    c->link->stage = TRANSPORT_LOGGING_IN;
    return connection_follow(c, sasl_begin(c->sasl, &token, &length), token, length);
}

/* The server's answer to a token; it is taken out of the input. */
static int connection_on_token(struct connection *c, uint32_t from, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT];
    const uint8_t *answer, *token = NULL;
    size_t answer_length, token_length = 0;
    int32_t error;
    if (!frame_read_sasl(c->in + from + FRAME_PREFIX, length, &answer, &answer_length, &error, fault))
        return connection_fail_frame(c, fault);
    enum sasl_turn turn = sasl_step(c->sasl, answer, answer_length, error, &token, &token_length);
    uint32_t end = from + FRAME_PREFIX + length;
    memmove(c->in + from, c->in + end, c->have - end);
    c->have -= end - from;
    return connection_follow(c, turn, token, token_length);
}

/* ---- frames ---- */

static bool connection_length_fits(const struct connection *c, uint32_t length, char *fault)
{
    if (c->link->stage != TRANSPORT_LOGGING_IN)
        return frame_check_length(&c->ledger, length, fault);
    snprintf(fault, FRAME_FAULT_TEXT, "a SASL answer of %u bytes", length);
    return length <= SASL_TOKEN_MOST;
}

static uint32_t connection_length(const uint8_t *prefix)
{
    uint32_t length;
    memcpy(&length, prefix, sizeof length);
    return ntohl(length);
}

/* A right reply that is too large: the client gets its header with an error, and the rest is thrown away. */
static void connection_refuse(struct connection *c, uint32_t from, uint32_t length)
{
    uint32_t prefix = htonl(FRAME_HEADER_LENGTH);
    memcpy(c->in + from, &prefix, sizeof prefix);
    frame_refuse(c->in + from + FRAME_PREFIX);
    c->whole = FRAME_PREFIX + FRAME_HEADER_LENGTH;
    c->skip = length - FRAME_HEADER_LENGTH;
}

/* As much as has come of the bytes to be thrown away. */
static void connection_skip(struct connection *c)
{
    uint32_t there = c->have - c->at;
    uint32_t take = c->skip < there ? c->skip : there;
    c->at += take;
    c->skip -= take;
    if (c->in)
        connection_consumed(c);
}

/* The header of a reply longer than any that is read: as connection_next_frame(). */
static int connection_on_long_frame(struct connection *c, uint32_t from, uint32_t length, uint32_t *end)
{
    char fault[FRAME_FAULT_TEXT];
    *end = from + FRAME_PREFIX + FRAME_HEADER_LENGTH;
    if (c->have < *end)
        return 0;
    if (!frame_skip(&c->ledger, c->in + from + FRAME_PREFIX, length, fault))
        return connection_fail_frame(c, fault);
    connection_refuse(c, from, length);
    return 1;
}

/* A whole frame that was received: 1: the client's, 0: not the client's, -1: the connection failed. */
static int connection_on_frame(struct connection *c, uint32_t from, uint32_t length)
{
    char fault[FRAME_FAULT_TEXT], server[SERVER_TEXT];
    const uint8_t *frame = c->in + from + FRAME_PREFIX;
    bool is_greeting = !c->ledger.answered;
    int follows = 1;
    if (c->link->stage == TRANSPORT_LOGGING_IN) {
        follows = connection_on_token(c, from, length);
    } else if (!frame_check(&c->ledger, frame, length, fault)) {
        follows = connection_fail_frame(c, fault);
    } else if (!is_greeting && frame_error(frame) == ERROR_REQUIRES_SASL) {
        connection_name(c, server, sizeof server);
        follows = connection_fail(c, TRANSPORT_FAULT_SASL,
                                  "%s requires a login; set auth_file: or sasl: for this cluster", server);
    } else if (is_greeting && c->sasl_context && !frame_is_expiry(frame, length)) {
        c->greeting = FRAME_PREFIX + length;
        follows = connection_login(c);
    }
    if (follows == 1 && !c->whole) {
        c->link->stage = TRANSPORT_OPEN;
        c->whole = FRAME_PREFIX + length;
        if (!is_greeting && frame_is_too_large(&c->ledger))
            connection_refuse(c, from, length);
    }
    return follows;
}

/*
 * Looks for a whole frame in the input: 1: the client has one, -1: the connection failed; 0: more
 * must be received, *end: up to there.
 */
static int connection_next_frame(struct connection *c, uint32_t *end)
{
    char fault[FRAME_FAULT_TEXT];
    int follows = 0;
    while (follows == 0) {
        uint32_t from = c->at + c->greeting, length;
        *end = from + FRAME_PREFIX;
        if (!c->in || c->have < *end)
            return 0;
        length = connection_length(c->in + from);
        if (!connection_length_fits(c, length, fault))
            return connection_fail_frame(c, fault);
        if (length > FRAME_LENGTH_MOST)
            return connection_on_long_frame(c, from, length, end);
        *end += length;
        if (c->have < *end)
            return 0;
        if (c->link->stage == TRANSPORT_LOGGING_IN && c->sasl_waits)
            return connection_fail_frame(c, "a SASL answer to nothing");
        follows = connection_on_frame(c, from, length);
    }
    return follows;
}

static ssize_t connection_recv(struct connection *c, void *bytes, size_t length)
{
    int follows = c->whole ? 1 : 0;
    while (follows == 0 && !c->failed) {
        uint32_t end = 0;
        if (c->skip)
            connection_skip(c);
        follows = c->skip ? 0 : connection_next_frame(c, &end);
        if (follows != 0)
            break;
        ssize_t got = connection_fill(c, end);
        if (got <= 0)
            return got;
    }
    if (c->failed) {
        errno = EPROTO;
        return -1;
    }
    uint32_t take = length < c->whole ? (uint32_t)length : c->whole;
    memcpy(bytes, c->in + c->at, take);
    c->at += take;
    c->whole -= take;
    if (c->whole == 0 && c->skip)
        connection_skip(c);
    if (c->in)
        connection_consumed(c);
    return (ssize_t)take;
}

/* Whether the client would find a failure, a whole frame, or data that TLS has taken from the socket. */
static bool connection_has_input(const struct connection *c)
{
    if (c->failed || c->whole)
        return true;
    uint32_t from = c->at + c->greeting + c->skip;
    bool frame = c->in && c->have >= from + FRAME_PREFIX &&
                 c->have - from - FRAME_PREFIX >= connection_length(c->in + from);
    return frame || (c->tls && tls_has_input(c->tls));
}

/* ---- the client's output ---- */

static bool connection_secure(struct connection *c)
{
    char server[SERVER_TEXT], problem[TLS_PROBLEM_TEXT];
    c->link->stage = TRANSPORT_GREETING;
    if (!c->tls_context)
        return true;
    connection_name(c, server, sizeof server);
    c->tls =
        tls_new(c->tls_context, c->fd, server, connection_host(c, &(struct sockaddr_storage){0}), problem);
    if (!c->tls)
        return connection_fail(c, TRANSPORT_FAULT_TLS, "%s", problem) == 0;
    c->link->stage = TRANSPORT_TLS;
    return tls_handshake(c->tls) >= 0 || connection_fail_tls(c) == 0;
}

static ssize_t connection_take_prefix(struct connection *c, const uint8_t *bytes, size_t length)
{
    size_t take = FRAME_PREFIX - c->prefix_have;
    take = take < length ? take : length;
    memcpy(c->prefix + c->prefix_have, bytes, take);
    c->prefix_have += (uint32_t)take;
    if (c->prefix_have == FRAME_PREFIX) {
        c->frame_left = connection_length(c->prefix);
        c->prefix_sent = 0;
        c->noted = false;
    }
    return (ssize_t)take;
}

/* The body's bytes that were sent, of prefix and body. */
static ssize_t connection_sent(struct connection *c, size_t sent)
{
    size_t of_prefix = FRAME_PREFIX - c->prefix_sent;
    of_prefix = of_prefix < sent ? of_prefix : sent;
    c->prefix_sent += (uint32_t)of_prefix;
    sent -= of_prefix;
    c->frame_left -= (uint32_t)sent;
    if (c->frame_left == 0)
        c->prefix_have = 0;
    if (sent > 0)
        return (ssize_t)sent;
    errno = EAGAIN;
    return -1;
}

static ssize_t connection_send(struct connection *c, const void *bytes, size_t length)
{
    if (c->failed) {
        errno = EPROTO;
        return -1;
    }
    if (c->link->stage == TRANSPORT_CONNECTING && !connection_secure(c))
        return -1;
    if (c->prefix_have < FRAME_PREFIX)
        return connection_take_prefix(c, bytes, length);
    length = length < c->frame_left ? length : c->frame_left;
    if (!c->noted && !frame_note_request(&c->ledger, bytes, length))
        return connection_fail(c, TRANSPORT_FAULT_OWN,
                               "a request whose reply cannot be checked was not sent");
    c->noted = true;
    if (!connection_flush(c))
        return -1;
    bool is_greeting = !c->ledger.answered;
    ssize_t sent = -1;
    errno = EAGAIN;
    if (!c->out)
        sent = connection_write(c, c->prefix + c->prefix_sent, FRAME_PREFIX - c->prefix_sent, bytes, length);
    if (sent >= 0)
        return connection_sent(c, (size_t)sent);
    if (!is_greeting || errno != EAGAIN)
        return -1;
    if (!connection_keep_out(c, c->prefix, FRAME_PREFIX) || !connection_keep_out(c, bytes, length))
        return -1;
    return connection_sent(c, FRAME_PREFIX + length);
}

static int connection_wants(const struct connection *c, int uv_events)
{
    bool stuck = c->tls ? tls_wants_write(c->tls) || (c->out && tls_is_open(c->tls)) : c->out != NULL;
    return uv_events | (stuck ? UV_WRITABLE : 0);
}

/* ---- beginning and end ---- */

static struct connection *connection_new(int fd, struct transport_link *link, struct tls_context *tls,
                                         struct sasl_context *sasl)
{
    struct connection *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct connection){.fd = fd, .link = link, .tls_context = tls, .sasl_context = sasl};
    link->stage = TRANSPORT_CONNECTING;
    link->fault = TRANSPORT_FAULT_NONE;
    free(link->problem);
    free(link->bad_reply);
    link->problem = link->bad_reply = NULL;
    return c;
}

static void connection_free(struct connection *c)
{
    sasl_free(c->sasl);
    tls_free(c->tls);
    frame_ledger_free(&c->ledger);
    free(c->in);
    free(c->out);
    free(c);
}

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

bool transport_is_asking(void)
{
    return sasl_is_asking();
}

struct tls_context *transport_tls(const struct security_settings *settings)
{
    struct cluster_security *c = settings && settings->tls.on ? security_of(settings) : NULL;
    return c ? c->tls : NULL;
}

bool transport_check_files(const struct settings *settings, char **error)
{
    char problem[TLS_PROBLEM_TEXT];
    struct text problems = {0};
    size_t bad = 0;
    for (size_t i = 0; i < settings->cluster_count; i++) {
        const struct security_settings *security = &settings->clusters[i].security;
        if ((security->tls.on && !tls_check_files(&security->tls, problem)) ||
            !sasl_check_files(&security->sasl, problem))
            text_printf(&problems, "%s%s", bad++ ? "\n" : "", problem);
    }
    if (bad)
        *error = text_take(&problems);
    return bad < settings->cluster_count;
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

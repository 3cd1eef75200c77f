#include "probe/zookeeper/fourletter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe/transport/tls.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/resolver.h"

struct fourletter {
    uv_loop_t *loop;
    const struct security_settings *security;
    uv_poll_t poll;
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    int open;         /* handles and requests that libuv still holds */
    fourletter_fn fn; /* NULL: it was called, or cancelled */
    void *context;
    uint64_t begun_ns;
    int fd; /* -1: none */
    bool connected;
    struct tls *tls;  /* NULL: plain, or not connected yet */
    int failed;       /* libuv's error, for the timer to report from the loop */
    char *name;       /* "host:port" */
    const char *host; /* in the same memory */
    char word[8];
    size_t sent;
    char *text;
    size_t length, room, limit;
};

static void fourletter_let_go(struct fourletter *f)
{
    if (--f->open > 0)
        return;
    tls_free(f->tls);
    if (f->fd >= 0)
        close(f->fd);
    free(f->name);
    free(f->text);
    free(f);
}

static void fourletter_on_closed(uv_handle_t *handle)
{
    fourletter_let_go(handle->data);
}

static void fourletter_finish(struct fourletter *f, const char *problem)
{
    fourletter_fn fn = f->fn;
    f->fn = NULL;
    if (!uv_is_closing((uv_handle_t *)&f->timer)) {
        uv_close((uv_handle_t *)&f->timer, fourletter_on_closed);
        uv_cancel((uv_req_t *)&f->lookup);
    }
    if (f->fd >= 0 && !uv_is_closing((uv_handle_t *)&f->poll))
        uv_close((uv_handle_t *)&f->poll, fourletter_on_closed);
    if (!fn)
        return;
    int64_t took_us = (int64_t)(uv_hrtime() - f->begun_ns) / 1000;
    if (!problem && f->text) {
        f->text[f->length] = '\0';
        fn(f->context, NULL, f->text, f->length, took_us);
    } else {
        fn(f->context, problem ? problem : "empty answer", NULL, 0, took_us);
    }
}

/* Room for more of the answer. */
static bool fourletter_make_room(struct fourletter *f)
{
    if (f->room - f->length >= 2048)
        return true;
    size_t room = f->room ? f->room * 2 : 4096;
    char *text = room <= f->limit + 4096 ? realloc(f->text, room) : NULL;
    if (!text)
        return false;
    f->text = text;
    f->room = room;
    return true;
}

static void word_failed(struct fourletter *f)
{
    const char *problem = f->tls ? tls_problem(f->tls) : NULL;
    fourletter_finish(f, problem ? problem : uv_strerror(uv_translate_sys_error(errno)));
}

static void fourletter_word_read_one(struct fourletter *f)
{
    ssize_t got = 1;
    while (got > 0 && f->length <= f->limit && fourletter_make_room(f)) {
        size_t room = f->room - f->length - 1;
        got = f->tls ? tls_recv(f->tls, f->text + f->length, room)
                     : recv(f->fd, f->text + f->length, room, MSG_DONTWAIT);
        f->length += got > 0 ? (size_t)got : 0;
    }
    if (got > 0)
        fourletter_finish(f, "answer too large");
    else if (got == 0)
        fourletter_finish(f, NULL);
    else if (errno != EAGAIN && errno != EINTR && f->length && !(f->tls && tls_problem(f->tls)))
        fourletter_finish(f, NULL); /* a server that refuses a connection over its limit resets it */
    else if (errno != EAGAIN && errno != EINTR)
        word_failed(f);
}

/* False: it is not all sent yet, or it failed. */
static bool word_write(struct fourletter *f)
{
    size_t length = strlen(f->word);
    while (f->sent < length) {
        ssize_t sent = f->tls ? tls_send(f->tls, f->word + f->sent, length - f->sent)
                              : send(f->fd, f->word + f->sent, length - f->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            word_failed(f);
        if (sent < 0)
            return false;
        f->sent += (size_t)sent;
    }
    return true;
}

static void on_word_ready(uv_poll_t *poll, int status, int events);

static void word_go_on(struct fourletter *f)
{
    bool written = word_write(f);
    if (written && f->fn)
        fourletter_word_read_one(f);
    if (!f->fn)
        return;
    bool waits_to_write = f->tls ? tls_wants_write(f->tls) : !written;
    uv_poll_start(&f->poll, UV_READABLE | (waits_to_write ? UV_WRITABLE : 0), on_word_ready);
}

static void word_connected(struct fourletter *f)
{
    int error = 0;
    socklen_t length = sizeof error;
    char problem[TLS_PROBLEM_TEXT];
    if (getsockopt(f->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
        fourletter_finish(f, uv_strerror(uv_translate_sys_error(error ? error : errno)));
        return;
    }
    f->connected = true;
    f->begun_ns = uv_hrtime(); /* of the question, without the way there */
    if (f->security && f->security->tls.on) {
        struct tls_context *context = transport_tls(f->security);
        snprintf(problem, sizeof problem, "out of memory");
        f->tls = context ? tls_new(context, f->fd, f->name, f->host, problem) : NULL;
        if (!f->tls) {
            fourletter_finish(f, problem);
            return;
        }
    }
    word_go_on(f);
}

static void on_word_ready(uv_poll_t *poll, int status, int events)
{
    struct fourletter *f = poll->data;
    (void)events;
    if (!f->fn)
        return;
    if (!f->connected)
        word_connected(f);
    else
        word_go_on(f);
    if (status < 0 && f->fn) /* libuv has found an error, which it does not name */
        fourletter_finish(f, f->length ? NULL : uv_strerror(UV_ECONNRESET));
}

/* 0, or libuv's error. */
static int connect_to(struct fourletter *f, const struct sockaddr *address)
{
    socklen_t length =
        address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    int rc = connect(fd, address, length) != 0 && errno != EINPROGRESS ? uv_translate_sys_error(errno) : 0;
    if (rc == 0)
        rc = uv_poll_init(f->loop, &f->poll, fd);
    if (rc != 0) {
        close(fd);
        return rc;
    }
    f->fd = fd;
    f->poll.data = f;
    f->open++;
    return uv_poll_start(&f->poll, UV_WRITABLE, on_word_ready);
}

/* In the words of http.c. */
static const char *lookup_problem(int status)
{
    return status == UV_EAI_NONAME || status == UV_EAI_NODATA || status == 0 ? "no such host"
                                                                             : uv_strerror(status);
}

static void on_lookup(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct fourletter *f = request->data;
    if (f->fn && (status != 0 || !found)) {
        fourletter_finish(f, lookup_problem(status));
    } else if (f->fn) {
        int rc = connect_to(f, found->ai_addr);
        if (rc != 0)
            fourletter_finish(f, uv_strerror(rc));
    }
    uv_freeaddrinfo(found);
    fourletter_let_go(f);
}

static void fourletter_on_deadline(uv_timer_t *timer)
{
    struct fourletter *f = timer->data;
    fourletter_finish(f, f->failed ? uv_strerror(f->failed) : "no answer");
}

/* The host, and "host:port" behind it. */
static bool keep_name(struct fourletter *f, const char *host, const char *port)
{
    size_t length = strlen(host) + 1, size = length + strlen(host) + strlen(port) + 4;
    char *name = malloc(length + size);
    if (!name)
        return false;
    memcpy(name + size, host, length);
    snprintf(name, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
    f->name = name;
    f->host = name + size;
    return true;
}

struct fourletter *fourletter_ask(uv_loop_t *loop, const struct security_settings *security, const char *host,
                                  const char *port, const char *word, uint64_t deadline_ms, size_t limit,
                                  fourletter_fn fn, void *context)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct fourletter *f = calloc(1, sizeof *f);
    if (!f || !keep_name(f, host, port)) {
        free(f);
        return NULL;
    }
    f->loop = loop;
    f->security = security;
    f->fd = -1;
    f->fn = fn;
    f->context = context;
    f->limit = limit;
    f->begun_ns = uv_hrtime();
    strncpy(f->word, word, sizeof f->word - 1);
    f->lookup.data = f;
    uv_timer_init(loop, &f->timer);
    f->timer.data = f;
    f->open = 1;
    /* An address needs no look-up, which would wake libuv's threads. */
    struct sockaddr_storage literal;
    struct host_port server = {.host = (char *)(uintptr_t)host, .port = atoi(port)};
    if (address_literal(&server, &literal))
        f->failed = connect_to(f, (const struct sockaddr *)&literal);
    else if ((f->failed = uv_getaddrinfo(loop, &f->lookup, on_lookup, host, port, &hints)) == 0)
        f->open++;
    uv_timer_start(&f->timer, fourletter_on_deadline, f->failed ? 0 : deadline_ms, 0);
    return f;
}

void fourletter_cancel(struct fourletter *f)
{
    f->fn = NULL;
    fourletter_finish(f, "cancelled");
}

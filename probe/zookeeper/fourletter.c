#include "probe/zookeeper/fourletter.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/resolver.h"

struct fourletter {
    uv_loop_t *loop;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    uv_connect_t connect;
    uv_write_t write;
    int open;         /* handles and requests that libuv still holds */
    fourletter_fn fn; /* NULL: told already, or cancelled */
    void *context;
    uint64_t begun_ns;
    bool tcp_open;
    int failed; /* libuv's error, told from the loop */
    char word[8];
    char *text;
    size_t length, room, limit;
};

static void let_go(struct fourletter *f)
{
    if (--f->open > 0)
        return;
    free(f->text);
    free(f);
}

static void on_closed(uv_handle_t *handle)
{
    let_go(handle->data);
}

static void finish(struct fourletter *f, const char *problem)
{
    fourletter_fn fn = f->fn;
    f->fn = NULL;
    if (!uv_is_closing((uv_handle_t *)&f->timer)) {
        uv_close((uv_handle_t *)&f->timer, on_closed);
        uv_cancel((uv_req_t *)&f->lookup);
    }
    if (f->tcp_open && !uv_is_closing((uv_handle_t *)&f->tcp))
        uv_close((uv_handle_t *)&f->tcp, on_closed);
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

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    struct fourletter *f = handle->data;
    if (f->room - f->length < 2048) {
        size_t room = f->room ? f->room * 2 : 4096;
        char *text = room <= f->limit + 4096 ? realloc(f->text, room) : NULL;
        if (!text) {
            *buffer = uv_buf_init(NULL, 0);
            return;
        }
        f->text = text;
        f->room = room;
    }
    *buffer = uv_buf_init(f->text + f->length, (unsigned)(f->room - f->length - 1));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    (void)buffer;
    struct fourletter *f = stream->data;
    if (count > 0) {
        f->length += (size_t)count;
        if (f->length > f->limit)
            finish(f, "answer too large");
    } else if (count == UV_EOF) {
        finish(f, NULL);
    } else if (count == UV_ENOBUFS) {
        finish(f, "answer too large");
    } else if (count < 0) {
        /* A server that refuses a connection over its limit resets it. */
        finish(f, f->length ? NULL : uv_strerror((int)count));
    }
}

static void on_written(uv_write_t *request, int status)
{
    struct fourletter *f = request->data;
    if (status < 0)
        finish(f, uv_strerror(status));
    let_go(f);
}

static void on_connect(uv_connect_t *request, int status)
{
    struct fourletter *f = request->data;
    if (status < 0) {
        finish(f, uv_strerror(status));
    } else if (f->fn) {
        uv_buf_t buffer = uv_buf_init(f->word, (unsigned)strlen(f->word));
        f->write.data = f;
        f->begun_ns = uv_hrtime(); /* the question's time, without the way there */
        if (uv_read_start((uv_stream_t *)&f->tcp, on_alloc, on_read) == 0 &&
            uv_write(&f->write, (uv_stream_t *)&f->tcp, &buffer, 1, on_written) == 0)
            f->open++;
        else
            finish(f, "cannot send");
    }
    let_go(f);
}

/* 0, or libuv's error. */
static int connect_to(struct fourletter *f, const struct sockaddr *address)
{
    uv_tcp_init(f->loop, &f->tcp);
    f->tcp.data = f;
    f->tcp_open = true;
    f->open++;
    f->connect.data = f;
    int rc = uv_tcp_connect(&f->connect, &f->tcp, address, on_connect);
    if (rc == 0)
        f->open++;
    return rc;
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
        finish(f, lookup_problem(status));
    } else if (f->fn) {
        int rc = connect_to(f, found->ai_addr);
        if (rc != 0)
            finish(f, uv_strerror(rc));
    }
    uv_freeaddrinfo(found);
    let_go(f);
}

static void on_deadline(uv_timer_t *timer)
{
    struct fourletter *f = timer->data;
    finish(f, f->failed ? uv_strerror(f->failed) : "no answer");
}

struct fourletter *fourletter_ask(uv_loop_t *loop, const char *host, const char *port, const char *word,
                                  uint64_t deadline_ms, size_t limit, fourletter_fn fn, void *context)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct fourletter *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->loop = loop;
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
    uv_timer_start(&f->timer, on_deadline, f->failed ? 0 : deadline_ms, 0);
    return f;
}

void fourletter_cancel(struct fourletter *f)
{
    f->fn = NULL;
    finish(f, "cancelled");
}

#include "probe/zookeeper/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/loop_timer.h"

/* AdminServers asked by one of these: more connections than these need not be kept open. */
#define KEPT_OPEN 64L

struct http {
    CURLM *multi;
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct socket_poll *polls;
};

/* One descriptor of the library's. */
struct socket_poll {
    uv_poll_t poll;
    struct http *http;
    curl_socket_t fd;
    struct socket_poll *previous, *next;
};

struct http_get {
    struct http *http;
    CURL *easy;
    const struct http_reader *reader;
    void *context;
    size_t received, limit;
    uint64_t begun_ns;
    int64_t deadline_ms;
    bool broken_off, too_large, again;
};

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void poll_end(struct socket_poll *p)
{
    if (p->previous)
        p->previous->next = p->next;
    else
        p->http->polls = p->next;
    if (p->next)
        p->next->previous = p->previous;
    uv_poll_stop(&p->poll);
    uv_close((uv_handle_t *)&p->poll, on_poll_closed);
}

/* A connection kept open from an earlier question may have been closed by now: that says nothing yet. */
static bool try_again(struct http_get *get, CURLcode result)
{
    long connects = 1;
    curl_easy_getinfo(get->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (get->again || get->received || connects > 0 ||
        (result != CURLE_SEND_ERROR && result != CURLE_RECV_ERROR && result != CURLE_GOT_NOTHING))
        return false;
    get->again = true;
    curl_multi_remove_handle(get->http->multi, get->easy);
    curl_easy_setopt(get->easy, CURLOPT_FRESH_CONNECT, 1L);
    return curl_multi_add_handle(get->http->multi, get->easy) == CURLM_OK;
}

/* Why there was no connection: what to do about a refusal is not what to do about a network. */
static const char *connect_problem(const struct http_get *get)
{
    long error = 0;
    curl_easy_getinfo(get->easy, CURLINFO_OS_ERRNO, &error);
    switch (error) {
    case ECONNREFUSED:
        return "connection refused";
    case EHOSTUNREACH:
        return "no route to host";
    case ENETUNREACH:
        return "network is unreachable";
    case ETIMEDOUT:
        return "the connection timed out";
    case EACCES:
    case EPERM:
        return "not permitted to connect (a firewall?)";
    default:
        return "cannot connect";
    }
}

/* How far it had come when its time was over. */
static const char *missing_within(const struct http_get *get)
{
    curl_off_t lookup_us = 0, connect_us = 0;
    curl_easy_getinfo(get->easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup_us);
    curl_easy_getinfo(get->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
    return connect_us > 0 ? "answer" : lookup_us > 0 ? "connection" : "address for its name";
}

static void finish(struct http_get *get, CURLcode result)
{
    if (try_again(get, result))
        return;
    const struct http_reader *reader = get->reader;
    void *context = get->context;
    int64_t took_us = (int64_t)(uv_hrtime() - get->begun_ns) / 1000;
    long status = 0;
    char text[160];
    const char *problem = NULL;
    bool whole = result == CURLE_OK;
    curl_easy_getinfo(get->easy, CURLINFO_RESPONSE_CODE, &status);
    if (get->too_large || result == CURLE_FILESIZE_EXCEEDED) {
        snprintf(text, sizeof text, "an answer of more than %zu MB", get->limit >> 20);
        problem = text;
    } else if (get->broken_off) {
        whole = false;
    } else if (result == CURLE_OPERATION_TIMEDOUT) {
        snprintf(text, sizeof text, "no %s within %.3g s", missing_within(get),
                 (double)get->deadline_ms / 1000);
        problem = text;
    } else if (result == CURLE_COULDNT_CONNECT) {
        problem = connect_problem(get);
    } else if (result == CURLE_COULDNT_RESOLVE_HOST) {
        problem = "no such host";
    } else if (result == CURLE_PARTIAL_FILE || result == CURLE_GOT_NOTHING || result == CURLE_RECV_ERROR) {
        problem = "the answer was cut off";
    } else if (result == CURLE_UNSUPPORTED_PROTOCOL || result == CURLE_WEIRD_SERVER_REPLY) {
        problem = "not an HTTP answer";
    } else if (result != CURLE_OK) {
        problem = curl_easy_strerror(result);
    } else if (status != 200) {
        snprintf(text, sizeof text, "HTTP status %ld", status);
        problem = text;
        whole = false;
    }
    http_cancel(get);
    reader->done(context, problem, whole, took_us);
}

/* Answers that have ended are told outside the library's own calls: whoever is told may ask again. */
static void act(struct http *http, curl_socket_t fd, int events)
{
    int running, left;
    curl_multi_socket_action(http->multi, fd, events, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(http->multi, &left))) {
        struct http_get *get = NULL;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &get);
        finish(get, result);
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct socket_poll *p = poll->data;
    int bits = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        bits |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        bits |= CURL_CSELECT_OUT;
    act(p->http, p->fd, bits);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    (void)easy;
    struct http *http = context;
    struct socket_poll *p = socket_context;
    if (what == CURL_POLL_REMOVE) {
        if (p) {
            curl_multi_assign(http->multi, fd, NULL);
            poll_end(p);
        }
        return 0;
    }
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            return -1;
        if (uv_poll_init_socket(http->loop, &p->poll, fd) != 0) {
            free(p);
            return -1;
        }
        p->poll.data = p;
        p->http = http;
        p->fd = fd;
        p->next = http->polls;
        if (p->next)
            p->next->previous = p;
        http->polls = p;
        curl_multi_assign(http->multi, fd, p);
    }
    uv_poll_start(&p->poll,
                  (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0),
                  on_poll);
    return 0;
}

static void on_timer(uv_timer_t *timer)
{
    act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timeout(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    struct http *http = context;
    if (timeout_ms < 0)
        uv_timer_stop(http->timer);
    else
        uv_timer_start(http->timer, on_timer, (uint64_t)timeout_ms, 0);
    return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct http_get *get = context;
    size_t length = size * count;
    long status = 0;
    curl_easy_getinfo(get->easy, CURLINFO_RESPONSE_CODE, &status);
    get->received += length;
    if (get->received > get->limit)
        get->too_large = true;
    else if (status == 200 && !get->reader->body(get->context, bytes, length))
        get->broken_off = true;
    return get->too_large || get->broken_off ? 0 : length;
}

struct http *http_new(uv_loop_t *loop)
{
    struct http *http = calloc(1, sizeof *http);
    if (!http)
        return NULL;
    http->loop = loop;
    http->timer = loop_timer_new(loop, http);
    if (!http->timer || curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK)
        goto failed;
    http->multi = curl_multi_init();
    if (!http->multi) {
        curl_global_cleanup();
        goto failed;
    }
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, KEPT_OPEN);
    return http;
failed:
    loop_timer_free(http->timer);
    free(http);
    return NULL;
}

void http_free(struct http *http)
{
    if (!http)
        return;
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, NULL);
    curl_multi_cleanup(http->multi);
    curl_global_cleanup();
    while (http->polls)
        poll_end(http->polls);
    loop_timer_free(http->timer);
    free(http);
}

struct http_get *http_get(struct http *http, const char *host, int port, const char *path,
                          int64_t deadline_ms, size_t limit, const struct http_reader *reader, void *context)
{
    char url[512];
    bool ipv6 = strchr(host, ':') != NULL;
    struct http_get *get = calloc(1, sizeof *get);
    CURL *easy = get ? curl_easy_init() : NULL;
    if (!easy) {
        free(get);
        return NULL;
    }
    *get = (struct http_get){.http = http,
                             .easy = easy,
                             .reader = reader,
                             .context = context,
                             .limit = limit,
                             .begun_ns = uv_hrtime(),
                             .deadline_ms = deadline_ms};
    snprintf(url, sizeof url, ipv6 ? "http://[%s]:%d%s" : "http://%s:%d%s", host, port, path);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    /* A name that is still being looked up at the deadline is given up, not waited for: its thread ends by
       itself and cleans up behind it. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)deadline_ms);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, get);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, get);
    if (curl_multi_add_handle(http->multi, easy) != CURLM_OK) {
        curl_easy_cleanup(easy);
        free(get);
        return NULL;
    }
    return get;
}

void http_cancel(struct http_get *get)
{
    curl_multi_remove_handle(get->http->multi, get->easy);
    curl_easy_cleanup(get->easy);
    free(get);
}

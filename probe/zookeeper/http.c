#include "probe/zookeeper/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/secret.h"
#include "config/security.h"
#include "config/text.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/transport/tls.h"

/* The maximum number of connections kept open, in AdminServers per object. */
#define KEPT_OPEN 64L

/* libcurl keeps all headers, and the trailers of a chunked answer, of which it limits only each one. */
#define HEADERS_MOST ((size_t)64 << 10)
/* The chunks of a body: each costs as much as a kilobyte, and the loop waits. Jetty's have some thousand bytes. */
#define PIECES_MOST ((size_t)1 << 16)
/* The library reads on while there is something to read, and the loop waits: so many reads in a row must have brought
 * some content. */
#define EMPTY_READS_MOST 100

/* Of a file with certificates: those of all authorities of the world are 200 KB. */
#define PEM_MOST ((size_t)4 << 20)

/* AdminServers known to answer without TLS. */
#define PLAIN_MOST 64

struct http {
    const struct security_settings *security; /* NULL: plain */
    char plain[PLAIN_MOST][80];               /* "host:port" */
    size_t plain_count;
    CURLM *multi;
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct socket_poll *polls;
    int active;             /* requests in the library */
    bool has_ended;         /* one of them has ended and is not reported yet */
    char file_problem[160]; /* why a file of TLS cannot be read now; "": all can */
};

/* A descriptor of the library. It is kept for the next request on the connection: a new one costs three
 * system calls. */
struct socket_poll {
    uv_poll_t poll;
    struct http *http;
    curl_socket_t fd;
    struct socket_poll *next;
};

struct http_get {
    struct http *http;
    CURL *easy;
    const struct http_reader *reader;
    void *context;
    size_t headed, received, limit; /* bytes: of headers, of the body */
    size_t pieces;
    size_t seen, empty_reads; /* the bytes of the body when it was read last; the reads since it grew */
    const char *refused;      /* why no more of it is read; a static text */
    uint64_t begun_ns;
    int64_t deadline_ms;
    bool broken_off, too_large, again;
    bool secure;
    char host[256], path[64];
    int port;
    struct curl_slist *connect_to;
    char *authority, *certificate; /* the files' contents; the certificate's is NULL where the key's has it */
    char *key, *key_password, *secret_header;
    char error[CURL_ERROR_SIZE];
    bool posts;
    struct curl_slist *headers, secret_first; /* secret_header, before the others */
};

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void polls_end(struct http *http)
{
    while (http->polls) {
        struct socket_poll *p = http->polls;
        http->polls = p->next;
        uv_close((uv_handle_t *)&p->poll, on_poll_closed);
    }
}

static struct socket_poll *poll_of(struct http *http, curl_socket_t fd)
{
    struct socket_poll *p = http->polls;
    while (p && p->fd != fd)
        p = p->next;
    if (p)
        return p;
    p = xcalloc(1, sizeof *p);
    if (uv_poll_init_socket(http->loop, &p->poll, fd) != 0) {
        free(p);
        return NULL;
    }
    p->poll.data = p;
    p->http = http;
    p->fd = fd;
    p->next = http->polls;
    http->polls = p;
    return p;
}

static bool http_request_begin(struct http *http, CURL *easy)
{
    bool is_begun = curl_multi_add_handle(http->multi, easy) == CURLM_OK;
    http->active += is_begun;
    return is_begun;
}

static void request_end(struct http *http, CURL *easy)
{
    http->active -= curl_multi_remove_handle(http->multi, easy) == CURLM_OK;
}

/* The server may have closed a connection kept open from an earlier request; that is not a failure yet. */
static bool try_again(struct http_get *get, CURLcode result)
{
    long connects = 1;
    curl_easy_getinfo(get->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (get->again || get->received || connects > 0 ||
        (result != CURLE_SEND_ERROR && result != CURLE_RECV_ERROR && result != CURLE_GOT_NOTHING))
        return false;
    get->again = true;
    request_end(get->http, get->easy);
    curl_easy_setopt(get->easy, CURLOPT_FRESH_CONNECT, 1L);
    return http_request_begin(get->http, get->easy);
}

static bool http_get_send(struct http_get *get);

/*
 * The AdminServer answers without TLS, as most do even beside a client port with TLS. It is then used without
 * TLS, unless the settings forbid it. No secrets are sent, but the answer could be forged, which the log
 * says.
 */
static bool try_plain(struct http_get *get, CURLcode result)
{
    struct http *http = get->http;
    bool is_plain = result == CURLE_SSL_CONNECT_ERROR &&
                    (strstr(get->error, "wrong version number") || strstr(get->error, "http request") ||
                     strstr(get->error, "packet length too long"));
    if (!get->secure || !is_plain || http->security->tls.admin == TLS_ADMIN_HTTPS ||
        http->plain_count == PLAIN_MOST)
        return false;
    log_line(LOG_LEVEL_WARNING, "AdminServer at %.60s:%d answers without TLS: electop polls it without TLS",
             get->host, get->port);
    snprintf(http->plain[http->plain_count++], sizeof http->plain[0], "%.64s:%d", get->host, get->port);
    request_end(http, get->easy);
    get->secure = false;
    return http_get_send(get);
}

static bool http_is_plain(const struct http *http, const char *host, int port)
{
    char name[80];
    snprintf(name, sizeof name, "%.64s:%d", host, port);
    for (size_t i = 0; i < http->plain_count; i++)
        if (strcmp(http->plain[i], name) == 0)
            return true;
    return false;
}

/* In TLS 1.3 a server refuses a client's certificate after its handshake; its reset may overtake its alert. */
static bool is_ended_after_handshake(const struct http_get *get, CURLcode result)
{
    curl_off_t handshake_us = 0;
    curl_easy_getinfo(get->easy, CURLINFO_APPCONNECT_TIME_T, &handshake_us);
    return get->secure && handshake_us > 0 && get->headed == 0 &&
           (result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR || result == CURLE_GOT_NOTHING);
}

/* The reason in curl's words if TLS failed. */
static const char *tls_failure(const struct http_get *get, CURLcode result, char *text, size_t size)
{
    const char *said = get->error[0] ? get->error : curl_easy_strerror(result);
    bool is_ours = get->http->security->tls.cert != NULL;
    if (strstr(said, "alert certificate required") || strstr(said, "alert bad certificate"))
        said = is_ours ? "it refuses the client certificate"
                       : "it requires a client certificate; set tls: cert and key";
    else if (is_ended_after_handshake(get, result))
        said = is_ours
                   ? "it ended the connection after the handshake; perhaps it refuses the client certificate"
                   : "it ended the connection after the handshake; perhaps it requires a client certificate "
                     "(tls: cert and key)";
    snprintf(text, size, "%.130s", said);
    return text;
}

/* Why the connection failed: a refusal needs another remedy than a network problem. */
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

/* How far the request had come at its deadline. */
static const char *missing_within(const struct http_get *get)
{
    curl_off_t lookup_us = 0, connect_us = 0;
    curl_easy_getinfo(get->easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup_us);
    curl_easy_getinfo(get->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
    return connect_us > 0 ? "answer" : lookup_us > 0 ? "connection" : "address for its name";
}

static void http_finish(struct http_get *get, CURLcode result)
{
    if (try_again(get, result) || try_plain(get, result))
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
    } else if (get->refused) {
        problem = get->refused;
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
    } else if (is_ended_after_handshake(get, result) || (get->secure && strstr(get->error, " alert "))) {
        problem = tls_failure(get, result, text, sizeof text);
    } else if (result == CURLE_PARTIAL_FILE || result == CURLE_GOT_NOTHING || result == CURLE_RECV_ERROR) {
        problem = "the answer was cut off";
    } else if (result == CURLE_UNSUPPORTED_PROTOCOL || result == CURLE_WEIRD_SERVER_REPLY) {
        problem = "not an HTTP answer";
    } else if (get->secure && result != CURLE_OK) {
        problem = tls_failure(get, result, text, sizeof text);
    } else if (result != CURLE_OK) {
        problem = curl_easy_strerror(result);
    } else if (get->posts ? status < 200 || status > 299 : status != 200) {
        snprintf(text, sizeof text, "HTTP status %ld", status);
        problem = text;
        whole = false;
    }
    struct curl_header *date;
    if (reader->date && curl_easy_header(get->easy, "Date", 0, CURLH_HEADER, -1, &date) == CURLHE_OK)
        reader->date(context, (int64_t)curl_getdate(date->value, NULL));
    http_cancel(get);
    reader->done(context, problem, whole, took_us);
}

/* Reports finished answers outside the library's own calls: the receiver may send a new request. */
static void http_act(struct http *http, curl_socket_t fd, int events)
{
    int running, left;
    curl_multi_socket_action(http->multi, fd, events, &running);
    CURLMsg *message;
    http->has_ended = false;
    while ((message = curl_multi_info_read(http->multi, &left))) {
        struct http_get *get = NULL;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &get);
        http_finish(get, result);
    }
}

static void http_on_timer(uv_timer_t *timer)
{
    http_act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* Sends now, instead of in the loop's next turn. */
static void http_send(struct http *http)
{
    int running;
    curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    http->has_ended = running < http->active;
    if (http->has_ended)
        uv_timer_start(http->timer, http_on_timer, 0, 0);
}

static void http_on_poll(uv_poll_t *poll, int status, int events)
{
    struct socket_poll *p = poll->data;
    int bits = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        bits |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        bits |= CURL_CSELECT_OUT;
    http_act(p->http, p->fd, bits);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    (void)easy;
    struct http *http = context;
    struct socket_poll *p = socket_context;
    if (what == CURL_POLL_REMOVE) {
        if (p)
            uv_poll_stop(&p->poll);
        return 0;
    }
    if (!p) {
        p = poll_of(http, fd);
        if (!p)
            return -1;
        curl_multi_assign(http->multi, fd, p);
    }
    uv_poll_start(&p->poll,
                  (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0),
                  http_on_poll);
    return 0;
}

static int on_timeout(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    struct http *http = context;
    if (timeout_ms < 0 && !http->has_ended)
        uv_timer_stop(http->timer);
    else
        uv_timer_start(http->timer, http_on_timer, http->has_ended ? 0 : (uint64_t)timeout_ms, 0);
    return 0;
}

static size_t http_on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct http_get *get = context;
    (void)bytes;
    get->headed += size * count;
    if (get->headed > HEADERS_MOST)
        get->refused = "an answer with more than 64 KB of headers";
    return get->refused ? 0 : size * count;
}

/* Called after each read, also outside the content: in the extensions of a chunk. */
static int http_on_read(void *context, curl_off_t down, curl_off_t downloaded, curl_off_t up,
                        curl_off_t uploaded)
{
    struct http_get *get = context;
    (void)down, (void)downloaded, (void)up, (void)uploaded;
    get->empty_reads = get->headed > 0 && get->received == get->seen ? get->empty_reads + 1 : 0;
    get->seen = get->received;
    if (get->empty_reads > EMPTY_READS_MOST)
        get->refused = "an answer without end or content";
    return get->refused != NULL;
}

static size_t http_on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct http_get *get = context;
    size_t length = size * count;
    long status = 0;
    curl_easy_getinfo(get->easy, CURLINFO_RESPONSE_CODE, &status);
    get->received += length;
    if (++get->pieces > PIECES_MOST)
        get->refused = "an answer in more than 65,536 pieces";
    else if (get->received > get->limit)
        get->too_large = true;
    else if (status == 200 && !get->reader->body(get->context, bytes, length))
        get->broken_off = true;
    return get->refused || get->too_large || get->broken_off ? 0 : length;
}

struct http *http_new(uv_loop_t *loop, const struct security_settings *security)
{
    struct http *http = xcalloc(1, sizeof *http);
    http->loop = loop;
    http->security = security;
    http->timer = loop_timer_new(loop, http);
    if (curl_global_init_mem(CURL_GLOBAL_NOTHING, malloc, secret_library_free, secret_library_realloc, strdup,
                             calloc) != CURLE_OK)
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
    polls_end(http);
    loop_timer_free(http->timer);
    free(http);
}

/* By its name libcurl would read whatever is there by then, or wait for a pipe's writer. */
static char *http_read_file(const char *file, char **error)
{
    const char *why;
    size_t length;
    char *content = plain_file_read(file, PEM_MOST, &length, &why);
    if (!content)
        *error = text_format("%s: %s; check tls: ca and cert", file, why);
    return content;
}

/* Files that changed meanwhile are wrong or right again: they are read for each request. */
static bool http_get_read_files(struct http_get *get, const struct tls_settings *tls)
{
    const char *key = tls->key ? tls->key : tls->cert;
    char *error = NULL;
    if (tls->ca && !get->authority)
        get->authority = http_read_file(tls->ca, &error);
    if (tls->cert && tls->key && !get->certificate && !error)
        get->certificate = http_read_file(tls->cert, &error);
    if (key && !get->key && !error)
        get->key = secret_read(key, "key", &error);
    if (tls->key_password_file && !get->key_password && !error)
        get->key_password = secret_read_line(tls->key_password_file, "file with the key's password", &error);
    bool good = !error;
    const char *problem = error ? error : "";
    if (strncmp(problem, get->http->file_problem, sizeof get->http->file_problem - 1) != 0) {
        snprintf(get->http->file_problem, sizeof get->http->file_problem, "%s", problem);
        log_line(LOG_LEVEL_WARNING, "%s", error ? error : "the files of TLS can be read again");
    }
    free(error);
    return good;
}

static bool http_set_blob(CURL *easy, CURLoption option, char *content)
{
    struct curl_blob blob = {content, content ? strlen(content) : 0, CURL_BLOB_NOCOPY};
    return !content || curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

static bool http_get_secure(struct http_get *get)
{
    const struct tls_settings *tls = &get->http->security->tls;
    CURL *easy = get->easy;
    if (!http_get_read_files(get, tls))
        return false;
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls->verify == TLS_VERIFY_NONE ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls->verify == TLS_VERIFY_FULL ? 2L : 0L);
    curl_easy_setopt(
        easy, CURLOPT_SSLVERSION,
        (long)(tls->min_version == TLS_VERSION_1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2));
    if (tls->ca) /* and no other authority that this machine trusts */
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (!http_set_blob(easy, CURLOPT_CAINFO_BLOB, get->authority) ||
        !http_set_blob(easy, CURLOPT_SSLCERT_BLOB, get->certificate ? get->certificate : get->key) ||
        !http_set_blob(easy, CURLOPT_SSLKEY_BLOB, get->key)) {
        log_line(LOG_LEVEL_WARNING, "this libcurl takes no certificate or key from memory");
        return false;
    }
    if (get->key_password)
        curl_easy_setopt(easy, CURLOPT_KEYPASSWD, get->key_password);
    return true;
}

static void http_get_free(struct http_get *get)
{
    curl_easy_cleanup(get->easy);
    curl_slist_free_all(get->connect_to);
    curl_slist_free_all(get->headers);
    free(get->authority);
    free(get->certificate);
    secret_end(get->key);
    secret_end(get->key_password);
    secret_end(get->secret_header);
    free(get);
}

static bool http_get_send(struct http_get *get)
{
    char url[512], other[600];
    bool ipv6 = strchr(get->host, ':') != NULL;
    const struct security_settings *security = get->http->security;
    const char *name = get->secure && security->tls.server_name ? security->tls.server_name : NULL;
    const char *brackets[] = {ipv6 && !name ? "[" : "", ipv6 && !name ? "]" : ""};
    snprintf(url, sizeof url, "%s://%s%.250s%s:%d%s", get->secure ? "https" : "http", brackets[0],
             name ? name : get->host, brackets[1], get->port, get->path);
    if (name && !get->connect_to) { /* the certificate has another name than the host */
        snprintf(other, sizeof other, ipv6 ? "%.250s:%d:[%s]:%d" : "%.250s:%d:%s:%d", name, get->port,
                 get->host, get->port);
        get->connect_to = curl_slist_append(NULL, other);
        if (!get->connect_to)
            return false;
    }
    curl_easy_setopt(get->easy, CURLOPT_CONNECT_TO, name ? get->connect_to : NULL);
    curl_easy_setopt(get->easy, CURLOPT_URL, url);
    curl_easy_setopt(get->easy, CURLOPT_PROTOCOLS_STR, get->secure ? "https" : "http");
    return (!get->secure || http_get_secure(get)) && http_request_begin(get->http, get->easy);
}

static CURLcode http_on_context(CURL *easy, void *context, void *unused)
{
    (void)easy, (void)unused;
    return tls_without_finite_field(context) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

static struct http_get *http_prepare(struct http *http, int64_t deadline_ms, size_t limit,
                                     const struct http_reader *reader, void *context)
{
    struct http_get *get = xcalloc(1, sizeof *get);
    CURL *easy = curl_easy_init();
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
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, get->error);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, http_on_context);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    /* All bounds here are made for it; HTTP/2's library reads frames without end, and keeps copies of a token. */
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    /* A pending look-up is abandoned at the deadline: its thread ends and cleans up by itself. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)deadline_ms);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, get);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, http_on_read);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, get);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, get);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, get);
    return get;
}

struct http_get *http_get(struct http *http, const char *host, int port, const char *path,
                          int64_t deadline_ms, size_t limit, const struct http_reader *reader, void *context)
{
    struct http_get *get = http_prepare(http, deadline_ms, limit, reader, context);
    if (!get)
        return NULL;
    get->port = port;
    get->secure = http->security && http->security->tls.on && !http_is_plain(http, host, port);
    snprintf(get->host, sizeof get->host, "%s", host);
    snprintf(get->path, sizeof get->path, "%s", path);
    if (http_get_send(get)) {
        http_send(http);
        return get;
    }
    http_get_free(get);
    return NULL;
}

#define POST_ANSWER_MOST ((size_t)1 << 20)

struct http_get *http_post(struct http *http, const char *url, const char *const *headers,
                           char *secret_header, const char *body, size_t length, int64_t deadline_ms,
                           const struct http_reader *reader, void *context)
{
    struct http_get *post = http_prepare(http, deadline_ms, POST_ANSWER_MOST, reader, context);
    if (!post) {
        secret_end(secret_header);
        return NULL;
    }
    post->posts = true;
    post->secret_header = secret_header;
    for (size_t i = 0; headers && headers[i]; i++) {
        struct curl_slist *longer = curl_slist_append(post->headers, headers[i]);
        post->headers = longer ? longer : post->headers;
    }
    post->secret_first = (struct curl_slist){secret_header, post->headers};
    curl_easy_setopt(post->easy, CURLOPT_URL, url);
    curl_easy_setopt(post->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(post->easy, CURLOPT_HTTPHEADER, secret_header ? &post->secret_first : post->headers);
    curl_easy_setopt(post->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
    curl_easy_setopt(post->easy, CURLOPT_COPYPOSTFIELDS, body);
    if (http_request_begin(http, post->easy))
        return post;
    http_get_free(post);
    return NULL;
}

void http_cancel(struct http_get *get)
{
    request_end(get->http, get->easy);
    http_get_free(get);
}

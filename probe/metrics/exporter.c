#include "probe/metrics/exporter.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/units.h"
#include "probe/clock.h"
#include "probe/json/buffer.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/metrics/metrics.h"

/*
 * Serves pages over HTTP on the event loop: the one door to libmicrohttpd.
 *
 * GET and HEAD only. What a page costs does not grow with the number of those who ask: a page is made at most
 * once in PAGE_AGE_MS, and scrapes in between get the same. Slow readers, aborted requests and large
 * requests are dropped; nothing of it blocks the loop. One address has at most half of all connections,
 * and a request that is not answered within REQUEST_MS, however busily it dribbles, ends with its connection;
 * within CROWDED_MS where there are more than three quarters of them, from whatever addresses, and within FULL_MS
 * where no more are accepted and the whole request has not come (who waits to be accepted has sent it
 * meanwhile): so those who hold connections do not keep others from theirs.
 */

/* Writes the metrics. openmetrics: in that format, else in the text format. False: there are none now. */
typedef bool (*listener_page_fn)(void *context, bool openmetrics, struct buffer *);

#define PAGE_AGE_MS 500
#define CONNECTIONS_MOST 200
/* Of the limit of open files, for all that is no connection. */
#define FILES_KEPT 64
#define REQUEST_MS 10000
#define CROWDED_MS 500
#define FULL_MS 50
#define IDLE_S 5
#define RUN_MS 1000
#define REQUEST_MEMORY 16384 /* bytes of one connection's buffers: headers, not pages */
#define BACKLOG 1024

struct metrics_page {
    struct MHD_Response *response; /* NULL: not made yet */
    uint64_t made_ms;
};

/* One connection, in the order of `since`. */
struct scrape {
    struct scrape *next, *before;
    struct listener *listener;
    int descriptor;
    uint64_t since_ms; /* it was made, or its latest request was answered */
    bool asked;        /* the head of its request has come */
    bool ended;        /* its time is over */
};

struct listener {
    uv_loop_t *loop;
    struct scrape *oldest, *newest;
    size_t scrapes;
    size_t most; /* connections at once */
    struct MHD_Daemon *daemon;
    struct MHD_Response *index, *missing, *refused;
    struct metrics_page pages[2][2]; /* by format, and whether it is compressed */
    struct libdeflate_compressor *compressor;
    uv_poll_t *poll;
    uv_timer_t *timer;
    listener_page_fn fn;
    void *context;
    char address[80];
    bool open;
};

static const char index_page[] =
    "<!DOCTYPE html><title>electop</title><h1>electop</h1><p><a href=\"/metrics\">Metrics</a></p>\n";
static const char missing_page[] = "not found; the metrics are at /metrics\n";
static const char refused_page[] = "only GET and HEAD are understood\n";

static struct MHD_Response *listener_fixed(const char *text, const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (response)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    return response;
}

/* The fastest level: a page of 1.2 MB becomes 0.1 MB within 4 ms. */
#define COMPRESSION_LEVEL 1

static void listener_compress(struct listener *l, struct buffer *page)
{
    size_t room = libdeflate_gzip_compress_bound(l->compressor, page->length);
    char *bytes = xmalloc(room);
    size_t length = libdeflate_gzip_compress(l->compressor, page->bytes, page->length, bytes, room);
    buffer_free(page);
    *page = (struct buffer){.bytes = bytes, .length = length, .room = room};
}

/* NULL: libmicrohttpd has no memory for it, or there was no page yet. */
static struct MHD_Response *listener_page(struct listener *l, bool openmetrics, bool gzip)
{
    struct metrics_page *page = &l->pages[openmetrics][gzip];
    uint64_t now_ms = uv_now(l->loop);
    if (page->response && now_ms - page->made_ms < PAGE_AGE_MS)
        return page->response;
    struct buffer out = {0};
    bool written = l->fn(l->context, openmetrics, &out);
    if (written && gzip)
        listener_compress(l, &out);
    struct MHD_Response *response =
        written ? MHD_create_response_from_buffer(out.length, out.bytes, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response) {
        buffer_free(&out);
        return page->response; /* the one before says when it was made */
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                        : "text/plain; version=0.0.4; charset=utf-8");
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    if (gzip)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (page->response)
        MHD_destroy_response(page->response); /* those who are reading it keep it */
    *page = (struct metrics_page){response, now_ms};
    return response;
}

static const char *listener_header(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* The q of one item's parameters (";version=1.0.0;q=0.5"): 1 where there is none. */
static double quality_between(double q)
{
    return q >= 1 ? 1 : q > 0 ? q : 0; /* also of "nan" */
}

static double parameters_quality(const char *at, size_t length)
{
    const char *end = at + length;
    while ((at = memchr(at, ';', (size_t)(end - at)))) {
        at += 1 + strspn(at + 1, " \t");
        if (end - at > 2 && (*at == 'q' || *at == 'Q') && at[1] == '=')
            return quality_between(strtod(at + 2, NULL));
    }
    return 1;
}

/* How much a list as that of Accept wants this word: its highest q; negative: it is not named. */
static double listener_quality(const char *list, const char *word)
{
    double best = -1;
    for (const char *at = list; *at;) {
        at += strspn(at, ", \t");
        size_t length = strcspn(at, ","), name = strcspn(at, ",; \t");
        if (name == strlen(word) && strncasecmp(at, word, name) == 0) {
            double quality = parameters_quality(at, length);
            best = quality > best ? quality : best;
        }
        at += length;
    }
    return best;
}

/* Where it is named, with a q that is neither 0 nor lower than that of text. */
static bool listener_takes_openmetrics(const char *accept)
{
    static const char *const names[] = {"text/plain", "text/*", "*/*"}; /* the first that is there counts */
    double open = listener_quality(accept, "application/openmetrics-text"), text = -1;
    for (size_t i = 0; i < sizeof names / sizeof *names && text < 0; i++)
        text = listener_quality(accept, names[i]);
    return open > 0 && open >= text;
}

static bool listener_takes_gzip(struct MHD_Connection *connection)
{
    return listener_quality(listener_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING), "gzip") > 0;
}

static enum MHD_Result listener_on_request(void *context, struct MHD_Connection *connection, const char *url,
                                           const char *method, const char *version, const char *upload,
                                           size_t *upload_size, void **request)
{
    struct listener *l = context;
    struct scrape *scrape =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)request;
    scrape->asked = true;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, l->refused);
    if (strcmp(url, "/") == 0)
        return MHD_queue_response(connection, MHD_HTTP_OK, l->index);
    if (strcmp(url, "/metrics") != 0)
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, l->missing);
    const char *accept = listener_header(connection, MHD_HTTP_HEADER_ACCEPT);
    struct MHD_Response *page =
        listener_page(l, listener_takes_openmetrics(accept), listener_takes_gzip(connection));
    return page ? MHD_queue_response(connection, MHD_HTTP_OK, page) : MHD_NO;
}

/* ---- the time of a request ---- */

static void scrape_unlink(struct scrape *scrape)
{
    struct listener *l = scrape->listener;
    *(scrape->before ? &scrape->before->next : &l->oldest) = scrape->next;
    *(scrape->next ? &scrape->next->before : &l->newest) = scrape->before;
}

static void scrape_link(struct scrape *scrape)
{
    struct listener *l = scrape->listener;
    scrape->since_ms = uv_now(l->loop);
    scrape->next = NULL;
    scrape->before = l->newest;
    *(l->newest ? &l->newest->next : &l->oldest) = scrape;
    l->newest = scrape;
}

static void scrape_on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                                 enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        struct scrape *scrape = xcalloc(1, sizeof *scrape);
        scrape->listener = context;
        scrape->descriptor =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        scrape_link(scrape);
        scrape->listener->scrapes++;
        *socket_context = scrape;
    } else if (*socket_context) {
        struct scrape *scrape = *socket_context;
        scrape_unlink(scrape);
        scrape->listener->scrapes--;
        free(scrape);
        *socket_context = NULL;
    }
}

/* The next request of this connection has its own time. */
static void scrape_on_answered(void *context, struct MHD_Connection *connection, void **request,
                               enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)request;
    (void)code;
    struct scrape *scrape =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (!scrape || scrape->ended)
        return;
    scrape->asked = false;
    scrape_unlink(scrape);
    scrape_link(scrape);
}

static uint64_t scrape_most_ms(const struct scrape *scrape)
{
    size_t scrapes = scrape->listener->scrapes, most = scrape->listener->most;
    return scrapes <= most * 3 / 4 ? REQUEST_MS : scrapes < most || scrape->asked ? CROWDED_MS : FULL_MS;
}

/* Shut down, a connection is closed by libmicrohttpd. Returns the time until the next one is due, at most
 * wait_ms. */
static uint64_t scrapes_end_late(struct listener *l, uint64_t wait_ms)
{
    uint64_t now_ms = uv_now(l->loop);
    for (struct scrape *scrape = l->oldest; scrape; scrape = scrape->next) {
        uint64_t age_ms = now_ms - scrape->since_ms, most_ms = scrape_most_ms(scrape);
        if (scrape->ended)
            continue;
        if (age_ms >= most_ms) {
            shutdown(scrape->descriptor, SHUT_RDWR);
            scrape->ended = true;
        } else if (most_ms - age_ms < wait_ms) {
            wait_ms = most_ms - age_ms;
        }
    }
    return wait_ms;
}

static void listener_serve(struct listener *l);

static void listener_on_timer(uv_timer_t *timer)
{
    listener_serve(timer->data);
}

static void listener_on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    listener_serve(poll->data);
}

static void listener_serve(struct listener *l)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    uv_timer_stop(l->timer);
    /* With CONNECTIONS_MOST it stops listening, and begins again in the call after the one that closed some. */
    MHD_run(l->daemon);
    MHD_run(l->daemon);
    /* Where descriptors are short it stops listening, too, and no event comes when there are some again. */
    if (MHD_get_timeout(l->daemon, &wait_ms) != MHD_YES || wait_ms > RUN_MS)
        wait_ms = RUN_MS;
    uv_timer_start(l->timer, listener_on_timer, scrapes_end_late(l, wait_ms), 0);
}

static char *listener_refuse(const char *address, const char *why)
{
    struct text text = {0};
    text_add(&text, "cannot serve metrics on ");
    text_quote(&text, address, strlen(address));
    text_printf(&text, ": %s", why);
    return text_take(&text);
}

/* "127.0.0.1:9151" and its shorter forms; false: it is none of them. */
static bool listener_parse(const char *address, struct sockaddr_storage *to, socklen_t *length)
{
    char host[64] = "127.0.0.1";
    const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
    size_t host_length = colon ? (size_t)(colon - address) : 0;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    int number;
    if (host_length >= 2 && address[0] == '[' && address[host_length - 1] == ']') {
        address++;
        host_length -= 2;
    }
    if (host_length >= sizeof host || (strcmp(port, "0") != 0 && port_parse(port, &number)))
        return false;
    if (host_length) {
        memcpy(host, address, host_length);
        host[host_length] = '\0';
    }
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return false;
    memcpy(to, found->ai_addr, found->ai_addrlen);
    *length = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

static void listener_describe(struct listener *l, int descriptor)
{
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    char host[INET6_ADDRSTRLEN] = "";
    if (getsockname(descriptor, (struct sockaddr *)&bound, &length) != 0)
        return;
    if (bound.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&bound;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(l->address, sizeof l->address, "[%s]:%d", host, ntohs(six->sin6_port));
        l->open = !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&bound;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(l->address, sizeof l->address, "%s:%d", host, ntohs(four->sin_port));
        l->open = (ntohl(four->sin_addr.s_addr) >> 24) != 127;
    }
}

/* A socket that listens there; -1 and a text in *error. */
static int listener_bind(const char *address, char **error)
{
    struct sockaddr_storage to;
    socklen_t length;
    int on = 1;
    if (!listener_parse(address, &to, &length)) {
        *error =
            listener_refuse(address, "it is not an address; write it as in 127.0.0.1:9151 or [::1]:9151");
        return -1;
    }
    int descriptor = socket(to.ss_family, SOCK_STREAM, 0);
    if (descriptor >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
        fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 &&
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(descriptor, (struct sockaddr *)&to, length) == 0 && listen(descriptor, BACKLOG) == 0)
        return descriptor;
    char why[160];
    snprintf(why, sizeof why, "%s%s", strerror(errno),
             errno == EADDRINUSE ? "; another program listens there, name another port with --listen"
                                 : "; name another address with --listen");
    *error = listener_refuse(address, why);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static size_t connections_most(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= CONNECTIONS_MOST + FILES_KEPT)
        return CONNECTIONS_MOST;
    return files.rlim_cur > FILES_KEPT + 8 ? (size_t)files.rlim_cur - FILES_KEPT : 8;
}

/* libmicrohttpd's own epoll descriptor is watched by the loop: no thread is needed. */
static bool listener_attach(struct listener *l, int descriptor)
{
    l->most = connections_most();
    l->daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, listener_on_request, l, MHD_OPTION_LISTEN_SOCKET, descriptor,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)l->most, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        (unsigned)l->most / 2, MHD_OPTION_NOTIFY_CONNECTION, scrape_on_connection, l,
        MHD_OPTION_NOTIFY_COMPLETED, scrape_on_answered, l, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY, MHD_OPTION_END);
    if (!l->daemon) {
        close(descriptor);
        return false;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    l->poll = xcalloc(1, sizeof *l->poll);
    l->timer = loop_timer_new(l->loop, l);
    if (!info || uv_poll_init(l->loop, l->poll, info->epoll_fd) != 0) {
        free(l->poll);
        l->poll = NULL;
        return false;
    }
    l->poll->data = l;
    return uv_poll_start(l->poll, UV_READABLE, listener_on_ready) == 0;
}

static void listener_stop(struct listener *l);
/* address: ADDR:PORT with a numeric ADDR ("127.0.0.1:9151", "[::1]:9151"); ":9151" and "9151" mean 127.0.0.1.
   NULL and a text in *error (caller frees): the address is wrong, or cannot be had. */
static struct listener *listener_start(uv_loop_t *loop, const char *address, listener_page_fn fn,
                                       void *context, char **error)
{
    *error = NULL;
    int descriptor = listener_bind(address, error);
    if (descriptor < 0)
        return NULL;
    struct listener *l = xcalloc(1, sizeof *l);
    *l = (struct listener){.loop = loop, .fn = fn, .context = context};
    listener_describe(l, descriptor);
    l->index = listener_fixed(index_page, "text/html; charset=utf-8");
    l->missing = listener_fixed(missing_page, "text/plain; charset=utf-8");
    l->refused = listener_fixed(refused_page, "text/plain; charset=utf-8");
    l->compressor = libdeflate_alloc_compressor(COMPRESSION_LEVEL);
    if (listener_attach(l, descriptor) && l->index && l->missing && l->refused && l->compressor) {
        log_line(LOG_LEVEL_INFO, "serving metrics on http://%s/metrics", l->address);
        return l;
    }
    *error = listener_refuse(address, "out of memory or descriptors");
    listener_stop(l);
    return NULL;
}

/* NULL is fine; its handles close on the loop */
static void listener_stop(struct listener *l)
{
    if (!l)
        return;
    if (l->poll)
        uv_close((uv_handle_t *)l->poll, loop_timer_free_handle);
    loop_timer_free(l->timer);
    if (l->daemon)
        MHD_stop_daemon(l->daemon);
    struct MHD_Response *const responses[] = {l->index,
                                              l->missing,
                                              l->refused,
                                              l->pages[false][false].response,
                                              l->pages[false][true].response,
                                              l->pages[true][false].response,
                                              l->pages[true][true].response};
    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++)
        if (responses[i])
            MHD_destroy_response(responses[i]);
    libdeflate_free_compressor(l->compressor);
    free(l);
}

/* The address in use, with the port that was chosen where 0 was asked for. Valid until listener_stop(). */
static const char *listener_address(const struct listener *l)
{
    return l->address;
}

/* Others than this host can reach it. */
static bool listener_is_open(const struct listener *l)
{
    return l->open;
}

struct exporter {
    struct metrics *metrics;
    struct monitor *monitor; /* NULL: being replaced */
    struct listener *listener;
    exporter_recording_fn recording;
    void *context;
    int64_t started_us;
    double rendered_s;
};

static void exporter_on_event(void *context, const struct event *event)
{
    struct exporter *e = context;
    metrics_take(e->metrics, event);
}

static int exporter_files(void)
{
    int count = -1; /* the directory's own descriptor */
    DIR *directory = opendir("/proc/self/fd");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

static struct metrics_process exporter_process(struct exporter *e)
{
    struct metrics_process process = {.start_time_s = (double)e->started_us / 1e6,
                                      .open_files = exporter_files(),
                                      .recording = -1,
                                      .rendered_s = e->rendered_s};
    struct rusage usage;
    size_t resident = 0;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        process.cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    if (uv_resident_set_memory(&resident) == 0)
        process.resident_bytes = (int64_t)resident;
    if (e->recording) {
        struct exporter_recording recording = e->recording(e->context);
        process.recording = recording.recording;
        process.lost_events = recording.lost_events;
        process.alerts_sent = recording.alerts_sent;
        process.alerts_failed = recording.alerts_failed;
    }
    return process;
}

bool exporter_write(struct exporter *e, bool openmetrics, struct buffer *out)
{
    struct moment now = clock_now();
    struct metrics_process process = exporter_process(e);
    if (!e->monitor)
        return false; /* a reload is under way: the page before serves */
    monitor_catch_up(e->monitor);
    const struct model *model = monitor_model(e->monitor);
    struct metrics_reads *reads = xcalloc(model->cluster_count + 1, sizeof *reads);
    for (size_t i = 0; i < model->cluster_count; i++)
        monitor_reads(e->monitor, i, &reads[i].sent, &reads[i].delayed);
    process.reads = reads;
    metrics_write(e->metrics, model, now, &process, openmetrics, out);
    free(reads);
    e->rendered_s = (double)(clock_now().mono_us - now.mono_us) / 1e6;
    return true;
}

static bool exporter_page(void *context, bool openmetrics, struct buffer *out)
{
    return exporter_write(context, openmetrics, out);
}

void exporter_follow(struct exporter *e, struct monitor *monitor)
{
    if (e->monitor)
        monitor_unsubscribe(e->monitor, exporter_on_event, e);
    e->monitor = monitor;
    if (monitor)
        monitor_subscribe(monitor, exporter_on_event, e);
}

struct exporter *exporter_start(uv_loop_t *loop, struct monitor *monitor, const char *address, size_t series,
                                exporter_recording_fn recording, void *context, char **error)
{
    *error = NULL;
    struct exporter *e = xcalloc(1, sizeof *e);
    *e = (struct exporter){.metrics = metrics_new(series),
                           .recording = recording,
                           .context = context,
                           .started_us = clock_wall_us(),
                           .rendered_s = -1};
    exporter_follow(e, monitor);
    if (!address)
        return e;
    e->listener = listener_start(loop, address, exporter_page, e, error);
    if (e->listener)
        return e;
    exporter_stop(e);
    return NULL;
}

void exporter_stop(struct exporter *e)
{
    if (!e)
        return;
    exporter_follow(e, NULL);
    listener_stop(e->listener);
    metrics_free(e->metrics);
    free(e);
}

const char *exporter_address(const struct exporter *e)
{
    return e->listener ? listener_address(e->listener) : NULL;
}

bool exporter_is_open(const struct exporter *e)
{
    return e->listener && listener_is_open(e->listener);
}

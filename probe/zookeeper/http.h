/*
 * http.h - one or many HTTP GETs at a time on the loop, each with a deadline and a size limit.
 *
 * HTTP to a host and port, over TLS if the cluster's settings ask for it. No redirects and no proxies,
 * whatever the environment says. An AdminServer that answers without TLS is used without it, unless tls:
 * admin says https; the log reports this. Bodies are passed on as they arrive and not kept. Connections stay
 * open for the next request. Threads: everything runs on the loop's thread except name look-up.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_HTTP_H
#define ELECTOP_PROBE_ZOOKEEPER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct security_settings; /* config/security.h */
struct http;
struct http_get;

/* The receiver of an answer. body returns false to stop (then done is called with problem NULL, whole
 * false). */
struct http_reader {
    bool (*body)(void *context, const char *bytes, size_t length);
    /* The server's clock, in whole seconds since 1970, if the answer has a Date; before done. NULL: of no use. */
    void (*date)(void *context, int64_t date_s);
    /*
     * The end; called once. problem: NULL if the answer ended with status 200, or if body stopped it; else
     * the reason ("connection refused", "no such host", "no route to host", "no answer within 2 s", "HTTP
     * status 404", "an answer of more than 64 MB"), valid during the call. took_us: the time of the whole
     * request.
     */
    void (*done)(void *context, const char *problem, bool whole, int64_t took_us);
};

/* The settings must stay; NULL: plain. Returns NULL if libcurl cannot start. */
struct http *http_new(uv_loop_t *loop, const struct security_settings *security);
/* All requests must be done or cancelled. */
void http_free(struct http *http);

/* host: a name or address, IPv6 without brackets. path: "/commands/..." Returns NULL if libcurl refuses it,
 * or the key's password cannot be read. */
struct http_get *http_get(struct http *http, const char *host, int port, const char *path,
                          int64_t deadline_ms, size_t limit, const struct http_reader *reader, void *context);

/*
 * Sends a body to a URL ("http://..." or "https://..." with a certificate check) by POST. Status 200 to 299
 * means success. Redirects are not followed; their status is reported. headers: NULL-terminated, "Name:
 * value"; NULL: none. secret_header: a further one, a secret (config/secret.h) that this owns from now on; NULL:
 * none. Copies all else. Returns NULL if libcurl refuses it.
 */
struct http_get *http_post(struct http *http, const char *url, const char *const *headers,
                           char *secret_header, const char *body, size_t length, int64_t deadline_ms,
                           const struct http_reader *reader, void *context);

/* Prevents further calls of both functions. Only allowed before done was called, and not from body. */
void http_cancel(struct http_get *get);

#endif

/*
 * http.h - one GET at a time or many, on the loop, each with a deadline and a limit.
 *
 * HTTP to a host and port, over TLS where the cluster's settings say so; no redirects, no proxies (whatever
 * the environment says), nothing else. An AdminServer that answers without TLS is asked so, unless tls: admin
 * says https; the log says so. Bodies are handed on as they arrive and kept nowhere. Connections are kept
 * open for the next question. Threads: everything on the loop's thread but the looking up of names.
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

/* What asks. body returns false to break off (then done is called with problem NULL, whole false). */
struct http_reader {
    bool (*body)(void *context, const char *bytes, size_t length);
    /*
     * The end, once. problem: NULL where the answer came to its end with status 200, or body broke it off;
     * else why not ("connection refused", "no such host", "no route to host", "no answer within 2 s",
     * "HTTP status 404", "an answer of more than 64 MB"), valid during the call. took_us: from the request to
     * its end.
     */
    void (*done)(void *context, const char *problem, bool whole, int64_t took_us);
};

/* The settings must stay; NULL: plain. NULL: libcurl cannot begin. */
struct http *http_new(uv_loop_t *loop, const struct security_settings *security);
/* Every get must have been done or cancelled. */
void http_free(struct http *http);

/* host: a name or address, IPv6 without brackets. path: "/commands/..." NULL: libcurl does not take it,
   or the key's password cannot be read. */
struct http_get *http_get(struct http *http, const char *host, int port, const char *path,
                          int64_t deadline_ms, size_t limit, const struct http_reader *reader, void *context);

/*
 * Sends a body to a URL ("http://..." or "https://...", whose certificate is checked) with a POST. 200 to 299
 * is well; a redirect is not followed; its status is reported. headers: NULL-terminated, "Name: value";
 * NULL: none. All is copied. NULL: libcurl does not take it.
 */
struct http_get *http_post(struct http *http, const char *url, const char *const *headers, const char *body,
                           size_t length, int64_t deadline_ms, const struct http_reader *reader,
                           void *context);

/* Neither function is called any more. Only before done was called, and not from body. */
void http_cancel(struct http_get *get);

#endif

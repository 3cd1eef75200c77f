/*
 * fourletter.h - sends one four-letter word to one server, with a deadline and a size limit.
 *
 * Each word uses a new connection, which the server closes after its answer. Only words with small and
 * harmless answers may be sent without further checks ("srvr" is always permitted and costs the server half a
 * millisecond).
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_FOURLETTER_H
#define ELECTOP_PROBE_ZOOKEEPER_FOURLETTER_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/server_lists.h"

/*
 * Parses answers to four-letter words into the lists of server_lists.h. Pure.
 *
 * Accepts the answers of ZooKeeper 3.4 to 3.9. A truncated, refused or foreign answer is an error: a list is
 * complete or absent.
 */

enum fourletter_word {
    FOURLETTER_WORD_SRVR, /* figures: mode, version, zxid, connections */
    FOURLETTER_WORD_MNTR, /* figures: all_watches, sessions, ephemerals, ... */
    FOURLETTER_WORD_WCHS, /* figures: watching, watched_paths, watches */
    FOURLETTER_WORD_CONS, /* connections */
    FOURLETTER_WORD_WCHC, /* watches */
    FOURLETTER_WORD_DUMP  /* sessions; from ZooKeeper's leader only */
};
const char *fourletter_word_text(enum fourletter_word word); /* "srvr" */

/* text: NUL-terminated. NULL: answer is filled. Otherwise returns the reason (static text), and the lists are
 * empty. */
const char *fourletter_word_read(enum fourletter_word word, const char *text, struct server_answer *answer);

/* The problem means that this word is disabled on the server. */
bool fourletter_word_is_switched_off(const char *problem);

struct fourletter;
struct security_settings; /* config/security.h */

/* problem NULL: text is the complete answer (NUL-terminated). Otherwise text is NULL. took_us: until the end
 * of the answer. */
typedef void (*fourletter_fn)(void *context, const char *problem, const char *text, size_t length,
                              int64_t took_us);

/* security: if it asks for TLS, the word is sent only over TLS; NULL: plain. host may be a name, an IPv4 or
 * an IPv6 address. fn is called once, from the loop, unless cancelled. */
struct fourletter *fourletter_ask(uv_loop_t *loop, const struct security_settings *security, const char *host,
                                  const char *port, const char *word, uint64_t deadline_ms, size_t limit,
                                  fourletter_fn fn, void *context);

/* Prevents the call of fn. Only allowed before fn was called. */
void fourletter_cancel(struct fourletter *fourletter);

#endif

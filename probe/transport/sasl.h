/*
 * sasl.h - one SASL login through ZooKeeper's protocol: tokens in both directions. The only file that knows
 * libsasl2 and Kerberos.
 *
 * GSSAPI takes its ticket from a cache, or gets one with a keytab and renews it before it expires. Each of its steps
 * may contact a KDC, look up names and open files, so it runs on a thread that ends by itself, and the login
 * continues from the loop. DIGEST-MD5 contacts no other server.
 *
 * Threads: called on the loop's thread.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_SASL_H
#define ELECTOP_PROBE_TRANSPORT_SASL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/security.h"

struct sasl_context;
struct sasl;

#define SASL_PROBLEM_TEXT 240
/* A longer token is refused, and so are more rounds. */
#define SASL_TOKEN_MOST 65536u
#define SASL_ROUNDS_MOST 16

/* The settings must stay. NULL: out of memory. */
struct sasl_context *sasl_context_new(const struct sasl_settings *settings);
/* After the last login was freed. */
void sasl_context_free(struct sasl_context *context);

/* Whether the keytab of these settings, if any, holds the key; false: problem (SASL_PROBLEM_TEXT bytes). */
bool sasl_check_files(const struct sasl_settings *settings, char *problem);

enum sasl_turn {
    SASL_TURN_SEND, /* this token, and wait for the answer */
    SASL_TURN_WAIT, /* ready() is called when it can continue: call sasl_continue() */
    SASL_TURN_DONE,
    SASL_TURN_FAILED /* sasl_problem() */
};

/* server: "10.0.3.17:2181", for messages; host: in the servers' principal, unless the settings say another.
   NULL: out of memory. */
struct sasl *sasl_new(struct sasl_context *context, uv_loop_t *loop, const char *server, const char *host,
                      void (*ready)(void *context), void *ready_context);
void sasl_free(struct sasl *sasl);

/* The token is valid until the next call. */
enum sasl_turn sasl_begin(struct sasl *sasl, const uint8_t **token, size_t *length);
/* After SASL_TURN_WAIT, once ready() was called. */
enum sasl_turn sasl_continue(struct sasl *sasl, const uint8_t **token, size_t *length);
/* The server's answer; error: its result (0: none). */
enum sasl_turn sasl_step(struct sasl *sasl, const uint8_t *answer, size_t answer_length, int32_t error,
                         const uint8_t **token, size_t *length);

/* A sentence that names the server, with the remedy. */
const char *sasl_problem(const struct sasl *sasl);

/* A thread is at a step of a login, perhaps of an abandoned one: settings, and libraries at exit, must wait
 * for it. */
bool sasl_is_asking(void);

#endif

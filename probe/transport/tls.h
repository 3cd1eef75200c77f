/*
 * tls.h - TLS on a connected, non-blocking socket. The only file that knows OpenSSL.
 *
 * A context belongs to one cluster's settings and is shared by its connections. Its files are read again
 * before a connection if one of them has changed; open connections are not affected. If the new files are
 * invalid, the log says so and the old ones stay in use. Sessions are resumed by server. Nothing here falls
 * back to plain text.
 *
 * Threads: one context, and its connections, on one thread.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_TLS_H
#define ELECTOP_PROBE_TRANSPORT_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "config/security.h"

struct tls_context;
struct tls;

#define TLS_PROBLEM_TEXT 320

/* The settings must stay. Reads no file yet. NULL: out of memory. */
struct tls_context *tls_context_new(const struct tls_settings *settings);
void tls_context_free(struct tls_context *context);

/* Whether the files of these settings can be used; false: problem (TLS_PROBLEM_TEXT bytes), as of tls_new().
 */
bool tls_check_files(const struct tls_settings *settings, char *problem);

/* Takes the ciphers of TLS 1.2 from an SSL_CTX whose key exchange is Diffie-Hellman in a finite field: the server would
 * choose its size, and numbers of 10,000 bits take a second of the loop. False: out of memory. */
bool tls_without_finite_field(void *context);

/*
 * server: "10.0.3.17:2281", for messages and for the session that is resumed; host: the name that the
 * certificate must bear, unless the settings say another. NULL: problem (TLS_PROBLEM_TEXT bytes) says why and
 * what to do: a file is missing, or its key can be read by others.
 */
struct tls *tls_new(struct tls_context *context, int fd, const char *server, const char *host, char *problem);
/* Sends the closing message if that does not block. NULL is allowed; the descriptor stays open. */
void tls_free(struct tls *tls);

/*
 * Like send() and recv() without flags: -1 and errno EAGAIN while the handshake or the network blocks, EPROTO
 * if TLS failed (tls_problem()), 0 at the end of the input. Either continues a handshake; after EAGAIN the
 * same bytes must be sent again.
 */
ssize_t tls_send(struct tls *tls, const void *bytes, size_t length);
ssize_t tls_recv(struct tls *tls, void *bytes, size_t length);

/* Continues the handshake: 1 done, 0 under way, -1 failed. */
int tls_handshake(struct tls *tls);
bool tls_is_open(const struct tls *tls);
/* It cannot go on before the socket can be written to. */
bool tls_wants_write(const struct tls *tls);
/* Bytes wait that the socket no longer shows. */
bool tls_has_input(const struct tls *tls);

/* Why it failed: a sentence that names the server, with the remedy; NULL: it has not. */
const char *tls_problem(const struct tls *tls);

/* ---- A certificate for this program's own servers on this machine, in the demo ---- */

/*
 * Makes a key (P-256) and a certificate signed with it, for 127.0.0.1, ::1 and localhost, for 30 days.
 * server: the PEM file of key and certificate, for this user only; ca: that of the certificate alone, which
 * clients take for their authority. False: they could not be made or written.
 */
bool tls_certificate_make(const char *server, const char *ca);

#endif

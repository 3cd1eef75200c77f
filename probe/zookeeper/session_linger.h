/*
 * session_linger.h - lets a connection's last words arrive.
 *
 * A socket that is closed while something unread lies in it is reset, and the server then throws away what it
 * has not read either: the request that ends our session among it, which so lived on until its timeout. The
 * connection is therefore held open, and what comes is thrown away, until the server closes it.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_LINGER_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_LINGER_H

#include <stdbool.h>
#include <uv.h>

/* A second descriptor of the same connection, for session_linger_wait() after the first was closed; -1: none.
 */
int session_linger_hold(int fd);

/* Takes over the descriptor: closes it when the server has done so, at the latest after a second. */
void session_linger_wait(uv_loop_t *, int held);

#endif

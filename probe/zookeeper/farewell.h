/*
 * farewell.h - lets a connection's last words arrive.
 *
 * A socket that is closed while something unread lies in it is reset, and the server then throws away what it
 * has not read either: the request that ends our session among it, which so lived on until its timeout. The
 * connection is therefore held open, and what comes is thrown away, until the server closes it. Likewise for
 * a session that is no sooner asked for than given up: without a word it would live on at the server, of no
 * use to anybody, until its timeout.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_FAREWELL_H
#define ELECTOP_PROBE_ZOOKEEPER_FAREWELL_H

#include <stdbool.h>
#include <uv.h>

/* A second descriptor of the same connection, for farewell_wait() after the first was closed; -1: none. */
int farewell_hold(int fd);

/*
 * Asks for the end of the session that was asked for on this connection and of which nothing has come back
 * yet: its number is not known, but a server reads on only once it has begun it, and then finds this. Before
 * farewell_wait().
 */
void farewell_ask_end(int held);

/*
 * From here on the connection reads as if the server had closed it: the library, which blocks until it has,
 * goes on at once. Before the library closes it.
 */
void farewell_hurry(int held);

/*
 * Takes over the descriptor: closes it when the server has done so, at the latest after a second; one that
 * was hurried shows no more when, so it is held for that second.
 */
void farewell_wait(uv_loop_t *, int held, bool hurried);

#endif

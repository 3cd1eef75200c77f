/*
 * farewell.h - lets a connection's last words arrive.
 *
 * A socket that is closed while something unread lies in it is reset, and the server then throws away what it
 * has not read either: the request that ends our session among it, which so lived on until its timeout. The
 * connection is therefore held open, and what comes is thrown away, until the server closes it.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_FAREWELL_H
#define ELECTOP_PROBE_ZOOKEEPER_FAREWELL_H

#include <uv.h>

/* A second descriptor of the same connection, for farewell_wait() after the first was closed; -1: none. */
int farewell_hold(int fd);

/* Takes over the descriptor: closes it when the server has done so, at the latest after a second. */
void farewell_wait(uv_loop_t *, int held);

#endif

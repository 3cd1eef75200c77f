/*
 * free_port.h - a port of 127.0.0.1 that a server can be started on.
 *
 * It lies below those that the kernel gives to outgoing connections where there is room: one of these could
 * take the port while the server is down, and a client that retries there would even connect to itself.
 */
#ifndef ELECTOP_PROBE_DEMO_FREE_PORT_H
#define ELECTOP_PROBE_DEMO_FREE_PORT_H

/* Free at this moment (another process may take it first); -1: none. */
int free_port(void);

#endif

/*
 * sandbox.h - a private ZooKeeper ensemble of one or three servers on free loopback ports.
 *
 * For the demo and the tests. It lives in a temporary directory, listens on 127.0.0.1 only, with
 * AdminServer and all four-letter words on, and never outlives this process: each server is told by the
 * kernel when its parent dies, however it dies.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SANDBOX_H
#define ELECTOP_PROBE_ZOOKEEPER_SANDBOX_H

#include <stdbool.h>
#include <uv.h>

struct sandbox;

struct sandbox_options {
    int servers;             /* 1 or 3 */
    int tick_ms;             /* ZooKeeper's tickTime; session timeouts are at least two ticks */
};

/* ready: the ensemble serves (problem NULL), or it could not be started (problem says why and what to do). */
typedef void (*sandbox_ready_fn)(void *context, const char *problem);

/* Starts it; ready is called once, from the loop. NULL and a text in *error (caller frees) when it cannot be tried. */
struct sandbox *sandbox_start(uv_loop_t *, const struct sandbox_options *, sandbox_ready_fn, void *context, char **error);

const char *sandbox_hosts(const struct sandbox *);        /* "127.0.0.1:41001,127.0.0.1:41002" */
const char *sandbox_admin(const struct sandbox *);        /* AdminServers, in the same order and form */
const char *sandbox_directory(const struct sandbox *);
int sandbox_server_pid(const struct sandbox *, int i);

/* Kills the servers (only these), waits for them and removes the directory. */
void sandbox_stop(struct sandbox *);

#endif

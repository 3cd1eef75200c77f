/*
 * sandbox.h - a private ZooKeeper ensemble of one or three servers on free loopback ports.
 *
 * For the demo and the tests. It lives in a temporary directory, listens on 127.0.0.1 only, with
 * AdminServer and all four-letter words on, and never outlives this process, however that dies: the
 * servers belong to a supervisor (supervisor.h), which takes them and the directory down.
 *
 * Needs Debian's java, zookeeper.jar and their friends; where one is missing, the error names the packages.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SANDBOX_H
#define ELECTOP_PROBE_ZOOKEEPER_SANDBOX_H

#include <stdbool.h>
#include <uv.h>

#define SANDBOX_SERVERS 3

struct sandbox;

struct sandbox_options {
    int servers;             /* 1 or 3 */
    int tick_ms;             /* ZooKeeper's tickTime; session timeouts are at least two ticks */
    int heap_mb;             /* of each server; 0: 256 */
    int connections;         /* maxClientCnxns: connections that one client address may have; 0: no limit */
    bool sync;               /* wait for the disk at every transaction, as real servers do; default: do not */
    const char *config;      /* more lines for every zoo.cfg, each with its newline; NULL: none */
    const char *const *java; /* more arguments of java, NULL-terminated, in front of the class; NULL: none */
};

/* ready: it serves (problem NULL), or it does not (problem says why and what to do, until it returns). */
typedef void (*sandbox_ready_fn)(void *context, const char *problem);

/*
 * Starts it; ready is called once, from the loop, at the latest after 30 s: every server answers as part
 * of a quorum, and so does its AdminServer. NULL and a text in *error (caller frees) when it cannot be tried.
 * Copies what it needs of the options. Call it before the program has threads where that can be chosen.
 */
struct sandbox *sandbox_start(uv_loop_t *, const struct sandbox_options *, sandbox_ready_fn, void *context,
                              char **error);

const char *sandbox_hosts(const struct sandbox *); /* "127.0.0.1:11001,127.0.0.1:11002" */
const char *sandbox_admin(const struct sandbox *); /* AdminServers, in the same order and form */
const char *sandbox_directory(const struct sandbox *);
int sandbox_supervisor_pid(const struct sandbox *); /* of the process that holds the servers */

/*
 * One server, counted from 0, for tests of faults. What they return: false when there was nothing to do it
 * to (no such server, not running, already running).
 *
 * start   after kill; on the same ports, with the data there is. ready (or NULL) is called as above.
 * kill    SIGKILL, and waits until the process is gone (some milliseconds).
 * stop    SIGSTOP: it hangs, and its sockets stay.   cont: SIGCONT.
 * wipe    kills it if need be and removes its data: the next start is an empty server.
 */
int sandbox_server_pid(const struct sandbox *, int i); /* 0: not started, or ended by one of these */
/* Whether it runs, also where nobody here ended it: the supervisor is asked. */
bool sandbox_server_lives(struct sandbox *, int i);
bool sandbox_server_start(struct sandbox *, int i, sandbox_ready_fn, void *context);
bool sandbox_server_kill(struct sandbox *, int i);
bool sandbox_server_stop(struct sandbox *, int i);
bool sandbox_server_cont(struct sandbox *, int i);
bool sandbox_server_wipe(struct sandbox *, int i);

/*
 * Kills the servers (only these), waits for them and removes the directory. No ready function is called any
 * more. The loop has to run on once for libuv to let go of its handles. NULL is fine.
 */
void sandbox_stop(struct sandbox *);

#endif

/*
 * private_ensemble.h - a private ZooKeeper ensemble of one or three servers on free loopback ports.
 *
 * For the demo and the tests. It lives in a temporary directory, listens on 127.0.0.1 only, with
 * AdminServer and all four-letter words on, and never outlives this process, however that dies: the
 * servers belong to a supervisor (supervisor.h), which takes them and the directory down.
 *
 * Needs Debian's java, zookeeper.jar and their friends; where one is missing, the error names the packages.
 */
#ifndef ELECTOP_PROBE_DEMO_PRIVATE_ENSEMBLE_H
#define ELECTOP_PROBE_DEMO_PRIVATE_ENSEMBLE_H

#include <stdbool.h>
#include <uv.h>

#define PRIVATE_ENSEMBLE_SERVERS 3

struct private_ensemble;
struct security_settings; /* config/security.h */

struct private_ensemble_options {
    int servers;             /* 1 or 3 */
    int tick_ms;             /* ZooKeeper's tickTime; session timeouts are at least two ticks */
    int heap_mb;             /* of each server; 0: 256 */
    int connections;         /* maxClientCnxns: connections that one client address may have; 0: no limit */
    int ready_ms;            /* how long it may take until it serves; 0: 30 s */
    bool sync;               /* wait for the disk at every transaction, as real servers do; default: do not */
    bool tls;                /* clients and AdminServer with TLS only, by a self-signed certificate */
    const char *config;      /* more lines for every zoo.cfg, each with its newline; NULL: none */
    const char *const *java; /* more arguments of java, NULL-terminated, in front of the class; NULL: none */
};

/* ready: it serves (problem NULL), or it does not (problem says why and what to do, until it returns). */
typedef void (*private_ensemble_ready_fn)(void *context, const char *problem);

/*
 * Starts it; ready is called once, from the loop, at the latest after ready_ms: every server answers as part
 * of a quorum, and so does its AdminServer. NULL and a text in *error (caller frees) when it cannot be tried.
 * Copies the options. Call it before the program has threads where possible.
 */
struct private_ensemble *private_ensemble_start(uv_loop_t *loop,
                                                const struct private_ensemble_options *options,
                                                private_ensemble_ready_fn ready, void *context, char **error);

/* How to connect to it; valid until private_ensemble_stop(). */
const struct security_settings *private_ensemble_security(const struct private_ensemble *sandbox);
const char *
private_ensemble_hosts(const struct private_ensemble *sandbox); /* "127.0.0.1:11001,127.0.0.1:11002" */
const char *
private_ensemble_admin(const struct private_ensemble *sandbox); /* AdminServers, in the same order and form */
const char *private_ensemble_directory(const struct private_ensemble *sandbox);
int private_ensemble_supervisor_pid(
    const struct private_ensemble *sandbox); /* of the process that holds the servers */

/*
 * One server, counted from 0, for tests of faults. Result: false when it does not apply
 * (no such server, not running, already running).
 *
 * start   after kill; on the same ports, with the existing data. ready (or NULL) is called as above.
 * kill    SIGKILL, and waits until the process is gone (some milliseconds).
 * stop    SIGSTOP: it hangs, and its sockets stay.   cont: SIGCONT.
 * wipe    kills it if need be and removes its data: the next start is an empty server.
 */
int private_ensemble_server_pid(const struct private_ensemble *sandbox,
                                int i); /* 0: not started, or ended by one of these */
/* Whether it runs, including when it ended by itself: the supervisor is asked. */
bool private_ensemble_server_lives(struct private_ensemble *sandbox, int i);
bool private_ensemble_server_start(struct private_ensemble *sandbox, int i, private_ensemble_ready_fn ready,
                                   void *context);
bool private_ensemble_server_kill(struct private_ensemble *sandbox, int i);
bool private_ensemble_server_stop(struct private_ensemble *sandbox, int i);
bool private_ensemble_server_cont(struct private_ensemble *sandbox, int i);
bool private_ensemble_server_wipe(struct private_ensemble *sandbox, int i);

/*
 * Kills the servers (only these), waits for them and removes the directory. No ready function is called any
 * more. The loop has to run on once for libuv to let go of its handles. NULL is fine.
 */
void private_ensemble_stop(struct private_ensemble *sandbox);

#endif

/*
 * session.h - one ZooKeeper session on an event loop. session.c and the files whose names begin with its own
 * are the only ones that know the C client.
 *
 * It hides the client's traps: names are resolved off the loop, frames are drained, descriptors are
 * dropped the moment the library closes them, reconnects back off with jitter, a session that can never
 * come back (expired, or the servers' data wiped) is replaced by a new one, and what never connects is
 * told by a timer of its own. Nothing here blocks, but session_close() for a moment (see there).
 *
 * Threads: everything on the loop's thread. Paths are full paths: a chroot is the caller's business.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/session_listener.h"

struct session;
struct gate;   /* gate.h */
struct poller; /* poller.h */

struct session_options {
    const char *hosts;       /* host:port,... without a chroot */
    int timeout_ms;          /* asked for; the servers may raise or lower it */
    const char *auth_scheme; /* NULL: none */
    const char *auth_credential;
    struct gate *gate; /* to be asked before each attempt to connect; must outlive the session. NULL: none */
    struct poller *poller; /* shared by sessions of the loop; must outlive them. NULL: one of its own */
};

/* Starts connecting. Borrows nothing after it returns. NULL: out of memory. */
struct session *session_open(uv_loop_t *, const struct session_options *, const struct session_listener *,
                             void *context);

/*
 * Ends the session at the servers (its ephemeral znodes and watches go at once) and frees it. Every
 * answer still owed is delivered first, as SESSION_LOST; no listener is called any more. Usually
 * 0.2 ms; at most 1.5 s with a server that hangs, because the library waits for its answer blockingly (of
 * sessions that share a gate only one every ten seconds does).
 * One that was only being asked for is ended, too, where its server answers within a second; else it expires.
 */
void session_close(struct session *);

/*
 * The same without a word to the servers, as a crashed client would (for test candidates and for
 * sessions that are lost anyway): the servers end the session when its timeout has passed.
 */
void session_drop(struct session *);

/*
 * From pause to resume nothing is read, written or noticed, as in a process that a debugger or a garbage
 * collection holds: the servers hear nothing, and after the timeout they end the session. Nothing may be
 * asked meanwhile.
 */
void session_pause(struct session *);
void session_resume(struct session *);

enum connection_state session_state(const struct session *);
uint64_t session_id(const struct session *);    /* 0: none yet */
int session_timeout_ms(const struct session *); /* negotiated; 0: not connected yet */
/* The servers were asked for a session and have not answered: they may begin one whose number nobody knows.
 * To close it is to ask for its end unseen; whoever wants to know that it has ended waits until it has begun.
 */
bool session_is_awaited(const struct session *);
/* Lost because the server was not heard any more: for how long by then. 0: it broke, or is there; but while
   the listener's reading() is called, how long it had stood still. What happened at the servers meanwhile was
   told to nobody. */
int64_t session_silent_us(const struct session *);
const char *session_server(struct session *); /* "10.0.0.1:2181", or NULL; until the next call */

/*
 * Requests; all return false when nothing was sent (not connected): the answer function is then not
 * called. watch: leave a one-shot watch behind. exists() leaves one whether the znode is there or not;
 * get() and children() only where it is. A read that the servers refuse for a reason that says nothing of
 * the znode (an overload, a fault of theirs) is asked again until they answer: see session_again.h.
 */
bool session_exists(struct session *, const char *path, bool watch, session_node_fn, void *context);
bool session_get(struct session *, const char *path, bool watch, session_node_fn, void *context);
bool session_children(struct session *, const char *path, bool watch, session_children_fn, void *context);
bool session_sync(struct session *, const char *path, session_text_fn, void *context);

bool session_acl(struct session *, const char *path, session_acl_fn, void *context);

/* Writing. Only probe/inject/guard.c may call these (a check in the test run holds everyone to it). */
enum create_mode {
    CREATE_PERSISTENT,
    CREATE_PERSISTENT_SEQUENTIAL,
    CREATE_EPHEMERAL,
    CREATE_EPHEMERAL_SEQUENTIAL
};
/* acl NULL: open to everyone. False also for one that is longer than ACL_ENTRIES_MOST. */
bool session_create(struct session *, const char *path, const void *data, size_t length, enum create_mode,
                    const struct acl *, session_text_fn, void *context);
bool session_delete(struct session *, const char *path, int32_t version, session_text_fn, void *context);

#endif

/*
 * session.h - one ZooKeeper session on an event loop. Only session.c and the files whose names begin with
 * session_ know the C client.
 *
 * It hides the client's traps: names are resolved off the loop, frames are drained, descriptors are
 * dropped the moment the library closes them, reconnects back off with jitter, a session that can never
 * come back (expired, or the servers' data wiped) is replaced by a new one, and a timer of its own reports
 * a session that never connects. Nothing here blocks, except session_close() for a moment (see there).
 *
 * Threads: everything on the loop's thread. Paths are full paths: the caller adds a chroot.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/session_listener.h"

struct security_settings; /* config/security.h */
struct session;
struct connect_limiter; /* connect_limiter.h */
struct descriptor_poll; /* descriptor_poll.h */

struct session_options {
    const char *hosts;       /* host:port,... without a chroot */
    int timeout_ms;          /* asked for; the servers may raise or lower it */
    const char *auth_scheme; /* NULL: none */
    const char *auth_credential;
    bool counts_children;                     /* session_child_watches() is to be called */
    const struct security_settings *security; /* must outlive the session; NULL: plain */
    struct connect_limiter
        *limiter; /* to be asked before each attempt to connect; must outlive the session. NULL: none */
    struct descriptor_poll
        *poller; /* shared by sessions of the loop; must outlive them. NULL: a private one */
};

/* Starts connecting. Borrows nothing after it returns. NULL: the hosts are none, or no descriptor is left. */
struct session *session_open(uv_loop_t *loop, const struct session_options *options,
                             const struct session_listener *listener, void *context);

/*
 * Ends the session at the servers (its ephemeral znodes and watches go at once) and frees it. Every
 * answer still owed is delivered first, as SESSION_LOST; no listener is called any more. Usually
 * 0.2 ms; at most 0.5 s with a server that hangs, because the library waits for its answer blockingly (only
 * one session every ten seconds does).
 * One that was only being asked for is ended, too, where its server answers within a second; else it expires.
 */
void session_close(struct session *session);

/*
 * The same without a word to the servers, as a crashed client would (for test candidates and for
 * sessions that are lost anyway): the servers end the session when its timeout has passed.
 */
void session_drop(struct session *session);

/*
 * From pause to resume nothing is read, written or noticed, as in a process that a debugger or a garbage
 * collection holds: the servers hear nothing, and after the timeout they end the session. Nothing may be
 * asked meanwhile.
 */
void session_pause(struct session *session);
void session_resume(struct session *session);

enum connection_state session_state(const struct session *session);
uint64_t session_id(const struct session *session);    /* 0: none yet */
int session_timeout_ms(const struct session *session); /* negotiated; 0: not connected yet */
/* The servers were asked for a session and have not answered: they may begin one whose number is unknown.
 * To close it is to request its end unseen; a caller that must know that it has ended waits until it has
 * begun.
 */
bool session_is_awaited(const struct session *session);
/* Lost because the server was silent: for how long by then. 0: it broke, or is connected; but while
   the listener's reading() is called, how long it had been stalled. Changes at the servers meanwhile were not
   notified. */
int64_t session_silent_us(const struct session *session);
const char *session_server(struct session *session); /* "10.0.0.1:2181", or NULL; until the next call */

/* The number of this session's child watches that were set at its server by then (monotonic) and still are,
   as far as it has answered. Where the options ask for it. */
size_t session_child_watches(const struct session *session, int64_t by_us);

/*
 * Requests; all return false when nothing was sent (not connected): the answer function is then not
 * called. watch: leave a one-shot watch behind. exists() leaves one whether the znode exists or not;
 * get() and children() only if it does. A read that the servers refuse for a reason unrelated to
 * the znode (overload, an internal error) is repeated until they answer: see session_retry.h.
 */
bool session_exists(struct session *session, const char *path, bool watch, session_node_fn fn, void *context);
bool session_get(struct session *session, const char *path, bool watch, session_node_fn fn, void *context);
bool session_children(struct session *session, const char *path, bool watch, session_children_fn fn,
                      void *context);
/* The same, but a list that is too large is an answer, SESSION_TOO_LARGE. children() asks again until it is
   smaller. */
bool session_list(struct session *session, const char *path, bool watch, session_children_fn fn,
                  void *context);
bool session_sync(struct session *session, const char *path, session_text_fn fn, void *context);
/* Takes back a watch that exists() or get() has set. Servers before 3.5 do not know this request. */
bool session_unwatch(struct session *session, const char *path, session_text_fn fn, void *context);

bool session_acl(struct session *session, const char *path, session_acl_fn fn, void *context);

/* Writing. Only probe/candidate/guard.c may call these (a check in the test run holds everyone to it). */
enum create_mode {
    CREATE_PERSISTENT,
    CREATE_PERSISTENT_SEQUENTIAL,
    CREATE_EPHEMERAL,
    CREATE_EPHEMERAL_SEQUENTIAL
};
/* acl NULL: open to everyone. False also for one that is longer than ACL_ENTRIES_MOST. */
bool session_create(struct session *session, const char *path, const void *data, size_t length,
                    enum create_mode mode, const struct acl *acl, session_text_fn fn, void *context);
bool session_delete(struct session *session, const char *path, int32_t version, session_text_fn fn,
                    void *context);

#endif

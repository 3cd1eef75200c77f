/*
 * session.h - one ZooKeeper session on an event loop. Only session.c and the files whose names begin with
 * session_ know the C client.
 *
 * It hides the client's traps. Names are resolved outside the loop. Frames are drained. Descriptors are
 * dropped the moment the library closes them. Reconnects back off with jitter. A session that can never
 * return (expired, or the servers' data was wiped) is replaced by a new one. A separate timer reports a
 * session that never connects. Nothing here blocks, except session_close() for a moment (see there).
 *
 * Threads: everything runs on the loop's thread. Paths are full paths: the caller adds a chroot.
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
struct read_account;    /* read_account.h */

struct session_options {
    const char *hosts;       /* host:port,... without a chroot */
    int timeout_ms;          /* requested; the servers may raise or lower it */
    const char *auth_scheme; /* NULL: none */
    const char *auth_credential;
    bool counts_children;                     /* enables session_child_watches() */
    const struct security_settings *security; /* must outlive the session; NULL: plain */
    struct connect_limiter
        *limiter; /* asked before each attempt to connect; must outlive the session. NULL: none */
    struct descriptor_poll
        *poller;                  /* shared by sessions of the loop; must outlive them. NULL: a private one */
    struct read_account *account; /* pays for all reads; must outlive the session. NULL: reads are free */
};

/* Starts connecting. Borrows nothing after it returns. NULL: the host list is invalid, or no descriptor is
 * left. */
struct session *session_open(uv_loop_t *loop, const struct session_options *options,
                             const struct session_listener *listener, void *context);

/*
 * Ends the session at the servers (its ephemeral znodes and watches disappear at once) and frees it. Pending
 * answers are delivered first, as SESSION_LOST; listeners are not called any more. Usually takes 0.2 ms; with
 * a server that hangs up to 0.5 s, because the library blocks for its answer (only one session every ten
 * seconds waits so long). A session that was only requested is ended as well if its server answers within a
 * second; otherwise it expires.
 */
void session_close(struct session *session);

/*
 * Frees the session without notice to the servers, like a crashed client (for test candidates and for
 * sessions that are lost anyway). The servers end the session after its timeout.
 */
void session_drop(struct session *session);

/*
 * Between pause and resume the session reads, writes and notices nothing, like a process stopped by a
 * debugger or a garbage collection. The servers hear nothing and end the session after its timeout. No
 * requests are allowed meanwhile.
 */
void session_pause(struct session *session);
void session_resume(struct session *session);

enum connection_state session_state(const struct session *session);
uint64_t session_id(const struct session *session);    /* 0: none yet */
int session_timeout_ms(const struct session *session); /* negotiated; 0: not connected yet */
/* The servers were asked for a session and have not answered: they may start one whose number is unknown.
 * If it is closed now, nothing proves that they end it. A caller that needs proof first waits until the
 * session has an id. */
bool session_is_awaited(const struct session *session);
/* How long the server had been silent when the connection was lost. 0: the connection broke, or exists.
 * During the listener's reading(): how long the server had been stalled. Changes at the servers in that time
 * were not notified. */
int64_t session_silent_us(const struct session *session);
const char *session_server(struct session *session); /* "10.0.0.1:2181", or NULL; until the next call */

/* The number of this session's child watches that were set at its server by then (monotonic) and still are,
 * as far as its answers show. Only if the options enable it. */
size_t session_child_watches(const struct session *session, int64_t by_us);
/* When that number, or one of these watches, last changed (monotonic). */
int64_t session_child_watches_changed_us(const struct session *session);

/*
 * Requests. All return false if nothing was sent (not connected); then the answer function is not called.
 * watch: set a one-shot watch. exists() sets one whether or not the znode exists; get() and children() only
 * if it does. A read that the servers refuse for a reason unrelated to the znode (overload, an internal
 * error) is repeated until they answer: see read_retry.h.
 */
bool session_exists(struct session *session, const char *path, bool watch, session_answer_fn fn,
                    void *context);
bool session_get(struct session *session, const char *path, bool watch, session_answer_fn fn, void *context);
bool session_children(struct session *session, const char *path, bool watch, session_answer_fn fn,
                      void *context);
/* Like children(), but a list that is too large is answered with SESSION_TOO_LARGE, where children() repeats
 * the request until the list is smaller, if the listener hears of refusals. For the walk of discovery, which has its
 * own rate: the account does not limit it. */
bool session_list(struct session *session, const char *path, bool watch, session_answer_fn fn, void *context);
/* Reads a znode again, without a watch, to confirm its known state: news does not pay for it. urgent: before other
 * reads that wait. */
bool session_get_again(struct session *session, const char *path, bool urgent, session_answer_fn fn,
                       void *context);
/* An empty read that shows whether the server answers. The account counts it and never delays it. */
bool session_probe(struct session *session, session_answer_fn fn, void *context);
/* How long ago the server last sent something, in milliseconds of the loop's time. */
uint64_t session_unheard_ms(const struct session *session);
bool session_sync(struct session *session, const char *path, session_answer_fn fn, void *context);
/* Removes a watch that exists() or get() has set. Servers before 3.5 do not know this request. */
bool session_unwatch(struct session *session, const char *path, session_answer_fn fn, void *context);

bool session_acl(struct session *session, const char *path, session_answer_fn fn, void *context);

/* Writes. Only probe/candidate/guard.c may call these functions (a test enforces this). */
enum create_mode {
    CREATE_PERSISTENT,
    CREATE_PERSISTENT_SEQUENTIAL,
    CREATE_EPHEMERAL,
    CREATE_EPHEMERAL_SEQUENTIAL
};
/* acl NULL: open to everyone. Also false if acl is longer than ACL_ENTRIES_MOST. */
bool session_create(struct session *session, const char *path, const void *data, size_t length,
                    enum create_mode mode, const struct acl *acl, session_answer_fn fn, void *context);
bool session_delete(struct session *session, const char *path, int32_t version, session_answer_fn fn,
                    void *context);

#endif

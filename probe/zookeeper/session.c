#include "probe/zookeeper/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <uv.h>

#include "config/secret.h"
#include "config/memory.h"
#include "probe/clock.h"
#include "probe/zookeeper/resolver.h"
#include "probe/zookeeper/session_attempt.h"
#include "probe/zookeeper/session_io.h"
#include "probe/zookeeper/read_account.h"
#include "probe/zookeeper/read_retry.h"
#include "probe/zookeeper/session_state.h"

/*
 * Lets a connection's last request arrive.
 *
 * If a socket is closed with unread input, it is reset, and the server discards its own unread input,
 * including the request that ends our session. The session then lived on until its timeout. So the connection
 * is held open, and input is discarded, until the server closes it.
 */

#define WAIT_MS 1000
#define DRAINS_A_TURN 64

struct session_linger {
    uv_poll_t poll;
    uv_timer_t timer;
    int fd, open;
};

static void session_linger_on_closed(uv_handle_t *handle)
{
    struct session_linger *f = handle->data;
    if (--f->open > 0)
        return;
    close(f->fd);
    free(f);
}

static void session_linger_finish(struct session_linger *f)
{
    if (uv_is_closing((uv_handle_t *)&f->timer))
        return;
    uv_close((uv_handle_t *)&f->timer, session_linger_on_closed);
    uv_close((uv_handle_t *)&f->poll, session_linger_on_closed);
}

/* Whether no more input can arrive. A server may send faster than this reads, so reading stops after one
 * turn. */
static bool drain(int fd)
{
    char waste[65536];
    ssize_t got = 1;
    for (int i = 0; i < DRAINS_A_TURN && got > 0; i++)
        got = recv(fd, waste, sizeof waste, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct session_linger *f = poll->data;
    if (drain(f->fd) || status < 0)
        session_linger_finish(f);
}

static void session_linger_on_late(uv_timer_t *timer)
{
    struct session_linger *f = timer->data;
    drain(f->fd);
    session_linger_finish(f);
}

/* Returns a second descriptor of the same connection, for session_linger_wait() after the first was closed;
 * -1: none. */
static int session_linger_hold(int fd)
{
    return fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
}

/* Takes ownership of the descriptor, and closes it when the server has closed the connection, at the latest
 * after a second. */
static void session_linger_wait(uv_loop_t *loop, int held)
{
    if (held < 0)
        return;
    struct session_linger *f = xcalloc(1, sizeof *f);
    if (uv_poll_init(loop, &f->poll, held) != 0) {
        free(f);
        close(held);
        return;
    }
    f->fd = held;
    f->open = 2;
    f->poll.data = f->timer.data = f;
    uv_timer_init(loop, &f->timer);
    uv_timer_start(&f->timer, session_linger_on_late, WAIT_MS, 0);
    if (uv_poll_start(&f->poll, UV_READABLE | UV_DISCONNECT, on_readable) != 0)
        session_linger_finish(f);
}

/*
 * session.c - see session.h. Words in [brackets] name the trap of the C client that a line avoids:
 *
 *   [resolve]  zookeeper_interest() resolves all names at every call unless disabled, and blocks meanwhile.
 *   [frames]   zookeeper_process() handles one frame per call.
 *   [closed]   after any result but ZOK and ZNOTHING the descriptor is closed and its number may be reused.
 *   [nested]   a handle must not be pumped or freed from inside one of its callbacks.
 *   [retry]    a dead server is retried every timeout/60; a silent one is awaited for 2/3 of the timeout.
 *   [silent]   a server counts as dead by the time since the last read, not since it last sent something.
 *   [wiped]    a session that saw a later zxid than the servers have is refused for ever, without an event.
 *   [order]    to shuffle the addresses it reads a device and seeds the process's generator, for each handle
 *              and each attempt: they are shuffled here, once.
 *   [log]      nine log lines per handle unless the level is 0.
 *   [next]     once all servers have been tried, a call that fails moves on to the next server, and the next
 *              attempt moves on once more: of two servers one is never tried again.
 *   [close]    zookeeper_close() blocks until the server closes the connection, for up to 1.5 s per handle.
 *
 * The client also trusts every byte it reads, and has neither TLS nor SASL: probe/transport handles that.
 */

/* The maximum number of frames per turn of the loop. */
#define FRAMES_A_TURN 4096
/* The maximum time for them, so that signals and timers are served in time, whatever a server sends. */
#define TURN_MOST_NS UINT64_C(50000000)
/* The time limit for one attempt to connect to one server: at first, and at most (then 2/3 of the
 * timeout). */
#define ATTEMPT_FIRST_MS 1000u
/* The pause after all servers failed: doubles up to the second value, with jitter. */
#define PAUSE_FIRST_MS 100u
#define PAUSE_LAST_MS 3000u
/* The pause if servers accept the connection and then require a login: that needs an operator. */
#define PAUSE_LOGIN_MS 60000u
/*
 * A session that has not returned after GIVE_UP_TIMEOUTS of its timeouts is given up. Working servers have
 * ended it by then; with no working servers nothing is lost. After GIVE_UP_REFUSALS refusals by servers one
 * timeout is enough. [wiped]
 */
#define GIVE_UP_TIMEOUTS 2
#define GIVE_UP_REFUSALS 3
/* An answer may be this late before its server counts as stalled. */
#define STALLED_LEAST_MS 1000u
/* A slow name server is waited for so long if there is another address, and longer before it is reported if there
 * is none. */
#define LOOKUP_MS 500u
#define LOOKUP_SILENT_MS 1500u
/* A working server takes less than a millisecond to close. */
#define CLOSE_WAIT_MS 500

static void session_begin(struct session *s);
static void session_arm(struct session *s);
static void session_fail(struct session *s, int rc, int error, int state_before);

/* ---- small helpers ---- */

static void set_state(struct session *s, enum connection_state state, bool renewed)
{
    s->state = state;
    if (!s->closing && s->listener.state)
        s->listener.state(s->context, state, renewed, s->problem[0] ? s->problem : NULL);
}

static void report_failure(struct session *s)
{
    if (!s->closing && s->listener.failed)
        s->listener.failed(s->context, s->problem);
    if (!s->closing && s->listener.bad_reply && s->link.bad_reply)
        s->listener.bad_reply(s->context, s->server, s->link.bad_reply);
    free(s->link.bad_reply);
    s->link.bad_reply = NULL;
}

/* ---- ending ---- */

static void zookeeper_end(struct session *s)
{
    zhandle_t *zh = s->zh;
    int fd = session_io_descriptor(s->io);
    if (s->limiter)
        connect_limiter_cancel(s->limiter, &s->pass);
    session_io_let_go(s->io); /* [closed] */
    s->zh = NULL;
    s->established = false;
    if (!zh)
        return;
    /* The library cannot drop a session silently. With its socket shut down, it cannot send a closing
     * request. */
    if (s->dropping && fd >= 0)
        shutdown(fd, SHUT_RDWR);
    bool asked = zoo_state(zh) == ZOO_ASSOCIATING_STATE; /* then the library sends no closing request */
    bool speaks = (asked || zoo_state(zh) == ZOO_CONNECTED_STATE) && !s->dropping;
    int held = speaks ? session_linger_hold(fd) : -1;
    if (asked && speaks)
        transport_ask_end(fd);
    transport_limit_close(fd, CLOSE_WAIT_MS);
    zookeeper_close(zh); /* [close] delivers pending answers */
    session_linger_wait(s->loop, held);
}

static void session_free(struct session *s)
{
    zookeeper_end(s);
    read_retry_free(s);
    if (s->resolver)
        resolver_cancel(s->resolver);
    session_io_free(s->io);
    child_watches_clear(&s->child_watches);
    connect_string_free(&s->servers);
    transport_link_free(&s->link);
    free(s->addresses);
    free(s->auth_scheme);
    secret_end(s->auth_credential);
    free(s);
}

static void session_enter(struct session *s)
{
    s->busy++;
}

static void session_leave(struct session *s)
{
    if (--s->busy == 0 && s->closing)
        session_free(s);
}

/* ---- pumping the library ---- */

/*
 * Whether the frame just handled was the last possible one: an answer to a later request takes a round trip,
 * and a notification appears in the loop's next poll. For a crowd of sessions a check would cost as much as a
 * frame.
 */
static bool is_last_frame(const struct session *s, uint64_t owed, int state_before)
{
    if (transport_has_input(session_io_descriptor(s->io)))
        return false;
    return owed > 0 ? s->requests.answered >= owed
                    : state_before == ZOO_ASSOCIATING_STATE && zoo_state(s->zh) == ZOO_CONNECTED_STATE;
}

/* The library pings a server after a third of the timeout. */
static uint64_t stalled_ms(const struct session *s)
{
    uint64_t silent_ms = uv_now(s->loop) - s->heard_ms;
    return silent_ms > (uint64_t)zoo_recv_timeout(s->zh) / 3 + STALLED_LEAST_MS ? silent_ms : 0;
}

static void session_pump(struct session *s, int events)
{
    int rc, error, state_before, frames = 0;
    uint64_t until_ns = uv_hrtime() + TURN_MOST_NS;
    if (s->state == CONNECTION_CONNECTED && events & ZOOKEEPER_READ)
        s->stalled_ms = stalled_ms(s);
    if (s->listener.reading)
        s->listener.reading(s->context);
    s->stalled_ms = 0;
    if (events & ZOOKEEPER_WRITE)
        transport_flush(session_io_descriptor(s->io));
    uint64_t owed = s->requests.open > 0 ? s->requests.answered + s->requests.open : 0;
    s->owing = owed > 0;
    do { /* [frames] */
        state_before = zoo_state(s->zh);
        errno = 0;
        rc = zookeeper_process(s->zh, events);
        error = errno;
        if (rc == ZOK && events & ZOOKEEPER_READ)
            s->heard_ms = uv_now(s->loop);
        events = ZOOKEEPER_READ;
        if (rc == ZOK && session_attempt_broke(s))
            rc = ZCONNECTIONLOSS;
    } while (rc == ZOK && !s->closing && !s->paused && !is_last_frame(s, owed, state_before) &&
             ++frames < FRAMES_A_TURN && uv_hrtime() < until_ns);
    if (s->closing)
        return;
    if (rc != ZOK && rc != ZNOTHING) {
        session_fail(s, rc, error, state_before);
        return;
    }
    session_io_this_turn(s->io);
    if (rc == ZOK && transport_has_input(session_io_descriptor(s->io)))
        /* The descriptor may not show it. With 0 ms libuv would run this again before any other handle. */
        session_io_wake_in(s->io, 1);
}

static void session_on_ready(void *context, int events)
{
    struct session *s = context;
    struct connect_limiter *limiter = s->limiter;
    bool held = s->pass.held;
    if (limiter && connect_limiter_is_spent(limiter))
        return; /* the next turn reports it again */
    uint64_t from_ns = uv_hrtime();
    session_enter(s);
    session_pump(s,
                 (events & UV_READABLE ? ZOOKEEPER_READ : 0) | (events & UV_WRITABLE ? ZOOKEEPER_WRITE : 0));
    session_leave(s);
    if (limiter)
        connect_limiter_spend(limiter, uv_hrtime() - from_ns);
    if (limiter && held)
        connect_limiter_turn(limiter); /* this session may have connected */
}

static void session_on_turn(void *context)
{
    struct session *s = context;
    session_enter(s);
    session_arm(s);
    session_leave(s);
}

static bool has_come_in(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    return fd >= 0 && (transport_has_input(fd) || poll(&end, 1, 0) == 1);
}

/* [silent] Timers come first in a turn of the loop: after a long turn, input from the server is still
 * unread. */
static void session_on_due(void *context)
{
    struct session *s = context;
    struct connect_limiter *limiter = s->limiter;
    uint64_t from_ns = uv_hrtime();
    session_enter(s);
    if (!s->zh)
        session_begin(s);
    else if (s->state != CONNECTION_CONNECTED || !has_come_in(session_io_descriptor(s->io)))
        session_arm(s);
    else if (limiter && connect_limiter_is_spent(limiter))
        session_io_wake_in(s->io, 1);
    else
        session_pump(s, ZOOKEEPER_READ); /* asks the library for its next events afterwards */
    session_leave(s);
    if (limiter)
        connect_limiter_spend(limiter, uv_hrtime() - from_ns);
}

/* [retry] The library waits 2/3 of the session timeout for a silent server. */
static void on_overdue(void *context)
{
    struct session *s = context;
    int fd = session_io_descriptor(s->io);
    if (!s->zh || fd < 0 || s->state == CONNECTION_CONNECTED)
        return;
    s->overdue = true;
    shutdown(fd, SHUT_RDWR);
    session_enter(s);
    session_pump(s, ZOOKEEPER_READ | ZOOKEEPER_WRITE);
    session_leave(s);
}

static void attempt_begin(struct session *s)
{
    unsigned round = s->failures / (unsigned)s->address_count;
    unsigned budget_ms = ATTEMPT_FIRST_MS << (round < 5 ? round : 5);
    unsigned most_ms = (unsigned)s->timeout_asked_ms * 2 / 3;
    s->overdue = false;
    session_io_deadline(s->io, budget_ms < most_ms ? budget_ms : most_ms);
}

static void on_admitted(void *context)
{
    struct session *s = context;
    session_enter(s);
    if (s->paused)
        connect_limiter_cancel(s->limiter, &s->pass);
    else
        session_arm(s);
    session_leave(s);
}

/* Whether a new connection is established already, as happens on this host and in a near network. */
static bool is_through(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && end.revents == POLLOUT;
}

/* Asks the library for its next events. Runs once per turn of the loop, after all other work. */
static void session_arm(struct session *s)
{
    if (!s->zh || s->closing)
        return;
    if (s->limiter && session_io_descriptor(s->io) < 0 && !connect_limiter_enter(s->limiter, &s->pass))
        return; /* on_admitted() calls this again */
    int fd = -1, interest = 0, state_before = zoo_state(s->zh);
    struct timeval tv = {0};
    if (session_attempt_broke(s)) {
        session_fail(s, ZCONNECTIONLOSS, 0, state_before);
        return;
    }
    errno = 0;
    bool begins = session_io_descriptor(s->io) < 0;
    s->owing = s->requests.open > 0;
    transport_use(&s->link);
    int rc = zookeeper_interest(s->zh, &fd, &interest, &tv);
    if (begins)
        session_attempt_begun(s, rc == ZOK);
    if (rc == ZOK && begins && interest & ZOOKEEPER_WRITE && is_through(fd)) {
        /* Sends the greeting now, instead of a turn of the loop later: this matters with thousands of
         * connects. */
        rc = zookeeper_process(s->zh, ZOOKEEPER_WRITE);
        rc = rc == ZOK ? zookeeper_interest(s->zh, &fd, &interest, &tv) : rc;
    }
    int error = errno;
    if (s->closing)
        return;
    if (rc != ZOK) {
        session_fail(s, rc, error, state_before);
        return;
    }
    bool fresh = false;
    int events =
        (interest & ZOOKEEPER_READ ? UV_READABLE : 0) | (interest & ZOOKEEPER_WRITE ? UV_WRITABLE : 0);
    if (fd >= 0 && !session_io_poll(s->io, fd, transport_wants(fd, events), &fresh)) {
        session_io_let_go(s->io);
        snprintf(s->problem, sizeof s->problem, "no further file descriptor can be polled");
    }
    if (fresh && s->state != CONNECTION_CONNECTED)
        attempt_begin(s);
    /* One more millisecond, so that the library's deadline has passed when the timer fires. */
    uint64_t ms = (uint64_t)tv.tv_sec * 1000 + (uint64_t)tv.tv_usec / 1000 + 1;
    session_io_wake_within(s->io, ms);
}

/* Handles a result other than ZOK and ZNOTHING. */
static void session_fail(struct session *s, int rc, int error, int state_before)
{
    int state = zoo_state(s->zh);
    session_io_let_go(s->io);        /* [closed] */
    session_io_not_this_turn(s->io); /* otherwise the next turn would connect again without the pause */
    session_io_deadline(s->io, 0);
    read_retry_lost(s);
    if (s->account)
        read_account_lost(s->account, s);
    if (s->limiter) /* an expired session was admitted and notified */
        connect_limiter_leave(s->limiter, &s->pass, state != ZOO_EXPIRED_SESSION_STATE);
    session_attempt_describe(s, rc, error, state_before);
    session_attempt_stay_in_turn(s);
    report_failure(s);
    uv_update_time(s->loop);
    if (s->state == CONNECTION_CONNECTED) {
        bool unheard = rc == ZOPERATIONTIMEOUT || error == ETIMEDOUT || error == EHOSTUNREACH;
        s->last_heard_ms = uv_now(s->loop);
        uint64_t silent_ms = s->last_heard_ms - s->heard_ms;
        /* Nothing arrived from a server that has owed an answer for so long. */
        unheard = unheard || (s->owing && silent_ms >= STALLED_LEAST_MS);
        s->silent_ms = unheard ? silent_ms : 0;
    }

    if (state == ZOO_AUTH_FAILED_STATE || s->refused) {
        s->refused = true;
        snprintf(s->problem, sizeof s->problem, "authentication failed (scheme %.40s)", s->auth_scheme);
        zookeeper_end(s);
        set_state(s, CONNECTION_REFUSED, false);
        return;
    }
    int timeout_ms = s->established ? zoo_recv_timeout(s->zh) : s->timeout_asked_ms;
    uint64_t away_ms = uv_now(s->loop) - s->last_heard_ms;
    s->refusals += session_attempt_was_refused(s, error, state_before);
    bool hopeless = away_ms > (uint64_t)timeout_ms * GIVE_UP_TIMEOUTS ||
                    (s->refusals >= GIVE_UP_REFUSALS && away_ms > (uint64_t)timeout_ms);
    s->failures++;
    if (s->state == CONNECTION_CONNECTED)
        s->logins_wanted = s->link.fault == TRANSPORT_FAULT_SASL ? s->logins_wanted + 1 : 0;
    unsigned round = (s->failures + s->logins_wanted) / (unsigned)s->address_count;
    if (state == ZOO_EXPIRED_SESSION_STATE || (hopeless && s->established)) {
        /* [wiped] Whatever the servers know of this session, it does not return. */
        if (state != ZOO_EXPIRED_SESSION_STATE)
            session_attempt_give_up(s, away_ms);
        zookeeper_end(s);
        set_state(s, CONNECTION_EXPIRED, false);
        round = round > 0 ? round : 1;
    } else {
        if (hopeless || (s->some && !s->established && s->failures % s->address_count == 0))
            zookeeper_end(s); /* the names may resolve to other servers by now */
        /* Reports each server of the first round, then the last of each round: the problem may have
         * changed. */
        if (s->state != CONNECTION_CONNECTING || s->failures <= s->address_count ||
            s->failures % s->address_count == 0)
            set_state(s, CONNECTION_CONNECTING, false);
    }
    if (s->closing)
        return;
    /* [retry] Each server is tried without delay; a pause follows a complete round of failures. */
    unsigned most_ms = s->logins_wanted ? PAUSE_LOGIN_MS : PAUSE_LAST_MS;
    unsigned ms = PAUSE_FIRST_MS << (round < 10 ? round : 10);
    if (round == 0)
        session_io_wake_in(s->io, 1);
    else
        session_io_pause(s->io, ms < most_ms ? ms : most_ms);
}

/* ---- below the library ---- */

static const char *on_host_asked(void *context, const struct sockaddr *address)
{
    const struct session *s = context;
    char text[ADDRESS_SIZE];
    address_print(address, text);
    for (size_t i = 0; i < s->address_count; i++)
        if (strcmp(s->addresses[i].text, text) == 0)
            return s->servers.servers[s->addresses[i].server].host;
    return NULL;
}

static void on_transport_ready(void *context)
{
    struct session *s = context;
    session_enter(s);
    if (s->zh && session_io_descriptor(s->io) >= 0 && !s->closing && !s->paused)
        session_pump(s, ZOOKEEPER_READ);
    session_leave(s);
}

/* ---- beginning ---- */

static void on_connected(struct session *s)
{
    bool renewed = !s->established;
    if (s->state == CONNECTION_CONNECTED)
        return; /* the library reports it once for each watch */
    if (s->limiter)
        connect_limiter_leave(s->limiter, &s->pass, false);
    s->established = true;
    if (renewed)
        child_watches_clear(&s->child_watches);
    else
        child_watches_restart(&s->child_watches, clock_now().mono_us);
    s->failures = s->refusals = 0;
    s->last_heard_ms = uv_now(s->loop);
    s->problem[0] = '\0';
    session_io_deadline(s->io, 0);
    set_state(s, CONNECTION_CONNECTED, renewed);
}

/* Called once per handle; after later connections the library sends the credentials again by itself. */
static void on_auth(int rc, const void *data)
{
    struct session *s = (struct session *)(uintptr_t)data;
    s->auth_pending = false;
    s->refused = rc == ZAUTHFAILED;
    if (rc == ZOK && !s->closing && s->zh && zoo_state(s->zh) == ZOO_CONNECTED_STATE)
        on_connected(s);
}

void session_on_watch(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct session *s = context;
    if (s->closing || (s->zh && zh != s->zh))
        return;
    if (type == ZOO_SESSION_EVENT) {
        if (state == ZOO_CONNECTED_STATE && !s->auth_pending)
            on_connected(s);
        return; /* losses are seen in the library's results */
    }
    enum session_notice notice;
    if (type == ZOO_CREATED_EVENT)
        notice = NOTICE_CREATED;
    else if (type == ZOO_DELETED_EVENT)
        notice = NOTICE_DELETED;
    else if (type == ZOO_CHANGED_EVENT)
        notice = NOTICE_CHANGED;
    else if (type == ZOO_CHILD_EVENT)
        notice = NOTICE_CHILDREN;
    else
        return;
    bool fired = (notice == NOTICE_CHILDREN || notice == NOTICE_DELETED) &&
                 child_watches_remove(&s->child_watches, path, clock_now().mono_us);
    if (fired && s->listener.child_watches)
        s->listener.child_watches(s->context);
    if (s->listener.notice)
        s->listener.notice(s->context, notice, path);
}

static void silent_log(const char *message)
{
    (void)message; /* [log] the results contain everything needed */
}

/* The names have been resolved as far as possible: creates a handle with the known addresses. */
static void session_connect(struct session *s)
{
    char list[CONNECT_STRING_SERVERS * ADDRESSES_A_SERVER * ADDRESS_SIZE];
    size_t used = address_list(s->addresses, s->address_count, list, sizeof list);
    s->last_heard_ms = uv_now(s->loop);
    if (used == 0) {
        set_state(s, CONNECTION_CONNECTING, false); /* problem: from the look-up */
        session_io_pause(s->io, PAUSE_LAST_MS);
        return;
    }
    zoo_set_debug_level((ZooLogLevel)0);
    zoo_deterministic_conn_order(1); /* [order] */
    s->zh = zookeeper_init2(list, session_on_watch, s->timeout_asked_ms, NULL, s, ZOO_NO_LOG_CLIENTENV,
                            silent_log);
    if (!s->zh) {
        snprintf(s->problem, sizeof s->problem, "cannot begin a session: %s", strerror(errno));
        report_failure(s);
        set_state(s, CONNECTION_CONNECTING, false);
        session_io_pause(s->io, PAUSE_LAST_MS);
        return;
    }
    s->moves_on = false;
    zoo_set_servers_resolution_delay(s->zh, -1); /* [resolve] */
    if (s->auth_scheme) {
        s->auth_pending = true;
        zoo_add_auth(s->zh, s->auth_scheme, s->auth_credential, (int)strlen(s->auth_credential), on_auth, s);
    }
    session_io_this_turn(s->io);
}

static void session_on_resolved(void *context, const struct address *addresses, size_t count,
                                const char *problem)
{
    struct session *s = context;
    s->resolver = NULL;
    session_enter(s); /* the listener may close it */
    if (problem) {
        snprintf(s->problem, sizeof s->problem, "%s", problem);
        report_failure(s);
    }
    free(s->addresses);
    s->addresses = xcalloc(count + 1, sizeof *addresses);
    s->address_count = count;
    if (count)
        memcpy(s->addresses, addresses, count * sizeof *addresses);
    address_shuffle(s->addresses, s->address_count);
    if (!s->closing)
        session_connect(s);
    session_leave(s);
}

/* The names are still looked up. */
static void session_hurry(struct session *s)
{
    uint64_t waited_ms = uv_now(s->loop) - s->asked_ms;
    session_io_wake_in(s->io, LOOKUP_MS);
    if (waited_ms < LOOKUP_MS)
        return;
    struct resolver *resolver = s->resolver;
    s->some = true;
    if (resolver_settle(resolver))
        return;
    s->some = false;
    if (waited_ms < LOOKUP_SILENT_MS || s->told_silent)
        return;
    s->told_silent = true;
    snprintf(s->problem, sizeof s->problem, RESOLVER_SILENT, resolver_waits_for(resolver));
    report_failure(s);
    set_state(s, CONNECTION_CONNECTING, false);
}

/* [resolve] Names are looked up outside the loop, again for every handle; the library only ever sees
 * addresses. */
static void session_begin(struct session *s)
{
    if (s->zh || s->refused)
        return;
    if (s->resolver) {
        session_hurry(s);
        return;
    }
    s->asked_ms = uv_now(s->loop);
    s->some = s->told_silent = false;
    session_io_wake_in(s->io, LOOKUP_MS); /* unless the answer comes now, which wakes it earlier */
    s->resolver = resolver_start(s->loop, s->servers.servers, s->servers.count, session_on_resolved, s);
}

struct session *session_open(uv_loop_t *loop, const struct session_options *options,
                             const struct session_listener *listener, void *context)
{
    struct session *s = xcalloc(1, sizeof *s);
    static const struct session_io_beats beats = {session_on_ready, session_on_due, session_on_turn,
                                                  on_overdue};
    struct session_io *io = session_io_new(loop, options->poller, &beats, s);
    char *error = NULL;
    bool good = io && connect_string_parse(options->hosts, &s->servers, &error);
    free(error);
    if (!good) {
        session_io_free(io);
        free(s);
        return NULL;
    }
    if (options->auth_scheme) {
        s->auth_scheme = xstrdup(options->auth_scheme);
        s->auth_credential = secret_share(options->auth_credential);
    }
    s->loop = loop;
    s->listener = *listener;
    s->context = context;
    s->timeout_asked_ms = options->timeout_ms;
    s->io = io;
    s->limiter = options->limiter;
    s->counts_children = options->counts_children;
    s->account = options->account;
    s->pass = (struct connect_limiter_pass){.go = on_admitted, .context = s};
    s->link = (struct transport_link){.security = options->security,
                                      .loop = loop,
                                      .host = on_host_asked,
                                      .ready = on_transport_ready,
                                      .context = s};
    s->requests.session = s;
    s->state = CONNECTION_CONNECTING;
    session_io_wake_in(s->io, 0);
    return s;
}

/* Answers pending requests immediately; the library's own answers to them then find nothing to do. */
static void session_part(struct session *s)
{
    s->closing = true;
    s->listener = (struct session_listener){0};
    requests_give_up(&s->requests);
    read_retry_lost(s);
    if (s->account)
        read_account_lost(s->account, s);
    if (s->busy == 0) /* [nested] else leave() frees it */
        session_free(s);
}

void session_close(struct session *s)
{
    if (s && !s->closing)
        session_part(s);
}

void session_drop(struct session *s)
{
    if (s && !s->closing) {
        s->dropping = true;
        session_part(s);
    }
}

void session_pause(struct session *s)
{
    s->paused = true;
    if (s->limiter)
        connect_limiter_cancel(s->limiter, &s->pass);
    session_io_freeze(s->io);
}

void session_resume(struct session *s)
{
    if (!s->paused)
        return;
    s->paused = false;
    session_io_thaw(s->io);
    if (s->zh)
        session_io_this_turn(s->io); /* makes the library read the time */
    else
        session_io_wake_in(s->io, 0);
}

enum connection_state session_state(const struct session *s)
{
    return s->state;
}

uint64_t session_id(const struct session *s)
{
    return s->zh && s->established ? (uint64_t)zoo_client_id(s->zh)->client_id : 0;
}

bool session_is_awaited(const struct session *s)
{
    return s->zh && !s->established && zoo_state(s->zh) == ZOO_ASSOCIATING_STATE;
}

int64_t session_silent_us(const struct session *s)
{
    return (int64_t)(s->state == CONNECTION_CONNECTED ? s->stalled_ms : s->silent_ms) * 1000;
}

uint64_t session_unheard_ms(const struct session *s)
{
    return uv_now(s->loop) - s->heard_ms;
}

int session_timeout_ms(const struct session *s)
{
    return s->zh && s->established ? zoo_recv_timeout(s->zh) : 0;
}

size_t session_child_watches(const struct session *s, int64_t by_us)
{
    return s->state == CONNECTION_CONNECTED ? child_watches_since(&s->child_watches, by_us) : 0;
}

int64_t session_child_watches_changed_us(const struct session *s)
{
    return s->child_watches.changed_us;
}

const char *session_server(struct session *s)
{
    if (s->state != CONNECTION_CONNECTED)
        return NULL;
    session_attempt_name_server(s);
    return s->server[0] ? s->server : NULL;
}

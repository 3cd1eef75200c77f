/* A session on a real server: every request answered once, whatever happens in between. */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "probe/zookeeper/fourletter.h"
#include "probe/demo/private_ensemble.h"
#include "probe/zookeeper/session.h"
#include "tests/support/test.h"

#define TIMEOUT_MS 2000
#define LONGEST_MS 10000 /* that the server grants: twenty ticks */
#define WITHIN_MS 30000

static uv_loop_t loop;
static struct private_ensemble *sandbox;

/* Runs the loop until *flag, or fails. */
static void on_late(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void on_timer_closed(uv_handle_t *handle)
{
    (void)handle;
}

static void run_until(const bool *flag)
{
    uv_timer_t timer;
    bool late = false;
    uv_timer_init(&loop, &timer);
    timer.data = &late;
    uv_timer_start(&timer, on_late, WITHIN_MS, 0);
    while (!*flag && !late)
        uv_run(&loop, UV_RUN_ONCE);
    bool in_time = *flag;
    uv_close((uv_handle_t *)&timer, on_timer_closed);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_true(in_time);
}

static void on_ready(void *context, const char *problem)
{
    if (problem)
        fail_msg("%s", problem);
    *(bool *)context = true;
}

/* What a session told. */
struct reported {
    struct session *session;
    bool connected, disconnected, expired, refused, renewed, noticed;
    int answers, lost;
    enum session_result result;
    enum session_notice notice;
    char path[256], problem[256];
    bool answered, close_in_answer;
};

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct reported *t = context;
    t->connected = state == CONNECTION_CONNECTED;
    t->disconnected |= state == CONNECTION_CONNECTING;
    t->expired |= state == CONNECTION_EXPIRED;
    t->refused |= state == CONNECTION_REFUSED;
    if (t->connected)
        t->renewed = renewed;
    snprintf(t->problem, sizeof t->problem, "%s", problem ? problem : "");
}

static void on_notice(void *context, enum session_notice notice, const char *path)
{
    struct reported *t = context;
    t->noticed = true;
    t->notice = notice;
    snprintf(t->path, sizeof t->path, "%s", path);
}

static void on_node(void *context, const struct session_answer *answer)
{
    struct reported *t = context;
    assert_int_equal(answer->stat != NULL, answer->result == SESSION_OK);
    t->answers++;
    t->lost += answer->result == SESSION_LOST;
    t->result = answer->result;
    t->answered = true;
    if (t->close_in_answer) {
        t->close_in_answer = false;
        session_close(t->session);
    }
}

static void on_text(void *context, const struct session_answer *answer)
{
    struct reported *t = context;
    t->answered = true;
    t->result = answer->result;
    snprintf(t->path, sizeof t->path, "%s", answer->path ? answer->path : "");
}

static void begin_for(struct reported *t, const char *hosts, int timeout_ms)
{
    static const struct session_listener listener = {.state = on_state, .notice = on_notice};
    struct session_options options = {.hosts = hosts, .timeout_ms = timeout_ms};
    *t = (struct reported){.session = session_open(&loop, &options, &listener, t)};
    assert_non_null(t->session);
}

static void begin(struct reported *t, const char *hosts)
{
    begin_for(t, hosts, TIMEOUT_MS);
}

static void ask(struct reported *t, const char *path, bool watch)
{
    t->answered = false;
    assert_true(session_exists(t->session, path, watch, on_node, t));
    run_until(&t->answered);
}

struct known_transactions {
    unsigned long long latest; /* zxid */
    bool reported;
};

static void on_srvr(void *context, const char *problem, const char *text, size_t length, int64_t took_us)
{
    (void)problem, (void)length, (void)took_us;
    struct known_transactions *t = context;
    const char *at = text ? strstr(text, "Zxid: ") : NULL;
    t->latest = at ? strtoull(at + strlen("Zxid: "), NULL, 0) : 0;
    t->reported = true;
}

/* By the server's own word. */
static unsigned long long transactions_there(void)
{
    struct known_transactions t = {0};
    const char *port = strrchr(private_ensemble_hosts(sandbox), ':') + 1;
    assert_non_null(fourletter_ask(&loop, NULL, "127.0.0.1", port, "srvr", WITHIN_MS, 65536, on_srvr, &t));
    run_until(&t.reported);
    return t.latest;
}

/*
 * Closed while the server has not answered yet who it is: the session that the server then begins is ended at
 * once, not by its timeout. Before the other tests, whose dropped sessions expire when they like.
 */
TEST(ends_a_session_that_was_only_asked_for)
{
    unsigned long long before = transactions_there();
    assert_true(private_ensemble_server_stop(sandbox, 0));
    struct session_options options = {.hosts = private_ensemble_hosts(sandbox), .timeout_ms = LONGEST_MS};
    struct session *session = session_open(&loop, &options, &(struct session_listener){0}, NULL);
    while (!session_is_awaited(session))
        uv_run(&loop, UV_RUN_ONCE);
    session_close(session);
    uint64_t begun = uv_hrtime();
    assert_true(private_ensemble_server_cont(sandbox, 0));
    while (transactions_there() < before + 2) /* its beginning, and its end */
        uv_run(&loop, UV_RUN_NOWAIT);
    assert_true((uv_hrtime() - begun) / 1000000 < LONGEST_MS * 8 / 10);
}

/* An exists watch on what is not there sees it appear; a get watch sees it go. */
TEST(reads_and_watches)
{
    struct reported t;
    begin(&t, private_ensemble_hosts(sandbox));
    /* Not connected: nothing is sent, and nobody is answered. */
    assert_false(session_exists(t.session, "/a", false, on_node, &t));
    assert_false(session_create(t.session, "/a", "", 0, CREATE_PERSISTENT, NULL, on_text, &t));
    assert_false(session_delete(t.session, "/a", -1, on_text, &t));
    run_until(&t.connected);
    assert_true(t.renewed);
    assert_int_not_equal(session_id(t.session), 0);
    assert_string_equal(session_server(t.session), private_ensemble_hosts(sandbox));
    ask(&t, "/a", true);
    assert_int_equal(t.result, SESSION_NO_NODE);
    t.answered = false;
    assert_true(session_create(t.session, "/a", "x", 1, CREATE_EPHEMERAL, NULL, on_text, &t));
    run_until(&t.noticed);
    assert_int_equal(t.notice, NOTICE_CREATED);
    assert_string_equal(t.path, "/a");
    run_until(&t.answered);
    t.answered = t.noticed = false;
    assert_true(session_get(t.session, "/a", true, on_node, &t));
    assert_true(session_delete(t.session, "/a", -1, on_text, &t));
    run_until(&t.noticed);
    assert_int_equal(t.notice, NOTICE_DELETED);
    session_close(t.session);
}

/* Closing answers what is owed, first and once, also from inside an answer. */
TEST(closes_from_inside_an_answer)
{
    struct reported t;
    begin(&t, private_ensemble_hosts(sandbox));
    run_until(&t.connected);
    t.close_in_answer = true;
    for (int i = 0; i < 100; i++)
        assert_true(session_exists(t.session, "/", false, on_node, &t));
    run_until(&t.answered);
    assert_int_equal(t.answers, 100);
    assert_int_equal(t.lost, 99);
    for (int i = 0; i < 10; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(t.answers, 100);
}

/* Hosts that refuse, hang or have no address are passed over; the message names them meanwhile. */
TEST(passes_over_dead_hosts)
{
    char hosts[256];
    struct reported t;
    snprintf(hosts, sizeof hosts, "127.0.0.1:1,no-such-host.invalid:2181,[::1]:1,%s",
             private_ensemble_hosts(sandbox));
    begin(&t, hosts);
    run_until(&t.connected);
    assert_string_equal(session_server(t.session), private_ensemble_hosts(sandbox));
    session_close(t.session);
    begin(&t, "127.0.0.1:1");
    run_until(&t.disconnected);
    assert_string_equal(t.problem, "connection refused by 127.0.0.1:1");
    session_close(t.session);
}

static void on_failed_close(void *context, const char *problem)
{
    struct reported *t = context;
    snprintf(t->problem, sizeof t->problem, "%s", problem);
    t->answered = true;
    session_close(t->session);
}

/* Whoever is told that a name cannot be looked up, or that nobody listens there, may close the session at
 * once. */
TEST(closes_when_reported_of_a_failure)
{
    static const struct session_listener listener = {.failed = on_failed_close};
    static const char *const hosts[] = {"no-such-host.invalid:2181", "127.0.0.1:1"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct session_options options = {.hosts = hosts[i], .timeout_ms = TIMEOUT_MS};
        struct reported t = {0};
        t.session = session_open(&loop, &options, &listener, &t);
        assert_non_null(t.session);
        run_until(&t.answered);
        assert_non_null(strstr(t.problem, i == 0 ? "no-such-host.invalid" : "refused"));
    }
}

/* What was said of each attempt, and a server that takes connections, hears the greeting, and hangs up. */
struct attempts {
    uv_tcp_t listener;
    char hangs_up[32];
    int of_it, of_others, wrong, wanted;
    bool enough;
};

static void on_attempt_failed(void *context, const char *problem)
{
    struct attempts *a = context;
    bool of_it = strstr(problem, a->hangs_up) != NULL;
    a->of_it += of_it;
    a->of_others += !of_it;
    a->wrong += (strstr(problem, "gives no session") != NULL) != of_it;
    a->wrong += (strstr(problem, "connection refused by ") != NULL) == of_it;
    a->enough = a->of_it + a->of_others >= a->wanted;
}

static void on_attempt_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    (void)context, (void)state, (void)renewed, (void)problem;
}

static void on_freed(uv_handle_t *handle)
{
    free(handle);
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    static char room[256];
    (void)handle, (void)wanted;
    *buffer = uv_buf_init(room, sizeof room);
}

static void on_greeting(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    (void)length, (void)buffer;
    if (!uv_is_closing((uv_handle_t *)stream))
        uv_close((uv_handle_t *)stream, on_freed);
}

static void on_caller(uv_stream_t *listener, int status)
{
    uv_tcp_t *caller = malloc(sizeof *caller);
    assert_non_null(caller);
    assert_int_equal(status, 0);
    assert_int_equal(uv_tcp_init(&loop, caller), 0);
    assert_int_equal(uv_accept(listener, (uv_stream_t *)caller), 0);
    assert_int_equal(uv_read_start((uv_stream_t *)caller, on_room, on_greeting), 0);
}

/* Each failure is told of the server that failed, and each server has its turn, also after all have been
 * tried once: of two, and of more. */
TEST(tries_and_blames_each_in_turn)
{
    static const struct session_listener listener = {.state = on_attempt_state, .failed = on_attempt_failed};
    static const struct {
        const char *others;
        int servers;
    } cases[] = {{"127.0.0.1:1", 2}, {"127.0.0.1:1,127.0.0.1:3", 3}, {"127.0.0.1:1,127.0.0.1:3,[::1]:1", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct attempts a = {.wanted = 4 * cases[i].servers};
        struct sockaddr_in address;
        int length = sizeof address;
        char hosts[96];
        assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
        assert_int_equal(uv_tcp_init(&loop, &a.listener), 0);
        assert_int_equal(uv_tcp_bind(&a.listener, (const struct sockaddr *)&address, 0), 0);
        assert_int_equal(uv_listen((uv_stream_t *)&a.listener, 16, on_caller), 0);
        assert_int_equal(uv_tcp_getsockname(&a.listener, (struct sockaddr *)&address, &length), 0);
        snprintf(a.hangs_up, sizeof a.hangs_up, "127.0.0.1:%d ", ntohs(address.sin_port));
        snprintf(hosts, sizeof hosts, "%s,127.0.0.1:%d", cases[i].others, ntohs(address.sin_port));
        struct session_options options = {.hosts = hosts, .timeout_ms = 10 * TIMEOUT_MS};
        struct session *session = session_open(&loop, &options, &listener, &a);
        assert_non_null(session);
        run_until(&a.enough);
        session_close(session);
        uv_close((uv_handle_t *)&a.listener, NULL);
        uv_run(&loop, UV_RUN_NOWAIT);
        assert_int_equal(a.wrong, 0);
        assert_in_range(a.of_it, 3, 5);
        assert_in_range(a.of_others, 4 * (cases[i].servers - 1) - 1, 4 * (cases[i].servers - 1) + 1);
    }
}

/* A server that waits for many requests, and then answers them all at once. */
#define BURST 400
/* An answer's work, and how many of them fit in a turn of the loop (TURN_MOST_NS of session.c). */
#define WORK_NS 1000000
#define A_TURN_MOST 200

struct burst {
    struct reported reported; /* first: the context of every callback */
    uv_tcp_t listener;
    uv_tcp_t *caller;
    uint8_t heard[1 << 16];
    size_t length;
    int of_this_turn, of_a_turn;
    bool answered;
};

static struct burst burst;

static void on_burst_answer(void *context, const struct session_answer *answer)
{
    (void)context;
    assert_int_equal(answer->result, SESSION_NO_NODE);
    nanosleep(&(struct timespec){.tv_nsec = WORK_NS}, NULL);
    burst.of_this_turn++;
    burst.of_a_turn = burst.of_this_turn > burst.of_a_turn ? burst.of_this_turn : burst.of_a_turn;
    burst.answered = ++burst.reported.answers == BURST;
}

static void on_turn(uv_prepare_t *prepare)
{
    (void)prepare;
    burst.of_this_turn = 0;
}

static void burst_send(const void *bytes, size_t length)
{
    uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)length);
    assert_int_equal(uv_try_write((uv_stream_t *)burst.caller, &buffer, 1), (int)length);
}

static void burst_answer_all(void)
{
    static uint8_t answers[BURST][20];
    size_t at = 0, count = 0;
    for (uint32_t length; at + 8 <= burst.length; at += 4 + length) {
        memcpy(&length, burst.heard + at, 4);
        length = ntohl(length);
        if (at > 0 && count < BURST) { /* the first is the greeting */
            static const uint8_t answer[20] = {[3] = 16, [16] = 0xff, 0xff, 0xff, 0x9b}; /* no node */
            memcpy(answers[count], answer, sizeof answer);
            memcpy(answers[count++] + 4, burst.heard + at + 4, 4);
        }
    }
    if (count == BURST)
        burst_send(answers, sizeof answers);
}

static void on_burst_heard(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    static const uint8_t greeting[40] = {[3] = 36, [10] = 0x75, [11] = 0x30, [19] = 1, [23] = 16};
    if (length < 0) {
        uv_close((uv_handle_t *)stream, on_freed);
        return;
    }
    bool greets = burst.length == 0;
    assert_in_range(length, 0, sizeof burst.heard - burst.length);
    memcpy(burst.heard + burst.length, buffer->base, (size_t)length);
    burst.length += (size_t)length;
    if (greets)
        burst_send(greeting, sizeof greeting);
    else if (!burst.answered)
        burst_answer_all();
}

static void on_burst_caller(uv_stream_t *listener, int status)
{
    assert_int_equal(status, 0);
    burst.caller = malloc(sizeof *burst.caller);
    assert_non_null(burst.caller);
    assert_int_equal(uv_tcp_init(&loop, burst.caller), 0);
    assert_int_equal(uv_accept(listener, (uv_stream_t *)burst.caller), 0);
    assert_int_equal(uv_read_start((uv_stream_t *)burst.caller, on_room, on_burst_heard), 0);
}

/* However much lies there to be read, signals and timers have their turn in between. */
TEST(reading_gives_way)
{
    struct sockaddr_in address;
    int length = sizeof address;
    char hosts[32];
    uv_prepare_t turns;
    uv_prepare_init(&loop, &turns);
    uv_prepare_start(&turns, on_turn);
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
    assert_int_equal(uv_tcp_init(&loop, &burst.listener), 0);
    assert_int_equal(uv_tcp_bind(&burst.listener, (const struct sockaddr *)&address, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&burst.listener, 16, on_burst_caller), 0);
    assert_int_equal(uv_tcp_getsockname(&burst.listener, (struct sockaddr *)&address, &length), 0);
    snprintf(hosts, sizeof hosts, "127.0.0.1:%d", ntohs(address.sin_port));
    begin_for(&burst.reported, hosts, 10 * TIMEOUT_MS);
    run_until(&burst.reported.connected);
    for (int i = 0; i < BURST; i++)
        assert_true(session_exists(burst.reported.session, "/election", false, on_burst_answer, NULL));
    run_until(&burst.answered);
    assert_in_range(burst.of_a_turn, 1, A_TURN_MOST);
    session_drop(burst.reported.session);
    uv_close((uv_handle_t *)&burst.listener, NULL);
    uv_close((uv_handle_t *)&turns, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* A server that hangs up on whoever comes, without hearing a word. */
struct shut_door {
    int listener;
    _Atomic bool open;
};

static void shut_door(void *context)
{
    struct shut_door *door = context;
    const struct linger at_once = {.l_onoff = 1};
    while (door->open) {
        int caller = accept(door->listener, NULL, NULL);
        if (caller < 0)
            break;
        setsockopt(caller, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(caller);
    }
}

/* A server with too many connections hangs up at once, often before our greeting is out: that is no
 * connection that was lost, for there was none. */
TEST(is_refused_before_its_greeting)
{
    static const struct session_listener listener = {.state = on_attempt_state, .failed = on_attempt_failed};
    struct shut_door door = {.listener = socket(AF_INET, SOCK_STREAM, 0), .open = true};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    uv_thread_t thread;
    assert_int_equal(bind(door.listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(door.listener, 16), 0);
    assert_int_equal(getsockname(door.listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(uv_thread_create(&thread, shut_door, &door), 0);
    struct attempts a = {.wanted = 5};
    char hosts[32];
    snprintf(a.hangs_up, sizeof a.hangs_up, "127.0.0.1:%d ", ntohs(address.sin_port));
    snprintf(hosts, sizeof hosts, "127.0.0.1:%d", ntohs(address.sin_port));
    struct session_options options = {.hosts = hosts, .timeout_ms = 10 * TIMEOUT_MS};
    struct session *session = session_open(&loop, &options, &listener, &a);
    assert_non_null(session);
    run_until(&a.enough);
    session_close(session);
    door.open = false;
    assert_int_equal(shutdown(door.listener, SHUT_RDWR), 0);
    assert_int_equal(uv_thread_join(&thread), 0);
    close(door.listener);
    assert_int_equal(a.wrong, 0);
}

/* A server that is killed and comes back: the same session, and its watches with it. */
TEST(survives_a_restart)
{
    struct reported t;
    begin_for(&t, private_ensemble_hosts(sandbox), LONGEST_MS); /* a start may take long on a busy machine */
    run_until(&t.connected);
    uint64_t id = session_id(t.session);
    ask(&t, "/restarted", true);
    assert_true(private_ensemble_server_kill(sandbox, 0));
    run_until(&t.disconnected);
    bool ready = false;
    assert_true(private_ensemble_server_start(sandbox, 0, on_ready, &ready));
    run_until(&ready);
    run_until(&t.connected);
    assert_false(t.renewed);
    assert_int_equal(session_id(t.session), id);
    t.answered = false;
    assert_true(session_create(t.session, "/restarted", "", 0, CREATE_EPHEMERAL, NULL, on_text, &t));
    run_until(&t.noticed);
    session_close(t.session);
}

/* A server whose data was wiped refuses the old session for ever, without a word: a new one is made. */
TEST(gives_up_a_session_that_cannot_come_back)
{
    struct reported t;
    begin(&t, private_ensemble_hosts(sandbox));
    run_until(&t.connected);
    for (int i = 0; i < 3; i++) { /* the client must have seen a later zxid than an empty server has */
        t.answered = false;
        assert_true(session_create(t.session, "/wiped", "", 0, CREATE_PERSISTENT, NULL, on_text, &t));
        run_until(&t.answered);
        t.answered = false;
        assert_true(session_delete(t.session, "/wiped", -1, on_text, &t));
        run_until(&t.answered);
    }
    uint64_t id = session_id(t.session);
    t.connected = false;
    assert_true(private_ensemble_server_wipe(sandbox, 0));
    bool ready = false;
    assert_true(private_ensemble_server_start(sandbox, 0, on_ready, &ready));
    run_until(&ready);
    run_until(&t.expired);
    run_until(&t.connected);
    assert_true(t.renewed);
    assert_int_not_equal(session_id(t.session), id);
    session_close(t.session);
}

/* Credentials that the servers do not take are told once, before anything is asked, and not tried again. */
TEST(is_refused_for_good)
{
    static const struct session_listener listener = {.state = on_state, .notice = on_notice};
    struct session_options options = {.hosts = private_ensemble_hosts(sandbox),
                                      .timeout_ms = TIMEOUT_MS,
                                      .auth_scheme = "kerberos",
                                      .auth_credential = "bob"};
    struct reported t = {0};
    t.session = session_open(&loop, &options, &listener, &t);
    run_until(&t.refused);
    assert_false(t.connected);
    assert_string_equal(t.problem, "authentication failed (scheme kerberos)");
    t.disconnected = t.refused = false;
    for (uint64_t end = uv_hrtime() + 500000000u; uv_hrtime() < end;)
        uv_run(&loop, UV_RUN_NOWAIT);
    assert_false(t.connected || t.disconnected || t.refused);
    session_close(t.session);

    options.auth_scheme = "digest";
    options.auth_credential = "bob:secret";
    t = (struct reported){0};
    t.session = session_open(&loop, &options, &listener, &t);
    run_until(&t.connected);
    assert_true(t.renewed);
    session_close(t.session);
}

/* A dropped session's ephemeral znodes stay until its timeout; a closed one's go at once. */
TEST(drops_without_a_word)
{
    struct reported dropped, watching;
    begin(&dropped, private_ensemble_hosts(sandbox));
    begin(&watching, private_ensemble_hosts(sandbox));
    run_until(&dropped.connected);
    run_until(&watching.connected);
    assert_true(
        session_create(dropped.session, "/dropped", "", 0, CREATE_EPHEMERAL, NULL, on_text, &dropped));
    run_until(&dropped.answered);
    int timeout_ms = session_timeout_ms(dropped.session);
    session_drop(dropped.session);
    uint64_t begun = uv_hrtime();
    ask(&watching, "/dropped", true);
    assert_int_equal(watching.result, SESSION_OK);
    run_until(&watching.noticed);
    assert_int_equal(watching.notice, NOTICE_DELETED);
    /* It was last heard when it made its znode, a moment before. */
    assert_true((uv_hrtime() - begun) / 1000000 > (uint64_t)timeout_ms * 8 / 10);
    session_close(watching.session);
}

static int set_up(void **state)
{
    (void)state;
    struct private_ensemble_options options = {.servers = 1, .tick_ms = 500};
    char *error = NULL;
    bool ready = false;
    uv_loop_init(&loop);
    sandbox = private_ensemble_start(&loop, &options, on_ready, &ready, &error);
    if (!sandbox)
        fail_msg("%s", error);
    run_until(&ready);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    private_ensemble_stop(sandbox);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0); /* nothing is left on it */
    return 0;
}

ALL_BETWEEN(set_up, tear_down)

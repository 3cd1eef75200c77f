/* Reads that wait: for a server that refused them for a reason that says nothing of the znode, or for their turn. */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "probe/zookeeper/read_account.h"
#include "probe/zookeeper/session.h"
#include "tests/support/test.h"

#define THROTTLED (-127)
#define NO_NODE (-101)
#define PING (-2)

static uv_loop_t loop;

/* A server that begins a session with whoever comes, and refuses the first requests. */
struct refuser {
    uv_tcp_t listener, caller;
    char hosts[32], in[4096], out[4096];
    size_t have;
    bool greeted, called;
    int refusals;         /* still to come; < 0: no end of them */
    int error;            /* of these */
    int asked;            /* requests so far */
    uint64_t asked_ms[8]; /* loop time of each */
};

static int32_t number(const char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return (int32_t)ntohl(n);
}

static size_t put(char *to, int32_t n)
{
    uint32_t wire = htonl((uint32_t)n);
    memcpy(to, &wire, sizeof wire);
    return sizeof wire;
}

static void send_frame(struct refuser *f, size_t length)
{
    uv_buf_t buffer = uv_buf_init(f->out, (unsigned)(length + put(f->out, (int32_t)length)));
    assert_int_equal(uv_try_write((uv_stream_t *)&f->caller, &buffer, 1), buffer.len);
}

static void answer(struct refuser *f, int32_t xid)
{
    int error = NO_NODE;
    if (xid == PING) {
        error = 0;
    } else {
        if (f->asked < 8)
            f->asked_ms[f->asked] = uv_now(&loop);
        f->asked++;
        if (f->refusals != 0)
            error = f->error;
        f->refusals -= f->refusals > 0;
    }
    char *to = f->out + 4;
    to += put(to, xid);
    to += put(to, 0);
    to += put(to, 1); /* zxid */
    to += put(to, error);
    send_frame(f, (size_t)(to - f->out) - 4);
}

/* The session's beginning: protocol, timeout, id, password, not read-only. */
static void greet(struct refuser *f)
{
    char *to = f->out + 4;
    to += put(to, 0);
    to += put(to, 30000);
    to += put(to, 0);
    to += put(to, 7);
    to += put(to, 16);
    memset(to, 0, 17);
    send_frame(f, (size_t)(to + 17 - f->out) - 4);
    f->greeted = true;
}

static void on_room(uv_handle_t *handle, size_t wished, uv_buf_t *buffer)
{
    (void)wished;
    struct refuser *f = handle->data;
    *buffer = uv_buf_init(f->in + f->have, (unsigned)(sizeof f->in - f->have));
}

static void on_bytes(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    (void)buffer;
    struct refuser *f = stream->data;
    if (count <= 0)
        return;
    f->have += (size_t)count;
    while (f->have >= 4 && f->have >= 4 + (size_t)number(f->in)) {
        size_t length = 4 + (size_t)number(f->in);
        if (f->greeted)
            answer(f, number(f->in + 4));
        else
            greet(f);
        f->have -= length;
        memmove(f->in, f->in + length, f->have);
    }
}

static void on_caller(uv_stream_t *listener, int status)
{
    struct refuser *f = listener->data;
    assert_int_equal(status, 0);
    assert_false(f->called);
    f->called = true;
    assert_int_equal(uv_tcp_init(&loop, &f->caller), 0);
    f->caller.data = f;
    assert_int_equal(uv_accept(listener, (uv_stream_t *)&f->caller), 0);
    assert_int_equal(uv_read_start((uv_stream_t *)&f->caller, on_room, on_bytes), 0);
}

static void refuser_begin(struct refuser *f, int refusals, int error)
{
    struct sockaddr_in address;
    int length = sizeof address;
    *f = (struct refuser){.refusals = refusals, .error = error};
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
    assert_int_equal(uv_tcp_init(&loop, &f->listener), 0);
    f->listener.data = f;
    assert_int_equal(uv_tcp_bind(&f->listener, (const struct sockaddr *)&address, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&f->listener, 4, on_caller), 0);
    assert_int_equal(uv_tcp_getsockname(&f->listener, (struct sockaddr *)&address, &length), 0);
    snprintf(f->hosts, sizeof f->hosts, "127.0.0.1:%d", ntohs(address.sin_port));
}

static void refuser_end(struct refuser *f)
{
    if (f->called && !uv_is_closing((uv_handle_t *)&f->caller))
        uv_close((uv_handle_t *)&f->caller, NULL);
    uv_close((uv_handle_t *)&f->listener, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* What a session told of it. */
struct reported {
    bool connected;
    int answers;
    enum session_result result;
    int refused, over;
    char path[32], problem[200];
    bool list;
};

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    (void)renewed, (void)problem;
    ((struct reported *)context)->connected = state == CONNECTION_CONNECTED;
}

static void on_refused(void *context, const char *path, bool list, const char *problem)
{
    struct reported *t = context;
    t->refused += path != NULL;
    t->over += path == NULL;
    if (!path)
        return;
    t->list = list;
    snprintf(t->path, sizeof t->path, "%s", path);
    snprintf(t->problem, sizeof t->problem, "%s", problem);
}

static void on_node(void *context, const struct session_answer *answer)
{
    struct reported *t = context;
    t->answers++;
    t->result = answer->result;
}

static void on_children(void *context, const struct session_answer *answer)
{
    on_node(context, answer);
}

static struct session *begin(struct refuser *f, struct read_account *account, struct reported *t)
{
    static const struct session_listener listener = {.state = on_state, .refused = on_refused};
    struct session_options options = {.hosts = f->hosts, .timeout_ms = 30000, .account = account};
    *t = (struct reported){.result = SESSION_OK};
    struct session *session = session_open(&loop, &options, &listener, t);
    assert_non_null(session);
    while (!t->connected)
        uv_run(&loop, UV_RUN_ONCE);
    return session;
}

/* The answer comes once, and is the true one; each pause before it is longer than the one before; whoever
   opened the session knows that it waits, what for and why, and when that is over. */
TEST(asks_again_after_growing_pauses)
{
    struct refuser f;
    struct reported t;
    refuser_begin(&f, 3, THROTTLED);
    struct session *session = begin(&f, NULL, &t);
    assert_true(session_children(session, "/election", true, on_children, &t));
    while (t.answers == 0)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(t.result, SESSION_NO_NODE);
    assert_int_equal(f.asked, 4);
    for (int i = 1; i < 4; i++)
        assert_true(f.asked_ms[i] - f.asked_ms[i - 1] >= (250u << i));
    assert_int_equal(t.refused, 1);
    assert_int_equal(t.over, 1);
    assert_string_equal(t.path, "/election");
    assert_true(t.list);
    assert_string_equal(t.problem, "the server is overloaded and drops requests; electop sends them again");
    session_drop(session);
    refuser_end(&f);
    assert_int_equal(t.answers, 1);
}

/* One refusal is over before anybody could read of it: it is not told. */
TEST(reports_nobody_of_a_single_one)
{
    struct refuser f;
    struct reported t;
    refuser_begin(&f, 100, -1); /* of a hundred reads each one, once */
    struct session *session = begin(&f, NULL, &t);
    for (int i = 0; i < 100; i++)
        assert_true(session_exists(session, "/a", false, on_node, &t));
    while (t.answers < 100)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(f.asked, 200);
    assert_int_equal(t.result, SESSION_NO_NODE);
    assert_int_equal(t.refused, 0);
    session_drop(session);
    refuser_end(&f);
}

/* What waits when the connection goes, or the session is closed, is answered as lost; once. */
TEST(loses_what_waits)
{
    for (int close = 0; close < 2; close++) {
        struct refuser f;
        struct reported t;
        refuser_begin(&f, -1, THROTTLED);
        struct session *session = begin(&f, NULL, &t);
        for (int i = 0; i < 3; i++)
            assert_true(session_get(session, "/a", true, on_node, &t));
        while (f.asked < 5) /* some wait for the third time */
            uv_run(&loop, UV_RUN_ONCE);
        assert_int_equal(t.answers, 0);
        if (close)
            session_drop(session);
        else
            uv_close((uv_handle_t *)&f.caller, NULL);
        while (t.answers < 3)
            uv_run(&loop, UV_RUN_ONCE);
        assert_int_equal(t.answers, 3);
        assert_int_equal(t.result, SESSION_LOST);
        assert_int_equal(t.over, 0); /* nothing was answered after all */
        if (!close)
            session_drop(session);
        refuser_end(&f);
        assert_int_equal(t.answers, 3);
    }
}

struct answered {
    char **next;
    char name;
};

static void note_order(void *context, const struct session_answer *answer)
{
    (void)answer;
    struct answered *one = context;
    *(*one->next)++ = one->name;
}

/* Of the reads that wait for their turn those that decide have every second one; a lost connection ends all. */
TEST(reads_what_decides_first)
{
    for (int lost = 0; lost < 2; lost++) {
        struct refuser f;
        struct reported t;
        char order[8] = "", *next = order;
        struct answered a = {&next, 'a'}, b = {&next, 'b'}, c = {&next, 'c'}, d = {&next, 'd'},
                        e = {&next, 'e'};
        struct read_account *account = read_account_new(&loop, NULL, NULL);
        refuser_begin(&f, 0, NO_NODE);
        struct session *session = begin(&f, account, &t);
        assert_true(session_get_again(session, "/a", false, note_order, &a)); /* at once */
        assert_true(session_get_again(session, "/b", false, note_order, &b));
        assert_true(session_get_again(session, "/c", true, note_order, &c));
        assert_true(session_get_again(session, "/d", true, note_order, &d));
        assert_true(session_get_again(session, "/e", false, note_order, &e));
        assert_int_equal(read_account_figures(account).waiting, 4);
        while (next < order + (lost ? 1 : 5))
            uv_run(&loop, UV_RUN_ONCE);
        if (lost)
            uv_close((uv_handle_t *)&f.caller, NULL);
        while (next < order + 5)
            uv_run(&loop, UV_RUN_ONCE);
        assert_string_equal(order, lost ? "acdbe" : "acbde");
        assert_int_equal(read_account_figures(account).waiting, 0);
        session_drop(session);
        refuser_end(&f);
        read_account_free(account);
    }
}

static int set_up(void **state)
{
    (void)state;
    return uv_loop_init(&loop);
}

static int tear_down(void **state)
{
    (void)state;
    while (uv_run(&loop, UV_RUN_DEFAULT) != 0)
        ;
    return uv_loop_close(&loop);
}

ALL_BETWEEN(set_up, tear_down)

/* One GET, and every way in which it ends: each told by what it is. */

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/zookeeper/http.h"
#include "tests/support/test.h"

struct outcome {
    bool done, whole;
    char problem[200], body[200];
};

static bool on_body(void *context, const char *bytes, size_t length)
{
    struct outcome *o = context;
    strncat(o->body, bytes, length < sizeof o->body - strlen(o->body) - 1 ? length : 0);
    return true;
}

static void on_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    struct outcome *o = context;
    (void)took_us;
    o->done = true;
    o->whole = whole;
    snprintf(o->problem, sizeof o->problem, "%s", problem ? problem : "");
}

static struct outcome get(const char *host, int port, int64_t deadline_ms)
{
    static const struct http_reader reader = {.body = on_body, .done = on_done};
    struct outcome o = {.done = false};
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    struct http *http = http_new(&loop, NULL);
    assert_non_null(http);
    assert_non_null(http_get(http, host, port, "/commands/ruok", deadline_ms, (size_t)1 << 20, &reader, &o));
    while (!o.done)
        uv_run(&loop, UV_RUN_ONCE);
    http_free(http);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    return o;
}

/* A port of this machine's own, bound; listening where backlog >= 0. */
static int bound(int *port, int backlog)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    if (backlog >= 0)
        assert_int_equal(listen(fd, backlog), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* Bound, and nobody listens: refused, and only that is called so. */
TEST(refused)
{
    int port, fd = bound(&port, -1);
    struct outcome o = get("127.0.0.1", port, 2000);
    assert_string_equal(o.problem, "connection refused");
    assert_false(o.whole);
    close(fd);
}

/* No machine has the broadcast address of loopback; the system refuses it as it does without a route. */
TEST(unreachable)
{
    struct outcome o = get("127.255.255.255", 8080, 2000);
    assert_string_equal(o.problem, "network is unreachable");
}

/* RFC 2606: nobody ever has such a name, whatever the resolver is. */
TEST(no_such_host)
{
    struct outcome o = get("no-such-host.invalid", 8080, 20000);
    assert_string_equal(o.problem, "no such host");
}

/* It listens, and never accepts or answers. */
TEST(no_answer)
{
    int port, fd = bound(&port, 4);
    struct outcome o = get("127.0.0.1", port, 200);
    assert_string_equal(o.problem, "no answer within 0.2 s");
    close(fd);
}

/* Its queue of connections is full: it does not even come to a question. */
TEST(no_connection)
{
    int port, fd = bound(&port, 0), waiting[8];
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(waiting[i], (struct sockaddr *)&address, sizeof address);
    }
    struct outcome o = get("127.0.0.1", port, 300);
    assert_string_equal(o.problem, "no connection within 0.3 s");
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        close(waiting[i]);
    close(fd);
}

/* A server that sends the same line without end. */
static void endless(const char *head, const char *line, const char *problem)
{
    int port, fd = bound(&port, 4), status;
    pid_t server = fork();
    if (server == 0) {
        int caller = accept(fd, NULL, NULL);
        char lines[6008];
        size_t length = 0;
        while (length < 6000)
            length += (size_t)sprintf(lines + length, "%.8s", line);
        ssize_t sent = send(caller, head, strlen(head), MSG_NOSIGNAL);
        while (sent > 0)
            sent = send(caller, lines, length, MSG_NOSIGNAL);
        _exit(0);
    }
    struct outcome o = get("127.0.0.1", port, 60000);
    assert_string_equal(o.problem, problem);
    assert_false(o.whole);
    close(fd);
    assert_int_equal(waitpid(server, &status, 0), server); /* it was hung up on */
    assert_int_equal(status, 0);
}

/* What a server sends beside the body is bounded, too, and so is what it costs to read it. */
TEST(bounded)
{
#define CHUNKED "HTTP/1.1 500 Error\r\nTransfer-Encoding: chunked\r\n"
    endless(CHUNKED "\r\n2\r\n{}\r\n0\r\n", "X: y\r\n", "an answer with more than 64 KB of headers");
    endless(CHUNKED, "X: y\r\n", "an answer with more than 64 KB of headers");
    endless(CHUNKED "\r\n1;", "xxxxxxx", "an answer without end or content");
    endless(CHUNKED "\r\n", "1\r\nx\r\n", "an answer in more than 65,536 pieces");
}

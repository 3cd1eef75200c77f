/* Many descriptors behind one of the loop's: each is told when it is ready, and none once it was let go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/zookeeper/poller.h"

struct end {
    struct poller *poller;
    struct poller_seat seat, *drops;
    int here, there, told, events;
    bool frees;
};

static void on_ready(void *context, int uv_events)
{
    struct end *end = context;
    end->told++;
    end->events = uv_events;
    if (end->drops)
        poller_drop(end->poller, end->drops);
    if (end->frees) {
        poller_drop(end->poller, &end->seat);
        poller_free(end->poller);
    }
}

static void open_end(struct end *end, struct poller *poller)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    *end = (struct end){.poller = poller, .here = pair[0], .there = pair[1]};
    end->seat = (struct poller_seat){.ready = on_ready, .context = end};
    assert_true(poller_poll(poller, &end->seat, end->here, UV_READABLE));
}

static void close_end(struct end *end)
{
    close(end->here);
    close(end->there);
}

static void say(const struct end *end)
{
    assert_int_equal(write(end->there, "x", 1), 1);
}

static void finish(uv_loop_t *loop, struct poller *poller)
{
    poller_free(poller);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

/* Both are told in one turn, each again while it is ready; what is waited for can be changed. */
static void tells_each(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct poller *poller = poller_new(&loop);
    struct end one, other;
    open_end(&one, poller);
    open_end(&other, poller);
    say(&one);
    say(&other);
    uv_run(&loop, UV_RUN_ONCE);
    uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(one.told, 2);
    assert_int_equal(other.told, 2);
    assert_int_equal(one.events, UV_READABLE);
    assert_true(poller_poll(poller, &one.seat, one.here, UV_WRITABLE));
    uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(one.events, UV_WRITABLE);
    assert_true(poller_poll(poller, &one.seat, one.here, 0));
    int told = one.told;
    uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(one.told, told);
    poller_drop(poller, &other.seat);
    close_end(&one);
    close_end(&other);
    finish(&loop, poller);
}

/* Of two that are ready at once each lets go of the other: only the first is told. */
static void forgets_who_was_dropped_meanwhile(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct poller *poller = poller_new(&loop);
    struct end one, other;
    open_end(&one, poller);
    open_end(&other, poller);
    one.drops = &other.seat;
    other.drops = &one.seat;
    say(&one);
    say(&other);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(one.told + other.told, 1);
    poller_drop(poller, &one.seat);
    poller_drop(poller, &other.seat);
    close_end(&one);
    close_end(&other);
    finish(&loop, poller);
}

/* A descriptor that was closed behind its back, and opened again under the same number for the same seat. */
static void takes_a_number_again(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct poller *poller = poller_new(&loop);
    struct end one, other;
    open_end(&one, poller);
    open_end(&other, poller);
    assert_int_equal(dup2(other.here, one.here), one.here);
    assert_true(poller_poll(poller, &one.seat, one.here, UV_READABLE | UV_WRITABLE));
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(one.events, UV_WRITABLE);
    close(one.here);
    poller_drop(poller, &one.seat);
    poller_drop(poller, &other.seat);
    close(one.there);
    close_end(&other);
    finish(&loop, poller);
}

/* The other's end is something to read; and one may end the poller while it is told. */
static void ends_from_inside(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct poller *poller = poller_new(&loop);
    struct end one;
    open_end(&one, poller);
    one.frees = true;
    shutdown(one.there, SHUT_RDWR);
    uv_run(&loop, UV_RUN_DEFAULT); /* and with nothing polled the loop ends */
    assert_int_equal(one.told, 1);
    assert_true(one.events & UV_READABLE);
    close_end(&one);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* With nobody polled a poller does not keep its loop going. */
static void lets_the_loop_end(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct poller *poller = poller_new(&loop);
    struct end one;
    open_end(&one, poller);
    assert_true(uv_loop_alive(&loop));
    poller_drop(poller, &one.seat);
    assert_false(uv_loop_alive(&loop));
    close_end(&one);
    finish(&loop, poller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_each),           cmocka_unit_test(forgets_who_was_dropped_meanwhile),
        cmocka_unit_test(takes_a_number_again), cmocka_unit_test(ends_from_inside),
        cmocka_unit_test(lets_the_loop_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

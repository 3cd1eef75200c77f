/* Many descriptors behind one of the loop's: each is told when it is ready, and none once it was let go. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe/zookeeper/descriptor_poll.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

struct end {
    struct descriptor_poll *poller;
    struct descriptor_poll_seat seat, *drops;
    int here, there, reported, events;
    bool frees;
};

static void on_ready(void *context, int uv_events)
{
    struct end *end = context;
    end->reported++;
    end->events = uv_events;
    if (end->drops)
        descriptor_poll_drop(end->poller, end->drops);
    if (end->frees) {
        descriptor_poll_drop(end->poller, &end->seat);
        descriptor_poll_free(end->poller);
    }
}

static void open_end(struct end *end, struct descriptor_poll *poller)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    *end = (struct end){.poller = poller, .here = pair[0], .there = pair[1]};
    end->seat = (struct descriptor_poll_seat){.ready = on_ready, .context = end};
    assert_true(descriptor_poll_poll(poller, &end->seat, end->here, UV_READABLE));
}

static void close_end(struct end *end)
{
    close(end->here);
    close(end->there);
}

/* A poller of a loop, with two ends on it. */
struct pair {
    uv_loop_t loop;
    struct descriptor_poll *poller;
    struct end one, other;
};

static void begin(struct pair *pair)
{
    assert_int_equal(uv_loop_init(&pair->loop), 0);
    pair->poller = descriptor_poll_new(&pair->loop);
    open_end(&pair->one, pair->poller);
    open_end(&pair->other, pair->poller);
}

static void say(const struct end *end)
{
    assert_int_equal(write(end->there, "x", 1), 1);
}

/* Nothing of it keeps the loop going. */
static void finish(struct pair *pair)
{
    descriptor_poll_drop(pair->poller, &pair->one.seat);
    descriptor_poll_drop(pair->poller, &pair->other.seat);
    close_end(&pair->one);
    close_end(&pair->other);
    descriptor_poll_free(pair->poller);
    uv_run(&pair->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&pair->loop), 0);
}

/* Both are told in one turn, each again while it is ready; what is waited for can be changed. */
TEST(reports_each)
{
    struct pair p;
    begin(&p);
    say(&p.one);
    say(&p.other);
    uv_run(&p.loop, UV_RUN_ONCE);
    uv_run(&p.loop, UV_RUN_ONCE);
    assert_int_equal(p.one.reported, 2);
    assert_int_equal(p.other.reported, 2);
    assert_int_equal(p.one.events, UV_READABLE);
    assert_true(descriptor_poll_poll(p.poller, &p.one.seat, p.one.here, UV_WRITABLE));
    uv_run(&p.loop, UV_RUN_ONCE);
    assert_int_equal(p.one.events, UV_WRITABLE);
    assert_true(descriptor_poll_poll(p.poller, &p.one.seat, p.one.here, 0));
    int reported = p.one.reported;
    uv_run(&p.loop, UV_RUN_ONCE);
    assert_int_equal(p.one.reported, reported);
    finish(&p);
}

/* Of two that are ready at once each lets go of the other: only the first is told. */
TEST(forgets_who_was_dropped_meanwhile)
{
    struct pair p;
    begin(&p);
    p.one.drops = &p.other.seat;
    p.other.drops = &p.one.seat;
    say(&p.one);
    say(&p.other);
    uv_run(&p.loop, UV_RUN_NOWAIT);
    assert_int_equal(p.one.reported + p.other.reported, 1);
    finish(&p);
}

/* A descriptor that was closed behind its back, and opened again under the same number for the same seat. */
TEST(takes_a_number_again)
{
    struct pair p;
    begin(&p);
    assert_int_equal(dup2(p.other.here, p.one.here), p.one.here);
    assert_true(descriptor_poll_poll(p.poller, &p.one.seat, p.one.here, UV_READABLE | UV_WRITABLE));
    uv_run(&p.loop, UV_RUN_NOWAIT);
    assert_int_equal(p.one.events, UV_WRITABLE);
    close(p.one.here); /* it may be, before it is let go */
    p.one.here = -1;
    finish(&p);
}

/* The other's end is something to read; and one may end the poller while it is told. */
TEST(ends_from_inside)
{
    struct pair p;
    begin(&p);
    descriptor_poll_drop(p.poller, &p.other.seat);
    p.one.frees = true;
    shutdown(p.one.there, SHUT_RDWR);
    uv_run(&p.loop, UV_RUN_DEFAULT); /* and with nothing polled the loop ends */
    assert_int_equal(p.one.reported, 1);
    assert_true(p.one.events & UV_READABLE);
    close_end(&p.one);
    close_end(&p.other);
    assert_int_equal(uv_loop_close(&p.loop), 0);
}

/* With nobody polled a poller does not keep its loop going. */
TEST(lets_the_loop_end)
{
    struct pair p;
    begin(&p);
    descriptor_poll_drop(p.poller, &p.other.seat);
    assert_true(uv_loop_alive(&p.loop));
    descriptor_poll_drop(p.poller, &p.one.seat);
    assert_false(uv_loop_alive(&p.loop));
    finish(&p);
}

/* ---- whatever is done in whatever order ---- */

#define MANY 12
#define TURNS 20000

struct crowd {
    struct descriptor_poll *poller;
    struct end *ends[MANY]; /* each a block of its own, gone as soon as it is let go of */
    uint64_t dice;
    bool calm; /* who is told does nothing */
};
static struct crowd crowd;

static short readiness(const struct end *end)
{
    struct pollfd fd = {.fd = end->here, .events = POLLIN | POLLOUT};
    assert_true(poll(&fd, 1, 0) >= 0);
    return fd.revents;
}

static void act(void);

/* Told: it is polled for this, and it is so, now and not only when the turn began. */
static void on_one_ready(void *context, int uv_events)
{
    struct end *end = context;
    assert_true(end->seat.events != 0);
    assert_int_equal(uv_events & ~end->seat.events, 0);
    short ready = crowd.calm ? readiness(end) : 0;
    end->reported |= uv_events;
    if (crowd.calm && uv_events & UV_READABLE)
        assert_true(ready & POLLIN);
    for (uint64_t acts = crowd.calm ? 0 : dice_draw(&crowd.dice, 4); acts > 0; acts--)
        act();
}

static void one_opens(struct end *end)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    end->here = pair[0];
    end->there = pair[1];
}

static void one_polls(struct end *end)
{
    int events = (int)dice_draw(&crowd.dice, 4); /* of UV_READABLE and UV_WRITABLE */
    assert_true(descriptor_poll_poll(crowd.poller, &end->seat, end->here, events));
    assert_int_equal(end->seat.events, events);
}

static void one_begins(size_t i)
{
    struct end *end = crowd.ends[i] = calloc(1, sizeof *end);
    assert_non_null(end);
    end->seat = (struct descriptor_poll_seat){.ready = on_one_ready, .context = end};
    one_opens(end);
    one_polls(end);
}

/* As the client library has it, which closes first; or in order. */
static void one_lets_go(struct end *end, bool closed_first)
{
    if (closed_first)
        close_end(end);
    descriptor_poll_drop(crowd.poller, &end->seat);
    if (!closed_first)
        close_end(end);
}

static void act(void)
{
    size_t i = (size_t)dice_draw(&crowd.dice, MANY);
    struct end *end = crowd.ends[i];
    char waste[64];
    if (!end) {
        one_begins(i);
        return;
    }
    bool closed_first = dice_draw(&crowd.dice, 2);
    switch (dice_draw(&crowd.dice, 6)) {
    case 0:
    case 1:
        say(end);
        break;
    case 2:
        one_polls(end);
        break;
    case 3:
        while (read(end->here, waste, sizeof waste) > 0)
            ;
        break;
    case 4: /* another connection, likely under the same number */
        one_lets_go(end, closed_first);
        one_opens(end);
        one_polls(end);
        break;
    default:
        one_lets_go(end, closed_first);
        free(end);
        crowd.ends[i] = NULL;
        break;
    }
}

/* Ends that come, go, change their minds and their descriptors, also while others are told: nobody is told
 * that is not polled, and everybody is told that is ready. */
TEST(keeps_account_of_all)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    crowd = (struct crowd){.poller = descriptor_poll_new(&loop), .dice = 4711};
    assert_non_null(crowd.poller);
    for (int turn = 0; turn < TURNS; turn++) {
        act();
        uv_run(&loop, UV_RUN_NOWAIT);
        if (turn % 8)
            continue;
        crowd.calm = true;
        for (size_t i = 0; i < MANY; i++)
            if (crowd.ends[i])
                crowd.ends[i]->reported = 0;
        uv_run(&loop, UV_RUN_NOWAIT);
        for (size_t i = 0; i < MANY; i++) {
            const struct end *end = crowd.ends[i];
            short ready = end ? readiness(end) : 0;
            int due = (ready & POLLIN ? UV_READABLE : 0) | (ready & POLLOUT ? UV_WRITABLE : 0);
            assert_int_equal(end ? end->reported : 0, end ? due & end->seat.events : 0);
        }
        crowd.calm = false;
    }
    for (size_t i = 0; i < MANY; i++) {
        if (crowd.ends[i])
            one_lets_go(crowd.ends[i], i % 2);
        free(crowd.ends[i]);
    }
    assert_false(uv_loop_alive(&loop));
    descriptor_poll_free(crowd.poller);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

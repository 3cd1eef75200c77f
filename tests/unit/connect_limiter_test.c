/* limiter: what all sessions may do in one turn of the loop, that it holds no loop alive, and who waits at an
 * end. */

#include "probe/zookeeper/connect_limiter.h"
#include "tests/support/test.h"

static void on_timer(uv_timer_t *timer)
{
    (void)timer;
}

TEST(a_turn_is_shared)
{
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    struct connect_limiter *limiter = connect_limiter_new(&loop);
    assert_non_null(limiter);
    assert_false(connect_limiter_is_spent(limiter));
    for (int i = 0; i < 1000; i++)
        connect_limiter_spend(limiter, 90000);
    assert_false(connect_limiter_is_spent(limiter));
    for (int i = 0; i < 1000; i++)
        connect_limiter_spend(limiter, 90000);
    assert_true(connect_limiter_is_spent(limiter));
    uv_timer_t timer;
    uv_timer_init(&loop, &timer);
    uv_timer_start(&timer, on_timer, 1, 0);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0); /* the next turn; then there is nothing to wait for */
    assert_false(connect_limiter_is_spent(limiter));
    uv_close((uv_handle_t *)&timer, NULL);
    connect_limiter_free(limiter);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

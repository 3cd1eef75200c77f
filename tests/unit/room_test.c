/* room: an array grows with what is put into it, keeps that, and stays as it was where it cannot grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "config/room.h"

/* Every element is where it was put, and the array does not grow for each of them. */
static void grows_and_keeps(void **state)
{
    (void)state;
    int64_t *numbers = NULL;
    size_t count = 0, room = 0, grown = 0;
    for (int64_t i = 0; i < 10000; i++) {
        size_t before = room;
        assert_true(room_for_one(&numbers, count, &room, sizeof *numbers));
        assert_true(room > count);
        grown += room != before;
        numbers[count++] = i * i;
    }
    for (int64_t i = 0; i < 10000; i++)
        assert_int_equal(numbers[i], i * i);
    assert_in_range(grown, 1, 20);
    free(numbers);
}

/* A size that cannot even be told is refused, and what there was stays. */
static void refuses_what_cannot_be(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t room = 0;
    assert_false(room_for_one(&bytes, 0, &room, SIZE_MAX / 4));
    assert_int_equal(room, 0);
    room = SIZE_MAX / 2 + 1;
    assert_false(room_for_one(&bytes, room, &room, 1));
    assert_true(room == SIZE_MAX / 2 + 1);
    assert_null(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_keeps),
        cmocka_unit_test(refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Proves that the model stays consistent with itself whatever it is told. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/dice.h"
#include "tests/support/model_monkey.h"

static void any_observations(void **state)
{
    (void)state;
    static uint8_t bytes[60000];
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 6; round++) { /* the fuzzer goes on from there */
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)dice_draw(&random, 256);
        model_monkey_run(bytes, sizeof bytes);
    }
}

/* Where a model that looks only where something changed found something else than one that looks everywhere. */
static void found_by_fuzzing(void **state)
{
    (void)state;
    static const uint8_t a_lock_becomes_a_directory[] = {
        0xf8, 0xaf, 0xff, 0x7c, 0x84, 0x7c, 0x84, 0x5b, 0x40, 0xf5, 0x07, 0x50, 0x3a, 0x20, 0x22, 0x21, 0x00,
        0x73, 0x00, 0x00, 0x00, 0x77, 0x5f, 0x6d, 0x73, 0x00, 0x00, 0x00, 0x65, 0x72, 0x5f, 0x6d, 0x73};
    static const uint8_t an_absent_session_joins_elsewhere[] = {
        0x1f, 0xa3, 0xfa, 0x02, 0x00, 0x00, 0xb5, 0x01, 0x7c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f, 0x26, 0xa3, 0x7c, 0x00, 0x00,
        0x00, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x26, 0xa3, 0x7c, 0x7c};
    model_monkey_run(a_lock_becomes_a_directory, sizeof a_lock_becomes_a_directory);
    model_monkey_run(an_absent_session_joins_elsewhere, sizeof an_absent_session_joins_elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_by_fuzzing),
                                       cmocka_unit_test(any_observations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

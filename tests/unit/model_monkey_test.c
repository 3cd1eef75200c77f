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
    for (int round = 0; round < 30; round++) { /* the fuzzer goes on from there */
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)dice_draw(&random, 256);
        model_monkey_run(bytes, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_observations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The addresses of a list of servers, in an order that spreads many sessions over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/zookeeper/resolver.h"

#define SERVERS 5

/* Each comes first now and then, and none is lost: of 500 tries a fifth, give or take what chance may. */
static void spreads_over_all(void **state)
{
    (void)state;
    unsigned first[SERVERS] = {0};
    for (int tries = 0; tries < 500; tries++) {
        struct address all[SERVERS];
        unsigned seen = 0;
        for (size_t i = 0; i < SERVERS; i++) {
            all[i].server = i;
            snprintf(all[i].text, sizeof all[i].text, "10.0.0.%zu:2181", i);
        }
        address_shuffle(all, SERVERS);
        for (size_t i = 0; i < SERVERS; i++) {
            char text[ADDRESS_SIZE];
            snprintf(text, sizeof text, "10.0.0.%zu:2181", all[i].server);
            assert_string_equal(all[i].text, text);
            seen |= 1u << all[i].server;
        }
        assert_int_equal(seen, (1u << SERVERS) - 1);
        first[all[0].server]++;
    }
    for (size_t i = 0; i < SERVERS; i++)
        assert_in_range(first[i], 30, 250);
    address_shuffle(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spreads_over_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test.h - a program of tests: TEST(what_holds) { ... } is one of them, and they run in the order of their lines.
 *
 * For the program's one source: it brings cmocka, and main.
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#define TEST(name) TEST_BETWEEN(name, NULL, NULL)

/* begin and end are cmocka's set-up and tear-down: of this test, or of the whole program. */
#define TEST_BETWEEN(name, begin, end)                                                                       \
    static void name(void **state);                                                                          \
    __attribute__((constructor)) static void name##_is_a_test(void)                                          \
    {                                                                                                        \
        test_add((struct CMUnitTest){#name, name, begin, end, NULL});                                        \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **state)
#define ALL_BETWEEN(begin, end)                                                                              \
    __attribute__((constructor)) static void all_between(void)                                               \
    {                                                                                                        \
        tests.before = begin;                                                                                \
        tests.after = end;                                                                                   \
    }

static struct {
    struct CMUnitTest all[128];
    size_t count;
    CMFixtureFunction before, after;
} tests;

static void test_add(struct CMUnitTest test)
{
    if (tests.count == sizeof tests.all / sizeof *tests.all)
        abort();
    tests.all[tests.count++] = test;
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    return _cmocka_run_group_tests("tests", tests.all, tests.count, tests.before, tests.after);
}

#endif

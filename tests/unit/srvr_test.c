/* What servers answer to "srvr": real answers of every mode, refusals, and things that are no answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "probe/source/servers.h"

#define ANSWER(mode)                                                                                         \
    "Zookeeper version: 3.8.0-${mvngit.commit.id}, built on 2024-02-24 09:42 UTC\n"                          \
    "Latency min/avg/max: 0/0.5/12\nReceived: 114\nSent: 113\nConnections: 7\nOutstanding: 0\n"              \
    "Zxid: 0x10000001f\nMode: " mode "\nNode count: 18\n"

static void reads_real_answers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum server_mode mode;
    } cases[] = {
        {ANSWER("standalone"), SERVER_STANDALONE}, {ANSWER("leader"), SERVER_LEADER},
        {ANSWER("follower"), SERVER_FOLLOWER},     {ANSWER("observer"), SERVER_OBSERVER},
        {ANSWER("read-only"), SERVER_READ_ONLY},   {ANSWER("something new"), SERVER_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct observed_server server = {.zxid = -1, .connections = -1};
        char version[64];
        const char *problem = NULL;
        assert_true(srvr_parse(cases[i].text, &server, version, sizeof version, &problem));
        assert_null(problem);
        assert_int_equal(server.mode, cases[i].mode);
        assert_int_equal(server.connections, 7);
        assert_int_equal(server.zxid, 0x10000001f);
        assert_string_equal(server.version, "3.8.0");
    }
}

/* Whatever else comes back is a problem in words, never a made-up figure. */
static void refuses_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"This ZooKeeper instance is not currently serving requests\n", "no quorum"},
        {"srvr is not executed because it is not in the whitelist.\n", "4lw.commands.whitelist"},
        {"", "not a ZooKeeper answer"},
        {"HTTP/1.1 400 Bad Request\r\n\r\n<html>", "not a ZooKeeper answer"},
        {"Zookeeper version: ", "not a ZooKeeper answer"},
        {"Mode: leader", "not a ZooKeeper answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct observed_server server = {.zxid = -1, .connections = -1};
        char version[64];
        const char *problem = NULL;
        assert_false(srvr_parse(cases[i].text, &server, version, sizeof version, &problem));
        assert_non_null(strstr(problem, cases[i].says));
        assert_int_equal(server.zxid, -1);
        assert_int_equal(server.connections, -1);
    }
}

/* Numbers that do not fit are unknown. */
static void bounds_numbers(void **state)
{
    (void)state;
    struct observed_server server = {.zxid = -1, .connections = -1};
    char version[8];
    const char *problem = NULL;
    assert_true(srvr_parse("Zookeeper version: 3.8.0.much.longer.than.room, x\nConnections: 99999999999\n"
                           "Zxid: 0xfffffffffffffffff\nMode: leader\n",
                           &server, version, sizeof version, &problem));
    assert_int_equal(server.connections, -1);
    assert_int_equal(server.zxid, -1);
    assert_string_equal(server.version, "3.8.0.m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_real_answers),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(bounds_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

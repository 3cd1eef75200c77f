/* Who belongs to an ensemble, in every form that /zookeeper/config has been seen in. */

#include <stdio.h>
#include <string.h>

#include "probe/zookeeper/ensemble.h"
#include "tests/support/test.h"

TEST(reads_members)
{
    static const struct {
        const char *line, *host;
        int port;
    } cases[] = {
        {"server.1=zk1:2888:3888:participant;0.0.0.0:2181", "zk1", 2181},
        {"server.1=zk1:2888:3888:participant;2181", "zk1", 2181},
        {"server.1=zk1:2888:3888;10.0.0.7:2182", "10.0.0.7", 2182},
        {"server.200=zk1:2888:3888:participant", "zk1", 0},
        {"server.1=zk1:2888:3888:observer;[::]:2181", "zk1", 2181},
        {"server.1=[fd00::1]:2888:3888:participant;[fd00::2]:2181", "fd00::2", 2181},
        {"server.1=[fd00::1]:2888:3888:participant", "fd00::1", 0},
        {"server.1=zk1:2888:3888|zk1b:2888:3888;0.0.0.0:2181", "zk1", 2181},
        {"server.1=zk1:2888:3888:participant;0.0.0.0:99999", "zk1", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ensemble_member members[ENSEMBLE_MEMBERS];
        assert_int_equal(ensemble_parse(cases[i].line, strlen(cases[i].line), members), 1);
        assert_string_equal(members[0].host, cases[i].host);
        assert_int_equal(members[0].port, cases[i].port);
    }
}

TEST(reads_all_lines)
{
    static const char text[] = "server.1=a:1:2:participant;3\r\nserver.2=b:1:2\nother=x\nversion=100000000";
    struct ensemble_member members[ENSEMBLE_MEMBERS];
    assert_int_equal(ensemble_parse(text, sizeof text - 1, members), 2);
    assert_string_equal(members[0].id, "1");
    assert_int_equal(members[0].port, 3);
    assert_string_equal(members[1].host, "b");
    assert_int_equal(ensemble_parse("", 0, members), 0);
}

/* A line whose host could mean anything else in a URL, or is none, is a member all the same: one without a
   host, which is told, not left out. */
TEST(keeps_bad_hosts)
{
    static const char *const hosts[] = {"",         "zk1/x", "a@b",     "zk1?q", "zk1#f", "a b",
                                        "\x1b[31m", "a%2fb", "[::1@h]", "[]",    "..\\.", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char line[64];
        struct ensemble_member members[ENSEMBLE_MEMBERS];
        int length = snprintf(line, sizeof line, "server.7=%s:1:2;2181\n", hosts[i]);
        assert_int_equal(ensemble_parse(line, (size_t)length, members), 1);
        assert_string_equal(members[0].id, "7");
        assert_string_equal(members[0].host, "");
    }
    struct ensemble_member members[ENSEMBLE_MEMBERS];
    assert_int_equal(ensemble_parse("server.=c:1:2\nserver.3\nserver", 29, members), 2);
    assert_string_equal(members[0].id, "?");
    assert_string_equal(members[0].host, "c");
    assert_string_equal(members[1].id, "3");
    assert_string_equal(members[1].host, "");
}

/* More than we ask: the rest is counted, and nothing is written behind the end. */
TEST(bounds_members)
{
    char text[100 * 20] = "";
    for (int i = 0; i < 100; i++)
        strcat(text, "server.7=h:1:2;3\n");
    struct ensemble_member members[ENSEMBLE_MEMBERS];
    assert_int_equal(ensemble_parse(text, strlen(text), members), 100);
    assert_string_equal(members[ENSEMBLE_MEMBERS - 1].host, "h");
}

/* Proves that connect strings are taken apart rightly, and that bad ones say what is wrong and what to do. */
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "tests/support/test.h"

TEST(good_strings)
{
    static const struct {
        const char *text, *hosts, *chroot;
        size_t count;
    } good[] = {
        {"zk1", "zk1:2181", "", 1},
        {"zk1:2182", "zk1:2182", "", 1},
        {"zk1:2181,zk2,10.0.0.3:2183/a/b", "zk1:2181,zk2:2181,10.0.0.3:2183", "/a/b", 3},
        {"zk1:2181, zk2:2181", "zk1:2181,zk2:2181", "", 2},
        {"[::1]:2182/x", "[::1]:2182", "/x", 1},
        {"[fe80::1%eth0]", "[fe80::1%eth0]:2181", "", 1},
        {"my_host.example.org:1", "my_host.example.org:1", "", 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct connect_string string;
        char *error;
        assert_true(connect_string_parse(good[i].text, &string, &error));
        assert_string_equal(string.hosts, good[i].hosts);
        assert_string_equal(string.chroot, good[i].chroot);
        assert_int_equal(string.count, good[i].count);
        connect_string_free(&string);
    }
}

/* The host of an IPv6 server stands without brackets, for the resolver. */
TEST(brackets_are_taken_off)
{
    struct connect_string string;
    char *error;
    assert_true(connect_string_parse("[::1]:2182", &string, &error));
    assert_string_equal(string.servers[0].host, "::1");
    assert_int_equal(string.servers[0].port, 2182);
    connect_string_free(&string);
}

TEST(bad_strings)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "is empty; write host:port,host:port/chroot"},
        {"  ", "is empty; write host:port,host:port/chroot"},
        {"zk1:0", "\"zk1:0\" has no valid port; ports are 1 to 65535"},
        {"zk1:", "\"zk1:\" has no valid port; ports are 1 to 65535"},
        {"zk1:65536", "\"zk1:65536\" has no valid port; ports are 1 to 65535"},
        {"zk1:99999999999999", "\"zk1:99999999999999\" has no valid port; ports are 1 to 65535"},
        {"zk1:http", "\"zk1:http\" has no valid port; ports are 1 to 65535"},
        {":2181", "\":2181\" names no host; write it as host:port"},
        {"/election", "\"/election\" contains an empty server name; write host:port,host:port/chroot"},
        {"zk1,,zk2", "\"zk1,,zk2\" contains an empty server name; write host:port,host:port/chroot"},
        {"zk1,", "\"zk1,\" contains an empty server name; write host:port,host:port/chroot"},
        {"zk1/", "\"zk1/\" ends in a slash; leave it out, or name the chroot after it"},
        {"zk1/a/", "the chroot \"/a/\" ends in a slash; leave it out"},
        {"zk1/a//b", "the chroot \"/a//b\" contains two slashes in a row; write one"},
        {"zk://zk1:2181",
         "\"zk://zk1:2181\" is not a connect string; write host:port,host:port/chroot without a scheme"},
        {"::1", "\"::1\" has more than one colon; write IPv6 in brackets, as [::1]:2181"},
        {"[::1", "\"[::1\" has no closing bracket; write IPv6 as [::1]:2181"},
        {"[::1]2181", "\"[::1]2181\" has text after its bracket; write IPv6 as [::1]:2181"},
        {"[zk1]:2181", "\"[zk1]:2181\" has no IPv6 address in its brackets; write it as [::1]:2181"},
        {"zk 1:2181", "\"zk 1:2181\" is not a host and port; write it as host:port"},
        {"a\x1b[31m:1", "\"a\\x1b[31m:1\" is not a host and port; write it as host:port"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct connect_string string;
        char *error = NULL;
        assert_false(connect_string_parse(bad[i].text, &string, &error));
        assert_non_null(error);
        assert_string_equal(error, bad[i].error);
        free(error);
    }
}

/* The number of servers and the length of a host are bounded. */
TEST(strings_are_bounded)
{
    char text[8 * CONNECT_STRING_SERVERS + 16] = "";
    struct connect_string string;
    char *error = NULL;
    for (int i = 0; i < CONNECT_STRING_SERVERS; i++)
        strcat(text, i ? ",z" : "z");
    assert_true(connect_string_parse(text, &string, &error));
    connect_string_free(&string);
    strcat(text, ",z");
    assert_false(connect_string_parse(text, &string, &error));
    assert_string_equal(error, "names more than 64 servers; name fewer: electop finds the others");
    free(error);

    char host[300];
    memset(host, 'h', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    assert_false(connect_string_parse(host, &string, &error));
    assert_non_null(strstr(error, "is too long for a host name"));
    free(error);
}

/* Lists of servers need every port said. */
TEST(host_lists)
{
    char *error = NULL;
    char **list = host_list_parse("a:8080, [::1]:81", &error);
    assert_non_null(list);
    assert_string_equal(list[0], "a:8080");
    assert_string_equal(list[1], "[::1]:81");
    assert_null(list[2]);
    host_list_free(list);
    assert_null(host_list_parse("a:8080,b", &error));
    assert_string_equal(error, "\"b\" has no port; write it as host:port");
    free(error);
    assert_null(host_list_parse("", &error));
    free(error);
}

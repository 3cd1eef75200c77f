/* Proves what people are shown of the bytes that candidates carry. */
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"
#include "probe/election/identity.h"
#include "tests/support/test.h"

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *data;
    size_t length;
    const char *identity; /* NULL: nothing readable */
} cases[] = {
    {BYTES(""), NULL},
    {BYTES("host-1"), "host-1"},
    {BYTES("10.0.3.17:9092"), "10.0.3.17:9092"},
    {BYTES("  host-1\n"), "host-1"},
    {BYTES("host-1\0"), "host-1"},
    {BYTES("node one, rack 7"), "node one, rack 7"},
    {BYTES("r\xc3\xa9publique"), "r\xc3\xa9publique"},
    {BYTES("http://10.0.0.1:8080/search"), "10.0.0.1:8080"},
    {BYTES("spark://user:secret@host-7:7077"), "host-7:7077"},
    {BYTES("https://[::1]:8443/x?y"), "[::1]:8443"},
    {BYTES("://nothing"), "://nothing"},
    /* JSON of known systems. */
    {BYTES("{\"version\":1,\"brokerid\":7,\"timestamp\":\"1\"}"), "broker 7"},
    {BYTES("{\"active\":true,\"address\":\"10.0.0.2:11111\",\"cid\":1}"), "10.0.0.2:11111"},
    {BYTES("{\"serviceUrl\":\"http://pulsar-1:8080\",\"leaderReady\":false}"), "pulsar-1:8080"},
    {BYTES("{\"address\":{\"hostname\":\"m1\",\"ip\":\"10.0.0.3\",\"port\":5050},\"id\":\"x\"}"), "m1:5050"},
    {BYTES("{\"id\":\"LEADER\",\"simpleFields\":{\"SESSION_ID\":\"1\",\"LEADER\":\"c1_2100\"}}"), "c1_2100"},
    {BYTES("{\"host\":\"h\",\"port\":\"99\"}"), "h:99"},
    {BYTES("{\"host\":\"h:1\",\"port\":99}"), "h:1"},
    {BYTES("{\"id\":12}"), "id 12"},
    {BYTES("{\"host\":\"\\u001b[31m\",\"id\":\"ok\"}"), "ok"},
    {BYTES("{\"weight\":3}"), NULL},
    {BYTES("[1,2,3]"), NULL},
    {BYTES("{\"host\":"), NULL},
    /* Protobufs: as text, and the strings in binary ones. */
    {BYTES("bookieId: \"10.0.0.1:3181\"\n"), "10.0.0.1:3181"},
    {BYTES("\n\x05hans1\x12\x03nn1\x1a\x0enn1.example.or \xd4>("), "nn1.example.or"},
    {BYTES("\x0a\x07yarn-rm\x12\x03rm1\x01"), "yarn-rm"},
    /* HDFS' name node, YARN's resource manager, and HBase's host, port and start code. */
    {BYTES("\n\x05hans1\x12\x03nn1\x1a\x0enn1.example.or \xd4>(\xd3>"), "nn1"},
    {BYTES("\x0a\x07yarn-rm\x12\x03rm1"), "rm1"},
    {BYTES("\xff\0\0\0\x06m:1234PBUF\x0a\x10\x0a\x05hm-01\x10\x80}\x18\x80\xc8\xaf\xf6\x05"),
     "hm-01,16000,1590420480"},
    {BYTES("\xff\0\0\0\x06m:1234PBUF\x0a\x7f\x0a\x05hm-01"), "hm-01"}, /* cut off */
    {BYTES("\xff\xff\xff\xff\xffm:1234PBUF"), NULL},
    {BYTES("{\"endpoints\":[\"SSL://kafka-1:9093\",\"SASL_SSL://kafka-1:9094\"],\"host\":null,\"port\":-1}"),
     "kafka-1:9093"},
    /* Flink. */
    {BYTES(
         "\xac\xed\0\x05w\x31\0\x2fpekko.tcp://flink@jm-1:6123/user/rpc/dispatcher_0sr\0\x0ejava.util.UUID"),
     "jm-1:6123"},
    {BYTES("\xac\xed\0\x05w\x31\0\x7fpekko.tcp://flink@jm-1:6123"), NULL}, /* cut off */
    /* Accumulo. */
    {BYTES("{\"descriptors\":[{\"service\":\"MANAGER\",\"address\":\"ac1:9999\"}]}"), "ac1:9999"},
    /* Nothing for people. */
    {BYTES("\x12\x34"), NULL},
    {BYTES("\x1b[2J"), NULL},
    {BYTES("\xff\xfe\xfd\xfc"), NULL},
    {BYTES("\xc3"), NULL},
    {BYTES("\xe2\x82"), NULL},
    {BYTES("\xc0\xaf\xc0\xaf"), NULL},
    {BYTES("\xed\xa0\x80"), NULL},
    {BYTES("---"), NULL},
    {BYTES("first line\nsecond\x01"), "first line"},
};

TEST(identities)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* An exact allocation, so that a sanitizer sees the first byte read too many. */
        char *data = malloc(cases[i].length + !cases[i].length);
        memcpy(data, cases[i].data, cases[i].length);
        char *identity = identity_from_data(data, cases[i].length);
        if (!!identity != !!cases[i].identity || (identity && strcmp(identity, cases[i].identity) != 0))
            fail_msg("case %zu (%s): %s", i, cases[i].data, identity ? identity : "nothing");
        free(identity);
        free(data);
    }
}

/* Long text is cut between characters, never within one, and two that differ behind the cut are not the same. */
TEST(long_text_is_cut)
{
    char data[1000];
    for (size_t i = 0; i + 1 < sizeof data; i += 2)
        memcpy(data + i, "\xc3\xa9", 2);
    char *identity = identity_from_data(data, sizeof data);
    assert_non_null(identity);
    assert_int_equal(strlen(identity), IDENTITY_MAX - 1);
    assert_int_equal(utf8_valid_length(identity, IDENTITY_MAX - 1), IDENTITY_MAX - 1);
    data[501] ^= 1;
    char *other = identity_from_data(data, sizeof data);
    assert_memory_equal(identity, other, 180);
    assert_string_not_equal(identity, other);
    free(other);
    free(identity);
    memmove(data + 1, data, 998);
    data[0] = 'a';
    identity = identity_from_data(data, 999);
    assert_non_null(identity);
    assert_int_equal(strlen(identity), IDENTITY_MAX);
    free(identity);
}

/* A member's role and state, in this order, and no more than it says. */
TEST(members_say_what_they_do)
{
    static const char *const said[][2] = {
        {"{\"state\":\"streaming\",\"role\":\"replica\",\"timeline\":3}", "replica, streaming"},
        {"{\"role\":\"primary\"}", "primary"},
        {"{\"state\":\"starting\",\"role\":7}", "starting"},
        {"{\"host\":\"a\"}", NULL},
        {"{\"role\":\"a\\u001b[2J\"}", NULL},
        {"{\"role\":\"repl", NULL},
        {"replica", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        char *about = identity_about_from_data(said[i][0], strlen(said[i][0]));
        if (!!about != !!said[i][1] || (about && strcmp(about, said[i][1]) != 0))
            fail_msg("%s: %s", said[i][0], about ? about : "nothing");
        free(about);
    }
}

/* Storm's NimbusInfo: its class, isLeader, port, tlsPort, host. */
TEST(an_object_of_java_names_its_host)
{
    static const char object[] =
        "\xac\xed\0\5sr\0\"org.apache.storm.nimbus.NimbusInfo\x1d\xff\0\1\2\3\4\5\2\0\4"
        "Z\0\10isLeaderI\0\4portI\0\7tlsPortL\0\4hostt\0\22Ljava/lang/String;xp"
        "\0\0\0\x19\xe3\0\0\0\0t\0\6nim-10";
    static const struct {
        const char *identity;
        bool named;
    } asked[] = {
        {"nim-10", true},        {"nim-10:6627", true}, {"nim-10:6627:0", true}, {"nim-10:6628", false},
        {"nim-1:6627:0", false}, {"im-10", false},      {":6627", false},        {"", false},
        {"nim-101:6627", false}};
    char *data = malloc(sizeof object - 1);
    memcpy(data, object, sizeof object - 1);
    assert_true(identity_is_java(data, sizeof object - 1));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (identity_in_java(data, sizeof object - 1, asked[i].identity) != asked[i].named)
            fail_msg("%s", asked[i].identity);
    data[0] = 'x';
    assert_false(identity_in_java(data, sizeof object - 1, "nim-10"));
    free(data);
    static const char text[] = "\xac\xed\0\5t\0\13nim-10:6627"; /* a String */
    assert_true(identity_in_java(text, sizeof text - 1, "nim-10:6627"));
    assert_false(identity_in_java(text, sizeof text - 1, "im-10:6627"));
    assert_false(identity_in_java(text, sizeof text - 1, "nim-10:662"));
    assert_false(identity_is_java("nim-10", 6));
}

/* What servers answer to four-letter words: real answers, refusals, cut ones,
   and things that are no answer. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/fourletter.h"
#include "tests/support/test.h"

#define DATA "tests/unit/data/servers/"

static char *read_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, DATA "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static const char *read_word(enum fourletter_word word, const char *file, struct server_answer *answer)
{
    char *text = read_file(file);
    server_answer_clear(answer);
    const char *problem = fourletter_word_read(word, text, answer);
    free(text);
    return problem;
}

static const struct seen_watches *watches_of(const struct server_answer *answer, uint64_t session)
{
    for (size_t i = 0; i < answer->watches.count; i++)
        if (answer->watches.list[i].session == session)
            return &answer->watches.list[i];
    return NULL;
}

/* Every field of a real connection list, without the connection that asked. */
TEST(reads_connections)
{
    struct server_answer answer;
    assert_null(read_word(FOURLETTER_WORD_CONS, "4lw.id200.leader.cons.txt", &answer));
    assert_int_equal(answer.connections.count, 2);
    assert_true(answer.connections.list[0].session == 0xc800000ba84f0001);
    const struct seen_connection *c = &answer.connections.list[1];
    assert_true(c->session == 0xc800000ba84f0000);
    assert_string_equal(c->client, "127.0.0.1:41526");
    assert_true(c->established_ms == 1795177255344);
    assert_int_equal(c->timeout_ms, 20000);
    assert_true(c->last_cxid == 5 && c->last_zxid == 0x10000000e);
    assert_true(c->last_response_ms == 765072);
    assert_int_equal(c->outstanding, 0);
    assert_string_equal(c->last_operation, "GETD");
    server_answer_free(&answer);
}

/* Where a list has as many as are counted, none is at a port that it does not show: both leave out who asks. */
TEST(lists_as_many_as_it_counts)
{
    static const struct {
        const char *server;
        int clients;
    } servers[] = {{"id1.follower", 2}, {"id200.leader", 2}, {"standalone", 5}};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        struct server_answer answer;
        char name[64];
        snprintf(name, sizeof name, "4lw.%s.srvr.txt", servers[i].server);
        assert_null(read_word(FOURLETTER_WORD_SRVR, name, &answer));
        assert_int_equal(answer.figures.connections, servers[i].clients);
        snprintf(name, sizeof name, "4lw.%s.mntr.txt", servers[i].server);
        assert_null(read_word(FOURLETTER_WORD_MNTR, name, &answer));
        assert_int_equal(answer.figures.connections, servers[i].clients);
        snprintf(name, sizeof name, "4lw.%s.cons.txt", servers[i].server);
        assert_null(read_word(FOURLETTER_WORD_CONS, name, &answer));
        assert_int_equal(answer.connections.count, servers[i].clients);
        server_answer_free(&answer);
    }
}

/* Watches by session, and a session whose watches have all fired: listed, with none. */
TEST(reads_watches)
{
    struct server_answer answer;
    assert_null(read_word(FOURLETTER_WORD_WCHC, "4lw.standalone.wchc.txt", &answer));
    assert_int_equal(answer.watches.count, 5);
    assert_int_equal(answer.watches.path_count, 7);
    const struct seen_watches *three = watches_of(&answer, 0x100000baada0002);
    assert_non_null(three);
    assert_int_equal(three->count, 3);
    assert_string_equal(three->paths[0], "/elect/app/n_0000000001");
    assert_string_equal(three->paths[2], "/elect/app");
    server_answer_free(&answer);

    server_answer_clear(&answer);
    assert_null(fourletter_word_read(FOURLETTER_WORD_WCHC, "0x1\n0xff\n\t/a\n\n", &answer));
    assert_int_equal(answer.watches.count, 2);
    assert_int_equal(watches_of(&answer, 1)->count, 0);
    assert_int_equal(watches_of(&answer, 0xff)->count, 1);
    server_answer_free(&answer);

    server_answer_clear(&answer);
    assert_null(fourletter_word_read(FOURLETTER_WORD_WCHC, "\n", &answer));
    assert_int_equal(answer.watches.count, 0);
    server_answer_free(&answer);
}

/* Sessions are ZooKeeper's leader's to tell; a follower's list says nothing of their ends. */
TEST(reads_sessions)
{
    struct server_answer answer;
    assert_null(read_word(FOURLETTER_WORD_DUMP, "4lw.id200.leader.dump.txt", &answer));
    assert_int_equal(answer.sessions.count, 6);
    assert_true(answer.sessions.list[0].id == 0xc800000ba84f0001 && answer.sessions.list[0].ends_ms == -1);
    server_answer_free(&answer);
    assert_non_null(strstr(read_word(FOURLETTER_WORD_DUMP, "4lw.id1.follower.dump.txt", &answer), "leader"));
}

/* As the documentation of ClickHouse Keeper prints its answers. */
TEST(reads_keeper)
{
    struct server_answer answer;
    server_answer_clear(&answer);
    assert_null(fourletter_word_read(FOURLETTER_WORD_SRVR,
                                     "ClickHouse Keeper version: v21.11.1.1-prestable-7a4a0b0edef0ad\n"
                                     "Latency min/avg/max: 0/0/0\nReceived: 2\nSent : 3\nConnections: 1\n"
                                     "Outstanding: 0\nZxid: 34\nMode: leader\nNode count: 4\n",
                                     &answer));
    assert_string_equal(answer.figures.version, "ClickHouse Keeper 21.11.1.1");
    assert_int_equal(answer.figures.mode, SERVER_LEADER);
    assert_true(answer.figures.zxid == 34 && answer.figures.sent == 3 && answer.figures.znodes == 4);
    static const char connections[] =
        " 192.168.1.1:52163(recved=0,sent=0,sid=0xffffffffffffffff,lop=NA,est=1636454787393,to=30000,"
        "lzxid=0xffffffffffffffff,lresp=0,llat=0,minlat=0,avglat=0,maxlat=0)\n"
        " 192.168.1.1:52042(recved=9,sent=18,sid=0x0000000000000001,lop=List,est=1636454739887,to=30000,"
        "lcxid=0x0000000000000005,lzxid=0x0000000000000005,lresp=1636454739892,llat=0,minlat=0,avglat=0,"
        "maxlat=0)\n";
    assert_null(fourletter_word_read(FOURLETTER_WORD_CONS, connections, &answer));
    assert_int_equal(answer.connections.count, 2);
    assert_true(answer.connections.list[0].session == 0 && answer.connections.list[1].session == 1);
    assert_string_equal(answer.connections.list[1].client, "192.168.1.1:52042");
    assert_int_equal(answer.connections.list[1].timeout_ms, 30000);
    server_answer_free(&answer);
    static const char *const indents[] = {"    ", "\t"};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "0x0000000000000001\n%s/clickhouse/task_queue/ddl\n", indents[i]);
        server_answer_clear(&answer);
        assert_null(fourletter_word_read(FOURLETTER_WORD_WCHC, text, &answer));
        assert_string_equal(watches_of(&answer, 1)->paths[0], "/clickhouse/task_queue/ddl");
        server_answer_free(&answer);
    }
    static const char sessions[] = "Sessions dump (2):\n0x0000000000000001\n0x0000000000000002\n"
                                   "Sessions with Ephemerals (1):\n0x0000000000000001\n /clickhouse/ddl\n";
    server_answer_clear(&answer);
    assert_null(fourletter_word_read(FOURLETTER_WORD_DUMP, sessions, &answer));
    assert_true(answer.sessions.count == 2 && answer.sessions.list[1].id == 2);
    server_answer_free(&answer);
    /* Cut anywhere before the count is reached, or within a line, it shows nothing. */
    for (size_t length = 1; length < sizeof sessions - 1; length++) {
        char *text = strndup(sessions, length);
        server_answer_clear(&answer);
        const char *problem = fourletter_word_read(FOURLETTER_WORD_DUMP, text, &answer);
        assert_true(problem || answer.sessions.count == 2);
        server_answer_free(&answer);
        free(text);
    }
    server_answer_clear(&answer);
    char *cut = strndup(connections, sizeof connections - 8);
    assert_non_null(fourletter_word_read(FOURLETTER_WORD_CONS, cut, &answer));
    free(cut);
}

TEST(reads_figures)
{
    struct server_answer answer;
    assert_null(read_word(FOURLETTER_WORD_SRVR, "4lw.id200.leader.srvr.txt", &answer));
    assert_int_equal(answer.figures.mode, SERVER_LEADER);
    assert_string_equal(answer.figures.version, "3.8.0");
    assert_true(answer.figures.zxid == 0x10000000e && answer.figures.connections == 2);
    assert_true(answer.figures.slowest_ms == 6 && answer.figures.received == 11 &&
                answer.figures.sent == 10 && answer.figures.outstanding == 0);
    assert_true(answer.figures.fastest_us == 1000 && answer.figures.average_us > 0 &&
                answer.figures.znodes > 0);
    assert_null(read_word(FOURLETTER_WORD_WCHS, "4lw.standalone.wchs.txt", &answer));
    assert_true(answer.figures.watching == 5 && answer.figures.watched_paths == 6 &&
                answer.figures.watches == 7);
    assert_null(read_word(FOURLETTER_WORD_MNTR, "4lw.standalone.mntr.txt", &answer));
    assert_true(answer.figures.all_watches == 9 && answer.figures.sessions == 5 &&
                answer.figures.ephemerals == 5);
    assert_true(answer.figures.slowest_ms == 9 && answer.figures.received == 41 &&
                answer.figures.sent == 40 && answer.figures.outstanding == 0);
    assert_true(answer.figures.average_us > 0 && answer.figures.uptime_ms > 0 && answer.figures.znodes > 0);
}

TEST(reads_modes)
{
    static const struct {
        const char *word;
        enum server_mode mode;
    } modes[] = {{"standalone", SERVER_STANDALONE}, {"leader", SERVER_LEADER},
                 {"follower", SERVER_FOLLOWER},     {"observer", SERVER_OBSERVER},
                 {"read-only", SERVER_READ_ONLY},   {"something new", SERVER_UNKNOWN}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "Zookeeper version: 3.8.0-x, built on\nZxid: 0x1f\nMode: %s\nNode count: 18\n",
                 modes[i].word);
        struct server_answer answer;
        server_answer_clear(&answer);
        assert_null(fourletter_word_read(FOURLETTER_WORD_SRVR, text, &answer));
        assert_int_equal(answer.figures.mode, modes[i].mode);
    }
}

/* Whatever else comes back is a problem in words, never a made-up figure or half a list. */
TEST(refuses_the_rest)
{
    static const struct {
        enum fourletter_word word;
        const char *text, *says;
    } cases[] = {
        {FOURLETTER_WORD_SRVR, "This ZooKeeper instance is not currently serving requests\n", "no quorum"},
        {FOURLETTER_WORD_CONS, "This ZooKeeper instance is not currently serving requests\n", "no quorum"},
        {FOURLETTER_WORD_SRVR, "srvr is not executed because it is not in the whitelist.\n",
         "4lw.commands.whitelist"},
        {FOURLETTER_WORD_WCHC, "wchc is not executed because it is not in the whitelist.\n",
         "4lw.commands.whitelist"},
        {FOURLETTER_WORD_SRVR, "", "too many connections"},
        {FOURLETTER_WORD_SRVR, "HTTP/1.1 400 Bad Request\r\n\r\n<html>", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_SRVR, "Zookeeper version: ", "cut off"},
        {FOURLETTER_WORD_SRVR, "Mode: leader", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_MNTR, "<html>", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_WCHS, "5 connections watching 6 pat", "cut off"},
        {FOURLETTER_WORD_WCHS, "many connections watching", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_CONS, " /127.0.0.1:1[1](queued=0,recved=3)\n /127.0.0.1:2[1](queued=0,re",
         "cut off"},
        {FOURLETTER_WORD_CONS, " /127.0.0.1:1[1](queued=0,recved=3)\n", "cut off"},
        {FOURLETTER_WORD_CONS, "<html>", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_WCHC, "0x1\n\t/a\n\t/b", "cut off"},
        {FOURLETTER_WORD_WCHC, "\t/a\n\n", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_WCHC, "0x12345678901234567\n\t/a\n\n", "not a ZooKeeper answer"},
        {FOURLETTER_WORD_DUMP, "SessionTracker dump:\nSession Sets (1)/(2):\n2 expire at x:\n\t0x1\n",
         "cut off"},
        {FOURLETTER_WORD_DUMP, "SessionTracker dump:\n\t0xzz\nephemeral nodes dump:\n",
         "not a ZooKeeper answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server_answer answer;
        server_answer_clear(&answer);
        const char *problem = fourletter_word_read(cases[i].word, cases[i].text, &answer);
        assert_non_null(problem);
        assert_non_null(strstr(problem, cases[i].says));
        assert_true(answer.figures.zxid == -1 && answer.figures.connections == -1);
        assert_int_equal(answer.connections.count + answer.watches.count + answer.sessions.count, 0);
    }
}

/* Numbers that do not fit are unknown. */
TEST(bounds_numbers)
{
    struct server_answer answer;
    server_answer_clear(&answer);
    assert_null(fourletter_word_read(
        FOURLETTER_WORD_SRVR,
        "Zookeeper version: 3.8.0.very.much.longer.than.there.is.room, x\nConnections: 99999999999999999999\n"
        "Zxid: 0xfffffffffffffffff\nMode: leader\n",
        &answer));
    assert_true(answer.figures.connections == -1 && answer.figures.zxid == -1);
    assert_int_equal(strlen(answer.figures.version), sizeof answer.figures.version - 1);
    assert_null(fourletter_word_read(
        FOURLETTER_WORD_CONS,
        " /127.0.0.1:1[1](queued=99999999999,sid=0xffffffffffffffff,to=-7,lcxid=x,lresp=)\n"
        " /127.0.0.1:2[1](queued=0,sid=0xfffffffffffffffff)\n\n",
        &answer));
    assert_int_equal(answer.connections.count, 1);
    const struct seen_connection *c = &answer.connections.list[0];
    assert_true(c->session == UINT64_MAX && c->timeout_ms == 0 && c->outstanding == -1 && c->last_cxid == -1);
    server_answer_free(&answer);
}

/* One address, one spelling: the join of what different answers say depends on it. */
TEST(spells_addresses)
{
    static const struct {
        const char *from, *to;
    } cases[] = {{"/10.0.0.1:5", "10.0.0.1:5"},
                 {"10.0.0.1:5", "10.0.0.1:5"},
                 {"host.example/10.0.0.1:5", "10.0.0.1:5"},
                 {"/0:0:0:0:0:0:0:1:41508", "[::1]:41508"},
                 {"/[0:0:0:0:0:0:0:1]:41508", "[::1]:41508"},
                 {"[fe80:0:0:0:0:0:0:1%eth0]:7", "[fe80::1]:7"},
                 {"not an address", "not an address"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[CLIENT_ADDRESS_SIZE];
        size_t length = client_address_parse(cases[i].from, strlen(cases[i].from), out);
        assert_string_equal(out, cases[i].to);
        assert_int_equal(length, strlen(out));
    }
}

/* Session ids are the same number in either spelling, and nothing that does not fit. */
TEST(joins_session_ids)
{
    uint64_t id, other;
    assert_true(session_id_parse("-4035225216055574528", 20, &id));
    assert_true(session_id_parse("0xc800000ba84f0000", 18, &other));
    assert_true(id == other);
    assert_true(session_id_parse("72057644148981760", 17, &id));
    assert_true(session_id_parse("0x100000baada0000", 17, &other));
    assert_true(id == other);
    static const char *const bad[] = {
        "", "0x", "-", "1e5", "12 ", "9223372036854775808", "0x10000000000000000", "+1", "0x-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(session_id_parse(bad[i], strlen(bad[i]), &id));
}

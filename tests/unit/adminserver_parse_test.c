/* AdminServer's answers: real ones, in pieces of any size, and everything else that may come instead. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/adminserver.h"
#include "tests/support/test.h"

#define DATA "tests/unit/data/servers/"

static char problem_kept[256];

static const char *read_text(enum admin_command command, const char *text, size_t length, size_t piece,
                             struct server_answer *answer)
{
    server_answer_clear(answer);
    struct adminserver_parse *reader = adminserver_parse_new(command, answer);
    assert_non_null(reader);
    const char *problem = NULL;
    for (size_t at = 0; at < length && !problem; at += piece)
        problem = adminserver_parse_feed(reader, text + at, length - at < piece ? length - at : piece);
    if (!problem)
        problem = adminserver_parse_end(reader);
    snprintf(problem_kept, sizeof problem_kept, "%s", problem ? problem : "");
    adminserver_parse_free(reader);
    if (problem)
        server_answer_free(answer);
    return problem ? problem_kept : NULL;
}

static const char *read_file(enum admin_command command, const char *name, size_t piece,
                             struct server_answer *answer)
{
    char path[200], *text = calloc(1, 65536);
    snprintf(path, sizeof path, DATA "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(text);
    size_t length = fread(text, 1, 65535, file);
    fclose(file);
    const char *problem = read_text(command, text, length, piece, answer);
    free(text);
    return problem;
}

static const size_t pieces[] = {1, 2, 3, 7, 64, 65536};

/* Connections of a server whose session ids are negative in JSON, whatever pieces they arrive in. */
TEST(reads_connections)
{
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct server_answer answer;
        assert_null(read_file(ADMIN_CONNECTIONS, "admin.id200.leader.connections.json", pieces[i], &answer));
        assert_int_equal(answer.connections.count, 2);
        const struct seen_connection *c = &answer.connections.list[1];
        assert_true(c->session == 0xc800000ba84f0000);
        assert_string_equal(c->client, "127.0.0.1:41526");
        assert_true(c->established_ms == 1795177255344 && c->last_response_ms == 765072);
        assert_true(c->last_cxid == 5 && c->last_zxid == 4294967310);
        assert_int_equal(c->timeout_ms, 20000);
        assert_int_equal(c->outstanding, 0);
        assert_string_equal(c->last_operation, "GETD");
        server_answer_free(&answer);
    }
}

TEST(reads_watches)
{
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct server_answer answer;
        assert_null(read_file(ADMIN_WATCHES, "admin.id200.leader.watches.json", pieces[i], &answer));
        assert_int_equal(answer.watches.count, 2);
        assert_true(answer.watches.list[0].session == 0xc800000ba84f0000);
        assert_int_equal(answer.watches.list[0].count, 3);
        assert_string_equal(answer.watches.list[0].paths[2], "/elect/app");
        assert_string_equal(answer.watches.list[1].paths[0], "/elect/app/n_0000000004");
        server_answer_free(&answer);
    }
}

/* Each watch with its kind, in no order: a standard one may be of data, of children, or both. */
TEST(reads_watch_details)
{
    static const char text[] =
        "{\"server_id\":1,\"returned_count\":4,\"truncated\":false,\"watches\":["
        "{\"path\":\"/e/n_2\",\"session_id\":\"0x1000a\",\"client_ip\":\"10.0.0.1\",\"client_port\":5,"
        "\"watch_kind\":[\"data\",\"children\"],\"watch_mode\":\"standard\",\"secure\":false},"
        "{\"path\":\"/e\",\"session_id\":\"0xc800000ba84f0000\",\"watch_kind\":[\"data\",\"children\"],"
        "\"watch_mode\":\"persistent_recursive\"},"
        "{\"path\":\"/"
        "e\",\"session_id\":\"0x1000a\",\"watch_kind\":[\"children\"],\"watch_mode\":\"standard\"},"
        "{\"path\":\"/f\",\"session_id\":\"0x1000a\",\"watch_kind\":[\"data\",\"children\"],"
        "\"watch_mode\":\"persistent\"}],\"command\":\"watch_details\",\"error\":null}";
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct server_answer answer;
        assert_null(read_text(ADMIN_WATCH_DETAILS, text, sizeof text - 1, pieces[i], &answer));
        assert_int_equal(answer.watches.count, 2);
        const struct seen_watches *a = &answer.watches.list[0], *b = &answer.watches.list[1];
        assert_true(a->session == 0x1000a && b->session == 0xc800000ba84f0000);
        assert_true(a->count == 4 && b->count == 1 && b->kinds[0] == WATCH_RECURSIVE);
        unsigned kinds = 0;
        for (size_t k = 0; k < a->count; k++)
            kinds |= (a->paths[k][1] == 'f' ? 16U : a->paths[k][2] ? 1U : 256U) << a->kinds[k];
        assert_int_equal(kinds, 1U << WATCH_DATA | 1U << WATCH_CHILDREN | 256U << WATCH_CHILDREN |
                                    16U << WATCH_PERSISTENT);
        server_answer_free(&answer);
    }
}

/* A session whose last watch has fired stays listed, with none: that is another fact than not listed. */
TEST(keeps_empty_lists)
{
    static const char text[] =
        "{\"session_id_to_watched_paths\":{\"7\":[],\"8\":[\"/a\\u00e9\\\"\\ud83d\\ude00\"]},"
        "\"command\":\"watches\",\"error\":null}";
    struct server_answer answer;
    assert_null(read_text(ADMIN_WATCHES, text, sizeof text - 1, 5, &answer));
    assert_int_equal(answer.watches.count, 2);
    assert_int_equal(answer.watches.list[0].count, 0);
    assert_string_equal(answer.watches.list[1].paths[0], "/a\xc3\xa9\"\xf0\x9f\x98\x80");
    server_answer_free(&answer);
}

/* The leader lists all sessions by their end; a follower none, which is an answer too. */
TEST(reads_sessions)
{
    struct server_answer answer;
    assert_null(read_file(ADMIN_DUMP, "admin.id200.leader.dump.json", 3, &answer));
    assert_int_equal(answer.sessions.count, 6);
    assert_true(answer.sessions.list[0].id == 0xc800000ba84f0000);
    assert_true(answer.sessions.list[0].ends_ms == 786000 && answer.sessions.list[5].ends_ms == 788000);
    server_answer_free(&answer);
    assert_null(read_file(ADMIN_DUMP, "admin.id1.follower.dump.json", 3, &answer));
    assert_int_equal(answer.sessions.count, 0);
    server_answer_free(&answer);
}

TEST(reads_figures)
{
    struct server_answer answer;
    assert_null(read_file(ADMIN_SERVER_STATS, "admin.id200.leader.server_stats.json", 9, &answer));
    assert_int_equal(answer.figures.mode, SERVER_LEADER);
    assert_string_equal(answer.figures.version, "3.8.0");
    assert_true(answer.figures.zxid == 0x10000000e);
    assert_true(answer.figures.slow_fsyncs == 0);
    assert_null(read_file(ADMIN_WATCH_SUMMARY, "admin.standalone.watch_summary.json", 9, &answer));
    assert_true(answer.figures.watching == 5 && answer.figures.watched_paths == 6 &&
                answer.figures.watches == 7);
    assert_null(read_file(ADMIN_CONFIGURATION, "admin.standalone.configuration.json", 9, &answer));
    assert_int_equal(answer.figures.client_port, 55479);
    assert_true(answer.figures.address_connections_most == 0);
    assert_null(read_file(ADMIN_MONITOR, "admin.standalone.monitor.json", 9, &answer));
    assert_true(answer.figures.all_watches == 9 && answer.figures.sessions == 5 &&
                answer.figures.ephemerals == 5);
    assert_true(answer.figures.slowest_ms == 9 && answer.figures.received == 33 &&
                answer.figures.sent == 33 && answer.figures.outstanding == 0);
    assert_true(answer.figures.fastest_us == 0 && answer.figures.average_us > 0 &&
                answer.figures.average_us < 9000 && answer.figures.uptime_ms > 0 &&
                answer.figures.znodes > 0);
}

/* Another version may say more, or less, or in another order: what is known is read, the rest passed over. */
TEST(passes_over_the_unknown)
{
    static const char text[] =
        "{\"error\":null,\"new\":{\"connections\":[{\"session_id\":1}],\"deep\":[[[{}]]]},\"secure_"
        "connections\":"
        "[{\"session_id\":2,\"tls\":{\"session_id\":3},\"names\":[\"session_id\",4],\"last_response_time\":1,"
        "\"remote_socket_address\":null}],\"connections\":[{\"remote_socket_address\":null,\"session_id\":0,"
        "\"last_response_time\":2}]}";
    struct server_answer answer;
    assert_null(read_text(ADMIN_CONNECTIONS, text, sizeof text - 1, 4, &answer));
    assert_int_equal(answer.connections.count, 2);
    assert_true(answer.connections.list[0].session == 2);
    assert_true(answer.connections.list[1].session == 0);
    assert_int_equal(answer.connections.list[1].outstanding, -1);
    assert_string_equal(answer.connections.list[1].client, "");
    server_answer_free(&answer);
}

/* Whatever is not that answer, whole and sound, is refused with a reason, and leaves nothing behind. */
TEST(refuses_the_rest)
{
    static const struct {
        enum admin_command command;
        const char *text, *says;
    } cases[] = {
        {ADMIN_WATCHES, "", "cut off"},
        {ADMIN_WATCHES, "<html><body>It works!</body></html>", "not JSON"},
        {ADMIN_WATCHES, "{\"error\":\"server is not initialized\",\"command\":\"watches\"}",
         "not initialized"},
        {ADMIN_WATCHES, "{}", "not an answer of AdminServer"},
        {ADMIN_WATCHES, "[]", "not an answer of AdminServer"},
        {ADMIN_WATCHES, "7", "not an answer of AdminServer"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":null}", "not an answer of AdminServer"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"/a\",\"/b", "cut off"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"/a\"]}", "cut off"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"one\":[\"/a\"]}}", "session id"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"99999999999999999999\":[]}}", "session id"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"/a\"]}} x", "not JSON"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"/a\\x\"]}}", "not JSON"},
        {ADMIN_WATCH_DETAILS, "{\"truncated\":true,\"watches\":[]}", "more watches than it lists"},
        {ADMIN_WATCH_DETAILS, "{\"watches\":[{\"path\":\"/a\",\"session_id\":\"0x1\"}]}", "an invalid watch"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":1e400}]}", "session id"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":99999999999999999999}]}", "session id"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":01}]}", "not JSON"},
        {ADMIN_CONNECTIONS, "{\"connections\":[,]}", "not JSON"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\" 1}]}", "not JSON"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{]}", "not JSON"},
        {ADMIN_CONNECTIONS, "{\"connections\":[}}", "not JSON"},
        {ADMIN_CONNECTIONS, "{'connections':[]}", "not JSON"},
        {ADMIN_DUMP, "{\"expiry_time_to_session_ids\":{\"1\":[1.5]}}", "session id"},
        {ADMIN_DUMP, "{\"expiry_time_to_session_ids\":{\"1\":[\"1\"]}}", "session id"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{}]}", "without a readable session id"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":\"1\"}]}", "without a readable session id"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":1}]}", "without a client's address"},
        {ADMIN_CONNECTIONS, "{\"connections\":[{\"session_id\":1,\"remote_socket_address\":\"a\"}]}",
         "last response"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":null}}", "without a list"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[7]}}", "watched path"},
        {ADMIN_CONNECTIONS, "{\"connections\":[7]}", "an invalid connection"},
        {ADMIN_CONNECTIONS, "{\"connections\":[[]]}", "an invalid connection"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"\"]}}", "watched path"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[\"a\"]}}", "watched path"},
        {ADMIN_DUMP, "{\"expiry_time_to_session_ids\":{\"1\":7}}", "not a list"},
        {ADMIN_CONFIGURATION, "{\"port\":1}", "not an answer of AdminServer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
            struct server_answer answer;
            const char *problem =
                read_text(cases[i].command, cases[i].text, strlen(cases[i].text), pieces[j], &answer);
            assert_non_null(problem);
            if (!strstr(problem, cases[i].says))
                fail_msg("%s: %s", cases[i].text, problem);
        }
}

/* Nested a thousand deep, or one endless string: refused without a stack or a memory of that size. */
TEST(bounds_depth_and_length)
{
    char deep[2000];
    memset(deep, '[', sizeof deep);
    struct server_answer answer;
    assert_non_null(strstr(read_text(ADMIN_WATCHES, deep, sizeof deep, 100, &answer), "too deeply"));

    struct adminserver_parse *reader = adminserver_parse_new(ADMIN_WATCHES, &answer);
    assert_non_null(reader);
    static const char begin[] = "{\"session_id_to_watched_paths\":{\"1\":[\"";
    const char *problem = adminserver_parse_feed(reader, begin, sizeof begin - 1);
    memset(deep, 'x', sizeof deep);
    size_t fed = 0;
    for (; !problem && fed < (size_t)100 << 20; fed += sizeof deep)
        problem = adminserver_parse_feed(reader, deep, sizeof deep);
    assert_non_null(problem);
    assert_non_null(strstr(problem, "endless"));
    assert_true(fed < (size_t)2 << 20);
    adminserver_parse_free(reader);
    server_answer_free(&answer);
}

/* Entries of a few bytes, over and over: refused long before they would fill the memory. */
TEST(bounds_entries)
{
    static const struct {
        enum admin_command command;
        const char *begin, *entry;
    } cases[] = {
        {ADMIN_CONNECTIONS, "{\"connections\":[{}", ",{}"},
        {ADMIN_CONNECTIONS, "{\"connections\":[",
         "{\"session_id\":1,\"remote_socket_address\":null,\"last_response_time\":1},"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{", "\"1\":[],"},
        {ADMIN_WATCHES, "{\"session_id_to_watched_paths\":{\"1\":[", "\"/\","},
        {ADMIN_DUMP, "{\"expiry_time_to_session_ids\":{\"1\":[", "1,"},
    };
    static const size_t answer_most = (size_t)64 << 20;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server_answer answer;
        server_answer_clear(&answer);
        struct adminserver_parse *reader = adminserver_parse_new(cases[i].command, &answer);
        assert_non_null(reader);
        char many[16384];
        size_t length = strlen(cases[i].entry), filled = 0, fed = 0;
        for (; filled + length <= sizeof many; filled += length)
            memcpy(many + filled, cases[i].entry, length);
        const char *problem = adminserver_parse_feed(reader, cases[i].begin, strlen(cases[i].begin));
        for (; !problem && fed < answer_most; fed += filled)
            problem = adminserver_parse_feed(reader, many, filled);
        assert_non_null(problem);
        size_t kept = answer.connections.room * sizeof *answer.connections.list +
                      answer.watches.room * sizeof *answer.watches.list +
                      answer.watches.path_room * sizeof *answer.watches.paths +
                      answer.sessions.room * sizeof *answer.sessions.list;
        assert_true(kept <= (size_t)64 << 20);
        adminserver_parse_free(reader);
        server_answer_free(&answer);
    }
}

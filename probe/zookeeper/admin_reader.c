#include "probe/zookeeper/admin_reader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/json_stream.h"

struct admin_reader {
    enum admin_command command;
    struct server_answer *answer;
    struct json_stream *json;
    bool found;                        /* the member that was asked for */
    const char *wrong;                 /* static text, or NULL */
    char said[160];                    /* the server's own words on why not; "": none */
    struct seen_connection connection; /* being read */
    unsigned has;                      /* of what every connection must tell */
};

const char *admin_command_word(enum admin_command command)
{
    static const char *const words[] = {"server_stats", "watch_summary", "monitor",      "connections",
                                        "watches",      "dump",          "configuration"};
    return words[command];
}

/*
 * What an answer may list, far above what any server holds: its size alone (64 MB) does not bound what it
 * would come to here, since an entry takes two bytes there and eight or more here.
 */
#define CONNECTIONS_MOST ((size_t)250000)
#define ENTRIES_MOST ((size_t)2000000)

/* Without these a connection cannot be told from others, or not whether it is alive. */
enum { HAS_ADDRESS = 1, HAS_SESSION = 2, HAS_RESPONSE = 4, HAS_ALL = 7 };

static bool is(const char *key, const char *word)
{
    return strcmp(key, word) == 0;
}

static int small(const struct json_value *value)
{
    int64_t number = figure_parse(value->text, value->length, -1);
    return number < 0 || number > INT_MAX ? -1 : (int)number;
}

static int64_t figure(const struct json_value *value)
{
    return figure_parse(value->text, value->length, -1);
}

static void wrong(struct admin_reader *r, const char *problem)
{
    if (!r->wrong)
        r->wrong = problem;
}

/* One more would be too many. */
static bool is_full(struct admin_reader *r, size_t count, size_t most)
{
    if (count >= most)
        wrong(r, "more entries than any server can hold");
    return count >= most;
}

static void connection_field(struct admin_reader *r, const struct json_value *value)
{
    struct seen_connection *c = &r->connection;
    struct texts *texts = &r->answer->connections.texts;
    const char *key = value->keys[2];
    if (is(key, "remote_socket_address"))
        r->has |= HAS_ADDRESS; /* null where the client is just going */
    if (value->kind == VALUE_TEXT && is(key, "remote_socket_address")) {
        char address[CLIENT_ADDRESS_SIZE];
        c->client = texts_keep(texts, address, client_address_parse(value->text, value->length, address));
        if (!c->client)
            wrong(r, "out of memory");
    } else if (value->kind == VALUE_TEXT && is(key, "last_operation")) {
        c->last_operation = texts_keep(texts, value->text, value->length < 16 ? value->length : 16);
    } else if (value->kind != VALUE_NUMBER) {
        return;
    } else if (is(key, "session_id")) {
        r->has |= HAS_SESSION;
        if (!session_id_parse(value->text, value->length, &c->session))
            wrong(r, "a session id that is none");
    } else if (is(key, "established")) {
        c->established_ms = figure(value);
    } else if (is(key, "last_response_time")) {
        r->has |= HAS_RESPONSE;
        c->last_response_ms = figure(value);
    } else if (is(key, "last_cxid")) {
        c->last_cxid = figure(value);
    } else if (is(key, "last_zxid")) {
        c->last_zxid = figure(value);
    } else if (is(key, "session_timeout")) {
        c->timeout_ms = small(value);
    } else if (is(key, "outstanding_requests")) {
        c->outstanding = small(value);
    }
}

static void connections(struct admin_reader *r, const struct json_value *value)
{
    if (value->depth == 0 ||
        (!is(value->keys[0], "connections") && !is(value->keys[0], "secure_connections")))
        return;
    if (value->kind == VALUE_LIST && value->depth == 1) {
        r->found = true;
    } else if (value->kind == VALUE_OBJECT && value->depth == 2) {
        r->has = 0;
        r->connection = (struct seen_connection){
            .client = "", .last_cxid = -1, .last_zxid = -1, .timeout_ms = 0, .outstanding = -1};
    } else if (value->kind == VALUE_OBJECT_END && value->depth == 2) {
        if (r->has != HAS_ALL)
            wrong(r, !(r->has & HAS_SESSION)   ? "a connection without a session id that can be read"
                     : !(r->has & HAS_ADDRESS) ? "a connection without a client's address"
                                               : "a connection without the time of its last response");
        if (r->connection.timeout_ms < 0)
            r->connection.timeout_ms = 0;
        struct connection_list *list = &r->answer->connections;
        if (!r->wrong && !is_full(r, list->count, CONNECTIONS_MOST) &&
            !connection_list_add(list, &r->connection))
            wrong(r, "out of memory");
    } else if (value->depth == 2) {
        wrong(r, "a connection that is none");
    } else if (value->depth == 3) {
        connection_field(r, value);
    }
}

static void watches(struct admin_reader *r, const struct json_value *value)
{
    struct watch_list *list = &r->answer->watches;
    uint64_t session;
    if (value->depth == 0 || !is(value->keys[0], "session_id_to_watched_paths"))
        return;
    if (value->kind == VALUE_OBJECT && value->depth == 1) {
        r->found = true;
    } else if (value->kind == VALUE_LIST && value->depth == 2) {
        if (!session_id_parse(value->keys[1], strlen(value->keys[1]), &session))
            wrong(r, "a session id that is none");
        else if (!is_full(r, list->count, ENTRIES_MOST) && !watch_list_add_session(list, session))
            wrong(r, "out of memory");
    } else if (value->depth == 2 && value->kind != VALUE_LIST_END) {
        wrong(r, "a session without a list of watched paths");
    } else if (value->depth == 3 && (value->kind != VALUE_TEXT || value->text[0] != '/')) {
        wrong(r, "a watched path that is none");
    } else if (value->depth == 3) {
        if (!is_full(r, list->path_count, ENTRIES_MOST) &&
            !watch_list_add_path(list, value->text, value->length))
            wrong(r, "out of memory");
    }
}

static void sessions(struct admin_reader *r, const struct json_value *value)
{
    struct seen_session seen;
    if (value->depth == 0 || !is(value->keys[0], "expiry_time_to_session_ids"))
        return;
    if (value->kind == VALUE_OBJECT && value->depth == 1) {
        r->found = true;
    } else if (value->depth == 2 && value->kind != VALUE_LIST && value->kind != VALUE_LIST_END) {
        wrong(r, "sessions that are no list");
    } else if (value->depth == 3 && value->kind != VALUE_NUMBER) {
        wrong(r, "a session id that is none");
    } else if (value->depth == 3) {
        seen.ends_ms = figure_parse(value->keys[1], strlen(value->keys[1]), -1);
        if (!session_id_parse(value->text, value->length, &seen.id))
            wrong(r, "a session id that is none");
        else if (!is_full(r, r->answer->sessions.count, ENTRIES_MOST) &&
                 !session_list_add(&r->answer->sessions, &seen))
            wrong(r, "out of memory");
    }
}

static void figures(struct admin_reader *r, const struct json_value *value)
{
    struct server_figures *f = &r->answer->figures;
    bool inner = value->depth == 2 && is(value->keys[0], "server_stats");
    if (value->depth != 1 && !inner)
        return;
    const char *key = value->keys[inner];
    if (value->kind == VALUE_TEXT) {
        if (is(key, "server_state"))
            f->mode = server_mode_parse(value->text, value->length);
        else if (is(key, "version"))
            version_parse(value->text, value->length, f->version, sizeof f->version);
        r->found |= r->command != ADMIN_WATCH_SUMMARY && is(key, "server_state");
    } else if (value->kind == VALUE_NUMBER) {
        static const struct {
            const char *key;
            size_t offset;
        } known[] = {{"num_connections", offsetof(struct server_figures, watching)},
                     {"num_paths", offsetof(struct server_figures, watched_paths)},
                     {"num_total_watches", offsetof(struct server_figures, watches)},
                     {"watch_count", offsetof(struct server_figures, all_watches)},
                     {"global_sessions", offsetof(struct server_figures, sessions)},
                     {"ephemerals_count", offsetof(struct server_figures, ephemerals)},
                     {"num_alive_connections", offsetof(struct server_figures, connections)},
                     {"num_alive_client_connections", offsetof(struct server_figures, connections)},
                     {"max_latency", offsetof(struct server_figures, slowest_ms)},
                     {"packets_received", offsetof(struct server_figures, received)},
                     {"packets_sent", offsetof(struct server_figures, sent)},
                     {"outstanding_requests", offsetof(struct server_figures, outstanding)},
                     {"client_port", offsetof(struct server_figures, client_port)},
                     {"tick_time", offsetof(struct server_figures, tick_ms)},
                     {"server_id", offsetof(struct server_figures, server_id)},
                     {"last_processed_zxid", offsetof(struct server_figures, zxid)}};
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (is(key, known[i].key)) {
                int64_t number = figure(value);
                memcpy((char *)f + known[i].offset, &number, sizeof number);
            }
        }
        r->found |= r->command == ADMIN_WATCH_SUMMARY && is(key, "num_total_watches");
        r->found |= r->command == ADMIN_CONFIGURATION && is(key, "client_port");
    }
}

static void on_value(void *context, const struct json_value *value)
{
    struct admin_reader *r = context;
    if (r->wrong)
        return; /* the rest of this piece is of no use */
    if (value->depth == 1 && value->kind == VALUE_TEXT && is(value->keys[0], "error")) {
        snprintf(r->said, sizeof r->said, "AdminServer says: %.*s",
                 (int)(value->length < 120 ? value->length : 120), value->text);
        return;
    }
    switch (r->command) {
    case ADMIN_SERVER_STATS:
    case ADMIN_WATCH_SUMMARY:
    case ADMIN_MONITOR:
    case ADMIN_CONFIGURATION:
        figures(r, value);
        break;
    case ADMIN_CONNECTIONS:
        connections(r, value);
        break;
    case ADMIN_WATCHES:
        watches(r, value);
        break;
    case ADMIN_DUMP:
        sessions(r, value);
        break;
    }
}

struct admin_reader *admin_reader_new(enum admin_command command, struct server_answer *answer)
{
    struct admin_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->command = command;
    r->answer = answer;
    r->json = json_stream_new(on_value, r);
    if (r->json)
        return r;
    free(r);
    return NULL;
}

void admin_reader_free(struct admin_reader *r)
{
    if (!r)
        return;
    json_stream_free(r->json);
    free(r);
}

const char *admin_reader_feed(struct admin_reader *r, const char *bytes, size_t length)
{
    const char *problem = json_stream_feed(r->json, bytes, length);
    return r->wrong ? r->wrong : problem;
}

const char *admin_reader_end(struct admin_reader *r)
{
    const char *problem = json_stream_end(r->json);
    if (r->wrong || problem)
        return r->wrong ? r->wrong : problem;
    if (r->said[0])
        return r->said;
    if (!r->found)
        return "not an answer of AdminServer";
    watch_list_finish(&r->answer->watches);
    return NULL;
}

#include "probe/zookeeper/adminserver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/zookeeper/json_stream.h"

static void wrong(struct adminserver_parse *r, const char *problem);
struct adminserver_parse {
    enum admin_command command;
    struct server_answer *answer;
    struct json_stream *json;
    bool found;                        /* the requested member */
    const char *wrong;                 /* static text, or NULL */
    char said[160];                    /* the server's own reason for the failure; "": none */
    struct seen_connection connection; /* being read */
    unsigned has;                      /* bits of the required members */
    struct watch_being_read {
        uint64_t session;
        char path[1024];
        enum watch_kind kind; /* of a standard one, WATCH_DATA */
        bool data, children;
    } watch;
};

/* "watch_summary" */
static const char *admin_command_word(enum admin_command command)
{
    static const char *const words[] = {"server_stats", "watch_summary", "monitor",       "connections",
                                        "watches",      "dump",          "configuration", "watch_details"};
    return words[command];
}

/*
 * The maximum number of entries in an answer, far more than any server has. The size limit (64 MB) does not
 * bound memory: an entry takes two bytes there and at least eight here.
 */
#define CONNECTIONS_MOST ((size_t)250000)
#define ENTRIES_MOST ((size_t)2000000)

/* Without these a connection cannot be identified, or its liveness is unknown. */
enum { HAS_ADDRESS = 1, HAS_SESSION = 2, HAS_RESPONSE = 4, HAS_ALL = 7 };

static bool adminserver_parse_is(const char *key, const char *word)
{
    return strcmp(key, word) == 0;
}

static int adminserver_parse_small(const struct json_value *value)
{
    int64_t number = figure_parse(value->text, value->length);
    return number < 0 || number > INT_MAX ? -1 : (int)number;
}

static int64_t figure(const struct json_value *value)
{
    return figure_parse(value->text, value->length);
}

static void wrong(struct adminserver_parse *r, const char *problem)
{
    if (!r->wrong)
        r->wrong = problem;
}

/* One more entry would exceed the limit. */
static bool is_full(struct adminserver_parse *r, size_t count, size_t most)
{
    if (count >= most)
        wrong(r, "more entries than a server can have");
    return count >= most;
}

static void connections(struct adminserver_parse *r, const struct json_value *value);
static void connection_field(struct adminserver_parse *r, const struct json_value *value)
{
    struct seen_connection *c = &r->connection;
    struct arena *texts = &r->answer->connections.texts;
    const char *key = value->keys[2];
    if (adminserver_parse_is(key, "remote_socket_address"))
        r->has |= HAS_ADDRESS; /* null while the client is disconnecting */
    if (value->kind == VALUE_TEXT && adminserver_parse_is(key, "remote_socket_address")) {
        char address[CLIENT_ADDRESS_SIZE];
        c->client = arena_text(texts, address, client_address_parse(value->text, value->length, address));
    } else if (value->kind == VALUE_TEXT && adminserver_parse_is(key, "last_operation")) {
        c->last_operation = arena_text(texts, value->text, value->length < 16 ? value->length : 16);
    } else if (value->kind != VALUE_NUMBER) {
        return;
    } else if (adminserver_parse_is(key, "session_id")) {
        r->has |= HAS_SESSION;
        if (!session_id_parse(value->text, value->length, &c->session))
            wrong(r, "an invalid session id");
    } else if (adminserver_parse_is(key, "established")) {
        c->established_ms = figure(value);
    } else if (adminserver_parse_is(key, "last_response_time")) {
        r->has |= HAS_RESPONSE;
        c->last_response_ms = figure(value);
    } else if (adminserver_parse_is(key, "last_cxid")) {
        c->last_cxid = figure(value);
    } else if (adminserver_parse_is(key, "last_zxid")) {
        c->last_zxid = figure(value);
    } else if (adminserver_parse_is(key, "session_timeout")) {
        c->timeout_ms = adminserver_parse_small(value);
    } else if (adminserver_parse_is(key, "outstanding_requests")) {
        c->outstanding = adminserver_parse_small(value);
    }
}

static void connections(struct adminserver_parse *r, const struct json_value *value)
{
    if (value->depth == 0 || (!adminserver_parse_is(value->keys[0], "connections") &&
                              !adminserver_parse_is(value->keys[0], "secure_connections")))
        return;
    if (value->kind == VALUE_LIST && value->depth == 1) {
        r->found = true;
    } else if (value->kind == VALUE_OBJECT && value->depth == 2) {
        r->has = 0;
        r->connection = (struct seen_connection){
            .client = "", .last_cxid = -1, .last_zxid = -1, .timeout_ms = 0, .outstanding = -1};
    } else if (value->kind == VALUE_OBJECT_END && value->depth == 2) {
        if (r->has != HAS_ALL)
            wrong(r, !(r->has & HAS_SESSION)   ? "a connection without a readable session id"
                     : !(r->has & HAS_ADDRESS) ? "a connection without a client's address"
                                               : "a connection without the time of its last response");
        if (r->connection.timeout_ms < 0)
            r->connection.timeout_ms = 0;
        struct connection_list *list = &r->answer->connections;
        if (!r->wrong && !is_full(r, list->count, CONNECTIONS_MOST))
            connection_list_add(list, &r->connection);
    } else if (value->depth == 2) {
        wrong(r, "an invalid connection");
    } else if (value->depth == 3) {
        connection_field(r, value);
    }
}

static void watches(struct adminserver_parse *r, const struct json_value *value)
{
    struct watch_list *list = &r->answer->watches;
    uint64_t session;
    if (value->depth == 0 || !adminserver_parse_is(value->keys[0], "session_id_to_watched_paths"))
        return;
    if (value->kind == VALUE_OBJECT && value->depth == 1) {
        r->found = true;
    } else if (value->kind == VALUE_LIST && value->depth == 2) {
        if (!session_id_parse(value->keys[1], strlen(value->keys[1]), &session))
            wrong(r, "an invalid session id");
        else if (!is_full(r, list->count, ENTRIES_MOST))
            watch_list_add_session(list, session);
    } else if (value->depth == 2 && value->kind != VALUE_LIST_END) {
        wrong(r, "a session without a list of watched paths");
    } else if (value->depth == 3 && (value->kind != VALUE_TEXT || value->text[0] != '/')) {
        wrong(r, "an invalid watched path");
    } else if (value->depth == 3) {
        if (!is_full(r, list->path_count, ENTRIES_MOST))
            watch_list_add_path(list, value->text, value->length);
    }
}

static void detail_field(struct adminserver_parse *r, const struct json_value *value)
{
    struct watch_being_read *w = &r->watch;
    const char *key = value->keys[2];
    if (value->kind != VALUE_TEXT)
        return;
    bool kind = value->depth == 4 && adminserver_parse_is(key, "watch_kind");
    if (kind) {
        w->data = w->data || strcmp(value->text, "data") == 0;
        w->children = w->children || strcmp(value->text, "children") == 0;
    } else if (adminserver_parse_is(key, "path") && value->length < sizeof w->path) {
        memcpy(w->path, value->text, value->length + 1);
    } else if (adminserver_parse_is(key, "session_id")) {
        if (!session_id_parse(value->text, value->length, &w->session))
            wrong(r, "an invalid session id");
    } else if (adminserver_parse_is(key, "watch_mode")) {
        w->kind = strcmp(value->text, "persistent") == 0             ? WATCH_PERSISTENT
                  : strcmp(value->text, "persistent_recursive") == 0 ? WATCH_RECURSIVE
                                                                     : WATCH_DATA;
    }
}

static void watch_details(struct adminserver_parse *r, const struct json_value *value)
{
    struct watch_list *list = &r->answer->watches;
    const struct watch_being_read *w = &r->watch;
    if (value->depth == 0)
        return;
    if (adminserver_parse_is(value->keys[0], "truncated")) {
        if (strcmp(value->text, "true") == 0)
            wrong(r, "more watches than it lists");
    } else if (!adminserver_parse_is(value->keys[0], "watches")) {
        return;
    } else if (value->kind == VALUE_LIST && value->depth == 1) {
        r->found = true;
    } else if (value->kind == VALUE_OBJECT && value->depth == 2) {
        r->watch = (struct watch_being_read){0};
    } else if (value->kind == VALUE_OBJECT_END && value->depth == 2) {
        if (w->session == 0 || w->path[0] != '/' || (!w->data && !w->children))
            wrong(r, "an invalid watch");
        else if (w->data && !is_full(r, list->detail_count, ENTRIES_MOST))
            watch_list_add_detail(list, w->session, w->path, w->kind);
        if (!r->wrong && w->children && w->kind == WATCH_DATA)
            watch_list_add_detail(list, w->session, w->path, WATCH_CHILDREN);
    } else if (value->depth >= 3) {
        detail_field(r, value);
    }
}

static void sessions(struct adminserver_parse *r, const struct json_value *value)
{
    struct seen_session seen;
    if (value->depth == 0 || !adminserver_parse_is(value->keys[0], "expiry_time_to_session_ids"))
        return;
    if (value->kind == VALUE_OBJECT && value->depth == 1) {
        r->found = true;
    } else if (value->depth == 2 && value->kind != VALUE_LIST && value->kind != VALUE_LIST_END) {
        wrong(r, "sessions that are not a list");
    } else if (value->depth == 3 && value->kind != VALUE_NUMBER) {
        wrong(r, "an invalid session id");
    } else if (value->depth == 3) {
        seen.ends_ms = figure_parse(value->keys[1], strlen(value->keys[1]));
        if (!session_id_parse(value->text, value->length, &seen.id))
            wrong(r, "an invalid session id");
        else if (!is_full(r, r->answer->sessions.count, ENTRIES_MOST))
            session_list_add(&r->answer->sessions, &seen);
    }
}

/* Stores a figure that most answers contain, by its name. */
static void figure_reported(struct server_figures *f, const char *key, const struct json_value *value)
{
    static const struct {
        const char *key;
        size_t offset;
        bool is_latency; /* in decimal milliseconds */
    } known[] = {{"num_connections", offsetof(struct server_figures, watching), false},
                 {"num_paths", offsetof(struct server_figures, watched_paths), false},
                 {"num_total_watches", offsetof(struct server_figures, watches), false},
                 {"watch_count", offsetof(struct server_figures, all_watches), false},
                 {"global_sessions", offsetof(struct server_figures, sessions), false},
                 {"ephemerals_count", offsetof(struct server_figures, ephemerals), false},
                 {"num_alive_connections", offsetof(struct server_figures, connections), false},
                 {"num_alive_client_connections", offsetof(struct server_figures, connections), false},
                 {"max_latency", offsetof(struct server_figures, slowest_ms), false},
                 {"min_latency", offsetof(struct server_figures, fastest_us), true},
                 {"avg_latency", offsetof(struct server_figures, average_us), true},
                 {"uptime", offsetof(struct server_figures, uptime_ms), false},
                 {"znode_count", offsetof(struct server_figures, znodes), false},
                 {"node_count", offsetof(struct server_figures, znodes), false},
                 {"packets_received", offsetof(struct server_figures, received), false},
                 {"packets_sent", offsetof(struct server_figures, sent), false},
                 {"outstanding_requests", offsetof(struct server_figures, outstanding), false},
                 {"client_port", offsetof(struct server_figures, client_port), false},
                 {"tick_time", offsetof(struct server_figures, tick_ms), false},
                 {"server_id", offsetof(struct server_figures, server_id), false},
                 {"max_client_cnxns", offsetof(struct server_figures, address_connections_most), false},
                 {"fsync_threshold_exceed_count", offsetof(struct server_figures, slow_fsyncs), false},
                 {"last_processed_zxid", offsetof(struct server_figures, zxid), false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (adminserver_parse_is(key, known[i].key)) {
            int64_t number =
                known[i].is_latency ? milliseconds_parse(value->text, value->length) : figure(value);
            memcpy((char *)f + known[i].offset, &number, sizeof number);
        }
    }
}

static void figures(struct adminserver_parse *r, const struct json_value *value)
{
    struct server_figures *f = &r->answer->figures;
    bool inner = value->depth == 2 && adminserver_parse_is(value->keys[0], "server_stats");
    if (value->depth != 1 && !inner)
        return;
    const char *key = value->keys[inner];
    if (value->kind == VALUE_TEXT) {
        if (adminserver_parse_is(key, "server_state"))
            f->mode = server_mode_parse(value->text, value->length);
        else if (adminserver_parse_is(key, "version"))
            version_parse(value->text, value->length, f->version, sizeof f->version);
        r->found |= r->command != ADMIN_WATCH_SUMMARY && adminserver_parse_is(key, "server_state");
    } else if (value->kind == VALUE_NUMBER) {
        figure_reported(f, key, value);
        r->found |= r->command == ADMIN_WATCH_SUMMARY && adminserver_parse_is(key, "num_total_watches");
        r->found |= r->command == ADMIN_CONFIGURATION && adminserver_parse_is(key, "client_port");
    }
}

static void on_value(void *context, const struct json_value *value)
{
    struct adminserver_parse *r = context;
    if (r->wrong)
        return; /* the rest of this piece is not needed */
    if (value->depth == 1 && value->kind == VALUE_TEXT && adminserver_parse_is(value->keys[0], "error")) {
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
    case ADMIN_WATCH_DETAILS:
        watch_details(r, value);
        break;
    }
}

struct adminserver_parse *adminserver_parse_new(enum admin_command command, struct server_answer *answer)
{
    struct adminserver_parse *r = xcalloc(1, sizeof *r);
    r->command = command;
    r->answer = answer;
    r->json = json_stream_new(on_value, r);
    return r;
}

void adminserver_parse_free(struct adminserver_parse *r)
{
    if (!r)
        return;
    json_stream_free(r->json);
    free(r);
}

const char *adminserver_parse_feed(struct adminserver_parse *r, const char *bytes, size_t length)
{
    const char *problem = json_stream_feed(r->json, bytes, length);
    return r->wrong ? r->wrong : problem;
}

const char *adminserver_parse_end(struct adminserver_parse *r)
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

/* 100,000 connections are 48 MB. */
#define ANSWER_MOST ((size_t)64 << 20)

struct adminserver {
    struct http_get *get;
    struct adminserver_parse *reader;
    struct server_answer *answer;
    char problem[200]; /* "": none */
    adminserver_fn fn;
    void *context;
};

static bool adminserver_on_body(void *context, const char *bytes, size_t length)
{
    struct adminserver *a = context;
    const char *problem = adminserver_parse_feed(a->reader, bytes, length);
    if (problem)
        snprintf(a->problem, sizeof a->problem, "%s", problem);
    return !problem;
}

static void adminserver_on_date(void *context, int64_t date_s)
{
    struct adminserver *a = context;
    a->answer->figures.date_s = date_s > 0 && date_s < INT64_C(1) << 40 ? date_s : 0;
}

static void ask_free(struct adminserver *a)
{
    adminserver_parse_free(a->reader);
    free(a);
}

static void on_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    struct adminserver *a = context;
    const char *said = whole && !problem ? adminserver_parse_end(a->reader) : NULL;
    if (said)
        snprintf(a->problem, sizeof a->problem, "%s", said);
    if (!problem && a->problem[0])
        problem = a->problem;
    if (problem)
        server_answer_free(a->answer);
    a->fn(a->context, problem, took_us);
    ask_free(a);
}

struct adminserver *adminserver_ask(struct http *http, const char *host, int port, enum admin_command command,
                                    int64_t deadline_ms, struct server_answer *answer, adminserver_fn fn,
                                    void *context)
{
    static const struct http_reader reader = {
        .body = adminserver_on_body, .date = adminserver_on_date, .done = on_done};
    struct adminserver *a = xcalloc(1, sizeof *a);
    *a = (struct adminserver){.answer = answer, .fn = fn, .context = context};
    char path[64];
    snprintf(path, sizeof path, "/commands/%s%s", admin_command_word(command),
             command == ADMIN_WATCH_DETAILS ? "?limit=1000" : "");
    a->reader = adminserver_parse_new(command, answer);
    a->get = http_get(http, host, port, path, deadline_ms, ANSWER_MOST, &reader, a);
    if (a->get)
        return a;
    ask_free(a);
    return NULL;
}

void adminserver_cancel(struct adminserver *a)
{
    http_cancel(a->get);
    ask_free(a);
}

/*
 * server_lists.h - the lists that one server reports about its sessions, independent of how it was asked.
 *
 * Answers of AdminServer and of four-letter words are parsed into the same lists, whose members are those of
 * the observations. Each list owns everything it points to. A zeroed list is empty; *_free() leaves an empty
 * list.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SERVER_LISTS_H
#define ELECTOP_PROBE_ZOOKEEPER_SERVER_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/arena.h"
#include "probe/election/observation.h"

struct connection_list {
    struct seen_connection *list;
    size_t count, room;
    struct arena texts;
};
void connection_list_add(struct connection_list *connection_list, const struct seen_connection *seen);
void connection_list_free(struct connection_list *connection_list);

/* One watch as a list in no order has it. */
struct watch_detail {
    uint64_t session;
    const char *path;
    enum watch_kind kind;
};

/* Sessions in sequence, each followed by its paths. */
struct watch_list {
    struct seen_watches *list; /* their paths: valid after watch_list_finish() */
    size_t count, room;
    const char **paths;
    size_t path_count, path_room;
    uint8_t *kinds; /* of each path, an enum watch_kind; NULL: not known */
    struct watch_detail *details;
    size_t detail_count, detail_room;
    struct arena texts;
};
/* Instead of sessions and paths. */
void watch_list_add_detail(struct watch_list *watch_list, uint64_t session, const char *path,
                           enum watch_kind kind);
void watch_list_add_session(struct watch_list *watch_list, uint64_t session);
void watch_list_add_path(struct watch_list *watch_list, const char *path, size_t length);
void watch_list_finish(struct watch_list *watch_list);
void watch_list_free(struct watch_list *watch_list);

struct session_list {
    struct seen_session *list;
    size_t count, room;
};
void session_list_add(struct session_list *session_list, const struct seen_session *seen);
void session_list_free(struct session_list *session_list);

/* The figures that cost a server almost nothing; -1: unknown. */
struct server_figures {
    enum server_mode mode;
    char version[32]; /* "3.8.0"; "": unknown */
    int64_t zxid, connections;
    /* Data and exists watches; their number of paths; their number of sessions. */
    int64_t watches, watched_paths, watching;
    int64_t all_watches;          /* including child watches */
    int64_t sessions, ephemerals; /* of the whole ensemble */
    /* Since the server began to count: its slowest answer, and packets; and the requests in its queue now. */
    int64_t slowest_ms, received, sent, outstanding;
    int64_t fastest_us, average_us, uptime_ms, znodes;
    int64_t client_port, server_id, tick_ms, address_connections_most, slow_fsyncs;
    int64_t date_s; /* its wall clock at the latest answer, in whole seconds; 0: unknown */
};
void server_figures_clear(struct server_figures *figures);

/* The content of any answer; each request fills its part. */
struct server_answer {
    struct connection_list connections;
    struct watch_list watches;
    struct session_list sessions;
    struct server_figures figures;
};
void server_answer_clear(struct server_answer *answer); /* call this before first use */
void server_answer_free(struct server_answer *answer);

/*
 * Parses a session id in any spelling: "0x" and unsigned hexadecimal as in four-letter words, or signed
 * decimal as in AdminServer. False: it is neither, or does not fit.
 */
bool session_id_parse(const char *text, size_t length, uint64_t *id);

/* Parses a whole decimal number; -1 for anything else. */
int64_t figure_parse(const char *text, size_t length);

/* Converts decimal milliseconds ("5.0909") to microseconds; -1 if invalid. */
int64_t milliseconds_parse(const char *text, size_t length);

/*
 * Converts a client's address as servers print it ("/10.0.0.1:5", "[0:0:0:0:0:0:0:1]:5",
 * "/0:0:0:0:0:0:0:1:5") to one form: "10.0.0.1:5", "[::1]:5". Any other text is copied unchanged, cut to
 * size.
 */
#define CLIENT_ADDRESS_SIZE 96
size_t client_address_parse(const char *text, size_t length, char out[CLIENT_ADDRESS_SIZE]);

/* Parses "leader", "follower", ...; SERVER_UNKNOWN: another word. */
enum server_mode server_mode_parse(const char *text, size_t length);

/* Shortens "3.8.0-${mvngit...}, built on ..." to "3.8.0". */
void version_parse(const char *text, size_t length, char *version, size_t size);

#endif

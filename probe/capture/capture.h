/*
 * capture.h - elections as packets show them: a source of observations for the model.
 *
 * Znodes are followed by the requests of clients to create, delete, read and list; sessions by their
 * connections. Older znodes are unknown until clients read them. A znode's end is seen when a client is
 * notified, its deletion is answered, or its session is closed. Without any of these, its session has expired
 * when its client was silent for the whole timeout on every captured server.
 *
 * Times are those of the packets: the wall clock of the capturing host, and monotonic.
 *
 * Beside a live cluster, which shows the elections itself, only sessions and the ends of their znodes are
 * observed: see capture_tie().
 */
#ifndef ELECTOP_PROBE_CAPTURE_CAPTURE_H
#define ELECTOP_PROBE_CAPTURE_CAPTURE_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/capture/capture_file.h"
#include "probe/election/model.h"
#include "probe/transactions/logged_fact.h"

struct capture_sink {
    void *context;
    void (*changed)(void *context); /* the model may have changed */
    void (*fact)(void *context, const struct logged_fact *);
};

struct capture_query {
    int64_t from_us, to_us; /* wall clock; 0: from the beginning; INT64_MAX: to the end */
    const char *election;   /* only those with this path, or that match this pattern; NULL: all */
    bool beside;            /* the model is that of a live cluster: its elections, its time, its servers */
};

/* The limits of a capture: facts that it could not show. */
struct capture_limits {
    uint64_t packets;   /* read */
    uint64_t late;      /* connections that were open before the capture began */
    uint64_t holes;     /* places where bytes are missing */
    uint64_t encrypted; /* connections in TLS */
    uint64_t sessions;  /* greetings that were answered */
    bool full;          /* znodes, data or sessions were left out for want of memory */
    const char *mixed;  /* why it ends: transactions contradict the packets' times; NULL: they do not */
};

struct capture;
struct coverage;

/* All arguments must outlive it. */
struct capture *capture_new(struct model *model, const struct settings *settings,
                            const struct capture_query *query, const struct capture_sink *sink);
void capture_free(struct capture *capture); /* NULL is fine */

/* Of several: looks into their beginnings, for the servers that they hold; and the latest packet of one was its
 * last. */
void capture_read_ahead(struct capture *capture, char *const *paths, size_t count);
/* Corrects the clock of a capture that was looked into. */
void capture_shift(struct capture *capture, size_t source, int64_t shift_us);
void capture_end(struct capture *capture, size_t source);
/* Whether other captures continue one that is over, up to this time. */
bool capture_goes_on(const struct capture *capture, size_t source, int64_t at_us);
const struct coverage *capture_coverage(const struct capture *capture);

/* False: the query's end is reached, or limits.mixed. */
bool capture_take(struct capture *capture, const struct captured_packet *packet);
/* Nothing was captured until this moment (wall clock). */
void capture_pass(struct capture *capture, int64_t wall_us);
/* Hands on the pending observations. */
void capture_settle(struct capture *capture);

/*
 * Beside a live cluster. Nothing is observed before a capture is tied: add is what makes the observer's clocks of a
 * packet's time, which has one clock for all captures. capture_doubt(): packets of this capture may be missing from now
 * on, until it is tied again, so that no watch of its clients is known, and no silence is proven.
 */
void capture_tie(struct capture *capture, size_t source, struct moment add);
void capture_doubt(struct capture *capture, size_t source);
/* The clock of its packets was wrong by so much: the times of those that were taken are corrected, as what lies between
 * two packets of one capture is told to the packet. */
void capture_correct(struct capture *capture, size_t source, int64_t by_us);
/* The cluster's name for the server at this address; NULL: it is no server of the cluster, and its packets are left out
 * unless their capture is named, too. */
typedef const char *(*capture_name_fn)(void *context, const char *address, bool named);
void capture_name_servers(struct capture *capture, capture_name_fn name_of, void *context);
/* The live session has read this znode: whose it is need not be in the packets. */
void capture_learn(struct capture *capture, const char *path, const struct znode_stat *stat);
/* The latest transaction that a reply named; 0: none. */
int64_t capture_latest_zxid(const struct capture *capture);
/* For so long no client of this capture needs to say anything: a third of the shortest timeout of all that are
 * connected; 0: not known. */
int64_t capture_quiet_us(const struct capture *capture, size_t source);

int64_t capture_latest_us(const struct capture *capture); /* wall clock; 0: no packet yet */
const struct capture_limits *capture_limits(const struct capture *capture);

#endif

/*
 * server_poll.h - polls one server, in rounds, for the facts that only it knows: its watches, connections and
 * sessions.
 *
 * A round requests the cheap figures first. It skips them if they were read within the setting `every` and
 * showed no change. If something changed since the last round, it requests the watches. It always requests the
 * connections after them, so each list of watches lies between two lists of connections. From ZooKeeper's
 * leader it then requests the sessions. AdminServer is preferred. If it does not answer, four-letter words are
 * used as far as they are harmless: a server writes their answers with blocking calls while it holds locks, so
 * only answers that fit into the socket's buffers unread are requested. Facts that a server does not show are
 * reported as OBSERVED_HIDDEN, with the reason and the setting to change.
 *
 * Each server is polled independently. The next round comes after the setting `every`, or sooner: after a
 * third of the shortest timeout of a session that leads on it (later if there are many servers:
 * poll_turn_ms); soon after candidates came or went; when a leader's connection has gone; or when a poll may
 * settle a suspicion. From an AdminServer, connections alone are requested in between (poll_moved_ms). The
 * budget (struct poll_budget) is never exceeded: at most a hundredth of the server's time, by the known cost
 * of such answers. With up to a thousand connected sessions a round costs less than 20 ms, and the interval is
 * bounded by a third of the shortest leader's timeout. A restarted server begins with a new budget.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_POLL_H
#define ELECTOP_PROBE_WATCH_SERVER_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/watch/live_cluster.h"
#include "probe/watch/server_address.h"
#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/fourletter.h"
#include "probe/zookeeper/http.h"

/*
 * The state of one server's rounds. Private to this folder.
 *
 * A round is a sequence of steps. Each step tries one way to ask and, if that fails, the other. server_poll.c
 * controls the sequence, server_poll_admin.c uses AdminServer, server_poll_words.c uses four-letter words.
 */

/*
 * The poll budget: a hundredth of one server's time.
 *
 * Cost is the server's work for an answer of that length, not the time until it arrived. A server that has
 * just started, or that waits for its processor, needs seconds for milliseconds of work, and then its answers
 * matter most. So the cost of an entry is learned only from calm rounds, in which the server's cheapest
 * answer came at once. The initial values were measured with ZooKeeper 3.8.
 *
 * The pause after a round pays for it. Unused pauses are saved, up to POLL_BUDGET_MOST_US of the server's
 * time, and may be spent at once in urgent cases. Over any period a server gives at most a hundredth of its
 * time plus this reserve.
 *
 * Pure: the loop's time is an argument.
 */

/* A pause is this many times longer than the cost it pays for. */
#define POLL_BUDGET_PAUSE 100
#define POLL_BUDGET_MOST_US INT64_C(200000)

/* The lists that a round requests, and the long table of figures. */
enum poll_answer { POLL_CONNECTIONS, POLL_WATCHES, POLL_SESSIONS, POLL_FIGURES, POLL_ANSWERS };

/* The learned cost of each entry; 0: not learned yet. */
struct poll_costs {
    int64_t each_ns[POLL_ANSWERS];
};

/* The server's cost of an answer with that many entries, in microseconds. */
int64_t poll_cost_us(const struct poll_costs *costs, enum poll_answer answer, size_t entries);
/* The cost to charge for an answer that took took_us. calm: the server was idle, so the cost of an entry is
 * learned from it. */
int64_t poll_cost_of(struct poll_costs *costs, enum poll_answer answer, size_t entries, int64_t took_us,
                     bool calm);

/* All zero before the first round. */
struct poll_budget {
    int64_t left_us;   /* at as_of_ms; negative: overdrawn */
    int64_t latest_us; /* the cost of the latest round */
    uint64_t as_of_ms; /* the end of the latest round; 0: none yet */
};

/* Charges a round that has just ended. */
void poll_budget_spend(struct poll_budget *poll_budget, int64_t took_us, uint64_t now_ms);

/* The pause that pays for the latest round. */
int64_t poll_budget_pause_ms(const struct poll_budget *poll_budget);

/* Half of the reserve would remain after another round like the latest: an urgent poll need not wait.
 * The other half is kept for the unforeseen end of a leader. */
bool poll_budget_has_plenty(const struct poll_budget *poll_budget);

/* When the budget covers the cost of the latest round: from then on another may begin early. */
uint64_t poll_budget_due_ms(const struct poll_budget *poll_budget);

/*
 * The servers of all clusters take turns, so that polling many of them costs little on this machine: this
 * many rounds a second use half a hundredth of a processor. Urgent rounds are not delayed. Lists further
 * apart than the maximum would count as stale (certainty.c).
 */
#define ROUNDS_A_SECOND 8
#define TURN_MOST_MS 10000
/* On servers without changes, figures are requested every third turn. */
#define FIGURES_TURNS 3

/* The pause between rounds when this many servers are polled; at least usual_ms. leader_timeout_ms: the
 * shortest timeout of a session that leads there; 0: there is none. A dead client is missing from its server's
 * list for the last two thirds of its timeout: the pause is short enough for one list in that time. */
int64_t poll_turn_ms(unsigned servers, int64_t usual_ms, int64_t leader_timeout_ms);
/* The pause before the next list of connections: it shows clients that moved to another connection, which
 * changes no znode. These lists use at most one part in MOVED_BUDGET_PART of the budget. */
#define MOVED_LEAST_MS 1500
#define MOVED_BUDGET_PART 3
int64_t poll_moved_ms(const struct poll_costs *costs, size_t connections);
/* The number of child watches is the difference of figures that a server gives one after the other. True: watches
 * changed meanwhile, our own child watches or those listed (watches of them were there before, -1: unknown), so the
 * difference says nothing. */
bool poll_is_disturbed(int64_t counted_us, int64_t ours_changed_us, int64_t watches, int64_t listed);
/* How long the figures of a round without changes stay valid. */
int64_t poll_figures_ms(unsigned servers, int64_t every_ms);

/* A server that needs longer for cheap figures hangs; lists may take longer. */
#define FIGURES_WITHIN_MS 2000
#define LISTS_WITHIN_MS 5000
/* An unread answer of this size fits into the buffers, so it never blocks the server. */
#define WORD_MOST_BYTES 65536
/* The limit of an answer, with room for a wrong prediction. */
#define WORD_LIMIT_BYTES (4 * WORD_MOST_BYTES)
/* Larger figures are not plausible. */
#define FIGURE_MOST (INT64_C(1) << 31)
#define LEADER_LEAST_MS 500
/* A round begins this fraction of a third early, so that its request replaces the ping of our own session. */
#define PING_PART 32
/* The minimum interval of rounds while the end of a leader is investigated; the budget applies as well. */
#define EVIDENCE_LEAST_MS 200
/* The delay of the first such round: our requests must not delay the answer to the next leader. */
#define EVIDENCE_AFTER_MS 5
#define LEADER_MOST_MS 5000
/* How long watches are polled after a change. Without changes they are polled at the second interval. */
#define SETTLED_AFTER_MS 20000
#define SETTLED_EVERY_MS 30000
/* The number of polls that must show the same watches before they are polled less often. */
#define SAME_POLLS_LEAST 2
/* The retry interval for a disabled word, or an AdminServer that hangs. */
#define RETRY_MS 30000
/* The interval after the first failures: a starting or loaded server may be slow only once. */
#define RETRY_FIRST_MS 2000
/* How long the proof that an AdminServer belongs to this server holds. It is renewed by a list that shows our
 * session, and lost if the AdminServer fails to answer. */
#define PROOF_MS 30000
/* The assumed cost of a list that did not arrive, unless the latest one cost more. */
#define UNANSWERED_US INT64_C(50000)
/* A server is idle if its cheapest answer arrives within this. */
#define CALM_US 5000
/* How soon sessions are polled after candidates came or went; also the minimum interval. */
#define CHANGED_AFTER_MS 300
#define CHANGED_LEAST_MS 1000
/* The minimum interval while the next poll may settle a suspicion, or a leader's connection has just gone. */
#define SUSPECTED_LEAST_MS 100
/* The interval of lists of watches while only the connections are awaited. */
#define WATCHES_AGAIN_MS 1000
#define MISSED_LEAST_MS 250
/* From this many connections on, the memory of lists is returned to the system. */
#define MANY 1000
/* How long to wait for our own request that reads a server's clock. */
#define PING_WITHIN_MS 250

/*
 * A poll of a server takes these steps in this order, and leaves out those that it does not need
 * (step_begin()). An answer leads to the next step, and after the last one the poll ends. Without an answer to
 * STEP_STATE it ends at once; without one to another step it reports those facts as hidden, and goes on.
 */
enum step {
    STEP_STATE,   /* the server's mode and zxid: they decide which of the others are needed */
    STEP_LENGTHS, /* after the end of a leader: the predicted length of the next word's answer */
    STEP_ENDED,   /* after a leader's end: the sessions, early, as every later transaction may be that end */
    STEP_AFTER,   /* the state again: the list of sessions is no newer than its zxid */
    STEP_BEFORE,  /* connections: the deleter's, or those that were missing in an earlier round */
    STEP_SUMMARY, /* how many watches: whether a list of them is affordable */
    STEP_DISK,    /* how often the disk was slow: from AdminServer only */
    STEP_FIGURES,
    STEP_WATCHES,     /* between two lists of connections, a look at each session */
    STEP_CONNECTIONS, /* confirms the watches: the same connections before and after */
    STEP_SESSIONS,    /* from ZooKeeper's leader: which sessions have ended. */
    STEPS
};

/* How each step is requested. */
struct server_poll_way {
    enum admin_command command;
    enum fourletter_word word;
    int64_t within_ms;
};
extern const struct server_poll_way server_poll_ways[STEPS];

enum way { BY_ADMINSERVER, BY_WORD };

/* Whether the answering AdminServer belongs to this server. */
enum proof { PROOF_OPEN, PROOF_OWN, PROOF_FOREIGN };

struct server_poll {
    struct live_cluster *live;
    struct server_addresses *places;
    struct http *http;
    /* Called when a request has ended; problem NULL: with an answer. */
    void (*ended)(struct server_poll *, const char *problem, int64_t took_us);
    char *address, *host, *admin_host;
    char port[8];
    int admin_port;
    uv_timer_t *timer;
    unsigned owed; /* answers of our session that still refer to this struct */
    bool freed;

    /* The round under way. */
    bool asking, full;
    bool demanded, on_demand; /* the next round is on demand; this round is */
    bool cheap;               /* figures only */
    bool quiet;               /* connections only: nothing changed, and the figures are newer than `every` */
    bool evidence;            /* after the end of a leader: connections and sessions */
    bool newcomers_first;     /* connections before the watches, too: candidates came or reconnected */
    bool load_due;            /* figures of its load were answered, and are not reported yet */
    bool words_hang;          /* a word timed out: the others would, too */
    enum step step;
    unsigned tried; /* of this step: 1 << enum way */
    enum way way;
    struct adminserver *admin_ask;
    struct fourletter *word_ask;
    struct server_answer answer; /* lists of this step; figures of this round */
    struct moment asked_at;
    int64_t took_us;                         /* the server's time, this round */
    char problems[2][200];                   /* by way, for this step */
    char unpredicted[STEP_FIGURES + 1][120]; /* why a word did not give a size; "": it did */
    bool answered;                           /* the server answered something */
    unsigned pings;                          /* unanswered so far */
    int64_t pinged_us;                       /* when they were sent; 0: not answered in time */
    int64_t counted_us; /* when its watches were counted after that; 0: not in this round */
    bool ours_expected; /* our session was connected here when the connections were requested */

    /* Facts from earlier rounds. */
    unsigned rounds;
    uint64_t ended_ms;  /* the latest */
    uint64_t stated_ms; /* when the server last reported its state */
    struct poll_budget budget;
    struct poll_costs costs;
    size_t entries[POLL_ANSWERS]; /* of the latest answers */
    int64_t uptime_ms;            /* the latest; -1: unknown */
    int64_t ahead_us;             /* its wall clock, as reported last */
    bool calm;                    /* in this round */
    bool down;                    /* it did not report its state when last polled */
    bool changed;    /* candidates came, went or reconnected: the next round checks their sessions */
    bool hastened;   /* the next round comes as soon as allowed */
    int64_t tick_ms; /* its tickTime; <= 0: unknown */
    int64_t server_id, address_connections_most; /* of its configuration; -1: unknown */
    enum proof proof;
    uint64_t proved_ms;
    enum admin_command proving;
    size_t admin_count, admin_at; /* AdminServers that may be its own: their number; the current one */
    /* For the proof under way: failed attempts; those of them that timed out. */
    size_t admin_tried, admin_hangs;
    bool details, no_details;      /* its watches were asked for in detail; it does not list them so */
    bool admin_sure;               /* by its host alone */
    struct server_answer identity; /* the AdminServer's report about itself */
    char foreign[240];             /* why it is not trusted */
    bool admin_failed;
    unsigned admin_failures; /* consecutive */
    char admin_failure[200];
    uint64_t admin_retry_ms;
    bool word_off[FOURLETTER_WORD_DUMP + 1];
    uint64_t words_retry_ms;
    struct server_figures before; /* the summed figures of the last round that requested watches */
    /* This round's, with the summary of watches, always read at the same step: servers count requests by
     * four-letter word, but not those to AdminServer. */
    struct server_figures summed;
    uint64_t watches_ms, moved_ms; /* when watches were last polled; when they last changed */
    unsigned same_polls;           /* polls with the same watches in a row */
    bool connections_known;        /* a list of connections from an earlier round exists */
    size_t listed;                 /* its number of entries */
    size_t wchc_bytes, wchc_watches, wchc_sessions; /* the size of the last answer */
    int64_t leader_timeout_ms;                      /* the shortest of leaders' sessions here; 0: none */
};

/* How a request ended: with an answer in server_poll->answer, or with a problem. */
void server_poll_step_succeeded(struct server_poll *server_poll, int64_t took_us);
void server_poll_way_failed(struct server_poll *server_poll, const char *problem);
/* This step requests a few figures at almost no cost to the server. */
bool server_poll_asks_figures(enum step step);
/* Charges the server's cost of the answer given. */
void server_poll_count_cost(struct server_poll *server_poll, const struct server_answer *given,
                            int64_t took_us, bool answered);

/* Call this before a request: notes whether the answer must contain our own session. */
void server_poll_expect_ours(struct server_poll *server_poll);
/* Why a readable answer is not trusted; NULL: it is. */
const char *server_poll_doubt(const struct server_poll *server_poll, char *reason, size_t size);
void server_poll_lists_free(struct server_poll *server_poll);

/* ---- polls a server's AdminServer, once it is proved to belong to that server ---- */

struct server_poll;

/* Requests this step. server_poll_step_succeeded() or server_poll_way_failed() follows, once. */
void server_poll_ask_adminserver(struct server_poll *server_poll);

/* ---- polls a server by four-letter word, if that is harmless ---- */

/* Requests this step. server_poll_step_succeeded() or server_poll_way_failed() follows, once. */
void server_poll_ask_by_word(struct server_poll *server_poll);

/* Reports that the server exists, without polling it. Copies place. */
struct server_poll *server_poll_new(struct live_cluster *live, struct server_addresses *places,
                                    struct http *http, const struct server_address *place);
void server_poll_free(struct server_poll *server_poll);

/* Begins the first round. With the setting `every` off it contains only figures; everything else is polled on
 * demand. */
void server_poll_begin(struct server_poll *server_poll);

/*
 * Demands a full round, now or after the round under way. Later rounds follow automatically unless the
 * setting `every` is off.
 */
void server_poll_demand(struct server_poll *server_poll);

/* Schedules the next round as soon as the budget allows: the end of a leader is being investigated. */
void server_poll_hasten(struct server_poll *server_poll);

/* Candidates came or went: their sessions are polled soon. */
void server_poll_changed(struct server_poll *server_poll);
/* A leader's connection has gone from some server's list. This server may have it, or may prove its
 * absence. */
void server_poll_missed(struct server_poll *server_poll);

/* The poll on demand is not complete yet. */
bool server_poll_is_demanded(const struct server_poll *server_poll);

/* The number of completed rounds, in which each part was reported or is known to be hidden. */
unsigned server_poll_rounds(const struct server_poll *server_poll);

#endif

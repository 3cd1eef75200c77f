/*
 * server_poll.h - one server, asked round by round what only it knows: its watches, connections, sessions.
 *
 * A round asks the cheap figures first, unless those of the last `every` showed that nothing moved; then,
 * where anything moved since the last, the watches, and always the connections after them, so that each list
 * of watches stands between two of connections; then, at ZooKeeper's leader, the sessions. AdminServer is
 * preferred; where it does not answer, four-letter words do, as far as asking them harms nobody: a server
 * writes their answers blockingly and holds locks meanwhile, so only those are asked that fit into the
 * socket's buffers even if nobody reads them. What a server does not show is reported as OBSERVED_HIDDEN,
 * with the reason and what to switch on.
 *
 * Every server is asked by itself. The next round comes after the setting `every`, or sooner: after a third
 * of the shortest timeout of a session that leads on it (later where many servers are asked: poll_turn_ms);
 * soon after candidates came or went, a leader's connection has gone, or when a look may settle what is
 * suspected. But never sooner than the budget allows (struct poll_budget): at most a hundredth of the
 * server's time, by what such answers cost there. So where up to a thousand sessions are connected, a round
 * costs less than 20 ms, and the bound on the interval is a third of the shortest leader's timeout; where
 * more are, connections alone are asked for in between. A restarted server begins with a new budget.
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
 * A round is a walk through the steps; each step is requested one way, and if that fails the other.
 * server_poll.c walks, server_poll_admin.c uses AdminServer, server_poll_words.c four-letter words.
 */

/*
 * How much of one server's time may be asked for: a hundredth of it.
 *
 * Cost is what an answer of that length costs the server, and not the time until it came: a server that has
 * just started, or that waits for its processor, needs seconds for what costs it milliseconds, and that is
 * the hour in which its answers matter. So the cost of an entry is learned from calm rounds, in which the
 * server's cheapest answer came at once, and starts from what was measured with ZooKeeper 3.8.
 *
 * A round is paid for by the pause that follows. What the pauses left is kept, up to POLL_BUDGET_MOST_US of
 * the server's time, and may be spent at once when something cannot wait: over any stretch a server gives a
 * hundredth of it, and that much more at the most.
 *
 * Pure: the loop's time is an argument.
 */

/* A pause is this many times as long as the cost it pays for. */
#define POLL_BUDGET_PAUSE 100
#define POLL_BUDGET_MOST_US INT64_C(200000)

/* The lists that a round asks for, and the long table of figures. */
enum poll_answer { POLL_CONNECTIONS, POLL_WATCHES, POLL_SESSIONS, POLL_FIGURES, POLL_ANSWERS };

/* The cost of each entry as it was learned; 0: not yet. */
struct poll_costs {
    int64_t each_ns[POLL_ANSWERS];
};

/* What an answer with so many entries costs a server, in its microseconds. */
int64_t poll_cost_us(const struct poll_costs *costs, enum poll_answer answer, size_t entries);
/* ... and what one is counted as that took so long. calm: the server had nothing to wait for; it is learned
 * from. */
int64_t poll_cost_of(struct poll_costs *costs, enum poll_answer answer, size_t entries, int64_t took_us,
                     bool calm);

/* All zero before the first round: nothing has been asked of the server yet. */
struct poll_budget {
    int64_t left_us;   /* as of then; less than nothing: it is owed */
    int64_t latest_us; /* what the latest round took */
    uint64_t as_of_ms; /* when that ended; 0: there was none */
};

/* A round that took so much of the server's time has ended now. */
void poll_budget_spend(struct poll_budget *poll_budget, int64_t took_us, uint64_t now_ms);

/* The pause that pays for the latest round. */
int64_t poll_budget_pause_ms(const struct poll_budget *poll_budget);

/* Another round like the latest leaves half of the most: what waits for a look need not wait for that pause.
   The other half is for a leader's end, which comes unforeseen. */
bool poll_budget_has_plenty(const struct poll_budget *poll_budget);

/* From when on as much is left as the latest round took: then another may begin out of turn. */
uint64_t poll_budget_due_ms(const struct poll_budget *poll_budget);

/*
 * The servers of all clusters take turns, so that a process that asks many of them costs its own machine
 * little: so many rounds a second are half a hundredth of a processor. Rounds for which something waits are
 * not put off. Lists further apart than the most would count as stale (certainty.c).
 */
#define ROUNDS_A_SECOND 8
#define TURN_MOST_MS 10000
/* Figures of servers where nothing moves come with every third turn. */
#define FIGURES_TURNS 3

/* The pause of one of so many servers, which is usually usual_ms. leader_timeout_ms: the shortest of a
   session that leads there; 0: none does. A client that died is missing from the list for two thirds of its
   timeout before its session expires: one list falls into that, however many servers there are. */
int64_t poll_turn_ms(unsigned servers, int64_t usual_ms, int64_t leader_timeout_ms);
/* For so long the figures of a round without changes hold. */
int64_t poll_figures_ms(unsigned servers, int64_t every_ms);

/* Cheap figures come within these, or the server hangs; lists may take longer. */
#define FIGURES_WITHIN_MS 2000
#define LISTS_WITHIN_MS 5000
/* An unread answer of this size fits into the buffers between: it blocks no server. */
#define WORD_MOST_BYTES 65536
/* ... with room for a wrong guess, before the answer is given up. */
#define WORD_LIMIT_BYTES (4 * WORD_MOST_BYTES)
/* More of anything is not believed of a server. */
#define FIGURE_MOST (INT64_C(1) << 31)
#define LEADER_LEAST_MS 500
/* A round begins this part of the third sooner: its request then replaces the ping of our own session, which
   is due after a third of its timeout. */
#define PING_PART 32
/* While a leader's end is being looked into, rounds follow one another as soon as this and the budget. */
#define EVIDENCE_LEAST_MS 200
/* ... but the first leaves this to who leads next: its answer would wait behind our own work. */
#define EVIDENCE_AFTER_MS 5
#define LEADER_MOST_MS 5000
/* After something moved, watches are looked at until two looks a third of a long timeout apart must have been
   had; where nothing moves, they are asked for this often. */
#define SETTLED_AFTER_MS 20000
#define SETTLED_EVERY_MS 30000
#define LOOKS 2
/* A word that is switched off, or an AdminServer that hangs, is tried again after this. */
#define RETRY_MS 30000
/* ... but sooner after the first failures: a server that is just starting or loaded is slow once. */
#define RETRY_FIRST_MS 2000
/* That an AdminServer is this server's own is proved again after this, unless its list has shown our session,
   and where it failed to answer. */
#define PROOF_MS 30000
/* A list that did not come counts as having cost this much, or what the latest one did. */
#define UNANSWERED_US INT64_C(50000)
/* A server whose cheapest answer comes within this has nothing to wait for. */
#define CALM_US 5000
/* After candidates came or went, their sessions are looked at this soon, and not more often than this. */
#define CHANGED_AFTER_MS 300
#define CHANGED_LEAST_MS 1000
/* While something is suspected that the next look may settle, and while a leader's connection has just gone.
 */
#define SUSPECTED_LEAST_MS 250
#define MISSED_LEAST_MS 250
/* Connections of a server whose lists are worth giving back. */
#define MANY 1000
/* Our own request, by which a server's clock is read, is not waited for longer. */
#define PING_WITHIN_MS 250

enum step {
    STEP_STATE,
    STEP_LENGTHS, /* of a leader's end: how long the word's answer to the next would be */
    STEP_ENDED,  /* ... the sessions, before others have done much: each transaction until then may be the end
                  */
    STEP_AFTER,  /* ... and the state again: no list of sessions was reported after a later transaction */
    STEP_BEFORE, /* connections: ... and the deleter's, or where those of an earlier round lack somebody */
    STEP_SUMMARY,
    STEP_DISK, /* how often it was slow: from AdminServer alone */
    STEP_FIGURES,
    STEP_WATCHES,
    STEP_CONNECTIONS,
    STEP_SESSIONS,
    STEPS
};

/* How each step is asked. */
struct server_poll_way {
    enum admin_command command;
    enum fourletter_word word;
    int64_t within_ms;
};
extern const struct server_poll_way inquiry_ways[STEPS];

enum way { BY_ADMINSERVER, BY_WORD };

/* Whether the AdminServer that answers is this server's own. */
enum proof { PROOF_OPEN, PROOF_OWN, PROOF_FOREIGN };

struct server_poll {
    struct live_cluster *live;
    struct server_addresses *places;
    struct http *http;
    /* The walk goes on: this asking has ended, with an answer where problem is NULL. */
    void (*ended)(struct server_poll *, const char *problem, int64_t took_us);
    char *address, *host, *admin_host;
    char port[8];
    int admin_port;
    uv_timer_t *timer;
    unsigned owed; /* answers of our session that still refer to this */
    bool freed;

    /* The round under way. */
    bool asking, full;
    bool demanded, on_demand; /* the next round; this round */
    bool cheap;               /* the figures only */
    bool quiet;    /* the connections only: nothing moved, and the figures are not older than `every` */
    bool evidence; /* of a leader's end: connections and sessions */
    bool newcomers_first; /* connections before the watches, too: candidates came, or connected anew */
    bool words_hang;      /* one was not answered in time: the rest would not be either */
    enum step step;
    unsigned tried; /* of this step: 1 << enum way */
    enum way way;
    struct adminserver *admin_ask;
    struct fourletter *word_ask;
    struct server_answer answer; /* lists of this step; figures of this round */
    struct moment asked_at;
    int64_t took_us;                         /* at the server, this round */
    char problems[2][200];                   /* by way, of this step */
    char unpredicted[STEP_FIGURES + 1][120]; /* why a word did not tell how much there is; "": it did */
    bool answered;                           /* at least something came */
    unsigned pings;                          /* not answered yet */
    int64_t pinged_us;                       /* when they were sent; 0: not answered in time */
    int64_t counted_us;                      /* its watches were counted after that; 0: not in this round */
    bool ours_expected; /* our session was connected here when the connections were asked for */

    /* Facts from earlier rounds. */
    unsigned rounds;
    uint64_t ended_ms;  /* the latest */
    uint64_t stated_ms; /* when it said how it is */
    struct poll_budget budget;
    struct poll_costs costs;
    size_t entries[POLL_ANSWERS]; /* of the latest answers */
    int64_t uptime_ms;            /* the latest; -1: unknown */
    bool calm;                    /* in this round */
    bool down;                    /* it did not say how it is, when it was asked last */
    bool changed;    /* candidates came, went or connected anew: the next round looks at their sessions */
    bool hastened;   /* the next one comes as soon as it may */
    int64_t tick_ms; /* its tickTime; <= 0: unknown */
    int64_t server_id, address_connections_most; /* of its configuration; -1: unknown */
    enum proof proof;
    uint64_t proved_ms;
    enum admin_command proving;
    size_t admin_count, admin_at; /* of those that may be its own: how many; which */
    /* For the proof under way: in vain; of these, without an answer in time. */
    size_t admin_tried, admin_hangs;
    bool admin_sure;               /* by its host alone */
    struct server_answer identity; /* what the AdminServer says of itself */
    char foreign[240];             /* why it is not believed */
    bool admin_failed;
    unsigned admin_failures; /* in a row */
    char admin_failure[200];
    uint64_t admin_retry_ms;
    bool word_off[FOURLETTER_WORD_DUMP + 1];
    uint64_t words_retry_ms;
    struct server_figures before; /* of the last round that asked for watches: the summed of it */
    struct server_figures summed; /* of this round once it has the summary of watches: at the same step of
                                     each round, as servers count who asks by word, and not by AdminServer */
    uint64_t looked_ms, moved_ms; /* when it did, and when they were others than before */
    unsigned looks;               /* at the same watches */
    bool connections_known;       /* there is a list of connections from an earlier round */
    size_t listed;                /* so many were in it */
    size_t wchc_bytes, wchc_watches, wchc_sessions; /* what the last one really came to */
    int64_t leader_timeout_ms; /* the shortest of leaders' sessions here; 0: there are none */
};

/* How an asking ended: with an answer in q->answer, or not, and why. */
void server_poll_step_succeeded(struct server_poll *server_poll, int64_t took_us);
void server_poll_way_failed(struct server_poll *server_poll, const char *problem);
/* This step asks for a few figures, which cost the server next to nothing. */
bool server_poll_asks_figures(enum step step);
/* What it cost the server; given: what it answered. */
void server_poll_count_cost(struct server_poll *server_poll, const struct server_answer *given,
                            int64_t took_us, bool answered);

/* Before asking: notes whether our own session must be in the answer. */
void server_poll_expect_ours(struct server_poll *server_poll);
/* Why an answer that could be read is not believed; NULL: it is. */
const char *server_poll_doubt(const struct server_poll *server_poll, char *reason, size_t size);
void server_poll_lists_free(struct server_poll *server_poll);

/* ---- asks a server's AdminServer, once it is proved to be that server's own ---- */

struct server_poll;

/* This step. server_poll_step_succeeded() or server_poll_way_failed() follows, once. */
void server_poll_ask_adminserver(struct server_poll *server_poll);

/* ---- asks a server by four-letter word, where that can do no harm ---- */

/* This step. server_poll_step_succeeded() or server_poll_way_failed() follows, once. */
void server_poll_ask_by_word(struct server_poll *server_poll);

/* Reports that the server exists; polls nothing yet. Copies place. */
struct server_poll *server_poll_new(struct live_cluster *live, struct server_addresses *places,
                                    struct http *http, const struct server_address *place);
void server_poll_free(struct server_poll *server_poll);

/* The first round. With the setting `every` off only the figures: the rest is asked for on demand. */
void server_poll_begin(struct server_poll *server_poll);

/*
 * A full round, now or, where one is under way, after it. Rounds after it come by themselves unless the
 * setting `every` is off.
 */
void server_poll_demand(struct server_poll *server_poll);

/* The next round comes as soon as the cost of the last one allows: a leader's end is being looked into. */
void server_poll_hasten(struct server_poll *server_poll);

/* Candidates came or went: their sessions are looked at soon. */
void server_poll_changed(struct server_poll *server_poll);
/* A leader's connection has gone from some server's list: here it may be, or its absence is proved. */
void server_poll_missed(struct server_poll *server_poll);

/* The poll on demand is not complete yet. */
bool server_poll_is_demanded(const struct server_poll *server_poll);

/* How many rounds have been completed: each part was reported, or is known to be hidden. */
unsigned server_poll_rounds(const struct server_poll *server_poll);

#endif

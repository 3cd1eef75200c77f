/*
 * story.h - the story of one failover: the recorded facts about it, before it and beside it.
 *
 * A story contains only facts. The lines of the story (tui/words/story_lines.h) draw conclusions and mark
 * them as inferences. A story owns all its data.
 */
#ifndef ELECTOP_PROBE_REPORT_STORY_H
#define ELECTOP_PROBE_REPORT_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/finding.h"
#include "probe/election/vacancy.h"
#include "probe/history/history.h"
#include "probe/report/client_log.h"

/* Sessions that expire close to the leader's count as one incident: within this time, or within a third of the
 * leader's timeout if that is longer, as clients that fall silent together were last heard that far apart. */
#define STORY_TOGETHER_US INT64_C(500000)
/* Other events within this time before or after are included. */
#define STORY_AROUND_US INT64_C(60000000)
/* Failovers of other elections within this time are mentioned. */
#define STORY_NEAR_US INT64_C(5000000)
/* The period that is searched for earlier failovers, and the distance in the time of day that counts as "at
 * the same time". */
#define STORY_BACK_US (INT64_C(7) * 24 * 3600 * 1000000)
#define STORY_SAME_TIME_US INT64_C(120000000)
#define STORY_NAMES 8
/* The period in which the same client is searched for again. */
#define STORY_RETURN_S 600
/* If a directory is deleted recursively, it goes at most this long after its leader. */
#define STORY_DELETED_US INT64_C(1000000)
/* A recording whose end lies further back goes on no more. */
#define STORY_ENDED_US INT64_C(10000000)
/* A server that started at most this long before, or three session timeouts, may be related. */
#define STORY_START_US INT64_C(15000000)

struct story_finding {
    enum finding_code code;
    enum certainty certainty;
    char *evidence; /* or NULL */
};

/* A condition of a server just before that endangers elections (dangers.h). */
struct story_danger {
    char *server;
    const char *code; /* static */
    char *evidence;
};

/* From this number of waiting requests on, a server's load is mentioned. */
#define STORY_WAITING_LEAST 10

/* A server with many waiting requests, by its own latest figures before the loss. */
struct story_load {
    char *server;
    int64_t waiting, latency_avg_us, latency_max_us; /* latencies: -1: unknown */
    int64_t seen_us;
};

/* A server that was started at some time between two transactions. */
struct story_start {
    char *server;    /* its directory */
    uint64_t number; /* 0: unknown */
    int64_t zxid, from_us, to_us;
};

struct story {
    char *cluster, *election, *name; /* cluster may be NULL; full path; for the user */
    struct failover failover;
    int64_t led_since_us; /* of the lost leader; 0: unknown */
    bool led_exact;
    bool only_first;                 /* it was first in line, and certainly did not lead */
    uint64_t session;                /* of the lost leader; 0: unknown */
    char *client;                    /* its address, "10.0.3.17:51234"; NULL: unknown */
    char *server;                    /* the server of its connection; NULL: unknown */
    int timeout_ms;                  /* 0: unknown */
    int64_t silent_us;               /* the minimum length of its silence at the loss; -1: unknown */
    int64_t heard_us;                /* packets show its client again then; 0: none does */
    struct client_pause pause;       /* of its client, as its host's logs show it */
    bool pauses_read, pause_assumed; /* assumed: these logs may be of another host */

    /* From the transaction logs, if they were read. */
    bool logged;              /* the recording holds facts of that time */
    int64_t together_us;      /* within this time of the loss */
    size_t expired_beside;    /* the number of other sessions that expired within together_us */
    size_t expired_same_host; /* those with the same address, out of expired_known */
    size_t expired_known;
    size_t expired_same_name;   /* those of them that are candidates whose identity names the same host */
    size_t expired_same_server; /* those of them that began at the same server */
    size_t lived_same_server;   /* candidates' sessions that began there and lived on */
    char *beside[STORY_NAMES];  /* the candidates among them, by their usual names */
    size_t beside_count;
    uint64_t deleter;      /* the other session that deleted it; 0: none */
    size_t deleter_others; /* further ephemeral znodes that it deleted within STORY_AROUND_US */
    char *deleter_path;    /* one of them; or NULL */
    bool deleter_is_next;  /* it owns a candidate with the lost leader's identity: its next session */
    int64_t deleted_us;    /* when the election itself was deleted; 0: it was not */
    int64_t remade_us;     /* when it was created again; 0: not as far as known */
    int64_t epoch_us;      /* the latest change of ZooKeeper's leader before the loss; 0: none nearby */
    int64_t epoch_zxid, epoch_from_us;      /* its earliest possible beginning; 0: unknown */
    struct story_start starts[STORY_NAMES]; /* servers started shortly before or after */
    size_t start_count;
    int64_t back_us; /* how far a clock was set back around the loss; 0: not at all */
    size_t missing;  /* missing stretches of transactions around the loss */

    /* The chain and the servers just before. */
    bool snapshot; /* the election was watched then */
    size_t candidates;
    char *successor;        /* the second candidate in order; NULL: none */
    int successor_notified; /* 1: it would be notified; 0: not; -1: unknown */
    bool successor_left;    /* it did not lead, and its znode went about then, too: perhaps before */
    bool chain_broken;
    struct story_finding *findings;
    size_t finding_count;
    size_t servers_away, server_count; /* servers that did not answer just before */
    struct story_danger *dangers;
    size_t danger_count;
    struct story_load *loads;
    size_t load_count;

    /* The leader was lost before the recording began, or there was none: failover is empty but for lost_at, the
     * time of the state in which there is no leader. */
    bool loss_unseen;
    /* Why there is no leader after it, as the recording's end shows; 0: there is one, or it is not known. */
    struct vacancy_reason after[VACANCY_REASONS];
    size_t after_count;
    bool led_unseen; /* another may have led since then, in a gap */
    int64_t ends_us; /* the recording's end, if nobody led until then and that was long ago; else 0 */

    /* Beside it, and before. */
    char **near; /* other elections that changed their leader within STORY_NEAR_US */
    size_t near_count, near_room;
    size_t near_same_session; /* their failovers that lost the same identity or session */
    int64_t returned_us;      /* when the same identity was a candidate again; 0: not within STORY_RETURN_S */
    char *returned;           /* the name of that candidate */
    int64_t in_line_us;       /* since when another candidate of the same identity existed; 0: none */
    int64_t before_since_us;  /* STORY_BACK_US before, or when the recording begins */
    size_t before;            /* failovers of this election since then */
    size_t before_same_time;  /* those at the same time of day */
    size_t before_same_from;  /* those in which the same identity lost its leadership */
    size_t before_same_cause;
    size_t before_known;       /* of the latest STORY_NAMES of them, those with a known session */
    size_t before_same_server; /* those whose session had begun at the same server */
};

struct story_query {
    const char *election;        /* its path, full path or name; NULL: any */
    const char *cluster;         /* NULL: any */
    int64_t at_us;               /* the latest failover lost by this time */
    int64_t from_us;             /* and not before this time; 0: no limit */
    const struct failover *like; /* this one of the election, as the recorder saw it if it did; NULL: any */
    bool open_first;             /* an outage that lasts comes before failovers that are over, seen or not */
    int64_t now_us;              /* the time of the question: story->ends_us; 0: it does not matter */
    struct client_logs client_logs; /* of the lost leader's host: story->pause */
};

/* NULL, and *error NULL: there is no such failover; else a text in *error (the caller frees it). */
struct story *story_make(struct history *history, const struct story_query *query, char **error);
void story_free(struct story *story); /* NULL is fine */
/* When the client of the lost leader fell silent (wall clock), at the earliest; 0: not known. */
int64_t story_silent_since(const struct story *story);

#endif

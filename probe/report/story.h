/*
 * story.h - the story of one failover: what a recording holds of it, of what was before it and beside it.
 *
 * Gathered here are facts; what follows from them is said by the lines of the story
 * (tui/words/story_lines.h), and marked as an inference. A story owns all it holds.
 */
#ifndef ELECTOP_PROBE_REPORT_STORY_H
#define ELECTOP_PROBE_REPORT_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/finding.h"
#include "probe/history/history.h"

/* Sessions that expire within this time of a leader's are counted with it, or within a third of its timeout:
   clients that fall silent together were heard last at most so far apart. */
#define STORY_TOGETHER_US INT64_C(500000)
/* What happened so long before or after is looked at for what else went on. */
#define STORY_AROUND_US INT64_C(60000000)
/* Failovers of other elections so near are mentioned. */
#define STORY_NEAR_US INT64_C(5000000)
/* How far back the same is looked for; and how near in the time of day it is "at the same time". */
#define STORY_BACK_US (INT64_C(7) * 24 * 3600 * 1000000)
#define STORY_SAME_TIME_US INT64_C(120000000)
#define STORY_NAMES 8
/* The same client is looked for again for so long. */
#define STORY_RETURN_S 600
/* A directory that is deleted with all in it goes within this time of its leader. */
#define STORY_DELETED_US INT64_C(1000000)
/* A server that went down so long before, or three timeouts, may have to do with it. */
#define STORY_START_US INT64_C(15000000)

struct story_finding {
    enum finding_code code;
    enum certainty certainty;
    char *evidence; /* or NULL */
};

/* What a server did just before that endangers elections (dangers.h). */
struct story_danger {
    char *server;
    const char *code; /* static */
    char *evidence;
};

/* So many requests that wait for a server are mentioned. */
#define STORY_WAITING_LEAST 10

/* A server with many requests waiting, by its own latest figures before. */
struct story_load {
    char *server;
    int64_t waiting, latency_avg_us, latency_max_us; /* latencies: -1: not known */
    int64_t seen_us;
};

/* A server that was started: at some time between two transactions. */
struct story_start {
    char *server;    /* its directory */
    uint64_t number; /* 0: not known */
    int64_t zxid, from_us, to_us;
};

struct story {
    char *cluster, *election, *name; /* cluster may be NULL; full path; for people */
    struct failover failover;
    int64_t led_since_us; /* the one that was lost; 0: not known */
    bool led_exact;
    uint64_t session;  /* of the leader that was lost; 0: not known */
    char *client;      /* its address, "10.0.3.17:51234"; NULL: not known */
    char *server;      /* that it was connected to; NULL: not known */
    int timeout_ms;    /* 0: not known */
    int64_t silent_us; /* when it was lost, not heard for so long at least; -1: not known */

    /* From the transaction logs, where they were read. */
    bool logged;              /* the recording holds facts of that time */
    int64_t together_us;      /* within so much of the loss ... */
    size_t expired_beside;    /* ... so many other sessions expired */
    size_t expired_same_host; /* of them, from the same address; all whose address is known: expired_known */
    size_t expired_known;
    size_t expired_same_name; /* of them, candidates whose identity has the same host in front of its port */
    size_t expired_same_server; /* of them, that began at the same server */
    size_t lived_same_server;   /* candidates' sessions that began there as well, and lived on */
    char *beside[STORY_NAMES];  /* the candidates among them, as people call them */
    size_t beside_count;
    uint64_t evictor;      /* that deleted it; 0: nobody else did */
    size_t evictor_others; /* further ephemeral znodes that it deleted within STORY_AROUND_US */
    char *evictor_path;    /* one of them; or NULL */
    bool evictor_is_next;  /* it owns a candidate of the identity that was lost: its next session */
    int64_t deleted_us;    /* the election itself was deleted then; 0: it was not */
    int64_t remade_us;     /* ... and made again; 0: not as far as is known */
    int64_t
        epoch_us; /* ZooKeeper's leader changed then, the latest time before the loss; 0: not within reach */
    int64_t epoch_zxid, epoch_from_us; /* it may have begun so early; 0: not known */
    struct story_start
        starts[STORY_NAMES]; /* servers that were started, from shortly before to shortly after */
    size_t start_count;
    int64_t back_us; /* a clock went back by so much, around it; 0: none did */
    size_t missing;  /* stretches of transactions around it that are in no log */

    /* The chain and the servers just before. */
    bool snapshot; /* it was being watched then */
    size_t candidates;
    char *heir;        /* the second in line; NULL: none */
    int heir_notified; /* 1: it would be notified; 0: not; -1: not known */
    bool chain_broken;
    struct story_finding *findings;
    size_t finding_count;
    size_t servers_away, server_count; /* that did not answer just before */
    struct story_danger *dangers;
    size_t danger_count;
    struct story_load *loads;
    size_t load_count;

    /* Beside it, and before. */
    char *near[STORY_NAMES];  /* other elections that changed their leader within STORY_NEAR_US */
    size_t near_count;        /* all of them, each once */
    size_t near_same_session; /* ... of their failovers, that lost the same identity or session */
    int64_t returned_us;      /* the same identity was a candidate again; 0: not within STORY_RETURN_S */
    char *returned;           /* as this one */
    int64_t in_line_us;       /* a candidate of the same identity was in line, since then; 0: none */
    int64_t before_since_us;  /* STORY_BACK_US before, or when the recording begins */
    size_t before;            /* failovers of this election since then */
    size_t before_same_time;  /* ... at the same time of day */
    size_t before_same_from;  /* ... that took the leadership from the same identity */
    size_t before_same_cause;
    size_t before_known;       /* of the latest STORY_NAMES of them, those whose session is known ... */
    size_t before_same_server; /* ... and had begun at the same server */
};

struct story_query {
    const char *election; /* its path, full path or name; NULL: any */
    const char *cluster;  /* NULL: any */
    int64_t at_us;        /* the latest failover that was lost by then ... */
    int64_t from_us;      /* ... and not before; 0: since ever */
};

/* NULL, and *error NULL: there is no such failover; else a text in *error (caller frees). */
struct story *story_make(struct history *history, const struct story_query *query, char **error);
void story_free(struct story *story); /* NULL is fine */

#endif

/*
 * finding.h - the codes of all findings, and one finding with its evidence.
 *
 * One table gives every code's meaning, its appearance in ZooKeeper and its remedy. The help pages, the JSON
 * and the diagnoses read it. A finding is raised when its evidence is complete and cleared when the evidence
 * is gone. Stale evidence does not clear it (then: unconfirmed since).
 */
#ifndef ELECTOP_PROBE_ELECTION_FINDING_H
#define ELECTOP_PROBE_ELECTION_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/moment.h"

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_CRITICAL };
enum certainty { CERTAINTY_SUSPECTED, CERTAINTY_CERTAIN };

enum finding_code {
    FINDING_NO_LEADER,
    FINDING_NEVER_WAKES,
    FINDING_NO_WATCH,
    FINDING_WATCH_ON_DELETED,
    FINDING_WATCH_SELF,
    FINDING_WRONG_PREDECESSOR,
    FINDING_WATCH_EATEN,
    FINDING_ORPHAN_READER,
    FINDING_HERD,
    FINDING_WATCHER_WITHOUT_CANDIDATE,
    FINDING_EXTRA_WATCHES,
    FINDING_PERSISTENT_CANDIDATE,
    FINDING_DUPLICATE_SESSION,
    FINDING_DUPLICATE_IDENTITY,
    FINDING_GHOST_EPHEMERAL,
    FINDING_OWNER_DISCONNECTED,
    FINDING_LEADER_SILENT,
    FINDING_NEVER_ACKNOWLEDGED,
    FINDING_ACKNOWLEDGEMENT_MISMATCH,
    FINDING_SPLIT_BRAIN,
    FINDING_STALE_LOCK,
    FINDING_DOUBLE_LEADER_RISK,
    FINDING_DOUBLE_LEADER,
    FINDING_SLOW_REACTION,
    FINDING_FLAPPING,
    FINDING_SLOW_FAILOVER,
    FINDING_SESSION_TIMEOUT_LONG,
    FINDING_SESSION_TIMEOUT_SHORT,
    FINDING_SEQUENCE_NEAR_OVERFLOW,
    FINDING_SEQUENCE_OVERFLOWED,
    FINDING_SEQUENCE_TIE,
    FINDING_FOREIGN_CHILD,
    FINDING_ELECTION_GONE,
    FINDING_NO_GUID,
    FINDING_REPLICA_DIVERGENCE,
    FINDING_BAD_REPLY,
    FINDING_UNSEEN_CHANGES,
    FINDING_COUNT
};

/* A row of the table. */
struct finding_kind {
    const char *word;       /* "no-watch" */
    enum severity severity; /* the usual severity */
    const char *meaning;    /* one or two sentences, for the user */
    const char *looks;      /* its appearance in ZooKeeper, which proves it */
    const char *advice;     /* the remedy */
    const char *source;     /* an observed case, or NULL */
};
const struct finding_kind *finding_kind(enum finding_code code);
/* Finds a code by its word; FINDING_COUNT: none. */
enum finding_code finding_code_of(const char *word);

const char *severity_word(enum severity severity);    /* "critical" */
const char *certainty_word(enum certainty certainty); /* "certain" */
/* Of a word; the least for another one, and for NULL. */
enum severity severity_find(const char *word);
enum certainty certainty_find(const char *word);

struct finding {
    enum finding_code code;
    enum severity severity;
    enum certainty certainty;
    uint64_t subject;  /* identifies it among others of the same code in its election, as long as it lasts */
    char **candidates; /* names, possibly none; the first is the subject of the finding */
    size_t candidate_count;
    char *evidence; /* paths, sessions, servers, times */
    char *advice;
    bool one_poll;                   /* rests on a single poll of the watches: do not act on it */
    struct moment since;             /* raised */
    struct moment unconfirmed_since; /* mono_us 0: its evidence is fresh */
};

/* A copy with separate names and texts. */
void finding_copy(struct finding *to, const struct finding *from);
/* Frees its names and texts. */
void finding_release(struct finding *finding);

#endif

/*
 * report.h - the history of a period, read once from a recording for every form of output: JSON
 * (json_report_write()), text, Markdown and HTML (tui/output/).
 *
 * A report owns all its data, so the recording may be closed. Times are wall-clock microseconds since 1970.
 * All texts are untrusted bytes.
 *
 * A gap is a separate stretch and never counts as led or vacant. The stretches of an election cover the whole
 * window: a period missing in the recording is a gap.
 */
#ifndef ELECTOP_PROBE_REPORT_REPORT_H
#define ELECTOP_PROBE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/failover.h"
#include "probe/election/finding.h"
#include "probe/history/history.h"
#include "probe/json/buffer.h"
#include "probe/report/story.h"

/* One entry for each leader: by identity, or by name if the identity is unknown. */
struct report_leader {
    char *name;                 /* of the first znode with which it led */
    char *identity;             /* or NULL */
    size_t tenures;             /* a tenure continues through a gap if the same znode leads after it */
    int64_t led_us, longest_us; /* the observed time; the longest tenure, including its gaps */
};

#define REPORT_NO_LEADER SIZE_MAX
struct report_stretch {
    enum stretch_kind kind;
    size_t leader;    /* index of leaders; REPORT_NO_LEADER unless STRETCH_LED */
    char *name;       /* of the leader's znode; NULL unless STRETCH_LED */
    uint64_t session; /* of the leader; 0: not known */
    int64_t from_us, to_us;
    bool from_exact;    /* its beginning was seen */
    int64_t skipped_us; /* of a gap: the time that the recorder's clock skipped when it was set forward */
};

struct report_finding {
    struct finding finding; /* as last reported */
    int64_t raised_us;      /* may be before the window: the finding was present at its beginning */
    int64_t cleared_us;     /* 0: not cleared at the end of the window */
};

struct report_election {
    char *cluster;         /* its name; or NULL */
    char *path, *name;     /* below the chroot; for the user (often the same) */
    char *full_path;       /* as in the recording */
    char *recipe;          /* NULL: not recognised */
    char *owner, *runbook; /* from the settings; NULL: not given */
    enum election_kind kind;
    enum election_state state; /* at the end of the window, as far as recorded */
    char *doubt;               /* why its first in line does not lead then; NULL: nothing shows that */
    enum certainty doubt_certainty;
    bool set_back; /* its last moment is not the latest: the clock was set back then */

    struct report_stretch *stretches;
    size_t stretch_count;
    struct report_leader *leaders; /* in the order of their first leadership */
    size_t leader_count;
    struct failover *failovers; /* in order */
    size_t failover_count;
    size_t missed_count;                       /* those of them found after a gap */
    size_t change_count;                       /* observed changes of leader, as changes.h counts them */
    struct failover_stats stats;               /* of the observed failovers */
    struct failover_figures notified, reacted; /* of their successors, as captures show them */
    struct story **stories;                    /* of the longest and the latest observed ones, in order */
    size_t story_count;
    struct report_finding *findings; /* in the order in which they were raised */
    size_t finding_count;

    int64_t led_us, vacant_us, gap_us; /* the sum is the window */
    int64_t before_us;                 /* part of gap_us: before it was first seen in the whole recording */
    int64_t skipped_us;                /* part of gap_us: time skipped by the recorder's clock */
    int64_t longest_vacant_us;
    uint64_t unseen_joined, unseen_left; /* proved by counters, but not notified */
};

struct report {
    int64_t from_us, to_us;                   /* the window */
    int64_t recorded_from_us, recorded_to_us; /* the recorded period; both 0: none */
    struct history_clock *clocks; /* changes of the recorder's clock, with either time in the window */
    size_t clock_count;
    struct logged_fact *facts; /* about ZooKeeper itself, from its logs, in the window; in order */
    size_t fact_count;
    bool several_clusters;             /* among the elections */
    struct report_election *elections; /* the worst first */
    size_t election_count;
};

struct report_query {
    int64_t from_us, to_us;
    const char *cluster; /* by name; NULL: all */
    /* Its path as users write it, a pattern of such paths, its full path or its name; NULL: all. */
    const char *election;
    const struct settings *settings; /* for owners and runbooks; may be NULL */
    size_t stories;                  /* the maximum number of stories per election; 0: none */
    struct client_logs client_logs;  /* for the stories */
};

/* All recorded facts lie outside the window, or there are none. */
bool report_is_empty(const struct report *report);

/* The unobserved time is long enough to mention: a recording begins before the first snapshot is complete. */
bool report_has_gap(const struct report_election *election);
/* The unobserved time, without the time before it was first seen and the time that a clock skipped. */
int64_t report_gap_us(const struct report_election *election);
/* The number of unobserved stretches, without the same two. */
size_t report_gap_count(const struct report_election *election);
/* Whether this stretch is one of them. */
bool report_is_gap(const struct report_election *election, size_t stretch);

/* Observed changes of leader per observed hour; negative: too little was observed. */
double report_changes_per_hour(const struct report_election *election);

/* Calculates an election's sums and statistics from its stretches and failovers; report_make() has done
 * it. */
void report_sum_up(struct report_election *election);

/* NULL and a text in *error (the caller frees it): the recording cannot be read. */
struct report *report_make(struct history *history, const struct report_query *query, char **error);
void report_free(struct report *report); /* NULL is fine */

/*
 * A report as one JSON document: `electop report --json`.
 *
 *   schema, from, to (the window), recording: {file, from, to} (from and to null: it is empty),
 *   clock_set: [{before, after}] (of the recorder; in the order of recording),
 *   ensemble: [{event (a word of logged_fact.h), time, zxid, server (its directory, or null),
 *               since (the transaction before, or null)}],
 *   elections: [{
 *     cluster (null: it has no name), path, name, kind, recipe (null: not recognised), owner, runbook (as
 *     the configuration says, or null),
 *     led_ms, vacant_ms, gap_ms (not observed): together the window; longest_vacant_ms,
 *     skipped_ms (of gap_ms: time that never was, as the recorder's clock skipped it),
 *     leader_changes (those that were seen), leader_changes_missed (found after a gap),
 *     leader_changes_per_hour (of the time observed; null: too little was observed),
 *     failovers: {window_ms, count, p50_ms, p90_ms, p99_ms, max_ms (each [low, high], or null),
 *                 by_cause: {cause: {count, p50_ms, ...}}, notified, reacted: {count, p50_ms, ...}
 *                 (of successors, after the loss; only if packets were captured),
 *                 list: [{time (of the loss), elected, gap_ms (null: it was seen), and the keys of
 *                         json_failover_write()}]},
 *     timeline: [{state: "led", "vacant" or "gap", leader, identity, from, to, from_exact}],
 *     leaders: [{name (of its first znode), identity, tenures, led_ms (of the observed time), longest_ms (a
 *               tenure: it continues through a gap if the same candidate leads after it)}],
 *     findings: [{raised, cleared (null: not cleared at the end), finding}],
 *     unseen: {joined, left}
 *   }]
 *
 * failovers.count is of those whose length is known: it may be smaller than leader_changes. The list has all
 * whose evidence is complete; a change of the last seconds may still be missing there. A finding that was
 * present at the beginning was raised before from.
 */

/* Appends the document in a readable layout: one line for a failover, a stretch or a finding. */
void json_report_write(struct buffer *out, const struct report *report, const char *recording);

#endif

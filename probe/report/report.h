/*
 * report.h - the history of a period, gathered once from a recording for every form of
 * output: JSON (json_report_write()), text, Markdown and HTML (tui/output/).
 *
 * A report owns all it contains, so the recording may be closed. Times are wall-clock microseconds since
 * 1970. All texts are foreign bytes.
 *
 * A gap is a separate stretch and is never counted as led or as vacant. The stretches of an
 * election cover the whole window: a period that is not in the recording is a gap.
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

/* Everybody who led, once: by identity, or by name where no identity is known. */
struct report_leader {
    char *name;                 /* of the znode with which it led first */
    char *identity;             /* or NULL */
    size_t tenures;             /* one goes on through a gap, where the same znode leads behind it */
    int64_t led_us, longest_us; /* that was watched; a tenure, with its gaps */
};

#define REPORT_NOBODY SIZE_MAX
struct report_stretch {
    enum stretch_kind kind;
    size_t leader; /* index of leaders; REPORT_NOBODY unless STRETCH_LED */
    char *name;    /* of the leader's znode; NULL unless STRETCH_LED */
    int64_t from_us, to_us;
    bool from_exact;    /* its beginning was seen */
    int64_t skipped_us; /* of a gap: what the recorder's clock skipped when it was set forward */
};

struct report_finding {
    struct finding finding; /* as last reported */
    int64_t raised_us;      /* may precede the window: it was present at its beginning */
    int64_t cleared_us;     /* 0: not cleared at the end of the window */
};

struct report_election {
    char *cluster;         /* its name; or NULL */
    char *path, *name;     /* below the chroot; for people (often the same) */
    char *full_path;       /* as the recording knows it */
    char *recipe;          /* NULL: not recognised */
    char *owner, *runbook; /* as the settings say; NULL: not said */
    enum election_kind kind;
    enum election_state state; /* at the end of the window, as far as recorded */

    struct report_stretch *stretches;
    size_t stretch_count;
    struct report_leader *leaders; /* in the order in which they led first */
    size_t leader_count;
    struct failover *failovers; /* in order */
    size_t failover_count;
    size_t missed_count;         /* of them: found after a gap */
    size_t change_count;         /* changes of leader that were seen: those failovers that were, and those
                                    of the time line whose evidence is not in yet */
    struct failover_stats stats; /* over those that were seen */
    struct story **stories;      /* of the longest and the latest that were seen, in order */
    size_t story_count;
    struct report_finding *findings; /* in the order in which they were raised */
    size_t finding_count;

    int64_t led_us, vacant_us, gap_us; /* together the window */
    int64_t before_us;                 /* of gap_us: before it was first seen in all of the recording */
    int64_t skipped_us; /* of gap_us: time that never was, as the recorder's clock skipped it */
    int64_t longest_vacant_us;
    uint64_t unseen_joined, unseen_left; /* proved by counters, brought by no notification */
};

struct report {
    int64_t from_us, to_us;                   /* the window */
    int64_t recorded_from_us, recorded_to_us; /* what the recording holds; both 0: nothing */
    struct history_clock *clocks;             /* when the recorder's clock was set, in the window by either */
    size_t clock_count;
    struct logged_fact *facts; /* of ZooKeeper itself, from its logs, in the window; in order */
    size_t fact_count;
    bool several_clusters;             /* among the elections */
    struct report_election *elections; /* the worst first */
    size_t election_count;
};

struct report_query {
    int64_t from_us, to_us;
    const char *cluster; /* by name; NULL: all */
    /* Its path as its users give it, a pattern of such, its full path or its name; NULL: all. */
    const char *election;
    const struct settings *settings; /* for owners and runbooks; may be NULL */
    size_t stories;                  /* of so many failovers of one election at most; 0: none */
};

/* Everything was recorded outside of the window, or nothing at all. */
bool report_is_empty(const struct report *report);

/* So much of the time was not watched that it is worth a word: a recording begins with the moment until the
   first look. */
bool report_has_gap(const struct report_election *election);
/* The time without observation, but for the one before it was first seen and what a clock skipped. */
int64_t report_gap_us(const struct report_election *election);
/* Stretches without observation, but for the same two. */
size_t report_gap_count(const struct report_election *election);
/* Is this stretch one of them? */
bool report_is_gap(const struct report_election *election, size_t stretch);

/* Leader changes that were seen, by the hour that was watched; negative: too little was watched to say. */
double report_changes_per_hour(const struct report_election *election);

/* Fills an election's sums and statistics in from its stretches and failovers; report_make() has done it. */
void report_sum_up(struct report_election *election);

/* NULL and a text in *error (caller frees): the recording cannot be read. */
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
 *                 by_cause: {cause: {count, p50_ms, ...}},
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

/* Appends the document, laid out for people too: a failover, a stretch, a finding a line. */
void json_report_write(struct buffer *out, const struct report *report, const char *recording);

#endif

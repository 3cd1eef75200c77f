/*
 * report.h - the history of a period, gathered once from a recording for every form of
 * output: JSON (json_report.h), text, Markdown and HTML (tui/output/).
 *
 * A report owns all it contains, so the recording may be closed. Times are wall-clock microseconds since
 * 1970. All texts are foreign bytes.
 *
 * A gap is a stretch of its own and is never counted as led or as vacant. The stretches of an
 * election cover the whole window: a period that is not in the recording is a gap.
 */
#ifndef ELECTOP_PROBE_REPORT_REPORT_H
#define ELECTOP_PROBE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/failover.h"
#include "probe/election/failover_stats.h"
#include "probe/election/finding.h"
#include "probe/history/history.h"

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
    bool from_exact; /* its beginning was seen */
};

struct report_finding {
    struct finding finding; /* as last reported */
    int64_t raised_us;      /* may precede the window: it was present at its beginning */
    int64_t cleared_us;     /* 0: not cleared at the end of the window */
};

struct report_election {
    char *cluster;     /* its name; or NULL */
    char *path, *name; /* below the chroot; for people (often the same) */
    char *full_path;   /* as the recording knows it */
    char *recipe;      /* NULL: not recognised */
    enum election_kind kind;
    enum election_state state; /* at the end of the window, as far as recorded */

    struct report_stretch *stretches;
    size_t stretch_count;
    struct report_leader *leaders; /* in the order in which they led first */
    size_t leader_count;
    struct failover *failovers; /* in order */
    size_t failover_count;
    size_t missed_count;             /* of them: found after a gap */
    size_t change_count;             /* changes of leader that were seen: those failovers that were, and those
                                        of the time line whose evidence is not in yet */
    struct failover_stats stats;     /* over those that were seen */
    struct report_finding *findings; /* in the order in which they were raised */
    size_t finding_count;

    int64_t led_us, vacant_us, gap_us; /* together the window */
    int64_t longest_vacant_us;
    uint64_t unseen_joined, unseen_left; /* proved by counters, brought by no notification */
};

struct report {
    int64_t from_us, to_us;                   /* the window */
    int64_t recorded_from_us, recorded_to_us; /* what the recording holds; both 0: nothing */
    struct history_clock *clocks;             /* when the recorder's clock was set, in the window by either */
    size_t clock_count;
    bool several_clusters;             /* among the elections */
    struct report_election *elections; /* the worst first */
    size_t election_count;
};

struct report_query {
    int64_t from_us, to_us;
    const char *cluster; /* by name; NULL: all */
    /* Its path as its users give it, a pattern of such, its full path or its name; NULL: all. */
    const char *election;
};

/* The part of the window of which anything is recorded; false: there is none. */
bool report_recorded_part(const struct report *, int64_t *from_us, int64_t *to_us);
/* Everything was recorded outside of the window, or nothing at all. */
bool report_is_empty(const struct report *);

/* So much of the time was not watched that it is worth a word: a recording begins with the moment until the
   first look. */
bool report_has_gap(const struct report_election *);
/* Stretches without observation. */
size_t report_gap_count(const struct report_election *);

/* Leader changes that were seen, by the hour that was watched; negative: too little was watched to say. */
double report_changes_per_hour(const struct report_election *);

/* Fills an election's sums and statistics in from its stretches and failovers; report_make() has done it.
   False: out of memory. */
bool report_sum_up(struct report_election *);

/* NULL and a text in *error (caller frees): the recording cannot be read, or out of memory. */
struct report *report_make(struct history *, const struct report_query *, char **error);
void report_free(struct report *); /* NULL is fine */

#endif

/*
 * trial.h - a run of test candidates from its beginning to its end: what `inject` and the dashboard's form
 * do.
 *
 *   connect -> look at the path -> make the run's place -> figures before -> the crowd -> figures after ->
 *   remove everything -> report
 *
 * It has a session of its own, by which it looks, makes and removes, and by which it feels the ensemble's
 * pulse: a request every so often, whose 99th percentile ends the run where it passes its limit. It stops by
 * itself at the time limit, when that session is lost, and when a limit is passed; trial_stop() at any moment
 * leads to the same end, with nothing of it left in the tree.
 *
 * Times are microseconds of uv_hrtime(), durations say their unit.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_H
#define ELECTOP_PROBE_INJECT_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"
#include "probe/inject/agents.h"
#include "probe/inject/crowd.h"
#include "probe/inject/server_marks.h"
#include "probe/inject/wishes.h"

struct trial;

struct trial_options {
    const struct settings *settings;        /* borrowed: limits, the sandbox */
    const struct cluster_settings *cluster; /* borrowed */
    const char *path;                       /* below the chroot */

    size_t candidates;
    int rate_per_s; /* 0: as fast as the servers take them, within the configured ceiling unless load */
    struct crowd_part parts[WISHES_PARTS];
    size_t part_count;
    enum crowd_victim victim;
    uint64_t every_ms;
    enum departure how;
    size_t per_session;
    enum crowd_look look;
    const char *join; /* the run that several agents share; NULL: alone */
    const char *name; /* pattern; NULL: as the path's candidates have it, else "n_" */
    int64_t for_ms;   /* from when all stand; 0: no limit */
    int64_t wait_ms;  /* how long the first connection may take */
    bool live;        /* in the path itself, behind its real candidates; its configuration allows it */
    bool load;        /* leave for more than the ceiling */
};

enum trial_phase {
    TRIAL_CONNECTING,
    TRIAL_LOOKING,   /* at the path */
    TRIAL_MAKING,    /* its place */
    TRIAL_MEETING,   /* until all agents of the run are there */
    TRIAL_STANDING,  /* the crowd comes on */
    TRIAL_RUNNING,   /* all stand */
    TRIAL_ENDING,    /* the crowd goes */
    TRIAL_GATHERING, /* the parts of all agents */
    TRIAL_REMOVING,
    TRIAL_OVER
};

/* Why it ended before its time, or what kept it from beginning. */
enum trial_end {
    TRIAL_DONE,      /* its time was over */
    TRIAL_STOPPED,   /* by whoever runs it */
    TRIAL_REFUSED,   /* for safety, or it makes no sense: nothing was begun */
    TRIAL_UNREACHED, /* no server within wait_ms */
    TRIAL_LOST,      /* the tool's own session */
    TRIAL_TOO_SLOW,  /* the ensemble's ping */
    TRIAL_FAILED     /* something else, said in the problem */
};
const char *trial_end_word(enum trial_end);     /* of the JSON: "done" */
const char *trial_phase_word(enum trial_phase); /* for people: "standing" */

struct trial_times {
    const struct histogram *stand, *failover;
    struct histogram detection, vacancy, takeover;
};

/* Everything that can be told of it, during and after. */
struct trial_report {
    enum trial_phase phase;
    enum trial_end end;
    const char *problem;  /* NULL: none */
    const char *notes;    /* what people should know, a line each; "" */
    const char *election; /* where the candidates stand, full path; NULL: not known yet */
    const char *copied;   /* the path whose layout was taken, or NULL */
    const char *name;     /* the pattern */
    bool lock;
    const struct trial_options *options;
    struct crowd_figures crowd;       /* its histograms and failovers: NULL and 0 before there is one */
    struct trial_times times;         /* with --join: of all agents together, at the end */
    uint64_t by_how[DEPART_COUNT][2]; /* failovers: those that ended, and those that did not */
    struct histogram by_cause[DEPART_COUNT];
    uint64_t notices, requests, counted; /* of the failovers that were counted */
    uint64_t run_us;                     /* since all stand, or since the beginning */
    int64_t wall_ms;                     /* when it began */
    struct histogram ping;
    uint64_t cpu_us; /* of this process, over the run */
    struct server_mark before[SERVER_MARKS_MOST], after[SERVER_MARKS_MOST];
    size_t server_count;
    const struct agent_part *agents; /* NULL: alone, or not at the end yet */
    size_t agent_count;
    size_t swept; /* runs that were over, removed first */
    /* Live: how often all withdrew, and how few real candidates stood before ours while they stood. */
    size_t withdrawals, real_least;
    size_t left_to_expire; /* sessions that could not be ended in an orderly way */
    uint64_t refused;      /* writes that the guard did not let through: a defect */
};

struct trial_listener {
    void (*changed)(void *context);                                    /* its phase; may be NULL */
    void (*failed_over)(void *context, const struct crowd_failover *); /* may be NULL */
    void (*over)(void *context); /* once; then trial_free() may be called, not from within */
};

/* Begins. Texts in the options must outlive it. NULL: out of memory. */
struct trial *trial_new(uv_loop_t *, const struct trial_options *, const struct trial_listener *,
                        void *context);

/* Ends it before its time, in an orderly way; over is called after that. */
void trial_stop(struct trial *);
/* At any moment. Before it is over: what stands in the tree stays for the next run to remove. */
void trial_free(struct trial *);

/* Fills a report as of now; texts and pointers stay valid until the loop turns. Large: not for the stack. */
void trial_report(const struct trial *, struct trial_report *);

/* -1: not known. Microseconds, or a number. */
int64_t trial_figure(const struct trial_report *, enum wish_figure, enum wish_of);

/* While it stands or runs, else NULL: to kill, pause, resume, resign single candidates, and to add some. */
struct crowd *trial_crowd(const struct trial *);

#endif

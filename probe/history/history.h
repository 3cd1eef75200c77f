/*
 * history.h - reads a recording: the elections at any moment, and the events between two.
 *
 * A recording is one SQLite file (schema.h describes it for people who query it themselves). Any
 * number may read it while one recorder writes (recorder.h). Times are wall-clock microseconds since 1970,
 * by the recorder's clock; where that clock jumped back, the order of recording decides.
 *
 * A moment shows the model of that time, including findings with their evidence, and not the conclusions of
 * today's program.
 */
#ifndef ELECTOP_PROBE_HISTORY_HISTORY_H
#define ELECTOP_PROBE_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/changes.h"
#include "probe/election/event.h"
#include "probe/election/failover.h"
#include "probe/election/model.h"
#include "probe/transactions/logged_fact.h"
#include "probe/json/buffer.h"

struct history;

/* NULL and a text in *error (caller frees): the error, and the remedy. */
struct history *history_open(const char *file, char **error);
void history_close(struct history *history); /* NULL is fine */
/* The same recording once more, for moments beside the one that is shown. */
struct history *history_again(const struct history *h, char **error);

/*
 * From the first thing recorded to the latest observed moment (a quiet cluster is recorded too: the
 * end advances while a recorder runs, about a second behind). A live recording grows while it is open here.
 * False: it is empty, or it cannot be read, and then a text in *error (caller frees; error may be NULL).
 */
bool history_bounds(struct history *history, int64_t *from_us, int64_t *to_us, char **error);

/* The observations of this time that are kept, as blocks of a case (probe/case/case_file.h) at the end of out:
 * some minutes more, at both ends. *until_us: of the latest; a recorder writes later ones within
 * RECORDER_OBSERVED_MIN minutes. False and a text in *error (caller frees): there are none. */
bool history_observations(struct history *history, int64_t from_us, int64_t to_us, struct buffer *out,
                          int64_t *until_us, char **error);

/* The moment that was recorded last: before the latest one where the clock was set back. Asked for behind
   history_bounds(). */
int64_t history_end_us(const struct history *history);

/*
 * Of each of count equal parts of that time: was any cluster watched in it? False: it cannot be read, and
 * none is said to be.
 */
bool history_watched(struct history *history, int64_t from_us, int64_t to_us, size_t count, bool *watched);

/*
 * The model at that moment, of all clusters that were being recorded. Owned by the history, valid
 * until the next call that succeeds. NULL and a text in *error (caller frees): before the beginning, after
 * the end, or it cannot be read.
 */
const struct model *history_at(struct history *history, int64_t at_us, char **error);

/* The clock was set: the last time before, and the first after. In the order of recording. */
struct history_clock {
    int64_t before_us, after_us;
};
typedef bool (*history_clock_fn)(void *context, const struct history_clock *);
bool history_clocks(struct history *history, history_clock_fn fn, void *context, char **error);

/* What to look at; members that are NULL leave nothing out. */
struct history_filter {
    const char *cluster;  /* by name */
    const char *election; /* full path */
    uint64_t events;      /* a set of 1 << enum event_kind; 0: all */
};

/* Those with from <= time < to, in order. The event and all it points at are valid during the call; false
 * from fn ends it. */
typedef bool (*history_event_fn)(void *context, const struct event *);
bool history_events(struct history *history, const struct history_filter *filter, int64_t from_us,
                    int64_t to_us, history_event_fn fn, void *context, char **error);

/* The nearest such event strictly after (forward) or strictly before that moment; false: there is none. */
bool history_step(struct history *history, const struct history_filter *filter, int64_t from_us, bool forward,
                  int64_t *at_us);

/* Failovers whose loss lies in [from, to), in order. */
typedef bool (*history_failover_fn)(void *context, const struct election *, const struct failover *);
bool history_failovers(struct history *history, const struct history_filter *filter, int64_t from_us,
                       int64_t to_us, history_failover_fn fn, void *context, char **error);

/* How often the leader of the filter's election changed, those found after a gap left out: changes.h. */
bool history_changes(struct history *history, const struct history_filter *filter, int64_t from_us,
                     int64_t to_us, size_t *count, char **error);

/* How long those of the filter's election took, and by what cause. */
bool history_statistics(struct history *history, const struct history_filter *filter, int64_t from_us,
                        int64_t to_us, struct failover_stats *stats, char **error);

/*
 * One stretch of an election's time line, which runs along the clock on the wall: what history_at() shows of
 * each moment. Where that clock was set back, the times that it showed twice are those of the second time.
 */
enum stretch_kind { STRETCH_LED, STRETCH_VACANT, STRETCH_GAP /* not observed */ };
struct history_stretch {
    enum stretch_kind kind;
    const char *name, *identity; /* of the leader; or NULL */
    uint64_t session;            /* its; 0: not known */
    int64_t from_us, to_us;      /* clipped to the requested period */
    bool from_exact;             /* its beginning was seen */
};
/* Counts it. */
void history_stretch_count(struct change_counts *changes, const struct history_stretch *stretch);
typedef bool (*history_stretch_fn)(void *context, const struct history_stretch *);
bool history_stretches(struct history *history, const char *cluster, const char *election, int64_t from_us,
                       int64_t to_us, history_stretch_fn fn, void *context, char **error);

/* ---- facts from transaction logs beyond the elections ---- */

/* Those with from <= time < to, in order; valid during the call; false from fn ends it. A recording without
   any has none: that is no error. */
typedef bool (*history_fact_fn)(void *context, const struct logged_fact *);
bool history_facts(struct history *history, int64_t from_us, int64_t to_us, history_fact_fn fn, void *context,
                   char **error);

#endif

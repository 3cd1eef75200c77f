/*
 * metrics.h - the metrics of a model for Prometheus: the text format, or OpenMetrics 1.0.
 *
 * Names, units and types follow https://prometheus.io/docs/practices/naming/; one table contains them all,
 * for the output and for the manual. Unknown values have no sample: a missing series is unknown, never 0.
 *
 * Counters and histograms begin at 0 with the program. The length of a failover's phase is an interval; the
 * histogram contains its upper bound, and phases without one are counted separately.
 */
#ifndef ELECTOP_PROBE_METRICS_METRICS_H
#define ELECTOP_PROBE_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/event.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_INFO, METRIC_HISTOGRAM };

struct metric_kind {
    const char *name; /* of the family; a counter's samples end in _total, an info's in _info */
    enum metric_type type;
    const char *unit;   /* "seconds", "bytes"; NULL: none */
    const char *labels; /* for the manual */
    const char *help;
};
extern const struct metric_kind metric_table[];
extern const size_t metric_count;
/* The name of its samples: "electop_leader_changes_total". */
#define METRIC_NAME 64
char *metric_sample_name(const struct metric_kind *kind, char buffer[METRIC_NAME]);

struct metrics;

/* series: the limit of samples of elections; the metrics report those left out. */
struct metrics *metrics_new(size_t series);
void metrics_free(struct metrics *metrics);

/* Counts a failover; other events are ignored. */
void metrics_take(struct metrics *metrics, const struct event *event);

/* Reads of one cluster since the start; those of them that had to wait. */
struct metrics_reads {
    uint64_t sent, delayed;
};

/* The program's own state, which is not in the model. */
struct metrics_process {
    const struct metrics_reads *reads; /* by cluster of the model; NULL: unknown */
    double cpu_s, start_time_s;        /* start_time_s: since 1970 */
    int64_t resident_bytes;
    int open_files; /* -1: unknown */
    int recording;  /* 1: the recording is being written; 0: it cannot be; -1: this process records nothing */
    uint64_t lost_events; /* events missing in the recording */
    uint64_t alerts_sent, alerts_failed;
    double rendered_s; /* how long the latest output took to make; negative: none yet */
};

/* Appends all metrics of that moment. */
void metrics_write(struct metrics *metrics, const struct model *model, struct moment now,
                   const struct metrics_process *process, bool openmetrics, struct buffer *out);

#endif

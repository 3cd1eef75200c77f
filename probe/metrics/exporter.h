/*
 * exporter.h - a monitor's metrics, counted from its events and served to Prometheus.
 */
#ifndef ELECTOP_PROBE_METRICS_EXPORTER_H
#define ELECTOP_PROBE_METRICS_EXPORTER_H

#include "probe/json/buffer.h"
#include "probe/monitor.h"

struct exporter;

/* The state of a recorder. recording: 1 it writes, 0 it cannot; lost_events: at present. */
struct exporter_recording {
    int recording;
    uint64_t lost_events, alerts_sent, alerts_failed;
};
typedef struct exporter_recording (*exporter_recording_fn)(void *context);

/*
 * Starts counting. address: where to serve (HOST:PORT), or NULL: nowhere. series: the limit of samples. fn
 * may be NULL: nothing is recorded. NULL and a text in *error (the caller frees it) on failure. End it before
 * the monitor.
 */
struct exporter *exporter_start(uv_loop_t *loop, struct monitor *monitor, const char *address, size_t series,
                                exporter_recording_fn recording, void *context, char **error);
void exporter_stop(struct exporter *exporter); /* NULL is fine */

/* Call this after a reload: the counts continue with another monitor. NULL: with none for now. */
void exporter_follow(struct exporter *exporter, struct monitor *monitor);

/* The present metrics. False: it follows no monitor. */
bool exporter_write(struct exporter *exporter, bool openmetrics, struct buffer *out);
/* NULL: the metrics are not served. */
const char *exporter_address(const struct exporter *exporter);
/* Other hosts can read it. */
bool exporter_is_open(const struct exporter *exporter);

#endif

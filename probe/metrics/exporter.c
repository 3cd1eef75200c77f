#include "probe/metrics/exporter.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "probe/clock.h"
#include "probe/metrics/listener.h"
#include "probe/metrics/metrics.h"

struct exporter {
    struct metrics *metrics;
    struct monitor *monitor; /* NULL: being replaced */
    struct listener *listener;
    exporter_recording_fn recording;
    void *context;
    int64_t started_us;
    double rendered_s;
};

static void exporter_on_event(void *context, const struct event *event)
{
    struct exporter *e = context;
    metrics_take(e->metrics, event);
}

static int exporter_files(void)
{
    int count = -1; /* the directory's own descriptor */
    DIR *directory = opendir("/proc/self/fd");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

static struct metrics_process exporter_process(struct exporter *e)
{
    struct metrics_process process = {.start_time_s = (double)e->started_us / 1e6,
                                      .open_files = exporter_files(),
                                      .recording = -1,
                                      .rendered_s = e->rendered_s};
    struct rusage usage;
    size_t resident = 0;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        process.cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    if (uv_resident_set_memory(&resident) == 0)
        process.resident_bytes = (int64_t)resident;
    if (e->recording) {
        struct exporter_recording recording = e->recording(e->context);
        process.recording = recording.recording;
        process.lost_events = recording.lost_events;
        process.alerts_sent = recording.alerts_sent;
        process.alerts_failed = recording.alerts_failed;
    }
    return process;
}

void exporter_write(struct exporter *e, bool openmetrics, struct buffer *out)
{
    struct moment now = clock_now();
    struct metrics_process process = exporter_process(e);
    if (!e->monitor) {
        out->failed = true; /* a reload is under way: the page before serves */
        return;
    }
    monitor_catch_up(e->monitor);
    metrics_write(e->metrics, monitor_model(e->monitor), now, &process, openmetrics, out);
    e->rendered_s = (double)(clock_now().mono_us - now.mono_us) / 1e6;
}

static void exporter_page(void *context, bool openmetrics, struct buffer *out)
{
    exporter_write(context, openmetrics, out);
}

bool exporter_follow(struct exporter *e, struct monitor *monitor)
{
    if (e->monitor)
        monitor_unsubscribe(e->monitor, exporter_on_event, e);
    e->monitor = monitor;
    return !monitor || monitor_subscribe(monitor, exporter_on_event, e);
}

struct exporter *exporter_start(uv_loop_t *loop, struct monitor *monitor, const char *address, size_t series,
                                exporter_recording_fn recording, void *context, char **error)
{
    *error = NULL;
    struct exporter *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    *e = (struct exporter){.metrics = metrics_new(series),
                           .recording = recording,
                           .context = context,
                           .started_us = clock_wall_us(),
                           .rendered_s = -1};
    bool fine = e->metrics && exporter_follow(e, monitor);
    if (fine && address) {
        e->listener = listener_start(loop, address, exporter_page, e, error);
        fine = e->listener != NULL;
    }
    if (fine)
        return e;
    exporter_stop(e);
    return NULL;
}

void exporter_stop(struct exporter *e)
{
    if (!e)
        return;
    exporter_follow(e, NULL);
    listener_stop(e->listener);
    metrics_free(e->metrics);
    free(e);
}

const char *exporter_address(const struct exporter *e)
{
    return e->listener ? listener_address(e->listener) : NULL;
}

bool exporter_is_open(const struct exporter *e)
{
    return e->listener && listener_is_open(e->listener);
}

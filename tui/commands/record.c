/*
 * record.c - records without a screen, until a signal ends it: as a service, or by hand.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "config/units.h"
#include "probe/alert/alerts.h"
#include "probe/history/preload.h"
#include "probe/history/recorder.h"
#include "probe/history/recording_file.h"
#include "probe/metrics/exporter.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/first_snapshot.h"
#include "tui/commands/service.h"
#include "tui/words/format.h"

#define CHECK_MS 500

struct recording {
    uv_loop_t *loop;
    const struct settings *settings;
    struct monitor *monitor;
    struct preload *earlier; /* the file's earlier content; or NULL */
    struct recorder *recorder;
    struct first_snapshot *snapshot; /* its complaints */
    struct exporter *exporter;       /* of --listen; or NULL */
    struct alerts *alerts;           /* or NULL: none are configured */
    uv_timer_t timer;
    bool whole;                    /* all was written that it recorded before it ended */
    char *problem;                 /* as last reported; NULL: none */
    struct recorder_loss reported; /* the latest, as far as reported */
};

static void record_end(void *context)
{
    struct recording *r = context;
    char *problem = NULL;
    /* Who records next knows nothing of changes of leader whose causes are still looked for. */
    monitor_finish(r->monitor);
    r->whole = recorder_stop(r->recorder, &problem);
    if (!r->whole)
        complain("%s", problem ? problem : "not everything could be written");
    free(problem);
    preload_end(r->earlier);
    if (r->exporter)
        exporter_follow(r->exporter, NULL);
    if (r->alerts)
        alerts_follow(r->alerts, NULL, r->settings);
    first_snapshot_end(r->snapshot);
    r->snapshot = NULL;
    monitor_stop(r->monitor);
    r->earlier = NULL;
    r->recorder = NULL;
    r->monitor = NULL;
}

static void report_place(const struct recording *r)
{
    struct text text = {0};
    char keep[32];
    duration_print(r->settings->history.keep_ms, keep, sizeof keep);
    text_printf(&text, "recording into %s, keeping %s:", recorder_file(r->recorder), keep);
    for (size_t i = 0; i < r->settings->cluster_count; i++) {
        const struct cluster_settings *cluster = &r->settings->clusters[i];
        text_printf(&text, "%s %s%s%s", i ? "," : "", cluster->name, *cluster->name ? " at " : "",
                    cluster->hosts);
    }
    command_output_message(STDOUT_FILENO, "%s\n", text.at);
    text_free(&text);
}

static void recording_on_alert_problem(void *context, const char *problem)
{
    (void)context;
    complain("%s", problem);
}

/* Open alerts continue after the configuration was read again. */
static void recording_alerts(struct recording *r)
{
    if (r->alerts)
        alerts_follow(r->alerts, r->monitor, r->settings);
    else if (r->settings->alert_count) {
        char *file = text_format("%s.alerts", recorder_file(r->recorder));
        r->alerts = alerts_start(r->loop, r->monitor, r->settings, file, recording_on_alert_problem, r);
        free(file);
    }
}

/* Subscribes before the monitor observes anything, so that nothing is missed. */
static bool record_begin(void *context, const struct settings *settings, char **error)
{
    struct recording *r = context;
    *error = NULL;
    char *file = recording_file_choose(&settings->history, false, error);
    if (!file)
        return false;
    r->settings = settings;
    r->monitor = monitor_start(r->loop, settings, error);
    if (r->monitor) {
        r->earlier = preload_begin(r->loop, r->monitor, &settings->history);
        r->recorder = recorder_start(r->loop, r->monitor, file, settings->history.keep_ms, error);
    }
    free(file);
    if (r->recorder && r->exporter)
        exporter_follow(r->exporter, r->monitor);
    if (r->recorder)
        recording_alerts(r);
    if (r->recorder) {
        report_place(r);
        r->snapshot = first_snapshot_begin(r->loop, r->monitor, settings);
        return true;
    }
    preload_end(r->earlier);
    monitor_stop(r->monitor);
    r->earlier = NULL;
    r->monitor = NULL;
    return false;
}

/*
 * Reports the events that did not fit into memory before they could be written: from when, and until when. The
 * second message, that the file has a gap, waits until the gap can be written.
 */
static void report_loss(struct recording *r)
{
    struct recorder_loss loss;
    char from[32], to[32];
    if (!r->recorder || !recorder_last_loss(r->recorder, &loss))
        return;
    format_time(loss.from_us, from, sizeof from);
    if (!loss.to_us && r->reported.from_us != loss.from_us)
        complain("%s: memory is full; events since %s are lost", recorder_file(r->recorder), from);
    else if (loss.to_us && r->problem)
        return;
    else if (loss.to_us > loss.from_us && loss.to_us != r->reported.to_us)
        complain("%s: %" PRIu64 " events from %s to %s are not in it; it has a gap for that time",
                 recorder_file(r->recorder), loss.events, from, format_time(loss.to_us, to, sizeof to));
    r->reported = loss;
}

/* A log is not read all the time: an obstacle to recording is reported, and its end. */
static void record_on_check(uv_timer_t *timer)
{
    struct recording *r = timer->data;
    char *problem = r->recorder ? recorder_problem(r->recorder) : NULL;
    if (problem && (!r->problem || strcmp(problem, r->problem) != 0))
        complain("%s; electop keeps events in memory for a while, and writes them as soon as possible",
                 problem);
    else if (!problem && r->problem && r->recorder)
        complain("%s: recording again", recorder_file(r->recorder));
    free(r->problem);
    r->problem = problem;
    complain_problem(r->recorder ? recorder_take_notice(r->recorder) : NULL);
    report_loss(r);
}

static struct exporter_recording exporter_state(void *context)
{
    struct recording *r = context;
    return (struct exporter_recording){.recording = !r->problem,
                                       .lost_events = r->recorder ? recorder_lost(r->recorder) : 0,
                                       .alerts_sent = r->alerts ? alerts_sent(r->alerts) : 0,
                                       .alerts_failed = r->alerts ? alerts_failed(r->alerts) : 0};
}

/* A port that cannot be had is said before anything is recorded without it. */
static bool begin_export(struct recording *r, const struct options *options, char **error)
{
    if (!options->listen)
        return true;
    r->exporter = exporter_start(r->loop, r->monitor, options->listen, (size_t)options->series,
                                 exporter_state, r, error);
    if (r->exporter)
        export_report_place(r->exporter);
    return r->exporter != NULL;
}

int command_record_on(uv_loop_t *loop, const struct invocation *invocation)
{
    struct recording recording = {.loop = loop};
    struct service service = {.begin = record_begin, .end = record_end, .context = &recording};
    struct shutdown ending;
    char *error = NULL;
    int status = EXIT_USAGE;
    bool ready = shutdown_begin(&ending, loop, 0, 0);
    ending.in_order = true;
    uv_timer_init(loop, &recording.timer);
    recording.timer.data = &recording;
    uv_timer_start(&recording.timer, record_on_check, CHECK_MS, CHECK_MS);
    bool recorded = ready && record_begin(&recording, invocation->settings, &error);
    if (recorded && !begin_export(&recording, invocation->options, &error)) {
        record_end(&recording);
        recorded = false;
    }
    if (!recorded)
        complain("%s", error ? error : "cannot record; raise the limit of open files (ulimit -n)");
    free(error);
    if (recorded && service_run(&service, loop, invocation, &ending)) {
        record_end(&recording);
        status = recording.whole ? 128 + ending.signal : EXIT_USAGE;
    }
    exporter_stop(recording.exporter);
    alerts_stop(recording.alerts);
    uv_close((uv_handle_t *)&recording.timer, NULL);
    shutdown_finish(&ending, loop);
    free(recording.problem);
    settings_free(service.own);
    return status;
}

/*
 * linear.c - watch --linear: the dashboard's changes as lines, for a screen reader or a serial console.
 *
 * A line is a sentence in ASCII without columns and colours. First those elections that have a problem; then
 * each whose state changes, and each failover.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/clock.h"
#include "probe/election/summary.h"
#include "probe/history/preload.h"
#include "probe/loop_timer.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/first_snapshot.h"
#include "tui/commands/shutdown.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/output/output.h"
#include "tui/screen/safe.h"
#include "tui/words/election_filter.h"
#include "tui/words/event_text.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/state_line.h"

#define FLUSH_MS 1000
/* A screen reader needs so long: of several changes within this time, only the latest state is printed. */
#define TURN_MS 1000

struct spoken {
    const struct cluster *cluster;
    uint64_t serial;
    char *name, *state;
    bool here;
};

struct linear {
    const struct options *options;
    struct monitor *monitor;
    struct output *output;
    const struct first_snapshot *snapshot;
    const struct shutdown *ending;
    struct spoken *spoken;
    size_t count, room;
    bool begun;
};

static void linear_on_dropped(void *context, struct buffer *line, uint64_t count)
{
    (void)context;
    buffer_printf(line, "%llu lines were read too slowly, and are left out\n", (unsigned long long)count);
}

static void linear_say(struct linear *linear, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void linear_say(struct linear *linear, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char clock[24], *safe = safe_text(text.at, text.length, true);
    text_free(&text);
    char *line = text_format("%s %s\n", format_clock(clock_wall_us(), clock, sizeof clock), safe);
    output_line(linear->output, line, strlen(line));
    free(line);
    free(safe);
}

static void linear_on_event(void *context, const struct event *event)
{
    struct linear *linear = context;
    const char *filter = linear->options->filter;
    const struct cells ascii = {.ascii = true};
    struct event_words words;
    bool wanted = event->kind == EVENT_FAILOVER || event->kind == EVENT_CONNECTION;
    if (!wanted || output_error(linear->output) || !linear->begun ||
        (filter && event->election && !election_filter_match(filter, event->election, event->at)))
        return;
    event_text(event, &words);
    cells_plain(&ascii, words.detail); /* an escape in place of a dash is read out as letters and digits */
    char *where = event->election ? state_line_name(monitor_model(linear->monitor), event->election)
                                  : xstrdup(label_cluster(event->cluster));
    linear_say(linear, "%s: %s%s%s%s%s%s%s", where, words.label, words.from[0] ? ", from " : "", words.from,
               words.subject[0] ? words.from[0] ? " to " : " " : "", words.subject,
               words.detail[0] ? ", " : "", words.detail);
    free(where);
}

static struct spoken *spoken_of(struct linear *linear, size_t hint, const struct election *election)
{
    for (size_t i = 0; i < linear->count; i++) {
        struct spoken *spoken = &linear->spoken[(hint + i) % linear->count];
        if (spoken->serial == election->serial && spoken->cluster == election->cluster)
            return spoken;
    }
    room_for_one(&linear->spoken, linear->count, &linear->room, sizeof *linear->spoken);
    linear->spoken[linear->count] = (struct spoken){.cluster = election->cluster, .serial = election->serial};
    return &linear->spoken[linear->count++];
}

static void linear_see(struct linear *linear, size_t hint, const struct election *election, struct moment now)
{
    struct spoken *spoken = spoken_of(linear, hint, election);
    const struct model *model = monitor_model(linear->monitor);
    char *state = state_line(model, election, now);
    if (!spoken->name)
        spoken->name = state_line_name(model, election);
    bool differs = !spoken->state || strcmp(spoken->state, state) != 0;
    spoken->here = true;
    if (differs && (linear->begun || election_has_problem(election, now)))
        linear_say(linear, "%s", state);
    free(spoken->state);
    spoken->state = state;
}

static void linear_forget(struct linear *linear)
{
    for (size_t i = linear->count; i-- > 0;) {
        struct spoken *spoken = &linear->spoken[i];
        bool here = spoken->here;
        spoken->here = false;
        if (here)
            continue;
        linear_say(linear, "%s: no longer watched", spoken->name);
        free(spoken->name);
        free(spoken->state);
        *spoken = linear->spoken[--linear->count];
    }
}

/* Those that are connected later say so as an event. */
static void linear_unreached(struct linear *linear, const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct cluster *cluster = &model->clusters[i];
        char quorum[SUMMARY_QUORUM_SIZE];
        const char *problem = summary_problem(cluster, quorum);
        if (cluster->connection == CONNECTION_CONNECTED)
            continue;
        linear_say(linear, "%s: not connected, %s%s", label_cluster(cluster), problem ? problem : "no answer",
                   snapshot_exit_next_step(cluster));
    }
}

static void linear_turn(struct linear *linear)
{
    const struct model *model = monitor_model(linear->monitor);
    const char *filter = linear->options->filter;
    struct moment now = clock_now();
    size_t seen = 0, problems = 0;
    bool answered = monitor_complete(linear->monitor) && first_snapshot_answered(linear->snapshot);
    if (!linear->begun && !answered && !linear->ending->passed[0])
        return;
    if (!linear->begun)
        linear_unreached(linear, model);
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++) {
            const struct election *election = model->clusters[i].elections[k];
            if (filter && !election_filter_match(filter, election, now))
                continue;
            problems += election_has_problem(election, now);
            linear_see(linear, seen++, election, now);
        }
    linear_forget(linear);
    if (!linear->begun)
        linear_say(linear, "%zu election%s, %zu with a problem", seen, seen == 1 ? "" : "s", problems);
    linear->begun = true;
}

static void linear_on_turn(uv_timer_t *timer)
{
    linear_turn(timer->data);
}

static int linear_follow(uv_loop_t *loop, struct linear *linear)
{
    while (!linear->ending->signal && !output_error(linear->output))
        uv_run(loop, UV_RUN_ONCE);
    output_flush(linear->output, FLUSH_MS);
    return linear->ending->signal ? 128 + linear->ending->signal
                                  : command_output_ended(output_error(linear->output), EXIT_DONE);
}

static void linear_end(struct linear *linear)
{
    for (size_t i = 0; i < linear->count; i++) {
        free(linear->spoken[i].name);
        free(linear->spoken[i].state);
    }
    free(linear->spoken);
    output_close(linear->output);
}

int command_linear_on(uv_loop_t *loop, const struct invocation *invocation)
{
    struct shutdown ending;
    struct linear linear = {.options = invocation->options, .ending = &ending};
    char *error = NULL;
    int status = EXIT_USAGE;
    bool ready = shutdown_begin(&ending, loop, invocation->options->wait_ms, 0);
    linear.output = output_open(loop, STDOUT_FILENO, linear_on_dropped, &linear);
    linear.monitor = ready ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (linear.monitor) {
        struct preload *earlier = preload_begin(loop, linear.monitor, &invocation->settings->history);
        preload_follow(earlier);
        monitor_subscribe(linear.monitor, linear_on_event, &linear);
        struct first_snapshot *snapshot = first_snapshot_begin(loop, linear.monitor, invocation->settings);
        linear.snapshot = snapshot;
        uv_timer_t *timer = loop_timer_new(loop, &linear);
        uv_timer_start(timer, linear_on_turn, 0, TURN_MS);
        status = linear_follow(loop, &linear);
        loop_timer_free(timer);
        first_snapshot_end(snapshot);
        preload_end(earlier);
    } else {
        complain("%s", error ? error : "cannot watch; raise the limit of open files (ulimit -n)");
    }
    monitor_stop(linear.monitor);
    linear_end(&linear);
    shutdown_finish(&ending, loop);
    free(error);
    return status;
}

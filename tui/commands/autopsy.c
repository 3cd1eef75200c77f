/*
 * autopsy.c - makes a recording from servers' transaction logs, and shows it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/plain_file.h"
#include "config/text.h"
#include "config/times.h"
#include "probe/clock.h"
#include "probe/history/history.h"
#include "probe/history/log_recorder.h"
#include "probe/history/recording_file.h"
#include "probe/json/json_event.h"
#include "probe/transactions/autopsy.h"
#include "probe/transactions/log_set.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/private_directory.h"
#include "tui/commands/shutdown.h"
#include "tui/output/line_printer.h"
#include "tui/output/output.h"
#include "tui/words/format.h"

/* Transactions at a time, and how long they are read before a signal is looked for. */
#define STEP 500
#define TURN_US 50000
#define FOLLOW_MS 200
#define REFRESH_MS 1000
/* Packets of a pipe are looked for this often. */
#define CAPTURE_FOLLOW_MS 20
/* Problems of files are reported this often; further ones are only counted. */
#define NOTES_MOST 20

struct autopsy_run {
    const struct invocation *invocation;
    struct log_recorder *recorder;
    struct log_recorder_options options;
    size_t notes, dropped;
    /* --follow: events as they come. */
    struct buffer line;
    struct printer printer;
    long reported;
    int output_error;
    bool over, failed, moment; /* moment: of a snapshot without logs */
};

/* ---- problems of files ---- */

static void autopsy_note(void *context, const struct stream_note *note)
{
    struct autopsy_run *run = context;
    if (note->kind == STREAM_DROPPED) {
        run->dropped++; /* a deposed leader's last proposals: nothing is wrong */
        return;
    }
    if (run->notes++ >= NOTES_MOST)
        return;
    if (note->kind == STREAM_DAMAGED)
        complain("%s: bytes %" PRId64 " to %" PRId64 " are damaged%s%s, after transaction 0x%" PRIx64,
                 note->where, note->from, note->to, note->why ? ": " : "", note->why ? note->why : "",
                 (uint64_t)note->zxid);
    else if (note->kind == STREAM_UNREAD)
        complain("%s: %s", note->where, note->why);
    else if (note->kind == STREAM_MISSING)
        complain("the transactions 0x%" PRIx64 " to 0x%" PRIx64
                 " are in no log; it is not known what happened in that time",
                 (uint64_t)note->zxid, (uint64_t)note->zxid_to);
    else
        complain("the ensemble diverged: transaction 0x%" PRIx64 " differs between %s and %s",
                 (uint64_t)note->zxid, note->where, note->other);
}

/* The facts that the captures do not show, and why. */
static void report_capture(const struct autopsy_run *run)
{
    const struct capture_limits *limits = capture_limits(log_recorder_capture(run->recorder));
    const char *note;
    while ((note = log_recorder_note_of_capture(run->recorder)))
        complain("%s", note);
    if (limits->encrypted)
        complain("%" PRIu64
                 " connection%s encrypted (TLS): their packets show nothing; capture the plain port",
                 limits->encrypted, limits->encrypted == 1 ? " is" : "s are");
    if (limits->late)
        complain("%" PRIu64
                 " connection%s open before the capture began: watches set there are unknown until "
                 "the client reconnects",
                 limits->late, limits->late == 1 ? " was" : "s were");
    if (limits->holes)
        complain("packets are missing in %" PRIu64 " place%s: watches of these connections are unknown until "
                 "the client reconnects; capture with -s0 -B 65536, and without --immediate-mode",
                 limits->holes, limits->holes == 1 ? "" : "s");
    for (size_t i = 0; i < run->options.capture_count; i++)
        if (!log_recorder_is_tied(run->recorder, i))
            complain("%s: none of its first packets shows a write that the logs have; their clocks are "
                     "assumed to be equal",
                     run->options.captures[i]);
    char after[64];
    if (log_recorder_left_out(run->recorder))
        complain("the packets after %s are left out: %s",
                 format_time(capture_latest_us(log_recorder_capture(run->recorder)), after, sizeof after),
                 log_recorder_left_out(run->recorder));
    if (limits->full)
        complain("the packets show more znodes and sessions than are kept at once: others are left out");
    if (limits->sessions == 0 && limits->late == 0 && limits->encrypted == 0)
        complain("no packet of ZooKeeper's protocol among %" PRIu64
                 "; capture the servers' client port, 2181 "
                 "if it was not changed",
                 limits->packets);
}

static void report_notes(const struct autopsy_run *run)
{
    const struct log_set *set = log_recorder_set(run->recorder);
    if (log_recorder_capture(run->recorder))
        report_capture(run);
    if (!set)
        return;
    for (size_t i = 0; i < set->note_count; i++)
        complain("%s", set->notes[i]);
    if (run->notes > NOTES_MOST)
        complain("and %zu more of these", run->notes - NOTES_MOST);
    if (autopsy_begins_blind(log_recorder_autopsy(run->recorder)))
        complain("no snapshot shows the state before the first transaction; an earlier candidate is known "
                 "only when it leaves");
}

/* ---- reading ---- */

/* Times are seen from the end of the logs; that is known once they were read. */
static bool choose_time(const char *option, const char *text, int64_t end_us, int64_t *at_us)
{
    const char *problem = text ? time_parse(text, end_us, at_us) : NULL;
    if (problem)
        complain("--%s \"%s\" %s", option, text, problem);
    return !problem;
}

/* The end of the logs, for times that are counted from it: the latest file's first transaction will not do.
 */
static bool is_relative(const char *text)
{
    return text && (*text == '-' || (strlen(text) <= 8 && strchr(text, ':')));
}

/* ... of the first one; 0: there is none. */
static int64_t earliest_of(const struct log_set *set)
{
    struct transaction t;
    bool missing;
    struct log_stream *stream = log_stream_open((struct log_set *)(uintptr_t)set, 0, NULL, NULL);
    int64_t earliest_us = log_stream_next(stream, &t, &missing) ? t.time_ms * 1000 : 0;
    log_stream_close(stream);
    return earliest_us;
}

/* The time of the latest transaction of all: the last file of each server is read. */
static int64_t latest_transaction_us(const struct log_set *set)
{
    int64_t latest_us = 0, zxid = 0;
    struct transaction t;
    bool missing;
    for (size_t i = 0; i < set->server_count; i++)
        if (set->servers[i].log_count > 0 && set->servers[i].logs[set->servers[i].log_count - 1].zxid > zxid)
            zxid = set->servers[i].logs[set->servers[i].log_count - 1].zxid;
    struct log_stream *stream =
        log_stream_open((struct log_set *)(uintptr_t)set, zxid > 0 ? zxid - 1 : 0, NULL, NULL);
    while (log_stream_next(stream, &t, &missing))
        if (t.time_ms * 1000 > latest_us)
            latest_us = t.time_ms * 1000;
    log_stream_close(stream);
    return latest_us;
}

static bool choose_query(struct autopsy_run *run)
{
    const struct options *options = run->invocation->options;
    struct autopsy_query *query = &run->options.query;
    int64_t end_us = clock_wall_us();
    *query = (struct autopsy_query){.to_us = INT64_MAX, .election = options->election};
    if (run->options.path_count > 0 && (is_relative(options->from) || is_relative(options->to))) {
        char *error = NULL;
        struct log_set *set = log_set_open(run->options.paths, run->options.path_count,
                                           run->invocation->settings->history.unpack_bytes, &error);
        if (set && latest_transaction_us(set) > 0)
            end_us = latest_transaction_us(set);
        log_set_free(set);
        free(error); /* reported when it is opened for reading */
    }
    if (!choose_time("from", options->from, end_us, &query->from_us) ||
        !choose_time("to", options->to, end_us, &query->to_us))
        return false;
    if (query->from_us < query->to_us)
        return true;
    complain("--from is not before --to; times such as 14:03 or -10m count from the end of the logs");
    return false;
}

static bool is_recorded(const char *file)
{
    struct stat status;
    return file && stat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/* Begins after the end of an existing recording: recorded times are not written again. */
static bool autopsy_follows_recording(const struct autopsy_run *run)
{
    const char *file = run->options.file;
    char *error = NULL;
    int64_t from_us, to_us = 0, begin_us = run->options.query.from_us;
    if (!is_recorded(file))
        return true;
    if (run->options.capture_count > 0) {
        complain("%s: there is a recording; name a new file", file);
        return false;
    }
    struct history *history = history_open(file, &error);
    bool recorded = history && history_bounds(history, &from_us, &to_us, &error);
    struct log_set *set = recorded ? log_set_open(run->options.paths, run->options.path_count,
                                                  run->invocation->settings->history.unpack_bytes, &error)
                                   : NULL;
    if (set && earliest_of(set) > begin_us)
        begin_us = earliest_of(set);
    log_set_free(set);
    history_close(history);
    if (!error && to_us > begin_us) {
        char until[64];
        error = text_format("%s: this time is recorded there, until %s; name a new file (why and report read "
                            "it, and logs, with --replay), or begin later with --from",
                            file, format_time(to_us, until, sizeof until));
    }
    return !complain_problem(error);
}

static bool autopsy_run_begin(struct autopsy_run *run)
{
    char *error = NULL;
    run->options.note = autopsy_note;
    run->options.context = run;
    if (!choose_query(run) || !autopsy_follows_recording(run))
        return false;
    run->recorder = log_recorder_new(run->invocation->settings, &run->options, &error);
    complain_problem(error);
    return run->recorder != NULL;
}

static void autopsy_read_all(struct autopsy_run *run)
{
    while (log_recorder_step(run->recorder, STEP))
        continue;
    if (!log_recorder_is_over(run->recorder))
        log_recorder_pass(run->recorder, log_recorder_latest_us(run->recorder));
    log_recorder_finish(run->recorder);
}

static bool autopsy_run_end(struct autopsy_run *run)
{
    char *problem = NULL;
    bool fine = log_recorder_end(run->recorder, &problem);
    if (!fine)
        complain("%s", problem ? problem : "not everything could be written");
    free(problem);
    run->recorder = NULL;
    run->failed = !fine;
    return fine;
}

/* ---- following ---- */

static void on_follow_event(void *context, const struct event *event)
{
    struct autopsy_run *run = context;
    if (run->over)
        return;
    buffer_clear(&run->line);
    if (run->invocation->options->json)
        json_event_write(&run->line, event);
    else {
        event_line_fit(&run->printer, log_recorder_model(run->recorder));
        event_line_print(&run->printer, event, false);
    }
    run->output_error = output_write(STDOUT_FILENO, run->line.bytes, run->line.length);
    run->over = run->output_error != 0;
}

/* Time goes on by the clock of the capturing host. */
static void pass_after_packets(struct autopsy_run *run)
{
    log_recorder_pass_packets(run->recorder, clock_now().mono_us);
    if (log_recorder_is_over(run->recorder))
        log_recorder_finish(run->recorder);
    run->over = run->over || log_recorder_is_over(run->recorder);
}

/* Reads what there is, for a short time: in between, a signal ends it. False: there is more. */
static bool follow_turn(struct autopsy_run *run)
{
    int64_t until_us = clock_now().mono_us + TURN_US;
    if (++run->reported % (REFRESH_MS / FOLLOW_MS) == 0)
        log_recorder_refresh(run->recorder);
    while (log_recorder_step(run->recorder, STEP))
        if (clock_now().mono_us >= until_us)
            return false;
    if (log_recorder_capture(run->recorder))
        pass_after_packets(run);
    else /* A server writes its log before it answers: a transaction missing there has not happened. */
        log_recorder_pass(run->recorder, clock_wall_us() - 1000 * FOLLOW_MS);
    return true;
}

static void on_follow_timer(uv_timer_t *timer)
{
    if (!follow_turn(timer->data))
        uv_timer_start(timer, on_follow_timer, 1, uv_timer_get_repeat(timer)); /* 0: before any signal */
}

static int follow_on(uv_loop_t *loop, struct autopsy_run *run)
{
    struct shutdown ending;
    uv_timer_t timer;
    struct print_style how =
        print_style_choose(run->invocation->options, run->invocation->settings, STDOUT_FILENO);
    if (!shutdown_begin(&ending, loop, 0, 0)) {
        complain("cannot follow the logs; raise the limit of open files (ulimit -n)");
        return EXIT_USAGE;
    }
    printer_begin(&run->printer, &run->line, &how);
    log_recorder_listen(run->recorder, on_follow_event, run);
    uv_timer_init(loop, &timer);
    timer.data = run;
    uv_timer_start(&timer, on_follow_timer, 0, run->options.capture_count ? CAPTURE_FOLLOW_MS : FOLLOW_MS);
    while (!ending.signal && !run->over)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    int status = ending.signal ? 128 + ending.signal : command_output_ended(run->output_error, EXIT_DONE);
    shutdown_finish(&ending, loop);
    printer_end(&run->printer);
    buffer_free(&run->line);
    return status;
}

/* The dashboard has the loop, so the logs are followed beside it. */
struct follower {
    struct autopsy_run *run;
    uv_thread_t thread;
    uv_mutex_t mutex;
    bool ended;
};

static bool follower_ended(struct follower *follower)
{
    uv_mutex_lock(&follower->mutex);
    bool ended = follower->ended;
    uv_mutex_unlock(&follower->mutex);
    return ended;
}

static void follower_run(void *context)
{
    struct follower *follower = context;
    while (!follower_ended(follower))
        if (follow_turn(follower->run))
            uv_sleep(FOLLOW_MS);
}

/* ---- reporting ---- */

static int report_form(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    if (options->screen)
        return command_replay(invocation);
    if (options->events)
        return command_events_recorded(invocation);
    return options->at ? command_once_recorded(invocation) : command_report(invocation);
}

static bool is_reported(const struct options *options)
{
    return !options->into || options->screen || options->events || options->at || options->html ||
           options->json || options->markdown;
}

/* The same forms as of any recording; a report is of all that was read. */
static int report_recording(const struct autopsy_run *run, const char *file)
{
    struct options options = *run->invocation->options;
    struct invocation reported = *run->invocation;
    options.recording = options.replay = file;
    options.paths = NULL;
    options.path_count = 0;
    /* It contains only the requested period. */
    options.from = options.to = NULL;
    if (run->moment && !options.screen && !options.events && !options.markdown && !options.html)
        options.at = options.at ? options.at : "-0s";
    if (!options.screen && !options.events && !options.at)
        options.replay = NULL;
    options.cluster = NULL;
    reported.options = &options;
    return report_form(&reported);
}

static char *source_name(const struct options *options)
{
    struct text text = {0};
    for (size_t i = 0; i < options->path_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "transaction logs: ", options->paths[i]);
    for (size_t i = 0; i < options->capture_count; i++)
        text_printf(&text, "%s%s",
                    i                     ? ", "
                    : options->path_count ? "; captures: "
                                          : "captures: ",
                    options->captures[i]);
    return text_take(&text);
}

/* A dashboard of packets waits for the first election in them, which is written later. */
static bool has_begun(const struct autopsy_run *run, const char *file)
{
    int64_t from_us, to_us;
    char *error = NULL;
    if (run->options.capture_count == 0 || run->over)
        return true;
    struct history *history = history_open(file, &error);
    bool begun = history && history_bounds(history, &from_us, &to_us, NULL);
    history_close(history);
    free(error);
    return begun;
}

static int run_follow(struct autopsy_run *run, const char *file)
{
    if (!run->invocation->options->screen) {
        uv_loop_t loop;
        if (uv_loop_init(&loop) != 0)
            return EXIT_USAGE;
        int status = follow_on(&loop, run);
        uv_loop_close(&loop);
        return status;
    }
    struct follower follower = {.run = run};
    uv_mutex_init(&follower.mutex);
    for (bool all = false; !all || !has_begun(run, file);) {
        uv_sleep(all ? FOLLOW_MS : 0); /* another thread writes */
        all = follow_turn(run);
    }
    int status = EXIT_USAGE;
    if (uv_thread_create(&follower.thread, follower_run, &follower) == 0) {
        status = report_recording(run, file);
        uv_mutex_lock(&follower.mutex);
        follower.ended = true;
        uv_mutex_unlock(&follower.mutex);
        uv_thread_join(&follower.thread);
    }
    uv_mutex_destroy(&follower.mutex);
    return status;
}

static char *what_was_read(const struct autopsy_run *run)
{
    const struct autopsy *autopsy = log_recorder_autopsy(run->recorder);
    const struct capture *capture = log_recorder_capture(run->recorder);
    if (capture)
        return text_format("%" PRIu64 " packets%s", capture_limits(capture)->packets,
                           autopsy ? ", and the logs" : "");
    double kilobytes = (double)autopsy_bytes(autopsy) / 1e3;
    return text_format("%" PRIu64 " transactions in %.1f %s of logs", autopsy_transactions(autopsy),
                       kilobytes < 1e3 ? kilobytes : kilobytes / 1e3, kilobytes < 1e3 ? "kB" : "MB");
}

static int autopsy_into(struct autopsy_run *run, const char *file)
{
    run->options.file = file;
    if (!autopsy_run_begin(run))
        return EXIT_USAGE;
    if (run->invocation->options->follow) {
        int status = run_follow(run, file);
        report_notes(run);
        return autopsy_run_end(run) ? status : EXIT_USAGE;
    }
    autopsy_read_all(run);
    report_notes(run);
    const struct autopsy *autopsy = log_recorder_autopsy(run->recorder);
    run->moment = autopsy && autopsy_transactions(autopsy) == 0 && autopsy_latest_us(autopsy) != 0;
    if (run->moment)
        complain(
            "a snapshot without logs is one moment, at the latest creation or write in it or later; who led "
            "before or after it is not known");
    char *what = what_was_read(run);
    if (autopsy_run_end(run) && run->invocation->options->into)
        complain("%s: from %s", run->invocation->options->into, what);
    free(what);
    if (run->failed)
        return EXIT_USAGE;
    return is_reported(run->invocation->options) ? report_recording(run, file) : EXIT_DONE;
}

int command_autopsy(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL, *name = source_name(options), *directory = NULL, *file = NULL;
    struct invocation named = {options, invocation->settings, name};
    struct autopsy_run run = {.invocation = &named,
                              .options = {.paths = options->paths,
                                          .path_count = options->path_count,
                                          .captures = options->captures,
                                          .capture_count = options->capture_count}};
    int status = EXIT_USAGE;
    directory = options->into ? NULL : private_directory_make(&error);
    file = options->into ? text_copy(options->into)
           : directory   ? text_format("%s/history.db", directory)
                         : NULL;
    if (file)
        status = autopsy_into(&run, file);
    complain_problem(error);
    private_directory_remove(directory);
    free(file);
    free(name);
    return status;
}

/* ---- logs in the place of a recording ---- */

static bool is_logs(const char *path)
{
    struct stat status;
    char magic[16] = "";
    if (!path || stat(path, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        return true;
    const char *why;
    FILE *file = plain_file_stream(path, &why);
    size_t got = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file)
        fclose(file);
    return got == sizeof magic &&
           (memcmp(magic, "ZKLG", 4) == 0 || memcmp(magic, "ZKSN", 4) == 0 ||
            memcmp(magic, "\x1f\x8b", 2) == 0 || memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0);
}

/* Packets may come as long as the program runs. */
static bool is_live(const struct options *options)
{
    for (size_t i = 0; i < options->capture_count; i++) {
        const char *equals = strchr(options->captures[i], '=');
        const char *file = equals ? equals + 1 : options->captures[i];
        struct stat status;
        if (strcmp(file, "-") == 0 ? fstat(capture_file_input(), &status) == 0 && !S_ISREG(status.st_mode)
                                   : stat(file, &status) == 0 && S_ISFIFO(status.st_mode))
            return true;
    }
    return false;
}

/* watch, events and record follow a pipe, as `autopsy --follow` does; record writes into the configured file. */
static int command_on_packets(const struct invocation *invocation, bool live)
{
    const struct options *options = invocation->options;
    struct options as = *options;
    char *error = NULL;
    as.command = COMMAND_AUTOPSY;
    as.follow = live;
    as.screen = options->command == COMMAND_WATCH;
    as.events = options->command == COMMAND_EVENTS;
    as.election = options->path_count > 0 ? options->paths[0] : options->election;
    as.paths = NULL;
    as.path_count = 0;
    char *file = options->command == COMMAND_RECORD
                     ? recording_file_choose(&invocation->settings->history, false, &error)
                     : NULL;
    as.into = file;
    int status = EXIT_USAGE;
    if (!complain_problem(error))
        status = command_autopsy(&(struct invocation){&as, invocation->settings, NULL});
    free(file);
    return status;
}

static int command_on_recording_of(struct autopsy_run *run, const struct invocation *invocation,
                                   int (*command)(const struct invocation *))
{
    const char *file = run->options.file, *source = run->invocation->source;
    struct options reported = *invocation->options;
    bool replays = reported.command == COMMAND_ONCE || reported.command == COMMAND_EVENTS ||
                   reported.command == COMMAND_WHY;
    if (!autopsy_run_begin(run))
        return EXIT_USAGE;
    autopsy_read_all(run);
    report_notes(run);
    reported.capture_count = 0;
    if (reported.recording || !replays)
        reported.recording = file;
    if (reported.replay || replays)
        reported.replay = file;
    return autopsy_run_end(run) ? command(&(struct invocation){&reported, invocation->settings, source})
                                : EXIT_USAGE;
}

int command_on_logs(const struct invocation *invocation, int (*command)(const struct invocation *))
{
    const struct options *options = invocation->options;
    const char *named = options->recording ? options->recording : options->replay;
    bool captures = options->capture_count > 0 || capture_file_is(named), live = is_live(options);
    if (options->command == COMMAND_AUTOPSY && options->path_count > 0 && live) {
        complain("a capture beside logs is read twice: save the pipe to a file first");
        return EXIT_USAGE;
    }
    if (options->command == COMMAND_AUTOPSY || options_beside(options) || (!captures && !is_logs(named)))
        return command(invocation);
    if (options->capture_count > 0 &&
        (options->command == COMMAND_WATCH || options->command == COMMAND_RECORD ||
         (options->command == COMMAND_EVENTS && live)))
        return command_on_packets(invocation, live);
    char *error = NULL, *paths[] = {(char *)(uintptr_t)named, NULL};
    char *directory = private_directory_make(&error),
         *name = options->capture_count ? source_name(options) : NULL;
    char *file = directory ? text_format("%s/history.db", directory) : NULL;
    struct options whole = {.election = NULL};
    struct invocation reading = {&whole, invocation->settings, name ? name : named};
    struct autopsy_run run = {
        .invocation = &reading,
        .options = {.file = file, .captures = options->captures, .capture_count = options->capture_count}};
    if (options->capture_count == 0 && captures) {
        run.options.captures = paths;
        run.options.capture_count = 1;
    } else if (options->capture_count == 0) {
        run.options.paths = paths;
        run.options.path_count = 1;
    }
    int status = EXIT_USAGE;
    if (!file)
        complain("%s", error);
    else
        status = command_on_recording_of(&run, invocation, command);
    private_directory_remove(directory);
    free(error);
    free(file);
    free(name);
    return status;
}

/*
 * inject.c - test candidates: checks the options before anything is touched, runs, and reports.
 *
 * Ctrl-C (or another signal that ends the program) ends the run in an orderly way; a second one at once, and
 * then its znodes are left for the next run to remove, which is said. Two in quick succession are one: a
 * wrapper passes on the signal that the terminal has sent to both.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/candidate/naming.h"
#include "probe/inject/run.h"
#include "probe/inject/run_options.h"
#include "probe/inject/run_report.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/shutdown.h"
#include "tui/output/line_printer.h"
#include "tui/output/output.h"
#include "tui/output/run_lines.h"
#include "tui/output/whole_file.h"

/* Without --for. */
#define FOR_DEFAULT_MS 60000
#define PROGRESS_MS 500
/* Signals are one within this time. */
#define ONE_SIGNAL_MS 1000

struct injection {
    const struct options *options;
    const struct settings *settings;
    struct run_options wanted;
    struct expectation expectations[INJECT_EXPECTATIONS];
    struct run *run;
    struct monitor *monitor; /* --observe; or NULL */
    struct settings observed;
    struct cluster_settings observed_cluster;
    struct election_settings observed_election;
    struct shutdown ending;
    uv_timer_t progress;
    bool over;
    struct print_style style;
};

/* ---- the options ---- */

static bool refuse_value(const char *option, const char *value, const char *problem)
{
    char *quoted = text_quoted(value);
    complain("--%s %s %s", option, quoted, problem);
    free(quoted);
    return false;
}

/* How many candidates it needs to hold; 0: it is about another figure. */
static size_t least_of(const struct expectation *e)
{
    if (e->figure != EXPECTED_STAND || e->of != OF_COUNT || e->relation == EXPECT_LESS ||
        e->relation == EXPECT_AT_MOST)
        return 0;
    return (size_t)e->value + (e->relation == EXPECT_MORE);
}

static bool name_read(const char *name)
{
    char *path = text_format("/%s0000000000", name), *stray = NULL;
    const char *problem = znode_path_problem(path);
    if (!problem && !name_pattern_check(name, &stray))
        problem = stray ? stray : "cannot be kept";
    if (problem)
        refuse_value("name", name, problem);
    free(path);
    free(stray);
    return !problem;
}

static bool inject_options_read(struct injection *in)
{
    const struct inject_options *said = &in->options->inject;
    struct run_options *wanted = &in->wanted;
    const char *problem;
    if ((problem = run_options_behaviour(said->behaviour, wanted)))
        return refuse_value("behaviour", said->behaviour, problem);
    if (said->kill && (problem = run_options_kill(said->kill, wanted)))
        return refuse_value("kill", said->kill, problem);
    if (said->how && (problem = run_options_how(said->how, wanted)))
        return refuse_value("how", said->how, problem);
    if (said->how && !said->kill) {
        complain("--how needs --kill; add --kill leader");
        return false;
    }
    if (said->sessions && (problem = run_options_sessions(said->sessions, wanted)))
        return refuse_value("sessions", said->sessions, problem);
    for (size_t i = 0; i < said->expect_count; i++) {
        if ((problem = run_options_expect(said->expect[i], &in->expectations[i])))
            return refuse_value("expect", said->expect[i], problem);
        size_t least = least_of(&in->expectations[i]);
        wanted->least = least > wanted->least ? least : wanted->least;
    }
    if (said->name && strcmp(said->name, "auto") != 0) {
        wanted->name = said->name;
        if (!name_read(said->name))
            return false;
    }
    wanted->look = said->look && strcmp(said->look, "shared") == 0 ? LOOK_SHARED : LOOK_OWN;
    wanted->candidates = (size_t)said->candidates;
    wanted->rate_per_s = in->options->rate_per_s;
    wanted->load = said->load;
    wanted->live = said->live;
    wanted->join = said->join;
    wanted->for_ms = in->options->for_ms ? in->options->for_ms : FOR_DEFAULT_MS;
    wanted->wait_ms = in->options->wait_ms;
    return true;
}

/* More than the limits allow, without leave. */
static bool is_too_much(const struct injection *in)
{
    char text[LIMITS_TEXT];
    if (in->wanted.load || !limits_passed(&in->settings->inject, &in->wanted, text))
        return false;
    complain("%s; permit this load with --load, or raise the limit in the configuration", text);
    return true;
}

static bool is_sandbox(const struct injection *in)
{
    return strcmp(in->wanted.path, in->settings->inject.sandbox) == 0;
}

static bool is_forbidden(const struct injection *in)
{
    const struct inject_options *said = &in->options->inject;
    const struct election_settings *election = &in->wanted.cluster->elections[0];
    if (said->join && (said->live || !is_sandbox(in)))
        complain("--join is for runs in the sandbox; name %s as the PATH, and leave out --live",
                 in->settings->inject.sandbox);
    else if (said->may_lead && said->live)
        complain("--may-lead with --live is refused: a test candidate never leads a real election");
    else if (said->live && is_sandbox(in))
        complain("--live is for a real election, and %s is the sandbox; leave out --live",
                 in->settings->inject.sandbox);
    else if (said->live && election->inject != INJECT_LIVE)
        complain("--live is refused: the configuration of this election does not say inject: live; without "
                 "--live its layout is copied into %s and tested there",
                 in->settings->inject.sandbox);
    else if (said->live && (said->kill || in->wanted.name || said->sessions || said->behaviour))
        complain("--live takes no --%s: test candidates there copy the real ones; leave it out",
                 said->kill        ? "kill"
                 : in->wanted.name ? "name"
                 : said->sessions  ? "sessions"
                                   : "behaviour");
    else if (election->inject == INJECT_NEVER)
        complain("refused: the configuration of this election says inject: never");
    else
        return false;
    return true;
}

/* Better now than after the run whose page it is. */
static bool has_no_place_for_page(const struct injection *in)
{
    const char *html = in->options->html;
    int error = html && strcmp(html, "-") != 0 ? whole_file_check(html) : 0;
    if (error)
        complain("%s: cannot be written: %s; nothing was started", html, strerror(error));
    return error != 0;
}

static bool injection_check(struct injection *in)
{
    if (in->options->path_count == 0)
        complain("inject needs a PATH; try electop inject %s", in->settings->inject.sandbox);
    else if (in->options->path_count > 1)
        complain("inject takes one PATH, not %zu; name one", in->options->path_count);
    else if (znode_is_pattern(in->options->paths[0]))
        complain("inject takes no pattern; name one PATH");
    else if (strcmp(in->options->paths[0], "/") == 0)
        complain("/ is not an election; name a path, or %s for a run in the sandbox",
                 in->settings->inject.sandbox);
    else if (in->settings->cluster_count != 1)
        complain("inject works on one cluster, and the configuration has %zu; choose one with --cluster",
                 in->settings->cluster_count);
    else
        return inject_options_read(in) && !is_too_much(in) && !is_forbidden(in) && !has_no_place_for_page(in);
    return false;
}

/* ---- its observations ---- */

/* The elections of the run, as a path or a pattern: it chooses their names itself. */
static char *observed_path(const struct injection *in)
{
    const char *sandbox = in->settings->inject.sandbox, *path = in->wanted.path;
    size_t length = strlen(sandbox);
    if (in->wanted.live || (strncmp(path, sandbox, length) == 0 && path[length] == '/'))
        return xstrdup(path);
    return in->wanted.join ? text_format("%s/%s/*", sandbox, in->wanted.join)
                           : text_format("%s/*/election", sandbox);
}

/* False: the file cannot be written, which has been printed. */
static bool observe_begin(struct injection *in, uv_loop_t *loop)
{
    char *error = NULL;
    if (!in->settings->observe)
        return true;
    in->observed_election = in->wanted.cluster->elections[0];
    in->observed_election.path = observed_path(in);
    if (!in->wanted.live)
        in->observed_election.name = NULL; /* it is that of the election whose layout is copied */
    in->observed_cluster = *in->wanted.cluster;
    in->observed_cluster.elections = &in->observed_election;
    in->observed_cluster.election_count = 1;
    in->observed = *in->settings;
    in->observed.clusters = &in->observed_cluster;
    in->monitor = monitor_start(loop, &in->observed, &error);
    complain_problem(error);
    return in->monitor != NULL;
}

static void observe_end(struct injection *in)
{
    monitor_stop(in->monitor);
    free(in->observed_election.path);
}

/* ---- while it runs ---- */

static void inject_on_over(void *context)
{
    struct injection *in = context;
    in->over = true;
}

static void inject_on_progress(uv_timer_t *timer)
{
    struct injection *in = timer->data;
    struct run_report *report = xmalloc(sizeof *report);
    struct buffer line = {0};
    run_report(in->run, report);
    run_progress_print(&line, report, in->style.ascii);
    command_output_progress("%.*s", (int)line.length, line.bytes);
    buffer_free(&line);
    free(report);
}

/* ---- the result ---- */

static int inject_write_page(const struct run_report *report, const struct run_options_text *wanted,
                             const char *file)
{
    struct buffer out = {0};
    run_print(&out, DOCUMENT_PAGE, report, wanted, NULL);
    return command_output_page(&out, file);
}

static int inject_write_report(const struct injection *in, const struct run_report *report)
{
    struct buffer out = {0};
    int status = EXIT_DONE;
    const char *html = in->options->html;
    const struct run_options_text wanted = {in->options->inject.expect, in->expectations,
                                            in->options->inject.expect_count};
    if (html)
        status = inject_write_page(report, &wanted, html);
    if (html && strcmp(html, "-") == 0)
        return status;
    if (in->options->json)
        run_json_write(&out, report, wanted.texts, wanted.read, wanted.count);
    else
        run_print(&out, DOCUMENT_TEXT, report, &wanted, &in->style);
    int written = command_output_buffer(&out, EXIT_DONE);
    return written != EXIT_DONE ? written : status;
}

static int status_of_end(const struct run_report *report)
{
    switch (report->end) {
    case RUN_REFUSED:
        return EXIT_USAGE;
    case RUN_UNREACHED:
        return EXIT_NO_SNAPSHOT;
    case RUN_LOST:
    case RUN_TOO_SLOW:
    case RUN_FAILED:
        return EXIT_FOUND;
    case RUN_DONE:
        /* Withdrawn for good, before its time; or a run of several agents that not all of them were in. */
        return report->problem || report->agents_short ? EXIT_FOUND : EXIT_DONE;
    case RUN_STOPPED:
        break;
    }
    return EXIT_DONE;
}

static int status_of_expectations(const struct injection *in, const struct run_report *report)
{
    for (size_t i = 0; i < in->options->inject.expect_count; i++) {
        const struct expectation *e = &in->expectations[i];
        if (!expectation_holds(e, run_figure(report, e->figure, e->of)))
            return EXIT_FOUND;
    }
    return EXIT_DONE;
}

static int inject_report(const struct injection *in)
{
    struct run_report *report = xmalloc(sizeof *report);
    run_report(in->run, report);
    int status = status_of_end(report);
    if (status == EXIT_DONE)
        status = status_of_expectations(in, report);
    if (report->problem)
        complain("%s", report->problem);
    /* Else there is no result to report. */
    if (report->crowd.sessions > 0 || report->end == RUN_DONE) {
        int written = inject_write_report(in, report);
        status = written != EXIT_DONE ? written : status;
    }
    free(report);
    return status;
}

/* Until it is over; a second signal breaks off. */
static void inject_run(struct injection *in, uv_loop_t *loop)
{
    int heard = 0;
    uint64_t heard_ms = 0;
    in->over = false;
    while (!in->over) {
        uv_run(loop, UV_RUN_ONCE);
        if (in->ending.signal && !heard) {
            heard = in->ending.signal;
            heard_ms = uv_now(loop);
            run_stop(in->run);
        } else if (in->ending.signal && uv_now(loop) >= heard_ms + ONE_SIGNAL_MS) {
            command_output_progress(NULL);
            complain("interrupted: the ephemeral znodes are deleted with their sessions, and the next run "
                     "removes the rest");
            break;
        }
        in->ending.signal = 0;
    }
    in->ending.signal = heard;
}

/* False: it could not begin, and there is nothing to report. */
static bool inject_run_loop(struct injection *in, uv_loop_t *loop)
{
    static const struct run_listener listener = {.over = inject_on_over};
    in->run = run_new(loop, &in->wanted, &listener, in);
    if (in->run)
        inject_run(in, loop);
    return in->run != NULL;
}

int command_inject_on(uv_loop_t *loop, const struct invocation *invocation)
{
    struct injection *in = xcalloc(1, sizeof *in);
    int status = EXIT_USAGE;
    in->options = invocation->options;
    in->settings = invocation->settings;
    in->style = print_style_choose(in->options, in->settings, STDOUT_FILENO);
    in->wanted.settings = in->settings;
    in->wanted.cluster = &in->settings->clusters[0];
    in->wanted.path = in->options->path_count ? in->options->paths[0] : NULL;
    if (!injection_check(in)) {
        free(in);
        return status;
    }
    bool reported = false, observed = true;
    if (shutdown_begin(&in->ending, loop, 0, 0)) {
        in->ending.in_order = true;
        uv_timer_init(loop, &in->progress);
        in->progress.data = in;
        if (isatty(STDERR_FILENO))
            uv_timer_start(&in->progress, inject_on_progress, PROGRESS_MS, PROGRESS_MS);
        observed = observe_begin(in, loop);
        reported = observed && inject_run_loop(in, loop);
        uv_close((uv_handle_t *)&in->progress, NULL);
        command_output_progress(NULL);
    }
    if (reported)
        status = inject_report(in);
    else if (observed)
        complain("cannot run test candidates; raise the limit of open files (ulimit -n)");
    run_free(in->run);
    observe_end(in);
    shutdown_finish(&in->ending, loop);
    if (in->ending.signal)
        status = 128 + in->ending.signal;
    free(in);
    return status;
}

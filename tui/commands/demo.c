/*
 * demo.c - a private ZooKeeper with living and ill elections, and the dashboard on it.
 *
 * Servers, candidates and the dashboard share one loop and one process. Whatever ends the program ends the
 * servers too, and removes their directory: see probe/demo/supervisor.h.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/demo/demo_elections.h"
#include "probe/demo/private_ensemble.h"
#include "probe/loop_timer.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/shutdown.h"

/* Short ones, so that a candidate that vanishes is missed within three seconds. */
#define TICK_MS 500
#define CANDIDATE_TIMEOUT_MS 2500
/* The servers have no other users: they may be polled often, so that findings are soon certain. */
#define ASK_EVERY_MS 1000
/* Leaders come and go all the time, for people to see it: that is no illness here. */
#define LEADER_CHANGES 1000
/* A missing acknowledgement is to be seen within the first seconds, too. */
#define ILL_FAILOVER_MS 3000
/* Wait for the first candidates: otherwise the first picture would be all vacancies and joins.
   At most so long. */
#define CAST_WAIT_MS 3000
/* Without a terminal: how long events are shown. */
#define EVENTS_MS 6000
/* ... after a first snapshot that may take so long: it ends once suspicions are certain. */
#define SNAPSHOT_MS 30000
/* Without a screen: how often it is looked whether the servers live. */
#define LIVE_MS 500
/* These leave out longer elections: a line for each candidate would bury the rest. */
#define BRIEF_MEMBERS 20

struct demo {
    uv_loop_t *loop;
    const struct invocation *invocation;
    struct shutdown ending;
    struct private_ensemble *sandbox;
    struct demo_elections *cast;
    enum { SERVERS_START, SERVERS_SERVE, SERVERS_FAILED } servers;
    int serving; /* of the servers, as last shown */
};

static void demo_on_ready(void *context, const char *problem)
{
    struct demo *demo = context;
    demo->servers = problem ? SERVERS_FAILED : SERVERS_SERVE;
    if (problem)
        complain("%s", problem);
}

/* The servers serve, or a signal or a problem came first. */
static bool servers_begin(struct demo *demo)
{
    const struct private_ensemble_options options = {.servers = demo->invocation->options->servers,
                                                     .tick_ms = TICK_MS,
                                                     .tls = demo->invocation->options->tls};
    char *error = NULL;
    demo->sandbox = private_ensemble_start(demo->loop, &options, demo_on_ready, demo, &error);
    complain_problem(error);
    if (isatty(STDERR_FILENO) && demo->sandbox)
        command_output_progress("electop: starting a private ZooKeeper on loopback, a second or two ...");
    while (demo->sandbox && demo->servers == SERVERS_START && !demo->ending.signal)
        uv_run(demo->loop, UV_RUN_ONCE);
    command_output_progress(NULL);
    return demo->servers == SERVERS_SERVE;
}

/* Settings that only the demo knows of its cluster and elections. */
static void settings_complete(struct cluster_settings *cluster, const struct play *plays, size_t count)
{
    free(cluster->name);
    cluster->name = xstrdup("demo");
    cluster->servers.every_ms = ASK_EVERY_MS;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election_settings *election = &cluster->elections[i];
        for (size_t j = 0; j < count; j++) {
            if (strcmp(plays[j].election, election->path) != 0)
                continue;
            election->kind = plays[j].free_is_normal ? KIND_LOCK : KIND_LEADER;
            election->allow.leader_changes = LEADER_CHANGES;
            if (plays[j].behaviour != BEHAVIOUR_RECIPE)
                election->allow.failover_ms = ILL_FAILOVER_MS;
            if (plays[j].title && !election->name)
                election->name = xstrdup(plays[j].title);
        }
    }
}

/*
 * The user's own settings, but for the cluster, which is the private one, and the elections, which are the
 * cast's unless the user named some.
 */
static struct settings *settings_of(const struct demo *demo, bool brief)
{
    size_t count, used = 0;
    const struct play *plays = demo_elections_demo(&count);
    char **paths = xcalloc(count + 1, sizeof *paths), *error = NULL;
    for (size_t i = 0; i < count; i++)
        if (!brief || plays[i].members <= BRIEF_MEMBERS)
            paths[used++] = (char *)(uintptr_t)plays[i].election; /* read only, as argv's are */
    struct options options = *demo->invocation->options;
    options.server = private_ensemble_hosts(demo->sandbox);
    options.admin = private_ensemble_admin(demo->sandbox);
    options.tls_ca = private_ensemble_security(demo->sandbox)->tls.ca;
    if (options.path_count == 0) {
        options.paths = paths;
        options.path_count = used;
    }
    struct settings *settings = settings_load(&options, &error);
    free(paths);
    if (settings)
        settings_complete(&settings->clusters[0], plays, count);
    else
        complain("%s", error);
    free(error);
    return settings;
}

static void demo_on_wake(uv_timer_t *timer)
{
    (void)timer; /* the loop has its turn: go_on() looks after the servers */
}

/* Says which of the servers have ended since the last time; false: none is left. */
static bool servers_live(struct demo *demo)
{
    int left = 0;
    for (int i = 0; i < demo->invocation->options->servers; i++)
        left += private_ensemble_server_lives(demo->sandbox, i);
    for (; left > 0 && left < demo->serving; demo->serving--)
        complain(
            "one of the %d servers exited or was killed; the demo continues with %d: restart it to have all",
            demo->invocation->options->servers, demo->serving - 1);
    if (left == 0)
        complain("the private ZooKeeper at %s exited or was killed; restart the demo",
                 private_ensemble_hosts(demo->sandbox));
    return left > 0;
}

/* Until a signal, or until no server is left to be looked at: the exit status. */
static int last(struct demo *demo)
{
    uv_timer_t *wake = loop_timer_new(demo->loop, demo);
    uint64_t checked_ms = uv_now(demo->loop);
    int status = EXIT_DONE;
    uv_timer_start(wake, demo_on_wake, LIVE_MS, LIVE_MS);
    demo->serving = demo->invocation->options->servers;
    while (!demo->ending.signal && status == EXIT_DONE) {
        uv_run(demo->loop, UV_RUN_ONCE);
        if (uv_now(demo->loop) < checked_ms + LIVE_MS)
            continue;
        checked_ms = uv_now(demo->loop);
        status = servers_live(demo) ? EXIT_DONE : EXIT_NO_SNAPSHOT;
    }
    loop_timer_free(wake);
    return demo->ending.signal ? 128 + demo->ending.signal : status;
}

/* The first line is for scripts, the rest for people. */
static int go_on(struct demo *demo)
{
    const char *ca = private_ensemble_security(demo->sandbox)->tls.ca;
    const char *hosts = private_ensemble_hosts(demo->sandbox);
    char *text = text_format("%s\nHealthy elections, and broken ones below /ill. Watch them with\n"
                             "  electop -s %s --admin %s%s%s\n"
                             "Ctrl-C ends it and removes everything.\n",
                             hosts, hosts, private_ensemble_admin(demo->sandbox), ca ? " --tls-ca " : "",
                             ca ? ca : "");
    int status = command_output_text(text);
    free(text);
    return status == EXIT_DONE ? last(demo) : status;
}

static void cast_await(struct demo *demo)
{
    uint64_t until_ms = uv_now(demo->loop) + CAST_WAIT_MS;
    while (!demo->ending.signal && !demo_elections_complete(demo->cast) && uv_now(demo->loop) < until_ms)
        uv_run(demo->loop, UV_RUN_ONCE);
}

/* Without a terminal: one snapshot, a few seconds of events, the end. */
static int show_briefly(struct demo *demo, const struct settings *settings)
{
    struct options options = *demo->invocation->options;
    options.for_ms = EVENTS_MS;
    if (!options.wait_given)
        options.wait_ms = SNAPSHOT_MS;
    const struct invocation brief = {.options = &options, .settings = settings};
    int status = command_once_on(demo->loop, &brief);
    if (status == EXIT_DONE && !demo->ending.signal)
        status = command_events_on(demo->loop, &brief);
    return status;
}

static int demo_show(struct demo *demo)
{
    size_t count;
    const struct play *plays = demo_elections_demo(&count);
    demo->cast =
        demo_elections_new(demo->loop, private_ensemble_hosts(demo->sandbox),
                           private_ensemble_security(demo->sandbox), CANDIDATE_TIMEOUT_MS, plays, count);
    if (demo->invocation->options->no_screen)
        return go_on(demo);
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    struct settings *settings = settings_of(demo, !terminal);
    if (!settings)
        return EXIT_USAGE;
    const struct invocation own = {.options = demo->invocation->options, .settings = settings};
    cast_await(demo);
    int status = EXIT_DONE; /* a signal's own status comes later */
    if (!demo->ending.signal)
        status = terminal ? command_watch_on(demo->loop, &own) : show_briefly(demo, settings);
    settings_free(settings);
    return status;
}

static int command_demo_on(uv_loop_t *loop, const struct invocation *invocation)
{
    struct demo demo = {.loop = loop, .invocation = invocation};
    int status = EXIT_NO_SNAPSHOT;
    /* Signals are caught all the time, also between what catches them itself. */
    bool caught = shutdown_begin(&demo.ending, loop, 0, 0);
    demo.ending.in_order = true;
    if (!caught)
        complain("cannot show the demo; raise the limit of open files (ulimit -n)");
    else if (servers_begin(&demo))
        status = demo_show(&demo);
    demo_elections_free(demo.cast);
    private_ensemble_stop(demo.sandbox);
    if (demo.ending.signal)
        status = 128 + demo.ending.signal;
    shutdown_finish(&demo.ending, loop);
    return status;
}

/* The option that this demo would ignore; NULL: none. */
static const char *unheeded(const struct options *options)
{
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (options->no_screen && options->path_count > 0)
        return "demo --no-screen shows nothing, so it takes no PATH; leave it out";
    if (options->observe && options->no_screen)
        return "demo --no-screen watches nothing, so it takes no --observe; leave it out, or observe with "
               "the "
               "command that it prints";
    if (options->wait_given && options->no_screen)
        return "demo --no-screen takes no snapshot, so it takes no --wait; leave it out";
    if (options->wait_given && terminal)
        return "demo opens the dashboard in a terminal, which takes no --wait; leave it out, or print one "
               "snapshot: electop demo --wait 30s | cat";
    return NULL;
}

int command_demo(const struct invocation *invocation)
{
    const char *why_not = unheeded(invocation->options);
    if (why_not) {
        complain("%s", why_not);
        return EXIT_USAGE;
    }
    return shutdown_run_loop(command_demo_on, invocation);
}

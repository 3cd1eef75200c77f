/*
 * discover.c - finds the elections of a cluster, and prints them as a table, as JSON, or as a configuration.
 */
#include <stdlib.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/clock.h"
#include "probe/election/recipe.h"
#include "probe/json/json_snapshot.h"
#include "probe/loop_timer.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/shutdown.h"
#include "tui/output/discovery_text.h"

#define PROGRESS_MS 200
/* The wait for the watches of found elections; a server without an answer does not delay the rest. */
#define ASKING_MOST_MS 5000

struct search {
    struct monitor *monitor;
    uv_timer_t *progress;
    uint64_t begun_ms;
};

static void discover_on_progress(uv_timer_t *timer)
{
    struct search *s = timer->data;
    const struct model *model = monitor_model(s->monitor);
    size_t walked = 0, waiting = 0, elections = 0, others = 0;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct discovery found;
        if (!monitor_discovery(s->monitor, i, &found))
            continue;
        walked += found.walked;
        waiting += found.waiting;
        elections += model->clusters[i].election_count;
        others += found.directory_count;
    }
    uint64_t ms = uv_now(timer->loop) - s->begun_ms;
    command_output_progress(
        "searched %zu director%s, %zu remain; found %zu election%s and %zu other%s; %zu/s", walked,
        walked == 1 ? "y" : "ies", waiting, elections, elections == 1 ? "" : "s", others,
        others == 1 ? "" : "s", ms ? (size_t)(walked * 1000 / ms) : 0);
}

static void discover_print(struct buffer *out, const struct monitor *monitor,
                           const struct invocation *invocation)
{
    const struct model *model = monitor_model(monitor);
    struct discovery *found = xcalloc(model->cluster_count + 1, sizeof *found);
    for (size_t i = 0; i < model->cluster_count; i++)
        monitor_discovery(monitor, i, &found[i]);
    if (invocation->options->json) {
        json_discovery_write(out, model, found, clock_now());
    } else if (invocation->options->yaml) {
        discovery_text_yaml(out, model, found, invocation->settings);
    } else {
        struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
        discovery_text_print(out, model, found, &how);
    }
    free(found);
}

/* The search takes as long as the tree is large, unless --wait says otherwise; a cluster that cannot be
   reached, or that answers nothing, ends it after the usual time. */
static bool goes_on(const struct search *s, const struct shutdown *ending, bool bounded)
{
    const struct model *model = monitor_model(s->monitor);
    bool reached = true;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct discovery found;
        reached &= monitor_discovery(s->monitor, i, &found) && found.answered;
    }
    return !ending->signal && !(ending->passed[0] && (bounded || !reached));
}

static void search_run(struct search *s, uv_loop_t *loop, const struct invocation *invocation,
                       const struct shutdown *ending)
{
    bool bounded = invocation->options->wait_given;
    if (isatty(STDERR_FILENO))
        uv_timer_start(s->progress, discover_on_progress, PROGRESS_MS, PROGRESS_MS);
    monitor_one_poll(s->monitor, true);
    while (goes_on(s, ending, bounded) && !monitor_complete(s->monitor))
        uv_run(loop, UV_RUN_ONCE);
    /* Watches are polled once the candidates are known. */
    monitor_ask(s->monitor);
    uint64_t until_ms = uv_now(loop) + ASKING_MOST_MS;
    while (goes_on(s, ending, bounded) && monitor_is_asking(s->monitor) && uv_now(loop) < until_ms)
        uv_run(loop, UV_RUN_ONCE);
    uv_timer_stop(s->progress);
    command_output_progress(NULL);
}

static int command_discover_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    struct shutdown ending;
    struct buffer out = {0};
    struct search search = {.begun_ms = uv_now(loop)};
    search.progress = loop_timer_new(loop, &search);
    int status = EXIT_USAGE;
    bool printed = false;
    bool caught = shutdown_begin(&ending, loop, options->wait_ms, 0);
    search.monitor = caught ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (search.monitor) {
        search_run(&search, loop, invocation, &ending);
        const struct model *model = monitor_model(search.monitor);
        if (!ending.signal) {
            bool cut = monitor_cut(search.monitor);
            monitor_catch_up(search.monitor);
            status = cut ? snapshot_exit_unsearched(model, options) : snapshot_exit_status(model, false);
            if (status == EXIT_NO_SNAPSHOT && !cut)
                snapshot_exit_complain(model, options->wait_ms);
            discover_print(&out, search.monitor, invocation);
            printed = true;
        }
    }
    monitor_stop(search.monitor);
    loop_timer_free(search.progress);
    shutdown_finish(&ending, loop);
    if (ending.signal)
        status = 128 + ending.signal;
    else if (printed)
        status = command_output_buffer(&out, status);
    else
        complain("%s", error ? error : "cannot search; raise the limit of open files (ulimit -n)");
    buffer_free(&out);
    free(error);
    return status;
}

static int discover_print_recipes(const struct invocation *invocation)
{
    char *error;
    struct buffer out = {0};
    struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
    struct recipe_book *book = recipes_of(invocation->settings, &error);
    if (!book) {
        complain_problem(error);
        return EXIT_USAGE;
    }
    discovery_text_recipes(&out, book, &how);
    recipe_book_free(book);
    return command_output_buffer(&out, EXIT_DONE);
}

int command_discover(const struct invocation *invocation)
{
    if (invocation->options->list_recipes)
        return discover_print_recipes(invocation);
    return shutdown_run_loop(command_discover_on, invocation);
}

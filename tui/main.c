#define _GNU_SOURCE /* pthread_setattr_default_np() */
/*
 * electop: reads the command line and the configuration, and hands over to one command.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/options.h"
#include "config/settings.h"
#include "probe/alert/alert_book.h"
#include "probe/alert/alert_facts.h"
#include "probe/capture/capture_file.h"
#include "probe/election/recipe.h"
#include "probe/log.h"
#include "probe/monitor.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/resolver.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/confine.h"
#include "tui/commands/shutdown.h"
#include "tui/dashboard/row_command.h"
#include "tui/screen/key_bindings.h"

/*
 * A program may be started with its standard descriptors closed; the next file opened (a log, a socket) would
 * then take their numbers, and receive the program's output.
 */
static bool hold_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* Writes to a closed standard output must fail, so that a stream without a reader ends. */
        int flags = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd)
            return false;
    }
    return true;
}

/* So much of a stack is enough, for this thread and for those of libraries. */
#define STACK_BYTES (1u << 20)
#define STACK_LEAST_BYTES (256u << 10)

#define LOOKUPS_MOST 31

/* A low limit (ulimit -s 64) is raised as far as its hard limit permits. False: that is not enough. */
static bool hold_stack(void)
{
    struct rlimit limit;
    pthread_attr_t attributes;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES)
        return true;
    limit.rlim_cur = limit.rlim_max < STACK_BYTES ? limit.rlim_max : STACK_BYTES;
    if (setrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < STACK_LEAST_BYTES)
        return false;
    /* The C library has taken the size for new threads from the old limit. */
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
            pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
    return true;
}

/* Grows the stack now. Later there may be no address space left for it, which is a SIGSEGV. */
static __attribute__((noinline)) void grow_stack(void)
{
    char deep[STACK_LEAST_BYTES * 3 / 4];
    memset(deep, 0, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory"); /* it is used, as far as the compiler knows */
}

/* The dashboard's keys come from the terminal where packets come from standard input. */
static void keys_from_terminal(const struct options *options)
{
    bool input = false;
    for (size_t i = 0; i < options->capture_count; i++) {
        const char *equals = strchr(options->captures[i], '=');
        input |= strcmp(equals ? equals + 1 : options->captures[i], "-") == 0;
    }
    if (!input || options->command != COMMAND_WATCH || isatty(STDIN_FILENO))
        return;
    capture_file_take_input();
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0)
        return;
    dup2(terminal, STDIN_FILENO);
    close(terminal);
}

static int print_help(const struct options *options)
{
    char *help = options_help(options->about, options->known->recipes);
    int status = command_output_text(help);
    free(help);
    return status;
}

/* How each command is run: on a loop, on the recording in its place, or by itself. */
static const struct program {
    int (*on_loop)(uv_loop_t *loop, const struct invocation *invocation);
    int (*on_recording)(const struct invocation *invocation);
    int (*alone)(const struct invocation *invocation);
    bool prints; /* it serves only its output */
} programs[COMMAND_COUNT] = {
    [COMMAND_WATCH] = {.on_loop = command_watch_on, .on_recording = command_replay},
    [COMMAND_ONCE] = {.on_loop = command_once_on, .on_recording = command_once_recorded},
    [COMMAND_EVENTS] = {.on_loop = command_events_on, .on_recording = command_events_recorded},
    [COMMAND_RECORD] = {.on_loop = command_record_on},
    [COMMAND_CHECK] = {.alone = command_check, .prints = true},
    [COMMAND_EXPORT] = {.on_loop = command_export_on},
    [COMMAND_DISCOVER] = {.alone = command_discover, .prints = true},
    [COMMAND_COMPLETION] = {.alone = command_completion, .prints = true},
    [COMMAND_REPORT] = {.alone = command_report},
    [COMMAND_REPLAY] = {.alone = command_replay},
    [COMMAND_CASE] = {.alone = command_case},
    [COMMAND_BUNDLE] = {.alone = command_case},
    [COMMAND_AUTOPSY] = {.alone = command_autopsy},
    [COMMAND_WHY] = {.alone = command_why, .prints = true},
    [COMMAND_INJECT] = {.on_loop = command_inject_on, .prints = true},
    [COMMAND_CONFIG] = {.alone = command_config, .prints = true},
    [COMMAND_DEMO] = {.alone = command_demo, .prints = true},
    [COMMAND_HELP] = {.prints = true},
    [COMMAND_VERSION] = {.prints = true},
};

static int run_command(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    const struct program *program = &programs[options->command];
    if (options->replay && program->on_recording)
        return program->on_recording(invocation);
    if (options->linear)
        return shutdown_run_loop(command_linear_on, invocation);
    return program->on_loop ? shutdown_run_loop(program->on_loop, invocation) : program->alone(invocation);
}

static int run_on_logs(const struct invocation *invocation)
{
    return command_on_logs(invocation, run_command);
}

/* A monitoring daemon reads standard output, and would misread any other exit code. */
static int main_refuse(const struct options *options, char *error)
{
    if (options->command == COMMAND_CHECK) {
        int status = check_refuse(error);
        free(error);
        return status;
    }
    complain_problem(error);
    return EXIT_USAGE;
}

/* Commands that serve only their output do not begin if standard output is closed. */
static bool is_for_output(const struct options *options)
{
    switch (options->command) {
    case COMMAND_EVENTS:
    case COMMAND_ONCE:
        return !options->observe;
    case COMMAND_WATCH:
        return options->linear && !options->observe;
    case COMMAND_AUTOPSY:
        return !options->into;
    case COMMAND_REPORT:
        return !options->html || strcmp(options->html, "-") == 0;
    default: /* record and export need none */
        return programs[options->command].prints;
    }
}

static bool output_is_closed(void)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    return flags < 0 || (flags & O_ACCMODE) == O_RDONLY;
}

/* libuv gives half of its threads to the look-ups of names: a name that no name server answers holds one thread, and
 * leaves some to the others. Threads are made with the first look-up. */
static void allow_lookups(const struct settings *settings)
{
    size_t names = 0;
    char threads[8], *error;
    struct sockaddr_storage literal;
    for (size_t i = 0; i < settings->cluster_count; i++) {
        struct connect_string hosts;
        if (!connect_string_parse(settings->clusters[i].hosts, &hosts, &error)) {
            free(error);
            continue;
        }
        for (size_t k = 0; k < hosts.count; k++)
            names += !address_literal(&hosts.servers[k], &literal);
        connect_string_free(&hosts);
    }
    snprintf(threads, sizeof threads, "%zu", 4 + 2 * (names < LOOKUPS_MOST ? names : LOOKUPS_MOST));
    if (names > 0)
        setenv("UV_THREADPOOL_SIZE", threads, 0);
}

static int main_run(const struct options *options)
{
    char *error;
    if (is_for_output(options) && output_is_closed()) {
        complain("standard output is closed; redirect it, as in > FILE");
        return options->command == COMMAND_CHECK ? check_refuse("standard output is closed") : EXIT_USAGE;
    }
    if (options->command == COMMAND_HELP)
        return print_help(options);
    if (options->command == COMMAND_VERSION)
        return command_output_text("electop " ELECTOP_VERSION "\n");
    if (options->log && !log_open(options->log, &error))
        return main_refuse(options, error);
    if (options->command == COMMAND_CHECK)
        memory_on_exhausted(check_on_exhausted);
    keys_from_terminal(options);
    struct settings *settings = command_settings(options, &error);
    if (!settings)
        return main_refuse(options, error);
    complain_problem(error); /* of some clusters: the others are watched */
    error = NULL;
    log_line(LOG_LEVEL_INFO, "electop %s %s, configuration %s", ELECTOP_VERSION,
             command_word(options->command), settings->file ? settings->file : "none");
    if ((error = log_take_problem())) {
        settings_free(settings);
        return main_refuse(options, error);
    }
    if (settings->screen
            .utc) { /* every time that is shown or typed: they all go through the C library's zone */
        setenv("TZ", "UTC0", 1);
        tzset();
    }
    allow_lookups(settings);
    /* A command inherits the allowed calls: who configures some trusts them, and what starts them. */
    if (options->command != COMMAND_WATCH || options->linear || settings->action_count == 0)
        confine(options);
    int status = command_on_case(&(struct invocation){.options = options, .settings = settings}, run_on_logs);
    complain_problem(monitor_take_problem());
    log_line(LOG_LEVEL_INFO, "ended with %d", status);
    settings_free(settings);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    char *error;
    if (!hold_descriptors())
        return EXIT_USAGE;
    tzset(); /* may wait, where TZ names a pipe: a signal still ends the program here, and nothing reads it later */
    setlocale(LC_ALL, "");
    /* Numbers in JSON and in what scripts read have a point, whatever the language. */
    setlocale(LC_NUMERIC, "C");
    /* A closed standard output is an error of write(), which each command treats in its way. */
    signal(SIGPIPE, SIG_IGN);
    /* So is a limit on the size of files (ulimit -f): it is treated like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    /* A parent may have blocked signals, as perf does with SIGWINCH. */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!options_parse(argc, argv, &options, &error))
        return main_refuse(&options, error);
    if (!hold_stack())
        return main_refuse(&options,
                           xstrdup("the limit of the stack is too low; raise it with ulimit -s 1024"));
    grow_stack();
    const char **recipes = recipes_names(), **conditions = alert_conditions();
    const char **actions = key_bindings_words();
    options.known = &(struct known_words){.recipes = recipes,
                                          .conditions = conditions,
                                          .facts = alert_fact_words,
                                          .actions = actions,
                                          .row_facts = row_command_words,
                                          .key_code = key_code};
    int status = main_run(&options);
    free(recipes);
    free(conditions);
    free(actions);
    complain_problem(log_take_problem());
    log_close();
    options_free(&options);
    return status;
}

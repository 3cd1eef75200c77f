/*
 * electop: reads the command line and the configuration, and hands over to one command.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/log.h"
#include "tui/commands/command.h"

static int print_text(char *text)
{
    if (!text) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    fputs(text, stdout);
    fflush(stdout);
    free(text);
    return EXIT_DONE;
}

static int run_command(const struct invocation *invocation)
{
    switch (invocation->options->command) {
    case COMMAND_WATCH:
        return command_watch(invocation);
    case COMMAND_ONCE:
        return command_once(invocation);
    case COMMAND_EVENTS:
        return command_events(invocation);
    case COMMAND_CONFIG:
        return command_config(invocation);
    case COMMAND_DEMO:
        return command_demo(invocation);
    case COMMAND_HELP:
    case COMMAND_VERSION:
    case COMMAND_COUNT:
        break;
    }
    return EXIT_USAGE;
}

static int refuse(char *error)
{
    complain("%s", error ? error : "out of memory");
    free(error);
    return EXIT_USAGE;
}

static int run(const struct options *options)
{
    char *error;
    if (options->command == COMMAND_HELP)
        return print_text(options_help(options->about));
    if (options->command == COMMAND_VERSION) {
        printf("electop %s\n", ELECTOP_VERSION);
        fflush(stdout);
        return EXIT_DONE;
    }
    if (options->log && !log_open(options->log, &error))
        return refuse(error);
    struct settings *settings = settings_load(options, &error);
    if (!settings)
        return refuse(error);
    log_line(LOG_LEVEL_INFO, "electop %s %s, configuration %s", ELECTOP_VERSION,
             command_word(options->command), settings->file ? settings->file : "none");
    if (settings->notes)
        log_line(LOG_LEVEL_WARNING, "%s", settings->notes);
    int status = run_command(&(struct invocation){.options = options, .settings = settings});
    log_line(LOG_LEVEL_INFO, "ended with %d", status);
    settings_free(settings);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    char *error;
    setlocale(LC_ALL, "");
    /* Numbers in JSON and in what scripts read have a point, whatever the language. */
    setlocale(LC_NUMERIC, "C");
    /* A closed standard output is an error of write(), which each command treats in its way. */
    signal(SIGPIPE, SIG_IGN);
    if (!options_parse(argc, argv, &options, &error))
        return refuse(error);
    int status = run(&options);
    options_free(&options);
    log_close();
    return status;
}

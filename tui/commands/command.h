/*
 * command.h - one file per subcommand; main.c parses, loads the settings, and calls one of these.
 *
 * Each returns the program's exit status.
 */
#ifndef ELECTOP_TUI_COMMANDS_COMMAND_H
#define ELECTOP_TUI_COMMANDS_COMMAND_H

#include <uv.h>

#include "config/options.h"
#include "config/settings.h"
#include "tui/exit_status.h"

struct invocation {
    const struct options *options;
    const struct settings *settings;
    const char *source; /* the displayed name of a recording made from logs for this run; or NULL */
};

/* The configuration that these options name, checked completely; the caller frees it. NULL and the reason in
 * error (the caller frees it): it is unusable. Settings and a text: some clusters cannot be watched, the
 * others are. */
struct settings *command_settings(const struct options *options, char **error);
/* The same by a program that runs: it waits for no writer of a pipe. */
struct settings *command_settings_again(const struct options *options, char **error);

/* Those with a loop may run on one with other work (the demo's candidates), which continues meanwhile. They return
 * with their handles closed; the loop remains the caller's. */
int command_watch_on(uv_loop_t *loop, const struct invocation *invocation);
/* watch --linear */
int command_linear_on(uv_loop_t *loop, const struct invocation *invocation);
int command_once_on(uv_loop_t *loop, const struct invocation *invocation);
/* For options->for_ms, or options->count of them. */
int command_events_on(uv_loop_t *loop, const struct invocation *invocation);
int command_record_on(uv_loop_t *loop, const struct invocation *invocation);
int command_export_on(uv_loop_t *loop, const struct invocation *invocation);
int command_inject_on(uv_loop_t *loop, const struct invocation *invocation);
int command_report(const struct invocation *invocation);
/* The same on a recording, in place of a cluster. */
int command_once_recorded(const struct invocation *invocation);
int command_events_recorded(const struct invocation *invocation);
int command_replay(const struct invocation *invocation);
int command_check(const struct invocation *invocation);
/* Prints "ELECTION UNKNOWN - problem" as check does, and returns its exit code. */
int check_refuse(const char *problem);
/* For memory_on_exhausted(): prints the line of a check that ran out of memory, and ends the process. */
void check_on_exhausted(void);
struct exporter;
/* Reports where metrics are served, and which other hosts can read them. */
void export_report_place(const struct exporter *exporter);
int command_autopsy(const struct invocation *invocation);
int command_why(const struct invocation *invocation);
/* If the named recording consists of transaction logs, runs the command on a recording made from them. */
int command_on_logs(const struct invocation *invocation, int (*command)(const struct invocation *));
int command_case(const struct invocation *invocation);
/* If the named recording is a case, runs the command on a recording made from it. */
int command_on_case(const struct invocation *invocation, int (*command)(const struct invocation *));
int command_discover(const struct invocation *invocation);
int command_completion(const struct invocation *invocation);
int command_config(const struct invocation *invocation);
int command_demo(const struct invocation *invocation);

#endif

/*
 * command.h - one file a subcommand; main.c parses, loads the settings, and calls one of these.
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
    const char *source; /* how a recording is to be called that was made from logs for this run; or NULL */
};

/* The configuration that these options name, checked as a whole; caller frees it. NULL and the reason in
   *error (caller frees): it cannot be used. Settings and a text there: some clusters cannot be watched, the
   others are. */
struct settings *command_settings(const struct options *options, char **error);
/* The same at SIGHUP. NULL: it is wrong in some part, and command_refused(). */
struct settings *command_reload(const struct options *options);
/* How a reload ended, on standard error and in the log. error NULL: out of memory. */
void command_refused(const char *error);
void command_taken_over(const struct settings *settings);

int command_watch(const struct invocation *invocation);
/* The same on a loop with other work (the demo's candidates), which goes on meanwhile; it returns
   when the user quits, with its handles closed and the loop still the caller's. */
int command_watch_on(uv_loop_t *loop, const struct invocation *invocation);
int command_once(const struct invocation *invocation);
int command_events(const struct invocation *invocation);
/* The same on the caller's loop, as above: one snapshot, and events for options->for_ms or as many as
   options->count. */
int command_once_on(uv_loop_t *loop, const struct invocation *invocation);
int command_events_on(uv_loop_t *loop, const struct invocation *invocation);
int command_record(const struct invocation *invocation);
int command_report(const struct invocation *invocation);
/* The same on a recording, in place of a cluster. */
int command_once_recorded(const struct invocation *invocation);
int command_events_recorded(const struct invocation *invocation);
int command_replay(const struct invocation *invocation);
int command_check(const struct invocation *invocation);
/* Says "ELECTION UNKNOWN - problem" as check does, and returns its exit code. */
int check_refuse(const char *problem);
/* For memory_on_exhausted(): prints the line of a check that ran out of memory, and ends the process. */
void check_on_exhausted(void);
int command_export(const struct invocation *invocation);
struct exporter;
/* Says where metrics are served, and who else can read them there. */
void export_report_place(const struct exporter *exporter);
int command_autopsy(const struct invocation *invocation);
int command_why(const struct invocation *invocation);
/* Where the recording that is named is no recording but transaction logs, runs the command on one made from
 * them. */
int command_on_logs(const struct invocation *invocation, int (*command)(const struct invocation *));
int command_inject(const struct invocation *invocation);
int command_discover(const struct invocation *invocation);
int command_completion(const struct invocation *invocation);
int command_config(const struct invocation *invocation);
int command_demo(const struct invocation *invocation);

#endif

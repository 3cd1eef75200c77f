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
};

int command_watch(const struct invocation *);
/* The same on a loop that has work of its own (the demo's candidates), which goes on meanwhile; it returns
   when the user quits, with its own handles closed and the loop still the caller's. */
int command_watch_on(uv_loop_t *, const struct invocation *);
int command_once(const struct invocation *);
int command_events(const struct invocation *);
/* The same on somebody's loop, as above: one look, and events for options->for_ms or as many as
   options->count. */
int command_once_on(uv_loop_t *, const struct invocation *);
int command_events_on(uv_loop_t *, const struct invocation *);
int command_record(const struct invocation *);
int command_report(const struct invocation *);
/* The same on a recording, in place of a cluster. */
int command_once_recorded(const struct invocation *);
int command_events_recorded(const struct invocation *);
int command_replay(const struct invocation *);
int command_inject(const struct invocation *);
int command_config(const struct invocation *);
int command_demo(const struct invocation *);

#endif

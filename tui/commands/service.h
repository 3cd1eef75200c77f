/*
 * service.h - a command that goes on until a signal ends it, and reads its configuration again at SIGHUP.
 *
 * A wrong configuration is reported, and the old one stays in effect.
 */
#ifndef ELECTOP_TUI_COMMANDS_SERVICE_H
#define ELECTOP_TUI_COMMANDS_SERVICE_H

#include "tui/commands/command.h"
#include "tui/commands/shutdown.h"

struct service {
    /* From now on with these settings. False: it cannot; error: why (the caller frees it), or NULL: out of
       descriptors. */
    bool (*begin)(void *context, const struct settings *settings, char **error);
    void (*end)(void *context);
    void *context;
    struct settings *own; /* of the latest reload; NULL: none; the caller frees them when it has ended */
};

/* Goes on until a signal other than SIGHUP. False: it has ended, since it can begin neither with
 * the new configuration nor with the old one; the reason has been printed. */
bool service_run(struct service *service, uv_loop_t *loop, const struct invocation *invocation,
                 struct shutdown *ending);

#endif

/*
 * confine.h - the system calls that this process may make.
 */
#ifndef ELECTOP_TUI_COMMANDS_CONFINE_H
#define ELECTOP_TUI_COMMANDS_CONFINE_H

#include "config/options.h"

/*
 * Allows this process and its threads, for good, only the calls that the command needs, so that an attacker who
 * takes it over gains little: no other program, no privileges, no other process, no change of the system. Any
 * other call fails with ENOSYS, as on a kernel that does not know it, or with EPERM where only its arguments are
 * not allowed. The demo starts servers, and `record` the
 * commands of alerts, and both would inherit the filter: so these two are not confined. A kernel without
 * filters leaves it at no_new_privs.
 */
void confine(const struct options *options);

#endif

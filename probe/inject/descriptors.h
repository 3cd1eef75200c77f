/*
 * descriptors.h - room for many sessions: each needs a file descriptor.
 */
#ifndef ELECTOP_PROBE_INJECT_DESCRIPTORS_H
#define ELECTOP_PROBE_INJECT_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room for so many sessions beside what the program has open: raises the soft limit of open files, up to the
 * hard one. False, and a text with what to do in *error (caller frees): the hard limit is lower.
 */
bool descriptors_make_room(size_t sessions, char **error);

#endif

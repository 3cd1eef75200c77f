/*
 * supervisor.h - a small process that owns server processes and a temporary directory, and
 * removes both when the program ends, for any reason.
 *
 * The program cannot clean up after kill -9, so a child does: it is forked before anything
 * is made, and waits on one end of a socket pair. It makes the directory, starts the servers (they
 * are its children), signals and reaps them on command. When the program's end of the socket closes
 * (an ordinary end, a crash, kill -9) it kills the servers, waits for them and removes the directory.
 * Should the supervisor itself be killed, the kernel kills the servers (PR_SET_PDEATHSIG, which is safe
 * here because the supervisor has one thread), and supervisor_end() removes the directory.
 *
 * It has its own terminal session, so Ctrl-C and a closed terminal reach the program, never it or the
 * servers; it keeps none of the program's descriptors.
 *
 * Every call here is one question and one answer over the socket and takes well below a millisecond,
 * except supervisor_kill() and supervisor_end(), which wait for processes to die (some milliseconds).
 */
#ifndef ELECTOP_PROBE_DEMO_SUPERVISOR_H
#define ELECTOP_PROBE_DEMO_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>

#define SUPERVISOR_SLOTS 8

struct supervisor;

/*
 * Forks it and makes a directory "<prefix>XXXXXX" in $TMPDIR (or /tmp), readable by the owner alone.
 * NULL and a text in *error (caller frees) on failure.
 */
struct supervisor *supervisor_new(const char *prefix, char **error);

const char *supervisor_directory(const struct supervisor *supervisor);

/* Its own process id, for tests. */
pid_t supervisor_pid(const struct supervisor *supervisor);

/*
 * Starts argv (NULL-terminated; argv[0] is looked up in PATH) in a free slot. Appends its standard
 * output and error to the file log. The process runs in the supervisor's directory. Returns the process id,
 * or a negative errno: -EBUSY when the slot's process still runs, or the errno of exec.
 */
pid_t supervisor_start(struct supervisor *supervisor, int slot, const char *log, char *const argv[]);

/* Sends a signal to the slot's process: 0, or -ESRCH when none runs there. */
int supervisor_signal(struct supervisor *supervisor, int slot, int signal);

/* SIGKILL, and waits until it is gone: 0, also when none runs there. */
int supervisor_kill(struct supervisor *supervisor, int slot);

/* Does the slot's process still run? */
bool supervisor_running(struct supervisor *supervisor, int slot);

/* Removes one name in the directory ("1/data") with everything below it; 0 or a negative errno. */
int supervisor_wipe(struct supervisor *supervisor, const char *relative);

/* Kills the processes, removes the directory, ends the supervisor, frees. NULL is fine. */
void supervisor_end(struct supervisor *supervisor);

#endif

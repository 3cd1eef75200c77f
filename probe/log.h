/*
 * log.h - the log of --log, about the tool itself: a file with one line an occurrence, or systemd's journal.
 *
 *   2026-11-20T14:03:22.104Z warning prod: connection refused by zk1:2181
 *
 * An entry of the journal has MESSAGE, PRIORITY (3 error, 4 warning, 6 info, 7 debug),
 * SYSLOG_IDENTIFIER=electop and the fields of log_fields().
 *
 * Before log_open(), and without --log, log_line() does nothing and costs nothing. Deceiving characters
 * (utf8.h) and invalid UTF-8 are written as \x1b, so that a line is always one line and the file is safe to
 * cat. Never pass a credential. The one log of the process is the only state here; single-threaded.
 */
#ifndef ELECTOP_PROBE_LOG_H
#define ELECTOP_PROBE_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

#define LOG_LINE_MAX 2000 /* bytes of a message; a longer one is cut, and ends in "..." */

/*
 * Opens the log, whose name the caller keeps: "journal", "journal:SOCKET" (of a journal's namespace), or a
 * file, for appending; a new file can be read by its owner only. False and a text in *error ("the error; the
 * remedy", caller frees) when that is impossible.
 */
bool log_open(const char *file, char **error);
void log_close(void);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with fields for the journal: pairs of a name (ELECTOP_CODE) and a value, NULL-terminated; a value
   may be NULL: not known. A file has the message alone. */
void log_fields(enum log_level level, const char *const *fields, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How many lines could not be written since the last call, and why (malloc'd; the caller frees); NULL: none.
 */
char *log_take_problem(void);

#endif

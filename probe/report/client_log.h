/*
 * client_log.h - pauses of a client's process, as logs of its host show them: GC logs of JVMs (unified, and the
 * older form) and the kernel's lines about suspends and kills by the out-of-memory killer.
 *
 * A file is read line by line, however long it is. Times need a date; without an offset they are local.
 */
#ifndef ELECTOP_PROBE_REPORT_CLIENT_LOG_H
#define ELECTOP_PROBE_REPORT_CLIENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client_pause {
    int64_t from_us, to_us; /* wall clock of that host; INT64_MAX: it did not end */
    int64_t
        ahead_us;  /* about so far is that clock, as both ends of a silence tie it; 0: assumed to be equal */
    char what[80]; /* "Pause Full (G1 Compaction Pause)"; "" : none was found */
    const char *file; /* borrowed */
    size_t lines;     /* of pauses, in all files */
    int64_t
        short_us;   /* of that time, the most that one took which is too short for the silence; 0: none was */
    bool refuted;   /* packets show the client within one that overlaps the silence */
    size_t undated; /* lines of pauses without a date */
    size_t undated_kernel; /* ... and how many of them are the kernel's */
};

/* Borrowed. */
struct client_logs {
    char *const *files;
    size_t count;
    bool of_one_host; /* which need not be that of every lost leader */
};

/* Of a client, by our clock. */
struct client_silence {
    int64_t from_us, to_us; /* until its znode went */
    int64_t alive_us;       /* the first packet that shows its process after that; 0: not known */
    bool exact;             /* from_us is the last one's time, and not a bound */
    int64_t back_us;        /* when it was back; 0: not known */
    int64_t before_us;      /* its process may have gone on so much earlier */
    int64_t least_us;       /* so much of it a pause must fill to explain it */
};

/* The pause that overlaps the silence the longest; where none does, the only one that is as long as it was until the
 * client was back, if a time zone explains the distance and its log, with offsets, does not show that time. False and
 * a text in *error (caller frees): a file cannot be read. */
bool client_log_find(char *const *files, size_t count, const struct client_silence *silence,
                     struct client_pause *pause, char **error);

/* One line. False: it is not about a pause. from_us 0: it has no date. year_us: any time of the line's year,
 * for dates without one. */
bool client_log_line(const char *line, int64_t year_us, struct client_pause *pause);

#endif

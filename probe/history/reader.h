/*
 * reader.h - the inside of a recording that is read: shared by history*.c.
 */
#ifndef ELECTOP_PROBE_HISTORY_READER_H
#define ELECTOP_PROBE_HISTORY_READER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/model.h"
#include "probe/history/snapshot.h"

/* Events may be reported with an earlier time than one before them: lists of servers carry the time of their
 * request. */
#define DISORDER_US 60000000

struct chunk_row {
    int64_t id, stretch, from_us, first_event;
};

struct stretch_row {
    int64_t id, from_us, to_us;
    bool goes_on; /* the same recorder as in the one before: its clock was set, or it lost some */
    size_t first_chunk, end_chunk; /* in chunks */
};

/* An election with only the data of its rows. */
struct stub {
    int64_t id;
    struct election *election;
    struct recipe *recipe; /* name only; or NULL */
    char *recipe_name;
};

struct history {
    sqlite3 *db;
    char *file;
    bool still;      /* it has no writer (recording_open_read()) */
    unsigned depth;  /* of reader_begin() */
    int64_t version; /* PRAGMA data_version of the cached data below */
    struct chunk_row *chunks;
    size_t chunk_count;
    struct stretch_row *stretches; /* those that have chunks, in order of recording */
    size_t stretch_count;

    struct snapshot *snapshot; /* of this chunk, with its patches until at_us */
    int64_t chunk, patch;      /* patch: of an open chunk, the latest that was applied */
    bool chunk_open;
    unsigned char *patches; /* of a closed one */
    size_t patches_size, patches_at;
    int64_t patches_us; /* time of the latest that was scanned */
    int64_t at_us;
    struct snapshot_model *restored;
    uint64_t generation;

    /* Where several stretches contain a time, the one shown last stays in view. */
    int64_t cursor_us;
    size_t cursor_stretch;
    bool has_cursor;

    struct cluster *clusters; /* stubs, by number in cluster_ids */
    int64_t *cluster_ids;
    size_t cluster_count;
    struct stub *stubs;
    size_t stub_count, names_size;
    int64_t kind_ids[64]; /* by enum event_kind; 0: none */
};

/* Begins to read: one state of the file until reader_end(). False and a text in *error. */
bool reader_begin(struct history *history, char **error);
void reader_end(struct history *history);
bool reader_failed(struct history *history, char **error); /* fills *error; returns false */
/* The statement has been read as far as was wanted, or failed (not fine): ends both; returns fine. */
bool reader_done(struct history *history, sqlite3_stmt *statement, bool fine, char **error);

/* The stretch that holds this moment, else the one before it; SIZE_MAX: there is none. */
size_t reader_stretch_at(const struct history *history, int64_t at_us);
void reader_point(struct history *history, int64_t at_us, size_t stretch);

/* When a cluster could not be watched. */
struct reader_gap {
    int64_t cluster;
    const char *cluster_name, *why; /* until the next one is read */
    int64_t from_us, to_us;         /* one that lasts: as long as its stretch */
    int64_t stretch;                /* whose clock that is */
};
/* Those that touch that time, cluster by cluster. NULL, which the others take, and false at the end: they
   cannot be read. */
sqlite3_stmt *reader_gaps(struct history *history, int64_t from_us, int64_t to_us);
bool reader_next_gap(sqlite3_stmt *statement, struct reader_gap *gap);
bool reader_end_gaps(struct history *history, sqlite3_stmt *statement);

/* NULL: no such election. */
struct stub *reader_stub(struct history *history, int64_t id);

/* The ids of a stretch's events: from first to before end. */
void reader_events_of(const struct history *history, size_t stretch, int64_t *first, int64_t *end);

/* Gives each election the failovers that were reported by the model's moment, which that stretch shows.
   False: they cannot be read. */
bool reader_failovers(struct history *history, struct model *model, size_t stretch);

/* The failover that this event reports, not later than at_us, to be released. False: there is none. */
bool reader_failover(struct history *history, int64_t event, int64_t election, int64_t at_us,
                     struct failover *failover);

/*
 * Which stretch of a recording shows a time: where a clock was set back, the later recording
 * shows the times that the clock showed twice.
 */

struct history;

/* A part of the wall's time and the stretch that shows it, an index into those of the history. */
struct owner {
    int64_t from_us, to_us;
    size_t stretch;
};

struct owners {
    struct owner *of; /* in the order of time, apart from each other */
    size_t count;
    bool jump; /* the order of recording is another one */
};

/* While it is being read (reader.h). To be freed in either case. */
void owners_find(const struct history *history, struct owners *owners);
void owners_free(struct owners *owners);

#endif

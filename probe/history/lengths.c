#include "probe/history/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "config/room.h"
#include "probe/history/digest.h"
#include "probe/history/sql.h"

/* A failover is reported when its evidence is complete. */
#define TOLD_WITHIN_US INT64_C(600000000)
/* Hours that are looked at in one go. */
#define HOURS_AT_ONCE 1000

enum failover_cause lengths_cause(const char *word)
{
    unsigned cause = 0;
    while (word && cause < CAUSE_COUNT && strcmp(failover_cause_word((enum failover_cause)cause), word) != 0)
        cause++;
    return word && cause < CAUSE_COUNT ? (enum failover_cause)cause : CAUSE_UNKNOWN;
}

static bool add_sample(struct samples *samples, const struct failover *failover)
{
    if (!room_for_one(&samples->list, samples->count, &samples->room, sizeof *samples->list))
        return false;
    samples->count += failover_sample_of(failover, &samples->list[samples->count]);
    return true;
}

#define LENGTH_COLUMNS                                                                                       \
    "SELECT f.cause, f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us,"          \
    " f.takeover_low_us, f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us"

/* Without any text but the cause. */
static bool lengths_read_all(sqlite3 *db, const char *sql, int64_t whose, int64_t from_us, int64_t to_us,
                             struct samples *samples)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, whose);
        sqlite3_bind_int64(statement, 2, from_us);
        sqlite3_bind_int64(statement, 3, to_us);
    }
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct failover failover = {.cause = lengths_cause(sql_text(statement, 0)),
                                    .detection = sql_span(statement, 1),
                                    .vacancy = sql_span(statement, 3),
                                    .takeover = sql_span(statement, 5),
                                    .total = sql_span(statement, 7),
                                    .gap_us = sqlite3_column_int64(statement, 9)};
        code = add_sample(samples, &failover) ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool lengths_read(sqlite3 *db, int64_t election, int64_t from_us, int64_t to_us, struct samples *samples)
{
    return lengths_read_all(
        db, LENGTH_COLUMNS " FROM failover f WHERE f.election = ? AND f.lost_us >= ? AND f.lost_us < ?",
        election, from_us, to_us, samples);
}

bool lengths_read_cluster(sqlite3 *db, int64_t cluster, int64_t from_us, int64_t to_us,
                          struct samples *samples)
{
    return lengths_read_all(db,
                            LENGTH_COLUMNS " FROM election l CROSS JOIN failover f ON f.election = l.id"
                                           " WHERE l.cluster = ? AND f.lost_us >= ? AND f.lost_us < ?",
                            cluster, from_us, to_us, samples);
}

/* ---- digests ---- */

static bool digest_cluster(sqlite3 *db, int64_t cluster, int64_t hour)
{
    struct samples samples = {0};
    struct buffer digest = {0};
    sqlite3_stmt *statement = NULL;
    bool fine =
        lengths_read_cluster(db, cluster, hour * LENGTHS_HOUR_US, (hour + 1) * LENGTHS_HOUR_US, &samples) &&
        digest_pack(samples.list, samples.count, &digest) &&
        sqlite3_prepare_v2(db, "INSERT INTO digest (cluster, hour, lengths) VALUES (?, ?, ?)", -1, &statement,
                           NULL) == SQLITE_OK;
    if (fine) {
        sqlite3_bind_int64(statement, 1, cluster);
        sqlite3_bind_int64(statement, 2, hour);
        sqlite3_bind_blob64(statement, 3, digest.length ? digest.bytes : "", digest.length, SQLITE_STATIC);
        fine = sqlite3_step(statement) == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    buffer_free(&digest);
    free(samples.list);
    return fine;
}

/* The first hour that may still get failovers. */
static int64_t open_hour(int64_t now_us)
{
    return (now_us - TOLD_WITHIN_US) / LENGTHS_HOUR_US;
}

bool lengths_due(int64_t now_us, int64_t hour)
{
    return hour < open_hour(now_us);
}

bool lengths_digest(sqlite3 *db, int64_t now_us, int64_t *hour)
{
    int64_t begin_us = 0;
    if (*hour == 0) {
        if (!sql_ask(db, "SELECT from_us FROM chunk ORDER BY id LIMIT 1", &begin_us))
            return false;
        *hour = begin_us > 0 ? begin_us / LENGTHS_HOUR_US : open_hour(now_us);
    }
    for (int i = 0; i < HOURS_AT_ONCE && lengths_due(now_us, *hour); i++) {
        int64_t cluster;
        if (!sql_ask_of(
                db,
                "SELECT id FROM cluster c WHERE NOT EXISTS (SELECT 1 FROM digest d WHERE d.cluster = c.id"
                " AND d.hour = ?) LIMIT 1",
                *hour, &cluster))
            return false;
        if (cluster)
            return digest_cluster(db, cluster, *hour);
        ++*hour;
    }
    return true;
}

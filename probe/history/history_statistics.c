/* How long failovers took, and by what cause. */
#include <stdlib.h>
#include <string.h>

#include "probe/history/digest.h"
#include "probe/history/history.h"
#include "probe/history/reader.h"
#include "probe/history/sql.h"

static bool of_elections(struct history *h, const struct history_filter *filter, int64_t from_us,
                         int64_t to_us, struct failover_stats *stats)
{
    struct samples samples = {0};
    bool fine = true;
    for (size_t i = 0; i < h->stub_count && fine; i++) {
        const struct election *election = h->stubs[i].election;
        if (strcmp(filter->election, election->path) == 0 &&
            (!filter->cluster || strcmp(filter->cluster, election->cluster->name) == 0))
            fine = digest_read(h->db, h->stubs[i].id, from_us, to_us, &samples);
    }
    if (fine)
        failover_stats_make(samples.list, samples.count, stats);
    free(samples.list);
    return fine;
}

/* The failovers of a time of which there is no digest. */
static bool add_time(struct history *h, int64_t cluster, int64_t from_us, int64_t to_us,
                     struct digest_sum *sum)
{
    struct samples samples = {0};
    struct buffer digest = {0};
    if (from_us >= to_us)
        return true;
    bool fine = digest_read_cluster(h->db, cluster, from_us, to_us, &samples);
    if (fine) {
        digest_pack(samples.list, samples.count, &digest);
        digest_sum_add(sum, digest.bytes, digest.length);
    }
    buffer_free(&digest);
    free(samples.list);
    return fine;
}

static bool add_cluster(struct history *h, int64_t cluster, int64_t from_us, int64_t to_us,
                        struct digest_sum *sum)
{
    sqlite3_stmt *statement = NULL;
    /* Whole hours within. Times before 1970 have no digest. */
    int64_t first = from_us <= 0 ? 0 : (from_us - 1) / LENGTHS_HOUR_US + 1, end = to_us / LENGTHS_HOUR_US;
    int64_t reported_us = from_us;
    bool fine = true;
    /* The recording of an older program has none. */
    int code = sqlite3_prepare_v2(h->db,
                                  "SELECT hour, lengths FROM digest WHERE cluster = ? AND hour >= ?"
                                  " AND hour < ? ORDER BY hour",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, cluster);
        sqlite3_bind_int64(statement, 2, first);
        sqlite3_bind_int64(statement, 3, end);
        while (fine && (code = sql_next(statement, 0)) == SQLITE_ROW) {
            int64_t hour_us = sql_number(statement, 0) * LENGTHS_HOUR_US;
            fine = add_time(h, cluster, reported_us, hour_us, sum);
            digest_sum_add(sum, sqlite3_column_blob(statement, 1),
                           (size_t)sqlite3_column_bytes(statement, 1));
            reported_us = hour_us + LENGTHS_HOUR_US;
        }
        fine = fine && code == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    return fine && add_time(h, cluster, reported_us, to_us, sum);
}

static bool of_clusters(struct history *h, const struct history_filter *filter, int64_t from_us,
                        int64_t to_us, struct failover_stats *stats)
{
    struct digest_sum sum = {0};
    bool fine = true;
    for (size_t i = 0; i < h->cluster_count && fine; i++)
        if (!filter || !filter->cluster || strcmp(filter->cluster, h->clusters[i].name) == 0)
            fine = add_cluster(h, h->cluster_ids[i], from_us, to_us, &sum);
    fine = fine && digest_sum_stats(&sum, stats);
    digest_sum_free(&sum);
    return fine;
}

bool history_statistics(struct history *h, const struct history_filter *filter, int64_t from_us,
                        int64_t to_us, struct failover_stats *stats, char **error)
{
    if (!reader_begin(h, error))
        return false;
    bool fine = filter && filter->election ? of_elections(h, filter, from_us, to_us, stats)
                                           : of_clusters(h, filter, from_us, to_us, stats);
    if (!fine)
        reader_failed(h, error);
    reader_end(h);
    return fine;
}

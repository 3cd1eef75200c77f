#include "probe/history/recorded_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/recording_file.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"

static bool one_cluster(sqlite3 *db, const char *file, const char *cluster, struct recorded_cluster *found,
                        char **error)
{
    int64_t count = 0;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, "SELECT name, hosts FROM cluster WHERE ?1 IS NULL OR name = ?1", -1,
                                  &statement, NULL);
    if (code == SQLITE_OK)
        sql_bind_text(statement, 1, cluster);
    while (code == SQLITE_OK && sql_next(statement, 0) == SQLITE_ROW && ++count == 1) {
        found->name = sql_copy(statement, 0);
        found->hosts = sql_copy(statement, 1);
    }
    sqlite3_finalize(statement);
    if (count != 1)
        *error = cluster ? text_format("%s: holds no cluster \"%s\"", file, cluster)
                 : count == 0
                     ? text_format("%s: holds no cluster that could be completed; name another file", file)
                     : text_format("%s: holds several clusters; say with --cluster of which one the logs are",
                                   file);
    return count == 1;
}

static void add_recorded(struct recorded_cluster *found, const struct election_settings *base,
                         sqlite3_stmt *statement, size_t *room)
{
    room_for_one(&found->elections, found->election_count, room, sizeof *found->elections);
    struct election_settings *e = &found->elections[found->election_count++];
    const char *kind = sql_text(statement, 2);
    *e = *base;
    e->path = sql_copy(statement, 0);
    e->name = sql_copy(statement, 1);
    e->kind = kind && strcmp(kind, "lock") == 0 ? KIND_LOCK : KIND_LEADER;
}

bool recorded_cluster_read(const char *file, const char *cluster, const struct election_settings *base,
                           struct recorded_cluster *found, char **error)
{
    bool still;
    size_t room = 0;
    *found = (struct recorded_cluster){0};
    sqlite3 *db = recording_open_read(file, &still, error);
    sqlite3_stmt *statement = NULL;
    bool fine = db && schema_prepare(db, file, false, error) &&
                one_cluster(db, file, cluster, found, error) &&
                sqlite3_prepare_v2(db,
                                   "SELECT e.path, e.name, e.kind FROM election e JOIN cluster c ON"
                                   " c.id = e.cluster WHERE c.name = ? ORDER BY e.id",
                                   -1, &statement, NULL) == SQLITE_OK;
    if (fine)
        sql_bind_text(statement, 1, found->name);
    while (fine && sql_next(statement, 0) == SQLITE_ROW)
        add_recorded(found, base, statement, &room);
    sqlite3_finalize(statement);
    if (!fine && !*error)
        *error = schema_error(db, file);
    sqlite3_close(db);
    if (!fine)
        recorded_cluster_free(found);
    return fine;
}

void recorded_cluster_free(struct recorded_cluster *found)
{
    for (size_t i = 0; i < found->election_count; i++) {
        free(found->elections[i].path);
        free(found->elections[i].name);
    }
    free(found->elections);
    free(found->name);
    free(found->hosts);
    *found = (struct recorded_cluster){0};
}

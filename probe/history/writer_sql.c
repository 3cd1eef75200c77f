#include "probe/history/writer_sql.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdeflate.h>

#include "config/memory.h"
#include "probe/case/codec.h"
#include "probe/history/name_lookup.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"

#define NAMES_MOST 65536

/* Of all observations that a recording keeps. */
#define OBSERVED_BYTES_MOST (256 << 20)

enum sql {
    SQL_STRETCH,
    SQL_STRETCH_GOES_ON,
    SQL_GAP,
    SQL_GAP_ENDS,
    SQL_GAP_IS_NONE,
    SQL_GAPS_END,
    SQL_CHUNK,
    SQL_CHUNK_CLOSE,
    SQL_PATCH,
    SQL_PATCHES,
    SQL_PATCHES_GONE,
    SQL_CLUSTER,
    SQL_CLUSTER_OF,
    SQL_ELECTION,
    SQL_ELECTION_OF,
    SQL_KIND,
    SQL_KIND_OF,
    SQL_NAME,
    SQL_EVENT,
    SQL_FINDING,
    SQL_FAILOVER,
    SQL_FAILOVERS_OF,
    SQL_TENURE,
    SQL_TENURE_ENDS,
    SQL_LAST_TENURE,
    SQL_FACT,
    SQL_OBSERVATION,
    SQL_OBSERVATIONS_GONE,
    SQL_COUNT
};

static const char *const texts[SQL_COUNT] = {
    [SQL_STRETCH] = "INSERT INTO stretch (id, from_us, to_us, why, recorder) VALUES (?, ?, ?, ?, ?)",
    [SQL_STRETCH_GOES_ON] = "UPDATE stretch SET to_us = max(to_us, ?) WHERE id = ?",
    [SQL_GAP] = "INSERT INTO gap (cluster, stretch, from_us, to_us, why) VALUES (?, ?, ?, ?, ?)",
    [SQL_GAP_ENDS] = "UPDATE gap SET to_us = ? WHERE id = ?",
    /* To connect, as it begins, takes a moment. */
    [SQL_GAP_IS_NONE] = "DELETE FROM gap WHERE id = ? AND (to_us <= from_us OR (to_us - from_us < 1000000 AND"
                        " from_us = (SELECT s.from_us FROM stretch s WHERE s.id = gap.stretch)))",
    [SQL_GAPS_END] = "UPDATE gap SET to_us = max(from_us, (SELECT s.to_us FROM stretch s WHERE s.id = "
                     "gap.stretch)) WHERE to_us IS NULL",
    [SQL_CHUNK] = "INSERT INTO chunk (id, stretch, from_us, first_event, first_name, picture_size, picture)"
                  " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [SQL_CHUNK_CLOSE] = "UPDATE chunk SET patches_size = ?, patches = ? WHERE id = ?",
    [SQL_PATCH] = "INSERT INTO patch (at_us, patch) VALUES (?, ?)",
    [SQL_PATCHES] = "SELECT at_us, patch FROM patch ORDER BY id",
    [SQL_PATCHES_GONE] = "DELETE FROM patch",
    [SQL_CLUSTER] = "INSERT INTO cluster (name, hosts, chroot) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
                    "SET hosts = excluded.hosts, chroot = excluded.chroot",
    [SQL_CLUSTER_OF] = "SELECT id FROM cluster WHERE name = ?",
    [SQL_ELECTION] = "INSERT INTO election (cluster, path, name, kind, recipe) VALUES (?, ?, ?, ?, ?) ON "
                     "CONFLICT (cluster, path) DO UPDATE SET name = excluded.name, kind = excluded.kind, "
                     "recipe = coalesce(excluded.recipe, recipe)",
    [SQL_ELECTION_OF] = "SELECT id FROM election WHERE cluster = ? AND path = ?",
    [SQL_KIND] = "INSERT OR IGNORE INTO kind (word) VALUES (?)",
    [SQL_KIND_OF] = "SELECT id FROM kind WHERE word = ?",
    [SQL_NAME] = "INSERT INTO name (id, text) VALUES (?, ?)",
    [SQL_EVENT] = "INSERT INTO event (id, at_us, kind, cluster, election, candidate, identity, other, "
                  "other_identity, position, gap_us, after_us, joined, gone, state, detail, source) VALUES "
                  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SQL_FINDING] = "INSERT INTO finding (event, code, severity, certainty, candidates, evidence, advice,"
                    " since_us, unconfirmed_us, subject, one_look) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SQL_FAILOVER] = "INSERT INTO failover (election, lost_us, event, elected_us, cause, certainty, "
                     "detection_low_us, detection_high_us, vacancy_low_us, vacancy_high_us, takeover_low_us, "
                     "takeover_high_us, total_low_us, total_high_us, gap_us, mono_us, evidence, notified_us, "
                     "reacted_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SQL_FAILOVERS_OF] =
        "SELECT count(*) FROM failover WHERE election = ? AND lost_us = ? AND elected_us IS ?",
    [SQL_TENURE] =
        "INSERT INTO tenure (election, id, stretch, kind, candidate, identity, from_us, from_exact, to_us, "
        "source, session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (election, id) DO UPDATE SET "
        "kind = excluded.kind, candidate = excluded.candidate, identity = excluded.identity, from_us = "
        "excluded.from_us, from_exact = excluded.from_exact, to_us = excluded.to_us, session = "
        "excluded.session",
    [SQL_TENURE_ENDS] =
        "UPDATE tenure SET to_us = max(from_us, ?) WHERE election = ? AND id = ? AND to_us IS NULL",
    [SQL_LAST_TENURE] = "SELECT max(id) FROM tenure WHERE election = ?",
    [SQL_FACT] = "INSERT INTO fact (cluster, at_us, kind, zxid, zxid_to, session, owner, path, timeout_ms,"
                 " began_us, back_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SQL_OBSERVATION] = "INSERT INTO observation (from_us, to_us, until_us, block) VALUES (?, ?, ?, ?)",
    [SQL_OBSERVATIONS_GONE] =
        "DELETE FROM observation WHERE until_us < ?1 OR id <= (SELECT max(id) FROM (SELECT id, sum(length("
        "block)) OVER (ORDER BY id DESC) AS size FROM observation) WHERE size > ?2)",
};

struct writer_sql {
    sqlite3 *db;
    sqlite3_stmt *statements[SQL_COUNT];
    bool known; /* what follows is */
    int64_t stretch, chunk, next_event, next_name;
    struct name_lookup names, subjects, bases;
    struct name_lookup lost,
        lost_before;   /* the gap that lasts of a cluster; and as it was at the latest commit */
    int64_t kinds[64]; /* ids of event words, by enum event_kind; 0: not asked for */
};

struct writer_sql *writer_sql_new(void)
{
    return xcalloc(1, sizeof(struct writer_sql));
}

void writer_sql_committed(struct writer_sql *rows)
{
    name_lookup_copy(&rows->lost_before, &rows->lost);
}

void writer_sql_forget(struct writer_sql *rows)
{
    rows->known = false;
    name_lookup_free(&rows->names);
    name_lookup_free(&rows->subjects);
    name_lookup_copy(&rows->lost, &rows->lost_before);
    memset(rows->kinds, 0, sizeof rows->kinds);
}

void writer_sql_open(struct writer_sql *rows, sqlite3 *db)
{
    rows->db = db;
}

void writer_sql_close(struct writer_sql *rows, bool same_again)
{
    if (!rows)
        return;
    for (size_t i = 0; i < SQL_COUNT; i++) {
        sqlite3_finalize(rows->statements[i]);
        rows->statements[i] = NULL;
    }
    if (!same_again) {
        name_lookup_free(&rows->bases);
        name_lookup_free(&rows->lost_before);
    }
    writer_sql_forget(rows);
    rows->db = NULL;
}

void writer_sql_free(struct writer_sql *rows)
{
    if (!rows)
        return;
    writer_sql_close(rows, false);
    name_lookup_free(&rows->names);
    name_lookup_free(&rows->subjects);
    name_lookup_free(&rows->bases);
    name_lookup_free(&rows->lost);
    name_lookup_free(&rows->lost_before);
    free(rows);
}

/* ---- statements ---- */

static sqlite3_stmt *use(struct writer_sql *rows, enum sql which)
{
    sqlite3_stmt **statement = &rows->statements[which];
    if (!*statement && sqlite3_prepare_v3(rows->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement,
                                          NULL) != SQLITE_OK)
        return NULL;
    return *statement;
}

static bool writer_sql_put(struct writer_sql *rows, enum sql which, const struct sql_value *values)
{
    sqlite3_stmt *statement = use(rows, which);
    sql_bind(statement, values);
    return sql_done(statement);
}

static bool writer_sql_get(struct writer_sql *rows, enum sql which, const struct sql_value *values,
                           int64_t *number)
{
    sqlite3_stmt *statement = use(rows, which);
    sql_bind(statement, values);
    return sql_answer(statement, number);
}

/* ---- known facts of the file ---- */

static bool learn(struct writer_sql *rows)
{
    int64_t a, b, c;
    if (rows->known)
        return true;
    if (!sql_ask(rows->db, "SELECT max(id) FROM stretch", &rows->stretch) ||
        !sql_ask(rows->db, "SELECT max(id) FROM chunk", &rows->chunk) ||
        !sql_ask(rows->db, "SELECT max(id) FROM event", &a) ||
        !sql_ask(rows->db, "SELECT first_event - 1 FROM chunk ORDER BY id DESC LIMIT 1", &b) ||
        !sql_ask(rows->db, "SELECT max(id) FROM name", &rows->next_name) ||
        !sql_ask(rows->db, "SELECT first_name - 1 FROM chunk ORDER BY id DESC LIMIT 1", &c))
        return false;
    rows->next_event = (a > b ? a : b) + 1;
    rows->next_name = (rows->next_name > c ? rows->next_name : c) + 1;
    rows->known = true;
    return true;
}

/* Whatever a name's number is, 0 for none. */
static bool name_of(struct writer_sql *rows, const char *text, int64_t *number)
{
    *number = 0;
    if (!text)
        return true;
    size_t length = strlen(text);
    if (name_lookup_find(&rows->names, text, length, number))
        return true;
    if (rows->names.by_text.count >= NAMES_MOST)
        name_lookup_free(&rows->names);
    const struct sql_value name[] = {sql_of(rows->next_name), sql_of_text(text)};
    if (!writer_sql_put(rows, SQL_NAME, name))
        return false;
    *number = rows->next_name++;
    name_lookup_set(&rows->names, text, length, *number);
    return true;
}

static bool writer_sql_cluster_of(struct writer_sql *rows, const char *name, int64_t *id)
{
    *id = 0;
    if (!name)
        return true;
    size_t length = strlen(name) + 1; /* with its NUL: elections have more behind it */
    if (name_lookup_find(&rows->subjects, name, length, id))
        return true;
    const struct sql_value key = sql_of_text(name);
    if (!writer_sql_get(rows, SQL_CLUSTER_OF, &key, id))
        return false;
    if (*id)
        name_lookup_set(&rows->subjects, name, length, *id);
    return true;
}

static bool writer_sql_election_of(struct writer_sql *rows, const char *cluster, const char *path,
                                   int64_t *id)
{
    char key[512];
    *id = 0;
    if (!cluster || !path)
        return true;
    size_t name = strlen(cluster) + 1, length = strlen(path);
    bool short_enough = name + length <= sizeof key;
    if (short_enough) {
        memcpy(key, cluster, name);
        memcpy(key + name, path, length);
        if (name_lookup_find(&rows->subjects, key, name + length, id))
            return true;
    }
    int64_t cluster_id;
    if (!writer_sql_cluster_of(rows, cluster, &cluster_id))
        return false;
    const struct sql_value subject[] = {sql_of(cluster_id), sql_of_text(path)};
    if (!writer_sql_get(rows, SQL_ELECTION_OF, subject, id))
        return false;
    if (*id && short_enough)
        name_lookup_set(&rows->subjects, key, name + length, *id);
    return true;
}

static bool write_subject(struct writer_sql *rows, const struct batch *batch, const struct subject_row *row)
{
    const char *name = batch_get(batch, row->cluster);
    const struct sql_value cluster[] = {sql_of_text(name), sql_of_text(batch_get(batch, row->hosts)),
                                        sql_of_text(batch_get(batch, row->chroot))};
    int64_t id;
    if (!writer_sql_put(rows, SQL_CLUSTER, cluster) || !writer_sql_cluster_of(rows, name, &id))
        return false;
    const struct sql_value election[] = {
        sql_of(id), sql_of_text(batch_get(batch, row->election)), sql_of_text(batch_get(batch, row->name)),
        sql_of_text(batch_get(batch, row->kind)), sql_of_text(batch_get(batch, row->recipe))};
    return !row->election || writer_sql_put(rows, SQL_ELECTION, election);
}

/* ---- snapshots ---- */

static unsigned char *deflated(const void *bytes, size_t length, size_t *size)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    if (!compressor)
        memory_exhausted();
    size_t room = libdeflate_zlib_compress_bound(compressor, length);
    unsigned char *out = xmalloc(room);
    *size = libdeflate_zlib_compress(compressor, bytes, length, out, room);
    libdeflate_free_compressor(compressor);
    return out;
}

/* The patches of the chunk that ends now, in one piece. */
static bool close_chunk(struct writer_sql *rows)
{
    struct buffer patches = {0};
    int64_t last_us = 0;
    int code;
    sqlite3_stmt *statement = use(rows, SQL_PATCHES);
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t at_us = sqlite3_column_int64(statement, 0);
        put_signed(&patches, at_us - last_us);
        put_bytes(&patches, sqlite3_column_blob(statement, 1), (size_t)sqlite3_column_bytes(statement, 1));
        last_us = at_us;
    }
    bool fine = statement && code == SQLITE_DONE;
    if (statement)
        sqlite3_reset(statement);
    if (fine && rows->chunk && patches.length) {
        size_t size = 0;
        unsigned char *packed = deflated(patches.bytes, patches.length, &size);
        const struct sql_value chunk[] = {sql_of((int64_t)patches.length), sql_of_bytes(packed, size),
                                          sql_of(rows->chunk)};
        fine = writer_sql_put(rows, SQL_CHUNK_CLOSE, chunk) && sql_done(use(rows, SQL_PATCHES_GONE));
        free(packed);
    }
    buffer_free(&patches);
    return fine;
}

static bool begin_chunk(struct writer_sql *rows, const struct batch *batch)
{
    if (!close_chunk(rows))
        return false;
    /* Each chunk writes its names anew, so that old names can be deleted with the old chunks. */
    name_lookup_free(&rows->names);
    size_t size = 0;
    unsigned char *packed = deflated(batch->snapshot.bytes, batch->snapshot.length, &size);
    const struct sql_value chunk[] = {sql_of(++rows->chunk),     sql_of(rows->stretch),
                                      sql_of(batch->at_us),      sql_of(rows->next_event),
                                      sql_of(rows->next_name),   sql_of((int64_t)batch->snapshot.length),
                                      sql_of_bytes(packed, size)};
    bool fine = writer_sql_put(rows, SQL_CHUNK, chunk);
    free(packed);
    return fine;
}

/* ---- gaps ---- */

/* cluster 0: of all of them, while nothing was recorded; to_us 0: it lasts. */
static bool writer_sql_write_gap(struct writer_sql *rows, int64_t cluster, int64_t from_us, int64_t to_us,
                                 const char *why)
{
    if (to_us != 0 && to_us <= from_us)
        return true;
    const struct sql_value gap[] = {sql_some(cluster), sql_known(rows->stretch, cluster != 0),
                                    sql_of(from_us), sql_some(to_us), sql_of_text(why)};
    return writer_sql_put(rows, SQL_GAP, gap);
}

/* 0: it is there. */
static int64_t gap_of(const struct writer_sql *rows, const char *cluster)
{
    int64_t gap = 0;
    name_lookup_find(&rows->lost, cluster, strlen(cluster), &gap);
    return gap;
}

static bool begin_gap(struct writer_sql *rows, const char *name, int64_t cluster, int64_t from_us)
{
    if (gap_of(rows, name) != 0)
        return true;
    if (!writer_sql_write_gap(rows, cluster, from_us, 0, GAP_AWAY))
        return false;
    name_lookup_set(&rows->lost, name, strlen(name), sqlite3_last_insert_rowid(rows->db));
    return true;
}

static bool end_gap(struct writer_sql *rows, const char *name, int64_t to_us)
{
    int64_t gap = gap_of(rows, name);
    if (gap == 0)
        return true;
    const struct sql_value end[] = {sql_of(to_us), sql_of(gap)};
    if (!writer_sql_put(rows, SQL_GAP_ENDS, end))
        return false;
    name_lookup_set(&rows->lost, name, strlen(name), 0);
    return writer_sql_put(rows, SQL_GAP_IS_NONE, &end[1]);
}

/* A row that lasts is cut where a stretch ends, and continues by the clock of the next. */
static bool end_gaps(struct writer_sql *rows)
{
    name_lookup_free(&rows->lost);
    return sql_done(use(rows, SQL_GAPS_END));
}

static bool begin_gaps(struct writer_sql *rows, const struct batch *batch)
{
    for (size_t i = 0; i < batch->subject_count; i++) {
        const struct subject_row *row = &batch->subjects[i];
        const char *cluster = batch_get(batch, row->cluster);
        int64_t id;
        if (row->away && !row->election && cluster &&
            (!writer_sql_cluster_of(rows, cluster, &id) || !begin_gap(rows, cluster, id, batch->at_us)))
            return false;
    }
    return true;
}

static bool begin_stretch(struct writer_sql *rows, const struct batch *batch)
{
    int64_t last_us;
    if (!sql_ask(rows->db, "SELECT to_us FROM stretch ORDER BY id DESC LIMIT 1", &last_us))
        return false;
    /* A file that was put in the place of the one of before may end long before the loss. */
    if (batch->gap_from_us && (last_us == 0 || batch->gap_from_us < last_us))
        last_us = batch->gap_from_us;
    bool clock =
        batch->why && strncmp(batch->why, CLOCK_SET, strlen(CLOCK_SET)) == 0; /* which leaves out nothing */
    if (!end_gaps(rows) ||
        (last_us && !clock && !writer_sql_write_gap(rows, 0, last_us, batch->at_us, "not recording")))
        return false;
    char recorder[128] = "", host[64] = "?";
    gethostname(host, sizeof host - 1);
    sqlite3_snprintf(sizeof recorder, recorder, "electop %s, process %d on %s", ELECTOP_VERSION,
                     (int)getpid(), host);
    const struct sql_value stretch[] = {sql_of(++rows->stretch), sql_of(batch->at_us), sql_of(batch->at_us),
                                        sql_of_text(batch->why ? batch->why : "started"),
                                        sql_of_text(recorder)};
    return writer_sql_put(rows, SQL_STRETCH, stretch) && begin_gaps(rows, batch);
}

/* ---- events, findings, failovers ---- */

static bool writer_sql_kind_of(struct writer_sql *rows, enum event_kind kind, int64_t *id)
{
    if ((size_t)kind >= sizeof rows->kinds / sizeof rows->kinds[0])
        return false;
    const struct sql_value word = sql_of_text(event_word(kind));
    if (!rows->kinds[kind] && (!writer_sql_put(rows, SQL_KIND, &word) ||
                               !writer_sql_get(rows, SQL_KIND_OF, &word, &rows->kinds[kind])))
        return false;
    *id = rows->kinds[kind];
    return true;
}

/* The kind of a row without an event: it only names a known failover's candidates. */
#define KIND_NONE (-1)

struct ids {
    int64_t event, cluster, election, candidate, identity, other, other_identity;
};

static bool writer_sql_write_finding(struct writer_sql *rows, const struct batch *batch,
                                     const struct happening *h, const struct ids *ids)
{
    const struct sql_value finding[] = {sql_of(ids->event),
                                        sql_of_text(batch_get(batch, h->code)),
                                        sql_of_text(severity_word(h->severity)),
                                        sql_of_text(certainty_word(h->certainty)),
                                        sql_of_list(h->candidates ? batch_get(batch, h->candidates) : "[]"),
                                        sql_of_text(batch_get(batch, h->evidence)),
                                        sql_of_text(batch_get(batch, h->advice)),
                                        sql_of(h->since_us),
                                        sql_some(h->unconfirmed_us),
                                        sql_of((int64_t)h->subject),
                                        sql_of(h->one_poll)};
    return writer_sql_put(rows, SQL_FINDING, finding);
}

static struct sql_value bound_value(int64_t us)
{
    return sql_known(us, us >= 0);
}

static bool writer_sql_write_failover(struct writer_sql *rows, const struct batch *batch,
                                      const struct happening *h, const struct ids *ids)
{
    const struct span *s = h->spans;
    const struct sql_value failover[] = {sql_of(ids->election),
                                         sql_of(h->lost_us),
                                         sql_of(ids->event),
                                         sql_some(h->elected_us),
                                         sql_of_text(h->cause ? batch_get(batch, h->cause) : "unknown"),
                                         sql_of_text(certainty_word(h->certainty)),
                                         bound_value(s[0].low_us),
                                         bound_value(s[0].high_us),
                                         bound_value(s[1].low_us),
                                         bound_value(s[1].high_us),
                                         bound_value(s[2].low_us),
                                         bound_value(s[2].high_us),
                                         bound_value(s[3].low_us),
                                         bound_value(s[3].high_us),
                                         sql_known(h->gap_us, h->gap_us > 0),
                                         sql_of(h->lost_mono_us),
                                         sql_of_text(batch_get(batch, h->evidence)),
                                         sql_some(h->notified_us),
                                         sql_some(h->reacted_us)};
    return writer_sql_put(rows, SQL_FAILOVER, failover);
}

/* From when a cluster was heard last until it is there again. */
static bool write_absence(struct writer_sql *rows, const struct batch *batch, const struct happening *h,
                          const struct ids *ids)
{
    const char *state = batch_get(batch, h->state), *cluster = batch_get(batch, h->cluster);
    /* Rows of a new stretch may carry the time of the clock before. */
    int64_t at_us = batch->begins == BATCH_NEW_STRETCH ? batch->at_us : h->at_us;
    if (!state || !cluster)
        return true;
    if (strcmp(state, "gap") == 0)
        return writer_sql_write_gap(rows, ids->cluster, at_us - h->gap_us, at_us, GAP_STILL);
    return strcmp(state, "connected") == 0 ? end_gap(rows, cluster, at_us)
                                           : begin_gap(rows, cluster, ids->cluster, at_us - h->gap_us);
}

static bool has_failover(struct writer_sql *rows, const struct happening *h, const struct ids *ids, bool *has)
{
    int64_t count = 0;
    const struct sql_value failover[] = {sql_of(ids->election), sql_of(h->lost_us), sql_some(h->elected_us)};
    bool fine = writer_sql_get(rows, SQL_FAILOVERS_OF, failover, &count);
    *has = count > 0;
    return fine;
}

static bool write_happening(struct writer_sql *rows, const struct batch *batch, const struct happening *h)
{
    struct ids ids = {.event = rows->next_event};
    const char *cluster = batch_get(batch, h->cluster);
    int64_t kind = KIND_NONE;
    bool has = false;
    if (!writer_sql_cluster_of(rows, cluster, &ids.cluster) ||
        !writer_sql_election_of(rows, cluster, batch_get(batch, h->election), &ids.election) ||
        (h->known && !has_failover(rows, h, &ids, &has)))
        return false;
    if (has)
        return true;
    if ((!h->known && !writer_sql_kind_of(rows, h->kind, &kind)) ||
        !name_of(rows, batch_get(batch, h->candidate), &ids.candidate) ||
        !name_of(rows, batch_get(batch, h->identity), &ids.identity) ||
        !name_of(rows, batch_get(batch, h->other), &ids.other) ||
        !name_of(rows, batch_get(batch, h->other_identity), &ids.other_identity))
        return false;
    bool timed = h->kind == EVENT_LEADER_ELECTED || h->kind == EVENT_LEADER_ACKNOWLEDGED;
    bool unseen = h->kind == EVENT_UNSEEN;
    const struct sql_value event[] = {sql_of(ids.event),
                                      sql_of(h->at_us),
                                      sql_of(kind),
                                      sql_known(ids.cluster, ids.election == 0),
                                      sql_some(ids.election),
                                      sql_some(ids.candidate),
                                      sql_some(ids.identity),
                                      sql_some(ids.other),
                                      sql_some(ids.other_identity),
                                      sql_some((int64_t)h->position),
                                      sql_known(h->gap_us, h->gap_us > 0),
                                      sql_known(h->after_us, timed && h->after_us >= 0),
                                      sql_known((int64_t)h->joined, unseen),
                                      sql_known((int64_t)h->gone, unseen),
                                      sql_of_text(batch_get(batch, h->state)),
                                      sql_of_text(batch_get(batch, h->detail)),
                                      sql_some(batch->from_log)};
    if (!writer_sql_put(rows, SQL_EVENT, event))
        return false;
    rows->next_event++;
    return (!h->code || writer_sql_write_finding(rows, batch, h, &ids)) &&
           (!h->failover || writer_sql_write_failover(rows, batch, h, &ids)) &&
           (h->kind != EVENT_CONNECTION || write_absence(rows, batch, h, &ids));
}

/* ---- who led ---- */

bool writer_sql_end_tenures(struct writer_sql *rows)
{
    return sql_run(rows->db,
                   "UPDATE tenure SET to_us = max(from_us, (SELECT to_us FROM stretch s WHERE s.id = (SELECT "
                   "max(id) FROM stretch))) WHERE to_us IS NULL AND (election, id) IN (SELECT l.id, (SELECT "
                   "max(t.id) FROM tenure t WHERE t.election = l.id) FROM election l)");
}

/* Numbers of tenures go on where those of earlier recorders ended. */
static bool tenure_base(struct writer_sql *rows, int64_t election, int64_t *base)
{
    if (name_lookup_find(&rows->bases, (const char *)&election, sizeof election, base))
        return true;
    const struct sql_value key = sql_of(election);
    if (!writer_sql_get(rows, SQL_LAST_TENURE, &key, base))
        return false;
    name_lookup_set(&rows->bases, (const char *)&election, sizeof election, *base);
    return true;
}

/* It was written just before, with its end. */
static bool follows_ended(const struct batch *batch, const struct tenure_row *row)
{
    const struct tenure_row *before = row - 1;
    return row > batch->tenures && before->number == row->number - 1 && before->to_us != 0 &&
           strcmp(batch_get(batch, before->election), batch_get(batch, row->election)) == 0 &&
           strcmp(batch_get(batch, before->cluster), batch_get(batch, row->cluster)) == 0;
}

static bool write_tenure(struct writer_sql *rows, const struct batch *batch, const struct tenure_row *row)
{
    int64_t election, base, candidate, identity;
    const char *name = batch_get(batch, row->candidate);
    if (!writer_sql_election_of(rows, batch_get(batch, row->cluster), batch_get(batch, row->election),
                                &election) ||
        !tenure_base(rows, election, &base) || !name_of(rows, name, &candidate) ||
        !name_of(rows, batch_get(batch, row->identity), &identity))
        return false;
    const struct sql_value tenure[] = {sql_of(election),
                                       sql_of(base + row->number),
                                       sql_of(rows->stretch),
                                       sql_of_text(row->gap ? "gap"
                                                   : name   ? "led"
                                                            : "vacant"),
                                       sql_some(candidate),
                                       sql_some(identity),
                                       sql_of(row->from_us),
                                       sql_of(row->from_exact),
                                       sql_some(row->to_us),
                                       sql_some(batch->from_log),
                                       sql_some((int64_t)row->session)};
    if (!writer_sql_put(rows, SQL_TENURE, tenure))
        return false;
    /* Where how the one before ended was lost: it ended all the same. */
    const struct sql_value before[] = {sql_of(row->from_us), sql_of(election),
                                       sql_of(base + row->number - 1)};
    return follows_ended(batch, row) || writer_sql_put(rows, SQL_TENURE_ENDS, before);
}

/* ---- what logs tell ---- */

static bool write_fact(struct writer_sql *rows, const struct batch *batch, const struct fact_row *row)
{
    int64_t cluster;
    const struct logged_fact *fact = &row->fact;
    if (!writer_sql_cluster_of(rows, batch_get(batch, row->cluster), &cluster))
        return false;
    const struct sql_value values[] = {sql_some(cluster),
                                       sql_of(fact->at.wall_us),
                                       sql_of_text(logged_fact_word(fact->kind)),
                                       sql_of(fact->zxid),
                                       sql_some(fact->zxid_to),
                                       sql_some((int64_t)fact->session),
                                       sql_some((int64_t)fact->owner),
                                       sql_of_text(batch_get(batch, row->path)),
                                       sql_known(fact->timeout_ms, fact->timeout_ms > 0),
                                       sql_some(fact->began_us),
                                       sql_some(fact->back_us)};
    return writer_sql_put(rows, SQL_FACT, values);
}

/* ---- the whole ---- */

bool writer_sql_alive(struct writer_sql *rows, int64_t now_us)
{
    if (!learn(rows))
        return false;
    const struct sql_value stretch[] = {sql_of(now_us), sql_of(rows->stretch)};
    return writer_sql_put(rows, SQL_STRETCH_GOES_ON, stretch);
}

static bool write_patch(struct writer_sql *rows, const struct batch *batch)
{
    const struct sql_value patch[] = {sql_of(batch->at_us),
                                      sql_of_bytes(batch->patch.bytes, batch->patch.length)};
    return writer_sql_put(rows, SQL_PATCH, patch);
}

/* The oldest make room. */
static bool write_observed(struct writer_sql *rows, const struct batch *batch)
{
    const struct sql_value block[] = {sql_of(batch->observed_from_us), sql_of(batch->at_us),
                                      sql_of(batch->observed_until_us),
                                      sql_of_bytes(batch->observed.bytes, batch->observed.length)};
    const struct sql_value most[] = {sql_of(batch->at_us), sql_of(OBSERVED_BYTES_MOST)};
    return writer_sql_put(rows, SQL_OBSERVATION, block) && writer_sql_put(rows, SQL_OBSERVATIONS_GONE, most);
}

bool writer_sql_write(struct writer_sql *rows, const struct batch *batch)
{
    if (!learn(rows))
        return false;
    for (size_t i = 0; i < batch->subject_count; i++)
        if (!write_subject(rows, batch, &batch->subjects[i]))
            return false;
    if (batch->begins == BATCH_NEW_STRETCH && !begin_stretch(rows, batch))
        return false;
    if (batch->begins != BATCH_GOES_ON ? !begin_chunk(rows, batch)
                                       : batch->patch.length && !write_patch(rows, batch))
        return false;
    for (size_t i = 0; i < batch->happening_count; i++)
        if (!write_happening(rows, batch, &batch->happenings[i]))
            return false;
    for (size_t i = 0; i < batch->tenure_count; i++)
        if (!write_tenure(rows, batch, &batch->tenures[i]))
            return false;
    for (size_t i = 0; i < batch->fact_count; i++)
        if (!write_fact(rows, batch, &batch->facts[i]))
            return false;
    return batch->observed.length == 0 || write_observed(rows, batch);
}

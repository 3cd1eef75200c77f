#include "probe/history/history.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdeflate.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/cluster.h"
#include "probe/election/election_life.h"
#include "probe/case/codec.h"
#include "probe/history/reader.h"
#include "probe/history/recorder.h"
#include "probe/history/recording_file.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"

/* A few bytes may claim to unpack to a gigabyte; names of others may be one letter, repeated, which packs as well as
 * anything can. */
#define UNPACKED_TIMES 1100
#define UNPACKED_MOST (256 << 20)
/* Names and paths of all elections. */
#define NAMES_MOST (64u << 20)

/* ---- the file ---- */

bool reader_failed(struct history *h, char **error)
{
    int code = sqlite3_errcode(h->db);
    bool fine = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    *error = fine ? recording_open_damaged(h->file) : schema_error(h->db, h->file);
    return false;
}

struct history *history_open(const char *file, char **error)
{
    *error = NULL;
    struct history *h = xcalloc(1, sizeof *h);
    h->file = xstrdup(file);
    h->snapshot = snapshot_new();
    if ((h->db = recording_open_read(file, &h->still, error)) &&
        schema_prepare(h->db, h->file, false, error) && reader_begin(h, error)) {
        reader_end(h);
        return h;
    }
    history_close(h);
    return NULL;
}

struct history *history_again(const struct history *h, char **error)
{
    return history_open(h->file, error);
}

static void free_stubs(struct history *h)
{
    for (size_t i = 0; i < h->stub_count; i++) {
        election_free(h->stubs[i].election);
        free(h->stubs[i].recipe);
        free(h->stubs[i].recipe_name);
    }
    for (size_t i = 0; i < h->cluster_count; i++) {
        free(h->clusters[i].name);
        free(h->clusters[i].hosts);
        free(h->clusters[i].chroot);
    }
    free(h->stubs);
    free(h->clusters);
    free(h->cluster_ids);
    h->stubs = NULL;
    h->clusters = NULL;
    h->cluster_ids = NULL;
    h->stub_count = h->cluster_count = h->names_size = 0;
}

void history_close(struct history *h)
{
    if (!h)
        return;
    snapshot_model_free(h->restored);
    snapshot_free(h->snapshot);
    free(h->patches);
    free(h->chunks);
    free(h->stretches);
    free_stubs(h);
    sqlite3_close(h->db);
    free(h->file);
    free(h);
}

/* ---- its contents ---- */

/* Room for one more of them. */
static void *grown(void *rows, size_t count, size_t size)
{
    /* Powers of two only. */
    return count && (count & (count - 1)) ? rows : xreallocarray(rows, count ? count * 2 : 1, size);
}

static bool read_chunks(struct history *h)
{
    int code;
    sqlite3_stmt *statement =
        sql_select(h->db,
                   "SELECT c.id, c.stretch, c.from_us, c.first_event, s.to_us, s.why <> "
                   "'started' FROM chunk c JOIN stretch s ON s.id = c.stretch ORDER BY c.id",
                   NULL);
    h->chunk_count = h->stretch_count = 0;
    while ((code = sql_next(statement, 0)) == SQLITE_ROW) {
        h->chunks = grown(h->chunks, h->chunk_count, sizeof *h->chunks);
        struct chunk_row *chunk = &h->chunks[h->chunk_count];
        *chunk = (struct chunk_row){sql_number(statement, 0), sql_number(statement, 1),
                                    sql_number(statement, 2), sql_number(statement, 3)};
        if (h->stretch_count == 0 || h->stretches[h->stretch_count - 1].id != chunk->stretch) {
            h->stretches = grown(h->stretches, h->stretch_count, sizeof *h->stretches);
            h->stretches[h->stretch_count++] =
                (struct stretch_row){.id = chunk->stretch,
                                     .from_us = chunk->from_us, /* the first one that is still there */
                                     .to_us = sql_number(statement, 4),
                                     .goes_on = sqlite3_column_int(statement, 5) != 0,
                                     .first_chunk = h->chunk_count};
        }
        h->stretches[h->stretch_count - 1].end_chunk = ++h->chunk_count;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

/* Of a damaged file the count may be anything. */
#define CLUSTERS_MOST 65536

static bool read_clusters(struct history *h)
{
    size_t count = 0;
    int64_t number = 0;
    int code = SQLITE_DONE;
    if (!sql_ask(h->db, "SELECT count(*) FROM cluster", &number) || number < 0 || number > CLUSTERS_MOST)
        return false;
    sqlite3_stmt *statement =
        sql_select(h->db, "SELECT id, name, hosts, chroot FROM cluster ORDER BY id", NULL);
    /* Elections point at them: they stay where they are. */
    h->clusters = xcalloc((size_t)number + 1, sizeof *h->clusters);
    h->cluster_ids = xcalloc((size_t)number + 1, sizeof *h->cluster_ids);
    while ((code = sql_next(statement, 0)) == SQLITE_ROW && count < (size_t)number) {
        struct cluster *cluster = &h->clusters[count];
        h->cluster_ids[count] = sql_number(statement, 0);
        cluster->name = sql_copy(statement, 1);
        cluster->hosts = sql_copy(statement, 2);
        cluster->chroot = sql_copy(statement, 3);
        h->cluster_count = ++count;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

static struct cluster *history_cluster_of(struct history *h, int64_t id)
{
    for (size_t i = 0; i < h->cluster_count; i++)
        if (h->cluster_ids[i] == id)
            return &h->clusters[i];
    return NULL;
}

/* False: there are more names than a recording has. */
static bool add_stub(struct history *h, sqlite3_stmt *statement)
{
    struct cluster *cluster = history_cluster_of(h, sql_number(statement, 1));
    const char *path = sql_text(statement, 2);
    h->stubs = grown(h->stubs, h->stub_count, sizeof *h->stubs);
    if (!cluster || !path)
        return true; /* a row that nothing refers to */
    struct stub *stub = &h->stubs[h->stub_count];
    *stub = (struct stub){.id = sql_number(statement, 0)};
    stub->election = election_new(cluster, path, cluster_path_hash(path, strlen(path)));
    h->stub_count++;
    const char *kind = sql_text(statement, 4);
    stub->election->name = sql_copy(statement, 3);
    h->names_size += (size_t)sqlite3_column_bytes(statement, 2) + (size_t)sqlite3_column_bytes(statement, 3);
    if (h->names_size > NAMES_MOST)
        return false;
    stub->election->kind = kind && strcmp(kind, "lock") == 0 ? KIND_LOCK : KIND_LEADER;
    if (sqlite3_column_type(statement, 5) != SQLITE_NULL) {
        stub->recipe_name = sql_copy(statement, 5);
        stub->recipe = xcalloc(1, sizeof *stub->recipe);
        *stub->recipe = (struct recipe){.name = stub->recipe_name, .title = recipe_title(stub->recipe_name)};
        stub->election->recipe = stub->recipe;
    }
    return true;
}

static bool read_elections(struct history *h)
{
    sqlite3_stmt *statement =
        sql_select(h->db, "SELECT id, cluster, path, name, kind, recipe FROM election ORDER BY id", NULL);
    int code;
    while ((code = sql_next(statement, 0)) == SQLITE_ROW && add_stub(h, statement))
        continue;
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

static bool read_kinds(struct history *h)
{
    sqlite3_stmt *statement = sql_select(h->db, "SELECT id, word FROM kind", NULL);
    int code;
    while ((code = sql_next(statement, 0)) == SQLITE_ROW) {
        const char *word = sql_text(statement, 1);
        for (int kind = 0; word && kind < EVENT_KINDS; kind++)
            if (strcmp(event_word((enum event_kind)kind), word) == 0)
                h->kind_ids[kind] = sql_number(statement, 0);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

struct stub *reader_stub(struct history *h, int64_t id)
{
    size_t from = 0, to = h->stub_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (h->stubs[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from < h->stub_count && h->stubs[from].id == id ? &h->stubs[from] : NULL;
}

/* A file that was removed or moved is read until there is another one in its place. */
static bool history_was_replaced(const struct history *h)
{
    int moved = 0;
    return sqlite3_file_control(h->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved &&
           access(h->file, F_OK) == 0;
}

/* It was opened as a file without a writer, and now has one; or there is another file. */
static bool history_open_again(struct history *h, char **error)
{
    bool still;
    sqlite3 *db = recording_open_read(h->file, &still, error);
    if (!db)
        return false;
    sqlite3_close(h->db);
    h->db = db;
    h->still = still;
    h->version = h->chunk = 0;
    return true;
}

bool reader_begin(struct history *h, char **error)
{
    *error = NULL;
    if (h->depth > 0) {
        h->depth++;
        return true; /* from within a callback: the same state */
    }
    if (((h->still && recording_open_is_stale(h->file)) || history_was_replaced(h)) &&
        !history_open_again(h, error))
        return false;
    h->depth++;
    int64_t version;
    if (!sql_run(h->db, "BEGIN; SELECT 1 FROM stretch LIMIT 1") ||
        !sql_ask(h->db, "PRAGMA data_version", &version))
        goto failed;
    if (version == h->version)
        return true;
    free_stubs(h);
    if (!read_chunks(h) || !read_clusters(h) || !read_elections(h) || !read_kinds(h))
        goto failed;
    h->version = version;
    return true;
failed:
    reader_failed(h, error);
    reader_end(h);
    h->version = 0;
    return false;
}

void reader_end(struct history *h)
{
    if (--h->depth == 0 && !sqlite3_get_autocommit(h->db))
        sql_run(h->db, "COMMIT");
}

bool reader_done(struct history *h, sqlite3_stmt *statement, bool fine, char **error)
{
    if (!fine)
        reader_failed(h, error);
    sqlite3_finalize(statement);
    reader_end(h);
    return fine;
}

/* While it is being read. False: there is nothing. */
static bool bounds_of(const struct history *h, int64_t *from_us, int64_t *to_us)
{
    for (size_t i = 0; i < h->stretch_count; i++) {
        if (i == 0 || h->stretches[i].from_us < *from_us)
            *from_us = h->stretches[i].from_us;
        if (i == 0 || h->stretches[i].to_us > *to_us)
            *to_us = h->stretches[i].to_us;
    }
    return h->stretch_count > 0;
}

bool history_observations(struct history *h, int64_t from_us, int64_t to_us, struct buffer *out,
                          int64_t *until_us, char **error)
{
    const struct sql_value period[] = {sql_of(from_us), sql_of(to_us)};
    int code;
    if (!reader_begin(h, error))
        return false;
    sqlite3_stmt *statement = sql_select(
        h->db, "SELECT block, to_us FROM observation WHERE to_us >= ? AND from_us <= ? ORDER BY id", period);
    while ((code = sql_next(statement, 0)) == SQLITE_ROW) {
        *until_us = sqlite3_column_int64(statement, 1);
        buffer_put(out, sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0));
    }
    if (code != SQLITE_DONE)
        *error = schema_error(h->db, h->file);
    else if (out->length == 0)
        *error = text_format(
            "%s: no observations of that time are kept: a recorder writes them within %d minutes, and "
            "history: {observations: ...} says how long they are kept",
            h->file, RECORDER_OBSERVED_MIN);
    sqlite3_finalize(statement);
    reader_end(h);
    return *error == NULL;
}

bool history_bounds(struct history *h, int64_t *from_us, int64_t *to_us, char **error)
{
    char *why;
    bool begun = reader_begin(h, &why);
    if (error)
        *error = why;
    else
        free(why);
    if (begun)
        reader_end(h);
    return begun && bounds_of(h, from_us, to_us);
}

int64_t history_end_us(const struct history *h)
{
    return h->stretch_count ? h->stretches[h->stretch_count - 1].to_us : 0;
}

bool history_clocks(struct history *h, history_clock_fn fn, void *context, char **error)
{
    if (!reader_begin(h, error))
        return false;
    sqlite3_stmt *statement =
        sql_select(h->db,
                   "SELECT b.to_us, s.from_us FROM stretch s JOIN stretch b ON b.id = s.id - 1"
                   " WHERE s.why LIKE '" CLOCK_SET "%' ORDER BY s.id",
                   NULL);
    bool goes_on = true;
    int code = SQLITE_DONE;
    while (goes_on && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        struct history_clock clock = {sql_number(statement, 0), sql_number(statement, 1)};
        goes_on = fn(context, &clock);
    }
    return reader_done(h, statement, !goes_on || code == SQLITE_DONE, error);
}

/* ---- a moment ---- */

size_t reader_stretch_at(const struct history *h, int64_t at_us)
{
    if (h->has_cursor && h->cursor_us == at_us && h->cursor_stretch < h->stretch_count)
        return h->cursor_stretch;
    /* The latest one that contains it: where a clock was set back, the one recorded last. */
    for (size_t i = h->stretch_count; i-- > 0;)
        if (h->stretches[i].from_us <= at_us && at_us <= h->stretches[i].to_us)
            return i;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h->stretch_count; i++)
        if (h->stretches[i].to_us < at_us &&
            (best == SIZE_MAX || h->stretches[i].to_us >= h->stretches[best].to_us))
            best = i;
    return best;
}

void reader_point(struct history *h, int64_t at_us, size_t stretch)
{
    h->has_cursor = true;
    h->cursor_us = at_us;
    h->cursor_stretch = stretch;
}

/* malloc'd; NULL: damaged. */
static unsigned char *unpacked(const void *packed, size_t packed_size, int64_t size)
{
    int64_t most = (int64_t)packed_size * UNPACKED_TIMES;
    if (size <= 0 || size > most || size > UNPACKED_MOST || !packed)
        return NULL;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor)
        memory_exhausted();
    unsigned char *bytes = xmalloc((size_t)size);
    enum libdeflate_result result =
        libdeflate_zlib_decompress(decompressor, packed, packed_size, bytes, (size_t)size, NULL);
    libdeflate_free_decompressor(decompressor);
    if (result == LIBDEFLATE_SUCCESS) /* of that size exactly */
        return bytes;
    free(bytes);
    return NULL;
}

/* The snapshot that a chunk begins with; its patches, where it is closed. */
static bool load_chunk(struct history *h, int64_t id, bool last)
{
    bool fine = false;
    snapshot_clear(h->snapshot);
    free(h->patches);
    h->patches = NULL;
    h->patches_size = h->patches_at = 0;
    h->patches_us = 0;
    h->chunk = h->patch = 0;
    h->chunk_open = last;
    const struct sql_value key = sql_of(id);
    sqlite3_stmt *statement = sql_select(
        h->db, "SELECT picture_size, picture, patches_size, patches FROM chunk WHERE id = ?", &key);
    if (sql_next(statement, 0) == SQLITE_ROW) {
        int64_t size = sql_number(statement, 0);
        unsigned char *whole =
            unpacked(sqlite3_column_blob(statement, 1), (size_t)sqlite3_column_bytes(statement, 1), size);
        fine = whole && snapshot_apply(h->snapshot, whole, (size_t)size);
        free(whole);
        if (fine && sqlite3_column_type(statement, 3) != SQLITE_NULL) {
            h->patches_size = (size_t)sql_number(statement, 2);
            h->patches = unpacked(sqlite3_column_blob(statement, 3),
                                  (size_t)sqlite3_column_bytes(statement, 3), (int64_t)h->patches_size);
            fine = h->patches != NULL;
        }
    }
    sqlite3_finalize(statement);
    if (fine)
        h->chunk = id;
    return fine;
}

static bool apply_packed(struct history *h, int64_t until_us)
{
    while (h->patches && h->patches_at < h->patches_size) {
        struct scan scan = {h->patches + h->patches_at, h->patches + h->patches_size, false};
        int64_t at_us = (int64_t)((uint64_t)h->patches_us + (uint64_t)scan_signed(&scan));
        size_t length;
        const char *patch = scan_piece(&scan, &length);
        if (scan.bad)
            return false;
        if (at_us > until_us)
            return true;
        if (patch && !snapshot_apply(h->snapshot, patch, length))
            return false;
        h->patches_us = at_us;
        h->patches_at = (size_t)(scan.at - h->patches);
    }
    return true;
}

static bool apply_rows(struct history *h, int64_t until_us)
{
    const struct sql_value after = sql_of(h->patch);
    sqlite3_stmt *statement =
        sql_select(h->db, "SELECT id, at_us, patch FROM patch WHERE id > ? ORDER BY id", &after);
    bool fine = true;
    int code = SQLITE_DONE;
    while (fine && (code = sql_next(statement, 0)) == SQLITE_ROW && sql_number(statement, 1) <= until_us) {
        const void *patch = sqlite3_column_blob(statement, 2);
        fine = patch && snapshot_apply(h->snapshot, patch, (size_t)sqlite3_column_bytes(statement, 2));
        h->patch = sql_number(statement, 0);
    }
    fine = fine && (code == SQLITE_ROW || code == SQLITE_DONE);
    sqlite3_finalize(statement);
    return fine;
}

static bool bring_snapshot(struct history *h, size_t stretch, int64_t at_us)
{
    size_t first = h->stretches[stretch].first_chunk, chunk = h->stretches[stretch].end_chunk - 1;
    while (chunk > first && h->chunks[chunk].from_us > at_us)
        chunk--;
    bool last = chunk + 1 == h->chunk_count;
    /* Forwards from the present position, where that is possible. */
    bool goes_on = h->chunk == h->chunks[chunk].id && at_us >= h->at_us && h->chunk_open == last;
    if (!goes_on && !load_chunk(h, h->chunks[chunk].id, last))
        return false;
    h->at_us = at_us;
    bool fine = apply_packed(h, at_us) && (!last || apply_rows(h, at_us));
    if (!fine)
        h->chunk = 0;
    return fine;
}

/* False: the recording does not hold that moment; *error says why. */
static bool find_moment(struct history *h, int64_t at_us, size_t *stretch, char **error)
{
    int64_t from_us, to_us;
    const char *why = NULL;
    if (!bounds_of(h, &from_us, &to_us))
        why = "nothing has been recorded there yet";
    else if (at_us < from_us || (*stretch = reader_stretch_at(h, at_us)) == SIZE_MAX)
        why = "nothing was recorded yet at that time; choose a time within the recording";
    else if (at_us > to_us)
        why = "that is after the recording's end; choose a time within the recording";
    *error = why ? text_format("%s: %s", h->file, why) : NULL;
    return !why;
}

sqlite3_stmt *reader_gaps(struct history *h, int64_t from_us, int64_t to_us)
{
    const struct sql_value period[] = {sql_of(to_us), sql_of(from_us)};
    return sql_select(
        h->db,
        "SELECT g.cluster, c.name, g.why, g.from_us, coalesce(g.to_us, s.to_us) AS until, g.stretch FROM "
        "gap g JOIN cluster c ON c.id = g.cluster LEFT JOIN stretch s ON s.id = g.stretch WHERE "
        "g.from_us < ?1 AND until > ?2 ORDER BY g.cluster, g.from_us",
        period);
}

bool reader_next_gap(sqlite3_stmt *statement, struct reader_gap *gap)
{
    if (!statement || sql_next(statement, 0) != SQLITE_ROW)
        return false;
    *gap = (struct reader_gap){.cluster = sql_number(statement, 0),
                               .cluster_name = sql_text(statement, 1),
                               .why = sql_text(statement, 2),
                               .from_us = sql_number(statement, 3),
                               .to_us = sql_number(statement, 4),
                               .stretch = sql_number(statement, 5)};
    return true;
}

bool reader_end_gaps(struct history *h, sqlite3_stmt *statement)
{
    int code = sqlite3_errcode(h->db);
    sqlite3_finalize(statement);
    return statement && (code == SQLITE_DONE || code == SQLITE_OK);
}

/* A recorder that is stalled, or hears nothing, knows it only afterwards: the snapshot of such a time shows
 * the state before it. */
static bool lapse_unseen(struct history *h, struct snapshot_model *restored, int64_t at_us, size_t stretch)
{
    struct reader_gap gap;
    const struct stretch_row *shown = &h->stretches[stretch];
    sqlite3_stmt *statement = reader_gaps(h, at_us, at_us);
    while (reader_next_gap(statement, &gap))
        if (gap.stretch == shown->id)
            snapshot_model_lapse(restored, gap.cluster_name, gap.from_us,
                                 strcmp(gap.why, GAP_STILL) == 0 ? "the recorder was paused then"
                                                                 : "the servers were not heard then");
    return reader_end_gaps(h, statement);
}

const struct model *history_at(struct history *h, int64_t at_us, char **error)
{
    size_t stretch = SIZE_MAX;
    struct snapshot_model *restored = NULL;
    if (!reader_begin(h, error))
        return NULL;
    if (find_moment(h, at_us, &stretch, error) &&
        !(bring_snapshot(h, stretch, at_us) &&
          (restored = snapshot_read(h->snapshot, at_us, ++h->generation)) &&
          reader_failovers(h, (struct model *)(uintptr_t)snapshot_model_model(restored), stretch) &&
          lapse_unseen(h, restored, at_us, stretch)))
        reader_failed(h, error);
    reader_end(h);
    if (*error || !restored) {
        snapshot_model_free(restored);
        return NULL;
    }
    snapshot_model_free(h->restored);
    h->restored = restored;
    reader_point(h, at_us, stretch);
    if (at_us > h->stretches[stretch].to_us)
        snapshot_model_lapse(h->restored, NULL, h->stretches[stretch].to_us, "nothing was recorded then");
    return snapshot_model_model(h->restored);
}

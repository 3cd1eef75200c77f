#include "probe/history/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/recording_file.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"
#include "probe/history/writer_sql.h"

/* ---- removes old rows from a recording ---- */

/* Rows that are deleted at once. */
#define TRIM_ROWS 20000

/* A statement with up to two numbers; how many rows it took out. */
static bool trim(sqlite3 *db, const char *sql, int64_t first, int64_t second, int64_t *gone)
{
    const struct sql_value values[] = {sql_of(first), sql_of(second)};
    sqlite3_stmt *statement = sql_select(db, sql, values);
    bool fine = sql_next(statement, 0) == SQLITE_DONE;
    sqlite3_finalize(statement);
    *gone += fine ? sqlite3_changes64(db) : 0;
    return fine;
}

/* *number: the first value of this column that a kept chunk needs. */
static bool first_kept(sqlite3 *db, const char *column, int64_t before_us, int64_t *number)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM chunk WHERE from_us <= %lld ORDER BY id DESC LIMIT 1", column,
                                (long long)before_us);
    bool fine = sql && sql_ask(db, sql, number);
    sqlite3_free(sql);
    return fine;
}

/*
 * Removes rows that ended before then, some at each call, so that no reader waits for long. Rows that the
 * chunk of that moment needs stay. *more: there is more. Inside a transaction; false: it must be rolled back.
 */
static bool store_trim(sqlite3 *db, int64_t before_us, bool *more)
{
    int64_t chunk, event, name, gone = 0;
    *more = false;
    if (!first_kept(db, "id", before_us, &chunk) || !first_kept(db, "first_event", before_us, &event) ||
        !first_kept(db, "first_name", before_us, &name))
        return false;
    if (chunk == 0)
        return true;
    /* Who leads since before then is still named. */
    bool fine =
        trim(db, "DELETE FROM chunk WHERE id < ? AND id IN (SELECT id FROM chunk ORDER BY id LIMIT 100)",
             chunk, 0, &gone) &&
        trim(db,
             "DELETE FROM finding WHERE event IN (SELECT event FROM finding WHERE event < ? ORDER BY event"
             " LIMIT ?)",
             event, TRIM_ROWS, &gone) &&
        trim(db, "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE id < ? ORDER BY id LIMIT ?)",
             event, TRIM_ROWS, &gone) &&
        trim(db,
             "DELETE FROM failover WHERE (election, lost_us, event) IN (SELECT f.election, f.lost_us, f.event"
             " FROM election l, failover f WHERE f.election = l.id AND f.lost_us < ? AND f.event < ? LIMIT "
             "20000)",
             before_us, event, &gone) &&
        trim(db,
             "DELETE FROM tenure WHERE (election, id) IN (SELECT t.election, t.id FROM tenure t WHERE "
             "t.to_us < ? LIMIT ?)",
             before_us, TRIM_ROWS, &gone) &&
        trim(db, "DELETE FROM gap WHERE to_us < ?", before_us, 0, &gone);
    if (fine && gone == 0)
        fine = trim(db,
                    "DELETE FROM name WHERE id IN (SELECT id FROM name WHERE id < ? AND id NOT IN (SELECT "
                    "candidate FROM tenure WHERE candidate < ?1 UNION SELECT identity FROM tenure WHERE "
                    "identity < ?1) ORDER BY id LIMIT ?2)",
                    name, TRIM_ROWS, &gone) &&
               trim(db, "DELETE FROM stretch WHERE to_us < ? AND id NOT IN (SELECT stretch FROM chunk)",
                    before_us, 0, &gone);
    *more = fine && gone > 0;
    return fine;
}

/* Batches wait for so long, so that one transaction takes many. */
#define GATHER_MS 200
/* The end of the observed time is written as often when nothing happens. */
#define ALIVE_MS 1000
#define RETRY_MS 2000
/* A file holds at most this part more than is kept. */
#define TRIM_PART 10
#define TRIM_EVERY_MOST_MS 3600000
#define TAKE_OVER_EVERY_MS 60000
#define QUEUE_BYTES (32u << 20)
#define BUSY_MS 5000

/* The files beside the recording without which it is not whole, and the lock. */
static const char *const beside[] = {"-wal", "-shm", ".lock"};
#define BESIDE_COUNT (sizeof beside / sizeof *beside)

struct store {
    sqlite3 *db; /* of the thread, once it runs */
    char *file;
    int lock;
    uv_thread_t thread;
    bool has_thread;

    uv_mutex_t mutex; /* of all that follows */
    uv_cond_t wake;
    struct batch *first, **last;
    size_t bytes;
    int64_t alive_us, keep_ms;
    bool closing;
    char *problem, *notice;
    /* Another file than the one that the batches so far were for: a new stretch begins it. */
    bool renewed;
    int64_t renewed_from_us;
    uint64_t renewed_events; /* that were in the queue */

    /* The thread's own. */
    ino_t beside[BESIDE_COUNT]; /* 0: not there yet */
    off_t log_bytes;            /* of "-wal" after the latest write */
    bool renewed_in_hand;
    bool other_file; /* the one of before is closed, and the next one is not open yet */
    struct writer_sql *rows;
    int64_t written_alive_us, newest_us;
    uint64_t trim_ms, take_over_ms; /* the next time at the soonest, of uv_hrtime() */
};

static uint64_t store_now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* ---- the thread ---- */

static void store_set_problem(struct store *store, char *problem)
{
    uv_mutex_lock(&store->mutex);
    free(store->problem);
    store->problem = problem;
    uv_mutex_unlock(&store->mutex);
}

/* All or nothing. */
static bool write_all(struct store *store, const struct batch *list, int64_t alive_us)
{
    bool fine = sql_run(store->db, "BEGIN IMMEDIATE");
    int64_t newest_us = store->newest_us;
    for (const struct batch *batch = list; fine && batch; batch = batch->next) {
        /* Its clock differs from that of the previous stretch, which ends where it was seen last. */
        bool ends = batch->begins == BATCH_NEW_STRETCH && newest_us != 0;
        int64_t end_us = batch->ended_us > newest_us ? batch->ended_us : newest_us;
        fine = (!ends || writer_sql_alive(store->rows, end_us)) && writer_sql_write(store->rows, batch);
        newest_us = batch->at_us;
    }
    alive_us = newest_us > alive_us ? newest_us : alive_us;
    fine =
        fine && (newest_us == 0 || writer_sql_alive(store->rows, alive_us)) && sql_run(store->db, "COMMIT");
    if (fine) {
        writer_sql_committed(store->rows);
        store->newest_us = newest_us;
        store->written_alive_us = alive_us;
        store_set_problem(store, NULL);
        return true;
    }
    store_set_problem(store, schema_error(store->db, store->file));
    if (!sqlite3_get_autocommit(store->db))
        sql_run(store->db, "ROLLBACK");
    writer_sql_forget(store->rows);
    return false;
}

static void trim_old(struct store *store, int64_t keep_ms)
{
    bool more = true;
    if (store->newest_us == 0 || store_now_ms() < store->trim_ms)
        return;
    /* A part at a time, between what happens. */
    bool fine = sql_run(store->db, "BEGIN IMMEDIATE") &&
                store_trim(store->db, store->newest_us - keep_ms * 1000, &more) &&
                sql_run(store->db, "COMMIT");
    if (!fine && !sqlite3_get_autocommit(store->db))
        sql_run(store->db, "ROLLBACK");
    if (fine && more)
        return;
    if (fine)
        sql_run(store->db, "PRAGMA incremental_vacuum(2000)");
    int64_t pause_ms = keep_ms / TRIM_PART;
    store->trim_ms =
        store_now_ms() + (uint64_t)(pause_ms < TRIM_EVERY_MOST_MS ? pause_ms : TRIM_EVERY_MOST_MS);
}

/* Into the file itself, however little happens: so a copy of the file alone lacks no more than a minute,
   and nothing once it is closed. */
static void store_take_over(struct store *store)
{
    if (!store->db || store_now_ms() < store->take_over_ms)
        return;
    sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    store->take_over_ms = store_now_ms() + TAKE_OVER_EVERY_MS;
}

static void store_free_all(struct batch *list)
{
    while (list) {
        struct batch *next = list->next;
        batch_free(list);
        list = next;
    }
}

/* Waits until there is something to do; takes it off the queue. False: nothing is left,
   and none will come. */
static bool wait_for_work(struct store *store, struct batch **list, int64_t *alive_us, int64_t *keep_ms)
{
    uv_mutex_lock(&store->mutex);
    if (!store->closing && !store->first) /* twice as often as is written: whatever is due waits for less */
        uv_cond_timedwait(&store->wake, &store->mutex, (uint64_t)ALIVE_MS / 2 * 1000000);
    if (!store->closing && store->first) /* the first of more */
        uv_cond_timedwait(&store->wake, &store->mutex, (uint64_t)GATHER_MS * 1000000);
    *list = store->first;
    *alive_us = store->alive_us;
    *keep_ms = store->keep_ms;
    store->first = NULL;
    store->last = &store->first;
    bool goes_on = *list || !store->closing;
    uv_mutex_unlock(&store->mutex);
    return goes_on;
}

/* They count against the queue until they are written. */
static void store_let_go(struct store *store, struct batch *list)
{
    size_t bytes = 0;
    for (const struct batch *batch = list; batch; batch = batch->next)
        bytes += batch_size(batch);
    uv_mutex_lock(&store->mutex);
    store->bytes -= bytes;
    uv_mutex_unlock(&store->mutex);
    store_free_all(list);
}

/* False: the store closes, and it has not become better. */
static bool wait_to_retry(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    bool closing = store->closing;
    if (!closing)
        uv_cond_timedwait(&store->wake, &store->mutex, (uint64_t)RETRY_MS * 1000000);
    uv_mutex_unlock(&store->mutex);
    return !closing;
}

/* The database and the rows, once the lock is taken. */
static bool store_open_database(struct store *store, char **error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX;
    if (sql_open(store->file, &store->db, flags) != SQLITE_OK) {
        *error = schema_error(store->db, store->file);
        return false;
    }
    /* SQLite fills a page that lacks its end with zeros, and the damage is hidden for ever. */
    if (recording_open_is_cut(store->db, store->file)) {
        *error = schema_damaged(store->file);
        return false;
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_extended_result_codes(store->db, 0);
    if (!schema_prepare(store->db, store->file, true, error))
        return false;
    if (!store->rows)
        store->rows = writer_sql_new();
    writer_sql_open(store->rows, store->db);
    return true;
}

static bool store_end_tenures(struct store *store, char **error)
{
    if (writer_sql_end_tenures(store->rows))
        return true;
    *error = schema_error(store->db, store->file);
    return false;
}

/* ---- the file was removed, moved or replaced ---- */

static ino_t store_inode(const char *file, const char *suffix)
{
    struct stat status;
    char *name = text_format("%s%s", file, suffix);
    ino_t inode = lstat(name, &status) == 0 ? status.st_ino : 0;
    free(name);
    return inode;
}

static off_t store_log_bytes(const struct store *store)
{
    struct stat status;
    char *name = text_format("%s%s", store->file, beside[0]);
    off_t bytes = lstat(name, &status) == 0 ? status.st_size : 0;
    free(name);
    return bytes;
}

/* Which of the files beside the recording is not the one that this process uses; NULL: none. */
static const char *store_lost_beside(struct store *store)
{
    for (size_t i = 0; i < BESIDE_COUNT; i++) {
        ino_t now = store_inode(store->file, beside[i]);
        if (store->beside[i] && now != store->beside[i])
            return beside[i];
        store->beside[i] = now;
    }
    return NULL;
}

static bool store_has_moved(struct store *store)
{
    int moved = 0;
    return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

/* The log ahead of the file is still open, whatever its name was: all of it can go into the file. */
static bool store_save_log(struct store *store)
{
    int frames = 0, saved = 0;
    int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &saved);
    return code == SQLITE_OK || (code == SQLITE_BUSY && frames == saved);
}

static void store_close_database(struct store *store, bool same_again)
{
    writer_sql_close(store->rows, same_again);
    sqlite3_close(store->db);
    store->db = NULL;
    if (store->lock >= 0)
        close(store->lock);
    store->lock = -1;
    memset(store->beside, 0, sizeof store->beside);
    store->log_bytes = 0;
}

/* A log without its file would be taken for the next file's. overwritten: the file is there, and it is not
 * its. */
static void store_remove_remains(const struct store *store, bool overwritten)
{
    for (size_t i = 0; i < BESIDE_COUNT; i++) {
        char *name = text_format("%s%s", store->file, beside[i]);
        if (overwritten || store_inode(store->file, "") == 0)
            unlink(name);
        free(name);
    }
}

static bool store_open_again(struct store *store)
{
    char *error = NULL, *real = NULL;
    store->lock = recording_file_take(store->file, &real, &error);
    bool fine = store->lock >= 0 && store_open_database(store, &error) &&
                (!store->other_file || store_end_tenures(store, &error));
    free(real);
    if (fine)
        return true;
    store_close_database(store, !store->other_file);
    store_set_problem(store, error);
    return false;
}

static void store_give_notice(struct store *store, char *notice)
{
    uv_mutex_lock(&store->mutex);
    free(store->notice);
    store->notice = notice;
    uv_mutex_unlock(&store->mutex);
}

/* Batches that no file will have. */
static void store_drop(struct store *store, struct batch *list)
{
    uv_mutex_lock(&store->mutex);
    for (const struct batch *batch = list; batch; batch = batch->next)
        store->renewed_events += batch->happening_count;
    uv_mutex_unlock(&store->mutex);
    store_let_go(store, list);
}

/* The batches so far are for a file that is not there any more. */
static void store_begin_anew(struct store *store)
{
    struct batch *list;
    uv_mutex_lock(&store->mutex);
    list = store->first;
    store->first = NULL;
    store->last = &store->first;
    store->renewed = true;
    store->renewed_from_us = store->written_alive_us;
    uv_mutex_unlock(&store->mutex);
    store_drop(store, list);
    store->renewed_in_hand = true;
    store->newest_us = 0;
}

#define OVERWRITTEN "overwritten"
#define REPLACED "replaced"
#define CUT "cut short"

/* Why the file is not the one any more into which this process writes; NULL: it is. */
static const char *store_lost_file(struct store *store)
{
    if (store_has_moved(store))
        return store_inode(store->file, "") != 0 ? REPLACED : "removed or moved";
    if (recording_open_is_overwritten(store->db))
        return OVERWRITTEN;
    /* Only this process writes into its log. If all of it is in the file already, nothing is lost. */
    return store_log_bytes(store) < store->log_bytes && !store_save_log(store) ? CUT : NULL;
}

/* Saves all that can be saved into the former file, so that it is complete wherever it was moved to. */
static void store_leave_file(struct store *store, const char *what)
{
    bool overwritten = strcmp(what, OVERWRITTEN) == 0 || strcmp(what, CUT) == 0;
    if (overwritten) /* the new content is not ours; half a log would only do harm */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
    else
        store_save_log(store);
    store_close_database(store, false);
    store_remove_remains(store, overwritten);
    store->other_file = true;
    store_begin_anew(store);
}

/*
 * Rows written into a deleted or overwritten file are lost. Saves what can be saved and opens the file anew.
 * False: the recording cannot be written at present.
 */
static bool store_check_files(struct store *store)
{
    const char *what = store->db ? store_lost_file(store) : NULL;
    const char *beside_it = store->db && !what ? store_lost_beside(store) : NULL;
    if (what) {
        store_leave_file(store, what);
    } else if (beside_it && !store_save_log(store)) {
        store_set_problem(store, schema_error(store->db, store->file));
        return false;
    } else if (beside_it) {
        store_close_database(store, true);
    } else if (store->db) {
        return true;
    }
    bool fine = store_open_again(store);
    const char *next = !fine || !what                ? ""
                       : strcmp(what, CUT) == 0      ? "; it continues after a gap"
                       : strcmp(what, REPLACED) == 0 ? "; recording continues in the file that is there now"
                                                     : "; recording continues in a new file";
    if (what)
        store_give_notice(store, text_format("%s: the recording was %s%s", store->file, what, next));
    else if (beside_it)
        store_give_notice(store, text_format("%s%s was removed or replaced; nothing is lost, the recording "
                                             "has all of it",
                                             store->file, beside_it));
    if (!fine)
        return false;
    store->other_file = false;
    store_set_problem(store, NULL);
    return true;
}

static void write_for_ever(void *context)
{
    struct store *store = context;
    struct batch *list;
    int64_t alive_us, keep_ms;
    while (wait_for_work(store, &list, &alive_us, &keep_ms)) {
        int64_t since_us = alive_us - store->written_alive_us; /* below 0: another clock */
        bool alive = since_us >= ALIVE_MS * 1000 / 2 || since_us < 0;
        bool idle = !list && !(alive && store->newest_us), fine;
        do {
            fine = store_check_files(store);
            if (store->renewed_in_hand) { /* the batches in hand were for the former file */
                store->renewed_in_hand = false;
                store_drop(store, list);
                list = NULL;
                idle = true;
            }
            fine = fine && (idle || write_all(store, list, alive_us));
        } while (!fine && wait_to_retry(store));
        store->log_bytes = store->db ? store_log_bytes(store) : 0;
        store_let_go(store, list);
        if (fine) {
            trim_old(store, keep_ms);
            store_take_over(store);
            store->log_bytes = store_log_bytes(store);
        } else if (list) {
            return; /* a write that fails now will never succeed */
        }
    }
    if (store_check_files(store) && store->newest_us && alive_us > store->written_alive_us)
        write_all(store, NULL, alive_us);
    /* A reader with the file open keeps SQLite from doing so when it is closed. */
    store->take_over_ms = 0;
    store_take_over(store);
}

/* ---- the others ---- */

struct store *store_open(const char *file, int64_t keep_ms, char **error)
{
    *error = NULL;
    struct store *store = xcalloc(1, sizeof *store);
    store->last = &store->first;
    store->keep_ms = keep_ms;
    store->trim_ms = store_now_ms();
    uv_mutex_init(&store->mutex);
    uv_cond_init(&store->wake);
    store->lock = recording_file_take(file, &store->file, error);
    if (store->lock >= 0 && store_open_database(store, error) && store_end_tenures(store, error)) {
        store->has_thread = uv_thread_create(&store->thread, write_for_ever, store) == 0;
        if (!store->has_thread)
            *error = xstrdup("cannot start the thread that writes the recording; raise the limit of "
                             "processes (ulimit -u) or of memory (ulimit -v)");
    }
    if (store->has_thread)
        return store;
    store_close(store, NULL);
    return NULL;
}

bool store_push(struct store *store, struct batch *batch)
{
    size_t size = batch_size(batch);
    uv_mutex_lock(&store->mutex);
    bool room = !store->renewed && (store->bytes + size <= QUEUE_BYTES || !store->first);
    if (room) {
        bool first = !store->first;
        batch->next = NULL;
        *store->last = batch;
        store->last = &batch->next;
        store->bytes += size;
        if (batch->begins == BATCH_NEW_STRETCH)
            store->alive_us = batch->at_us;
        if (first)
            uv_cond_signal(&store->wake);
    }
    uv_mutex_unlock(&store->mutex);
    if (!room)
        batch_free(batch);
    return room;
}

size_t store_waiting(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    size_t bytes = store->bytes;
    uv_mutex_unlock(&store->mutex);
    return bytes;
}

void store_alive(struct store *store, int64_t now_us)
{
    uv_mutex_lock(&store->mutex);
    store->alive_us = now_us;
    uv_mutex_unlock(&store->mutex);
}

char *store_problem(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    char *problem = store->problem ? xstrdup(store->problem) : NULL;
    uv_mutex_unlock(&store->mutex);
    return problem;
}

char *store_take_notice(struct store *store)
{
    uv_mutex_lock(&store->mutex);
    char *notice = store->notice;
    store->notice = NULL;
    uv_mutex_unlock(&store->mutex);
    return notice;
}

bool store_take_renewal(struct store *store, int64_t *from_us, uint64_t *events)
{
    uv_mutex_lock(&store->mutex);
    bool renewed = store->renewed;
    *from_us = store->renewed_from_us;
    *events = store->renewed_events;
    if (renewed)
        store->renewed_events = 0;
    store->renewed = false;
    uv_mutex_unlock(&store->mutex);
    return renewed;
}

const char *store_file(const struct store *store)
{
    return store->file;
}

char *store_loss(const char *problem, int64_t since_us)
{
    char since[32];
    time_t s = (time_t)(since_us / 1000000);
    struct tm tm;
    bool known =
        since_us > 0 && gmtime_r(&s, &tm) && strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return known ? text_format("%s; events since %s are not in it", problem, since)
                 : text_format("%s; none of these events is in it", problem);
}

bool store_close(struct store *store, char **problem)
{
    if (!store)
        return true;
    if (store->has_thread) {
        uv_mutex_lock(&store->mutex);
        store->closing = true;
        uv_cond_signal(&store->wake);
        uv_mutex_unlock(&store->mutex);
        uv_thread_join(&store->thread);
    }
    if (store->renewed && !store->problem) { /* too late for anything to begin the new one */
        store->problem = store->notice;
        store->notice = NULL;
    }
    bool fine = !store->problem;
    if (problem)
        *problem = fine ? NULL : store_loss(store->problem, store->written_alive_us);
    free(store->problem);
    free(store->notice);
    store_free_all(store->first);
    writer_sql_free(store->rows);
    sqlite3_close(store->db);
    if (store->lock >= 0)
        close(store->lock);
    uv_cond_destroy(&store->wake);
    uv_mutex_destroy(&store->mutex);
    free(store->file);
    free(store);
    return fine;
}

#include "probe/history/complete_from_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/digest.h"
#include "probe/history/recording_file.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"
#include "probe/history/writer_sql.h"

#define BUSY_MS 5000
/* To connect takes that long. */
#define GAP_LEAST_US INT64_C(1000000)

/* ---- what both recordings have ---- */

/* ?1: the cluster's id in the recording. In temporary tables: own is the recording's, log the other one's. */
static const char *const add_elections[] = {
    "INSERT OR IGNORE INTO main.election (cluster, path, name, kind, recipe) SELECT ?1, path, name, kind, "
    "recipe FROM logs.election",
    "INSERT OR IGNORE INTO main.kind (word) SELECT word FROM logs.kind", NULL};
static const char *const match_elections[] = {
    "CREATE TEMP TABLE same_election AS SELECT b.id AS log, a.id AS own FROM logs.election b JOIN "
    "main.election a ON a.cluster = ?1 AND a.path = b.path",
    "CREATE TEMP TABLE same_kind AS SELECT b.id AS log, a.id AS own, a.word FROM logs.kind b JOIN main.kind "
    "a ON a.word = b.word",
    "CREATE TEMP TABLE own_loss AS SELECT f.event, f.election, n.text AS name, f.lost_us,  "
    "coalesce(f.gap_us, 0) AS gap_us, f.source FROM main.failover f JOIN same_election s ON s.own = "
    "f.election  LEFT JOIN main.name n ON n.id = f.other",
    "CREATE TEMP TABLE log_loss AS SELECT f.event, s.own AS election, n.text AS name, f.lost_us  FROM "
    "logs.failover f JOIN same_election s ON s.log = f.election LEFT JOIN logs.name n ON n.id = f.other",
    "CREATE INDEX temp.log_loss_name ON log_loss (election, name)",
    NULL};

/* The median of those that are plainly the same: the name led once in each, and somebody watched. */
#define AHEAD                                                                                                \
    "WITH d (us) AS (SELECT o.lost_us - l.lost_us FROM own_loss o JOIN log_loss l USING (election, name)"    \
    " WHERE o.gap_us = 0 AND o.source IS NULL GROUP BY election, name HAVING count(*) = 1)"                  \
    " SELECT us FROM d ORDER BY us LIMIT 1 OFFSET (SELECT count(*) / 2 FROM d)"

/* Each with the nearest of the same leader; one that was found after a gap happened somewhere in it. */
static const char *const match_failovers[] = {
    "CREATE TEMP TABLE pair (own INTEGER PRIMARY KEY, log INTEGER UNIQUE)",
    "INSERT OR IGNORE INTO pair SELECT o.event, l.event FROM own_loss o JOIN log_loss l  ON l.election = "
    "o.election AND l.name IS o.name  WHERE l.lost_us BETWEEN o.lost_us - o.gap_us - 60000000 AND o.lost_us "
    "+ 60000000  ORDER BY abs(o.lost_us - l.lost_us)",
    NULL};

static bool run_of(sqlite3 *db, const char *sql, const int64_t *numbers, int count)
{
    sqlite3_stmt *statement = NULL;
    bool fine = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    for (int i = 0; fine && i < count && i < sqlite3_bind_parameter_count(statement); i++)
        sqlite3_bind_int64(statement, i + 1, numbers[i]);
    int code = fine ? sqlite3_step(statement) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

static bool complete_run_all(sqlite3 *db, const char *const *list, const int64_t *numbers, int count)
{
    bool fine = true;
    for (; fine && *list; list++)
        fine = run_of(db, *list, numbers, count);
    return fine;
}

/* ---- times ---- */

/* A stretch of the recording that is completed. */
struct own_stretch {
    int64_t id, from_us, to_us;
    int64_t first, end; /* its events */
    bool clock;         /* it began because the clock was set: nothing is between it and the one before */
};

/* A time that nobody watched, and of which the logs tell. */
struct unwatched {
    int64_t from_us, to_us, log_stretch;
    size_t inside; /* the stretch in which nobody was connected; SIZE_MAX: between stretches */
};

/* The parts of the recording as it will be, in order: a stretch of the logs, a whole own one, or the rest
   of one that was cut. */
struct stretch_part {
    bool log, cut, same; /* same: with the numbers that it has */
    int64_t old, from_us, to_us;
    int64_t first, end; /* own events; of the logs' all that belong to them */
    int64_t number;     /* of the new stretch */
};

struct completing {
    sqlite3 *db;
    const char *file;
    int64_t cluster, clusters;
    struct own_stretch *own;
    size_t own_count, own_room;
    struct unwatched *gaps;
    size_t gap_count, gap_room;
    struct stretch_part *parts;
    size_t part_count, part_room;
    int64_t next_event, next_chunk, next_stretch, names;
    bool moved; /* numbers from here on have changed */
    struct completion *done;
};

static bool read_own(struct completing *c)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(c->db,
                                  "SELECT s.id, s.from_us, s.to_us, s.why LIKE '" CLOCK_SET
                                  "%', min(c.first_event) FROM main.stretch s JOIN main.chunk c ON c.stretch "
                                  "= s.id GROUP BY s.id ORDER BY s.id",
                                  -1, &statement, NULL);
    while (code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        room_for_one(&c->own, c->own_count, &c->own_room, sizeof *c->own);
        struct own_stretch *s = &c->own[c->own_count++];
        *s = (struct own_stretch){.id = sql_number(statement, 0),
                                  .from_us = sql_number(statement, 1),
                                  .to_us = sql_number(statement, 2),
                                  .clock = sqlite3_column_int(statement, 3) != 0,
                                  .first = sql_number(statement, 4),
                                  .end = INT64_MAX};
        if (c->own_count > 1)
            s[-1].end = s->first;
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

/* As far as the logs tell of it: not where transactions are missing. */
static bool add_gap(struct completing *c, int64_t from_us, int64_t to_us, size_t inside)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(c->db,
                                  "SELECT id, max(from_us, ?1), min(to_us, ?2) FROM logs.stretch WHERE "
                                  "from_us < ?2 AND to_us > ?1 ORDER BY id",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, from_us);
        sqlite3_bind_int64(statement, 2, to_us);
    }
    while (code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        int64_t begin_us = sql_number(statement, 1), end_us = sql_number(statement, 2);
        const struct unwatched *before = c->gap_count ? &c->gaps[c->gap_count - 1] : NULL;
        if (before && before->to_us > begin_us && before->from_us < end_us)
            begin_us = before->to_us; /* the servers' clock went back: each time once */
        code = SQLITE_OK;
        if (end_us - begin_us < GAP_LEAST_US)
            continue;
        if (inside != SIZE_MAX && c->clusters > 1) {
            c->done->shared++;
            continue;
        }
        room_for_one(&c->gaps, c->gap_count, &c->gap_room, sizeof *c->gaps);
        c->gaps[c->gap_count++] = (struct unwatched){begin_us, end_us, sql_number(statement, 0), inside};
        c->done->filled++;
        c->done->filled_us += end_us - begin_us;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

/* Where the cluster was not connected. */
static bool gaps_inside(struct completing *c, size_t s)
{
    const struct own_stretch *own = &c->own[s];
    sqlite3_stmt *statement = NULL;
    int64_t until_us = own->from_us;
    bool fine = true;
    int code = sqlite3_prepare_v2(c->db,
                                  "SELECT max(from_us, ?3), min(coalesce(to_us, ?4), ?4) FROM main.gap WHERE "
                                  "cluster = ?1 AND stretch = ?2 ORDER BY from_us",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, c->cluster);
        sqlite3_bind_int64(statement, 2, own->id);
        sqlite3_bind_int64(statement, 3, own->from_us);
        sqlite3_bind_int64(statement, 4, own->to_us);
    }
    while (fine && code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        int64_t from_us = sql_number(statement, 0), to_us = sql_number(statement, 1);
        from_us = from_us > until_us ? from_us : until_us;
        fine = add_gap(c, from_us, to_us, s);
        until_us = to_us > until_us ? to_us : until_us;
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return fine && code == SQLITE_DONE;
}

/* ---- the parts ---- */

static void add_part(struct completing *c, struct stretch_part part)
{
    room_for_one(&c->parts, c->part_count, &c->part_room, sizeof *c->parts);
    c->parts[c->part_count++] = part;
}

/* The first of its events that is not before this moment. */
static int64_t event_from(struct completing *c, const struct own_stretch *own, int64_t at_us)
{
    int64_t number = 0;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(c->db, "SELECT min(id) FROM main.event WHERE id >= ? AND id < ? AND at_us >= ?",
                           -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, own->first);
        sqlite3_bind_int64(statement, 2, own->end);
        sqlite3_bind_int64(statement, 3, at_us);
        sql_answer(statement, &number);
    }
    sqlite3_finalize(statement);
    return number ? number : own->end;
}

/* One stretch of the recording, and what fills it. */
static bool part_stretch(struct completing *c, size_t s, size_t *gap)
{
    const struct own_stretch *own = &c->own[s];
    struct stretch_part rest = {
        .old = own->id, .from_us = own->from_us, .to_us = own->to_us, .first = own->first, .end = own->end};
    if (!gaps_inside(c, s))
        return false;
    for (; *gap < c->gap_count; ++*gap) {
        const struct unwatched *u = &c->gaps[*gap];
        struct stretch_part filled = {
            .log = true, .old = u->log_stretch, .from_us = u->from_us, .to_us = u->to_us};
        struct stretch_part before = rest;
        before.to_us = u->from_us;
        before.end = event_from(c, own, u->to_us);
        if (before.end < before.first)
            before.end = before.first;
        bool begins = before.from_us < before.to_us;
        if (begins) {
            rest.first = before.end;
            add_part(c, before);
        }
        rest.from_us = u->to_us;
        rest.cut = true;
        add_part(c, filled);
    }
    if (rest.from_us < rest.to_us || !rest.cut) {
        add_part(c, rest);
        return true;
    }
    /* It ended without a connection: its last events belong to the time before. */
    for (size_t i = c->part_count; i-- > 0;)
        if (!c->parts[i].log && c->parts[i].old == own->id) {
            c->parts[i].end = rest.end;
            break;
        }
    return true;
}

static bool gap_between(struct completing *c, int64_t from_us, int64_t to_us, size_t *gap)
{
    if (!add_gap(c, from_us, to_us, SIZE_MAX))
        return false;
    for (; *gap < c->gap_count; ++*gap) {
        const struct unwatched *u = &c->gaps[*gap];
        add_part(c, (struct stretch_part){
                        .log = true, .old = u->log_stretch, .from_us = u->from_us, .to_us = u->to_us});
    }
    return true;
}

static bool plan_parts(struct completing *c)
{
    size_t gap = 0;
    int64_t until_us = INT64_MIN;
    bool fine = true;
    for (size_t s = 0; fine && s < c->own_count; s++) {
        if (!c->own[s].clock && until_us < c->own[s].from_us)
            fine = gap_between(c, until_us, c->own[s].from_us, &gap);
        fine = fine && part_stretch(c, s, &gap);
        until_us = c->own[s].to_us > until_us ? c->own[s].to_us : until_us;
    }
    fine = fine && gap_between(c, until_us, INT64_MAX, &gap);
    return fine;
}

/* ---- events ---- */

/* place: which number an event gets. filled: the times that come from the logs. */
static const char *const prepare_places[] = {
    "CREATE TEMP TABLE place (new INTEGER PRIMARY KEY, log INTEGER, old INTEGER)",
    "CREATE TEMP TABLE filled (from_us INTEGER, to_us INTEGER, stretch INTEGER, log_stretch INTEGER)",
    "CREATE TEMP TABLE stretch_place (new INTEGER PRIMARY KEY, log INTEGER, old INTEGER, from_us INTEGER,"
    " to_us INTEGER, cut INTEGER)",
    "CREATE TEMP TABLE chunk_place (new INTEGER PRIMARY KEY, log INTEGER, old INTEGER, stretch INTEGER, "
    "from_us INTEGER, first_event INTEGER, first_name INTEGER, copy INTEGER)",
    NULL};

static const char *const choose_events[] = {
    /* An event that was found after a gap, now filled, moves to its place. */
    "CREATE TEMP TABLE replaced AS SELECT o.event, o.election, o.lost_us FROM pair p JOIN own_loss o  ON "
    "o.event = p.own JOIN log_loss l ON l.event = p.log WHERE o.gap_us > 0  AND EXISTS (SELECT 1 FROM filled "
    "f WHERE l.lost_us >= f.from_us AND l.lost_us < f.to_us)",
    "DELETE FROM pair WHERE own IN (SELECT event FROM replaced)",
    "CREATE TEMP TABLE dropped AS SELECT event AS id FROM replaced UNION SELECT e.id FROM replaced r  JOIN "
    "main.event e ON e.election = r.election AND e.gap_us IS NOT NULL  AND e.at_us BETWEEN r.lost_us - "
    "1000000 AND r.lost_us + 10000000  JOIN main.kind k ON k.id = e.kind AND k.word IN ('leader-lost', "
    "'leader-elected')",
    /* A failover stands where its leader was lost. */
    "CREATE TEMP TABLE fresh AS SELECT l.* FROM log_loss l WHERE l.event NOT IN (SELECT log FROM pair)",
    "CREATE TEMP TABLE taken (id INTEGER PRIMARY KEY, at_us INTEGER, filled INTEGER)",
    "INSERT INTO taken SELECT e.id, e.at_us, f.rowid FROM filled f JOIN logs.event e  ON e.at_us >= "
    "f.from_us AND e.at_us < f.to_us JOIN same_kind k ON k.log = e.kind  WHERE k.word NOT IN ('connection', "
    "'failover')",
    "INSERT OR IGNORE INTO taken SELECT n.event, n.lost_us, f.rowid FROM fresh n LEFT JOIN filled f  ON "
    "n.lost_us >= f.from_us AND n.lost_us < f.to_us",
    /* Missed while the election was watched: its cause comes from the log. */
    "INSERT OR IGNORE INTO taken SELECT e.id, n.lost_us, NULL FROM fresh n JOIN same_election s ON s.own = "
    "n.election  JOIN logs.failover f ON f.event = n.event AND f.election = s.log  JOIN logs.event e ON "
    "e.election = s.log AND e.at_us BETWEEN f.lost_us AND coalesce(f.elected_us, f.lost_us)  JOIN same_kind "
    "k ON k.log = e.kind AND (k.word = 'leader-elected' OR k.word = 'leader-lost')  WHERE NOT EXISTS (SELECT "
    "1 FROM filled g WHERE f.lost_us >= g.from_us AND f.lost_us < g.to_us)",
    NULL};

/* ?1, ?2: its own events; ?3: until when; ?4: the first number. */
#define PLACE_OWN                                                                                            \
    "INSERT INTO place SELECT ?4 - 1 + row_number() OVER (ORDER BY at, log, id), log, id FROM"               \
    " (SELECT 0 AS log, id, max(at_us) OVER (ORDER BY id) AS at FROM main.event WHERE id >= ?1 AND id < ?2"  \
    "   AND id NOT IN (SELECT id FROM dropped)"                                                              \
    "  UNION ALL SELECT 1, id, at_us FROM taken WHERE filled IS NULL AND at_us < ?3)"
#define PLACED_OWN "UPDATE taken SET filled = 0 WHERE filled IS NULL AND at_us < ?3"
/* ?1: the row of filled; ?2: the first number. */
#define PLACE_LOG                                                                                            \
    "INSERT INTO place SELECT ?2 - 1 + row_number() OVER (ORDER BY id), 1, id FROM taken WHERE filled = ?1"

/* What the logs add to it happened before this. */
static int64_t window_end(const struct completing *c, size_t i)
{
    for (size_t k = i + 1; k < c->part_count; k++)
        if (!c->parts[k].log)
            return c->parts[k].from_us;
    return INT64_MAX;
}

/* Until the first change, numbers stay. */
static bool find_same(struct completing *c, size_t i)
{
    int64_t more = 0;
    struct stretch_part *part = &c->parts[i];
    bool whole = part->old == 0 || (!part->log && !part->cut);
    for (size_t k = 0; k < c->part_count && whole; k++)
        whole = k == i || c->parts[k].log || c->parts[k].old != part->old;
    char *sql = sqlite3_mprintf("SELECT (SELECT count(*) FROM taken WHERE filled IS NULL AND at_us < %lld)"
                                " + (SELECT count(*) FROM dropped WHERE id >= %lld AND id < %lld)",
                                (long long)window_end(c, i), (long long)part->first, (long long)part->end);
    bool fine = sql && sql_ask(c->db, sql, &more);
    sqlite3_free(sql);
    part->same = !c->moved && whole && more == 0;
    c->moved = c->moved || !part->same;
    return fine;
}

static bool last_event(struct completing *c, const struct stretch_part *part)
{
    char *sql =
        sqlite3_mprintf("SELECT coalesce(max(id) + 1, %lld) FROM main.event WHERE id >= %lld AND id < %lld",
                        (long long)part->first, (long long)part->first, (long long)part->end);
    bool fine = sql && sql_ask(c->db, sql, &c->next_event);
    sqlite3_free(sql);
    return fine;
}

static bool place_part(struct completing *c, size_t i, int64_t *filled)
{
    struct stretch_part *part = &c->parts[i];
    int64_t count, first = c->next_event;
    const int64_t own[] = {part->first, part->end, window_end(c, i), first}, log[] = {*filled + 1, first};
    *filled += part->log;
    bool fine = run_of(c->db, part->log ? PLACE_LOG : PLACE_OWN, part->log ? log : own, part->log ? 2 : 4) &&
                sql_ask(c->db, "SELECT changes()", &count) &&
                (part->log || run_of(c->db, PLACED_OWN, own, 3));
    part->first = first;
    part->end = c->next_event = first + (fine ? count : 0);
    return fine;
}

static bool place_events(struct completing *c)
{
    int64_t filled = 0;
    bool fine = sql_ask(c->db, "SELECT coalesce(min(first_event), 1) FROM main.chunk", &c->next_event);
    for (size_t i = 0; fine && i < c->part_count; i++) {
        struct stretch_part *part = &c->parts[i];
        fine = find_same(c, i) && (part->same ? last_event(c, part) : place_part(c, i, &filled));
        part->number = part->same ? part->old : c->next_stretch;
        c->next_stretch = part->number + 1;
        fine = fine && run_of(c->db, "INSERT INTO stretch_place VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                              (int64_t[]){part->number, part->log, part->old, part->from_us, part->to_us,
                                          part->cut || !part->same},
                              6);
    }
    return fine && run_of(c->db, "CREATE UNIQUE INDEX temp.place_old ON place (log, old)", NULL, 0);
}

/* ?1: the cluster, ?2: added to the numbers of the logs' names. */
#define NAME(column) column " + ?2"
static const char *const write_events[] = {
    "DELETE FROM main.failover WHERE event IN (SELECT event FROM replaced)",
    "DELETE FROM main.event WHERE id IN (SELECT id FROM dropped)",
    /* Below 0 first: no number may be there twice meanwhile. */
    "UPDATE main.event SET id = -(SELECT new FROM place WHERE log = 0 AND old = id)  WHERE id >= (SELECT "
    "min(old) FROM place WHERE log = 0)",
    "UPDATE main.event SET id = -id WHERE id < 0",
    "UPDATE main.finding SET event = -(SELECT new FROM place WHERE log = 0 AND old = event)  WHERE event >= "
    "(SELECT min(old) FROM place WHERE log = 0)",
    "UPDATE main.finding SET event = -event WHERE event < 0",
    "UPDATE main.failover SET event = -(SELECT new FROM place WHERE log = 0 AND old = event)  WHERE event >= "
    "(SELECT min(old) FROM place WHERE log = 0)",
    "UPDATE main.failover SET event = -event WHERE event < 0",
    "INSERT INTO main.event (id, at_us, kind, cluster, election, candidate, identity, other, other_identity,"
    "  position, gap_us, after_us, joined, gone, state, detail, source)  SELECT p.new, e.at_us, k.own, CASE "
    "WHEN e.election IS NULL THEN ?1 END, s.own, " NAME("e.candidate") ", " NAME("e.identity") ", " NAME(
        "e.other") ", " NAME("e.other_identity") ", e.position, e.gap_us, e.after_us,  e.joined, e.gone, "
                                                 "e.state, e.detail, 1 FROM place p JOIN logs.event e ON "
                                                 "e.id = p.old  JOIN same_kind k ON k.log = e.kind LEFT JOIN "
                                                 "same_election s ON s.log = e.election WHERE p.log = 1",
    "INSERT INTO main.finding SELECT p.new, f.code, f.severity, f.certainty, f.candidates, f.evidence, "
    "f.advice,  f.since_us, f.unconfirmed_us, f.subject, f.one_look FROM place p JOIN logs.finding f ON "
    "f.event = p.old  WHERE p.log = 1",
    "INSERT INTO main.failover SELECT s.own, f.lost_us, p.new, f.elected_us, " NAME("f.candidate") ", " NAME(
        "f.identity") ", " NAME("f.other") ", " NAME("f.other_identity") ", f.cause, f.certainty,  "
                                                                         "f.detection_low_us, "
                                                                         "f.detection_high_us, "
                                                                         "f.vacancy_low_us, "
                                                                         "f.vacancy_high_us, "
                                                                         "f.takeover_low_us,  "
                                                                         "f.takeover_high_us, "
                                                                         "f.total_low_us, f.total_high_us, "
                                                                         "f.gap_us, f.mono_us, f.evidence, 1"
                                                                         "  FROM place p JOIN logs.failover "
                                                                         "f ON f.event = p.old JOIN "
                                                                         "same_election s ON s.log = "
                                                                         "f.election  WHERE p.log = 1",
    NULL};

/* What was observed keeps its times; the cause and its evidence are the logs'. What a cause excludes goes:
   only one that expired had to be detected (failover_total()). */
static const char *const write_causes[] = {
    "CREATE TEMP TABLE proven AS SELECT coalesce(q.new, p.own) AS own, f.cause, f.certainty, f.evidence,  "
    "f.detection_low_us AS low, f.detection_high_us AS high FROM pair p JOIN logs.failover f ON f.event = "
    "p.log  LEFT JOIN place q ON q.log = 0 AND q.old = p.own WHERE f.certainty = 'certain' AND f.cause <> "
    "'unknown'",
    "CREATE INDEX temp.proven_own ON proven (own)",
    "UPDATE main.failover SET cause = p.cause, certainty = p.certainty, evidence = p.evidence,  source = "
    "CASE source WHEN 1 THEN 1 ELSE 2 END,  detection_low_us = CASE WHEN p.cause <> 'expired' THEN NULL    "
    "WHEN detection_low_us IS NULL AND detection_high_us IS NULL THEN p.low ELSE detection_low_us END,  "
    "detection_high_us = CASE WHEN p.cause <> 'expired' THEN NULL    WHEN detection_low_us IS NULL AND "
    "detection_high_us IS NULL THEN p.high ELSE "
    "detection_high_us END  FROM proven p WHERE p.own = failover.event",
    "UPDATE main.failover SET total_low_us = CASE WHEN takeover_low_us IS NOT NULL THEN    "
    "coalesce(detection_low_us, 0) + coalesce(vacancy_low_us, 0) + takeover_low_us END,  total_high_us = "
    "CASE WHEN takeover_low_us IS NOT NULL THEN    CASE WHEN cause = 'expired' THEN detection_high_us ELSE 0 "
    "END + vacancy_high_us + takeover_high_us END  WHERE event IN (SELECT own FROM proven)",
    "UPDATE main.event SET source = 2 WHERE id IN (SELECT own FROM proven) AND source IS NULL",
    NULL};

/* ---- snapshots ---- */

/* ?1: the stretch's new number, ?2: its old one, ?3, ?4: from and to, ?5: the first new number of a chunk. */
#define CHUNKS_OF(log, database)                                                                             \
    "INSERT INTO chunk_place SELECT ?5 - 1 + row_number() OVER (ORDER BY id), " log ", id, ?1,"              \
    "  max(from_us, ?3), first_event, first_name, from_us < ?3 FROM " database ".chunk WHERE stretch = ?2"   \
    "  AND from_us <= ?4 AND id >= coalesce((SELECT max(id) FROM " database ".chunk WHERE stretch = ?2"      \
    "  AND from_us <= ?3), 0)"

static bool place_chunks(struct completing *c)
{
    bool fine = true;
    for (size_t i = 0; fine && i < c->part_count; i++) {
        const struct stretch_part *part = &c->parts[i];
        const int64_t numbers[] = {part->number, part->old, part->from_us, part->to_us, c->next_chunk};
        int64_t count = 0;
        if (part->same) {
            fine = sql_ask_of(c->db, "SELECT max(id) + 1 FROM main.chunk WHERE stretch = ?", part->old,
                              &c->next_chunk);
            continue;
        }
        fine = run_of(c->db, part->log ? CHUNKS_OF("1", "logs") : CHUNKS_OF("0", "main"), numbers, 5) &&
               sql_ask(c->db, "SELECT changes()", &count);
        c->next_chunk += count;
        /* Its first event by its new number: the first one placed of this part that is no earlier. */
        const int64_t range[] = {part->number, part->first, part->end, part->log};
        fine = fine &&
               run_of(c->db,
                      "UPDATE chunk_place SET first_event = coalesce((SELECT min(p.new) FROM place p  WHERE "
                      "p.log = ?4 AND p.old >= first_event AND p.new >= ?2 AND p.new < ?3), ?3)  WHERE "
                      "stretch = ?1",
                      range, 4) &&
               run_of(c->db,
                      "UPDATE chunk_place SET first_event = ?2 WHERE new = (SELECT min(new) FROM chunk_place"
                      "  WHERE stretch = ?1)",
                      range, 2);
    }
    return fine;
}

static const char *const write_chunks[] = {
    /* Names of the logs are not named anew: they stay as long as any that is there now. */
    "UPDATE chunk_place SET first_name = coalesce((SELECT max(first_name) FROM chunk_place q  WHERE q.log = "
    "0 AND q.new < chunk_place.new), (SELECT max(first_name) FROM main.chunk  WHERE id < (SELECT min(new) "
    "FROM chunk_place)), 1) WHERE log = 1",
    /* One that was cut has its beginning before the cut, and the rest behind it: the same snapshot. */
    "INSERT INTO main.chunk SELECT -p.new, p.stretch, p.from_us, p.first_event, p.first_name, c.picture_size,"
    "  c.picture, c.patches_size, c.patches FROM chunk_place p JOIN main.chunk c ON c.id = p.old  WHERE "
    "p.log = 0 AND p.copy",
    "INSERT INTO main.chunk SELECT -p.new, p.stretch, p.from_us, p.first_event, p.first_name, c.picture_size,"
    "  c.picture, c.patches_size, c.patches FROM chunk_place p JOIN logs.chunk c ON c.id = p.old WHERE p.log "
    "= 1",
    "DELETE FROM main.chunk WHERE id >= (SELECT min(old) FROM chunk_place WHERE log = 0)  AND id NOT IN "
    "(SELECT old FROM chunk_place WHERE log = 0 AND NOT copy)",
    "UPDATE main.chunk SET id = -p.new, stretch = p.stretch, first_event = p.first_event FROM chunk_place p"
    "  WHERE p.log = 0 AND NOT p.copy AND p.old = chunk.id",
    "UPDATE main.chunk SET id = -id WHERE id < 0", NULL};

/* ---- stretches, gaps and tenures ---- */

/* An own time in its new stretch: of one that was cut the part that holds it. */
#define STRETCH_NOW(stretch, at)                                                                             \
    "coalesce((SELECT new FROM stretch_place WHERE log = 0 AND old = " stretch " AND from_us <= " at         \
    " ORDER BY new DESC LIMIT 1), (SELECT min(new) FROM stretch_place WHERE log = 0 AND old = " stretch      \
    "), " stretch ")"

/* ?1: the cluster, ?2: added to the numbers of names. */
static const char *const write_lines[] = {
    "CREATE TEMP TABLE line AS SELECT election, " STRETCH_NOW(
        "tenure.stretch", "tenure.from_us") " AS stretch, kind, candidate,  identity, from_us, from_exact, "
                                            "to_us, source, id, election IN (SELECT own FROM same_election) "
                                            "AS ours  FROM main.tenure",
    /* What is filled now is known. */
    "DELETE FROM line WHERE ours AND kind = 'gap' AND EXISTS (SELECT 1 FROM filled f WHERE  line.from_us >= "
    "f.from_us - 1000000 AND line.from_us < f.to_us AND line.to_us <= f.to_us + 1000000)",
    "DELETE FROM line WHERE ours AND EXISTS (SELECT 1 FROM filled f WHERE line.from_us >= f.from_us  AND "
    "line.from_us < f.to_us AND coalesce(line.to_us, 0) <= f.to_us)",
    "INSERT INTO line SELECT l.election, f.stretch + 1, l.kind, l.candidate, l.identity, f.to_us, 0, l.to_us,"
    "  l.source, l.id, 1 FROM filled f JOIN line l ON l.ours AND l.stretch = f.stretch - 1  AND l.from_us < "
    "f.from_us AND coalesce(l.to_us, f.to_us + 1) > f.to_us  JOIN stretch_place a ON a.new = f.stretch - 1 "
    "JOIN stretch_place b ON b.new = f.stretch + 1  AND b.old = a.old AND NOT a.log AND NOT b.log",
    "UPDATE line SET to_us = f.from_us FROM filled f WHERE line.ours AND line.from_us < f.from_us  AND "
    "coalesce(line.to_us, f.to_us) > f.from_us AND line.stretch = f.stretch - 1",
    "UPDATE line SET from_us = f.to_us, from_exact = 0 FROM filled f WHERE line.ours  AND line.from_us >= "
    "f.from_us AND line.from_us < f.to_us",
    "INSERT INTO line SELECT s.own, f.stretch, t.kind, " NAME("t.candidate") ", " NAME(
        "t.identity") ",  max(t.from_us, f.from_us), t.from_exact AND t.from_us >= f.from_us,  "
                      "min(coalesce(t.to_us, f.to_us), f.to_us), 1, 0, 1 FROM filled f JOIN logs.tenure t"
                      "  ON t.from_us < f.to_us AND coalesce(t.to_us, f.to_us) > f.from_us JOIN "
                      "same_election s ON s.log = t.election",
    "DELETE FROM main.tenure",
    "INSERT INTO main.tenure (election, id, stretch, kind, candidate, identity, from_us, from_exact, to_us, "
    "source)  SELECT election, row_number() OVER (PARTITION BY election ORDER BY stretch, id, from_us), "
    "stretch, kind,  candidate, identity, from_us, from_exact, to_us, source FROM line",
    NULL};

static const char *const write_stretches[] = {
    "UPDATE main.stretch SET id = -(SELECT min(new) FROM stretch_place p WHERE NOT p.log AND p.old = "
    "stretch.id)  WHERE id IN (SELECT old FROM stretch_place WHERE NOT log AND cut)",
    "INSERT INTO main.stretch SELECT -p.new, p.from_us, p.to_us, '" STRETCH_AGAIN
    "', s.recorder  FROM stretch_place p JOIN main.stretch s ON s.id = -(SELECT min(new) FROM stretch_place q"
    "  WHERE NOT q.log AND q.old = p.old) WHERE NOT p.log AND p.cut AND p.new <> -s.id",
    "UPDATE main.stretch SET from_us = p.from_us, to_us = p.to_us FROM stretch_place p  WHERE NOT p.log AND "
    "p.cut AND p.new = -stretch.id",
    "INSERT INTO main.stretch SELECT -p.new, p.from_us, p.to_us, '" STRETCH_LOGS
    "', s.recorder  FROM stretch_place p JOIN logs.stretch s ON s.id = p.old WHERE p.log",
    "UPDATE main.stretch SET id = -id WHERE id < 0",
    NULL};

/* ---- gaps ---- */

struct gap_line {
    int64_t cluster, stretch, from_us, to_us; /* 0: of all; not said; ...; it goes on */
    char why[64];
};

struct gap_lines {
    struct gap_line *of;
    size_t count, room;
};

static void keep_gap(struct gap_lines *gaps, struct gap_line gap)
{
    if (gap.to_us != 0 && gap.to_us <= gap.from_us)
        return;
    room_for_one(&gaps->of, gaps->count, &gaps->room, sizeof *gaps->of);
    gaps->of[gaps->count++] = gap;
}

/* What nothing fills of it. */
static void keep_rest(const struct completing *c, struct gap_lines *gaps, struct gap_line gap)
{
    for (size_t i = 0; i < c->gap_count; i++) {
        const struct unwatched *u = &c->gaps[i];
        if (u->from_us >= (gap.to_us ? gap.to_us : INT64_MAX) || u->to_us <= gap.from_us)
            continue;
        struct gap_line before = gap;
        before.to_us = u->from_us;
        keep_gap(gaps, before);
        if (gap.to_us && u->to_us >= gap.to_us)
            return;
        gap.from_us = u->to_us;
    }
    keep_gap(gaps, gap);
}

static bool is_touched(const struct completing *c, const struct gap_line *gap)
{
    for (size_t i = 0; i < c->gap_count; i++)
        if (c->gaps[i].from_us < (gap->to_us ? gap->to_us : INT64_MAX) && c->gaps[i].to_us > gap->from_us)
            return true;
    return false;
}

/* One of all clusters that is filled for this one is still one of the others. */
static bool keep_for_others(struct completing *c, struct gap_lines *gaps, struct gap_line gap)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(c->db, "SELECT id FROM main.cluster WHERE id <> ?", -1, &statement, NULL);
    if (code == SQLITE_OK)
        sqlite3_bind_int64(statement, 1, c->cluster);
    while (code == SQLITE_OK && sql_next(statement, 0) == SQLITE_ROW) {
        gap.cluster = sql_number(statement, 0);
        keep_gap(gaps, gap);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK;
}

static bool read_gaps(struct completing *c, const char *sql,
                      bool (*keep)(struct completing *, struct gap_lines *, struct gap_line),
                      struct gap_lines *gaps)
{
    sqlite3_stmt *statement = NULL;
    bool fine = true;
    int code = sqlite3_prepare_v2(c->db, sql, -1, &statement, NULL);
    while (fine && code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        struct gap_line gap = {sql_number(statement, 0), sql_number(statement, 1), sql_number(statement, 2),
                               sql_number(statement, 3), ""};
        const char *why = sql_text(statement, 4);
        snprintf(gap.why, sizeof gap.why, "%s", why ? why : "");
        fine = keep(c, gaps, gap);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return fine && code == SQLITE_DONE;
}

static bool keep_own(struct completing *c, struct gap_lines *gaps, struct gap_line gap)
{
    bool ours = gap.cluster == 0 || gap.cluster == c->cluster;
    if (!ours || !is_touched(c, &gap)) {
        keep_gap(gaps, gap);
        return true;
    }
    if (gap.cluster == 0 && c->clusters > 1) {
        if (!keep_for_others(c, gaps, gap))
            return false;
        gap.cluster = c->cluster;
    }
    keep_rest(c, gaps, gap);
    return true;
}

/* Transactions that are in no log. */
static bool keep_logs(struct completing *c, struct gap_lines *gaps, struct gap_line gap)
{
    gap.cluster = c->cluster;
    for (size_t i = 0; i < c->part_count; i++) {
        const struct stretch_part *part = &c->parts[i];
        if (!part->log || part->old != gap.stretch)
            continue;
        struct gap_line clipped = gap;
        clipped.stretch = part->number;
        clipped.from_us = gap.from_us > part->from_us ? gap.from_us : part->from_us;
        clipped.to_us = gap.to_us && gap.to_us < part->to_us ? gap.to_us : part->to_us;
        keep_gap(gaps, clipped);
    }
    return true;
}

static bool write_gaps(struct completing *c)
{
    struct gap_lines gaps = {0};
    int64_t number;
    bool fine = read_gaps(c, "SELECT cluster, stretch, from_us, to_us, why FROM main.gap ORDER BY id",
                          keep_own, &gaps);
    for (size_t i = 0; fine && i < gaps.count; i++)
        if (gaps.of[i].stretch != 0) {
            char *sql = sqlite3_mprintf("SELECT " STRETCH_NOW("%lld", "%lld"), (long long)gaps.of[i].stretch,
                                        (long long)gaps.of[i].from_us, (long long)gaps.of[i].stretch,
                                        (long long)gaps.of[i].stretch);
            fine = sql && sql_ask(c->db, sql, &number);
            sqlite3_free(sql);
            gaps.of[i].stretch = number;
        }
    fine = fine && read_gaps(c,
                             "SELECT cluster, stretch, from_us, to_us, why FROM logs.gap WHERE stretch IS "
                             "NOT NULL ORDER BY id",
                             keep_logs, &gaps);
    for (size_t i = 0; fine && c->clusters > 1 && i < c->part_count; i++)
        if (c->parts[i].log)
            fine = keep_for_others(c, &gaps,
                                   (struct gap_line){0, c->parts[i].number, c->parts[i].from_us,
                                                     c->parts[i].to_us, "not recording"});
    fine = fine && sql_run(c->db, "DELETE FROM main.gap");
    sqlite3_stmt *statement = NULL;
    fine = fine &&
           sqlite3_prepare_v2(
               c->db, "INSERT INTO main.gap (cluster, stretch, from_us, to_us, why) VALUES (?, ?, ?, ?, ?)",
               -1, &statement, NULL) == SQLITE_OK;
    for (size_t i = 0; fine && i < gaps.count; i++) {
        const struct gap_line *gap = &gaps.of[i];
        sql_bind_known(statement, 1, gap->cluster, gap->cluster != 0);
        sql_bind_known(statement, 2, gap->stretch, gap->stretch != 0);
        sqlite3_bind_int64(statement, 3, gap->from_us);
        sql_bind_known(statement, 4, gap->to_us, gap->to_us != 0);
        sql_bind_text(statement, 5, gap->why);
        fine = sql_done(statement);
    }
    sqlite3_finalize(statement);
    free(gaps.of);
    return fine;
}

/* ---- the whole ---- */

/* ?1: the cluster, ?2: added to the numbers of names. */
static const char *const write_rest[] = {
    "INSERT INTO main.name SELECT id + ?2, text FROM logs.name WHERE id IN (  SELECT e.candidate FROM place "
    "p JOIN logs.event e ON e.id = p.old WHERE p.log = 1  UNION SELECT e.identity FROM place p JOIN "
    "logs.event e ON e.id = p.old WHERE p.log = 1  UNION SELECT e.other FROM place p JOIN logs.event e ON "
    "e.id = p.old WHERE p.log = 1  UNION SELECT e.other_identity FROM place p JOIN logs.event e ON e.id = "
    "p.old WHERE p.log = 1  UNION SELECT candidate FROM "
    "logs.failover UNION SELECT identity FROM logs.failover  UNION SELECT other FROM logs.failover UNION "
    "SELECT other_identity FROM logs.failover  UNION SELECT candidate FROM logs.tenure "
    "UNION SELECT identity FROM logs.tenure)",
    "DELETE FROM main.fact WHERE cluster = ?1 AND at_us BETWEEN (SELECT min(from_us) FROM logs.stretch)  AND "
    "(SELECT max(to_us) FROM logs.stretch)",
    "INSERT INTO main.fact (cluster, at_us, kind, zxid, zxid_to, session, owner, path, timeout_ms, began_us, "
    "back_us)  SELECT ?1, at_us, kind, zxid, zxid_to, session, owner, path, timeout_ms, began_us, back_us "
    "FROM logs.fact  ORDER BY id",
    "DELETE FROM main.digest", NULL};

static bool write_filled(struct completing *c)
{
    bool fine = true;
    for (size_t i = 0; fine && i < c->part_count; i++)
        if (c->parts[i].log)
            fine = run_of(c->db, "INSERT INTO filled VALUES (?1, ?2, NULL, ?3)",
                          (int64_t[]){c->parts[i].from_us, c->parts[i].to_us, c->parts[i].old}, 3);
    return fine;
}

static bool digest_all(sqlite3 *db)
{
    int64_t now_us, hour = 0, before = -1;
    bool fine = sql_ask(db, "SELECT max(to_us) FROM main.stretch", &now_us);
    while (fine && digest_is_due(now_us, hour) && hour != before) {
        before = hour;
        fine = digest_hour(db, now_us, &hour);
    }
    return fine;
}

static bool count_done(struct completing *c)
{
    int64_t certain = 0, added = 0, absent = 0; // the query that fails leaves the rest
    bool fine =
        sql_ask(c->db,
                "SELECT count(*) FROM pair p JOIN main.failover f ON f.event = p.own JOIN logs.failover l"
                " ON l.event = p.log WHERE l.certainty = 'certain' AND l.cause <> 'unknown' AND (f.cause <> "
                "l.cause OR f.certainty <> 'certain')",
                &certain) &&
        sql_ask(c->db, "SELECT count(*) FROM fresh WHERE event IN (SELECT id FROM taken)", &added) &&
        sql_ask(c->db,
                "SELECT count(*) FROM own_loss o WHERE event NOT IN (SELECT own FROM pair) AND event NOT IN "
                "(SELECT event FROM replaced) AND EXISTS (SELECT 1 FROM logs.stretch s WHERE o.lost_us - "
                "o.gap_us > s.from_us AND o.lost_us < s.to_us)",
                &absent);
    c->done->certain = (size_t)certain;
    c->done->added = (size_t)added;
    c->done->absent = (size_t)absent;
    return fine;
}

/* Logs of another cluster would make a mess of the recording. */
static bool is_same_cluster(struct completing *c, char **error)
{
    int64_t pairs, absent;
    if (!sql_ask(c->db, "SELECT count(*) FROM pair", &pairs) ||
        !sql_ask(c->db,
                 "SELECT count(*) FROM own_loss o WHERE o.gap_us = 0 AND EXISTS (SELECT 1 FROM logs.stretch s"
                 " WHERE o.lost_us > s.from_us AND o.lost_us < s.to_us)",
                 &absent))
        return false;
    if (pairs > 0 || absent == 0)
        return true;
    *error = text_format(
        "%s: the logs contain none of its %lld failovers of that time; are they from this cluster?", c->file,
        (long long)absent);
    return false;
}

static bool complete_rows(struct completing *c, char **error)
{
    const int64_t numbers[] = {c->cluster, c->names};
    return complete_run_all(c->db, add_elections, numbers, 2) &&
           complete_run_all(c->db, match_elections, numbers, 2) &&
           complete_run_all(c->db, match_failovers, NULL, 0) && is_same_cluster(c, error) &&
           complete_run_all(c->db, prepare_places, NULL, 0) && read_own(c) && plan_parts(c) &&
           write_filled(c) && complete_run_all(c->db, choose_events, NULL, 0) && count_done(c) &&
           place_events(c) &&
           run_of(c->db,
                  "UPDATE filled SET stretch = (SELECT new FROM stretch_place p WHERE p.log = 1 AND "
                  "p.from_us = filled.from_us AND p.to_us = filled.to_us)",
                  NULL, 0) &&
           place_chunks(c) && complete_run_all(c->db, write_events, numbers, 2) &&
           complete_run_all(c->db, write_causes, NULL, 0) && complete_run_all(c->db, write_chunks, NULL, 0) &&
           complete_run_all(c->db, write_lines, numbers, 2) && write_gaps(c) &&
           complete_run_all(c->db, write_stretches, NULL, 0) &&
           complete_run_all(c->db, write_rest, numbers, 2) && digest_all(c->db);
}

/* The patches of the chunk that was recorded last, in one piece, as those of all others are. */
static bool close_last_chunk(sqlite3 *db)
{
    struct writer_sql *rows = writer_sql_new();
    writer_sql_open(rows, db);
    bool fine = writer_sql_end_tenures(rows) && writer_sql_close_chunk(rows);
    writer_sql_free(rows);
    return fine;
}

static bool close_logs(const char *logs)
{
    sqlite3 *db = NULL;
    bool fine = sqlite3_open_v2(logs, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
                sql_run(db, "BEGIN IMMEDIATE") && close_last_chunk(db) && sql_run(db, "COMMIT");
    sqlite3_close(db);
    return fine;
}

static bool attach(sqlite3 *db, const char *logs)
{
    char *sql = sqlite3_mprintf("ATTACH %Q AS logs", logs);
    bool fine = sql && sql_run(db, sql);
    sqlite3_free(sql);
    return fine;
}

static bool cluster_id(sqlite3 *db, const char *cluster, int64_t *id)
{
    char *sql = sqlite3_mprintf("SELECT id FROM main.cluster WHERE name = %Q", cluster);
    bool fine = sql && sql_ask(db, sql, id) && *id != 0;
    sqlite3_free(sql);
    return fine;
}

static bool complete_open(struct completing *c, const char *logs, const char *cluster, char **error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(c->file, &c->db, flags, NULL) != SQLITE_OK)
        return false;
    if (recording_open_is_cut(c->db, c->file)) {
        *error = schema_damaged(c->file);
        return false;
    }
    sqlite3_busy_timeout(c->db, BUSY_MS);
    return schema_prepare(c->db, c->file, true, error) && close_logs(logs) && attach(c->db, logs) &&
           cluster_id(c->db, cluster, &c->cluster) &&
           sql_ask(c->db, "SELECT count(*) FROM main.cluster", &c->clusters) &&
           sql_ask(c->db,
                   "SELECT max(coalesce((SELECT max(id) FROM main.name), 0), coalesce((SELECT "
                   "max(first_name) FROM main.chunk), 1) - 1)",
                   &c->names) &&
           sql_ask(c->db, "SELECT coalesce(min(id), 1) FROM main.chunk", &c->next_chunk) &&
           sql_ask(c->db, "SELECT coalesce(min(stretch), 1) FROM main.chunk", &c->next_stretch);
}

bool recording_complete(const char *file, const char *logs, const char *cluster, struct completion *done,
                        char **error)
{
    struct completing c = {.done = done};
    char *real = NULL;
    *error = NULL;
    *done = (struct completion){0};
    int lock = recording_file_take(file, &real, error);
    if (lock < 0)
        return false;
    c.file = real;
    bool fine = complete_open(&c, logs, cluster, error) && sql_run(c.db, "BEGIN IMMEDIATE") &&
                close_last_chunk(c.db) && complete_rows(&c, error) && sql_run(c.db, "COMMIT");
    if (!fine && !*error)
        *error = schema_error(c.db, c.file);
    if (c.db && !sqlite3_get_autocommit(c.db))
        sql_run(c.db, "ROLLBACK");
    sqlite3_close(c.db);
    close(lock);
    free(c.own);
    free(c.gaps);
    free(c.parts);
    free(real);
    return fine;
}

bool recording_ahead(const char *file, const char *logs, const char *cluster, int64_t *ahead_us, char **error)
{
    sqlite3 *db = NULL;
    int64_t id;
    *error = NULL;
    bool fine = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
                attach(db, logs) && cluster_id(db, cluster, &id) &&
                complete_run_all(db, match_elections, &id, 1) && sql_ask(db, AHEAD, ahead_us);
    if (!fine)
        *error = schema_error(db, file);
    sqlite3_close(db);
    return fine;
}

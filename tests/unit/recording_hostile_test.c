/* Proves that a recording that somebody made to do harm is refused with a message: in bounded memory and
 * time, and with no arithmetic that overflows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/history/history.h"
#include "probe/history/recording_file.h"
#include "probe/json/json_event.h"
#include "probe/json/json_snapshot.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"

/* A sanitizer keeps what was freed for a while. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_MOST_KB (400 << 10)
#else
#define MEMORY_MOST_KB (64 << 10)
#endif

static const struct attack {
    const char *what, *sql, *said; /* said NULL: what it holds may be read, or not */
} attacks[] = {
    {"tables of others, as `.recover` leaves them",
     "CREATE TABLE more(a); CREATE VIRTUAL TABLE words USING fts5(a)", NULL},
    {"a view with any number of rows in place of a table",
     "DROP TABLE election; CREATE VIEW election AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
     " FROM n) SELECT i AS id, 1 AS cluster, '/e' || i AS path, 'e' AS name, 'leader' AS kind, NULL AS recipe"
     " FROM n",
     "its tables are not those of a recording"},
    {"a virtual table",
     "DROP TABLE gap; CREATE VIRTUAL TABLE gap USING fts5(id, cluster, stretch, from_us, to_us, why)",
     "its tables are not those of a recording"},
    {"a computed column",
     "ALTER TABLE event ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000000))) VIRTUAL",
     "its tables are not those of a recording"},
    {"an index whose expression runs whenever something is recorded",
     "CREATE INDEX more ON event (length(hex(zeroblob(1000))))", "its tables are not those of a recording"},
    {"a trigger that runs whenever something is recorded",
     "CREATE TRIGGER more AFTER INSERT ON event BEGIN DELETE FROM event; END",
     "its tables are not those of a recording"},
    {"the last moment there is", "UPDATE stretch SET to_us = 9223372036854775807", "is damaged"},
    {"the first moment there is", "UPDATE chunk SET from_us = -9223372036854775808", "is damaged"},
    {"a number that is none", "UPDATE stretch SET to_us = 9e300", "is damaged"},
    {"a text in place of a number", "UPDATE stretch SET to_us = x'39323233333732303336383534373735383037'",
     NULL},
    {"events at the end of time", "UPDATE event SET at_us = 9223372036854775807", NULL},
    {"failovers at the end of time",
     "UPDATE failover SET elected_us = 9223372036854775807, mono_us = 9223372036854775807,"
     " total_high_us = 9223372036854775807",
     NULL},
    {"tenures at both ends of time",
     "UPDATE tenure SET from_us = -9223372036854775808, to_us = 9223372036854775807", NULL},
    {"gaps without an end",
     "INSERT INTO gap (cluster, stretch, from_us, to_us, why) VALUES"
     " (1, 1, -9223372036854775808, 9223372036854775807, 'not connected')",
     NULL},
    {"event numbers at the end", "UPDATE chunk SET first_event = 9223372036854775807", "is damaged"},
    {"names of five megabytes", "UPDATE name SET text = printf('%.*c', 5000000, 'x')", NULL},
    {"paths of five megabytes",
     "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO election"
     " SELECT i, 1, '/' || i || printf('%.*c', 5000000, 'x'), 'e', 'leader', NULL FROM n",
     "is damaged"},
    {"a picture that unpacks to more than it may", "UPDATE chunk SET picture_size = 400000000", "is damaged"},
    {"patches that unpack to more than they may",
     "UPDATE chunk SET patches = picture, patches_size = 400000000", NULL},
};

static bool ignore_event(void *context, const struct event *event)
{
    json_event_write(context, event);
    buffer_clear(context);
    return true;
}

static bool ignore_failover(void *context, const struct election *election, const struct failover *failover)
{
    (void)context, (void)election, (void)failover;
    return true;
}

static bool ignore_stretch(void *context, const struct history_stretch *stretch)
{
    (void)context, (void)stretch;
    return true;
}

/* Everything that screens and reports ask of it. *said: the first complaint; NULL: none. */
static void read_all(const struct recorded *world, char **said)
{
    char *error = NULL;
    *said = NULL;
    struct history *history = history_open(world->file, &error);
    if (!history) {
        *said = error;
        return;
    }
    int64_t from_us = 0, to_us = 0;
    struct buffer json = {0};
    struct failover_stats stats;
    const struct history_filter filter = {.election = "/election"};
    bool watched[10];
#define KEEP(call)                                                                                           \
    do {                                                                                                     \
        error = NULL;                                                                                        \
        if (!(call) && !*said)                                                                               \
            *said = error;                                                                                   \
        else                                                                                                 \
            free(error);                                                                                     \
    } while (0)
    KEEP(history_bounds(history, &from_us, &to_us, &error));
    KEEP(history_events(history, NULL, INT64_MIN, INT64_MAX, ignore_event, &json, &error));
    KEEP(history_failovers(history, NULL, INT64_MIN, INT64_MAX, ignore_failover, NULL, &error));
    KEEP(history_statistics(history, &filter, from_us, to_us, &stats, &error));
    KEEP(history_stretches(history, "prod", "/election", from_us, to_us, ignore_stretch, NULL, &error));
    history_watched(history, from_us, to_us, 10, watched);
    for (int i = 0; i <= 10; i++) {
        int64_t at_us = from_us + (to_us - from_us) / 10 * i, next_us;
        const struct model *model = NULL;
        KEEP((model = history_at(history, at_us, &error)) != NULL);
        if (model)
            json_snapshot_write(&json, model, model->now, NULL, NULL);
        buffer_clear(&json);
        history_step(history, NULL, at_us, true, &next_us);
        history_step(history, NULL, at_us, false, &next_us);
    }
    buffer_free(&json);
    history_close(history);
}

static long memory_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(attacks_are_refused)
{
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        struct recorded *world = recorded_begin();
        recorded_changes(world, 5);
        recorded_stop(world);
        recorded_change(world, attacks[i].sql);
        long before = memory_kb();
        char *said = NULL;
        read_all(world, &said);
        if (attacks[i].said && (!said || !strstr(said, attacks[i].said) || !strstr(said, world->file)))
            fail_msg("%s: %s", attacks[i].what, said ? said : "not refused");
        if (memory_kb() - before > MEMORY_MOST_KB)
            fail_msg("%s: %ld MB", attacks[i].what, (memory_kb() - before) >> 10);
        free(said);
        recorded_free(world);
    }
}

/* A pipe in place of a file that SQLite keeps beside it, or of the lock. */
TEST(a_pipe_beside_it_blocks_nobody)
{
    static const char *const suffixes[] = {"-journal", "-wal", "-shm", ".lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct recorded *world = recorded_begin();
        char pipe[100], *said = NULL;
        recorded_changes(world, 2);
        recorded_stop(world);
        snprintf(pipe, sizeof pipe, "%s%s", world->file, suffixes[i]);
        unlink(pipe);
        assert_int_equal(mkfifo(pipe, 0600), 0);
        alarm(30);
        read_all(world, &said);
        recording_file_is_taken(world->file);
        alarm(0);
        assert_true(i > 0 || (said && strstr(said, "no recording of electop has such a journal")));
        free(said);
        unlink(pipe);
        recorded_free(world);
    }
}

/* Nor is anything recorded into such a file. */
TEST(nothing_is_recorded_there)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 1);
    recorded_stop(world);
    recorded_change(world, "CREATE TRIGGER more AFTER INSERT ON event BEGIN DELETE FROM stretch; END");
    char *error = NULL;
    assert_null(recorder_new(world->model, world->file, KEEP_LONG_MS, &error));
    assert_non_null(strstr(error, "its tables are not those of a recording"));
    free(error);
    /* A number beyond which there is none is no reason to fail for ever, or to write nonsense. */
    recorded_change(world, "DROP TRIGGER more; UPDATE chunk SET first_event = 9223372036854775807");
    world->recorder = recorder_new(world->model, world->file, KEEP_LONG_MS, &error);
    if (world->recorder) {
        recorder_flush(world->recorder);
        assert_false(recorder_stop(world->recorder, &error));
        world->recorder = NULL;
    }
    assert_non_null(strstr(error, "is damaged"));
    free(error);
    recorded_free(world);
}

static void put_big(unsigned char *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* SQLite deletes the file that a hot rollback journal names as that of a transaction over several databases. */
TEST(a_journal_deletes_no_other_file)
{
    struct recorded *world = recorded_begin();
    char journal[100], victim[100], *error = NULL;
    recorded_changes(world, 1);
    recorded_stop(world);
    snprintf(journal, sizeof journal, "%s-journal", world->file);
    snprintf(victim, sizeof victim, "%s.thesis", world->file);
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    struct stat status;
    assert_int_equal(stat(world->file, &status), 0);
    unsigned char head[512] = {0};
    uint32_t sum = 0, length = (uint32_t)strlen(victim);
    const uint32_t page = 4096, words[] = {0, 1, (uint32_t)status.st_size / page, 512, page};
    memcpy(head, magic, sizeof magic);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_big(head + 8 + 4 * i, words[i]);
    for (const char *c = victim; *c; c++)
        sum += (unsigned char)*c;
    unsigned char before[4], after[8];
    put_big(before, 0x40000000 / page + 1);
    put_big(after, length);
    put_big(after + 4, sum);
    FILE *out = fopen(journal, "wb"), *thesis = fopen(victim, "w");
    assert_true(out && thesis && fputs("my thesis", thesis) >= 0);
    fclose(thesis);
    fwrite(head, 1, sizeof head, out);
    fwrite(before, 1, sizeof before, out);
    fwrite(victim, 1, length, out);
    fwrite(after, 1, sizeof after, out);
    fwrite(magic, 1, sizeof magic, out);
    fclose(out);
    assert_null(recorder_new(world->model, world->file, KEEP_LONG_MS, &error));
    assert_non_null(strstr(error, "no recording of electop has such a journal"));
    free(error);
    assert_null(history_open(world->file, &error));
    assert_non_null(strstr(error, "no recording of electop has such a journal"));
    free(error);
    /* As it is beside a recording that had only begun, which goes on. */
    assert_int_equal(truncate(world->file, 0), 0);
    assert_null(recorder_new(world->model, world->file, KEEP_LONG_MS, &error));
    free(error);
    assert_int_equal(truncate(journal, 600), 0);
    struct recorder *recorder = recorder_new(world->model, world->file, KEEP_LONG_MS, &error);
    assert_non_null(recorder);
    assert_true(recorder_stop(recorder, &error));
    assert_int_equal(access(victim, F_OK), 0);
    unlink(victim);
    unlink(journal);
    recorded_free(world);
}

/* Proves that a recording is read where nothing may be written, with all that was recorded, and that what
   stands in the way of that is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "tests/support/recorded.h"
#include "tests/support/test.h"

#define NOBODY 65534

/* From here on the process may not write where its owner may; or may again. */
static void become(uid_t user)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(user), 0);
}

static void copy(const char *from, const char *to)
{
    char bytes[65536];
    size_t count;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(in);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(to, 0644), 0);
}

struct recording_fixture {
    struct recorded *world;
    char original[80], folder[72], ahead[160];
};

/* A recording as it stands while somebody records, with the end of it beside its file, copied into a folder
   that may not be written. */
static struct recording_fixture place_new(void)
{
    struct recording_fixture place = {.world = recorded_begin()};
    char ahead[160];
    recorded_changes(place.world, 20);
    recorder_flush(place.world->recorder);
    uv_sleep(1200); /* a commit is due every half second */
    snprintf(place.original, sizeof place.original, "%s", place.world->file);
    snprintf(place.folder, sizeof place.folder, "%s/copy", place.world->folder);
    assert_int_equal(chmod(place.world->folder, 0755), 0);
    assert_int_equal(mkdir(place.folder, 0755), 0);
    snprintf(place.world->file, sizeof place.world->file, "%s/h.db", place.folder);
    copy(place.original, place.world->file);
    snprintf(ahead, sizeof ahead, "%s-wal", place.original);
    snprintf(place.ahead, sizeof place.ahead, "%s-wal", place.world->file);
    copy(ahead, place.ahead);
    struct stat status;
    assert_true(stat(place.ahead, &status) == 0 && status.st_size > 0);
    assert_int_equal(chmod(place.folder, 0555), 0);
    return place;
}

static void place_free(struct recording_fixture *place)
{
    become(0);
    chmod(place->folder, 0755);
    snprintf(place->world->file, sizeof place->world->file, "%s/h.db", place->folder);
    unlink(place->world->file);
    unlink(place->ahead);
    rmdir(place->folder);
    snprintf(place->world->file, sizeof place->world->file, "%s", place->original);
    recorded_free(place->world);
}

/* What was not taken over into the file yet is read from beside it, and neither is changed. */
TEST(reads_a_copy_that_may_not_be_written)
{
    struct recording_fixture place = place_new();
    struct stat before[2], after[2];
    char shared[160];
    assert_true(stat(place.world->file, &before[0]) == 0 && stat(place.ahead, &before[1]) == 0);
    become(NOBODY);
    struct history *history = recorded_open(place.world);
    recorded_same_events(place.world, history);
    recorded_same_looks(place.world, history, 0, INT64_MAX);
    history_close(history);
    assert_true(stat(place.world->file, &after[0]) == 0 && stat(place.ahead, &after[1]) == 0);
    for (int i = 0; i < 2; i++)
        assert_true(after[i].st_size == before[i].st_size && after[i].st_mtime == before[i].st_mtime);
    snprintf(shared, sizeof shared, "%s-shm", place.world->file);
    assert_int_not_equal(access(shared, F_OK), 0);
    become(0);
    recorded_stop(place.world);
    place_free(&place);
}

/* Of a part that may not be read, its name is said. */
TEST(says_what_may_not_be_read)
{
    struct recording_fixture place = place_new();
    char *error;
    assert_int_equal(chmod(place.ahead, 0), 0);
    become(NOBODY);
    assert_null(history_open(place.world->file, &error));
    if (!strstr(error, place.ahead) || !strstr(error, "permission denied;"))
        fail_msg("%s", error);
    free(error);
    become(0);
    recorded_stop(place.world);
    place_free(&place);
}

static bool count_event(void *context, const struct event *event)
{
    (void)event;
    ++*(size_t *)context;
    return true;
}

static size_t events_in(struct history *history)
{
    size_t count = 0;
    char *error;
    assert_true(history_events(history, NULL, 0, INT64_MAX, count_event, &count, &error));
    return count;
}

/* It was read as one that nobody writes; whoever begins to record into it is seen to. */
TEST(notices_a_recorder_that_begins)
{
    struct recording_fixture place = place_new();
    recorded_stop(place.world);
    become(NOBODY);
    struct history *history = recorded_open(place.world);
    size_t before = events_in(history);
    become(0);
    assert_int_equal(chmod(place.folder, 0755), 0);
    recorded_pass(place.world, 60000);
    recorded_start(place.world, KEEP_LONG_MS);
    recorded_changes(place.world, 3);
    uv_sleep(1200);
    assert_true(events_in(history) > before);
    recorded_stop(place.world);
    history_close(history);
    place_free(&place);
}

/* Proves that a model made of a picture says the same as the model that the picture was taken of. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "probe/election/bystanders.h"
#include "probe/election/election.h"
#include "probe/history/snapshot.h"
#include "probe/json/json_event.h"
#include "probe/json/json_snapshot.h"
#include "tests/support/golden.h"
#include "tests/support/recorded.h"
#include "tests/support/scenes.h"
#include "tests/support/scripted.h"

/* Takes the value of such a key out of a line: what a recording leaves out on purpose. */
static void blank(struct buffer *json, const char *key)
{
    char *at = json->bytes;
    while ((at = strstr(at, key))) {
        at += strlen(key);
        char *end = at + strcspn(at, *at == '{' ? "}" : ",}");
        memset(at, '.', (size_t)(end - at));
        memmove(at, end, strlen(end) + 1);
    }
    json->length = strlen(json->bytes);
}

static char *look(const struct model *model, struct moment at)
{
    struct buffer json = {0};
    json_snapshot_write(&json, model, at);
    buffer_put_char(&json, '\0');
    blank(&json, "\"silent_ms\": ");
    blank(&json, "\"expires_at_latest\": ");
    blank(&json, "\"answer_ms\": ");
    return json.bytes;
}

static void same_look(const struct model *model, const struct snapshot *snapshot)
{
    struct moment now = model->now;
    struct snapshot_model *restored = snapshot_read(snapshot, now.wall_us, 1);
    assert_non_null(restored);
    char *was = look(model, now),
         *is = look(snapshot_model_model(restored), snapshot_model_model(restored)->now);
    assert_string_equal(is, was);
    free(was);
    free(is);
    snapshot_model_free(restored);
}

/* The picture of a writer, and of a reader that has only its patches. */
static void shows_the_same(const struct model *model)
{
    struct snapshot *written = snapshot_new(), *read = snapshot_new();
    struct buffer patch = {0};
    snapshot_update(written, model, &patch);
    assert_true(patch.length > 0);
    assert_true(snapshot_apply(read, patch.bytes, patch.length));
    same_look(model, written);
    same_look(model, read);

    /* Nothing has changed: nothing is written. */
    buffer_clear(&patch);
    snapshot_update(written, model, &patch);
    assert_int_equal(patch.length, 0);

    snapshot_keyframe(written, &patch);
    snapshot_clear(read);
    assert_true(snapshot_apply(read, patch.bytes, patch.length));
    same_look(model, read);
    buffer_free(&patch);
    snapshot_free(written);
    snapshot_free(read);
}

static void every_scene(void **state)
{
    (void)state;
    struct stage *(*const scenes[])(void) = {scene_usual,   scene_chain,   scene_hidden,     scene_clusters,
                                             scene_hostile, scene_nothing, scene_unreachable};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct stage *stage = scenes[i]();
        shows_the_same(stage_model(stage));
        stage_free(stage);
    }
    struct stage *crowd = scene_crowd(1000);
    shows_the_same(stage_model(crowd));
    stage_free(crowd);
    struct model *world = scripted_world();
    shows_the_same(world);
    model_free(world);
}

/* Schemas (schema.h) that brought a new format of pictures; 3 is the first of which some were kept. */
static const int formats[] = {3, 4};

#define KEPT_AT_US INT64_C(1795183402400000) /* 2026-11-20T14:03:22.400Z */
#define SNAPSHOT_MOST 65536

static const struct model *model_of(const struct stage *stage, const struct recorded *world)
{
    return stage ? stage_model(stage) : world->model;
}

static void write_kept(const char *path, const struct model *model)
{
    struct snapshot *snapshot = snapshot_new();
    struct buffer patch = {0};
    snapshot_update(snapshot, model, &patch);
    FILE *file = fopen(path, "wxe");
    if (!file || fwrite(patch.bytes, 1, patch.length, file) != patch.length || fclose(file) != 0)
        fail_msg("%s could not be written", path);
    buffer_free(&patch);
    snapshot_free(snapshot);
}

/* What the recorder of that format wrote. */
static struct snapshot *read_kept(const char *path)
{
    static unsigned char bytes[SNAPSHOT_MOST];
    FILE *file = fopen(path, "re");
    if (!file)
        fail_msg("%s is missing: WRITE_PICTURES=1 writes those that are", path);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(length < sizeof bytes);
    struct snapshot *snapshot = snapshot_new();
    if (!snapshot_apply(snapshot, bytes, length))
        fail_msg("%s cannot be read any more", path);
    return snapshot;
}

/* What a look says, and what it does not: who led, and the failovers. */
static struct buffer all_of(const struct model *model)
{
    struct buffer text = {0};
    char *json = look(model, model->now);
    buffer_put_text(&text, json);
    free(json);
    for (size_t i = 0; i < model->clusters[0].election_count; i++) {
        const struct election *e = model->clusters[0].elections[i];
        for (size_t k = 0; k < e->tenure_count; k++) {
            const struct tenure *tenure = election_tenure_at(e, k);
            buffer_printf(&text, "%" PRId64 " %" PRId64 " %s %s%s%s\n", tenure->from.wall_us,
                          tenure->to.wall_us, tenure->name ? tenure->name : "nobody",
                          tenure->identity ? tenure->identity : "unknown", tenure->from_exact ? "" : " about",
                          tenure->gap ? " gap" : "");
        }
        const struct departure_note *note;
        for (size_t k = 0; (note = departed_at(e, k)); k++)
            buffer_printf(&text, "%s left at %" PRId64 ": %" PRIx64 " of %s%s%s\n", note->name,
                          note->at.wall_us, note->session, note->host, note->led ? ", led" : "",
                          note->alone ? ", alone" : "");
        for (size_t k = 0; k < e->failover_count; k++) {
            struct json_writer writer = json_writer_to(&text, true);
            json_failover_write(&writer, election_failover_at(e, k));
            buffer_put_char(&text, '\n');
        }
    }
    return text;
}

/* Two that held a lock, one after the other. */
static struct stage *scene_departed(void)
{
    static const struct shown both[] = {{.session = 0xa, .client = "10.0.3.7:40001"},
                                        {.session = 0xb, .client = "10.0.3.8:40002"}};
    struct stage *stage = stage_of("/jobs/cleaner", KIND_LOCK);
    for (size_t i = 0; i < 2; i++) {
        const struct stand holder = {"cleaner", both[i].session, i ? "two" : "one", 0};
        stage_node(stage, 0, "/jobs/cleaner", "/jobs/cleaner", &holder);
        stage_pass(stage, 1000000);
        stage_round(stage, 0, "zk1:2181", both, 2);
        stage_pass(stage, 1000000);
        stage_absent(stage, 0, "/jobs/cleaner", "/jobs/cleaner");
    }
    return stage;
}

/*
 * Pictures of older programs say what they said: whoever changes how they are written changes how they are
 * read as well, so that all other tests still pass, and recordings in the field become unreadable, or lie.
 * Then schema.h needs a new number, what reads the old format stays, and the number joins those above.
 */
static void reads_what_older_programs_wrote(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int since; /* what it is there for is of this format */
        struct stage *(*scene)(void);
    } kept[] = {{"chain", 3, scene_chain},
                {"hostile", 3, scene_hostile},
                {"changes", 3, NULL},
                {"departed", 4, scene_departed}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
            char path[64], text[80];
            if (formats[i] < kept[k].since)
                continue;
            snprintf(path, sizeof path, "tests/unit/data/snapshots/%d-%s", formats[i], kept[k].name);
            snprintf(text, sizeof text, "%s.txt", path);
            if (getenv("WRITE_PICTURES") && access(path, F_OK) != 0) {
                struct stage *stage = kept[k].scene ? kept[k].scene() : NULL;
                struct recorded *world = stage ? NULL : recorded_begin();
                if (world) {
                    recorded_changes(world, 3);
                    recorded_stop(world);
                }
                write_kept(path, model_of(stage, world));
                stage ? stage_free(stage) : recorded_free(world);
            }
            struct snapshot *snapshot = read_kept(path);
            struct snapshot_model *restored = snapshot_read(snapshot, KEPT_AT_US, 1);
            if (!restored)
                fail_msg("%s cannot be read any more", path);
            struct buffer all = all_of(snapshot_model_model(restored));
            golden_check(text, &all);
            buffer_free(&all);
            snapshot_model_free(restored);
            snapshot_free(snapshot);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene),
                                       cmocka_unit_test(reads_what_older_programs_wrote)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Proves that a model made of a picture says the same as the model that the picture was taken of. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/bystanders.h"
#include "probe/election/election.h"
#include "probe/history/snapshot.h"
#include "probe/json/json_snapshot.h"
#include "tests/support/scenes.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"

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

/* A moment keeps no failovers: of the latest one it has the times and who it was, no cause and no phases. */
static void blank_failovers(struct buffer *json)
{
    char *at = json->bytes, *end;
    while ((at = strstr(at, "\"cause\": ")) && (end = strstr(at, "\"why_nobody\"")))
        memmove(at, end, strlen(end) + 1);
    json->length = strlen(json->bytes);
}

/* What JSON says of it, and what it does not: who led, and who left. */
static char *look(const struct model *model, struct moment at)
{
    struct buffer text = {0};
    json_snapshot_write(&text, model, at, NULL, NULL);
    buffer_put_char(&text, '\0');
    blank(&text, "\"silent_ms\": ");
    blank(&text, "\"expires_at_latest\": ");
    blank_failovers(&text);
    blank(&text, "\"answer_ms\": "); /* which leaves the length without the NUL */
    for (size_t c = 0; c < model->cluster_count; c++)
        for (size_t i = 0; i < model->clusters[c].election_count; i++) {
            const struct election *e = model->clusters[c].elections[i];
            for (size_t k = 0; k < e->tenure_count; k++) {
                const struct tenure *tenure = election_tenure_at(e, k);
                buffer_printf(&text, "%" PRId64 " %" PRId64 " %s %s%s%s\n", tenure->from.wall_us,
                              tenure->to.wall_us, tenure->name ? tenure->name : "nobody",
                              tenure->identity ? tenure->identity : "unknown",
                              tenure->from_exact ? "" : " about", tenure->gap ? " gap" : "");
            }
            const struct departure_note *note;
            for (size_t k = 0; (note = departed_at(e, k)); k++)
                if (note->host[0])
                    buffer_printf(&text, "%s left at %" PRId64 ": %" PRIx64 " of %s%s%s\n", note->name,
                                  note->at.wall_us, note->session, note->host, note->led ? ", led" : "",
                                  note->alone ? ", alone" : "");
        }
    buffer_put_char(&text, '\0');
    return text.bytes;
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

TEST(every_scene)
{
    struct stage *(*const scenes[])(void) = {scene_usual,   scene_chain,   scene_hidden,      scene_clusters,
                                             scene_hostile, scene_nothing, scene_unreachable, scene_departed};
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

/* The clocks of servers may be anything, but a recorder's difference from one is not. */
TEST(no_clock_overflows)
{
    struct model *world = scripted_world();
    struct snapshot *written = snapshot_new();
    struct buffer patch = {0};
    world->clusters[0].ahead_us = -1;
    assert_true(cluster_stat_us(&world->clusters[0], 0, INT64_MAX / 1000 - 1) == 0);
    world->clusters[0].ahead_us = INT64_MIN;
    snapshot_update(written, world, &patch);
    assert_null(snapshot_read(written, world->now.wall_us, 1));
    buffer_free(&patch);
    snapshot_free(written);
    model_free(world);
}

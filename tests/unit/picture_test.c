/* Proves that a model made of a picture says the same as the model that the picture was taken of. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe/history/picture.h"
#include "probe/history/thaw.h"
#include "probe/sink/json_look.h"
#include "tests/support/scenes.h"
#include "tests/support/scripted.h"

/* Takes the value of such a key out of a line: what a recording leaves out on purpose. */
static void blank(struct buffer *json, const char *key)
{
    char *at = json->bytes;
    while ((at = strstr(at, key))) {
        at += strlen(key);
        char *end = at + strcspn(at, ",}");
        memset(at, '.', (size_t)(end - at));
        memmove(at, end, strlen(end) + 1);
    }
    json->length = strlen(json->bytes);
}

static char *look(const struct model *model, struct moment at)
{
    struct buffer json = {0};
    json_look_write(&json, model, at);
    buffer_put_char(&json, '\0');
    assert_false(buffer_failed(&json));
    blank(&json, "\"silent_ms\": ");
    blank(&json, "\"expires_at_latest\": ");
    blank(&json, "\"answer_ms\": ");
    return json.bytes;
}

static void same_look(const struct model *model, const struct picture *picture)
{
    struct moment now = model->now;
    struct thawed *thawed = thaw(picture, now.wall_us, 1);
    assert_non_null(thawed);
    char *was = look(model, now), *is = look(thawed_model(thawed), thawed_model(thawed)->now);
    assert_string_equal(is, was);
    free(was);
    free(is);
    thawed_free(thawed);
}

/* The picture of a writer, and of a reader that has only its patches. */
static void shows_the_same(const struct model *model)
{
    struct picture *written = picture_new(), *read = picture_new();
    struct buffer patch = {0};
    assert_true(picture_update(written, model, &patch));
    assert_true(patch.length > 0);
    assert_true(picture_apply(read, patch.bytes, patch.length));
    same_look(model, written);
    same_look(model, read);

    /* Nothing has changed: nothing is written. */
    buffer_clear(&patch);
    assert_true(picture_update(written, model, &patch));
    assert_int_equal(patch.length, 0);

    assert_true(picture_keyframe(written, &patch));
    picture_clear(read);
    assert_true(picture_apply(read, patch.bytes, patch.length));
    same_look(model, read);
    buffer_free(&patch);
    picture_free(written);
    picture_free(read);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

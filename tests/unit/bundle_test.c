/* Proves that a bundle is made while the loop goes on, that it has the bytes of electop bundle, and that nobody waits
 * for one that is not wanted any more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "probe/case/case_file.h"
#include "probe/clock.h"
#include "tests/support/folder.h"
#include "tests/support/scripted.h"
#include "tests/support/test.h"
#include "tui/dashboard/bundle.h"

#define RUNS 500

struct made {
    uv_loop_t loop;
    char folder[40], file[80];
    struct buffer bytes;
    char *error;
    int calls, turns;
    int64_t at_us;
};

static void on_bundle(void *context, const struct buffer *bytes, int64_t until_us, const char *error)
{
    struct made *made = context;
    (void)until_us;
    made->calls++;
    buffer_put(&made->bytes, bytes->bytes, bytes->length);
    made->error = error ? xstrdup(error) : NULL;
}

static void on_turn(uv_timer_t *timer)
{
    struct made *made = timer->data;
    if (made->calls == 0)
        made->turns++;
    else
        uv_close((uv_handle_t *)timer, NULL);
}

/* A case of many runs. */
static int made_begin(void **state)
{
    struct made *made = xcalloc(1, sizeof *made);
    struct buffer block = {0};
    scripted_run(scripted_settings(), &block);
    uv_loop_init(&made->loop);
    made->at_us = scripted_now().wall_us;
    snprintf(made->folder, sizeof made->folder, "/tmp/electop-bundle-XXXXXX");
    folder_make(made->folder);
    snprintf(made->file, sizeof made->file, "%s/a.case", made->folder);
    FILE *file = fopen(made->file, "w");
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(fwrite(block.bytes, 1, block.length, file), block.length);
    fclose(file);
    buffer_free(&block);
    *state = made;
    return 0;
}

static int made_end(void **state)
{
    struct made *made = *state;
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&made->loop), 0);
    folder_remove(made->folder);
    buffer_free(&made->bytes);
    free(made->error);
    free(made);
    return 0;
}

TEST_BETWEEN(the_loop_goes_on, made_begin, made_end)
{
    struct made *made = *state;
    const struct bundle_order order = {
        .case_file = made->file, .settings = scripted_settings(), .at_us = made->at_us, .pseudonyms = true};
    const struct case_part part = {.from_us = made->at_us - CASE_BEFORE_US,
                                   .to_us = made->at_us + CASE_AFTER_US,
                                   .about = {.at_us = made->at_us},
                                   .pseudonyms = true};
    struct buffer alone = {0};
    char *error;
    uv_timer_t timer;
    uv_timer_init(&made->loop, &timer);
    timer.data = made;
    uv_timer_start(&timer, on_turn, 1, 1);
    assert_non_null(bundle_begin(&made->loop, &order, on_bundle, made));
    assert_int_equal(made->calls, 0);
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(made->calls, 1);
    assert_in_range(made->turns, 3, INT32_MAX);
    struct case_reader *reader = case_open(made->file, &error);
    assert_true(case_cut(reader, &part, &alone, &error));
    case_close(reader);
    assert_int_equal(made->bytes.length, alone.length);
    assert_memory_equal(made->bytes.bytes, alone.bytes, alone.length);
    buffer_free(&alone);
}

TEST_BETWEEN(nobody_waits, made_begin, made_end)
{
    struct made *made = *state;
    const struct bundle_order order = {
        .case_file = made->file, .settings = scripted_settings(), .at_us = made->at_us, .pseudonyms = true};
    int64_t begun_us = clock_now().mono_us;
    bundle_end(bundle_begin(&made->loop, &order, on_bundle, made));
    bundle_end(NULL);
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(made->calls, 0);
    assert_in_range(clock_now().mono_us - begun_us, 0, 900000);
}

TEST_BETWEEN(says_why_not, made_begin, made_end)
{
    struct made *made = *state;
    struct bundle_order order = {
        .recording = "/nowhere/history.db", .settings = scripted_settings(), .at_us = 1};
    bundle_begin(&made->loop, &order, on_bundle, made);
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(made->bytes.length, 0);
    assert_non_null(strstr(made->error, "/nowhere/history.db: "));
    free(made->error);
    made->error = NULL;
    order = (struct bundle_order){.case_file = made->file, .settings = scripted_settings(), .at_us = 1};
    bundle_begin(&made->loop, &order, on_bundle, made);
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(made->calls, 2);
    assert_int_equal(made->bytes.length, 0);
    assert_null(made->error);
}

/* What it had renamed nothing of yet is no bundle. */
TEST_BETWEEN(a_run_that_cannot_be_read, made_begin, made_end)
{
    struct made *made = *state;
    char name[] = "own", family[] = "sequence", watches[] = "nothing", candidate[] = "(";
    struct recipe_settings recipe = {name, family, candidate, watches};
    struct settings bad = *scripted_settings();
    struct buffer block = {0};
    bad.recipes = &recipe;
    bad.recipe_count = 1;
    scripted_run(&bad, &block);
    FILE *file = fopen(made->file, "a");
    assert_int_equal(fwrite(block.bytes, 1, block.length, file), block.length);
    fclose(file);
    buffer_free(&block);
    const struct bundle_order order = {
        .case_file = made->file, .settings = scripted_settings(), .at_us = made->at_us, .pseudonyms = true};
    assert_non_null(bundle_begin(&made->loop, &order, on_bundle, made));
    uv_run(&made->loop, UV_RUN_DEFAULT);
    assert_int_equal(made->bytes.length, 0);
    assert_non_null(made->error);
}

/* The screens of a recording, as they should look: who led when, with a vacancy and a time that nobody
   watched, and the moment that is shown. tests/screens/golden/replay-NAME-SIZE.txt. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/support/drawn.h"
#include "tests/support/golden.h"
#include "tests/support/recorded.h"
#include "tests/support/scripted.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"

static const struct shot {
    const char *name, *keys;
} shots[] = {
    {"overview", ""},
    {"before-failover", "<"},
    {"election", "<<~"},
    {"history", "h"},
    {"history-chosen", "hjjj"},
    {"history-near", "hj++"},
    {"history-wide", "h--"},
    {"history-earlier", "h+hh"},
    {"history-jump", "hj~"},
    {"history-before", "<<[h"},
    {"playing", "^p "},
    {"going", "b14:0"},
    {"why", "hjx"},
    {"events", "vjjj"},
    {"event", "vjjj~"},
    {"event-back", "vjjj~!"},
    {"compare", "M<<<Mjj"},
    {"returned", "^$"},
};

static const struct size {
    const char *name;
    int width, height;
    bool ascii;
} sizes[] = {{"80x24", 80, 24, false},
             {"120x36", 120, 36, false},
             {"200x60", 200, 60, false},
             {"80x24-ascii", 80, 24, true}};

static struct moment at_the_end(void *context)
{
    return ((const struct recorded *)context)->now;
}

/* Everybody goes, and comes again: nobody leads for a while. */
static void vacate(struct recorded *world, int64_t ms)
{
    for (int64_t i = world->first; i <= world->last; i++) {
        char path[64];
        snprintf(path, sizeof path, "/election/n_%010d", (int)i);
        fake_tree_delete(world->tree, path);
    }
    fake_tree_list(world->tree, world->model, world->now, "/election", "/election");
    recorder_flush(world->recorder);
    recorded_pass(world, ms);
    world->first = world->last + 1;
    for (int i = 0; i < 3; i++) {
        char path[64], data[32];
        snprintf(path, sizeof path, "/election/n_%010d", (int)++world->last);
        snprintf(data, sizeof data, "10.0.3.%d:5000", (int)world->last);
        fake_tree_create(world->tree, path, 0x100000000 + (uint64_t)world->last, data);
    }
    fake_tree_list(world->tree, world->model, world->now, "/election", "/election");
    const struct candidate *unread;
    while ((unread = election_take_unread(model_election(world->model, 0, "/election")))) {
        char path[128];
        snprintf(path, sizeof path, "/election/%s", unread->name);
        fake_tree_read(world->tree, world->model, world->now, "/election", path);
    }
    recorder_flush(world->recorder);
}

static struct recorded *scene(void)
{
    struct recorded *world = recorded_new();
    recorded_start(world, KEEP_LONG_MS);
    recorded_connect(world);
    recorded_pass(world, 600000);
    recorded_changes(world, 3);
    recorded_pass(world, 420000);
    recorded_changes(world, 2);
    recorded_stop(world);
    recorded_pass(world, 300000); /* nobody records */
    recorded_start(world, KEEP_LONG_MS);
    recorded_pass(world, 1000);
    recorded_changes(world, 1);
    recorded_pass(world, 200000);
    vacate(world, 45000);
    recorded_changes(world, 1);
    recorded_pass(world, 500000);
    recorder_flush(world->recorder);
    recorded_stop(world);
    return world;
}

static char *draw(const struct recorded *world, struct replay *past, const struct shot *shot,
                  const struct size *size)
{
    struct dashboard *dashboard =
        dashboard_new(scripted_settings(), NULL, NULL, at_the_end, (void *)(uintptr_t)world);
    struct cells *cells = cells_new(size->width, size->height);
    assert_true(dashboard && cells);
    cells->ascii = size->ascii;
    if (!dashboard_set_replay(dashboard, past, NULL, INT64_MAX / 4))
        fail_msg("%s", replay_problem(past));
    dashboard_key(dashboard, '$', -1, -1);
    for (const char *key = shot->keys; *key; key++) {
        dashboard_draw(dashboard, cells);
        dashboard_key(dashboard, *key == '~' ? KEY_CODE_ENTER : *key == '!' ? KEY_CODE_ESCAPE : *key, -1, -1);
    }
    dashboard_draw(dashboard, cells);
    char *text = drawn_text(cells);
    cells_free(cells);
    dashboard_free(dashboard);
    return text;
}

/* Each looks as its file says, at every size; of every size that a terminal can have it is drawn, and ASCII
   stays ASCII. */
static void looks_as_it_should(void **state)
{
    const struct recorded *world = *state;
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        struct replay *past = replay_new(world->file);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char path[128], *text = draw(world, past, &shots[i], &sizes[k]);
            snprintf(path, sizeof path, "tests/screens/golden/replay-%s-%s.txt", shots[i].name,
                     sizes[k].name);
            golden_compare(path, text);
            free(text);
        }
        for (int k = 0; k < 30; k++) {
            struct size size = {"", 1 + k * k % 97, 1 + k * 7 % 31, k % 2};
            char *text = draw(world, past, &shots[i], &size);
            for (const char *c = text; size.ascii && *c; c++)
                assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
            free(text);
        }
        replay_free(past);
    }
}

/* On what a cause rests is told to its end, also on the smallest usual screen; and its lines stay where they
   are as one goes through the failovers. */
static void reports_all_of_the_evidence(void **state)
{
    const struct recorded *world = *state;
    recorded_change(world,
                    "UPDATE failover SET cause = 'expired', certainty = 'suspected', evidence = 'its session"
                    " 0x2000a3f1b5e0007 is absent from the list of zk2.example.org:2181 0.4 s after, and it"
                    " had been silent for 9.8 s of 10 s at zk1.example.org:2181'"
                    " WHERE event = (SELECT max(event) FROM failover)");
    struct replay *past = replay_new(world->file);
    static const struct shot chosen[] = {{"evidence", "h"}, {"evidence-none", "hj"}};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char path[128], *text = draw(world, past, &chosen[i], &sizes[k]);
            snprintf(path, sizeof path, "tests/screens/golden/replay-%s-%s.txt", chosen[i].name,
                     sizes[k].name);
            golden_compare(path, text);
            assert_true(i != 0 || strstr(text, "zk1.example.org:2181") != NULL);
            free(text);
        }
    replay_free(past);
}

static int begin(void **state)
{
    *state = scene();
    return 0;
}

static int end(void **state)
{
    recorded_free(*state);
    return 0;
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    setenv("LC_ALL", "C", 1);
    tzset();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(looks_as_it_should, begin, end),
        cmocka_unit_test_setup_teardown(reports_all_of_the_evidence, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

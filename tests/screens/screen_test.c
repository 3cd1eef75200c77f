/*
 * Every screen, compared with what it should look like: tests/screens/golden/NAME-SIZE.txt.
 *
 * To add a screen, add a row to the table below: a name, the scene it is drawn from (tests/support/scenes.h),
 * and the keys that lead to it. Keys are typed one after the other; those without a letter are written
 * <Enter> <Esc> <Up> <Down> <PgUp> <PgDn> <Home> <End> <Space>, a click is <Click:X,Y>. Each is drawn at all
 * sizes below. Then `UPDATE_GOLDEN=1 build/tests/screens/screen_test` writes the files: look at them before
 * you commit.
 */
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
#include "tests/support/fake_bench.h"
#include "tests/support/golden.h"
#include "tests/support/scenes.h"
#include "tui/dashboard/dashboard.h"
#include "tui/screen/key_bindings.h"

static struct stage *crowd(void)
{
    return scene_crowd(500);
}

static const struct screen {
    const char *name;
    struct stage *(*scene)(void);
    const char *keys;
} screens[] = {
    {"overview", scene_usual, ""},
    {"overview-filter", scene_usual, "/dru"},
    {"overview-filtered", scene_usual, "/dru<Enter>"},
    {"overview-changes", scene_usual, "S"},
    {"overview-changes-tenants", scene_tenants, "S"},
    {"jump", scene_usual, ":so"},
    {"jump-clusters", scene_clusters, ":elec"},
    {"jump-described", scene_usual, ":leader"},
    {"overview-sorted", scene_usual, "sr<Down>"},
    {"overview-paused", scene_usual, "<Space>"},
    {"overview-clusters", scene_clusters, ""},
    {"overview-unreachable", scene_unreachable, ""},
    {"overview-nothing", scene_nothing, ""},
    {"overview-hostile", scene_hostile, ""},
    {"overview-crowd", crowd, ""},
    {"overview-pods", scene_pods, ""},
    {"election-pods", scene_pods, "/payments<Enter><Home><Enter>"},
    {"candidate-pods", scene_pods, "/payments<Enter><Home><Enter><Enter>"},
    {"client-pods", scene_pods, "/payments<Enter><Home><Enter><Enter><Enter>"},
    {"jump-pods", scene_pods, ":overseer"},
    {"what-if-pods", scene_pods, "/payments<Enter><Home><Enter>w"},
    {"findings-pods", scene_pods, "f"},
    {"events-pods", scene_pods, "v"},
    {"overview-tenants", scene_tenants, ""},
    {"overview-tenants-filtered", scene_tenants, "/07919-stage/services/payments-api/<Enter>"},
    {"events-tenants", scene_tenants, "v"},
    {"jump-tenants", scene_tenants, ":canary"},
    {"candidate-tenants", scene_tenants, "<Enter><Enter>"},
    {"election", scene_usual, "/10.0.3.17<Enter><Home><Enter>"},
    {"election-vacant", scene_usual, "/orders<Enter><Home><Enter>"},
    {"election-lock", scene_usual, "/kafka<Enter><Home><Enter>"},
    {"election-free", scene_usual, "/nightly<Enter><Home><Enter>"},
    {"election-changed", scene_usual, "/druid<Enter><Home><Enter>"},
    {"election-unacknowledged", scene_usual, "/app<Enter><Home><Enter>"},
    {"election-absent", scene_usual, "/teams<Enter><Home><Enter>"},
    {"election-denied", scene_usual, "/secret<Enter><Home><Enter>"},
    {"election-disconnected", scene_clusters, "/staging<Enter><Home><Enter>"},
    {"election-hostile", scene_hostile, "/hostile<Enter><Home><Enter>"},
    {"election-long", scene_hostile, "/long<Enter><Home><Enter>"},
    {"election-crowd", crowd, "<Enter><End>"},
    {"overview-chain", scene_chain, ""},
    {"overview-hidden", scene_hidden, ""},
    {"election-chain", scene_chain, "/10.0.3.17<Enter><Home><Enter>"},
    {"election-whole", scene_chain, "/druid<Enter><Home><Enter>"},
    {"election-watched-lock", scene_chain, "/kafka<Enter><Home><Enter>"},
    {"election-unshown", scene_hidden, "/10.0.3.17<Enter><Home><Enter>"},
    {"what-if", scene_chain, "/10.0.3.17<Enter><Home><Enter>w"},
    {"what-if-third", scene_chain, "/10.0.3.17<Enter><Home><Enter>w<Down><Down>"},
    {"what-if-unshown", scene_hidden, "/10.0.3.17<Enter><Home><Enter>w"},
    {"candidate-stuck", scene_chain, "/10.0.3.17<Enter><Home><Enter><Home><Down><Down><Down><Enter>"},
    {"candidate-leader", scene_chain, "/10.0.3.17<Enter><Home><Enter><Home><Enter>"},
    {"findings", scene_chain, "f"},
    {"findings-filtered", scene_chain, "f/no-w<Enter>"},
    {"findings-none", scene_hidden, "f/zz<Enter>"},
    {"findings-not-connected", scene_unreachable, "f"},
    {"ensemble", scene_chain, "e"},
    {"ensemble-hidden", scene_hidden, "e"},
    {"ensemble-unasked", scene_unasked, "e"},
    {"overview-unasked", scene_unasked, ""},
    {"explanations", scene_chain, "x"},
    {"explanation-that-is-long", scene_chain, "xjjjjjjjjjjj"},
    {"explanation-of-finding", scene_chain, "fx"},
    {"candidate", scene_usual, "/10.0.3.17<Enter><Home><Enter><Home><Down><Down><Down><Down><Enter>"},
    {"candidate-hostile", scene_hostile, "/hostile<Enter><Home><Enter><Home><Enter>"},
    {"candidate-long", scene_hostile, "/long<Enter><Home><Enter><Home><Enter>"},
    {"events-hostile", scene_hostile, "v"},
    {"events", scene_usual, "v"},
    {"events-findings", scene_chain, "v"},
    {"help", scene_usual, "?"},
    {"inject", scene_usual, "/10.0.3.17<Enter><Home>i"},
    {"inject-live", scene_usual, "/10.0.3.17<Enter><Home>il"},
    {"inject-live-typed", scene_usual, "/10.0.3.17<Enter><Home>ilR/electio"},
    {"inject-live-mistyped", scene_usual, "/10.0.3.17<Enter><Home>ilR/electio<Enter>"},
    {"inject-refused", scene_usual, "/10.0.3.17<Enter><Home>il"},
    {"inject-running", scene_usual, "i<Down>"},
    {"inject-report", scene_usual, "i"},
    {"inject-elsewhere", scene_usual, "i<Esc>"},
};

static const struct size {
    const char *name;
    int width, height;
    bool ascii;
} sizes[] = {
    {"80x24", 80, 24, false},
    {"120x36", 120, 36, false},
    {"200x60", 200, 60, false},
    {"80x24-ascii", 80, 24, true},
};

static void type(struct dashboard *dashboard, const char *keys)
{
    static const struct {
        const char *name;
        int key;
    } names[] = {{"<Enter>", KEY_CODE_ENTER}, {"<Esc>", KEY_CODE_ESCAPE},   {"<Up>", KEY_CODE_UP},
                 {"<Down>", KEY_CODE_DOWN},   {"<PgUp>", KEY_CODE_PAGE_UP}, {"<PgDn>", KEY_CODE_PAGE_DOWN},
                 {"<Home>", KEY_CODE_HOME},   {"<End>", KEY_CODE_END},      {"<Space>", ' '}};
    struct cells *cells = cells_new(80, 24);
    while (*keys) {
        int key = *keys, x = -1, y = -1, used = 1;
        if (sscanf(keys, "<Click:%d,%d>%n", &x, &y, &used) == 2)
            key = KEY_CODE_CLICK;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
            if (strncmp(keys, names[i].name, strlen(names[i].name)) == 0) {
                key = names[i].key;
                used = (int)strlen(names[i].name);
            }
        keys += used;
        dashboard_draw(dashboard, cells); /* a view finds its selection while it draws */
        assert_int_equal(dashboard_key(dashboard, key, x, y), DASHBOARD_NOTHING);
    }
    cells_free(cells);
}

/* Who runs test candidates there; NULL: nobody. */
static const struct run_control_interface *bench_of(const struct screen *screen)
{
    if (strncmp(screen->name, "inject", 6) != 0)
        return NULL;
    return strcmp(screen->name, "inject-running") == 0     ? &fake_bench_running
           : strcmp(screen->name, "inject-elsewhere") == 0 ? &fake_bench_running
           : strcmp(screen->name, "inject-report") == 0    ? &fake_bench_over
           : strcmp(screen->name, "inject-refused") == 0   ? &fake_bench_refusing
                                                           : &fake_bench_idle;
}

static char *draw(const struct screen *screen, const struct size *size)
{
    struct stage *stage = screen->scene();
    struct dashboard *dashboard =
        dashboard_new(stage_settings(stage), stage_model(stage), stage_events(stage), stage_clock, stage);
    struct cells *cells = cells_new(size->width, size->height);
    assert_true(dashboard && cells);
    cells->ascii = size->ascii;
    dashboard_equip(dashboard, bench_of(screen));
    type(dashboard, screen->keys);
    dashboard_draw(dashboard, cells);
    char *text = drawn_text(cells);
    cells_free(cells);
    dashboard_free(dashboard);
    stage_free(stage);
    return text;
}

/* Each screen looks as the file says, at every size, line by line. */
static void looks_as_it_should(void **state)
{
    const struct screen *screen = *state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char path[128];
        snprintf(path, sizeof(path), "tests/screens/golden/%s-%s.txt", screen->name, sizes[i].name);
        char *text = draw(screen, &sizes[i]);
        golden_compare(path, text);
        free(text);
    }
}

/* Of every size a terminal can have, each screen is drawn, inside the grid, and ASCII stays ASCII. */
static void survives_every_size(void **state)
{
    const struct screen *screen = *state;
    for (int i = 0; i < 40; i++) {
        struct size size = {"", 1 + i * i % 97, 1 + i * 7 % 31, i % 2};
        char *text = draw(screen, &size);
        for (const char *c = text; size.ascii && *c; c++)
            assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
        free(text);
    }
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    enum { COUNT = sizeof(screens) / sizeof(*screens) };
    struct CMUnitTest tests[2 * COUNT];
    static char names[2 * COUNT][64];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "%s looks as it should", screens[i].name);
        snprintf(names[COUNT + i], sizeof(names[i]), "%s survives every size", screens[i].name);
        void *row = (void *)(uintptr_t)&screens[i];
        tests[i] = (struct CMUnitTest){names[i], looks_as_it_should, NULL, NULL, row};
        tests[COUNT + i] = (struct CMUnitTest){names[COUNT + i], survives_every_size, NULL, NULL, row};
    }
    return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}

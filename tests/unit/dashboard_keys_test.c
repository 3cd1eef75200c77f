/* The keys that help and footer offer are the keys that do something: on every screen, those that are not
   offered leave it as it was, and each that is offered has an effect somewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/driven.h"
#include "tests/support/drawn.h"
#include "tests/support/fake_bench.h"
#include "tests/support/scenes.h"
#include "tests/support/test.h"
#include "tui/screen/key_bindings.h"

static const struct screen {
    const char *name;
    int keys[8]; /* from the overview to it, up to 0 */
    const struct run_control_interface *bench;
} screens[] = {
    {"overview", {KEY_CODE_DOWN}, NULL},
    {"overview with candidates to be had", {KEY_CODE_DOWN}, &fake_bench_idle},
    {"election", {KEY_CODE_ENTER, KEY_CODE_DOWN, KEY_CODE_DOWN}, NULL},
    {"what if", {KEY_CODE_ENTER, KEY_CODE_DOWN, 'w'}, NULL},
    {"candidate", {KEY_CODE_ENTER, KEY_CODE_DOWN, KEY_CODE_ENTER}, NULL},
    {"events", {'v', KEY_CODE_DOWN}, NULL},
    {"findings", {'f', KEY_CODE_DOWN}, NULL},
    {"ensemble", {'e', KEY_CODE_DOWN}, NULL},
    {"explanations", {'e', 'x', KEY_CODE_DOWN}, NULL},
    {"history of nothing", {'h'}, NULL},
    {"form", {'i', KEY_CODE_DOWN}, &fake_bench_idle},
    {"form that may not", {'i', 'l'}, &fake_bench_refusing},
    {"run", {'i', KEY_CODE_DOWN}, &fake_bench_running},
    {"report", {'i', KEY_CODE_DOWN}, &fake_bench_over},
};

static struct driven driven_at(const struct screen *screen)
{
    struct driven driven = driven_of(scene_chain(), 100, 20);
    dashboard_equip(driven.dashboard, screen->bench);
    for (size_t i = 0; screen->keys[i]; i++)
        driven_key(&driven, screen->keys[i]);
    return driven;
}

/* What is on the screen, without its last line, in which a key may say why it does nothing. */
static char *snapshot(struct driven *driven)
{
    dashboard_draw(driven->dashboard, driven->cells);
    driven->cells->height--;
    char *text = drawn_text(driven->cells);
    driven->cells->height++;
    return text;
}

/* The help, asked from there, names it among the keys that do something there. */
static bool is_offered(const struct screen *screen, const struct key_binding *binding)
{
    struct driven driven = driven_at(screen);
    driven_key(&driven, '?');
    cells_resize(driven.cells, 100, 150);
    char *text = snapshot(&driven), *elsewhere = strstr(text, "KEYS ELSEWHERE"), line[200];
    assert_non_null(elsewhere);
    *elsewhere = '\0';
    snprintf(line, sizeof line, "\n  %-14.13s", binding->keys);
    bool found = strstr(text, line) != NULL;
    free(text);
    driven_release(&driven);
    return found;
}

static bool has_effect(const struct screen *screen, int code)
{
    struct driven driven = driven_at(screen);
    char *before = snapshot(&driven);
    int acts = fake_bench_acts(), begun = fake_bench_begun();
    enum dashboard_wish wish = dashboard_key(driven.dashboard, code, -1, -1);
    char *after = snapshot(&driven);
    /* A line that is being typed is an effect, too. */
    bool effect = wish != DASHBOARD_NOTHING || strcmp(before, after) != 0 || acts != fake_bench_acts() ||
                  begun != fake_bench_begun() || driven.cells->cursor_x >= 0;
    free(before);
    free(after);
    driven_release(&driven);
    return effect;
}

/* On a small terminal no title is cut at its end; of a path it is the end that says which. */
TEST(titles_are_whole)
{
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        struct driven driven = driven_at(&screens[i]);
        cells_resize(driven.cells, 80, 24);
        char *title = snapshot(&driven);
        title[strcspn(title, "\n")] = '\0';
        if (strstr(title, "…  "))
            fail_msg("%s: %s", screens[i].name, title);
        free(title);
        driven_release(&driven);
    }
}

TEST(offers_what_works)
{
    enum { SCREENS = sizeof screens / sizeof *screens };
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        bool offered_anywhere = false, effect_anywhere = false;
        for (size_t j = 0; j < SCREENS; j++) {
            bool offered = is_offered(&screens[j], &bindings[i]);
            offered_anywhere |= offered;
            for (size_t k = 0; k < KEY_CODES_MOST && bindings[i].codes[k]; k++) {
                bool effect = has_effect(&screens[j], bindings[i].codes[k]);
                effect_anywhere |= effect && offered;
                if (effect && !offered)
                    fail_msg("%s does something on \"%s\", which the help does not say", bindings[i].keys,
                             screens[j].name);
            }
        }
        /* Nothing of these is to be seen here; dashboard_actions_test.c shows them. */
        bool elsewhere = bindings[i].action == ACTION_STOP || bindings[i].action == ACTION_CLEAR ||
                         bindings[i].action == ACTION_MUTE || bindings[i].action == ACTION_REPORT ||
                         bindings[i].action == ACTION_BUNDLE || bindings[i].action == ACTION_PSEUDONYMS ||
                         bindings[i].action == ACTION_TELL || bindings[i].action == ACTION_COMPARE;
        if (offered_anywhere && !effect_anywhere && !elsewhere)
            fail_msg("%s is offered, and does nothing anywhere", bindings[i].keys);
    }
}

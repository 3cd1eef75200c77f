/*
 * The screens through a real terminal: a child on a pseudo terminal runs the loop, curses and the dashboard
 * on a fixed scene; libvterm reads what it sends as a terminal would. So the whole way is proved: the bytes,
 * the colours, keys, sizes, and that the terminal is as it was in the end.
 *
 * `build/tests/screens/terminal_test --show usual` shows a scene on your own terminal.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/emulator.h"
#include "tests/support/golden.h"
#include "tests/support/scenes.h"
#include "tui/screen/theme.h"
#include "tui/dashboard/main_loop.h"
#include "tui/screen/safe.h"

static struct stage *crowd(void)
{
    return scene_crowd(500);
}

static const struct {
    const char *name;
    struct stage *(*scene)(void);
} scenes[] = {
    {"usual", scene_usual},     {"clusters", scene_clusters},       {"hostile", scene_hostile},
    {"nothing", scene_nothing}, {"unreachable", scene_unreachable}, {"crowd", crowd},
};

/* What the child runs: its exit status is the dashboard's. */
static int show_scene(const char *name, const char *theme)
{
    size_t i = 0;
    while (i < sizeof(scenes) / sizeof(*scenes) && strcmp(scenes[i].name, name) != 0)
        i++;
    if (i == sizeof(scenes) / sizeof(*scenes)) {
        fprintf(stderr,
                "scenes: usual clusters hostile nothing unreachable crowd; themes: dark light auto ascii\n");
        return 2;
    }
    struct stage *stage = scenes[i].scene();
    struct settings settings = *stage_settings(stage);
    settings.screen = (struct screen_settings){.theme = THEME_DARK, .mouse = true, .refresh_ms = 250};
    if (theme && strcmp(theme, "light") == 0)
        settings.screen.theme = THEME_LIGHT;
    else if (theme && strcmp(theme, "auto") == 0)
        settings.screen.theme = THEME_AUTO;
    else if (theme && strcmp(theme, "ascii") == 0)
        settings.screen.ascii = TRI_YES;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct main_loop show = {.loop = &loop,
                             .settings = &settings,
                             .model = stage_model(stage),
                             .events = stage_events(stage),
                             .clock = stage_clock,
                             .context = stage};
    char *error;
    int status = main_loop_run(&show, &error);
    if (error)
        fprintf(stderr, "electop: %s\n", error);
    free(error);
    uv_loop_close(&loop);
    stage_free(stage);
    return status;
}

static struct emulator *terminal_open(int width, int height, const char *scene, const char *theme,
                                      const char *const *environment)
{
    const char *const arguments[] = {"terminal_test", "--show", scene, theme, NULL};
    return emulator_open(width, height, arguments, environment);
}

/* The grids' own tests write these files. */
static void is_the_grid(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "tests/screens/golden/%s", name);
    if (!getenv("UPDATE_GOLDEN"))
        golden_compare(path, text);
}

/* The pictures of a real terminal are those of the grids, at every size,
   also with keys and wide characters. */
static void shows_the_grids(void **state)
{
    (void)state;
    static const struct {
        const char *golden, *scene, *theme, *keys, *until;
        int width, height;
    } rows[] = {
        {"overview-80x24.txt", "usual", "dark", "", "druid", 80, 24},
        {"overview-120x36.txt", "usual", "light", "", "druid", 120, 36},
        {"overview-200x60.txt", "usual", "dark", "", "druid", 200, 60},
        {"overview-80x24-ascii.txt", "usual", "ascii", "", "druid", 80, 24},
        {"election-120x36.txt", "usual", "dark", "/10.0.3.17\r\033[H\r", "10.0.3.18", 120, 36},
        {"election-hostile-80x24.txt", "hostile", "dark", "/hostile\r\033OH\r", "0x2", 80, 24},
        {"election-hostile-200x60.txt", "hostile", "dark", "/hostile\r\033[1~\r", "0x5", 200, 60},
        {"candidate-hostile-120x36.txt", "hostile", "dark", "/hostile\r\033[H\r\033[H\r", "czxid", 120, 36},
        {"events-120x36.txt", "usual", "dark", "v", "Esc", 120, 36},
        {"help-80x24.txt", "usual", "dark", "?", "Esc", 80, 24},
        {"election-crowd-120x36.txt", "crowd", "dark", "\r\033[F", "0000000599", 120, 36},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct emulator *terminal =
            terminal_open(rows[i].width, rows[i].height, rows[i].scene, rows[i].theme, NULL);
        emulator_wait_for(terminal, "electop");
        emulator_settle(terminal);
        emulator_type(terminal, rows[i].keys);
        emulator_wait_for(terminal, rows[i].until);
        emulator_settle(terminal);
        char *text = emulator_text(terminal);
        is_the_grid(rows[i].golden, text);
        free(text);
        emulator_type(terminal, "q");
        emulator_wait_end(terminal);
        assert_int_equal(terminal->status, 0);
        emulator_assert_restored(terminal);
        emulator_close(terminal);
    }
}

/* Colours are where they belong: the title's ground, the selection's, red for what is vacant; and mono is
   mono. */
static void paints_roles(void **state)
{
    (void)state;
    struct emulator *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    assert_int_equal(emulator_color_at(terminal, 119, 0, true), theme_nearest_256(0x303030));
    assert_int_equal(emulator_color_at(terminal, 60, 20, true), UINT32_MAX);
    char *text = emulator_text(terminal);
    int y = 0;
    for (const char *line = text; strncmp(line, "▸", strlen("▸")) != 0; line = strchr(line, '\n') + 1)
        y++;
    free(text);
    assert_int_equal(emulator_color_at(terminal, 60, y, true), theme_nearest_256(0x444444));
    assert_int_equal(emulator_color_at(terminal, 2, y, false), theme_nearest_256(0xff6b5f));
    emulator_close(terminal);

    static const char *const no_color[] = {"NO_COLOR=1", NULL};
    terminal = terminal_open(120, 36, "usual", "dark", no_color);
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    for (int row = 0; row < 36; row++)
        for (int x = 0; x < 120; x++) {
            assert_int_equal(emulator_color_at(terminal, x, row, false), UINT32_MAX);
            assert_int_equal(emulator_color_at(terminal, x, row, true), UINT32_MAX);
        }
    emulator_close(terminal);
}

/* With the theme left to us the terminal is asked for its background, and its answer, whole or in pieces,
   decides. */
static void learns_the_background(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        uint32_t title;
    } rows[] = {
        {"\033]11;rgb:ffff/fafa/e0e0\033\\", "", 0xd7d7d7},
        {"\033]11;rgb:1e", "/1e/2e\a", 0x303030},
        {"\033]11;rgb:f/f/f\a", "", 0xd7d7d7},
        {"\033]11;nonsense\a", "", 0x303030},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct emulator *terminal = terminal_open(120, 36, "usual", "auto", NULL);
        emulator_wait_for(terminal, "druid");
        assert_non_null(strstr(terminal->said, "\033]11;?\033\\"));
        emulator_type(terminal, rows[i].first);
        emulator_pause(terminal, 10);
        emulator_type(terminal, rows[i].second);
        emulator_settle(terminal);
        assert_int_equal(emulator_color_at(terminal, 119, 0, true), theme_nearest_256(rows[i].title));
        assert_true(emulator_shows(terminal, "worst first")); /* its letters are no keys */
        emulator_close(terminal);
    }
}

/* Keys that nobody knows do nothing: their sequences are no Esc and no letters. */
static void ignores_unknown_keys(void **state)
{
    (void)state;
    struct emulator *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    emulator_type(terminal, "\033[B\033[B\r");
    emulator_wait_for(terminal, "/_zkelection/app   ");
    emulator_wait_for(terminal, "Esc");
    emulator_type(terminal, "\033[1;5Q\033[200~q\033[201~\033[99;99;99~\033Oq\033[?1;2c\x01\x02");
    emulator_settle(terminal);
    assert_true(emulator_shows(terminal, "Esc"));
    assert_int_equal(waitpid(terminal->child, NULL, WNOHANG), 0);
    emulator_type(terminal, "\033");
    emulator_wait_for(terminal, "nightly-job");
    emulator_close(terminal);
}

/* Small, tiny, large, and back: it goes on, and the picture is right again. */
static void follows_the_size(void **state)
{
    (void)state;
    static const int sizes[][2] = {{20, 4}, {1, 1}, {300, 100}, {2, 50}, {200, 1}, {39, 7}, {40, 8}};
    struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    for (size_t i = 0; i <= sizeof(sizes) / sizeof(*sizes); i++) {
        bool last = i == sizeof(sizes) / sizeof(*sizes);
        int width = last ? 80 : sizes[i][0], height = last ? 24 : sizes[i][1];
        emulator_resize(terminal, width, height);
        if (width >= 10 && (width < 40 || height < 8))
            emulator_wait_for(terminal, "40x8");
        else
            emulator_settle(terminal);
        assert_int_equal(waitpid(terminal->child, NULL, WNOHANG), 0);
    }
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    char *text = emulator_text(terminal);
    is_the_grid("overview-80x24.txt", text);
    free(text);
    emulator_close(terminal);
}

/* Whatever ends it, the terminal is as it was and the status says why. */
static void leaves_the_terminal_as_it_was(void **state)
{
    (void)state;
    static const struct {
        int signal;
        int status;
    } rows[] = {{SIGTERM, 143}, {SIGINT, 130},  {SIGHUP, 129}, {SIGQUIT, 131},
                {SIGSEGV, 139}, {SIGABRT, 134}, {SIGBUS, 135}, {SIGFPE, 136}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
        emulator_wait_for(terminal, "druid");
        emulator_settle(terminal);
        assert_true(terminal->altscreen);
        assert_false(terminal->cursor);
        assert_true(emulator_mouse_is_on(terminal));
        kill(terminal->child, rows[i].signal);
        emulator_wait_end(terminal);
        assert_int_equal(terminal->status, rows[i].status);
        emulator_assert_restored(terminal);
        emulator_close(terminal);
    }
}

/* The mouse selects and opens; y sends the path to the clipboard. */
static void takes_clicks_and_copies(void **state)
{
    (void)state;
    struct emulator *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    char *text = emulator_text(terminal);
    int y = 1;
    for (const char *line = text; strncmp(line, "  ● druid", strlen("  ● druid")) != 0;
         line = strchr(line, '\n') + 1)
        y++;
    free(text);
    char click[64];
    snprintf(click, sizeof(click), "\033[<0;10;%dM\033[<0;10;%dm", y, y);
    emulator_type(terminal, click);
    emulator_wait_for(terminal, "▸ ● druid");
    emulator_type(terminal, "y");
    emulator_wait_for(terminal, "sent to the terminal's clipboard");
    emulator_settle(terminal);
    assert_non_null(strstr(terminal->said, "\033]52;c;L2RydWlkL2Nvb3JkaW5hdG9yL19DT09SRElOQVRPUg==\a"));
    /* The first of the two is too late to be a double click with the one before. */
    emulator_pause(terminal, 500);
    emulator_type(terminal, click);
    emulator_pause(terminal, 100);
    emulator_type(terminal, click);
    emulator_wait_for(terminal, "host-c:8081");
    emulator_wait_for(terminal, "Esc");
    emulator_type(terminal, "\033");
    emulator_wait_for(terminal, "nightly-job");
    emulator_close(terminal);
}

/* D writes what is on the screen to a new file, and says where; it overwrites nothing. */
static void dumps_the_screen(void **state)
{
    (void)state;
    char here[1024], directory[] = "/tmp/electop-test-XXXXXX";
    assert_non_null(getcwd(here, sizeof(here)));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    assert_int_equal(chdir(here), 0);
    emulator_wait_for(terminal, "druid");
    emulator_type(terminal, "D");
    emulator_wait_for(terminal, "this screen was saved to electop-20261120-140322.txt");
    emulator_type(terminal, "D");
    emulator_wait_for(terminal, "this screen was saved to electop-20261120-140322-2.txt");
    emulator_type(terminal, "q");
    emulator_wait_end(terminal);
    emulator_close(terminal);
    char path[1024], line[512];
    snprintf(path, sizeof(path), "%s/electop-20261120-140322.txt", directory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_non_null(strstr(line, "electop"));
    fclose(file);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof(path), "%s/electop-20261120-140322-2.txt", directory);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

/* Without a terminal that can show it there is one clear line, and status 2. */
static void refuses_what_is_no_terminal(void **state)
{
    (void)state;
    static const char *const terms[] = {"TERM=", "TERM", "TERM=no-such-terminal", "TERM=dumb",
                                        "TERM=../../etc/passwd"};
    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
        const char *environment[] = {terms[i], NULL};
        struct emulator *terminal = terminal_open(200, 24, "usual", "dark", environment);
        emulator_wait_end(terminal);
        assert_int_equal(terminal->status, 2);
        assert_non_null(strstr(terminal->said, "electop once"));
        assert_null(strchr(terminal->said, '\033'));
        emulator_assert_restored(terminal);
        emulator_close(terminal);
    }
}

/* Ctrl-Z gives the terminal back, and fg shows the picture again. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    /* The leader of a session cannot be stopped by its terminal: nobody could wake it. It goes on at once. */
    emulator_type(terminal, "\x1a");
    emulator_settle(terminal);
    emulator_wait_for(terminal, "druid");
    assert_true(terminal->altscreen);
    kill(terminal->child, SIGSTOP);
    int status;
    assert_int_equal(waitpid(terminal->child, &status, WUNTRACED), terminal->child);
    assert_true(WIFSTOPPED(status));
    vterm_screen_reset(terminal->screen, 1); /* somebody else wrote here meanwhile */
    kill(terminal->child, SIGCONT);
    emulator_wait_for(terminal, "druid");
    emulator_type(terminal, "q");
    emulator_wait_end(terminal);
    assert_int_equal(terminal->status, 0);
    emulator_assert_restored(terminal);
    emulator_close(terminal);
}

/* A terminal stopped by Ctrl-S holds nothing up: keys still work, and the end does not wait for Ctrl-Q, by a signal
   that nobody catches either. */
static void is_not_held_up(void **state)
{
    (void)state;
    static const int ends[] = {SIGTERM, SIGUSR1};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
        emulator_wait_for(terminal, "druid");
        emulator_settle(terminal);
        emulator_type(terminal, "\x13");
        emulator_pause(terminal, 100);
        /* Any key would start the output again where IXANY is set; it is not, by default. */
        emulator_type(terminal, "e");
        kill(terminal->child, ends[i]);
        emulator_wait_end(terminal);
        assert_int_equal(terminal->status, 128 + ends[i]);
        emulator_assert_restored(terminal);
        emulator_close(terminal);
    }
}

/* With nothing happening it sends nothing and does nothing: the clock of this scene stands still. */
static void idles(void **state)
{
    (void)state;
    struct emulator *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    emulator_wait_for(terminal, "druid");
    emulator_settle(terminal);
    size_t before = terminal->said_length;
    emulator_pause(terminal, 1500);
    assert_int_equal(terminal->said_length, before);
    emulator_close(terminal);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "--show") == 0)
        return show_scene(argv[2], argc > 3 ? argv[3] : NULL);
    setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_grids),
        cmocka_unit_test(paints_roles),
        cmocka_unit_test(learns_the_background),
        cmocka_unit_test(ignores_unknown_keys),
        cmocka_unit_test(follows_the_size),
        cmocka_unit_test(leaves_the_terminal_as_it_was),
        cmocka_unit_test(takes_clicks_and_copies),
        cmocka_unit_test(dumps_the_screen),
        cmocka_unit_test(refuses_what_is_no_terminal),
        cmocka_unit_test(stops_and_goes_on),
        cmocka_unit_test(is_not_held_up),
        cmocka_unit_test(idles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

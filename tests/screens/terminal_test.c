/*
 * The screens through a real terminal: a child on a pseudo terminal runs the loop, curses and the dashboard
 * on a fixed scene; libvterm reads what it sends as a terminal would. So the whole way is proved: the bytes,
 * the colours, keys, sizes, and that the terminal is as it was in the end.
 *
 * `build/tests/screens/terminal_test --show usual` shows a scene on your own terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>
#include <vterm.h>

#include "config/utf8.h"
#include "tests/support/golden.h"
#include "tests/support/scenes.h"
#include "tui/screen/theme.h"
#include "tui/show.h"
#include "tui/text/safe.h"

#define PATIENCE_MS 15000

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
    struct show show = {.loop = &loop,
                        .settings = &settings,
                        .model = stage_model(stage),
                        .events = stage_events(stage),
                        .clock = stage_clock,
                        .context = stage};
    char *error;
    int status = show_run(&show, &error);
    if (error)
        fprintf(stderr, "electop: %s\n", error);
    free(error);
    uv_loop_close(&loop);
    stage_free(stage);
    return status;
}

/* The other side: a terminal. */

struct terminal {
    pid_t child;
    int master, slave;
    VTerm *vterm;
    VTermScreen *screen;
    int width, height;
    bool altscreen, cursor;
    char *said; /* every byte that came */
    size_t said_length, said_room;
    struct termios before;
    int status; /* of the child; -1: still running */
};

static int on_property(VTermProp property, VTermValue *value, void *context)
{
    struct terminal *terminal = context;
    if (property == VTERM_PROP_ALTSCREEN)
        terminal->altscreen = value->boolean;
    else if (property == VTERM_PROP_CURSORVISIBLE)
        terminal->cursor = value->boolean;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

static struct terminal *terminal_open(int width, int height, const char *scene, const char *theme,
                                      const char *const *environment)
{
    struct terminal *terminal = calloc(1, sizeof(*terminal));
    assert_non_null(terminal);
    terminal->width = width;
    terminal->height = height;
    terminal->cursor = true;
    terminal->status = -1;
    terminal->vterm = vterm_new(height, width);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    struct winsize size = {.ws_col = (unsigned short)width, .ws_row = (unsigned short)height};
    assert_int_equal(openpty(&terminal->master, &terminal->slave, NULL, NULL, &size), 0);
    assert_int_equal(tcgetattr(terminal->slave, &terminal->before), 0);
    terminal->child = fork();
    assert_true(terminal->child >= 0);
    if (terminal->child == 0) {
        close(terminal->master);
        login_tty(terminal->slave);
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("TZ", "UTC", 1);
        unsetenv("NO_COLOR");
        unsetenv("COLORFGBG");
        /* A crash must end as one, not as a report of a sanitizer. */
        setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigbus=0:handle_sigill=0",
               1);
        for (; environment && *environment; environment++)
            if (strchr(*environment, '='))
                putenv((char *)(uintptr_t)*environment);
            else
                unsetenv(*environment);
        execl("/proc/self/exe", "terminal_test", "--show", scene, theme ? theme : "dark", (char *)NULL);
        _exit(99);
    }
    return terminal;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Takes what the child has said; false: nothing came in this time, or nothing will come any more. */
static bool listen_for(struct terminal *terminal, int ms)
{
    struct pollfd in = {.fd = terminal->master, .events = POLLIN};
    char bytes[8192];
    if (poll(&in, 1, ms) <= 0)
        return false;
    ssize_t length = read(terminal->master, bytes, sizeof(bytes));
    if (length <= 0)
        return false;
    vterm_input_write(terminal->vterm, bytes, (size_t)length);
    if (terminal->said_length + (size_t)length >= terminal->said_room) {
        terminal->said_room = (terminal->said_length + (size_t)length) * 2;
        terminal->said = realloc(terminal->said, terminal->said_room);
        assert_non_null(terminal->said);
    }
    memcpy(terminal->said + terminal->said_length, bytes, (size_t)length);
    terminal->said_length += (size_t)length;
    terminal->said[terminal->said_length] = '\0';
    return true;
}

/* The screen as text, trailing blanks cut, like the grids. */
static char *screen_text(struct terminal *terminal)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int y = 0; y < terminal->height; y++) {
        char line[4096];
        size_t used = 0, end = 0;
        for (int x = 0; x < terminal->width; x++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(terminal->screen, (VTermPos){y, x}, &cell);
            if (cell.chars[0] == (uint32_t)-1)
                continue; /* the right half of a wide one */
            for (size_t i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
                used += utf8_encode(cell.chars[i], line + used);
            if (cell.chars[0] == 0)
                line[used++] = ' ';
            if (line[used - 1] != ' ')
                end = used;
        }
        fprintf(file, "%.*s\n", (int)end, line);
    }
    fclose(file);
    return text;
}

static bool shows(struct terminal *terminal, const char *text)
{
    char *screen = screen_text(terminal);
    bool found = strstr(screen, text) != NULL;
    free(screen);
    return found;
}

static void wait_for(struct terminal *terminal, const char *text)
{
    int64_t end = now_ms() + PATIENCE_MS;
    while (!shows(terminal, text)) {
        if (!listen_for(terminal, 100) && now_ms() > end) {
            char *screen = screen_text(terminal);
            print_error("%s", screen);
            free(screen);
            fail_msg("never showed: %s", text);
        }
    }
}

/* Until nothing has come for a while: a picture is complete then. */
static void settle(struct terminal *terminal)
{
    while (listen_for(terminal, 150))
        ;
}

/* A time that the test is about: listens, so that the child is never held up. */
static void pause_ms(struct terminal *terminal, int ms)
{
    for (int64_t end = now_ms() + ms; now_ms() < end;)
        listen_for(terminal, 20);
}

static void keys(struct terminal *terminal, const char *bytes)
{
    assert_int_equal(write(terminal->master, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
}

static void wait_end(struct terminal *terminal)
{
    int64_t end = now_ms() + PATIENCE_MS;
    int status;
    while (waitpid(terminal->child, &status, WNOHANG) == 0) {
        listen_for(terminal, 50);
        if (now_ms() > end) {
            kill(terminal->child, SIGKILL);
            waitpid(terminal->child, &status, 0);
            fail_msg("it did not end");
        }
    }
    while (listen_for(terminal, 0))
        ;
    terminal->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The last word on it: libvterm overlooks it where two modes are set by one sequence. */
static bool mouse_is_on(const struct terminal *terminal)
{
    bool on = false;
    for (const char *said = terminal->said; said && (said = strstr(said, "1000")) != NULL; said += 4)
        on = said[4] == 'h' || (said[4] != 'l' && on);
    return on;
}

/* Screen, cursor, mouse and line discipline are as before. */
static void assert_restored(struct terminal *terminal)
{
    struct termios after;
    assert_int_equal(tcgetattr(terminal->master, &after), 0);
    assert_int_equal(after.c_lflag, terminal->before.c_lflag);
    assert_int_equal(after.c_iflag, terminal->before.c_iflag);
    assert_int_equal(after.c_oflag, terminal->before.c_oflag);
    assert_int_equal(after.c_cflag, terminal->before.c_cflag);
    assert_false(terminal->altscreen);
    assert_true(terminal->cursor);
    assert_false(mouse_is_on(terminal));
    assert_false(fcntl(terminal->slave, F_GETFL) & O_NONBLOCK); /* shared with the shell */
}

static void terminal_close(struct terminal *terminal)
{
    if (terminal->status < 0) {
        kill(terminal->child, SIGKILL);
        waitpid(terminal->child, NULL, 0);
    }
    close(terminal->master);
    close(terminal->slave);
    vterm_free(terminal->vterm);
    free(terminal->said);
    free(terminal);
}

static uint32_t color_at(struct terminal *terminal, int x, int y, bool background)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(terminal->screen, (VTermPos){y, x}, &cell);
    VTermColor color = background ? cell.bg : cell.fg;
    if (background ? VTERM_COLOR_IS_DEFAULT_BG(&color) : VTERM_COLOR_IS_DEFAULT_FG(&color))
        return UINT32_MAX;
    return VTERM_COLOR_IS_INDEXED(&color) ? color.indexed.idx : UINT32_MAX - 1;
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
        struct terminal *terminal =
            terminal_open(rows[i].width, rows[i].height, rows[i].scene, rows[i].theme, NULL);
        wait_for(terminal, "electop");
        settle(terminal);
        keys(terminal, rows[i].keys);
        wait_for(terminal, rows[i].until);
        settle(terminal);
        char *text = screen_text(terminal);
        is_the_grid(rows[i].golden, text);
        free(text);
        keys(terminal, "q");
        wait_end(terminal);
        assert_int_equal(terminal->status, 0);
        assert_restored(terminal);
        terminal_close(terminal);
    }
}

/* Colours are where they belong: the title's ground, the selection's, red for what is vacant; and mono is
 * mono. */
static void paints_roles(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    settle(terminal);
    assert_int_equal(color_at(terminal, 119, 0, true), theme_nearest_256(0x303030));
    assert_int_equal(color_at(terminal, 60, 20, true), UINT32_MAX);
    char *text = screen_text(terminal);
    int y = 0;
    for (const char *line = text; strncmp(line, "▸", strlen("▸")) != 0; line = strchr(line, '\n') + 1)
        y++;
    free(text);
    assert_int_equal(color_at(terminal, 60, y, true), theme_nearest_256(0x444444));
    assert_int_equal(color_at(terminal, 2, y, false), theme_nearest_256(0xff6b5f));
    terminal_close(terminal);

    static const char *const no_color[] = {"NO_COLOR=1", NULL};
    terminal = terminal_open(120, 36, "usual", "dark", no_color);
    wait_for(terminal, "druid");
    settle(terminal);
    for (int row = 0; row < 36; row++)
        for (int x = 0; x < 120; x++) {
            assert_int_equal(color_at(terminal, x, row, false), UINT32_MAX);
            assert_int_equal(color_at(terminal, x, row, true), UINT32_MAX);
        }
    terminal_close(terminal);
}

/* With the theme left to us the terminal is asked for its background, and its answer, whole or in pieces,
 * decides. */
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
        struct terminal *terminal = terminal_open(120, 36, "usual", "auto", NULL);
        wait_for(terminal, "druid");
        assert_non_null(strstr(terminal->said, "\033]11;?\033\\"));
        keys(terminal, rows[i].first);
        pause_ms(terminal, 10);
        keys(terminal, rows[i].second);
        settle(terminal);
        assert_int_equal(color_at(terminal, 119, 0, true), theme_nearest_256(rows[i].title));
        assert_true(shows(terminal, "worst first")); /* its letters are no keys */
        terminal_close(terminal);
    }
}

/* Keys that nobody knows do nothing: their sequences are no Esc and no letters. */
static void ignores_unknown_keys(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    keys(terminal, "\033[B\r");
    wait_for(terminal, "/_zkelection/app   ");
    wait_for(terminal, "Esc");
    keys(terminal, "\033[1;5Q\033[200~\033[99;99;99~\033Oq\033[?1;2c\x01\x02");
    settle(terminal);
    assert_true(shows(terminal, "Esc"));
    assert_int_equal(waitpid(terminal->child, NULL, WNOHANG), 0);
    keys(terminal, "\033");
    wait_for(terminal, "nightly-job");
    terminal_close(terminal);
}

/* Small, tiny, large, and back: it goes on, and the picture is right again. */
static void follows_the_size(void **state)
{
    (void)state;
    static const int sizes[][2] = {{20, 4}, {1, 1}, {300, 100}, {2, 50}, {200, 1}, {39, 7}, {40, 8}};
    struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    for (size_t i = 0; i <= sizeof(sizes) / sizeof(*sizes); i++) {
        bool last = i == sizeof(sizes) / sizeof(*sizes);
        struct winsize size = {.ws_col = (unsigned short)(last ? 80 : sizes[i][0]),
                               .ws_row = (unsigned short)(last ? 24 : sizes[i][1])};
        vterm_set_size(terminal->vterm, size.ws_row, size.ws_col);
        terminal->width = size.ws_col;
        terminal->height = size.ws_row;
        assert_int_equal(ioctl(terminal->master, TIOCSWINSZ, &size), 0);
        if (size.ws_col >= 10 && (size.ws_col < 40 || size.ws_row < 8))
            wait_for(terminal, "40x8");
        else
            settle(terminal);
        assert_int_equal(waitpid(terminal->child, NULL, WNOHANG), 0);
    }
    wait_for(terminal, "druid");
    settle(terminal);
    char *text = screen_text(terminal);
    is_the_grid("overview-80x24.txt", text);
    free(text);
    terminal_close(terminal);
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
        struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
        wait_for(terminal, "druid");
        settle(terminal);
        assert_true(terminal->altscreen);
        assert_false(terminal->cursor);
        assert_true(mouse_is_on(terminal));
        kill(terminal->child, rows[i].signal);
        wait_end(terminal);
        assert_int_equal(terminal->status, rows[i].status);
        assert_restored(terminal);
        terminal_close(terminal);
    }
}

/* The mouse selects and opens; y sends the path to the clipboard. */
static void takes_clicks_and_copies(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(120, 36, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    settle(terminal);
    char *text = screen_text(terminal);
    int y = 1;
    for (const char *line = text; strncmp(line, "  ● druid", strlen("  ● druid")) != 0;
         line = strchr(line, '\n') + 1)
        y++;
    free(text);
    char click[64];
    snprintf(click, sizeof(click), "\033[<0;10;%dM\033[<0;10;%dm", y, y);
    keys(terminal, click);
    wait_for(terminal, "▸ ● druid");
    keys(terminal, "y");
    wait_for(terminal, "sent to the terminal's clipboard");
    settle(terminal);
    assert_non_null(strstr(terminal->said, "\033]52;c;L2RydWlkL2Nvb3JkaW5hdG9yL19DT09SRElOQVRPUg==\a"));
    /* The first of the two is too late to be a double click with the one before. */
    pause_ms(terminal, 500);
    keys(terminal, click);
    pause_ms(terminal, 100);
    keys(terminal, click);
    wait_for(terminal, "host-c:8081");
    wait_for(terminal, "Esc");
    keys(terminal, "\033");
    wait_for(terminal, "nightly-job");
    terminal_close(terminal);
}

/* D writes what is on the screen to a new file, and says where; it overwrites nothing. */
static void dumps_the_screen(void **state)
{
    (void)state;
    char here[1024], directory[] = "/tmp/electop-test-XXXXXX";
    assert_non_null(getcwd(here, sizeof(here)));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    assert_int_equal(chdir(here), 0);
    wait_for(terminal, "druid");
    keys(terminal, "D");
    wait_for(terminal, "this screen is in electop-20261120-140322.txt");
    keys(terminal, "D");
    wait_for(terminal, "this screen is in electop-20261120-140322-2.txt");
    keys(terminal, "q");
    wait_end(terminal);
    terminal_close(terminal);
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
        struct terminal *terminal = terminal_open(200, 24, "usual", "dark", environment);
        wait_end(terminal);
        assert_int_equal(terminal->status, 2);
        assert_non_null(strstr(terminal->said, "electop once"));
        assert_null(strchr(terminal->said, '\033'));
        assert_restored(terminal);
        terminal_close(terminal);
    }
}

/* Ctrl-Z gives the terminal back, and fg shows the picture again. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    settle(terminal);
    /* The leader of a session cannot be stopped by its terminal (nobody could wake it): it goes on at once.
     */
    keys(terminal, "\x1a");
    settle(terminal);
    wait_for(terminal, "druid");
    assert_true(terminal->altscreen);
    kill(terminal->child, SIGSTOP);
    int status;
    assert_int_equal(waitpid(terminal->child, &status, WUNTRACED), terminal->child);
    assert_true(WIFSTOPPED(status));
    vterm_screen_reset(terminal->screen, 1); /* somebody else wrote here meanwhile */
    kill(terminal->child, SIGCONT);
    wait_for(terminal, "druid");
    keys(terminal, "q");
    wait_end(terminal);
    assert_int_equal(terminal->status, 0);
    assert_restored(terminal);
    terminal_close(terminal);
}

/* A terminal stopped by Ctrl-S holds nothing up: keys still work, and the end does not wait for Ctrl-Q. */
static void is_not_held_up(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    settle(terminal);
    keys(terminal, "\x13");
    pause_ms(terminal, 100);
    keys(terminal, "e"); /* any key would start the output again where IXANY is set; it is not, by default */
    kill(terminal->child, SIGTERM);
    wait_end(terminal);
    assert_int_equal(terminal->status, 143);
    assert_restored(terminal);
    terminal_close(terminal);
}

/* With nothing happening it sends nothing and does nothing: the clock of this scene stands still. */
static void idles(void **state)
{
    (void)state;
    struct terminal *terminal = terminal_open(80, 24, "usual", "dark", NULL);
    wait_for(terminal, "druid");
    settle(terminal);
    size_t before = terminal->said_length;
    pause_ms(terminal, 1500);
    assert_int_equal(terminal->said_length, before);
    terminal_close(terminal);
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

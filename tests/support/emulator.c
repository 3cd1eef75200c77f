#include "tests/support/emulator.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

#include "config/utf8.h"

#define PATIENCE_MS 15000

static int on_property(VTermProp property, VTermValue *value, void *context)
{
    struct emulator *e = context;
    if (property == VTERM_PROP_ALTSCREEN)
        e->altscreen = value->boolean;
    else if (property == VTERM_PROP_CURSORVISIBLE)
        e->cursor = value->boolean;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

struct emulator *emulator_open(int width, int height, const char *const *arguments,
                               const char *const *environment)
{
    struct emulator *e = calloc(1, sizeof(*e));
    assert_non_null(e);
    e->width = width;
    e->height = height;
    e->cursor = true;
    e->status = -1;
    e->vterm = vterm_new(height, width);
    vterm_set_utf8(e->vterm, 1);
    e->screen = vterm_obtain_screen(e->vterm);
    vterm_screen_set_callbacks(e->screen, &callbacks, e);
    vterm_screen_enable_altscreen(e->screen, 1);
    vterm_screen_reset(e->screen, 1);
    struct winsize size = {.ws_col = (unsigned short)width, .ws_row = (unsigned short)height};
    assert_int_equal(openpty(&e->master, &e->slave, NULL, NULL, &size), 0);
    assert_int_equal(tcgetattr(e->slave, &e->before), 0);
    e->child = fork();
    assert_true(e->child >= 0);
    if (e->child == 0) {
        close(e->master);
        login_tty(e->slave);
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
        execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
        _exit(99);
    }
    return e;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Takes what the child has said; false: nothing came in this time, or nothing will come any more. */
static bool listen_for(struct emulator *e, int ms)
{
    struct pollfd in = {.fd = e->master, .events = POLLIN};
    char bytes[8192];
    if (poll(&in, 1, ms) <= 0)
        return false;
    ssize_t length = read(e->master, bytes, sizeof(bytes));
    if (length <= 0)
        return false;
    vterm_input_write(e->vterm, bytes, (size_t)length);
    if (e->said_length + (size_t)length >= e->said_room) {
        e->said_room = (e->said_length + (size_t)length) * 2;
        e->said = realloc(e->said, e->said_room);
        assert_non_null(e->said);
    }
    memcpy(e->said + e->said_length, bytes, (size_t)length);
    e->said_length += (size_t)length;
    e->said[e->said_length] = '\0';
    return true;
}

char *emulator_text(struct emulator *e)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int y = 0; y < e->height; y++) {
        char line[4096];
        size_t used = 0, end = 0;
        for (int x = 0; x < e->width; x++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(e->screen, (VTermPos){y, x}, &cell);
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

bool emulator_shows(struct emulator *e, const char *text)
{
    char *screen = emulator_text(e);
    bool found = strstr(screen, text) != NULL;
    free(screen);
    return found;
}

void emulator_wait_for(struct emulator *e, const char *text)
{
    int64_t end = now_ms() + PATIENCE_MS;
    while (!emulator_shows(e, text)) {
        if (!listen_for(e, 100) && now_ms() > end) {
            char *screen = emulator_text(e);
            print_error("%s", screen);
            free(screen);
            fail_msg("never showed: %s", text);
        }
    }
}

void emulator_settle(struct emulator *e)
{
    while (listen_for(e, 150))
        ;
}

void emulator_pause(struct emulator *e, int ms)
{
    for (int64_t end = now_ms() + ms; now_ms() < end;)
        listen_for(e, 20);
}

void emulator_type(struct emulator *e, const char *bytes)
{
    assert_int_equal(write(e->master, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
}

void emulator_wait_end(struct emulator *e)
{
    int64_t end = now_ms() + PATIENCE_MS;
    int status;
    while (waitpid(e->child, &status, WNOHANG) == 0) {
        listen_for(e, 50);
        if (now_ms() > end) {
            kill(e->child, SIGKILL);
            waitpid(e->child, &status, 0);
            fail_msg("it did not end");
        }
    }
    while (listen_for(e, 0))
        ;
    e->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The last word on it: libvterm overlooks it where two modes are set by one sequence. */
bool emulator_mouse_is_on(const struct emulator *e)
{
    bool on = false;
    for (const char *said = e->said; said && (said = strstr(said, "1000")) != NULL; said += 4)
        on = said[4] == 'h' || (said[4] != 'l' && on);
    return on;
}

void emulator_assert_restored(struct emulator *e)
{
    struct termios after;
    assert_int_equal(tcgetattr(e->master, &after), 0);
    assert_int_equal(after.c_lflag, e->before.c_lflag);
    assert_int_equal(after.c_iflag, e->before.c_iflag);
    assert_int_equal(after.c_oflag, e->before.c_oflag);
    assert_int_equal(after.c_cflag, e->before.c_cflag);
    assert_false(e->altscreen);
    assert_true(e->cursor);
    assert_false(emulator_mouse_is_on(e));
    assert_false(fcntl(e->slave, F_GETFL) & O_NONBLOCK); /* shared with the shell */
}

void emulator_close(struct emulator *e)
{
    if (e->status < 0) {
        kill(e->child, SIGKILL);
        waitpid(e->child, NULL, 0);
    }
    close(e->master);
    close(e->slave);
    vterm_free(e->vterm);
    free(e->said);
    free(e);
}

uint32_t emulator_color_at(struct emulator *e, int x, int y, bool background)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(e->screen, (VTermPos){y, x}, &cell);
    VTermColor color = background ? cell.bg : cell.fg;
    if (background ? VTERM_COLOR_IS_DEFAULT_BG(&color) : VTERM_COLOR_IS_DEFAULT_FG(&color))
        return UINT32_MAX;
    return VTERM_COLOR_IS_INDEXED(&color) ? color.indexed.idx : UINT32_MAX - 1;
}

void emulator_resize(struct emulator *e, int width, int height)
{
    struct winsize size = {.ws_col = (unsigned short)width, .ws_row = (unsigned short)height};
    vterm_set_size(e->vterm, height, width);
    e->width = width;
    e->height = height;
    assert_int_equal(ioctl(e->master, TIOCSWINSZ, &size), 0);
}

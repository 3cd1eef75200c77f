#include "tui/show.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/clock.h"
#include "tui/exit_status.h"
#include "tui/screen/curses.h"
#include "tui/views/view.h"

/* The first picture waits this long for the first look, so that it is not an empty one that flashes by. */
#define FIRST_PICTURE_MS 100
/* Until the look is complete, pictures may come faster than the user's refresh. */
#define HASTY_MS 40
/* Keys that are drawn one by one at most, when they come faster than anybody reads. */
#define KEYS_AT_ONCE 64

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
#define SIGNAL_COUNT (sizeof(signals) / sizeof(*signals))

struct stage {
    const struct show *show;
    struct curses *curses;
    struct dashboard *dashboard;
    struct cells *cells;
    uv_poll_t input;
    uv_prepare_t before; /* runs before the loop sleeps, after everything that may have changed the model */
    uv_timer_t second;   /* for the clock and the ages */
    uv_timer_t next;     /* a picture that has to wait for its turn */
    uv_signal_t caught[SIGNAL_COUNT];
    bool input_open, before_open, second_open, next_open;
    size_t caught_count;
    int handles; /* not closed yet */
    bool ended, drawn;
    int status;
    uint64_t begun_ms, drawn_ms;
};

static struct moment real_clock(void *context)
{
    (void)context;
    return clock_now();
}

static struct moment now_of(const struct stage *stage)
{
    return stage->show->clock ? stage->show->clock(stage->show->context) : real_clock(NULL);
}

static void end(struct stage *stage, int status)
{
    if (!stage->ended)
        stage->status = status;
    stage->ended = true;
}

/* Drawing. */

static void on_next(uv_timer_t *timer);

static void draw(struct stage *stage)
{
    if (stage->ended)
        return;
    uv_timer_stop(&stage->next);
    dashboard_draw(stage->dashboard, stage->cells);
    stage->drawn_ms = uv_now(stage->show->loop);
    stage->drawn = true;
    if (!curses_show(stage->curses, stage->cells))
        uv_timer_start(&stage->next, on_next, 250, 0);
    else if (dashboard_is_playing(stage->dashboard))
        uv_timer_start(&stage->next, on_next, (uint64_t)stage->show->settings->screen.refresh_ms, 0);
}

static void on_next(uv_timer_t *timer)
{
    draw(timer->data);
}

static bool looked(const struct stage *stage)
{
    return !stage->show->looked || stage->show->looked(stage->show->context);
}

/* Something changed, but not by the user's hand: it is drawn as soon as its turn has come. */
static void on_before(uv_prepare_t *prepare)
{
    struct stage *stage = prepare->data;
    if (stage->ended || !dashboard_is_stale(stage->dashboard))
        return;
    uint64_t now = uv_now(stage->show->loop), due;
    if (!stage->drawn)
        due = looked(stage) ? now : stage->begun_ms + FIRST_PICTURE_MS;
    else
        due =
            stage->drawn_ms + (looked(stage) ? (uint64_t)stage->show->settings->screen.refresh_ms : HASTY_MS);
    if (due <= now)
        draw(stage);
    else if (!uv_is_active((uv_handle_t *)&stage->next))
        uv_timer_start(&stage->next, on_next, due - now, 0);
}

/* The next full second of the wall clock, again and again: a repeating timer would drift off it. */
static void on_second(uv_timer_t *timer)
{
    struct stage *stage = timer->data;
    const struct show *show = stage->show;
    char *complaint = show->complaint ? show->complaint(show->context) : NULL;
    if (complaint)
        dashboard_say(stage->dashboard, ROLE_CRITICAL, complaint);
    free(complaint);
    int64_t into_us = now_of(stage).wall_us % 1000000;
    uv_timer_start(timer, on_second, (uint64_t)(1001 - into_us / 1000), 0);
}

/* Keys. */

/* Never over a file that exists, nor through a link: the directory may be anybody's. */
static void dump(struct stage *stage)
{
    char name[64], text[256];
    time_t now = (time_t)(now_of(stage).wall_us / 1000000);
    struct tm tm;
    if (!localtime_r(&now, &tm))
        memset(&tm, 0, sizeof(tm));
    int file = -1;
    for (int i = 1; i < 100 && file < 0; i++) {
        size_t used = strftime(name, sizeof(name), "electop-%Y%m%d-%H%M%S", &tm);
        i == 1 ? snprintf(name + used, sizeof(name) - used, ".txt")
               : snprintf(name + used, sizeof(name) - used, "-%d.txt", i);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (file < 0 && errno != EEXIST)
            break;
    }
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    bool good = out != NULL;
    if (out) {
        cells_write(stage->cells, out);
        good = !ferror(out);
        good &= fclose(out) == 0;
    } else if (file >= 0) {
        close(file);
    }
    if (good)
        snprintf(text, sizeof(text), "this screen is in %s", name);
    else
        snprintf(text, sizeof(text), "%s could not be written: %s", name, strerror(errno));
    dashboard_say(stage->dashboard, good ? ROLE_GOOD : ROLE_CRITICAL, text);
}

static void copy(struct stage *stage)
{
    char text[256];
    const char *path = dashboard_copied(stage->dashboard);
    if (curses_copy(stage->curses, path))
        snprintf(text, sizeof(text), "sent to the terminal's clipboard: %s", path);
    else
        snprintf(text, sizeof(text), "too long for a clipboard: %s", path);
    dashboard_say(stage->dashboard, ROLE_TEXT, text);
}

static void clear(struct stage *stage)
{
    const struct show *show = stage->show;
    const struct belief *belief = dashboard_cleared(stage->dashboard);
    if (show->clear)
        show->clear(show->context, belief->cluster, belief->election, belief->candidate);
    dashboard_say(stage->dashboard, show->clear ? ROLE_GOOD : ROLE_WARNING,
                  show->clear ? "never-wakes is cleared here; other copies of this program still believe it"
                              : "this is history: nothing can be cleared in it");
}

static void grant(struct stage *stage, enum dashboard_wish wish)
{
    switch (wish) {
    case DASHBOARD_NOTHING:
        break;
    case DASHBOARD_QUIT:
        end(stage, EXIT_DONE);
        break;
    case DASHBOARD_REDRAW:
        curses_redraw(stage->curses);
        break;
    case DASHBOARD_COPY:
        copy(stage);
        break;
    case DASHBOARD_DUMP:
        dump(stage);
        break;
    case DASHBOARD_CLEAR:
        clear(stage);
        break;
    }
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    struct stage *stage = poll->data;
    struct key_press press;
    bool any = false;
    for (int i = 0; i < KEYS_AT_ONCE && !stage->ended && curses_key(stage->curses, &press); i++) {
        any = true;
        grant(stage, dashboard_key(stage->dashboard, press.key, press.x, press.y));
    }
    if (any)
        draw(stage);
    else if (status < 0 || (events & UV_DISCONNECT) || curses_is_gone(stage->curses))
        end(stage, 128 + SIGHUP); /* the signal itself goes only to the terminal's own session */
}

/* Signals. */

static void resize(struct stage *stage)
{
    int width, height;
    curses_measure(stage->curses, &width, &height);
    if (width == stage->cells->width && height == stage->cells->height)
        cells_clear(stage->cells);
    else if (!cells_resize(stage->cells, width, height))
        return;
    draw(stage);
}

static void on_signal(uv_signal_t *signal, int number);

static void stop(struct stage *stage, uv_signal_t *signal)
{
    curses_suspend(stage->curses);
    /* Stopped by the signal's own default, which the kernel knows to ignore where nobody could wake us. */
    uv_signal_stop(signal);
    raise(SIGTSTP);
    uv_signal_start(signal, on_signal, SIGTSTP);
    curses_resume(stage->curses);
    resize(stage);
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct stage *stage = signal->data;
    if (stage->ended)
        return;
    switch (number) {
    case SIGWINCH:
        resize(stage);
        break;
    case SIGTSTP:
        stop(stage, signal);
        break;
    case SIGCONT:
        curses_resume(stage->curses);
        resize(stage);
        break;
    default:
        end(stage, 128 + number);
        break;
    }
}

/* Beginning and end. */

static void on_closed(uv_handle_t *handle)
{
    struct stage *stage = handle->data;
    stage->handles--;
}

static void close_handle(struct stage *stage, void *handle, bool is_open)
{
    if (!is_open)
        return;
    ((uv_handle_t *)handle)->data = stage;
    stage->handles++;
    uv_close(handle, on_closed);
}

static bool catch_signals(struct stage *stage)
{
    for (; stage->caught_count < SIGNAL_COUNT; stage->caught_count++) {
        uv_signal_t *caught = &stage->caught[stage->caught_count];
        if (uv_signal_init(stage->show->loop, caught) != 0)
            return false;
        caught->data = stage;
        if (uv_signal_start(caught, on_signal, signals[stage->caught_count]) != 0) {
            stage->caught_count++;
            return false;
        }
    }
    return true;
}

/*
 * libuv makes what it polls non-blocking. A terminal's descriptor is shared with the shell, whose reads would
 * fail then, and with our own output, of which pieces would be lost: so that is undone. Nothing here reads
 * but what is there already.
 */
static bool open_input(struct stage *stage)
{
    int descriptor = curses_descriptor(stage->curses), flags = fcntl(descriptor, F_GETFL);
    stage->input_open = flags >= 0 && uv_poll_init(stage->show->loop, &stage->input, descriptor) == 0;
    stage->input.data = stage;
    return stage->input_open && fcntl(descriptor, F_SETFL, flags) == 0;
}

static bool start(struct stage *stage, char **error)
{
    uv_loop_t *loop = stage->show->loop;
    /* Before curses, which would take signals that nobody has taken yet. */
    if (!catch_signals(stage))
        return false;
    stage->curses = curses_open(&stage->show->settings->screen, stage->show->color, error);
    if (!stage->curses)
        return false;
    int width, height;
    curses_measure(stage->curses, &width, &height);
    stage->cells = cells_new(width, height);
    stage->dashboard =
        dashboard_new(stage->show->settings, stage->show->model, stage->show->events,
                      stage->show->clock ? stage->show->clock : real_clock, stage->show->context);
    if (!stage->cells || !stage->dashboard)
        return false;
    dashboard_equip(stage->dashboard, stage->show->workbench);
    if (!dashboard_recall(stage->dashboard, stage->show->past, stage->show->why_not, stage->show->at_us)) {
        const char *why = past_problem(stage->show->past);
        *error = why ? strdup(why) : NULL;
        return false;
    }
    stage->cells->ascii = curses_is_ascii(stage->curses);
    if (!open_input(stage))
        return false;
    stage->before_open = uv_prepare_init(loop, &stage->before) == 0;
    stage->before.data = stage;
    stage->second_open = uv_timer_init(loop, &stage->second) == 0;
    stage->second.data = stage;
    stage->next_open = uv_timer_init(loop, &stage->next) == 0;
    stage->next.data = stage;
    stage->begun_ms = uv_now(loop);
    if (uv_poll_start(&stage->input, UV_READABLE | UV_DISCONNECT, on_input) != 0)
        return false;
    uv_prepare_start(&stage->before, on_before);
    on_second(&stage->second);
    uv_timer_start(&stage->next, on_next, looked(stage) ? 0 : FIRST_PICTURE_MS, 0);
    return true;
}

static void finish(struct stage *stage)
{
    dashboard_free(stage->dashboard);
    cells_free(stage->cells);
    curses_close(stage->curses);
    close_handle(stage, &stage->input, stage->input_open);
    close_handle(stage, &stage->before, stage->before_open);
    close_handle(stage, &stage->second, stage->second_open);
    close_handle(stage, &stage->next, stage->next_open);
    for (size_t i = 0; i < stage->caught_count; i++)
        close_handle(stage, &stage->caught[i], true);
    while (stage->handles > 0)
        uv_run(stage->show->loop, UV_RUN_ONCE);
}

int show_run(const struct show *show, char **error)
{
    *error = NULL;
    struct stage *stage = calloc(1, sizeof(*stage));
    if (!stage) {
        *error = strdup("out of memory; the screen could not be set up");
        return EXIT_USAGE;
    }
    stage->show = show;
    stage->status = EXIT_USAGE;
    uv_update_time(show->loop);
    if (start(stage, error)) {
        while (!stage->ended)
            uv_run(show->loop, UV_RUN_ONCE);
    } else if (!*error) {
        *error = strdup("the screen could not be set up: out of memory or of file descriptors");
    }
    finish(stage);
    int status = stage->status;
    free(stage);
    return status;
}

#include "tui/dashboard/main_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "probe/clock.h"
#include "probe/history/recorder.h"
#include "tui/dashboard/bundle.h"
#include "tui/dashboard/foreground.h"
#include "tui/exit_status.h"
#include "tui/output/report_document.h"
#include "tui/output/whole_file.h"
#include "tui/screen/curses.h"
#include "tui/screen/key_decoder.h"
#include "tui/screen/safe.h"
#include "tui/screen/tty.h"
#include "tui/views/run_control_interface.h"
#include "tui/views/view.h"
#include "tui/words/format.h"

/* The first picture waits this long for the first snapshot, so that it is not an empty one that flashes by. */
#define FIRST_PICTURE_MS 100
/* Until it is complete, pictures may come faster than the user's refresh. */
#define HASTY_MS 40
/* Keys that are drawn one by one at most, when they come faster than anybody reads. */
#define KEYS_AT_ONCE 64
/* A report from the dashboard is about so long. */
#define REPORT_US (INT64_C(24) * 3600 * 1000000)
#define AROUND_US INT64_C(120000000)
/* Characters of a paste that are taken before the loop turns. */
#define PASTED_AT_ONCE 4096
/* A bundle waits this often, a second each, for a disk. */
#define BUNDLE_TRIES 5

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
#define SIGNAL_COUNT (sizeof(signals) / sizeof(*signals))

struct terminal_stage {
    const struct main_loop *show;
    struct curses *curses;
    struct dashboard *dashboard;
    struct cells *cells;
    uv_poll_t input, output; /* output: only while the terminal has not taken all */
    uv_timer_t escape;       /* an incomplete sequence of a key ends */
    uv_prepare_t before; /* runs before the loop sleeps, after everything that may have changed the model */
    uv_timer_t second;   /* for the clock and the ages */
    uv_timer_t next;     /* a picture that has to wait for its turn */
    uv_signal_t caught[SIGNAL_COUNT];
    int handles;                /* not closed yet */
    struct foreground *command; /* that has the terminal; NULL: none */
    bool read_on;               /* it has ended, and its output is on the screen until a key */
    bool ended, drawn, missed;  /* missed: the terminal took nothing when the last picture was drawn */
    int status;
    uint64_t begun_ms, drawn_ms;
    int64_t bundle_us; /* of a bundle that is to be written; 0: none */
    int bundle_tries;
    bool bundle_pseudonyms;
    struct bundle *bundle; /* that is being written */
};

static struct moment real_clock(void *context)
{
    (void)context;
    return clock_now();
}

static struct moment main_loop_now_of(const struct terminal_stage *stage)
{
    return stage->show->clock ? stage->show->clock(stage->show->context) : real_clock(NULL);
}

static void main_loop_end(struct terminal_stage *stage, int status)
{
    if (!stage->ended)
        stage->status = status;
    stage->ended = true;
}

/* Drawing. */

static void on_next(uv_timer_t *timer);

static void on_output(uv_poll_t *poll, int status, int events);

/* Sends the rest of the picture as soon as the terminal takes it. */
static void send_rest(struct terminal_stage *stage)
{
    if (curses_flush(stage->curses))
        uv_poll_stop(&stage->output);
    else if (!uv_is_active((uv_handle_t *)&stage->output))
        uv_poll_start(&stage->output, UV_WRITABLE, on_output);
}

/* The terminal is a command's. */
static bool stage_is_away(const struct terminal_stage *stage)
{
    return stage->command || stage->read_on;
}

static void draw(struct terminal_stage *stage)
{
    if (stage->ended || stage_is_away(stage))
        return;
    uv_timer_stop(&stage->next);
    const struct main_loop *show = stage->show;
    const char *told =
        show->tells_now && !show->tells_now(show->context) ? NULL : dashboard_told(stage->dashboard);
    if (told)
        curses_notify(stage->curses, told);
    dashboard_draw(stage->dashboard, stage->cells);
    if (show->rings && show->rings(show->context))
        curses_ring(stage->curses);
    stage->drawn_ms = uv_now(show->loop);
    stage->drawn = true;
    stage->missed = !curses_show(stage->curses, stage->cells);
    if (stage->missed)
        uv_timer_start(&stage->next, on_next, 250, 0);
    else if (dashboard_is_playing(stage->dashboard))
        uv_timer_start(&stage->next, on_next, (uint64_t)show->settings->screen.refresh_ms, 0);
    send_rest(stage);
}

static void on_output(uv_poll_t *poll, int status, int events)
{
    struct terminal_stage *stage = poll->data;
    (void)events;
    if (status < 0) /* no descriptor to poll: the next picture tries again */
        uv_poll_stop(poll);
    else
        send_rest(stage);
    if (stage->missed && !uv_is_active((uv_handle_t *)poll))
        draw(stage);
}

static void on_next(uv_timer_t *timer)
{
    draw(timer->data);
}

static bool main_loop_complete(const struct terminal_stage *stage)
{
    return !stage->show->complete || stage->show->complete(stage->show->context);
}

/* Something changed, but not by the user's hand: it is drawn as soon as its turn has come. */
static void main_loop_on_before(uv_prepare_t *prepare)
{
    struct terminal_stage *stage = prepare->data;
    if (stage->ended || stage_is_away(stage) || !dashboard_is_stale(stage->dashboard))
        return;
    uint64_t now = uv_now(stage->show->loop), due;
    if (!stage->drawn)
        due = main_loop_complete(stage) ? now : stage->begun_ms + FIRST_PICTURE_MS;
    else
        due = stage->drawn_ms +
              (main_loop_complete(stage) ? (uint64_t)stage->show->settings->screen.refresh_ms : HASTY_MS);
    if (due <= now)
        draw(stage);
    else if (!uv_is_active((uv_handle_t *)&stage->next))
        uv_timer_start(&stage->next, on_next, due - now, 0);
}

static void stage_bundle_settled(struct terminal_stage *stage, bool begin);

/* The next full second of the wall clock, again and again: a repeating timer would drift off it. */
static void on_second(uv_timer_t *timer)
{
    struct terminal_stage *stage = timer->data;
    const struct main_loop *show = stage->show;
    bool expected = false;
    char *complaint = show->complaint ? show->complaint(show->context, &expected) : NULL;
    if (complaint)
        dashboard_say(stage->dashboard, expected ? ROLE_INFO : ROLE_CRITICAL, complaint);
    free(complaint);
    if (stage->bundle_us && !stage->bundle)
        stage_bundle_settled(stage, false);
    int64_t into_us = main_loop_now_of(stage).wall_us % 1000000;
    uv_timer_start(timer, on_second, (uint64_t)(1001 - into_us / 1000), 0);
}

/* Keys. */

/* Into a new file; what: the beginning of the message about it; but: its end, or NULL. */
static void stage_save(struct terminal_stage *stage, const char *kind, const char *suffix, const char *bytes,
                       size_t length, const char *what, const char *but)
{
    char name[WHOLE_FILE_NAME], text[320];
    int error = whole_file_save(kind, suffix, main_loop_now_of(stage).wall_us, bytes, length, name);
    if (error)
        snprintf(text, sizeof(text), "%s could not be written: %s", name, strerror(error));
    else
        snprintf(text, sizeof(text), "%s was saved to %s%s%s", what, name, but ? "; " : "", but ? but : "");
    dashboard_say(stage->dashboard, error ? ROLE_CRITICAL : but ? ROLE_WARNING : ROLE_GOOD, text);
}

static void dump(struct terminal_stage *stage)
{
    struct text text = {0};
    cells_text(stage->cells, &text);
    stage_save(stage, "", ".txt", text.at, text.length, "this screen", NULL);
    text_free(&text);
}

/* Where the choice of columns is kept: beside the recording's usual place. False: there is none. */
static bool columns_file(char *path, size_t size, bool make)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int used = state && *state == '/' ? snprintf(path, size, "%s/electop/columns", state)
               : home && *home == '/' ? snprintf(path, size, "%s/.local/state/electop/columns", home)
                                      : -1;
    if (used < 0 || (size_t)used >= size)
        return false;
    for (char *slash = strchr(path + 1, '/'); make && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed)
            return false;
    }
    return true;
}

static void keep_columns(struct terminal_stage *stage)
{
    char path[4096], line[160], text[256];
    const char *columns = dashboard_columns(stage->dashboard);
    int length = snprintf(line, sizeof line, "%s\n", columns), error = EACCES;
    if (columns_file(path, sizeof path, true))
        error = whole_file_write(path, line, (size_t)length);
    if (error == 0)
        return;
    snprintf(text, sizeof text, "these columns are shown, but not saved: %s", strerror(error));
    dashboard_say(stage->dashboard, ROLE_WARNING, text);
}

/* Those that were chosen last, unless the command line says which; NULL: as usual. */
static const char *kept_columns(const char *wanted, char *line, size_t size)
{
    char path[4096];
    const char *why;
    FILE *file = !wanted && columns_file(path, sizeof path, false) ? plain_file_stream(path, &why) : NULL;
    if (!file)
        return wanted;
    bool good = fgets(line, (int)size, file) && strchr(line, '\n');
    fclose(file);
    if (!good)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789,") == strlen(line) && strstr(line, "election")
               ? line
               : NULL;
}

static void stage_on_bundle(void *context, const struct buffer *bytes, int64_t until_us, const char *error)
{
    struct terminal_stage *stage = context;
    char what[80], lacks[FORMAT_LACKS];
    bool pseudonyms = stage->bundle_pseudonyms;
    stage->bundle = NULL;
    if (bytes->length == 0) {
        dashboard_say(stage->dashboard, ROLE_WARNING,
                      error ? error : "nothing was observed around this moment");
    } else {
        snprintf(what, sizeof what, "a bundle with %s%s%s for electop replay",
                 pseudonyms ? "pseudonyms" : "real names (", pseudonyms ? "" : key_first(ACTION_PSEUDONYMS),
                 pseudonyms ? "" : ": pseudonyms)");
        stage_save(stage, "-bundle", ".case", bytes->bytes, bytes->length, what,
                   format_lacks(until_us, stage->bundle_us, RECORDER_OBSERVED_MIN, lacks));
    }
    stage->bundle_us = 0;
}

/* The observations around the moment at which the user asked for it. */
static void stage_write_bundle(struct terminal_stage *stage)
{
    const struct bundle_order order = {.case_file = stage->show->case_file,
                                       .recording = dashboard_recording(stage->dashboard),
                                       .settings = stage->show->settings,
                                       .at_us = stage->bundle_us,
                                       .pseudonyms = stage->bundle_pseudonyms};
    stage->bundle = bundle_begin(stage->show->loop, &order, stage_on_bundle, stage);
    stage->bundle_us = stage->bundle ? stage->bundle_us : 0;
    dashboard_say(stage->dashboard, stage->bundle ? ROLE_TEXT : ROLE_CRITICAL,
                  stage->bundle ? "a bundle is being written" : "no bundle: no thread can be started");
}

/* Where the disk is slow, a second later again. */
static void stage_bundle_settled(struct terminal_stage *stage, bool begin)
{
    const struct main_loop *show = stage->show;
    stage->bundle_tries = begin ? 0 : stage->bundle_tries + 1;
    if (!show->settle || show->settle(show->context, begin) || stage->bundle_tries == BUNDLE_TRIES)
        stage_write_bundle(stage);
    else if (begin)
        dashboard_say(stage->dashboard, ROLE_TEXT, "the bundle waits until everything is recorded");
}

static void stage_bundle(struct terminal_stage *stage)
{
    if (stage->bundle_us) {
        dashboard_say(stage->dashboard, ROLE_WARNING, "a bundle is being written already");
        return;
    }
    dashboard_reported(stage->dashboard, &stage->bundle_us);
    stage->bundle_pseudonyms = dashboard_pseudonyms(stage->dashboard);
    stage_bundle_settled(stage, true);
}

static bool span_failover(void *context, const struct election *election, const struct failover *failover)
{
    struct report_query *query = context;
    int64_t end_us = failover->elected_at.wall_us > failover->lost_at.wall_us ? failover->elected_at.wall_us
                                                                              : failover->lost_at.wall_us;
    (void)election;
    query->from_us = failover->lost_at.wall_us < query->from_us ? failover->lost_at.wall_us : query->from_us;
    query->to_us = end_us > query->to_us ? end_us : query->to_us;
    return true;
}

/* An incident of ten minutes is no more than a line in a day: what happened, and a little before and after. Before the
 * recording begins there is nothing to draw. */
static void narrow_to_failovers(struct report_query *query, struct history *history)
{
    const struct history_filter filter = {.cluster = query->cluster, .election = query->election};
    struct report_query span = {.from_us = INT64_MAX};
    char *error = NULL;
    int64_t begun_us, end_us;
    if (history_bounds(history, &begun_us, &end_us, NULL) && begun_us > query->from_us &&
        begun_us < query->to_us)
        query->from_us = begun_us;
    bool read =
        history_failovers(history, &filter, query->from_us, query->to_us, span_failover, &span, &error);
    free(error);
    if (!read || span.to_us < span.from_us)
        return;
    int64_t around_us = (span.to_us - span.from_us) / 5;
    around_us = around_us < AROUND_US ? AROUND_US : around_us;
    query->from_us = span.from_us - around_us > query->from_us ? span.from_us - around_us : query->from_us;
    query->to_us = span.to_us + around_us < query->to_us ? span.to_us + around_us : query->to_us;
}

/* The same page as electop report --html makes, of what happened to one election in the last day. */
static void stage_write_report(struct terminal_stage *stage)
{
    char *error = NULL;
    int64_t until_us;
    const struct finding_place *about = dashboard_reported(stage->dashboard, &until_us);
    struct report_query query = {.cluster = *about->cluster ? about->cluster : NULL,
                                 .election = about->election,
                                 .settings = stage->show->settings,
                                 .from_us = until_us - REPORT_US,
                                 .to_us = until_us,
                                 .stories = 3};
    const struct report_note note = {.recording = "the dashboard",
                                     .made_us = main_loop_now_of(stage).wall_us};
    /* A separate reader: that of the replay holds the model of the moment on the screen. */
    const char *recording = dashboard_recording(stage->dashboard);
    struct history *history = recording ? history_open(recording, &error) : NULL;
    if (history)
        narrow_to_failovers(&query, history);
    struct report *report = history ? report_make(history, &query, &error) : NULL;
    if (!report || report->election_count == 0) {
        dashboard_say(stage->dashboard, ROLE_WARNING,
                      error ? error : "nothing about this election is recorded yet");
    } else {
        struct buffer page = {0};
        report_print(&page, DOCUMENT_PAGE, report, &note, NULL);
        stage_save(stage, "-report", ".html", page.bytes, page.length, "the report", NULL);
        buffer_free(&page);
    }
    report_free(report);
    history_close(history);
    free(error);
}

static void main_loop_copy(struct terminal_stage *stage)
{
    char text[256];
    const char *what = dashboard_copied_what(stage->dashboard);
    if (curses_copy(stage->curses, dashboard_copied(stage->dashboard)))
        snprintf(text, sizeof(text), "sent to the terminal's clipboard: %s", what);
    else
        snprintf(text, sizeof(text), "too long for a clipboard: %s", what);
    dashboard_say(stage->dashboard, ROLE_TEXT, text);
}

static void main_loop_clear(struct terminal_stage *stage)
{
    const struct main_loop *show = stage->show;
    const struct finding_place *place = dashboard_cleared(stage->dashboard);
    if (show->clear)
        show->clear(show->context, place->cluster, place->election, place->candidate);
    dashboard_say(stage->dashboard, show->clear ? ROLE_GOOD : ROLE_WARNING,
                  show->clear ? "never-wakes is cleared here; other electop processes still show it"
                              : "this is a replay: you cannot clear findings here");
}

static void main_loop_reload(struct terminal_stage *stage)
{
    const struct main_loop *show = stage->show;
    char problem[400] = "this is a replay: there is no configuration to read again";
    if (show->control && show->control->is_busy(show->control->context))
        snprintf(problem, sizeof problem, "a run of test candidates is active; end it first with %s",
                 key_first(ACTION_STOP));
    else if (show->reload && stage->bundle_us)
        snprintf(problem, sizeof problem, "a bundle is being written; press it again then");
    else if (show->reload && show->reload(show->context, problem, sizeof problem))
        main_loop_end(stage, MAIN_LOOP_RELOAD);
    if (!stage->ended)
        dashboard_say(stage->dashboard, ROLE_WARNING, problem);
}

static void resize(struct terminal_stage *stage);
static void on_input(uv_poll_t *poll, int status, int events);

/* However a command has left the terminal, it is taken again and drawn anew. */
static void stage_come_back(struct terminal_stage *stage)
{
    stage->read_on = false;
    curses_resume(stage->curses);
    resize(stage);
}

static void main_loop_on_command(void *context, const char *how)
{
    struct terminal_stage *stage = context;
    const char *name;
    dashboard_command(stage->dashboard, &name);
    char *safe = safe_text(name, strlen(name), stage->cells->ascii);
    char *line = text_format("%s %s. Enter goes back.", safe, how);
    stage->command = NULL;
    stage->read_on = true;
    tcflush(STDIN_FILENO, TCIFLUSH); /* keys typed for the command must not skip its output */
    curses_say_suspended(stage->curses, line);
    send_rest(stage);
    free(line);
    free(safe);
    uv_poll_start(&stage->input, UV_READABLE | UV_DISCONNECT, on_input);
}

static void stage_run_command(struct terminal_stage *stage)
{
    const char *name, *error = NULL;
    char text[256], **arguments = dashboard_command(stage->dashboard, &name);
    uv_poll_stop(&stage->input);
    uv_timer_stop(&stage->escape);
    curses_suspend(stage->curses);
    stage->command = foreground_begin(stage->show->loop, arguments, main_loop_on_command, stage, &error);
    if (stage->command)
        return;
    uv_poll_start(&stage->input, UV_READABLE | UV_DISCONNECT, on_input);
    stage_come_back(stage);
    snprintf(text, sizeof text, "%.64s cannot be run: %s: %.128s", name, error, arguments[0]);
    dashboard_say(stage->dashboard, ROLE_CRITICAL, text);
}

static void grant(struct terminal_stage *stage, enum dashboard_wish wish)
{
    switch (wish) {
    case DASHBOARD_NOTHING:
        break;
    case DASHBOARD_QUIT:
        main_loop_end(stage, EXIT_DONE);
        break;
    case DASHBOARD_REDRAW:
        curses_redraw(stage->curses);
        break;
    case DASHBOARD_RELOAD:
        main_loop_reload(stage);
        break;
    case DASHBOARD_COPY:
        main_loop_copy(stage);
        break;
    case DASHBOARD_DUMP:
        dump(stage);
        break;
    case DASHBOARD_REPORT:
        stage_write_report(stage);
        break;
    case DASHBOARD_BUNDLE:
        stage_bundle(stage);
        break;
    case DASHBOARD_CLEAR:
        main_loop_clear(stage);
        break;
    case DASHBOARD_RUN:
        stage_run_command(stage);
        break;
    case DASHBOARD_KEEP_COLUMNS:
        keep_columns(stage);
        break;
    }
}

/* Reads pending input, a bounded part of it at a time. True: there was some. */
static bool take_keys(struct terminal_stage *stage)
{
    struct key_press press;
    bool any = false;
    for (int drawn = 0, taken = 0; drawn < KEYS_AT_ONCE && taken < PASTED_AT_ONCE && !stage->ended &&
                                   !stage_is_away(stage) && curses_key(stage->curses, &press);
         taken++) {
        any = true;
        if (press.key == KEY_CODE_ANSWER)
            continue;
        if (drawn > 0 && dashboard_is_undrawn(stage->dashboard))
            draw(stage);
        drawn += !press.pasted;
        grant(stage, press.pasted ? dashboard_paste(stage->dashboard, press.key)
                                  : dashboard_key(stage->dashboard, press.key, press.x, press.y));
    }
    if (dashboard_is_touched(stage->dashboard))
        draw(stage);
    return any;
}

static void on_escape(uv_timer_t *timer);

/* A key whose sequence is incomplete, or one that had to wait for its turn. */
static void expect_keys(struct terminal_stage *stage)
{
    int wait_ms = stage->ended || stage_is_away(stage) ? -1 : curses_key_wait_ms(stage->curses);
    if (wait_ms >= 0)
        uv_timer_start(&stage->escape, on_escape, (uint64_t)wait_ms, 0);
    else
        uv_timer_stop(&stage->escape);
}

static void on_escape(uv_timer_t *timer)
{
    struct terminal_stage *stage = timer->data;
    take_keys(stage);
    expect_keys(stage);
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    struct terminal_stage *stage = poll->data;
    if (stage->read_on) { /* this line is dropped; later keys are the dashboard's */
        char line[4096];
        if (events & UV_READABLE && read(STDIN_FILENO, line, sizeof line) < 0 && errno == EAGAIN)
            return;
        stage_come_back(stage);
        return;
    }
    bool any = take_keys(stage);
    expect_keys(stage);
    /* Bytes may come that complete no key, so only an end of the terminal ends the program. */
    if (!any && (status < 0 || (events & UV_DISCONNECT) || curses_is_gone(stage->curses)))
        main_loop_end(stage, 128 + SIGHUP); /* the signal itself goes only to the terminal's own session */
}

/* Signals. */

static void resize(struct terminal_stage *stage)
{
    int width, height;
    curses_measure(stage->curses, &width, &height);
    if (width == stage->cells->width && height == stage->cells->height)
        cells_clear(stage->cells);
    else
        cells_resize(stage->cells, width, height);
    draw(stage);
}

static void main_loop_on_signal(uv_signal_t *signal, int number);

static void stop(struct terminal_stage *stage, uv_signal_t *signal)
{
    curses_suspend(stage->curses);
    /* Stopped by the signal's default action, which the kernel ignores if no parent could continue us. */
    uv_signal_stop(signal);
    raise(SIGTSTP);
    uv_signal_start(signal, main_loop_on_signal, SIGTSTP);
    raise(SIGCONT); /* for the loop: signals that came meanwhile are before it, and may end all */
}

static void main_loop_on_signal(uv_signal_t *signal, int number)
{
    struct terminal_stage *stage = signal->data;
    if (stage->ended)
        return;
    switch (number) {
    case SIGWINCH:
        if (!stage_is_away(stage))
            resize(stage);
        break;
    case SIGTSTP:
        stop(stage, signal);
        break;
    case SIGCONT:
        if (!stage_is_away(stage)) {
            curses_resume(stage->curses);
            resize(stage);
        }
        break;
    case SIGINT:
    case SIGQUIT:
        if (stage->command) { /* typed for it */
            tty_deadline_lift();
            foreground_continue(stage->command);
            break;
        }
        main_loop_end(stage, 128 + number);
        break;
    default:
        main_loop_end(stage, 128 + number);
        break;
    }
}

/* Beginning and end. */

static void main_loop_on_closed(uv_handle_t *handle)
{
    struct terminal_stage *stage = handle->data;
    stage->handles--;
}

/* The start may have failed before this handle was initialised: nothing is to be closed then. */
static void main_loop_close_handle(struct terminal_stage *stage, void *handle)
{
    if (uv_handle_get_type(handle) == UV_UNKNOWN_HANDLE)
        return;
    uv_handle_set_data(handle, stage);
    stage->handles++;
    uv_close(handle, main_loop_on_closed);
}

static bool catch_signals(struct terminal_stage *stage)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        uv_signal_t *caught = &stage->caught[i];
        if (uv_signal_init(stage->show->loop, caught) != 0)
            return false;
        caught->data = stage;
        if (uv_signal_start(caught, main_loop_on_signal, signals[i]) != 0)
            return false;
    }
    tty_deadline_arm(true);
    return true;
}

/*
 * libuv makes descriptors it polls non-blocking. A terminal's descriptor is shared with the shell, whose
 * reads would fail then: so that is undone.
 */
static bool open_poll(struct terminal_stage *stage, uv_poll_t *poll, int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    bool is_open = flags >= 0 && uv_poll_init(stage->show->loop, poll, descriptor) == 0;
    poll->data = stage;
    return is_open && fcntl(descriptor, F_SETFL, flags) == 0;
}

static bool start(struct terminal_stage *stage, char **error)
{
    uv_loop_t *loop = stage->show->loop;
    /* Before curses, which would install handlers for signals without one. */
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
    char columns[160];
    dashboard_arrange(stage->dashboard, stage->show->sort,
                      kept_columns(stage->show->columns, columns, sizeof columns));
    if (stage->show->filter)
        dashboard_filter(stage->dashboard, stage->show->filter);
    dashboard_equip(stage->dashboard, stage->show->control);
    dashboard_tell(stage->dashboard, stage->show->tells);
    if (stage->show->mute)
        dashboard_record_mutes(stage->dashboard, stage->show->author, stage->show->mute,
                               stage->show->context);
    if (!dashboard_set_replay(stage->dashboard, stage->show->past, stage->show->why_not,
                              stage->show->at_us)) {
        const char *why = replay_problem(stage->show->past);
        *error = why ? xstrdup(why) : NULL;
        return false;
    }
    stage->cells->ascii = curses_is_ascii(stage->curses);
    if (!open_poll(stage, &stage->input, STDIN_FILENO) || !open_poll(stage, &stage->output, STDOUT_FILENO))
        return false;
    uv_timer_init(loop, &stage->escape);
    stage->escape.data = stage;
    uv_prepare_init(loop, &stage->before);
    stage->before.data = stage;
    uv_timer_init(loop, &stage->second);
    stage->second.data = stage;
    uv_timer_init(loop, &stage->next);
    stage->next.data = stage;
    stage->begun_ms = uv_now(loop);
    if (uv_poll_start(&stage->input, UV_READABLE | UV_DISCONNECT, on_input) != 0)
        return false;
    uv_prepare_start(&stage->before, main_loop_on_before);
    expect_keys(stage); /* those that the screen before this one left */
    on_second(&stage->second);
    uv_timer_start(&stage->next, on_next, main_loop_complete(stage) ? 0 : FIRST_PICTURE_MS, 0);
    return true;
}

static void main_loop_finish(struct terminal_stage *stage)
{
    foreground_end(stage->command);
    bundle_end(stage->bundle);
    dashboard_free(stage->dashboard);
    cells_free(stage->cells);
    curses_close(stage->curses);
    main_loop_close_handle(stage, &stage->input);
    main_loop_close_handle(stage, &stage->output);
    main_loop_close_handle(stage, &stage->escape);
    main_loop_close_handle(stage, &stage->before);
    main_loop_close_handle(stage, &stage->second);
    main_loop_close_handle(stage, &stage->next);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        main_loop_close_handle(stage, &stage->caught[i]);
    while (stage->handles > 0)
        uv_run(stage->show->loop, UV_RUN_ONCE);
}

int main_loop_run(const struct main_loop *show, char **error)
{
    *error = NULL;
    struct terminal_stage *stage = xcalloc(1, sizeof(*stage));
    stage->show = show;
    stage->status = EXIT_USAGE;
    uv_update_time(show->loop);
    if (start(stage, error)) {
        while (!stage->ended)
            uv_run(show->loop, UV_RUN_ONCE);
    } else if (!*error) {
        *error = xstrdup("the screen could not be set up; raise the limit of open files (ulimit -n)");
    }
    main_loop_finish(stage);
    int status = stage->status;
    free(stage);
    return status;
}

#define _GNU_SOURCE /* memfd_create */
#include "tui/screen/curses.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_NOMACROS 1
#include <curses.h>

#include "config/memory.h"
#include "config/utf8.h"
#include "tui/screen/key_bindings.h"
#include "tui/screen/safe.h"
#include "tui/screen/tty.h"

#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define PICTURE_ROOM (1 << 20) /* bytes; a limit of files holds for those in memory, too */
#define STYLES 1024            /* every role, selected or not, in the title or not; see style_slot() */

/*
 * Curses never touches the terminal: it reads nothing, and it writes into a file in memory, from
 * where the bytes are queued for the terminal (tty.h). Its own reading would wait for the rest of a mouse
 * report, and its own writing for a terminal that is stopped; either would block the event loop.
 */
struct curses {
    SCREEN *screen;
    FILE *output; /* the file in memory */
    struct tty tty;
    struct key_decoder decoder;
    struct theme theme;
    bool ascii, mouse, paste, suspended;
    struct cells *shown; /* what the terminal shows; its cells' width is 9 where that is not known */
    short pairs[STYLES]; /* curses' colour pair of a style; 0: not made yet */
    int pair_count;
};

static const char *capability(const char *name)
{
    char copy[8]; /* tigetstr() wants its argument writable in some versions */
    snprintf(copy, sizeof(copy), "%s", name);
    const char *value = tigetstr(copy);
    return value == (const char *)-1 ? NULL : value;
}

static void prepare_rescue(const struct curses *curses)
{
    tty_rescue_send(curses->mouse ? MOUSE_OFF : NULL);
    tty_rescue_send(curses->paste ? PASTE_OFF : NULL);
    tty_rescue_send(capability("sgr0"));
    tty_rescue_send(capability("op"));
    tty_rescue_send(capability("cnorm"));
    tty_rescue_send(capability("rmkx"));
    tty_rescue_send(capability("rmcup"));
    tty_rescue_arm();
}

__attribute__((format(printf, 2, 3))) static bool refuse(char **error, const char *format, ...)
{
    char buffer[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    *error = xstrdup(buffer);
    return false;
}

#define INSTEAD "use 'electop once' for one snapshot as text, or 'electop events' for events as they happen"

/* Asks terminfo without curses, which would speak to the terminal (initscr() even ends the process). */
static bool can_draw(char **error)
{
    if (!isatty(STDOUT_FILENO))
        return refuse(error, "standard output is not a terminal; " INSTEAD);
    if (!isatty(STDIN_FILENO))
        return refuse(error, "standard input is not a terminal; " INSTEAD);
    const char *term = getenv("TERM");
    if (!term || !*term)
        return refuse(error, "TERM is not set, so the terminal type is not known; set it "
                             "(TERM=xterm-256color), or " INSTEAD);
    int found = 0;
    if (setupterm(NULL, STDOUT_FILENO, &found) != OK) {
        char *name = safe_text(term, strnlen(term, 64), true);
        refuse(error,
               "TERM is '%s', which is not in this system's terminfo; set it to the terminal's type "
               "(xterm-256color), or " INSTEAD,
               name);
        free(name);
        return false;
    }
    bool able = capability("cup") && capability("clear");
    del_curterm(cur_term);
    if (!able)
        return refuse(error, "this terminal (TERM=%.32s) cannot move its cursor; " INSTEAD, term);
    return true;
}

static bool wants_ascii(const struct screen_settings *settings)
{
    if (settings->ascii != TRI_AUTO)
        return settings->ascii == TRI_YES;
    return !safe_locale_is_utf8();
}

static void curses_send(struct curses *curses, const char *text)
{
    tty_send(&curses->tty, text, strlen(text));
}

/* Queues what curses has written. False: it could not be queued, so the terminal's state is unknown. */
static bool collect_output(struct curses *curses)
{
    char bytes[8192];
    int file = fileno(curses->output);
    ssize_t count;
    fflush(curses->output);
    for (off_t at = 0; (count = pread(file, bytes, sizeof bytes, at)) > 0; at += count)
        tty_send(&curses->tty, bytes, (size_t)count);
    lseek(file, 0, SEEK_SET);
    return ftruncate(file, 0) == 0;
}

/* The sequences that terminfo names for this terminal's keys. */
static void define_keys(struct key_decoder *decoder)
{
    static const struct {
        const char *capability;
        int key;
    } keys[] = {
        {"kcuu1", KEY_CODE_UP},     {"kcud1", KEY_CODE_DOWN},    {"kcub1", KEY_CODE_LEFT},
        {"kcuf1", KEY_CODE_RIGHT},  {"kpp", KEY_CODE_PAGE_UP},   {"knp", KEY_CODE_PAGE_DOWN},
        {"khome", KEY_CODE_HOME},   {"kend", KEY_CODE_END},      {"kfnd", KEY_CODE_HOME},
        {"kslt", KEY_CODE_END},     {"kent", KEY_CODE_ENTER},    {"kbs", KEY_CODE_BACKSPACE},
        {"kdch1", KEY_CODE_DELETE}, {"kcbt", KEY_CODE_BACK_TAB}, {"kf1", KEY_CODE_F1},
        {"kf2", KEY_CODE_F2},       {"kf3", KEY_CODE_F3},        {"kf4", KEY_CODE_F4},
        {"kf5", KEY_CODE_F5},       {"kf6", KEY_CODE_F6},        {"kf7", KEY_CODE_F7},
        {"kf8", KEY_CODE_F8},       {"kf9", KEY_CODE_F9},        {"kf10", KEY_CODE_F10},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        key_decoder_define(decoder, capability(keys[i].capability), keys[i].key);
}

/* Without colours curses must not even begin with them: it would send sequences that put them back. */
static void choose_theme(struct curses *curses, const struct screen_settings *settings,
                         enum color_choice color)
{
    int colors = tigetnum((char[]){"colors"});
    bool direct = tigetflag((char[]){"RGB"}) > 0 && colors > 0xffff;
    curses->theme =
        theme_choose(settings->theme, color, colors, direct, getenv("NO_COLOR"), getenv("COLORFGBG"));
    if (curses->theme.depth == DEPTH_MONO)
        return;
    if (!has_colors() || start_color() != OK)
        curses->theme.depth = DEPTH_MONO;
    else
        use_default_colors();
    /* Terminals that can tell their background do so among the keys, a moment later. */
    static const char question[] = "\033]11;?\033\\";
    if (curses->theme.palette == PALETTE_EITHER && curses->theme.depth >= DEPTH_256)
        curses_send(curses, question);
}

/* Mouse reports and bracketed paste, where the terminal is of a kind that has them. */
static void choose_reports(struct curses *curses, bool mouse)
{
    const char *term = getenv("TERM"), *report = capability("kmous");
    bool known = (report && strncmp(report, "\033[", 2) == 0) || strncmp(term, "xterm", 5) == 0;
    curses->mouse = mouse && known;
    curses->paste = known;
}

static void send_reports(struct curses *curses, bool on)
{
    if (curses->mouse)
        curses_send(curses, on ? MOUSE_ON : MOUSE_OFF);
    if (curses->paste)
        curses_send(curses, on ? PASTE_ON : PASTE_OFF);
}

static void curses_free_all(struct curses *curses)
{
    if (curses->screen)
        delscreen(curses->screen);
    if (curses->output)
        fclose(curses->output);
    tty_close(&curses->tty);
    cells_free(curses->shown);
    free(curses);
}

/* Larger than any screen; one with this many rows and columns takes 100 MB. */
#define SIDE_MOST 1000

static int side(int length)
{
    return length < SIDE_MOST ? length : SIDE_MOST;
}

/* The part of the terminal that is drawn: curses itself crashes in one of more than 32,767 rows. False: the
   line has no size (a serial console). */
static bool terminal_size(int *width, int *height)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return false;
    *width = side(size.ws_col);
    *height = side(size.ws_row);
    return true;
}

/* Curses cannot ask the file in memory for its size, so it reads the size from the environment. What the
 * variables were when the shell began is not the size. */
static SCREEN *new_screen(FILE *output)
{
    char text[2][16];
    int width, height;
    unsetenv("LINES");
    unsetenv("COLUMNS");
    bool sized = terminal_size(&width, &height);
    if (sized) {
        snprintf(text[0], sizeof text[0], "%d", height);
        snprintf(text[1], sizeof text[1], "%d", width);
        setenv("LINES", text[0], 1);
        setenv("COLUMNS", text[1], 1);
    }
    use_env(TRUE);
    use_tioctl(FALSE);
    SCREEN *screen = newterm(NULL, output, stdin);
    if (sized) {
        unsetenv("LINES");
        unsetenv("COLUMNS");
    }
    return screen;
}

static bool start_curses(struct curses *curses, char **error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < PICTURE_ROOM)
        return refuse(error, "a screen does not fit into a file of %lld bytes; raise the limit (ulimit -f)",
                      (long long)limit.rlim_cur);
    int file = memfd_create("screen", MFD_CLOEXEC);
    curses->output = file >= 0 ? fdopen(file, "w+") : NULL;
    if (!curses->output) {
        if (file >= 0)
            close(file);
        return refuse(error, "no memory for the screen: %s", strerror(errno));
    }
    curses->screen = new_screen(curses->output);
    if (!curses->screen)
        return refuse(error,
                      "curses cannot use this terminal (TERM=%.32s); set TERM to its type, or " INSTEAD,
                      getenv("TERM"));
    nonl(); /* a line feed stays one: curses moves the cursor with it */
    typeahead(-1);
    keypad(stdscr, TRUE); /* sends smkx: the keys send what terminfo says */
    curs_set(0);
    return true;
}

/* Keys typed during a change of screens, as after Ctrl-R. */
static struct {
    unsigned char bytes[KEY_DECODER_BYTES];
    size_t count;
} unread;

static void keep_unread(const struct key_decoder *decoder)
{
    unread.count = decoder->waiting_count;
    memcpy(unread.bytes, decoder->waiting + decoder->waiting_from, unread.count);
}

static void take_unread(struct key_decoder *decoder)
{
    if (unread.count > 0)
        key_decoder_feed(decoder, unread.bytes, unread.count, tty_now_ms());
    unread.count = 0;
}

struct curses *curses_open(const struct screen_settings *settings, enum color_choice color, char **error)
{
    *error = NULL;
    if (!can_draw(error))
        return NULL;
    struct curses *curses = xcalloc(1, sizeof(*curses));
    if (!tty_open(&curses->tty) || !tty_rescue_remember()) {
        refuse(error, "the terminal could not be read: %s", strerror(errno));
        free(curses);
        return NULL;
    }
    curses->shown = cells_new(0, 0);
    /* Wanted even for ASCII: curses must know that its bytes are characters, and how wide they are. */
    setlocale(LC_CTYPE, "");
    curses->ascii = wants_ascii(settings);
    if (!start_curses(curses, error)) {
        curses_free_all(curses);
        return NULL;
    }
    const char *delay = getenv("ESCDELAY");
    key_decoder_init(&curses->decoder, delay ? (int)strtol(delay, NULL, 10) : 0);
    define_keys(&curses->decoder);
    take_unread(&curses->decoder);
    choose_reports(curses, settings->mouse);
    prepare_rescue(curses);
    tty_take(&curses->tty);
    choose_theme(curses, settings, color);
    send_reports(curses, true);
    return curses;
}

void curses_close(struct curses *curses)
{
    if (!curses)
        return;
    keep_unread(&curses->decoder);
    if (!curses->suspended) {
        send_reports(curses, false);
        endwin();
        collect_output(curses);
    }
    tty_give_back(&curses->tty); /* a command in the foreground may have changed its modes */
    tty_rescue_disarm();
    curses_free_all(curses);
}

bool curses_is_ascii(const struct curses *curses)
{
    return curses->ascii;
}

void curses_redraw(struct curses *curses)
{
    for (int i = 0; i < curses->shown->width * curses->shown->height; i++)
        curses->shown->at[i].width = 9;
    clearok(curscr, TRUE);
}

void curses_measure(struct curses *curses, int *width, int *height)
{
    if (!terminal_size(width, height)) {
        *width = COLS > 0 ? COLS : 80;
        *height = LINES > 0 ? LINES : 24;
    }
    if (*width != COLS || *height != LINES)
        resizeterm(*height, *width);
    curses_redraw(curses);
}

/* A dense number for a style. */
static unsigned style_slot(style look)
{
    return (unsigned)(look & 0x3f) | (look & STYLE_BOLD ? 0x40U : 0) | (look & STYLE_SELECTED ? 0x80U : 0) |
           (look & STYLE_TITLE ? 0x100U : 0);
}

static short pair_of(struct curses *curses, style look, const struct paint *paint)
{
    if (curses->theme.depth == DEPTH_MONO || (paint->fg == PAINT_DEFAULT && paint->bg == PAINT_DEFAULT))
        return 0;
    unsigned slot = style_slot(look);
    if (curses->pairs[slot] == 0) {
        if (curses->pair_count + 1 >= COLOR_PAIRS ||
            init_extended_pair(curses->pair_count + 1, paint->fg, paint->bg) != OK)
            return 0;
        curses->pairs[slot] = (short)++curses->pair_count;
    }
    return curses->pairs[slot];
}

static void put_cell(struct curses *curses, int x, int y, const struct cell *cell)
{
    struct paint paint = theme_paint(curses->theme, cell->style);
    attr_t attributes = (paint.bold ? A_BOLD : 0) | (paint.dim ? A_DIM : 0) |
                        (paint.reverse ? A_REVERSE : 0) | (paint.underline ? A_UNDERLINE : 0);
    wchar_t text[CCHARW_MAX + 1];
    size_t length = strlen(cell->text), used = 0, eaten;
    uint32_t code;
    for (size_t at = 0; used < CCHARW_MAX && (eaten = utf8_decode(cell->text + at, length - at, &code)) > 0;
         at += eaten)
        text[used++] = (wchar_t)code;
    text[used] = L'\0';
    int pair = pair_of(curses, cell->style, &paint);
    cchar_t character;
    if (setcchar(&character, text, attributes, (short)pair, &pair) == OK)
        mvadd_wch(y, x,
                  &character); /* ERR in the last corner, where the cursor cannot go on: drawn all the same */
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->width == b->width && a->style == b->style && strcmp(a->text, b->text) == 0;
}

bool curses_show(struct curses *curses, const struct cells *cells)
{
    if (curses->suspended || !tty_flush(&curses->tty))
        return false;
    if (curses->shown->width != cells->width || curses->shown->height != cells->height) {
        cells_resize(curses->shown, cells->width, cells->height);
        werase(stdscr);
        curses_redraw(curses);
    }
    for (int y = 0; y < cells->height && y < LINES; y++) {
        struct cell *shown = &curses->shown->at[(size_t)y * (size_t)cells->width];
        const struct cell *wanted = &cells->at[(size_t)y * (size_t)cells->width];
        bool changed = false;
        for (int x = 0; x < cells->width && !changed; x++)
            changed = !same_cell(&shown[x], &wanted[x]);
        /* Whole rows are given to curses, which compares them with the real screen; single cells
           would let halves of wide characters overwrite each other. */
        for (int x = 0; changed && x < cells->width && x < COLS; x++) {
            if (wanted[x].width > 0)
                put_cell(curses, x, y, &wanted[x]);
            shown[x] = wanted[x];
        }
    }
    if (cells->cursor_x >= 0 && cells->cursor_y >= 0 && cells->cursor_x < COLS && cells->cursor_y < LINES) {
        curs_set(1);
        wmove(stdscr, cells->cursor_y, cells->cursor_x);
    } else {
        curs_set(0);
    }
    wrefresh(stdscr);
    if (!collect_output(curses))
        curses_redraw(curses);
    return true;
}

bool curses_flush(struct curses *curses)
{
    return tty_flush(&curses->tty);
}

/* "11;rgb:1e1e/1e1e/2e2e": the terminal's background, in answer to our question. */
static bool learn_background(struct curses *curses, const char *answer)
{
    unsigned light = 0;
    static const unsigned share[3] = {299, 587, 114}; /* of red, green and blue in a thousand */
    char ends[3][5];
    if (sscanf(answer, "11;rgb:%4[0-9a-fA-F]/%4[0-9a-fA-F]/%4[0-9a-fA-F]", ends[0], ends[1], ends[2]) != 3)
        return false;
    /* One to four digits a colour; the first two say enough. */
    for (int i = 0; i < 3; i++) {
        size_t digits = strlen(ends[i]);
        ends[i][digits > 2 ? 2 : digits] = '\0';
        light += share[i] * (unsigned)strtoul(ends[i], NULL, 16) * (digits == 1 ? 17 : 1);
    }
    if (curses->theme.palette != PALETTE_EITHER)
        return false;
    curses->theme.palette = light > 127500 ? PALETTE_LIGHT : PALETTE_DARK;
    memset(curses->pairs, 0, sizeof(curses->pairs));
    curses->pair_count = 0;
    curses_redraw(curses);
    return true;
}

/* Reads pending input, as far as there is room. */
static void read_bytes(struct curses *curses)
{
    char bytes[KEY_DECODER_BYTES];
    size_t count = tty_read(&curses->tty, bytes, key_decoder_room(&curses->decoder));
    if (count > 0)
        key_decoder_feed(&curses->decoder, bytes, count, tty_now_ms());
}

bool curses_key(struct curses *curses, struct key_press *press)
{
    if (curses->suspended)
        return false;
    if (!key_decoder_next(&curses->decoder, tty_now_ms(), press)) {
        read_bytes(curses);
        if (!key_decoder_next(&curses->decoder, tty_now_ms(), press))
            return false;
    }
    if (press->key == KEY_CODE_ANSWER && learn_background(curses, key_decoder_answer(&curses->decoder)))
        press->key = KEY_CODE_NONE;
    return true;
}

int curses_key_wait_ms(const struct curses *curses)
{
    return key_decoder_wait_ms(&curses->decoder, tty_now_ms());
}

bool curses_is_gone(const struct curses *curses)
{
    return tty_is_gone(&curses->tty);
}

void curses_suspend(struct curses *curses)
{
    if (curses->suspended)
        return;
    curses->suspended = true;
    send_reports(curses, false);
    endwin();
    collect_output(curses);
    tty_give_back(&curses->tty);
    tty_rescue_hold(true);
}

void curses_resume(struct curses *curses)
{
    /* Also after a stop without an announcement (SIGSTOP): the shell may have changed the terminal's modes.
     */
    curses->suspended = false;
    tty_rescue_hold(false);
    tty_take(&curses->tty);
    send_reports(curses, true);
    curses_redraw(curses);
    wrefresh(stdscr);
    collect_output(curses);
}

void curses_say_suspended(struct curses *curses, const char *line)
{
    /* The soft reset ends attributes, a scrolling region, another character set, a hidden cursor. */
    tty_give_back(&curses->tty);
    curses_send(curses, "\033[!p\033(B\017\r\n");
    curses_send(curses, line);
    curses_send(curses, "\r\n");
}

void curses_ring(struct curses *curses)
{
    if (!curses->suspended)
        curses_send(curses, "\a");
}

void curses_notify(struct curses *curses, const char *text)
{
    char plain[256], out[2 * sizeof plain + 64];
    size_t used = 0;
    for (; *text && used + 1 < sizeof plain; text++) /* a semicolon ends a field of OSC 777 */
        plain[used++] = (char)(*text < ' ' || *text > '~' ? '?' : *text == ';' ? ',' : *text);
    plain[used] = '\0';
    if (curses->suspended)
        return;
    used = (size_t)snprintf(out, sizeof out, "\a\033]9;electop: %s\033\\\033]777;notify;electop;%s\033\\",
                            plain, plain);
    tty_send(&curses->tty, out, used);
}

bool curses_copy(struct curses *curses, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[16 + (CLIPBOARD_BYTES + 2) / 3 * 4] = "\033]52;c;";
    size_t length = strlen(text), used = strlen(out);
    if (length == 0 || length > CLIPBOARD_BYTES || curses->suspended)
        return false;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned b0 = (unsigned char)text[i], b1 = left > 1 ? (unsigned char)text[i + 1] : 0,
                 b2 = left > 2 ? (unsigned char)text[i + 2] : 0;
        out[used++] = digits[b0 >> 2];
        out[used++] = digits[(b0 & 3) << 4 | b1 >> 4];
        out[used++] = left > 1 ? digits[(b1 & 15) << 2 | b2 >> 6] : '=';
        out[used++] = left > 2 ? digits[b2 & 63] : '=';
    }
    out[used++] = '\a';
    tty_send(&curses->tty, out, used);
    return true;
}

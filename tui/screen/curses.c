#include "tui/screen/curses.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_NOMACROS 1
#include <curses.h>

#include "config/utf8.h"
#include "tui/screen/keys.h"
#include "tui/screen/rescue.h"
#include "tui/text/safe.h"

#define DOUBLE_CLICK_MS 400
#define STYLES 1024 /* every role, selected or not, in the title or not; see style_slot() */

struct curses {
    SCREEN *screen;
    struct theme theme;
    bool ascii, mouse, suspended;
    struct cells *shown; /* what the terminal shows; its cells' width is 9 where that is not known */
    short pairs[STYLES]; /* curses' colour pair of a style; 0: not made yet */
    int pair_count;
    int click_x, click_y;
    int64_t click_ms; /* of the last single click, or 0 */
};

static const char *capability(const char *name)
{
    char copy[8]; /* tigetstr() wants its argument writable in some versions */
    snprintf(copy, sizeof(copy), "%s", name);
    const char *value = tigetstr(copy);
    return value == (const char *)-1 ? NULL : value;
}

static void prepare_rescue(bool mouse)
{
    if (mouse)
        rescue_send("\033[?1006l\033[?1002l\033[?1000l");
    rescue_send(capability("sgr0"));
    rescue_send(capability("op"));
    rescue_send(capability("cnorm"));
    rescue_send(capability("rmkx"));
    rescue_send(capability("rmcup"));
    rescue_arm();
}

__attribute__((format(printf, 2, 3))) static bool refuse(char **error, const char *format, ...)
{
    char buffer[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    *error = strdup(buffer);
    return false;
}

#define INSTEAD "use 'electop once' for one look as text, or 'electop events' for what happens, line by line"

/* Asks terminfo without curses, which would speak to the terminal (initscr() even ends the process). */
static bool can_draw(char **error)
{
    if (!isatty(STDOUT_FILENO))
        return refuse(error, "standard output is not a terminal; " INSTEAD);
    if (!isatty(STDIN_FILENO))
        return refuse(error, "standard input is not a terminal; " INSTEAD);
    const char *term = getenv("TERM");
    if (!term || !*term)
        return refuse(error, "TERM is not set, so the terminal's abilities are not known; set it "
                             "(TERM=xterm-256color), or " INSTEAD);
    int found = 0;
    if (setupterm(NULL, STDOUT_FILENO, &found) != OK) {
        char *name = safe_text(term, strnlen(term, 64), true);
        refuse(error,
               "TERM is '%s', which is not in this system's terminfo; set it to what the terminal is "
               "(xterm-256color), or " INSTEAD,
               name ? name : "?");
        free(name);
        return false;
    }
    bool able = capability("cup") && capability("clear");
    del_curterm(cur_term);
    if (!able)
        return refuse(error, "this terminal (TERM=%.32s) cannot place its cursor; " INSTEAD, term);
    return true;
}

static bool wants_ascii(const struct screen_settings *settings)
{
    if (settings->ascii != TRI_AUTO)
        return settings->ascii == TRI_YES;
    return !safe_locale_is_utf8();
}

static void write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        bytes += written;
        length -= (size_t)written;
    }
}

/* Forms of the same keys that a terminal may send although its terminfo entry names another one. */
static void define_keys(void)
{
    static const struct {
        const char *bytes;
        int key;
    } forms[] = {
        {"\033[A", KEY_UP},     {"\033[B", KEY_DOWN},   {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT},
        {"\033[H", KEY_HOME},   {"\033[F", KEY_END},    {"\033OA", KEY_UP},    {"\033OB", KEY_DOWN},
        {"\033OC", KEY_RIGHT},  {"\033OD", KEY_LEFT},   {"\033OH", KEY_HOME},  {"\033OF", KEY_END},
        {"\033[1~", KEY_HOME},  {"\033[4~", KEY_END},   {"\033[7~", KEY_HOME}, {"\033[8~", KEY_END},
        {"\033[5~", KEY_PPAGE}, {"\033[6~", KEY_NPAGE}, {"\033OP", KEY_F(1)},  {"\033[11~", KEY_F(1)},
        {"\033[[A", KEY_F(1)},  {"\033OM", KEY_ENTER},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (key_defined(forms[i].bytes) == 0)
            define_key(forms[i].bytes, forms[i].key);
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
        write_all(question, strlen(question));
}

struct curses *curses_open(const struct screen_settings *settings, enum color_choice color, char **error)
{
    *error = NULL;
    if (!can_draw(error))
        return NULL;
    struct curses *curses = calloc(1, sizeof(*curses));
    if (!curses || !rescue_remember() || !(curses->shown = cells_new(0, 0))) {
        refuse(error, "the terminal could not be read: %s", strerror(errno));
        free(curses);
        return NULL;
    }
    /* Wanted even for ASCII: curses must know that its bytes are characters, and how wide they are. */
    setlocale(LC_CTYPE, "");
    curses->ascii = wants_ascii(settings);
    use_env(FALSE); /* the terminal's own size, not what LINES and COLUMNS were when the shell began */
    use_tioctl(TRUE);
    curses->screen = newterm(NULL, stdout, stdin);
    if (!curses->screen) {
        refuse(error, "curses cannot use this terminal (TERM=%.32s); set TERM to what it is, or " INSTEAD,
               getenv("TERM"));
        cells_free(curses->shown);
        free(curses);
        return NULL;
    }
    curses->mouse = settings->mouse;
    prepare_rescue(curses->mouse);
    cbreak();
    noecho();
    nonl(); /* Enter is a carriage return of its own then, and Ctrl-J another key */
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    define_keys();
    choose_theme(curses, settings, color);
    if (curses->mouse) {
        /* Clicks are told apart here: curses would wait, and hold up the loop, to see a double one. */
        mouseinterval(0);
        mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    }
    return curses;
}

static bool takes_output(int wait_ms)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, wait_ms) != 0;
}

/*
 * A terminal that somebody stopped (Ctrl-S) is started again, since the end must not wait for a Ctrl-Q that
 * may never come. One whose line is dead takes nothing any more: only its modes are put back.
 */
static void leave_terminal(void)
{
    if (!takes_output(200)) {
        struct termios modes;
        /* One stopped by a program goes on; one stopped by a key when keys cannot stop it. */
        tcflow(STDOUT_FILENO, TCOON);
        if (tcgetattr(STDOUT_FILENO, &modes) == 0) {
            modes.c_iflag &= ~(tcflag_t)IXON;
            tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
        }
        if (!takes_output(500)) {
            tcflush(STDOUT_FILENO, TCOFLUSH);
            rescue_modes();
            return;
        }
    }
    endwin();
}

void curses_close(struct curses *curses)
{
    if (!curses)
        return;
    if (!curses->suspended)
        leave_terminal();
    rescue_disarm();
    delscreen(curses->screen);
    cells_free(curses->shown);
    free(curses);
}

bool curses_is_ascii(const struct curses *curses)
{
    return curses->ascii;
}

int curses_descriptor(const struct curses *curses)
{
    (void)curses;
    return STDIN_FILENO;
}

void curses_redraw(struct curses *curses)
{
    for (int i = 0; i < curses->shown->width * curses->shown->height; i++)
        curses->shown->at[i].width = 9;
    clearok(curscr, TRUE);
}

void curses_measure(struct curses *curses, int *width, int *height)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        /* A line without a size (a serial console): what terminfo says. */
        size.ws_col = (unsigned short)(COLS > 0 ? COLS : 80);
        size.ws_row = (unsigned short)(LINES > 0 ? LINES : 24);
    }
    *width = size.ws_col;
    *height = size.ws_row;
    if (size.ws_col != COLS || size.ws_row != LINES)
        resizeterm(size.ws_row, size.ws_col);
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
    if (curses->suspended || !takes_output(0))
        return false;
    if (curses->shown->width != cells->width || curses->shown->height != cells->height) {
        if (!cells_resize(curses->shown, cells->width, cells->height))
            return false;
        werase(stdscr);
        curses_redraw(curses);
    }
    for (int y = 0; y < cells->height && y < LINES; y++) {
        struct cell *shown = &curses->shown->at[(size_t)y * (size_t)cells->width];
        const struct cell *wanted = &cells->at[(size_t)y * (size_t)cells->width];
        bool changed = false;
        for (int x = 0; x < cells->width && !changed; x++)
            changed = !same_cell(&shown[x], &wanted[x]);
        /* Whole rows are given to curses, which compares again what is really on the screen; single cells
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
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool read_mouse(struct curses *curses, struct key_press *press)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return false;
    press->x = event.x;
    press->y = event.y;
    if (event.bstate & BUTTON4_PRESSED) {
        press->key = KEY_CODE_WHEEL_UP;
    } else if (event.bstate & BUTTON5_PRESSED) {
        press->key = KEY_CODE_WHEEL_DOWN;
    } else if (event.bstate & BUTTON1_PRESSED) {
        int64_t now = now_ms();
        bool twice = curses->click_ms && now - curses->click_ms <= DOUBLE_CLICK_MS &&
                     event.x == curses->click_x && event.y == curses->click_y;
        press->key = twice ? KEY_CODE_DOUBLE_CLICK : KEY_CODE_CLICK;
        curses->click_ms = twice ? 0 : now;
        curses->click_x = event.x;
        curses->click_y = event.y;
    } else {
        return false;
    }
    return true;
}

static int code_of(wint_t key)
{
    static const struct {
        wint_t curses;
        int ours;
    } codes[] = {
        {KEY_UP, KEY_CODE_UP},         {KEY_DOWN, KEY_CODE_DOWN},
        {KEY_LEFT, KEY_CODE_LEFT},     {KEY_RIGHT, KEY_CODE_RIGHT},
        {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN},
        {KEY_HOME, KEY_CODE_HOME},     {KEY_END, KEY_CODE_END},
        {KEY_ENTER, KEY_CODE_ENTER},   {KEY_BACKSPACE, KEY_CODE_BACKSPACE},
        {KEY_F(1), KEY_CODE_F1},       {KEY_F(10), KEY_CODE_F10},
        {KEY_FIND, KEY_CODE_HOME},     {KEY_SELECT, KEY_CODE_END},
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        if (codes[i].curses == key)
            return codes[i].ours;
    return 0;
}

/*
 * Waits a moment for what must follow: a sequence may come in two pieces, and its letters must never act as
 * keys. Only ever in the middle of one.
 */
static bool next_of_sequence(wint_t *key)
{
    wtimeout(stdscr, 50);
    int kind = get_wch(key);
    wtimeout(stdscr, 0);
    return kind == OK;
}

/* "11;rgb:1e1e/1e1e/2e2e": what the terminal's background is, in answer to our question. */
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

enum escape { ESCAPE_KEY, ESCAPE_SKIPPED, ESCAPE_LEARNT };

/*
 * What an escape was: the key; or the beginning of a sequence that terminfo does not know (a function key, a
 * modified arrow), which is read past, since its letters would act each for itself; or an answer to us.
 */
static enum escape read_escape(struct curses *curses)
{
    wint_t key;
    int kind = get_wch(&key);
    char answer[64];
    size_t used = 0;
    if (kind == OK && (key == '[' || key == 'O')) {
        for (int i = 0; i < 32 && next_of_sequence(&key); i++)
            if (key >= 0x40 && key <= 0x7e && key != '[')
                break;
        return ESCAPE_SKIPPED;
    }
    if (kind == OK && key == ']') {
        for (int i = 0; i < 4096 && next_of_sequence(&key) && key != '\a'; i++) {
            if (key == 27) {
                next_of_sequence(&key); /* the backslash of its end */
                break;
            }
            if (used + 1 < sizeof(answer) && key < 0x80)
                answer[used++] = (char)key;
        }
        answer[used] = '\0';
        return learn_background(curses, answer) ? ESCAPE_LEARNT : ESCAPE_SKIPPED;
    }
    if (kind == OK)
        unget_wch((wchar_t)key);
    else if (kind == KEY_CODE_YES)
        ungetch((int)key);
    return ESCAPE_KEY;
}

bool curses_key(struct curses *curses, struct key_press *press)
{
    /* Some keys are none of ours: they are read past, but never without an end. */
    for (int i = 0; i < 4096; i++) {
        *press = (struct key_press){0, -1, -1};
        wint_t key;
        int kind = get_wch(&key);
        if (kind == ERR)
            return false;
        if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
            if (read_mouse(curses, press))
                return true;
        } else if (kind == KEY_CODE_YES) {
            if ((press->key = code_of(key)) != 0)
                return true;
        } else if (key == '\r' || key == '\n') {
            press->key = KEY_CODE_ENTER;
            return true;
        } else if (key == 27) {
            enum escape escape = read_escape(curses);
            press->key = escape == ESCAPE_LEARNT ? KEY_CODE_NONE : KEY_CODE_ESCAPE;
            if (escape != ESCAPE_SKIPPED)
                return true;
        } else if (key == 127 || key == 8) {
            press->key = KEY_CODE_BACKSPACE;
            return true;
        } else if (key > 0 && key < KEY_CODE_BASE) {
            press->key = (int)key;
            return true;
        }
    }
    return false;
}

bool curses_is_gone(const struct curses *curses)
{
    (void)curses;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int waiting = 0;
    if (poll(&in, 1, 0) <= 0)
        return false;
    if (in.revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    /* Readable with nothing to read is an end of file. */
    return (in.revents & POLLIN) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting == 0;
}

void curses_suspend(struct curses *curses)
{
    if (curses->suspended)
        return;
    curses->suspended = true;
    def_prog_mode();
    endwin();
    rescue_hold(true);
}

void curses_resume(struct curses *curses)
{
    /* Also after a stop that nobody announced (SIGSTOP): the shell may have changed the terminal's modes. */
    curses->suspended = false;
    rescue_hold(false);
    reset_prog_mode();
    curses_redraw(curses);
    wrefresh(stdscr);
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
    write_all(out, used);
    return true;
}

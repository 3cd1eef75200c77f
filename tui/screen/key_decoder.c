#include "tui/screen/key_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"
#include "tui/screen/key_bindings.h"

#define ESCAPE 0x1b
#define CANCEL 0x18
#define SUBSTITUTE 0x1a
#define STRING_MOST 4096 /* bytes of a string; text follows it */

/* The usual sequences, without their ESC. A terminal may send one of these although terminfo names another.
 */
static const struct {
    const char *bytes;
    int key;
} usual[] = {
    {"[A", KEY_CODE_UP},       {"[B", KEY_CODE_DOWN},     {"[C", KEY_CODE_RIGHT},      {"[D", KEY_CODE_LEFT},
    {"[H", KEY_CODE_HOME},     {"[F", KEY_CODE_END},      {"OA", KEY_CODE_UP},         {"OB", KEY_CODE_DOWN},
    {"OC", KEY_CODE_RIGHT},    {"OD", KEY_CODE_LEFT},     {"OH", KEY_CODE_HOME},       {"OF", KEY_CODE_END},
    {"[1~", KEY_CODE_HOME},    {"[4~", KEY_CODE_END},     {"[7~", KEY_CODE_HOME},      {"[8~", KEY_CODE_END},
    {"[3~", KEY_CODE_DELETE},  {"[5~", KEY_CODE_PAGE_UP}, {"[6~", KEY_CODE_PAGE_DOWN}, {"OM", KEY_CODE_ENTER},
    {"[Z", KEY_CODE_BACK_TAB}, {"OP", KEY_CODE_F1},       {"OQ", KEY_CODE_F2},         {"OR", KEY_CODE_F3},
    {"OS", KEY_CODE_F4},       {"[11~", KEY_CODE_F1},     {"[12~", KEY_CODE_F2},       {"[13~", KEY_CODE_F3},
    {"[14~", KEY_CODE_F4},     {"[15~", KEY_CODE_F5},     {"[17~", KEY_CODE_F6},       {"[18~", KEY_CODE_F7},
    {"[19~", KEY_CODE_F8},     {"[20~", KEY_CODE_F9},     {"[21~", KEY_CODE_F10},      {"[[A", KEY_CODE_F1},
    {"[[B", KEY_CODE_F2},      {"[[C", KEY_CODE_F3},      {"[[D", KEY_CODE_F4},        {"[[E", KEY_CODE_F5},
};

void key_decoder_init(struct key_decoder *decoder, int escape_ms)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->escape_ms = escape_ms > 0 ? escape_ms : KEY_DECODER_ESCAPE_MS;
    decoder->click_ms = -1;
}

void key_decoder_define(struct key_decoder *decoder, const char *sequence, int key)
{
    if (!sequence || sequence[0] != ESCAPE || decoder->defined_count == KEY_DECODER_DEFINED ||
        strlen(sequence) < 3 || strlen(sequence) > sizeof decoder->defined[0].bytes)
        return;
    strcpy(decoder->defined[decoder->defined_count].bytes, sequence + 1);
    decoder->defined[decoder->defined_count++].key = key;
}

size_t key_decoder_room(const struct key_decoder *decoder)
{
    return KEY_DECODER_BYTES - decoder->waiting_count;
}

void key_decoder_feed(struct key_decoder *decoder, const void *bytes, size_t length, int64_t now_ms)
{
    if (length > key_decoder_room(decoder))
        length = key_decoder_room(decoder);
    memmove(decoder->waiting, decoder->waiting + decoder->waiting_from, decoder->waiting_count);
    memcpy(decoder->waiting + decoder->waiting_count, bytes, length);
    decoder->waiting_from = 0;
    decoder->waiting_count += length;
    decoder->fed_ms = now_ms;
}

static void decoder_emit(struct key_decoder *decoder, int key, int x, int y)
{
    decoder->ready[decoder->ready_count++] = (struct key_press){key, x, y, decoder->pasting};
}

/* The end of a sequence, a string or a character, whole or not. */
static void decoder_reset(struct key_decoder *decoder)
{
    decoder->state = KEY_STATE_GROUND;
    decoder->sequence_length = 0;
    decoder->string_escape = false;
}

static void decoder_keep(struct key_decoder *decoder, unsigned char byte)
{
    if (decoder->sequence_length + 1 < KEY_DECODER_SEQUENCE)
        decoder->sequence[decoder->sequence_length] = (char)byte;
    decoder->sequence_length++;
}

/* The kept sequence as a string; an oversized one is empty, which nothing matches. */
static const char *decoder_sequence(struct key_decoder *decoder)
{
    size_t length = decoder->sequence_length < KEY_DECODER_SEQUENCE ? decoder->sequence_length : 0;
    decoder->sequence[length] = '\0';
    return decoder->sequence;
}

/* button is the code of the protocols: 0 left; 4, 8, 16 modifiers; 32 motion; 64 and 65 the wheel. */
static void decoder_mouse(struct key_decoder *decoder, int64_t now_ms, long button, long x, long y)
{
    if (decoder->pasting || x < 1 || y < 1 || x > 10000 || y > 10000 || button < 0 || (button & 32))
        return;
    int column = (int)x - 1, row = (int)y - 1;
    button &= ~(4L | 8L | 16L);
    if (button == 64 || button == 65) {
        decoder_emit(decoder, button == 64 ? KEY_CODE_WHEEL_UP : KEY_CODE_WHEEL_DOWN, column, row);
    } else if (button == 0) {
        bool twice = decoder->click_ms >= 0 && now_ms - decoder->click_ms <= DOUBLE_CLICK_MS &&
                     column == decoder->click_x && row == decoder->click_y;
        decoder->click_ms = twice ? -1 : now_ms;
        decoder->click_x = column;
        decoder->click_y = row;
        decoder_emit(decoder, twice ? KEY_CODE_DOUBLE_CLICK : KEY_CODE_CLICK, column, row);
    }
}

/* "<0;10;5" of ESC [ < 0 ; 10 ; 5 M. */
static bool decoder_numbers(const char *text, long numbers[3])
{
    char *end;
    for (int i = 0; i < 3; i++) {
        if (*text < '0' || *text > '9')
            return false;
        numbers[i] = strtol(text, &end, 10);
        if (*end != (i < 2 ? ';' : 'M') && !(i == 2 && *end == 'm'))
            return false;
        text = end + 1;
    }
    return *text == '\0';
}

static int decoder_lookup(const struct key_decoder *decoder, const char *sequence)
{
    for (size_t i = 0; i < decoder->defined_count; i++)
        if (strcmp(decoder->defined[i].bytes, sequence) == 0)
            return decoder->defined[i].key;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i].bytes, sequence) == 0)
            return usual[i].key;
    return 0;
}

/* A whole sequence. Inside a paste only its end has a meaning. */
static void decoder_finish(struct key_decoder *decoder, int64_t now_ms)
{
    const char *sequence = decoder_sequence(decoder);
    long numbers[3];
    int key = decoder->pasting ? 0 : decoder_lookup(decoder, sequence);
    if (strcmp(sequence, "[200~") == 0)
        decoder->pasting = true;
    else if (strcmp(sequence, "[201~") == 0)
        decoder->pasting = false;
    else if (key)
        decoder_emit(decoder, key, -1, -1);
    else if (strncmp(sequence, "[<", 2) == 0 && decoder_numbers(sequence + 2, numbers) &&
             sequence[strlen(sequence) - 1] == 'M')
        decoder_mouse(decoder, now_ms, numbers[0], numbers[1], numbers[2]);
    else if (sequence[0] == '[' && sequence[1] != '<' && decoder_numbers(sequence + 1, numbers) &&
             sequence[strlen(sequence) - 1] == 'M')
        decoder_mouse(decoder, now_ms, numbers[0] - 32, numbers[1], numbers[2]);
    decoder_reset(decoder);
}

static void decoder_finish_x10(struct key_decoder *decoder, int64_t now_ms)
{
    const unsigned char *bytes = (const unsigned char *)decoder->sequence + 2; /* after "[M" */
    decoder_mouse(decoder, now_ms, (long)bytes[0] - 32, (long)bytes[1] - 32, (long)bytes[2] - 32);
    decoder_reset(decoder);
}

/* An operating system command is an answer; other strings say nothing that is needed. */
static void decoder_finish_string(struct key_decoder *decoder)
{
    const char *text = decoder_sequence(decoder);
    if (text[0] == ']' && !decoder->pasting) {
        strcpy(decoder->answer, text + 1);
        decoder_emit(decoder, KEY_CODE_ANSWER, -1, -1);
    }
    decoder_reset(decoder);
}

static void decoder_finish_character(struct key_decoder *decoder)
{
    uint32_t code;
    size_t eaten = utf8_decode(decoder->sequence, decoder->sequence_length, &code);
    if (eaten == decoder->sequence_length && code >= 0x20 && code < KEY_CODE_BASE)
        decoder_emit(decoder, (int)code, -1, -1);
    decoder_reset(decoder);
}

static void decoder_ground(struct key_decoder *decoder, unsigned char byte)
{
    if (byte == ESCAPE) {
        decoder->state = KEY_STATE_ESCAPE;
    } else if (byte >= 0xc2 && byte < 0xf5) {
        decoder->state = KEY_STATE_CHARACTER;
        decoder->character_length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        decoder_keep(decoder, byte);
    } else if (byte == 0 || byte >= 0x80) {
        /* No key sends it, and it begins no character. */
    } else if (decoder->pasting) {
        if (byte >= 0x20 && byte < 0x7f)
            decoder_emit(decoder, byte, -1, -1);
    } else if (byte == '\r' || byte == '\n') {
        decoder_emit(decoder, KEY_CODE_ENTER, -1, -1);
    } else if (byte == 0x7f || byte == '\b') {
        decoder_emit(decoder, KEY_CODE_BACKSPACE, -1, -1);
    } else {
        decoder_emit(decoder, byte, -1, -1);
    }
}

static void decoder_after_escape(struct key_decoder *decoder, unsigned char byte)
{
    if (byte == '[' || byte == 'O') {
        decoder->state = byte == '[' ? KEY_STATE_CSI : KEY_STATE_SS3;
        decoder_keep(decoder, byte);
    } else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
        decoder->state = KEY_STATE_STRING;
        decoder_keep(decoder, byte);
    } else {
        if (!decoder->pasting)
            decoder_emit(decoder, KEY_CODE_ESCAPE, -1, -1);
        decoder_reset(decoder);
        decoder_ground(decoder, byte);
    }
}

static void decoder_in_csi(struct key_decoder *decoder, unsigned char byte, int64_t now_ms)
{
    bool first = decoder->sequence_length == 1;
    decoder_keep(decoder, byte);
    if (first && byte == '[' && !decoder->pasting)
        decoder->state = KEY_STATE_LINUX;
    else if (first && byte == 'M' && !decoder->pasting)
        decoder->state = KEY_STATE_X10;
    else if (byte >= 0x40 && byte <= 0x7e)
        decoder_finish(decoder, now_ms);
    else if (byte < 0x20 || byte > 0x7e)
        decoder_reset(decoder); /* no sequence contains it */
}

static void decoder_in_string(struct key_decoder *decoder, unsigned char byte)
{
    if (byte == '\a' || (decoder->string_escape && byte == '\\')) {
        decoder_finish_string(decoder);
    } else if (decoder->string_escape) { /* the string breaks off, and something else begins */
        decoder_reset(decoder);
        decoder->state = KEY_STATE_ESCAPE;
        decoder_after_escape(decoder, byte);
    } else if (byte == ESCAPE) {
        decoder->string_escape = true;
    } else if (byte == CANCEL || byte == SUBSTITUTE || decoder->sequence_length > STRING_MOST) {
        decoder_reset(decoder);
    } else {
        decoder_keep(decoder, byte);
    }
}

static void decoder_take(struct key_decoder *decoder, unsigned char byte, int64_t now_ms)
{
    enum key_state state = decoder->state;
    bool interrupts = byte == ESCAPE || byte == CANCEL || byte == SUBSTITUTE;
    if (interrupts && (state == KEY_STATE_CSI || state == KEY_STATE_SS3 || state == KEY_STATE_LINUX ||
                       state == KEY_STATE_CHARACTER)) {
        decoder_reset(decoder);
        if (byte == ESCAPE)
            decoder->state = KEY_STATE_ESCAPE;
        return;
    }
    switch (state) {
    case KEY_STATE_GROUND:
        decoder_ground(decoder, byte);
        break;
    case KEY_STATE_ESCAPE:
        decoder_after_escape(decoder, byte);
        break;
    case KEY_STATE_CSI:
        decoder_in_csi(decoder, byte, now_ms);
        break;
    case KEY_STATE_SS3:
    case KEY_STATE_LINUX:
        decoder_keep(decoder, byte);
        decoder_finish(decoder, now_ms);
        break;
    case KEY_STATE_X10:
        decoder_keep(decoder, byte);
        if (decoder->sequence_length == 5)
            decoder_finish_x10(decoder, now_ms);
        break;
    case KEY_STATE_STRING:
        decoder_in_string(decoder, byte);
        break;
    case KEY_STATE_CHARACTER:
        if ((byte & 0xc0) != 0x80) { /* the character breaks off; this byte counts for itself */
            decoder_reset(decoder);
            decoder_ground(decoder, byte);
            break;
        }
        decoder_keep(decoder, byte);
        if (decoder->sequence_length == decoder->character_length)
            decoder_finish_character(decoder);
        break;
    }
}

/* How long the state may last without a byte; -1: for ever. */
static int decoder_limit_ms(const struct key_decoder *decoder)
{
    if (decoder->state == KEY_STATE_ESCAPE)
        return decoder->escape_ms;
    if (decoder->state != KEY_STATE_GROUND)
        return KEY_DECODER_REST_MS;
    return decoder->pasting ? KEY_DECODER_PASTE_MS : -1;
}

static void decoder_expire(struct key_decoder *decoder, int64_t now_ms)
{
    int limit_ms = decoder_limit_ms(decoder);
    if (limit_ms < 0 || now_ms - decoder->fed_ms < limit_ms)
        return;
    if (decoder->state == KEY_STATE_ESCAPE && !decoder->pasting)
        decoder_emit(decoder, KEY_CODE_ESCAPE, -1, -1);
    else if (decoder->state == KEY_STATE_GROUND)
        decoder->pasting = false; /* its end was lost: keys are keys again */
    decoder_reset(decoder);
}

bool key_decoder_next(struct key_decoder *decoder, int64_t now_ms, struct key_press *press)
{
    while (decoder->ready_count == 0 && decoder->waiting_count > 0) {
        unsigned char byte = decoder->waiting[decoder->waiting_from++];
        decoder->waiting_count--;
        decoder_take(decoder, byte, decoder->fed_ms);
    }
    if (decoder->ready_count == 0)
        decoder_expire(decoder, now_ms);
    if (decoder->ready_count == 0)
        return false;
    *press = decoder->ready[0];
    decoder->ready_count--;
    memmove(decoder->ready, decoder->ready + 1, decoder->ready_count * sizeof *decoder->ready);
    return true;
}

int key_decoder_wait_ms(const struct key_decoder *decoder, int64_t now_ms)
{
    if (decoder->ready_count > 0 || decoder->waiting_count > 0)
        return 0;
    int limit_ms = decoder_limit_ms(decoder);
    if (limit_ms < 0)
        return -1;
    int64_t left = decoder->fed_ms + limit_ms - now_ms;
    return left > 0 ? (int)left : 0;
}

const char *key_decoder_answer(const struct key_decoder *decoder)
{
    return decoder->answer;
}

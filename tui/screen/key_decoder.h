/*
 * key_decoder.h - turns the bytes that a terminal sends into keys, clicks and pasted characters.
 *
 * Pure: bytes and times go in, key presses come out. It never reads, waits or allocates, so no byte can delay
 * the event loop. It knows the sequences of ECMA-48 terminals, those of the terminal's terminfo entry
 * (key_decoder_define), mouse reports in the SGR, urxvt and X10 forms, bracketed paste, UTF-8, and the answer
 * to a background query (OSC 11). Everything else is skipped completely: the letters of an unknown sequence
 * never act as keys. A sequence that stays incomplete ends after a time limit.
 */
#ifndef ELECTOP_TUI_SCREEN_KEY_DECODER_H
#define ELECTOP_TUI_SCREEN_KEY_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_DECODER_BYTES 1024   /* bytes not decoded yet */
#define KEY_DECODER_SEQUENCE 64  /* the kept bytes of a sequence; a longer one is unknown */
#define KEY_DECODER_DEFINED 48   /* sequences from terminfo */
#define KEY_DECODER_ESCAPE_MS 50 /* an ESC with nothing after it for this long is the Escape key */
#define KEY_DECODER_REST_MS 250  /* the rest of a sequence */
#define KEY_DECODER_PASTE_MS 1000
#define DOUBLE_CLICK_MS 400

struct key_press {
    int key;     /* as in keys.h */
    int x, y;    /* of clicks and the wheel, from 0; else -1 */
    bool pasted; /* a character of a paste: text, never a command */
};

enum key_state {
    KEY_STATE_GROUND,
    KEY_STATE_ESCAPE,
    KEY_STATE_CSI,      /* after ESC [ */
    KEY_STATE_SS3,      /* after ESC O */
    KEY_STATE_LINUX,    /* after ESC [ [, a function key of the Linux console */
    KEY_STATE_X10,      /* after ESC [ M: three bytes of a mouse report */
    KEY_STATE_STRING,   /* after ESC ] and the like, up to its terminator */
    KEY_STATE_CHARACTER /* inside a character of several bytes */
};

struct key_decoder {
    struct {
        char bytes[16];
        int key;
    } defined[KEY_DECODER_DEFINED];
    size_t defined_count;
    int escape_ms;

    unsigned char waiting[KEY_DECODER_BYTES];
    size_t waiting_from, waiting_count;
    int64_t fed_ms; /* when the last bytes came */

    enum key_state state;
    char sequence[KEY_DECODER_SEQUENCE]; /* without its ESC */
    size_t sequence_length;              /* may exceed the room: then it is unknown */
    bool string_escape;                  /* the last byte of a string was ESC */
    size_t character_length;             /* bytes that the character needs */
    bool pasting;

    struct key_press ready[4];
    size_t ready_count;
    int click_x, click_y;
    int64_t click_ms; /* of the last single click; -1: none */
    char answer[KEY_DECODER_SEQUENCE];
};

/* escape_ms: 0 for KEY_DECODER_ESCAPE_MS. */
void key_decoder_init(struct key_decoder *decoder, int escape_ms);

/* A sequence of this terminal (tigetstr) and its key of keys.h. Overrides the usual meaning. NULL and
 * sequences that do not begin with ESC are ignored. */
void key_decoder_define(struct key_decoder *decoder, const char *sequence, int key);

/* The number of bytes that key_decoder_feed() accepts now. */
size_t key_decoder_room(const struct key_decoder *decoder);
void key_decoder_feed(struct key_decoder *decoder, const void *bytes, size_t length, int64_t now_ms);

/* The next key press; false: none is complete. now_ms decides whether an incomplete sequence has ended. */
bool key_decoder_next(struct key_decoder *decoder, int64_t now_ms, struct key_press *press);

/* The delay in ms before key_decoder_next() must be called again without input; -1: never. */
int key_decoder_wait_ms(const struct key_decoder *decoder, int64_t now_ms);

/* The text of the last KEY_CODE_ANSWER: an operating system command such as "11;rgb:ffff/ffff/ffff". */
const char *key_decoder_answer(const struct key_decoder *decoder);

#endif

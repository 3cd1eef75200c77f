/*
 * The decoder of what a terminal sends: any bytes, in pieces of any size at any times, give keys that exist,
 * leave it ready for the next key, and never depend on how the bytes were cut where no time passes between
 * them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/key_decoder.h"
#include "tui/screen/key_bindings.h"

#define PRESSES_MOST 8192

static void check(bool holds)
{
    if (!holds)
        abort();
}

static size_t take(struct key_decoder *decoder, int64_t now_ms, struct key_press *presses, size_t count)
{
    struct key_press press;
    while (key_decoder_next(decoder, now_ms, &press)) {
        check(press.key > 0 && press.key < KEY_CODE_NONE);
        check(!press.pasted || (press.key >= 0x20 && press.key < KEY_CODE_BASE && press.key != 0x7f));
        bool mouse = press.key >= KEY_CODE_CLICK && press.key <= KEY_CODE_WHEEL_DOWN;
        check(mouse ? press.x >= 0 && press.y >= 0 : press.x == -1 && press.y == -1);
        check(strlen(key_decoder_answer(decoder)) < KEY_DECODER_SEQUENCE);
        if (count < PRESSES_MOST)
            presses[count++] = press;
    }
    return count;
}

/* step: bytes in one piece; 0: as many as the decoder takes. */
static size_t decode(const uint8_t *data, size_t size, size_t step, struct key_press *presses)
{
    struct key_decoder decoder;
    size_t count = 0;
    key_decoder_init(&decoder, 0);
    key_decoder_define(&decoder, "\033[25~", KEY_CODE_F9);
    while (size > 0) {
        size_t piece = step && step < size ? step : size;
        if (piece > key_decoder_room(&decoder))
            piece = key_decoder_room(&decoder);
        key_decoder_feed(&decoder, data, piece, 1000);
        count = take(&decoder, 1000, presses, count);
        check(key_decoder_room(&decoder) == KEY_DECODER_BYTES);
        data += piece;
        size -= piece;
    }
    /* After a pause every key is a key again. */
    for (int64_t now_ms = 1000; now_ms < 8000; now_ms += 500)
        count = take(&decoder, now_ms, presses, count);
    check(key_decoder_wait_ms(&decoder, 8000) == -1);
    key_decoder_feed(&decoder, "q", 1, 8000);
    struct key_press press;
    check(key_decoder_next(&decoder, 8000, &press) && press.key == 'q' && !press.pasted);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct key_press whole[PRESSES_MOST], cut[PRESSES_MOST];
    size_t count = decode(data, size, 0, whole);
    for (size_t step = 1; step < 8; step++) {
        check(decode(data, size, step, cut) == count);
        check(memcmp(whole, cut, count * sizeof *whole) == 0);
    }
    return 0;
}

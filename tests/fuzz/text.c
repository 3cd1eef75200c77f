/*
 * Strangers' bytes made fit for a terminal: whatever comes in, what goes out is valid, printable UTF-8 (or
 * ASCII), of the width that was measured, and every byte of the input has been used.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"
#include "tui/words/names.h"
#include "tui/screen/safe.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Nothing that a terminal acts on, and nothing that turns the direction of text. */
static void check_harmless(const char *text, bool ascii)
{
    size_t length = strlen(text), eaten;
    for (size_t at = 0; at < length; at += eaten) {
        uint32_t c;
        eaten = utf8_decode(text + at, length - at, &c);
        check(eaten > 0);
        check(c >= 0x20 && !(c >= 0x7f && c <= 0x9f));
        check(!(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069));
        check(!utf8_deceives(c));
        check(!ascii || c < 0x7f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    for (int ascii = 0; ascii < 2; ascii++) {
        int columns = 0, width;
        size_t at = 0, eaten;
        char unit[SAFE_UNIT];
        while ((eaten = safe_unit(text + at, size - at, ascii, unit, &width)) > 0) {
            check(eaten <= size - at && width >= 0 && strlen(unit) < SAFE_UNIT);
            at += eaten;
            columns += width;
        }
        check(at == size);
        check(safe_width(text, size, ascii) == columns);
        char *safe = safe_text(text, size, ascii);
        if (safe)
            check_harmless(safe, ascii);
        free(safe);
    }
    char *name = malloc(size + 1), shortened[256];
    if (!name)
        return 0;
    memcpy(name, text, size);
    name[size] = '\0';
    for (int room = -1; room < 40; room += 7)
        check(strlen(name_fit_candidate(&(struct cells){0}, name, room, shortened, sizeof(shortened))) <
              sizeof(shortened));
    free(name);
    return 0;
}

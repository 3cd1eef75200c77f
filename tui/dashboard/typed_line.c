#include "tui/dashboard/typed_line.h"

#include <string.h>

#include "config/utf8.h"
#include "tui/screen/keys.h"

#define KEY_CLEAR 21 /* Ctrl-U */

enum typed typed_line_key(char *text, size_t size, int key)
{
    char bytes[4];
    size_t length = strlen(text), more;
    if (key == KEY_CODE_ENTER)
        return TYPED_KEPT;
    if (key == KEY_CODE_ESCAPE) {
        text[0] = '\0';
        return TYPED_ENDED;
    }
    if (key == KEY_CLEAR) {
        text[0] = '\0';
        return TYPED_CHANGED;
    }
    if (key == KEY_CODE_BACKSPACE) {
        while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
            ;
        text[length] = '\0';
        return TYPED_CHANGED;
    }
    if (key < 0x20 || key == 0x7f || key >= KEY_CODE_BASE || (more = utf8_encode((uint32_t)key, bytes)) == 0)
        return key < KEY_CODE_BASE ? TYPED_NOTHING : TYPED_NOT;
    if (length + more >= size)
        return TYPED_NOTHING;
    memcpy(text + length, bytes, more);
    text[length + more] = '\0';
    return TYPED_CHANGED;
}

#include "tests/support/json_back.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

json_t *json_back(const char *bytes, size_t length)
{
    json_error_t error;
    json_t *value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value)
        fail_msg("line %d: %s: %.*s", error.line, error.text, (int)(length < 2000 ? length : 2000), bytes);
    return value;
}

json_t *json_back_of(const struct buffer *text)
{
    return json_back(text->bytes, text->length);
}

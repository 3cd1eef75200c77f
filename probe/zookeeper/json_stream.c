#include "probe/zookeeper/json_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/utf8.h"

/* The next permitted element, outside strings, numbers and words. */
enum expecting {
    EXPECT_VALUE,
    EXPECT_FIRST_ITEM, /* or the end of the list */
    EXPECT_FIRST_KEY,  /* or the end of the object */
    EXPECT_KEY,
    EXPECT_COLON,
    EXPECT_COMMA, /* or the end of the enclosing value */
    EXPECT_NOTHING
};

enum token { TOKEN_NONE, TOKEN_STRING, TOKEN_ESCAPE, TOKEN_HEX, TOKEN_NUMBER, TOKEN_WORD };

struct json_stream {
    json_stream_fn fn;
    void *context;
    const char *problem;
    enum expecting expecting;
    enum token token;
    bool is_key; /* the string being read is a key */
    size_t depth;
    bool in_object[JSON_STREAM_DEPTH + 1];
    char keys[JSON_STREAM_DEPTH + 2][JSON_STREAM_KEY_SIZE];

    char *text; /* the current token, if it is split over pieces, or has escapes */
    size_t length, room;
    unsigned hex_digits;
    uint32_t unit, high; /* of \uXXXX; high: the first half of a pair, or 0 */
};

static bool json_stream_fail(struct json_stream *s, const char *problem)
{
    if (!s->problem)
        s->problem = problem;
    return false;
}

static bool json_stream_keep(struct json_stream *s, const char *bytes, size_t count)
{
    if (count > JSON_STREAM_TOKEN_MOST - s->length)
        return json_stream_fail(s, "JSON with an endless string");
    if (s->room - s->length <= count) {
        size_t room = s->room ? s->room : 256;
        while (room - s->length <= count)
            room *= 2;
        char *text = xreallocarray(s->text, room, 1);
        s->text = text;
        s->room = room;
    }
    memcpy(s->text + s->length, bytes, count);
    s->length += count;
    return true;
}

static void json_stream_emit(struct json_stream *s, enum value_kind kind, const char *text, size_t length)
{
    struct json_value value = {
        .kind = kind, .depth = s->depth, .keys = s->keys, .text = text, .length = length};
    s->fn(s->context, &value);
}

static void value_ended(struct json_stream *s)
{
    s->expecting = s->depth ? EXPECT_COMMA : EXPECT_NOTHING;
}

static void string_ended(struct json_stream *s, const char *text, size_t length)
{
    s->token = TOKEN_NONE;
    if (s->is_key) {
        char *key = s->keys[s->depth - 1];
        size_t kept = length < JSON_STREAM_KEY_SIZE ? length : JSON_STREAM_KEY_SIZE - 1;
        if (s->depth > JSON_STREAM_KEYS)
            kept = 0;
        memcpy(key, text, kept);
        key[kept] = '\0';
        s->expecting = EXPECT_COLON;
    } else {
        json_stream_emit(s, VALUE_TEXT, text, length);
        value_ended(s);
    }
}

/* A decimal number by RFC 8259: no leading zeros, no plus. */
static bool is_number(const char *at)
{
    at += *at == '-';
    if (*at == '0')
        at++;
    else if (*at >= '1' && *at <= '9')
        at += strspn(at, "0123456789");
    else
        return false;
    if (*at == '.') {
        size_t digits = strspn(++at, "0123456789");
        if (!digits)
            return false;
        at += digits;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        size_t digits = strspn(at, "0123456789");
        if (!digits)
            return false;
        at += digits;
    }
    return !*at;
}

/* Another token's first byte ends a number or word. */
static bool bare_ended(struct json_stream *s)
{
    bool number = s->token == TOKEN_NUMBER;
    if (!json_stream_keep(s, "", 1))
        return false;
    if (number
            ? !is_number(s->text)
            : strcmp(s->text, "true") != 0 && strcmp(s->text, "false") != 0 && strcmp(s->text, "null") != 0)
        return json_stream_fail(s, "not JSON");
    s->token = TOKEN_NONE;
    json_stream_emit(s, number ? VALUE_NUMBER : VALUE_WORD, s->text, s->length - 1);
    value_ended(s);
    return true;
}

static bool nest(struct json_stream *s, bool object)
{
    if (s->depth == JSON_STREAM_DEPTH)
        return json_stream_fail(s, "JSON nested too deeply");
    json_stream_emit(s, object ? VALUE_OBJECT : VALUE_LIST, "", 0);
    s->in_object[s->depth] = object;
    s->keys[s->depth][0] = '\0';
    s->depth++;
    s->expecting = object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
    return true;
}

static bool unnest(struct json_stream *s, bool object)
{
    if (!s->depth || s->in_object[s->depth - 1] != object)
        return json_stream_fail(s, "not JSON");
    s->depth--;
    json_stream_emit(s, object ? VALUE_OBJECT_END : VALUE_LIST_END, "", 0);
    value_ended(s);
    return true;
}

static bool begin_value(struct json_stream *s, char c)
{
    s->length = 0;
    if (c == '{' || c == '[')
        return nest(s, c == '{');
    if (c == '"') {
        s->token = TOKEN_STRING;
        s->is_key = false;
        s->high = 0;
        return true;
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        s->token = TOKEN_NUMBER;
    else if (c == 't' || c == 'f' || c == 'n')
        s->token = TOKEN_WORD;
    else
        return json_stream_fail(s, "not JSON");
    return json_stream_keep(s, &c, 1);
}

static bool structural(struct json_stream *s, char c)
{
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        return true;
    switch (s->expecting) {
    case EXPECT_FIRST_ITEM:
        if (c == ']')
            return unnest(s, false);
        return begin_value(s, c);
    case EXPECT_VALUE:
        return begin_value(s, c);
    case EXPECT_FIRST_KEY:
        if (c == '}')
            return unnest(s, true);
        /* fall through */
    case EXPECT_KEY:
        if (c != '"')
            break;
        s->length = 0;
        s->high = 0;
        s->token = TOKEN_STRING;
        s->is_key = true;
        return true;
    case EXPECT_COLON:
        if (c != ':')
            break;
        s->expecting = EXPECT_VALUE;
        return true;
    case EXPECT_COMMA:
        if (c == ',') {
            s->expecting = s->in_object[s->depth - 1] ? EXPECT_KEY : EXPECT_VALUE;
            return true;
        }
        if (c == '}' || c == ']')
            return unnest(s, c == '}');
        break;
    case EXPECT_NOTHING:
        break;
    }
    return json_stream_fail(s, "not JSON");
}

static bool keep_character(struct json_stream *s, uint32_t c)
{
    char utf8[4];
    return json_stream_keep(s, utf8, utf8_encode(c, utf8));
}

/* A single half of a surrogate pair is invalid. */
static bool lone_half(struct json_stream *s)
{
    bool lone = s->high != 0;
    s->high = 0;
    return !lone || keep_character(s, 0xFFFD);
}

static bool hex_ended(struct json_stream *s)
{
    s->token = TOKEN_STRING;
    if (s->unit >= 0xDC00 && s->unit <= 0xDFFF && s->high) {
        uint32_t character = 0x10000 + ((s->high - 0xD800) << 10) + (s->unit - 0xDC00);
        s->high = 0;
        return keep_character(s, character);
    }
    if (!lone_half(s))
        return false;
    if (s->unit >= 0xD800 && s->unit <= 0xDBFF) {
        s->high = s->unit;
        return true;
    }
    return keep_character(s, s->unit >= 0xDC00 && s->unit <= 0xDFFF ? 0xFFFD : s->unit);
}

static bool escaped(struct json_stream *s, char c)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(names, c) : NULL;
    if (c == 'u') {
        s->token = TOKEN_HEX;
        s->hex_digits = 0;
        s->unit = 0;
        return true;
    }
    s->token = TOKEN_STRING;
    return at ? lone_half(s) && json_stream_keep(s, &meanings[at - names], 1)
              : json_stream_fail(s, "not JSON");
}

static bool hex(struct json_stream *s, char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    if (!at)
        return json_stream_fail(s, "not JSON");
    s->unit = s->unit * 16 + (uint32_t)(at - digits);
    return ++s->hex_digits < 4 || hex_ended(s);
}

/* Continues inside a string; returns the number of bytes used. A string that lies within this piece is not
 * copied. */
static size_t string(struct json_stream *s, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] != '"' && bytes[n] != '\\' && (unsigned char)bytes[n] >= 0x20)
        n++;
    if (n && !lone_half(s))
        return n;
    if (n == length) {
        json_stream_keep(s, bytes, n);
        return n;
    }
    if ((unsigned char)bytes[n] < 0x20) {
        json_stream_fail(s, "not JSON");
    } else if (bytes[n] == '\\') {
        s->token = TOKEN_ESCAPE;
        json_stream_keep(s, bytes, n);
    } else if (s->is_key && s->length == 0 && s->high == 0) {
        string_ended(s, bytes, n); /* keys are copied anyway */
    } else if (lone_half(s) && json_stream_keep(s, bytes, n) && json_stream_keep(s, "", 1)) {
        string_ended(s, s->text, s->length - 1);
    }
    return n + 1;
}

static bool is_bare(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '+' || c == '-';
}

const char *json_stream_feed(struct json_stream *s, const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && !s->problem) {
        switch (s->token) {
        case TOKEN_NONE:
            structural(s, bytes[at++]);
            break;
        case TOKEN_STRING:
            at += string(s, bytes + at, length - at);
            break;
        case TOKEN_ESCAPE:
            escaped(s, bytes[at++]);
            break;
        case TOKEN_HEX:
            hex(s, bytes[at++]);
            break;
        case TOKEN_NUMBER:
        case TOKEN_WORD: {
            size_t n = 0;
            while (at + n < length && is_bare(bytes[at + n]))
                n++;
            if (json_stream_keep(s, bytes + at, n) && at + n < length)
                bare_ended(s);
            at += n;
            break;
        }
        }
    }
    return s->problem;
}

const char *json_stream_end(struct json_stream *s)
{
    if (!s->problem && (s->token == TOKEN_NUMBER || s->token == TOKEN_WORD))
        bare_ended(s);
    if (!s->problem && (s->token != TOKEN_NONE || s->expecting != EXPECT_NOTHING))
        json_stream_fail(s, "JSON cut off in the middle");
    return s->problem;
}

struct json_stream *json_stream_new(json_stream_fn fn, void *context)
{
    struct json_stream *s = xcalloc(1, sizeof *s);
    s->fn = fn;
    s->context = context;
    return s;
}

void json_stream_free(struct json_stream *s)
{
    if (!s)
        return;
    free(s->text);
    free(s);
}

#include "probe/json/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/utf8.h"

struct json_writer json_writer_to(struct buffer *out, bool spaced)
{
    return (struct json_writer){.out = out, .spaced = spaced, .line = -1};
}

static void break_line(struct json_writer *writer)
{
    static const char spaces[] = "                ";
    if (writer->line < 0)
        return;
    buffer_put_char(writer->out, '\n');
    for (int left = writer->line; left > 0; left -= (int)sizeof spaces - 1)
        buffer_put(writer->out, spaces, left < (int)sizeof spaces - 1 ? (size_t)left : sizeof spaces - 1);
    writer->line = -1;
}

/* Before every element: the comma after the previous one. */
static void begin_element(struct json_writer *writer)
{
    if (writer->comma) {
        buffer_put_char(writer->out, ',');
        if (writer->spaced && writer->line < 0)
            buffer_put_char(writer->out, ' ');
    }
    break_line(writer);
}

static void put_scalar(struct json_writer *writer, const char *text)
{
    begin_element(writer);
    buffer_put_text(writer->out, text);
    writer->comma = true;
}

void json_write_begin(struct json_writer *writer, char bracket)
{
    begin_element(writer);
    buffer_put_char(writer->out, bracket);
    writer->comma = false;
}

void json_write_end(struct json_writer *writer, char bracket)
{
    break_line(writer);
    buffer_put_char(writer->out, bracket);
    writer->comma = true;
}

void json_write_key(struct json_writer *writer, const char *key)
{
    begin_element(writer);
    buffer_put_char(writer->out, '"');
    buffer_put_text(writer->out, key);
    buffer_put_text(writer->out, writer->spaced ? "\": " : "\":");
    writer->comma = false; /* the value belongs to its key */
}

void json_write_line(struct json_writer *writer, int indent)
{
    writer->line = indent;
}

void json_write_null(struct json_writer *writer)
{
    put_scalar(writer, "null");
}

void json_write_bool(struct json_writer *writer, bool value)
{
    put_scalar(writer, value ? "true" : "false");
}

void json_write_int(struct json_writer *writer, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_scalar(writer, text);
}

void json_write_uint(struct json_writer *writer, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_scalar(writer, text);
}

static bool json_writer_is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void json_write_string(struct json_writer *writer, const char *text)
{
    if (!text) {
        json_write_null(writer);
        return;
    }
    begin_element(writer);
    writer->comma = true;
    struct buffer *out = writer->out;
    buffer_put_char(out, '"');
    const char *at = text;
    size_t left = strlen(text);
    while (left) {
        size_t plain = 0;
        while (plain < left && json_writer_is_plain((unsigned char)at[plain]))
            plain++;
        buffer_put(out, at, plain);
        at += plain;
        left -= plain;
        if (!left)
            break;
        uint32_t code;
        size_t size = utf8_decode(at, left, &code);
        if (!size) {
            buffer_printf(out, "\\\\x%02x", (unsigned char)at[0]);
            size = 1;
        } else if (code == '"' || code == '\\') {
            buffer_put_char(out, '\\');
            buffer_put_char(out, (char)code);
        } else if (utf8_deceives(code) && code > 0xffff) { /* as UTF-16 */
            buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                          (unsigned)(0xdc00 + (code & 0x3ff)));
        } else if (utf8_deceives(code)) {
            buffer_printf(out, "\\u%04x", (unsigned)code);
        } else {
            buffer_put(out, at, size);
        }
        at += size;
        left -= size;
    }
    buffer_put_char(out, '"');
}

void json_write_session(struct json_writer *writer, uint64_t session)
{
    char text[24];
    if (!session) {
        json_write_null(writer);
        return;
    }
    snprintf(text, sizeof text, "\"0x%" PRIx64 "\"", session);
    put_scalar(writer, text);
}

static void put_digits(char *text, int count, int value)
{
    for (; count > 0; value /= 10)
        text[--count] = (char)('0' + value % 10);
}

/* Every line begins with a time, and a leader's loss is in a hurry: printf costs ten times as much. */
void json_write_time(struct json_writer *writer, int64_t wall_us)
{
    struct tm tm;
    char text[] = "\"yyyy-mm-ddThh:mm:ss.mmmZ\"";
    time_t seconds = (time_t)(wall_us / 1000000);
    /* Times come from servers' clocks: an impossible date counts as unknown. */
    if (wall_us <= 0 || !gmtime_r(&seconds, &tm) || tm.tm_year > 9999 - 1900) {
        json_write_null(writer);
        return;
    }
    put_digits(text + 1, 4, tm.tm_year + 1900);
    put_digits(text + 6, 2, tm.tm_mon + 1);
    put_digits(text + 9, 2, tm.tm_mday);
    put_digits(text + 12, 2, tm.tm_hour);
    put_digits(text + 15, 2, tm.tm_min);
    put_digits(text + 18, 2, tm.tm_sec);
    put_digits(text + 21, 3, (int)(wall_us % 1000000 / 1000));
    put_scalar(writer, text);
}

void json_write_ms(struct json_writer *writer, int64_t us)
{
    char text[32];
    if (us < 0) {
        json_write_null(writer);
        return;
    }
    if (us >= 10000 || us % 1000 == 0) {
        json_write_int(writer, us / 1000 + (us % 1000 >= 500));
        return;
    }
    /* Put together from integers: no locale may turn the point into a comma. */
    int length = snprintf(text, sizeof text, "%d.%03d", (int)(us / 1000), (int)(us % 1000));
    while (length > 1 && text[length - 1] == '0')
        text[--length] = '\0';
    put_scalar(writer, text);
}

void json_member_begin(struct json_writer *writer, const char *key, char bracket)
{
    json_write_key(writer, key);
    json_write_begin(writer, bracket);
}

void json_member_null(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_write_null(writer);
}

void json_member_bool(struct json_writer *writer, const char *key, bool value)
{
    json_write_key(writer, key);
    json_write_bool(writer, value);
}

void json_member_int(struct json_writer *writer, const char *key, int64_t value)
{
    json_write_key(writer, key);
    json_write_int(writer, value);
}

void json_member_uint(struct json_writer *writer, const char *key, uint64_t value)
{
    json_write_key(writer, key);
    json_write_uint(writer, value);
}

void json_member_known(struct json_writer *writer, const char *key, int64_t value)
{
    if (value < 0)
        json_member_null(writer, key);
    else
        json_member_int(writer, key, value);
}

void json_member_text(struct json_writer *writer, const char *key, const char *text)
{
    json_write_key(writer, key);
    json_write_string(writer, text);
}

void json_member_session(struct json_writer *writer, const char *key, uint64_t session)
{
    json_write_key(writer, key);
    json_write_session(writer, session);
}

void json_member_time(struct json_writer *writer, const char *key, int64_t wall_us)
{
    json_write_key(writer, key);
    json_write_time(writer, wall_us);
}

void json_member_ms(struct json_writer *writer, const char *key, int64_t us)
{
    json_write_key(writer, key);
    json_write_ms(writer, us);
}

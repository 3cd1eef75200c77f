/*
 * json_writer.h - JSON written as a stream, without a tree: an election of ten thousand candidates costs
 * its text and nothing more, and an event's line some microseconds.
 *
 * (jansson prints only whole trees and refuses every string that is not UTF-8; the tests use it to read this
 * output back.)
 *
 * Strings are foreign bytes. The output is always valid JSON in UTF-8, and safe to look at in a
 * terminal:
 *   - control characters, DEL, the C1 controls, bidirectional controls, line and paragraph separators and
 *     the byte order mark are written as \uXXXX: a JSON reader gets the exact original;
 *   - a byte that is not part of valid UTF-8, which JSON cannot hold, becomes the four characters \xNN
 *     (so "\\xff" in the JSON), as on every screen of the program.
 *
 * The caller keeps the structure right (a key before each value of an object, every begin with its end);
 * the writer adds the commas.
 */
#ifndef ELECTOP_PROBE_JSON_JSON_WRITER_H
#define ELECTOP_PROBE_JSON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/json/buffer.h"

/* The version of all JSON that the program writes. It increases when a key is removed or changes its
 * meaning. */
#define JSON_SCHEMA 1

struct json_writer {
    struct buffer *out;
    bool spaced; /* "key": value, for human readers; else compact */
    /* Private to the writer. */
    bool comma; /* the next element follows another one */
    int line;   /* the next element begins a line with this indentation; -1: no new line */
};

struct json_writer json_writer_to(struct buffer *out, bool spaced);

void json_write_begin(struct json_writer *writer, char bracket);  /* '{' or '[' */
void json_write_end(struct json_writer *writer, char bracket);    /* '}' or ']' */
void json_write_key(struct json_writer *writer, const char *key); /* a constant: not escaped */

/* The next element, or the next end, begins a new line. */
void json_write_line(struct json_writer *writer, int indent);

void json_write_null(struct json_writer *writer);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_int(struct json_writer *writer, int64_t value);
void json_write_uint(struct json_writer *writer, uint64_t value);
/* NULL is null. */
void json_write_string(struct json_writer *writer, const char *text);
/* A session id as the four-letter words print it: "0x100002a4d0a0001"; 0 is null. */
void json_write_session(struct json_writer *writer, uint64_t session);
/* RFC 3339 in UTC with milliseconds; 0 (unknown) is null. */
void json_write_time(struct json_writer *writer, int64_t wall_us);
/* A duration as a number of milliseconds: whole from 10 ms on, below with up to three decimals. Negative
 * (unknown) is null. */
void json_write_ms(struct json_writer *writer, int64_t us);

/*
 * A key and its value in one call: the members of all JSON objects here.
 *
 * Keys are constants. Unknown values become null: a NULL text, a session or a time that is 0, a
 * negative duration (json_writer.h).
 */

/* '{' or '[': contains the following members until json_write_end(). */
void json_member_begin(struct json_writer *writer, const char *key, char bracket);

void json_member_null(struct json_writer *writer, const char *key);
void json_member_bool(struct json_writer *writer, const char *key, bool value);
void json_member_int(struct json_writer *writer, const char *key, int64_t value);
void json_member_uint(struct json_writer *writer, const char *key, uint64_t value);
/* Negative is null: an unknown figure. */
void json_member_known(struct json_writer *writer, const char *key, int64_t value);
void json_member_text(struct json_writer *writer, const char *key, const char *text);
void json_member_session(struct json_writer *writer, const char *key, uint64_t session);
void json_member_time(struct json_writer *writer, const char *key, int64_t wall_us);
void json_member_ms(struct json_writer *writer, const char *key, int64_t us);

#endif

/*
 * json_stream.h - parses JSON as it arrives, in pieces of any length, in constant memory.
 *
 * AdminServer's lists reach megabytes, and their reader must neither block the loop nor keep the text. A JSON
 * tree of 4.8 MB (10,000 connections) blocks for 150 ms and takes 22 MB. Even object by object, a general
 * library needs too much processor time. So this parser reports each value as it ends, and keeps only the
 * current value. Numbers are passed on as text: session ids have 64 bits and must never be converted to a
 * double.
 *
 * Structure and numbers are parsed strictly by RFC 8259; escapes are decoded. Bytes beyond ASCII are passed
 * on unchecked: every user treats them as untrusted.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_JSON_STREAM_H
#define ELECTOP_PROBE_ZOOKEEPER_JSON_STREAM_H

#include <stddef.h>

/* Deeper nesting is refused: AdminServer's own answers have three levels. */
#define JSON_STREAM_DEPTH 32
/* Keys of the outer levels are kept, cut to this size: every wanted key is shorter. */
#define JSON_STREAM_KEYS 4
#define JSON_STREAM_KEY_SIZE 64
/* Longer strings and numbers are refused (ZooKeeper's packets, and so its paths, stay below 1 MB). */
#define JSON_STREAM_TOKEN_MOST (1 << 20)

enum value_kind {
    VALUE_OBJECT,
    VALUE_OBJECT_END,
    VALUE_LIST,
    VALUE_LIST_END,
    VALUE_TEXT,
    VALUE_NUMBER,
    VALUE_WORD
};

/*
 * One value, reported when it is complete; objects and lists are reported at both ends. depth: the number of
 * enclosing objects and lists. keys[i]: the key at depth i of its path (of the outermost object: 0), its own
 * key last; "" for the members of a list, and beyond JSON_STREAM_KEYS. text: the value of strings (decoded),
 * numbers and the words true, false and null, NUL-terminated, valid during the call. A string may contain
 * NULs, so use length.
 */
struct json_value {
    enum value_kind kind;
    size_t depth;
    char (*keys)[JSON_STREAM_KEY_SIZE];
    const char *text;
    size_t length;
};

typedef void (*json_stream_fn)(void *context, const struct json_value *);

struct json_stream;

struct json_stream *json_stream_new(json_stream_fn fn, void *context);
void json_stream_free(struct json_stream *json_stream);

/* Returns NULL to continue, else the error (static text), which further calls repeat. */
const char *json_stream_feed(struct json_stream *json_stream, const char *bytes, size_t length);

/* Ends the text. NULL: it was one complete value. Else returns the error. */
const char *json_stream_end(struct json_stream *json_stream);

#endif

/*
 * json_stream.h - parses JSON as it arrives, in pieces of any length, in constant memory.
 *
 * AdminServer's lists come to megabytes, and their reader may neither block the loop nor keep the
 * text: a tree of 4.8 MB (10,000 connections) blocks for 150 ms and takes 22 MB, and even object by object
 * a general library needs more processor time than the answer is worth. So this parser reports each value as
 * it ends, and keeps nothing but the present value. Numbers are passed on as text: session ids are 64 bit
 * and must never pass through a double.
 *
 * Strict as RFC 8259 in structure and numbers; escapes are decoded. Bytes beyond ASCII are passed on
 * unchecked: every user treats them as foreign bytes.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_JSON_STREAM_H
#define ELECTOP_PROBE_ZOOKEEPER_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Deeper nesting is refused: AdminServer's own answers have three levels. */
#define JSON_STREAM_DEPTH 32
/* Keys are kept for the outer levels, cut to this size: what anybody looks for is shorter. */
#define JSON_STREAM_KEYS 4
#define JSON_STREAM_KEY_SIZE 64
/* A string or number that is longer is refused (ZooKeeper's packets, and so its paths, stay below 1 MB). */
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
 * One value, reported when it is complete; objects and lists twice. depth: how many objects and lists are
 * around it. keys[i]: the key at depth i (of the outermost object: 0) on the way to it, its own last; "" for
 * the members of a list, and beyond JSON_STREAM_KEYS. text: of strings (decoded), numbers and the words true,
 * false and null, NUL-terminated, during the call; a string may contain NULs, so length counts.
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

/* NULL: go on. Else the error (static text), now and at every further call. */
const char *json_stream_feed(struct json_stream *json_stream, const char *bytes, size_t length);

/* The text is over. NULL: it was one whole value. Else the error. */
const char *json_stream_end(struct json_stream *json_stream);

#endif

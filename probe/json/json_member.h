/*
 * json_member.h - a key and its value in one call: the members of all JSON objects here.
 *
 * Keys are constants. Unknown values become null: a NULL text, a session or a time that is 0, a
 * negative duration (json_writer.h).
 */
#ifndef ELECTOP_PROBE_JSON_JSON_MEMBER_H
#define ELECTOP_PROBE_JSON_JSON_MEMBER_H

#include "probe/json/json_writer.h"

/* '{' or '[': what follows is in it, until json_write_end(). */
void json_member_begin(struct json_writer *, const char *key, char bracket);

void json_member_null(struct json_writer *, const char *key);
void json_member_bool(struct json_writer *, const char *key, bool);
void json_member_int(struct json_writer *, const char *key, int64_t);
void json_member_uint(struct json_writer *, const char *key, uint64_t);
/* Negative is null: a figure that is not known. */
void json_member_known(struct json_writer *, const char *key, int64_t);
void json_member_text(struct json_writer *, const char *key, const char *text);
void json_member_session(struct json_writer *, const char *key, uint64_t session);
void json_member_time(struct json_writer *, const char *key, int64_t wall_us);
void json_member_ms(struct json_writer *, const char *key, int64_t us);

#endif

#include "probe/json/json_member.h"

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

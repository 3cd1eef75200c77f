/*
 * AdminServer's answers. The first byte says which command, the second how the bytes arrive in pieces. The
 * same bytes in one piece must give the same; what our reader takes as JSON, jansson must take too, and the
 * other way round (but for what ours refuses by design: deep nesting).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/json_stream.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

static const char *read_all(enum admin_command command, const char *bytes, size_t size, size_t piece,
                            struct server_answer *answer, char *said)
{
    struct adminserver_parse *reader = adminserver_parse_new(command, answer);
    const char *problem = NULL;
    for (size_t at = 0; at < size && !problem; at += piece)
        problem = adminserver_parse_feed(reader, bytes + at, size - at < piece ? size - at : piece);
    if (!problem)
        problem = adminserver_parse_end(reader);
    strncpy(said, problem ? problem : "", 255);
    adminserver_parse_free(reader);
    return problem ? said : NULL;
}

static void ignore(void *context, const struct json_value *value)
{
    check(value->depth <= JSON_STREAM_DEPTH && value->text[value->length] == '\0');
    *(size_t *)context += 1;
}

static void compare_with_jansson(const char *bytes, size_t size)
{
    size_t values = 0;
    struct json_stream *stream = json_stream_new(ignore, &values);
    const char *problem = json_stream_feed(stream, bytes, size);
    if (!problem)
        problem = json_stream_end(stream);
    json_error_t error;
    json_t *tree =
        json_loadb(bytes, size, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    if (tree)
        check(!problem || strstr(problem, "deep") != NULL);
    /* Ours does not look into bytes beyond ASCII, lone halves of pairs,
       and numbers too large for a double. */
    else if (!problem)
        check(json_error_code(&error) == json_error_invalid_utf8 ||
              json_error_code(&error) == json_error_numeric_overflow ||
              json_error_code(&error) == json_error_null_byte_in_key ||
              json_error_code(&error) == json_error_invalid_syntax);
    json_decref(tree);
    json_stream_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    enum admin_command command = (enum admin_command)(data[0] % (ADMIN_WATCH_DETAILS + 1));
    size_t piece = 1 + data[1] % 37;
    const char *bytes = (const char *)data + 2;
    struct server_answer whole, pieces;
    char said[2][256] = {"", ""};
    server_answer_clear(&whole);
    server_answer_clear(&pieces);
    const char *one = read_all(command, bytes, size - 2, size, &whole, said[0]);
    const char *many = read_all(command, bytes, size - 2, piece, &pieces, said[1]);
    check(!one == !many && (!one || strcmp(one, many) == 0));
    if (!one) {
        check(whole.connections.count == pieces.connections.count);
        check(whole.watches.path_count == pieces.watches.path_count);
        check(whole.sessions.count == pieces.sessions.count);
    }
    server_answer_free(&whole);
    server_answer_free(&pieces);
    if (!memchr(bytes, '\0', size - 2)) /* which jansson takes for the end */
        compare_with_jansson(bytes, size - 2);
    return 0;
}

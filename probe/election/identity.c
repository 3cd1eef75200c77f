#include "probe/election/identity.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "config/text.h"

/* How deep an address may lie: Mesos' {"address": {"hostname": ...}}, Helix' {"simpleFields": {...}}. */
#define JSON_DEPTH 2

/* Of a longer text its beginning, an ellipsis and a digest: two that differ further on are two clients. */
#define CUT_END (sizeof "\u2026" - 1 + 8)

static char *identity_copy_part(const char *text, size_t length)
{
    if (length == 0)
        return NULL;
    if (length <= IDENTITY_MAX)
        return xstrndup(text, length);
    size_t begin = IDENTITY_MAX - CUT_END;
    while (begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80)
        begin--;
    return text_format("%.*s\u2026%08" PRIx32, (int)begin, text, hash_bytes(text, length, 0));
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* UTF-8 without control characters, without surrogates and overlong forms. */
static bool readable(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char c = text[i];
        if (c < 0x80) {
            if (c < 0x20 || c == 0x7f)
                return false;
            i++;
            continue;
        }
        size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        if (c < 0xc2 || c > 0xf4 || i + more >= length)
            return false;
        uint32_t point = c & (0x3fu >> more);
        for (size_t k = 1; k <= more; k++) {
            if ((text[i + k] & 0xc0) != 0x80)
                return false;
            point = point << 6 | (text[i + k] & 0x3fu);
        }
        if ((more == 2 && (point < 0x800 || (point >= 0xd800 && point <= 0xdfff))) ||
            (more == 3 && (point < 0x10000 || point > 0x10ffff)) || point < 0xa0)
            return false;
        i += more + 1;
    }
    return true;
}

static bool has_letter_or_digit(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 0x80 || (text[i] >= '0' && text[i] <= '9') ||
            ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z'))
            return true;
    return false;
}

/* "http://user@host:port/path" -> "host:port"; other text stays whole. */
static char *from_text(const char *text, size_t length)
{
    for (size_t i = 1; i + 3 <= length && i < 32; i++) {
        if (memcmp(text + i, "://", 3) != 0)
            continue;
        const char *host = text + i + 3;
        size_t left = length - i - 3, end = 0;
        while (end < left && host[end] != '/' && host[end] != '?' && host[end] != '#' && host[end] != ' ')
            end++;
        for (size_t k = 0; k < end; k++)
            if (host[k] == '@') {
                host += k + 1;
                end -= k + 1;
                k = (size_t)-1;
            }
        if (end > 0)
            return identity_copy_part(host, end);
    }
    return identity_copy_part(text, length);
}

static const char *const host_keys[] = {"hostname",          "host",        "address", "ip",  "hostName",
                                        "hostAddress",       "serviceUrl",  "url",     "uri", "endpoint",
                                        "advertisedAddress", "nodeAddress", "server"};
static const char *const id_keys[] = {"id",   "instanceId", "instance", "nodeId", "node_id", "nodeName",
                                      "node", "member",     "memberId", "name",   "uuid",    "LEADER"};

static char *from_json_text(const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    if (!text || length == 0 || !readable((const unsigned char *)text, length))
        return NULL;
    return from_text(text, length);
}

static char *with_port(char *host, const json_t *object)
{
    const json_t *port = json_object_get(object, "port");
    long long number = json_is_integer(port)  ? json_integer_value(port)
                       : json_is_string(port) ? strtoll(json_string_value(port), NULL, 10)
                                              : 0;
    if (!host || number <= 0 || number > 65535 || strchr(host, ':'))
        return host;
    size_t size = strlen(host) + 8;
    char *both = xmalloc(size);
    snprintf(both, size, "%s:%lld", host, number);
    free(host);
    return both;
}

static char *from_json(const json_t *object, int depth)
{
    for (size_t i = 0; i < sizeof host_keys / sizeof host_keys[0]; i++) {
        const json_t *value = json_object_get(object, host_keys[i]);
        char *found = json_is_object(value) && depth > 0 ? from_json(value, depth - 1)
                                                         : with_port(from_json_text(value), object);
        if (found)
            return found;
    }
    /* Kafka: a broker without a plain-text listener has an empty host field. */
    char *endpoint = from_json_text(json_array_get(json_object_get(object, "endpoints"), 0));
    if (endpoint)
        return endpoint;
    if (depth > 0) { /* Accumulo: the services of one process, all at its address */
        char *found = from_json(json_array_get(json_object_get(object, "descriptors"), 0), depth - 1);
        if (found)
            return found;
    }
    /* Hive: a service record, whose internal endpoint has addresses. */
    const json_t *internal = json_array_get(json_object_get(object, "internal"), 0);
    char *address =
        depth > 0 ? from_json(json_array_get(json_object_get(internal, "addresses"), 0), 0) : NULL;
    if (address)
        return address;
    const json_t *broker = json_object_get(object, "brokerid");
    if (json_is_integer(broker)) {
        char text[40];
        snprintf(text, sizeof text, "broker %lld", (long long)json_integer_value(broker));
        return identity_copy_part(text, strlen(text));
    }
    if (depth > 0) {
        char *found = from_json(json_object_get(object, "simpleFields"), depth - 1);
        if (found)
            return found;
    }
    for (size_t i = 0; i < sizeof id_keys / sizeof id_keys[0]; i++) {
        const json_t *value = json_object_get(object, id_keys[i]);
        char *found = from_json_text(value);
        if (found)
            return found;
        if (json_is_integer(value)) {
            char text[40];
            snprintf(text, sizeof text, "%s %lld", id_keys[i], (long long)json_integer_value(value));
            return identity_copy_part(text, strlen(text));
        }
    }
    return NULL;
}

/* A text protobuf, as BookKeeper writes it: bookieId: "10.0.0.1:3181". The first quoted string. */
static char *from_text_protobuf(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    if (!colon)
        return NULL;
    const char *end = text + length, *quote = colon + 1;
    while (quote < end && *quote == ' ')
        quote++;
    if (quote == end || *quote != '"')
        return NULL;
    const char *close = memchr(quote + 1, '"', (size_t)(end - quote - 1));
    if (!close || !readable((const unsigned char *)quote + 1, (size_t)(close - quote - 1)))
        return NULL;
    return from_text(quote + 1, (size_t)(close - quote - 1));
}

static bool host_character(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '.' || c == '-' ||
           c == '_';
}

/*
 * Other binary protobufs hold host names as strings behind a length byte: the first such
 * string with a dot between letters, else the first of at least three characters.
 */
static char *from_binary(const unsigned char *data, size_t length)
{
    const unsigned char *plain = NULL;
    size_t plain_length = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        size_t part = data[i], k = 0;
        if (part < 3 || part > 120 || part > length - i - 1)
            continue;
        bool dotted = false;
        while (k < part && host_character(data[i + 1 + k])) {
            dotted = dotted || (data[i + 1 + k] == '.' && k > 0 && k + 1 < part);
            k++;
        }
        if (k < part)
            continue;
        if (dotted)
            return identity_copy_part((const char *)data + i + 1, part);
        if (!plain) {
            plain = data + i + 1;
            plain_length = part;
        }
    }
    return plain ? identity_copy_part((const char *)plain, plain_length) : NULL;
}

/* One field of a binary protobuf. */
struct proto_field {
    unsigned number;
    const unsigned char *text; /* NULL: it is a number */
    size_t length;
    uint64_t value;
};

static bool proto_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char c = *(*at)++;
        *value |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return true;
    }
    return false;
}

static bool proto_next(const unsigned char **at, const unsigned char *end, struct proto_field *field)
{
    uint64_t tag, length;
    if (!proto_varint(at, end, &tag) || tag >> 3 == 0 || tag >> 3 > 100)
        return false;
    *field = (struct proto_field){.number = (unsigned)(tag >> 3)};
    if ((tag & 7) == 0)
        return proto_varint(at, end, &field->value);
    if ((tag & 7) != 2 || !proto_varint(at, end, &length) || length > (uint64_t)(end - *at))
        return false;
    field->text = *at;
    field->length = (size_t)length;
    *at += length;
    return true;
}

/*
 * HDFS writes name service, name node, host and two ports, YARN writes cluster and resource manager: the
 * second field is what its operators call a member. Any other message is not understood.
 */
static char *from_hadoop(const unsigned char *data, const unsigned char *end)
{
    static const bool is_text[] = {true, true, true, false, false};
    struct proto_field field, member = {0};
    unsigned count = 0;
    while (data < end) {
        if (!proto_next(&data, end, &field) || field.number != ++count || count > 5 ||
            (field.text != NULL) != is_text[count - 1])
            return NULL;
        if (field.text && !(field.length > 0 && readable(field.text, field.length)))
            return NULL;
        if (count == 2)
            member = field;
    }
    return count == 2 || count == 5 ? identity_copy_part((const char *)member.text, member.length) : NULL;
}

/* HBase writes 0xff, who wrote it behind a length, "PBUF", and a message whose first field is the server:
 * host, port and start code, which together name one run of a master. */
static char *from_hbase(const unsigned char *data, const unsigned char *end)
{
    if (end - data < 9)
        return NULL;
    size_t source = (size_t)data[1] << 24 | (size_t)data[2] << 16 | (size_t)data[3] << 8 | data[4];
    if (source > (size_t)(end - data) - 9 || memcmp(data + 5 + source, "PBUF", 4) != 0)
        return NULL;
    const unsigned char *at = data + 9 + source, *inner;
    struct proto_field server, host, port, start;
    if (!proto_next(&at, end, &server) || !server.text)
        return NULL;
    inner = server.text;
    end = inner + server.length;
    if (!proto_next(&inner, end, &host) || !host.text || !readable(host.text, host.length) ||
        !proto_next(&inner, end, &port) || port.text || !proto_next(&inner, end, &start) || start.text)
        return NULL;
    char text[IDENTITY_MAX + 1];
    int length =
        snprintf(text, sizeof text, "%.*s,%llu,%llu", (int)(host.length < 120 ? host.length : 120),
                 (const char *)host.text, (unsigned long long)port.value, (unsigned long long)start.value);
    return identity_copy_part(text, (size_t)length);
}

/* Flink writes an URL as Java serialises a text in a block: a header, the block's length, and its own. */
static char *from_java(const unsigned char *data, size_t length)
{
    static const unsigned char header[] = {0xac, 0xed, 0, 5, 'w'};
    const size_t begin = sizeof header + 3;
    if (length < begin || memcmp(data, header, sizeof header) != 0)
        return NULL;
    size_t part = (size_t)data[begin - 2] << 8 | data[begin - 1];
    if (part == 0 || part > length - begin || !readable(data + begin, part))
        return NULL;
    return from_text((const char *)data + begin, part);
}

/* Binary messages whose fields are known, before anything else is taken for text. */
static char *from_known_binary(const unsigned char *data, size_t length)
{
    if (length > 0 && data[0] == 0xac)
        return from_java(data, length);
    if (length > 0 && data[0] == 0xff)
        return from_hbase(data, data + length);
    return length > 0 && data[0] == 0x0a ? from_hadoop(data, data + length) : NULL;
}

char *identity_from_data(const void *data, size_t length)
{
    const unsigned char *text = data;
    char *known = from_known_binary(text, length);
    if (known)
        return known;
    while (length > 0 && (is_space(text[length - 1]) || text[length - 1] == '\0'))
        length--;
    while (length > 0 && is_space(text[0])) {
        text++;
        length--;
    }
    if (length == 0)
        return NULL;
    if (text[0] == '{' || text[0] == '[') {
        json_t *json = json_loadb((const char *)text, length, 0, NULL);
        char *found = json_is_object(json) ? from_json(json, JSON_DEPTH) : NULL;
        json_decref(json);
        return found;
    }
    char *found = from_text_protobuf((const char *)text, length);
    if (found)
        return found;
    if (readable(text, length))
        return has_letter_or_digit(text, length) ? from_text((const char *)text, length) : NULL;
    /* A readable first line is enough. */
    const unsigned char *line = memchr(text, '\n', length);
    if (line && line - text >= 3 && readable(text, (size_t)(line - text)))
        return has_letter_or_digit(text, (size_t)(line - text))
                   ? from_text((const char *)text, (size_t)(line - text))
                   : NULL;
    return from_binary(text, length);
}

bool identity_is_java(const void *data, size_t length)
{
    return length > 2 && memcmp(data, "\xac\xed", 2) == 0;
}

/* Java writes a text after its length in two bytes. */
static bool is_java_text(const unsigned char *at, size_t left, const char *text, size_t length)
{
    return left >= 2 + length && at[0] == (unsigned char)(length >> 8) && at[1] == (unsigned char)length &&
           memcmp(at + 2, text, length) == 0;
}

/* ... a port as a number of four bytes, unless it is part of the text. */
bool identity_in_java(const void *data, size_t length, const char *identity)
{
    size_t host = strcspn(identity, ":"), all = strlen(identity);
    unsigned long port = strtoul(identity + host + (identity[host] != '\0'), NULL, 10);
    const unsigned char *at = data;
    const unsigned char number[] = {0, 0, (unsigned char)(port >> 8), (unsigned char)port};
    bool has_all = false, has_host = false, has_port = port == 0;
    for (size_t i = 0; i < length; i++) {
        has_port |= i + 4 <= length && memcmp(at + i, number, 4) == 0;
        has_host |= is_java_text(at + i, length - i, identity, host);
        has_all |= is_java_text(at + i, length - i, identity, all);
    }
    return identity_is_java(data, length) && host > 0 && (has_all || (has_host && has_port));
}

char *identity_about_from_data(const void *data, size_t length)
{
    if (length == 0 || *(const char *)data != '{')
        return NULL;
    json_t *json = json_loadb(data, length, 0, NULL);
    char *role = from_json_text(json_object_get(json, "role"));
    char *state = from_json_text(json_object_get(json, "state"));
    json_decref(json);
    if (!role || !state)
        return role ? role : state;
    char *about = text_format("%s, %s", role, state);
    free(role);
    free(state);
    return about;
}

uint64_t identity_session(const void *data, size_t length)
{
    static const char *const keys[] = {"\"SESSION_ID\"", "\"sessionId\"", "\"session_id\""};
    uint64_t session = 0;
    char *text = xstrndup(length ? data : "", length);
    for (size_t i = 0; session == 0 && i < sizeof keys / sizeof keys[0]; i++) {
        const char *at = strstr(text, keys[i]);
        at = at ? at + strlen(keys[i]) : "";
        at += strspn(at, " \t\n:");
        char *end;
        uint64_t number = *at == '"' ? strtoull(at + 1, &end, 16) : 0;
        if (number && *end == '"')
            session = number;
    }
    free(text);
    return session;
}

bool identity_is_kraft(const void *data, size_t length)
{
    json_t *json = length ? json_loadb(data, length, 0, NULL) : NULL;
    json_t *epoch = json_object_get(json, "kraftControllerEpoch");
    bool leads = json_is_integer(epoch) && json_integer_value(epoch) >= 0;
    json_decref(json);
    return leads;
}

bool identity_is_personal(const char *identity)
{
    struct in6_addr address; /* holds either */
    const char *colon = strchr(identity, ':');
    if (!colon)
        return strcmp(identity, IDENTITY_TEST_CANDIDATE) != 0 && inet_pton(AF_INET, identity, &address) != 1;
    /* A host and its port, as most are, have one colon: asked at each diagnosis. */
    return !strchr(colon + 1, ':') || inet_pton(AF_INET6, identity, &address) != 1;
}

/* "10.0.0.1:8080" */
static bool is_address(const char *identity)
{
    size_t host = strcspn(identity, ":"), dots = 0;
    for (size_t i = 0; i < host; i++)
        dots += identity[i] == '.';
    return dots == 3 && strspn(identity, "0123456789.") == host && identity[host] == ':';
}

#define DIGITS "0123456789"

bool identity_is_word(const char *identity)
{
    size_t length = strlen(identity), letters = 0, marks = 0, process = strspn(identity, DIGITS);
    for (size_t i = 0; i < length; i++) {
        letters += isalpha((unsigned char)identity[i]) != 0;
        marks += strchr("0123456789.:-_/@", identity[i]) != NULL;
    }
    return (letters == 0 && !is_address(identity)) || (process > 0 && identity[process] == '@') ||
           (marks == 0 && strcmp(identity, IDENTITY_TEST_CANDIDATE) != 0);
}

bool identity_is_process(const char *identity)
{
    size_t length = strlen(identity);
    if ((length == 32 || length == 36) && strspn(identity, "0123456789abcdefABCDEF-") == length)
        return true;
    size_t host = strcspn(identity, ":,");
    size_t port = host < length ? strspn(identity + host + 1, DIGITS) : 0;
    return strspn(identity, DIGITS) < host && port > 0 && strchr("_,", identity[host + 1 + port]) != NULL;
}

#include "probe/candidate/naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

#include "config/memory.h"
#include "config/text.h"

static bool uuid_bytes(unsigned char bytes[16])
{
    if (getrandom(bytes, 16, 0) != (ssize_t)16)
        return false;
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* the variant of RFC 4122 */
    return true;
}

bool guid_hex32(char out[GUID_HEX_SIZE])
{
    unsigned char bytes[16];
    if (!uuid_bytes(bytes))
        return false;
    for (int i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool guid_uuid36(char out[GUID_UUID_SIZE])
{
    char hex[GUID_HEX_SIZE];
    if (!guid_hex32(hex))
        return false;
    snprintf(out, GUID_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return true;
}

enum placeholder {
    PLACEHOLDER_UUID,
    PLACEHOLDER_HEX,
    PLACEHOLDER_SESSION,
    PLACEHOLDER_SESSION_HEX,
    PLACEHOLDER_COUNT
};

static const char *const words[PLACEHOLDER_COUNT] = {"{uuid}", "{hex}", "{session}", "{session_hex}"};

/* The word at this place, or PLACEHOLDER_COUNT. */
static enum placeholder word_at(const char *at)
{
    int word = 0;
    while (word < PLACEHOLDER_COUNT && (*at != '{' || strncmp(at, words[word], strlen(words[word])) != 0))
        word++;
    return (enum placeholder)word;
}

/* A text in braces that is none of the words; NULL: none. length: including the braces. */
static const char *stray_brace(const char *pattern, size_t *length)
{
    for (const char *at = pattern; *at;) {
        enum placeholder word = word_at(at);
        *length = 1;
        if (word != PLACEHOLDER_COUNT) {
            at += strlen(words[word]);
            continue;
        }
        if (*at == '{' && strchr(at, '}'))
            *length = (size_t)(strchr(at, '}') - at) + 1;
        if (*at == '{' || *at == '}')
            return at;
        at++;
    }
    return NULL;
}

bool name_pattern_check(const char *pattern, char **problem)
{
    size_t length;
    const char *stray = stray_brace(pattern, &length);
    *problem = NULL;
    if (!stray)
        return true;
    struct nearest nearest = {0};
    struct text text = {0};
    char *meant = xstrndup(stray, length);
    for (int word = 0; word < PLACEHOLDER_COUNT; word++)
        nearest_offer(&nearest, meant, words[word]);
    text_add(&text, "has ");
    text_quote(&text, stray, length);
    text_add(&text, ", which has no meaning; ");
    if (nearest.best)
        text_printf(&text, "did you mean %s? ", nearest.best);
    text_add(&text, "there are");
    for (int word = 0; word < PLACEHOLDER_COUNT; word++)
        text_printf(&text, "%s %s",
                    word == 0                      ? ""
                    : word < PLACEHOLDER_COUNT - 1 ? ","
                                                   : " and",
                    words[word]);
    text_add(&text, ", and the servers append the number to the name");
    *problem = text_take(&text);
    text_free(&text);
    free(meant);
    return false;
}

static bool word_fill(enum placeholder word, uint64_t session, char value[GUID_UUID_SIZE])
{
    switch (word) {
    case PLACEHOLDER_UUID:
        return guid_uuid36(value);
    case PLACEHOLDER_HEX:
        return guid_hex32(value);
    case PLACEHOLDER_SESSION:
        snprintf(value, GUID_UUID_SIZE, "%" PRId64, (int64_t)session); /* Java's long */
        return true;
    default:
        snprintf(value, GUID_UUID_SIZE, "%016" PRIx64, session);
        return true;
    }
}

size_t name_longest(const char *pattern)
{
    size_t length = strlen(pattern);
    for (const char *at = strchr(pattern, '{'); at; at = strchr(at + 1, '{'))
        if (word_at(at) != PLACEHOLDER_COUNT)
            length += GUID_UUID_SIZE;
    return length;
}

char *name_make(const char *pattern, uint64_t session)
{
    char *name = xmalloc(name_longest(pattern) + 1);
    size_t used = 0;
    for (const char *at = pattern; *at;) {
        enum placeholder word = word_at(at);
        char value[GUID_UUID_SIZE];
        if (word == PLACEHOLDER_COUNT) {
            name[used++] = *at++;
            continue;
        }
        if (!word_fill(word, session, value)) {
            free(name);
            return NULL;
        }
        memcpy(name + used, value, strlen(value));
        used += strlen(value);
        at += strlen(words[word]);
    }
    name[used] = '\0';
    return name;
}

bool name_fits(const char *pattern, const char *name)
{
    while (*pattern) {
        enum placeholder word = word_at(pattern);
        if (word == PLACEHOLDER_COUNT) {
            if (*pattern++ != *name++)
                return false;
            continue;
        }
        static const size_t lengths[PLACEHOLDER_COUNT] = {GUID_UUID_SIZE - 1, GUID_HEX_SIZE - 1, 0, 16};
        size_t run = strspn(name, word == PLACEHOLDER_SESSION ? "-0123456789" : "-0123456789abcdef");
        size_t length = lengths[word] ? lengths[word] : run - (run > 0 && name[run - 1] == '-');
        if (length == 0 || run < length)
            return false;
        name += length;
        pattern += strlen(words[word]);
    }
    return *name == '\0';
}

bool name_is_unique(const char *pattern, bool one_a_session)
{
    for (const char *at = pattern; *at; at++) {
        enum placeholder word = word_at(at);
        if (word == PLACEHOLDER_UUID || word == PLACEHOLDER_HEX ||
            (word != PLACEHOLDER_COUNT && one_a_session))
            return true;
    }
    return false;
}

char *path_join(const char *directory, const char *name)
{
    size_t length = strlen(directory), name_length = strlen(name);
    char *path = xmalloc(length + name_length + 2);
    memcpy(path, directory, length);
    path[length] = '/';
    memcpy(path + length + 1, name, name_length + 1);
    return path;
}

#include "config/key.h"

#include <string.h>

static size_t path_length(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, "[]") == 0 ? length - 2 : length;
}

bool key_is_list(const struct key *key)
{
    return key->item_size != 0;
}

/* Where the last component of the path begins. */
static size_t word_start(const struct key *key)
{
    const char *dot = strrchr(key->path, '.');
    return dot ? (size_t)(dot + 1 - key->path) : 0;
}

const char *key_word(const struct key *key, char *buffer, size_t size)
{
    size_t start = word_start(key), length = path_length(key->path) - start;
    if (length >= size)
        length = size - 1;
    memcpy(buffer, key->path + start, length);
    buffer[length] = '\0';
    return buffer;
}

bool key_is_child(const struct key *key, const char *parent)
{
    size_t start = word_start(key), length = strlen(parent);
    return start == (length ? length + 1 : 0) && strncmp(key->path, parent, length) == 0;
}

bool key_is_in_scope(const struct key *key, const char *scope)
{
    size_t length = 0, end = path_length(key->path);
    for (size_t i = 0; i + 1 < end; i++)
        if (key->path[i] == '[')
            length = i + 2;
    return length == strlen(scope) && strncmp(key->path, scope, length) == 0;
}

bool key_is_at(const struct key *key, const char *path)
{
    size_t length = path_length(path);
    return path_length(key->path) == length && strncmp(key->path, path, length) == 0;
}

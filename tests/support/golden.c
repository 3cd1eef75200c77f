#include "tests/support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bytes {
    const char *at;
    size_t length;
};

static struct buffer read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing: UPDATE_GOLDEN=1 writes it", path);
    struct buffer all = {0};
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        buffer_put(&all, piece, got);
    fclose(file);
    return all;
}

static void write_file(const char *path, struct bytes text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text.at, 1, text.length, file) != text.length || fclose(file) != 0)
        fail_msg("%s could not be written", path);
}

static struct bytes take_line(struct bytes *text)
{
    const char *end = text->length ? memchr(text->at, '\n', text->length) : NULL;
    struct bytes line = {text->at, end ? (size_t)(end - text->at) : text->length};
    size_t taken = line.length + (end != NULL);
    *text = (struct bytes){taken ? text->at + taken : text->at, text->length - taken};
    return line;
}

static void show_difference(struct bytes wanted, struct bytes found)
{
    for (int number = 1; wanted.length || found.length; number++) {
        struct bytes a = take_line(&wanted), b = take_line(&found);
        if (a.length != b.length || (a.length && memcmp(a.at, b.at, a.length) != 0))
            print_error("line %d\n- %.*s\n+ %.*s\n", number, (int)a.length, a.length ? a.at : "",
                        (int)b.length, b.length ? b.at : "");
    }
}

static void compare(const char *path, struct bytes found)
{
    if (getenv("UPDATE_GOLDEN")) {
        write_file(path, found);
        return;
    }
    struct buffer file = read_file(path);
    struct bytes wanted = {file.bytes, file.length};
    bool same =
        wanted.length == found.length && (!wanted.length || memcmp(wanted.at, found.at, wanted.length) == 0);
    if (!same)
        show_difference(wanted, found);
    buffer_free(&file);
    if (!same)
        fail_msg("%s is not what comes out", path);
}

void golden_compare(const char *path, const char *text)
{
    compare(path, (struct bytes){text, strlen(text)});
}

void golden_check(const char *path, const struct buffer *found)
{
    compare(path, (struct bytes){found->bytes, found->length});
}

#include "config/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/utf8.h"

#define QUOTED_BYTES 60

static void text_reserve(struct text *text, size_t more)
{
    if (more > SIZE_MAX / 4 - text->length)
        memory_exhausted();
    size_t needed = text->length + more + 1;
    if (needed <= text->size)
        return;
    size_t size = text->size ? text->size : 128;
    while (size < needed)
        size *= 2;
    text->at = xreallocarray(text->at, size, 1);
    text->size = size;
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    text_reserve(text, length);
    if (length)
        memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) /* longer than a text can be */
        memory_exhausted();
    text_reserve(text, (size_t)length);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_quote(struct text *text, const char *bytes, size_t length)
{
    text_add(text, "\"");
    size_t i = 0;
    while (i < length && i < QUOTED_BYTES) {
        uint32_t code;
        size_t eaten = utf8_decode(bytes + i, length - i, &code);
        if (!eaten || utf8_deceives(code)) {
            size_t end = i + (eaten ? eaten : 1);
            for (; i < end; i++)
                text_printf(text, "\\x%02x", (unsigned char)bytes[i]);
            continue;
        }
        text_add_bytes(text, bytes + i, eaten);
        i += eaten;
    }
    text_add(text, i < length ? "...\"" : "\"");
}

char *text_take(struct text *text)
{
    text_reserve(text, 0);
    text->at[text->length] = '\0';
    char *taken = text->at;
    *text = (struct text){0};
    return taken;
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){0};
}

char *text_format(const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return text_take(&text);
}

char *text_quoted(const char *bytes)
{
    struct text text = {0};
    text_quote(&text, bytes, strlen(bytes));
    return text_take(&text);
}

int text_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool text_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool text_is_among(const char *text, char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

char *text_copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

bool text_replace(char **kept, const char *text)
{
    if (text_same(*kept, text))
        return false;
    char *copy = text_copy(text);
    free(*kept);
    *kept = copy;
    return true;
}

#define WORD_MAX 64

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' ? '-' : c;
}

/* Optimal string alignment; both words are at most WORD_MAX long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            char left = lower(a[i - 1]), right = lower(b[j - 1]);
            size_t best = last[j - 1] + (left != right);
            best = smaller(best, last[j] + 1);
            best = smaller(best, now[j - 1] + 1);
            if (i > 1 && j > 1 && left == lower(b[j - 2]) && lower(a[i - 2]) == right)
                best = smaller(best, before[j - 2] + 1);
            now[j] = best;
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

void nearest_offer(struct nearest *nearest, const char *word, const char *candidate)
{
    size_t word_length = strlen(word), length = strlen(candidate);
    if (!word_length || word_length > WORD_MAX || length > WORD_MAX)
        return;
    size_t distance = edit_distance(word, word_length, candidate, length);
    size_t limit = word_length / 3 ? word_length / 3 : 1;
    bool begins = word_length >= 3 && strncmp(word, candidate, word_length) == 0;
    /* One letter is a slip of any one-letter word: that would only confuse. */
    if (!begins && (distance > limit || distance >= length))
        return;
    if (begins)
        distance = 0;
    if (!nearest->best || distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

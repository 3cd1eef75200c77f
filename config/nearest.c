#include "config/nearest.h"

#include <stdbool.h>
#include <string.h>

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

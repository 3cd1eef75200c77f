#include "config/units.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    int64_t ms;
} duration_units[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000},
};
#define DURATION_UNITS (sizeof duration_units / sizeof duration_units[0])

static bool units_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the digits at *text and moves behind them. False: there are none, or they pass limit. */
static bool digits_read(const char **text, int64_t limit, int64_t *number)
{
    const char *at = *text;
    if (!units_is_digit(*at))
        return false;
    int64_t value = 0;
    for (; units_is_digit(*at); at++) {
        int digit = *at - '0';
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    *text = at;
    return true;
}

#define DURATION_FORM "write it as in 250ms, 10s, 5m, 2h or 30d"

const char *duration_parse(const char *text, int64_t *ms)
{
    const char *at = text;
    int64_t whole = 0, fraction = 0, scale = 1;
    if (*at == '-')
        return "is negative; " DURATION_FORM;
    if (!units_is_digit(*at))
        return "is not a duration; " DURATION_FORM;
    if (!digits_read(&at, DURATION_MAX_MS, &whole))
        return "is too long; the longest duration is 36500d";
    if (*at == '.') {
        at++;
        if (!units_is_digit(*at))
            return "is not a duration; " DURATION_FORM;
        for (; units_is_digit(*at); at++) {
            if (scale >= INT64_C(1000000000))
                return "is finer than a millisecond; " DURATION_FORM;
            fraction = fraction * 10 + (*at - '0');
            scale *= 10;
        }
    }
    if (!*at) {
        if (whole || fraction)
            return "has no unit; " DURATION_FORM;
        *ms = 0;
        return NULL;
    }
    for (size_t i = 0; i < DURATION_UNITS; i++) {
        if (strcmp(at, duration_units[i].word) != 0)
            continue;
        int64_t unit = duration_units[i].ms;
        if (fraction * unit % scale)
            return "is finer than a millisecond; " DURATION_FORM;
        int64_t part = fraction * unit / scale;
        if (whole > (DURATION_MAX_MS - part) / unit)
            return "is too long; the longest duration is 36500d";
        *ms = whole * unit + part;
        return NULL;
    }
    return "has an unknown unit; " DURATION_FORM;
}

char *duration_print(int64_t ms, char *buffer, size_t size)
{
    size_t unit = DURATION_UNITS - 1;
    while (unit > 0 && (ms == 0 || ms % duration_units[unit].ms))
        unit--;
    if (ms == 0)
        unit = 1;
    snprintf(buffer, size, "%" PRId64 "%s", ms / duration_units[unit].ms, duration_units[unit].word);
    return buffer;
}

const char *percent_parse(const char *text, int64_t *percent)
{
    if (!digits_read(&text, INT_MAX, percent) || (*text && strcmp(text, "%") != 0))
        return "is not a percentage; write it as in 66%";
    return NULL;
}

char *percent_print(int64_t percent, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 "%%", percent);
    return buffer;
}

const char *rate_parse(const char *text, int64_t *per_s)
{
    if (!digits_read(&text, INT_MAX, per_s) || strcmp(text, "/s") != 0)
        return "is not a rate; write it as in 100/s";
    return NULL;
}

char *rate_print(int64_t per_s, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 "/s", per_s);
    return buffer;
}

#define COUNT_IN_FORM "is not a count within a time; write it as in 3 in 10m"

const char *count_in_parse(const char *text, int *count, int64_t *ms)
{
    int64_t value, within;
    if (!digits_read(&text, INT_MAX, &value) || *text != ' ')
        return COUNT_IN_FORM;
    text += strspn(text, " ");
    if (strncmp(text, "in ", 3) != 0)
        return COUNT_IN_FORM;
    text += 3;
    text += strspn(text, " ");
    const char *problem = duration_parse(text, &within);
    if (problem)
        return COUNT_IN_FORM;
    *count = (int)value;
    *ms = within;
    return NULL;
}

char *count_in_print(int count, int64_t ms, char *buffer, size_t size)
{
    char within[UNITS_TEXT];
    snprintf(buffer, size, "%d in %s", count, duration_print(ms, within, sizeof within));
    return buffer;
}

#define RANGE_FORM "is not a range of durations; write it as in 1s to 60s"

const char *range_parse(const char *text, int64_t *least_ms, int64_t *most_ms)
{
    char first[UNITS_TEXT];
    const char *space = strchr(text, ' '), *second = space;
    if (!space || (size_t)(space - text) >= sizeof first)
        return RANGE_FORM;
    memcpy(first, text, (size_t)(space - text));
    first[space - text] = '\0';
    second += strspn(second, " ");
    if (strncmp(second, "to ", 3) != 0)
        return RANGE_FORM;
    second += 3;
    second += strspn(second, " ");
    int64_t least, most;
    if (duration_parse(first, &least) || duration_parse(second, &most))
        return RANGE_FORM;
    if (least > most)
        return "ends before it begins; write the shorter duration first";
    *least_ms = least;
    *most_ms = most;
    return NULL;
}

char *range_print(int64_t least_ms, int64_t most_ms, char *buffer, size_t size)
{
    char least[UNITS_TEXT], most[UNITS_TEXT];
    snprintf(buffer, size, "%s to %s", duration_print(least_ms, least, sizeof least),
             duration_print(most_ms, most, sizeof most));
    return buffer;
}

static const struct {
    const char *word;
    int64_t bytes;
} size_units[] = {{"kB", 1000}, {"MB", 1000000}, {"GB", 1000000000}};
#define SIZE_UNITS (sizeof size_units / sizeof size_units[0])
#define SIZE_FORM "is not a size; write it as in 256MB or 4GB"

const char *size_parse(const char *text, int64_t *bytes)
{
    int64_t whole;
    if (!digits_read(&text, INT64_MAX, &whole))
        return SIZE_FORM;
    for (size_t i = 0; i < SIZE_UNITS; i++) {
        if (strcmp(text, size_units[i].word) != 0)
            continue;
        if (whole > INT64_MAX / size_units[i].bytes)
            return "is too large; write a smaller size";
        *bytes = whole * size_units[i].bytes;
        return NULL;
    }
    return SIZE_FORM;
}

char *size_print(int64_t bytes, char *buffer, size_t size)
{
    size_t unit = SIZE_UNITS - 1;
    while (unit > 0 && bytes % size_units[unit].bytes)
        unit--;
    snprintf(buffer, size, "%" PRId64 "%s", bytes / size_units[unit].bytes, size_units[unit].word);
    return buffer;
}

const char *number_parse(const char *text, int64_t *number)
{
    bool negative = *text == '-';
    int64_t value;
    text += negative;
    if (!units_is_digit(*text))
        return "is not a whole number; write digits only";
    if (!digits_read(&text, INT64_MAX, &value))
        return "is too large; write a smaller number";
    if (*text)
        return "is not a whole number; write digits only";
    *number = negative ? -value : value;
    return NULL;
}

char *number_print(int64_t number, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64, number);
    return buffer;
}

const char *port_parse(const char *text, int *port)
{
    int64_t value;
    if (!digits_read(&text, 65535, &value) || *text || !value)
        return "is not a port; ports are 1 to 65535";
    *port = (int)value;
    return NULL;
}

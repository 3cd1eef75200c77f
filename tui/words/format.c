#include "tui/words/format.h"

#include <stdbool.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MS_US INT64_C(1000)
#define SECOND_US INT64_C(1000000)
#define MINUTE_S INT64_C(60)
#define HOUR_S INT64_C(3600)
#define DAY_S INT64_C(86400)

/* The forms from a minute on, which ages and spans share. */
static void print_long(int64_t s, char *buffer, size_t size)
{
    if (s < HOUR_S)
        snprintf(buffer, size, "%dm%02ds", (int)(s / MINUTE_S), (int)(s % MINUTE_S));
    else if (s < DAY_S)
        snprintf(buffer, size, "%dh%02dm", (int)(s / HOUR_S), (int)(s % HOUR_S / MINUTE_S));
    else if (s < 100 * DAY_S)
        snprintf(buffer, size, "%dd%02dh", (int)(s / DAY_S), (int)(s % DAY_S / HOUR_S));
    else if (s < 100000 * DAY_S)
        snprintf(buffer, size, "%dd", (int)(s / DAY_S));
    else
        snprintf(buffer, size, ">99kd");
}

/* The smallest step that an age of this length shows. */
static int64_t age_step_us(int64_t us, unsigned form)
{
    int64_t s = us / SECOND_US;
    if (us < 10 * SECOND_US)
        return 100 * MS_US;
    if (s < MINUTE_S || (s < HOUR_S && !(form & AGE_MINUTES)))
        return SECOND_US;
    return (s < DAY_S ? MINUTE_S : s < 100 * DAY_S ? HOUR_S : DAY_S) * SECOND_US;
}

char *format_age_as(int64_t us, unsigned form, char *buffer, size_t size)
{
    if (us < 0)
        us = 0;
    /* Cut, not rounded: an age must not say more than has passed, nor an upper bound less. */
    int64_t step_us = age_step_us(us, form);
    if (form & AGE_AT_MOST && us <= INT64_MAX - step_us)
        us = (us + step_us - 1) / step_us * step_us;
    if (us < 10 * SECOND_US)
        snprintf(buffer, size, "%d.%ds", (int)(us / SECOND_US), (int)(us % SECOND_US / (100 * MS_US)));
    else if (us < MINUTE_S * SECOND_US)
        snprintf(buffer, size, "%ds", (int)(us / SECOND_US));
    else if (us < HOUR_S * SECOND_US && form & AGE_MINUTES)
        snprintf(buffer, size, "%dm", (int)(us / SECOND_US / MINUTE_S));
    else
        print_long(us / SECOND_US, buffer, size);
    return buffer;
}

char *format_age(int64_t us, char *buffer, size_t size)
{
    return format_age_as(us, 0, buffer, size);
}

char *format_span(int64_t us, char *buffer, size_t size)
{
    if (us < 0)
        us = 0;
    /* Each form takes over where the one before would round up to a fourth figure. */
    if (us < 9995)
        snprintf(buffer, size, "%d.%02dms", (int)((us + 5) / 1000), (int)((us + 5) / 10 % 100));
    else if (us < 99950)
        snprintf(buffer, size, "%d.%dms", (int)((us + 50) / 1000), (int)((us + 50) / 100 % 10));
    else if (us < 999500)
        snprintf(buffer, size, "%dms", (int)((us + 500) / 1000));
    else if (us < 9995 * MS_US)
        snprintf(buffer, size, "%d.%02ds", (int)((us + 5 * MS_US) / SECOND_US),
                 (int)((us + 5 * MS_US) / (10 * MS_US) % 100));
    else if (us < 59950 * MS_US)
        snprintf(buffer, size, "%d.%ds", (int)((us + 50 * MS_US) / SECOND_US),
                 (int)((us + 50 * MS_US) / (100 * MS_US) % 10));
    else
        print_long((us + SECOND_US / 2) / SECOND_US, buffer, size);
    return buffer;
}

/* Where the unit of a printed span begins, where it has only one. */
static const char *unit_of(const char *span)
{
    const char *unit = span + strspn(span, "0123456789.");
    return strpbrk(unit, "0123456789") ? "" : unit;
}

/* A bound in the digits that format_span() prints: an upper one must not promise less, nor a lower one more. */
static char *print_bound(int64_t us, bool upper, char *buffer, size_t size)
{
    int64_t step_us = us < 9995            ? 10
                      : us < 99950         ? 100
                      : us < 999500        ? MS_US
                      : us < 9995 * MS_US  ? 10 * MS_US
                      : us < 59950 * MS_US ? 100 * MS_US
                                           : age_step_us(us, 0);
    if (us > 0 && us < INT64_MAX - step_us)
        us = (upper ? us + step_us - 1 : us) / step_us * step_us;
    return format_span(us, buffer, size);
}

char *format_interval(int64_t low_us, int64_t high_us, bool ascii, char buffer[FORMAT_INTERVAL])
{
    const size_t size = FORMAT_INTERVAL;
    const char *dash = ascii ? "-" : " – ";
    char low[16], high[16];
    format_span(low_us, low, sizeof low);
    format_span(high_us, high, sizeof high);
    if (strcmp(low, high) != 0 || low_us == 0) {
        print_bound(low_us, false, low, sizeof low);
        print_bound(high_us, true, high, sizeof high);
    }
    if (low_us < 0 && high_us < 0)
        snprintf(buffer, size, "?");
    else if (high_us < 0)
        snprintf(buffer, size, "%s %s", ascii ? ">=" : "≥", low_us ? low : "0");
    else if (low_us < 0)
        snprintf(buffer, size, "%s %s", ascii ? "<=" : "≤", high);
    else if (high_us == 0)
        snprintf(buffer, size, "0ms");
    else if (low_us > 0 && strcmp(low, high) == 0)
        snprintf(buffer, size, "%s", high);
    else if (low_us == 0)
        snprintf(buffer, size, "0%s%s", dash, high);
    else if (*unit_of(low) && strcmp(unit_of(low), unit_of(high)) == 0)
        snprintf(buffer, size, "%.*s%s%s", (int)(unit_of(low) - low), low, dash, high);
    else
        snprintf(buffer, size, "%s%s%s", low, dash, high);
    return buffer;
}

static bool format_split(int64_t wall_us, bool local, struct tm *tm, int *ms)
{
    if (wall_us <= 0)
        return false;
    time_t s = (time_t)(wall_us / SECOND_US);
    *ms = (int)(wall_us % SECOND_US / MS_US);
    return (local ? localtime_r(&s, tm) : gmtime_r(&s, tm)) != NULL;
}

static char *format_local(int64_t wall_us, bool with_ms, char *buffer, size_t size)
{
    struct tm tm;
    int ms;
    if (!format_split(wall_us, true, &tm, &ms))
        snprintf(buffer, size, "?");
    else if (with_ms)
        snprintf(buffer, size, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
    else
        snprintf(buffer, size, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
    return buffer;
}

char *format_clock(int64_t wall_us, char *buffer, size_t size)
{
    return format_local(wall_us, false, buffer, size);
}

char *format_clock_ms(int64_t wall_us, char *buffer, size_t size)
{
    return format_local(wall_us, true, buffer, size);
}

char *format_zone(int64_t wall_us, char *buffer, size_t size)
{
    struct tm tm;
    int ms;
    if (!format_split(wall_us, true, &tm, &ms) || strftime(buffer, size, "%Z", &tm) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

char *format_stamp(int64_t wall_us, char *buffer, size_t size)
{
    struct tm tm;
    int ms;
    if (!format_split(wall_us, true, &tm, &ms) || strftime(buffer, size, "%Y-%m-%d %H:%M:%S %Z", &tm) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

/* The time of "08:10:12Z" at text, on the day that brings it closest to near_us; -1: there is none. */
static int64_t utc_time_at(const char *text, int64_t near_us)
{
    int64_t day_us = 86400 * SECOND_US, at_us;
    for (int i = 0; i < 9; i++) {
        bool right = i == 2 || i == 5 ? text[i] == ':'
                     : i == 8         ? text[i] == 'Z'
                                      : isdigit((unsigned char)text[i]);
        if (!right)
            return -1;
    }
    at_us = ((text[0] - '0') * 10 + text[1] - '0') * 3600 + ((text[3] - '0') * 10 + text[4] - '0') * 60 +
            (text[6] - '0') * 10 + text[7] - '0';
    at_us = at_us * SECOND_US + near_us / day_us * day_us;
    return at_us - near_us > day_us / 2   ? at_us - day_us
           : near_us - at_us > day_us / 2 ? at_us + day_us
                                          : at_us;
}

char *format_local_times(const char *text, int64_t near_us, char *buffer, size_t size)
{
    size_t used = 0;
    char clock[24];
    bool in_word = false;
    while (*text && used + sizeof clock < size) {
        int64_t at_us = in_word ? -1 : utc_time_at(text, near_us);
        if (at_us > 0) {
            used +=
                (size_t)snprintf(buffer + used, size - used, "%s", format_clock(at_us, clock, sizeof clock));
            text += 9;
            continue;
        }
        in_word = isalnum((unsigned char)*text) || *text == ':' || *text == '-';
        buffer[used++] = *text++;
    }
    buffer[used] = '\0';
    return buffer;
}

/* A recorder is about a second behind. */
#define OBSERVED_LATE_US (2 * SECOND_US)

const char *format_lacks(int64_t until_us, int64_t at_us, int minutes, char buffer[FORMAT_LACKS])
{
    char until[16];
    if (at_us <= until_us + OBSERVED_LATE_US)
        return NULL;
    snprintf(buffer, FORMAT_LACKS,
             "it lacks what was observed after %s: a recorder writes that within %d minutes",
             format_clock(until_us, until, sizeof until), minutes);
    return buffer;
}

char *format_time(int64_t wall_us, char *buffer, size_t size)
{
    struct tm tm;
    int ms;
    if (!format_split(wall_us, false, &tm, &ms))
        snprintf(buffer, size, "?");
    else
        snprintf(buffer, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
    return buffer;
}

char *format_rate(double rate, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.*f", rate < 0.1 ? 2 : rate < 100 ? 1 : 0, rate);
    return buffer;
}

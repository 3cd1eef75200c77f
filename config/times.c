#include "config/times.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "config/units.h"

#define SECOND_US INT64_C(1000000)
#define DAY_US (24 * 3600 * SECOND_US)
#define TIME_FORM "write it as in 2026-11-20T14:03:22Z, 2026-11-20, 14:03 or -10m"
#define NO_TIME "is not a time; " TIME_FORM
#define YEAR_LEAST 1971
#define YEAR_MOST 9998 /* a time zone may add to it */

/* As written: a day (year 0: none), a time of it, and where the zone was named, how far it is from UTC. */
struct written {
    int year, month, day;
    int hour, minute, second;
    int64_t fraction_us;
    bool zoned;
    int offset_s;
};

/* Parses this number of digits at *text, and moves it behind them. */
static bool take_number(const char **text, int digits, int *number)
{
    int value = 0;
    for (int i = 0; i < digits; i++) {
        char c = (*text)[i];
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (c - '0');
    }
    *text += digits;
    *number = value;
    return true;
}

static bool times_take(const char **text, char wanted)
{
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

static const char *take_fraction(const char **text, int64_t *us)
{
    int64_t scale = SECOND_US;
    int digit;
    *us = 0;
    if (!take_number(text, 1, &digit))
        return NO_TIME;
    do {
        scale /= 10;
        if (scale == 0)
            return "is finer than a microsecond; " TIME_FORM;
        *us += digit * scale;
    } while (take_number(text, 1, &digit));
    return NULL;
}

/* "14:03", "14:03:22", "14:03:22.104" */
static const char *times_take_clock(const char **text, struct written *written)
{
    if (!take_number(text, 2, &written->hour) || !times_take(text, ':') ||
        !take_number(text, 2, &written->minute))
        return NO_TIME;
    if (times_take(text, ':')) {
        if (!take_number(text, 2, &written->second))
            return NO_TIME;
        if (times_take(text, '.')) {
            const char *problem = take_fraction(text, &written->fraction_us);
            if (problem)
                return problem;
        }
    }
    if (written->hour > 23 || written->minute > 59 || written->second > 60)
        return "is not a time of day; hours go to 23, minutes to 59";
    if (written->second == 60) { /* a leap second, which POSIX does not count: the one after it */
        written->second = 59;
        written->fraction_us = SECOND_US;
    }
    return NULL;
}

/* "Z", "+01:00", or nothing. */
static const char *take_zone(const char **text, struct written *written)
{
    int hours, minutes, sign = **text == '-' ? -1 : 1;
    if (!**text)
        return NULL;
    written->zoned = true;
    if (times_take(text, 'Z') || times_take(text, 'z'))
        return NULL;
    if (!(times_take(text, '+') || times_take(text, '-')) || !take_number(text, 2, &hours) ||
        !times_take(text, ':') || !take_number(text, 2, &minutes))
        return NO_TIME;
    if (hours > 23 || minutes > 59)
        return "has no such offset from UTC; " TIME_FORM;
    written->offset_s = sign * (hours * 3600 + minutes * 60);
    return NULL;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_to(int year, int month, int day)
{
    int y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return INT64_C(365) * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static bool is_a_day(const struct written *written)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = written->year;
    bool leaps = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return year >= YEAR_LEAST && year <= YEAR_MOST && written->month >= 1 && written->month <= 12 &&
           written->day >= 1 && written->day <= days[written->month - 1] + (written->month == 2 && leaps);
}

/*
 * The moment, at most last_us, at which a wall clock shows the given time. Where clocks go back they show it
 * twice; where they go forward they never show it: then false.
 */
enum which { THE_FIRST, THE_LATEST };
static bool find_local(const struct written *written, enum which which, int64_t last_us, int64_t *at_us)
{
    bool found = false;
    for (int summer = 0; summer <= 1; summer++) {
        struct tm tm = {.tm_year = written->year - 1900,
                        .tm_mon = written->month - 1,
                        .tm_mday = written->day,
                        .tm_hour = written->hour,
                        .tm_min = written->minute,
                        .tm_sec = written->second,
                        .tm_isdst = summer};
        time_t second = mktime(&tm);
        struct tm shown;
        if (second == (time_t)-1 || !localtime_r(&second, &shown) || shown.tm_mday != written->day ||
            shown.tm_hour != written->hour || shown.tm_min != written->minute)
            continue;
        int64_t us = (int64_t)second * SECOND_US + written->fraction_us;
        if (us > last_us || (found && (which == THE_FIRST ? us >= *at_us : us <= *at_us)))
            continue;
        *at_us = us;
        found = true;
    }
    return found;
}

/* Today's, else that of the days before: one day may not have it. */
static const char *latest_clock(struct written *written, int64_t reference_us, int64_t *at_us)
{
    for (int ago = 0; ago <= 2; ago++) {
        time_t second = (time_t)(reference_us / SECOND_US);
        struct tm tm;
        if (!localtime_r(&second, &tm))
            break;
        /* From noon, so that an hour more or less in a day leads to no other one. */
        tm.tm_hour = 12;
        tm.tm_mday -= ago;
        tm.tm_isdst = -1;
        if (mktime(&tm) == (time_t)-1)
            break;
        written->year = tm.tm_year + 1900;
        written->month = tm.tm_mon + 1;
        written->day = tm.tm_mday;
        if (find_local(written, THE_LATEST, reference_us, at_us))
            return NULL;
    }
    return NO_TIME;
}

/* A day alone is its beginning, which is not midnight where clocks are put forward just then. */
static const char *begin_of_day(struct written *written, int64_t *at_us)
{
    for (written->hour = 0; written->hour < 3; written->hour++)
        if (find_local(written, THE_FIRST, INT64_MAX, at_us))
            return NULL;
    return "is a day that does not exist here; " TIME_FORM;
}

/* "-10m", "+90s" */
static const char *parse_distance(const char *text, int64_t reference_us, int64_t *at_us)
{
    int64_t ms;
    const char *problem = duration_parse(text + 1, &ms);
    if (problem)
        return problem;
    int64_t us = reference_us + (*text == '-' ? -ms : ms) * 1000;
    if (us <= 0)
        return "is before 1970; " TIME_FORM;
    *at_us = us;
    return NULL;
}

const char *time_parse(const char *text, int64_t reference_us, int64_t *at_us)
{
    struct written written = {0};
    const char *at = text, *problem;
    if (*at == '-' || *at == '+')
        return parse_distance(text, reference_us, at_us);
    if (strlen(at) > 2 && at[2] == ':') {
        problem = times_take_clock(&at, &written);
        return problem ? problem : *at ? NO_TIME : latest_clock(&written, reference_us, at_us);
    }
    if (!take_number(&at, 4, &written.year) || !times_take(&at, '-') ||
        !take_number(&at, 2, &written.month) || !times_take(&at, '-') || !take_number(&at, 2, &written.day))
        return NO_TIME;
    bool whole_day = !*at;
    if (!whole_day && !(times_take(&at, 'T') || times_take(&at, 't') || times_take(&at, ' ')))
        return NO_TIME;
    problem = whole_day ? NULL : times_take_clock(&at, &written);
    if (!problem)
        problem = take_zone(&at, &written);
    if (problem || *at)
        return problem ? problem : NO_TIME;
    if (!is_a_day(&written))
        return "is not a day of the calendar; " TIME_FORM;
    if (whole_day)
        return begin_of_day(&written, at_us);
    if (!written.zoned)
        return find_local(&written, THE_LATEST, INT64_MAX, at_us)
                   ? NULL
                   : "does not exist here: clocks were put forward then";
    *at_us =
        days_to(written.year, written.month, written.day) * DAY_US +
        (INT64_C(3600) * written.hour + 60 * written.minute + written.second - written.offset_s) * SECOND_US +
        written.fraction_us;
    return NULL;
}

#include "probe/report/client_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/plain_file.h"
#include "config/text.h"

#define LINE_MOST 4096
#define PAUSE_MOST_S 1e6
#define ZONE_STEP_US INT64_C(900000000)
#define ZONE_MOST_US INT64_C(50400000000) /* 14 h */
#define BESIDE_MOST_US INT64_C(60000000)
/* Beside what packets show, a time may lie so far, by its clock; and so far, in whole seconds. */
#define CLOCK_US INT64_C(500000)
#define WHOLE_SECONDS_US INT64_C(1500000)

/* ---- times ---- */

/* Parses this number of digits; -1: there are fewer. */
static int digits(const char *at, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (at[i] < '0' || at[i] > '9')
            return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

/* ".754129", or nothing. */
static int64_t fraction_us(const char *at)
{
    int64_t part_us = 0, unit_us = 100000;
    if (*at == '.' || *at == ',')
        for (at++; *at >= '0' && *at <= '9'; at++, unit_us /= 10)
            part_us += (*at - '0') * unit_us;
    return part_us;
}

/* Days since 1970, of the proleptic Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int64_t local_us(int year, int month, int day, int64_t second_of_day)
{
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = (int)(second_of_day / 3600),
                    .tm_min = (int)(second_of_day / 60 % 60),
                    .tm_sec = (int)(second_of_day % 60),
                    .tm_isdst = -1};
    return (int64_t)mktime(&tm) * 1000000;
}

/* "2026-11-25T18:47:32.756+0000"; 0: there is none here. */
static int64_t iso_time(const char *at)
{
    size_t length = strnlen(at, 19);
    if (length < 19 || at[4] != '-' || at[7] != '-' || (at[10] != 'T' && at[10] != ' ') || at[13] != ':' ||
        at[16] != ':')
        return 0;
    int year = digits(at, 4), month = digits(at + 5, 2), day = digits(at + 8, 2);
    int hour = digits(at + 11, 2), minute = digits(at + 14, 2), second = digits(at + 17, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || minute < 0 || second < 0)
        return 0;
    int64_t of_day = hour * INT64_C(3600) + minute * 60 + second, part_us = fraction_us(at + 19);
    at += 19;
    at += strspn(at, ".,0123456789");
    if (*at == 'Z' || strncmp(at, " UTC ", 5) == 0)
        return (days_of(year, month, day) * 86400 + of_day) * 1000000 + part_us;
    if (*at != '+' && *at != '-')
        return local_us(year, month, day, of_day) + part_us;
    int hours = digits(at + 1, 2), minutes = hours < 0 ? -1 : digits(at + 3 + (at[3] == ':'), 2);
    int64_t offset = (hours < 0 ? 0 : hours * INT64_C(3600)) + (minutes < 0 ? 0 : minutes * 60);
    return (days_of(year, month, day) * 86400 + of_day - (*at == '+' ? offset : -offset)) * 1000000 + part_us;
}

/* "Nov 25 18:47:32", as syslog writes it; 0: there is none here. */
static int64_t syslog_time(const char *at, int64_t year_us)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char word[4] = "";
    int day, hour, minute, second;
    time_t seconds = (time_t)(year_us / 1000000);
    struct tm tm;
    int end = 0;
    if (sscanf(at, "%3[A-Za-z] %2d %2d:%2d:%2d%n", word, &day, &hour, &minute, &second, &end) != 5 ||
        strlen(word) != 3)
        return 0;
    const char *month = strstr(months, word);
    if (!month || (month - months) % 3 != 0 || !localtime_r(&seconds, &tm))
        return 0;
    return local_us(tm.tm_year + 1900, (int)(month - months) / 3 + 1, day,
                    hour * INT64_C(3600) + minute * 60 + second) +
           fraction_us(at + end);
}

/* "1795632451.754129 host kernel:", as the journal writes it, and its JSON "1795632451754129"; "[1795632451754ms]" of a
 * JVM, perhaps behind its uptime; 0: there is none here. */
static int64_t unix_time(const char *line)
{
    static const char realtime[] = "\"__REALTIME_TIMESTAMP\"";
    const char *json = strstr(line, realtime), *ms = *line == '[' ? strstr(line, "ms]") : NULL;
    const char *at = json ? json + sizeof realtime - 1 : ms && ms - line > 13 ? ms - 13 : line;
    at += json ? strspn(at, ": \"") : 0;
    int high = digits(at, 5), low = high < 0 ? -1 : digits(at + 5, 5);
    int part = low < 0 ? -1 : digits(at + 10, ms ? 3 : 6);
    if (low < 0 || (at[10] != '.' && part < 0))
        return 0;
    return (high * INT64_C(100000) + low) * 1000000 + (at[10] == '.' ? fraction_us(at + 10)
                                                       : ms          ? part * INT64_C(1000)
                                                                     : part);
}

/* "[Wed Nov 25 18:47:32 2026] ", as dmesg -T writes it; 0: there is none here. */
static int64_t dmesg_time(const char *at)
{
    int year, end = 0;
    if (sscanf(at, "[%*3[A-Za-z] %*3[A-Za-z] %*2d %*2d:%*2d:%*2d %4d]%n", &year, &end) != 1 || end == 0)
        return 0;
    return syslog_time(at + 5, local_us(year, 7, 1, 0));
}

static const char exclusive[] = "<exclusive-end ", stamp[] = "timestamp=\"", duration[] = "durationms=\"";

/* Where a date may begin: at the line's beginning, behind a day of the week, in the first bracket of a JVM's unified log,
 * or in an element of OpenJ9's. */
static const char *date_in(const char *line)
{
    const char *of_element = strncmp(line, exclusive, sizeof exclusive - 1) == 0 ? strstr(line, stamp) : NULL;
    if (of_element)
        return of_element + sizeof stamp - 1;
    line += *line == '[';
    return strlen(line) > 4 && line[3] == ' ' && digits(line + 4, 4) > 0 ? line + 4 : line;
}

/* Its time does not depend on where it is read. */
static bool has_offset(const char *line)
{
    const char *at = date_in(line);
    if (!iso_time(at))
        return unix_time(line) != 0;
    at += 19;
    at += strspn(at, ".,0123456789");
    return *at == 'Z' || *at == '+' || *at == '-' || strncmp(at, " UTC ", 5) == 0;
}

static int64_t line_time(const char *line, int64_t year_us)
{
    int64_t at_us = iso_time(date_in(line));
    at_us = at_us ? at_us : unix_time(line);
    at_us = at_us ? at_us : dmesg_time(line);
    return at_us ? at_us : syslog_time(line, year_us);
}

/* A JVM's line in a container's log has another date, or JSON, before its own. */
static const char *jvm_line(const char *line)
{
    const char *own = *line == '[' ? NULL : strstr(line, "[2");
    return own && iso_time(own + 1) ? own : line;
}

/* ---- lines ---- */

static bool take_pause(struct client_pause *pause, int64_t end_us, double seconds, const char *what,
                       size_t length)
{
    if (!(seconds >= 0) || seconds > PAUSE_MOST_S)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < length && kept + 1 < sizeof pause->what; i++)
        if (what[i] >= ' ' && what[i] < 127)
            pause->what[kept++] = what[i];
    while (kept > 0 && pause->what[kept - 1] == ' ')
        kept--;
    pause->what[kept] = '\0';
    pause->from_us = end_us ? end_us - (int64_t)(seconds * 1e6) : 0;
    pause->to_us = end_us;
    return true;
}

/* "GC(12) Pause Full (G1 Compaction Pause) 1200M->800M(2048M) 14215.123ms", written at its end. */
static bool unified_pause(const char *line, int64_t at_us, struct client_pause *pause)
{
    const char *what = strstr(line, "Pause "), *end = what ? strstr(what, "ms") : NULL;
    if (*line != '[' || !end)
        return false;
    while (strstr(end + 2, "ms"))
        end = strstr(end + 2, "ms");
    const char *number = end;
    while (number > what && ((number[-1] >= '0' && number[-1] <= '9') || number[-1] == '.'))
        number--;
    const char *close = strrchr(what, ')'), *size = strstr(what, "->");
    size_t length =
        close && (!size || close < size) ? (size_t)(close - what) + 1 : strcspn(what, "0123456789");
    for (const char *c = size; c && c > what && c[-1] != ' '; c--)
        length = (size_t)(c - what) - 1;
    return number < end && take_pause(pause, at_us, strtod(number, NULL) / 1e3, what, length);
}

/* Three forms: "Total time for which application threads were stopped: 14.2 seconds", written at its end; and of
 * JDK 13 and later: Safepoint "G1CollectFull", ..., Total: 14215123456 ns;
 * and <exclusive-end id="8" timestamp="2026-11-25T18:47:32.756" durationms="14215.123" />. */
static bool stopped_time(const char *line, int64_t at_us, struct client_pause *pause)
{
    static const char stopped[] = "threads were stopped: ", total[] = "Total: ", safepoint[] = "Safepoint \"";
    static const char threads[] = "all threads stopped";
    const char *at = strstr(line, stopped), *name = strstr(line, safepoint);
    const char *element = strncmp(line, exclusive, sizeof exclusive - 1) == 0 ? strstr(line, duration) : NULL;
    if (element)
        return take_pause(pause, at_us, strtod(element + sizeof duration - 1, NULL) / 1e3, threads,
                          sizeof threads - 1);
    if (at)
        return take_pause(pause, at_us, strtod(at + sizeof stopped - 1, NULL), threads, sizeof threads - 1);
    const char *ns = name ? strstr(name, total) : NULL;
    return ns &&
           take_pause(pause, at_us, strtod(ns + sizeof total - 1, NULL) / 1e9, name, strcspn(name, ","));
}

/* CMS writes the end of its concurrent phase into the line of the collection that it could not wait for. */
static bool is_unfinished(const char *line)
{
    const char *what = strstr(line, "GC ");
    return what && strstr(what, "[CMS-concurrent-");
}

/* "2026-...: 12.3: [Full GC (Ergonomics) ..., 14.2150000 secs]", whose time is that of its beginning. */
static bool older_collection(const char *line, int64_t at_us, struct client_pause *pause)
{
    const char *what = strstr(line, "[Full GC"), *end = NULL;
    what = what ? what : strstr(line, "[GC");
    if (!what || strncmp(what, "[GC concurrent", 14) == 0 || is_unfinished(line))
        return false;
    for (const char *next = what ? strstr(what, " secs]") : NULL; next; next = strstr(next + 1, " secs]"))
        end = next;
    const char *number = end;
    while (number && number > what && ((number[-1] >= '0' && number[-1] <= '9') || number[-1] == '.'))
        number--;
    double seconds = number && number < end ? strtod(number, NULL) : -1;
    if (!(seconds >= 0 && seconds <= PAUSE_MOST_S))
        return false;
    const char *date = strstr(what, " 20");
    size_t length = strcspn(what + 1, "[:],");
    if (date && (size_t)(date - what) < length + 1)
        length = (size_t)(date - what) - 1;
    return take_pause(pause, at_us ? at_us + (int64_t)(seconds * 1e6) : 0, seconds, what + 1, length);
}

/* "(concurrent mode failure): ..., 6.2139520 secs] ... [Times: user=1.00 sys=0.00, real=6.25 secs]": the end of a
 * collection whose line was interrupted. */
static bool older_rest(const char *line, int64_t begun_us, struct client_pause *pause)
{
    static const char rest[] = "(concurrent mode ", real[] = "real=";
    const char *what = strstr(line, rest), *seconds = what ? strstr(what, real) : NULL;
    double length = seconds ? strtod(seconds + sizeof real - 1, NULL) : 0;
    return seconds && begun_us && length >= 0 && length <= PAUSE_MOST_S &&
           take_pause(pause, begun_us + (int64_t)(length * 1e6), length, what + 1, strcspn(what + 1, ")"));
}

/* The line's text from there on; NULL: it is about no kill. Older kernels write two lines. */
static const char *killed_in(const char *line)
{
    static const char *const forms[] = {"Memory cgroup out of memory: Kill", "Out of memory: Kill",
                                        "out of memory: Kill", "Killed process "};
    const char *at = NULL, *daemon = strstr(line, "systemd-oomd[");
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !at; i++)
        at = strstr(line, forms[i]);
    return at && strstr(at, " process ") ? at : daemon ? strstr(daemon, "Killed /") : NULL;
}

static const char suspended[] = "suspend of the host";
/* As old and new kernels write it, and systemd. */
static const char *const suspends[] = {"PM: suspend entry", "hibernation entry", "PM: Preparing system for",
                                       "Entering sleep state", NULL};
static const char *const resumes[] = {"PM: suspend exit", "hibernation exit", "PM: Finishing wakeup",
                                      "System returned from sleep", NULL};

static bool has_one(const char *line, const char *const *words)
{
    while (*words && !strstr(line, *words))
        words++;
    return *words != NULL;
}

/* The kernel: a kill ends nothing; a suspend ends with another line. */
static bool kernel_line(const char *line, int64_t at_us, struct client_pause *pause)
{
    const char *killed = killed_in(line);
    bool suspend = has_one(line, suspends);
    if (!killed && !suspend)
        return false;
    take_pause(pause, at_us, 0, killed ? killed : suspended,
               killed ? strcspn(killed, ",\"\n") : sizeof suspended - 1);
    pause->to_us = INT64_MAX;
    return true;
}

static bool pause_at(const char *line, int64_t at_us, struct client_pause *pause)
{
    return stopped_time(line, at_us, pause) || unified_pause(line, at_us, pause) ||
           older_collection(line, at_us, pause) || kernel_line(line, at_us, pause);
}

bool client_log_line(const char *line, int64_t year_us, struct client_pause *pause)
{
    line = jvm_line(line);
    /* Most lines are about none, and to read their time takes longest. */
    return pause_at(line, 0, pause) && pause_at(line, line_time(line, year_us), pause);
}

/* ---- files ---- */

static int64_t overlap(const struct client_pause *pause, int64_t from_us, int64_t to_us)
{
    int64_t from = pause->from_us > from_us ? pause->from_us : from_us;
    int64_t to = pause->to_us < to_us ? pause->to_us : to_us;
    return to - from;
}

/* Shorter ones do not explain the silence: a client that goes on sends at once what it owes. */
static bool is_long_enough(const struct client_pause *pause, const struct client_silence *silence)
{
    return pause->to_us == INT64_MAX || overlap(pause, silence->from_us, silence->to_us) >= silence->least_us;
}

static int64_t beside_us(int64_t at_us)
{
    return at_us % 1000000 == 0 ? WHOLE_SECONDS_US : CLOCK_US;
}

/* Packets show the client before its end, or after its beginning. */
static bool is_refuted(const struct client_pause *pause, const struct client_silence *silence)
{
    bool ends = pause->to_us != INT64_MAX;
    return (silence->alive_us != 0 && pause->to_us > silence->alive_us + beside_us(pause->to_us)) ||
           (silence->exact && ends && pause->from_us < silence->from_us - beside_us(pause->from_us));
}

/* A kill has no end: whose client was heard since was not killed, and of another process it says less than a pause that
 * lasted for most of the silence. */
static int64_t overlap_counts(const struct client_pause *pause, int64_t from_us, int64_t to_us)
{
    int64_t both_us = overlap(pause, from_us, to_us), half_us = (to_us - from_us) / 2;
    if (pause->to_us != INT64_MAX)
        return both_us;
    if (pause->from_us < from_us - beside_us(pause->from_us))
        return 0;
    return both_us < half_us ? both_us : half_us;
}

static void keep_longest(struct client_pause *longest, const struct client_pause *one, const char *file,
                         const struct client_silence *silence)
{
    int64_t from_us = silence->from_us, to_us = silence->to_us;
    int64_t counts_us = one->from_us ? overlap_counts(one, from_us, to_us) : 0;
    if (counts_us > 0 && is_refuted(one, silence)) {
        longest->refuted = true;
        return;
    }
    if (counts_us > 0 && !is_long_enough(one, silence)) {
        longest->short_us = counts_us > longest->short_us ? counts_us : longest->short_us;
        return;
    }
    if (counts_us <= 0 || (longest->what[0] && counts_us <= overlap_counts(longest, from_us, to_us)))
        return;
    longest->from_us = one->from_us;
    longest->to_us = one->to_us;
    longest->file = file;
    memcpy(longest->what, one->what, sizeof longest->what);
}

/* Whether the pause, by a clock that differs, can have begun and ended as the silence did. */
static bool is_as_long(const struct client_pause *one, const struct client_silence *silence)
{
    int64_t silent_us = silence->back_us - silence->from_us;
    if (silence->back_us == 0 || one->from_us == 0 || one->to_us == INT64_MAX)
        return false;
    int64_t length_us = one->to_us - one->from_us;
    return length_us > silence->before_us && length_us <= silent_us &&
           length_us >= silent_us - silence->before_us;
}

/* By a time zone, and not more than a little beside it: clocks are kept. */
static bool is_a_zone(int64_t ahead_us)
{
    int64_t apart_us = ahead_us < 0 ? -ahead_us : ahead_us, beside_us = apart_us % ZONE_STEP_US;
    return apart_us <= ZONE_MOST_US + BESIDE_MOST_US &&
           (beside_us <= BESIDE_MOST_US || beside_us >= ZONE_STEP_US - BESIDE_MOST_US);
}

/* A stop of a JVM may have several lines. */
static size_t note_as_long(struct client_pause *tied, const struct client_pause *one, const char *file,
                           const struct client_silence *silence)
{
    if (!is_as_long(one, silence))
        return 0;
    int64_t ahead_us = (one->from_us + one->to_us - silence->from_us - silence->back_us) / 2;
    if (!is_a_zone(ahead_us) || (tied->what[0] && overlap(one, tied->from_us, tied->to_us) > 0))
        return 0;
    *tied = *one;
    tied->file = file;
    tied->ahead_us = ahead_us;
    return 1;
}

bool client_log_find(char *const *files, size_t count, const struct client_silence *silence,
                     struct client_pause *pause, char **error)
{
    int64_t from_us = silence->from_us, to_us = silence->to_us;
    struct client_pause tied = {0};
    size_t ties = 0;
    *pause = (struct client_pause){0};
    for (size_t i = 0; i < count; i++) {
        char line[LINE_MOST];
        int64_t suspended_us = 0, begun_us = 0, first_us = INT64_MAX, last_us = 0; /* with an offset */
        struct client_pause tied_before = tied;
        size_t ties_before = ties;
        const char *why;
        FILE *file = plain_file_stream(files[i], &why);
        if (!file) {
            *error = text_format("%s: %s", files[i], why);
            return false;
        }
        while (fgets(line, sizeof line, file)) {
            struct client_pause one = {0};
            if (suspended_us && has_one(line, resumes)) {
                one = (struct client_pause){.from_us = suspended_us, .to_us = line_time(line, to_us)};
                memcpy(one.what, suspended, sizeof suspended);
                suspended_us = 0;
            } else if (is_unfinished(line)) {
                begun_us = line_time(line, to_us);
                continue;
            } else if (!client_log_line(line, to_us, &one) && !older_rest(line, begun_us, &one)) {
                continue;
            } else {
                /* Without its end, the host may have lost power; it is awake by the next line. */
                bool suspend = strcmp(one.what, suspended) == 0;
                suspended_us = suspend ? one.from_us : 0;
            }
            pause->lines++;
            pause->undated += one.from_us == 0;
            pause->undated_kernel += one.from_us == 0 && one.to_us == INT64_MAX;
            if (has_offset(line) && one.from_us) {
                first_us = one.from_us < first_us ? one.from_us : first_us;
                last_us = one.from_us > last_us ? one.from_us : last_us;
            }
            if (suspended_us)
                continue;
            keep_longest(pause, &one, files[i], silence);
            ties += note_as_long(&tied, &one, files[i], silence);
        }
        fclose(file);
        if (first_us < from_us && last_us > silence->back_us) { /* it shows that time, and no pause in it */
            tied = tied_before;
            ties = ties_before;
        }
    }
    if (!pause->what[0] && ties == 1) {
        tied.refuted = false;
        tied.lines = pause->lines;
        tied.undated = pause->undated;
        tied.undated_kernel = pause->undated_kernel;
        *pause = tied;
    }
    return true;
}

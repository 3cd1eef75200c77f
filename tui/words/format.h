/*
 * format.h - numbers and times in readable form, the same everywhere.
 */
#ifndef ELECTOP_TUI_WORDS_FORMAT_H
#define ELECTOP_TUI_WORDS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The age of something, at most 6 columns: "0.8s" "12s" "4m12s" "2h11m" "3d04h" "412d". */
char *format_age(int64_t us, char *buffer, size_t size);
/* Forms: an upper bound is rounded up, an age is cut; minutes without seconds: "4m". */
#define AGE_AT_MOST 1U
#define AGE_MINUTES 2U
char *format_age_as(int64_t us, unsigned form, char *buffer, size_t size);
/* A duration with three digits: "0.41ms" "412ms" "1.24s" "12.3s" "2m05s". */
char *format_span(int64_t us, char *buffer, size_t size);
/* A value between two bounds: "412ms", "1.90 – 4.00s", "≥ 412ms", "≤ 4.00s"; a negative bound is
   open; both: "?". ascii: "1.90-4.00s", ">= 412ms". */
#define FORMAT_INTERVAL 48
char *format_interval(int64_t low_us, int64_t high_us, bool ascii, char buffer[FORMAT_INTERVAL]);
/* A rate, with as many digits as are significant: "0.08" "3.2" "140". */
char *format_rate(double rate, char *buffer, size_t size);
/* Local wall time: "14:03:22" and "14:03:15.204". */
char *format_clock(int64_t wall_us, char *buffer, size_t size);
char *format_clock_ms(int64_t wall_us, char *buffer, size_t size);
/* With date and zone: "2026-11-20 14:03:22 CET"; and the zone alone. */
char *format_stamp(int64_t wall_us, char *buffer, size_t size);
char *format_zone(int64_t wall_us, char *buffer, size_t size);
/* A text of the model with its times ("08:10:12Z") in local time ("09:10:12"). near_us: a time close to them,
   since they carry no date. */
char *format_local_times(const char *text, int64_t near_us, char *buffer, size_t size);
/* What a bundle of a moment after the latest observations lacks: a sentence; NULL: nothing. minutes: within which a
   recorder writes them. */
#define FORMAT_LACKS 160
const char *format_lacks(int64_t until_us, int64_t at_us, int minutes, char buffer[FORMAT_LACKS]);
/* RFC 3339 with milliseconds, UTC: "2026-11-20T14:03:22.104Z". */
char *format_time(int64_t wall_us, char *buffer, size_t size);

#endif

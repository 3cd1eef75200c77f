/*
 * units.h - durations, percentages, rates and numbers as people write them, parsed exactly and printed back.
 *
 * Every *_parse returns NULL on success, else a static text with the error and the remedy
 * ("has no unit; write it as in 250ms, 10s, 5m, 2h or 30d"), fit to follow the value in a message; *out is
 * then untouched. Values beyond the range of the type are refused; the caller checks narrower ranges.
 * Arithmetic is whole numbers throughout. Every *_print writes a text that its parser reads back to the same
 * value, and returns its buffer.
 */
#ifndef ELECTOP_CONFIG_UNITS_H
#define ELECTOP_CONFIG_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* The longest duration: a hundred years, so that sums of a few never overflow even in microseconds. */
#define DURATION_MAX_MS (INT64_C(36500) * 24 * 3600 * 1000)
#define UNITS_TEXT 48 /* a buffer that holds any printed value */

/* "250ms", "1.5s", "5m", "2h", "30d", "0". Finer than a millisecond is refused, not rounded. */
const char *duration_parse(const char *text, int64_t *ms);
char *duration_print(int64_t ms, char *buffer, size_t size);

/* "66%", or "66"; whole, not negative. */
const char *percent_parse(const char *text, int64_t *percent);
char *percent_print(int64_t percent, char *buffer, size_t size);

/* "100/s" */
const char *rate_parse(const char *text, int64_t *per_s);
char *rate_print(int64_t per_s, char *buffer, size_t size);

/* "3 in 10m": a count within a time. */
const char *count_in_parse(const char *text, int *count, int64_t *ms);
char *count_in_print(int count, int64_t ms, char *buffer, size_t size);

/* "256MB": decimal, as for disks. */
const char *size_parse(const char *text, int64_t *bytes);
char *size_print(int64_t bytes, char *buffer, size_t size);

/* "1s to 60s": a range of durations; the second is at least as long as the first. */
const char *range_parse(const char *text, int64_t *least_ms, int64_t *most_ms);
char *range_print(int64_t least_ms, int64_t most_ms, char *buffer, size_t size);

/* A whole decimal number, perhaps with a minus. */
const char *number_parse(const char *text, int64_t *number);
char *number_print(int64_t number, char *buffer, size_t size);

/* 1 to 65535 */
const char *port_parse(const char *text, int *port);

#endif

/*
 * codec.h - numbers, texts and moments in few bytes: how the items of a snapshot and of a case are written.
 *
 * Writing goes into a buffer. Reading takes bytes that may be damaged
 * or a stranger's: what does not fit turns `bad`, and from then on everything read is 0 or NULL.
 */
#ifndef ELECTOP_PROBE_CASE_CODEC_H
#define ELECTOP_PROBE_CASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/moment.h"
#include "probe/json/buffer.h"

void put_number(struct buffer *out, uint64_t number); /* seven bits a byte, the lowest first */
void put_signed(struct buffer *out, int64_t number);  /* small for small ones of either sign */
void put_text(struct buffer *out, const char *text);  /* NULL stays NULL */
void put_bytes(struct buffer *out, const void *bytes, size_t length);
/* The wall clock as its distance from mono_us + base_us, which hardly changes. */
void put_moment(struct buffer *out, struct moment moment, int64_t base_us);

struct scan {
    const unsigned char *at, *end;
    bool bad;
};

uint64_t scan_number(struct scan *scan);
/* Bad where it is not below limit. */
uint64_t scan_below(struct scan *scan, uint64_t limit);
static inline bool scan_flag(struct scan *scan)
{
    return scan_below(scan, 2) != 0;
}
int64_t scan_signed(struct scan *scan);
int32_t scan_int32(struct scan *scan);
/* The bytes are not copied. NULL differs from empty: *length 0 and NULL. */
const char *scan_piece(struct scan *scan, size_t *length);
/* A copy, NUL-terminated; NULL: there was none, or bad. */
char *scan_text(struct scan *scan);
struct moment scan_moment(struct scan *scan, int64_t base_us);

#endif

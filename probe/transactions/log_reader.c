#include "probe/transactions/log_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "probe/transactions/record.h"

#define FILE_HEADER_BYTES 16
#define FRAME_BYTES 12 /* in front of a record: checksum and length */
/* Enough for some thousand records, and small enough to stay in the processor's cache. */
#define WINDOW_BYTES (256u << 10)
/* Behind damage the next record is searched for within so many bytes. */
#define SEARCH_MOST (64 << 20)

void log_reader_begin(struct log_reader *r, int fd)
{
    *r = (struct log_reader){.fd = fd};
}

void log_reader_end(struct log_reader *r)
{
    if (r->fd >= 0)
        close(r->fd);
    free(r->window);
    *r = (struct log_reader){.fd = -1};
}

int64_t log_reader_offset(const struct log_reader *r)
{
    return r->base + (int64_t)r->at;
}

static bool window_grow(struct log_reader *r, size_t wanted)
{
    size_t room = r->room ? r->room : WINDOW_BYTES;
    while (room < wanted)
        room *= 2;
    unsigned char *window = room > r->room ? realloc(r->window, room) : r->window;
    if (!window) {
        errno = ENOMEM;
        return false;
    }
    r->window = window;
    r->room = room;
    return true;
}

/* Makes so many bytes from the next record on readable. False: the file has fewer, or errno is set. */
static bool window_need(struct log_reader *r, size_t wanted)
{
    if (r->length - r->at >= wanted)
        return true;
    if (r->at > 0) {
        memmove(r->window, r->window + r->at, r->length - r->at);
        r->base += (int64_t)r->at;
        r->length -= r->at;
        r->at = 0;
    }
    errno = 0;
    if (!window_grow(r, wanted))
        return false;
    while (r->length < wanted) {
        ssize_t got =
            pread(r->fd, r->window + r->length, r->room - r->length, (off_t)(r->base + (int64_t)r->length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0)
                errno = 0;
            return false;
        }
        r->length += (size_t)got;
    }
    return true;
}

/* What the window holds may have been read before the server wrote it. */
static void window_forget(struct log_reader *r)
{
    r->base += (int64_t)r->at;
    r->at = r->length = 0;
}

static bool is_log(const unsigned char *header)
{
    return memcmp(header, "ZKLG", 4) == 0 && read_u32(header + 4) == 2;
}

static enum log_next log_reader_stop(struct log_reader *r, bool torn)
{
    enum log_next next = errno ? LOG_FAILED : LOG_END;
    r->torn = torn;
    window_forget(r);
    return next;
}

static bool is_checked(const unsigned char *frame, size_t length)
{
    return read_u64(frame) == adler32(adler32(0, NULL, 0), frame + FRAME_BYTES, (uInt)length);
}

/* Does a whole valid record begin here? Sets errno to 0 or to why it cannot be read. */
static bool is_record(struct log_reader *r, size_t *length)
{
    if (!window_need(r, FRAME_BYTES))
        return false;
    *length = read_u32(r->window + r->at + 8);
    return *length >= TRANSACTION_HEADER_BYTES && *length <= LOG_RECORD_MOST &&
           window_need(r, FRAME_BYTES + *length + 1) && r->window[r->at + FRAME_BYTES + *length] == 'B' &&
           is_checked(r->window + r->at, *length);
}

/*
 * Is what is left all zeros, as far as the window shows? The last record may be half written; then only
 * preallocated zeros follow it.
 */
static bool is_last(struct log_reader *r, size_t from)
{
    for (size_t i = r->at + from; i < r->length; i++)
        if (r->window[i] != 0)
            return false;
    return true;
}

/* Nothing follows an incomplete record: it is looked at again when more was written. */
static enum log_next log_reader_tear(struct log_reader *r)
{
    r->base = r->damaged_from;
    r->at = r->length = 0;
    r->torn = true;
    return LOG_END;
}

/* Looks for the next valid record behind a damaged one; none: the damage goes to the end of the file, or,
   where the record is cut off there, it is no damage but the end. */
static enum log_next log_reader_skip(struct log_reader *r, size_t step, bool cut_off)
{
    r->damaged_from = log_reader_offset(r);
    r->at += step;
    for (int64_t searched = 0; searched < SEARCH_MOST; searched++, r->at++) {
        size_t length;
        errno = 0;
        if (!window_need(r, FRAME_BYTES))
            break;
        /* Cheap first: most bytes are the beginning of no plausible record. */
        length = read_u32(r->window + r->at + 8);
        if (length < TRANSACTION_HEADER_BYTES || length > LOG_RECORD_MOST || read_u32(r->window + r->at) != 0)
            continue;
        if (is_record(r, &length)) {
            r->damaged_to = log_reader_offset(r);
            return LOG_DAMAGED;
        }
    }
    r->damaged_to = log_reader_offset(r);
    if (errno)
        return LOG_FAILED;
    return cut_off ? log_reader_tear(r) : LOG_DAMAGED;
}

static enum log_next log_reader_header(struct log_reader *r)
{
    if (!window_need(r, FILE_HEADER_BYTES)) {
        /* A file that was just made is shorter. */
        bool empty = r->length == 0 || memcmp(r->window, "ZKLG", r->length < 4 ? r->length : 4) == 0;
        r->foreign = !errno && !empty;
        return errno || r->foreign ? LOG_FAILED : log_reader_stop(r, r->length > 0);
    }
    r->foreign = !is_log(r->window + r->at);
    if (r->foreign) {
        errno = 0;
        /* Preallocated, and not begun. */
        if (is_last(r, 0)) {
            r->foreign = false;
            return log_reader_stop(r, false);
        }
        return LOG_FAILED;
    }
    r->at += FILE_HEADER_BYTES;
    r->begun = true;
    return LOG_RECORD;
}

enum log_next log_reader_next(struct log_reader *r, const unsigned char **record, size_t *length)
{
    r->torn = false;
    if (!r->begun) {
        enum log_next next = log_reader_header(r);
        if (next != LOG_RECORD)
            return next;
    }
    errno = 0;
    if (!window_need(r, FRAME_BYTES))
        return log_reader_stop(r, r->length > r->at && !is_last(r, 0));
    const unsigned char *frame = r->window + r->at;
    size_t size = read_u32(frame + 8);
    if (size == 0)
        return log_reader_stop(r, read_u64(frame) != 0);
    bool plausible = size >= TRANSACTION_HEADER_BYTES && size <= LOG_RECORD_MOST;
    bool whole = plausible && window_need(r, FRAME_BYTES + size + 1);
    if (plausible && !whole)
        return errno ? LOG_FAILED : log_reader_skip(r, 1, true);
    frame = r->window + r->at;
    if (whole && frame[FRAME_BYTES + size] == 'B' && is_checked(frame, size)) {
        *record = frame + FRAME_BYTES;
        *length = size;
        r->at += FRAME_BYTES + size + 1;
        return LOG_RECORD;
    }
    /* Half written by a server that is running, or that died doing so. */
    if (whole && frame[FRAME_BYTES + size] != 'B' && is_last(r, FRAME_BYTES + size))
        return log_reader_stop(r, true);
    /* Where its length holds, the next record is right behind it. */
    return log_reader_skip(r, whole && frame[FRAME_BYTES + size] == 'B' ? FRAME_BYTES + size + 1 : 1, false);
}

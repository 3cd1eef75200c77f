#include "probe/transactions/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include <libdeflate.h>

#include "probe/transactions/record.h"

/* Enough for some thousand records, and small enough to stay in the processor's cache. */
#define READ_AHEAD_PIECE (256u << 10)
/* One is used by the reader, one is filled, and the others even out who is faster at the moment. */
#define PIECES 4

/* ---- reading a long file ahead, on a thread ---- */

/* Whole records, one behind the other, each with a right checksum. The first byte that begins no such record
   ends them: what that means is for the reader to say. */
struct read_piece {
    unsigned char *bytes;
    size_t length; /* of whole records; 0: the end */
};

struct read_ahead {
    int fd;
    int64_t offset; /* the thread's: of the next read */
    struct read_piece pieces[PIECES];
    uv_thread_t thread;
    uv_mutex_t mutex; /* of all that follows */
    uv_cond_t moved;
    size_t filled, taken; /* the number of pieces; the one at taken - 1 is in use */
    bool over;            /* no more is needed */
};

/* Has the record of this length behind this frame the checksum that the frame says? */
static bool frame_is_checked(const unsigned char *frame, size_t length)
{
    return read_u64(frame) == libdeflate_adler32(1, frame + FRAME_BYTES, length);
}

static size_t read_piece(const struct read_ahead *ahead, unsigned char *bytes)
{
    size_t length = 0;
    while (length < READ_AHEAD_PIECE) {
        ssize_t got = pread(ahead->fd, bytes + length, READ_AHEAD_PIECE - length,
                            (off_t)(ahead->offset + (int64_t)length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    return length;
}

/* How many of these bytes are whole records. */
static size_t whole_records(const unsigned char *bytes, size_t length)
{
    size_t at = 0;
    while (length - at > FRAME_BYTES) {
        size_t size = read_u32(bytes + at + 8), left = length - at - FRAME_BYTES;
        if (size < TRANSACTION_HEADER_BYTES || size >= left || bytes[at + FRAME_BYTES + size] != 'B' ||
            !frame_is_checked(bytes + at, size))
            break;
        at += FRAME_BYTES + size + 1;
    }
    return at;
}

/* A piece to fill. NULL: none is needed any more. */
static struct read_piece *wait_for_room(struct read_ahead *ahead)
{
    uv_mutex_lock(&ahead->mutex);
    while (!ahead->over && ahead->filled + 1 >= ahead->taken + PIECES)
        uv_cond_wait(&ahead->moved, &ahead->mutex);
    struct read_piece *piece = ahead->over ? NULL : &ahead->pieces[ahead->filled % PIECES];
    uv_mutex_unlock(&ahead->mutex);
    return piece;
}

static void read_ahead_run(void *context)
{
    struct read_ahead *ahead = context;
    struct read_piece *piece;
    bool more = true;
    while (more && (piece = wait_for_room(ahead))) {
        piece->length = whole_records(piece->bytes, read_piece(ahead, piece->bytes));
        ahead->offset += (int64_t)piece->length;
        more = piece->length > 0;
        uv_mutex_lock(&ahead->mutex);
        ahead->filled++;
        uv_cond_signal(&ahead->moved);
        uv_mutex_unlock(&ahead->mutex);
    }
}

static void read_ahead_free(struct read_ahead *ahead)
{
    uv_cond_destroy(&ahead->moved);
    uv_mutex_destroy(&ahead->mutex);
    free(ahead->pieces[0].bytes);
    free(ahead);
}

static struct read_ahead *read_ahead_begin(int fd, int64_t offset)
{
    struct read_ahead *ahead = calloc(1, sizeof *ahead);
    unsigned char *bytes = ahead ? malloc((size_t)PIECES * READ_AHEAD_PIECE) : NULL;
    if (!bytes) {
        free(ahead);
        return NULL;
    }
    *ahead = (struct read_ahead){.fd = fd, .offset = offset};
    for (size_t i = 0; i < PIECES; i++)
        ahead->pieces[i].bytes = bytes + i * READ_AHEAD_PIECE;
    uv_mutex_init(&ahead->mutex);
    uv_cond_init(&ahead->moved);
    if (uv_thread_create(&ahead->thread, read_ahead_run, ahead) == 0)
        return ahead;
    read_ahead_free(ahead);
    return NULL;
}

static void read_ahead_end(struct read_ahead *ahead)
{
    if (!ahead)
        return;
    uv_mutex_lock(&ahead->mutex);
    ahead->over = true;
    uv_cond_signal(&ahead->moved);
    uv_mutex_unlock(&ahead->mutex);
    uv_thread_join(&ahead->thread);
    read_ahead_free(ahead);
}

static bool read_ahead_next(struct read_ahead *ahead, const unsigned char **bytes, size_t *length)
{
    uv_mutex_lock(&ahead->mutex);
    while (ahead->filled == ahead->taken)
        uv_cond_wait(&ahead->moved, &ahead->mutex);
    const struct read_piece *piece = &ahead->pieces[ahead->taken++ % PIECES];
    uv_cond_signal(&ahead->moved);
    uv_mutex_unlock(&ahead->mutex);
    *bytes = piece->bytes;
    *length = piece->length;
    return piece->length > 0;
}

/* ---- one record after the other ---- */

#define FILE_HEADER_BYTES 16
#define WINDOW_BYTES READ_AHEAD_PIECE
/* The next record after damage is searched for within this many bytes. */
#define SEARCH_MOST (64 << 20)
/* So far from its end the last record of a file is looked for. */
#define LAST_BYTES INT64_C(65536)

void log_reader_begin(struct log_reader *r, int fd)
{
    *r = (struct log_reader){.fd = fd};
    /* The server's own pages stay in the cache rather than those of old logs. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE);
}

void log_reader_end(struct log_reader *r)
{
    read_ahead_end(r->ahead);
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

/* Makes this many bytes readable, from the next record on. False: the file has fewer, or errno is set. */
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

/* The window's content may be older than the server's latest write. */
static void window_forget(struct log_reader *r)
{
    r->base += (int64_t)r->at;
    r->at = r->length = 0;
}

static bool is_log(const unsigned char *header)
{
    return memcmp(header, "ZKLG", 4) == 0 && read_u32(header + 4) == 2;
}

static enum log_next log_reader_stop(struct log_reader *r)
{
    enum log_next next = errno ? LOG_FAILED : LOG_END;
    window_forget(r);
    return next;
}

/* Does a whole valid record begin here? Sets errno to 0 or to why it cannot be read. */
static bool is_record(struct log_reader *r, size_t *length)
{
    if (!window_need(r, FRAME_BYTES))
        return false;
    *length = read_u32(r->window + r->at + 8);
    return *length >= TRANSACTION_HEADER_BYTES && *length <= LOG_RECORD_MOST &&
           window_need(r, FRAME_BYTES + *length + 1) && r->window[r->at + FRAME_BYTES + *length] == 'B' &&
           frame_is_checked(r->window + r->at, *length);
}

/*
 * Whether the rest is all zeros, as far as the window shows. The last record may be half written; then only
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
        return errno || r->foreign ? LOG_FAILED : log_reader_stop(r);
    }
    r->foreign = !is_log(r->window + r->at);
    if (r->foreign) {
        errno = 0;
        /* Preallocated, and not begun. */
        if (is_last(r, 0)) {
            r->foreign = false;
            return log_reader_stop(r);
        }
        return LOG_FAILED;
    }
    r->at += FILE_HEADER_BYTES;
    r->begun = true;
    return LOG_RECORD;
}

/* From where the piece, or the window, has ended. */
static void leave_piece(struct log_reader *r)
{
    r->piece = NULL;
    window_forget(r);
}

/* The next piece. False: the rest must be read without it. */
static bool next_piece(struct log_reader *r)
{
    if (!r->ahead && log_reader_offset(r) - r->alone_from >= (int64_t)READ_AHEAD_PIECE)
        r->ahead = read_ahead_begin(r->fd, r->alone_from = log_reader_offset(r));
    if (!r->ahead)
        return false;
    leave_piece(r);
    if (read_ahead_next(r->ahead, &r->piece, &r->piece_length))
        return true;
    r->piece = NULL;
    read_ahead_end(r->ahead);
    r->ahead = NULL;
    r->alone_from = log_reader_offset(r);
    return false;
}

/* The next record of a piece. False: it is to be read alone. */
static bool take_ahead(struct log_reader *r, const unsigned char **record, size_t *length)
{
    if ((!r->piece || r->at == r->piece_length) && !next_piece(r))
        return false;
    *length = read_u32(r->piece + r->at + 8);
    *record = r->piece + r->at + FRAME_BYTES;
    r->at += FRAME_BYTES + *length + 1;
    return true;
}

enum log_next log_reader_next(struct log_reader *r, const unsigned char **record, size_t *length)
{
    if (take_ahead(r, record, length))
        return LOG_RECORD;
    if (!r->begun) {
        enum log_next next = log_reader_header(r);
        if (next != LOG_RECORD)
            return next;
    }
    errno = 0;
    if (!window_need(r, FRAME_BYTES))
        return log_reader_stop(r);
    const unsigned char *frame = r->window + r->at;
    size_t size = read_u32(frame + 8);
    if (size == 0)
        return log_reader_stop(r);
    bool plausible = size >= TRANSACTION_HEADER_BYTES && size <= LOG_RECORD_MOST;
    bool whole = plausible && window_need(r, FRAME_BYTES + size + 1);
    if (plausible && !whole)
        return errno ? LOG_FAILED : log_reader_skip(r, 1, true);
    frame = r->window + r->at;
    if (whole && frame[FRAME_BYTES + size] == 'B' && frame_is_checked(frame, size)) {
        *record = frame + FRAME_BYTES;
        *length = size;
        r->at += FRAME_BYTES + size + 1;
        return LOG_RECORD;
    }
    /* Half written by a server that is running, or that died doing so. */
    if (whole && frame[FRAME_BYTES + size] != 'B' && is_last(r, FRAME_BYTES + size))
        return log_reader_stop(r);
    /* Where its length holds, the next record is right behind it. */
    return log_reader_skip(r, whole && frame[FRAME_BYTES + size] == 'B' ? FRAME_BYTES + size + 1 : 1, false);
}

const unsigned char *log_reader_peek(const struct log_reader *r)
{
    const unsigned char *bytes = r->piece ? r->piece : r->window;
    size_t left = (r->piece ? r->piece_length : r->length) - r->at;
    if (left < FRAME_BYTES + TRANSACTION_HEADER_BYTES ||
        read_u32(bytes + r->at + 8) < TRANSACTION_HEADER_BYTES)
        return NULL;
    return bytes + r->at + FRAME_BYTES;
}

/* ---- one file ---- */

bool log_first_time(int fd, int64_t *time_ms)
{
    struct log_reader reader;
    struct transaction t;
    const unsigned char *record;
    size_t length;
    if (fd < 0)
        return false;
    log_reader_begin(&reader, fd);
    enum log_next next = log_reader_next(&reader, &record, &length);
    if (next == LOG_DAMAGED)
        next = log_reader_next(&reader, &record, &length);
    bool found = next == LOG_RECORD && transaction_read(record, length, &t);
    if (found)
        *time_ms = t.time_ms;
    log_reader_end(&reader);
    return found;
}

/* Preallocated zeros follow the last record. */
static int64_t content_end(int fd)
{
    static const unsigned char zeros[4096];
    unsigned char page[4096];
    off_t at = lseek(fd, 0, SEEK_END);
    while (at > 0) {
        off_t from = at > (off_t)sizeof page ? at - (off_t)sizeof page : 0;
        ssize_t got = pread(fd, page, (size_t)(at - from), from);
        if (got <= 0 || memcmp(page, zeros, (size_t)got) != 0)
            break;
        at = from;
    }
    return at;
}

int64_t log_last_zxid(int fd)
{
    struct log_reader reader;
    struct transaction t;
    const unsigned char *record;
    size_t length;
    enum log_next next = LOG_DAMAGED;
    int64_t last = 0;
    int64_t end = fd < 0 ? 0 : content_end(fd);
    if (end <= FILE_HEADER_BYTES) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    log_reader_begin(&reader, fd);
    reader.begun = true;
    reader.base = reader.alone_from =
        end - LAST_BYTES > FILE_HEADER_BYTES ? end - LAST_BYTES : FILE_HEADER_BYTES;
    /* Nothing says where the records begin. */
    next = log_reader_skip(&reader, 0, false);
    for (; next == LOG_DAMAGED || next == LOG_RECORD; next = log_reader_next(&reader, &record, &length))
        if (next == LOG_RECORD && transaction_read(record, length, &t))
            last = t.zxid;
    log_reader_end(&reader);
    return last;
}

#include "probe/transactions/read_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include <libdeflate.h>

#include "probe/transactions/record.h"

/* One is used by the reader, one is filled, and the others even out who is faster at the moment. */
#define PIECES 4

struct piece {
    unsigned char *bytes;
    size_t length; /* of whole records; 0: the end */
};

struct read_ahead {
    int fd;
    int64_t offset; /* the thread's: of what is read next */
    struct piece pieces[PIECES];
    uv_thread_t thread;
    uv_mutex_t mutex; /* of all that follows */
    uv_cond_t moved;
    size_t filled, taken; /* so many pieces in all; the one at taken - 1 is in use */
    bool over;            /* nobody wants more */
};

bool frame_is_checked(const unsigned char *frame, size_t length)
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

/* A piece to fill. NULL: nobody wants one any more. */
static struct piece *wait_for_room(struct read_ahead *ahead)
{
    uv_mutex_lock(&ahead->mutex);
    while (!ahead->over && ahead->filled + 1 >= ahead->taken + PIECES)
        uv_cond_wait(&ahead->moved, &ahead->mutex);
    struct piece *piece = ahead->over ? NULL : &ahead->pieces[ahead->filled % PIECES];
    uv_mutex_unlock(&ahead->mutex);
    return piece;
}

static void read_ahead_run(void *context)
{
    struct read_ahead *ahead = context;
    struct piece *piece;
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

struct read_ahead *read_ahead_begin(int fd, int64_t offset)
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

void read_ahead_end(struct read_ahead *ahead)
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

bool read_ahead_next(struct read_ahead *ahead, const unsigned char **bytes, size_t *length)
{
    uv_mutex_lock(&ahead->mutex);
    while (ahead->filled == ahead->taken)
        uv_cond_wait(&ahead->moved, &ahead->mutex);
    const struct piece *piece = &ahead->pieces[ahead->taken++ % PIECES];
    uv_cond_signal(&ahead->moved);
    uv_mutex_unlock(&ahead->mutex);
    *bytes = piece->bytes;
    *length = piece->length;
    return piece->length > 0;
}

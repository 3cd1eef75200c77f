#include "probe/transactions/tree_snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "probe/transactions/record.h"

#define WINDOW_BYTES (256u << 10)
/* Of one path or one znode's data: more is damage. */
#define LENGTH_MOST (64u << 20)
#define STAT_BYTES 60

struct stream {
    int fd;
    unsigned char *window;
    size_t room, length, at;
    off_t offset;
    uint32_t checksum; /* of all bytes before `at` that were taken */
    const char *problem;
};

static bool stream_fail(struct stream *s, const char *problem)
{
    if (!s->problem)
        s->problem = problem;
    return false;
}

static bool stream_need(struct stream *s, size_t wanted)
{
    if (s->problem)
        return false;
    if (s->length - s->at >= wanted)
        return true;
    memmove(s->window, s->window + s->at, s->length - s->at);
    s->length -= s->at;
    s->at = 0;
    if (wanted > s->room) {
        size_t room = s->room * 2 > wanted ? s->room * 2 : wanted;
        unsigned char *window = realloc(s->window, room);
        if (!window)
            return stream_fail(s, "is larger than memory");
        s->window = window;
        s->room = room;
    }
    while (s->length < wanted) {
        ssize_t got = pread(s->fd, s->window + s->length, s->room - s->length, s->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return stream_fail(s, got == 0 ? "ends too early" : "cannot be read");
        s->length += (size_t)got;
        s->offset += got;
    }
    return true;
}

/* The next bytes, valid until more are taken; NULL: there are not so many. */
static const unsigned char *stream_take(struct stream *s, size_t length)
{
    if (!stream_need(s, length))
        return NULL;
    const unsigned char *at = s->window + s->at;
    s->checksum = (uint32_t)adler32(s->checksum, at, (uInt)length);
    s->at += length;
    return at;
}

static int32_t stream_int(struct stream *s)
{
    const unsigned char *at = stream_take(s, 4);
    return at ? (int32_t)read_u32(at) : 0;
}

static size_t stream_length(struct stream *s)
{
    int32_t length = stream_int(s);
    if (length > (int32_t)LENGTH_MOST)
        stream_fail(s, "is damaged: a length is impossible");
    return length > 0 && !s->problem ? (size_t)length : 0;
}

static void skip_acls(struct stream *s)
{
    int32_t lists = stream_int(s);
    for (int32_t i = 0; i < lists && !s->problem; i++) {
        stream_take(s, 8);
        int32_t entries = stream_int(s);
        for (int32_t k = 0; k < entries && !s->problem; k++) {
            stream_take(s, 4);
            stream_take(s, stream_length(s));
            stream_take(s, stream_length(s));
        }
    }
}

static void read_stat(const unsigned char *at, struct znode_stat *stat)
{
    *stat = (struct znode_stat){.czxid = (int64_t)read_u64(at),
                                .mzxid = (int64_t)read_u64(at + 8),
                                .ctime_ms = (int64_t)read_u64(at + 16),
                                .mtime_ms = (int64_t)read_u64(at + 24),
                                .version = (int32_t)read_u32(at + 32),
                                .cversion = (int32_t)read_u32(at + 36),
                                .aversion = (int32_t)read_u32(at + 40),
                                .owner = read_u64(at + 44),
                                .pzxid = (int64_t)read_u64(at + 52)};
}

/* One znode behind its path; the path and all that follows it are looked at as one piece, since it moves. */
static void read_znode(struct stream *s, size_t path_length, const struct tree_snapshot_reader *reader)
{
    if (!stream_need(s, path_length + 4))
        return;
    uint32_t size = read_u32(s->window + s->at + path_length);
    size_t data_length = (int32_t)size > 0 ? size : 0;
    if (data_length > LENGTH_MOST) {
        stream_fail(s, "is damaged: a length is impossible");
        return;
    }
    const unsigned char *at = stream_take(s, path_length + 4 + data_length + 8 + STAT_BYTES);
    if (!at)
        return;
    struct znode_stat stat;
    read_stat(at + path_length + 4 + data_length + 8, &stat);
    stat.data_length = (int32_t)data_length;
    const char *path = path_length ? (const char *)at : "/";
    if (path[0] != '/' || memchr(path, '\0', path_length)) {
        stream_fail(s, "is damaged: a path is none");
        return;
    }
    reader->znode(reader->context, path, path_length ? path_length : 1, &stat,
                  data_length ? at + path_length + 4 : NULL, data_length);
}

static void read_tree(struct stream *s, const struct tree_snapshot_reader *reader)
{
    while (!s->problem) {
        size_t length = stream_length(s);
        /* "/" ends the tree: the root itself is written as "". */
        if (length == 1 && stream_need(s, 1) && s->window[s->at] == '/') {
            stream_take(s, 1);
            return;
        }
        read_znode(s, length, reader);
    }
}

static void tree_snapshot_read_all(struct stream *s, const struct tree_snapshot_reader *reader)
{
    const unsigned char *header = stream_take(s, 16);
    if (!header || memcmp(header, "ZKSN", 4) != 0 || read_u32(header + 4) != 2) {
        s->problem = NULL;
        stream_fail(s, "is no snapshot of ZooKeeper");
        return;
    }
    int32_t sessions = stream_int(s);
    for (int32_t i = 0; i < sessions && !s->problem; i++) {
        const unsigned char *at = stream_take(s, 12);
        if (at)
            reader->session(reader->context, read_u64(at), (int)read_u32(at + 8));
    }
    skip_acls(s);
    read_tree(s, reader);
    uint32_t checksum = s->checksum;
    const unsigned char *seal = stream_take(s, 8);
    if (seal && read_u64(seal) != checksum)
        stream_fail(s, "is damaged: its checksum is wrong");
}

bool tree_snapshot_read(int fd, const struct tree_snapshot_reader *reader, const char **problem)
{
    struct stream s = {.fd = fd, .room = WINDOW_BYTES, .checksum = (uint32_t)adler32(0, NULL, 0)};
    s.window = malloc(s.room);
    if (!s.window) {
        *problem = "is larger than memory";
        return false;
    }
    tree_snapshot_read_all(&s, reader);
    free(s.window);
    *problem = s.problem;
    return !s.problem;
}

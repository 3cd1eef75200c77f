#include "probe/transactions/log_starts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/text.h"

/* A server that goes on begins another log after half of snapCount at the soonest: so many transactions, and
   so many bytes, are in the one before. */
#define ROLLED_LEAST 10000
#define ROLLED_BYTES (512 << 10)

static int64_t log_starts_epoch(int64_t zxid)
{
    return zxid >> 32;
}

/* Behind the last transaction there are zeros, or nothing. */
static bool is_short(const char *path)
{
    unsigned char page[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? pread(fd, page, sizeof page, ROLLED_BYTES) : -1;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < got; i++)
        if (page[i])
            return false;
    return got >= 0;
}

static uint64_t read_number(const char *path)
{
    char text[24] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    char *end;
    unsigned long long number = got > 0 && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return number <= 255 ? number : 0;
}

/* Beside the logs, or beside the directory version-2 that holds them. */
static uint64_t number_of(const struct log_server *server)
{
    uint64_t number = 0;
    const char *last = server->log_count > 0 ? server->logs[0].path : NULL;
    char *directory = last ? text_copy(last) : NULL;
    for (int up = 0; directory && number == 0 && up < 2; up++) {
        char *slash = strrchr(directory, '/');
        if (!slash)
            break;
        *slash = '\0';
        char *path = text_format("%s/myid", directory);
        number = path ? read_number(path) : 0;
        free(path);
    }
    free(directory);
    return number;
}

static bool is_start(const struct log_file *before, const struct log_file *file)
{
    bool same = log_starts_epoch(before->zxid) == log_starts_epoch(file->zxid);
    return same ? file->zxid - before->zxid < ROLLED_LEAST : is_short(before->path);
}

static int log_starts_compare(const void *a, const void *b)
{
    const struct log_start *x = a, *y = b;
    return (x->zxid > y->zxid) - (x->zxid < y->zxid);
}

void log_starts_find(struct log_starts *starts, const struct log_set *set)
{
    starts->count = 0;
    for (size_t i = 0; i < set->server_count; i++) {
        const struct log_server *server = &set->servers[i];
        uint64_t number = number_of(server);
        for (size_t k = 1; k < server->log_count; k++) {
            if (!is_start(&server->logs[k - 1], &server->logs[k]))
                continue;
            room_for_one(&starts->list, starts->count, &starts->room, sizeof *starts->list);
            starts->list[starts->count++] = (struct log_start){server->logs[k].zxid, server->name, number};
        }
    }
    if (starts->count > 1)
        qsort(starts->list, starts->count, sizeof *starts->list, log_starts_compare);
}

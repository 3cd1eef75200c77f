/*
 * A transaction log, as a file and as single records: whatever is in it, no byte beyond its end is read,
 * reading comes to an end, and what is passed on lies inside the record. The first byte says whether the rest
 * is a whole file or one record (which a checksum would keep from being reached).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/transactions/log_reader.h"
#include "probe/transactions/log_stream.h"
#include "probe/transactions/record.h"
#include "probe/transactions/znode_tree.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

struct replay {
    struct znode_tree *tree;
    const unsigned char *begin, *end;
};

static bool lies_inside(const struct replay *replay, const void *at, size_t length)
{
    const unsigned char *bytes = at;
    return !at ? length == 0 : bytes >= replay->begin && bytes + length <= replay->end;
}

static void on_change(void *context, const struct transaction *t, const struct znode_change *change)
{
    struct replay *replay = context;
    check(lies_inside(replay, change->path, change->path_length) &&
          lies_inside(replay, change->data, change->data_length));
    if (change->kind == CHANGE_CREATED)
        znode_tree_created(replay->tree, t, change);
    else if (change->kind == CHANGE_DATA)
        znode_tree_data(replay->tree, t, change);
    else if (change->path)
        znode_tree_deleted(replay->tree, change->path, change->path_length, t->zxid);
    else if (change->kind == CHANGE_SESSION_BEGAN)
        znode_tree_session_made(replay->tree, t->session);
    else
        znode_tree_session_ended(replay->tree, t->session);
}

static void read_record(struct znode_tree *tree, const unsigned char *bytes, size_t length)
{
    struct transaction t;
    struct replay replay = {tree, bytes, bytes + length};
    if (!transaction_read(bytes, length, &t))
        return;
    transaction_changes(&t, on_change, &replay);
    check(transaction_same(&t, &t));
}

static void read_file(struct znode_tree *tree, const uint8_t *data, size_t size)
{
    int fd = memfd_create("log", MFD_CLOEXEC);
    check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    struct log_reader reader;
    const unsigned char *record;
    size_t length;
    log_reader_begin(&reader, fd);
    enum log_next next;
    for (size_t i = 0;
         (next = log_reader_next(&reader, &record, &length)) == LOG_RECORD || next == LOG_DAMAGED; i++) {
        check(i <= size); /* each takes a byte at least */
        if (next == LOG_RECORD)
            read_record(tree, record, length);
    }
    check(log_reader_offset(&reader) <= (int64_t)size);
    log_reader_end(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct znode_tree *tree = znode_tree_new(0);
    if (!tree || size == 0) {
        znode_tree_free(tree);
        return 0;
    }
    /* One byte more or less than a record has is found out only where nothing lies behind it. */
    unsigned char *copy = malloc(size);
    check(copy);
    memcpy(copy, data + 1, size - 1);
    if (data[0] & 1)
        read_file(tree, copy, size - 1);
    else
        read_record(tree, copy, size - 1);
    free(copy);
    znode_tree_clear(tree);
    znode_tree_free(tree);
    return 0;
}

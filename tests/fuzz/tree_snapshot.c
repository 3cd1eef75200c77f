/* A server's snapshot: whatever is in it, it is read whole into a tree, or refused with a reason. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/transactions/znode_tree.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void count_one(void *context, struct znode *node)
{
    size_t *count = context;
    check(node->exists && node->path[0] == '/' && strlen(node->path) == node->path_length);
    ++*count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct znode_tree *tree = znode_tree_new(0);
    int fd = memfd_create("snapshot", MFD_CLOEXEC);
    const char *problem = NULL;
    int64_t settled;
    size_t count = 0;
    check(tree && fd >= 0 && write(fd, data, size) == (ssize_t)size);
    bool fine = znode_tree_load(tree, fd, 1000, &settled, &problem);
    check(fine ? !problem && settled >= 1000 : problem && *problem);
    znode_tree_each(tree, count_one, &count);
    check(count <= size);
    close(fd);
    znode_tree_clear(tree);
    znode_tree_free(tree);
    return 0;
}

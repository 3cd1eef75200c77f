#include "tests/support/fake_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char *path, *data;
    struct znode_stat stat;
    uint32_t creates; /* of children */
};

struct fake_tree {
    struct node *nodes;
    size_t count, room;
    int64_t zxid, wall_ms;
};

static void must(bool condition, const char *what, const char *path)
{
    if (condition)
        return;
    fprintf(stderr, "fake_tree: %s %s\n", what, path);
    abort();
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *to = malloc(size);
    must(to != NULL, "no memory for", text);
    memcpy(to, text, size);
    return to;
}

static struct node *find(const struct fake_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0)
            return &tree->nodes[i];
    return NULL;
}

static struct node *parent_of(const struct fake_tree *tree, const char *path)
{
    char *parent = copy(path), *slash = strrchr(parent, '/');
    must(slash != NULL, "no absolute path:", path);
    slash[slash == parent] = '\0';
    struct node *node = find(tree, parent);
    free(parent);
    return node;
}

static void count_child(struct fake_tree *tree, const char *path, int change)
{
    struct node *parent = parent_of(tree, path);
    must(parent != NULL, "no parent of", path);
    if (change > 0)
        parent->creates++;
    parent->stat.children += change;
    parent->stat.cversion = (int32_t)(2 * parent->creates - (uint32_t)parent->stat.children);
    parent->stat.pzxid = tree->zxid;
}

static void put(struct fake_tree *tree, const char *path, uint64_t owner, const char *data)
{
    if (tree->count == tree->room) {
        tree->room = tree->room ? tree->room * 2 : 64;
        tree->nodes = realloc(tree->nodes, tree->room * sizeof *tree->nodes);
        must(tree->nodes != NULL, "no memory for", path);
    }
    struct znode_stat stat = {.czxid = tree->zxid,
                              .mzxid = tree->zxid,
                              .pzxid = tree->zxid,
                              .ctime_ms = tree->wall_ms,
                              .mtime_ms = tree->wall_ms,
                              .data_length = (int32_t)strlen(data),
                              .owner = owner};
    tree->nodes[tree->count++] = (struct node){.path = copy(path), .data = copy(data), .stat = stat};
}

struct fake_tree *fake_tree_new(void)
{
    struct fake_tree *tree = calloc(1, sizeof *tree);
    must(tree != NULL, "no memory for", "a tree");
    put(tree, "/", 0, "");
    return tree;
}

void fake_tree_free(struct fake_tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->nodes[i].path);
        free(tree->nodes[i].data);
    }
    free(tree->nodes);
    free(tree);
}

void fake_tree_clock(struct fake_tree *tree, int64_t wall_ms)
{
    tree->wall_ms = wall_ms;
}

void fake_tree_create(struct fake_tree *tree, const char *path, uint64_t owner, const char *data)
{
    must(!find(tree, path), "already there:", path);
    tree->zxid++;
    count_child(tree, path, +1);
    put(tree, path, owner, data);
}

static void drop(struct fake_tree *tree, struct node *node)
{
    free(node->path);
    free(node->data);
    *node = tree->nodes[--tree->count];
}

void fake_tree_delete(struct fake_tree *tree, const char *path)
{
    must(find(tree, path) != NULL, "not there:", path);
    size_t length = strlen(path);
    for (size_t i = tree->count; i-- > 0;)
        if (strncmp(tree->nodes[i].path, path, length) == 0 && tree->nodes[i].path[length] == '/')
            drop(tree, &tree->nodes[i]);
    tree->zxid++;
    count_child(tree, path, -1);
    drop(tree, find(tree, path));
}

void fake_tree_set(struct fake_tree *tree, const char *path, const char *data)
{
    struct node *node = find(tree, path);
    must(node != NULL, "not there:", path);
    free(node->data);
    node->data = copy(data);
    node->stat.mzxid = ++tree->zxid;
    node->stat.version++;
    node->stat.mtime_ms = tree->wall_ms;
    node->stat.data_length = (int32_t)strlen(data);
}

void fake_tree_set_acl(struct fake_tree *tree, const char *path)
{
    find(tree, path)->stat.aversion++;
    tree->zxid++;
}

void fake_tree_wind(struct fake_tree *tree, const char *path, uint32_t creates)
{
    struct node *node = find(tree, path);
    must(node != NULL, "not there:", path);
    node->creates = creates;
    node->stat.cversion = (int32_t)(2 * creates - (uint32_t)node->stat.children);
}

bool fake_tree_has(const struct fake_tree *tree, const char *path)
{
    return find(tree, path) != NULL;
}

const struct znode_stat *fake_tree_look(const struct fake_tree *tree, const char *path)
{
    const struct node *node = find(tree, path);
    return node ? &node->stat : NULL;
}

int64_t fake_tree_zxid(const struct fake_tree *tree)
{
    return tree->zxid;
}

static struct observation about(enum observation_kind kind, struct moment at, const char *election,
                                const char *path)
{
    return (struct observation){.kind = kind, .at = at, .election = election, .path = path};
}

static void observe_list(struct fake_tree *tree, struct model *model, struct moment at, const char *election,
                         const char *path, int64_t synced_us)
{
    const struct node *directory = find(tree, path);
    struct observation o = about(directory ? OBSERVED_CHILDREN : OBSERVED_ABSENT, at, election, path);
    if (!directory) {
        model_observe(model, &o);
        return;
    }
    char **names = malloc((tree->count + 1) * sizeof *names);
    must(names != NULL, "no memory for", path);
    size_t count = 0, length = strcmp(path, "/") == 0 ? 0 : strlen(path);
    for (size_t i = 0; i < tree->count; i++) {
        char *child = tree->nodes[i].path;
        if (strncmp(child, path, length) == 0 && child[length] == '/' && child[length + 1] &&
            !strchr(child + length + 1, '/'))
            names[count++] = child + length + 1;
    }
    o.children = (struct observed_children){
        .stat = &directory->stat, .names = names, .count = count, .synced_us = synced_us};
    model_observe(model, &o);
    free(names);
}

void fake_tree_list(struct fake_tree *tree, struct model *model, struct moment at, const char *election,
                    const char *path)
{
    observe_list(tree, model, at, election, path, 0);
}

void fake_tree_sync(struct fake_tree *tree, struct model *model, struct moment at, int64_t ago_us,
                    const char *election, const char *path)
{
    observe_list(tree, model, at, election, path, at.mono_us - ago_us);
}

static void observe_node(struct fake_tree *tree, struct model *model, struct moment at, const char *election,
                         const char *path, bool has_data)
{
    const struct node *node = find(tree, path);
    struct observation o = about(node ? OBSERVED_NODE : OBSERVED_ABSENT, at, election, path);
    if (node)
        o.node = (struct observed_node){.stat = &node->stat,
                                        .has_data = has_data,
                                        .data = has_data ? node->data : NULL,
                                        .data_length = has_data ? strlen(node->data) : 0};
    model_observe(model, &o);
}

void fake_tree_read(struct fake_tree *tree, struct model *model, struct moment at, const char *election,
                    const char *path)
{
    observe_node(tree, model, at, election, path, true);
}

void fake_tree_stat(struct fake_tree *tree, struct model *model, struct moment at, const char *election,
                    const char *path)
{
    observe_node(tree, model, at, election, path, false);
}

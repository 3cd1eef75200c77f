/*
 * fake_tree.h - a tree of znodes that counts as ZooKeeper does, for tests of the pure model.
 *
 * One zxid a change; cversion of a directory = creates + deletes of its children, as its Stat shows it,
 * with 32 bits; sequential names take the number of creates. Nothing else of ZooKeeper is here. Wrong use
 * ends the test program.
 */
#ifndef ELECTOP_TESTS_SUPPORT_FAKE_TREE_H
#define ELECTOP_TESTS_SUPPORT_FAKE_TREE_H

#include "probe/election/model.h"

struct fake_tree;

struct fake_tree *fake_tree_new(void);
void fake_tree_free(struct fake_tree *);

/* The server's clock, for ctime. */
void fake_tree_clock(struct fake_tree *, int64_t wall_ms);

/* Creates a znode below an existing one; owner 0: persistent. */
void fake_tree_create(struct fake_tree *, const char *path, uint64_t owner, const char *data);
/* With what it holds. */
void fake_tree_delete(struct fake_tree *, const char *path);
void fake_tree_set(struct fake_tree *, const char *path, const char *data);
void fake_tree_set_acl(struct fake_tree *, const char *path);
/* Sets how many creates a directory counts, as if they had been deleted again. */
void fake_tree_wind(struct fake_tree *, const char *path, uint32_t creates);

bool fake_tree_has(const struct fake_tree *, const char *path);
/* NULL: it is not there. Valid until the next change. */
const struct znode_stat *fake_tree_look(const struct fake_tree *, const char *path);
/* Of the latest change. */
int64_t fake_tree_zxid(const struct fake_tree *);

/* The observation that a source would make of it now: CHILDREN or ABSENT; NODE or ABSENT. */
void fake_tree_list(struct fake_tree *, struct model *, struct moment, const char *election,
                    const char *path);
/* ... after a sync that was asked for so long ago. */
void fake_tree_sync(struct fake_tree *, struct model *, struct moment, int64_t ago_us, const char *election,
                    const char *path);
void fake_tree_read(struct fake_tree *, struct model *, struct moment, const char *election,
                    const char *path);
/* ... as an exists call sees it: without the data. */
void fake_tree_stat(struct fake_tree *, struct model *, struct moment, const char *election,
                    const char *path);

#endif

/*
 * logged_elections.h - the elections in a tree that is rebuilt from logs, and their observations for the
 * model: after each transaction its changes, or the whole state.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOGGED_ELECTIONS_H
#define ELECTOP_PROBE_TRANSACTIONS_LOGGED_ELECTIONS_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/transactions/znode_tree.h"

struct logged_elections;

/*
 * only: a path or pattern; NULL: all. answered: the tree is made of answers to clients, so that of what none of them
 * was about nothing is known. NULL: out of memory.
 */
struct logged_elections *logged_elections_new(struct znode_tree *tree, struct model *model,
                                              const struct settings *settings, const char *only,
                                              bool answered);
void logged_elections_free(struct logged_elections *logged_elections);

/*
 * From now on the model observes everything: the whole present state, then each change. Repeated after
 * missing transactions, because the present state may have differed meanwhile.
 */
void logged_elections_show(struct logged_elections *logged_elections, struct moment at);

/* Call this before a znode is created, and after the tree was read again: looks for new elections. */
void logged_elections_examine(struct logged_elections *logged_elections, const struct znode_change *change,
                              struct moment at);
void logged_elections_examine_all(struct logged_elections *logged_elections);
/* Call this before a client's list of a directory is put into the tree: its names may be those of candidates. */
void logged_elections_examine_list(struct logged_elections *logged_elections, const char *path,
                                   char *const *names, size_t count);

/* A znode changed by this transaction: call this before a deletion (with the deed), else after the change. */
void logged_elections_deleted(struct logged_elections *logged_elections, struct znode *node,
                              const struct observed_transaction *deed, struct moment at);
void logged_elections_changed(struct logged_elections *logged_elections, struct znode *node, bool created);
/* There was no room for the znode of this path: the list of its directory is incomplete. */
void logged_elections_left_out(struct logged_elections *logged_elections, const char *path);

/* Any znode may have been created unseen: what does not exist, and which children there are, is not known. */
void logged_elections_unseen(struct logged_elections *logged_elections);

/* The transaction is complete. True: the model has observed something. */
bool logged_elections_settle(struct logged_elections *logged_elections, struct moment at);

#endif

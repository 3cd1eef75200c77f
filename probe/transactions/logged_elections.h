/*
 * logged_elections.h - which elections there are in a tree that is rebuilt from logs, and what the model is
 * shown of them: after each transaction what it changed, or all that there is.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOGGED_ELECTIONS_H
#define ELECTOP_PROBE_TRANSACTIONS_LOGGED_ELECTIONS_H

#include <stdbool.h>

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/transactions/znode_tree.h"

struct logged_elections;

/* only: a path or pattern; NULL: all. NULL: out of memory. */
struct logged_elections *logged_elections_new(struct znode_tree *tree, struct model *model,
                                              const struct settings *settings, const char *only);
void logged_elections_free(struct logged_elections *logged_elections);

/*
 * From now on the model is shown what happens: everything that is there at this moment, and then each change.
 * Again where some transactions are missing: what is there now may have been otherwise meanwhile.
 */
void logged_elections_show(struct logged_elections *logged_elections, struct moment at);

/* Before a znode is created, and when the tree was read anew: is there an election that was not known? */
void logged_elections_examine(struct logged_elections *logged_elections, const struct znode_change *change,
                              struct moment at);
void logged_elections_examine_all(struct logged_elections *logged_elections);

/* A znode changed by this transaction: before it is deleted (with the deed), else behind the change. */
void logged_elections_deleted(struct logged_elections *logged_elections, struct znode *node,
                              const struct observed_transaction *deed, struct moment at);
void logged_elections_changed(struct logged_elections *logged_elections, struct znode *node, bool created);

/* The transaction is complete. True: the model was shown something. */
bool logged_elections_settle(struct logged_elections *logged_elections, struct moment at);

#endif

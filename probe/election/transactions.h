/*
 * transactions.h - known facts of single transactions: what each of them certainly did not do.
 *
 * ZooKeeper shows an observer no more of a transaction than its number, but some can be identified: a
 * znode's Stat names the one that made it and the one that last set it, a directory's the one that removed a
 * child, and a connection list names every client's last request with its number. None of these can be the
 * end of any other session.
 *
 * Zxids count transactions without a gap within an epoch (their upper half), so a change that none of the
 * known ones made was made by one of the others; and if only one is left, by that one.
 */
#ifndef ELECTOP_PROBE_ELECTION_TRANSACTIONS_H
#define ELECTOP_PROBE_ELECTION_TRANSACTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The latest; between a loss and the list that shows its session over there are seldom more. */
#define TRANSACTIONS_KEPT 1024

struct transactions;

void transactions_free(struct transactions *transactions);

/*
 * This transaction ended no session but perhaps this one (0: none); spares: nor did it delete any znode.
 * *transactions is made where it is NULL.
 */
void transactions_note(struct transactions **transactions, int64_t zxid, uint64_t session, bool spares);
/* The last request of this session, in the word of a connection list: "SETD". Others than writes of znodes
   tell nothing. */
void transactions_note_request(struct transactions **transactions, int64_t zxid, uint64_t session,
                               const char *operation);

/*
 * The transaction that removed a znode which still existed after stood and was gone after gone: the only one
 * in between that may have deleted anything. 0: there are several, or they are not known.
 */
int64_t transactions_taker(const struct transactions *transactions, int64_t stood, int64_t gone);

/*
 * True: the transaction that took a znode of this session is the one that ended the session, since no other
 * one can have until the session was over, which it was after over.
 */
bool transactions_are_one(const struct transactions *transactions, int64_t took, int64_t over,
                          uint64_t session);

#endif

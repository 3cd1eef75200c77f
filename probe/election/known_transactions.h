/*
 * known_transactions.h - facts about single transactions: the changes that each certainly did not make.
 *
 * ZooKeeper shows an observer only the number of a transaction, but some can be identified. A znode's Stat
 * names the transactions that created it and last set it. A directory's Stat names the one that removed a
 * child. A connection list gives every client's last request with its number. None of these can be the end of
 * any other session.
 *
 * Zxids count transactions without a gap within an epoch (their upper half). So a change that no known
 * transaction made was made by one of the others; if only one is left, by that one.
 */
#ifndef ELECTOP_PROBE_ELECTION_KNOWN_TRANSACTIONS_H
#define ELECTOP_PROBE_ELECTION_KNOWN_TRANSACTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of latest ones kept. Between a loss and the list that shows the end of its session there are
 * seldom more. */
#define TRANSACTIONS_KEPT 1024

struct known_transactions;

void known_transactions_free(struct known_transactions *transactions);

/*
 * This transaction ended no session except perhaps this one (0: none); spares: it also deleted no znode.
 * *transactions is created if it is NULL.
 */
void known_transactions_note(struct known_transactions **transactions, int64_t zxid, uint64_t session,
                             bool spares);
/* Takes the last request of this session, in the word of a connection list: "SETD". Only writes of znodes are
 * informative. */
void known_transactions_note_request(struct known_transactions **transactions, int64_t zxid, uint64_t session,
                                     const char *operation);

/*
 * The transaction that removed a znode: the only possible deletion after the transaction stood, when it still
 * existed, up to the transaction gone, when it was missing. 0: there are several, or they are unknown.
 */
int64_t known_transactions_taker(const struct known_transactions *transactions, int64_t stood, int64_t gone);

/*
 * True: the transaction that removed a znode of this session also ended the session, because no other
 * transaction can have done so before the session's end was seen, after over.
 */
bool known_transactions_are_one(const struct known_transactions *transactions, int64_t took, int64_t over,
                                uint64_t session);

#endif

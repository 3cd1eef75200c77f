#include "probe/election/known_transactions.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

struct known {
    int64_t zxid;
    uint64_t session;
    bool spares;
};

struct known_transactions {
    struct known by_zxid[TRANSACTIONS_KEPT]; /* each in its place: the lower bits of its zxid */
};

void known_transactions_free(struct known_transactions *transactions)
{
    free(transactions);
}

void known_transactions_note(struct known_transactions **transactions, int64_t zxid, uint64_t session,
                             bool spares)
{
    if (zxid <= 0)
        return;
    if (!*transactions)
        *transactions = xcalloc(1, sizeof **transactions);
    struct known *known = &(*transactions)->by_zxid[zxid % TRANSACTIONS_KEPT];
    if (zxid < known->zxid)
        return; /* an idle client's last request may be years old */
    if (zxid > known->zxid)
        *known = (struct known){zxid, session, spares};
    if (session == 0)
        known->session = 0;
    known->spares = known->spares || spares;
}

void known_transactions_note_request(struct known_transactions **transactions, int64_t zxid, uint64_t session,
                                     const char *operation)
{
    /* Not SESS and CLOS: a local session begins and ends without a transaction, and shows another one's. */
    static const struct {
        const char *word;
        bool spares;
    } writes[] = {{"CREA", true}, {"SETD", true}, {"SETA", true}, {"DELE", false}, {"MULT", false}};
    for (size_t i = 0; operation && session != 0 && i < sizeof writes / sizeof writes[0]; i++)
        if (*operation == *writes[i].word && strcmp(operation, writes[i].word) == 0)
            known_transactions_note(transactions, zxid, 0, writes[i].spares);
}

static const struct known *transactions_find(const struct known_transactions *transactions, int64_t zxid)
{
    const struct known *known = transactions ? &transactions->by_zxid[zxid % TRANSACTIONS_KEPT] : NULL;
    return known && known->zxid == zxid ? known : NULL;
}

/* They can all be looked at: in one epoch zxids have no gap. */
static bool are_countable(int64_t from, int64_t to)
{
    return from > 0 && to >= from && to - from < TRANSACTIONS_KEPT && from >> 32 == to >> 32;
}

int64_t known_transactions_taker(const struct known_transactions *transactions, int64_t stood, int64_t gone)
{
    int64_t taker = 0;
    if (stood <= 0 || !are_countable(stood + 1, gone))
        return 0;
    for (int64_t zxid = stood + 1; zxid <= gone; zxid++) {
        const struct known *known = transactions_find(transactions, zxid);
        if (known && known->spares)
            continue;
        if (taker != 0)
            return 0;
        taker = zxid;
    }
    return taker;
}

bool known_transactions_are_one(const struct known_transactions *transactions, int64_t took, int64_t over,
                                uint64_t session)
{
    if (!are_countable(took, over))
        return false;
    for (int64_t zxid = took + 1; zxid <= over; zxid++) {
        const struct known *known = transactions_find(transactions, zxid);
        if (!known || known->session == session)
            return false; /* it may have ended it as well */
    }
    return true;
}

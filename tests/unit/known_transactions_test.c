/* Which transaction ended a session: told only where none but one can have. */

#include <stdlib.h>

#include "probe/election/model.h"
#include "probe/election/known_transactions.h"
#include "tests/support/test.h"

#define SESSION 0x100
#define EPOCH (INT64_C(3) << 32)

/* All that came after what took the znode must be something else. */
TEST(one_for_both_where_nothing_else_is_left)
{
    struct known_transactions *t = NULL;
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 10, SESSION));
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    known_transactions_note(&t, EPOCH + 11, 0, false);
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    known_transactions_note(&t, EPOCH + 12, 0x200, false); /* another session's end, perhaps */
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 12, SESSION));
    known_transactions_note(&t, EPOCH + 13, SESSION, false); /* ... or its own */
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 13, SESSION));
    known_transactions_note(&t, EPOCH + 13, 0, false);
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 13, SESSION));
    assert_false(known_transactions_are_one(t, 0, EPOCH + 10, SESSION));
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 9, SESSION));
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + (INT64_C(1) << 32) + 10, SESSION));
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 10 + TRANSACTIONS_KEPT, SESSION));
    known_transactions_free(t);
}

/* Where exactly one may have deleted anything, that one did. */
TEST(a_taker_where_only_one_can_be)
{
    struct known_transactions *t = NULL;
    assert_int_equal(known_transactions_taker(t, 0, EPOCH + 11), 0);
    assert_int_equal(known_transactions_taker(t, EPOCH + 11, EPOCH + 11), 0);
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 11), EPOCH + 11);
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), 0);
    known_transactions_note(&t, EPOCH + 11, 0,
                            false); /* it made something, and may have deleted something else */
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), 0);
    known_transactions_note(&t, EPOCH + 11, 0, true);
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), EPOCH + 12);
    known_transactions_note(&t, EPOCH + 12, 0, true);
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), 0); /* nothing is left at all */
    known_transactions_free(t);
}

/* Requests by their words; reads, and requests of nobody, tell nothing. */
TEST(requests_give_transactions_away)
{
    struct known_transactions *t = NULL;
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "GETD");
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "PING");
    known_transactions_note_request(&t, EPOCH + 11, 0x200, NULL);
    known_transactions_note_request(&t, EPOCH + 11, 0, "SETD");
    /* With localSessionsEnabled these are no transactions: the number is that of somebody else's. */
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "SESS");
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "CLOS");
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "DELE");
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), 0);
    known_transactions_note_request(&t, EPOCH + 11, 0x200, "SETD");
    assert_int_equal(known_transactions_taker(t, EPOCH + 10, EPOCH + 12), EPOCH + 12);
    /* An older one in the same place does not displace it, a later one does. */
    known_transactions_note_request(&t, EPOCH + 11 - TRANSACTIONS_KEPT, 0x200, "SETD");
    assert_true(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    known_transactions_note_request(&t, EPOCH + 11 + TRANSACTIONS_KEPT, 0x200, "SETD");
    assert_false(known_transactions_are_one(t, EPOCH + 10, EPOCH + 11, SESSION));
    known_transactions_free(t);
}

/* Tried on histories of which the truth is known: whatever is noted rightly, nothing is told wrongly. */
TEST(never_reports_two_as_one)
{
    srand(11);
    unsigned takers = 0, ones = 0;
    for (int round = 0; round < 20000; round++) {
        struct known_transactions *t = NULL;
        int64_t stood = EPOCH + rand() % 5000, took = stood + 1 + rand() % 4;
        int64_t ended = rand() % 2 ? took : took + 1 + rand() % 4, over = ended + rand() % 3;
        for (int64_t zxid = stood + 1; zxid <= over; zxid++)
            if (rand() % 5 && zxid != ended)
                known_transactions_note(&t, zxid, rand() % 3 ? 0 : 0x200, zxid != took && rand() % 4);
        int64_t taker = known_transactions_taker(t, stood, over);
        assert_true(taker == 0 || taker == took);
        takers += taker != 0;
        if (known_transactions_are_one(t, took, over, SESSION)) {
            assert_true(took == ended);
            ones++;
        }
        known_transactions_free(t);
    }
    assert_true(takers > 1000 && ones > 1000);
}

/* Where the servers' data was wiped, other transactions have the numbers of those that are known. */
TEST(a_new_session_begins_with_none)
{
    char name[] = "", hosts[] = "h:1", *error = NULL;
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct model *model = model_new(&settings, &error);
    struct seen_connection other = {
        .session = 0x200, .client = "c:1", .last_zxid = EPOCH + 11, .last_operation = "SETD"};
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = {1000000, 1000000}};
    o.connection = (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 0x100};
    model_observe(model, &o);
    struct observation list = {.kind = OBSERVED_CONNECTIONS, .at = {2000000, 2000000}};
    list.connections =
        (struct observed_connections){.address = hosts, .list = &other, .count = 1, .now_ms = -1};
    model_observe(model, &list);
    o.connection.state = CONNECTION_CONNECTING;
    model_observe(model, &o);
    assert_true(known_transactions_are_one(model->clusters[0].transactions, EPOCH + 10, EPOCH + 11, SESSION));
    o.connection = (struct observed_connection){.state = CONNECTION_EXPIRED};
    model_observe(model, &o);
    assert_false(
        known_transactions_are_one(model->clusters[0].transactions, EPOCH + 10, EPOCH + 11, SESSION));
    model_free(model);
}

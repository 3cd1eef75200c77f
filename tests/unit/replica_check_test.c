/*
 * Proves when replica-divergence is found and whom it names: by scripts (see model_script.h), and over
 * random histories, in which servers that are only behind one another must never be taken for different.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/model.h"
#include "tests/support/dice.h"
#include "tests/support/model_script.h"
#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa__lock__0000000000"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb__lock__0000000001"
#define C "cccccccccccccccccccccccccccccccc__lock__0000000002"

#define SERVERS(n)                                                                                           \
    "servers " n "\nwatch /election\nconnect\n> connection connected\n"                                      \
    "+ " A " s=a\nlist\n> election-seen\nreadall\n"
/* zk3 does not learn of B. */
#define STUCK SERVERS("3") "hold 3\n+ " B " s=b\nlist\n> candidate-joined " B " @2\nreadall\n"
#define PROVED "compare\ntick 7000\ncompare\ntick 7000\ncompare\n"
#define FOUND "? findings replica-divergence critical certain\n"

TEST(found)
{
    model_script_run("servers that agree", SERVERS("3") PROVED "? findings none\n");
    model_script_run(
        "one that is stuck, from the third round on, until it has caught up",
        STUCK "findings\n"
              "compare\n? findings none\ntick 1000\ncompare\n"
              "> finding-raised replica-divergence critical suspected\n"
              "tick 13000\n"
              "compare\n"
              "> finding-raised replica-divergence critical certain\n"
              "? why replica-divergence /election differs between servers, in 3 reads after a sync each: "
              "zk3:2181 shows czxid 0x1, pzxid 0x2, cversion 1, 1 child; "
              "zk1:2181 shows czxid 0x1, pzxid 0x3, cversion 2, 2 children; "
              "zk2:2181 shows czxid 0x1, pzxid 0x3, cversion 2, 2 children | "
              "stop zk3:2181, remove its data and let it copy everything again\n"
              "tick 60000\ncompare\n" FOUND "follow 3\n"
              "tick 60000\n"
              "compare\n"
              "> finding-cleared replica-divergence critical certain\n");
    model_script_run("... also while the others change all the time", STUCK
                     "compare\n= . x\n- " B "\ntick 7000\ncompare\n+ " C " s=c\ntick 7000\ncompare\n" FOUND);
    model_script_run("one that shows no such znode", "servers 3\nwatch /election\nconnect\n"
                                                     "> connection connected\n"
                                                     "hold 2\n+ " A " s=a\nlist\n> election-seen\n"
                                                     "readall\n" PROVED FOUND);
    model_script_run("one that has what the others never had",
                     SERVERS("3") "+ " B " s=b\nhold 2\n- " B "\n" /* the others saw it go */
                                  "hold 1\nhold 3\nfollow 2\n+ " C " s=c\n" PROVED FOUND);
    model_script_run(
        "of two nobody knows which is right",
        SERVERS(
            "2") "hold 2\n+ " B " s=b\n" PROVED FOUND
                 "? why replica-divergence /election differs between servers, in 3 reads after a sync each: "
                 "zk1:2181 shows czxid 0x1, pzxid 0x3, cversion 2, 2 children; "
                 "zk2:2181 shows czxid 0x1, pzxid 0x2, cversion 1, 1 child | there is no majority: "
                 "find out which server is right, then stop the other, remove its data "
                 "and let it copy everything again\n");
    model_script_run("the zxid of the last change alone",
                     SERVERS("2") "= . x\nhold 2\n+ " B " s=b\n- " B "\nwind 1\n" PROVED
                                  "? findings replica-divergence warning certain\n");
}

TEST(silent)
{
    model_script_run("a server read before a change, and another one after it, every time",
                     SERVERS("2") "shows 2\n+ " B " s=b\nshows 1\nover\ntick 7000\n"
                                  "shows 2\n- " B "\nshows 1\nover\ntick 7000\n"
                                  "shows 2\n+ " C " s=c\nshows 1\nover\ntick 7000\n"
                                  "shows 2\n- " C "\nshows 1\nover\n"
                                  "? findings none\n");
    model_script_run("one that is late once", STUCK "compare\nfollow 3\ncompare\ncompare\n? findings none\n");
    model_script_run("one that could not be read every time",
                     STUCK "compare\nshows 1\nshows 2\nover\ncompare\n? findings none\n"
                           "compare\n? findings replica-divergence critical suspected\ncompare\n" FOUND);
    model_script_run("the ensemble was set back between two rounds: what it showed before says nothing",
                     SERVERS("2") "hold 1\nhold 2\n+ " B " s=b\nfollow 1\ncompare\nhold 1\nfollow 2\n"
                                  "shows 2\nover\ncompare\n? findings none\n");
}

TEST(kept)
{
    model_script_run("while no round can be taken it is unconfirmed, not gone",
                     STUCK PROVED FOUND "tick 151000\ntime\n"
                                        "? findings replica-divergence critical certain unconfirmed\n"
                                        "shows 1\nshows 2\nover\n" /* zk3 could not be read */
                                        "? findings replica-divergence critical certain unconfirmed\n"
                                        "follow 3\ncompare\n"
                                        "? findings replica-divergence critical certain unconfirmed\n"
                                        "compare\n? findings none\n");
    model_script_run("the one that differed has left the ensemble",
                     STUCK PROVED FOUND "ensemble whole 1 2\n? findings none\n");
    model_script_run("... or one of the others, and who differs is still told by its name",
                     STUCK PROVED FOUND "ensemble whole 2 3\n? why replica-divergence "
                                        "/election differs between servers, in 3 reads after a sync each: "
                                        "zk3:2181 shows czxid 0x1, pzxid 0x2, cversion 1, 1 child; "
                                        "zk2:2181 shows czxid 0x1, pzxid 0x3, cversion 2, 2 children | "
                                        "stop zk3:2181, remove its data and let it copy everything again\n");
}

/* ---- histories ---- */

#define ELECTION "/election"
#define MOST_SERVERS 5
#define ROUNDS 60

struct state {
    bool there;
    struct znode_stat stat;
};

struct history {
    uint64_t random;
    struct state *states; /* one a transaction */
    size_t count, room;
    struct model *model;
    int64_t now_us;
};

/* Something is committed: often to the election, seldom its end or its beginning. */
static void commit(struct history *h)
{
    if (h->count == h->room) {
        h->room = h->room ? h->room * 2 : 256;
        h->states = realloc(h->states, h->room * sizeof *h->states);
        assert_non_null(h->states);
    }
    struct state next = h->count ? h->states[h->count - 1] : (struct state){.there = false};
    int64_t zxid = (int64_t)h->count + 1;
    uint64_t what = dice_draw(&h->random, 12);
    if (!next.there) {
        if (what < 6)
            next = (struct state){.there = true, .stat = {.czxid = zxid, .pzxid = zxid}};
    } else if (what == 0) {
        next = (struct state){.there = false};
    } else if (what < 5 || next.stat.children == 0) {
        next.stat.children++;
        next.stat.cversion++;
        next.stat.pzxid = zxid;
    } else if (what < 10) {
        next.stat.children--;
        next.stat.cversion++;
        next.stat.pzxid = zxid;
    }
    h->states[h->count++] = next;
}

static void observe(struct history *h, struct observation *o)
{
    h->now_us += 1000;
    o->at = (struct moment){h->now_us, INT64_C(1700000000000000) + h->now_us};
    model_observe(h->model, o);
}

static void show(struct history *h, uint32_t round, size_t server, size_t at)
{
    char address[40];
    snprintf(address, sizeof address, "zk%zu:2181", server + 1);
    struct observation o = {.kind = OBSERVED_REPLICA, .election = ELECTION, .path = ELECTION};
    o.replica = (struct observed_replica){round, address, h->states[at].there ? &h->states[at].stat : NULL};
    observe(h, &o);
}

static const struct finding *divergence(const struct history *h)
{
    const struct election *e = model_election(h->model, 0, ELECTION);
    for (size_t i = 0; i < e->finding_count; i++)
        if (e->findings[i]->code == FINDING_REPLICA_DIVERGENCE)
            return e->findings[i];
    return NULL;
}

/*
 * Servers are read one after the other while things are committed; each shows anything between what was
 * there when the round began and what is there now. stuck: of them, holds what it had then; SIZE_MAX: none.
 * Returns in which round it was found, 0: never.
 */
static uint32_t play(struct history *h, size_t servers, uint64_t busy, size_t stuck)
{
    size_t stuck_at = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        size_t began = h->count - 1;
        if (round == 4)
            stuck_at = began;
        for (size_t i = 0; i < servers; i++) {
            for (uint64_t n = dice_draw(&h->random, busy + 1); n > 0; n--)
                commit(h);
            size_t at = began + (size_t)dice_draw(&h->random, h->count - began);
            if (i == stuck && round >= 4)
                at = stuck_at;
            if (dice_draw(&h->random, 10) > 0)
                show(h, round, i, at);
        }
        struct observation o = {.kind = OBSERVED_REPLICA};
        o.replica.round = round;
        observe(h, &o);
        if (divergence(h))
            return round;
        for (uint64_t n = dice_draw(&h->random, busy + 1); n > 0; n--)
            commit(h);
    }
    return 0;
}

static void with_history(uint64_t seed, void (*check)(struct history *, uint64_t seed))
{
    static char hosts[] = "h:1", name[] = "", path[] = ELECTION, automatic[] = "auto";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct election_settings election = {.path = path, .recipe = automatic};
    struct history h = {.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .now_us = 1000000};
    char *error = NULL;
    h.model = model_new(&settings, &error);
    assert_non_null(h.model);
    struct observation o = {.kind = OBSERVED_ELECTION, .election = ELECTION, .path = ELECTION};
    o.subject = (struct observed_election){ORIGIN_CONFIGURED, &election};
    observe(&h, &o);
    o = (struct observation){.kind = OBSERVED_CONNECTION};
    o.connection = (struct observed_connection){.state = CONNECTION_CONNECTED, .session = 1};
    observe(&h, &o);
    struct znode_stat empty = {.czxid = 1, .pzxid = 1};
    o = (struct observation){.kind = OBSERVED_CHILDREN, .election = ELECTION, .path = ELECTION};
    o.children.stat = &empty;
    observe(&h, &o);
    commit(&h);
    check(&h, seed);
    model_free(h.model);
    free(h.states);
}

static void check_healthy(struct history *h, uint64_t seed)
{
    uint32_t round = play(h, 2 + seed % (MOST_SERVERS - 1), seed % 7, SIZE_MAX);
    if (round)
        fail_msg("seed %llu, round %u: wrong: %s", (unsigned long long)seed, round, divergence(h)->evidence);
}

TEST(never_wrong)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
        with_history(seed, check_healthy);
}

static size_t named;

static void check_stuck(struct history *h, uint64_t seed)
{
    size_t servers = 3 + seed % (MOST_SERVERS - 2), stuck = seed % servers;
    if (play(h, servers, 1 + seed % 6, stuck) == 0)
        return;
    /* Each of the others agrees with the rest, so it alone may be named. */
    char want[40];
    snprintf(want, sizeof want, "zk%zu:2181 ", stuck + 1);
    assert_non_null(strstr(divergence(h)->evidence, want));
    if (strncmp(divergence(h)->advice, "stop ", 5) == 0) {
        assert_non_null(strstr(divergence(h)->advice, "zk"));
        snprintf(want, sizeof want, "zk%zu:2181,", stuck + 1);
        assert_non_null(strstr(divergence(h)->advice, want));
    }
    named++;
}

TEST(stuck_is_found)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        with_history(seed, check_stuck);
    assert_true(named > 270);
}

/*
 * Proves, over random histories in which candidates come, go, pause and move between three servers, that
 * no finding is certain and wrong, and that whoever really watches nothing is found out once all is quiet.
 * The truth is kept by the test itself: who stands, who is deaf, who has yet to look again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "tests/support/fake_servers.h"
#include "tests/support/fake_tree.h"
#include "tests/support/test.h"

#define ELECTION "/things/election"
#define SERVERS 3
#define MOST 10
#define PATHS 128
/* The longest that a healthy client takes to look again. */
#define SLOW_MS 3000
/* The longest that one is without a connection, and keeps its session. */
#define LONGEST_AWAY_MS 9000

struct one {
    char path[PATHS];
    uint64_t session;
    bool deaf;
    int64_t look_ms; /* it will look again then; 0: it waits for its watch, or leads */
    int64_t back_ms; /* it is without a connection until then; 0: it has one */
    bool lost;       /* ... and that was found with certainty */
};

struct history {
    uint64_t random;
    struct fake_tree *tree;
    struct fake_servers *servers;
    struct model *model;
    int64_t now_ms;
    struct one line[MOST];
    size_t count;
    unsigned next, sessions;
    bool flits;
    size_t certain; /* findings that were certain, and right */
    size_t lost;    /* ... of which so many that somebody has no connection */
};

static struct moment now(const struct history *h)
{
    return (struct moment){1000000 + h->now_ms * 1000, INT64_C(1700000000000000) + h->now_ms * 1000};
}

static struct one *truth_of(struct history *h, const char *name)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->line[i].path + sizeof ELECTION, name) == 0)
            return &h->line[i];
    return NULL;
}

/* That it has none was true when it became certain: who comes back then has not been listed yet. */
static bool right_of_lost(struct history *h, struct one *one)
{
    bool right = one->lost || one->back_ms != 0;
    h->certain += !one->lost;
    h->lost += !one->lost;
    one->lost = true;
    return right;
}

static void forget_lost(struct history *h, const struct election *e)
{
    for (size_t k = 0; k < h->count; k++) {
        bool stands = false;
        for (size_t i = 0; i < e->finding_count; i++)
            stands = stands || (e->findings[i]->code == FINDING_OWNER_DISCONNECTED &&
                                truth_of(h, e->findings[i]->candidates[0]) == &h->line[k]);
        h->line[k].lost = h->line[k].lost && stands;
    }
}

static void check(struct history *h)
{
    const struct election *e = model_election(h->model, 0, ELECTION);
    forget_lost(h, e);
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct finding *f = e->findings[i];
        if (f->certainty != CERTAINTY_CERTAIN || f->unconfirmed_since.mono_us)
            continue;
        switch (f->code) {
        case FINDING_UNSEEN_CHANGES:
        case FINDING_FLAPPING:
        case FINDING_NO_LEADER:
        case FINDING_SLOW_FAILOVER:
            continue;
        /* Of one that has gone, and whose end was not told yet, both are true. */
        case FINDING_OWNER_DISCONNECTED: {
            struct one *one = truth_of(h, f->candidates[0]);
            if (!one || right_of_lost(h, one))
                continue;
            break;
        }
        case FINDING_NO_WATCH: {
            const struct one *one = truth_of(h, f->candidates[0]);
            if (!one || one->deaf) {
                h->certain++;
                continue;
            }
            break;
        }
        default:
            break;
        }
        fail_msg("at %lld ms certain and wrong: %s: %s", (long long)h->now_ms, finding_kind(f->code)->word,
                 f->evidence);
    }
}

static void look(struct history *h, size_t i)
{
    struct one *one = &h->line[i];
    one->look_ms = 0;
    fake_servers_request(h->servers, one->session);
    if (i > 0 && !one->deaf)
        fake_servers_watch(h->servers, one->session, h->line[i - 1].path);
}

static void join(struct history *h)
{
    if (h->count == MOST)
        return;
    struct one *one = &h->line[h->count++];
    char address[40];
    *one = (struct one){.session = 0x100 + h->sessions++, .deaf = dice_draw(&h->random, 5) == 0};
    snprintf(one->path, sizeof one->path, "%s/%016llx%016llx__lock__%010u", ELECTION,
             (unsigned long long)dice_draw(&h->random, UINT64_MAX),
             (unsigned long long)dice_draw(&h->random, UINT64_MAX), h->next++);
    snprintf(address, sizeof address, "10.0.0.%u:%u", (unsigned)dice_draw(&h->random, 20),
             h->sessions + 1000);
    fake_servers_connect(h->servers, one->session, 1 + (unsigned)dice_draw(&h->random, SERVERS), address,
                         h->now_ms);
    fake_tree_create(h->tree, one->path, one->session, "");
    one->look_ms = h->now_ms + 1 + (int64_t)dice_draw(&h->random, SLOW_MS);
}

static void leave(struct history *h, size_t i)
{
    struct one gone = h->line[i];
    fake_tree_delete(h->tree, gone.path);
    fake_servers_end(h->servers, gone.session);
    for (size_t k = 0; k < h->count; k++)
        if (k != i && fake_servers_has_watch(h->servers, h->line[k].session, gone.path))
            h->line[k].look_ms = h->now_ms + 1 + (int64_t)dice_draw(&h->random, SLOW_MS);
    fake_servers_fire(h->servers, gone.path);
    memmove(h->line + i, h->line + i + 1, (h->count - i - 1) * sizeof *h->line);
    h->count--;
}

static void connect(struct history *h, struct one *one)
{
    char address[40];
    one->back_ms = 0;
    snprintf(address, sizeof address, "10.0.1.%u:%u", (unsigned)dice_draw(&h->random, 20),
             (unsigned)dice_draw(&h->random, 60000));
    fake_servers_connect(h->servers, one->session, 1 + (unsigned)dice_draw(&h->random, SERVERS), address,
                         h->now_ms);
}

/* At once, or after a while without a connection. */
static void move(struct history *h)
{
    if (h->count == 0)
        return;
    struct one *one = &h->line[dice_draw(&h->random, h->count)];
    if (dice_draw(&h->random, 3)) {
        connect(h, one);
        return;
    }
    fake_servers_away(h->servers, one->session);
    one->back_ms = h->now_ms + 1 + (int64_t)dice_draw(&h->random, LONGEST_AWAY_MS);
}

/* One that never stays: it is at another server whenever the next is asked. */
static void flit(struct history *h)
{
    if (h->flits && h->count > 0)
        connect(h, &h->line[h->count / 2]);
}

static void read_all(struct history *h)
{
    struct election *e = model_election(h->model, 0, ELECTION);
    const struct candidate *c;
    char path[PATHS * 2];
    while ((c = election_take_unread(e))) {
        snprintf(path, sizeof path, "%s/%s", ELECTION, c->name);
        fake_tree_read(h->tree, h->model, now(h), ELECTION, path);
    }
}

static void pass(struct history *h, int64_t ms)
{
    int64_t until_ms = h->now_ms + ms;
    while (h->now_ms < until_ms) {
        h->now_ms += until_ms - h->now_ms < 100 ? until_ms - h->now_ms : 100;
        for (size_t i = 0; i < h->count; i++) {
            if (h->line[i].back_ms != 0 && h->line[i].back_ms <= h->now_ms)
                connect(h, &h->line[i]);
            if (h->line[i].look_ms != 0 && h->line[i].look_ms <= h->now_ms && h->line[i].back_ms == 0)
                look(h, i);
        }
    }
    fake_tree_clock(h->tree, h->now_ms);
}

static void observe(struct history *h)
{
    flit(h);
    unsigned server = 1 + (unsigned)dice_draw(&h->random, SERVERS);
    switch (dice_draw(&h->random, 9)) {
    case 0:
        fake_servers_connections(h->servers, h->model, now(h), server);
        break;
    case 1:
        fake_servers_watch_list(h->servers, h->model, now(h), server, -1, 0);
        break;
    case 2:
        fake_tree_list(h->tree, h->model, now(h), ELECTION, ELECTION);
        read_all(h);
        break;
    case 3:
        fake_tree_sync(h->tree, h->model, now(h), 0, ELECTION, ELECTION);
        read_all(h);
        break;
    case 4:
        if (dice_draw(&h->random, 8) == 0)
            fake_servers_hide(h->servers, h->model, now(h), server,
                              (enum hidden_part)dice_draw(&h->random, 3));
        else
            fake_servers_sessions(h->servers, h->model, now(h));
        break;
    case 5:
        for (server = 1; server <= SERVERS; server++) {
            fake_servers_connections(h->servers, h->model, now(h), server);
            check(h);
            pass(h, 1 + (int64_t)dice_draw(&h->random, 200));
            flit(h);
        }
        fake_servers_sessions(h->servers, h->model, now(h));
        break;
    default:
        fake_servers_round(h->servers, h->model, now(h), server);
        break;
    }
    check(h);
}

/* Everybody stays: whoever is deaf and not first must be proved so. */
static void be_quiet(struct history *h)
{
    for (int i = 0; i < 12; i++) {
        pass(h, 4000);
        for (unsigned server = 1; server <= SERVERS; server++)
            fake_servers_round(h->servers, h->model, now(h), server);
        pass(h, 10);
        fake_tree_sync(h->tree, h->model, now(h), 0, ELECTION, ELECTION);
        read_all(h);
        check(h);
    }
    const struct election *e = model_election(h->model, 0, ELECTION);
    assert_int_equal(e->candidate_count, h->count);
    for (size_t i = 0; i < e->finding_count; i++)
        assert_int_not_equal(e->findings[i]->code, FINDING_OWNER_DISCONNECTED);
    for (size_t i = 1; i < h->count; i++)
        assert_int_equal(e->candidates[i]->link, h->line[i].deaf ? LINK_STUCK : LINK_RIGHT);
}

static size_t run(uint64_t seed, size_t *lost)
{
    static char hosts[] = "h:1", name[] = "";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error = NULL;
    struct history h = {.random = seed * 0x9e3779b97f4a7c15u + 1,
                        .tree = fake_tree_new(),
                        .servers = fake_servers_new(SERVERS),
                        .model = model_new(&settings, &error)};
    assert_non_null(h.model);
    h.flits = seed % 2;
    fake_servers_tick(h.servers, 1000);
    for (unsigned server = 1; server <= SERVERS; server++)
        fake_servers_follower(h.model, now(&h), server, true);
    fake_servers_ensemble(h.model, now(&h), "whole 1 2 3");
    fake_tree_create(h.tree, "/things", 0, "");
    fake_tree_create(h.tree, ELECTION, 0, "");
    struct observation o = {.kind = OBSERVED_ELECTION, .at = now(&h), .election = ELECTION, .path = ELECTION};
    model_observe(h.model, &o);
    o = (struct observation){.kind = OBSERVED_CONNECTION, .at = now(&h)};
    o.connection.state = CONNECTION_CONNECTED;
    model_observe(h.model, &o);
    for (int i = 0; i < 400; i++) {
        pass(&h, 1 + (int64_t)dice_draw(&h.random, dice_draw(&h.random, 4) ? 300 : 6000));
        uint64_t what = dice_draw(&h.random, 24);
        if (what < 3)
            join(&h);
        else if (what < 4 && h.count > 0)
            leave(&h, dice_draw(&h.random, 3) ? 0 : dice_draw(&h.random, h.count));
        else if (what < 6)
            move(&h);
        else
            observe(&h);
    }
    fake_tree_list(h.tree, h.model, now(&h), ELECTION, ELECTION);
    be_quiet(&h);
    size_t certain = h.certain;
    *lost += h.lost;
    model_free(h.model);
    fake_servers_free(h.servers);
    fake_tree_free(h.tree);
    return certain;
}

TEST(nothing_certain_is_wrong)
{
    size_t certain = 0, lost = 0;
    for (uint64_t seed = 1; seed <= 100; seed++)
        certain += run(seed, &lost);
    assert_true(certain > 100 && lost > 20); /* else it would prove nothing */
}

/*
 * candidate (model): the recipe against a ZooKeeper of a few lines, in every order of what can happen.
 *
 * Two or three candidates, each on a connection of its own that keeps the order of its requests and of its
 * answers and notifications. At every moment each connection may carry one step further; and, so many times
 * in all, one may break, a session expire, a candidate resign or come back, somebody else delete or write a
 * candidate's znode, the whole directory go, or the server be too busy for a request. Every state that can be
 * reached is visited once, and in each of them:
 *
 *   - at most one of those who believe that they lead has a znode, and it is the first of the line;
 *   - where nothing is under way, the first of the line leads, everybody else has a watch on the one before
 * it, and no znode stands that its owner does not know of: nobody is asleep for ever.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/recipe.h"
#include "probe/candidate/candidate.h"
#include "tests/support/test.h"

#define MOST 3     /* candidates */
#define NUMBERS 10 /* of znodes in one run; what would need more is not followed */
#define QUEUE 12

enum { TO_SERVER, TO_CLIENT, WAYS };

struct message {
    uint8_t what; /* enum candidate_ask: the question, or what is answered; NOTICE: a notification */
    uint8_t result;
    int8_t number;   /* asked for, made, found, or gone */
    uint16_t listed; /* by a list: a bit a number */
};
#define NOTICE 100

struct link {
    bool up, alive;      /* the connection; the session, at the server */
    bool rests;          /* the candidate waits for a moment */
    uint8_t attempt;     /* whose GUID its next znode has: how often it has made one */
    uint16_t set, known; /* watches: at the server, in the client's table; a bit a number */
    uint8_t count[WAYS];
    struct message queue[WAYS][QUEUE];
};

struct znode {
    bool in_line; /* false: it is not in the list, nor is the rest known */
    uint8_t owner, attempt;
};

struct world {
    struct candidacy candidates[MOST];
    struct link links[MOST];
    struct znode znodes[NUMBERS];
    uint8_t next;
    bool directory;
    uint8_t faults; /* how many more */
    bool meddled;   /* a znode was deleted under its owner */
    bool full;      /* a queue or the numbers ran out: not followed any further */
};

static int candidates;
static bool findable;
static uint64_t states, rests;

/* ---- the server ---- */

static uint16_t bit(int number)
{
    return (uint16_t)(1u << number);
}

static void push(struct world *w, int i, int way, struct message message)
{
    struct link *link = &w->links[i];
    if (link->count[way] == QUEUE)
        w->full = true;
    else
        link->queue[way][link->count[way]++] = message;
}

static struct message pop(struct link *link, int way)
{
    struct message first = link->queue[way][0];
    memmove(link->queue[way], link->queue[way] + 1, (QUEUE - 1) * sizeof first);
    memset(&link->queue[way][QUEUE - 1], 0, sizeof first);
    link->count[way]--;
    return first;
}

/* Whatever happened to a znode, it fires the watches on it. */
static void fire(struct world *w, int number)
{
    for (int i = 0; i < candidates; i++)
        if (w->links[i].set & bit(number)) {
            w->links[i].set &= (uint16_t)~bit(number);
            push(w, i, TO_CLIENT, (struct message){.what = NOTICE, .number = (int8_t)number});
        }
}

static void remove_znode(struct world *w, int number)
{
    memset(&w->znodes[number], 0, sizeof w->znodes[number]);
    fire(w, number);
}

static void end_session(struct world *w, int i)
{
    w->links[i].alive = false;
    w->links[i].set = 0;
    for (int n = 0; n < NUMBERS; n++)
        if (w->znodes[n].in_line && w->znodes[n].owner == i)
            remove_znode(w, n);
}

static uint16_t list(const struct world *w)
{
    uint16_t all = 0;
    for (int n = 0; n < NUMBERS; n++)
        if (w->znodes[n].in_line)
            all |= bit(n);
    return all;
}

/* One request is carried out. */
static void serve(struct world *w, int i)
{
    struct link *link = &w->links[i];
    struct message m = pop(link, TO_SERVER);
    m.result = w->directory ? SESSION_OK : SESSION_NO_NODE;
    switch (m.what) {
    case ASK_DIRECTORY:
        m.result = w->directory ? SESSION_NODE_EXISTS : SESSION_OK;
        w->directory = true;
        break;
    case ASK_CREATE:
        if (!w->directory)
            break;
        if (w->next == NUMBERS) {
            w->full = true;
            return;
        }
        m.number = (int8_t)w->next++;
        w->znodes[m.number] = (struct znode){true, (uint8_t)i, link->attempt};
        break;
    case ASK_FIND:
        m.number = -1;
        for (int n = 0; n < NUMBERS; n++)
            if (w->znodes[n].in_line && w->znodes[n].owner == i && w->znodes[n].attempt == link->attempt)
                m.number = (int8_t)n;
        break;
    case ASK_LOOK:
        m.listed = list(w);
        break;
    case ASK_WATCH:
        m.result = w->znodes[m.number].in_line ? SESSION_OK : SESSION_NO_NODE;
        link->set |= bit(m.number);
        break;
    case ASK_DELETE:
        m.result = w->znodes[m.number].in_line ? SESSION_OK : SESSION_NO_NODE;
        if (w->znodes[m.number].in_line)
            remove_znode(w, m.number);
        break;
    }
    push(w, i, TO_CLIENT, m);
}

/* ---- the client ---- */

static const struct candidate_options *options(void)
{
    static struct candidate_options all;
    all = (struct candidate_options){.findable = findable};
    return &all;
}

static void lose(struct world *w, int i);

static const char number_names[NUMBERS][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

static void perform(struct world *w, int i, struct candidate_asks asks)
{
    struct link *link = &w->links[i];
    for (unsigned a = 0; a < asks.count; a++) {
        struct message m = {.what = (uint8_t)asks.list[a].what};
        if (m.what == ASK_REST) {
            assert_false(link->rests);
            link->rests = true;
            continue;
        }
        if (m.what == ASK_RENEW) {
            lose(w, i);
            end_session(w, i);
            continue;
        }
        assert_true(link->up);
        if (m.what == ASK_CREATE)
            link->attempt++;
        if (m.what == ASK_WATCH)
            m.number = (int8_t)(asks.list[a].name[0] - '0');
        if (m.what == ASK_DELETE)
            m.number = (int8_t)w->candidates[i].own;
        push(w, i, TO_SERVER, m);
    }
}

static struct line_position position_of(int64_t mine, uint16_t listed)
{
    struct line_position position = {.in_line = mine >= 0 && (listed & bit((int)mine))};
    for (int n = 0; n < NUMBERS; n++) {
        struct line_member one = {number_names[n], n};
        if (!(listed & bit(n)) || n >= mine)
            continue;
        if (!position.leader.name)
            position.leader = one;
        position.skipped = position.predecessor;
        position.predecessor = one;
    }
    return position;
}

static void answer(struct world *w, int i, const struct message *m, enum session_result result)
{
    struct candidacy *c = &w->candidates[i];
    struct candidate_asks asks = {.count = 0};
    struct line_position position = position_of(c->own, m->listed);
    int64_t number = m->number < 0 ? SEQUENCE_NONE : m->number;
    switch (m->what) {
    case ASK_DIRECTORY:
        asks = candidate_prepared(c, options(), result);
        break;
    case ASK_CREATE:
        asks = candidate_created(c, options(), result, number);
        break;
    case ASK_FIND:
        asks = candidate_found(c, options(), result, number);
        break;
    case ASK_LOOK:
        asks = candidate_looked(c, options(), result, &position);
        break;
    case ASK_WATCH:
        if (result != SESSION_LOST)
            w->links[i].known |= bit(m->number);
        asks = candidate_watched(c, options(), result);
        break;
    case ASK_DELETE:
        asks = candidate_deleted(c, options(), result);
        break;
    case NOTICE:
        w->links[i].known &= (uint16_t)~bit(m->number);
        asks = candidate_noticed(c, options(), number);
        break;
    }
    perform(w, i, asks);
}

static void deliver(struct world *w, int i)
{
    struct message m = pop(&w->links[i], TO_CLIENT);
    answer(w, i, &m, (enum session_result)m.result);
}

/* The connection breaks: what was not carried out never is, what was not heard of is lost, in its order. */
static void lose(struct world *w, int i)
{
    struct link *link = &w->links[i];
    struct link before = *link;
    link->up = false;
    link->set = 0;
    memset(link->count, 0, sizeof link->count);
    memset(link->queue, 0, sizeof link->queue);
    candidate_disconnected(&w->candidates[i]);
    for (int way = TO_CLIENT; way >= TO_SERVER; way--)
        for (int m = 0; m < before.count[way]; m++)
            if (before.queue[way][m].what != NOTICE)
                answer(w, i, &before.queue[way][m], SESSION_LOST);
}

/* It is back: with its session, whose watches the library sets again; or with a new one. */
static void reconnect(struct world *w, int i)
{
    struct link *link = &w->links[i];
    bool renewed = !link->alive;
    link->up = link->alive = true;
    if (renewed)
        link->known = 0;
    for (int n = 0; n < NUMBERS; n++)
        if ((link->known & bit(n)) && !w->znodes[n].in_line)
            push(w, i, TO_CLIENT, (struct message){.what = NOTICE, .number = (int8_t)n});
        else if (link->known & bit(n))
            link->set |= bit(n);
    perform(w, i, candidate_connected(&w->candidates[i], options(), renewed));
}

/* ---- what must hold ---- */

static void report(const struct world *w)
{
    printf("directory %d, next %d, %d faults left\n", w->directory, w->next, w->faults);
    for (int n = 0; n < NUMBERS; n++)
        if (w->znodes[n].in_line)
            printf("  znode %d of %d\n", n, w->znodes[n].owner);
    for (int i = 0; i < candidates; i++) {
        const struct candidacy *c = &w->candidates[i];
        printf("  candidate %d: state %d volunteers %d own %lld awaited %lld, connection %d, watches %x\n", i,
               c->state, c->volunteers, (long long)c->own, (long long)c->awaited, w->links[i].up,
               w->links[i].set);
    }
}

#define holds(w, condition)                                                                                  \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            report(w);                                                                                       \
            fail_msg("%s", #condition);                                                                      \
        }                                                                                                    \
    } while (0)

static bool has_znode(const struct world *w, int i)
{
    const struct candidacy *c = &w->candidates[i];
    return c->own != SEQUENCE_NONE && w->znodes[c->own].in_line && w->znodes[c->own].owner == i;
}

static void one_leader(const struct world *w)
{
    uint16_t all = list(w);
    int leaders = 0;
    for (int i = 0; i < candidates; i++) {
        const struct candidacy *c = &w->candidates[i];
        if (c->state != CANDIDATE_LEADING)
            continue;
        holds(w, w->meddled || has_znode(w, i));
        if (!has_znode(w, i))
            continue;
        leaders++;
        holds(w, (all & (bit((int)c->own) - 1)) == 0);
    }
    holds(w, leaders <= 1);
}

static bool at_rest(const struct world *w)
{
    for (int i = 0; i < candidates; i++)
        if (!w->links[i].up || w->links[i].rests || w->links[i].count[TO_SERVER] ||
            w->links[i].count[TO_CLIENT])
            return false;
    return true;
}

static void nobody_sleeps(const struct world *w)
{
    uint16_t all = list(w);
    for (int n = 0; n < NUMBERS; n++)
        if (w->znodes[n].in_line)
            holds(w, w->candidates[w->znodes[n].owner].own == n);
    for (int i = 0; i < candidates; i++) {
        const struct candidacy *c = &w->candidates[i];
        if (!c->volunteers) {
            holds(w, c->state == CANDIDATE_RESIGNED && !has_znode(w, i));
            continue;
        }
        if (!has_znode(w, i)) {
            /* Nobody tells one whose znode was taken away. It learns of it when it wakes. */
            holds(w, w->meddled);
            holds(w, c->state == CANDIDATE_LEADING || (w->links[i].set & all));
            continue;
        }
        struct line_position position = position_of(c->own, all);
        if (!position.predecessor.name) {
            holds(w, c->state == CANDIDATE_LEADING);
            continue;
        }
        holds(w, c->state == CANDIDATE_WAITING && c->awaited == position.predecessor.number);
        holds(w, w->links[i].set & bit((int)c->awaited));
    }
}

/* ---- every order ---- */

/* States that were visited, by a hash of 64 bits. */
static uint64_t *seen;
static size_t seen_room, seen_count;

static bool is_new(uint64_t hash)
{
    if (2 * seen_count >= seen_room) {
        uint64_t *old = seen;
        size_t room = seen_room;
        seen_room = room ? room * 2 : 1 << 16;
        seen = calloc(seen_room, sizeof *seen);
        assert_non_null(seen);
        seen_count = 0;
        for (size_t i = 0; i < room; i++)
            if (old[i])
                is_new(old[i]);
        free(old);
    }
    hash += hash == 0;
    size_t at = hash & (seen_room - 1);
    while (seen[at] && seen[at] != hash)
        at = (at + 1) & (seen_room - 1);
    if (seen[at])
        return false;
    seen[at] = hash;
    seen_count++;
    return true;
}

static void mix(uint64_t *hash, int64_t value)
{
    *hash = (*hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
}

static uint64_t hash_of(const struct world *w)
{
    uint64_t h = 1;
    mix(&h, w->next | w->directory << 8 | w->faults << 9 | w->meddled << 16);
    for (int n = 0; n < w->next; n++)
        mix(&h, w->znodes[n].in_line | w->znodes[n].owner << 1 | w->znodes[n].attempt << 4);
    for (int i = 0; i < candidates; i++) {
        const struct candidacy *c = &w->candidates[i];
        const struct link *l = &w->links[i];
        mix(&h, (int)c->state | c->volunteers << 4 | c->connected << 5 | c->creating << 6 | c->deleting << 7 |
                    c->in_doubt << 8 | c->acknowledged << 9 | c->woken << 10 | c->looks << 11 |
                    c->watches << 16 | c->resting << 21);
        mix(&h, c->own);
        mix(&h, c->awaited);
        mix(&h, l->up | l->alive << 1 | l->attempt << 2 | l->set << 10 | l->rests << 26);
        mix(&h, l->known | l->count[0] << 16 | l->count[1] << 24);
        for (int way = 0; way < WAYS; way++)
            for (int m = 0; m < l->count[way]; m++)
                mix(&h, l->queue[way][m].what | l->queue[way][m].result << 8 |
                            (uint8_t)l->queue[way][m].number << 16 | (int64_t)l->queue[way][m].listed << 24);
    }
    return h;
}

static void explore(const struct world *);

static void meddle(const struct world *w, int number, bool deletes)
{
    struct world next = *w;
    next.faults--;
    if (deletes) {
        next.meddled = true;
        remove_znode(&next, number);
    } else {
        fire(&next, number);
    }
    explore(&next);
}

/* Reads wait in the session until they are answered: writes are refused, and the sync before a search. */
static void be_busy(const struct world *w, int i)
{
    struct world next = *w;
    struct message m = pop(&next.links[i], TO_SERVER);
    if (m.what != ASK_DIRECTORY && m.what != ASK_CREATE && m.what != ASK_DELETE && m.what != ASK_FIND)
        return;
    next.faults--;
    m.result = SESSION_BUSY;
    push(&next, i, TO_CLIENT, m);
    explore(&next);
}

static void explore_faults(const struct world *w)
{
    for (int i = 0; i < candidates; i++) {
        struct world next = *w;
        next.faults--;
        if (w->links[i].up)
            lose(&next, i);
        else if (w->links[i].alive)
            end_session(&next, i);
        else
            continue;
        explore(&next);
    }
    for (int i = 0; i < candidates; i++) {
        struct world next = *w;
        next.faults--;
        if (w->candidates[i].volunteers)
            perform(&next, i, candidate_resign(&next.candidates[i], options()));
        else
            perform(&next, i, candidate_volunteer(&next.candidates[i], options()));
        explore(&next);
    }
    for (int i = 0; i < candidates; i++)
        if (w->links[i].count[TO_SERVER])
            be_busy(w, i);
    for (int n = 0; n < w->next; n++)
        for (int deletes = 0; deletes < 2 && w->znodes[n].in_line; deletes++)
            meddle(w, n, deletes);
    if (w->directory) {
        struct world next = *w;
        next.faults--;
        next.meddled = true;
        next.directory = false;
        for (int n = 0; n < NUMBERS; n++)
            if (next.znodes[n].in_line)
                remove_znode(&next, n);
        explore(&next);
    }
}

static void explore(const struct world *w)
{
    if (w->full || !is_new(hash_of(w)))
        return;
    states++;
    one_leader(w);
    if (at_rest(w)) {
        rests++;
        nobody_sleeps(w);
    }
    for (int i = 0; i < candidates; i++) {
        struct world next;
        if (w->links[i].rests) {
            next = *w;
            next.links[i].rests = false;
            perform(&next, i, candidate_rested(&next.candidates[i], options()));
            explore(&next);
        }
        if (!w->links[i].up) {
            next = *w;
            reconnect(&next, i);
            explore(&next);
            continue;
        }
        if (w->links[i].count[TO_SERVER]) {
            next = *w;
            serve(&next, i);
            explore(&next);
        }
        if (w->links[i].count[TO_CLIENT]) {
            next = *w;
            deliver(&next, i);
            explore(&next);
        }
    }
    if (w->faults > 0)
        explore_faults(w);
}

static void play(int count, int faults, bool guid)
{
    struct world w;
    memset(&w, 0, sizeof w);
    candidates = count;
    findable = guid;
    w.faults = (uint8_t)faults;
    for (int i = 0; i < count; i++)
        candidate_init(&w.candidates[i]);
    states = rests = 0;
    explore(&w);
    print_message("%d candidates, %d faults: %llu states, %llu of them at rest\n", count, faults,
                  (unsigned long long)states, (unsigned long long)rests);
    assert_true(states > 100 && rests > 0);
    free(seen);
    seen = NULL;
    seen_room = seen_count = 0;
}

/* Two, and many things go wrong. */
TEST(two_in_every_order)
{
    play(2, 3, true);
}

/* The same with bare names, where a lost create costs the session. */
TEST(two_without_a_guid)
{
    play(2, 2, false);
}

/* Three: somebody in the middle goes, somebody behind it must not sleep. */
TEST(three_in_every_order)
{
    play(3, 1, true);
}

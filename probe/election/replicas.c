#include "probe/election/replicas.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/update.h"

void replicas_free(struct replicas *r)
{
    free(r);
}

static struct replica *replica_of(struct replicas *r, size_t server)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].server == server)
            return &r->list[i];
    if (r->count == REPLICAS_MOST)
        return NULL;
    r->list[r->count] = (struct replica){.server = server};
    return &r->list[r->count++];
}

void replicas_note(struct election *election, size_t server, const struct observed_replica *seen)
{
    if (!election->own->replicas)
        election->own->replicas = xcalloc(1, sizeof *election->own->replicas);
    struct replica *one = replica_of(election->own->replicas, server);
    if (!one || seen->round == 0 || one->reads[0].round == seen->round)
        return;
    memmove(one->reads + 1, one->reads, sizeof one->reads - sizeof one->reads[0]);
    one->reads[0] = (struct replica_read){.round = seen->round, .absent = !seen->stat};
    if (seen->stat) {
        one->reads[0].czxid = seen->stat->czxid;
        one->reads[0].pzxid = seen->stat->pzxid;
        one->reads[0].cversion = seen->stat->cversion;
        one->reads[0].children = seen->stat->children;
    }
}

static bool replicas_same(const struct replica_read *a, const struct replica_read *b)
{
    return a->absent == b->absent && a->czxid == b->czxid && a->pzxid == b->pzxid &&
           a->cversion == b->cversion && a->children == b->children;
}

static bool older(const struct replica_read *a, const struct replica_read *b)
{
    return !a->absent && !b->absent && (a->czxid != b->czxid ? a->czxid < b->czxid : a->pzxid < b->pzxid);
}

static bool same_change_other_counts(const struct replica_read *a, const struct replica_read *b)
{
    return !a->absent && !b->absent && a->czxid == b->czxid && a->pzxid == b->pzxid && !replicas_same(a, b);
}

/* It was read in this round and the count - 1 before it. */
static bool read_in(const struct replica *one, uint32_t round, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (round <= i || one->reads[i].round != round - i)
            return false;
    return true;
}

/* The rule of the header. Both were read in the latest three rounds. */
static bool contradicts(const struct replica *s, const struct replica *t)
{
    const struct replica_read *mine = s->reads, *theirs = t->reads;
    if (!replicas_same(&mine[0], &mine[1]))
        return false;
    if (mine[0].absent)
        return !theirs[0].absent && !theirs[1].absent && !theirs[2].absent &&
               theirs[0].czxid == theirs[1].czxid && theirs[1].czxid == theirs[2].czxid;
    if (older(&mine[0], &theirs[0]) && older(&mine[0], &theirs[1]) && older(&mine[0], &theirs[2]))
        return true;
    return replicas_same(&theirs[0], &theirs[1]) && same_change_other_counts(&mine[0], &theirs[0]);
}

/* Of two rounds: it may come to that. */
static bool seems_behind(const struct replica *s, const struct replica *t)
{
    const struct replica_read *mine = &s->reads[0], *now = &t->reads[0], *before = &t->reads[1];
    if (mine->absent)
        return !now->absent && !before->absent;
    return older(mine, before) || same_change_other_counts(mine, now);
}

/* Of two rounds. An absent znode may have been made and deleted since: only three show that it was not. */
static bool seems_stuck(const struct replica *s, const struct replica *t)
{
    return !s->reads[0].absent && replicas_same(&s->reads[0], &s->reads[1]) && seems_behind(s, t);
}

static unsigned bits(uint32_t set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/*
 * against[i]: the servers that i contradicts or that contradict i. Sets those that differ; false: none.
 */
static bool find_apart(struct replicas *r, const uint32_t *against, uint32_t compared)
{
    uint32_t involved = 0, most = 0;
    unsigned fewest = REPLICAS_MOST + 1;
    for (size_t i = 0; i < r->count; i++)
        if (compared >> i & 1) {
            involved |= against[i] ? UINT32_C(1) << i : 0;
            if (bits(against[i]) < fewest) {
                fewest = bits(against[i]);
                most = compared & ~against[i];
            }
        }
    if (!involved)
        return false;
    bool majority = bits(most) * 2 > bits(compared);
    for (size_t i = 0; i < r->count; i++)
        if (compared >> i & 1)
            majority &= most >> i & 1 ? !(against[i] & most) : (against[i] & most) == most;
    r->majority = majority;
    r->apart = majority ? compared & ~most : involved;
    r->compared = compared;
    return true;
}

/* In that many rounds, the latest of them this one: three prove a difference, two suggest it. */
static bool replicas_show(struct replicas *r, uint32_t round, uint32_t rounds)
{
    uint32_t against[REPLICAS_MOST] = {0}, compared = 0;
    for (size_t i = 0; i < r->count; i++)
        if (read_in(&r->list[i], round, rounds))
            compared |= UINT32_C(1) << i;
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->count; k++)
            if (i != k && (compared >> i & 1) && (compared >> k & 1) &&
                (rounds == 2 ? seems_stuck : contradicts)(&r->list[i], &r->list[k])) {
                against[i] |= UINT32_C(1) << k;
                against[k] |= UINT32_C(1) << i;
            }
    return find_apart(r, against, compared);
}

static enum replicas_next replicas_compare(const struct replicas *r, uint32_t round)
{
    enum replicas_next next = REPLICAS_AGREE;
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->count; k++) {
            const struct replica *s = &r->list[i], *t = &r->list[k];
            if (!read_in(s, round, 1) || !read_in(t, round, 1) || replicas_same(&s->reads[0], &t->reads[0]))
                continue;
            if (read_in(t, round, 2) && seems_behind(s, t))
                return REPLICAS_BEHIND;
            next = REPLICAS_DIFFER;
        }
    return next;
}

/* Without the bit at this place, and those above it one further down. */
static uint32_t without(uint32_t set, size_t at)
{
    uint32_t below = (UINT32_C(1) << at) - 1;
    return (set & below) | ((set >> 1) & ~below);
}

void replicas_server_left(struct election *election, size_t server)
{
    struct replicas *r = election->own->replicas;
    for (size_t i = 0; r && i < r->count;) {
        if (r->list[i].server == server) {
            r->count--;
            memmove(&r->list[i], &r->list[i + 1], (r->count - i) * sizeof *r->list);
            r->apart = without(r->apart, i);
            r->compared = without(r->compared, i);
            continue;
        }
        r->list[i].server -= r->list[i].server > server;
        i++;
    }
    if (r && r->verdict != VERDICT_NONE && (!r->apart || bits(r->compared) < 2))
        r->verdict = VERDICT_AGREE; /* no differing server is left */
}

/* All of those that were compared when it was proved have been read in this round and the one before. */
static bool all_read_again(const struct replicas *r, uint32_t round)
{
    for (size_t i = 0; i < r->count; i++)
        if ((r->compared >> i & 1) && !read_in(&r->list[i], round, 2))
            return false;
    return true;
}

enum replicas_next replicas_judge(const struct update *f, uint32_t round)
{
    struct replicas *r = f->election->own->replicas;
    if (!r)
        return REPLICAS_AGREE;
    enum replicas_next next = replicas_compare(r, round);
    r->judged = f->at;
    bool seemed = r->verdict == VERDICT_SEEMS;
    if (replicas_show(r, round, 3))
        r->verdict = VERDICT_DIFFER;
    else if (r->verdict == VERDICT_NONE || seemed)
        r->verdict = replicas_show(r, round, 2) ? VERDICT_SEEMS : VERDICT_NONE;
    else
        r->verdict = next != REPLICAS_BEHIND && all_read_again(r, round) ? VERDICT_AGREE : VERDICT_OPEN;
    if (r->verdict != VERDICT_NONE || seemed)
        diagnose_soon(f->election);
    return next;
}

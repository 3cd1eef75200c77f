#include "probe/election/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "probe/election/certainty.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"

/* A tie larger than this stays ordered by name: ranking one costs its size. */
#define TIE_RANKED 64

/* In one block, which begins with the candidate: free() of that frees all. */
struct candidate_block {
    struct candidate candidate;
    struct candidate_private own;
    char name[];
};

struct candidate *candidate_new(const char *name, uint32_t hash)
{
    size_t size = strlen(name) + 1;
    struct candidate_block *block = xmalloc(sizeof *block + size);
    block->candidate = (struct candidate){.name = memcpy(block->name, name, size),
                                          .sequence = SEQUENCE_NONE,
                                          .proof = FINDING_COUNT,
                                          .wrong = FINDING_COUNT,
                                          .own = &block->own};
    block->own = (struct candidate_private){.hash = hash, .role = certainty_role(name)};
    return &block->candidate;
}

void candidate_free(struct candidate *candidate)
{
    if (!candidate)
        return;
    client_disown(candidate);
    free(candidate->data);
    free(candidate->identity);
    free(candidate);
}

/* A strict total order: names are unique. */
static int candidates_compare(const struct candidate *a, const struct candidate *b)
{
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->ranked != b->ranked)
        return a->ranked ? -1 : 1;
    if (a->ranked && a->stat.czxid != b->stat.czxid)
        return a->stat.czxid < b->stat.czxid ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare_pointers(const void *a, const void *b)
{
    return candidates_compare(*(struct candidate *const *)a, *(struct candidate *const *)b);
}

static void candidates_grow(struct candidate ***array, size_t *room, size_t needed)
{
    if (needed <= *room)
        return;
    size_t larger = *room < 8 ? 8 : *room + *room / 2;
    if (larger < needed)
        larger = needed;
    struct candidate **moved = xreallocarray(*array, larger, sizeof **array);
    *array = moved;
    *room = larger;
}

static uint32_t candidate_hash(const struct hash_link *link)
{
    return HASH_ENTRY(link, struct candidate_private, by_name)->hash;
}

void candidates_reserve(struct election *election, size_t more)
{
    size_t known = election->candidate_count + election->outsider_count;
    election->own->by_name.hash_of = candidate_hash;
    hash_table_reserve(&election->own->by_name, known + more);
    candidates_grow(&election->candidates, &election->own->candidate_room, known + more);
    candidates_grow(&election->outsiders, &election->own->outsider_room,
                    election->outsider_count ? election->outsider_count + more : 0);
}

uint32_t candidates_hash(const struct election *election, const char *name)
{
    return hash_bytes(name, strlen(name), election->own->hash_seed);
}

/* A candidate's private part lies in its block. */
static struct candidate *candidate_of(struct hash_link *link)
{
    return link ? &HASH_ENTRY(link, struct candidate_block, own.by_name)->candidate : NULL;
}

struct candidate *candidates_find(const struct election *election, const char *name, uint32_t hash)
{
    struct candidate *c = candidate_of(hash_table_first(&election->own->by_name, hash));
    while (c && (c->own->hash != hash || strcmp(c->name, name) != 0))
        c = candidate_of(c->own->by_name.next);
    return c;
}

void candidates_index(struct election *election, struct candidate *candidate)
{
    hash_table_add(&election->own->by_name, &candidate->own->by_name);
}

/* The candidate's place, or the place where it would be inserted. */
static size_t candidates_position_of(const struct election *election, const struct candidate *candidate)
{
    size_t low = 0, high = election->candidate_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (candidates_compare(election->candidates[middle], candidate) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t candidates_position(const struct election *election, const struct candidate *candidate)
{
    size_t place = candidate->place; /* as of the latest diagnosis */
    return place < election->candidate_count && election->candidates[place] == candidate
               ? place
               : candidates_position_of(election, candidate);
}

/* Merges the sorted newcomers into the line from its end: newcomers with the highest numbers, as nearly all
   are, move no others. */
static void line_up(struct election *election, struct candidate **newcomers, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (candidates_compare(newcomers[i - 1], newcomers[i]) > 0) {
            qsort(newcomers, count, sizeof *newcomers, compare_pointers);
            break;
        }
    size_t standing = election->candidate_count, to = standing + count;
    election->own->none_alike = false;
    election->candidate_count = to;
    while (count > 0) {
        if (standing > 0 && candidates_compare(election->candidates[standing - 1], newcomers[count - 1]) > 0)
            election->candidates[--to] = election->candidates[--standing];
        else
            election->candidates[--to] = newcomers[--count];
    }
}

void candidates_add(struct election *election, struct candidate **children, size_t count)
{
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate *child = children[i];
        if (!child->outside) {
            children[i] = children[inside];
            children[inside++] = child;
        } else {
            candidates_grow(&election->outsiders, &election->own->outsider_room,
                            election->outsider_count + 1);
            election->outsiders[election->outsider_count++] = child;
        }
    }
    line_up(election, children, inside);
    for (size_t i = 0; i < inside; i++) {
        if (!children[i]->known) {
            election->unknown_count++;
            candidates_queue(election, children[i]);
        }
    }
}

void candidates_queue(struct election *election, struct candidate *candidate)
{
    if (candidate->own->unread_queued || (election->recipe && election->recipe->family == FAMILY_LOCK))
        return; /* a lock's holder is not a child: the source reads the election's own znode */
    candidate->own->unread_queued = true;
    candidate->own->unread_next = NULL;
    candidate->own->unread_previous = election->own->unread_last;
    if (election->own->unread_last)
        election->own->unread_last->own->unread_next = candidate;
    else
        election->own->unread_first = candidate;
    election->own->unread_last = candidate;
}

void candidates_read_again(struct election *election, struct candidate *candidate, int64_t since_us,
                           int64_t now_us)
{
    int64_t asked_us = candidate->own->again_us;
    if (asked_us >= since_us || (asked_us != 0 && now_us - asked_us < READ_AGAIN_US))
        return;
    candidates_queue(election, candidate);
    candidate->own->again_us = now_us;
}

void candidates_unqueue(struct election *election, struct candidate *candidate)
{
    if (!candidate->own->unread_queued)
        return;
    if (candidate->own->unread_previous)
        candidate->own->unread_previous->own->unread_next = candidate->own->unread_next;
    else
        election->own->unread_first = candidate->own->unread_next;
    if (candidate->own->unread_next)
        candidate->own->unread_next->own->unread_previous = candidate->own->unread_previous;
    else
        election->own->unread_last = candidate->own->unread_previous;
    candidate->own->unread_next = candidate->own->unread_previous = NULL;
    candidate->own->unread_queued = false;
}

static void candidates_forget(struct election *election, struct candidate *candidate)
{
    hash_table_remove(&election->own->by_name, &candidate->own->by_name);
    candidates_unqueue(election, candidate);
    if (!candidate->outside && !candidate->known && !candidate->denied)
        election->unknown_count--;
}

static void close_gap(struct candidate **array, size_t *count, size_t at)
{
    memmove(array + at, array + at + 1, (*count - at - 1) * sizeof *array);
    --*count;
}

void candidates_take(struct election *election, struct candidate *candidate)
{
    if (candidate->outside) {
        size_t at = 0;
        while (election->outsiders[at] != candidate)
            at++;
        close_gap(election->outsiders, &election->outsider_count, at);
    } else {
        close_gap(election->candidates, &election->candidate_count,
                  candidates_position_of(election, candidate));
    }
    candidates_forget(election, candidate);
}

static size_t take_missing(struct election *election, struct candidate **array, size_t count,
                           struct candidate ***tail)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate *c = array[i];
        if (c->own->round == election->own->list_round) {
            array[kept++] = c;
            continue;
        }
        candidates_forget(election, c);
        c->own->round = c->outside ? 0 : (uint32_t)i + 1;
        **tail = c;
        *tail = &c->own->unread_next;
    }
    return kept;
}

struct candidate *candidates_take_missing(struct election *election)
{
    struct candidate *missing = NULL, **tail = &missing;
    election->candidate_count =
        take_missing(election, election->candidates, election->candidate_count, &tail);
    election->outsider_count = take_missing(election, election->outsiders, election->outsider_count, &tail);
    *tail = NULL;
    return missing;
}

void candidates_admit(struct election *election, struct candidate *candidate)
{
    size_t at = 0;
    while (election->outsiders[at] != candidate)
        at++;
    close_gap(election->outsiders, &election->outsider_count, at);
    candidate->outside = false;
    line_up(election, &candidate, 1);
    if (!candidate->known) {
        election->unknown_count++;
        candidates_queue(election, candidate);
    }
}

bool candidates_tie_by_name(const struct election *election)
{
    return election->recipe && strncmp(election->recipe->name, "solr-", 5) == 0;
}

void candidates_rank(struct election *election, struct candidate *candidate)
{
    if (candidates_tie_by_name(election))
        return;
    size_t at = candidates_position_of(election, candidate), first = at, end = at + 1;
    while (first > 0 && at - first < TIE_RANKED &&
           election->candidates[first - 1]->sequence == candidate->sequence)
        first--;
    while (end < election->candidate_count && end - at < TIE_RANKED &&
           election->candidates[end]->sequence == candidate->sequence)
        end++;
    if (end - first == 1 || end - first > TIE_RANKED)
        return;
    for (size_t i = first; i < end; i++)
        if (!election->candidates[i]->known)
            return;
    for (size_t i = first; i < end; i++)
        election->candidates[i]->ranked = true;
    qsort(election->candidates + first, end - first, sizeof(struct candidate *), compare_pointers);
}

void candidates_free(struct election *election)
{
    for (size_t i = 0; i < election->candidate_count; i++)
        candidate_free(election->candidates[i]);
    for (size_t i = 0; i < election->outsider_count; i++)
        candidate_free(election->outsiders[i]);
    free(election->candidates);
    free(election->outsiders);
    hash_table_clear(&election->own->by_name);
}

static bool is_marker(const struct election *election, const struct candidate *child)
{
    size_t length = strcmp(election->path, "/") == 0 ? 0 : strlen(election->path);
    const char *ack = election->ack_path;
    return ack && strncmp(ack, election->path, length) == 0 && ack[length] == '/' &&
           strcmp(ack + length + 1, child->name) == 0;
}

void candidates_list_foreign(struct election *election)
{
    election->foreign_count = 0;
    if (!election->recipe || election->outsider_count == 0)
        return;
    if (!election->foreign)
        election->foreign = xcalloc(FOREIGN_KEPT, sizeof *election->foreign);
    for (size_t i = 0; i < election->outsider_count; i++) {
        const struct candidate *child = election->outsiders[i];
        if (is_marker(election, child))
            continue;
        if (election->foreign_count < FOREIGN_KEPT)
            election->foreign[election->foreign_count] = child->name;
        election->foreign_count++;
    }
}

#include "probe/election/update.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/baseline.h"
#include "probe/election/candidate_node.h"
#include "probe/election/cluster.h"
#include "probe/election/election_life.h"
#include "probe/election/failover_case.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/observation.h"
#include "probe/election/candidates.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"
#include "probe/election/tenure.h"
#include "probe/election/known_transactions.h"

/* ---- elections that are one znode: who holds it leads ---- */

static bool update_is_lock(const struct update *f, const struct znode_stat *stat)
{
    const struct election *election = f->election;
    if (election->recipe && election->recognised == RECOGNISED_CONFIGURED)
        return election->recipe->family == FAMILY_LOCK;
    return owner_is_session(stat->owner); /* a container is a directory */
}

/* An ephemeral znode lies at the path itself: a lock, whatever its path. */
static void lock_recognise(const struct update *f)
{
    struct election *election = f->election;
    if (election->recipe && election->recipe->family == FAMILY_LOCK)
        return;
    const struct recipe *recipe = recipe_recognise(f->model->recipes, election->path, NULL, 0);
    if (!recipe)
        recipe = recipe_any_lock(f->model->recipes);
    election_take_recipe(election, recipe, recipe->signature ? RECOGNISED_SIGNATURE : RECOGNISED_NAME);
}

static struct candidate *holder_new(const struct update *f)
{
    struct election *election = f->election;
    const char *slash = strrchr(election->path, '/');
    const char *name = slash && slash[1] ? slash + 1 : election->path;
    uint32_t hash = candidates_hash(election, name);
    candidates_reserve(election, 1);
    struct candidate *holder = candidate_node_new(f, name, hash);
    struct candidate *placed = holder;
    candidates_index(election, holder);
    candidates_add(election, &placed, 1);
    return holder;
}

/* Every holder has the same name: who it is, its data says. */
static bool lock_is_whole(const struct znode_stat *stat, const struct observed_node *node)
{
    return stat->data_length == 0 || (node && node->has_data);
}

static void read_holder(const struct update *f, struct candidate *holder, const struct znode_stat *stat,
                        const struct observed_node *node)
{
    if (node)
        candidate_node_read(f, holder, node);
    else
        candidate_node_stat(f, holder, stat);
    if (f->election->leader != holder)
        return;
    leadership_read(f);
    update_emit_elected_read(f, lock_is_whole(stat, node));
}

/* A list shows that it is there, perhaps just before its data comes, which the source is asking for. */
static void report_holder(const struct update *f, const struct znode_stat *stat,
                          const struct observed_node *node)
{
    f->election->own->leader_unreported = true;
    update_emit_elected_read(f, lock_is_whole(stat, node));
    leadership_read(f);
}

/* Another holder than the one we knew: its end and the new one's beginning went unseen. */
static void replaced(const struct update *f, struct candidate *old, const struct znode_stat *stat,
                     const struct observed_node *node)
{
    struct election *election = f->election;
    leadership_lost(f, old, false);
    election->own->lost_after = election->fresh ? election->listed : election->stale_since;
    update_state(f, ELECTION_ELECTING);
    update_emit_candidate(f, EVENT_LEADER_LOST, old, 1);
    election->counters.unseen_left++;
    election->counters.unseen_joined++;
    update_emit(f, &(struct event){.kind = EVENT_UNSEEN, .unseen_joined = 1, .unseen_left = 1});
    candidates_take(election, old);
    candidate_free(old);

    struct candidate *holder = holder_new(f);
    read_holder(f, holder, stat, node);
    leadership_won(f, holder);
    failover_case_gone_by(f, stat->czxid);
    election->leader_since = election->own->lost_after;
    election->leader_since_exact = false;
    update_state(f, ELECTION_LED);
    report_holder(f, stat, node);
}

/* node NULL: only its Stat, from a list. */
static void update_lock(const struct update *f, const struct znode_stat *stat,
                        const struct observed_node *node)
{
    struct election *election = f->election;
    lock_recognise(f);
    bool first = election->state == ELECTION_UNKNOWN ||
                 (election->state == ELECTION_DENIED && !election->directory_known);
    bool seen = first || election->state == ELECTION_ABSENT;
    struct candidate *holder = election->candidate_count > 0 ? election->candidates[0] : NULL;
    election->own->directory = *stat;
    election->directory_known = true;
    election->own->handed_over = election->led_elsewhere = false;
    election->problem = NULL;

    if (holder && holder->stat.czxid == stat->czxid && holder->stat.ctime_ms == stat->ctime_ms) {
        leadership_kept(f);
        read_holder(f, holder, stat, node);
    } else if (holder) {
        replaced(f, holder, stat, node);
    } else {
        holder = holder_new(f);
        read_holder(f, holder, stat, node);
        if (seen)
            update_emit(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
        if (first) {
            leadership_found(f, holder);
        } else {
            holder->joined_seen = true;
            election->counters.joined++;
            update_emit_candidate(f, EVENT_CANDIDATE_JOINED, holder, 1);
            leadership_won(f, holder);
            failover_case_gone_by(f, stat->czxid);
            update_state(f, ELECTION_LED);
            report_holder(f, stat, node);
        }
    }
    update_state(f, ELECTION_LED);
    acknowledge_update(f);
    election->listed = f->at;
    update_fresh(f);
}

/* Vacant before a gap and after it: it may have had a leader in between. */
static void still_vacant(const struct update *f)
{
    f->election->own->led_unseen = true;
    update_state_found(f);
}

static void update_lock_absent(const struct update *f)
{
    struct election *election = f->election;
    struct candidate *holder = election->candidate_count > 0 ? election->candidates[0] : NULL;
    if (election->state == ELECTION_UNKNOWN ||
        (election->state == ELECTION_DENIED && !election->directory_known))
        update_emit(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
    if (holder) {
        candidates_take(election, holder);
        election->counters.left++;
        leadership_lost(f, holder, election->fresh);
        update_state(f, ELECTION_VACANT);
        update_emit_candidate(f, EVENT_LEADER_LOST, holder, 1);
        update_emit_candidate(f, EVENT_CANDIDATE_LEFT, holder, 1);
        candidate_free(holder);
    } else {
        leadership_vacant(f);
    }
    election->problem = NULL;
    if (election->own->directory.czxid != 0 && !holder)
        update_touched(f); /* what blocked it is gone */
    election->own->directory = (struct znode_stat){0};
    election->own->handed_over = election->led_elsewhere = false;
    update_state(f, ELECTION_VACANT);
    if (election->own->lapsed)
        still_vacant(f);
    election->listed = f->at;
    update_fresh(f);
}

/* The changes that one list of children shows. */
struct difference {
    struct candidate **joined; /* new children, also outsiders; owned by the roster once added */
    size_t joined_count;
    struct candidate *missing; /* chained by unread_next; owned here */
    size_t missing_count;
};

static bool same_node(const struct znode_stat *a, const struct znode_stat *b)
{
    /* A wiped ensemble counts its transactions from the beginning: czxid alone may repeat. */
    return a->czxid == b->czxid && a->ctime_ms == b->ctime_ms;
}

/* No name is a candidate's, but the path, or the mark that a leader leaves beside its candidates, shows a layout: the
 * mark may have outlived its leader. */
static const struct recipe *emptied_recipe(const struct update *f, const struct observed_children *list)
{
    const struct recipe *recipe = recipe_of_path(f->model->recipes, f->election->path);
    bool mark = recipe && (recipe->ack_place == ACK_PLACE_NODE || recipe->ack_place == ACK_PLACE_PARENT_DATA);
    return mark ? recipe : recipe_of_mark(f->model->recipes, list->names, list->count);
}

/* Chosen anew only while it has no candidates: a mixed directory must not flap. */
static void directory_recognise(const struct update *f, const struct observed_children *list)
{
    struct election *election = f->election;
    if (election->recognised == RECOGNISED_CONFIGURED && election->recipe)
        return;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (election->recipe && !lock && (election->candidate_count > 0 || list->count == 0))
        return;
    enum recognised recognised = RECOGNISED_NAME;
    const struct recipe *recorded = baseline_recipe(f, list->names, list->count, &recognised);
    const struct recipe *recipe =
        recorded ? recorded : recipe_recognise(f->model->recipes, election->path, list->names, list->count);
    if (list->count == 0 && (lock || (recipe && recipe->family == FAMILY_LOCK)))
        recipe = recipe ? recipe : election->recipe; /* what blocks the lock, perhaps: see blocked_lock() */
    else if (recipe && recipe->family == FAMILY_LOCK)
        recipe = NULL; /* its path is a lock's, but it is a persistent directory */
    if (!recipe && election->recipe && !lock)
        return;
    if (!recipe)
        recipe = emptied_recipe(f, list);
    else if (!recorded && recipe->signature)
        recognised = RECOGNISED_SIGNATURE;
    if (recipe == election->recipe && (!recipe || recognised <= election->recognised))
        return;
    election_take_recipe(election, recipe, recognised);
    candidates_reserve(election, election->outsider_count);
    for (size_t i = election->outsider_count; i-- > 0;) {
        struct candidate *child = election->outsiders[i];
        candidate_node_parse(f, child);
        if (!child->outside) {
            child->outside = true;
            candidates_admit(election, child);
        }
    }
}

/* Splits the list into known and new names. */
static void compare_list(const struct update *f, const struct observed_children *list,
                         struct difference *difference)
{
    struct election *election = f->election;
    size_t known = 0, fresh = 0;
    size_t *news = NULL; /* indexes of names not known yet */
    uint32_t *hashes = NULL;
    if (++election->own->list_round == 0)
        election->own->list_round = 1;

    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        uint32_t hash = candidates_hash(election, name);
        struct candidate *child = candidates_find(election, name, hash);
        if (child) {
            known += child->own->round != election->own->list_round;
            child->own->round = election->own->list_round;
            continue;
        }
        if (!news) {
            news = xmalloc((list->count - i) * sizeof *news);
            hashes = xmalloc((list->count - i) * sizeof *hashes);
        }
        news[fresh] = i;
        hashes[fresh++] = hash;
    }

    size_t before = election->candidate_count + election->outsider_count;
    if (known < before) {
        difference->missing = candidates_take_missing(election);
        difference->missing_count = before - known;
        candidate_node_left(f);
    }
    directory_recognise(f, list);
    if (fresh > 0) {
        difference->joined = xmalloc(fresh * sizeof(struct candidate *));
        candidates_reserve(election, fresh);
        for (size_t i = 0; i < fresh; i++) {
            const char *name = list->names[news[i]];
            if (candidates_find(election, name, hashes[i]))
                continue; /* twice in one list */
            struct candidate *child = candidate_node_new(f, name, hashes[i]);
            candidate_node_parse(f, child);
            candidates_index(election, child);
            difference->joined[difference->joined_count++] = child;
        }
        candidates_add(election, difference->joined, difference->joined_count);
        candidate_node_read_ahead(f);
    }
    free(news);
    free(hashes);
}

static void free_missing(struct candidate *missing)
{
    while (missing) {
        struct candidate *next = missing->own->unread_next;
        candidate_free(missing);
        missing = next;
    }
}

static void report_missing(const struct update *f, const struct difference *difference,
                           const struct candidate *leader)
{
    if (leader)
        update_emit_candidate(f, EVENT_LEADER_LOST, leader, 1);
    for (const struct candidate *c = difference->missing; c; c = c->own->unread_next)
        if (!c->outside)
            update_emit_candidate(f, EVENT_CANDIDATE_LEFT, c, c->own->round);
}

/* In election order; the newcomers of this round. */
static void report_joined(const struct update *f, const struct difference *difference)
{
    struct election *election = f->election;
    size_t left = 0;
    for (size_t i = 0; i < difference->joined_count; i++)
        left += !difference->joined[i]->outside;
    election->counters.joined += left;
    /* candidates_add() has sorted those in the line to the front. */
    for (size_t i = 0; i < left; i++) {
        struct candidate *c = difference->joined[i];
        c->joined_seen = true;
        update_emit_candidate(f, EVENT_CANDIDATE_JOINED, c, candidates_position(election, c) + 1);
    }
}

static int64_t next_sequence(const struct znode_stat *directory)
{
    return (int64_t)(((uint32_t)directory->cversion + (uint32_t)directory->children) / 2);
}

/* Up to this number of candidates, all Stats are read when names may have been created again. */
#define READ_AGAIN_MOST 64

/* One that left and one that joined, both unseen, may have had a name that is still listed. */
static void read_all_again(const struct update *f)
{
    struct election *election = f->election;
    for (size_t i = 0; election->candidate_count <= READ_AGAIN_MOST && i < election->candidate_count; i++)
        candidates_queue(election, election->candidates[i]);
}

/*
 * The Stat proves more than the lists show. creates = (Δcversion + Δn) / 2 and deletes = (Δcversion − Δn) / 2
 * hold exactly, cversion being a counter of 32 bits that wraps. A counter that went back proves nothing: the
 * servers have lost transactions, as when most of them lost their data, and went on.
 */
static void count_unseen(const struct update *f, const struct znode_stat *old, const struct znode_stat *new,
                         const struct difference *difference)
{
    struct election *election = f->election;
    uint32_t changes = (uint32_t) new->cversion - (uint32_t)old->cversion;
    int64_t grown = (int64_t) new->children - old->children;
    int64_t created = ((int64_t)changes + grown) / 2, deleted = ((int64_t)changes - grown) / 2;
    int64_t joined = created - (int64_t)difference->joined_count;
    int64_t left = deleted - (int64_t)difference->missing_count - (int64_t)election->own->gone_since_list;
    /* A server that lags behind another one shows an older Stat: that proves nothing. */
    bool stuck = next_sequence(new) >= INT32_MAX; /* the counter of creates ends there */
    bool back = changes > INT32_MAX;
    if (back && new->pzxid > old->pzxid)
        read_all_again(f);
    if (new->pzxid < old->pzxid || stuck || back || joined < 0 || left < 0 || (joined == 0 && left == 0))
        return;
    if (joined > 0 && left > 0)
        read_all_again(f);
    struct event event = {
        .kind = EVENT_UNSEEN, .unseen_joined = (uint64_t)joined, .unseen_left = (uint64_t)left};
    election->counters.unseen_joined += event.unseen_joined;
    election->counters.unseen_left += event.unseen_left;
    update_emit(f, &event);
}

static void everybody_left(const struct update *f)
{
    struct election *election = f->election;
    const struct candidate *leader = election->leader;
    struct difference difference = {0};
    if (++election->own->list_round == 0)
        election->own->list_round = 1;
    difference.missing = candidates_take_missing(election);
    for (const struct candidate *c = difference.missing; c; c = c->own->unread_next)
        election->counters.left += !c->outside;
    if (leader)
        leadership_lost(f, leader, false);
    candidates_list_foreign(f->election);
    report_missing(f, &difference, leader);
    free_missing(difference.missing);
    election->own->gone_since_list = 0;
}

/* By whichever clock says more: a server's may differ from ours. */
static int64_t lasted_us(const struct update *f)
{
    const struct election *election = f->election;
    int64_t seen_us =
        election->own->first_listed.mono_us ? f->at.mono_us - election->own->first_listed.mono_us : 0;
    int64_t by_ctime_us =
        f->at.wall_us ? f->at.wall_us - cluster_stat_us(election->cluster, election->own->directory.czxid,
                                                        election->own->directory.ctime_ms)
                      : 0;
    int64_t us = seen_us > by_ctime_us ? seen_us : by_ctime_us;
    return us > 1 ? us : 1;
}

static void directory_gone(const struct update *f)
{
    struct election *election = f->election;
    everybody_left(f);
    election->own->lasted_us = lasted_us(f);
    election->directory_known = false;
    election->next_sequence = -1;
    election->own->quiet_us = 0;
    update_state(f, ELECTION_ABSENT);
    update_emit(f, &(struct event){.kind = EVENT_ELECTION_GONE});
}

/* The list is known to be the one we have. */
static bool unchanged(const struct election *election, const struct znode_stat *stat)
{
    const struct znode_stat *old = &election->own->directory;
    return election->directory_known && election->recipe && same_node(old, stat) &&
           old->pzxid == stat->pzxid && old->cversion == stat->cversion &&
           election->own->gone_since_list == 0;
}

static void settle_leader(const struct update *f, bool first, bool same_list)
{
    struct election *election = f->election;
    if (election->candidate_count == 0) {
        if (election->state != ELECTION_VACANT || !election->fresh)
            leadership_vacant(f);
        if (election->state == ELECTION_VACANT && election->own->lapsed && !same_list)
            still_vacant(f);
        update_state(f, ELECTION_VACANT);
        return;
    }
    struct candidate *head = election->candidates[0];
    if (election->leader == head) {
        leadership_kept(f);
    } else if (first) {
        leadership_found(f, head);
        acknowledge_update(f);
    } else {
        if (election->leader) /* a lower number has joined before it */
            leadership_lost(f, election->leader, false);
        leadership_won(f, head);
        update_state(f, ELECTION_LED);
        update_emit_elected(f);
        leadership_read(f);
    }
    update_state(f, ELECTION_LED);
}

/* A lock lies at the path, perhaps where the directory was. */
static void lie_as_lock(const struct update *f, const struct znode_stat *stat,
                        const struct observed_node *node)
{
    const struct election *election = f->election;
    bool was_lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    if (!was_lock && election->directory_known)
        everybody_left(f);
    update_lock(f, stat, node);
}

/* Without a change of its children, too: what blocks a lock may be written to. */
static void take_directory(const struct update *f, const struct znode_stat *stat)
{
    struct election *election = f->election;
    struct znode_stat *directory = &election->own->directory;
    if (election->directory_known && same_node(directory, stat) && stat->aversion > directory->aversion)
        election->own->acl_changed = f->at;
    if (directory->data_length != stat->data_length || directory->version != stat->version)
        diagnose_soon(election);
    *directory = *stat;
}

void update_own_node(const struct update *f, const struct znode_stat *stat, const struct observed_node *node)
{
    struct election *election = f->election;
    bool kafka = election->recipe && strcmp(election->recipe->name, "kafka-controller") == 0;
    if (update_is_lock(f, stat)) {
        lie_as_lock(f, stat, node);
    } else {
        update_parent_data(f, node);
        const struct znode_stat *old = &election->own->directory;
        if (election->directory_known && same_node(old, stat) && old->pzxid == stat->pzxid)
            take_directory(f, stat);
        if (kafka && node && node->has_data) {
            election->led_elsewhere = identity_is_kraft(node->data, node->data_length);
            diagnose_soon(election);
        }
    }
}

/* If there was only one change, and a candidate left by it, it ended no session but perhaps that one's. */
static void note_departure(struct election *election, const struct znode_stat *old,
                           const struct znode_stat *now, const struct difference *difference)
{
    const struct candidate *left = difference->missing;
    if (left && !left->own->unread_next && left->known && same_node(old, now) &&
        (uint32_t)now->cversion == (uint32_t)old->cversion + 1)
        known_transactions_note(&election->cluster->transactions, now->pzxid, left->stat.owner, false);
}

void update_children(const struct update *f, const struct observed_children *list)
{
    struct election *election = f->election;
    if (update_is_lock(f, list->stat)) {
        lie_as_lock(f, list->stat, NULL);
        return;
    }
    struct difference difference = {0};
    if (!unchanged(election, list->stat)) {
        bool held =
            election->recipe && election->recipe->family == FAMILY_LOCK && election->candidate_count > 0;
        if (held) { /* a directory lies where the lock was */
            everybody_left(f);
            election->directory_known = false;
            election->own->handed_over = true;
        } else if (election->directory_known && election->own->directory.czxid != 0 &&
                   !same_node(&election->own->directory, list->stat))
            directory_gone(f);
        compare_list(f, list, &difference);
    }

    bool first = election->state == ELECTION_UNKNOWN ||
                 (election->state == ELECTION_DENIED && !election->directory_known);
    bool appeared = election->state == ELECTION_ABSENT;
    struct znode_stat nothing = {.czxid = list->stat->czxid},
                      old = appeared ? nothing : election->own->directory;
    bool comparable = appeared || election->directory_known;
    const struct candidate *leader = election->leader;
    bool lost = false;
    for (const struct candidate *c = difference.missing; c; c = c->own->unread_next) {
        lost = lost || c == leader;
        election->counters.left += !c->outside;
    }
    if (difference.missing || difference.joined_count)
        candidates_list_foreign(f->election);
    bool same_list = election->directory_known && same_node(&election->own->directory, list->stat) &&
                     election->own->directory.pzxid == list->stat->pzxid;
    if (!same_list || election->own->quiet_us == 0)
        election->own->quiet_us = f->at.mono_us;
    if (election->directory_known && election->own->directory.pzxid != list->stat->pzxid)
        election->own->changed_us = f->at.mono_us;
    if (list->synced_us != 0) {
        election->own->synced_us = list->synced_us;
        diagnose_soon(election);
    }
    if (comparable)
        note_departure(election, &old, list->stat, &difference);
    take_directory(f, list->stat);
    election->directory_known = true;
    election->next_sequence = next_sequence(list->stat);
    if (first || appeared || election->next_sequence < election->own->first_next) {
        election->own->first_listed = f->at;
        election->own->first_next = election->next_sequence;
    }
    election->own->listed_before = election->listed;
    election->listed = f->at;
    election->problem = NULL;

    if (first || appeared)
        update_emit(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
    if (lost) {
        leadership_lost(f, leader, false);
        update_state(f, ELECTION_ELECTING);
    }
    report_missing(f, &difference, lost ? leader : NULL);
    if (!first)
        report_joined(f, &difference);
    settle_leader(f, first, same_list);
    if (comparable)
        count_unseen(f, &old, list->stat, &difference);
    election->own->gone_since_list = 0;
    update_fresh(f);
    if (difference.missing || difference.joined_count)
        update_touched(f);
    failover_case_listed(f, comparable && !appeared ? &old : NULL);
    free_missing(difference.missing);
    free(difference.joined);
}

void update_path_absent(const struct update *f)
{
    struct election *election = f->election;
    if (election->recipe && election->recipe->family == FAMILY_LOCK) {
        update_lock_absent(f);
        if (election->origin != ORIGIN_ORPHANED)
            return;
    }
    if (election->directory_known)
        directory_gone(f);
    election->problem = NULL;
    leadership_vacant(f);
    update_state(f, ELECTION_ABSENT);
    if (election->own->lapsed)
        still_vacant(f);
    update_fresh(f);
}

void update_path_denied(const struct update *f)
{
    struct election *election = f->election;
    election->problem = "not readable with these credentials";
    update_emit_elected_read(f, true); /* its data will not come */
    if (election->fresh)
        election_lapse(election, f->at);
    update_state(f, ELECTION_DENIED);
}

void update_path_unread(const struct update *f, enum unread_part part)
{
    struct election *election = f->election;
    election->problem =
        part == UNREAD_NO_ROOM
            ? "a candidate was left out for want of memory; the next complete list shows all"
        : part == UNREAD_NOT_LISTED
            ? "its candidates are not listed yet: the next list that is captured whole (-s0) shows all"
            : "the servers do not answer requests about it; electop tries again";
    /* What joined and left before that list is not what its numbers count. */
    election->directory_known = election->directory_known && part != UNREAD_NOT_LISTED;
    if (election->fresh)
        election_lapse(election, f->at);
    update_touched(f);
}

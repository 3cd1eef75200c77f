#include "probe/election/lock.h"

#include <string.h>

#include "probe/election/acknowledge.h"
#include "probe/election/election_life.h"
#include "probe/election/failover_case.h"
#include "probe/election/fold.h"
#include "probe/election/leadership.h"
#include "probe/election/name_hash.h"
#include "probe/election/roster.h"
#include "probe/election/standing.h"

bool fold_is_lock(const struct fold *f, const struct znode_stat *stat)
{
    const struct election *election = f->election;
    if (election->recipe && election->recognised == RECOGNISED_CONFIGURED)
        return election->recipe->family == FAMILY_LOCK;
    return stat->owner != 0;
}

/* An ephemeral znode lies at the path itself: a lock, whatever its path. */
static void recognise(const struct fold *f)
{
    struct election *election = f->election;
    if (election->recipe && election->recipe->family == FAMILY_LOCK)
        return;
    const struct recipe *recipe = recipe_recognise(f->model->recipes, election->path, NULL, 0);
    if (!recipe)
        recipe = recipe_any_lock(f->model->recipes);
    election_take_recipe(election, recipe, recipe->signature ? RECOGNISED_SIGNATURE : RECOGNISED_NAME);
}

static struct candidate *holder_new(const struct fold *f)
{
    struct election *election = f->election;
    const char *slash = strrchr(election->path, '/');
    const char *name = slash && slash[1] ? slash + 1 : election->path;
    uint32_t hash = name_hash(name, strlen(name), election->hash_seed);
    if (!roster_reserve(election, 1))
        return NULL;
    struct candidate *holder = standing_new(f, name, hash);
    if (!holder)
        return NULL;
    struct candidate *placed = holder;
    roster_index(election, holder);
    roster_add(election, &placed, 1);
    roster_unqueue(election, holder); /* the source reads it as the election's own znode */
    return holder;
}

/* Every holder has the same name: who it is, its data says. */
static bool is_whole(const struct znode_stat *stat, const struct observed_node *node)
{
    return stat->data_length == 0 || (node && node->has_data);
}

static void read_holder(const struct fold *f, struct candidate *holder, const struct znode_stat *stat,
                        const struct observed_node *node)
{
    if (node)
        standing_read(f, holder, node);
    else
        standing_stat(f, holder, stat);
    if (f->election->leader != holder)
        return;
    leadership_read(f);
    fold_tell_elected_read(f, is_whole(stat, node));
}

/* A list shows that it is there, perhaps just before its data comes, which the source is asking for. */
static void tell_holder(const struct fold *f, const struct znode_stat *stat, const struct observed_node *node)
{
    f->election->leader_untold = true;
    fold_tell_elected_read(f, is_whole(stat, node));
    leadership_read(f);
}

/* Another holder than the one we knew: its end and the new one's beginning went unseen. */
static void replaced(const struct fold *f, struct candidate *old, const struct znode_stat *stat,
                     const struct observed_node *node)
{
    struct election *election = f->election;
    leadership_lost(f, old, false);
    election->lost_after = election->fresh ? election->listed : election->stale_since;
    fold_state(f, ELECTION_ELECTING);
    fold_tell_candidate(f, EVENT_LEADER_LOST, old, 1);
    election->counters.unseen_left++;
    election->counters.unseen_joined++;
    fold_tell(f, &(struct event){.kind = EVENT_UNSEEN, .unseen_joined = 1, .unseen_left = 1});
    roster_take(election, old);
    candidate_free(old);

    struct candidate *holder = holder_new(f);
    if (!holder) {
        fold_out_of_memory(f);
        return;
    }
    read_holder(f, holder, stat, node);
    leadership_won(f, holder);
    failover_case_gone_by(f, stat->czxid);
    election->leader_since = election->lost_after;
    election->leader_since_exact = false;
    fold_state(f, ELECTION_LED);
    tell_holder(f, stat, node);
}

void fold_lock(const struct fold *f, const struct znode_stat *stat, const struct observed_node *node)
{
    struct election *election = f->election;
    recognise(f);
    bool first = election->state == ELECTION_UNKNOWN ||
                 (election->state == ELECTION_DENIED && !election->directory_known);
    bool seen = first || election->state == ELECTION_ABSENT;
    struct candidate *holder = election->candidate_count > 0 ? election->candidates[0] : NULL;
    election->directory = *stat;
    election->directory_known = true;
    election->problem = NULL;

    if (holder && holder->stat.czxid == stat->czxid && holder->stat.ctime_ms == stat->ctime_ms) {
        leadership_kept(f);
        read_holder(f, holder, stat, node);
    } else if (holder) {
        replaced(f, holder, stat, node);
    } else {
        holder = holder_new(f);
        if (!holder) {
            fold_out_of_memory(f);
            return;
        }
        read_holder(f, holder, stat, node);
        if (seen)
            fold_tell(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
        if (first) {
            leadership_found(f, holder);
        } else {
            holder->joined_seen = true;
            election->counters.joined++;
            fold_tell_candidate(f, EVENT_CANDIDATE_JOINED, holder, 1);
            leadership_won(f, holder);
            failover_case_gone_by(f, stat->czxid);
            fold_state(f, ELECTION_LED);
            tell_holder(f, stat, node);
        }
    }
    fold_state(f, ELECTION_LED);
    acknowledge_update(f);
    election->listed = f->at;
    fold_fresh(f);
}

void fold_lock_absent(const struct fold *f)
{
    struct election *election = f->election;
    struct candidate *holder = election->candidate_count > 0 ? election->candidates[0] : NULL;
    if (election->state == ELECTION_UNKNOWN ||
        (election->state == ELECTION_DENIED && !election->directory_known))
        fold_tell(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
    if (holder) {
        roster_take(election, holder);
        election->counters.left++;
        leadership_lost(f, holder, election->fresh);
        fold_state(f, ELECTION_VACANT);
        fold_tell_candidate(f, EVENT_LEADER_LOST, holder, 1);
        fold_tell_candidate(f, EVENT_CANDIDATE_LEFT, holder, 1);
        candidate_free(holder);
    } else {
        leadership_vacant(f);
    }
    election->problem = NULL;
    fold_state(f, ELECTION_VACANT);
    if (election->lapsed) /* somebody may have held it meanwhile */
        fold_state_found(f);
    election->listed = f->at;
    fold_fresh(f);
}

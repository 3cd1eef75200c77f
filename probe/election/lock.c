#include "probe/election/lock.h"

#include <string.h>

#include "probe/election/acknowledge.h"
#include "probe/election/election_life.h"
#include "probe/election/failover_case.h"
#include "probe/election/update.h"
#include "probe/election/leadership.h"
#include "probe/election/name_hash.h"
#include "probe/election/roster.h"
#include "probe/election/candidate_node.h"

bool update_is_lock(const struct update *f, const struct znode_stat *stat)
{
    const struct election *election = f->election;
    if (election->recipe && election->recognised == RECOGNISED_CONFIGURED)
        return election->recipe->family == FAMILY_LOCK;
    return stat->owner != 0;
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
    uint32_t hash = name_hash(name, strlen(name), election->hash_seed);
    if (!roster_reserve(election, 1))
        return NULL;
    struct candidate *holder = candidate_node_new(f, name, hash);
    if (!holder)
        return NULL;
    struct candidate *placed = holder;
    roster_index(election, holder);
    roster_add(election, &placed, 1);
    roster_unqueue(election, holder); /* the source reads it as the election's own znode */
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
    update_tell_elected_read(f, lock_is_whole(stat, node));
}

/* A list shows that it is there, perhaps just before its data comes, which the source is asking for. */
static void tell_holder(const struct update *f, const struct znode_stat *stat,
                        const struct observed_node *node)
{
    f->election->leader_untold = true;
    update_tell_elected_read(f, lock_is_whole(stat, node));
    leadership_read(f);
}

/* Another holder than the one we knew: its end and the new one's beginning went unseen. */
static void replaced(const struct update *f, struct candidate *old, const struct znode_stat *stat,
                     const struct observed_node *node)
{
    struct election *election = f->election;
    leadership_lost(f, old, false);
    election->lost_after = election->fresh ? election->listed : election->stale_since;
    update_state(f, ELECTION_ELECTING);
    update_tell_candidate(f, EVENT_LEADER_LOST, old, 1);
    election->counters.unseen_left++;
    election->counters.unseen_joined++;
    update_tell(f, &(struct event){.kind = EVENT_UNSEEN, .unseen_joined = 1, .unseen_left = 1});
    roster_take(election, old);
    candidate_free(old);

    struct candidate *holder = holder_new(f);
    if (!holder) {
        update_out_of_memory(f);
        return;
    }
    read_holder(f, holder, stat, node);
    leadership_won(f, holder);
    failover_case_gone_by(f, stat->czxid);
    election->leader_since = election->lost_after;
    election->leader_since_exact = false;
    update_state(f, ELECTION_LED);
    tell_holder(f, stat, node);
}

void update_lock(const struct update *f, const struct znode_stat *stat, const struct observed_node *node)
{
    struct election *election = f->election;
    lock_recognise(f);
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
            update_out_of_memory(f);
            return;
        }
        read_holder(f, holder, stat, node);
        if (seen)
            update_tell(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
        if (first) {
            leadership_found(f, holder);
        } else {
            holder->joined_seen = true;
            election->counters.joined++;
            update_tell_candidate(f, EVENT_CANDIDATE_JOINED, holder, 1);
            leadership_won(f, holder);
            failover_case_gone_by(f, stat->czxid);
            update_state(f, ELECTION_LED);
            tell_holder(f, stat, node);
        }
    }
    update_state(f, ELECTION_LED);
    acknowledge_update(f);
    election->listed = f->at;
    update_fresh(f);
}

void update_lock_absent(const struct update *f)
{
    struct election *election = f->election;
    struct candidate *holder = election->candidate_count > 0 ? election->candidates[0] : NULL;
    if (election->state == ELECTION_UNKNOWN ||
        (election->state == ELECTION_DENIED && !election->directory_known))
        update_tell(f, &(struct event){.kind = EVENT_ELECTION_SEEN});
    if (holder) {
        roster_take(election, holder);
        election->counters.left++;
        leadership_lost(f, holder, election->fresh);
        update_state(f, ELECTION_VACANT);
        update_tell_candidate(f, EVENT_LEADER_LOST, holder, 1);
        update_tell_candidate(f, EVENT_CANDIDATE_LEFT, holder, 1);
        candidate_free(holder);
    } else {
        leadership_vacant(f);
    }
    election->problem = NULL;
    update_state(f, ELECTION_VACANT);
    if (election->lapsed) /* it may have had a holder meanwhile */
        update_state_found(f);
    election->listed = f->at;
    update_fresh(f);
}

#include "probe/election/acknowledgement.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/baseline.h"
#include "probe/election/candidate_node.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/registry.h"
#include "probe/election/transactions.h"
#include "probe/election/update.h"

/* Once all entries are read; one pass, since entries come in bursts. */
static void name_candidates(const struct update *f)
{
    struct election *election = f->election;
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *candidate = election->candidates[i];
        bool member = registry_member(election, candidate->stat.owner) != NULL;
        if (!candidate->known ||
            (!member && candidate->identity && candidate->identity_source > IDENTITY_REGISTRY))
            continue;
        const char *registered = registry_identity(election, candidate->stat.owner);
        if (!registered || (candidate->identity && strcmp(candidate->identity, registered) == 0))
            continue;
        candidate_node_identify(f, candidate);
        update_touched(f);
        if (candidate == election->leader)
            leadership_read(f);
    }
}

/* Its acknowledgement may say who it is. */
static void name_leader(const struct update *f)
{
    struct election *election = f->election;
    struct candidate *leader = election->candidate_count > 0 ? election->candidates[0] : NULL;
    bool named = leader && leader->identity && leader->identity_source > IDENTITY_CLIENT;
    if (!leader || !leader->known || named || !candidate_acknowledges(election, leader))
        return;
    candidate_node_identify(f, leader);
    update_touched(f);
    leadership_read(f);
}

static void registry_settled(const struct update *f)
{
    if (registry_complete(f->election))
        name_candidates(f);
    acknowledge_update(f);
}

static void read_registry(const struct update *f, const struct observed_children *list)
{
    struct registry *registry = registry_of(f->election, false);
    registry_list(registry, list, f->election->hash_seed);
    f->election->mark_known = true;
    f->election->mark_present = list->count > 0;
    f->election->mark_denied = f->election->mark_unread = false;
    registry_settled(f);
}

static void lose_registry(const struct update *f)
{
    struct registry *registry = registry_of(f->election, false);
    registry_lose(registry);
    f->election->mark_known = true;
    f->election->mark_present = f->election->mark_unread = false;
    acknowledge_update(f);
}

static void keep_mark_data(struct election *election, const void *data, size_t length)
{
    if (length > CANDIDATE_DATA_KEPT)
        length = CANDIDATE_DATA_KEPT;
    free(election->mark_data);
    free(election->mark_identity);
    election->mark_identity = identity_from_data(data, length);
    election->mark_data = length ? xmemdup(data, length) : NULL;
    election->mark_data_length = length;
}

static void mark_node(const struct update *f, const struct observed_node *node)
{
    struct election *election = f->election;
    bool same = election->mark_known && election->mark_present &&
                election->mark_stat.mzxid == node->stat->mzxid &&
                election->mark_stat.owner == node->stat->owner;
    election->mark_known = election->mark_present = true;
    election->mark_denied = election->mark_unread = false;
    election->mark_stat = *node->stat;
    if (node->has_data || node->stat->data_length == 0) {
        keep_mark_data(election, node->data, node->has_data ? node->data_length : 0);
        election->mark_data_mzxid = node->stat->mzxid;
    }
    if (!same) {
        transactions_note(&election->cluster->transactions, node->stat->mzxid, 0, false);
        update_touched(f);
    }
    acknowledge_update(f);
}

static void mark_absent(const struct update *f)
{
    struct election *election = f->election;
    if (!election->mark_known || election->mark_present)
        update_touched(f);
    election->mark_known = true;
    election->mark_present = election->mark_denied = election->mark_unread = false;
    keep_mark_data(election, "", 0);
    election->mark_data_mzxid = 0;
    acknowledge_update(f);
}

void update_mark_unread(const struct update *f)
{
    f->election->mark_unread = true;
    acknowledge_update(f);
    update_touched(f);
}

void update_parent_data(const struct update *f, const struct observed_node *node)
{
    if (f->election->mark_place != MARK_PARENT_DATA || !node || !node->has_data)
        return;
    mark_node(f, node);
    if (node->data_length == 0)
        mark_absent(f);
}

static const char *child_of(const char *directory, const char *path)
{
    size_t length = strlen(directory);
    if (strncmp(directory, path, length) != 0 || path[length] != '/' || strchr(path + length + 1, '/'))
        return NULL;
    return path + length + 1;
}

/* Who the members are; several entries come in a burst. */
static bool update_members(const struct update *f, const struct observation *o)
{
    struct election *election = f->election;
    if (!election->members_path)
        return false;
    const char *entry = child_of(election->members_path, o->path);
    bool itself = strcmp(o->path, election->members_path) == 0;
    if (!itself && !entry)
        return false;
    struct registry *members = registry_of(election, true);
    registry_names_members(members, election->recipe->members && election->recipe->members[0] == '=');
    if (itself && o->kind == OBSERVED_CHILDREN) {
        registry_list(members, &o->children, election->hash_seed);
    } else if (itself && o->kind == OBSERVED_ABSENT) {
        registry_lose(members);
    } else if (entry) {
        registry_entry(members, entry, election->hash_seed, o->kind == OBSERVED_NODE ? &o->node : NULL);
    }
    if (registry_unread(members) == 0) {
        name_candidates(f);
        registry_list_members(election);
    }
    update_touched(f);
    return true;
}

static bool update_further_mark(const struct update *f, const struct observation *o)
{
    for (size_t i = 0; i < FURTHER_MARKS; i++) {
        struct further_mark *mark = &f->election->further_marks[i];
        if (!mark->path || strcmp(o->path, mark->path) != 0)
            continue;
        mark->known = o->kind == OBSERVED_NODE || o->kind == OBSERVED_ABSENT;
        mark->present = o->kind == OBSERVED_NODE;
        mark->owner = mark->present ? o->node.stat->owner : 0;
        acknowledge_update(f);
        return true;
    }
    return false;
}

bool update_mark(const struct update *f, const struct observation *o)
{
    struct election *election = f->election;
    if (update_further_mark(f, o) || update_members(f, o))
        return true;
    const char *registry = election->registry_path, *mark = election->mark_path;
    if (registry && strcmp(o->path, registry) == 0) {
        if (o->kind == OBSERVED_CHILDREN)
            read_registry(f, &o->children);
        else if (o->kind == OBSERVED_ABSENT)
            lose_registry(f);
        else if (o->kind == OBSERVED_DENIED) {
            election->mark_denied = true;
            acknowledge_update(f);
        }
        return true;
    }
    const char *entry = registry ? child_of(registry, o->path) : NULL;
    if (entry) {
        if (registry_entry(election->registry, entry, election->hash_seed,
                           o->kind == OBSERVED_NODE ? &o->node : NULL))
            registry_settled(f);
        return true;
    }
    if (!mark || election->mark_place != MARK_NODE || strcmp(o->path, mark) != 0)
        return false;
    if (o->kind == OBSERVED_NODE)
        mark_node(f, &o->node);
    else if (o->kind == OBSERVED_ABSENT)
        mark_absent(f);
    else if (o->kind == OBSERVED_DENIED) {
        election->mark_denied = true;
        election->mark_known = false;
        acknowledge_update(f);
        update_touched(f);
    }
    return true;
}

enum contained { NOWHERE, WITHIN_A_WORD, AS_A_WORD };

static bool is_of_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* "host-10" does not name "host-1"; the byte before the text may be a binary length. */
static enum contained contains(const unsigned char *data, size_t length, const char *text)
{
    size_t wanted = strlen(text);
    enum contained found = NOWHERE;
    for (size_t i = 0; wanted > 0 && i + wanted <= length && found != AS_A_WORD; i++)
        if (memcmp(data + i, text, wanted) == 0)
            found = i + wanted == length || !is_of_word(data[i + wanted]) ? AS_A_WORD : WITHIN_A_WORD;
    return found;
}

/* Who wrote a mark that belongs to no session: its data is the leader's own, or names it. */
static enum acknowledged by_data(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (leader->data_length > 0 && leader->data_length == election->mark_data_length &&
        memcmp(leader->data, election->mark_data, leader->data_length) == 0)
        return ACK_YES;
    if (contains(election->mark_data, election->mark_data_length, leader->name) != NOWHERE)
        return ACK_YES;
    if (!leader->identity)
        return leader->data_length > 0 ? ACK_NO : ACK_UNKNOWN;
    if (election->mark_identity && strcmp(election->mark_identity, leader->identity) == 0)
        return ACK_YES;
    enum contained named = contains(election->mark_data, election->mark_data_length, leader->identity);
    if (named == AS_A_WORD)
        return ACK_YES;
    /* The text may be further on; and the meaning of a longer word among others is unknown. */
    bool all_kept = election->mark_stat.data_length <= CANDIDATE_DATA_KEPT;
    bool one_word =
        election->mark_identity && strcspn(election->mark_identity, " ,;") == election->mark_data_length;
    return all_kept && (named == NOWHERE || one_word) ? ACK_NO : ACK_UNKNOWN;
}

static enum acknowledged by_mark(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (!election->mark_path)
        return ACK_NO_MARK;
    if (election->mark_unread)
        return ACK_UNKNOWN;
    if (election->mark_place == MARK_REGISTRY) {
        const struct registry *registry = election->registry;
        if (!registry_is_listed(registry) || election->mark_denied)
            return ACK_UNKNOWN;
        /* The recipe may be used without its registry. */
        if (registry_is_absent(registry) && !election->mark_configured)
            return ACK_NO_MARK;
        if (!leader || !leader->known)
            return ACK_UNKNOWN;
        if (registry_holds(registry, leader->stat.owner))
            return ACK_YES;
        return registry_unread(registry) == 0 ? ACK_NO : ACK_UNKNOWN;
    }
    if (!leader || !election->mark_known)
        return ACK_UNKNOWN;
    if (!election->mark_present)
        return ACK_NO;
    if (!leader->known)
        return ACK_UNKNOWN;
    if (election->mark_place == MARK_NODE && election->mark_stat.owner != 0)
        return election->mark_stat.owner == leader->stat.owner ? ACK_YES : ACK_NO;
    if (election->mark_data_mzxid != election->mark_stat.mzxid)
        return election->acknowledged == ACK_NO_MARK ? ACK_UNKNOWN : election->acknowledged;
    return by_data(election);
}

/* A layout whose leader writes several has acknowledged with the last of them. */
static enum acknowledged by_further_marks(const struct election *election)
{
    const struct candidate *leader = election->leader;
    for (size_t i = 0; i < FURTHER_MARKS; i++) {
        const struct further_mark *mark = &election->further_marks[i];
        if (!mark->path)
            continue;
        if (!mark->known || !leader->known)
            return ACK_UNKNOWN;
        if (!mark->present || mark->owner != leader->stat.owner)
            return ACK_NO;
    }
    return ACK_YES;
}

/* The session of this member has written it. */
static bool is_members(const struct election *election, const struct candidate *c)
{
    if (!c->known || c->stat.owner == 0 || !election->mark_known)
        return false;
    if (election->mark_place == MARK_REGISTRY)
        return registry_is_listed(election->registry) && registry_holds(election->registry, c->stat.owner);
    return election->mark_present && election->mark_place == MARK_NODE &&
           c->stat.owner == election->mark_stat.owner;
}

/* A member is known to own it, or the leader to have written it: this layout has it. */
static bool is_proved(const struct election *election, enum acknowledged now)
{
    if (now == ACK_YES)
        return true;
    for (size_t i = 0; i < election->candidate_count; i++)
        if (is_members(election, election->candidates[i]))
            return true;
    return false;
}

/* What one election of the cluster shows of the layout's version holds for the others. */
static bool is_proved_elsewhere(const struct election *election)
{
    const struct recipe *const *proved = election->cluster->marks_proved;
    for (size_t i = 0; i < sizeof election->cluster->marks_proved / sizeof *proved && proved[i]; i++)
        if (proved[i] == election->recipe)
            return true;
    return false;
}

static void prove_everywhere(const struct update *f)
{
    struct cluster *cluster = f->election->cluster;
    const size_t room = sizeof cluster->marks_proved / sizeof *cluster->marks_proved;
    size_t at = 0;
    while (at < room && cluster->marks_proved[at])
        at++;
    if (at == room || is_proved_elsewhere(f->election))
        return;
    cluster->marks_proved[at] = f->election->recipe;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *other = cluster->elections[i];
        if (other != f->election && other->recipe == f->election->recipe && other->mark_doubted)
            acknowledge_update(&(struct update){f->model, other, f->at});
    }
}

static enum acknowledged acknowledge_judge(struct election *election)
{
    election->mark_doubted = false;
    enum acknowledged now = by_mark(election);
    bool doubtful = !election->mark_configured && !election->mark_proved;
    if (doubtful && (now == ACK_YES || now == ACK_NO))
        election->mark_proved = is_proved(election, now) || is_proved_elsewhere(election);
    if (now == ACK_YES)
        return by_further_marks(election);
    /* Not there, and never seen: another version of the layout may do without it. */
    bool missing = election->mark_place == MARK_REGISTRY || !election->mark_present;
    election->mark_doubted =
        election->recipe && now == ACK_NO && missing && doubtful && !election->mark_proved;
    return election->mark_doubted && recipe_mark_varies(election->recipe) ? ACK_UNKNOWN : now;
}

void acknowledge_update(const struct update *f)
{
    struct election *election = f->election;
    bool was_missing = election->acknowledged == ACK_NO || election->mark_doubted;
    bool was_proved = election->mark_proved;
    name_leader(f);
    enum acknowledged before = election->acknowledged, now = acknowledge_judge(election);
    if (election->mark_proved && !was_proved) {
        update_touched(f);
        if (election->recipe)
            prove_everywhere(f);
    }
    if (before == now)
        return;
    election->acknowledged = now;
    if (now == ACK_NO) {
        election->unacknowledged_since = baseline_unacknowledged(f);
        election->unacknowledged_found = before != ACK_YES;
    }
    update_touched(f);
    struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    bool elected = leader && change->to && strcmp(change->to, leader->name) == 0;
    if (now != ACK_YES || !(was_missing || elected))
        return;
    struct event event = {.kind = EVENT_LEADER_ACKNOWLEDGED,
                          .candidate = leader->name,
                          .identity = leader->identity,
                          .position = 1,
                          .after_us = -1};
    if (election->leader_since_exact)
        event.after_us = f->at.mono_us - election->leader_since.mono_us;
    if (elected && change->takeover_us < 0)
        change->takeover_us = event.after_us;
    update_tell(f, &event);
}

void acknowledge_member(const struct update *f, const struct candidate *member)
{
    if (!f->election->mark_proved && is_members(f->election, member))
        acknowledge_update(f);
}

int64_t acknowledge_time_us(const struct election *election)
{
    if (election->acknowledged != ACK_YES || !election->mark_present)
        return 0;
    /* A registry has none. An ephemeral one was its leader's from the beginning; others are overwritten. */
    const struct znode_stat *stat = &election->mark_stat;
    return (stat->owner != 0 ? stat->ctime_ms : stat->mtime_ms) * 1000;
}

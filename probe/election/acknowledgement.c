#include "probe/election/acknowledgement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/baseline.h"
#include "probe/election/candidate_node.h"
#include "probe/election/election_private.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/registry.h"
#include "probe/election/known_transactions.h"
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
    registry_list(registry, list, f->election->own->hash_seed);
    f->election->ack_known = true;
    f->election->ack_present = list->count > 0;
    f->election->own->ack_denied = f->election->own->ack_unread = false;
    registry_settled(f);
}

static void lose_registry(const struct update *f)
{
    struct registry *registry = registry_of(f->election, false);
    registry_lose(registry);
    f->election->ack_known = true;
    f->election->ack_present = f->election->own->ack_unread = false;
    acknowledge_update(f);
}

static void keep_ack_data(struct election *election, const void *data, size_t length)
{
    if (length > CANDIDATE_DATA_KEPT)
        length = CANDIDATE_DATA_KEPT;
    free(election->own->ack_data);
    free(election->ack_identity);
    election->ack_identity = identity_from_data(data, length);
    election->own->ack_data = length ? xmemdup(data, length) : NULL;
    election->own->ack_data_length = length;
}

/* An ephemeral acknowledgement that returns to a session that had lost it: both sessions live, and each believes
   that it leads. */
static void note_owner(const struct update *f, uint64_t owner)
{
    struct ack_contest *contest = &f->election->own->ack_contest;
    if (owner == 0 || owner == contest->owner || !f->election->leader)
        return;
    if (owner == contest->rival) {
        contest->returned++;
        contest->latest[1] = contest->latest[0];
        contest->latest[0] = f->at;
    }
    contest->rival = contest->owner;
    contest->rival_says = contest->says;
    contest->owner = owner;
    contest->says = 0;
}

void acknowledge_lost(struct election *election)
{
    election->own->ack_contest = (struct ack_contest){0};
}

static void ack_node(const struct update *f, const struct observed_node *node)
{
    struct election *election = f->election;
    bool same = election->ack_known && election->ack_present &&
                election->ack_stat.mzxid == node->stat->mzxid &&
                election->ack_stat.owner == node->stat->owner;
    election->ack_known = election->ack_present = true;
    election->own->ack_denied = election->own->ack_unread = false;
    election->ack_stat = *node->stat;
    note_owner(f, node->stat->owner);
    if (node->has_data || node->stat->data_length == 0) {
        keep_ack_data(election, node->data, node->has_data ? node->data_length : 0);
        election->own->ack_data_mzxid = node->stat->mzxid;
        const char *says = election->ack_identity;
        election->own->ack_contest.says = says ? hash_bytes(says, strlen(says), 1) | 1 : 0;
    }
    if (!same) {
        known_transactions_note(&election->cluster->transactions, node->stat->mzxid, 0, false);
        update_touched(f);
    }
    acknowledge_update(f);
}

static void ack_absent(const struct update *f)
{
    struct election *election = f->election;
    if (!election->ack_known || election->ack_present)
        update_touched(f);
    election->ack_known = true;
    election->ack_present = election->own->ack_denied = election->own->ack_unread = false;
    keep_ack_data(election, "", 0);
    election->own->ack_data_mzxid = 0;
    acknowledge_update(f);
}

void update_ack_unread(const struct update *f)
{
    f->election->own->ack_unread = true;
    acknowledge_update(f);
    update_touched(f);
}

void update_parent_data(const struct update *f, const struct observed_node *node)
{
    if (f->election->ack_place != ACK_PLACE_PARENT_DATA || !node || !node->has_data)
        return;
    ack_node(f, node);
    if (node->data_length == 0)
        ack_absent(f);
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
        registry_list(members, &o->children, election->own->hash_seed);
    } else if (itself && o->kind == OBSERVED_ABSENT) {
        registry_lose(members);
    } else if (entry) {
        registry_entry(members, entry, election->own->hash_seed, o->kind == OBSERVED_NODE ? &o->node : NULL);
    }
    if (registry_unread(members) == 0) {
        name_candidates(f);
        registry_list_members(election);
    }
    update_touched(f);
    return true;
}

static bool update_further_ack(const struct update *f, const struct observation *o)
{
    for (size_t i = 0; i < FURTHER_ACKS; i++) {
        struct further_ack *ack = &f->election->own->further_acks[i];
        if (!ack->path || strcmp(o->path, ack->path) != 0)
            continue;
        ack->known = o->kind == OBSERVED_NODE || o->kind == OBSERVED_ABSENT;
        ack->present = o->kind == OBSERVED_NODE;
        ack->owner = ack->present ? o->node.stat->owner : 0;
        acknowledge_update(f);
        return true;
    }
    return false;
}

bool update_ack(const struct update *f, const struct observation *o)
{
    struct election *election = f->election;
    if (update_further_ack(f, o) || update_members(f, o))
        return true;
    const char *registry = election->registry_path, *ack = election->ack_path;
    if (registry && strcmp(o->path, registry) == 0) {
        if (o->kind == OBSERVED_CHILDREN)
            read_registry(f, &o->children);
        else if (o->kind == OBSERVED_ABSENT)
            lose_registry(f);
        else if (o->kind == OBSERVED_DENIED) {
            election->own->ack_denied = true;
            acknowledge_update(f);
        }
        return true;
    }
    const char *entry = registry ? child_of(registry, o->path) : NULL;
    if (entry) {
        if (registry_entry(election->own->registry, entry, election->own->hash_seed,
                           o->kind == OBSERVED_NODE ? &o->node : NULL))
            registry_settled(f);
        return true;
    }
    if (!ack || election->ack_place != ACK_PLACE_NODE || strcmp(o->path, ack) != 0)
        return false;
    if (o->kind == OBSERVED_NODE)
        ack_node(f, &o->node);
    else if (o->kind == OBSERVED_ABSENT)
        ack_absent(f);
    else if (o->kind == OBSERVED_DENIED) {
        election->own->ack_denied = true;
        election->ack_known = false;
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

/* A serialised object names a member, or in no way that is known. */
static enum acknowledged by_java(const struct election *election)
{
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        if (c->identity &&
            identity_in_java(election->own->ack_data, election->own->ack_data_length, c->identity))
            return c == election->leader ? ACK_YES : ACK_NO;
    }
    return ACK_UNKNOWN;
}

/* Who is known by an address alone, or by a word that may be a role, may write another name: only that of another
   candidate contradicts it. */
static bool names_another(const struct election *election)
{
    bool another = false;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const char *identity = election->candidates[i]->identity;
        another = another ||
                  (identity && election->candidates[i] != election->leader &&
                   contains(election->own->ack_data, election->own->ack_data_length, identity) == AS_A_WORD);
    }
    return another;
}

/* Who wrote an acknowledgement that belongs to no session: its data is the leader's own, or names it. */
static enum acknowledged by_data(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (leader->data_length > 0 && leader->data_length == election->own->ack_data_length &&
        memcmp(leader->data, election->own->ack_data, leader->data_length) == 0)
        return ACK_YES;
    if (contains(election->own->ack_data, election->own->ack_data_length, leader->name) != NOWHERE)
        return ACK_YES;
    if (identity_is_java(election->own->ack_data, election->own->ack_data_length))
        return by_java(election);
    if (!leader->identity)
        return leader->data_length > 0 && !election->own->shared_word ? ACK_NO : ACK_UNKNOWN;
    if (election->ack_identity && strcmp(election->ack_identity, leader->identity) == 0)
        return ACK_YES;
    enum contained named =
        contains(election->own->ack_data, election->own->ack_data_length, leader->identity);
    if (named == AS_A_WORD)
        return ACK_YES;
    /* The text may be further on; and the meaning of a longer word among others is unknown. */
    bool all_kept = election->ack_stat.data_length <= CANDIDATE_DATA_KEPT;
    bool one_word =
        election->ack_identity && strcspn(election->ack_identity, " ,;") == election->own->ack_data_length;
    bool may_differ = leader->identity_source == IDENTITY_CLIENT ||
                      (leader->identity_source == IDENTITY_DATA && identity_is_word(leader->identity));
    bool another = may_differ ? names_another(election) : named == NOWHERE || one_word;
    return all_kept && another ? ACK_NO : ACK_UNKNOWN;
}

static enum acknowledged by_ack(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (!election->ack_path)
        return ACK_NOT_USED;
    if (election->own->ack_unread)
        return ACK_UNKNOWN;
    if (election->ack_place == ACK_PLACE_REGISTRY) {
        const struct registry *registry = election->own->registry;
        if (!registry_is_listed(registry) || election->own->ack_denied)
            return ACK_UNKNOWN;
        /* The recipe may be used without its registry. */
        if (registry_is_absent(registry) && !election->own->ack_configured)
            return ACK_NOT_USED;
        if (!leader || !leader->known)
            return ACK_UNKNOWN;
        if (registry_holds(registry, leader->stat.owner))
            return ACK_YES;
        return registry_unread(registry) == 0 ? ACK_NO : ACK_UNKNOWN;
    }
    if (!leader || !election->ack_known)
        return ACK_UNKNOWN;
    if (!election->ack_present)
        return ACK_NO;
    if (!leader->known)
        return ACK_UNKNOWN;
    if (election->ack_place == ACK_PLACE_NODE && election->ack_stat.owner != 0)
        return election->ack_stat.owner == leader->stat.owner ? ACK_YES : ACK_NO;
    if (election->own->ack_data_mzxid != election->ack_stat.mzxid)
        return election->acknowledged == ACK_NOT_USED ? ACK_UNKNOWN : election->acknowledged;
    return by_data(election);
}

/* A layout whose leader writes several has acknowledged with the last of them. */
static enum acknowledged by_further_acks(const struct election *election)
{
    const struct candidate *leader = election->leader;
    for (size_t i = 0; i < FURTHER_ACKS; i++) {
        const struct further_ack *ack = &election->own->further_acks[i];
        if (!ack->path)
            continue;
        if (!ack->known || !leader->known)
            return ACK_UNKNOWN;
        if (!ack->present || ack->owner != leader->stat.owner)
            return ACK_NO;
    }
    return ACK_YES;
}

/* The session of this member has written it. */
static bool is_members(const struct election *election, const struct candidate *c)
{
    if (!c->known || c->stat.owner == 0 || !election->ack_known)
        return false;
    if (election->ack_place == ACK_PLACE_REGISTRY)
        return registry_is_listed(election->own->registry) &&
               registry_holds(election->own->registry, c->stat.owner);
    return election->ack_present && election->ack_place == ACK_PLACE_NODE &&
           c->stat.owner == election->ack_stat.owner;
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
    const struct recipe *const *proved = election->cluster->acks_proved;
    for (size_t i = 0; i < sizeof election->cluster->acks_proved / sizeof *proved && proved[i]; i++)
        if (proved[i] == election->recipe)
            return true;
    return false;
}

static void prove_everywhere(const struct update *f)
{
    struct cluster *cluster = f->election->cluster;
    const size_t room = sizeof cluster->acks_proved / sizeof *cluster->acks_proved;
    size_t at = 0;
    while (at < room && cluster->acks_proved[at])
        at++;
    if (at == room || is_proved_elsewhere(f->election))
        return;
    cluster->acks_proved[at] = f->election->recipe;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *other = cluster->elections[i];
        if (other != f->election && other->recipe == f->election->recipe && other->own->ack_doubted)
            acknowledge_update(&(struct update){f->model, other, f->at});
    }
}

static enum acknowledged acknowledge_judge(struct election *election)
{
    election->own->ack_doubted = false;
    enum acknowledged now = by_ack(election);
    bool doubtful = !election->own->ack_configured && !election->own->ack_proved;
    if (doubtful && (now == ACK_YES || now == ACK_NO))
        election->own->ack_proved = is_proved(election, now) || is_proved_elsewhere(election);
    if (now == ACK_YES)
        return by_further_acks(election);
    /* Not there, and never seen: another version of the layout may do without it. */
    bool missing = election->ack_place == ACK_PLACE_REGISTRY || !election->ack_present;
    election->own->ack_doubted =
        election->recipe && now == ACK_NO && missing && doubtful && !election->own->ack_proved;
    return election->own->ack_doubted && recipe_ack_varies(election->recipe) ? ACK_UNKNOWN : now;
}

/* A leader from which the acknowledgement is taken again and again is reported once a second. */
#define REPORTED_EVERY_US 1000000

static void report_acknowledged(const struct update *f)
{
    struct election *election = f->election;
    struct ack_contest *contest = &election->own->ack_contest;
    struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    if (contest->reported.mono_us != 0 && f->at.mono_us - contest->reported.mono_us < REPORTED_EVERY_US) {
        contest->unreported++;
        return;
    }
    char more[64];
    snprintf(more, sizeof more, "%u more time%s since the last such event", contest->unreported,
             contest->unreported == 1 ? "" : "s");
    struct event event = {.kind = EVENT_LEADER_ACKNOWLEDGED,
                          .candidate = leader->name,
                          .identity = leader->identity,
                          .position = 1,
                          .detail = contest->unreported ? more : NULL,
                          .after_us = -1};
    if (election->leader_since_exact)
        event.after_us = f->at.mono_us - election->leader_since.mono_us;
    bool follows = change->to
                       ? strcmp(change->to, leader->name) == 0
                       : change->from && election->own->denied.mono_us != 0; /* too late to be believed */
    if (follows && change->takeover_us < 0)
        change->takeover_us = event.after_us;
    contest->reported = f->at;
    contest->unreported = 0;
    update_emit(f, &event);
}

void acknowledge_update(const struct update *f)
{
    struct election *election = f->election;
    bool was_missing = election->acknowledged == ACK_NO || election->own->ack_doubted;
    bool was_proved = election->own->ack_proved;
    name_leader(f);
    enum acknowledged before = election->acknowledged, now = acknowledge_judge(election);
    if (election->own->ack_proved && !was_proved) {
        update_touched(f);
        if (election->recipe)
            prove_everywhere(f);
    }
    if (before == now)
        return;
    election->acknowledged = now;
    if (now == ACK_NO) {
        election->unacknowledged_since = baseline_unacknowledged(f);
        election->own->unacknowledged_found = before != ACK_YES;
    }
    update_touched(f);
    const struct candidate *leader = election->leader;
    /* A recording may hold it already. */
    bool elected = leader && election->change.to && strcmp(election->change.to, leader->name) == 0 &&
                   election->change.takeover_us < 0;
    if (now == ACK_YES && (was_missing || elected))
        report_acknowledged(f);
}

void acknowledge_member(const struct update *f, const struct candidate *member)
{
    if (!f->election->own->ack_proved && is_members(f->election, member))
        acknowledge_update(f);
}

int64_t acknowledge_time_us(const struct election *election)
{
    if (election->acknowledged != ACK_YES || !election->ack_present)
        return 0;
    /* A registry has none. An ephemeral one was its leader's from the beginning; others are overwritten. */
    const struct znode_stat *stat = &election->ack_stat;
    return stat->owner != 0 ? cluster_stat_us(election->cluster, stat->czxid, stat->ctime_ms)
                            : cluster_stat_us(election->cluster, stat->mzxid, stat->mtime_ms);
}

#include "probe/election/marks.h"

#include <stdlib.h>
#include <string.h>

#include "probe/election/acknowledge.h"
#include "probe/election/update.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/registry.h"
#include "probe/election/candidate_node.h"
#include "probe/election/transactions.h"

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
        candidate_node_identify(election, candidate);
        update_touched(f);
        if (candidate == election->leader)
            leadership_read(f);
    }
}

static void registry_settled(const struct update *f)
{
    if (registry_complete(f->election))
        name_candidates(f);
    acknowledge_update(f);
}

static struct registry *registry_needed(const struct update *f)
{
    struct registry *registry = registry_of(f->election, false);
    if (!registry)
        update_out_of_memory(f);
    return registry;
}

static void read_registry(const struct update *f, const struct observed_children *list)
{
    struct registry *registry = registry_needed(f);
    if (!registry)
        return;
    if (!registry_list(registry, list, f->election->hash_seed)) {
        update_out_of_memory(f);
        return;
    }
    f->election->mark_known = true;
    f->election->mark_present = list->count > 0;
    f->election->mark_denied = f->election->mark_unread = false;
    registry_settled(f);
}

static void lose_registry(const struct update *f)
{
    struct registry *registry = registry_needed(f);
    if (!registry)
        return;
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
    election->mark_data_length = 0;
    election->mark_data = length ? malloc(length) : NULL;
    if (election->mark_data) {
        memcpy(election->mark_data, data, length);
        election->mark_data_length = length;
    }
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
    if (!members) {
        update_out_of_memory(f);
        return true;
    }
    registry_names_members(members, election->recipe->members && election->recipe->members[0] == '=');
    if (itself && o->kind == OBSERVED_CHILDREN) {
        if (!registry_list(members, &o->children, election->hash_seed))
            update_out_of_memory(f);
    } else if (itself && o->kind == OBSERVED_ABSENT) {
        registry_lose(members);
    } else if (entry) {
        registry_entry(members, entry, election->hash_seed, o->kind == OBSERVED_NODE ? &o->node : NULL);
    }
    if (registry_unread(members) == 0)
        name_candidates(f);
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

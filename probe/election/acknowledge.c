#include <stdlib.h>
#include <string.h>

#include "probe/election/fold.h"
#include "probe/election/identity.h"
#include "probe/election/roster.h"

/* ---- registries: directories whose ephemeral entries name sessions ---- */

struct entry {
    char *name;
    uint64_t session; /* 0 while not read */
    char *identity;   /* or NULL */
    bool read;
    uint32_t hash, round;
    struct entry *name_next, *session_next;
};

struct registry {
    struct entry **by_name, **by_session;
    size_t bucket_count, count, unread;
    uint32_t round;
    bool listed, absent;
};

static size_t session_bucket(const struct registry *registry, uint64_t session)
{
    return roster_hash((const char *)&session, sizeof session, 0) & (registry->bucket_count - 1);
}

static void session_unlink(struct registry *registry, struct entry *entry)
{
    if (entry->session == 0)
        return;
    struct entry **link = &registry->by_session[session_bucket(registry, entry->session)];
    while (*link && *link != entry)
        link = &(*link)->session_next;
    if (*link)
        *link = entry->session_next;
    entry->session = 0;
}

static void session_link(struct registry *registry, struct entry *entry, uint64_t session)
{
    entry->session = session;
    if (session == 0)
        return;
    struct entry **bucket = &registry->by_session[session_bucket(registry, session)];
    entry->session_next = *bucket;
    *bucket = entry;
}

static struct entry *entry_find(const struct registry *registry, const char *name, uint32_t hash)
{
    if (registry->bucket_count == 0)
        return NULL;
    struct entry *entry = registry->by_name[hash & (registry->bucket_count - 1)];
    while (entry && (entry->hash != hash || strcmp(entry->name, name) != 0))
        entry = entry->name_next;
    return entry;
}

static void entry_free(struct entry *entry)
{
    free(entry->name);
    free(entry->identity);
    free(entry);
}

static bool registry_grow(struct registry *registry, size_t needed)
{
    if (needed <= registry->bucket_count)
        return true;
    size_t larger = registry->bucket_count ? registry->bucket_count : 8;
    while (larger < needed)
        larger *= 2;
    struct entry **by_name = calloc(larger, sizeof(struct entry *));
    struct entry **by_session = calloc(larger, sizeof(struct entry *));
    if (!by_name || !by_session) {
        free(by_name);
        free(by_session);
        return false;
    }
    struct registry old = *registry;
    registry->by_name = by_name;
    registry->by_session = by_session;
    registry->bucket_count = larger;
    for (size_t i = 0; i < old.bucket_count; i++) {
        struct entry *next;
        for (struct entry *entry = old.by_name[i]; entry; entry = next) {
            next = entry->name_next;
            entry->name_next = by_name[entry->hash & (larger - 1)];
            by_name[entry->hash & (larger - 1)] = entry;
            session_link(registry, entry, entry->session);
        }
    }
    free(old.by_name);
    free(old.by_session);
    return true;
}

void registry_free(struct registry *registry)
{
    if (!registry)
        return;
    for (size_t i = 0; i < registry->bucket_count; i++) {
        struct entry *next;
        for (struct entry *entry = registry->by_name[i]; entry; entry = next) {
            next = entry->name_next;
            entry_free(entry);
        }
    }
    free(registry->by_name);
    free(registry->by_session);
    free(registry);
}

bool registry_complete(const struct election *election)
{
    const struct registry *registry = election->registry;
    if (!registry)
        return election->registry_complete;
    return registry->listed && (registry->absent || registry->unread == 0);
}

static const struct entry *entry_of_session(const struct registry *registry, uint64_t session)
{
    if (!registry || registry->bucket_count == 0 || session == 0)
        return NULL;
    const struct entry *entry = registry->by_session[session_bucket(registry, session)];
    while (entry && entry->session != session)
        entry = entry->session_next;
    return entry;
}

const char *registry_identity(const struct election *election, uint64_t session)
{
    const struct entry *entry = entry_of_session(election->registry, session);
    return entry ? entry->identity : NULL;
}

uint64_t registry_session(const struct election *election, const char *identity)
{
    const struct registry *registry = election->registry;
    for (size_t i = 0; registry && i < registry->bucket_count; i++)
        for (const struct entry *entry = registry->by_name[i]; entry; entry = entry->name_next)
            if (entry->session != 0 && entry->identity && strcmp(entry->identity, identity) == 0)
                return entry->session;
    return 0;
}

static struct registry *registry_of(const struct fold *f)
{
    struct election *election = f->election;
    if (!election->registry)
        election->registry = calloc(1, sizeof *election->registry);
    if (!election->registry)
        fold_out_of_memory(f);
    return election->registry;
}

static void registry_drop_missing(struct registry *registry)
{
    for (size_t i = 0; i < registry->bucket_count; i++)
        for (struct entry **link = &registry->by_name[i]; *link;) {
            struct entry *entry = *link;
            if (entry->round == registry->round) {
                link = &entry->name_next;
                continue;
            }
            *link = entry->name_next;
            session_unlink(registry, entry);
            registry->unread -= !entry->read;
            registry->count--;
            entry_free(entry);
        }
}

/* Once all entries are read; one pass, since entries come in bursts. */
static void name_candidates(const struct fold *f)
{
    struct election *election = f->election;
    for (size_t i = 0; i < election->candidate_count; i++) {
        struct candidate *candidate = election->candidates[i];
        if (!candidate->known || (candidate->identity && candidate->identity_source > IDENTITY_REGISTRY))
            continue;
        const char *registered = registry_identity(election, candidate->stat.owner);
        if (!registered || (candidate->identity && strcmp(candidate->identity, registered) == 0))
            continue;
        standing_identify(election, candidate);
        fold_touched(f);
        if (candidate == election->leader)
            leadership_read(f);
    }
}

static void registry_settled(const struct fold *f)
{
    if (registry_complete(f->election))
        name_candidates(f);
    acknowledge_update(f);
}

static void registry_list(const struct fold *f, const struct observed_children *list)
{
    struct registry *registry = registry_of(f);
    if (!registry)
        return;
    registry->round++;
    registry->listed = true;
    registry->absent = false;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        uint32_t hash = roster_hash(name, strlen(name), f->election->hash_seed);
        struct entry *entry = entry_find(registry, name, hash);
        if (!entry) {
            entry = registry_grow(registry, registry->count + 1) ? calloc(1, sizeof *entry) : NULL;
            if (entry && !(entry->name = fold_copy(name))) {
                free(entry);
                entry = NULL;
            }
            if (!entry) {
                fold_out_of_memory(f);
                return;
            }
            entry->hash = hash;
            struct entry **bucket = &registry->by_name[hash & (registry->bucket_count - 1)];
            entry->name_next = *bucket;
            *bucket = entry;
            registry->count++;
            registry->unread++;
        }
        entry->round = registry->round;
    }
    registry_drop_missing(registry);
    f->election->mark_known = true;
    f->election->mark_present = list->count > 0;
    f->election->mark_denied = false;
    registry_settled(f);
}

static void registry_entry(const struct fold *f, const char *name, const struct observed_node *node)
{
    struct registry *registry = f->election->registry;
    struct entry *entry =
        registry ? entry_find(registry, name, roster_hash(name, strlen(name), f->election->hash_seed)) : NULL;
    if (!entry)
        return;
    session_unlink(registry, entry);
    session_link(registry, entry, node ? node->stat->owner : 0);
    if (!node || node->has_data) {
        free(entry->identity);
        size_t length = node ? node->data_length : 0;
        if (length > CANDIDATE_DATA_KEPT)
            length = CANDIDATE_DATA_KEPT;
        entry->identity = node ? identity_from_data(node->data, length) : NULL;
    }
    if (!entry->read) {
        entry->read = true;
        registry->unread--;
    }
    registry_settled(f);
}

/* ---- the mark ---- */

static bool contains(const unsigned char *data, size_t length, const char *text)
{
    size_t wanted = strlen(text);
    for (size_t i = 0; wanted > 0 && i + wanted <= length; i++)
        if (memcmp(data + i, text, wanted) == 0)
            return true;
    return false;
}

/* Who wrote a mark that belongs to no session: its data is the leader's own, or names it. */
static enum acknowledged by_data(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (leader->data_length > 0 && leader->data_length == election->mark_data_length &&
        memcmp(leader->data, election->mark_data, leader->data_length) == 0)
        return ACK_YES;
    if (contains(election->mark_data, election->mark_data_length, leader->name))
        return ACK_YES;
    if (!leader->identity)
        return leader->data_length > 0 ? ACK_NO : ACK_UNKNOWN;
    if (election->mark_identity && strcmp(election->mark_identity, leader->identity) == 0)
        return ACK_YES;
    return contains(election->mark_data, election->mark_data_length, leader->identity) ? ACK_YES : ACK_NO;
}

static enum acknowledged judge(const struct election *election)
{
    const struct candidate *leader = election->leader;
    if (!election->mark_path)
        return ACK_NO_MARK;
    if (election->mark_place == MARK_REGISTRY) {
        const struct registry *registry = election->registry;
        if (!registry || !registry->listed || election->mark_denied)
            return ACK_UNKNOWN;
        /* The recipe may be used without its registry. */
        if (registry->absent && !election->mark_configured)
            return ACK_NO_MARK;
        if (!leader || !leader->known)
            return ACK_UNKNOWN;
        if (entry_of_session(registry, leader->stat.owner))
            return ACK_YES;
        return registry->unread == 0 ? ACK_NO : ACK_UNKNOWN;
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

void acknowledge_update(const struct fold *f)
{
    struct election *election = f->election;
    enum acknowledged before = election->acknowledged, now = judge(election);
    if (before == now)
        return;
    election->acknowledged = now;
    if (now == ACK_NO) {
        election->unacknowledged_since = f->at;
        election->unacknowledged_found = before != ACK_YES;
    }
    fold_touched(f);
    struct change *change = &election->change;
    const struct candidate *leader = election->leader;
    bool elected = leader && change->to && strcmp(change->to, leader->name) == 0;
    if (now != ACK_YES || !(before == ACK_NO || elected))
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
    fold_tell(f, &event);
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

static void mark_node(const struct fold *f, const struct observed_node *node)
{
    struct election *election = f->election;
    bool same = election->mark_known && election->mark_present &&
                election->mark_stat.mzxid == node->stat->mzxid &&
                election->mark_stat.owner == node->stat->owner;
    election->mark_known = election->mark_present = true;
    election->mark_denied = false;
    election->mark_stat = *node->stat;
    if (node->has_data || node->stat->data_length == 0) {
        keep_mark_data(election, node->data, node->has_data ? node->data_length : 0);
        election->mark_data_mzxid = node->stat->mzxid;
    }
    if (!same)
        fold_touched(f);
    acknowledge_update(f);
}

static void mark_absent(const struct fold *f)
{
    struct election *election = f->election;
    if (!election->mark_known || election->mark_present)
        fold_touched(f);
    election->mark_known = true;
    election->mark_present = election->mark_denied = false;
    keep_mark_data(election, "", 0);
    election->mark_data_mzxid = 0;
    acknowledge_update(f);
}

void fold_parent_data(const struct fold *f, const struct observed_node *node)
{
    if (f->election->mark_place != MARK_PARENT_DATA || !node || !node->has_data)
        return;
    mark_node(f, node);
    if (node->data_length == 0)
        mark_absent(f);
}

static void registry_absent(const struct fold *f)
{
    struct registry *registry = registry_of(f);
    if (!registry)
        return;
    registry->round++;
    registry_drop_missing(registry);
    registry->listed = registry->absent = true;
    f->election->mark_known = true;
    f->election->mark_present = false;
    acknowledge_update(f);
}

static const char *child_of(const char *directory, const char *path)
{
    size_t length = strlen(directory);
    if (strncmp(directory, path, length) != 0 || path[length] != '/' || strchr(path + length + 1, '/'))
        return NULL;
    return path + length + 1;
}

bool fold_mark(const struct fold *f, const struct observation *o)
{
    struct election *election = f->election;
    const char *registry = election->registry_path, *mark = election->mark_path;
    if (registry && strcmp(o->path, registry) == 0) {
        if (o->kind == OBSERVED_CHILDREN)
            registry_list(f, &o->children);
        else if (o->kind == OBSERVED_ABSENT)
            registry_absent(f);
        else if (o->kind == OBSERVED_DENIED) {
            election->mark_denied = true;
            acknowledge_update(f);
        }
        return true;
    }
    const char *entry = registry ? child_of(registry, o->path) : NULL;
    if (entry) {
        registry_entry(f, entry, o->kind == OBSERVED_NODE ? &o->node : NULL);
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
        fold_touched(f);
    }
    return true;
}

#include "probe/election/registry.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/candidates.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/identity.h"

struct registry_entry {
    char *name;
    uint64_t session; /* 0 while not read */
    char *identity;   /* or NULL */
    char *about;      /* see struct member; or NULL */
    bool read;
    bool doubtful; /* it may be another one of that name since it was read */
    uint32_t hash, round;
    struct registry_entry *name_next, *session_next;
};

struct registry {
    struct registry_entry **by_name, **by_session;
    size_t bucket_count, count, unread;
    uint32_t round;
    bool listed, absent;
    bool by_entry; /* its entries' names say who the members are, and not their data */
    int64_t czxid; /* of the directory as it was listed; 0: it was not */
    int32_t cversion;
};

static size_t session_bucket(const struct registry *registry, uint64_t session)
{
    return name_hash((const char *)&session, sizeof session, 0) & (registry->bucket_count - 1);
}

static void session_unlink(struct registry *registry, struct registry_entry *entry)
{
    if (entry->session == 0)
        return;
    struct registry_entry **link = &registry->by_session[session_bucket(registry, entry->session)];
    while (*link && *link != entry)
        link = &(*link)->session_next;
    if (*link)
        *link = entry->session_next;
    entry->session = 0;
}

static void registry_session_link(struct registry *registry, struct registry_entry *entry, uint64_t session)
{
    entry->session = session;
    if (session == 0)
        return;
    struct registry_entry **bucket = &registry->by_session[session_bucket(registry, session)];
    entry->session_next = *bucket;
    *bucket = entry;
}

static struct registry_entry *registry_entry_find(const struct registry *registry, const char *name,
                                                  uint32_t hash)
{
    if (registry->bucket_count == 0)
        return NULL;
    struct registry_entry *entry = registry->by_name[hash & (registry->bucket_count - 1)];
    while (entry && (entry->hash != hash || strcmp(entry->name, name) != 0))
        entry = entry->name_next;
    return entry;
}

static void registry_entry_free(struct registry_entry *entry)
{
    free(entry->name);
    free(entry->identity);
    free(entry->about);
    free(entry);
}

static void registry_grow(struct registry *registry, size_t needed)
{
    if (needed <= registry->bucket_count)
        return;
    size_t larger = registry->bucket_count ? registry->bucket_count : 8;
    while (larger < needed)
        larger *= 2;
    struct registry_entry **by_name = xcalloc(larger, sizeof(struct registry_entry *));
    struct registry_entry **by_session = xcalloc(larger, sizeof(struct registry_entry *));
    struct registry old = *registry;
    registry->by_name = by_name;
    registry->by_session = by_session;
    registry->bucket_count = larger;
    for (size_t i = 0; i < old.bucket_count; i++) {
        struct registry_entry *next;
        for (struct registry_entry *entry = old.by_name[i]; entry; entry = next) {
            next = entry->name_next;
            entry->name_next = by_name[entry->hash & (larger - 1)];
            by_name[entry->hash & (larger - 1)] = entry;
            registry_session_link(registry, entry, entry->session);
        }
    }
    free(old.by_name);
    free(old.by_session);
}

void registry_free(struct registry *registry)
{
    if (!registry)
        return;
    for (size_t i = 0; i < registry->bucket_count; i++) {
        struct registry_entry *next;
        for (struct registry_entry *entry = registry->by_name[i]; entry; entry = next) {
            next = entry->name_next;
            registry_entry_free(entry);
        }
    }
    free(registry->by_name);
    free(registry->by_session);
    free(registry);
}

bool registry_wants(const struct election *election, bool members, const char *name)
{
    const struct registry *registry = members ? election->own->members : election->own->registry;
    const struct registry_entry *entry =
        registry ? registry_entry_find(registry, name, candidates_hash(election, name)) : NULL;
    return entry && (!entry->read || entry->doubtful);
}

bool registry_complete(const struct election *election)
{
    const struct registry *registry = election->own->registry;
    if (!registry)
        return election->registry_complete;
    return registry->listed && (registry->absent || registry->unread == 0);
}

static const struct registry_entry *entry_of_session(const struct registry *registry, uint64_t session)
{
    if (!registry || registry->bucket_count == 0 || session == 0)
        return NULL;
    const struct registry_entry *entry = registry->by_session[session_bucket(registry, session)];
    while (entry && entry->session != session)
        entry = entry->session_next;
    return entry;
}

const char *registry_identity(const struct election *election, uint64_t session)
{
    const struct registry_entry *entry = entry_of_session(election->own->registry, session);
    if (!entry || !entry->identity)
        entry = entry_of_session(election->own->members, session);
    return entry ? entry->identity : NULL;
}

const char *registry_member(const struct election *election, uint64_t session)
{
    const struct registry_entry *entry = entry_of_session(election->own->members, session);
    return entry ? entry->identity : NULL;
}

uint64_t registry_session(const struct election *election, const char *identity)
{
    const struct registry *registry = election->own->registry;
    for (size_t i = 0; registry && i < registry->bucket_count; i++)
        for (const struct registry_entry *entry = registry->by_name[i]; entry; entry = entry->name_next)
            if (entry->session != 0 && entry->identity && strcmp(entry->identity, identity) == 0)
                return entry->session;
    return 0;
}

static void registry_drop_missing(struct registry *registry)
{
    for (size_t i = 0; i < registry->bucket_count; i++)
        for (struct registry_entry **link = &registry->by_name[i]; *link;) {
            struct registry_entry *entry = *link;
            if (entry->round == registry->round) {
                link = &entry->name_next;
                continue;
            }
            *link = entry->name_next;
            session_unlink(registry, entry);
            registry->unread -= !entry->read;
            registry->count--;
            registry_entry_free(entry);
        }
}

struct registry *registry_of(struct election *election, bool members)
{
    struct registry **registry = members ? &election->own->members : &election->own->registry;
    if (!*registry)
        *registry = xcalloc(1, sizeof **registry);
    return *registry;
}

bool registry_is_listed(const struct registry *registry)
{
    return registry && registry->listed;
}

bool registry_is_absent(const struct registry *registry)
{
    return registry->absent;
}

size_t registry_unread(const struct registry *registry)
{
    return registry->unread;
}

size_t members_unread(const struct election *election)
{
    return election->own->members ? election->own->members->unread : 0;
}

bool registry_holds(const struct registry *registry, uint64_t session)
{
    return entry_of_session(registry, session) != NULL;
}

static struct registry_entry *entry_add(struct registry *registry, const char *name, uint32_t hash)
{
    registry_grow(registry, registry->count + 1);
    struct registry_entry *entry = xcalloc(1, sizeof *entry);
    entry->name = xstrdup(name);
    entry->hash = hash;
    struct registry_entry **bucket = &registry->by_name[hash & (registry->bucket_count - 1)];
    entry->name_next = *bucket;
    *bucket = entry;
    registry->count++;
    registry->unread++;
    return entry;
}

/* The directory counts its creations and deletions: if they are the new and the missing entries, all others
 * are unchanged since they were read. */
static void judge_known(struct registry *registry, const struct znode_stat *stat, size_t changes)
{
    bool same = stat && registry->czxid != 0 && stat->czxid == registry->czxid &&
                (uint32_t)stat->cversion - (uint32_t)registry->cversion == changes;
    for (size_t i = 0; !same && i < registry->bucket_count; i++)
        for (struct registry_entry *entry = registry->by_name[i]; entry; entry = entry->name_next)
            entry->doubtful = true;
    registry->czxid = stat ? stat->czxid : 0;
    registry->cversion = stat ? stat->cversion : 0;
}

void registry_list(struct registry *registry, const struct observed_children *list, uint64_t seed)
{
    size_t before = registry->count;
    registry->round++;
    registry->listed = true;
    registry->absent = false;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        uint32_t hash = name_hash(name, strlen(name), seed);
        struct registry_entry *entry = registry_entry_find(registry, name, hash);
        if (!entry)
            entry = entry_add(registry, name, hash);
        entry->round = registry->round;
    }
    size_t all = registry->count;
    registry_drop_missing(registry);
    judge_known(registry, list->stat, (all - before) + (all - registry->count));
}

void registry_lose(struct registry *registry)
{
    registry->round++;
    registry_drop_missing(registry);
    registry->listed = registry->absent = true;
    registry->czxid = 0;
}

void registry_names_members(struct registry *registry, bool by_name)
{
    registry->by_entry = by_name;
}

bool registry_entry(struct registry *registry, const char *name, uint64_t seed,
                    const struct observed_node *node)
{
    struct registry_entry *entry =
        registry ? registry_entry_find(registry, name, name_hash(name, strlen(name), seed)) : NULL;
    if (!entry)
        return false;
    session_unlink(registry, entry);
    registry_session_link(registry, entry, node ? node->stat->owner : 0);
    if (!node || node->has_data) {
        free(entry->identity);
        free(entry->about);
        size_t length = node ? node->data_length : 0;
        if (length > CANDIDATE_DATA_KEPT)
            length = CANDIDATE_DATA_KEPT;
        entry->identity = !node                ? NULL
                          : registry->by_entry ? text_copy(entry->name)
                                               : identity_from_data(node->data, length);
        entry->about = node ? identity_about_from_data(node->data, length) : NULL;
    }
    entry->doubtful = false;
    if (!entry->read) {
        entry->read = true;
        registry->unread--;
    }
    return true;
}

/* ---- the members of a lock's layout ---- */

void members_free(struct election *election)
{
    for (size_t i = 0; i < election->listed_member_count; i++) {
        free(election->listed_members[i].name);
        free(election->listed_members[i].identity);
        free(election->listed_members[i].about);
    }
    free(election->listed_members);
    election->listed_members = NULL;
    election->listed_member_count = 0;
    election->members_listed = false;
}

void members_add(struct election *election, const struct member *member)
{
    /* Room for a power of two: it is full where the count is one. */
    size_t count = election->listed_member_count;
    if ((count & (count - 1)) == 0) {
        struct member *list = xreallocarray(election->listed_members, count ? count * 2 : 1, sizeof *list);
        election->listed_members = list;
    }
    election->listed_members[election->listed_member_count++] = *member;
}

static void members_add_copy(struct election *election, const struct member *from)
{
    struct member member = {.name = text_copy(from->name),
                            .identity = text_copy(from->identity),
                            .about = text_copy(from->about),
                            .session = from->session};
    members_add(election, &member);
}

/* Brokers are numbered: the tenth comes after the ninth. */
static int by_member_name(const void *a, const void *b)
{
    const char *x = ((const struct member *)a)->name, *y = ((const struct member *)b)->name;
    size_t x_length = strlen(x), y_length = strlen(y);
    bool numbers = strspn(x, "0123456789") == x_length && strspn(y, "0123456789") == y_length;
    return numbers && x_length != y_length ? (x_length > y_length) - (x_length < y_length) : strcmp(x, y);
}

void members_sort(struct election *election)
{
    if (election->listed_member_count > 1)
        qsort(election->listed_members, election->listed_member_count, sizeof *election->listed_members,
              by_member_name);
}

void registry_list_members(struct election *election)
{
    const struct registry *registry = election->own->members;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    members_free(election);
    if (!lock || !registry_is_listed(registry) || registry->unread > 0)
        return;
    for (size_t i = 0; i < registry->bucket_count; i++)
        for (const struct registry_entry *entry = registry->by_name[i]; entry; entry = entry->name_next)
            members_add_copy(election, &(struct member){.name = entry->name,
                                                        .identity = entry->identity,
                                                        .about = entry->about,
                                                        .session = entry->session});
    members_sort(election);
    election->members_listed = true;
}

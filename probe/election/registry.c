#include "probe/election/registry.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "config/text.h"
#include "probe/election/candidates.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/identity.h"
#include "probe/election/session_table.h"

struct registry_entry {
    char *name;
    uint64_t session; /* 0 while not read */
    int64_t czxid, ctime_ms;
    char *identity; /* or NULL */
    char *about;    /* see struct member; or NULL */
    bool read;
    bool doubtful; /* it may be another one of that name since it was read */
    uint32_t hash, round;
    struct hash_link by_name, by_session; /* by_session: only while session is not 0 */
};

struct registry {
    struct hash_table by_name, by_session;
    size_t unread;
    uint32_t round;
    bool listed, absent;
    bool by_entry; /* its entries' names say who the members are, and not their data */
    int64_t czxid; /* of the directory as it was listed; 0: it was not */
    int32_t cversion;
};

static struct registry_entry *entry_of_name(const struct hash_link *link)
{
    return link ? HASH_ENTRY(link, struct registry_entry, by_name) : NULL;
}

static uint32_t registry_name_hash(const struct hash_link *link)
{
    return entry_of_name(link)->hash;
}

static struct registry_entry *entry_of_owner(const struct hash_link *link)
{
    return link ? HASH_ENTRY(link, struct registry_entry, by_session) : NULL;
}

static uint32_t registry_session_hash(uint64_t session)
{
    return hash_bytes(&session, sizeof session, 0);
}

static uint32_t registry_owner_hash(const struct hash_link *link)
{
    return registry_session_hash(entry_of_owner(link)->session);
}

/* The first entry, or the one after that; NULL: no more. */
static struct registry_entry *registry_walk(const struct registry *registry,
                                            const struct registry_entry *entry)
{
    return entry_of_name(hash_table_walk(&registry->by_name, entry ? &entry->by_name : NULL));
}

static void registry_set_session(struct registry *registry, struct registry_entry *entry, uint64_t session)
{
    if (entry->session != 0)
        hash_table_remove(&registry->by_session, &entry->by_session);
    entry->session = session;
    if (session != 0)
        hash_table_add(&registry->by_session, &entry->by_session);
}

static struct registry_entry *registry_entry_find(const struct registry *registry, const char *name,
                                                  uint32_t hash)
{
    struct registry_entry *entry = entry_of_name(hash_table_first(&registry->by_name, hash));
    while (entry && (entry->hash != hash || strcmp(entry->name, name) != 0))
        entry = entry_of_name(entry->by_name.next);
    return entry;
}

static void registry_entry_free(struct registry_entry *entry)
{
    free(entry->name);
    free(entry->identity);
    free(entry->about);
    free(entry);
}

void registry_free(struct registry *registry)
{
    if (!registry)
        return;
    for (struct registry_entry *entry = registry_walk(registry, NULL), *next; entry; entry = next) {
        next = registry_walk(registry, entry);
        registry_entry_free(entry);
    }
    hash_table_clear(&registry->by_name);
    hash_table_clear(&registry->by_session);
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
    if (!registry || session == 0)
        return NULL;
    const struct registry_entry *entry =
        entry_of_owner(hash_table_first(&registry->by_session, registry_session_hash(session)));
    while (entry && entry->session != session)
        entry = entry_of_owner(entry->by_session.next);
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

const char *registry_entry_since(const struct election *election, int64_t since_us)
{
    const struct registry *registry = election->own->registry;
    const struct registry_entry *entry = registry ? registry_walk(registry, NULL) : NULL;
    for (; entry; entry = registry_walk(registry, entry)) {
        const struct client *other = session_table_find(election->cluster->clients, entry->session);
        if (entry->session == 0 ||
            cluster_stat_us(election->cluster, entry->czxid, entry->ctime_ms) < since_us)
            continue;
        if (!other || !client_candidate(other, election))
            return entry->identity ? entry->identity : entry->name;
    }
    return NULL;
}

uint64_t registry_session(const struct election *election, const char *identity)
{
    const struct registry *registry = election->own->registry;
    const struct registry_entry *entry = registry ? registry_walk(registry, NULL) : NULL;
    while (entry && !(entry->session != 0 && entry->identity && strcmp(entry->identity, identity) == 0))
        entry = registry_walk(registry, entry);
    return entry ? entry->session : 0;
}

static void registry_drop_missing(struct registry *registry)
{
    for (struct registry_entry *entry = registry_walk(registry, NULL), *next; entry; entry = next) {
        next = registry_walk(registry, entry);
        if (entry->round == registry->round)
            continue;
        registry_set_session(registry, entry, 0);
        registry->unread -= !entry->read;
        hash_table_remove(&registry->by_name, &entry->by_name);
        registry_entry_free(entry);
    }
}

struct registry *registry_of(struct election *election, bool members)
{
    struct registry **registry = members ? &election->own->members : &election->own->registry;
    if (!*registry)
        *registry = xcalloc(1, sizeof **registry);
    (*registry)->by_name.hash_of = registry_name_hash;
    (*registry)->by_session.hash_of = registry_owner_hash;
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
    struct registry_entry *entry = xcalloc(1, sizeof *entry);
    entry->name = xstrdup(name);
    entry->hash = hash;
    hash_table_add(&registry->by_name, &entry->by_name);
    registry->unread++;
    return entry;
}

/* The directory counts its creations and deletions: if they are the new and the missing entries, all others
 * are unchanged since they were read. */
static void judge_known(struct registry *registry, const struct znode_stat *stat, size_t changes)
{
    bool same = stat && registry->czxid != 0 && stat->czxid == registry->czxid &&
                (uint32_t)stat->cversion - (uint32_t)registry->cversion == changes;
    struct registry_entry *entry = same ? NULL : registry_walk(registry, NULL);
    for (; entry; entry = registry_walk(registry, entry))
        entry->doubtful = true;
    registry->czxid = stat ? stat->czxid : 0;
    registry->cversion = stat ? stat->cversion : 0;
}

void registry_list(struct registry *registry, const struct observed_children *list, uint64_t seed)
{
    size_t before = registry->by_name.count;
    registry->round++;
    registry->listed = true;
    registry->absent = false;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        uint32_t hash = hash_bytes(name, strlen(name), seed);
        struct registry_entry *entry = registry_entry_find(registry, name, hash);
        if (!entry)
            entry = entry_add(registry, name, hash);
        entry->round = registry->round;
    }
    size_t all = registry->by_name.count;
    registry_drop_missing(registry);
    judge_known(registry, list->stat, (all - before) + (all - registry->by_name.count));
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
        registry ? registry_entry_find(registry, name, hash_bytes(name, strlen(name), seed)) : NULL;
    if (!entry)
        return false;
    registry_set_session(registry, entry, node ? node->stat->owner : 0);
    entry->czxid = node ? node->stat->czxid : 0;
    entry->ctime_ms = node ? node->stat->ctime_ms : 0;
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
    const struct registry_entry *entry = registry_walk(registry, NULL);
    for (; entry; entry = registry_walk(registry, entry))
        members_add_copy(election, &(struct member){.name = entry->name,
                                                    .identity = entry->identity,
                                                    .about = entry->about,
                                                    .session = entry->session});
    members_sort(election);
    election->members_listed = true;
}

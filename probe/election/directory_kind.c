#include "probe/election/directory_kind.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/memory.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"

#define UUID_LENGTH 36
#define HEX_LENGTH 32

const char *directory_kind_word(enum directory_kind kind)
{
    static const char *const words[] = {"election", "lock", "read-write lock", "registry", "semaphore",
                                        "queue",    "empty"};
    return kind < DIRECTORY_KINDS ? words[kind] : "other";
}

static struct directory_verdict nothing_known(void)
{
    return (struct directory_verdict){.kind = DIRECTORY_OTHER, .proof = "name", .evidence = ""};
}

/* Every server's watches are known, and of two members and more none watches another one. */
static bool members_ignore_each_other(const struct election *election)
{
    if (election->candidate_count < 2 || !chain_watches_complete(election->cluster))
        return false;
    for (size_t i = 0; i < election->candidate_count; i++)
        if (chain_watched_by(election, election->candidates[i], NULL, 0) > 0)
            return false;
    return true;
}

/* Its members were not seen: only its path is known. */
static struct directory_verdict of_a_path(const struct election *election)
{
    struct directory_verdict v = nothing_known();
    v.evidence = election->state == ELECTION_DENIED   ? "not readable with these credentials (--auth-file)"
                 : election->state == ELECTION_ABSENT ? "this path does not exist"
                                                      : "it contains nothing now that shows a layout";
    return v;
}

static struct directory_verdict of_a_name(const struct election *election)
{
    struct directory_verdict v = {.kind = DIRECTORY_ELECTION, .proof = "name"};
    if (members_ignore_each_other(election)) {
        v.kind = DIRECTORY_REGISTRY;
        v.evidence = "ephemeral sequential members that do not watch each other";
    } else if (election->recipe->family == FAMILY_LOCK) {
        v.kind = DIRECTORY_LOCK;
        v.evidence = "one ephemeral znode; no known system uses this path";
    } else {
        v.evidence = "ephemeral sequential children; no known recipe has these names, and no watch on a "
                     "predecessor was seen";
    }
    return v;
}

/* An election of the model. Its watch chain distinguishes it from a registry. */
static struct directory_verdict kind_of_election(const struct election *election)
{
    bool configured = election->recognised == RECOGNISED_CONFIGURED;
    bool known_kind = election->kind_proof != KIND_ASSUMED;
    bool by_path = election->recognised == RECOGNISED_NAME && election->candidate_count == 0;
    if (!election->recipe || (by_path && election->recipe->family != FAMILY_LOCK))
        return of_a_path(election);
    if (election_has_one_owner(election))
        return (struct directory_verdict){
            .kind = DIRECTORY_REGISTRY,
            .proof = "behaviour",
            .evidence =
                "it and those beside it have one member each, of different clients: nobody contends for it"};
    if (election->recognised == RECOGNISED_NAME && !known_kind)
        return of_a_name(election);
    struct directory_verdict v = {.kind = DIRECTORY_ELECTION,
                                  .proof = recognised_word(election->recognised),
                                  .certain = known_kind && election->recognised != RECOGNISED_NAME};
    bool nature_shared = election->recipe->candidate && strstr(election->recipe->candidate, "READ") != NULL;
    if (election->reader_count > 0 || nature_shared) {
        v.kind = DIRECTORY_READ_WRITE_LOCK;
        v.certain = election->recognised != RECOGNISED_NAME;
        v.evidence = "readers and writers wait in one line";
        return v;
    }
    if (election->kind == KIND_LOCK)
        v.kind = DIRECTORY_LOCK;
    if (election->kind_proof == KIND_CONFIGURED || configured)
        v.evidence = "the configuration says so";
    else if (election->kind_proof == KIND_BY_BEHAVIOUR)
        v.evidence = "it was held only briefly, again and again";
    else if (!known_kind)
        v.evidence = "elections and locks of this layout look the same in ZooKeeper: the kind is assumed";
    else if (election->recognised == RECOGNISED_WATCH)
        v.evidence = "a member watches its predecessor";
    else
        v.evidence = election->recipe->path ? "the path and the names are those of this recipe"
                                            : "the names are those of this recipe";
    return v;
}

static bool has_hex(const char *text, size_t length)
{
    return strspn(text, "0123456789abcdef") >= length;
}

/* _c_<uuid>-lease-<ten digits> */
static bool is_lease(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "_c_", 3) == 0 && length > 3 + UUID_LENGTH + 7 &&
           strncmp(name + 3 + UUID_LENGTH, "-lease-", 7) == 0;
}

/* <32 hexadecimal digits>: a holder of kazoo's semaphore. */
static bool is_hex_name(const char *name)
{
    return strlen(name) == HEX_LENGTH && has_hex(name, HEX_LENGTH);
}

/* entry-<three digits>-<ten digits>: kazoo's queue has priorities. */
static bool is_entry(const char *name)
{
    return strncmp(name, "entry-", 6) == 0 && strspn(name + 6, "0123456789") == 3 && name[9] == '-' &&
           recipe_sequence_of(name) != SEQUENCE_NONE;
}

static bool is_queued(const char *name)
{
    static const char *const heads[] = {"qn-", "qnr-", "queue-"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0 && recipe_sequence_of(name) != SEQUENCE_NONE)
            return true;
    return is_entry(name);
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

bool directory_kind_is_momentary(const char *path)
{
    return ends_with(path, "/leader/election/latch");
}

/* A word of a name begins behind a sign or with a capital: "leader-election", "LeaderElector", not "electronics". */
static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = name; *at; at++) {
        bool begins = at == name || !isalpha((unsigned char)at[-1]) ||
                      (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
        const char *end = at + length;
        if (begins && strncasecmp(at, word, length) == 0 &&
            (!islower((unsigned char)*end) || (*end == 's' && !isalpha((unsigned char)end[1])) ||
             strncmp(end, "elect", strlen("elect")) == 0))
            return true;
    }
    return false;
}

bool directory_kind_is_emptied(const struct recipe_book *book, const char *path, int32_t cversion)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (cversion == 0 || directory_kind_is_momentary(path))
        return false;
    static const char *const words[] = {"elect", "election", "elector", "leader"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(name, words[i]))
            return true;
    return strcmp(name, "latch") == 0 || recipe_of_path(book, path) != NULL;
}

struct directory_verdict directory_kind_emptied(enum emptied_how how)
{
    static const char *const evidence[] = {
        [EMPTIED_DIRECTORY] = "its children came and went, and its name is an election's: nobody may lead",
        [EMPTIED_BESIDE] = "its children came and went, and it lies beside an election: nobody may lead",
        [EMPTIED_MISSING] = "the znode of a leader is missing beside what belongs to it: nobody may lead",
        [EMPTIED_LEFTOVER] = "a znode without an owner is in the place of a leader's: nobody may lead"};
    return (struct directory_verdict){.kind = DIRECTORY_EMPTIED,
                                      .proof = "name",
                                      .evidence = evidence[how],
                                      .leftover = how == EMPTIED_LEFTOVER};
}

const char *directory_kind_emptied_clause(bool leftover)
{
    return leftover ? "has no owner, and is in the place of a leader's"
                    : "is empty, and may have been an election";
}

/* HiveServer2's entries, those of Dubbo's interfaces, and members of a Finagle server set. */
static bool is_service(const char *path, const char *name)
{
    bool url = strstr(name, "%3A%2F%2F") != NULL;
    bool set = strncmp(name, "member_", 7) == 0 &&
               (strstr(path, "/service") || strstr(path, "/twitter") || strstr(path, "/aurora"));
    return url || set || strncmp(name, "serverUri=", 10) == 0;
}

/* Below these each server has its lock: Accumulo's service locks. */
static bool is_lock_of_one(const char *path)
{
    static const char *const kinds[] = {"/tservers/", "/sservers/", "/compactors/"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(path, kinds[i]))
            return true;
    return false;
}

struct directory_verdict directory_kind_named(const char *path, char *const *names, size_t count)
{
    size_t leases = 0, holders = 0, queued = 0, services = 0, own_locks = 0;
    bool has_leases = false, has_locks = false, has_entries = false, has_taken = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i];
        has_leases |= strcmp(name, "leases") == 0;
        has_locks |= strcmp(name, "locks") == 0;
        has_entries |= strcmp(name, "entries") == 0;
        has_taken |= strcmp(name, "taken") == 0;
        leases += is_lease(name);
        holders += is_hex_name(name);
        queued += is_queued(name);
        services += is_service(path, name);
        own_locks += strncmp(name, "zlock#", 6) == 0;
    }
    struct directory_verdict v = {.proof = "signature", .certain = true};
    if (ends_with(path, "/coordinators_service_registry") || ends_with(path, "/workers_service_registry")) {
        v.kind = DIRECTORY_REGISTRY;
        v.evidence = "the service registry that belongs to an election";
    } else if (services > 0 && services == count) {
        v.kind = DIRECTORY_REGISTRY;
        v.evidence = "entries of a service registry (Dubbo, Finagle, HiveServer2)";
    } else if (own_locks > 0 && own_locks == count && is_lock_of_one(path)) {
        v.kind = DIRECTORY_REGISTRY;
        v.evidence = "each of Accumulo's servers holds a lock of its own there: nobody contends for it";
    } else if (leases > 0 && leases == count) {
        v.kind = DIRECTORY_SEMAPHORE;
        v.evidence = "leases of Curator's InterProcessSemaphoreV2";
    } else if (has_leases && has_locks && count == 2) {
        v.kind = DIRECTORY_SEMAPHORE;
        v.evidence =
            "its children, leases and locks, are those of Curator's InterProcessSemaphoreV2; with one "
            "lease it is a lock (InterProcessSemaphoreMutex, Vert.x): then name its leases";
    } else if (holders > 0 && holders == count) {
        v.kind = DIRECTORY_SEMAPHORE;
        v.proof = "name";
        v.certain = false;
        v.evidence = "its children have the names of holders of kazoo's Semaphore";
    } else if (has_entries && has_taken && count == 2) {
        v.kind = DIRECTORY_QUEUE;
        v.evidence = "its children, entries and taken, are those of kazoo's LockingQueue";
    } else if (queued > 0 && queued * 2 > count) {
        v.kind = DIRECTORY_QUEUE;
        v.evidence = "entries with a queue recipe's names, persistent and sequential";
    } else {
        return nothing_known();
    }
    return v;
}

bool directory_kind_is_part(enum directory_kind parent, const char *name)
{
    if (parent == DIRECTORY_SEMAPHORE && (strcmp(name, "leases") == 0 || strcmp(name, "locks") == 0))
        return true;
    /* kazoo's Semaphore at X has its lock beside it, at X-__lock__. */
    return ends_with(name, "-__lock__") ||
           (parent == DIRECTORY_QUEUE && (strcmp(name, "entries") == 0 || strcmp(name, "taken") == 0));
}

struct directory_verdict directory_kind_persistent_sequence(void)
{
    return (struct directory_verdict){.kind = DIRECTORY_QUEUE,
                                      .proof = "behaviour",
                                      .evidence = "its sequential children are persistent: a queue or a log"};
}

struct directory_verdict directory_kind_ephemeral_members(void)
{
    return (struct directory_verdict){
        .kind = DIRECTORY_REGISTRY,
        .proof = "behaviour",
        .certain = true,
        .evidence = "all its children are ephemeral, and they have no sequence numbers"};
}

struct directory_verdict directory_kind_ephemeral(const char *path)
{
    static const char *const words[] = {"leader", "master", "controller", "lock", "active", "primary"};
    const char *name = strrchr(path, '/');
    for (const char *at = name ? name + 1 : path; *at; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(at, words[i], strlen(words[i])) == 0)
                return (struct directory_verdict){
                    .kind = DIRECTORY_LOCK,
                    .proof = "name",
                    .evidence = "one ephemeral znode with such a name; its owner may be the leader"};
    return nothing_known();
}

static int rows_by_path(const void *a, const void *b)
{
    const struct discovery_row *left = a, *right = b;
    return strcmp(left->path, right->path);
}

static const char *directory_below_chroot(const struct cluster *cluster, const char *path)
{
    path += strlen(cluster->chroot);
    return *path ? path : "/";
}

/* The path is the acknowledgement of an election, so it is not a separate lock. */
static bool acknowledges(const struct cluster *cluster, const char *path)
{
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *e = cluster->elections[i];
        if (e->ack_path && strcmp(e->ack_path, path) == 0)
            return true;
    }
    return false;
}

struct discovery_row *discovery_rows(const struct cluster *cluster, const struct discovery *found,
                                     size_t *count)
{
    struct discovery_row *rows = xcalloc(cluster->election_count + found->directory_count + 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *e = cluster->elections[i];
        if (!election_vanished(e))
            rows[(*count)++] = (struct discovery_row){directory_below_chroot(cluster, e->path), e,
                                                      kind_of_election(e), e->candidate_count};
    }
    for (size_t i = 0; i < found->directory_count; i++) {
        const struct found_directory *f = &found->directories[i];
        if (!acknowledges(cluster, f->path))
            rows[(*count)++] = (struct discovery_row){directory_below_chroot(cluster, f->path), NULL,
                                                      f->verdict, f->members};
    }
    qsort(rows, *count, sizeof *rows, rows_by_path);
    return rows;
}

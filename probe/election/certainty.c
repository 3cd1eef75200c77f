#include "probe/election/certainty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash_table.h"
#include "config/memory.h"
#include "probe/election/announced.h"
#include "probe/election/candidates.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/failover.h"
#include "probe/election/session_table.h"
#include "probe/election/summary.h"
#include "probe/election/watch_proof.h"

/* A directory, or a leader, that was there for less than this was made for one decision. */
#define LASTING_US INT64_C(200000)
/* Lists are recent for three times the interval between the latest two, and at least for so long. */
#define RECENT_US INT64_C(15000000)
#define RECENT_INTERVALS 3
/* A request and a change, each of which was seen some time after it happened: the change came later. */
#define CHANGE_SEEN_US INT64_C(2000000)
#define CHANGE_IGNORED_US INT64_C(30000000)

static const struct presumption_kind presumption_kinds[PRESUMPTIONS] = {
    [PRESUMES_ELECTION] = {"election", "that this directory is an election",
                           "name its path, or set recipe: in the configuration"},
    [PRESUMES_LEADER] = {"leader", "that there must be a leader",
                         "set kind: leader or kind: lock in the configuration"},
    [PRESUMES_LAYOUT] = {"layout", "that members of this layout watch their predecessor",
                         "confirm the layout, or name its own, with recipe: in the configuration"},
    [PRESUMES_ORDER] = {"order", "that sequence numbers alone order its members",
                        "see in its log which one it waits for"},
    [PRESUMES_WATCHES] = {"watches", "that no watch on children or above the directory notifies it",
                          "let electop events run for 45s, or until 35s after a member has joined or left"},
    [PRESUMES_LINE] = {"line", "that it is no design to watch one znode, the first, or nothing",
                       "see in its log what it waits for"},
    [PRESUMES_MARK] = {"mark", "that no znode that it watches elsewhere notifies it",
                       "see in its log what it waits for"},
    [PRESUMES_ALONE] = {"alone", "that no other session watches or asks for it",
                        "see in the logs of its host whether another session waits for it"},
    [PRESUMES_PASSIVE] = {"passive", "that its client waits for a notification and does not poll",
                          "see in its log whether it polls"},
    [PRESUMES_ACK] = {"acknowledgement", "that this version of the layout acknowledges there",
                      "set acknowledgement: in the configuration"},
    [PRESUMES_LASTING] = {"lasting", "that the directory was meant to stay", NULL},
    [PRESUMES_FRESH] = {"fresh", "that the servers' latest lists are still true", NULL},
};

const struct presumption_kind *presumption_kind(enum presumption presumption)
{
    return &presumption_kinds[presumption];
}

/* ---- the presumptions of each finding ---- */

#define BIT(presumption) (1u << PRESUMES_##presumption)

struct rule {
    unsigned dropped, kept, doubted; /* what becomes of it where the presumption is missing, a bit each */
};

/* What a member should watch and does not. */
#define WATCH_RULE                                                                                           \
    {                                                                                                        \
        BIT(ELECTION), BIT(FRESH), CERTAINTY_OF_MEMBER                                                       \
    }
/* What servers show of sessions. */
#define SHOWN_RULE                                                                                           \
    {                                                                                                        \
        BIT(ELECTION), BIT(FRESH), 0                                                                         \
    }
/* What the znodes of members show. */
#define MEMBER_RULE                                                                                          \
    {                                                                                                        \
        BIT(ELECTION), 0, 0                                                                                  \
    }

/* A finding without a row presumes nothing: it states a fact about znodes or about this tool. */
static const struct rule rules[FINDING_COUNT] = {
    [FINDING_NO_LEADER] = {BIT(ELECTION) | BIT(LASTING), 0, BIT(LEADER)},
    [FINDING_NEVER_WAKES] = {BIT(ELECTION), 0, BIT(LAYOUT)},
    [FINDING_NO_WATCH] = WATCH_RULE,
    [FINDING_WATCH_ON_DELETED] = WATCH_RULE,
    [FINDING_WATCH_SELF] = WATCH_RULE,
    [FINDING_WRONG_PREDECESSOR] = WATCH_RULE,
    [FINDING_WATCH_EATEN] = WATCH_RULE,
    [FINDING_ORPHAN_READER] = WATCH_RULE,
    [FINDING_HERD] = {BIT(ELECTION), BIT(FRESH), BIT(LAYOUT)},
    [FINDING_WATCHER_WITHOUT_CANDIDATE] = SHOWN_RULE,
    [FINDING_EXTRA_WATCHES] = SHOWN_RULE,
    [FINDING_PERSISTENT_CANDIDATE] = MEMBER_RULE,
    [FINDING_DUPLICATE_SESSION] = MEMBER_RULE,
    [FINDING_DUPLICATE_IDENTITY] = MEMBER_RULE,
    [FINDING_GHOST_EPHEMERAL] = {0, BIT(FRESH), 0},
    [FINDING_OWNER_DISCONNECTED] = SHOWN_RULE,
    [FINDING_LEADER_SILENT] = SHOWN_RULE,
    [FINDING_NEVER_ACKNOWLEDGED] = {BIT(ELECTION), 0, BIT(ACK)},
    [FINDING_ACKNOWLEDGEMENT_MISMATCH] = {BIT(ELECTION), 0, BIT(ACK)},
    [FINDING_SPLIT_BRAIN] = {BIT(ELECTION), 0, BIT(ACK)},
    [FINDING_STALE_LOCK] = MEMBER_RULE,
    [FINDING_DOUBLE_LEADER_RISK] = {BIT(ELECTION), BIT(FRESH), BIT(LEADER)},
    [FINDING_DOUBLE_LEADER] = MEMBER_RULE,
    [FINDING_SLOW_REACTION] = MEMBER_RULE,
    [FINDING_FLAPPING] = {BIT(ELECTION), 0, BIT(LEADER)},
    [FINDING_SLOW_FAILOVER] = {BIT(ELECTION), 0, BIT(LEADER)},
    [FINDING_SESSION_TIMEOUT_LONG] = SHOWN_RULE,
    [FINDING_SESSION_TIMEOUT_SHORT] = SHOWN_RULE,
    [FINDING_SEQUENCE_NEAR_OVERFLOW] = MEMBER_RULE,
    [FINDING_SEQUENCE_OVERFLOWED] = MEMBER_RULE,
    [FINDING_SEQUENCE_TIE] = MEMBER_RULE,
    [FINDING_FOREIGN_CHILD] = MEMBER_RULE,
    [FINDING_ELECTION_GONE] = {BIT(ELECTION) | BIT(LASTING), 0, 0},
    [FINDING_NO_GUID] = MEMBER_RULE,
};

bool certainty_presumes(enum finding_code code, enum presumption presumption, enum certainty_verdict *without)
{
    const struct rule *rule = &rules[code];
    unsigned bit = 1u << presumption;
    *without = rule->dropped & bit   ? VERDICT_NOTHING
               : rule->kept & bit    ? VERDICT_KEPT
               : rule->doubted & bit ? VERDICT_SUSPECTED
                                     : VERDICT_CERTAIN;
    return *without != VERDICT_CERTAIN;
}

enum certainty_verdict certainty_judge(enum finding_code code, unsigned holds, enum presumption *missing)
{
    enum certainty_verdict worst = VERDICT_CERTAIN, without;
    *missing = PRESUMPTIONS;
    for (unsigned i = 0; i < PRESUMPTIONS; i++)
        if (!(holds >> i & 1u) && certainty_presumes(code, (enum presumption)i, &without) &&
            without > worst) {
            worst = without;
            *missing = (enum presumption)i;
        }
    return worst;
}

/* ---- known facts ---- */

/* Clients that watch otherwise use these names, too. */
static bool names_leave_open(const struct election *election)
{
    const struct recipe *recipe = election->recipe;
    return recipe && recipe->family != FAMILY_LOCK &&
           (recipe->watches == WATCHES_UNKNOWN ||
            (recipe->nature == NATURE_ANY && election->recognised != RECOGNISED_CONFIGURED));
}

#define DIGITS "0123456789"

/* The next part of a name that is a word: no number, and no piece of an id. NULL: there is none. */
static const char *next_word(const char **at, size_t *length)
{
    while (**at) {
        const char *word = *at;
        size_t whole = strcspn(word, "-_.:#@");
        *at += whole + (word[whole] != '\0');
        *length = strcspn(word, DIGITS) < whole ? strcspn(word, DIGITS) : whole;
        bool number_follows = *length < whole && **at == '\0' && whole - *length == SEQUENCE_DIGITS;
        if ((*length == whole || number_follows) && strspn(word, "abcdef") < *length)
            return word;
    }
    return NULL;
}

#define ROLE_WITHOUT_WORDS UINT64_C(0xcbf29ce484222325)

/* FNV-1a over the words. */
uint64_t certainty_role(const char *name)
{
    uint64_t role = ROLE_WITHOUT_WORDS;
    const char *word;
    size_t length;
    while ((word = next_word(&name, &length)) != NULL) {
        for (size_t i = 0; i < length; i++)
            role = (role ^ (unsigned char)word[i]) * UINT64_C(0x100000001b3);
        role = (role ^ '-') * UINT64_C(0x100000001b3);
    }
    return role;
}

/* At least two members wait, and none watches another: perhaps this layout needs no watches. */
static bool nobody_watches(const struct election *election)
{
    const struct line_shown *line = &election->own->line;
    return line->waiting >= 2 && line->watching == 0 && election->recognised != RECOGNISED_CONFIGURED;
}

/* It and all before it watch nothing that brings their turn: where the names leave it open they may hold together, as
   leases of a semaphore, or lead together. */
static bool may_hold(const struct election *election, const struct candidate *c)
{
    size_t at = c->place < election->candidate_count ? c->place : 0;
    while (at > 0 && !election->candidates[at]->own->watches_right)
        at--;
    return at == 0;
}

/* Members that were found under names that others use, too, may be a registry's, of which some follow another: who
   never did has perhaps another part. */
static bool may_be_registry(const struct election *election)
{
    return election->origin == ORIGIN_DISCOVERED && election->recognised != RECOGNISED_CONFIGURED &&
           election->recipe && election->recipe->family != FAMILY_LOCK && !election->recipe->signature;
}

/* The znode that members of this layout watch is known. If that follows only from a name that others may use
   too, the names leave it open, and the watches have to show it. */
static bool certainty_layout(const struct election *election, const struct candidate *c)
{
    if (may_be_registry(election) && !c->own->has_watched)
        return false;
    return election->recognised != RECOGNISED_NAME && c->election == election && !nobody_watches(election) &&
           (!names_leave_open(election) || (election->own->shows_layout && !may_hold(election, c)));
}

static bool line_has_one_role(const struct election *election)
{
    for (size_t i = 1; i < election->candidate_count; i++)
        if (election->candidates[i]->own->role != election->candidates[0]->own->role)
            return false;
    return true;
}

/* All of its name but the number. */
static uint32_t name_form(const struct candidate *c)
{
    size_t length = strlen(c->name), number = length < SEQUENCE_DIGITS ? length : SEQUENCE_DIGITS;
    return hash_bytes(c->name, length - number, 0);
}

static int compare_forms(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* GUIDs and hosts are each member's own; the name of a line, "shard1-", is shared. Of two, each may be in a line of its
 * own. */
static bool forms_are_shared(const struct election *election, bool roles)
{
    size_t count = election->candidate_count;
    uint32_t *forms = xmalloc((count + 1) * sizeof *forms);
    for (size_t i = 0; i < count; i++) {
        uint64_t role = election->candidates[i]->own->role;
        forms[i] = roles && role != ROLE_WITHOUT_WORDS ? hash_bytes(&role, sizeof role, 0)
                                                       : name_form(election->candidates[i]);
    }
    qsort(forms, count, sizeof *forms, compare_forms);
    bool shared = roles && count == 2;
    for (size_t i = 1; i < count; i++)
        shared = shared || forms[i] == forms[i - 1];
    free(forms);
    return shared;
}

/* Names that differ in words, or in what several members share, and no watch crosses that. */
static bool may_be_lines(const struct election *election)
{
    bool roles = !line_has_one_role(election), differ = false;
    for (size_t i = 1; i < election->candidate_count; i++) {
        const struct candidate *before = election->candidates[i - 1], *c = election->candidates[i];
        bool crosses = roles ? before->own->role != c->own->role : name_form(before) != name_form(c);
        if (crosses && chain_is_watched(election, before, c->stat.owner))
            return false;
        differ = differ || crosses;
    }
    return differ && forms_are_shared(election, roles);
}

bool certainty_is_unknown_line(const struct election *election)
{
    return election->recognised != RECOGNISED_CONFIGURED && election->recipe &&
           strcmp(election->recipe->name, RECIPE_ANY_SEQUENCE) == 0;
}

bool certainty_own_numbers(const struct election *election)
{
    const struct candidate *last =
        election->candidate_count ? election->candidates[election->candidate_count - 1] : NULL;
    return certainty_is_unknown_line(election) && last && election->next_sequence >= 0 &&
           last->sequence < INT32_MAX && last->sequence >= election->next_sequence;
}

/* The only member that this one's session watches; NULL: it watches none, or, where open is set, that shows nothing. */
static const struct candidate *awaited(const struct election *election, const struct candidate *c, bool *open)
{
    const struct client_session *shown = candidate_client(c);
    const struct candidate *found = NULL;
    *open = !shown || !shown->watches_known;
    for (size_t i = 0; i < election->candidate_count && !*open; i++) {
        const struct candidate *other = election->candidates[i];
        bool watched = other != c && chain_is_watched(election, other, c->stat.owner);
        *open = (watched && found) || (other != c && other->stat.owner == c->stat.owner);
        found = watched ? other : found;
    }
    return found;
}

/* So many steps of a chain are followed. */
#define STEPS_MOST 1000

#define GUID_DIGITS 32

bool certainty_holds_guid(const char *name)
{
    size_t length = strlen(name), digits = 0;
    for (size_t i = 0; i + SEQUENCE_DIGITS < length && digits < GUID_DIGITS; i++)
        if (name[i] != '-')
            digits = strchr("0123456789abcdefABCDEF", name[i]) ? digits + 1 : 0;
    return digits >= GUID_DIGITS;
}

/* It waits for another layout's member ahead of it, which leads both: kazoo's locks may wait for go-zk's. */
static bool waits_for_other_layout(const struct election *election, const struct candidate *first)
{
    for (size_t i = 0; first && i < election->outsider_count; i++) {
        const struct candidate *other = election->outsiders[i];
        int64_t sequence = other->own->watchers ? recipe_sequence_of(other->name) : SEQUENCE_NONE;
        if (sequence != SEQUENCE_NONE && sequence < first->sequence && certainty_holds_guid(other->name) &&
            chain_is_watched(election, other, first->stat.owner))
            return true;
    }
    return false;
}

/* The first waits for a member behind it, and so on, up to one that waits for none: another leads. A first that
 * observes its heir is itself waited for. */
bool certainty_first_waits(const struct election *election)
{
    const struct candidate *first = election->candidate_count ? election->candidates[0] : NULL, *at = first;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK,
         open = lock || shared_lock(election) || election->recognised == RECOGNISED_CONFIGURED;
    if (!lock && election->recognised != RECOGNISED_CONFIGURED && waits_for_other_layout(election, first))
        return true;
    for (int i = 0; at && !open && i < STEPS_MOST; i++) {
        const struct candidate *next = awaited(election, at, &open);
        if (!next || next == first)
            return !open && !next && at != first;
        at = next;
    }
    return false;
}

/* The second waits for no other, and others wait for it, or for those behind it: perhaps it leads. */
static bool nobody_awaits_first(const struct election *election)
{
    struct candidate *const *line = election->candidates;
    const struct client_session *second = election->candidate_count > 2 ? candidate_client(line[1]) : NULL;
    bool waited = false;
    for (size_t i = 2; second && i < election->candidate_count; i++)
        waited = waited || chain_is_watched(election, line[i - 1], line[i]->stat.owner);
    return waited && second->watches_known && line[0]->own->watchers == 0 &&
           line[0]->stat.owner != line[1]->stat.owner;
}

bool certainty_mixed(const struct election *election)
{
    return certainty_is_unknown_line(election) &&
           (may_be_lines(election) || nobody_awaits_first(election) || certainty_own_numbers(election));
}

/* So many right watches outweigh one that no line of sequence numbers has. */
#define RIGHT_TO_WRONG 3

bool certainty_shows_layout(const struct election *election)
{
    size_t right = 0, other = 0;
    if (!names_leave_open(election))
        return true;
    for (size_t i = 1; i < election->candidate_count; i++) {
        const struct candidate *c = election->candidates[i];
        right += c->own->watches_right;
        other += !c->own->watches_right && c->own->client && c->own->client->shown.watches_known;
    }
    size_t times = may_be_registry(election) ? RIGHT_TO_WRONG : 1;
    return right > other * times && line_has_one_role(election);
}

/* The number that is all of its data, or that follows a word such as "priority" in it. */
static bool read_priority(const struct candidate *c, int64_t *priority)
{
    static const char *const words[] = {"priority", "weight", "rank"};
    char text[CANDIDATE_DATA_KEPT + 1], *end;
    snprintf(text, sizeof text, "%.*s", (int)c->data_length, c->data ? (const char *)c->data : "");
    const char *at = text;
    for (size_t i = 0; i < sizeof words / sizeof *words && at == text; i++)
        if ((at = strstr(text, words[i])) != NULL)
            at += strcspn(at, "-" DIGITS);
        else
            at = text;
    *priority = strtoll(at, &end, 10);
    return end != at && (at != text || *end == '\0');
}

/* By priorities in the data, smallest or largest first, it watches its predecessor, or is the first and watches
 * none. */
static bool priority_explains(const struct election *election, const struct candidate *c)
{
    const struct candidate *below = NULL, *above = NULL;
    int64_t own, other, below_is = 0, above_is = 0;
    if (!read_priority(c, &own))
        return false;
    for (size_t i = 0; i < election->candidate_count; i++) {
        const struct candidate *at = election->candidates[i];
        if (at == c)
            continue;
        if (!read_priority(at, &other) || other == own)
            return false;
        if (other < own && (!below || other > below_is)) {
            below = at;
            below_is = other;
        } else if (other > own && (!above || other < above_is)) {
            above = at;
            above_is = other;
        }
    }
    return c->own->watched == below || c->own->watched == above;
}

static bool others_contradict(const struct election *election, const struct candidate *c)
{
    const struct line_shown *line = &election->own->line;
    uint32_t others = c->wrong == FINDING_WRONG_PREDECESSOR ? line->wrong - 1 + line->deaf : line->wrong;
    return line->backwards || line->right < others * RIGHT_TO_WRONG;
}

bool certainty_order(const struct election *election, const struct candidate *c)
{
    if (c->place == 0 || c->sequence == SEQUENCE_NONE || c->place >= election->candidate_count)
        return true;
    struct candidate *const *at = &election->candidates[c->place];
    bool before =
        at[-1]->sequence == at[0]->sequence || (c->place > 1 && at[-2]->sequence == at[-1]->sequence);
    return !before && (c->place + 1u >= election->candidate_count || at[1]->sequence != at[0]->sequence);
}

static bool lies_above(const char *path, const char *election)
{
    size_t length = strlen(path);
    return strcmp(path, "/") == 0 ||
           (strncmp(path, election, length) == 0 && (election[length] == '/' || election[length] == '\0'));
}

/* Some session, an observer's left out, has a watch above the election: it may be recursive. For a lock its
   own path does not count. */
static bool watched_above(const struct election *election)
{
    const struct session_table *clients = election->cluster->clients;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    for (size_t i = 0; clients && i < clients->above_count; i++) {
        const struct client *client = session_table_find(clients, clients->above[i]);
        if (!client || !client->shown.connected || client->shown.observer || client->shown.all_watches)
            continue;
        for (size_t k = 0; k < client->shown.watch_count; k++) {
            const char *path = client->shown.watches[k];
            if (lies_above(path, election->path) && !(lock && strcmp(path, election->path) == 0))
                return true;
        }
    }
    return false;
}

/* The children have changed since its last request, and it requested nothing for half a minute then: a watch on them
   is used up by that. Nor did anybody else who is no member here, and might tell it. */
static bool ignored_a_change(const struct election *election, const struct candidate *c)
{
    const struct client *client = c->own->client;
    int64_t changed_us = election->own->changed_us;
    return client->still_us != 0 && changed_us >= client->still_us + CHANGE_SEEN_US &&
           client->shown.seen.mono_us >= changed_us + CHANGE_IGNORED_US && !c->own->others_react;
}

/* No hidden watch could notify it: its server has counted no watches on children but observers' since its last
   request, or it ignored a change of them, and no session watches an ancestor of the election (perhaps recursively). */
static bool certainty_watches(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    const struct client_session *shown = c->own->client ? &c->own->client->shown : NULL;
    if (shown && shown->watches_known && shown->all_watches)
        return true;
    if (!shown || shown->server >= cluster->server_count || watched_above(election))
        return false;
    const struct server *server = &cluster->servers[shown->server];
    return (server->foreign_children == 0 && server->counts[0].counted_us >= c->own->client->still_us) ||
           ignored_a_change(election, c);
}

/* ---- the rule for a missing or a wrong watch ---- */

static bool lies_in(const char *path, const char *directory)
{
    size_t length = directory ? strlen(directory) : 0;
    return length > 0 && strncmp(path, directory, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* A session with many candidates: of so many it is known which of them wait. */
#define WAITS_LOOKED 64

/* Its session may wait in one line after the other, and set the watch here once it has its turn elsewhere: it was never
 * seen to watch the one before it here, nor in two other lines at once. */
static bool may_wait_in_turn(const struct candidate *c)
{
    const struct candidate *one = c->own->client->owned;
    size_t waits = 0;
    for (size_t i = 0; one && i < WAITS_LOOKED && waits < 2; i++, one = one->own->owned_next)
        waits += one->election != c->election && one->own->watches_right;
    return !c->own->has_watched && waits < 2;
}

/* A candidate elsewhere, whose session has none here, and the member has none there: the sessions that wait in one line
 * after the other are those of both lines, but the one ahead may want only that lock. */
static bool is_of_stranger(const struct election *election, const struct candidate *member, const char *path)
{
    size_t length;
    const struct election *other = cluster_election_around(election->cluster, path, &length);
    if (other && client_candidate(member->own->client, other))
        return false;
    const char *name = other && path[length] == '/' ? path + length + 1 : NULL;
    const struct candidate *c = name ? candidates_find(other, name, candidates_hash(other, name)) : NULL;
    const struct candidate *one = c && c->own->client ? c->own->client->owned : NULL;
    bool stranger = one;
    for (; one && stranger; one = one->own->owned_next)
        stranger = one->election != election;
    return stranger;
}

/* The member watches a znode whose deletion or change may notify it of its turn. The creator of a znode that is no
 * candidate here is unknown. One with a sequence number elsewhere may be a place in another line. */
static bool watches_mark(const struct election *election, const struct candidate *c)
{
    const struct client_session *shown = &c->own->client->shown;
    for (size_t i = 0; i < shown->watch_count; i++) {
        const char *path = shown->watches[i];
        bool numbered = recipe_sequence_of(path) != SEQUENCE_NONE;
        if (strcmp(path, election->path) == 0)
            continue;
        if (!numbered || lies_in(path, election->ack_path) ||
            (!lies_in(path, election->path) && may_wait_in_turn(c) && !is_of_stranger(election, c, path)))
            return true;
    }
    return false;
}

bool certainty_may_be_alone(const struct election *election, const struct candidate *c)
{
    const struct cluster *cluster = election->cluster;
    for (size_t i = 0; i < cluster->server_count; i++)
        if (!server_lists_all(&cluster->servers[i]) && !server_is_captured(&cluster->servers[i]))
            return false;
    return (!cluster->clients || cluster->clients->unlisted == 0) && chain_watches_complete(cluster) &&
           !c->own->elsewhere;
}

static bool certainty_alone(const struct election *election, const struct candidate *c)
{
    return certainty_may_be_alone(election, c) && !client_is_helped(c->own->client, c->own->helped_us);
}

/* No reader waits for the writer before it: where readers pass a writer that waits, they hold the lock, too. */
static bool readers_pass(const struct election *election, const struct candidate *c)
{
    size_t holders = shared_lock_holders(election);
    if (!c->reads || holders == 0 || !election->candidates[0]->reads)
        return false;
    for (size_t i = holders; i < election->candidate_count; i++)
        if (election->candidates[i]->reads && election->candidates[i]->own->watches_right)
            return false;
    return true;
}

/* Under the names of the official recipe, which has no library, the only one that waits watches nobody, not even one that
 * has gone, and nobody was ever seen to: another host may tell it of its turn. Other names are those of a program or of
 * a library. */
static bool may_be_told(const struct election *election, const struct candidate *c)
{
    const char *recipe = election->recipe ? election->recipe->name : "";
    return (strcmp(recipe, "zookeeper") == 0 || strcmp(recipe, "zookeeper-session") == 0) &&
           !election->shows_predecessor && election->own->line.watching == 0 &&
           c->wrong != FINDING_WATCH_ON_DELETED && election->recognised != RECOGNISED_CONFIGURED;
}

/* All that it skips have its identity, or had its host until they lost their connection: a client that was restarted
 * may wait for the one before its former znode. */
static bool skips_its_own(const struct election *election, const struct candidate *c)
{
    const struct client_session *own = candidate_client(c);
    uint32_t at = c->own->watched ? c->own->watched->place + 1 : c->place;
    bool skips = at < c->place && election->reader_count == 0;
    for (; skips && at < c->place; at++) {
        const struct candidate *other = election->candidates[at];
        const struct client_session *shown = candidate_client(other);
        skips = (shown && !shown->connected && shown->address && client_is_beside(own, shown)) ||
                (c->identity && other->identity && strcmp(c->identity, other->identity) == 0);
    }
    return skips;
}

bool certainty_lasts(const struct candidate *c, unsigned holds)
{
    bool helped = client_is_helped(c->own->client, c->own->helped_us);
    bool still = client_is_passive(c->own->client, 0); /* it was before its predecessor's end */
    return (holds | BIT(WATCHES) | (helped ? 0 : BIT(ALONE)) | (still ? BIT(PASSIVE) : 0)) ==
           CERTAINTY_OF_MEMBER;
}

unsigned certainty_of_member(const struct election *election, const struct candidate *c)
{
    const struct client *client = c->own->client;
    if (!client)
        return 0;
    bool contradicts =
        election->reader_count == 0 && (others_contradict(election, c) || priority_explains(election, c));
    /* Each change of leader notifies who watches the first, perhaps beside others: so do whole layouts, older versions
     * and last resorts. */
    bool follows = c->own->watched && election->reader_count == 0 &&
                   chain_is_watched(election, election->candidates[0], c->stat.owner);
    bool as_all = (c->own->watched && c->own->watched == election->own->line.watched_by_all) || follows ||
                  election->own->line.pairs || readers_pass(election, c) || may_be_told(election, c) ||
                  skips_its_own(election, c);
    return (certainty_layout(election, c) ? BIT(LAYOUT) : 0) |
           (certainty_order(election, c) && !contradicts ? BIT(ORDER) : 0) |
           (certainty_watches(election, c) ? BIT(WATCHES) : 0) | (as_all ? 0 : BIT(LINE)) |
           (watches_mark(election, c) ? 0 : BIT(MARK)) | (certainty_alone(election, c) ? BIT(ALONE) : 0) |
           (client_is_passive(client, c->own->before_us) ? BIT(PASSIVE) : 0);
}

bool certainty_hidden_watches(const struct election *election)
{
    const struct cluster *cluster = election->cluster;
    for (size_t i = 0; i < cluster->server_count; i++)
        if (!announced_none(&cluster->servers[i]))
            return true;
    return watched_above(election);
}

static bool is_watch_code(enum finding_code code)
{
    return rules[code].doubted >> PRESUMES_WATCHES & 1u;
}

/* A server's list is recent as long as the next ones may still come. */
static int64_t recent_until_us(const struct server *server)
{
    int64_t apart_us =
        server->listed_before.mono_us ? server->listed.mono_us - server->listed_before.mono_us : 0;
    int64_t recent_us = RECENT_INTERVALS * apart_us > RECENT_US ? RECENT_INTERVALS * apart_us : RECENT_US;
    return server->listed.mono_us + server->list_took_us + recent_us;
}

static const struct client_session *certainty_owner_of(const struct candidate *candidate)
{
    return candidate->own->client ? &candidate->own->client->shown : NULL;
}

/* The lists of the server that holds its session, else of all. */
static bool certainty_fresh(const struct election *election, struct about about, int64_t now_us,
                            int64_t *again_us)
{
    const struct cluster *cluster = election->cluster;
    const struct client_session *shown = about.session     ? cluster_client(cluster, about.session)
                                         : about.candidate ? certainty_owner_of(about.candidate)
                                                           : NULL;
    bool one = shown && shown->connected && shown->server < cluster->server_count;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        /* The diagnoses themselves allow for facts that a server hides. */
        if ((one && i != shown->server) || server->hidden[HIDDEN_CONNECTIONS] || !server->listed.mono_us)
            continue;
        int64_t until_us = recent_until_us(server);
        if (now_us > until_us)
            return false;
        if (until_us + 1 < *again_us)
            *again_us = until_us + 1;
    }
    return true;
}

/* A directory that goes as soon as it was made, or whose leaders all did, serves one decision at a time: that
   it is gone or empty is how it works. */
static bool certainty_lasting(const struct election *election)
{
    if (election_is_named(election)) /* a configured election needs a leader */
        return true;
    if (election->state == ELECTION_ABSENT)
        return election->own->lasted_us == 0 || election->own->lasted_us >= LASTING_US;
    bool brief = false;
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *tenure = election_tenure_at(election, i);
        if (!tenure->name)
            continue;
        if (!tenure->from_exact || tenure->to.mono_us - tenure->from.mono_us >= LASTING_US)
            return true;
        brief = true;
    }
    return !brief;
}

static bool certainty_ack(const struct election *election)
{
    return election->own->ack_configured || election->own->ack_proved;
}

unsigned certainty_holds(const struct election *election, enum finding_code code, struct about about,
                         struct moment now, int64_t *again_us)
{
    const struct candidate *c = about.candidate;
    enum certainty_verdict without;
    *again_us = INT64_MAX;
    /* certainty_lasts() ends the proof. */
    unsigned proved = c && c->proof == code ? BIT(WATCHES) | BIT(ALONE) : 0;
    unsigned member =
        c && is_watch_code(code) ? certainty_of_member(election, c) | proved : CERTAINTY_OF_MEMBER;
    bool known[PRESUMPTIONS] = {
        [PRESUMES_ELECTION] = election_is_proven(election),
        [PRESUMES_LEADER] =
            election->kind == KIND_LEADER && election->kind_proof != KIND_ASSUMED &&
            !(code == FINDING_NO_LEADER ? election_may_be_over(election) || election->own->handed_over
                                        : election_was_over(election)),
        [PRESUMES_LAYOUT] = code == FINDING_HERD ? !names_leave_open(election) || line_has_one_role(election)
                                                 : member >> PRESUMES_LAYOUT & 1u,
        [PRESUMES_ORDER] = member >> PRESUMES_ORDER & 1u,
        [PRESUMES_WATCHES] = member >> PRESUMES_WATCHES & 1u,
        [PRESUMES_LINE] = member >> PRESUMES_LINE & 1u,
        [PRESUMES_MARK] = member >> PRESUMES_MARK & 1u,
        [PRESUMES_ALONE] = member >> PRESUMES_ALONE & 1u,
        [PRESUMES_PASSIVE] = member >> PRESUMES_PASSIVE & 1u,
        [PRESUMES_ACK] = certainty_ack(election),
        [PRESUMES_LASTING] = certainty_lasting(election),
        [PRESUMES_FRESH] = !certainty_presumes(code, PRESUMES_FRESH, &without) ||
                           certainty_fresh(election, about, now.mono_us, again_us),
    };
    unsigned holds = 0;
    for (unsigned i = 0; i < PRESUMPTIONS; i++)
        holds |= (unsigned)known[i] << i;
    return holds;
}

/* ---- since when ---- */

int64_t certainty_possible_since_us(const struct election *election, const struct finding *finding)
{
    int64_t latest_us = 0;
    for (size_t i = 0; i < finding->candidate_count; i++) {
        const char *name = finding->candidates[i];
        const struct candidate *c = candidates_find(election, name, candidates_hash(election, name));
        int64_t created_us = c ? summary_created_us(c) : 0;
        if (created_us > latest_us)
            latest_us = created_us;
    }
    return latest_us;
}

/* ---- the kind ---- */

void certainty_settle_kind(struct election *election)
{
    enum recipe_nature nature = election->recipe ? election->recipe->nature : NATURE_ANY;
    bool known = nature == NATURE_LEADS || nature == NATURE_LOCKS;
    bool wished = election->settings && election->settings->kind != KIND_AUTO;
    if (wished) {
        election->kind = election->settings->kind;
        election->kind_proof = KIND_CONFIGURED;
    } else if (known && election->recognised != RECOGNISED_NAME) {
        election->kind = nature == NATURE_LOCKS ? KIND_LOCK : KIND_LEADER;
        election->kind_proof = KIND_BY_LAYOUT;
    } else if (election->kind_proof != KIND_BY_BEHAVIOUR) {
        election->kind = nature == NATURE_LOCKS ? KIND_LOCK : KIND_LEADER;
        election->kind_proof = KIND_ASSUMED;
    }
}

/* This many short tenures, one after the other, show a lock. */
#define HOLDS_OF_A_LOCK 3
#define SHORT_HOLD_US INT64_C(30000000)

/* Held for short and free then, again and again. */
static bool often_free(const struct election *election)
{
    int holds = 0;
    for (size_t i = 0; i + 1 < election->tenure_count; i++) {
        const struct tenure *held = election_tenure_at(election, i),
                            *after = election_tenure_at(election, i + 1);
        if (!held->name || !held->from_exact)
            continue;
        bool is_short = held->to.mono_us - held->from.mono_us < SHORT_HOLD_US;
        holds = is_short && !after->name && !after->gap ? holds + 1 : 0;
    }
    return holds >= HOLDS_OF_A_LOCK;
}

/* Held for short and given to the next one, again and again, by clients that live on: it is busy. */
static bool often_released(const struct election *election)
{
    int holds = 0;
    for (size_t i = 0; i + 1 < election->failover_count; i++) {
        const struct failover *before = election_failover_at(election, i),
                              *now = election_failover_at(election, i + 1);
        bool same = before->to && now->from && strcmp(before->to, now->from) == 0 && now->gap_us == 0;
        bool released = now->cause == CAUSE_RESIGNED || now->cause == CAUSE_DELETED;
        bool is_short = now->lost_at.mono_us - before->elected_at.mono_us < SHORT_HOLD_US;
        holds = same && released && is_short && now->cause_certainty == CERTAINTY_CERTAIN ? holds + 1 : 0;
    }
    return holds >= HOLDS_OF_A_LOCK;
}

void certainty_see_kind(struct election *election)
{
    if (election->kind_proof != KIND_ASSUMED)
        return;
    if (shared_lock(election) && election->recognised != RECOGNISED_NAME) {
        election->kind = KIND_LOCK;
        election->kind_proof = KIND_BY_BEHAVIOUR;
        return;
    }
    if (!often_free(election) && !often_released(election))
        return;
    election->kind = KIND_LOCK;
    election->kind_proof = KIND_BY_BEHAVIOUR;
}

#include "probe/election/candidate_node.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/registry.h"
#include "probe/election/candidates.h"
#include "probe/election/election_private.h"
#include "probe/election/session_table.h"
#include "probe/election/known_transactions.h"
#include "probe/election/update.h"

void candidate_node_parse(const struct update *f, struct candidate *candidate)
{
    const struct election *election = f->election;
    struct candidate_name parsed;
    candidate->outside = !election->recipe ||
                         !recipe_parse_name(f->model->recipes, election->recipe, candidate->name, &parsed);
    if (candidate->outside)
        return;
    candidate->sequence = parsed.sequence;
    candidate->reads = parsed.reads;
    candidate->own->named = parsed.guid_length > 0 || parsed.session != 0;
    const char *wish = election->settings->identity;
    bool wanted = !wish || strcmp(wish, "name") == 0;
    if (wanted && parsed.who_length > 0 && parsed.who_length <= IDENTITY_MAX && !candidate->identity) {
        candidate->identity = xstrndup(parsed.who, parsed.who_length);
        candidate->identity_source = IDENTITY_NAME;
    }
}

struct candidate *candidate_node_new(const struct update *f, const char *name, uint32_t hash)
{
    struct candidate *candidate = candidate_new(name, hash);
    candidate->joined = f->at;
    candidate->election = f->election;
    candidate->own->round = f->election->own->list_round;
    return candidate;
}

static void set_identity(struct candidate *candidate, char *identity, enum identity_source source)
{
    free(candidate->identity);
    candidate->identity = identity;
    candidate->identity_source = identity ? source : IDENTITY_SESSION;
    candidate->election->own->none_alike = false;
}

/* The client's host, with the port if several share the host, as the identity. Copied only if it changed. */
static void take_address(struct candidate *candidate)
{
    const char *host;
    size_t length = client_host(&candidate->own->client->shown, &host);
    if (candidate->own->shares_host)
        length = strlen(host);
    if (length > IDENTITY_MAX || (candidate->identity && candidate->identity_source != IDENTITY_CLIENT))
        return;
    if (candidate->identity && strlen(candidate->identity) == length &&
        memcmp(candidate->identity, host, length) == 0)
        return;
    set_identity(candidate, xstrndup(host, length), IDENTITY_CLIENT);
}

/* With so many others it is compared: if many share a host, the first ones show it. */
#define NEIGHBOURS_MOST 256

/* Members on one host differ by their ports, which stay: a name does not change because another one leaves.
   The waiters of a lock are not known. */
static void find_neighbours(struct candidate *candidate)
{
    const struct election *election = candidate->election;
    candidate->own->shares_host = election->recipe && election->recipe->family == FAMILY_LOCK;
    for (size_t i = 0; i < election->candidate_count && i < NEIGHBOURS_MOST && !candidate->own->shares_host;
         i++) {
        struct candidate *c = election->candidates[i];
        if (c->own->client == candidate->own->client || !c->own->client ||
            !client_is_beside(&candidate->own->client->shown, &c->own->client->shown))
            continue;
        candidate->own->shares_host = true;
        if (!c->own->shares_host) {
            c->own->shares_host = true;
            take_address(c);
        }
    }
}

/* Where nothing better is known: the address of its connection. */
static void name_by_client(struct candidate *candidate)
{
    const char *host;
    if (!candidate->own->client || client_host(&candidate->own->client->shown, &host) == 0)
        return;
    if (!candidate->own->shares_host)
        find_neighbours(candidate);
    take_address(candidate);
}

/* A replica of Solr is a candidate under its own name, on a node that its session registered: "core_node3 on
 * host:8983_solr".
 */
static char *named_and_registered(const struct update *f, const struct candidate *candidate,
                                  const char *member)
{
    const struct recipe *recipe = f->election->recipe;
    struct candidate_name parsed;
    bool named = recipe && recipe->family != FAMILY_LOCK &&
                 recipe_parse_name(f->model->recipes, recipe, candidate->name, &parsed) &&
                 parsed.who_length > 0 && parsed.who_length <= IDENTITY_MAX;
    return named ? text_format("%.*s on %.*s", (int)parsed.who_length, parsed.who, IDENTITY_MAX, member)
                 : text_copy(member);
}

/* A word that all candidates write is that of a role or of the service; three do not have a text by chance, unless it is
   their one process. It is a name once one of them writes another. */
static bool names_nobody(const struct update *f, const struct candidate *candidate, const char *word)
{
    struct election *election = f->election;
    struct election_private *own = election->own;
    const struct candidate *other = NULL, *third = NULL;
    bool was = own->shared_word && strcmp(own->shared_word, word) == 0;
    bool shareable = identity_is_word(word) || (identity_is_personal(word) && !identity_is_process(word));
    for (size_t i = 0; shareable && i < election->candidate_count && !own->words_differ && !third; i++) {
        const struct candidate *c = election->candidates[i];
        if (c->data_length == 0 || c->stat.owner == candidate->stat.owner)
            continue;
        if (!other)
            other = c;
        else if (c->stat.owner != other->stat.owner)
            third = c;
    }
    if (!other && (shareable || !own->shared_word))
        return was;
    char *its = other ? identity_from_data(other->data, other->data_length) : NULL;
    own->words_differ = !its || strcmp(its, word) != 0;
    free(its);
    bool shared = !own->words_differ && (third || identity_is_word(word));
    bool changed = shared ? !was : own->shared_word != NULL;
    free(own->shared_word);
    own->shared_word = shared ? text_copy(word) : NULL;
    for (size_t i = 0; i < election->candidate_count && changed; i++)
        if (election->candidates[i] != candidate)
            candidate_node_identify(f, election->candidates[i]);
    return own->shared_word != NULL;
}

void candidate_node_left(const struct update *f)
{
    struct election *election = f->election;
    if (!election->own->words_differ || election->candidate_count == 1)
        return;
    election->own->words_differ = false;
    for (size_t i = 0; i < election->candidate_count && !election->own->words_differ; i++)
        candidate_node_identify(f, election->candidates[i]);
}

bool candidate_acknowledges(const struct election *election, const struct candidate *candidate)
{
    return candidate == election->leader && election->ack_place == ACK_PLACE_NODE && election->ack_present &&
           election->ack_identity && election->ack_stat.owner != 0 &&
           election->ack_stat.owner == candidate->stat.owner;
}

void candidate_node_identify(const struct update *f, struct candidate *candidate)
{
    const struct election *election = f->election;
    const char *wish = election->settings->identity;
    bool any = !wish;
    bool registry_wished = wish && strncmp(wish, "registry:", 9) == 0;
    if (wish && strcmp(wish, "client") == 0)
        name_by_client(candidate);
    if (!any && !registry_wished && strcmp(wish, "data") != 0)
        return;
    /* The members' directory is where operators of that system look. */
    const char *member = any ? registry_member(election, candidate->stat.owner) : NULL;
    if (member) {
        set_identity(candidate, named_and_registered(f, candidate, member), IDENTITY_REGISTRY);
        return;
    }
    if (any || !registry_wished) {
        char *found = identity_from_data(candidate->data, candidate->data_length);
        if (found && !(any && names_nobody(f, candidate, found))) {
            set_identity(candidate, found, IDENTITY_DATA);
            return;
        }
        free(found);
        if (candidate->identity_source == IDENTITY_DATA) {
            set_identity(candidate, NULL, IDENTITY_SESSION);
            candidate_node_parse(f, candidate); /* its name may say who it is */
        }
    }
    if (candidate->identity && candidate->identity_source == IDENTITY_NAME)
        return;
    if (any && candidate_acknowledges(election, candidate)) {
        set_identity(candidate, text_copy(election->ack_identity), IDENTITY_ACKNOWLEDGEMENT);
        return;
    }
    const char *registered = registry_identity(election, candidate->stat.owner);
    if (registered)
        set_identity(candidate, text_copy(registered), IDENTITY_REGISTRY);
    else if (any)
        name_by_client(candidate);
}

void client_named(struct candidate *candidate)
{
    const char *wish = candidate->election->settings->identity;
    if (!wish || strcmp(wish, "client") == 0)
        name_by_client(candidate);
}

/* Its owner's session: what the servers show of it is about this candidate. */
static void take_stat(struct election *election, struct candidate *candidate, const struct znode_stat *stat)
{
    if (candidate->stat.owner != stat->owner)
        election->own->none_alike = false;
    candidate->stat = *stat;
    if (!owner_is_session(candidate->stat.owner) || candidate->outside)
        return;
    client_owns(session_table_make(election->cluster, candidate->stat.owner), candidate);
}

/* True if it differs from the kept data. */
static bool candidate_node_keep_data(struct candidate *candidate, const struct observed_node *node)
{
    size_t length = node->data_length < CANDIDATE_DATA_KEPT ? node->data_length : CANDIDATE_DATA_KEPT;
    if (length == candidate->data_length && (length == 0 || memcmp(candidate->data, node->data, length) == 0))
        return false;
    unsigned char *data = NULL;
    if (length > 0) {
        data = xmalloc(length);
        memcpy(data, node->data, length);
    }
    free(candidate->data);
    candidate->data = data;
    candidate->data_length = length;
    return true;
}

void candidate_node_stat(const struct update *f, struct candidate *candidate, const struct znode_stat *stat)
{
    if (candidate->stat.owner != stat->owner)
        diagnose_soon(f->election);
    known_transactions_note(&f->election->cluster->transactions, stat->czxid, 0, false);
    take_stat(f->election, candidate, stat);
}

void candidate_node_read(const struct update *f, struct candidate *candidate,
                         const struct observed_node *node)
{
    struct election *election = f->election;
    /* A Stat alone identifies no candidate whose data is still to come. */
    bool whole = node->has_data || node->stat->data_length == 0;
    bool first = whole && !candidate->known;
    bool changed = first || candidate->stat.mzxid != node->stat->mzxid ||
                   candidate->stat.owner != node->stat->owner ||
                   candidate->stat.children != node->stat->children;
    if (changed)
        known_transactions_note(&election->cluster->transactions, node->stat->mzxid, 0, false);
    take_stat(election, candidate, node->stat);
    if (whole) {
        if (candidate->own->again_us > candidate->own->read_us)
            diagnose_again(election); /* a confirmation of its state was requested */
        candidate->own->read_us = f->at.mono_us;
        candidates_unqueue(election, candidate);
        if (first && !candidate->denied)
            election->unknown_count--;
        candidate->known = true;
        candidate->denied = false;
    }
    bool other_data = node->has_data && candidate_node_keep_data(candidate, node);
    if (first || other_data)
        candidate_node_identify(f, candidate);
    if (changed || other_data)
        update_touched(f);
}

static struct candidate *candidate_node_find(const struct election *election, const char *name)
{
    return candidates_find(election, name, candidates_hash(election, name));
}

/* Logs and packets show at once that a znode was created and what is in it. So the event that it joined says who it is. */
static void keep_ahead(const struct update *f, const char *name, const struct observed_node *node)
{
    struct election_private *own = f->election->own;
    candidate_free(own->ahead);
    own->ahead = candidate_new(name, candidates_hash(f->election, name));
    own->ahead_us = f->at.mono_us;
    own->ahead->stat = *node->stat;
    candidate_node_keep_data(own->ahead, node);
}

void candidate_node_read_ahead(const struct update *f)
{
    const struct candidate *ahead = f->election->own->ahead;
    struct candidate *candidate = ahead && f->election->own->ahead_us == f->at.mono_us
                                      ? candidate_node_find(f->election, ahead->name)
                                      : NULL;
    if (candidate && !candidate->known && !candidate->outside)
        candidate_node_read(f, candidate,
                            &(struct observed_node){.stat = &ahead->stat,
                                                    .has_data = true,
                                                    .data = ahead->data,
                                                    .data_length = ahead->data_length});
}

/* The name is the same, the znode is not: another candidate took the place of this one. */
static void candidate_made_again(const struct update *f, struct candidate *candidate)
{
    struct election *election = f->election;
    size_t position = candidates_position(election, candidate) + 1;
    bool led = candidate == election->leader;
    if (led) {
        update_emit_candidate(f, EVENT_LEADER_LOST, candidate, position);
        leadership_lost(f, candidate, false);
        update_state(f, ELECTION_ELECTING);
    }
    update_emit_candidate(f, EVENT_CANDIDATE_LEFT, candidate, position);
    client_disown(candidate);
    candidate->joined = f->at;
    candidate->joined_seen = true;
    candidate->known = false;
    chain_hears(candidate);
    candidate->wrong = candidate->proof = FINDING_COUNT;
    candidate->own->before_hash = 0;
    set_identity(candidate, NULL, IDENTITY_SESSION);
    election->unknown_count++;
    update_emit_candidate(f, EVENT_CANDIDATE_JOINED, candidate, position);
    diagnose_soon(election);
}

void update_candidate_node(const struct update *f, const char *name, const struct observed_node *node)
{
    struct election *election = f->election;
    struct candidate *candidate = candidate_node_find(election, name);
    if (!candidate && node->has_data)
        keep_ahead(f, name, node);
    if (!candidate || candidate->outside)
        return;
    if (candidate->known && candidate->stat.czxid != node->stat->czxid) {
        const struct znode_stat *directory = &election->own->directory;
        if (candidate->stat.czxid < directory->czxid || node->stat->czxid > directory->pzxid)
            return; /* the directory was recreated under the same names: its list will tell */
        candidate_made_again(f, candidate);
    }
    candidate_node_read(f, candidate, node);

    /* Its czxid is known now: among equal numbers that may move it. */
    const struct candidate *first = election->candidates[0];
    candidates_rank(election, candidate);
    if (election->leader && election->leader == first && election->candidates[0] != first)
        leadership_corrected(f, election->candidates[0]);

    if (!election->leader && election->state == ELECTION_ELECTING && election->candidates[0] == candidate) {
        leadership_won(f, candidate);
        update_state(f, ELECTION_LED);
        update_emit_elected(f);
        leadership_read(f);
    } else if (candidate == election->leader) {
        leadership_read(f);
        acknowledge_update(f);
    } else {
        acknowledge_member(f, candidate);
    }
}

void update_candidate_absent(const struct update *f, const char *name)
{
    struct election *election = f->election;
    struct candidate *candidate = candidate_node_find(election, name);
    if (!candidate)
        return;
    election->own->gone_since_list++;
    election->own->quiet_us = f->at.mono_us;
    bool outside = candidate->outside, led = candidate == election->leader;
    /* The list is out of date: there may be others. */
    bool last = election->candidate_count == 1 && election->fresh;
    size_t position = outside ? 0 : candidates_position(election, candidate) + 1;
    candidates_take(election, candidate);
    if (outside) {
        candidates_list_foreign(f->election);
        update_touched(f);
    } else {
        election->counters.left++;
        candidate_node_left(f);
        if (led) {
            /* The news first: to sum up the failover before this one can wait for it. */
            update_emit_candidate(f, EVENT_LEADER_LOST, candidate, position);
            leadership_lost(f, candidate, true);
            update_state(f, last ? ELECTION_VACANT : ELECTION_ELECTING);
        }
        if (election->state == ELECTION_ELECTING && last)
            update_state(f, ELECTION_VACANT); /* the next in line was gone as well, and so on to the last */
        update_emit_candidate(f, EVENT_CANDIDATE_LEFT, candidate, position);
    }
    candidate_free(candidate);
}

void update_candidate_denied(const struct update *f, const char *name)
{
    struct election *election = f->election;
    struct candidate *candidate = candidate_node_find(election, name);
    if (!candidate || candidate->outside || candidate->known || candidate->denied)
        return;
    candidates_unqueue(election, candidate);
    candidate->denied = true;
    election->unknown_count--;
    if (candidate == election->leader)
        leadership_counted(election);
    update_touched(f);
}

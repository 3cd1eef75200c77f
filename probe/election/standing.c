#include "probe/election/standing.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/acknowledge.h"
#include "probe/election/client.h"
#include "probe/election/clients.h"
#include "probe/election/fold.h"
#include "probe/election/identity.h"
#include "probe/election/leadership.h"
#include "probe/election/name_hash.h"
#include "probe/election/registry.h"
#include "probe/election/roster.h"
#include "probe/election/transactions.h"

static char *copy_part(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void standing_parse(const struct fold *f, struct candidate *candidate)
{
    const struct election *election = f->election;
    struct candidate_name parsed;
    candidate->outside = !election->recipe ||
                         !recipe_parse_name(f->model->recipes, election->recipe, candidate->name, &parsed);
    if (candidate->outside)
        return;
    candidate->sequence = parsed.sequence;
    candidate->named = parsed.guid_length > 0 || parsed.session != 0;
    const char *wish = election->settings->identity;
    bool wanted = !wish || strcmp(wish, "name") == 0;
    if (wanted && parsed.who_length > 0 && parsed.who_length <= IDENTITY_MAX && !candidate->identity) {
        candidate->identity = copy_part(parsed.who, parsed.who_length);
        candidate->identity_source = IDENTITY_NAME;
    }
}

struct candidate *standing_new(const struct fold *f, const char *name, uint32_t hash)
{
    struct candidate *candidate = candidate_new(name, hash);
    if (candidate) {
        candidate->joined = f->at;
        candidate->election = f->election;
        candidate->round = f->election->list_round;
    }
    return candidate;
}

static void set_identity(struct candidate *candidate, char *identity, enum identity_source source)
{
    free(candidate->identity);
    candidate->identity = identity;
    candidate->identity_source = identity ? source : IDENTITY_SESSION;
}

/* Where nothing better is known: the host of its connection. */
static void name_by_client(struct candidate *candidate)
{
    const char *host;
    size_t length = candidate->client ? client_host(&candidate->client->shown, &host) : 0;
    if (length == 0 || length > IDENTITY_MAX ||
        (candidate->identity && candidate->identity_source != IDENTITY_CLIENT))
        return;
    if (candidate->identity && strlen(candidate->identity) == length &&
        memcmp(candidate->identity, host, length) == 0)
        return;
    set_identity(candidate, copy_part(host, length), IDENTITY_CLIENT);
}

void standing_identify(const struct election *election, struct candidate *candidate)
{
    const char *wish = election->settings->identity;
    bool any = !wish;
    bool registry_wished = wish && strncmp(wish, "registry:", 9) == 0;
    if (wish && strcmp(wish, "client") == 0)
        name_by_client(candidate);
    if (!any && !registry_wished && strcmp(wish, "data") != 0)
        return;
    if (any || !registry_wished) {
        char *found = identity_from_data(candidate->data, candidate->data_length);
        if (found) {
            set_identity(candidate, found, IDENTITY_DATA);
            return;
        }
        if (candidate->identity_source == IDENTITY_DATA)
            set_identity(candidate, NULL, IDENTITY_SESSION);
    }
    if (candidate->identity && candidate->identity_source == IDENTITY_NAME)
        return;
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
static void take_owner(struct election *election, struct candidate *candidate)
{
    if (!owner_is_session(candidate->stat.owner) || candidate->outside)
        return;
    struct client *client = clients_make(election->cluster, candidate->stat.owner);
    if (client)
        client_owns(client, candidate);
}

/* True where it differs from what was kept. */
static bool keep_data(struct candidate *candidate, const struct observed_node *node)
{
    size_t length = node->data_length < CANDIDATE_DATA_KEPT ? node->data_length : CANDIDATE_DATA_KEPT;
    if (length == candidate->data_length && (length == 0 || memcmp(candidate->data, node->data, length) == 0))
        return false;
    unsigned char *data = NULL;
    if (length > 0) {
        data = malloc(length);
        if (!data)
            return false;
        memcpy(data, node->data, length);
    }
    free(candidate->data);
    candidate->data = data;
    candidate->data_length = length;
    return true;
}

void standing_stat(const struct fold *f, struct candidate *candidate, const struct znode_stat *stat)
{
    if (candidate->stat.owner != stat->owner)
        diagnose_soon(f->election);
    candidate->stat = *stat;
    transactions_note(&f->election->cluster->transactions, stat->czxid, 0, false);
    take_owner(f->election, candidate);
}

void standing_read(const struct fold *f, struct candidate *candidate, const struct observed_node *node)
{
    struct election *election = f->election;
    /* A Stat alone makes nobody known whose data is still to come. */
    bool whole = node->has_data || node->stat->data_length == 0;
    bool first = whole && !candidate->known;
    bool changed = first || candidate->stat.mzxid != node->stat->mzxid ||
                   candidate->stat.owner != node->stat->owner ||
                   candidate->stat.children != node->stat->children;
    candidate->stat = *node->stat;
    if (changed)
        transactions_note(&election->cluster->transactions, node->stat->mzxid, 0, false);
    take_owner(election, candidate);
    if (whole) {
        if (candidate->again_us > candidate->read_us)
            diagnose_again(election); /* somebody wanted to know whether it is as it was */
        candidate->read_us = f->at.mono_us;
        roster_unqueue(election, candidate);
        if (first && !candidate->denied)
            election->unknown_count--;
        candidate->known = true;
        candidate->denied = false;
    }
    bool other_data = node->has_data && keep_data(candidate, node);
    if (first || other_data)
        standing_identify(election, candidate);
    if (changed || other_data)
        fold_touched(f);
}

static struct candidate *find(const struct election *election, const char *name)
{
    return roster_find(election, name, name_hash(name, strlen(name), election->hash_seed));
}

void fold_candidate_node(const struct fold *f, const char *name, const struct observed_node *node)
{
    struct election *election = f->election;
    struct candidate *candidate = find(election, name);
    if (!candidate || candidate->outside)
        return;
    if (candidate->known && candidate->stat.czxid != node->stat->czxid)
        return; /* the directory was recreated under the same names: its list will tell */
    standing_read(f, candidate, node);

    /* Its czxid is known now: among equal numbers that may move it. */
    const struct candidate *first = election->candidates[0];
    roster_rank(election, candidate);
    if (election->leader && election->leader == first && election->candidates[0] != first)
        leadership_corrected(f, election->candidates[0]);

    if (!election->leader && election->state == ELECTION_ELECTING && election->candidates[0] == candidate) {
        leadership_won(f, candidate);
        fold_state(f, ELECTION_LED);
        fold_tell_elected(f);
        leadership_read(f);
    } else if (candidate == election->leader) {
        leadership_read(f);
        acknowledge_update(f);
    }
}

void fold_candidate_absent(const struct fold *f, const char *name)
{
    struct election *election = f->election;
    struct candidate *candidate = find(election, name);
    if (!candidate)
        return;
    election->gone_since_list++;
    bool outside = candidate->outside, led = candidate == election->leader;
    size_t position = outside ? 0 : roster_position(election, candidate) + 1;
    roster_take(election, candidate);
    if (outside) {
        roster_list_foreign(f->election);
        fold_touched(f);
    } else {
        election->counters.left++;
        if (led) {
            /* The news first: to sum up the failover before this one can wait for it. */
            fold_tell_candidate(f, EVENT_LEADER_LOST, candidate, position);
            leadership_lost(f, candidate, true);
            fold_state(f, election->candidate_count > 0 ? ELECTION_ELECTING : ELECTION_VACANT);
        }
        if (election->state == ELECTION_ELECTING && election->candidate_count == 0)
            fold_state(f, ELECTION_VACANT); /* the next in line was gone as well, and so on to the last */
        fold_tell_candidate(f, EVENT_CANDIDATE_LEFT, candidate, position);
    }
    candidate_free(candidate);
}

void fold_candidate_denied(const struct fold *f, const char *name)
{
    struct election *election = f->election;
    struct candidate *candidate = find(election, name);
    if (!candidate || candidate->outside || candidate->known || candidate->denied)
        return;
    roster_unqueue(election, candidate);
    candidate->denied = true;
    election->unknown_count--;
    fold_touched(f);
}

#include "probe/election/freeze.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/chain.h"
#include "probe/election/clients.h"
#include "probe/election/cluster.h"
#include "probe/election/election_life.h"
#include "probe/election/failovers.h"
#include "probe/election/findings.h"
#include "probe/election/model.h"
#include "probe/election/registry.h"
#include "probe/election/roster.h"

/* Text that was there must be in the copy, too: *ok turns false where memory ran out. */
static char *freeze_copy_text(const char *text, bool *ok)
{
    char *copy = text_copy(text);
    *ok = *ok && (copy || !text);
    return copy;
}

static unsigned char *copy_bytes(const unsigned char *data, size_t length, bool *ok)
{
    unsigned char *copy = length ? malloc(length) : NULL;
    if (copy)
        memcpy(copy, data, length);
    *ok = *ok && (copy || length == 0);
    return copy;
}

static struct candidate *freeze_candidate(const struct candidate *from, bool *ok)
{
    struct candidate *to = candidate_new(from->name, from->hash);
    if (!to) {
        *ok = false;
        return NULL;
    }
    char *name = to->name;
    *to = *from;
    to->name = name;
    to->hash_next = to->unread_next = to->unread_previous = NULL;
    to->unread_queued = false;
    to->client = NULL;
    to->owned_next = NULL;
    to->owned_link = NULL;
    to->data = copy_bytes(from->data, from->data_length, ok);
    to->data_length = to->data ? from->data_length : 0;
    to->identity = freeze_copy_text(from->identity, ok);
    return to;
}

/* Its owner's session in the picture. */
static void freeze_owner(struct election *election, struct candidate *candidate, const struct candidate *from)
{
    candidate->election = election;
    struct client *client =
        from->client ? clients_find(election->cluster->clients, from->client->shown.id) : NULL;
    if (client)
        client_owns(client, candidate);
}

static void freeze_children(const struct election *from, struct election *to, bool *ok)
{
    if (!roster_reserve(to, from->candidate_count + from->outsider_count)) {
        *ok = false;
        return;
    }
    for (size_t i = 0; i < from->candidate_count; i++) {
        struct candidate *copy = freeze_candidate(from->candidates[i], ok);
        if (!copy)
            return;
        freeze_owner(to, copy, from->candidates[i]);
        roster_index(to, copy);
        to->candidates[to->candidate_count++] = copy;
        if (from->leader == from->candidates[i])
            to->leader = copy;
    }
    to->unknown_count = from->unknown_count;
    for (size_t i = 0; i < from->outsider_count; i++) {
        struct candidate *copy = freeze_candidate(from->outsiders[i], ok);
        if (!copy)
            return;
        roster_index(to, copy);
        roster_add(to, &copy, 1);
    }
}

static void freeze_tenures(const struct election *from, struct election *to, bool *ok)
{
    if (from->tenure_count == 0)
        return;
    to->tenures = calloc(from->tenure_count, sizeof *to->tenures);
    if (!to->tenures) {
        *ok = false;
        return;
    }
    to->tenure_room = to->tenure_count = from->tenure_count;
    for (size_t i = 0; i < from->tenure_count; i++) {
        to->tenures[i] = *election_tenure_at(from, i);
        to->tenures[i].name = freeze_copy_text(to->tenures[i].name, ok);
        to->tenures[i].identity = freeze_copy_text(to->tenures[i].identity, ok);
    }
}

static struct election *freeze_election(const struct election *from, struct cluster *cluster, bool *ok)
{
    struct election *to = election_new(cluster, from->path, from->path_hash);
    if (!to) {
        *ok = false;
        return NULL;
    }
    char *path = to->path;
    *to = *from;
    to->cluster = cluster;
    to->failovers = NULL;
    to->failover_first = to->failover_count = to->failover_room = 0;
    to->path = path;
    to->path_next = NULL;
    to->leader = NULL;
    to->candidates = to->outsiders = to->buckets = NULL;
    to->candidate_count = to->candidate_room = to->outsider_count = to->outsider_room = to->bucket_count = 0;
    to->unread_first = to->unread_last = NULL;
    to->findings = NULL;
    to->finding_count = 0;
    to->tenures = NULL;
    to->tenure_first = to->tenure_count = to->tenure_room = 0;
    to->foreign = NULL;
    to->dirty = false;
    to->dirty_next = NULL;
    to->earlier = NULL;
    to->bystanders = NULL;
    to->bystander_count = to->bystander_room = 0;
    to->departed = NULL;
    to->replicas = NULL;
    to->links = NULL;
    to->link_count = to->link_room = 0;
    to->name = freeze_copy_text(from->name, ok);
    to->mark_path = freeze_copy_text(from->mark_path, ok);
    to->mark_identity = freeze_copy_text(from->mark_identity, ok);
    to->mark_data = copy_bytes(from->mark_data, from->mark_data_length, ok);
    to->mark_data_length = to->mark_data ? from->mark_data_length : 0;
    to->registry_path = freeze_copy_text(from->registry_path, ok);
    for (size_t i = 0; i < FURTHER_MARKS; i++)
        to->further_marks[i].path = freeze_copy_text(from->further_marks[i].path, ok);
    to->members_path = freeze_copy_text(from->members_path, ok);
    to->members = NULL;
    to->registry = NULL; /* its entries are in the candidates' identities */
    to->registry_complete = registry_complete(from);
    to->change.from = freeze_copy_text(from->change.from, ok);
    to->change.from_identity = freeze_copy_text(from->change.from_identity, ok);
    to->change.to = freeze_copy_text(from->change.to, ok);
    to->change.to_identity = freeze_copy_text(from->change.to_identity, ok);
    freeze_children(from, to, ok);
    freeze_tenures(from, to, ok);
    for (size_t i = 0; i < from->failover_count && *ok; i++)
        *ok = election_keep_failover(to, election_failover_at(from, i));
    *ok = *ok && findings_copy(from, to) && chain_copy(from, to);
    roster_list_foreign(to);
    return to;
}

static void freeze_servers(const struct cluster *from, struct cluster *to, bool *ok)
{
    if (from->server_count == 0)
        return;
    to->servers = calloc(from->server_count, sizeof *to->servers);
    if (!to->servers) {
        *ok = false;
        return;
    }
    to->server_count = from->server_count;
    for (size_t i = 0; i < from->server_count; i++) {
        to->servers[i] = from->servers[i];
        to->servers[i].address = freeze_copy_text(from->servers[i].address, ok);
        to->servers[i].version = freeze_copy_text(from->servers[i].version, ok);
        to->servers[i].problem = freeze_copy_text(from->servers[i].problem, ok);
        for (size_t k = 0; k < sizeof from->servers[i].hidden / sizeof from->servers[i].hidden[0]; k++)
            to->servers[i].hidden[k] = freeze_copy_text(from->servers[i].hidden[k], ok);
    }
}

static void freeze_cluster(const struct cluster *from, struct cluster *to, bool *ok)
{
    *to = *from;
    to->servers = NULL;
    to->clients = NULL;
    to->dirty = NULL;
    to->cases = NULL;
    to->transactions = NULL;
    to->logged = NULL;
    to->elections = to->buckets = NULL;
    to->server_count = to->election_count = to->election_room = to->bucket_count = 0;
    to->name = freeze_copy_text(from->name, ok);
    to->hosts = freeze_copy_text(from->hosts, ok);
    to->chroot = freeze_copy_text(from->chroot, ok);
    to->connected_to = freeze_copy_text(from->connected_to, ok);
    to->problem = freeze_copy_text(from->problem, ok);
    freeze_servers(from, to, ok);
    if (from->clients && !(to->clients = clients_copy(from->clients)))
        *ok = false;
    for (size_t i = 0; i < from->election_count && *ok; i++) {
        struct election *copy = freeze_election(from->elections[i], to, ok);
        if (copy && !cluster_add(to, copy)) {
            election_free(copy);
            *ok = false;
        }
    }
}

struct model *model_freeze(const struct model *model)
{
    struct model *frozen = calloc(1, sizeof *frozen);
    if (!frozen)
        return NULL;
    bool ok = true;
    frozen->recipes = recipe_book_share(model->recipes);
    frozen->now = model->now;
    frozen->generation = model->generation;
    frozen->clusters = calloc(model->cluster_count + 1, sizeof *frozen->clusters);
    ok = frozen->clusters != NULL;
    for (size_t i = 0; i < model->cluster_count && ok; i++) {
        frozen->cluster_count++;
        freeze_cluster(&model->clusters[i], &frozen->clusters[i], &ok);
    }
    if (ok)
        return frozen;
    model_free(frozen);
    return NULL;
}

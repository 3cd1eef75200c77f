#include "probe/election/servers.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/clients.h"
#include "probe/election/failover_case.h"
#include "probe/election/fold.h"
#include "probe/election/looks.h"
#include "probe/election/replicas.h"

void server_end(struct server *server)
{
    free(server->address);
    free(server->version);
    free(server->problem);
    for (size_t i = 0; i < sizeof server->hidden / sizeof server->hidden[0]; i++)
        free(server->hidden[i]);
}

/* Whom the ensemble consists of, and in which part, says what its servers' lists prove. */
static void diagnose_all(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
}

struct server *servers_get(struct cluster *cluster, const char *address)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (strcmp(cluster->servers[i].address, address) == 0)
            return &cluster->servers[i];
    struct server *servers = realloc(cluster->servers, (cluster->server_count + 1) * sizeof *servers);
    if (!servers)
        return NULL;
    cluster->servers = servers;
    struct server *server = &servers[cluster->server_count];
    *server = (struct server){.address = text_copy(address),
                              .answer_us = -1,
                              .zxid = -1,
                              .connections = -1,
                              .child_watches = -1,
                              .foreign_children = -1};
    if (!server->address)
        return NULL;
    cluster->server_count++;
    diagnose_all(cluster);
    return server;
}

/* A part of what it shows is known again, or cannot be had. */
static void server_hides(struct model *model, struct cluster *cluster, struct server *server,
                         enum hidden_part part, const char *problem)
{
    bool was_hidden = server->hidden[part] != NULL;
    model->generation += text_replace(&server->hidden[part], problem);
    if (!problem)
        return;
    if (part == HIDDEN_WATCHES) {
        server->watches_from = NULL;
        server->child_watches = server->foreign_children = -1;
        server->children_open = false;
    }
    /* Why a link is not known is told of candidates of whom no server has shown anything, too. */
    for (size_t i = 0; !was_hidden && part != HIDDEN_SESSIONS && i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
    if (!was_hidden)
        clients_hidden(cluster, (size_t)(server - cluster->servers), part);
}

/* Where the layout leaves open who watches whom, the number of watches on children may settle it. */
static void diagnose_unsure(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        if (!cluster->elections[i]->shows_predecessor)
            diagnose_soon(cluster->elections[i]);
}

static void foreign_children(struct cluster *cluster, struct server *server, int64_t count)
{
    server->children_open = false;
    if (server->foreign_children != count)
        diagnose_unsure(cluster);
    server->foreign_children = count;
}

void servers_lists(struct model *model, struct cluster *cluster, const struct observation *o)
{
    const char *address = o->kind == OBSERVED_CONNECTIONS ? o->connections.address
                          : o->kind == OBSERVED_WATCHES   ? o->watches.address
                          : o->kind == OBSERVED_SESSIONS  ? o->sessions.address
                                                          : o->hidden.address;
    struct server *server = address ? servers_get(cluster, address) : NULL;
    if (!server)
        return;
    size_t index = (size_t)(server - cluster->servers);
    switch (o->kind) {
    case OBSERVED_CONNECTIONS:
        server_hides(model, cluster, server, HIDDEN_CONNECTIONS, NULL);
        clients_connections(cluster, index, o->at, &o->connections);
        failover_cases_connections(cluster, index, o->at, &o->connections);
        if (server->children_open)
            foreign_children(cluster, server,
                             server->child_watches > o->connections.own_children
                                 ? server->child_watches - o->connections.own_children
                                 : 0);
        break;
    case OBSERVED_WATCHES:
        server_hides(model, cluster, server, HIDDEN_WATCHES, NULL);
        server->watches_from =
            o->watches.from && strcmp(o->watches.from, "four-letter") == 0 ? "four-letter" : "adminserver";
        server->watches_seen = o->at;
        if (server->child_watches != o->watches.child_watches)
            diagnose_unsure(cluster);
        server->child_watches = o->watches.child_watches;
        server->children_open = server->child_watches > 0;
        if (!server->children_open)
            foreign_children(cluster, server, server->child_watches);
        server->watch_count = 0;
        for (size_t i = 0; i < o->watches.count; i++)
            server->watch_count += o->watches.list[i].count;
        clients_watches(cluster, index, o->at, &o->watches);
        break;
    case OBSERVED_SESSIONS:
        server_hides(model, cluster, server, HIDDEN_SESSIONS, NULL);
        clients_sessions(cluster, index, o->at, &o->sessions);
        failover_cases_sessions(cluster, index, o->at, &o->sessions);
        break;
    default:
        if (o->hidden.part <= HIDDEN_SESSIONS)
            server_hides(model, cluster, server, o->hidden.part,
                         o->hidden.problem ? o->hidden.problem : "unknown");
        break;
    }
    for (size_t i = 0; i < cluster->election_count; i++)
        if (cluster->elections[i]->suspected || cluster->elections[i]->listens)
            diagnose_again(cluster->elections[i]);
    model->generation++;
}

void servers_stated(struct model *model, struct cluster *cluster, const struct observation *o)
{
    const struct observed_server *seen = &o->server;
    size_t before = cluster->server_count;
    struct server *server = servers_get(cluster, seen->address);
    if (!server)
        return;
    bool changed = cluster->server_count != before;
    changed |= text_replace(&server->version, seen->version);
    changed |= text_replace(&server->problem, seen->problem);
    changed |= server->unasked != seen->unasked || server->reachable != seen->reachable ||
               server->mode != seen->mode || server->answer_us != seen->answer_us ||
               server->zxid != seen->zxid || server->connections != seen->connections;
    if (server->mode != seen->mode)
        diagnose_all(cluster);
    server->unasked = seen->unasked;
    server->reachable = seen->reachable;
    server->mode = seen->mode;
    server->answer_us = seen->answer_us;
    server->zxid = seen->zxid;
    if (seen->tick_ms > 0)
        server->tick_ms = seen->tick_ms;
    if (seen->zxid >= 0) {
        server->stated = o->at;
        failover_cases_stated(cluster, (size_t)(server - cluster->servers), seen->zxid);
    }
    cluster_note_epoch(cluster, seen->zxid, o->at);
    server->connections = seen->connections;
    if (seen->reachable || server->seen.mono_us == 0)
        server->seen = o->at;
    if (!seen->reachable && !seen->unasked)
        server->missed = o->at;
    model->generation += changed;
}

static bool names(const struct observed_ensemble *seen, const char *address)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->addresses[i], address) == 0)
            return true;
    return false;
}

void servers_ensemble(struct model *model, struct cluster *cluster, const struct observation *o)
{
    bool changed = cluster->ensemble != o->ensemble.known;
    cluster->ensemble = o->ensemble.known;
    for (size_t at = cluster->server_count; at-- > 0;) {
        if (names(&o->ensemble, cluster->servers[at].address))
            continue;
        clients_server_left(cluster, at);
        failover_cases_server_left(cluster, at);
        for (size_t i = 0; i < cluster->election_count; i++)
            replicas_server_left(cluster->elections[i], at);
        server_end(&cluster->servers[at]);
        cluster->server_count--;
        memmove(&cluster->servers[at], &cluster->servers[at + 1],
                (cluster->server_count - at) * sizeof *cluster->servers);
        changed = true;
    }
    if (changed)
        diagnose_all(cluster);
    model->generation += changed;
}
